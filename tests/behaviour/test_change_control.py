# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A change under control: what was approved and nothing else, limits, a backup before the first write, putting back."""

from __future__ import annotations

import copy
import json
import os
import signal
import time

import harness
import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK
from harness.many import PER_GROUP, many
from harness.process import result_of, start_module
from harness.samples import BACKEND

NAME = "edge_modules"
GROUPS = 3
ALL = GROUPS * PER_GROUP  # edge modules in many(GROUPS)


def below(count):
    """The largest whole share of all that allows fewer than so many."""
    return "%d%%" % ((100 * count - 1) // ALL)


def enough(count):
    """The smallest whole share of all that allows so many."""
    return "%d%%" % -(-100 * count // ALL)


def edges(*numbers, mark="a", **more):
    listed = [dict(id="edgtcp_%d" % n, backend=dict(backend_id="bkdtg_%s%d" % (mark, n))) for n in numbers]
    return dict(tcp_edges=listed, **more)


def path(number):
    return BACKEND.replace("1", str(number))


def methods(sim, start=0):
    return [one.method for one in sim.log[start:]]


def no_write(sim, start):
    assert set(methods(sim, start)) <= {"GET"}


@pytest.fixture
def set_up(run, sim):
    """A service on which many(GROUPS) is set."""
    assert run(NAME, many(GROUPS)).changed
    sim.clear_log()


def refused(result, *words):
    assert result.failed and not result.changed, result.data
    assert result.msg.startswith("refused, nothing written: "), result.msg
    for word in words:
        assert word in result.msg, result.msg
    assert set(result.summary.values()) == {0}
    assert not any(one["changed"] for one in result.results)


def test_what_was_approved_is_what_is_applied(run, sim, set_up):
    wanted = many(GROUPS, "b")
    dry = run(NAME, wanted, check=True)
    done = run(NAME, dict(wanted, approved_plan=dry.plan))
    assert (done.changed, done.summary["changed"], done.plan) == (True, dry.summary["changed"], dry.plan)
    assert dry.dry_run and not done.dry_run
    # As often as without a plan: each is read once, and written once where it changes.
    assert (methods(sim).count("GET"), methods(sim).count("PUT")) == (2 * ALL, dry.summary["changed"])
    again = run(NAME, dict(wanted, approved_plan=dry.plan))
    assert not again.changed and not again.failed
    assert again.plan["changes"] == {}


@pytest.mark.parametrize("check", [False, True])
def test_what_has_moved_is_named_and_nothing_is_written(run, sim, set_up, check):
    wanted = many(GROUPS, "b")
    dry = run(NAME, wanted, check=True)
    sim.put(path(1), dict(backend_id="bkdtg_incident"))
    start = len(sim.log)
    result = run(NAME, dict(wanted, approved_plan=dry.plan), check=check)
    text = "tcp_edge_backend edgtcp_1: the service's configuration is no longer the one of the plan"
    if check:
        # A dry run keeps its prediction and fails alike.
        assert result.failed and text in result.msg
        assert (result.summary["changed"], result.dry_run) == (dry.summary["changed"], True)
    else:
        refused(result, text)
        assert [one["operation"] for one in result.results] == [one["operation"] for one in dry.results]
    assert "another key" not in result.msg
    no_write(sim, start)


def test_what_was_not_asked_for_in_the_plan_is_refused(run, sim, set_up):
    plan = run(NAME, edges(1, mark="b"), check=True).plan
    start = len(sim.log)
    refused(run(NAME, dict(edges(1, 2, mark="b"), approved_plan=plan)), "tcp_edge_backend edgtcp_2: is not in the plan")
    refused(
        run(NAME, dict(edges(1, mark="c"), approved_plan=plan)),
        "tcp_edge_backend edgtcp_1: the task asks for something else than the plan",
    )
    absent = dict(tcp_edges=[dict(id="edgtcp_1", backend=dict(state="absent"))], approved_plan=plan)
    refused(run(NAME, absent), "the task asks for something else than the plan")
    no_write(sim, start)


def test_a_part_of_a_plan_and_a_plan_that_is_partly_made_are_fine(run, sim, set_up):
    plan = run(NAME, edges(0, 1, 2, mark="b"), check=True).plan
    assert run(NAME, dict(edges(1, mark="b"), approved_plan=plan)).summary["changed"] == 1
    result = run(NAME, dict(edges(0, 1, 2, mark="b"), approved_plan=plan))
    assert (result.failed, result.summary["changed"], result.summary["unchanged"]) == (False, 2, 1)


def test_a_plan_without_changes_allows_none(run, sim, set_up):
    plan = run(NAME, edges(1), check=True).plan
    assert plan["changes"] == {}
    assert not run(NAME, dict(edges(1), approved_plan=plan)).failed
    refused(run(NAME, dict(edges(1, mark="b"), approved_plan=plan)), "is not in the plan")


def test_a_change_of_a_field_that_the_task_does_not_name_counts(run, sim):
    route = dict(id="edghtsrt_1", request_headers=dict(remove=["X-Old"]))
    wanted = dict(https_edges=[dict(id="edghts_1", routes=[route])])
    where = "/edges/https/edghts_1/routes/edghtsrt_1/request_headers"
    sim.put(where, dict(add={"X-Token": "one"}, remove=[]))
    plan = run(NAME, wanted, check=True).plan
    sim.put(where, dict(add={"X-Token": "two"}, remove=[]))
    result = run(NAME, dict(wanted, approved_plan=plan))
    refused(result, "is no longer the one of the plan")
    assert "one" not in str(result.plan) and "two" not in result.text.replace("in two", "")


@pytest.mark.parametrize("key", ["e", "hmac", "plan"])
def test_a_short_key_blanks_no_part_of_a_plan(run, sim, set_up, key):
    wanted = edges(1, mark="b", plan_key=key)
    result = run(NAME, wanted, check=True, env={"ANSIBLE_INJECT_INVOCATION": "1"})
    assert "*" not in json.dumps(result.plan)
    assert result.invocation["module_args"]["plan_key"] == MASK
    assert run(NAME, dict(wanted, approved_plan=result.plan)).changed


def test_a_key_of_any_bytes_is_refused(run, sim, set_up):
    result = run(NAME, edges(1, mark="b"), env={"EDGE_PLAN_KEY": os.fsdecode(b"\xff\xfe-key")})
    assert result.failed and result.msg == "plan_key is no Unicode text (it is not shown here)"
    assert sim.log == [] and "-key" not in result.text


def test_a_plan_holds_for_its_key(run, sim, set_up):
    wanted = edges(1, mark="b")
    plan = run(NAME, dict(wanted, plan_key="one-key"), check=True).plan
    refused(run(NAME, dict(wanted, approved_plan=plan)), "another key may have signed it")
    refused(run(NAME, dict(wanted, approved_plan=plan, plan_key="other-key")), "another key may have signed it")
    assert not run(NAME, dict(wanted, approved_plan=plan), env={"EDGE_PLAN_KEY": "one-key"}, check=True).failed
    assert not run(NAME, dict(wanted, approved_plan=plan, plan_key=" "), env={"EDGE_PLAN_KEY": "one-key"}).failed


@pytest.mark.parametrize("plan", [None, "", " ", {}, [], "x", 1, True, {"format": 1}, {"changes": {}}])
def test_a_plan_that_is_named_and_missing_is_an_error(run, sim, set_up, plan):
    result = run(NAME, dict(edges(1, mark="b"), approved_plan=plan))
    assert result.failed and result.msg.startswith("approved_plan"), result.msg
    assert sim.log == []


@pytest.mark.parametrize(
    "limits, words",
    [
        (dict(max_changed=2), "max_changed allows 2: 3 would be replaced, 1 removed, 1 newly set"),
        (dict(max_changed="2"), "max_changed allows 2: "),
        (dict(max_changed=below(3)), "max_changed allows %s of the %d that are set: 3 would be" % (below(3), ALL)),
        (dict(max_removed=0), "newly set. Removed: tls_edge_ip_restriction edgtls_1"),
        (dict(max_removed=below(1)), "max_removed allows %s of the %d that are set" % (below(1), ALL)),
        (dict(max_changed=0, max_removed=0), "max_removed allows 0"),
    ],
)
def test_limits_stop_the_accident(run, sim, set_up, limits, words):
    wanted = many(GROUPS)
    for edge, changed in zip(wanted["tcp_edges"], edges(0, 1, 2, mark="b")["tcp_edges"]):
        edge.update(changed)
    wanted["tcp_edges"] += edges(9)["tcp_edges"]
    wanted["tls_edges"][1]["ip_restriction"] = dict(state="absent")
    refused(run(NAME, dict(wanted, **limits)), words)
    no_write(sim, 0)
    dry = run(NAME, dict(wanted, **limits), check=True)
    assert dry.failed and words in dry.msg and dry.summary["changed"] == 5
    fitting = dict(max_changed=enough(3), max_removed=enough(1))
    assert run(NAME, dict(wanted, **fitting)).summary["changed"] == 5


@pytest.mark.parametrize("blank", [None, "", " "])
def test_a_blank_limit_is_none(run, sim, set_up, blank):
    assert not run(NAME, dict(edges(1, mark="b"), max_changed=blank, max_removed=blank)).failed


def test_a_fault_while_reading_comes_before_the_first_write(run, sim, set_up):
    sim.add_fault(method="GET", path=path(2), status=403)
    result = run(NAME, dict(edges(0, 1, 2, mark="b"), max_changed=99))
    assert result.failed and not result.changed
    assert result.msg.startswith("refused, nothing written: 1 of 3 edge modules could not be read or planned: ")
    assert result.summary == dict(total=1, changed=0, removed=0, unchanged=0, failed=1)
    assert [bool(one.get("error")) for one in result.results] == [False, False, True]
    no_write(sim, 0)


def test_a_fault_while_writing_leaves_the_others_done_and_a_second_run_finishes(run, sim, set_up):
    wanted = edges(0, 1, 2, mark="b")
    plan = run(NAME, wanted, check=True).plan
    sim.add_fault(method="PUT", path=path(1), status=403)
    result = run(NAME, dict(wanted, approved_plan=plan))
    assert result.failed and result.changed
    assert result.summary == dict(total=3, changed=2, removed=0, unchanged=0, failed=1)
    sim.clear_faults()
    again = run(NAME, dict(wanted, approved_plan=plan))
    assert not again.failed and again.summary["changed"] == 1


def test_after_so_many_failures_nothing_more_is_begun(run, sim):
    sim.add_fault(method="PUT", status=403)
    result = run(NAME, dict(edges(*range(20)), max_failures=3, concurrency=1))
    assert methods(sim).count("PUT") == 3
    assert result.summary["failed"] == 20
    assert "17 not tried" in result.msg
    assert "max_failures (3) was reached" in result.results[-1]["error"]["msg"]
    bad = run(NAME, dict(edges(1), max_failures=0))
    assert bad.msg == "max_failures must be at least 1, not 0"


def restored(run, backup):
    variables = DataLoader().load_from_file(str(backup))  # as -e @FILE does
    names = ("tcp_edges", "tls_edges", "https_edges")
    options = {name: variables["provision_" + name] for name in names if "provision_" + name in variables}
    return run(NAME, options)


STATES = {
    path(1): [None, dict(backend_id="x"), dict(backend_id="x", enabled=False)],
    "/edges/tls/edgtls_1/tls_termination": [
        None,
        dict(terminate_at="edge", min_version=None),
        dict(terminate_at="edge", min_version="1.0"),
        dict(terminate_at="upstream", min_version=None, enabled=False),
    ],
    "/edges/https/edghts_1/routes/edghtsrt_1/request_headers": [
        dict(add={}, remove=[]),
        dict(add={"X-ToKen": "a secret: {{ x }}", "x-b": ""}, remove=["X-REMOVED"], enabled=False),
    ],
    "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy": [
        dict(value='{"outbound":[],"inbound":[{"name":"\\u00e9 {{ no }} \\u2028","actions":[]}],"x":1e2}'),
    ],
}


@pytest.mark.parametrize("where, held", [(where, held) for where, states in STATES.items() for held in states])
def test_a_backup_puts_back_just_what_was_there(run, sim, tmp_path, where, held):
    sim.configure(policy_form="echo")
    others = many(2, "b")
    if held is not None:
        sim.put(where, held)
    before = copy.deepcopy(sim.resources)
    backup = tmp_path / "backup.yml"
    result = run(NAME, dict(others, backup_path=str(backup)))
    assert (result.failed, result.backup_file) == (False, str(backup))
    assert sim.resources != before
    assert oct(backup.stat().st_mode)[-3:] == "600"
    assert not restored(run, backup).failed
    after = copy.deepcopy(sim.resources)
    for policies in (before, after):
        for place, one in policies.items():
            if place.endswith("traffic_policy"):
                one["value"] = json.loads(one["value"])  # as JSON: the text is the collection's
    assert after == before
    assert not restored(run, backup).changed


def test_where_nothing_changes_no_file_is_touched(run, sim, set_up, tmp_path):
    backup = tmp_path / "backup.yml"
    backup.write_text("the original")
    result = run(NAME, dict(many(GROUPS), backup_path=str(backup)))
    assert (result.failed, result.backup_file) == (False, None)
    dry = run(NAME, dict(many(GROUPS, "b"), backup_path=str(backup)), check=True)
    assert (dry.failed, dry.backup_file) == (False, None)
    assert os.listdir(tmp_path) == ["backup.yml"] and backup.read_text() == "the original"


@pytest.mark.parametrize("bad", ["none/backup.yml", ".", "backup.yml/", "a\0b", "a\0/b"])
def test_a_backup_that_cannot_be_written_is_found_before_anything_is_sent(run, sim, tmp_path, bad):
    result = run(NAME, dict(edges(1), backup_path=os.path.join(str(tmp_path), bad)))
    assert result.failed and result.msg.startswith("backup_path: "), result.msg
    assert sim.log == []


@pytest.mark.parametrize("check", [False, True])
def test_a_backup_that_could_not_be_put_back_stops_the_task(run, sim, tmp_path, check):
    policy = "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy"
    sim.configure(validate=False)
    sim.put(policy, dict(enabled=True, value="not JSON"))
    backup = tmp_path / "backup.yml"
    start = len(sim.log)
    result = run(NAME, dict(many(2), backup_path=str(backup)), check=check)
    assert result.failed and "no backup can be made, so nothing was written" in result.msg
    no_write(sim, start)
    assert not backup.exists()


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "name, held, entry",
    [
        ("request_headers", dict(add={"X-Token": MASK}, remove=[]), dict(add={"X-Token": "new"})),
        ("traffic_policy", dict(value='{"inbound":[],"token":"%s"}' % MASK), dict(value=dict(inbound=[], token="new"))),
    ],
)
def test_a_mask_that_the_service_holds_cannot_be_put_back(run, sim, tmp_path, name, held, entry, check):
    """Somebody has set it by mistake; from a backup it would mean to keep what is there."""
    sim.put("/edges/https/edghts_1/routes/edghtsrt_1/" + name, held)
    backup, start = tmp_path / "backup.yml", len(sim.log)
    route = dict(id="edghtsrt_1", **{name: entry})
    result = run(NAME, dict(https_edges=[dict(id="edghts_1", routes=[route])], backup_path=str(backup)), check=check)
    assert result.failed and "the service holds the mask itself as a value in %s" % list(held)[0] in result.msg
    no_write(sim, start)
    assert not backup.exists()


def test_plan_only_writes_the_backup_and_nothing_else(run, sim, set_up, tmp_path):
    backup = tmp_path / "backup.yml"
    result = run(NAME, dict(edges(1, mark="b"), plan_only=True, backup_path=str(backup)))
    assert (result.dry_run, result.changed, result.backup_file) == (True, True, str(backup))
    no_write(sim, 0)
    assert yaml.safe_load(backup.read_text())["provision_tcp_edges"][0]["backend"]["backend_id"] == "bkdtg_a1"
    assert not run(NAME, dict(edges(1, mark="b"), approved_plan=result.plan)).failed


def test_putting_back_leaves_what_somebody_else_has_changed(run, sim, set_up, tmp_path):
    backup = tmp_path / "backup.yml"
    done = run(NAME, dict(edges(0, 1, 2, mark="b"), backup_path=str(backup)))
    sim.put(path(1), dict(backend_id="bkdtg_colleague"))
    sim.put(path(2), dict(backend_id="bkdtg_a2"))  # as it was before
    start = len(sim.log)
    back = dict(tcp_edges=yaml.safe_load(backup.read_text())["provision_tcp_edges"], rollback_of=done.written)
    result = run(NAME, back)
    assert result.failed
    assert result.summary == dict(total=3, changed=1, removed=0, unchanged=1, failed=1)
    assert "tcp_edge_backend edgtcp_1: not restored: somebody else has changed it since" in result.msg
    assert [(one.method, one.path) for one in sim.log[start:] if one.method != "GET"] == [("PUT", path(0))]
    assert sim.resources[path(1)]["backend_id"] == "bkdtg_colleague"


def test_putting_back_covers_what_was_begun_but_not_answered(run, sim, set_up, tmp_path):
    backup = tmp_path / "backup.yml"
    sim.add_fault("reset_after", method="PUT", path=path(1))
    done = run(NAME, dict(edges(0, 1, mark="b"), backup_path=str(backup), retries=0, concurrency=1))
    assert done.failed and sorted(done.written) == ["tcp_edge_backend edgtcp_0", "tcp_edge_backend edgtcp_1"]
    sim.clear_faults()
    back = dict(tcp_edges=yaml.safe_load(backup.read_text())["provision_tcp_edges"], rollback_of=done.written)
    assert not run(NAME, back).failed
    assert [sim.resources[path(n)]["backend_id"] for n in (0, 1)] == ["bkdtg_a0", "bkdtg_a1"]


def test_putting_back_knows_what_the_service_made_of_it(run, sim, tmp_path):
    termination = "/edges/tls/edgtls_1/tls_termination"
    sim.configure(default_min_version="1.1")
    backup = tmp_path / "backup.yml"
    wanted = dict(tls_edges=[dict(id="edgtls_1", tls_termination=dict(terminate_at="edge"))])
    done = run(NAME, dict(wanted, backup_path=str(backup)))
    back = dict(tls_edges=yaml.safe_load(backup.read_text())["provision_tls_edges"], rollback_of=done.written)
    result = run(NAME, back)
    assert not result.failed and result.summary["removed"] == 1
    assert termination not in sim.resources


def test_edges_by_id_and_name(run, sim):
    listed = edges(1, 2, 3)
    listed["tcp_edges"][1]["name"] = "shop-eu"
    listed["tcp_edges"][2]["name"] = "Shop-us"
    assert [one["edge_id"] for one in run(NAME, dict(listed, only=["shop-*"]), check=True).results] == ["edgtcp_2"]
    assert [one["edge_id"] for one in run(NAME, dict(listed, only="edgtcp_1, Shop*"), check=True).results] == [
        "edgtcp_1",
        "edgtcp_3",
    ]
    assert run(NAME, dict(listed, only=[]), check=True).results == []
    sim.clear_log()
    assert run(NAME, dict(listed, only=["edgtcp_1", "none*"])).msg == "only: none* matches no edge that is listed"
    listed["tcp_edges"][1]["backend"]["backend_id"] = " "
    assert "tcp_edges[1].backend.backend_id" in run(NAME, dict(listed, only=["edgtcp_1"])).msg
    assert sim.log == []


def test_names_are_shown_and_never_sent(run, sim):
    listed = edges(1)
    listed["tcp_edges"][0]["name"] = "shop"
    done = run(NAME, listed)
    assert done.results[0]["name"] == "shop"
    assert done.diff[0]["after_header"] == "tcp_edge_backend edgtcp_1 (shop)"
    assert list(done.plan["changes"]) == ["tcp_edge_backend edgtcp_1"]
    sim.add_fault(method="GET", status=403)
    assert "tcp_edge_backend edgtcp_1 (shop): GET " in run(NAME, listed).msg


def test_without_the_unchanged(run, sim, set_up):
    result = run(NAME, dict(edges(0, 1, 2), return_unchanged=False))
    assert (result.results, result.summary["unchanged"], result.summary["total"]) == ([], 3, 3)
    sim.add_fault(method="GET", path=path(2), status=403)
    wanted = dict(edges(0, 1, 2), return_unchanged=False)
    wanted["tcp_edges"][1]["backend"]["backend_id"] = "other"
    result = run(NAME, wanted)
    assert [one["edge_id"] for one in result.results] == ["edgtcp_1", "edgtcp_2"]
    assert result.summary == dict(total=3, changed=1, removed=0, unchanged=1, failed=1)


def interrupted(sim, tmp_path, when, **options):
    """The result of a module that gets a signal once `when` holds."""
    process = start_module("edge_modules", {**harness.connection_options(sim), **options}, tmp_path)
    deadline = time.monotonic() + 60
    while not when():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    return result_of(process.communicate(timeout=60)[0])


def test_interrupted_in_its_first_step_nothing_is_written(sim, tmp_path):
    sim.configure(latency=0.02, validate=False)
    folder = tmp_path / "backups"
    folder.mkdir()
    wanted = dict(edges(*range(200)), backup_path=str(folder / "b.yml"))
    result = interrupted(sim, tmp_path, lambda: len(sim.log) > 20, **wanted)
    assert result["msg"] == "The task was stopped: nothing was written before"
    assert not result["changed"]
    no_write(sim, 0)
    assert os.listdir(folder) == []


def test_interrupted_in_its_second_step_the_backup_stands(sim, tmp_path):
    sim.configure(validate=False)
    for number in range(200):
        sim.put(path(number), dict(backend_id="bkdtg_a%d" % number))
    sim.configure(latency=0.02)
    backup = tmp_path / "b.yml"
    result = interrupted(
        sim, tmp_path, lambda: len(sim.writes) > 20, **edges(*range(200), mark="b"), backup_path=str(backup)
    )
    written = [n for n in range(200) if sim.resources[path(n)]["backend_id"] == "bkdtg_b%d" % n]
    assert result["msg"].startswith("The task was stopped: %d of 200 edge modules were written before" % len(written))
    assert result["msg"].endswith("; the backup is %s" % backup)
    assert 0 < len(written) < 200
    # What was begun can be put back, all of it.
    assert set(result["written"]) >= {"tcp_edge_backend edgtcp_%d" % n for n in written}
    assert sorted(name for name in os.listdir(tmp_path) if "b.yml" in name) == ["b.yml"]
    sim.configure(latency=0)
    back = dict(tcp_edges=yaml.safe_load(backup.read_text())["provision_tcp_edges"], rollback_of=result["written"])
    options = {**harness.connection_options(sim), **back}
    assert not harness.run("module", NAME, options).failed
    assert all(sim.resources[path(n)]["backend_id"] == "bkdtg_a%d" % n for n in range(200))


def test_what_was_refused_is_shown_without_what_is_unchanged(run, sim):
    run(NAME, edges(0, 1))
    wanted = dict(tcp_edges=[*edges(0, mark="b")["tcp_edges"], *edges(1)["tcp_edges"]], max_changed=0)
    result = run(NAME, dict(wanted, return_unchanged=False))
    refused(result, "max_changed allows 0")
    (one,) = result.results
    assert (one["edge_id"], one["operation"]) == ("edgtcp_0", "replace")
    assert one["before"]["backend_id"] == "bkdtg_a0" and one["after"]["backend_id"] == "bkdtg_b0"
