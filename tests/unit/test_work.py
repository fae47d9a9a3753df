# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The work of an edge module's own module, called as the module calls it: with validated options."""

from __future__ import annotations

import threading

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._errors import (
    ApiError,
    EdgeError,
    InputError,
    NotTriedError,
)
from ansible_collections.edgeops.edges.plugins.module_utils._http import Client
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK
from ansible_collections.edgeops.edges.plugins.module_utils._work import (
    Context,
    Work,
    failure,
    hidden_values,
    new_client,
    single_work,
)
from harness.samples import BACKEND, HEADERS

DESCRIPTIONS = {each.entry: each for each in _registry.DESCRIPTIONS}


def work_of(entry):
    return single_work(DESCRIPTIONS[entry])


def validated(work, base_url="http://localhost", **options):
    """The options as they are after validation: every one there, null where there is no default."""
    given = {name: option.get("default") for name, option in work.spec.items()}
    given.update(base_url=base_url, api_key="k3y", retries=0, retry_max_wait=0.05)
    return {**given, **options}


@pytest.fixture
def run(sim):
    """run(entry, context=, **options): the result of a module."""

    def runner(entry, context=None, **options):
        options.setdefault("api_key", sim.api_key)
        work = work_of(entry)
        return work.do(validated(work, sim.base_url, **options), context or Context())

    return runner


@pytest.mark.parametrize("entry", DESCRIPTIONS)
def test_what_a_module_is(entry):
    work, description = work_of(entry), DESCRIPTIONS[entry]
    assert work.name == description.name
    assert work.spec == _argspec.single_spec(description)
    assert work.required_if == _argspec.required_if(description)
    assert work.secret_rules == {each.name: each.rule for each in description.own_fields if each.rule.holds_secrets}


def test_a_result(sim, run):
    backend = dict(id="bkdtg_1", uri=sim.base_url + "/backends/tunnel_group/bkdtg_1")
    config = dict(enabled=True, backend=backend)
    changed = dict(changed=True, operation="replace", config=config)
    options = dict(edge_id="edgtcp_1", backend_id="bkdtg_1")
    assert run("backend", Context(check_mode=True), **options) == changed
    assert sim.writes == []
    assert run("backend", **options) == changed
    assert run("backend", **options) == dict(changed=False, operation="none", config=config)
    assert [(record.method, record.path) for record in sim.writes] == [("PUT", BACKEND)]


def test_a_diff_where_it_is_asked_for(sim, run):
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    result = run("backend", Context(diff=True), edge_id="edgtcp_1", state="absent")
    assert result == dict(
        changed=True,
        operation="delete",
        config=None,
        diff=dict(
            before='{\n  "backend_id": "bkdtg_1",\n  "enabled": true\n}\n',
            after="",
            before_header="tcp_edge_backend edgtcp_1",
            after_header="tcp_edge_backend edgtcp_1",
        ),
    )


def test_a_route(sim, run):
    result = run("request_headers", edge_id="edghts_1", route_id="edghtsrt_1", add={"X-Mine": "1"})
    assert result["config"] == dict(enabled=True, add={"X-Mine": "1"}, remove=[])
    assert [record.path for record in sim.log] == [HEADERS] * 2
    result = run("request_headers", edge_id="edghts_1", route_id="edghtsrt_1", secret_headers=["x-mine"])
    assert result["config"]["add"] == {"X-Mine": MASK}


def test_a_warning(sim, run):
    warnings = []
    sim.add_fault("replace_body", method="PUT", body=dict(enabled=True))
    run("backend", Context(warn=warnings.append), edge_id="edgtcp_1", backend_id="b")
    assert warnings == ["tcp_edge_backend edgtcp_1: the service holds something else than was asked for in backend_id"]
    sim.clear_faults()
    run("backend", Context(warn=warnings.append), edge_id="edgtcp_1", backend_id="c")
    assert len(warnings) == 1
    run("backend", edge_id="edgtcp_1", backend_id="d")  # nobody listens


def test_the_client_is_that_of_the_context(sim, run):
    made = []

    def new_client(connection, stop):
        made.append((connection.base_url, stop.is_set()))
        return Client(connection, stop=stop)

    run("backend", Context(new_client=new_client), edge_id="edgtcp_1", state="absent")
    assert made == [(sim.base_url, False)]


def test_a_client_sends_nothing_once_the_task_is_stopped(sim):
    stop = threading.Event()
    stop.set()
    client = new_client(validated(work_of("backend"), sim.base_url, api_key=sim.api_key), Context(), stop)
    with pytest.raises(NotTriedError):
        client.request("GET", BACKEND)
    assert sim.log == []


KEY_FAULT = "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs"


@pytest.mark.parametrize(
    "entry, options, faults",
    [
        ("backend", dict(edge_id="edgtls_1", backend_id=""), ["edge_id names another kind", "backend_id must not be"]),
        ("backend", dict(edge_id=" ", state="absent"), ["edge_id must not be blank"]),
        (
            "request_headers",
            dict(edge_id="edghtsrt_1", route_id="edghts_1", add={"A": "1"}, remove=["a"]),
            ["edge_id names another kind", "route_id names another kind", "add names A, and so does remove"],
        ),
    ],
    ids=["edge", "blank", "route"],
)
def test_every_fault_is_told_at_once(sim, run, entry, options, faults):
    for key, told in ((sim.api_key, faults), ("", [*faults, KEY_FAULT])):
        with pytest.raises(InputError) as caught:
            run(entry, api_key=key, **options)
        found = caught.value.faults
        assert len(found) == len(told)
        assert all(fault.startswith(beginning) for fault, beginning in zip(found, told)), found
    assert sim.log == []


def test_nothing_is_done_where_anything_is_wrong():
    """The faults of the module's own options come first, then those of the connection; all of them are found."""
    done = []
    faults = ["a is wrong"]
    work = Work("w", work_of("backend").spec, lambda params: iter(faults), lambda params, context: done.append(params))
    given = validated(work)
    for options, told in ((given, ["a is wrong"]), (dict(given, api_key=None), ["a is wrong", KEY_FAULT])):
        with pytest.raises(InputError) as caught:
            work.do(options, Context())
        assert caught.value.faults == told
    assert done == []
    faults.clear()
    with pytest.raises(InputError):
        work.do(dict(given, api_key=None), Context())
    assert done == []
    work.do(given, Context())
    assert done == [given]


def test_an_error_as_a_result():
    assert failure(EdgeError("no", changed=True)) == dict(failed=True, msg="no", changed=True)
    assert failure(InputError(["a", "b"])) == dict(failed=True, msg="a; b")
    error = ApiError("no", "PUT", "/x", 400, "C", "O", written=True)
    assert failure(error) == dict(failed=True, msg="no", changed=True, error=error.data)
    assert error.result == dict(changed=True)


def test_every_spelling_of_the_key_is_hidden():
    assert hidden_values({}) == hidden_values(dict(api_key=None)) == hidden_values(dict(api_key="")) == set()
    hidden = hidden_values(dict(api_key='k/"1'))
    assert {'k/"1', 'k/\\"1', "k%2F%221", "k/&quot;1"} <= hidden
    assert "12" in hidden_values(dict(api_key=12))


def test_options_are_cleaned_and_looked_at():
    work = work_of("backend")
    assert work.clean(dict(edge_id="e", backend_id=None, api_key=" ")) == dict(edge_id="e")
    assert work.faults(dict(edge_id="e")) == ["backend_id is required when state is present: set it, or change state"]
    assert work.faults(dict(edge_id="e", state="absent")) == []
    assert Work("w", work.spec, work.check, work.run).faults(dict(edge_id="e")) == []


def test_options_as_they_may_be_shown():
    given = dict(edge_id="e", api_key="k3y", add={"X-Token": "1", "X-Edge": "a"}, unknown="x")
    shown = dict(edge_id="e", api_key=MASK, add={"X-Token": MASK, "X-Edge": "a"}, unknown=MASK)
    assert work_of("request_headers").shown(given) == shown
    assert work_of("request_headers").shown(dict(add={"X-Edge": "a"}, secret_headers=["x-edge"]))["add"] == {
        "X-Edge": MASK
    }
