# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Short forms of the sessions of noxfile.py. The first that is run makes .venv
# with nox and the pinned tools. All else that is written goes to .nox/, .cache/
# and dist/.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# To use another Python: make PYTHON=/path/to/python3.12 test. Each is run before
# it is believed: a version manager's shim can be on PATH for a Python that is not
# there, and some distributions ship a Python that cannot make an environment.
PYTHON ?= $(shell for version in 3.13 3.12 3.11 3.14; do \
	for python in python$$version "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python python3; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' \
		$$version 2>/dev/null && command -v "$$python" && exit; done; done)
# Further arguments of a session's tool: make units ARGS="-k mask -x"
ARGS ?=
NOX := .venv/bin/nox

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18
	@echo; echo "All sessions: $(NOX) --list"

.venv/made: requirements/dev.txt requirements/constraints.txt
	@test -n "$(PYTHON)" || { echo "there is no Python 3.11 to 3.14 with venv and ensurepip here" >&2; exit 1; }
	@echo "making .venv with $(PYTHON), once; this takes a minute or so"
	@rm -rf .venv .nox
	@"$(PYTHON)" -m venv .venv
	@.venv/bin/python -m pip install -qq --disable-pip-version-check -r $< -c requirements/constraints.txt
	@touch $@

.PHONY: demo
demo: .venv/made ## Try the collection against a simulated service on this machine
	@$(NOX) -s demo

.PHONY: test
test: .venv/made ## Every check that a change has to pass, with one summary
	@$(NOX) -s test

.PHONY: lint
lint: .venv/made ## Linters: Ansible, YAML, Python, shell, documentation, licences
	@$(NOX) --no-install -s linters

.PHONY: sanity units integration properties molecule
sanity: .venv/made ## ansible-test sanity
units: .venv/made ## Unit tests, and tests of what modules do
integration: .venv/made ## Playbooks and modules against the simulated service
properties: .venv/made ## Random configurations: a dry run says what the run does
molecule: .venv/made ## Molecule scenarios
sanity units integration properties molecule:
	@$(NOX) -s $@ -- $(ARGS)

.PHONY: build
build: ## Build the collection's archive into dist/; needs ansible-core alone
	@PYTHON="$(PYTHON)" scripts/build.sh $(ARGS)

.PHONY: test-properties
test-properties: .venv/made ## The same with many more of them, others each time (minutes)
	@$(NOX) -s properties -- --hypothesis-profile=thorough $(ARGS)

.PHONY: test-oldest test-mutation benchmark docs pictures lock
test-oldest: .venv/made ## Tests on the oldest ansible-core, modules on the oldest Python
test-mutation: .venv/made ## Change the code, see that tests notice (minutes): ARGS='*_plan*'
benchmark: .venv/made ## Compare with uri, debug, a bare session and the wire's limit (20 minutes)
docs: .venv/made ## Build the documentation site into .cache/docs/build/html
pictures: .venv/made ## Make the pictures of docs/images anew; needs chromium-headless-shell
lock: .venv/made ## Pin anew all that the requirements files bring in: ARGS=--upgrade
test-oldest test-mutation benchmark docs pictures lock:
	@$(NOX) -s $@ -- $(ARGS)

.PHONY: test-matrix
test-matrix: .venv/made ## Tests on every ansible-core and Python found; one: nox -s "test-matrix(2.16-3.12)"
	@$(NOX) -k "test-matrix and not devel" -- $(ARGS)

.PHONY: import-check
import-check: .venv/made ## See what Galaxy would say to the archive
	@$(NOX) -s build-import-check

.PHONY: clean
clean: ## Remove .venv and everything the sessions wrote
	rm -rf .venv .nox .cache .ansible .hypothesis .mypy_cache .pytest_cache .ruff_cache collections dist
