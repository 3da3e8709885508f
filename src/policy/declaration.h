/*
 * declaration.h
 *	  What is declared of a column: public bounds of its values, and a list of them.
 */
#ifndef DPRIV_DECLARATION_H
#define DPRIV_DECLARATION_H

#include "access/attnum.h"

typedef struct DprivDeclaration
{
	bool		has_bounds;
	double		lower;
	double		upper;
	int			nlabels;		/* values of the domain; 0: none is declared */
	char	  **label;			/* as texts, in the order in which they are declared */
	char	   *other;			/* what all other values count as; NULL: they do not count */
} DprivDeclaration;

/* Can relations of this kind, or their columns, be declared?  Releases can read them. */
extern bool dpriv_is_declarable(char relkind);

/* NULL, or what is wrong with these bounds, as a sentence. */
extern const char *dpriv_bounds_problem(double lower, double upper);

/* The same of the texts of a domain. */
extern const char *dpriv_labels_problem(const DprivDeclaration *declaration);

/* NULL, or why the column cannot have bounds. */
extern const char *dpriv_bounds_misfit(Oid relation, AttrNumber column);

/* Read the text of a column's label.  NULL, or what is wrong with it. */
extern const char *dpriv_declaration_parse(const char *text, DprivDeclaration *declaration);

/* Read the label of a column, all zero if it has none.  NULL, or what is wrong with it. */
extern const char *dpriv_declaration_read(Oid relation, AttrNumber column,
										  DprivDeclaration *declaration);

/* Write the label of a column, or remove it if nothing is declared.  Who may is not asked. */
extern void dpriv_declaration_write(Oid relation, AttrNumber column,
									const DprivDeclaration *declaration);

#endif							/* DPRIV_DECLARATION_H */
