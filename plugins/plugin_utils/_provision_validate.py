# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entry point validate of the role provision: every check of the variables, without a service.

Private to this collection.
"""

from __future__ import annotations

from ansible.errors import AnsibleError
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec
from ansible_collections.edgeops.edges.plugins.module_utils._errors import InputError
from ansible_collections.edgeops.edges.plugins.module_utils._many import modules_work
from ansible_collections.edgeops.edges.plugins.plugin_utils._action import given_options, validated
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import Play

# What edge_modules needs for a request, and this does not.
_IN_PLACE = dict(api_key="not-needed-here", base_url="https://localhost")

_NAMES = (
    *("tcp_edges", "tls_edges", "https_edges"),
    *("purge", "concurrency", "max_failures", "secret_headers", "secret_keys", "plan_key"),
    *_argspec.connection_spec(),
)


def faults(play: Play) -> list[str]:
    """Return all that edge_modules would find wrong with the variables of a host."""
    work = modules_work()
    args = dict(_IN_PLACE)
    found = []
    for name in _NAMES:
        try:
            value = play.given("provision_" + name)
        except AnsibleError as exc:
            found.append("provision_%s: %s" % (name, exc))
        else:
            args.update({} if value is None else {name: value})
    given, unseen = given_options(work, args, play.variables)
    try:
        return found + work.value_faults(validated(work, given, unseen))
    except InputError as exc:
        return found + exc.faults
