/*
 * total.h
 *	  Bounds that the total functions and the list of allowed ones share.
 */
#ifndef DPRIV_TOTAL_H
#define DPRIV_TOTAL_H

#include "access/detoast.h"

/* Longest pattern, delimiter or set of characters, in bytes: each may cost time for every byte. */
#define DPRIV_MAX_PATTERN 256

/* Longest text whose case is changed, in bytes.  PostgreSQL fails beyond 256 MB. */
#define DPRIV_MAX_CASED (1024 * 1024)

/* Bytes of a text, without reading it if it is stored elsewhere. */
static inline Size
dpriv_text_size(Datum text)
{
	return toast_raw_datum_size(text) - VARHDRSZ;
}

/* Can LIKE use this pattern: is it short, and does its last escape character escape something? */
extern bool dpriv_pattern_is_good(Datum pattern);

#endif							/* DPRIV_TOTAL_H */
