# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request headers module of an HTTPS edge route. Private to this collection.

Source: edge-api.md, section 2, HTTPS Edge Route Request Headers Module, and section 4.1 for the path.
"""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._description import HTTPS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.headers import HeaderNames, Headers
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten


def _added_and_removed(values: dict[str, t.Any]) -> t.Iterator[tuple[str, str]]:
    removed = {name.lower() for name in values.get("remove") or ()}
    for name in values.get("add") or ():
        if name.lower() in removed:
            yield "add", "names %s, and so does remove" % shorten(name, 80)


DESCRIPTION = Description(
    name="https_edge_route_request_headers",
    entry="request_headers",
    kind=HTTPS,
    path="/edges/https/{edge_id}/routes/{route_id}/request_headers",
    own_fields=(
        Field("add", Headers(), dict(type="dict")),
        Field("remove", HeaderNames(), dict(type="list", elements="str")),
    ),
    conflicts=_added_and_removed,
)
