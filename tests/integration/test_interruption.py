# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task over many edge modules that is stopped: by its timeout, by a signal, or because Ansible is gone."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness
import pytest
from harness.many import PER_GROUP, many
from harness.process import result_of, start_module

GROUPS = 80
TOTAL = GROUPS * PER_GROUP


def _begun(sim, requests=60):
    """Wait until the module is in the middle of its work."""
    deadline = time.monotonic() + 60
    while len(sim.log) < requests:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _is_silent(sim, grace=0.5):
    """Whether no request starts any more, once the ones in flight are answered."""
    time.sleep(grace)
    sent = len(sim.log)
    time.sleep(0.5)
    return len(sim.log) == sent < TOTAL


def _finishes(sim, way):
    """Whether a further run does the rest, and only that."""
    done = len(sim.resources)
    sim.configure(latency=0)
    summary = harness.run(way, "edge_modules", {**harness.connection_options(sim), **many(GROUPS)}).summary
    return summary == dict(total=TOTAL, changed=TOTAL - done, removed=0, unchanged=done, failed=0)


def _titles(text):
    """How many edge modules a message says were written."""
    found = re.search(r"The task was stopped: (\d+) of %d edge modules were written before: " % TOTAL, text)
    return int(found.group(1))


@pytest.mark.parametrize("way", harness.WAYS)
def test_the_timeout_of_a_task(sim, way, tmp_path):
    sim.configure(latency=0.1, validate=False)
    task = {"name": "many", "edgeops.edges.edge_modules": many(GROUPS), "timeout": 3}
    done = harness.playbook(
        [harness.play([task], sim)], tmp_path=tmp_path, extra=dict(edgeops_edges_in_process=way == "worker")
    )
    assert done.returncode == 2
    text = " ".join(done.text.split())
    assert re.search(r"imed out after 3 second|expected time frame \(3\)", text), text
    assert _is_silent(sim)
    assert 0 < len(sim.resources) < TOTAL
    if way == "worker":
        # A module's output has no reader any more.
        assert _titles(" ".join(done.stderr.split())) == len(sim.resources)
    assert _finishes(sim, way)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_to_the_module(sim, tmp_path, name):
    sim.configure(latency=0.05, validate=False)
    options = {**harness.connection_options(sim), **many(GROUPS)}
    process = start_module("edge_modules", options, tmp_path)
    _begun(sim)
    process.send_signal(getattr(signal, name))
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 1, stderr
    assert stderr == ""
    assert _is_silent(sim, grace=0)
    result = result_of(stdout)
    assert (result["failed"], result["changed"]) == (True, True)
    assert _titles(result["msg"]) == len(sim.resources) == result["summary"]["changed"]
    assert result["summary"]["failed"] == TOTAL - len(sim.resources)
    assert len(result["results"]) == TOTAL
    assert _finishes(sim, "module")


def test_signals_that_go_on_until_the_module_ends(sim, tmp_path):
    """Ansible sends several: only the first interrupts the work, none cuts short how it ends."""
    sim.configure(latency=0.05, validate=False)
    options = {**harness.connection_options(sim), **many(GROUPS)}
    process = start_module("edge_modules", options, tmp_path)
    _begun(sim)
    # Nobody reads at first: the result is longer than a pipe holds, so that signals come while it is printed.
    until = time.monotonic() + 2
    while time.monotonic() < until:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.001)
    while True:
        process.send_signal(signal.SIGTERM)
        try:
            stdout, stderr = process.communicate(timeout=0.001)
        except subprocess.TimeoutExpired:
            continue
        break
    assert (process.returncode, stderr) == (1, "")
    result = result_of(stdout)
    assert _titles(result["msg"]) == len(sim.resources) == result["summary"]["changed"]
    assert _is_silent(sim, grace=0)


def test_a_module_whose_reader_is_gone_ends(sim, tmp_path):
    """As when the connection to the target is lost."""
    sim.configure(latency=0.05, validate=False)
    options = {**harness.connection_options(sim), **many(GROUPS)}
    process = start_module("edge_modules", options, tmp_path)
    _begun(sim)
    process.stdout.close()
    process.wait(timeout=30)
    assert _is_silent(sim, grace=0)
    assert 0 < len(sim.resources) < TOTAL


def test_a_module_that_waits_for_a_try_ends_at_once(sim, tmp_path):
    sim.add_fault(status=503, headers={"Retry-After": "50"})
    options = {**harness.connection_options(sim, retry_max_wait=60), **many(1)}
    process = start_module("edge_modules", options, tmp_path)
    _begun(sim, 4)
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    stdout, dummy = process.communicate(timeout=30)
    assert time.monotonic() - started < 5
    assert result_of(stdout)["msg"] == "The task was stopped: nothing was written before"
    assert len(sim.log) == 4


def _start_playbook(sim, way, tmp_path, task, **environment):
    play = tmp_path / "play.yml"
    play.write_text(harness.yaml.safe_dump([harness.play([task], sim)]), encoding="utf-8")
    return subprocess.Popen(
        [
            str(Path(sys.executable).with_name("ansible-playbook")),
            str(play),
            "-e",
            "edgeops_edges_in_process=%s" % (way == "worker"),
        ],
        env=harness.plain_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


@pytest.mark.parametrize("way", harness.WAYS)
def test_ctrl_c(sim, way, tmp_path):
    """Whatever Ansible does with its processes, nothing goes on in the background."""
    sim.configure(latency=0.05, validate=False)
    process = _start_playbook(sim, way, tmp_path, {"edgeops.edges.edge_modules": many(GROUPS)})
    _begun(sim)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[0].decode()
    assert process.returncode not in (0, None)
    assert "Traceback" not in output
    if way == "worker":  # nobody listens to a module any more
        assert re.search(r"\[WARNING\]: The task was stopped: [1-9][0-9]* of [0-9]+ edge modules were written", output)
    assert _is_silent(sim)
    assert _finishes(sim, way)


LOOP = {
    "edgeops.edges.tcp_edge_backend": {"edge_id": "edgtcp_{{ item }}", "backend_id": "bkdtg_{{ item }}"},
    "loop": "{{ range(0, %d) | list }}" % TOTAL,
    "loop_control": {"label": "{{ item }}"},
}


def _children(parent):
    """The processes that a process has made, and that are there."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


MANY = {"edgeops.edges.edge_modules": many(GROUPS)}


@pytest.mark.parametrize("way, task", [("worker", MANY), ("worker", LOOP), ("module", MANY), ("module", LOOP)])
def test_ansible_that_was_killed(sim, way, task, tmp_path):
    """Nobody tells its workers, nor the modules that they run."""
    sim.configure(latency=0.05, validate=False)
    process = _start_playbook(sim, way, tmp_path, task)
    _begun(sim, 6 if task is LOOP else 60)
    workers = _children(process.pid)
    process.kill()
    process.wait(timeout=30)
    killed = time.monotonic()
    assert _is_silent(sim)
    # Those in flight were begun before; the way to a module is the longer one.
    last = max(record.time for record in sim.log)
    assert last < killed + (0.1 if way == "worker" else 0.5)
    assert 0 < len(sim.resources) < TOTAL
    output = process.stdout.read().decode()  # ends once nobody can write to it any more
    deadline = time.monotonic() + 10
    while any(Path("/proc/%d" % pid).exists() for pid in workers):
        assert time.monotonic() < deadline, "a worker stays behind"
        time.sleep(0.05)
    assert workers
    if way == "worker" and task is MANY:
        assert re.search(r"\[WARNING\]: ansible-playbook is gone: [1-9][0-9]* changed, .* [0-9]+ not tried", output)


def test_a_module_that_lost_its_parent(sim, tmp_path):
    """Though somebody reads what it prints."""
    sim.configure(latency=0.05, validate=False)
    options = {**harness.connection_options(sim), **many(GROUPS)}
    process = start_module("edge_modules", options, tmp_path, below_a_shell=True)
    _begun(sim)
    process.kill()
    result = result_of(process.communicate(timeout=30)[0])
    assert _is_silent(sim, grace=0)
    assert result["summary"]["changed"] == len(sim.resources) < TOTAL
    assert result["results"][-1]["error"]["msg"] == "not tried: the task was stopped"


def test_progress_shows_where_people_read(sim, tmp_path):
    """By whatever name Ansible's own output for people is asked for. All wait at the same time."""
    sim.configure(latency=2, validate=False)
    task = {"edgeops.edges.edge_modules": dict(many(3), concurrency=2)}  # at least 15 seconds
    callbacks = ("default", "ansible.builtin.default", "ansible.legacy.default", "minimal")
    processes = {}
    for callback in callbacks:
        folder = tmp_path / callback
        folder.mkdir()
        processes[callback] = _start_playbook(sim, "worker", folder, task, ANSIBLE_STDOUT_CALLBACK=callback)
    for callback, process in processes.items():
        output = process.communicate(timeout=120)[0].decode()
        assert process.returncode == 0, output
        assert bool(re.search(r"edge_modules: \d+ of 15 edge modules done", output)) is (callback != "minimal"), output
