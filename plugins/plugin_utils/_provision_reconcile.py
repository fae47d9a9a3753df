# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of edge_modules in the role provision, from its variables. Private to this collection.

The action plugin provision_control runs edge_modules with them. Were each option a template in a task of the role, to
compile these templates would take most of the task's time, since Ansible does it anew for each host.
"""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleError
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import KINDS, Play, Refused

Options = dict[str, t.Any]

_LISTS = tuple(kind.option for kind in KINDS)

# The options that are the same whatever a task is for.
_COMMON = ("concurrency", *_argspec.SECRET_OPTIONS, "plan_key", *_argspec.connection_spec())

# What a role variable of the same name says beside these.
NAMES = (*_LISTS, "purge", "max_failures", *_COMMON)

# Up to ansible-core 2.18 a template makes a list of text that looks like one, and survey answers may be such text.
_LIST_OPTIONS = (*_LISTS, *_argspec.SECRET_OPTIONS)


def given(play: Play, names: t.Iterable[str], faults: list[str]) -> Options:
    """Return the options of these names whose variables are given, and add to `faults` why others cannot be had."""
    found = {}
    for name in names:
        variable = "provision_" + name
        try:
            value = play.given(variable)
            if isinstance(value, str) and name in _LIST_OPTIONS:
                value = play.template("{{ %s }}" % variable)
        except AnsibleError as exc:
            faults.append("%s: %s" % (variable, exc))
        else:
            found.update({} if value is None else {name: value})
    return found


def _options(play: Play, names: t.Iterable[str]) -> Options:
    faults: list[str] = []
    found = given(play, names, faults)
    if faults:
        raise Refused("; ".join(faults))
    return found


def reconcile(play: Play) -> Options:
    """Return the options that bring everything to what the variables ask for."""
    only = play.variables["provision_begun"]["control"]["only"]
    return dict(_options(play, NAMES), **({} if only is None else dict(only=only)), return_unchanged=False)


def plan(play: Play) -> Options:
    """Return the options that only plan that, and back up what is there."""
    control = play.variables["provision_begun"]["control"]
    options = dict(reconcile(play), plan_only=True, backup_path=control["part"])
    if control["approved"]:
        options["approved_plan"] = play.template(play.variables["provision_approved_plan"])
    return options


def write(play: Play) -> Options:
    """Return the options that write just what was planned."""
    return dict(reconcile(play), approved_plan=play.variables["provision_planned"]["plan"])


def put_back(play: Play) -> Options:
    """Return the options that put back what was there."""
    backup, outcome = play.variables["provision_backed_up"], play.variables["provision_outcome"]
    lists = {name: backup.get("provision_" + name) or [] for name in _LISTS}
    return dict(_options(play, _COMMON), **lists, rollback_of=outcome["written"])


# The steps that run edge_modules.
STEPS: dict[str, t.Callable[[Play], Options]] = dict(reconcile=reconcile, plan=plan, write=write, put_back=put_back)
