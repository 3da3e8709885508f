# dpriv: differential privacy inside PostgreSQL

EXTENSION = dpriv
DATA = sql/dpriv--0.1.0.sql

MODULE_big = dpriv
OBJS = \
	src/dpriv.o \
	src/exact/call.o \
	src/exact/categories.o \
	src/exact/counts.o \
	src/exact/histogram.o \
	src/exact/real.o \
	src/exact/sum.o

# No fused multiply-add: arithmetic must not depend on the machine.  PGXS drops PG_CFLAGS for the JIT's
# bitcode, so it is told separately.
PG_CFLAGS = -ffp-contract=off
BITCODE_CFLAGS += -ffp-contract=off

REGRESS = exact

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
