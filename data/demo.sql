-- A short tour: run by `make demo` with psql, after data/adult.sql, as the owner of the data.

\set QUIET on
\set ON_ERROR_STOP on
\pset footer off
\pset linestyle ascii
\pset border 2

\echo
\echo '1. Two harmless totals give a person away'
\echo
\echo '   Somebody knows that Karen works on a farm and has a doctorate, as nobody else does in this census.'
\echo '   Does she earn more than 50,000?  Two exact totals answer: the farmers who do, with and without doctors.'
\echo

SELECT count(*) AS n FROM adult WHERE occupation = 'Farming-fishing' AND income = '>50K' \gset farmers_
SELECT count(*) AS n FROM adult WHERE occupation = 'Farming-fishing' AND income = '>50K'
	AND education <> 'Doctorate' \gset others_
SELECT :farmers_n AS "farmers", :others_n AS "without doctors",
	CASE :farmers_n - :others_n WHEN 1 THEN 'Karen earns more than 50,000'
		ELSE 'Karen earns 50,000 or less' END AS "so";

\echo
\echo '   No row was published, and yet her income is known for certain.'
\echo
\echo
\echo '2. The same attack on private totals'
\echo
\echo '   dp_count(*) adds random noise, made for the privacy parameter epsilon: the smaller, the more noise.'
\echo '   With epsilon = 0.5 an answer is within 6 of the truth 95 % of the time.  Five attempts:'
\echo

SET dpriv.epsilon = 0.5;
PREPARE attack AS
	SELECT farmers.n AS farmers, others.n AS others
	FROM (SELECT dp_count(*) AS n FROM adult
			WHERE occupation = 'Farming-fishing' AND income = '>50K') AS farmers,
		(SELECT dp_count(*) AS n FROM adult
			WHERE occupation = 'Farming-fishing' AND income = '>50K' AND education <> 'Doctorate') AS others;
EXECUTE attack \gset first_
EXECUTE attack \gset second_
EXECUTE attack \gset third_
EXECUTE attack \gset fourth_
EXECUTE attack \gset fifth_
SELECT farmers, others AS "without doctors", farmers - others AS "difference"
FROM (VALUES (:first_farmers, :first_others), (:second_farmers, :second_others),
	(:third_farmers, :third_others), (:fourth_farmers, :fourth_others),
	(:fifth_farmers, :fifth_others)) AS attempts(farmers, others);

\echo
\echo '   The totals still say roughly how many farmers earn well.  A difference of 1 drowns: each of these could'
\echo '   as well have come from a census without Karen.'
\echo
\echo
\echo '3. A private histogram: ages, epsilon = 0.5 for all bins together'
\echo

SELECT lower AS "from", upper AS "below", count AS people, repeat('#', greatest(count, 0)::integer / 25) AS " "
FROM unnest((SELECT dp_histogram(age, ARRAY[17, 25, 35, 45, 55, 65, 91], 0.5) FROM adult));

\echo
\echo
\echo '4. A private average, with its error, and the exact one to compare'
\echo

SELECT round(average::numeric, 2) AS "average age", round(error::numeric, 2) AS "within (95 % of the time)",
	(SELECT round(avg(age), 2) FROM adult) AS "exact"
FROM (SELECT dp_avg(age, 17, 90) AS average, dp_error(dp_avg(age, 17, 90)) AS error FROM adult) AS release;

\echo
\echo
\echo '5. What it cost'
\echo
\echo '   Noise can be averaged away by asking often enough, so every answer costs its epsilon and the sum counts:'
\echo '   ten totals, the histogram and the average at 0.5 each.'
\echo

SELECT dpriv.session_spent() AS "epsilon spent in this session";

\echo
\echo '   A budget sets the limit.  With 6.5 in all, there is one more answer:'
\echo

SET dpriv.session_budget = 6.5;
SELECT dp_count(*) AS "persons" FROM adult;
\echo
\echo '   The next one is refused:'
\echo
\set ON_ERROR_STOP off
SELECT dp_count(*) AS "persons" FROM adult;
\set ON_ERROR_STOP on
