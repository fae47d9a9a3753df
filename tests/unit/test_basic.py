# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of plain values, of ids, flags and versions: what they refuse, and how they turn one form into another."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import (
    DottedNumber,
    Flag,
    Reference,
    References,
    Rule,
    WrongTypeError,
)

REFERENCE, REFERENCES = Reference("backends", "b_"), References("policies", "p_")
NO_VERSION = "x must be a dotted number such as 1.3, or default, not %s"
BLANK = "%s must not be blank or contain white space"

# rule, option, its faults
FAULTS = {
    "text": (Rule(), "a", []),
    "blank text": (Rule(), "", [BLANK % "x"]),
    "white text": (Rule(), " ", [BLANK % "x"]),
    "two words": (Rule(), "a\u2003b", [BLANK % "x"]),
    "a number": (Rule(int), 0, []),
    "a flag": (Flag(), False, []),
    "a version": (DottedNumber(), "1.2", []),
    "a long version": (DottedNumber(), "10.0.20.3", []),
    "one number": (DottedNumber(), "1", ['x must be a dotted number such as 1.3, or default, not "1"']),
    "a dot at the end": (DottedNumber(), "1.", ['x must be a dotted number such as 1.3, or default, not "1."']),
    "a line break": (DottedNumber(), "1.2\n", ['x must be a dotted number such as 1.3, or default, not "1.2\\n"']),
    "other digits": (DottedNumber(), "\u0661.\u0662", [NO_VERSION % '"\\u0661.\\u0662"']),
    "a long text": (DottedNumber(), "a" * 90, [NO_VERSION % ('"%s...' % ("a" * 76))]),
    "an id": (REFERENCE, "é/", []),
    "a blank id": (REFERENCE, "\t", [BLANK % "x"]),
    "ids": (REFERENCES, ["a", "a"], []),
    "blank ids": (REFERENCES, ["", "a", " b"], [BLANK % "x[0]", BLANK % "x[2]"]),
}


@pytest.mark.parametrize("rule, option, found", FAULTS.values(), ids=list(FAULTS))
def test_faults(rule, option, found):
    assert list(rule.faults(option, "x")) == found


# rule, option, the value wanted
PARSED = {
    "text": (Rule(), "a", "a"),
    "a flag": (Flag(), False, False),
    "ids": (REFERENCES, ["b", "a", "b"], ["b", "a"]),
}


@pytest.mark.parametrize("rule, option, value", PARSED.values(), ids=list(PARSED))
def test_parse(rule, option, value):
    assert rule.parse(option) == value


# rule, an answer's field, its value
READ = {
    "text": (Rule(), "a", "a"),
    "nothing": (Rule(), None, None),
    "no flag": (Flag(), None, True),
    "a flag": (Flag(), False, False),
    "an id": (REFERENCE, {"id": "a", "uri": "u"}, "a"),
    "no id": (REFERENCE, None, None),
    "a reference without id": (REFERENCE, {}, None),
    "a reference with a blank id": (REFERENCE, {"id": ""}, None),
    "ids": (REFERENCES, [{"id": "b"}, {"id": "a"}], ["b", "a"]),
    "no ids": (REFERENCES, None, []),
}


@pytest.mark.parametrize("rule, field, value", READ.values(), ids=list(READ))
def test_read(rule, field, value):
    assert rule.read(field) == value


# rule, an answer's field, the type that it has
WRONG = {
    "number for text": (Rule(), 1, "a number"),
    "text for a number": (Rule(int), "1", "a string"),
    "flag for a number": (Rule(int), True, "a boolean"),
    "text for a flag": (Flag(), "true", "a string"),
    "text for a reference": (REFERENCE, "a", "a string"),
    "number for an id": (REFERENCE, {"id": 1}, "a number"),
    "dict for references": (REFERENCES, {}, "a dict"),
    "text among references": (REFERENCES, ["a"], "a string"),
    "reference without id": (REFERENCES, [{"id": "a"}, {}], "a reference without id"),
}


@pytest.mark.parametrize("rule, field, text", WRONG.values(), ids=list(WRONG))
def test_read_of_the_wrong_type(rule, field, text):
    with pytest.raises(WrongTypeError) as raised:
        rule.read(field)
    assert str(raised.value) == text


def test_answer_of_a_reference():
    base = "http://h/v1"
    assert REFERENCE.answer("a", base, None) == {"id": "a", "uri": "http://h/v1/backends/a"}
    assert REFERENCE.answer("a", base, {"id": "a", "uri": "other"}) == {"id": "a", "uri": "other"}
    assert REFERENCE.answer("a", base, {"id": "b", "uri": "other"}) == {"id": "a", "uri": "http://h/v1/backends/a"}
    assert REFERENCE.answer(None, base, None) is None
    assert REFERENCES.answer(["b", "a"], base, [{"id": "a", "uri": "other"}]) == [
        {"id": "b", "uri": "http://h/v1/policies/b"},
        {"id": "a", "uri": "other"},
    ]
    assert REFERENCES.answer([], base, None) == []


def test_answers_that_are_what_is_sent():
    assert Rule().answer("a", "", None) == Rule().send("a") == "a"


def test_canonical_forms():
    assert Rule().canonical("a") == "a"
    assert REFERENCES.canonical(["b", "a", "b"]) == ["a", "b"]


def test_empty_values():
    assert [rule.empty for rule in (Rule(), Flag(), REFERENCE, REFERENCES)] == [None, True, None, []]
    assert Rule(int, 3).empty == 3


def test_what_rules_are_made_of():
    """Made here, and not with the table of a test: a change of how they are made counts then."""
    for rule, wrong, empty in (
        (Rule(), 1, None),
        (Rule(int), "1", None),
        (Flag(), "true", True),
        (Reference("c", "p_"), [], None),
        (References("c", "p_"), {}, []),
    ):
        assert rule.read(None) == rule.empty == empty
        with pytest.raises(WrongTypeError):
            rule.read(wrong)
    for rule in (Reference("c", "p_"), References("c", "p_")):
        assert (rule.collection, rule.prefix) == ("c", "p_")
    with pytest.raises(WrongTypeError):
        Reference("c", "p_").read({"id": 1})


def test_what_a_mask_keeps():
    assert Rule().keep("a", "b", "x") == "a"
