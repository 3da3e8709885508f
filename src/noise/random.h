/*
 * random.h
 *	  Random bits, and uniform integers made of them.
 *
 * Every bit comes from pg_strong_random.  Nothing else in dpriv is random.  All functions raise
 * ERRCODE_INTERNAL_ERROR when the operating system's or OpenSSL's generator fails; there is no
 * weaker source to fall back on.
 */
#ifndef DPRIV_RANDOM_H
#define DPRIV_RANDOM_H

/* 64 independent fair bits. */
extern uint64 dpriv_random_u64(void);

/* Uniform on 0 .. n - 1, exactly; n >= 1. */
extern uint64 dpriv_random_below_u64(uint64 n);

/* The same for 128 bits. */
extern uint128 dpriv_random_below(uint128 n);

/*
 * Forget the bits drawn ahead, so that nobody finds later noise in memory.  To be called after a
 * release.
 */
extern void dpriv_random_wipe(void);

#endif							/* DPRIV_RANDOM_H */
