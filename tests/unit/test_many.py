# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The work of edge_modules and edge_modules_info, called as the modules call it: with validated options."""

from __future__ import annotations

import facts
import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _many, _registry, _scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._errors import (
    EdgeError,
    InputError,
)
from ansible_collections.edgeops.edges.plugins.module_utils._http import Client
from ansible_collections.edgeops.edges.plugins.module_utils._many import (
    info_work,
    jobs_of,
    modules_work,
)
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context
from harness.many import paths_of, with_unset
from harness.samples import BACKEND, HEADERS, POLICY, TERMINATION

LONG = "x" * 90
SHORT = "x" * 77 + "..."


@pytest.fixture
def run(sim):
    """run(make_work, options, **context): the result, and what was warned of."""

    def runner(make_work, options, **more):
        work = make_work()
        given = {name: option.get("default") for name, option in work.spec.items()}
        given.update(base_url=sim.base_url, api_key=sim.api_key, retries=0, retry_max_wait=0.05)
        given.update(options)
        warnings = []
        context = more.pop("context", None) or Context(warn=warnings.append, **more)
        return work.do(given, context), warnings

    return runner


def tcp(*ids, backend="bkdtg_1"):
    return dict(tcp_edges=[dict(id=one, backend=dict(backend_id=backend)) for one in ids])


def route(**entries):
    return dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", **entries)])])


def _names(edges):
    """The edge modules of one kind of edge."""
    return [name for name, module in facts.MODULES.items() if module.edges == edges]


def titles(jobs):
    return [job.title for job in jobs]


def reads(sim):
    return [record.path for record in sim.log]


# The options


def test_the_options_of_edge_modules():
    assert modules_work().name == "edge_modules"
    rules = modules_work().secret_rules
    for name, module in facts.MODULES.items():
        entries = rules[module.edges]["routes"] if "route_id" in module.prefixes else rules[module.edges]
        assert set(entries[module.entry]) == {field.name for field in module.fields if field.holds_secrets}, name
    assert modules_work().spec == {
        **_argspec.connection_spec(),
        **_argspec.nested_spec(_registry.DESCRIPTIONS),
        **_argspec.secret_spec(),
        **_argspec.control_spec(),
        "concurrency": dict(type="int", default=8),
        "purge": dict(type="bool", default=False),
    }


def test_the_options_of_edge_modules_info():
    assert info_work().name == "edge_modules_info"
    assert info_work().spec == {
        **_argspec.connection_spec(),
        **_argspec.ids_spec(_registry.DESCRIPTIONS),
        **_argspec.secret_spec(),
        "concurrency": dict(type="int", default=8),
        "include_secrets": dict(type="bool", default=False, no_log=False),
    }


# From options to jobs


def test_jobs_stand_list_by_list_in_the_order_given():
    options = dict(
        https_edges=[
            dict(
                id="edghts_1",
                routes=[
                    dict(id="edghtsrt_2", request_headers=dict(remove=["A"]), traffic_policy=dict(value={})),
                    dict(id="edghtsrt_1", traffic_policy=dict(state="absent"), request_headers=None),
                ],
            ),
            dict(id="edghts_2", routes=None),
            dict(id="edghts_3"),
            dict(id="edghts_4", routes=[dict(id="edghtsrt_1", request_headers={})]),
        ],
        tls_edges=[dict(id="edgtls_1", ip_restriction=None, tls_termination=dict(terminate_at="edge"))],
        tcp_edges=[dict(id="edgtcp_2", backend=dict(backend_id="b")), dict(id="edgtcp_1")],
    )
    jobs = jobs_of(options)
    assert list(_many.faults(dict(options, concurrency=8))) == []
    assert titles(jobs) == [
        "tcp_edge_backend edgtcp_2",
        "tls_edge_tls_termination edgtls_1",
        "https_edge_route_request_headers edghts_1 edghtsrt_2",
        "https_edge_route_traffic_policy edghts_1 edghtsrt_2",
        "https_edge_route_traffic_policy edghts_1 edghtsrt_1",
        "https_edge_route_request_headers edghts_4 edghtsrt_1",
    ]
    assert [job.wanted for job in jobs] == [
        dict(enabled=True, backend_id="b"),
        dict(enabled=True, terminate_at="edge"),
        dict(enabled=True, remove=["A"]),
        dict(enabled=True, value={}),
        None,
        dict(enabled=True),
    ]


def test_no_lists_no_jobs():
    for options in ({}, dict(tcp_edges=None, purge=True)):
        assert jobs_of(options) == list(_many.faults(dict(options, concurrency=8))) == []


def test_purge_removes_what_is_not_named():
    options = dict(
        tcp_edges=[dict(id="edgtcp_1"), dict(id="edgtcp_2", backend=dict(backend_id="b"))],
        **route(request_headers={}),
    )
    jobs = jobs_of(dict(options, purge=True))
    named = ["tcp_edge_backend edgtcp_2", "https_edge_route_request_headers edghts_1 edghtsrt_1"]
    of_tcp, of_routes = _names("tcp_edges"), _names("https_edges")
    every = ["%s edgtcp_%d" % (name, number) for number in (1, 2) for name in of_tcp]
    every += ["%s edghts_1 edghtsrt_1" % name for name in of_routes]
    assert sorted(job.title for job in jobs) == sorted(every)
    assert [job.title for job in jobs if job.wanted is not None] == named
    assert len(jobs_of(dict(options, purge=False))) == 2


def test_secrets_are_those_of_the_whole_task():
    """Headers may be named for the task or for an entry; what one job knows no other quotes."""
    options = route(request_headers=dict(add={"X-Mine": "m1ne-value"}, secret_headers=["X-Third"]))
    options.update(tcp("edgtcp_1"), purge=True, secret_headers=["x_mine"])
    jobs = jobs_of(options)
    assert len(jobs) == len(_names("tcp_edges")) + len(_names("https_edges"))
    named = {"https_edge_route_request_headers": {"x-mine", "x-third"}}
    for job in jobs:
        assert job.secret_names.headers == named.get(job.description.name, {"x-mine"})
        assert job.hide("m1ne-value") == "********"
    assert jobs_of(tcp("edgtcp_1"))[0].secret_names.headers == set()


WRONG = {
    "ids": (
        dict(tcp_edges=[dict(id="a/b")], tls_edges=[dict(id="edgtls_1"), dict(id=" ")]),
        [
            'tcp_edges[0].id may contain letters, digits, _, -, . and ~ only, not "a/b"',
            "tls_edges[1].id must not be blank",
        ],
    ),
    "kinds of ids": (
        dict(tcp_edges=[dict(id="edgtls_1")], https_edges=[dict(id="edghts_1", routes=[dict(id="edghts_2")])]),
        [
            "tcp_edges[0].id names another kind of resource: edgtls_1 begins with edgtls_, not with edgtcp_",
            "https_edges[0].routes[0].id (edghts_1) names another kind of resource: edghts_2 begins with edghts_, "
            "not with edghtsrt_",
        ],
    ),
    "edges listed twice": (
        dict(
            tcp_edges=[dict(id="a"), dict(id="b"), dict(id="a"), dict(id="a")],
            tls_edges=[dict(id="a")],
            https_edges=[dict(id=LONG), dict(id=LONG)],
        ),
        [
            "tcp_edges[2].id: a is listed twice, first in tcp_edges[0].id: join the two",
            "tcp_edges[3].id: a is listed twice, first in tcp_edges[0].id: join the two",
            "https_edges[1].id: %s is listed twice, first in https_edges[0].id: join the two" % SHORT,
        ],
    ),
    "routes listed twice": (
        dict(
            https_edges=[
                dict(id="a", routes=[dict(id="r"), dict(id="s"), dict(id="r")]),
                dict(id="b", routes=[dict(id="r")]),
            ]
        ),
        ["https_edges[0].routes[2].id (a): r is listed twice, first in https_edges[0].routes[0].id: join the two"],
    ),
    "entries": (
        dict(tcp("edgtcp_1", "edgtcp_2", backend=" "), **route(request_headers=dict(add={"A": "1"}, remove=["a"]))),
        [
            "tcp_edges[0].backend.backend_id (edgtcp_1) must not be blank or contain white space",
            "tcp_edges[1].backend.backend_id (edgtcp_2) must not be blank or contain white space",
            "https_edges[0].routes[0].request_headers.add (edghts_1 edghtsrt_1) names A, and so does remove",
        ],
    ),
}


@pytest.mark.parametrize("options, faults", WRONG.values(), ids=WRONG)
def test_what_is_wrong_names_its_place(run, sim, options, faults):
    assert list(_many.faults(dict(options, concurrency=8))) == faults
    with pytest.raises(InputError) as caught:
        run(modules_work, dict(options, concurrency=0, api_key=""))
    assert caught.value.faults == [
        *faults,
        "concurrency must be at least 1, not 0",
        "api_key is required: set it, or EDGE_API_KEY in the environment where the module runs",
    ]
    assert sim.log == []


# edge_modules


def test_a_run(sim, run):
    sim.put("/edges/tcp/edgtcp_2/backend", dict(backend_id="bkdtg_1"))
    sim.put(HEADERS, dict(add={"X-Token": "old"}))
    options = dict(tcp("edgtcp_1", "edgtcp_2"), **route(request_headers=dict(add={"X-Token": "new"})))
    result, warnings = run(modules_work, options)
    backend = dict(id="bkdtg_1", uri=sim.base_url + "/backends/tunnel_group/bkdtg_1")
    one = dict(edge_id="edgtcp_1", route_id=None, name=None, module="tcp_edge_backend")
    config = dict(enabled=True, backend=backend)
    headers = dict(edge_id="edghts_1", route_id="edghtsrt_1", name=None, module="https_edge_route_request_headers")
    assert warnings == []
    plan = result.pop("plan")
    assert sorted(plan["changes"]) == [
        "https_edge_route_request_headers edghts_1 edghtsrt_1",
        "tcp_edge_backend edgtcp_1",
    ]
    assert result == dict(
        changed=True,
        backup_file=None,
        refused=False,
        set_before=2,
        msg="2 changed, 1 unchanged, 0 failed",
        dry_run=False,
        base_url=sim.base_url,
        results=[
            dict(
                one,
                changed=True,
                operation="replace",
                config=config,
                before=None,
                after=dict(enabled=True, backend_id="bkdtg_1"),
            ),
            dict(one, edge_id="edgtcp_2", changed=False, operation="none", config=config),
            dict(
                headers,
                changed=True,
                operation="replace",
                config=dict(enabled=True, add={"X-Token": MASK}, remove=[]),
                before=dict(enabled=True, add={"X-Token": MASK}, remove=[]),
                after=dict(enabled=True, add={"X-Token": CHANGED_MASK}, remove=[]),
            ),
        ],
        summary=dict(total=3, changed=2, removed=0, unchanged=1, failed=0),
    )
    assert {(record.method, record.path) for record in sim.writes} == {("PUT", BACKEND), ("PUT", HEADERS)}


def test_a_dry_run(sim, run):
    result, dummy = run(modules_work, tcp("edgtcp_1"), check_mode=True, diff=True)
    assert result["dry_run"] is True
    assert result["summary"] == dict(total=1, changed=1, removed=0, unchanged=0, failed=0)
    assert result["diff"] == [
        dict(
            before="",
            after='{\n  "backend_id": "bkdtg_1",\n  "enabled": true\n}\n',
            before_header="tcp_edge_backend edgtcp_1",
            after_header="tcp_edge_backend edgtcp_1",
        )
    ]
    assert sim.writes == []


def test_a_name_stands_beside_the_ids_and_is_never_sent(sim, run):
    options = dict(
        tcp_edges=[dict(id="edgtcp_1", name="shop", backend=dict(backend_id="bkdtg_1"))],
        tls_edges=[dict(id="edgtls_1", name=None, tls_termination=dict(terminate_at="edge"))],
        https_edges=[
            dict(
                id="edghts_1",
                name="pages",
                routes=[dict(id="edghtsrt_1", name="first", request_headers=dict(remove=["A"]))],
            )
        ],
    )
    sim.add_fault(method="PUT", path=BACKEND, status=500, body="no")
    with pytest.raises(EdgeError) as caught:
        run(modules_work, options, diff=True)
    result = caught.value.result
    assert [one["name"] for one in result["results"]] == ["shop", None, "first"]
    assert [one["before_header"] for one in result["diff"]] == [
        "tls_edge_tls_termination edgtls_1",
        "https_edge_route_request_headers edghts_1 edghtsrt_1 (first)",
    ]
    assert str(caught.value).endswith(" failed: tcp_edge_backend edgtcp_1 (shop): PUT %s answered 500: no" % BACKEND)
    sent = [(record.path, record.body) for record in sim.log]
    for name in ("shop", "pages", "first"):
        assert name not in str(sent)


def test_a_warning_names_the_edge_module(sim, run):
    sim.add_fault("replace_body", method="PUT", path=BACKEND, body=dict(enabled=True))
    result, warnings = run(modules_work, tcp("edgtcp_1", "edgtcp_2"))
    assert result["summary"]["changed"] == 2
    assert warnings == ["tcp_edge_backend edgtcp_1: the service holds something else than was asked for in backend_id"]


def test_a_failure_returns_what_was_done_beside_it(sim, run):
    sim.add_fault(method="PUT", path=BACKEND, status=500, body="no")
    with pytest.raises(EdgeError) as caught:
        run(modules_work, tcp("edgtcp_1", "edgtcp_2"), diff=True)
    error = caught.value
    text = "PUT %s answered 500: no" % BACKEND
    assert str(error) == "1 changed, 0 unchanged, 1 failed: tcp_edge_backend edgtcp_1: " + text
    assert "msg" not in error.result
    assert (error.result["dry_run"], error.result["base_url"]) == (False, sim.base_url)
    assert error.result["changed"] is True
    assert error.result["summary"] == dict(total=2, changed=1, removed=0, unchanged=0, failed=1)
    assert [one["before_header"] for one in error.result["diff"]] == ["tcp_edge_backend edgtcp_2"]
    first, second = error.result["results"]
    assert first["error"]["msg"] == text
    assert (second["operation"], "error" in second) == ("replace", False)


def test_warnings_of_a_task_that_failed(sim, run):
    """They are told all the same."""
    sim.add_fault("replace_body", method="PUT", path=BACKEND, body=dict(enabled=True))
    sim.add_fault(method="PUT", status=500)
    told = []
    with pytest.raises(EdgeError):
        run(modules_work, tcp("edgtcp_1", "edgtcp_2"), context=Context(warn=told.append))
    assert told == ["tcp_edge_backend edgtcp_1: the service holds something else than was asked for in backend_id"]


@pytest.mark.parametrize(
    "work, options", [(modules_work, tcp("a", "b", "c", "d")), (info_work, dict(tcp_edges=list("abcd")))]
)
def test_side_by_side(sim, run, work, options):
    sim.configure(latency=0.05)
    run(work, dict(options, concurrency=2), check_mode=True)
    assert sim.max_in_flight == 2


@pytest.mark.parametrize("work, options", [(modules_work, tcp("a", "b")), (info_work, dict(tcp_edges=["a", "b"]))])
def test_the_client_is_that_of_the_context(sim, run, work, options):
    made = []

    def new_client(connection, stop):
        made.append((connection.base_url, stop))
        return Client(connection, stop=stop)

    run(work, options, new_client=new_client)
    ((base_url, stop),) = made
    assert base_url == sim.base_url
    assert not stop.is_set()


@pytest.mark.parametrize(
    "work, options, name",
    [(modules_work, tcp("a"), "edge_modules"), (info_work, dict(tcp_edges=["a"]), "edge_modules_info")],
    ids=["edge_modules", "edge_modules_info"],
)
def test_progress_is_said(sim, run, monkeypatch, work, options, name):
    monkeypatch.setattr(_scheduler, "_QUIET", 0)
    monkeypatch.setattr(_scheduler, "_EVERY", 0)
    monkeypatch.setattr(_scheduler, "_TICK", 0.01)
    sim.configure(latency=20)
    said = []

    def say(text):
        said.append(text)
        sim.clear_faults()  # lets the requests that wait have their answer

    run(work, options, say=say, check_mode=True)
    total = len(_names("tcp_edges")) if work is info_work else 1
    assert said[0] == "%s: 0 of %d edge modules done" % (name, total)


@pytest.fixture
def interrupted(monkeypatch):
    """The task is interrupted once all is done: the moment when there is most to tell."""
    wait = _scheduler.wait

    def wait_then_stop(*arguments, **more):
        wait(*arguments, timeout=None, return_when=_scheduler.FIRST_EXCEPTION)
        raise KeyboardInterrupt

    monkeypatch.setattr(_scheduler, "wait", lambda running, **more: wait_then_stop(running))


def test_an_interruption_tells_what_was_written(sim, run, interrupted):
    sim.put(BACKEND, dict(backend_id="bkdtg_1"))
    context = Context(diff=True)
    with pytest.raises(KeyboardInterrupt):
        run(modules_work, tcp("edgtcp_1", "edgtcp_2"), context=context)
    partial = context.partial
    assert partial["msg"] == (
        "The task was stopped: 1 of 2 edge modules were written before: tcp_edge_backend edgtcp_2"
    )
    assert partial["summary"] == dict(total=2, changed=1, removed=0, unchanged=1, failed=0)
    assert len(partial["diff"]) == 1
    assert partial["changed"] is True


def test_an_interrupted_dry_run_wrote_nothing(sim, run, interrupted):
    context = Context(check_mode=True)
    with pytest.raises(KeyboardInterrupt):
        run(modules_work, tcp("edgtcp_1"), context=context)
    assert context.partial["msg"] == "The task was stopped: it was a dry run: nothing was written"
    assert "diff" not in context.partial


def test_an_interrupted_read_has_nothing_to_tell(sim, run, interrupted):
    context = Context()
    with pytest.raises(KeyboardInterrupt):
        run(info_work, dict(tcp_edges=["edgtcp_1"]), context=context)
    assert context.partial is None


# edge_modules_info


def test_what_is_set_and_what_is_not(sim, run):
    sim.put(BACKEND, dict(backend_id="bkdtg_1", enabled=False))
    sim.put(TERMINATION, dict(terminate_at="edge"))
    sim.put(POLICY, dict(value='{"inbound":[]}'))
    result, warnings = run(
        info_work,
        dict(
            tcp_edges=["edgtcp_1"],
            tls_edges=["edgtls_1"],
            https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"]), dict(id="edghts_2", routes=[])],
        ),
    )
    assert warnings == [
        "https_edges[1] (edghts_2) lists no routes, so nothing of it is read: list the ids of its routes"
    ]
    lists = dict(
        tcp_edges=[dict(id="edgtcp_1", backend=dict(enabled=False, backend_id="bkdtg_1"))],
        tls_edges=[
            dict(
                id="edgtls_1",
                tls_termination=dict(enabled=True, terminate_at="edge", min_version="default"),
            )
        ],
        https_edges=[
            dict(
                id="edghts_1",
                routes=[
                    dict(
                        id="edghtsrt_1",
                        traffic_policy=dict(enabled=True, value=dict(inbound=[])),
                    )
                ],
            ),
            dict(id="edghts_2", routes=[]),
        ],
    )
    assert result == dict(with_unset(lists), changed=False, refused=[])
    assert sorted(reads(sim)) == sorted(paths_of(with_unset(lists)))


def test_lists_that_are_not_given_are_empty(sim, run):
    lists = dict(tcp_edges=[], tls_edges=[], https_edges=[])
    assert run(info_work, dict(tcp_edges=None)) == (dict(lists, refused=[], changed=False), [])


@pytest.mark.parametrize(
    "options, shown",
    [
        ({}, {"X-Token": MASK, "X-Mine": "m1ne-value"}),
        (dict(secret_headers=["x-mine"]), {"X-Token": MASK, "X-Mine": MASK}),
        (dict(secret_headers=["x-mine"], include_secrets=True), {"X-Token": "t0ken-value", "X-Mine": "m1ne-value"}),
    ],
    ids=["by name", "named", "asked for"],
)
def test_secrets_that_were_read(sim, run, options, shown):
    sim.put(HEADERS, dict(add={"X-Token": "t0ken-value", "X-Mine": "m1ne-value"}))
    result, dummy = run(info_work, dict(options, https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])]))
    assert result["https_edges"][0]["routes"][0]["request_headers"]["add"] == shown


def test_a_version_that_means_nothing_is_not_given_back(sim, run):
    sim.add_fault("replace_body", path=TERMINATION, body=dict(terminate_at="upstream", min_version="1.2"))
    result, warnings = run(info_work, dict(tls_edges=["edgtls_1"]))
    assert result["tls_edges"][0]["tls_termination"] == dict(enabled=True, terminate_at="upstream")
    assert warnings == []


GIVEN_BACK = {
    "a required field that is missing": (
        BACKEND,
        dict(enabled=True),
        dict(tcp_edges=["edgtcp_1"]),
        "tcp_edge_backend edgtcp_1: cannot be given back: the service names no backend_id",
    ),
    "a value that no task may ask for": (
        TERMINATION,
        dict(terminate_at="edge", min_version="new"),
        dict(tls_edges=["edgtls_1"]),
        "tls_edge_tls_termination edgtls_1: cannot be given back: "
        'min_version must be a dotted number such as 1.3, or default, not "new"',
    ),
    "what cannot stand together": (
        HEADERS,
        dict(add={"X-A": "1"}, remove=["x-a"]),
        dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])]),
        "https_edge_route_request_headers edghts_1 edghtsrt_1: cannot be given back: add names X-A, and so does remove",
    ),
}


@pytest.mark.parametrize("path, answer, options, warning", GIVEN_BACK.values(), ids=GIVEN_BACK)
def test_what_cannot_be_given_back_is_warned_of(sim, run, path, answer, options, warning):
    sim.add_fault("replace_body", path=path, body=answer)
    dummy, warnings = run(info_work, options)
    assert warnings == [warning]


def test_what_is_missing_hides_nothing_else(sim, run):
    sim.add_fault("replace_body", path=TERMINATION, body=dict(enabled=False, min_version="1.2"))
    result, warnings = run(info_work, dict(tls_edges=["edgtls_1"]))
    assert result["tls_edges"][0]["tls_termination"] == dict(enabled=False, min_version="1.2")
    assert warnings == ["tls_edge_tls_termination edgtls_1: cannot be given back: the service names no terminate_at"]


def test_a_read_that_fails(sim, run):
    sim.add_fault(path=BACKEND, status=500, body="no")
    with pytest.raises(EdgeError) as caught:
        run(info_work, dict(tcp_edges=["edgtcp_1", "edgtcp_2"]))
    assert str(caught.value) == (
        "1 of %d edge modules could not be read: tcp_edge_backend edgtcp_1: GET %s answered 500: no"
        % (2 * len(_names("tcp_edges")), BACKEND)
    )
    assert caught.value.result == {}


def test_a_read_quotes_no_secret_that_became_known_later(sim, run):
    other = HEADERS.replace("edghtsrt_1", "edghtsrt_2")
    sim.put(HEADERS, dict(add={"X-Mine": "m1ne-value"}))
    sim.add_fault(path=other, status=500, body="not m1ne-value")
    options = dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_2", "edghtsrt_1"])], concurrency=1)
    with pytest.raises(EdgeError, match="answered 500: not \\*{8}$"):
        run(info_work, dict(options, secret_headers=["X-Mine"]))


def test_a_read_quotes_no_secret_of_another(sim, run):
    """The service may quote what one route holds in an error about the next."""
    other = HEADERS.replace("edghtsrt_1", "edghtsrt_2")
    sim.put(HEADERS, dict(add={"X-Mine": "m1ne-value"}))
    sim.add_fault(path=other, status=500, body="not m1ne-value")
    options = dict(https_edges=[dict(id="edghts_1", routes=["edghtsrt_1", "edghtsrt_2"])], concurrency=1)
    with pytest.raises(EdgeError, match="answered 500: not \\*{8}$"):
        run(info_work, dict(options, secret_headers=["X-Mine"]))


@pytest.mark.parametrize(
    "options, faults",
    [
        (
            dict(tcp_edges=["a", "edgtls_1", "a"], tls_edges=["a"]),
            [
                "tcp_edges[1] names another kind of resource: edgtls_1 begins with edgtls_, not with edgtcp_",
                "tcp_edges[2]: a is listed twice, first in tcp_edges[0]: join the two",
            ],
        ),
        (
            dict(https_edges=[dict(id="a", routes=["r", "r", " "]), dict(id="a", routes=["r"])]),
            [
                "https_edges[0].routes[1] (a): r is listed twice, first in https_edges[0].routes[0]: join the two",
                "https_edges[0].routes[2] (a) must not be blank",
                "https_edges[1].id: a is listed twice, first in https_edges[0].id: join the two",
                "https_edges[1].routes[0] (a): r is listed twice, first in https_edges[0].routes[0]: join the two",
            ],
        ),
    ],
    ids=["edges", "routes"],
)
def test_what_is_wrong_with_ids_names_their_place(sim, run, options, faults):
    with pytest.raises(InputError) as caught:
        run(info_work, dict(options, concurrency=-1))
    assert caught.value.faults == [*faults, "concurrency must be at least 1, not -1"]
    assert sim.log == []
