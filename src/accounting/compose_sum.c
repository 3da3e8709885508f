/*
 * compose_sum.c
 *	  The distribution of the sum of losses of mechanisms that differ.
 *
 * Losses are rounded up to points of a grid, or are all exact, so the epsilon found is never below
 * the true one.
 */
#include "server.h"

#include <math.h>

#include "accounting/compose_list.h"
#include "accounting/compose_optimal.h"
#include "accounting/epsilon.h"
#include "accounting/numeric.h"

/* Multiplications per list: some 0.3 s. */
#define BUDGET 3e8

/*
 * The largest step of a lattice that holds every 2 epsilon, or 0 if they are no whole numbers of
 * 1e-12, or outside of the range of the ledger.
 */
static double
lattice_step(const DprivList *list)
{
	int64		divisor = 0;

	for (int i = 0; i < list->n; i += dpriv_list_equal(list, i))
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
 * than DPRIV_LIST_POINTS.  An estimate: by Hoeffding, all but a negligible part of the sum is
 * within sqrt(2 v ln(1 / negligible)) of its mean, v the sum of squares.
 */
static double
convolution_cost(const DprivList *list, double step)
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

		n = dpriv_list_equal(list, i);
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
		if (points + width > DPRIV_LIST_POINTS)
			return INFINITY;
	}
	return cost;
}

/* Add mass to one of the last two points, or behind them.  Returns the new number of points. */
static int
add_point(DprivListPoint *points, int used, int64 offset, double mass)
{
	for (int i = used - 1; i >= Max(used - 2, 0); i--)
	{
		if (points[i].offset == offset)
		{
			points[i].mass += mass;
			return used;
		}
	}
	Assert(used < DPRIV_LIST_POINTS && (used == 0 || points[used - 1].offset < offset));
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
group_points(const DprivList *list, double epsilon, int n, DprivLossCurve *curve, double tail)
{
	DprivBinomial binomial;
	DprivListPoint *points = list->points;
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

		if (used > DPRIV_LIST_POINTS - 2)
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
round_loss(const DprivList *list, double loss)
{
	return Max(loss + (list->groups + 8.0) * DPRIV_HALF_ULP * list->total, 0.0) * DPRIV_ROUND_UP;
}

/*
 * The distribution of a sum of losses.  A position on the grid says how far the loss is below its
 * maximum, the sum of epsilons.  Positions beyond that have losses below zero and do not matter.
 */
typedef struct Sum
{
	double	   *mass;			/* mass[start] is the first that counts */
	double	   *spare;			/* as many, unused */
	int64		start;
	int64		width;			/* how many count */
	int64		position;		/* of mass[start] */
} Sum;

/* Each point moves all of the sum, of which the first length positions are kept. */
static void
multiply(Sum *sum, const DprivListPoint *points, int used, int64 length)
{
	const double *from = sum->mass + sum->start;
	double	   *to = sum->spare;

	memset(to, 0, length * sizeof(double));
	for (int p = 0; p < used; p++)
	{
		int64		offset = points[p].offset - points[0].offset;
		int64		end = Min(sum->width, length - offset);
		double		mass = points[p].mass;

		for (int64 x = 0; x < end; x++)
			to[offset + x] += mass * from[x];
		CHECK_FOR_INTERRUPTS();
	}
	sum->spare = sum->mass;
	sum->mass = to;
	sum->start = 0;
	sum->width = length;
}

/* Cut off both tails, of so much mass each at most. */
static void
cut_tails(Sum *sum, DprivLossCurve *curve, double most)
{
	const double *mass = sum->mass;
	int64		start;
	int64		end = sum->width;
	double		lost = 0.0;

	for (start = 0; start < end - 1 && lost + mass[start] <= most; start++)
		lost += mass[start];
	dpriv_loss_curve_lose(curve, lost);
	lost = 0.0;
	for (; end > start + 1 && lost + mass[end - 1] <= most; end--)
		lost += mass[end - 1];
	dpriv_loss_curve_lose(curve, lost);
	sum->start = start;
	sum->width = end - start;
	sum->position += start;
}

/*
 * The epsilon that the distribution of the sum gives, on the grid of list->step: a bound from
 * above, exact on a lattice.  Infinity if the grid is too fine for the buffers.
 */
static double
convolve(const DprivList *list)
{
	DprivLossCurve curve;
	double		tail = exp(-DPRIV_COMPOSE_TAIL) / (2.0 * list->groups);
	Sum			sum = {.mass = list->current, .spare = list->next, .width = 1};
	int64		last = (int64) floor(list->total / list->step);
	int64		x;
	int			n;

	dpriv_loss_curve_init(&curve, list->slack);
	curve.fall = -expm1(-list->step);
	curve.rise = 1.0;
	sum.mass[0] = ldexp(1.0, curve.shift);

	for (int i = 0; i < list->n; i += n)
	{
		const DprivListPoint *points = list->points;
		int64		length;
		int			used;

		n = dpriv_list_equal(list, i);
		used = group_points(list, list->epsilons[i], n, &curve, tail);
		if (used == 0)
			return INFINITY;
		curve.rise += (used + 16.0) * DPRIV_HALF_ULP;

		sum.position += points[0].offset;
		length = Min(sum.width + points[used - 1].offset - points[0].offset,
					 last - sum.position + 1);
		if (length <= 0)
			return 0.0;
		if (length > DPRIV_LIST_POINTS)
			return INFINITY;
		multiply(&sum, points, used, length);
		cut_tails(&sum, &curve, tail * curve.slack);
	}

	for (x = 0; x < sum.width; x++)
		if (dpriv_loss_curve_step(&curve, sum.mass[sum.start + x]))
			break;
	return round_loss(list, list->total - (sum.position + x) * list->step +
					  dpriv_loss_curve_solve(&curve));
}

/*
 * The epsilon of all combinations of losses, one by one: exact, for as many as the buffers hold.
 */
typedef struct Atom
{
	double		drop;			/* how far the loss is below its maximum */
	double		mass;
} Atom;

/* How many combinations there are, if that is at most DPRIV_LIST_POINTS; else more. */
static int64
count_atoms(const DprivList *list)
{
	int64		atoms = 1;
	int			n;

	for (int i = 0; i < list->n && atoms <= DPRIV_LIST_POINTS; i += n)
	{
		n = dpriv_list_equal(list, i);
		atoms *= n + 1;
	}
	return atoms;
}

static double
enumerate(const DprivList *list)
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

		n = dpriv_list_equal(list, i);
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
		Assert(next <= DPRIV_LIST_POINTS);
		used = next;
		swap = from;
		from = to;
		to = swap;
	}

	qsort(from, used, sizeof(Atom), dpriv_compare_doubles);
	for (int j = 0; j < used; j++)
	{
		double		end = j < used - 1 ? from[j + 1].drop : list->total;

		curve.fall = -expm1(from[j].drop - end);
		if (dpriv_loss_curve_step(&curve, from[j].mass))
			return round_loss(list, list->total - from[j].drop + dpriv_loss_curve_solve(&curve));
	}
	return 0.0;
}

double
dpriv_list_sum(DprivList *list)
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

	if (count_atoms(list) <= DPRIV_LIST_POINTS)
		return enumerate(list);

	list->lattice = false;
	list->step = list->total / DPRIV_LIST_POINTS;
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
