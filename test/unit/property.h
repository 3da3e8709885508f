/*
 * property.h
 *	  Random arguments for properties of functions, and comparison of what they give.
 *
 * Comes after <cmocka.h> and what that needs.
 */
#ifndef PROPERTY_H
#define PROPERTY_H

/* Uniform on [0, 1). */
extern double uniform(void);

/* Between low and high, both positive, all magnitudes alike. */
extern double magnitude(double low, double high);

/* The two are equal, or finite and within tolerance times expected of each other. */
#define assert_close(value, expected, tolerance) \
	check_close(value, expected, tolerance, __FILE__, __LINE__)

extern void check_close(double value, double expected, double tolerance, const char *file,
						int line);

#endif							/* PROPERTY_H */
