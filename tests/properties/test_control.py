# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans, backups and putting back hold for any estate, any request, and whatever happens in between."""

from __future__ import annotations

import copy
import json
import os
import tempfile
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import facts
import harness
import pytest
from ansible.parsing.dataloader import DataLoader
from harness import model, strategies
from harness.many import listed
from harness.process import start_module
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from simulator import Simulator, edge_modules

NAME = "edge_modules"


def _owners(prefixes):
    """Two edges; where they have routes, one edge with two routes."""
    last = list(prefixes)[-1]
    return [
        {option: prefix + (number if option == last else "1") for option, prefix in prefixes.items()}
        for number in ("1", "2")
    ]


OWNERS = {edges: _owners(prefixes) for edges, prefixes in facts.EDGES.items()}
PLACES = [(module, owner) for module in model.MODULES for owner in OWNERS[facts.of(module).edges]]
ABSENT = {"state": "absent"}
# What a write may meet: it may take effect or not, and be answered or not.
FAULTS = (
    dict(kind="reset_after"),
    dict(kind="reset_before"),
    dict(status=403),
    dict(status=500, applied=True),
    dict(kind="html"),
)


def path_of(place):
    module, owner = place
    return facts.of(module).path_of(owner)


@st.composite
def entries(draw, least=0):
    """Some of the edge modules, each with options or a removal."""
    found = {}
    for index in draw(st.lists(st.integers(0, len(PLACES) - 1), unique=True, min_size=least, max_size=6)):
        module = PLACES[index][0]
        found[index] = draw(st.one_of(strategies.configurations(module), st.just(ABSENT)))
    return found


def options_of(found):
    """Options of edge_modules for entries by their place."""
    return listed((*PLACES[index], copy.deepcopy(entry)) for index, entry in sorted(found.items()))


class Estate:
    """A service with something on it, and tasks of edge_modules."""

    def __init__(self, sim, service, held, tally):
        self.sim, self.tally, self.exact = sim, tally, strategies.echoes(service)
        sim.reset()
        sim.configure(**service)
        assert not self.run("worker", options_of(held)).failed
        sim.clear_log()

    def options(self, options, **more):
        return {**harness.connection_options(self.sim), "retries": 0, **copy.deepcopy(options), **more}

    def run(self, way, options, check=False, **more):
        self.tally["tasks"] += 1
        options = self.options(options, **more)
        result = harness.run(way, NAME, options, check=check)
        assert strategies.MARKER not in result.text
        return result

    def resources(self):
        """What a GET of everything gives, in the form in which equal ones are equal; to the letter where it echoes."""
        found = {}
        for path, stored in self.sim.resources.items():
            module = facts.at(path)
            answer = dict(edge_modules.answer(facts.of(module), stored, self.sim.options, ""))
            if path.endswith("traffic_policy"):
                answer["value"] = json.loads(answer["value"])  # the text is the service's
            found[path] = answer if self.exact else model.comparable(module, answer)
        return found

    def writes(self):
        found = len(self.sim.writes)
        self.sim.clear_log()
        return found

    def restore(self, way, backup, **more):
        variables = DataLoader().load_from_file(backup)
        kinds = [kind for kind in OWNERS if "provision_" + kind in variables]
        return self.run(way, {kind: variables["provision_" + kind] for kind in kinds}, **more)


CASES = dict(
    service_options=strategies.SERVICES,
    held=entries(),
    wanted=entries(least=1),
    way=st.sampled_from(harness.WAYS),
)


def _few(check):
    """Each case takes several tasks."""
    return settings(max_examples=max(20, settings().max_examples // 2))(check)


@pytest.mark.timeout(3600)
def test_a_plan_applies_as_it_was_approved_and_then_nothing_is_left(service, counted):
    @given(other=st.sampled_from(harness.WAYS), **CASES)
    def check(service_options, held, wanted, way, other):
        estate = Estate(service, service_options, held, counted)
        options = options_of(wanted)
        dry = estate.run(way, options, check=True)
        assert estate.writes() == 0
        if dry.failed:  # what is kept contradicts what is named
            return
        done = estate.run(other, options, approved_plan=dry.plan)
        assert not done.failed, done.msg
        assert done.plan == dry.plan
        assert estate.writes() == len(dry.plan["changes"]) == dry.summary["changed"]
        again = estate.run(way, options, approved_plan=dry.plan)
        assert not again.failed and not again.changed and again.plan["changes"] == {}
        counted["plans applied"] += 1
        counted["changes"] += len(dry.plan["changes"])

    counted["plans applied"] = 0
    _few(check)()


@pytest.mark.timeout(3600)
def test_any_interference_with_what_is_planned_is_refused_without_a_write(service, counted):
    @given(data=st.data(), **CASES)
    def check(service_options, held, wanted, way, data):
        estate = Estate(service, service_options, held, counted)
        options = options_of(wanted)
        dry = estate.run(way, options, check=True)
        if dry.failed or not dry.plan["changes"]:
            return
        index = data.draw(st.sampled_from([i for i in wanted if _key(i) in dry.plan["changes"]]))
        meanwhile = data.draw(st.one_of(strategies.configurations(PLACES[index][0]), st.just(ABSENT)))
        before = estate.resources()
        moved = estate.run("worker", options_of({index: meanwhile}))
        if moved.failed or not moved.changed:
            return
        estate.writes()
        after = estate.resources()
        expected = estate.run("worker", options_of({index: wanted[index]}), check=True)
        result = estate.run(way, options, approved_plan=dry.plan)
        assert after != before
        if not expected.failed and not expected.changed:
            # It is what was approved: a step of the plan that is made already. The others are made now.
            assert not result.failed and estate.writes() == len(dry.plan["changes"]) - 1
            counted["made by the interference"] += 1
        else:
            assert result.failed and not result.changed
            assert estate.writes() == 0 and estate.resources() == after
            counted["refused"] += 1

    counted["refused"] = 0
    _few(check)()


def _key(index):
    module, owner = PLACES[index]
    return " ".join((module, *owner.values()))


@pytest.mark.timeout(3600)
def test_a_backup_puts_back_exactly_whatever_befalls_the_run(service, counted):
    @given(
        other=st.sampled_from(harness.WAYS),
        fault=st.none() | st.sampled_from(FAULTS),
        passing=st.integers(0, 3),
        rollback=st.booleans(),
        **CASES,
    )
    def check(service_options, held, wanted, way, other, fault, passing, rollback):
        estate = Estate(service, service_options, held, counted)
        before = estate.resources()
        with tempfile.TemporaryDirectory() as folder:
            backup = str(Path(folder) / "backup.yml")
            for method in ("PUT", "DELETE") if fault else ():
                service.add_fault(method=method, times=1, after=passing, **fault)
            done = estate.run(way, options_of(wanted), backup_path=backup)
            service.clear_faults()
            if done.backup_file is None:
                assert estate.resources() == before
                return
            estate.writes()
            more = {"rollback_of": done.written} if rollback else {}
            back = estate.restore(other, backup, **more)
            assert not back.failed, back.msg
            assert estate.resources() == before
            assert not estate.restore(way, backup).changed
            counted["put back after a fault" if done.failed else "put back"] += 1

    counted["put back"] = 0
    _few(check)()


@pytest.mark.timeout(3600)
def test_putting_back_leaves_what_somebody_else_has_changed(service, counted):
    @given(data=st.data(), **CASES)
    def check(service_options, held, wanted, way, data):
        estate = Estate(service, service_options, held, counted)
        before = estate.resources()
        with tempfile.TemporaryDirectory() as folder:
            backup = str(Path(folder) / "backup.yml")
            done = estate.run(way, options_of(wanted), backup_path=backup)
            if not done.changed:
                return
            index = data.draw(st.sampled_from([i for i in wanted if _key(i) in done.written]))
            meanwhile = data.draw(st.one_of(strategies.configurations(PLACES[index][0]), st.just(ABSENT)))
            colleague = estate.run("worker", options_of({index: meanwhile}))
            if colleague.failed or not colleague.changed:
                return
            theirs = estate.resources().get(path_of(PLACES[index]))
            back = estate.restore(way, backup, rollback_of=done.written)
            after = estate.resources()
            assert after.get(path_of(PLACES[index])) in (theirs, before.get(path_of(PLACES[index])))
            if after.get(path_of(PLACES[index])) != before.get(path_of(PLACES[index])):
                assert back.failed and "somebody else has changed it since" in back.msg
                counted["left"] += 1
            others = {path_of(PLACES[i]) for i in range(len(PLACES)) if i != index}
            assert {p: c for p, c in after.items() if p in others} == {p: c for p, c in before.items() if p in others}

    counted["left"] = 0
    _few(check)()


@dataclass
class Approved:
    """A plan, and what it was made of: for each path that it changes what was there, and what is to be there."""

    wanted: dict[int, dict]
    plan: dict
    before: dict[str, t.Any]
    after: dict[str, t.Any]


@dataclass
class Backup:
    """A backup, and what the service held of all that it names when it was written."""

    path: str
    held: dict[str, t.Any]


class Changes(RuleBasedStateMachine):
    """Somebody plans, others change things, somebody applies the plan or is killed at it, somebody restores.

    What the service holds is the simulator's own word, and what is to become of it the model's.
    """

    tally: t.Any = None

    def __init__(self):
        super().__init__()
        self.sim = Simulator().start()
        self.folder = tempfile.TemporaryDirectory()
        self.approved = None
        self.backups = []
        self.tally["sequences"] += 1

    def teardown(self):
        self.sim.stop()
        self.folder.cleanup()

    @initialize(service=strategies.SERVICES, held=entries())
    def start(self, service, held):
        self.estate = Estate(self.sim, service, held, self.tally)

    def _now(self):
        """What the service holds, by path, in the form in which equal ones are equal."""
        return {path_of(place): model.forms(place[0], self._held(place)) for place in PLACES}

    def _held(self, place):
        return model.held_by(self.sim, place[0], path_of(place))

    def _changes(self, wanted):
        """What a task would make of what is there now, by path, where that is a change; raises where it has to fail."""
        found = {}
        for index, entry in wanted.items():
            module, path = PLACES[index][0], path_of(PLACES[index])
            operation, after = model.outcome(module, entry, self._held(PLACES[index]))
            if operation != "none":
                found[path] = model.forms(module, model.filled_in(module, after, self.sim.options))
        return found

    def _left(self):
        """What is left of the approved plan; None where something has moved, so that nothing may be written."""
        try:
            changes = self._changes(self.approved.wanted)
        except model.Refused:
            return None
        now, plan = self._now(), self.approved
        as_approved = [
            path in plan.before and (now[path], after) == (plan.before[path], plan.after[path])
            for path, after in changes.items()
        ]
        return changes if all(as_approved) else None

    def _new_backup(self):
        return str(Path(self.folder.name) / ("backup-%d.yml" % len(os.listdir(self.folder.name))))

    @rule(wanted=entries(least=1), way=st.sampled_from(harness.WAYS))
    def plan(self, wanted, way):
        before = self._now()
        dry = self.estate.run(way, options_of(wanted), check=True)
        assert self.estate.writes() == 0 and self._now() == before
        try:
            after = self._changes(wanted)
        except model.Refused:
            assert dry.failed
            return
        assert not dry.failed and len(dry.plan["changes"]) == len(after)
        self.approved = Approved(wanted, dry.plan, {path: before[path] for path in after}, after)

    @rule(data=st.data(), index=st.integers(0, len(PLACES) - 1))
    def interfere(self, data, index):
        entry = data.draw(st.one_of(strategies.configurations(PLACES[index][0]), st.just(ABSENT)))
        self.tally["interferences"] += self.estate.run("worker", options_of({index: entry})).changed
        self.estate.writes()

    @precondition(lambda self: self.approved)
    @rule(way=st.sampled_from(harness.WAYS), fault=st.none() | st.sampled_from(FAULTS), passing=st.integers(0, 2))
    def provision(self, way, fault, passing):
        before, left, backup = self._now(), self._left(), self._new_backup()
        for method in ("PUT", "DELETE") if fault else ():
            self.sim.add_fault(method=method, times=1, after=passing, **fault)
        options, plan = options_of(self.approved.wanted), self.approved.plan
        done = self.estate.run(way, options, approved_plan=plan, backup_path=backup)
        self.sim.clear_faults()
        writes = self.estate.writes()
        if left is None:
            assert done.failed and not done.changed and writes == 0 and self._now() == before
            self.tally["refused"] += 1
            return
        self._is_between(before, left)
        assert os.path.exists(backup) == bool(left)
        if left:
            self.backups.append(Backup(backup, {path: before[path] for path in left}))
        if fault is None:
            assert not done.failed and writes == len(left), done.msg
            assert self._now() == {**before, **left}
        self.tally["applied with a fault" if fault else "applied"] += 1

    @precondition(lambda self: self.approved and self._left())
    @rule(kind=st.sampled_from(("hang", "hang_after")), passing=st.integers(0, 2), concurrency=st.sampled_from((1, 4)))
    def provision_and_be_killed(self, kind, passing, concurrency):
        """By the signal that nobody can see coming, in the middle of a write."""
        before, left, backup = self._now(), self._left(), self._new_backup()
        more = dict(approved_plan=self.approved.plan, backup_path=backup, concurrency=concurrency)
        options = self.estate.options(options_of(self.approved.wanted), **more)
        reads = len(self.approved.wanted)
        fault = self.sim.add_fault(kind=kind, times=1, after=reads + min(passing, len(left) - 1), seconds=30)
        process = start_module(NAME, options, self.folder.name)
        while process.poll() is None and not fault.hits:
            time.sleep(0.01)
        assert fault.hits == 1
        process.kill()
        process.communicate()
        self.sim.clear_faults()
        time.sleep(0.1)  # what was in flight beside it
        os.remove(os.path.join(self.folder.name, "args.json"))
        self.estate.writes()
        self._is_between(before, left)
        self.backups.append(Backup(backup, {path: before[path] for path in left}))
        self.tally["killed"] += 1

    def _is_between(self, before, left):
        """Each change is made or not, and nothing else has moved."""
        for path, held in self._now().items():
            assert held in (before[path], left.get(path, before[path]))

    @precondition(lambda self: self.backups)
    @rule(data=st.data(), way=st.sampled_from(harness.WAYS))
    def restore(self, data, way):
        backup = data.draw(st.sampled_from(self.backups))
        before = self._now()
        done = self.estate.restore(way, backup.path)
        assert not done.failed, done.msg
        assert self._now() == {**before, **backup.held}
        self.estate.writes()
        self.tally["restored"] += 1

    @invariant()
    def no_file_is_left(self):
        assert sorted(os.listdir(self.folder.name)) == sorted(os.path.basename(one.path) for one in self.backups)


@pytest.mark.timeout(3600)
def test_any_sequence_of_plans_interference_kills_and_restores_keeps_what_was_promised(counted):
    class Counted(Changes):
        tally = counted

    profile = settings()
    few = settings(profile, max_examples=max(10, profile.max_examples // 5))
    run_state_machine_as_test(Counted, settings=few)
    assert counted["killed"] and counted["restored"] and counted["refused"] and counted["applied"]
