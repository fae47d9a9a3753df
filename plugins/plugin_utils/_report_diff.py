# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as plain text with all lines that differ, for the output of a job. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.plugin_utils import _line_diff, _report_text
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report_data as data
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import Report


def render(report: Report) -> str:
    """Return what the short text says before its list of changes, and each change with its lines."""
    return "\n".join([*_report_text.top(report), *_changes(report)]) + "\n"


def _changes(report: Report) -> t.Iterator[str]:
    """Yield the lines of the changes: what is the same on many edges is told once, below all their names."""
    for state in (data.REMOVED, data.CHANGED, data.REFUSED):
        for items in data.groups(report.of(state)):
            yield ""
            for item in items:
                yield _report_text.line("%s: %s" % (data.verb(item, report.dry_run), _report_text.title(item, report)))
            for line in _line_diff.unified(*items[0].texts):
                yield "  " + line
