# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that answers at once, or after a set latency: what is measured must not be the simulator.

It stores and answers what the simulator would, in a process of its own, and checks nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import typing as t

from simulator import edge_modules
from simulator.options import Options

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def _response(status: str, body: bytes = b"") -> bytes:
    head = "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
    return head.encode() + body


def _stored(path: str, body: dict[str, t.Any]) -> bytes:
    """The response to a GET of what the body of a PUT asks for."""
    module = edge_modules.module_of(path)
    answer = edge_modules.answer(module, edge_modules.stored(module, body), Options(), "")
    return _response("200 OK", json.dumps(answer).encode())


class _Connection(asyncio.Protocol):
    """One kept-alive connection. C(stored) is shared by all: the response to a GET, by path."""

    transport: asyncio.Transport

    def __init__(self, stored: dict[bytes, bytes], latency: float) -> None:
        self.stored = stored
        self.latency = latency
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = t.cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.received += data
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        length = _LENGTH.search(self.received, 0, end)
        whole = end + 4 + (int(length.group(1)) if length else 0)
        if len(self.received) < whole:
            return
        head, body, self.received = self.received[:end], self.received[end + 4 : whole], self.received[whole:]
        method, path, dummy = head.split(b" ", 2)
        if method == b"PUT":
            self.stored[path] = _stored(path.decode(), json.loads(body))
        response = self.stored.get(path) or _response("404 Not Found")
        if self.latency:
            asyncio.get_running_loop().call_later(self.latency, self.transport.write, response)
        else:
            self.transport.write(response)


async def _serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    stored = {path.encode(): _stored(path, body) for path, body in json.loads(sys.stdin.readline()).items()}
    server = await loop.create_server(lambda: _Connection(stored, latency), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)  # until the benchmark ends, however it does


@contextlib.contextmanager
def running(latency: float, stored: dict[str, dict] | None = None) -> t.Iterator[str]:
    """Serve with so many seconds of latency what bodies of PUTs ask for, by path; gives the base URL."""
    command = [sys.executable, "-m", "benchmark.server", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        print(json.dumps(stored or {}), file=process.stdin, flush=True)
        yield "http://127.0.0.1:%d" % int(process.stdout.readline())
        process.stdin.close()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
