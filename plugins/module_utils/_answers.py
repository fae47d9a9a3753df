# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer means: its JSON, refusals, and what to do about them. Private to this collection.

Source: edge-api.md, section 7 (errors: none shown, so any shape is taken).
"""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
import typing as t
import zlib
from datetime import timezone

from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError

_HINTS = {
    401: "Check api_key, or EDGE_API_KEY where the module runs",
    403: "The key is known but may not do this: check what it is allowed to do",
    429: "Too many requests: run fewer at once, or allow more with retries and retry_max_wait",
}

# Where what answers is not the service.
NOT_THE_SERVICE = "Check base_url, and what stands between you and the service"


# The depth of an answer: a configuration has four levels.
_DEEPEST = 50


class Answer(t.NamedTuple):
    """`body` is the decoded JSON; None for an empty body, and for the JSON null."""

    status: int
    body: t.Any


def decode(content: bytes) -> t.Any:
    """Return the JSON of a body, None for an empty one.

    :raises ValueError: it is not JSON (NaN and infinities are not), or nested deeper than any configuration.
    :raises RecursionError: it is nested deeper still.
    """
    if not content.strip():
        return None
    body = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant, parse_float=_finite)
    _check_depth(body)
    if re.search(rb"\\u[dD][89a-fA-F]", content):
        # Half a surrogate pair is no character, and no terminal or file would take it.
        body = json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
    return body


def _no_constant(name: str) -> t.NoReturn:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _check_depth(body: t.Any) -> None:
    """Refuse what is nested too deep for what handles a result after us, some of it by recursion."""
    level = [body]
    for dummy in range(_DEEPEST):
        level = [
            child
            for node in level
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return
    raise ValueError("nested too deep")


class CutShortError(ValueError):
    """A body is empty, damaged, or does not end as its encoding says."""


class UnknownEncodingError(ValueError):
    """A body has an encoding that was not asked for."""


def unpack(content: bytes, encodings: str) -> bytes:
    """Return a body without its encodings, as Content-Encoding names them: the last one is taken off first.

    The library takes one that was cut short for whole, and an empty body would read as not set.

    :raises CutShortError: it does not end properly.
    :raises UnknownEncodingError: it has one that was not asked for.
    """
    for encoding in reversed(encodings.lower().split(",")):
        encoding = encoding.strip()
        if encoding in ("", "identity"):
            continue
        if encoding not in _DECODERS:
            raise UnknownEncodingError(encoding)
        try:
            content = _DECODERS[encoding](content)
        except zlib.error:
            raise CutShortError from None
    return content


def _gunzip(content: bytes) -> bytes:
    parts: list[bytes] = []
    while content or not parts:  # it may have several members
        part, content = _decompress(content, 16 + zlib.MAX_WBITS)
        parts.append(part)
    return b"".join(parts)


def _inflate(content: bytes) -> bytes:
    try:
        part, rest = _decompress(content, zlib.MAX_WBITS)
    except zlib.error:
        part, rest = _decompress(content, -zlib.MAX_WBITS)  # some services leave the frame of zlib out
    if rest:
        raise CutShortError
    return part


def _decompress(content: bytes, form: int) -> tuple[bytes, bytes]:
    """Return what the beginning of the content holds, and the rest of it."""
    decompressor = zlib.decompressobj(form)
    part = decompressor.decompress(content)
    if not decompressor.eof:
        raise CutShortError
    return part, decompressor.unused_data


_DECODERS = {"gzip": _gunzip, "x-gzip": _gunzip, "deflate": _inflate}


def refusal(
    status: int,
    headers: t.Mapping[str, str],
    content: bytes,
    body: t.Any,
    method: str,
    path: str,
    quote: t.Callable[[str], str],
) -> ApiError:
    """Return the error for an answer that is not a success, or not JSON.

    :param content: its body without encodings.
    :param body: the JSON of the answer, or the beginning of its text where it is not JSON.
    :param quote: makes a text of the service's fit to be shown.
    """
    if 200 <= status < 300:
        shown = quote(body) or "an unreadable body"
        text = "%s %s answered %d with something that is not JSON: %s" % (method, path, status, shown)
        return ApiError(text, method, path, status, hint=NOT_THE_SERVICE)
    if 300 <= status < 400:
        target = quote(_bare_address(headers.get("Location", ""))) or "an unnamed place"
        text = "%s %s was redirected (%d) to %s, which is not followed: check base_url" % (method, path, status, target)
        return ApiError(text, method, path, status)
    message, code, operation_id = _details(body)
    if message is None and body is not None:
        message = text_of(content)
    operation_id = operation_id or headers.get("X-Request-Id")
    text = "%s %s answered %d" % (method, path, status)
    if message and message.strip():
        text += ": " + quote(message)
    details = []
    if code is not None:
        code = quote(code)
        details.append("code " + code)
    if operation_id is not None:
        operation_id = quote(operation_id)
        details.append("operation " + operation_id)
    if details:
        text += " (%s)" % ", ".join(details)
    return ApiError(text, method, path, status, code, operation_id, fatal=status == 401, hint=_HINTS.get(status, ""))


def _bare_address(location: str) -> str:
    """Return where a redirect leads, without what may be a credential: user name and password, query, parameters."""
    bare = re.split("[?#;]|%3[bBfF]|%23", location)[0]
    return re.sub(r"^(\s*[A-Za-z][A-Za-z0-9+.-]*:[/\\]*|\s*[/\\]{2,})[^/\\]*@", r"\1", bare)


def text_of(content: bytes) -> str:
    """Return the beginning of a body as text: whatever it says it is, this cannot fail."""
    return content[:20000].decode("utf-8", "replace")


def root_cause(exc: BaseException) -> str:
    """Return the innermost reason of a requests exception, without the addresses of Python objects."""
    for dummy in range(10):
        inner = getattr(exc, "reason", None)
        if not isinstance(inner, BaseException):
            inner = next((arg for arg in exc.args if isinstance(arg, BaseException)), None)
        if inner is None:
            break
        exc = inner
    text = str(exc) or type(exc).__name__
    return re.sub(r"^<?[\w.]+(\(.*?\)| object at 0x[0-9a-f]+>): ", "", text)


def retry_after(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, given as seconds or as a date; None for neither."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(header)
        except (TypeError, ValueError, OverflowError):
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        seconds = math.ceil(date.timestamp() - time.time())  # never early, and as exact as a date is
    return seconds if math.isfinite(seconds) and seconds > 0 else None


_MESSAGE_KEYS = (
    "msg",
    "message",
    "error_description",
    "detail",
    "error_message",
    "title",
    "description",
    "reason",
    "error",
)
_CODE_KEYS = ("error_code", "errorcode", "code", "error", "type")
_OPERATION_KEYS = ("operation_id", "operationid", "request_id", "requestid", "trace_id", "traceid", "correlation_id")


def _details(body: t.Any) -> tuple[str | None, str | None, str | None]:
    """Return message, code and operation id of an error, whatever JSON shape the service gives it."""
    if isinstance(body, str):
        return body, None, None
    message = _find(body, _MESSAGE_KEYS)
    code = _find(body, _CODE_KEYS)
    return message, None if code == message else code, _find(body, _OPERATION_KEYS)


def _find(body: t.Any, keys: tuple[str, ...]) -> str | None:
    """Return the first text or number under one of the keys: outer levels before inner ones."""
    level = [body]
    for dummy in range(5):
        for key in keys:
            for node in level:
                for name, value in node.items() if isinstance(node, dict) else ():
                    if name.lower() == key and isinstance(value, (str, int)) and not isinstance(value, bool):
                        if str(value).strip():
                            return str(value)
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
        ]
    return None
