# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about one edge module: a pure function of what is wanted and what is there. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, WrongTypeError, same
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames

NONE = "none"
REPLACE = "replace"
DELETE = "delete"

# The value of every field, by its name; None where the edge module is not set.
Values = t.Optional[dict[str, t.Any]]


class AnswerError(EdgeError):
    """An object that the service answered has a field of the wrong type."""


class PlanError(EdgeError):
    """What is wanted cannot be had with what is there."""


class Plan(t.NamedTuple):
    """What to do, and what is there before and after it.

    `wanted` holds the fields that the task names, `current` what the service holds, `values` what a PUT sends; `before`
    and `after` are the last two in the form in which they are compared.
    """

    description: Description
    operation: str
    wanted: Values
    current: Values
    values: Values
    before: Values
    after: Values

    @property
    def changed(self) -> bool:
        return self.operation != NONE

    def body(self) -> dict[str, t.Any]:
        """Return what a PUT carries: the whole configuration, every field named."""
        values = self.values or {}
        return {each.name: each.rule.send(values[each.name]) for each in self.description.fields}

    def prediction(self, base_url: str, answer: Values) -> dict[str, t.Any]:
        """Return the configuration as the service would answer the PUT; `answer` is its present one."""
        values, known = self.values or {}, answer or {}
        return {
            each.answer_key: each.rule.answer(values[each.name], base_url, known.get(each.answer_key))
            for each in self.description.fields
        }

    def differing(self, held: dict[str, t.Any]) -> list[str]:
        """Return the fields in which what the service holds after the PUT differs from what was asked of it.

        An empty field that the task does not name asks for nothing: the service may fill in its default.
        """
        asked, wanted = self.values or {}, self.wanted or {}
        left, right = self.after or {}, canonical(self.description, held)
        return [
            each.name
            for each in self.description.fields
            if not same(left[each.name], right[each.name])
            and (each.name in wanted or asked[each.name] != each.rule.empty)
        ]

    def shown(self, secret_names: SecretNames) -> tuple[Values, Values]:
        """Return what is there before and after as people see it, secrets masked.

        Fields that are equal by the comparison do not differ here, however they are written.
        """
        before: Values = None if self.current is None else {}
        after: Values = None if self.values is None else {}
        for each in self.description.fields:
            name, rule = each.name, each.rule
            wanted = (self.wanted or {}).get(name)
            old = rule.shown(self.current[name], wanted) if self.current is not None else None
            if self.before is not None and self.after is not None and same(self.before[name], self.after[name]):
                new = old
            else:
                new = rule.shown(self.values[name], wanted) if self.values is not None else None
            if rule.secret_options:
                old, new = rule.mask_diff(old, new, secret_names)
            if before is not None:
                before[name] = old
            if after is not None:
                after[name] = new
        return before, after


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
    """Return the values in the form in which they are compared."""
    return {each.name: each.rule.canonical(values[each.name]) for each in description.fields}


def make_plan(description: Description, wanted: Values, current: Values) -> Plan:
    """Decide what to do.

    :param wanted: the value of every field that the task names; None for a module that is to be absent.
    :param current: the value of every field as read from the service; None where it is not set.
    :raises PlanError: a masked value has nothing to keep, or a kept field contradicts a named one.
    """
    before = None if current is None else canonical(description, current)
    if wanted is None:
        return Plan(description, NONE if current is None else DELETE, None, current, None, before, None)

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
            return Plan(description, NONE, wanted, current, current, before, before)
        for name, message in description.conflicts(values):
            raise PlanError("%s %s. What a task leaves out keeps the service's value: name both" % (name, message))
    return Plan(description, REPLACE, wanted, current, values, before, after)
