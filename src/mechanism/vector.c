/*
 * vector.c
 *	  Sums of vectors, each clipped to a norm: as many components as coordinates.
 *
 * A row adds a vector of integers whose norm, in integers, is at most B = floor(bound / step).  For
 * 'l1' the L1 sensitivity of all components together is B.  For 'l2' it is at most sqrt(dimension)
 * B by Cauchy and Schwarz.  The Euclidean one is B for both, since no Euclidean norm is larger than
 * the sum of sizes.
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"
#include "utils/builtins.h"

/* The sizes that bounds of sums may have. */
#define SMALLEST_BOUND 1e-200
#define LARGEST_BOUND 1e200

/*
 * Gaussian noise of a measure in a release, for the smallest delta, is at most this many times the
 * bound / epsilon: 9.3 for a tiny epsilon, less for others.
 */
#define LARGEST_GAUSSIAN 16.0

/* 1 or 2; 0 if it is neither. */
static int
norm_of(const DprivMeasure *measure)
{
	char	   *norm = text_to_cstring(DatumGetTextPP(measure->args[3]));

	return strcmp(norm, "l1") == 0 ? 1 : strcmp(norm, "l2") == 0 ? 2 : 0;
}

void
dpriv_vector_check(DprivMeasure *measure)
{
	int32		dimension = DatumGetInt32(measure->args[1]);
	double		bound = DatumGetFloat8(measure->args[2]);

	if (dimension < 1 || dimension > DPRIV_MAX_DIMENSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimension of %s is out of range", measure->kind->name),
				 errdetail("It must lie between 1 and %d.", DPRIV_MAX_DIMENSION),
				 errhint("Pass the number of coordinates that every vector should have; others "
						 "count as zero.")));

	/* The query's text alone says this, so it tells nothing of rows. */
	if (measure->elements > 0 && measure->elements != dimension)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dimension of %s is not that of its vectors", measure->kind->name),
				 errdetail("The length of the array is %d, so every vector would count as zero.",
						   measure->elements),
				 errhint("Pass that length. The arguments are (value, dimension, bound, norm "
						 "[, epsilon [, delta]]).")));

	/* written so that a NaN fails */
	if (!(bound >= SMALLEST_BOUND && bound <= LARGEST_BOUND))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bound of %s is out of range", measure->kind->name),
				 errdetail("It must lie between 1e-200 and 1e200."),
				 errhint("Pass the largest norm that a vector may keep, chosen from what is "
						 "publicly known. The arguments are (value, dimension, bound, norm "
						 "[, epsilon [, delta]]).")));
	if (norm_of(measure) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("norm of %s is unknown", measure->kind->name),
				 errhint("Write 'l1' for the sum of sizes, or 'l2' for Euclidean length.")));
	measure->upper = bound;
	measure->ncomponents = dimension;
}

/* The square root, rounded up. */
static int64
root_up(uint128 square)
{
	uint128		root = 0;

	for (int bit = 62; bit >= 0; bit--)
	{
		uint128		next = root | (uint128) 1 << bit;

		if (next * next <= square)
			root = next;
	}
	return (int64) (root * root < square ? root + 1 : root);
}

static Datum
ball_datum(const DprivMeasure *measure)
{
	Datum		part[DPRIV_BALL_ELEMENTS];

	part[DPRIV_BALL_EXPONENT] = Int64GetDatum(measure->grid.exponent);
	part[DPRIV_BALL_NORM] = Int64GetDatum(norm_of(measure));
	part[DPRIV_BALL_RADIUS] = Int64GetDatum(measure->grid.upper);
	part[DPRIV_BALL_DIMENSION] = Int64GetDatum(measure->ncomponents);
	return PointerGetDatum(construct_array(part, lengthof(part), INT8OID, sizeof(int64), true,
										   TYPALIGN_DOUBLE));
}

/*
 * Neither kind of noise is much smaller than the bound, or than bound / epsilon where epsilon is
 * large.  With epsilon up to 1,000 the norm stays below 2^51 steps, its square times the dimension
 * below 2^116; sums of fewer than 2^63 rows stay below 2^114.
 */
void
dpriv_vector_prepare(DprivMeasure *measure)
{
	double		epsilon = dpriv_epsilon_to_double(measure->epsilon.noise);
	double		ratio = norm_of(measure) == 1 ? 1.0 : sqrt(measure->ncomponents);
	int64		radius;

	measure->grid = dpriv_grid_choose_norm(measure->upper, measure->upper / Max(epsilon, 1.0),
										   measure->upper / epsilon *
										   Max(ratio, LARGEST_GAUSSIAN));
	measure->parameter = ball_datum(measure);
	radius = measure->grid.upper;
	measure->nsamplers = 1;
	measure->sensitivity[0] = norm_of(measure) == 1 ? radius :
		root_up((uint128) measure->ncomponents * (uint128) radius * (uint128) radius);
	measure->euclidean[0] = radius;
	measure->share[0] = measure->epsilon.noise;
}

void
dpriv_vector_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	DprivInt8Array *array;

	memset(component, 0, sizeof(int128) * measure->ncomponents);
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, 2 * measure->ncomponents))
		elog(ERROR, "unexpected result of an exact sum of vectors");
	for (int i = 0; i < measure->ncomponents; i++)
		component[i] = (int128) dpriv_join_halves(&array->value[2 * i]);
}

Datum
dpriv_vector_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *coordinate = palloc(sizeof(Datum) * measure->ncomponents);

	for (int i = 0; i < measure->ncomponents; i++)
		coordinate[i] = Float8GetDatum(ldexp((double) component[i], measure->grid.exponent));
	return PointerGetDatum(construct_array(coordinate, measure->ncomponents, FLOAT8OID,
										   sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
