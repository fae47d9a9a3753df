# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The worker's side: the work of a module, done in Ansible's own process where that is the same thing.

Private to this collection.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import sys
import threading
import typing as t

from ansible import constants as C
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.module_utils.common import json as module_json
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.plugins.action.normal import ActionModule as NormalActionModule
from ansible.utils.display import Display
from ansible_collections.edgeops.edges.plugins.module_utils import _parent
from ansible_collections.edgeops.edges.plugins.module_utils._connection import Connection
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, InputError
from ansible_collections.edgeops.edges.plugins.module_utils._http import (
    REQUESTS_IMPORT_CAUSE,
    REQUESTS_IMPORT_ERROR,
    Client,
    new_adapter,
)
from ansible_collections.edgeops.edges.plugins.module_utils._signals import raise_once
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten
from ansible_collections.edgeops.edges.plugins.module_utils._work import (
    FOUND_BEFORE,
    Context,
    Work,
    failure,
    hidden_values,
    without_in_names,
)
from ansible_collections.edgeops.edges.plugins.plugin_utils import _templates, _unquoted

display = Display()

# Where the user reads. Taken when Ansible's main process loads this file, before it makes its workers: since
# ansible-core 2.19 these have no standard error of their own, and on Ctrl-C nobody listens to Display any more.
_stderr = os.dup(2) if sys.stderr else None

# Since ansible-core 2.19 a template keeps the types of what it holds: a date-time stays one.
_KEEPS_TYPES = hasattr(module_json, "get_module_encoder")

# Kept-alive connections of this process. A worker lives for one task, so they stay open within its loop; the
# process takes them with it when it ends.
_adapters: dict[tuple, t.Any] = {}


def _kept_client(connection: Connection, stop: threading.Event) -> Client:
    """Return a client whose adapter is kept for the next item of the loop."""
    key = connection.adapter_key
    if key not in _adapters:
        _adapters[key] = new_adapter(connection)
    return Client(connection, _adapters[key], stop)


def _as_module_receives(args: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return a task's options as a module would find them: through Ansible's own JSON between the two."""
    if _KEEPS_TYPES:
        to_module = module_json.Direction.CONTROLLER_TO_MODULE
        text = json.dumps(args, cls=module_json.get_module_encoder("legacy", to_module))
        return json.loads(text, cls=module_json.get_module_decoder("legacy", to_module))
    encoder: t.Any = module_json.AnsibleJSONEncoder
    return json.loads(json.dumps(args, cls=encoder, vault_to_text=True))


def given_options(
    work: Work, args: dict[str, t.Any], task_vars: dict[str, t.Any]
) -> tuple[dict[str, t.Any], list[str]]:
    """Return a task's options as a module would find them, and what is wrong that it could not see any more."""
    is_date_time = None
    try:
        if not _KEEPS_TYPES:
            args, is_date_time = _unquoted.read_back(args), _unquoted.DateTimes(task_vars)
        found = list(_unquoted.faults(work.spec, args, is_date_time=is_date_time))
        try:
            return _as_module_receives(args), found
        except (AnsibleError, TypeError, ValueError):
            args = _unquoted.without_what_json_lacks(args, found)
        return _as_module_receives(args), found
    except RecursionError:
        raise AnsibleActionFail("the options are nested too deep, or contain themselves by a YAML anchor") from None


def validated(work: Work, given: dict[str, t.Any], found: list[str]) -> dict[str, t.Any]:
    """Return options as the work takes them.

    :raises InputError: with all that is wrong with their names and types.
    """
    found = work.all_faults(given, found)
    if found:
        raise InputError(found)
    validator = ArgumentSpecValidator(work.spec, required_if=work.required_if)
    validation = validator.validate(work.clean(given))
    if validation.error_messages:
        raise InputError(validation.error_messages)
    return validation.validated_parameters


class EdgeActionBase(NormalActionModule):
    """Runs `work` in the worker, or the module of the same name as usual."""

    work: Work

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        task_vars = task_vars or {}
        reason = self._reason_for_module(task_vars)
        host = task_vars.get("inventory_hostname")
        self._task.args = self._with_module_defaults(self._task.args)
        given, found = given_options(self.work, self._task.args, task_vars)
        if reason:
            display.vvv("edgeops.edges.%s runs as a module: %s" % (self.work.name, reason), host=host)
            return self._run_as_module(tmp, task_vars, given, found)
        display.vvv("edgeops.edges.%s runs in the worker" % self.work.name, host=host)
        # As a module's run does: Ansible makes a new connection for each item of a loop where this one is not in use.
        self._connection._connect()
        result = ActionBase.run(self, tmp, task_vars)
        if _KEEPS_TYPES and not found:
            # Ansible takes them back with the result, and plain data far sooner than texts that know their origin.
            self._task.args = given
        result.update(self._run_here(given, found, task_vars))
        if _parent.is_gone():
            _end(result)
        return result

    def _with_module_defaults(self, args: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with those of module_defaults where they are null: for Ansible these are given.

        Those that are missing are Ansible's own to fill in, but not where provision_control runs this.
        """
        by_name: dict[str, t.Any] = {}
        for each in self._task.module_defaults or ():
            by_name.update(each)
        defaults: dict[str, t.Any] = {}
        for name in ("group/edgeops.edges.all", "edgeops.edges." + self.work.name):
            defaults.update(by_name.get(name) or {})
        filled = dict(args)
        for name in defaults:
            if name not in args or not self.work.clean({name: args[name]}):
                filled[name] = _templates.resolved(self._templar.template, defaults[name])
        return filled

    def _run_as_module(
        self, tmp: t.Any, task_vars: dict[str, t.Any], given: dict[str, t.Any], found: list[str]
    ) -> dict[str, t.Any]:
        args = self._task.args
        if found:
            # It tells them with whatever else is wrong.
            self._task.args = {**given, FOUND_BEFORE: found}
        elif not _KEEPS_TYPES:
            self._task.args = given
        try:
            with _ended_with_its_parent():
                return super().run(tmp, task_vars)
        finally:
            self._task.args = args  # a task may be tried again

    def _reason_for_module(self, task_vars: dict[str, t.Any]) -> str | None:
        """Return why the module has to run as usual; None where the worker can do the same."""
        if not self._switched_on(task_vars):
            return "edgeops_edges_in_process is false"
        if self._task.async_val:
            return "async"
        if self._connection.transport != "local":
            return "the connection is %s, not local" % self._connection.transport
        if self._connection.become or self._play_context.become:
            return "become"
        if sys.platform == "darwin":
            return "macOS: network look-ups crash in a forked process"
        environment: dict[str, t.Any] = {}
        self._compute_environment_string(environment)
        if environment:
            return "an environment is set"
        python = self._explicit_python(task_vars)
        if python and not _is_this_python(python):
            return "another Python is named for modules: %s" % python
        if REQUESTS_IMPORT_ERROR:
            return "requests cannot be imported in Ansible's own Python: %s" % REQUESTS_IMPORT_CAUSE
        return None

    def _switched_on(self, task_vars: dict[str, t.Any]) -> bool:
        for source, value in (
            ("edgeops_edges_in_process", task_vars.get("edgeops_edges_in_process")),
            ("EDGEOPS_EDGES_IN_PROCESS in the environment", os.environ.get("EDGEOPS_EDGES_IN_PROCESS")),
        ):
            value = _templates.resolved(self._templar.template, value)
            if value is None or (isinstance(value, str) and not value.strip()):
                continue
            try:
                return boolean(value)
            except TypeError:
                text = "%s must be true or false, not %s" % (source, shorten(json.dumps(value, default=str), 80))
                raise AnsibleActionFail(text) from None
        return True

    def _explicit_python(self, task_vars: dict[str, t.Any]) -> str | None:
        """Return the Python that is named for the task's host; None where Ansible is to find one."""
        if self._task.delegate_to:
            task_vars = task_vars.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        python = _setting("INTERPRETER_PYTHON", task_vars, "ansible_python_interpreter")
        python = str(self._templar.template(python) or "auto").strip()
        return None if python.startswith("auto") else python

    def _run_here(self, given: dict[str, t.Any], found: list[str], task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        warnings: list[str] = []
        context = Context(
            check_mode=self._task.check_mode,
            diff=self._task.diff,
            warn=warnings.append,
            say=_say,
            new_client=_kept_client,
        )
        params = self.work.clean(given)
        with _signals_raised_first():
            try:
                params = validated(self.work, given, found)
                result = self.work.do(params, context)
            except EdgeError as exc:
                result = failure(exc)
            except BaseException as exc:
                # The task's timeout, or a signal: it goes on, but what was written is said first.
                if context.partial:
                    text = _without(context.partial["msg"], hidden_values(params))
                    if isinstance(exc, KeyboardInterrupt) and _stderr is not None:
                        os.write(_stderr, ("[WARNING]: %s\n" % text).encode())
                    else:
                        display.warning(text)
                raise
        result = _without(result, hidden_values(params))
        if warnings:
            result["warnings"] = [_without(warning, hidden_values(params)) for warning in warnings]
        if _shows_invocation(task_vars):
            result["invocation"] = dict(module_args=_without(self.work.shown(params), hidden_values(params)))
        return result


# How often a worker that waits for a module looks whether Ansible is still there, in seconds.
_LOOK_EVERY = 0.1


@contextlib.contextmanager
def _ended_with_its_parent() -> t.Iterator[None]:
    """End this worker once Ansible's main process is gone: a module stops where nobody reads its output any more."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_EVERY):
            if _parent.is_gone():
                os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=watch, name="watch the parent", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _end(result: dict[str, t.Any]) -> t.NoReturn:
    """End this worker, whose result nobody takes: Ansible's queue would wait for ever for somebody who does."""
    if result.get("failed") and _stderr is not None:
        with contextlib.suppress(OSError):
            os.write(_stderr, ("[WARNING]: ansible-playbook is gone: %s\n" % result["msg"]).encode())
    os._exit(1)


@contextlib.contextmanager
def _signals_raised_first() -> t.Iterator[None]:
    """Let the signals that end a worker at once raise KeyboardInterrupt first; they do what they do afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = raise_once(received)
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
        if received:
            os.kill(os.getpid(), received[0])


def _without(value: t.Any, hidden: set[str]) -> t.Any:
    """Remove the key from a result as a module does for an option with no_log."""
    text = json.dumps(value)
    if not any(json.dumps(one)[1:-1] in text for one in hidden):
        return value  # Ansible's way looks at each text of thousands of results
    value = without_in_names(value, hidden)
    if not isinstance(value, dict):
        return remove_values(value, hidden)
    kept = {name: one for name, one in value.items() if one is None or isinstance(one, bool)}
    return {**remove_values(value, hidden), **kept}


@functools.cache  # asked for each item of a loop
def _is_this_python(python: str) -> bool:
    """Return whether a path names the Python that runs this: python and python3 of one folder are the same."""
    found = shutil.which(os.path.expanduser(python))
    if not found:
        return False
    own = sys.executable
    same_folder = os.path.realpath(os.path.dirname(found)) == os.path.realpath(os.path.dirname(own))
    return same_folder and os.path.realpath(found) == os.path.realpath(own)


def _shows_invocation(task_vars: dict[str, t.Any]) -> bool:
    """Return whether a module's result would hold its options: always, until ansible-core made it a setting."""
    try:
        return bool(_setting("INJECT_INVOCATION", task_vars, "ansible_inject_invocation"))
    except AnsibleError:
        return True


def _setting(name: str, task_vars: dict[str, t.Any], variable: str) -> t.Any:
    """Return one of Ansible's settings: looked up once where no variable says it, since each item of a loop asks."""
    if variable in task_vars:
        return C.config.get_config_value(name, variables=task_vars)
    return _without_variables(name)


@functools.cache
def _without_variables(name: str) -> t.Any:
    return C.config.get_config_value(name)


# All the names of Ansible's own callback for people.
_PLAIN_OUTPUT = ("default", "ansible.builtin.default", "ansible.legacy.default")


def _say(text: str) -> None:
    """Show a line while the task runs, where the user reads plain output and no program does."""
    if C.DEFAULT_STDOUT_CALLBACK in _PLAIN_OUTPUT:  # type: ignore[attr-defined]
        display.display(text, stderr=True)
