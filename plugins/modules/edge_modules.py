#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
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
      - Whether the edge modules that the entry of a listed edge or route leaves out are removed.
      - One that is given as null is an error then, since a template that yields null must not remove an access
        restriction. Leave its key out, or write C(state=absent).
      - Edges and routes that are not listed are not touched.
    type: bool
    default: false
  secret_headers:
    description:
      - The names of further headers whose values are secret, for all entries, those that are removed too.
    type: list
    elements: str
  secret_keys:
    description:
      - The names of further keys in traffic policies under which all is secret, for all entries, those that are removed too.
      - What is secret without it, M(edgeops.edges.https_edge_route_traffic_policy) tells.
    type: list
    elements: str
  only:
    description:
      - The ids or names of the edges that the task is about, with V(*) as in file names. Case counts.
      - All entries are checked. Edges that fit none of the patterns are then left alone, by O(purge), limits and plan too.
      - A pattern that fits no listed edge is an error. An empty list leaves every edge alone.
    type: list
    elements: str
  approved_plan:
    description:
      - The RV(plan) of a dry run that was approved. Nothing is written that is not in it.
      - The task plans anew. Where a change that it would make is not in the plan, or the service's configuration is no
        longer the one of the plan, or the task asks for something else, nothing is written, and all of this is named.
      - A change of the plan that is made already is fine, so that a second run can finish a first one. So is a part of the
        plan.
      - A plan that is named but empty, null for instance, is an error. Leave the option out to run without a plan.
    type: dict
  plan_key:
    description:
      - The key that plans are signed with. A plan shows no value, and no entry of it can be made up without the key.
      - Where it is not given, or blank, the environment variable E(EDGE_PLAN_KEY) is used, and without that the API key.
      - A plan does not expire. To revoke plans, change the key.
    type: str
  plan_only:
    description:
      - Whether to stop before the first write. Unlike check mode, O(backup_path) is written.
      - The role uses it to check all hosts of a play before any of them writes.
    type: bool
    default: false
  max_changed:
    description:
      - The most edge modules that are set and may be set to something else, as a number such as V(5), or as a share such as
        V(30%). Where more would be, nothing is written.
      - What is newly set does not count. A share is one of the edge modules looked at that are set today, and counts only
        where these are ten or more.
      - Blank counts as not given, V(0) is a limit.
    type: raw
  max_removed:
    description:
      - The most edge modules that may be removed, as a number or a share as in O(max_changed).
    type: raw
  max_failures:
    description:
      - After so many failures no further edge module is begun. At least 1.
    type: int
  backup_path:
    description:
      - The path of a file, where the module runs, that is to hold what is there now of all that will change. It is written
        before the first write, as variables of the role P(edgeops.edges.provision#role) that put it back.
      - It holds secrets in clear. Only its owner can read it (mode 0600).
      - A file that is there is renamed with the time first. Where nothing will change, and in check mode, no file is touched.
      - Where the file cannot be written, or would hold what this collection refuses, nothing is written to the service.
    type: path
  rollback_of:
    description:
      - The RV(written) of a run that is to be taken back. The lists then hold what was there before it, as its backup does.
      - Written is only what the service still holds as that run left it. All else is left as it is, and named as a failure.
      - The role uses it for its variable C(provision_rollback).
    type: dict
  return_unchanged:
    description:
      - Whether RV(results) holds the edge modules that neither changed nor failed, too. RV(summary) counts them in any case.
    type: bool
    default: true
notes:
  - With O(approved_plan), O(max_changed), O(max_removed), O(backup_path), O(plan_only) or O(rollback_of) the task reads and
    plans everything before the first write. A failure up to there means that nothing is written.
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

- name: See what would change, and keep the plan
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        name: shop
        backend:
          backend_id: bkdtg_2b
  check_mode: true
  diff: true
  register: dry_run

- name: Apply just that, with what is there now in a backup, and not where it would replace more than one in three
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        name: shop
        backend:
          backend_id: bkdtg_2b
    approved_plan: "{{ dry_run.plan }}"
    backup_path: "{{ report_folder }}/before.yml"
    max_changed: 30%
    max_removed: 0

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
    - How many edge modules changed, did not change and failed; where some failed, which and why, too.
  returned: always
  type: str
  sample: 72 changed, 118 unchanged, 10 failed
dry_run:
  description:
    - Whether this was a dry run, in check mode or by O(plan_only).
  returned: always, but where the options are wrong
  type: bool
  sample: false
base_url:
  description:
    - The address of the service, in a form that all its spellings share.
  returned: always, but where the options are wrong
  type: str
  sample: https://api.example.com
plan:
  description:
    - All changes that were planned, signed. Given to O(approved_plan) it allows just these.
  returned: always, but where the options are wrong
  type: dict
  contains:
    format:
      description: The version of this form.
      type: int
    checksum:
      description: What people compare, to know that two plans are the same.
      type: str
    changes:
      description:
        - For each change its name, with the digests of the configuration before it and of the step to the one after it.
      type: dict
  sample:
    format: 1
    checksum: plan-4140fc4eaa199934
    changes:
      tcp_edge_backend edgtcp_2a:
        before: hmac:2b076b6e2ff980d909e06bbe75fca7ff
        after: hmac:54aa35931a919402218d24e7b8df3e9a
refused:
  description:
    - Whether the task was refused before its first write, by O(approved_plan), a limit, or since not everything could be
      read or backed up.
  returned: always, but where the options are wrong
  type: bool
  sample: false
backup_file:
  description:
    - The backup that was written; null where none was.
  returned: always, but where the options are wrong
  type: str
  sample: /home/operator/before.yml
set_before:
  description:
    - How many of the edge modules looked at were set before the task.
  returned: always, but where the options are wrong
  type: int
  sample: 200
written:
  description:
    - For each edge module whose write was begun, digests of what the service may hold since. For O(rollback_of).
  returned: where everything is read before the first write
  type: dict
  sample:
    tcp_edge_backend edgtcp_2a:
      - hmac:54aa35931a919402218d24e7b8df3e9a
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
      description: The name of the edge or route, where its entry gives one; null otherwise.
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
        - Secret header values and secrets in policies are masked.
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
    - How many edge modules there are, and how many of them changed, did not change and failed. C(removed) counts those
      among the changed that were removed. Those that were not tried count as failed.
    - Where a plan or a limit refused the task it counts nothing.
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
