# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is done with options around validation: nulls go, faults name their places, secrets are masked."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._options import clean, faults, masked
from ansible_collections.edgeops.edges.plugins.module_utils._rules.headers import Headers
from ansible_collections.edgeops.edges.plugins.module_utils._rules.policy import Policy
from ansible_collections.edgeops.edges.plugins.module_utils._rules.secret import Secret
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, SecretNames

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
HEADERS, POLICY = BY_ENTRY["request_headers"], BY_ENTRY["traffic_policy"]

INNER = dict(
    state=dict(type="str", choices=["present", "absent"], default="present"),
    text=dict(type="str", aliases=["words"]),
    names=dict(type="list", elements="str"),
    add=dict(type="dict"),
    secret_headers=dict(type="list", elements="str"),
)
SPEC = dict(
    api_key=dict(type="str", no_log=True),
    path=dict(type="path"),
    number=dict(type="int"),
    flag=dict(type="bool"),
    fraction=dict(type="float"),
    anything=dict(type="raw"),
    text=dict(type="str"),
    names=dict(type="list", elements="str"),
    add=dict(type="dict"),
    entries=dict(
        type="list",
        elements="dict",
        options=dict(
            id=dict(type="str", required=True),
            one=dict(type="dict", options=INNER, required_if=[("state", "present", ["text"])]),
        ),
    ),
)


# options, the same cleaned
CLEANED = {
    "null": (dict(text=None, number=0, flag=False), dict(number=0, flag=False)),
    "blank key": (dict(api_key=" ", text=" "), dict(text=" ")),
    "key": (dict(api_key=" k "), dict(api_key=" k ")),
    "no text": (dict(api_key=1), dict(api_key=1)),
    "unknown": (dict(other=None, more=1), dict(more=1)),
    "blank for what cannot be text": (dict(number=" ", flag="", fraction="\t", add=" ", entries=" "), {}),
    "blank for what can be text": (
        dict(text=" ", path=" ", names=" ", anything=" "),
        dict(text=" ", path=" ", names=" ", anything=" "),
    ),
    "null inside": (dict(add={"a": None}, names=[None]), dict(add={"a": None}, names=[None])),
    "nested": (
        dict(entries=[dict(id=None, one=dict(text=None, names=[], add={"a": None})), None, 1]),
        dict(entries=[dict(one=dict(names=[], add={"a": None})), None, 1]),
    ),
    "absent": (
        dict(entries=[dict(id="a", one=dict(state="absent", text="b", words="c", names=1, other=2))]),
        dict(entries=[dict(id="a", one=dict(state="absent", other=2))]),
    ),
    "absent elsewhere": (dict(state="absent", text="b"), dict(state="absent", text="b")),
    "no list": (dict(entries="x"), dict(entries="x")),
    "a dict": (dict(entries=dict(id=None)), dict(entries={})),
}


@pytest.mark.parametrize("given, kept", CLEANED.values(), ids=list(CLEANED))
def test_clean(given, kept):
    assert clean(SPEC, given) == kept


def test_absent_keeps_what_says_where():
    spec = _argspec.single_spec(HEADERS)
    given = dict(state="absent", edge_id="e", route_id="r", api_key="k", timeout=1, add=1, enabled=2, secret_headers=3)
    kept = dict(state="absent", edge_id="e", route_id="r", api_key="k", timeout=1, secret_headers=3)
    assert clean(spec, given) == kept
    assert clean(spec, dict(given, state="present")) == dict(given, state="present")
    given = dict(state="absent", policy=1, secret_keys=["a"], secret_headers=None)
    assert clean(_argspec.single_spec(POLICY), given) == dict(state="absent", secret_keys=["a"])


@pytest.mark.parametrize(
    "name", ["api_key", "base_url", "api_version", "version_header", "ca_path", "client_cert", "client_key"]
)
def test_blank_is_not_given(name):
    assert clean(_argspec.connection_spec(), {name: " \n"}) == {}


class _Text(str):
    """Text as Ansible marks it."""


ALL = "add, anything, api_key, entries, flag, fraction, names, number, path, text"

# options, what is wrong with them
YAML = "leave out the | or the quotes that make text of it, or use from_yaml"
JSON = ". As an extra variable, NAME=[...] is a string: -e takes JSON, such as -e '{\"NAME\": [...]}', or -e @FILE"
FAULTS = {
    "nothing": ({}, []),
    "internal": (dict(_ansible_check_mode=True), []),
    "good": (
        dict(text="a", number=1, flag=True, fraction=1.5, names=["a"], add={}, anything=[1], path="/x", api_key="k"),
        [],
    ),
    "converted": (dict(text=1.5, number="1", flag="yes", fraction="1", names="a,b", add="a=b"), []),
    "unknown": (dict(other=1), ["other is not supported: use one of " + ALL]),
    "list for text": (dict(text=[1]), ["text must be a string, not a list"]),
    "dict for a path": (dict(path={}), ["path must be a string, not a dict"]),
    "boolean for text": (dict(text=True), ["text must be a string, not a boolean: quote it"]),
    "dict for names": (dict(names={}), ["names must be a list of strings, not a dict"]),
    "number for names": (dict(names=1), ["names must be a list of strings, not a number"]),
    "a flag for numbers": (
        dict(number=True, fraction=False),
        ["number must be a whole number, not a boolean", "fraction must be a number, not a boolean"],
    ),
    "fraction for names": (dict(names=1.5), ["names must be a list of strings, not a number"]),
    "items": (
        dict(names=["a", 1, None, " ", {}, "__omit_place_holder__x"]),
        [
            "names[1] must be a string, not a number: quote it",
            "names[2] must be a string, not null",
            "names[3] must not be blank",
            "names[4] must be a string, not a dict",
            "names[5] is omit, which cannot leave out an item of a list: filter the list instead",
        ],
    ),
    "items of text": (dict(names="a, ,b"), ["names[1] must not be blank"]),
    "list for a dict": (dict(add=[]), ["add must be a dict, not a list"]),
    "text for a dict": (dict(add="Cookie: abc"), ["add must be a dict, not a string. It looks like YAML: " + YAML]),
    "dict for entries": (dict(entries={}), ["entries must be a list of dicts, not a dict"]),
    "text for entries": (dict(entries="x"), ["entries must be a list of dicts, not a string" + JSON]),
    "text for an entry": (
        dict(entries=["x", dict(id="a"), None]),
        ["entries[0] must be a dict, not a string", "entries[2] must be a dict, not null"],
    ),
    "without id": (dict(entries=[{}]), ["entries[0].id is required"]),
    "required when present": (
        dict(entries=[dict(id="a", one={})]),
        ["entries[0].one.text (a) is required when state is present: set it, or change state"],
    ),
    "not when absent": (dict(entries=[dict(id="a", one=dict(state="absent"))]), []),
    "by the other name": (dict(entries=[dict(id="a", one=dict(words="b"))]), []),
    "by both names": (
        dict(entries=[dict(id="a", one=dict(words="b", text="c"))]),
        ["entries[0].one.text (a) is given twice, text is another name for it: leave one of them out"],
    ),
    "list for an entry's module": (
        dict(entries=[dict(id="a", one=[])]),
        ["entries[0].one (a) must be a dict, not a list"],
    ),
    "unknown inside": (
        dict(entries=[dict(id="a", one=dict(text="b", no=1))]),
        ["entries[0].one.no (a) is not supported: use one of add, names, secret_headers, state, text"],
    ),
    "internal first": (
        {"_ansible_verbosity": 1, "other": 1},
        ["other is not supported: use one of " + ALL],
    ),
    "a kind of text for entries": (dict(entries=_Text("x")), ["entries must be a list of dicts, not a string" + JSON]),
    "another type for entries": (dict(entries=(1,)), ["entries must be a list of dicts, not tuple"]),
}


@pytest.mark.parametrize("given, found", FAULTS.values(), ids=list(FAULTS))
def test_faults(given, found):
    assert list(faults(SPEC, given)) == found


@pytest.mark.parametrize(
    "given, fault",
    [
        (dict(number="x"), 'number must be a whole number, not "x"'),
        (dict(number="x" * 100), 'number must be a whole number, not "%s...' % ("x" * 76)),
        (dict(number=True), "number must be a whole number, not a boolean"),
        (dict(number=False), "number must be a whole number, not a boolean"),
        (dict(number=1.5), "number must be a whole number, not 1.5"),
        (dict(number=dict(token="hush")), "number must be a whole number, not a dict"),
        (dict(number=float("inf")), "number must be a whole number, not Infinity"),
        (dict(flag="maybe"), 'flag must be true or false, not "maybe"'),
        (dict(flag=["hush"]), "flag must be true or false, not a list"),
        (
            dict(entries=[dict(id="a", one=dict(state="gone"))]),
            'entries[0].one.state (a) must be one of present, absent, not "gone"',
        ),
    ],
)
def test_faults_of_what_cannot_be_converted(given, fault):
    """In the same words whatever the version of Ansible; what a list or dict holds may be secret."""
    assert list(faults(SPEC, given)) == [fault]


def test_an_option_is_text_unless_its_spec_says_otherwise():
    assert list(faults(dict(plain={}), dict(plain=[1]))) == ["plain must be a string, not a list"]
    assert list(faults(dict(plain={}), dict(plain="a"))) == []


def test_faults_of_the_top_name_no_place():
    assert list(faults(SPEC, {}, required_when=[("text", None, ["number"])])) == [
        "number is required when text is None: set it, or change text"
    ]
    assert list(faults(SPEC, dict(text="a", number=1), required_when=[("text", "a", ["number"])])) == []


SECRET_RULES = {"add": Headers(), "value": Policy(), "entries": {"one": {"add": Headers()}}}


# options, the same as they may be shown
SHOWN = {
    "plain": (dict(text="a", names=["b"], number=None), dict(text="a", names=["b"], number=None)),
    "key": (dict(api_key="k"), dict(api_key=MASK)),
    "unknown": (dict(other="k"), dict(other=MASK)),
    "headers": (dict(add={"Cookie": "a", "X": "b"}), dict(add={"Cookie": MASK, "X": "b"})),
    "no dict": (dict(add="Cookie: a"), dict(add=MASK)),
    "named": (
        dict(add={"X": "b", "Y": "c"}, secret_headers=["x", 1]),
        dict(add={"X": MASK, "Y": "c"}, secret_headers=["x", 1]),
    ),
    "named in text": (
        dict(add={"X": "b", "Y": "c", "Z": "d"}, secret_headers="x,y"),
        dict(add={"X": MASK, "Y": MASK, "Z": "d"}, secret_headers="x,y"),
    ),
    "named by what is no list": (
        dict(add={"X": "b"}, secret_headers={"X": 1}),
        dict(add={"X": MASK}, secret_headers={"X": 1}),
    ),
    "named above": (
        dict(secret_headers=["X"], entries=[dict(id="a", one=dict(add={"X": "b", "Y": "c"}))]),
        dict(secret_headers=["X"], entries=[dict(id="a", one=dict(add={"X": MASK, "Y": "c"}))]),
    ),
    "all secret above": (
        dict(secret_headers=1, entries=[dict(id="a", one=dict(add={"X": "b"}))]),
        dict(secret_headers=1, entries=[dict(id="a", one=dict(add={"X": MASK}))]),
    ),
    "not what is no entry": (dict(entries=["x", [1]]), dict(entries=[MASK, MASK])),
    "not what is no list": (dict(entries="x"), dict(entries=MASK)),
    "a dict for a list": (dict(entries=dict(id="a", other=1)), dict(entries=dict(id="a", other=MASK))),
}


@pytest.mark.parametrize("given, shown", SHOWN.values(), ids=list(SHOWN))
def test_masked(given, shown):
    spec = dict(SPEC, **_argspec.secret_spec())
    assert masked(spec, given, SECRET_RULES) == shown


def test_an_entry_of_the_name_of_a_secret_field_is_shown_by_its_own_spec():
    spec = dict(add=dict(type="dict", options=INNER))
    given = dict(add=dict(text="a", add={"Cookie": "b"}))
    assert masked(spec, given, {"add": {"add": Headers()}}) == dict(add=dict(text="a", add={"Cookie": MASK}))


def test_fields_of_one_name_in_two_edge_modules_are_shown_by_their_own_rules():
    entries = dict(one=dict(type="dict", options=INNER), other=dict(type="dict", options=INNER))
    given = dict(one=dict(text="a", add={"X": "b"}), other=dict(text="a", add={"X": "b"}))
    rules = {"one": {"text": Secret()}, "other": {"add": Headers()}}
    assert masked(entries, given, rules) == dict(
        one=dict(text=MASK, add={"X": "b"}), other=dict(text="a", add={"X": "b"})
    )
    assert masked(entries, given, {"one": {"text": Secret()}, "other": {}})["other"] == given["other"]


def test_masked_with_names_of_the_caller():
    assert masked(SPEC, dict(add={"X": "b"}), SECRET_RULES, SecretNames(["x"])) == dict(add={"X": MASK})
    assert masked(SPEC, dict(add={"X": "b"}), SECRET_RULES, SecretNames(everything=True)) == dict(add={"X": MASK})
    assert masked(SPEC, ["no dict"], SECRET_RULES) == MASK
    spec = _argspec.single_spec(POLICY)
    assert masked(spec, dict(policy={"a": 1}), {}) == dict(policy={"a": 1})
    named = dict(secret_keys="a", secret_headers=["X"])
    given = dict(policy={"a": 1, "b": [{"headers": {"X": 1}}]}, **named)
    assert masked(spec, given, SECRET_RULES) == dict(policy={"a": MASK, "b": [{"headers": {"X": MASK}}]}, **named)
    assert masked(spec, dict(value='{"token": "a", "b": 1}'), SECRET_RULES) == dict(value='{"token":"%s","b":1}' % MASK)
    assert masked(spec, dict(value='{ "b" : 1}'), SECRET_RULES) == dict(value='{ "b" : 1}')
    for value in ('{"b": 1', ["b"], {"b": float("nan")}, 1):
        assert masked(spec, dict(value=value), SECRET_RULES) == dict(value=MASK)
    assert masked(spec, dict(value={"b": 1}, secret_keys=1), SECRET_RULES)["value"] == MASK
