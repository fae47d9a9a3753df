# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values and names of headers: what YAML made of them, and what contradicts itself."""

from __future__ import annotations

import pytest
from harness import model
from harness.samples import (
    HEADERS,
    ROUTE_IDS,
)

REQUEST_HEADERS = "https_edge_route_request_headers"


def _twice(sim, run, module, options):
    """Run a task as a dry run, then for real, then again; return the PUT's body, and what the service holds."""
    dry = run(module, options, check=True)
    assert (dry.changed, sim.writes) == (True, [])
    real = run(module, options)
    assert not real.failed, real.data
    assert (real.changed, real.operation, real.diff) == (True, "replace", dry.diff)
    assert model.comparable(module, dry.config) == model.comparable(module, real.config)
    assert run(module, options).changed is False
    (put,) = sim.writes
    return put.body


@pytest.mark.parametrize("value", [True, False, 1.1, 1.0, None, [], ["a"], {"a": "b"}], ids=repr)
def test_a_header_value_that_yaml_did_not_read_as_text_is_refused_by_name(sim, run, value):
    result = run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-Fine": "1", "X-Wrong": value}))
    assert result.failed
    assert result.msg.startswith("add.X-Wrong must be a string or a whole number")
    assert ("quote it" in result.msg) is isinstance(value, (bool, float))
    assert sim.log == []


def test_whole_numbers_are_sent_as_their_decimal_text(sim, run):
    numbers = {"X-A": 3, "X-B": -1, "X-C": 0, "X-D": 10**30}
    texts = {name: str(number) for name, number in numbers.items()}
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add=numbers)).changed
    assert sim.writes[-1].body["add"] == texts
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=texts)).changed
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=numbers)).changed


@pytest.mark.parametrize("text", ["X-A=1, X-B=b", '{"X-A": "1", "X-B": "b"}', "{'X-A': '1', 'X-B': 'b'}"])
def test_headers_as_text_are_read_as_ansible_reads_any_dict(sim, run, text):
    sim.put(HEADERS, dict(add={"X-A": "1", "X-B": "b"}))
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add=text)).changed


def test_an_empty_header_value_is_a_value(sim, run):
    """It is neither "not given" nor the same as no header."""
    sim.put(HEADERS, dict(add={"X-A": ""}))
    assert not run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-A": ""})).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={})).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"X-A": ""})).changed


@pytest.mark.parametrize(
    "options, message",
    [
        (
            dict(add={"X-A": "1", "x-a": "1"}),
            "add contains both X-A and x-a, which differ only in case: leave one of them out",
        ),
        (dict(add={"X-A": "1"}, remove=["x-a"]), "add names X-A, and so does remove"),
    ],
)
def test_names_that_contradict_each_other_are_refused(sim, run, options, message):
    result = run(REQUEST_HEADERS, dict(ROUTE_IDS, **options))
    assert (result.failed, result.msg) == (True, message)
    assert sim.log == []


def test_a_named_header_that_the_service_removes_is_refused_after_the_get(sim, run):
    sim.put(HEADERS, dict(remove=["X-A"]))
    for check in (True, False):
        result = run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"x-a": "1"}), check=check)
        assert (result.failed, result.changed) == (True, False)
        assert "add names x-a, and so does remove" in result.msg
        assert "name both" in result.msg
    assert sim.writes == []
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, add={"x-a": "1"}, remove=[])).changed
