# `make demo` and `make test` set everything up on a fresh clone: all they need is Python 3.11 or later.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.mgaudit-installed
READY := $(VENV)/.mgaudit-ready
PYTEST_FLAGS ?= -n auto
MINIMUM := import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))

.DEFAULT_GOAL := help
.PHONY: help setup demo test compiled lint check acceptance fuzz mutants docs dist release clean

COUNT ?= 100
COMPILED := $(CURDIR)/$(VENV)/compiled
MODULES ?= gates/* gates/*/*
SAMPLE ?= 6

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

setup: $(READY) ## create .venv with mgaudit and its development tools

demo: $(INSTALLED) ## audit the example tree
	@$(BIN)/mgaudit demo

test: $(READY) ## run the test suite
	@$(BIN)/python -m pytest $(PYTEST_FLAGS)

compiled: $(READY) ## test the extraction as wheels have it, compiled; it is in .venv/compiled then
	@rm -rf $(COMPILED)
	@MGAUDIT_NATIVE=1 $(BIN)/python -m pip --quiet --disable-pip-version-check install --no-deps --target $(COMPILED) .
	@PYTHONPATH=$(COMPILED) $(BIN)/python -c 'from mgaudit.commands import doctor_checks as d; assert d.is_compiled()'
	@PYTHONPATH=$(COMPILED) $(BIN)/python -m pytest $(PYTEST_FLAGS) tests/sources tests/engine/test_bindings.py

lint: $(READY) ## ruff, mypy, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

check: lint test ## lint and test

acceptance: $(READY) ## run acceptance cases: make acceptance CASES=path/to/acceptance
	@$(BIN)/python ci/acceptance.py --mgaudit $(BIN)/mgaudit $(CASES)

fuzz: $(READY) ## mutate every kind of input, cause every kind of fault: make fuzz COUNT=100
	@MGAUDIT_FUZZ=$(COUNT) MGAUDIT_FAULTS=$(COUNT) $(BIN)/python -m pytest $(PYTEST_FLAGS) \
	    tests/fuzz tests/engine/test_faults.py tests/baseline tests/config tests/sources

mutants: $(READY) ## test the tests of the gates: make mutants MODULES=gates/coverage SAMPLE=20
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group mutants
	@$(BIN)/python ci/mutants.py --sample $(SAMPLE) $(MODULES)

docs: $(READY) ## build the documentation site, strictly
	@$(BIN)/python ci/site.py site

dist: $(READY) ## build the wheel
	@$(BIN)/python -m pip --quiet wheel --no-deps --wheel-dir dist .

release: $(READY) ## make a release: make release VERSION=1.2.3
	@$(BIN)/python ci/release.py $(VERSION)

clean: ## remove .venv and caches
	rm -rf $(VENV) dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache mutants

# An environment that is there is kept; its packages follow pyproject.toml. The program alone is quickly installed.
$(INSTALLED): pyproject.toml hatch_build.py src/mgaudit/sources/clang_native.pyx
	@set -e; \
	if [ ! -x $(BIN)/python ]; then \
	    found=; for name in $(PYTHON) python3.13 python3.12 python3.11 python3.14 python3 python; do \
	        if $$name -c '$(MINIMUM)' >/dev/null 2>&1; then found=$$name; break; fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "mgaudit needs Python 3.11 or later with venv (Debian: apt-get install python3-venv)." >&2; \
	        echo "Name one with: make PYTHON=/path/to/python" >&2; \
	        exit 1; \
	    fi; \
	    echo "Creating $(VENV) with $$($$found --version)"; \
	    $$found -m venv $(VENV); \
	fi; \
	echo "Installing mgaudit"; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .; \
	touch $@

$(READY): $(INSTALLED)
	@echo "Installing the development tools"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@
