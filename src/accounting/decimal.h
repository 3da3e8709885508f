/*
 * decimal.h
 *	  Exact sums of decimals.
 *
 * A float8 stands for the shortest decimal that reads back as it, which is what its user wrote.  A
 * sum of such decimals is kept digit by digit, so ten times 0.1 is 1 and ten times 1e-6 is 1e-05.
 */
#ifndef DPRIV_DECIMAL_H
#define DPRIV_DECIMAL_H

/* digits 10^exponent; digits up to 10^17. */
typedef struct DprivDecimal
{
	uint64		digits;
	int			exponent;
} DprivDecimal;

/* The shortest decimal of a finite value >= 0.  Does not depend on the locale. */
extern DprivDecimal dpriv_decimal_from_double(double value);

/*
 * 675 digits, nine to a limb, the least significant first.  The last digit is that of the smallest
 * float8, 10^-324; the first is beyond 2^31 terms of 2^63 times the largest.
 */
#define DPRIV_DECIMAL_LIMBS 75

typedef struct DprivDecimalSum
{
	uint32		limb[DPRIV_DECIMAL_LIMBS];
	bool		infinite;
} DprivDecimalSum;

extern void dpriv_decimal_sum_init(DprivDecimalSum *sum);

/* Add times >= 0 times a value >= 0, Infinity included; zero times Infinity is 0. */
extern void dpriv_decimal_sum_add(DprivDecimalSum *sum, double value, int64 times);

/* Add times >= 0 times a decimal with -324 <= exponent <= 308, as those of every float8 have. */
extern void dpriv_decimal_sum_add_decimal(DprivDecimalSum *sum, DprivDecimal decimal, int64 times);

/* The smallest float8 whose shortest decimal is not below the sum. */
extern double dpriv_decimal_sum_up(const DprivDecimalSum *sum);

#endif							/* DPRIV_DECIMAL_H */
