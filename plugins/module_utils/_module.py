# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module's side: our AnsibleModule, in a process of its own. Private to this collection."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, InputError
from ansible_collections.edgeops.edges.plugins.module_utils._http import (
    REQUESTS_IMPORT_CAUSE,
    REQUESTS_IMPORT_ERROR,
)
from ansible_collections.edgeops.edges.plugins.module_utils._signals import ENDING, raise_once
from ansible_collections.edgeops.edges.plugins.module_utils._work import (
    FOUND_BEFORE,
    Context,
    Work,
    failure,
    hidden_values,
    short_values,
    without_in_names,
)


class EdgeModule(AnsibleModule):
    """An AnsibleModule that treats null as left out, names the places of faults, and shows no secret."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._given: dict[str, t.Any] = {}
        self._faults: list[str] = []
        super().__init__(argument_spec=work.spec, required_if=work.required_if, supports_check_mode=True)
        if self._faults:
            self.fail_json("")

    def _load_params(self) -> None:
        super()._load_params()
        before = self.params.pop(FOUND_BEFORE, ())
        self._faults = self._work.all_faults(self.params, before)
        self.params = self._work.clean(self.params)
        if self._faults:
            # Ansible's own validation would add nothing, and there are values that make it crash.
            internal = {name: value for name, value in self.params.items() if name.startswith("_ansible_")}
            self._given = {name: value for name, value in self.params.items() if name not in internal}
            self.params = internal

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        # Ansible's own validation names no entry of a list; what we found does.
        if self._faults:
            msg = str(InputError(self._faults))
        super().fail_json(msg=msg, **kwargs)

    def _return_formatted(self, kwargs: dict[str, t.Any]) -> None:
        params = self._given or self.params
        kwargs["invocation"] = dict(module_args=self._work.shown(params))
        self.no_log_values.update(hidden_values(params))
        self.no_log_values.difference_update(short_values(params))
        super()._return_formatted(without_in_names(kwargs, self.no_log_values))

    def log(self, msg: t.Any, log_args: t.Any = None) -> None:
        """Write nothing to the system log: what Ansible logs there holds the options, secret headers among them."""

    def _log_invocation(self) -> None:
        """Do not even make up what would be logged: older ansible-cores crash on text that is no Unicode there."""


@contextlib.contextmanager
def _interrupted_when_nobody_reads() -> t.Iterator[None]:
    """Interrupt this process once nobody reads its output any more.

    When a task's timeout has passed, or the connection is lost, Ansible goes and leaves the module running.
    """
    stdout = 1
    wake, waker = os.pipe()
    poller = select.poll()
    poller.register(stdout, 0)  # a hang-up is reported all the same
    poller.register(wake, select.POLLIN)

    def watch() -> None:
        if any(fd == stdout and event & (select.POLLERR | select.POLLHUP) for fd, event in poller.poll()):
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=watch, name="watch stdout", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.close(waker)
        thread.join()
        os.close(wake)


def run_module(work: Work) -> None:
    """Run a module from start to exit."""
    module = EdgeModule(work)
    if REQUESTS_IMPORT_ERROR:
        text = "%s. The cause: %s" % (missing_required_lib("requests").rstrip("."), REQUESTS_IMPORT_CAUSE)
        module.fail_json(msg=text, exception=REQUESTS_IMPORT_ERROR)
    context = Context(check_mode=module.check_mode, diff=module._diff, warn=module.warn)
    # So that a task over many edge modules can still say what it has written.
    raise_once([])
    try:
        with _interrupted_when_nobody_reads():
            result = work.do(module.params, context)
    except EdgeError as exc:
        result = failure(exc)
    except KeyboardInterrupt:
        result = dict(context.partial or dict(msg="The task was stopped"), failed=True)
    # Python loses a part of what it prints where a signal that has a handler comes meanwhile.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    if result.pop("failed", False):
        module.fail_json(**result)
    module.exit_json(**result)
