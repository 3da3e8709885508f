/*
 * sample.h
 *	  dp_sample_and_aggregate.
 */
#ifndef DPRIV_SAMPLE_FUNCTIONS_H
#define DPRIV_SAMPLE_FUNCTIONS_H

/* Tell dpriv.cost() of the function. */
extern void dpriv_sample_functions_init(void);

#endif							/* DPRIV_SAMPLE_FUNCTIONS_H */
