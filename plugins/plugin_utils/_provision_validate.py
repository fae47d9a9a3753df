# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entry point validate of the role provision: every check of the variables, without a service.

Private to this collection.
"""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils._errors import InputError
from ansible_collections.edgeops.edges.plugins.module_utils._many import modules_work
from ansible_collections.edgeops.edges.plugins.plugin_utils._action import given_options, validated
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import Play
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_reconcile import NAMES, given

# What edge_modules needs for a request, and this does not.
_IN_PLACE = dict(api_key="not-needed-here", base_url="https://localhost")


def faults(play: Play) -> list[str]:
    """Return all that edge_modules would find wrong with the variables of a host."""
    work = modules_work()
    found: list[str] = []
    args = {**_IN_PLACE, **given(play, NAMES, found)}
    options, unseen = given_options(work, args, play.variables)
    try:
        return found + work.value_faults(validated(work, options, unseen))
    except InputError as exc:
        return found + exc.faults
