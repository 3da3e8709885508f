-- Budgets: who may grant them, what they are made of, which of them a charge hits.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

CREATE ROLE budget_owner;
CREATE ROLE budget_other;
CREATE ROLE budget_team;
CREATE ROLE budget_group IN ROLE budget_team;
CREATE ROLE budget_ana LOGIN IN ROLE budget_group;
CREATE ROLE budget_bea LOGIN NOINHERIT IN ROLE budget_group;
CREATE SCHEMA budget_s;
GRANT USAGE ON SCHEMA budget_s TO PUBLIC;
SET search_path = budget_s, public;
CREATE TABLE t AS SELECT i AS id, i % 50 AS age FROM generate_series(1, 300) i;
CREATE TABLE u AS SELECT * FROM t;
ALTER TABLE t OWNER TO budget_owner;
ALTER TABLE u OWNER TO budget_team;
CREATE VIEW v AS SELECT * FROM t;
CREATE SEQUENCE s;
CREATE MATERIALIZED VIEW m AS SELECT * FROM u;
ALTER MATERIALIZED VIEW m OWNER TO budget_team;
CREATE TABLE p (a int) PARTITION BY LIST (a);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (a);
CREATE TABLE p11 PARTITION OF p1 FOR VALUES IN (1);
CREATE TABLE parent (a int);
CREATE TABLE child () INHERITS (parent);
CREATE INDEX t_age ON t (age);
GRANT SELECT ON ALL TABLES IN SCHEMA budget_s TO PUBLIC;

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
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
	hint = PG_EXCEPTION_HINT;
	RETURN statement || E'\n  ' || code || ': ' || message || E'\n  ' || detail || E'\n  ' || hint;
END
$$;
CREATE VIEW what AS SELECT kind, grantee, relation, accountant, epsilon, delta, orders, delta_selection, period,
	lifetime_epsilon, granted_by = current_user AS by_me, revoked, granted_at = changed_at AS untouched
FROM dpriv.budget WHERE kind <> 'mark' ORDER BY relation::text COLLATE "C", kind, grantee::text COLLATE "C";

--
-- Granting
--
SELECT dpriv.grant_budget('budget_ana', 't', 1);
SELECT dpriv.set_cap('t', 5.25, 1e-6, 'zcdp');
SELECT dpriv.grant_budget('budget_ana', 't', 1);
SELECT dpriv.grant_budget('budget_team', NULL, 2, 1e-6, 'rdp(8, 24)', lifetime_epsilon => 3);
SELECT dpriv.set_cap(NULL, 10);
SELECT dpriv.grant_budget('budget_team', NULL, 2, 1e-6, 'rdp(8,24)', lifetime_epsilon => 3);
SELECT dpriv.grant_budget('public', 't', 3, 1e-6, 'rdp', '1 month');
SELECT dpriv.grant_budget('public', 't', 3, 1e-6, 'rdp', '1 month', 0.000000000001);
SELECT dpriv.set_cap('m', 0);
SELECT dpriv.set_cap('p', 1e6, 0.999999, 'basic', '1 second', 1e6);
SELECT dpriv.grant_budget('budget_ana', 'm', 0.1234567890129, 1e-37, period => '1000 years',
	lifetime_epsilon => 0.1234567890129);
SELECT * FROM what;
SELECT relation, kind, array_length(limits, 1) AS limits FROM dpriv.budget WHERE accountant <> 'basic'
	ORDER BY relation::text COLLATE "C", kind;
SELECT count(DISTINCT budget_id), bool_and(budget_id::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$')
FROM dpriv.budget WHERE kind <> 'mark';

-- Several in one statement.
SELECT count(dpriv.grant_budget(r, 'm', 1)) FROM unnest(ARRAY['budget_ana', 'budget_bea', 'budget_ana']) r;
SELECT grantee, epsilon FROM dpriv.budget WHERE relation = 'm'::regclass AND kind = 'role' ORDER BY 1;

-- Again: other terms, the same budget.
SELECT budget_id AS id, granted_at FROM dpriv.budget WHERE relation = 't'::regclass AND grantee = 'budget_ana'::regrole \gset
SELECT dpriv.grant_budget('budget_ana', 't', 7, 1e-5, 'zcdp', '1 day', 70);
SELECT dpriv.revoke_budget('budget_ana', 't');
SELECT dpriv.revoke_budget('budget_ana', 't');
SELECT * FROM what WHERE relation = 't'::regclass AND grantee = 'budget_ana'::regrole;
SELECT dpriv.grant_budget('budget_ana', 't', 1);
SELECT epsilon, accountant, revoked, budget_id = :'id' AS same, granted_at = :'granted_at' AS since_then, changed_at > granted_at AS changed
FROM dpriv.budget WHERE relation = 't'::regclass AND grantee = 'budget_ana'::regrole;

-- A cap goes and comes back.
SELECT dpriv.set_cap('t', NULL);
SELECT epsilon, revoked FROM dpriv.budget WHERE relation = 't'::regclass AND kind = 'cap';
SELECT dpriv.grant_budget('budget_ana', 't', 1);
SELECT dpriv.set_cap(NULL, NULL);
SELECT dpriv.grant_budget('budget_ana', 't', 1);
SELECT dpriv.set_cap(NULL, 10);
SELECT dpriv.set_cap('t', 4);
SELECT epsilon, revoked FROM dpriv.budget WHERE relation = 't'::regclass AND kind = 'cap';

--
-- Mistakes
--
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT dpriv.grant_budget(' || a || ')') FROM unnest(ARRAY[
	'NULL, ''t'', 1', '''nobody'', ''t'', 1', '''PUBLIC'', ''t'', 1', '''"budget_ana"'', ''t'', 1',
	'''budget_ana'', ''t'', NULL', '''budget_ana'', ''t'', 1, NULL', '''budget_ana'', ''t'', 1, 0, NULL',
	'''budget_ana'', ''nothing'', 1', '''budget_ana'', 1, 1',
	'''budget_ana'', ''v'', 1', '''budget_ana'', ''s'', 1', '''budget_ana'', ''t_age'', 1', '''budget_ana'', ''pg_class'', 1',
	'''budget_ana'', ''p1'', 1', '''budget_ana'', ''p11'', 1', '''budget_ana'', ''child'', 1',
	'''budget_ana'', ''t'', -1', '''budget_ana'', ''t'', ''NaN''', '''budget_ana'', ''t'', 1e6 + 1',
	'''budget_ana'', ''t'', 1, -1e-9', '''budget_ana'', ''t'', 1, 1', '''budget_ana'', ''t'', 1, ''NaN''',
	'''budget_ana'', ''t'', 1, accountant => ''zcdp''', '''budget_ana'', ''t'', 1, accountant => ''rdp''',
	'''budget_ana'', ''t'', 1, accountant => ''rdp(8)''',
	'''budget_ana'', ''t'', 1, 1e-6, ''kov''', '''budget_ana'', ''t'', 1, 1e-6, ''Basic''',
	'''budget_ana'', ''t'', 1, 1e-6, ''rdp()''', '''budget_ana'', ''t'', 1, 1e-6, ''rdp(4''',
	'''budget_ana'', ''t'', 1, 1e-6, ''rdp(4;8)''', '''budget_ana'', ''t'', 1, 1e-6, ''rdp(4) ''',
	'''budget_ana'', ''t'', 1, 1e-6, ''rdp(7)''', '''budget_ana'', ''t'', 1, 1e-6, ''rdp(8,8)''',
	'''budget_ana'', ''t'', 1, 1e-6, ''rdp(2,3,6,8,10)''', '''budget_ana'', ''t'', 1, 1e-6, ''rdp(nan)''',
	'''budget_ana'', ''t'', 1, period => ''0''', '''budget_ana'', ''t'', 1, period => ''0.9 seconds''',
	'''budget_ana'', ''t'', 1, period => ''-1 month''', '''budget_ana'', ''t'', 1, period => ''1 month -1 day''',
	'''budget_ana'', ''t'', 1, period => ''1001 years''',
	'''budget_ana'', ''t'', 1, lifetime_epsilon => -0.1', '''budget_ana'', ''t'', 1, lifetime_epsilon => ''Infinity''']) AS a;
SELECT refusal('SELECT dpriv.' || a) FROM unnest(ARRAY[
	'set_cap(''v'', 1)', 'set_cap(''t'', -1)', 'set_cap(''t'', 1, NULL)', 'set_cap(''u'', NULL)', 'set_cap(''p1'', 1)',
	'revoke_budget(NULL, ''t'')', 'revoke_budget(''budget_bea'', ''t'')', 'revoke_budget(''public'', ''u'')',
	'revoke_budget(''budget_ana'', NULL)', 'revoke_budget(''nobody'', ''t'')']) AS a;
\pset format aligned
\pset tuples_only off

-- Several orders are read as they are shown.
SELECT dpriv.set_cap('u', 2, 1e-6, 'rdp(1.5,2,60,480)');
SELECT accountant FROM dpriv.budget_status WHERE relation = 'u'::regclass;
SELECT dpriv.set_cap('u', 2, 1e-6, 'rdp( 1.5 , 480 )');
SELECT accountant FROM dpriv.budget_status WHERE relation = 'u'::regclass;

--
-- Permissions: owners decide on their relations, superusers on all; SET ROLE counts, as for all rights
--
SET ROLE budget_owner;
SELECT dpriv.grant_budget('budget_bea', 't', 2);
SELECT granted_by FROM dpriv.budget;
SELECT grantee, relation, epsilon FROM dpriv.budget_status ORDER BY grantee COLLATE "C";
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT dpriv.' || a) FROM unnest(ARRAY[
	'grant_budget(''budget_ana'', ''u'', 1)', 'grant_budget(''budget_ana'', NULL, 1)', 'set_cap(''u'', 1)', 'set_cap(NULL, 1)',
	'set_cap(''u'', NULL)', 'revoke_budget(''budget_ana'', ''m'')', 'revoke_budget(''budget_team'', NULL)']) AS a;
SELECT refusal(a || ' dpriv.budget' || b) FROM (VALUES ('TABLE', ''), ('DELETE FROM', ''), ('UPDATE', ' SET epsilon = 1000'),
	('INSERT INTO', ' TABLE dpriv.budget'), ('TRUNCATE', '')) AS x(a, b);
SET ROLE budget_ana;
SELECT refusal('SELECT dpriv.' || a) FROM unnest(ARRAY[
	'grant_budget(''budget_ana'', ''t'', 1)', 'revoke_budget(''budget_ana'', ''t'')', 'set_cap(''t'', NULL)']) AS a;
RESET ROLE;
GRANT ALL ON dpriv.budget TO budget_owner;
SET ROLE budget_owner;
SELECT refusal(a || ' dpriv.budget' || b) FROM (VALUES ('DELETE FROM', ''), ('UPDATE', ' SET epsilon = 1000'),
	('INSERT INTO', ' TABLE dpriv.budget'), ('TRUNCATE', '')) AS x(a, b);
RESET ROLE;
REVOKE ALL ON dpriv.budget FROM budget_owner;
\pset format aligned
\pset tuples_only off
SELECT granted_by FROM dpriv.budget WHERE grantee = 'budget_bea'::regrole AND relation = 't'::regclass;

-- Members of the owner are owners, too.
GRANT budget_owner TO budget_other;
SET ROLE budget_other;
SELECT dpriv.grant_budget('budget_bea', 't', 2.5);
SELECT grantee, epsilon FROM dpriv.budget_status WHERE grantee = 'budget_bea';
RESET ROLE;
REVOKE budget_owner FROM budget_other;

-- Read-only transactions read.
BEGIN READ ONLY;
SELECT count(*) FROM dpriv.budget_status;
SAVEPOINT s;
SELECT dpriv.grant_budget('budget_bea', 't', 3);
ROLLBACK TO s;
SELECT dpriv.revoke_budget('budget_bea', 't');
ROLLBACK TO s;
SELECT dpriv.set_cap('t', NULL);
ROLLBACK;

-- Grants are part of their transaction.
BEGIN;
SELECT dpriv.grant_budget('budget_bea', 't', 4);
SELECT epsilon FROM dpriv.budget_status WHERE grantee = 'budget_bea' AND relation = 't'::regclass;
ROLLBACK;
SELECT epsilon FROM dpriv.budget_status WHERE grantee = 'budget_bea' AND relation = 't'::regclass;

--
-- What applies, and what is charged
--
SELECT dpriv.grant_budget('budget_group', 'u', 1, lifetime_epsilon => 1.5);
SELECT dpriv.grant_budget('public', 't', 3, 1e-6, 'rdp', '100 years', 30);
SELECT dpriv.grant_budget('budget_ana', 't', 1);
\set columns 'grantee, relation, accountant, epsilon, delta, round(spent_epsilon::numeric, 9) AS spent_epsilon, spent_delta, round(remaining_epsilon::numeric, 9) AS remaining, round(reported_epsilon::numeric, 9) AS reported, charges, resets_at IS NULL AS never_resets, period, lifetime_epsilon AS lifetime, lifetime_spent, revoked'
SET SESSION AUTHORIZATION budget_ana;
SELECT :columns FROM dpriv.my_budget ORDER BY relation::text COLLATE "C", grantee COLLATE "C";
SELECT count(*) FROM dpriv.budget_status;
SELECT dp_count(t, 0.25) IS NOT NULL AS answered FROM t;
SELECT dp_sum_clipped(age, 0, 50, 0.25, 1e-7) IS NOT NULL AS answered FROM t;
SELECT dp_count(u, 0.5) IS NOT NULL AS answered FROM u;
SELECT :columns FROM dpriv.my_budget ORDER BY relation::text COLLATE "C", grantee COLLATE "C";

-- Members of a group share its budget, whether they inherit its rights or not.
SET SESSION AUTHORIZATION budget_bea;
SELECT grantee, relation, spent_epsilon, remaining_epsilon, charges FROM dpriv.my_budget
	WHERE relation = 'u'::regclass AND grantee IS NOT NULL;
SELECT dp_count(u, 0.5) IS NOT NULL AS answered FROM u;
SELECT dp_count(u, 0.000001) FROM u;
SET ROLE budget_team;
SELECT dp_count(u, 0.000001) FROM u;
SELECT grantee, relation, spent_epsilon, remaining_epsilon, charges FROM dpriv.my_budget
	WHERE relation = 'u'::regclass AND grantee IS NOT NULL;
RESET ROLE;

-- Neither search_path nor temporary tables of the same names change what counts.
CREATE TEMP TABLE budget (budget_id uuid, kind text, grantee regrole, relation regclass);
SET search_path = pg_temp;
SELECT public.dp_count(u, 0.000001) FROM budget_s.u;
SET search_path = '';
SELECT public.dp_count(u, 0.000001) FROM budget_s.u;
SELECT count(*) FROM dpriv.my_budget;
DROP TABLE pg_temp.budget;

-- More, and the lifetime is what is left of it.  Spent is spent, whatever the terms are.
RESET SESSION AUTHORIZATION;
SET search_path = budget_s, public;
SELECT dpriv.grant_budget('budget_group', 'u', 2, lifetime_epsilon => 1.5);
SELECT :columns FROM dpriv.budget_status WHERE grantee = 'budget_group';
SELECT dpriv.grant_budget('budget_group', 'u', 0.75);
SELECT spent_epsilon, remaining_epsilon FROM dpriv.budget_status WHERE grantee = 'budget_group';
SELECT dpriv.revoke_budget('budget_group', 'u');
SELECT spent_epsilon, remaining_epsilon, revoked FROM dpriv.budget_status WHERE grantee = 'budget_group';

--
-- Periods
--
SELECT dpriv.grant_budget('budget_team', NULL, 100), dpriv.set_cap(NULL, 1000);
CREATE TABLE w (a int);
GRANT SELECT ON w TO PUBLIC;
SELECT dpriv.set_cap('w', 0.5, period => '1 second', lifetime_epsilon => 0.75);
SET SESSION AUTHORIZATION budget_ana;
SELECT dp_count(w, 0.5) IS NOT NULL AS answered FROM w;
SELECT pg_sleep(1.1);
SELECT spent_epsilon, remaining_epsilon, lifetime_spent, charges,
	resets_at > clock_timestamp() - interval '0.5 seconds' AND resets_at <= clock_timestamp() + interval '1 second' AS soon
FROM dpriv.my_budget WHERE relation = 'w'::regclass;
SELECT dp_count(w, 0.5) FROM w;
SELECT dp_count(w, 0.25) IS NOT NULL AS answered FROM w;
RESET SESSION AUTHORIZATION;

-- They end at multiples of the period after the first grant, in UTC, wherever the session is: the end of a month
-- stays there, and a change to summer time moves nothing.  What lies before the first grant is in the first.
SET client_min_messages = error;
SET timezone = 'America/New_York';
CREATE FUNCTION next_period(granted timestamptz, length interval, OUT resets timestamptz, OUT expected timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
	start timestamp := granted AT TIME ZONE 'UTC';
	k bigint := greatest(extract(epoch FROM now() - granted) / extract(epoch FROM length) - 20, 0);
BEGIN
	PERFORM dpriv.set_cap('w', 1, period => length);
	UPDATE dpriv.budget SET granted_at = granted WHERE relation = 'w'::regclass;
	SELECT resets_at INTO resets FROM dpriv.budget_status WHERE relation = 'w'::regclass;
	LOOP
		expected := (start + k * length) AT TIME ZONE 'UTC';
		EXIT WHEN expected > now() AND k > 0;
		k := k + 1;
	END LOOP;
END
$$;
SELECT length, granted AT TIME ZONE 'UTC' AS granted, resets - expected AS off
FROM unnest(ARRAY['2024-01-31 23:30 UTC', '2000-02-29 UTC', '2020-12-31 23:59:59.999999 UTC', '2200-01-01 UTC']::timestamptz[])
		AS granted,
	unnest(ARRAY['1 month', '1 year', '1 day', '7 hours', '1 month 1 day', '13 days 00:00:01', '1000 years']::interval[]) AS length,
	next_period(granted, length)
ORDER BY 1, 2;
RESET timezone;
DROP TABLE w;
RESET client_min_messages;

--
-- Children: what is charged to one counts for its ancestors, and what is charged to a parent for its
-- descendants
--
SET client_min_messages = error;
SELECT dpriv.grant_budget('budget_ana', 'p', 1);
ALTER TABLE child NO INHERIT parent;
SELECT dpriv.grant_budget('budget_ana', 'child', 1), dpriv.grant_budget('budget_ana', 'parent', 5);
ALTER TABLE child INHERIT parent;
RESET client_min_messages;
SELECT dpriv.revoke_budget('budget_ana', 'child');
SELECT refusal('SELECT dpriv.grant_budget(''budget_ana'', ''child'', 1)');
SET SESSION AUTHORIZATION budget_ana;
SELECT dp_count(p11, 0.25) IS NOT NULL AS answered FROM p11;
SELECT dp_count(p, 0.5) IS NOT NULL AS answered FROM p;
SELECT dp_count(p1, 0.5) FROM p1;
SELECT dp_count(x, 1) IS NOT NULL AS answered FROM parent x;
SELECT relation, spent_epsilon, remaining_epsilon, charges, revoked FROM dpriv.my_budget
	WHERE grantee = 'budget_ana' AND relation IN ('p'::regclass, 'parent'::regclass, 'child'::regclass) ORDER BY relation::text COLLATE "C";
RESET SESSION AUTHORIZATION;

--
-- Membership: what counts is what it is when the charge is made
--
GRANT budget_other TO budget_bea;
SET client_min_messages = error;
SELECT dpriv.grant_budget('budget_other', 'm', 0.5), dpriv.grant_budget('budget_bea', 'm', 5);
SELECT dpriv.set_cap('m', 100);
RESET client_min_messages;
SET SESSION AUTHORIZATION budget_bea;
SELECT dp_count(m, 0.5) IS NOT NULL AS answered FROM m;
SELECT dp_count(m, 0.5) FROM m;
RESET SESSION AUTHORIZATION;
REVOKE budget_other FROM budget_bea;
SET SESSION AUTHORIZATION budget_bea;
SELECT dp_count(m, 0.5) IS NOT NULL AS answered FROM m;
SELECT grantee, spent_epsilon FROM dpriv.my_budget WHERE relation = 'm'::regclass ORDER BY grantee COLLATE "C";
-- Also in a transaction that has an older snapshot.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT dp_count(m, 0.5) IS NOT NULL AS answered FROM m;
COMMIT;
RESET SESSION AUTHORIZATION;

-- The owner of the database is a member of pg_database_owner.
BEGIN;
SET LOCAL client_min_messages = error;
SELECT dpriv.grant_budget('pg_database_owner', 'm', 0.125), dpriv.grant_budget('budget_other', 'm', 50);
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO budget_other', current_database()); END $$;
SET LOCAL SESSION AUTHORIZATION budget_other;
SELECT dp_count(m, 0.25) FROM m;
ROLLBACK;

--
-- Names change, what they name stays
--
ALTER ROLE budget_bea RENAME TO budget_beate;
ALTER TABLE m RENAME TO n;
ALTER SCHEMA budget_s RENAME TO "budget S";
SET search_path = "budget S", public;
SELECT grantee, relation, spent_epsilon FROM dpriv.budget_status WHERE grantee = 'budget_beate' ORDER BY relation::text COLLATE "C";
SELECT refusal('SELECT dpriv.revoke_budget(''public'', ''n'')');
ALTER SCHEMA "budget S" RENAME TO budget_s;
SET search_path = budget_s, public;

--
-- Dropped relations and roles take their budgets along, in their transaction
--
SELECT count(*) AS before FROM dpriv.budget \gset
BEGIN;
DROP MATERIALIZED VIEW n;
SELECT count(*) = :before - 4 AS gone FROM dpriv.budget;
ROLLBACK;
SELECT count(*) = :before AS back FROM dpriv.budget;
DROP MATERIALIZED VIEW n;
SELECT count(*) - :before AS gone FROM dpriv.budget;
SELECT count(*) AS before FROM dpriv.budget \gset
DROP ROLE budget_group;
SELECT count(*) - :before AS gone FROM dpriv.budget;
CREATE TEMP TABLE x (a int);
SELECT dpriv.set_cap('x', 1);
DROP TABLE x;
DROP TABLE p, parent CASCADE;
SELECT kind, grantee, relation FROM dpriv.budget WHERE kind <> 'mark' ORDER BY relation::text COLLATE "C", kind, grantee::text COLLATE "C";

-- Rows that nobody has taken along are passed over.
SET client_min_messages = error;
ALTER TABLE dpriv.budget DISABLE TRIGGER protect;
UPDATE dpriv.budget SET relation = 4294967295 WHERE relation = 'u'::regclass;
UPDATE dpriv.budget SET grantee = 4294967295 WHERE grantee = 'budget_beate'::regrole;
ALTER TABLE dpriv.budget ENABLE TRIGGER protect;
RESET client_min_messages;
SELECT kind, grantee, relation FROM dpriv.budget WHERE kind <> 'mark' ORDER BY relation::text COLLATE "C", kind, grantee::text COLLATE "C";
SELECT grantee, relation FROM dpriv.budget_status ORDER BY relation::text COLLATE "C", grantee COLLATE "C";
SET SESSION AUTHORIZATION budget_beate;
SELECT grantee, relation FROM dpriv.my_budget ORDER BY relation::text COLLATE "C", grantee COLLATE "C";
SELECT dp_count(u, 0.5) IS NOT NULL AS answered FROM u;
RESET SESSION AUTHORIZATION;

-- Each session's user sees what it has been charged itself, archived or not, and nothing of others; the text of a statement
-- only where it ran it itself: what a SECURITY DEFINER function asks may be made of what its owner sees.
CREATE ROLE budget_one LOGIN;
CREATE ROLE budget_two LOGIN;
CREATE ROLE budget_both;
GRANT budget_both TO budget_one, budget_two;
CREATE TABLE seen (a int);
CREATE VIEW seen_v AS SELECT a FROM seen;
GRANT SELECT ON seen, seen_v TO budget_one, budget_two, budget_both;
SELECT dpriv.set_cap('seen', 50, 1e-6), dpriv.grant_budget('budget_one', 'seen', 5, 1e-6), dpriv.grant_budget('budget_both', 'seen', 50, 1e-6);
CREATE FUNCTION budget_definer() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = budget_s, public
	AS 'BEGIN RETURN (SELECT dp_count(seen, 0.125) IS NOT NULL FROM seen WHERE a < 30); END';
CREATE FUNCTION budget_told(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$BEGIN RAISE NOTICE 'told: %', $1; RETURN true; END$$;
SET SESSION AUTHORIZATION budget_two;
SELECT dp_count(seen, 7) IS NOT NULL AS answered FROM seen WHERE a = 42;
SELECT epsilon, query FROM dpriv.my_charges;
SET SESSION AUTHORIZATION budget_one;
SELECT count(*) FROM dpriv.my_charges;
SELECT dp_count(seen_v, 0.5) IS NOT NULL AS answered FROM seen_v;
RESET SESSION AUTHORIZATION;
SELECT dpriv.archive_ledger('infinity') >= 0 AS archived;
SET SESSION AUTHORIZATION budget_one;
-- What is refused was not charged.
SET dpriv.mechanism = gaussian;
SELECT dp_sum_clipped(a, 0, 9, 0.25, 1e-7) IS NOT NULL AS answered FROM seen;
RESET dpriv.mechanism;
BEGIN;
SELECT dp_median(a, 0, 9, 1) IS NOT NULL AND dp_count(seen, 0.0625) IS NOT NULL AS answered FROM seen;
ROLLBACK;
SELECT budget_definer();
SET ROLE budget_both;
SELECT dp_count(seen, 0.25) IS NOT NULL AS answered FROM seen;
SELECT CASE WHEN "current_role" LIKE 'budget%' THEN "current_role" ELSE 'definer' END AS "current_role", relation_name, mechanism, measures,
	epsilon, delta_basic, delta_approx, round(rho::numeric, 6) AS rho, query
FROM dpriv.my_charges ORDER BY charged_at;
RESET ROLE;
SELECT sum(epsilon) FROM dpriv.my_charges;
SELECT spent_epsilon, charges FROM dpriv.my_budget WHERE grantee = 'budget_one' AND relation = 'seen'::regclass;
-- No condition of the user's comes to others' rows, and no plan counts them.
SELECT sum(epsilon) FROM dpriv.my_charges WHERE budget_told(query) AND epsilon < 1;
EXPLAIN (COSTS OFF) SELECT 1 FROM dpriv.my_charges WHERE epsilon > 6;
SELECT count(*) FROM dpriv.charges;
SELECT count(*) FROM dpriv.ledger;
RESET SESSION AUTHORIZATION;
DROP TABLE seen CASCADE;
DROP ROLE budget_one, budget_two, budget_both;

-- The extension goes and comes back without them.
BEGIN;
SET LOCAL client_min_messages = error;
DROP EXTENSION dpriv CASCADE;
DROP TABLE u;
DROP ROLE budget_beate;
CREATE EXTENSION dpriv;
SELECT count(*) FROM dpriv.budget;
ROLLBACK;

SET client_min_messages = error;
DELETE FROM dpriv.budget WHERE kind <> 'mark';
DROP SCHEMA budget_s CASCADE;
DROP ROLE budget_ana, budget_beate, budget_team, budget_owner, budget_other;
