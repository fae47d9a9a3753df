# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real ansible-playbook at its most talkative, and what ansible-runner keeps: no secret in any of it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import harness
import pytest
import yaml
from simulator import Simulator

# Nothing that any output may hold by chance, and nothing that needs an escape: there are tests for those.
KEY = "k3y-5f0c9d1e7a"
OLD = "0ld-81b6f2c4d9"
NEW = "n3w-2e9a7d5b30"
MINE = "m1ne-c7d8e91f4b"
SECRETS = (KEY, OLD, NEW, MINE)
HEADERS = "/edges/https/edghts_1/routes/edghtsrt_%d/request_headers"


@pytest.fixture
def sim():
    with Simulator(api_key=KEY) as simulator:
        for number in range(1, 8):
            simulator.put(HEADERS % number, dict(add={"Authorization": OLD, "X-Plain": "plain"}))
        yield simulator


def _task(name, number, failing=False, **options):
    task = {
        "name": name,
        "edgeops.edges.https_edge_route_request_headers": dict(
            edge_id="edghts_1", route_id="edghtsrt_%d" % number, secret_headers=["X-Mine"], **options
        ),
    }
    if failing:
        task["ignore_errors"] = True
    return task


# Where every task is a process of its own, and the plugins' part was seen already.
FEW = ("changes", "is refused by the service", "is answered half", "has a mistyped option", "has add as text")
MORE = (*FEW, "is redirected", "is answered with something else", "has the key as a dict")


def _plays(sim, names=None):
    """Tasks that work and tasks that fail, wherever a secret could come out; all of them, or some by name."""
    body = "cannot store Authorization: %s for %s, X-Mine: %s, was %s" % (NEW, KEY, MINE, OLD)
    sim.add_fault(method="PUT", path=HEADERS % 4, status=400, body={"message": body, "code": NEW, "request_id": KEY})
    elsewhere = "https://elsewhere.example/%s?key=%s" % (KEY, KEY)
    sim.add_fault("redirect", method="GET", path=HEADERS % 5, location=elsewhere)
    held = json.dumps({"enabled": True, "add": {"Authorization": OLD, "X-Mine": MINE}, "remove": []})
    sim.add_fault("replace_body", method="GET", path=HEADERS % 6, body=held[:-20])
    sim.add_fault("replace_body", method="PUT", path=HEADERS % 7, body={"add": {"X-Mine": MINE}, "debug": KEY})
    add = {"Authorization": "{{ new }}", "X-Mine": "{{ mine }}", "X-Plain": "plain"}
    tasks = [
        _task("changes", 1, add=add),
        _task("changes nothing", 1, add=add),
        _task("removes", 2, state="absent"),
        _task("keeps", 3, add={"Authorization": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER", "X-Plain": "other"}),
        _task("is refused by the service", 4, True, add=add),
        _task("is redirected", 5, True, add=add),
        _task("is answered half", 6, True, add=add),
        _task("is answered with something else", 7, add=add),
        _task("has a header value that is none", 3, True, add={"Authorization": ["{{ new }}"]}),
        _task("has a control character", 3, True, add={"Authorization": "{{ new }}\n."}),
        _task("has a mistyped option", 3, True, ad=add),
        _task("has add as text", 3, True, add="Authorization={{ new }} X-Mine={{ mine }}", timeout="soon"),
        _task("has add as a list", 3, True, add=["Authorization: {{ new }}"]),
        _task("has another key", 3, True, api_key="{{ new }}\n{{ new }}"),
        _task("has the key as a dict", 3, True, api_key={"key": "{{ key }}"}),
        _task("is under another's name", 3, True, request_headers={"add": add}),
    ]
    tasks = [task for task in tasks if names is None or task["name"] in names]
    # Ansible itself shows a loop's item at -v, whatever the label: so a secret stands in no item.
    tasks.append(dict(_task("loops", 1, add={"Authorization": "{{ lookup('vars', item) }}"}), loop=["new", "old"]))
    return [
        dict(
            hosts="localhost",
            gather_facts=False,
            vars_files=["secrets.yml"],
            module_defaults={
                "group/edgeops.edges.all": dict(base_url=sim.base_url, api_key="{{ key }}", retry_max_wait=0.05)
            },
            tasks=tasks,
        )
    ]


def _write_secrets(folder):
    secrets = dict(key=KEY, new=NEW, mine=MINE, old=OLD)
    (folder / "secrets.yml").write_text(yaml.safe_dump(secrets), encoding="utf-8")


def _assert_hidden(text, what):
    for secret in SECRETS:
        at = text.find(secret)
        assert at < 0, "%s shows a secret: ...%s..." % (what, text[max(0, at - 300) : at + 50])


@pytest.mark.parametrize(
    "in_process, check, names",
    [
        pytest.param(True, [], None, id="worker"),
        pytest.param(True, ["--check"], None, id="worker, dry run"),
        pytest.param(False, [], MORE, id="module"),
        pytest.param(False, [], None, id="module, every task", marks=pytest.mark.slow),
    ],
)
def test_most_talkative_playbook(sim, tmp_path, in_process, check, names):
    _write_secrets(tmp_path)
    log = tmp_path / "ansible.log"
    done = harness.playbook(
        _plays(sim, names),
        "-vvvv",
        "--diff",
        *check,
        tmp_path=tmp_path,
        extra=dict(edgeops_edges_in_process=in_process),
        env=dict(
            ANSIBLE_INJECT_INVOCATION="1",
            ANSIBLE_LOG_PATH=str(log),
            ANSIBLE_DISPLAY_TRACEBACK="always",
            ANSIBLE_CALLBACK_RESULT_FORMAT="yaml",
        ),
    )
    assert done.returncode == 0, done.text
    # It did happen: every task ran, those that should failed, and options were shown.
    assert "runs in the worker" in done.text if in_process else "runs as a module" in done.text
    assert len(done.of("changes")) == 1 and done.of("changes")[0]["changed"]
    assert done.of("changes")[0]["invocation"]["module_args"]["add"]["X-Plain"] == "plain"
    assert "plain" in done.of("changes")[0]["diff"]["after"]
    for name in ("is redirected", "is answered half", "has a mistyped option", "has the key as a dict"):
        assert [one["kind"] for one in done.results if one["task"] == name] == ["failed"], done.of(name)
        assert "invocation" in done.of(name)[0]
    if not check:
        assert "cannot store Authorization: ********" in done.of("is refused by the service")[0]["msg"]
        assert done.of("is answered with something else")[0]["warnings"]
        assert sim.resources[HEADERS % 1]["add"] == {"Authorization": OLD}  # the loop's last item
    assert len(log.read_text(encoding="utf-8")) > 10_000
    _assert_hidden(done.text, "the output")
    _assert_hidden(json.dumps(done.results), "a result")
    _assert_hidden(log.read_text(encoding="utf-8"), "the log")


@pytest.mark.parametrize("in_process", [True, False], ids=["worker", "module"])
def test_artifacts_of_ansible_runner(sim, tmp_path, in_process):
    """What AWX keeps of a job. Runner itself stores the environment of its command, so nothing secret is in there."""
    for folder in ("project", "inventory", "env"):
        (tmp_path / folder).mkdir()
    _write_secrets(tmp_path / "project")
    (tmp_path / "project" / "play.yml").write_text(
        yaml.safe_dump(_plays(sim, None if in_process else FEW)), encoding="utf-8"
    )
    (tmp_path / "inventory" / "hosts").write_text(
        "localhost ansible_connection=local ansible_python_interpreter=%s\n" % sys.executable, encoding="utf-8"
    )
    (tmp_path / "env" / "extravars").write_text(json.dumps(dict(edgeops_edges_in_process=in_process)), encoding="utf-8")
    (tmp_path / "env" / "cmdline").write_text("-vvvv --diff", encoding="utf-8")
    runner = Path(sys.executable).with_name("ansible-runner")
    done = subprocess.run(
        [str(runner), "run", str(tmp_path), "-p", "play.yml", "-i", "job"],
        env=harness.plain_environment(ANSIBLE_INJECT_INVOCATION="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = [path for path in (tmp_path / "artifacts" / "job").rglob("*") if path.is_file()]
    events = [path for path in files if path.parent.name == "job_events"]
    assert len(events) > 15
    assert any("edghtsrt_4" in path.read_text(encoding="utf-8") for path in events)
    for path in files:
        _assert_hidden(path.read_text(encoding="utf-8", errors="replace"), path.name)
    _assert_hidden(done.stdout + done.stderr, "the output")


@pytest.fixture
def system_log():
    """The lines that come to a socket of our own in place of the system log's; skips where there is a log already."""
    if os.path.lexists("/dev/log") or not os.access("/dev", os.W_OK):
        pytest.skip("there is a system log on this machine, or no right to stand in for one")
    lines = []
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind("/dev/log")

    def read():  # at once: who writes to a log that is full has to wait
        while True:
            try:
                line = log.recv(65536)
            except OSError:
                return
            if not line:
                return
            lines.append(line.decode("utf-8", "replace"))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield lines
    os.unlink("/dev/log")
    log.shutdown(socket.SHUT_RDWR)
    log.close()
    reader.join(5)


@pytest.mark.parametrize("in_process", [True, False], ids=["worker", "module"])
def test_system_log(sim, tmp_path, system_log, in_process):
    _write_secrets(tmp_path)
    plays = _plays(sim, FEW)
    plays[0]["tasks"].append({"name": "writes", "ansible.builtin.slurp": {"src": "/etc/hostname"}})
    done = harness.playbook(plays, tmp_path=tmp_path, extra=dict(edgeops_edges_in_process=in_process))
    assert done.returncode == 0, done.text
    # An ordinary module is heard, and it comes last.
    assert [line for line in system_log if "slurp: Invoked" in line]
    assert [line for line in system_log if re.search(r"ansible-[\w.]*edge\w*: ", line)] == []
    _assert_hidden("".join(system_log), "the system log")
