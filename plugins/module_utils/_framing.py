# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where an answer begins and ends on a kept-alive connection, so that it belongs to its request. Private to this
collection.

The library takes most interim answers (1xx) for final ones, and does not look at what follows an answer: the next
request on the connection would read either as its own answer.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import re
import socket
import ssl
import typing as t

# More interim answers to one request than any service sends.
_MOST_INTERIM = 100


class _Lines(io.BufferedReader):
    """Reads an answer; a line that the connection ends in, or in place of, is an error in its head.

    The library takes what has come by then for the whole head. Without its length the answer would seem to be an empty
    one, which reads as not set. The same goes for the size of a chunk: a 0 may be the beginning of another number.
    """

    in_head = False
    in_chunks = False  # until the last one, whose size is 0

    def readline(self, size: int | None = -1) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and len(line) != size and (line or self.in_head):
            raise http.client.HTTPException("the answer was cut short")
        if self.in_chunks:
            found = re.fullmatch(rb"([0-9A-Fa-f]{1,16})[ \t]*(;.*)?\r?\n", line)
            if not found:
                # The library takes others for numbers too: 0x0 and -0 would end an answer that is not at its end.
                raise http.client.HTTPException("a chunk whose size is no number")
            self.in_chunks = int(found.group(1), 16) > 0
        return line


class FramedResponse(http.client.HTTPResponse):
    """An answer that skips the interim ones before it, and whose connection ends with it where anything follows it."""

    def __init__(self, sock: socket.socket, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp: t.Any = _Lines(self.fp.detach())
        self._sock = sock

    def _read_status(self) -> tuple[str, int, str]:
        found = super()._read_status()  # type: ignore[misc]
        self.fp.in_head = True
        return found

    def begin(self) -> None:
        super().begin()
        interim = 0
        while 100 <= self.status < 200:
            interim += 1
            if interim > _MOST_INTERIM:
                raise http.client.HTTPException("more than %d interim answers" % _MOST_INTERIM)
            self.headers = self.msg = None  # type: ignore[assignment]  # without them the next answer is read
            super().begin()
        self.fp.in_head = False
        if self.headers.get_payload():
            # The library reads no further than to a line that is no header, and the length may stand after it.
            raise http.client.HTTPException("an answer with a line in its head that is no header")
        self._check_coding()
        lengths = self._lengths()
        if lengths and self.length is None and not self.chunked and self.status not in (204, 304):
            # The library takes the same length, given twice in one line, for none.
            self.length, self.will_close = int(*lengths), self._check_close()  # type: ignore[attr-defined]
        # Where one ends that has chunks and a length is not certain; one without a body may be followed by it.
        if self.chunked and lengths or (self.status in (204, 304) and (self.chunked or lengths - {"0"})):
            self.will_close = True
        if self.status in (204, 304):
            del self.headers["Transfer-Encoding"]
            self.chunked, self.length = False, 0
        self.fp.in_chunks = self.chunked

    def _check_coding(self) -> None:
        """Refuse an answer whose end cannot be found, since it has another transfer coding than chunks."""
        codings = ", ".join(self.headers.get_all("Transfer-Encoding", ())).lower().replace(" ", "").split(",")
        if set(codings) - {"", "identity", "chunked"}:
            raise http.client.HTTPException("an answer in the transfer coding %s" % ", ".join(codings))

    def _lengths(self) -> set[str]:
        """Return the length that the head names, if any; refuse an answer with several, or with one that is none."""
        lengths = {one.strip() for value in self.headers.get_all("Content-Length", ()) for one in value.split(",")}
        if len(lengths) > 1:
            raise http.client.HTTPException("an answer of more than one length: %s" % ", ".join(sorted(lengths)))
        if any(not re.fullmatch("[0-9]{1,18}", one) for one in lengths):
            # The library reads on to the end of the connection then, and what was cut short would seem whole.
            raise http.client.HTTPException("an answer whose length is no number: %s" % ", ".join(lengths))
        return lengths

    def _close_conn(self) -> None:
        # Called once the whole answer is read, before the connection can be used again.
        if self.fp is not None and not self.will_close and _is_followed(self._sock, self.fp):
            end(self._sock)
        super()._close_conn()  # type: ignore[misc]


def _is_followed(sock: socket.socket, reader: t.Any) -> bool:
    """Return whether anything has come after what was read, be it in the reader's buffer, in TLS or in the socket."""
    timeout = sock.gettimeout()
    try:
        sock.settimeout(0)
        return bool(reader.peek(1))
    except (BlockingIOError, ssl.SSLWantReadError, socket.timeout):
        return False
    except (OSError, ValueError):
        return True
    finally:
        with contextlib.suppress(OSError):
            sock.settimeout(timeout)


def end(sock: socket.socket) -> None:
    """End a connection so that it is found to be dropped by whoever would use it next."""
    with contextlib.suppress(OSError):
        # Some kinds of TLS sockets wrap another one, and have no shutdown, or one of their own.
        getattr(sock, "socket", sock).shutdown(socket.SHUT_RDWR)


@functools.cache
def framed(pool: type) -> type:
    """Return a class of urllib3's connection pools whose connections read answers so; one of those stays as it is."""
    if getattr(pool.ConnectionCls, "response_class", None) is FramedResponse:  # type: ignore[attr-defined]
        return pool
    connection = type(pool.ConnectionCls.__name__, (pool.ConnectionCls,), {"response_class": FramedResponse})  # type: ignore[attr-defined]
    return type(pool.__name__, (pool,), {"ConnectionCls": connection})
