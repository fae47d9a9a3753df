# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two configurations, A and B, of every edge module in tests/facts.py, for tests that go over all of them."""

from __future__ import annotations

import copy
import typing as t
from dataclasses import dataclass

import facts


@dataclass(frozen=True)
class Sample:
    """A sample of tests/facts.py with the module, the path and the ids that it belongs to."""

    module: str
    path: str
    ids: dict[str, str]
    a: dict[str, t.Any]
    b: dict[str, t.Any]
    stored_a: dict[str, t.Any]
    stored_b: dict[str, t.Any]
    title: str = ""

    @property
    def id(self) -> str:
        return " ".join(filter(None, (self.module, self.title)))

    def options(self, which: dict[str, t.Any] | None = None, **more: t.Any) -> dict[str, t.Any]:
        """Options of a task: the ids, a copy of `a` or `b` or whatever is given, and more."""
        return {**self.ids, **copy.deepcopy(which or {}), **more}


SAMPLES = tuple(
    Sample(name, module.path_of(module.ids()), module.ids(), one.a, one.b, one.stored_a, one.stored_b, one.title)
    for name, module in facts.MODULES.items()
    for one in module.samples
)
# The first sample of each module.
FIRST = {sample.module: sample for sample in reversed(SAMPLES)}


def sample_of(module: str) -> Sample:
    """The first sample of a module."""
    facts.of(module)
    return FIRST[module]


BACKEND = sample_of("tcp_edge_backend").path
RESTRICTION = sample_of("tls_edge_ip_restriction").path
TERMINATION = sample_of("tls_edge_tls_termination").path
POLICY = sample_of("https_edge_route_traffic_policy").path
HEADERS = sample_of("https_edge_route_request_headers").path
TCP_IDS = sample_of("tcp_edge_backend").ids
TLS_IDS = sample_of("tls_edge_ip_restriction").ids
ROUTE_IDS = sample_of("https_edge_route_traffic_policy").ids
