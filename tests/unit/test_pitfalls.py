# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pitfalls that no other test covers, and that every one about comparing, planning and running twice has a test."""

from __future__ import annotations

import pytest
from harness import pitfalls
from harness.samples import HEADERS, POLICY, ROUTE_IDS, SAMPLES, TERMINATION, TLS_IDS, sample_of


@pytest.fixture(scope="module")
def covered():
    return pitfalls.covered()


@pytest.mark.parametrize("row", sorted(pitfalls.IDEMPOTENCE, key=lambda row: [int(part) for part in row.split(".")]))
def test_every_pitfall_has_a_test(covered, row):
    assert covered[row], "%s: %s" % (row, pitfalls.ROWS[row])


def test_pitfall_05_json_compared_as_text(sim, run):
    """White space and key order alone make nothing changed, however often it is run."""
    sim.configure(policy_form="indented")
    for value in ('{"b":1,"a":2}', '{ "a": 2, "b": 1 }', {"a": 2, "b": 1}, '{"b":1,"a":2}'):
        changed = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value=value)).changed
        assert changed == (len(sim.log) == 2)


def test_pitfall_08_null_compared_with_a_missing_field(sim, run):
    """A service that drops empty fields, or says null for them, makes nothing changed."""
    for form in ("kept", "omitted", "null"):
        sim.configure(empty_fields=form)
        for sample in SAMPLES:
            sim.put(sample.path, sample.stored_a)
            result = run(sample.module, sample.options(sample.a))
            assert (result.changed, result.warnings) == (False, []), sample.id
    assert sim.writes == []


def test_pitfall_10_defaults_of_the_service_make_no_change(sim, run):
    """Not today, and not when the service moves its default."""
    task = dict(TLS_IDS, terminate_at="edge")
    assert run("tls_edge_tls_termination", task).changed
    for version in ("1.2", "1.3", None):
        sim.configure(default_min_version=version)
        for check in (True, False):
            assert not run("tls_edge_tls_termination", task, check=check).changed
    assert sim.resources[TERMINATION]["min_version"] is None


def test_pitfall_16_blank_is_an_error_and_never_clears(sim, run):
    for sample in SAMPLES:
        sim.put(sample.path, sample.stored_a)
    held = sim.resources
    for name, option in (
        ("tcp_edge_backend", {"backend_id": ""}),
        ("tls_edge_ip_restriction", {"ip_policy_ids": ""}),
        ("tls_edge_ip_restriction", {"ip_policy_ids": [""]}),
        ("tls_edge_tls_termination", {"terminate_at": ""}),
        ("tls_edge_tls_termination", {"terminate_at": "edge", "min_version": ""}),
        ("https_edge_route_traffic_policy", {"value": ""}),
        ("https_edge_route_request_headers", {"remove": ""}),
        ("https_edge_route_request_headers", {"remove": [" "]}),
        ("https_edge_route_request_headers", {"add": {"": "x"}}),
    ):
        result = run(name, sample_of(name).options(option))
        assert result.failed, (name, option)
        assert next(reversed(option)) in result.msg, (name, option, result.msg)
    assert (sim.log, sim.resources) == ([], held)


def test_pitfall_35_a_write_whose_answer_cannot_be_used_says_that_it_changed_something(sim, run):
    sim.add_fault("replace_body", method="PUT", body={"enabled": True, "add": ["no", "dict"]})
    result = run("https_edge_route_request_headers", dict(ROUTE_IDS, add={"X-A": "1"}))
    assert (result.failed, result.changed) == (True, True)
    assert result.msg == "PUT %s answered 200, but its add has the wrong type: list" % HEADERS
    assert sim.resources[HEADERS]["add"] == {"X-A": "1"}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_pitfall_36_no_request_more_than_needed(sim, run, sample):
    for options, methods in (
        (sample.a, ["GET", "PUT"]),
        (sample.a, ["GET"]),
        ({"state": "absent"}, ["GET", "DELETE"]),
        ({"state": "absent"}, ["GET"]),
    ):
        sim.clear_log()
        run(sample.module, sample.options(options))
        assert [record.method for record in sim.log] == methods


def test_pitfall_39_a_service_that_drops_what_was_sent_is_changed_every_run_and_says_why(sim, run):
    for dummy in range(2):
        sim.add_fault("replace_body", method="PUT", body={"enabled": True, "value": '{"inbound":[]}'})
        result = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value={"inbound": [], "on_http_request": []}))
        assert (result.failed, result.changed) == (False, True)
        assert "the service holds something else than was asked for in value" in result.warnings[0]
        sim.put(POLICY, {"value": '{"inbound":[]}'})
