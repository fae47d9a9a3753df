# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When the work is done in Ansible's worker, when by the module, and that both are the same thing."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import harness
import pytest
import yaml

MODULE = "edgeops.edges.tcp_edge_backend"
SWITCH = "edgeops_edges_in_process"
BACKEND = {MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_1"}}


def script(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def helpers(tmp_path):
    """Programs that look like ssh, sudo and another Python, and run what they are given right here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return {
        # ssh OPTION... HOST COMMAND: the last argument is the command.
        "ssh": script(folder / "ssh", 'for last; do :; done\nexec /bin/sh -c "$last"\n'),
        "sudo": script(
            folder / "sudo", 'while [ "${1#-}" != "$1" ]; do [ "$1" = -u ] && shift; shift; done\nexec "$@"\n'
        ),
        "python": script(folder / "python-elsewhere", 'exec %s "$@"\n' % sys.executable),
        "role": folder.parent / "roles" / "in_role" / "tasks" / "main.yml",
    }


def ways(run: harness.PlaybookRun) -> list[str]:
    """The ways that the tasks of a verbose run went, in their order."""
    lines = [line.split("%s " % MODULE, 1)[1] for line in run.stdout.splitlines() if "> %s runs " % MODULE in line]
    return ["worker" if line == "runs in the worker" else line.split("runs as a module: ", 1)[1] for line in lines]


def test_every_reason_for_the_module(sim, tmp_path, helpers):
    """Each circumstance in which the module runs as usual, one task each, and what -vvv says of it."""
    environment = {"environment": {"SOME_VARIABLE": "1"}}
    far = {
        "ansible_connection": "ssh",
        "ansible_ssh_executable": str(helpers["ssh"]),
        "ansible_ssh_transfer_method": "piped",
        "ansible_ssh_use_tty": False,
    }
    role = helpers["role"]
    role.parent.mkdir(parents=True)
    role.write_text(yaml.safe_dump([dict(BACKEND, name="in a role")]), encoding="utf-8")
    reason_of = {
        "switched off": (
            dict(BACKEND, vars={"edgeops_edges_in_process": "{{ 1 == 2 }}"}),
            "edgeops_edges_in_process is false",
        ),
        "async": (dict(BACKEND, **{"async": 30, "poll": 1}), "async"),
        "far": (dict(BACKEND, vars=far), "the connection is ssh, not local"),
        "become": (
            dict(BACKEND, become=True, vars={"ansible_become_exe": str(helpers["sudo"])}),
            "become",
        ),
        "environment of the task": (dict(BACKEND, **environment), "an environment is set"),
        "environment of the block": ({"block": [dict(BACKEND)], **environment}, "an environment is set"),
        "environment of the role": ({"import_role": {"name": "in_role"}, **environment}, "an environment is set"),
        "another Python": (
            dict(BACKEND, vars={"ansible_python_interpreter": str(helpers["python"])}),
            "another Python is named for modules: %s" % helpers["python"],
        ),
        "an empty environment": (dict(BACKEND, environment={}), "worker"),
        "auto": (dict(BACKEND, vars={"ansible_python_interpreter": "auto_silent"}), "worker"),
        "python beside python3": (
            dict(BACKEND, vars={"ansible_python_interpreter": str(Path(sys.executable).with_name("python"))}),
            "worker",
        ),
        "as it is": (dict(BACKEND), "worker"),
    }
    tasks = [dict(task, name=name) for name, (task, dummy) in reason_of.items()]
    run = harness.playbook(
        [harness.play(tasks, sim), harness.play([dict(BACKEND)], sim, environment={"OF_THE_PLAY": "1"})],
        "-vvv",
        tmp_path=tmp_path,
    )
    assert run.returncode == 0, run.text
    assert ways(run) == [reason for dummy, reason in reason_of.values()] + ["an environment is set"]
    assert "DEPRECAT" not in run.text
    assert len(sim.writes) == 1


@pytest.mark.parametrize("environment", [None, "yes", "off", "nonsense"])
def test_the_switch(sim, tmp_path, environment):
    """The variable counts before the environment, and nonsense in the one that counts is a clear error."""
    tasks = [
        dict(BACKEND, ignore_errors=True, name=str(value), vars={} if value is None else {SWITCH: value})
        for value in (None, True, "{{ 'off' }}", "nonsense")
    ]
    env = {} if environment is None else {"EDGEOPS_EDGES_IN_PROCESS": environment}
    run = harness.playbook([harness.play(tasks, sim)], "-vvv", tmp_path=tmp_path, env=env)
    off = "edgeops_edges_in_process is false"
    by_environment = {None: ["worker"], "yes": ["worker"], "off": [off], "nonsense": []}[environment]
    assert ways(run) == by_environment + ["worker", off], run.text
    assert len(sim.log) == 1 + len(ways(run))
    messages = [entry["result"]["msg"] for entry in run.results if entry["kind"] == "failed"]
    wrong = '%s must be true or false, not "nonsense"'
    expected = [wrong % "EDGEOPS_EDGES_IN_PROCESS in the environment"] if environment == "nonsense" else []
    expected += [wrong % "edgeops_edges_in_process"]
    assert [expectation in message for expectation, message in zip(expected, messages)] == [True] * len(messages)


def test_reasons_that_no_playbook_can_make(sim, monkeypatch):
    """macOS, and requests missing in Ansible's own Python."""
    harness._start_plugin_loader()
    from ansible.plugins import loader

    options = harness.connection_options(sim, edge_id="edgtcp_1", backend_id="bkdtg_1")
    harness.run("worker", "tcp_edge_backend", options)
    action = loader.action_loader.get(MODULE, class_only=True)
    seen = []
    monkeypatch.setattr(
        "ansible.plugins.action.normal.ActionModule.run", lambda *args, **more: seen.append("module") or {}
    )
    shared = sys.modules[action.__mro__[1].__module__]
    with monkeypatch.context() as patch:
        patch.setattr(shared, "REQUESTS_IMPORT_ERROR", "No module named requests")
        harness.run("worker", "tcp_edge_backend", options)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "darwin")
        harness.run("worker", "tcp_edge_backend", options)
    assert seen == ["module", "module"]
    harness.run("worker", "tcp_edge_backend", options)
    assert seen == ["module", "module"]


def _policy(edge_id="edghts_1", **more):
    return {"edgeops.edges.https_edge_route_traffic_policy": {"edge_id": edge_id, "route_id": "edghtsrt_1", **more}}


def _headers(**more):
    return {"edgeops.edges.https_edge_route_request_headers": {"edge_id": "edghts_1", "route_id": "edghtsrt_1", **more}}


def features() -> list[dict]:
    """Tasks that use what Ansible offers for any task."""
    item = {"edge_id": "edgtcp_{{ item }}", "backend_id": "bkdtg_1"}
    no_edge = {"edge_id": "edgtcp_unknown", "backend_id": "bkdtg_1"}
    return [
        {"name": "loop", MODULE: item, "loop": [1, 2, 3], "loop_control": {"label": "{{ item }}"}},
        {"name": "loop again", MODULE: item, "loop": [1, 2, 3]},
        {
            "name": "until",
            MODULE: dict(item, edge_id="edgtcp_u"),
            "register": "got",
            "until": "not got.changed",
            "retries": 3,
            "delay": 0,
        },
        {
            "name": "until in vain",
            MODULE: no_edge,
            "register": "got",
            "until": "got is success",
            "retries": 1,
            "delay": 0,
            "ignore_errors": True,
        },
        {"name": "run_once", "run_once": True, **BACKEND},
        {"name": "check", "check_mode": True, "diff": True, MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_9"}},
        {"name": "diff", "diff": True, MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_2"}},
        {"name": "no_log", "no_log": True, MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_3"}},
        {
            "name": "changed_when",
            "changed_when": "result.operation == 'none'",
            "register": "result",
            MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_3"},
        },
        {
            "name": "failed_when",
            "failed_when": "'no such edge' not in result.msg",
            "register": "result",
            MODULE: no_edge,
        },
        {"name": "tags", "tags": ["some"], MODULE: {"edge_id": "edgtcp_1", "state": "absent"}},
        {"name": "bad value", "ignore_errors": True, MODULE: {"edge_id": "edgtls_1", "backend_id": ""}},
        {"name": "unknown option", "ignore_errors": True, MODULE: {"edge_id": "edgtcp_1", "backend": "bkdtg_1"}},
        {"name": "missing option", "ignore_errors": True, MODULE: {"backend_id": "bkdtg_1"}},
        {"name": "bad choice", "ignore_errors": True, MODULE: {"edge_id": "edgtcp_1", "state": "gone"}},
        {
            "name": "bad type",
            "ignore_errors": True,
            MODULE: {"edge_id": "edgtcp_1", "backend_id": "b", "enabled": "perhaps"},
        },
        {
            "name": "null options",
            MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_1", "enabled": None, "state": None, "ca_path": None},
        },
        # YAML dates, numbers, Ansible's own kinds of text
        {
            "name": "odd values",
            **_policy(value={"a": "{{ '2026-01-02' }}", "b": [1, 2.5], "c": yaml.safe_load("2026-01-02")}),
        },
        {
            "name": "odd values again",
            **_policy(value={"a": "2026-01-02", "b": [1, 2.5], "c": "2026-01-02"}),
        },
        {
            "name": "odd keys",
            "ignore_errors": True,
            **_policy(value={"b": {1: "one", 2.5: "half"}, "c": yaml.safe_load("2026-01-02T10:00:00Z")}),
        },
        {
            "name": "vaulted",
            **_headers(add={"X-Plain": "{{ vaulted }}", "X-Token": "{{ vaulted }}"}),
            "vars": {"vaulted": "{{ vault }}"},
        },
        {"name": "secret in an error", "ignore_errors": True, **_headers(add={"X-Token": "hush-hush\n"})},
        {"name": "warning", **_headers(add={"X-Dropped": "1"}), "diff": True},
        {
            "name": "many",
            "diff": True,
            "edgeops.edges.edge_modules": {
                "concurrency": 1,
                "tcp_edges": [
                    {"id": "edgtcp_1", "backend": {"backend_id": "bkdtg_7"}},
                    {"id": "edgtcp_2", "backend": {"state": "absent"}},
                    {"id": "edgtcp_3"},
                ],
                "purge": True,
            },
        },
        {
            "name": "many, one failing",
            "ignore_errors": True,
            "edgeops.edges.edge_modules": {
                "concurrency": 1,
                "tcp_edges": [
                    {"id": "edgtcp_1", "backend": {"backend_id": "bkdtg_8"}},
                    {"id": "edgtcp_unknown", "backend": {"backend_id": "bkdtg_8"}},
                ],
            },
        },
        {
            "name": "many, wrong",
            "ignore_errors": True,
            "edgeops.edges.edge_modules": {"tcp_edges": [{"id": "edgtcp_1", "backend": {"backend": "bkdtg_8"}}]},
        },
        {
            "name": "info",
            "edgeops.edges.edge_modules_info": {
                "concurrency": 1,
                "tcp_edges": ["edgtcp_1", "edgtcp_2"],
                "https_edges": [{"id": "edghts_1", "routes": ["edghtsrt_1"]}],
            },
        },
        {
            "name": "module defaults that are templates",
            MODULE: {"edge_id": "edgtcp_1", "backend_id": "bkdtg_1", "timeout": "{{ 7 + 0.5 }}"},
        },
    ]


VAULTED = "only-in-the-vault"


@pytest.fixture
def vault(tmp_path):
    """(arguments for ansible-playbook, YAML of a vaulted variable)."""
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n", encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("ansible-vault")),
        "encrypt_string",
        "--vault-password-file",
        str(password),
    ]
    done = subprocess.run(command + ["--name", "vault", VAULTED], capture_output=True, text=True, check=True)
    variables = tmp_path / "vaulted.yml"
    variables.write_text(done.stdout, encoding="utf-8")
    return ["--vault-password-file", str(password), "-e", "@%s" % variables]


def _comparable(entry: dict) -> dict:
    """A recorded result without what may differ: the invocation, and the numbers that the simulator counts up."""
    entry = json.loads(re.sub("op_[0-9]+", "op_N", json.dumps(entry)))
    results = [entry["result"], *entry["result"].get("results", [])]
    for result in results:
        result.pop("invocation", None)
        result.pop("failed_when_suppressed_exception", None)  # ansible-core 2.19 adds it to what a module failed with
    return entry


# Those on which the host, the strategy or a delegation have a bearing: each task as a module costs a second.
FEW = ("loop", "until", "run_once", "check", "diff", "bad value", "vaulted", "warning", "many", "info")


def _run_features(sim, tmp_path, vault, in_process, delegate_to=None, names=None, **play):
    sim.reset()
    sim.configure(edges=["edgtcp_1", "edgtcp_2", "edgtcp_3", "edgtcp_u", "edghts_1/edghtsrt_1"])
    sim.add_fault(
        "replace_body",
        method="PUT",
        path="*/request_headers",
        after=1,
        body={"enabled": True, "add": {}, "remove": []},
    )
    tasks = [task for task in features() if names is None or task["name"] in names]
    if delegate_to:  # no keyword of plays
        tasks = [dict(task, delegate_to=delegate_to) for task in tasks]
    found = harness.play(tasks, vars={"edgeops_edges_in_process": in_process, "at": sim.base_url}, **play)
    found["module_defaults"] = {
        "group/edgeops.edges.all": {
            "base_url": "{{ at }}",
            "api_key": "{{ 'test-key' ~ '-0123456789' }}",
            "retry_max_wait": 0.05,
        }
    }
    inventory = {
        "all": {
            "hosts": {
                "far1": {"ansible_connection": "ssh", "ansible_host": "192.0.2.1"},
                "near": {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
            }
        }
    }
    run = harness.playbook(
        [found],
        *vault,
        "-vvv",
        env={"PYTHONHASHSEED": "0"},  # Ansible lists valid booleans in the order of a set
        tmp_path=tmp_path / str(in_process),
        inventory=yaml.safe_dump(inventory),
        timeout=300,
    )
    return run, [(one.method, one.path, one.body) for one in sim.log]


@pytest.mark.parametrize(
    "play",
    [
        pytest.param({}, id="localhost"),
        pytest.param(
            {"hosts": "near", "strategy": "free", "names": FEW},
            id="connection local as a host variable, strategy free",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"hosts": "far1", "delegate_to": "localhost", "names": FEW},
            id="delegated from a far host",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_both_ways_are_the_same_thing(sim, tmp_path, vault, play):
    """The same results key by key, the same requests, the same exit code."""
    here, here_log = _run_features(sim, tmp_path, vault, True, **play)
    there, there_log = _run_features(sim, tmp_path, vault, False, **play)
    assert (here.returncode, there.returncode) == (0, 0), here.text + there.text
    tasks = len(play.get("names", features()))
    assert here.stdout.count(" runs in the worker") >= tasks and " runs as a module" not in here.stdout
    assert there.stdout.count(" runs as a module: edgeops_edges_in_process is false") >= tasks
    for one, other in zip(here.results, there.results):
        assert _comparable(one) == _comparable(other)
    assert len(here.results) == len(there.results)
    assert here.options == there.options
    assert here.stats == there.stats
    assert here_log == there_log
    for run in (here, there):
        assert "DEPRECAT" not in run.text and "Traceback" not in run.text
        assert "hush-hush" not in run.text
    # A value that is no secret by its header's name shows; the one that is does not.
    vaulted = here.of("vaulted")[0]["config"]["add"]
    assert vaulted == {"X-Plain": VAULTED, "X-Token": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}
    assert any("the service holds something else" in text for text in here.of("warning")[0]["warnings"])


def test_a_loop_keeps_its_connection_and_no_cookie(sim, tmp_path):
    """One TCP connection for all items; a cookie that the service sets is not sent back."""
    sim.add_fault(status=503, times=1, headers={"Set-Cookie": "session=1; Path=/"})
    task = {"name": "loop", MODULE: {"edge_id": "edgtcp_{{ item }}", "backend_id": "bkdtg_1"}, "loop": list(range(20))}
    run = harness.playbook([harness.play([task], sim)], tmp_path=tmp_path)
    assert run.returncode == 0, run.text
    assert len(sim.log) == 41
    assert len({record.connection for record in sim.log}) == 1
    assert not any("cookie" in name.lower() for record in sim.log for name in record.headers)


def test_sessions_are_apart_where_they_must_be(sim):
    """A connection is kept for one base URL, TLS setting, certificate and proxy."""
    harness._start_plugin_loader()
    options = harness.connection_options(sim, edge_id="edgtcp_1", backend_id="bkdtg_1")
    for more in ({}, {}, {"validate_certs": False}, {"validate_certs": False}):
        harness.run("worker", "tcp_edge_backend", {**options, **more})
    connections = [record.connection for record in sim.log if record.method == "GET"]
    assert connections[0] == connections[1] != connections[2] == connections[3]


def test_the_timeout_of_a_task(sim, tmp_path):
    """The task's own timeout ends it in the worker too, and the next run finishes."""
    sim.add_fault("hang", method="PUT", times=1)
    tasks = [dict(BACKEND, name="timed", timeout=2)]
    started = time.monotonic()
    run = harness.playbook([harness.play(tasks, sim)], tmp_path=tmp_path)
    assert run.returncode == 2 and time.monotonic() - started < 20
    assert len(sim.writes) == 1
    run = harness.playbook([harness.play(tasks, sim)], tmp_path=tmp_path)
    assert run.returncode == 0 and len(sim.writes) == 2
    assert "/edges/tcp/edgtcp_1/backend" in sim.resources


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(one) for one in Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]
    return []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the worker by /proc")
def test_a_worker_killed_in_the_middle_of_a_loop(sim, tmp_path):
    """SIGTERM to the worker: what was written stays, and the next run finishes the rest.

    In the middle of a request: while the worker hands over a result, Ansible itself would wait for ever for the rest.
    """
    fault = sim.add_fault(kind="hang", method="PUT", after=10, times=1, seconds=60)
    task = {"name": "loop", MODULE: {"edge_id": "edgtcp_{{ item }}", "backend_id": "bkdtg_1"}, "loop": list(range(100))}
    play = tmp_path / "play.yml"
    play.write_text(yaml.safe_dump([harness.play([task], sim)]), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("ansible-playbook")), str(play)]
    process = subprocess.Popen(
        command, env=harness.plain_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        deadline = time.monotonic() + 60
        while not fault.hits and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = _children(process.pid)
        assert workers and fault.hits
        for worker in workers:
            os.kill(worker, signal.SIGTERM)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode not in (0, None)
    sim.clear_faults()
    time.sleep(0.3)
    assert len(sim.resources) == 10, "no request starts after that"
    run = harness.playbook([harness.play([task], sim)], tmp_path=tmp_path)
    assert run.returncode == 0 and len(sim.resources) == 100
    assert run.of("loop")[-1]["changed"]


def test_progress_is_said_on_stderr_by_the_default_callback_only(monkeypatch, capsys):
    """Plain output only: a program that reads another callback's output must find nothing else in it."""
    harness._start_plugin_loader()
    from ansible import constants
    from ansible_collections.edgeops.edges.plugins.plugin_utils import _action

    monkeypatch.setattr(constants, "DEFAULT_STDOUT_CALLBACK", "default")
    _action._say("12 of 40 edge modules done")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "12 of 40 edge modules done\n")
    monkeypatch.setattr(constants, "DEFAULT_STDOUT_CALLBACK", "json")
    _action._say("12 of 40 edge modules done")
    assert capsys.readouterr().err == ""
