# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision


class ActionModule(ActionBase):
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = super().run(tmp, task_vars)
        dummy, options = self.validate_argument_spec(_provision.SPEC)
        play = _provision.play_of(self._task, task_vars or {}, self._templar.template)
        play.transport, play.drift_entry = self._connection.transport, options["drift"]
        try:
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
