# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role provision and the playbooks provision, drift and export, by a real ansible-playbook."""

from __future__ import annotations

import copy
import json
import stat

import facts
import harness
import pytest
import yaml
from harness.many import PER_GROUP, ids_of, many
from harness.role import connection, inventory, numbers, parsed, playbook, told, variables
from harness.samples import BACKEND, HEADERS, POLICY, TERMINATION

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


# provision


@pytest.mark.parametrize("name, path", [("provision", "report"), ("drift", "report"), ("export", "path")])
def test_a_folder_that_is_not_there_is_told_before_anything_is_sent(sim, tmp_path, name, path):
    prefix = "export" if name == "export" else "provision"
    options = variables(ids_of(many(1)) if name == "export" else many(1), prefix)
    done = playbook(name, sim, tmp_path, **options, **{"%s_%s" % (prefix, path): "missing/file.html"})
    assert done.returncode == 2
    assert "%s_%s: the directory %s does not exist on" % (prefix, path, tmp_path / "missing") in done.stdout
    # A drift has nothing to lose: it looks, tells, and fails then.
    assert sim.writes == []
    assert name == "drift" or sim.log == []


def test_provision_and_again(sim, tmp_path):
    options = variables(many(2))
    first = playbook("provision", sim, tmp_path, **options)
    assert first.returncode == 0, first.text
    assert numbers(first) == dict(changed=1, failures=0)
    assert len(sim.writes) == len(sim.resources) == 2 * PER_GROUP
    again = playbook("provision", sim, tmp_path, **options)
    assert numbers(again) == dict(changed=0, failures=0)
    assert len(sim.writes) == 2 * PER_GROUP
    (result,) = again.of("Reconcile the edge modules")
    assert result["summary"] == dict(total=2 * PER_GROUP, changed=0, removed=0, unchanged=2 * PER_GROUP, failed=0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["extra.json", "results.jsonl"]
    assert sim.api_key not in again.text + first.text


def test_provision_with_nothing_but_the_environment(sim, tmp_path):
    """The defaults of the role: no edges, no report; the connection comes from the environment."""
    environment = dict(EDGE_API_KEY=sim.api_key, EDGE_API_BASE_URL=sim.base_url)
    extra = dict(provision_allow_empty=True)
    done = harness.playbook("edgeops.edges.provision", tmp_path=tmp_path, env=environment, extra=extra)
    assert done.returncode == 0, done.text
    assert sim.log == []
    options = variables(many(1))
    for given in ({}, dict(provision_api_key="", provision_base_url=" "), dict(provision_api_key=None)):
        done = harness.playbook(
            "edgeops.edges.provision", tmp_path=tmp_path, env=environment, extra={**options, **given}
        )
        assert done.returncode == 0, done.text
    assert len(sim.resources) == PER_GROUP


def test_provision_under_check_with_a_report(sim, tmp_path):
    """The report is written all the same, where the user said, and says that it is a dry run."""
    (tmp_path / "reports").mkdir()
    path = "reports/first.html"
    done = playbook("provision", sim, tmp_path, "--check", provision_report=path, **variables(many(1)))
    assert done.returncode == 0, done.text
    assert numbers(done) == dict(changed=1, failures=0)
    assert sim.writes == []
    text = parsed(tmp_path / path)
    assert "This was a dry run: nothing was written." in text
    assert "%d edge modules, 1 host" % PER_GROUP in text
    real = playbook("provision", sim, tmp_path, provision_report=path, **variables(many(1)))
    assert numbers(real) == dict(changed=1, failures=0)
    text = parsed(tmp_path / path)
    assert "Edge modules: what was done" in text
    assert '"backend_id": "bkdtg_a0"' in text
    again = playbook("provision", sim, tmp_path, provision_report=path, **variables(many(1)))
    assert numbers(again) == dict(changed=0, failures=0)
    assert "Nothing changed" in parsed(tmp_path / path)


def test_provision_with_every_variable(sim, tmp_path):
    sim.put("/edges/tls/edgtls_0/tls_termination", dict(terminate_at="edge"))
    options = many(1)
    del options["tls_edges"][0]["tls_termination"]
    options["https_edges"][0]["routes"][0]["request_headers"]["add"] = {"X-Internal": "s3cret"}
    done = playbook(
        "provision",
        sim,
        tmp_path,
        "-v",
        provision_purge=True,
        provision_concurrency=1,
        provision_secret_headers=["x-internal"],
        **variables(options),
    )
    assert done.returncode == 0, done.text
    assert sim.max_in_flight == 1
    assert "/edges/tls/edgtls_0/tls_termination" not in sim.resources
    assert "s3cret" not in done.text
    assert MASK in done.text


def test_provision_fails_after_the_report(sim, tmp_path):
    sim.add_fault(method="PUT", path="/edges/tcp/*", status=400)
    done = playbook("provision", sim, tmp_path, provision_report="r.html", **variables(many(2)))
    assert done.returncode == 2
    assert len(sim.resources) == 2 * PER_GROUP - 2
    message = done.of("Fail if anything failed")[0]["msg"]
    assert message.startswith("%d changed, 0 unchanged, 2 failed: tcp_edge_backend" % (2 * PER_GROUP - 2))
    text = parsed(tmp_path / "r.html")
    assert text.index("answered 400") < text.index('"ip_policy_ids"')


def test_a_wrong_variable_is_told_before_anything_is_sent(sim, tmp_path):
    done = playbook("provision", sim, tmp_path, provision_tcp_edges="edgtcp_1")
    assert done.returncode == 2
    assert "tcp_edges must be a list of dicts, not a string" in done.text
    options = variables(many(1))
    options["provision_tls_edges"][0]["tls_termination"]["min_version"] = "x"
    done = playbook("provision", sim, tmp_path, **options)
    assert done.returncode == 2
    assert "tls_edges[0].tls_termination.min_version (edgtls_0) must be a dotted number" in done.text
    assert sim.log == []


def test_the_role_in_a_play_of_the_users(sim, tmp_path):
    """Twice in a play; the report knows check mode wherever it is switched on."""
    tasks = [
        {
            "name": "See",
            "ansible.builtin.include_role": {"name": "edgeops.edges.provision", "apply": {"check_mode": True}},
            "vars": {"provision_report": "see.html"},
        },
        {
            "name": "Do",
            "ansible.builtin.include_role": {"name": "edgeops.edges.provision"},
            "vars": {"provision_report": "do.html"},
        },
    ]
    done = harness.playbook([harness.play(tasks, vars={**connection(sim), **variables(many(1))})], tmp_path=tmp_path)
    assert done.returncode == 0, done.text
    assert "dry run" in parsed(tmp_path / "see.html")
    assert "Edge modules: what was done" in parsed(tmp_path / "do.html")
    assert len(sim.writes) == PER_GROUP


# drift


@pytest.mark.parametrize("arguments", [(), ("--check",), ("--diff",), ("--check", "--diff")], ids=" ".join)
def test_drift_writes_nothing_whatever_the_command_line_says(sim, tmp_path, arguments):
    sim.put("/edges/tcp/edgtcp_0/backend", dict(backend_id="old"))
    sim.put("/edges/tls/edgtls_0/ip_restriction", dict(ip_policy_ids=["ipp_a0"]))
    options = many(1)
    options["tcp_edges"].append(dict(id="edgtcp_gone", backend=dict(state="absent")))
    sim.put("/edges/tcp/edgtcp_gone/backend", dict(backend_id="old"))
    done = playbook("drift", sim, tmp_path, *arguments, **variables(options))
    assert done.returncode == 0, done.text
    assert sim.writes == []
    text = parsed(tmp_path / "drift.html")
    total = PER_GROUP + 1
    assert "%d edge modules, 1 host" % total in text and "This was a dry run" in text
    (reported,) = done.of("Write the reports")
    stats = reported["ansible_stats"]["data"]
    plan = stats.pop("drift_plan")
    assert stats == dict(drift_total=total, drift_changed=total - 2, drift_removed=1, drift_unchanged=1, drift_failed=0)
    assert len(plan["changes"]) == total - 1
    assert "plan: %s" % plan["checksum"] in told(done)
    first, removed, *changed, report = [line for line in told(done) if not line.startswith("plan: ")]
    assert first == "%d edge modules: %d would change, 1 would be removed, 1 unchanged, 0 failed" % (total, total - 2)
    assert removed == "would be removed: tcp_edge_backend edgtcp_gone"
    assert sorted(changed) == sorted(
        " ".join(["would change:", name, *module.ids(0).values()])
        for name, module in facts.MODULES.items()
        if name != "tls_edge_ip_restriction"
    )
    assert report == "The report: %s" % (tmp_path / "drift.html")


def test_drift_of_what_is_as_it_should_be(sim, tmp_path):
    options = variables(many(1))
    playbook("provision", sim, tmp_path, **options)
    done = playbook("drift", sim, tmp_path, drift_fail=True, provision_report=str(tmp_path / "x.html"), **options)
    assert done.returncode == 0, done.text
    assert numbers(done) == dict(changed=0, failures=0)
    assert "Nothing would change" in parsed(tmp_path / "x.html")
    assert not (tmp_path / "drift.html").exists()


@pytest.mark.parametrize("arguments", [(), ("--check",)], ids=" ".join)
def test_drift_over_many_hosts(sim, tmp_path, arguments):
    """One report for all hosts. Those that failed stand first in it, and the play fails after it."""
    hosts = inventory(
        4,
        **{
            "a-broken": variables(dict(tcp_edges="{{ no_such_variable }}")),
            "z-invalid": variables(dict(tcp_edges="text")),
            "z-refused": variables(dict(tcp_edges=[dict(id="edgtcp_bad", backend=dict(backend_id="b"))])),
        },
    )
    sim.add_fault(path="/edges/tcp/edgtcp_bad/*", status=500)
    done = playbook("drift", sim, tmp_path, *arguments, inventory=hosts, provision_hosts="edges", drift_fail=True)
    assert done.returncode == 2
    assert sim.writes == []
    text = parsed(tmp_path / "drift.html")
    total = 4 * PER_GROUP + 1
    assert "%d edge modules, 7 hosts" % total in text
    first = text.index("Would change")
    for host in ("a-broken", "z-invalid", "z-refused"):
        assert host in text[:first], host
    for number in range(4):
        assert "on edge-%02d" % number in text
    assert len(done.of("Write the reports")) == 1
    assert told(done)[0] == (
        "%d edge modules: %d would change, 0 would be removed, 0 unchanged, 3 failed" % (total, total - 1)
    )
    (stats,) = done.of("Write the reports")
    assert stats["ansible_stats"]["data"]["drift_failed"] == 3
    assert {host: done.stats[host]["failures"] for host in done.stats} == dict.fromkeys(done.stats, 1)
    assert len(done.stats) == 7


def test_drift_fail_fails_every_host_where_anything_changes_on_one(sim, tmp_path):
    hosts = inventory(3)
    playbook("provision", sim, tmp_path, inventory=hosts, provision_hosts="edges")
    sim.delete("/edges/tcp/edgtcp_1/backend")
    sim.clear_log()
    quiet = playbook("drift", sim, tmp_path, inventory=hosts, provision_hosts="edges")
    assert quiet.returncode == 0, quiet.text
    done = playbook("drift", sim, tmp_path, inventory=hosts, provision_hosts="edges", drift_fail=True)
    assert done.returncode == 2
    assert {host: done.stats[host]["failures"] for host in done.stats} == dict.fromkeys(
        ("edge-00", "edge-01", "edge-02"), 1
    )
    fails = done.of("Fail if anything failed")
    assert {one["msg"] for one in fails} == {
        "%d edge modules: 1 would change, 0 would be removed, %d unchanged, 0 failed"
        % (3 * PER_GROUP, 3 * PER_GROUP - 1)
    }
    assert sim.writes == []
    assert "would change" in parsed(tmp_path / "drift.html")


# One host an edge


def test_two_slices_make_the_whole(sim, tmp_path):
    hosts = inventory(6)
    wanted = dict(provision_hosts="edges", provision_report="r.html")
    slices = [
        playbook("provision", sim, tmp_path, "--limit", limit, inventory=hosts, **wanted)
        for limit in ("edge-00,edge-02,edge-04", "edge-01,edge-03,edge-05")
    ]
    assert [done.returncode for done in slices] == [0, 0]
    assert not set(slices[0].stats) & set(slices[1].stats)
    assert len(sim.writes) == len(sim.resources) == 6 * PER_GROUP
    assert "%d edge modules, 3 hosts" % (3 * PER_GROUP) in parsed(tmp_path / "r.html")
    whole = playbook("provision", sim, tmp_path, inventory=hosts, **wanted)
    assert {host: numbers(whole, host) for host in whole.stats} == {
        "edge-%02d" % number: dict(changed=0, failures=0) for number in range(6)
    }
    assert len(sim.writes) == 6 * PER_GROUP
    assert "%d edge modules, 6 hosts" % (6 * PER_GROUP) in parsed(tmp_path / "r.html")


def test_a_play_in_batches_reports_every_host(sim, tmp_path):
    play = harness.play(
        [{"ansible.builtin.import_role": {"name": "edgeops.edges.provision"}}],
        hosts="edges",
        serial=2,
        vars=dict(connection(sim), provision_report="r.html"),
    )
    done = harness.playbook([play], tmp_path=tmp_path, inventory=inventory(5))
    assert done.returncode == 0, done.text
    text = parsed(tmp_path / "r.html")
    assert "%d edge modules, 5 hosts" % (5 * PER_GROUP) in text
    assert "failed before" not in text


# export

STRINGS = [
    "1.10", "1", "yes", "No", "null", "~", "0755", "0o7", "1e3", "1_000", "12:30:45", "2024-01-31", ".inf", "=", "<<",
    "", " ", " lead", "trail ", "a: b", "- a", "# no", "a #b", "'", '"', "\\", "%", "@a", "`", "!tag", "&a", "*a",
    "|", ">", "{{ inventory_hostname }}", "{% if x %}", "{# c #}", "}}", "{", "[", "a\nb", "a\n", "\n", "\t",
    "tab\there", "é", "日本", "\u2028", "\x85", "\ufeff", "😀", "x" * 300, "{{ " + "long " * 60 + "}}",
    "__omit_place_holder__", "a\r\nb", "\x07",
]  # fmt: skip

# Of the service's answers, and of export_include_secrets.
READINGS = [
    (dict(not_set="404"), True),
    (dict(not_set="204", empty_fields="omitted", header_names="lower"), False),
    pytest.param(
        dict(not_set="{}", policy_form="indented", empty_fields="null", default_min_version="1.2"),
        True,
        marks=pytest.mark.slow,
    ),
]


def fill(sim):
    document = dict(
        inbound=[dict(name=text, expressions=[text], actions=[dict(type="x", config={})]) for text in STRINGS],
        more=dict(numbers=[1, 1.5, -0.0, 10**20, 1e30, True, None, [], {}], texts={text: text for text in STRINGS}),
    )
    sim.put(BACKEND, dict(backend_id="yes", enabled=False))
    sim.put(TERMINATION, dict(terminate_at="edge", min_version="1.10"))
    sim.put("/edges/tls/edgtls_2/ip_restriction", dict(ip_policy_ids=["0755", "1e3", "{{x}}", "null"]))
    sim.put("/edges/tls/edgtls_2/tls_termination", dict(terminate_at="upstream"))
    sim.put(POLICY, dict(value=json.dumps(document)))
    add = {"X-%d" % number: text for number, text in enumerate(STRINGS) if all(31 < ord(c) < 127 for c in text)}
    sim.put(HEADERS, dict(add={**add, "X-Api-Key": "s3cret {{ one }}", "X-Own": "s3cret-two"}, remove=["yes", "1.10"]))
    return dict(
        export_tcp_edges=["edgtcp_1", "edgtcp_2"],
        export_tls_edges=["edgtls_1", "edgtls_2"],
        export_https_edges=[dict(id="edghts_1", routes=["edghtsrt_1", "edghtsrt_2"])],
        export_secret_headers=["x-own"],
    )


@pytest.mark.parametrize("reading, include", READINGS, ids=str)
def test_an_export_that_is_provisioned_writes_nothing(sim, tmp_path, reading, include):
    sim.configure(**reading)
    ids = fill(sim)
    before = copy.deepcopy(sim.resources)
    done = playbook("export", sim, tmp_path, "-v", export_include_secrets=include, **ids)
    assert done.returncode == 0, done.text
    assert numbers(done) == dict(changed=1, failures=0)
    assert "s3cret" not in done.text
    path = tmp_path / "edges.yml"
    assert ("s3cret" in path.read_text(encoding="utf-8")) is include
    assert stat.S_IMODE(path.stat().st_mode) == (0o600 if include else 0o644)
    again = playbook("export", sim, tmp_path, export_include_secrets=include, **ids)
    assert numbers(again) == dict(changed=0, failures=0)
    # What is not set is not in the file; with purge it is looked at all the same.
    everything = 2 * PER_GROUP
    for name, total, more in (
        ("provision", everything, dict(provision_purge=True)),
        ("drift", len(before), dict(drift_fail=True)),
    ):
        back = playbook(name, sim, tmp_path, "-e", "@edges.yml", **more)
        assert back.returncode == 0, back.text
        (result,) = back.of("Reconcile the edge modules")
        assert result["summary"] == dict(total=total, changed=0, removed=0, unchanged=total, failed=0)
        assert "s3cret" not in back.text
    assert sim.writes == []
    assert sim.resources == before
    if include:
        for resource in before:
            sim.delete(resource)
        back = playbook("provision", sim, tmp_path, "-e", "@edges.yml")
        assert back.returncode == 0, back.text
        held, was = json.loads(sim.get(POLICY)["value"]), json.loads(before[POLICY]["value"])
        assert held == was
        assert sorted(sim.get(HEADERS)["add"].values()) == sorted(map(str.strip, before[HEADERS]["add"].values()))
        assert sim.resources.keys() == before.keys()


def test_export_under_check_writes_no_file(sim, tmp_path):
    ids = fill(sim)
    done = playbook("export", sim, tmp_path, "--check", export_path="sub.yml", **ids)
    assert done.returncode == 0, done.text
    assert not (tmp_path / "sub.yml").exists()


def test_export_of_nothing(sim, tmp_path):
    done = playbook("export", sim, tmp_path, export_path=str(tmp_path / "none.yml"))
    assert done.returncode == 0, done.text
    assert yaml.safe_load((tmp_path / "none.yml").read_text(encoding="utf-8")) == dict(
        provision_tcp_edges=[],
        provision_tls_edges=[],
        provision_https_edges=[],
        provision_secret_headers=[],
        provision_secret_keys=[],
    )


def test_export_of_what_provision_wrote(sim, tmp_path):
    options = many(3)
    playbook("provision", sim, tmp_path, **variables(options))
    done = playbook("export", sim, tmp_path, **variables(ids_of(options), "export"))
    assert done.returncode == 0, done.text
    sim.clear_log()
    back = playbook("provision", sim, tmp_path, "-e", "@edges.yml")
    assert numbers(back) == dict(changed=0, failures=0)
    assert len(sim.log) == 3 * PER_GROUP
