/*
 * pld.c
 *	  What mechanisms cost together, by the distribution of their privacy loss.
 *
 * Lists of mechanisms, and what of them needs no lattice: Gaussians are one Gaussian, pure
 * mechanisms cost at most their sum.  The rest goes to pld_solve.c.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/decimal.h"
#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "accounting/pld_problem.h"
#include "common/int.h"

#define ROUNDING (DBL_EPSILON / 2.0)

/* Noise that is too small for its density to be looked at; see simplify(). */
#define LEAST_MULTIPLIER (1.0 / 40.0)
#define GREATEST_LAPLACE 1e4
#define GREATEST_GAUSSIAN 50.0

const char *
dpriv_pld_kind_name(DprivPldKind kind)
{
	static const char *const names[DPRIV_PLD_KINDS] = {
		"gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "randomized_response",
		"approximate", "sampled_gaussian", "sampled_laplace"
	};

	return names[kind];
}

/*
 * Sampling everybody is not sampling.  Where there is hardly noise sampling hardly helps, and a
 * Laplace loss is hardly ever inside of its range: there the worse mechanism stands in.
 */
static DprivPldMechanism
simplify(DprivPldMechanism mechanism)
{
	double	   *parameters = mechanism.parameters;

	if (mechanism.kind == DPRIV_PLD_SAMPLED_GAUSSIAN &&
		(parameters[0] == 1.0 || parameters[1] < LEAST_MULTIPLIER))
	{
		mechanism.kind = DPRIV_PLD_GAUSSIAN;
		parameters[0] = 1.0;
	}
	if (mechanism.kind == DPRIV_PLD_SAMPLED_LAPLACE &&
		(parameters[0] == 1.0 || parameters[1] > GREATEST_LAPLACE))
	{
		mechanism.kind = DPRIV_PLD_LAPLACE;
		parameters[0] = parameters[1];
		parameters[1] = 0.0;
	}
	if (mechanism.kind == DPRIV_PLD_LAPLACE && parameters[0] > GREATEST_LAPLACE)
	{
		mechanism.kind = DPRIV_PLD_APPROXIMATE;
		parameters[1] = 0.0;
	}
	return mechanism;
}

/* Is its result the same whatever the data? */
static bool
does_nothing(const DprivPldMechanism *mechanism)
{
	double		first = mechanism->parameters[0];
	double		second = mechanism->parameters[1];

	if (mechanism->count == 0)
		return true;
	switch (mechanism->kind)
	{
		case DPRIV_PLD_GAUSSIAN:
		case DPRIV_PLD_DISCRETE_GAUSSIAN:
		case DPRIV_PLD_SAMPLED_GAUSSIAN:
			return first == 0 || (isinf(second) && !isinf(first));
		case DPRIV_PLD_LAPLACE:
		case DPRIV_PLD_DISCRETE_LAPLACE:
			return first == 0;
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
			return first == 1.0 || second == 1.0;
		case DPRIV_PLD_APPROXIMATE:
			return first == 0 && second == 0;
		case DPRIV_PLD_SAMPLED_LAPLACE:
			return first == 0 || second == 0;
	}
	return false;
}

/* Does it, without further noise, show the data? */
static bool
shows_all(const DprivPldMechanism *mechanism)
{
	double		first = mechanism->parameters[0];
	double		second = mechanism->parameters[1];

	switch (mechanism->kind)
	{
		case DPRIV_PLD_GAUSSIAN:
		case DPRIV_PLD_DISCRETE_GAUSSIAN:
			return isinf(first / second);
		case DPRIV_PLD_LAPLACE:
		case DPRIV_PLD_DISCRETE_LAPLACE:
			return isinf(first);
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
			return isinf((1.0 - first) * second / first);
		case DPRIV_PLD_APPROXIMATE:
			return isinf(first) || second == 1.0;
		case DPRIV_PLD_SAMPLED_GAUSSIAN:
			return second == 0;
		case DPRIV_PLD_SAMPLED_LAPLACE:
			return isinf(second);
	}
	return true;
}

/* The largest loss, if there is no delta at it. */
static double
pure_epsilon(const DprivPldMechanism *mechanism)
{
	const double *parameters = mechanism->parameters;

	switch (mechanism->kind)
	{
		case DPRIV_PLD_LAPLACE:
		case DPRIV_PLD_DISCRETE_LAPLACE:
			return parameters[0];
		case DPRIV_PLD_APPROXIMATE:
			return parameters[1] == 0 ? parameters[0] : INFINITY;
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
			return log1p((1.0 - parameters[0]) * parameters[1] / parameters[0]);
		case DPRIV_PLD_SAMPLED_LAPLACE:

			/* With a row less the loss is at most ln(1 + q (e^eps - 1)); with one more, no more. */
			return parameters[1] < 30.0 ? log1p(parameters[0] * expm1(parameters[1])) :
				Min(parameters[1], parameters[1] + log(parameters[0]) +
					log1p((1.0 - parameters[0]) / parameters[0] * exp(-parameters[1])));
		default:
			return INFINITY;
	}
}

static int
compare_mechanisms(const void *a, const void *b)
{
	const DprivPldMechanism *x = a;
	const DprivPldMechanism *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	for (int i = 0; i < DPRIV_PLD_MAX_PARAMETERS; i++)
	{
		if (x->parameters[i] != y->parameters[i])
			return x->parameters[i] < y->parameters[i] ? -1 : 1;
	}
	return 0;
}

int
dpriv_pld_merge(DprivPldMechanism *mechanisms, int n)
{
	int			used = 0;
	int			gaussians = 0;
	double		squares = 0.0;

	for (int i = 0; i < n; i++)
	{
		if (!does_nothing(&mechanisms[i]))
			mechanisms[used++] = simplify(mechanisms[i]);
	}
	n = used;
	used = 0;
	qsort(mechanisms, n, sizeof(DprivPldMechanism), compare_mechanisms);
	for (int i = 0; i < n && mechanisms[i].kind == DPRIV_PLD_GAUSSIAN; i++)
	{
		double		mu = mechanisms[i].parameters[0] / mechanisms[i].parameters[1];

		squares += (double) mechanisms[i].count * mu * mu;
		gaussians++;
	}
	if (gaussians > 0)
	{
		mechanisms[0].parameters[0] = sqrt(squares) *
			(DPRIV_ROUND_UP + gaussians * ROUNDING);
		mechanisms[0].parameters[1] = 1.0;
		mechanisms[0].count = 1;
		used = 1;
	}
	for (int i = gaussians; i < n; i++)
	{
		if (used > 0 && compare_mechanisms(&mechanisms[used - 1], &mechanisms[i]) == 0)
		{
			int64	   *count = &mechanisms[used - 1].count;

			if (pg_add_s64_overflow(*count, mechanisms[i].count, count))
				*count = PG_INT64_MAX;
		}
		else
			mechanisms[used++] = mechanisms[i];
	}
	return used;
}

/*
 * The sum of the largest losses; infinite if there is no delta at which they hold.
 */
static double
sum_of_pure(const DprivPldMechanism *mechanisms, int n)
{
	DprivDecimalSum sum;

	dpriv_decimal_sum_init(&sum);
	for (int i = 0; i < n; i++)
	{
		double		epsilon = pure_epsilon(&mechanisms[i]);

		if (mechanisms[i].kind == DPRIV_PLD_RANDOMIZED_RESPONSE ||
			mechanisms[i].kind == DPRIV_PLD_SAMPLED_LAPLACE)
			epsilon *= DPRIV_ROUND_UP;
		if (isinf(epsilon))
			return INFINITY;
		dpriv_decimal_sum_add(&sum, epsilon, mechanisms[i].count);
	}
	return dpriv_decimal_sum_up(&sum);
}

/* ln P[the loss is finite], noise apart, of which the tails are finite. */
static double
log_finite_loss(const DprivPldMechanism *mechanisms, int n)
{
	double		log_finite = 0.0;

	for (int i = 0; i < n; i++)
	{
		if (mechanisms[i].kind == DPRIV_PLD_APPROXIMATE)
			log_finite += (double) mechanisms[i].count * log1p(-mechanisms[i].parameters[1]);
	}
	return log_finite;
}

static bool
any_shows_all(const DprivPldMechanism *mechanisms, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (shows_all(&mechanisms[i]))
			return true;
	}
	return false;
}

double
dpriv_pld_epsilon(const DprivPldMechanism *mechanisms, int n, double delta, void *work)
{
	double		pure = sum_of_pure(mechanisms, n);

	Assert(n <= DPRIV_PLD_MAX_MECHANISMS && delta >= 0);
	if (n == 0 || delta >= 1.0)
		return 0.0;
	if (any_shows_all(mechanisms, n))
		return INFINITY;
	if (delta == 0)
		return pure;
	if (mechanisms[0].kind == DPRIV_PLD_GAUSSIAN)
	{
		double		mu = mechanisms[0].parameters[0];

		if (n == 1)
			return dpriv_gaussian_epsilon(mu, 1.0, delta);
		if (mu > GREATEST_GAUSSIAN)
			return (dpriv_gaussian_epsilon(mu, 1.0, 0.5 * delta) +
					dpriv_pld_epsilon(mechanisms + 1, n - 1, 0.5 * delta, work)) * DPRIV_ROUND_UP;
	}
	return Min(dpriv_pld_solve(mechanisms, n, true, delta, work), pure);
}

double
dpriv_pld_delta(const DprivPldMechanism *mechanisms, int n, double epsilon, void *work)
{
	Assert(n <= DPRIV_PLD_MAX_MECHANISMS && epsilon >= 0);
	if (n > 0 && any_shows_all(mechanisms, n))
		return 1.0;
	if (isinf(epsilon))
		return -expm1(log_finite_loss(mechanisms, n)) * DPRIV_ROUND_UP;
	if (sum_of_pure(mechanisms, n) <= epsilon)
		return 0.0;
	if (mechanisms[0].kind == DPRIV_PLD_GAUSSIAN)
	{
		double		mu = mechanisms[0].parameters[0];

		if (n == 1)
			return dpriv_gaussian_delta(mu, 1.0, epsilon);
		if (mu > GREATEST_GAUSSIAN)
		{
			double		rest = Min(sum_of_pure(mechanisms + 1, n - 1), 0.5 * epsilon);

			return Min((dpriv_gaussian_delta(mu, 1.0, epsilon - rest) +
						dpriv_pld_delta(mechanisms + 1, n - 1, rest, work)) * DPRIV_ROUND_UP, 1.0);
		}
	}
	return Min(dpriv_pld_solve(mechanisms, n, false, epsilon, work), 1.0);
}
