# Needs nothing but Python 3.11+ with pip: everything goes into .venv and .demo.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(shell find oroi_graph cypher -type f -not -name '*.pyc' 2>/dev/null)

.PHONY: demo test endurance lint check docs clean

demo: $(VENV)/installed
	$(BIN)/python docs/demo/run.py

# Compiled modules are kept even where the environment says otherwise: a hundred processes would compile them again.
test: $(VENV)/installed-test
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses=auto -m "not endurance"

# What few changes can break and takes minutes: servers that are killed, dumped and restored, a long life of a memory.
endurance: $(VENV)/installed-test
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses=auto -m endurance

lint: $(VENV)/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint test endurance

docs: $(VENV)/installed
	$(BIN)/python docs/cli_reference.py
	$(BIN)/python docs/settings_reference.py
	$(BIN)/python docs/architecture_drawing.py
	$(BIN)/python docs/data_model.py
	$(BIN)/python docs/decisions_index.py

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[pictures]'
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[test]'
	@touch $@

clean:
	@if [ -d .demo/data ] && [ -x $(BIN)/oroi ]; then OROI_DATA_DIR=$(CURDIR)/.demo/data $(BIN)/oroi server stop; fi
	rm -rf $(VENV) .demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
