# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The answer to a PUT holds something else than was asked for, or does not fit: what a task says."""

from __future__ import annotations

import json

import pytest
from harness.samples import (
    HEADERS,
    POLICY,
    ROUTE_IDS,
    SAMPLES,
    sample_of,
)

REQUEST_HEADERS = "https_edge_route_request_headers"
TRAFFIC_POLICY = "https_edge_route_traffic_policy"


@pytest.mark.parametrize(
    "sample, answer, fields",
    [
        (sample_of("tcp_edge_backend"), dict(enabled=True, backend=dict(id="bkdtg_9", uri="x")), "backend_id"),
        (sample_of("tcp_edge_backend"), dict(enabled=False, backend=None), "enabled, backend_id"),
        (sample_of("tls_edge_ip_restriction"), dict(enabled=True), "ip_policy_ids"),
        (sample_of("tls_edge_tls_termination"), dict(terminate_at="upstream"), "terminate_at, min_version"),
        (sample_of(TRAFFIC_POLICY), dict(enabled=True, value='{"inbound":[]}'), "value"),
        (sample_of(TRAFFIC_POLICY), dict(enabled=True, value="rewritten"), "value"),
        (sample_of(REQUEST_HEADERS), dict(enabled=False, add={}), "enabled, add, remove"),
    ],
    ids=lambda value: value.module if hasattr(value, "module") else None,
)
def test_an_answer_to_put_that_differs_from_what_was_asked_warns(sim, run, sample, answer, fields):
    """The task succeeds: it returns what the service says it holds, and names the fields."""
    sim.add_fault("replace_body", method="PUT", path=sample.path, body=answer)
    result = run(sample.module, sample.options(sample.a))
    assert (result.failed, result.changed, result.operation, result.config) == (False, True, "replace", answer)
    (warning,) = result.warnings
    title = " ".join((sample.module, *sample.ids.values()))
    assert warning == "%s: the service holds something else than was asked for in %s" % (title, fields)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_a_service_in_order_causes_no_warning(sim, run, sample):
    sim.configure(empty_fields="omitted", header_names="lower", remove_order="sorted", default_min_version="1.2")
    for options in (sample.a, sample.b, sample.a):
        assert run(sample.module, sample.options(options)).warnings == []


@pytest.mark.parametrize(
    "answer", [[], "text", 1, True, {"enabled": "yes"}, {"add": {"A": 1}}, {"remove": "A"}], ids=json.dumps
)
def test_an_answer_that_does_not_fit_is_an_error_never_not_set(sim, run, answer):
    sim.add_fault("replace_body", method="GET", body=answer if isinstance(answer, dict) else json.dumps(answer))
    for state in ("present", "absent"):
        result = run(REQUEST_HEADERS, dict(ROUTE_IDS, state=state))
        assert (result.failed, result.changed) == (True, False)
        assert result.msg.startswith("GET %s answered 200, " % HEADERS)
    assert sim.writes == []


def test_a_service_that_drops_what_was_sent_is_changed_every_run_and_says_why(sim, run):
    for dummy in range(2):
        sim.add_fault("replace_body", method="PUT", body={"enabled": True, "value": '{"inbound":[]}'})
        result = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value={"inbound": [], "on_http_request": []}))
        assert (result.failed, result.changed) == (False, True)
        assert "the service holds something else than was asked for in value" in result.warnings[0]
        sim.put(POLICY, {"value": '{"inbound":[]}'})
