# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module's side, with work that needs no service: what goes in, what comes out, and what ends it early."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import threading
import time
from urllib.parse import quote

import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _module
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._rules.headers import Headers
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK
from ansible_collections.edgeops.edges.plugins.module_utils._work import Work

NAME = "tcp_edge_backend"
KEY = 'a"long/key'
SPEC = dict(
    _argspec.connection_spec(),
    edge_id=dict(type="str", required=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
    add=dict(type="dict"),
    entries=dict(type="list", elements="dict", options=dict(number=dict(type="int"))),
)


@pytest.fixture(autouse=True)
def _handlers_as_before():
    with harness.signals_as_before():
        yield


@pytest.fixture
def door(monkeypatch):
    """door(function, options, check=, diff=): what a module returns whose work the function is.

    The process has to end as the result says.
    """

    def runner(function, options=None, **more):
        work = Work(NAME, SPEC, lambda params: iter(()), function, [("state", "present", ["add"])], {"add": Headers()})
        statuses = []

        def main():
            try:
                _module.run_module(work)
            except SystemExit as exc:
                statuses.append(exc.code)
                raise

        monkeypatch.setattr(_the_module(), "main", main)
        given = dict(edge_id="e", add={}, base_url="http://localhost", api_key=KEY)
        given.update(options or {})
        result = harness.run("module", NAME, given, **more)
        assert statuses == [1 if result.failed else 0]
        return result

    return runner


def _the_module():
    return importlib.import_module("%s.modules.%s" % (harness.PLUGINS, NAME))


def nothing(params, context):
    return dict(changed=False)


def lowest_free_descriptor():
    descriptor = os.dup(0)
    os.close(descriptor)
    return descriptor


# What goes in


def test_the_work_gets_validated_options_and_where_it_runs(door):
    got = []

    def work(params, context):
        got.append((dict(params), context.check_mode, context.diff))
        return dict(changed=False)

    options = dict(state=None, ca_path="", timeout="7", entries=[dict(number="1")])
    result = door(work, options, check=True, diff=False)
    assert not result.failed, result.data
    door(work, check=False, diff=True)
    (params, check_mode, diff), (dummy, *other) = got
    assert (check_mode, diff) == (True, False)
    assert other == [False, True]
    assert params["edge_id"] == "e"
    assert (params["state"], params["ca_path"], params["timeout"]) == ("present", None, 7.0)
    assert params["entries"] == [dict(number=1)]


def test_faults_name_their_places_and_nothing_is_done(door):
    done = []
    options = dict(edge_id=None, add=None, entries=[{}, dict(nubmer=1), 3], surprise=dict(token="hidden-value"))
    result = door(lambda *arguments: done.append(arguments), options, check=True)
    assert result.failed
    assert result.msg == "; ".join(
        [
            "surprise is not supported: use one of %s" % ", ".join(sorted(SPEC)),
            "edge_id is required",
            "entries[1].nubmer is not supported: use one of number",
            "entries[2] must be a dict, not a number",
            "add is required when state is present: set it, or change state",
        ]
    )
    assert done == []
    assert result.invocation["module_args"] == dict(
        base_url="http://localhost",
        api_key=MASK,
        entries=[{}, dict(nubmer=MASK), MASK],
        surprise=MASK,
    )
    assert "hidden-value" not in result.text and KEY not in result.text


def test_faults_of_values_that_ansible_cannot_take(door):
    """Its own validation would crash, or would say less."""
    result = door(nothing, dict(entries=[dict(number=float("inf"))], edge_id=["a"]))
    assert result.failed
    assert result.msg.startswith("edge_id must be a string, not a list; entries[0].number must be a whole number, not ")


# What comes out


def test_the_result(door):
    def work(params, context):
        context.warn("look out")
        return dict(changed=True, config=dict(a=None), operation="replace")

    result = door(work, dict(add={"X-Token": "hidden-value", "X-Edge": "a"}))
    assert (result.failed, result.changed, result.operation) == (False, True, "replace")
    assert result.config == dict(a=None)
    assert result.warnings == ["look out"]
    shown = result.invocation["module_args"]
    assert (shown["api_key"], shown["edge_id"], shown["state"]) == (MASK, "e", "present")
    assert shown["add"] == {"X-Token": MASK, "X-Edge": "a"}
    assert set(shown) == set(SPEC)
    assert "hidden-value" not in result.text


def test_a_failure(door):
    def fail(error):
        def work(params, context):
            raise error

        return door(work)

    result = fail(EdgeError("no", changed=True, results=[1]))
    assert (result.failed, result.msg, result.changed, result.results) == (True, "no", True, [1])
    error = ApiError("no answer", "GET", "/x")
    result = fail(error)
    assert (result.failed, result.msg, result.error) == (True, "no answer", error.data)
    assert result.invocation["module_args"]["edge_id"] == "e"


def test_no_spelling_of_the_key_comes_out(door):
    result = door(lambda params, context: dict(changed=False, quoted=[quote(KEY), "not " + quote(KEY, safe="")]))
    assert result.quoted == [MASK, "not ********"]
    assert KEY not in result.text

    def fail(params, context):
        raise EdgeError("quotes %s" % quote(KEY, safe=""))

    assert door(fail).msg == "quotes ********"


@pytest.fixture
def _tracebacks(monkeypatch):
    """Ask for tracebacks: since ansible-core 2.19 there are none otherwise."""
    try:
        from ansible.module_utils._internal import _traceback
    except ImportError:
        return
    monkeypatch.setattr(_traceback, "_is_traceback_enabled", lambda event: True)


def test_where_requests_is_missing(door, monkeypatch, _tracebacks):
    monkeypatch.setattr(_module, "REQUESTS_IMPORT_ERROR", "the traceback")
    monkeypatch.setattr(_module, "REQUESTS_IMPORT_CAUSE", "AttributeError: no such name")
    result = door(nothing)
    assert result.failed
    assert result.msg.startswith("Failed to import the required Python library (requests) on ")
    assert result.msg.endswith(". The cause: AttributeError: no such name") and ".. The" not in result.msg
    assert result.exception == "the traceback"


def test_a_fault_of_ours_is_not_hidden(door):
    def work(params, context):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        door(work)


# What ends it early


def test_a_signal_stops_the_task(door):
    def work(params, context):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)

    result = door(work)
    assert (result.failed, result.msg) == (True, "The task was stopped")
    assert not result.changed


def test_a_task_that_was_stopped_tells_what_it_did(door):
    def work(params, context):
        context.partial = dict(changed=True, results=[1], msg="The task was stopped: 1 of 2")
        raise KeyboardInterrupt

    result = door(work)
    assert (result.failed, result.msg) == (True, "The task was stopped: 1 of 2")
    assert (result.changed, result.results) == (True, [1])


@contextlib.contextmanager
def _standard_output(descriptor):
    """Have the process write its output elsewhere."""
    kept = os.dup(1)
    os.dup2(descriptor, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@pytest.mark.parametrize("kind", ["pipe", "socket", "socket with input"])
def test_a_reader_that_goes_stops_the_task(door, kind):
    """What arrives on the same connection, as on a terminal, changes nothing about that."""
    if kind == "pipe":
        reader, writer = os.pipe()
    else:
        reader, writer = (one.detach() for one in socket.socketpair())
    if kind == "socket with input":
        os.write(reader, b"typed")

    def work(params, context):
        time.sleep(0.05)
        os.close(reader)
        time.sleep(5)

    with _standard_output(writer):
        started = time.monotonic()
        result = door(work)
    os.close(writer)
    assert (result.failed, result.msg) == (True, "The task was stopped")
    assert time.monotonic() - started < 3


def test_the_watch_ends_with_the_work(door):
    def work(params, context):
        return dict(changed=False, threads=sorted(each.name for each in threading.enumerate()))

    before, free = threading.active_count(), lowest_free_descriptor()
    result = door(work)
    assert not result.failed, result.data
    assert "watch stdout" in result.threads
    assert (threading.active_count(), lowest_free_descriptor()) == (before, free)

    def fail(params, context):
        raise EdgeError("no")

    assert door(fail).msg == "no"
    assert (threading.active_count(), lowest_free_descriptor()) == (before, free)


def test_a_reader_that_stays_is_never_taken_for_gone(door):
    reader, writer = os.pipe()
    with _standard_output(writer):
        result = door(lambda params, context: time.sleep(0.05) or dict(changed=False))
    os.close(writer)
    os.close(reader)
    assert not result.failed, result.data
