--
-- adult.sql
--	  Create and load the example table "adult": 5,000 synthetic persons, see data/README.md.
--
-- Run from the project's root: psql -f data/adult.sql.  Running it again starts afresh.  It replaces
-- only what it created itself, known by the comments below; a table or type of yours with the same
-- name stops it, and nothing has changed.
--
\set ON_ERROR_STOP on

BEGIN;

DO $$
DECLARE
	mine CONSTANT text := 'dpriv example: ';
	found record;
BEGIN
	-- The table before the types that it uses.
	FOR found IN
		SELECT t.typname AS name, t.typrelid <> 0 AS is_table,
			pg_catalog.starts_with(pg_catalog.obj_description(
				CASE WHEN t.typrelid <> 0 THEN t.typrelid ELSE t.oid END,
				CASE WHEN t.typrelid <> 0 THEN 'pg_class' ELSE 'pg_type' END), mine) AS is_mine
		FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE n.nspname = pg_catalog.current_schema()
			AND t.typname IN ('adult', 'adult_sex', 'adult_income')
		ORDER BY t.typname
	LOOP
		IF found.is_mine IS NOT TRUE THEN
			RAISE EXCEPTION '"%" exists already and does not come from the example data', found.name
				USING ERRCODE = 'duplicate_object',
					HINT = 'Rename or drop it, or use another database or schema.';
		END IF;
		EXECUTE pg_catalog.format('DROP %s %I.%I',
			CASE WHEN found.is_table THEN 'TABLE' ELSE 'TYPE' END,
			pg_catalog.current_schema(), found.name);
	END LOOP;
END
$$;

-- Enums, because their labels are public: a private GROUP BY returns every label.
CREATE TYPE adult_sex AS ENUM ('Female', 'Male');
COMMENT ON TYPE adult_sex IS 'dpriv example: sex as the census sample records it';

CREATE TYPE adult_income AS ENUM ('<=50K', '>50K');
COMMENT ON TYPE adult_income IS 'dpriv example: yearly income up to or above 50,000 US dollars';

CREATE TABLE adult (
	id integer PRIMARY KEY,
	name text NOT NULL,
	age integer NOT NULL,
	workclass text NOT NULL,
	education text NOT NULL,
	education_num integer NOT NULL,
	marital_status text NOT NULL,
	occupation text NOT NULL,
	relationship text NOT NULL,
	race text NOT NULL,
	sex adult_sex NOT NULL,
	capital_gain integer NOT NULL,
	capital_loss integer NOT NULL,
	hours_per_week integer NOT NULL,
	native_country text NOT NULL,
	income adult_income NOT NULL
);

COMMENT ON TABLE adult IS
	'dpriv example: synthetic census of 5,000 invented persons, shaped like the UCI Adult data set';
COMMENT ON COLUMN adult.id IS 'Number of the person, from 1';
COMMENT ON COLUMN adult.name IS 'Invented full name, distinct';
COMMENT ON COLUMN adult.age IS 'Age in years, 17 to 90; 90 stands for 90 and above';
COMMENT ON COLUMN adult.workclass IS 'Kind of employer; ? when unknown';
COMMENT ON COLUMN adult.education IS 'Highest level of education';
COMMENT ON COLUMN adult.education_num IS
	'Level of education as a number, 1 (Preschool) to 16 (Doctorate); one to one with education';
COMMENT ON COLUMN adult.marital_status IS 'Marital status';
COMMENT ON COLUMN adult.occupation IS 'Kind of work; ? when unknown or never worked';
COMMENT ON COLUMN adult.relationship IS 'Place in the household';
COMMENT ON COLUMN adult.race IS 'Race as the census sample records it';
COMMENT ON COLUMN adult.sex IS 'Sex as the census sample records it';
COMMENT ON COLUMN adult.capital_gain IS
	'Capital gains in US dollars, 0 for most; 99999 stands for that and above';
COMMENT ON COLUMN adult.capital_loss IS
	'Capital losses in US dollars, 0 for most; nobody has both a gain and a loss';
COMMENT ON COLUMN adult.hours_per_week IS
	'Hours of work per week, 1 to 99; 99 stands for 99 and above';
COMMENT ON COLUMN adult.native_country IS 'Country of birth; ? when unknown';
COMMENT ON COLUMN adult.income IS 'Yearly income, up to or above 50,000 US dollars';

\copy adult FROM 'data/adult.csv' WITH (FORMAT csv, HEADER MATCH)

COMMIT;

ANALYZE adult;
