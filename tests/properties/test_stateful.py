# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Any sequence of tasks over several edges, faults among them, leaves in the service what a simple model says."""

from __future__ import annotations

import collections
import copy
import itertools

import facts
import harness
import pytest
from harness import model, strategies
from harness.many import ids_of
from harness.many import listed as options_of
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from simulator import Simulator

# Two edges of each kind, with two routes each where they have routes.
OWNERS = {
    edges: [
        dict(zip(prefixes, ids))
        for ids in itertools.product(*([prefix + "1", prefix + "2"] for prefix in prefixes.values()))
    ]
    for edges, prefixes in facts.EDGES.items()
}
TALLY: collections.Counter = collections.Counter()

# Faults that hit one request, and what is to be said of a task that meets one: whether it still succeeds (the request
# is sent again), and whether the write that it hits takes effect.
FAULTS = {
    "reset before": (dict(kind="reset_before"), True, True),
    "reset after": (dict(kind="reset_after"), True, True),
    "closed before": (dict(kind="close_before"), True, True),
    "closed after": (dict(kind="close_after"), True, True),
    "cut short": (dict(kind="truncated"), True, True),
    "too many": (dict(status=429, headers={"Retry-After": "0"}), True, True),
    "unavailable": (dict(status=503), True, True),
    "unavailable, but done": (dict(status=502, applied=True), True, True),
    "forbidden": (dict(status=403), False, False),
    "broken": (dict(status=500), False, False),
    "broken, but done": (dict(status=500, applied=True), False, True),
    "a page": (dict(kind="html"), False, False),
    "elsewhere": (dict(kind="redirect"), False, False),
    "no object": (dict(kind="list"), False, False),
}


class Failed(Exception):
    """The service refuses it in this state."""


def _choice(module, near=None):
    """The entry of one edge module: options, or a removal."""
    return st.one_of(strategies.configurations(module, near), st.just({"state": "absent"}))


@st.composite
def one_entry(draw):
    module = draw(st.sampled_from(model.MODULES))
    return module, draw(st.sampled_from(OWNERS[facts.of(module).edges])), draw(_choice(module))


@st.composite
def entries(draw):
    """Some of the edges and routes, each with some of its edge modules: (module, owner, options or None)."""
    found = []
    for kind, owners in OWNERS.items():
        for owner in draw(st.lists(st.sampled_from(owners), unique_by=str, max_size=2)):
            modules = [module for module in model.MODULES if facts.of(module).edges == kind]
            named = [module for module in modules if draw(st.booleans())]
            found += [(module, owner, draw(_choice(module)) if module in named else None) for module in modules]
    return found


class Edges(RuleBasedStateMachine):
    """C(held) is the model: what a GET of each path gives, None for not set."""

    def __init__(self):
        super().__init__()
        self.sim = Simulator().start()
        self.held: dict[str, model.Held | None] = {}

    def teardown(self):
        self.sim.stop()

    @initialize(service=strategies.SERVICES, refuses=st.booleans())
    def start(self, service, refuses):
        self.refuses = refuses
        self.sim.configure(**service, upstream_refuses=refuses)
        TALLY["sequences"] += 1

    # The model

    def _one(self, held, module, owner, options):
        """Do one task in a model; raises where it has to fail."""
        path = facts.of(module).path_of(owner)
        operation, after = model.outcome(module, options, held.get(path))
        if operation == "replace" and self.refuses and module.startswith("tls_"):
            edge = path.rpartition("/")[0]
            termination = held.get(edge + "/tls_termination") or {}
            to_upstream = module == "tls_edge_tls_termination" and after["terminate_at"] == "upstream"
            if to_upstream and held.get(edge + "/ip_restriction") is not None:
                raise Failed
            if module == "tls_edge_ip_restriction" and termination.get("terminate_at") == "upstream":
                raise Failed
        held[path] = model.filled_in(module, after, self.sim.options)
        return operation

    def _all(self, held, wanted):
        """Do many in a model, in the order that is right within an edge; returns the operations, None for failed."""
        order = sorted(
            range(len(wanted)),
            key=lambda index: (
                wanted[index][2].get("state") != "absent",
                not facts.of(wanted[index][0]).goes_first,
                index,
            ),
        )
        found = [None] * len(wanted)
        for index in order:
            try:
                found[index] = self._one(held, *wanted[index])
            except (Failed, model.Refused):
                found[index] = None
        return found

    # Tasks

    def _run(self, way, name, options, check=False):
        options = {**harness.connection_options(self.sim), **copy.deepcopy(options)}
        result = harness.run(way, name, options, check=check)
        TALLY["tasks"] += 1
        assert name == "edge_modules_info" or strategies.MARKER not in result.text
        return result

    @rule(entry=one_entry(), way=st.sampled_from(harness.WAYS), check=st.booleans())
    def single(self, entry, way, check):
        """Present or absent, for one edge module."""
        module, owner, options = entry
        expected = copy.deepcopy(self.held)
        failed = False
        try:
            operation = self._one(expected, module, owner, options)
        except model.Refused:
            failed = True
        except Failed:
            failed = not check  # a dry run cannot know what the service refuses
            operation = "replace"
        result = self._run(way, module, {**owner, **options}, check)
        assert result.failed == failed, result.data
        if not failed:
            assert (result.changed, result.operation) == (operation != "none", operation)
        if not check and not failed:
            self.held = expected
        TALLY["failed" if failed else "succeeded"] += 1

    @rule(listed=entries(), purge=st.booleans(), way=st.sampled_from(harness.WAYS), concurrency=st.integers(1, 8))
    def bulk(self, listed, purge, way, concurrency):
        """Many at once: a dry run, a run, and another run that changes nothing more."""
        options = {**options_of(listed), "purge": purge, "concurrency": concurrency}
        absent = {"state": "absent"}
        wanted = [
            (module, owner, absent if entry is None else entry)
            for module, owner, entry in listed
            if purge or entry is not None
        ]
        expected = copy.deepcopy(self.held)
        operations = dict(zip(map(self._key, wanted), self._all(expected, wanted)))
        sure = None not in operations.values()

        dry = self._run(way, "edge_modules", options, check=True)
        real = self._run(way, "edge_modules", options)
        again = self._run(way, "edge_modules", options)
        assert real.failed == again.failed == (not sure), (real.data, operations)
        found = {self._result_key(one): one["operation"] for one in real.results}
        assert found == operations
        if sure:
            assert not dry.failed
            assert dry.diff == real.diff and dry.summary == real.summary
            assert [one["operation"] for one in dry.results] == [one["operation"] for one in real.results]
        assert not again.changed and {one["operation"] for one in again.results} <= {"none", None}
        counts = collections.Counter(operations.values())
        assert real.summary == dict(
            total=len(operations),
            changed=counts["replace"] + counts["delete"],
            removed=counts["delete"],
            unchanged=counts["none"],
            failed=counts[None],
        )
        self.held = expected
        TALLY["purges" if purge else "bulk"] += 1
        TALLY["failed" if real.failed else "succeeded"] += 1

    @staticmethod
    def _owners(module):
        return OWNERS[facts.of(module).edges]

    @staticmethod
    def _key(entry):
        module, owner, dummy = entry
        return module, owner["edge_id"], owner.get("route_id")

    @staticmethod
    def _result_key(result):
        return result["module"], result["edge_id"], result["route_id"]

    @rule(
        entry=one_entry(),
        fault=st.sampled_from(sorted(FAULTS)),
        method=st.sampled_from(("GET", "PUT", "DELETE")),
        way=st.sampled_from(harness.WAYS),
    )
    def faulty(self, entry, fault, method, way):
        """A task meets a fault: it overcomes it, or fails; the next one finishes the work."""
        module, owner, options = entry
        expected = copy.deepcopy(self.held)
        try:
            operation = self._one(expected, module, owner, options)
        except (Failed, model.Refused):
            return
        order, survives, takes_effect = FAULTS[fault]
        ordered = self.sim.add_fault(method=method, times=1, **order)
        result = self._run(way, module, {**owner, **options})
        self.sim.clear_faults()
        hit = ordered.hits > 0
        assert hit == (method == {"none": "GET", "replace": "PUT", "delete": "DELETE"}[operation] or method == "GET")
        if hit and not survives:
            assert result.failed, result.data
            if not takes_effect or method == "GET":
                expected = self.held
            TALLY["faults that fail a task"] += 1
        else:
            assert not result.failed, result.data
            assert result.changed is (operation != "none")
            TALLY["faults overcome"] += hit
        self.held = expected
        self._agrees()
        again = self._run(way, module, {**owner, **options})
        assert not again.failed
        self._one(self.held, module, owner, options)

    @rule(
        listed=entries(),
        fault=st.sampled_from(sorted(FAULTS)),
        way=st.sampled_from(harness.WAYS),
        after=st.integers(0, 4),
    )
    def faulty_bulk(self, listed, fault, way, after):
        """One request among many meets a fault: nothing else suffers, and the next run finishes the work."""
        wanted = [(module, owner, entry) for module, owner, entry in listed if entry is not None]
        expected = copy.deepcopy(self.held)
        operations = self._all(expected, wanted)
        if None in operations:
            return
        options = options_of(listed)
        before = copy.deepcopy(self.held)
        ordered = self.sim.add_fault(times=1, after=after, **FAULTS[fault][0])
        result = self._run(way, "edge_modules", options)
        self.sim.clear_faults()
        failed = {self._result_key(one) for one in result.results if "error" in one}
        assert result.failed == bool(failed)
        assert len(failed) <= (0 if FAULTS[fault][1] or not ordered.hits else 2)  # the termination waits for a removal
        for key, (module, owner, dummy) in zip(map(self._key, wanted), wanted):
            if key in failed:
                path = facts.of(module).path_of(owner)
                got = self._now(path, module)
                assert got in (model.forms(module, before.get(path)), model.forms(module, expected.get(path)))
        again = self._run(way, "edge_modules", options)
        assert not again.failed, again.data
        self.held = expected
        TALLY["bulk with a fault"] += ordered.hits

    @rule(way=st.sampled_from(harness.WAYS), include_secrets=st.booleans())
    def read_and_give_back(self, way, include_secrets):
        """edge_modules_info reads what is there, and edge_modules has nothing to do about it."""
        everything = options_of((module, owner, None) for module in model.MODULES for owner in self._owners(module))
        asked = ids_of(everything)
        read = self._run(way, "edge_modules_info", {**asked, "include_secrets": include_secrets})
        assert not read.failed and read.warnings == []
        assert (strategies.MARKER in read.text) <= include_secrets
        found = {kind: read.data[kind] for kind in asked}
        for kind, edges in found.items():
            for edge in edges:
                for owner in edge.get("routes", [edge]):
                    for module, its in facts.MODULES.items():
                        if its.edges == kind:
                            self._check_entry(module, edge, owner, owner[its.entry], include_secrets)
        given_back = self._run(way, "edge_modules", {**found, "purge": True})
        assert not given_back.failed, given_back.data
        assert (given_back.changed, given_back.diff) == (False, [])
        TALLY["read and given back"] += 1

    def _check_entry(self, module, edge, owner, entry, include_secrets):
        path = facts.of(module).path_of({"edge_id": edge["id"], "route_id": owner["id"]})
        held = self.held.get(path)
        if held is None:
            assert entry == {"state": "absent"}
            return
        if not include_secrets:
            held = model.masked(module, held)
        expected = {field: value for field, value in held.items() if value is not None}
        for field in facts.of(module).fields:
            must_be_null = field.null_where and held[field.null_where[0]] == field.null_where[1]
            if field.null_option and held[field.name] is None and not must_be_null:
                expected[field.name] = field.null_option
        assert model.forms(module, entry) == model.forms(module, expected)

    def _now(self, path, module):
        """What a GET gives, by the simulator's own state."""
        return model.forms(module, model.held_by(self.sim, module, path))

    @invariant()
    def _agrees(self):
        for module in model.MODULES:
            for owner in self._owners(module):
                path = facts.of(module).path_of(owner)
                assert self._now(path, module) == model.forms(module, self.held.get(path)), path
        assert self.sim.refusals == []


@pytest.mark.timeout(3600)
def test_any_sequence_of_tasks_leaves_what_the_model_says(record_property):
    TALLY.clear()
    profile = settings()
    run_state_machine_as_test(Edges, settings=settings(profile, max_examples=max(15, profile.max_examples // 5)))
    record_property("cases", dict(TALLY))
