# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When two values of a field are equal: the comparison table of the documentation, case by case."""

from __future__ import annotations

import json

import pytest
from harness.samples import HEADERS, POLICY, RESTRICTION, ROUTE_IDS, SAMPLES, TERMINATION, TLS_IDS


def _document(*rules, **more):
    return dict(inbound=[dict(name=name) for name in rules], **more)


def _leaf(value):
    """A policy that holds a value where the API page says nothing about types."""
    return {"x": {"y": [value]}}


# The same end to end.

SPELLINGS = [
    {"a": [1, {"é": "<&>"}], "inbound": []},
    {"inbound": [], "a": [1.0, {"é": "<&>"}]},
    '{"a":[1,{"é":"<&>"}],"inbound":[]}',
    '{ "inbound": [],\n  "a": [ 1, {"\\u00E9": "\\u003c\\u0026\\u003e"} ] }\n',
]


@pytest.mark.parametrize("form", ["normalized", "echo", "indented"])
def test_a_policy_written_otherwise_is_unchanged(sim, run, form):
    """As a dict, as JSON text, in another key order, with other escapes: one PUT, and never another."""
    sim.configure(policy_form=form)
    results = [run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value)) for value in SPELLINGS]
    assert [one.changed for one in results] == [True, False, False, False]
    assert len(sim.writes) == 1
    assert json.loads(sim.resources[POLICY]["value"]) == SPELLINGS[0]


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


def test_ids_in_another_order_are_unchanged_and_are_sent_in_the_order_given(sim, run):
    for ids, changed in ((["ipp_b", "ipp_a", "ipp_b"], True), (["ipp_a", "ipp_b"], False), (["ipp_a"], True)):
        assert run("tls_edge_ip_restriction", dict(TLS_IDS, ip_policy_ids=ids)).changed is changed
    assert [record.body["ip_policy_ids"] for record in sim.writes] == [["ipp_b", "ipp_a"], ["ipp_a"]]
    assert sim.resources[RESTRICTION]["ip_policy_ids"] == ["ipp_a"]


@pytest.mark.parametrize("names", ["as_sent", "lower"])
def test_header_names_in_another_case_are_unchanged(sim, run, names):
    sim.configure(header_names=names)
    task = "https_edge_route_request_headers"
    assert run(task, dict(ROUTE_IDS, add={"X-Edge": "a"}, remove=["X-Old", "Via"])).changed
    assert not run(task, dict(ROUTE_IDS, add={"x-edge": "a"}, remove=["VIA", "x-old"])).changed
    assert run(task, dict(ROUTE_IDS, add={"x-edge": "A"})).changed
    assert len(sim.writes) == 2
    assert sim.resources[HEADERS]["add"] == {"x-edge": "A"}


def test_a_version_that_yaml_reads_as_a_number_is_the_same_version(sim, run):
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    assert not run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=1.2)).changed
    assert run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=1.3)).changed
    assert sim.writes[-1].body["min_version"] == "1.3"


def test_json_compared_as_text(sim, run):
    """White space and key order alone make nothing changed, however often it is run."""
    sim.configure(policy_form="indented")
    for value in ('{"b":1,"a":2}', '{ "a": 2, "b": 1 }', {"a": 2, "b": 1}, '{"b":1,"a":2}'):
        changed = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value)).changed
        assert changed == (len(sim.log) == 2)


def test_null_compared_with_a_missing_field(sim, run):
    """A service that drops empty fields, or says null for them, makes nothing changed."""
    for form in ("kept", "omitted", "null"):
        sim.configure(empty_fields=form)
        for sample in SAMPLES:
            sim.put(sample.path, sample.stored_a)
            result = run(sample.module, sample.options(sample.a))
            assert (result.changed, result.warnings) == (False, []), sample.id
    assert sim.writes == []


def test_defaults_of_the_service_make_no_change(sim, run):
    """Not today, and not when the service moves its default."""
    task = dict(TLS_IDS, terminate_at="edge")
    assert run("tls_edge_tls_termination", task).changed
    for version in ("1.2", "1.3", None):
        sim.configure(default_min_version=version)
        for check in (True, False):
            assert not run("tls_edge_tls_termination", task, check=check).changed
    assert sim.resources[TERMINATION]["min_version"] is None
