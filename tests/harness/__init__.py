# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How tests run the modules: in this process for the many cases, by a real ansible-playbook for the rest.

In this process there are two ways, as in life: C(module) is the module's own code from AnsibleModule on, fed with
the JSON that Ansible would send, and C(worker) is the action plugin as Ansible's worker runs it. Both give a Result.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import re
import signal
import sys
import typing as t
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import yaml

from . import ansible_process

ROOT = Path(__file__).resolve().parents[2]
COLLECTION = "edgeops.edges"
PLUGINS = "ansible_collections.edgeops.edges.plugins"
WAYS = ("module", "worker")


@dataclass
class Result:
    """What a task returned. C(text) is everything that it printed, for tests that look for secrets."""

    data: dict
    text: str = ""

    def __getattr__(self, name: str) -> t.Any:
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def failed(self) -> bool:
        return bool(self.data.get("failed"))

    @property
    def changed(self) -> bool:
        return bool(self.data.get("changed"))

    @property
    def warnings(self) -> list:
        return [one if isinstance(one, str) else one.get("event", one)["msg"] for one in self.data.get("warnings", [])]


def connection_options(sim: t.Any, **more: t.Any) -> dict:
    """The options of the connection to a simulator, with waits that a test can bear."""
    options = dict(base_url=sim.base_url, api_key=sim.api_key, retry_max_wait=0.05)
    options.update(more)
    return options


def connection(**options: t.Any) -> t.Any:
    """The connection that these options ask for, with the defaults of the others."""
    from ansible_collections.edgeops.edges.plugins.module_utils import _connection, _http

    assert connection_faults(**options) == []
    return _connection.connect(_all_connection_options(options), _http.environment_proxy)


def connection_faults(**options: t.Any) -> list[str]:
    """What is wrong with these options of the connection, with the defaults of the others."""
    from ansible_collections.edgeops.edges.plugins.module_utils import _connection, _http

    return list(_connection.faults(_all_connection_options(options), _http.environment_proxy))


def _all_connection_options(given: dict) -> dict:
    from ansible_collections.edgeops.edges.plugins.module_utils import _argspec

    return {**{name: option.get("default") for name, option in _argspec.connection_spec().items()}, **given}


def run(way: str, name: str, options: dict, check: bool = False, diff: bool = True, env: dict | None = None) -> Result:
    """Run a module in one of the two ways, in this process."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("EDGE_API_")}
    environment.update(env or {})
    with mock.patch.dict(os.environ, environment, clear=True):
        return (_run_module if way == "module" else _run_worker)(name, options, check, diff)


def _run_module(name: str, options: dict, check: bool, diff: bool) -> Result:
    from ansible.module_utils import basic
    from ansible.module_utils.common import json as module_json
    from ansible.module_utils.common import parameters

    args = dict(options, _ansible_check_mode=check, _ansible_diff=diff)
    if "inject_invocation" in parameters.PASS_VARS:  # older ones always do, and refuse to be told
        args["_ansible_inject_invocation"] = True
    args["_ansible_module_name"] = "%s.%s" % (COLLECTION, name)
    patches: dict[str, t.Any] = {"_ANSIBLE_ARGS": None}
    if hasattr(module_json, "get_module_encoder"):
        encoder = module_json.get_module_encoder("legacy", module_json.Direction.CONTROLLER_TO_MODULE)
        patches["_ANSIBLE_PROFILE"] = "legacy"
        payload = json.dumps({"ANSIBLE_MODULE_ARGS": args}, cls=encoder)
    else:
        payload = json.dumps({"ANSIBLE_MODULE_ARGS": args}, cls=module_json.AnsibleJSONEncoder, vault_to_text=True)
    patches["_ANSIBLE_ARGS"] = payload.encode()
    _forget_warnings()
    stdout, stderr = io.StringIO(), io.StringIO()
    module = importlib.import_module("%s.modules.%s" % (PLUGINS, name))
    with (
        mock.patch.multiple(basic, **patches),
        _as_on_a_target(),
        signals_as_before(),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        try:
            module.main()
        except SystemExit:
            pass
        else:
            raise AssertionError("the module did not exit")
    text = stdout.getvalue()
    return Result(json.loads(text.strip().splitlines()[-1]), text + stderr.getvalue())


def _as_on_a_target() -> contextlib.AbstractContextManager:
    """Since ansible-core 2.19 a module's warnings go to the screen, not the result, where Ansible itself runs too."""
    try:
        from ansible.module_utils import _internal
    except ImportError:
        return contextlib.nullcontext()
    if not hasattr(_internal, "is_controller"):  # ansible-core 2.18 has the package, with something else in it
        return contextlib.nullcontext()
    return mock.patch.object(_internal, "is_controller", False)


@contextlib.contextmanager
def signals_as_before() -> t.Iterator[None]:
    """A module has a process of its own, and keeps what it does with signals to the end."""
    before = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, before)


def _forget_warnings() -> None:
    """Warnings are kept per process, which in life is one module."""
    from ansible.module_utils.common import warnings

    for name in ("_global_warnings", "_global_deprecations"):
        if hasattr(warnings, name):
            getattr(warnings, name).clear()


@functools.lru_cache(maxsize=1)
def _start_plugin_loader() -> None:
    """Let Ansible find collections: once a process, unless pytest-ansible did it."""
    from ansible.plugins import loader as plugins
    from ansible.utils.collection_loader import AnsibleCollectionConfig

    if AnsibleCollectionConfig.collection_finder is None:
        plugins.init_plugin_loader()


def _run_worker(name: str, options: dict, check: bool, diff: bool, task_vars: dict | None = None) -> Result:
    """Run the action plugin; Ansible's settings are looked up anew, since in life a process has the same all along."""
    from ansible.parsing.dataloader import DataLoader
    from ansible.playbook.play_context import PlayContext
    from ansible.playbook.task import Task
    from ansible.plugins import loader as plugins
    from ansible.template import Templar

    _start_plugin_loader()
    loader = DataLoader()
    full_name = "%s.%s" % (COLLECTION, name)
    task = Task.load({full_name: options})
    task.check_mode, task.diff = check, diff
    task.args = options
    play_context = PlayContext()
    connection = plugins.connection_loader.get("ansible.builtin.local", play_context, new_stdin=None)
    variables = {"inventory_hostname": "localhost", "ansible_python_interpreter": sys.executable}
    variables.update(task_vars or {})
    action = plugins.action_loader.get(
        full_name,
        task=task,
        connection=connection,
        play_context=play_context,
        loader=loader,
        templar=Templar(loader=loader, variables=variables),
        shared_loader_obj=plugins,
    )
    importlib.import_module("%s.plugin_utils._action" % PLUGINS)._without_variables.cache_clear()
    result = action.run(task_vars=variables)
    text = json.dumps(result, default=str)  # a module that failed leaves an exception in it
    return Result(json.loads(text), text)


@dataclass
class PlaybookRun:
    """What a real ansible-playbook did. C(options) are those of the tasks of C(results), as a callback sees them."""

    returncode: int
    stdout: str
    stderr: str
    results: list[dict] = field(default_factory=list)
    options: list[dict] = field(default_factory=list)
    stats: dict = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.stdout + self.stderr

    def of(self, task: str) -> list[dict]:
        """The results of the tasks (or loop items) whose name ends so."""
        return [one["result"] for one in self.results if one["task"].endswith(task)]


def plain_environment(**more: str) -> dict:
    """The environment of a playbook run: nothing of the user's that could decide a test."""
    environment = {
        key: value for key, value in os.environ.items() if not re.match(r"EDGE_API_|EDGEOPS_|(?i:.*_proxy$)", key)
    }
    environment.update(more)
    return environment


def playbook(
    plays: list[dict] | str | Path,
    *arguments: str,
    tmp_path: Path,
    extra: dict | None = None,
    env: dict | None = None,
    inventory: str | None = None,
    timeout: float = 120,
    cwd: Path | None = None,
) -> PlaybookRun:
    """Run ansible-playbook on plays, on a file, or on a playbook of the collection (C(edgeops.edges.NAME))."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    if isinstance(plays, list):
        target: str | Path = tmp_path / "play.yml"
        Path(target).write_text(yaml.safe_dump(plays, sort_keys=False, allow_unicode=True), encoding="utf-8")
    else:
        target = plays
    record = tmp_path / "results.jsonl"
    record.unlink(missing_ok=True)
    command = [str(target), *arguments]
    if inventory is not None:
        (tmp_path / "inventory.yml").write_text(inventory, encoding="utf-8")
        command += ["-i", str(tmp_path / "inventory.yml")]
    if extra:
        (tmp_path / "extra.json").write_text(json.dumps(extra), encoding="utf-8")
        command += ["-e", "@%s" % (tmp_path / "extra.json")]
    usual = plain_environment(
        ANSIBLE_CALLBACK_PLUGINS=str(Path(__file__).parent / "callback_plugins"),
        ANSIBLE_CALLBACKS_ENABLED="record_results",
        RECORD_RESULTS=str(record),
    )
    done = ansible_process.run(command, {**usual, **(env or {})}, usual, cwd or tmp_path, timeout)
    outcome = PlaybookRun(done.returncode, done.stdout, done.stderr)
    if record.exists():
        for line in record.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["kind"] == "stats":
                outcome.stats = entry["stats"]
            else:
                outcome.options.append(entry.pop("options"))
                outcome.results.append(entry)
    return outcome


def play(tasks: list[dict], sim: t.Any = None, hosts: str = "localhost", **more: t.Any) -> dict:
    """A play without facts whose tasks know the simulator by module_defaults."""
    found: dict = dict(hosts=hosts, gather_facts=False, tasks=tasks)
    if sim is not None:
        found["module_defaults"] = {"group/edgeops.edges.all": connection_options(sim)}
    found.update(more)
    return found
