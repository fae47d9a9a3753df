# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signals that stop a task, which can still say what was written. Private to this collection.

A process is often told to end several times: Ansible signals a worker and all that it started, and the module sees
its reader go as well. Only the first interrupts the work; the next ones would cut short how it ends.
"""

from __future__ import annotations

import signal
import typing as t

ENDING = (signal.SIGINT, signal.SIGTERM)

_T = t.TypeVar("_T")


def raise_once(received: list[int]) -> dict[int, t.Any]:
    """Let the signals that end a process raise KeyboardInterrupt from now on, but no more than once.

    :param received: takes the numbers of the signals that come.
    :return: what was done with each signal before.
    """

    def interrupt(signum: int, frame: t.Any) -> None:
        is_first = not received  # asked before it is noted: the next signal may come in between
        received.append(signum)
        if is_first:
            raise KeyboardInterrupt

    return {signum: signal.signal(signum, interrupt) or signal.SIG_DFL for signum in ENDING}


def to_the_end(function: t.Callable[[], _T]) -> _T:
    """Call what may be called again until it has ended: a timeout and a signal may both interrupt a task."""
    while True:
        try:
            return function()
        except Exception:
            raise
        except BaseException:  # pylint: disable=broad-exception-caught
            continue
