# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who imports whom in plugins/: never in a circle, never what stands above."""

from __future__ import annotations

import ast
import graphlib

import harness
import pytest

FOLDER = harness.ROOT / "plugins"
# From the bottom up: what runs anywhere, what runs in Ansible itself, what Ansible loads by its name.
FLOORS = dict(doc_fragments=0, module_utils=0, plugin_utils=1, modules=2, action=2, filter=2)


def imports_of(path):
    """The files of the collection that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(harness.PLUGINS):
            place = FOLDER.joinpath(*node.module[len(harness.PLUGINS) :].strip(".").split("."))
            for name in node.names:
                inside = place / (name.name + ".py")
                yield inside if inside.exists() else place.with_suffix(".py")


GRAPH = {path: set(imports_of(path)) for path in sorted(FOLDER.rglob("*.py"))}


def test_the_files_are_read():
    assert len(GRAPH) > 50 and set().union(*GRAPH.values()) <= set(GRAPH)


def test_no_circle():
    graphlib.TopologicalSorter(GRAPH).prepare()


def test_a_circle_would_be_found():
    (one, other), *dummy = ((path, found) for path, found in GRAPH.items() if found)
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter({**GRAPH, min(other): {one}}).prepare()


def test_nothing_imports_upwards():
    floors = {path: FLOORS[path.relative_to(FOLDER).parts[0]] for path in GRAPH}
    assert [(path, other) for path, found in GRAPH.items() for other in found if floors[other] > floors[path]] == []
