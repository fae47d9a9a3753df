# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every edge module from nothing to nothing, under every reading of what the API page leaves open.

From the simulator's log: one PUT for a creation or a change, none for a repetition, one DELETE for a removal, none
for a second one, none in check mode, and never more than one GET.
"""

from __future__ import annotations

import facts
import pytest
from harness import model
from harness.samples import SAMPLES

RESULT_KEYS = {"changed", "operation", "config", "diff"}

# Options of the simulator, and whether it then echoes: a dry run must be right to the letter. Each reading of what
# the API page leaves open is met by every edge module; those that concern different fields stand together.
READINGS = [
    pytest.param(reading, exact, id=" ".join("%s=%s" % pair for pair in reading.items()))
    for reading, exact in (
        (dict(not_set="404", policy_form="echo"), True),
        (dict(not_set="204", policy_form="echo"), True),
        (dict(not_set="empty", policy_form="echo"), True),
        (dict(not_set="null", policy_form="echo", delete_not_set="204"), True),
        (dict(not_set="{}", policy_form="echo"), True),
        (dict(header_names="lower", remove_order="reversed", ip_policy_order="reversed"), False),
        (dict(policy_form="indented", remove_order="sorted", empty_fields="omitted", default_min_version="1.2"), False),
        (dict(not_set="{}", header_names="lower", empty_fields="null", default_min_version="1.3"), False),
    )
]


def _steps(sample):
    """title, options, operation, what the service holds afterwards"""
    off_b = dict(sample.b, enabled=False)
    flipped = not sample.stored_b["enabled"]
    return [
        ("absent before anything", dict(state="absent"), "none", None),
        ("create", sample.a, "replace", sample.stored_a),
        ("the same again", sample.a, "none", sample.stored_a),
        ("change", sample.b, "replace", sample.stored_b),
        ("the changed again", sample.b, "none", sample.stored_b),
        ("switch", dict(off_b, enabled=flipped), "replace", dict(sample.stored_b, enabled=flipped)),
        ("remove", dict(state="absent"), "delete", None),
        ("remove again", dict(state="absent"), "none", None),
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
@pytest.mark.parametrize("reading, exact", READINGS)
def test_life_of_an_edge_module(sim, run, sample, reading, exact):
    """absent, present, the same again, changed, absent, absent again; each first as a dry run."""
    sim.configure(**reading)
    before = None
    fields = {"enabled", *(field.name for field in facts.of(sample.module).fields)}
    for title, options, operation, after in _steps(sample):
        dry = _task(sim, run, sample, options, check=True)
        assert sim.writes == [], "%s: a dry run wrote" % title
        assert sim.resources.get(sample.path) == before, title

        real = _task(sim, run, sample, options, check=False)
        expected = {"replace": ["PUT"], "delete": ["DELETE"], "none": []}[operation]
        assert [record.method for record in sim.writes] == expected, title
        assert all(set(record.body) == fields for record in sim.writes if record.method == "PUT"), title
        assert sim.resources.get(sample.path) == after, title

        assert (real.changed, real.operation) == (operation != "none", operation), title
        assert (dry.changed, dry.operation, dry.diff) == (real.changed, real.operation, real.diff), title
        assert (real.diff["before"] != real.diff["after"]) == real.changed, title
        assert (real.config is None) == (after is None), title
        if exact or operation != "replace":
            assert dry.config == real.config, title
        else:
            assert _without_defaults(sample, dry.config, options) == _without_defaults(sample, real.config, options), (
                title
            )
        before = after


def _task(sim, run, sample, options, check):
    """One task: at most one GET and one write, and the same keys in its result whatever it did."""
    sim.clear_log()
    result = run(sample.module, sample.options(options), check=check, diff=True)
    assert not result.failed, result.data
    assert set(result.data) - {"invocation"} == RESULT_KEYS
    assert [record.method for record in sim.log][:1] == ["GET"]
    assert len(sim.log) == 1 + len(sim.writes) <= 2
    return result


def _without_defaults(sample, config, options):
    """What the task leaves to the service is not compared."""
    left = {field.name for field in facts.of(sample.module).fields if field.service_default} - set(options)
    return {name: value for name, value in model.comparable(sample.module, config).items() if name not in left}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_result_has_no_diff_unless_asked_for(sim, run, sample):
    for options in (sample.a, sample.a, dict(state="absent"), dict(state="absent")):
        for check in (True, False):
            result = run(sample.module, sample.options(options), check=check, diff=False)
            assert set(result.data) - {"invocation"} == RESULT_KEYS - {"diff"}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_no_request_more_than_needed(sim, run, sample):
    for options, methods in (
        (sample.a, ["GET", "PUT"]),
        (sample.a, ["GET"]),
        ({"state": "absent"}, ["GET", "DELETE"]),
        ({"state": "absent"}, ["GET"]),
    ):
        sim.clear_log()
        run(sample.module, sample.options(options))
        assert [record.method for record in sim.log] == methods
