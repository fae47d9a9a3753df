# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/awx/project: the jobs as AWX runs them, by ansible-runner, on the ansible-core that runs the tests."""

from __future__ import annotations

import copy
import re

import pytest
import yaml
from harness import ROOT
from harness.awx_jobs import Job

# Jobs of ansible-runner.
pytestmark = pytest.mark.slow

KEY, TOKEN = "key-0123456789-secret", "token-9876543210-secret"
INVENTORY = {
    "all": {
        "vars": {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "hosts": {
            "worker": {
                "edgeops_edges_in_process": True,
                "provision_tcp_edges": [{"id": "edgtcp_1", "backend": {"backend_id": "bkdtg_1"}}],
            },
            "module": {
                "edgeops_edges_in_process": False,
                "provision_https_edges": [
                    {
                        "id": "edghts_1",
                        "routes": [
                            {"id": "edghtsrt_1", "request_headers": {"add": {"X-Token": TOKEN, "X-Edge": "frankfurt"}}}
                        ],
                    }
                ],
            },
        },
    }
}


@pytest.fixture
def job(sim, tmp_path):
    """job(template, ...): a job that has run, of whose secrets nothing is to be seen."""
    sim.configure(api_key=KEY)

    def run(template, inventory=None, **more):
        done = Job(
            tmp_path, "Edges - " + template, inventory or INVENTORY, api_key=KEY, base_url=sim.base_url, **more
        ).run()
        assert KEY not in done.text and TOKEN not in done.text
        return done

    return run


def test_provision_drift_and_export(sim, job):
    """A job of the type check, one host after the other with a look at the drift in between, and the export."""
    first = job("provision", job_type="check")
    assert first.returncode == 0, first.stdout
    assert sim.writes == [] and {record.status for record in sim.log} == {404}
    assert first.changed == {"worker", "module"} and "+++ after: " in first.stdout

    for limit in ("worker", "module"):
        done = job("provision", limit=limit)
        assert done.returncode == 0, done.stdout
        assert done.changed == {limit} and set(done.stats["processed"]) == {limit}
        if limit == "worker":
            drift = job("drift", answers={"drift_fail": "true"})
            assert drift.returncode != 0 and drift.changed == {"module"}, drift.stdout
            assert drift.artifacts["drift_changed"] == 1 and "1 would change" in drift.stdout
    assert len(sim.writes) == 2
    assert set(sim.resources) == {
        "/edges/tcp/edgtcp_1/backend",
        "/edges/https/edghts_1/routes/edghtsrt_1/request_headers",
    }

    # As a schedule launches it: no question is answered.
    assert job("drift").returncode == 0

    export = job("export", answers=dict(tcp_ids="edgtcp_1, ", https_ids="edghts_1: [edghtsrt_1]"))
    assert export.returncode == 0 and len(sim.writes) == 2, export.stdout
    assert "bkdtg_1" in export.stdout and "frankfurt" in export.stdout


ALL = dict(
    tcp_ids="edgtcp_1\nedgtcp_2;edgtcp_3, edgtcp_4  edgtcp_5\n",
    tls_ids="12345",
    https_ids="edghts_1: [edghtsrt_1; edghtsrt_2]\nedghts_2:edghtsrt_3\n\nedghts_3:\n- edghtsrt_4\n- edghtsrt_5",
)
BLANK = dict(tcp_ids="", tls_ids="", https_ids="")


@pytest.mark.parametrize("answers", [None, BLANK, dict(tcp_ids=None, tls_ids="\n", https_ids=" ; ")], ids=str)
def test_export_without_an_answer(sim, job, answers):
    done = job("export", answers=answers)
    assert done.returncode == 0, done.stdout
    assert sim.log == [] and "provision_tcp_edges" in done.stdout


def test_export_whatever_stands_between_the_ids(sim, job):
    done = job("export", answers=ALL)
    assert done.returncode == 0, done.stdout
    routes = [(1, 1), (1, 2), (2, 3), (3, 4), (3, 5)]
    assert {record.path.rpartition("/")[0] for record in sim.log} == {
        *("/edges/tcp/edgtcp_%d" % number for number in range(1, 6)),
        "/edges/tls/12345",
        *("/edges/https/edghts_%d/routes/edghtsrt_%d" % pair for pair in routes),
    }


# What is no mapping, and what Ansible could run.
EXPECTED = "https_ids: every edge needs its routes, a line an edge, as edghts_2a: [edghtsrt_2a, edghtsrt_2b]"
REFUSED = [
    (dict(tls_ids="{{ lookup('ansible.builtin.pipe', 'echo edgtls_1') }}"), ["tls_edges[0]"]),
    (dict(https_ids="false"), [EXPECTED, "something else: ", "alse"]),
    (dict(https_ids="- edghts_2a"), [EXPECTED, "something else: - edghts_2a"]),
    (dict(https_ids="[edghts_2a, edghts_2b]"), [EXPECTED, "something else: [edghts_2a edghts_2b]"]),
    (dict(https_ids="edghts_2a: [edghtsrt_2a"), [EXPECTED, "something else: [edghtsrt_2a"]),
    (dict(https_ids="edghts_2a: a\nedghts_2a: b"), ["https_ids: an edge is there twice: edghts_2a, edghts_2a"]),
]


@pytest.mark.parametrize("answers, said", REFUSED, ids=str)
def test_export_of_an_answer_that_is_wrong(sim, job, answers, said):
    done = job("export", answers={**BLANK, **answers})
    assert done.returncode != 0, done.stdout
    messages = " ".join(one["event_data"]["res"]["msg"] for one in done.events if one["event"] == "runner_on_failed")
    assert [one for one in said if one not in messages] == [], messages
    assert sim.log == []


def estate(hosts):
    """An inventory of so many hosts, each with a TCP edge and a route."""
    return {
        "all": {
            "vars": INVENTORY["all"]["vars"],
            "hosts": {
                "edge-%02d" % number: {
                    "provision_tcp_edges": [{"id": "edgtcp_%d" % number, "backend": {"backend_id": "bkdtg_1"}}],
                    "provision_https_edges": [
                        {
                            "id": "edghts_%d" % number,
                            "routes": [{"id": "edghtsrt_%d" % number, "request_headers": {"add": {"X-Edge": "a"}}}],
                        }
                    ],
                }
                for number in range(hosts)
            },
        }
    }


def test_four_slices_at_once_on_other_nodes(sim, tmp_path):
    """Each edge is written by one of them, once; a second round changes nothing."""
    sim.configure(api_key=KEY)
    for round_ in (1, 2):
        sim.clear_log()
        jobs = []
        for number in range(1, 5):
            place = tmp_path / ("%d-%d" % (round_, number))
            place.mkdir()
            made = Job(
                place, "Edges - provision", estate(9), api_key=KEY, base_url=sim.base_url, slice=(number, 4)
            )  # fmt: skip
            jobs.append(made.start(elsewhere=True))
        done = [one.wait() for one in jobs]
        assert [one.returncode for one in done] == [0] * 4, [one.stdout for one in done]
        assert [len(one.stats["processed"]) for one in done] == [3, 2, 2, 2]
        assert not any(KEY in one.text for one in done)
        changed = [host for one in done for host in one.changed]
        written = sorted(record.path for record in sim.writes)
        if round_ == 1:
            assert sorted(changed) == ["edge-%02d" % number for number in range(9)]
            assert len(written) == 18 and written == sorted(sim.resources)
        else:
            assert changed == [] and written == []


# --- plan, approve, apply ---


def tcp(**edges):
    """An inventory of two hosts that share some TCP edges out between them."""
    hosts: dict = {"east": {"provision_tcp_edges": []}, "west": {"provision_tcp_edges": []}}
    for number, (edge, backend) in enumerate(edges.items()):
        entry = {"id": "edgtcp_" + edge, "backend": {"backend_id": "bkdtg_" + backend}}
        hosts["west" if number % 2 else "east"]["provision_tcp_edges"].append(entry)
    return {"all": {"vars": INVENTORY["all"]["vars"], "hosts": hosts}}


ESTATE = tcp(a="1", b="2", c="3", d="4")


def path(edge):
    return "/edges/tcp/edgtcp_%s/backend" % edge


def test_what_was_approved_is_applied_and_once(sim, job):
    sim.put(path("a"), dict(backend_id="bkdtg_old"))
    plan = job("plan", ESTATE)
    assert plan.returncode == 0 and sim.writes == [], plan.stdout
    checksum = plan.artifacts["drift_plan"]["checksum"]
    assert "plan: " + checksum in plan.stdout

    done = job("apply", ESTATE, artifacts=plan.artifacts)
    assert done.returncode == 0, done.stdout
    assert sorted(record.path for record in sim.writes) == [path(edge) for edge in "abcd"]
    assert "plan: " + checksum in done.stdout and "bkdtg_old" in done.stdout

    again = job("apply", ESTATE, artifacts=plan.artifacts)
    assert again.returncode == 0 and len(sim.writes) == 4, again.stdout


def unwrapped(done):
    """What a job printed, without the line ends and quotes that older Ansible puts into a text as YAML."""
    return " ".join(done.stdout.replace("''", "'").split())


def test_what_has_changed_since_or_was_made_up_is_refused_as_a_whole(sim, job):
    plan = job("plan", ESTATE).artifacts
    sim.clear_log()
    forged, other = copy.deepcopy(plan), copy.deepcopy(plan)
    forged["drift_plan"]["changes"].pop("tcp_edge_backend edgtcp_a")
    changes = other["drift_plan"]["changes"]
    one, two = "tcp_edge_backend edgtcp_a", "tcp_edge_backend edgtcp_b"
    changes[one], changes[two] = changes[two], changes[one]
    for inventory, artifacts, said in (
        (ESTATE, forged, "damaged"),
        (ESTATE, other, "damaged"),
        (tcp(a="9", b="2", c="3", d="4"), plan, "the task asks for something else than the plan"),
        (tcp(a="1", b="2", c="3", d="4", e="5"), plan, "is not in the plan"),
    ):
        done = job("apply", inventory, artifacts=artifacts)
        assert done.returncode != 0 and said in unwrapped(done), done.stdout
        assert sim.writes == []
    sim.put(path("c"), dict(backend_id="bkdtg_9"))
    done = job("apply", ESTATE, artifacts=plan)
    assert done.returncode != 0 and sim.writes == []
    assert "edgtcp_c: the service's configuration is no longer the one of the plan" in unwrapped(done), done.stdout


# Before ansible-core 2.19, Ansible's own check of a role's variables speaks first, and of the missing one alone.
NO_PLAN = re.compile("provision_approved_plan|'drift_plan'+ is undefined")


def test_nothing_is_applied_without_a_plan(sim, job):
    """Started by itself; and after a plan that failed, whose other artifacts AWX hands on all the same."""
    alone = job("apply", ESTATE)
    assert alone.returncode != 0 and NO_PLAN.search(alone.stdout), alone.stdout
    sim.add_fault(path=path("d"), status=403)
    plan = job("plan", ESTATE)
    assert plan.returncode != 0 and plan.artifacts["drift_failed"] == 1 and "drift_plan" not in plan.artifacts
    sim.clear_faults()
    after = job("apply", ESTATE, artifacts=plan.artifacts)
    assert after.returncode != 0 and NO_PLAN.search(after.stdout), after.stdout
    assert sim.writes == []


def test_a_limit_is_that_of_the_plan_and_of_what_is_applied(sim, job):
    plan = job("plan", ESTATE, limit="east")
    assert plan.returncode == 0, plan.stdout
    done = job("apply", ESTATE, artifacts=plan.artifacts)
    assert done.returncode != 0 and "is not in the plan" in done.stdout and sim.writes == []
    done = job("apply", ESTATE, artifacts=plan.artifacts, limit="east")
    assert done.returncode == 0 and sorted(sim.resources) == [path("a"), path("c")], done.stdout


def test_the_plan_alarms_nobody_and_no_artifact_has_the_name_of_an_input(sim, job):
    inventory = copy.deepcopy(ESTATE)
    inventory["all"]["vars"]["drift_fail"] = True
    plan = job("plan", inventory)
    assert plan.returncode == 0, plan.stdout
    specs = yaml.safe_load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    inputs = {name for entry in specs["argument_specs"].values() for name in entry["options"]}
    assert "drift_plan" in plan.artifacts and not set(plan.artifacts) & inputs


def test_the_output_of_a_plan_of_300_changes(sim, job):
    """The checksum, then every line that differs, in pieces that AWX shows whole."""
    inventory = tcp(**{"%03d" % number: "n%d" % number for number in range(300)})
    for number in range(300):
        sim.put(path("%03d" % number), dict(backend_id="bkdtg_o%d" % number))
    plan = job("plan", inventory)
    assert plan.returncode == 0, plan.stdout
    checksum = plan.stdout.index("plan: " + plan.artifacts["drift_plan"]["checksum"])
    shown = plan.stdout
    for number in range(300):
        old, new = ('%s  "backend_id": "bkdtg_%s%d"' % (sign, word, number) for sign, word in ("-o", "+n"))
        assert shown.count(old) == shown.count(new) == 1
        assert min(shown.index(old), shown.index(new)) > checksum
    pieces = [one["stdout"] for one in plan.events if one["event"] == "runner_item_on_ok"]
    assert len(pieces) > 100 and max(map(len, pieces)) <= 1024
