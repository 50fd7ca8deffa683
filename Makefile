# Commands for developers. `make` lists them.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .bench
TRAIN_VENV := .train
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
export PYTHON
# Tests often wait, so that one more process than cores saves time.
export PYTEST_XDIST_AUTO_NUM_WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
unexport PYTHONDONTWRITEBYTECODE  # otherwise each of the many processes would compile the project again

MATCHES ?= 60
EXIT ?=
PORT ?= 8000
PYTEST_ARGS ?=
CHAOS_MATCHES ?= 600
FUZZ_SECONDS ?= 600
OUTSIDE_ARGS ?=
BENCH_ARGS ?=
GAME ?= edel-stein-reich-duel
TRAIN_ARGS ?=

# `make check` runs all of them, also after one has failed.
CHECKS_JS := check-js-style check-js-types check-js-units
CHECKS := check-style check-format check-types check-starters check-templates check-imports check-migrations check-locks

.DEFAULT_GOAL := help
.PHONY: help run demo test test-postgresql slow nightly engine-fast chaos hostile fuzz outside seasons train check check-js $(CHECKS) $(CHECKS_JS) format bench bench-engine bench-fast bench-environments bench-runner bench-pipeline bench-starts bench-memory bench-validations bench-sleepers bench-lag bench-house bench-idle bench-comparisons bench-ratings bench-rebuild bench-verifying bench-pairings bench-cup-matches bench-tables bench-pages bench-responses bench-backups bench-api bench-people bench-streams bench-replay locks messages docs pictures clean sandbox accelerator services

help:  ## list the targets
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
	@tools/system-packages curl jq nodejs default-jdk-headless || true

locks: $(VENV)/.ready  ## update the lock files of requirements/*.in and package.json
	@for group in uv base base-s3 dev bench; do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			--no-emit-index-url --no-header requirements/$$group.in -o requirements/$$group.txt || exit 1; \
	done
	@npm install --package-lock-only && node tools/lock_without_addresses.js

# No lock file has the libraries of the training: nothing else needs them.
$(TRAIN_VENV)/.ready: requirements/train.in requirements/rl.in requirements/library.in
	@$(PYTHON) -m venv $(TRAIN_VENV)
	@$(TRAIN_VENV)/bin/pip install --quiet -r requirements/library.in -r requirements/rl.in -r requirements/train.in
	@touch $@

# --- The site --------------------------------------------------------------------------------------------------------

run: $(VENV)/.ready sandbox accelerator  ## run the development site (MATCHES=60, EXIT=1 to exit after them, PORT=8000)
	@exec $(MANAGE) run --matches $(MATCHES) --port $(PORT) $(if $(filter-out 0,$(EXIT)),--exit)

demo: $(VENV)/.ready sandbox  ## fill a demo site by playing matches (MATCHES=2000, PORT=8000)
	@exec $(MANAGE) demo-data --matches $(if $(filter file,$(origin MATCHES)),2000,$(MATCHES)) --port $(PORT)

# --- Tests and checks ------------------------------------------------------------------------------------------------

ON_POSTGRESQL := $(BIN)/python -m tests.services.postgres
ON_BOTH := tests/bots/test_*.py tests/bots/uploads tests/ladder tests/esr_platform

# Test files with race tests or lock tests. SQLite has no row locks.
RACES := $(shell grep -rlE 'race_server|mark\.locks' tests --include='test_*.py')

test: $(VENV)/.dev sandbox accelerator  ## run the fast tests on SQLite
	@$(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS)

test-postgresql: $(VENV)/.dev sandbox  ## run the fast tests that use the database on PostgreSQL
	@$(ON_POSTGRESQL) $(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) $(ON_BOTH)

FILES := -n 3 --dist loadfile --no-loadscope-reorder  # each starts its own processes and often waits; `LONG` ones first

slow: $(VENV)/.dev services  ## run the slow tests (whole site, killed workers, compilers, browser), then races on PostgreSQL
	@status=0; \
	$(BIN)/pytest -q $(FILES) -m "slow and not nightly" $(PYTEST_ARGS) || status=1; \
	echo "Race and lock tests on PostgreSQL:"; \
	$(ON_POSTGRESQL) $(BIN)/pytest -q -n auto -m "locks and not slow" $(PYTEST_ARGS) $(RACES) || status=1; \
	exit $$status

# With CI=true, a missing sandbox or browser fails the tests instead of skipping them.
nightly: export CI := true
nightly: $(VENV)/.dev services  ## run all checks that take too long for continuous integration
	@tools/system-packages docker-compose systemd || true
	@failed=; \
	$(BIN)/pytest -q $(FILES) -m nightly $(PYTEST_ARGS) || failed="$$failed nightly-tests"; \
	HYPOTHESIS_PROFILE=new-examples $(BIN)/pytest -q -n auto -m "not slow" $(PYTEST_ARGS) tests/games tests/judge tests/bots || failed="$$failed new-examples"; \
	HYPOTHESIS_PROFILE=new-examples $(MAKE) test-postgresql || failed="$$failed test-postgresql"; \
	$(ON_POSTGRESQL) $(BIN)/pytest -q $(FILES) -m slow $(PYTEST_ARGS) $(ON_BOTH) tests/browser || failed="$$failed slow-on-postgresql"; \
	for step in hostile chaos fuzz outside; do $(MAKE) $$step || failed="$$failed $$step"; done; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed" >&2; exit 1; fi

FAST := games/native/.fast

$(FAST): games/fast/build.py $(wildcard games/fast/*.[ch]) | $(VENV)/.ready
	@$(BIN)/python -m games.fast.build
	@touch $@

engine-fast: $(FAST)  ## compile the accelerator, the rules in C

# Everything works without the accelerator, so that a missing compiler is not worth a message.
accelerator: $(VENV)/.ready
	@$(MAKE) --silent $(FAST) > /dev/null 2>&1 || true

CHAOS_CUPS := $(foreach seats,2 4,swiss/$(seats) round-robin/$(seats) knockout/$(seats) halving/$(seats))

chaos: $(VENV)/.dev services  ## kill processes while matches and cups are played, on both databases (CHAOS_MATCHES=600)
	@for on in "" --postgresql; do \
		$(BIN)/python -m tests.ladder.chaos --matches $(CHAOS_MATCHES) $$on && \
		$(BIN)/python -m tests.ladder.chaos --cups $(CHAOS_CUPS) --kill-every 10 $$on || exit 1; \
	done

hostile: $(VENV)/.dev sandbox  ## run all hostile programs and update their table in docs/internals/hostile-programs.md
	@$(BIN)/python -m tests.bots.hostile

fuzz: $(VENV)/.dev  ## fuzz archives and bot answers (FUZZ_SECONDS=600)
	@$(BIN)/python -m tests.fuzzing --seconds $(FUZZ_SECONDS)

outside: $(VENV)/.dev sandbox  ## run compilers, archivers, clients and learning libraries of others (OUTSIDE_ARGS="--kind KIND")
	@$(BIN)/python -m tests.outside $(OUTSIDE_ARGS)

check: $(VENV)/.dev  ## run all linters, type checks and consistency checks to the end, and print the code size
	@$(MAKE) --no-print-directory --keep-going $(CHECKS) $(CHECKS_JS)
	@$(BIN)/python tools/code_size.py

check-style: $(VENV)/.dev
	$(BIN)/ruff check .

check-format: $(VENV)/.dev
	$(BIN)/ruff format --check .

check-types: $(VENV)/.dev
	$(BIN)/mypy

check-starters: $(VENV)/.dev  # programs that import their neighbors are checked in their own folder
	@for file in bots/house/*/bot.py games/*/starter/strategy.py games/plain_starter/strategy.py bots/cli/debugged/stage.py bots/sandbox/probe/bot.py; do (cd $$(dirname $$file) && MYPYPATH=$(CURDIR)/bots/house/shared $(CURDIR)/$(BIN)/mypy --strict --config-file= --cache-dir=/dev/null $$(basename $$file)) || exit 1; done

check-templates: $(VENV)/.dev
	$(BIN)/djlint --lint --quiet esr_platform ladder

check-imports: $(VENV)/.dev
	$(BIN)/lint-imports

check-migrations: $(VENV)/.dev
	$(MANAGE) makemigrations --check --dry-run
	PYTHONPATH=. $(BIN)/python tools/check_migrations.py

check-locks:
	@if grep -n '://' requirements/*.txt package-lock.json; then echo 'A lock file contains a URL. Update it with `make locks`.' >&2; exit 1; fi

check-js: $(CHECKS_JS)  ## lint, type-check and test the JavaScript (requires Node.js 20)

check-js-style: node_modules/.ready
	node_modules/.bin/biome check --error-on-warnings
	@if LC_ALL=C.UTF-8 grep -rnE --include='*.js' '^.{121,}' esr_platform/static/esr tests; then echo 'A line is longer than 120 characters.' >&2; exit 1; fi

check-js-types: node_modules/.ready
	node_modules/.bin/tsc

check-js-units: node_modules/.ready
	node --test --test-reporter=dot $(sort $(wildcard tests/javascript/*.test.js))

format: $(VENV)/.dev  ## format the code with ruff and biome, and generate the synchronous client
	@if [ -x node_modules/.bin/biome ]; then node_modules/.bin/biome check --write --log-level=error; fi
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/python tools/sync_client.py

train: $(TRAIN_VENV)/.ready accelerator  ## train the network of a game, or continue (GAME=edel-stein-reich-duel, TRAIN_ARGS)
	@OPENBLAS_NUM_THREADS=1 $(TRAIN_VENV)/bin/python -m bots.environments.training $(GAME) $(TRAIN_ARGS)

seasons: $(VENV)/.dev  ## simulate 52 seasons with bots of known strength
	@$(BIN)/python -m bench.seasons $(BENCH_ARGS)

bench: bench-engine bench-environments bench-runner  ## run the speed benchmarks

bench-engine: $(BENCH_VENV)/.ready bench-fast  ## measure engine decisions/s and compare with other libraries
	@$(BENCH_VENV)/bin/python -m bench.engine $(BENCH_ARGS)

bench-fast:
	@$(MAKE) --no-print-directory engine-fast || echo 'The accelerator could not be compiled. Measuring without it.'

bench-environments: $(BENCH_VENV)/.ready bench-fast  ## measure learning environment steps/s and compare with PettingZoo
	@$(BENCH_VENV)/bin/python -m bench.environments $(BENCH_ARGS)

bench-runner: $(BENCH_VENV)/.ready sandbox  ## measure the runner time per decision
	@$(BENCH_VENV)/bin/python -m bench.runner

bench-pipeline: $(VENV)/.dev services  ## measure matches/s with real workers, on both databases
	@$(BIN)/python -m bench.pipeline $(BENCH_ARGS)

bench-starts: $(VENV)/.dev sandbox  ## measure the start time of a bot
	@$(BIN)/python -m bench.starts $(BENCH_ARGS)

bench-memory: $(VENV)/.dev sandbox  ## measure how far a bot can exceed its memory limit (requires root)
	@$(BIN)/python -m bench.memory $(BENCH_ARGS)

bench-sleepers: $(VENV)/.dev sandbox  ## measure what bots that sleep at live tables cost a ladder
	@$(BIN)/python -m bench.sleepers $(BENCH_ARGS)

bench-lag: $(VENV)/.dev sandbox  ## measure whether bots can get re-runs at will, and whether honest ones get theirs
	@$(BIN)/python -m bench.lag $(BENCH_ARGS)

bench-validations: $(VENV)/.dev sandbox  ## count the verdicts of validations on an idle and on a busy host
	@$(BIN)/python -m bench.validations $(BENCH_ARGS)

bench-ratings: $(VENV)/.dev  ## measure the rating estimates of a large season
	@$(BIN)/python -m bench.ratings $(BENCH_ARGS)

bench-rebuild: $(VENV)/.dev  ## measure the rating rebuild of 1,000,000 matches
	@$(BIN)/python -m bench.rebuild

bench-verifying: $(VENV)/.dev bench-fast  ## measure verified games/s per core, with and without the accelerator
	@$(BIN)/python -m bench.verification

bench-pairings: $(VENV)/.dev  ## measure the pairing of a ladder with 10,000 bots and of a Swiss cup with 500
	@$(BIN)/python -m bench.pairings

bench-cup-matches: $(VENV)/.dev services  ## measure matches/s of a cup with real workers, on both databases
	@$(BIN)/python -m bench.cup_matches $(BENCH_ARGS)

bench-tables: $(VENV)/.dev services  ## measure the standings page of 10,000 bots, on both databases
	@$(BIN)/python -m bench.tables

bench-api: $(VENV)/.dev services  ## measure API requests and 200 remote bots (BENCH_ARGS=--short)
	@tools/system-packages wrk || true
	@$(BIN)/python -m bench.api $(BENCH_ARGS)

bench-people: $(VENV)/.dev services  ## measure 100 live tables with 500 spectators, on both databases (BENCH_ARGS=--short)
	@$(BIN)/python -m bench.people $(BENCH_ARGS)

bench-streams: $(VENV)/.dev services  ## measure memory and CPU time of 5,000 idle streams
	@$(BIN)/python -m bench.idle_streams $(BENCH_ARGS)

bench-house: $(VENV)/.dev accelerator  ## measure the strength and start time of the house bots
	@$(BIN)/python -m bench.house
	@$(BIN)/python -m bench.levels $(BENCH_ARGS)

bench-idle: $(VENV)/.dev sandbox  ## measure CPU and memory of an idle site
	@$(BIN)/python -m bench.idle $(BENCH_ARGS)

bench-comparisons: $(VENV)/.dev  ## measure the games and errors of version comparisons
	@$(BIN)/python -m bench.comparisons $(BENCH_ARGS)

bench-pages: $(VENV)/.dev services  ## load pages on a throttled phone: requests, KB, layout shift, drawing time
	@$(BIN)/python -m bench.pages $(BENCH_ARGS)

bench-responses: $(VENV)/.dev services  ## measure time, queries and size of responses at 100,000 matches, on both databases
	@$(BIN)/python -m bench.responses $(BENCH_ARGS)

bench-backups: $(VENV)/.dev services accelerator  ## measure backup and restore of 100,000 matches, on both databases
	@$(BIN)/python -m bench.backups $(BENCH_ARGS)

bench-replay: $(VENV)/.dev services  ## measure the display time and size of replays
	@$(BIN)/python -m bench.replays $(BENCH_ARGS)

messages: $(VENV)/.dev  ## collect translatable texts and compile the translation catalogs
	@PYTHONPATH=. $(BIN)/python tools/messages.py

docs: $(VENV)/.dev  ## write the reference of settings, check all links of the docs, and write HTML to build/docs
	@PYTHONPATH=. $(BIN)/python tools/docs.py

pictures: $(VENV)/.dev services  ## take the screenshots for the docs from the site on PORT
	@$(BIN)/python tools/pictures.py --port $(PORT)

clean:  ## remove environments, caches and the compiled accelerator, but not the data in var/
	@rm -rf build games/native $(VENV) $(BENCH_VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache node_modules
