# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real forward proxy: taken from the environment, and only where it is wanted. Nothing replaces the key."""

from __future__ import annotations

import socket
import time

import harness
import proxy
import pytest
import trustme
from harness.samples import sample_of
from simulator import Simulator

TCP = "tcp_edge_backend"
PASSWORD = "pr0xy-passw0rd"


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A simulator with TLS, and its CA."""
    folder = tmp_path_factory.mktemp("pki")
    ca = trustme.CA()
    certificate = ca.issue_cert("127.0.0.1")
    ca.cert_pem.write_to_path(folder / "ca.pem")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    with Simulator(certfile=str(folder / "server.pem")) as simulator:
        simulator.ca = str(folder / "ca.pem")
        yield simulator


@pytest.fixture(scope="module")
def plain():
    with Simulator() as simulator:
        yield simulator


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """The address of a proxy that lets nobody through without the password."""
    arguments = {
        "hostname": "127.0.0.1",
        "port": 0,
        "num-acceptors": 1,
        "num-workers": 1,
        "log-level": "ERROR",
        "data-dir": tmp_path_factory.mktemp("proxy"),
        "basic-auth": "user:" + PASSWORD,
    }
    with proxy.Proxy(["--%s=%s" % argument for argument in arguments.items()]) as server:
        yield "127.0.0.1:%d" % server.flags.port


@pytest.fixture(scope="module")
def dead():
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return "127.0.0.1:%d" % server.getsockname()[1]


@pytest.fixture
def call(way):
    def caller(sim, env, **options):
        sim.reset()
        sample = sample_of(TCP)
        given = harness.connection_options(sim, retries=1, timeout=5, **options)
        if hasattr(sim, "ca"):
            given["ca_path"] = sim.ca
        result = harness.run(way, TCP, {**given, **sample.options(sample.a)}, env=env)
        assert PASSWORD not in result.text
        return result

    return caller


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_plain_http_through_the_proxy(call, plain, gate, name, scheme):
    """That the proxy refuses without its password proves that with it the request goes through the proxy."""
    refused = call(plain, {name: scheme + gate})
    assert refused.failed and "answered 407" in refused.msg and plain.log == []
    result = call(plain, {name: "%suser:%s@%s" % (scheme, PASSWORD, gate)})
    assert result.changed and len(plain.log) == 2


def test_https_through_the_proxy(call, tls, gate):
    refused = call(tls, {"https_proxy": "http://user:wrong@" + gate})
    assert refused.failed and "407" in refused.msg and tls.log == []
    result = call(tls, {"https_proxy": "http://user:%s@%s" % (PASSWORD, gate)})
    assert result.changed and len(tls.log) == 2


def test_https_is_verified_through_the_proxy(tls, gate, way):
    options = harness.connection_options(tls, retries=1, **sample_of(TCP).options(sample_of(TCP).a))
    result = harness.run(way, TCP, options, env={"https_proxy": "http://user:%s@%s" % (PASSWORD, gate)})
    assert result.failed and "certificate verify failed" in result.msg and PASSWORD not in result.text


@pytest.mark.parametrize("scheme", ["plain", "tls"])
def test_without_the_proxy(request, call, dead, scheme):
    sim = request.getfixturevalue(scheme)
    environment = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://" + dead)
    through = call(sim, environment)
    assert through.failed and "refused" in through.msg and sim.log == []
    assert call(sim, environment, use_proxy=False).changed


@pytest.mark.parametrize("value", ["127.0.0.1", "*", "example.com,127.0.0.1", "127.0.0.0/8"])
@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_no_proxy(call, plain, dead, name, value):
    assert call(plain, {"http_proxy": "http://" + dead, name: value}).changed


def test_proxy_of_the_other_scheme_does_not_count(call, plain, tls, dead):
    assert call(plain, {"https_proxy": "http://" + dead}).changed
    assert call(tls, {"http_proxy": "http://" + dead}).changed


@pytest.mark.parametrize(
    "address",
    [
        "http://user:%s@%s",
        "http://user:%s@127.0.0.1:port",
        "http://user:%s@",
        "http://user:%s@[::1",
        "http://us er:%s@127.0.0.1:1",
        "socks5://user:%s@127.0.0.1:1",
        "gopher://user:%s@127.0.0.1:1",
        "://user:%s@",
    ],
)
@pytest.mark.parametrize("scheme", ["plain", "tls"])
def test_credentials_of_a_broken_proxy_are_not_shown(request, call, dead, scheme, address):
    sim = request.getfixturevalue(scheme)
    address = address % ((PASSWORD, dead) if address.count("%s") == 2 else PASSWORD)
    result = call(sim, dict(http_proxy=address, https_proxy=address))
    assert result.failed and result.msg and sim.log == []
    assert "Traceback" not in result.text


@pytest.mark.parametrize("address", ["http://192.0.2.1:3128", "192.0.2.1:3128", "http://proxy.example:3128"])
def test_plain_http_through_a_proxy_elsewhere_is_refused(call, plain, address):
    result = call(plain, {"http_proxy": address})
    assert result.failed and "use_proxy must be false, or base_url https: the key would travel in clear" in result.msg
    assert plain.log == [] and "error" not in result.data
    assert call(plain, {"http_proxy": address}, use_proxy=False).changed


def test_https_through_a_proxy_elsewhere_is_not_refused(call, tls, way):
    result = call(tls, {"https_proxy": "http://proxy.invalid:3128"})
    assert result.failed and result.error["method"] == "GET"


def test_plain_http_elsewhere_when_allowed(way):
    options = dict(base_url="http://nowhere.invalid", api_key="k" * 20, retries=0, allow_plain_http=True)
    options.update(sample_of(TCP).options(sample_of(TCP).a))
    result = harness.run(way, TCP, options)
    assert result.failed and result.error["method"] == "GET"
    started = time.monotonic()
    result = harness.run(way, TCP, dict(options, allow_plain_http=False))
    assert result.failed and "base_url is plain http to nowhere.invalid" in result.msg
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("use_proxy", [True, False])
@pytest.mark.parametrize("machine", ["machine 127.0.0.1", "default"])
def test_netrc_never_replaces_the_key(call, plain, tmp_path, machine, use_proxy):
    path = tmp_path / ".netrc"
    path.write_text("%s login somebody password else\n" % machine, encoding="ascii")
    path.chmod(0o600)
    for env in ({"NETRC": str(path)}, {"HOME": str(tmp_path)}):
        result = call(plain, env, use_proxy=use_proxy)
        assert result.changed
        assert {record.headers["Authorization"] for record in plain.log} == {"Bearer " + plain.api_key}
