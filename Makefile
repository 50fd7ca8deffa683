# What a developer and a visitor type. `make` alone lists it.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
export PYTHON
unexport PYTHONDONTWRITEBYTECODE  # the site and its tests start many processes, and each would compile the project again

MATCHES ?= 60
EXIT ?=
PORT ?= 8000
PYTEST_ARGS ?=
CHAOS_MATCHES ?= 600
FUZZ_SECONDS ?= 600
BENCH_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run demo test test-postgresql slow nightly engine-native test-native chaos hostile fuzz seasons check check-js format bench bench-engine bench-native bench-environments bench-runner bench-pipeline bench-starts bench-house bench-idle bench-comparisons bench-ratings bench-rebuild bench-verifying bench-pairings bench-tables bench-pages bench-api bench-people bench-replay locks messages pictures clean sandbox services

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1|/' | while IFS='|' read -r name text; do printf '  make %-18s %s\n' "$$name" "$$text"; done

# --- The environment -------------------------------------------------------------------------------------------------

$(VENV)/.ready: requirements/base.txt requirements/uv.txt tools/venv
	@tools/venv $(VENV) base
	@rm -f $(VENV)/.dev
	@touch $@

$(VENV)/.dev: requirements/dev.txt requirements/uv.txt tools/venv
	@tools/venv $(VENV) dev
	@touch $(VENV)/.ready $@

$(BENCH_VENV)/.ready: requirements/bench.txt requirements/uv.txt tools/venv
	@tools/venv $(BENCH_VENV) bench
	@touch $@

node_modules/.ready: package.json package-lock.json tools/node-modules
	@tools/node-modules

sandbox:
	@tools/system-packages bubblewrap || true

services: sandbox
	@tools/system-packages postgresql chromium || true
	@tools/system-packages curl jq nodejs || true

locks: $(VENV)/.ready  ## compile requirements/*.in and package.json into hashed, address-free locks
	@for group in uv base dev bench; do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			--no-emit-index-url --no-header requirements/$$group.in -o requirements/$$group.txt || exit 1; \
	done
	@npm install --package-lock-only && node tools/lock_without_addresses.js

# --- The site --------------------------------------------------------------------------------------------------------

run: $(VENV)/.ready sandbox  ## start everything and stay up (MATCHES=60, EXIT=1 to stop after them, PORT=8000)
	@exec $(MANAGE) run --matches $(MATCHES) --port $(PORT) $(if $(filter-out 0,$(EXIT)),--exit)

demo: $(VENV)/.ready sandbox  ## fill a site that looks alive by playing (MATCHES=2000), then `make run`
	@exec $(MANAGE) demo-data --matches $(if $(filter file,$(origin MATCHES)),2000,$(MATCHES)) --port $(PORT)

# --- Tests and checks ------------------------------------------------------------------------------------------------

ON_POSTGRESQL := $(BIN)/python -m tests.services.postgres
ON_BOTH := tests/bots/test_*.py tests/bots/uploads tests/ladder tests/esr_platform

# Test files with races, and files with tests of locks, which SQLite does not have.
RACES := $(sort $(shell find tests -name 'test_*races.py') $(shell grep -rlE 'RaceServer|import Meanwhile|connection.vendor' tests --include='test_*.py'))

test: $(VENV)/.dev sandbox  ## all tests that are not slow on SQLite, then races and locks on PostgreSQL
	@status=0; \
	$(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) || status=1; \
	echo "Races and locks on PostgreSQL:"; \
	$(ON_POSTGRESQL) $(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) $(RACES) || status=1; \
	exit $$status

test-postgresql: $(VENV)/.dev sandbox  ## all tests that are not slow and write to the database, on PostgreSQL
	@$(ON_POSTGRESQL) $(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) $(ON_BOTH)

TWO_FILES := -n 2 --dist loadfile  # at a time, however many cores there are: each file starts its own processes

slow: $(VENV)/.dev services  ## tests that start the whole site, kill workers, compile programs or open a browser
	@$(BIN)/pytest -q $(TWO_FILES) -m "slow and not nightly" $(PYTEST_ARGS)

# In CI a missing sandbox or browser is a failure and not a skipped test.
nightly: export CI := true
nightly: $(VENV)/.dev services  ## everything that is too long for continuous integration, each step even if one failed
	@failed=; \
	$(BIN)/pytest -q $(TWO_FILES) -m nightly $(PYTEST_ARGS) || failed="$$failed nightly-tests"; \
	HYPOTHESIS_PROFILE=new-examples $(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) tests/games tests/judge tests/bots || failed="$$failed new-examples"; \
	HYPOTHESIS_PROFILE=new-examples $(MAKE) test-postgresql || failed="$$failed test-postgresql"; \
	$(ON_POSTGRESQL) $(BIN)/pytest -q $(TWO_FILES) -m slow $(PYTEST_ARGS) $(ON_BOTH) tests/browser || failed="$$failed slow-on-postgresql"; \
	steps="hostile chaos fuzz"; \
	if tools/compiler $(BIN)/python; then steps="$$steps test-native"; else echo "Skipped: test-native"; fi; \
	for step in $$steps; do $(MAKE) $$step || failed="$$failed $$step"; done; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed" >&2; exit 1; fi

NATIVE := games/native/.ready
ENGINE := setup.py games/build.py $(wildcard games/*.py games/*/*.py)

$(NATIVE): $(ENGINE) | $(VENV)/.dev
	@tools/compiler $(BIN)/python
	@ESR_NATIVE=1 $(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

engine-native: $(NATIVE)  ## compile the engine with mypyc; it is picked up by itself, ESR_ENGINE=python keeps to the sources

test-native: $(NATIVE)  ## the engine's tests once more, on the compiled engine
	@ESR_ENGINE=native $(BIN)/pytest -q -n auto $(PYTEST_ARGS) tests/games tests/judge tests/bots/environments

chaos: $(VENV)/.dev services  ## kill workers, beat, Redis and PostgreSQL while CHAOS_MATCHES=600 are played, on both databases
	@$(BIN)/python -m tests.ladder.chaos --matches $(CHAOS_MATCHES)
	@$(BIN)/python -m tests.ladder.chaos --matches $(CHAOS_MATCHES) --postgresql

hostile: $(VENV)/.dev sandbox  ## play all hostile programs, and write their table into docs/security.md
	@$(BIN)/python -m tests.bots.hostile

fuzz: $(VENV)/.dev  ## try what strangers send us, with FUZZ_SECONDS=600 of almost right archives and answers
	@$(BIN)/python -m tests.fuzzing --seconds $(FUZZ_SECONDS)

check: $(VENV)/.dev check-js  ## lint, types, templates, JavaScript, imports, migrations, locks; prints the size of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@for file in bots/house/*/bot.py games/*/starter/strategy.py games/plain_starter/strategy.py bots/cli/debugged/stage.py bots/sandbox/probe/bot.py; do (cd $$(dirname $$file) && MYPYPATH=$(CURDIR)/bots/house/shared $(CURDIR)/$(BIN)/mypy --strict --config-file= --cache-dir=/dev/null $$(basename $$file)) || exit 1; done
	$(BIN)/djlint --lint --quiet esr_platform ladder
	$(BIN)/lint-imports
	$(MANAGE) makemigrations --check --dry-run
	@$(BIN)/python tools/code_size.py
	@if grep -n '://' requirements/*.txt package-lock.json; then echo 'A lock file holds an address: make it with `make locks`.' >&2; exit 1; fi

check-js: node_modules/.ready  ## lint, format, types and unit tests of the JavaScript; needs Node.js 20
	node_modules/.bin/biome check --error-on-warnings
	@if LC_ALL=C.UTF-8 grep -rnE --include='*.js' '^.{121,}' esr_platform/static/esr tests; then echo 'A line is longer than 120 characters.' >&2; exit 1; fi
	node_modules/.bin/tsc
	node --test --test-reporter=dot $(sort $(wildcard tests/javascript/*.test.js))

format: $(VENV)/.dev  ## let ruff, and biome if it is installed, write what they can, and make the synchronous client
	@if [ -x node_modules/.bin/biome ]; then node_modules/.bin/biome check --write --log-level=error; fi
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/python tools/sync_client.py

seasons: $(VENV)/.dev  ## simulate 52 seasons with bots of known strength: Elo, intervals, blocks, waits
	@$(BIN)/python -m bench.seasons $(BENCH_ARGS)

bench: bench-engine bench-environments bench-runner  ## the benches of speed

bench-engine: $(BENCH_VENV)/.ready bench-native  ## decisions/s of the engine in both builds, beside OpenSpiel, RLCard and PettingZoo
	@$(BENCH_VENV)/bin/python -m bench.engine $(BENCH_ARGS)

bench-native:
	@$(MAKE) --no-print-directory engine-native || echo 'No compiled engine: only the plain one will be measured.'

bench-environments: $(BENCH_VENV)/.ready  ## steps/s of the learning environments, beside PettingZoo's own games
	@$(BENCH_VENV)/bin/python -m bench.environments $(BENCH_ARGS)

bench-runner: $(BENCH_VENV)/.ready sandbox  ## µs a decision through the runner, beside a bare ping-pong
	@$(BENCH_VENV)/bin/python -m bench.runner

bench-pipeline: $(VENV)/.dev services  ## matches/s from claim to rating through real workers, on both databases, and where the time goes
	@$(BIN)/python -m bench.pipeline $(BENCH_ARGS)

bench-starts: $(VENV)/.dev sandbox  ## what a bot's start costs, and what a warmed interpreter would save and give away
	@$(BIN)/python -m bench.starts $(BENCH_ARGS)

bench-ratings: $(VENV)/.dev  ## how long the estimates of a big season take
	@$(BIN)/python -m bench.ratings $(BENCH_ARGS)

bench-rebuild: $(VENV)/.dev  ## how long a rebuild of a million matches' ratings takes
	@$(BIN)/python -m bench.rebuild

bench-verifying: $(VENV)/.dev  ## games/s that a core verifies, with the plain and the compiled engine
	@$(BIN)/python -m bench.verifying

bench-pairings: $(VENV)/.dev  ## how long the next 100 blocks among 10,000 entries take to be drawn
	@$(BIN)/python -m bench.pairings

bench-tables: $(VENV)/.dev services  ## how long the server takes for the table of a ladder with 10,000 entries, on both databases
	@$(BIN)/python -m bench.tables

bench-api: $(VENV)/.dev services  ## reading over the API beside bare views, and 200 remote bots at once (BENCH_ARGS=--short)
	@tools/system-packages wrk || true
	@$(BIN)/python -m bench.api $(BENCH_ARGS)

bench-people: $(VENV)/.dev services  ## 100 tables of people and 500 spectators at once, on both databases (BENCH_ARGS=--short)
	@$(BIN)/python -m bench.people $(BENCH_ARGS)

bench-house: $(VENV)/.dev  ## how strong the house bots are, and how fast they start
	@$(BIN)/python -m bench.house

bench-idle: $(VENV)/.dev sandbox  ## CPU and memory of each process of an idle site, 5 min after 60 matches
	@$(BIN)/python -m bench.idle $(BENCH_ARGS)

bench-comparisons: $(VENV)/.dev  ## games until a version comparison is decided, and how often it errs
	@$(BIN)/python -m bench.comparisons $(BENCH_ARGS)

bench-pages: $(VENV)/.dev services  ## ms, queries and KB of every page at 100,000 matches, on both databases
	@$(BIN)/python -m bench.pages $(BENCH_ARGS)

bench-replay: $(VENV)/.dev services  ## ms until a replay is drawn and for a step of it, and the size of its document
	@$(BIN)/python -m bench.replays $(BENCH_ARGS)

messages: $(VENV)/.dev  ## gather the texts of the pages into the catalogues of the languages, and compile them
	@PYTHONPATH=. $(BIN)/python tools/messages.py

pictures: $(VENV)/.dev services  ## take the readme's pictures from the site that runs on PORT
	@$(BIN)/python tools/pictures.py --port $(PORT)

clean:  ## remove the environments, caches and the compiled engine; the data in var/ stays
	@rm -rf build games/native $(VENV) $(BENCH_VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache node_modules
