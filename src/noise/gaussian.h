/*
 * gaussian.h
 *	  The discrete Gaussian distribution: exact draws.
 *
 * P[X = x] is proportional to exp(-x^2 / (2 sigma^2)) over all integers x, with sigma^2 = num / den
 * steps^2.
 */
#ifndef DPRIV_GAUSSIAN_H
#define DPRIV_GAUSSIAN_H

#include "noise/laplace.h"
#include "noise/wide.h"

/* Supported: sigma below this many steps.  num and den may be any 128-bit integers >= 1. */
#define DPRIV_GAUSSIAN_MAX_SIGMA (UINT64CONST(1) << 54)

/* Set by dpriv_gaussian_init(), then read-only.  May be copied by value; holds no pointers. */
typedef struct DprivGaussian
{
	uint128		num;			/* sigma^2 = num / den, as given */
	uint128		den;
	uint64		width;			/* of strips; 0: draws come from the proposal */
	DprivLaplace proposal;		/* scale t = floor(sigma) + 1 */
	DprivWide	step;			/* t den */
	DprivWide	norm;			/* 2 t^2 num den */
} DprivGaussian;

/*
 * Prepare draws of variance parameter num / den steps^2.
 *
 * False, with *gaussian undefined, if a parameter is 0 or sigma is out of the supported range.
 */
extern bool dpriv_gaussian_init(DprivGaussian *gaussian, uint128 num, uint128 den);

/*
 * One draw, exactly of the distribution above.  One beyond int64 (probability below 1e-56000) would
 * be returned as the largest int64 of its sign.  The time a draw takes depends on its value.
 *
 * Draws are quickest if sigma is a multiple of DPRIV_STRIPS (strip.h); then one beyond 50 sigma is
 * an error in place of a value, with a probability below 2^-380.
 */
extern int64 dpriv_gaussian_draw(const DprivGaussian *gaussian);

/* sqrt(num / den), in steps; for reports only.  The standard deviation is at most this. */
extern double dpriv_gaussian_sigma(const DprivGaussian *gaussian);

#endif							/* DPRIV_GAUSSIAN_H */
