--
-- Accounting: what its functions refuse, and how they say it.  Their numbers: test/vectors.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- NULL is never a number.
SELECT dpriv.laplace_scale(NULL, 1);
SELECT dpriv.gaussian_sigma(1, 1, 1e-6, NULL);
SELECT dpriv.compose_basic('{1}', NULL);

-- Out of the domain, or not a number.
SELECT dpriv.laplace_scale(1, -1);
SELECT dpriv.laplace_scale(1, 'NaN');
SELECT dpriv.gaussian_delta(1, 1, '-Infinity');
SELECT dpriv.rdp_laplace(1, 0.5);
SELECT dpriv.epsilon_for(10, 1, 95);
SELECT dpriv.compose_basic(0.1, 0, -1);
SELECT dpriv.compose_advanced(0.1, 0, 1000000000001, 1e-6, 'optimal');
SELECT dpriv.rdp_discrete_laplace(1, 0, 2);
SELECT dpriv.rdp_randomized_response(0.5, 0, 2);
SELECT dpriv.selection_threshold(1, 1e-6, 0);

-- Arguments in the wrong order that would buy no noise at all.
SELECT dpriv.gaussian_sigma(1, 1e-6, 1);
SELECT dpriv.selection_threshold(1e-6, 1);
SELECT dpriv.selection_threshold_continuous(1e-6, 1);
SELECT dpriv.dpsgd_noise_multiplier(1e-5, 1, 0.01, 1000);

-- A rate that is 0 because its author divided integers.
SELECT dpriv.dpsgd_epsilon(1.1, 256 / 60000, 14062, 1e-5);
SELECT dpriv.dpsgd_noise_multiplier(1, 1e-5, 256 / 60000, 14062);

-- Words that are not known.
SELECT dpriv.gaussian_sigma(1, 1, 1e-6, 'exact');
SELECT dpriv.dpsgd_epsilon(1.1, 0.01, 100, 1e-5, 'zcdp');
SELECT dpriv.pld_epsilon(ARRAY[('cauchy', '{1}', 1)]::dpriv.mechanism[], 1e-6);

-- A mechanism without its parameters, or with an impossible one; too many of them.
SELECT dpriv.pld_epsilon(ARRAY[('gaussian', '{1}', 1)]::dpriv.mechanism[], 1e-6);
SELECT dpriv.pld_delta(ARRAY[('discrete_laplace', '{1,1.5}', 1)]::dpriv.mechanism[], 1);
SELECT dpriv.pld_delta(ARRAY[('laplace', '{1}', -1)]::dpriv.mechanism[], 1);
SELECT dpriv.pld_delta(ARRAY[('laplace', '{1}', NULL)]::dpriv.mechanism[], 1);
SELECT dpriv.pld_delta(ARRAY[NULL]::dpriv.mechanism[], 1);
SELECT dpriv.pld_epsilon(array_agg(('laplace', ARRAY[i], 1)::dpriv.mechanism), 1e-6) FROM generate_series(1, 501) AS i;

-- What a theorem does not cover.
SELECT dpriv.gaussian_sigma(1, 1, 1e-6, 'classic');
SELECT dpriv.compose_advanced(3, 0, 100, 1e-6, 'book');
SELECT dpriv.gaussian_sigma(1.5, 1, 1e-6, 'discrete');
SELECT dpriv.epsilon_for(10, 1, 0.95, 'gaussian');

-- Arrays: one dimension, no NULLs, equal lengths; the lower bound does not matter.
SELECT dpriv.compose_basic('{{1}}', '{0}');
SELECT dpriv.compose_basic('{1,NULL}', '{0,0}');
SELECT dpriv.compose_basic('{1,2}', '{0}');
SELECT dpriv.compose_basic('{1,-2}', '{0,0}');
SELECT dpriv.rdp_epsilon('{2,0.5}', '{1,1}', 1e-6);
SELECT dpriv.compose_basic(array_agg(1.0::float8), array_agg(0.0::float8)) FROM generate_series(1, 1000001);
SELECT dpriv.compose_basic('[5:6]={0.1,0.2}', '[0:1]={0,1e-6}');

-- Empty lists: nothing was done, and nothing is known.
SELECT dpriv.compose_basic('{}', '{}'), dpriv.compose_kov('{}', '{}', 0), dpriv.rdp_epsilon('{}', '{}', 1e-6),
	dpriv.rdp_delta('{}', '{}', 1);

-- Sums are sums of the decimals that were written.
SELECT dpriv.compose_basic(0.1, 1e-6, 3), dpriv.compose_basic(array_fill(0.1::float8, '{10}'),
	array_fill(1e-6::float8, '{10}'));

-- All may run in parallel workers and in indexes, and none lets a NULL pass.
SELECT count(*) FROM pg_proc WHERE prosrc LIKE 'dpriv\_sql\_%' AND NOT (provolatile = 'i' AND proparallel = 's'
	AND NOT proisstrict);

-- What a belief can become: known numbers, the ends of all domains, the symmetry of yes and no.
SELECT round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, failure FROM dpriv.posterior(0.5, 1);
SELECT round(lower::numeric, 9) AS lower, round(upper::numeric, 9) AS upper, failure FROM dpriv.posterior(0.25, ln(3));
SELECT round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, round(failure::numeric, 9) AS failure FROM dpriv.posterior(0.5, 0.5, 1e-6);
SELECT prior, epsilon, delta, p.* FROM unnest(ARRAY[0, 0.3, 1], ARRAY[0, 0, 0], ARRAY[0, 1e-6, 0]) AS a(prior, epsilon, delta), dpriv.posterior(prior, epsilon, delta) p;
SELECT prior, p.* FROM unnest(ARRAY[0, 0.3, 1]) AS a(prior), dpriv.posterior(prior, 'Infinity', 1e-6) p;
SELECT count(*) FILTER (WHERE p.lower <= prior AND prior <= p.upper AND abs(p.lower - (1 - q.upper)) < 1e-12
		AND p.lower / (1 - p.lower) <= prior / (1 - prior) * exp(-epsilon) AND p.upper / (1 - p.upper) >= prior / (1 - prior) * exp(epsilon) * (1 - 1e-12)) AS consistent
FROM unnest(ARRAY[0.001, 0.2, 0.5, 0.77, 0.999]) prior, unnest(ARRAY[1e-6, 0.1, 1, 5]) epsilon,
	dpriv.posterior(prior, epsilon) p, LATERAL (SELECT upper FROM dpriv.posterior(1 - prior, epsilon)) AS q(upper);
-- Gaussian noise of the least deviation s for (epsilon, delta): the loss exceeds 2 epsilon with probability P[Z > 2 epsilon s - 1 / (2 s)] =
-- gaussian_delta(...) there, which is larger by what P - e^epsilon Q leaves out.  Both sides together are within failure.
SELECT epsilon, delta, dpriv.gaussian_delta(1, dpriv.gaussian_sigma(1, epsilon, delta), 2 * epsilon) <= failure AS holds
FROM unnest(ARRAY[0.1, 1, 3]) epsilon, unnest(ARRAY[1e-3, 1e-6]) delta, dpriv.posterior(0.5, epsilon, delta);
SELECT dpriv.posterior(NULL, 1);
SELECT dpriv.posterior(1.5, 1);
SELECT dpriv.posterior(0.5, -1);
SELECT dpriv.posterior(0.5, 1, 2);
