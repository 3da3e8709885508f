/*
 * bench.c
 *	  Draws per second of the samplers, one line for each set of parameters.
 */
#include "server.h"

#include <time.h>

#include "noise/gaussian.h"
#include "noise/laplace.h"
#include "noise/random.h"
#include "unit.h"

/* Rounds per line; the fastest and the median are printed, the machine may be shared. */
#define ROUNDS 5

#define DRAWS 1000000

#define E12 UINT64CONST(1000000000000)

static int64 sink;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static void
report(const char *label, double *seconds)
{
	qsort(seconds, ROUNDS, sizeof(double), compare_doubles);
	printf("%-52s %6.2f million/s (fastest %.2f)\n", label,
		   DRAWS / seconds[ROUNDS / 2] * 1e-6, DRAWS / seconds[0] * 1e-6);
}

static void
bench_random(void)
{
	double		seconds[ROUNDS];

	for (int round = 0; round < ROUNDS; round++)
	{
		double		start = now();

		for (int i = 0; i < DRAWS; i++)
			sink += (int64) (dpriv_random_u64() & 1);
		seconds[round] = now() - start;
	}
	report("64 random bits", seconds);
}

static void
bench_first_draw(void)
{
	DprivLaplace laplace;
	double		seconds[ROUNDS];

	if (!dpriv_laplace_init(&laplace, 1000, 1))
		abort();
	for (int round = 0; round < ROUNDS; round++)
	{
		double		start = now();

		for (int i = 0; i < DRAWS / 10; i++)
		{
			sink += dpriv_laplace_draw(&laplace);
			dpriv_random_wipe();
		}
		seconds[round] = (now() - start) * 10;
	}
	report("laplace, scale 1000, wiped after every draw", seconds);
}

static void
bench_laplace(const char *label, uint128 num, uint128 den)
{
	DprivLaplace laplace;
	double		seconds[ROUNDS];

	if (!dpriv_laplace_init(&laplace, num, den))
		abort();
	for (int round = 0; round < ROUNDS; round++)
	{
		double		start = now();

		for (int i = 0; i < DRAWS; i++)
			sink += dpriv_laplace_draw(&laplace) & 1;
		seconds[round] = now() - start;
	}
	report(label, seconds);
}

static void
bench_gaussian(const char *label, uint128 num, uint128 den)
{
	DprivGaussian gaussian;
	double		seconds[ROUNDS];

	if (!dpriv_gaussian_init(&gaussian, num, den))
		abort();
	for (int round = 0; round < ROUNDS; round++)
	{
		double		start = now();

		for (int i = 0; i < DRAWS; i++)
			sink += dpriv_gaussian_draw(&gaussian) & 1;
		seconds[round] = now() - start;
	}
	report(label, seconds);
}

static void
bench_half_width(void)
{
	DprivLaplace laplace;
	double		seconds[ROUNDS];

	if (!dpriv_laplace_init(&laplace, 1000, 1))
		abort();
	for (int round = 0; round < ROUNDS; round++)
	{
		double		start = now();

		for (int i = 0; i < DRAWS / 10; i++)
			sink += (int64) dpriv_laplace_mix_half_width(&laplace, i * (10.0 / DRAWS), 0.95);
		seconds[round] = (now() - start) * 10;
	}
	report("half-width of a mean", seconds);
}

int
main(void)
{
	unit_start();

	bench_random();
	bench_first_draw();
	bench_laplace("laplace, scale 1/20", 1, 20);
	bench_laplace("laplace, scale 1", 1, 1);
	bench_laplace("laplace, scale 1000", 1000, 1);
	bench_laplace("laplace, scale 1000 e12/e12", (uint128) 1000 * E12, E12);
	bench_laplace("laplace, scale 1000/3", 1000, 3);
	bench_laplace("laplace, scale 2^40", (uint128) 1 << 40, 1);
	bench_laplace("laplace, scale 2^45", (uint128) 1 << 45, 1);
	bench_laplace("laplace, 128 bits, 123456789 e12 / 333333333333",
				  (uint128) 123456789 * E12, UINT64CONST(333333333333));
	bench_laplace("laplace, 128 bits, (2^63 - 1) e12 / (1e15 - 1)",
				  (uint128) PG_INT64_MAX * E12, 1000 * E12 - 1);
	bench_gaussian("gaussian, sigma 2^35 and 8, from strips",
				   (((uint128) 1 << 35) + 8) * (((uint128) 1 << 35) + 8), 1);
	bench_gaussian("gaussian, sigma^2 1", 1, 1);
	bench_gaussian("gaussian, sigma^2 1e6", 1000000, 1);
	bench_gaussian("gaussian, sigma^2 (1e18 + 1) / 7e11",
				   (uint128) 1000000 * E12 + 1, 7 * E12 / 10);
	bench_gaussian("gaussian, sigma 2^45", (uint128) 1 << 90, 1);
	bench_gaussian("gaussian, 128 bits, sigma near 2^45", ~(uint128) 0, ((uint128) 1 << 38) - 1);
	bench_half_width();

	return sink == PG_INT64_MIN;
}
