# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role over several hosts: what was approved, limits, one backup, verification and putting back."""

from __future__ import annotations

import json
import os

import harness
import pytest
import yaml
from harness.many import PER_GROUP, many
from harness.role import connection, inventory, numbers, playbook, told, variables
from harness.samples import BACKEND

HOSTS = 3


def path(number):
    return BACKEND.replace("1", str(number))


def wanted(mark="b", hosts=HOSTS, **more):
    """An inventory of one host an edge, each with every edge module that it can have."""
    found = yaml.safe_load(inventory(0))
    named = {}
    for number in range(hosts):
        options = many(number + 1, mark)
        named["edge-%d" % number] = variables({name: value[-1:] for name, value in options.items()})
    found["all"]["children"]["edges"]["hosts"] = named
    found["all"]["children"]["edges"]["vars"].update(more)
    return yaml.safe_dump(found)


def run(name, sim, tmp_path, *arguments, mark="b", **extra):
    return playbook(name, sim, tmp_path, *arguments, inventory=wanted(mark), provision_hosts="all", **extra)


@pytest.fixture
def estate(sim, tmp_path):
    """A service on which everything is set, and the plan of a change of all of it, as drift writes it."""
    options = harness.connection_options(sim)
    assert harness.run("worker", "edge_modules", {**options, **many(HOSTS)}).changed
    plan = harness.run("worker", "edge_modules", {**options, **many(HOSTS, "b")}, check=True).plan
    place = tmp_path / "plan.yml"
    place.write_text(json.dumps(dict(provision_approved_plan=plan)), encoding="utf-8")
    sim.clear_log()
    return place


def held(sim):
    """What the service holds, policies as JSON: their text is the service's own."""
    found = sim.resources
    for body in found.values():
        if "value" in body:
            body["value"] = json.loads(body["value"])
    return found


def backends(sim):
    return [sim.resources[path(number)]["backend_id"] for number in range(HOSTS)]


A, B = (["bkdtg_%s%d" % (mark, number) for number in range(HOSTS)] for mark in "ab")


def test_what_was_approved_is_applied_and_a_second_run_changes_nothing(sim, tmp_path, estate):
    assert run("drift", sim, tmp_path, provision_plan=str(estate)).returncode == 0
    plan = yaml.safe_load(estate.read_text())["provision_approved_plan"]
    done = run("provision", sim, tmp_path, "-e", "@%s" % estate, provision_require_plan=True)
    assert done.returncode == 0, done.text
    assert backends(sim) == B
    assert "plan: " + plan["checksum"] in told(done)
    assert {numbers(done, "edge-%d" % number)["changed"] for number in range(HOSTS)} == {1}
    assert run("provision", sim, tmp_path, "-e", "@%s" % estate, provision_require_plan=True).returncode == 0


def test_what_has_moved_on_one_host_stops_all_of_them(sim, tmp_path, estate):
    sim.put(path(1), dict(backend_id="bkdtg_incident"))
    report = tmp_path / "report.json"
    done = run("provision", sim, tmp_path, "-e", "@%s" % estate, provision_report=str(report))
    assert done.returncode == 2
    text = "edge-1: tcp_edge_backend edgtcp_1: the service's configuration is no longer the one of the plan"
    assert text in done.text
    assert sim.writes == []
    assert all(numbers(done, "edge-%d" % number)["failures"] == 1 for number in range(HOSTS))
    assert text in report.read_text()
    assert json.loads(report.read_text())["dry_run"] is False


def test_a_part_of_a_plan_is_fine(sim, tmp_path, estate):
    done = run("provision", sim, tmp_path, "-e", "@%s" % estate, "--limit", "edge-2")
    assert done.returncode == 0, done.text
    assert backends(sim) == [*A[:2], B[2]]


@pytest.mark.parametrize(
    "extra, text",
    [
        (dict(provision_require_plan=True), "provision_require_plan is true, but provision_approved_plan is not given"),
        (dict(provision_approved_plan=None), "provision_approved_plan is given but empty"),
        (dict(provision_approved_plan=""), "provision_approved_plan is given but empty"),
        (dict(provision_approved_plan={}), "provision_approved_plan is given but empty"),
        (dict(provision_approved_plan="{{ nowhere }}"), "'nowhere' is undefined"),
        (dict(provision_approved_plan=dict(format=1)), "provision_approved_plan.changes must be a dict"),
        (dict(provision_max_changed="many"), "provision_max_changed must be a number from 0"),
        (dict(provision_only="none*"), "provision_only: none* matches no edge of any host"),
        (dict(provision_verify="missing.yml"), "provision_verify: "),
        (dict(provision_backup="missing/backup.yml"), "provision_backup: the directory"),
        (
            dict(provision_backup="x.json", provision_report=["r.md", "./x.json"]),
            "provision_backup and provision_report name the same file: ",
        ),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_sent(sim, tmp_path, extra, text):
    done = run("provision", sim, tmp_path, **extra)
    assert done.returncode == 2
    assert text in done.text, done.text
    assert sim.log == []


def test_limits_hold_over_all_hosts(sim, tmp_path, estate):
    """Each host replaces few; together they are too many."""
    done = run("provision", sim, tmp_path, provision_max_changed=len(sim.resources) - 1)
    assert done.returncode == 2 and sim.writes == []
    everything = len(sim.resources)
    text = "provision_max_changed allows %d: %d would be replaced, 0 removed, 0 newly set"
    assert text % (everything - 1, everything) in done.text
    dry = run("drift", sim, tmp_path, provision_max_changed="90%")
    assert dry.returncode == 2 and "provision_max_changed allows 90%% of the %d that are set" % everything in dry.text
    assert run("provision", sim, tmp_path, provision_max_changed="100%", provision_max_removed=0).returncode == 0
    assert backends(sim) == B


def play(sim, serial=None, **more):
    role = {"ansible.builtin.import_role": {"name": "edgeops.edges.provision"}}
    found = dict(hosts="all", gather_facts=False, connection="local", tasks=[role], **more)
    if serial:
        found["serial"] = serial
    return [found]


def plays(sim, tmp_path, listed, **extra):
    return harness.playbook(listed, tmp_path=tmp_path, inventory=wanted(), extra={**connection(sim), **extra})


def test_limits_count_what_earlier_batches_wrote(sim, tmp_path, estate):
    done = plays(sim, tmp_path, play(sim, serial=1), provision_max_changed=2 * PER_GROUP - 1)
    assert done.returncode == 2
    assert backends(sim) == [B[0], *A[1:]]
    text = "provision_max_changed allows %d: %d would be replaced"
    assert text % (2 * PER_GROUP - 1, 2 * PER_GROUP) in done.text


def test_limits_need_the_strategy_linear(sim, tmp_path, estate):
    done = plays(sim, tmp_path, play(sim, strategy="free"), provision_max_changed=99)
    assert done.returncode == 2 and sim.log == []
    assert "provision_max_changed needs the strategy linear" in done.text


@pytest.mark.parametrize("serial", [None, 1])
def test_one_backup_of_all_hosts_puts_back_what_was_there(sim, tmp_path, estate, serial):
    backup = tmp_path / "before.yml"
    backup.write_text("the original")
    before = held(sim)
    done = plays(sim, tmp_path, play(sim, serial=serial), provision_backup=str(backup))
    assert done.returncode == 0, done.text
    assert backends(sim) == B
    assert oct(backup.stat().st_mode)[-3:] == "600"
    (aside,) = (one for one in tmp_path.iterdir() if one.name.startswith("before.yml."))
    assert aside.read_text() == "the original"
    back = playbook("provision", sim, tmp_path, "-e", "@%s" % backup)
    assert back.returncode == 0, back.text
    assert held(sim) == before
    again = run("provision", sim, tmp_path, mark="a", provision_backup=str(backup))
    assert again.returncode == 0
    assert yaml.safe_load(backup.read_text())["provision_tcp_edges"], "nothing changed, so no file was touched"


def verification(tmp_path, text):
    place = tmp_path / "verify.yml"
    place.write_text(text)
    return str(place)


FAILING = """
- name: See whether the service answers
  ansible.builtin.assert:
    that: inventory_hostname != 'edge-1'
    fail_msg: it does not answer
"""


def test_a_host_whose_verification_fails_puts_back_its_own(sim, tmp_path, estate):
    verify = verification(tmp_path, FAILING)
    report = tmp_path / "report.json"
    done = run(
        "provision", sim, tmp_path, provision_verify=verify, provision_rollback=True, provision_report=str(report)
    )
    assert done.returncode == 2
    assert backends(sim) == [B[0], A[1], B[2]]
    assert [numbers(done, "edge-%d" % number)["failures"] for number in range(HOSTS)] == [0, 1, 0]
    assert "The verification failed on edge-1: it does not answer" in told(done)
    assert "restored: tcp_edge_backend edgtcp_1" in "\n".join(told(done))
    assert not any("rollback" in name for name in os.listdir(tmp_path))


def test_with_any_errors_fatal_all_hosts_put_back(sim, tmp_path, estate):
    verify = verification(tmp_path, FAILING)
    done = plays(sim, tmp_path, play(sim, any_errors_fatal=True), provision_verify=verify, provision_rollback=True)
    assert done.returncode == 2, done.text
    assert backends(sim) == A, done.text


def test_a_run_that_fails_half_way_takes_itself_back(sim, tmp_path, estate):
    sim.add_fault(method="PUT", path=path(1), status=403, times=1)
    done = run("provision", sim, tmp_path, provision_rollback=True)
    assert done.returncode == 2
    assert backends(sim) == [B[0], A[1], B[2]]
    assert sim.resources["/edges/tls/edgtls_1/ip_restriction"]["ip_policy_ids"] == ["ipp_a1"]


def test_what_a_colleague_changed_since_is_left_and_named(sim, tmp_path, estate):
    """The verification of the test stands for the colleague: it runs between the writes and the putting back."""
    script = (
        "import json, sys, urllib.request as u\n"
        "body = json.dumps(dict(backend_id='bkdtg_colleague')).encode()\n"
        "head = {'Authorization': 'Bearer ' + sys.argv[2], 'Service-Version': '2'}\n"
        "head['Content-Type'] = 'application/json'\n"
        "u.urlopen(u.Request(sys.argv[1], body, head, method='PUT'))\n"
    )
    (tmp_path / "colleague.py").write_text(script)
    verify = verification(
        tmp_path,
        """
- name: A colleague changes a backend
  ansible.builtin.command:
    argv: [python3, %s, "{{ provision_base_url }}%s", "{{ provision_api_key }}"]
  when: inventory_hostname == 'edge-1'
%s"""
        % (tmp_path / "colleague.py", path(1), FAILING),
    )
    done = run("provision", sim, tmp_path, provision_verify=verify, provision_rollback=True)
    assert done.returncode == 2
    assert backends(sim) == [B[0], "bkdtg_colleague", B[2]]
    assert "somebody else has changed it since" in done.text
    kept = tmp_path / "rollback-edge-1.yml"
    assert "Not everything was restored on edge-1: what was there before is in %s" % kept in told(done)
    assert oct(kept.stat().st_mode)[-3:] == "600"
    assert yaml.safe_load(kept.read_text())["provision_tcp_edges"][0]["backend"]["backend_id"] == "bkdtg_a1"


def test_a_verification_runs_where_nothing_was_left_to_change_and_not_in_dry_runs(sim, tmp_path, estate):
    verify = verification(
        tmp_path, "- name: Say it\n  ansible.builtin.debug:\n    msg: 'verified {{ provision_outcome.changed }}'\n"
    )
    done = run("provision", sim, tmp_path, mark="a", provision_verify=verify)
    assert done.returncode == 0 and done.text.count("verified False") == HOSTS, done.text
    assert "verified" not in run("drift", sim, tmp_path, provision_verify=verify).stdout


def test_only_some_edges(sim, tmp_path, estate):
    done = run("provision", sim, tmp_path, provision_only="edgtcp_1, edgtls_[02]", provision_purge=True)
    assert done.returncode == 0, done.text
    assert backends(sim) == [A[0], B[1], A[2]]
    assert {one.path for one in sim.writes} == {
        path(1),
        *("/edges/tls/edgtls_%d/%s" % (n, name) for n in (0, 2) for name in ("ip_restriction", "tls_termination")),
    }


def test_names_that_are_numbers_and_hosts_with_names_almost_alike(sim, tmp_path):
    """The backup of each host is of that host; a name that YAML reads as a number is a name."""
    listed = [dict(id="edgtcp_%d" % n, name=2024 + n, backend=dict(backend_id="bkdtg_b%d" % n)) for n in range(3)]
    for n in range(3):
        sim.put(path(n), dict(backend_id="bkdtg_a%d" % n))
    hosts = {"a/b": listed[:1], "a_b": listed[1:2], "a%2Fb": listed[2:]}
    text = yaml.safe_dump(dict(all=dict(hosts={name: dict(provision_tcp_edges=of) for name, of in hosts.items()})))
    backup = tmp_path / "before.yml"
    done = playbook(
        "provision", sim, tmp_path, inventory=text, provision_hosts="all", provision_backup=str(backup),
        provision_only="2024, 2025,2026",
    )  # fmt: skip
    assert done.returncode == 0, done.text
    assert backends(sim) == B
    found = yaml.safe_load(backup.read_text())["provision_tcp_edges"]
    assert sorted((one["id"], one["backend"]["backend_id"]) for one in found) == [
        ("edgtcp_%d" % n, A[n]) for n in range(3)
    ]


def test_where_anything_failed_there_is_no_plan(sim, tmp_path, estate):
    sim.add_fault(method="GET", path=path(1), status=403)
    done = run("drift", sim, tmp_path, provision_plan=str(estate))
    assert done.returncode == 2
    assert not estate.exists() and any(one.name.startswith("plan.yml.") for one in tmp_path.iterdir())
    assert "drift_plan" not in done.text


# validate


def validate(tmp_path, **extra):
    return harness.playbook("edgeops.edges.validate", tmp_path=tmp_path, extra=extra)


def test_valid_variables_need_no_service(tmp_path):
    done = validate(tmp_path, **variables(many(2)))
    assert done.returncode == 0, done.text
    assert "The variables are valid: 6 edges on 1 host, nothing was sent" in done.text


def test_every_fault_is_told_at_once(tmp_path):
    options = variables(many(1))
    options["provision_tcp_edges"][0]["backend"]["backend_id"] = " "
    options["provision_tls_edges"][0]["tls_termination"]["min_version"] = "new"
    options["provision_https_edges"][0]["routes"][0]["request_headers"]["add"] = {"X A": True}
    done = validate(
        tmp_path, **options, provision_timeout="soon", provision_max_changed="many", provision_only="none",
        provision_approved_plan={},
    )  # fmt: skip
    assert done.returncode == 2
    for text in (
        "tcp_edges[0].backend.backend_id (edgtcp_0) must not be blank",
        "tls_edges[0].tls_termination.min_version (edgtls_0) must be a dotted number",
        "request_headers.add.X A (edghts_0 edghtsrt_0) must be the name of an HTTP header",
        'timeout must be a number, not "soon"',
        "provision_max_changed must be a number from 0",
        "provision_only: none matches no edge of any host",
        "provision_approved_plan is given but empty",
    ):
        assert text in " ".join(done.text.split()), (text, done.text)


def test_faults_of_several_hosts_name_them(tmp_path):
    hosts = {
        "one": variables(dict(tcp_edges=[dict(id="bad id")])),
        "two": variables(dict(tls_edges=[dict(id="edgtcp_1")])),
    }
    text = yaml.safe_dump(dict(all=dict(hosts=hosts)))
    done = harness.playbook(
        "edgeops.edges.validate", tmp_path=tmp_path, inventory=text, extra=dict(provision_hosts="all")
    )
    assert done.returncode == 2
    assert "one: tcp_edges[0].id may contain" in done.text and "two: tls_edges[0].id names another kind" in done.text
