# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task does about options left out, cleared or null, and about a service that does something of its own."""

from __future__ import annotations

import facts
import pytest
from harness import model
from harness.samples import (
    BACKEND,
    HEADERS,
    POLICY,
    RESTRICTION,
    ROUTE_IDS,
    SAMPLES,
    TCP_IDS,
    TERMINATION,
    TLS_IDS,
    sample_of,
)

REQUEST_HEADERS = "https_edge_route_request_headers"
TRAFFIC_POLICY = "https_edge_route_traffic_policy"


def _twice(sim, run, module, options):
    """Run a task as a dry run, then for real, then again; return the PUT's body, and what the service holds."""
    dry = run(module, options, check=True)
    assert (dry.changed, sim.writes) == (True, [])
    real = run(module, options)
    assert not real.failed, real.data
    assert (real.changed, real.operation, real.diff) == (True, "replace", dry.diff)
    assert model.comparable(module, dry.config) == model.comparable(module, real.config)
    assert run(module, options).changed is False
    (put,) = sim.writes
    return put.body


# module, path, what the service holds, the task's options, what is sent
LEFT_OUT = {
    "naming add alone leaves remove": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old", "Via"]),
        dict(add={"B": "2"}),
        dict(enabled=True, add={"B": "2"}, remove=["X-Old", "Via"]),
    ),
    "naming remove alone leaves add": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(remove=["Via"]),
        dict(enabled=True, add={"A": "1"}, remove=["Via"]),
    ),
    "switching headers off leaves both": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(enabled=False),
        dict(enabled=False, add={"A": "1"}, remove=["X-Old"]),
    ),
    "an empty dict clears add alone": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(add={}),
        dict(enabled=True, add={}, remove=["X-Old"]),
    ),
    "an empty list clears remove alone": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(remove=[]),
        dict(enabled=True, add={"A": "1"}, remove=[]),
    ),
    "an empty list clears the policies": (
        ("tls_edge_ip_restriction", RESTRICTION, TLS_IDS),
        dict(ip_policy_ids=["ipp_1"]),
        dict(ip_policy_ids=[]),
        dict(enabled=True, ip_policy_ids=[]),
    ),
    "an empty policy clears the policy": (
        (TRAFFIC_POLICY, POLICY, ROUTE_IDS),
        dict(value='{"inbound":[]}'),
        dict(value={}),
        dict(enabled=True, value="{}"),
    ),
    "disabling a termination leaves min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge", enabled=False),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
    ),
    "enabling a termination leaves min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge"),
        dict(enabled=True, terminate_at="edge", min_version="1.3"),
    ),
    "to upstream drops min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="upstream"),
        dict(enabled=True, terminate_at="upstream", min_version=None),
    ),
    "enabled left out is true": (
        ("tcp_edge_backend", BACKEND, TCP_IDS),
        dict(enabled=False, backend_id="bkdtg_1"),
        dict(backend_id="bkdtg_1"),
        dict(enabled=True, backend_id="bkdtg_1"),
    ),
    "null is left out, and no empty value": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(enabled=False, add={"A": "1"}, remove=["X-Old"]),
        dict(add=None, remove=["Via"], enabled=None, state=None, secret_headers=None, timeout=None),
        dict(enabled=True, add={"A": "1"}, remove=["Via"]),
    ),
    "a null min_version is left out": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge", min_version=None, enabled=False),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
    ),
}


@pytest.mark.parametrize("empty_fields", ["kept", "omitted"])
@pytest.mark.parametrize("where, held, options, sent", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_an_option_left_out_or_cleared_does(sim, run, where, held, options, sent, empty_fields):
    sim.configure(empty_fields=empty_fields)
    module, path, ids = where
    sim.put(path, held)
    assert _twice(sim, run, module, {**ids, **options}) == sent


def test_a_version_that_the_service_chose_is_carried_by_the_next_change(sim, run):
    """Raising another field never silently lowers min_version, whatever the service's default becomes."""
    sim.configure(default_min_version="1.2")
    task = dict(TLS_IDS, terminate_at="edge")
    created = run("tls_edge_tls_termination", task)
    assert (created.config["min_version"], created.warnings) == ("1.2", [])
    assert not run("tls_edge_tls_termination", task).changed
    run("tls_edge_tls_termination", dict(task, enabled=False))
    assert sim.writes[-1].body == dict(enabled=False, terminate_at="edge", min_version="1.2")
    run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="upstream"))
    run("tls_edge_tls_termination", task)
    assert sim.writes[-1].body == dict(enabled=True, terminate_at="edge", min_version=None)


def test_min_version_with_upstream_is_refused_and_nothing_is_sent(sim, run):
    result = run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="upstream", min_version="1.2"))
    assert result.failed
    assert result.msg == "min_version must be left out when terminate_at is upstream"
    assert sim.log == []


@pytest.mark.parametrize("version", ["", "1", "1.", ".2", "1.2.", "v1.2", "TLSv1.2", "1.2 ", "1,2", "1.2\n", "١.٢"])
def test_a_min_version_that_is_no_dotted_number_is_refused(sim, run, version):
    result = run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=version))
    assert result.failed
    assert "min_version must be a dotted number such as 1.3, or default, not " in result.msg
    assert sim.log == []


@pytest.mark.parametrize(
    "module, needed",
    [(name, field.name) for name, module in facts.MODULES.items() for field in module.fields if field.required],
)
@pytest.mark.parametrize("given", [{}, None], ids=["left out", "null"])
def test_what_is_required_when_present(sim, run, module, needed, given):
    sample = sample_of(module)
    options = sample.options({} if given == {} else {needed: None})
    result = run(module, options)
    assert result.failed
    assert "%s is required when state is present: set it, or change state" % needed in result.msg
    assert sim.log == []
    assert not run(module, dict(options, state="absent")).failed


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_absent_ignores_the_other_options(sim, run, sample):
    """They may be anything then: a task of present becomes one of absent by one word."""
    nonsense = {name: {"no": ["such", {"value": None}]} for name in (*sample.a, *sample.b)}
    sim.put(sample.path, sample.stored_a)
    for options in (sample.a, sample.b, nonsense):
        assert run(sample.module, sample.options(options, state="absent"), check=True).operation == "delete"
    result = run(sample.module, sample.options(nonsense, state="absent"))
    assert (result.operation, result.config) == ("delete", None)
    assert sim.resources == {}


def test_blank_is_an_error_and_never_clears(sim, run):
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
