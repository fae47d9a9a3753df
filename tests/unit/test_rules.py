# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of the fields one by one: what they refuse, in which words, and how they turn one form into another."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _plan, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import (
    DottedNumber,
    Flag,
    MaskedError,
    Reference,
    References,
    Rule,
    WrongTypeError,
)
from ansible_collections.edgeops.edges.plugins.module_utils._rules.headers import HeaderNames, Headers
from ansible_collections.edgeops.edges.plugins.module_utils._rules.policy import Policy, PolicyError, parse
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK

REFERENCE, REFERENCES = Reference("backends", "b_"), References("policies", "p_")

NO_TOKEN = "%s is not an HTTP header name: %s"
BLANK = "%s must not be blank or hold white space"

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
    "one number": (DottedNumber(), "1", ['x must be a dotted number such as 1.3, not "1"']),
    "a dot at the end": (DottedNumber(), "1.", ['x must be a dotted number such as 1.3, not "1."']),
    "a line break": (DottedNumber(), "1.2\n", ['x must be a dotted number such as 1.3, not "1.2\\n"']),
    "other digits": (DottedNumber(), "\u0661.\u0662", ['x must be a dotted number such as 1.3, not "\\u0661.\\u0662"']),
    "a long text": (DottedNumber(), "a" * 90, ['x must be a dotted number such as 1.3, not "%s...' % ("a" * 76)]),
    "an id": (REFERENCE, "é/", []),
    "a blank id": (REFERENCE, "\t", [BLANK % "x"]),
    "ids": (REFERENCES, ["a", "a"], []),
    "blank ids": (REFERENCES, ["", "a", " b"], [BLANK % "x[0]", BLANK % "x[2]"]),
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
    "a boolean": (Headers(), {"A": True}, ["x.A must be text or a whole number; YAML reads it as a boolean: quote it"]),
    "a fraction": (
        Headers(),
        {"A": 1.0},
        ["x.A must be text or a whole number; YAML reads it as a number with a fraction: quote it"],
    ),
    "many digits": (Headers(), {"A": 10**4000}, ["x.A has too many digits: quote it"]),
    "many digits below nought": (Headers(), {"A": -(10**4000)}, ["x.A has too many digits: quote it"]),
    "other kinds": (
        Headers(),
        {"A": None, "B": {}, "C": [], "D": b""},
        [
            "x.A must be text or a whole number, not null",
            "x.B must be text or a whole number, not a dict",
            "x.C must be text or a whole number, not a list",
            "x.D must be text or a whole number, not bytes",
        ],
    ),
    "beyond Latin-1": (
        Headers(),
        {"A": "\u0100"},
        ["x.A holds a character beyond Latin-1, which no HTTP header can carry"],
    ),
    "control characters": (
        Headers(),
        {"A": "a\n", "B": "\x1f", "C": "\x7f", "D": "\x9f", "E": "\x00"},
        ["x.%s holds a line break or control character" % name for name in "ABCDE"],
    ),
    "the mask": (Headers(), {"A": MASK}, []),
    "the mark of a diff": (
        Headers(),
        {"A": CHANGED_MASK},
        ["x.A is the mark of a diff, not a value; to keep what the service holds give " + MASK],
    ),
    "one name twice": (
        Headers(),
        {"Ab": "1", "aB": "2", "C": "3", "AB": "4"},
        ["x holds Ab and %s: names that differ only in case are one" % name for name in ("aB", "AB")],
    ),
    "one long name twice": (
        Headers(),
        {"a" * 90: "1", "A" * 90: "2"},
        ["x holds %s... and %s...: names that differ only in case are one" % ("a" * 77, "A" * 77)],
    ),
    "a policy": (Policy(), {"inbound": []}, []),
    "a policy of no shape": (Policy(), {"inbound": {}}, ["x.inbound must be a list, not an object"]),
    "no policy": (Policy(), "[]", ["x must be a JSON object: a dict, or text that holds one, not a list"]),
}


@pytest.mark.parametrize("rule, option, found", FAULTS.values(), ids=list(FAULTS))
def test_faults(rule, option, found):
    assert list(rule.faults(option, "x")) == found


# rule, option, the value wanted
PARSED = {
    "text": (Rule(), "a", "a"),
    "a flag": (Flag(), False, False),
    "ids": (REFERENCES, ["b", "a", "b"], ["b", "a"]),
    "names": (HeaderNames(), ["B", "a", "b", "A", "c"], ["B", "a", "c"]),
    "headers": (Headers(), {"A": 1, "b": "x"}, {"A": "1", "b": "x"}),
    "a policy": (Policy(), ' {"a": 1}', {"a": 1}),
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
    "names": (HeaderNames(), ["B", "a"], ["B", "a"]),
    "no names": (HeaderNames(), None, []),
    "headers": (Headers(), {"A": "b"}, {"A": "b"}),
    "no headers": (Headers(), None, {}),
    "a policy": (Policy(), '{"a": [1.0]}', {"a": [1.0]}),
    "text that is no policy": (Policy(), "[1]", "[1]"),
    "no policy": (Policy(), None, None),
}


@pytest.mark.parametrize("rule, field, value", READ.values(), ids=list(READ))
def test_read(rule, field, value):
    assert rule.read(field) == value


# rule, an answer's field, the type that it has
WRONG = {
    "number for text": (Rule(), 1, "int"),
    "text for a number": (Rule(int), "1", "str"),
    "text for a flag": (Flag(), "true", "str"),
    "text for a reference": (REFERENCE, "a", "str"),
    "number for an id": (REFERENCE, {"id": 1}, "int"),
    "dict for references": (REFERENCES, {}, "dict"),
    "text among references": (REFERENCES, ["a"], "str"),
    "reference without id": (REFERENCES, [{"id": "a"}, {}], "a reference without id"),
    "text for names": (HeaderNames(), "a", "str"),
    "number among names": (HeaderNames(), ["a", 1], "a header name that is int"),
    "list for headers": (Headers(), [], "list"),
    "number for a value": (Headers(), {"a": 1}, "a header value that is int"),
    "dict for a policy": (Policy(), {}, "dict"),
}


@pytest.mark.parametrize("rule, field, text", WRONG.values(), ids=list(WRONG))
def test_read_of_the_wrong_type(rule, field, text):
    with pytest.raises(WrongTypeError) as raised:
        rule.read(field)
    assert str(raised.value) == text


def _ref(name, base="http://h/v1"):
    return {"id": name, "uri": "%s/%s" % (base, name)}


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
    assert Policy().answer({"b": "é", "a": [1, 1.0]}, "", None) == '{"b":"é","a":[1,1.0]}'
    assert Policy().send("no JSON") == "no JSON"
    assert Headers().send({"A": "b"}) == {"A": "b"}


def test_canonical_forms():
    assert Rule().canonical("a") == "a"
    assert REFERENCES.canonical(["b", "a", "b"]) == ["a", "b"]
    assert HeaderNames().canonical(["b", "A", "a"]) == ["a", "b"]
    assert Headers().canonical({"A": "B"}) == {"a": "B"}
    assert Policy().canonical({"a": 1.0}) == {"a": 1}
    assert Policy().canonical("text") == "text"


def test_empty_values():
    assert [rule.empty for rule in (Rule(), Flag(), REFERENCE, REFERENCES, Headers(), HeaderNames(), Policy())] == [
        None,
        True,
        None,
        [],
        {},
        [],
        None,
    ]
    assert Rule(int, 3).empty == 3


def test_what_rules_are_made_of():
    """Made here, and not with the table of a test: a change of how they are made counts then."""
    for rule, wrong, empty in (
        (Rule(), 1, None),
        (Rule(int), "1", None),
        (Flag(), "true", True),
        (HeaderNames(), {}, []),
        (Headers(), [], {}),
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
    rule = Headers()
    assert rule.keep({"Cookie": MASK, "B": "1", "D": MASK}, {"cookie": "old", "b": "2", "d": ""}, "add") == {
        "Cookie": "old",
        "B": "1",
        "D": "",
    }
    with pytest.raises(MaskedError) as raised:
        rule.keep({"Cookie": MASK}, {"X": "1"}, "add")
    assert str(raised.value) == "add.Cookie is the mask that keeps a value, and the service holds none for it"


_nested: dict = {}
for _level in range(99):
    _nested = {"a": _nested}

# what is given as a policy, the words with which it is refused
POLICIES = {
    "nothing": (" ", "x must not be blank"),
    "no JSON": ("{", "x is not valid JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    "a Python dict": (
        " {'a': 1}",
        "x is not valid JSON: Expecting property name enclosed in double quotes at line 1, column 3."
        " It looks like a Python dict written as text: give the structure itself, or use to_json",
    ),
    "a list of Python dicts": (
        "['a']",
        "x is not valid JSON: Expecting value at line 1, column 2."
        " It looks like a Python dict written as text: give the structure itself, or use to_json",
    ),
    "encoded twice": ('"{}"', "x is text once more after decoding: it looks encoded twice, leave out one to_json"),
    "a number": ("1", "x must be a JSON object: a dict, or text that holds one, not a number"),
    "bytes": (b"{}", "x must be a JSON object: a dict, or text that holds one, not bytes"),
    "no value": (None, "x must be a JSON object: a dict, or text that holds one, not null"),
    "many digits": ('{"a": %s}' % ("1" * 5000), "x holds a number of too many digits"),
    "deep": ({"a": _nested}, "x is nested more than 100 levels deep"),
    "deep text": ("[" * 100000, "x is nested more than 100 levels deep"),
    "a key twice": ('{"a": 1, "b": [{"c": 1, "d": 2, "d": 3}]}', 'x.b[0] holds the key "d" twice'),
    "a long key twice": ('{"%s": 1, "%s": 2}' % ("k" * 90, "k" * 90), 'x holds the key "%s... twice' % ("k" * 76)),
    "half a pair": ({"a": ["\ud800"]}, "x.a[0] holds half a surrogate pair, which is no character"),
    "the other half": ({"a": "é\udfff"}, "x.a holds half a surrogate pair, which is no character"),
    "half a pair in a key": (
        {"a": {"b\udc00": 1}},
        "x.a.b\\udc00 holds half a surrogate pair, which is no character",
    ),
    "no number": ({"a": [float("nan")]}, "x.a[0] is not a finite number: JSON has no NaN and no infinity"),
}


@pytest.mark.parametrize("given, message", POLICIES.values(), ids=list(POLICIES))
def test_refused_policies(given, message):
    with pytest.raises(PolicyError) as raised:
        parse(given, "x")
    assert str(raised.value) == message


def test_messages_of_the_plan():
    by_entry = {each.entry: each for each in _registry.DESCRIPTIONS}
    with pytest.raises(_plan.AnswerError) as answer:
        _plan.read(by_entry["backend"], {"backend": "b"})
    assert str(answer.value) == "its backend has the wrong type: str"
    held = {"enabled": True, "add": {"A": "1"}, "remove": []}
    with pytest.raises(_plan.PlanError) as plan:
        _plan.make_plan(by_entry["request_headers"], {"enabled": True, "remove": ["a"]}, held)
    assert str(plan.value) == (
        "add: A stands in remove too; what a task leaves out keeps the service's value: name both"
    )
