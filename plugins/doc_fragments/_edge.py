# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  edge_id:
    description:
      - The id of the edge.
      - Ids are opaque. Only one with the prefix of another kind of resource is refused, since the service would answer
        that there is no such edge, and V(absent) would look done.
    type: str
    required: true
  state:
    description:
      - V(present) sets the configuration of the edge module where it differs from what is asked for.
      - V(absent) removes it. The edge module's own options are ignored then.
      - To switch it off and keep its configuration, use V(present) with O(enabled=false).
    type: str
    choices:
      - present
      - absent
    default: present
  enabled:
    description:
      - Whether the edge module is applied to traffic. Left out it is V(true), as the service has it; the current value
        is not kept.
    type: bool
    default: true
notes:
  - A task reads the configuration first and sends it only where it differs. What counts as a difference is told in the
    description of each option.
  - An option that is left out, or null, keeps the value that the service holds. Where nothing is set yet it is empty.
  - In check mode nothing is sent but the reading. It cannot know whether the edge exists where the service answers 404 for
    an edge module that is not set.
"""

    ROUTE = r"""
options:
  route_id:
    description:
      - The id of the route of the HTTPS edge.
    type: str
    required: true
"""
