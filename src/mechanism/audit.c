/*
 * audit.c
 *	  A record of what the noise was added to, in test builds only.
 *
 * One line per component, in the order of the draws, until dpriv_audit_take() hands the lines over:
 * number of the measure, number of the draw, measure name, component, exact value, noisy value,
 * sensitivity (steps), share of epsilon (units of 1e-12), numerator and denominator of the noise
 * scale (steps), charge (units of 1e-12), step exponent; separated by tabs.
 *
 * A decision on a group is a line of its own: "selection", the value that decided, whether it was
 * kept, 1 if that is a released count, the threshold or the limit of the noise, the weight of the
 * lower limit in 2^-64, epsilon (units of 1e-12; of the sampler), delta.
 *
 * A measure keeps its number from group to group, so that whatever is drawn for one charge can be
 * added up.
 */
#include "postgres.h"

#include "mechanism/audit.h"

#ifdef DPRIV_AUDIT
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static StringInfo lines = NULL;
static int	ndraws = 0;
static int128 *exact_component;

/*
 * Measures drawn since the last call of dpriv_audit_take(), numbered by their address.  Only within
 * one statement is a number sure to mean one measure.
 */
static const DprivMeasure **measures = NULL;
static int	nmeasures = 0;
static int	allocated = 0;

static int
measure_number(const DprivMeasure *measure)
{
	for (int i = 0; i < nmeasures; i++)
		if (measures[i] == measure)
			return i;
	if (nmeasures == allocated)
	{
		allocated = Max(16, 2 * allocated);
		measures = measures ? repalloc(measures, sizeof(*measures) * allocated) :
			MemoryContextAlloc(TopMemoryContext, sizeof(*measures) * allocated);
	}
	measures[nmeasures] = measure;
	return nmeasures++;
}

static void
append_int128(StringInfo out, int128 value)
{
	char		digits[48];
	int			at = sizeof(digits) - 1;
	bool		negative = value < 0;
	uint128		rest = negative ? -(uint128) value : (uint128) value;

	digits[at] = '\0';
	do
	{
		digits[--at] = '0' + (int) (rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (negative)
		digits[--at] = '-';
	appendStringInfoString(out, digits + at);
}

void
dpriv_audit_exact(const DprivMeasure *measure, const int128 *component)
{
	exact_component = palloc(sizeof(int128) * measure->ncomponents);
	memcpy(exact_component, component, sizeof(int128) * measure->ncomponents);
}

static StringInfo
record(void)
{
	if (lines == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		lines = makeStringInfo();
		MemoryContextSwitchTo(old);
	}
	return lines;
}

void
dpriv_audit_noisy(const DprivMeasure *measure, const int128 *component)
{
	int			number = measure_number(measure);

	(void) record();
	for (int i = 0; i < measure->ncomponents; i++)
	{
		int			sampler = i % measure->nsamplers;

		appendStringInfo(lines, "%d\t%d\t%s\t%d\t", number, ndraws, measure->kind->name, i);
		append_int128(lines, exact_component[i]);
		appendStringInfoChar(lines, '\t');
		append_int128(lines, component[i]);
		appendStringInfo(lines, "\t" INT64_FORMAT "\t" INT64_FORMAT "\t",
						 measure->sensitivity[sampler], measure->share[sampler]);
		append_int128(lines, (int128) measure->sampler[sampler].num);
		appendStringInfo(lines, "\t" UINT64_FORMAT "\t" INT64_FORMAT "\t%d\n",
						 measure->sampler[sampler].den, measure->epsilon.charge,
						 measure->grid.exponent);
	}
	ndraws++;
	pfree(exact_component);
}

void
dpriv_audit_selection(const DprivSelection *selection, int128 value, bool kept)
{
	appendStringInfoString(record(), "selection\t");
	append_int128(lines, value);
	appendStringInfo(lines, "\t%d\t%d\t", kept, selection->by_count);
	appendStringInfo(lines, INT64_FORMAT "\t" UINT64_FORMAT "\t" INT64_FORMAT "\t%.17g\n",
					 selection->by_count ? selection->threshold : selection->limit,
					 selection->weight, selection->epsilon.noise, selection->delta);
}

PG_FUNCTION_INFO_V1(dpriv_audit_take);

/* dpriv_audit_take() returns text: the lines since the last call. */
Datum
dpriv_audit_take(PG_FUNCTION_ARGS)
{
	text	   *result = cstring_to_text(lines ? lines->data : "");

	if (lines)
		resetStringInfo(lines);
	nmeasures = 0;
	ndraws = 0;
	PG_RETURN_TEXT_P(result);
}
#endif
