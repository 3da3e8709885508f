/*
 * domain.h
 *	  A public list of values of one type.
 */
#ifndef DPRIV_DOMAIN_H
#define DPRIV_DOMAIN_H

#include "policy/declaration.h"
#include "utils/array.h"

/*
 * The values are all different: equal ones always look the same, see order_of_images() in inner.c,
 * and so they are told apart by their bytes.
 */
typedef struct DprivDomain
{
	Oid			type;			/* of the values: no domain over another type, and no varchar */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			nvalues;
	Datum	   *value;			/* in the order in which they come back */
	int		   *sorted;			/* their numbers, in the order of their bytes */
	int			other;			/* number of the value that others count as, or -1 */
} DprivDomain;

/* Start a domain of a type, with room for so many values. */
extern void dpriv_domain_begin(DprivDomain *domain, Oid type, int nvalues);

/* With all values in their places.  The number of one that is there twice, or -1. */
extern int	dpriv_domain_end(DprivDomain *domain);

/* The number of a value, or -1. */
extern int	dpriv_domain_find(const DprivDomain *domain, Datum value);

/*
 * The values that are declared for a column; if others count as one that is not among them, that
 * one comes last.  NULL, or why the column's type does not have these values, as a sentence.
 */
extern const char *dpriv_domain_make(const DprivDeclaration *declaration, Oid relation,
									 AttrNumber column, DprivDomain *domain);

/* NULL, or why the column's type cannot have what is declared. */
extern const char *dpriv_declaration_misfit(const DprivDeclaration *declaration, Oid relation,
											AttrNumber column);

/* All values as texts, as below, in their order: text[]. */
extern ArrayType *dpriv_domain_labels(const DprivDomain *domain);

/* A value as a text, the same whatever the settings are: that of dpriv.label_of(). */
extern char *dpriv_domain_label(Oid type, Datum value);

#endif							/* DPRIV_DOMAIN_H */
