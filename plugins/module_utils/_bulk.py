# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many edge modules in one task, side by side. Private to this collection."""

from __future__ import annotations

import collections
import functools
import threading
import time
import typing as t
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._http import MOST_CONNECTIONS
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job

# Seconds after which a task begins to say how far it is, and between two such lines.
_QUIET = 10.0
_EVERY = 5.0
# How often that is looked at.
_TICK = 1.0

# A first thread works alone for a moment. Where it keeps the processor busy all the while, the service answers at once,
# and further threads would only get in its way; otherwise they start then.
_MOMENT = 0.01
_BUSY = 0.75

# As many failures are told in full by the message of a task, and as many more by name.
_IN_FULL = 20
_BY_NAME = 500


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


class Run:
    """Runs jobs, at most C(concurrency) at a time.

    Within an edge the removals come first, then what others depend on, then the rest: a TLS edge that passes TLS
    through refuses most other modules. After an error that no other request can survive, nothing more is tried.

    :param work: does one job, in a thread of its own.
    :param stop: set to let no new request start.
    """

    def __init__(
        self,
        jobs: list[Job],
        concurrency: int,
        work: t.Callable[[Job], t.Any],
        stop: threading.Event,
        say: t.Callable[[str], None] = lambda text: None,
    ) -> None:
        self.jobs = jobs
        self.done: list[Done | None] = [None] * len(jobs)
        self._concurrency = max(1, min(concurrency, MOST_CONNECTIONS, len(jobs)))
        self._work = work
        self._stop = stop
        self._say = say
        self._stage_of: dict[int, _Stage] = {}
        # Guards what follows, and the stages. Notified whenever a job has ended: it may have made others ready.
        self._changed = threading.Condition()
        self._running = 0
        self._ready: collections.deque[int] = collections.deque()
        for stage in self._first_stages():
            self._ready.extend(stage.jobs)

    def _first_stages(self) -> list[_Stage]:
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
        the requests in flight have their answer. C(done) holds what was reached.
        """
        started = told = time.monotonic()
        executor = ThreadPoolExecutor(max_workers=self._concurrency)
        try:
            left = {executor.submit(self._work_off)}
            alone, pause = True, _MOMENT
            while left:
                before = time.monotonic(), time.process_time()
                finished, left = wait(left, timeout=pause, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()  # raises what is no EdgeError: a fault of ours
                now = time.monotonic()
                if left and alone and time.process_time() - before[1] < _BUSY * (now - before[0]):
                    left.update(executor.submit(self._work_off) for dummy in range(self._concurrency - 1))
                    alone = False
                pause = min(2 * pause, _TICK) if alone else _TICK
                if now - started >= _QUIET and now - told >= _EVERY:
                    told = now
                    self._say(self.progress())
        finally:
            self._stop.set()
            executor.shutdown(wait=True)
        return self.all_done()

    def all_done(self) -> list[Done]:
        """Return what became of every job, those included that were never begun."""
        done = [
            one or Done(job, error=NotTriedError("%s was not tried: the task was stopped" % job.title))
            for job, one in zip(self.jobs, self.done)
        ]
        for one in done:
            if one.error is not None:
                # It may quote what another edge module turned out to hold only later.
                one.error.rewrite(functools.partial(one.job.secrets.scrub, short_ones=False))
        return done

    def progress(self) -> str:
        done = [one for one in self.done if one is not None]
        failed = sum(one.error is not None for one in done)
        return "%d of %d edge modules done%s" % (len(done), len(self.jobs), ", %d failed" % failed if failed else "")

    def _work_off(self) -> None:
        """Do one job after the other until none is left, or the task is stopped: what each thread does."""
        while True:
            with self._changed:
                while not self._ready and self._running and not self._stop.is_set():
                    self._changed.wait()
                if not self._ready or self._stop.is_set():
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
                raise NotTriedError("%s was not tried: a removal on the same edge failed" % job.title)
            self.done[index] = Done(job, self._work(job))
        except EdgeError as exc:
            if getattr(exc, "fatal", False):
                self._stop.set()
            self.done[index] = Done(job, error=exc)

    def _finish(self, index: int) -> None:
        done = self.done[index]
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


def make_result(done: list[Done], diff: bool) -> dict[str, t.Any]:
    """Return the result of a task: one entry an edge module, a summary, and in diff mode a diff for each change."""
    results = []
    diffs = []
    for one in done:
        job, outcome, error = one.job, one.outcome, one.error
        result = dict(
            edge_id=job.edge_id,
            route_id=job.route_id,
            module=job.description.name,
            changed=bool(error.result.get("changed")) if error else outcome.changed,
            operation=None if error else outcome.operation,
            config=None if error else outcome.config,
        )
        if error:
            result["error"] = error.data
        elif outcome.changed:
            diffs.append(outcome.diff(job.title))
        results.append(result)
    failed = sum(one.error is not None for one in done)
    changed = sum(bool(one["changed"]) for one in results if "error" not in one)
    summary = dict(total=len(done), changed=changed, unchanged=len(done) - changed - failed, failed=failed)
    made = dict(changed=any(bool(one["changed"]) for one in results), results=results, summary=summary)
    if diff:
        made["diff"] = diffs
    return made


def failure_text(failed: list[Done], total: int) -> str:
    """Return the message of a task in which some edge modules failed.

    The first twenty are named with what went wrong, further ones by name alone: C(results) holds the rest.
    """
    tried = [one for one in failed if one.tried]
    text = "%d of %d edge modules failed" % (len(failed), total)
    if tried:
        text += ": " + "; ".join("%s: %s" % (one.job.title, one.error) for one in tried[:_IN_FULL])
    further = [one.job.title for one in tried[_IN_FULL:]]
    if further:
        text += "; and also %s" % ", ".join(further[:_BY_NAME])
    if len(further) > _BY_NAME:
        text += " and %d more" % (len(further) - _BY_NAME)
    if len(tried) < len(failed):
        text += "; %d not tried" % (len(failed) - len(tried))
    return text
