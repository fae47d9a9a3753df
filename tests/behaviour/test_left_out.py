# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task does about options left out, cleared or null, and about a service that does something of its own."""

from __future__ import annotations

import json

import facts
import harness
import pytest
from harness import model
from harness.samples import (
    BACKEND,
    HEADERS,
    POLICY,
    RESTRICTION,
    ROUTE_IDS,
    SAMPLES,
    TCP_IDS,
    TERMINATION,
    TLS_IDS,
    sample_of,
)
from simulator import Simulator

REQUEST_HEADERS = "https_edge_route_request_headers"
TRAFFIC_POLICY = "https_edge_route_traffic_policy"


def _twice(sim, run, module, options):
    """Run a task as a dry run, then for real, then again; return the PUT's body, and what the service holds."""
    dry = run(module, options, check=True)
    assert (dry.changed, sim.writes) == (True, [])
    real = run(module, options)
    assert not real.failed, real.data
    assert (real.changed, real.operation, real.diff) == (True, "replace", dry.diff)
    assert model.comparable(module, dry.config) == model.comparable(module, real.config)
    assert run(module, options).changed is False
    (put,) = sim.writes
    return put.body


# module, path, what the service holds, the task's options, what is sent
LEFT_OUT = {
    "naming add alone leaves remove": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old", "Via"]),
        dict(add={"B": "2"}),
        dict(enabled=True, add={"B": "2"}, remove=["X-Old", "Via"]),
    ),
    "naming remove alone leaves add": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(remove=["Via"]),
        dict(enabled=True, add={"A": "1"}, remove=["Via"]),
    ),
    "switching headers off leaves both": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(enabled=False),
        dict(enabled=False, add={"A": "1"}, remove=["X-Old"]),
    ),
    "an empty dict clears add alone": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(add={}),
        dict(enabled=True, add={}, remove=["X-Old"]),
    ),
    "an empty list clears remove alone": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(add={"A": "1"}, remove=["X-Old"]),
        dict(remove=[]),
        dict(enabled=True, add={"A": "1"}, remove=[]),
    ),
    "an empty list clears the policies": (
        ("tls_edge_ip_restriction", RESTRICTION, TLS_IDS),
        dict(ip_policy_ids=["ipp_1"]),
        dict(ip_policy_ids=[]),
        dict(enabled=True, ip_policy_ids=[]),
    ),
    "an empty policy clears the policy": (
        (TRAFFIC_POLICY, POLICY, ROUTE_IDS),
        dict(value='{"inbound":[]}'),
        dict(value={}),
        dict(enabled=True, value="{}"),
    ),
    "disabling a termination leaves min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge", enabled=False),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
    ),
    "enabling a termination leaves min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge"),
        dict(enabled=True, terminate_at="edge", min_version="1.3"),
    ),
    "to upstream drops min_version": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="upstream"),
        dict(enabled=True, terminate_at="upstream", min_version=None),
    ),
    "enabled left out is true": (
        ("tcp_edge_backend", BACKEND, TCP_IDS),
        dict(enabled=False, backend_id="bkdtg_1"),
        dict(backend_id="bkdtg_1"),
        dict(enabled=True, backend_id="bkdtg_1"),
    ),
    "null is left out, and no empty value": (
        (REQUEST_HEADERS, HEADERS, ROUTE_IDS),
        dict(enabled=False, add={"A": "1"}, remove=["X-Old"]),
        dict(add=None, remove=["Via"], enabled=None, state=None, secret_headers=None, timeout=None),
        dict(enabled=True, add={"A": "1"}, remove=["Via"]),
    ),
    "a null min_version is left out": (
        ("tls_edge_tls_termination", TERMINATION, TLS_IDS),
        dict(terminate_at="edge", min_version="1.3"),
        dict(terminate_at="edge", min_version=None, enabled=False),
        dict(enabled=False, terminate_at="edge", min_version="1.3"),
    ),
}


@pytest.mark.pitfall("8", "15", "16", "17", "40")
@pytest.mark.parametrize("empty_fields", ["kept", "omitted"])
@pytest.mark.parametrize("where, held, options, sent", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_an_option_left_out_or_cleared_does(sim, run, where, held, options, sent, empty_fields):
    sim.configure(empty_fields=empty_fields)
    module, path, ids = where
    sim.put(path, held)
    assert _twice(sim, run, module, {**ids, **options}) == sent


@pytest.mark.pitfall("10", "17", "40")
def test_a_version_that_the_service_chose_is_carried_by_the_next_change(sim, run):
    """Raising another field never silently lowers min_version, whatever the service's default becomes."""
    sim.configure(default_min_version="1.2")
    task = dict(TLS_IDS, terminate_at="edge")
    created = run("tls_edge_tls_termination", task)
    assert (created.config["min_version"], created.warnings) == ("1.2", [])
    assert not run("tls_edge_tls_termination", task).changed
    run("tls_edge_tls_termination", dict(task, enabled=False))
    assert sim.writes[-1].body == dict(enabled=False, terminate_at="edge", min_version="1.2")
    run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="upstream"))
    run("tls_edge_tls_termination", task)
    assert sim.writes[-1].body == dict(enabled=True, terminate_at="edge", min_version=None)


@pytest.mark.pitfall("40")
def test_min_version_with_upstream_is_refused_and_nothing_is_sent(sim, run):
    result = run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="upstream", min_version="1.2"))
    assert result.failed
    assert result.msg == "min_version must be left out when terminate_at is upstream"
    assert sim.log == []


@pytest.mark.parametrize("version", ["", "1", "1.", ".2", "1.2.", "v1.2", "TLSv1.2", "1.2 ", "1,2", "1.2\n", "١.٢"])
def test_a_min_version_that_is_no_dotted_number_is_refused(sim, run, version):
    result = run("tls_edge_tls_termination", dict(TLS_IDS, terminate_at="edge", min_version=version))
    assert result.failed
    assert "min_version must be a dotted number such as 1.3, not " in result.msg
    assert sim.log == []


@pytest.mark.parametrize(
    "module, needed",
    [(name, field.name) for name, module in facts.MODULES.items() for field in module.fields if field.required],
)
@pytest.mark.parametrize("given", [{}, None], ids=["left out", "null"])
def test_what_is_required_when_present(sim, run, module, needed, given):
    sample = sample_of(module)
    options = sample.options({} if given == {} else {needed: None})
    result = run(module, options)
    assert result.failed
    assert "%s is required when state is present" % needed in result.msg
    assert sim.log == []
    assert not run(module, dict(options, state="absent")).failed


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_absent_ignores_the_other_options(sim, run, sample):
    """They may be anything then: a task of present becomes one of absent by one word."""
    nonsense = {name: {"no": ["such", {"value": None}]} for name in (*sample.a, *sample.b)}
    sim.put(sample.path, sample.stored_a)
    for options in (sample.a, sample.b, nonsense):
        assert run(sample.module, sample.options(options, state="absent"), check=True).operation == "delete"
    result = run(sample.module, sample.options(nonsense, state="absent"))
    assert (result.operation, result.config) == ("delete", None)
    assert sim.resources == {}


@pytest.mark.pitfall("39")
@pytest.mark.parametrize(
    "sample, answer, fields",
    [
        (sample_of("tcp_edge_backend"), dict(enabled=True, backend=dict(id="bkdtg_9", uri="x")), "backend_id"),
        (sample_of("tcp_edge_backend"), dict(enabled=False, backend=None), "enabled, backend_id"),
        (sample_of("tls_edge_ip_restriction"), dict(enabled=True), "ip_policy_ids"),
        (sample_of("tls_edge_tls_termination"), dict(terminate_at="upstream"), "terminate_at, min_version"),
        (sample_of(TRAFFIC_POLICY), dict(enabled=True, value='{"inbound":[]}'), "value"),
        (sample_of(TRAFFIC_POLICY), dict(enabled=True, value="rewritten"), "value"),
        (sample_of(REQUEST_HEADERS), dict(enabled=False, add={}), "enabled, add, remove"),
    ],
    ids=lambda value: value.module if hasattr(value, "module") else None,
)
def test_an_answer_to_put_that_differs_from_what_was_asked_warns(sim, run, sample, answer, fields):
    """The task succeeds: it returns what the service says it holds, and names the fields."""
    sim.add_fault("replace_body", method="PUT", path=sample.path, body=answer)
    result = run(sample.module, sample.options(sample.a))
    assert (result.failed, result.changed, result.operation, result.config) == (False, True, "replace", answer)
    (warning,) = result.warnings
    title = " ".join((sample.module, *sample.ids.values()))
    assert warning == "%s: the service holds something else than was asked for in %s" % (title, fields)


@pytest.mark.pitfall("39")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_a_service_in_order_causes_no_warning(sim, run, sample):
    sim.configure(empty_fields="omitted", header_names="lower", remove_order="sorted", default_min_version="1.2")
    for options in (sample.a, sample.b, sample.a):
        assert run(sample.module, sample.options(options)).warnings == []


@pytest.mark.parametrize(
    "answer", [[], "text", 1, True, {"enabled": "yes"}, {"add": {"A": 1}}, {"remove": "A"}], ids=json.dumps
)
def test_an_answer_that_does_not_fit_is_an_error_never_not_set(sim, run, answer):
    sim.add_fault("replace_body", method="GET", body=answer if isinstance(answer, dict) else json.dumps(answer))
    for state in ("present", "absent"):
        result = run(REQUEST_HEADERS, dict(ROUTE_IDS, state=state))
        assert (result.failed, result.changed) == (True, False)
        assert result.msg.startswith("GET %s answered 200, " % HEADERS)
    assert sim.writes == []


@pytest.mark.pitfall("34")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_an_edge_that_does_not_exist(sim, run, sample):
    """A dry run cannot tell it from a module that is not set; the run fails and says so; absent is done already."""
    sim.configure(edges=["edgtcp_0"])
    dry = run(sample.module, sample.options(sample.a), check=True)
    assert (dry.failed, dry.operation) == (False, "replace")
    result = run(sample.module, sample.options(sample.a))
    assert (result.failed, result.changed) == (True, False)
    route = " or no such route" if "route_id" in sample.ids else ""
    assert result.msg.startswith("PUT %s answered 404: no such edge or route" % sample.path)
    assert result.msg.endswith("There is no such edge%s: check the id" % route)
    gone = run(sample.module, sample.options(state="absent"))
    assert (gone.failed, gone.operation) == (False, "none")


def test_an_edge_that_exists(sim, run):
    sim.configure(edges=["edgtcp_1", "edghts_1/edghtsrt_1"])
    assert run("tcp_edge_backend", dict(TCP_IDS, backend_id="b")).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS)).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, route_id="edghtsrt_2")).failed


@pytest.mark.pitfall("34")
@pytest.mark.parametrize("answer", ["404", "204"])
def test_a_removal_that_someone_else_did_first_is_done(sim, run, answer):
    sim.configure(delete_not_set=answer)
    sim.add_fault("replace_body", method="GET", body=dict(enabled=True, backend=dict(id="b", uri="u")))
    result = run("tcp_edge_backend", dict(TCP_IDS, state="absent"))
    assert (result.failed, result.operation, result.config) == (False, "delete", None)
    assert [record.status for record in sim.writes] == [int(answer)]


@pytest.mark.parametrize("by", ["option", "environment"])
def test_another_version_and_another_name_of_its_header(sim, run, by):
    sim.configure(api_version="2026-01", version_header="X-Brand-Version")
    options, env = dict(api_version="2026-01", version_header="X-Brand-Version"), {}
    if by == "environment":
        options, env = {}, {"EDGE_API_VERSION": "2026-01", "EDGE_API_VERSION_HEADER": "X-Brand-Version"}
    assert run("tcp_edge_backend", dict(TCP_IDS, backend_id="b", **options), env=env).changed
    for record in sim.log:
        assert record.headers["X-Brand-Version"] == "2026-01"
        assert "Service-Version" not in record.headers


@pytest.mark.parametrize("slashes", ["", "/", "//"])
@pytest.mark.parametrize("path", ["", "/api/v9"])
def test_a_base_url_with_a_path_and_with_slashes_at_its_end(sim, run, path, slashes):
    sim.configure(base_path=path)
    options = dict(TCP_IDS, backend_id="bkdtg_1", base_url=sim.root_url + path + slashes)
    dry, real = run("tcp_edge_backend", options, check=True), run("tcp_edge_backend", options)
    assert [record.status for record in sim.log] == [404, 404, 200]
    assert dry.config == real.config
    assert real.config["backend"]["uri"] == sim.root_url + path + "/backends/tunnel_group/bkdtg_1"


@pytest.mark.pitfall("0.13", "14")
@pytest.mark.parametrize("value", [True, False, 1.1, 1.0, None, [], ["a"], {"a": "b"}], ids=repr)
def test_a_header_value_that_yaml_did_not_read_as_text_is_refused_by_name(sim, run, value):
    result = run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-Fine": "1", "X-Wrong": value}))
    assert result.failed
    assert result.msg.startswith("add.X-Wrong must be text or a whole number")
    assert ("quote it" in result.msg) is isinstance(value, (bool, float))
    assert sim.log == []


@pytest.mark.pitfall("14")
def test_whole_numbers_are_sent_as_their_decimal_text(sim, run):
    numbers = {"X-A": 3, "X-B": -1, "X-C": 0, "X-D": 10**30}
    texts = {name: str(number) for name, number in numbers.items()}
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add=numbers)).changed
    assert sim.writes[-1].body["add"] == texts
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=texts)).changed
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=numbers)).changed


@pytest.mark.pitfall("0.14")
@pytest.mark.parametrize("text", ["X-A=1, X-B=b", '{"X-A": "1", "X-B": "b"}', "{'X-A': '1', 'X-B': 'b'}"])
def test_headers_as_text_are_read_as_ansible_reads_any_dict(sim, run, text):
    sim.put(HEADERS, dict(add={"X-A": "1", "X-B": "b"}))
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=text)).changed


@pytest.mark.pitfall("8")
def test_an_empty_header_value_is_a_value(sim, run):
    """It is neither "not given" nor the same as no header."""
    sim.put(HEADERS, dict(add={"X-A": ""}))
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-A": ""})).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={})).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-A": ""})).changed


@pytest.mark.pitfall("13")
@pytest.mark.parametrize(
    "options, message",
    [
        (dict(add={"X-A": "1", "x-a": "1"}), "add holds X-A and x-a: names that differ only in case are one"),
        (dict(add={"X-A": "1"}, remove=["x-a"]), "add: X-A stands in remove too"),
    ],
)
def test_names_that_contradict_each_other_are_refused(sim, run, options, message):
    result = run(REQUEST_HEADERS, dict(ROUTE_IDS, **options))
    assert (result.failed, result.msg) == (True, message)
    assert sim.log == []


@pytest.mark.pitfall("13", "17")
def test_a_named_header_that_the_service_removes_is_refused_after_the_get(sim, run):
    sim.put(HEADERS, dict(remove=["X-A"]))
    for check in (True, False):
        result = run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"x-a": "1"}), check=check)
        assert (result.failed, result.changed) == (True, False)
        assert "x-a stands in remove too" in result.msg
        assert "name both" in result.msg
    assert sim.writes == []
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"x-a": "1"}, remove=[])).changed


@pytest.mark.pitfall("21")
def test_a_changed_policy_shows_as_changed_lines_of_indented_json(sim, run):
    """Not as one long string, and with letters readable."""
    sim.put(POLICY, {"value": json.dumps({"inbound": [{"name": "café", "actions": []}]})})
    value = {"inbound": [{"name": "cafés", "actions": []}]}
    diff = run(TRAFFIC_POLICY, dict(ROUTE_IDS, value=value), check=True).diff
    before, after = (diff[side].splitlines() for side in ("before", "after"))
    assert [(old, new) for old, new in zip(before, after) if old != new] == [
        ('        "name": "café"', '        "name": "cafés"')
    ]
    assert len(before) == len(after) > 5
    assert diff["before_header"] == diff["after_header"] == "%s edghts_1 edghtsrt_1" % TRAFFIC_POLICY


def test_control_and_bidirectional_characters_are_escaped_in_the_diff(sim, run):
    value = {"a": "x\u202ey\u0007z\u2028"}
    result = run(TRAFFIC_POLICY, dict(ROUTE_IDS, value=value))
    assert '"x\\u202ey\\u0007z\\u2028"' in result.diff["after"]
    assert json.loads(sim.writes[-1].body["value"]) == value


@pytest.mark.pitfall("18", "19", "20", "21")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_the_diff_of_a_creation_and_of_a_removal_has_nothing_on_one_side(sim, run, sample):
    made = run(sample.module, sample.options(sample.a))
    gone = run(sample.module, sample.options(state="absent"))
    assert (made.diff["before"], gone.diff["after"]) == ("", "")
    assert made.diff["after"] == gone.diff["before"]
    assert json.loads(made.diff["after"])["enabled"] is True


def test_two_services_at_once_do_not_share_a_session(sim, way):
    """A kept-alive connection belongs to one address."""
    with Simulator() as other:
        for each in (sim, other):
            options = harness.connection_options(each, backend_id="b", **TCP_IDS)
            assert harness.run(way, "tcp_edge_backend", options).changed
