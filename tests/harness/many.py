# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of edge_modules for tests: any number of edges, and samples of single modules as entries."""

from __future__ import annotations

import copy
import typing as t

from .samples import Sample

# Where the options of each module stand in edge_modules.
PLACES = {
    "tcp_edge_backend": ("tcp_edges", "backend"),
    "tls_edge_ip_restriction": ("tls_edges", "ip_restriction"),
    "tls_edge_tls_termination": ("tls_edges", "tls_termination"),
    "https_edge_route_traffic_policy": ("https_edges", "traffic_policy"),
    "https_edge_route_request_headers": ("https_edges", "request_headers"),
}


def many(groups: int, mark: str = "a") -> dict[str, t.Any]:
    """Options with five edge modules a group: a TCP edge, a TLS edge, and an HTTPS edge with one route."""
    return dict(
        tcp_edges=[dict(id="edgtcp_%d" % n, backend=dict(backend_id="bkdtg_%s%d" % (mark, n))) for n in range(groups)],
        tls_edges=[
            dict(
                id="edgtls_%d" % n,
                ip_restriction=dict(ip_policy_ids=["ipp_%s%d" % (mark, n)]),
                tls_termination=dict(terminate_at="edge", min_version="1.%d" % (2 if mark == "a" else 3)),
            )
            for n in range(groups)
        ],
        https_edges=[
            dict(
                id="edghts_%d" % n,
                routes=[
                    dict(
                        id="edghtsrt_%d" % n,
                        traffic_policy=dict(
                            value=dict(inbound=[dict(name=mark, actions=[dict(type="deny", config={})])])
                        ),
                        request_headers=dict(add={"X-Edge": "%s%d" % (mark, n)}, remove=["X-Debug"]),
                    )
                ],
            )
            for n in range(groups)
        ],
    )


def ids_of(options: dict[str, t.Any]) -> dict[str, t.Any]:
    """The options of edge_modules_info that read what options of edge_modules name."""
    return dict(
        tcp_edges=[edge["id"] for edge in options.get("tcp_edges", ())],
        tls_edges=[edge["id"] for edge in options.get("tls_edges", ())],
        https_edges=[
            dict(id=edge["id"], routes=[route["id"] for route in edge["routes"]])
            for edge in options.get("https_edges", ())
        ],
    )


def as_entry(sample: Sample, options: dict[str, t.Any]) -> dict[str, t.Any]:
    """The options of a single module, without its ids, as those of edge_modules."""
    option, entry = PLACES[sample.module]
    edge: dict[str, t.Any] = {entry: copy.deepcopy(options)}
    if "route_id" in sample.ids:
        edge = dict(routes=[dict(id=sample.ids["route_id"], **edge)])
    return {option: [dict(id=sample.ids["edge_id"], **edge)]}
