# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan as a pure function: what is wanted and what is there -> operation, before, after, and what to send."""

from __future__ import annotations

import copy
import json

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _plan, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames
from harness.samples import SAMPLES

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


@pytest.mark.pitfall("8", "10", "15", "17", "40")
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
    "a kept remove and a named add": (dict(add={"x-a": "1"}), headers({}, ["X-A"]), "add: x-a stands in remove too"),
    "a kept add and a named remove": (dict(remove=["x-a"]), headers({"X-A": "1"}), "add: X-A stands in remove too"),
}


@pytest.mark.pitfall("13", "17")
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


@pytest.mark.pitfall("8", "9")
def test_read_takes_a_missing_field_and_null_for_an_empty_one():
    empty = {
        BACKEND.name: values(backend_id=None),
        RESTRICTION.name: values(ip_policy_ids=[]),
        TERMINATION.name: values(terminate_at=None, min_version=None),
        POLICY.name: values(value=None),
        HEADERS.name: headers(),
    }
    for description in _registry.DESCRIPTIONS:
        nulls = {each.answer_key: None for each in description.fields}
        for answer in ({}, nulls, {"unknown": 1}):
            assert _plan.read(description, answer) == empty[description.name]


@pytest.mark.pitfall("17")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_body_names_every_field_and_is_what_the_service_stores(sample):
    description = next(each for each in _registry.DESCRIPTIONS if each.name == sample.module)
    for options, stored in ((sample.a, sample.stored_a), (sample.b, sample.stored_b)):
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


@pytest.mark.pitfall("39")
@pytest.mark.parametrize("description, asked, named, held, fields", DIFFERING.values(), ids=DIFFERING)
def test_fields_in_which_an_answer_differs_from_what_was_asked(description, asked, named, held, fields):
    wanted = {name: asked[name] for name in named}
    plan = _plan.Plan(description, "replace", wanted, None, asked, None, _plan.canonical(description, asked))
    assert plan.differing(held) == fields
