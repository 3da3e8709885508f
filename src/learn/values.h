/*
 * values.h
 *	  What a value of a row is for a model: a number, a level, a class.
 */
#ifndef DPRIV_LEARN_VALUES_H
#define DPRIV_LEARN_VALUES_H

#include "learn/learn.h"

/* Kinds of types that features can have, besides enums. */
extern bool dpriv_learn_is_number(Oid type);
extern bool dpriv_learn_is_text(Oid type);

/* A value of a type that has numbers as a double; may be NaN or infinite. */
extern double dpriv_learn_number(Datum value, Oid type);

/* The place of a number between the bounds: what is beyond them is at them, NaN in the middle. */
extern int32 dpriv_learn_place(const LearnFeature *feature, double x);

/* The level of a value of a category; the last one if it is not among the others. */
extern int	dpriv_learn_level(const LearnFeature *feature, Datum value);

/* 1 or 0: the class; -1: neither. */
extern int	dpriv_learn_class(const LearnLabel *label, Datum value);

/* With the levels in their places, find their order.  False if one is there twice. */
extern bool dpriv_learn_sort_levels(LearnFeature *feature);

#endif							/* DPRIV_LEARN_VALUES_H */
