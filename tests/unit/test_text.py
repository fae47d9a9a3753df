# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text that people read: nothing in it can make a terminal do something, and no length gets out of hand."""

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _text

# text, the same made visible
VISIBLE = {
    "plain": ('abc 123 \\ "', 'abc 123 \\ "'),
    "letters": ("é ß 漢 \U0001f600", "é ß 漢 \U0001f600"),
    "a line": ("a\nb", "a\nb"),
    "control": ("\x00\x1b[31m\t\r\x7f\x9f", "\\u0000\\u001b[31m\\u0009\\u000d\\u007f\\u009f"),
    "bidirectional": ("a\u202eb\u2066", "a\\u202eb\\u2066"),
    "separators": ("\u2028\u2029", "\\u2028\\u2029"),
    "not a character": ("\ufffe\ud800", "\\ufffe\\ud800"),
    "private": ("\ue000", "\\ue000"),
    "beyond 16 bits": ("\U000e0041\U0010ffff", "\\udb40\\udc41\\udbff\\udfff"),
    "the last of 16 bits": ("\uffff\U00010000\U0001fffe", "\\uffff\U00010000\\ud83f\\udffe"),
}


@pytest.mark.parametrize("text, shown", VISIBLE.values(), ids=list(VISIBLE))
def test_visible(text, shown):
    assert _text.visible(text) == shown


def test_a_diff_says_the_same_as_what_it_shows():
    value = {"b": ["é\x00\u202e\U000e0041", 1], "a": None}
    text = _text.dump(value)
    assert text == '{\n  "a": null,\n  "b": [\n    "é\\u0000\\u202e\\udb40\\udc41",\n    1\n  ]\n}\n'
    assert json.loads(text) == value
    assert _text.dump(None) == ""
    assert _text.dump({}) == "{}\n"


@pytest.mark.parametrize(
    "text, limit, shown",
    [
        ("a  b\n\tc ", 20, "a b c"),
        ("x" * 20, 20, "x" * 20),
        ("x" * 21, 20, "x" * 17 + "..."),
        ("\x1b" * 4, 20, "\\u001b\\u001b\\u001b"[:17] + "..."),
        (" " * 200 + "late", 20, ""),
        (" " * 190 + "in time", 20, "in time"),
    ],
)
def test_shorten(text, limit, shown):
    assert _text.shorten(text, limit) == shown
    assert len(_text.shorten(text, limit)) <= limit


def test_shorten_to_two_hundred():
    assert _text.shorten("x" * 200) == "x" * 200
    assert _text.shorten("x" * 201) == "x" * 197 + "..."


@pytest.mark.parametrize(
    "parent, key, name",
    [
        ("", "value", "value"),
        ("value", "inbound", "value.inbound"),
        ("value.inbound", 0, "value.inbound[0]"),
        ("", 3, "[3]"),
        ("add", "x" * 81, "add." + "x" * 77 + "..."),
        ("add", "x" * 80, "add." + "x" * 80),
        ("add", "a\nb\x07", "add.a b\\u0007"),
    ],
)
def test_place(parent, key, name):
    assert _text.place(parent, key) == name


def test_faults_beyond_twenty_are_counted():
    assert _text.join_faults(iter(["a", "b"])) == "a; b"
    assert _text.join_faults([]) == ""
    assert _text.join_faults(map(str, range(20))) == "; ".join(map(str, range(20)))
    assert _text.join_faults(map(str, range(22))) == "; ".join(map(str, range(20))) + "; and 2 more"
    assert _text.join_faults("abc", most=2) == "a; b; and 1 more"


def test_a_fault_of_several_entries_is_told_once_with_all_the_places():
    places = ["tls_edges[%d].tls_termination.min_version (edgtls_%d)" % (n, n) for n in range(100)]
    wrong = ' must be a dotted number such as 1.3, or default, not "x"'
    assert _text.join_faults([places[0] + wrong]) == places[0] + wrong
    assert _text.join_faults(one + wrong for one in places) == "%s: each%s" % (", ".join(places), wrong)
    found = _text.join_faults(["a", places[0] + wrong, "b", places[1] + wrong, places[2] + " is null"])
    assert found == "a; %s, %s: each%s; b; %s is null" % (*places[:2], wrong, places[2])
    dates = ['https_edges[%d].routes[1].request_headers.add.X-A (e r "shop"): quote it' % n for n in range(2)]
    assert _text.join_faults(dates) == ", ".join(one[: -len(": quote it")] for one in dates) + ": quote it"


def test_a_fault_that_is_told_twice_is_told_once():
    assert _text.join_faults(["a", "b", "a"]) == "a; b"


def test_places_beyond_the_most_are_counted():
    assert _text.join_faults(["x[%d].a (i) is null" % n for n in range(5)], most=3) == (
        "x[0].a (i), x[1].a (i), x[2].a (i): each is null; and 2 more"
    )


def test_reasons_are_told_once():
    assert _text.together([("a", "x"), ("b", "y"), ("c", "x")]) == ["a, c: x", "b: y"]
    assert _text.together([(str(n), "x") for n in range(5)], most=3) == ["0, 1, 2 and 2 more: x"]
    assert _text.join_names(["a", "b"], 2) == "a, b"


@pytest.mark.parametrize(
    "value, kind, advice",
    [
        (None, "null", ""),
        (True, "a boolean", ": quote it"),
        (1, "a number", ": quote it"),
        (1.5, "a number", ": quote it"),
        ("a", "a string", ""),
        ([], "a list", ""),
        ({}, "a dict", ""),
        (b"", "bytes", ""),
    ],
)
def test_what_types_are_called(value, kind, advice):
    assert _text.kind_of(value) == kind
    assert _text.kind_but_string(value) == kind + advice
