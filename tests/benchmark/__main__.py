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

# Latency of the service where it is not to answer at once, in seconds, and the requests that are in flight then.
LATENCY = 0.05
CONCURRENCY = 32
# Items of a loop then: each takes the latency at least.
FEWER_ITEMS = 100

# Hosts of a play with the role, changes of a dry run with a report, job slices and the edge modules of all of them.
HOSTS = 200
CHANGES = 3000
SLICES = 4
SLICED = 4000

Note = t.Callable[[str, float], None]


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
        ratio = round(self.ratio, 2)  # as it is shown
        met = ratio >= self.goal if self.at_least else ratio <= self.goal
        return "%s %g%s" % ("at least" if self.at_least else "at most", self.goal, "" if met else ", not met")


def one_round(folder: Path, note: Note) -> None:
    """Run every measure once, and note the seconds of each: of a task, of an item, or of all."""
    empty = measures.empty(folder).seconds
    note("empty play", empty)
    for latency in (0, LATENCY):
        at = " at %d ms" % (latency * 1000)
        items = FEWER_ITEMS if latency else ITEMS
        with server.running(latency, measures.backends()) as url:
            # The short ones twice: what else the machine does in a second weighs more in them.
            for dummy in range(1 if latency else 2):
                for name, task in measures.WAYS_OF_A_TASK.items():
                    note("%s task%s" % (name, at), (measures.tasks(task, url, folder, TASKS).seconds - empty) / TASKS)
                if not latency:
                    note("debug item", (measures.loop_of_debug(folder, ITEMS).seconds - empty) / ITEMS)
                note("item that reads" + at, (measures.loop_of_ours(url, folder, items).seconds - empty) / items)
            note("uri item" + at, (measures.loop_of_uri(url, folder).seconds - empty) / FEW)
    many(folder, note)
    role(folder, note)
    slices(folder, note)
    large(folder, note, 10000)


def many(folder: Path, note: Note) -> None:
    """Read and write with one task; and read without Ansible around it."""
    variables = {total: measures.variables_of(total) for total in (1000, 5000)}
    stored = measures.bodies_of(variables[5000])
    with server.running(LATENCY, stored) as url:
        for dummy in range(3):
            used = measures.bare_sessions(url, paths_of(variables[1000]), CONCURRENCY)
            note("processor of bare sessions", used)
            note("processor of the work", measures.bare_work(url, variables[1000], CONCURRENCY))
        for total, each in variables.items():
            empty = measures.empty(folder, each).seconds
            note("%d read" % total, measures.edge_modules(url, folder, each, CONCURRENCY).seconds - empty)
        changed = measures.variables_of(1000, "b")
        plan = measures.plan_of(url, folder, changed, CONCURRENCY)
        empty = measures.empty(folder, dict(changed, plan=plan)).seconds
        note("1000 under control", measures.under_control(url, folder, changed, CONCURRENCY, plan).seconds - empty)
        note("1000 written", measures.edge_modules(url, folder, variables[1000], CONCURRENCY).seconds - empty)


def role(folder: Path, note: Note) -> None:
    """Run the role: over many hosts with an edge each, and as a dry run over many changes, with and without report."""
    hosts = measures.hosts_of_an_edge(HOSTS)
    empty = measures.empty(folder, hosts=hosts).seconds
    with server.running(0, measures.backends()) as url:
        note("role on %d hosts" % HOSTS, measures.role(url, folder, hosts).seconds - empty)
        note("assert and debug on %d hosts" % HOSTS, measures.assert_and_debug(folder, hosts).seconds - empty)
    variables = measures.variables_of(CHANGES)
    empty = measures.empty(folder, variables).seconds
    with server.running(LATENCY, measures.bodies_of(measures.variables_of(CHANGES, "b"))) as url:
        for name, report in (("with", "drift.html"), ("without", None)):
            used = measures.drift(url, folder, variables, CONCURRENCY, report)
            note("drift %s report" % name, used.seconds - empty)


def slices(folder: Path, note: Note) -> None:
    hosts = measures.slices_of(SLICED, SLICES)
    variables = measures.variables_of(SLICED)
    with server.running(LATENCY, measures.bodies_of(variables)) as url:
        for name, at_once in (("at once", True), ("in turn", False)):
            empty = measures.slices("", folder, hosts, at_once)
            note("slices " + name, measures.slices(url, folder, hosts, at_once) - empty)


def large(folder: Path, note: Note, total: int) -> None:
    """Read so many edge modules with one task, from a service that answers at once."""
    variables = measures.variables_of(total)
    empty = measures.empty(folder, variables)
    with server.running(0, measures.bodies_of(variables)) as url:
        used = measures.edge_modules(url, folder, variables)
    note("%d read at 0 ms" % total, used.seconds - empty.seconds)
    note("megabytes of %d" % total, used.megabytes)


def rows(medians: dict[str, float]) -> list[Row]:
    limit = LATENCY / CONCURRENCY
    found = []

    def row(
        measure: str, against: str, value: str, base: float | str, goal: float | None = None, at_least: bool = False
    ) -> None:
        other = medians[base] if isinstance(base, str) else base
        ratio = other / medians[value] if at_least else medians[value] / other
        found.append(Row(measure, against, medians[value], other, ratio, goal, at_least))

    row(
        "an item of a loop, in the worker", "of a uri GET loop", "item that reads at 0 ms", "uri item at 0 ms", 70, True
    )
    row("the same", "of a debug loop", "item that reads at 0 ms", "debug item", 1.2)
    row("one of ten tasks, as a module", "one of ten uri GETs", "module task at 0 ms", "uri task at 0 ms", 0.95)
    row("edge_modules, 1,000 read", "the wire's limit", "1000 read", 1000 * limit, 1.2)
    row("edge_modules, 5,000 read", "the wire's limit", "5000 read", 5000 * limit, 1.15)
    row("1,000 written, plan, limits, backup", "the wire's limit", "1000 under control", 2000 * limit, 1.25)
    sessions = medians["processor of bare sessions"]
    found.append(
        Row(
            "processor time of a read, beyond",
            "bare requests.Sessions",
            medians["processor of the work"] - sessions,
            sessions,
            medians["processor of the work"] / sessions - 1,
            0.25,
        )
    )
    row(
        "role provision, %d hosts" % HOSTS,
        "assert and debug",
        "role on %d hosts" % HOSTS,
        "assert and debug on %d hosts" % HOSTS,
        2,
    )
    row("drift, 3,000 changes, with report", "without report", "drift with report", "drift without report", 1.3)
    row(
        "100,000 read in one task, 0 ms",
        "ten times 10,000",
        "100000 read at 0 ms",
        10 * medians["10000 read at 0 ms"],
        1,
    )
    row("the same, memory", "ten times 10,000", "megabytes of 100000", 10 * medians["megabytes of 10000"], 1)
    row("four job slices at once", "one after the other", "slices at once", "slices in turn", 0.25)
    return found


def cells(row: Row) -> tuple[str, ...]:
    return (row.measure, row.against, "%.3g" % row.value, "%.3g" % row.base, "%.2f" % row.ratio, row.aim)


HEAD = ("measure", "against", "measured", "against", "ratio", "goal")


def table(found: list[Row]) -> str:
    lines = [HEAD, *map(cells, found)]
    return "\n".join("%-40s%-26s%10s%10s%9s  %s" % line for line in lines)


def guide(text: str, found: list[Row], where: dict[str, t.Any], rounds: int) -> str:
    """Return the guide with its table written anew: the ratios alone, since only these hold on another machine."""
    software = ", ".join("%s %s" % one for one in [("Python", where["python"]), *where["versions"].items()])
    lines = ["Measured on %d processors, in %d rounds: %s." % (where["processors"], rounds, software), ""]
    lines += [".. list-table::", "  :header-rows: 1", ""]
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
        processors=os.cpu_count(),
        load=round(os.getloadavg()[2], 1),  # what else the machine has done in the last 15 minutes
        python=platform.python_version(),
        system=platform.system(),
        versions=versions,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="make benchmark")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, required=True, help="write all that was measured here")
    parser.add_argument("--guide", type=Path, required=True, help="the guide that holds the table")
    options = parser.parse_args()
    print(machine())
    times: dict[str, list[float]] = collections.defaultdict(list)

    def note(name: str, value: float) -> None:
        times[name].append(value)
        print("  %-44s %10.4f" % (name, value), flush=True)

    with tempfile.TemporaryDirectory() as name:
        for number in range(options.rounds):
            print("\nround %d of %d" % (number + 1, options.rounds))
            one_round(Path(name), note)
            if number == 0:
                large(Path(name), note, 100000)  # once: it takes minutes
    medians = {name: statistics.median(values) for name, values in times.items()}
    found = rows(medians)
    print("\n" + table(found))
    where = machine()
    whole = dict(machine=where, rounds=options.rounds, rows=[asdict(row) for row in found], medians=medians, all=times)
    options.results.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    text = options.guide.read_text(encoding="utf-8")
    options.guide.write_text(guide(text, found, where, options.rounds), encoding="utf-8")


if __name__ == "__main__":
    main()
