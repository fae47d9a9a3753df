# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong is refused by name and place before anything is sent; what only looks wrong works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import facts
import harness
import pytest
from ansible.module_utils.common import json as module_json
from harness.samples import BACKEND, HEADERS, POLICY, RESTRICTION, ROUTE_IDS, TERMINATION, sample_of

TCP, IPS, TLS, RTP, RTH = (
    "tcp_edge_backend",
    "tls_edge_ip_restriction",
    "tls_edge_tls_termination",
    "https_edge_route_traffic_policy",
    "https_edge_route_request_headers",
)
UNSET = object()


def _options(name, changes):
    options = sample_of(name).options(sample_of(name).a)
    options.update(changes)
    return {key: value for key, value in options.items() if value is not UNSET}


def _value(document):
    return dict(value=document)


def _rule(**rule):
    return {"inbound": [{"name": "a"}, {"name": "b"}, rule]}


def _nested(depth):
    document = {}
    for dummy in range(depth - 1):
        document = {"a": document}
    return document


DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
LONG = "x" * 3000

# title, module, changed options, what the message must hold
BAD = [
    # Identifiers that become part of a path.
    ("id of another kind", TCP, dict(edge_id="edgtls_1"), ["edge_id names another kind", "edgtls_", "edgtcp_"]),
    ("id of a route", RTP, dict(edge_id="edghtsrt_1"), ["edge_id names another kind", "edghtsrt_"]),
    ("edge given as route", RTH, dict(route_id="edghts_1"), ["route_id names another kind", "edghts_"]),
    ("id of a backend", TCP, dict(edge_id="bkdtg_1"), ["edge_id names another kind", "bkdtg_"]),
    ("id of a policy, absent", IPS, dict(edge_id="ipp_1", state="absent"), ["edge_id names another kind", "ipp_"]),
    ("blank id", TCP, dict(edge_id="  "), ["edge_id must not be blank"]),
    ("empty id, absent", RTH, dict(route_id="", state="absent"), ["route_id must not be blank"]),
    ("dot", TCP, dict(edge_id="."), ["edge_id may contain letters"]),
    ("two dots", TLS, dict(edge_id=".."), ["edge_id may contain letters"]),
    ("climbing id", TCP, dict(edge_id="edgtcp_1/../edgtcp_2"), ["edge_id may contain letters"]),
    ("escaped id", TCP, dict(edge_id="%2e%2e"), ["edge_id may contain letters"]),
    ("id with a query", TCP, dict(edge_id="edgtcp_1?x=1"), ["edge_id may contain letters"]),
    ("id with a line break", TCP, dict(edge_id="edgtcp_1\n"), ["edge_id may contain letters", "\\n"]),
    ("id with a NUL", RTP, dict(route_id="edghtsrt_\0"), ["route_id may contain letters", "\\u0000"]),
    ("id with letters beyond ASCII", TCP, dict(edge_id="edgtcp_é"), ["edge_id may contain letters"]),
    ("long id", TCP, dict(edge_id="/" + LONG), ["edge_id may contain letters", "..."]),
    ("no id", TCP, dict(edge_id=UNSET), ["edge_id is required"]),
    ("null id", RTP, dict(route_id=None), ["route_id is required"]),
    ("id that is a list", TCP, dict(edge_id=["edgtcp_1"]), ["edge_id must be a string, not a list"]),
    # Identifiers in a body.
    ("no backend", TCP, dict(backend_id=UNSET), ["backend_id is required"]),
    ("null backend", TCP, dict(backend_id=None), ["backend_id is required"]),
    ("blank backend", TCP, dict(backend_id=" "), ["backend_id must not be blank"]),
    ("backend with white space", TCP, dict(backend_id="bkdtg_1 "), ["backend_id must not", "white space"]),
    ("backend that is a dict", TCP, dict(backend_id={"id": "x"}), ["backend_id must be a string, not a dict"]),
    ("no policies", IPS, dict(ip_policy_ids=UNSET), ["ip_policy_ids is required"]),
    ("policies as blank text", IPS, dict(ip_policy_ids=""), ["ip_policy_ids[0] must not be blank"]),
    ("blank policy", IPS, dict(ip_policy_ids=["ipp_1", ""]), ["ip_policy_ids[1] must not be blank"]),
    ("null policy", IPS, dict(ip_policy_ids=["ipp_1", None]), ["ip_policy_ids[1] must be a string, not null"]),
    ("policy that is a number", IPS, dict(ip_policy_ids=["ipp_1", 7]), ["ip_policy_ids[1] must be a string"]),
    ("policy that is a boolean", IPS, dict(ip_policy_ids=[True]), ["ip_policy_ids[0] must be a string, not a bool"]),
    ("policy that is a dict", IPS, dict(ip_policy_ids=[{"id": "ipp_1"}]), ["ip_policy_ids[0] must be a string"]),
    ("policy with a tab", IPS, dict(ip_policy_ids=["a\tb"]), ["ip_policy_ids[0] must not", "white space"]),
    ("policies as a dict", IPS, dict(ip_policy_ids={"a": 1}), ["ip_policy_ids must be a list of strings, not a dict"]),
    ("policies as a number", IPS, dict(ip_policy_ids=5), ["ip_policy_ids must be a list of strings, not a number"]),
    (
        "policy left out by omit",
        IPS,
        dict(ip_policy_ids=["ipp_1", "__omit_place_holder__8f3a1c"]),
        ["ip_policy_ids[1]", "omit"],
    ),
    # TLS.
    ("no terminate_at", TLS, dict(terminate_at=UNSET), ["terminate_at is required"]),
    ("terminate_at elsewhere", TLS, dict(terminate_at="middle"), ["terminate_at", "edge, upstream", "middle"]),
    ("version that is none", TLS, dict(min_version="TLS1.2"), ["min_version must be a dotted number", "TLS1.2"]),
    ("version without dot", TLS, dict(min_version=1), ["min_version must be a dotted number"]),
    ("blank version", TLS, dict(min_version=""), ["min_version must be a dotted number"]),
    ("version in other digits", TLS, dict(min_version="١.٢"), ["min_version must be a dotted number"]),
    ("version with a line break", TLS, dict(min_version="1.2\n"), ["min_version must be a dotted number"]),
    ("version upstream", TLS, dict(terminate_at="upstream"), ["min_version must be left out", "upstream"]),
    # The policy as a whole.
    ("no value", RTP, dict(value=UNSET), ["value is required"]),
    ("null value", RTP, dict(value=None), ["value is required"]),
    ("value under both names", RTP, dict(policy={}), ["value is given twice", "policy"]),
    ("blank value", RTP, _value(" \n"), ["value must not be blank"]),
    ("null as text", RTP, _value("null"), ["value must be a JSON object", "null"]),
    ("number", RTP, _value(7), ["value must be a JSON object", "a number"]),
    ("boolean", RTP, _value(True), ["value must be a JSON object", "a boolean"]),
    ("list", RTP, _value([]), ["value must be a JSON object", "a list"]),
    ("list as text", RTP, _value("[]"), ["value must be a JSON object", "a list"]),
    ("not JSON", RTP, _value("{nope"), ["value is not valid JSON", "line 1"]),
    (
        "encoded twice",
        RTP,
        _value(json.dumps(json.dumps({"inbound": []}))),
        ["value is still a string after decoding", "twice"],
    ),
    ("Python-style dict", RTP, _value("{'inbound': [], 'outbound': None}"), ["value is not valid JSON", "Python dict"]),
    ("byte order mark", RTP, _value("\ufeff{}"), ["value is not valid JSON", "BOM"]),
    ("repeated key", RTP, _value('{"inbound":[{"name":"a","name":"b"}]}'), ["value.inbound[0]", '"name" twice']),
    ("NaN", RTP, _value('{"x": NaN}'), ["value.x is not a finite number"]),
    ("infinite number", RTP, _value({"x": [1, float("inf")]}), ["value.x[1] is not a finite number"]),
    ("overflowing number", RTP, _value('{"x": 1e400}'), ["value.x is not a finite number"]),
    ("endless number", RTP, _value('{"x": %s}' % ("9" * 5000)), ["value contains a number with too many digits"]),
    ("nested 100,000 deep", RTP, _value(DEEP), ["value is nested more than 100 levels deep"]),
    ("lists nested deep", RTP, _value('{"a":' + "[" * 900 + "]" * 900 + "}"), ["value is nested more than 100"]),
    ("structure nested deep", RTP, _value(_nested(150)), ["value is nested more than 100 levels deep"]),
    ("half a pair", RTP, _value('{"x": ["\\ud800"]}'), ["value.x[0] contains half a surrogate pair"]),
    # The policy's shape.
    ("inbound no list", RTP, _value({"inbound": {}}), ["value.inbound must be a list, not a dict"]),
    ("outbound null", RTP, _value({"outbound": None}), ["value.outbound must be a list, not null"]),
    ("rule no object", RTP, _value({"outbound": [{}, "x"]}), ["value.outbound[1] must be a dict, not a string"]),
    (
        "rule name no string",
        RTP,
        _value(_rule(name=3)),
        ["value.inbound[2].name must be a string, not a number: quote it"],
    ),
    ("expressions no list", RTP, _value(_rule(expressions="x")), ["value.inbound[2].expressions must be a list"]),
    ("expression no string", RTP, _value(_rule(expressions=["x", 1])), ["inbound[2].expressions[1] must be a string"]),
    ("actions no list", RTP, _value(_rule(actions={})), ["value.inbound[2].actions must be a list"]),
    ("action no object", RTP, _value(_rule(actions=["deny"])), ["value.inbound[2].actions[0] must be a dict"]),
    (
        "action type no string",
        RTP,
        _value(_rule(actions=[{"type": 1}])),
        ["value.inbound[2].actions[0].type must be a string, not a number: quote it"],
    ),
    ("config no object", RTP, _value(_rule(actions=[{"config": []}])), ["inbound[2].actions[0].config must be a dict"]),
    ("shape as text", RTP, _value('{"inbound":[{"actions":[{"type":true}]}]}'), ["inbound[0].actions[0].type must be"]),
    # Header names.
    ("names alike", RTH, dict(add={"X-A": "1", "x-a": "2"}), ["add contains both X-A and x-a"]),
    ("added and removed", RTH, dict(add={"X-A": "1"}, remove=["x-a"]), ["add names X-A, and so does remove"]),
    ("name that is none", RTH, dict(add={"X A": "1"}), ["add.X A must be the name of an HTTP header"]),
    ("blank name", RTH, dict(add={"": "1"}), ["add must not be blank"]),
    ("name with a line break", RTH, dict(add={"X\r\nY": "1"}), ["must be the name of an HTTP header", "\\r\\n"]),
    ("name beyond ASCII", RTH, dict(add={"Grüße": "1"}), ["add.Grüße must be the name of an HTTP header"]),
    ("removed name that is none", RTH, dict(remove=["X-A", "a:b"]), ["remove[1] must be the name of an HTTP header"]),
    ("blank removed name", RTH, dict(remove=["X-A", " "]), ["remove[1] must not be blank"]),
    ("null removed name", RTH, dict(remove=[None]), ["remove[0] must be a string, not null"]),
    (
        "a line in secret_headers",
        RTH,
        dict(secret_headers="a, X-A: b"),
        ['secret_headers[1] must be the name of an HTTP header, not "X-A:..."'],
    ),
    ("blank secret_headers", RTH, dict(secret_headers=["a", ""]), ["secret_headers[1] must not be blank"]),
    # Header values.
    ("yes", RTH, dict(add={"X-A": True}), ["add.X-A must be a string or a whole number", "boolean", "quote"]),
    ("1.10", RTH, dict(add={"X-A": 1.10}), ["add.X-A must be a string or a whole number", "fraction", "quote"]),
    ("null", RTH, dict(add={"X-A": None}), ["add.X-A must be a string or a whole number, not null"]),
    ("list of values", RTH, dict(add={"X-A": ["a"]}), ["add.X-A must be a string or a whole number, not a list"]),
    ("dict of values", RTH, dict(add={"X-A": {"b": 1}}), ["add.X-A must be a string or a whole number, not a dict"]),
    ("line break", RTH, dict(add={"X-A": "a\r\nX-B: c"}), ["add.X-A contains a line break or control character"]),
    ("trailing line break", RTH, dict(add={"X-A": "a\n"}), ["add.X-A contains a line break or control character"]),
    ("delete character", RTH, dict(add={"X-A": "a\x7f"}), ["add.X-A contains a line break or control char"]),
    ("C1 control character", RTH, dict(add={"X-A": "a\x85"}), ["add.X-A contains a line break or control character"]),
    ("beyond Latin-1", RTH, dict(add={"X-A": "日本"}), ["add.X-A contains a character beyond Latin-1"]),
    ("mark of a diff", RTH, dict(add={"Cookie": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER (changed)"}), ["add.Cookie"]),
    ("add as a list", RTH, dict(add=["X-A: 1"]), ["add must be a dict, not a list"]),
    ("add as text that is none", RTH, dict(add="nonsense"), ["add must be a dict, not a string"]),
    ("remove as a dict", RTH, dict(remove={"X-A": 1}), ["remove must be a list of strings, not a dict"]),
    # What every edge module has.
    ("state", TCP, dict(state="gone"), ["state", "present, absent", "gone"]),
    ("enabled", TCP, dict(enabled="perhaps"), ["enabled", "perhaps"]),
    ("unknown option", TCP, dict(backend="bkdtg_1"), ["backend is not supported", "backend_id"]),
    ("option of another module", IPS, dict(backend_id="bkdtg_1"), ["backend_id is not supported"]),
    ("route of a TCP edge", TCP, dict(route_id="edghtsrt_1"), ["route_id is not supported"]),
    # The connection.
    ("no key", TCP, dict(api_key=UNSET), ["api_key is required", "EDGE_API_KEY"]),
    ("null key", TCP, dict(api_key=None), ["api_key is required", "EDGE_API_KEY"]),
    ("blank key", TCP, dict(api_key="\n"), ["api_key is required", "EDGE_API_KEY"]),
    ("key with a line break", TCP, dict(api_key="hush\nhush"), ["api_key contains a control character"]),
    ("key with a NUL", TCP, dict(api_key="hush\0hush"), ["api_key contains a control character"]),
    ("key beyond Latin-1", TCP, dict(api_key="hush→hush"), ["api_key contains", "no HTTP header can carry"]),
    ("key that is a list", TCP, dict(api_key=["hush"]), ["api_key must be a string, not a list"]),
    ("no URL", TCP, dict(base_url=UNSET), ["base_url is required", "EDGE_API_BASE_URL"]),
    ("blank URL", TCP, dict(base_url=" "), ["base_url is required", "EDGE_API_BASE_URL"]),
    ("URL without scheme", TCP, dict(base_url="api.example.com"), ["base_url must be a URL with a scheme"]),
    ("URL with a port for a scheme", TCP, dict(base_url="localhost:8080"), ["base_url must be a URL with a scheme"]),
    ("URL of another scheme", TCP, dict(base_url="ftp://api.example.com"), ["base_url must be a URL with a scheme"]),
    ("file URL", TCP, dict(base_url="file:///etc/passwd"), ["base_url must be a URL with a scheme"]),
    ("URL without host", TCP, dict(base_url="https:///v1"), ["base_url must be a URL with a scheme and a host"]),
    ("URL with a line break", TCP, dict(base_url="https://a.example\r\nX: y"), ["base_url is not a valid URL"]),
    ("URL with a bad port", TCP, dict(base_url="https://a.example:http"), ["base_url is not a valid URL"]),
    ("URL with half an address", TCP, dict(base_url="https://[::1"), ["base_url is not a valid URL"]),
    ("URL with a query", TCP, dict(base_url="https://a.example/?x=1"), ["base_url must not contain a query"]),
    ("URL with a fragment", TCP, dict(base_url="https://a.example/#"), ["base_url must not contain a query or a frag"]),
    ("URL with a password", TCP, dict(base_url="https://u:hush@a.example"), ["base_url must not contain a user name"]),
    (
        "URL beyond ASCII",
        TCP,
        dict(base_url="https://bücher.example"),
        ["base_url must have a host name in ASCII"],
    ),
    ("plain http", TCP, dict(base_url="http://api.example.com"), ["base_url is plain http to api.example.com"]),
    ("plain http, short address", TCP, dict(base_url="http://127.1"), ["base_url is plain http to 127.1"]),
    ("plain http, alike name", TCP, dict(base_url="http://localhost.evil.example"), ["base_url is plain http"]),
    (
        "plain http, hidden host",
        TCP,
        dict(base_url="http://localhost@evil.example"),
        ["base_url must not contain a user"],
    ),
    ("plain http, backslash", TCP, dict(base_url="http://localhost\\.evil.example"), ["base_url is not a valid URL"]),
    ("no timeout", TCP, dict(timeout=0), ["timeout must be from 1"]),
    ("short timeout", TCP, dict(timeout=0.5), ["timeout must be from 1"]),
    ("negative timeout", TCP, dict(timeout=-1), ["timeout must be from 1"]),
    ("timeout that is no number", TCP, dict(timeout="soon"), ['timeout must be a number, not "soon"']),
    ("timeout true", TCP, dict(timeout=True), ["timeout must be a number, not a boolean"]),
    ("retries false", TCP, dict(retries=False), ["retries must be a whole number, not a boolean"]),
    ("timeout NaN", TCP, dict(timeout="nan"), ["timeout must be from 1"]),
    ("timeout without end", TCP, dict(timeout=float("inf")), ["timeout must be from 1"]),
    ("timeout beyond float", TCP, dict(timeout=10**400), ["timeout"]),
    ("negative retries", TCP, dict(retries=-1), ["retries must be from 0"]),
    ("half a retry", TCP, dict(retries=1.5), ["retries must be a whole number, not 1.5"]),
    ("retries without end", TCP, dict(retries=float("inf")), ["retries"]),
    ("too many retries", TCP, dict(retries=10**30), ["retries must be from 0"]),
    ("negative wait", TCP, dict(retry_max_wait=-0.1), ["retry_max_wait must be from 0"]),
    ("missing CA file", TCP, dict(ca_path="/nonexistent/ca.pem"), ["ca_path: /nonexistent/ca.pem does not exist"]),
    (
        "missing certificate",
        TCP,
        dict(client_cert="/nonexistent/c.pem"),
        ["client_cert: /nonexistent/c.pem does not exist"],
    ),
    ("key without certificate", TCP, dict(client_key="/etc/hostname"), ["client_key needs client_cert"]),
    (
        "version header that is none",
        TCP,
        dict(version_header="Service Version"),
        ["version_header must be the name of an HTTP header"],
    ),
    ("version header with a meaning", TCP, dict(version_header="authorization"), ["version_header must not be"]),
    ("API version with a line break", TCP, dict(api_version="2\r\nX: y"), ["api_version must be a string"]),
    ("API version beyond Latin-1", TCP, dict(api_version="二"), ["api_version must be a string"]),
    ("control character", TCP, dict(validate_certs="\x1b[31m"), ["validate_certs", "\\u001b"]),
    ("validate_certs", TCP, dict(validate_certs="sometimes"), ["validate_certs", "sometimes"]),
]


def test_table_is_whole():
    titles = [title for title, *dummy in BAD]
    assert len(set(titles)) == len(titles) >= 39


@pytest.mark.parametrize("name, changes, told", [pytest.param(*case, id=title) for title, *case in BAD])
def test_refused_before_anything_is_sent(sim, run, name, changes, told):
    options = _options(name, changes)
    if changes.keys() & {"api_key", "base_url"}:
        options = {"api_key": sim.api_key, "base_url": sim.base_url, **options}
        options.update((key, None) for key, value in changes.items() if value is UNSET)
    result = run(name, options)
    assert result.failed and not result.changed
    for part in told:
        assert part in result.msg
    assert sim.log == []
    assert "Traceback" not in result.text
    assert "hush" not in result.msg and result.msg.isprintable() and len(result.msg) < 1000
    result.msg.encode()
    if "api_key" in changes:
        assert "hush" not in result.text


@pytest.mark.parametrize(
    "name, changes, told",
    [
        (TCP, dict(edge_id="edgtcp_\ud800"), "edge_id may contain letters"),
        (RTP, dict(value={"a": {"\udc00": 1}}), "half a surrogate pair"),
        (RTH, dict(add={"X-A": "\ud83d"}), "add.X-A contains a character beyond Latin-1"),
    ],
)
def test_half_a_surrogate_pair(sim, way, run, name, changes, told):
    """Since ansible-core 2.19 it never gets as far as the module: our action plugin says so."""
    since_2_19 = hasattr(module_json, "get_module_encoder")
    if since_2_19 and way == "module":
        pytest.skip("what is no Unicode cannot be handed to a module")
    result = run(name, _options(name, changes))
    assert result.failed and ("half a surrogate pair" if since_2_19 else told) in result.msg
    result.msg.encode()
    assert sim.log == []


def test_every_fault_is_named_at_once(sim, run):
    """One run tells all that is wrong, whatever finds it."""
    result = run(RTP, dict(edge_id="..", route_id="", value={"inbound": 1, "outbound": [2]}, timeout=0, retries=-1))
    for part in ("edge_id", "route_id", "value.inbound", "value.outbound[0]", "timeout", "retries"):
        assert part in result.msg
    result = run(RTP, dict(edge_id="edghts_1", vaule={}, timeout="x"))
    for part in ("vaule is not supported", "route_id is required", "value is required", "timeout"):
        assert part in result.msg
    assert sim.log == []


def test_many_faults_are_counted(sim, run):
    result = run(IPS, _options(IPS, dict(ip_policy_ids=[""] * 1000)))
    assert result.failed and "ip_policy_ids[0]" in result.msg and "and 980 more" in result.msg
    assert sim.log == []


# What must work.


@pytest.mark.parametrize("key", ["%s\n", " %s\t", "%s\r\n"])
def test_white_space_around_the_key(sim, run, key):
    result = run(TCP, _options(TCP, dict(api_key=key % sim.api_key)))
    assert result.changed and len(sim.writes) == 1
    assert sim.api_key not in result.text


@pytest.mark.parametrize("given", [None, "", " \n", UNSET], ids=["null", "empty", "blank", "left out"])
def test_key_and_url_of_the_environment(sim, way, given):
    options = _options(TCP, {"retry_max_wait": 0, "api_key": given, "base_url": given})
    env = {"EDGE_API_KEY": sim.api_key + "\n", "EDGE_API_BASE_URL": sim.base_url + "/"}
    result = harness.run(way, TCP, options, env=env)
    assert result.changed and not result.failed
    assert sim.api_key not in result.text


def test_option_wins_over_the_environment(sim, run):
    env = {"EDGE_API_KEY": "another", "EDGE_API_BASE_URL": "https://nowhere.invalid", "EDGE_API_VERSION": "9"}
    assert run(TCP, _options(TCP, dict(api_version="2")), env=env).changed


@pytest.mark.parametrize("given", [None, ""], ids=["null", "blank"])
def test_blank_version_options_count_as_left_out(sim, run, given):
    changes = dict(api_version=given, version_header=given, ca_path=given, client_cert=given, client_key=given)
    assert run(TCP, _options(TCP, changes)).changed


BLANK = [
    (TCP, dict(enabled="", timeout="", retries=" ", use_proxy="", retry_max_wait="")),
    (RTH, dict(add="", remove=["X-B"])),
    ("edge_modules", dict(tcp_edges="", concurrency="", purge="", tls_edges=[dict(id="edgtls_1", ip_restriction="")])),
    ("edge_modules", dict(https_edges=[dict(id="edghts_1", routes="")])),
]


@pytest.mark.parametrize("name, changes", BLANK, ids=[str(changes) for dummy, changes in BLANK])
def test_blank_counts_as_null_where_it_can_mean_nothing_else(run, name, changes):
    """Up to ansible-core 2.18 a template of null gives blank text; since 2.19 null. The outcome is the same."""
    options = changes if name == "edge_modules" else _options(name, changes)
    nulls = json.loads(re.sub(r'" ?"', "null", json.dumps(options)))
    blank, null = (run(name, one, check=True) for one in (options, nulls))
    assert not blank.failed, blank.msg
    assert {**blank.data, "invocation": 0} == {**null.data, "invocation": 0}


def test_validate_certs_false_wins_over_a_ca_path_that_is_not_there(sim, run):
    assert run(TCP, _options(TCP, dict(validate_certs=False, ca_path="/nonexistent.pem"))).changed


def test_blank_environment_counts_as_not_set(sim, run):
    env = {"EDGE_API_VERSION": "", "EDGE_API_VERSION_HEADER": " ", "EDGE_API_CA_PATH": ""}
    assert run(TCP, _options(TCP, {}), env=env).changed


def test_branded_version_header(sim, run):
    sim.configure(version_header="Brand-Version", api_version="7")
    assert run(TCP, _options(TCP, dict(version_header="Brand-Version", api_version=7))).changed
    assert sim.log[0].headers["Brand-Version"] == "7"


@pytest.mark.parametrize("path", ["", "/", "/api/v1", "/api/v1/"])
def test_base_url_with_a_path(sim, run, path):
    sim.configure(base_path=path)
    assert run(TCP, _options(TCP, dict(base_url=sim.root_url + path))).changed


@pytest.mark.parametrize("name", [TCP, IPS, TLS, RTP, RTH])
def test_null_options_are_left_out(sim, run, name):
    nulls = dict.fromkeys(("state", "enabled", "timeout", "retries", "validate_certs", "use_proxy", "ca_path"))
    if name == RTH:
        nulls.update(secret_headers=None)
    result = run(name, _options(name, nulls))
    assert result.changed and not result.failed
    assert list(sim.resources.values())[0]["enabled"] is True


def test_null_fields_keep_what_the_service_holds(sim, run):
    sim.put(HEADERS, dict(add={"X-A": "1"}, remove=["X-B"]))
    assert run(RTH, dict(ROUTE_IDS, add=None, remove=["X-C"])).changed
    assert sim.resources[HEADERS]["add"] == {"X-A": "1"}
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.3"))
    assert run(TLS, dict(edge_id="edgtls_1", terminate_at="edge", min_version=None, enabled=False)).changed
    assert sim.resources[TERMINATION]["min_version"] == "1.3"


def test_other_options_mean_nothing_when_absent(sim, run):
    sim.put(POLICY, dict(value="{}"))
    result = run(RTP, dict(ROUTE_IDS, state="absent", value="{nope", enabled="perhaps"))
    assert result.operation == "delete" and sim.resources == {}


def test_policy_of_5_mb(sim, run):
    rule = {"name": "n" * 2000, "expressions": ["req.method == 'GET'"] * 10, "actions": []}
    document = {"inbound": [dict(rule, number=number) for number in range(2200)], "outbound": []}
    text = json.dumps(document)
    assert len(text) > 5_000_000
    result = run(RTP, dict(ROUTE_IDS, value=text), diff=False)
    assert result.changed and json.loads(sim.resources[POLICY]["value"]) == document
    assert not run(RTP, dict(ROUTE_IDS, value=document), diff=False).changed


def test_numbers_beyond_64_bits(sim, run):
    document = {"a": 2**64 + 1, "b": -(2**70), "c": 0.1, "d": 10**100}
    assert run(RTP, dict(ROUTE_IDS, value=document)).changed
    assert json.loads(sim.resources[POLICY]["value"]) == document
    assert not run(RTP, dict(ROUTE_IDS, value=json.dumps(document))).changed
    assert run(RTP, dict(ROUTE_IDS, value=dict(document, a=2**64 + 2))).changed


def test_what_the_policy_page_does_not_show_passes(sim, run):
    document = {"on_http": 1, "inbound": [{"name": "a", "extra": None, "actions": [{"type": "new", "config": {}}]}]}
    assert run(RTP, dict(ROUTE_IDS, value=document)).changed
    assert json.loads(sim.resources[POLICY]["value"]) == document


@pytest.mark.parametrize("depth", [99, 100])
def test_policy_as_deep_as_allowed(sim, run, depth):
    result = run(RTP, dict(ROUTE_IDS, value=_nested(depth)))
    assert result.changed, result.data


@pytest.mark.parametrize("form", ["dict", "text", "indented text", "text with white space around"])
def test_policy_in_every_form(sim, run, form):
    document = {"inbound": [{"name": "é"}], "outbound": []}
    given = {
        "dict": document,
        "text": json.dumps(document),
        "indented text": json.dumps(document, indent=4, ensure_ascii=False),
        "text with white space around": "\n  %s\n" % json.dumps(document),
    }[form]
    assert run(RTP, dict(ROUTE_IDS, value=given)).changed
    assert sim.resources[POLICY]["value"] == '{"inbound":[{"name":"é"}],"outbound":[]}'
    assert not run(RTP, dict(ROUTE_IDS, policy=given)).changed


def test_whole_numbers_become_text(sim, run):
    add = {"X-A": 3, "X-B": -1, "X-C": 0o755, "X-D": 2**70, "X-E": "yes", "X-F": "", "X-G": "é"}
    assert run(RTH, dict(ROUTE_IDS, add=add)).changed
    assert sim.resources[HEADERS]["add"] == {
        "X-A": "3", "X-B": "-1", "X-C": "493", "X-D": str(2**70), "X-E": "yes", "X-F": "", "X-G": "é"
    }  # fmt: skip
    assert not run(RTH, dict(ROUTE_IDS, add={name: str(value) for name, value in add.items()})).changed


def test_add_as_text(sim, run):
    assert run(RTH, dict(ROUTE_IDS, add='{"X-A": "1"}')).changed
    assert run(RTH, dict(ROUTE_IDS, add="X-A=1")).changed is False


def test_ids_as_text(sim, run):
    assert run(IPS, dict(edge_id="edgtls_1", ip_policy_ids="ipp_1,ipp_2")).changed
    assert sim.resources[RESTRICTION]["ip_policy_ids"] == ["ipp_1", "ipp_2"]


def test_unquoted_version(sim, run):
    assert run(TLS, dict(edge_id="edgtls_1", terminate_at="edge", min_version=1.2)).changed
    assert sim.resources[TERMINATION]["min_version"] == "1.2"


@pytest.mark.parametrize("edge_id", ["e", "0", "edge-1.2~x_Y", "EDGTLS_1", "xedgtls_1", "x" * 500])
def test_other_ids_are_opaque(sim, run, edge_id):
    assert run(TCP, dict(edge_id=edge_id, backend_id="of/any:shape?→")).changed
    assert sim.resources[BACKEND.replace("edgtcp_1", edge_id)]["backend_id"] == "of/any:shape?→"


def test_requests_is_missing(sim, monkeypatch):
    """Where a module runs without requests it says so; in the worker it would not even be tried."""
    from ansible_collections.edgeops.edges.plugins.module_utils import _module

    monkeypatch.setattr(_module, "REQUESTS_IMPORT_ERROR", "No module named 'requests'")
    result = harness.run("module", TCP, {**harness.connection_options(sim), **_options(TCP, {})})
    assert result.failed and "Failed to import the required Python library (requests)" in result.msg
    assert sim.log == [] and sim.api_key not in result.text


def test_everything_can_be_imported_without_requests():
    """As ansible-doc and a remote machine need it."""
    paths = [os.environ["ANSIBLE_COLLECTIONS_PATH"], *sys.path]
    code = "import sys, importlib; sys.modules['requests'] = None; sys.path[:0] = %r\n" % paths
    code += "".join("importlib.import_module('%s.modules.%s')\n" % (harness.PLUGINS, name) for name in facts.MODULES)
    code += "from %s.module_utils import _http; print(_http.REQUESTS_IMPORT_ERROR)" % harness.PLUGINS
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "import of requests halted" in done.stdout


@pytest.mark.parametrize("value", ["", "not json", "[]", json.dumps("{}"), "{'a': 1}", True, 1, [], {"inbound": {}}])
def test_nothing_is_sent_for_a_policy_that_is_refused(sim, run, value):
    result = run("https_edge_route_traffic_policy", dict(edge_id="edghts_1", route_id="edghtsrt_1", value=value))
    assert result.failed
    assert "value" in result.msg
    assert sim.log == []
