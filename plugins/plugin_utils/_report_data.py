# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a report says, before it has a form: hosts, edge modules, counts, failures. Private to this collection."""

from __future__ import annotations

import datetime
import functools
import json
import re
import typing as t
from dataclasses import dataclass, field

from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError
from ansible_collections.edgeops.edges.plugins.module_utils._text import visible

CHANGED, REMOVED, UNCHANGED, FAILED, REFUSED = "changed", "removed", "unchanged", "failed", "refused"
UNREACHABLE, NOTHING, SKIPPED, DONE = "unreachable", "nothing", "skipped", "done"

# What is said of a host as a whole.
NOT_REACHED = "could not be reached"
NOT_LOOKED_AT = "failed, or could not be reached, before its edge modules were read"
NO_MESSAGE = "failed without a message"


@dataclass
class Item:
    """One edge module of one host. Its state C(refused) is that of a change that was planned and not made."""

    host: str
    result: dict[str, t.Any]
    state: str
    old_diff: dict[str, t.Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        return _text(self.result.get("module"))

    @property
    def edge_id(self) -> str:
        return _text(self.result.get("edge_id"))

    @property
    def route_id(self) -> str:
        return _text(self.result.get("route_id"))

    @property
    def name(self) -> str:
        return _text(self.result.get("name"))

    @property
    def removal(self) -> bool:
        return self.result.get("operation") == "delete"

    @property
    def place(self) -> str:
        """The ids, and the name that people have given."""
        ids = " ".join(filter(None, (self.edge_id, self.route_id)))
        return "%s (%s)" % (ids, self.name) if self.name else ids

    @property
    def title(self) -> str:
        return ("%s %s" % (self.module, self.place)).strip()

    @functools.cached_property
    def before(self) -> t.Any:
        return self._side("before")

    @functools.cached_property
    def after(self) -> t.Any:
        return self._side("after")

    def _side(self, name: str) -> t.Any:
        """Return a configuration as a structure. Results of older versions have it as the text of their diff alone."""
        if "before" in self.result or "after" in self.result:
            return plain(self.result.get(name))
        text = self.old_diff.get(name)
        try:
            return json.loads(text) if text else None
        except ValueError:
            return str(text)

    @property
    def texts(self) -> tuple[str, str]:
        """The configuration before and after, as text for people."""
        return _as_text(self.before), _as_text(self.after)

    @functools.cached_property
    def change(self) -> tuple[str, ...]:
        """Equal for changes that do the same, whatever they are done to."""
        sides = [json.dumps(side, sort_keys=True) for side in (self.before, self.after)]
        return (self.module, self.state, str(self.result.get("operation")), *sides)


@dataclass
class Host:
    """A host, what became of its task, and the number of its edge modules in each state."""

    name: str
    state: str
    counts: dict[str, int]
    message: str = ""
    base_url: str = ""
    plan: t.Any = None


@dataclass
class Failure:
    """What failed for one reason: edge modules, or whole hosts."""

    reason: str
    items: list[Item] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    unreachable: bool = False

    @property
    def message(self) -> str:
        """The error in full where it befell one edge module, else what is the same for all."""
        return _message(self.items[0]) if len(self.items) == 1 else self.reason

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later, with nothing done about it."""
        return not self.hosts and all(map(_may_pass, self.items))


@dataclass
class Restored:
    """An edge module that was to be restored after a run that failed."""

    item: Item
    restored: bool
    reason: str


@dataclass
class Report:
    """All that a report says."""

    dry_run: bool
    title: str
    base_urls: list[str]
    plan: t.Any
    time: datetime.datetime
    hosts: list[Host]
    items: list[Item]
    refusals: list[str]
    restored: list[Restored]

    @property
    def counts(self) -> dict[str, int]:
        """How many edge modules there are, and how many of each state; a host that failed whole counts as one."""
        total = dict(total=0, changed=0, removed=0, unchanged=0, failed=0)
        for host in self.hosts:
            for key in total:
                total[key] += host.counts[key]
        return total

    @property
    def planned(self) -> int:
        """How many changes were planned and not made."""
        return sum(host.counts[REFUSED] for host in self.hosts)

    @property
    def refused(self) -> bool:
        return bool(self.refusals)

    @property
    def written(self) -> bool:
        """Whether the run may have written anything."""
        if self.dry_run:
            return False
        counts = self.counts
        tried = any(item.state == FAILED and item.result.get("changed") for item in self.items)
        return bool(counts["changed"] or counts["removed"] or tried)

    @property
    def checksum(self) -> str:
        return _checksum(self.plan)

    @property
    def several(self) -> bool:
        """Whether an edge module has to be named with its host."""
        return len(self.hosts) > 1

    def of(self, *states: str) -> list[Item]:
        return [item for item in self.items if item.state in states]

    def hosts_of(self, *states: str) -> list[str]:
        return [host.name for host in self.hosts if host.state in states]

    @functools.cached_property
    def failures(self) -> list[Failure]:
        """The failures, those with the same reason together; the ones that nothing was tried for come last."""
        found: dict[tuple[str, str], Failure] = {}
        for host in self.hosts:
            if host.state in (FAILED, UNREACHABLE):
                failure = Failure(host.message, unreachable=host.state == UNREACHABLE)
                found.setdefault((host.message, host.state), failure).hosts.append(host.name)
        for item in self.of(FAILED):
            reason = _reason(item)
            found.setdefault((reason, ""), Failure(reason)).items.append(item)
        return sorted(found.values(), key=lambda failure: failure.reason.startswith("not tried"))


def read(
    outcomes: dict[str, t.Any],
    dry_run: bool = True,
    title: str | None = None,
    base_url: str | None = None,
    plan: t.Any = None,
    now: datetime.datetime | None = None,
    refused: t.Any = None,
    restored: dict[str, t.Any] | None = None,
) -> Report:
    """Return what the outcomes of edge_modules, by host, say.

    :param dry_run: a result that says of itself that it was a run wins over it.
    :param refused: why the play was refused: a text, a list of them, or a text for each host.
    :param restored: by host, what was to be restored.
    """
    outcomes = {_text(name): outcome or {} for name, outcome in outcomes.items()}
    dry_run = bool(dry_run) and all(outcome.get("dry_run", True) for outcome in outcomes.values())
    hosts: list[Host] = []
    items: list[Item] = []
    for name, outcome in outcomes.items():
        found = _items(name, outcome, dry_run)
        hosts.append(_host(name, outcome, found, dry_run))
        items.extend(found)
    plans = [host.plan for host in hosts if host.plan]
    addresses = list(dict.fromkeys(host.base_url for host in hosts if host.base_url))
    return Report(
        dry_run=dry_run,
        title=_text(title),
        base_urls=[_text(base_url)] if base_url else addresses,
        plan=plain(plan) or (plans[0] if len(plans) == 1 else None),
        time=now or datetime.datetime.now(datetime.timezone.utc),
        hosts=hosts,
        items=items,
        refusals=_refusals(refused, hosts),
        restored=[
            Restored(Item(_text(host), one, REFUSED), bool(one.get("restored")), _text(one.get("reason")))
            for host, listed in (restored or {}).items()
            for one in listed or ()
        ],
    )


def _items(host: str, outcome: dict[str, t.Any], dry_run: bool) -> list[Item]:
    diffs = iter(outcome.get("diff") or ())
    predicted = bool(outcome.get("dry_run")) and not dry_run  # the run that was to follow did not take place
    items = []
    for result in outcome.get("results") or ():
        item = Item(host, result, UNCHANGED)
        if result.get("error"):
            item.state = FAILED
        elif result.get("operation") in ("replace", "delete"):
            item.state = REMOVED if item.removal else CHANGED
            item.old_diff = next(diffs, {})
            if predicted or not result.get("changed", True):
                item.state = REFUSED
        items.append(item)
    return items


def _host(name: str, outcome: dict[str, t.Any], items: list[Item], dry_run: bool) -> Host:
    counts = _counts(outcome, items, dry_run)
    state, message = DONE, _text(outcome.get("msg"))
    if outcome.get("unreachable"):
        state, message = UNREACHABLE, message or NOT_REACHED
    elif outcome.get("failed") and not counts[FAILED]:
        # A task that ends so without having tried a write was refused, or was not to begin.
        planned = bool(items or counts["total"])
        state = REFUSED if planned and (dry_run or not (counts[CHANGED] or counts[REMOVED])) else FAILED
        message = message or NO_MESSAGE
    elif outcome.get("skipped"):
        state = SKIPPED
    elif not counts["total"]:
        state = NOTHING
    if state in (UNREACHABLE, FAILED, REFUSED):
        counts[FAILED] += 1
    return Host(name, state, counts, message, _text(outcome.get("base_url")), plain(outcome.get("plan")))


def _counts(outcome: dict[str, t.Any], items: list[Item], dry_run: bool) -> dict[str, int]:
    """Return how many edge modules of a task are in each state; C(changed) are those set, without those removed."""
    counts = dict.fromkeys(("total", CHANGED, REMOVED, UNCHANGED, FAILED, REFUSED), 0)
    for item in items:
        counts[item.state] += 1
    counts["total"] = len(items)
    summary = outcome.get("summary")
    if summary:
        # The results may hold only some of what the summary counts.
        number = {key: int(summary.get(key) or 0) for key in ("total", CHANGED, REMOVED, UNCHANGED, FAILED)}
        counts["total"] = max(counts["total"], number["total"])
        counts[UNCHANGED] = max(counts[UNCHANGED], number[UNCHANGED])
        counts[FAILED] = number[FAILED]
        if outcome.get("dry_run") and not dry_run:
            counts[REFUSED] = max(counts[REFUSED], number[CHANGED])
        elif REMOVED in summary:
            counts[CHANGED], counts[REMOVED] = number[CHANGED] - number[REMOVED], number[REMOVED]
    return counts


def _refusals(refused: t.Any, hosts: list[Host]) -> list[str]:
    """Return why a play was refused, each reason once."""
    if isinstance(refused, dict):
        found = ["%s: %s" % (_text(host), _text(reason)) for host, reason in refused.items()]
    elif isinstance(refused, (list, tuple)):
        found = [_text(reason) for reason in refused]
    else:
        found = [_text(refused)] if refused else []
    by_message: dict[str, list[str]] = {}
    for host in hosts:
        if host.state == REFUSED and not any(host.message in reason for reason in found):
            by_message.setdefault(host.message, []).append(host.name)
    for message, names in by_message.items():
        found.append(message if len(hosts) == 1 else "%s: %s" % (", ".join(names), message))
    return list(dict.fromkeys(found))


def groups(items: t.Iterable[Item]) -> list[list[Item]]:
    """Return the changes, those that do the same together."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        found.setdefault(item.change, []).append(item)
    return list(found.values())


def by_edge(items: t.Iterable[Item]) -> list[list[Item]]:
    """Return the edge modules, those of the same edge together."""
    found: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        found.setdefault((item.host, item.edge_id), []).append(item)
    return list(found.values())


def error_of(item: Item) -> dict[str, t.Any]:
    error = item.result.get("error")
    return error if isinstance(error, dict) else dict(msg=error)


def _message(item: Item) -> str:
    # "PUT /path was not tried": that nothing was sent says as much, and is the same for all.
    return re.sub("^[A-Z]+ [^ ]+ was not tried", "not tried", _text(error_of(item).get("msg")) or "no message")


def _reason(item: Item) -> str:
    """Return what is the same in the errors of all that failed for the same reason."""
    error = error_of(item)
    method, path, operation = (_text(error.get(key)) for key in ("method", "path", "operation_id"))
    text = _message(item)
    return ApiError(text, method, path, operation_id=operation).reason if method and path else text


def _may_pass(item: Item) -> bool:
    """Whether an error is of a temporary kind: no answer, too many requests, or a fault of the service's."""
    error = error_of(item)
    status, text = error.get("status"), _message(item)
    if status is None:
        # What could not be sent, and a certificate that does not fit, stay as they are.
        lasting = "could not be sent" in text or "certificate" in text.lower()
        return text.startswith("not tried") or (bool(error.get("method")) and not lasting)
    return status == 429 or 500 <= status <= 599


def _as_text(side: t.Any) -> str:
    if side is None:
        return ""
    text = side if isinstance(side, str) else json.dumps(side, indent=2, sort_keys=True, ensure_ascii=False)
    return visible(text.rstrip("\n"))


def plain(value: t.Any) -> t.Any:
    """Return a structure as plain dicts and lists: those that Ansible hands to a filter may be of its own types."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def _checksum(plan: t.Any) -> str:
    return _text(plan.get("checksum")) if isinstance(plan, dict) else ""


def checksum_of(host: Host) -> str:
    return _checksum(host.plan)


def _text(value: t.Any) -> str:
    return "" if value is None else str(value)


# Words that the forms have in common


def verbs(dry_run: bool) -> dict[str, str]:
    """Return what is said of an edge module in each state."""
    if dry_run:
        return dict(
            changed="would change",
            new="would be newly set",
            removed="would be removed",
            unchanged="unchanged",
            failed="failed",
            refused="refused",
        )
    return dict(
        changed="changed",
        new="newly set",
        removed="removed",
        unchanged="unchanged",
        failed="failed",
        refused="not written",
    )


def counted(report: Report) -> list[str]:
    """Return the counts in words."""
    number, words = report.counts, verbs(report.dry_run)
    found = ["%s %s" % (format(number[state], ","), words[state]) for state in (CHANGED, REMOVED, UNCHANGED, FAILED)]
    return found + (["%s refused" % format(report.planned, ",")] if report.planned else [])


def verb(item: Item, dry_run: bool) -> str:
    """Return what is said of an edge module that changes, or was to."""
    if item.state == REFUSED:
        return "not removed" if item.removal else "not changed"
    state = "new" if item.state == CHANGED and item.before is None and item.after is not None else item.state
    return verbs(dry_run)[state]


def headings(dry_run: bool) -> dict[str, str]:
    """Return what stands above the changes of each state."""
    if dry_run:
        return dict(removed="Would be removed", changed="Would change", refused="Refused")
    return dict(removed="Removed", changed="Changed", refused="Refused, not written")


def amount(number: int, noun: str) -> str:
    return "%s %s%s" % (format(number, ","), noun, "" if number == 1 else "s")


def heading(report: Report) -> str:
    if report.title:
        return report.title
    if report.refused and not report.dry_run:
        return "Edge modules: refused" if report.written else "Edge modules: refused, nothing written"
    return "Edge modules: what would change" if report.dry_run else "Edge modules: what was done"


def refusal(report: Report) -> str:
    """Return what is said before the reasons of a refusal."""
    if report.dry_run:
        return "the run would be refused and would write nothing"
    return "refused" if report.written else "refused, nothing written"


def explanation(report: Report) -> str:
    """Return what the counts mean, and what a second run would do: no more than is known."""
    if report.dry_run:
        return "This was a dry run: nothing was written."
    if report.refused and not report.written:
        return "The run was refused: nothing was written."
    if report.restored:
        return "The changes shown were made. Those that are listed as restored were then rolled back."
    if not report.failures and not report.refused:
        return "The changes shown were made. Running again with the same variables changes nothing."
    text = "The changes shown were made."
    passing = [failure for failure in report.failures if failure.may_pass]
    tried = [failure for failure in passing if not failure.reason.startswith("not tried")]
    if tried and len(passing) == len(report.failures) and not report.refused:
        text += " The failures may be temporary: run again with the same variables to finish."
    elif tried:
        text += " Some failures may be temporary. The cause of the others must be corrected first: see their reasons."
    elif report.failures:
        text += " The cause of each failure must be corrected first: see the reasons."
    return text
