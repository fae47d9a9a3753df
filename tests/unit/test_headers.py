# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of headers and their names: what they refuse, and how they turn one form into another."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, WrongTypeError
from ansible_collections.edgeops.edges.plugins.module_utils._rules.headers import HeaderNames, Headers
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK

NO_TOKEN = "%s must be the name of an HTTP header, not %s"

# rule, option, its faults
FAULTS = {
    "names": (HeaderNames(), ["A", "a", "!#$%&'*+-.^_`|~0"], []),
    "wrong names": (
        HeaderNames(),
        ["", "a b", "é", "A:"],
        ["x[0] must not be blank"]
        + [NO_TOKEN % ("x[%d]" % number, name) for number, name in ((1, '"a b"'), (2, '"\\u00e9"'), (3, '"A:"'))],
    ),
    "a long name": (HeaderNames(), [" " + "a" * 90], [NO_TOKEN % ("x[0]", '" %s...' % ("a" * 75))]),
    "headers": (Headers(), {"A": "b", "C": "", "D": 1, "E": -(10**3999), "F": " é\xff\x20~\xa0"}, []),
    "a blank name": (Headers(), {" ": "b"}, ["x must not be blank"]),
    "a wrong name": (Headers(), {"a b": "c"}, [NO_TOKEN % ("x.a b", '"a b"')]),
    "a boolean": (
        Headers(),
        {"A": True},
        ["x.A must be a string or a whole number, but YAML reads it as a boolean: quote it"],
    ),
    "a fraction": (
        Headers(),
        {"A": 1.0},
        ["x.A must be a string or a whole number, but YAML reads it as a number with a fraction: quote it"],
    ),
    "many digits": (Headers(), {"A": 10**4000}, ["x.A has too many digits: quote it"]),
    "many digits below nought": (Headers(), {"A": -(10**4000)}, ["x.A has too many digits: quote it"]),
    "other kinds": (
        Headers(),
        {"A": None, "B": {}, "C": [], "D": b""},
        [
            "x.A must be a string or a whole number, not null",
            "x.B must be a string or a whole number, not a dict",
            "x.C must be a string or a whole number, not a list",
            "x.D must be a string or a whole number, not bytes",
        ],
    ),
    "beyond Latin-1": (
        Headers(),
        {"A": "\u0100"},
        ["x.A contains a character beyond Latin-1, which no HTTP header can carry"],
    ),
    "control characters": (
        Headers(),
        {"A": "a\n", "B": "\x1f", "C": "\x7f", "D": "\x9f", "E": "\x00"},
        ["x.%s contains a line break or control character" % name for name in "ABCDE"],
    ),
    "the mask": (Headers(), {"A": MASK}, []),
    "the mark of a diff": (
        Headers(),
        {"A": CHANGED_MASK},
        ["x.A is the mark of a diff, not a value: to keep the service's value, give " + MASK],
    ),
    "one name twice": (
        Headers(),
        {"Ab": "1", "aB": "2", "C": "3", "AB": "4"},
        ["x contains both Ab and %s, which differ only in case: leave one of them out" % name for name in ("aB", "AB")],
    ),
    "one long name twice": (
        Headers(),
        {"a" * 90: "1", "A" * 90: "2"},
        ["x contains both %s... and %s..., which differ only in case: leave one of them out" % ("a" * 77, "A" * 77)],
    ),
}


@pytest.mark.parametrize("rule, option, found", FAULTS.values(), ids=list(FAULTS))
def test_faults(rule, option, found):
    assert list(rule.faults(option, "x")) == found


# rule, option, the value wanted
PARSED = {
    "names": (HeaderNames(), ["B", "a", "b", "A", "c"], ["B", "a", "c"]),
    "headers": (Headers(), {"A": 1, "b": "x"}, {"A": "1", "b": "x"}),
}


@pytest.mark.parametrize("rule, option, value", PARSED.values(), ids=list(PARSED))
def test_parse(rule, option, value):
    assert rule.parse(option) == value


# rule, an answer's field, its value
READ = {
    "names": (HeaderNames(), ["B", "a"], ["B", "a"]),
    "no names": (HeaderNames(), None, []),
    "headers": (Headers(), {"A": "b"}, {"A": "b"}),
    "no headers": (Headers(), None, {}),
}


@pytest.mark.parametrize("rule, field, value", READ.values(), ids=list(READ))
def test_read(rule, field, value):
    assert rule.read(field) == value


# rule, an answer's field, the type that it has
WRONG = {
    "text for names": (HeaderNames(), "a", "a string"),
    "number among names": (HeaderNames(), ["a", 1], "a header name that is a number"),
    "list for headers": (Headers(), [], "a list"),
    "number for a value": (Headers(), {"a": 1}, "a header value that is a number"),
}


@pytest.mark.parametrize("rule, field, text", WRONG.values(), ids=list(WRONG))
def test_read_of_the_wrong_type(rule, field, text):
    with pytest.raises(WrongTypeError) as raised:
        rule.read(field)
    assert str(raised.value) == text


def test_answers_that_are_what_is_sent():
    assert Headers().send({"A": "b"}) == {"A": "b"}


def test_canonical_forms():
    assert HeaderNames().canonical(["b", "A", "a"]) == ["a", "b"]
    assert Headers().canonical({"A": "B"}) == {"a": "B"}


def test_empty_values():
    assert [rule.empty for rule in (Headers(), HeaderNames())] == [{}, []]


def test_what_rules_are_made_of():
    """Made here, and not with the table of a test: a change of how they are made counts then."""
    for rule, wrong, empty in ((HeaderNames(), {}, []), (Headers(), [], {})):
        assert rule.read(None) == rule.empty == empty
        with pytest.raises(WrongTypeError):
            rule.read(wrong)


def test_what_a_mask_keeps():
    rule = Headers()
    assert rule.keep({"Cookie": MASK, "B": "1", "D": MASK}, {"cookie": "old", "b": "2", "d": ""}, "add") == {
        "Cookie": "old",
        "B": "1",
        "D": "",
    }
    with pytest.raises(MaskedError) as raised:
        rule.keep({"Cookie": MASK}, {"X": "1"}, "add")
    assert (
        str(raised.value)
        == "add.Cookie is the mask that keeps a value, but the service holds none for it: write the value"
    )
