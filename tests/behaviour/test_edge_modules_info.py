# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""edge_modules_info: what is set today, in the form that edge_modules takes."""

from __future__ import annotations

import json
import time

import pytest
from harness.many import PER_GROUP, ids_of, many, paths_of, with_unset
from harness.samples import BACKEND, HEADERS, POLICY, RESTRICTION, TERMINATION

NAME = "edge_modules_info"
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
LISTS = ("tcp_edges", "tls_edges", "https_edges")
IDS = dict(
    tcp_edges=["edgtcp_1", "edgtcp_2"],
    tls_edges=["edgtls_1", "edgtls_2", "edgtls_3"],
    https_edges=[dict(id="edghts_1", routes=["edghtsrt_1", "edghtsrt_2"]), dict(id="edghts_2")],
)
NO_ROUTES = "https_edges[1] (edghts_2) lists no routes, so nothing of it is read: list the ids of its routes"
POLICY_TEXT = (
    '{"outbound":[],"inbound":[{"name":"a & \\u00e9 {{ b }}","actions":[{"type":"deny","config":{"n":1.50}}]}]}'
)
ADD = {"X-Edge": "café", "X-Upstream-Token": "s3cret-1", "X-Internal": "s3cret-2", "X-Count": "3", "X-Empty": ""}


def fill(sim):
    """Set something of every kind, and leave something of every kind unset."""
    sim.put(BACKEND, dict(backend_id="bkdtg_1", enabled=False))
    sim.put(RESTRICTION, dict(ip_policy_ids=["ipp_b", "ipp_a"]))
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    sim.put("/edges/tls/edgtls_2/tls_termination", dict(terminate_at="upstream"))
    sim.put("/edges/tls/edgtls_3/tls_termination", dict(terminate_at="edge"))
    sim.put("/edges/tls/edgtls_3/ip_restriction", dict(ip_policy_ids=[]))
    sim.put(POLICY, dict(value=POLICY_TEXT))
    sim.put(HEADERS, dict(add=ADD, remove=["X-Debug", "Via"]))
    sim.put("/edges/https/edghts_1/routes/edghtsrt_2/request_headers", {})


def lists_of(result):
    assert not result.failed, result.data
    return {name: result.data[name] for name in LISTS}


# What is read after `fill`.
FORM = with_unset(
    dict(
        tcp_edges=[
            dict(id="edgtcp_1", backend=dict(enabled=False, backend_id="bkdtg_1")),
            dict(id="edgtcp_2"),
        ],
        tls_edges=[
            dict(
                id="edgtls_1",
                ip_restriction=dict(enabled=True, ip_policy_ids=["ipp_b", "ipp_a"]),
                tls_termination=dict(enabled=True, terminate_at="edge", min_version="1.2"),
            ),
            dict(
                id="edgtls_2",
                tls_termination=dict(enabled=True, terminate_at="upstream"),
            ),
            dict(
                id="edgtls_3",
                ip_restriction=dict(enabled=True, ip_policy_ids=[]),
                tls_termination=dict(enabled=True, terminate_at="edge", min_version="default"),
            ),
        ],
        https_edges=[
            dict(
                id="edghts_1",
                routes=[
                    dict(
                        id="edghtsrt_1",
                        traffic_policy=dict(enabled=True, value=json.loads(POLICY_TEXT)),
                        request_headers=dict(
                            enabled=True, add={**ADD, "X-Upstream-Token": MASK}, remove=["X-Debug", "Via"]
                        ),
                    ),
                    dict(
                        id="edghtsrt_2",
                        request_headers=dict(enabled=True, add={}, remove=[]),
                    ),
                ],
            ),
            dict(id="edghts_2", routes=[]),
        ],
    )
)
TOTAL = len(paths_of(FORM))


def test_the_form(sim, run):
    fill(sim)
    result = run(NAME, IDS)
    assert lists_of(result) == FORM
    assert (result.changed, result.refused, result.warnings) == (False, [], [NO_ROUTES])
    assert "diff" not in result.data
    assert sim.writes == []
    assert run(NAME, IDS, check=True).data == result.data


@pytest.mark.parametrize("options", [{}, dict(tcp_edges=None), dict(https_edges=[]), dict(https_edges=[{"id": "e"}])])
def test_nothing_to_read(sim, run, options):
    result = run(NAME, options)
    expected = dict.fromkeys(LISTS, [])
    if options.get("https_edges"):
        expected["https_edges"] = [dict(id="e", routes=[])]
    assert lists_of(result) == expected
    assert sim.log == []


# How the service may answer: every reading of "not set", and every form of what is set.
READINGS = [
    dict(not_set="404"),
    dict(not_set="204", empty_fields="omitted", header_names="lower"),
    dict(not_set="empty", policy_form="indented", remove_order="sorted", default_min_version="1.1"),
    dict(not_set="null", empty_fields="null", ip_policy_order="reversed"),
    dict(not_set="{}", policy_form="echo", remove_order="reversed", empty_fields="omitted", delete_not_set="204"),
]


@pytest.mark.parametrize("include", [False, True], ids=["masked", "include_secrets"])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_what_is_read_and_given_back_changes_nothing(sim, run, reading, include):
    fill(sim)
    sim.configure(**reading)
    before = sim.resources
    named = dict(secret_headers=["X-Internal"])
    today = run(NAME, dict(IDS, include_secrets=include, **named))
    assert today.warnings == [NO_ROUTES]
    for purge in (False, True):
        # Given back by someone who names no further secrets, too.
        for options in (named, {}):
            back = run("edge_modules", dict(lists_of(today), purge=purge, **options))
            assert not back.failed, back.data
            assert back.summary == dict(total=TOTAL, changed=0, removed=0, unchanged=TOTAL, failed=0)
    assert sim.writes == []
    assert sim.resources == before
    assert ("s3cret" in today.text) is include


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_what_is_read_with_secrets_rebuilds_an_empty_service(sim, run, reading):
    sim.configure(**reading)
    fill(sim)
    before = sim.resources
    today = run(NAME, dict(IDS, include_secrets=True))
    for path in before:
        sim.delete(path)
    for changed in (len(before), 0):
        summary = run("edge_modules", lists_of(today)).summary
        assert summary == dict(total=TOTAL, changed=changed, removed=0, unchanged=TOTAL - changed, failed=0)
    assert sim.resources.keys() == before.keys()
    assert sorted(sim.get(HEADERS)["add"].values()) == sorted(ADD.values())


def test_a_mask_that_has_nothing_to_keep_is_told_by_name(sim, run):
    fill(sim)
    today = run(NAME, IDS)
    sim.delete(HEADERS)
    back = run("edge_modules", lists_of(today))
    assert back.failed
    assert "https_edge_route_request_headers edghts_1 edghtsrt_1: add.X-Upstream-Token is the mask" in back.msg
    assert sim.writes == []


def test_secrets_are_masked_unless_they_are_asked_for(sim, run):
    fill(sim)
    assert "s3cret-1" not in run(NAME, IDS).text
    assert "s3cret" not in run(NAME, dict(IDS, secret_headers=["x_internal"])).text
    shown = run(NAME, dict(IDS, include_secrets=True))
    assert shown.https_edges[0]["routes"][0]["request_headers"]["add"] == ADD


@pytest.mark.parametrize("held", ["no JSON", "", "[1]", '"{}"', '{"a":1,"a":2}', '{"inbound":{}}', '{"inbound":[1]}'])
def test_a_policy_that_cannot_be_given_back_is_told(sim, run, held):
    """It is shown as it is, and the user is warned of it."""
    sim.refusals_expected = True
    sim.configure(policy_form="echo")
    sim.add_fault("replace_body", method="GET", path=POLICY, body=dict(enabled=True, value=held))
    result = run(NAME, dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])]))
    assert not result.failed
    (warning,) = result.warnings
    assert warning.startswith("https_edge_route_traffic_policy edghts_1 edghtsrt_1: cannot be given back: value")
    shown = result.https_edges[0]["routes"][0]["traffic_policy"]["value"]
    assert shown == held or json.loads(held) == shown
    assert run("edge_modules", {"https_edges": result.https_edges}).failed


def test_headers_that_contradict_each_other_are_told(sim, run):
    sim.put(HEADERS, dict(add={"X-A": "1"}, remove=["x-a"]))
    result = run(NAME, dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])]))
    assert result.warnings == [
        "https_edge_route_request_headers edghts_1 edghtsrt_1: cannot be given back: add names X-A, and so does remove"
    ]


@pytest.mark.parametrize("answer, field", [(dict(enabled=True), "backend_id"), (dict(backend=None), "backend_id")])
def test_a_required_field_that_the_service_does_not_name_is_told(sim, run, answer, field):
    sim.add_fault("replace_body", method="GET", path=BACKEND, body=answer)
    result = run(NAME, dict(tcp_edges=["edgtcp_1"]))
    text = "tcp_edge_backend edgtcp_1: cannot be given back: the service names no %s" % field
    assert result.warnings == [text]
    assert result.tcp_edges[0]["backend"] == dict(enabled=True)


def test_faults_of_the_input_name_the_place_and_nothing_is_sent(sim, run):
    options = dict(
        tcp_edges=["edgtcp_1", "edgtls_1", "edgtcp_1", "a/b"],
        https_edges=[
            dict(id="edghts_1", routes=["edghtsrt_1", "edghts_2", "edghtsrt_1"]),
            dict(id="edghtsrt_1", routes=[]),
            dict(id="edghts_1"),
        ],
        concurrency=0,
    )
    result = run(NAME, options)
    assert result.failed
    places = [
        "tcp_edges[1] names another kind",
        "tcp_edges[2]: edgtcp_1 is listed twice, first in tcp_edges[0]: join the two",
        "tcp_edges[3] may contain",
        "https_edges[0].routes[1] (edghts_1) names another kind",
        "https_edges[0].routes[2] (edghts_1): edghtsrt_1 is listed twice, first in https_edges[0].routes[0]",
        "https_edges[1].id names another kind",
        "https_edges[2].id: edghts_1 is listed twice, first in https_edges[0].id: join the two",
        "concurrency must be at least 1",
    ]
    found = result.msg.split("; ")
    assert [one.startswith(place) for one, place in zip(found, places)] == [True] * len(places), found
    assert sim.log == []


@pytest.mark.parametrize(
    "options, place",
    [
        (dict(tcp_edges=["edgtcp_1", 3]), "tcp_edges[1] must be a string"),
        (dict(tcp_edges=["edgtcp_1", ""]), "tcp_edges[1] must not be blank"),
        (dict(tls_edges=[dict(id="edgtls_1")]), "tls_edges[0] must be a string, not a dict"),
        (dict(https_edges=["edghts_1"]), "https_edges[0] must be a dict, not a string"),
        (dict(https_edges=[dict(routes=[])]), "https_edges[0].id is required"),
        (dict(https_edges=[dict(id="edghts_1", routes=[None])]), "https_edges[0].routes[0] (edghts_1) must be"),
        (dict(https_edges=[dict(id="edghts_1", route=[])]), "https_edges[0].route (edghts_1) is not supported"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_faults_of_type_name_the_place_and_nothing_is_sent(sim, run, options, place):
    result = run(NAME, options)
    assert result.failed
    assert result.msg.startswith(place)
    assert sim.log == []


def test_reads_go_side_by_side_over_few_connections(sim, run):
    sim.configure(latency=0.02)
    options = ids_of(many(40))
    started = time.monotonic()
    run(NAME, dict(options, concurrency=8))
    assert time.monotonic() - started < len(sim.log) * 0.02
    assert sim.max_in_flight == 8
    assert len({record.connection for record in sim.log}) <= 8
    assert [record.method for record in sim.log] == ["GET"] * 40 * PER_GROUP


def test_a_failure_names_each_edge_module(sim, run):
    sim.add_fault(path="*/backend", status=500)
    result = run(NAME, ids_of(many(30)))
    assert result.failed
    assert result.msg.startswith(
        "30 of %d edge modules could not be read: tcp_edge_backend edgtcp_0, tcp_edge_backend " % len(sim.log)
    )
    assert result.msg.endswith(
        "edgtcp_28, tcp_edge_backend edgtcp_29: GET answered 500: a fault to order (code ERR_500)"
    )
    assert len(sim.log) == 30 * PER_GROUP


def test_a_wrong_key_stops_it(sim, run):
    sim.refusals_expected = True
    result = run(NAME, dict(ids_of(many(30)), api_key="wrong"))
    assert result.msg.startswith("%d of %d edge modules could not be read: " % (30 * PER_GROUP, 30 * PER_GROUP))
    assert len(sim.log) <= 8


def test_an_interruption_goes_on(sim, way, monkeypatch):
    import harness
    from ansible_collections.edgeops.edges.plugins.module_utils import _scheduler

    def interrupted(*args, **kwargs):
        raise TimeoutError("interrupted")

    monkeypatch.setattr(_scheduler, "wait", interrupted)
    fill(sim)
    with pytest.raises(TimeoutError, match="interrupted"):
        harness.run(way, NAME, {**harness.connection_options(sim), **IDS})
