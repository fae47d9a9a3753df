# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which header values are secret, and how they are hidden: the functions themselves, without a service."""

from __future__ import annotations

import html
import json
import re
import urllib.parse

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _secrets
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import (
    CHANGED_MASK,
    MASK,
    SecretNames,
    Secrets,
    spellings,
)

STARS = "********"


@pytest.mark.parametrize(
    "name",
    ["Authorization", "x-AUTH", "Set-Cookie", "X-Token", "x_secret", "Password", "passwd", "X-Api-Key", "x_api_key"]
    + ["APIKey", "X_Access_Key", "credentials", "Session-Id", "X-Signature", " Cookie ", "X-Key", "x_functions_KEY"]
    + ["Ocp-Apim-Subscription-Key"],
)
def test_secret_by_its_name(name):
    assert name in SecretNames()


@pytest.mark.parametrize("name", ["X-Edge", "Key", "X-Keys", "Key-Id", "Access", "api", "Via", "pass"])
def test_not_secret_by_its_name(name):
    assert name not in SecretNames()
    assert name in SecretNames(everything=True)
    assert name in SecretNames([" %s " % name.swapcase().replace("-", "_")])


def test_named_ones_only():
    secret = SecretNames(["X-Edge"])
    assert "x_edge" in secret and "X-Edge-2" not in secret and "Cookie" in secret
    assert secret.headers == frozenset(["x-edge"])
    assert (SecretNames().headers, SecretNames(None).everything) == (frozenset(), False)


@pytest.mark.parametrize(
    "name",
    ["password", "db_passwd", "Secret", "client-secret", "clientSecret", "credential", "CREDENTIALS", "x_token"]
    + ["token", "private_key", "tls-private-key", "api_key", "ACCESS-KEY", "proxy_authorization", " token "],
)
def test_secret_by_the_name_of_its_key(name):
    assert SecretNames().has_key(name)


@pytest.mark.parametrize("name", ["key", "x-key", "cookie", "auth", "session", "token_url", "secrets", "api"])
def test_not_secret_by_the_name_of_its_key(name):
    assert not SecretNames([name]).has_key(name)
    assert SecretNames(everything=True).has_key(name)
    assert SecretNames(keys=[" %s " % name.swapcase().replace("-", "_")]).has_key(name)


def test_further_names():
    secret = SecretNames(["X-A"], ["a"])
    assert secret.further(None, []) is secret
    more = secret.further(["X-B"], ["b"])
    assert (more.headers, more.keys, more.everything) == ({"x-a", "x-b"}, {"a", "b"}, False)
    assert secret.further([], None, everything=True).everything
    assert SecretNames(everything=True).further(["X"], None).everything


def test_values_are_masked_by_place():
    secret = SecretNames()
    assert secret.mask({"Cookie": "1", "X": "1"}) == {"Cookie": MASK, "X": "1"}
    assert secret.mask({"X": {"a": "1"}, "Y": ["1"], "Z": 1}) == {"X": MASK, "Y": MASK, "Z": 1}
    assert secret.values({"Cookie": "1", "X": "2", "Token": 3, "Auth": ""}) == {"1"}
    assert secret.values(None) == set()


@pytest.mark.parametrize(
    "before, after, masked",
    [
        ({"Cookie": "1"}, {"Cookie": "2"}, ({"Cookie": MASK}, {"Cookie": CHANGED_MASK})),
        ({"Cookie": "1"}, {"Cookie": "1"}, ({"Cookie": MASK}, {"Cookie": MASK})),
        ({}, {"Cookie": "1"}, ({}, {"Cookie": MASK})),
        ({"Cookie": "1"}, {}, ({"Cookie": MASK}, {})),
        ({"X": "1"}, {"X": "2"}, ({"X": "1"}, {"X": "2"})),
    ],
)
def test_a_changed_secret_shows_as_changed(before, after, masked):
    assert SecretNames().mask_diff(before, after) == masked


# a text of the service's, the same as it may be shown
PAIRS = {
    "a pair": ('{"Cookie": "a", "X": "b"}', '{"Cookie": %s, "X": "b"}'),
    "no space": ('{"Cookie":"a"}', '{"Cookie":%s}'),
    "cut short": ('{"X": "b", "Cookie": "a', '{"X": "b", "Cookie": %s'),
    "cut after a backslash": ('{"Cookie": "a\\', '{"Cookie": %s'),
    "an escaped quote": ('{"Cookie": "a\\"b", "X": "c"}', '{"Cookie": %s, "X": "c"}'),
    "two": ('{"Cookie": "a", "Token": "b"}', '{"Cookie": %s, "Token": %s}'),
    "side by side": ('{"Cookie":"a""Token":"b"}', '{"Cookie":%s"Token":%s}'),
    "a line in it": ('{"Cookie": "a\nb\\\nc"}', '{"Cookie": %s}'),
    "another name": ('{"X": "a"}', '{"X": "a"}'),
    "a number": ('{"Cookie": 1, "X": 2}', '{"Cookie": %s, "X": 2}'),
    "null": ('{"X": [{"Cookie": null}]}', '{"X": [{"Cookie": %s}]}'),
    "a list": ('{"X": 1, "credentials": ["a", "b"], "Y": 2}', '{"X": 1, "credentials": %s'),
    "an object": ('{"X": 1, "token": {"a": "b', '{"X": 1, "token": %s'),
    "a key of a policy": ('{"client_secret": "a", "X": 1}', '{"client_secret": %s, "X": 1}'),
    "as Python writes it": ("{'Cookie': 'a\\'b', 'X': 'c'}", "{'Cookie': %s, 'X': 'c'}"),
    "nothing after the name": ('{"Cookie":', '{"Cookie":'),
    "a name in a secret": ('{"Cookie": "Token", "X": "1"}', '{"Cookie": %s, "X": "1"}'),
    "no JSON": ("Cookie: a", "Cookie: a"),
    "before and after": ('<p>{"Cookie": "a"}</p>', '<p>{"Cookie": %s}</p>'),
}


@pytest.mark.parametrize("text, shown", PAIRS.values(), ids=list(PAIRS))
def test_pairs_of_an_answer_that_is_no_json(text, shown):
    assert SecretNames().hide_pairs(text) == shown.replace("%s", MASK)


DOCUMENTS = {
    "YAML": ("inbound:\n- headers:\n    Cookie: a b\n    X: c", "inbound:\n- headers:\n    Cookie: %s"),
    "YAML, a block": ("X: 1\npassword: |\n  a\n  b\n", "X: 1\npassword: %s"),
    "YAML, quoted": ("x: {Cookie: 'a', X: b}", "x: {Cookie: %s"),
    "an assignment": ("X=1\nclient_secret=a\n", "X=1\nclient_secret=%s"),
    "an escaped letter": ('{"Cook\\u0069e": "a", "X": "b",}', '{"Cookie": %s, "X": "b",}'),
    "JSON": ('{"Cookie": "a", "X": "b",}', '{"Cookie": %s, "X": "b",}'),
    "no secret": ("inbound:\n- headers: {X: a}\n", "inbound:\n- headers: {X: a}\n"),
    "a word within another": ("my.X: 1, xCookie", "my.X: 1, xCookie"),
    "nothing after it": ("Cookie:", "Cookie:"),
}


@pytest.mark.parametrize("text, shown", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_a_document_that_cannot_be_read(text, shown):
    assert SecretNames().hide_in_document(text) == shown.replace("%s", MASK)


def test_pairs_with_names_of_the_task():
    secret = SecretNames(["X-Inner"], ["pin"])
    shown = secret.hide_pairs('{"x_inner": "a", "PIN": [1], "b": 2}')
    assert shown == '{"x_inner": %s, "PIN": %s' % (MASK, MASK)


def test_pairs_within_a_text_of_json():
    inner = json.dumps({"Cookie": "abc", "X": "d"})
    shown = SecretNames().hide_pairs(json.dumps({"msg": inner}))
    assert "abc" not in shown and "Cookie" in shown


@pytest.mark.parametrize("secret", ["p&<>'\"/\\ é+~", "plain", "a b", "100%", "\u20ac?", "x\ty"])
def test_spellings(secret):
    """In whatever way a service quotes it, it is found."""
    quoted = {
        secret,
        repr(secret)[1:-1],
        html.escape(secret),
        html.escape(secret, quote=False),
        html.escape(secret).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(secret)[1:-1])[1:-1],
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        json.dumps(secret)[1:-1].replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"),
        urllib.parse.quote(secret),
        urllib.parse.quote(secret, safe=""),
        urllib.parse.quote_plus(secret),
        urllib.parse.quote_plus(secret, safe="/"),
        re.sub("%..", lambda match: match.group().lower(), urllib.parse.quote(secret, safe="")),
        urllib.parse.quote(secret, safe="", encoding="latin-1", errors="replace"),
    }
    for one in quoted:
        assert Secrets([secret]).scrub("before %s after" % one) == "before %s after" % STARS, one


def test_spellings_of_nothing():
    assert spellings("  ") == frozenset()
    assert Secrets(["", " "]).scrub("a  b") == "a  b"
    assert Secrets([]).scrub("a") == "a"
    assert " abc " not in spellings(" abc ") and "abc" in spellings(" abc ")


@pytest.mark.parametrize(
    "secret, text, shown",
    [
        ("1", "1, 10, a1, 1_1, (1)", "********, 10, a1, ********_********, (********)"),
        ("12345", "123456 12345", "123456 ********"),
        ("123456", "1234567 123456", "********7 ********"),
        ("a.b", "a.b axb", "******** axb"),
    ],
)
def test_a_short_secret_counts_only_where_it_stands_alone(secret, text, shown):
    assert Secrets([secret]).scrub(text) == shown


def test_the_longest_secret_goes_first():
    assert Secrets(["secret-of", "secret-of-mine"]).scrub("secret-of-mine secret-of") == "%s %s" % (STARS, STARS)


def test_secrets_that_a_task_learns():
    secrets = _secrets.Secrets(["first-secret"])
    assert secrets.scrub("first-secret second-secret 1 sixsix") == STARS + " second-secret 1 sixsix"
    secrets.add(["second-secret", "1"])
    secrets.add(["sixsix"])
    assert secrets.scrub("first-secret second-secret 1 sixsix") == " ".join([STARS] * 4)
    assert secrets.scrub("second-secret 1 sixsix", short_ones=False) == "%s 1 %s" % (STARS, STARS)
    assert secrets.scrub("10 a1 xsixsixx") == "10 a1 x%sx" % STARS


def test_masks():
    assert (MASK, CHANGED_MASK) == (_secrets.MASK, "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER (changed)")
