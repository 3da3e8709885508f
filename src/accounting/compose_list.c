/*
 * compose_list.c
 *	  Optimal composition of mechanisms that differ: exact where it can be, else on a grid.
 *
 * Losses are rounded up to points of a grid, so the epsilon found is never below the true one; the
 * closed forms and the moments of the loss bound it from above.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/compose.h"
#include "accounting/compose_optimal.h"
#include "accounting/decimal.h"
#include "accounting/epsilon.h"
#include "accounting/numeric.h"

/*
 * Work on lists: two buffers for distributions, the mass points of one group of equal epsilons, and
 * the epsilons, sorted.
 */
#define GRID_POINTS (1 << 18)

/* Multiplications per list: some 0.3 s. */
#define BUDGET 3e8

typedef struct Point
{
	int64		offset;			/* in steps of the grid */
	double		mass;
} Point;

typedef struct List
{
	double	   *epsilons;		/* not 0, finite, ascending */
	int			n;
	int			groups;			/* of equal ones */
	double		total;			/* their sum, not below it */
	double		slack;
	double		step;			/* of the grid */
	bool		lattice;		/* is every 2 epsilon a multiple of step? */
	double	   *current;
	double	   *next;
	Point	   *points;
} List;

size_t
dpriv_compose_optimal_list_size(int n)
{
	return GRID_POINTS * (2 * sizeof(double) + sizeof(Point)) + (size_t) n * sizeof(double);
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The number of epsilons equal to the i-th, from there on. */
static int
count_equal(const List *list, int i)
{
	int			n = 1;

	while (i + n < list->n && list->epsilons[i + n] == list->epsilons[i])
		n++;
	return n;
}

/*
 * Kairouz, Oh, Viswanath (2015), theorem 3.5.  With m the mean and v the sum of squares: by
 * Hoeffding, P[loss > m + t] <= e^(-t^2 / 2v), and what counts of it is, beyond m + t, at most its
 * integral, v / t times as much.
 */
static double
closed_form(const List *list)
{
	double		mean = 0.0;
	double		squares = 0.0;
	double		logarithm;

	for (int i = 0; i < list->n; i++)
	{
		mean += list->epsilons[i] * tanh(list->epsilons[i] / 2.0);
		squares += list->epsilons[i] * list->epsilons[i];
	}
	logarithm = Min(-log(list->slack), log(M_E + sqrt(squares) / list->slack));
	return (mean + sqrt(2.0 * squares * logarithm)) * (1.0 + 2.0 * list->n * DPRIV_HALF_ULP) *
		DPRIV_ROUND_UP;
}

/*
 * An epsilon from the moments of the loss, for any order s > 0: since (1 - e^-x) <= e^(s x) s^s /
 * (1 + s)^(1 + s) for x >= 0,
 *
 *	  delta(E) <= E[e^(s loss)] e^(-s E) s^s / (1 + s)^(1 + s)
 *
 * (Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020, proposition
 * 12).
 */
static double
moment_epsilon(const List *list, double s)
{
	double		logarithm = 0.0;	/* of the moment */
	int			n;

	for (int i = 0; i < list->n; i += n)
	{
		double		epsilon = list->epsilons[i];
		double		x = s * epsilon;

		/* ln(p e^x + q e^-x), which is ln(cosh(x) + (p - q) sinh(x)) */
		n = count_equal(list, i);
		if (x < 1.0)
			logarithm += n * log1p(2.0 * sinh(x / 2.0) * sinh(x / 2.0) +
								   tanh(epsilon / 2.0) * sinh(x));
		else
			logarithm += n * (x + log1p(expm1(-2.0 * x) / (1.0 + exp(epsilon))));
	}
	return (logarithm * (1.0 + (list->groups + 16.0) * DPRIV_HALF_ULP) -
			log(list->slack) * (1.0 + 4.0 * DPRIV_HALF_ULP) -
			(s * log1p(1.0 / s) + log1p(s)) * (1.0 - 8.0 * DPRIV_HALF_ULP)) / s * DPRIV_ROUND_UP;
}

/* The least of them, found by narrowing down ln s: a step that goes astray costs accuracy only. */
static double
best_moment_epsilon(const List *list)
{
	const double golden = (sqrt(5.0) - 1.0) / 2.0;
	double		low = log(1e-4);
	double		high = log(1e6);
	double		left = high - golden * (high - low);
	double		right = low + golden * (high - low);
	double		at_left = moment_epsilon(list, exp(left));
	double		at_right = moment_epsilon(list, exp(right));

	while (high - low > 1e-3)
	{
		CHECK_FOR_INTERRUPTS();
		if (at_left < at_right)
		{
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * (high - low);
			at_left = moment_epsilon(list, exp(left));
		}
		else
		{
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * (high - low);
			at_right = moment_epsilon(list, exp(right));
		}
	}
	return Max(Min(at_left, at_right), 0.0);
}

/*
 * The largest step of a lattice that holds every 2 epsilon, or 0 if they are no whole numbers of
 * 1e-12, or outside of the range of the ledger.
 */
static double
lattice_step(const List *list)
{
	int64		divisor = 0;

	for (int i = 0; i < list->n; i += count_equal(list, i))
	{
		DprivEpsilon units;
		int64		left;

		if (!dpriv_epsilon_from_double(list->epsilons[i], &units) || units.noise != units.charge)
			return 0.0;
		left = units.charge;
		while (left != 0)
		{
			int64		rest = divisor % left;

			divisor = left;
			left = rest;
		}
	}
	return 2.0 * dpriv_epsilon_to_double(divisor);
}

/*
 * What convolve() would cost with this step, in multiplications; Infinity if it would need more
 * than GRID_POINTS.  An estimate: by Hoeffding, all but a negligible part of the sum is within
 * sqrt(2 v ln(1 / negligible)) of its mean, v the sum of squares.
 */
static double
convolution_cost(const List *list, double step)
{
	double		logarithm = DPRIV_COMPOSE_TAIL - log(list->slack) + log(2.0 * list->groups);
	double		cost = 0.0;
	double		width = 1.0;	/* in steps */
	double		mean = 0.0;
	double		squares = 0.0;
	double		range = 0.0;
	int			n;

	for (int i = 0; i < list->n; i += n)
	{
		double		epsilon = list->epsilons[i];
		double		spread;
		double		points;

		n = count_equal(list, i);
		mean += n * 2.0 * epsilon / (1.0 + exp(epsilon));
		squares += n * epsilon * epsilon;
		range += n * 2.0 * epsilon;

		spread = 2.0 * sqrt(2.0 * n * logarithm);
		points = Min(Min(n + 1.0, spread) * (list->lattice ? 1.0 : 2.0),
					 Min(2.0 * n, spread) * epsilon / step + 2.0);
		cost += points * width;

		spread = sqrt(2.0 * squares * logarithm);
		width = Min(Min(mean + spread, range), list->total) - Max(mean - spread, 0.0);
		width = width / step + 2.0;
		if (points + width > GRID_POINTS)
			return INFINITY;
	}
	return cost;
}

/* Add mass to one of the last two points, or behind them.  Returns the new number of points. */
static int
add_point(Point *points, int used, int64 offset, double mass)
{
	for (int i = used - 1; i >= Max(used - 2, 0); i--)
	{
		if (points[i].offset == offset)
		{
			points[i].mass += mass;
			return used;
		}
	}
	Assert(used < GRID_POINTS && (used == 0 || points[used - 1].offset < offset));
	points[used].offset = offset;
	points[used].mass = mass;
	return used + 1;
}

/*
 * The losses of n responses with this epsilon: epsilon n - 2 epsilon i, if i of them are false.
 * Returns the number of points, whose offsets ascend, or 0 if there are too many.
 *
 * 2 epsilon i falls between two points of the grid, at r and at step - r from them.  Its mass is
 * divided so that both the mass and its product with e^-loss are kept.  Such a division can only
 * raise the curve, max(0, P - e^E Q) summed over points, since max is convex; and what one
 * response's curve gains, the sum's does not lose.  The error is of second order in the step.
 * ("Connect the dots": Doroshenko et al., 2022.)
 */
static int
group_points(const List *list, double epsilon, int n, DprivLossCurve *curve, double tail)
{
	DprivBinomial binomial;
	Point	   *points = list->points;
	int			used = 0;
	double		log_tail = log(list->slack) + log(tail);
	double		stride = rint(2.0 * epsilon / list->step);

	dpriv_loss_curve_lose(curve, dpriv_binomial_init(&binomial, epsilon, n, log_tail, 0) *
						  ldexp(1.0, curve->shift));
	if (n > 1)
		curve->rise += binomial.error;

	while (binomial.i <= binomial.k)
	{
		double		drop = 2.0 * epsilon * binomial.i;
		double		mass = dpriv_binomial_next(&binomial);
		double		rest;
		double		lower = mass;	/* part of the point below */
		int64		offset;

		/* A loss below zero for the whole list does not matter. */
		if (drop > list->total)
			break;
		if (list->lattice)
		{
			offset = (int64) (stride * (binomial.i - 1.0));
			rest = 0.0;
		}
		else
		{
			rest = fmod(drop, list->step);
			offset = (int64) rint((drop - rest) / list->step);
			lower = mass * (expm1(rest - list->step) / expm1(-list->step));
		}

		if (used > GRID_POINTS - 2)
			return 0;
		used = add_point(points, used, offset, lower);
		if (rest > 0.0)
			used = add_point(points, used, offset + 1,
							 mass * exp(rest - list->step) *
							 (expm1(-rest) / expm1(-list->step)));

		if (binomial.fresh == 0)
		{
			double		left = dpriv_binomial_left(&binomial);

			CHECK_FOR_INTERRUPTS();
			if (left * ldexp(1.0, curve->shift) <= tail * curve->slack)
			{
				dpriv_loss_curve_lose(curve, left * ldexp(1.0, curve->shift));
				break;
			}
		}
	}
	return used;
}

/* Losses are sums of products that add up to the total, and differences to it: round one up. */
static double
round_loss(const List *list, double loss)
{
	return Max(loss + (list->groups + 8.0) * DPRIV_HALF_ULP * list->total, 0.0) * DPRIV_ROUND_UP;
}

/*
 * The epsilon that the distribution of the sum gives, on the grid of list->step: a bound from
 * above, exact on a lattice.  Infinity if the grid is too fine for the buffers.
 *
 * A position on the grid says how far the loss is below its maximum, the sum of epsilons.
 * Positions beyond that have losses below zero and do not matter.
 */
static double
convolve(const List *list)
{
	DprivLossCurve curve;
	double		tail = exp(-DPRIV_COMPOSE_TAIL) / (2.0 * list->groups);
	double	   *from = list->current;
	double	   *to = list->next;
	int64		start = 0;		/* from[start] is the first that counts */
	int64		width = 1;		/* how many do */
	int64		position = 0;	/* of from[start] */
	int64		last = (int64) floor(list->total / list->step);
	double		result;
	int			n;

	dpriv_loss_curve_init(&curve, list->slack);
	curve.fall = -expm1(-list->step);
	curve.rise = 1.0;
	from[0] = ldexp(1.0, curve.shift);

	for (int i = 0; i < list->n; i += n)
	{
		const Point *points = list->points;
		double	   *swap;
		double		lost = 0.0;
		int64		length;
		int			used;

		n = count_equal(list, i);
		used = group_points(list, list->epsilons[i], n, &curve, tail);
		if (used == 0)
			return INFINITY;
		curve.rise += (used + 16.0) * DPRIV_HALF_ULP;

		position += points[0].offset;
		length = Min(width + points[used - 1].offset - points[0].offset, last - position + 1);
		if (length <= 0)
			return 0.0;
		if (length > GRID_POINTS)
			return INFINITY;

		memset(to, 0, length * sizeof(double));
		for (int p = 0; p < used; p++)
		{
			int64		offset = points[p].offset - points[0].offset;
			int64		end = Min(width, length - offset);
			double		mass = points[p].mass;

			for (int64 x = 0; x < end; x++)
				to[offset + x] += mass * from[start + x];
			CHECK_FOR_INTERRUPTS();
		}

		/* Cut off both tails. */
		for (start = 0; start < length - 1 && lost + to[start] <= tail * curve.slack; start++)
			lost += to[start];
		dpriv_loss_curve_lose(&curve, lost);
		lost = 0.0;
		for (; length > start + 1 && lost + to[length - 1] <= tail * curve.slack; length--)
			lost += to[length - 1];
		dpriv_loss_curve_lose(&curve, lost);
		width = length - start;
		position += start;

		swap = from;
		from = to;
		to = swap;
	}

	result = -INFINITY;
	for (int64 x = 0; x < width; x++, position++)
	{
		if (dpriv_loss_curve_step(&curve, from[start + x]))
		{
			result = list->total - position * list->step + dpriv_loss_curve_solve(&curve);
			break;
		}
	}
	if (isinf(result))
		result = list->total - position * list->step + dpriv_loss_curve_solve(&curve);

	return round_loss(list, result);
}

/*
 * The epsilon of all combinations of losses, one by one: exact, for as many as the buffers hold.
 */
typedef struct Atom
{
	double		drop;			/* how far the loss is below its maximum */
	double		mass;
} Atom;

/* How many combinations there are, if that is at most GRID_POINTS; else more. */
static int64
count_atoms(const List *list)
{
	int64		atoms = 1;
	int			n;

	for (int i = 0; i < list->n && atoms <= GRID_POINTS; i += n)
	{
		n = count_equal(list, i);
		atoms *= n + 1;
	}
	return atoms;
}

static double
enumerate(const List *list)
{
	DprivLossCurve curve;
	Atom	   *from = (Atom *) list->points;
	Atom	   *to = (Atom *) list->current;	/* and list->next, behind it */
	int			used = 1;
	double		log_tail = log(list->slack) - DPRIV_COMPOSE_TAIL - log(2.0 * list->groups);
	int			n;

	dpriv_loss_curve_init(&curve, list->slack);
	curve.rise = 1.0 + 16.0 * DPRIV_HALF_ULP * list->groups;
	from[0].drop = 0.0;
	from[0].mass = ldexp(1.0, curve.shift);

	for (int i = 0; i < list->n; i += n)
	{
		DprivBinomial binomial;
		Atom	   *swap;
		int			next = 0;

		n = count_equal(list, i);
		dpriv_loss_curve_lose(&curve,
							  dpriv_binomial_init(&binomial, list->epsilons[i], n, log_tail, 0) *
							  ldexp(1.0, curve.shift));
		if (n > 1)
			curve.rise += binomial.error;
		while (binomial.i <= binomial.k)
		{
			double		drop = 2.0 * list->epsilons[i] * binomial.i;
			double		mass = dpriv_binomial_next(&binomial);

			for (int j = 0; j < used; j++)
			{
				to[next].drop = from[j].drop + drop;
				to[next].mass = from[j].mass * mass;
				if (to[next].drop <= list->total)
					next++;
			}
			CHECK_FOR_INTERRUPTS();
		}
		Assert(next <= GRID_POINTS);
		used = next;
		swap = from;
		from = to;
		to = swap;
	}

	qsort(from, used, sizeof(Atom), compare_doubles);
	for (int j = 0; j < used; j++)
	{
		double		end = j < used - 1 ? from[j + 1].drop : list->total;

		curve.fall = -expm1(from[j].drop - end);
		if (dpriv_loss_curve_step(&curve, from[j].mass))
			return round_loss(list, list->total - from[j].drop + dpriv_loss_curve_solve(&curve));
	}
	return 0.0;
}

/* An upper bound of the optimal epsilon for epsilons that are not all equal, 0 < slack < 1. */
static double
optimal_different(List *list)
{
	double		cost;
	double		result;
	int			exponent;

	/* Nobody needs these, and products of probabilities would underflow. */
	if (list->slack < 1e-250)
		return INFINITY;

	list->lattice = true;
	list->step = lattice_step(list);
	if (list->step > 0.0 && convolution_cost(list, list->step) <= BUDGET)
	{
		result = convolve(list);
		if (!isinf(result))
			return result;
	}

	if (count_atoms(list) <= GRID_POINTS)
		return enumerate(list);

	list->lattice = false;
	list->step = list->total / GRID_POINTS;
	while ((cost = convolution_cost(list, list->step)) > BUDGET)
	{
		if (list->step > list->total)
			return INFINITY;
		list->step *= Min(Max(sqrt(cost / BUDGET), 1.1), 1.5);
		CHECK_FOR_INTERRUPTS();
	}

	/* Ten bits, so that multiples of it are exact. */
	list->step = frexp(list->step, &exponent);
	list->step = ldexp(ceil(list->step * 1024.0) / 1024.0, exponent);

	for (; list->step <= list->total; list->step *= 2.0)
	{
		result = convolve(list);
		if (!isinf(result))
			return result;
	}
	return INFINITY;
}

DprivGuarantee
dpriv_compose_optimal_list(const double *epsilons, const double *deltas, int n, double slack,
						   void *work)
{
	DprivGuarantee result = dpriv_compose_basic_list(epsilons, deltas, n);
	DprivDecimalSum epsilon_sum;
	DprivDecimalSum delta_sum;
	double		log_keep = 0.0;
	List		list;

	Assert(slack >= 0.0 && slack <= 1.0);

	if (n == 0)
		return result;

	list.points = work;
	list.current = (double *) (list.points + GRID_POINTS);
	list.next = list.current + GRID_POINTS;
	list.epsilons = list.next + GRID_POINTS;
	list.n = 0;
	list.groups = 0;
	list.slack = slack;

	dpriv_decimal_sum_init(&epsilon_sum);
	dpriv_decimal_sum_init(&delta_sum);
	dpriv_decimal_sum_add(&delta_sum, slack, 1);
	for (int i = 0; i < n; i++)
	{
		log_keep += log1p(-deltas[i]);
		dpriv_decimal_sum_add(&delta_sum, deltas[i], 1);
		dpriv_decimal_sum_add(&epsilon_sum, epsilons[i], 1);
		if (epsilons[i] > 0.0)
			list.epsilons[list.n++] = epsilons[i];
		CHECK_FOR_INTERRUPTS();
	}
	list.total = dpriv_decimal_sum_up(&epsilon_sum);
	result.delta = dpriv_compose_total_delta(Min(dpriv_decimal_sum_up(&delta_sum), 1.0),
											 log_keep * (1.0 + 2.0 * n * DPRIV_HALF_ULP), slack);

	if (slack == 1.0)
		result.epsilon = 0.0;
	if (slack == 0.0 || slack == 1.0 || list.n == 0 || isinf(list.total))
		return result;

	qsort(list.epsilons, list.n, sizeof(double), compare_doubles);
	for (int i = 0; i < list.n; i += count_equal(&list, i))
		list.groups++;
	if (list.groups == 1)
		result.epsilon = Min(result.epsilon,
							 dpriv_compose_optimal_equal(list.epsilons[0], list.n, slack));
	else if (list.total > 1e-140)	/* below, squares underflow */
	{
		result.epsilon = Min(result.epsilon, closed_form(&list));
		result.epsilon = Min(result.epsilon, best_moment_epsilon(&list));
		result.epsilon = Min(result.epsilon, optimal_different(&list));
	}
	return result;
}
