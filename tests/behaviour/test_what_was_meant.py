# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What people and templates write by mistake is told in their words: nulls under purge, text for structures."""

from __future__ import annotations

import json

import harness
import pytest
import yaml
from harness.samples import BACKEND, HEADERS, POLICY, RESTRICTION, ROUTE_IDS, TERMINATION

RTP, RTH, IPS, TLS = (
    "https_edge_route_traffic_policy",
    "https_edge_route_request_headers",
    "tls_edge_ip_restriction",
    "tls_edge_tls_termination",
)
MANY, INFO = "edge_modules", "edge_modules_info"


def refused(sim, run, name, options):
    result = run(name, options)
    assert result.failed and not result.changed
    assert sim.log == []
    return result.msg


# Null and purge

NULLS = {
    "tcp_edges[0].backend (edgtcp_1)": dict(tcp_edges=[dict(id="edgtcp_1", backend=None)]),
    "tls_edges[1].ip_restriction (edgtls_1)": dict(tls_edges=[dict(id="a"), dict(id="edgtls_1", ip_restriction="")]),
    "tls_edges[0].tls_termination (edgtls_1)": dict(tls_edges=[dict(id="edgtls_1", tls_termination=" ")]),
    'https_edges[0].routes[1].request_headers (edghts_1 "a" edghtsrt_1 "b")': dict(
        https_edges=[
            dict(id="edghts_1", name="a", routes=[dict(id="r"), dict(id="edghtsrt_1", name="b", request_headers=None)])
        ]
    ),
    "https_edges[0].routes[0].traffic_policy (edghts_1 edghtsrt_1)": dict(
        https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", traffic_policy=None)])]
    ),
}


@pytest.mark.parametrize("purge", [True, "yes", 1, "1"])
@pytest.mark.parametrize("where", NULLS)
def test_with_purge_a_null_removes_nothing(sim, run, where, purge):
    message = refused(sim, run, MANY, dict(NULLS[where], purge=purge))
    assert message == ("%s is null, and purge would remove it: leave the key out, or write state: absent" % where)


@pytest.mark.parametrize("purge", [False, None, "no", ""])
@pytest.mark.parametrize("where", NULLS)
def test_without_purge_a_null_is_left_out(sim, run, where, purge):
    result = run(MANY, dict(NULLS[where], purge=purge))
    assert not result.failed and result.summary["total"] == 0


def test_nulls_elsewhere_are_as_before(sim, run):
    """With purge too: an option that is null is left out, a null in a list is an error, one in a document stays."""
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    entry = dict(terminate_at="edge", min_version=None, enabled=None)
    edge = dict(id="edgtls_1", name=None, tls_termination=entry)
    assert run(MANY, dict(tls_edges=[edge], purge=True)).summary["changed"] == 0
    document = dict(inbound=[], own=None)
    route = dict(id="edghtsrt_1", traffic_policy=dict(value=document))
    edges = [dict(id="edghts_1", routes=[route]), dict(id="edghts_2", routes=None)]
    assert not run(MANY, dict(https_edges=edges, purge=True)).failed
    assert json.loads(sim.resources[POLICY]["value"]) == document
    message = run(IPS, dict(edge_id="edgtls_1", ip_policy_ids=["a", None])).msg
    assert message == "ip_policy_ids[1] must be a string, not null"
    assert "add.X-A must be a string or a whole number, not null" in run(RTH, dict(ROUTE_IDS, add={"X-A": None})).msg


PLAY = """
- hosts: localhost
  gather_facts: false
  vars:
    edgeops_edges_in_process: %(in_process)s
    missing: null
    edges: [{id: edgtls_1, ip_restriction: "{{ missing }}"}]
  tasks:
    - name: direct
      edgeops.edges.edge_modules:
        base_url: "%(base_url)s"
        api_key: "%(api_key)s"
        tls_edges: [{id: edgtls_1, ip_restriction: "{{ not_there | default(none) }}"}]
        purge: true
      ignore_errors: true
    - name: variable
      edgeops.edges.edge_modules:
        base_url: "%(base_url)s"
        api_key: "%(api_key)s"
        tls_edges: "{{ edges }}"
        purge: "{{ 1 == 1 }}"
      ignore_errors: true
"""


@pytest.mark.parametrize("way", harness.WAYS)
def test_with_purge_a_template_of_null_removes_nothing(sim, tmp_path, way):
    sim.put(RESTRICTION, dict(ip_policy_ids=["ipp_1"]))
    path = tmp_path / "play.yml"
    in_process = "true" if way == "worker" else "false"
    path.write_text(PLAY % dict(base_url=sim.base_url, api_key=sim.api_key, in_process=in_process), encoding="utf-8")
    done = harness.playbook(path, tmp_path=tmp_path / "run")
    assert done.returncode == 0, done.text
    for task in ("direct", "variable"):
        (result,) = done.of(task)
        assert result["msg"].startswith("tls_edges[0].ip_restriction (edgtls_1) is null"), result
    assert sim.log == []


# White space around the values of headers


@pytest.mark.parametrize("given", [" prod ", "\tprod", "prod  ", " \t prod \t"])
@pytest.mark.parametrize("held", ["prod", " prod", "prod \t"])
def test_white_space_around_the_value_of_a_header_is_dropped(sim, run, given, held):
    sim.configure(header_names="as_sent")
    options = dict(ROUTE_IDS, add={"X-A": given}, remove=[])
    first = run(RTH, options)
    assert first.changed and first.config["add"] == {"X-A": "prod"}
    assert sim.resources[HEADERS]["add"] == {"X-A": "prod"}
    sim.add_fault("replace_body", method="GET", path=HEADERS, body=dict(enabled=True, add={"x-a": held}, remove=[]))
    assert run(RTH, options).operation == "none"
    # What it holds for another header neither counts nor is shown.
    changed = run(RTH, dict(ROUTE_IDS, enabled=False), check=True)
    assert changed.changed and json.loads(changed.diff["before"])["add"] == {"x-a": "prod"}


def test_white_space_within_and_of_other_kinds_stays(sim, run):
    add = {"X-A": "a  b", "X-B": "\xa0a\xa0", "X-C": "", "X-D": "  "}
    assert run(RTH, dict(ROUTE_IDS, add=add)).changed
    assert sim.resources[HEADERS]["add"] == {"X-A": "a  b", "X-B": "\xa0a\xa0", "X-C": "", "X-D": ""}
    assert "add.X-A contains a line break" in run(RTH, dict(ROUTE_IDS, add={"X-A": "a\n"})).msg
    assert "add.X-A contains a line break" in run(RTH, dict(ROUTE_IDS, add={"X-A": "a\tb"})).msg


def test_a_mask_with_white_space_around_it_is_one(sim, run):
    sim.put(HEADERS, dict(add={"X-Token": "s3cret"}))
    mask = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    assert run(RTH, dict(ROUTE_IDS, add={"X-Token": " %s " % mask})).operation == "none"
    assert "is the mark of a diff" in run(RTH, dict(ROUTE_IDS, add={"X-Token": mask + " (changed) "})).msg


# Header names in diffs


def test_diffs_show_header_names_as_they_are_written(sim, run):
    """As the task writes them; where it does not name them, as the service does."""
    sim.configure(header_names="as_sent")
    sim.put(HEADERS, dict(add={"x-old": "1", "X-EDGE": "2"}, remove=["via", "X-debug"]))
    result = run(RTH, dict(ROUTE_IDS, add={"X-Edge": "3", "X-New": "4"}, remove=["VIA", "X-More"]))
    before, after = (json.loads(result.diff[side]) for side in ("before", "after"))
    assert before["add"] == {"x-old": "1", "X-Edge": "2"} and after["add"] == {"X-Edge": "3", "X-New": "4"}
    assert before["remove"] == ["VIA", "X-debug"] or before["remove"] == ["X-debug", "VIA"]
    assert sorted(after["remove"]) == ["VIA", "X-More"]
    result = run(RTH, dict(ROUTE_IDS, add={"X-Edge": "5"}, enabled=False))
    assert sorted(json.loads(result.diff["after"])["remove"]) == ["VIA", "X-More"]


# Text in the place of a structure

TEXTS = {
    "inbound:\n  - name: a\noutbound: []\n": "looks like YAML",
    "---\ninbound: []\n": "looks like YAML",
    "# a comment\n\ninbound: []": "looks like YAML",
    "- name: a": "looks like YAML",
    "{inbound: [], outbound: []}": "looks like YAML",
    '"inbound":\n  []': "looks like YAML",
    "policy.json": "looks like the path of a file",
    "policies/shop policy.yml": "looks like the path of a file",
    "/etc/edges/policy": "looks like the path of a file",
    "~/policy.j2": "looks like the path of a file",
    "../policy\n": "looks like the path of a file",
    "{'inbound': []}": "looks like a Python dict",
    "[{'inbound': []}]": "looks like a Python dict",
    '{"inbound": None}': "looks like a Python dict",
    '{"a": [True, False]}': "looks like a Python dict",
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_is_no_json_says_what_it_looks_like(sim, run, text):
    message = refused(sim, run, RTP, dict(ROUTE_IDS, value=text))
    assert message.startswith("value is not valid JSON: ") and "It %s" % TEXTS[text] in message
    assert message.count("It looks") == 1
    remedy = {"YAML": "from_yaml", "file": "lookup('file'", "dict": "give the structure itself"}
    assert remedy[TEXTS[text].split()[-1]] in message
    where = "https_edges[0].routes[0].traffic_policy.value (edghts_1 edghtsrt_1) is not valid JSON: "
    route = dict(id="edghtsrt_1", traffic_policy=dict(value=text))
    message = refused(sim, run, MANY, dict(https_edges=[dict(id="edghts_1", routes=[route])]))
    assert message.startswith(where) and "It %s" % TEXTS[text] in message


@pytest.mark.parametrize(
    "text",
    ["{nope", '{"a": 1,}', '{"inbound": ["None, True"] x', "{{ policy }}", "https://example.com/policy.json", "[1, 2"],
)
def test_text_that_looks_like_nothing_else_is_only_no_json(sim, run, text):
    assert "looks like" not in refused(sim, run, RTP, dict(ROUTE_IDS, value=text))


def test_headers_as_text_say_what_they_look_like_and_show_no_value(sim, run):
    message = refused(sim, run, RTH, dict(ROUTE_IDS, add="X-Token: s3cret\n"))
    assert message.startswith("add must be a dict, not a string. It looks like YAML: leave out the |")
    assert "s3cret" not in message


E_TAKES_JSON = "As an extra variable, NAME=[...] is a string: -e takes JSON"


@pytest.mark.parametrize("name", [MANY, INFO])
@pytest.mark.parametrize("option", ["tcp_edges", "tls_edges", "https_edges"])
@pytest.mark.parametrize("text", ["[edgtcp_1]", '["edgtcp_1"]', "- edgtcp_1\n- edgtcp_2\n"])
def test_a_list_of_edges_as_text(sim, run, name, option, text):
    message = refused(sim, run, name, {option: text})
    assert message.startswith("%s must be a list of " % option) and E_TAKES_JSON in message


@pytest.mark.parametrize(
    "name, options",
    [
        (IPS, dict(edge_id="edgtls_1", ip_policy_ids='["ipp_1", "ipp_2"]')),
        (IPS, dict(edge_id="edgtls_1", ip_policy_ids="ipp_1\nipp_2")),
        (RTH, dict(ROUTE_IDS, remove="- X-A\n- X-B")),
        (RTH, dict(ROUTE_IDS, secret_headers=" [X-A]")),
    ],
    ids=str,
)
def test_a_list_of_strings_as_text(sim, run, name, options):
    message = refused(sim, run, name, options)
    assert "must be a list of strings, not a string. " + E_TAKES_JSON in message


@pytest.mark.parametrize("text", ["ipp_1,ipp_2", "ipp_1\n"])
def test_strings_with_commas_between_them_are_a_list(sim, run, text):
    result = run(IPS, dict(edge_id="edgtls_1", ip_policy_ids=text))
    assert result.failed is text.endswith("\n")  # the line break is white space within an id
    if not result.failed:
        assert sim.resources[RESTRICTION]["ip_policy_ids"] == ["ipp_1", "ipp_2"]


def test_an_entry_as_text_is_checked_like_any_other(sim, run):
    """Ansible takes text of the form KEY=VALUE for a dict; what is wrong in it has a place too."""
    edges = [dict(id="edgtcp_1", backend="backend=x"), dict(id="edgtcp_2", backend="backend_id=b enabled=perhaps")]
    assert refused(sim, run, MANY, dict(tcp_edges=edges)).split("; ") == [
        "tcp_edges[0].backend.backend (edgtcp_1) is not supported: use one of backend_id, enabled, state",
        "tcp_edges[0].backend.backend_id (edgtcp_1) is required when state is present: set it, or change state",
        'tcp_edges[1].backend.enabled (edgtcp_2) must be true or false, not "perhaps"',
    ]
    assert run(MANY, dict(tcp_edges=[dict(id="edgtcp_1", backend='{"backend_id": "b"}')])).changed
    assert sim.resources[BACKEND]["backend_id"] == "b"


# All of it in one go

KINDS = """
tcp_edges:
  - {id: edgtcp_1, name: shop, backend: {backend_id: b, colour: 1}}
  - {id: edgtcp_1}
  - x
  - {backend: {backend_id: "a b"}}
tls_edges:
  - id: edgtls_1
    ip_restriction: {ip_policy_ids: [7, "a b", null]}
    tls_termination: {terminate_at: middle, min_version: x}
  - {id: edgtcp_9, tls_termination: {terminate_at: upstream, min_version: "1.2"}}
https_edges:
  - id: edghts_1
    routes:
      - {id: edghtsrt_1, request_headers: {add: {X-A: "1", x-a: "2"}, remove: [true, X-A, "a b"]}}
      - {id: edghtsrt_1}
      - 5
  - {routes: [{id: r}]}
concurrency: few
retries: -1
timeout: [1]
client_key: /nonexistent
"""


def test_one_task_tells_all_that_is_wrong(sim, run):
    """Unknown keys, types, ids, duplicates, values and the connection: the same whichever stands first."""
    message = refused(sim, run, MANY, yaml.safe_load(KINDS))
    for told in (
        'tcp_edges[0].backend.colour (edgtcp_1 "shop") is not supported',
        "tcp_edges[1].id: edgtcp_1 is listed twice, first in tcp_edges[0].id: join the two",
        "tcp_edges[2] must be a dict, not a string",
        "tcp_edges[3].id is required",
        "tcp_edges[3].backend.backend_id must not be blank or contain white space",
        "tls_edges[0].ip_restriction.ip_policy_ids[0] (edgtls_1) must be a string, not a number: quote it",
        "tls_edges[0].ip_restriction.ip_policy_ids[1] (edgtls_1) must not be blank or contain white space",
        "tls_edges[0].ip_restriction.ip_policy_ids[2] (edgtls_1) must be a string, not null",
        'tls_edges[0].tls_termination.terminate_at (edgtls_1) must be one of edge, upstream, not "middle"',
        "tls_edges[0].tls_termination.min_version (edgtls_1) must be a dotted number",
        "tls_edges[1].id names another kind of resource: edgtcp_9",
        "tls_edges[1].tls_termination.min_version (edgtcp_9) must be left out",
        "https_edges[0].routes[0].request_headers.remove[0] (edghts_1 edghtsrt_1) must be a string, not a boolean",
        "https_edges[0].routes[0].request_headers.remove[2] (edghts_1 edghtsrt_1) must be the name of an HTTP header",
        "https_edges[0].routes[0].request_headers.add (edghts_1 edghtsrt_1) contains both X-A and x-a",
        "https_edges[0].routes[1].id (edghts_1): edghtsrt_1 is listed twice",
        "https_edges[0].routes[2] (edghts_1) must be a dict, not a number",
        "https_edges[1].id is required",
        'concurrency must be a whole number, not "few"',
        "retries must be from 0",
        "timeout must be a number, not a list",
        "client_key: /nonexistent does not exist",
        "client_key needs client_cert",
    ):
        assert told in message, (told, message)
    assert "right-" not in message and "None" not in message


def test_one_wrong_option_is_told_once(sim, run):
    """What was left out of the further checks as wrong is not called missing."""
    options = dict(edge_id="edgtls_1", terminate_at="edge", api_key=["x"], base_url={}, bad=1)
    found = refused(sim, run, TLS, options).split("; ")
    assert found == [
        "bad is not supported: use one of " + found[0].partition(": use one of ")[2],
        "api_key must be a string, not a list",
        "base_url must be a string, not a dict",
    ]


def test_thirty_faults_of_one_kind_hide_none_of_another(sim, run):
    edges = [dict(id="edgtcp_%d" % number, colour=1) for number in range(30)] + [dict(id="a/b"), dict(id="edgtcp_1")]
    message = refused(sim, run, MANY, dict(tcp_edges=edges, timeout=0))
    for told in ("tcp_edges[30].id may", "listed twice", "timeout must", "(edgtcp_29): each is not supported"):
        assert told in message
    for number in range(30):
        assert "tcp_edges[%d].colour (edgtcp_%d)" % (number, number) in message
    assert message.count("is not supported") == 1


def test_ids_to_read_are_checked_likewise(sim, run):
    options = dict(tcp_edges=["edgtcp_1", 5, "a/b", "edgtcp_1"], https_edges=[dict(routes=["r"]), 3], concurrency=0)
    message = refused(sim, run, INFO, options)
    for told in (
        "tcp_edges[1] must be a string, not a number: quote it",
        "tcp_edges[2] may contain",
        "tcp_edges[3]: edgtcp_1 is listed twice, first in tcp_edges[0]: join the two",
        "https_edges[0].id is required",
        "https_edges[1] must be a dict, not a number",
        "concurrency must be at least 1",
    ):
        assert told in message, (told, message)


# The version that the service chooses


def test_the_default_version_sends_null_and_equals_null_alone(sim, run):
    options = dict(edge_id="edgtls_1", terminate_at="edge", min_version="default")
    assert run(TLS, options).changed
    assert sim.writes[-1].body == dict(enabled=True, terminate_at="edge", min_version=None)
    assert sim.resources[TERMINATION]["min_version"] is None
    assert run(TLS, options).operation == "none"
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.2"))
    dry = run(TLS, options, check=True)
    assert dry.changed and json.loads(dry.diff["before"])["min_version"] == "1.2"
    assert json.loads(dry.diff["after"])["min_version"] is None
    assert run(TLS, options).changed and sim.resources[TERMINATION]["min_version"] is None
    upstream = dict(options, terminate_at="upstream")
    assert "min_version must be left out" in run(TLS, upstream).msg
