# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where an answer begins and ends: the reader of answers by itself, on a pair of sockets."""

from __future__ import annotations

import http.client
import socket
import types

import pytest
import urllib3
from ansible_collections.edgeops.edges.plugins.module_utils import _framing

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    ours.settimeout(2)
    with ours, theirs:
        yield ours, theirs


def read(pair, data):
    ours, theirs = pair
    theirs.sendall(data)
    response = _framing.FramedResponse(ours, method="GET")
    response.begin()
    return response, response.read()


def is_ended(pair):
    ours, theirs = pair
    assert ours.gettimeout() == 2, "the socket waits as long as before"
    theirs.settimeout(0)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


def test_an_answer(pair):
    response, body = read(pair, OK)
    assert (response.status, body, response.will_close, is_ended(pair)) == (200, b"{}", False, False)
    response, body = read(pair, OK.replace(b"200", b"404"))
    assert (response.status, body, is_ended(pair)) == (404, b"{}", False)


@pytest.mark.parametrize("status", [100, 101, 102, 103, 199])
@pytest.mark.parametrize("number", [1, 3, 100])
def test_interim_answers_are_skipped(pair, status, number):
    response, body = read(pair, b"HTTP/1.1 %d X\r\nContent-Length: 7\r\nX-A: b\r\n\r\n" % status * number + OK)
    assert (response.status, body, response.will_close, is_ended(pair)) == (200, b"{}", False, False)
    assert response.getheader("X-A") is None and response.msg is response.headers


def test_interim_answers_without_end(pair):
    with pytest.raises(http.client.HTTPException, match="^more than 100 interim answers$"):
        read(pair, b"HTTP/1.1 103 X\r\n\r\n" * 101 + OK)


@pytest.mark.parametrize(
    "data",
    [
        OK[:12],
        OK[:17],
        OK[:25],
        OK[:36],
        b"HTTP/1.1 103 X\r\n\r\n" + OK[:17],
        b"HTTP/1.1 404 Not Found\r\nContent-Ty",
    ],
)
def test_a_head_that_the_connection_ends_in(pair, data):
    pair[1].sendall(data)
    pair[1].shutdown(socket.SHUT_WR)
    with pytest.raises(http.client.HTTPException, match="^the answer was cut short$"):
        read((pair[0], types.SimpleNamespace(sendall=bool)), b"")


def test_a_connection_that_ends_before_an_answer(pair):
    pair[1].shutdown(socket.SHUT_WR)
    with pytest.raises(http.client.RemoteDisconnected):
        read((pair[0], types.SimpleNamespace(sendall=bool)), b"")


@pytest.mark.parametrize("line", [b"no header", b"Content-Length : 2", b"\xff: a"])
def test_a_head_with_what_is_no_header(pair, line):
    with pytest.raises(http.client.HTTPException, match="^an answer with a line in its head that is no header$"):
        read(pair, OK.replace(b"Content", line + b"\r\nContent", 1))


@pytest.mark.parametrize("more", [b"x", b"\r\n", OK, b"x" * 20000])
def test_what_follows_an_answer_ends_the_connection(pair, more):
    response, body = read(pair, OK + more)
    assert (body, is_ended(pair)) == (b"{}", True)


def test_an_answer_that_is_given_up_ends_the_connection(pair):
    ours, theirs = pair
    theirs.sendall(OK)
    response = _framing.FramedResponse(ours)
    response.begin()
    response.close()
    assert is_ended(pair)


def test_a_connection_that_the_service_ends_is_left_to_the_pool(pair):
    ours, theirs = pair
    theirs.sendall(OK)
    theirs.shutdown(socket.SHUT_WR)
    response = _framing.FramedResponse(ours)
    response.begin()
    assert (response.read(), is_ended(pair)) == (b"{}", False)


@pytest.mark.parametrize(
    "head, will_close",
    [
        (b"200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", False),
        (b"200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", True),
        (b"200 OK\r\nContent-Length: 0\r\n\r\n", False),
        (b"200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", False),
        (b"200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", True),
        (b"204 X\r\n\r\n", False),
        (b"204 X\r\nContent-Length: 0\r\n\r\n", False),
        (b"204 X\r\nContent-Length: 1\r\n\r\n", True),
        (b"204 X\r\nTransfer-Encoding: chunked\r\n\r\n", True),
        (b"304 X\r\nContent-Length: 1\r\n\r\n", True),
        (b"304 X\r\nContent-Length: 0\r\n\r\n", False),
    ],
)
def test_a_connection_whose_answer_ends_nobody_knows_where(pair, head, will_close):
    response, dummy = read(pair, b"HTTP/1.1 " + head)
    assert response.will_close is will_close
    assert not is_ended(pair)


@pytest.mark.parametrize("lengths", [b"Content-Length: 2\r\nContent-Length: 3\r\n", b"Content-Length: 3, 2\r\n"])
def test_two_lengths_are_no_answer(pair, lengths):
    with pytest.raises(http.client.HTTPException, match="^an answer of more than one length: 2, 3$"):
        read(pair, b"HTTP/1.1 200 OK\r\n" + lengths + b"\r\n{}")


@pytest.mark.parametrize(
    "exc, followed", [(TimeoutError(), False), (ConnectionResetError(), True), (ValueError(), True)]
)
def test_a_connection_that_cannot_be_looked_at(pair, exc, followed):
    def peek(size):
        raise exc

    assert _framing._is_followed(pair[0], types.SimpleNamespace(peek=peek)) is followed
    assert pair[0].gettimeout() == 2


def test_the_end_of_a_connection(pair):
    """Of one that wraps another too, as some kinds of TLS do."""
    _framing.end(types.SimpleNamespace(socket=pair[0]))
    assert pair[1].recv(1) == b""
    pair[1].close()
    _framing.end(pair[0])
    pair[0].close()
    _framing.end(pair[0])


@pytest.mark.parametrize("pool", [urllib3.HTTPConnectionPool, urllib3.HTTPSConnectionPool])
def test_pools_of_connections(pool):
    made = _framing.framed(pool)
    assert issubclass(made, pool) and issubclass(made.ConnectionCls, pool.ConnectionCls)
    assert made.ConnectionCls.response_class is _framing.FramedResponse
    assert pool.ConnectionCls.response_class is http.client.HTTPResponse, "others have what they had"
    assert _framing.framed(made) is made is _framing.framed(pool)
