# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules as Ansible runs them: real ansible-playbook runs, in the worker and as modules."""

from __future__ import annotations

import importlib
import json

import harness
import pytest
import yaml
from ansible import __version__ as ansible_version
from harness import samples
from harness.samples import HEADERS, POLICY, RESTRICTION, ROUTE_IDS, TERMINATION, TLS_IDS

FIRST = list(samples.FIRST.values())
ALL = len(FIRST)
# Lines that Ansible prints where something is not quite right.
COMPLAINTS = ("WARNING", "DEPRECAT", "Traceback", "ERROR", "fatal:")


def _task(sample, which=None, **more):
    return {
        "name": sample.module,
        "%s.%s" % (harness.COLLECTION, sample.module): sample.options(which, **more),
    }


def _tasks(which):
    return [_task(one, getattr(one, which)) if which else _task(one, state="absent") for one in FIRST]


def _clean(run):
    """The run was fine, and Ansible had nothing to say about it."""
    assert run.returncode == 0, run.text
    assert [line for line in run.text.splitlines() if any(word in line for word in COMPLAINTS)] == []
    for entry in run.results:
        assert not entry["result"].get("warnings") and not entry["result"].get("deprecations"), entry
    return run


@pytest.fixture(params=[True, False], ids=["in the worker", "as modules"])
def in_process(request):
    return request.param


@pytest.fixture
def play(sim, tmp_path, in_process):
    """play(tasks, *arguments): run a play of these tasks, and see that it ran in the way that was asked for."""

    def runner(tasks, *arguments, variables=None):
        found = {"edgeops_edges_in_process": in_process, **(variables or {})}
        return harness.playbook([harness.play(tasks, sim, vars=found)], *arguments, tmp_path=tmp_path)

    return runner


def test_one_full_pass_of_every_edge_module(sim, play, in_process):
    """Dry run with diff, run, run again, change, removal, removal again; connection by module_defaults."""
    dry = _clean(play(_tasks("a"), "--check", "--diff", "-vvv"))
    assert dry.stats["localhost"]["changed"] == ALL
    assert (sim.writes, sim.resources) == ([], {})
    assert dry.stdout.count("+++ after") == ALL
    # ... and it is the way that was asked for
    assert dry.stdout.count("runs in the worker") == (ALL if in_process else 0)
    assert dry.stdout.count("runs as a module: edgeops_edges_in_process is false") == (0 if in_process else ALL)

    steps = [
        ("a", ALL, ["PUT"] * ALL, {one.path: one.stored_a for one in FIRST}),
        ("a", 0, [], {one.path: one.stored_a for one in FIRST}),
        ("b", ALL, ["PUT"] * ALL, {one.path: one.stored_b for one in FIRST}),
        (None, ALL, ["DELETE"] * ALL, {}),
        (None, 0, [], {}),
    ]
    for number, (which, changed, methods, held) in enumerate(steps):
        sim.clear_log()
        run = _clean(play(_tasks(which), "--diff"))
        assert run.stats["localhost"] == dict(run.stats["localhost"], ok=ALL, changed=changed, failures=0, skipped=0)
        assert [record.method for record in sim.writes] == methods
        assert len(sim.log) == ALL + len(methods)
        assert sim.resources == held
        for entry in run.results:
            assert {"changed", "operation", "config", "diff"} <= set(entry["result"])
        if number == 0:
            for once, twice in zip(dry.results, run.results):
                assert once["result"]["diff"] == twice["result"]["diff"]
                assert once["result"]["operation"] == twice["result"]["operation"] == "replace"


POLICY_TEXT = '{"inbound": [{"name": "caf\\u00e9", "expressions": ["a && b > 1"]}], "n": [1, true, null]}'


def test_however_a_value_reaches_the_task_it_is_the_same(sim, play, tmp_path):
    """A policy as dict variable, as JSON text, by filters or from a file; a version without quotes; null and omit.

    Strings of a playbook are tagged with ansible-core 2.19 and newer, and numbers and texts change by templating
    before: the first of each group changes something, the others nothing.
    """
    (tmp_path / "policy.json").write_text(POLICY_TEXT, encoding="utf-8")
    document = {"n": [1.0, True, None], "inbound": [{"expressions": ["a && b > 1"], "name": "café"}]}
    termination = dict(TLS_IDS, terminate_at="edge")
    groups = {
        "https_edge_route_traffic_policy": [
            dict(ROUTE_IDS, value="{{ as_text }}"),
            dict(ROUTE_IDS, value="{{ as_dict }}"),
            dict(ROUTE_IDS, value="{{ as_dict | to_json }}"),
            dict(ROUTE_IDS, policy="{{ as_text | from_json }}"),
            dict(ROUTE_IDS, value="{{ lookup('file', 'policy.json') }}"),
            dict(ROUTE_IDS, value=POLICY_TEXT),
            dict(ROUTE_IDS, value=document),
        ],
        "tls_edge_tls_termination": [
            dict(termination, min_version=1.2),
            dict(termination, min_version="{{ version }}", enabled="{{ flag }}"),
            dict(termination, min_version="1.2"),
            dict(termination, min_version="{{ nobody | default(omit) }}"),
            dict(termination, min_version="{{ nothing }}", state=None, enabled="{{ nothing }}"),
        ],
        "https_edge_route_request_headers": [
            dict(ROUTE_IDS, add={"X-A": "{{ 1 + 1 }}", "X-B": "{{ nobody | default(omit) }}"}, remove=["X-{{ flag }}"]),
            dict(ROUTE_IDS, add={"X-A": "2"}, remove="{{ ['x-yes', 'X-YES'] }}"),
            dict(ROUTE_IDS, add="{{ {'x-a': 2} }}"),
        ],
        "tls_edge_ip_restriction": [
            dict(TLS_IDS, ip_policy_ids="{{ ['b', 'a'] + ['b'] }}"),
            dict(TLS_IDS, ip_policy_ids=["a", "{{ 'b' }}"]),
        ],
    }
    tasks = [
        {"name": "%s %d" % (name, number), "%s.%s" % (harness.COLLECTION, name): options}
        for name, group in groups.items()
        for number, options in enumerate(group)
    ]
    variables = dict(as_text=POLICY_TEXT, as_dict=document, version=1.2, flag="yes", nothing=None)
    run = _clean(play(tasks, variables=variables))
    changed = {entry["task"]: entry["result"]["changed"] for entry in run.results}
    assert changed == {task["name"]: task["name"].endswith(" 0") for task in tasks}
    assert json.loads(sim.resources[POLICY]["value"]) == json.loads(POLICY_TEXT)
    assert sim.resources[TERMINATION] == dict(enabled=True, terminate_at="edge", min_version="1.2")
    assert sim.resources[HEADERS] == dict(enabled=True, add={"X-A": "2"}, remove=["X-yes"])
    assert sim.resources[RESTRICTION] == dict(enabled=True, ip_policy_ids=["b", "a"])


def test_braces_in_a_policy_that_are_no_template(sim, tmp_path):
    """!unsafe keeps Ansible from reading them; what arrives is text all the same."""
    text = """
- hosts: localhost
  gather_facts: false
  module_defaults: {group/edgeops.edges.all: {base_url: "%s", api_key: "%s"}}
  tasks:
    - edgeops.edges.https_edge_route_traffic_policy:
        edge_id: edghts_1
        route_id: edghtsrt_1
        value: !unsafe '{"x": "{{ nobody }}"}'
"""
    (tmp_path / "unsafe.yml").write_text(text % (sim.base_url, sim.api_key), encoding="utf-8")
    _clean(harness.playbook(tmp_path / "unsafe.yml", tmp_path=tmp_path))
    assert json.loads(sim.resources[POLICY]["value"]) == {"x": "{{ nobody }}"}


def test_the_examples_of_the_documentation_run_and_run_again_unchanged(sim, tmp_path):
    """Each module's, in order: what one sets, the next may change, so every one is repeated at once."""
    names = [one.module for one in FIRST]
    tasks = []
    for name in names:
        module = importlib.import_module("%s.modules.%s" % (harness.PLUGINS, name))
        for task in yaml.safe_load(module.EXAMPLES):
            again = json.loads(json.dumps(dict(task, name="again: " + task["name"])))
            tasks += [task, again]
    run = _clean(harness.playbook([harness.play(tasks, sim)], tmp_path=tmp_path))
    assert run.stats["localhost"]["ok"] == len(tasks) > 20
    for entry in run.results:
        if entry["task"].startswith("again: "):
            assert entry["result"]["changed"] is False, entry["task"]


def test_async_and_a_dry_run_of_it(sim, tmp_path):
    """A task with async runs as a module, in a dry run too."""
    sample = FIRST[0]
    plays = [harness.play([{**_task(sample, sample.a), "async": 60, "poll": 1}], sim)]
    env = {"ANSIBLE_ASYNC_DIR": str(tmp_path / "jobs")}
    for arguments, held in ((["--check"], set()), ([], {sample.path})):
        if arguments and ansible_version.startswith("2.16."):
            continue  # refuses a dry run of async, whichever the module
        run = _clean(harness.playbook(plays, *arguments, tmp_path=tmp_path, env=env))
        assert run.of(sample.module)[-1]["changed"] is True
        assert set(sim.resources) == held


def test_a_failure_says_what_is_wrong_and_warnings_are_shown(sim, play):
    """As the user sees it: the fault with its place, no traceback; and a warning where the service differs."""
    answer = {"enabled": True, "value": "{}"}
    sim.add_fault("replace_body", method="PUT", path=POLICY, body=answer)
    policy = "edgeops.edges.https_edge_route_traffic_policy"
    value = {"inbound": [{}, {}, {"actions": [{"type": 1}]}]}
    tasks = [
        {"name": "place", policy: dict(ROUTE_IDS, value=value)},
        {"name": "twice", policy: dict(ROUTE_IDS, value="{{ {} | to_json | to_json }}")},
        {"name": "yes", "edgeops.edges.https_edge_route_request_headers": dict(ROUTE_IDS, add={"X-A": True})},
        {
            "name": "upstream",
            "edgeops.edges.tls_edge_tls_termination": dict(TLS_IDS, terminate_at="upstream", min_version="1.2"),
        },
        {"name": "unknown", "edgeops.edges.tls_edge_ip_restriction": dict(TLS_IDS, ip_policies=[])},
        {"name": "differs", policy: dict(ROUTE_IDS, value={"inbound": []})},
    ]
    run = play([dict(task, ignore_errors=True) for task in tasks])
    messages = {entry["task"]: entry["result"].get("msg", "") for entry in run.results}
    assert messages["place"] == "value.inbound[2].actions[0].type must be a string, not a number: quote it"
    assert "encoded twice" in messages["twice"]
    assert "add.X-A must be a string or a whole number" in messages["yes"]
    assert messages["upstream"] == "min_version must be left out when terminate_at is upstream"
    assert "ip_policies is not supported" in messages["unknown"]
    assert run.stats["localhost"]["ignored"] == 5
    assert "Traceback" not in run.text
    assert "the service holds something else than was asked for in value" in " ".join(run.text.split())
    assert [record.method for record in sim.log] == ["GET", "PUT"]
    assert {RESTRICTION, TERMINATION, HEADERS} & set(sim.resources) == set()


def test_the_diff_on_the_screen_is_lines_of_indented_json(sim, tmp_path):
    sim.put(POLICY, {"value": '{"inbound":[{"name":"a","actions":[]}],"outbound":[]}'})
    value = {"inbound": [{"name": "é", "actions": []}], "outbound": []}
    task = {"name": "policy", "edgeops.edges.https_edge_route_traffic_policy": dict(ROUTE_IDS, value=value)}
    run = _clean(harness.playbook([harness.play([task], sim)], "--check", "--diff", tmp_path=tmp_path))
    lines = run.stdout.splitlines()
    assert [line.strip() for line in lines if line.startswith(("-", "+")) and line[:3] not in ("---", "+++")] == [
        '-        "name": "a"',
        '+        "name": "é"',
    ]
