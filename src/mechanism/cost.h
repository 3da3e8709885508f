/*
 * cost.h
 *	  What one measure, or one choice of groups, costs.
 */
#ifndef DPRIV_MECHANISM_COST_H
#define DPRIV_MECHANISM_COST_H

#include "accounting/cost.h"
#include "mechanism/measure.h"
#include "mechanism/selection.h"

/*
 * Of a measure that is resolved, after dpriv_gaussian_choose(), for the noise that it will draw:
 * once for all groups, since one row is in one of them.
 */
extern DprivCost dpriv_measure_cost(const DprivMeasure *measure);

/* Of choosing groups, besides the measures. */
extern DprivCost dpriv_selection_cost(const DprivSelection *selection);

/*
 * The mechanism's name, as the ledger and EXPLAIN have it: discrete Laplace, discrete Gaussian, or
 * how components are chosen.
 */
extern const char *dpriv_measure_mechanism(const DprivMeasure *measure);

extern const char *dpriv_selection_mechanism(const DprivSelection *selection);

#endif							/* DPRIV_MECHANISM_COST_H */
