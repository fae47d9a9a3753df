# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many jobs side by side: order within an edge, threads, stopping. Private to this collection."""

from __future__ import annotations

import collections
import threading
import time
import typing as t
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._http import MOST_CONNECTIONS
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._signals import to_the_end

# Seconds after which progress is reported, and between two such lines.
_QUIET = 10.0
_EVERY = 5.0
# How often it is looked at whether that is due, in seconds.
_TICK = 1.0


@dataclass
class Done:
    """What became of a job: its outcome, or the error that it ended with."""

    job: Job
    outcome: t.Any = None
    error: EdgeError | None = None

    @property
    def tried(self) -> bool:
        return not isinstance(self.error, NotTriedError)


@dataclass
class _Stage:
    """Jobs of one edge that may run side by side; the next stage waits for all of them."""

    jobs: list[int]
    left: int = 0
    next: _Stage | None = None
    is_removal: bool = False
    failed: bool = False

    def __post_init__(self) -> None:
        self.left = len(self.jobs)


class Scheduler:
    """Runs jobs, at most `concurrency` at a time.

    Within an edge the removals come first, then what others depend on, then the rest: a TLS edge that passes TLS
    through refuses most other modules. After an error that no other request can survive, nothing more is tried.

    :param work: does one job, in one of the threads.
    :param in_order: unset where the order within an edge does not matter, since nothing is written.
    :param max_failures: after so many failures no further job is begun; those that were begun are finished.
    :param stop: set to let no new request start.
    :param report: takes a line about the progress now and then.
    """

    def __init__(
        self,
        jobs: list[Job],
        concurrency: int,
        work: t.Callable[[Job], t.Any],
        stop: threading.Event,
        report: t.Callable[[str], None] = lambda text: None,
        in_order: bool = True,
        max_failures: int | None = None,
    ) -> None:
        self.jobs = jobs
        self.done: list[Done | None] = [None] * len(jobs)
        self._concurrency = max(1, min(concurrency, MOST_CONNECTIONS, len(jobs)))
        self._work = work
        self._stop = stop
        self._report = report
        self._in_order = in_order
        self._max_failures = max_failures
        self._stage_of: dict[int, _Stage] = {}
        # Guards what follows, and the stages. Notified whenever a job has ended: it may have made others ready.
        self._changed = threading.Condition()
        self._running = 0
        self._failures = 0
        self._ready: collections.deque[int] = collections.deque()
        for stage in self._first_stages():
            self._ready.extend(stage.jobs)

    def _first_stages(self) -> list[_Stage]:
        if not self._in_order:
            stage = _Stage(list(range(len(self.jobs))))
            self._stage_of = dict.fromkeys(stage.jobs, stage)
            return [stage]
        edges: dict[tuple[str, str], list[list[int]]] = {}
        for index, job in enumerate(self.jobs):
            stages = edges.setdefault((job.description.kind.option, job.edge_id), [[], [], []])
            if job.wanted is None:
                stages[0].append(index)
            else:
                stages[1 if job.description.goes_first else 2].append(index)
        firsts = []
        for stages in edges.values():
            following = None
            for number, indexes in reversed(list(enumerate(stages))):
                if indexes:
                    following = _Stage(indexes, next=following, is_removal=number == 0)
                    self._stage_of.update((index, following) for index in indexes)
            firsts.append(following)
        return [stage for stage in firsts if stage]

    def run(self) -> list[Done]:
        """Run all the jobs and return what became of each, in their order.

        Whatever interrupts it, no new request starts then, and no thread stays behind: the exception goes on once
        the requests in flight have their answer. `done` holds what was reached.
        """
        started = reported = time.monotonic()
        executor = ThreadPoolExecutor(max_workers=self._concurrency)
        try:
            left = {executor.submit(self._work_through) for dummy in range(self._concurrency)}
            while left:
                finished, left = wait(left, timeout=_TICK, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()  # raises what is not an EdgeError: a fault of ours
                now = time.monotonic()
                if now - started >= _QUIET and now - reported >= _EVERY:
                    reported = now
                    self._report(self.progress())
            executor.shutdown()
        except BaseException:
            to_the_end(lambda: self._end(executor))
            raise
        return self.all_done()

    def _end(self, executor: ThreadPoolExecutor) -> None:
        self._stop.set()
        executor.shutdown()

    def all_done(self) -> list[Done]:
        """Return what became of every job, those included that were never begun."""
        reason = self._why_stopped()
        return [one or Done(job, error=NotTriedError("not tried: " + reason)) for job, one in zip(self.jobs, self.done)]

    def _why_stopped(self) -> str:
        return "max_failures (%s) was reached" % self._max_failures if self._failed_enough() else "the task was stopped"

    def _failed_enough(self) -> bool:
        return self._max_failures is not None and self._failures >= self._max_failures

    def progress(self) -> str:
        done = [one for one in self.done if one is not None]
        failed = sum(one.error is not None for one in done)
        return "%d of %d edge modules done%s" % (len(done), len(self.jobs), ", %d failed" % failed if failed else "")

    def _work_through(self) -> None:
        """Do one job after the other until none is left, or the task is stopped: what each thread does."""
        while True:
            with self._changed:
                # A job that is running may make others ready.
                while not self._ready and self._running and not self._stop.is_set():
                    self._changed.wait()
                if not self._ready or self._stop.is_set() or self._failed_enough():
                    return
                index = self._ready.popleft()
                self._running += 1
            try:
                self._one(index)
            except BaseException:
                self._stop.set()
                raise
            finally:
                with self._changed:
                    self._running -= 1
                    self._finish(index)
                    self._changed.notify_all()

    def _one(self, index: int) -> None:
        """Do one job and note at once what became of it, so that no interruption loses it."""
        job = self.jobs[index]
        try:
            if job.wanted is not None and job.description.goes_first and self._stage_of[index].failed:
                raise NotTriedError("not tried: a removal on the same edge failed")
            self.done[index] = Done(job, self._work(job))
        except EdgeError as exc:
            if getattr(exc, "fatal", False):
                self._stop.set()
            self.done[index] = Done(job, error=exc)

    def _finish(self, index: int) -> None:
        done = self.done[index]
        self._failures += done is not None and done.error is not None and done.tried
        stage = self._stage_of[index]
        stage.left -= 1
        following = stage.next
        if following is None:
            return
        if done is not None and done.error is not None and stage.is_removal:
            following.failed = True
        if stage.left == 0:
            # To the front: an edge that was begun is finished before the next is.
            self._ready.extendleft(reversed(following.jobs))
