# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/awx/project: the jobs as AWX runs them, by ansible-runner, on the ansible-core that runs the tests."""

from __future__ import annotations

import pytest
from harness.awx_jobs import Job

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

    def run(template, inventory=INVENTORY, **more):
        done = Job(tmp_path, "Edges - " + template, inventory, api_key=KEY, base_url=sim.base_url, **more).run()
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


@pytest.mark.parametrize("answers", [None, BLANK, dict(BLANK, tcp_ids="\n", https_ids=" ; ")], ids=str)
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
