# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return the status of the change without making it.
  diff_mode:
    description: Returns what changed, or would change in C(check_mode), when in diff mode.
  idempotent:
    description: A second run with the same options changes nothing, if nothing else changed in between.
  action_group:
    description: Use C(group/edgeops.edges.all) in C(module_defaults) to set the options of the connection once.
    support: full
    membership:
      - edgeops.edges.all
"""
