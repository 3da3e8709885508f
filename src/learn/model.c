/*
 * model.c
 *	  A model that was trained, applied to rows.
 *
 * Terms are intercept, the name of a number's column, COLUMN=VALUE for a value of a category, and
 * COLUMN IS NULL for all its other values and NULL.  Whoever evaluates a model may have made it
 * up: how long a row takes must not be theirs to choose, so it has no more terms than a training.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "executor/spi.h"
#include "learn/columns.h"
#include "learn/logistic.h"
#include "learn/model.h"
#include "learn/values.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

typedef struct Term
{
	char	   *text;
	double		weight;
	int			column;			/* number in the row type, or -1 for the intercept */
	bool		is_category;
	const char *level;			/* NULL: all other values */
} Term;

struct LearnTerms
{
	int			n;
	Term	   *term;
};

LearnTerms *
dpriv_learn_terms(Oid relation)
{
	LearnTerms *terms = palloc0(sizeof(LearnTerms));
	MemoryContext context = CurrentMemoryContext;
	Relation	model = try_relation_open(relation, AccessShareLock);
	char	   *query;

	if (model == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("model does not exist"),
				 errhint("Create it with CREATE TABLE ... AS SELECT * FROM "
						 "dp_logreg_train(...).")));
	query = psprintf("SELECT term::pg_catalog.text, weight::pg_catalog.float8 FROM %s",
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(model)),
												RelationGetRelationName(model)));
	relation_close(model, NoLock);
	SPI_connect();
	if (SPI_execute(query, true, DPRIV_LEARN_MAX_TERMS + 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read a model");
	if (SPI_processed > DPRIV_LEARN_MAX_TERMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the model has too many terms"),
				 errdetail("A model can have %d terms.", DPRIV_LEARN_MAX_TERMS),
				 errhint("Keep the rows of dp_logreg_train() as they are.")));
	terms->n = (int) SPI_processed;
	terms->term = MemoryContextAllocZero(context, sizeof(Term) * (terms->n + 1));
	for (int i = 0; i < terms->n; i++)
	{
		bool		isnull[2];
		Datum		name = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1,
										 &isnull[0]);
		Datum		weight = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2,
										   &isnull[1]);

		if (isnull[0] || isnull[1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a term or weight of the model is NULL"),
					 errhint("Keep the rows of dp_logreg_train() as they are.")));
		terms->term[i].text = MemoryContextStrdup(context, TextDatumGetCString(name));
		terms->term[i].weight = DatumGetFloat8(weight);
	}
	SPI_finish();
	return terms;
}

/* Find the column that a term is about: of several the one with the longest name. */
static void
place_term(Term *term, TupleDesc rows)
{
	int			longest = -1;

	term->column = -1;
	if (strcmp(term->text, "intercept") == 0)
		return;
	for (int i = 0; i < rows->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(rows, i);
		const char *name = NameStr(attribute->attname);
		int			length = strlen(name);
		const char *rest = term->text + length;

		if (attribute->attisdropped || length <= longest || strncmp(term->text, name, length) != 0)
			continue;
		if (*rest != '\0' && *rest != '=' && strcmp(rest, " IS NULL") != 0)
			continue;
		longest = length;
		term->column = i;
		term->is_category = *rest != '\0';
		term->level = *rest == '=' ? rest + 1 : NULL;
	}
	if (longest < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("there is no column for a term of the model"),
				 errdetail("The term is \"%s\".", term->text),
				 errhint("Apply the model to rows with the columns that it was trained on.")));
}

static void
refuse_column(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" does not fit the model", name),
			 errdetail("The model has it twice, or its type is not what the model was trained "
					   "on."),
			 errhint("Apply the model to rows with the columns that it was trained on.")));
}

static void
find_labels(LearnFeature *feature)
{
	char	  **text;
	Oid		   *label;
	int			n = dpriv_learn_enum_labels(feature->type, &text, &label);

	feature->label = palloc0(sizeof(Oid) * feature->nlevels);
	for (int l = 0; l < feature->nlevels - 1; l++)
		for (int i = 0; i < n; i++)
			if (strcmp(feature->level[l], text[i]) == 0)
				feature->label[l] = label[i];
}

/* The terms of one column. */
static void
make_column(LearnModelColumn *column, Form_pg_attribute attribute, int number, const Term *term,
			int n)
{
	LearnFeature *feature = &column->feature;
	int			nlevels = 0;
	int			nothers = 0;

	feature->name = pstrdup(NameStr(attribute->attname));
	feature->column = attribute->attnum;
	feature->type = getBaseType(attribute->atttypid);
	column->weight = palloc0(sizeof(double) * (n + 1));
	feature->level = palloc0(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		if (term[i].column != number)
			continue;
		if (term[i].level)
		{
			feature->level[nlevels] = pstrdup(term[i].level);
			column->weight[nlevels++] = term[i].weight;
		}
		else
			nothers++;
		feature->is_category |= term[i].is_category;
	}
	for (int i = 0; i < n; i++)
		if (term[i].column == number && term[i].level == NULL)
			column->weight[nlevels] = term[i].weight;
	feature->nlevels = nlevels + 1;
	if (nothers > 1 || !dpriv_learn_sort_levels(feature) ||
		!(feature->is_category ? dpriv_learn_is_text(feature->type) || type_is_enum(feature->type) :
		  dpriv_learn_is_number(feature->type)))
		refuse_column(feature->name);
	if (type_is_enum(feature->type))
		find_labels(feature);
}

LearnModel *
dpriv_learn_model(const LearnTerms *terms, TupleDesc rows)
{
	LearnModel *model = palloc0(sizeof(LearnModel));
	Term	   *term = terms->term;
	int			n = terms->n;

	model->column = palloc0(sizeof(LearnModelColumn) * rows->natts);
	for (int i = 0; i < n; i++)
	{
		place_term(&term[i], rows);
		if (term[i].column < 0)
			model->intercept += term[i].weight;
	}
	for (int number = 0; number < rows->natts; number++)
		for (int i = 0; i < n; i++)
			if (term[i].column == number)
			{
				make_column(&model->column[model->ncolumns++], TupleDescAttr(rows, number), number,
							term, n);
				break;
			}
	return model;
}

double
dpriv_learn_score(const LearnModel *model, const Datum *value, const bool *isnull)
{
	double		score = model->intercept;

	for (int i = 0; i < model->ncolumns; i++)
	{
		const LearnModelColumn *column = &model->column[i];
		const LearnFeature *feature = &column->feature;

		if (feature->is_category)
			score += column->weight[isnull[i] ? feature->nlevels - 1 :
									dpriv_learn_level(feature, value[i])];
		else if (isnull[i])
			return NAN;
		else
			score += column->weight[0] * dpriv_learn_number(value[i], feature->type);
	}
	return score;
}

/*
 * With probability p of the positive class the cut loss is least where p slope(z) = (1 - p)
 * slope(-z): for z >= 0 the slopes are 1 / (1 + exp(z)) and 1/2.
 */
double
dpriv_learn_clipped_link(double score)
{
	double		likelier = 1.0 / (1.0 + 2.0 * dpriv_learn_logistic(-fabs(score)));

	return score < 0 ? 1.0 - likelier : likelier;
}
