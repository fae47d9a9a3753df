# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import typing as t

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision, _templates


class ActionModule(ActionBase):
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        dummy, options = self.validate_argument_spec(_provision.SPEC)
        template = functools.partial(_templates.resolved, self._templar.template)
        play = _provision.play_of(self._task, task_vars or {}, template)
        play.transport, play.drift_entry = self._connection.transport, options["drift"]
        try:
            if options["step"] in _provision.reconciling.STEPS:
                if play.begun_of(play.host) is None:  # run_once on the role, which what it includes does not know
                    return {**result, "changed": False, "skipped": True}
                return self._edge_modules(_provision.reconciling.STEPS[options["step"]](play), task_vars)
            if options["step"] == "begin":
                found = _provision.begin(play, options["drift"], options["validate"])
            elif options["step"] == "unverified":
                found = _provision.change.unverified(play, options["message"])
            elif options["step"] == "path":
                found = _provision.path(options["path"])
            else:
                found = _provision.STEPS[options["step"]](play)
        except _provision.Refused as exc:
            raise AnsibleActionFail(str(exc)) from exc
        return {**result, "changed": False, **found}

    def _edge_modules(self, options: dict[str, t.Any], task_vars: dict[str, t.Any] | None) -> dict[str, t.Any]:
        """Run edge_modules with these options, as a task of this one's name and keywords would."""
        name, task = "edgeops.edges.edge_modules", self._task
        before = task.action, task.args
        task.action, task.args = name, options  # a copy of the task would take as long as a request
        try:
            action = self._shared_loader_obj.action_loader.get(
                name,
                task=task,
                connection=self._connection,
                play_context=self._play_context,
                loader=self._loader,
                templar=self._templar,
                shared_loader_obj=self._shared_loader_obj,
            )
            return action.run(task_vars=task_vars)
        finally:
            task.action, task.args = before  # it may be tried again
