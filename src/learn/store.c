/*
 * store.c
 *	  The rows that a model is trained on, as few bytes, read as often as needed.
 *
 * Rows have a fixed length and lie in chunks.  The first chunks, as many as fit in
 * maintenance_work_mem, stay in memory; the others are in a temporary file, each at a place of its
 * own, so that they can be written again.  How many there are is private, so nothing here says so.
 */
#include "postgres.h"

#include "learn/store.h"
#include "mechanism/audit.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "port/pg_bitutils.h"
#include "storage/buffile.h"

struct LearnStore
{
	MemoryContext context;
	Size		codes_at;		/* within a row */
	Size		row_size;
	Size		chunk_size;		/* whole blocks */
	int64		max_memory;		/* chunks that may stay in memory; at least one */
	int64		nchunks;		/* that are full, or finished */
	List	   *memory;			/* of char *, the first of them */
	BufFile    *file;			/* the others; NULL if there are none */
	char	   *current;		/* the chunk that is being filled or read */
	int			ncurrent;		/* rows in it, while it is filled */
	int			nlast;			/* rows in the last chunk, once finished */
};

LearnStore *
dpriv_learn_store(int nnumbers, int ncategories)
{
	LearnStore *store = palloc0(sizeof(LearnStore));

	store->context = CurrentMemoryContext;
	store->codes_at = offsetof(LearnRow, number) + sizeof(int32) * nnumbers;
	store->row_size = INTALIGN(store->codes_at + sizeof(uint16) * ncategories);
	store->chunk_size = TYPEALIGN(BLCKSZ, store->row_size * DPRIV_LEARN_CHUNK);
	store->max_memory = Max(1, maintenance_work_mem * (int64) 1024 / store->chunk_size - 1);
	store->current = palloc0(store->chunk_size);
	return store;
}

Size
dpriv_learn_row_size(const LearnStore *store)
{
	return store->row_size;
}

uint16 *
dpriv_learn_row_codes(const LearnStore *store, LearnRow *row)
{
	return (uint16 *) ((char *) row + store->codes_at);
}

static void
refuse_file(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_IO_ERROR),
			 errmsg("could not read temporary rows of a training"),
			 errhint("Check the disk that holds temporary files.")));
}

/* To the place of a chunk in the file. */
static void
seek(LearnStore *store, int64 chunk)
{
	int64		block = (chunk - list_length(store->memory)) * (int64) (store->chunk_size / BLCKSZ);

	if (BufFileSeekBlock(store->file, (long) block) != 0)
		refuse_file();
}

/* Put the chunk that is being filled away. */
static void
put(LearnStore *store)
{
	MemoryContext old = MemoryContextSwitchTo(store->context);

	if (list_length(store->memory) < store->max_memory)
	{
		store->memory = lappend(store->memory, store->current);
		store->current = palloc0(store->chunk_size);
	}
	else
	{
		if (store->file == NULL)
			store->file = BufFileCreateTemp(false);
		BufFileWrite(store->file, store->current, store->chunk_size);
		memset(store->current, 0, store->chunk_size);
	}
	store->nchunks++;
	store->nlast = store->ncurrent;
	store->ncurrent = 0;
	MemoryContextSwitchTo(old);
}

LearnRow *
dpriv_learn_store_add(LearnStore *store)
{
	if (store->ncurrent == DPRIV_LEARN_CHUNK)
		put(store);
	return (LearnRow *) (store->current + store->row_size * store->ncurrent++);
}

void
dpriv_learn_store_finish(LearnStore *store)
{
	if (store->ncurrent > 0)
		put(store);
}

static void
read_chunk(LearnStore *store, int64 chunk)
{
	seek(store, chunk);
	if (BufFileRead(store->file, store->current, store->chunk_size) != store->chunk_size)
		refuse_file();
}

static int
rows_in(const LearnStore *store, int64 chunk)
{
	return chunk < store->nchunks - 1 ? DPRIV_LEARN_CHUNK : store->nlast;
}

void
dpriv_learn_store_scan(LearnStore *store, bool changes, LearnWork work, void *context)
{
	for (int64 chunk = 0; chunk < store->nchunks; chunk++)
	{
		bool		in_memory = chunk < list_length(store->memory);

		CHECK_FOR_INTERRUPTS();
		if (!in_memory)
			read_chunk(store, chunk);
		work(context, in_memory ? list_nth(store->memory, (int) chunk) : store->current,
			 rows_in(store, chunk));
		if (!in_memory && changes)
		{
			seek(store, chunk);
			BufFileWrite(store->file, store->current, store->chunk_size);
		}
	}
}

/*
 * Samples
 */

/* Rows in memory are pending while they are on their way into the processor's caches. */
typedef struct Visit
{
	LearnStore *store;
	LearnRowsWork work;
	void	   *context;
	int			npending;
	LearnRow   *pending[DPRIV_LEARN_ROWS];
} Visit;

static void
work_pending(Visit *visit)
{
	visit->work(visit->context, visit->pending, visit->npending);
	visit->npending = 0;
}

static void
visit_row(Visit *visit, int64 chunk, int row)
{
	LearnStore *store = visit->store;
	Size		at = store->row_size * row;
	int64		nmemory = list_length(store->memory);
	char	   *place;

	if (chunk < nmemory)
	{
		place = (char *) list_nth(store->memory, (int) chunk) + at;
		__builtin_prefetch(place);
		__builtin_prefetch(place + store->row_size - 1);
		visit->pending[visit->npending++] = (LearnRow *) place;
		if (visit->npending == DPRIV_LEARN_ROWS)
			work_pending(visit);
		return;
	}
	if (BufFileSeek(store->file, 0, (chunk - nmemory) * (int64) store->chunk_size + at,
					SEEK_SET) != 0 ||
		BufFileRead(store->file, store->current, store->row_size) != store->row_size)
		refuse_file();
	place = store->current;
	visit->work(visit->context, (LearnRow **) &place, 1);
}

/* Of a chunk, the rows from first on, up to DPRIV_POISSON_ROWS. */
static void
visit_rows(Visit *visit, const DprivPoisson *sample, int64 chunk, int first, int nrows)
{
	uint64		rows[DPRIV_POISSON_WORDS];

	dpriv_poisson_draw(sample, rows);
	for (int i = 0; i < DPRIV_POISSON_WORDS && i * 64 < nrows; i++)
	{
		uint64		word = rows[i];

		if (nrows - i * 64 < 64)
			word &= (UINT64CONST(1) << (nrows - i * 64)) - 1;
		DPRIV_AUDIT_SAMPLE(word, nrows - i * 64);
		for (; word; word &= word - 1)
			visit_row(visit, chunk, first + i * 64 + pg_rightmost_one_pos64(word));
	}
}

void
dpriv_learn_store_sample(LearnStore *store, const DprivPoisson *sample,
						 LearnRowsWork work,
						 void *context)
{
	Visit		visit = {store, work, context};

	for (int64 chunk = 0; chunk < store->nchunks; chunk++)
	{
		int			nrows = rows_in(store, chunk);

		CHECK_FOR_INTERRUPTS();
		for (int first = 0; first < nrows; first += DPRIV_POISSON_ROWS)
			visit_rows(&visit, sample, chunk, first, Min(nrows - first, DPRIV_POISSON_ROWS));
	}
	work_pending(&visit);
}

void
dpriv_learn_store_close(LearnStore *store)
{
	if (store->file)
		BufFileClose(store->file);
}
