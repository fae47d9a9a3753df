# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What goes wrong on the wire: what passes is survived, what does not is said plainly, and nothing is lost."""

from __future__ import annotations

import email.utils
import json
import socket
import threading
import time
import types
from dataclasses import dataclass, field

import facts
import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _http, _work
from harness.samples import BACKEND, HEADERS, RESTRICTION, ROUTE_IDS, TERMINATION, sample_of

TCP = "tcp_edge_backend"
RTH = "https_edge_route_request_headers"
METHODS = ("GET", "PUT", "DELETE")
RETRIES = 2


@pytest.fixture
def waits(monkeypatch):
    """The waits that the client would make, in seconds: it makes none."""
    made = []

    class Clock:
        """A clock that moves only while someone waits."""

        now = 1000.0

        @classmethod
        def monotonic(cls):
            return cls.now

        time = staticmethod(time.time)

    class Event(threading.Event):
        def wait(self, timeout=None):
            made.append(timeout)
            Clock.now += timeout
            return self.is_set()

    monkeypatch.setattr(_http, "time", Clock)
    monkeypatch.setattr(_work, "threading", types.SimpleNamespace(Event=Event))
    return made


@dataclass(frozen=True)
class Kind:
    """A kind of fault: the simulator's settings, whether it passes by itself, and what the message says if not.

    C(by_method) holds other outcomes: "works" where the answer counts as one, or another part of the message.
    """

    title: str
    settings: dict = field(default_factory=dict)
    passes: bool = False
    told: str = ""
    by_method: dict = field(default_factory=dict)


def _status(status, **more):
    return Kind("status %d" % status, dict(status=status), told="answered %d" % status, **more)


def _no_dict(title, found, **settings):
    """An answer of 200 whose JSON is no dict: it says what it is."""
    return Kind(title, settings, told="answered 200, but with %s, not a dict" % found)


KINDS = [
    # Those that pass.
    _status(429, passes=True),
    _status(502, passes=True),
    _status(503, passes=True),
    _status(504, passes=True),
    Kind("503 after the write", dict(status=503, applied=True), True, "answered 503"),
    Kind("504 with a page", dict(status=504, body="<html>", content_type="text/html"), True, "answered 504"),
    Kind("reset before", dict(kind="reset_before"), True, "failed: "),
    Kind("reset after", dict(kind="reset_after"), True, "failed: "),
    Kind("closed before", dict(kind="close_before"), True, "failed: "),
    Kind("closed after", dict(kind="close_after"), True, "failed: "),
    Kind("truncated", dict(kind="truncated"), True, "failed: "),
    Kind("truncated length", dict(status=200, body="", headers={"Content-Length": "9"}), True, "failed: "),
    # Those that do not, and are never tried again.
    _status(400),
    _status(401),
    _status(403),
    _status(404, by_method={"GET": "works", "DELETE": "works"}),
    _status(405),
    _status(409),
    _status(418),
    _status(422),
    _status(500),
    _status(501),
    Kind("302", dict(kind="redirect"), told="redirected (302) to https://elsewhere.example/"),
    Kind("301", dict(kind="redirect", status=301), told="redirected (301) to https://elsewhere.example/"),
    Kind("303", dict(kind="redirect", status=303), told="redirected (303) to https://elsewhere.example/"),
    Kind("307", dict(kind="redirect", status=307), told="redirected (307) to https://elsewhere.example/"),
    Kind("308", dict(kind="redirect", status=308), told="redirected (308) to https://elsewhere.example/"),
    Kind("304", dict(status=304), told="redirected (304) to an unnamed place"),
    Kind("HTML", dict(kind="html"), told="with something that is not JSON: <!DOCTYPE html><html><head><title>Sign in"),
    Kind("HTML error", dict(kind="html", status=500), told="answered 500: <!DOCTYPE html><html><head><title>Sign in"),
    _no_dict("list", "a list", kind="list"),
    _no_dict("empty list", "a list", status=200, body="[]"),
    _no_dict("text", "a string", status=200, body='"x"'),
    _no_dict("false", "a boolean", status=200, body="false"),
    _no_dict("zero", "a number", status=200, body="0"),
    Kind("NaN", dict(status=200, body="NaN"), told="with something that is not JSON: NaN"),
    Kind("infinite number", dict(status=200, body='{"x": 1e999}'), told="with something that is not JSON"),
    Kind("half JSON", dict(status=200, body='{"enabled": tr'), told='with something that is not JSON: {"enabled": tr'),
    Kind("nested deep", dict(status=200, body='{"a":' * 60 + "1" + "}" * 60), told="with something that is not JSON"),
    Kind(
        "nested 100,000 deep",
        dict(status=200, body="[" * 100_000 + "]" * 100_000),
        told="with something that is not JSON",
    ),
    Kind(
        "wrong type",
        dict(status=200, body={"enabled": "yes"}),
        told="answered 200, but its enabled has the wrong type: a string",
        by_method={"DELETE": "works"},
    ),
    Kind("202", dict(status=202, body="{}"), told="answered 202, which is not docum", by_method={"DELETE": "works"}),
    Kind("206", dict(status=206, body="{}"), told="answered 206, which is not docum", by_method={"DELETE": "works"}),
]


def test_table_is_whole():
    assert len({kind.title for kind in KINDS}) == len(KINDS) >= 17


def _prepare(sim, name, method, **fault):
    """Set the other configuration where the method needs one, and order the fault. Returns the task's options."""
    sample = sample_of(name)
    sim.put(sample.path, sample.stored_b)
    settings = dict(fault)
    sim.add_fault(settings.pop("kind", "status"), method=method, **settings)
    return sample, sample.options(None, state="absent") if method == "DELETE" else sample.options(sample.a)


def _table(kinds, names):
    for kind in kinds:
        for method in METHODS:
            for name in names:
                yield pytest.param(kind, method, name, id="%s-%s-%s" % (kind.title, method, name))


SOME = [kind for kind in KINDS if kind.title in ("status 429", "reset after", "status 403", "HTML", "302")]
EVERY_KIND = list(_table(KINDS, [TCP]))
EVERY_MODULE = list(_table(SOME, [name for name in facts.MODULES if name != TCP]))


@pytest.mark.parametrize("kind, method, name", EVERY_KIND + EVERY_MODULE)
def test_fault_that_lasts(sim, run, kind, method, name):
    """It ends in an error, within the retries allowed; or it counts as an answer."""
    sample, options = _prepare(sim, name, method, **kind.settings)
    result = run(name, dict(options, retries=RETRIES, retry_max_wait=0.001))
    told = kind.by_method.get(method, kind.told)
    sent = [record for record in sim.log if record.method == method]
    if told == "works":
        assert not result.failed and result.changed
        assert len(sent) == 1
        return
    if method == "DELETE" and kind.title in ("reset after", "closed after", "truncated", "503 after the write"):
        assert sample.path not in sim.resources  # done all the same, which only the next run can find out
    assert result.failed and result.msg.startswith("%s %s " % (method, sample.path))
    assert told in result.msg
    assert len(sent) == (1 + RETRIES if kind.passes else 1)
    assert ("(tried 3 times)" in result.msg) is kind.passes
    assert set(result.error) == {"msg", "method", "path", "status", "code", "operation_id"}
    assert (result.error["method"], result.error["path"]) == (method, sample.path)
    assert result.error["msg"] == result.msg
    # None means that there was no answer; what a broken one said does not count.
    no_answer = told == "failed: "
    assert result.error["status"] == (None if no_answer else kind.settings.get("status", result.error["status"]))
    unknown = (method != "GET" and no_answer) or (method == "DELETE" and told.endswith(", not a dict"))
    assert ("Whether it took effect is not known" in result.msg) is unknown
    if method == "GET":
        assert sim.writes == [] and not result.changed
    # Never taken for "not set": nothing was written after such a GET, and only a PUT that was answered counts.
    assert result.changed is (method == "PUT" and told.startswith("answered 20"))


@pytest.mark.parametrize(
    "kind, method, name",
    [case for case in EVERY_KIND + EVERY_MODULE if case.values[0].passes],
)
def test_fault_that_passes(sim, run, kind, method, name):
    """It is survived, and ends in the right state and the right changed."""
    sample, options = _prepare(sim, name, method, times=RETRIES, **kind.settings)
    result = run(name, dict(options, retries=RETRIES, retry_max_wait=0.001))
    assert not result.failed and result.changed and result.warnings == []
    assert sim.resources == ({} if method == "DELETE" else {sample.path: sample.stored_a})
    assert result.operation == ("delete" if method == "DELETE" else "replace")
    if method == "DELETE":
        assert result.config is None
    sim.clear_log()
    again = run(name, options)
    assert not again.changed and sim.writes == []


def test_delete_that_took_effect_is_retried_into_404(sim, run):
    sample, options = _prepare(sim, TCP, "DELETE", kind="reset_after", times=1)
    result = run(TCP, options)
    assert [record.status for record in sim.writes] == [None, 404]
    assert result.changed and result.operation == "delete" and result.config is None and sim.resources == {}


@pytest.mark.parametrize("method", METHODS)
def test_hang(sim, way, method):
    """A service that does not answer costs the timeout, not more; and tries are limited."""
    sample, options = _prepare(sim, TCP, method, kind="hang")
    started = time.monotonic()
    result = harness.run(way, TCP, {**harness.connection_options(sim), **options, "timeout": 1, "retries": 0})
    assert result.failed and "failed: timed out, no answer within 1 s" in result.msg
    assert time.monotonic() - started < 5
    assert result.error["status"] is None
    assert sim.resources == {sample.path: sample.stored_b}


def test_hang_after_the_write(sim, run):
    """The PUT took effect, its answer never came: the next try finds it done and says changed."""
    sample, options = _prepare(sim, TCP, "PUT", kind="hang_after", times=1)
    result = run(TCP, dict(options, timeout=1))
    assert result.changed and not result.failed
    assert sim.resources == {sample.path: sample.stored_a}


def test_slow_but_steady_answers_are_waited_for(sim, run):
    """The timeout is between bytes, not for the whole answer."""
    sample, options = _prepare(sim, TCP, "PUT", kind="slow", seconds=1.5)
    result = run(TCP, dict(options, timeout=1, retries=0))
    assert result.changed and sim.resources == {sample.path: sample.stored_a}


def test_back_off_is_exponential_with_jitter(sim, run, waits):
    dummy, options = _prepare(sim, TCP, "GET", status=503)
    run(TCP, dict(options, retries=6, retry_max_wait=10))
    assert len(waits) == 6
    for wait, most in zip(waits, (0.5, 1, 2, 4, 8, 10)):
        assert most / 2 <= wait <= most
    assert len({wait / most for wait, most in zip(waits, (0.5, 1, 2, 4, 8, 10))}) > 1


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(sim, run, waits, status):
    dummy, options = _prepare(sim, TCP, "GET", status=status, times=2, headers={"Retry-After": "7"})
    result = run(TCP, dict(options, retry_max_wait=7))
    assert result.changed and waits == [7, 7]


@pytest.mark.parametrize("form", [email.utils.format_datetime, lambda date: date.strftime("%a, %d %b %Y %H:%M:%S")])
def test_retry_after_as_a_date(sim, run, waits, form):
    import datetime

    date = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=40)
    dummy, options = _prepare(sim, TCP, "PUT", status=429, times=1, headers={"Retry-After": form(date)})
    result = run(TCP, dict(options, retry_max_wait=50))
    assert result.changed and len(waits) == 1 and 30 < waits[0] <= 40


@pytest.mark.parametrize(
    "header",
    [
        "",
        "soon",
        "0",
        "-5",
        "nan",
        "inf",
        "\xb2",
        "9" * 500,
        "Mon, 01 Jan 2001 00:00:00 GMT",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Fri, 31 Dec 1999 23:59:59 +9999",
    ],
)
def test_retry_after_that_says_nothing(sim, run, waits, header):
    """What is no wait, or in the past, counts as left out: the back-off decides."""
    dummy, options = _prepare(sim, TCP, "GET", status=429, times=1, headers={"Retry-After": header})
    result = run(TCP, dict(options, retry_max_wait=3))
    assert result.changed and len(waits) == 1 and waits[0] <= 3


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_wait_beyond_the_limit_fails_at_once(sim, run, waits, status):
    dummy, options = _prepare(sim, TCP, "GET", status=status, headers={"Retry-After": "3600"})
    result = run(TCP, dict(options, retry_max_wait=60))
    assert result.failed and waits == [] and len(sim.log) == 1
    assert "It asked to wait for 3600 s, more than retry_max_wait allows (60 s)" in result.msg
    assert result.error["status"] == status


def test_no_retries(sim, run, waits):
    dummy, options = _prepare(sim, TCP, "GET", status=503)
    result = run(TCP, dict(options, retries=0))
    assert result.failed and waits == [] and len(sim.log) == 1


# Errors, as text and as data.

SHAPES = [
    ("flat", {"error_code": "E7", "status_code": 400, "msg": "no", "details": {"operation_id": "op1"}}),
    ("nested", {"error": {"code": "E7", "message": "no", "request_id": "op1"}}),
    ("list of errors", {"errors": [{"code": "E7", "title": "no"}], "trace_id": "op1"}),
    ("top list", [{"errorCode": "E7", "message": "no", "operationId": "op1"}]),
    ("problem", {"type": "E7", "title": "bad", "detail": "no", "status": 400, "correlation_id": "op1"}),
    ("other case", {"Message": "no", "Code": "E7", "RequestId": "op1"}),
    ("OAuth", {"error": "E7", "error_description": "no", "request_id": "op1"}),
    ("numbers", {"code": 7, "message": "no", "request_id": 1}),
]


@pytest.mark.parametrize("shape", [pytest.param(body, id=title) for title, body in SHAPES])
def test_error_in_any_shape(sim, run, shape):
    sample, options = _prepare(sim, TCP, "PUT", status=400, body=shape)
    result = run(TCP, options)
    number = isinstance(shape, dict) and shape.get("code") == 7
    code, operation = ("7", "1") if number else ("E7", "op1")
    assert result.msg == "PUT %s answered 400: no (code %s, operation %s)" % (sample.path, code, operation)
    assert result.error == dict(
        msg=result.msg, method="PUT", path=sample.path, status=400, code=code, operation_id=operation
    )


@pytest.mark.parametrize(
    "body, told",
    [
        ({}, "answered 400: {}"),
        ("", "answered 400"),
        ("null", "answered 400"),
        ([], "answered 400: []"),
        ("7", "answered 400: 7"),
        ('"no"', "answered 400: no"),
        ({"errors": {"backend_id": ["is wrong"]}}, 'answered 400: {"errors":{"backend_id":["is wrong"]}}'),
        ({"error": "E7"}, "answered 400: E7"),
        ({"message": "  ", "detail": "no"}, "answered 400: no"),
        ({"message": True, "reason": "no"}, "answered 400: no"),
        ({"message": "a\nb\x1b[31m\u202ec"}, "answered 400: a b\\u001b[31m\\u202ec"),
        ('{"message": "\\ud83d"}', "answered 400: ?"),
        ("not JSON\r\n\tat all", "answered 400: not JSON at all"),
    ],
)
def test_error_body_of_any_kind(sim, run, body, told):
    dummy, options = _prepare(sim, TCP, "PUT", status=400, body=body)
    result = run(TCP, options)
    assert result.msg.endswith(told)
    assert result.error["code"] is None and result.error["operation_id"] is None


@pytest.mark.parametrize("status", [200, 400, 503])
def test_long_body_is_shortened(sim, run, status):
    dummy, options = _prepare(sim, TCP, "PUT", status=status, body="<p>" + "word " * 2_000_000)
    started = time.monotonic()
    result = run(TCP, dict(options, retries=0))
    assert "<p>word word" in result.msg and result.msg.count("...") == 1 and len(result.msg) < 400
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("charset", ["idna", "utf-7", "hex", "nonsense", "undefined", "utf-16"])
@pytest.mark.parametrize("status", [200, 400])
def test_charset_that_cannot_be_used(sim, run, charset, status):
    fault = dict(status=status, body="n\xf6 JSON", content_type="text/html; charset=" + charset)
    dummy, options = _prepare(sim, TCP, "PUT", **fault)
    result = run(TCP, options)
    assert result.failed and "nö JSON" in result.msg


def test_operation_id_of_a_header(sim, run):
    dummy, options = _prepare(sim, TCP, "PUT", status=500, body="oops", headers={"X-Request-Id": "req-1"})
    result = run(TCP, options)
    assert result.msg.endswith("answered 500: oops (operation req-1)") and result.error["operation_id"] == "req-1"


@pytest.mark.parametrize(
    "method, status, told",
    [
        ("GET", 401, "Check api_key, or EDGE_API_KEY where the module runs"),
        ("PUT", 403, "The key is known but may not do this"),
        ("DELETE", 403, "The key is known but may not do this"),
        ("PUT", 429, "Too many requests: run fewer at once"),
    ],
)
def test_what_to_do_next(sim, run, method, status, told):
    dummy, options = _prepare(sim, TCP, method, status=status)
    result = run(TCP, dict(options, retries=0))
    assert result.failed and told in result.msg


@pytest.mark.parametrize("name", facts.MODULES)
def test_put_on_an_edge_that_does_not_exist(sim, run, name):
    """A dry run cannot know it, the run says it."""
    sim.configure(edges=[])
    sample = sample_of(name)
    dry = run(name, sample.options(sample.a), check=True)
    assert dry.operation == "replace" and not dry.failed
    result = run(name, sample.options(sample.a))
    assert result.failed and not result.changed and result.error["status"] == 404
    there = "no such edge or no such route" if "route_id" in sample.ids else "no such edge"
    assert "There is %s: check the id" % there in result.msg


def test_wrong_key(sim, run):
    result = run(TCP, dict(sample_of(TCP).options(sample_of(TCP).a), api_key="another"))
    assert result.failed and result.error["status"] == 401 and len(sim.log) == 1
    sim.clear_log()


@pytest.mark.parametrize(
    "location, shown",
    [
        ("https://user:pass@other.example/v2?token=t", "to https://other.example/v2,"),
        ("https://other.example/#access_token=t", "to https://other.example/,"),
        ("//other.example/@me", "to //other.example/@me,"),
        ("/login?next=t", "to /login,"),
    ],
)
def test_redirect_names_the_target_without_credentials(sim, run, location, shown):
    dummy, options = _prepare(sim, TCP, "PUT", kind="redirect", location=location)
    result = run(TCP, options)
    assert result.failed and shown in result.msg and "which is not followed: check base_url" in result.msg
    assert "pass" not in result.text and "token" not in result.text


# The answer to a PUT.


@pytest.mark.parametrize(
    "name, body, fields",
    [
        (TCP, {"enabled": False, "backend": {"id": "bkdtg_9", "uri": "u"}}, "enabled, backend_id"),
        (TCP, {"enabled": True}, "backend_id"),
        ("tls_edge_ip_restriction", {"ip_policies": [{"id": "ipp_9", "uri": "u"}]}, "ip_policy_ids"),
        ("tls_edge_tls_termination", {"terminate_at": "edge", "min_version": "1.0"}, "min_version"),
        ("https_edge_route_traffic_policy", {"value": '{"inbound":[]}'}, "value"),
        ("https_edge_route_traffic_policy", {"value": "no JSON"}, "value"),
        (RTH, {"add": {"X-Edge": "Frankfurt", "X-Count": "3"}, "remove": ["X-Old"]}, "remove"),
        (RTH, {}, "add, remove"),
    ],
)
def test_put_answered_with_something_else_warns(sim, run, name, body, fields):
    dummy, options = _prepare(sim, name, "PUT", kind="replace_body", body=body)
    result = run(name, options)
    assert result.changed and not result.failed and result.config == body
    assert len(result.warnings) == 1 and result.warnings[0].endswith("than was asked for in " + fields)


@pytest.mark.parametrize(
    "path, body, told",
    [
        (BACKEND, {"backend": []}, "its backend has the wrong type: a list"),
        (BACKEND, {"backend": {"id": 7}}, "its backend has the wrong type: a number"),
        (RESTRICTION, {"ip_policies": "ipp_1"}, "its ip_policies has the wrong type: a string"),
        (RESTRICTION, {"ip_policies": [{"uri": "u"}]}, "its ip_policies has the wrong type: a reference without id"),
        (TERMINATION, {"min_version": 1.2}, "its min_version has the wrong type: a number"),
        (HEADERS, {"add": {"X-A": None}}, "its add has the wrong type: a header value that is null"),
        (HEADERS, {"add": [["X-A", "1"]]}, "its add has the wrong type: a list"),
        (HEADERS, {"remove": [1]}, "its remove has the wrong type: a header name that is a number"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_field_of_the_wrong_type(sim, run, method, path, body, told):
    name = facts.at(path)
    sample, options = _prepare(sim, name, method, kind="replace_body", body=body)
    result = run(name, options)
    assert result.failed and told in result.msg
    assert result.changed is (method == "PUT")
    assert (sim.writes == []) is (method == "GET")


# What no HTTP library of a server would send: raw bytes.


@pytest.fixture
def raw_service():
    """serve(data): a base URL whose every connection is answered with these bytes."""
    servers = []

    def serve(data):
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def loop():
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                with connection:
                    connection.settimeout(5)
                    try:
                        connection.recv(65536)
                        connection.sendall(data)
                    except OSError:
                        pass

        threading.Thread(target=loop, daemon=True).start()
        return "http://127.0.0.1:%d" % server.getsockname()[1]

    yield serve
    for server in servers:
        server.close()


OK = b"HTTP/1.1 200 OK\r\n"
WELL = json.dumps({"enabled": True, "backend": {"id": "bkdtg_1", "uri": "u"}}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 9999 X\r\n\r\n",
        b"HTTP/1.1 99 X\r\n\r\n",
        b"HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        OK + b"X-A: " + b"a" * 70000 + b"\r\n\r\n",
        OK + b"X-A: b\r\n" * 200 + b"\r\n",
        OK + b"Content-Length: 5, 6\r\n\r\n" + WELL,
        OK + b"Content-Length: 99999999999999999999\r\n\r\n" + WELL,
        OK + b"Content-Length: \xb2\r\n\r\n" + WELL,
        OK + b"Content-Length: %s\r\n\r\n" % (b"9" * 5000) + WELL,
        OK + b"Content-Length: 1000\r\n\r\n" + WELL,
        OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + WELL,
        OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n" + WELL,
        OK + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n" + WELL,
        OK + b"Content-Encoding: gzip\r\n\r\n" + WELL,
        OK + b"\r\n" + WELL[:-5],
        OK + b"\r\n" + b'{"a": "\xed\xa0\x80"}',
        OK + b"\r\n" + '{"enabled": true}'.encode("utf-16"),
        OK + b"\r\n\xff\xfe\xfd",
        OK,
        OK + b"Content-Type: application/json\r\n",
        OK + b"Content-Type: application/json\r\nContent-Len",
        b"HTTP/1.1 404 Not Found\r\nContent-Le",
        OK + b"no header\r\nContent-Length: 500\r\n\r\n",
        OK + b"Content-Length : 500\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n0",
        b"HTTP/1.1 302 Found\r\nLocation: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 429 X\r\nRetry-After: \xb2\r\nContent-Length: \xb2\r\n\r\n",
    ],
)
def test_bytes_that_are_no_answer(raw_service, way, data):
    sample = sample_of(TCP)
    connection = dict(base_url=raw_service(data), api_key="k" * 20, retries=1, retry_max_wait=0.001, timeout=2)
    # What reads as "not set" would seem to be done here.
    result = harness.run(way, TCP, {**connection, **sample.options(dict(state="absent"))})
    assert result.failed and not result.changed and result.error["method"] == "GET"
    assert "0x" not in result.msg and "Traceback" not in result.text
    result.msg.encode()


@pytest.mark.parametrize(
    "target, shown",
    [
        (b"http://[::1", "http://[::1"),
        (b"https://other.example:port/", "https://other.example:port/"),
        (b"\xff\xfe", "\xff\xfe"),
        (b"mailto:a@b.example", "mailto:b.example"),  # what stands before an @ may be a password
    ],
)
def test_redirect_to_what_is_no_url(raw_service, way, target, shown):
    data = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + target + b"\r\n\r\n"
    sample = sample_of(TCP)
    connection = dict(base_url=raw_service(data), api_key="k" * 20, retries=0, timeout=2)
    result = harness.run(way, TCP, {**connection, **sample.options(sample.a)})
    assert result.failed and "was redirected (302) to %s, which" % shown in result.msg


@pytest.mark.parametrize(
    "data",
    [
        OK + b"\r\n" + WELL,
        OK + b"\r\n\xef\xbb\xbf" + WELL,
        OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n" % (len(WELL), WELL),
        b"HTTP/1.0 200 OK\r\n\r\n" + WELL,
    ],
)
def test_bytes_that_are_odd_but_an_answer(raw_service, way, data):
    sample = sample_of(TCP)
    connection = dict(base_url=raw_service(data), api_key="k" * 20, retries=0, timeout=2)
    result = harness.run(way, TCP, {**connection, **sample.options(sample.a)})
    assert not result.failed and not result.changed


def test_nobody_listens(way):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    sample = sample_of(TCP)
    connection = dict(base_url="http://127.0.0.1:%d" % port, api_key="k" * 20, retries=1, retry_max_wait=0.001)
    result = harness.run(way, TCP, {**connection, **sample.options(sample.a)})
    assert result.failed and "refused" in result.msg and "(tried 2 times)" in result.msg
    assert "object at" not in result.msg and result.error["status"] is None


@pytest.mark.parametrize("host", ["nowhere.invalid", "a..b", "x" * 64 + ".invalid", "-"])
def test_host_that_does_not_exist(way, host):
    sample = sample_of(TCP)
    connection = dict(base_url="https://" + host, api_key="k" * 20, retries=1, retry_max_wait=0.001)
    result = harness.run(way, TCP, {**connection, **sample.options(sample.a)})
    assert result.failed and "GET " + BACKEND in result.msg and "object at" not in result.msg


def test_cookies_are_not_kept(sim, run):
    sim.add_fault(kind="replace_body", body={}, headers={"Set-Cookie": "a=b; Path=/"}, times=1)
    assert run(RTH, dict(ROUTE_IDS, add={"X-A": "1"})).changed
    assert all("Cookie" not in record.headers for record in sim.log)


def test_a_write_whose_answer_cannot_be_used_says_that_it_changed_something(sim, run):
    sim.add_fault("replace_body", method="PUT", body={"enabled": True, "add": ["no", "dict"]})
    result = run("https_edge_route_request_headers", dict(ROUTE_IDS, add={"X-A": "1"}))
    assert (result.failed, result.changed) == (True, True)
    told = "PUT %s answered 200, but its add has the wrong type: a list. Check base_url and api_version"
    assert result.msg == told % HEADERS
    assert sim.resources[HEADERS]["add"] == {"X-A": "1"}
