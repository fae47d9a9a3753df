# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signed plans and limits: digests, what is a plan, what is refused and with which words."""

from __future__ import annotations

import copy
import json
import re

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _approval, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._approval import (
    MOVED,
    NOT_IN_PLAN,
    OTHER,
    Amounts,
    Limit,
    Signer,
    limit_refusals,
    parse_limit,
    plan_faults,
    plan_refusals,
)
from ansible_collections.edgeops.edges.plugins.module_utils._plan import make_plan as decide
from hypothesis import given
from hypothesis import strategies as st

BACKEND = next(each for each in _registry.DESCRIPTIONS if each.entry == "backend")
POLICY = next(each for each in _registry.DESCRIPTIONS if each.entry == "traffic_policy")
PATH = "/edges/tcp/edgtcp_1/backend"
KEY = "tcp_edge_backend edgtcp_1"
SIGNER = Signer("a-key", "https://api.example.com")


def backend(backend_id, enabled=True):
    return None if backend_id is None else {"enabled": enabled, "backend_id": backend_id}


def step(before, after):
    return decide(BACKEND, backend(after), backend(before))


def approved(*steps, signer=SIGNER):
    return _approval.make_plan({"key %d" % index: signer.entry(PATH, one) for index, one in enumerate(steps)})


def refused(plan, entry, signer=SIGNER, path=PATH):
    return signer.refusal(path, plan, entry)


def test_an_entry_allows_just_its_step():
    entry = SIGNER.entry(PATH, step("a", "b"))
    assert refused(step("a", "b"), entry) is None
    assert refused(step("x", "b"), entry) == MOVED
    assert refused(step(None, "b"), entry) == MOVED
    assert refused(step("a", "x"), entry) == OTHER
    assert refused(step("a", None), entry) == OTHER
    assert refused(step("a", "b"), None) == NOT_IN_PLAN


def test_entries_cannot_be_swapped_or_spliced():
    one, two = SIGNER.entry(PATH, step("a", "b")), SIGNER.entry(PATH, step("b", "c"))
    assert refused(step("a", "c"), dict(before=one["before"], after=two["after"])) == OTHER
    assert refused(step("a", "b"), dict(before=one["after"], after=one["before"])) == MOVED
    other = SIGNER.entry(PATH.replace("1", "2"), step("a", "b"))
    assert refused(step("a", "b"), other) == MOVED
    # What is there before one step is what another leads to: neither stands for the other.
    assert one["after"] != two["before"]


@pytest.mark.parametrize(
    "signer", [Signer("a-kez", "https://api.example.com"), Signer("a-key", "https://b.example.com")]
)
def test_a_plan_holds_for_its_key_and_its_service(signer):
    entry = SIGNER.entry(PATH, step("a", "b"))
    assert refused(step("a", "b"), entry, signer) == MOVED


def test_equal_configurations_have_equal_digests():
    def policy(document):
        return SIGNER.entry(PATH, decide(POLICY, {"enabled": True, "value": document}, None))

    assert policy({"a": 1, "b": [1e2]}) == policy({"b": [100], "a": 1.0})
    assert policy({"a": 1}) != policy({"a": True})
    assert policy({"a": "1"}) != policy({"a": 1})


def test_digests_are_text_that_yaml_leaves_alone():
    plan = approved(step("a", "b"))
    assert re.fullmatch("plan-[0-9a-f]{16}", plan["checksum"])
    for entry in plan["changes"].values():
        assert all(re.fullmatch("hmac:[0-9a-f]{32}", digest) for digest in entry.values())
    assert list(plan_faults(plan)) == []


def test_a_plan_shows_no_value_and_gives_nothing_to_guess_by():
    plan = json.dumps(approved(decide(BACKEND, backend("a-secret"), backend("another"))))
    assert "secret" not in plan and "another" not in plan and "a-key" not in plan


def test_checksum_is_of_the_entries_whatever_their_order():
    plan = approved(step("a", "b"), step("b", "c"))
    changes = plan["changes"]
    assert _approval.make_plan(dict(reversed(changes.items()))) == plan
    assert _approval.make_plan({"key 0": changes["key 0"]})["checksum"] != plan["checksum"]


def damage(**more):
    plan = copy.deepcopy(approved(step("a", "b")))
    plan.update(more)
    return plan


NOT_PLANS = {
    "null": (None, "approved_plan is given but empty"),
    "blank": (" ", "approved_plan is given but empty"),
    "empty": ({}, "approved_plan is given but empty"),
    "text": ("x", "approved_plan must be the plan of a dry run, not a string"),
    "list": ([], "approved_plan must be the plan of a dry run, not a list"),
    "number": (1, "approved_plan must be the plan of a dry run, not a number"),
    "true": (True, "approved_plan must be the plan of a dry run, not a boolean"),
    "no format": ({"changes": {}}, "approved_plan.format must be 1"),
    "format as text": (damage(format="1"), "approved_plan.format must be 1"),
    "format true": (damage(format=True), "approved_plan.format must be 1"),
    "another format": (damage(format=2), "approved_plan.format must be 1"),
    "no changes": ({"format": 1}, "approved_plan.changes must be a dict, not null"),
    "changes as a list": (damage(changes=[]), "approved_plan.changes must be a dict, not a list"),
    "an entry that is none": (damage(changes={"a": {}}), "approved_plan.changes.a is not an entry of a plan"),
    "a key that is no text": (damage(changes={1: {}}), "approved_plan.changes.1 is not an entry of a plan"),
    "another key": (damage(more=1), "approved_plan.more is not part of a plan"),
    "no checksum": (damage(checksum=None), "approved_plan.checksum must be the checksum of a plan"),
    "a checksum of another plan": (damage(checksum="plan-0000000000000000"), "approved_plan is damaged"),
    "an entry left out": (damage(changes={}), "approved_plan is damaged"),
}


@pytest.mark.parametrize("value, message", NOT_PLANS.values(), ids=list(NOT_PLANS))
def test_what_is_not_a_plan_is_an_error_that_says_so(value, message):
    assert any(fault.startswith(message) for fault in plan_faults(value)), list(plan_faults(value))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON, plan_key=st.sampled_from(["format", "checksum", "changes", "before", "after"]))
def test_anything_is_a_plan_or_a_clear_error(value, plan_key):
    assert list(plan_faults(value))
    plan = approved(step("a", "b"))
    target = plan["changes"]["key 0"] if plan_key in ("before", "after") else plan
    same = target[plan_key] == value and type(target[plan_key]) is type(value)
    target[plan_key] = value
    assert same or list(plan_faults(plan))


def test_refusals_name_everything_with_its_reason():
    plan = _approval.make_plan({name: SIGNER.entry(PATH, step("a", "b")) for name in ("one", "two", "three")})
    changes = [
        ("one (shop)", "one", PATH, step("a", "b")),
        ("two", "two", PATH, step("x", "b")),
        ("three", "three", PATH, step("a", "x")),
        ("four", "four", PATH, step("a", "b")),
        ("five", "five", PATH, step("a", "b")),
    ]
    assert plan_refusals(SIGNER, changes, plan) == ["two: " + MOVED, "three: " + OTHER, "four, five: " + NOT_IN_PLAN]
    assert plan_refusals(SIGNER, changes[:1], plan) == []
    other = Signer("other", "https://api.example.com")
    assert plan_refusals(other, changes[:2], plan) == [
        "one (shop), two: " + MOVED,
        "no entry of the plan fits: another key may have signed it",
    ]
    empty = _approval.make_plan({})
    assert plan_refusals(SIGNER, changes[:1], empty) == ["one (shop): " + NOT_IN_PLAN]
    assert plan_refusals(SIGNER, [], empty) == []


@pytest.mark.parametrize(
    "value, number, share",
    [
        (0, 0, False),
        (5, 5, False),
        ("5", 5, False),
        (" 0 ", 0, False),
        ("30%", 30, True),
        ("0%", 0, True),
        ("100 %", 100, True),
        ("12.5%", 12.5, True),
    ],
)
def test_limits(value, number, share):
    assert parse_limit("max_changed", value) == Limit("max_changed", number, share)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_no_limit(value):
    assert parse_limit("max_changed", value) is None


@pytest.mark.parametrize("value", [-1, "-1", True, False, 1.5, "1.5", "101%", "100.5%", "%", "x", [], {}, [5], "5 5"])
def test_what_is_not_a_limit(value):
    with pytest.raises(ValueError, match="^max_removed must be a number from 0"):
        parse_limit("max_removed", value)


@pytest.mark.parametrize(
    "limit, count, held, allowed",
    [
        ("0", 0, 50, True),
        ("0", 1, 50, False),
        ("3", 3, 3, True),
        ("3", 4, 500, False),
        ("30%", 3, 10, True),
        ("30%", 4, 10, False),
        ("30%", 9, 9, True),  # a share of fewer than ten does not count
        ("0%", 9, 9, True),
        ("0%", 1, 10, False),
        ("33.3%", 333, 1000, True),
        ("33.3%", 334, 1000, False),
        ("100%", 10, 10, True),
    ],
)
def test_what_a_limit_allows(limit, count, held, allowed):
    assert parse_limit("max_changed", limit).allows(count, held) is allowed


def test_a_limit_that_is_exceeded_says_all_that_matters():
    amounts = Amounts(["a", "b"], ["c"], ["d", "e", "f"], 12)
    limits = [Limit("max_changed", 1, False), Limit("max_removed", 5, True)]
    assert limit_refusals(limits, amounts) == [
        "max_changed allows 1: 2 would be replaced, 1 removed, 3 newly set. Replaced: a, b",
        "max_removed allows 5% of the 12 that are set: 2 would be replaced, 1 removed, 3 newly set. Removed: c",
    ]
    assert limit_refusals([Limit("max_changed", 2, False), Limit("max_removed", 1, False)], amounts) == []
