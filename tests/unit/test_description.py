# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of a description: its fields, its path, what of it may be secret."""

from __future__ import annotations

import facts
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import ENABLED, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Rule

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
BY_NAME = {each.name: each for each in _registry.DESCRIPTIONS}


def test_what_a_field_is_called_in_an_answer():
    assert Field("backend_id", Rule(), {}).answer_key == "backend_id"
    assert Field("backend_id", Rule(), {}, answered_as="backend").answer_key == "backend"


def test_every_edge_module_can_be_switched_off():
    assert all(description.fields == (ENABLED, *description.own_fields) for description in BY_ENTRY.values())


@pytest.mark.parametrize("description", BY_NAME.values(), ids=list(BY_NAME))
def test_what_may_hold_secrets(description):
    """All that may is masked by its rule, and nothing by Ansible: no_log works in a module's own process alone."""
    fields = facts.of(description.name).fields
    assert [each.name for each in description.secret_fields] == [each.name for each in fields if each.holds_secrets]
    for each in description.own_fields:
        assert not each.spec.get("no_log"), "%s: give it the rule Secret in place of no_log" % each.name
        assert each.rule.holds_secrets or not each.rule.secret_options, "%s: its rule masks nothing" % each.name


@pytest.mark.parametrize("description", BY_NAME.values(), ids=list(BY_NAME))
def test_what_must_be_null_can_be(description):
    """Null with a value of a field that there is; and null is then equal to what an answer holds, which is null."""
    fields = {each.name: each for each in description.fields}
    for each in filter(lambda each: each.null_where, description.own_fields):
        assert each.null_where[0] in fields, "%s: null_where names no field" % each.name
        assert each.rule.empty is None, "%s: an empty value other than null differs from null for ever" % each.name
        assert each.rule.send(None) is each.rule.canonical(None) is None, "%s: its rule must take null" % each.name


def test_paths():
    assert BY_ENTRY["ip_restriction"].path_of("e") == "/edges/tls/e/ip_restriction"
    assert BY_ENTRY["traffic_policy"].path_of("e", "r") == "/edges/https/e/routes/r/traffic_policy"


def test_nothing_conflicts_unless_a_description_says_so():
    assert list(BY_ENTRY["backend"].conflicts({"backend_id": "b"})) == []
    assert list(BY_ENTRY["request_headers"].conflicts({"add": {"A": "1"}, "remove": ["a"]})) == [
        ("add", "names A, and so does remove")
    ]
