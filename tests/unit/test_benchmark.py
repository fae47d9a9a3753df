# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark measures against a service that answers as the simulator does, and the guide shows what it measured."""

from __future__ import annotations

import json
import os
import time

import harness
import pytest
import requests
from benchmark import __main__ as benchmark
from benchmark import measures, server
from harness.many import PER_GROUP, many, paths_of

RESULTS = harness.ROOT / "docs" / "benchmark" / "results.json"
GUIDE = harness.ROOT / "docs" / "docsite" / "rst" / "guide_performance.rst"


@pytest.fixture(autouse=True)
def found_by_its_process(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(harness.ROOT / "tests"), os.environ.get("PYTHONPATH", "")]))


def test_its_server_answers_as_the_simulator(sim):
    options = many(2)
    connection = dict(api_key="k", base_url=sim.base_url)
    assert harness.run("worker", "edge_modules", {**connection, **options, "api_key": sim.api_key}).changed
    with server.running(0) as url:
        connection["base_url"] = url
        assert harness.run("worker", "edge_modules", {**connection, **options}).summary["changed"] == 2 * PER_GROUP
        again = harness.run("worker", "edge_modules", {**connection, **options})
        assert (again.changed, again.summary["unchanged"]) == (False, 2 * PER_GROUP)
        paths = paths_of(options)
        assert sorted(paths) == sorted(sim.resources)
        for path in paths:
            key = {"Authorization": "Bearer " + sim.api_key, "Service-Version": "2"}
            expected = requests.get(sim.base_url + path, headers=key, timeout=10).text.replace(sim.base_url, "")
            assert requests.get(url + path, timeout=10).json() == json.loads(expected)
        assert requests.get(url + "/edges/tcp/edgtcp_9/backend", timeout=10).status_code == 404
        assert measures.bare_sessions(url, paths, 2) > 0


def test_its_server_is_as_slow_as_asked_and_holds_what_it_is_given():
    with server.running(0.2, measures.backends()) as url:
        started = time.monotonic()
        answer = requests.get(url + "/edges/tcp/edgtcp_7/backend", timeout=10).json()
        assert time.monotonic() - started >= 0.2
    assert answer["backend"]["id"] == "bkdtg_a7"


def test_the_guide_shows_what_was_measured():
    text = GUIDE.read_text(encoding="utf-8")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = [benchmark.Row(**row) for row in results["rows"]]
    where, rounds = results["machine"], results["rounds"]
    assert len(rows) > 10
    assert benchmark.guide(text, rows, where, rounds) == text
    assert benchmark.guide(text, rows, {**where, "processors": 99}, rounds) != text
    rows[0].ratio += 1
    assert benchmark.guide(text, rows, where, rounds) != text


def test_the_results_follow_from_the_medians():
    whole = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert [benchmark.asdict(row) for row in benchmark.rows(whole["medians"])] == whole["rows"]
