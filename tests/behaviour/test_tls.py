# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real TLS, with a certificate authority made here: what must be trusted is, and nothing else."""

from __future__ import annotations

import datetime
import time
from types import SimpleNamespace

import harness
import pytest
import trustme
from harness.samples import sample_of
from simulator import Simulator

# What urllib3 says is for programmers; each test sets the filters anew.
pytestmark = pytest.mark.filterwarnings("ignore:Unverified HTTPS request")

TCP = "tcp_edge_backend"
SERVERS = ("good", "wrong_name", "expired", "mutual")


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    """Paths of PEM files: a CA, another that nobody uses, and certificates."""
    folder = tmp_path_factory.mktemp("pki")
    ca, other, client_ca = trustme.CA(), trustme.CA(), trustme.CA()
    yesterday = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)

    def write(name, *blobs):
        path = folder / name
        path.write_bytes(b"".join(blob.bytes() for blob in blobs))
        return str(path)

    def issue(name, authority, *identities, **more):
        made = authority.issue_cert(*identities, **more)
        return write(name + ".pem", *made.cert_chain_pems), write(name + ".key", made.private_key_pem)

    found = SimpleNamespace(
        folder=folder,
        ca=write("ca.pem", ca.cert_pem),
        other=write("other.pem", other.cert_pem),
        client_ca=write("client-ca.pem", client_ca.cert_pem),
        good=issue("good", ca, "127.0.0.1", "localhost"),
        wrong_name=issue("wrong", ca, "elsewhere.example"),
        expired=issue("expired", ca, "127.0.0.1", not_after=yesterday),
        client=issue("client", client_ca, "client@example.com"),
        stranger=issue("stranger", other, "client@example.com"),
    )
    found.both = str(folder / "both.pem")
    with open(found.both, "w", encoding="ascii") as stream:
        for path in found.client:
            with open(path, encoding="ascii") as part:
                stream.write(part.read())
    found.no_pem = str(folder / "no.pem")
    (folder / "no.pem").write_text("no certificate\n", encoding="ascii")
    return found


@pytest.fixture(scope="module")
def servers(pki):
    """A simulator for each certificate."""
    made = {}
    for name in SERVERS:
        certificate, key = getattr(pki, "good" if name == "mutual" else name)
        client_ca = pki.client_ca if name == "mutual" else None
        made[name] = Simulator(certfile=certificate, keyfile=key, client_ca=client_ca).start()
    yield made
    for simulator in made.values():
        simulator.stop()


@pytest.fixture
def call(servers, way):
    """call(server, options, env=): a task against one of the servers, and the requests that reached it."""

    def caller(server, options, env=None):
        sim = servers[server]
        sim.reset()
        sample = sample_of(TCP)
        given = {**harness.connection_options(sim, retries=2), **sample.options(sample.a), **options}
        started = time.monotonic()
        result = harness.run(way, TCP, given, env=env)
        assert time.monotonic() - started < 10
        return result, sim.log

    return caller


def _refused(outcome, *told):
    result, log = outcome
    assert result.failed and not result.changed and log == []
    assert "(tried" not in result.msg  # what does not fit now will not fit in a second
    for part in told:
        assert part in result.msg
    assert result.error["status"] is None and result.error["method"] == "GET"


def _works(outcome):
    result, log = outcome
    assert result.changed and not result.failed, result.data
    assert [record.method for record in log] == ["GET", "PUT"]


def test_own_ca(call, pki):
    _works(call("good", dict(ca_path=pki.ca)))


def test_own_ca_of_the_environment(call, pki):
    _works(call("good", {}, env=dict(EDGE_API_CA_PATH=pki.ca)))


def test_ca_path_with_home_and_variables(call, pki):
    _works(call("good", dict(ca_path="$PKI_FOLDER/ca.pem"), env=dict(PKI_FOLDER=str(pki.folder))))


def test_unknown_ca(call):
    _refused(call("good", {}), "certificate verify failed")


def test_other_ca(call, pki):
    _refused(call("good", dict(ca_path=pki.other)), "certificate verify failed")


def test_wrong_host_name(call, pki):
    _refused(call("wrong_name", dict(ca_path=pki.ca)), "certificate verify failed", "127.0.0.1")


def test_expired_certificate(call, pki):
    _refused(call("expired", dict(ca_path=pki.ca)), "certificate verify failed", "expired")


@pytest.mark.parametrize("server", ["good", "wrong_name", "expired"])
def test_validate_certs_false(call, server):
    outcome = call(server, dict(validate_certs=False))
    _works(outcome)
    assert outcome[0].warnings == []


def test_validate_certs_false_wins_over_ca_path(call, pki):
    _works(call("good", dict(validate_certs=False, ca_path=pki.other)))


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
@pytest.mark.parametrize("use_proxy", [True, False])
class TestBundleOfTheEnvironment:
    def test_counts_where_nothing_is_said(self, call, pki, name, use_proxy):
        _works(call("good", dict(use_proxy=use_proxy), env={name: pki.ca}))

    def test_does_not_override_validate_certs_false(self, call, pki, name, use_proxy):
        _works(call("good", dict(use_proxy=use_proxy, validate_certs=False), env={name: pki.other}))

    def test_does_not_override_ca_path(self, call, pki, name, use_proxy):
        _works(call("good", dict(use_proxy=use_proxy, ca_path=pki.ca), env={name: pki.other}))

    def test_does_not_widen_ca_path(self, call, pki, name, use_proxy):
        _refused(call("good", dict(use_proxy=use_proxy, ca_path=pki.other), env={name: pki.ca}), "verify failed")

    def test_missing_file_is_named(self, call, name, use_proxy):
        _refused(call("good", dict(use_proxy=use_proxy), env={name: "/nonexistent/b.pem"}), "/nonexistent/b.pem")


def test_sessions_do_not_share_trust(call, pki):
    """A kept-alive connection serves only tasks that trust the same."""
    _works(call("good", dict(validate_certs=False)))
    _refused(call("good", dict(ca_path=pki.other)), "certificate verify failed")
    _works(call("good", dict(ca_path=pki.ca)))
    _refused(call("good", {}), "certificate verify failed")


@pytest.mark.parametrize(
    "other", [dict(verify=False), dict(cert="c.pem"), dict(proxy="http://p"), dict(base_url="https://b.example")]
)
def test_session_belongs_to_one_setting(other):
    """Older versions of requests reuse a connection whatever the certificates: so never in the same session."""
    options = harness.connection_options(SimpleNamespace(base_url="https://a.example", api_key="k" * 20))
    connection = harness.connection(**options)
    assert connection._replace(api_key="another").adapter_key == connection.adapter_key
    assert connection._replace(**other).adapter_key != connection.adapter_key


def test_client_certificate(call, pki):
    certificate, key = pki.client
    _works(call("mutual", dict(ca_path=pki.ca, client_cert=certificate, client_key=key)))
    _works(call("mutual", dict(ca_path=pki.ca, client_cert=pki.both)))


def test_no_client_certificate(call, pki):
    _refused(call("mutual", dict(ca_path=pki.ca)), "certificate required")


def test_client_certificate_of_another_ca(call, pki):
    certificate, key = pki.stranger
    _refused(call("mutual", dict(ca_path=pki.ca, client_cert=certificate, client_key=key)), "unknown ca")


def test_sessions_do_not_share_client_certificates(call, pki):
    certificate, key = pki.client
    _works(call("mutual", dict(ca_path=pki.ca, client_cert=certificate, client_key=key)))
    _refused(call("mutual", dict(ca_path=pki.ca)), "certificate required")


@pytest.mark.parametrize("option", ["ca_path", "client_cert"])
def test_file_that_holds_no_certificate(call, pki, option):
    _refused(call("mutual", {"ca_path": pki.ca, option: pki.no_pem}), "GET /edges/tcp/edgtcp_1/backend")


def test_key_of_another_certificate(call, pki):
    options = dict(ca_path=pki.ca, client_cert=pki.client[0], client_key=pki.stranger[1])
    _refused(call("mutual", options), "GET /edges/tcp/edgtcp_1/backend", "key values mismatch")


def test_https_to_a_server_without_tls(way):
    sample = sample_of(TCP)
    with Simulator() as sim:
        options = harness.connection_options(sim, base_url=sim.base_url.replace("http:", "https:"), retries=2)
        result = harness.run(way, TCP, {**options, **sample.options(sample.a)})
        assert result.failed and "(tried" not in result.msg and "SSL" in result.msg.upper()
        assert sim.log == []


def test_http_to_a_server_with_tls(way, servers):
    sample = sample_of(TCP)
    sim = servers["good"]
    options = harness.connection_options(sim, base_url=sim.base_url.replace("https:", "http:"), retries=1)
    result = harness.run(way, TCP, {**options, **sample.options(sample.a)})
    assert result.failed and result.error["method"] == "GET"
