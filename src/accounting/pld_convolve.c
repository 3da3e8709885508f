/*
 * pld_convolve.c
 *	  Composition by the distribution of the privacy loss: transforms, and what rounding does.
 *
 * Both directions go through one transform, as the real and the imaginary parts of its data.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/fft.h"
#include "accounting/pld_problem.h"

#define ROUNDING (DBL_EPSILON / 2.0)

/* Factors of a spectrum below this make nothing of it. */
#define NOTHING 1e-44

/* Put the tilted distribution of one side into the real, or the imaginary, parts of the data. */
static void
put_tilted(DprivPldProblem *problem, int part, double tilt, double log_moment)
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
multiply_spectrum(DprivPldProblem *problem, int64 k)
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
 * e)^(k - 1).  Where |z| is a hundred times k e that is within 1 % of k e |z|^(k - 1), and
 * elsewhere next to nothing, unless k is 1.
 */
static double
power_error(const DprivPldProblem *problem, double data_squares, double power_squares, double k)
{
	double		relative = dpriv_fft_error(problem->size);
	double		single = problem->nsides * relative;
	double		rest = k == 1.0 ? 1.0 : Max(pow(101.0 * k * single, k - 1.0), sqrt(NOTHING));
	double		each = single * sqrt(1.03 * power_squares + problem->size * rest * rest);

	return k * Min(relative * sqrt(data_squares * problem->size) * (1.0 + 0x1p-20), each);
}

/* The spectrum of which the real and the imaginary parts come from the sides, from the product. */
static void
unite_spectra(DprivPldProblem *problem)
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
convolve_mechanism(DprivPldProblem *problem, const DprivPldMechanism *mechanism)
{
	DprivLattice *lattice = &problem->lattice;
	double		count = (double) mechanism->count;
	double		squares = 0.0;
	double		unused;

	lattice->step = problem->step;
	dpriv_lattice_fill(lattice, mechanism, problem->tail, DPRIV_PLD_CELLS);
	memset(problem->data, 0, 2 * (size_t) problem->size * sizeof(double));
	for (int i = 0; i < problem->nsides; i++)
	{
		DprivPldSide	   *side = &problem->sides[i];
		double		tilt = dpriv_pld_tilt_of(mechanism, side, side->s);
		double		log_moment = dpriv_pld_log_sum(lattice, tilt, &unused, &unused);
		double		beyond = dpriv_pld_tilt_of(mechanism, side, side->beyond);
		double		exponent = Max(fabs(tilt), fabs(beyond)) * lattice->step *
			(double) Max(-lattice->points[0].index, lattice->points[lattice->n - 1].index);

		put_tilted(problem, i, tilt, log_moment);
		side->log_moment += count * log_moment;
		side->log_beyond += count * dpriv_pld_log_sum(lattice, beyond, &unused, &unused);
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
void
dpriv_pld_convolve(DprivPldProblem *problem)
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
double
dpriv_pld_distribution_error(const DprivPldProblem *problem)
{
	double		error = problem->spectrum_error * exp(Min(problem->spectrum_error, 100.0));

	/* A power by squaring errs by three or four units per factor. */
	error += sqrt(problem->squares) *
		(4.0 * problem->steps * ROUNDING * exp(Min(4.0 * problem->steps * ROUNDING, 100.0)) +
		 8.0 * problem->n * ROUNDING + dpriv_fft_error(problem->size));
	return error + sqrt((double) problem->size) * problem->n * NOTHING * 4.0;
}
