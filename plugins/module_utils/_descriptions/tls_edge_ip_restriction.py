# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IP restriction module of a TLS edge. Private to this collection.

Source: edge-api.md, section 2, TLS Edge IP Restriction Module, and section 4.1 for the path.
"""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._description import TLS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import References

DESCRIPTION = Description(
    name="tls_edge_ip_restriction",
    entry="ip_restriction",
    kind=TLS,
    path="/edges/tls/{edge_id}/ip_restriction",
    own_fields=(
        Field(
            "ip_policy_ids",
            References("ip_policies", "ipp_"),
            dict(type="list", elements="str"),
            required=True,
            answered_as="ip_policies",
        ),
    ),
)
