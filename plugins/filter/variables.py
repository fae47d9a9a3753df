# Copyright (c) 2026, the edgeops.edges authors
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
  - Writes a dict as YAML, for use with C(-e @FILE). Ansible and every other reader of YAML 1.1 and 1.2 read the same
    dict from it.
  - Text that looks like a template is marked with C(!unsafe), so that Ansible does not replace it.
  - Lists of edges in the form of M(edgeops.edges.edge_modules_info), which are the variables whose name ends with
    C(tcp_edges), C(tls_edges) or C(https_edges), are written for later use. What is not set is left out, so that the
    file removes nothing that somebody adds later. The ids stay. What M(edgeops.edges.edge_modules) would refuse is
    written as a comment with the reasons, so that the rest of the file works.
  - A file with variables of the role P(edgeops.edges.provision#role) begins with a comment that names their JSON
    Schema, so that editors complete and check it.
options:
  _input:
    description:
      - The variables.
    type: dict
    required: true
  unset:
    description:
      - Whether edge modules that are not set are written, with C(state=absent).
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Read the current configuration
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

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _jobs, _options, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._yaml import Comment, dump_yaml


def variables(value: dict[str, t.Any], unset: bool = False) -> str:
    """Return the dict as the text of a variables file."""
    plain = json.loads(json.dumps(value))  # Ansible's own kinds of text become text
    return dump_yaml({name: _for_later(name, listed, unset) for name, listed in plain.items()})


def _for_later(name: str, listed: t.Any, unset: bool) -> t.Any:
    """Return a variable's value; where it is a list of edges, without what is not set or would be refused."""
    entries = {each.entry: each for each in _registry.DESCRIPTIONS if name.endswith(each.kind.option)}
    if not entries or not isinstance(listed, list):
        return listed
    return [_owner_for_later(entries, edge, unset) for edge in listed]


def _owner_for_later(entries: dict[str, Description], owner: t.Any, unset: bool) -> t.Any:
    if not isinstance(owner, dict) or not isinstance(owner.get("id"), str):
        return owner
    kept: dict[str, t.Any] = dict(id=owner["id"])
    for key, value in owner.items():
        if key == "routes" and isinstance(value, list):
            kept[key] = [_owner_for_later(entries, route, unset) for route in value]
        elif key not in entries:
            kept[key] = value
        elif unset or value != dict(state="absent"):
            reasons = _refusal(entries[key], value)
            kept[key] = Comment(_explained(key, reasons), value) if reasons else value
    return kept


def _refusal(description: Description, options: t.Any) -> list[str]:
    """Return why edge_modules would refuse the options of an edge module; nothing where it takes them."""
    spec: _argspec.Spec = {
        description.entry: dict(
            type="dict",
            options=_argspec.module_spec(description),
            required_if=_argspec.required_if(description),
        )
    }
    given = _options.clean(spec, {description.entry: options})
    found = list(_options.faults(spec, given))
    if not found and given:
        validated = ArgumentSpecValidator(spec).validate(given).validated_parameters
        found = list(_jobs.faults(description, validated[description.entry], description.entry))
    return found


def _explained(name: str, reasons: list[str]) -> list[str]:
    return [
        "%s is left out, since edge_modules would refuse what the service holds (purge would remove it)" % name,
        *reasons,
    ]


class FilterModule:
    def filters(self) -> dict[str, t.Callable]:
        return {"variables": variables}
