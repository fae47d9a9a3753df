# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can go wrong, as exceptions. Only the outermost layer turns them into results. Private to this collection."""

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
    `fatal` is true where no other request of the task can succeed.
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
    ) -> None:
        super().__init__(message, changed=written)
        self.method = method
        self.path = path
        self.status = status
        self.code = code
        self.operation_id = operation_id
        self.fatal = fatal

    def rewrite(self, function: t.Callable[[str], str]) -> None:
        super().rewrite(function)
        self.code = self.code and function(self.code)
        self.operation_id = self.operation_id and function(self.operation_id)

    def extend(self, text: str) -> ApiError:
        """Add to the message, and return this error."""
        self.args = (str(self) + text,)
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
