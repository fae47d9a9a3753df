# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures how long the ways of reconciling many edge modules take, and what one large task costs.

All against the simulator on the same machine, so the ratios are what counts: C(make benchmark).
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import harness
from harness.many import many
from harness.process import result_of, start_module
from simulator import Simulator

ITEMS = 300


def _memory(pid: int, most: list[int]) -> None:
    """Keep the most memory that a process ever had resident, in MB; for systems that tell it."""
    try:
        while True:
            for line in Path("/proc/%d/status" % pid).read_text(encoding="utf-8").splitlines():
                if line.startswith("VmHWM"):
                    most[0] = max(most[0], int(line.split()[1]) // 1024)
            time.sleep(0.05)
    except OSError:
        return


def one_task(sim: Simulator, total: int, folder: Path, check: bool = False) -> tuple[float, int]:
    """Seconds and megabytes of one edge_modules task over so many edge modules, as a module."""
    options = {**harness.connection_options(sim), **many(total // 5)}
    started = time.monotonic()
    process = start_module("edge_modules", options, folder, check=check, diff=True)
    most = [0]
    watcher = threading.Thread(target=_memory, args=(process.pid, most))
    watcher.start()
    stdout, stderr = process.communicate()
    seconds = time.monotonic() - started
    watcher.join()
    summary = result_of(stdout)["summary"]
    assert summary["total"] == total and not summary["failed"], (summary, stderr)
    return seconds, most[0]


def playbook(sim: Simulator, task: dict, folder: Path, **extra: object) -> float:
    """Seconds of a playbook with one task."""
    started = time.monotonic()
    done = harness.playbook([harness.play([task], sim)], tmp_path=folder, extra=extra, timeout=1800)
    assert done.returncode == 0, done.text[-2000:]
    return time.monotonic() - started


def loop() -> dict:
    """A task that sets the backend of so many TCP edges, one after the other."""
    return {
        "name": "loop",
        "edgeops.edges.tcp_edge_backend": {"edge_id": "edgtcp_{{ item }}", "backend_id": "bkdtg_{{ item }}"},
        "loop": "{{ range(%d) | list }}" % ITEMS,
        "loop_control": {"label": "{{ item }}"},
    }


def uri_loop(sim: Simulator) -> dict:
    """The same by Ansible's own module, which writes each time without asking first."""
    return {
        "name": "loop",
        "ansible.builtin.uri": {
            "url": sim.base_url + "/edges/tcp/edgtcp_{{ item }}/backend",
            "method": "PUT",
            "headers": {"Authorization": "Bearer " + sim.api_key, "Service-Version": "2"},
            "body_format": "json",
            "body": {"backend_id": "bkdtg_{{ item }}"},
        },
        "loop": "{{ range(%d) | list }}" % ITEMS,
        "loop_control": {"label": "{{ item }}"},
    }


def main() -> None:
    print("%d processors, Python %s, %s" % (os.cpu_count() or 0, sys.version.split()[0], sys.platform))
    with tempfile.TemporaryDirectory() as name, Simulator(validate=False) as sim:
        folder = Path(name)

        def row(text: str, seconds: float, base: float, more: str = "") -> None:
            print("  %-46s %8.1f s   %6.1f x%s" % (text, seconds, seconds / base, more), flush=True)

        print("\n%d backends in a playbook, and how many times as long as one edge_modules task:" % ITEMS)
        bulk_task = {"name": "many", "edgeops.edges.edge_modules": {"tcp_edges": many(ITEMS)["tcp_edges"]}}
        bulk = playbook(sim, bulk_task, folder)
        row("one edge_modules task", bulk, bulk)
        ways = (
            ("a loop over tcp_edge_backend, in the worker", loop(), dict(edgeops_edges_in_process=True)),
            ("a loop over tcp_edge_backend, as modules", loop(), dict(edgeops_edges_in_process=False)),
            ("a loop over ansible.builtin.uri", uri_loop(sim), {}),
        )
        for text, task, extra in ways:
            sim.reset()
            row(text, playbook(sim, task, folder, **extra), bulk)

        print("\none edge_modules task over so many edge modules, as a module in a process of its own:")
        base: dict[str, float] = {}  # by kind of run, that of 1,000
        for total in (1000, 10000):
            for text, check in (("dry run of %d", True), ("run of %d", False), ("again, %d unchanged", False)):
                if check:
                    sim.reset()
                seconds, megabytes = one_task(sim, total, folder, check)
                row(text % total, seconds, base.setdefault(text, seconds), "   %4d MB" % megabytes)
                sim.clear_log()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print("\nprocessor time of all processes but the simulator: %.0f s" % (usage.ru_utime + usage.ru_stime))


if __name__ == "__main__":
    main()
