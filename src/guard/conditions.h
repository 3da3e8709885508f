/*
 * conditions.h
 *	  Conditions on the arguments of functions that may see private rows.
 */
#ifndef DPRIV_CONDITIONS_H
#define DPRIV_CONDITIONS_H

#include "guard/allowed.h"

/* Texts: patterns of LIKE and ILIKE, encodings, second and third arguments. */
extern const DprivCondition dpriv_if_pattern;
extern const DprivCondition dpriv_if_letter_case;
extern const DprivCondition dpriv_if_icase;
extern const DprivCondition dpriv_if_short;
extern const DprivCondition dpriv_if_part;
extern const DprivCondition dpriv_unless_length;

/* Type modifiers. */
extern const DprivCondition dpriv_if_cut;
extern const DprivCondition dpriv_if_typmod;

/* Names of fields, for extract(), date_part() and date_trunc(). */
extern const DprivCondition dpriv_if_date_field;
extern const DprivCondition dpriv_if_timestamp_field;
extern const DprivCondition dpriv_if_interval_field;
extern const DprivCondition dpriv_if_time_field;
extern const DprivCondition dpriv_if_trunc_field;

#endif							/* DPRIV_CONDITIONS_H */
