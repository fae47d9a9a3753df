# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the connection, checked: what is refused, in which words, and what is made of them."""

from __future__ import annotations

import os

import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _connection
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK

KEY = "key-of-twenty-letters"
URL = "https://api.example.com"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.endswith("_CA_BUNDLE"):
            monkeypatch.delenv(name)


def _connect(**more):
    return harness.connection(**{"base_url": URL, "api_key": KEY, **more})


def _faults(**more):
    found = harness.connection_faults(**{"base_url": URL, "api_key": KEY, **more})
    assert KEY not in str(found)
    return found


# Options.


def test_connection():
    assert _connect() == _connection.Connection(
        base_url=URL,
        api_key=KEY,
        api_version="2",
        version_header="Service-Version",
        verify=True,
        cert=None,
        proxy=None,
        timeout=30.0,
        retries=5,
        retry_max_wait=60.0,
    )


def test_white_space_around_options_does_not_count():
    connection = _connect(
        base_url=" https://api.example.com/v1// ", api_key=" %s\n" % KEY, api_version=" 3 ", version_header=" X-V "
    )
    assert connection == _connect(
        base_url="https://api.example.com/v1", api_key=KEY, api_version="3", version_header="X-V"
    )
    assert (connection.base_url, connection.api_key) == ("https://api.example.com/v1", KEY)
    assert (connection.api_version, connection.version_header) == ("3", "X-V")


def test_only_slashes_are_taken_from_the_end():
    assert _connect(base_url=URL + "/vX/").base_url == URL + "/vX"


def test_numbers_of_the_connection():
    connection = _connect(timeout=1.5, retries=2, retry_max_wait=0.25)
    assert (connection.timeout, connection.retries, connection.retry_max_wait) == (1.5, 2, 0.25)


def test_all_faults_are_told_at_once():
    assert _faults(
        base_url=None, api_key="", version_header=":", timeout=0, client_key="/nonexistent/key.pem", client_cert=""
    ) == [
        "base_url is required: set it, or EDGE_API_BASE_URL in the environment where the module runs",
        "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs",
        'version_header must be the name of an HTTP header, not ":"',
        "timeout must be from 1 to 86400, not 0",
        "client_key: /nonexistent/key.pem does not exist where the module runs",
        "client_key needs client_cert: set both, or client_cert alone where that file holds both",
    ]


NO_URL = "base_url is not a valid URL: %s"
NO_HOST = "base_url must be a URL with a scheme and a host, such as https://api.example.com, not %s"
QUERY = "base_url must not contain a query or a fragment: %s"
NO_ASCII = "base_url must have a host name in ASCII, in which an international one begins with xn--, not %s"
PLAIN = "base_url is plain http to %s, so the key would travel in clear: use https, or set allow_plain_http to true"
NEEDED = "base_url is required: set it, or EDGE_API_BASE_URL in the environment where the module runs"

# base_url, the fault
BAD_URLS = {
    "empty": ("", NEEDED),
    "blank": (" \n", NEEDED),
    "no scheme": ("api.example.com", NO_HOST % '"api.example.com"'),
    "another scheme": ("ftp://api.example.com", NO_HOST % '"ftp://api.example.com"'),
    "no host": ("https://", NO_HOST % '"https://"'),
    "a path for a host": ("https:///v1", NO_HOST % '"https:///v1"'),
    "a port for a host": ("https://:443", NO_HOST % '"https://:443"'),
    "a port that is no number": ("https://a.example:port", NO_URL % '"https://a.example:port"'),
    "a port that is too great": ("https://a.example:65536", NO_URL % '"https://a.example:65536"'),
    "half an address": ("https://[::1", NO_URL % '"https://[::1"'),
    "a space": ("https://a b.example", NO_URL % '"https://a b.example"'),
    "a no-break space": ("https://a.example/\xa0b", NO_URL % '"https://a.example/ b"'),
    "a backslash": ("https://a.example\\b", NO_URL % '"https://a.example\\\\b"'),
    "a line": ("https://a.example/\nb", NO_URL % '"https://a.example/\\nb"'),
    "the first control character": ("https://a.example/\0b", NO_URL % '"https://a.example/\\u0000b"'),
    "the last": ("https://a.example/\x1bb", NO_URL % '"https://a.example/\\u001bb"'),
    "delete": ("https://a.example/\x7fb", NO_URL % '"https://a.example/\\u007fb"'),
    "a password": (
        "https://u:p@a.example",
        "base_url must not contain a user name or password: give the key as api_key",
    ),
    "a user": ("https://u@a.example", "base_url must not contain a user name or password: give the key as api_key"),
    "a password in what is no URL": ("https://u:p@q@a.example:port", NO_URL % '"a.example:port"'),
    "a query": ("https://a.example/?q", QUERY % '"https://a.example/?%s"' % MASK),
    "an empty query": ("https://a.example/?", QUERY % '"https://a.example/?"'),
    "a fragment": ("https://a.example/#f", QUERY % '"https://a.example/#%s"' % MASK),
    "an empty fragment": ("https://a.example/#", QUERY % '"https://a.example/#"'),
    "no ASCII": ("https://ä.example", NO_ASCII % '"https://ä.example"'),
    "no host name": ("https://a,b", NO_ASCII % '"https://a,b"'),
    "escapes in a host name": ("https://a%2eb", NO_ASCII % '"https://a%2eb"'),
    "plain http": ("http://A.example", PLAIN % "a.example"),
    "plain http to a long name": ("http://" + "a" * 81, PLAIN % ("a" * 77 + "...")),
    "plain http to a name of 80": ("http://" + "a" * 80, PLAIN % ("a" * 80)),
    "a long one": ("https:" + "a" * 113, NO_HOST % ('"https:' + "a" * 110 + "...")),
    "one that is shown whole": ("https:" + "a" * 112, NO_HOST % ('"https:' + "a" * 112 + '"')),
}


@pytest.mark.parametrize("url, fault", BAD_URLS.values(), ids=list(BAD_URLS))
def test_base_url_that_is_refused(url, fault):
    assert _faults(base_url=url) == [fault]


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "HTTPS://API_1-z.Example:8443/V1/x@y",
        "https://[2001:db8::a]:443",
        "https://a.example:65535/b%20c;d=e,f",
        "http://localhost:8080",
        "http://LOCALHOST",
        "http://127.0.0.1",
        "http://127.255.255.254:1",
        "http://[::1]:8080",
    ],
)
def test_base_url_that_is_taken(url):
    assert _connect(base_url=url).base_url == url


@pytest.mark.parametrize("host", ["128.0.0.1", "126.255.255.255", "[::2]", "[::ffff:127.0.0.1]", "localhost.example"])
def test_plain_http_to_what_is_not_this_machine(host):
    assert _faults(base_url="http://" + host) == [PLAIN % host.strip("[]")]
    assert _connect(base_url="http://" + host, allow_plain_http=True).base_url == "http://" + host


def test_no_host_is_not_this_machine():
    assert _connection._is_loopback(None) is False
    assert _connection._is_loopback(_connection._split("http://")) is False


NO_TEXT = "api_key contains a control character, or one that no HTTP header can carry (the key is not shown)"


@pytest.mark.parametrize("char", ["\0", "\x1f", "\n", "\x7f", "\x80", "\x9f", "\u0100", "\u20ac"])
def test_key_that_no_header_can_carry(char):
    assert _faults(api_key="a%sb" % char) == [NO_TEXT]
    assert _faults(api_version="a%sb" % char) == ["api_version must be a string that an HTTP header can carry"]


@pytest.mark.parametrize("char", [" ", "!", "~", "\xa0", "\xff"])
def test_key_that_a_header_can_carry(char):
    assert _connect(api_key="a%sb" % char).api_key == "a%sb" % char
    assert _connect(api_version="a%sb" % char).api_version == "a%sb" % char


@pytest.mark.parametrize("key", [None, "", " \t"])
def test_no_key(key):
    assert _faults(api_key=key) == [
        "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs"
    ]


@pytest.mark.parametrize("version", ["", " "])
def test_no_version(version):
    assert _faults(api_version=version) == ["api_version must be a string that an HTTP header can carry"]


@pytest.mark.parametrize(
    "name, shown",
    [
        ("", '""'),
        ("X Y", '"X Y"'),
        ("X:", '"X:"'),
        ("é", '"\\u00e9"'),
        ("X\n-Y", '"X\\n-Y"'),
        (":" * 78, '"%s"' % (":" * 78)),
        (":" * 79, '"%s...' % (":" * 76)),
    ],
)
def test_header_name_that_is_none(name, shown):
    assert _faults(version_header=name) == ["version_header must be the name of an HTTP header, not " + shown]


def test_header_name_with_every_character():
    name = "!#$%&'*+-.^_`|~09AZaz"
    assert _connect(version_header=name).version_header == name


# Those that the client sets, and those that say how a message is framed.
TAKEN = ["authorization", "Content-Type", "CONTENT-LENGTH", "Host", "Accept", "accept-encoding", "User-Agent"]
TAKEN += ["Connection", "Transfer-Encoding", "Content-Encoding", "TE", "Trailer", "Upgrade", "Expect"]


@pytest.mark.parametrize("name", TAKEN)
def test_header_name_that_is_taken(name):
    assert _faults(version_header=" %s " % name) == [
        "version_header must not be %s, which has a meaning of its own" % name
    ]


@pytest.mark.parametrize(
    "name, low, lowest",
    [("timeout", 0.99, 1), ("retries", -1, 0), ("retry_max_wait", -0.01, 0)],
)
def test_limits_of_numbers(name, low, lowest):
    for value in (low, 86400.5, float("nan"), float("inf")):
        assert _faults(**{name: value}) == ["%s must be from %d to 86400, not %s" % (name, lowest, value)]
    for value in (lowest, 86400):
        assert getattr(_connect(**{name: value}), name) == value


@pytest.mark.parametrize("name", ["ca_path", "client_cert", "client_key"])
def test_file_that_is_not_there(tmp_path, name):
    files = dict.fromkeys(("client_cert", "client_key"), str(tmp_path)) if name == "client_key" else {}
    for path, shown in (("/nonexistent/a.pem", "/nonexistent/a.pem"), ("/" + "a" * 200, "/" + "a" * 196 + "...")):
        assert _faults(**{**files, name: path}) == ["%s: %s does not exist where the module runs" % (name, shown)]


def test_key_without_certificate(tmp_path):
    assert _faults(client_key=str(tmp_path)) == [
        "client_key needs client_cert: set both, or client_cert alone where that file holds both"
    ]


def test_ca_path_does_not_count_without_validation():
    """What else is missing is told all the same."""
    assert _connect(validate_certs=False, ca_path="/nonexistent/ca.pem").verify is False
    faults = _faults(validate_certs=False, ca_path="/nonexistent/ca.pem", client_cert="/nonexistent/b.pem")
    assert faults == ["client_cert: /nonexistent/b.pem does not exist where the module runs"]


def test_certificate(tmp_path):
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    certificate.touch()
    key.touch()
    assert _connect(client_cert=str(certificate)).cert == str(certificate)
    assert _connect(client_cert=str(certificate), client_key=str(key)).cert == (str(certificate), str(key))


def test_what_is_verified_with(monkeypatch, tmp_path):
    ca = str(tmp_path)
    assert _connect(ca_path=ca).verify == ca
    monkeypatch.setenv("CURL_CA_BUNDLE", "/c.pem")
    assert _connect().verify == "/c.pem"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/r.pem")
    assert _connect().verify == "/r.pem"
    assert _connect(ca_path=ca).verify == ca
    assert _connect(validate_certs=False).verify is False
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "")
    assert _connect().verify == "/c.pem"
    monkeypatch.setenv("CURL_CA_BUNDLE", "")
    assert _connect().verify is True


@pytest.mark.parametrize("value", ["http://", "http://u:passw0rd@", "http://u:passw0rd@[::1", "u:passw0rd@p:port"])
def test_proxy_that_is_no_url(monkeypatch, value):
    monkeypatch.setenv("https_proxy", value)
    assert _faults() == ["use_proxy: the proxy that the environment names is not a valid URL (it is not shown)"]


IN_CLEAR = "use_proxy must be false, or base_url https: the key would travel in clear to a proxy on another host"


def test_plain_http_through_a_proxy(monkeypatch):
    url = "http://127.0.0.1:8080"
    monkeypatch.setenv("http_proxy", "proxy.example:3128")
    assert _faults(base_url=url) == [IN_CLEAR]
    assert _connect(base_url=url, use_proxy=False).proxy is None
    assert _connect(base_url=url, allow_plain_http=True).proxy == "http://proxy.example:3128"
    monkeypatch.setenv("http_proxy", "u:p@localhost:3128")
    assert _connect(base_url=url).proxy == "http://u:p@localhost:3128"
