# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables as YAML: read back as what they were, by readers of YAML 1.1 and 1.2."""

from __future__ import annotations

import io
import json

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible_collections.edgeops.edges.plugins.module_utils._yaml import dump_yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

TRICKY = [
    *("1e3", "0o17", "08", "12e03", "0x1f", "0b1", "1_000", "1:30", "190:20:30", "+1", "-1", "1.10", "2026-01-02"),
    *("2026-01-02T10:00:00Z", ".inf", "-.INF", ".nan", "NaN", "inf", "nan", "~", "null", "Null", "NULL"),
    *("yes", "Yes", "no", "NO", "on", "Off", "y", "N", "true", "False"),
    *("=", "<<", "+", "-", "!", "&", "*", "#", "%", "@", "`", "|", ">", "'", '"', "[", "]", "{", "}", ",", "?", ":"),
    *("", " ", "a b", " a", "a ", "a:b", "a: b", "a #b", "- a", "? a", "---", "...", "%YAML", "\\", "\\u0041", "é"),
    *("a\nb", "\n", "\t", "a\tb", "\r\n", "\u2028", "\x85", "\ufeff", "\x7f", "\x00", "\u200b", "\U0001f600"),
]


def read_11(text):
    return yaml.safe_load(text)


def read_12(text):
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return reader.load(io.StringIO(text))


@pytest.mark.parametrize("read", [read_11, read_12])
@pytest.mark.parametrize("text", TRICKY)
def test_text_stays_text(read, text):
    variables = {"a": text, "b": [text, {text: text}], text: 1}
    assert read(dump_yaml(variables)) == variables


@pytest.mark.parametrize("read", [read_11, read_12])
@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u2060", "\u00ad"])
def test_nothing_in_the_file_shows_as_another_text(read, char):
    """What turns the direction of text, or has no width, stands as an escape; who reads it gets the character."""
    text = dump_yaml({"a" + char: ["b" + char]})
    assert text.isascii() and read(text) == {"a" + char: ["b" + char]}


@pytest.mark.parametrize("read", [read_11, read_12])
@pytest.mark.parametrize("key", ["k" * 990, "k" * 1100, "k: " * 400, "é\n" * 800, "\u2028" * 300])
def test_long_keys(read, key):
    variables = {"a": {key: 1}, "b": [{key: {key: [1]}}, {"c": 1, key: {}}], key: "x"}
    assert read(dump_yaml(variables)) == variables
    assert DataLoader().load(dump_yaml(variables)) == variables


NOT_TEMPLATES = st.text(max_size=12).filter(lambda text: not any(mark in text for mark in ("{{", "{%", "{#")))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | NOT_TEMPLATES | st.sampled_from(TRICKY),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NOT_TEMPLATES, inner, max_size=4),
    max_leaves=12,
)


@given(variables=st.dictionaries(NOT_TEMPLATES, VALUES, max_size=4))
def test_both_readers_read_what_was_written(variables):
    text = dump_yaml(variables)
    assert json.dumps(read_11(text) or {}) == json.dumps(variables)
    # ruamel reads floats such as 1.0e+16 alike, to the last digit.
    assert json.dumps(read_12(text) or {}) == json.dumps(variables)


@pytest.mark.parametrize("text", ["{{ x }}", "a {% if %}", "{# c #}", "{{ '\u2028' }}\n"])
def test_what_looks_like_a_template_is_not_taken_for_one(text, tmp_path):
    path = tmp_path / "variables.yml"
    path.write_text(dump_yaml({"a": [text], "b": text}), encoding="utf-8")
    assert path.read_text(encoding="utf-8").count("!unsafe") == 2
    read = DataLoader().load_from_file(str(path))
    assert read == {"a": [text], "b": text}


def test_how_it_looks():
    variables = {"edges": [{"id": "edgtcp_1", "on": [], "deep": [[1, 2], [{}]]}], "version": "1.3", "none": None}
    assert dump_yaml(variables) == (
        "---\n"
        "edges:\n"
        "  - id: edgtcp_1\n"
        '    "on": []\n'
        "    deep:\n"
        "      - - 1\n"
        "        - 2\n"
        "      - - {}\n"
        'version: "1.3"\n'
        "none: null\n"
    )
