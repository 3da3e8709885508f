/*
 * quantum.h
 *	  Releases that end in steps of time.
 */
#ifndef DPRIV_QUANTUM_H
#define DPRIV_QUANTUM_H

/*
 * Do work that sees rows.  It returns, or fails, at the end of a step of dpriv.time_quantum since
 * it began: what fails after rows were read may be the caller's choice, and would tell how long
 * that took.  Cancel and shutdown are told at once, in the same way before and while it waits.
 */
extern void dpriv_in_steps(void (*work) (void *arg), void *arg);

#endif							/* DPRIV_QUANTUM_H */
