# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pitfalls of modules that drive REST APIs, by the numbers that tests name them with.

A test says which ones it covers by C(@pytest.mark.pitfall("5", "12")) or in its name, C(test_pitfall_05_...).
C(PYTHONPATH=tests python -m harness.pitfalls) lists every row with its tests.
"""

from __future__ import annotations

import ast
import re
import typing as t
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

# How values arrive.
ARRIVE = {
    "0.1": "JSON text by a template arrives as a Python dict written as text",
    "0.2": "type json serialises anew",
    "0.3": "type raw gives a dict, or text, as the version of ansible-core has it",
    "0.4": "type dict gives a dict",
    "0.5": "literal JSON text stays text",
    "0.6": "a dict or list given where JSON text is meant",
    "0.7": "text that is no JSON, or blank, is accepted by type json",
    "0.8": "a boolean or a number in place of a document",
    "0.9": "JSON text encoded twice",
    "0.10": "braces in a document that are no template",
    "0.11": "blank text in place of a list is a list of one blank item",
    "0.12": "null, numbers and booleans within a list of texts",
    "0.13": "YAML scalars within a dict: booleans, floats, octals, null, dates",
    "0.14": "k=v text or JSON text in place of a dict",
    "0.15": "omit within a dict",
    "0.16": "a blank key hides the environment's",
    "0.17": "a null key hides the environment's",
    "0.18": "a key that ends in a newline is printed in an error",
    "0.19": "a key beyond Latin-1",
    "0.20": "no_log on a whole dict masks too much, and the old values not at all",
    "0.21": "a short key masks unrelated text",
    "0.22": "values that are learnt to be secret while the module runs",
    "0.23": "async together with a dry run",
}

# What modules do with them.
DO = {
    "1": "JSON text becomes a Python dict written as text",
    "2": "the json type checks nothing",
    "3": "templating of ansible-core 2.19",
    "4": "encoded twice",
    "5": "JSON compared as text",
    "6": "lists sorted that have an order",
    "7": "lists compared in order that have none; one item for a list",
    "8": "null or empty against left out",
    "9": "keys missing in the reply",
    "10": "defaults that the server fills in",
    "11": "number against text, boolean against number",
    "12": "Unicode escapes",
    "13": "case of header names",
    "14": "YAML scalars in a map of texts",
    "15": "an empty list taken for one left out",
    "16": "blank given by accident",
    "17": "PUT replaces everything",
    "18": "writes in a dry run",
    "19": "a dry run that says another thing than the run",
    "20": "keys of a result that are missing in a dry run",
    "21": "a diff that nobody can read",
    "22": "secrets in the diff",
    "23": "masking too much, or not at all",
    "24": "the key in an error text",
    "25": "credentials in the environment",
    "26": "an explicit empty value beats the environment",
    "27": "429",
    "28": "transient errors, and what may be repeated",
    "29": "redirects",
    "30": "ambient settings: .netrc, CA bundle, proxies",
    "31": "a private CA",
    "32": "requests is missing",
    "33": "bodies that are no JSON, error bodies lost",
    "34": "404",
    "35": "a failure after something was written",
    "36": "more requests than needed",
    "37": "no group for module_defaults",
    "38": "timeouts, async",
    "39": "semantics of policies, answers that differ from what was asked",
    "40": "fields that depend on one another",
}
ROWS = {**ARRIVE, **DO}

# About faults, connections, secrets and credentials; what is left is about comparing, planning and running twice.
_OTHERS = {"0.16", "0.17", "0.18", "0.19", "0.20", "0.21", "0.22", *map(str, range(22, 34)), "38"}
IDEMPOTENCE = frozenset(ROWS) - _OTHERS


def covered(folder: Path = TESTS) -> dict[str, list[str]]:
    """Return the tests of every row, as C(file::test)."""
    found: dict[str, list[str]] = {row: [] for row in ROWS}
    for path in sorted(folder.glob("*/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for row in _rows_of(node):
                    if row not in ROWS:
                        raise ValueError("%s::%s names pitfall %s, and there is none" % (path.name, node.name, row))
                    found[row].append("%s::%s" % (path.name, node.name))
    return found


def _rows_of(test: ast.FunctionDef) -> t.Iterator[str]:
    named = re.match(r"test_pitfall_0*(\d+)_", test.name)
    if named:
        yield named.group(1)
    for decorator in test.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pitfall":
                yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def main() -> None:
    """Print every row with its tests."""
    for row, tests in covered().items():
        print("%-5s%s" % (row, ROWS[row]))
        for test in tests or ["no test"]:
            print("       " + test)


if __name__ == "__main__":
    main()
