# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown, for a comment on a pull request. Private to this collection.

Whatever comes from outside stands in a code span or in a fence, where Markdown means nothing: no link, mention, image,
HTML or issue number can come of it. No HTML of our own either: not every service lets it through.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten
from ansible_collections.edgeops.edges.plugins.plugin_utils import _line_diff
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report_data as data
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import Item, Report

# What a comment may have is 65,536 characters where it is told. Bytes are counted here, of which there are no fewer.
_MOST = 62000
# Of that for the names in a list, for a list of reasons, and for the lines of a change at the least.
_NAMES = 3000
_REASONS = 8000
_LEAST = 100


def render(report: Report) -> str:
    """Return the report, within the length that a comment may have; what is left out is counted."""
    changes = list(_changes(report))
    top = "\n\n".join(_top(report, bool(changes)))
    room = _MOST - _size(top) - 1000  # for headings, and for what is said of the rest
    headings = data.headings(report.dry_run)
    texts: dict[str, list[str]] = {state: [] for state in headings}
    rest: dict[tuple[str, str], list[str]] = {}
    # Names come before lines, up to half of the room.
    half = room // 2
    titles = sum(_size(change[1]) for change in changes)
    for state, title, items in changes:
        titles -= _size(title)
        free = room - min(titles, half)
        # Once the room is used up no lines are made: of thousands of changes that would take most of the time.
        lines = _diff(*items[0].texts) if free > _LEAST else None
        text = "%s\n\n%s" % (title, lines) if lines else title
        if lines is not None and _size(text) <= free:
            room -= _size(text)
            texts[state].append(text)
        else:
            titles += _size(title)  # its name is still to come
            rest.setdefault((state, items[0].module), []).extend(_place(item, report) for item in items)
    unnamed = 0
    for (state, module), places in rest.items():
        title = "- %s, lines left out: " % _code(module, 100)
        named = _fitting(places, room - _size(title) - 20)
        if named:
            text = title + ", ".join(named) + _more(len(places) - len(named))
            room -= _size(text)
            texts[state].append(text)
        unnamed += len(places) - len(named)
    found = [top]
    for state, listed in texts.items():
        found += ["### " + headings[state], *listed] if listed else []
    if rest:
        text = "The lines of %s are left out" % data.amount(sum(map(len, rest.values())), "change")
        if unnamed:
            text += ", and the names of %s of them" % format(unnamed, ",")
        found.append(text + ", because the length of a comment is limited. The reports in HTML and JSON are complete.")
    return "\n\n".join(found) + "\n"


def _fitting(names: list[str], room: int) -> list[str]:
    """Return the first of the names, as many as there is room for."""
    for number, name in enumerate(names):
        room -= _size(name)
        if room < 0:
            return names[:number]
    return names


def _size(text: str) -> int:
    return len(text.encode()) + 2


def _code(value: t.Any, most: int = 300) -> str:
    """Return any text of the outside as a code span."""
    text = shorten(str(value), most) or " "
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest or text[0] == " " else ""
    return "%s%s%s%s%s" % (ticks, pad, text, pad, ticks)


def _names(names: list[str]) -> str:
    named = _fitting(names, _NAMES)
    return ", ".join(named) + _more(len(names) - len(named))


def _more(number: int) -> str:
    return " and %s more" % format(number, ",") if number else ""


def _place(item: Item, report: Report) -> str:
    text = " ".join(_code(part, 100) for part in (item.edge_id, item.route_id) if part)
    if item.name:
        text += " (%s)" % _code(item.name, 100)
    return text + (" on %s" % _code(item.host, 100) if report.several else "")


# The top: all that is not a change


def _top(report: Report, changes: bool) -> t.Iterator[str]:
    total = data.amount(report.counts["total"], "edge module")
    yield "## %s" % (_code(report.title) if report.title else data.heading(report))
    yield "**%s**" % ", ".join(data.counted(report))
    facts = ["Service: %s" % _names([_code(url) for url in report.base_urls])] if report.base_urls else []
    facts.append("%s of %s" % ("Dry run" if report.dry_run else "Run", report.time.strftime("%Y-%m-%d %H:%M %Z")))
    if report.checksum:
        facts.append("Plan: %s" % _code(report.checksum))
    facts.append("%s, %s" % (total, data.amount(len(report.hosts), "host")))
    for state, words in ((data.UNREACHABLE, "Unreachable"), (data.NOTHING, "No entries"), (data.SKIPPED, "Skipped")):
        hosts = report.hosts_of(state)
        if hosts and (report.several or state == data.UNREACHABLE):
            facts.append("%s: %s" % (words, _names([_code(host, 100) for host in hosts])))
    yield "\n".join("- " + fact for fact in facts)
    yield data.explanation(report)
    if report.refusals:
        words = data.refusal(report)
        yield "### %s" % (words[0].upper() + words[1:])
        yield _bullets([_code(reason, 1000) for reason in report.refusals], "reason")
    if report.failures:
        yield "### Failed"
        yield _bullets([_failure(failure, report) for failure in report.failures], "reason")
    for done, words in ((False, "Not restored"), (True, "Restored")):
        chosen = [one for one in report.restored if one.restored == done]
        if chosen:
            yield "### %s" % words
            yield _bullets(
                [
                    "%s %s%s"
                    % (
                        _code(one.item.module),
                        _place(one.item, report),
                        ": " + _code(one.reason) if one.reason else "",
                    )
                    for one in chosen
                ],
                "edge module",
            )
    if not changes and not report.failures and not report.refused:
        yield "Nothing would change." if report.dry_run else "Nothing changed."


def _bullets(entries: list[str], noun: str) -> str:
    told = _fitting(entries, _REASONS)
    lines = ["- " + entry for entry in told]
    if len(told) < len(entries):
        lines.append("- and %s, left out" % data.amount(len(entries) - len(told), "more " + noun))
    return "\n".join(lines)


def _failure(failure: data.Failure, report: Report) -> str:
    names = [_code(host, 100) for host in failure.hosts]
    names += ["%s %s" % (_code(item.module, 100), _place(item, report)) for item in failure.items]
    count = "" if len(names) == 1 else "%s: " % data.amount(len(names), "host" if failure.hosts else "edge module")
    return "%s: %s%s" % (_code(failure.message, 600), count, _names(names))


# The changes


def _changes(report: Report) -> t.Iterator[tuple[str, str, list[Item]]]:
    """Yield the state and title of each change, and the edge modules that it is made to: what is the same together."""
    for state in (data.REMOVED, data.CHANGED, data.REFUSED):
        for items in sorted(data.groups(report.of(state)), key=lambda group: (not group[0].removal, len(group) == 1)):
            first = items[0]
            verb = data.verb(first, report.dry_run)
            places = _names([_place(item, report) for item in items])
            if len(items) > 1:
                kind = data.amount(len(items), "route" if first.route_id else "edge")
                title = "%s, the same change on %s, %s: %s" % (_code(first.module, 100), kind, verb, places)
            else:
                title = "%s %s, %s" % (_code(first.module, 100), places, verb)
            yield state, title, items


def _diff(before: str, after: str) -> str:
    """Return a fence with the lines that differ, and those around them."""
    text = "\n".join(_line_diff.unified(before, after))
    if not text:
        return ""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return "%sdiff\n%s\n%s" % (fence, text, fence)
