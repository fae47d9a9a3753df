# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service on loopback that sends the very bytes that a test says: for what no HTTP library of a server would send."""

from __future__ import annotations

import json
import socket
import threading
import time
import typing as t
from dataclasses import dataclass, field

# In the place of bytes: the connection ends there.
CLOSE = object()

Pieces = t.Iterable[t.Any]


def backend_id(path: str) -> str:
    """The backend that a raw service holds for a path: another one for each."""
    return "bkdtg_" + path.split("/")[3].rpartition("_")[2]


def document(path: str) -> bytes:
    """The configuration of a TCP edge's backend, as the service answers it."""
    return json.dumps({"enabled": True, "backend": {"id": backend_id(path), "uri": "u"}}).encode()


def plain(body: bytes, status: str = "200 OK", headers: t.Iterable[str] = (), version: str = "HTTP/1.1") -> bytes:
    """An answer with its length."""
    lines = ["%s %s" % (version, status), "Content-Type: application/json", "Content-Length: %d" % len(body), *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def chunked(body: bytes, headers: t.Iterable[str] = (), size: int = 7) -> bytes:
    """An answer in chunks."""
    head = "\r\n".join(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers, "", ""]).encode()
    chunks = [body[start : start + size] for start in range(0, len(body), size)] + [b""]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)


def until_close(body: bytes, headers: t.Iterable[str] = (), version: str = "HTTP/1.1") -> list[t.Any]:
    """An answer that ends with its connection."""
    return ["\r\n".join([version + " 200 OK", *headers, "", ""]).encode() + body, CLOSE]


@dataclass
class Request:
    connection: int
    method: str
    path: str
    body: bytes
    time: float = field(default_factory=time.monotonic)


class RawService:
    """Serves any number of connections; `script` says what is sent for a request.

    :param script: takes the request and its number, from 0; returns bytes, seconds to wait, and CLOSE, in order.
    :param context: for TLS.
    """

    def __init__(self, script: t.Callable[[Request, int], Pieces], context: t.Any = None) -> None:
        self.log: list[Request] = []
        self._script = script
        self._context = context
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def base_url(self) -> str:
        return "%s://localhost:%d" % ("https" if self._context else "http", self._server.getsockname()[1])

    def __enter__(self) -> RawService:
        return self

    def __exit__(self, *dummy: object) -> None:
        for each in (self._server, *self._sockets):
            each.close()

    def _accept(self) -> None:
        number = 0
        while True:
            try:
                connection = self._server.accept()[0]
                connection.settimeout(20)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._context:
                    connection = self._context.wrap_socket(connection, server_side=True)
            except OSError:
                return
            self._sockets.append(connection)
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()
            number += 1

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection, connection.makefile("rb") as stream:
            try:
                while True:
                    line = stream.readline().decode().split()
                    if not line:
                        return
                    length = 0
                    for header in iter(stream.readline, b"\r\n"):
                        name, dummy, value = header.decode("latin-1").partition(":")
                        length = int(value) if name.lower() == "content-length" else length
                    request = Request(number, line[0], line[1], stream.read(length))
                    with self._lock:
                        self.log.append(request)
                        index = len(self.log) - 1
                    for piece in self._script(request, index):
                        if piece is CLOSE:
                            return
                        if isinstance(piece, bytes):
                            connection.sendall(piece)
                        else:
                            time.sleep(piece)
            except OSError:
                return
