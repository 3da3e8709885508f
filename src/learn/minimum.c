/*
 * minimum.c
 *	  The minimum of a perturbed sum of losses over rows of a common scale.
 *
 * Newton's method.  Privacy rests on the bound of the last gradient alone, so that is what is
 * computed with care: a row's slope is rounded to a multiple of 2^-20 / r, what it adds to the
 * gradient is c U with a whole number c, and these are added up exactly.  Slopes are the only
 * floating point in it, and error_bound() says how far off they can be.  The curvature only says
 * where to look next.
 */
#include "postgres.h"

#include <math.h>

#include "learn/logistic.h"
#include "learn/minimum.h"
#include "miscadmin.h"

/* Gradients that are looked at, and how often a step is halved. */
#define MAX_GRADIENTS 200
#define MAX_HALVINGS 30

/* c is the slope times r in steps of 2^-20; c U is then the gradient in steps of 2^-50. */
#define SLOPE_BITS 20
#define GRADIENT_STEP ldexp(1.0, -(SLOPE_BITS + DPRIV_STANDARD_RADIUS_BITS))

/* |c U| is at most 2^49, and as many rows are added up in 64 bits. */
StaticAssertDecl(DPRIV_LEARN_CHUNK <= 8192, "sums of a chunk fit");

/* How far off a slope is, computed from a score: dpriv_learn_logistic() and the product with r. */
#define SLOPE_ERROR 2e-13

typedef struct Minimum
{
	const LearnStandard *standard;
	const double *perturbation;
	double		lambda;
	int			nterms;
	const double *weight;		/* of the gradient that is computed */
	double	   *scaled;			/* the same on numbers and levels of U */
	double		offset;			/* what they make of all centres and the constant */
	int64	   *chunk;			/* sums of c U, for levels of c, the last of all c */
	int128	   *sum;			/* of all chunks */
	double	   *matrix;			/* of the curvature, the lower half, by rows */
	double	   *gradient;
	double	   *value;			/* coordinates of one row, and which they are */
	int		   *place;
	double		inverse_factors;	/* sum of 1 / r */
	int64		nrows;
} Minimum;

static double
norm(const double *vector, int n)
{
	double		square = 0.0;

	for (int j = 0; j < n; j++)
		square += vector[j] * vector[j];
	return sqrt(square);
}

static void
add_errors(void *context, char *rows, int nrows)
{
	Minimum    *minimum = context;
	const Size	size = dpriv_learn_row_size(minimum->standard->training->store);

	for (int i = 0; i < nrows; i++)
		minimum->inverse_factors += 1.0 / ((LearnRow *) (rows + i * size))->factor;
	minimum->nrows += nrows;
}

/*
 * How far a gradient at these weights can be from the one that was computed.
 *
 * A row's c is off by half a step and a little, which is times U, and |U| <= RADIUS / r.  A score
 * is a sum of at most 2 nterms + 4 numbers; each is at most |weight| times the length of U or of
 * the levels' ones and shares, and those times r / RADIUS are at most 1, and 2 sqrt(categories)
 * each, since r is at most RADIUS / CONSTANT.  A slope changes by at most 1/4 of what its score
 * does.  And the last sum is of floats.
 */
static double
error_bound(const Minimum *minimum)
{
	double		weight = norm(minimum->weight, minimum->nterms);
	double		rows = (double) minimum->nrows;
	double		reach = 1.0 + 4.0 * sqrt(minimum->standard->ncategories);
	double		score = (2.0 * minimum->nterms + 4.0) * 0x1p-52 * reach * weight;

	return 0.51 * ldexp(minimum->inverse_factors, -SLOPE_BITS) +
		rows * (SLOPE_ERROR + 0.25 * score) +
		0x1p-48 * (rows + minimum->lambda * weight +
				   norm(minimum->perturbation, minimum->nterms));
}

/* A row's part of the curvature, before levels are centred: a v v', v with ONE for a level. */
static void
add_curvature(Minimum *minimum, const LearnRow *row, const uint16 *code, double curvature)
{
	const LearnStandard *standard = minimum->standard;
	double	   *value = minimum->value;
	int		   *place = minimum->place;
	int			n = 0;

	for (int j = 0; j < standard->nnumbers; j++)
	{
		place[n] = j;
		value[n++] = row->number[j];
	}
	for (int j = 0; j < standard->ncategories; j++)
	{
		place[n] = standard->nnumbers + standard->first_level[j] + code[j];
		value[n++] = DPRIV_STANDARD_ONE;
	}
	place[n] = minimum->nterms - 1;
	value[n++] = 1.0;
	for (int i = 0; i < n; i++)
	{
		double	   *line = minimum->matrix + (Size) place[i] * minimum->nterms;
		double		factor = curvature * value[i];

		for (int j = 0; j <= i; j++)
			line[place[j]] += factor * value[j];
	}
}

static void
add_rows(void *context, char *rows, int nrows)
{
	Minimum    *minimum = context;
	const LearnStandard *standard = minimum->standard;
	LearnStore *store = standard->training->store;
	const Size	size = dpriv_learn_row_size(store);
	const int	nnumbers = standard->nnumbers;
	const int	nterms = minimum->nterms;
	int64	   *sum = minimum->chunk;

	memset(sum, 0, sizeof(int64) * nterms);
	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * size);
		const uint16 *code = dpriv_learn_row_codes(store, row);
		double		score = minimum->offset;
		double		slope = 0.5;
		double		factor = row->factor;
		int64		c;

		for (int j = 0; j < nnumbers; j++)
			score += minimum->scaled[j] * row->number[j];
		for (int j = 0; j < standard->ncategories; j++)
			score += minimum->scaled[nnumbers + standard->first_level[j] + code[j]];
		score *= row->positive ? factor : -factor;
		if (score >= 0)
		{
			slope = dpriv_learn_logistic(-score);
			factor = ldexp(factor, -DPRIV_STANDARD_RADIUS_BITS);
			add_curvature(minimum, row, code, slope * (1.0 - slope) * factor * factor);
		}
		c = (int64) rint(ldexp(slope * row->factor, SLOPE_BITS));
		if (row->positive)
			c = -c;
		for (int j = 0; j < nnumbers; j++)
			sum[j] += c * row->number[j];
		for (int j = 0; j < standard->ncategories; j++)
			sum[nnumbers + standard->first_level[j] + code[j]] += c;
		sum[nterms - 1] += c;
	}
	for (int j = 0; j < nterms; j++)
		minimum->sum[j] += sum[j];
}

/* The share that is taken from a coordinate of each row. */
static double
share_of(const Minimum *minimum, int term)
{
	int			level = term - minimum->standard->nnumbers;

	return level < 0 || term == minimum->nterms - 1 ? 0.0 : minimum->standard->share[level];
}

/* From v to U, and lambda. */
static void
finish_curvature(Minimum *minimum)
{
	const int	last = minimum->nterms - 1;
	const double *ones = minimum->matrix + (Size) last * minimum->nterms;

	for (int i = 0; i <= last; i++)
	{
		double	   *line = minimum->matrix + (Size) i * minimum->nterms;
		double		share = share_of(minimum, i);

		CHECK_FOR_INTERRUPTS();
		if (i == last)
			for (int j = 0; j < last; j++)
				line[j] = DPRIV_STANDARD_CONSTANT *
					(line[j] - share_of(minimum, j) * line[last]);
		else
			for (int j = 0; j <= i; j++)
				line[j] += share * (share_of(minimum, j) * ones[last] - ones[j]) -
					share_of(minimum, j) * ones[i];
		if (i == last)
			line[i] *= (double) DPRIV_STANDARD_CONSTANT * DPRIV_STANDARD_CONSTANT;
		line[i] += minimum->lambda;
	}
}

/* Gradient and curvature at weights; returns the gradient's length. */
static double
look_at(Minimum *minimum, const double *weight)
{
	const LearnStandard *standard = minimum->standard;
	const int	last = minimum->nterms - 1;

	minimum->weight = weight;
	minimum->offset = ldexp(weight[last] * DPRIV_STANDARD_CONSTANT, -DPRIV_STANDARD_RADIUS_BITS);
	for (int j = 0; j < last; j++)
	{
		bool		is_level = j >= standard->nnumbers;

		minimum->scaled[j] = ldexp(weight[j], -DPRIV_STANDARD_RADIUS_BITS) *
			(is_level ? DPRIV_STANDARD_ONE : 1);
		minimum->offset -= ldexp(weight[j] * share_of(minimum, j), -DPRIV_STANDARD_RADIUS_BITS);
	}
	memset(minimum->sum, 0, sizeof(int128) * minimum->nterms);
	memset(minimum->matrix, 0, sizeof(double) * minimum->nterms * minimum->nterms);
	dpriv_learn_store_scan(standard->training->store, false, add_rows, minimum);
	finish_curvature(minimum);
	for (int j = 0; j <= last; j++)
	{
		int128		sum = minimum->sum[j];

		if (j == last)
			sum *= DPRIV_STANDARD_CONSTANT;
		else if (j >= standard->nnumbers)
			sum = sum * DPRIV_STANDARD_ONE -
				minimum->sum[last] * standard->share[j - standard->nnumbers];
		minimum->gradient[j] = (double) sum * GRADIENT_STEP + minimum->lambda * weight[j] +
			minimum->perturbation[j];
	}
	return norm(minimum->gradient, minimum->nterms);
}

/* Solve matrix step = -gradient, by Cholesky's factors, which take the matrix's place. */
static void
solve(Minimum *minimum, double *step)
{
	const int	n = minimum->nterms;

	for (int i = 0; i < n; i++)
	{
		double	   *line = minimum->matrix + (Size) i * n;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j <= i; j++)
		{
			const double *other = minimum->matrix + (Size) j * n;
			double		rest = line[j];

			for (int k = 0; k < j; k++)
				rest -= line[k] * other[k];
			line[j] = j < i ? rest / other[j] : sqrt(Max(rest, 0.5 * minimum->lambda));
		}
		step[i] = -minimum->gradient[i];
		for (int k = 0; k < i; k++)
			step[i] -= line[k] * step[k];
		step[i] /= line[i];
	}
	for (int i = n - 1; i >= 0; i--)
	{
		step[i] /= minimum->matrix[(Size) i * n + i];
		for (int k = 0; k < i; k++)
			step[k] -= minimum->matrix[(Size) i * n + k] * step[i];
	}
}

bool
dpriv_learn_minimum(const LearnStandard *standard, const double *perturbation, double lambda,
					double tolerance, double *weight)
{
	int			n = dpriv_learn_nterms(standard->columns);
	Minimum		minimum = {standard, perturbation, lambda, n};
	double	   *step = palloc(sizeof(double) * n);
	double	   *next = palloc(sizeof(double) * n);
	double		length;
	double		part = 0.0;
	int			halvings = 0;

	minimum.scaled = palloc(sizeof(double) * n);
	minimum.chunk = palloc(sizeof(int64) * n);
	minimum.sum = palloc(sizeof(int128) * n);
	minimum.matrix = palloc(sizeof(double) * n * n);
	minimum.gradient = palloc(sizeof(double) * n);
	minimum.value = palloc(sizeof(double) * n);
	minimum.place = palloc(sizeof(int) * n);
	dpriv_learn_store_scan(standard->training->store, false, add_errors, &minimum);
	memset(weight, 0, sizeof(double) * n);
	length = look_at(&minimum, weight);
	for (int i = 0; i < MAX_GRADIENTS && halvings < MAX_HALVINGS; i++)
	{
		double		looked;

		if (part == 0.0)
		{
			if (length + error_bound(&minimum) <= tolerance)
				return true;
			solve(&minimum, step);
			part = 1.0;
		}
		for (int j = 0; j < n; j++)
			next[j] = weight[j] + part * step[j];
		looked = look_at(&minimum, next);
		if (looked <= (1.0 - 0.1 * part) * length)
		{
			memcpy(weight, next, sizeof(double) * n);
			length = looked;
			part = 0.0;
			halvings = 0;
		}
		else
		{
			part *= 0.5;
			halvings++;
		}
	}
	return false;
}
