# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two configurations, A and B, of every edge module, for tests that go over all of them."""

from __future__ import annotations

import copy
import json
import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """C(a) and C(b) are options; C(stored_a) and C(stored_b) what the service holds after a PUT of them."""

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
        """Options of a task: the ids, a copy of C(a) or C(b) or whatever is given, and more."""
        return {**self.ids, **copy.deepcopy(which or {}), **more}


TCP_IDS = {"edge_id": "edgtcp_1"}
TLS_IDS = {"edge_id": "edgtls_1"}
ROUTE_IDS = {"edge_id": "edghts_1", "route_id": "edghtsrt_1"}
BACKEND = "/edges/tcp/edgtcp_1/backend"
RESTRICTION = "/edges/tls/edgtls_1/ip_restriction"
TERMINATION = "/edges/tls/edgtls_1/tls_termination"
POLICY = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
HEADERS = "/edges/https/edghts_1/routes/edghtsrt_1/request_headers"

RULE = {
    "name": "café <admin>",
    "expressions": ["req.url.path == '/admin' && req.content_length > 1"],
    "actions": [
        {"type": "custom-response", "config": {"status_code": 403, "headers": {"x": "1"}, "content": "nein"}},
        {"type": "deny", "config": {"status_code": 403}},
    ],
}
POLICY_A = {"outbound": [], "inbound": [RULE]}
POLICY_B = {"inbound": [], "outbound": [{"name": "b", "actions": [{"type": "compress-response", "config": {}}]}]}


def compact(document: t.Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


SAMPLES = (
    Sample(
        "tcp_edge_backend",
        BACKEND,
        TCP_IDS,
        dict(backend_id="bkdtg_1"),
        dict(backend_id="bkdtg_2"),
        dict(enabled=True, backend_id="bkdtg_1"),
        dict(enabled=True, backend_id="bkdtg_2"),
    ),
    Sample(
        "tls_edge_ip_restriction",
        RESTRICTION,
        TLS_IDS,
        dict(ip_policy_ids=["ipp_b", "ipp_a", "ipp_b"]),
        dict(ip_policy_ids=["ipp_c", "ipp_a"]),
        dict(enabled=True, ip_policy_ids=["ipp_b", "ipp_a"]),
        dict(enabled=True, ip_policy_ids=["ipp_c", "ipp_a"]),
    ),
    Sample(
        "tls_edge_ip_restriction",
        RESTRICTION,
        TLS_IDS,
        dict(ip_policy_ids=[]),
        dict(ip_policy_ids=["ipp_a"], enabled=False),
        dict(enabled=True, ip_policy_ids=[]),
        dict(enabled=False, ip_policy_ids=["ipp_a"]),
        title="empty first",
    ),
    Sample(
        "tls_edge_tls_termination",
        TERMINATION,
        TLS_IDS,
        dict(terminate_at="edge", min_version="1.2"),
        dict(terminate_at="edge", min_version="1.3"),
        dict(enabled=True, terminate_at="edge", min_version="1.2"),
        dict(enabled=True, terminate_at="edge", min_version="1.3"),
    ),
    Sample(
        "tls_edge_tls_termination",
        TERMINATION,
        TLS_IDS,
        dict(terminate_at="edge"),
        dict(terminate_at="upstream"),
        dict(enabled=True, terminate_at="edge", min_version=None),
        dict(enabled=True, terminate_at="upstream", min_version=None),
        title="version left to the service",
    ),
    Sample(
        "https_edge_route_traffic_policy",
        POLICY,
        ROUTE_IDS,
        dict(value=POLICY_A),
        dict(value=json.dumps(POLICY_B, indent=1)),
        dict(enabled=True, value=compact(POLICY_A)),
        dict(enabled=True, value=compact(POLICY_B)),
    ),
    Sample(
        "https_edge_route_request_headers",
        HEADERS,
        ROUTE_IDS,
        dict(add={"X-Edge": "Frankfurt", "X-Count": 3}, remove=["X-Old", "X-Debug", "x-debug"]),
        dict(add={"X-Edge": "frankfurt"}, remove=["X-Debug"]),
        dict(enabled=True, add={"X-Edge": "Frankfurt", "X-Count": "3"}, remove=["X-Old", "X-Debug"]),
        dict(enabled=True, add={"X-Edge": "frankfurt"}, remove=["X-Debug"]),
    ),
    Sample(
        "https_edge_route_request_headers",
        HEADERS,
        ROUTE_IDS,
        dict(),
        dict(add={"X-Empty": ""}, remove=["A"], enabled=False),
        dict(enabled=True, add={}, remove=[]),
        dict(enabled=False, add={"X-Empty": ""}, remove=["A"]),
        title="empty first",
    ),
)


def sample_of(module: str) -> Sample:
    """The first sample of a module."""
    return next(one for one in SAMPLES if one.module == module)


def comparable(config: dict[str, t.Any] | None) -> dict[str, t.Any] | None:
    """A configuration as the service answers it, in the form in which equal ones are equal.

    Written on its own, from the comparison table of the documentation, to judge the collection's.
    """
    if config is None:
        return None
    found: dict[str, t.Any] = {"enabled": config.get("enabled") is not False}
    for name, value in config.items():
        if value in (None, [], {}) or name == "enabled":
            continue
        if name == "backend":
            value = value["id"]
        elif name == "ip_policies":
            value = {ref["id"] for ref in value}
        elif name == "value":
            value = json.dumps(json.loads(value), sort_keys=True)
        elif name == "add":
            value = {header.lower(): text for header, text in value.items()}
        elif name == "remove":
            value = {header.lower() for header in value}
        found[name] = value
    return found
