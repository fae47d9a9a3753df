#!/usr/bin/python

# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: provision_control
short_description: Run a step of the role provision on the controller
description:
  - This module is internal. Only the role P(edgeops.edges.provision#role) and the playbooks of this collection use it.
  - It does the parts of the role that need all hosts of the play. It runs M(edgeops.edges.edge_modules), checks the hosts
    against each other, writes the reports, and decides which hosts fail.
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
attributes:
  check_mode:
    description: Can run in C(check_mode) and return the status of the change without making it.
    support: full
    details: The reports are written nevertheless.
  diff_mode:
    description: Returns what changed, or would change in C(check_mode), when in diff mode.
    support: full
  idempotent:
    description: A second run with the same options, with nothing changed in between, changes nothing.
    support: full
options:
  step:
    description:
      - V(begin) records that a host takes part, and what its variables ask for.
      - V(check) refuses the play if something is wrong in all hosts together.
      - V(valid) reports that the variables are correct.
      - V(approve) refuses the play if the plans of its hosts are not permitted, and writes the backup of all hosts.
      - V(judge) decides which hosts roll back.
      - V(unverified) records that the verification failed on the host.
      - V(reconcile) runs M(edgeops.edges.edge_modules) with the variables of the role as its options. V(plan) makes it
        only plan the changes and back up the current configuration, V(write) makes it write exactly what was planned,
        and V(put_back) makes it restore the backed-up configuration.
      - V(report) writes the reports and sets the stats.
      - V(tell) prints a summary of what was done.
      - V(finish) fails the host if it has to fail.
      - V(path) fails if no file can be written at O(path).
    type: str
    required: true
    choices:
      - begin
      - check
      - valid
      - approve
      - judge
      - report
      - tell
      - finish
      - reconcile
      - plan
      - write
      - put_back
      - unverified
      - path
  drift:
    description:
      - Whether the entry point C(drift) of the role calls it.
    type: bool
    default: false
  validate:
    description:
      - Whether everything that M(edgeops.edges.edge_modules) would find wrong with the variables is checked in
        O(step=begin).
    type: bool
    default: false
  message:
    description:
      - Why the verification failed.
    type: str
    default: ""
  path:
    description:
      - The file that the playbook C(export) will write. A relative path is relative to where C(ansible-playbook) was
        started.
    type: str
"""

EXAMPLES = r"""
- name: Record that this host takes part
  edgeops.edges.provision_control:
    step: begin
  register: provision_begun
"""

RETURN = r"""
turn:
  description: The name of this use of the role in this play.
  returned: with O(step=begin)
  type: str
once:
  description: Whether one host can do a step for all hosts of the play.
  returned: with O(step=begin)
  type: bool
control:
  description: What the host asks for regarding plans, limits, backup, verification and rollback.
  returned: with O(step=begin)
  type: dict
leader:
  description: The host that decided for all.
  returned: with O(step=approve) and O(step=judge)
  type: str
allowed:
  description: Whether the hosts may write what they planned.
  returned: with O(step=approve)
  type: bool
reasons:
  description: Why they may not.
  returned: with O(step=approve)
  type: list
  elements: str
backup_file:
  description: The backup of all hosts. It is empty if there is none.
  returned: with O(step=approve)
  type: str
back:
  description: The hosts that roll back.
  returned: with O(step=judge)
  type: list
  elements: str
path:
  description: O(path) as an absolute path.
  returned: with O(step=path)
  type: str
"""
