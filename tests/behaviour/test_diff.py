# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the diff of a task shows."""

from __future__ import annotations

import json

import pytest
from harness.samples import (
    POLICY,
    ROUTE_IDS,
    SAMPLES,
)

REQUEST_HEADERS = "https_edge_route_request_headers"
TRAFFIC_POLICY = "https_edge_route_traffic_policy"


def test_a_changed_policy_shows_as_changed_lines_of_indented_json(sim, run):
    """Not as one long string, and with letters readable."""
    sim.put(POLICY, {"value": json.dumps({"inbound": [{"name": "café", "actions": []}]})})
    value = {"inbound": [{"name": "cafés", "actions": []}]}
    diff = run(TRAFFIC_POLICY, dict(ROUTE_IDS, value=value), check=True).diff
    before, after = (diff[side].splitlines() for side in ("before", "after"))
    assert [(old, new) for old, new in zip(before, after) if old != new] == [
        ('        "name": "café"', '        "name": "cafés"')
    ]
    assert len(before) == len(after) > 5
    assert diff["before_header"] == diff["after_header"] == "%s edghts_1 edghtsrt_1" % TRAFFIC_POLICY


def test_control_and_bidirectional_characters_are_escaped_in_the_diff(sim, run):
    value = {"a": "x\u202ey\u0007z\u2028"}
    result = run(TRAFFIC_POLICY, dict(ROUTE_IDS, value=value))
    assert '"x\\u202ey\\u0007z\\u2028"' in result.diff["after"]
    assert json.loads(sim.writes[-1].body["value"]) == value


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_the_diff_of_a_creation_and_of_a_removal_has_nothing_on_one_side(sim, run, sample):
    made = run(sample.module, sample.options(sample.a))
    gone = run(sample.module, sample.options(state="absent"))
    assert (made.diff["before"], gone.diff["after"]) == ("", "")
    assert made.diff["after"] == gone.diff["before"]
    assert json.loads(made.diff["after"])["enabled"] is True
