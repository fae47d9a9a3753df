# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Change the code of plugins/module_utils in small ways, one at a time, and see that a unit test fails each time.

    make test-mutation                        every module: about ten minutes on two processors
    make test-mutation MODULES="_plan _bulk"  these only; what was killed before stays so while its code does

A change that no test notices is to be killed by a test, or explained in tests/mutation/survivors.yml: the function,
the change, and in one line why nobody can notice it. Fails for changes that are neither, and below 90 % killed; names
explanations that no change survived for.

mutmut works on a copy in .cache/mutation/, in a virtual environment of its own.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import json
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

# A change is tried against every one of these tests that runs through the changed function, so they have to be fast:
# they call the code directly, and wait for nothing. _registry is not here: it holds no function to change.
TESTS = {
    "_argspec": ("test_argspec.py",),
    "_bulk": ("test_run.py",),
    "_compare": ("test_rules.py", "test_compare.py", "test_plan.py"),
    "_description": ("test_description.py",),
    "_errors": ("test_errors.py",),
    "_headers": ("test_rules.py", "test_compare.py", "test_plan.py"),
    "_http": ("test_http.py",),
    "_jobs": ("test_jobs.py",),
    "_many": ("test_many.py",),
    "_module": ("test_module_door.py",),
    "_plan": ("test_rules.py", "test_plan.py"),
    "_policy": ("test_rules.py", "test_policy.py", "test_compare.py"),
    "_reconcile": ("test_reconcile.py",),
    "_refusals": ("test_refusals.py",),
    "_secrets": ("test_masking.py",),
    "_text": ("test_text.py", "test_policy.py"),
    "_work": ("test_work.py",),
}
COPIED = ("plugins", "tests", "meta", "docs/openapi.yaml", "pyproject.toml")


def copy_tree(work: Path) -> None:
    """Put what git knows, or would know, where mutmut finds it."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COPIED]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    # What was found out before is kept, below mutants/.
    shutil.rmtree(work / "ansible_collections", ignore_errors=True)
    for name in listed.split("\0"):
        if not (ROOT / name).is_file():
            continue
        content = (ROOT / name).read_bytes()
        if name == "pyproject.toml":  # one of the options is pytest-ansible's
            content = re.sub(rb"(?m)^addopts = .*$", b'addopts = ["-ra", "-p", "no:cacheprovider"]', content)
            content = re.sub(rb"(?m)^cache_dir = .*\n", b"", content)
        for tree in (work, work / "mutants"):
            if tree == work or Path(name).parts[:2] != ("plugins", "module_utils"):
                (tree / OURS / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / OURS / name).write_bytes(content)


def configure(work: Path, module: str) -> None:
    tests = TESTS[module]
    lines = ["[mutmut]", "source_paths=%s" % UTILS, "only_mutate=", "    %s" % (UTILS / (module + ".py"))]
    lines += ["also_copy=", "    ansible_collections", "pytest_add_cli_args_test_selection="]
    lines += ["    %s" % (OURS / "tests" / "unit" / name) for name in tests]
    # What the two ways share is what is changed here: one of them is enough.
    lines += ["    -k", "    not [module", "use_setproctitle=False", "use_git_change_detection=False"]
    (work / "setup.cfg").write_text("\n".join(lines) + "\n", encoding="utf-8")


def forget_survivors(work: Path) -> None:
    """Have tried anew what survived before: the tests may have changed, which mutmut does not look at."""
    (work / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    for path in work.glob("mutants/**/*.py.meta"):
        meta = json.loads(path.read_text(encoding="utf-8"))
        codes = meta["exit_code_by_key"]
        meta["exit_code_by_key"] = {name: code if code == 1 else None for name, code in codes.items()}
        path.write_text(json.dumps(meta), encoding="utf-8")


def mutmut(work: Path, *arguments: str, **more) -> subprocess.CompletedProcess:
    env = dict(os.environ, ANSIBLE_COLLECTIONS_PATH=str(work / "mutants"))
    env["PATH"] = "%s%s%s" % (MUTMUT.parent, os.pathsep, env["PATH"])
    env["ANSIBLE_PYTHON_INTERPRETER"] = str(MUTMUT.with_name("python"))
    return subprocess.run([str(MUTMUT), *arguments], cwd=work, env=env, text=True, check=False, **more)


def results(module: str) -> dict[str, str]:
    """The status of every mutant by its name."""
    found = {}
    shown = mutmut(WORK / module, "results", "--all", "true", capture_output=True).stdout
    for line in shown.splitlines():
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


@functools.cache
def variants(module: str) -> dict[str, list[str]]:
    """The lines of every function of the changed module: mutmut writes all its variants side by side."""
    text = (WORK / module / "mutants" / UTILS / (module + ".py")).read_text(encoding="utf-8")
    found = {}
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name:
            # The name is what differs anyway.
            source = [line.replace(node.name, "") for line in lines[node.lineno - 1 : node.end_lineno]]
            found[node.name] = [" ".join(line.split()) for line in source]
    return found


def change_of(module: str, name: str) -> str:
    """What a mutant changes, on one line."""
    name = name.rpartition(".")[2]
    original = variants(module)[re.sub(r"__mutmut_\d+$", "__mutmut_orig", name)]
    parts: dict[str, list[str]] = {"-": [], "+": []}
    for line in difflib.ndiff(original, variants(module)[name]):
        if line[:1] in parts:
            parts[line[0]].append(line[2:])
    before, after = " ".join(parts["-"]), " ".join(parts["+"])
    # What the two have in common at both ends is shown in part: enough to find the place.
    start = len(os.path.commonprefix([before, after]))
    end = len(os.path.commonprefix([before[start:][::-1], after[start:][::-1]]))
    first = max(0, start - 30)
    before, after = (text[first : len(text) - max(0, end - 12)] for text in (before, after))
    return "%s  ->  %s" % (before.strip(), after.strip())


def explanations() -> dict[tuple[str, str], str]:
    if not EXPLANATIONS.exists():
        return {}
    listed = yaml.safe_load(EXPLANATIONS.read_text(encoding="utf-8")) or {}
    return {(function, one["change"]): one["why"] for function, all_ in listed.items() for one in all_}


def report(chosen: list[str]) -> int:
    by_module: dict[str, dict[str, list[str]]] = {module: {} for module in chosen}
    for module in chosen:
        for name, status in results(module).items():
            if function_of(name).split(".")[0] == module:
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
            key = (function_of(one), change_of(module, one))
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
    return 1 if unexplained or share < LEAST else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", default="", help="only these, separated by spaces")
    parser.add_argument("--children", default="2", help="changes tried at the same time")
    parser.add_argument("--report", action="store_true", help="only print what the last run found")
    options = parser.parse_args()
    chosen = options.modules.split() or sorted(TESTS)
    unknown = set(chosen) - set(TESTS)
    if unknown:
        parser.error("there is no %s in plugins/module_utils" % ", ".join(sorted(unknown)))
    for module in chosen if not options.report else ():
        work = WORK / module
        work.mkdir(parents=True, exist_ok=True)
        copy_tree(work)
        configure(work, module)
        forget_survivors(work)
        log = work / "mutmut.log"
        print("%s: trying changes; output in %s" % (module, log.relative_to(ROOT)), flush=True)
        with open(log, "w", encoding="utf-8") as output:
            command = ("run", "--max-children", options.children)
            done = mutmut(work, *command, stdout=output, stderr=subprocess.STDOUT)
        if done.returncode:
            print("\n".join(re.split(r"[\r\n]+", log.read_text(encoding="utf-8"))[-40:]))
    return report(chosen)


if __name__ == "__main__":
    sys.exit(main())
