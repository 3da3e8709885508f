/*
 * strip.h
 *	  Exact choice of a strip under a Gaussian curve.
 *
 * A curve of standard deviation sigma is cut into strips of width sigma / DPRIV_STRIPS, of which
 * strip k begins at k sigma / DPRIV_STRIPS, k = 0, 1, 2, ...; its weight is the height of the curve
 * there.
 */
#ifndef DPRIV_STRIP_H
#define DPRIV_STRIP_H

/* To a sigma. */
#define DPRIV_STRIPS 8

/* A probability in 64-bit digits, most significant first; all but the last of them are certain. */
#define DPRIV_STRIP_DIGITS 32

/* To draw a strip beyond it, which has a probability below 2^-380, is an error. */
#define DPRIV_STRIP_LAST 400

/*
 * To be called before the first draw.  Takes less than a millisecond, once in a process.
 */
extern void dpriv_strip_prepare(void);

/* Strip k with a probability proportional to exp(-(k / DPRIV_STRIPS)^2 / 2), exactly. */
extern int	dpriv_strip_draw(void);

/* The digits of that number, for 1 <= k <= DPRIV_STRIP_LAST. */
extern void dpriv_strip_height(int k, uint64 digits[DPRIV_STRIP_DIGITS]);

#endif							/* DPRIV_STRIP_H */
