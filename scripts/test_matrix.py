# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the tests on every ansible-core with every Python that it supports and that is found here; print a table.

    make test-matrix                          every pair
    make test-matrix CORES="2.16 2.21"        these ansible-cores only
    make test-matrix PYTHONS="3.12"           these Pythons only
    make test-matrix ARGS=--few               fewer tests, in half the time
    make test-oldest                          the oldest ansible-core, its newest Python; part of `make test`

Also the modules themselves on Python 3.9, the oldest that they support, managed by a newer ansible-core.

Virtual environments are made once, in .cache/matrix/; the tests' output goes to .cache/logs/matrix/.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENVS = ROOT / ".cache" / "matrix"
LOGS = ROOT / ".cache" / "logs" / "matrix"
REQUIREMENTS = ROOT / "requirements" / "matrix.txt"

# The newest release of each ansible-core, and the Pythons that its documentation names for the controller.
CORES = {
    "2.16": ("2.16.19", ("3.10", "3.11", "3.12")),
    "2.17": ("2.17.14", ("3.10", "3.11", "3.12")),
    "2.18": ("2.18.19", ("3.11", "3.12", "3.13")),
    "2.19": ("2.19.14", ("3.11", "3.12", "3.13")),
    "2.20": ("2.20.10", ("3.12", "3.13", "3.14")),
    "2.21": ("2.21.5", ("3.12", "3.13", "3.14")),
}
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")

# The oldest Python that the modules run on, without an ansible-core of its own.
TARGET = "3.9"

# Everything that can differ between versions: all unit tests, and the playbooks. What is left out needs tools that
# want one version (linters, ansible-runner), or tests the scripts of this checkout.
TESTS = ("tests/unit", "tests/integration/test_playbook.py", "tests/integration/test_target_python.py")
# What a change has to pass on the oldest: as much as two minutes allow.
FEW_TESTS = (
    "tests/unit/test_behaviour.py",
    "tests/unit/test_input.py",
    "tests/unit/test_scheduler.py",
    "tests/unit/test_info.py",
    "tests/integration/test_playbook.py",
    "tests/integration/test_target_python.py",
)


@dataclass
class Cell:
    """One pair, and what came of it."""

    core: str
    python: str
    text: str = ""
    ok: bool = True
    seconds: float = 0.0


def find_python(version: str) -> str | None:
    """A Python of this version that really runs."""
    done = subprocess.run(
        [str(ROOT / "scripts" / "find_python.sh"), version], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None


def make_venv(name: str, python: str, *packages: str) -> Path:
    """A virtual environment with these packages; the one that is there, where it was made from the same."""
    venv = VENVS / name
    # Its own place too: a virtual environment that was moved does not work.
    made_from = hashlib.sha256(repr((str(venv), python, packages)).encode() + REQUIREMENTS.read_bytes()).hexdigest()
    stamp = venv / ".made-from"
    if stamp.exists() and stamp.read_text() == made_from:
        return venv
    print("making %s" % venv.relative_to(ROOT), flush=True)
    shutil.rmtree(venv, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True, cwd=ROOT)
    stamp.write_text(made_from)
    return venv


def environment(venv: Path) -> dict[str, str]:
    """The environment of scripts/env.sh, with this virtual environment in the place of .venv."""
    env = dict(os.environ)
    own = str(ROOT / ".venv" / "bin")
    env["PATH"] = os.pathsep.join([str(venv / "bin")] + [one for one in env["PATH"].split(os.pathsep) if one != own])
    env["VIRTUAL_ENV"] = str(venv)
    env["ANSIBLE_PYTHON_INTERPRETER"] = str(venv / "bin" / "python")
    env["ANSIBLE_HOME"] = str(VENVS / "home" / venv.name)
    return env


def run_tests(cell: Cell, venv: Path, tests: tuple[str, ...], target: Path | None, arguments: list[str]) -> None:
    name = "core%s-python%s" % (cell.core, cell.python)
    log, report = LOGS / ("%s.log" % name), LOGS / ("%s.xml" % name)
    for argument in arguments:
        if argument.startswith("--junitxml="):
            report = Path(argument.partition("=")[2])
    report.unlink(missing_ok=True)
    command = [str(venv / "bin" / "python"), "-m", "pytest", "-q", "-n", "2", "--junitxml=%s" % report]
    # Not the options of pyproject.toml: one of them is pytest-ansible's.
    command += ["-o", "addopts=--strict-markers --strict-config -ra", "-o", "cache_dir=.cache/matrix/pytest-%s" % name]
    env = environment(venv)
    if target is not None:
        env["EDGES_TARGET_PYTHON"] = str(target / "bin" / "python")
    started = time.monotonic()
    with open(log, "wb") as output:
        code = subprocess.call(
            [*command, *arguments, *tests], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT,
        )
    cell.seconds = time.monotonic() - started
    cell.ok = code == 0
    passed, failed, skipped = counts(report)
    cell.text = "%d ok" % passed if cell.ok else "%d FAILED" % failed if failed else "FAILED"
    if skipped:
        cell.text += ", %d skipped" % skipped
    print("%s: %s, %d s, output in %s" % (name, cell.text, cell.seconds, log.relative_to(ROOT)), flush=True)
    if not cell.ok:
        print(log.read_text(encoding="utf-8", errors="replace")[-20000:], flush=True)


def counts(report: Path) -> tuple[int, int, int]:
    """Numbers of tests passed, failed and skipped, from a JUnit report."""
    try:
        suites = list(xml.etree.ElementTree.parse(report).getroot().iter("testsuite"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return 0, 0, 0
    numbers = {
        name: sum(int(suite.get(name, "0")) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    }
    failed = numbers["failures"] + numbers["errors"]
    return numbers["tests"] - failed - numbers["skipped"], failed, numbers["skipped"]


def print_table(cells: dict[tuple[str, str], Cell], cores: list[str], found: dict[str, str | None]) -> None:
    shown = [python for python in PYTHONS if any(python in CORES[core][1] for core in cores)]
    width = max([16] + [len(cell.text) + 2 for cell in cells.values()])
    print("\n%-14s%s" % ("ansible-core", "".join(("Python " + python).ljust(width) for python in shown)))
    for core in cores:
        row = []
        for python in shown:
            if (core, python) in cells:
                row.append(cells[core, python].text)
            elif python not in CORES[core][1]:
                row.append("-")
            else:
                row.append("not found" if found.get(python) is None else "not run")
        print("%-14s%s" % (CORES[core][0], "".join(text.ljust(width) for text in row)))
    print("\n-: that ansible-core does not support that Python. Not found: there is no such Python on this machine.")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cores", default="", help="only these, separated by spaces")
    parser.add_argument("--pythons", default="", help="only these, separated by spaces")
    parser.add_argument("--oldest", action="store_true", help="the oldest ansible-core, its newest Python, few tests")
    parser.add_argument("--few", action="store_true", help="only the tests of --oldest")
    parser.add_argument("--make", action="store_true", help="only make the virtual environments")
    options, arguments = parser.parse_known_args()
    cores = options.cores.split() or list(CORES)
    pythons = options.pythons.split() or list(PYTHONS)
    unknown = (set(cores) - set(CORES)) | (set(pythons) - set(PYTHONS))
    if unknown:
        parser.error("there is no %s; there are %s, and Python %s" % (unknown, ", ".join(CORES), ", ".join(PYTHONS)))
    found = {python: find_python(python) for python in PYTHONS}
    pairs = [
        (core, python) for core in cores for python in CORES[core][1] if python in pythons and found[python] is not None
    ]
    tests = FEW_TESTS if options.few else TESTS
    if options.oldest:
        oldest = list(CORES)[0]
        pairs, cores, tests = [pair for pair in pairs if pair[0] == oldest][-1:], [oldest], FEW_TESTS
    if not pairs:
        print("none of the Pythons %s was found: nothing to do" % ", ".join(pythons))
        return 0 if options.oldest else 1
    LOGS.mkdir(parents=True, exist_ok=True)
    python = find_python(TARGET)
    target = make_venv("target-" + TARGET, python, "requests==2.32.5") if python else None
    if target is None:
        print("there is no Python %s on this machine: the modules are not tested on it" % TARGET)
    cells = {}
    for core, python in pairs:
        name = "core%s-python%s" % (core, python)
        venv = make_venv(name, found[python] or "", "ansible-core==" + CORES[core][0], "-r", "requirements/matrix.txt")
        if not options.make:
            cells[core, python] = Cell(core, python)
            run_tests(cells[core, python], venv, tests, target, arguments)
    if options.make:
        return 0
    if options.oldest:
        cell = next(iter(cells.values()))
        print("ansible-core %s on Python %s: %s, %d s" % (CORES[cell.core][0], cell.python, cell.text, cell.seconds))
    else:
        print_table(cells, cores, found)
    return 0 if all(cell.ok for cell in cells.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
