# `make play`, `make demo` and `make test` install everything they need on a new machine (Python 3.11 or newer).

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help play demo test tests quick test-clients test-portable check docs format bench clean

help:
	@echo "make play           play against networks in a web page, and look inside them"
	@echo "make demo           evolve a network of 93 weights on 7x7 and play on boards up to 19x19"
	@echo "make test           style, types and the tests"
	@echo "make quick          the tests without engines, studies and processes"
	@echo "make test-clients   the tests with other programs: a browser, a Ray cluster"
	@echo "make docs           the documentation as a website, in docs/_build/html"
	@echo "make test-portable  the tests of numerical code again, as on a processor without AVX-512"
	@echo "make bench          every speed figure of this machine"
	@echo "make format         format the code"
	@echo "make clean          remove generated files"

INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	touch $@

$(VENV)/ready-dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[dev]"
	touch $@ $(VENV)/ready

$(VENV)/ready-web: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) ".[web]"
	touch $@ $(VENV)/ready

play: $(VENV)/ready-web
	$(BIN)/nobi play

demo: $(VENV)/ready
	$(BIN)/nobi evolve runs/demo --game atari-go --sizes 7 --net mdlstm:hidden=3 --method es --generations 150 --seed 1 --resume
	$(BIN)/nobi transfer runs/demo/champion.safetensors --sizes 5 7 9 11 15 19 --figure runs/demo/transfer.png
	$(BIN)/nobi match runs/demo/champion.safetensors naive --size 19 --games 200 --show
	@echo "Go on: nobi evolve --help, nobi transfer --help, or docs/evolution.md."

check: $(VENV)/ready-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# the checks run in parallel with the tests; mypy takes most of a minute on one core
test: $(VENV)/ready-dev
	$(MAKE) --no-print-directory --jobs 2 check tests

# tests that run other programs have the markers browser and cluster; `.ci/run` runs them after the others
tests: $(VENV)/ready-dev
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m "not browser and not cluster"

# cluster tests run one at a time: each starts and stops Ray, or several training processes
test-clients: $(VENV)/ready-dev
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m browser
	$(BIN)/pytest -m cluster

# tests that need no engines, browsers, other processes or long compilation
QUICK := tests/board tests/games tests/features tests/trainers tests/test_spec.py tests/test_storage.py tests/test_statistics.py \
	tests/test_clock.py tests/test_streams.py tests/test_memory.py tests/test_layers.py tests/test_workers.py

quick: $(VENV)/ready-dev
	$(BIN)/pytest --numprocesses 2 --dist worksteal $(QUICK)

# tests of code that depends on the order of sums, with the instruction set of tests/portable.env
NUMERICAL := tests/nn tests/networks tests/trainers tests/search tests/test_demo.py

test-portable: $(VENV)/ready-dev
	env $$(cat tests/portable.env) $(BIN)/pytest --numprocesses 2 --dist worksteal $(NUMERICAL)

docs: $(VENV)/ready-dev
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html."

bench: $(VENV)/ready-dev
	$(BIN)/nobi bench

format: $(VENV)/ready-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
