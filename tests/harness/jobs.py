# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs for a scheduler, and work that needs no service."""

from __future__ import annotations

import threading
import time

from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Scheduler

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}


def job(entry, edge, absent=False):
    return Job(BY_ENTRY[entry], edge, None, None if absent else {"enabled": True})


def api_error(**more):
    return ApiError("PUT /x answered 500", "PUT", "/x", 500, **more)


class Work:
    """Notes what runs; `fails` names the jobs that end with an error, by entry and edge."""

    def __init__(self, fails=(), seconds=0.0, together=1):
        self.begun, self.running, self.most = [], 0, 0
        self._fails, self._seconds = dict(fails), seconds
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(together, timeout=5)

    def __call__(self, one):
        key = (one.description.entry, one.edge_id)
        with self._lock:
            self.begun.append(key)
            self.running += 1
            self.most = max(self.most, self.running)
        self._barrier.wait()
        time.sleep(self._seconds)
        with self._lock:
            self.running -= 1
        if key in self._fails:
            raise self._fails[key]
        return key


def finish(run):
    """Return what a run returns, or raise what it raises; one that hangs fails the test, and no more than that."""
    outcomes = []

    def target():
        try:
            outcomes.append((run.run(), None))
        except BaseException as exc:
            outcomes.append((None, exc))

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join(10)
    if not outcomes:
        run._stop.set()
        with run._changed:
            run._changed.notify_all()
        raise AssertionError("the run hangs")
    ((done, exc),) = outcomes
    if exc is not None:
        raise exc
    return done


def go(jobs, work, concurrency=1, stop=None):
    return finish(Scheduler(jobs, concurrency, work, stop or threading.Event()))
