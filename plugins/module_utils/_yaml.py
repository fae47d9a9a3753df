# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables as YAML text that YAML 1.1 and 1.2 read as the same. Private to this collection.

Written without a library, since PyYAML need not be there where a module runs.
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

# Text that needs no quotes: it begins with a letter, and no reader takes it for anything but text.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))

# Readers look no further for the colon after a key, unless a question mark says that it is one.
_LONGEST_KEY = 1000

# What JSON leaves as it is, but YAML does not read back: control characters, line separators, byte order marks.
# And what makes an editor show another text than stands there: marks of direction, characters without a width.
_ESCAPED = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)

# What Ansible would take for a template.
_TEMPLATE = re.compile(r"\{\{|\{%|\{#")


# Where the schema of a variables file is, which editors read; the file is docs/variables.schema.json. It is the newest
# one, so that a later version of the collection does not change a file that it writes anew.
SCHEMA = "https://github.com/edgeops/edges/raw/main/docs/variables.schema.json"
_MODELINE = "# yaml-language-server: $schema=%s\n" % SCHEMA


class Comment(t.NamedTuple):
    """A value of a dict that is written as a comment, so that nobody reads it, with the reasons for that."""

    reasons: list[str]
    value: t.Any


def dump_yaml(variables: dict[str, t.Any]) -> str:
    """Return a dict of variables as the text of a file that Ansible reads back as just that.

    A file with variables of the role names their schema, so that editors complete and check it.

    :param variables: what JSON can hold, with text as keys; as values of a dict, but for its first one, comments too.
    """
    modeline = _MODELINE if any(name.startswith("provision_") for name in variables) else ""
    return "---\n" + modeline + "".join(line + "\n" for line in _lines(variables))


def _lines(node: t.Any) -> t.Iterator[str]:
    """Yield the lines of a dict or list that is not empty."""
    items = node.items() if isinstance(node, dict) else ((None, child) for child in node)
    for key, child in items:
        head = "- " if key is None else _text(key) + ":"
        if len(head) > _LONGEST_KEY:
            yield "? " + head[:-1]
            head = ":"
        if isinstance(child, Comment):
            yield from ("# " + shorten(reason, 1000) for reason in child.reasons)
            yield from ("# " + line for line in _lines({key: child.value}))
        elif not isinstance(child, (dict, list)) or not child:
            yield "%s%s" % (head, _scalar(child)) if key is None else "%s %s" % (head, _scalar(child))
        elif key is None:
            first, *rest = _lines(child)
            yield head + first
            yield from ("  " + line for line in rest)
        else:
            yield head
            yield from ("  " + line for line in _lines(child))


def _scalar(value: t.Any) -> str:
    if isinstance(value, str):
        return ("!unsafe " if _TEMPLATE.search(value) else "") + _text(value, plain=not _TEMPLATE.search(value))
    if isinstance(value, float) and "e" in repr(value) and "." not in repr(value):
        return repr(value).replace("e", ".0e")  # YAML 1.1 takes 1e+16 for text
    return json.dumps(value)


def _text(value: str, plain: bool = True) -> str:
    if plain and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return _ESCAPED.sub(lambda match: "\\u%04x" % ord(match.group()), json.dumps(value, ensure_ascii=False))
