# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured: whole ansible-playbook processes, each with the start of an empty play taken off by the caller."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

from harness import plain_environment
from harness.many import PER_GROUP, many

KEY = "key-of-the-benchmark"

# Unrolled tasks, items of a loop of modules, items of a loop that needs no process.
TASKS = 10
FEW = 30
ITEMS = 1000


@dataclass
class Used:
    """What a process and all that it started took: seconds, seconds of processor, megabytes of the largest one."""

    seconds: float
    processor: float
    megabytes: float


def run(command: list[str], folder: Path, **environment: str) -> Used:
    """Run a command to its end."""
    with open(folder / "output.txt", "w+", encoding="utf-8") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=plain_environment(**environment), stdout=output, stderr=subprocess.STDOUT
        )
        dummy, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        assert process.returncode == 0, output.read()[-3000:]
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Used(seconds, usage.ru_utime + usage.ru_stime, kilobytes / 1024)


def playbook(tasks: list[dict], folder: Path, variables: dict | None = None, **environment: str) -> Used:
    """Run a play of these tasks; the variables come from a file of JSON."""
    play = dict(hosts="localhost", gather_facts=False, tasks=tasks)
    (folder / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
    (folder / "variables.json").write_text(json.dumps(variables or {}), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("ansible-playbook")), "play.yml", "-e", "@variables.json"]
    return run(command, folder, **environment)


def _ours(base_url: str, name: str, **options: t.Any) -> dict:
    return {"name": name, "edgeops.edges." + name: dict(base_url=base_url, api_key=KEY, **options)}


def _backend(base_url: str, number: str, in_process: bool, mark: str = "a") -> dict:
    options = dict(edge_id="edgtcp_" + number, backend_id="bkdtg_%s%s" % (mark, number))
    task = _ours(base_url, "tcp_edge_backend", **options)
    return task if in_process else {**task, "vars": dict(edgeops_edges_in_process=False)}


def _uri(base_url: str, number: str) -> dict:
    url = "%s/edges/tcp/edgtcp_%s/backend" % (base_url, number)
    headers = {"Authorization": "Bearer " + KEY, "Service-Version": "2"}
    return {"name": "uri", "ansible.builtin.uri": dict(url=url, headers=headers, return_content=True)}


def _loop(task: dict, times: int) -> dict:
    return {**task, "loop": "{{ range(%d) | list }}" % times, "loop_control": dict(label="{{ item }}")}


def backends() -> dict[str, dict]:
    """What the service has to hold so that the tasks and loops change nothing: bodies of PUTs, by path."""
    return {"/edges/tcp/edgtcp_%d/backend" % number: dict(backend_id="bkdtg_a%d" % number) for number in range(ITEMS)}


# One task that reads a backend, by the way in which it does.
WAYS_OF_A_TASK: dict[str, t.Callable[[str, str], dict]] = {
    "uri": _uri,
    "module": lambda base_url, number: _backend(base_url, number, False),
    "worker": lambda base_url, number: _backend(base_url, number, True),
}


def tasks(way: t.Callable[[str, str], dict], base_url: str, folder: Path, count: int) -> Used:
    """So many tasks, one after the other, without a loop."""
    return playbook([way(base_url, str(number)) for number in range(count)], folder)


def loop_of_uri(base_url: str, folder: Path) -> Used:
    return playbook([_loop(_uri(base_url, "{{ item }}"), FEW)], folder)


def loop_of_debug(folder: Path, items: int) -> Used:
    task = {"name": "debug", "ansible.builtin.debug": dict(msg="edgtcp_{{ item }} bkdtg_a{{ item }}")}
    return playbook([_loop(task, items)], folder)


def loop_of_ours(base_url: str, folder: Path, items: int, mark: str = "a") -> Used:
    """Changes nothing with the mark a, where the service holds L{backends}; each backend with any other."""
    return playbook([_loop(_backend(base_url, "{{ item }}", True, mark), items)], folder)


def variables_of(total: int) -> dict:
    return many(total // PER_GROUP)


def empty(folder: Path, variables: dict | None = None) -> Used:
    """Nothing but Ansible's start, and the reading of the variables."""
    return playbook([], folder, variables)


def edge_modules(base_url: str, folder: Path, variables: dict, concurrency: int | None = None) -> Used:
    """One task over all that the variables list."""
    options = {name: "{{ %s }}" % name for name in variables}
    if concurrency:
        options["concurrency"] = str(concurrency)
    return playbook([_ours(base_url, "edge_modules", **options)], folder, variables)


def take_and_return(folder: Path, variables: dict) -> Used:
    """What any task costs that takes the lists of edge_modules and returns as much: Ansible's own part."""
    task = {"name": "take", "ansible.builtin.set_fact": {"taken_" + name: "{{ %s }}" % name for name in variables}}
    return playbook([task], folder, variables)


_BARE = """
import sys, time, requests
session = requests.Session()
session.headers["Authorization"] = "Bearer key"
started = time.perf_counter()
for path in sys.stdin.read().split():
    session.get(sys.argv[1] + path).json()
print(time.perf_counter() - started)
"""


def bare_session(base_url: str, paths: list[str]) -> float:
    """Seconds of a loop over one requests.Session, one request after the other; without the process and its imports."""
    command = [sys.executable, "-c", _BARE, base_url]
    done = subprocess.run(
        command, input="\n".join(paths), env=plain_environment(), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def payloads(folder: Path) -> dict[str, str]:
    """The files that Ansible makes to run a module, by the module: each fails for want of an option, once imported."""
    names = {"tcp_edge_backend": "edgeops.edges.tcp_edge_backend", "uri": "ansible.builtin.uri"}
    found = {}
    for name, full_name in names.items():
        task = {"name": name, full_name: {}, "vars": dict(edgeops_edges_in_process=False), "ignore_errors": True}
        playbook([task], folder, ANSIBLE_KEEP_REMOTE_FILES="1", ANSIBLE_REMOTE_TMP=str(folder / "remote"))
        (made,) = (folder / "remote").glob("*/AnsiballZ_*.py")
        found[name] = str(shutil.copy(made, folder / made.name))
        shutil.rmtree(folder / "remote")
    return found


def start(file: str | None) -> float:
    """Seconds of a Python that runs a module's file, or nothing at all."""
    command = [sys.executable, file] if file else [sys.executable, "-c", "pass"]
    started = time.perf_counter()
    done = subprocess.run(command, env=plain_environment(), capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    assert file is None or re.search("required", done.stdout), done
    return seconds
