# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The backend module of a TCP edge. Private to this collection.

Source: edge-api.md, section 2, TCP Edge Backend Module, and section 4.1 for the path.
"""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._description import TCP, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Reference

DESCRIPTION = Description(
    name="tcp_edge_backend",
    entry="backend",
    kind=TCP,
    path="/edges/tcp/{edge_id}/backend",
    own_fields=(
        Field(
            "backend_id",
            Reference("backends/tunnel_group", "bkdtg_"),
            dict(type="str"),
            required=True,
            answered_as="backend",
        ),
    ),
)
