/*
 * measure.h
 *	  From a measure and its exact result to noise, cost and error.
 *
 * A measure is one row of dpriv_measures[].  Its exact result is a vector of integers
 * ("components"); each component gets discrete Laplace noise, and the answer is computed from the
 * noisy components alone.  Or its components are chosen, from scores that the exact result gives.
 */
#ifndef DPRIV_MEASURE_H
#define DPRIV_MEASURE_H

#include "accounting/epsilon.h"
#include "exact/exact.h"
#include "mechanism/gaussian.h"
#include "mechanism/grid.h"
#include "noise/exponential.h"
#include "noise/laplace.h"

#define DPRIV_MEASURE_MAX_ARGS 5	/* value and public arguments, without epsilon and delta */
#define DPRIV_MEASURE_MAX_SAMPLERS 2

typedef struct DprivMeasure DprivMeasure;

/* What computes the exact result. */
typedef enum DprivExact
{
	DPRIV_EXACT_COUNT,			/* core's count(): int8 */
	DPRIV_EXACT_SUM,			/* dpriv.exact_sum(x, grid): int8[] {low, high, count} */
	DPRIV_EXACT_MOMENTS,		/* dpriv.exact_moments(x, grid): int8[], see exact.h */
	DPRIV_EXACT_HISTOGRAM,		/* dpriv.exact_histogram(x, edges): int8[] */
	DPRIV_EXACT_CATEGORIES,		/* dpriv.exact_categories(x, categories): int8[] */
	DPRIV_EXACT_LEAVES,			/* dpriv.exact_leaves(x, range): int8[] {leaf, count, ...} */
	DPRIV_EXACT_SUM_VECTOR,		/* dpriv.exact_sum_vector(x, ball): int8[] {low, high, ...} */
	DPRIV_EXACT_CLIP_CURVE,		/* dpriv.exact_clip_curve(x, bounds): int8[], see exact.h */
	DPRIV_EXACT_BUCKETS,		/* dpriv.exact_buckets(x): int8[], see exact.h */
	DPRIV_EXACT_NONE,			/* nothing by itself: what is missing has to be declared */
} DprivExact;

/* Arguments at the end, before epsilon, that a kind does without if they are declared. */
typedef enum DprivMissing
{
	DPRIV_MISSING_NOTHING,
	DPRIV_MISSING_BOUNDS,		/* lower, upper */
	DPRIV_MISSING_CATEGORIES,
} DprivMissing;

typedef struct DprivMeasureKind
{
	/* The aggregate as declared in SQL, without the optional epsilon and delta at the end. */
	const char *name;
	int			nargs;			/* value, then public arguments; 0 for dp_count(*) */
	Oid			argtypes[DPRIV_MEASURE_MAX_ARGS];

	DprivExact	exact;
	bool		distinct;		/* may be applied to DISTINCT values */

	/*
	 * Check the public arguments and set what is "set by check".  Errors: 22023, 22004.  May be
	 * NULL.
	 */
	void		(*check) (DprivMeasure *measure);

	/* With epsilon, set what is "set by prepare". */
	void		(*prepare) (DprivMeasure *measure);

	/* The components of an exact result; isnull: no row was seen. */
	void		(*components) (const DprivMeasure *measure, Datum exact, bool isnull,
							   int128 *component);

	/* The answer. */
	Datum		(*answer) (const DprivMeasure *measure, const int128 *component);

	/*
	 * Half-width of the confidence interval around the answer, in its unit: the noise only, not
	 * clipping.  public_error: it does not depend on the components, which may then be NULL.
	 * half_width is NULL where the error depends on what is not released, or is part of the answer
	 * (public_error).
	 */
	bool		public_error;
	double		(*half_width) (const DprivMeasure *measure, const int128 *component,
							   double confidence);

	/*
	 * Instead of noise on components: set the released components at random, with probabilities
	 * that depend on the exact result, by dpriv_measure_choose(), dpriv_measure_first_below(),
	 * dpriv_measure_release_if(), dpriv_measure_add_noise() and dpriv_measure_add_smooth_noise()
	 * alone.  NULL: discrete Laplace noise on each component.
	 *
	 * It does so in steps, one after the other, of which each is private by itself given what came
	 * out of those before it: prepare sets share[i] of epsilon and nsteps[i], the number of steps
	 * that it is divided among equally.
	 */
	void		(*select) (const DprivMeasure *measure, Datum exact, bool isnull,
						   int128 *component);
	bool		gaussian;		/* there is a form that ends in epsilon, delta */
	bool		approximate;	/* so there is; delta is always needed, and spent */

	/* These components have no answer.  May be NULL: all have one. */
	bool		(*is_null) (const DprivMeasure *measure, const int128 *component);

	/* What select does, for EXPLAIN; NULL: permute-and-flip. */
	const char *mechanism;

	/*
	 * Where the missing arguments are declared of the value, a measure of this kind is one of the
	 * kind "complete", as if they had been given.
	 */
	DprivMissing missing;
	const char *complete;
} DprivMeasureKind;

/* One measure of one release, with this execution's parameters. */
struct DprivMeasure
{
	const DprivMeasureKind *kind;
	bool		integral;		/* the value is an integer column */
	int			elements;		/* how many the value has, if it is written ARRAY[...]; else 0 */
	Oid			result_type;	/* of the answer */
	DprivEpsilon epsilon;
	double		delta;			/* 0: none */
	Datum		args[DPRIV_MEASURE_MAX_ARGS];	/* public arguments; args[0], the value, unused */

	/* set by check */
	double		lower;			/* clipping bounds, in the value's unit */
	double		upper;			/* of a vector: the largest norm */
	int			ncomponents;	/* 1 unless check or prepare says otherwise */
	int			ncells;			/* what a choice is made among, or noisy buckets */
	int64		ndraws;			/* draws per group; 0: as many as components */
	double		leaf_width;		/* whole numbers per leaf, a power of two; 0: leaves are parts */

	/* set by prepare */
	Datum		parameter;		/* second argument of the exact function; 0 if it has none */
	DprivGrid	grid;			/* exponent: log2 of the components' step, 0 for counts */
	int			nsamplers;		/* component i is noised by sampler i % nsamplers; 0: chosen */
	int64		sensitivity[DPRIV_MEASURE_MAX_SAMPLERS];	/* L1, in steps */
	int64		euclidean[DPRIV_MEASURE_MAX_SAMPLERS];	/* the same, Euclidean; 0: not less */
	int64		share[DPRIV_MEASURE_MAX_SAMPLERS];	/* of epsilon, in units of 1e-12 */
	int			nsteps[DPRIV_MEASURE_MAX_SAMPLERS]; /* if chosen: see kind->select */
	DprivLaplace sampler[DPRIV_MEASURE_MAX_SAMPLERS];	/* scale sensitivity / share */
	double		beta;			/* of noise that follows the rows, see median_smooth.c */
	double	   *error;			/* half-widths that are part of the answer, or NULL */

	/* set by dpriv_gaussian_choose() */
	bool		is_gaussian;	/* in place of Laplace noise; delta is spent */
	DprivGaussianNoise gaussian[DPRIV_MEASURE_MAX_SAMPLERS];
};

/* What Gaussian noise hides: how far one row moves the components of a sampler, in steps. */
static inline int64
dpriv_measure_euclidean(const DprivMeasure *measure, int sampler)
{
	return measure->euclidean[sampler] > 0 ? measure->euclidean[sampler] :
		measure->sensitivity[sampler];
}

static inline bool
dpriv_measure_takes_delta(const DprivMeasureKind *kind)
{
	return kind->gaussian || kind->approximate;
}

/* An aggregate that exists only to explain, and the arguments that its name takes. */
typedef struct DprivExplained
{
	const char *name;
	const char *arguments;
	int			nargs;			/* 0: f(VARIADIC "any") of a measure of numbers; else the number of
								 * arguments, fewer than any other form has */
	Oid			argtypes[2];
} DprivExplained;

extern const DprivMeasureKind dpriv_measures[];
extern const int dpriv_nmeasures;

/*
 * Announce the aggregates and the exact functions to objects.c.  Called while the library is being
 * loaded.
 */
extern void dpriv_measure_init(void);

/*
 * Row of dpriv_measures for an aggregate's OID, or -1.  nprivacy: how many of epsilon and delta its
 * last arguments are.
 */
extern int	dpriv_measure_find(Oid aggregate, int *nprivacy);

/* The complete kind of one with missing arguments, for a value of this type as declared there. */
extern int	dpriv_measure_complete(int kind, Oid valuetype);

/* The aggregate with this OID if it exists only to explain, else NULL. */
extern const DprivExplained *dpriv_measure_explained(Oid aggregate);

/*
 * OID of the exact function of a kind for a value of this type (float8, int4, int8, text or
 * float8[]), and the type of its second argument (InvalidOid if it has none).
 */
extern Oid	dpriv_measure_exact(const DprivMeasureKind *kind, Oid valuetype, Oid *parametertype);

/* Check the public arguments.  Errors: 22023, 22004. */
extern void dpriv_measure_check(DprivMeasure *measure);

/* Afterwards, with epsilon: set grid and samplers. */
extern void dpriv_measure_prepare(DprivMeasure *measure);

/* Samplers from sensitivities and shares; for a kind that needs them before it is prepared. */
extern void dpriv_measure_init_samplers(DprivMeasure *measure);

/*
 * The noisy components of one group, into room for ncomponents.  What else it allocates is the
 * current memory context's.
 */
extern void dpriv_measure_draw(const DprivMeasure *measure, Datum exact, bool isnull,
							   int128 *component);

/*
 * Add noise to the components of a measure, or of a part of it that has samplers of its own: the
 * only place where that is done.  decides: what is released next, and with how much noise, follows
 * from these components.
 */
extern void dpriv_measure_add_noise(const DprivMeasure *measure, const DprivMeasure *part,
									int128 *component, bool decides);

/*
 * Add noise of scale smooth / alpha (alpha in units of epsilon), which depends on rows, to a single
 * component: the only place where that is done.  What has to hold is said in accounting/smooth.h.
 */
extern void dpriv_measure_add_smooth_noise(const DprivMeasure *measure, int128 *component,
										   int64 smooth, int64 alpha);

/*
 * Choose a cell for a measure: the only place where that is done.  Cells are numbered through the
 * runs, from 0.  The score of a cell is minus its loss; divisor is what the scores of neighbours
 * differ by, as dpriv_exponential_choose() counts it, and the choice gets one of nparts equal parts
 * of the measure's epsilon.
 */
extern int64 dpriv_measure_choose(const DprivMeasure *measure, DprivRun *run, int nruns,
								  uint64 divisor, int nparts);

/*
 * The number of the first query that is below a limit, n if none is: the only place where that is
 * decided.  A neighbour moves all queries in the same direction, none by more than the sensitivity;
 * the decision gets all of the measure's epsilon.
 */
extern int	dpriv_measure_first_below(const DprivMeasure *measure, const int128 *query, int n,
									  int128 limit, int64 sensitivity);

/*
 * May a value be published, of which neighbours have another one only if the distance is 1 for
 * both? Else their distances differ by 1 at most.  The only place where that is decided; each
 * decision gets one of nparts equal parts of the measure's epsilon and delta.
 */
extern bool dpriv_measure_release_if(const DprivMeasure *measure, int128 distance, int64 value,
									 int nparts);

/*
 * Noise scale of a component, in the value's unit (its square for sums of squares): of Laplace
 * noise b, of Gaussian noise its standard deviation.
 */
extern double dpriv_measure_scale(const DprivMeasure *measure, int sampler);

/*
 * How far the noise reaches, in steps: with at least the given probability |Z| for one component,
 * |(1 - p) Z1 - p Z2| for two, and |sum of weight[i] Z_i| for DPRIV_LAPLACE_WEIGHTS are not larger.
 * Upper bounds; see noise/laplace.h for the size of the difference.
 */
extern double dpriv_measure_noise_half_width(const DprivMeasure *measure, int sampler,
											 double confidence);
extern double dpriv_measure_mix_half_width(const DprivMeasure *measure, int sampler, double p,
										   double confidence);
extern double dpriv_measure_weighted_half_width(const DprivMeasure *measure, int sampler,
												const double *weight, double confidence);

#endif							/* DPRIV_MEASURE_H */
