# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as a few lines, for the output of a job. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten, visible
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report_data as data
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import Item, Report

# Up to so many changes have a line each; more are listed by edge module, on so many lines of about this width.
_SINGLE = 40
_LISTED = 30
_WIDTH = 110
_MESSAGE = 600


def render(report: Report) -> list[str]:
    """Return the counts, the plan's checksum, then failures, removals and changes."""
    changes = report.of(data.REMOVED) + report.of(data.CHANGED)
    changes += sorted(report.of(data.REFUSED), key=lambda item: not item.removal)
    if len(changes) <= _SINGLE:
        lines = ["%s: %s" % (_verb(item, report), title(item, report)) for item in changes]
    else:
        lines = list(_by_module(changes, report))
    return top(report) + [line(one) for one in lines]


def top(report: Report) -> list[str]:
    """Return what comes before the changes."""
    lines = [head(report)]
    if report.checksum:
        lines.append("plan: %s" % report.checksum)
    lines += ["%s: %s" % (data.refusal(report), reason) for reason in report.refusals]
    for state, words in ((data.NOTHING, "no entries"), (data.SKIPPED, "skipped")):
        hosts = report.hosts_of(state)
        if hosts and report.several:
            lines += _listed("%s: %s" % (words, data.amount(len(hosts), "host")), hosts)
    for failure in report.failures:
        names = failure.hosts or [title(item, report) for item in failure.items]
        if len(names) == 1:
            lines.append("failed: %s: %s" % (names[0], failure.message))
        else:
            noun = "host" if failure.hosts else "edge module"
            lines += _listed("failed: %s: %s" % (data.amount(len(names), noun), failure.message), names)
    for done, words in ((False, "not restored"), (True, "restored")):
        for one in report.restored:
            if one.restored == done:
                reason = ": " + one.reason if one.reason else ""
                lines.append("%s: %s%s" % (words, title(one.item, report), reason))
    return [line(one) for one in lines]


def line(text: str) -> str:
    """Return one line with nothing hidden in it, shortened where it is long."""
    return shorten(text, _MESSAGE) if len(text) > _MESSAGE else visible(text).replace("\n", " ")


def head(report: Report) -> str:
    """Return the counts as one line."""
    return "%s: %s" % (data.amount(report.counts["total"], "edge module"), ", ".join(data.counted(report)))


def title(item: Item, report: Report) -> str:
    return "%s on %s" % (item.title, item.host) if report.several else item.title


def _verb(item: Item, report: Report) -> str:
    return data.verb(item, report.dry_run) if item.state == data.REFUSED else data.verbs(report.dry_run)[item.state]


def _by_module(items: list[Item], report: Report) -> t.Iterator[str]:
    places: dict[tuple[str, str], list[str]] = {}
    for item in items:
        place = "%s on %s" % (item.place, item.host) if report.several else item.place
        places.setdefault((_verb(item, report), item.module), []).append(place)
    for (verb, module), listed in places.items():
        yield from _listed("%s: %s %s" % (verb, format(len(listed), ","), module), listed)


def _listed(title: str, names: list[str]) -> t.Iterator[str]:
    """Yield the title, and lines with as many of the names as fit."""
    yield title
    line, lines = "", 0
    for number, name in enumerate(names):
        if line and len(line) + len(name) > _WIDTH:
            yield "  " + line + ","
            line, lines = "", lines + 1
            if lines == _LISTED:
                yield "  and %s more" % format(len(names) - number, ",")
                return
        line = "%s, %s" % (line, name) if line else name
    yield "  " + line
