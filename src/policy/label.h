/*
 * label.h
 *	  Security labels of provider dpriv: what is known of a relation.
 */
#ifndef DPRIV_LABEL_H
#define DPRIV_LABEL_H

#define DPRIV_LABEL_PROVIDER "dpriv"

/* What adding or removing one privacy unit adds or removes. */
typedef enum DprivUnit
{
	DPRIV_UNIT_ROW,				/* one row of the relation */
} DprivUnit;

typedef struct DprivLabel
{
	DprivUnit	unit;			/* of a relation that is protected */
	bool		is_public;		/* declared public: nothing is protected, there is no unit */
} DprivLabel;

extern void dpriv_label_init(void);

/* The unit of that name.  False: there is none. */
extern bool dpriv_unit_read(const char *name, DprivUnit *unit);

extern const char *dpriv_unit_name(DprivUnit unit);

/* Does a label protect the relation?  So does one that cannot be read. */
extern bool dpriv_label_protects(Oid relation);

/* Does its label declare the relation public? */
extern bool dpriv_label_is_public(Oid relation);

/*
 * Read the label of a protected relation.  NULL if it could be read, else what is wrong, as a
 * sentence: also that there is none.
 */
extern const char *dpriv_label_read(Oid relation, DprivLabel *label);

/* Write the label of a relation, or remove it (NULL).  Who may is for the caller to know. */
extern void dpriv_label_write(Oid relation, const DprivLabel *label);

#endif							/* DPRIV_LABEL_H */
