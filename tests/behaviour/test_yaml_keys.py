# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keys and date-times that YAML did not read as text are refused by place, before JSON makes other text of them."""

from __future__ import annotations

import datetime
import textwrap
import time

import harness
import pytest
import yaml
from ansible.errors import AnsibleActionFail
from harness.samples import HEADERS, POLICY, ROUTE_IDS, sample_of

RTP, RTH = "https_edge_route_traffic_policy", "https_edge_route_request_headers"


def run(sim, way, name, options):
    """Run a task as Ansible does: through the action plugin, wherever the work is done then."""
    options = {**harness.connection_options(sim), **options}
    return harness._run_worker(name, options, False, False, dict(edgeops_edges_in_process=way == "worker"))


# YAML of `add`, and what is said of it.
KEYS = {
    "on: a": "add.true: YAML reads this key as the boolean true (on, yes and true",
    "Yes: a": "add.true: YAML reads this key as the boolean true (on, yes and true",
    "no: a": "add.false: YAML reads this key as the boolean false (off, no and false",
    "{off: a, no: b}": "add.false: YAML reads this key as the boolean false (off, no and false",
    "~: a": "add.null: YAML reads this key as null",
    "1.10: a": "add.1.1: YAML reads this key as the number 1.1",
    "8080: a": "add.8080: YAML reads this key as the number 8080",
    "0x10: a": "add.16: YAML reads this key as the number 16",
    "1_000: a": "add.1000: YAML reads this key as the number 1000",
    "12:30: a": "add.750: YAML reads this key as the number 750",
    ".inf: a": "add.inf: YAML reads this key as the number inf",
    "2026-01-02: a": "add.2026-01-02: YAML reads this key as a date, not as a string",
    "2026-01-02T10:00:00Z: a": "add.2026-01-02 10:00:00+00:00: YAML reads this key as a date and time, not as a string",
    "X-Since: 2026-01-02T10:00:00Z": "add.X-Since: YAML reads this as a date and time, and does not keep its text",
    "X-Since: 2026-01-02 10:00:00": "add.X-Since: YAML reads this as a date and time, and does not keep its text",
}


@pytest.mark.parametrize("text", KEYS)
def test_in_headers(sim, text):
    result = run(sim, "worker", RTH, dict(ROUTE_IDS, add=yaml.safe_load(text)))
    assert result.failed and result.msg.startswith(KEYS[text]), result.msg
    assert result.msg.split("; ")[0].endswith(": quote it")
    assert sim.log == []


@pytest.mark.parametrize("text", KEYS)
@pytest.mark.parametrize("option", ["value", "policy"])
def test_at_any_depth_of_a_policy(sim, text, option):
    document = {"inbound": [{"name": "a"}, {"actions": [{"config": {"headers": yaml.safe_load(text)}}]}]}
    result = run(sim, "worker", RTP, dict(ROUTE_IDS, **{option: document}))
    told = KEYS[text].replace("add", "value.inbound[1].actions[0].config.headers", 1)
    assert result.failed and result.msg.startswith(told), result.msg
    assert sim.log == []


EVERYTHING = """
tcp_edges: [{id: edgtcp_1, backend: {backend_id: b, nonsense: 1}}]
https_edges:
  - id: edghts_1
  - id: edghts_2
    name: shop
    routes:
      - id: edghtsrt_1
      - id: edghtsrt_2
        request_headers: {add: {on: a, X-Since: 2026-01-02T10:00:00Z, X-A: []}}
        traffic_policy: {value: {inbound: [{name: x, 10: {2026-01-02: 3}, expressions: 3}]}}
timeout: 0
"""


def test_whatever_else_is_wrong_is_told_too(sim, way):
    """Both ways of running tell the same in the same words."""
    result = run(sim, way, "edge_modules", yaml.safe_load(EVERYTHING))
    route = 'https_edges[1].routes[1].%s (edghts_2 "shop" edghtsrt_2)'
    assert [fault.split(": YAML reads")[0].split(" must be")[0] for fault in result.msg.split("; ")] == [
        route % "request_headers.add.true",
        route % "request_headers.add.X-Since",
        route % "traffic_policy.value.inbound[0].10",
        route % "traffic_policy.value.inbound[0].10.2026-01-02",
        "tcp_edges[0].backend.nonsense (edgtcp_1) is not supported: use one of backend_id, enabled, state",
        route % "traffic_policy.value.inbound[0].expressions",
        route % "request_headers.add.X-A",
        "timeout",
    ]
    assert sim.log == [] and sim.api_key not in result.text


def test_what_is_no_fault(sim, way):
    """A date is sent as the text that was written; what an absent module names does not count."""
    options = dict(ROUTE_IDS, add={"X-Day": datetime.date(2026, 1, 2), "2026-01-02": "on", "X-A": 8080})
    assert run(sim, way, RTH, options).changed
    assert sim.resources[HEADERS]["add"] == {"X-Day": "2026-01-02", "2026-01-02": "on", "X-A": "8080"}
    assert run(sim, "worker", RTH, dict(ROUTE_IDS, add={True: "a"}, state="absent")).operation == "delete"
    entry = dict(value={None: datetime.datetime(2026, 1, 2)}, state="absent")
    many = dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", traffic_policy=entry)])])
    assert not run(sim, "worker", "edge_modules", many).changed


@pytest.mark.parametrize(
    "options, told",
    [
        ({True: 1}, "true is not supported"),
        ({datetime.date(2026, 1, 2): 1}, "2026-01-02 is not supported"),
        ({"add": {"X-A": [b"a"]}}, "add.X-A[0] must be a string, not binary data"),
        ({"secret_headers": [b"a"]}, "secret_headers[0] must be a string, not binary data"),
        ({"add": {b"a": "1"}}, "add.b'a': YAML reads this key as something else (bytes)"),
    ],
    ids=str,
)
def test_what_json_lacks(sim, options, told):
    result = run(sim, "worker", RTH, {**ROUTE_IDS, **options})
    assert result.failed and told in result.msg
    assert sim.log == []


# PyYAML reads this, but Python does not write it as decimal digits.
LONG = int("f" * 5000, 16)


@pytest.mark.parametrize(
    "name, options, told",
    [
        (RTH, {"add": {"X-A": LONG}}, "add.X-A is a number with too many digits"),
        (RTH, {"add": {LONG: "a"}}, "add.a number of too many digits: YAML reads this key as a number, not as"),
        (RTP, {"value": {"a": [{"b": -LONG}]}}, "value.a[0].b is a number with too many digits"),
        (RTP, {"value": {"a": {"b": {"x", "y"}}}}, "value.a.b must be a list, not a set, which has no order"),
        (RTP, {"value": {"inbound": [{"expressions": frozenset("x")}]}}, "value.inbound[0].expressions must be a list"),
        (RTH, {"remove": {"X-A", "X-B"}}, "remove must be a list, not a set"),
        (RTH, {"secret_headers": {"X-A", "X-B"}}, "secret_headers must be a list, not a set"),
        ("edge_modules", {"tcp_edges": [{"id": LONG}]}, "tcp_edges[0].id is a number with too many digits"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_long_numbers_and_sets(sim, way, name, options, told):
    """Either ends in an exception, or in a list in another order each time, depending on ansible-core and Python."""
    result = run(sim, way, name, {**({} if name == "edge_modules" else ROUTE_IDS), **options})
    assert result.failed and told in result.msg, result.msg
    assert result.msg.count("a set") <= 1 and sim.log == []


def test_what_stands_in_itself_is_refused(sim):
    document = {"a": {}}
    document["a"].update(b=document, c=[document, {1: document}])
    with pytest.raises(AnsibleActionFail, match="nested too deep, or contain themselves"):
        run(sim, "worker", RTP, dict(ROUTE_IDS, value=document))
    assert sim.log == []


PLAYBOOK = """
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/edgeops.edges.all: {base_url: "%(base_url)s", api_key: "%(api_key)s"}
  vars:
    edgeops_edges_in_process: %(in_process)s
    ids: {edge_id: edghts_1, route_id: edghtsrt_1}
    since: 2026-01-02T10:00:00Z
    day: 2026-01-02
    headers: {on: a, X-Since: 2026-01-02T10:00:00+02:00}
    clean: {X-A: "on", X-B: "2026-01-03 10:00:00+00:00", X-C: "{{ day }}", X-D: "{{ 'no' }}"}
    rules: [{name: a, 1.10: x}, {name: b, actions: [{config: {at: "{{ since }}", ~: 1}}]}]
    policy: {inbound: "{{ rules }}"}
    edges:
      - id: edghts_1
        routes:
          - id: edghtsrt_1
            request_headers: {add: "{{ headers }}"}
            traffic_policy: {value: {off: 1, since: 2026-01-02 10:00:00}}
    days: {inbound: [{name: a, expressions: ["x"], day: 2026-01-02, days: [2026-01-03]}]}
  tasks:
    - name: direct
      edgeops.edges.https_edge_route_request_headers:
        edge_id: edghts_1
        route_id: edghtsrt_1
        add: {off: a, X-Since: 2026-01-02T10:00:00Z, X-At: "{{ since }}"}
      ignore_errors: true
    - name: variable
      tags: both
      edgeops.edges.https_edge_route_request_headers:
        edge_id: edghts_1
        route_id: edghtsrt_1
        add: "{{ headers }}"
      ignore_errors: true
    - name: filter
      edgeops.edges.https_edge_route_request_headers:
        edge_id: edghts_1
        route_id: edghtsrt_1
        add: "{{ headers | combine({'X-Z': 1}) }}"
      ignore_errors: true
    - name: loop
      edgeops.edges.https_edge_route_request_headers:
        edge_id: edghts_1
        route_id: edghtsrt_1
        add: "{{ item }}"
      loop: ["{{ headers }}"]
      ignore_errors: true
    - name: policy
      edgeops.edges.https_edge_route_traffic_policy:
        edge_id: edghts_1
        route_id: edghtsrt_1
        value: "{{ policy }}"
      ignore_errors: true
    - name: from_yaml
      edgeops.edges.https_edge_route_traffic_policy:
        edge_id: edghts_1
        route_id: edghtsrt_1
        value: "{{ '{on: 1, since: 2026-01-02T10:00:00Z}' | from_yaml }}"
      ignore_errors: true
    - name: edges
      tags: both
      edgeops.edges.edge_modules:
        https_edges: "{{ edges }}"
      ignore_errors: true
    - name: extra
      edgeops.edges.edge_modules:
        https_edges: "{{ extra_edges }}"
      ignore_errors: true
    - name: clean
      tags: both
      edgeops.edges.https_edge_route_request_headers:
        edge_id: edghts_1
        route_id: edghtsrt_1
        add: "{{ clean }}"
    - name: days
      tags: both
      edgeops.edges.https_edge_route_traffic_policy:
        edge_id: edghts_1
        route_id: edghtsrt_1
        value: "{{ days }}"
"""

EXTRA = """
extra_edges:
  - id: edghts_1
    routes:
      - {id: edghtsrt_1, request_headers: {add: {X-A: a, no: b}}}
"""


@pytest.mark.parametrize("way", harness.WAYS)
def test_through_variables_and_templates(sim, tmp_path, way):
    in_process = "true" if way == "worker" else "false"
    text = PLAYBOOK % dict(base_url=sim.base_url, api_key=sim.api_key, in_process=in_process)
    path, extra = tmp_path / "play.yml", tmp_path / "extra.yml"
    path.write_text(text, encoding="utf-8")
    extra.write_text(EXTRA, encoding="utf-8")
    # A module takes long to start: some tasks have to do.
    chosen = [] if way == "worker" else ["--tags", "both"]
    done = harness.playbook(path, "-e", "@%s" % extra, *chosen, tmp_path=tmp_path / "run")
    assert done.returncode == 0, done.text

    def told(task):
        """The places that are told: those with the same fault stand together."""
        results = done.of(task)
        found = results[0]["results"][0] if "results" in results[0] else results[0]
        assert found["msg"].count("YAML reads") > 0
        return [place for fault in found["msg"].split("; ") for place in fault.split(": YAML reads")[0].split(", ")]

    route = "https_edges[0].routes[0].%s (edghts_1 edghtsrt_1)"
    assert told("edges") == [
        route % "request_headers.add.true",
        route % "request_headers.add.X-Since",
        route % "traffic_policy.value.since",
        route % "traffic_policy.value.false",
    ]
    assert told("variable") == ["add.true", "add.X-Since"]
    assert HEADERS in sim.resources, (done.text, sim.log)
    assert sim.resources[HEADERS]["add"] == {
        "X-A": "on", "X-B": "2026-01-03 10:00:00+00:00", "X-C": "2026-01-02", "X-D": "no"
    }  # fmt: skip
    assert '"day":"2026-01-02","days":["2026-01-03"]' in sim.resources[POLICY]["value"]
    assert [record.method for record in sim.writes] == ["PUT", "PUT"]
    if way == "module":
        return
    assert told("direct") == ["add.false", "add.X-Since", "add.X-At"]
    assert told("filter") == told("loop") == ["add.true", "add.X-Since"]
    assert told("policy") == [
        "value.inbound[0].1.1",
        "value.inbound[1].actions[0].config.null",
        "value.inbound[1].actions[0].config.at",
    ]
    assert told("from_yaml") == ["value.true", "value.since"]
    assert told("extra") == [route % "request_headers.add.false"]


def test_ten_thousand_entries_cost_little(sim):
    from ansible_collections.edgeops.edges.plugins.module_utils._many import modules_work
    from ansible_collections.edgeops.edges.plugins.plugin_utils._unquoted import faults

    options = sample_of(RTP).options(sample_of(RTP).a)
    entry = dict(id="edghtsrt_1", traffic_policy=dict(value=options["value"]), request_headers=dict(add={"X-A": "1"}))
    edges = [dict(id="edghts_%d" % number, routes=[entry]) for number in range(10_000)]
    spec = modules_work().spec
    started = time.process_time()
    assert list(faults(spec, dict(https_edges=edges))) == []
    assert time.process_time() - started < 2


def test_the_playbook_means_what_it_says():
    """YAML itself reads it so, and keeps none of the texts."""
    play = yaml.safe_load(textwrap.dedent(PLAYBOOK.replace("%(in_process)s", "true")))[0]
    assert True in play["vars"]["headers"] and isinstance(play["vars"]["since"], datetime.datetime)
