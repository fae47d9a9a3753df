# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about one edge module: a pure function of what is wanted and what is there. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._compare import MaskedError, WrongTypeError, same
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError

NONE = "none"
REPLACE = "replace"
DELETE = "delete"


class AnswerError(EdgeError):
    """An object that the service answered has a field of the wrong type."""


class PlanError(EdgeError):
    """What is wanted cannot be had with what is there."""


class Plan(t.NamedTuple):
    """C(before) and C(after) are canonical, None for not set; C(values) is what to send, field by field."""

    operation: str
    before: dict[str, t.Any] | None
    after: dict[str, t.Any] | None
    values: dict[str, t.Any] | None = None


def read(description: Description, answer: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the value of every field of an object that the service answered.

    :raises AnswerError: a field has the wrong type.
    """
    values = {}
    for each in description.fields:
        try:
            values[each.name] = each.rule.read(answer.get(each.answer_key))
        except WrongTypeError as exc:
            raise AnswerError("its %s has the wrong type: %s" % (each.answer_key, exc)) from None
    return values


def canonical(description: Description, values: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the values in the form in which they are compared and shown."""
    return {each.name: each.rule.canonical(values[each.name]) for each in description.fields}


def make_plan(description: Description, wanted: dict[str, t.Any] | None, current: dict[str, t.Any] | None) -> Plan:
    """Decide what to do.

    :param wanted: the value of every field that the task names; None for a module that is to be absent.
    :param current: the value of every field as read from the service; None where it is not set.
    :raises PlanError: a masked value has nothing to keep, or a kept field contradicts a named one.
    """
    before = None if current is None else canonical(description, current)
    if wanted is None:
        return Plan(NONE if current is None else DELETE, before, None)

    values: dict[str, t.Any] = {}
    for each in description.fields:
        held = each.rule.empty if current is None else current[each.name]
        if each.null_where and values.get(each.null_where[0]) == each.null_where[1]:
            values[each.name] = None
        elif each.name not in wanted:
            values[each.name] = held
        else:
            try:
                values[each.name] = each.rule.keep(wanted[each.name], held, each.name)
            except MaskedError as exc:
                raise PlanError(str(exc)) from None

    after = canonical(description, values)
    if before is not None:
        if all(same(before[name], after[name]) for name in wanted):
            return Plan(NONE, before, before)
        for name, message in description.conflicts(values):
            raise PlanError(
                "%s: %s; what a task leaves out keeps the service's value: name both" % (name, message)
            )
        # Fields that are equal by the comparison do not stand in the diff, however they are written.
        after = {name: before[name] if same(before[name], value) else value for name, value in after.items()}
    return Plan(REPLACE, before, after, values)


def body_of(description: Description, values: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return what a PUT carries: the whole configuration, every field named."""
    return {each.name: each.rule.send(values[each.name]) for each in description.fields}


def predict(
    description: Description, values: dict[str, t.Any], base_url: str, answer: dict[str, t.Any] | None
) -> dict[str, t.Any]:
    """Return the configuration as the service would answer a PUT of the values; C(answer) is its present one."""
    known = answer or {}
    return {
        each.answer_key: each.rule.answer(values[each.name], base_url, known.get(each.answer_key))
        for each in description.fields
    }


def differing(
    description: Description, asked: dict[str, t.Any], wanted: t.Iterable[str], held: dict[str, t.Any]
) -> list[str]:
    """Return the fields in which what the service holds differs from what was asked of it.

    An empty field that the task does not name asks for nothing: the service may fill in its default.
    """
    left, right = canonical(description, asked), canonical(description, held)
    named = frozenset(wanted)
    return [
        each.name
        for each in description.fields
        if not same(left[each.name], right[each.name]) and (each.name in named or asked[each.name] != each.rule.empty)
    ]
