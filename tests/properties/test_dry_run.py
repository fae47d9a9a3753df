# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A dry run says what the run does: for any two configurations, and any service that the documentation allows."""

from __future__ import annotations

import copy
import json
import unicodedata

import facts
import harness
import pytest
import requests
from harness import model, strategies
from hypothesis import given, settings
from hypothesis import strategies as st

# Control and format characters, surrogates, what no font has, and the line separators of Unicode.
_ESCAPED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


class Case:
    """One service that holds one edge module, and tasks on it in either of the two ways."""

    def __init__(self, sim, pair, ways, tally):
        self.sim, self.pair, self.tally = sim, pair, tally
        self.module, self.path = pair.module, pair.path
        self._ways = ways
        sim.reset()
        sim.configure(**pair.service)

    def _options(self, options):
        return {**harness.connection_options(self.sim), **self.pair.owner, **copy.deepcopy(options)}

    def run(self, options, check=False, name=None, owner=True):
        """Run a task, in the next of the ways; no secret may be in anything that it gives out."""
        way = next(self._ways)
        options = self._options(options)
        if not owner:
            options = {key: value for key, value in options.items() if key not in ("edge_id", "route_id")}
        result = harness.run(way, name or self.module, options, check=check)
        self.tally["tasks"] += 1
        assert strategies.MARKER not in result.text
        return result

    def held(self):
        """What the service holds, by a GET that has nothing to do with the collection."""
        headers = {"Authorization": "Bearer " + self.sim.api_key, "Service-Version": "2"}
        answer = requests.get(self.sim.base_url + self.path, headers=headers, timeout=10)
        body = json.loads(answer.content) if answer.content.strip() else None
        return model.from_answer(self.module, body or None) if answer.status_code == 200 else None

    def writes(self):
        """The writes since the last time, by method."""
        found = [record.method for record in self.sim.writes]
        self.sim.clear_log()
        return found

    def step(self, options):
        """Bring the service to what the options ask for, with a dry run before and a second run after."""
        assert self.sim.refusals == []
        before = self.held()
        secret = [options.get(option, ()) for option in ("secret_headers", "secret_keys")]
        try:
            operation, after = model.outcome(self.module, options, before)
        except model.Refused:
            return self.refused(options)
        changed = operation != "none"
        # The service may fill in what the task does not name: the dry run cannot know it.
        unnamed = {
            field.name
            for field in facts.of(self.module).fields
            if field.service_default and getattr(self.sim.options, field.service_default)
            if field.name not in options and after and after[field.name] is None
        }

        def judged(held):
            held = model.forms(self.module, model.masked(self.module, held, *secret))
            return held and {field: value for field, value in held.items() if field not in unnamed}

        dry = self.run(options, check=True)
        assert (self.writes(), self.held()) == ([], before), "a dry run writes nothing"
        real = self.run(options)
        assert not dry.failed and not real.failed, (dry.data, real.data)
        assert self.writes() == {"none": [], "replace": ["PUT"], "delete": ["DELETE"]}[operation]
        assert dry.warnings == real.warnings == []

        now = self.held()
        assert judged(now) == judged(after), "the service holds what was asked for, and what was not named"
        for result in (dry, real):
            assert (result.changed, result.operation) == (changed, operation)
        assert dry.diff == real.diff
        assert (dry.diff["before"] == dry.diff["after"]) is not changed
        for side, held in (("before", before), ("after", now)):
            text = real.diff[side]
            assert held is not None or text == ""
            assert judged(json.loads(text) if text else None) == judged(held), side
            assert _ESCAPED.isdisjoint(map(unicodedata.category, text.replace("\n", ""))), "fit for any terminal"

        def without_unnamed(config):
            form = model.comparable(self.module, config)
            return form and {field: value for field, value in form.items() if field not in unnamed}

        assert judged(model.from_answer(self.module, real.config)) == judged(now)
        assert without_unnamed(dry.config) == without_unnamed(real.config)
        if strategies.echoes(self.pair.service):
            assert dry.config == real.config
            assert json.dumps(dry.config, sort_keys=True) == json.dumps(real.config, sort_keys=True)

        again = self.run(options)
        assert (again.failed, again.changed, again.operation) == (False, False, "none")
        assert self.writes() == []
        assert again.diff["before"] == again.diff["after"] and again.config == real.config
        self.tally["changed" if changed else "unchanged"] += 1
        return None

    def refused(self, options):
        """What cannot be had with what is there fails the same in a dry run and in a run, and changes nothing."""
        before = self.held()
        dry, real = self.run(options, check=True), self.run(options)
        assert dry.failed and real.failed and dry.msg == real.msg
        assert (self.writes(), self.held()) == ([], before)
        self.tally["refused"] += 1

    def give_back(self, include_secrets):
        """What edge_modules_info reads, edge_modules takes, and it changes nothing."""
        kind = facts.of(self.module).edges
        edge, route = self.pair.owner["edge_id"], self.pair.owner.get("route_id")
        listed = [edge] if route is None else [{"id": edge, "routes": [route]}]
        secret = {option: self.pair.b.get(option, []) for option in ("secret_headers", "secret_keys")}
        way = next(self._ways)
        read = harness.run(
            way,
            "edge_modules_info",
            {**harness.connection_options(self.sim), kind: listed, "include_secrets": include_secrets, **secret},
        )
        assert not read.failed and read.warnings == [] and read.changed is False, read.data
        assert (strategies.MARKER in read.text) <= include_secrets
        for check in (True, False):
            given_back = self.run({kind: read.data[kind], **secret}, check=check, name="edge_modules", owner=False)
            assert not given_back.failed, given_back.data
            assert (given_back.changed, given_back.diff) == (False, [])
        assert self.writes() == []


def _check_pair(sim, pair, ways, include_secrets, tally):
    case = Case(sim, pair, ways, tally)
    case.step(pair.a)
    case.step(pair.b)
    case.give_back(include_secrets)
    case.step({"state": "absent"})
    case.step({"state": "absent"})
    assert sim.refusals == []
    tally["pairs"] += 1


def _alternating(first):
    """The two ways in turn: what one foresees, the other does."""
    while True:
        yield harness.WAYS[first]
        first = not first


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("module", model.MODULES)
def test_a_dry_run_says_what_the_run_does(service, counted, module):
    @given(pair=strategies.pairs(module), first=st.booleans(), include_secrets=st.booleans())
    def check(pair, first, include_secrets):
        _check_pair(service, pair, _alternating(first), include_secrets, counted)

    counted["pairs"] = 0
    check()


def _for_yaml(node):
    """The same without what Ansible would take for a template, and what no YAML file can hold."""
    if isinstance(node, dict):
        return {_for_yaml(key): _for_yaml(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_for_yaml(one) for one in node]
    if isinstance(node, str):
        return node.replace("{{", "((").replace("{%", "(%").replace("{#", "(#").replace("#}", "#)")
    return node


# Tasks of a playbook for one pair, in order: options, dry run or not.
_TASKS = [("a", False), ("b", True), ("b", False), ("b", False), ("absent", True), ("absent", False), ("absent", False)]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("in_process", [True, False], ids=["in the worker", "as modules"])
def test_a_dry_run_of_a_playbook_says_what_the_run_does(service, counted, tmp_path, in_process):
    """The same for real playbooks, each with many pairs, or with two where each task is a process of its own."""
    modules = st.just(model.MODULES * 3) if in_process else st.permutations(model.MODULES).map(lambda all_: all_[:2])
    several = modules.flatmap(lambda names: st.tuples(*map(strategies.pairs, names)))
    number = max(1, settings().max_examples // 50)

    # The first case of all is the simplest there is: not worth a playbook.
    @settings(max_examples=number + 1)
    @given(pairs=several, behaviour=strategies.SERVICES)
    def check(pairs, behaviour):
        counted["cases"] += 1
        if counted["cases"] > 1:
            _check_playbook(service, pairs, behaviour, in_process, tmp_path, counted)

    check()
    assert counted.pop("cases") > 1


def _check_playbook(sim, pairs, behaviour, in_process, tmp_path, tally):
    sim.reset()
    sim.configure(**behaviour)
    tasks = []
    for number, pair in enumerate(pairs):
        owner = {key: "%s-%d" % (value, number) for key, value in pair.owner.items()}
        for which, dry in _TASKS:
            options = {"state": "absent"} if which == "absent" else _for_yaml(getattr(pair, which))
            task = {"name": str(number), "check_mode": dry, "diff": True, "ignore_errors": True}
            # The options first: of a task that fails, Ansible shows the two lines above it in the file.
            tasks.append({"%s.%s" % (harness.COLLECTION, pair.module): {**owner, **options}, **task})
    play = harness.play(tasks, sim, vars={"edgeops_edges_in_process": in_process})
    done = harness.playbook([play], tmp_path=tmp_path)
    assert done.returncode == 0, done.text
    assert strategies.MARKER not in done.text
    results = [{**one["result"], "failed": one["kind"] == "failed"} for one in done.results]
    for number in range(len(pairs)):
        _check_results(results[number * len(_TASKS) :][: len(_TASKS)], tally)
    dry = [is_dry for dummy, is_dry in _TASKS] * len(pairs)
    assert len(sim.writes) == sum(result.get("changed", False) and not one for result, one in zip(results, dry))
    assert sim.refusals == []
    tally["playbooks"] += 1


def _check_results(results, tally):
    first, dry, real, again, dry_removal, removal, nothing = results
    tally["pairs"] += 1
    tally["tasks"] += len(results)
    assert not first["failed"] and first["operation"] == "replace", first
    if real["failed"]:
        assert dry["failed"] and dry["msg"] == real["msg"] == again["msg"]
        tally["refused"] += 1
    else:
        assert [dry[key] for key in ("changed", "operation", "diff")] == [
            real[key] for key in ("changed", "operation", "diff")
        ]
        assert (real["diff"]["before"] == real["diff"]["after"]) is not real["changed"]
        assert (again["changed"], again["operation"], again["config"]) == (False, "none", real["config"])
        tally["changed" if real["changed"] else "unchanged"] += 1
    assert dry_removal["operation"] == removal["operation"] == "delete"
    assert dry_removal["diff"] == removal["diff"]
    assert (nothing["changed"], nothing["config"]) == (False, None)
