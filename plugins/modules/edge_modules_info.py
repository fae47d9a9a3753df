#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: edge_modules_info
short_description: Read any number of edge modules, in the form that edge_modules takes
description:
  - Reads the edge modules of TCP, TLS and HTTPS edges, with several requests at the same time.
  - What it returns, given to M(edgeops.edges.edge_modules), changes nothing. This is also true with masked secrets,
    because a mask keeps the value that the service holds.
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
attributes:
  check_mode:
    support: full
  diff_mode:
    support: N/A
    details: It changes nothing.
  idempotent:
    support: full
extends_documentation_fragment:
  - edgeops.edges._attributes
  - edgeops.edges._connection
options:
  tcp_edges:
    description:
      - The ids of TCP edges, each listed once.
    type: list
    elements: str
  tls_edges:
    description:
      - The ids of TLS edges, each listed once.
    type: list
    elements: str
  https_edges:
    description:
      - HTTPS edges, each listed once.
    type: list
    elements: dict
    suboptions:
      id:
        description:
          - The id of the edge.
        type: str
        required: true
      routes:
        description:
          - The ids of the routes of the edge to read, each listed once. The service does not list them. If there are
            none, nothing is read, and the module warns.
        type: list
        elements: str
        default: []
  concurrency:
    description:
      - The highest number of requests at the same time. At least 1. More than 64 counts as 64.
    type: int
    default: 8
  secret_headers:
    description:
      - The names of further headers whose values are secret.
    type: list
    elements: str
  secret_keys:
    description:
      - The names of further keys in traffic policies under which everything is secret.
    type: list
    elements: str
  include_secrets:
    description:
      - Whether the values of secret headers, and the secrets in traffic policies, are returned unmasked. If you set it,
        set C(no_log) on the task as well.
    type: bool
    default: false
seealso:
  - module: edgeops.edges.edge_modules
"""

EXAMPLES = r"""
- name: Read the current configuration
  edgeops.edges.edge_modules_info:
    tcp_edges:
      - edgtcp_2a
    tls_edges:
      - edgtls_2a
    https_edges:
      - id: edghts_2a
        routes:
          - edghtsrt_2a
  register: today

- name: Use the result as input, which changes nothing
  edgeops.edges.edge_modules:
    tcp_edges: "{{ today.tcp_edges }}"
    tls_edges: "{{ today.tls_edges }}"
    https_edges: "{{ today.https_edges }}"
"""

RETURN = r"""
tcp_edges:
  description:
    - The TCP edges with their edge modules, as M(edgeops.edges.edge_modules) takes them. An edge module that is not set
      has C(state=absent).
    - An edge module that RV(refused) names cannot be used as the input of M(edgeops.edges.edge_modules).
  returned: success
  type: list
  elements: dict
  sample:
    - id: edgtcp_2a
      backend:
        enabled: true
        backend_id: bkdtg_2a
tls_edges:
  description:
    - The TLS edges with their edge modules.
  returned: success
  type: list
  elements: dict
  sample:
    - id: edgtls_2a
      ip_restriction:
        state: absent
      tls_termination:
        enabled: true
        terminate_at: edge
        min_version: "1.3"
https_edges:
  description:
    - The HTTPS edges with their routes and the edge modules of the routes. A traffic policy is returned as a structure.
    - Secret header values and secrets in policies are masked, unless O(include_secrets) is set.
  returned: success
  type: list
  elements: dict
  sample:
    - id: edghts_2a
      routes:
        - id: edghtsrt_2a
          traffic_policy:
            enabled: true
            value:
              inbound: []
              outbound: []
          request_headers:
            enabled: true
            add:
              X-Edge: frankfurt
              X-Upstream-Token: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
            remove: []
refused:
  description:
    - The edge modules whose configuration M(edgeops.edges.edge_modules) would refuse, and why. The module also warns of
      each.
    - P(edgeops.edges.variables#filter) writes them as comments.
  returned: success
  type: list
  elements: dict
  contains:
    edge_id:
      description: The id of the edge.
      type: str
    route_id:
      description: The id of the route. It is null for an edge without routes.
      type: str
    module:
      description: The name of the edge module's own module.
      type: str
    reasons:
      description: What would be refused, each with its place in the edge module.
      type: list
      elements: str
  sample:
    - edge_id: edgtcp_2a
      route_id: null
      module: tcp_edge_backend
      reasons:
        - the service names no backend_id
"""

from ansible_collections.edgeops.edges.plugins.module_utils._many import info_work
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module


def main() -> None:
    run_module(info_work())


if __name__ == "__main__":
    main()
