# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Traffic policy documents: parse, check, compare, mask. Private to this collection.

Source: edge-api.md, section 2, HTTPS Edge Route Traffic Policy Module (shape and normalisation).
"""

from __future__ import annotations

import json
import math
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _masks
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, Rule
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, SecretNames
from ansible_collections.edgeops.edges.plugins.module_utils._text import (
    kind_but_string,
    kind_of,
    looks_like,
    place,
    shorten,
)

# Deeper than any policy that means something, and shallow enough for every recursion, ours and Ansible's.
MAX_DEPTH = 100


class PolicyError(ValueError):
    """The document cannot be used; the text names the place."""


class _Repeated(dict):
    """An object in which a key stood twice: JSON parsers disagree about what it says."""

    key = ""


def _object(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated = _Repeated(found)
    seen: set[str] = set()
    for key, dummy in pairs:
        if key in seen:
            repeated.key = key
            break
        seen.add(key)
    return repeated


def _named(path: tuple | None, top: str) -> str:
    """Return the name of the place that a linked path (parent, key) leads to."""
    keys = []
    while path is not None:
        path, key = path
        keys.append(key)
    name = top
    for key in reversed(keys):
        name = place(name, key)
    return name


def _check_values(document: t.Any, top: str) -> None:
    """Refuse what JSON text cannot say for sure: without recursion, since the depth is not known yet."""
    todo: list[tuple[t.Any, tuple | None, int]] = [(document, None, 1)]
    while todo:
        node, path, depth = todo.pop()
        if isinstance(node, (dict, list)):
            if depth > MAX_DEPTH:
                raise PolicyError("%s is nested more than %d levels deep" % (top, MAX_DEPTH))
            if isinstance(node, _Repeated):
                key = shorten(json.dumps(node.key), 80)
                raise PolicyError("%s contains the key %s twice: leave one of them out" % (_named(path, top), key))
            items: t.Iterable = node.items() if isinstance(node, dict) else enumerate(node)
            for key, child in items:
                if isinstance(key, str):
                    _check_text(key, (path, key), top)
                todo.append((child, (path, key), depth + 1))
        elif isinstance(node, float) and not math.isfinite(node):
            raise PolicyError("%s is not a finite number: JSON has no NaN and no infinity" % _named(path, top))
        elif isinstance(node, str):
            _check_text(node, path, top)


def _check_text(text: str, path: tuple | None, top: str) -> None:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise PolicyError("%s contains half a surrogate pair, which is no character" % _named(path, top))


def parse(value: t.Any, top: str = "value") -> dict[str, t.Any]:
    """Return the document that `value` holds: a dict, or text with a JSON object.

    :raises PolicyError: it is neither, repeats a key, holds what is not JSON, or is nested too deep.
    """
    document = value
    if isinstance(value, str):
        document = _decode(value, top)
        if isinstance(document, str):
            raise PolicyError(
                "%s is still a string after decoding, so it looks encoded twice: leave out one to_json" % top
            )
    if not isinstance(document, dict):
        raise PolicyError("%s must be a JSON object, as a dict or as a string, not %s" % (top, kind_of(document)))
    _check_values(document, top)
    return document


def _decode(text: str, top: str) -> t.Any:
    if not text.strip():
        raise PolicyError("%s must not be blank" % top)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise PolicyError("%s is nested more than %d levels deep" % (top, MAX_DEPTH)) from None
    except json.JSONDecodeError as exc:
        raise PolicyError(
            "%s is not valid JSON: %s at line %d, column %d%s" % (top, exc.msg, exc.lineno, exc.colno, looks_like(text))
        ) from None
    except ValueError:
        raise PolicyError("%s contains a number with too many digits" % top) from None


def shape_faults(document: dict[str, t.Any], top: str = "value") -> t.Iterator[str]:
    """Yield what contradicts the shape that the API page shows; what it does not show passes."""
    for direction in ("inbound", "outbound"):
        yield from _wrong_items(document, direction, top, dict)
        for rule_place, rule in _items(document, direction, top, dict):
            yield from _wrong(rule, "name", rule_place, str)
            yield from _wrong_items(rule, "expressions", rule_place, str)
            yield from _wrong_items(rule, "actions", rule_place, dict)
            for action_place, action in _items(rule, "actions", rule_place, dict):
                yield from _wrong(action, "type", action_place, str)
                yield from _wrong(action, "config", action_place, dict)


_NAMES: dict[type, str] = {str: "a string", list: "a list", dict: "a dict"}


def _found(kind: type, value: t.Any) -> str:
    return kind_but_string(value) if kind is str else kind_of(value)


def _wrong(parent: dict[str, t.Any], key: str, parent_place: str, kind: type) -> t.Iterator[str]:
    if key in parent and not isinstance(parent[key], kind) and parent[key] != MASK:
        yield "%s must be %s, not %s" % (place(parent_place, key), _NAMES[kind], _found(kind, parent[key]))


def _wrong_items(parent: dict[str, t.Any], key: str, parent_place: str, kind: type) -> t.Iterator[str]:
    yield from _wrong(parent, key, parent_place, list)
    items = parent.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, kind) and item != MASK:
            where = place(place(parent_place, key), index)
            yield "%s must be %s, not %s" % (where, _NAMES[kind], _found(kind, item))


def _items(parent: dict[str, t.Any], key: str, parent_place: str, kind: type) -> t.Iterator[tuple[str, t.Any]]:
    """Yield the items of a list that have the right type, each with its place."""
    items = parent.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, kind):
            yield place(place(parent_place, key), index), item


def without_nulls(document: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return a document of the service's in which null stands nowhere in the place of what the API page shows.

    Services write null for what is missing; given back it would be refused.
    """
    found = _without_null(document, ("inbound", "outbound"))
    for direction in ("inbound", "outbound"):
        if isinstance(found.get(direction), list):
            found[direction] = [_rule_without_nulls(rule) for rule in found[direction]]
    return found


def _rule_without_nulls(rule: t.Any) -> t.Any:
    found = _without_null(rule, ("name", "expressions", "actions"))
    if isinstance(found, dict) and isinstance(found.get("actions"), list):
        found["actions"] = [_without_null(action, ("type", "config")) for action in found["actions"]]
    return found


def _without_null(node: t.Any, names: tuple[str, ...]) -> t.Any:
    if not isinstance(node, dict):
        return node
    return {key: child for key, child in node.items() if child is not None or key not in names}


def canonical(node: t.Any) -> t.Any:
    """Return the document with 1.0 as 1, so that equal documents have equal JSON text once keys are sorted."""
    if isinstance(node, dict):
        return {key: canonical(child) for key, child in node.items()}
    if isinstance(node, list):
        return [canonical(child) for child in node]
    if isinstance(node, float) and node.is_integer():
        return int(node)
    return node


def encode(document: dict[str, t.Any]) -> str:
    """Return the text that is sent: compact, keys in the order given."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


class Policy(Rule):
    """A traffic policy: a document, carried as text that holds JSON; equal when it is the same JSON.

    Text of the service's that holds no JSON object stays text, and so differs from anything that can be asked for.
    """

    holds_secrets = True
    secret_options = ("secret_headers", "secret_keys")

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        try:
            document = parse(option, where)
        except PolicyError as exc:
            yield str(exc)
        else:
            yield from shape_faults(document, where)
            yield from _masks.faults(document, where)

    def parse(self, option: t.Any) -> t.Any:
        return parse(option)

    def keep(self, wanted: t.Any, current: t.Any, where: str) -> t.Any:
        try:
            return _masks.keep(wanted, current, where)
        except _masks.NothingToKeepError as exc:
            raise MaskedError(str(exc)) from None

    def send(self, value: t.Any) -> t.Any:
        return encode(value) if isinstance(value, dict) else value

    def read(self, field: t.Any) -> t.Any:
        text = super().read(field)
        try:
            return without_nulls(parse(text))
        except PolicyError:
            return text

    def canonical(self, value: t.Any) -> t.Any:
        return canonical(value)

    def secret_values(self, value: t.Any, secret_names: SecretNames) -> set[str]:
        return set(_masks.secret_texts(value, secret_names))

    def mask(self, value: t.Any, secret_names: SecretNames) -> t.Any:
        # Text is what cannot be read as a policy: nothing says for sure where in it a value begins and ends.
        return secret_names.hide_in_document(value) if isinstance(value, str) else _masks.mask(value, secret_names)

    def mask_option(self, option: t.Any, secret_names: SecretNames) -> t.Any:
        try:
            document = parse(option)
        except PolicyError:
            return MASK
        return MASK if secret_names.everything else self._masked(option, document, secret_names)

    def mask_answer(self, field: t.Any, secret_names: SecretNames) -> t.Any:
        value = self.read(field)
        return self._masked(field, value, secret_names) if isinstance(value, dict) else self.mask(value, secret_names)

    def _masked(self, field: t.Any, document: dict[str, t.Any], secret_names: SecretNames) -> t.Any:
        """Return an option or answer with its secrets masked: as it stands where there are none, else as it is sent."""
        masked = self.mask(document, secret_names)
        if masked == document:
            return field
        return self.send(masked) if isinstance(field, str) else masked

    def mask_diff(self, before: t.Any, after: t.Any, secret_names: SecretNames) -> tuple[t.Any, t.Any]:
        return self.mask(before, secret_names), _masks.mask_after(before, after, secret_names)
