# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many jobs side by side: their order, what stops them, and what is said; with work that needs no service."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Scheduler
from harness.jobs import Work, api_error, finish, go, job


def test_order_within_an_edge():
    """Removals, then the termination, then the rest; an edge that was begun is finished first."""
    jobs = [
        job("ip_restriction", "a"),
        job("tls_termination", "a"),
        job("ip_restriction", "b", absent=True),
        job("tls_termination", "b"),
        job("backend", "a"),
    ]
    work = Work()
    done = go(jobs, work)
    assert work.begun == [
        ("tls_termination", "a"),
        ("ip_restriction", "a"),
        ("ip_restriction", "b"),
        ("tls_termination", "b"),
        ("backend", "a"),
    ]
    assert [one.job for one in done] == jobs
    assert [one.outcome for one in done] == [(one.description.entry, one.edge_id) for one in jobs]
    assert all(one.error is None and one.tried for one in done)


def test_a_stage_waits_for_all_of_the_one_before():
    jobs = [
        job("tls_termination", "a"),
        job("ip_restriction", "a", absent=True),
        job("backend", "a", absent=True),  # of another kind: another edge
        job("request_headers", "h", absent=True),
        job("traffic_policy", "h", absent=True),
        job("request_headers", "h"),
        job("traffic_policy", "h"),
    ]
    work = Work(seconds=0.02)
    go(jobs, work, concurrency=2)
    assert work.begun.index(("tls_termination", "a")) > work.begun.index(("ip_restriction", "a"))
    assert set(work.begun[-2:]) == {("request_headers", "h"), ("traffic_policy", "h")}
    assert work.most == 2


def test_where_a_removal_failed_the_termination_is_not_tried_and_the_rest_is():
    jobs = [
        job("ip_restriction", "a", absent=True),
        job("tls_termination", "a"),
        job("ip_restriction", "a"),
        job("tls_termination", "b"),
    ]
    work = Work({("ip_restriction", "a"): api_error()})
    removal, termination, restriction, other = go(jobs, work)
    assert isinstance(removal.error, ApiError) and removal.tried
    assert isinstance(termination.error, NotTriedError) and not termination.tried
    assert str(termination.error) == "not tried: a removal on the same edge failed"
    assert isinstance(restriction.error, ApiError)
    assert other.error is None
    assert ("tls_termination", "a") not in work.begun


def test_where_the_termination_failed_the_rest_is_tried():
    jobs = [job("tls_termination", "a"), job("ip_restriction", "a")]
    termination, restriction = go(jobs, Work({("tls_termination", "a"): api_error()}))
    assert termination.error is not None and restriction.error is None


@pytest.mark.parametrize("fatal", [True, False])
def test_an_error_that_no_other_request_survives_stops_the_task(fatal):
    jobs = [job("backend", name) for name in "abc"]
    stop = threading.Event()
    done = go(jobs, Work({("backend", "a"): api_error(fatal=fatal)}), stop=stop)
    assert [one.job for one in done] == jobs
    first, second, third = done
    assert first.tried and first.error is not None
    for one in (second, third):
        assert (one.error is None) is not fatal
        if fatal:
            assert not one.tried and str(one.error) == "not tried: the task was stopped"
    assert stop.is_set() is fatal


def test_concurrency():
    jobs = [job("backend", str(number)) for number in range(12)]
    for concurrency, most in ((1, 1), (3, 3), (100, 12), (0, 1), (-1, 1)):
        work = Work(together=most)
        assert len(go(jobs, work, concurrency)) == 12
        assert work.most == most
    assert go([], Work()) == []


def test_a_thread_that_finds_nothing_waits_for_what_comes():
    """While an edge's only removal runs nothing else is ready; what it makes ready runs side by side again."""
    together = threading.Barrier(2, timeout=3)

    def work(one):
        if one.wanted is None:
            time.sleep(0.05)
        else:
            together.wait()

    jobs = [job("request_headers", "h", absent=True), job("request_headers", "h"), job("traffic_policy", "h")]
    assert all(one.error is None for one in go(jobs, work, 2))


def test_never_more_than_the_most_connections(monkeypatch):
    monkeypatch.setattr(_scheduler, "MOST_CONNECTIONS", 2)
    work = Work(together=2)
    go([job("backend", str(number)) for number in range(6)], work, 5)
    assert work.most == 2


def test_an_interruption_keeps_what_was_done():
    jobs = [job("backend", name) for name in "abc"]

    def work(one):
        if one.edge_id == "b":
            raise KeyboardInterrupt
        return one.edge_id

    stop = threading.Event()
    run = Scheduler(jobs, 1, work, stop)
    with pytest.raises(KeyboardInterrupt):
        finish(run)
    first, second, third = run.all_done()
    assert [one.job for one in run.all_done()] == jobs
    assert (first.outcome, first.error, stop.is_set()) == ("a", None, True)
    for one in (second, third):
        assert isinstance(one.error, NotTriedError)
        assert str(one.error) == "not tried: the task was stopped"


def test_an_interruption_waits_for_what_is_in_flight():
    begun, ended = threading.Event(), []

    def work(one):
        if one.edge_id == "a":
            begun.wait(20)
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.2)
        ended.append(one.edge_id)

    with pytest.raises(KeyboardInterrupt):
        finish(Scheduler([job("backend", "b"), job("backend", "a")], 2, work, threading.Event()))
    assert ended == ["b"]


def test_a_second_interruption_waits_as_well(monkeypatch):
    """A timeout and a signal: neither leaves a thread behind, and the first one goes on."""
    begun, ended = threading.Event(), []

    def work(one):
        begun.set()
        time.sleep(0.3)
        ended.append(one.edge_id)

    class Second(BaseException):
        pass

    class Executor(ThreadPoolExecutor):
        interrupted = False

        def shutdown(self, *args, **kwargs):
            if not Executor.interrupted:
                Executor.interrupted = True
                raise Second
            super().shutdown(*args, **kwargs)

    def interrupted(*args, **kwargs):
        begun.wait(20)
        raise KeyboardInterrupt

    monkeypatch.setattr(_scheduler, "ThreadPoolExecutor", Executor)
    monkeypatch.setattr(_scheduler, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        finish(Scheduler([job("backend", name) for name in "ab"], 1, work, threading.Event()))
    assert Executor.interrupted
    assert ended == ["a"]


def test_a_slow_request_holds_up_no_other():
    ended, others = [], threading.Event()

    def work(one):
        if one.edge_id == "slow":
            others.wait(20)
        ended.append(one.edge_id)
        if one.edge_id == "d":
            others.set()

    started = time.monotonic()
    go([job("backend", name) for name in ("slow", "a", "b", "c", "d")], work, 2)
    assert ended == ["a", "b", "c", "d", "slow"]
    assert time.monotonic() - started < 3


def test_progress_is_said_while_a_request_takes_long(monkeypatch):
    monkeypatch.setattr(_scheduler, "_QUIET", 0)
    monkeypatch.setattr(_scheduler, "_EVERY", 0)
    monkeypatch.setattr(_scheduler, "_TICK", 0.02)
    said, heard = [], threading.Event()

    def say(text):
        said.append(text)
        heard.set()

    finish(Scheduler([job("backend", "a")], 1, lambda one: heard.wait(4), threading.Event(), say))
    assert said[0] == "0 of 1 edge modules done"


def test_progress_is_said_after_a_while(monkeypatch):
    monkeypatch.setattr(_scheduler, "_QUIET", 0.05)
    monkeypatch.setattr(_scheduler, "_EVERY", 0.05)
    monkeypatch.setattr(_scheduler, "_TICK", 0.02)
    said = []
    jobs = [job("backend", str(number)) for number in range(8)]
    work = Work({("backend", "0"): api_error()}, seconds=0.04)
    finish(Scheduler(jobs, 1, work, threading.Event(), said.append))
    assert 2 <= len(said) <= 8
    assert said[-1].endswith(" of 8 edge modules done, 1 failed")
    run = Scheduler(jobs, 1, Work(), threading.Event(), said.append)
    assert run.progress() == "0 of 8 edge modules done"
    said.clear()
    monkeypatch.setattr(_scheduler, "_EVERY", 100)
    finish(Scheduler(jobs, 1, Work(seconds=0.02), threading.Event(), said.append))
    assert said == []
    monkeypatch.setattr(_scheduler, "_EVERY", 0)
    monkeypatch.setattr(_scheduler, "_QUIET", 100)
    finish(Scheduler(jobs, 1, Work(seconds=0.02), threading.Event(), said.append))
    assert said == []


def test_nothing_is_said_before_ten_seconds():
    assert (_scheduler._QUIET, _scheduler._EVERY, _scheduler._TICK) == (10, 5, 1)
    finish(Scheduler([job("backend", "a")], 1, Work(), threading.Event()))


@pytest.mark.parametrize("most, begun", [(1, 1), (2, 2), (9, 6)])
def test_after_so_many_failures_nothing_more_is_begun(most, begun):
    jobs = [job("backend", name) for name in "abcdef"]
    work = Work({("backend", name): api_error() for name in "abcdef"})
    stop = threading.Event()
    done = finish(Scheduler(jobs, 1, work, stop, max_failures=most))
    assert len(work.begun) == begun
    assert [one.tried for one in done] == [index < begun for index in range(6)]
    if begun < 6:
        assert str(done[-1].error) == "not tried: max_failures (%d) was reached" % most
    assert not stop.is_set()  # requests in flight may still be tried again


def test_what_was_begun_is_finished_after_the_last_failure_that_is_allowed():
    jobs = [job("backend", name) for name in "abcdef"]
    b_begun = threading.Event()
    begun = []

    def work(one):
        begun.append(one.edge_id)
        if one.edge_id == "a":
            assert b_begun.wait(5)
            raise api_error()
        b_begun.set()
        time.sleep(0.1)
        return one.edge_id

    done = finish(Scheduler(jobs, 2, work, threading.Event(), max_failures=1))
    assert sorted(begun) == ["a", "b"]
    assert done[1].outcome == "b"


def test_order_decides_nothing_where_nothing_is_written():
    jobs = [job("ip_restriction", "a"), job("tls_termination", "a"), job("ip_restriction", "b", absent=True)]
    work = Work()
    finish(Scheduler(jobs, 1, work, threading.Event(), in_order=False))
    assert work.begun == [("ip_restriction", "a"), ("tls_termination", "a"), ("ip_restriction", "b")]
