#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tcp_edge_backend
short_description: Manage the backend of a TCP edge
description:
  - Sets or removes the backend module of a TCP edge, which names the backend that serves the edge's traffic.
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - edgeops.edges._attributes
  - edgeops.edges._connection
  - edgeops.edges._edge
options:
  backend_id:
    description:
      - The id of the backend that serves the edge's traffic.
      - Required when O(state=present).
    type: str
seealso:
  - module: edgeops.edges.tls_edge_ip_restriction
"""

EXAMPLES = r"""
- name: Set the backend of a TCP edge
  edgeops.edges.tcp_edge_backend:
    edge_id: edgtcp_2a
    backend_id: bkdtg_2a

- name: Disable the backend, and keep its configuration
  edgeops.edges.tcp_edge_backend:
    edge_id: edgtcp_2a
    backend_id: bkdtg_2a
    enabled: false

- name: Remove the backend
  edgeops.edges.tcp_edge_backend:
    edge_id: edgtcp_2a
    state: absent

- name: Set the backends of several edges
  edgeops.edges.tcp_edge_backend:
    edge_id: "{{ item.edge }}"
    backend_id: "{{ item.backend }}"
  loop:
    - {edge: edgtcp_2a, backend: bkdtg_2a}
    - {edge: edgtcp_2b, backend: bkdtg_2b}
  loop_control:
    label: "{{ item.edge }}"
"""

RETURN = r"""
operation:
  description:
    - What the task did, or would do in check mode.
    - V(replace) for a PUT of the whole configuration, V(delete) for a DELETE, V(none) if nothing had to be sent.
  returned: success
  type: str
  sample: replace
config:
  description:
    - The configuration after the task, as the service returned it. It is null if it is not set.
    - In check mode it is the configuration as the service would return it, without defaults that only the service
      knows.
  returned: success
  type: dict
  sample:
    enabled: true
    backend:
      id: bkdtg_2a
      uri: https://api.example.com/backends/tunnel_group/bkdtg_2a
diff:
  description:
    - The configuration before and after the task, as indented JSON text. Empty text means not set.
  returned: in diff mode
  type: dict
  sample:
    before: ""
    after: |
      {
        "backend_id": "bkdtg_2a",
        "enabled": true
      }
    before_header: tcp_edge_backend edgtcp_2a
    after_header: tcp_edge_backend edgtcp_2a
error:
  description:
    - The error of a request, as data.
  returned: when a request failed
  type: dict
  contains:
    msg:
      description: The error message.
      returned: when a request failed
      type: str
    method:
      description: The method of the request.
      returned: when a request failed
      type: str
    path:
      description: The path of the request, below O(base_url).
      returned: when a request failed
      type: str
    status:
      description: The status of the answer. It is null if there was no answer.
      returned: when a request failed
      type: int
    code:
      description: The service's code for the error, if the service sent one.
      returned: when a request failed
      type: str
    operation_id:
      description: The service's id of the operation, if the service sent one. Its support needs it.
      returned: when a request failed
      type: str
  sample:
    msg: >-
      PUT /edges/tcp/edgtcp_2a/backend answered 403: this key may only read (code ERR_403, operation op_2f6a).
      The key is known but may not do this: check what it is allowed to do
    method: PUT
    path: /edges/tcp/edgtcp_2a/backend
    status: 403
    code: ERR_403
    operation_id: op_2f6a
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tcp_edge_backend import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
