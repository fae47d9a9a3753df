# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between two lists of lines, in time proportional to their length whatever they hold.

Private to this collection. The standard library's difflib takes quadratic to cubic time where lines repeat, and the
lines of indented JSON do. Here each step is linear or bounded:

1. What both begin and end with is equal. Lines that only one of the two holds are changed, and are put aside.
2. Lines that each of them holds just once are matched with each other where they are in the same order in both
   (patience diff). They divide the rest into blocks, for which the same is done again, to a fixed depth.
3. A block without such lines goes through Myers' greedy algorithm, which is exact up to a number of edits. Where it
   needs more, the way that has come furthest so far is taken, and it begins again from there.
"""

from __future__ import annotations

import bisect
import collections
import re
import typing as t

# How often blocks are divided again, and how many edits Myers' algorithm looks ahead. The time is at most the number
# of lines times their sum.
_DEPTH = 8
_EDITS = 100


class Span(t.NamedTuple):
    """Lines C(start) to C(end) of the old list have become C(new_start) to C(new_end) of the new one."""

    equal: bool
    start: int
    end: int
    new_start: int
    new_end: int


def compare(old: t.Sequence[str], new: t.Sequence[str]) -> list[Span]:
    """Return the spans, in order, that cover both lists: equal ones and changed ones in turn."""
    spans: list[Span] = []
    for start, new_start, length in _settled(old, new, _runs(_matches(old, new))):
        done, new_done = (spans[-1].end, spans[-1].new_end) if spans else (0, 0)
        if start > done or new_start > new_done:
            spans.append(Span(False, done, start, new_done, new_start))
        if length:
            spans.append(Span(True, start, start + length, new_start, new_start + length))
    return spans


def _matches(old: t.Sequence[str], new: t.Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of indexes of equal lines that stay, in order."""
    first, last, new_last = 0, len(old), len(new)
    while first < min(last, new_last) and old[first] == new[first]:
        first += 1
    while first < min(last, new_last) and old[last - 1] == new[new_last - 1]:
        last -= 1
        new_last -= 1
    pairs = [(index, index) for index in range(first)]
    # Numbers in place of lines: they compare faster.
    numbers = {line: number for number, line in enumerate(dict.fromkeys(old[first:last]))}
    shared = set(old[first:last]) & set(new[first:new_last])
    kept = [index for index in range(first, last) if old[index] in shared]
    new_kept = [index for index in range(first, new_last) if new[index] in shared]
    left, right = [numbers[old[index]] for index in kept], [numbers[new[index]] for index in new_kept]
    pairs += [(kept[index], new_kept[new_index]) for index, new_index in _block_matches(left, right)]
    pairs += [(last + index, new_last + index) for index in range(len(old) - last)]
    return pairs


def _block_matches(left: list[int], right: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of a block: divided at the lines that are unique in both halves, and each part again."""
    found: list[tuple[int, int]] = []
    blocks = [(0, len(left), 0, len(right), 0)]
    while blocks:
        start, end, new_start, new_end, depth = blocks.pop()
        while start < end and new_start < new_end and left[start] == right[new_start]:
            found.append((start, new_start))
            start, new_start = start + 1, new_start + 1
        while start < end and new_start < new_end and left[end - 1] == right[new_end - 1]:
            end, new_end = end - 1, new_end - 1
            found.append((end, new_end))
        if start == end or new_start == new_end:
            continue
        anchors = _anchors(left, right, start, end, new_start, new_end) if depth < _DEPTH else []
        if not anchors:
            found.extend(_greedy_matches(left, right, start, end, new_start, new_end))
            continue
        for index, new_index in [*anchors, (end, new_end)]:
            blocks.append((start, index, new_start, new_index, depth + 1))
            start, new_start = index + 1, new_index + 1
        found.extend(anchors)
    found.sort()
    return found


def _anchors(
    left: list[int], right: list[int], start: int, end: int, new_start: int, new_end: int
) -> list[tuple[int, int]]:
    """Return the longest row of lines, each of them once in either block, that is in the same order in both."""
    count, new_count = collections.Counter(left[start:end]), collections.Counter(right[new_start:new_end])
    places = {right[index]: index for index in range(new_start, new_end)}
    unique = [
        (index, places[left[index]])
        for index in range(start, end)
        if count[left[index]] == 1 and new_count[left[index]] == 1
    ]
    # The longest increasing subsequence: tops holds the smallest last place of a row of each length.
    tops: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for number, (dummy, place) in enumerate(unique):
        length = bisect.bisect_left(tops, place)
        before.append(holders[length - 1] if length else -1)
        tops[length : length + 1] = [place]
        holders[length : length + 1] = [number]
    row: list[tuple[int, int]] = []
    number = holders[-1] if holders else -1
    while number >= 0:
        row.append(unique[number])
        number = before[number]
    return row[::-1]


def _greedy_matches(
    left: list[int], right: list[int], start: int, end: int, new_start: int, new_end: int
) -> t.Iterator[tuple[int, int]]:
    """Yield the pairs of a block by Myers' algorithm, started anew wherever it has come to its bound."""
    while start < end and new_start < new_end:
        ways: list[dict[int, int]] = []  # for each number of edits: how far in left, by diagonal
        far = {1: start}
        shift = new_start - start  # diagonal 0 goes through the start
        goal = (end - start) - (new_end - new_start)
        best, reached = 0, False
        for edits in range(_EDITS + 1):
            ways.append(far)
            now: dict[int, int] = {}
            best_sum = -1
            for diagonal in range(-edits, edits + 1, 2):
                down, along = far.get(diagonal + 1, -1), far.get(diagonal - 1, -2) + 1
                at = down if down >= along else along
                new_at = at - diagonal + shift
                if at > end or new_at > new_end or at < start:
                    continue  # beyond the block
                while at < end and new_at < new_end and left[at] == right[new_at]:
                    at += 1
                    new_at += 1
                now[diagonal] = at
                if at + new_at > best_sum:
                    best, best_sum = diagonal, at + new_at
            far = now
            reached = far.get(goal) == end
            if reached:
                best = goal
                break
        next_start = far[best]
        next_new_start = next_start - best + shift
        yield from _way_back(ways, best, next_start, shift)
        start, new_start = next_start, next_new_start


def _way_back(ways: list[dict[int, int]], diagonal: int, at: int, shift: int) -> t.Iterator[tuple[int, int]]:
    """Yield the pairs on the way that ends at C(at) on the diagonal, from its end."""
    for far in reversed(ways):
        down, along = far.get(diagonal + 1, -1), far.get(diagonal - 1, -2) + 1
        begin = down if down >= along else along
        while at > begin:
            at -= 1
            yield at, at - diagonal + shift
        if down >= along:
            diagonal += 1
        else:
            diagonal -= 1
            at -= 1


def _runs(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Return the pairs as runs: start, new start, length."""
    runs: list[list[int]] = []
    for index, new_index in pairs:
        if runs and runs[-1][0] + runs[-1][2] == index and runs[-1][1] + runs[-1][2] == new_index:
            runs[-1][2] += 1
        else:
            runs.append([index, new_index, 1])
    return runs


def _settled(old: t.Sequence[str], new: t.Sequence[str], runs: list[list[int]]) -> list[list[int]]:
    """Return the runs, with an empty one for the end, where lines put in or taken out have been moved to begin well.

    Lines put in between equal ones can be told in several ways: of a second C({...},) after a first one, the one that
    begins with its brace is the one to read.
    """
    runs.append([len(old), len(new), 0])
    for before, after in zip(runs, runs[1:]):
        gap, new_gap = after[0] - before[0] - before[2], after[1] - before[1] - before[2]
        if bool(gap) == bool(new_gap):
            continue
        lines, end, length = (old, after[0], gap) if gap else (new, after[1], new_gap)
        best, best_rank = 0, _rank(lines[end - length])
        # Not by more than its own length: further on it reads the same again. Not all of what is equal before it.
        for moved in range(1, min(length, before[2] - 1) + 1):
            if lines[end - moved] != lines[end - length - moved]:
                break
            rank = _rank(lines[end - length - moved])
            if rank < best_rank:
                best, best_rank = moved, rank
        before[2] -= best
        for place in (0, 1):
            after[place] -= best
        after[2] += best
    return runs


def _rank(line: str) -> tuple[int, bool]:
    text = line.lstrip(" ")
    return len(line) - len(text), text[:1] in ("}", "]")


def hunks(spans: t.Iterable[Span], around: int) -> list[list[Span]]:
    """Return the changed spans with so many equal lines around them; those that lie near each other together."""
    found: list[list[Span]] = []
    current: list[Span] = []
    for span in spans:
        length = span.end - span.start
        if span.equal and length > 2 * around:
            if current:
                current.append(Span(True, span.start, span.start + around, span.new_start, span.new_start + around))
                found.append(current)
            current = [Span(True, span.end - around, span.end, span.new_end - around, span.new_end)]
        else:
            current.append(span)
    if any(not span.equal for span in current):
        found.append(current)
    return [[span for span in hunk if span.start < span.end or span.new_start < span.new_end] for hunk in found]


_KEY = re.compile(r'"((?:[^"\\]|\\.)*)": ')


def places(lines: t.Sequence[str], numbers: t.Iterable[int]) -> dict[int, str]:
    """Return for lines of indented JSON where they are, as C(inbound[2].actions[0]); empty at the outermost level.

    A number beyond the last line stands for the last line.
    """
    wanted = set(numbers)
    found: dict[int, str] = dict.fromkeys(wanted, "")
    parents: list[list[t.Any]] = []  # of what is open: indent, key, whether it is a list, entries so far
    for number, line in enumerate(lines):
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        while parents and parents[-1][0] >= indent:
            parents.pop()
        if text[:1] not in ("}", "]"):
            if parents:
                parents[-1][3] += 1
            if text[-1:] in ("{", "["):
                key = _KEY.match(text)
                parents.append([indent, key.group(1) if key else "", text[-1] == "[", 0])
        if number in wanted:
            inner = parents[:-1] if parents and parents[-1][0] == indent else parents
            found[number] = _path(inner)
    last = _path(parents)
    found.update((number, last) for number in wanted if number >= len(lines))
    return found


def _path(parents: list[list[t.Any]]) -> str:
    parts = []
    for dummy, key, is_list, entries in parents:
        parts.append(("." + key if key else "") + ("[%d]" % max(entries - 1, 0) if is_list else ""))
    return "".join(parts).lstrip(".")
