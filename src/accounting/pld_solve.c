/*
 * pld_solve.c
 *	  Composition by the distribution of the privacy loss: from the lattice to epsilon or delta.
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

#include "accounting/numeric.h"
#include "accounting/pld_problem.h"

#define ROUNDING (DBL_EPSILON / 2.0)

/*
 * The window begins this many times 1 / s below the epsilon of moments.  Where moments say too much
 * by far that is not enough, and it begins lower, up to so many times.
 */
#define BELOW 8.0
#define TRIES 4

/* This share of delta may be lost in the tails of noise. */
#define TAIL_SHARE 1e-10

/* What the moment alone says, of the losses on the lattice. */
static double
bound_by_moment(const DprivPldProblem *problem, const DprivPldSide *side, double infinite)
{
	double		log_moment = side->log_moment + problem->mass_error - dpriv_pld_gain(side->s);
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
read_side(const DprivPldProblem *problem, const DprivPldSide *side, double infinite)
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
	error = exp(scale - s * loss - dpriv_pld_gain(s) + log(dpriv_pld_distribution_error(problem)));
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

/*
 * The worse of the sides, with windows that begin so far below.  True if all of them tell, or have
 * nothing more to tell.
 */
static bool
attempt(DprivPldProblem *problem, double below, double *result)
{
	double		worst = 0.0;
	bool		done = true;

	problem->loss_error = problem->mass_error = 0.0;
	problem->spectrum_error = problem->squares = 0.0;
	for (int i = 0; i < problem->nsides; i++)
	{
		DprivPldSide	   *side = &problem->sides[i];

		side->log_moment = side->log_beyond = side->log_finite = 0.0;
		dpriv_pld_choose_tilt(problem, side, below);
		if (!isfinite(side->width))
			return true;
	}
	dpriv_pld_choose_lattice(problem);
	dpriv_pld_convolve(problem);
	for (int i = 0; i < problem->nsides; i++)
	{
		const DprivPldSide *side = &problem->sides[i];
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

double
dpriv_pld_solve(const DprivPldMechanism *mechanisms, int n, bool to_epsilon, double target,
				void *work)
{
	DprivPldProblem		problem = {0};
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
	points += DPRIV_LATTICE_ROOM(DPRIV_PLD_CELLS);
	if (!dpriv_pld_prepare(&problem, to_epsilon ? target * TAIL_SHARE / problem.steps : 0.0,
						   points))
		return result;

	/* Without a target for delta its order is known only now. */
	if (!to_epsilon)
	{
		double		order = exp(Max(problem.sides[0].log_delta, -690.0));

		if (!dpriv_pld_prepare(&problem, order * TAIL_SHARE * 1e-3 / problem.steps, points))
			return result;
	}
	problem.roots = (double *) (points + n * DPRIV_LATTICE_ROOM(DPRIV_PLD_SKETCH_CELLS_FOR(n)));
	for (int i = 0; i < TRIES && !attempt(&problem, below, &result); i++)
		below *= 4.0;
	return result;
}

size_t
dpriv_pld_size(void)
{
	size_t		points = DPRIV_LATTICE_ROOM(DPRIV_PLD_CELLS) + 4 * DPRIV_PLD_ALL_SKETCH_CELLS +
		16 * DPRIV_PLD_MAX_MECHANISMS;

	return DPRIV_PLD_MAX_MECHANISMS * sizeof(DprivLattice) + points * sizeof(DprivLatticePoint) +
		6 * (size_t) DPRIV_PLD_GREATEST_SIZE * sizeof(double);
}
