# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests and answers, checked against the OpenAPI description of the service."""

from __future__ import annotations

import copy
import functools
import json
import pathlib
import re
from collections.abc import Iterable
from typing import Any

import yaml
from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.templating.paths.exceptions import OperationNotFound, PathNotFound
from openapi_core.templating.security.exceptions import SecurityNotFound
from openapi_core.validation.request import (
    V31RequestBodyValidator,
    V31RequestParametersValidator,
    V31RequestSecurityValidator,
)
from openapi_core.validation.response import V31ResponseDataValidator
from werkzeug.datastructures import Headers, MultiDict

DESCRIPTION = pathlib.Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
ID = re.compile(r"[A-Za-z0-9_.~-]+\Z")


class _Request:
    """A request as openapi-core wants to see it."""

    host_url = "http://simulator"

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes, content_type: str) -> None:
        self.method = method.lower()
        self.path = path
        self.body = body or None
        self.content_type = content_type
        self.parameters = RequestParameters(query=MultiDict(), header=Headers(headers), cookie=MultiDict())


class _Answer:
    """An answer as openapi-core wants to see it."""

    content_type = "application/json"

    def __init__(self, status: int, data: bytes) -> None:
        self.status_code = status
        self.data = data
        self.headers: dict[str, str] = {}


class Contract:
    """The description, made ready for checking.

    A check by openapi-core takes one to two milliseconds, more than all the rest of a request. So what was
    found right is remembered: the ids in a path do not matter once they are well-formed, and neither does
    the rest of a request to its body.
    """

    def __init__(self, version_header: str, api_version: str) -> None:
        description = copy.deepcopy(_description())
        # The simulator hands over paths without base address, and may brand the version header.
        description["servers"] = [{"url": "/"}]
        version = description["components"]["parameters"]["ServiceVersion"]
        version["name"] = version_header
        version["schema"]["enum"] = [api_version]
        spec = OpenAPI.from_dict(description).spec
        self._version_header = version_header
        self._security = V31RequestSecurityValidator(spec)
        self._parameters = V31RequestParametersValidator(spec)
        self._body = V31RequestBodyValidator(spec)
        self._answer = V31ResponseDataValidator(spec)
        self._found_right: set[tuple] = set()

    def refusal(
        self, method: str, path: str, headers: dict[str, str], query: str, body: bytes
    ) -> tuple[int, str] | None:
        """The status and the reason with which a request is refused; None for a request that is right."""
        content_type = headers.get("Content-Type", "")
        request = _Request(method, path, headers, body, content_type)
        shape = _shape(path)
        head = ("head", method, shape, headers.get("Authorization"), headers.get(self._version_header))
        fault = self._once(
            head, lambda: _first(self._security.iter_errors(request), self._parameters.iter_errors(request))
        )
        if fault is not None:
            return fault
        if query:
            return 400, f"no operation has a query, this request has {query!r}"
        if method != "PUT":
            return (400, f"a {method} has no body, this one has {body!r}") if body else None
        return self._once(
            ("body", shape, content_type, body),
            lambda: _first(self._body.iter_errors(request)) or _unseen_by_the_schema(body),
        )

    def wrong_answer(self, method: str, path: str, status: int, data: bytes) -> str | None:
        """What is wrong with an answer of the simulator's own."""
        request = _Request(method, path, {}, b"", "")
        fault = self._once(
            ("answer", method, _shape(path), status, data),
            lambda: _first(self._answer.iter_errors(request, _Answer(status, data))),
        )
        return fault and fault[1]

    def _once(self, key: tuple, check: Any) -> tuple[int, str] | None:
        if key in self._found_right:
            return None
        fault = check()
        if fault is None:
            if len(self._found_right) > 100_000:  # a long load test must not fill the memory
                self._found_right.clear()
            self._found_right.add(key)
        return fault


@functools.cache
def contract(version_header: str, api_version: str) -> Contract:
    """The contract for one name and value of the version header: building it takes a moment, so it is shared."""
    return Contract(version_header, api_version)


@functools.cache
def _description() -> dict[str, Any]:
    with DESCRIPTION.open(encoding="utf-8") as file:
        return yaml.safe_load(file)


def _shape(path: str) -> str:
    """A path with its ids, which stand at every second place, left out; in full where an id is malformed."""
    parts = path.split("/")
    if all(ID.match(part) for part in parts[1:]):
        parts[3:6:2] = ["{}"] * len(parts[3:6:2])
        return "/".join(parts)
    return path


def _first(*errors: Iterable[Exception]) -> tuple[int, str] | None:
    for found in errors:
        for error in found:
            return _status(error), _reason(error)
    return None


def _status(error: Exception) -> int:
    if isinstance(error, PathNotFound):
        return 404
    if isinstance(error, OperationNotFound):
        return 405
    if isinstance(error.__cause__, SecurityNotFound) or isinstance(error, SecurityNotFound):
        return 401
    return 400


def _reason(error: BaseException) -> str:
    """Why, in short: openapi-core says little in the error itself, the rest is in what caused it."""
    chain = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    broken = [f"{fault.json_path}: {fault.message}" for link in chain for fault in getattr(link, "schema_errors", ())]
    return "; ".join(dict.fromkeys([type(error).__name__, *(broken or map(str, chain))]))


def _unseen_by_the_schema(body: bytes) -> tuple[int, str] | None:
    """What no schema can express: keys given twice, and a policy that is no JSON object."""
    try:
        document = json.loads(body, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
        if "value" in document and not isinstance(json.loads(document["value"], parse_constant=_no_constant), dict):
            return 400, "value: the string must hold a JSON object"
    except ValueError as error:
        return 400, f"not the JSON that is wanted: {error}"
    return None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("a key is given twice")
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
