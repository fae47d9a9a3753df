#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: https_edge_route_request_headers
short_description: Manage the request headers added and removed on an HTTPS edge route
description:
  - Sets or removes the request headers module of a route of an HTTPS edge, which adds and removes headers on requests
    before they reach the upstream application server.
  - The value of a header with a secret name is masked wherever the module shows it. A name is secret if it contains
    C(auth), C(cookie), C(token), C(secret), C(passw), C(api-key), C(apikey), C(access-key), C(credential), C(session)
    or C(signature), ends with C(-key), or is listed in O(secret_headers). Case does not matter, and C(_) is read as
    C(-).
  - The module cannot mask what Ansible itself shows. Set C(loop_control.label) on loops, because Ansible shows their
    items.
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
  add:
    description:
      - The names and values of the headers to add to every request. Values are text or whole numbers. Quote anything
        else.
      - Quote names that YAML does not read as text, such as C(on), C(no), C(~), C(1.10) or C(8080), and values that it
        reads as a date and time. Unquoted ones are refused, because the text that was written is already lost.
      - It replaces the whole map. Names are compared ignoring case. Values are compared exactly, except for white space
        around them, which is removed.
      - If it is left out, the headers that are currently added stay. An empty dict clears them.
      - A value V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER), the mask as which secret values are shown, keeps the value that
        the service holds for that header.
    type: dict
  remove:
    description:
      - The names of the headers to remove from every request. They are compared as a set, ignoring case.
      - If it is left out, the headers that are currently removed stay. An empty list clears them.
    type: list
    elements: str
  secret_headers:
    description:
      - The names of further headers whose values are secret.
      - It also applies with O(state=absent), because the diff shows what is removed.
    type: list
    elements: str
seealso:
  - module: edgeops.edges.https_edge_route_traffic_policy
"""

EXAMPLES = r"""
- name: Add and remove request headers
  edgeops.edges.https_edge_route_request_headers:
    edge_id: edghts_2a
    route_id: edghtsrt_2a
    add:
      X-Edge: frankfurt
      X-Upstream-Token: "{{ upstream_token }}"
    remove:
      - X-Debug
  vars:
    upstream_token: a secret from a vault

- name: Remove one more header, and keep the added ones
  edgeops.edges.https_edge_route_request_headers:
    edge_id: edghts_2a
    route_id: edghtsrt_2a
    remove:
      - X-Debug
      - X-Internal

- name: Add no headers
  edgeops.edges.https_edge_route_request_headers:
    edge_id: edghts_2a
    route_id: edghtsrt_2a
    add: {}

- name: Set the same headers on many routes
  edgeops.edges.https_edge_route_request_headers:
    edge_id: edghts_2a
    route_id: "{{ item }}"
    add:
      X-Edge: frankfurt
  loop:
    - edghtsrt_2b
    - edghtsrt_2c
  loop_control:
    label: "{{ item }}"
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
    - Secret header values are masked.
  returned: success
  type: dict
  sample:
    enabled: true
    add:
      X-Edge: frankfurt
      X-Upstream-Token: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
    remove:
      - X-Debug
diff:
  description:
    - The configuration before and after the task, as indented JSON text. Empty text means not set.
  returned: in diff mode
  type: dict
  sample:
    before: ""
    after: |
      {
        "add": {
          "X-Edge": "frankfurt",
          "X-Upstream-Token": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
        },
        "enabled": true,
        "remove": [
          "X-Debug"
        ]
      }
    before_header: https_edge_route_request_headers edghts_2a edghtsrt_2a
    after_header: https_edge_route_request_headers edghts_2a edghtsrt_2a
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
      PUT /edges/https/edghts_2a/routes/edghtsrt_2a/request_headers answered 403: this key may only read (code ERR_403, operation op_2f6a).
      The key is known but may not do this: check what it is allowed to do
    method: PUT
    path: /edges/https/edghts_2a/routes/edghtsrt_2a/request_headers
    status: 403
    code: ERR_403
    operation_id: op_2f6a
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.https_edge_route_request_headers import (
    DESCRIPTION,
)
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
