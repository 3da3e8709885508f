/*
 * measure.c
 *	  The table of measures, and the one place where noise is added or a choice made.
 *
 * Adding a measure means a row here, an exact function in src/exact and the callbacks of its kind.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/numeric.h"
#include "accounting/selection.h"
#include "catalog/pg_type.h"
#include "config.h"
#include "mechanism/audit.h"
#include "mechanism/constant.h"
#include "mechanism/kinds.h"
#include "mechanism/measure.h"
#include "miscadmin.h"
#include "noise/sparse.h"
#include "objects.h"
#include "utils/fmgroids.h"

/*
 * Of the epsilon of a first number below a limit, the numbers get 1 / QUERY_PARTS.  The noise on
 * the limit is the same in all comparisons, so a large one leads far astray; chosen by simulation.
 */
#define QUERY_PARTS 3

const DprivMeasureKind dpriv_measures[] = {
	{
		"dp_count", 0, {0}, DPRIV_EXACT_COUNT, false,
		NULL, dpriv_count_prepare, dpriv_count_components, dpriv_count_answer, true,
		dpriv_count_half_width, NULL, true,
	},
	{
		"dp_count", 1, {ANYOID}, DPRIV_EXACT_COUNT, true,
		NULL, dpriv_count_prepare, dpriv_count_components, dpriv_count_answer, true,
		dpriv_count_half_width, NULL, true,
	},
	{
		"dp_sum_clipped", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_SUM, false,
		dpriv_bounds_check, dpriv_sum_prepare, dpriv_sum_components, dpriv_sum_answer, true,
		dpriv_sum_half_width, NULL, true,
	},
	{
		"dp_avg", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_SUM, false,
		dpriv_bounds_check, dpriv_avg_prepare, dpriv_avg_components, dpriv_avg_answer, false,
		dpriv_avg_half_width, NULL, true,
	},
	{
		"dp_variance", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_MOMENTS, false,
		dpriv_variance_check, dpriv_variance_prepare, dpriv_variance_components,
		dpriv_variance_answer, false, dpriv_variance_half_width, NULL, true,
	},
	{
		"dp_stddev", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_MOMENTS, false,
		dpriv_variance_check, dpriv_variance_prepare, dpriv_variance_components,
		dpriv_stddev_answer, false, dpriv_stddev_half_width, NULL, true,
	},
	{
		"dp_histogram", 2, {FLOAT8OID, FLOAT8ARRAYOID}, DPRIV_EXACT_HISTOGRAM, false,
		dpriv_edges_check, dpriv_bins_prepare, dpriv_bins_components, dpriv_edges_answer, true,
		dpriv_count_half_width,
	},
	{
		"dp_histogram", 2, {TEXTOID, TEXTARRAYOID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_categories_check, dpriv_bins_prepare, dpriv_bins_components, dpriv_categories_answer,
		true, dpriv_count_half_width,
	},
	{
		"dp_histogram", 2, {ANYOID, TEXTARRAYOID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_categories_check, dpriv_bins_prepare, dpriv_bins_components, dpriv_categories_answer,
		true, dpriv_count_half_width,
	},
	{
		"dp_clip_curve", 2, {FLOAT8OID, FLOAT8ARRAYOID}, DPRIV_EXACT_CLIP_CURVE, false,
		dpriv_clip_curve_check, dpriv_clip_curve_prepare, dpriv_clip_curve_components,
		dpriv_clip_curve_answer, true, NULL,
	},
	{
		"dp_clip_bound", 2, {FLOAT8OID, FLOAT8ARRAYOID}, DPRIV_EXACT_CLIP_CURVE, false,
		dpriv_clip_bound_check, dpriv_clip_bound_prepare, NULL, dpriv_clip_bound_answer, false,
		NULL, dpriv_clip_bound_select, .mechanism = "sparse vector",
	},
	{
		"dp_mode", 2, {TEXTOID, TEXTARRAYOID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_mode_check, dpriv_mode_prepare, NULL, dpriv_mode_answer, false, NULL,
		dpriv_mode_select,
	},
	{
		"dp_mode", 2, {ANYOID, TEXTARRAYOID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_mode_check, dpriv_mode_prepare, NULL, dpriv_mode_answer, false, NULL,
		dpriv_mode_select,
	},
	{
		"dp_top_k", 3, {TEXTOID, TEXTARRAYOID, INT4OID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_top_k_check, dpriv_mode_prepare, NULL, dpriv_top_k_answer, false, NULL,
		dpriv_mode_select,
	},
	{
		"dp_top_k", 3, {ANYOID, TEXTARRAYOID, INT4OID}, DPRIV_EXACT_CATEGORIES, false,
		dpriv_top_k_check, dpriv_mode_prepare, NULL, dpriv_top_k_answer, false, NULL,
		dpriv_mode_select,
	},
	{
		"dp_median", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_LEAVES, false,
		dpriv_median_check, dpriv_quantile_prepare, NULL, dpriv_quantile_answer, false, NULL,
		dpriv_quantile_select,
	},
	{
		"dp_median_smooth", 3, {FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_LEAVES, false,
		dpriv_median_check, dpriv_median_smooth_prepare, NULL, dpriv_median_smooth_answer, false,
		NULL, dpriv_median_smooth_select, .approximate = true,
		.mechanism = "discrete Laplace of smooth sensitivity",
	},
	{
		"dp_quantile", 4, {FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_LEAVES, false,
		dpriv_quantile_check, dpriv_quantile_prepare, NULL, dpriv_quantile_answer, false, NULL,
		dpriv_quantile_select,
	},
	{
		"dp_quantiles", 4, {FLOAT8OID, FLOAT8ARRAYOID, FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_LEAVES,
		false, dpriv_quantiles_check, dpriv_quantile_prepare, NULL, dpriv_quantiles_answer, false,
		NULL, dpriv_quantiles_select,
	},
	{
		"dp_sum_vector", 4, {FLOAT8ARRAYOID, INT4OID, FLOAT8OID, TEXTOID}, DPRIV_EXACT_SUM_VECTOR,
		false, dpriv_vector_check, dpriv_vector_prepare, dpriv_vector_components,
		dpriv_vector_answer, true, dpriv_sum_half_width, NULL, true,
	},
	{
		"dp_bounds", 1, {FLOAT8OID}, DPRIV_EXACT_BUCKETS, false,
		dpriv_found_bounds_check, dpriv_found_prepare, NULL, dpriv_found_bounds_answer, false,
		NULL, dpriv_found_select, .is_null = dpriv_found_is_null,
		.mechanism = "discrete Laplace on counts by magnitude",
	},
	{
		"dp_iqr", 1, {FLOAT8OID}, DPRIV_EXACT_LEAVES, false,
		dpriv_iqr_check, dpriv_iqr_prepare, NULL, dpriv_iqr_answer, false, NULL,
		dpriv_iqr_select, .approximate = true, .is_null = dpriv_iqr_is_null,
		.mechanism = "propose-test-release",
	},
	{
		"dp_sum", 1, {FLOAT8OID}, DPRIV_EXACT_BUCKETS, false,
		dpriv_found_sum_check, dpriv_found_prepare, NULL, dpriv_found_answer, false,
		dpriv_found_half_width, dpriv_found_select, .is_null = dpriv_found_is_null,
		.mechanism = DPRIV_FOUND_MECHANISM,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_sum_clipped",
	},
	{
		"dp_avg", 1, {FLOAT8OID}, DPRIV_EXACT_BUCKETS, false,
		dpriv_found_avg_check, dpriv_found_prepare, NULL, dpriv_found_answer, false,
		dpriv_found_half_width, dpriv_found_select, .is_null = dpriv_found_is_null,
		.mechanism = DPRIV_FOUND_MECHANISM,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_avg",
	},
	{
		"dp_variance", 1, {FLOAT8OID}, DPRIV_EXACT_BUCKETS, false,
		dpriv_found_variance_check, dpriv_found_prepare, NULL, dpriv_found_answer, false,
		dpriv_found_half_width, dpriv_found_select, .is_null = dpriv_found_is_null,
		.mechanism = DPRIV_FOUND_MECHANISM,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_variance",
	},
	{
		"dp_stddev", 1, {FLOAT8OID}, DPRIV_EXACT_BUCKETS, false,
		dpriv_found_variance_check, dpriv_found_prepare, NULL, dpriv_found_stddev_answer, false,
		dpriv_found_stddev_half_width, dpriv_found_select, .is_null = dpriv_found_is_null,
		.mechanism = DPRIV_FOUND_MECHANISM,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_stddev",
	},
	{
		"dp_median", 1, {FLOAT8OID}, DPRIV_EXACT_NONE, false,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_median",
	},
	{
		"dp_median_smooth", 1, {FLOAT8OID}, DPRIV_EXACT_NONE, false,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_median_smooth",
	},
	{
		"dp_quantile", 2, {FLOAT8OID, FLOAT8OID}, DPRIV_EXACT_NONE, false,
		.missing = DPRIV_MISSING_BOUNDS, .complete = "dp_quantile",
	},
	{
		"dp_histogram", 1, {ANYOID}, DPRIV_EXACT_NONE, false,
		.missing = DPRIV_MISSING_CATEGORIES, .complete = "dp_histogram",
	},
	{
		"dp_mode", 1, {ANYOID}, DPRIV_EXACT_NONE, false,
		.missing = DPRIV_MISSING_CATEGORIES, .complete = "dp_mode",
	},
};
const int	dpriv_nmeasures = lengthof(dpriv_measures);

/* Exact functions of our own: one row per type of value. */
static const struct
{
	DprivExact	exact;
	const char *name;
	Oid			valuetype;
	Oid			parametertype;
}			exact_functions[] = {
	{DPRIV_EXACT_SUM, "exact_sum", FLOAT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_SUM, "exact_sum", INT4OID, INT8ARRAYOID},
	{DPRIV_EXACT_SUM, "exact_sum", INT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_MOMENTS, "exact_moments", FLOAT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_MOMENTS, "exact_moments", INT4OID, INT8ARRAYOID},
	{DPRIV_EXACT_MOMENTS, "exact_moments", INT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_HISTOGRAM, "exact_histogram", FLOAT8OID, FLOAT8ARRAYOID},
	{DPRIV_EXACT_CATEGORIES, "exact_categories", TEXTOID, TEXTARRAYOID},
	{DPRIV_EXACT_LEAVES, "exact_leaves", FLOAT8OID, FLOAT8ARRAYOID},
	{DPRIV_EXACT_LEAVES, "exact_leaves", INT4OID, FLOAT8ARRAYOID},
	{DPRIV_EXACT_LEAVES, "exact_leaves", INT8OID, FLOAT8ARRAYOID},
	{DPRIV_EXACT_SUM_VECTOR, "exact_sum_vector", FLOAT8ARRAYOID, INT8ARRAYOID},
	{DPRIV_EXACT_CLIP_CURVE, "exact_clip_curve", FLOAT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_CLIP_CURVE, "exact_clip_curve", INT4OID, INT8ARRAYOID},
	{DPRIV_EXACT_CLIP_CURVE, "exact_clip_curve", INT8OID, INT8ARRAYOID},
	{DPRIV_EXACT_BUCKETS, "exact_buckets", FLOAT8OID, InvalidOid},
	{DPRIV_EXACT_BUCKETS, "exact_buckets", INT4OID, InvalidOid},
	{DPRIV_EXACT_BUCKETS, "exact_buckets", INT8OID, InvalidOid},
};

/*
 * Aggregates of any types, which PostgreSQL chooses for calls that fit no other one.  Where there
 * is a form for enums, VARIADIC "any" would make calls with literals ambiguous, so only missing
 * arguments are explained.
 */
static const DprivExplained explained_aggregates[] = {
	{"dp_sum_clipped",
	"value, lower, upper [, epsilon [, delta]]); dp_sum takes (value [, epsilon]"},
	{"dp_avg", "value, lower, upper [, epsilon [, delta]]) or (value [, epsilon]"},
	{"dp_variance", "value, lower, upper [, epsilon [, delta]]) or (value [, epsilon]"},
	{"dp_stddev", "value, lower, upper [, epsilon [, delta]]) or (value [, epsilon]"},
	{"dp_median",
	"value, lower, upper [, epsilon]) or, with declared bounds, (value [, epsilon]"},
	{"dp_median_smooth",
	"value, lower, upper [, epsilon [, delta]]) or, with declared bounds, (value [, epsilon]"},
	{"dp_quantile",
	"value, fraction, lower, upper [, epsilon]) or, with declared bounds, (value, fraction "
	"[, epsilon]"},
	{"dp_quantiles", "value, array of fractions, lower, upper [, epsilon]"},
	{"dp_clip_curve", "value, array of candidates [, epsilon]"},
	{"dp_clip_bound", "value, array of candidates [, epsilon]"},
	{"dp_bounds", "value [, epsilon]"},
	{"dp_iqr", "value [, epsilon [, delta]]"},
	{"dp_sum",
	"value [, epsilon]); dp_sum_clipped takes (value, lower, upper [, epsilon [, delta]]"},
	{"dp_top_k", "value, array of categories, k [, epsilon]", 2, {ANYOID, FLOAT8OID}},
};

static int	first_measure_slot;
static int	first_exact_slot;
static int	first_explained_slot;

/* Forms of each measure: alone, with epsilon, with epsilon and delta. */
#define FORMS 3

void
dpriv_measure_init(void)
{
	for (int i = 0; i < dpriv_nmeasures; i++)
	{
		const DprivMeasureKind *kind = &dpriv_measures[i];
		DprivFunctionName function = {false, kind->name, kind->nargs};

		memcpy(function.argtypes, kind->argtypes, sizeof(kind->argtypes));
		for (int form = 0; form < FORMS; form++)
		{
			int			slot;

			/* dp_count(*, epsilon) is not PostgreSQL grammar; such slots stay empty. */
			if (form > 0 && (kind->nargs == 0 || (form > 1 && !dpriv_measure_takes_delta(kind))))
				function.name = "";
			slot = dpriv_objects_declare(&function);
			if (i == 0 && form == 0)
				first_measure_slot = slot;
			function.argtypes[function.nargs++] = FLOAT8OID;
		}
	}
	for (int i = 0; i < lengthof(exact_functions); i++)
	{
		DprivFunctionName function = {
			true, exact_functions[i].name, OidIsValid(exact_functions[i].parametertype) ? 2 : 1,
			{exact_functions[i].valuetype, exact_functions[i].parametertype}
		};
		int			slot = dpriv_objects_declare(&function);

		if (i == 0)
			first_exact_slot = slot;
	}
	for (int i = 0; i < lengthof(explained_aggregates); i++)
	{
		const DprivExplained *explained = &explained_aggregates[i];
		DprivFunctionName function = {false, explained->name, Max(explained->nargs, 1), {ANYOID}};
		int			slot;

		if (explained->nargs > 0)
			memcpy(function.argtypes, explained->argtypes, sizeof(explained->argtypes));
		slot = dpriv_objects_declare(&function);

		if (i == 0)
			first_explained_slot = slot;
	}
}

const DprivExplained *
dpriv_measure_explained(Oid aggregate)
{
	int			index = dpriv_object_slot(aggregate) - first_explained_slot;

	if (index < 0 || index >= lengthof(explained_aggregates))
		return NULL;
	return &explained_aggregates[index];
}

int
dpriv_measure_find(Oid aggregate, int *nprivacy)
{
	int			index = dpriv_object_slot(aggregate) - first_measure_slot;

	if (index < 0 || index >= FORMS * dpriv_nmeasures)
		return -1;
	*nprivacy = index % FORMS;
	return index / FORMS;
}

int
dpriv_measure_complete(int number, Oid valuetype)
{
	const DprivMeasureKind *kind = &dpriv_measures[number];
	int			nargs = kind->nargs + (kind->missing == DPRIV_MISSING_BOUNDS ? 2 : 1);

	for (int i = 0; i < dpriv_nmeasures; i++)
	{
		const DprivMeasureKind *complete = &dpriv_measures[i];

		if (strcmp(complete->name, kind->complete) == 0 && complete->nargs == nargs &&
			complete->argtypes[0] == valuetype)
			return i;
	}
	elog(ERROR, "no complete kind of %s", kind->name);
}

Oid
dpriv_measure_exact(const DprivMeasureKind *kind, Oid valuetype, Oid *parametertype)
{
	if (kind->exact == DPRIV_EXACT_COUNT)
	{
		*parametertype = InvalidOid;
		return OidIsValid(valuetype) ? F_COUNT_ANY : F_COUNT_;
	}
	for (int i = 0; i < lengthof(exact_functions); i++)
	{
		if (exact_functions[i].exact == kind->exact && exact_functions[i].valuetype == valuetype)
		{
			*parametertype = exact_functions[i].parametertype;
			return dpriv_object(first_exact_slot + i);
		}
	}
	elog(ERROR, "no exact function for this type of value");
}

void
dpriv_measure_check(DprivMeasure *measure)
{
	measure->ncomponents = 1;
	if (measure->kind->check)
		measure->kind->check(measure);
	if (measure->ndraws == 0)
		measure->ndraws = measure->ncomponents;
}

void
dpriv_measure_init_samplers(DprivMeasure *measure)
{
	for (int i = 0; i < measure->nsamplers; i++)
	{
		uint128		num = (uint128) measure->sensitivity[i] * DPRIV_EPSILON_UNIT_PER_ONE;

		if (!dpriv_laplace_init(&measure->sampler[i], num, (uint128) measure->share[i]))
			elog(ERROR, "noise scale is out of range");
	}
}

void
dpriv_measure_prepare(DprivMeasure *measure)
{
	measure->kind->prepare(measure);
	dpriv_measure_init_samplers(measure);
}

void
dpriv_measure_draw(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	if (measure->kind->select)
	{
		measure->kind->select(measure, exact, isnull, component);
		return;
	}
	measure->kind->components(measure, exact, isnull, component);
	dpriv_measure_add_noise(measure, measure, component, false);
}

void
dpriv_measure_add_noise(const DprivMeasure *measure, const DprivMeasure *part, int128 *component,
						bool decides)
{
	DPRIV_AUDIT_EXACT(part, component);
	for (int i = 0; i < part->ncomponents; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (part->is_gaussian)
			component[i] += dpriv_gaussian_noise_draw(&part->gaussian[i % part->nsamplers]);
		else
			component[i] += dpriv_laplace_draw(&part->sampler[i % part->nsamplers]);
	}
	DPRIV_AUDIT_NOISY(measure, part, component, decides);
	DPRIV_CONSTANT_COMPONENTS(part, component);
}

void
dpriv_measure_add_smooth_noise(const DprivMeasure *measure, int128 *component, int64 smooth,
							   int64 alpha)
{
	DprivLaplace noise;

	Assert(measure->ncomponents == 1);
	if (!dpriv_laplace_init(&noise, (uint128) smooth * DPRIV_EPSILON_UNIT_PER_ONE, (uint128) alpha))
		elog(ERROR, "noise scale is out of range");
	DPRIV_AUDIT_EXACT(measure, component);
	component[0] += dpriv_laplace_draw(&noise);
	DPRIV_AUDIT_SMOOTH(measure, component, smooth, alpha);
	DPRIV_CONSTANT_COMPONENTS(measure, component);
}

int64
dpriv_measure_choose(const DprivMeasure *measure, DprivRun *run, int nruns, uint64 divisor,
					 int nparts)
{
	DprivRate	rate = {measure->epsilon.noise, DPRIV_EPSILON_UNIT_PER_ONE, divisor * nparts};
	uint32		cell;
	int			chosen;

	chosen = dpriv_exponential_choose(run, nruns, &rate, &cell);
	for (int i = 0; i < chosen; i++)
		cell += run[i].weight;
	DPRIV_AUDIT_CHOICE(measure, run, nruns, &rate, &cell);
	DPRIV_CONSTANT_CELL(cell);
	return cell;
}

int
dpriv_measure_first_below(const DprivMeasure *measure, const int128 *query, int n, int128 limit,
						  int64 sensitivity)
{
	int64		query_share = measure->epsilon.noise / QUERY_PARTS;
	int64		limit_share = measure->epsilon.noise - query_share;
	uint128		num = (uint128) sensitivity * DPRIV_EPSILON_UNIT_PER_ONE;
	DprivLaplace limit_noise;
	DprivLaplace query_noise;
	uint32		cell;

	if (!dpriv_laplace_init(&limit_noise, num, (uint128) limit_share) ||
		!dpriv_laplace_init(&query_noise, num, (uint128) query_share))
		elog(ERROR, "noise scale is out of range");
	cell = (uint32) dpriv_sparse_first_below(query, n, limit, &limit_noise, &query_noise);
	DPRIV_AUDIT_FIRST_BELOW(measure, query, n, limit, sensitivity, &limit_noise, &query_noise,
							&cell);
	DPRIV_CONSTANT_CELL(cell);
	return (int) cell;
}

/*
 * A value with distance 1 passes with probability t^(threshold - 1) / (1 + t) <= delta / nparts, as
 * a group of one row does by its released count.
 */
bool
dpriv_measure_release_if(const DprivMeasure *measure, int128 distance, int64 value, int nparts)
{
	int64		share = measure->epsilon.noise / nparts;
	double		delta = nextafter(measure->delta / nparts, 0.0);
	double		threshold = dpriv_selection_threshold(dpriv_epsilon_to_double(share), delta, 1);
	DprivLaplace noise;
	bool		passed;

	if (!dpriv_laplace_init(&noise, DPRIV_EPSILON_UNIT_PER_ONE, (uint128) share))
		elog(ERROR, "noise scale is out of range");
	passed = distance + dpriv_laplace_draw(&noise) >= (int128) threshold;
	DPRIV_AUDIT_RELEASE_IF(measure, distance, value, share, threshold, &noise, &passed);
	DPRIV_CONSTANT_SELECTION(passed);
	return passed;
}

double
dpriv_measure_scale(const DprivMeasure *measure, int sampler)
{
	double		steps = measure->is_gaussian ? measure->gaussian[sampler].sigma :
		dpriv_laplace_scale(&measure->sampler[sampler]);

	return steps * dpriv_grid_step(&measure->grid);
}

double
dpriv_measure_noise_half_width(const DprivMeasure *measure, int sampler, double confidence)
{
	if (measure->is_gaussian)
		return dpriv_gaussian_noise_half_width(&measure->gaussian[sampler], confidence);
	return (double) dpriv_laplace_half_width(&measure->sampler[sampler], confidence);
}

/*
 * A weighted sum of independent Gaussian variables is one, of their deviation times the Euclidean
 * norm of the weights.  Rounding moves each of them by at most half a step.
 */
static double
gaussian_weighted_half_width(const DprivGaussianNoise *noise, const double *weight, int n,
							 double confidence)
{
	double		norm = 0.0;
	double		total = 0.0;

	for (int i = 0; i < n; i++)
	{
		norm = hypot(norm, weight[i]);
		total += fabs(weight[i]);
	}
	return dpriv_normal_quantile(0.5 * (1.0 - confidence)) * noise->sigma * norm * (1.0 + 1e-12) +
		0.5 * total;
}

double
dpriv_measure_mix_half_width(const DprivMeasure *measure, int sampler, double p, double confidence)
{
	if (measure->is_gaussian)
	{
		double		weight[] = {1.0 - p, p};

		return gaussian_weighted_half_width(&measure->gaussian[sampler], weight, lengthof(weight),
											confidence);
	}
	return dpriv_laplace_mix_half_width(&measure->sampler[sampler], p, confidence);
}

double
dpriv_measure_weighted_half_width(const DprivMeasure *measure, int sampler, const double *weight,
								  double confidence)
{
	if (measure->is_gaussian)
		return gaussian_weighted_half_width(&measure->gaussian[sampler], weight,
											DPRIV_LAPLACE_WEIGHTS, confidence);
	return dpriv_laplace_weighted_half_width(&measure->sampler[sampler], weight, confidence);
}
