/*
 * libpq.c PORT PORT ...
 *	  The tour in pipeline mode on the first port, questions on the others: test/t/084_clients.pl.
 *
 * A pipeline sends statements without waiting.  One that is refused aborts those after it up to the
 * next synchronization, and everything since the last one is one transaction.
 */
#include <stdio.h>
#include <stdlib.h>

#include <libpq-fe.h>

#define QUESTIONS 6

/* What became of the next statement of a pipeline, or a synchronization. */
static PGresult *
next_result(PGconn *conn)
{
	PGresult   *result = PQgetResult(conn);

	/* Each statement is followed by a NULL, a synchronization is not. */
	if (result != NULL && PQresultStatus(result) != PGRES_PIPELINE_SYNC)
		PQclear(PQgetResult(conn));
	return result;
}

static const char *
field(const PGresult *result, int code)
{
	const char *text = PQresultErrorField(result, code);

	return text != NULL ? text : "";
}

static void
print_refusal(const PGresult *result)
{
	printf("%s | %s | %s\n", field(result, PG_DIAG_SQLSTATE),
		   field(result, PG_DIAG_MESSAGE_PRIMARY), field(result, PG_DIAG_MESSAGE_HINT));
}

static void
print_value(PGconn *conn, const char *name)
{
	PGresult   *result = next_result(conn);

	printf("%s: ", name);
	if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
		printf("%s\n", PQgetvalue(result, 0, 0));
	else if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
		printf("aborted\n");
	else
		print_refusal(result);
	PQclear(result);
}

static PGconn *
connect_to(const char *port)
{
	PGconn	   *conn = PQconnectdbParams((const char *[]) {"port", NULL},
										 (const char *[]) {port, NULL}, 0);

	if (PQstatus(conn) != CONNECTION_OK || !PQenterPipelineMode(conn))
	{
		fprintf(stderr, "%s", PQerrorMessage(conn));
		exit(1);
	}
	return conn;
}

static void
send_query(PGconn *conn, const char *query, int nparams, const char *const *values)
{
	if (!PQsendQueryParams(conn, query, nparams, NULL, values, NULL, NULL, 0))
	{
		fprintf(stderr, "%s", PQerrorMessage(conn));
		exit(1);
	}
}

/* The columns of the catalog, and what the protocol says of a statement before it is executed. */
static void
introspect(PGconn *conn)
{
	PGresult   *result;

	send_query(conn, "SELECT string_agg(column_name, ',' ORDER BY ordinal_position) "
			   "FROM information_schema.columns WHERE table_name = $1", 1,
			   (const char *[]) {"adult"});
	send_query(conn, "SELECT reltuples FROM pg_class WHERE relname = $1", 1,
			   (const char *[]) {"adult"});
	PQsendPrepare(conn, "described", "SELECT dp_count(adult, $1) FROM adult WHERE age > $2", 0,
				  NULL);
	PQsendDescribePrepared(conn, "described");
	PQpipelineSync(conn);

	print_value(conn, "columns");
	print_value(conn, "estimate");
	PQclear(next_result(conn));
	result = next_result(conn);
	printf("described: %u,%u,%u\n", PQparamtype(result, 0), PQparamtype(result, 1),
		   PQftype(result, 0));
	PQclear(result);
	PQclear(next_result(conn));
}

static void
cursor(PGconn *conn)
{
	send_query(conn, "BEGIN", 0, NULL);
	send_query(conn, "DECLARE groups CURSOR FOR SELECT coalesce(sex::text, 'none') FROM "
			   "(SELECT sex, dp_count(adult, $1) FROM adult GROUP BY sex ORDER BY sex) AS release",
			   1, (const char *[]) {"0.25"});
	for (int i = 0; i < 3; i++)
		send_query(conn, "FETCH 1 FROM groups", 0, NULL);
	send_query(conn, "COMMIT", 0, NULL);
	PQpipelineSync(conn);

	PQclear(next_result(conn));
	PQclear(next_result(conn));
	printf("cursor: ");
	for (int i = 0; i < 3; i++)
	{
		PGresult   *result = next_result(conn);
		const char *group = PQntuples(result) == 1 ? PQgetvalue(result, 0, 0) :
			field(result, PG_DIAG_MESSAGE_PRIMARY);

		printf("%s%s", group, i < 2 ? "," : "\n");
		PQclear(result);
	}
	PQclear(next_result(conn));
	PQclear(next_result(conn));
}

static void
tour(const char *port)
{
	PGconn	   *conn = connect_to(port);

	introspect(conn);

	/* A count that is answered, a refusal, and a count that is not executed; then a new start. */
	send_query(conn, "SELECT dp_count(adult, $1) FROM adult WHERE age > $2", 2,
			   (const char *[]) {"0.5", "40"});
	send_query(conn, "SELECT name FROM adult WHERE age > $1", 1, (const char *[]) {"40"});
	send_query(conn, "SELECT dp_count(adult, $1) FROM adult", 1, (const char *[]) {"0.5"});
	PQpipelineSync(conn);
	send_query(conn, "SELECT dp_avg(age, $1, $2, $3) FROM adult", 3,
			   (const char *[]) {"17", "90", "0.5"});
	PQpipelineSync(conn);
	print_value(conn, "count");
	print_value(conn, "refused");
	print_value(conn, "behind it");
	PQclear(next_result(conn));
	print_value(conn, "average");
	PQclear(next_result(conn));

	cursor(conn);

	send_query(conn, "SELECT remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user",
			   0, NULL);
	PQpipelineSync(conn);
	print_value(conn, "after");
	PQfinish(conn);
}

/* Each question in a transaction of its own, all of them sent at once. */
static void
ask(const char *port)
{
	PGconn	   *conn = connect_to(port);
	PGresult   *refused = NULL;
	int			answers = 0;

	for (int i = 0; i < QUESTIONS; i++)
	{
		send_query(conn, "SELECT dp_count(adult, $1) FROM adult", 1, (const char *[]) {"0.05"});
		PQpipelineSync(conn);
	}
	for (int i = 0; i < QUESTIONS; i++)
	{
		PGresult   *result = next_result(conn);

		if (PQresultStatus(result) == PGRES_TUPLES_OK)
			answers++;
		if (PQresultStatus(result) == PGRES_FATAL_ERROR && refused == NULL)
			refused = result;
		else
			PQclear(result);
		PQclear(next_result(conn));
	}
	printf("asked: %d%s", answers, refused != NULL ? " then " : "\n");
	if (refused != NULL)
		print_refusal(refused);
	PQclear(refused);
	PQfinish(conn);
}

int
main(int argc, char **argv)
{
	tour(argv[1]);
	for (int i = 2; i < argc; i++)
		ask(argv[i]);
	return 0;
}
