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
      - An id with the prefix of another kind of resource is refused. The service would answer that there is no such
        edge, and V(absent) would seem to be done. Any other id is accepted.
    type: str
    required: true
  state:
    description:
      - V(present) sets the configuration of the edge module if it differs from what the task asks for.
      - V(absent) removes the configuration. The edge module's other options are then ignored.
      - To disable the edge module and keep its configuration, use V(present) with O(enabled=false).
    type: str
    choices:
      - present
      - absent
    default: present
  enabled:
    description:
      - Whether the edge module is applied to traffic. If it is left out it is V(true), as in the service. The current
        value is not kept.
    type: bool
    default: true
notes:
  - A task reads the configuration first, and sends it only if it differs. The description of each option says when two
    values are equal.
  - An option that is left out, or null, keeps the value that the service holds. If nothing is set yet, it is empty. The
    exception is O(enabled), which is V(true) when it is left out.
  - In check mode nothing is written. If the service answers 404, a dry run cannot know whether the edge does not exist
    or only the edge module is not set.
  - Two tasks that run at the same time on one edge module can lose an option, because each sends the whole
    configuration and the service has no conditional writes.
"""

    ROUTE = r"""
options:
  route_id:
    description:
      - The id of the route of the HTTPS edge.
    type: str
    required: true
"""
