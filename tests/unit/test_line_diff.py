# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff of lines: right for any lines, short where it can be, and in time proportional to their number."""

from __future__ import annotations

import json
import random
import time

import pytest
from ansible_collections.edgeops.edges.plugins.plugin_utils import _line_diff
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

QUICK = dict(max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
LINES = st.lists(st.sampled_from(["{", "}", "},", "  a", "  b", ""]), max_size=30)


def applied(old, new):
    """The new lines, made of the old ones by the spans; only what changed is taken from the new ones."""
    spans = _line_diff.compare(old, new)
    made, at, new_at = [], 0, 0
    for number, span in enumerate(spans):
        assert (span.start, span.new_start) == (at, new_at)
        assert number == 0 or span.equal != spans[number - 1].equal
        assert span.end > span.start or span.new_end > span.new_start
        made += old[span.start : span.end] if span.equal else new[span.new_start : span.new_end]
        at, new_at = span.end, span.new_end
    assert (at, new_at) == (len(old), len(new))
    return made


def changed(old, new):
    """How many lines are taken out, and how many put in."""
    spans = [span for span in _line_diff.compare(old, new) if not span.equal]
    return sum(span.end - span.start for span in spans), sum(span.new_end - span.new_start for span in spans)


def longest_common(old, new):
    """The length of the longest common subsequence, by the book."""
    row = [0] * (len(new) + 1)
    for line in old:
        above, row = row, [0]
        for number, other in enumerate(new):
            row.append(above[number] + 1 if line == other else max(above[number + 1], row[number]))
    return row[-1]


@settings(**QUICK)
@given(LINES, LINES)
def test_applied_to_the_old_lines_it_gives_the_new_ones(old, new):
    assert applied(old, new) == new


@settings(**QUICK)
@given(LINES, LINES)
def test_where_it_gives_up_early_it_is_right_all_the_same(old, new):
    bounds = _line_diff._EDITS, _line_diff._DEPTH
    _line_diff._EDITS, _line_diff._DEPTH = 2, 1
    try:
        assert applied(old, new) == new
    finally:
        _line_diff._EDITS, _line_diff._DEPTH = bounds


@settings(**QUICK)
@given(st.lists(st.sampled_from("ab"), max_size=30), st.lists(st.sampled_from("ab"), max_size=30))
def test_without_unique_lines_no_diff_is_shorter(old, new):
    old, new = old + ["a", "b"] * 2, ["b", "a"] * 2 + new  # so that nothing is unique
    kept = longest_common(old, new)
    assert changed(old, new) == (len(old) - kept, len(new) - kept)


def numbered(count, value):
    return [dict(name="r%d" % n, actions=[dict(type="deny", config=dict(code=value(n)))]) for n in range(count)]


def lines_of(value):
    return json.dumps(value, indent=2).split("\n")


def test_one_line_of_500_that_changed_is_one_line():
    old, new = numbered(50, lambda n: n), numbered(50, lambda n: n if n != 20 else -1)
    assert len(lines_of(old)) > 500
    assert changed(lines_of(old), lines_of(new)) == (1, 1)


def test_a_line_of_every_rule_that_changed_is_one_line_of_each():
    assert changed(lines_of(numbered(400, str)), lines_of(numbered(400, lambda n: -n - 1))) == (400, 400)


def test_what_is_moved_is_put_in_and_taken_out_once():
    old = numbered(100, str)
    new = old[1:] + old[:1]
    rule = len(lines_of(old)) // 100
    assert changed(lines_of(old), lines_of(new)) == (rule, rule)


def test_long_parts_put_in_and_taken_out_do_not_upset_the_rest():
    """Further than the edits that are looked ahead: the lines that are there once show the way."""
    rules = numbered(300, str)
    new = rules[:10] + rules[60:150] + numbered(400, str)[350:] + rules[150:]
    length = len(lines_of(rules)) // 300 * 50
    assert changed(lines_of(rules), lines_of(new)) == (length, length)


def test_a_rule_put_in_is_told_from_its_brace_to_its_brace():
    rules = [dict(a=1), dict(a=1), dict(a=1)]
    old, new = lines_of(rules), lines_of([*rules[:1], dict(a=2), *rules[1:]])
    (span,) = [span for span in _line_diff.compare(old, new) if not span.equal]
    assert new[span.new_start : span.new_end] == ["  {", '    "a": 2', "  },"]


def shapes(count):
    """Lines of every shape that is known to be slow somewhere."""
    some = random.Random(1)
    number = [str(n) for n in range(count)]
    return dict(
        equal=(["a"] * count, ["a"] * (count - 7)),
        different=(["a" + n for n in number], ["b" + n for n in number]),
        two=([some.choice("ab") for n in number], [some.choice("ab") for n in number]),
        few=([some.choice("abcdefgh") for n in number], [some.choice("abcdefgh") for n in number]),
        many=([str(some.randrange(count // 3)) for n in number], [str(some.randrange(count // 3)) for n in number]),
        reversed=(number * 2, number[::-1] * 2),
        moved=(number, number[1:] + number[:1]),
        shuffled=(number, some.sample(number, count)),
        period=((["a", "b"] * count)[:count], ["x", *(["a", "b"] * count)[: count // 2], "b", "a"]),
        turned=((["a", "b", "c"] * count)[:count], (["a", "c", "b"] * count)[:count]),
        halves=(["a"] * (count // 2) + ["b"] * (count // 2), ["b"] * (count // 2) + ["a"] * (count // 2)),
        rules=(lines_of(numbered(count // 10, str)), lines_of(numbered(count // 10, lambda n: -n - 1))),
    )


def cost(old, new):
    """The processor time of a diff."""
    start = time.process_time()
    _line_diff.compare(old, new)
    return time.process_time() - start


@pytest.mark.parametrize("shape", shapes(12))
def test_the_time_is_in_proportion_to_the_length(shape):
    """Four times as many lines take about four times as long; sixteen times would be quadratic."""
    small, large = shapes(2500)[shape], shapes(10000)[shape]
    assert applied(*small) == small[1]
    pairs = [(cost(*small), cost(*large)) for dummy in range(3)]
    assert min(pair[1] for pair in pairs) < 7 * min(pair[0] for pair in pairs) + 0.01


def test_hunks_have_lines_around_them():
    old = [str(n) for n in range(100)]
    new = [*old[:10], "x", *old[11:14], "y", *old[14:60], *old[61:]]
    hunks = _line_diff.hunks(_line_diff.compare(old, new), 3)
    assert [[(span.equal, span.start, span.end) for span in hunk] for hunk in hunks] == [
        [(True, 7, 10), (False, 10, 11), (True, 11, 14), (False, 14, 14), (True, 14, 17)],
        [(True, 57, 60), (False, 60, 61), (True, 61, 64)],
    ]
    assert _line_diff.hunks(_line_diff.compare(old, old), 3) == []


def test_the_place_of_a_line():
    value = dict(a=[1, [dict(b=2), dict(c={"x[": ["{"], 'q"': 3})]], d=dict(e=4))
    lines = lines_of(value)
    wanted = dict(zip(lines, _line_diff.places(lines, range(len(lines))).values()))
    assert wanted["    1,"] == "a[0]"
    assert wanted['        "b": 2'] == "a[1][0]"
    assert wanted['          "q\\"": 3'] == "a[1][1].c"
    assert wanted['            "{"'] == "a[1][1].c.x[[0]"
    assert wanted['    "e": 4'] == "d"
    assert _line_diff.places(lines, [0, len(lines) + 5]) == {0: "", len(lines) + 5: ""}
