# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small threaded WSGI server that lets the application get at the connection.

Resets, closed connections and half bodies need the socket, which the usual servers hide. One thread serves
one connection, so a request that hangs holds up no other.
"""

from __future__ import annotations

import contextlib
import http.server
import io
import itertools
import socket
import socketserver
import ssl
import struct
import threading
import urllib.parse
from collections.abc import Callable
from typing import Any


class Server(socketserver.ThreadingTCPServer):
    """Serves a WSGI application from a background thread, with TLS if there is a context for it."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], app: Callable, tls: ssl.SSLContext | None = None) -> None:
        self.app = app
        self.tls = tls
        self.connection_ids = itertools.count(1)
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Connection)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name="simulator", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Serve no more, and end every connection, also those that are in use."""
        self.shutdown()
        self.server_close()
        with self._lock:
            sockets = list(self._sockets)
        for sock in sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection. The TLS handshake is left to its thread, or one client could block all others."""
        sock, address = super().get_request()
        if self.tls is not None:
            sock = self.tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            self._sockets.add(sock)
        return sock, address

    def shutdown_request(self, request: Any) -> None:
        """End a connection; called by the base class when its thread is done."""
        # What the client still sends is read first: a connection that is closed with something unread is reset, and
        # the client may then lose what it was told last, such as why its TLS handshake failed.
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(1)
            while request.recv(65536):
                pass
        with self._lock:
            self._sockets.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away in the middle are what this server is for."""


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection. The application finds it in its environ as `simulator.connection`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def setup(self) -> None:
        """Prepare to serve the requests of the connection."""
        super().setup()
        self.id = next(self.server.connection_ids)
        self.ending: str | None = None  # "close" or "reset": what the application wants instead of an answer

    def handle(self) -> None:
        """Serve the requests of the connection until either side ends it."""
        # ValueError is what the files of a dropped connection raise.
        with contextlib.suppress(OSError, ValueError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:  # pylint: disable=redefined-builtin
        """Print nothing."""

    def _drop(self) -> None:
        """End the connection without an answer, as the application asked for."""
        self.close_connection = True
        if self.ending == "reset":  # as a crashed peer does: the client sees "connection reset"
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # A socket is closed only once the files made from it are.
        self.rfile.close()
        self.wfile.close()
        self.connection.close()

    def respond(self) -> None:
        """Run the application for one request and send its answer."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            self.send_error(411)  # nothing that uses this API sends chunks
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        head: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _exc_info: Any = None) -> None:
            head[:] = [status, headers]

        pieces = self.server.app(self._environ(body), start_response)
        try:
            if self.ending:
                self._drop()
            else:
                self._send(head[0], head[1], pieces)
        finally:
            if hasattr(pieces, "close"):
                pieces.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = do_OPTIONS = respond

    def _environ(self, body: bytes) -> dict[str, Any]:
        path, _mark, query = self.path.partition("?")
        environ = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            "PATH_INFO": urllib.parse.unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "REMOTE_ADDR": self.client_address[0],
            "SERVER_NAME": self.server.server_address[0],
            "SERVER_PORT": str(self.server.server_address[1]),
            "SERVER_PROTOCOL": self.request_version,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https" if self.server.tls else "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            "simulator.connection": self,
        }
        for name, value in self.headers.items():
            environ["HTTP_" + name.upper().replace("-", "_")] = value
        environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE", "")
        environ["CONTENT_LENGTH"] = environ.pop("HTTP_CONTENT_LENGTH", "")
        return environ

    def _send(self, status: str, headers: list[tuple[str, str]], pieces: Any) -> None:
        lengths = [int(value) for name, value in headers if name.lower() == "content-length"]
        bodiless = self.command == "HEAD" or status[:3] in ("204", "304")
        if not lengths and not bodiless:
            self.close_connection = True  # the end of the connection is then the end of the body
        if self.close_connection:
            headers = [*headers, ("Connection", "close")]
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
        data = "\r\n".join(lines).encode("latin-1")
        sent = 0
        for piece in pieces:
            # The head goes out with the first piece: one packet for the usual answer.
            self.wfile.write(data + (b"" if bodiless else piece))
            data = b""
            sent += len(piece)
        if data:
            self.wfile.write(data)
        if lengths and sent < lengths[0] and not bodiless:
            self.close_connection = True  # a truncated body can only be seen when the connection ends
