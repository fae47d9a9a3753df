# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator that the other tests rest upon, over real HTTP."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import facts
import pytest
import requests
from harness import model
from harness.samples import SAMPLES

pytest.importorskip("openapi_core")

import simulator.contract  # noqa: E402
from simulator import Simulator  # noqa: E402

TESTS = pathlib.Path(__file__).resolve().parents[1]
BACKEND = "/edges/tcp/edgtcp_1/backend"
RESTRICTION = "/edges/tls/edgtls_1/ip_restriction"
TERMINATION = "/edges/tls/edgtls_1/tls_termination"
POLICY = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
HEADERS = "/edges/https/edghts_1/routes/edghtsrt_1/request_headers"

POLICY_TEXT = '{"outbound": [], "inbound": [{"name": "b", "expressions": ["req.content_length > 1 && \'<é\' in x"]}]}'
NORMALIZED = (
    r'{"inbound":[{"expressions":["req.content_length \u003e 1 \u0026\u0026 ' + r"'\u003cé' in x" + r'"],"name":"b"}],'
    r'"outbound":[]}'
)

# path, body of the PUT, the answer ({base_url} filled in)
MODULES = [
    pytest.param(
        BACKEND,
        {"enabled": False, "backend_id": "bkdtg_1"},
        {"enabled": False, "backend": {"id": "bkdtg_1", "uri": "{base_url}/backends/tunnel_group/bkdtg_1"}},
        id="backend",
    ),
    pytest.param(
        RESTRICTION,
        {"enabled": True, "ip_policy_ids": ["ipp_2", "ipp_1"]},
        {
            "enabled": True,
            "ip_policies": [
                {"id": "ipp_2", "uri": "{base_url}/ip_policies/ipp_2"},
                {"id": "ipp_1", "uri": "{base_url}/ip_policies/ipp_1"},
            ],
        },
        id="ip_restriction",
    ),
    pytest.param(
        TERMINATION,
        {"enabled": True, "terminate_at": "edge", "min_version": "1.3"},
        {"enabled": True, "terminate_at": "edge", "min_version": "1.3"},
        id="tls_termination",
    ),
    pytest.param(
        POLICY, {"enabled": True, "value": POLICY_TEXT}, {"enabled": True, "value": NORMALIZED}, id="traffic_policy"
    ),
    pytest.param(
        HEADERS,
        {"enabled": True, "add": {"X-A": "1"}, "remove": ["X-C", "x-b"]},
        {"enabled": True, "add": {"X-A": "1"}, "remove": ["X-C", "x-b"]},
        id="request_headers",
    ),
]
HEADERS_BODY = {"add": {"X-A": "1"}, "remove": ["X-C", "x-b"]}


class Client(requests.Session):
    """Knows the simulator's address and key, follows no redirect."""

    def __init__(self, sim: Simulator) -> None:
        super().__init__()
        self.trust_env = False
        self.sim = sim
        self.headers.update({"Authorization": f"Bearer {sim.api_key}", "Service-Version": "2"})

    def send_to(self, method: str, path: str, body=None, **kwargs) -> requests.Response:
        """Send a request, with a JSON body if there is one."""
        kwargs.setdefault("timeout", 20)
        return self.request(method, self.sim.base_url + path, json=body, allow_redirects=False, **kwargs)


@pytest.fixture(name="sim")
def _sim():
    with Simulator() as sim:
        yield sim


@pytest.fixture(name="client")
def _client(sim):
    with Client(sim) as client:
        yield client


@pytest.mark.parametrize(("path", "body", "answer"), MODULES)
def test_operations(sim, client, path, body, answer):
    answer = json.loads(json.dumps(answer).replace("{base_url}", sim.base_url))
    assert client.send_to("GET", path).status_code == 404
    put = client.send_to("PUT", path, body)
    assert (put.status_code, put.json(), put.headers["Content-Type"]) == (200, answer, "application/json")
    assert client.send_to("GET", path).json() == answer
    assert sim.resources == {path: body}
    without_enabled = {name: value for name, value in body.items() if name != "enabled"}
    assert client.send_to("PUT", path, without_enabled).json() == {**answer, "enabled": True}
    delete = client.send_to("DELETE", path)
    assert (delete.status_code, delete.content) == (204, b"")
    assert client.send_to("DELETE", path).status_code == 404
    assert (sim.refusals, sim.resources) == ([], {})


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_operations_of_every_edge_module(sim, client, sample):
    """The description of the service allows them, and tests/facts.py says what is stored and answered."""
    for stored in (sample.stored_a, sample.stored_b):
        put = client.send_to("PUT", sample.path, stored)
        assert put.status_code == 200, put.text
        assert client.send_to("GET", sample.path).json() == put.json()
        assert sim.resources == {sample.path: stored}
        assert model.comparable(sample.module, put.json()) == model.forms(sample.module, stored)
    assert client.send_to("DELETE", sample.path).status_code == 204
    assert (sim.refusals, sim.resources) == ([], {})


def test_log(sim, client):
    client.send_to("GET", BACKEND)
    client.send_to("PUT", BACKEND, {"backend_id": "b"})
    client.send_to("DELETE", BACKEND)
    assert [(record.method, record.path, record.status) for record in sim.log] == [
        ("GET", BACKEND, 404),
        ("PUT", BACKEND, 200),
        ("DELETE", BACKEND, 204),
    ]
    put, delete = sim.writes
    assert (put.body, put.query, delete.body) == ({"backend_id": "b"}, "", None)
    assert put.headers["Service-Version"] == "2"
    assert put.time <= put.end <= delete.time
    assert len({record.connection for record in sim.log}) == 1, "the connection is kept alive"
    with Client(sim) as other:
        other.send_to("GET", BACKEND)
    assert len({record.connection for record in sim.log}) == 2
    sim.clear_log()
    assert sim.log == []


def test_error_template(sim, client):
    error = client.send_to("GET", BACKEND).json()
    operation = error["details"].pop("operation_id")
    assert operation.startswith("op_")
    assert error == {"error_code": "ERR_404", "status_code": 404, "msg": "the module is not set", "details": {}}
    sim.configure(error_template={"errors": [{"n": "{status}", "text": "{code}: {message}"}]})
    assert client.send_to("GET", BACKEND).json() == {"errors": [{"n": 404, "text": "ERR_404: the module is not set"}]}
    sim.configure(error_template="broken ({status})")
    assert client.send_to("GET", BACKEND).text == "broken (404)"


# Breaches of the contract

TERMINATE = {"terminate_at": "edge", "min_version": "1.2"}


@pytest.mark.parametrize(
    ("method", "path", "kwargs", "status"),
    [
        ("PUT", BACKEND, {"json": {"backend_id": "b", "backend": "b"}}, 400),
        ("PUT", BACKEND, {"json": {}}, 400),
        ("PUT", BACKEND, {"json": {"backend_id": None}}, 400),
        ("PUT", BACKEND, {"json": {"backend_id": "b", "enabled": "yes"}}, 400),
        ("PUT", BACKEND, {"json": {"backend_id": "b", "enabled": None}}, 400),
        ("PUT", BACKEND, {"json": ["b"]}, 400),
        ("PUT", BACKEND, {}, 400),
        ("PUT", BACKEND, {"data": '{"backend_id": "b"}'}, 400),
        ("PUT", BACKEND, {"data": '{"backend_id": "b"}', "headers": {"Content-Type": "text/plain"}}, 400),
        ("PUT", BACKEND, {"data": '{"backend_id": "b"', "headers": {"Content-Type": "application/json"}}, 400),
        (
            "PUT",
            BACKEND,
            {"data": '{"backend_id":"a","backend_id":"b"}', "headers": {"Content-Type": "application/json"}},
            400,
        ),
        ("PUT", RESTRICTION, {"json": {"backend_id": "b"}}, 400),
        ("PUT", RESTRICTION, {"json": {"ip_policy_ids": ["a", 1]}}, 400),
        ("PUT", RESTRICTION, {"json": {"ip_policy_ids": "a"}}, 400),
        ("PUT", RESTRICTION, {"json": {"ip_policy_ids": None}}, 400),
        ("PUT", TERMINATION, {"json": {"terminate_at": "upstream", "min_version": "1.2"}}, 400),
        ("PUT", TERMINATION, {"json": {"terminate_at": "elsewhere", "min_version": None}}, 400),
        ("PUT", TERMINATION, {"json": {"terminate_at": "edge"}}, 400),
        ("PUT", TERMINATION, {"json": {"terminate_at": "edge", "min_version": 1.2}}, 400),
        ("PUT", TERMINATION, {"json": {"terminate_at": "edge", "min_version": "TLSv1"}}, 400),
        ("PUT", POLICY, {"json": {"value": {}}}, 400),
        ("PUT", POLICY, {"json": {"value": "[]"}}, 400),
        ("PUT", POLICY, {"json": {"value": "inbound"}}, 400),
        ("PUT", POLICY, {"json": {"value": '{"a": NaN}'}}, 400),
        ("PUT", HEADERS, {"json": {"add": {"A": 1}, "remove": []}}, 400),
        ("PUT", HEADERS, {"json": {"add": {}, "remove": [1]}}, 400),
        ("PUT", HEADERS, {"json": {"add": None, "remove": []}}, 400),
        ("PUT", HEADERS, {"json": {"add": {}}}, 400),
        ("GET", BACKEND, {"json": {}}, 400),
        ("DELETE", BACKEND, {"json": {}}, 400),
        ("GET", BACKEND, {"params": {"a": "b"}}, 400),
        ("GET", BACKEND, {"headers": {"Service-Version": None}}, 400),
        ("GET", BACKEND, {"headers": {"Service-Version": "1"}}, 400),
        ("GET", BACKEND, {"headers": {"Authorization": None}}, 401),
        ("GET", BACKEND, {"headers": {"Authorization": "Bearer wrong"}}, 401),
        ("GET", BACKEND, {"headers": {"Authorization": "Basic dTpw"}}, 401),
        ("PATCH", BACKEND, {"json": {}}, 405),
        ("GET", "/edges/tcp/a%20b/backend", {}, 400),
        ("GET", "/edges/tcp/edgtcp_1", {}, 404),
        ("GET", BACKEND + "/", {}, 404),
        ("GET", "/edges//tcp/edgtcp_1/backend", {}, 404),
    ],
)
def test_refusals(sim, client, method, path, kwargs, status):
    # The right request comes first: nothing that was found right then may let the wrong one pass.
    for good_path, body in ((BACKEND, {"backend_id": "b"}), (TERMINATION, TERMINATE)):
        client.send_to("PUT", good_path, body)
        client.send_to("GET", good_path)
        client.send_to("DELETE", good_path)
    assert sim.refusals == []
    answer = client.request(method, sim.base_url + path, timeout=20, **kwargs)
    assert (answer.status_code, answer.json()["status_code"]) == (status, status)
    assert len(sim.refusals) == 1
    assert sim.refusals[0].startswith(f"{method} ")
    assert sim.resources == {}


def test_refusals_say_why(sim, client):
    client.send_to("PUT", RESTRICTION, {"ip_policy_ids": ["a", 1]})
    assert "$.ip_policy_ids[1]: 1 is not of type 'string'" in sim.refusals[0]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (BACKEND.replace("edgtcp_1", "a.b~c-d_E9"), {"backend_id": "ü"}),
        (RESTRICTION, {"ip_policy_ids": []}),
        (TERMINATION, {"terminate_at": "upstream", "min_version": None}),
        (TERMINATION, {"terminate_at": "edge", "min_version": None}),
        (POLICY, {"value": "{}"}),
        (HEADERS, {"add": {}, "remove": []}),
    ],
)
def test_unusual_and_right(sim, client, path, body):
    client.headers["Content-Type"] = "application/json; charset=utf-8"
    assert client.send_to("PUT", path, body).status_code == 200
    assert client.send_to("GET", path).status_code == 200
    assert sim.refusals == []


def test_without_validation(sim, client):
    sim.configure(validate=False)
    assert client.send_to("PUT", BACKEND, {"backend_id": "b", "more": 1}).status_code == 200
    assert client.send_to("PUT", BACKEND, []).status_code == 400
    assert client.send_to("GET", "/nowhere").status_code == 404
    assert client.send_to("GET", BACKEND, headers={"Authorization": "Bearer wrong"}).status_code == 401


def test_own_wrong_answer(sim, client):
    sim.put(BACKEND, {"backend_id": 5})
    assert client.send_to("GET", BACKEND).status_code == 500
    assert "own answer is wrong" in sim.refusals[0]


def test_description_is_valid_and_whole():
    pytest.importorskip("openapi_spec_validator").validate(simulator.contract._description())
    operations = [
        operation["operationId"]
        for path in simulator.contract._description()["paths"].values()
        for method, operation in path.items()
        if method in ("get", "put", "delete")
    ]
    assert len(set(operations)) == len(operations) == 3 * len(facts.MODULES)


# Options


@pytest.mark.parametrize(
    ("option", "path", "stored", "expected"),
    [
        ({"not_set": "404"}, BACKEND, None, (404, None)),
        ({"not_set": "204"}, BACKEND, None, (204, "")),
        ({"not_set": "empty"}, BACKEND, None, (200, "")),
        ({"not_set": "null"}, BACKEND, None, (200, "null")),
        ({"not_set": "{}"}, BACKEND, None, (200, "{}")),
        ({"policy_form": "echo"}, POLICY, {"value": '{ "b": 1, "a": 2}'}, {"value": '{ "b": 1, "a": 2}'}),
        ({"policy_form": "indented"}, POLICY, {"value": '{"b":1}'}, {"value": '{\n  "b": 1\n}'}),
        ({"header_names": "lower"}, HEADERS, HEADERS_BODY, {"add": {"x-a": "1"}, "remove": ["x-c", "x-b"]}),
        ({"remove_order": "reversed"}, HEADERS, HEADERS_BODY, {"add": {"X-A": "1"}, "remove": ["x-b", "X-C"]}),
        ({"remove_order": "sorted"}, HEADERS, {"add": {}, "remove": ["B", "C", "A"]}, {"remove": ["A", "B", "C"]}),
        ({"default_min_version": "1.2"}, TERMINATION, {"terminate_at": "edge"}, {"min_version": "1.2"}),
        ({"default_min_version": "1.2"}, TERMINATION, {"terminate_at": "upstream"}, {"min_version": None}),
        ({"empty_fields": "omitted"}, HEADERS, {}, {"enabled": True}),
        ({"empty_fields": "omitted"}, HEADERS, {"add": {"A": ""}}, {"add": {"A": ""}}),
        ({"empty_fields": "null"}, HEADERS, {}, {"enabled": True, "add": None, "remove": None}),
        ({"empty_fields": "omitted"}, TERMINATION, {"terminate_at": "edge"}, {"terminate_at": "edge"}),
        ({"edges": ["edgtcp_2"]}, BACKEND, {"backend_id": "b"}, (404, None)),
        ({"edges": ["edghts_1/edghtsrt_1"]}, HEADERS, HEADERS_BODY, HEADERS_BODY),
        ({"base_path": "api/v1/"}, BACKEND, None, (404, None)),
    ],
)
def test_answers_by_option(option, path, stored, expected):
    with Simulator(**option) as sim, Client(sim) as client:
        if stored is not None:
            sim.put(path, stored)
        answer = client.send_to("GET", path)
        if isinstance(expected, tuple):
            assert answer.status_code == expected[0]
            assert expected[1] in (None, answer.text)
        else:
            expected = {"enabled": True, **expected}
            found = answer.json()
            assert {name: found[name] for name in expected} == expected
            if option.get("empty_fields") == "omitted":
                assert found == expected
        assert sim.refusals == []
        sim.reset()
        assert getattr(sim.options, next(iter(option))) == (
            "/api/v1" if "base_path" in option else next(iter(option.values()))
        )


def test_ip_policy_order(sim, client):
    sim.configure(ip_policy_order="reversed")
    answer = client.send_to("PUT", RESTRICTION, {"ip_policy_ids": ["b", "a", "c"]}).json()
    assert [ref["id"] for ref in answer["ip_policies"]] == ["c", "a", "b"]


def test_delete_not_set(sim, client):
    sim.configure(delete_not_set="204")
    assert client.send_to("DELETE", BACKEND).status_code == 204


def test_unknown_edge(sim, client):
    sim.configure(edges=["edgtcp_2"], delete_not_set="204", not_set="204")
    for method, body in (("GET", None), ("PUT", {"backend_id": "b"}), ("DELETE", None)):
        assert client.send_to(method, BACKEND, body).status_code == 404
        assert client.send_to(method, BACKEND.replace("_1", "_2"), body).status_code in (200, 204)


def test_upstream_refuses(sim, client):
    upstream = {"terminate_at": "upstream", "min_version": None}
    sim.configure(upstream_refuses=True)
    assert client.send_to("PUT", RESTRICTION, {"ip_policy_ids": ["a"]}).status_code == 200
    assert client.send_to("PUT", TERMINATION, upstream).status_code == 400
    assert client.send_to("PUT", TERMINATION, TERMINATE).status_code == 200
    assert client.send_to("DELETE", RESTRICTION).status_code == 204
    assert client.send_to("PUT", TERMINATION, upstream).status_code == 200
    assert client.send_to("PUT", RESTRICTION, {"ip_policy_ids": ["a"]}).status_code == 400
    assert RESTRICTION not in sim.resources


def test_branded_header_key_and_base_path(sim, client):
    sim.configure(version_header="Edge-Version", api_version="3", api_key="other", base_path="/api/v1")
    assert sim.base_url.endswith("/api/v1")
    assert client.send_to("GET", BACKEND).status_code == 400
    client.headers["Edge-Version"] = "3"
    assert client.send_to("GET", BACKEND).status_code == 401
    client.headers["Authorization"] = "Bearer other"
    assert client.send_to("PUT", BACKEND, {"backend_id": "b"}).json()["backend"]["uri"] == (
        f"{sim.base_url}/backends/tunnel_group/b"
    )
    assert sim.log[-1].path == BACKEND
    assert client.get(sim.root_url + BACKEND, timeout=20).status_code == 404
    assert len(sim.refusals) == 3


def test_latency_and_in_flight(sim):
    sim.configure(latency=0.3)

    def get():
        with Client(sim) as client:
            client.send_to("GET", BACKEND)

    start = time.monotonic()
    threads = [threading.Thread(target=get) for dummy in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start >= 0.3
    assert sim.max_in_flight == 4
    sim.reset()
    assert sim.max_in_flight == 0


def test_requests_per_second(sim, client):
    sim.configure(requests_per_second=3)
    answers = [client.send_to("GET", BACKEND) for dummy in range(20)]
    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert limited[0].headers["Retry-After"] == "1"


@pytest.mark.parametrize("option", [{"nothing": 1}, {"not_set": "403"}, {"policy_form": None}])
def test_wrong_options(sim, option):
    with pytest.raises(ValueError, match="there is no option|is one of"):
        sim.configure(**option)
    with pytest.raises(ValueError, match="there is no option|is one of"):
        Simulator(**option)


def test_wrong_seeds(sim):
    for path, config in ((BACKEND + "s", {}), (BACKEND, {"backend": "b"})):
        with pytest.raises(ValueError, match="is the path of no|has no field"):
            sim.put(path, config)


# Faults


@pytest.mark.parametrize(
    ("rule", "error", "written"),
    [
        ({"kind": "reset_before"}, requests.ConnectionError, False),
        ({"kind": "reset_after"}, requests.ConnectionError, True),
        ({"kind": "close_before"}, requests.ConnectionError, False),
        ({"kind": "close_after"}, requests.ConnectionError, True),
        ({"kind": "hang"}, requests.ReadTimeout, False),
        ({"kind": "hang_after"}, requests.ReadTimeout, True),
        ({"kind": "hang", "seconds": 0.1}, requests.ConnectionError, False),
        ({"kind": "truncated"}, requests.exceptions.ChunkedEncodingError, True),
        ({"status": 503}, 503, False),
        ({"status": 502, "applied": True}, 502, True),
        ({"kind": "html"}, 200, False),
        ({"kind": "redirect"}, 302, False),
        ({"kind": "redirect", "status": 308}, 308, False),
        ({"kind": "slow", "seconds": 0.2}, 200, True),
        ({"kind": "list"}, 200, False),
        ({"kind": "replace_body", "body": "null"}, 200, True),
    ],
)
def test_faults(sim, client, rule, error, written):
    fault = sim.add_fault(method="PUT", path="*/backend", times=1, **rule)
    body = {"backend_id": "b"}
    if isinstance(error, int):
        assert client.send_to("PUT", BACKEND, body).status_code == sim.log[0].status == error
    else:
        with pytest.raises(error) as caught:
            client.send_to("PUT", BACKEND, body, timeout=1)
        assert ("reset" in str(caught.value)) == rule["kind"].startswith("reset")
        assert sim.log[0].status == (200 if rule["kind"] == "truncated" else None)
    assert (BACKEND in sim.resources) == written
    assert (fault.hits, sim.log[0].fault) == (1, fault.kind)
    assert client.send_to("PUT", BACKEND, body).status_code == 200
    assert sim.refusals == []


def test_fault_answers(sim, client):
    def answer(**rule):
        sim.clear_faults()
        sim.add_fault(**rule)
        return client.send_to("GET", BACKEND)

    assert answer(status=500).json()["error_code"] == "ERR_500"
    assert answer(status=500, body="oops", content_type="text/plain").headers["Content-Type"] == "text/plain"
    assert answer(status=429, headers={"Retry-After": "7"}).headers["Retry-After"] == "7"
    assert answer(status=418, body={"a": "ü"}).json() == {"a": "ü"}
    assert answer(kind="html").headers["Content-Type"].startswith("text/html")
    assert answer(kind="redirect", location="https://other.example/x").headers["Location"] == "https://other.example/x"
    assert isinstance(answer(kind="list").json(), list)
    assert answer(kind="replace_body", body={"enabled": 7}).json() == {"enabled": 7}
    sim.put(BACKEND, {"backend_id": "b"})
    assert answer(kind="slow", seconds=0.1).json()["backend"]["id"] == "b"


def test_truncated_without_body(sim, client):
    sim.put(BACKEND, {"backend_id": "b"})
    sim.add_fault("truncated")
    with pytest.raises(requests.ConnectionError):
        client.send_to("DELETE", BACKEND)
    assert sim.resources == {}


def test_which_requests_a_fault_hits(sim, client):
    sim.add_fault(path=BACKEND, method="GET", status=500, after=1, times=2)
    sim.put(BACKEND, {"backend_id": "b"})
    assert client.send_to("PUT", BACKEND, {"backend_id": "b"}).status_code == 200
    assert [client.send_to("GET", BACKEND).status_code for dummy in range(4)] == [200, 500, 500, 200]
    sim.add_fault(status=503)
    assert client.send_to("GET", HEADERS).status_code == 503
    assert client.send_to("GET", HEADERS, headers={"Service-Version": None}).status_code == 400
    sim.clear_faults()
    assert client.send_to("GET", HEADERS).status_code == 404


@pytest.mark.parametrize("rule", [{}, {"kind": "nothing"}])
def test_wrong_faults(sim, rule):
    with pytest.raises(ValueError, match="fault"):
        sim.add_fault(**rule)


def hang(sim):
    """Begin a request that hangs; returns its thread, and a list that takes the error it ends with."""
    sim.add_fault("hang")
    errors = []

    def get():
        with Client(sim) as client:
            try:
                client.send_to("GET", BACKEND)
            except requests.ConnectionError as error:
                errors.append(error)

    thread = threading.Thread(target=get)
    thread.start()
    while not sim.log:
        time.sleep(0.01)
    return thread, errors


@pytest.mark.parametrize("release", [Simulator.clear_faults, Simulator.reset])
def test_hanging_requests_end(sim, client, release):
    thread, errors = hang(sim)
    release(sim)
    thread.join(10)
    assert len(errors) == 1
    assert client.send_to("GET", BACKEND).status_code == 404


def test_stopping_ends_everything():
    before = threading.active_count()
    sim = Simulator().start()
    thread, errors = hang(sim)
    with socket.create_connection(("127.0.0.1", sim.port), timeout=10) as idle:
        time.sleep(0.1)  # the server has to accept it first
        start = time.monotonic()
        sim.stop()
        assert time.monotonic() - start < 2
        assert idle.recv(1) == b""
    thread.join(10)
    assert len(errors) == 1
    end = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < end, threading.enumerate()
        time.sleep(0.01)


def test_two_at_once(sim, client):
    with Simulator(api_key="second") as second, Client(second) as other:
        client.send_to("PUT", BACKEND, {"backend_id": "b"})
        other.send_to("PUT", HEADERS, {"add": {}, "remove": []})
        assert (list(sim.resources), list(second.resources)) == ([BACKEND], [HEADERS])
        assert (len(sim.log), len(second.log)) == (1, 1)


# TLS


@pytest.fixture(name="authority", scope="module")
def _authority(tmp_path_factory):
    trustme = pytest.importorskip("trustme")
    authority, folder = trustme.CA(), tmp_path_factory.mktemp("tls")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    for name, cert in (("server", authority.issue_cert("127.0.0.1")), ("client", authority.issue_cert("me@a.example"))):
        cert.private_key_pem.write_to_path(str(folder / f"{name}.key"))
        for number, pem in enumerate(cert.cert_chain_pems):
            pem.write_to_path(str(folder / f"{name}.pem"), append=number > 0)
    return folder


def test_tls(authority):
    certfile, keyfile = str(authority / "server.pem"), str(authority / "server.key")
    with Simulator(certfile=certfile, keyfile=keyfile) as sim, Client(sim) as client:
        assert sim.base_url.startswith("https://")
        with pytest.raises(requests.exceptions.SSLError):
            client.send_to("GET", BACKEND)
        client.verify = str(authority / "ca.pem")
        sim.put(BACKEND, {"backend_id": "b"})
        assert client.send_to("GET", BACKEND).json()["backend"]["uri"].startswith("https://")
        client.send_to("GET", BACKEND)
        assert len({record.connection for record in sim.log}) == 1
        for kind in ("reset_before", "close_after", "truncated"):
            sim.clear_faults()
            sim.add_fault(kind, method="GET")
            with pytest.raises(requests.RequestException):
                client.send_to("GET", BACKEND)


def test_mutual_tls(authority):
    certfile, keyfile = str(authority / "server.pem"), str(authority / "server.key")
    ca = str(authority / "ca.pem")
    with Simulator(certfile=certfile, keyfile=keyfile, client_ca=ca) as sim, Client(sim) as client:
        client.verify = ca
        with pytest.raises(requests.ConnectionError):
            client.send_to("GET", BACKEND)
        client.cert = (str(authority / "client.pem"), str(authority / "client.key"))
        assert client.send_to("GET", BACKEND).status_code == 404


# From another process


def test_control_over_http(sim, client):
    sim.configure(base_path="/api")
    root = sim.root_url + "/_simulator/"
    control = requests.Session()
    control.trust_env = False
    assert control.post(root + "options", json={"not_set": "204"}, timeout=20).json()["not_set"] == "204"
    assert control.post(root + "options", json={"not_set": "403"}, timeout=20).status_code == 400
    assert control.post(root + "faults", json={"status": 500, "times": 1}, timeout=20).status_code == 200
    assert control.post(root + "faults", json={"colour": "red"}, timeout=20).status_code == 400
    assert client.send_to("GET", BACKEND).status_code == 500
    control.post(root + "faults", json={"status": 500}, timeout=20)
    control.delete(root + "faults", timeout=20)
    assert client.send_to("GET", BACKEND).status_code == 204
    seed = {BACKEND: {"backend_id": "b"}, HEADERS: HEADERS_BODY}
    assert control.put(root + "resources", json=seed, timeout=20).status_code == 200
    assert control.put(root + "resources", json={HEADERS: None}, timeout=20).status_code == 200
    assert client.send_to("GET", BACKEND).json()["backend"]["id"] == "b"
    state = control.get(root + "state", timeout=20).json()
    assert state["resources"] == {BACKEND: {"enabled": True, "backend_id": "b"}}
    assert [record["status"] for record in state["log"]] == [500, 204, 200]
    assert (state["options"]["not_set"], state["base_url"], state["refusals"]) == ("204", sim.base_url, [])
    control.post(root + "clear-log", timeout=20)
    assert control.get(root + "state", timeout=20).json()["log"] == []
    control.post(root + "reset", timeout=20)
    state = control.get(root + "state", timeout=20).json()
    assert (state["resources"], state["options"]["not_set"]) == ({}, "404")
    control.close()


def command(*words, **kwargs):
    """Start the simulator as a process."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, "-m", "simulator", *words],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **kwargs,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command(tmp_path, number):
    url_file, log_file = tmp_path / "url", tmp_path / "log"
    with command(
        "--url-file",
        str(url_file),
        "--log-file",
        str(log_file),
        "--api-key",
        "cli",
        "--option",
        "not_set=null",
        "--option",
        'edges=["edgtcp_1"]',
    ) as process:
        line = process.stdout.readline()
        url = url_file.read_text(encoding="utf-8").strip()
        assert line == f"base_url={url}\n"
        headers = {"Authorization": "Bearer cli", "Service-Version": "2"}
        assert requests.get(url + BACKEND, headers=headers, timeout=20).text == "null"
        assert json.loads(log_file.read_text(encoding="utf-8"))["path"] == BACKEND
        process.send_signal(number)
        assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 0
    assert not url_file.exists()


def test_command_in_background(tmp_path):
    pid_file = tmp_path / "pid"
    with command("--background", "--pid-file", str(pid_file)) as process:
        output, errors = process.communicate(timeout=60)  # returns, though the simulator goes on
    assert (process.returncode, errors) == (0, "")
    pid = int(pid_file.read_text(encoding="utf-8"))
    url = output.strip().partition("=")[2]
    assert requests.get(url + "/_simulator/state", timeout=20).json()["log"] == []
    os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 20
    while pid_file.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("words", "message", "background"),
    [
        (["--option", "not_set=5"], "not_set is one of", []),
        (["--option", "not_set"], "is not NAME=VALUE", ["--background"]),
        (["--certfile", "/nonexistent"], "cannot start", []),
        (["--certfile", "/nonexistent"], "cannot start", ["--background"]),
    ],
)
def test_command_that_cannot_start(words, message, background):
    with command(*background, *words) as process:
        output, errors = process.communicate(timeout=60)
    assert process.returncode in (1, 2)
    assert (output, message in errors) == ("", True), errors
