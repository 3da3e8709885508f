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

#define HALVINGS 10
#define LARGEST 40.0

/* exp(-x) for x from 0 to LARGEST: the series for a small part of x, squared again and again. */
static double
exp_of_negative(double x)
{
	double		t = x * (1.0 / (1 << HALVINGS));
	double		power = 1.0 - t * (1.0 - t * (1.0 / 2.0) *
								   (1.0 - t * (1.0 / 3.0) *
									(1.0 - t * (1.0 / 4.0) *
									 (1.0 - t * (1.0 / 5.0) * (1.0 - t * (1.0 / 6.0))))));

	for (int i = 0; i < HALVINGS; i++)
		power *= power;
	return power;
}

double
dpriv_learn_logistic(double z)
{
	double		power = exp_of_negative(fabs(z) < LARGEST ? fabs(z) : LARGEST);

	return z < 0 ? power / (1.0 + power) : 1.0 / (1.0 + power);
}
