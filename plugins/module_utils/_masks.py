# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets within a document of JSON: masked, marked where they change, kept where a mask is given back.

Private to this collection. Which names are secret says _secrets.py. Here is where they count: within headers, that is
below a key that speaks of headers and in an action whose type speaks of headers, those of headers do; everywhere those
of keys. The name may also stand beside its value, as in {"name": "Authorization", "value": "..."}.
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames, plain
from ansible_collections.edgeops.edges.plugins.module_utils._text import place

# Keys that hold the name of a header or parameter, and ends of the keys that hold its value.
_NAMES = ("name", "key", "header", "header-name")
_VALUES = ("value", "values")

_HEADER_LINE = re.compile(r"^\s*([^\s:=]{1,200})\s*[:=]", re.MULTILINE)

# A key that tells nothing, other than one such as user:password.
_WORD = re.compile("[A-Za-z_ -]*")

Key = t.Union[str, int]

_NOTHING = object()


class NothingToKeepError(ValueError):
    """A mask was given back, and it is not clear which value it keeps; the text says for what and why."""


class _Place(t.NamedTuple):
    """Where in a document a dict or list stands."""

    in_headers: bool = False
    in_list: bool = False

    def below(self, node: t.Any, key: Key) -> _Place:
        in_headers = self.in_headers
        if isinstance(node, dict) and not in_headers:
            kind = node.get("type")
            in_headers = _speaks_of_headers(key) or (isinstance(kind, str) and "header" in kind.lower())
        return _Place(in_headers, isinstance(node, list))


_TOP = _Place()


def _speaks_of_headers(key: Key) -> bool:
    return isinstance(key, str) and "header" in plain(key)


def _items(node: dict | list) -> t.Iterable[tuple[Key, t.Any]]:
    return node.items() if isinstance(node, dict) else enumerate(node)


def _secret_keys(node: dict | list, names: SecretNames, where: _Place) -> set[Key]:
    """Return the keys or indexes under which a secret stands in a dict or list."""
    if isinstance(node, dict):
        found = {key for key in node if names.has_key(key) or (where.in_headers and key in names)}
        found.update(
            key
            for key, child in node.items()
            if isinstance(child, str) and _speaks_of_headers(key) and _is_secret_line(child, names)
        )
        if _names_a_secret(node, names, where):
            found.update(key for key in node if plain(key).endswith(_VALUES))
        return found
    if not where.in_headers:
        return set()
    if where.in_list and len(node) == 2 and isinstance(node[0], str) and node[0] in names:
        return {1}
    return {index for index, child in enumerate(node) if isinstance(child, str) and _is_secret_line(child, names)}


def _names_a_secret(node: dict, names: SecretNames, where: _Place) -> bool:
    for key, name in node.items():
        if isinstance(name, str) and plain(key) in _NAMES:
            if names.has_key(name) or ((where.in_headers or _speaks_of_headers(key)) and name in names):
                return True
    return False


def _is_secret_line(text: str, names: SecretNames) -> bool:
    """Whether a text holds a header as it is sent, such as `Authorization: ...`, whose value is secret."""
    return any(match.group(1) in names for match in _HEADER_LINE.finditer(text))


def mask(node: t.Any, names: SecretNames, where: _Place = _TOP) -> t.Any:
    """Return a document with every secret in it replaced by the mask."""
    if not isinstance(node, (dict, list)):
        return node
    hidden = _secret_keys(node, names, where)
    shown = {key: MASK if key in hidden else mask(child, names, where.below(node, key)) for key, child in _items(node)}
    return shown if isinstance(node, dict) else list(shown.values())


def secret_texts(node: t.Any, names: SecretNames, where: _Place = _TOP, below_secret: bool = False) -> t.Iterator[str]:
    """Yield the secrets of a document: texts, numbers as text, and what is a key but no word."""
    if isinstance(node, (dict, list)):
        hidden = _secret_keys(node, names, where)
        for key, child in _items(node):
            if below_secret and isinstance(key, str) and not _WORD.fullmatch(key):
                yield key
            yield from secret_texts(child, names, where.below(node, key), below_secret or key in hidden)
    elif below_secret and node is not None and not isinstance(node, bool):
        yield str(node)


def mask_after(before: t.Any, after: t.Any, names: SecretNames, where: _Place = _TOP) -> t.Any:
    """Return a document with its secrets masked; those that were others before are marked as changed."""
    masked = mask(after, names, where)
    if masked == after:
        return after  # no secret in it
    if isinstance(before, dict) and isinstance(after, dict):
        old_hidden, hidden = _secret_keys(before, names, where), _secret_keys(after, names, where)
        return {
            key: _mark(before, key, child, old_hidden)
            if key in hidden
            else mask_after(before.get(key), child, names, where.below(after, key))
            for key, child in after.items()
        }
    if isinstance(before, list) and isinstance(after, list):
        old_hidden, hidden = _secret_keys(before, names, where), _secret_keys(after, names, where)
        partners = _partners(before, after, mask(before, names, where), masked)
        return [
            _mark(before, partners.get(index), child, old_hidden)
            if index in hidden
            else mask_after(before[partners[index]], child, names, where.below(after, index))
            if index in partners
            else masked[index]
            for index, child in enumerate(after)
        ]
    return masked


def _mark(before: t.Any, key: t.Any, after: t.Any, hidden: set[Key]) -> str:
    """Return the mask of a secret; `key` is where it stood before, if it did."""
    return CHANGED_MASK if key in hidden and _text(before[key]) != _text(after) else MASK


def _text(node: t.Any) -> str:
    return json.dumps(node, sort_keys=True)


def _partners(before: list, after: list, masked_before: list, masked_after: list) -> dict[int, int]:
    """Return which item of a list was which one before: by their indexes, the new ones without a partner.

    Items that are the same go together; then those that are the same apart from secrets; then those of the same name
    and type; and what is left where it is equally much on both sides.
    """
    if len(before) == len(after) and masked_before == masked_after:
        # What differs are secrets alone: each is compared with the one at its place, or an exchange would not show.
        return {index: index for index in range(len(after))}
    left, waiting = list(range(len(before))), list(range(len(after)))
    partners: dict[int, int] = {}
    for old_forms, new_forms in (
        (map(_text, before), map(_text, after)),
        (map(_text, masked_before), map(_text, masked_after)),
        (map(_title, before), map(_title, after)),
    ):
        old_form, new_form = list(old_forms), list(new_forms)
        by_form: dict[t.Any, list[int]] = {}
        for index in reversed(left):
            by_form.setdefault(old_form[index], []).append(index)
        for index in waiting:
            if new_form[index] is not None and by_form.get(new_form[index]):
                partners[index] = by_form[new_form[index]].pop()
        taken = set(partners.values())
        left = [index for index in left if index not in taken]
        waiting = [index for index in waiting if index not in partners]
    if len(left) == len(waiting):
        partners.update(zip(waiting, left))
    return partners


def _title(node: t.Any) -> str | None:
    titles = [node.get("name"), node.get("type")] if isinstance(node, dict) else []
    return _text(titles) if all(isinstance(title, (str, type(None))) for title in titles) and any(titles) else None


def keep(wanted: t.Any, held: t.Any, where: str) -> t.Any:
    """Return a document with what the service holds in place of its masks.

    In an object it is what stands under the same key; in a list what stands in the one item that is equal apart from
    masks. A list that is equal as a whole, apart from masks, was not edited: each item keeps its own.

    :raises NothingToKeepError: there is no such value, or several items fit.
    """
    if _is_mask(wanted):
        if held is _NOTHING:
            raise NothingToKeepError(nothing_to_keep(where))
        return held
    if not holds_mask(wanted):
        return wanted
    if isinstance(wanted, dict):
        held_at = held if isinstance(held, dict) else {}
        return {key: keep(child, held_at.get(key, _NOTHING), place(where, key)) for key, child in wanted.items()}
    items = held if isinstance(held, list) else []
    if _fits(wanted, items):
        return [keep(child, items[index], place(where, index)) for index, child in enumerate(wanted)]
    by_title: dict[str | None, list] = {}
    for item in items:
        by_title.setdefault(_title(item), []).append(item)
    return [_keep_item(child, items, by_title, place(where, index)) for index, child in enumerate(wanted)]


def _keep_item(wanted: t.Any, held: list, by_title: dict[str | None, list], where: str) -> t.Any:
    if not holds_mask(wanted):
        return wanted
    title = _title(wanted)
    # Only to look at fewer of them, where there are thousands.
    candidates = held if title is None or MASK in title else by_title.get(title, ())
    fitting = [item for item in candidates if _fits(wanted, item)]
    if len(fitting) == 1:
        return keep(wanted, fitting[0], where)
    if fitting:
        reason = "%d items of the service's list are equal to %s apart from masks" % (len(fitting), where)
    else:
        reason = "the service holds none for it, since no item of its list is equal to %s apart from masks" % where
    raise NothingToKeepError(nothing_to_keep(_first_mask(wanted, where), reason))


def _is_mask(node: t.Any) -> bool:
    return isinstance(node, str) and node == MASK


def holds_mask(node: t.Any) -> bool:
    """Return whether a mask stands anywhere in a document, be it within another text."""
    if isinstance(node, str):
        return MASK in node
    return isinstance(node, (dict, list)) and any(holds_mask(child) for dummy, child in _items(node))


def _first_mask(node: t.Any, where: str) -> str:
    """Return the place of the first mask in a document that holds one."""
    while not isinstance(node, str):
        key, node = next((key, child) for key, child in _items(node) if holds_mask(child))
        where = place(where, key)
    return where


def _fits(wanted: t.Any, held: t.Any) -> bool:
    """Return whether a document is equal to what the service holds, apart from masks."""
    if _is_mask(wanted):
        return True
    if isinstance(wanted, dict):
        if not isinstance(held, dict) or wanted.keys() != held.keys():
            return False
        return all(_fits(child, held[key]) for key, child in wanted.items())
    if isinstance(wanted, list):
        return isinstance(held, list) and len(wanted) == len(held) and all(map(_fits, wanted, held))
    return isinstance(wanted, bool) == isinstance(held, bool) and wanted == held


def faults(node: t.Any, where: str) -> t.Iterator[str]:
    """Yield where a document holds a mask that is no mask any more: that of a diff, or one within another text."""
    if isinstance(node, str):
        yield from mask_faults(node, where)
    elif holds_mask(node):
        for key, child in _items(node):
            yield from faults(child, place(where, key))


def nothing_to_keep(where: str, reason: str = "the service holds none for it") -> str:
    """Return what is wrong with a mask that was given back where there is no value for it to keep."""
    return "%s is the mask that keeps a value, but %s: write the value" % (where, reason)


def mask_faults(text: str, where: str) -> t.Iterator[str]:
    if text == CHANGED_MASK:
        yield "%s is the mark of a diff, not a value: to keep the service's value, give %s" % (where, MASK)
    elif MASK in text and text != MASK:
        yield "%s contains a mask within other text: to keep the service's value, give the mask alone" % where
