# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file that the filter variables writes of what edge_modules_info returns can be given back, whatever is in it."""

from __future__ import annotations

import json

import pytest
import yaml
from ansible_collections.edgeops.edges.plugins.filter.variables import FilterModule
from harness.many import ids_of, many
from harness.samples import BACKEND, HEADERS, POLICY, RESTRICTION, TERMINATION

variables = FilterModule().filters()["variables"]
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
LISTS = ("tcp_edges", "tls_edges", "https_edges")
IDS = ids_of(
    dict(
        tcp_edges=[dict(id="edgtcp_1"), dict(id="edgtcp_2")],
        tls_edges=[dict(id="edgtls_1")],
        https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1")])],
    )
)
RULE = dict(name="a", actions=[dict(type="deny")])
HELD = {
    BACKEND: dict(enabled=True, backend=dict(id="bkdtg_1", uri="")),
    BACKEND.replace("edgtcp_1", "edgtcp_2"): dict(enabled=False, backend=dict(id="bkdtg_2", uri="")),
    RESTRICTION: dict(enabled=True, ip_policies=[dict(id="ipp_1", uri="")]),
    TERMINATION: dict(enabled=True, terminate_at="edge", min_version=None),
    POLICY: dict(enabled=True, value=json.dumps(dict(inbound=[RULE]))),
    HEADERS: dict(enabled=True, add={"X-A": "1", "X-Token": "s3cret"}, remove=["X-B"]),
}


def export(sim, run, **changed):
    """What the service holds, as the text of a file; by the path's end what it answers is changed."""
    for path, body in HELD.items():
        for end, other in changed.items():
            body = {**body, **other} if path.endswith(end) else body
        sim.add_fault("replace_body", method="GET", path=path, body=body)
    found = run("edge_modules_info", IDS)
    assert not found.failed, found.data
    return found, variables({"provision_" + name: found.data[name] for name in LISTS})


def read(text):
    return {name[len("provision_") :]: value for name, value in yaml.safe_load(text).items()}


# title, what the service answers otherwise, module, edge, what the file says of it
REFUSED = [
    ("backend: null", dict(backend=dict(backend=None)), "backend", "edgtcp_1", "backend.backend_id is required"),
    ("no reference", dict(backend=dict(backend={"id": ""})), "backend", "edgtcp_1", "backend.backend_id is required"),
    ("terminate_at", dict(tls_termination=dict(terminate_at="")), "tls_termination", "edgtls_1", "terminate_at"),
    ("version", dict(tls_termination=dict(min_version="TLS 1")), "tls_termination", "edgtls_1", "must be a dotted"),
    ("no JSON", dict(traffic_policy=dict(value="{no")), "traffic_policy", "edghts_1", "value is not valid JSON"),
    ("no object", dict(traffic_policy=dict(value="[1]")), "traffic_policy", "edghts_1", "must be a JSON object"),
    (
        "a wrong type",
        dict(traffic_policy=dict(value='{"inbound":[{"expressions":"{{ x }}\\n# y"}]}')),
        "traffic_policy",
        "edghts_1",
        "traffic_policy.value.inbound[0].expressions must be a list",
    ),
    (
        "half a pair",
        dict(traffic_policy=dict(value='{"a\\u2028":"\\ud800\\n"}')),
        "traffic_policy",
        "edghts_1",
        "half a surrogate pair",
    ),
    (
        "a name in both",
        dict(request_headers=dict(remove=["x-a"])),
        "request_headers",
        "edghts_1",
        "request_headers.add names X-A, and so does remove",
    ),
    (
        "a bad name",
        dict(request_headers=dict(add={"X A": "1"})),
        "request_headers",
        "edghts_1",
        "must be the name of an HTTP header",
    ),
]


@pytest.mark.parametrize("changed, module, edge_id, said", [pytest.param(*one, id=title) for title, *one in REFUSED])
def test_what_would_be_refused_is_a_comment_and_the_rest_works(sim, run, changed, module, edge_id, said):
    sim.refusals_expected = True
    found, text = export(sim, run, **changed)
    refused = {(one["edge_id"], one["module"]) for one in found.refused}
    assert {edge for edge, dummy in refused} == ({"edgtcp_1", "edgtcp_2"} if module == "backend" else {edge_id})
    assert all(name.endswith(module) for dummy, name in refused)
    assert all(one["reasons"] for one in found.refused)
    comments = [line.strip() for line in text.splitlines() if line.lstrip().startswith("#")]
    why = "# %s is left out, since edge_modules would refuse what the service holds (purge would remove it)"
    assert why % module in comments
    assert any(said in line for line in comments[:4]), comments
    assert "s3cret" not in text
    text.encode("utf-8")
    back = read(text)
    edges = [edge for name in LISTS for edge in back[name]]
    assert [edge["id"] for edge in edges] == ["edgtcp_1", "edgtcp_2", "edgtls_1", "edghts_1"]
    owners = [edge["routes"][0] if "routes" in edge else edge for edge in edges]
    assert sum(len(owner) - 1 for owner in owners) == 6 - len(refused)
    done = run("edge_modules", back)
    assert not done.failed and done.summary == dict(
        total=6 - len(refused), changed=0, removed=0, unchanged=6 - len(refused), failed=0
    )
    assert sim.writes == []


@pytest.mark.parametrize("key", ["inbound", "outbound", "name", "expressions", "actions", "type", "config"])
def test_a_null_that_the_service_holds_is_a_missing_one(sim, run, key):
    document = json.loads(json.dumps(dict(inbound=[RULE])))
    rule = document["inbound"][0]
    holder = document if key.endswith("bound") else rule["actions"][0] if key in ("type", "config") else rule
    holder[key] = None
    found, text = export(sim, run, traffic_policy=dict(value=json.dumps(document)))
    assert found.refused == [] and found.warnings == []
    assert "null" not in text
    done = run("edge_modules", read(text))
    assert not done.failed and done.summary["changed"] == 0, done.data
    assert sim.writes == []


def test_a_null_elsewhere_stays(sim, run):
    document = dict(inbound=[dict(RULE, own=None, actions=[dict(type="x", config=dict(a=None))])], other=None)
    text = export(sim, run, traffic_policy=dict(value=json.dumps(document)))[1]
    assert read(text)["https_edges"][0]["routes"][0]["traffic_policy"]["value"] == document


def test_what_is_not_set_is_left_out(sim, run):
    ids = ids_of(many(2))
    sim.put(BACKEND.replace("edgtcp_1", "edgtcp_0"), dict(backend_id="bkdtg_1"))
    found = run("edge_modules_info", ids)
    given = {"provision_" + name: found.data[name] for name in LISTS}
    back = read(variables(given))
    assert back["tcp_edges"] == [
        dict(id="edgtcp_0", backend=dict(enabled=True, backend_id="bkdtg_1")),
        dict(id="edgtcp_1"),
    ]
    assert back["https_edges"][1] == dict(id="edghts_1", routes=[dict(id="edghtsrt_1")])
    # What somebody has added since is not removed.
    sim.put(BACKEND, dict(backend_id="bkdtg_new"))
    assert run("edge_modules", back).summary["changed"] == 0
    unset = read(variables(given, unset=True))
    assert unset["tcp_edges"][1]["backend"] == dict(state="absent")
    assert unset == {name: found.data[name] for name in LISTS}
    assert run("edge_modules", unset, check=True).summary["removed"] == 1


def test_a_default_that_the_service_chooses_is_written(sim, run):
    found, text = export(sim, run)
    assert found.tls_edges[0]["tls_termination"]["min_version"] == "default"
    assert "min_version: default\n" in text
    assert MASK in text


@pytest.mark.parametrize(
    "given",
    [dict(tcp_edges="text"), dict(tcp_edges=[1, {"id": 5}, {}]), dict(a=[{"id": "x", "backend": {"state": "absent"}}])],
)
def test_what_is_no_list_of_edges_stays_as_it_is(given):
    assert yaml.safe_load(variables(given)) == given


@pytest.mark.parametrize("routes", [dict(), dict(routes=[]), dict(routes=None)], ids=str)
def test_an_edge_without_routes_is_warned_of(sim, run, routes):
    edges = [dict(id="edghts_1", routes=["edghtsrt_1"]), dict(id="edghts_2", **routes)]
    result = run("edge_modules_info", dict(https_edges=edges))
    assert not result.failed
    assert result.warnings == [
        "https_edges[1] (edghts_2) lists no routes, so nothing of it is read: list the ids of its routes"
    ]
    assert result.https_edges[1] == dict(id="edghts_2", routes=[])
