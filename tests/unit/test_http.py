# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client by itself: what it takes as options, what it sends, when it waits and tries again, and what it says."""

from __future__ import annotations

import gzip
import json
import os
import socket
import threading
import types
import warnings

import harness
import pytest
import requests
import urllib3
from ansible_collections.edgeops.edges.plugins.module_utils import _answers, _framing, _http
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, NotTriedError
from harness.answers import answer
from harness.samples import BACKEND
from requests.adapters import HTTPAdapter

NOT_THE_SERVICE = ". " + _answers.NOT_THE_SERVICE

KEY = "key-of-twenty-letters"
URL = "https://api.example.com"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.endswith("_CA_BUNDLE"):
            monkeypatch.delenv(name)


def _connect(**more):
    return harness.connection(**{"base_url": URL, "api_key": KEY, **more})


def _faults(**more):
    found = harness.connection_faults(**{"base_url": URL, "api_key": KEY, **more})
    assert KEY not in str(found)
    return found


# Proxies.


@pytest.mark.parametrize("value", ["proxy.example:3128", "http://proxy.example:3128"])
def test_proxy_of_the_environment(monkeypatch, value):
    monkeypatch.setenv("https_proxy", value)
    assert _connect().proxy == "http://proxy.example:3128"
    assert _connect(use_proxy=False).proxy is None
    assert _connect(base_url="http://127.0.0.1:1").proxy is None
    monkeypatch.setenv("no_proxy", "api.example.com")
    assert _connect().proxy is None
    assert _connect(base_url="https://b.example").proxy == "http://proxy.example:3128"


def test_proxy_of_the_host_before_that_of_the_scheme(monkeypatch):
    monkeypatch.setenv("all_proxy", "http://all.example:1")
    assert _connect().proxy == "http://all.example:1"
    monkeypatch.setenv("https_proxy", "socks5://one.example:1")
    assert _connect().proxy == "socks5://one.example:1"


def test_no_proxy_without_requests(monkeypatch):
    """The module says that requests is missing; nothing else may go wrong before that."""
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setattr(_http, "REQUESTS_IMPORT_ERROR", "ImportError: no requests")
    assert _connect().proxy is None


# What is sent.


class Recorder(_http._Adapter):
    """The adapter, which also remembers what it was told."""

    def __init__(self):
        super().__init__()
        self.told = []

    def send(self, request, **more):
        self.told.append(more)
        return super().send(request, **more)


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves only while someone waits: C(clock.waits). Every wait is as long as chance lets it be."""

    class Clock:
        now = 0.0
        waits = []
        stop_within = None  # the number of the wait within which the task is stopped

        @classmethod
        def monotonic(cls):
            return cls.now

    class Event(threading.Event):
        def wait(self, timeout=None):
            assert len(Clock.waits) < 50, "waits without end"
            Clock.waits.append(timeout)
            Clock.now += timeout
            if len(Clock.waits) == Clock.stop_within:
                self.set()
            return self.is_set()

    Clock.Event = Event
    monkeypatch.setattr(_http, "time", Clock)
    monkeypatch.setattr(_http, "random", types.SimpleNamespace(uniform=lambda low, high: high))
    return Clock


@pytest.fixture
def connection(sim):
    return _connect(base_url=sim.base_url, api_key=sim.api_key, timeout=5.0)


@pytest.fixture
def client(clock, connection):
    """client(option=value): a client of the simulator."""

    def make(**more):
        stop = clock.Event()
        made = _http.Client(connection._replace(**more), Recorder(), stop)
        assert made.stop is stop  # or it would wait in earnest
        return made

    return make


CONFIG = {"enabled": True, "backend_id": "bkdtg_1"}


def test_headers(sim, client):
    made = client()
    made.request("PUT", BACKEND, CONFIG)
    made.request("GET", BACKEND)
    put, get = sim.log
    host = {"Host": sim.base_url.partition("://")[2]}
    usual = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Authorization": "Bearer " + sim.api_key,
        "Connection": "keep-alive",
        "Service-Version": "2",
        "User-Agent": "edgeops.edges/" + _http.VERSION,
    }
    body = {"Content-Type": "application/json", "Content-Length": str(len(json.dumps(CONFIG)))}
    assert put.headers == {**usual, **host, **body}
    assert get.headers == {**usual, **host}


def test_request_as_prepared(client):
    """What a server may make equal: how names are written, and slashes in a row."""
    usual = {"Accept", "Accept-Encoding", "Authorization", "Connection", "Service-Version", "User-Agent"}
    for base_url in (URL, URL + "/v1", URL + "/vX"):
        made = client(base_url=base_url)
        get, put = made._prepared("GET", "/p", None), made._prepared("PUT", "/p/q", {"a": "\xe4"})
        assert (get.method, get.url, get.body) == ("GET", base_url + "/p", None)
        assert (put.method, put.url, put.body) == ("PUT", base_url + "/p/q", b'{"a": "\\u00e4"}')
        assert set(get.headers) == usual and set(put.headers) == usual | {"Content-Type", "Content-Length"}


def test_requests(sim, client):
    """The base URL may have a path; the connection is kept open."""
    sim.configure(base_path="/v2")
    made = client(base_url=sim.base_url)
    put = made.request("PUT", BACKEND, CONFIG)
    get = made.request("GET", BACKEND)
    delete = made.request("DELETE", BACKEND)
    assert (put.status, get.status, delete) == (200, 200, _answers.Answer(204, None))
    assert put.body == get.body and get.body["backend"]["id"] == "bkdtg_1"
    assert [(one.method, one.path, one.body) for one in sim.log] == [
        ("PUT", BACKEND, CONFIG),
        ("GET", BACKEND, None),
        ("DELETE", BACKEND, None),
    ]
    assert len({one.connection for one in sim.log}) == 1


def test_key_and_version_of_any_character_that_a_header_carries(sim, client):
    sim.configure(api_key="k\xe4y\xa0~", api_version="2\xff", version_header="X-Versi0n", validate=False)
    made = client(api_key="k\xe4y\xa0~", api_version="2\xff", version_header="X-Versi0n")
    assert made.request("PUT", BACKEND, {"backend_id": "ä€😀"}).status == 200
    assert sim.log[0].headers["X-Versi0N"] == "2\xff" and sim.log[0].body == {"backend_id": "ä€😀"}


def test_an_empty_object_is_a_body(sim, client):
    sim.configure(validate=False)
    client().request("PUT", BACKEND, {})
    assert sim.log[0].body == {} and sim.log[0].headers["Content-Type"] == "application/json"


def test_adapter_is_told_how_to_connect(client):
    """The files are not looked at without TLS, but for being there."""
    made = client(verify="/nonexistent/ca.pem", cert=(__file__, __file__), timeout=3.0)
    made.request("PUT", BACKEND, CONFIG)
    told = dict(timeout=3.0, verify="/nonexistent/ca.pem", cert=(__file__, __file__), proxies={})
    assert made._adapter.told == [told]


def test_proxy_of_the_connection(sim, client):
    """The simulator stands in for the proxy, whose part it does not know how to play."""
    sim.configure(validate=False)
    made = client(base_url="http://nowhere.invalid", proxy=sim.base_url)
    with pytest.raises(ApiError, match="answered 404"):
        made.request("GET", BACKEND)
    assert made._adapter.told[0]["proxies"] == {"http": sim.base_url}
    assert sim.log[0].headers["Host"] == "nowhere.invalid"
    assert client(base_url="https://nowhere.invalid", proxy="http://p")._proxies == {"https": "http://p"}


def test_what_tasks_must_share_to_share_a_connection(connection):
    assert connection._replace(verify="v", cert="c", proxy="p").adapter_key == (
        os.getpid(),
        connection.base_url,
        "v",
        "c",
        "p",
    )


def test_adapter_of_its_own(connection):
    made = _http.Client(connection)
    assert isinstance(made._adapter, HTTPAdapter) and not made.stop.is_set()
    made.request("PUT", BACKEND, CONFIG)


def test_adapter_keeps_connections_for_every_thread():
    adapter = _http.new_adapter(_connect())
    assert adapter._pool_maxsize == _http.MOST_CONNECTIONS and adapter._pool_connections == 2
    assert adapter.max_retries.total == 0  # retries are the client's


def test_adapter_reads_answers_by_our_reader_whatever_proxy_they_come_through():
    adapter = _http.new_adapter(_connect())
    for dummy in range(2):  # a proxy is asked for again with each request
        for manager in (adapter.poolmanager, adapter.proxy_manager_for("http://proxy:1")):
            pools = manager.pool_classes_by_scheme
            assert set(pools) == {"http", "https"}
            assert {each.ConnectionCls.response_class for each in pools.values()} == {_framing.FramedResponse}
            assert set(pools.values()) == {_framing.framed(each) for each in pools.values()}


@pytest.mark.parametrize("verify, told", [(True, 1), ("/ca.pem", 1), (False, 0)])
def test_warnings_of_urllib3(verify, told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _http.new_adapter(_connect()._replace(verify=verify))
        warnings.warn("unverified", urllib3.exceptions.InsecureRequestWarning, stacklevel=1)
        warnings.warn("another", urllib3.exceptions.SecurityWarning, stacklevel=1)
    assert len(caught) == told + 1


# Answers.


def _failed(made, method="GET", **more):
    with pytest.raises(ApiError) as caught:
        made.request(method, BACKEND, **more)
    assert (caught.value.method, caught.value.path) == (method, BACKEND)
    return caught.value


def _told(error):
    """The message without the names that the service gives to its operations."""
    return str(error).replace(str(error.operation_id), "OP")


def test_statuses_that_are_an_answer(client):
    made = client()
    assert made.request("GET", BACKEND, accept=(404,)) == _answers.Answer(404, None)
    error = _failed(made, accept=(405,))
    assert _told(error) == "GET %s answered 404: the module is not set (code ERR_404, operation OP)" % BACKEND
    assert (error.status, error.code, error.fatal) == (404, "ERR_404", False)


def _answer(response, accept=(), quote=str):
    return _http.Client._answer(response, response.read(), "GET", "/p", accept, quote)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_success(status):
    assert _answer(answer(status, b'{"a": 1}')) == _answers.Answer(status, {"a": 1})
    assert _answer(answer(status, b" ")) == _answers.Answer(status, None)


@pytest.mark.parametrize("status", [199, 300, 304, 400, 401, 408, 425, 500, 501, 505])
def test_no_success(status):
    with pytest.raises(ApiError) as caught:
        _answer(answer(status, b"{}"))
    assert caught.value.status == status


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_status_that_may_pass(status):
    for headers, asked in (({"Retry-After": "7"}, 7), ({}, None)):
        with pytest.raises(_http._Fault) as caught:
            _answer(answer(status, b'{"msg": "no"}', headers))
        assert (caught.value.error.status, caught.value.asked) == (status, asked)
        assert str(caught.value) == str(caught.value.error)
        assert str(caught.value).startswith("GET /p answered %d: no" % status)


@pytest.mark.parametrize(
    "content, shown",
    [(b"<p>", "<p>"), (b"n\xf6", "n\ufffd"), (b"[" * 100_000 + b"]" * 100_000, "[" * 20_000), (b"NaN", "NaN")],
)
def test_success_that_is_no_json(content, shown):
    with pytest.raises(ApiError) as caught:
        _answer(answer(200, content))
    assert str(caught.value) == "GET /p answered 200 with something that is not JSON: %s%s" % (shown, NOT_THE_SERVICE)


def test_little_of_a_body_that_is_no_json_is_looked_at():
    with pytest.raises(ApiError, match="is not JSON: 20000[.] Check"):
        _answer(answer(200, b"ab" * 10_001), quote=lambda text: str(len(text)))


def test_page_instead_of_an_error():
    with pytest.raises(ApiError, match="^GET /p answered 500: <p>$"):
        _answer(answer(500, b"<p>"))


def test_texts_of_the_service_are_scrubbed_and_shortened(sim, client):
    body = "%s %s %s" % (sim.api_key, "secret", "word " * 100)
    sim.add_fault(status=400, method="PUT", body=body)
    with pytest.raises(ApiError) as caught:
        client().request("PUT", BACKEND, CONFIG, hide=lambda text: text.replace("secret", "hidden"))
    shown = "******** hidden " + "word " * 100
    assert str(caught.value) == "PUT %s answered 400: %s..." % (BACKEND, shown[:197])


# Bodies that are cut short: as the library hands them on.


def _whole(connection, status, content, headers):
    client = _http.Client(connection)
    encodings = headers.get("Content-Encoding", "")
    return client._whole(answer(status, content, headers), content, encodings, "GET", "/p", client._quote)


@pytest.mark.parametrize(
    "status, content, headers",
    [
        (200, b"", {"Content-Length": "1"}),
        (200, b"abc", {"Content-Length": "4"}),
        (404, b"abc", {"Content-Length": "10"}),
        (205, b"", {"Content-Length": "9" * 18}),
        (305, b"", {"content-length": "7"}),
        (200, b"abc", {"Content-Length": "4", "Content-Encoding": "gzip"}),
    ],
)
def test_body_that_was_cut_short(connection, status, content, headers):
    with pytest.raises(_http._Fault) as caught:
        _whole(connection, status, content, headers)
    error = caught.value.error
    assert str(error) == str(caught.value) == "GET /p failed: the answer was cut short"
    assert (error.method, error.path, error.status, error.fatal) == ("GET", "/p", None, False)
    assert caught.value.asked is None


@pytest.mark.parametrize(
    "status, content, headers",
    [
        (200, b"abc", {}),
        (200, b"abc", {"Content-Length": "3"}),
        (200, b"abc", {"Content-Length": "2"}),
        (200, b"abc", {"Content-Length": "4", "Transfer-Encoding": "chunked"}),
        (200, b"abc", {"Content-Length": "3", "Content-Encoding": "identity"}),
        (200, b"abc", {"Content-Encoding": ""}),
        (200, b"abc", {"Content-Length": "9" * 19}),
        (200, b"abc", {"Content-Length": "4, 4"}),
        (200, b"abc", {"Content-Length": "\xb2"}),
        (200, b"abc", {"Content-Length": ""}),
        (204, b"", {"Content-Length": "4"}),
        (304, b"", {"Content-Length": "4"}),
        (204, b"", {"Content-Encoding": "gzip"}),
        (304, b"", {"Content-Encoding": "br"}),
    ],
)
def test_body_that_was_not_cut_short(connection, status, content, headers):
    assert _whole(connection, status, content, headers) == content


def test_body_with_an_encoding(connection):
    headers = {"Content-Encoding": "GZIP", "Content-Length": "22"}
    assert _whole(connection, 200, gzip.compress(b"{}", mtime=0), headers) == b"{}"
    with pytest.raises(_http._Fault) as caught:
        _whole(connection, 404, b"", {"Content-Encoding": "gzip"})
    told = "GET /p failed: the answer was cut short or is damaged (Content-Encoding: gzip)"
    assert str(caught.value) == told
    assert caught.value.error.status is None


def test_body_with_an_encoding_that_was_not_asked_for(connection):
    assert _whole(connection, 403, b"x", {"Content-Encoding": "br"}) == b""
    assert _whole(connection, 302, b"x", {"Content-Encoding": "br"}) == b""
    for status, shown in ((200, "br"), (299, "b\\u001b[r")):
        with pytest.raises(ApiError) as caught:
            _whole(connection, status, b"", {"Content-Encoding": shown.replace("\\u001b", "\x1b")})
        assert str(caught.value) == (
            "GET /p answered %d in the encoding %s, which was not asked for%s" % (status, shown, NOT_THE_SERVICE)
        )
        assert (caught.value.status, caught.value.fatal) == (status, False)


def test_what_is_left_of_a_connection_whose_answer_was_cut(connection, clock):
    """Nothing: its socket is shut down, so that no later request reads from it."""
    ours, theirs = socket.socketpair()

    class Cut(HTTPAdapter):
        def send(self, request, **more):
            response = answer(200, b"\x1f\x8b", {"Content-Encoding": "gzip"})
            response._connection = types.SimpleNamespace(sock=ours, close=lambda: None)
            return response

    with ours, theirs:
        with pytest.raises(ApiError, match="cut short"):
            _http.Client(connection._replace(retries=0), Cut(), clock.Event()).request("GET", "/p")
        assert theirs.recv(1) == b""


def test_body_that_was_cut_short_is_asked_for_again(clock, connection):
    class Old(HTTPAdapter):
        def send(self, request, **more):
            return answer(200, b'"whole"'[: len(clock.waits) * 5], {"Content-Length": "7"})

    made = _http.Client(connection._replace(retries=2), Old(), clock.Event())
    assert made.request("GET", BACKEND).body == "whole"
    assert clock.waits == [0.5, 1]
    clock.waits.clear()
    made = _http.Client(connection._replace(retries=0), Old(), clock.Event())
    assert str(_failed(made)) == (
        "GET %s failed: the answer was cut short. Check what stands between you and the service" % BACKEND
    )


# No answer at all.


def _connection_fault(made, exc):
    return made._connection_fault(exc, "GET", "/p", made._quote)


exceptions = requests.exceptions
POOL = urllib3.HTTPConnectionPool("127.0.0.1")
RESET = exceptions.ConnectionError(urllib3.exceptions.ProtocolError("Aborted.", ConnectionResetError(104, "reset")))

# exception, what is said of it
PASSING = {
    "reset": (RESET, "[Errno 104] reset"),
    "timeout": (exceptions.ReadTimeout("x"), "timed out, no answer within 5 s"),
    "timeout of the connection": (exceptions.ConnectTimeout("x"), "timed out, no answer within 5 s"),
    "proxy": (exceptions.ProxyError("p", OSError("refused")), "the proxy: refused"),
    "chunks": (urllib3.exceptions.ProtocolError("broken", OSError("cut")), "cut"),
    "timeout within the answer": (
        urllib3.exceptions.ReadTimeoutError(POOL, "/p", "Read timed out."),
        "Read timed out.",
    ),
    "end within TLS, in the answer": (urllib3.exceptions.SSLError("[SSL: X] EOF occurred"), "[SSL: X] EOF occurred"),
    "end within TLS": (exceptions.SSLError("[SSL: X] EOF occurred"), "[SSL: X] EOF occurred"),
    "end within TLS, later": (exceptions.ConnectionError("[SSL: X] EOF occurred"), "[SSL: X] EOF occurred"),
    "EOF": (exceptions.ConnectionError("EOF"), "EOF"),
}
LASTING = {
    "certificate": (exceptions.SSLError("verify failed"), "verify failed"),
    "certificate of the client": (exceptions.ConnectionError("[SSL: CERTIFICATE_REQUIRED]"), "[SSL: CERTIFICATE_REQ"),
    "certificate of the proxy": (exceptions.ProxyError("[SSL: X] a"), "the proxy: [SSL: X] a"),
    "URL": (exceptions.InvalidURL("no host"), "no host"),
    "TLS within the answer": (urllib3.exceptions.SSLError("bad record"), "bad record"),
    "another of the library's": (urllib3.exceptions.HTTPError("EOF"), "EOF"),
}


@pytest.mark.parametrize("exc, told", PASSING.values(), ids=list(PASSING))
def test_connection_fault_that_may_pass(client, exc, told):
    fault = _connection_fault(client(), exc)
    assert isinstance(fault, _http._Fault) and fault.asked is None
    error = fault.error
    assert str(error) == "GET /p failed: " + told
    assert (error.method, error.path, error.status, error.fatal) == ("GET", "/p", None, False)


@pytest.mark.parametrize("exc, told", LASTING.values(), ids=list(LASTING))
def test_connection_fault_that_does_not_pass(client, exc, told):
    error = _connection_fault(client(), exc)
    assert isinstance(error, ApiError) and str(error).startswith("GET /p failed: " + told)
    assert (error.method, error.path, error.status, error.fatal) == ("GET", "/p", None, True)


@pytest.mark.parametrize("kind", [exceptions.ConnectionError, exceptions.ProxyError])
def test_connection_fault_does_not_show_the_key(client, kind):
    made = client(timeout=0.5)
    told = str(_connection_fault(made, kind("%s\nin it" % made.connection.api_key)))
    assert told.endswith("******** in it")
    assert "within 0.5 s" in str(_connection_fault(made, exceptions.Timeout()))


def test_request_that_cannot_be_sent(client):
    made = client(base_url="https://127.0.0.1:9", verify="/nonexistent/%s.pem" % KEY, api_key=KEY)
    with pytest.raises(ApiError) as caught:
        made.request("PUT", BACKEND)
    assert str(caught.value) == (
        "PUT %s could not be sent: Could not find a suitable TLS CA certificate bundle, invalid path: "
        "/nonexistent/********.pem" % BACKEND
    )
    error = caught.value
    assert (error.method, error.path, error.status, error.fatal) == ("PUT", BACKEND, None, True)
    assert error.__cause__ is None and error.__suppress_context__


@pytest.mark.parametrize("exc", [OSError("no"), ValueError("no")])
def test_what_requests_lets_through(clock, connection, exc):
    class Broken(HTTPAdapter):
        def send(self, *args, **more):
            raise exc

    with pytest.raises(ApiError, match="^GET /p could not be sent: no$"):
        _http.Client(connection, Broken(), clock.Event()).request("GET", "/p")


# Waiting and trying again.


def test_back_off(sim, clock, client):
    sim.add_fault(status=503, method="GET")
    error = _failed(client(retries=7, retry_max_wait=10.0))
    assert clock.waits == [0.5, 1, 2, 4, 8, 10, 10]
    told = "GET %s answered 503: a fault to order (code ERR_503, operation OP) (tried 8 times)"
    assert _told(error) == told % BACKEND
    assert (error.status, error.fatal) == (503, False)
    assert len(sim.log) == 8


def test_back_off_is_shortened_by_chance(sim, monkeypatch, clock, client):
    drawn = []

    def uniform(low, high):
        drawn.append((low, high))
        return low

    monkeypatch.setattr(_http, "random", types.SimpleNamespace(uniform=uniform))
    sim.add_fault(status=503, method="GET")
    _failed(client(retries=2))
    assert drawn == [(0.5, 1)] * 3 and clock.waits == [0.25, 0.5]


def test_many_tries(sim, clock, client):
    """The power that the waits grow by does not grow for ever."""
    made = client(retries=5000, retry_max_wait=86400.0)
    error = ApiError("x", "GET", "/p", 503)
    made._wait_after(_http._Fault(error), 5000, 0.0)
    made._wait_after(_http._Fault(error), 17, 0.0)
    assert clock.waits == [86400, 32768]


@pytest.mark.parametrize("kind", ["reset_before", "close_after"])
def test_connection_that_ends_is_tried_again(sim, clock, client, kind):
    sim.add_fault(kind, method="PUT", times=2)
    assert client(retries=2).request("PUT", BACKEND, CONFIG).status == 200
    assert clock.waits == [0.5, 1] and [one.status for one in sim.log] == [None, None, 200]


def test_no_retries(sim, clock, client):
    sim.add_fault(status=504, method="GET")
    assert _told(_failed(client(retries=0))).endswith("(code ERR_504, operation OP)")
    assert clock.waits == [] and len(sim.log) == 1


def test_one_retry(sim, clock, client):
    sim.add_fault(status=504, method="GET")
    assert str(_failed(client(retries=1))).endswith(" (tried 2 times)")
    assert clock.waits == [0.5] and len(sim.log) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_service_that_asks_to_wait(sim, clock, client, status):
    sim.add_fault(status=status, method="PUT", times=2, headers={"Retry-After": "7"})
    assert client(retry_max_wait=7.0).request("PUT", BACKEND, CONFIG).status == 200
    assert clock.waits == [7, 7] and len(sim.log) == 3


@pytest.mark.parametrize("status", [429, 502])
def test_service_that_asks_to_wait_too_long(sim, clock, client, status):
    sim.add_fault(status=status, method="GET", headers={"Retry-After": "6.52"})
    error = _failed(client(retry_max_wait=6.5))
    hint = ". Too many requests: run fewer at once, or allow more with retries and retry_max_wait"
    assert _told(error) == (
        "GET %s answered %d: a fault to order (code ERR_%d, operation OP)"
        ". It asked to wait for 6.52 s, more than retry_max_wait allows (6.5 s)%s"
    ) % (BACKEND, status, status, hint if status == 429 else "")
    assert clock.waits == [] and len(sim.log) == 1 and error.fatal is False


def test_pause_that_the_service_asked_for_holds_for_every_request(sim, clock, client):
    """One that is too long fails the other requests before they are sent; a second more may pass while they wait."""
    sim.add_fault(status=429, method="GET", headers={"Retry-After": "6.5"})
    made = client(retry_max_wait=5.0)
    assert ". It asked to wait for 6.5 s, more than retry_max_wait allows (5 s). Too many" in str(_failed(made))
    error = _failed(made, "PUT")
    assert str(error) == (
        "PUT %s was not sent: the service asked to wait, for 6 s still, more than retry_max_wait allows (5 s)" % BACKEND
    )
    assert (error.status, error.fatal) == (429, False)
    assert len(sim.log) == 1 and clock.waits == []
    clock.now = 0.5
    assert made.request("PUT", BACKEND, CONFIG).status == 200
    assert clock.waits == [6]
    made.request("PUT", BACKEND, CONFIG)
    assert clock.waits == [6]


def test_pause_of_a_fault_that_is_no_429_holds_for_its_request_only(sim, clock, client):
    sim.add_fault(status=503, method="GET", headers={"Retry-After": "60"})
    made = client(retry_max_wait=5.0)
    _failed(made)
    assert made.request("PUT", BACKEND, CONFIG).status == 200 and clock.waits == []


def test_shorter_pause_does_not_end_a_longer_one(clock, client):
    made = client(retry_max_wait=50.0)
    clock.now = 100.0
    for asked in (40.0, 3.0):
        made._wait_after(_http._Fault(ApiError("x", "GET", "/p", 429), asked), 1, 0.0)
    assert made._not_before == 140 and clock.waits == []
    clock.now = 120.0
    made._wait_for_gate("GET", "/p")
    assert clock.waits == [20]


def test_429_without_a_wait_backs_off(sim, clock, client):
    sim.add_fault(status=429, method="PUT", times=2)
    assert client().request("PUT", BACKEND, CONFIG).status == 200
    assert clock.waits == [0.5, 1]


def test_service_that_is_not_there(sim, clock, client):
    """After that, no other request of the task is tried; unless one went through in the meantime."""
    sim.add_fault("reset_before", method="GET")
    assert _failed(client(retries=0)).fatal is True
    assert _failed(client(retries=2)).fatal is True
    made = client(retries=0)
    made.request("PUT", BACKEND, CONFIG)
    assert _failed(made).fatal is False
    clock.now += 1
    assert _failed(made).fatal is True


def test_answer_that_is_a_fault_is_never_fatal(sim, clock, client):
    sim.add_fault(status=502, method="GET")
    assert _failed(client(retries=0)).fatal is False


@pytest.mark.parametrize("status", [400, 404, 500, 501])
def test_refusal_is_not_tried_again(sim, clock, client, status):
    sim.add_fault(status=status, method="GET")
    assert _failed(client()).status == status
    assert len(sim.log) == 1 and clock.waits == []


# Stopping.


def test_stopped_before(sim, client):
    made = client()
    made.stop.set()
    with pytest.raises(NotTriedError) as caught:
        made.request("GET", BACKEND)
    assert str(caught.value) == "not tried: the task was stopped"
    assert sim.log == []


def test_stopped_while_it_waits_after_a_fault(sim, clock, client):
    sim.add_fault(status=503, method="GET")
    clock.stop_within = 2
    error = _failed(client())
    assert _told(error) == (
        "GET %s answered 503: a fault to order (code ERR_503, operation OP) (not tried again: the task was stopped)"
        % BACKEND
    )
    assert clock.waits == [0.5, 1] and len(sim.log) == 2 and error.fatal is False


def test_stopped_while_a_pause_lasts(sim, clock, client):
    sim.add_fault(status=429, method="GET")
    clock.stop_within = 1
    made = client()
    with pytest.raises(NotTriedError):
        made.request("GET", BACKEND)
    assert clock.waits == [0.5] and len(sim.log) == 1
