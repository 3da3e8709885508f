/*
 * pld.c
 *	  What mechanisms cost together, by the distribution of their privacy loss.
 *
 * The distributions are put on a lattice and convolved by Fourier transforms.  To keep digits where
 * delta is read, they are tilted before: with K(s) = ln E[exp(s loss)] the sum over all mechanisms,
 * and q(l) = P[loss = l] exp(s l - K(s)) for the sum of the losses,
 *
 *		delta(epsilon) = sum over l > epsilon of q(l) exp(K(s) - s l) (1 - exp(epsilon - l)).
 *
 * q is a distribution too, a convolution of tilted ones, and for the right s its mean is near
 * epsilon.  So a window of several standard deviations around that is all that has to be computed,
 * and errors of q, which are relative to 1, count relative to delta.  They are of three kinds, all
 * of them added to delta: what rounding does to the transforms; what is above the window, by
 * Chernoff's bound; what the distributions have at infinity.  What is below the window comes round
 * and is counted too high, which only adds.
 *
 * Koskela, Jaelkoe, Honkela, "Computing Tight Differential Privacy Guarantees Using FFT" (2020);
 * Gopi, Lee, Wutschitz, "Numerical Composition of Differential Privacy" (2021).
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/decimal.h"
#include "accounting/fft.h"
#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "accounting/pld.h"
#include "accounting/pld_lattice.h"
#include "common/int.h"

#define ROUNDING (DBL_EPSILON / 2.0)

/*
 * Transforms have between 2^12 and 2^20 points: as many as the error of the lattice asks for, which
 * is relative from some epsilon on.
 */
#define LEAST_SIZE (1 << 12)
#define GREATEST_SIZE (1 << 20)
#define LATTICE_ERROR 5e-5
#define RELATIVE_FROM 10.0

/* And up to this, if with fewer not all losses of a mechanism that has few of them are points. */
#define UNIT_SIZE (1 << 16)

/* Cells per mechanism: of the lattice, and of all sketches and each at most. */
#define CELLS 8192
#define SKETCH_CELLS 256
#define ALL_SKETCH_CELLS 32768
#define SKETCH_CELLS_FOR(n) Min(SKETCH_CELLS, ALL_SKETCH_CELLS / (n))

/* What is outside of the window may add exp(-WINDOW) delta, about 1e-8, at each end. */
#define WINDOW 18.0

/*
 * How much larger than delta errors of the transform may count, as a logarithm, for the sake of a
 * small window: less the more steps there are.
 */
#define LESS_TILT(steps) Max(Min(log(1e8 / (steps)), 8.0), 0.0)

/*
 * The window begins this many times 1 / s below the epsilon of moments.  Where moments say too much
 * by far that is not enough, and it begins lower, up to so many times.
 */
#define BELOW 8.0
#define TRIES 4

/* This share of delta may be lost in the tails of noise. */
#define TAIL_SHARE 1e-10
#define LEAST_TAIL 1e-318

/* Factors of a spectrum below this make nothing of it. */
#define NOTHING 1e-44

/* Noise that is too small for its density to be looked at; see simplify(). */
#define LEAST_MULTIPLIER (1.0 / 40.0)
#define GREATEST_LAPLACE 1e4
#define GREATEST_GAUSSIAN 50.0

/* One of the two directions: a row more, or a row less. */
typedef struct Side
{
	bool		back;
	double		epsilon;		/* what is asked, and what moments of the sketches say */
	double		log_delta;
	double		best;			/* the exponent by which they do */
	double		s;				/* of the tilt */
	double		beyond;			/* a larger one, for what is above the window */
	double		start;			/* of the window */
	double		width;
	int64		first;			/* the start, in steps */
	double		log_moment;		/* K(s) */
	double		log_beyond;		/* K(beyond) */
	double		log_finite;		/* ln P[loss is finite] */
} Side;

typedef struct Problem
{
	const DprivPldMechanism *mechanisms;
	int			n;
	double		steps;			/* mechanisms, with repetitions */
	bool		to_epsilon;		/* else to delta */
	double		target;			/* the other one */
	double		tail;			/* of noise, per mechanism */
	int			nsides;
	Side		sides[2];
	double		step;			/* of the lattice */
	int			size;
	double		loss_error;		/* of the sum */
	double		mass_error;		/* logarithm of a factor */
	double		spectrum_error; /* Euclidean norm */
	double		squares;		/* of the product of spectra, summed up */
	DprivLattice lattice;		/* of one mechanism after the other */
	DprivLattice *sketches;
	double	   *roots;
	double	   *data;
	double	   *product;
} Problem;

/* What a search by moments is about: a side, and the finite part of the target. */
typedef struct Search
{
	const Problem *problem;
	const Side *side;
	double		epsilon;
	double		log_delta;
	double		start;			/* of the window */
	double		s;
} Search;

const char *
dpriv_pld_kind_name(DprivPldKind kind)
{
	static const char *const names[DPRIV_PLD_KINDS] = {
		"gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "randomized_response",
		"approximate", "sampled_gaussian", "sampled_laplace"
	};

	return names[kind];
}

/* Lists */

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

/* Moments */

/*
 * ln of the sum of mass exp(t loss), and the mean and the variance of the losses weighted so.  At
 * the largest exponent there is a point, so that the sum does not vanish.
 */
static double
log_sum(const DprivLattice *lattice, double t, double *mean, double *variance)
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
static double
tilt_of(const DprivPldMechanism *mechanism, const Side *side, double s)
{
	return side->back && !dpriv_lattice_symmetric(mechanism) ? -(1.0 + s) : s;
}

/* K(s) by the sketches, its derivative and its second derivative. */
static double
sketched_moment(const Problem *problem, const Side *side, double s, double *mean, double *variance)
{
	double		sum = 0.0;

	*mean = 0.0;
	*variance = 0.0;
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < problem->n; i++)
	{
		double		t = tilt_of(&problem->mechanisms[i], side, s);
		double		count = (double) problem->mechanisms[i].count;
		double		m;
		double		v;

		sum += count * log_sum(&problem->sketches[i], t, &m, &v);
		*mean += count * m * (t < 0 ? -1.0 : 1.0);
		*variance += count * v;
	}
	return sum;
}

/* The probability that the loss is infinite, by the sketches. */
static double
sketched_infinite(const Problem *problem, const Side *side)
{
	double		log_finite = 0.0;

	for (int i = 0; i < problem->n; i++)
		log_finite += (double) problem->mechanisms[i].count *
			log1p(-(side->back ? problem->sketches[i].infinite_back :
					problem->sketches[i].infinite));
	return -expm1(log_finite);
}

/* -ln(s^s / (1 + s)^(1 + s)): by it delta is below E[exp(s (loss - epsilon))]. */
static double
gain(double s)
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
		return (log_moment - gain(s) - search->log_delta) / s;
	return log_moment - gain(s) - s * search->problem->target;
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
		gain(s) - s * search.epsilon - search.log_delta;
	double		width = (WINDOW - search.log_delta) / s;
	double		difference;

	search.s = s;
	difference = rough_minimum(width_by, &search, s, 1e-2 * s, 1e4 * s);
	width = Max(width, width_by(difference, &search));
	return amplified > LESS_TILT(search.problem->steps) ? width * (2.0 + amplified) : width;
}

/* What moments say, and where to look for more. */
static void
choose_target(const Problem *problem, Side *side)
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
static void
choose_tilt(const Problem *problem, Side *side, double below)
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
sketch(Problem *problem, DprivLatticePoint *points)
{
	int			cells = SKETCH_CELLS_FOR(problem->n);

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
 * The step of the lattice and the number of its points.  The losses of one mechanism that has few of
 * them are on it, and if there is room simple fractions of theirs too.
 */
static void
choose_lattice(Problem *problem)
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
	for (problem->size = LEAST_SIZE; problem->size < GREATEST_SIZE; problem->size *= 2)
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

/* Convolution */

/* Put the tilted distribution of one side into the real, or the imaginary, parts of the data. */
static void
put_tilted(Problem *problem, int part, double tilt, double log_moment)
{
	const DprivLattice *lattice = &problem->lattice;

	for (int i = 0; i < lattice->n; i++)
	{
		const DprivLatticePoint *point = &lattice->points[i];
		uint64		place = (uint64) (tilt < 0 ? -point->index : point->index);

		problem->data[2 * (place & (uint64) (problem->size - 1)) + part] +=
			point->mass * exp(tilt * (double) point->index * lattice->step - log_moment);
	}
}

/* z^k, by squaring. */
static void
power(double *re, double *im, int64 k)
{
	double		x = *re;
	double		y = *im;
	double		square;

	*re = 1.0;
	*im = 0.0;
	for (;;)
	{
		if (k & 1)
		{
			square = *re * x - *im * y;
			*im = *re * y + *im * x;
			*re = square;
		}
		k >>= 1;
		if (k == 0)
			return;
		square = x * x - y * y;
		y = 2.0 * x * y;
		x = square;
	}
}

/*
 * Multiply what is at one place of the product by z^k, unless that is next to nothing.  Returns the
 * square of |z|^(k - 1), or 0 if the product is nothing.
 */
static inline double
multiply(double *product, double re, double im, int64 k, double threshold)
{
	double		old = product[0];
	double		square = re * re + im * im;

	if (old == 0 && product[1] == 0)
		return 0.0;
	if (square < threshold)
	{
		product[0] = product[1] = 0.0;
		return 0.0;
	}
	power(&re, &im, k);
	product[0] = old * re - product[1] * im;
	product[1] = old * im + product[1] * re;
	return (re * re + im * im) / square;
}

/*
 * Multiply the product of spectra by the k-th power of that of the data, and return the sum of
 * squares of |spectrum|^(k - 1), of the worse side.
 *
 * The transform z of a + i b has those of a and b in its even and odd parts.  Both belong to real
 * numbers, so of each pair of frequencies f and -f the product has a's at the first place, and b's
 * at the second; where the two places are one both are real.
 */
static double
multiply_spectrum(Problem *problem, int64 k)
{
	double		threshold = pow(NOTHING, 2.0 / (double) k);
	double	   *product = problem->product;
	double		first = 0.0;
	double		second = 0.0;

	for (int place = 0; place < 2; place++)
	{
		double		both[4] = {product[2 * place], 0.0, product[2 * place + 1], 0.0};

		first += multiply(both, problem->data[2 * place], 0.0, k, threshold);
		second += multiply(both + 2, problem->data[2 * place + 1], 0.0, k, threshold);
		product[2 * place] = both[0];
		product[2 * place + 1] = both[2];
	}
	for (int block = 2; block < problem->size; block *= 2)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < block / 2; i++)
		{
			int			place = 2 * (block + i);
			int			mirror = 2 * (2 * block - 1 - i);
			const double *z = problem->data + place;
			const double *m = problem->data + mirror;

			first += 2.0 * multiply(product + place, 0.5 * (z[0] + m[0]), 0.5 * (z[1] - m[1]), k,
									threshold);
			if (problem->nsides > 1)
				second += 2.0 * multiply(product + mirror, 0.5 * (z[1] + m[1]),
										 0.5 * (m[0] - z[0]), k, threshold);
		}
	}
	return Max(first, second);
}

/*
 * What an error of the spectrum becomes by its k-th power, as a Euclidean norm: two bounds, for the
 * norm of the error is at most dpriv_fft_error() times that of the spectrum, and every single one
 * at most that times the sum of the data, 1 per side.  (Each stage errs by eta, relative to the sum
 * of what it adds up; and roots are on the unit circle.)
 *
 * Spectra are at most 1, so an error e of one number z becomes at most k e, and at most k e (|z| +
 * e)^(k - 1).  Where |z| is a hundred times k e that is within 1 % of k e |z|^(k - 1), and elsewhere
 * next to nothing, unless k is 1.
 */
static double
power_error(const Problem *problem, double data_squares, double power_squares, double k)
{
	double		relative = dpriv_fft_error(problem->size);
	double		single = problem->nsides * relative;
	double		rest = k == 1.0 ? 1.0 : Max(pow(101.0 * k * single, k - 1.0), sqrt(NOTHING));
	double		each = single * sqrt(1.03 * power_squares + problem->size * rest * rest);

	return k * Min(relative * sqrt(data_squares * problem->size) * (1.0 + 0x1p-20), each);
}

/* The spectrum of which the real and the imaginary parts come from the sides, from the product. */
static void
unite_spectra(Problem *problem)
{
	for (int place = 0; place < 4; place++)
		problem->data[place] = problem->product[place];
	for (int block = 2; block < problem->size; block *= 2)
	{
		for (int i = 0; i < block / 2; i++)
		{
			int			place = 2 * (block + i);
			int			mirror = 2 * (2 * block - 1 - i);
			const double *a = problem->product + place;
			const double *b = problem->product + mirror;

			/* a + i b, and at the mirror their conjugates. */
			problem->data[place] = a[0] - b[1];
			problem->data[place + 1] = a[1] + b[0];
			problem->data[mirror] = a[0] + b[1];
			problem->data[mirror + 1] = b[0] - a[1];
		}
	}
}

/* One mechanism: its part of everything that is summed up over mechanisms. */
static void
convolve_mechanism(Problem *problem, const DprivPldMechanism *mechanism)
{
	DprivLattice *lattice = &problem->lattice;
	double		count = (double) mechanism->count;
	double		squares = 0.0;
	double		unused;

	lattice->step = problem->step;
	dpriv_lattice_fill(lattice, mechanism, problem->tail, CELLS);
	memset(problem->data, 0, 2 * (size_t) problem->size * sizeof(double));
	for (int i = 0; i < problem->nsides; i++)
	{
		Side	   *side = &problem->sides[i];
		double		tilt = tilt_of(mechanism, side, side->s);
		double		log_moment = log_sum(lattice, tilt, &unused, &unused);
		double		exponent = fabs(tilt) * lattice->step *
			(double) Max(-lattice->points[0].index, lattice->points[lattice->n - 1].index);

		put_tilted(problem, i, tilt, log_moment);
		side->log_moment += count * log_moment;
		side->log_beyond += count * log_sum(lattice, tilt_of(mechanism, side, side->beyond),
											&unused, &unused);
		side->log_finite += count * log1p(-(side->back ? lattice->infinite_back :
											lattice->infinite));

		/* Of the sum in log_moment, and of the exponentials. */
		problem->mass_error += count *
			(lattice->mass_error + (lattice->n + 2.0 * exponent + 16.0) * ROUNDING);
	}
	problem->loss_error += count * lattice->loss_error;
	for (int i = 0; i < 2 * problem->size; i++)
		squares += problem->data[i] * problem->data[i];

	dpriv_fft(problem->data, problem->roots, problem->size);
	problem->spectrum_error += power_error(problem, squares,
										   multiply_spectrum(problem, mechanism->count), count);
}

/* Tilted distributions of the sums, of the sides in the real and the imaginary parts. */
static void
convolve(Problem *problem)
{
	bool		two = problem->nsides > 1;

	/* Ones for the first side; for the second, if there is none, zeros. */
	for (int block = 2; block < problem->size; block *= 2)
	{
		for (int i = 0; i < block; i++)
		{
			problem->product[2 * (block + i)] = two || i < block / 2 ? 1.0 : 0.0;
			problem->product[2 * (block + i) + 1] = 0.0;
		}
	}
	for (int i = 0; i < 4; i++)
		problem->product[i] = two || i % 2 == 0 ? 1.0 : 0.0;

	dpriv_fft_roots(problem->roots, problem->size);
	for (int i = 0; i < problem->n; i++)
		convolve_mechanism(problem, &problem->mechanisms[i]);
	unite_spectra(problem);
	for (int i = 0; i < 2 * problem->size; i++)
		problem->squares += problem->data[i] * problem->data[i];
	dpriv_fft_inverse(problem->data, problem->roots, problem->size);
}

/*
 * Bound on the sum of all errors of the tilted distribution.  A sum of size numbers is at most the
 * root of size times their norm, and back from the spectrum the norm is divided by the same.
 */
static double
distribution_error(const Problem *problem)
{
	double		error = problem->spectrum_error * exp(Min(problem->spectrum_error, 100.0));

	/* A power by squaring errs by three or four units per factor. */
	error += sqrt(problem->squares) *
		(4.0 * problem->steps * ROUNDING * exp(Min(4.0 * problem->steps * ROUNDING, 100.0)) +
		 8.0 * problem->n * ROUNDING + dpriv_fft_error(problem->size));
	return error + sqrt((double) problem->size) * problem->n * NOTHING * 4.0;
}

/* What the moment alone says, of the losses on the lattice. */
static double
bound_by_moment(const Problem *problem, const Side *side, double infinite)
{
	double		log_moment = side->log_moment + problem->mass_error - gain(side->s);
	double		target = problem->target;

	if (!problem->to_epsilon)
		return exp(log_moment - side->s * (target - problem->loss_error)) * DPRIV_ROUND_UP +
			infinite;
	if (!(target > infinite))
		return INFINITY;
	return Max((log_moment - log(target - infinite)) / side->s * DPRIV_ROUND_UP +
			   problem->loss_error, 0.0);
}

/*
 * Read epsilon, or delta, from the distribution of one side, from the largest loss downwards.
 * Infinity, or 1, if the window does not tell; its lower end if epsilon is below.
 *
 * At each point, delta is that at this epsilon and tilted the sum of P[loss] exp(point - loss) over
 * the losses above.  With P the mass at the point, going one step down takes tilted to exp(-step)
 * (tilted + P), and adds (1 - exp(-step)) (tilted + P) to delta.  All is scaled so that the target
 * is near 1: then nothing that matters underflows.
 */
static double
read_side(const Problem *problem, const Side *side, double infinite)
{
	double		s = side->s;
	double		step = problem->step;
	double		at = problem->to_epsilon ? -problem->loss_error :
		problem->target - problem->loss_error;
	double		log_target = Max(problem->to_epsilon ? log(problem->target) : side->log_delta,
								 -690.0);
	double		target = problem->to_epsilon ? exp(log(problem->target) - log_target) : INFINITY;
	int64		index = side->first + problem->size - 1;
	double		loss = (double) index * step;
	double		fall = -expm1(-step);
	double		factor = exp(s * step);
	double		unit = 1.0 / problem->size; /* a power of two: exact */
	double		weight = 0.0;	/* exp(K(s) - s loss) */
	double		tilted = 0.0;
	double		delta;
	double		error;
	double		scale;

	/* More than a million operations can have taken away. */
	const double rise = 1.0 + 0x1p-29;

	scale = side->log_moment + problem->mass_error - log_target;
	scale += 4.0 * ROUNDING * (fabs(scale) + s * problem->size * step + fabs(s * loss) + 64.0);

	/* P[loss > top] is at most exp(K(s) - s top) times the tilted probability of that. */
	error = exp(scale - s * loss - gain(s) + log(distribution_error(problem)));
	delta = infinite * exp(-log_target) +
		exp(side->log_beyond - side->log_moment + scale - side->beyond * (loss + step));
	if (!((delta + error) * rise <= target) || loss <= at)
		return problem->to_epsilon ? INFINITY : 1.0;

	for (int i = 0; i < problem->size; i++)
	{
		uint64		place = (uint64) index & (uint64) (problem->size - 1);
		double		mass = problem->data[2 * place + (side->back ? 1 : 0)] * unit;
		double		sum;
		double		next;

		if (i % 64 == 0)
			weight = exp(scale - s * loss);
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();

		/* The last step goes just as far as it has to. */
		if (loss - step <= at)
			fall = -expm1(at - loss);
		error *= factor;
		sum = tilted + Max(mass, 0.0) * weight;
		next = delta + fall * sum;
		if (!((next + error) * rise <= target))
		{
			double		share = Max(target / rise - error - delta, 0.0) / sum;

			return Max(loss + log1p(-Min(share, fall)) + problem->loss_error, 0.0) *
				DPRIV_ROUND_UP;
		}
		if (loss - step <= at)
			return problem->to_epsilon ? 0.0 : Min(exp(log(next + error) + log_target) * rise, 1.0);
		delta = next;
		tilted = sum - fall * sum;
		weight *= factor;
		loss = (double) --index * step;
	}
	return problem->to_epsilon ? Max(loss + problem->loss_error, 0.0) * DPRIV_ROUND_UP : 1.0;
}

/* Sketches, and what moments say of them.  False if nothing finite can come of it. */
static bool
prepare(Problem *problem, double tail, DprivLatticePoint *points)
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

/*
 * The worse of the sides, with windows that begin so far below.  True if all of them tell, or have
 * nothing more to tell.
 */
static bool
attempt(Problem *problem, double below, double *result)
{
	double		worst = 0.0;
	bool		done = true;

	problem->loss_error = problem->mass_error = 0.0;
	problem->spectrum_error = problem->squares = 0.0;
	for (int i = 0; i < problem->nsides; i++)
	{
		Side	   *side = &problem->sides[i];

		side->log_moment = side->log_beyond = side->log_finite = 0.0;
		choose_tilt(problem, side, below);
		if (!isfinite(side->width))
			return true;
	}
	choose_lattice(problem);
	convolve(problem);
	for (int i = 0; i < problem->nsides; i++)
	{
		const Side *side = &problem->sides[i];
		double		infinite = -expm1(side->log_finite) * DPRIV_ROUND_UP;
		double		least = Min(read_side(problem, side, infinite),
								bound_by_moment(problem, side, infinite));

		/* At the lower end of the window, which is not the end of losses? */
		if (problem->to_epsilon && least > 0 && least < side->start + problem->step)
			done = false;
		worst = Max(worst, least);
	}
	*result = Min(*result, worst);
	return done;
}

static double
solve(const DprivPldMechanism *mechanisms, int n, bool to_epsilon, double target, void *work)
{
	Problem		problem = {0};
	DprivLatticePoint *points;
	double		result = to_epsilon ? INFINITY : 1.0;
	double		below = to_epsilon ? BELOW : 0.0;

	problem.mechanisms = mechanisms;
	problem.n = n;
	problem.to_epsilon = to_epsilon;
	problem.target = target;
	problem.nsides = 1;
	problem.sides[1].back = true;
	for (int i = 0; i < n; i++)
	{
		problem.steps += (double) mechanisms[i].count;
		if (!dpriv_lattice_symmetric(&mechanisms[i]))
			problem.nsides = 2;
	}
	problem.sketches = work;
	problem.lattice.points = points = (DprivLatticePoint *) (problem.sketches + n);
	points += DPRIV_LATTICE_ROOM(CELLS);
	if (!prepare(&problem, to_epsilon ? target * TAIL_SHARE / problem.steps : 0.0, points))
		return result;

	/* Without a target for delta its order is known only now. */
	if (!to_epsilon &&
		!prepare(&problem, exp(Max(problem.sides[0].log_delta, -690.0)) * TAIL_SHARE * 1e-3 /
				 problem.steps, points))
		return result;
	problem.roots = (double *) (points + n * DPRIV_LATTICE_ROOM(SKETCH_CELLS_FOR(n)));
	for (int i = 0; i < TRIES && !attempt(&problem, below, &result); i++)
		below *= 4.0;
	return result;
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

size_t
dpriv_pld_size(void)
{
	return DPRIV_PLD_MAX_MECHANISMS * sizeof(DprivLattice) +
		(DPRIV_LATTICE_ROOM(CELLS) + 4 * ALL_SKETCH_CELLS + 16 * DPRIV_PLD_MAX_MECHANISMS) *
		sizeof(DprivLatticePoint) + 6 * (size_t) GREATEST_SIZE * sizeof(double);
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
	return Min(solve(mechanisms, n, true, delta, work), pure);
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
	return Min(solve(mechanisms, n, false, epsilon, work), 1.0);
}
