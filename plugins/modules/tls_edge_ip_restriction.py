#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tls_edge_ip_restriction
short_description: Manage the IP restriction of a TLS edge
description:
  - Sets or removes the IP restriction module of a TLS edge, which names the IP policies that decide whether a source IP
    address may access the endpoint.
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
  ip_policy_ids:
    description:
      - The ids of all the IP policies to check. They are compared as a set, because order and repeated ids have no
        effect on access. They are sent in the order given.
      - Required when O(state=present). An empty list clears the policies.
    type: list
    elements: str
seealso:
  - module: edgeops.edges.tls_edge_tls_termination
"""

EXAMPLES = r"""
- name: Restrict access with two IP policies
  edgeops.edges.tls_edge_ip_restriction:
    edge_id: edgtls_2a
    ip_policy_ids:
      - ipp_2a
      - ipp_2b

- name: Remove the restriction
  edgeops.edges.tls_edge_ip_restriction:
    edge_id: edgtls_2a
    state: absent
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
    ip_policies:
      - id: ipp_2a
        uri: https://api.example.com/ip_policies/ipp_2a
      - id: ipp_2b
        uri: https://api.example.com/ip_policies/ipp_2b
diff:
  description:
    - The configuration before and after the task, as indented JSON text. Empty text means not set.
  returned: in diff mode
  type: dict
  sample:
    before: ""
    after: |
      {
        "enabled": true,
        "ip_policy_ids": [
          "ipp_2a",
          "ipp_2b"
        ]
      }
    before_header: tls_edge_ip_restriction edgtls_2a
    after_header: tls_edge_ip_restriction edgtls_2a
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
      PUT /edges/tls/edgtls_2a/ip_restriction answered 403: this key may only read (code ERR_403, operation op_2f6a).
      The key is known but may not do this: check what it is allowed to do
    method: PUT
    path: /edges/tls/edgtls_2a/ip_restriction
    status: 403
    code: ERR_403
    operation_id: op_2f6a
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tls_edge_ip_restriction import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
