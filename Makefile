# The everyday commands; all real work is in CMake (see CMakePresets.json).
BUILD := build/release
WERROR ?= OFF
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FLYBALL := $(BUILD)/bin/flyball

.PHONY: all deps test-deps gate-deps configure build demo test soak bench install clean

all: build

# A build takes the libraries alone; the tests also a browser; the gate (.ci/run) also the other compiler and its tools.
deps:
	@tools/install_deps.sh build

test-deps:
	@tools/install_deps.sh test

gate-deps:
	@tools/install_deps.sh gate

configure: deps
	@cmake --preset release -DFLYBALL_WERROR=$(WERROR) --log-level=WARNING

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

# The benchmark problems with their error table, and reports of them and of some examples to look at.
EXAMPLES := crane tower reeled_pendulum frame engine robot slider_crank cart_pole double_pendulum spinning_top rolling_disc rocket_sled engine_mount chain
demo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target flyball
	@$(FLYBALL) bench --quiet --report demo $(EXAMPLES:%=--example models/%.yaml)
	@echo "Motion, plots and numbers: open demo/index.html in a browser"

test: test-deps build
	@ctest --preset release -j $(JOBS)

# Random mechanisms against an independent oracle and in other clothes; failures go to build/soak.
SEED ?= 1
N ?= 500
soak: test-deps build
	@FLYBALL=$(abspath $(FLYBALL)) /usr/bin/python3 -B test/metamorphic/soak.py --seed $(SEED) --count $(N) --jobs $(JOBS) --output build/soak

# CPU times of the cases at their limits, ratios to hand-derived equations, growth with size.
bench: build
	@mkdir -p build/bench
	@$(BUILD)/bin/flyball_bench build/bench/bench.csv
	@$(BUILD)/bin/flyball_bench_auto build/bench/auto.csv

# The checks of the gate, each alone; .ci/run calls them all.
.PHONY: format check-format check-clang check-tidy check-cppcheck asan tsan coverage gate

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check-format:
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror

gate:
	@.ci/run

# make install PREFIX=/where
PREFIX ?= /usr/local
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf build demo
