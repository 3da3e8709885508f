/*
 * count.c
 *	  Counts: one component, sensitivity 1.
 */
#include "postgres.h"

#include "mechanism/kinds.h"

void
dpriv_count_prepare(DprivMeasure *measure)
{
	measure->grid.exponent = 0;
	measure->nsamplers = 1;
	measure->sensitivity[0] = 1;
	measure->share[0] = measure->epsilon.noise;
}

void
dpriv_count_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	component[0] = isnull ? 0 : DatumGetInt64(exact);
}

/* Noise beyond int64 has no chance worth a number, but arithmetic must not wrap. */
int64
dpriv_int128_to_int64(int128 value)
{
	if (value > PG_INT64_MAX)
		return PG_INT64_MAX;
	if (value < PG_INT64_MIN)
		return PG_INT64_MIN;
	return (int64) value;
}

Datum
dpriv_count_answer(const DprivMeasure *measure, const int128 *component)
{
	return Int64GetDatum(dpriv_int128_to_int64(component[0]));
}

/* Of one count, or of each bin by itself. */
double
dpriv_count_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	return dpriv_measure_noise_half_width(measure, 0, confidence);
}
