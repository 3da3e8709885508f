# psycopg_tour.py PORT PORT ...: the tour on the first port, questions on the others; see test/t/084_clients.pl.
import sys
from decimal import Decimal

import psycopg


def refusal(error):
    return f"{error.sqlstate} | {error.diag.message_primary} | {error.diag.message_hint}"


def tour(port):
    with psycopg.connect(port=port, autocommit=True) as connection:
        cursor = connection.execute("SELECT * FROM information_schema.columns WHERE table_name = 'adult' ORDER BY ordinal_position")
        print("columns:", ",".join(row[3] for row in cursor))
        print("estimate:", *connection.execute("SELECT reltuples FROM pg_class WHERE relname = %s", ["adult"]).fetchone())
        print("count:", *connection.execute("SELECT dp_count(adult, %s) FROM adult WHERE age > %s", [0.5, 40]).fetchone())
        average = connection.execute("SELECT dp_avg(age, %s, %s, %s) FROM adult", [17, 90, Decimal("0.5")]).fetchone()
        print("average:", *average)
        with connection.transaction(), connection.cursor(name="groups") as groups:
            groups.itersize = 1
            groups.execute("SELECT sex, dp_count(adult, %s) FROM adult GROUP BY sex ORDER BY sex", [0.25])
            print("cursor:", ",".join(sex or "none" for sex, count in groups))
        try:
            connection.execute("SELECT name FROM adult WHERE age > %s", [40])
        except psycopg.errors.InsufficientPrivilege as error:
            print("refused:", refusal(error))
        print("after:", *connection.execute("SELECT remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user").fetchone())


def ask(port):
    answers = 0
    # None: statements without a name, which a pooler may send to any server connection.
    with psycopg.connect(port=port, autocommit=True, prepare_threshold=None) as connection:
        try:
            for _ in range(6):
                connection.execute("SELECT dp_count(adult, %s) FROM adult", [0.05])
                answers += 1
            print("asked:", answers)
        except psycopg.Error as error:
            print("asked:", answers, "then", refusal(error))


tour(sys.argv[1])
for port in sys.argv[2:]:
    ask(port)
