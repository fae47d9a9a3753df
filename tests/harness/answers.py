# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers as urllib3 gives them, made by hand: for what no server can be brought to send, or not quickly."""

from __future__ import annotations

import io

import urllib3


def answer(status: int, content: bytes = b"", headers: dict[str, str] | None = None) -> urllib3.HTTPResponse:
    return urllib3.HTTPResponse(
        io.BytesIO(content), headers, status, preload_content=False, enforce_content_length=False
    )
