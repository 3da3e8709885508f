/*
 * sample.h
 *	  dp_sample_and_aggregate: a private value of any statistic that blocks of the rows agree on.
 */
#ifndef DPRIV_SAMPLE_H
#define DPRIV_SAMPLE_H

/* Announce the function to dpriv.cost().  Called while the library is being loaded. */
extern void dpriv_sample_init(void);

#endif							/* DPRIV_SAMPLE_H */
