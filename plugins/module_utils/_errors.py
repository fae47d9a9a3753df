# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can go wrong, as exceptions. Only the outermost layer turns them into results. Private to this collection.

Messages are one text, whoever raises them, and say in this order: where, what is wrong, what to do.

- Where is the name of an option or variable with the place in it and the ids of the entry (_text.Place), the title of
  an edge module (_jobs.Job.title), or a method and path: the subject of the sentence, or before a colon.
- What to do follows a colon, or is a sentence of its own where the text before it is the service's or a library's.
- A value is quoted as JSON; names, ids, headers and paths are not. Types are called a string, a number, a boolean,
  null, a list and a dict (_text.kind_of).
- No message ends in a full stop. Several in one text are separated by "; ", which stands in none of them, and what is
  the same for several places, edge modules or hosts is said once, with all their names.

The guide "Recovering from failures" explains them; a test compares the two.
"""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import join_faults


class EdgeError(Exception):
    """Any error that this collection reports; its text is the message for the user.

    `result` holds what the failed task returns beside the message.
    """

    def __init__(self, message: str, **result: t.Any) -> None:
        super().__init__(message)
        self.result = result

    @property
    def reason(self) -> str:
        """The text without what only this one request has: equal where several failed for the same reason."""
        return str(self)

    @property
    def data(self) -> dict[str, t.Any]:
        """The error as data, for the result."""
        return error_data(str(self))

    def rewrite(self, function: t.Callable[[str], str]) -> None:
        """Pass the texts of the error through a function."""
        self.args = (function(str(self)),)


class InputError(EdgeError):
    """The options are wrong. Raised before anything is sent; holds every fault found."""

    def __init__(self, faults: t.Iterable[str]) -> None:
        self.faults = list(faults)
        super().__init__(join_faults(self.faults))


class NotTriedError(EdgeError):
    """The task was stopped before this was tried: nothing was sent for it."""


class ApiError(EdgeError):
    """The service refused a request, answered what does not fit, or did not answer.

    `status` is None where there was no answer. `written` is true where a write took effect all the same.
    `fatal` is true where no other request of the task can succeed. `hint` says what to do: it comes last.
    """

    def __init__(
        self,
        message: str,
        method: str,
        path: str,
        status: int | None = None,
        code: str | None = None,
        operation_id: str | None = None,
        written: bool = False,
        fatal: bool = False,
        hint: str = "",
    ) -> None:
        self._hint = ". " + hint if hint else ""
        super().__init__(message + self._hint, changed=written)
        self.method = method
        self.path = path
        self.status = status
        self.code = code
        self.operation_id = operation_id
        self.fatal = fatal

    def rewrite(self, function: t.Callable[[str], str]) -> None:
        self._hint = function(self._hint)
        super().rewrite(function)
        self.code = self.code and function(self.code)
        self.operation_id = self.operation_id and function(self.operation_id)

    def extend(self, text: str, hint: str = "") -> ApiError:
        """Add to the message before what to do, and to that, and return this error."""
        message = str(self)
        if self._hint:
            message = message[: -len(self._hint)]
        self._hint += ". " + hint if hint else ""
        self.args = (message + text + self._hint,)
        return self

    @property
    def reason(self) -> str:
        text = str(self).replace("%s %s" % (self.method, self.path), self.method, 1)
        if self.operation_id:
            operation = "operation " + self.operation_id
            text = text.replace(" (%s)" % operation, "", 1).replace(", " + operation, "", 1)
        return text

    @property
    def data(self) -> dict[str, t.Any]:
        return error_data(str(self), self.method, self.path, self.status, self.code, self.operation_id)


def error_data(
    msg: str,
    method: str | None = None,
    path: str | None = None,
    status: int | None = None,
    code: str | None = None,
    operation_id: str | None = None,
) -> dict[str, t.Any]:
    """Return the `error` of a result: the same keys whatever went wrong."""
    return dict(msg=msg, method=method, path=path, status=status, code=code, operation_id=operation_id)
