# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Flask application: the API of the service, and the control of the simulator beside it."""

from __future__ import annotations

import itertools
import json
import time
import traceback
import typing
from typing import Any

import facts
import flask
from werkzeug.exceptions import HTTPException

from . import edge_modules
from .contract import contract
from .faults import Fault
from .record import Record

if typing.TYPE_CHECKING:
    from .simulator import Simulator

HTML_PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
CONTROL = "/_simulator/"


class _Api:
    """The operations of the API for one simulator."""

    def __init__(self, sim: Simulator) -> None:
        self.sim = sim
        self._operations = itertools.count(1)

    # A request on its way in and out

    def arrive(self) -> flask.Response | None:
        """Log a request, and refuse it where it breaks the contract."""
        request, sim = flask.request, self.sim
        if request.path.startswith(CONTROL) and not request.root_path:
            if not (request.remote_addr or "").startswith(("127.", "::1")):
                flask.abort(403)
            return None
        flask.g.record = record = Record(
            method=request.method,
            path=request.path,
            query=request.query_string.decode("latin-1"),
            headers=dict(request.headers),
            body=_json_or_none(request.get_data()),
            connection=request.environ["simulator.connection"].id,
            time=time.monotonic(),
        )
        sim.begin(record)
        if sim.options.latency:
            sim.wait(sim.options.latency)
        refusal = self._refusal(record)
        if refusal:
            sim.refuse(record.method, record.path, refusal[1])
            return self.error(*refusal)
        if sim.over_limit():
            answer = self.error(429, "too many requests")
            answer.headers["Retry-After"] = "1"
            return answer
        return None

    def _refusal(self, record: Record) -> tuple[int, str] | None:
        options = self.sim.options
        if flask.request.root_path != options.base_path:
            return 404, "no such path"
        if options.validate:
            refusal = contract(options.version_header, options.api_version).refusal(
                record.method, record.path, record.headers, record.query, flask.request.get_data()
            )
            if refusal:
                return refusal
        if record.headers.get("Authorization") != f"Bearer {options.api_key}":
            return 401, "the API key is missing or wrong"
        return None

    @staticmethod
    def leave(response: flask.Response) -> flask.Response:
        """Note the status of the answer."""
        if "record" in flask.g and not flask.request.environ["simulator.connection"].ending:
            flask.g.record.status = response.status_code
        return response

    def left(self, _error: BaseException | None) -> None:
        """The request is done with."""
        if "record" in flask.g:
            self.sim.finish(flask.g.record)

    # The operations

    def operate(self, module: facts.EdgeModule, **_ids: str) -> flask.Response:
        """One request to one edge module."""
        fault = self.sim.fault_for(flask.request.method, flask.request.path)
        if fault is None:
            return self._right(module)
        flask.g.record.fault = fault.kind
        right = self._right(module) if fault.writes else None
        return self._wrong(fault, right)

    def _right(self, module: facts.EdgeModule) -> flask.Response:
        """The answer of a service in order."""
        sim, method, path = self.sim, flask.request.method, flask.request.path
        ids = path.split("/")[3:-1:2]
        if sim.options.edges is not None and "/".join(ids) not in sim.options.edges:
            return self.error(404, "no such edge or route")
        if method == "DELETE":
            if not sim.delete(path) and sim.options.delete_not_set == "404":
                return self.error(404, "the module is not set")
            return self._checked(204, b"")
        if method == "PUT":
            body = flask.g.record.body
            if not isinstance(body, dict):  # possible only where requests are not validated
                return self.error(400, "the body is not a JSON object")
            conflict = self._conflict(path, body)
            if conflict:
                return self.error(400, conflict)
            sim.store(path, module, body)
        config = sim.get(path)
        if config is None:
            return self._not_set()
        return self._checked(200, edge_modules.answer(module, config, sim.options, sim.base_url))

    def _conflict(self, path: str, body: dict[str, Any]) -> str | None:
        """With TLS passed upstream, a TLS edge can have no IP restriction, where the options say so."""
        if not self.sim.options.upstream_refuses:
            return None
        edge, _slash, name = path.rpartition("/")
        if name == "ip_restriction":
            termination = self.sim.get(f"{edge}/tls_termination")
            if termination and termination["terminate_at"] == "upstream":
                return "ip_restriction is not allowed where TLS terminates upstream"
        to_upstream = name == "tls_termination" and body.get("terminate_at") == "upstream"
        if to_upstream and self.sim.get(f"{edge}/ip_restriction") is not None:
            return "TLS cannot terminate upstream while ip_restriction is set"
        return None

    def _not_set(self) -> flask.Response:
        """What a GET finds where nothing is set. The service does not specify it, hence the choice."""
        choice = self.sim.options.not_set
        if choice == "404":
            return self.error(404, "the module is not set")
        if choice == "204":
            return _response(204, b"")
        return _response(200, b"" if choice == "empty" else choice.encode())

    def _checked(self, status: int, content: Any) -> flask.Response:
        """An answer of our own, first checked against the contract: a simulator that lies proves nothing."""
        sim, method, path = self.sim, flask.request.method, flask.request.path
        data = content if isinstance(content, bytes) else _json(content)
        if sim.options.validate:
            wrong = contract(sim.options.version_header, sim.options.api_version).wrong_answer(
                method, path, status, data
            )
            if wrong:
                sim.refuse(method, path, f"the simulator's own answer is wrong: {wrong}")
                return self.error(500, wrong)
        if sim.options.empty_fields != "kept" and isinstance(content, dict):
            data = _json(_without_empty(content, sim.options.empty_fields))
        return _response(status, data)

    def error(self, status: int, message: str) -> flask.Response:
        """An error answer in the form that the options give it."""
        values = {
            "status": status,
            "code": f"ERR_{status}",
            "message": message,
            "operation_id": f"op_{next(self._operations):08d}",
        }
        body = _filled(self.sim.options.error_template, values)
        if isinstance(body, str):
            return _response(status, body.encode(), "text/plain; charset=utf-8")
        return _response(status, _json(body))

    # Answers to order

    def _wrong(self, fault: Fault, right: flask.Response | None) -> flask.Response:
        """The answer that a fault asks for; `right` is the one that a service in order gives, where it wrote."""
        if fault.kind in ("reset_before", "reset_after"):
            return _unanswered("reset")
        if fault.kind in ("close_before", "close_after"):
            return _unanswered("close")
        if fault.kind in ("hang", "hang_after"):
            self.sim.wait(3600 if fault.seconds is None else fault.seconds)
            return _unanswered("close")
        if fault.kind in ("truncated", "slow"):
            assert right is not None
            return self._in_pieces(fault, right)
        if fault.kind == "redirect":
            answer = _response(fault.status or 302, b"")
            answer.headers["Location"] = fault.location
        elif fault.kind == "html":
            answer = _response(fault.status or 200, HTML_PAGE.encode(), "text/html; charset=utf-8")
        elif fault.kind == "list":
            answer = _response(fault.status or 200, _json([{"enabled": True}]))
        elif fault.kind == "replace_body" or fault.body is not None:
            body = fault.body if isinstance(fault.body, str) else _json(fault.body)
            answer = _response(fault.status or 200, body)
        else:
            assert fault.status is not None
            answer = self.error(fault.status, "a fault to order")
        if fault.content_type:
            answer.headers["Content-Type"] = fault.content_type
        answer.headers.update(fault.headers)
        return answer

    def _in_pieces(self, fault: Fault, right: flask.Response) -> flask.Response:
        data = right.get_data()
        if fault.kind == "truncated":
            if not data:  # there is nothing to cut, so the answer as a whole is missing
                return _unanswered("close")
            pieces = iter([data[: len(data) // 2]])
        else:
            pieces = self._dribble(data, 1.0 if fault.seconds is None else fault.seconds)
        answer = flask.Response(pieces, right.status, right.headers)
        answer.headers["Content-Length"] = str(len(data))
        return answer

    def _dribble(self, data: bytes, seconds: float) -> typing.Iterator[bytes]:
        count = 5
        size = max(1, -(-len(data) // count))
        for number in range(count):
            self.sim.wait(seconds / count)
            yield data[number * size : (number + 1) * size]


def create_app(sim: Simulator) -> typing.Callable:
    """The WSGI application of one simulator."""
    app = flask.Flask("simulator", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.url_map.redirect_defaults = False
    api = _Api(sim)
    app.before_request(api.arrive)
    app.after_request(api.leave)
    app.teardown_request(api.left)
    for module in facts.MODULES.values():
        app.add_url_rule(
            module.path.replace("{", "<").replace("}", ">"),
            endpoint=module.path,
            view_func=api.operate,
            defaults={"module": module},
            methods=["GET", "PUT", "DELETE"],
            provide_automatic_options=False,
        )
    _add_control(app, sim)

    @app.errorhandler(Exception)
    def failed(error: Exception) -> flask.Response:
        if isinstance(error, HTTPException):
            return api.error(error.code or 500, error.description or error.name)
        sim.refuse(flask.request.method, flask.request.path, traceback.format_exc())
        return api.error(500, "the simulator itself failed")

    def below_base_path(environ: dict[str, Any], start_response: typing.Callable) -> typing.Iterable[bytes]:
        base, path = sim.options.base_path, environ["PATH_INFO"]
        if base and path.startswith(base + "/"):
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = base, path[len(base) :]
        return app(environ, start_response)

    return below_base_path


def _add_control(app: flask.Flask, sim: Simulator) -> None:
    """The in-process calls over HTTP, for a simulator in another process."""

    def done() -> flask.Response:
        return flask.jsonify(sim.state()["options"])

    def call(function: typing.Callable) -> flask.Response:
        try:
            function()
        except (TypeError, ValueError) as error:
            return _response(400, _json({"error": str(error)}))
        return done()

    def seed() -> None:
        for path, config in flask.request.get_json().items():
            if config is None:
                sim.delete(path)
            else:
                sim.put(path, config)

    routes = {
        ("GET", "state"): lambda: flask.jsonify(sim.state()),
        ("POST", "options"): lambda: call(lambda: sim.configure(**flask.request.get_json())),
        ("POST", "faults"): lambda: call(lambda: sim.add_fault(**flask.request.get_json())),
        ("DELETE", "faults"): lambda: call(sim.clear_faults),
        ("POST", "reset"): lambda: call(sim.reset),
        ("POST", "clear-log"): lambda: call(sim.clear_log),
        ("PUT", "resources"): lambda: call(seed),
    }
    for (method, name), view in routes.items():
        app.add_url_rule(CONTROL + name, endpoint=f"{method} {name}", view_func=view, methods=[method])


def _response(status: int, data: bytes | str, content_type: str = "application/json") -> flask.Response:
    response = flask.Response(data, status, content_type=content_type)
    if status == 204:
        del response.headers["Content-Type"]
    return response


def _unanswered(ending: str) -> flask.Response:
    """Have the server end the connection; the response returned is never sent."""
    flask.request.environ["simulator.connection"].ending = ending
    return _response(204, b"")


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _json_or_none(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _without_empty(content: dict[str, Any], how: str) -> dict[str, Any]:
    kept = {name: value for name, value in content.items() if value not in ([], {}, None)}
    return kept if how == "omitted" else {**dict.fromkeys(content), **kept}


def _filled(template: Any, values: dict[str, Any]) -> Any:
    """An error template with the values filled in."""
    if isinstance(template, dict):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, values) for value in template]
    if template == "{status}":
        return values["status"]
    if isinstance(template, str):
        for name, value in values.items():
            template = template.replace("{" + name + "}", str(value))
    return template
