# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What edge_modules returns and says: results, counts, and messages that tell each reason once."""

from __future__ import annotations

import threading

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _registry, _results, _scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, EdgeError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import Outcome
from ansible_collections.edgeops.edges.plugins.module_utils._results import failure_text, make_result, written_text
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Done, Scheduler
from harness.jobs import BY_ENTRY, api_error, go, job

CONFIG = {"enabled": True}


def outcome(operation="replace"):
    before = None if operation == "replace" else CONFIG
    after = None if operation == "delete" else CONFIG
    return Outcome(operation, after, before, after)


def result_of(done, **context):
    return make_result(done, context.get("diff", False), context.get("check_mode", False))


def test_the_result():
    one, two, three, four = (job("backend", name) for name in "abcd")
    one.name = "shop"
    route = Job(BY_ENTRY["request_headers"], "e", "r", None, name="page")
    done = [
        Done(one, outcome()),
        Done(two, outcome("none")),
        Done(three, error=api_error(code="C", operation_id="O")),
        Done(four, error=api_error(written=True)),
        Done(route, outcome("delete")),
    ]
    result = result_of(done, diff=True)
    assert result["changed"] is True
    assert result["summary"] == dict(total=5, changed=2, removed=1, unchanged=1, failed=2)
    assert result["msg"] == "2 changed, 1 unchanged, 2 failed"
    first, second, third, fourth, last = result["results"]
    assert first == dict(
        edge_id="a",
        route_id=None,
        name="shop",
        module="tcp_edge_backend",
        changed=True,
        operation="replace",
        config=CONFIG,
        before=None,
        after=CONFIG,
    )
    assert (second["changed"], second["operation"], second["name"]) == (False, "none", None)
    assert (third["changed"], third["operation"], third["config"]) == (False, None, None)
    assert third["error"] == dict(
        msg="PUT /x answered 500", method="PUT", path="/x", status=500, code="C", operation_id="O"
    )
    assert fourth["changed"] is True
    assert (last["route_id"], last["module"], last["name"]) == ("r", "https_edge_route_request_headers", "page")
    assert (last["before"], last["after"], last["config"]) == (CONFIG, None, None)
    for other in (second, third, fourth):
        assert not {"before", "after"} & set(other), "only what changed has two sides"
    assert [each["before_header"] for each in result["diff"]] == [
        "tcp_edge_backend a (shop)",
        "https_edge_route_request_headers e r (page)",
    ]
    assert "diff" not in result_of(done)
    assert result_of(done[1:3])["changed"] is False
    assert result_of(done[3:4])["changed"] is True


@pytest.mark.parametrize("check_mode", [False, True])
def test_the_result_says_whether_it_was_a_dry_run(check_mode):
    assert result_of([], diff=True, check_mode=check_mode) == dict(
        changed=False,
        msg="0 changed, 0 unchanged, 0 failed",
        dry_run=check_mode,
        results=[],
        summary=dict(total=0, changed=0, removed=0, unchanged=0, failed=0),
        diff=[],
    )


def test_an_error_quotes_no_secret_that_became_known_later():
    first, second = job("backend", "a"), job("backend", "b")
    second.secret_values = first.secret_values

    def work(one):
        if one is first:
            raise EdgeError("quotes later-secret and 1")
        first.secret_values.add(["later-secret", "1"])

    done = go([first], work)
    go([second], work)
    assert str(done[0].error) == "quotes later-secret and 1"
    result = result_of(done)
    assert result["results"][0]["error"]["msg"] == "quotes ******** and 1"
    assert failure_text(done) == "tcp_edge_backend a: quotes ******** and 1"


def failed(names, *reasons):
    return [Done(job("backend", name), error=EdgeError(reason)) for name, reason in zip(names, reasons * len(names))]


def test_the_message_of_a_failure():
    not_tried = Done(job("backend", "c"), error=NotTriedError("not tried: later"))
    assert failure_text(failed("ab", "no a", "no b")) == "tcp_edge_backend a: no a; tcp_edge_backend b: no b"
    assert failure_text([*failed("a", "no a"), not_tried, Done(job("backend", "d"), outcome())]) == (
        "tcp_edge_backend a: no a; 1 not tried"
    )
    assert failure_text([not_tried]) == "1 not tried"
    assert failure_text([Done(job("backend", "d"), outcome())]) == ""


def test_failures_with_the_same_reason_are_told_together():
    """Apart from what only one request has: its path, and the id of its operation."""

    def refused(name, method="PUT", status=403, operation_id="O-1", text="no"):
        path = "/edges/tcp/%s/backend" % name
        message = "%s %s answered %d: %s (code C, operation %s)" % (method, path, status, text, operation_id)
        return Done(job("backend", name), error=ApiError(message, method, path, status, "C", operation_id))

    done = [refused("a"), refused("b", method="GET"), refused("c", operation_id="O-3"), refused("d", text="gone")]
    done[2].job.name = "shop"
    assert failure_text(done) == (
        "tcp_edge_backend a, tcp_edge_backend c (shop): PUT answered 403: no (code C); "
        "tcp_edge_backend b: GET /edges/tcp/b/backend answered 403: no (code C, operation O-1); "
        "tcp_edge_backend d: PUT /edges/tcp/d/backend answered 403: gone (code C, operation O-1)"
    )


def test_beyond_many_failures_are_counted(monkeypatch):
    monkeypatch.setattr(_results, "_REASONS", 2)
    monkeypatch.setattr(_results, "_NAMES", 2)
    title = "tcp_edge_backend "
    assert failure_text(failed("ab", "x")) == title + "a, " + title + "b: x"
    assert failure_text(failed("abcd", "x")) == title + "a, " + title + "b and 2 more: x"
    assert failure_text(failed("abcd", "1", "2", "3", "4")) == (
        title + "a: 1; " + title + "b: 2; and also " + title + "c, " + title + "d"
    )
    assert failure_text(failed("abcdef", *"123456")).endswith("; and also %sc, %sd and 2 more" % (title, title))


def test_how_much_a_message_tells():
    assert (_results._REASONS, _results._NAMES) == (20, 500)


def test_a_flood_of_failures_is_counted():
    """A message has to stay one that can be read: beyond 520 the results alone name them."""
    description = _registry.DESCRIPTIONS[0]
    jobs = [Job(description, "edgtcp_%d" % one, None) for one in range(600)]
    text = _results.failure_text([_scheduler.Done(job, error=EdgeError("no %s" % job.edge_id)) for job in jobs])
    assert text.startswith("tcp_edge_backend edgtcp_0: no edgtcp_0; tcp_edge_backend edgtcp_1: no edgtcp_1; ")
    assert text.endswith("tcp_edge_backend edgtcp_519 and 80 more")
    text = _results.failure_text([_scheduler.Done(job, error=EdgeError("no")) for job in jobs])
    assert text.startswith("tcp_edge_backend edgtcp_0, tcp_edge_backend edgtcp_1, ")
    assert text.endswith(", tcp_edge_backend edgtcp_499 and 100 more: no")


@pytest.mark.parametrize(
    "number, text",
    [
        (0, "nothing was written before"),
        (1, "1 of 26 edge modules were written before: tcp_edge_backend 0"),
        (2, "2 of 26 edge modules were written before: tcp_edge_backend 0, tcp_edge_backend 1"),
    ],
)
def test_what_was_written_before(number, text):
    assert written_text(stopped(number).all_done(), 26) == text


def stopped(number):
    """A run that was stopped when it had written so many of its edge modules, and tried some others."""
    description = _registry.DESCRIPTIONS[0]
    jobs = [Job(description, str(index), None, {}) for index in range(number + 4)]
    jobs += [Job(description, "more", None, {})] * (26 - len(jobs))
    run = Scheduler(jobs, 1, str, threading.Event())
    run.done[:number] = [Done(job, Outcome("replace", None, None, None)) for job in jobs[:number]]
    run.done[number] = Done(jobs[number], error=EdgeError("failed"))
    run.done[number + 1] = Done(jobs[number + 1], Outcome("none", None, None, None))
    return run


@pytest.mark.parametrize("number, more", [(20, ""), (21, " and 1 more"), (22, " and 2 more")])
def test_beyond_twenty_the_written_are_counted(number, more):
    names = ", ".join("tcp_edge_backend %d" % index for index in range(20))
    text = "%d of 26 edge modules were written before: %s%s" % (number, names, more)
    assert written_text(stopped(number).all_done(), 26) == text
