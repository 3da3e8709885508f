/*
 * pld_moments.c
 *	  Composition by the distribution of the privacy loss: where to look.
 *
 * Rough distributions of all mechanisms give the moments of the loss, and these the tilt, the
 * window and the step of the lattice.  What is chosen here decides how close to the truth the
 * result is, never whether it is a bound.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/numeric.h"
#include "accounting/pld_problem.h"

#define ROUNDING (DBL_EPSILON / 2.0)

/*
 * Transforms have between 2^12 and 2^20 points: as many as the error of the lattice asks for, which
 * is relative from some epsilon on.
 */
#define LEAST_SIZE (1 << 12)
#define LATTICE_ERROR 5e-5
#define RELATIVE_FROM 10.0

/* And up to this, if with fewer not all losses of a mechanism that has few of them are points. */
#define UNIT_SIZE (1 << 16)

/* What is outside of the window may add exp(-WINDOW) delta, about 1e-8, at each end. */
#define WINDOW 18.0

/*
 * How much larger than delta errors of the transform may count, as a logarithm, for the sake of a
 * small window: less the more steps there are.
 */
#define LESS_TILT(steps) Max(Min(log(1e8 / (steps)), 8.0), 0.0)

/* Less than this is not lost in tails: logarithms need digits. */
#define LEAST_TAIL 1e-318

/* What a search by moments is about: a side, and the finite part of the target. */
typedef struct Search
{
	const DprivPldProblem *problem;
	const DprivPldSide *side;
	double		epsilon;
	double		log_delta;
	double		start;			/* of the window */
	double		s;
} Search;

/*
 * ln of the sum of mass exp(t loss), and the mean and the variance of the losses weighted so.  At
 * the largest exponent there is a point, so that the sum does not vanish.
 */
double
dpriv_pld_log_sum(const DprivLattice *lattice, double t, double *mean, double *variance)
{
	const DprivLatticePoint *points = lattice->points;
	double		slope = t * lattice->step;
	double		largest = slope * (double) points[t > 0 ? lattice->n - 1 : 0].index;
	double		sum = 0.0;
	double		first = 0.0;
	double		second = 0.0;

	for (int i = 0; i < lattice->n; i++)
	{
		double		index = (double) points[i].index;
		double		weight = points[i].mass * exp(slope * index - largest);

		sum += weight;
		first += weight * index;
		second += weight * index * index;
	}
	first /= sum;
	*mean = first * lattice->step;
	*variance = Max(second / sum - first * first, 0.0) * lattice->step * lattice->step;
	return largest + log(sum);
}

/*
 * The exponent at the losses of the lattice that tilts one side by s.  With P and Q exchanged the
 * loss is -l with probability mass exp(-l); what is symmetric is not exchanged.
 */
double
dpriv_pld_tilt_of(const DprivPldMechanism *mechanism, const DprivPldSide *side, double s)
{
	return side->back && !dpriv_lattice_symmetric(mechanism) ? -(1.0 + s) : s;
}

/* K(s) by the sketches, its derivative and its second derivative. */
static double
sketched_moment(const DprivPldProblem *problem, const DprivPldSide *side, double s, double *mean,
				double *variance)
{
	double		sum = 0.0;

	*mean = 0.0;
	*variance = 0.0;
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < problem->n; i++)
	{
		double		t = dpriv_pld_tilt_of(&problem->mechanisms[i], side, s);
		double		count = (double) problem->mechanisms[i].count;
		double		m;
		double		v;

		sum += count * dpriv_pld_log_sum(&problem->sketches[i], t, &m, &v);
		*mean += count * m * (t < 0 ? -1.0 : 1.0);
		*variance += count * v;
	}
	return sum;
}

/* The probability that the loss is infinite, by the sketches. */
static double
sketched_infinite(const DprivPldProblem *problem, const DprivPldSide *side)
{
	double		log_finite = 0.0;

	for (int i = 0; i < problem->n; i++)
		log_finite += (double) problem->mechanisms[i].count *
			log1p(-(side->back ? problem->sketches[i].infinite_back :
					problem->sketches[i].infinite));
	return -expm1(log_finite);
}

/* -ln(s^s / (1 + s)^(1 + s)): by it delta is below E[exp(s (loss - epsilon))]. */
double
dpriv_pld_gain(double s)
{
	return s * log1p(1.0 / s) + log1p(s);
}

/* For an exponent s: the epsilon, or the logarithm of delta, that the moment implies. */
static double
moment_bound(double s, const void *argument)
{
	const Search *search = argument;
	double		unused;
	double		log_moment = sketched_moment(search->problem, search->side, s, &unused, &unused);

	if (search->problem->to_epsilon)
		return (log_moment - dpriv_pld_gain(s) - search->log_delta) / s;
	return log_moment - dpriv_pld_gain(s) - s * search->problem->target;
}

/* Where, about, a function that falls and then rises is least.  One of some twenty points. */
static double
rough_minimum(DprivRealFunction function, const void *argument, double start, double least,
			  double greatest)
{
	double		x = start;
	double		at_x = function(x, argument);

	for (double factor = 2.0; factor > 1.1; factor = sqrt(factor))
	{
		for (int direction = -1; direction <= 1; direction += 2)
		{
			double		next;
			double		at_next;

			while ((next = direction < 0 ? x / factor : x * factor) >= least &&
				   next <= greatest && (at_next = function(next, argument)) < at_x)
			{
				x = next;
				at_x = at_next;
			}
		}
	}
	return x;
}

/*
 * How wide the window must be for a tilt by s, as far as another exponent can tell, further away by
 * difference.  What is above start + width would come round, weighted exp(s width) too high:
 *
 *		exp(s width) P[loss > start + width] <= exp(K(t) - t start - (t - s) width).
 */
static double
width_by(double difference, const void *argument)
{
	const Search *search = argument;
	double		t = search->s + difference;
	double		unused;

	return (sketched_moment(search->problem, search->side, t, &unused, &unused) -
			t * search->start + WINDOW - search->log_delta) / difference;
}

/*
 * How wide it must be for a tilt by s.  What is below comes round exp(s width) too low, and all of
 * it may.  Less tilt makes the upper tail of heavy losses lighter, and errors count more.
 */
static double
width_at(double s, const void *argument)
{
	Search		search = *(const Search *) argument;
	double		unused;
	double		amplified = sketched_moment(search.problem, search.side, s, &unused, &unused) -
		dpriv_pld_gain(s) - s * search.epsilon - search.log_delta;
	double		width = (WINDOW - search.log_delta) / s;
	double		difference;

	search.s = s;
	difference = rough_minimum(width_by, &search, s, 1e-2 * s, 1e4 * s);
	width = Max(width, width_by(difference, &search));
	return amplified > LESS_TILT(search.problem->steps) ? width * (2.0 + amplified) : width;
}

/* What moments say, and where to look for more. */
static void
choose_target(const DprivPldProblem *problem, DprivPldSide *side)
{
	Search		search = {problem, side, 0.0, 0.0, 0.0, 0.0};
	double		mean;
	double		variance;
	double		deviation;
	double		start;

	sketched_moment(problem, side, 0.0, &mean, &variance);
	deviation = Max(sqrt(variance), 1e-140);
	start = Max((problem->target - mean) / deviation, 1.0) / deviation;
	side->epsilon = problem->target;
	if (problem->to_epsilon)
	{
		search.log_delta = log(problem->target - sketched_infinite(problem, side));
		if (!(search.log_delta > -INFINITY))
		{
			side->epsilon = INFINITY;
			return;
		}
		start = sqrt(-2.0 * search.log_delta) / deviation;
	}
	side->best = dpriv_minimum(moment_bound, &search, start, 1e-3 / deviation, 1e5 / deviation);
	if (problem->to_epsilon)
	{
		side->epsilon = moment_bound(side->best, &search);
		side->log_delta = search.log_delta;
	}
	else
		side->log_delta = moment_bound(side->best, &search);
}

/* Choose the window, and with it the tilt.  below is 0 if epsilon is known. */
void
dpriv_pld_choose_tilt(const DprivPldProblem *problem, DprivPldSide *side, double below)
{
	Search		search = {problem, side, side->epsilon, side->log_delta, 0.0, 0.0};

	side->start = side->epsilon - below / side->best;
	if (problem->to_epsilon)
		side->start = Max(side->start, Min(side->epsilon, 0.0) - 1e-2 / side->best);
	search.start = side->start;
	side->s = rough_minimum(width_at, &search, side->best, 1e-2 * side->best, side->best);
	side->width = width_at(side->s, &search);
	search.s = side->s;
	side->beyond = side->s +
		rough_minimum(width_by, &search, side->s, 1e-2 * side->s, 1e4 * side->s);
}

/* Rough distributions of all mechanisms, on lattices of their own. */
static void
sketch(DprivPldProblem *problem, DprivLatticePoint *points)
{
	int			cells = DPRIV_PLD_SKETCH_CELLS_FOR(problem->n);

	for (int i = 0; i < problem->n; i++)
	{
		DprivLattice *lattice = &problem->sketches[i];
		double		least;
		double		greatest;

		CHECK_FOR_INTERRUPTS();
		dpriv_lattice_range(&problem->mechanisms[i], problem->tail, &least, &greatest);
		lattice->step = Max(greatest, -least) * 0x1p-30;
		lattice->points = points + (size_t) i * DPRIV_LATTICE_ROOM(cells);
		dpriv_lattice_fill(lattice, &problem->mechanisms[i], problem->tail, cells);
	}
}

/*
 * The step of the lattice and the number of its points.  The losses of one mechanism that has few
 * of them are on it, and if there is room simple fractions of theirs too.
 */
void
dpriv_pld_choose_lattice(DprivPldProblem *problem)
{
	double		width = 0.0;
	double		s = 0.0;
	double		unit = 0.0;
	double		furthest = 0.0;
	double		allowed = LATTICE_ERROR;

	for (int i = 0; i < problem->nsides; i++)
	{
		width = Max(width, problem->sides[i].width);
		s = Max(s, problem->sides[i].best);
	}
	for (int i = 0; i < problem->n; i++)
		furthest = Max(furthest, problem->sketches[i].step * 0x1p30);
	allowed *= Max(1.0, problem->sides[0].epsilon / RELATIVE_FROM);
	for (int i = 0; i < problem->n && unit == 0; i++)
		unit = dpriv_lattice_unit(&problem->mechanisms[i]);
	for (problem->size = LEAST_SIZE; problem->size < DPRIV_PLD_GREATEST_SIZE; problem->size *= 2)
	{
		problem->step = width / (problem->size - 6);
		if ((1.0 + s) * problem->steps / 8.0 * problem->step * problem->step <= allowed &&
			(unit == 0 || problem->step <= unit || problem->size >= UNIT_SIZE))
			break;
	}
	problem->step = Max(width / (problem->size - 6), furthest * 0x1p-45);
	if (unit > problem->step)
	{
		double		points = floor(unit / problem->step);

		if (points >= 2520.0)
			points -= fmod(points, 2520.0);
		problem->step = unit / points;
	}
	problem->data = problem->roots + 2 * (size_t) problem->size;
	problem->product = problem->data + 2 * (size_t) problem->size;
	for (int i = 0; i < problem->nsides; i++)
		problem->sides[i].first = (int64) floor(problem->sides[i].start / problem->step) - 2;
}

/* Sketches, and what moments say of them.  False if nothing finite can come of it. */
bool
dpriv_pld_prepare(DprivPldProblem *problem, double tail, DprivLatticePoint *points)
{
	problem->tail = Max(tail, LEAST_TAIL);
	sketch(problem, points);
	for (int i = 0; i < problem->nsides; i++)
	{
		choose_target(problem, &problem->sides[i]);
		if (!isfinite(problem->sides[i].epsilon) || !isfinite(problem->sides[i].log_delta))
			return false;
	}
	return true;
}
