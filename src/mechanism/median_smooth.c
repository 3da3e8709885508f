/*
 * median_smooth.c
 *	  The median with noise of its smooth sensitivity: by values, where quantile.c goes by ranks.
 *
 * Let y_1 <= ... <= y_n be the leaves of the values, y_i the lowest leaf for i < 1 and the highest
 * one for i > n, and f = y_ceil(n / 2).  Nissim, Raskhodnikova and Smith (2007) change one of n
 * rows; here one is added or removed:
 *
 * With a row more y'_i lies between y_i-1 and y_i, with a row less between y_i and y_i+1.  In both
 * cases f moves within y_h .. y_h+1, h = floor(n / 2).  So
 *
 *		A_k = y_floor((n + k) / 2) + 1 - y_floor((n - k) / 2)
 *
 * is, for k = 0, at least what f moves by; and A_k(x) <= A_k+1(x') for neighbours x and x', since
 * the places that A_k+1 looks at in x' are one further out than those of A_k in x, on both sides,
 * after the shift by the row.  With weights 1 = w_0 >= w_1 >= ..., w_k <= e^beta w_k+1, S = max
 * over k of w_k A_k has S(x) <= e^beta S(x') and S >= A_0.  From k = n on A_k is the whole range.
 *
 * Everything is an integer, in steps of 2^-bits of a leaf: so these inequalities hold exactly.
 * Step, weights and what the noise is to the scale follow from the arguments alone.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "accounting/smooth.h"
#include "mechanism/kinds.h"
#include "miscadmin.h"

/* Steps of a leaf are 2^MAX_BITS at most, and noise is below 2^BITS_OF_SCALE steps. */
#define MAX_BITS 36
#define BITS_OF_SCALE 53

/* Weights fall by 2^-FALL_BITS of themselves per segment, or by a factor per step. */
#define FALL_BITS 4

/* e^beta - 1 in units of 2^-GROWTH_BITS, and not more than 2^20. */
#define GROWTH_BITS 60
#define MAX_GROWTH 0x1p20

/* Weights w_k, in steps, from one k to the next larger one that is asked for. */
typedef struct Weights
{
	uint128		growth;			/* e^beta - 1, rounded down, in 2^-GROWTH_BITS */
	int128		from;			/* first k of the segment */
	int128		length;			/* how many k; 0: all from there on */
	int64		weight;			/* of the first one */
	int64		fall;			/* from each k to the next */
} Weights;

/* What the noise has in place of epsilon. */
static int64
alpha_units(const DprivMeasure *measure)
{
	return measure->epsilon.noise / 2;
}

/* The largest number of bits with which no scale is too large. */
static int
step_bits(const DprivMeasure *measure)
{
	double		largest = measure->ncells / dpriv_epsilon_to_double(alpha_units(measure));
	int			bits;

	(void) frexp(largest, &bits);
	return Max(Min(BITS_OF_SCALE - bits, MAX_BITS), 0);
}

/* Set the fall of the segment that begins with the present weight. */
static void
set_segment(Weights *weights)
{
	int64		weight = weights->weight;
	int64		target = weight - Max(weight >> FALL_BITS, 1);
	uint128		one = (uint128) 1 << GROWTH_BITS;
	uint128		fall = (uint128) target * weights->growth / one;

	weights->length = 1;
	if (fall < (uint128) (weight - target))
	{
		/* no weight of the segment is below the target */
		weights->fall = (int64) fall;
		weights->length = fall == 0 ? 0 : (weight - target) / (int64) fall;
	}
	else
	{
		/* the next one is weight / (1 + growth), rounded up */
		uint128		next = ((uint128) weight * one + (one + weights->growth) - 1) /
			(one + weights->growth);

		weights->fall = weight - (int64) next;
		if (weights->fall == 0)
			weights->length = 0;
	}
}

static void
start_weights(Weights *weights, double beta, int bits)
{
	double		growth = Min(expm1(Min(beta, 64.0)) * (1.0 - 1e-12), MAX_GROWTH);

	weights->growth = (uint128) ldexp(growth, GROWTH_BITS);
	weights->from = 0;
	weights->weight = INT64CONST(1) << bits;
	set_segment(weights);
}

/* k does not fall from call to call. */
static int64
weight_at(Weights *weights, int128 k)
{
	while (weights->length > 0 && k >= weights->from + weights->length)
	{
		weights->from += weights->length;
		weights->weight -= weights->fall * (int64) weights->length;
		set_segment(weights);
	}
	return weights->weight - weights->fall * (int64) (weights->length > 0 ? k - weights->from : 0);
}

/*
 * The median's leaf, and in steps S, not below the least that the noise needs.
 *
 * A_k changes where one of its two places moves on to another leaf, so only these k are looked at:
 * the upper place, floor((n + k) / 2) + 1, leaves a leaf with C rows up to it for k = 2 C - n, the
 * lower one a leaf with D rows below it for k = n - 2 D - 1.
 */
static int
find_median(const DprivMeasure *measure, const int64 *leaf, int nleaves, int128 *smooth)
{
	double		alpha = dpriv_epsilon_to_double(alpha_units(measure));
	int			last = measure->ncells - 1;
	int128		rows = 0;
	int128		upto = 0;		/* C */
	int128		below;			/* D */
	int128		k = 0;
	int			high = 0;		/* entry of the upper place; nleaves: beyond all */
	int			low;			/* of the lower place; -1: before all */
	int			median;
	Weights		weights;

	start_weights(&weights, measure->beta, -measure->grid.exponent);
	*smooth = (int128) ceil(DPRIV_SMOOTH_LEAST_SCALE * alpha);
	for (int i = 0; i < nleaves; i++)
		rows += leaf[2 * i + 1];

	while (high < nleaves && upto + leaf[2 * high + 1] <= rows / 2)
		upto += leaf[2 * high++ + 1];

	/* place floor(n / 2), and ceil(n / 2), which is the same or the next one */
	low = high;
	below = upto;
	if (below == rows / 2 && --low >= 0)
		below -= leaf[2 * low + 1];
	median = rows % 2 == 1 ? high : low;
	if (high < nleaves)
		upto += leaf[2 * high + 1];

	for (;;)
	{
		int64		width = (high < nleaves ? leaf[2 * high] : last) -
			(low >= 0 ? leaf[2 * low] : 0);
		int128		next;

		CHECK_FOR_INTERRUPTS();
		*smooth = Max(*smooth, (int128) weight_at(&weights, k) * width);
		if (high >= nleaves && low < 0)
			break;

		next = high < nleaves ? 2 * upto - rows : rows;
		if (low >= 0)
			next = Min(next, rows - 2 * below - 1);
		k = Max(k, next);
		if (high < nleaves && 2 * upto - rows <= k && ++high < nleaves)
			upto += leaf[2 * high + 1];
		if (low >= 0 && rows - 2 * below - 1 <= k && --low >= 0)
			below -= leaf[2 * low + 1];
	}
	return median >= 0 ? (int) leaf[2 * median] : 0;
}

void
dpriv_median_smooth_prepare(DprivMeasure *measure)
{
	double		epsilon;
	double		alpha;

	if (measure->delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no delta", measure->kind->name),
				 errdetail("Noise that follows the rows needs a delta above 0."),
				 errhint("SET dpriv.delta = 1e-6, for example, or pass it as the last argument; "
						 "dp_median() needs none.")));
	dpriv_leaves_set_parameter(measure);
	measure->grid.exponent = -step_bits(measure);
	measure->nsamplers = 0;
	measure->share[0] = measure->epsilon.noise;
	measure->nsteps[0] = 1;

	epsilon = nextafter(dpriv_epsilon_to_double(measure->epsilon.noise), 0.0);
	alpha = nextafter(dpriv_epsilon_to_double(alpha_units(measure)), INFINITY);
	measure->beta = dpriv_smooth_beta(epsilon, measure->delta * (1.0 - DBL_EPSILON), alpha);
}

void
dpriv_median_smooth_select(const DprivMeasure *measure, Datum exact, bool isnull,
						   int128 *component)
{
	const int64 *leaf;
	int			nleaves = dpriv_leaves_read(exact, isnull, &leaf);
	int128		smooth;

	component[0] = (int128) find_median(measure, leaf, nleaves, &smooth) <<
		-measure->grid.exponent;
	dpriv_measure_add_smooth_noise(measure, component, (int64) smooth, alpha_units(measure));
}

/* The middle of the leaf, as in quantile.c, with the noise; a leaf again if leaves are whole. */
Datum
dpriv_median_smooth_answer(const DprivMeasure *measure, const int128 *component)
{
	double		leaves = ldexp((double) component[0], measure->grid.exponent);
	double		lower = measure->lower;
	double		upper = measure->upper;
	double		value;

	if (measure->leaf_width > 0.0)
		value = lower + rint(leaves) * measure->leaf_width +
			floor((measure->leaf_width - 1.0) / 2);
	else
		value = lower + (upper - lower) * ((leaves + 0.5) / measure->ncells);
	return Float8GetDatum(Min(Max(value, lower), upper));
}
