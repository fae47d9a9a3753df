# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: variables
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.0.0
short_description: Write a dict as the text of a variables file
description:
  - Writes a dict as YAML that Ansible reads back as just that, for use with C(-e @FILE).
  - Text that looks like a template is marked with C(!unsafe), so that it is not taken for one when the file is read.
options:
  _input:
    description:
      - The variables.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Read what is set today
  edgeops.edges.edge_modules_info:
    tcp_edges:
      - edgtcp_2a
  register: today

- name: Write it as variables
  ansible.builtin.copy:
    content: "{{ {'provision_tcp_edges': today.tcp_edges} | edgeops.edges.variables }}"
    dest: "{{ report_folder }}/edges.yml"
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The YAML text.
  type: str
"""

import json
import typing as t

import yaml


class _Dumper(yaml.SafeDumper):
    """Indents lists, repeats what stands twice, and marks text that looks like a template."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: t.Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    is_template = any(mark in value for mark in ("{{", "{%", "{#"))
    # Unicode's own line breaks are escaped between double quotes only; elsewhere they are read back as something else.
    escaped = is_template or any(mark in value for mark in "\x85\u2028\u2029")
    tag = "!unsafe" if is_template else "tag:yaml.org,2002:str"
    return dumper.represent_scalar(tag, value, style='"' if escaped else None)


_Dumper.add_representer(str, _text)


def variables(value: dict[str, t.Any]) -> str:
    """Return the dict as the text of a variables file."""
    plain = json.loads(json.dumps(value))  # Ansible's own kinds of text become text
    return "---\n" + yaml.dump(plain, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class FilterModule:
    def filters(self) -> dict[str, t.Callable]:
        return {"variables": variables}
