/*
 * json.h
 *	  Security labels as JSON objects.
 */
#ifndef DPRIV_JSON_H
#define DPRIV_JSON_H

#include "utils/jsonb.h"

/* Read the text of a label.  NULL if it is an object, else what is wrong with it, as a sentence. */
extern const char *dpriv_json_read(const char *text, Jsonb **object);

/* The value of a key, or NULL; *nknown counts those that there are. */
extern JsonbValue *dpriv_json_member(Jsonb *object, const char *key, int *nknown);

/* Has the object no other keys than so many that are known?  NULL, or what is wrong. */
extern const char *dpriv_json_unknown(Jsonb *object, int nknown);

/* A value that is a string; else NULL. */
extern char *dpriv_json_string(const JsonbValue *value);

/* The elements of a value that is an array; else NULL. */
extern JsonbContainer *dpriv_json_array(const JsonbValue *value);

#endif							/* DPRIV_JSON_H */
