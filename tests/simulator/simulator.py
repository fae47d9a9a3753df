# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator: its state, and how tests use it."""

from __future__ import annotations

import collections
import copy
import dataclasses
import json
import ssl
import threading
import time
from typing import Any, TextIO

import facts

from . import edge_modules
from .app import create_app
from .contract import contract
from .faults import Fault
from .options import Options
from .record import Record
from .server import Server


class Simulator:  # pylint: disable=too-many-instance-attributes
    """A simulated service on a port of its own; several can run at once. Options are those of options.Options."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        certfile: str | None = None,
        keyfile: str | None = None,
        client_ca: str | None = None,
        log_file: TextIO | None = None,
        **options: Any,
    ) -> None:
        self.host = host
        self._address = (host, port)
        self._tls = None
        if certfile:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certfile, keyfile)
            if client_ca:
                self._tls.load_verify_locations(client_ca)
                self._tls.verify_mode = ssl.CERT_REQUIRED
        self._log_file = log_file
        self._initial = Options().changed(**options)
        self._server: Server | None = None
        self.lock = threading.RLock()
        self._ended = threading.Event()  # set: nothing waits any longer, hanging requests end
        self._forget()

    def _forget(self) -> None:
        self.options = self._initial
        self._log: list[Record] = []
        self._refusals: list[str] = []
        self._resources: dict[str, edge_modules.Config] = {}
        self._faults: list[Fault] = []
        self._recent: collections.deque[float] = collections.deque()
        self._in_flight = 0
        self.max_in_flight = 0

    # Starting and stopping

    def start(self) -> Simulator:
        """Serve, from a thread in the background."""
        self._ended.clear()
        self._prepare_contract()
        self._server = Server(self._address, create_app(self), self._tls)
        self._server.start()
        return self

    def stop(self) -> None:
        """Stop at once, also where requests hang."""
        self._ended.set()
        if self._server is not None:
            self._server.stop()
            self._server = None

    __enter__ = start

    def __exit__(self, *_exc_info: Any) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """The port that is served."""
        assert self._server is not None, "the simulator is not started"
        return self._server.server_address[1]

    @property
    def root_url(self) -> str:
        """The address without base_path; the control paths are under it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    @property
    def base_url(self) -> str:
        """The base address to give to a client."""
        return self.root_url + self.options.base_path

    @property
    def api_key(self) -> str:
        """The key that the simulator takes."""
        return self.options.api_key

    # Behaviour

    def configure(self, **options: Any) -> None:
        """Change options while running."""
        with self.lock:
            self.options = self.options.changed(**options)
            self._prepare_contract()

    def _prepare_contract(self) -> None:
        if self.options.validate:  # now rather than within the first request, which would take unusually long
            contract(self.options.version_header, self.options.api_version)

    def add_fault(self, kind: str = "status", **rule: Any) -> Fault:
        """Order a fault; see faults.Fault. The rule returned counts in `hits` how many requests it hit."""
        fault = Fault(kind, **rule)
        with self.lock:
            self._faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        """Answer rightly again, and end the requests that hang."""
        with self.lock:
            self._faults = []
            self._release()

    def reset(self) -> None:
        """Be as just started."""
        with self.lock:
            in_flight = self._in_flight
            self._forget()
            self._in_flight = in_flight
            self._release()

    def clear_log(self) -> None:
        """Forget the log, the refusals and max_in_flight; nothing else."""
        with self.lock:
            self._log = []
            self._refusals = []
            self.max_in_flight = self._in_flight

    # What happened, and what is set

    @property
    def log(self) -> list[Record]:
        """Every request since the start or the last reset, in the order of arrival."""
        with self.lock:
            return list(self._log)

    @property
    def writes(self) -> list[Record]:
        """The PUT and DELETE requests of the log."""
        return [record for record in self.log if record.method in ("PUT", "DELETE")]

    @property
    def refusals(self) -> list[str]:
        """Requests that broke the contract, and answers of the simulator's own that did: should be empty."""
        with self.lock:
            return list(self._refusals)

    @property
    def resources(self) -> dict[str, edge_modules.Config]:
        """A copy of what is set, by path, in the form of a request with `enabled` filled in."""
        with self.lock:
            return copy.deepcopy(self._resources)

    def put(self, path: str, config: edge_modules.Config) -> None:
        """Set a configuration, in the form of a request, past the API and its log."""
        module = edge_modules.module_of(path)
        unknown = set(config) - {"enabled", *(field.name for field in module.fields)}
        if unknown:
            raise ValueError(f"{path} has no field {', '.join(sorted(unknown))}")
        self.store(path, module, config)

    def store(self, path: str, module: facts.EdgeModule, request: edge_modules.Config) -> None:
        """Set what the body of a PUT asks for."""
        stored = edge_modules.stored(module, copy.deepcopy(request))
        with self.lock:
            self._resources[path] = stored

    def delete(self, path: str) -> bool:
        """Remove a configuration past the API; whether there was one."""
        with self.lock:
            return self._resources.pop(path, None) is not None

    def get(self, path: str) -> edge_modules.Config | None:
        """What is set at a path."""
        with self.lock:
            return self._resources.get(path)

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {
            "base_url": self.base_url,
            "log": [dataclasses.asdict(record) for record in self.log],
            "refusals": self.refusals,
            "resources": self.resources,
            "options": dataclasses.asdict(self.options),
            "max_in_flight": self.max_in_flight,
        }

    # For the application

    def begin(self, record: Record) -> None:
        """Take a request into the log, and count it as in flight."""
        with self.lock:
            self._log.append(record)
            self._in_flight += 1
            self.max_in_flight = max(self.max_in_flight, self._in_flight)

    def finish(self, record: Record) -> None:
        """The request is about to be answered."""
        with self.lock:
            record.end = time.monotonic()
            self._in_flight -= 1
            if self._log_file:
                print(json.dumps(dataclasses.asdict(record)), file=self._log_file, flush=True)

    def refuse(self, method: str, path: str, reason: str) -> None:
        """Remember a breach of the contract."""
        with self.lock:
            self._refusals.append(f"{method} {path}: {reason}")

    def fault_for(self, method: str, path: str) -> Fault | None:
        """The first ordered fault that hits a request."""
        with self.lock:
            return next((fault for fault in self._faults if fault.takes(method, path)), None)

    def over_limit(self) -> bool:
        """Whether a request comes too soon; counts it otherwise."""
        limit = self.options.requests_per_second
        if limit is None:
            return False
        now = time.monotonic()
        with self.lock:
            while self._recent and self._recent[0] <= now - 1:
                self._recent.popleft()
            if len(self._recent) >= limit:
                return True
            self._recent.append(now)
        return False

    def wait(self, seconds: float) -> None:
        """Let time pass, cut short when the simulator stops, is reset or has its faults cleared."""
        self._ended.wait(seconds)

    def _release(self) -> None:
        self._ended.set()
        self._ended = threading.Event()
