# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of the edge API: authentication, retries, errors; knows nothing of edges. Private to this collection.

Source: edge-api.md, section 5 (authentication), section 7 (errors).
"""

from __future__ import annotations

import ipaddress
import json
import math
import os
import random
import re
import threading
import time
import traceback
import typing as t
from urllib.parse import SplitResult, urlsplit

from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, InputError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

try:
    import requests
    from requests.adapters import HTTPAdapter
    from requests.packages import urllib3  # type: ignore[attr-defined]
    from requests.utils import get_environ_proxies, select_proxy
except ImportError:
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
else:
    REQUESTS_IMPORT_ERROR = None

VERSION = "1.0.0"

# Answers after which the same request may succeed; every request here is idempotent, so it may be sent again.
_PASSING = frozenset((429, 502, 503, 504))

# As many requests as one task ever has in flight, whatever its concurrency.
MOST_CONNECTIONS = 64

# The first wait after a fault, in seconds; each further one is twice as long, to the limit of retry_max_wait.
_FIRST_WAIT = 0.5

_LONGEST = 86400.0

# Headers that the version cannot go into: those that the client sets, and those that say how a message is framed.
_OWN_MEANING = frozenset(
    (
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    )
)

# The depth of an answer: a configuration has four levels.
_DEEPEST = 50


class Connection(t.NamedTuple):
    """Where the API is and how to talk to it; the options of the connection, checked.

    C(verify) is what requests takes: False, True, or the path of a CA bundle. Times are in seconds.
    """

    base_url: str
    api_key: str
    api_version: str
    version_header: str
    verify: bool | str
    cert: str | tuple[str, str] | None
    proxy: str | None
    timeout: float
    retries: int
    retry_max_wait: float

    @property
    def adapter_key(self) -> tuple:
        """What two tasks must have in common to share a kept-alive connection."""
        return (os.getpid(), self.base_url, self.verify, self.cert, self.proxy)


def connect_options(params: dict[str, t.Any]) -> Connection:
    """Check the options of the connection and return them as one object.

    :raises InputError: with every fault found; the key is never part of one.
    """
    faults = list(_url_faults(params.get("base_url"), params["allow_plain_http"]))
    faults.extend(_key_faults(params.get("api_key")))
    faults.extend(_header_faults(params))
    faults.extend(_number_faults(params))
    faults.extend(_file_faults(params))
    if faults:
        raise InputError(faults)
    base_url = params["base_url"].strip().rstrip("/")
    proxy = _proxy_for(base_url) if params["use_proxy"] else None
    if proxy:
        parts = _split(proxy)
        if parts is None or not parts.hostname:  # not shown: it may hold a password
            raise InputError(["use_proxy: what the environment names as proxy is no valid URL"])
        if urlsplit(base_url).scheme == "http" and not params["allow_plain_http"] and not _is_loopback(parts):
            raise InputError(
                [
                    "use_proxy: a proxy on another host would carry the key in clear; "
                    "set use_proxy to false, or use https"
                ]
            )
    cert = params.get("client_cert")
    if cert and params.get("client_key"):
        cert = (cert, params["client_key"])
    return Connection(
        base_url=base_url,
        api_key=params["api_key"].strip(),
        api_version=params["api_version"].strip(),
        version_header=params["version_header"].strip(),
        verify=_verify(params),
        cert=cert,
        proxy=proxy,
        timeout=params["timeout"],
        retries=params["retries"],
        retry_max_wait=params["retry_max_wait"],
    )


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  # pylint: disable=pointless-statement  # raises ValueError for a port that is no number
    except ValueError:
        return None
    return parts


def _is_loopback(parts: SplitResult | None) -> bool:
    host = parts.hostname if parts else None
    if not host:
        return False
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address == ipaddress.ip_address("::1") or address in ipaddress.ip_network("127.0.0.0/8")


def _url_faults(url: str | None, allow_plain_http: bool) -> t.Iterator[str]:
    if not url or not url.strip():
        yield "base_url is required: set it, or EDGE_API_BASE_URL in the environment where the module runs"
        return
    url = url.strip()
    parts = _split(url)
    shown = shorten(json.dumps(url.split("@")[-1], ensure_ascii=False), 120)
    if parts is None or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        yield "base_url is no valid URL: %s" % shown
    elif parts.scheme not in ("http", "https") or not parts.hostname:
        yield "base_url must be a URL with a scheme and a host, such as https://api.example.com, not %s" % shown
    elif "@" in parts.netloc:
        yield "base_url must not hold a user name or password"
    elif parts.query or parts.fragment or url.endswith(("?", "#")):
        yield "base_url must not hold a query or a fragment: %s" % shown
    elif not re.fullmatch(r"[A-Za-z0-9.\-_:\[\]]+", parts.netloc):
        yield "base_url has a host name that is no ASCII name or address: %s" % shown
    elif parts.scheme == "http" and not allow_plain_http and not _is_loopback(parts):
        yield (
            "base_url is plain http to %s: the key would travel in clear; use https, or set allow_plain_http to true"
            % shorten(parts.hostname, 80)
        )


def _key_faults(key: str | None) -> t.Iterator[str]:
    if not key or not key.strip():
        yield "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs"
    elif not _is_header_text(key.strip()):
        yield "api_key holds a control character or one that cannot go into an HTTP header (it is not shown here)"


def _is_header_text(text: str) -> bool:
    """Return whether a header can carry the text: Latin-1 without control characters."""
    return all(0x20 <= ord(char) < 0x7F or 0xA0 <= ord(char) <= 0xFF for char in text)


def _header_faults(params: dict[str, t.Any]) -> t.Iterator[str]:
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", params["version_header"].strip()):
        yield "version_header is no HTTP header name: %s" % shorten(json.dumps(params["version_header"]), 80)
    elif params["version_header"].strip().lower() in _OWN_MEANING:
        yield "version_header must not be %s: that header has its own meaning" % params["version_header"].strip()
    if not params["api_version"].strip() or not _is_header_text(params["api_version"].strip()):
        yield "api_version must be text that an HTTP header can carry"


def _number_faults(params: dict[str, t.Any]) -> t.Iterator[str]:
    for name, least in (("timeout", 1), ("retries", 0), ("retry_max_wait", 0)):
        value = params[name]
        if not (least <= value <= _LONGEST):  # false for NaN too
            yield "%s must be from %d to %d, not %s" % (name, least, _LONGEST, value)


def _file_faults(params: dict[str, t.Any]) -> t.Iterator[str]:
    for name in ("ca_path", "client_cert", "client_key"):
        path = params.get(name)
        if name == "ca_path" and not params["validate_certs"]:
            continue  # validate_certs wins over it
        if path and not os.path.exists(path):
            yield "%s: there is no file %s where the module runs" % (name, shorten(path))
    if params.get("client_key") and not params.get("client_cert"):
        yield "client_key needs client_cert: a key alone is no certificate"


def _verify(params: dict[str, t.Any]) -> bool | str:
    """Return what requests is told to verify with: ca_path, then the environment's bundle, then its own."""
    if not params["validate_certs"]:
        return False
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return params.get("ca_path") or bundle or True


def _proxy_for(base_url: str) -> str | None:
    """Return the proxy that the environment names for the URL, if any."""
    if REQUESTS_IMPORT_ERROR:
        return None
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
    return HTTPAdapter(pool_connections=2, pool_maxsize=MOST_CONNECTIONS)


class Answer(t.NamedTuple):
    """C(body) is the decoded JSON; None for an empty body, and for the JSON null."""

    status: int
    body: t.Any


class _Fault(Exception):
    """A request that may be sent again; C(asked) is the wait that the service asked for, in seconds."""

    def __init__(self, error: ApiError, asked: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.asked = asked


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
        self._first: requests.PreparedRequest | None = None
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
        :raises ApiError: the service refused, did not answer, or answered what is no JSON.
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
            if self.stop.is_set():
                raise NotTriedError("%s %s was not tried: the task was stopped" % (method, path))
            left = self._not_before - time.monotonic()
            if left <= 0:
                return
            if left > self.connection.retry_max_wait + 1:
                raise ApiError(
                    "%s %s was not sent: the service asked for a pause that has %d s to go, more than"
                    " retry_max_wait (%g s)" % (method, path, left, self.connection.retry_max_wait),
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
                ". It asked to wait %.10g s, more than retry_max_wait allows (%g s)" % (fault.asked, limit),
            )
        if tries > self.connection.retries:
            if error.status is None and self._last_success < started:
                error.fatal = True
            raise error.extend(" (tried %d times)" % tries if tries > 1 else "")
        if error.status != 429 and self.stop.wait(wait):
            raise error.extend(" (not tried again: the task was stopped)")

    def _send(
        self, method: str, path: str, body: t.Any, accept: t.Iterable[int], hide: t.Callable[[str], str]
    ) -> Answer:
        connection = self.connection
        try:
            response = self._adapter.send(
                self._prepared(method, path, body),
                timeout=connection.timeout,
                verify=connection.verify,
                cert=connection.cert,
                proxies=self._proxies,
            )
            response.content  # noqa: B018  # pylint: disable=pointless-statement  # reads the body, which may fail too
        except requests.exceptions.RequestException as exc:
            raise self._connection_fault(exc, method, path) from None
        except (OSError, ValueError, urllib3.exceptions.HTTPError) as exc:
            # A CA bundle that is missing, a host name that cannot be encoded, and what requests lets through.
            raise ApiError(
                "%s %s could not be sent: %s" % (method, path, self._quote(str(exc))), method, path, fatal=True
            ) from None
        self._check_length(response, method, path)
        return self._answer(response, method, path, accept, lambda text: self._quote(hide(text)))

    def _prepared(self, method: str, path: str, body: t.Any) -> requests.PreparedRequest:
        """Return a request. All but the first are copies: to prepare one takes longer than to plan what it is for."""
        if self._first is None:
            connection = self.connection
            first = requests.PreparedRequest()
            headers = {
                "Accept": "application/json",
                "Accept-Encoding": "gzip, deflate",
                "Connection": "keep-alive",
                "User-Agent": "edgeops.edges/%s" % VERSION,
                connection.version_header: connection.api_version,
            }
            first.prepare("GET", connection.base_url, headers=headers)
            key: t.Any = ("Bearer " + connection.api_key).encode("latin-1")  # as the header carries it
            first.headers["Authorization"] = key
            self._first = first
        request = self._first.copy()
        request.method = method
        request.url = (request.url or "").rstrip("/") + path
        if body is not None:
            request.headers["Content-Type"] = "application/json"
            request.prepare_body(json.dumps(body).encode("ascii"), None)
        return request

    def _quote(self, text: str) -> str:
        """Return a text of the service's or of a library's, fit to be shown: the key removed, then shortened."""
        return shorten(self._key.scrub(text))

    def _connection_fault(self, exc: Exception, method: str, path: str) -> Exception:
        """Return what to raise for an exception of requests': a fault to try again, or an error."""
        from ansible_collections.edgeops.edges.plugins.module_utils import _refusals  # see there why not above

        if isinstance(exc, requests.exceptions.Timeout):
            reason = "timed out, no answer within %g s" % self.connection.timeout
        elif isinstance(exc, requests.exceptions.ProxyError):
            reason = "the proxy: %s" % self._quote(_refusals.root_cause(exc))
        else:
            reason = self._quote(_refusals.root_cause(exc))
        error = ApiError("%s %s failed: %s" % (method, path, reason), method, path)
        passing = (
            requests.exceptions.ConnectionError,
            requests.exceptions.Timeout,
            requests.exceptions.ChunkedEncodingError,
        )
        tls = isinstance(exc, requests.exceptions.SSLError) or "[SSL" in str(exc)
        if not isinstance(exc, passing) or (tls and "EOF" not in str(exc)):
            # A certificate that does not fit now will not fit in a second either. A connection that ends may.
            error.fatal = True
            return error
        return _Fault(error)

    @staticmethod
    def _check_length(response: requests.Response, method: str, path: str) -> None:
        """Older urllib3 gives a body that was cut short as if it were whole; an empty one would read as not set."""
        length = response.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,18}", length) or "Content-Encoding" in response.headers:
            return
        if response.status_code not in (204, 304) and len(response.content) < int(length):
            error = ApiError("%s %s failed: the answer was cut short" % (method, path), method, path)
            raise _Fault(error)

    @staticmethod
    def _answer(
        response: requests.Response,
        method: str,
        path: str,
        accept: t.Iterable[int],
        quote: t.Callable[[str], str],
    ) -> Answer:
        status = response.status_code
        if status in accept:
            return Answer(status, None)
        try:
            body, is_json = _decode(response.content), True
        except (ValueError, RecursionError):
            body, is_json = None, False
        if 200 <= status < 300 and is_json:
            return Answer(status, body)

        from ansible_collections.edgeops.edges.plugins.module_utils import _refusals  # see there why not above

        if not is_json:
            body = _refusals.text_of(response)
        error = _refusals.refusal(response, body, method, path, quote)
        if status in _PASSING:
            raise _Fault(error, _refusals.retry_after(response.headers.get("Retry-After")))
        raise error


def _decode(content: bytes) -> t.Any:
    """Return the JSON of a body, None for an empty one.

    :raises ValueError: it is no JSON, or nested deeper than anything that means something; NaN and infinities are none.
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
