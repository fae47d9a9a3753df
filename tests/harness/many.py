# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of edge_modules for tests: any number of edges, and samples of single modules as entries."""

from __future__ import annotations

import copy
import typing as t

import facts

from .samples import Sample

# How many edge modules a group has: one of each.
PER_GROUP = len(facts.MODULES)

# An edge module with its ids and its entry: (name of the module, ids, entry or None for one that is left out).
Listed = tuple[str, dict[str, str], t.Optional[dict[str, t.Any]]]


def listed(entries: t.Iterable[Listed]) -> dict[str, t.Any]:
    """Options of edge_modules that name these edge modules, each edge and each route once."""
    options: dict[str, t.Any] = {}
    for name, ids, entry in entries:
        module = facts.of(name)
        owner = _owner(options.setdefault(module.edges, []), ids["edge_id"])
        if "route_id" in ids:
            owner = _owner(owner.setdefault("routes", []), ids["route_id"])
        if entry is not None:
            owner[module.entry] = entry
    return options


def _owner(owners: list[dict[str, t.Any]], id_: str) -> dict[str, t.Any]:
    """The edge or route of this id in a list, which gets it where it is new."""
    for one in owners:
        if one["id"] == id_:
            return one
    owners.append({"id": id_})
    return owners[-1]


def many(groups: int, mark: str = "a") -> dict[str, t.Any]:
    """Options with one edge of each kind a group, with every edge module that it can have."""
    found: dict[str, t.Any] = {edges: [] for edges in facts.EDGES}
    for number in range(groups):
        of_each = ((name, module.ids(number), module.numbered(number, mark)) for name, module in facts.MODULES.items())
        for edges, entries in listed(of_each).items():
            found[edges] += entries
    return found


def entries_of(options: dict[str, t.Any]) -> t.Iterator[tuple[facts.EdgeModule, dict[str, str], dict[str, t.Any]]]:
    """Every edge module that options of edge_modules name, with its ids and its entry."""
    for edges in facts.EDGES:
        for edge in options.get(edges, ()):
            for owner in edge.get("routes", [edge]):
                ids = {"edge_id": edge["id"], "route_id": owner["id"]}
                for module in facts.MODULES.values():
                    if module.edges == edges and module.entry in owner:
                        yield module, ids, owner[module.entry]


def with_unset(lists: dict[str, t.Any]) -> dict[str, t.Any]:
    """The same lists, with every edge module that an edge or route in them leaves out as one that is not set."""
    found = copy.deepcopy(lists)
    for module in facts.MODULES.values():
        for edge in found.get(module.edges, ()):
            for owner in edge["routes"] if "route_id" in module.prefixes else [edge]:
                owner.setdefault(module.entry, {"state": "absent"})
    return found


def paths_of(options: dict[str, t.Any]) -> list[str]:
    """The path of every edge module that options of edge_modules name."""
    return [module.path_of(ids) for module, ids, dummy in entries_of(options)]


def ids_of(options: dict[str, t.Any]) -> dict[str, t.Any]:
    """The options of edge_modules_info that read what options of edge_modules name."""
    found: dict[str, t.Any] = {}
    for edges, prefixes in facts.EDGES.items():
        entries = options.get(edges, ())
        if "route_id" in prefixes:
            found[edges] = [dict(id=one["id"], routes=[route["id"] for route in one["routes"]]) for one in entries]
        else:
            found[edges] = [one["id"] for one in entries]
    return found


def as_entry(sample: Sample, options: dict[str, t.Any]) -> dict[str, t.Any]:
    """The options of a single module, without its ids, as those of edge_modules."""
    return listed([(sample.module, sample.ids, copy.deepcopy(options))])
