# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text that people read: diffs, messages, and what they quote. Private to this collection."""

from __future__ import annotations

import json
import re
import typing as t
import unicodedata

# Control, format (bidirectional marks among them), surrogate, private and unassigned characters, and the
# two Unicode line separators: none of them is a letter, each can make a terminal show something else.
_ESCAPED_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def _escape(char: str) -> str:
    if char == "\n" or unicodedata.category(char) not in _ESCAPED_CATEGORIES:
        return char
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
    return "\\u%04x" % code


def visible(text: str) -> str:
    """Return `text` with every control and bidirectional character written as an escape."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text  # nearly all
    return "".join(map(_escape, text))


def shorten(text: str, limit: int = 200) -> str:
    """Return `text` on one line, visible, and of at most `limit` characters."""
    text = visible(" ".join(text[: limit * 10].split()))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def dump(value: t.Any) -> str:
    """Return `value` as indented JSON text with sorted keys, ending in a newline; nothing for None."""
    if value is None:
        return ""
    return visible(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)) + "\n"


_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool,), "a boolean"),  # before numbers: Python takes a boolean for one
    ((int, float), "a number"),
    ((str,), "a string"),
    ((list,), "a list"),
    ((dict,), "a dict"),
)


def kind_of(value: t.Any) -> str:
    """Return what the type of a value is called in messages."""
    if value is None:
        return "null"
    return next((name for kinds, name in _KINDS if isinstance(value, kinds)), type(value).__name__)


def kind_but_string(value: t.Any) -> str:
    """Return the same of a value that must be a string, and what to do where quotes make one of it."""
    return kind_of(value) + (": quote it" if isinstance(value, (bool, int, float)) else "")


class Place(str):
    """The name of a place in the options, with the ids of the entry of a list that it stands in beside it."""

    path: str
    entry: tuple[str, ...]

    def __new__(cls, path: str, entry: tuple[str, ...] = ()) -> Place:
        self = super().__new__(cls, "%s (%s)" % (path, " ".join(entry)) if entry else path)
        self.path, self.entry = path, entry
        return self


def place(parent: str, key: str | int) -> str:
    """Return the name of a place within `parent`: `parent.key`, or `parent[3]` for an index."""
    if isinstance(parent, Place):
        return Place(place(parent.path, key), parent.entry)
    if isinstance(key, int):
        return "%s[%d]" % (parent, key)
    if len(key) > 80 or not key.isidentifier():  # nearly all are
        key = shorten(key, 80)
    return "%s.%s" % (parent, key) if parent else key


def entry_place(where: str, entry: t.Any) -> str:
    """Return the place of an entry of a list, with its id and what people call it, where it has them."""
    given = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(given, str) or not given.strip():
        return where
    name = entry.get("name")
    called = ' "%s"' % shorten(name, 80) if isinstance(name, str) and name.strip() else ""
    path, outer = (where.path, where.entry) if isinstance(where, Place) else (where, ())
    return Place(path, (*outer, shorten(given, 80) + called))


_PYTHON = re.compile(r"\s*[{\[]([{\[\s]*'|.*[:,\[]\s*(True|False|None)\s*[,}\]])", re.DOTALL)
_PATH = re.compile(r"(?![{\[\"'])(?!.*://)(\S*/\S*|.+\.(json|ya?ml|j2|txt))")
_YAML = re.compile(r"(---|- )|\{?\s*(\"[^\"]*\"|'[^']*'|[\w.$/-]+)\s*:(\s|$)")


def looks_like(text: str) -> str:
    """Return, as the end of a message, what text that is not JSON seems to be and what to give instead; or nothing."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if _PYTHON.match(text):
        return ". It looks like a Python dict written as text: give the structure itself, or use to_json"
    if len(lines) == 1 and len(lines[0]) < 4096 and _PATH.fullmatch(lines[0]):
        return ". It looks like the path of a file: use lookup('file', PATH) to give what the file holds"
    if lines and _YAML.match(lines[0]) and not lines[0].startswith('{"'):
        return ". It looks like YAML: leave out the | or the quotes that make text of it, or use from_yaml"
    return ""


# A place within a list, with the ids of its entry: what stands before the reason of a fault.
_PLACE_IN_LIST = re.compile(r"(?P<where>\w+\[\d+\][\w.\[\]-]* \([^()]*\))(?P<reason>:? .*)", re.DOTALL)


def join_faults(faults: t.Iterable[str], alike: int = 20, most: int = 200) -> str:
    """Return the faults as one message: those that are the same in several entries of lists once, with all the places.

    Beyond so many of one kind, and so many places in all, they are counted only.
    """
    # By their reasons, in the order of the first of each; a fault without such a place is a reason of its own.
    places: dict[str, list[str]] = {}
    kinds: dict[str, int] = {}
    shown = left = 0
    for fault in faults:
        found = _PLACE_IN_LIST.fullmatch(fault)
        where, reason = (found["where"], found["reason"]) if found else ("", fault)
        if not found and reason in places:
            continue  # it is told already
        if reason not in places:
            kind = re.sub(r"\([^()]*\)|[0-9]+", "", fault)
            kinds[kind] = kinds.get(kind, 0) + 1
        if shown >= most or (reason not in places and kinds[kind] > alike):
            left += 1
        else:
            places.setdefault(reason, []).append(where)
            shown += 1
    texts = [_fault_text(where, reason) for reason, where in places.items()]
    return "; ".join(texts + (["and %d more" % left] if left else []))


def _fault_text(places: list[str], reason: str) -> str:
    if len(places) == 1:
        return places[0] + reason
    each = reason if reason.startswith(":") else ": each" + reason
    return ", ".join(places) + each


def join_names(names: t.Sequence[str], most: int) -> str:
    """Return names for a message; beyond so many they are counted only."""
    more = " and %d more" % (len(names) - most) if len(names) > most else ""
    return ", ".join(names[:most]) + more


def together(reasons: t.Iterable[tuple[str, str]], most: int = 100) -> list[str]:
    """Return pairs of a name and a reason as texts: each reason once, with the names of all that it befell."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        names.setdefault(reason, []).append(name)
    return ["%s: %s" % (join_names(found, most), reason) for reason, found in names.items()]
