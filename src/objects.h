/*
 * objects.h
 *	  The extension's own catalog objects, recognised by OID only.
 */
#ifndef DPRIV_OBJECTS_H
#define DPRIV_OBJECTS_H

#include "storage/lockdefs.h"
#include "utils/relcache.h"

/* What the caller wants to look up: filled by dpriv_objects_declare(). */
typedef struct DprivFunctionName
{
	bool		administrative; /* in schema dpriv, else in the extension's schema */
	const char *name;
	int			nargs;
	Oid			argtypes[8];
	bool		deferred;		/* looked up when it is asked for, not with all others */
} DprivFunctionName;

/*
 * Slots of the fixed functions; the functions of the measure table follow at DPRIV_FIRST_DECLARED.
 */
typedef enum DprivFunction
{
	DPRIV_RELEASE,				/* placeholder that a release replaces */
	DPRIV_ERROR,				/* dp_error(measure) */
	DPRIV_ERROR_CONFIDENCE,		/* dp_error(measure, confidence) */
	DPRIV_TO_REAL,				/* dpriv.to_real(numeric) */
	DPRIV_GUARD,				/* dpriv.guard(regclass) */
	DPRIV_LABEL_OF_INT8,		/* dpriv.label_of(bigint) */
	DPRIV_LABEL_OF_BOOL,		/* dpriv.label_of(boolean) */
	DPRIV_LABEL_OF_DATE,		/* dpriv.label_of(date) */
	DPRIV_FIRST_DECLARED,
} DprivFunction;

#define DPRIV_MAX_FUNCTIONS 512

extern void dpriv_objects_init(void);

/* Announce a function to look up; returns its slot.  Called while the library is being loaded. */
extern int	dpriv_objects_declare(const DprivFunctionName *name);

/*
 * Is the extension installed in this database?  The other functions answer "no" or InvalidOid if
 * not.
 */
extern bool dpriv_objects_installed(void);

/*
 * OID of a function by slot.  InvalidOid if the extension is not installed or lacks the function.
 */
extern Oid	dpriv_object(int slot);

/* Slot of a function by OID, or -1; of deferred ones -1 until they have been asked for. */
extern int	dpriv_object_slot(Oid function);

/* The extension's tables in schema dpriv, and indexes that they are read by. */
typedef enum DprivRelation
{
	DPRIV_TABLE_BUDGET,
	DPRIV_INDEX_BUDGET,			/* (relation, grantee, kind) */
	DPRIV_TABLE_LEDGER,
	DPRIV_TABLE_LEDGER_ARCHIVE,
	DPRIV_NRELATIONS,
} DprivRelation;

/* OID of a table or index.  InvalidOid if the extension is not installed or it cannot be found. */
extern Oid	dpriv_relation(DprivRelation which);

/*
 * Open a table, whatever the user may do and search_path says; an error if it cannot be found:
 * who cannot read a budget must not go on without one.
 */
extern Relation dpriv_relation_open(DprivRelation which, LOCKMODE mode);

#endif							/* DPRIV_OBJECTS_H */
