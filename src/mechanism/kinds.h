/*
 * kinds.h
 *	  Callbacks of the kinds of measures; see DprivMeasureKind for what each promises.
 */
#ifndef DPRIV_KINDS_H
#define DPRIV_KINDS_H

#include "mechanism/measure.h"

/* count.c */
extern void dpriv_count_prepare(DprivMeasure *measure);
extern void dpriv_count_components(const DprivMeasure *measure, Datum exact, bool isnull,
								   int128 *component);
extern Datum dpriv_count_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_count_half_width(const DprivMeasure *measure, const int128 *component,
									 double confidence);
extern int64 dpriv_int128_to_int64(int128 value);

/* sum.c */
extern void dpriv_sum_prepare(DprivMeasure *measure);
extern void dpriv_sum_components(const DprivMeasure *measure, Datum exact, bool isnull,
								 int128 *component);
extern Datum dpriv_sum_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_sum_half_width(const DprivMeasure *measure, const int128 *component,
								   double confidence);

/* Bounds out of the arguments (x, lower, upper). */
extern void dpriv_bounds_check(DprivMeasure *measure);

/* The same where they begin at another argument; what the arguments are, for a hint. */
extern void dpriv_bounds_check_at(DprivMeasure *measure, int first, const char *arguments);

/* {low, high, count} of dpriv.exact_sum(); all zero without rows. */
extern void dpriv_exact_sum_parts(Datum exact, bool isnull, int128 *sum, int64 *count);

/* avg.c */
extern void dpriv_avg_prepare(DprivMeasure *measure);
extern void dpriv_avg_components(const DprivMeasure *measure, Datum exact, bool isnull,
								 int128 *component);
extern Datum dpriv_avg_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_avg_half_width(const DprivMeasure *measure, const int128 *component,
								   double confidence);

/* variance.c */
extern void dpriv_variance_check(DprivMeasure *measure);
extern void dpriv_variance_prepare(DprivMeasure *measure);
extern void dpriv_variance_components(const DprivMeasure *measure, Datum exact, bool isnull,
									  int128 *component);
extern Datum dpriv_variance_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_variance_half_width(const DprivMeasure *measure, const int128 *component,
										double confidence);
extern Datum dpriv_stddev_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_stddev_half_width(const DprivMeasure *measure, const int128 *component,
									  double confidence);

/* histogram.c */
extern void dpriv_edges_check(DprivMeasure *measure);
extern void dpriv_categories_check(DprivMeasure *measure);
extern void dpriv_bins_prepare(DprivMeasure *measure);
extern void dpriv_bins_components(const DprivMeasure *measure, Datum exact, bool isnull,
								  int128 *component);
extern Datum dpriv_edges_answer(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_categories_answer(const DprivMeasure *measure, const int128 *component);

/*
 * Elements of the second argument, a one-dimensional array without NULLs, of this type; returns
 * their number.  Errors: 22023, 22004.
 */
extern int	dpriv_text_elements(const DprivMeasure *measure, Datum **element);
extern int	dpriv_real_elements(const DprivMeasure *measure, Datum **element);

/* Exact counts per bin, nbins of them. */
extern void dpriv_exact_counts(Datum exact, bool isnull, int64 *count, int nbins);

/* Array of rows of the result's element type, whose columns must have these types; row by row. */
extern Datum dpriv_rows_answer(const DprivMeasure *measure, const Datum *value, int nrows,
							   const Oid *type, int ncolumns);

/* clip_curve.c */
extern void dpriv_clip_curve_check(DprivMeasure *measure);
extern void dpriv_clip_curve_set_parameter(DprivMeasure *measure);
extern void dpriv_clip_curve_prepare(DprivMeasure *measure);
extern void dpriv_clip_curve_components(const DprivMeasure *measure, Datum exact, bool isnull,
										int128 *component);
extern Datum dpriv_clip_curve_answer(const DprivMeasure *measure, const int128 *component);

/* clip_bound.c */
extern void dpriv_clip_bound_check(DprivMeasure *measure);
extern void dpriv_clip_bound_prepare(DprivMeasure *measure);
extern void dpriv_clip_bound_select(const DprivMeasure *measure, Datum exact, bool isnull,
									int128 *component);
extern Datum dpriv_clip_bound_answer(const DprivMeasure *measure, const int128 *component);

/* mode.c */
extern void dpriv_mode_check(DprivMeasure *measure);
extern void dpriv_top_k_check(DprivMeasure *measure);
extern void dpriv_mode_prepare(DprivMeasure *measure);
extern void dpriv_mode_select(const DprivMeasure *measure, Datum exact, bool isnull,
							  int128 *component);
extern Datum dpriv_mode_answer(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_top_k_answer(const DprivMeasure *measure, const int128 *component);

/* quantile.c */
extern void dpriv_median_check(DprivMeasure *measure);
extern void dpriv_quantile_check(DprivMeasure *measure);
extern void dpriv_quantiles_check(DprivMeasure *measure);
extern void dpriv_quantile_prepare(DprivMeasure *measure);
extern void dpriv_quantile_select(const DprivMeasure *measure, Datum exact, bool isnull,
								  int128 *component);
extern void dpriv_quantiles_select(const DprivMeasure *measure, Datum exact, bool isnull,
								   int128 *component);
extern Datum dpriv_quantile_answer(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_quantiles_answer(const DprivMeasure *measure, const int128 *component);

/* The range of leaves that check has set, as the exact function's argument. */
extern void dpriv_leaves_set_parameter(DprivMeasure *measure);

/* How many leaves have values, of an exact result; leaf i is at 2 i, its count behind it. */
extern int	dpriv_leaves_read(Datum exact, bool isnull, const int64 **leaf);

/* median_smooth.c */
extern void dpriv_median_smooth_prepare(DprivMeasure *measure);
extern void dpriv_median_smooth_select(const DprivMeasure *measure, Datum exact, bool isnull,
									   int128 *component);
extern Datum dpriv_median_smooth_answer(const DprivMeasure *measure, const int128 *component);

/* iqr.c */
extern void dpriv_iqr_check(DprivMeasure *measure);
extern void dpriv_iqr_prepare(DprivMeasure *measure);
extern void dpriv_iqr_select(const DprivMeasure *measure, Datum exact, bool isnull,
							 int128 *component);
extern bool dpriv_iqr_is_null(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_iqr_answer(const DprivMeasure *measure, const int128 *component);

/* vector.c */
extern void dpriv_vector_check(DprivMeasure *measure);
extern void dpriv_vector_prepare(DprivMeasure *measure);
extern void dpriv_vector_components(const DprivMeasure *measure, Datum exact, bool isnull,
									int128 *component);
extern Datum dpriv_vector_answer(const DprivMeasure *measure, const int128 *component);

/* bounds.c: bounds found privately, and what is clipped to them */
#define DPRIV_FOUND_MECHANISM \
	"discrete Laplace on counts by magnitude with a quarter of epsilon, then on clipped values"
extern void dpriv_found_prepare(DprivMeasure *measure);
extern void dpriv_found_bounds_check(DprivMeasure *measure);
extern void dpriv_found_sum_check(DprivMeasure *measure);
extern void dpriv_found_avg_check(DprivMeasure *measure);
extern void dpriv_found_variance_check(DprivMeasure *measure);
extern void dpriv_found_select(const DprivMeasure *measure, Datum exact, bool isnull,
							   int128 *component);
extern bool dpriv_found_is_null(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_found_bounds_answer(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_found_answer(const DprivMeasure *measure, const int128 *component);
extern Datum dpriv_found_stddev_answer(const DprivMeasure *measure, const int128 *component);
extern double dpriv_found_half_width(const DprivMeasure *measure, const int128 *component,
									 double confidence);
extern double dpriv_found_stddev_half_width(const DprivMeasure *measure, const int128 *component,
											double confidence);

#endif							/* DPRIV_KINDS_H */
