# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Change the code of plugins/module_utils in small ways, one at a time, and see that a unit test fails each time.

    make test-mutation                        every module
    make test-mutation MODULES="_plan _bulk"  these only; what was found out before about the same code is kept

A change that no test notices is to be killed by a test, or explained in tests/mutation/survivors.yml: the function,
the change, and in one line why nobody can notice it. Fails for changes that are neither, for explanations of changes
that do not survive, and below 90 % killed.

mutmut works on a copy in .cache/mutation/, in a virtual environment of its own.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "mutation"
WORK = CACHE / "work"
OURS = Path("ansible_collections") / "edgeops" / "edges"
UTILS = OURS / "plugins" / "module_utils"
EXPLANATIONS = ROOT / "tests" / "mutation" / "survivors.yml"
MUTMUT = CACHE / "venv" / "bin" / "mutmut"
LEAST = 90

# The fast tests. A test runs for every change in what it runs through, so the slow ones would cost hours; and in
# the worker only, since what the two ways share is what is changed here.
TESTS = (
    "test_plan.py",
    "test_compare.py",
    "test_policy.py",
    "test_ids.py",
    "test_secrets.py",
    "test_units.py",
    "test_behaviour.py",
    "test_input.py",
    "test_info.py",
    "test_bulk.py",
)
# The client and the module's door live by faults on the wire and by processes: more, and slower, tests.
SLOW_MODULES = {"_http": ("test_faults.py", "test_proxy.py"), "_module": ()}
LEFT_OUT = "not module and not 5_mb and not 200"


def modules() -> list[str]:
    return sorted(path.stem for path in (ROOT / "plugins" / "module_utils").glob("_*.py"))


def copy_tree() -> None:
    """Put what git knows, or would know, where mutmut finds it; what is unchanged keeps its time."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    target = WORK / OURS
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for path in list(target.rglob("*")) if target.exists() else ():
        if path.is_file() and str(path.relative_to(target)) not in names:
            path.unlink()
    for name in names:
        old = (target / name).read_bytes() if (target / name).exists() else None
        new = (ROOT / name).read_bytes()
        if name == "pyproject.toml":  # one of the options is pytest-ansible's
            new = re.sub(rb"(?m)^addopts = .*$", b'addopts = ["-ra", "-p", "no:cacheprovider"]', new)
            new = re.sub(rb"(?m)^cache_dir = .*\n", b"", new)
        if old != new:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(new)


def configure(chosen: list[str]) -> None:
    tests = list(TESTS)
    for name, more in SLOW_MODULES.items():
        if name in chosen:
            tests += more
    tests = [name for name in tests if (ROOT / "tests" / "unit" / name).exists()]
    lines = ["[mutmut]", "source_paths=%s" % UTILS, "only_mutate="]
    lines += ["    %s" % (UTILS / (name + ".py")) for name in chosen]
    lines += ["also_copy=", "    ansible_collections", "pytest_add_cli_args_test_selection="]
    lines += ["    %s" % (OURS / "tests" / "unit" / name) for name in tests]
    lines += ["    -k", "    %s" % LEFT_OUT, "use_setproctitle=False", "use_git_change_detection=False"]
    (WORK / "setup.cfg").write_text("\n".join(lines) + "\n", encoding="utf-8")


def mutmut(*arguments: str) -> subprocess.CompletedProcess:
    env = dict(os.environ, ANSIBLE_COLLECTIONS_PATH=str(WORK / "mutants"))
    env["PATH"] = "%s%s%s" % (MUTMUT.parent, os.pathsep, env["PATH"])
    env["ANSIBLE_PYTHON_INTERPRETER"] = str(MUTMUT.with_name("python"))
    if arguments[0] == "run":
        return subprocess.run([str(MUTMUT), *arguments], cwd=WORK, env=env, check=False)
    return subprocess.run([str(MUTMUT), *arguments], cwd=WORK, env=env, check=True, capture_output=True, text=True)


def results() -> dict[str, str]:
    """The status of every mutant by its name."""
    found = {}
    for line in mutmut("results", "--all", "true").stdout.splitlines():
        name, colon, status = line.strip().rpartition(": ")
        if colon:
            found[name] = status
    return found


def function_of(name: str) -> str:
    """Where a mutant is, as _plan.make_plan or _http.Client.request."""
    module, dummy, rest = name.partition(".module_utils.")[2].partition(".")
    rest = re.sub(r"__mutmut_\d+$", "", rest)
    rest = re.sub("^xǁ(.*)ǁ", r"\1.", rest) if "ǁ" in rest else re.sub("^x_", "", rest)
    return "%s.%s" % (module, rest)


def change_of(name: str) -> str:
    """What a mutant changes, on one line."""
    lines = mutmut("show", name).stdout.splitlines()
    parts = {sign: [] for sign in "-+"}
    for line in lines:
        if line[:1] in parts and not line.startswith(("---", "+++")):
            parts[line[0]].append(" ".join(line[1:].split()))
    return "%s  ->  %s" % (" ".join(parts["-"]), " ".join(parts["+"]))


def explanations() -> dict[tuple[str, str], str]:
    if not EXPLANATIONS.exists():
        return {}
    listed = yaml.safe_load(EXPLANATIONS.read_text(encoding="utf-8")) or {}
    return {(function, one["change"]): one["why"] for function, all_ in listed.items() for one in all_}


def report(chosen: list[str]) -> int:
    by_module: dict[str, dict[str, list[str]]] = {name: {} for name in chosen}
    for name, status in results().items():
        module = function_of(name).split(".")[0]
        if module in by_module:
            by_module[module].setdefault(status, []).append(name)
    known, unexplained, seen = explanations(), [], set()
    columns = ("changes", "killed", "timeout", "no test", "survived", "explained", "killed %")
    print("\n%-16s%s" % ("module", "".join(column.rjust(11) for column in columns)))
    totals = [0] * 6
    for module, statuses in by_module.items():
        total = sum(map(len, statuses.values()))
        killed, timeout = len(statuses.get("killed", ())), len(statuses.get("timeout", ()))
        left = [one for status in ("survived", "no tests", "suspicious") for one in statuses.get(status, ())]
        explained = 0
        for one in left:
            key = (function_of(one), change_of(one))
            seen.add(key)
            if key in known:
                explained += 1
            else:
                unexplained.append(key)
        row = [total, killed, timeout, len(statuses.get("no tests", ())), len(left), explained]
        totals = [one + other for one, other in zip(totals, row)]
        share = "%.1f" % (100 * (killed + timeout) / total) if total else "-"
        print("%-16s%s" % (module, "".join(str(one).rjust(11) for one in [*row, share])))
    share = 100 * (totals[1] + totals[2]) / max(1, totals[0])
    print("%-16s%s" % ("all", "".join(str(one).rjust(11) for one in [*totals, "%.1f" % share])))
    print("\ntimeout: the change made a test hang, which is noticed too")
    stale = [key for key in known if key not in seen and key[0].split(".")[0] in chosen]
    if unexplained:
        print("\nNeither killed nor explained in %s:" % EXPLANATIONS.relative_to(ROOT))
        for function, change in sorted(unexplained):
            print("%s:\n  - change: %s" % (function, yaml.safe_dump(change, width=10000).strip().split("\n...")[0]))
    if stale:
        print("\nExplained, but does not survive (any more):")
        for function, change in stale:
            print("%s: %s" % (function, change))
    return 1 if unexplained or stale or share < LEAST else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", default="", help="only these, separated by spaces")
    parser.add_argument("--children", default="2", help="changes tried at the same time")
    parser.add_argument("--report", action="store_true", help="only print what the last run found")
    options = parser.parse_args()
    chosen = options.modules.split() or modules()
    unknown = set(chosen) - set(modules())
    if unknown:
        parser.error("there is no %s in plugins/module_utils" % ", ".join(sorted(unknown)))
    if not options.report:
        WORK.mkdir(parents=True, exist_ok=True)
        copy_tree()
        for name in chosen:
            ast.parse((WORK / UTILS / (name + ".py")).read_text(encoding="utf-8"))
        configure(chosen)
        if shutil.which("git"):
            done = mutmut("run", "--max-children", options.children)
            if done.returncode not in (0, 1):
                return done.returncode
    return report(chosen)


if __name__ == "__main__":
    sys.exit(main())
