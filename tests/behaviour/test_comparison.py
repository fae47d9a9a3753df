# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When two values of a field are equal: the comparison table of the documentation, case by case."""

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _plan, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import WrongTypeError
from harness.samples import HEADERS, POLICY, RESTRICTION, ROUTE_IDS, TERMINATION, TLS_IDS, sample_of

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


@pytest.mark.pitfall("5", "7", "11", "12", "13", "14")
@pytest.mark.parametrize("field, one, other", _rows(*EQUAL))
def test_equal_whichever_is_held(field, one, other):
    assert list(FIELDS[field][1].rule.faults(one, field)) == []
    assert _operation(field, one, _answer(field, other)) == "none"
    assert _operation(field, other, _answer(field, one)) == "none"


@pytest.mark.pitfall("6", "8", "11")
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


@pytest.mark.pitfall("8", "9")
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


def test_min_version_that_is_not_named_is_not_compared():
    description = DESCRIPTIONS["tls_edge_tls_termination"]
    for held in ("1.2", None):
        current = _plan.read(description, dict(enabled=True, terminate_at="edge", min_version=held))
        assert _plan.make_plan(description, dict(enabled=True, terminate_at="edge"), current).operation == "none"


# The same end to end.

SPELLINGS = [
    {"a": [1, {"é": "<&>"}], "inbound": []},
    {"inbound": [], "a": [1.0, {"é": "<&>"}]},
    '{"a":[1,{"é":"<&>"}],"inbound":[]}',
    '{ "inbound": [],\n  "a": [ 1, {"\\u00E9": "\\u003c\\u0026\\u003e"} ] }\n',
]


@pytest.mark.pitfall("0.3", "0.6", "1", "3", "5", "12")
@pytest.mark.parametrize("form", ["normalized", "echo", "indented"])
def test_a_policy_written_otherwise_is_unchanged(sim, run, form):
    """As a dict, as JSON text, in another key order, with other escapes: one PUT, and never another."""
    sim.configure(policy_form=form)
    results = [run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value)) for value in SPELLINGS]
    assert [one.changed for one in results] == [True, False, False, False]
    assert len(sim.writes) == 1
    assert json.loads(sim.resources[POLICY]["value"]) == SPELLINGS[0]


@pytest.mark.pitfall("6", "11")
@pytest.mark.parametrize(
    "value",
    [
        {"inbound": [{"name": "a"}, {"name": "b"}], "n": True},
        {"inbound": [{"name": "b"}, {"name": "a"}], "n": 1},
        {"inbound": [{"name": "a"}, {"name": "b"}], "n": "1"},
    ],
    ids=["true for 1", "rules swapped", "text for 1"],
)
def test_a_policy_that_says_something_else_is_changed(sim, run, value):
    sim.put(POLICY, {"value": '{"inbound":[{"name":"a"},{"name":"b"}],"n":1}'})
    assert run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value), check=True).changed
    result = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value))
    assert (result.changed, result.warnings) == (True, [])
    assert sim.writes[-1].body == dict(enabled=True, value=json.dumps(value, separators=(",", ":")))


@pytest.mark.pitfall("7")
def test_ids_in_another_order_are_unchanged_and_are_sent_in_the_order_given(sim, run):
    for ids, changed in ((["ipp_b", "ipp_a", "ipp_b"], True), (["ipp_a", "ipp_b"], False), (["ipp_a"], True)):
        assert run("tls_edge_ip_restriction", dict(TLS_IDS, ip_policy_ids=ids)).changed is changed
    assert [record.body["ip_policy_ids"] for record in sim.writes] == [["ipp_b", "ipp_a"], ["ipp_a"]]
    assert sim.resources[RESTRICTION]["ip_policy_ids"] == ["ipp_a"]


@pytest.mark.pitfall("13")
@pytest.mark.parametrize("names", ["as_sent", "lower"])
def test_header_names_in_another_case_are_unchanged(sim, run, names):
    sim.configure(header_names=names)
    task = "https_edge_route_request_headers"
    assert run(task, dict(ROUTE_IDS, add={"X-Edge": "a"}, remove=["X-Old", "Via"])).changed
    assert not run(task, dict(ROUTE_IDS, add={"x-edge": "a"}, remove=["VIA", "x-old"])).changed
    assert run(task, dict(ROUTE_IDS, add={"x-edge": "A"})).changed
    assert len(sim.writes) == 2
    assert sim.resources[HEADERS]["add"] == {"x-edge": "A"}


@pytest.mark.pitfall("0.13", "11")
def test_a_version_that_yaml_reads_as_a_number_is_the_same_version(sim, run):
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    assert not run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=1.2)).changed
    assert run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=1.3)).changed
    assert sim.writes[-1].body["min_version"] == "1.3"


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
            plain, tagged = which[each.name], _tagged(which[each.name])
            assert list(each.rule.faults(tagged, each.name)) == []
            assert each.rule.parse(tagged) == each.rule.parse(plain)
            assert _operation(each.name, tagged, _answer(each.name, plain)) == "none"
            assert _operation(each.name, plain, _answer(each.name, tagged)) == "none"
