# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter variables: what it writes, Ansible reads back as just that, whatever the text looks like."""

from __future__ import annotations

import json
import tempfile
from inspect import signature

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible_collections.edgeops.edges.plugins.filter.variables import FilterModule
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

variables = FilterModule().filters()["variables"]

TEXTS = [
    *("1.10", "1", "+1", "1e3", "1_000", "0755", "0o7", "0x1F", "0b1", ".inf", ".NaN", "12:30:45", "2024-01-31"),
    *("2001-12-14t21:59:43.10-05:00", "yes", "No", "ON", "y", "true", "null", "~", "", " ", " lead", "trail ", "="),
    *("<<", "a: b", "- a", "-", "?", "? a", "# no", "a #b", "'", '"', "\\", "%", "@a", "`", "!tag", "!unsafe", "&a"),
    *("*a", "|", "---", "...", "{", "[", "{}", "a,b", "a\nb", "a\n", "\n", "\n\n a\n", "\t", "tab\there", "a\r\nb"),
    *("\x07", "é", "日本", "\x85", "\u2028", "\u2029", "\ufeff", "\u200b", "\u202e", "😀", "x" * 300),
    *("word " * 60, "{{ a }}", "{% if a %}", "{# a #}", "{{", "}}", "{{ " + "long " * 60 + "}}", "{{\n\x85 }}", ">"),
]


def load(text):
    """The text as Ansible reads a variables file: what looks like a template in it is one."""
    loader = DataLoader()
    trusted = {}
    if "trusted_as_template" in signature(loader.load_from_file).parameters:  # ansible-core 2.19 and newer
        trusted = {"trusted_as_template": True}
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        return loader.load_from_file(stream.name, **trusted)


def reads_back(value):
    """Whether Ansible reads what was written, and takes nothing in it for a template."""
    back = load(variables(value))
    templated = Templar(loader=DataLoader(), variables={}).template(back)
    return [json.dumps(one, sort_keys=True) for one in (back, templated)] == [json.dumps(value, sort_keys=True)] * 2


def test_a_template_is_a_template_here():
    assert Templar(loader=DataLoader(), variables={}).template(load("value: '{{ 1 + 1 }} and'")) == {"value": "2 and"}


@pytest.mark.parametrize(
    "entry, refused",
    [
        (dict(add='{"X": "a"}'), False),
        (dict(add="X=a Y=b"), False),
        (dict(add='{"X": 1.5}'), True),
        (dict(remove="A, B"), True),
        (dict(enabled="yes"), False),
    ],
)
def test_options_that_argument_validation_converts(entry, refused):
    """They are judged as edge_modules judges them, and written as they are."""
    routes = [{"id": "edghtsrt_1", "request_headers": entry}]
    back = load(variables({"provision_https_edges": [{"id": "edghts_1", "routes": routes}]}))
    (route,) = back["provision_https_edges"][0]["routes"]
    assert route == ({"id": "edghtsrt_1"} if refused else routes[0])


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text(text):
    assert reads_back({"value": text, "list": [text, [text]], "dict": {text: {text: text}}})


@pytest.mark.parametrize(
    "value", [0, -1, 10**30, 1.5, 1.0, -0.0, 1e16, 1e30, 5e-324, 1.7976931348623157e308, True, False, None, [], {}]
)
def test_other_values(value):
    assert reads_back({"value": value, "list": [value, [value]], "dict": {"a": value}})


# Half a surrogate pair is no character, and cannot come from a module.
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_VALUES)
def test_anything(value):
    back = load(variables({"value": value}))
    assert json.dumps(back, sort_keys=True) == json.dumps({"value": value}, sort_keys=True)


def test_what_stands_twice_is_written_twice():
    """References between places would be taken for one thing by whoever edits the file."""
    one = dict(a=[1])
    assert variables(dict(x=one, z=one)) == "---\nx:\n  a:\n    - 1\nz:\n  a:\n    - 1\n"
