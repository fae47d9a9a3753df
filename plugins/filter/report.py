# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: report
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
short_description: Turn results of edge_modules into a report
description:
  - Turns what M(edgeops.edges.edge_modules) returned into a report for the person who approves a change.
  - The role P(edgeops.edges.provision#role) writes it when its variable C(provision_report) is set.
  - To show the lines that differ it needs results of a task in diff mode.
positional: form
options:
  _input:
    description:
      - The results by host, as C({{ {'localhost':\ result} }}).
    type: dict
    required: true
  form:
    description:
      - V(html) gives one self-contained HTML page, V(text) a list of a few lines, V(counts) a dict with the numbers
        C(total), C(changed), C(removed), C(unchanged) and C(failed).
    type: str
    choices:
      - html
      - text
      - counts
    default: html
  dry_run:
    description:
      - Whether the results are those of a dry run.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: See what would change
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        backend:
          backend_id: bkdtg_2a
  check_mode: true
  diff: true
  register: outcome

- name: Write it down
  ansible.builtin.copy:
    content: "{{ {'localhost': outcome} | edgeops.edges.report }}"
    dest: "{{ report_folder }}/report.html"
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The report, in the form asked for.
  type: raw
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report


def report(outcomes: dict[str, t.Any], form: str = "html", dry_run: bool = True) -> t.Any:
    """Return the report on the outcomes, by host, of edge_modules."""
    if form == "html":
        return _report.html(outcomes, dry_run)
    if form == "text":
        return _report.text(outcomes, dry_run)
    if form == "counts":
        return _report.counts(outcomes)
    raise AnsibleFilterError("form must be html, text or counts, not %s" % form)


class FilterModule:
    def filters(self) -> dict[str, t.Callable]:
        return {"report": report}
