# odbc.py PORT PORT ...: the tour on the first port, questions on the others; see test/t/084_clients.pl.
#
# psqlODBC through pyodbc, whose tables(), columns() and statistics() are SQLTables, SQLColumns and SQLStatistics.
# With OptionalErrors=1 the driver puts DETAIL and HINT into the text of its diagnostic record.
import os
import sys

import pyodbc


def connect(port, options=""):
    return pyodbc.connect("Driver={PostgreSQL Unicode};Server=%s;Port=%s;Database=%s;UID=%s;PWD=%s;%s" %
        (os.environ["PGHOST"], port, os.environ["PGDATABASE"], os.environ["PGUSER"], os.environ["PGPASSWORD"], options), autocommit=True)


def refusal(error):
    return " | ".join(error.args).replace("\n", " ")


def tour(port):
    connection = connect(port, "OptionalErrors=1")
    cursor = connection.cursor()
    print("tables:", ",".join(row.table_name for row in cursor.tables(schema="public", tableType="TABLE").fetchall()))
    print("columns:", ",".join(row.column_name for row in cursor.columns(table="adult", schema="public").fetchall()))
    print("indexes:", ",".join(row.index_name for row in cursor.statistics("adult", schema="public").fetchall() if row.index_name))
    print("estimate:", *cursor.execute("SELECT reltuples FROM pg_class WHERE relname = ?", "adult").fetchone())
    print("count:", *cursor.execute("SELECT dp_count(adult, ?) FROM adult WHERE age > ?", 0.5, 40).fetchone())
    print("average:", *cursor.execute("SELECT dp_avg(age, ?, ?, ?) FROM adult", 17, 90, 0.5).fetchone())
    fetching = connect(port, "UseDeclareFetch=1;Fetch=1")
    groups = fetching.execute("SELECT sex, dp_count(adult, ?) FROM adult GROUP BY sex ORDER BY sex", 0.25).fetchall()
    print("cursor:", ",".join(sex or "none" for sex, count in groups))
    fetching.close()
    try:
        cursor.execute("SELECT name FROM adult WHERE age > ?", 40)
    except pyodbc.Error as error:
        print("refused:", refusal(error))
    print("after:", *cursor.execute("SELECT remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user").fetchone())
    connection.close()


def ask(port):
    answers = 0
    # 0: parameters are put into the text, so that no statement has a name.
    connection = connect(port, "UseServerSidePrepare=0;OptionalErrors=1")
    try:
        for _ in range(6):
            connection.execute("SELECT dp_count(adult, ?) FROM adult", 0.05).fetchall()
            answers += 1
        print("asked:", answers)
    except pyodbc.Error as error:
        print("asked:", answers, "then", refusal(error))
    connection.close()


pyodbc.pooling = False
tour(sys.argv[1])
for port in sys.argv[2:]:
    ask(port)
