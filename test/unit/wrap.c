/*
 * wrap.c
 *	  The linker's seam: tests choose the random bits, or have none.
 *
 * The shipped code has no switch for this.  The linker option --wrap makes calls of
 * pg_strong_random and dpriv_random_u64 that cross files come here.
 */
#include "server.h"

#include "noise/random.h"
#include "unit.h"

extern bool __real_pg_strong_random(void *buffer, size_t length);
extern bool __wrap_pg_strong_random(void *buffer, size_t length);
extern uint64 __real_dpriv_random_u64(void);
extern uint64 __wrap_dpriv_random_u64(void);

static bool source_broken = false;
static int	source_calls = 0;

static const uint64 *script = NULL;
static int	script_length = 0;
static int	script_used = 0;

static const uint64 *source_script = NULL;
static int	source_script_length = 0;

bool
__wrap_pg_strong_random(void *buffer, size_t length)
{
	source_calls++;

	/* The buffer is handed out from its end. */
	if (source_script != NULL)
	{
		uint64	   *end = (uint64 *) buffer + length / sizeof(uint64);

		memset(buffer, 0, length);
		for (int i = 0; i < source_script_length; i++)
			*--end = source_script[i];
		source_script = NULL;
		return true;
	}
	return !source_broken && __real_pg_strong_random(buffer, length);
}

uint64
__wrap_dpriv_random_u64(void)
{
	if (script == NULL)
		return __real_dpriv_random_u64();
	if (script_used >= script_length)
	{
		fprintf(stderr, "more than the %d scripted words asked for\n", script_length);
		abort();
	}
	return script[script_used++];
}

void
unit_script(const uint64 *words, int n)
{
	script = words;
	script_length = n;
	script_used = 0;
}

int
unit_script_used(void)
{
	return script_used;
}

void
unit_script_source(const uint64 *words, int n)
{
	source_script = words;
	source_script_length = n;
}

void
unit_break_source(bool broken)
{
	source_broken = broken;
}

int
unit_source_calls(void)
{
	return source_calls;
}
