# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# /// script
# dependencies = ["nox==2026.10.20", "antsibull-nox==1.10.0"]
# ///

"""Every check, test and build: `nox --list` names them. The linters of antsibull-nox are set in antsibull-nox.toml.

`make` runs these sessions with the nox in .venv, where the tools of requirements/dev.txt are as well; run by another
nox, each session has a virtual environment of its own. All that is written goes to .venv, .nox, .cache and dist.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from pathlib import Path

import antsibull_nox
import nox

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
HAS_TOOLS = Path(sys.prefix) == ROOT / ".venv"
DEV = ("-r", "requirements/dev.txt", "-c", "requirements/constraints.txt")

# The newest release of each ansible-core, and the Pythons that its documentation names for the controller.
CORES = {
    "2.16": ("ansible-core==2.16.19", ("3.10", "3.11", "3.12")),
    "2.17": ("ansible-core==2.17.14", ("3.10", "3.11", "3.12")),
    "2.18": ("ansible-core==2.18.19", ("3.11", "3.12", "3.13")),
    "2.19": ("ansible-core==2.19.14", ("3.11", "3.12", "3.13")),
    "2.20": ("ansible-core==2.20.10", ("3.12", "3.13", "3.14")),
    "2.21": ("ansible-core==2.21.5", ("3.12", "3.13", "3.14")),
    "devel": ("ansible-core @ https://github.com/ansible/ansible/archive/devel.tar.gz", ("3.13", "3.14")),
}
# The oldest Python that the modules run on, without an ansible-core of its own.
OLDEST_TARGET = "3.9"

# Everything that can differ between versions. What is left out needs tools that want one version (linters), or tests
# the scripts of this checkout.
MATRIX_TESTS = ("test_playbook.py", "test_target_python.py", "test_awx_jobs.py")
# What a change has to pass on the oldest ansible-core: as much as two minutes allow.
OLDEST_TESTS = ("test_life.py", "test_diff.py", "test_input.py", "test_edge_modules.py", "test_edge_modules_info.py")
OLDEST_TESTS += MATRIX_TESTS

# The Pythons of pyenv come first: its shims are on PATH for versions that do not run.
pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
# antsibull-nox wants to find ansible-galaxy, which is beside nox.
folders = [Path(sys.executable).parent, *sorted(pyenv.glob("versions/3.*/bin"))]
os.environ["PATH"] = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
# As in scripts/env.sh: the settings of whoever runs this do not decide the outcome.
for variable in [name for name in os.environ if name.startswith("ANSIBLE_")]:
    del os.environ[variable]
os.environ["ANSIBLE_HOME"] = str(CACHE / "ansible" / "nox")

OLDEST_CORE = next(iter(CORES))
OLDEST_PYTHON = next((one for one in CORES[OLDEST_CORE][1][::-1] if shutil.which("python" + one)), "3.12")

nox.options.sessions = ["test"]
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
antsibull_nox.load_antsibull_nox_toml()


def run(session, *command, **env):
    """Run a command in the environment of scripts/env.sh. An interrupted one has time to stop what it started."""
    env["EDGES_VENV"] = sys.prefix if session.python is False else session.virtualenv.location
    waits = {"interrupt_timeout": 10, "terminate_timeout": 10}
    session.run(str(ROOT / "scripts/run.sh"), *command, env=env, external=True, **waits)


def session_with_tools(function):
    """A session that needs the tools of requirements/dev.txt and no others."""

    @functools.wraps(function)
    def with_tools(session):
        if not HAS_TOOLS:
            session.install(*DEV)
        function(session)

    return nox.session(name=function.__name__.replace("_", "-"), python=False if HAS_TOOLS else None)(with_tools)


def tests(*names):
    """The paths of test files by their names, and of folders of tests that are there."""
    found = [path for name in names for path in sorted(ROOT.glob(name if "/" in name else "tests/*/" + name))]
    return [str(path.relative_to(ROOT)) for path in found]


UNITS = tests("tests/unit", "tests/behaviour")


@nox.session(python=False)
def test(session):
    """Every check that a change has to pass, two side by side, with one summary."""
    session.run(sys.executable, "scripts/run_tests.py", *session.posargs, external=True)


@session_with_tools
def demo(session):
    """Try the collection against a simulated service on this machine."""
    run(session, "scripts/demo.sh")


@session_with_tools
def units(session):
    """Unit tests, and tests of what modules do."""
    run(session, "pytest", *UNITS, *session.posargs)


@session_with_tools
def integration(session):
    """Playbooks and modules against the simulated service."""
    run(session, "pytest", "tests/integration", "-n", "2", *session.posargs)


@session_with_tools
def properties(session):
    """Random configurations: a dry run says what the run does."""
    run(session, "pytest", "tests/properties", "-n", "2", *session.posargs)


@session_with_tools
def molecule(session):
    """Molecule scenarios."""
    run(session, "scripts/molecule.sh", *session.posargs)


@session_with_tools
def sanity(session):
    """ansible-test sanity, without containers."""
    run(session, "scripts/sanity.sh", *session.posargs)


@session_with_tools
def build(session):
    """Build the collection's archive into dist/."""
    run(session, "scripts/build.sh", *session.posargs)


@session_with_tools
def more_linters(session):
    """shellcheck, changelog fragments, and documentation that is derived from other documentation."""
    listed = session.run("git", "ls-files", "*.sh", ".ci/run", external=True, silent=True, log=False)
    run(session, "shellcheck", "--external-sources", *filter(os.path.exists, listed.split()))
    run(session, "antsibull-changelog", "lint")
    run(session, "python", "scripts/update_docs.py", "--check")


@nox.session
def prose(session):
    """Spelling and wording of what users read: codespell, and the words of scripts/prose.txt."""
    session.install("-r", "requirements/prose.txt", "-c", "requirements/constraints.txt")
    session.run("python", "scripts/check_prose.py")
    listed = session.run("python", "scripts/check_prose.py", "--list", silent=True, log=False)
    session.run("codespell", *listed.split())


LINTERS = ("lint", "docs-check", "license-check", "extra-checks", "ansible-lint", "more-linters", "prose")


@nox.session(python=False, requires=LINTERS)
def linters(session):
    """All linters."""


# antsibull-nox needs a virtual environment for each of these. Under make, .venv is that: it holds the same versions,
# and to install them six times more takes a minute.
if HAS_TOOLS:
    for name in ("codeqa", "yamllint", "typing", "docs-check", "license-check", "ansible-lint"):
        (ROOT / ".nox").mkdir(exist_ok=True)
        if not (ROOT / ".nox" / name).exists():
            (ROOT / ".nox" / name).symlink_to(sys.prefix)


def target_python(session):
    """The oldest Python that modules run on, in an environment with requests alone; nothing where it is not found."""
    python = shutil.which("python" + OLDEST_TARGET)
    if python is None:
        session.warn("there is no Python %s here: the modules are not tested on it" % OLDEST_TARGET)
        return {}
    venv = CACHE / "target-python"
    if not (venv / "made").exists():
        session.run(python, "-m", "venv", "--clear", str(venv), external=True)
        session.run(str(venv / "bin/python"), "-m", "pip", "install", "-qq", "requests==2.32.5", external=True)
        (venv / "made").touch()
    return {"EDGES_TARGET_PYTHON": str(venv / "bin/python")}


def run_on_core(session, core, paths):
    """Run tests on an ansible-core. Not with the options of pyproject.toml: one of them is pytest-ansible's."""
    session.install(CORES[core][0], "-r", "requirements/matrix.txt", "-c", "requirements/constraints-matrix.txt")
    options = ["addopts=--strict-markers --strict-config -ra", "cache_dir=%s" % session.create_tmp()]
    options = [part for option in options for part in ("-o", option)]
    run(session, "pytest", "-n", "2", *options, *paths, *session.posargs, **target_python(session))


@nox.session(name="test-matrix")
@nox.parametrize(
    "python,core",
    [nox.param(python, core, id="%s-%s" % (core, python)) for core in CORES for python in CORES[core][1]],
)
def test_matrix(session, core):
    """Tests on one ansible-core and Python."""
    run_on_core(session, core, [*UNITS, *tests(*MATRIX_TESTS)])


@nox.session(name="test-oldest", python=OLDEST_PYTHON)
def test_oldest(session):
    """Tests on the oldest ansible-core, and modules on the oldest Python."""
    missing = [name for name in OLDEST_TESTS if not tests(name)]
    if missing:
        session.error("there is no %s below tests/: see OLDEST_TESTS" % " or ".join(missing))
    run_on_core(session, OLDEST_CORE, tests(*OLDEST_TESTS))


@nox.session
def docs(session):
    """Build the documentation site into .cache/docs/build/html."""
    session.install("-r", "requirements/docs.txt", "-c", "requirements/constraints.txt")
    run(session, "scripts/docs.sh")


@session_with_tools
def pictures(session):
    """Make the pictures of docs/images anew; needs chromium-headless-shell."""
    run(session, "python", "scripts/pictures.py")


@nox.session(name="test-mutation")
def test_mutation(session):
    """Change the code in small ways, and see that a unit test fails each time (minutes). Set in pyproject.toml."""
    session.install("-r", "requirements/mutation.txt", "-c", "requirements/constraints.txt")
    # mutmut has to start above ansible_collections; all that it writes is below mutants/.
    work = CACHE / "mutation"
    shutil.rmtree(work, ignore_errors=True)
    (work / "ansible_collections/edgeops").mkdir(parents=True)
    (work / "ansible_collections/edgeops/edges").symlink_to(ROOT)
    (work / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    with session.chdir(work):
        in_copy = ("env", "ANSIBLE_COLLECTIONS_PATH=%s" % (work / "mutants"))
        run(session, *in_copy, "mutmut", "run", "--max-children", "2", *session.posargs)
        run(session, "mutmut", "results")
        run(session, "mutmut", "export-cicd-stats")
        run(session, "cat", "mutants/mutmut-cicd-stats.json")


@nox.session
def benchmark(session):
    """Compare with uri, debug, a bare session and the wire's limit (20 minutes)."""
    session.install("-r", "requirements/benchmark.txt", "-c", "requirements/constraints.txt")
    results = "docs/benchmark/results.json"
    guide = "docs/docsite/rst/guide_performance.rst"
    command = ("env", "PYTHONPATH=tests", "python", "-m", "benchmark", "--results", results, "--guide", guide)
    run(session, *command, *session.posargs)
    run(session, "python", "tests/benchmark/plot.py", results, "docs/benchmark/plot.svg")


@nox.session
def lock(session):
    """Pin anew all that the requirements files bring in, for every Python and system."""
    session.install("-r", "requirements/lock.txt")
    every = ("benchmark", "dev", "docs", "mutation", "plain", "prose")
    for constraints, python, names in (
        ("constraints", "3.11", every),
        ("constraints-import", "3.11", ("import",)),
        ("constraints-matrix", "3.10", ("matrix",)),
    ):
        options = ("--universal", "--python-version", python, "--no-annotate", "--custom-compile-command", "make lock")
        output = "requirements/%s.txt" % constraints
        sources = ["requirements/%s.txt" % name for name in names]
        session.run("uv", "pip", "compile", "--quiet", *options, *session.posargs, "--output-file", output, *sources)


if __name__ == "__main__":
    nox.main()
