#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tls_edge_tls_termination
short_description: Manage the TLS termination of a TLS edge
description:
  - Sets or removes the TLS termination module of a TLS edge, which selects where TLS is terminated, and the minimum TLS
    version.
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
  terminate_at:
    description:
      - V(edge) terminates TLS at the service's edge.
      - V(upstream) passes TLS to the upstream, which terminates it. The service then refuses most other modules of the
        edge, because they need to see the traffic.
      - Required when O(state=present).
    type: str
    choices:
      - edge
      - upstream
  min_version:
    description:
      - The minimum TLS version, a dotted number such as V(1.2). Quote it, so that YAML does not read a number.
      - If it is left out, it is neither compared nor changed. If nothing is set yet, the service chooses a default.
      - V(default) sets no version, so that the service chooses one. It is equal only to a configuration without a
        version.
      - It must be left out with O(terminate_at=upstream), and is then null.
    type: str
seealso:
  - module: edgeops.edges.tls_edge_ip_restriction
"""

EXAMPLES = r"""
- name: Terminate TLS at the edge, with TLS 1.3 only
  edgeops.edges.tls_edge_tls_termination:
    edge_id: edgtls_2a
    terminate_at: edge
    min_version: "1.3"

- name: Pass TLS to the upstream
  edgeops.edges.tls_edge_tls_termination:
    edge_id: edgtls_2b
    terminate_at: upstream
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
    terminate_at: edge
    min_version: "1.3"
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
        "min_version": "1.3",
        "terminate_at": "edge"
      }
    before_header: tls_edge_tls_termination edgtls_2a
    after_header: tls_edge_tls_termination edgtls_2a
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
      PUT /edges/tls/edgtls_2a/tls_termination answered 403: this key may only read (code ERR_403, operation op_2f6a).
      The key is known but may not do this: check what it is allowed to do
    method: PUT
    path: /edges/tls/edgtls_2a/tls_termination
    status: 403
    code: ERR_403
    operation_id: op_2f6a
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tls_edge_tls_termination import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
