#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: edge_modules
short_description: Reconcile any number of edge modules in one task
description:
  - Configures the edge modules of TCP, TLS and HTTPS edges, with several requests at the same time over open
    connections.
  - Every entry takes exactly the options of its own module. Input is validated before anything is sent.
  - Within one edge, removals come first, then the TLS termination, then the rest, because a TLS edge that passes TLS to
    the upstream refuses most other modules. If a removal fails, the TLS termination of that edge is not tried.
  - One failure does not stop the others. The task fails at the end and names every failure, with the same reasons
    together. A second run finishes the rest. An answer of 401, or a service that cannot be reached, stops the task. The
    rest is reported as not tried.
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
      - The highest number of requests at the same time. At least 1. More than 64 counts as 64.
    type: int
    default: 8
  purge:
    description:
      - Whether the edge modules that the entry of a listed edge or route leaves out are removed.
      - An edge module that is given as null is then an error, because a template that yields null must not remove an
        access restriction. Leave its key out, or write C(state=absent).
      - Edges and routes that are not listed are not touched.
    type: bool
    default: false
  secret_headers:
    description:
      - The names of further headers whose values are secret, for all entries, including removed ones.
    type: list
    elements: str
  secret_keys:
    description:
      - The names of further keys in traffic policies under which everything is secret, for all entries, including
        removed ones.
      - M(edgeops.edges.https_edge_route_traffic_policy) lists what is secret without it.
    type: list
    elements: str
  only:
    description:
      - The ids or names of the edges that the task is about, with V(*) as in file names. Case matters.
      - All entries are checked. Edges that match none of the patterns are then left alone, also by O(purge), limits and
        plan.
      - A pattern that matches no listed edge is an error. An empty list leaves every edge alone.
    type: list
    elements: str
  approved_plan:
    description:
      - The RV(plan) of a dry run that was approved. Only changes in the plan are made.
      - The task makes a new plan. If a change is not in the approved plan, or the service's configuration is no longer
        the one of the plan, or the task asks for something else, nothing is written, and each such change is named.
      - A change that is already made is not an error, so a second run can finish a first one. A part of the plan is not
        an error either.
      - A plan that is named but empty, such as null, is an error. Leave the option out to run without a plan.
    type: dict
  plan_key:
    description:
      - The key that plans are signed with. A plan shows no value, and no entry of it can be forged without the key.
      - If it is not given, or blank, the environment variable E(EDGE_PLAN_KEY) is used, and without that the API key.
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
      - The most edge modules that are set and may be set to something else, as a number such as V(5), or as a share
        such as V(30%). If more would be, nothing is written.
      - What is newly set does not count. A share is a share of the edge modules in the task that are currently set. It
        applies only if these are ten or more.
      - Blank counts as not given. V(0) is a limit.
    type: raw
  max_removed:
    description:
      - The most edge modules that may be removed, as a number or a share as in O(max_changed).
    type: raw
  max_failures:
    description:
      - The number of failures after which no further edge module is started. At least 1.
    type: int
  backup_path:
    description:
      - The path of a file, where the module runs, for the current configuration of everything that will change. It is
        written before the first write, as variables of the role P(edgeops.edges.provision#role) that restore it.
      - It contains secrets in clear text. Only its owner can read it (mode 0600).
      - An existing file is renamed with the time first. If nothing will change, and in check mode, no file is touched.
      - If the file cannot be written, or would contain what this collection refuses, nothing is written to the service.
    type: path
  rollback_of:
    description:
      - The RV(written) of a run that is to be rolled back. The lists then contain the configuration before that run, as
        its backup does.
      - Only what the service still holds as that run left it is written. Everything else is left as it is and named as
        a failure.
      - The role uses this option for its variable C(provision_rollback).
    type: dict
  return_unchanged:
    description:
      - Whether RV(results) also contains the edge modules that neither changed nor failed. RV(summary) always counts
        them.
    type: bool
    default: true
notes:
  - With O(approved_plan), O(max_changed), O(max_removed), O(backup_path), O(plan_only) or O(rollback_of) the task reads
    and plans everything before the first write. If that fails, nothing is written.
  - After an answer of 429 every request of the task waits until the time that the service asks for has passed.
  - A task that takes longer than ten seconds prints its progress every few seconds, if Ansible can show it.
seealso:
  - module: edgeops.edges.edge_modules_info
"""

EXAMPLES = r"""
- name: Configure edges of every kind in one task
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

- name: Configure the edges, and handle failures
  block:
    - name: Configure the edges
      edgeops.edges.edge_modules:
        tcp_edges:
          - id: edgtcp_2a
            backend:
              backend_id: bkdtg_2a
          - id: edgtcp_2b
            backend:
              backend_id: bkdtg_2b
      register: outcome
  rescue:
    # Without results the options were wrong, and nothing was sent.
    - name: Show each failure
      ansible.builtin.debug:
        msg: "{{ item.module }} {{ item.edge_id }}: {{ item.error.msg }}"
      loop: "{{ outcome.results | default([]) | selectattr('error', 'defined') }}"
      loop_control:
        label: "{{ item.edge_id }}"

    - name: Fail with the counts
      ansible.builtin.fail:
        msg: "{{ outcome.msg }}"

- name: Configure the edges, and accept failures of up to one in ten
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        backend:
          backend_id: bkdtg_2a
  register: outcome
  failed_when: outcome.summary is not defined or outcome.summary.failed * 10 > outcome.summary.total

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

- name: Apply exactly that plan, with a backup and with limits
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

- name: Add secret headers, one of them with a name that does not say so
  edgeops.edges.edge_modules:
    https_edges:
      - id: edghts_2a
        routes:
          - id: edghtsrt_2a
            request_headers:
              add:
                X-Upstream-Token: "{{ upstream_token }}"
                X-Tenant: "{{ tenant }}"
    secret_headers:
      - X-Tenant
  vars:
    upstream_token: a secret from a vault
    tenant: a secret from a vault

- name: Change another header, and keep the token that the service holds
  edgeops.edges.edge_modules:
    https_edges:
      - id: edghts_2a
        routes:
          - id: edghtsrt_2a
            request_headers:
              add:
                X-Edge: frankfurt
                X-Upstream-Token: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER

- name: Pass TLS to the upstream, and remove everything else that is set on the edge
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
    - The numbers of edge modules that changed, did not change and failed. If some failed, also which ones and why.
  returned: always
  type: str
  sample: 72 changed, 118 unchanged, 10 failed
dry_run:
  description:
    - Whether this was a dry run, in check mode or by O(plan_only).
  returned: always, except if the options are wrong
  type: bool
  sample: false
base_url:
  description:
    - The address of the service, in normalized form.
  returned: always, except if the options are wrong
  type: str
  sample: https://api.example.com
plan:
  description:
    - All planned changes, signed. Given to O(approved_plan), it permits exactly these changes.
  returned: always, except if the options are wrong
  type: dict
  contains:
    format:
      description: The version of this form.
      returned: always
      type: int
    checksum:
      description: A short text that people compare to see whether two plans are the same.
      returned: always
      type: str
    changes:
      description:
        - For each change its name, with a digest of the configuration before it and a digest of the step to the one
          after it.
      returned: always
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
    - Whether the task was refused before its first write, by O(approved_plan), by a limit, or because not everything
      could be read or backed up.
  returned: always, except if the options are wrong
  type: bool
  sample: false
backup_file:
  description:
    - The backup that was written. It is null if none was.
  returned: always, except if the options are wrong
  type: str
  sample: /home/operator/before.yml
set_before:
  description:
    - How many of the edge modules in the task were set before it.
  returned: always, except if the options are wrong
  type: int
  sample: 200
written:
  description:
    - For each edge module whose write was started, digests of what the service may hold since then. For O(rollback_of).
  returned: if everything is read before the first write
  type: dict
  sample:
    tcp_edge_backend edgtcp_2a:
      - hmac:54aa35931a919402218d24e7b8df3e9a
results:
  description:
    - The result of each edge module, first of TCP edges, then of TLS edges, then of HTTPS edges, each list in the order
      given.
  returned: always, except if the options are wrong
  type: list
  elements: dict
  contains:
    edge_id:
      description: The id of the edge.
      returned: always
      type: str
    route_id:
      description: The id of the route. It is null for an edge without routes.
      returned: always
      type: str
    name:
      description: The name of the edge or route, if its entry gives one. Otherwise null.
      returned: always
      type: str
    module:
      description: The name of the edge module's own module.
      returned: always
      type: str
    changed:
      description: Whether it changed, or would change in check mode.
      returned: always
      type: bool
    operation:
      description: V(none), V(replace) or V(delete). It is null if it failed.
      returned: always
      type: str
    config:
      description:
        - The configuration after the task. It is null if it is not set, or if it failed.
        - Secret header values and secrets in policies are masked.
      returned: always
      type: dict
    before:
      description:
        - The configuration before the task, in the form in which it is compared. It is null if it was not set.
        - Secret header values are masked.
      returned: if it changed, or would change in check mode
      type: dict
    after:
      description:
        - The configuration after the task, in the same form as RV(results[].before). It is null if it was removed.
        - A secret header value that changes reads V(VALUE_SPECIFIED_IN_NO_LOG_PARAMETER (changed\)).
      returned: if it changed, or would change in check mode
      type: dict
    error:
      description: The error, as data.
      returned: if it failed
      type: dict
      contains:
        msg:
          description: The error message.
          returned: if it failed
          type: str
        method:
          description: The method of the request. It is null if none was sent.
          returned: if it failed
          type: str
        path:
          description: The path of the request, below O(base_url).
          returned: if it failed
          type: str
        status:
          description: The status of the answer. It is null if there was no answer.
          returned: if it failed
          type: int
        code:
          description: The service's code for the error, if the service sent one.
          returned: if it failed
          type: str
        operation_id:
          description: The service's id of the operation, if the service sent one.
          returned: if it failed
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
    - How many edge modules there are, and how many of them changed, did not change and failed. C(removed) counts the
      changed ones that were removed. Those that were not tried count as failed.
    - If a run was refused before its first write, only failures are counted.
  returned: always, except if the options are wrong
  type: dict
  sample:
    total: 200
    changed: 3
    removed: 1
    unchanged: 196
    failed: 1
diff:
  description:
    - A list with a diff for each change, as indented JSON text. Empty text means not set.
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
