# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One edge module, function by function: what is read, what is sent, what is shown, and each way in which it fails."""

from __future__ import annotations

import re

import harness
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError
from ansible_collections.edgeops.edges.plugins.module_utils._http import Client
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, make_job
from ansible_collections.edgeops.edges.plugins.module_utils._plan import PlanError
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import Outcome, fetch, reconcile
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK
from harness.samples import BACKEND, HEADERS

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
NOT_KNOWN = ". Whether it took effect is not known: run again to find out and finish"


@pytest.fixture
def client(sim):
    return Client(harness.connection(**harness.connection_options(sim, timeout=10.0, retries=0)))


def backend(backend_id="bkdtg_1", **options):
    options = options or {"backend_id": backend_id}
    job = make_job(BY_ENTRY["backend"], "edgtcp_1", None, options)
    return job


def headers(**options):
    job = make_job(BY_ENTRY["request_headers"], "edghts_1", "edghtsrt_1", options)
    return job


def absent(job=backend):
    return job(state="absent")


def answered(sim, backend_id, enabled=True):
    """A backend as the service answers it."""
    uri = "%s/backends/tunnel_group/%s" % (sim.base_url, backend_id)
    return dict(enabled=enabled, backend=dict(id=backend_id, uri=uri))


def methods(sim):
    return [record.method for record in sim.log]


def failing(call, *arguments):
    with pytest.raises(ApiError) as caught:
        call(*arguments)
    return caught.value


# What is there


@pytest.mark.parametrize("answer", ["404", "204", "empty", "null", "{}"])
def test_not_set(sim, client, answer):
    sim.configure(not_set=answer)
    assert fetch(client, backend()) == (None, None)
    assert [(record.method, record.path) for record in sim.log] == [("GET", BACKEND)]


def test_what_is_set(sim, client):
    sim.put(BACKEND, dict(backend_id="bkdtg_1", enabled=False))
    answer, values = fetch(client, backend())
    assert answer == answered(sim, "bkdtg_1", enabled=False)
    assert values == dict(enabled=False, backend_id="bkdtg_1")


UNFIT = {
    "a list": (dict(kind="list"), 200, "but with a list, not a dict"),
    "text": (dict(kind="replace_body", body='"{}"'), 200, "but with a string, not a dict"),
    "an empty list": (dict(kind="replace_body", body="[]"), 200, "but with a list, not a dict"),
    "false": (dict(kind="replace_body", body="false"), 200, "but with a boolean, not a dict"),
    "another status": (dict(status=203, body=dict(enabled=True)), 203, "which is not documented"),
    "another status without a body": (dict(status=202, body=""), 202, "which is not documented"),
    "another status with nothing in its body": (dict(status=201, body="{}"), 201, "which is not documented"),
    "a field of another type": (
        dict(kind="replace_body", body=dict(enabled=1)),
        200,
        "but its enabled has the wrong type: a number",
    ),
}


@pytest.mark.parametrize("fault, status, reason", UNFIT.values(), ids=UNFIT)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_answer_that_does_not_fit(sim, client, method, fault, status, reason):
    """It is an error and never "not set"; where a write was answered so, the write has taken effect all the same."""
    sim.add_fault(method=method, **fault)
    job = backend()
    error = failing(reconcile, client, job, False) if method == "PUT" else failing(fetch, client, job)
    text = "%s %s answered %d, %s. Check base_url and api_version" % (method, BACKEND, status, reason)
    assert error.data == dict(msg=text, method=method, path=BACKEND, status=status, code=None, operation_id=None)
    assert error.result == dict(changed=method == "PUT")
    assert not error.fatal


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_refusal_quotes_no_secret(sim, client, method):
    """Neither one that the service holds, nor one that stands in the answer alone."""
    sim.put(HEADERS, dict(add={"X-Token": "held-value"}))
    sim.add_fault(method=method, status=500, body=dict(message='no {"X-Token": "other-value"} but held-value'))
    job = headers(state="absent") if method == "DELETE" else headers(remove=["A"])
    if method == "GET":
        job.learn(dict(add={"X-Token": "held-value"}))
    error = failing(reconcile, client, job, False)
    assert str(error) == '%s %s answered 500: no {"X-Token": %s} but ********' % (method, HEADERS, MASK)
    assert error.result == dict(changed=False)


def test_what_was_read_is_known_as_secret(sim, client):
    sim.put(HEADERS, dict(add={"X-Token": "held-value", "X-Edge": "shown-value"}))
    job = headers(add={})
    fetch(client, job)
    assert job.hide("held-value shown-value") == "******** shown-value"


def test_what_is_sent_is_known_as_secret(sim, client):
    """Also where a job was made by hand, and nothing noted its secrets before."""
    description = BY_ENTRY["request_headers"]
    job = Job(description, "edghts_1", "edghtsrt_1", {"enabled": True, "add": {"X-Token": "sent-value"}})
    sim.add_fault(method="PUT", status=400, body="not sent-value")
    assert str(failing(reconcile, client, job, False)) == "PUT %s answered 400: not ********" % HEADERS


# What is done


@pytest.mark.parametrize("check_mode", [False, True])
def test_nothing_to_do(sim, client, check_mode):
    assert reconcile(client, absent(), check_mode) == Outcome("none", None, None, None, None)
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    outcome = reconcile(client, backend(), check_mode)
    shown = dict(enabled=True, backend_id="bkdtg_1")
    assert outcome == Outcome("none", answered(sim, "bkdtg_1"), shown, shown, None)
    assert not outcome.changed
    assert methods(sim) == ["GET", "GET"]


def test_a_configuration_is_set(sim, client):
    outcome = reconcile(client, backend(), False)
    after = dict(enabled=True, backend_id="bkdtg_1")
    assert outcome == Outcome("replace", answered(sim, "bkdtg_1"), None, after, None, held=after)
    assert outcome.changed
    assert methods(sim) == ["GET", "PUT"]
    assert [record.path for record in sim.log] == [BACKEND, BACKEND]
    assert sim.writes[0].body == dict(enabled=True, backend_id="bkdtg_1")


def test_the_configuration_is_the_one_that_the_service_answers(sim, client):
    sim.configure(default_min_version="1.2")
    job = make_job(BY_ENTRY["tls_termination"], "edgtls_1", None, {"terminate_at": "edge"})
    assert reconcile(client, job, False).config == dict(enabled=True, terminate_at="edge", min_version="1.2")


def test_a_dry_run_foretells_the_configuration(sim, client):
    outcome = reconcile(client, backend(), True)
    assert outcome == Outcome("replace", answered(sim, "bkdtg_1"), None, dict(enabled=True, backend_id="bkdtg_1"), None)
    assert methods(sim) == ["GET"]


def test_a_dry_run_keeps_the_reference_that_the_service_gave(sim, client):
    held = dict(enabled=False, backend=dict(id="bkdtg_1", uri="elsewhere"))
    sim.add_fault("replace_body", method="GET", body=held)
    outcome = reconcile(client, backend(), True)
    assert outcome.config == dict(enabled=True, backend=dict(id="bkdtg_1", uri="elsewhere"))
    assert (outcome.before["enabled"], outcome.after["enabled"]) == (False, True)


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_configuration_is_removed(sim, client, check_mode):
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    outcome = reconcile(client, absent(), check_mode)
    assert outcome == Outcome("delete", None, dict(enabled=True, backend_id="bkdtg_1"), None, None)
    assert outcome.changed
    assert methods(sim) == (["GET"] if check_mode else ["GET", "DELETE"])
    assert sim.log[-1].path == BACKEND
    assert sim.log[-1].body is None
    assert (BACKEND in sim.resources) is check_mode


@pytest.mark.parametrize("fault", [dict(status=404), dict(status=204, body=""), dict(status=200, body="{}")], ids=str)
def test_a_removal_that_is_done(sim, client, fault):
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    sim.add_fault(method="DELETE", **fault)
    assert reconcile(client, absent(), False).operation == "delete"


@pytest.mark.parametrize("fault", [dict(kind="list"), dict(status=200, body='"done"')], ids=str)
def test_a_removal_answered_with_what_does_not_fit(sim, client, fault):
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    sim.add_fault(method="DELETE", **fault)
    error = failing(reconcile, client, absent(), False)
    assert error.data == dict(
        msg="DELETE %s answered 200, but with %s, not a dict%s"
        % (BACKEND, "a list" if "kind" in fault else "a string", NOT_KNOWN),
        method="DELETE",
        path=BACKEND,
        status=200,
        code=None,
        operation_id=None,
    )
    assert error.result == dict(changed=False)


def test_a_write_that_is_refused(sim, client):
    sim.put(BACKEND, dict(backend_id="bkdtg_2"))
    sim.add_fault(method="PUT", status=500, body="no")
    sim.add_fault(method="DELETE", status=409, body="no")
    assert str(failing(reconcile, client, backend(), False)) == "PUT %s answered 500: no" % BACKEND
    assert str(failing(reconcile, client, absent(), False)) == "DELETE %s answered 409: no" % BACKEND


@pytest.mark.parametrize(
    "job, path, hint",
    [
        (backend(), BACKEND, "There is no such edge: check the id"),
        (headers(), HEADERS, "There is no such edge or no such route: check the id"),
    ],
    ids=["edge", "route"],
)
def test_a_put_below_what_is_not_there(sim, client, job, path, hint):
    sim.add_fault(method="PUT", status=404, body="no")
    error = failing(reconcile, client, job, False)
    assert str(error) == "PUT %s answered 404: no. %s" % (path, hint)
    assert error.status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("kind", ["close_before", "close_after"])
def test_a_write_that_is_not_answered(sim, client, method, kind):
    sim.put(BACKEND, dict(backend_id="bkdtg_2"))
    sim.add_fault(kind, method=method)
    error = failing(reconcile, client, backend() if method == "PUT" else absent(), False)
    text = (
        re.escape("%s %s failed: " % (method, BACKEND))
        + "[^.]+"
        + re.escape(". Check base_url, and the network" + NOT_KNOWN)
    )
    assert re.fullmatch(text, str(error))
    assert (error.status, error.result) == (None, dict(changed=False))


def test_a_read_that_is_not_answered_says_nothing_of_effects(sim, client):
    sim.add_fault("close_before", method="GET")
    assert "took effect" not in str(failing(reconcile, client, backend(), False))


def test_what_cannot_be_had_is_no_request(sim, client):
    sim.put(HEADERS, dict(remove=["A"]))
    with pytest.raises(PlanError, match="^add names a, and so does remove"):
        reconcile(client, headers(add={"a": "1"}), False)
    assert methods(sim) == ["GET"]


def test_a_service_that_holds_something_else(sim, client):
    held = dict(enabled=False, backend=dict(id="bkdtg_9", uri="u"))
    sim.add_fault("replace_body", method="PUT", body=held)
    outcome = reconcile(client, backend(), False)
    assert (outcome.operation, outcome.config) == ("replace", held)
    assert outcome.after == dict(enabled=True, backend_id="bkdtg_1")
    assert outcome.warning == (
        "tcp_edge_backend edgtcp_1: the service holds something else than was asked for in enabled, backend_id"
    )


def test_a_default_that_nobody_asked_about_is_nothing_else(sim, client):
    """What the task does not name and sends empty may be filled in by the service."""
    sim.add_fault("replace_body", method="PUT", body=dict(add={"X-A": "1"}, remove=["B"]))
    assert reconcile(client, headers(add={"X-A": "1"}), False).warning is None
    sim.delete(HEADERS)
    assert reconcile(client, headers(add={"X-A": "1"}, remove=[]), False).warning == (
        "https_edge_route_request_headers edghts_1 edghtsrt_1: "
        "the service holds something else than was asked for in remove"
    )


# What is shown


def test_secrets_are_masked(sim, client):
    sim.put(HEADERS, dict(add={"X-Token": "old", "Cookie": "same", "X-Edge": "a"}, remove=["B"]))
    outcome = reconcile(client, headers(add={"X-Token": "new", "Cookie": "same", "X-Edge": "b"}), False)
    assert outcome == Outcome(
        "replace",
        dict(enabled=True, add={"X-Token": MASK, "Cookie": MASK, "X-Edge": "b"}, remove=["B"]),
        dict(enabled=True, add={"X-Token": MASK, "Cookie": MASK, "X-Edge": "a"}, remove=["B"]),
        dict(enabled=True, add={"X-Token": CHANGED_MASK, "Cookie": MASK, "X-Edge": "b"}, remove=["B"]),
        None,
        # For digests alone, never to be shown.
        held=dict(enabled=True, add={"x-token": "new", "cookie": "same", "x-edge": "b"}, remove=["b"]),
    )
    assert sim.writes[0].body["add"] == {"X-Token": "new", "Cookie": "same", "X-Edge": "b"}


@pytest.mark.parametrize("check_mode", [False, True])
def test_secrets_of_one_side_are_masked(sim, client, check_mode):
    created = reconcile(client, headers(add={"X-Token": "new"}), check_mode)
    assert (created.before, created.after) == (None, dict(enabled=True, add={"X-Token": MASK}, remove=[]))
    assert created.config == dict(enabled=True, add={"X-Token": MASK}, remove=[])
    sim.put(HEADERS, dict(add={"X-Token": "new"}))
    removed = reconcile(client, headers(state="absent"), check_mode)
    assert (removed.before, removed.after) == (dict(enabled=True, add={"X-Token": MASK}, remove=[]), None)
    assert removed.config is None


def test_named_headers_are_masked(sim, client):
    sim.put(HEADERS, dict(add={"X-Mine": "old", "X-Other": "a"}))
    outcome = reconcile(client, headers(secret_headers=["x_mine"]), False)
    assert outcome.operation == "none"
    assert outcome.config["add"] == {"X-Mine": MASK, "X-Other": "a"}


@pytest.mark.parametrize("held", [dict(remove=["A"]), dict(add=None, remove=["A"])], ids=["left out", "null"])
def test_a_field_that_the_service_leaves_out_stays_so(sim, client, held):
    sim.add_fault("replace_body", method="GET", body=held)
    outcome = reconcile(client, headers(), False)
    assert outcome.config == held
    assert outcome.before == outcome.after == dict(enabled=True, add={}, remove=["A"])


def test_the_diff():
    outcome = Outcome("replace", None, None, dict(b=1, a="é"))
    assert outcome.diff("a title") == dict(
        before="", after='{\n  "a": "é",\n  "b": 1\n}\n', before_header="a title", after_header="a title"
    )
    assert Outcome("delete", None, dict(a=1), None).diff("x")["before"] == '{\n  "a": 1\n}\n'
