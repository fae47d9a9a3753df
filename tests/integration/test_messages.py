# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guide "Recovering from failures" and the messages of the collection are the same.

Every message of the guide is provoked here; those that only a whole play leads to are looked for in the source. Every
message that is provoked is in the guide.
"""

from __future__ import annotations

import ast
import json
import os
import re
from unittest import mock

import harness
import pytest
from simulator import Simulator

GUIDE = harness.ROOT / "docs" / "docsite" / "rst" / "guide_troubleshooting.rst"

TCP, TLS, ROUTE = dict(edge_id="edgtcp_1"), dict(edge_id="edgtls_1"), dict(edge_id="edghts_1", route_id="edghtsrt_1")
BACKEND = dict(TCP, backend_id="bkdtg_1")
POLICY, HEADERS = "https_edge_route_traffic_policy", "https_edge_route_request_headers"
HELD = "/edges/https/edghts_1/routes/edghtsrt_1/request_headers"
HELD_POLICY = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
# Two items of a list that are equal but for what is masked.
TWICE = dict(a=[dict(n=1, token="one"), dict(n=1, token="two")])
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
FAST = dict(retries=1, retry_max_wait=0.01, timeout=1)


def policy(text):
    return POLICY, dict(ROUTE, value=text)


def headers(**options):
    return HEADERS, dict(ROUTE, **options)


# Module, options, and what is ordered of the simulator: faults, options, a configuration that it holds.
PROVOKED = [
    ("tcp_edge_backend", dict(BACKEND, api_key=" ", base_url="")),
    ("tcp_edge_backend", dict(BACKEND, base_url="api.example.com")),
    ("tcp_edge_backend", dict(BACKEND, base_url="http://api.example.com")),
    ("tcp_edge_backend", BACKEND, dict(env={"http_proxy": "http://proxy.example.com:3128"})),
    ("tcp_edge_backend", dict(BACKEND, api_key="broken\nkey")),
    ("tcp_edge_backend", dict(BACKEND, ca_path="/nowhere/ca.pem", client_key="/dev/null")),
    ("tcp_edge_backend", dict(BACKEND, base_url="http://127.0.0.1:9", **FAST)),
    ("tcp_edge_backend", dict(BACKEND, **FAST), dict(fault=dict(kind="hang", seconds=5))),
    ("tcp_edge_backend", dict(BACKEND, **FAST), dict(fault=dict(kind="close_before", method="PUT"))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(kind="redirect", location="https://login.example.com/"))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(kind="html"))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(kind="list"))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(status=202, body="{}"))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(kind="replace_body", body={"backend": 1}))),
    ("tcp_edge_backend", dict(BACKEND, api_key="another")),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(status=403))),
    ("tcp_edge_backend", BACKEND, dict(options=dict(edges=[]))),
    (*headers(remove=["A"]), dict(options=dict(edges=[]))),
    ("tcp_edge_backend", dict(BACKEND, **FAST), dict(fault=dict(status=429))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(status=429, headers={"Retry-After": "600"}))),
    ("tcp_edge_backend", BACKEND, dict(fault=dict(status=400))),
    (
        "tcp_edge_backend",
        BACKEND,
        dict(fault=dict(kind="replace_body", method="PUT", body={"backend": {"id": "bkdtg_2", "uri": "/"}})),
    ),
    ("tcp_edge_backend", dict(BACKEND, edge_id="edgtls_1")),
    ("tcp_edge_backend", dict(BACKEND, edge_id="a/b")),
    ("tcp_edge_backend", dict(BACKEND, edge_id=" ")),
    ("tcp_edge_backend", dict(BACKEND, backend_id="a b")),
    ("tls_edge_ip_restriction", dict(TLS, ip_policy_ids=["ipp_1", 2])),
    ("tls_edge_ip_restriction", dict(TLS, ip_policy_ids=["__omit_place_holder__1"])),
    ("tls_edge_tls_termination", dict(TLS, terminate_at="edge", min_version="TLS 1.3")),
    ("tls_edge_tls_termination", dict(TLS, terminate_at="upstream", min_version="1.3")),
    policy("{'inbound': []}"),
    policy('{"inbound": ['),
    policy('"{}"'),
    policy(dict(inbound=[dict(actions=[dict(type=1)])])),
    policy('{"inbound": [], "inbound": []}'),
    headers(add={"X-A": True}),
    headers(add={"X-A": 1.1}),
    headers(add={"X-Edge": "a", "x-edge": "b"}),
    headers(add={"X-Edge": "a"}, remove=["x-edge"]),
    headers(add={"X-Edge": "a\nb"}),
    headers(add={"X-Edge": "\u20ac"}),
    headers(add={"X-Edge": None}),
    headers(add={"X Edge": "a"}),
    headers(add={"X-Token": "Bearer " + MASK}),
    headers(add="x"),
    policy([]),
    policy("inbound: []\noutbound: []"),
    policy("policies/shop.json"),
    (*policy(dict(a=[dict(n=1, token=MASK), dict(n=2)])), dict(held=(HELD_POLICY, dict(value=json.dumps(TWICE))))),
    (POLICY, dict(ROUTE, value={}, policy={})),
    policy(dict(inbound=[dict(actions=[dict(config=dict(headers=dict(Cookie=MASK)))])])),
    (*headers(add={"X-Edge": "a"}), dict(held=(HELD, dict(add={}, remove=["x-edge"])))),
    headers(add={"X-Token": MASK}),
    ("tcp_edge_backend", dict(BACKEND, backend="bkdtg_1")),
    ("tcp_edge_backend", TCP),
    ("tcp_edge_backend", dict(backend_id="b", enabled="perhaps")),
    ("tcp_edge_backend", dict(BACKEND, timeout=0, version_header="a b")),
    *(
        ("tcp_edge_backend", dict(BACKEND, base_url=url))
        for url in ("https://a:b", "https://u:p@a", "https://a?b", "https://\u00e4")
    ),
    ("tcp_edge_backend", BACKEND, dict(env={"http_proxy": "http://"})),
    ("edge_modules", dict(tcp_edges="[x]", purge=True)),
    ("edge_modules", dict(tls_edges=[dict(id="edgtls_1", ip_restriction=None)], purge=True)),
    (
        "edge_modules",
        dict(tcp_edges=[dict(id="edgtcp_1")], only=["x"], max_changed="many", backup_path="/nowhere/b.yml"),
    ),
    *(
        ("edge_modules", dict(tcp_edges=[], approved_plan=plan))
        for plan in ({}, {"a": 1}, dict(format=1, checksum="plan-0123456789abcdef", changes={}))
    ),
    (
        "edge_modules",
        dict(
            tcp_edges=[dict(id="edgtcp_%d" % n, backend=dict(backend_id="b")) for n in range(3)],
            concurrency=1,
            max_failures=1,
        ),
        dict(fault=dict(status=403)),
    ),
    (
        "edge_modules",
        dict(tcp_edges=[dict(id="edgtcp_1", backend=dict(backend_id="b"))], max_changed=0, **FAST),
        dict(fault=dict(status=403)),
    ),
    (
        "edge_modules",
        dict(tcp_edges=[dict(id="edgtcp_1", backend=dict(backend_id="b"))], max_changed=0),
        dict(held=("/edges/tcp/edgtcp_1/backend", dict(backend_id="a"))),
    ),
    (
        "edge_modules",
        dict(
            tcp_edges=[
                dict(id="edgtcp_1", backend=dict(backend_id="b")),
                dict(id="edgtcp_2", backend={"state": "absent"}),
            ]
        ),
        dict(fault=dict(status=403, times=1)),
    ),
    (
        "edge_modules",
        dict(
            tcp_edges=[dict(id="edgtcp_%d" % n, backend=dict(backend_id="b")) for n in range(3)],
            concurrency=1,
            api_key="x",
        ),
    ),
    (
        "edge_modules",
        dict(
            tls_edges=[
                dict(id="edgtls_1", tls_termination=dict(terminate_at="upstream"), ip_restriction=dict(state="absent"))
            ]
        ),
        dict(fault=dict(status=403, path="*/ip_restriction")),
    ),
    ("edge_modules", dict(tcp_edges=[dict(id="edgtcp_1"), dict(id="edgtcp_1")], concurrency=0)),
    ("edge_modules_info", dict(https_edges=[dict(id="edghts_1")])),
    *(
        (
            "edge_modules_info",
            dict(tcp_edges=["edgtcp_1"], retries=1),
            dict(fault=dict(status=200, body="", headers=one)),
        )
        for one in ({"Content-Encoding": "gzip"}, {"Content-Encoding": "br"})
    ),
    (
        "edge_modules_info",
        dict(tcp_edges=["edgtcp_1"]),
        dict(fault=dict(kind="replace_body", body={"enabled": True})),
    ),
]


def messages_of(sim, module, options, more=None):
    """Let a task fail, or warn, and return what it says."""
    more = more or {}
    sim.reset()
    sim.configure(**more.get("options", {}))
    if "fault" in more:
        sim.add_fault(**more["fault"])
    if "held" in more:
        sim.put(*more["held"])
    environment = dict(more.get("env", {}))
    result = harness.run("worker", module, {**harness.connection_options(sim), **options}, env=environment)
    assert result.failed or result.warnings, (module, options)
    errors = [one["error"]["msg"] for one in result.data.get("results", []) if "error" in one]
    return [*result.warnings, *([result.msg] if result.failed else []), *errors]


def other_messages(sim, tmp_path):
    """What only another machine, or another Ansible, leads to."""
    trustme = pytest.importorskip("trustme")
    certificate = tmp_path / "server.pem"
    trustme.CA().issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(certificate)
    with Simulator(certfile=str(certificate), keyfile=str(certificate)) as strange:
        yield from messages_of(strange, "tcp_edge_backend", dict(BACKEND, base_url=strange.base_url))
    from ansible.module_utils.basic import missing_required_lib

    yield missing_required_lib("requests")
    for task_vars, environment in (
        ({"edgeops_edges_in_process": "maybe"}, {}),
        ({}, {"EDGEOPS_EDGES_IN_PROCESS": "?"}),
    ):
        with mock.patch.dict(os.environ, environment), pytest.raises(Exception) as caught:
            harness._run_worker("tcp_edge_backend", BACKEND, False, False, task_vars)
        yield str(caught.value)


def control_messages(sim, tmp_path):
    """What a plan refuses, and a backup."""

    def run(backend_id, *edges, check=False, **more):
        listed = [dict(id=edge, backend=dict(backend_id=backend_id)) for edge in edges]
        return harness.run(
            "worker", "edge_modules", {**harness.connection_options(sim), "tcp_edges": listed, **more}, check
        )

    sim.reset()
    plan = run("a", "edgtcp_1", "edgtcp_2", check=True, plan_key="7f3d9b51").plan
    yield run("b", "edgtcp_1", "edgtcp_3", approved_plan=plan, plan_key="7f3d9b51").msg
    yield run("a", "edgtcp_1", approved_plan=plan, plan_key="c04e62aa").msg
    sim.put("/edges/tcp/edgtcp_1/backend", dict(backend_id="c"))
    yield run("a", "edgtcp_1", approved_plan=plan, plan_key="7f3d9b51").msg
    policies = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
    sim.configure(validate=False)
    sim.put(policies, dict(value="not JSON"))
    edges = [dict(id="edghts_1", routes=[dict(id="edghtsrt_1", traffic_policy=dict(value={}))])]
    yield run("a", https_edges=edges, backup_path=str(tmp_path / "backup.yml")).msg
    path = "/edges/tcp/edgtcp_1/backend"
    sim.put(path, dict(backend_id="d"))
    undone = run("a", "edgtcp_1", rollback_of={"tcp_edge_backend edgtcp_1": []})
    yield from (one["error"]["msg"] for one in undone.results if "error" in one)


def yaml_messages(sim):
    """What YAML did not read as text."""
    import datetime

    for add in ({True: "a"}, {"X-Since": datetime.datetime(2026, 1, 2)}):
        yield from messages_of(sim, HEADERS, dict(ROUTE, add=add))


# Only a whole play, a machine without something, or an interruption leads to these.
ONLY_IN_THE_SOURCE = {
    "The role, before anything is sent": ("... must be true or false",),  # those that are provoked all the same
    "Verification and rollback": ("not restored: somebody",),
}
ONE_BY_ONE = ("the options are nested too deep", "... must be the plan of a dry run", "The task was stopped: ...")


def listed_messages():
    """The messages of the guide, each with its section."""
    section, before, found = "", "", []
    for line in GUIDE.read_text(encoding="utf-8").splitlines():
        if re.fullmatch("-{4,}", line):
            section = before
        message = re.fullmatch("``(.+)``", before)
        if message and re.match(r"    \S", line):
            found.append((section, message.group(1)))
        before = line
    return found


def literals():
    """Every text of the source that may be a message, with any text in the place of what is filled in."""
    for path in sorted((harness.ROOT / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def pattern_of(message):
    return re.compile(".*".join(map(re.escape, re.split(r"\.{3,4}", message))))


def is_in_the_source(message, texts):
    """Whether a text of the source says most of a message: the rest may come from another one."""
    words = len(re.sub(r"\.{3,4}|[^A-Za-z]", "", message))
    for text in texts:
        fixed = re.split(r"%[-0-9.]*[sdg]", text)
        if 10 * len(re.sub("[^A-Za-z]", "", "".join(fixed))) >= 6 * words:
            if re.search(".*".join(map(re.escape, fixed)), message):
                return True
    return False


def is_only_in_the_source(section, message):
    if section in ONLY_IN_THE_SOURCE:
        return not message.startswith(ONLY_IN_THE_SOURCE[section])
    return message.startswith(ONE_BY_ONE)


def test_a_message_is_found_in_the_source():
    assert is_in_the_source("... allows 5: it has ...", ["%s allows %d: it has %s"])
    assert not is_in_the_source("... allows 5: it had ...", ["%s allows %d: it has %s"])
    assert not is_in_the_source("... allows 5: it has ...", ["%s allows"])


def test_messages(sim, tmp_path):
    """Every message of the guide is one that the collection gives, and each that this test provokes is in the guide."""
    listed = listed_messages()
    messages = [message for dummy, message in listed]
    # The same words may be said by the role and by a module.
    assert len(messages) > 90 and len(set(messages)) >= len(messages) - 1
    patterns = {one: pattern_of(one) for one in messages}

    said = [*other_messages(sim, tmp_path), *control_messages(sim, tmp_path), *yaml_messages(sim)]
    for case in PROVOKED:
        said.extend(messages_of(sim, *case))
    sim.refusals_expected = True
    unknown = [one for one in said if not any(pattern.search(one) for pattern in patterns.values())]
    assert unknown == []
    assert [one for one in said if one.endswith(".")] == []
    texts = list(literals())
    source = [message for section, message in listed if is_only_in_the_source(section, message)]
    assert [one for one in source if not is_in_the_source(one, texts)] == []
    provoked = [message for message in messages if message not in source]
    assert [one for one in provoked if not any(patterns[one].search(message) for message in said)] == []
