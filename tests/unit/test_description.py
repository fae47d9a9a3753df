# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of a description: its fields, its path, what of it may be secret."""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import ENABLED, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Rule

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}


def test_what_a_field_is_called_in_an_answer():
    assert Field("backend_id", Rule(), {}).answer_key == "backend_id"
    assert Field("backend_id", Rule(), {}, answered_as="backend").answer_key == "backend"


def test_every_edge_module_can_be_switched_off():
    assert all(description.fields == (ENABLED, *description.own_fields) for description in BY_ENTRY.values())


def test_what_may_hold_secrets():
    secret = {entry: {each.name for each in description.secret_fields} for entry, description in BY_ENTRY.items()}
    assert (secret.pop("request_headers"), secret.pop("traffic_policy")) == ({"add", "remove"}, {"value"})
    assert set(map(len, secret.values())) == {0}


def test_paths():
    assert BY_ENTRY["ip_restriction"].path_of("e") == "/edges/tls/e/ip_restriction"
    assert BY_ENTRY["traffic_policy"].path_of("e", "r") == "/edges/https/e/routes/r/traffic_policy"


def test_nothing_conflicts_unless_a_description_says_so():
    assert list(BY_ENTRY["backend"].conflicts({"backend_id": "b"})) == []
    assert list(BY_ENTRY["request_headers"].conflicts({"add": {"A": "1"}, "remove": ["a"]})) == [
        ("add", "names A, and so does remove")
    ]
