# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured: whole ansible-playbook processes, each with the start of an empty play taken off by the caller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import facts
from harness import plain_environment
from harness.many import PER_GROUP, entries_of, many
from harness.role import variables as role_variables

KEY = "key-of-the-benchmark"

# Unrolled tasks, items of a loop of modules, items of a loop that needs no process.
TASKS = 10
FEW = 20
ITEMS = 1000


@dataclass
class Used:
    """What a process and all that it started took: seconds, and megabytes of the largest one."""

    seconds: float
    megabytes: float


@dataclass
class Run:
    """A process that has been started, and the file that holds its output."""

    process: subprocess.Popen
    output: Path
    started: float

    def wait(self) -> Used:
        dummy, status, usage = os.wait4(self.process.pid, 0)
        seconds = time.perf_counter() - self.started
        self.process.returncode = os.waitstatus_to_exitcode(status)
        assert self.process.returncode == 0, self.output.read_text(encoding="utf-8")[-3000:]
        return Used(seconds, usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1) / 1024)


def begin(tasks: list[dict], folder: Path, variables: dict | None = None, **more: t.Any) -> Run:
    """Start a play of these tasks; the variables come from a file of JSON.

    :param hosts: variables of each host by its name, in place of localhost.
    :param more: the environment.
    """
    hosts = more.pop("hosts", None)
    folder.mkdir(exist_ok=True)
    play = dict(hosts="all" if hosts else "localhost", gather_facts=False, tasks=tasks)
    (folder / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
    (folder / "variables.json").write_text(json.dumps(variables or {}), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("ansible-playbook")), "play.yml", "-e", "@variables.json"]
    if hosts:
        inventory = dict(all=dict(hosts=hosts, vars=dict(ansible_connection="local")))
        (folder / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
        command += ["-i", "inventory.json"]
    output = folder / "output.txt"
    with open(output, "w", encoding="utf-8") as stream:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=plain_environment(**more), stdout=stream, stderr=subprocess.STDOUT
        )
    return Run(process, output, started)


def playbook(tasks: list[dict], folder: Path, variables: dict | None = None, **more: t.Any) -> Used:
    """Run a play of these tasks to its end."""
    return begin(tasks, folder, variables, **more).wait()


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


def variables_of(total: int, mark: str = "a") -> dict:
    return many(total // PER_GROUP, mark)


def bodies_of(options: dict) -> dict[str, dict]:
    """What the service has to hold so that options of edge_modules change nothing: bodies of PUTs, by path."""
    return {module.path_of(ids): _body(module, entry) for module, ids, entry in entries_of(options)}


def _body(module: facts.EdgeModule, entry: dict) -> dict:
    documents = {field.name for field in module.fields if field.compare is facts.as_json}
    return {name: json.dumps(value) if name in documents else value for name, value in entry.items()}


def empty(folder: Path, variables: dict | None = None, hosts: dict | None = None) -> Used:
    """Nothing but Ansible's start, and the reading of the variables."""
    return playbook([], folder, variables, hosts=hosts)


def edge_modules(base_url: str, folder: Path, variables: dict, concurrency: int | None = None) -> Used:
    """One task over all that the variables list, which returns what changed alone."""
    return playbook([_edge_modules(base_url, variables, concurrency)], folder, variables)


def _edge_modules(base_url: str, variables: dict, concurrency: int | None, **more: t.Any) -> dict:
    options: dict[str, t.Any] = {name: "{{ %s }}" % name for name in variables}
    options["return_unchanged"] = False
    if concurrency:
        options["concurrency"] = str(concurrency)
    return _ours(base_url, "edge_modules", **{**options, **more})


def plan_of(base_url: str, folder: Path, variables: dict, concurrency: int) -> dict:
    """The plan of a dry run of that task."""
    task = {**_edge_modules(base_url, variables, concurrency), "check_mode": True, "register": "outcome"}
    path = folder / "plan.json"
    copy = {"name": "plan", "ansible.builtin.copy": dict(content="{{ outcome.plan | to_json }}", dest=str(path))}
    playbook([task, copy], folder, variables)
    return json.loads(path.read_text(encoding="utf-8"))


def under_control(base_url: str, folder: Path, variables: dict, concurrency: int, plan: dict) -> Used:
    """That task with all that controls a change: an approved plan, both limits, and a backup."""
    control = dict(
        approved_plan="{{ plan }}", max_changed="100%", max_removed=0, backup_path=str(folder / "backup.yml")
    )
    task = _edge_modules(base_url, variables, concurrency, **control)
    return playbook([task], folder, dict(variables, plan=plan))


def _role(tasks_from: str = "main") -> dict:
    role = dict(name="edgeops.edges.provision", tasks_from=tasks_from)
    return {"name": "role", "ansible.builtin.import_role": role}


def _connection(base_url: str) -> dict:
    return dict(provision_base_url=base_url, provision_api_key=KEY)


def hosts_of_an_edge(count: int) -> dict[str, dict]:
    """So many hosts, each with one of the edges of L{backends}."""
    options = variables_of(count * PER_GROUP)["tcp_edges"]
    return {"edge-%d" % number: dict(provision_tcp_edges=[edge]) for number, edge in enumerate(options)}


def role(base_url: str, folder: Path, hosts: dict) -> Used:
    return playbook([_role()], folder, _connection(base_url), hosts=hosts)


def assert_and_debug(folder: Path, hosts: dict) -> Used:
    tasks = [
        {"name": "assert", "ansible.builtin.assert": dict(that="provision_tcp_edges | length == 1")},
        {"name": "debug", "ansible.builtin.debug": dict(msg="{{ provision_tcp_edges[0].id }}")},
    ]
    return playbook(tasks, folder, hosts=hosts)


def drift(base_url: str, folder: Path, variables: dict, concurrency: int, report: str | None) -> Used:
    """The role's dry run over all that the variables list."""
    asked = dict(role_variables(variables), **_connection(base_url))
    asked.update(provision_concurrency=concurrency, provision_report=report and str(folder / report))
    return playbook([_role("drift")], folder, asked)


def slices(base_url: str, folder: Path, hosts: list[dict[str, dict]], at_once: bool) -> float:
    """Seconds of the role on several inventories, at once or one after the other; without a URL of empty plays."""
    tasks, variables = ([_role()], _connection(base_url)) if base_url else ([], {})
    started = time.perf_counter()
    runs = []
    for number, each in enumerate(hosts):
        runs.append(begin(tasks, folder / ("slice-%d" % number), variables, hosts=each))
        if not at_once:
            runs[-1].wait()
    if at_once:
        for run in runs:
            run.wait()
    return time.perf_counter() - started


def slices_of(total: int, count: int) -> list[dict[str, dict]]:
    """So many inventories of one host, each with an equal share of the edge modules."""
    variables = variables_of(total)
    return [
        {"slice-%d" % number: role_variables({name: edges[number::count] for name, edges in variables.items()})}
        for number in range(count)
    ]


_BARE = """
import sys, threading, time, requests
from concurrent.futures import ThreadPoolExecutor
kept = threading.local()
def get(path):
    if not hasattr(kept, "session"):
        kept.session = requests.Session()
        kept.session.headers["Authorization"] = "Bearer key"
    return kept.session.get(sys.argv[1] + path).json()
paths = sys.stdin.read().split()
started = time.process_time()
with ThreadPoolExecutor(int(sys.argv[2])) as executor:
    list(executor.map(get, paths))
print(time.process_time() - started)
"""

_WORK = """
import json, sys, time
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeops.edges.plugins.module_utils._many import modules_work
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context
options = dict(json.load(sys.stdin), base_url=sys.argv[1], api_key="key", concurrency=int(sys.argv[2]))
started = time.process_time()
work = modules_work()
assert not work.all_faults(options)
params = ArgumentSpecValidator(work.spec).validate(work.clean(options)).validated_parameters
result = work.do(params, Context())
print(time.process_time() - started)
assert result["summary"]["unchanged"] == result["summary"]["total"], result["msg"]
"""


def bare_sessions(base_url: str, paths: list[str], concurrency: int) -> float:
    """Seconds of processor of as many threads with a requests.Session each, without imports."""
    return _processor(_BARE, base_url, concurrency, "\n".join(paths))


def bare_work(base_url: str, options: dict, concurrency: int) -> float:
    """Seconds of processor of what edge_modules does, without Ansible around it and without its imports."""
    return _processor(_WORK, base_url, concurrency, json.dumps(options))


def _processor(script: str, base_url: str, concurrency: int, given: str) -> float:
    environment = plain_environment(PYTHONPATH=os.environ["ANSIBLE_COLLECTIONS_PATH"])
    command = [sys.executable, "-c", script, base_url, str(concurrency)]
    done = subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)
