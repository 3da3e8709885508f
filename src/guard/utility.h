/*
 * utility.h
 *	  Statements that are not planned, and EXPLAIN: what of them could tell of protected rows.
 */
#ifndef DPRIV_UTILITY_H
#define DPRIV_UTILITY_H

#include "commands/explain.h"
#include "executor/execdesc.h"
#include "tcop/utility.h"

/*
 * Run a utility statement with next, unless the current role could learn from it of rows that it
 * must not see, or keep others from using them.  Errors: 42501.
 */
extern void dpriv_guard_utility(PlannedStmt *stmt, const char *query_string, bool read_only_tree,
								ProcessUtilityContext context, ParamListInfo params,
								QueryEnvironment *environment, DestReceiver *receiver,
								QueryCompletion *completion, ProcessUtility_hook_type next);

/* Explain one query with next; without costs if the current role must not see what it reads. */
extern void dpriv_guard_explain(Query *query, int cursor_options, IntoClause *into,
								struct ExplainState *es, const char *query_string,
								ParamListInfo params, QueryEnvironment *environment,
								ExplainOneQuery_hook_type next);

/*
 * Is the current statement run, or planned, for EXPLAIN to say what that took?  Then it must not
 * read protected rows.
 */
extern bool dpriv_guard_is_measured(void);

/*
 * When a statement starts: refuse it if it is measured and must not be, and leave its costs out of
 * what EXPLAIN prints.  Errors: 42501.
 */
extern void dpriv_guard_start(QueryDesc *query_desc, int eflags);
extern void dpriv_guard_started(void);

/* Whatever is allowed to be read now: refuse COPY of a catalog that is masked.  Errors: 42501. */
extern void dpriv_guard_copied(List *permissions);

/* The refusal, also for a statement that is being planned. */
extern void dpriv_guard_refuse_measuring(Oid relation);

#endif							/* DPRIV_UTILITY_H */
