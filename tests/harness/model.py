# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task should do, judged from the documentation alone: no line here comes from the collection.

A configuration is a dict of options with every field in it (`Held`); None stands for one that is not set. What the
fields of an edge module are, and how they are compared, is in tests/facts.py.
"""

from __future__ import annotations

import json
import typing as t

import facts
from harness import policy_secrets

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
CHANGED_MASK = MASK + " (changed)"

Held = dict[str, t.Any]

MODULES = tuple(facts.MODULES)

is_secret = policy_secrets.is_secret_header


def _headers(module: str) -> list[str]:
    """The fields of a module that hold headers with their values."""
    return [field.name for field in facts.of(module).fields if field.compare is facts.as_headers]


def forms(module: str, held: Held | None) -> Held | None:
    """A configuration, or some of its fields, in the form in which equal ones are equal."""
    if held is None:
        return None
    fields = {field.name: field for field in facts.of(module).fields}
    return {name: fields[name].form(value) if name in fields else value for name, value in held.items()}


def from_answer(module: str, answer: dict | None) -> Held | None:
    """What an answer of the service says, as options; a field that is missing or null is an empty one."""
    if answer is None:
        return None
    fields = {field.answer_key: field for field in facts.of(module).fields}
    # What no answer should hold stays, so that no comparison overlooks it.
    held = {name: value for name, value in answer.items() if name not in fields}
    held["enabled"] = answer.get("enabled") is not False
    for key, field in fields.items():
        value = answer.get(key)
        if value is None:
            value = field.empty
        elif field.collection:
            value = [ref["id"] for ref in value] if isinstance(value, list) else value["id"]
        held[field.name] = value
    return held


def comparable(module: str, answer: dict | None) -> Held | None:
    """An answer of the service in the form in which equal ones are equal."""
    return forms(module, from_answer(module, answer))


def masked(module: str, held: Held | None, named: t.Iterable[str] = (), keys: t.Iterable[str] = ()) -> Held | None:
    """The same with secret fields, the values of secret headers, and the secrets of a policy, as they may be shown."""
    if held is None:
        return None
    shown = dict(held)
    for field in set(_headers(module)) & set(held):
        shown[field] = {
            name: MASK if is_secret(name, named) or value == CHANGED_MASK else value
            for name, value in held[field].items()
        }
    for field in facts.of(module).fields:
        if field.compare is facts.as_json and held.get(field.name) is not None:
            shown[field.name] = policy_secrets.masked(_document(held[field.name]), named, keys)
        if field.secret and held.get(field.name) is not None:
            shown[field.name] = MASK
    return shown


def _document(value: t.Any) -> t.Any:
    return json.loads(value) if isinstance(value, str) else value


class Refused(Exception):
    """The task has to fail, and to change nothing."""


def named_fields(module: str, options: dict) -> Held:
    """The fields that a task names, as values: `enabled` it always names."""
    found: Held = {"enabled": True if options.get("enabled") is None else options["enabled"]}
    for field in facts.of(module).fields:
        if options.get(field.name) is not None:
            found[field.name] = options[field.name]
    for name in set(_headers(module)) & set(found):
        found[name] = {header: str(value) for header, value in found[name].items()}
    return found


def outcome(module: str, options: dict, held: Held | None) -> tuple[str, Held | None]:
    """What a task does, and what the service holds then: `held` is what GET gives before.

    :raises Refused: it has to fail.
    """
    if options.get("state") == "absent":
        return ("none", None) if held is None else ("delete", None)
    named = named_fields(module, options)
    after: Held = {"enabled": named["enabled"]}
    for field in facts.of(module).fields:
        current = field.empty if held is None else held[field.name]
        value = named.get(field.name, current)
        if field.compare is facts.as_headers:
            value = _kept(value, current, field.name in named)
        if field.compare is facts.as_json and MASK in json.dumps(value):
            try:
                value = policy_secrets.kept(_document(value), _document(current))
            except policy_secrets.NothingToKeep:
                raise Refused("nothing to keep") from None
        if field.secret and value == MASK:
            if current is None:
                raise Refused(field.name)
            value = current
        if field.null_where and after[field.null_where[0]] == field.null_where[1]:
            value = None
        after[field.name] = value
    before, then = forms(module, held), forms(module, after)
    if held is not None and all(before[field] == then[field] for field in named):
        return "none", held
    if held is not None:
        _refuse_contradictions(module, after)
    return "replace", after


def filled_in(module: str, held: Held | None, service: t.Any) -> Held | None:
    """What a GET gives after this was sent: the service, with these options, may fill in what may be null."""
    if held is None:
        return None
    found = dict(held)
    for field in facts.of(module).fields:
        must_be_null = field.null_where and held[field.null_where[0]] == field.null_where[1]
        if field.service_default and held[field.name] is None and not must_be_null:
            found[field.name] = getattr(service, field.service_default)
    return found


def held_by(sim: t.Any, module: str, path: str) -> Held | None:
    """What a GET of the simulator gives, by its own state."""
    return filled_in(module, sim.resources.get(path), sim.options)


def _kept(headers: dict[str, str], current: dict[str, str], are_named: bool) -> dict[str, str]:
    """The headers with masks replaced by the values that they stand for."""
    values = {name.lower(): text for name, text in current.items()}
    for name, text in headers.items():
        if text == MASK and name.lower() not in values:
            raise Refused(name)
    if not are_named:
        return headers
    return {name: values[name.lower()] if text == MASK else text for name, text in headers.items()}


def _refuse_contradictions(module: str, after: Held) -> None:
    """No header can be added and removed."""
    added, removed = set(), set()
    for field in facts.of(module).fields:
        if field.compare is facts.as_headers:
            added |= {name.lower() for name in after[field.name]}
        if field.compare is facts.as_header_names:
            removed |= {name.lower() for name in after[field.name]}
    if added & removed:
        raise Refused("a name in both")
