# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What YAML did not read as text where text is meant: keys and date-times, seen before JSON makes text of them.

Private to this collection.

`on: 1` has the key true, `1.10: x` the key 1.1, and `2026-01-02T10:00:00Z` is no text either. A module receives its
options as JSON, in which all of them are text, but not the text that somebody wrote. So the action plugin looks at a
task's options first, wherever the module then runs.
"""

from __future__ import annotations

import ast
import datetime
import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._argspec import Spec
from ansible_collections.edgeops.edges.plugins.module_utils._options import canonical_name
from ansible_collections.edgeops.edges.plugins.module_utils._text import entry_place, place


def faults(
    spec: Spec, options: dict[t.Any, t.Any], where: str = "", is_date_time: t.Callable[[str], bool] | None = None
) -> t.Iterator[str]:
    """Yield the places of keys and date-times within documents and maps of any names that YAML did not read as text.

    :param is_date_time: whether text was made of a date-time; see DateTimes.
    """
    if "state" in spec and options.get("state") == "absent":
        return  # the others are ignored then
    for given, value in options.items():
        name = canonical_name(spec, given) if isinstance(given, str) else ""
        option = spec.get(name)
        if option is None:
            continue
        nested = option.get("options")
        if isinstance(value, _SETS):
            yield _SET_TEXT % place(where, name)
        elif nested:
            for index, entry in enumerate(value) if isinstance(value, list) else ((None, value),):
                if isinstance(entry, dict):
                    inner = place(where, name)
                    inner = inner if index is None else entry_place(place(inner, index), entry)
                    yield from faults(nested, entry, inner, is_date_time)
        elif option.get("type") in ("dict", "raw"):
            yield from _faults_within(value, place(where, name), is_date_time)


# Since ansible-core 2.19 Ansible's JSON makes a list of one, each time in another order.
_SETS = (set, frozenset)
_SET_TEXT = "%s must be a list, not a set, which has no order"


def _faults_within(top: t.Any, where: str, is_date_time: t.Callable[[str], bool] | None) -> t.Iterator[str]:
    # Names of places are made up for faults only: there may be very many places.
    todo: list[tuple[t.Any, tuple]] = [(top, ())]
    seen: dict[int, t.Any] = {}  # a YAML anchor may stand in many places, in itself too
    while todo:
        node, path = todo.pop()
        if id(node) in seen:
            continue
        if isinstance(node, dict):
            items: list[tuple[t.Any, tuple]] = []
            for key, child in node.items():
                name = (path, key if isinstance(key, str) else _written(key))
                if not isinstance(key, str):
                    yield "%s: %s" % (_named(where, name), _key_text(key))
                items.append((child, name))
        elif isinstance(node, (list, tuple)):
            items = [(child, (path, index)) for index, child in enumerate(node)]
        else:
            if isinstance(node, datetime.datetime) or (is_date_time and isinstance(node, str) and is_date_time(node)):
                yield "%s: YAML reads this as a date and time, and does not keep its text: quote it" % _named(
                    where, path
                )
            elif isinstance(node, _SETS):
                yield _SET_TEXT % _named(where, path)
            continue
        seen[id(node)] = node
        todo.extend(reversed(items))


def _named(where: str, path: tuple) -> str:
    """Return the name of the place that a linked path (parent, key) leads to."""
    keys = []
    while path:
        path, key = path
        keys.append(key)
    for key in reversed(keys):
        where = place(where, key)
    return where


# Python writes no longer number as text, but reads one in hexadecimal digits.
_MOST = 10**4000


def _is_endless(value: t.Any) -> bool:
    return isinstance(value, int) and abs(value) >= _MOST


def _written(key: t.Any) -> str:
    """Return a key as JSON would have it; or as Python has it, where JSON has none such."""
    if _is_endless(key):
        return "a number of too many digits"
    return json.dumps(key) if key is None or isinstance(key, bool) else str(key)


def _key_text(key: t.Any) -> str:
    """Return what is wrong with a key that is no text."""
    end = "not as a string: quote it"
    if isinstance(key, bool):
        words = "on, yes and true" if key else "off, no and false"
        return "YAML reads this key as the boolean %s (%s are the same key), %s" % (_written(key), words, end)
    if key is None:
        return "YAML reads this key as null (~ and nothing at all are the same key), %s" % end
    if _is_endless(key):
        return "YAML reads this key as a number, %s" % end
    if isinstance(key, (int, float)):
        return "YAML reads this key as the number %s, %s" % (key, end)
    if isinstance(key, datetime.datetime):
        return "YAML reads this key as a date and time, %s" % end
    if isinstance(key, datetime.date):
        return "YAML reads this key as a date, %s" % end
    return "YAML reads this key as something else (%s), %s" % (type(key).__name__, end)


class DateTimes:
    """Knows of text whether a template made it of a date-time that a variable holds.

    Up to ansible-core 2.18 a template such as `{{ since }}` makes other text of it at once.
    """

    _TEXT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d(:\d\d)?)?")

    def __init__(self, variables: dict[str, t.Any]) -> None:
        self._variables = variables

    def __call__(self, text: str) -> bool:
        return bool(self._TEXT.fullmatch(text)) and any(
            _holds(value, text) for name, value in self._variables.items() if name not in ("hostvars", "vars", "groups")
        )


def _holds(node: t.Any, text: str) -> bool:
    """Return whether a variable holds a date-time that a template writes so."""
    if isinstance(node, datetime.datetime):
        return str(node) == text
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return any(_holds(child, text) for child in children)


def read_back(node: t.Any) -> t.Any:
    """Return the same with structures in the place of text that a template made of them.

    Up to ansible-core 2.18 a template such as `{{ policy }}` gives a structure as it is, but as text as soon as a date
    stands anywhere in it.
    """
    if isinstance(node, dict):
        return {key: read_back(child) for key, child in node.items()}
    if isinstance(node, list):
        return [read_back(child) for child in node]
    if node.__class__ is str and "datetime.date" in node:  # what somebody wrote has a type of Ansible's own
        try:
            return read_back(_value_of(ast.parse(node, mode="eval").body))
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            return node
    return node


def _value_of(node: ast.AST) -> t.Any:
    """Return the value of a literal in which dates may stand.

    :raises ValueError: it is something else.
    """
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {_value_of(key): _value_of(value) for key, value in zip(node.keys, node.values) if key is not None}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value_of(item) for item in node.elts]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # The time zone does not matter: a date-time is refused whatever it is.
        numbers = [_value_of(argument) for argument in node.args]
        if node.func.attr == "datetime":
            return datetime.datetime(*numbers)
        if node.func.attr == "date":
            return datetime.date(*numbers)
    return ast.literal_eval(node)


def without_what_json_lacks(node: t.Any, found: list[str], where: str = "") -> t.Any:
    """Return a copy that JSON can say, and add what it cannot say to `found`, each with its place."""
    if isinstance(node, dict):
        return {
            _json_text(key, where, found): without_what_json_lacks(child, found, place(where, _written(key)))
            for key, child in node.items()
        }
    if isinstance(node, (list, tuple)):
        return [
            without_what_json_lacks(child, found, entry_place(place(where, index), child))
            for index, child in enumerate(node)
        ]
    if isinstance(node, str):
        return _json_text(node, where, found)
    if isinstance(node, bytes):
        found.append("%s must be a string, not binary data" % where)
        return ""
    if isinstance(node, _SETS):
        return []  # told already
    if _is_endless(node):
        found.append("%s is a number with too many digits" % where)
        return 0
    return node


def _json_text(value: t.Any, where: str, found: list[str]) -> t.Any:
    if not isinstance(value, str):
        return _written(value)
    if any("\ud800" <= char <= "\udfff" for char in value):
        found.append("%s contains half a surrogate pair, which is no character" % (where or "an option"))
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    return value
