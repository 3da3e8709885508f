/*
 * node.h
 *	  The Release node: the only door between private rows and the outer query.
 */
#ifndef DPRIV_NODE_H
#define DPRIV_NODE_H

#include "accounting/cost.h"
#include "datatype/timestamp.h"
#include "mechanism/measure.h"
#include "mechanism/selection.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "release/groups.h"
#include "release/spec.h"
#include "tcop/dest.h"

typedef struct ReleaseState
{
	CustomScanState css;
	ReleaseSpec *spec;
	ReleaseGroups *groups;		/* NULL if they are selected */
	int			nmeasures;
	DprivMeasure *measures;		/* with this execution's parameters, once resolved */
	int128	  **component;		/* per measure: of the group that is being released */
	double	   *confidences;	/* per column; only for RELEASE_ERROR */
	DprivSelection selection;	/* of groups, once resolved; unused if all come back */
	int			deciding;		/* measure whose released count selects groups, or -1 */
	DprivCost	cost;			/* of all measures and of the selection; of nothing if empty */
	bool		resolved;
	bool		charged;		/* only then it runs */
	Tuplestorestate *rows;		/* released rows, once there are any */
	TupleTableSlot *stored;		/* reads them */
	List	   *relations;		/* what the inner plan was made for, kept open */
} ReleaseState;

extern const CustomScanMethods dpriv_release_scan_methods;
extern const CustomExecMethods dpriv_release_exec_methods;

/*
 * Evaluate epsilon, public arguments and confidences of this execution, and prepare the measures.
 * Reads no private data.  Errors: 22023 for what is out of range or not set, 22004 for NULL.
 */
extern void dpriv_release_resolve(ReleaseState *state);

/* Parameters for the inner plan: the statement's own, then those of the measures. */
extern ParamListInfo dpriv_release_parameters(ReleaseState *state);

/* Run the inner plan, sealed, into a receiver. */
extern void dpriv_release_run_inner(ReleaseState *state, DestReceiver *receiver);

/* Values of a released row: from the components of each measure, and the keys of its group. */
extern void dpriv_release_row(const ReleaseState *state, const Datum *key, const bool *key_isnull,
							  Datum *value, bool *isnull);

/* All releases of a statement that was started, as a list of ReleaseState, each once. */
extern List *dpriv_release_collect(PlanState *planstate);

/*
 * The statement's part of the text that was sent with it, which may be NULL: others have no place
 * in a ledger that more roles can read.
 */
extern const char *dpriv_statement_text(const char *text, const PlannedStmt *statement);

/* A warning if somebody may lose all privacy. */
extern void dpriv_warn_of_delta(double delta);

/* EXPLAIN callback. */
extern void dpriv_release_explain(CustomScanState *node, List *ancestors, struct ExplainState *es);

/* A measure as the user wrote it. */
extern char *dpriv_measure_text(const ReleaseMeasure *measure, List *context);

/* What the names in it mean. */
extern List *dpriv_measure_context(PlannedStmt *inner);

#endif							/* DPRIV_NODE_H */
