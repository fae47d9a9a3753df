# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Everything starts here: `make help`. The first target that needs them makes
# .venv with the pinned tools. All else that is written goes to .cache/ and dist/.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# To use another Python: make PYTHON=/path/to/python3.12 test
PYTHON ?= $(shell scripts/find_python.sh)
# Further arguments of a target's tool: make units ARGS="-k mask -x"
ARGS ?=
# Processes that the integration tests run in; 0: in pytest's own, for a debugger
WORKERS ?= 2

RUN := scripts/run.sh
STAMP := .venv/.stamp
CONSTRAINTS := $(wildcard requirements/constraints-*.txt)

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: venv
venv: $(STAMP) ## Make .venv with the pinned tools

$(STAMP): requirements/dev.txt $(CONSTRAINTS) scripts/make_venv.sh
	@scripts/make_venv.sh "$(PYTHON)" .venv requirements/dev.txt
	@touch $@

.PHONY: demo
demo: $(STAMP) ## Try the collection against a simulated service on this machine
	@$(RUN) scripts/demo.sh

.PHONY: test
test: $(STAMP) ## Every check that a change has to pass, with one summary
	@$(RUN) python scripts/run_tests.py

.PHONY: lint
lint: $(STAMP) ## Linters: Ansible, YAML, Python, shell, documentation
	$(RUN) scripts/lint.sh

.PHONY: sanity
sanity: $(STAMP) ## ansible-test sanity
	scripts/sanity.sh $(ARGS)

.PHONY: units
units: $(STAMP) ## Unit tests, and tests of what modules do
	$(RUN) pytest tests/unit tests/behaviour $(ARGS)

.PHONY: integration
integration: $(STAMP) ## Playbooks and modules against the simulated service
	$(RUN) pytest tests/integration -n $(WORKERS) $(ARGS)

.PHONY: properties
properties: $(STAMP) ## Random configurations: a dry run says what the run does
	$(RUN) pytest tests/properties -n $(WORKERS) $(ARGS)

.PHONY: test-properties
test-properties: $(STAMP) ## The same with many more of them, others each time (minutes)
	$(RUN) pytest tests/properties -n $(WORKERS) --hypothesis-profile=thorough $(ARGS)

.PHONY: test-oldest
test-oldest: $(STAMP) ## Tests on the oldest ansible-core, modules on the oldest Python
	$(RUN) python scripts/test_matrix.py --oldest $(ARGS)

.PHONY: test-matrix
test-matrix: $(STAMP) ## Tests on every ansible-core and Python found: CORES="2.16 2.21" PYTHONS="3.12"
	$(RUN) python scripts/test_matrix.py --cores "$(CORES)" --pythons "$(PYTHONS)" $(ARGS)

MUTATION_STAMP := .cache/mutation/venv/.stamp

$(MUTATION_STAMP): requirements/mutation.txt requirements/matrix.txt scripts/make_venv.sh
	scripts/make_venv.sh "$(PYTHON)" .cache/mutation/venv requirements/mutation.txt
	touch $@

.PHONY: test-mutation
test-mutation: $(STAMP) $(MUTATION_STAMP) ## Change the code, see that tests notice (minutes): MODULES="_plan _bulk"
	$(RUN) python scripts/mutation.py --modules "$(MODULES)" $(ARGS)

.PHONY: molecule
molecule: $(STAMP) ## Molecule scenarios
	$(RUN) scripts/molecule.sh $(ARGS)

BENCHMARK_STAMP := .cache/benchmark/venv/.stamp

$(BENCHMARK_STAMP): requirements/benchmark.txt scripts/make_venv.sh
	scripts/make_venv.sh "$(PYTHON)" .cache/benchmark/venv requirements/benchmark.txt
	touch $@

.PHONY: benchmark
benchmark: $(STAMP) $(BENCHMARK_STAMP) ## Compare with uri, debug, a bare session and the wire's limit (20 minutes)
	$(RUN) env PYTHONPATH=tests python -m benchmark --results docs/benchmark/results.json \
		--guide docs/docsite/rst/guide_speed.rst $(ARGS)
	.cache/benchmark/venv/bin/python tests/benchmark/plot.py docs/benchmark/results.json docs/benchmark/plot.svg

DOCS_STAMP := .cache/docs-venv/.stamp

$(DOCS_STAMP): requirements/docs.txt requirements/dev.txt $(CONSTRAINTS) scripts/make_venv.sh
	scripts/make_venv.sh "$(PYTHON)" .cache/docs-venv requirements/docs.txt
	touch $@

.PHONY: docs
docs: $(DOCS_STAMP) ## Build the documentation site into .cache/docs/build/html
	$(RUN) scripts/docs.sh

.PHONY: build
build: $(STAMP) ## Build the collection's archive into dist/
	$(RUN) ansible-galaxy collection build --force --output-path dist

IMPORT_STAMP := .cache/import-venv/.stamp

$(IMPORT_STAMP): requirements/import.txt
	"$(PYTHON)" -m venv --clear .cache/import-venv
	.cache/import-venv/bin/python -m pip install -qq --disable-pip-version-check --requirement $<
	touch $@

.PHONY: import-check
import-check: build $(IMPORT_STAMP) ## See what Galaxy would say to the archive
	$(RUN) scripts/import_check.sh

.PHONY: lock
lock: ## Pin anew all that the requirements files bring in
	scripts/lock.sh

.PHONY: clean
clean: ## Remove .venv and everything the targets wrote
	rm -rf .venv .cache .ansible .hypothesis .mypy_cache .pytest_cache .ruff_cache collections dist
