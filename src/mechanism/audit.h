/*
 * audit.h
 *	  A record of what the noise was added to or a choice made from, in test builds only.
 *
 * A build with -DDPRIV_AUDIT remembers the exact components of every measure.  Such a library gives
 * no privacy: the shipped build does not contain a line of it.
 */
#ifndef DPRIV_AUDIT_H
#define DPRIV_AUDIT_H

#ifdef DPRIV_AUDIT
#include "mechanism/measure.h"
#include "mechanism/selection.h"

extern void dpriv_audit_exact(const DprivMeasure *measure, const int128 *component);
extern void dpriv_audit_noisy(const DprivMeasure *measure, const DprivMeasure *part,
							  int128 *component, bool decides);
extern void dpriv_audit_choice(const DprivMeasure *measure, const DprivRun *run, int nruns,
							   const DprivRate *rate, uint32 *cell);
extern void dpriv_audit_release_if(const DprivMeasure *measure, int128 distance, int64 value,
								   int64 share, double threshold, const DprivLaplace *noise,
								   bool *passed);
extern void dpriv_audit_smooth(const DprivMeasure *measure, const int128 *component, int64 smooth,
							   int64 alpha);
extern void dpriv_audit_first_below(const DprivMeasure *measure, const int128 *query, int n,
									int128 limit, int64 sensitivity,
									const DprivLaplace *limit_noise,
									const DprivLaplace *query_noise, uint32 *cell);
extern void dpriv_audit_selection(const DprivSelection *selection, int128 value, bool kept);
extern uint64 dpriv_audit_sample(uint64 sample, int n);
extern int	dpriv_audit_block(int block, int nblocks, const Datum *value, int n);
extern void dpriv_audit_blocks(const double *result, int n);
extern void dpriv_audit_exact_vector(const int64 *sum, int n);
extern void dpriv_audit_noisy_vector(int64 sensitivity, const DprivGaussian *gaussian, int64 *sum,
									 int n);

#define DPRIV_AUDIT_EXACT(measure, component) dpriv_audit_exact(measure, component)
#define DPRIV_AUDIT_NOISY(measure, part, component, decides) \
	dpriv_audit_noisy(measure, part, component, decides)
#define DPRIV_AUDIT_CHOICE(measure, run, nruns, rate, cell) \
	dpriv_audit_choice(measure, run, nruns, rate, cell)
#define DPRIV_AUDIT_RELEASE_IF(measure, distance, value, share, threshold, noise, passed) \
	dpriv_audit_release_if(measure, distance, value, share, threshold, noise, passed)
#define DPRIV_AUDIT_SMOOTH(measure, component, smooth, alpha) \
	dpriv_audit_smooth(measure, component, smooth, alpha)
#define DPRIV_AUDIT_FIRST_BELOW(measure, query, n, limit, sensitivity, limit_noise, query_noise, \
								cell) \
	dpriv_audit_first_below(measure, query, n, limit, sensitivity, limit_noise, query_noise, cell)
#define DPRIV_AUDIT_SELECTION(selection, value, kept) dpriv_audit_selection(selection, value, kept)
#define DPRIV_AUDIT_SAMPLE(sample, n) ((sample) = dpriv_audit_sample(sample, n))
#define DPRIV_AUDIT_BLOCK(block, nblocks, value, n) \
	((block) = dpriv_audit_block(block, nblocks, value, n))
#define DPRIV_AUDIT_BLOCKS(result, n) dpriv_audit_blocks(result, n)
#define DPRIV_AUDIT_EXACT_VECTOR(sum, n) dpriv_audit_exact_vector(sum, n)
#define DPRIV_AUDIT_NOISY_VECTOR(sensitivity, gaussian, sum, n) \
	dpriv_audit_noisy_vector(sensitivity, gaussian, sum, n)
#else
#define DPRIV_AUDIT_EXACT(measure, component) ((void) 0)
#define DPRIV_AUDIT_NOISY(measure, part, component, decides) ((void) 0)
#define DPRIV_AUDIT_CHOICE(measure, run, nruns, rate, cell) ((void) 0)
#define DPRIV_AUDIT_RELEASE_IF(measure, distance, value, share, threshold, noise, passed) \
	((void) 0)
#define DPRIV_AUDIT_SMOOTH(measure, component, smooth, alpha) ((void) 0)
#define DPRIV_AUDIT_FIRST_BELOW(measure, query, n, limit, sensitivity, limit_noise, query_noise, \
								cell) \
	((void) 0)
#define DPRIV_AUDIT_SELECTION(selection, value, kept) ((void) 0)
#define DPRIV_AUDIT_SAMPLE(sample, n) ((void) 0)
#define DPRIV_AUDIT_BLOCK(block, nblocks, value, n) ((void) 0)
#define DPRIV_AUDIT_BLOCKS(result, n) ((void) 0)
#define DPRIV_AUDIT_EXACT_VECTOR(sum, n) ((void) 0)
#define DPRIV_AUDIT_NOISY_VECTOR(sensitivity, gaussian, sum, n) ((void) 0)
#endif

#endif							/* DPRIV_AUDIT_H */
