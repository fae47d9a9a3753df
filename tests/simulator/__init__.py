# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator of the edge API: real HTTP, checked against the OpenAPI description, with faults to order."""

from __future__ import annotations

from .simulator import Simulator

__all__ = ["Simulator"]
