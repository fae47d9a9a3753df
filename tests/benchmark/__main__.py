# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares what the collection does with Ansible's own ways, and with the least that is possible: C(make benchmark).

Every round runs every measure once, and the medians of the rounds are compared: what else the machine does in a while
then hits all of them. Only the ratios mean something elsewhere.
"""

from __future__ import annotations

import argparse
import collections
import importlib.metadata
import json
import os
import platform
import re
import statistics
import tempfile
import typing as t
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.many import paths_of

from . import measures, server
from .measures import FEW, ITEMS, TASKS

# Latency of the service in the second half, in seconds, and the requests that edge_modules keeps in flight then.
LATENCY = 0.05
CONCURRENCY = 32
# Items of a loop then: each takes the latency at least.
FEWER_ITEMS = 100


@dataclass
class Row:
    """A ratio of two medians, in seconds or megabytes, and what it should be: at most the goal, or at least it."""

    measure: str
    against: str
    value: float
    base: float
    ratio: float
    goal: float | None = None
    at_least: bool = False

    @property
    def aim(self) -> str:
        """The goal in words, and whether it was met."""
        if self.goal is None:
            return ""
        met = self.ratio >= self.goal if self.at_least else self.ratio <= self.goal
        return "%s %g%s" % ("at least" if self.at_least else "at most", self.goal, "" if met else ", not met")


def one_round(folder: Path, payloads: dict[str, str], note: t.Callable[[str, float], None]) -> None:
    """Run every measure once, and note the seconds of each: of a task, of an item, or of all."""
    for dummy in range(5):
        for name, file in payloads.items():
            note("import %s" % name, measures.start(file) - measures.start(None))
    empty = measures.empty(folder).seconds
    note("empty play", empty)
    note("debug item", (measures.loop_of_debug(folder, ITEMS).seconds - empty) / ITEMS)

    for latency in (0, LATENCY):
        at = " at %d ms" % (latency * 1000)
        items = FEWER_ITEMS if latency else ITEMS
        with server.running(latency, measures.backends()) as url:
            for name, task in measures.WAYS_OF_A_TASK.items():
                note("%s alone%s" % (name, at), measures.tasks(task, url, folder, 1).seconds - empty)
                note("%s task%s" % (name, at), (measures.tasks(task, url, folder, TASKS).seconds - empty) / TASKS)
            note("uri item" + at, (measures.loop_of_uri(url, folder).seconds - empty) / FEW)
            note("item that reads" + at, (measures.loop_of_ours(url, folder, items).seconds - empty) / items)
            note("item that writes" + at, (measures.loop_of_ours(url, folder, items, "b").seconds - empty) / items)
        many(folder, note, 1000, latency)
    many(folder, note, 10000, 0)


def many(folder: Path, note: t.Callable[[str, float], None], total: int, latency: float) -> None:
    """Write so many edge modules with one task, then read them with the same task, and by a bare session."""
    variables = measures.variables_of(total)
    empty = measures.empty(folder, variables).seconds
    if not latency:
        note("Ansible's part of %d" % total, measures.take_and_return(folder, variables).seconds - empty)
    with server.running(latency) as url:
        for done in ("written", "read"):
            used = measures.edge_modules(url, folder, variables, CONCURRENCY if latency else None)
            name = "%d %s at %d ms" % (total, done, latency * 1000)
            note(name, used.seconds - empty)
            note("processor of " + name, used.processor)
            note("megabytes of " + name, used.megabytes)
        if total == 1000 and not latency:
            note("bare session", measures.bare_session(url, paths_of(variables)))


def rows(medians: dict[str, float]) -> list[Row]:
    limit = 1000 * LATENCY / CONCURRENCY
    ansible = medians["Ansible's part of 1000"]
    found = []

    def row(
        measure: str, against: str, value: float, base: float, goal: float | None = None, at_least: bool = False
    ) -> None:
        ratio = base / value if at_least else value / base
        found.append(Row(measure, against, value, base, ratio, goal, at_least))

    def both(
        measure: str, against: str, value: str, base: str, goal: float | None = None, at_least: bool = False
    ) -> None:
        row(measure, against, medians[value], medians[base], goal, at_least)

    ten = "one of ten tasks"
    both(ten + ", as a module", "one of ten uri GETs", "module task at 0 ms", "uri task at 0 ms", 1.0)
    both(ten + ", in the worker", "one of ten uri GETs", "worker task at 0 ms", "uri task at 0 ms")
    both("a task alone, as a module", "a uri GET alone", "module alone at 0 ms", "uri alone at 0 ms")
    both("a task alone, in the worker", "a uri GET alone", "worker alone at 0 ms", "uri alone at 0 ms")
    both("import cost of a module process", "that of uri", "import tcp_edge_backend", "import uri", 1.0)
    both("a loop in the worker, per item", "a uri GET loop", "item that reads at 0 ms", "uri item at 0 ms", 60, True)
    both("the same", "a debug loop", "item that reads at 0 ms", "debug item", 1.6)
    both("the same, that writes", "a uri GET loop", "item that writes at 0 ms", "uri item at 0 ms", None, True)
    both("edge_modules, 1,000 read", "a bare requests.Session", "1000 read at 0 ms", "bare session", 2)
    row("the same, 50 ms, 32 in flight", "the wire's limit", medians["1000 read at 50 ms"], limit, 1.25)
    row("the same, written", "the wire's limit", medians["1000 written at 50 ms"], 2 * limit, 1.25)
    row("the same, read, without Ansible's part", "the wire's limit", medians["1000 read at 50 ms"] - ansible, limit)
    both("edge_modules, 10,000 read", "1,000 read", "10000 read at 0 ms", "1000 read at 0 ms", 10)
    both("edge_modules, 10,000 written", "1,000 written", "10000 written at 0 ms", "1000 written at 0 ms", 10)
    most = max(medians["megabytes of 10000 %s at 0 ms" % done] for done in ("read", "written"))
    row("the same, MB of the largest process", "300 MB", most, 300, 1)
    return found


def cells(row: Row) -> tuple[str, ...]:
    return (row.measure, row.against, "%.3g" % row.value, "%.3g" % row.base, "%.2f" % row.ratio, row.aim)


HEAD = ("measure", "against", "measured", "against", "ratio", "goal")


def table(found: list[Row]) -> str:
    lines = [HEAD, *map(cells, found)]
    return "\n".join("%-40s%-26s%10s%10s%9s  %s" % line for line in lines)


def guide(text: str, found: list[Row]) -> str:
    """Return the guide with its table written anew: the ratios alone, since only these hold on another machine."""
    lines = [".. list-table::", "  :header-rows: 1", ""]
    for line in (
        ("Measure", "Against", "Ratio", "Goal"),
        *((one[0], one[1], one[4], one[5]) for one in map(cells, found)),
    ):
        lines += ["  %s - %s" % ("*" if number == 0 else " ", cell) for number, cell in enumerate(line)]
    return re.sub(
        r"(?s)(\.\. written by make benchmark\n\n).*?(\n\n\.\. until here)",
        lambda match: match.group(1) + "\n".join(line.rstrip() for line in lines) + match.group(2),
        text,
    )


def machine() -> dict[str, t.Any]:
    versions = {name: importlib.metadata.version(name) for name in ("ansible-core", "requests", "urllib3")}
    return dict(
        processors=os.cpu_count(), python=platform.python_version(), system=platform.system(), versions=versions
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="make benchmark")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, required=True, help="write all that was measured here")
    parser.add_argument("--guide", type=Path, required=True, help="the guide that holds the table")
    options = parser.parse_args()
    print(machine())
    times: dict[str, list[float]] = collections.defaultdict(list)

    def note(name: str, value: float) -> None:
        times[name].append(value)
        print("  %-44s %10.4f" % (name, value), flush=True)

    with tempfile.TemporaryDirectory() as name:
        payloads = measures.payloads(Path(name))
        for number in range(options.rounds):
            print("\nround %d of %d" % (number + 1, options.rounds))
            one_round(Path(name), payloads, note)
    medians = {name: statistics.median(values) for name, values in times.items()}
    found = rows(medians)
    print("\n" + table(found))
    whole = dict(
        machine=machine(), rounds=options.rounds, rows=[asdict(row) for row in found], medians=medians, all=times
    )
    options.results.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    options.guide.write_text(guide(options.guide.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
