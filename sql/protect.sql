-- Protection: what protect() makes of a relation, its partitions and children, who is trusted, what is refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

CREATE ROLE protect_owner;
CREATE ROLE protect_app;
CREATE ROLE protect_member IN ROLE protect_app;
CREATE ROLE protect_ana;
CREATE ROLE protect_team IN ROLE protect_owner;
CREATE SCHEMA protect_s;
GRANT USAGE, CREATE ON SCHEMA protect_s TO PUBLIC;
SET search_path = protect_s, public;

-- A statement as a role: its SQLSTATE, or that it went well.
CREATE FUNCTION try(who text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_catalog.set_config('role', who, true);
	EXECUTE statement;
	PERFORM pg_catalog.set_config('role', 'none', true);
	RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
-- The same with all that an error says.
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  NOT REFUSED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN pg_catalog.concat_ws(E'\n  ', statement, code || ': ' || message, nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE VIEW state AS SELECT relation, unit, trusted, part_of, problem FROM dpriv.protected ORDER BY relation::text;
CREATE VIEW security AS
SELECT c.relname, c.relrowsecurity AS enabled, (SELECT string_agg(p.polname, ', ' ORDER BY p.polname) FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
	(SELECT l.label FROM pg_seclabel l WHERE l.objoid = c.oid AND l.provider = 'dpriv') AS label
FROM pg_class c WHERE c.relnamespace = 'protect_s'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname;
GRANT SELECT ON state, security TO PUBLIC;

SET ROLE protect_owner;
CREATE TABLE adult (id int PRIMARY KEY, age int);
INSERT INTO adult SELECT i, i % 50 FROM generate_series(1, 100) i;
GRANT SELECT ON adult TO PUBLIC;
RESET ROLE;

-- ---- What is refused, and what one is told ----

\pset format unaligned
\pset tuples_only on
CREATE VIEW v AS SELECT * FROM adult;
CREATE MATERIALIZED VIEW m AS SELECT * FROM adult;
CREATE TEMPORARY TABLE temporary_table (a int);
CREATE SEQUENCE s;
CREATE FOREIGN DATA WRAPPER protect_fdw;
CREATE SERVER protect_server FOREIGN DATA WRAPPER protect_fdw;
CREATE FOREIGN TABLE f (a int) SERVER protect_server;
CREATE TABLE quiet (a int);
CREATE POLICY p ON quiet USING (true);
CREATE TABLE part (a int) PARTITION BY LIST (a);
CREATE FOREIGN TABLE part_f PARTITION OF part FOR VALUES IN (1) SERVER protect_server;
CREATE TABLE parent (a int);
CREATE TABLE child () INHERITS (parent);
CREATE TABLE mixed (a int);
SET ROLE protect_ana;
CREATE TABLE others (a int);
RESET ROLE;
ALTER TABLE others INHERIT mixed;
SELECT refusal(s) FROM unnest(ARRAY[
	$$SELECT dpriv.protect(NULL, 'row')$$,
	$$SELECT dpriv.protect('adult')$$,
	$$SELECT dpriv.protect('adult', 'person')$$,
	$$SELECT dpriv.protect('adult', 'Row')$$,
	$$SELECT dpriv.protect('v', 'row')$$,
	$$SELECT dpriv.protect('m', 'row')$$,
	$$SELECT dpriv.protect('temporary_table', 'row')$$,
	$$SELECT dpriv.protect('s', 'row')$$,
	$$SELECT dpriv.protect('adult_pkey', 'row')$$,
	$$SELECT dpriv.protect('f', 'row')$$,
	$$SELECT dpriv.protect('part', 'row')$$,
	$$SELECT dpriv.protect('pg_catalog.pg_class', 'row')$$,
	$$SELECT dpriv.protect('information_schema.sql_features', 'row')$$,
	$$SELECT dpriv.protect('quiet', 'row')$$,
	$$SELECT dpriv.protect('child', 'row')$$,
	$$SELECT dpriv.protect('mixed', 'row')$$,
	$$SELECT dpriv.protect(4294967295::oid, 'row')$$,
	$$SET ROLE protect_ana; SELECT dpriv.protect('adult', 'row')$$,
	$$SET TRANSACTION READ ONLY; SELECT dpriv.protect('adult', 'row')$$,
	$$SELECT dpriv.unprotect('adult')$$,
	$$SELECT dpriv.trust('adult', 'protect_app')$$,
	$$SELECT dpriv.distrust('adult', 'protect_app')$$]) s;
SELECT * FROM state;
SELECT count(*) FROM security WHERE label IS NOT NULL;

-- Privileges that cannot be left to roles that are not trusted.
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON adult TO protect_app;
GRANT REFERENCES (id) ON adult TO protect_ana;
SELECT refusal($$SELECT dpriv.protect('adult', 'row')$$);
REVOKE TRUNCATE, REFERENCES, TRIGGER ON adult FROM protect_app;
REVOKE REFERENCES (id) ON adult FROM protect_ana;

-- Labels by hand.
SELECT refusal('SECURITY LABEL FOR dpriv ON ' || s) FROM unnest(ARRAY[
	$$TABLE adult IS '{"unit": "row"'$$,
	$$TABLE adult IS ''$$,
	$$TABLE adult IS '"row"'$$,
	$$TABLE adult IS '["unit", "row"]'$$,
	$$TABLE adult IS '{}'$$,
	$$TABLE adult IS '{"unit": "rows"}'$$,
	$$TABLE adult IS '{"unit": null}'$$,
	$$TABLE adult IS '{"unit": ["row"]}'$$,
	$$TABLE adult IS '{"Unit": "row"}'$$,
	$$TABLE adult IS '{"unit": "row", "trusted": ["protect_ana"]}'$$,
	$$TABLE adult IS '{"unit": "row\u0000"}'$$,
	$$COLUMN adult.id IS '{"unit": "row"}'$$,
	$$VIEW v IS '{"unit": "row"}'$$,
	$$MATERIALIZED VIEW m IS '{"unit": "row"}'$$,
	$$FOREIGN TABLE f IS '{"unit": "row"}'$$,
	$$FUNCTION try(text, text) IS '{"unit": "row"}'$$]) s;
SELECT try('protect_ana', $$SECURITY LABEL FOR dpriv ON TABLE adult IS '{"unit": "row"}'$$);
SELECT label FROM security WHERE relname = 'adult';
\pset tuples_only off
\pset format aligned

-- ---- A table ----

SET ROLE protect_owner;
SET client_min_messages = error;
SELECT dpriv.protect('adult', unit => 'row');
RESET client_min_messages;
RESET ROLE;
SELECT * FROM state;
SELECT * FROM security WHERE relname = 'adult';
SELECT polname, polpermissive, polcmd, polroles, pg_get_expr(polqual, polrelid) AS qual FROM pg_policy WHERE polrelid = 'adult'::regclass ORDER BY polname;

CREATE VIEW access AS SELECT who, try(who, 'SELECT FROM adult') AS "SELECT", try(who, 'SELECT FROM adult WHERE false LIMIT 0') AS nothing,
	try(who, 'EXPLAIN SELECT FROM adult') AS "EXPLAIN", try(who, 'SELECT EXISTS (SELECT FROM adult)') AS "EXISTS",
	try(who, 'CREATE TEMPORARY TABLE copied AS TABLE adult; DROP TABLE copied') AS "CREATE",
	try(who, 'SELECT query_to_xml(''TABLE adult'', false, false, '''')') AS xml,
	try(who, 'UPDATE adult SET age = 0 WHERE id = 0') AS "UPDATE"
FROM unnest(ARRAY['protect_ana', 'protect_app', 'protect_member', 'protect_team', 'protect_owner', 'none']) who;
SELECT * FROM access;

-- Trusted roles read on, and their members.
SELECT dpriv.trust('adult', 'protect_app');
SELECT trusted FROM state;
SELECT * FROM access;
SELECT dpriv.trust('adult', 'protect_app');
SELECT dpriv.trust('adult', 'protect_ana');
SELECT trusted FROM state;
SELECT who, "SELECT" FROM access;
SELECT dpriv.distrust('adult', 'protect_ana');
ALTER ROLE protect_app RENAME TO "Protect ""App""";
SELECT trusted FROM state;
SELECT try('protect_member', 'TABLE adult');
ALTER ROLE "Protect ""App""" RENAME TO protect_app;
DROP ROLE protect_app;
REVOKE protect_app FROM protect_member;
SELECT try('protect_member', 'TABLE adult');
GRANT protect_app TO protect_member;
\pset format unaligned
\pset tuples_only on
SELECT refusal(s) FROM unnest(ARRAY[
	$$SELECT dpriv.trust(NULL, 'protect_app')$$,
	$$SELECT dpriv.trust('adult', NULL)$$,
	$$SELECT dpriv.trust('adult', 'public')$$,
	$$SELECT dpriv.trust('adult', 'nobody')$$,
	$$SET ROLE protect_app; SELECT dpriv.trust('adult', 'protect_ana')$$,
	$$SELECT dpriv.distrust('adult', 'protect_ana')$$,
	$$SELECT dpriv.distrust('adult', 'protect_member')$$,
	$$SET ROLE protect_app; SELECT dpriv.unprotect('adult')$$,
	$$SECURITY LABEL FOR dpriv ON TABLE adult IS NULL$$,
	$$SELECT dpriv.guard(NULL)$$,
	$$SELECT dpriv.guard(4294967295::oid)$$,
	$$SET ROLE protect_ana; SELECT dpriv.guard('adult')$$]) s;
\pset tuples_only off
\pset format aligned
SELECT dpriv.distrust('adult', 'protect_app');
SELECT * FROM access;
SELECT * FROM security WHERE relname = 'adult';
-- A list that says everybody is a list of nobody.
CREATE POLICY dpriv_trusted ON adult AS RESTRICTIVE FOR SELECT USING (true);
SELECT try('protect_ana', 'TABLE adult');
DROP POLICY dpriv_trusted ON adult;

-- FORCE ROW LEVEL SECURITY does not take the owner's rows away.
ALTER TABLE adult FORCE ROW LEVEL SECURITY;
SELECT who, "SELECT" FROM access;
ALTER TABLE adult NO FORCE ROW LEVEL SECURITY;

-- What breaks it is said, what is broken stays closed to releases, and protect() repairs it.
SELECT dpriv.trust('adult', 'protect_app');
CREATE FUNCTION repair() RETURNS SETOF text LANGUAGE plpgsql SET client_min_messages = error AS $$
BEGIN
	RETURN QUERY SELECT problem FROM state;
	PERFORM dpriv.protect('adult', 'row');
	RETURN QUERY SELECT coalesce(problem, 'repaired') || ', trusted ' || trusted::text FROM state;
	RETURN NEXT 'then ' || try('protect_app', 'TABLE adult') || ' and ' || try('protect_ana', 'TABLE adult');
END $$;
ALTER TABLE adult DISABLE ROW LEVEL SECURITY;
SELECT repair();
DROP POLICY dpriv_guard ON adult;
SELECT repair();
ALTER POLICY dpriv_guard ON adult TO protect_ana;
SELECT repair();
ALTER POLICY dpriv_guard ON adult USING (dpriv.guard('quiet'));
SELECT repair();
ALTER POLICY dpriv_guard ON adult RENAME TO other_name;
SELECT problem FROM state;
SELECT try('protect_ana', 'TABLE adult');
ALTER POLICY other_name ON adult RENAME TO dpriv_guard;
-- A restore without the library has policies but no labels.
DELETE FROM pg_seclabel WHERE provider = 'dpriv';
ALTER TABLE adult ADD b int;
SELECT * FROM state;
SELECT try('protect_ana', 'TABLE adult');
SELECT repair();
UPDATE pg_seclabel SET label = '{"unit": "row", "later": 1}' WHERE provider = 'dpriv';
ALTER TABLE adult DROP b;
SELECT * FROM state;
SELECT try('protect_ana', 'TABLE adult');
SELECT repair();

-- Without its policy the label can go too.
DROP POLICY dpriv_guard ON adult;
SECURITY LABEL FOR dpriv ON TABLE adult IS NULL;
SELECT * FROM state;
ALTER TABLE adult DISABLE ROW LEVEL SECURITY;
SET client_min_messages = error;
SELECT dpriv.protect('adult', 'row');
RESET client_min_messages;
SELECT * FROM state;

-- The end.
SELECT dpriv.unprotect('adult');
SELECT * FROM state;
SELECT * FROM security WHERE relname = 'adult';
SELECT who, "SELECT" FROM access;

-- ---- A table with policies of its own keeps them ----

CREATE TABLE owned AS SELECT i AS id, CASE WHEN i < 4 THEN 'protect_ana' ELSE 'protect_app' END AS who FROM generate_series(1, 10) i;
GRANT SELECT ON owned TO PUBLIC;
ALTER TABLE owned ENABLE ROW LEVEL SECURITY;
SELECT dpriv.protect('owned', 'row');
CREATE POLICY own ON owned USING (who = current_user);
SELECT dpriv.protect('owned', 'row');
SELECT dpriv.trust('owned', 'protect_app');
SELECT * FROM security WHERE relname = 'owned';
SELECT try('protect_ana', 'TABLE owned');
SET ROLE protect_app;
SELECT count(*) FROM owned;
RESET ROLE;
SELECT dpriv.unprotect('owned');
SELECT * FROM security WHERE relname = 'owned';
SET ROLE protect_ana;
SELECT count(*) FROM owned;
RESET ROLE;
-- What is refused names what to write instead.
GRANT SELECT ON owned TO protect_ana;
SELECT dpriv.protect('owned', 'row');
SELECT refusal('SET ROLE protect_ana; SELECT ' || call || ' FROM owned') FROM unnest(ARRAY['count(*)', 'max(id) - 1', 'count(*), min(who)',
	'percentile_cont(0.5) WITHIN GROUP (ORDER BY id)', 'mode() WITHIN GROUP (ORDER BY who)', 'stddev(id)', 'var_pop(id) FILTER (WHERE id > 1)', 'corr(id, id)',
	'string_agg(who, who)']) AS call;
SELECT refusal('SET ROLE protect_ana; SELECT 1 FROM owned GROUP BY who HAVING max(id) > 1');
RESET ROLE;
DROP TABLE owned;

-- Policies made after protect() stay in force.
SELECT dpriv.protect('parent', 'row');
CREATE POLICY later ON parent USING (a > 0);
SELECT dpriv.unprotect('parent');
SELECT * FROM security WHERE relname IN ('parent', 'child');
DROP POLICY later ON parent;
ALTER TABLE parent DISABLE ROW LEVEL SECURITY;

-- ---- Partitions and children ----

SET client_min_messages = error;
DROP FOREIGN TABLE part_f;
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1) PARTITION BY LIST (a);
CREATE TABLE part11 PARTITION OF part1 FOR VALUES IN (1);
GRANT SELECT ON part, part1, part11, parent, child TO PUBLIC;
SELECT dpriv.protect('part', 'row'), dpriv.protect('parent', 'row');
SELECT dpriv.trust('part', 'protect_app'), dpriv.trust('parent', 'protect_app');
RESET client_min_messages;
CREATE TABLE part2 PARTITION OF part FOR VALUES IN (2);
CREATE TABLE part3 (a int);
CREATE TABLE part31 () INHERITS (part3);
ALTER TABLE part31 NO INHERIT part3;
DROP TABLE part31;
ALTER TABLE part ATTACH PARTITION part3 FOR VALUES IN (3);
CREATE TABLE part4 (a int) PARTITION BY LIST (a);
CREATE TABLE part41 PARTITION OF part4 DEFAULT;
ALTER TABLE part ATTACH PARTITION part4 FOR VALUES IN (4);
CREATE TABLE part42 PARTITION OF part4 FOR VALUES IN (4);
CREATE TABLE child2 () INHERITS (child);
CREATE TABLE child3 (a int, b text);
ALTER TABLE child3 INHERIT parent;
CREATE SCHEMA protect_s2 CREATE TABLE child4 () INHERITS (protect_s.child3);
GRANT SELECT ON ALL TABLES IN SCHEMA protect_s TO PUBLIC;
SELECT * FROM state;
SELECT relation, try('protect_ana', 'TABLE ' || relation), try('protect_app', 'TABLE ' || relation)
FROM state WHERE relation <> 'protect_s2.child4'::regclass;

-- In functions and DO blocks too, and what is rolled back is gone.
DO $$
BEGIN
	CREATE TABLE child5 () INHERITS (parent);
	BEGIN
		CREATE TABLE child6 () INHERITS (parent);
		RAISE 'no';
	EXCEPTION WHEN OTHERS THEN
		NULL;
	END;
END $$;
SELECT * FROM state WHERE relation::text ~ 'child[56]';

-- Rolled back to a savepoint: what was done for the child is gone, and is not asked for again.
BEGIN;
SAVEPOINT s;
CREATE TABLE child6 () INHERITS (parent);
ROLLBACK TO s;
CREATE TABLE child7 () INHERITS (parent);
SAVEPOINT s;
ALTER TABLE child7 ADD c int;
ROLLBACK TO s;
COMMIT;
SELECT * FROM state WHERE relation::text ~ 'child[67]';
DROP TABLE child7;

-- Refused: parents that are not protected, children of others, foreign and temporary ones.
CREATE TABLE open (a int);
CREATE TABLE open_part (a int) PARTITION BY LIST (a);
SET ROLE protect_ana;
CREATE TABLE anas (a int);
RESET ROLE;
\pset format unaligned
\pset tuples_only on
SELECT refusal(s) FROM unnest(ARRAY[
	$$ALTER TABLE parent INHERIT open$$,
	$$ALTER TABLE child3 INHERIT open$$,
	$$ALTER TABLE open_part ATTACH PARTITION child5 DEFAULT$$,
	$$CREATE TABLE both_parents () INHERITS (parent, open)$$,
	$$CREATE TABLE both_parents () INHERITS (open, parent)$$,
	$$CREATE TABLE outside (a int); ALTER TABLE child5 NO INHERIT parent; ALTER TABLE child5 INHERIT outside$$,
	$$ALTER TABLE anas INHERIT parent$$,
	$$CREATE FOREIGN TABLE part_f PARTITION OF part FOR VALUES IN (9) SERVER protect_server$$,
	$$CREATE TEMPORARY TABLE child_t () INHERITS (parent)$$,
	$$ALTER TABLE quiet INHERIT parent$$,
	$$SELECT dpriv.protect('part1', 'row')$$,
	$$SELECT dpriv.unprotect('part1')$$,
	$$SELECT dpriv.trust('child', 'protect_ana')$$,
	$$SELECT dpriv.distrust('child', 'protect_app')$$]) s;
\pset tuples_only off
\pset format aligned

-- A child that a session without the library has made: shown, not for releases, and repaired.
INSERT INTO pg_inherits VALUES ('open'::regclass, 'parent'::regclass, 1, false);
COMMENT ON TABLE open IS 'changed';
ALTER TABLE open ALTER a SET STATISTICS 10;
SELECT * FROM state WHERE problem IS NOT NULL;
SET client_min_messages = error;
SELECT dpriv.protect('parent', 'row');
RESET client_min_messages;
SELECT * FROM state WHERE relation = 'open'::regclass;
DELETE FROM pg_inherits WHERE inhrelid = 'open'::regclass;
ALTER TABLE open ALTER a SET STATISTICS -1;
SELECT dpriv.unprotect('open');

-- What leaves stays protected, by itself.
ALTER TABLE part DETACH PARTITION part1;
ALTER TABLE child NO INHERIT parent;
SELECT * FROM state WHERE relation::text ~ '^(part1|child2?$)';
-- And goes where others are trusted.
CREATE TABLE parent2 (a int);
SET client_min_messages = error;
SELECT dpriv.protect('parent2', 'row');
RESET client_min_messages;
SELECT dpriv.trust('parent2', 'protect_ana');
ALTER TABLE child INHERIT parent2;
SELECT * FROM state WHERE relation::text ~ '^(parent2|child2?$)';
-- It is a part of one protected relation only, also if a session without the library has given it another parent.
\pset format unaligned
\pset tuples_only on
SELECT refusal('ALTER TABLE child2 INHERIT parent');
SELECT refusal('CREATE TABLE both_parents () INHERITS (child2, parent)');
INSERT INTO pg_inherits VALUES ('child2'::regclass, 'parent'::regclass, 2, false);
SELECT refusal($$SELECT dpriv.unprotect('parent2')$$);
SELECT refusal($$SELECT dpriv.protect('parent', 'row')$$);
DELETE FROM pg_inherits WHERE inhrelid = 'child2'::regclass AND inhparent = 'parent'::regclass;
-- Several ways to the same one do no harm, until they would lead to two.
CREATE TABLE beside () INHERITS (parent2);
ALTER TABLE child2 INHERIT beside;
SELECT refusal('ALTER TABLE beside NO INHERIT parent2');
SELECT refusal('ALTER TABLE child NO INHERIT parent2');
ALTER TABLE child2 NO INHERIT beside;
DROP TABLE beside;
\pset tuples_only off
\pset format aligned
SELECT dpriv.unprotect('parent2');
SELECT * FROM state WHERE relation::text ~ '^(parent2|child2?$)';
SELECT dpriv.unprotect('parent'), dpriv.unprotect('part'), dpriv.unprotect('part1');
SELECT * FROM state;
SELECT relname FROM security WHERE enabled OR policies IS NOT NULL;

-- ---- Gaps ----

GRANT INSERT, DELETE ON adult TO protect_app;
GRANT UPDATE (age) ON adult TO protect_ana;
CREATE ROLE protect_bypass BYPASSRLS;
CREATE ROLE protect_stream REPLICATION;
CREATE ROLE protect_files IN ROLE pg_read_server_files;
GRANT SELECT ON v TO PUBLIC;
GRANT SELECT ON m TO protect_ana, protect_app;
CREATE VIEW invoker WITH (security_invoker) AS SELECT * FROM adult;
CREATE VIEW over_invoker AS SELECT * FROM invoker;
CREATE VIEW nobodys AS SELECT * FROM adult;
-- Released values only, and views that are not made of them alone.
CREATE VIEW released AS SELECT dp_count(adult, 0.5), 2 * dp_sum_clipped(age, 0, 90, 0.5) AS twice FROM adult WHERE age > 30 HAVING dp_count(adult, 0.5) > 0;
CREATE VIEW over_released AS SELECT * FROM released;
CREATE VIEW released_of_view AS SELECT dp_count(nobodys, 0.5) FROM nobodys;
CREATE MATERIALIZED VIEW released_m AS SELECT age > 30 AS older, dp_count(adult, 0.5) AS n FROM adult GROUP BY age > 30;
CREATE VIEW not_released_keys AS SELECT age, dp_count(adult, 0.5) FROM adult GROUP BY age;
CREATE VIEW not_released_half AS SELECT dp_count(adult, 0.5), count(*) FROM adult;
CREATE VIEW not_released_having AS SELECT dp_count(adult, 0.5) FROM adult HAVING count(*) > 5;
CREATE VIEW not_released_below AS SELECT s.n FROM (SELECT age, dp_count(adult, 0.5) AS n FROM adult GROUP BY age) AS s;
CREATE VIEW not_released_beside AS SELECT dp_count(adult, 0.5), (SELECT max(age) FROM adult) FROM adult;
CREATE VIEW not_released_folded AS SELECT CASE WHEN false THEN dp_count(adult, 0.5) END FROM adult;
-- What a view shows is not what a rule for its changes does, whose name may come first.
CREATE VIEW not_released_rule AS SELECT age FROM adult;
CREATE RULE "A" AS ON INSERT TO not_released_rule DO INSTEAD SELECT dp_count(adult, 0.5) FROM adult;
CREATE RULE "A" AS ON INSERT TO released DO INSTEAD NOTHING;
SELECT relname, dpriv.releases_only(oid) FROM pg_class WHERE relname ~ 'released|^nobodys$|^adult$' ORDER BY relname COLLATE "C";
SELECT dpriv.releases_only(1);
GRANT SELECT ON released, over_released, released_of_view, released_m, not_released_keys, not_released_half, not_released_having, not_released_below,
	not_released_beside, not_released_folded, not_released_rule TO protect_ana;
SET ROLE protect_ana;
CREATE VIEW anas_view AS SELECT * FROM adult;
CREATE TABLE anas_keys (id int);
RESET ROLE;
GRANT SELECT ON invoker, over_invoker, anas_view TO protect_ana;
CREATE FUNCTION definer() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT count(*) FROM Adult); END';
CREATE FUNCTION definer_of_view() RETURNS bigint LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT count(*) FROM nobodys; END;
CREATE FUNCTION definer_of_nobody() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM adult';
REVOKE EXECUTE ON FUNCTION definer_of_nobody() FROM PUBLIC;
CREATE FUNCTION invoked() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM adult';
SET client_min_messages = error;
CREATE PUBLICATION protect_publication FOR TABLE adult;
RESET client_min_messages;
CREATE TABLE keys (id int REFERENCES adult);
CREATE TABLE nobodys_keys (id int REFERENCES adult);
GRANT INSERT ON keys TO protect_app;
CREATE TABLE ages (age int PRIMARY KEY);
CREATE TABLE nobodys_ages (age int PRIMARY KEY);
INSERT INTO ages SELECT DISTINCT age FROM adult;
INSERT INTO nobodys_ages TABLE ages;
ALTER TABLE adult ADD FOREIGN KEY (age) REFERENCES ages, ADD FOREIGN KEY (age) REFERENCES nobodys_ages;
GRANT SELECT, INSERT ON ages TO protect_ana;
GRANT DELETE ON ages TO protect_app;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO protect_ana', current_database()); END $$;
CREATE VIEW risks AS SELECT risk, refused FROM dpriv.protection_risks('adult')
WHERE risk !~ '^role (?!protect_)';
SELECT * FROM risks;
SET client_min_messages = error;
SELECT dpriv.protect('adult', 'row');
RESET client_min_messages;
SELECT dpriv.trust('adult', 'protect_app');
SELECT * FROM risks;
REVOKE ALL ON adult, m FROM protect_ana;
REVOKE ALL ON v FROM PUBLIC;
REVOKE ALL ON over_invoker FROM protect_ana;
DROP MATERIALIZED VIEW released_m;
DROP VIEW over_released, released, released_of_view, not_released_keys, not_released_half, not_released_having, not_released_below, not_released_beside, not_released_folded, not_released_rule;
DROP FUNCTION definer, definer_of_view;
DROP PUBLICATION protect_publication;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO %I', current_database(), session_user); END $$;
REVOKE pg_read_server_files FROM protect_files;
ALTER ROLE protect_bypass NOBYPASSRLS;
ALTER ROLE protect_stream NOREPLICATION;
SELECT * FROM risks;

-- ---- A value that CASE uses for some rows only is bounded: how long that takes would show ----

SET client_min_messages = error;
GRANT SELECT ON adult TO protect_ana;
RESET client_min_messages;
SET dpriv.epsilon = 1;
PREPARE pattern (text) AS SELECT dp_count(CASE age WHEN 42 THEN $1 LIKE '%a%b' END) IS NULL FROM adult;
PREPARE number (numeric) AS SELECT dp_count(CASE age WHEN 42 THEN $1::float8 > 0 END) IS NULL FROM adult;
PREPARE list (int[]) AS SELECT dp_count(CASE age WHEN 42 THEN age = ANY ($1) END) IS NULL FROM adult;
CREATE VIEW calls AS SELECT unnest(ARRAY[
	'pattern (repeat(''a'', 8188))', 'pattern (repeat(''a'', 8189))', 'number (''1e16000'')', 'number (repeat(''9'', 16500)::numeric)',
	'list (array_fill(1, ARRAY[262100]))', 'list (array_fill(1, ARRAY[262144]))', 'list (array_fill(NULL::int, ARRAY[262144]))', 'list (array_fill(NULL::int, ARRAY[262145]))']) AS call;
SET plan_cache_mode = force_custom_plan;
SELECT call, try('protect_ana', 'EXECUTE ' || call) FROM calls;
SET plan_cache_mode = force_generic_plan;
SELECT call, try('protect_ana', 'EXECUTE ' || call) FROM calls;
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET dpriv.epsilon;

-- ---- The extension goes: a table without policies of its own stays closed ----

BEGIN;
SET LOCAL client_min_messages = error;
DROP EXTENSION dpriv;
ROLLBACK;
BEGIN;
SET LOCAL client_min_messages = error;
DROP EXTENSION dpriv CASCADE;
-- No rows, or no plan: but not all of them.
SELECT try('protect_ana', 'SELECT 1 / count(*) FROM adult') IN ('22012', '42501') AS closed;
ROLLBACK;

SET client_min_messages = error;
SELECT dpriv.unprotect('adult');
DROP SCHEMA protect_s, protect_s2 CASCADE;
DROP SERVER protect_server;
DROP FOREIGN DATA WRAPPER protect_fdw;
DROP ROLE protect_member, protect_app, protect_ana, protect_team, protect_owner, protect_bypass, protect_stream, protect_files;
