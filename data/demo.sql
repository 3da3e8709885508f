-- A short tour: run by `make demo` with psql, after data/adult.sql, as the owner of the data.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset linestyle ascii
\pset border 2

\echo
\echo '1. Two harmless totals give a person away'
\echo
\echo '   How many people in this census earn more than 50,000?  And how many, Karen left out?'
\echo

SELECT count(*) AS n FROM adult WHERE income = '>50K' \gset everyone_
SELECT count(*) AS n FROM adult WHERE income = '>50K' AND name NOT LIKE 'Karen %' \gset others_
SELECT :everyone_n AS "everyone", :others_n AS "without Karen",
	CASE :everyone_n - :others_n WHEN 1 THEN 'Karen earns more than 50,000'
		ELSE 'Karen earns 50,000 or less' END AS "so";

\echo
\echo '   No row was published, and yet her income is known for certain.'
\echo
\echo
\echo '2. The same attack on private counts'
\echo
\echo '   dp_count adds noise made for the privacy parameter epsilon.  The attacker tries five times:'
\echo

SET dpriv.epsilon = 0.5;
PREPARE attack AS
	SELECT everyone.n AS everyone, others.n AS others
	FROM (SELECT dp_count(*) AS n FROM adult WHERE income = '>50K') AS everyone,
		(SELECT dp_count(*) AS n FROM adult WHERE income = '>50K' AND name NOT LIKE 'Karen %') AS others;
EXECUTE attack \gset first_
EXECUTE attack \gset second_
EXECUTE attack \gset third_
EXECUTE attack \gset fourth_
EXECUTE attack \gset fifth_
SELECT everyone, others AS "without Karen", everyone - others AS "difference"
FROM (VALUES (:first_everyone, :first_others), (:second_everyone, :second_others),
	(:third_everyone, :third_others), (:fourth_everyone, :fourth_others),
	(:fifth_everyone, :fifth_others)) AS attempts(everyone, others);

\echo
\echo '   The totals are still useful; the difference no longer says anything about one person.'
\echo '   Every attempt has cost 2 times 0.5 of epsilon.  A budget limits how many there can be.'
\echo
\echo
\echo '3. A private histogram: ages, epsilon = 0.5 for all bins together'
\echo

SELECT lower AS "from", upper AS "to", count AS people, repeat('#', greatest(count, 0)::integer / 25) AS " "
FROM unnest((SELECT dp_histogram(age, ARRAY[17, 25, 35, 45, 55, 65, 91], 0.5) FROM adult));

\echo
\echo
\echo '4. A private average, and how far off it can be expected to be (95 % of the time)'
\echo

SELECT round(dp_avg(age, 17, 90)::numeric, 2) AS "private average age",
	round(dp_error(dp_avg(age, 17, 90))::numeric, 2) AS "give or take"
FROM adult;
SELECT round(avg(age), 2) AS "exact average age, for comparison" FROM adult;
