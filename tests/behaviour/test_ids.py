# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ids of edges and routes: opaque, unless they say that they are of something else or would leave the path."""

from __future__ import annotations

import facts
import pytest
from harness.samples import sample_of

MODULES = tuple(facts.MODULES)
ROUTED = [name for name, module in facts.MODULES.items() if "route_id" in module.prefixes]

# One module a kind of id: option, module, the prefix that fits
ID_OPTIONS = [
    (option, next(name for name, module in facts.MODULES.items() if module.edges == edges), prefix)
    for edges, prefixes in facts.EDGES.items()
    for option, prefix in prefixes.items()
]

MADE_UP = ["edge-0123", "0", "a.b~c_d-e", "...", "-", "_", "EDGTCP_1", "edgtcp", "edg_tcp_1", "xedgtls_1", "x" * 300]

BAD = {
    "blank": ("", "must not be blank"),
    "white space": (" \t\n ", "must not be blank"),
    "dot": (".", "may contain letters"),
    "dots": ("..", "may contain letters"),
    "slash": ("a/b", "may contain letters"),
    "leading slash": ("/a", "may contain letters"),
    "up and over": ("../../tls/edgtls_1", "may contain letters"),
    "backslash": ("a\\b", "may contain letters"),
    "escaped dot": ("%2e", "may contain letters"),
    "escaped slash": ("a%2Fb", "may contain letters"),
    "query": ("a?b", "may contain letters"),
    "fragment": ("a#b", "may contain letters"),
    "inner space": ("a b", "may contain letters"),
    "space before": (" a", "may contain letters"),
    "newline after": ("a\n", "may contain letters"),
    "newline": ("a\nb", "may contain letters"),
    "null character": ("a\0", "may contain letters"),
    "format braces": ("{edge_id}", "may contain letters"),
    "letter beyond ASCII": ("édge", "may contain letters"),
    "digit beyond ASCII": ("edge-\u0661", "may contain letters"),
}


def _options(module, **more):
    sample = sample_of(module)
    return sample.options(sample.a, **more)


@pytest.mark.parametrize("value", MADE_UP, ids=lambda value: value[:12])
def test_made_up_ids_work(sim, run, value):
    """Ids are opaque: anything that fits into a path is taken as it is."""
    assert run("tcp_edge_backend", dict(edge_id=value, backend_id="whatever")).changed
    assert run("https_edge_route_request_headers", dict(edge_id=value, route_id=value)).changed
    assert set(sim.resources) == {
        "/edges/tcp/%s/backend" % value,
        "/edges/https/%s/routes/%s/request_headers" % (value, value),
    }


@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize("option, module, fits", ID_OPTIONS, ids=lambda value: value.strip("_"))
def test_another_kinds_prefix_is_refused_and_nothing_is_sent(sim, run, option, module, fits, state):
    """The service would answer 404, and "absent" would look done."""
    for prefix in sorted(facts.PREFIXES - {fits}):
        result = run(module, _options(module, **{option: prefix + "1", "state": state}))
        assert result.failed
        wanted = "%s names another kind of resource: %s1 begins with %s, not with %s" % (option, prefix, prefix, fits)
        assert result.msg == wanted
    assert sim.log == []


@pytest.mark.parametrize("module", MODULES)
def test_the_fitting_prefix_works_in_every_module(sim, run, module):
    assert run(module, _options(module, **facts.of(module).ids(9))).changed


@pytest.mark.parametrize("value, message", BAD.values(), ids=BAD)
def test_ids_that_would_leave_the_path_are_refused_and_nothing_is_sent(sim, run, value, message):
    for option, module, dummy in ID_OPTIONS:
        for state in ("present", "absent"):
            result = run(module, _options(module, **{option: value, "state": state}))
            assert result.failed
            assert "%s %s" % (option, message) in result.msg
            assert "\n" not in result.msg
    assert sim.log == []


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("value", [None, 1.5, ["a"], {"a": 1}, True], ids=repr)
def test_ids_that_are_no_text(sim, run, module, value):
    """Null counts as left out; a number becomes its text, as everywhere in Ansible; anything else is refused."""
    result = run(module, _options(module, edge_id=value))
    if value == 1.5 and value is not True:
        assert not result.failed
    else:
        assert result.failed
        assert result.msg.startswith(("edge_id is required", "edge_id must be a string, not "))
        assert sim.log == []


@pytest.mark.parametrize("module", ROUTED)
def test_both_ids_of_a_route_are_required(sim, run, module):
    sample = sample_of(module)
    for name in ("edge_id", "route_id"):
        options = {key: value for key, value in sample.options(sample.a).items() if key != name}
        result = run(module, options)
        assert result.failed
        assert "%s is required" % name in result.msg
    assert sim.log == []


@pytest.mark.parametrize(
    "ids, message",
    [
        ("", r"ip_policy_ids[0] must not be blank"),
        (["ipp_1", ""], r"ip_policy_ids[1] must not be blank"),
        (["ipp_1", "  "], r"ip_policy_ids[1] must not be blank"),
        (["ipp_1", None], r"ip_policy_ids[1] must be a string, not null"),
        (["ipp_1", 1], r"ip_policy_ids[1] must be a string, not a number: quote it"),
        ([True], r"ip_policy_ids[0] must be a string, not a boolean: quote it"),
        (["ipp_1", ["ipp_2"]], r"ip_policy_ids[1] must be a string, not a list"),
        (["a b"], r"ip_policy_ids[0] must not be blank or contain white space"),
        (["ipp_1\n"], r"ip_policy_ids[0] must not be blank or contain white space"),
        ({"a": 1}, "ip_policy_ids must be a list of strings, not a dict"),
    ],
    ids=repr,
)
def test_items_of_an_id_list_that_are_no_ids_are_refused_by_index(sim, run, ids, message):
    result = run("tls_edge_ip_restriction", dict(edge_id="edgtls_1", ip_policy_ids=ids))
    assert result.failed
    assert message in result.msg
    assert sim.log == []


@pytest.mark.parametrize("value", ["edgtls_1", "ipp_1", "../x", "a/b", "%2e"])
def test_ids_that_go_into_a_body_only_are_taken_as_they_are(sim, run, value):
    assert run("tcp_edge_backend", dict(edge_id="edgtcp_1", backend_id=value)).changed
    assert run("tls_edge_ip_restriction", dict(edge_id="edgtls_1", ip_policy_ids=[value])).changed
    assert [record.body for record in sim.writes] == [
        dict(enabled=True, backend_id=value),
        dict(enabled=True, ip_policy_ids=[value]),
    ]


@pytest.mark.parametrize("value", ["", " ", "a b", "bkdtg_1\n"], ids=repr)
def test_a_blank_backend_id_is_refused(sim, run, value):
    result = run("tcp_edge_backend", dict(edge_id="edgtcp_1", backend_id=value))
    assert result.failed
    assert result.msg == "backend_id must not be blank or contain white space"
    assert sim.log == []


def test_one_id_as_text_is_a_list_of_one(sim, run):
    """As Ansible has it for every list: text is split at commas."""
    assert run("tls_edge_ip_restriction", dict(edge_id="edgtls_1", ip_policy_ids="ipp_1")).changed
    assert not run("tls_edge_ip_restriction", dict(edge_id="edgtls_1", ip_policy_ids=["ipp_1"])).changed
    assert run("tls_edge_ip_restriction", dict(edge_id="edgtls_1", ip_policy_ids="ipp_1,ipp_2")).changed
    assert sim.writes[-1].body["ip_policy_ids"] == ["ipp_1", "ipp_2"]
