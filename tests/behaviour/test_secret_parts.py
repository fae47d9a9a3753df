# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that quotes a part of a secret: what follows the scheme, what Basic encodes, one value of a cookie."""

from __future__ import annotations

import base64
import json
import socketserver
import threading
import time

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import Secrets, parts
from harness.raw import RawService, plain
from harness.samples import HEADERS, POLICY, ROUTE_IDS

RTH = "https_edge_route_request_headers"
RTP = "https_edge_route_traffic_policy"


def basic(text, scheme="Basic", encode=base64.b64encode):
    return "%s %s" % (scheme, encode(text.encode()).decode())


# the value of a header, and the parts of it that must not be shown
PARTS = {
    "Bearer": ("Bearer tok-en.123", ["tok-en.123"]),
    "bearer, more space": ("bearer   tok-en.123", ["tok-en.123"]),
    "Token": ("Token tok/en+123==", ["tok/en+123=="]),
    "another scheme": ("ApiKey tok-en.123", ["tok-en.123"]),
    "a token as a parameter": ('Token token="tok-en.123", nonce=no-nce-1', ["tok-en.123", "no-nce-1"]),
    "Basic": (
        basic("sh0p-user:pa55:w0rd"),
        ["sh0p-user", "pa55:w0rd", "sh0p-user:pa55:w0rd", "c2gwcC11c2VyOnBhNTU6dzByZA=="],
    ),
    "basic, in lower case": (basic("sh0p-user:pa55:w0rd", "basic"), ["pa55:w0rd"]),
    "Basic without padding": (basic("sh0p-user:pa55w0rd").rstrip("="), ["pa55w0rd"]),
    "Basic for URLs": (basic("sh0p-???>>>:pa55w0rd???>>>", encode=base64.urlsafe_b64encode), ["pa55w0rd???>>>"]),
    "Basic, a password alone": (basic(":pa55w0rd"), ["pa55w0rd"]),
    "Basic, a short user": (basic("ab:pa55w0rd"), ["pa55w0rd"]),
    "Basic, not ASCII": (basic("sh0p-user:pässw0rd"), ["pässw0rd"]),
    "Basic, in Latin-1": ("Basic " + base64.b64encode("sh0p-user:pässw0rd".encode("latin-1")).decode(), ["pässw0rd"]),
    "Basic that encodes nothing": ("Basic tok-en.123!", ["tok-en.123!"]),
    "a cookie": ("lang=de; sid=s3ss10n-1; x=y3s-it-is", ["s3ss10n-1", "y3s-it-is"]),
    "a cookie, no spaces": ("lang=de;sid=s3ss10n=1==", ["s3ss10n=1=="]),
    "a header's line": ("Authorization: Bearer tok-en.123", ["tok-en.123", "Bearer tok-en.123"]),
    "a cookie, quoted": ('sid="s3ss10n 1"; Path=/', ["s3ss10n 1"]),
}


@pytest.mark.parametrize("value, quoted", PARTS.values(), ids=list(PARTS))
def test_parts(value, quoted):
    for part in quoted:
        for form in (part, json.dumps(part)[1:-1]):
            text = Secrets([value]).scrub("it is '%s', no?" % form)
            assert form not in text and "********" in text and text.startswith("it is '"), (form, text)


def test_a_line_of_a_private_key():
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQ+IBADANBg/kq==\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
    for quoted in (
        "hkiG9w0BAQEFAASC",
        "MIIEvQ+IBADANBg/kq==",
        "MIIEvQ+IBADANBg\\/kq==",
        key.strip(),
        json.dumps(key)[1:-3],
    ):
        assert Secrets([key]).scrub("no key: %s." % quoted) == "no key: ********."


@pytest.mark.parametrize("form", ["a\\u003cb\\u00e9-long", "a\\u003Cb\\u00E9-long", "a<b\\u00E9-long"])
def test_escapes_with_hexadecimal_digits_of_both_cases(form):
    assert Secrets(["a<bé-long"]).scrub("it is %s." % form) == "it is ********."


@pytest.mark.parametrize("value, quoted", PARTS.values(), ids=list(PARTS))
def test_a_service_that_quotes_a_part(sim, run, value, quoted):
    """Of a header, in a task of its own and in one over many; of a header in a policy."""
    name = "Cookie" if "=" in value.split(" ")[0] else "Authorization"
    policy = dict(inbound=[dict(actions=[dict(type="a", config=dict(headers={name: value}))])])
    entries = dict(request_headers=dict(add={name: value}), traffic_policy=dict(value=policy))
    sim.add_fault(method="PUT", status=400, body={"message": "refused: %s." % ", ".join(quoted), "code": quoted[0]})
    for module, options in (
        (RTH, dict(ROUTE_IDS, add={name: value})),
        (RTP, dict(ROUTE_IDS, value=policy)),
        ("edge_modules", dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", **entries)])])),
    ):
        result = run(module, options)
        assert result.failed and "refused: ********" in result.msg
        for part in quoted:
            assert part not in result.text and part not in json.dumps(result.data, ensure_ascii=False)


@pytest.mark.parametrize("path, body", [(HEADERS, dict(add={"Cookie": "sid=0ld-s3ss10n"})), (POLICY, None)])
def test_a_part_of_what_the_service_holds(sim, run, path, body):
    if path == POLICY:
        body = dict(value=json.dumps(dict(x=dict(headers=dict(Cookie="sid=0ld-s3ss10n")))))
    sim.put(path, body)
    sim.add_fault(method="DELETE", status=400, body={"message": "0ld-s3ss10n is in use"})
    result = run(RTP if path == POLICY else RTH, dict(ROUTE_IDS, state="absent"))
    assert result.failed and "400: ******** is in use" in result.msg


@pytest.mark.parametrize(
    "value",
    ["Bearer abcde", basic("admin:pa55"), "sid=abcde; Path=/; x=1", "one two", "a=b", "", " ", "=", "Basic", "Basic ="],
)
def test_short_parts_do_not_count(value):
    """A word such as admin must not be blanked wherever it stands."""
    text = "admin abcde pa55 two b Path / sid Basic Bearer"
    assert Secrets([value] if value.strip() not in ("Basic", "=") else []).scrub(text) == text
    assert all(len(part) >= 6 for part in parts(value))


def test_thousands_of_secrets():
    """Each with parts of its own: no more than a few seconds to spell them, and next to nothing for a text."""
    many = ["Bearer token-%d" % number for number in range(3000)]
    many += [basic("shop-user-%d:pa55w0rd-%d" % (number, number)) for number in range(3000)]
    many += ["sid=session-%d; other=value-%d" % (number, number) for number in range(3000)]
    secrets = Secrets(many)
    started = time.process_time()
    secrets.scrub("nothing")
    spelled = time.process_time()
    for number in range(100):
        assert secrets.scrub("x" * 200 + "pa55w0rd-%d" % number).endswith("x********")
    scrubbed = time.process_time()
    assert spelled - started < 10 and scrubbed - spelled < 2


def test_a_long_secret_is_no_burden():
    for value in (
        "a" * 100_000,
        "a=" * 50_000,
        "a " * 50_000,
        ";" * 100_000,
        "Basic " + "YTpi" * 25_000,
        '"' * 100_000,
    ):
        started = time.process_time()
        parts(value)
        assert time.process_time() - started < 1


class _Garbage(socketserver.StreamRequestHandler):
    """Answers what it got, which is no HTTP."""

    def handle(self):
        length = 0
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = self.rfile.read(length)
        if length:
            self.wfile.write(b"cannot take " + body + b"\r\n\r\n")
        else:
            self.wfile.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def test_an_answer_that_is_no_http(run):
    """What the HTTP library says of it quotes it."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Garbage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = dict(base_url="http://127.0.0.1:%d" % server.server_address[1], retries=0)
        headers = dict(ROUTE_IDS, add={"Authorization": "Bearer tok-en.123"}, **where)
        policy = dict(ROUTE_IDS, value=dict(inbound=[], x=dict(client_secret="tok-en.123")), **where)
        for result in (run(RTH, headers), run(RTP, policy)):
            assert result.failed and "cannot take" in result.msg
            assert "tok-en.123" not in result.text
        server.shutdown()


@pytest.mark.parametrize("encoding, told", [("tok-en.123", "in the encoding"), ("tok-en.123,gzip", "is damaged")])
def test_an_encoding_that_quotes(run, encoding, told):
    with RawService(lambda request, number: [plain(b"x", headers=["Content-Encoding: " + encoding])]) as service:
        options = dict(ROUTE_IDS, add={"X-Token": "tok-en.123"}, base_url=service.base_url, retries=0)
        result = run(RTH, options)
    assert result.failed and told in result.msg
    assert "tok-en.123" not in result.text
