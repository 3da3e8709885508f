/*
 * gaussian.h
 *	  The discrete Gaussian distribution: exact draws.
 *
 * P[X = x] is proportional to exp(-x^2 / (2 sigma^2)) over all integers x, with sigma^2 = num / den steps^2.
 */
#ifndef DPRIV_GAUSSIAN_H
#define DPRIV_GAUSSIAN_H

#include "laplace.h"

/* Supported: sigma below this many steps.  num and den may be any 128-bit integers >= 1. */
#define DPRIV_GAUSSIAN_MAX_SIGMA (UINT64CONST(1) << 54)

/* Limbs of 64 bits that hold 2 t^2 num den; see gaussian.c for the bound. */
#define DPRIV_GAUSSIAN_LIMBS 5

/* Set by dpriv_gaussian_init(), read-only afterwards.  May be copied by value; holds no pointers. */
typedef struct DprivGaussian
{
	uint128		num;			/* sigma^2 = num / den, in lowest terms */
	uint128		den;
	DprivLaplace proposal;		/* scale t = floor(sigma) + 1 */
	uint64		step[3];		/* t den, least significant limb first */
	uint64		norm[DPRIV_GAUSSIAN_LIMBS]; /* 2 t^2 num den, least significant limb first */
} DprivGaussian;

/*
 * Prepare draws of variance parameter num / den steps^2; reduced to lowest terms here.
 *
 * False, with *gaussian undefined, if a parameter is 0 or sigma is out of the supported range.
 */
extern bool dpriv_gaussian_init(DprivGaussian *gaussian, uint128 num, uint128 den);

/*
 * One draw, exactly of the distribution above.  Beyond int64 (probability below 1e-110) it would saturate.
 * The time a draw takes depends on its value.
 */
extern int64 dpriv_gaussian_draw(const DprivGaussian *gaussian);

/* sqrt(num / den), in steps; for reports only.  The standard deviation is at most this. */
extern double dpriv_gaussian_sigma(const DprivGaussian *gaussian);

#endif							/* DPRIV_GAUSSIAN_H */
