/*
 * mode.c
 *	  The most frequent of given categories, and the k most frequent ones.
 *
 * The score of a category is its count.  One row more raises one score by 1 and no other, so all
 * scores move in the same direction by 1 at most, and a choice with divisor 1 gets all of epsilon
 * (dpriv_exponential_choose).  The k most frequent are k such choices, each among what is left and
 * with a k-th of epsilon; given the earlier choices each is private, and losses add up.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mechanism/kinds.h"
#include "miscadmin.h"
#include "utils/array.h"

void
dpriv_mode_check(DprivMeasure *measure)
{
	dpriv_categories_check(measure);
	measure->ncells = measure->ncomponents;
	measure->ndraws = measure->ncells;
	measure->ncomponents = 1;
}

void
dpriv_top_k_check(DprivMeasure *measure)
{
	int			k = DatumGetInt32(measure->args[2]);

	dpriv_mode_check(measure);
	if (k < 1 || k > measure->ncells)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("third argument of %s is out of range", measure->kind->name),
				 errdetail("It says how many of the categories to return: from 1 to their number, "
						   "which is %d.", measure->ncells),
				 errhint("The arguments are (value, categories, k [, epsilon]).")));
	measure->ncomponents = k;
	measure->ndraws = (int64) k * measure->ncells;
}

void
dpriv_mode_prepare(DprivMeasure *measure)
{
	measure->nsamplers = 0;
	measure->share[0] = measure->epsilon.noise;
	measure->nsteps[0] = measure->ncomponents;
	measure->parameter = measure->args[1];
}

/* Component i is the number of the i-th category that was chosen. */
void
dpriv_mode_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int			left = measure->ncells;
	int64		most = 0;
	int64	   *count = palloc(sizeof(int64) * left);
	int		   *category = palloc(sizeof(int) * left);
	DprivRun   *run = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DprivRun) * left);

	dpriv_exact_counts(exact, isnull, count, left);
	for (int i = 0; i < left; i++)
		most = Max(most, count[i]);
	for (int i = 0; i < left; i++)
	{
		category[i] = i;
		run[i].loss = most - count[i];
		run[i].weight = 1;
	}
	for (int i = 0; i < measure->ncomponents; i++)
	{
		int64		chosen = dpriv_measure_choose(measure, run, left, 1, measure->nsteps[0]);

		component[i] = category[chosen];
		left--;
		run[chosen] = run[left];
		category[chosen] = category[left];
	}
	pfree(run);
	pfree(category);
	pfree(count);
}

Datum
dpriv_mode_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *category;

	(void) dpriv_text_elements(measure, &category);
	return category[component[0]];
}

/* In the order in which they were chosen. */
Datum
dpriv_top_k_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *answer = palloc(sizeof(Datum) * measure->ncomponents);
	Datum	   *category;

	(void) dpriv_text_elements(measure, &category);
	for (int i = 0; i < measure->ncomponents; i++)
		answer[i] = category[component[i]];
	return PointerGetDatum(construct_array(answer, measure->ncomponents, TEXTOID, -1, false,
										   TYPALIGN_INT));
}
