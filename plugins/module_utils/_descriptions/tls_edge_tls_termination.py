# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The TLS termination module of a TLS edge. Private to this collection.

Source: edge-api.md, section 2, TLS Edge TLS Termination Module, and section 4.1 for the path.
"""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._description import TLS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import DottedNumber, Rule

DESCRIPTION = Description(
    name="tls_edge_tls_termination",
    entry="tls_termination",
    kind=TLS,
    path="/edges/tls/{edge_id}/tls_termination",
    goes_first=True,
    own_fields=(
        Field("terminate_at", Rule(), dict(type="str", choices=["edge", "upstream"]), required=True),
        Field("min_version", DottedNumber(), dict(type="str"), null_where=("terminate_at", "upstream")),
    ),
)
