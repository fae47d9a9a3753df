# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The key, and header values that are secret by name, stand in nothing that a task gives out."""

from __future__ import annotations

import html
import json
import re
import urllib.parse

import harness
import pytest
from ansible.module_utils import basic
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames
from harness.samples import HEADERS, POLICY, ROUTE_IDS, sample_of
from simulator import Simulator

RTH = "https_edge_route_request_headers"
TCP = "tcp_edge_backend"
SHOW = {"ANSIBLE_INJECT_INVOCATION": "1"}

# Each holds what JSON, URLs and HTML escape.
KEY = 'key-"\\/<&>+ é-0815'
OLD = 'Basic 0ld-"\\/<&>+ é-s3cret'
NEW = 'Basic n3w-"\\/<&>+ é-s3cret'
FORMS = {
    "raw": lambda text: text,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON with slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON not ASCII": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON for HTML": lambda text: json.dumps(text)[1:-1]
    .replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
    "URL": urllib.parse.quote,
    "URL, all": lambda text: urllib.parse.quote(text, safe=""),
    "URL, form": urllib.parse.quote_plus,
    "URL, Latin-1": lambda text: urllib.parse.quote(text, safe="", encoding="latin-1"),
    "HTML": html.escape,
    "HTML, numbered": lambda text: html.escape(text).replace("&quot;", "&#34;"),
    "HTML, text": lambda text: html.escape(text, quote=False),
    "HTML, all numbered": lambda text: "".join("&#%d;" % ord(char) for char in text),
    "HTML, in hexadecimal": lambda text: re.sub("[^a-z0-9 ]", lambda match: "&#x%X;" % ord(match.group()), text),
    "HTML, a slash": lambda text: html.escape(text).replace("/", "&#x2F;"),
    "HTML, a plus": lambda text: html.escape(text).replace("+", "&#43;"),
    "JavaScript": lambda text: re.sub("[^a-z0-9 ]", lambda match: "\\u%04X" % ord(match.group()), text),
    "JavaScript, two digits": lambda text: re.sub("[^a-z0-9 ]", lambda match: "\\x%02x" % ord(match.group()), text),
    "URL, every character": lambda text: "".join("%%%02X" % code for code in text.encode()),
    "URL, every character, Latin-1": lambda text: "".join("%%%02x" % code for code in text.encode("latin-1")),
    "URL, twice": lambda text: urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""),
    "URL in HTML": lambda text: urllib.parse.quote(text, safe="").replace("%", "&#37;"),
}  # fmt: skip


@pytest.fixture(scope="module")
def one_simulator():
    with Simulator(api_key=KEY) as simulator:
        yield simulator


def _texts(node):
    """Every text in a result, keys included."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)
    elif isinstance(node, str):
        yield node


def assert_hidden(result, *secrets):
    """No secret, in no form, in no place; and where options are shown they are there, masked."""
    for secret in secrets:
        for form in FORMS.values():
            assert form(secret) not in result.text
            for text in _texts(result.data):
                assert form(secret) not in text


def _headers(**more):
    return dict(ROUTE_IDS, **more)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        dict(add={"Authorization": NEW, "X-Plain": "1"}),
        dict(add={"Authorization": OLD, "X-Plain": "1"}, remove=[]),
        dict(add={"X-Plain": "2"}),
        dict(add={}),
        dict(add={"authorization": MASK}),
        dict(remove=["X-Other"]),
        dict(enabled=False),
        dict(state="absent"),
        dict(state="absent", add={"Authorization": NEW}),
    ],
)
def test_success_shows_no_secret(sim, run, options, check):
    """Neither the values that the task gives, nor those that the service holds."""
    sim.put(HEADERS, dict(add={"Authorization": OLD, "X-Plain": "1"}))
    result = run(RTH, _headers(**options), check=check, env=SHOW)
    assert not result.failed
    shown = result.invocation["module_args"]
    assert shown["api_key"] == MASK and shown["edge_id"] == "edghts_1"
    if options.get("state") != "absent" and "Authorization" in options.get("add", {}):
        assert shown["add"] == {"Authorization": MASK, "X-Plain": "1"}
    assert_hidden(result, KEY, OLD, NEW)


@pytest.mark.parametrize("module", [RTH, "edge_modules"])
def test_a_service_that_uses_a_secret_as_a_name(run, sim, module):
    """Of a field that nobody has told about, and of a header: names are no values, but the key is shown nowhere."""
    answer = dict(
        enabled=True, add={"Authorization": NEW, "X-" + KEY: "1"}, remove=[], more={NEW: 1, KEY: {KEY: [KEY]}}
    )
    sim.add_fault(method="PUT", status=200, body=answer)
    options = _headers(add={"Authorization": NEW})
    if module == "edge_modules":
        route = dict(id="edghtsrt_1", request_headers=dict(add={"Authorization": NEW}))
        options = dict(https_edges=[dict(id="edghts_1", routes=[route])])
    result = run(module, options, env=SHOW)
    assert not result.failed and result.changed
    config = result.config if module == RTH else result.results[0]["config"]
    assert "X-" + MASK in config["add"] and set(config["more"]) == {"********", MASK}
    assert_hidden(result, KEY, NEW)


HELD = {
    "YAML": "inbound:\n  - headers:\n      Authorization: Bearer he1d-s3cret\n",
    "JavaScript": "{headers: {Authorization: 'Bearer he1d-s3cret'}}",
    "an escaped name": '{"headers": {"Authoriz\\u0061tion": "Bearer he1d-s3cret"},}',
}


@pytest.mark.parametrize("text", HELD.values(), ids=list(HELD))
def test_a_policy_that_the_service_holds_and_nobody_can_read(sim, run, text):
    sim.put(POLICY, dict(value=text))
    result = run("https_edge_route_traffic_policy", dict(ROUTE_IDS, value={"inbound": []}), check=True)
    assert result.changed and MASK in result.diff["before"] and "s3cret" not in result.text
    result = run("edge_modules_info", dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])]))
    assert MASK in result.https_edges[0]["routes"][0]["traffic_policy"]["value"] and "s3cret" not in result.text


def test_what_is_not_secret_is_shown(sim, run):
    result = run(RTH, _headers(add={"X-Plain": "plain", "Cookie": NEW}), env=SHOW)
    assert result.config["add"] == {"X-Plain": "plain", "Cookie": MASK}
    assert '"X-Plain": "plain"' in result.diff["after"] and '"Cookie": "%s"' % MASK in result.diff["after"]
    assert result.invocation["module_args"]["add"] == {"X-Plain": "plain", "Cookie": MASK}


NAMES = [
    "Authorization",
    "X-AUTH",
    "Proxy-Authorization",
    "cookie",
    "Set-Cookie2",
    "X_Access_Token",
    "Client-Secret",
    "X-Passw0rd-Password",
    "x-api-key",
    "X_API_KEY",
    "X-ApiKey",
    "Aws_Access_Key_Id",
    "X-Credential-Scope",
    "X-SESSION-ID",
    "Signature-Input",
]


@pytest.mark.parametrize("name", NAMES)
def test_secret_by_name(sim, run, name):
    result = run(RTH, _headers(add={name: NEW}), env=SHOW)
    assert result.changed and result.config["add"] == {name: MASK}
    assert sim.resources[HEADERS]["add"] == {name: NEW}
    assert_hidden(result, NEW)


def test_not_secret_by_name():
    for name in ("X-Zone", "Host", "Accept", "X-Keys", "X-Api", "Access-Control-Allow-Origin", ""):
        assert name not in SecretNames()


@pytest.mark.parametrize("named", [["X-Mine"], ["x_MINE"], [" X-Mine "], "X-Other,X-Mine", "X-Other, X-Mine"], ids=str)
def test_secret_because_named(sim, run, named):
    sim.put(HEADERS, dict(add={"x-mine": OLD}))
    result = run(RTH, _headers(add={"X-Mine": NEW}, secret_headers=named), env=SHOW)
    assert result.changed and result.config["add"] == {"X-Mine": MASK}
    assert_hidden(result, OLD, NEW)


# When the options are wrong.


@pytest.mark.parametrize(
    "options",
    [
        dict(add={"Authorization": NEW}, timeout="soon"),
        dict(add={"Authorization": NEW + "\n"}),
        dict(add={"Authorization": [NEW]}),
        dict(add={"Authorization": {"value": NEW}}),
        dict(add={"Authorization": NEW, "authorization": NEW}),
        dict(add={"Authorization": NEW}, remove=["authorization"]),
        dict(add=[{"Authorization": NEW}]),
        dict(add=["Authorization: " + NEW]),
        dict(add='{"Authorization": "%s"' % NEW),
        dict(add="Authorization=%s" % NEW),
        dict(add="Authorization: %s" % NEW),
        dict(add='{"Authorization": "x%s"}' % json.dumps(NEW)[1:-1], edge_id="."),
        dict(ad={"Authorization": NEW}),
        dict(headers={"add": {"Authorization": NEW}}),
        dict(add={"add": {"Authorization": NEW}}),
        dict(request_headers={"add": {"Authorization": NEW}}),
        dict(Authorization=NEW),
        dict(token=NEW),
        dict(api_kye=NEW),
        dict(api_key=[NEW]),
        dict(api_key={"key": NEW}),
        dict(api_key=NEW + "\nx"),
        dict(add={"X-Mine": NEW}, secret_headers="X-Mine", timeout="soon"),
        dict(add={"X-Mine": NEW}, secret_headers="X-Other, X-Mine", edge_id=None),
        dict(add={"X-Mine": NEW}, secret_headers=["X-Mine", ""]),
        dict(add={"X-Mine": NEW}, secret_headers=["X-Mine", None]),
        dict(add={"X-Mine": NEW}, secret_headers={"X-Mine": True}),
        dict(add={"X-Mine": NEW}, secret_headers=7),
        dict(secret_headers=["X-Mine", 7], add={"X-Mine": NEW}),
    ],
    ids=lambda options: json.dumps(options).replace(json.dumps(NEW)[1:-1], "...").replace("\\", ""),
)
def test_refused_options_are_masked(sim, run, options):
    result = run(RTH, _headers(**options), env=SHOW)
    assert result.failed and sim.log == []
    assert "invocation" in result.data
    assert_hidden(result, KEY, NEW)


@pytest.mark.parametrize("where", ["edge_id", "state", "timeout", "base_url", "version_header", "ca_path", "enabled"])
def test_key_in_the_wrong_place(sim, run, where):
    """It is shown nowhere where it stands in its own place as well."""
    result = run(TCP, {**sample_of(TCP).options(sample_of(TCP).a), where: KEY}, env=SHOW)
    assert result.failed
    assert_hidden(result, KEY)


@pytest.mark.parametrize(
    "options",
    [
        dict(add={"Authorization: Bearer s3cret-0815": "x"}),
        dict(add={"Authorization=s3cret-0815": "x", "authorization=s3cret-0815": True}),
        dict(remove=["Authorization: Bearer s3cret-0815"]),
        dict(remove="X-A,Authorization: Bearer s3cret-0815"),
        dict(secret_headers=["X-A", "X-Inner: s3cret-0815"]),
        dict(secret_headers="X-A, X-Inner: s3cret-0815"),
        dict(secret_headers="X-Inner=s3cret-0815", state="absent"),
        dict(secret_headers=[{"X-Inner": "s3cret-0815"}]),
        dict(secret_keys=["note: s3cret-0815", 7]),
        dict(secret_keys="note=s3cret-0815", timeout="soon"),
        dict(remove=["X-A", {"Authorization": "Bearer s3cret-0815"}]),
        dict(remove={"Authorization": "Bearer s3cret-0815"}),
        dict(base_url="https://user:s3cret-0815@localhost"),
        dict(base_url="https://localhost/?api_key=s3cret-0815"),
        dict(base_url="https://localhost/#s3cret-0815"),
        dict(base_url="https://user:s3cret-0815@localhost:port/"),
    ],
)
def test_a_secret_in_the_place_of_a_name_or_in_the_address(sim, run, options):
    result = run(RTH, dict(edge_id="edghts_1", route_id="edghtsrt_1", **options), env=SHOW)
    assert result.failed and "invocation" in result.data
    assert "s3cret" not in result.text


def test_refused_options_show_what_is_not_secret(sim, run):
    options = _headers(add={"X-Mine": NEW, "X-Plain": "1"}, secret_headers="X-Other,X-Mine", timeout="soon")
    shown = run(RTH, options, env=SHOW).invocation["module_args"]
    assert shown["add"] == {"X-Mine": MASK, "X-Plain": "1"} and shown["timeout"] == "soon"


# What the service says.


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_service_that_quotes_secrets(sim, run, method, form):
    sim.put(HEADERS, dict(add={"Authorization": OLD}))
    quoted = " and ".join(FORMS[form](secret) for secret in (KEY, OLD, NEW))
    secrets = {"GET": (KEY, NEW), "PUT": (KEY, OLD, NEW), "DELETE": (KEY, OLD)}[method]
    quoted = " and ".join(FORMS[form](secret) for secret in secrets)
    for body in (
        {"message": "bad: " + quoted, "code": quoted, "request_id": quoted},
        "<p>bad: %s</p>" % quoted,
        {"errors": {"add": [quoted]}},
    ):
        sim.clear_faults()
        sim.add_fault(method=method, status=400, body=body)
        options = dict(state="absent") if method == "DELETE" else dict(add={"Authorization": NEW})
        result = run(RTH, _headers(**options), env=SHOW)
        assert result.failed and "********" in result.msg
        assert_hidden(result, *secrets)


@pytest.mark.parametrize("length", range(150, 196, 6))
def test_secret_where_a_text_is_cut(sim, run, length):
    """What is quoted is shortened after the secrets are removed: no half of one is left at its end."""
    for secret in (KEY, NEW):
        for body in ({"message": "x" * length + secret}, "x" * length + secret + "x" * 100):
            sim.clear_faults()
            sim.add_fault(method="PUT", status=400, body=body)
            result = run(RTH, _headers(add={"Authorization": NEW}), env=SHOW)
            assert "x" * 150 in result.msg and secret[:6] not in result.msg


def test_key_in_an_answer(sim, run):
    """Wherever the service puts it: in a value, in a field that nobody knows, in a redirect, in a header."""
    sim.put(HEADERS, dict(add={"X-Plain": KEY}))
    assert_hidden(run(RTH, _headers(add={"X-Plain": "1"}), env=SHOW), KEY)
    body = {"enabled": True, "add": {}, "remove": [], "debug": {"got": ["Bearer " + KEY]}}
    sim.add_fault("replace_body", method="PUT", body=body, times=1)
    result = run(RTH, _headers(add={"X-Plain": "2"}), env=SHOW)
    assert result.warnings and "debug" in result.config
    assert_hidden(result, KEY)
    location = "/login/" + urllib.parse.quote(KEY, safe="")
    sim.add_fault("redirect", method="GET", location=location, times=1)
    result = run(RTH, _headers(add={"X-Plain": "2"}), env=SHOW)
    assert result.failed and "/login/" in result.msg
    assert_hidden(result, KEY)


@pytest.mark.parametrize("cut", range(1, 60, 3))
def test_truncated_answer_that_holds_a_secret(sim, run, cut):
    """The task does not know the secret, and the answer, no JSON any more, is quoted."""
    whole = json.dumps({"enabled": True, "add": {"X-Plain": "seen", "Authorization": 'S3"\\CRET' * 10}})
    sim.add_fault("replace_body", method="GET", body=whole[:-cut])
    result = run(RTH, _headers(add={"X-Plain": "2"}), env=SHOW)
    assert result.failed and '"X-Plain": "seen"' in result.msg
    assert "S3" not in result.text and "CRET" not in result.text


@pytest.mark.parametrize(
    "body",
    [
        {"message": 'cannot store {"Authorization": "S3CRET"}'},
        {"message": 'cannot store {"X": "1", "X_Token" : "S3CRET'},
        'cannot "store {"Cookie":"S3CRET"} and so on',
        'nested: {"a": "{\\"Api-Key\\": \\"S3CRET\\"}"}',
    ],
)
def test_error_that_quotes_the_headers_it_holds(sim, run, body):
    sim.add_fault(method="GET", status=500, body=body)
    result = run(RTH, _headers(add={"X-Plain": "2"}), env=SHOW)
    assert result.failed and "S3CRET" not in result.text and MASK in result.msg


def test_warning_names_fields_only(sim, run):
    body = {"enabled": True, "add": {"Authorization": OLD, "Cookie": OLD}, "remove": []}
    sim.add_fault("replace_body", method="PUT", body=body)
    result = run(RTH, _headers(add={"Authorization": NEW}), env=SHOW)
    assert result.changed and len(result.warnings) == 1 and result.warnings[0].endswith("in add")
    assert result.config["add"] == {"Authorization": MASK, "Cookie": MASK}
    assert_hidden(result, OLD, NEW)


@pytest.mark.parametrize("value", [[OLD], {"a": OLD}, 7, None])
def test_answer_of_the_wrong_type(sim, run, value):
    sim.add_fault("replace_body", method="GET", body={"add": {"Authorization": value}})
    result = run(RTH, _headers(add={"Authorization": NEW}), env=SHOW)
    assert result.failed and "its add has the wrong type" in result.msg
    assert_hidden(result, OLD, NEW)


# Masked by place, not by text.


def test_short_secret_blanks_nothing_else(sim, run):
    sim.put(HEADERS, dict(add={"Authorization": "1", "X-One": "1"}, remove=["1"]))
    options = _headers(add={"Authorization": "1", "X-One": "1", "X-Two": "2", "Cookie": "e"}, retries=1)
    result = run(RTH, options, env=SHOW)
    assert result.changed and result.operation == "replace"
    assert result.config["add"] == {"Authorization": MASK, "X-One": "1", "X-Two": "2", "Cookie": MASK}
    assert result.config["remove"] == ["1"] and '"X-One": "1"' in result.diff["before"]
    assert result.diff["after_header"] == "https_edge_route_request_headers edghts_1 edghtsrt_1"
    shown = result.invocation["module_args"]
    assert shown["edge_id"] == "edghts_1" and shown["add"]["X-One"] == "1" and str(shown["retries"]) == "1"


def test_short_secret_in_an_error(sim, run):
    sim.add_fault(method="PUT", status=400, body={"message": "10 rules, value 1 is 'abc' wrong", "request_id": "r1"})
    result = run(RTH, _headers(add={"Authorization": "1", "Cookie": "abc"}))
    assert "answered 400: 10 rules, value ******** is '********' wrong (operation r1)" in result.msg


# What changes is seen, what is masked is kept.


def test_changed_secret_shows_as_changed(sim, run):
    sim.put(HEADERS, dict(add={"Authorization": OLD, "Cookie": OLD, "X-Gone-Token": OLD}))
    result = run(RTH, _headers(add={"Authorization": NEW, "Cookie": OLD, "X-New-Token": NEW}))
    before, after = json.loads(result.diff["before"])["add"], json.loads(result.diff["after"])["add"]
    assert before == {"Authorization": MASK, "Cookie": MASK, "X-Gone-Token": MASK}
    assert after == {"Authorization": CHANGED_MASK, "Cookie": MASK, "X-New-Token": MASK}
    result = run(RTH, _headers(add={"Authorization": NEW, "Cookie": OLD, "X-New-Token": NEW}))
    assert not result.changed and result.diff["before"] == result.diff["after"]


def test_mask_keeps_the_value(sim, run):
    sim.put(HEADERS, dict(add={"Authorization": OLD, "X-Plain": "1"}))
    result = run(RTH, _headers(add={"authorization": MASK, "X-Plain": "1"}))
    assert not result.changed
    result = run(RTH, _headers(add={"Authorization": MASK, "X-Plain": "2"}))
    assert result.changed and sim.resources[HEADERS]["add"] == {"Authorization": OLD, "X-Plain": "2"}
    assert "(changed)" not in result.diff["after"]


def test_result_can_be_given_again(sim, run):
    """What a task returns, given to the next one, changes nothing."""
    sim.put(HEADERS, dict(add={"Authorization": OLD, "X-Plain": "1"}, remove=["A"]))
    config = run(RTH, _headers(remove=["A"])).config
    again = run(RTH, _headers(add=config["add"], remove=config["remove"], enabled=config["enabled"]))
    assert not again.failed and not again.changed


@pytest.mark.parametrize("held", [None, {"X-Plain": "1"}])
@pytest.mark.parametrize("check", [False, True])
def test_mask_with_nothing_to_keep(sim, run, held, check):
    if held:
        sim.put(HEADERS, dict(add=held))
    result = run(RTH, _headers(add={"X-Api-Key": MASK}), check=check)
    assert result.failed and "add.X-Api-Key" in result.msg and "the service holds none" in result.msg
    assert sim.writes == []


# The system log.


@pytest.fixture
def system_log(monkeypatch):
    """What Ansible's module code writes to the system log, whichever way it takes."""
    written = []

    class Journal:
        @staticmethod
        def send(*args, **fields):
            written.append(repr((args, fields)))

        sendv = send

    monkeypatch.setattr(basic.syslog, "syslog", lambda *args: written.append(repr(args)))
    monkeypatch.setattr(basic, "journal", Journal, raising=False)
    return written


@pytest.mark.parametrize("has_journal", [True, False])
class TestSystemLog:
    @pytest.mark.parametrize("bad", [{}, {"timeout": "soon"}, {"nonsense": NEW}])
    def test_nothing_is_written(self, sim, run, monkeypatch, system_log, has_journal, bad):
        monkeypatch.setattr(basic, "has_journal", has_journal)
        sim.put(HEADERS, dict(add={"Authorization": OLD}))
        run(RTH, _headers(add={"Authorization": NEW}, **bad), env=SHOW)
        assert system_log == []

    def test_the_recorder_works(self, monkeypatch, system_log, has_journal):
        """An ordinary module does write there, and this is how it is seen."""
        monkeypatch.setattr(basic, "has_journal", has_journal)
        given = {"add": {"a": NEW}}
        monkeypatch.setattr(basic.AnsibleModule, "_load_params", lambda self: setattr(self, "params", given))
        basic.AnsibleModule(dict(add=dict(type="dict")))
        assert len(system_log) == 1 and "n3w" in system_log[0]


def test_debug_is_not_written_either(sim, monkeypatch, system_log):
    monkeypatch.setattr(basic, "has_journal", False)
    options = {**harness.connection_options(sim), **_headers(add={"Authorization": NEW}), "_ansible_debug": True}
    result = harness.run("module", RTH, options)
    assert not result.failed and system_log == []


def test_service_that_quotes_another_edge_modules_secret(sim, run):
    """In edge_modules the secrets of all entries are hidden in every error, those too that are read only later."""
    sim.put("/edges/https/edghts_1/routes/edghtsrt_1/request_headers", dict(add={"X-Token": OLD}, remove=[]))
    options = dict(
        concurrency=1,
        https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=dict(add={"X-Token": NEW}))])],
        tcp_edges=[dict(id="edgtcp_1", backend=dict(backend_id="b"))],
        tls_edges=[dict(id="edgtls_1", tls_termination=dict(terminate_at="edge"))],
    )
    sim.add_fault(path="/edges/tcp/*", status=400, body={"msg": "not with %s or %s" % (NEW, OLD)})
    result = run("edge_modules", options)
    assert result.failed and result.summary["failed"] == 1
    assert "not with ******** or ********" in result.msg
    assert_hidden(result, NEW, OLD)
