/*
 * pld_lattice.c
 *	  One mechanism's privacy loss on the points of a lattice: a distribution that is never better.
 *
 * Whatever the mechanism, outcomes come in order of their loss, as points of mass or as points of a
 * quadrature, and are collected in cells between two points of the lattice.  Of a cell are kept its
 * probability and the mean of 1 - exp(least loss - loss), both sums of positive terms: from the two
 * follows how it divides.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/numeric.h"
#include "accounting/pld_lattice.h"

/* Half a unit in the last place of 1: the relative error of one operation. */
#define ROUNDING (DBL_EPSILON / 2.0)

/*
 * Gauss and Legendre's rule with five points errs by at most 64 / 15 M rho^-10 / (1 - rho^-2), M
 * the largest value of the integrand on the ellipse with foci at the ends and half axes of sum rho
 * half widths (Trefethen, "Approximation Theory and Approximation Practice", theorem 19.3).  In
 * panels of PANEL over the steepness of the logarithm of a density, and with rho = 300, M is at
 * most e^12 times the density in the panel.
 */
#define PANEL (40.0 / 300.0)
#define QUADRATURE_ERROR 2e-19

#define QUADRATURE_POINTS 5
static const double quadrature_point[QUADRATURE_POINTS] = {
	-0.90617984593866399280, -0.53846931010568309104, 0.0, 0.53846931010568309104,
	0.90617984593866399280
};
static const double quadrature_weight[QUADRATURE_POINTS] = {
	0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
	0.47862867049936646804, 0.23692688505618908751
};

/*
 * Noise with a density.  Without sampling the loss of outcome x is slope x + offset, from start to
 * end; the neighbour has the density Q, the mechanism rate P + (1 - rate) Q.
 */
typedef struct Noise
{
	bool		gaussian;		/* else Laplace, with atoms at both ends */
	double		rate;
	double		shift;			/* the sensitivity, in standard deviations or scales */
	double		slope;
	double		offset;
	double		start;
	double		end;
	double		steepness;		/* largest slope of the logarithm of a density */
	double		lost;			/* probability beyond either end */
} Noise;

/* A lattice being filled, and the cell that is open. */
typedef struct Filling
{
	DprivLattice *lattice;
	int			room;
	int64		stride;			/* of cells that atoms are collected in, in steps */
	bool		open;
	int64		first;			/* the cell's ends */
	int64		last;
	double		mass;
	double		climb;			/* sum of mass (1 - exp(loss at first - loss)) */
} Filling;

static Noise
noise_of(const DprivPldMechanism *mechanism, double tail)
{
	const double *parameters = mechanism->parameters;
	bool		sampled = mechanism->kind == DPRIV_PLD_SAMPLED_GAUSSIAN ||
		mechanism->kind == DPRIV_PLD_SAMPLED_LAPLACE;
	Noise		noise = {0};

	noise.rate = sampled ? parameters[0] : 1.0;
	noise.gaussian = mechanism->kind == DPRIV_PLD_GAUSSIAN ||
		mechanism->kind == DPRIV_PLD_SAMPLED_GAUSSIAN;
	if (noise.gaussian)
	{
		double		reach = sqrt(-2.0 * log(tail));

		/* P[Z > reach] is at most exp(-reach^2 / 2) / 2. */
		noise.shift = sampled ? 1.0 / parameters[1] : parameters[0] / parameters[1];
		noise.slope = noise.shift;
		noise.offset = -0.5 * noise.shift * noise.shift;
		noise.start = -reach;
		noise.end = noise.shift + reach;
		noise.steepness = reach + noise.shift;
		noise.lost = tail;
	}
	else
	{
		noise.shift = parameters[sampled ? 1 : 0];
		noise.slope = 2.0;
		noise.offset = -noise.shift;
		noise.start = 0.0;
		noise.end = noise.shift;
		noise.steepness = 1.0;
		noise.lost = 0.0;
	}
	return noise;
}

static double
density(const Noise *noise, double x)
{
	double		without;
	double		with;

	if (noise->gaussian)
	{
		without = dpriv_exp_half_square(x) / DPRIV_SQRT_2PI;
		with = dpriv_exp_half_square(x - noise->shift) / DPRIV_SQRT_2PI;
	}
	else
	{
		without = 0.5 * exp(-x);
		with = 0.5 * exp(x - noise->shift);
	}
	return noise->rate * with + (1.0 - noise->rate) * without;
}

/* ln(1 - rate + rate exp(z)) */
static double
sampled_loss(double rate, double z)
{
	if (rate == 1.0)
		return z;
	if (z < 30.0)
		return log1p(rate * expm1(z));
	return z + log(rate) + log1p((1.0 - rate) / rate * exp(-z));
}

static double
loss_at(const Noise *noise, double x)
{
	return sampled_loss(noise->rate, noise->slope * x + noise->offset);
}

/* Where the loss is this; infinite where it never is. */
static double
place_of(const Noise *noise, double loss)
{
	double		z = loss;

	if (noise->rate < 1.0 && loss < 30.0)
	{
		double		less_one = expm1(loss) / noise->rate;

		z = less_one <= -1.0 ? -INFINITY : log1p(less_one);
	}
	else if (noise->rate < 1.0)
		z = loss - log(noise->rate) + log1p((noise->rate - 1.0) * exp(-loss));
	return (z - noise->offset) / noise->slope;
}

/*
 * Add mass to one of the last two points, or behind them.  What fits nowhere, which does not
 * happen, would count as lost in both directions.
 */
static void
put(Filling *filling, int64 index, double mass)
{
	DprivLattice *lattice = filling->lattice;

	if (!(mass > 0))
		return;
	for (int i = lattice->n - 1; i >= Max(lattice->n - 2, 0); i--)
	{
		if (lattice->points[i].index == index)
		{
			lattice->points[i].mass += mass;
			return;
		}
	}
	if (lattice->n >= filling->room ||
		(lattice->n > 0 && lattice->points[lattice->n - 1].index >= index))
	{
		Assert(false);
		lattice->infinite += mass;
		lattice->infinite_back += mass * exp(-(double) index * lattice->step);
		return;
	}
	lattice->points[lattice->n].index = index;
	lattice->points[lattice->n].mass = mass;
	lattice->n++;
}

static void
open_cell(Filling *filling, int64 first, int64 last)
{
	filling->open = true;
	filling->first = first;
	filling->last = last;
	filling->mass = 0.0;
	filling->climb = 0.0;
}

/*
 * Divide what is in the cell.  With m its mass and c its climb the upper end gets c / (1 -
 * exp(-width)), the lower one the rest of m; both with what quadrature and rounding may have taken.
 */
static void
close_cell(Filling *filling)
{
	double		width = (double) (filling->last - filling->first) * filling->lattice->step;
	double		fall = -expm1(-width);
	double		error = 2.0 * QUADRATURE_ERROR / fall + 16.0 * ROUNDING;
	double		upper = filling->climb / fall;

	put(filling, filling->first, Max(filling->mass - upper, 0.0) + error * filling->mass);
	put(filling, filling->last, upper + error * filling->mass);
	filling->open = false;
}

static inline void
add_to_cell(Filling *filling, double loss, double mass)
{
	filling->mass += mass;
	filling->climb -= mass * expm1(Min((double) filling->first * filling->lattice->step - loss,
									   0.0));
}

/* The last point not above a loss, or the one where it is to the last digits: then exact. */
static int64
point_below(const DprivLattice *lattice, double loss, bool *exact)
{
	double		place = loss / lattice->step;
	double		nearest = rint(place);

	*exact = fabs(place - nearest) <= 4.0 * ROUNDING * fabs(place);
	return (int64) (*exact ? nearest : floor(place));
}

/* The next outcome, in order of the loss. */
static void
add_atom(Filling *filling, double loss, double mass)
{
	bool		exact;
	int64		below = point_below(filling->lattice, loss, &exact);

	if (filling->open && below >= filling->last)
		close_cell(filling);
	if (!filling->open)
	{
		if (filling->stride == 1 && exact)
		{
			put(filling, below, mass);
			return;
		}
		open_cell(filling, below, below + filling->stride);
	}
	add_to_cell(filling, loss, mass);
}

/* The density between two places, in panels; both ends' losses are in the open cell. */
static void
integrate(Filling *filling, const Noise *noise, double start, double end, double panel)
{
	double		width = end - start;
	int64		panels = (int64) ceil(width / panel);

	for (int64 i = 0; i < panels; i++)
	{
		double		half = 0.5 * width / (double) panels;
		double		middle = start + (2.0 * (double) i + 1.0) * half;

		if (i % 1024 == 1023)
			CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < QUADRATURE_POINTS; j++)
		{
			double		x = middle + half * quadrature_point[j];

			add_to_cell(filling, loss_at(noise, x),
						half * quadrature_weight[j] * density(noise, x));
		}
	}
}

/*
 * Cells as wide as one of so many that the range of x is divided into, or as one step of the
 * lattice where that is wider.
 */
static void
fill_density(Filling *filling, const Noise *noise, int cells)
{
	double		step = filling->lattice->step;
	double		width = (noise->end - noise->start) / cells;
	double		panel = Min(width, PANEL / noise->steepness);
	double		x = noise->start;
	bool		exact;
	int64		first = point_below(filling->lattice, loss_at(noise, x), &exact);

	/* The lowest atom, if there is one, is at the same place. */
	if (filling->open)
		close_cell(filling);
	for (int i = 0; x < noise->end; i++)
	{
		double		ahead = loss_at(noise, Min(x + width, noise->end));
		int64		last = Max(first + 1, (int64) floor(ahead / step));
		double		end = place_of(noise, (double) last * step);

		if (i % 1024 == 1023)
			CHECK_FOR_INTERRUPTS();
		end = Max(Min(end, noise->end), x);
		open_cell(filling, first, last);
		integrate(filling, noise, x, end, panel);
		close_cell(filling);
		x = end;
		first = last;
	}
}

static void
fill_noise(Filling *filling, const DprivPldMechanism *mechanism, double tail, int cells)
{
	DprivLattice *lattice = filling->lattice;
	Noise		noise = noise_of(mechanism, tail);
	double		rest = 1.0 - noise.rate;
	double		small = 0.5 * exp(-noise.shift);
	double		least = loss_at(&noise, noise.start);
	double		greatest = loss_at(&noise, noise.end);
	double		z = Max(fabs(noise.slope * noise.start + noise.offset),
						noise.slope * noise.end + noise.offset);

	/* How much of an error of z a loss has: rate e^z / (1 - rate + rate e^z) at most. */
	lattice->loss_error = 8.0 * ROUNDING *
		(Max(-least, greatest) + Min(1.0, noise.rate * exp(Min(z, 700.0)) / rest) * z);
	lattice->mass_error = (noise.steepness * noise.steepness + 32.0) * ROUNDING;
	lattice->infinite = 2.0 * noise.lost;
	lattice->infinite_back = 2.0 * noise.lost;

	if (!noise.gaussian)
		add_atom(filling, least, noise.rate * small + rest * 0.5);
	fill_density(filling, &noise, cells);
	if (!noise.gaussian)
		add_atom(filling, greatest, noise.rate * 0.5 + rest * small);
}

/* The integers of discrete Gaussian noise that matter are up to this. */
static double
discrete_reach(double sigma, double tail)
{
	return ceil(sigma * sqrt(-2.0 * log(tail))) + 1.0;
}

/* How many points of mass there are, about. */
static double
count_atoms(const DprivPldMechanism *mechanism, double tail)
{
	if (mechanism->kind == DPRIV_PLD_DISCRETE_GAUSSIAN)
		return 2.0 * discrete_reach(mechanism->parameters[1], tail);
	return mechanism->kind == DPRIV_PLD_DISCRETE_LAPLACE ? mechanism->parameters[1] : 3.0;
}

/* ln(p(y) / p(y + D)) = D (2 y + D) / (2 sigma^2). */
static void
fill_discrete_gaussian(Filling *filling, const DprivPldMechanism *mechanism, double tail)
{
	DprivLattice *lattice = filling->lattice;
	double		sensitivity = mechanism->parameters[0];
	double		sigma = mechanism->parameters[1];
	double		unit = sensitivity / sigma / sigma;
	double		reach = discrete_reach(sigma, tail);
	double		sum = 1.0;

	/* Less than the sum over all integers.  P[y > reach] <= P[Z > (reach - 1) / sigma]. */
	for (double y = 1.0; y <= reach; y++)
		sum += 2.0 * dpriv_exp_half_square(y / sigma);
	for (double y = -reach; y <= reach; y++)
	{
		if ((int64) y % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_atom(filling, unit * (y + 0.5 * sensitivity),
				 dpriv_exp_half_square(y / sigma) / sum);
	}
	lattice->loss_error = 8.0 * ROUNDING * unit * (reach + 0.5 * sensitivity);
	lattice->mass_error = 16.0 * ROUNDING * (reach + 2.0);
	lattice->infinite = tail;
}

/* One step moves the loss by 2 epsilon / steps, but for the two outer ones, where the tails are. */
static void
fill_discrete_laplace(Filling *filling, const DprivPldMechanism *mechanism)
{
	double		epsilon = mechanism->parameters[0];
	double		steps = mechanism->parameters[1];
	double		a = epsilon / steps;
	double		t = exp(-a);

	add_atom(filling, -epsilon, exp(-epsilon) / (1.0 + t));
	for (double i = steps - 1.0; i >= 1.0; i--)
		add_atom(filling, (1.0 - 2.0 * i / steps) * epsilon, tanh(0.5 * a) * exp(-a * i));
	add_atom(filling, epsilon, 1.0 / (1.0 + t));
	filling->lattice->loss_error = 8.0 * ROUNDING * epsilon;
	filling->lattice->mass_error = 8.0 * ROUNDING * (epsilon + 4.0);
}

/* Finite losses of mechanisms with two or three outcomes are this, its negative, or 0. */
static double
outcome_loss(const DprivPldMechanism *mechanism)
{
	double		noise = mechanism->parameters[0];

	if (mechanism->kind == DPRIV_PLD_APPROXIMATE)
		return mechanism->parameters[0];
	return log1p((1.0 - noise) * mechanism->parameters[1] / noise);
}

static void
fill_outcomes(Filling *filling, const DprivPldMechanism *mechanism)
{
	DprivLattice *lattice = filling->lattice;
	double		epsilon = outcome_loss(mechanism);
	double		t = exp(-epsilon);

	if (mechanism->kind == DPRIV_PLD_APPROXIMATE)
	{
		double		delta = mechanism->parameters[1];

		add_atom(filling, -epsilon, (1.0 - delta) * t / (1.0 + t));
		add_atom(filling, epsilon, (1.0 - delta) / (1.0 + t));
		lattice->infinite = delta;
	}
	else
	{
		double		other = mechanism->parameters[0] / mechanism->parameters[1];

		add_atom(filling, -epsilon, other);
		add_atom(filling, 0.0, (mechanism->parameters[1] - 2.0) * other);
		add_atom(filling, epsilon, 1.0 - mechanism->parameters[0] + other);
	}
	lattice->loss_error = 8.0 * ROUNDING * epsilon;
	lattice->mass_error = 16.0 * ROUNDING;
}

void
dpriv_lattice_range(const DprivPldMechanism *mechanism, double tail, double *least,
					double *greatest)
{
	Noise		noise;

	switch (mechanism->kind)
	{
		case DPRIV_PLD_GAUSSIAN:
		case DPRIV_PLD_LAPLACE:
		case DPRIV_PLD_SAMPLED_GAUSSIAN:
		case DPRIV_PLD_SAMPLED_LAPLACE:
			noise = noise_of(mechanism, tail);
			*least = loss_at(&noise, noise.start);
			*greatest = loss_at(&noise, noise.end);
			return;
		case DPRIV_PLD_DISCRETE_GAUSSIAN:
			*greatest = mechanism->parameters[0] / mechanism->parameters[1] /
				mechanism->parameters[1] *
				(discrete_reach(mechanism->parameters[1], tail) + 0.5 * mechanism->parameters[0]);
			break;
		case DPRIV_PLD_DISCRETE_LAPLACE:
			*greatest = mechanism->parameters[0];
			break;
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
		case DPRIV_PLD_APPROXIMATE:
			*greatest = outcome_loss(mechanism);
			break;
	}
	*least = -*greatest;
}

void
dpriv_lattice_fill(DprivLattice *lattice, const DprivPldMechanism *mechanism, double tail,
				   int cells)
{
	Filling		filling = {0};
	double		least;
	double		greatest;

	filling.lattice = lattice;
	lattice->n = 0;
	lattice->infinite = 0.0;
	lattice->infinite_back = 0.0;
	dpriv_lattice_range(mechanism, tail, &least, &greatest);
	filling.room = DPRIV_LATTICE_ROOM(cells);
	filling.stride = 1;
	if (count_atoms(mechanism, tail) > cells)
		filling.stride = (int64) Max(floor((greatest - least) / cells / lattice->step), 1.0);

	switch (mechanism->kind)
	{
		case DPRIV_PLD_DISCRETE_GAUSSIAN:
			fill_discrete_gaussian(&filling, mechanism, tail);
			break;
		case DPRIV_PLD_DISCRETE_LAPLACE:
			fill_discrete_laplace(&filling, mechanism);
			break;
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
		case DPRIV_PLD_APPROXIMATE:
			fill_outcomes(&filling, mechanism);
			break;
		default:
			fill_noise(&filling, mechanism, tail, cells);
			break;
	}
	if (filling.open)
		close_cell(&filling);
	if (dpriv_lattice_symmetric(mechanism))
		lattice->infinite_back = lattice->infinite;
}

double
dpriv_lattice_unit(const DprivPldMechanism *mechanism)
{
	const double *parameters = mechanism->parameters;

	switch (mechanism->kind)
	{
		case DPRIV_PLD_DISCRETE_GAUSSIAN:
			return 0.5 * parameters[0] / parameters[1] / parameters[1];
		case DPRIV_PLD_LAPLACE:
			return parameters[0];
		case DPRIV_PLD_DISCRETE_LAPLACE:
			return parameters[0] / parameters[1];
		case DPRIV_PLD_RANDOMIZED_RESPONSE:
		case DPRIV_PLD_APPROXIMATE:
			return outcome_loss(mechanism);
		default:
			return 0.0;
	}
}

bool
dpriv_lattice_symmetric(const DprivPldMechanism *mechanism)
{
	return mechanism->kind != DPRIV_PLD_SAMPLED_GAUSSIAN &&
		mechanism->kind != DPRIV_PLD_SAMPLED_LAPLACE;
}
