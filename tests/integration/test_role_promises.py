# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the role promises whatever the play around it does: keywords, other plays, hosts that are lost, mistakes."""

from __future__ import annotations

import json

import harness
import pytest
import yaml
from harness.many import PER_GROUP, many
from harness.role import connection, numbers, parsed, playbook, role_play, told, variables

PATH = "/edges/tcp/%s/backend"


def backend(name, value="b"):
    return dict(id="edgtcp_" + name, backend=dict(backend_id=value))


def hosts_of(common=None, **hosts):
    """An inventory of hosts with their variables, over the connection local."""
    return yaml.safe_dump(
        dict(all=dict(hosts=hosts, vars=dict(dict(ansible_connection="local"), **(common or {})))), sort_keys=False
    )


def one_each(*names, **more):
    return hosts_of(**{name: dict(dict(provision_tcp_edges=[backend(name)]), **more.get(name, {})) for name in names})


def run_plays(plays, tmp_path, *arguments, **more):
    return harness.playbook(plays, *arguments, tmp_path=tmp_path, **more)


def report_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def states(report):
    return {host["name"]: host["state"] for host in report["hosts"]}


# Dry runs


def test_the_entry_point_drift_cannot_write(sim, tmp_path):
    """Whatever the play, the block, the task or a variable says: the promise is held where the tasks are."""
    role = {"name": "edgeops.edges.provision", "tasks_from": "drift"}
    ways = [
        {"ansible.builtin.import_role": role},
        {"ansible.builtin.import_role": role, "check_mode": False},
        {"ansible.builtin.include_role": dict(role, apply=dict(check_mode=False))},
        {"block": [{"ansible.builtin.include_role": role}], "check_mode": False},
        {"ansible.builtin.import_role": role, "check_mode": "{{ false }}"},
        {"ansible.builtin.import_role": role, "vars": dict(provision_dry_run=False, ansible_check_mode=False)},
    ]
    plays = [
        harness.play(
            [way], check_mode=check, vars={**connection(sim), **variables(many(1)), "provision_report": "r.json"}
        )
        for check, way in [(None, ways[0])] + [(False, way) for way in ways]
    ]
    for play in plays:
        if play["check_mode"] is None:
            del play["check_mode"]
    done = run_plays(plays, tmp_path, extra=dict(provision_dry_run=False, ansible_check_mode=False))
    assert done.returncode == 0, done.text
    assert len(done.of("Reconcile the edge modules")) == len(plays)
    assert all(result["dry_run"] for result in done.of("Reconcile the edge modules"))
    assert sim.writes == []
    assert report_of(tmp_path / "r.json")["dry_run"] is True


# The report tells of its own play alone


def test_a_report_tells_nothing_of_the_play_before(sim, tmp_path):
    """What was registered in a drift before is not taken for done: neither of hosts whose turn has not come, nor of
    those that fail before their edge modules are looked at."""
    sim.add_fault(method="PUT", path=PATH % "edgtcp_a", status=403)
    lost = {"ansible.builtin.fail": dict(msg="lost"), "when": "inventory_hostname == 'b'"}
    more = dict(hosts="all", gather_facts=False)
    plays = [
        role_play(sim, "drift", **more),
        dict(role_play(sim, vars=dict(provision_report="second.json"), **more), pre_tasks=[lost]),
        role_play(sim, vars=dict(provision_report="third.json"), **{**more, "hosts": "a,c", "serial": 1}),
    ]
    done = run_plays(plays[:2], tmp_path, inventory=one_each("a", "b", "c"))
    assert done.returncode == 2
    report = report_of(tmp_path / "second.json")
    assert report["dry_run"] is False
    assert states(report) == dict(a="done", b="failed", c="done")
    assert [change["host"] for change in report["changes"]] == ["c"]
    assert {failure["host"] for failure in report["failures"]} == {"a", "b"}

    sim.reset()
    sim.add_fault(method="PUT", path=PATH % "edgtcp_a", status=403)
    done = run_plays([plays[0], plays[2]], tmp_path, inventory=one_each("a", "c"))
    assert done.returncode == 2
    report = report_of(tmp_path / "third.json")
    assert list(states(report)) == ["a"]
    assert report["changes"] == []
    assert sim.resources == {}


@pytest.mark.parametrize("verb", ["import_role", "include_role"])
def test_a_play_in_batches_makes_one_report(sim, tmp_path, verb):
    task = {"ansible.builtin." + verb: dict(name="edgeops.edges.provision"), "when": "inventory_hostname != 'b'"}
    play = harness.play([task], hosts="all", serial=1, vars=dict(connection(sim), provision_report="r.json"))
    done = run_plays([play], tmp_path, inventory=one_each("a", "b", "c"))
    assert done.returncode == 0, done.text
    assert states(report_of(tmp_path / "r.json")) == dict(a="done", c="done")
    assert len(done.of("Print a summary")) - ("skipped" in done.text and verb == "import_role") == 2


@pytest.mark.parametrize("tasks_from", ["main", "validate"])
def test_no_keyword_makes_the_role_go_on_after_a_refusal(sim, tmp_path, tasks_from):
    """What comes after the check would write, or say that all is well."""
    play = role_play(sim, tasks_from, hosts="all", task=dict(ignore_errors=True), ignore_errors=True)
    both = dict(provision_tcp_edges=[backend("x")])
    done = run_plays([play], tmp_path, inventory=hosts_of(a=both, b=both))
    assert done.returncode == 2, done.text
    assert "the hosts a and b both name tcp_edge_backend" in done.text
    assert sim.log == [] and "are valid" not in done.text


def test_a_failure_that_is_no_refusal_can_be_ignored(sim, tmp_path):
    sim.add_fault(method="PUT", path=PATH % "edgtcp_a", status=403)
    play = role_play(sim, hosts="all", task=dict(ignore_errors=True))
    play["tasks"].append({"ansible.builtin.debug": dict(msg="gone on"), "name": "Go on"})
    done = run_plays([play], tmp_path, inventory=one_each("a", "b"))
    assert done.returncode == 0 and len(done.of("Go on")) == 2, done.text


def test_run_once_on_the_role_is_for_the_first_host_alone(sim, tmp_path):
    """Ansible registers what that host says for all the others too: they take no part all the same."""
    plays = [
        role_play(sim, hosts="all", task=dict(run_once=True), vars=dict(provision_report="1.json")),
        role_play(
            sim, hosts="all", task=dict(run_once=True), vars=dict(provision_report="2.json", provision_max_removed=0)
        ),
    ]
    done = run_plays(plays, tmp_path, inventory=one_each("a", "b"))
    assert done.returncode == 0, done.text
    for name in ("1.json", "2.json"):
        assert states(report_of(tmp_path / name)) == dict(a="done")
    assert list(sim.resources) == [PATH % "edgtcp_a"]


# Reports


def test_reports_in_every_form(sim, tmp_path):
    paths = ["r.html", str(tmp_path / "r.JSON"), "r.md"]
    done = playbook(
        "provision", sim, tmp_path, provision_report=paths, provision_report_title="The <shop>", **variables(many(1))
    )
    assert done.returncode == 0, done.text
    assert "The <shop>" in parsed(tmp_path / "r.html")
    assert report_of(tmp_path / "r.JSON")["counts"]["changed"] == PER_GROUP
    assert "edgtcp_0" in (tmp_path / "r.md").read_text(encoding="utf-8")
    for name in ("r.html", "r.JSON", "r.md"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o644
        assert told(done)[-3:] == ["The report: %s" % (tmp_path / each) for each in ("r.html", "r.JSON", "r.md")]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_reports_that_cannot_be_written_are_told_before_anything_is_sent(sim, tmp_path):
    """Each by its name; module_defaults of Ansible's own modules have nothing to say in it."""
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file").touch()
    paths = ["folder.html", "no/", "missing/r.html", "file/r.html", "/proc/r.html", "/dev/null", "r.txt", "", 7]
    play = role_play(sim, vars=dict(variables(many(1)), provision_report=paths))
    play["module_defaults"] = {
        "ansible.builtin.command": dict(chdir="/nowhere"),
        "ansible.builtin.copy": dict(mode="x"),
    }
    done = run_plays([play], tmp_path)
    assert done.returncode == 2
    (refused,) = done.of("Check the hosts against each other")
    for text in (
        "%s is a directory, not a file" % (tmp_path / "folder.html"),
        "no/ is a directory, not a file",
        "the directory %s does not exist" % (tmp_path / "missing"),
        "the directory %s does not exist" % (tmp_path / "file"),
        "/proc/r.html cannot be written",
        "/dev/null is not a regular file",
        "r.txt must end in one of .html, .json, .md, .diff",
        '"" is not a path',
        "7 is not a path",
    ):
        assert text in refused["msg"], text
    assert sim.log == []

    # Nor does it take a home to write in, where modules have their temporary files.
    play["vars"]["provision_report"] = "r.json"
    done = run_plays([play], tmp_path, env=dict(HOME="/proc/nowhere", ANSIBLE_REMOTE_TMP="/proc/nowhere"))
    assert done.returncode == 0, done.text
    assert report_of(tmp_path / "r.json")["counts"]["changed"] == PER_GROUP


def test_a_drift_tells_and_sets_stats_where_the_file_fails(sim, tmp_path):
    done = playbook("drift", sim, tmp_path, provision_report=["missing/r.html", "r.json"], **variables(many(1)))
    assert done.returncode == 2
    assert told(done)[0] == (
        "%d edge modules: %d would change, 0 would be removed, 0 unchanged, 0 failed" % (PER_GROUP, PER_GROUP)
    )
    assert done.of("Write the reports")[0]["ansible_stats"]["data"]["drift_changed"] == PER_GROUP
    assert report_of(tmp_path / "r.json")["counts"]["changed"] == PER_GROUP
    (failed,) = done.of("Fail if anything failed")
    assert failed["msg"] == "provision_report: the directory %s does not exist on the controller" % (
        tmp_path / "missing"
    )


@pytest.mark.parametrize(
    "report, written",
    [({}, True), (dict(provision_report=None), True), (dict(provision_report=""), False)],
    ids=["not given", "null", "blank"],
)
def test_only_the_playbook_drift_has_a_report_of_its_own(sim, tmp_path, report, written):
    done = playbook("drift", sim, tmp_path, **report, **variables(many(1)))
    assert done.returncode == 0, done.text
    assert (tmp_path / "drift.html").exists() is written
    (tmp_path / "drift.html").unlink(missing_ok=True)
    play = role_play(sim, "drift", vars=dict(variables(many(1)), **report))
    done = run_plays([play], tmp_path)
    assert done.returncode == 0, done.text
    assert list(tmp_path.glob("*.html")) == []


# Keywords


def test_when_that_is_false_on_the_first_host_costs_no_report(sim, tmp_path):
    sim.add_fault(method="PUT", path=PATH % "edgtcp_c", status=403)
    play = role_play(
        sim,
        task=dict(when="inventory_hostname not in ['a', 'b']"),
        hosts="all",
        vars=dict(provision_report="r.json"),
    )
    done = run_plays([play], tmp_path, inventory=one_each("a", "b", "c", "d", "e"))
    assert done.returncode == 2
    report = report_of(tmp_path / "r.json")
    assert states(report) == dict(c="done", d="done", e="done")
    assert [change["host"] for change in report["changes"]] == ["d", "e"]
    texts = [one["msg"] for one in done.of("Print a summary") if "msg" in one]
    assert len(texts) == 1
    assert {host: done.stats[host]["failures"] for host in done.stats} == dict(a=0, b=0, c=1, d=0, e=0)


def test_drift_fails_all_where_when_is_false_on_the_first_host(sim, tmp_path):
    play = role_play(sim, "drift", task=dict(when="inventory_hostname != 'a'"), hosts="all", vars=dict(drift_fail=True))
    sim.put(PATH % "edgtcp_b", dict(backend_id="b"))
    done = run_plays([play], tmp_path, inventory=one_each("a", "b", "c"))
    assert {host: done.stats[host]["failures"] for host in done.stats} == dict(a=0, b=1, c=1)


@pytest.mark.parametrize("strategy", ["free", "ansible.builtin.host_pinned"])
def test_another_strategy_has_no_report_and_says_so(sim, tmp_path, strategy):
    sim.add_fault(method="PUT", path=PATH % "edgtcp_b", status=403)
    play = role_play(sim, hosts="all", strategy=strategy, vars=dict(provision_report="r.json"))
    done = run_plays([play], tmp_path, inventory=one_each("a", "b", "c"))
    assert done.returncode == 2
    assert not (tmp_path / "r.json").exists()
    assert " ".join(done.text.split()).count("use the strategy linear") == 1
    assert {host: done.stats[host]["failures"] for host in done.stats} == dict(a=0, b=1, c=0)
    assert sorted(sim.resources) == [PATH % "edgtcp_a", PATH % "edgtcp_c"]


def test_drift_under_another_strategy_counts_all_hosts(sim, tmp_path):
    play = role_play(sim, "drift", hosts="all", strategy="free")
    done = run_plays([play], tmp_path, inventory=one_each("a", "b", "c"), env=dict(ANSIBLE_SHOW_CUSTOM_STATS="true"))
    assert done.returncode == 0, done.text
    assert '"drift_total": 3' in done.stdout


@pytest.mark.parametrize(
    "keyword, arguments, shown", [(True, (), True), (False, ("--diff",), False), (None, (), False)]
)
def test_diff_means_what_it_means_elsewhere(sim, tmp_path, keyword, arguments, shown):
    """Reports have no need of it."""
    on_play = dict(diff=True) if keyword else {}
    on_role = dict(diff=False) if keyword is False else {}
    play = role_play(
        sim, task=on_role, vars=dict(provision_tcp_edges=[backend("a", "new")], provision_report="r.json"), **on_play
    )
    done = run_plays([play], tmp_path, *arguments)
    assert done.returncode == 0, done.text
    assert ('+  "backend_id": "new"' in done.stdout) is shown
    assert report_of(tmp_path / "r.json")["changes"][0]["after"] == dict(enabled=True, backend_id="new")


@pytest.mark.parametrize("way", harness.WAYS)
def test_a_failed_host_counts_what_it_changed_and_says_once_why(sim, tmp_path, way):
    sim.add_fault(method="PUT", path=PATH % "edgtcp_b", status=403, body=dict(msg="only reading is allowed"))
    edges = [backend(name) for name in ("a", "b", "c")]
    extra = dict(provision_tcp_edges=edges, edgeops_edges_in_process=way == "worker")
    done = playbook("provision", sim, tmp_path, **extra)
    assert done.returncode == 2
    assert numbers(done) == dict(changed=1, failures=1)
    # Newer versions of Ansible say each failure of a task twice.
    lines = [line for line in done.text.splitlines() if "only reading is allowed" in line]
    assert len([line for line in lines if not line.startswith("[ERROR]")]) == 1
    assert len(lines) <= 2
    (failed,) = done.of("Fail if anything failed")
    assert failed["msg"].startswith("2 changed, 0 unchanged, 1 failed: tcp_edge_backend edgtcp_b: PUT")


def test_what_stops_the_task_from_outside_is_in_the_report(sim, tmp_path):
    """The timeout of a task, which no failed_when sees: the report and the text come all the same."""
    sim.add_fault(kind="hang", seconds=20, path=PATH % "edgtcp_b")
    play = role_play(sim, task=dict(timeout=5), hosts="all", vars=dict(provision_report="r.json"))
    done = run_plays([play], tmp_path, inventory=one_each("a", "b"))
    assert done.returncode == 2
    report = report_of(tmp_path / "r.json")
    assert states(report) == dict(a="done", b="failed")
    assert "timed out" in json.dumps(report["failures"]).lower()
    assert done.stats["b"]["failures"] == 1
    assert told(done)[0] == "1 edge module: 1 changed, 0 removed, 0 unchanged, 1 failed"


# Hosts


def test_a_host_that_cannot_be_reached_is_in_report_text_and_counts(sim, tmp_path):
    away = dict(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=1)
    hosts = one_each("a", "b", a=away)
    done = playbook(
        "drift", sim, tmp_path, inventory=hosts, provision_hosts="all", provision_report="r.json", drift_fail=True
    )
    assert done.returncode != 0
    report = report_of(tmp_path / "r.json")
    assert states(report) == dict(a="unreachable", b="done")
    assert report["counts"]["failed"] == 1
    assert done.of("Write the reports")[0]["ansible_stats"]["data"] == dict(
        drift_total=1, drift_changed=1, drift_removed=0, drift_unchanged=0, drift_failed=1
    )
    assert any(line.startswith("failed: a: ") for line in told(done))
    assert done.stats["a"]["unreachable"] == 1
    assert done.stats["b"]["failures"] == 1

    alone = playbook("drift", sim, tmp_path, "--limit", "a", inventory=hosts, provision_hosts="all")
    assert alone.returncode == 4
    assert "Connection refused" in parsed(tmp_path / "drift.html")


def test_the_playbooks_need_no_connection_in_the_inventory(sim, tmp_path):
    hosts = yaml.safe_dump(dict(all=dict(hosts={"no.such.host.invalid": dict(provision_tcp_edges=[backend("a")])})))
    for name in ("drift", "provision"):
        done = playbook(name, sim, tmp_path, inventory=hosts, provision_hosts="all")
        assert done.returncode == 0, done.text
    assert list(sim.resources) == [PATH % "edgtcp_a"]


CONFLICTS = {
    "the same edge module": (
        dict(provision_tcp_edges=[backend("x", "one")]),
        dict(provision_tcp_edges=[backend("x", "two")]),
        "the hosts a and b both name tcp_edge_backend of tcp_edges edgtcp_x",
    ),
    "one TLS edge": (
        dict(provision_tls_edges=[dict(id="edgtls_x", tls_termination=dict(terminate_at="edge"))]),
        dict(provision_tls_edges=[dict(id="edgtls_x", ip_restriction=dict(ip_policy_ids=["ipp_1"]))]),
        "the hosts a and b both name tls_edges edgtls_x",
    ),
    "one route, two edge modules": (
        dict(
            provision_https_edges=[dict(id="edghts_x", routes=[dict(id="edghtsrt_x", traffic_policy=dict(value={}))])]
        ),
        dict(provision_https_edges=[dict(id="edghts_x", routes=[dict(id="edghtsrt_x", request_headers=dict(add={}))])]),
        None,
    ),
    "one route, two edge modules, purge": (
        dict(
            provision_https_edges=[dict(id="edghts_x", routes=[dict(id="edghtsrt_x", traffic_policy=dict(value={}))])]
        ),
        dict(
            provision_https_edges=[dict(id="edghts_x", routes=[dict(id="edghtsrt_x", request_headers=dict(add={}))])],
            provision_purge=True,
        ),
        "the hosts a and b both name https_edges edghts_x edghtsrt_x",
    ),
    "another address": (
        dict(provision_tcp_edges=[backend("x", "one")], provision_base_url="http://127.0.0.1:9/"),
        dict(provision_tcp_edges=[backend("x", "two")], provision_base_url="http://127.0.0.1:9/v2"),
        None,
    ),
    "the same address, written otherwise": (
        dict(provision_tcp_edges=[backend("x", "one")], provision_base_url="http://LOCALHOST:80/"),
        dict(provision_tcp_edges=[backend("x", "two")], provision_base_url=" http://localhost"),
        "both name tcp_edge_backend",
    ),
}


@pytest.mark.parametrize("first, second, message", CONFLICTS.values(), ids=CONFLICTS)
def test_one_edge_in_two_hosts_is_refused_before_anything_is_sent(sim, tmp_path, first, second, message):
    play = role_play(sim, hosts="all", vars=dict(provision_retries=0))
    if "provision_base_url" in first:
        del play["vars"]["provision_base_url"]
    hosts = hosts_of(a=first, b=second, c=dict(provision_tcp_edges=[backend("c")], provision_base_url=sim.base_url))
    done = run_plays([play], tmp_path, inventory=hosts)
    refused = done.of("Check the hosts against each other")[0]
    if message is None:
        assert not refused.get("failed")
        assert sim.log != []
        return
    assert message in refused["msg"]
    assert done.returncode == 2
    assert sim.log == []


def test_a_host_that_does_not_take_part_owns_nothing(sim, tmp_path):
    """The same lists for all hosts, and a `when` that picks one: nothing to refuse."""
    play = role_play(
        sim,
        task=dict(when="inventory_hostname == 'b'"),
        hosts="all",
        vars=dict(provision_tcp_edges=[backend("x")]),
    )
    done = run_plays([play], tmp_path, inventory=hosts_of(a={}, b={}, c={}))
    assert done.returncode == 0, done.text
    assert list(sim.resources) == [PATH % "edgtcp_x"]
    del play["tasks"][0]["when"]
    play["serial"] = 1
    done = run_plays([play], tmp_path, inventory=hosts_of(a={}, b={}, c={}))
    assert done.returncode == 2
    assert "the hosts a and b both name" in done.text  # as soon as it can be known


# Variables


def test_what_a_template_omits_counts_as_not_given(sim, tmp_path):
    """In variables of the role, within its lists, and in module_defaults: what plugins read themselves.

    Not in those that are booleans: before ansible-core 2.19 Ansible's own check of the variables refuses it there.
    """
    omitted = "{{ nobody | default(omit) }}"
    names = ("api_key", "base_url", "timeout", "ca_path", "only", "secret_headers", "report", "max_changed")
    edge = dict(id="edgtcp_a", name=omitted, backend=dict(backend_id="b", enabled=omitted))
    found = dict(dict.fromkeys(("provision_" + name for name in names), omitted), provision_tcp_edges=[edge])
    defaults = {"group/edgeops.edges.all": dict(harness.connection_options(sim), timeout=omitted, retries=omitted)}
    single = {"edgeops.edges.tcp_edge_backend": dict(edge_id="edgtcp_b", backend_id="b", timeout=None)}
    role = {"ansible.builtin.import_role": dict(name="edgeops.edges.provision")}
    tasks = [role, single, dict(single, vars=dict(edgeops_edges_in_process=False))]
    play = harness.play(tasks, vars=dict(found, edgeops_edges_in_process=omitted), module_defaults=defaults)
    done = run_plays([play], tmp_path)
    assert done.returncode == 0, done.text
    assert sorted(record.path for record in sim.writes) == [PATH % "edgtcp_a", PATH % "edgtcp_b"]


def test_null_counts_as_not_given_everywhere(sim, tmp_path):
    specs = yaml.safe_load((harness.ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    nulls = dict.fromkeys(specs["argument_specs"]["drift"]["options"])
    environment = dict(EDGE_API_KEY=sim.api_key, EDGE_API_BASE_URL=sim.base_url)
    # A plan that is named and missing must not be taken for none.
    del nulls["provision_approved_plan"]
    given = dict(nulls, provision_tcp_edges=[backend("a")])
    for name in ("drift", "provision"):
        done = harness.playbook(
            "edgeops.edges." + name, tmp_path=tmp_path, env=environment, extra=dict(given, provision_hosts=None)
        )
        assert done.returncode == 0, done.text
        assert numbers(done) == dict(changed=1, failures=0)
    assert (tmp_path / "drift.html").exists()
    nothing = harness.playbook("edgeops.edges.provision", tmp_path=tmp_path, env=environment, extra=nulls)
    assert "no host of the play has any entry in provision_tcp_edges" in nothing.text
    for one in (done, nothing):
        assert "NoneType" not in one.text and "_Ansible" not in one.text


@pytest.mark.parametrize(
    "variable, value, message",
    [
        ("provision_tcp_edges", dict(id="x"), "tcp_edges must be a list of dicts, not a dict"),
        ("provision_tcp_edges", [None], "tcp_edges[0] must be a dict, not null"),
        ("provision_tls_edges", [["x"]], "tls_edges[0] must be a dict, not a list"),
        ("provision_https_edges", [dict(id="edghts_1", routes="x")], "https_edges[0].routes"),
        ("provision_secret_headers", [dict(a=1)], "secret_headers[0] must be a string, not a dict"),
        ("provision_purge", "fasle", "provision_purge"),
        ("provision_allow_empty", "fasle", "provision_allow_empty"),
        ("provision_concurrency", "many", "concurrency"),
        ("provision_validate_certs", "fasle", "provision_validate_certs"),
    ],
)
def test_a_wrong_value_is_said_in_words(sim, tmp_path, variable, value, message):
    given = {"provision_tcp_edges": [backend("a")], variable: value}
    done = playbook("provision", sim, tmp_path, **given)
    assert done.returncode == 2
    assert message in done.text
    assert "NoneType" not in done.text and "_Ansible" not in done.text
    assert sim.log == []


def test_every_option_of_the_connection_has_its_variable(sim, tmp_path):
    """Each arrives: the module has something to say of each."""
    wrong = dict(
        provision_api_key="a\nb",
        provision_base_url="http://192.0.2.1",
        provision_api_version="\u20ac",
        provision_version_header="no header",
        provision_ca_path="/no/ca",
        provision_client_cert="/no/cert",
        provision_client_key="/no/key",
        provision_timeout=0.5,
        provision_retries=-1,
        provision_retry_max_wait=-2,
    )
    done = playbook("provision", sim, tmp_path, provision_tcp_edges=[backend("a")], **wrong)
    assert done.returncode == 2
    for text in (
        "api_key contains a control character",
        "base_url is plain http to 192.0.2.1",
        "api_version must be a string",
        "version_header must be the name of an HTTP header",
        "/no/ca does not exist",
        "/no/cert does not exist",
        "/no/key does not exist",
        "timeout must be from 1 to 86400, not 0.5",
        "retries must be from 0 to 86400, not -1",
        "retry_max_wait must be from 0 to 86400, not -2",
    ):
        assert text in done.text, text
    wrong = dict(
        provision_base_url="http://192.0.2.1",
        provision_allow_plain_http=True,
        provision_validate_certs=False,
        provision_ca_path="/no/ca",
        provision_use_proxy=False,
        provision_timeout=1,
        provision_retries=0,
    )
    env = dict(http_proxy=sim.base_url)  # would answer
    done = playbook("provision", sim, tmp_path, provision_tcp_edges=[backend("a")], env=env, **wrong)
    assert done.returncode == 2
    assert "/no/ca" not in done.text
    assert sim.log == []


def test_the_timeout_counts(sim, tmp_path):
    sim.add_fault(kind="hang", seconds=20)
    given = dict(provision_tcp_edges=[backend("a")], provision_timeout="1", provision_retries="0")
    done = playbook("provision", sim, tmp_path, **given)
    assert "1 s" in done.text or "timed out" in done.text
    assert len(sim.log) == 1


def test_module_defaults_count_where_a_variable_is_not_given(sim, tmp_path):
    play = role_play(sim, vars=dict(provision_tcp_edges=[backend("a")], provision_base_url=None))
    play["module_defaults"] = {
        "group/edgeops.edges.all": dict(base_url=sim.base_url, concurrency=1, backup_path="/nowhere/backup.yml"),
        # The role names no such option where nothing of plans, limits or backup is asked for.
        "edgeops.edges.edge_modules": dict(backup_path=str(tmp_path / "backup.yml")),
    }
    del play["vars"]["provision_base_url"]
    done = run_plays([play], tmp_path)
    assert done.returncode == 0, done.text
    assert list(sim.resources) == [PATH % "edgtcp_a"]
    assert "edgtcp_a" in (tmp_path / "backup.yml").read_text(encoding="utf-8")


def test_a_variable_that_cannot_be_had_is_named_and_reported(sim, tmp_path):
    """One that is looked at only where edge_modules is run, and that Ansible has not looked at before either."""
    given = dict(provision_tcp_edges=[backend("a")], provision_timeout="{{ nowhere }}", provision_report="r.json")
    play = role_play(sim, vars=given)
    play["tasks"][0]["ansible.builtin.import_role"]["rolespec_validate"] = False
    done = run_plays([play], tmp_path)
    assert done.returncode == 2
    (failed,) = done.of("Fail if anything failed")
    assert "provision_timeout: " in failed["msg"] and "nowhere" in failed["msg"]
    assert states(report_of(tmp_path / "r.json")) == dict(localhost="failed")
    assert sim.log == []


def test_a_mistyped_variable_is_told_with_the_name_that_was_meant(sim, tmp_path):
    given = dict(provision_tcp_edge=[1], provison_purge=True, provision_repotr="x", drift_fial=True, provisionreport=1)
    own = dict(provision_shop=1, edges=2, my_provision_report=3, drift_failure=4)
    done = playbook("drift", sim, tmp_path, provision_tcp_edges=[backend("a")], **given, **own)
    assert done.returncode == 0, done.text
    text = " ".join(done.text.split())
    for wrong, meant in (
        ("provision_tcp_edge", "provision_tcp_edges"),
        ("provison_purge", "provision_purge"),
        ("provision_repotr", "provision_report"),
        ("drift_fial", "drift_fail"),
        ("provisionreport", "provision_report"),
    ):
        assert "%s is not a variable of the role provision: did you mean %s?" % (wrong, meant) in text
    assert text.count("is not a variable of the role provision") == len(given)


def test_a_play_without_any_entry_fails_unless_that_is_meant(sim, tmp_path):
    done = playbook("drift", sim, tmp_path, tcp_edges=[backend("a")], drift_fail=True)
    assert done.returncode == 2
    assert "no host of the play has any entry" in done.text
    assert "though tcp_edges is set (the names of the role's variables begin with provision_)" in done.text
    done = playbook("drift", sim, tmp_path, provision_allow_empty=True)
    assert done.returncode == 0, done.text
    # An entry without an edge module is one: so is an export of what is not set.
    done = playbook("provision", sim, tmp_path, provision_tcp_edges=[dict(id="edgtcp_1")])
    assert done.returncode == 0, done.text
    assert sim.log == []


def test_hosts_without_entries_are_fine_beside_others(sim, tmp_path):
    """Also in the first batch of a play, before it is known what the others have."""
    hosts = hosts_of(a={}, b={}, c=dict(provision_tcp_edges=[backend("c")]))
    for serial in (0, 1):
        done = run_plays([role_play(sim, hosts="all", serial=serial)], tmp_path, inventory=hosts)
        assert done.returncode == 0, done.text
    none = run_plays([role_play(sim, hosts="all", serial=1)], tmp_path, inventory=hosts_of(a={}, b={}))
    assert none.returncode == 2
    assert {host: none.stats[host]["failures"] for host in none.stats} == dict(a=0, b=1)


# Export


def test_export_keeps_what_was_there_and_leaves_out_what_is_not_set(sim, tmp_path):
    sim.put(PATH % "edgtcp_a", dict(backend_id="b"))
    ids = dict(
        export_tcp_edges=["edgtcp_a", "edgtcp_b"], export_tls_edges=None, export_path=None, export_secret_keys=None
    )
    path = tmp_path / "edges.yml"
    for existing in (None, "# edited by hand\n"):
        if existing:
            path.write_text(existing, encoding="utf-8")
        done = playbook("export", sim, tmp_path, **ids)
        assert done.returncode == 0, done.text
    (kept,) = [each for each in tmp_path.iterdir() if each.name.startswith("edges.yml.")]
    assert kept.read_text(encoding="utf-8") == "# edited by hand\n"
    found = yaml.safe_load(path.read_text(encoding="utf-8"))["provision_tcp_edges"]
    assert [edge["id"] for edge in found] == ["edgtcp_a", "edgtcp_b"]
    assert "backend" not in found[1]
    playbook("export", sim, tmp_path, export_unset=True, **ids)
    found = yaml.safe_load(path.read_text(encoding="utf-8"))["provision_tcp_edges"]
    assert found[1]["backend"] == dict(state="absent")


def test_export_takes_the_options_of_the_connection(sim, tmp_path):
    wrong = dict(provision_timeout=0.5, provision_retries=-1, provision_ca_path="/no/ca", provision_retry_max_wait=None)
    done = playbook("export", sim, tmp_path, export_tcp_edges=["edgtcp_a"], **wrong)
    assert done.returncode == 2
    for text in ("timeout must be from 1", "retries must be from 0", "/no/ca does not exist"):
        assert text in done.text
    assert sim.log == []


@pytest.mark.parametrize("path", ["missing/e.yml", "folder", "no/", "/proc/e.yml"])
def test_export_finds_out_first_that_it_cannot_write(sim, tmp_path, path):
    (tmp_path / "folder").mkdir()
    done = playbook("export", sim, tmp_path, export_tcp_edges=["edgtcp_a"], export_path=path)
    assert done.returncode == 2
    assert "export_path: " in done.text
    assert sim.log == []
