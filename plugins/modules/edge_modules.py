#!/usr/bin/python

# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: edge_modules
short_description: Reconcile any number of edge modules in one task
description:
  - Brings the edge modules of TCP, TLS and HTTPS edges to what is asked for, many at a time over kept-alive connections.
  - Every entry takes just what the module of that edge module takes. Everything is checked before the first request.
  - Within one edge removals come first, then the TLS termination, then the rest, since a TLS edge that passes TLS through
    refuses most other modules. Where a removal failed, the TLS termination of that edge is not tried.
  - One failure does not stop the others. The task fails at the end and names every failure, those with the same reason
    together; a second run finishes the rest.
    An answer of 401, or a service that cannot be reached, does stop it; the rest is reported as not tried.
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details: Returns a list with one diff for each change.
  idempotent:
    support: full
extends_documentation_fragment:
  - edgeops.edges._attributes
  - edgeops.edges._connection
  - edgeops.edges._nested
options:
  concurrency:
    description:
      - How many requests are in flight at the most. At least 1; more than 64 count as 64.
    type: int
    default: 8
  purge:
    description:
      - Whether the edge modules that the entry of a listed edge or route leaves out, or gives as null, are removed.
      - Edges and routes that are not listed are not touched.
    type: bool
    default: false
  secret_headers:
    description:
      - The names of further headers whose values are secret, for all entries.
    type: list
    elements: str
notes:
  - An answer of 429 halts every request of the task until the time that the service asks for has passed.
  - A task that takes longer than ten seconds says every few seconds how far it is, where Ansible can show it.
seealso:
  - module: edgeops.edges.edge_modules_info
"""

EXAMPLES = r"""
- name: Reconcile edges of every kind, side by side
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        name: shop
        backend:
          backend_id: bkdtg_2a
    tls_edges:
      - id: edgtls_2a
        ip_restriction:
          ip_policy_ids: [ipp_2a, ipp_2b]
        tls_termination:
          terminate_at: edge
          min_version: "1.3"
    https_edges:
      - id: edghts_2a
        routes:
          - id: edghtsrt_2a
            traffic_policy:
              value:
                inbound: []
                outbound: []
            request_headers:
              state: absent

- name: Pass TLS through, and remove whatever else is set on the edge
  edgeops.edges.edge_modules:
    tls_edges:
      - id: edgtls_2a
        tls_termination:
          terminate_at: upstream
    purge: true
"""

RETURN = r"""
msg:
  description:
    - How many edge modules changed, did not change and failed; where any failed, what failed and why.
  returned: always
  type: str
  sample: 3 changed, 197 unchanged, 0 failed
dry_run:
  description:
    - Whether the task ran in check mode, so that nothing was written.
  returned: always, but where the options are wrong
  type: bool
  sample: false
base_url:
  description:
    - The address of the service, as O(base_url) or the environment gave it.
  returned: always, but where the options are wrong
  type: str
  sample: https://api.example.com
results:
  description:
    - What became of each edge module, those of TCP edges first, then of TLS edges, then of HTTPS edges, each list in the
      order given.
  returned: always, but where the options are wrong
  type: list
  elements: dict
  contains:
    edge_id:
      description: The id of the edge.
      type: str
    route_id:
      description: The id of the route; null for an edge without routes.
      type: str
    name:
      description: What people call the edge or route, as its entry says; null where it says nothing.
      type: str
    module:
      description: The edge module, by the name of its own module.
      type: str
    changed:
      description: Whether it changed, or would change in check mode.
      type: bool
    operation:
      description: V(none), V(replace) or V(delete); null where it failed.
      type: str
    config:
      description:
        - The configuration after the task; null where it is not set, or where it failed.
        - Secret header values are masked.
      type: dict
    before:
      description:
        - The configuration before the task, in the form in which it is compared; null where it was not set. Only where
          it changed, or would change in check mode.
        - Secret header values are masked.
      type: dict
    after:
      description:
        - What the task made of it, in the same form; null where it was removed. Only where it changed, or would change in
          check mode.
        - A secret header value that changes reads V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER (changed\)).
      type: dict
    error:
      description: What went wrong, as data; only where it failed.
      type: dict
      contains:
        msg:
          description: The message of the failure.
          type: str
        method:
          description: The method of the request; null where none was sent.
          type: str
        path:
          description: The path of the request, below O(base_url).
          type: str
        status:
          description: The status of the answer; null where there was none.
          type: int
        code:
          description: The service's code for the error, where it gave one.
          type: str
        operation_id:
          description: The service's id of the operation, where it gave one.
          type: str
  sample:
    - edge_id: edgtcp_2a
      route_id: null
      name: shop
      module: tcp_edge_backend
      changed: true
      operation: replace
      config:
        enabled: true
        backend:
          id: bkdtg_2a
          uri: https://api.example.com/backends/tunnel_group/bkdtg_2a
      before: null
      after:
        enabled: true
        backend_id: bkdtg_2a
summary:
  description:
    - How many edge modules there are, and how many of them changed, did not change and failed. Those that were removed
      are among the changed. Those that were not tried count as failed.
  returned: always, but where the options are wrong
  type: dict
  sample:
    total: 200
    changed: 3
    removed: 1
    unchanged: 196
    failed: 1
diff:
  description:
    - A list with a diff for each change, as indented JSON text. Empty text stands for not set.
  returned: in diff mode
  type: list
  elements: dict
  sample:
    - before: ""
      after: |
        {
          "backend_id": "bkdtg_2a",
          "enabled": true
        }
      before_header: tcp_edge_backend edgtcp_2a (shop)
      after_header: tcp_edge_backend edgtcp_2a (shop)
"""

from ansible_collections.edgeops.edges.plugins.module_utils._many import modules_work
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module


def main() -> None:
    run_module(modules_work())


if __name__ == "__main__":
    main()
