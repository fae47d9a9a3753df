# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of the edge API: authentication, retries, errors; knows nothing of edges. Private to this collection.

Source: edge-api.md, section 5 (authentication), section 7 (errors).
"""

from __future__ import annotations

import functools
import json
import math
import os
import random
import re
import threading
import time
import traceback
import typing as t
from urllib.parse import urlsplit

from ansible_collections.edgeops.edges.plugins.module_utils import _answers, _framing, _parent
from ansible_collections.edgeops.edges.plugins.module_utils._answers import Answer
from ansible_collections.edgeops.edges.plugins.module_utils._connection import Connection
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

try:
    import requests
    from requests.adapters import HTTPAdapter
    from requests.models import PreparedRequest
    from requests.packages import urllib3  # type: ignore[attr-defined]
    from requests.utils import get_environ_proxies, select_proxy
except (Exception, SystemExit) as exc:  # whatever it raises: what it needs may be broken, or refuse the environment
    HTTPAdapter = PreparedRequest = object  # type: ignore[assignment,misc]  # the classes below are made all the same
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
    REQUESTS_IMPORT_CAUSE = shorten("%s: %s" % (type(exc).__name__, exc))
else:
    REQUESTS_IMPORT_ERROR = None
    REQUESTS_IMPORT_CAUSE = ""

VERSION = "1.0.0"

# Temporary errors. Every request here is idempotent, so it may be sent again.
_TEMPORARY = frozenset((429, 502, 503, 504))

# As many requests as one task ever has in flight, whatever its concurrency.
MOST_CONNECTIONS = 64

# The first wait after a fault, in seconds; each further one is twice as long, to the limit of retry_max_wait.
_FIRST_WAIT = 0.5


def environment_proxy(base_url: str) -> str | None:
    """Return the proxy that the environment names for the URL, if any."""
    if REQUESTS_IMPORT_ERROR:
        return None
    return _proxy(base_url, tuple(map(os.environ.get, _PROXY_VARIABLES)))


# With REQUEST_METHOD set HTTP_PROXY does not count.
_PROXY_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_PROXY_VARIABLES = (*_PROXY_NAMES, *map(str.upper, _PROXY_NAMES), "REQUEST_METHOD")


@functools.lru_cache(maxsize=8)  # it is slow to find out, and each item of a loop asks twice
def _proxy(base_url: str, variables: tuple[str | None, ...]) -> str | None:
    proxy = select_proxy(base_url, get_environ_proxies(base_url, no_proxy=None))
    return "http://" + proxy if proxy and "://" not in proxy else proxy


def new_adapter(connection: Connection) -> HTTPAdapter:
    """Return what sends the requests of the connection, and keeps its connections to the service open.

    Not a requests.Session: that would follow redirects, keep cookies, let a .netrc entry replace the key and
    REQUESTS_CA_BUNDLE override validate_certs. What the environment may say stands in the connection already.
    """
    if connection.verify is False:
        # The user asked for it: a warning for each request would only fill the job's output.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return _Adapter(pool_connections=2, pool_maxsize=MOST_CONNECTIONS)


class _Request(PreparedRequest):
    """A request that knows its path: the library would look for it in the URL."""

    path_url = ""


@functools.lru_cache(maxsize=8)  # each item of a loop has a client of its own
def _prepared_once(connection: Connection) -> _Request:
    """Return what all requests of a connection begin with: to prepare one takes longer than to plan what it is for."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Connection": "keep-alive",
        "User-Agent": "edgeops.edges/%s" % VERSION,
        connection.version_header: connection.api_version,
    }
    prepared = _Request()
    prepared.prepare("GET", connection.base_url, headers=headers)
    prepared.url = (prepared.url or "").rstrip("/")
    prepared.path_url = urlsplit(prepared.url).path
    key: t.Any = ("Bearer " + connection.api_key).encode("latin-1")  # as the header carries it
    prepared.headers["Authorization"] = key
    return prepared


class _Adapter(HTTPAdapter):
    """What sends requests and keeps connections open; each answer is read so that it belongs to its request.

    All its requests go to one service in one way: where they go is looked up once. Its answers are urllib3's: what
    requests makes of them (cookies, a guessed encoding, a body whose encodings are taken off) is not for here.
    """

    _pool: t.Any = None

    def get_connection_with_tls_context(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        if self._pool is None:
            self._pool = super().get_connection_with_tls_context(*args, **kwargs)
        return self._pool

    def request_url(self, request: t.Any, proxies: t.Any) -> str:
        path = request.path_url
        return super().request_url(request, proxies) if proxies or path.startswith("//") else path

    def build_response(self, req: t.Any, resp: t.Any) -> t.Any:
        return resp

    def init_poolmanager(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        _read_framed(self.poolmanager)

    def proxy_manager_for(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        _read_framed(manager)
        return manager


def _read_framed(manager: t.Any) -> None:
    pools = manager.pool_classes_by_scheme
    manager.pool_classes_by_scheme = {scheme: _framing.framed(pool) for scheme, pool in pools.items()}


class _Fault(Exception):
    """A request that may be sent again; `asked` is the wait that the service asked for, in seconds.

    `hint` says what to do where it does not help to send it again.
    """

    def __init__(self, error: ApiError, asked: float | None = None, hint: str = "") -> None:
        super().__init__(str(error))
        self.error = error
        self.asked = asked
        self.hint = hint


class Client:
    """Sends requests for one task, from any number of threads.

    :param stop: once set, no request starts any more; the ones that wait raise NotTriedError.
    """

    def __init__(
        self,
        connection: Connection,
        adapter: HTTPAdapter | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.connection = connection
        self.stop = stop or threading.Event()
        self._adapter = adapter or new_adapter(connection)
        self._proxies = {urlsplit(connection.base_url).scheme: connection.proxy} if connection.proxy else {}
        self._key = Secrets([connection.api_key])
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._last_success = -math.inf

    def request(
        self,
        method: str,
        path: str,
        body: t.Any = None,
        accept: t.Iterable[int] = (),
        hide: t.Callable[[str], str] = str,
    ) -> Answer:
        """Send a request, again where that may help, and return the answer.

        :param path: below the base URL, with a leading slash.
        :param body: what to send as JSON; None sends no body.
        :param accept: statuses beyond 2xx that are an answer and no error.
        :param hide: removes from a text of the service's what must not be shown, beside the key.
        :raises ApiError: the service refused, did not answer, or answered something that is not JSON.
        :raises NotTriedError: the task was stopped before the request was sent.
        """
        started = time.monotonic()
        tries = 0
        while True:
            self._wait_for_gate(method, path)
            tries += 1
            try:
                answer = self._send(method, path, body, accept, hide)
            except _Fault as fault:
                self._wait_after(fault, tries, started)
            else:
                self._last_success = time.monotonic()
                return answer

    def _wait_for_gate(self, method: str, path: str) -> None:
        """Wait until no 429 holds the requests of this task back."""
        while True:
            if _parent.is_gone():
                self.stop.set()
            if self.stop.is_set():
                raise NotTriedError("not tried: the task was stopped")
            left = self._not_before - time.monotonic()
            if left <= 0:
                return
            if left > self.connection.retry_max_wait + 1:
                raise ApiError(
                    "%s %s was not sent: the service asked to wait, for %d s still, more than"
                    " retry_max_wait allows (%g s)" % (method, path, left, self.connection.retry_max_wait),
                    method,
                    path,
                    429,
                )
            self.stop.wait(left)

    def _wait_after(self, fault: _Fault, tries: int, started: float) -> None:
        """Wait before the next try, or raise the fault's error where there is none."""
        error = fault.error
        limit = self.connection.retry_max_wait
        wait = fault.asked or min(limit, _FIRST_WAIT * 2 ** min(tries - 1, 30)) * random.uniform(0.5, 1)
        if error.status == 429:
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + wait)
        if fault.asked and fault.asked > limit:
            raise error.extend(
                ". It asked to wait for %.10g s, more than retry_max_wait allows (%g s)" % (fault.asked, limit),
            )
        if tries > self.connection.retries:
            if error.status is None and self._last_success < started:
                error.fatal = True
            raise error.extend(" (tried %d times)" % tries if tries > 1 else "", fault.hint)
        if error.status != 429 and self.stop.wait(wait):
            raise error.extend(" (not tried again: the task was stopped)")

    def _send(
        self, method: str, path: str, body: t.Any, accept: t.Iterable[int], hide: t.Callable[[str], str]
    ) -> Answer:
        def quote(text: str) -> str:
            return self._quote(hide(text))

        connection = self.connection
        try:
            response: t.Any = self._adapter.send(
                self._prepared(method, path, body),
                timeout=connection.timeout,
                verify=connection.verify,
                cert=connection.cert,
                proxies=self._proxies,
            )
            sock = getattr(response.connection, "sock", None)
            # They are taken off below: the library takes an encoded body that was cut short for whole.
            encodings = response.headers.pop("Content-Encoding", "")
            content = response.read()
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as exc:
            raise self._connection_fault(exc, method, path, quote) from None
        except (OSError, ValueError) as exc:
            # A CA bundle that is missing, a host name that cannot be encoded.
            raise ApiError(
                "%s %s could not be sent: %s" % (method, path, quote(str(exc))), method, path, fatal=True
            ) from None
        try:
            content = self._whole(response, content, encodings, method, path, quote)
        except _Fault:
            if sock is not None:
                _framing.end(sock)
            raise
        return self._answer(response, content, method, path, accept, quote)

    def _prepared(self, method: str, path: str, body: t.Any) -> _Request:
        once, request = _prepared_once(self.connection), _Request()
        request.method = method
        request.url, request.path_url = "%s%s" % (once.url, path), once.path_url + path
        request.headers = once.headers
        if body is not None:
            request.headers = once.headers.copy()
            request.headers["Content-Type"] = "application/json"
            request.prepare_body(json.dumps(body).encode("ascii"), None)
        return request

    def _quote(self, text: str) -> str:
        """Return a text of the service's or of a library's, fit to be shown: the key removed, then shortened."""
        return shorten(self._key.scrub(text))

    def _connection_fault(self, exc: Exception, method: str, path: str, quote: t.Callable[[str], str]) -> Exception:
        """Return what to raise for an exception of the library: a fault to try again, or an error."""
        reason, hint = quote(_answers.root_cause(exc)), "Check base_url, and the network"
        if isinstance(exc, requests.exceptions.Timeout):
            reason = "timed out, no answer within %g s" % self.connection.timeout
            hint = "Check base_url, or raise timeout"
        elif isinstance(exc, requests.exceptions.ProxyError):
            reason = "the proxy: " + reason
            hint = "Check the proxy that the environment names, or set use_proxy to false"
        error = ApiError("%s %s failed: %s" % (method, path, reason), method, path)
        temporary = (
            requests.exceptions.ConnectionError,
            requests.exceptions.Timeout,
            # While an answer is read.
            urllib3.exceptions.ProtocolError,
            urllib3.exceptions.ReadTimeoutError,
            urllib3.exceptions.SSLError,
        )
        tls = isinstance(exc, (requests.exceptions.SSLError, urllib3.exceptions.SSLError)) or "[SSL" in str(exc)
        if not isinstance(exc, temporary) or (tls and "EOF" not in str(exc)):
            # A certificate that does not fit now will not fit in a second either. A connection that ends may.
            error.fatal = True
            return error.extend("", "Check ca_path, and the host name in base_url") if tls else error
        return _Fault(error, hint=hint)

    @staticmethod
    def _whole(
        response: t.Any, content: bytes, encodings: str, method: str, path: str, quote: t.Callable[[str], str]
    ) -> bytes:
        """Return a body without its encodings; empty where it has one that was not asked for and is an error anyway.

        Older urllib3 gives a body that was cut short as if it were whole; an empty one would read as not set.

        :raises _Fault: it was cut short.
        """
        status, headers = response.status, response.headers
        if status in (204, 304):
            return content
        length = headers.get("Content-Length", "")
        reason = "the answer was cut short"
        if "Transfer-Encoding" in headers or not _is_less(len(content), length):
            try:
                return _answers.unpack(content, encodings) if encodings else content
            except _answers.CutShortError:
                reason += " or is damaged (Content-Encoding: %s)" % quote(encodings)
            except _answers.UnknownEncodingError as exc:
                if not 200 <= status < 300:
                    return b""
                text = "%s %s answered %d in the encoding %s, which was not asked for"
                raise ApiError(
                    text % (method, path, status, quote(str(exc))),
                    method,
                    path,
                    status,
                    hint=_answers.NOT_THE_SERVICE,
                ) from None
        error = ApiError("%s %s failed: %s" % (method, path, reason), method, path)
        raise _Fault(error, hint="Check what stands between you and the service")

    @staticmethod
    def _answer(
        response: t.Any,
        content: bytes,
        method: str,
        path: str,
        accept: t.Iterable[int],
        quote: t.Callable[[str], str],
    ) -> Answer:
        status = response.status
        if status in accept:
            return Answer(status, None)
        try:
            body, is_json = _answers.decode(content), True
        except (ValueError, RecursionError):
            body, is_json = None, False
        if 200 <= status < 300 and is_json:
            return Answer(status, body)

        if not is_json:
            body = _answers.text_of(content)
        error = _answers.refusal(status, response.headers, content, body, method, path, quote)
        if status in _TEMPORARY:
            raise _Fault(error, _answers.retry_after(response.headers.get("Retry-After")))
        raise error


def _is_less(size: int, length: str) -> bool:
    """Return whether a size is less than a Content-Length; one that is no number says nothing."""
    return bool(re.fullmatch("[0-9]{1,18}", length)) and size < int(length)
