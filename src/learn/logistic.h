/*
 * logistic.h
 *	  The logistic function, the same on every machine.
 */
#ifndef DPRIV_LEARN_LOGISTIC_H
#define DPRIV_LEARN_LOGISTIC_H

/* 1 / (1 + exp(-z)), up to 1e-13 of itself; made of additions, products and quotients only. */
extern double dpriv_learn_logistic(double z);

#endif							/* DPRIV_LEARN_LOGISTIC_H */
