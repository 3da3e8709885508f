/*
 * options.h
 *	  The argument options of a training.
 */
#ifndef DPRIV_LEARN_OPTIONS_H
#define DPRIV_LEARN_OPTIONS_H

#include "learn/learn.h"

/* An error if there are options that neither all methods nor this one takes: 22023. */
extern void dpriv_learn_check_options(Jsonb *options, const LearnMethod *method);

/* A member of an object; NULL if there is none. */
extern JsonbValue *dpriv_learn_member(JsonbContainer *object, const char *name);

/* An option that is a number of a range, or its default.  Error: 22023. */
extern double dpriv_learn_option(Jsonb *options, const char *name, double otherwise, double least,
								 double largest);

/* The same for a whole number. */
extern int	dpriv_learn_whole_option(Jsonb *options, const char *name, int otherwise, int least,
									 int largest);

/* An option that is a text, or NULL.  Error: 22023. */
extern char *dpriv_learn_text_option(Jsonb *options, const char *name);

/* A number as a double; what float8 cannot hold is infinite. */
extern double dpriv_learn_json_number(const JsonbValue *value);

#endif							/* DPRIV_LEARN_OPTIONS_H */
