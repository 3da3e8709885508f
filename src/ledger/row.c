/*
 * row.c
 *	  A row of the ledger, in memory and on disk.
 *
 * What is hashed is what a dump keeps: names and numbers, text as UTF-8, float8s by their bits.  A
 * restored ledger therefore verifies, whatever the OIDs and the encoding of the new database.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "ledger/row.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

/*
 * Decimals
 */

Datum
dpriv_units_to_numeric(int128 units, int digits)
{
	char		text[64];
	char	   *at = text + sizeof(text) - 1;
	int			place = 0;
	bool		trailing = true;

	if (units == 0)
		return NumericGetDatum(int64_to_numeric(0));
	if (units <= PG_INT64_MAX)
	{
		int64		value = (int64) units;

		for (; digits > 0 && value % 10 == 0; digits--)
			value /= 10;
		return NumericGetDatum(int64_div_fast_to_numeric(value, digits));
	}

	/* From the right, without the zeros at the end of the fraction. */
	*at = '\0';
	while (units > 0 || place <= digits)
	{
		char		digit = '0' + (char) (units % 10);

		if (place == digits && !trailing)
			*--at = '.';
		if (digit != '0' || place >= digits)
			trailing = false;
		if (!trailing)
			*--at = digit;
		units /= 10;
		place++;
	}
	return DirectFunctionCall3(numeric_in, CStringGetDatum(at), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

bool
dpriv_units_from_numeric(Datum numeric, int digits, int128 *units)
{
	Numeric		number = DatumGetNumeric(numeric);
	Numeric		zero = int64_to_numeric(0);
	const uint128 limit = ((uint128) 1 << 127) - 1;
	uint128		value = 0;
	int			fraction = -1;
	const char *text;

	/* Most deltas are. */
	if (VARSIZE(number) == VARSIZE(zero) && memcmp(number, zero, VARSIZE(zero)) == 0)
	{
		*units = 0;
		return true;
	}
	text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
	for (; *text; text++)
	{
		if (*text == '.' && fraction < 0)
		{
			fraction = 0;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		if (fraction >= digits)
		{
			if (*text != '0')
				return false;
			continue;
		}
		if (value > (limit - (*text - '0')) / 10)
			return false;
		value = 10 * value + (*text - '0');
		if (fraction >= 0)
			fraction++;
	}
	for (fraction = Max(fraction, 0); fraction < digits; fraction++)
	{
		if (value > limit / 10)
			return false;
		value *= 10;
	}
	*units = (int128) value;
	return true;
}

static bool
epsilon_from_numeric(Datum numeric, int64 *epsilon)
{
	int128		units;

	if (!dpriv_units_from_numeric(numeric, DPRIV_EPSILON_DIGITS, &units) || units > PG_INT64_MAX)
		return false;
	*epsilon = (int64) units;
	return true;
}

/*
 * Identifiers
 */

/* Random bits for several, since asking for few takes as long.  They are no secret. */
#define NSPARE 64

void
dpriv_make_uuid(pg_uuid_t *uuid)
{
	static pg_uuid_t spare[NSPARE];
	static int	nspare = 0;
	static int	owner = 0;

	/* A child of a process has its own. */
	if (nspare == 0 || owner != MyProcPid)
	{
		if (!pg_strong_random(spare, sizeof(spare)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate an identifier"),
					 errhint("The server's source of random bits failed; nothing was charged or "
							 "granted.")));
		nspare = NSPARE;
		owner = MyProcPid;
	}
	*uuid = spare[--nspare];
	uuid->data[6] = (uuid->data[6] & 0x0f) | 0x40;
	uuid->data[8] = (uuid->data[8] & 0x3f) | 0x80;
}

/*
 * Hash
 */

/* What is to be hashed: collected first, since a library is asked less often then. */
static void
add_bytes(StringInfo bytes, const void *data, size_t size)
{
	appendBinaryStringInfo(bytes, data, (int) size);
}

static void
add_u64(StringInfo bytes, uint64 value)
{
	value = pg_hton64(value);
	add_bytes(bytes, &value, sizeof(value));
}

static void
add_u128(StringInfo bytes, uint128 value)
{
	add_u64(bytes, (uint64) (value >> 64));
	add_u64(bytes, (uint64) value);
}

static void
add_float8(StringInfo bytes, double value)
{
	uint64		bits;

	memcpy(&bits, &value, sizeof(bits));
	add_u64(bytes, bits);
}

/* With its length, so that no two lists of texts look alike; NULL has a length of its own. */
static void
add_text(StringInfo bytes, const text *value)
{
	char	   *utf8;
	int			size;

	if (value == NULL)
	{
		add_u64(bytes, PG_UINT64_MAX);
		return;
	}
	size = VARSIZE_ANY_EXHDR(value);
	utf8 = pg_server_to_any(VARDATA_ANY(value), size, PG_UTF8);
	if (utf8 != VARDATA_ANY(value))
		size = strlen(utf8);
	add_u64(bytes, (uint64) size);
	add_bytes(bytes, utf8, size);
}

static void
add_texts(StringInfo bytes, ArrayType *array)
{
	Datum	   *element;
	bool	   *isnull;
	int			n;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &isnull, &n);
	add_u64(bytes, (uint64) n);
	for (int i = 0; i < n; i++)
		add_text(bytes, isnull[i] ? NULL : DatumGetTextPP(element[i]));
}

static void
add_cost(StringInfo bytes, const DprivCost *cost)
{
	add_u64(bytes, (uint64) cost->epsilon);
	add_u128(bytes, (uint128) cost->delta_basic);
	add_u128(bytes, (uint128) cost->delta_approx);
	add_float8(bytes, cost->rho);
	add_u64(bytes, DPRIV_NORDERS);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		add_float8(bytes, cost->curve[i]);
}

/*
 * One context for the life of the process, since looking up the algorithm takes longer than hashing.
 * A context belongs to a resource owner; this one's is never released.
 */
static void
hash(const StringInfo bytes, uint8 *result)
{
	static pg_cryptohash_ctx *context = NULL;

	if (context == NULL)
	{
		ResourceOwner owner = CurrentResourceOwner;

		CurrentResourceOwner = ResourceOwnerCreate(NULL, "dpriv hash");
		context = pg_cryptohash_create(PG_SHA256);
		CurrentResourceOwner = owner;
	}
	if (context == NULL || pg_cryptohash_init(context) < 0 ||
		pg_cryptohash_update(context, (const uint8 *) bytes->data, bytes->len) < 0 ||
		pg_cryptohash_final(context, result, DPRIV_HASH_SIZE) < 0)
		elog(ERROR, "could not compute a hash");
}

void
dpriv_row_seal(DprivRow *row, const uint8 *previous)
{
	static const uint8 none[DPRIV_HASH_SIZE] = {0};
	StringInfoData bytes;

	initStringInfo(&bytes);
	add_bytes(&bytes, previous ? previous : none, DPRIV_HASH_SIZE);
	add_bytes(&bytes, row->charge_id.data, UUID_LEN);
	add_u64(&bytes, (uint64) row->charged_at);
	add_text(&bytes, row->session_role);
	add_text(&bytes, row->current_role);
	add_text(&bytes, row->relation_name);
	add_text(&bytes, row->mechanism);
	add_texts(&bytes, row->measures);
	add_cost(&bytes, &row->cost);
	add_text(&bytes, row->query);
	add_text(&bytes, row->parameters);
	add_u64(&bytes, row->has_budget);
	if (row->has_budget)
	{
		add_bytes(&bytes, row->budget.data, UUID_LEN);
		add_u64(&bytes, (uint64) row->entry.number);
		add_u64(&bytes, row->has_period);
		if (row->has_period)
			add_u64(&bytes, (uint64) row->entry.period_start);
		add_cost(&bytes, &row->entry.total);
		add_u64(&bytes, (uint64) row->entry.lifetime_epsilon);
	}
	hash(&bytes, row->entry.hash);
	pfree(bytes.data);
}

void
dpriv_row_check_texts(const DprivRow *row)
{
	DprivRow	copy = *row;

	if (GetDatabaseEncoding() != PG_UTF8)
		dpriv_row_seal(&copy, NULL);
}

/*
 * Tuples
 */

Datum
dpriv_curve_to_array(const double *curve)
{
	Datum		element[DPRIV_NORDERS];

	for (int i = 0; i < DPRIV_NORDERS; i++)
		element[i] = Float8GetDatum(curve[i]);
	return PointerGetDatum(construct_array(element, DPRIV_NORDERS, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(dpriv_cost_orders);

/* dpriv.orders() returns float8[]. */
Datum
dpriv_cost_orders(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(dpriv_curve_to_array(dpriv_orders));
}

static bool
curve_from_array(double *curve, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != DPRIV_NORDERS || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != FLOAT8OID)
		return false;
	memcpy(curve, ARR_DATA_PTR(array), sizeof(double) * DPRIV_NORDERS);
	return true;
}

static Datum
bytes_to_bytea(const uint8 *bytes)
{
	bytea	   *value = palloc(VARHDRSZ + DPRIV_HASH_SIZE);

	SET_VARSIZE(value, VARHDRSZ + DPRIV_HASH_SIZE);
	memcpy(VARDATA(value), bytes, DPRIV_HASH_SIZE);
	return PointerGetDatum(value);
}

HeapTuple
dpriv_row_form(const DprivRow *row, TupleDesc tupdesc)
{
	Datum	   *value = palloc0(sizeof(Datum) * tupdesc->natts);
	bool	   *isnull = palloc(sizeof(bool) * tupdesc->natts);

#define SET(column, datum) \
	(value[Anum_dpriv_ledger_##column - 1] = (datum), \
	 isnull[Anum_dpriv_ledger_##column - 1] = false)

	memset(isnull, true, sizeof(bool) * tupdesc->natts);
	SET(charge_id, UUIDPGetDatum(&row->charge_id));
	SET(charged_at, TimestampTzGetDatum(row->charged_at));
	SET(session_role, PointerGetDatum(row->session_role));
	SET(current_role, PointerGetDatum(row->current_role));
	if (OidIsValid(row->relation))
		SET(relation, ObjectIdGetDatum(row->relation));
	if (row->relation_name)
		SET(relation_name, PointerGetDatum(row->relation_name));
	SET(mechanism, PointerGetDatum(row->mechanism));
	SET(measures, PointerGetDatum(row->measures));
	SET(epsilon, dpriv_units_to_numeric(row->cost.epsilon, DPRIV_EPSILON_DIGITS));
	SET(delta_basic, dpriv_units_to_numeric(row->cost.delta_basic, DPRIV_DELTA_DIGITS));
	SET(delta_approx, dpriv_units_to_numeric(row->cost.delta_approx, DPRIV_DELTA_DIGITS));
	SET(rho, Float8GetDatum(row->cost.rho));
	SET(curve, dpriv_curve_to_array(row->cost.curve));
	if (row->has_budget)
	{
		const DprivCost *total = &row->entry.total;

		SET(budget_id, UUIDPGetDatum(&row->budget));
		SET(entry, Int64GetDatum(row->entry.number));
		if (row->has_period)
			SET(period_start, TimestampTzGetDatum(row->entry.period_start));
		SET(total_epsilon, dpriv_units_to_numeric(total->epsilon, DPRIV_EPSILON_DIGITS));
		SET(total_delta_basic, dpriv_units_to_numeric(total->delta_basic, DPRIV_DELTA_DIGITS));
		SET(total_delta_approx, dpriv_units_to_numeric(total->delta_approx, DPRIV_DELTA_DIGITS));
		SET(total_rho, Float8GetDatum(total->rho));
		SET(total_curve, dpriv_curve_to_array(total->curve));
		SET(lifetime_epsilon, dpriv_units_to_numeric(row->entry.lifetime_epsilon,
													 DPRIV_EPSILON_DIGITS));
	}
	if (row->query)
		SET(query, PointerGetDatum(row->query));
	if (row->parameters)
		SET(parameters, PointerGetDatum(row->parameters));
	SET(hash, bytes_to_bytea(row->entry.hash));
	return heap_form_tuple(tupdesc, value, isnull);
#undef SET
}

static bool
read_cost(DprivCost *cost, const Datum *value, const bool *isnull, int epsilon, int delta_basic,
		  int delta_approx, int rho, int curve)
{
	if (isnull[epsilon - 1] || isnull[delta_basic - 1] || isnull[delta_approx - 1] ||
		isnull[rho - 1] || isnull[curve - 1])
		return false;
	cost->rho = DatumGetFloat8(value[rho - 1]);
	return epsilon_from_numeric(value[epsilon - 1], &cost->epsilon) &&
		dpriv_units_from_numeric(value[delta_basic - 1], DPRIV_DELTA_DIGITS,
								 &cost->delta_basic) &&
		dpriv_units_from_numeric(value[delta_approx - 1], DPRIV_DELTA_DIGITS,
								 &cost->delta_approx) &&
		curve_from_array(cost->curve, value[curve - 1]);
}

/* What is of a budget's chain; the budget is not NULL. */
static bool
read_entry(DprivEntry *entry, const Datum *value, const bool *isnull)
{
#define VALUE(column) value[Anum_dpriv_ledger_##column - 1]
#define ISNULL(column) isnull[Anum_dpriv_ledger_##column - 1]
	bytea	   *hash;

	if (ISNULL(entry) || ISNULL(charged_at) || ISNULL(lifetime_epsilon) || ISNULL(hash))
		return false;
	entry->number = DatumGetInt64(VALUE(entry));
	entry->charged_at = DatumGetTimestampTz(VALUE(charged_at));
	entry->has_period = !ISNULL(period_start);
	if (entry->has_period)
		entry->period_start = DatumGetTimestampTz(VALUE(period_start));
	hash = DatumGetByteaPP(VALUE(hash));
	if (entry->number <= 0 || VARSIZE_ANY_EXHDR(hash) != DPRIV_HASH_SIZE)
		return false;
	memcpy(entry->hash, VARDATA_ANY(hash), DPRIV_HASH_SIZE);
	return epsilon_from_numeric(VALUE(lifetime_epsilon), &entry->lifetime_epsilon) &&
		read_cost(&entry->total, value, isnull, Anum_dpriv_ledger_total_epsilon,
				  Anum_dpriv_ledger_total_delta_basic, Anum_dpriv_ledger_total_delta_approx,
				  Anum_dpriv_ledger_total_rho, Anum_dpriv_ledger_total_curve);
#undef VALUE
#undef ISNULL
}

bool
dpriv_entry_read(DprivEntry *entry, HeapTuple tuple, TupleDesc tupdesc, pg_uuid_t *budget)
{
	Datum	   *value = palloc(sizeof(Datum) * tupdesc->natts);
	bool	   *isnull = palloc(sizeof(bool) * tupdesc->natts);

	memset(entry, 0, sizeof(DprivEntry));
	heap_deform_tuple(tuple, tupdesc, value, isnull);
	if (budget)
	{
		if (isnull[Anum_dpriv_ledger_budget_id - 1])
			return false;
		*budget = *DatumGetUUIDP(value[Anum_dpriv_ledger_budget_id - 1]);
	}
	return read_entry(entry, value, isnull);
}

bool
dpriv_row_read(DprivRow *row, HeapTuple tuple, TupleDesc tupdesc)
{
	Datum	   *value = palloc(sizeof(Datum) * tupdesc->natts);
	bool	   *isnull = palloc(sizeof(bool) * tupdesc->natts);
	bytea	   *hash;

#define VALUE(column) value[Anum_dpriv_ledger_##column - 1]
#define ISNULL(column) isnull[Anum_dpriv_ledger_##column - 1]
#define TEXT(column) (ISNULL(column) ? NULL : DatumGetTextPP(VALUE(column)))

	memset(row, 0, sizeof(DprivRow));
	heap_deform_tuple(tuple, tupdesc, value, isnull);
	if (!ISNULL(budget_id))
	{
		row->has_budget = true;
		row->budget = *DatumGetUUIDP(VALUE(budget_id));
		if (!ISNULL(entry))
			row->entry.number = DatumGetInt64(VALUE(entry));
	}
	if (!ISNULL(charge_id))
		row->charge_id = *DatumGetUUIDP(VALUE(charge_id));
	if (ISNULL(charge_id) || ISNULL(charged_at) || ISNULL(session_role) || ISNULL(current_role) ||
		ISNULL(mechanism) || ISNULL(measures) || ISNULL(hash))
		return false;
	row->charged_at = DatumGetTimestampTz(VALUE(charged_at));
	row->entry.charged_at = row->charged_at;
	row->session_role = TEXT(session_role);
	row->current_role = TEXT(current_role);
	row->relation = ISNULL(relation) ? InvalidOid : DatumGetObjectId(VALUE(relation));
	row->relation_name = TEXT(relation_name);
	row->mechanism = TEXT(mechanism);
	row->measures = DatumGetArrayTypeP(VALUE(measures));
	row->query = TEXT(query);
	row->parameters = TEXT(parameters);
	hash = DatumGetByteaPP(VALUE(hash));
	if (VARSIZE_ANY_EXHDR(hash) != DPRIV_HASH_SIZE)
		return false;
	memcpy(row->entry.hash, VARDATA_ANY(hash), DPRIV_HASH_SIZE);
	if (!read_cost(&row->cost, value, isnull, Anum_dpriv_ledger_epsilon,
				   Anum_dpriv_ledger_delta_basic, Anum_dpriv_ledger_delta_approx,
				   Anum_dpriv_ledger_rho, Anum_dpriv_ledger_curve))
		return false;
	if (!row->has_budget)
		return ISNULL(entry) && ISNULL(total_epsilon);
	row->has_period = !ISNULL(period_start);
	return read_entry(&row->entry, value, isnull);
#undef VALUE
#undef ISNULL
#undef TEXT
}
