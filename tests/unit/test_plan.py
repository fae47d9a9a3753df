# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan as a pure function: what is wanted and what is there -> operation, before, after, and what to send."""

from __future__ import annotations

import copy
import json

import facts
import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _plan, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import TLS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Rule, WrongTypeError
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames
from harness.samples import SAMPLES, sample_of

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
BACKEND = BY_ENTRY["backend"]
RESTRICTION = BY_ENTRY["ip_restriction"]
TERMINATION = BY_ENTRY["tls_termination"]
POLICY = BY_ENTRY["traffic_policy"]
HEADERS = BY_ENTRY["request_headers"]


def values(*, enabled=True, **more):
    return dict(enabled=enabled, **more)


def headers(add=None, remove=None, enabled=True):
    return values(enabled=enabled, add=add or {}, remove=remove or [])


# entry, wanted (enabled filled in as true), current -> operation, and what a PUT sends (None where nothing is sent)
CASES = {
    # absent
    "absent, not set": (BACKEND, None, None, "none", None),
    "absent, set": (BACKEND, None, values(backend_id="b"), "delete", None),
    "absent, disabled": (BACKEND, None, values(enabled=False, backend_id="b"), "delete", None),
    # nothing set yet: what is left out is empty or null
    "create": (BACKEND, dict(backend_id="b"), None, "replace", values(backend_id="b")),
    "create disabled": (
        BACKEND,
        dict(enabled=False, backend_id="b"),
        None,
        "replace",
        values(enabled=False, backend_id="b"),
    ),
    "create, min_version left out": (
        TERMINATION,
        dict(terminate_at="edge"),
        None,
        "replace",
        values(terminate_at="edge", min_version=None),
    ),
    "create headers of nothing": (HEADERS, {}, None, "replace", headers()),
    "create with add alone": (HEADERS, dict(add={"A": "1"}), None, "replace", headers({"A": "1"})),
    "create with remove alone": (HEADERS, dict(remove=["A"]), None, "replace", headers({}, ["A"])),
    "create with no ids": (RESTRICTION, dict(ip_policy_ids=[]), None, "replace", values(ip_policy_ids=[])),
    # equal
    "equal": (BACKEND, dict(backend_id="b"), values(backend_id="b"), "none", None),
    "equal, other order": (RESTRICTION, dict(ip_policy_ids=["a", "b"]), values(ip_policy_ids=["b", "a"]), "none", None),
    "equal, only enabled named": (HEADERS, {}, headers({"A": "1"}, ["B"]), "none", None),
    # changed: what is named replaces, what is left out is carried
    "changed": (BACKEND, dict(backend_id="b"), values(backend_id="a"), "replace", values(backend_id="b")),
    "enabled left out is true": (
        BACKEND,
        dict(backend_id="b"),
        values(enabled=False, backend_id="b"),
        "replace",
        values(backend_id="b"),
    ),
    "disable keeps the version": (
        TERMINATION,
        dict(enabled=False, terminate_at="edge"),
        values(terminate_at="edge", min_version="1.3"),
        "replace",
        values(enabled=False, terminate_at="edge", min_version="1.3"),
    ),
    "add replaces the whole map, remove is carried": (
        HEADERS,
        dict(add={"C": "3"}),
        headers({"A": "1", "B": "2"}, ["Z"]),
        "replace",
        headers({"C": "3"}, ["Z"]),
    ),
    "remove replaces the whole list, add is carried": (
        HEADERS,
        dict(remove=["Y"]),
        headers({"A": "1"}, ["Z", "X"]),
        "replace",
        headers({"A": "1"}, ["Y"]),
    ),
    "an empty dict clears": (HEADERS, dict(add={}), headers({"A": "1"}, ["B"]), "replace", headers({}, ["B"])),
    "an empty list clears": (HEADERS, dict(remove=[]), headers({"A": "1"}, ["B"]), "replace", headers({"A": "1"})),
    "no ids clears": (
        RESTRICTION,
        dict(ip_policy_ids=[]),
        values(ip_policy_ids=["a"]),
        "replace",
        values(ip_policy_ids=[]),
    ),
    "an equal field is sent as named": (
        HEADERS,
        dict(add={"a": "1"}, remove=["C"]),
        headers({"A": "1"}, ["B"]),
        "replace",
        headers({"a": "1"}, ["C"]),
    ),
    # null_where
    "to upstream drops the version": (
        TERMINATION,
        dict(terminate_at="upstream"),
        values(terminate_at="edge", min_version="1.3"),
        "replace",
        values(terminate_at="upstream", min_version=None),
    ),
    "upstream again": (
        TERMINATION,
        dict(terminate_at="upstream"),
        values(terminate_at="upstream", min_version=None),
        "none",
        None,
    ),
    "upstream, and the service still shows a version": (
        TERMINATION,
        dict(terminate_at="upstream"),
        values(terminate_at="upstream", min_version="1.2"),
        "none",
        None,
    ),
    "switched off upstream, and the service still shows a version": (
        TERMINATION,
        dict(enabled=False, terminate_at="upstream"),
        values(terminate_at="upstream", min_version="1.2"),
        "replace",
        values(enabled=False, terminate_at="upstream", min_version=None),
    ),
    "back to the edge, the version is the service's": (
        TERMINATION,
        dict(terminate_at="edge"),
        values(terminate_at="upstream", min_version=None),
        "replace",
        values(terminate_at="edge", min_version=None),
    ),
    # the mask
    "a mask keeps the value": (
        HEADERS,
        dict(add={"TOKEN": MASK, "B": "2"}),
        headers({"Token": "s3cret"}),
        "replace",
        headers({"TOKEN": "s3cret", "B": "2"}),
    ),
    "only a mask changes nothing": (HEADERS, dict(add={"Token": MASK}), headers({"token": "s3cret"}), "none", None),
    # a policy that is no JSON
    "text of the service's that is no policy": (
        POLICY,
        dict(value={}),
        values(value="not json"),
        "replace",
        values(value={}),
    ),
}


@pytest.mark.parametrize("description, wanted, current, operation, sent", CASES.values(), ids=CASES)
def test_plan(description, wanted, current, operation, sent):
    wanted = None if wanted is None else {"enabled": True, **wanted}
    arguments = copy.deepcopy((wanted, current))
    plan = _plan.make_plan(description, wanted, current)
    assert plan.operation == operation
    assert plan.changed is (operation != "none")
    # the values are those after the task: what is sent, what is there already, or nothing
    assert plan.values == (sent if operation == "replace" else current if operation == "none" else None)
    assert (plan.description, plan.wanted, plan.current) == (description, wanted, current)
    assert arguments == (wanted, current), "the plan must not change what it is given"
    # before and after: nothing for not set, equal where nothing is done, different otherwise
    assert (plan.before is None) == (current is None)
    assert (plan.after is None) == (wanted is None)
    for side, compared in zip(plan.shown(SecretNames()), (plan.before, plan.after)):
        assert (side is None) == (compared is None)
    assert (plan.before == plan.after) == (operation == "none")
    if sent:
        assert set(plan.body()) == {each.name for each in description.fields}
        again = _plan.make_plan(description, {name: sent[name] for name in wanted}, sent)
        assert again.operation == "none", "the plan of a second run"


REFUSED = {
    "a mask with nothing set": (dict(add={"Token": MASK}), None, r"add\.Token is the mask .* holds none for it"),
    "a mask with another header set": (dict(add={"Token": MASK}), headers({"B": "1"}), r"add\.Token is the mask"),
    "a kept remove and a named add": (
        dict(add={"x-a": "1"}),
        headers({}, ["X-A"]),
        "add names x-a, and so does remove",
    ),
    "a kept add and a named remove": (dict(remove=["x-a"]), headers({"X-A": "1"}), "add names X-A, and so does remove"),
}


@pytest.mark.parametrize("wanted, current, message", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_had_with_what_is_there_is_refused(wanted, current, message):
    with pytest.raises(_plan.PlanError, match=message):
        _plan.make_plan(HEADERS, {"enabled": True, **wanted}, current)


def test_moving_a_header_from_add_to_remove_works_where_both_are_named():
    plan = _plan.make_plan(HEADERS, headers({}, ["X-A"]), headers({"X-A": "1"}))
    assert (plan.operation, plan.values) == ("replace", headers({}, ["X-A"]))


def test_a_conflict_that_the_service_holds_already_is_no_error_where_nothing_changes():
    held = headers({"X-A": "1"}, ["x-a"])
    assert _plan.make_plan(HEADERS, dict(enabled=True, add={"X-A": "1"}), held).operation == "none"


def shown(description, wanted, current, *secret):
    return _plan.make_plan(description, wanted, current).shown(SecretNames(secret))


def test_before_and_after_are_in_the_form_in_which_they_are_compared():
    plan = _plan.make_plan(
        HEADERS, headers({"B": "1", "a": "2"}, ["Z", "y"]), headers({"A": "1", "b": "1"}, ["Y", "z", "Y"])
    )
    assert plan.before == headers({"a": "1", "b": "1"}, ["y", "z"])
    assert plan.after == headers({"a": "2", "b": "1"}, ["y", "z"])


def test_only_what_differs_by_the_comparison_differs_in_what_is_shown():
    """A field that is equal is shown as it was; header names are sorted."""
    before, after = shown(
        HEADERS, headers({"B": "1", "a": "2"}, ["Z", "y"]), headers({"A": "1", "b": "1"}, ["Y", "z", "Y"])
    )
    assert before == headers({"a": "1", "B": "1"}, ["y", "Z"])
    assert after == headers({"a": "2", "B": "1"}, ["y", "Z"])
    left, right = (json.dumps(side, indent=1, sort_keys=True).splitlines() for side in (before, after))
    assert {line.strip() for line in set(left) ^ set(right)} == {'"a": "1"', '"a": "2"'}


# wanted, held -> what is shown of add and remove: before, after
SPELLINGS = {
    "as the task writes them": (
        headers({"X-One": "2"}, ["X-Two"]),
        headers({"x-one": "1"}, ["x-two"]),
        ({"X-One": "1"}, ["X-Two"]),
        ({"X-One": "2"}, ["X-Two"]),
    ),
    "as the service does where the task names them not": (
        headers({"X-New": "1"}, ["Z"]),
        headers({"x-OLD": "1"}, ["y-OLD"]),
        ({"x-OLD": "1"}, ["y-OLD"]),
        ({"X-New": "1"}, ["Z"]),
    ),
    "a field that the task does not name": (
        dict(enabled=False),
        headers({"x-OLD": "1"}, ["y-OLD"]),
        ({"x-OLD": "1"}, ["y-OLD"]),
        ({"x-OLD": "1"}, ["y-OLD"]),
    ),
    "an absent one": (None, headers({"x-OLD": "1"}, ["y-OLD"]), ({"x-OLD": "1"}, ["y-OLD"]), None),
    "a new one": (headers({"X-New": "1"}, ["Z", "a"]), None, None, ({"X-New": "1"}, ["a", "Z"])),
    "sorted whatever the case": (
        headers({}, ["b", "C", "A"]),
        headers({}, ["c", "B"]),
        ({}, ["b", "C"]),
        ({}, ["A", "b", "C"]),
    ),
    "a mask": (
        headers({"COOKIE": MASK, "X": "2"}),
        headers({"cookie": "1", "x": "1"}),
        ({"COOKIE": MASK, "X": "1"}, []),
        ({"COOKIE": MASK, "X": "2"}, []),
    ),
    "a changed secret": (
        headers({"X-Token": "2"}),
        headers({"x-token": "1"}),
        ({"X-Token": MASK}, []),
        ({"X-Token": CHANGED_MASK}, []),
    ),
}


@pytest.mark.parametrize("wanted, held, before, after", SPELLINGS.values(), ids=SPELLINGS)
def test_header_names_are_shown_as_the_task_writes_them(wanted, held, before, after):
    sides = shown(HEADERS, wanted, held)
    assert [side and (side["add"], side["remove"]) for side in sides] == [before, after]


def test_headers_that_the_task_calls_secret_are_masked_in_a_removal():
    before, after = shown(HEADERS, None, headers({"X-Inner": "1", "X-Outer": "2"}), "x_inner")
    assert (before["add"], after) == ({"X-Inner": MASK, "X-Outer": "2"}, None)


def test_a_policy_written_otherwise_does_not_show_where_another_field_changes():
    held = dict(a=[1.0], b=2)
    before, after = shown(POLICY, values(enabled=False, value=dict(b=2, a=[1])), values(value=held))
    assert json.dumps(before["value"]) == json.dumps(after["value"])
    assert (before["enabled"], after["enabled"]) == (True, False)


def test_before_and_after_show_ids_and_the_policy_as_a_structure():
    read = _plan.read(RESTRICTION, dict(ip_policies=[dict(id="b", uri="u"), dict(id="a", uri="u")]))
    assert shown(RESTRICTION, None, read) == (values(ip_policy_ids=["a", "b"]), None)
    read = _plan.read(BACKEND, dict(enabled=False, backend=dict(id="b", uri="u")))
    assert shown(BACKEND, None, read) == (values(enabled=False, backend_id="b"), None)
    read = _plan.read(POLICY, dict(value='{"inbound":[]}'))
    assert shown(POLICY, None, read) == (values(value=dict(inbound=[])), None)
    assert read == values(value=dict(inbound=[]))


def test_read_takes_a_missing_field_and_null_for_an_empty_one():
    for description in _registry.DESCRIPTIONS:
        empty = values(**{field.name: field.empty for field in facts.of(description.name).fields})
        nulls = {each.answer_key: None for each in description.fields}
        for answer in ({}, nulls, {"unknown": 1}):
            assert _plan.read(description, answer) == empty


def _validated(description, options):
    """Options as rules get them: argument validation has converted them."""
    spec = {name: option for name, option in _argspec.module_spec(description).items() if name in options}
    return ArgumentSpecValidator(spec).validate(options).validated_parameters


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_body_names_every_field_and_is_what_the_service_stores(sample):
    description = next(each for each in _registry.DESCRIPTIONS if each.name == sample.module)
    for given, stored in ((sample.a, sample.stored_a), (sample.b, sample.stored_b)):
        options = _validated(description, given)
        wanted = {each.name: each.rule.parse(options[each.name]) for each in description.fields if each.name in options}
        plan = _plan.make_plan(description, {"enabled": True, **wanted}, None)
        assert plan.body() == stored


def predict(description, wanted, base_url, answer=None):
    return _plan.make_plan(description, wanted, None).prediction(base_url, answer)


def test_a_prediction_is_what_the_service_would_answer():
    assert predict(BACKEND, values(backend_id="b"), "http://x/v") == values(
        backend=dict(id="b", uri="http://x/v/backends/tunnel_group/b")
    )
    assert predict(RESTRICTION, values(ip_policy_ids=["b", "a"]), "http://x") == values(
        ip_policies=[dict(id="b", uri="http://x/ip_policies/b"), dict(id="a", uri="http://x/ip_policies/a")]
    )
    assert predict(TERMINATION, values(terminate_at="edge", min_version=None), "") == values(
        terminate_at="edge", min_version=None
    )
    assert predict(POLICY, values(value={"é": [1]}), "") == values(value='{"é":[1]}')
    assert predict(HEADERS, headers({"A": "1"}, ["B"]), "") == headers({"A": "1"}, ["B"])


def test_a_prediction_keeps_the_reference_that_the_service_gave_for_the_same_id():
    mine = dict(id="b", uri="elsewhere", extra=1)
    answer = dict(backend=mine)
    assert predict(BACKEND, values(backend_id="b"), "http://x", answer)["backend"] == mine
    assert predict(BACKEND, values(backend_id="c"), "http://x", answer)["backend"]["uri"].endswith("/c")
    answer = dict(ip_policies=[mine])
    refs = predict(RESTRICTION, values(ip_policy_ids=["a", "b"]), "http://x", answer)["ip_policies"]
    assert refs == [dict(id="a", uri="http://x/ip_policies/a"), mine]


# entry, asked, names of the fields that the task names, what the service answered -> fields to warn about
DIFFERING = {
    "as asked": (HEADERS, headers({"A": "1"}), ["add"], headers({"a": "1"}), []),
    "a named field differs": (HEADERS, headers({"A": "1"}), ["add"], headers({"A": "2"}), ["add"]),
    "a named empty field is filled": (HEADERS, headers(), ["remove"], headers({}, ["B"]), ["remove"]),
    "a carried field is lost": (HEADERS, headers({}, ["B"]), ["add"], headers(), ["remove"]),
    "a default is filled in": (
        TERMINATION,
        values(terminate_at="edge", min_version=None),
        ["terminate_at"],
        values(terminate_at="edge", min_version="1.2"),
        [],
    ),
    "several, in the order of the fields": (
        TERMINATION,
        values(terminate_at="edge", min_version="1.3"),
        ["enabled", "terminate_at", "min_version"],
        values(enabled=False, terminate_at="edge", min_version="1.2"),
        ["enabled", "min_version"],
    ),
}


@pytest.mark.parametrize("description, asked, named, held, fields", DIFFERING.values(), ids=DIFFERING)
def test_fields_in_which_an_answer_differs_from_what_was_asked(description, asked, named, held, fields):
    wanted = {name: asked[name] for name in named}
    plan = _plan.Plan(description, "replace", wanted, None, asked, None, _plan.canonical(description, asked))
    assert plan.differing(held) == fields


def test_messages():
    with pytest.raises(_plan.AnswerError) as answer:
        _plan.read(BY_ENTRY["backend"], {"backend": "b"})
    assert str(answer.value) == "its backend has the wrong type: a string"
    held = {"enabled": True, "add": {"A": "1"}, "remove": []}
    with pytest.raises(_plan.PlanError) as plan:
        _plan.make_plan(BY_ENTRY["request_headers"], {"enabled": True, "remove": ["a"]}, held)
    assert str(plan.value) == (
        "add names A, and so does remove. What a task leaves out keeps the service's value: name both"
    )


DESCRIPTIONS = {each.name: each for each in _registry.DESCRIPTIONS}
FIELDS = {each.name: (description, each) for description in _registry.DESCRIPTIONS for each in description.own_fields}


def _document(*rules, **more):
    return dict(inbound=[dict(name=name) for name in rules], **more)


def _leaf(value):
    """A policy that holds a value where the API page says nothing about types."""
    return {"x": {"y": [value]}}


# field, one option, another: each is asked for while the service holds the other
EQUAL = [
    ("terminate_at", "edge", "edge"),
    ("backend_id", "bkdtg_1", "bkdtg_1"),
    ("min_version", "1.2", "1.2"),
    ("ip_policy_ids", ["ipp_a", "ipp_b"], ["ipp_b", "ipp_a"]),
    ("ip_policy_ids", ["ipp_a", "ipp_a"], ["ipp_a"]),
    ("ip_policy_ids", ["ipp_b", "ipp_a", "ipp_b"], ["ipp_a", "ipp_b"]),
    ("ip_policy_ids", [], []),
    ("value", {}, "{}"),
    ("value", {"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}),
    ("value", {"a": [1, {"b": None}]}, ' {\n "a" : [ 1 , { "b" : null } ] } \n'),
    ("value", '{"a": "\\u00e9\\u0026\\u003c\\u003E\\/"}', '{"a": "é&<>/"}'),
    ("value", '{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
    ("value", '{"\\u00e9": 1}', {"é": 1}),
    ("value", _leaf(1), _leaf(1.0)),
    ("value", '{"a": 1e2}', '{"a": 100}'),
    ("value", '{"a": 1.50}', '{"a": 1.5}'),
    ("value", _leaf(-0.0), _leaf(0)),
    ("value", _leaf(True), '{"x": {"y": [true]}}'),
    ("add", {"X-A": "1"}, {"x-a": "1"}),
    ("add", {"X-A": "1", "B": "2"}, {"b": "2", "X-a": "1"}),
    ("add", {"X-A": 3}, {"X-A": "3"}),
    ("add", {"X-A": -3}, {"X-A": "-3"}),
    ("add", {"X-A": ""}, {"X-A": ""}),
    ("add", {}, {}),
    ("remove", ["X-A", "B"], ["b", "x-a"]),
    ("remove", ["A", "a", "A"], ["a"]),
    ("remove", [], []),
]

DIFFERENT = [
    ("terminate_at", "edge", "upstream"),
    ("backend_id", "bkdtg_1", "bkdtg_2"),
    ("backend_id", "bkdtg_1", "BKDTG_1"),
    ("min_version", "1.2", "1.3"),
    ("min_version", "1.2", "1.20"),
    ("ip_policy_ids", ["ipp_a"], ["ipp_a", "ipp_b"]),
    ("ip_policy_ids", ["ipp_a"], ["ipp_A"]),
    ("ip_policy_ids", ["ipp_a"], []),
    ("value", _document("a", "b"), _document("b", "a")),
    ("value", _document("a"), _document("a", "a")),
    ("value", {"a": []}, {}),
    ("value", {"a": None}, {}),
    ("value", {"a": []}, {"a": {}}),
    ("value", {"A": 1}, {"a": 1}),
    ("value", _leaf(1), _leaf(True)),
    ("value", _leaf(0), _leaf(False)),
    ("value", _leaf(1.0), _leaf(True)),
    ("value", _leaf(1), _leaf("1")),
    ("value", _leaf(True), _leaf("true")),
    ("value", _leaf(None), _leaf("")),
    ("value", _leaf(None), _leaf(False)),
    ("value", _leaf(1.5), _leaf(1)),
    ("value", _leaf(9007199254740993), _leaf(9007199254740992)),
    ("value", _leaf("a b"), _leaf("a  b")),
    ("value", _leaf("e\u0301"), _leaf("\u00e9")),
    ("value", _leaf("\\u0026"), _leaf("&")),
    ("add", {"X-A": "1"}, {"X-A": "2"}),
    ("add", {"X-A": "a"}, {"X-A": "A"}),
    ("add", {"X-A": "1"}, {"X-B": "1"}),
    ("add", {"X-A": "1"}, {"X-A": "1", "X-B": "1"}),
    ("add", {"X-A": "1"}, {"X-A": "01"}),
    ("add", {"X-A": ""}, {}),
    ("add", {"X-A": "1"}, {}),
    ("remove", ["A"], ["A", "B"]),
    ("remove", ["A"], ["B"]),
    ("remove", ["A"], []),
]


def _operation(field, option, held):
    """What the plan does about an option where the service's answer holds a field's value."""
    description, each = FIELDS[field]
    answer = {"enabled": True, "terminate_at": "edge"} if field == "min_version" else {"enabled": True}
    current = _plan.read(description, {**answer, each.answer_key: held})
    return _plan.make_plan(description, {"enabled": True, field: each.rule.parse(option)}, current).operation


def _answer(field, option):
    rule = FIELDS[field][1].rule
    return json.loads(json.dumps(rule.answer(rule.parse(option), "http://localhost", None)))


def _rows(*rows):
    return [pytest.param(*row, id="%s: %s" % (row[0], json.dumps(row[1:]))) for row in rows]


@pytest.mark.parametrize("field, one, other", _rows(*EQUAL))
def test_equal_whichever_is_held(field, one, other):
    assert list(FIELDS[field][1].rule.faults(one, field)) == []
    assert _operation(field, one, _answer(field, other)) == "none"
    assert _operation(field, other, _answer(field, one)) == "none"


@pytest.mark.parametrize("field, one, other", _rows(*DIFFERENT))
def test_different_whichever_is_held(field, one, other):
    assert _operation(field, one, _answer(field, other)) == "replace"
    assert _operation(field, other, _answer(field, one)) == "replace"


# What a service may answer that no task can ask for: field, option, the answer's field, operation
ANSWERS = [
    ("backend_id", "bkdtg_1", {"id": "bkdtg_1"}, "none"),
    ("backend_id", "bkdtg_1", {"id": "bkdtg_1", "uri": "elsewhere", "more": 1}, "none"),
    ("backend_id", "bkdtg_1", None, "replace"),
    ("backend_id", "bkdtg_1", {}, "replace"),
    ("backend_id", "bkdtg_1", {"id": None}, "replace"),
    ("backend_id", "bkdtg_1", {"id": ""}, "replace"),
    ("terminate_at", "edge", None, "replace"),
    ("min_version", "1.2", None, "replace"),
    ("ip_policy_ids", [], None, "none"),
    ("ip_policy_ids", ["ipp_a"], [{"id": "ipp_a"}, {"id": "ipp_a"}], "none"),
    ("ip_policy_ids", ["ipp_a"], None, "replace"),
    ("value", {}, None, "replace"),
    ("value", {}, "", "replace"),
    ("value", {}, "null", "replace"),
    ("value", {}, "[]", "replace"),
    ("value", {}, "not json", "replace"),
    ("value", {"a": 1}, '"{\\"a\\":1}"', "replace"),
    ("value", {"a": 1}, '{"a":2,"a":1}', "replace"),
    ("value", {"a": "NaN"}, '{"a":NaN}', "replace"),
    ("add", {}, None, "none"),
    ("add", {"A": "1"}, None, "replace"),
    ("remove", [], None, "none"),
    ("remove", ["A"], ["a", "A"], "none"),
    ("remove", ["A"], None, "replace"),
]


@pytest.mark.parametrize("field, option, held, operation", _rows(*ANSWERS))
def test_answers_no_task_asks_for(field, option, held, operation):
    assert _operation(field, option, held) == operation


@pytest.mark.parametrize(
    "field, held",
    _rows(
        ("backend_id", "bkdtg_1"),
        ("backend_id", {"id": 1}),
        ("terminate_at", True),
        ("min_version", 1.2),
        ("ip_policy_ids", {"id": "ipp_a"}),
        ("ip_policy_ids", ["ipp_a"]),
        ("ip_policy_ids", [{}]),
        ("ip_policy_ids", [None]),
        ("value", {"inbound": []}),
        ("add", []),
        ("add", {"A": 1}),
        ("add", {"A": None}),
        ("remove", "A"),
        ("remove", [None]),
        ("remove", {}),
    ),
)
def test_a_field_of_the_wrong_type_is_an_error_never_a_value(field, held):
    description, each = FIELDS[field]
    with pytest.raises(WrongTypeError):
        each.rule.read(held)
    with pytest.raises(_plan.AnswerError, match="its %s has the wrong type" % each.answer_key):
        _plan.read(description, {each.answer_key: held})


@pytest.mark.parametrize("description", _registry.DESCRIPTIONS, ids=lambda one: one.name)
def test_enabled_is_compared_and_true_where_the_answer_lacks_it(description):
    for answer, enabled in (
        ({}, True),
        ({"enabled": None}, True),
        ({"enabled": True}, True),
        ({"enabled": False}, False),
    ):
        current = _plan.read(description, answer)
        assert current["enabled"] is enabled
        for wanted in (True, False):
            plan = _plan.make_plan(description, {"enabled": wanted}, current)
            assert plan.operation == ("none" if wanted is enabled else "replace")
    for wrong in (1, 0, "true", []):
        with pytest.raises(_plan.AnswerError, match="its enabled has the wrong type"):
            _plan.read(description, {"enabled": wrong})


# A field that must be null, before the one that it depends on, which nobody has to name.
_NULL_FIRST = Description(
    "made_up",
    "up",
    TLS,
    "/{edge_id}",
    (
        Field("how", Rule(), dict(type="str"), null_where=("who", "none")),
        Field("who", Rule(), dict(type="str")),
    ),
)


def test_null_where_may_name_a_later_field():
    held = values(how="h", who="w")
    plan = _plan.make_plan(_NULL_FIRST, values(who="none"), held)
    assert plan.body() == values(how=None, who="none")


def test_a_named_field_that_would_be_null_by_what_is_kept_is_an_error():
    with pytest.raises(_plan.PlanError, match="how must be null when who is none. What a task leaves out keeps"):
        _plan.make_plan(_NULL_FIRST, values(how="h"), values(how=None, who="none"))
    assert _plan.make_plan(_NULL_FIRST, values(how="h"), values(how=None, who="w")).body() == values(how="h", who="w")


def test_min_version_that_is_not_named_is_not_compared():
    description = DESCRIPTIONS["tls_edge_tls_termination"]
    for held in ("1.2", None):
        current = _plan.read(description, dict(enabled=True, terminate_at="edge", min_version=held))
        assert _plan.make_plan(description, dict(enabled=True, terminate_at="edge"), current).operation == "none"


class Tagged(str):
    """What every text of a playbook is with ansible-core 2.19 and newer: text, of a type of its own."""


def _tagged(value):
    if isinstance(value, str):
        return Tagged(value)
    if isinstance(value, dict):
        return {_tagged(key): _tagged(child) for key, child in value.items()}
    return [_tagged(child) for child in value] if isinstance(value, list) else value


@pytest.mark.parametrize("description", _registry.DESCRIPTIONS, ids=lambda one: one.name)
def test_tagged_text_is_text(description):
    sample = sample_of(description.name)
    for which in (sample.a, sample.b):
        for each in description.own_fields:
            if each.name not in which:
                continue
            plain, tagged = (
                _validated(description, {each.name: value})[each.name]
                for value in (which[each.name], _tagged(which[each.name]))
            )
            assert list(each.rule.faults(tagged, each.name)) == []
            assert each.rule.parse(tagged) == each.rule.parse(plain)
            assert _operation(each.name, tagged, _answer(each.name, plain)) == "none"
            assert _operation(each.name, plain, _answer(each.name, tagged)) == "none"
