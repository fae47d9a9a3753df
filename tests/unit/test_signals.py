# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signals that end a process: the first interrupts, and no other does, whenever it comes."""

from __future__ import annotations

import signal
import sys

import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._signals import raise_once, to_the_end

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers_as_before():
    with harness.signals_as_before():
        yield


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_only_the_first_is_raised(first, second):
    received = []
    expected = {one: signal.getsignal(one) for one in BOTH}
    assert raise_once(received) == expected
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(first)
    signal.raise_signal(second)
    signal.raise_signal(first)
    assert received == [first, second, first]


@pytest.mark.parametrize("line", (1, 2, 3, 4))
def test_a_second_signal_while_the_first_is_handled(line):
    """Python calls the handler within itself then: KeyboardInterrupt is raised all the same."""
    raised, received = [], []

    def at_line(frame, event, arg):
        if event == "line" and frame.f_lineno == frame.f_code.co_firstlineno + line and not raised:
            raised.append(line)
            signal.raise_signal(signal.SIGTERM)
        return at_line

    tracer = sys.gettrace()
    raise_once(received)
    try:
        with pytest.raises(KeyboardInterrupt):
            sys.settrace(lambda frame, event, arg: at_line if frame.f_code.co_name == "interrupt" else None)
            signal.raise_signal(signal.SIGTERM)
    finally:
        sys.settrace(tracer)
    signal.raise_signal(signal.SIGTERM)
    assert raised
    assert len(received) == (2 if line < 3 else 3)  # until it is noted, the second one is the first


class Timeout(BaseException):
    """As Ansible's own: no Exception."""


def test_what_is_interrupted_is_done_again():
    left = [KeyboardInterrupt, Timeout]

    def function():
        if left:
            raise left.pop()
        return "done"

    assert to_the_end(function) == "done"


def test_an_error_is_raised():
    with pytest.raises(ZeroDivisionError):
        to_the_end(lambda: 1 / 0)
