/*
 * logistic.c
 *	  The logistic function, the same on every machine.
 *
 * A C library's exp() may differ from another's in the last digit, and a sum of gradients would
 * then depend on the machine.  IEEE 754 defines the operations used here to the last bit.
 */
#include "postgres.h"

#include <math.h>

#include "learn/logistic.h"

/* No product with exp(-x) comes near numbers of fewer digits, with which processors are slow. */
#define LARGEST 600.0

/* ln 2 in two parts, the first with zeros at its end: its product with a small integer is exact. */
#define LN2_HIGH 0x1.62e42fep-1
#define LN2_LOW 0x1.f473de6af278fp-30
#define LOG2_E 1.44269504088896340736

/*
 * exp(-x) for x from 0 to LARGEST: x = n ln 2 + r with r at most ln 2 / 2 in size, and the series
 * of exp(-r) up to r^11, its even and its odd terms apart, times 2^-n.
 */
static inline double
exp_of_negative(double x)
{
	int			n = (int) (x * LOG2_E + 0.5);
	double		r = (x - n * LN2_HIGH) - n * LN2_LOW;
	double		rr = r * r;
	double		even = 1.0 + rr * (1.0 / 2 + rr * (1.0 / 24 + rr * (1.0 / 720 +
						rr * (1.0 / 40320 + rr * (1.0 / 3628800)))));
	double		odd = 1.0 + rr * (1.0 / 6 + rr * (1.0 / 120 + rr * (1.0 / 5040 +
						rr * (1.0 / 362880 + rr * (1.0 / 39916800)))));
	uint64		bits = (uint64) (1023 - n) << 52;
	double		power;

	memcpy(&power, &bits, sizeof(power));
	return (even - r * odd) * power;
}

static inline double
logistic(double z)
{
	double		size = fabs(z);
	double		power = exp_of_negative(size < LARGEST ? size : LARGEST);

	return (z < 0 ? power : 1.0) / (1.0 + power);
}

double
dpriv_learn_logistic(double z)
{
	return logistic(z);
}

void
dpriv_learn_logistic_each(double *z, int n)
{
	for (int i = 0; i < n; i++)
		z[i] = logistic(z[i]);
}
