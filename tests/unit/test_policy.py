# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Traffic policies: what is refused, with the place, what passes untouched, and the rule that carries them."""

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._rules import policy as _policy
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import WrongTypeError
from ansible_collections.edgeops.edges.plugins.module_utils._rules.policy import Policy


def _nested(depth):
    document: dict = {}
    for dummy in range(depth - 1):
        document = {"a": document}
    return document


REFUSED = {
    "blank": ("", "value must not be blank"),
    "white space": (" \n\t", "value must not be blank"),
    "no JSON": ("not json", "value is not valid JSON: .* at line 1, column 1$"),
    "cut short": ('{\n "a": [1,', "value is not valid JSON: .* at line 2, column"),
    "a trailing comma": ('{"a": 1,}', "value is not valid JSON"),
    "YAML": ("inbound: []", "value is not valid JSON"),
    "a byte order mark": ('\ufeff{"a": 1}', "value is not valid JSON"),
    "two documents": ("{} {}", "value is not valid JSON: Extra data"),
    "a Python dict": ("{'a': True}", "It looks like a Python dict written as text: .* use to_json"),
    "encoded twice": (json.dumps('{"a": 1}'), "value is still a string after decoding, so it looks encoded twice"),
    "encoded thrice": (json.dumps(json.dumps("{}")), "value is still a string after decoding"),
    "a list as text": ("[]", "value must be a JSON object.*, not a list"),
    "null as text": ("null", "value must be a JSON object.*, not null"),
    "a number as text": ("1", "value must be a JSON object.*, not a number"),
    "a boolean as text": ("true", "value must be a JSON object.*, not a boolean"),
    "a list": ([], "value must be a JSON object.*, not a list"),
    "a number": (1, "value must be a JSON object.*, not a number"),
    "a boolean": (True, "value must be a JSON object.*, not a boolean"),
    "null": (None, "value must be a JSON object.*, not null"),
    "NaN": ('{"a": [0, NaN]}', r"value\.a\[1\] is not a finite number"),
    "infinity": ('{"a": {"b": -Infinity}}', r"value\.a\.b is not a finite number"),
    "a number too large": ('{"a": 1e400}', r"value\.a is not a finite number"),
    "NaN in a dict": ({"a": [{"b": float("nan")}]}, r"value\.a\[0\]\.b is not a finite number"),
    "too many digits": ('{"a": %s}' % ("9" * 5000), "value contains a number with too many digits"),
    "a repeated key": ('{"a": 1, "b": 2, "a": 1}', 'value contains the key "a" twice'),
    "a repeated key inside": ('{"a": [{"b": {"c": 1, "c": 2}}]}', r'value\.a\[0\]\.b contains the key "c" twice'),
    "a key repeated by an escape": ('{"a": 1, "\\u0061": 2}', 'value contains the key "a" twice'),
    "half a surrogate pair": ('{"a": "\\ud83d"}', r"value\.a contains half a surrogate pair"),
    "half a pair in a key": ('{"\\ud83d": 1}', "contains half a surrogate pair"),
    "too deep": (_nested(_policy.MAX_DEPTH + 1), "value is nested more than 100 levels deep"),
    "much too deep": ("[" * 100000, "value is nested more than 100 levels deep|value is not valid JSON"),
    "much too deep, and whole": ('{"a":' * 100000 + "1" + "}" * 100000, "value is nested more than 100 levels deep"),
}


@pytest.mark.parametrize("value, message", REFUSED.values(), ids=REFUSED)
def test_what_is_no_policy_is_refused(value, message):
    with pytest.raises(_policy.PolicyError, match="(?s)" + message):
        _policy.parse(value)


def test_faults_name_the_place_that_the_caller_names():
    where = "https_edges[0].routes[1].traffic_policy.value"
    with pytest.raises(_policy.PolicyError) as caught:
        _policy.parse('{"a": [NaN]}', where)
    assert str(caught.value) == where + ".a[0] is not a finite number: JSON has no NaN and no infinity"


PASSES = {
    "empty": "{}",
    "what the API page does not show": '{"on_http_request": [{"x": [null, true, 1.5, "t", {}]}], "inbound": []}',
    "another type of action": '{"inbound": [{"actions": [{"type": "rate-limit", "config": {"n": 1}}]}]}',
    "rules without anything": '{"inbound": [{}], "outbound": [{"actions": [{}]}]}',
    "white space around": ' \r\n {"inbound": []} \n',
    "control characters, escaped": '{"a": "\\u0000\\u202e"}',
    "a whole pair of surrogates": '{"a": "\\ud83d\\ude00"}',
    "deep": json.dumps(_nested(_policy.MAX_DEPTH)),
    "the same key in two objects": '{"a": {"x": 1}, "b": {"x": 1}}',
    "a large whole number": '{"a": 123456789012345678901234567890}',
}


@pytest.mark.parametrize("text", PASSES.values(), ids=PASSES)
def test_what_may_be_a_policy_passes_untouched_as_text_and_as_dict(text):
    document = json.loads(text)
    for value in (text, document):
        parsed = _policy.parse(value)
        assert parsed == document
        assert list(_policy.shape_faults(parsed)) == []
        assert json.loads(_policy.encode(parsed)) == document


def _action(action):
    return {"inbound": [{"name": "a"}, {"actions": [{}, action]}]}


SHAPES = {
    "inbound": ({"inbound": {}}, ["value.inbound must be a list, not a dict"]),
    "inbound null": ({"inbound": None}, ["value.inbound must be a list, not null"]),
    "outbound": ({"outbound": "x"}, ["value.outbound must be a list, not a string"]),
    "a rule": ({"outbound": [{}, []]}, ["value.outbound[1] must be a dict, not a list"]),
    "name": ({"inbound": [{"name": 1}]}, ["value.inbound[0].name must be a string, not a number: quote it"]),
    "expressions": (
        {"inbound": [{"expressions": "a"}]},
        ["value.inbound[0].expressions must be a list, not a string"],
    ),
    "an expression": (
        {"inbound": [{"expressions": ["a", True]}]},
        ["value.inbound[0].expressions[1] must be a string, not a boolean: quote it"],
    ),
    "actions": ({"inbound": [{"actions": {}}]}, ["value.inbound[0].actions must be a list, not a dict"]),
    "an action": ({"inbound": [{"actions": ["deny"]}]}, ["value.inbound[0].actions[0] must be a dict, not a string"]),
    "type": (_action({"type": None}), ["value.inbound[1].actions[1].type must be a string, not null"]),
    "config": (_action({"config": []}), ["value.inbound[1].actions[1].config must be a dict, not a list"]),
    "every fault, not the first alone": (
        {"inbound": 1, "outbound": [{"name": [], "expressions": [1]}, 2]},
        [
            "value.inbound must be a list, not a number",
            "value.outbound[1] must be a dict, not a number",
            "value.outbound[0].name must be a string, not a list",
            "value.outbound[0].expressions[0] must be a string, not a number: quote it",
        ],
    ),
}


@pytest.mark.parametrize("document, faults", SHAPES.values(), ids=SHAPES)
def test_what_contradicts_the_shape_that_is_documented_is_refused_with_its_place(document, faults):
    assert list(_policy.shape_faults(document)) == faults


def test_encode_is_compact_readable_and_keeps_the_order_of_keys():
    assert _policy.encode({"b": "é<", "a": [1, 1.5, True, None]}) == '{"b":"é<","a":[1,1.5,true,null]}'


# The rule

# rule, option, its faults
RULE_FAULTS = {
    "a policy": (Policy(), {"inbound": []}, []),
    "a policy of no shape": (Policy(), {"inbound": {}}, ["x.inbound must be a list, not a dict"]),
    "no policy": (Policy(), "[]", ["x must be a JSON object, as a dict or as a string, not a list"]),
}


@pytest.mark.parametrize("rule, option, found", RULE_FAULTS.values(), ids=list(RULE_FAULTS))
def test_faults_of_the_rule(rule, option, found):
    assert list(rule.faults(option, "x")) == found


# rule, option, the value wanted
PARSED = {
    "a policy": (Policy(), ' {"a": 1}', {"a": 1}),
}


@pytest.mark.parametrize("rule, option, value", PARSED.values(), ids=list(PARSED))
def test_parse(rule, option, value):
    assert rule.parse(option) == value


# rule, an answer's field, its value
READ = {
    "a policy": (Policy(), '{"a": [1.0]}', {"a": [1.0]}),
    "text that is no policy": (Policy(), "[1]", "[1]"),
    "no policy": (Policy(), None, None),
}


@pytest.mark.parametrize("rule, field, value", READ.values(), ids=list(READ))
def test_read(rule, field, value):
    assert rule.read(field) == value


# rule, an answer's field, the type that it has
WRONG = {
    "dict for a policy": (Policy(), {}, "a dict"),
}


@pytest.mark.parametrize("rule, field, text", WRONG.values(), ids=list(WRONG))
def test_read_of_the_wrong_type(rule, field, text):
    with pytest.raises(WrongTypeError) as raised:
        rule.read(field)
    assert str(raised.value) == text


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
    "encoded twice": ('"{}"', "x is still a string after decoding, so it looks encoded twice: leave out one to_json"),
    "a number": ("1", "x must be a JSON object, as a dict or as a string, not a number"),
    "bytes": (b"{}", "x must be a JSON object, as a dict or as a string, not bytes"),
    "no value": (None, "x must be a JSON object, as a dict or as a string, not null"),
    "many digits": ('{"a": %s}' % ("1" * 5000), "x contains a number with too many digits"),
    "deep": (_nested(101), "x is nested more than 100 levels deep"),
    "deep text": ("[" * 100000, "x is nested more than 100 levels deep"),
    "a key twice": (
        '{"a": 1, "b": [{"c": 1, "d": 2, "d": 3}]}',
        'x.b[0] contains the key "d" twice: leave one of them out',
    ),
    "a long key twice": (
        '{"%s": 1, "%s": 2}' % ("k" * 90, "k" * 90),
        'x contains the key "%s... twice: leave one of them out' % ("k" * 76),
    ),
    "half a pair": ({"a": ["\ud800"]}, "x.a[0] contains half a surrogate pair, which is no character"),
    "the other half": ({"a": "é\udfff"}, "x.a contains half a surrogate pair, which is no character"),
    "half a pair in a key": (
        {"a": {"b\udc00": 1}},
        "x.a.b\\udc00 contains half a surrogate pair, which is no character",
    ),
    "no number": ({"a": [float("nan")]}, "x.a[0] is not a finite number: JSON has no NaN and no infinity"),
}


@pytest.mark.parametrize("given, message", POLICIES.values(), ids=list(POLICIES))
def test_refused_policies(given, message):
    with pytest.raises(_policy.PolicyError) as raised:
        _policy.parse(given, "x")
    assert str(raised.value) == message


def test_answers_that_are_what_is_sent():
    assert Policy().answer({"b": "é", "a": [1, 1.0]}, "", None) == '{"b":"é","a":[1,1.0]}'
    assert Policy().send("no JSON") == "no JSON"


def test_canonical_forms():
    assert Policy().canonical({"a": 1.0}) == {"a": 1}
    assert Policy().canonical("text") == "text"


def test_empty_value():
    assert Policy().empty is None
