# The everyday commands; all real work is in CMake (see CMakePresets.json).
BUILD := build/release
WERROR ?= OFF
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Some tests wait for other processes most of the time.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
FLYBALL := $(BUILD)/bin/flyball
# Reuses objects that were compiled before, for any of the builds, if ccache is installed.
ifneq ($(shell command -v ccache),)
export CMAKE_C_COMPILER_LAUNCHER ?= ccache
endif

.PHONY: all deps test-deps gate-deps configure build demo test python soak bench install clean

all: build

# A build needs only the libraries; the tests also a browser; the gate (.ci/run) also the other compiler and its tools.
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

# Pictures of all kinds of reports in build/screenshots; those of the README and the guide are replaced.
.PHONY: screenshots
screenshots: test-deps build
	@node test/web/pictures.mjs $(FLYBALL) build/screenshots docs/images

test: test-deps build
	@ctest --preset release -j $(TEST_JOBS)

# The Python package in build/python, and its wheel, without a network.
python: test-deps build
	@/usr/bin/python3 -B python/wheel.py $(BUILD)/python build/python

# Random mechanisms against an independent oracle and against transformed copies; failures go to build/soak.
SEED ?= 1
N ?= 500
soak: test-deps build
	@FLYBALL=$(abspath $(FLYBALL)) /usr/bin/python3 -B test/metamorphic/soak.py --seed $(SEED) --count $(N) --jobs $(JOBS) --output build/soak

# CPU times of the cases at their limits, ratios to hand-derived equations, growth with size.
bench: build
	@mkdir -p build/bench
	@$(BUILD)/bin/flyball_bench build/bench/bench.csv
	@/usr/bin/python3 -B bench/peers/calculix_meshes.py $(FLYBALL)
	@$(BUILD)/bin/flyball_bench_auto build/bench/auto.csv
	@if [ -d $(BUILD)/python ]; then PYTHONPATH=$(BUILD)/python /usr/bin/python3 -B python/cost.py; fi

# The checks of the gate (CONTRIBUTING.md), each alone; .ci/run calls them all.
.PHONY: gate format check-format check-clang check-tidy check-cppcheck asan tsan coverage mutate

gate:
	@.ci/run --full

format: gate-deps
	@git ls-files '*.c' '*.h' | xargs clang-format -i

check-format: gate-deps
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror

check-clang: gate-deps
	@cmake --preset clang -DFLYBALL_WERROR=ON --log-level=WARNING
	@cmake --build --preset clang -j $(JOBS)
	@ctest --preset clang -j $(JOBS)

# Uses a debug build, so that the analyzer sees the assertions; only the embedded viewer has to be built for it.
SOURCES := git ls-files 'src/*.c' 'apps/*.c'
build/debug/src/view/template.c:
	@cmake --preset debug --log-level=WARNING
	@cmake --build --preset debug --target src/view/template.c

# clang-tidy with clang's analyzer, whose shallow mode does not follow calls into large functions; check-analyzer follows them.
SHALLOW := -Xclang -analyzer-config -Xclang mode=shallow
check-tidy: gate-deps build/debug/src/view/template.c
	@cmake --preset debug --log-level=WARNING
	@$(SOURCES) | xargs -P $(JOBS) -n 2 clang-tidy -p build/debug -quiet $(SHALLOW:%=--extra-arg=%)

.PHONY: check-analyzer
check-analyzer: gate-deps build/debug/src/view/template.c
	@cmake --preset debug --log-level=WARNING
	@$(SOURCES) | xargs -P $(JOBS) -n 2 clang-tidy -p build/debug -quiet

check-cppcheck: gate-deps
	@cppcheck -j $(JOBS) --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 -D_POSIX_C_SOURCE=200809L \
		--suppressions-list=tools/cppcheck.txt -Isrc -Iinclude src apps

# By clang, whose sanitizers are faster than gcc's. What the address sanitizer finds at the access anyway is not checked before it too.
asan: gate-deps
	@cmake --preset asan -DFLYBALL_WERROR=$(WERROR) --log-level=WARNING
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(TEST_JOBS)

# Two compilers, with and without optimisation and sanitizers: every model gives the same bits.
.PHONY: check-bits
check-bits:
	@tools/check_bits.py build/release/bin/flyball build/asan/bin/flyball

# libFuzzer over all readers, SECONDS each, guided by coverage; what it finds goes to build/asan/test/fuzz/NAME. The tests
# replay its corpus, and `make asan` runs it for some seconds.
SECONDS ?= 60
FUZZ ?= model expression csv fbr study case matrix_market saved msh inp stl state run_state
.PHONY: fuzz
fuzz: gate-deps
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan -j $(JOBS) --target fuzz
	@tools/fuzz.sh build/asan/test/fuzz/fuzz $(SECONDS) $(FUZZ)

# A separate build: counters that several threads share would slow the sanitizers' sweeps down tenfold.
COVERAGE_TESTS ?= coverage
COVERAGE_TARGET ?= all
coverage: gate-deps
	@cmake --preset coverage --log-level=WARNING
	@cmake --build --preset coverage -j $(JOBS) --target $(COVERAGE_TARGET)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset $(COVERAGE_TESTS) -j $(JOBS)
	@tools/coverage.py build/coverage

tsan: gate-deps
	@cmake --preset tsan -DFLYBALL_WERROR=$(WERROR) --log-level=WARNING
	@cmake --build --preset tsan -j $(JOBS) --target flyball test_threads test_study test_study_ranks
	@ctest --preset tsan -j $(JOBS)
	@build/tsan/bin/flyball sweep docs/guide/studies/phase.yaml --jobs 4 -q -o build/tsan/sweep.csv
	@build/tsan/bin/flyball optimize docs/guide/studies/best.yaml --jobs 4 -q -o build/tsan/best.csv

# Faulty changes that a test must detect; with SEED and N random ones (tools/mutate.py --help).
mutate: test-deps
	@tools/mutate.py --named --jobs $(JOBS)

# make install PREFIX=/where
PREFIX ?= /usr/local
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf build demo
