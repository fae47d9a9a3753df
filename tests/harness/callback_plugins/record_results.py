# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback plugin for tests: writes every task's result as a line of JSON to the file $RECORD_RESULTS."""

from __future__ import annotations

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record_results
type: aggregate
short_description: Record the results of tasks, for tests
description: Writes every result as a line of JSON.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "record_results"

    def _given(self, args):
        """Return a task's options, without those that Ansible adds where it runs a module."""
        given = {name: value for name, value in args.items() if not name.startswith("_ansible_")}
        return json.loads(json.dumps(given, default=str))

    def _record(self, kind, result, **more):
        entry = {
            "kind": kind,
            "task": result._task.get_name(),
            "action": result._task.action,
            "host": result._host.get_name(),
            "options": self._given(result._task_fields.get("args") or {}),
            "result": json.loads(json.dumps(result._result, default=str)),
        }
        entry.update(more)
        with open(os.environ["RECORD_RESULTS"], "a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry) + "\n")

    def v2_runner_on_ok(self, result):
        self._record("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._record("failed", result, ignored=ignore_errors)

    def v2_runner_on_unreachable(self, result):
        self._record("unreachable", result)

    def v2_runner_on_skipped(self, result):
        self._record("skipped", result)

    def v2_runner_item_on_ok(self, result):
        self._record("item_ok", result)

    def v2_runner_item_on_failed(self, result):
        self._record("item_failed", result)

    def v2_playbook_on_stats(self, stats):
        with open(os.environ["RECORD_RESULTS"], "a", encoding="utf-8") as stream:
            numbers = {host: stats.summarize(host) for host in stats.processed}
            stream.write(json.dumps({"kind": "stats", "stats": numbers}) + "\n")
