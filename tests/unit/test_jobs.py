# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to jobs: the functions themselves, without a service."""

from __future__ import annotations

import facts
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _jobs, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, id_faults, make_job
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, SecretNames, Secrets

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
BACKEND, HEADERS = BY_ENTRY["backend"], BY_ENTRY["request_headers"]


def test_what_a_job_is_called():
    job = Job(BACKEND, "edgtcp_1", None)
    assert (job.path, job.title) == ("/edges/tcp/edgtcp_1/backend", "tcp_edge_backend edgtcp_1")
    assert (job.wanted, job.name) == (None, None)
    job = Job(HEADERS, "e", "r")
    assert job.path == "/edges/https/e/routes/r/request_headers"
    assert job.title == job.key == "https_edge_route_request_headers e r"


def test_a_name_is_for_people():
    """It stands beside the ids in what people read, and nowhere else."""
    job = Job(HEADERS, "e", "r", name="shop, page 1")
    assert job.title == "https_edge_route_request_headers e r (shop, page 1)"
    assert job.key == "https_edge_route_request_headers e r"
    assert job.path == "/edges/https/e/routes/r/request_headers"
    assert Job(BACKEND, "e", None, name="a\nb\x1b" + "c" * 90).title == "tcp_edge_backend e (a b\\u001b%s...)" % (
        "c" * 68
    )
    for blank in ("", " \n"):
        assert Job(BACKEND, "e", None, name=blank).title == "tcp_edge_backend e"


def test_prefixes():
    assert _jobs.id_prefixes() == facts.PREFIXES


@pytest.mark.parametrize("value", ["edgtls_1", "a", "A-z.0~_", "...", "x.", "edgtls", "xipp_1", "EDGTCP_1"])
def test_good_ids(value):
    assert list(id_faults(value, "edge_id", "edgtls_")) == []


@pytest.mark.parametrize(
    "value, fault",
    [
        ("", "tls_edges[0].id must not be blank"),
        (" \t", "tls_edges[0].id must not be blank"),
        (".", 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not "."'),
        ("..", 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not ".."'),
        ("a/b", 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not "a/b"'),
        ("a\n", 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not "a\\n"'),
        ("é", 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not "\\u00e9"'),
        ("/" * 90, 'tls_edges[0].id may contain letters, digits, _, -, . and ~ only, not "%s...' % ("/" * 76)),
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


def found(description, options, where=""):
    return list(_jobs.faults(description, options, where))


def test_what_is_wanted():
    options = {"backend_id": "b", "enabled": None}
    job = make_job(BACKEND, "e", None, options, name="shop")
    assert (job.wanted, found(BACKEND, options)) == ({"enabled": True, "backend_id": "b"}, [])
    assert (job.description, job.edge_id, job.route_id, job.name) == (BACKEND, "e", None, "shop")
    options = {"backend_id": "b", "enabled": False}
    assert make_job(BACKEND, "e", None, options).wanted == {"enabled": False, "backend_id": "b"}
    assert found(BACKEND, options) == []
    options = {"state": "present", "add": {"A": 1}, "remove": ["X", "x"]}
    job = make_job(HEADERS, "e", "r", options)
    assert (job.wanted, job.route_id) == ({"enabled": True, "add": {"A": "1"}, "remove": ["X"]}, "r")
    assert found(HEADERS, options) == []


def test_absent_wants_nothing_whatever_else_is_said():
    options = {"state": "absent", "backend_id": " ", "enabled": True}
    assert (make_job(BACKEND, "e", None, options).wanted, found(BACKEND, options)) == (None, [])


def test_faults_name_their_place():
    termination = BY_ENTRY["tls_termination"]
    assert found(termination, {"terminate_at": "upstream", "min_version": "new"}, "x[1]") == [
        'x[1].min_version must be a dotted number such as 1.3, or default, not "new"',
        "x[1].min_version must be left out when terminate_at is upstream",
    ]
    assert found(termination, {"terminate_at": "upstream", "min_version": "1.2"}) == [
        "min_version must be left out when terminate_at is upstream"
    ]
    options = {"terminate_at": "edge", "min_version": "1.2"}
    assert found(termination, options) == []
    assert make_job(termination, "e", None, options).wanted["min_version"] == "1.2"
    assert found(HEADERS, {"add": {"A": "1"}, "remove": ["a"]}, "y") == ["y.add names A, and so does remove"]
    assert found(HEADERS, {"add": {"A": True}, "remove": ["a", ""]}, "y") == [
        "y.add.A must be a string or a whole number, but YAML reads it as a boolean: quote it",
        "y.remove[1] must not be blank",
    ]


def test_jobs_of_a_task_share_its_secrets():
    shared = Secrets()
    first = make_job(HEADERS, "e", "r", {"add": {"Cookie": "c00kie"}}, secret_values=shared)
    second = make_job(BACKEND, "e", None, {"backend_id": "b"}, secret_values=shared)
    assert first.secret_values is shared and second.hide("c00kie") == "********"


def test_a_job_knows_its_secrets():
    options = {"add": {"Cookie": "c00kie", "X-Mine": "m1ne-value", "X-Other": "other"}, "secret_headers": ["x_mine"]}
    job = make_job(HEADERS, "e", "r", options, secret_names=SecretNames(["X-Third"]))
    assert job.secret_names.headers == {"x-mine", "x-third"}
    job.learn({"add": {"X-Third": "th1rd-value", "X-Other": "other"}})
    job.learn(None)
    job.learn({"add": None})
    assert job.hide("c00kie m1ne-value th1rd-value other") == "******** ******** ******** other"
    assert job.hide('{"Token": "whatever"}') == '{"Token": %s}' % MASK
    plain = make_job(BACKEND, "e", None, {"backend_id": "b"})
    assert plain.hide('{"Token": "whatever"}') == '{"Token": "whatever"}'
    assert plain.secret_names.headers == frozenset()
