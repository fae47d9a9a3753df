# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The descriptions say what tests/facts.py says, which was written on its own from the documentation of the service."""

from __future__ import annotations

import facts
import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import ENABLED
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Reference


def test_the_list_has_every_description_and_every_entry_of_the_facts_once():
    files = (harness.ROOT / "plugins/module_utils/_descriptions").glob("[!_]*.py")
    names = [each.name for each in _registry.DESCRIPTIONS]
    assert sorted(names) == sorted(path.stem for path in files)
    assert sorted(names) == sorted(facts.MODULES)


@pytest.mark.parametrize("description", _registry.DESCRIPTIONS, ids=lambda each: each.name)
def test_a_description_agrees_with_the_facts(description):
    module = facts.of(description.name)
    kind, prefixes = description.kind, module.prefixes
    assert (description.path, description.entry, kind.option) == (module.path, module.entry, module.edges)
    assert (kind.edge_prefix, kind.route_prefix) == (prefixes["edge_id"], prefixes.get("route_id"))
    assert description.goes_first == module.goes_first
    assert description.fields[0] == ENABLED
    assert [each.name for each in description.fields] == ["enabled", *(field.name for field in module.fields)]
    for each, field in zip(description.own_fields, module.fields):
        assert each.answer_key == field.answer_key
        assert each.rule.empty == field.empty
        assert (each.required, each.null_where) == (field.required, field.null_where)
        reference = (each.rule.collection, each.rule.prefix) if isinstance(each.rule, Reference) else ("", "")
        assert reference == (field.collection, field.prefix)
