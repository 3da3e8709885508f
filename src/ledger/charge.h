/*
 * charge.h
 *	  The one place where releases are paid for.
 */
#ifndef DPRIV_CHARGE_H
#define DPRIV_CHARGE_H

/* What a release costs. */
typedef struct DprivCharge
{
	int64		epsilon;		/* in units of 1e-12 */
	int128		delta;			/* in units of 1e-36 */
} DprivCharge;

/*
 * Sum of two charges.  Beyond what fits, a charge is the largest there is: no budget allows it.
 */
extern DprivCharge dpriv_charge_add(DprivCharge a, DprivCharge b);

/*
 * Pay for all releases of one statement.  Called after the statement's permissions were checked and
 * before anything private is read; when it returns, the charge stays whatever becomes of the
 * statement or its transaction.  Errors: 53400 if a budget does not allow it, and then nothing is
 * spent; 25006 in recovery; 0A000 under serializable isolation.
 */
extern void dpriv_charge(DprivCharge charge);

#endif							/* DPRIV_CHARGE_H */
