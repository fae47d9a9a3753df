# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that the documentation tells a reader to run, run against the simulator."""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
from unittest import mock

import harness
import pytest
from harness import documents, plain_environment, playbook
from simulator import Simulator

DOCUMENTS = [*documents.GUIDES, documents.README]


def environment(sim):
    # Colours and the reader's own settings aside, this is what the guides say to export.
    return dict(EDGE_API_BASE_URL=sim.base_url, EDGE_API_KEY=sim.api_key)


@pytest.fixture(params=DOCUMENTS, ids=lambda path: path.name)
def document(request):
    return documents.read(request.param)


def test_documents_are_found():
    assert len(documents.GUIDES) >= 8
    assert len(documents.PLUGINS) >= 9


def test_every_guide_is_in_the_side_bar():
    sections = documents.load((harness.ROOT / "docs/docsite/extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    listed = [name for section in sections for name in section["toctree"]]
    assert sorted(listed) == [path.stem for path in documents.GUIDES]


def test_blocks_run(sim, tmp_path):
    """Every block of tasks or plays in guides and README, and the examples of every module and filter."""
    plays = []
    for path in [*DOCUMENTS, *documents.PLUGINS]:
        found = documents.read(path).plays
        assert found or path not in documents.PLUGINS, "%s has no examples" % path
        plays.extend(dict(play, name="A block of %s" % path.name, gather_facts=False) for play in found)
    done = playbook(plays, tmp_path=tmp_path, extra=dict(report_folder=str(tmp_path)), env=environment(sim))
    assert done.returncode == 0, done.text
    assert "[WARNING]" not in done.text and "DEPRECAT" not in done.text, done.text
    assert sim.api_key not in done.text and "from a vault" not in done.text


# What the service holds as a guide begins.
FIRST_HELD = {
    "guide_adopting.rst": {
        "/edges/tcp/edgtcp_2a/backend": {"backend_id": "bkdtg_2a"},
        "/edges/tcp/edgtcp_2b/backend": {"backend_id": "bkdtg_2b"},
        "/edges/tls/edgtls_2a/tls_termination": {"terminate_at": "edge", "min_version": "1.2"},
        "/edges/https/edghts_2a/routes/edghtsrt_2a/request_headers": {
            "add": {"X-Edge": "frankfurt", "X-Upstream-Token": "s3cret-t0ken"},
            "remove": ["X-Debug"],
        },
    }
}


def test_examples_of_failures_handle_failures(sim, tmp_path):
    """Those of edge_modules, where the service refuses one of two edges."""
    (path,) = [path for path in documents.PLUGINS if path.stem == "edge_modules"]
    tasks = [task for play in documents.read(path).plays for task in play["tasks"]]
    (handled,) = [task for task in tasks if "rescue" in task]
    (tolerant,) = [task for task in tasks if "failed_when" in task]
    assert "fail" in list(handled["rescue"][-1])[1]
    handled["rescue"][-1]["ignore_errors"] = tolerant["ignore_errors"] = True
    sim.add_fault(status=403, method="PUT", path="*/edgtcp_2a/backend")
    plays = [dict(name="Examples", hosts="localhost", gather_facts=False, tasks=[handled, tolerant])]
    done = playbook(plays, tmp_path=tmp_path, env=environment(sim))
    assert done.returncode == 0, done.text
    assert "tcp_edge_backend edgtcp_2a: PUT /edges/tcp/edgtcp_2a/backend answered 403" in done.text
    assert "1 changed, 0 unchanged, 1 failed" in done.text
    assert set(sim.resources) == {"/edges/tcp/edgtcp_2b/backend"}
    (result,) = done.of(tolerant["name"])
    assert result["failed_when_result"] and result["summary"]["failed"] == result["summary"]["total"] == 1


def test_commands_run(sim, document, tmp_path):
    """Every command of a document, in their order; where the document shows what it prints, that is printed."""
    for path, configuration in FIRST_HELD.get(document.name, {}).items():
        sim.put(path, configuration)
    for name, text in document.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command, shown in zip(document.commands, document.outputs):
        if "docs/awx/setup.yml" in command:
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=plain_environment(**environment(sim)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        text = done.stdout + done.stderr
        assert done.returncode == 0, "%s\n%s" % (command, text)
        assert "[WARNING]" not in text and sim.api_key not in text, "%s\n%s" % (command, text)
        assert "s3cret-t0ken" not in text
        if shown:
            line = documents.missing_line(shown, done.stdout)
            assert line is None, "%s\nthe document shows: %s\nit printed:\n%s" % (command, line, text)


def test_output_that_is_shown():
    printed = "PLAY [a] ****\n\nok: [localhost]\nchanged=1  failed=0\n"
    for shown in (
        ["..."],
        ["PLAY [a] ...", "", "ok: [localhost]", "changed=1 ... failed=0"],
        ["...", "ok: [localhost]", "..."],
    ):
        assert documents.missing_line(shown, printed) is None
    for shown in (
        ["PLAY [a] ...", "ok: [localhost]", "..."],
        ["...", "changed=1 ...", "ok: [localhost]", "..."],
        ["...", "changed=2 ..."],
        ["PLAY [a] ..."],
    ):
        assert documents.missing_line(shown, printed) is not None


def test_files_of_the_guides(document):
    """A file that a guide shows and the collection ships is the same in both; the others are used by a command."""
    commands = " ".join(document.commands)
    for name, text in document.files.items():
        shipped = harness.ROOT / "docs" / "awx" / name
        if shipped.exists():
            assert documents.load(text) == documents.load(shipped.read_text(encoding="utf-8"))
        else:
            assert name in commands, "%s: no command uses %s" % (document.name, name)


def test_python_blocks(document):
    for text in document.python:
        exec(compile(text, document.name, "exec"), {"__name__": "guide"})


# --- troubleshooting by error message ---

TCP, TLS, ROUTE = dict(edge_id="edgtcp_1"), dict(edge_id="edgtls_1"), dict(edge_id="edghts_1", route_id="edghtsrt_1")
BACKEND = dict(TCP, backend_id="bkdtg_1")
POLICY, HEADERS = "https_edge_route_traffic_policy", "https_edge_route_request_headers"
HELD = "/edges/https/edghts_1/routes/edghtsrt_1/request_headers"
HELD_POLICY = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
# Two items of a list that are equal but for what is masked.
TWICE = dict(a=[dict(n=1, token="one"), dict(n=1, token="two")])
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
    (*headers(add={"X-Edge": "a"}), dict(held=(HELD, dict(add={}, remove=["x-edge"])))),
    headers(add={"X-Token": MASK}),
    headers(add={"X-Token": "Bearer " + MASK}),
    headers(add={True: "a", "X-Since": datetime.datetime(2026, 1, 2)}),
    policy("inbound:\n  - name: a\n"),
    policy("policies/shop.json"),
    (*policy(dict(a=[dict(n=1, token=MASK), dict(n=2)])), dict(held=(HELD_POLICY, dict(value=json.dumps(TWICE))))),
    ("edge_modules", dict(tls_edges=[dict(id="edgtls_1", ip_restriction=None)], purge=True)),
    ("edge_modules", dict(tcp_edges="[{}")),
    ("edge_modules_info", dict(https_edges=[dict(id="edghts_1", routes=[])])),
    ("tcp_edge_backend", dict(BACKEND, backend="bkdtg_1")),
    ("tcp_edge_backend", TCP),
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


def test_troubleshooting(sim, tmp_path):
    """Every message of the guide is one that the collection gives, and each that this test provokes is in the guide."""
    text = (harness.ROOT / "docs/docsite/rst/guide_troubleshooting.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^``(.+)``\n(?=    \S)", text, re.MULTILINE)
    assert len(listed) > 50 and len(set(listed)) == len(listed)
    patterns = {one: re.compile(".*".join(map(re.escape, re.split(r"\.{3,4}", one)))) for one in listed}

    said = list(other_messages(sim, tmp_path))
    for case in PROVOKED:
        said.extend(messages_of(sim, *case))
    sim.refusals_expected = True
    unknown = [one for one in said if not any(pattern.search(one) for pattern in patterns.values())]
    assert unknown == [], "\n".join(unknown)
    never_said = [one for one in listed if not any(patterns[one].search(message) for message in said)]
    assert never_said == [], "\n".join(never_said)
