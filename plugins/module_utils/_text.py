# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text that people read: diffs, messages, and what they quote. Private to this collection."""

from __future__ import annotations

import json
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
    if text.isascii() and text.isprintable():
        return text
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


def place(parent: str, key: str | int) -> str:
    """Return the name of a place within `parent`: `parent.key`, or `parent[3]` for an index."""
    if isinstance(key, int):
        return "%s[%d]" % (parent, key)
    key = shorten(key, 80)
    return "%s.%s" % (parent, key) if parent else key


def join_faults(faults: t.Iterable[str], most: int = 20) -> str:
    """Return the faults as one message, the ones beyond `most` counted only."""
    faults = list(faults)
    text = "; ".join(faults[:most])
    if len(faults) > most:
        text += "; and %d more" % (len(faults) - most)
    return text
