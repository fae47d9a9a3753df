# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An answer belongs to its request, whatever else comes over a kept-alive connection."""

from __future__ import annotations

import ssl
import time

import harness
import pytest
import trustme
from harness.raw import CLOSE, RawService, backend_id, chunked, document, plain, until_close

EDGES = 4
# What the strange answer is given to: the second of all requests, on a connection that has served one well.
STRANGE = 1
OTHER = plain(b'{"enabled": false, "backend": {"id": "bkdtg_other", "uri": "u"}}')
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def read(service, way="worker", edges=EDGES, **options):
    """A dry run over some edges, one request after the other; a `retry` is one more request."""
    given = dict(base_url=service.base_url, api_key="k" * 20, retry_max_wait=0.01, timeout=2, concurrency=1)
    wanted = dict(backend_id="bkdtg_wanted")  # which none has, so each result says what there is
    given["tcp_edges"] = [dict(id="edgtcp_%d" % number, backend=wanted) for number in range(edges)]
    return harness.run(way, "edge_modules", {**given, **options}, check=True)


def own(one):
    """What the edge of a result has."""
    return dict(enabled=True, backend_id=backend_id("/edges/tcp/%s/backend" % one["edge_id"]))


def check(service, result):
    """Each edge has its own configuration."""
    assert not result.failed, result.data
    assert len(result.results) == EDGES
    for one in result.results:
        assert one["before"] == own(one)


def served(strange, **more):
    """A service that answers well, but for one request: `strange` says what that gets in the place of the answer."""

    def script(request, number):
        if number == STRANGE:
            return strange(request)
        return [plain(document(request.path))]

    return RawService(script, **more)


def answer(request):
    return plain(document(request.path))


# what comes for the request, and whether the connection can be used again
INTERIM = {
    "103, the answer at once": lambda request: [HINTS + answer(request)],
    "103, the answer later": lambda request: [HINTS, 0.3, answer(request)],
    "102, the answer later": lambda request: [PROCESSING, 0.3, answer(request)],
    "100, the answer later": lambda request: [CONTINUE, 0.3, answer(request)],
    "several": lambda request: [PROCESSING, 0.1, HINTS + CONTINUE + HINTS, 0.1, PROCESSING, 0.1, answer(request)],
    "101 that nobody asked for": lambda request: [b"HTTP/1.1 101 Switching\r\n\r\n", 0.2, answer(request)],
    "199": lambda request: [b"HTTP/1.1 199 X\r\n\r\n", 0.2, answer(request)],
    "in pieces": lambda request: [HINTS[:15], 0.1, HINTS[15:], 0.1, answer(request)],
    "that asks to close": lambda request: [b"HTTP/1.1 103 X\r\nConnection: close\r\n\r\n", 0.2, answer(request)],
    "that says it has chunks": lambda request: [
        b"HTTP/1.1 103 X\r\nTransfer-Encoding: chunked\r\n\r\n",
        0.2,
        answer(request),
    ],
    "that says its length": lambda request: [b"HTTP/1.1 103 X\r\nContent-Length: 500\r\n\r\n", 0.2, answer(request)],
    "the answer in chunks": lambda request: [HINTS, 0.2, chunked(document(request.path))],
    "of HTTP/1.0": lambda request: [b"HTTP/1.0 103 X\r\n\r\n", 0.2, answer(request)],
}


@pytest.mark.parametrize("strange", INTERIM.values(), ids=INTERIM)
def test_interim_answers_are_skipped(way, strange):
    with served(strange) as service:
        check(service, read(service, way))
        assert len(service.log) == EDGES, "nothing had to be tried again"
        assert {one.connection for one in service.log} == {0}


@pytest.mark.parametrize("late", [[HINTS, 3], [HINTS, 3, CLOSE], [PROCESSING, HINTS, 3]], ids=len)
def test_an_answer_that_is_too_late_is_nobodys(way, late):
    with served(lambda request: [*late[:-1], late[-1] if late[-1] is CLOSE else 3, OTHER]) as service:
        check(service, read(service, way, timeout=1))
        assert len(service.log) == EDGES + 1
        assert [one.connection for one in service.log].count(0) == STRANGE + 1


def test_interim_answers_without_end(way):
    with RawService(lambda request, number: [HINTS * 200, 0.1, CLOSE]) as service:
        result = read(service, way, retries=1)
        assert result.failed and "interim" in result.msg, result.data


def body_of_less(request):
    """The length of an answer is less than its body's."""
    body = document(request.path)
    return plain(body) + b"x" * 50


LEFT = {
    "bytes after a body": lambda request: [answer(request) + b"x" * 50],
    "a line after a body": lambda request: [answer(request) + b"\r\n"],
    "another answer after it": lambda request: [answer(request) + OTHER],
    "half of another answer after it": lambda request: [answer(request) + OTHER[:40], 0.2, OTHER[40:]],
    "another answer after chunks": lambda request: [chunked(document(request.path)) + OTHER],
    "another answer after one without a body": lambda request: [plain(b"", "404 Not Found") + OTHER],
    "a 204 with a body": lambda request: [b"HTTP/1.1 204 No Content\r\n\r\n" + OTHER],
    "a 204 that says it has a body, which comes later": lambda request: [
        b"HTTP/1.1 204 No Content\r\nContent-Length: %d\r\n\r\n" % len(OTHER),
        0.2,
        OTHER,
    ],
    "a 204 that says it has chunks": lambda request: [
        b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
        0.2,
        OTHER,
    ],
    "a 204 with chunks": lambda request: [
        chunked(document(request.path)).replace(b"200 OK", b"204 No Content"),
    ],
    "a 304 with a body": lambda request: [b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 0.2, OTHER],
    "an error with another answer after it": lambda request: [plain(b"{}", "503 Busy") + OTHER],
    "chunks and a length": lambda request: [
        chunked(document(request.path), ["Content-Length: %d" % len(document(request.path))]),
        0.2,
        OTHER,
    ],
    "a damaged encoding": lambda request: [plain(b"\x1f\x8b\x08" + b"\0" * 20, headers=["Content-Encoding: gzip"])],
    "a cut encoding": lambda request: [plain(b"\x1f\x8b\x08" + b"\0" * 7, headers=["Content-Encoding: gzip"])],
    "a broken chunk": lambda request: [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        0.2,
        OTHER,
    ],
    "two lengths": lambda request: [plain(document(request.path), headers=["Content-Length: 2"]), 0.2, OTHER],
    "no answer": lambda request: [b"what?\r\n", 0.2, OTHER],
}


@pytest.mark.parametrize("strange", LEFT.values(), ids=LEFT)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_connection_on_which_anything_was_left_is_not_used_again(tmp_path, strange, tls):
    more, options = {}, {}
    if tls:
        authority = trustme.CA()
        more["context"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(more["context"])
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        options["ca_path"] = str(tmp_path / "ca.pem")
    with served(strange, **more) as service:
        result = read(service, **options)
        used = [one.connection for one in service.log]
    strange_one = used[STRANGE]
    assert strange_one == 0
    assert used[STRANGE + 1 :] and 0 not in used[STRANGE + 1 :], used
    if not result.failed:  # it fails where the strange answer is an error for good
        for one in result.results:
            assert one["before"] in (own(one), None), one
    else:
        assert "304" in result.msg


# The head of an answer that was cut short before its body: none of them is an empty one, which would read as not set.
CUT = {
    "a negative length": "Content-Length: -5",
    "a length in words": "Content-Length: many",
    "a length with a sign": "Content-Length: +50",
    "a length with an underscore": "Content-Length: 5_0",
    "a blank length": "Content-Length:",
    "a length twice": "Content-Length: 50, 50",
    "a length and identity": "Content-Length: 50\r\nTransfer-Encoding: identity",
    "an unknown transfer coding": "Transfer-Encoding: foo",
    "gzip as a transfer coding": "Transfer-Encoding: gzip",
    "gzip in chunks": "Transfer-Encoding: gzip, chunked",
    "gzip in chunks, in two lines": "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
}


@pytest.mark.parametrize("head", CUT.values(), ids=CUT)
@pytest.mark.parametrize("body", [b"", b"0\r\n\r\n"], ids=["nothing", "an empty chunk"])
def test_an_answer_without_a_certain_end_is_not_an_empty_one(way, head, body):
    with served(lambda request: [("HTTP/1.1 200 OK\r\n%s\r\n\r\n" % head).encode() + body, CLOSE]) as service:
        check(service, read(service, way))
        assert len(service.log) == EDGES + 1


@pytest.mark.parametrize("size", [b"-0", b"+0", b"0x0", b"0_0", b" 0", b"", b"zz", b"0 0"])
def test_a_size_of_a_chunk_that_is_no_number_ends_no_answer(way, size):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with served(lambda request: [head + size + b"\r\n\r\n", CLOSE]) as service:
        check(service, read(service, way))
        assert len(service.log) == EDGES + 1


@pytest.mark.parametrize("extension", [b"", b";name=value", b' ; a="b c"'])
def test_chunks_may_say_more_than_their_sizes(way, extension):
    def strange(request):
        body = document(request.path)
        whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        whole += b"00%x%s\r\n%s\r\n0%s\r\nTrailer: x\r\n\r\n" % (len(body), extension, body, extension)
        return [whole]

    with served(strange) as service:
        check(service, read(service, way))
        assert {one.connection for one in service.log} == {0} and len(service.log) == EDGES


def test_the_same_length_twice_in_one_line_is_one(way):
    def strange(request):
        body = document(request.path)
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d, %d\r\n\r\n" % (len(body), len(body)) + body]

    with served(strange) as service:
        check(service, read(service, way))
        assert {one.connection for one in service.log} == {0} and len(service.log) == EDGES


def test_an_answer_before_the_request(way):
    """As from a service that gives up an idle connection with an answer that says so."""
    said = plain(b'{"message": "idle"}', "408 Request Timeout")

    def script(request, number):
        return [plain(document(request.path)), 0.1, said] if number == 0 else [plain(document(request.path))]

    with RawService(script) as service:
        options = dict(base_url=service.base_url, api_key="k" * 20, retry_max_wait=0.01, timeout=2)
        # Two items of a loop, with some time between them: in the worker they share a connection.
        for edge in ("edgtcp_1", "edgtcp_2"):
            wanted = dict(id=edge, backend=dict(backend_id="bkdtg_wanted"))
            (one,) = harness.run(way, "edge_modules", dict(options, tcp_edges=[wanted]), check=True).results
            assert one["before"] == own(one)
            time.sleep(0.3)
        assert [one.connection for one in service.log] == [0, 1]


def test_connections_are_used_again_where_nothing_is_wrong(way):
    """The checks must not end what is well."""
    forms = [
        lambda request: plain(document(request.path)),
        lambda request: chunked(document(request.path)),
        lambda request: plain(b"", "404 Not Found"),
        lambda request: b"HTTP/1.1 204 No Content\r\n\r\n",
        lambda request: b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
        lambda request: plain(document(request.path), headers=["Connection: keep-alive"], version="HTTP/1.0"),
        lambda request: plain(document(request.path), headers=["Content-Length: %d" % len(document(request.path))]),
    ]
    with RawService(lambda request, number: [forms[number % len(forms)](request)]) as service:
        edges = 3 * len(forms)
        assert not read(service, way, edges).failed
        assert {one.connection for one in service.log} == {0}
        assert len(service.log) == edges


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
def test_answers_that_end_with_their_connection(way, version):
    with RawService(lambda request, number: until_close(document(request.path), version=version)) as service:
        check(service, read(service, way))
        assert [one.connection for one in service.log] == list(range(EDGES))
