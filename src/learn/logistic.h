/*
 * logistic.h
 *	  The logistic function, the same on every machine.
 */
#ifndef DPRIV_LEARN_LOGISTIC_H
#define DPRIV_LEARN_LOGISTIC_H

/*
 * 1 / (1 + exp(-z)), up to 1e-13 of itself; below z = -600 it is what it is there, some 1e-261.
 * Made of additions, products and quotients only.
 */
extern double dpriv_learn_logistic(double z);

/* The same of n numbers at once, in their places: a processor has several of them under way. */
extern void dpriv_learn_logistic_each(double *z, int n);

#endif							/* DPRIV_LEARN_LOGISTIC_H */
