/*
 * options.h
 *	  The argument options of a function.
 */
#ifndef DPRIV_LEARN_OPTIONS_H
#define DPRIV_LEARN_OPTIONS_H

#include "utils/jsonb.h"

/*
 * An error unless options is an object with members of this list, which ends with NULL: 22023.
 * whose: what has these options, for the message.
 */
extern void dpriv_learn_check_options(Jsonb *options, const char *const *known, const char *whose);

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
