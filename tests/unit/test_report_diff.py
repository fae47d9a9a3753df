# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as plain text with every line that differs."""

from __future__ import annotations

from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from harness import outcomes

PLAN = dict(format=1, checksum="plan-0123456789abcdef", changes={})


def render(*results, **more):
    return _report.render("diff", {"one": outcomes.outcome(*results)}, plan=PLAN, **more)


def test_the_counts_and_the_checksum_come_first_then_every_change_with_its_lines():
    assert (
        render(
            outcomes.replaced("edgtcp_0", None, {"a": 1}, name="shop"),
            outcomes.removed("edgtcp_1", {"b": 2}),
            outcomes.result("edgtcp_2", "none"),
            outcomes.replaced("edgtcp_3", {"c": 3, "d": 4}, {"c": 3, "d": 5}),
        )
        == """\
4 edge modules: 2 would change, 1 would be removed, 1 unchanged, 0 failed
plan: plan-0123456789abcdef

would be removed: tcp_edge_backend edgtcp_1
  -{
  -  "b": 2
  -}

would be newly set: tcp_edge_backend edgtcp_0 (shop)
  +{
  +  "a": 1
  +}

would change: tcp_edge_backend edgtcp_3
   {
     "c": 3,
  -  "d": 4
  +  "d": 5
   }
"""
    )


def test_the_same_on_many_edges_is_told_once_below_all_their_names():
    text = render(*[outcomes.replaced("edgtcp_%03d" % number, {"a": 1}, {"a": 2}) for number in range(300)])
    assert text.count('-  "a": 1') == 1
    assert [one in text for one in ("edgtcp_000", "edgtcp_150", "edgtcp_299")] == [True] * 3


def test_nothing_is_left_out_however_much_it_is():
    """Unlike a comment on a pull request."""
    before, after = ([{"a": outcomes.policy(20), "n": number, "x": side} for number in range(300)] for side in "ab")
    text = render(*[outcomes.replaced("edgtcp_%03d" % number, before[number], after[number]) for number in range(300)])
    assert text.count('  -  "x": "a"') == text.count('  +  "x": "b"') == 300


def test_a_name_can_not_pass_for_a_line_of_the_report():
    text = render(outcomes.replaced("edgtcp_0", "a\n\nplan: plan-f", "b", name="x\nplan: plan-e\u202e"))
    assert [line for line in text.splitlines() if line.startswith("plan: ")] == ["plan: plan-0123456789abcdef"]
    assert "\u202e" not in text


def test_a_run():
    text = render(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}), dry_run=False)
    assert "changed: tcp_edge_backend edgtcp_0\n" in text


def test_a_failure_is_named():
    text = render(outcomes.failed("edgtcp_0", 403, "no"))
    assert "failed: tcp_edge_backend edgtcp_0" in text and "answered 403" in text
