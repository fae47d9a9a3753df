# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of a request."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass
class Record:
    """One request, in the log from its arrival; status and end are there when it is answered."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Any
    connection: int
    time: float
    status: int | None = None  # None as well where the connection was ended without an answer
    end: float | None = None
    fault: str | None = None  # the kind of fault that hit it
