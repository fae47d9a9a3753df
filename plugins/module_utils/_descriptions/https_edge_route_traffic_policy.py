# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The traffic policy module of an HTTPS edge route. Private to this collection.

Source: edge-api.md, section 2, HTTPS Edge Route Traffic Policy Module, and section 4.1 for the path.
"""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._description import HTTPS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.policy import Policy

DESCRIPTION = Description(
    name="https_edge_route_traffic_policy",
    entry="traffic_policy",
    kind=HTTPS,
    path="/edges/https/{edge_id}/routes/{route_id}/traffic_policy",
    own_fields=(Field("value", Policy(), dict(type="raw", aliases=["policy"]), required=True),),
)
