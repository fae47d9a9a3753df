#!/usr/bin/python

# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: https_edge_route_traffic_policy
short_description: Manage the traffic policy of an HTTPS edge route
description:
  - Sets or removes the traffic policy module of a route of an HTTPS edge, which applies a traffic policy document to the
    route's traffic.
  - The values of a policy are shown in results and diffs. Set C(no_log) on a task whose policy holds a secret.
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
  - edgeops.edges._edge.route
options:
  value:
    description:
      - The traffic policy, as a dict or as text that holds a JSON object.
      - It is compared as JSON. The order of keys, white space and escapes do not count, the order of lists does.
        V(1) and V(true) differ, V(1) and V(1.0) do not.
      - Required when O(state=present).
    type: raw
    aliases:
      - policy
seealso:
  - module: edgeops.edges.https_edge_route_request_headers
"""

EXAMPLES = r"""
- name: Deny traffic to the admin pages
  edgeops.edges.https_edge_route_traffic_policy:
    edge_id: edghts_2a
    route_id: edghtsrt_2a
    value:
      inbound:
        - name: no admin
          expressions:
            - req.url.path == "/admin"
          actions:
            - type: deny
              config:
                status_code: 403
      outbound: []

- name: Set a policy from a JSON text
  edgeops.edges.https_edge_route_traffic_policy:
    edge_id: edghts_2a
    route_id: edghtsrt_2b
    value: "{{ policy_text }}"
  vars:
    policy_text: |
      {"inbound": [], "outbound": [{"name": "compress",
       "actions": [{"type": "compress-response", "config": {"algorithms": ["gzip", "br"]}}]}]}

- name: Remove the policy
  edgeops.edges.https_edge_route_traffic_policy:
    edge_id: edghts_2a
    route_id: edghtsrt_2a
    state: absent
"""

RETURN = r"""
operation:
  description:
    - What the task did, or would do in check mode.
    - V(replace) for a PUT of the whole configuration, V(delete) for a DELETE, V(none) where nothing had to be sent.
  returned: success
  type: str
  sample: replace
config:
  description:
    - The configuration after the task, as the service answered it; null where it is not set.
    - In check mode it is the configuration as the service would answer it, without defaults that only the service knows.
  returned: success
  type: dict
  sample:
    enabled: true
    value: >-
      {"inbound":[{"name":"no admin","expressions":["req.url.path == \"/admin\""],"actions":[{"type":"deny","config":{"status_code":403}}]}],"outbound":[]}
diff:
  description:
    - What is there and what was decided, as indented JSON text. Empty text stands for not set.
  returned: in diff mode
  type: dict
  sample:
    before: ""
    after: |
      {
        "enabled": true,
        "value": {
          "inbound": [],
          "outbound": []
        }
      }
    before_header: https_edge_route_traffic_policy edghts_2a edghtsrt_2a
    after_header: https_edge_route_traffic_policy edghts_2a edghtsrt_2a
error:
  description:
    - What went wrong with a request, as data.
  returned: when a request failed
  type: dict
  contains:
    msg:
      description: The message of the failure.
      type: str
    method:
      description: The method of the request.
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
      description: The service's id of the operation, where it gave one. Its support will ask for it.
      type: str
  sample:
    msg: >-
      PUT /edges/https/edghts_2a/routes/edghtsrt_2a/traffic_policy answered 403: this key may only read (code ERR_403, operation op_2f6a).
      The key is known but may not do this: check what it is allowed to do
    method: PUT
    path: /edges/https/edghts_2a/routes/edghtsrt_2a/traffic_policy
    status: 403
    code: ERR_403
    operation_id: op_2f6a
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.https_edge_route_traffic_policy import (
    DESCRIPTION,
)
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
