/*
 * test_random.c
 *	  Random bits: where they come from, that none is used twice, that integers of them are uniform.
 */
#include "server.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "noise/random.h"
#include "unit.h"

/* Words compared between processes: more than any sensible buffer holds. */
#define WORDS 4096

#define E15 UINT64CONST(1000000000000000)

static int
compare_words(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* Fails if a word occurs twice; by chance it does with probability below n^2 / 2^65. */
static void
assert_all_different(uint64 *words, int n)
{
	qsort(words, n, sizeof(uint64), compare_words);
	for (int i = 1; i < n; i++)
		assert_true(words[i - 1] != words[i]);
}

/* Collects WORDS words from a child forked here and now. */
static void
words_of_child(uint64 *words)
{
	int			fds[2];
	size_t		wanted = WORDS * sizeof(uint64);
	size_t		got = 0;
	int			status;
	pid_t		pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
	{
		unit_start();
		for (int i = 0; i < WORDS; i++)
			words[i] = dpriv_random_u64();
		for (size_t sent = 0; sent < wanted;)
		{
			ssize_t		n = write(fds[1], (char *) words + sent, wanted - sent);

			if (n <= 0)
				_exit(1);
			sent += n;
		}
		_exit(0);
	}
	close(fds[1]);
	while (got < wanted)
	{
		ssize_t		n = read(fds[0], (char *) words + got, wanted - got);

		assert_true(n > 0);
		got += n;
	}
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A child inherits a buffer half full; its bits must be neither its parent's nor its sibling's. */
static void
test_child_shares_no_bits(void **state)
{
	static uint64 words[3 * WORDS];

	(void) state;
	(void) dpriv_random_u64();
	words_of_child(words);
	words_of_child(words + WORDS);
	for (int i = 0; i < WORDS; i++)
		words[2 * WORDS + i] = dpriv_random_u64();
	assert_all_different(words, 3 * WORDS);
}

/* No bits before the first are asked for, few calls for many bits, new ones after a wipe. */
static void
test_filled_lazily(void **state)
{
	int			calls;

	(void) state;
	dpriv_random_wipe();
	calls = unit_source_calls();
	assert_int_equal(unit_source_calls(), calls);
	(void) dpriv_random_u64();
	assert_int_equal(unit_source_calls(), calls + 1);
	(void) dpriv_random_u64();
	assert_int_equal(unit_source_calls(), calls + 1);
	dpriv_random_wipe();
	assert_int_equal(unit_source_calls(), calls + 1);
	(void) dpriv_random_u64();
	assert_int_equal(unit_source_calls(), calls + 2);
	for (int i = 0; i < 6400; i++)
		(void) dpriv_random_u64();
	assert_in_range(unit_source_calls(), calls + 3, calls + 2 + 640);
}

/* Without a source there is an error, after a wipe and in a new process alike. */
static void
test_no_source_no_bits(void **state)
{
	(void) state;

	/* Bits that are there already may still be used: they are strong. */
	dpriv_random_wipe();
	(void) dpriv_random_u64();
	unit_break_source(true);
	(void) dpriv_random_u64();
	unit_break_source(false);

	for (int wiped = 0; wiped < 2; wiped++)
	{
		int			status;
		pid_t		pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
		{
			struct rlimit none = {0, 0};

			setrlimit(RLIMIT_CORE, &none);
			signal(SIGABRT, SIG_DFL);
			if (freopen("/dev/null", "w", stderr) == NULL)
				_exit(2);
			if (wiped)
				dpriv_random_wipe();
			else
				unit_start();
			unit_break_source(true);
			(void) dpriv_random_u64();
			_exit(0);			/* bits from nowhere */
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
}

/* Every byte of a word takes every value equally often. */
static void
test_bytes_are_uniform(void **state)
{
	static int64 observed[256];
	static double probability[256];

	(void) state;
	for (int i = 0; i < 256; i++)
		probability[i] = 1.0 / 256.0;
	for (int64 i = 0; i < unit_draws() / 8; i++)
	{
		uint64		bits = dpriv_random_u64();

		for (int byte = 0; byte < 8; byte++)
			observed[(bits >> (8 * byte)) & 255]++;
	}
	assert_true(unit_fits("bytes", observed, probability, 256));
}

/* Cells of equal width from 0 to n, checked with both widths of integers where n allows. */
static void
check_below(const char *label, uint128 n)
{
	enum
	{
		CELLS = 210
	};
	int64		observed[2][CELLS] = {{0}};
	double		probability[CELLS] = {0};
	int			cells = n < CELLS ? (int) n : CELLS;
	uint128		width = n / cells;

	/* The last cell takes what is left over. */
	for (int i = 0; i < cells; i++)
		probability[i] = (double) width / (double) n;
	probability[cells - 1] = (double) (n - width * (cells - 1)) / (double) n;

	for (int64 i = 0; i < unit_draws(); i++)
	{
		uint128		value = dpriv_random_below(n);

		assert_true(value < n);
		observed[0][Min((int) Min(value / width, CELLS), cells - 1)]++;
		if (n <= PG_UINT64_MAX)
		{
			value = dpriv_random_below_u64((uint64) n);
			assert_true(value < n);
			observed[1][Min((int) Min(value / width, CELLS), cells - 1)]++;
		}
	}
	assert_true(unit_fits(label, observed[0], probability, cells));
	if (n <= PG_UINT64_MAX)
		assert_true(unit_fits(label, observed[1], probability, cells));
}

static void
test_below_is_uniform(void **state)
{
	(void) state;
	assert_true(dpriv_random_below(1) == 0);
	assert_true(dpriv_random_below_u64(1) == 0);

	check_below("below 2", 2);
	check_below("below 7", 7);
	check_below("below 1000", 1000);

	/* Much is rejected here: without the rejection some cells would be twice as full. */
	check_below("below 2^63 + 1", ((uint128) 1 << 63) + 1);
	check_below("below 2^64 / 3 * 2", PG_UINT64_MAX / 3 * 2);
	check_below("below 2^64 - 1", PG_UINT64_MAX);
	check_below("below 2^64", (uint128) 1 << 64);
	check_below("below 2^64 + 1", ((uint128) 1 << 64) + 1);
	check_below("below 10^30", (uint128) E15 * E15);
	check_below("below 2^127 + 1", ((uint128) 1 << 127) + 1);
	check_below("below 2^128 - 1", ~(uint128) 0);
}

/* Residues: without rejection every third integer would come twice as often. */
static void
test_residues_are_uniform(void **state)
{
	int64		observed[2][3] = {{0}};
	double		third[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};

	(void) state;
	for (int64 i = 0; i < unit_draws(); i++)
	{
		observed[0][dpriv_random_below_u64(UINT64CONST(3) << 61) % 3]++;
		observed[1][(uint64) (dpriv_random_below((uint128) 3 << 90) % 3)]++;
	}
	assert_true(unit_fits("residues below 3 2^61", observed[0], third, 3));
	assert_true(unit_fits("residues below 3 2^90", observed[1], third, 3));
}

static void
check_scripted(uint128 n, const uint64 *words, int count, uint128 expected)
{
	dpriv_random_wipe();
	unit_script_source(words, count);
	assert_true(dpriv_random_below(n) == expected);
	dpriv_random_wipe();
}

/* The largest values, and the bits just above, which are drawn again; chance never gets here. */
static void
test_below_at_the_end(void **state)
{
	uint128		power = (uint128) 1 << 64;
	uint64		half = UINT64CONST(1) << 63;
	uint64		all = PG_UINT64_MAX;

	(void) state;

	/* Below 2^64 + 2: 65 bits, 64 leading ones and one from the top of the next word. */
	check_scripted(power + 2, (uint64[]) {half, 0}, 2, power);
	check_scripted(power + 2, (uint64[]) {half, all}, 2, power + 1);
	check_scripted(power + 2, (uint64[]) {half - 1, half}, 2, power - 1);
	check_scripted(power + 2, (uint64[]) {half + 1, 7, half}, 3, 15);

	/* Below 2^64 + 1: the last bit decides. */
	check_scripted(power + 1, (uint64[]) {half, 0}, 2, power);
	check_scripted(power + 1, (uint64[]) {half, half, 3, 0}, 4, 6);

	/* All of 128 bits but the last value. */
	check_scripted(~(uint128) 0, (uint64[]) {all, all - 1}, 2, ~(uint128) 0 - 1);
	check_scripted(~(uint128) 0, (uint64[]) {all, all, 1, 2}, 4, power + 2);

	/* Below 3: 2^64 mod 3 = 1, so the low half 0 is drawn again and the low half 1 is not. */
	check_scripted(3, (uint64[]) {0, all}, 2, 2);
	check_scripted(3, (uint64[]) {all / 3 + 1}, 1, 1);
	check_scripted(3, (uint64[]) {all / 3}, 1, 0);
}

/* The low bits of a wide integer are random too, not only those that decide the cells above. */
static void
test_low_bits_are_uniform(void **state)
{
	static int64 observed[256];
	static double probability[256];
	uint128		n = (uint128) 5 << 90;

	(void) state;
	for (int i = 0; i < 256; i++)
		probability[i] = 1.0 / 256.0;
	for (int64 i = 0; i < unit_draws(); i++)
		observed[(uint64) dpriv_random_below(n) & 255]++;
	assert_true(unit_fits("low byte below 5 2^90", observed, probability, 256));
}

/* The test itself: multiplication without rejection, and a remainder, are found to be biased. */
static void
test_biased_integers_are_found(void **state)
{
	int64		observed[2][3] = {{0}};
	double		third[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
	uint64		n = UINT64CONST(3) << 61;

	(void) state;
	for (int64 i = 0; i < Max(unit_draws(), UNIT_MUTANT_DRAWS); i++)
	{
		/* Multiplied: the multiples of 3 twice as often as the others. */
		observed[0][(uint64) (((uint128) dpriv_random_u64() * n) >> 64) % 3]++;
		/* Remainder: the smallest third twice as often as the others. */
		observed[1][(dpriv_random_u64() % n) / (n / 3)]++;
	}
	assert_false(unit_fits("wrong: multiplication without rejection", observed[0], third, 3));
	assert_false(unit_fits("wrong: remainder", observed[1], third, 3));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child_shares_no_bits),
		cmocka_unit_test(test_filled_lazily),
		cmocka_unit_test(test_no_source_no_bits),
		cmocka_unit_test(test_bytes_are_uniform),
		cmocka_unit_test(test_below_is_uniform),
		cmocka_unit_test(test_residues_are_uniform),
		cmocka_unit_test(test_below_at_the_end),
		cmocka_unit_test(test_low_bits_are_uniform),
		cmocka_unit_test(test_biased_integers_are_found),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
