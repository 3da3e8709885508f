# dpriv: differential privacy inside PostgreSQL

EXTENSION = dpriv
DATA = sql/dpriv--0.1.0.sql

MODULE_big = dpriv
OBJS = \
	src/dpriv.o \
	src/config.o \
	src/hooks.o \
	src/objects.o \
	src/accounting/arguments.o \
	src/accounting/compose.o \
	src/accounting/compose_list.o \
	src/accounting/compose_optimal.o \
	src/accounting/compose_sum.o \
	src/accounting/cost.o \
	src/accounting/decimal.o \
	src/accounting/delta.o \
	src/accounting/divergence_functions.o \
	src/accounting/dpsgd.o \
	src/accounting/epsilon.o \
	src/accounting/fft.o \
	src/accounting/functions.o \
	src/accounting/gaussian.o \
	src/accounting/laplace.o \
	src/accounting/numeric.o \
	src/accounting/objective.o \
	src/accounting/pld.o \
	src/accounting/pld_convolve.o \
	src/accounting/pld_functions.o \
	src/accounting/pld_lattice.o \
	src/accounting/pld_moments.o \
	src/accounting/pld_solve.o \
	src/accounting/posterior_functions.o \
	src/accounting/rdp.o \
	src/accounting/sampled_gaussian.o \
	src/accounting/selection.o \
	src/accounting/smooth.o \
	src/accounting/zcdp.o \
	src/call/call.o \
	src/call/rows.o \
	src/exact/buckets.o \
	src/exact/call.o \
	src/exact/categories.o \
	src/exact/clamp.o \
	src/exact/clip_curve.o \
	src/exact/counts.o \
	src/exact/histogram.o \
	src/exact/leaves.o \
	src/exact/moments.o \
	src/exact/real.o \
	src/exact/sum.o \
	src/exact/vector.o \
	src/guard/allowed.o \
	src/guard/bypass.o \
	src/guard/conditions.o \
	src/guard/expression.o \
	src/guard/hints.o \
	src/guard/mask.o \
	src/guard/probe.o \
	src/guard/revealing.o \
	src/guard/row.o \
	src/guard/statement.o \
	src/guard/total.o \
	src/guard/total_number.o \
	src/guard/total_numeric.o \
	src/guard/total_text.o \
	src/guard/total_time.o \
	src/guard/utility.o \
	src/learn/columns.o \
	src/learn/descent.o \
	src/learn/evaluate.o \
	src/learn/gd.o \
	src/learn/logistic.o \
	src/learn/minimum.o \
	src/learn/model.o \
	src/learn/noise.o \
	src/learn/objective.o \
	src/learn/options.o \
	src/learn/predict.o \
	src/learn/rows.o \
	src/learn/standard.o \
	src/learn/store.o \
	src/learn/train.o \
	src/learn/values.o \
	src/ledger/bench.o \
	src/ledger/applying.o \
	src/ledger/budget.o \
	src/ledger/budget_row.o \
	src/ledger/charge.o \
	src/ledger/durable.o \
	src/ledger/fault.o \
	src/ledger/grant.o \
	src/ledger/group.o \
	src/ledger/ledger.o \
	src/ledger/lock.o \
	src/ledger/remaining.o \
	src/ledger/reported.o \
	src/ledger/row.o \
	src/ledger/rules.o \
	src/ledger/session.o \
	src/ledger/status.o \
	src/ledger/verify.o \
	src/ledger/write.o \
	src/mechanism/audit.o \
	src/mechanism/avg.o \
	src/mechanism/bounds.o \
	src/mechanism/clip_bound.o \
	src/mechanism/clip_curve.o \
	src/mechanism/cost.o \
	src/mechanism/count.o \
	src/mechanism/gaussian.o \
	src/mechanism/grid.o \
	src/mechanism/histogram.o \
	src/mechanism/iqr.o \
	src/mechanism/measure.o \
	src/mechanism/median_smooth.o \
	src/mechanism/mode.o \
	src/mechanism/quantile.o \
	src/mechanism/selection.o \
	src/mechanism/sum.o \
	src/mechanism/variance.o \
	src/mechanism/vector.o \
	src/noise/bernoulli.o \
	src/noise/exponential.o \
	src/noise/gaussian.o \
	src/noise/laplace.o \
	src/noise/poisson.o \
	src/noise/random.o \
	src/noise/sparse.o \
	src/noise/strip.o \
	src/noise/truncated.o \
	src/policy/arguments.o \
	src/policy/attach.o \
	src/policy/declaration.o \
	src/policy/declare.o \
	src/policy/domain.o \
	src/policy/guard_policy.o \
	src/policy/harden.o \
	src/policy/json.o \
	src/policy/label.o \
	src/policy/policy.o \
	src/policy/protect.o \
	src/policy/risks.o \
	src/policy/root.o \
	src/release/constants.o \
	src/release/cost.o \
	src/release/declared.o \
	src/release/explain.o \
	src/release/groups.o \
	src/release/inner.o \
	src/release/large.o \
	src/release/mute.o \
	src/release/node.o \
	src/release/placeholders.o \
	src/release/plan.o \
	src/release/progress.o \
	src/release/quantum.o \
	src/release/released.o \
	src/release/resolve.o \
	src/release/seal.o \
	src/release/selected.o \
	src/release/source.o \
	src/release/spec.o \
	src/release/split.o \
	src/release/statistics.o \
	src/release/types.o \
	src/sample/aggregates.o \
	src/sample/blocks.o \
	src/sample/combine.o \
	src/sample/sample.o

# No fused multiply-add: arithmetic must not depend on the machine.  PGXS drops PG_CFLAGS for the JIT's
# bitcode, so it is told separately.
PG_CFLAGS = -ffp-contract=off
BITCODE_CFLAGS += -ffp-contract=off

# Test builds add their -D here.
PG_CPPFLAGS += -I$(srcdir)/src $(DPRIV_CPPFLAGS)

# What the harness builds and logs.
EXTRA_CLEAN = build

REGRESS = \
	accounting \
	accounting_arguments \
	exact \
	count \
	sum \
	avg \
	variance \
	histogram \
	bounds \
	clip_bound \
	clip_curve \
	iqr \
	median_smooth \
	mode \
	quantile \
	vector \
	error \
	gaussian \
	groups \
	selection \
	declare \
	source \
	outer \
	explain \
	cost \
	learn \
	sample \
	curves \
	types \
	settings \
	budget \
	protect \
	seal \
	allowed \
	attacks

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

ifeq ($(wildcard $(PGXS)),)

# Without the server's development files only the targets below work: they install or name what is missing.
all install clean:
	@echo '$(PG_CONFIG) knows no PGXS: install postgresql-server-dev-N, or pass PG_CONFIG=...' >&2; exit 1
.PHONY: all install clean

else

# The JIT's bitcode is optional: without the clang that the server was built with, leave it out.
CLANG ?= $(shell sed -n 's/^CLANG *= *//p' $(dir $(PGXS))../Makefile.global)
ifeq ($(shell command -v $(firstword $(CLANG) clang)),)
override with_llvm = no
endif

include $(PGXS)

# Debian's PGXS tracks no headers.  Rebuilding everything is quick enough.
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(addprefix $(srcdir)/,src/*.h src/*/*.h))

endif

# The harness.  Every script says at its top what it does; test/README.md has the overview.

demo:
	@test/bin/demo start

demo-stop:
	@test/bin/demo stop

# COURSE: numbers of pages
course:
	@test/bin/course $(COURSE)

test:
	@test/run

test-long:
	@test/run-long

# AUDIT: quick, and parts (white, black, mutants)
audit:
	@test/run-audit $(AUDIT)

bench:
	@test/run-bench

# For scripts: make -s print-REGRESS
print-%:
	@echo $($*)

.PHONY: demo demo-stop course test test-long audit bench
