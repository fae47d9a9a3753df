# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to jobs: the functions themselves, without a service."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _jobs, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, id_faults, make_job
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, Secrets

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
BACKEND, HEADERS = BY_ENTRY["backend"], BY_ENTRY["request_headers"]


def test_what_a_job_is_called():
    job = Job(BACKEND, "edgtcp_1", None)
    assert (job.path, job.title) == ("/edges/tcp/edgtcp_1/backend", "tcp_edge_backend edgtcp_1")
    assert (job.wanted, job.where) == (None, "")
    job = Job(HEADERS, "e", "r")
    assert job.path == "/edges/https/e/routes/r/request_headers"
    assert job.title == "https_edge_route_request_headers e r"


def test_prefixes():
    assert _jobs.id_prefixes() == {"edgtcp_", "edgtls_", "edghts_", "edghtsrt_", "bkdtg_", "ipp_"}


@pytest.mark.parametrize("value", ["edgtls_1", "a", "A-z.0~_", "...", "x.", "edgtls", "xipp_1", "EDGTCP_1"])
def test_good_ids(value):
    assert list(id_faults(value, "edge_id", "edgtls_")) == []


@pytest.mark.parametrize(
    "value, fault",
    [
        ("", "tls_edges[0].id must not be blank"),
        (" \t", "tls_edges[0].id must not be blank"),
        (".", 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not "."'),
        ("..", 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not ".."'),
        ("a/b", 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not "a/b"'),
        ("a\n", 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not "a\\n"'),
        ("é", 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not "\\u00e9"'),
        ("/" * 90, 'tls_edges[0].id may hold letters, digits, _, -, . and ~ only, not "%s...' % ("/" * 76)),
        (
            "edgtcp_1",
            "tls_edges[0].id names another kind of resource: edgtcp_1 begins with edgtcp_, not with edgtls_",
        ),
        ("ipp_1", "tls_edges[0].id names another kind of resource: ipp_1 begins with ipp_, not with edgtls_"),
        (
            "ipp_" + "1" * 90,
            "tls_edges[0].id names another kind of resource: ipp_%s... begins with ipp_, not with edgtls_" % ("1" * 73),
        ),
    ],
)
def test_bad_ids(value, fault):
    assert list(id_faults(value, "tls_edges[0].id", "edgtls_")) == [fault]


def test_what_is_wanted():
    job, found = make_job(BACKEND, "e", None, {"backend_id": "b", "enabled": None})
    assert (job.wanted, found) == ({"enabled": True, "backend_id": "b"}, [])
    assert (job.description, job.edge_id, job.route_id, job.where) == (BACKEND, "e", None, "")
    job, found = make_job(BACKEND, "e", None, {"backend_id": "b", "enabled": False}, where="tcp_edges[0].backend")
    assert (job.wanted, job.where) == ({"enabled": False, "backend_id": "b"}, "tcp_edges[0].backend")
    job, found = make_job(HEADERS, "e", "r", {"state": "present", "add": {"A": 1}, "remove": ["X", "x"]})
    assert (job.wanted, found, job.route_id) == ({"enabled": True, "add": {"A": "1"}, "remove": ["X"]}, [], "r")


def test_absent_wants_nothing_whatever_else_is_said():
    job, found = make_job(BACKEND, "e", None, {"state": "absent", "backend_id": " ", "enabled": True})
    assert (job.wanted, found) == (None, [])


def test_faults_name_their_place():
    termination = BY_ENTRY["tls_termination"]
    job, found = make_job(termination, "e", None, {"terminate_at": "upstream", "min_version": "new"}, where="x[1]")
    assert found == [
        'x[1].min_version must be a dotted number such as 1.3, not "new"',
        "x[1].min_version must be left out when terminate_at is upstream",
    ]
    job, found = make_job(termination, "e", None, {"terminate_at": "upstream", "min_version": "1.2"})
    assert found == ["min_version must be left out when terminate_at is upstream"]
    assert job.wanted == {"enabled": True, "terminate_at": "upstream"}
    job, found = make_job(termination, "e", None, {"terminate_at": "edge", "min_version": "1.2"})
    assert (found, job.wanted["min_version"]) == ([], "1.2")
    job, found = make_job(HEADERS, "e", "r", {"add": {"A": "1"}, "remove": ["a"]}, where="y")
    assert found == ["y.add: A stands in remove too"]
    job, found = make_job(HEADERS, "e", "r", {"add": {"A": True}, "remove": ["a", ""]}, where="y")
    assert found == [
        "y.add.A must be text or a whole number; YAML reads it as a boolean: quote it",
        "y.remove[1] must not be blank",
    ]


def test_jobs_of_a_task_share_its_secrets():
    shared = Secrets()
    first, dummy = make_job(HEADERS, "e", "r", {"add": {"Cookie": "c00kie"}}, secrets=shared)
    second, dummy = make_job(BACKEND, "e", None, {"backend_id": "b"}, secrets=shared)
    assert first.secrets is shared and second.hide("c00kie") == "********"


def test_a_job_knows_its_secrets():
    options = {"add": {"Cookie": "c00kie", "X-Mine": "m1ne-value", "X-Other": "other"}, "secret_headers": ["x_mine"]}
    job, dummy = make_job(HEADERS, "e", "r", options, secret_headers=["X-Third"])
    assert job.secret_names.named == {"x-mine", "x-third"}
    job.learn({"add": {"X-Third": "th1rd-value", "X-Other": "other"}})
    job.learn(None)
    job.learn({"add": None})
    assert job.hide("c00kie m1ne-value th1rd-value other") == "******** ******** ******** other"
    assert job.hide('{"Token": "whatever"}') == '{"Token": %s}' % MASK
    plain, dummy = make_job(BACKEND, "e", None, {"backend_id": "b"})
    assert plain.hide('{"Token": "whatever"}') == '{"Token": "whatever"}'
    assert plain.secret_names.named == frozenset()
