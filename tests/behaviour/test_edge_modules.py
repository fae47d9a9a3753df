# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""edge_modules: many edge modules in one task."""

from __future__ import annotations

import os
import re
import socket
import threading
import time

import facts
import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _scheduler
from harness import model
from harness.many import PER_GROUP, as_entry, ids_of, many, paths_of
from harness.samples import BACKEND, HEADERS, POLICY, RESTRICTION, SAMPLES, TERMINATION

NAME = "edge_modules"
# Hundreds of edge modules: those of many(GROUPS).
GROUPS = 40
MANY = GROUPS * PER_GROUP
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


def what(result):
    """The results in short: (edge, route, module, operation)."""
    return [(one["edge_id"], one["route_id"], one["module"], one["operation"]) for one in result.results]


def configs(result):
    return [model.comparable(one["module"], one["config"]) for one in result.results]


def wire(sim):
    """The writes on the wire in short."""
    return ["%s %s" % (record.method, record.path.rpartition("/")[2]) for record in sim.writes]


def failures(result):
    return {one["edge_id"]: one["error"] for one in result.results if "error" in one}


# The same as the single modules


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_an_entry_does_what_the_single_module_does(sim, run, sample):
    """From nothing to A, again, to B, to nothing, again; each as a dry run, then for real."""
    for options in (sample.a, sample.a, sample.b, dict(state="absent"), dict(state="absent")):
        single = [run(sample.module, sample.options(options), check=True)]
        many_ = [run(NAME, as_entry(sample, options), check=True)]
        held = sim.resources
        single.append(run(sample.module, sample.options(options)))
        written = sim.resources
        for path in set(held) | set(written):
            sim.delete(path)
        for path, config in held.items():
            sim.put(path, config)
        many_.append(run(NAME, as_entry(sample, options)))
        assert sim.resources == written
        for one, other in zip(single, many_):
            assert not one.failed and not other.failed, other.data
            (result,) = other.results
            assert other.changed == one.changed == result["changed"]
            assert (result["operation"], result["config"]) == (one.operation, one.config)
            assert other.diff == ([one.diff] if one.changed else [])
            assert result["module"] == sample.module
            assert dict(edge_id=result["edge_id"], route_id=result["route_id"]) == {"route_id": None, **sample.ids}


def test_three_lists_and_their_order(sim, run):
    """Results stand list by list in the order given, whatever the order in which things are done."""
    options = dict(
        https_edges=[
            dict(
                id="edghts_2",
                routes=[
                    dict(id="edghtsrt_9", request_headers=dict(add={"A": "1"}), traffic_policy=dict(value={})),
                    dict(id="edghtsrt_1", request_headers=dict(state="absent")),
                ],
            ),
            dict(id="edghts_1", routes=[]),
        ],
        tls_edges=[
            dict(id="edgtls_2", ip_restriction=dict(ip_policy_ids=[]), tls_termination=dict(terminate_at="edge")),
            dict(id="edgtls_1"),
        ],
        tcp_edges=[
            dict(id="edgtcp_2", backend=dict(backend_id="b")),
            dict(id="edgtcp_1", backend=dict(state="absent")),
        ],
    )
    result = run(NAME, options)
    assert what(result) == [
        ("edgtcp_2", None, "tcp_edge_backend", "replace"),
        ("edgtcp_1", None, "tcp_edge_backend", "none"),
        ("edgtls_2", None, "tls_edge_ip_restriction", "replace"),
        ("edgtls_2", None, "tls_edge_tls_termination", "replace"),
        ("edghts_2", "edghtsrt_9", "https_edge_route_request_headers", "replace"),
        ("edghts_2", "edghtsrt_9", "https_edge_route_traffic_policy", "replace"),
        ("edghts_2", "edghtsrt_1", "https_edge_route_request_headers", "none"),
    ]
    assert result.summary == dict(total=7, changed=5, removed=0, unchanged=2, failed=0)
    assert [one["after_header"].split()[0] for one in result.diff] == [
        "tcp_edge_backend",
        "tls_edge_ip_restriction",
        "tls_edge_tls_termination",
        "https_edge_route_request_headers",
        "https_edge_route_traffic_policy",
    ]


@pytest.mark.parametrize("options", [{}, dict(tcp_edges=[]), dict(tcp_edges=None, tls_edges=[dict(id="edgtls_1")])])
def test_nothing_to_do(sim, run, options):
    result = run(NAME, options)
    assert (result.failed, result.changed, result.results, result.diff) == (False, False, [], [])
    assert result.summary == dict(total=0, changed=0, removed=0, unchanged=0, failed=0)
    assert sim.log == []


def test_a_diff_is_there_only_where_it_is_asked_for(sim, run):
    assert "diff" not in run(NAME, many(1), diff=False).data


def test_hundreds_of_edge_modules(sim, run):
    """A dry run foretells what a run does; after it there is nothing left to do."""
    options = many(GROUPS)
    dry = run(NAME, options, check=True)
    assert dry.summary == dict(total=MANY, changed=MANY, removed=0, unchanged=0, failed=0)
    assert sim.writes == []
    real = run(NAME, options)
    assert real.summary == dry.summary
    assert (real.diff, what(real)) == (dry.diff, what(dry))
    assert len(real.diff) == MANY
    assert configs(dry) == configs(real)
    assert len(sim.resources) == MANY
    assert [record.method for record in sim.writes] == ["PUT"] * MANY
    again = run(NAME, options)
    assert again.summary == dict(total=MANY, changed=0, removed=0, unchanged=MANY, failed=0)
    assert again.diff == []
    today = run("edge_modules_info", ids_of(options))
    back = run(NAME, {name: today.data[name] for name in facts.EDGES})
    assert back.summary == dict(total=MANY, changed=0, removed=0, unchanged=MANY, failed=0)
    assert len(sim.writes) == MANY


# Side by side


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_concurrency_is_reached_and_kept(sim, run, concurrency):
    sim.configure(latency=0.02)
    assert run(NAME, dict(many(6), concurrency=concurrency)).summary["changed"] == 6 * PER_GROUP
    assert sim.max_in_flight == concurrency
    assert len({record.connection for record in sim.log}) <= concurrency


def test_connections_stay_open(sim, run):
    run(NAME, many(GROUPS))
    assert len(sim.log) == 2 * MANY
    assert len({record.connection for record in sim.log}) <= 8


def test_concurrency_beyond_the_most_counts_as_the_most(sim, run):
    assert run(NAME, dict(many(1), concurrency=10**9)).summary["changed"] == PER_GROUP


@pytest.mark.parametrize("concurrency", [0, -1])
def test_concurrency_must_be_one_at_least(sim, run, concurrency):
    result = run(NAME, dict(many(1), concurrency=concurrency))
    assert result.msg == "concurrency must be at least 1, not %d" % concurrency
    assert sim.log == []


# The order within an edge


def test_purge_of_a_tls_edge_turned_to_upstream_removes_first(sim, run):
    sim.configure(upstream_refuses=True)
    sim.put(RESTRICTION, dict(ip_policy_ids=["ipp_1"]))
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    options = dict(tls_edges=[dict(id="edgtls_1", tls_termination=dict(terminate_at="upstream"))], purge=True)
    dry = run(NAME, options, check=True)
    result = run(NAME, options)
    assert not result.failed, result.data
    assert wire(sim) == ["DELETE ip_restriction", "PUT tls_termination"]
    assert what(result) == what(dry)
    assert [one["operation"] for one in result.results if one["changed"]] == ["replace", "delete"]
    assert run(NAME, options).changed is False


@pytest.mark.parametrize("order", [("ip_restriction", "tls_termination"), ("tls_termination", "ip_restriction")])
@pytest.mark.parametrize("termination", [dict(terminate_at="edge"), dict(state="absent")], ids=str)
def test_the_termination_comes_before_what_depends_on_it(sim, run, order, termination):
    sim.configure(upstream_refuses=True, latency=0.01)
    sim.put(TERMINATION, dict(terminate_at="upstream"))
    entries = dict(tls_termination=termination, ip_restriction=dict(ip_policy_ids=["ipp_1"]))
    result = run(NAME, dict(tls_edges=[dict(id="edgtls_1", **{name: entries[name] for name in order})]))
    assert not result.failed, result.data
    method = "DELETE" if "state" in termination else "PUT"
    assert wire(sim) == [method + " tls_termination", "PUT ip_restriction"]


def test_where_a_removal_failed_the_termination_is_not_tried(sim, run):
    """Of that edge alone; everything else is done."""
    sim.configure(upstream_refuses=True)
    for number in (1, 2):
        sim.put("/edges/tls/edgtls_%d/ip_restriction" % number, dict(ip_policy_ids=["ipp_1"]))
    sim.add_fault(method="DELETE", path=RESTRICTION, status=500)
    entry = dict(ip_restriction=dict(state="absent"), tls_termination=dict(terminate_at="upstream"))
    options = dict(tls_edges=[dict(id="edgtls_1", **entry), dict(id="edgtls_2", **entry)])
    result = run(NAME, options)
    assert result.summary == dict(total=4, changed=2, removed=1, unchanged=0, failed=2)
    assert [record.path for record in sim.log if record.path == TERMINATION] == []
    assert result.results[1]["error"]["msg"] == "not tried: a removal on the same edge failed"
    assert result.msg.startswith("2 changed, 0 unchanged, 2 failed: tls_edge_ip_restriction edgtls_1: DELETE ")
    assert result.msg.endswith("; 1 not tried")
    sim.clear_faults()
    assert run(NAME, options).summary == dict(total=4, changed=2, removed=1, unchanged=2, failed=0)


def test_where_a_removal_failed_what_does_not_depend_on_it_is_done(sim, run):
    sim.put(POLICY, dict(value="{}"))
    sim.add_fault(method="DELETE", path=POLICY, status=500)
    route = dict(id="edghtsrt_1", traffic_policy=dict(state="absent"), request_headers=dict(add={"A": "1"}))
    result = run(NAME, dict(https_edges=[dict(id="edghts_1", routes=[route])]))
    assert result.summary == dict(total=2, changed=1, removed=0, unchanged=0, failed=1)
    assert sim.get(HEADERS) == dict(enabled=True, add={"A": "1"}, remove=[])


# Purge


def test_purge_removes_what_listed_edges_and_routes_leave_out_and_nothing_else(sim, run):
    for edge in (1, 2):
        sim.put("/edges/tcp/edgtcp_%d/backend" % edge, dict(backend_id="b"))
        sim.put("/edges/tls/edgtls_%d/ip_restriction" % edge, dict(ip_policy_ids=["ipp_1"]))
        sim.put("/edges/tls/edgtls_%d/tls_termination" % edge, dict(terminate_at="edge"))
        for route in (1, 2):
            base = "/edges/https/edghts_%d/routes/edghtsrt_%d" % (edge, route)
            sim.put(base + "/traffic_policy", dict(value="{}"))
            sim.put(base + "/request_headers", dict(add={"A": "1"}))
    options = dict(
        tcp_edges=[dict(id="edgtcp_1")],
        tls_edges=[dict(id="edgtls_1", ip_restriction=dict(ip_policy_ids=["ipp_1"]))],
        https_edges=[
            dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=dict(add={"A": "1"}))]),
            dict(id="edghts_2"),
        ],
    )
    before = sim.resources
    assert run(NAME, options).summary == dict(total=2, changed=0, removed=0, unchanged=2, failed=0)
    assert sim.resources == before
    gone = {"/edges/tcp/edgtcp_1/backend", "/edges/tls/edgtls_1/tls_termination", POLICY}
    dry = run(NAME, dict(options, purge=True), check=True)
    # Every edge module of what is listed, whether it is set or not: of two edges, and of one route.
    total = len(facts.MODULES)
    assert dry.summary == dict(total=total, changed=3, removed=3, unchanged=total - 3, failed=0)
    assert sim.resources == before
    result = run(NAME, dict(options, purge=True))
    assert (result.summary, result.diff) == (dry.summary, dry.diff)
    assert before.keys() - sim.resources.keys() == gone
    again = run(NAME, dict(options, purge=True))
    assert again.summary == dict(total=total, changed=0, removed=0, unchanged=total, failed=0)
    assert len(sim.writes) == 3


# What is wrong with the input


def refused(sim, run, options):
    result = run(NAME, options)
    assert result.failed
    assert "results" not in result.data
    assert sim.log == []
    # Some faults hold a semicolon themselves.
    return re.sub("; (supported here|YAML reads|set)", r", \1", result.msg).split("; ")


def test_what_is_listed_twice_is_refused(sim, run):
    options = dict(
        tcp_edges=[dict(id="edgtcp_1"), dict(id="edgtcp_2"), dict(id="edgtcp_1", backend=dict(backend_id="b"))],
        https_edges=[
            dict(id="edghts_1", routes=[dict(id="edghtsrt_1"), dict(id="edghtsrt_1")]),
            dict(id="edghts_2", routes=[dict(id="edghtsrt_1")]),
            dict(id="edghts_1", routes=[dict(id="edghtsrt_2")]),
        ],
    )
    assert refused(sim, run, options) == [
        "tcp_edges[2].id: edgtcp_1 is listed twice, first in tcp_edges[0].id: join the two",
        "https_edges[0].routes[1].id (edghts_1): edghtsrt_1 is listed twice, "
        "first in https_edges[0].routes[0].id: join the two",
        "https_edges[2].id: edghts_1 is listed twice, first in https_edges[0].id: join the two",
    ]


def test_every_fault_of_meaning_names_its_entry(sim, run):
    """All of them at once; a key that is missing is told with them."""
    route = dict(
        id="edghtsrt_1",
        traffic_policy=dict(value=dict(inbound=[{}, {}, dict(actions=[dict(type=1)])])),
        request_headers=dict(add={"X A": "1", "X-B": "a\nb", "X-C": True}, remove=["X-D", "é"]),
    )
    options = dict(
        tcp_edges=[dict(id="edgtls_1", backend=dict(backend_id="a b"))],
        tls_edges=[
            dict(id="edgtls_1", ip_restriction=dict(ip_policy_ids=["ipp_1", "ipp 2"])),
            dict(id="edgtls_2", tls_termination=dict(terminate_at="upstream", min_version="1.2")),
            dict(id="edgtls_3", tls_termination=dict(terminate_at="edge", min_version="x")),
        ],
        https_edges=[dict(id="edghts_1", routes=[route]), dict(id="edghts_2", routes=[dict(id="a/b")])],
        concurrency=0,
        timeout=0,
        base_url="",
    )
    found = refused(sim, run, options)
    places = [
        "tcp_edges[0].id names another kind",
        "tcp_edges[0].backend.backend_id (edgtls_1), tls_edges[0].ip_restriction.ip_policy_ids[1] (edgtls_1): each must"
        " not be blank or contain white space",
        "tls_edges[1].tls_termination.min_version (edgtls_2) must be left out",
        "tls_edges[2].tls_termination.min_version (edgtls_3) must be a dotted number",
        "https_edges[0].routes[0].traffic_policy.value.inbound[2].actions[0].type (edghts_1 edghtsrt_1)",
        "https_edges[0].routes[0].request_headers.add.X A (edghts_1 edghtsrt_1) must be the name of an HTTP header",
        "https_edges[0].routes[0].request_headers.add.X-B (edghts_1 edghtsrt_1) contains a line break",
        "https_edges[0].routes[0].request_headers.add.X-C (edghts_1 edghtsrt_1) must be a string or a whole number",
        "https_edges[0].routes[0].request_headers.remove[1] (edghts_1 edghtsrt_1) must be the name of an HTTP header",
        "https_edges[1].routes[0].id (edghts_2) may contain",
        "concurrency must be at least 1",
        "base_url is required",
        "timeout must be from 1",
    ]
    for place in places:
        assert [one for one in found if one.startswith(place)], (place, found)
    assert len(found) == len(places), found


def test_every_fault_of_type_names_its_entry(sim, run):
    options = dict(
        tcp_edges=[
            dict(id="edgtcp_1", backend=dict(backend="b")),
            dict(backend=dict(backend_id=["b"])),
            "edgtcp_3",
            dict(id="edgtcp_4", backend=dict(backend_id=None)),
            dict(id="edgtcp_5", backend=dict(backend_id="b", enabled="perhaps")),
            dict(id="edgtcp_6", backend=dict(state="gone")),
        ],
        tls_edges=[dict(id="edgtls_1", ip_restriction=dict(ip_policy_ids=["a", None, 3, " "]), ip_restrictions={})],
        https_edges=[
            dict(id="edghts_1", routes=dict(id="edghtsrt_1")),
            dict(id="edghts_2", routes=[dict(traffic_policy=dict(value={}, policy={}))]),
        ],
        purge="perhaps",
    )
    found = refused(sim, run, options)
    expected = [
        "tcp_edges[0].backend.backend (edgtcp_1) is not supported",
        "tcp_edges[0].backend.backend_id (edgtcp_1), tcp_edges[3].backend.backend_id (edgtcp_4): each is required when",
        "tcp_edges[1].id is required",
        "tcp_edges[1].backend.backend_id must be a string, not a list",
        "tcp_edges[2] must be a dict, not a string",
        'tcp_edges[4].backend.enabled (edgtcp_5) must be true or false, not "perhaps"',
        'tcp_edges[5].backend.state (edgtcp_6) must be one of present, absent, not "gone"',
        "tls_edges[0].ip_restrictions (edgtls_1) is not supported",
        "tls_edges[0].ip_restriction.ip_policy_ids[1] (edgtls_1) must be a string, not null",
        "tls_edges[0].ip_restriction.ip_policy_ids[2] (edgtls_1) must be a string, not a number: quote it",
        "tls_edges[0].ip_restriction.ip_policy_ids[3] (edgtls_1) must not be blank",
        "https_edges[0].routes (edghts_1) must be a list of dicts, not a dict",
        "https_edges[1].routes[0].id (edghts_2) is required",
        "https_edges[1].routes[0].traffic_policy.value (edghts_2) is given twice",
        'purge must be true or false, not "perhaps"',
    ]
    assert all([one for one in found if one.startswith(place)] for place in expected), found
    assert len(found) == len(expected), found


def test_more_than_twenty_faults_are_counted(sim, run):
    found = refused(sim, run, dict(tcp_edges=[dict(id=str(number) + "/") for number in range(33)]))
    assert len(found) == 21
    assert found[-1] == "and 13 more"


def test_absent_ignores_the_other_options_of_its_entry(sim, run):
    sim.put(BACKEND, dict(backend_id="b"))
    nonsense = dict(state="absent", backend_id=["no", {}], enabled={})
    result = run(NAME, dict(tcp_edges=[dict(id="edgtcp_1", backend=nonsense)]))
    assert [one["operation"] for one in result.results] == ["delete"]


# Failures


def test_one_failure_among_hundreds_does_not_stop_the_others(sim, run):
    options = many(GROUPS)
    fault = sim.add_fault(method="PUT", path="/edges/tls/edgtls_17/ip_restriction", status=400)
    result = run(NAME, options)
    assert (result.failed, result.changed) == (True, True)
    assert result.summary == dict(total=MANY, changed=MANY - 1, removed=0, unchanged=0, failed=1)
    assert len(sim.resources) == MANY - 1
    assert re.fullmatch(
        r"\d+ changed, 0 unchanged, 1 failed: tls_edge_ip_restriction edgtls_17:"
        r" PUT /edges/tls/edgtls_17/ip_restriction answered 400: a fault to order \(code ERR_400, operation op_\d+\)",
        result.msg,
    )
    assert result.msg.startswith("%d changed" % (MANY - 1))
    (error,) = failures(result).values()
    assert error["status"] == 400
    assert error["code"] == "ERR_400"
    assert error["method"], error["path"] == ("PUT", "/edges/tls/edgtls_17/ip_restriction")
    assert len(result.diff) == MANY - 1
    assert fault.hits == 1
    sim.clear_faults()
    sim.clear_log()
    again = run(NAME, options)
    assert again.summary == dict(total=MANY, changed=1, removed=0, unchanged=MANY - 1, failed=0)
    assert [record.path for record in sim.writes] == ["/edges/tls/edgtls_17/ip_restriction"]


def test_failures_with_the_same_reason_are_told_once(sim, run):
    sim.add_fault(method="PUT", path="*/backend", status=400)
    result = run(NAME, many(33))
    total = 33 * PER_GROUP
    assert result.summary == dict(total=total, changed=total - 33, removed=0, unchanged=0, failed=33)
    assert result.msg.startswith("%d changed, 0 unchanged, 33 failed: tcp_edge_backend edgtcp_" % (total - 33))
    assert result.msg.endswith(": PUT answered 400: a fault to order (code ERR_400)")
    assert result.msg.count("answered 400") == 1
    named = re.findall(r"tcp_edge_backend (edgtcp_\d+)", result.msg)
    assert sorted(named) == sorted(one["edge_id"] for one in result.results if "error" in one), "and all by name"
    assert len(failures(result)) == 33


def test_a_failure_after_the_write_took_effect_is_a_change(sim, run):
    sim.add_fault("replace_body", method="PUT", path=BACKEND, body=[])
    result = run(NAME, dict(tcp_edges=[dict(id="edgtcp_1", backend=dict(backend_id="b"))]))
    assert (result.failed, result.changed) == (True, True)
    assert result.summary == dict(total=1, changed=0, removed=0, unchanged=0, failed=1)
    assert result.results[0]["changed"] is True


def test_a_warning_of_each_edge_module_is_kept(sim, run):
    answer = dict(enabled=True, backend=dict(id="x", uri="u"))
    sim.add_fault("replace_body", method="PUT", path="*/backend", body=answer)
    result = run(NAME, dict(tcp_edges=many(3)["tcp_edges"]))
    assert not result.failed
    assert result.warnings == [
        "tcp_edge_backend edgtcp_%d: the service holds something else than was asked for in backend_id" % number
        for number in range(3)
    ]


def test_a_wrong_key_stops_the_task(sim, run):
    sim.refusals_expected = True
    started = time.monotonic()
    result = run(NAME, dict(many(GROUPS), api_key="wrong", concurrency=4))
    assert time.monotonic() - started < 10
    assert len(sim.log) <= 4
    assert result.summary == dict(total=MANY, changed=0, removed=0, unchanged=0, failed=MANY)
    assert (result.failed, result.changed) == (True, False)
    assert result.msg.startswith("0 changed, 0 unchanged, %d failed: tcp_edge_backend edgtcp_0" % MANY)
    assert ": GET " in result.msg and result.msg.count("answered 401") == 1
    tried = [one for one in result.results if one["error"]["status"] == 401]
    assert result.msg.endswith("; %d not tried" % (MANY - len(sim.log)))
    assert result.results[-1]["error"]["msg"] == "not tried: the task was stopped"
    assert tried


def test_a_service_that_is_not_there_stops_the_task(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = "http://127.0.0.1:%d" % taken.getsockname()[1]
        started = time.monotonic()
        result = run(NAME, dict(many(200), base_url=address, retries=2))
    assert time.monotonic() - started < 15
    total = 200 * PER_GROUP
    assert result.summary == dict(total=total, changed=0, removed=0, unchanged=0, failed=total)
    assert re.search(r"failed: .*refused.* \(tried 3 times\)", result.msg)
    not_tried = int(re.search(r"; (\d+) not tried$", result.msg).group(1))
    assert total - 8 <= not_tried < total


def test_a_service_that_dies_in_the_middle_stops_the_task(sim, run):
    sim.add_fault("reset_before", after=200)
    result = run(NAME, dict(many(100), retries=2))
    assert result.failed
    summary = result.summary
    assert 90 <= summary["changed"] <= 100
    total = 100 * PER_GROUP
    assert summary["changed"] + summary["failed"] == summary["total"] == total
    assert len(sim.log) < 200 + 8 * 3 * 3
    not_tried = [one for one in result.results if one.get("error", {}).get("msg", "").startswith("not tried")]
    assert len(not_tried) > total - 150
    assert result.msg.endswith("; %d not tried" % len(not_tried))
    written = sum(one["changed"] for one in result.results)
    sim.clear_faults()
    again = run(NAME, many(100))
    assert again.summary == dict(total=total, changed=total - written, removed=0, unchanged=written, failed=0)


def test_one_edge_that_cannot_be_reached_does_not_stop_the_others(sim, run):
    """A connection fault counts as the service's only where nothing else succeeds either."""
    sim.add_fault("reset_before", path="/edges/tls/edgtls_3/*")
    sim.configure(latency=0.01)
    options = many(GROUPS)
    lost = len([path for path in paths_of(options) if "/edgtls_3/" in path])
    result = run(NAME, dict(options, retries=1))
    assert result.summary == dict(total=MANY, changed=MANY - lost, removed=0, unchanged=0, failed=lost)


def test_a_429_halts_every_request_until_its_time_has_passed(sim, run):
    sim.configure(latency=0.01)
    sim.add_fault(status=429, times=1, after=150, headers={"Retry-After": "2"})
    result = run(NAME, dict(many(20), retry_max_wait=10))
    total = 20 * PER_GROUP
    assert result.summary == dict(total=total, changed=total, removed=0, unchanged=0, failed=0)
    (refusal,) = [record for record in sim.log if record.status == 429]
    assert refusal.fault == "status"
    # What was on its way when the answer came is there within a moment; after that there is silence.
    later = [record.time - refusal.end for record in sim.log if record.time > refusal.end]
    assert not [one for one in later if 0.5 < one < 1.95], later
    assert sum(one <= 0.5 for one in later) <= 8
    assert min(one for one in later if one > 0.5) < 3
    assert len([one for one in later if one > 0.5]) > 30


def test_a_longer_wait_than_allowed_ends_the_task_at_once(sim, run):
    sim.add_fault(status=429, after=50, headers={"Retry-After": "3600"})
    started = time.monotonic()
    result = run(NAME, dict(many(20), retry_max_wait=5))
    assert time.monotonic() - started < 10
    assert result.summary["failed"] > 70
    assert "asked to wait for 3600 s, more than retry_max_wait allows (5 s)" in result.msg


# Secrets


@pytest.mark.parametrize("where", ["top", "entry"])
def test_secret_headers_are_named_at_the_top_or_in_an_entry(sim, run, where):
    add = {"X-Plain": "s3cret-one", "X-Other": "visible", "Authorization": "s3cret-two"}
    entry = dict(add=add)
    options = dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=entry)])])
    (options if where == "top" else entry)["secret_headers"] = ["x-plain"]
    for check in (True, False):
        result = run(NAME, options, check=check)
        assert result.results[0]["config"]["add"] == {"X-Plain": MASK, "X-Other": "visible", "Authorization": MASK}
        assert "s3cret" not in result.text
    assert sim.get(HEADERS)["add"] == add


def test_secret_headers_of_an_entry_are_its_own(sim, run):
    routes = [
        dict(id="edghtsrt_1", request_headers=dict(add={"X-A": "one"}, secret_headers=["X-A"])),
        dict(id="edghtsrt_2", request_headers=dict(add={"X-A": "two"})),
    ]
    result = run(NAME, dict(https_edges=[dict(id="edghts_1", routes=routes)]))
    assert [one["config"]["add"]["X-A"] for one in result.results] == [MASK, "two"]


def test_a_mask_keeps_what_the_service_holds(sim, run):
    sim.put(HEADERS, dict(add={"X-Token": "s3cret", "X-A": "1"}))
    headers = dict(add={"X-Token": MASK, "X-A": "2", "X-New-Token": MASK})
    options = dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=headers)])])
    result = run(NAME, options)
    assert result.failed
    assert "add.X-New-Token is the mask that keeps a value, but the service holds none" in result.msg
    assert sim.writes == []
    del headers["add"]["X-New-Token"]
    result = run(NAME, options)
    assert result.changed
    assert sim.get(HEADERS)["add"] == {"X-Token": "s3cret", "X-A": "2"}
    assert "s3cret" not in result.text


def test_a_secret_never_shows_in_a_fault_of_the_input(sim, run):
    for wrong in (dict(ad={"X-Token": "s3cret"}), dict(add={"X-Token": "s3cret\n"}), dict(add="s3cret")):
        entry = dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=wrong)])
        result = run(NAME, dict(https_edges=[entry], api_key="k3y-secret"))
        assert result.failed
        assert "s3cret" not in result.text and "k3y-secret" not in result.text


# Interruptions of a module in this process; those of a real run are among the integration tests.


@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError])
def test_what_interrupts_the_task_lets_no_new_request_start(sim, way, raised, monkeypatch, tmp_path):
    """It goes on once the requests in flight are answered, and no thread stays behind."""

    sim.configure(latency=0.1)
    real_wait = _scheduler.wait
    moments = []

    def interrupted(*args, **kwargs):
        if len(sim.log) > 40:
            moments.append(time.monotonic())
            raise raised("interrupted")
        return real_wait(*args, **kwargs)

    monkeypatch.setattr(_scheduler, "_TICK", 0.01)
    monkeypatch.setattr(_scheduler, "wait", interrupted)
    options = {**harness.connection_options(sim), **many(GROUPS)}
    warned = []
    if way == "worker":
        from ansible.utils.display import Display

        harness._start_plugin_loader()
        from ansible_collections.edgeops.edges.plugins.plugin_utils import _action

        monkeypatch.setattr(Display, "warning", lambda self, msg, *args, **kwargs: warned.append(msg))
        monkeypatch.setattr(_action, "_stderr", os.open(tmp_path / "stderr", os.O_CREAT | os.O_WRONLY))
    if way == "module" and raised is KeyboardInterrupt:
        result = harness.run(way, NAME, options)
        message = result.msg
        assert result.failed
        assert result.summary["total"] == MANY
        assert result.summary["changed"] == len(sim.resources)
    else:
        with pytest.raises(raised):
            harness.run(way, NAME, options)
        message = "".join(warned)
        if way == "worker" and raised is KeyboardInterrupt:
            assert not warned, "nobody listens to Display any more"
            message = (tmp_path / "stderr").read_text(encoding="utf-8").removeprefix("[WARNING]: ")
    sent = len(sim.log)
    assert [thread.name for thread in threading.enumerate() if "ThreadPool" in thread.name] == []
    time.sleep(0.1)
    assert len(sim.log) == sent < 70
    # An edge module whose GET was in flight is not written any more either.
    assert max(record.time for record in sim.log) < moments[0] + 0.05
    if way == "worker" or raised is KeyboardInterrupt:
        text = "The task was stopped: %d of %d edge modules were written before: " % (len(sim.resources), MANY)
        assert message.startswith(text)
    monkeypatch.undo()
    sim.configure(latency=0)
    done = len(sim.resources)
    assert harness.run(way, NAME, options).summary == dict(
        total=MANY, changed=MANY - done, removed=0, unchanged=done, failed=0
    )


@pytest.mark.parametrize(
    "check, text", [(True, "it was a dry run: nothing was written"), (False, "nothing was written before")]
)
def test_an_interruption_before_anything_was_written(sim, monkeypatch, check, text):

    options = {**harness.connection_options(sim), **many(1)}
    if not check:
        harness.run("module", NAME, options)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(_scheduler, "_TICK", 0.01)
    monkeypatch.setattr(_scheduler, "wait", interrupted)
    result = harness.run("module", NAME, options, check=check)
    assert result.failed
    assert result.msg == "The task was stopped: " + text
