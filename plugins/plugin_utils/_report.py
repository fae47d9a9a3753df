# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report for whoever approves a change: as an HTML page, as a short text, and as counts.

Private to this collection.
"""

from __future__ import annotations

import datetime
import difflib
import typing as t
from dataclasses import dataclass, field
from html import escape

from ansible_collections.edgeops.edges.plugins.module_utils._text import visible

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --paper: #fff; --panel: #f6f7f9; --line: #dde1e6;
  --add: #0b6b35; --add-bg: #e4f6ea; --del: #a3241c; --del-bg: #fdeceb; --warn: #8a4b00; --warn-bg: #fff3e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --paper: #14171a; --panel: #1c2126;
  --line: #30373f; --add: #7fdca0; --add-bg: #12301f; --del: #ff9d94; --del-bg: #3a1a19; --warn: #ffc37a;
  --warn-bg: #372609; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0 0 .5rem; }
.soft { color: var(--soft); }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1.75rem 0 0;
  padding: 0; list-style: none; }
.counts li { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; }
.counts a, .counts span { display: block; padding: .8rem 1rem; border-radius: .6rem; color: inherit;
  text-decoration: none; }
.counts a:hover { text-decoration: underline; } .counts a:focus-visible { outline: 2px solid currentColor; }
.counts b { display: block; font-size: 1.75rem; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts .some.add b { color: var(--add); } .counts .some.del b { color: var(--del); }
.counts .some.bad { background: var(--warn-bg); } .counts .some.bad b { color: var(--warn); }
article { border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 1rem; overflow: hidden;
  break-inside: avoid; }
article header { display: flex; flex-wrap: wrap; gap: .15rem .75rem; align-items: baseline; padding: .65rem 1rem;
  background: var(--panel); }
article header .tag { margin-left: auto; }
article p { padding: .75rem 1rem; margin: 0; }
.tag { font-size: .8rem; font-weight: 600; border-radius: 1rem; padding: .05rem .6rem; border: 1px solid currentColor; }
.tag.add { color: var(--add); } .tag.del { color: var(--del); } .tag.bad { color: var(--warn); }
.name, pre { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.name { overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { margin: 0; padding: .5rem 0; border-top: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere;
  unicode-bidi: isolate; tab-size: 2; }
pre ins, pre del, pre span, pre i { --hang: calc(2ch + min(var(--in, 0), 16) * 1ch); display: block; font-style: normal;
  text-decoration: none; padding: 0 1rem 0 calc(1rem + var(--hang)); text-indent: calc(-1 * var(--hang)); }
pre ins { color: var(--add); background: var(--add-bg); } pre del { color: var(--del); background: var(--del-bg); }
pre i { color: var(--soft); }
details { border-top: 1px solid var(--line); padding: .75rem 0; }
summary { cursor: pointer; font-weight: 600; }
details ul { columns: 20rem; padding-left: 1.1rem; margin: .75rem 0 0; }
details li { break-inside: avoid; margin-bottom: .15rem; }
@media print { body { font-size: 11pt; } main { max-width: none; padding: 0; } pre ins, pre del, .counts li, article
  header { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


@dataclass
class Item:
    """One edge module of one host, as the report shows it."""

    host: str
    result: dict[str, t.Any]
    diff: dict[str, str] = field(default_factory=dict)

    @property
    def state(self) -> str:
        if self.result.get("error"):
            return "failed"
        return {"replace": "changed", "delete": "removed"}.get(self.result.get("operation") or "", "unchanged")

    @property
    def title(self) -> str:
        parts = (self.result.get("module"), self.result.get("edge_id"), self.result.get("route_id"))
        return " ".join(str(part) for part in parts if part)


@dataclass
class Failure:
    """A host whose task failed before any edge module was looked at."""

    host: str
    message: str


def gather(outcomes: dict[str, t.Any]) -> tuple[list[Item], list[Failure]]:
    """Return what the outcomes of edge_modules, by host, say of each edge module."""
    items: list[Item] = []
    failures: list[Failure] = []
    for host, outcome in outcomes.items():
        outcome = outcome or {}
        diffs = iter(outcome.get("diff") or ())
        results = outcome.get("results") or ()
        for result in results:
            item = Item(host, result)
            if item.state in ("changed", "removed"):
                item.diff = next(diffs, {})
            items.append(item)
        if outcome.get("failed") and not results:
            failures.append(Failure(host, str(outcome.get("msg") or "no message")))
    return items, failures


def counts(outcomes: dict[str, t.Any]) -> dict[str, int]:
    """Return how many edge modules there are, and how many of each state; a host that failed whole counts as one."""
    items, failures = gather(outcomes)
    found = dict(total=len(items), changed=0, removed=0, unchanged=0, failed=len(failures))
    for item in items:
        found[item.state] += 1
    return found


def _verbs(dry_run: bool) -> dict[str, str]:
    if dry_run:
        return dict(
            changed="would change",
            new="would be set, new",
            removed="would be removed",
            unchanged="would stay",
            failed="failed",
        )
    return dict(changed="changed", new="set, new", removed="removed", unchanged="unchanged", failed="failed")


def text(outcomes: dict[str, t.Any], dry_run: bool = True, most: int = 50) -> list[str]:
    """Return the report as a few lines: the counts, then failures and changes, the ones beyond C(most) counted."""
    items, failures = gather(outcomes)
    number = counts(outcomes)
    verbs = _verbs(dry_run)
    head = ", ".join("%d %s" % (number[state], verbs[state]) for state in ("changed", "removed", "unchanged", "failed"))
    lines = ["%s: %s" % (_amount(number["total"], "edge module"), head)]
    several = len(outcomes) > 1
    found = ["failed: %s: %s" % (failure.host, failure.message) for failure in failures]
    for state in ("failed", "removed", "changed"):
        for item in items:
            if item.state == state:
                line = "%s: %s" % (verbs[state], item.title)
                if several:
                    line += " (%s)" % item.host
                if state == "failed":
                    line += ": %s" % item.result["error"].get("msg")
                found.append(line)
    lines.extend(found[:most])
    if len(found) > most:
        lines.append("and %d more" % (len(found) - most))
    return [visible(line).replace("\n", " ") for line in lines]


def html(outcomes: dict[str, t.Any], dry_run: bool = True, now: datetime.datetime | None = None) -> str:
    """Return the report as one self-contained page."""
    items, failures = gather(outcomes)
    number = counts(outcomes)
    verbs = _verbs(dry_run)
    now = now or datetime.datetime.now(datetime.timezone.utc)
    title = "Edge modules: what would change" if dry_run else "Edge modules: what was done"
    several = len(outcomes) > 1
    parts = [
        "<h1>%s</h1>" % title,
        '<p class="soft">%s, %s. <time datetime="%s">%s</time></p>'
        % (
            _amount(number["total"], "edge module"),
            _amount(len(outcomes), "host"),
            now.isoformat(timespec="seconds"),
            now.strftime("%Y-%m-%d %H:%M %Z"),  # no month's name: Ansible sets the user's language
        ),
        '<p class="soft">%s</p>' % _explanation(number, dry_run),
        _counts_list(number, verbs),
    ]
    bad = [_host_failure(failure) for failure in failures]
    bad += [_article(item, verbs, several) for item in items if item.state == "failed"]
    parts += _section("failed", "Failed", bad)
    parts += _section(
        "removed",
        "Would be removed" if dry_run else "Removed",
        [_article(item, verbs, several) for item in items if item.state == "removed"],
    )
    parts += _section(
        "changed",
        "Would change" if dry_run else "Changed",
        [_article(item, verbs, several) for item in items if item.state == "changed"],
    )
    if not bad and not number["changed"] and not number["removed"]:
        parts.append("<h2>Nothing %s</h2>" % ("would change" if dry_run else "changed"))
        asked = "The service holds what the variables ask for." if number["total"] else "The variables name none."
        parts.append("<p>%s</p>" % asked)
    same = [item for item in items if item.state == "unchanged"]
    if same:
        lines = "".join("<li>%s</li>" % _name(item.title + (", " + item.host if several else "")) for item in same)
        parts.append(
            '<h2 id="unchanged">Unchanged</h2><details><summary>%s</summary><ul>%s</ul></details>'
            % (_amount(len(same), "edge module"), lines)
        )
    return _PAGE % dict(title=title, style=_STYLE, body="\n".join(parts))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%(title)s</title>
<style>%(style)s</style>
</head>
<body>
<main>
%(body)s
</main>
</body>
</html>
"""


def _explanation(number: dict[str, int], dry_run: bool) -> str:
    if dry_run:
        return "This was a dry run: nothing was written."
    if number["failed"]:
        return "The changes shown were made. Running again with the same variables finishes what failed."
    return "The changes shown were made. Running again with the same variables changes nothing."


def _amount(number: int, noun: str) -> str:
    return "%s %s%s" % (format(number, ",").replace(",", " "), noun, "" if number == 1 else "s")


def _safe(value: t.Any) -> str:
    """Return any text of the outside for use in the page: visible, then escaped."""
    return escape(visible(str(value)))


def _name(value: t.Any) -> str:
    return '<span class="name">%s</span>' % _safe(value)


def _counts_list(number: dict[str, int], verbs: dict[str, str]) -> str:
    colours = dict(failed="bad", removed="del", changed="add", unchanged="")
    cells = []
    for state, colour in colours.items():
        kinds = " ".join(filter(None, ("some" if number[state] else "", colour)))
        text_ = "<b>%d</b> %s" % (number[state], verbs[state])
        content = '<a href="#%s">%s</a>' % (state, text_) if number[state] else "<span>%s</span>" % text_
        cells.append('<li class="%s">%s</li>' % (kinds, content))
    return '<ul class="counts">%s</ul>' % "".join(cells)


def _section(anchor: str, title: str, articles: list[str]) -> list[str]:
    return ['<h2 id="%s">%s</h2>' % (anchor, title), *articles] if articles else []


def _on(host: str) -> str:
    return ' <span class="soft">on %s</span>' % _name(host)


def _host_failure(failure: Failure) -> str:
    return (
        '<article><header><h3>All edge modules</h3>%s<span class="tag bad">failed</span></header>'
        '<p class="name">%s</p></article>' % (_on(failure.host), _safe(failure.message))
    )


def _article(item: Item, verbs: dict[str, str], several: bool) -> str:
    colour = dict(failed="bad", removed="del", changed="add")[item.state]
    place = " ".join(str(one) for one in (item.result.get("edge_id"), item.result.get("route_id")) if one)
    if item.state == "failed":
        body = '<p class="name">%s</p>' % _safe(item.result["error"].get("msg"))
    else:
        body = _diff(item.diff)
    tag = verbs[item.state]
    if item.state == "changed" and item.diff and not item.diff.get("before"):
        tag = verbs["new"]
    return '<article><header><h3>%s</h3>%s%s<span class="tag %s">%s</span></header>%s</article>' % (
        _safe(item.result.get("module")),
        _name(place),
        _on(item.host) if several else "",
        colour,
        tag,
        body,
    )


# A configuration of at most so many lines is shown whole, of a longer one what lies around the changes.
_WHOLE = 60
_AROUND = 3


def _diff(diff: dict[str, str]) -> str:
    before = str(diff.get("before") or "").splitlines()
    after = str(diff.get("after") or "").splitlines()
    if before == after:
        return ""
    around = max(len(before), len(after)) if len(before) + len(after) <= _WHOLE else _AROUND
    lines: list[str] = []
    shown = 0  # lines of before that stand in the page, or are counted there as left out
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(around):
        lines.extend(_left_out(group[0][1] - shown))
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                lines.extend(_line("span", "&nbsp;", line) for line in before[start:end])
            else:
                lines.extend(_line("del", "&#8722;", line) for line in before[start:end])
                lines.extend(_line("ins", "+", line) for line in after[new_start:new_end])
        shown = group[-1][2]
    lines.extend(_left_out(len(before) - shown))
    return "<pre>%s</pre>" % "".join(lines)


def _line(tag: str, mark: str, line: str) -> str:
    """Return a line of a diff. What does not fit is continued below its own beginning, not below the mark."""
    return '<%s style="--in:%d">%s %s</%s>' % (tag, len(line) - len(line.lstrip(" ")), mark, _safe(line), tag)


def _left_out(number: int) -> t.Iterator[str]:
    if number:
        yield "<i>&#8943; %s</i>" % _amount(number, "line")
