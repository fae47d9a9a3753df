# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as one self-contained HTML page, without scripts. Private to this collection.

Whatever comes from outside goes through _safe or _name: control characters visible, then escaped.
"""

from __future__ import annotations

import re
import string
import typing as t
from html import escape

from ansible_collections.edgeops.edges.plugins.module_utils._text import visible
from ansible_collections.edgeops.edges.plugins.plugin_utils import _line_diff
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report_data as data
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import Failure, Item, Report

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #596270; --paper: #fff; --panel: #f5f6f8; --line: #dce0e5;
  --link: #0b57d0; --add: #0b6b35; --add-bg: #e6f6eb; --add-mark: #b4e6c5; --del: #a3241c; --del-bg: #fdecea;
  --del-mark: #f8c4bf; --warn: #8a4b00; --warn-bg: #fff3e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --paper: #14171a; --panel: #1c2126;
  --line: #30373f; --link: #8ab8ff; --add: #7fdca0; --add-bg: #12301f; --add-mark: #1f5a38; --del: #ff9d94;
  --del-bg: #3a1a19; --del-mark: #6e2a27; --warn: #ffc37a; --warn-bg: #372609; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.75rem 0 .75rem; display: flex; gap: .6rem; align-items: baseline; }
h2 small { font-size: .875rem; font-weight: 400; color: var(--soft); }
h3, h4 { font-size: 1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
h4 { font-size: .9375rem; font-weight: 500; }
p { margin: 0 0 .5rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; border-radius: .2rem; }
.soft { color: var(--soft); font-weight: 400; }
.name, pre { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.name { overflow-wrap: anywhere; unicode-bidi: isolate; }
h3 .name { font-weight: 600; font-size: .9375rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: 0 0 1.25rem; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.note { border-left: .25rem solid var(--warn); background: var(--warn-bg); border-radius: .3rem; padding: .75rem 1rem;
  margin: 1rem 0; overflow-wrap: anywhere; }
.note p:last-child { margin: 0; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0 0; padding: 0; list-style: none; }
.counts li { background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; }
.counts a, .counts span { display: block; padding: .8rem 1rem; border-radius: .6rem; color: inherit;
  text-decoration: none; }
.counts a:hover { text-decoration: underline; }
.counts b { display: block; font-size: 1.75rem; line-height: 1.15; font-variant-numeric: tabular-nums; }
.counts .some.add b { color: var(--add); } .counts .some.del b { color: var(--del); }
.counts .some.bad { background: var(--warn-bg); } .counts .some.bad b { color: var(--warn); }
nav, .hosts { margin: 1.75rem 0 0; }
summary { cursor: pointer; font-weight: 600; }
ul.list { columns: 22rem; column-gap: 2rem; padding: 0; margin: .6rem 0 0; list-style: none; }
ul.list li { break-inside: avoid; margin-bottom: .25rem; overflow-wrap: anywhere; font-size: .9375rem;
  padding-left: 1rem; text-indent: -1rem; }
article { border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 1rem; overflow: hidden; }
article > header, section > header { display: flex; flex-wrap: wrap; gap: .15rem .75rem; align-items: baseline;
  padding: .6rem 1rem; background: var(--panel); break-after: avoid; }
section > header { background: none; border-top: 1px solid var(--line); }
section { break-inside: avoid; content-visibility: auto; contain-intrinsic-size: auto 14rem; }
section:target > header { box-shadow: inset .25rem 0 var(--link); }
header .tag { margin-left: auto; }
article p, article .where { padding: .6rem 1rem; margin: 0; }
.where { border-top: 1px solid var(--line); }
.where ul.list { margin: 0; } .where details ul.list { margin-top: .5rem; }
.tag { font-size: .8rem; font-weight: 600; border-radius: 1rem; padding: .05rem .6rem; border: 1px solid currentColor;
  white-space: nowrap; }
.tag.add { color: var(--add); } .tag.del { color: var(--del); } .tag.bad { color: var(--warn); }
.diff { border-top: 1px solid var(--line); padding: .5rem 0; }
pre { margin: 0; white-space: normal; overflow-wrap: anywhere; unicode-bidi: isolate; tab-size: 2; }
pre > * { --hang: calc(2ch + min(var(--in, 0), 16) * 1ch); display: block; white-space: pre-wrap;
  text-decoration: none; padding: 0 1rem 0 calc(1rem + var(--hang)); text-indent: calc(-1 * var(--hang)); }
pre ins { color: var(--add); background: var(--add-bg); } pre del { color: var(--del); background: var(--del-bg); }
mark { color: inherit; border-radius: .15rem; }
ins mark { background: var(--add-mark); } del mark { background: var(--del-mark); }
.fold summary { color: var(--soft); background: var(--panel); font-size: .875rem; font-weight: 400;
  padding: .2rem 1rem; margin: .25rem 0; overflow-wrap: anywhere; }
.fold:first-child summary { margin-top: 0; } .fold:last-child summary { margin-bottom: 0; }
@media print { @page { margin: 1.5cm; } body { font-size: 10pt; } main { max-width: none; padding: 0; }
  section { content-visibility: visible; } a { color: inherit; text-decoration: none; } h2, h3 { break-after: avoid; }
  .all::details-content { content-visibility: visible; display: block; height: auto; } nav { display: none; }
  article { overflow: visible; } ul.list { columns: 14rem; } ul.list li { font-size: .875rem; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
@media print and (prefers-color-scheme: dark) { :root { color-scheme: light; --ink: #1c2024; --soft: #596270;
  --paper: #fff; --panel: #f5f6f8; --line: #dce0e5; --link: #0b57d0; --add: #0b6b35; --add-bg: #e6f6eb;
  --add-mark: #b4e6c5; --del: #a3241c; --del-bg: #fdecea; --del-mark: #f8c4bf; --warn: #8a4b00; --warn-bg: #fff3e0; } }
"""

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

_COLOURS = dict(failed="bad", removed="del", changed="add", refused="bad", unchanged="")

# An index of more entries, or a list of more names, is folded.
_OPEN_INDEX = 30
_OPEN_NAMES = 12


def render(report: Report) -> str:
    """Return the report as a page."""
    title = data.heading(report)
    changes = _changes(report)
    failed = _failures(report)
    body = [
        "<h1>%s</h1>" % _safe(title),
        _facts(report),
        "<p>%s</p>" % data.explanation(report),
        *_refusals(report),
        _counts(report),
        *_index(report, changes),
        *_section("failed", "Failed", failed, report.counts["failed"]),
        *_section("not-restored", "Not restored", _restored(report, False)),
        *_section("restored", "Restored", _restored(report, True)),
    ]
    headings = data.headings(report.dry_run)
    for state, cards in changes.items():
        number = sum(len(card.anchors) for card in cards)
        body += _section(state, headings[state], [card.html for card in cards], number)
    if not failed and not any(changes.values()) and not report.refused:
        asked = "The service already has the configuration that the variables ask for."
        asked = asked if report.counts["total"] else "The variables name no edge modules."
        body.append("<h2>Nothing %s</h2>\n<p>%s</p>" % ("would change" if report.dry_run else "changed", asked))
    body += _unchanged(report)
    body += _hosts(report)
    return _PAGE % dict(title=_safe(title), style=_STYLE, body="\n".join(body))


def _safe(value: t.Any) -> str:
    """Return any text of the outside for use in the page: visible, then escaped."""
    return escape(visible(str(value)))


def _name(value: t.Any) -> str:
    return '<span class="name">%s</span>' % _safe(value)


def _named(item: Item, ids: str) -> str:
    """Return ids with the name that people have given."""
    return "%s <bdi>(%s)</bdi>" % (_name(ids), _safe(item.name)) if item.name else _name(ids)


def _on(host: str) -> str:
    return ' <span class="soft">on %s</span>' % _name(host)


# The top of the page


def _facts(report: Report) -> str:
    facts = []
    if report.base_urls:
        facts.append(("Service", ", ".join(map(_name, report.base_urls))))
    facts.append(("Mode", "Dry run" if report.dry_run else "Run"))
    if report.checksum:
        facts.append(("Plan", _name(report.checksum)))
    time = report.time
    # No month's name: Ansible sets the user's language.
    moment = '<time datetime="%s">%s</time>' % (time.isoformat(timespec="seconds"), time.strftime("%Y-%m-%d %H:%M %Z"))
    facts.append(("Time", moment))
    total = "%s, %s" % (data.amount(report.counts["total"], "edge module"), data.amount(len(report.hosts), "host"))
    facts.append(("Checked", total))
    for state, words in (
        (data.UNREACHABLE, "Unreachable"),
        (data.NOTHING, "No entries"),
        (data.SKIPPED, "Skipped"),
    ):
        hosts = report.hosts_of(state)
        if hosts and (report.several or state == data.UNREACHABLE):
            facts.append((words, _some(hosts)))
    return "<dl>\n%s\n</dl>" % "\n".join("<dt>%s</dt><dd>%s</dd>" % fact for fact in facts)


def _some(names: list[str]) -> str:
    """Return the first of the names; the list of hosts has all of them."""
    text = ", ".join(map(_name, names[:_OPEN_NAMES]))
    return text + " and %s more" % format(len(names) - _OPEN_NAMES, ",") if len(names) > _OPEN_NAMES else text


def _refusals(report: Report) -> t.Iterator[str]:
    if report.refusals:
        words = data.refusal(report)
        reasons = "".join('<p class="name">%s</p>' % _safe(reason) for reason in report.refusals)
        yield '<div class="note"><p><strong>%s</strong></p>%s</div>' % (words[0].upper() + words[1:], reasons)


def _counts(report: Report) -> str:
    number, verbs = report.counts, data.verbs(report.dry_run)
    number = dict(
        failed=number["failed"],
        removed=number["removed"],
        changed=number["changed"],
        refused=report.planned,
        unchanged=number["unchanged"],
    )
    if not report.planned:
        del number["refused"]
    # Anchors are of sections that are there: a refused host counts as failed, and its reason stands above them.
    present = {state for state in number if report.of(state)} - {data.UNCHANGED}
    present |= {data.FAILED} if report.failures else set()
    present |= {data.UNCHANGED} if number["unchanged"] else set()
    cells = []
    for state, count in number.items():
        kinds = " ".join(filter(None, ("some" if count else "", _COLOURS[state])))
        text = "<b>%s</b> %s" % (format(count, ","), verbs[state])
        content = '<a href="#%s">%s</a>' % (state, text) if state in present else "<span>%s</span>" % text
        cells.append('<li class="%s">%s</li>' % (kinds, content))
    return '<ul class="counts">\n%s\n</ul>' % "\n".join(cells)


class _Card(t.NamedTuple):
    """An edge with what would change of it, or a change with all the edges that it is made to."""

    title: str
    anchors: list[str]
    links: str
    note: str
    html: str


def _index(report: Report, changes: dict[str, list[_Card]]) -> t.Iterator[str]:
    entries = []
    if report.failures:
        entries.append('<li><a href="#failed">Failed: %s</a></li>' % format(report.counts["failed"], ","))
    for cards in changes.values():
        for card in cards:
            note = ' <span class="soft">%s</span>' % card.note if card.note else ""
            entries.append("<li>%s: %s%s</li>" % (card.title, card.links, note))
    if len(entries) > 1:
        opened = " open" if len(entries) <= _OPEN_INDEX else ""
        yield '<nav aria-label="Index"><details%s><summary>Index</summary>%s</details></nav>' % (opened, _list(entries))


def _list(entries: list[str]) -> str:
    return '<ul class="list">\n%s\n</ul>' % "\n".join(entries)


def _section(anchor: str, title: str, articles: list[str], count: int = 0) -> list[str]:
    if not articles:
        return []
    small = " <small>%s</small>" % format(count, ",") if count > 1 else ""
    return ['<h2 id="%s">%s%s</h2>' % (anchor, title, small), *articles]


# What failed


def _failures(report: Report) -> list[str]:
    return [_failure(failure, report) for failure in report.failures]


def _failure(failure: Failure, report: Report) -> str:
    if failure.hosts:
        names = [_name(host) for host in failure.hosts]
        on = _on(failure.hosts[0]) if len(names) == 1 else " on %s" % data.amount(len(names), "host")
        title = "<h3>All edge modules%s</h3>" % on
    else:
        names = ["%s %s" % (_safe(item.module), _place(item, report)) for item in failure.items]
        title = "<h3>%s</h3>" % (names[0] if len(names) == 1 else data.amount(len(names), "edge module"))
    written = [item for item in failure.items if item.result.get("changed")]
    note = ""
    if written and not report.dry_run:
        which = "The write" if len(failure.items) == 1 else "%s of these writes" % format(len(written), ",")
        note = "<p>%s took effect nevertheless.</p>" % which
    elif failure.may_pass and not failure.reason.startswith("not tried"):
        note = '<p class="soft">This may be temporary.</p>'
    return '<article><header>%s<span class="tag bad">%s</span></header><p class="name">%s</p>%s%s</article>' % (
        title,
        "unreachable" if failure.unreachable else "failed",
        _safe(failure.message),
        note,
        _where(names) if len(names) > 1 else "",
    )


def _place(item: Item, report: Report) -> str:
    ids = " ".join(filter(None, (item.edge_id, item.route_id)))
    return _named(item, ids) + (_on(item.host) if report.several else "")


def _where(names: list[str]) -> str:
    """Return a list of names, most of it folded where it is long."""
    entries = ["<li>%s</li>" % name for name in names]
    if len(entries) <= _OPEN_NAMES:
        return '<div class="where">%s</div>' % _list(entries)
    shown = _OPEN_NAMES // 2
    more = '<details class="all"><summary>and %s more</summary>%s</details>' % (
        format(len(entries) - shown, ","),
        _list(entries[shown:]),
    )
    return '<div class="where">%s%s</div>' % (_list(entries[:shown]), more)


def _restored(report: Report, done: bool) -> list[str]:
    chosen = [one for one in report.restored if one.restored == done]
    if not chosen:
        return []
    entries = []
    for one in chosen:
        reason = ": " + _safe(one.reason) if one.reason else ""
        entries.append("%s %s%s" % (_safe(one.item.module), _place(one.item, report), reason))
    words = "These have the configuration from before the run again." if done else "These could not be restored."
    return ["<article><p>%s</p>%s</article>" % (words, _where(entries))]


# What changes


def _changes(report: Report) -> dict[str, list[_Card]]:
    """Return the cards of each state: first what is the same on many edges, then edge by edge."""
    anchors = {"failed", "not-restored", "restored", "removed", "changed", "refused", "unchanged"}
    found = {}
    for state in (data.REMOVED, data.CHANGED, data.REFUSED):
        groups = data.groups(sorted(report.of(state), key=lambda item: not item.removal))
        cards = [_shared(group, report, anchors) for group in groups if len(group) > 1]
        single = [group[0] for group in groups if len(group) == 1]
        cards += [_edge(items, report, anchors) for items in data.by_edge(single)]
        if cards:
            found[state] = cards
    return found


def _anchor(item: Item, taken: set[str]) -> str:
    """Return a name for a change that is the same in every report in which it stands, and unique in this one."""
    parts = filter(None, (item.module, item.edge_id, item.route_id))
    name = wanted = "-".join(re.sub("[^A-Za-z0-9_.~-]+", "-", part)[:100] for part in parts) or "change"
    number = 1
    while name in taken:
        number += 1
        name = "%s-%d" % (wanted, number)
    taken.add(name)
    return name


def _edge(items: list[Item], report: Report, taken: set[str]) -> _Card:
    first = items[0]
    named = next((item for item in items if not item.route_id), None)
    title = _named(named, named.edge_id) if named else _name(first.edge_id)
    title += _on(first.host) if report.several else ""
    anchors = [_anchor(item, taken) for item in items]
    links = "<br>".join(_link(item, anchor) for item, anchor in zip(items, anchors))
    links = "<br>" + links if len(items) > 1 else links
    sections = [_change(item, anchor, report) for item, anchor in zip(items, anchors)]
    html = "<article><header><h3>%s</h3></header>\n%s</article>" % (title, "\n".join(sections))
    return _Card(title, anchors, links, _note(first, report), html)


def _shared(items: list[Item], report: Report, taken: set[str]) -> _Card:
    anchors = [_anchor(item, taken) for item in items]
    kind = "route" if items[0].route_id else "edge"
    title = "The same change on %s" % data.amount(len(items), kind)
    # A link to one of the edges leads here: a target within what is folded would not be seen in every browser.
    targets = "".join('<span id="%s"></span>' % anchor for anchor in anchors[1:])
    where = _where([_place(item, report) for item in items])
    html = "<article>%s<header><h3>%s</h3></header>%s\n%s</article>" % (
        targets,
        title,
        where,
        _change(items[0], anchors[0], report, ids=False),
    )
    return _Card(title, anchors, _link(items[0], anchors[0], route=False), _note(items[0], report), html)


def _note(item: Item, report: Report) -> str:
    return data.verb(item, report.dry_run) if item.removal else ""


def _link(item: Item, anchor: str, route: bool = True) -> str:
    place = _named(item, item.route_id) + " " if route and item.route_id else ""
    return '%s<a href="#%s">%s</a>' % (place, anchor, _safe(item.module))


def _change(item: Item, anchor: str, report: Report, ids: bool = True) -> str:
    route = " " + _named(item, item.route_id) if ids and item.route_id else ""
    verb = data.verb(item, report.dry_run)
    return '<section id="%s"><header><h4>%s%s</h4><span class="tag %s">%s</span></header>\n%s</section>' % (
        anchor,
        _safe(item.module),
        route,
        "del" if item.removal else _COLOURS[item.state],
        verb,
        _diff(*item.texts),
    )


# What differs

# A configuration of at most so many lines is shown whole; of a longer one what is far from a change is folded.
_WHOLE = 60
_AROUND = 3
_FOLD = 4
# In a line of more characters what differs is marked.
_LONG = 80
_WORD = string.ascii_letters + string.digits + "_.-"


def _diff(before: str, after: str) -> str:
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    if old == new:
        return ""
    old_safe, new_safe = escape(before).split("\n"), escape(after).split("\n")
    parts: list[str] = []
    lines: list[str] = []
    spans = _line_diff.compare(old, new)
    places = _line_diff.places(new, [span.new_end for span in spans if span.equal])
    for number, span in enumerate(spans):
        if not span.equal:
            marks = _pairs(old[span.start : span.end], new[span.new_start : span.new_end])
            lines += [
                _line("del", "&#8722;", old[index], marks[0][place] if marks else old_safe[index])
                for place, index in enumerate(range(span.start, span.end))
            ]
            lines += [
                _line("ins", "+", new[index], marks[1][place] if marks else new_safe[index])
                for place, index in enumerate(range(span.new_start, span.new_end))
            ]
            continue
        start = span.start + (_AROUND if number else 0)
        end = span.end - (_AROUND if number < len(spans) - 1 else 0)
        if len(old) + len(new) <= _WHOLE or end - start < _FOLD:
            start = end = span.end
        equal = [_line("span", "&nbsp;", old[index], old_safe[index]) for index in range(span.start, span.end)]
        lines += equal[: start - span.start]
        if start < end:
            parts += _block(lines)
            folded = "\n".join(_block(equal[start - span.start : end - span.start]))
            following = places[span.new_end] if number < len(spans) - 1 else ""
            words = "%s unchanged" % data.amount(end - start, "line")
            if following:
                words += ", then %s" % _name(following)
            parts.append('<details class="fold"><summary>%s</summary>%s</details>' % (words, folded))
            lines = equal[end - span.start :]
    parts += _block(lines)
    return '<div class="diff">%s</div>' % "\n".join(parts)


def _block(lines: list[str]) -> list[str]:
    return ["<pre>%s</pre>" % "\n".join(lines)] if lines else []


def _line(tag: str, mark: str, line: str, safe: str) -> str:
    """Return a line of a diff. What does not fit is continued below its own beginning, not below the mark."""
    indent = len(line) - len(line.lstrip(" "))
    style = ' style="--in:%d"' % indent if indent else ""
    return "<%s%s>%s %s</%s>" % (tag, style, mark, safe, tag)


def _pairs(old: list[str], new: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the lines with what differs marked, where each line has become one other."""
    if len(old) != len(new):
        return None
    marked = [_marked(*pair) for pair in zip(old, new)]
    return [one for one, dummy in marked], [other for dummy, other in marked]


def _marked(old: str, new: str) -> tuple[str, str]:
    length = min(len(old), len(new))
    begin = _common(old, new, length)
    end = _common(old[::-1], new[::-1], length - begin)
    # Whole words: half of an id says nothing.
    begin = len(old[:begin].rstrip(_WORD))
    end = len(old[len(old) - end :].lstrip(_WORD))
    # A short line is read at a glance; and where little is the same, the whole line has changed.
    if max(len(old), len(new)) <= _LONG or begin + end < max(len(old), len(new)) // 3:
        return escape(old), escape(new)

    def mark(line: str) -> str:
        middle = line[begin : len(line) - end]
        changed = "<mark>%s</mark>" % escape(middle) if middle else ""
        return escape(line[:begin]) + changed + escape(line[len(line) - end :])

    return mark(old), mark(new)


def _common(old: str, new: str, length: int) -> int:
    """Return how many of the first C(length) characters are the same, by halving."""
    low = 0
    while low < length:
        middle = (low + length + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            length = middle - 1
    return low


# The end of the page


def _unchanged(report: Report) -> t.Iterator[str]:
    number = report.counts["unchanged"]
    if not number:
        return
    items = report.of(data.UNCHANGED)
    names = ["<li>%s %s</li>" % (_safe(item.module), _place(item, report)) for item in items]
    yield '<h2 id="unchanged">Unchanged</h2>'
    if not names:
        yield "<p>%s, not listed.</p>" % data.amount(number, "edge module")
        return
    rest = " (%s not listed)" % format(number - len(names), ",") if number > len(names) else ""
    yield "<details><summary>%s%s</summary>%s</details>" % (data.amount(number, "edge module"), rest, _list(names))


def _hosts(report: Report) -> t.Iterator[str]:
    if not report.several:
        return
    words = {
        data.UNREACHABLE: "unreachable",
        data.FAILED: "failed",
        data.REFUSED: "refused",
        data.NOTHING: "no entries",
        data.SKIPPED: "skipped",
    }
    verbs = data.verbs(report.dry_run)
    entries = []
    for host in report.hosts:
        told = [words[host.state]] if host.state in words else []
        if host.state not in (data.NOTHING, data.SKIPPED):
            states = (data.CHANGED, data.REMOVED, data.UNCHANGED, data.FAILED)
            told += ["%s %s" % (format(host.counts[each], ","), verbs[each]) for each in states if host.counts[each]]
        checksum = data.checksum_of(host)
        plan = ", plan %s" % _name(checksum) if checksum and checksum != report.checksum else ""
        service = ", %s" % _name(host.base_url) if host.base_url and len(report.base_urls) > 1 else ""
        entries.append("<li>%s: %s%s%s</li>" % (_name(host.name), ", ".join(told) or "done", plan, service))
    yield '<h2>Hosts</h2>\n<details class="all"%s><summary>%s</summary>%s</details>' % (
        " open" if len(entries) <= _OPEN_NAMES else "",
        data.amount(len(entries), "host"),
        _list(entries),
    )
