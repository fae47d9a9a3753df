# Copyright (c) 2026, the edgeops.edges authors
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
  - Turns results of M(edgeops.edges.edge_modules) into a report for the person who approves a change.
  - The role P(edgeops.edges.provision#role) writes such a report if its variable C(provision_report) is set.
  - The report covers only the results that it is given. Secrets are already masked in them.
positional: form
options:
  _input:
    description:
      - "A dict of results by host, such as C({'localhost': result})."
      - >-
        Give C({'unreachable': true}) for a host that could not be reached, and C({'failed': true, 'msg': 'the reason'})
        for one that failed before its edge modules were read.
    type: dict
    required: true
  form:
    description:
      - V(html) gives one self-contained HTML page, V(json) a JSON text for programs, V(md) Markdown for a comment on a
        pull request, V(diff) plain text with every line that differs, V(text) a list of a few lines, and V(counts) a
        dict with the numbers C(total), C(changed) (without the removed ones), C(removed), C(unchanged) and C(failed). A
        host that failed as a whole, or could not be reached, counts as one failure.
      - Before ansible-core 2.19, a template that contains only V(json) gives a dict instead of the text.
    type: str
    choices:
      - html
      - json
      - md
      - diff
      - text
      - counts
    default: html
  dry_run:
    description:
      - Whether the results are those of a dry run. A result that says itself that it is of a run takes precedence.
    type: bool
    default: true
  title:
    description:
      - The title of the report.
    type: str
  base_url:
    description:
      - The address of the service, if it is not to be taken from the results.
    type: str
  plan:
    description:
      - The plan of all hosts together, whose checksum is shown. With one host, the plan of its result is the default.
    type: dict
  refused:
    description:
      - Why the run was refused before anything was written, as text, a list of texts, or a text for each host.
      - It is not needed for results that M(edgeops.edges.edge_modules) itself refused.
    type: raw
  restored:
    description:
      - What was rolled back after a run that failed. For each host a list of dicts with C(module), C(edge_id),
        C(route_id), C(restored) (whether it was rolled back) and C(reason).
    type: dict
"""

EXAMPLES = r"""
- name: See what would change
  edgeops.edges.edge_modules:
    tcp_edges:
      - id: edgtcp_2a
        backend:
          backend_id: bkdtg_2a
  check_mode: true
  register: outcome

- name: Write a report
  ansible.builtin.copy:
    content: "{{ {'localhost': outcome} | edgeops.edges.report(title='The shop moves') }}"
    dest: "{{ report_folder }}/report.html"
    mode: "0644"

- name: Write a comment for the pull request
  ansible.builtin.copy:
    content: "{{ {'localhost': outcome} | edgeops.edges.report('md') }}"
    dest: "{{ report_folder }}/comment.md"
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The report, in the form asked for.
  type: raw
"""

import json
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.edges.plugins.module_utils._text import kind_of
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report


def report(
    outcomes: dict[str, t.Any],
    form: str = "html",
    dry_run: bool = True,
    title: str | None = None,
    base_url: str | None = None,
    plan: dict[str, t.Any] | None = None,
    refused: t.Any = None,
    restored: dict[str, t.Any] | None = None,
) -> t.Any:
    """Return the report on the outcomes, by host, of edge_modules."""
    if not isinstance(outcomes, dict):
        raise AnsibleFilterError("report takes a dict of results by host, not %s" % kind_of(outcomes))
    if form not in _report.FORMS:
        raise AnsibleFilterError("form must be one of %s, not %s" % (", ".join(_report.FORMS), json.dumps(form)))
    return _report.render(form, outcomes, dry_run, title, base_url, plan, refused=refused, restored=restored)


class FilterModule:
    def filters(self) -> dict[str, t.Callable]:
        return {"report": report}
