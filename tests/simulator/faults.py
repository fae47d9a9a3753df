# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults to order: rules that say which requests are answered wrongly, and how."""

from __future__ import annotations

import dataclasses
import fnmatch
from typing import Any

KINDS = {
    "status": "the given status, with an error body unless `body` is given",
    "reset_before": "the connection is reset before anything is done",
    "reset_after": "the write takes effect, then the connection is reset without an answer",
    "close_before": "the connection is closed in order, before anything is done",
    "close_after": "the write takes effect, then the connection is closed without an answer",
    "hang": "no answer for `seconds`, then the connection is closed; nothing is done",
    "hang_after": "the write takes effect, then as `hang`",
    "truncated": "the write takes effect, half the body arrives, then the connection is closed",
    "html": "200 with an HTML page; nothing is done",
    "redirect": "a redirect (302 unless `status` is given) to `location`; nothing is done",
    "slow": "the write takes effect, the answer arrives in pieces over `seconds`",
    "list": "200 with a JSON list; nothing is done",
    "replace_body": "the write takes effect, and `body` is the answer, with 200",
}


@dataclasses.dataclass
class Fault:
    """One rule."""

    kind: str = "status"
    method: str | None = None
    path: str | None = None  # an exact path or a glob, without base_path
    times: int | None = None  # how many requests it hits; None: every one
    after: int = 0  # how many matching requests pass before the first that it hits
    status: int | None = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    body: Any = None  # text as it is, anything else as JSON
    content_type: str | None = None
    location: str = "https://elsewhere.example/"
    seconds: float | None = None
    applied: bool = False  # kind "status": whether the write takes effect all the same

    seen: int = 0
    hits: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"there is no kind of fault {self.kind!r}; there are {', '.join(KINDS)}")
        if self.kind == "status" and self.status is None:
            raise ValueError("a fault needs a kind or a status")

    def takes(self, method: str, path: str) -> bool:
        """Whether this request is hit; counts it."""
        if self.method not in (None, method) or not fnmatch.fnmatchcase(path, self.path or "*"):
            return False
        self.seen += 1
        if self.seen <= self.after or (self.times is not None and self.hits >= self.times):
            return False
        self.hits += 1
        return True

    @property
    def writes(self) -> bool:
        """Whether the request is carried out before the fault shows."""
        return self.applied or self.kind in (
            "reset_after",
            "close_after",
            "hang_after",
            "truncated",
            "slow",
            "replace_body",
        )
