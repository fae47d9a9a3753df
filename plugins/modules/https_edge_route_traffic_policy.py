#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: https_edge_route_traffic_policy
short_description: Manage the traffic policy of an HTTPS edge route
description:
  - Sets or removes the traffic policy module of a route of an HTTPS edge, which applies a traffic policy document to
    the route's traffic.
  - Secrets in the policy are masked wherever the module shows them, and in text of the service that quotes them.
    Secrets are recognized by names. Case does not matter, and C(_) is read as C(-).
  - Under any key whose name contains C(header), and in an action whose type is about headers, the values of headers
    with secret names are secret. M(edgeops.edges.https_edge_route_request_headers) lists these names, and
    O(secret_headers) adds to them. The name may also be next to the value, as C(name) and C(value) of one object.
  - Everywhere else, everything under a key is secret if the key is, or ends with, C(password), C(passwd), C(secret),
    C(credential), C(credentials), C(token), C(private-key), C(api-key), C(access-key) or C(authorization), or is listed
    in O(secret_keys). Text is not searched, so a secret in an expression or in the content of an answer is shown.
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
      - The traffic policy, as a dict or as text that contains a JSON object.
      - It is compared as JSON. The order of keys, white space and escapes do not matter, the order of lists does.
        V(1) and V(true) differ, V(1) and V(1.0) do not.
      - Quote keys that YAML does not read as text, such as C(on), C(no), C(~), C(1.10) or C(8080), and values that it
        reads as a date and time, at any depth. Unquoted ones are refused, because the text that was written is already
        lost.
      - The mask V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER), as which secrets are shown, keeps the value that the service
        holds at the same place. In a list, that is the one item that is equal apart from masks. In a list that is equal
        as a whole, each item keeps its own value. If there is no such value, or several items fit, the task fails and
        names the place. So write the secrets of a rule that you edit.
      - Required when O(state=present).
    type: raw
    aliases:
      - policy
  secret_headers:
    description:
      - The names of further headers whose values are secret.
      - It also applies with O(state=absent), because the diff shows what is removed.
    type: list
    elements: str
  secret_keys:
    description:
      - The names of further keys under which everything is secret.
      - It also applies with O(state=absent), because the diff shows what is removed.
    type: list
    elements: str
seealso:
  - module: edgeops.edges.https_edge_route_request_headers
"""

EXAMPLES = r"""
- name: Deny access to the admin pages
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

- name: Set a policy from JSON text
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
    - V(replace) for a PUT of the whole configuration, V(delete) for a DELETE, V(none) if nothing had to be sent.
  returned: success
  type: str
  sample: replace
config:
  description:
    - The configuration after the task, as the service returned it. It is null if it is not set.
    - In check mode it is the configuration as the service would return it, without defaults that only the service
      knows.
    - Secrets in it are masked.
  returned: success
  type: dict
  sample:
    enabled: true
    value: >-
      {"inbound":[{"name":"no admin","expressions":["req.url.path == \"/admin\""],"actions":[{"type":"deny","config":{"status_code":403}}]}],"outbound":[]}
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
        "value": {
          "inbound": [],
          "outbound": []
        }
      }
    before_header: https_edge_route_traffic_policy edghts_2a edghtsrt_2a
    after_header: https_edge_route_traffic_policy edghts_2a edghtsrt_2a
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
