/*
 * row.h
 *	  A row of the ledger, in memory and on disk.
 *
 * Its hash covers everything but the OID of the relation, which a restore does not keep, and the
 * hash of the row before it in the chain of its budget.
 */
#ifndef DPRIV_ROW_H
#define DPRIV_ROW_H

#include "access/htup.h"
#include "access/tupdesc.h"
#include "ledger/ledger.h"
#include "utils/array.h"

/* Columns of dpriv.ledger. */
typedef enum DprivLedgerColumn
{
	Anum_dpriv_ledger_charge_id = 1,
	Anum_dpriv_ledger_charged_at,
	Anum_dpriv_ledger_session_role,
	Anum_dpriv_ledger_current_role,
	Anum_dpriv_ledger_relation,
	Anum_dpriv_ledger_relation_name,
	Anum_dpriv_ledger_mechanism,
	Anum_dpriv_ledger_measures,
	Anum_dpriv_ledger_epsilon,
	Anum_dpriv_ledger_delta_basic,
	Anum_dpriv_ledger_delta_approx,
	Anum_dpriv_ledger_rho,
	Anum_dpriv_ledger_curve,
	Anum_dpriv_ledger_budget_id,
	Anum_dpriv_ledger_entry,
	Anum_dpriv_ledger_period_start,
	Anum_dpriv_ledger_total_epsilon,
	Anum_dpriv_ledger_total_delta_basic,
	Anum_dpriv_ledger_total_delta_approx,
	Anum_dpriv_ledger_total_rho,
	Anum_dpriv_ledger_total_curve,
	Anum_dpriv_ledger_lifetime_epsilon,
	Anum_dpriv_ledger_query,
	Anum_dpriv_ledger_parameters,
	Anum_dpriv_ledger_hash,
} DprivLedgerColumn;

#define Natts_dpriv_ledger Anum_dpriv_ledger_hash

typedef struct DprivRow
{
	pg_uuid_t	charge_id;
	TimestampTz charged_at;
	text	   *session_role;
	text	   *current_role;
	Oid			relation;		/* InvalidOid if the charge is for none */
	text	   *relation_name;	/* NULL likewise */
	text	   *mechanism;
	ArrayType  *measures;		/* text[] */
	DprivCost	cost;
	bool		has_budget;		/* else nothing from here to entry counts */
	pg_uuid_t	budget;
	bool		has_period;
	DprivEntry	entry;			/* where the budget's chain stands with this row */
	text	   *query;			/* or NULL */
	text	   *parameters;		/* or NULL */
} DprivRow;

/* Set the row's hash, chained to the one before it (NULL: it is the first). */
extern void dpriv_row_seal(DprivRow *row, const uint8 *previous);

/* Errors: 22021, 22P05, ... if a text of it cannot be hashed.  Else no sealing will say so. */
extern void dpriv_row_check_texts(const DprivRow *row);

extern HeapTuple dpriv_row_form(const DprivRow *row, TupleDesc tupdesc);

/*
 * Read a row of the ledger, or of its archive.  False if a column has what no charge writes; row is
 * then incomplete.
 */
extern bool dpriv_row_read(DprivRow *row, HeapTuple tuple, TupleDesc tupdesc);

/* The same for what the next charge needs of it; budget: whose it is, or NULL not to ask. */
extern bool dpriv_entry_read(DprivEntry *entry, HeapTuple tuple, TupleDesc tupdesc,
							 pg_uuid_t *budget);

/* A random identifier (RFC 4122, version 4).  Errors: XX000 if there is no randomness. */
extern void dpriv_make_uuid(pg_uuid_t *uuid);

/* A curve as float8[]. */
extern Datum dpriv_curve_to_array(const double *curve);

/* Whole units of 10^-digits as an exact numeric, and back.  False: it is not that. */
extern Datum dpriv_units_to_numeric(int128 units, int digits);
extern bool dpriv_units_from_numeric(Datum numeric, int digits, int128 *units);

#define DPRIV_EPSILON_DIGITS 12
#define DPRIV_DELTA_DIGITS 36

#endif							/* DPRIV_ROW_H */
