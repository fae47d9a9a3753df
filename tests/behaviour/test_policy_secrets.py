# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets in traffic policies stand in nothing that a task gives out, and a mask given back keeps them."""

from __future__ import annotations

import json

import pytest
from harness.samples import HEADERS, POLICY, ROUTE_IDS

RTP = "https_edge_route_traffic_policy"
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
CHANGED_MASK = MASK + " (changed)"
SHOW = {"ANSIBLE_INJECT_INVOCATION": "1"}
OLD, NEW = "0ld-51bc8", "n3w-7f3e2"
OWN = "0wn-99d1c"


def policy(secret, own=OWN, **more):
    """A policy with one secret in many places, and one that only the task's own names say is secret."""
    return {
        "inbound": [
            {
                "name": "log in",
                "actions": [
                    {"type": "oauth", "config": {"client_id": "shop", "client_secret": secret, "pin": own}},
                    {"type": "basic-auth", "config": {"credentials": ["%s:%s" % (user, secret) for user in "ab"]}},
                ],
            },
            {
                "name": "call upstream",
                "actions": [
                    {
                        "type": "add-headers",
                        "config": {"headers": {"Authorization": "Bearer " + secret, "Via": "edge"}},
                    },
                    {"type": "add-headers", "config": {"set": [{"name": "Cookie", "value": secret}]}},
                ],
            },
        ],
        "outbound": [
            {
                "name": "answer",
                "actions": [
                    {
                        "type": "custom-response",
                        "config": {"status_code": 401, "headers": {"Set-Cookie": secret, "X-Inner": own}, **more},
                    }
                ],
            }
        ],
    }


NAMED = dict(secret_headers=["x_inner"], secret_keys=["PIN"])
MASKED = policy("s")
MASKED["inbound"][0]["actions"][0]["config"].update(client_secret=MASK, pin=MASK)
MASKED["inbound"][0]["actions"][1]["config"]["credentials"] = MASK
MASKED["inbound"][1]["actions"][0]["config"]["headers"]["Authorization"] = MASK
MASKED["inbound"][1]["actions"][1]["config"]["set"][0]["value"] = MASK
MASKED["outbound"][0]["actions"][0]["config"]["headers"].update({"Set-Cookie": MASK, "X-Inner": MASK})


def options(document=None, **more):
    found = dict(ROUTE_IDS, **NAMED, **more)
    if document is not None:
        found["value"] = document
    return found


def hold(sim, document):
    sim.put(POLICY, dict(value=document if isinstance(document, str) else json.dumps(document)))


def held(sim):
    return json.loads(sim.resources[POLICY]["value"])


def assert_hidden(result, *secrets):
    for secret in secrets or (OLD, NEW, OWN):
        assert secret not in result.text and secret not in json.dumps(result.data)


def many(entry, **more):
    return dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", **entry)])], **more)


@pytest.mark.parametrize("as_text", [False, True], ids=["as a dict", "as text"])
@pytest.mark.parametrize("check", [False, True], ids=["run", "dry run"])
def test_a_change_shows_no_secret(sim, run, check, as_text):
    hold(sim, policy(OLD))
    value = policy(NEW, x="new")
    result = run(RTP, options(json.dumps(value) if as_text else value), check=check, env=SHOW)
    assert result.changed and json.loads(result.config["value"])["inbound"] == MASKED["inbound"]
    assert json.loads(result.diff["before"])["value"] == MASKED
    assert result.diff["after"].count(CHANGED_MASK) == 5 and '"x": "new"' in result.diff["after"]
    shown = result.invocation["module_args"]["value"]
    assert (json.loads(shown) if as_text else shown)["inbound"] == MASKED["inbound"]
    assert_hidden(result)
    assert held(sim) == (policy(OLD) if check else value)


def test_what_does_not_change_shows_no_secret(sim, run):
    hold(sim, policy(OLD))
    result = run(RTP, options(policy(OLD)), env=SHOW)
    assert not result.changed and result.diff["before"] == result.diff["after"]
    assert json.loads(result.config["value"]) == MASKED
    assert_hidden(result)


def test_a_policy_without_secrets_is_shown_to_the_letter(sim, run):
    text = '{"inbound": [ ],  "outbound":[]}'
    sim.configure(policy_form="echo")
    hold(sim, text)
    result = run(RTP, options(text), env=SHOW)
    assert result.config["value"] == text and result.invocation["module_args"]["value"] == text


@pytest.mark.parametrize("how", ["module", "edge_modules", "purge"])
@pytest.mark.parametrize("check", [False, True], ids=["run", "dry run"])
def test_a_removal_shows_no_secret(sim, run, how, check):
    """With the names of the task's own, too: they count with state absent."""
    hold(sim, policy(OLD))
    if how == "module":
        result = run(RTP, options(state="absent", value=policy(NEW)), check=check, env=SHOW)
        diff = result.diff["before"]
    else:
        own = dict(traffic_policy=dict(state="absent", **NAMED)) if how == "edge_modules" else {}
        result = run("edge_modules", many(own, purge=True, **({} if own else NAMED)), check=check, env=SHOW)
        diff = result.diff[0]["before"]
        (removed,) = (one for one in result.results if one["changed"])
        assert removed["before"]["value"] == MASKED
    assert not result.failed and json.loads(diff)["value"] == MASKED
    assert_hidden(result)
    assert (POLICY in sim.resources) is check


@pytest.mark.parametrize("where", ["task", "entry"])
def test_header_values_of_a_removal(sim, run, where):
    """The same for the headers of a route, whose names the task or its entry gives."""
    sim.put(HEADERS, dict(add={"X-Inner": OLD, "X-Plain": "plain"}))
    named = dict(secret_headers=["X-Inner"])
    entry = dict(request_headers=dict(state="absent", **(named if where == "entry" else {})))
    result = run("edge_modules", many(entry, **(named if where == "task" else {})), env=SHOW)
    assert result.results[0]["before"]["add"] == {"X-Inner": MASK, "X-Plain": "plain"}
    assert_hidden(result)
    sim.put(HEADERS, dict(add={"X-Inner": OLD, "X-Plain": "plain"}))
    result = run("https_edge_route_request_headers", dict(ROUTE_IDS, state="absent", **named), env=SHOW)
    assert result.changed and json.loads(result.diff["before"])["add"]["X-Inner"] == MASK
    assert result.invocation["module_args"]["secret_headers"] == ["X-Inner"]
    assert_hidden(result)


def test_results_of_many(sim, run):
    hold(sim, policy(OLD))
    result = run("edge_modules", many(dict(traffic_policy=dict(value=policy(NEW)))) | NAMED, env=SHOW)
    (one,) = result.results
    assert one["before"]["value"] == MASKED and json.loads(one["config"]["value"]) == MASKED
    assert json.dumps(one["after"]).count(CHANGED_MASK) == 5
    assert_hidden(result)


# A mask given back.


def read(run, **more):
    return run("edge_modules_info", dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])], **NAMED, **more))


def test_what_is_read_can_be_given_back(sim, run):
    hold(sim, policy(OLD))
    today = read(run)
    assert today.https_edges[0]["routes"][0]["traffic_policy"]["value"] == MASKED and today.warnings == []
    assert_hidden(today)
    again = run("edge_modules", dict(https_edges=today.https_edges))
    assert not again.failed and not again.changed and sim.writes == []
    open_ = read(run, include_secrets=True)
    assert open_.https_edges[0]["routes"][0]["traffic_policy"]["value"] == policy(OLD)


@pytest.mark.parametrize("as_text", [False, True], ids=["as a dict", "as text"])
def test_a_mask_keeps_the_secret_of_a_rule_that_was_not_edited(sim, run, as_text):
    hold(sim, policy(OLD))
    wanted = json.loads(json.dumps(MASKED))
    wanted["inbound"] = [{"name": "new", "actions": []}, wanted["inbound"][1], policy(NEW)["inbound"][0]]
    result = run(RTP, options(json.dumps(wanted) if as_text else wanted), env=SHOW)
    assert result.changed
    now = policy(OLD)
    now["inbound"] = [{"name": "new", "actions": []}, now["inbound"][1], policy(NEW)["inbound"][0]]
    assert held(sim) == now
    assert_hidden(result)


@pytest.mark.parametrize("check", [False, True], ids=["run", "dry run"])
def test_a_mask_with_nothing_to_keep(sim, run, check):
    wanted = json.loads(json.dumps(MASKED))
    wanted["inbound"][1]["name"] = "renamed"
    for document in (policy(OLD), None):
        sim.reset()
        if document:
            hold(sim, document)
        result = run(RTP, options(wanted), check=check)
        place = "value.inbound[1].actions[0].config.headers.Authorization" if document else "value.inbound[0]"
        assert result.failed and place in result.msg and "holds none" in result.msg
        assert sim.writes == []


def test_several_items_that_fit(sim, run):
    one, other = (dict(name="same", actions=[dict(type="t", config=dict(token=token))]) for token in (OLD, NEW))
    hold(sim, dict(inbound=[one, other]))
    mask = dict(name="same", actions=[dict(type="t", config=dict(token=MASK))])
    result = run(RTP, options(dict(inbound=[mask])))
    assert result.failed and "value.inbound[0].actions[0].config.token" in result.msg and "2 items" in result.msg
    assert_hidden(result)
    assert not run(RTP, options(dict(inbound=[mask, mask]))).changed and sim.writes == []


@pytest.mark.parametrize("value", [CHANGED_MASK, "Bearer " + MASK])
def test_a_mask_that_is_none(sim, run, value):
    result = run(RTP, options(dict(inbound=[dict(name=value)])))
    assert result.failed and result.msg.startswith("value.inbound[0].name ") and sim.log == []
    result = run("https_edge_route_request_headers", dict(ROUTE_IDS, add={"X": value}))
    assert result.failed and result.msg.startswith("add.X ") and sim.log == []


@pytest.mark.parametrize("key", ["inbound", "actions", "config", "expressions", "name", "type"])
def test_a_secret_where_the_shape_is_known(sim, run, key):
    """Whatever a task names as secret: what is read then can be given back."""
    document = policy(OLD)
    document["inbound"][0]["expressions"] = ["a"]
    hold(sim, document)
    ids = dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])])
    today = run("edge_modules_info", dict(ids, secret_keys=[key]))
    assert MASK in json.dumps(today.https_edges)
    again = run("edge_modules", dict(https_edges=today.https_edges, secret_keys=[key]))
    assert not again.failed and not again.changed, again.data


# When something is wrong.


@pytest.mark.parametrize(
    "more",
    [
        dict(timeout="soon"),
        dict(edge_id="."),
        dict(value={"inbound": {"client_secret": NEW}}),
        dict(value=[{"client_secret": NEW}]),
        dict(value='{"client_secret": "%s"' % NEW),
        dict(value="client_secret: %s" % NEW),
        dict(value="{'client_secret': '%s'}" % NEW),
        dict(value="client_secret=%s" % NEW),
        dict(value='{"a": NaN, "client_secret": "%s"}' % NEW),
        dict(value=json.dumps(json.dumps(policy(NEW)))),
        dict(policy=policy(NEW)),
        dict(valeu=policy(NEW)),
        dict(traffic_policy=dict(value=policy(NEW))),
        dict(value={"secret": NEW, "token\n": NEW, "inbound": 1}),
        dict(value={"inbound": [{"actions": [{"type": 1, "config": {"pin": NEW}}]}]}, secret_keys="a, pin"),
        dict(value={"inbound": [{"actions": [{"type": 1, "config": {"pin": NEW}}]}]}, secret_keys={"pin": 1}),
        dict(value={"inbound": [{"actions": [{"type": 1, "config": {"pin": NEW}}]}]}, secret_keys=7),
        dict(value={"inbound": [{"actions": [{"type": 1, "config": {"pin": NEW}}]}]}, secret_keys=["pin", None]),
        dict(value={"inbound": [{"headers": {"X-Inner": NEW}, "actions": 1}]}, secret_headers=7),
    ],
    ids=lambda more: json.dumps(more).replace(NEW, "...")[:70],
)
def test_refused_options_are_masked(sim, run, more):
    for name, given in ((RTP, options(policy(NEW)) | more), ("edge_modules", _nested(more))):
        result = run(name, given, env=SHOW)
        assert result.failed and sim.log == [] and "invocation" in result.data
        assert_hidden(result)


def _nested(more):
    entry = dict(NAMED, value=policy(NEW)) | {
        key: value for key, value in more.items() if key not in ("timeout", "edge_id")
    }
    return many(dict(traffic_policy=entry), timeout="soon")


QUOTES = {
    "the value": lambda secret: "cannot use %s" % secret,
    "the document": lambda secret: {"message": json.dumps(policy(secret))},
    "the document, as text": lambda secret: json.dumps(policy(secret)),
    "the body": lambda secret: {"error": {"detail": json.dumps({"value": json.dumps(policy(secret))})}},
    "half of it": lambda secret: json.dumps({"value": json.dumps(policy(secret))})[:-9],
    "as Python": lambda secret: {"message": repr(policy(secret))},
    "what follows the scheme": lambda secret: {"message": "token %s is not valid" % secret, "code": secret},
}


@pytest.mark.parametrize("quote", QUOTES.values(), ids=list(QUOTES))
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_service_that_quotes_the_policy(sim, run, method, quote):
    hold(sim, policy(OLD))
    sim.add_fault(method=method, status=400, body=quote(OLD if method == "DELETE" else NEW))
    given = options(state="absent") if method == "DELETE" else options(policy(NEW))
    result = run(RTP, given, env=SHOW)
    assert result.failed and ("*****" in result.msg or MASK in result.msg)
    assert_hidden(result, OLD, NEW)


@pytest.mark.parametrize("cut", range(1, 400, 23))
def test_an_answer_cut_short(sim, run, cut):
    """The task does not know the secrets yet, and what it got, no JSON any more, is quoted."""
    sim.add_fault("replace_body", method="GET", body=json.dumps({"value": json.dumps(policy(OLD))})[:-cut])
    result = run(RTP, options(policy(NEW)), env=SHOW)
    assert result.failed
    assert_hidden(result)


@pytest.mark.parametrize(
    "text",
    [
        '{"client_secret": "%s", "a": 1' % OLD,
        '{"client_secret": "%s", "client_secret": "%s"}' % (OLD, OLD),
        '{"credentials": ["a:%s", "b:%s"], "x": NaN}' % (OLD, OLD),
        "{'headers': {'Cookie': '%s'}}" % OLD,
        '{"password": 0%s}' % OLD,
    ],
)
def test_a_value_that_is_no_policy(sim, run, text):
    """It is shown as text, without what stands beside a secret name."""
    sim.configure(policy_form="echo")
    hold(sim, text)
    result = run(RTP, options(policy(NEW)), env=SHOW, check=True)
    assert result.changed and MASK in result.diff["before"]
    assert_hidden(result)
    today = read(run)
    assert "cannot be given back" in today.warnings[0]
    assert_hidden(today)


def test_what_the_service_adds(sim, run):
    """A field that nobody knows may hold the policy once more."""
    body = dict(enabled=True, value=json.dumps(policy(OLD)), parsed=policy(OLD), debug="with Bearer %s" % OLD)
    sim.add_fault("replace_body", method="GET", body=body)
    result = run(RTP, options(policy(OLD)), env=SHOW)
    assert not result.changed and result.config["parsed"] == MASKED
    assert_hidden(result)
