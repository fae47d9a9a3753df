# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every edge module. The imports are static, since only those travel with a module. Private to this collection."""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._descriptions import (
    https_edge_route_request_headers,
    https_edge_route_traffic_policy,
    tcp_edge_backend,
    tls_edge_ip_restriction,
    tls_edge_tls_termination,
)

DESCRIPTIONS: tuple[Description, ...] = (
    tcp_edge_backend.DESCRIPTION,
    tls_edge_ip_restriction.DESCRIPTION,
    tls_edge_tls_termination.DESCRIPTION,
    https_edge_route_traffic_policy.DESCRIPTION,
    https_edge_route_request_headers.DESCRIPTION,
)
