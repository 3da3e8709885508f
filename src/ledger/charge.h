/*
 * charge.h
 *	  The one place where releases are paid for.
 */
#ifndef DPRIV_CHARGE_H
#define DPRIV_CHARGE_H

/*
 * Sum of two charges in units of 1e-12, neither of them negative.  Beyond what fits, a charge is
 * the largest there is: no budget allows it.
 */
extern int64 dpriv_charge_add(int64 a, int64 b);

/*
 * Pay for all releases of one statement: epsilon in units of 1e-12.  Called after the statement's
 * permissions were checked and before anything private is read; when it returns, the charge stays
 * whatever becomes of the statement or its transaction.  Errors: 53400 if a budget does not allow
 * it, and then nothing is spent; 25006 in recovery; 0A000 under serializable isolation.
 */
extern void dpriv_charge(int64 epsilon);

#endif							/* DPRIV_CHARGE_H */
