# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the connection, checked. Private to this collection.

Source: edge-api.md, section 5 (authentication), section 9 (version header, base address).
"""

from __future__ import annotations

import functools
import ipaddress
import json
import os
import re
import typing as t
from urllib.parse import SplitResult, urlsplit

from ansible_collections.edgeops.edges.plugins.module_utils._header_names import is_name
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import hide_credentials
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

_LONGEST = 86400.0

_PORTS = {"http": 80, "https": 443}

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


class Connection(t.NamedTuple):
    """Where the API is and how to talk to it; the options of the connection, checked.

    `verify` is what requests takes: False, True, or the path of a CA bundle. Times are in seconds.
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


def faults(params: dict[str, t.Any], proxy: t.Callable[[str], str | None]) -> t.Iterator[str]:
    """Yield what is wrong with the options of the connection; the key is never part of it.

    :param proxy: returns the proxy that the environment names for a URL, if any.
    """
    url_faults = _url_faults(params.get("base_url"), params["allow_plain_http"])
    yield from url_faults
    yield from _key_faults(params.get("api_key"))
    yield from _header_faults(params)
    yield from _number_faults(params)
    yield from _file_faults(params)
    if params["use_proxy"] and not url_faults:
        yield from _proxy_faults(params, proxy(base_url_of(params)))


def connect(params: dict[str, t.Any], proxy: t.Callable[[str], str | None]) -> Connection:
    """Return the options of the connection, in which there is no fault, as one object."""
    cert = params.get("client_cert")
    if cert and params.get("client_key"):
        cert = (cert, params["client_key"])
    base_url = base_url_of(params)
    return Connection(
        base_url=base_url,
        api_key=params["api_key"].strip(),
        api_version=params["api_version"].strip(),
        version_header=params["version_header"].strip(),
        verify=_verify(params),
        cert=cert,
        proxy=proxy(base_url) if params["use_proxy"] else None,
        timeout=params["timeout"],
        retries=params["retries"],
        retry_max_wait=params["retry_max_wait"],
    )


def base_url_of(params: dict[str, t.Any]) -> str:
    """Return the address of the service as requests begin with it."""
    return params["base_url"].strip().rstrip("/")


def address_of(params: dict[str, t.Any]) -> str:
    """Return the address of the service in the one form that all its spellings share; no secret is in it."""
    parts = urlsplit(base_url_of(params))
    host = (parts.hostname or "").rstrip(".")
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else ":%d" % parts.port
    return "%s://%s%s%s" % (parts.scheme, "[%s]" % host if ":" in host else host, port, parts.path.rstrip("/"))


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


@functools.lru_cache(maxsize=8)  # each item of a loop has the same
def _url_faults(url: str | None, allow_plain_http: bool) -> tuple[str, ...]:
    return tuple(_faults_of_url(url, allow_plain_http))


def _faults_of_url(url: str | None, allow_plain_http: bool) -> t.Iterator[str]:
    if not url or not url.strip():
        yield "base_url is required: set it, or EDGE_API_BASE_URL in the environment where the module runs"
        return
    url = url.strip()
    parts = _split(url)
    shown = shorten(json.dumps(hide_credentials(url).split("@")[-1], ensure_ascii=False), 120)
    if parts is None or re.search(r"[\s\\\x00-\x1f\x7f]", url):
        yield "base_url is not a valid URL: %s" % shown
    elif parts.scheme not in ("http", "https") or not parts.hostname:
        yield "base_url must be a URL with a scheme and a host, such as https://api.example.com, not %s" % shown
    elif "@" in parts.netloc:
        yield "base_url must not contain a user name or password: give the key as api_key"
    elif parts.query or parts.fragment or url.endswith(("?", "#")):
        yield "base_url must not contain a query or a fragment: %s" % shown
    elif not re.fullmatch(r"[A-Za-z0-9.\-_:\[\]]+", parts.netloc):
        yield "base_url must have a host name in ASCII, in which an international one begins with xn--, not %s" % shown
    elif parts.scheme == "http" and not allow_plain_http and not _is_loopback(parts):
        yield (
            "base_url is plain http to %s, so the key would travel in clear: use https, or set allow_plain_http to true"
            % shorten(parts.hostname, 80)
        )


def _proxy_faults(params: dict[str, t.Any], proxy: str | None) -> t.Iterator[str]:
    if not proxy:
        return
    parts = _split(proxy)
    if parts is None or not parts.hostname:  # not shown: it may hold a password
        yield "use_proxy: the proxy that the environment names is not a valid URL (it is not shown)"
    elif (
        urlsplit(params["base_url"].strip()).scheme == "http"
        and not params["allow_plain_http"]
        and not _is_loopback(parts)
    ):
        yield "use_proxy must be false, or base_url https: the key would travel in clear to a proxy on another host"


def _key_faults(key: str | None) -> t.Iterator[str]:
    if not key or not key.strip():
        yield "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs"
    elif not _is_header_text(key.strip()):
        yield "api_key contains a control character, or one that no HTTP header can carry (the key is not shown)"


def _is_header_text(text: str) -> bool:
    """Return whether a header can carry the text: Latin-1 without control characters."""
    return all(0x20 <= ord(char) < 0x7F or 0xA0 <= ord(char) <= 0xFF for char in text)


def _header_faults(params: dict[str, t.Any]) -> t.Iterator[str]:
    if not is_name(params["version_header"].strip()):
        shown = shorten(json.dumps(params["version_header"]), 80)
        yield "version_header must be the name of an HTTP header, not %s" % shown
    elif params["version_header"].strip().lower() in _OWN_MEANING:
        yield "version_header must not be %s, which has a meaning of its own" % params["version_header"].strip()
    if not params["api_version"].strip() or not _is_header_text(params["api_version"].strip()):
        yield "api_version must be a string that an HTTP header can carry"


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
            yield "%s: %s does not exist where the module runs" % (name, shorten(path))
    if params.get("client_key") and not params.get("client_cert"):
        yield "client_key needs client_cert: set both, or client_cert alone where that file holds both"


def _verify(params: dict[str, t.Any]) -> bool | str:
    """Return what requests is told to verify with: ca_path, then the environment's bundle, then its own."""
    if not params["validate_certs"]:
        return False
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return params.get("ca_path") or bundle or True
