# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random configurations, and random services that hold them, for hypothesis."""

from __future__ import annotations

import copy
import json
import re
import string
import typing as t
from dataclasses import dataclass

import facts
from harness import model, policy_secrets
from hypothesis import strategies as st

# Ids

_ID_CHARS = string.ascii_letters + string.digits + "_.~-"


def ids(prefix: str) -> st.SearchStrategy[str]:
    """The ids of edges and routes: with their prefix mostly, opaque at times, never with another's prefix."""
    suffixes = st.text(_ID_CHARS, min_size=1, max_size=12)
    opaque = suffixes.filter(lambda text: text not in (".", "..") and not text.startswith(tuple(facts.PREFIXES)))
    return st.one_of(suffixes.map(lambda text: prefix + text), opaque)


_ANY = st.characters(exclude_categories=["Cs"])

# Ids that go into bodies only: whatever is not blank and holds no white space.
_BODY_IDS = st.one_of(
    st.text(_ID_CHARS, min_size=1, max_size=12),
    st.text(_ANY, min_size=1, max_size=6).map(lambda text: "".join(text.split())).filter(bool),
)

# Secrets

# The marker shows whether a secret value is given out; plain headers hold it just as well.
MARKER = "s3cr3t-m4rk3r"
_KNOWN_NAMES = ("X-Edge", "x-count", "Via", "Authorization", "X_Api_Key", "Set-Cookie", "x-session-id", "X-Plain")

# Traffic policies

_SPECIAL_TEXTS = (
    "",
    " ",
    "true",
    "1",
    "null",
    "{}",
    "req.url.path == '/admin' && req.content_length > 1 || conn.geo.country_code in ['DE']",
    "<script>&amp;</script>",
    '\\u0026 \\ " / \b\f\n\r\t\x00\x1b[31m\x7f\x85',
    "\u2028\u2029\u202e\u2066\ufeff\ufffe",
    "é ß İ ı ǆ Ω 漢字 \U0001f600 \U000e0041",
    "e\u0301",
    "line one\nline two\n",
)
TEXTS = st.one_of(st.text(_ANY, max_size=12), st.sampled_from(_SPECIAL_TEXTS))
_KNOWN_KEYS = ("name", "type", "a.b", "a[0]", "inbound", "é", "config", "value", "headers", "Add_Header", "pin", "key")
_SECRET_KEYS = ("token", "Client_Secret", "credentials", "Authorization", "cookie", "x-functions-key", "API-KEY")
KEYS = st.one_of(st.text(_ANY, max_size=6), st.sampled_from(_KNOWN_KEYS), st.sampled_from(_SECRET_KEYS))
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from((0, 0.0, -0.0, 1, 1.0, 1e22, 10**22, 2**53, 2**53 + 1, float(2**53), 5e-324, 1.7e308)),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)
_EXTRAS = st.dictionaries(KEYS, VALUES, max_size=2)


@st.composite
def _policy_headers(draw: t.Any) -> t.Any:
    """Headers in the ways in which policies may write them."""
    values = st.one_of(TEXTS, st.lists(TEXTS, max_size=2))
    pairs = draw(st.lists(st.tuples(st.sampled_from(_KNOWN_NAMES), values), max_size=3))
    way = draw(st.sampled_from(("map", "objects", "single", "pairs")))
    if way == "map":
        return dict(pairs)
    if way == "objects":
        return [{"name": name, "value": value} for name, value in pairs]
    return [{name: value} if way == "single" else [name, value] for name, value in pairs]


@st.composite
def _actions(draw: t.Any) -> dict:
    action = draw(_EXTRAS)
    action["type"] = draw(st.one_of(st.sampled_from(("deny", "url-rewrite", "custom-response", "add-headers")), TEXTS))
    action["config"] = draw(st.one_of(st.just({"status_code": 403}), st.dictionaries(KEYS, VALUES, max_size=3)))
    if draw(st.booleans()):
        action["config"] = {**action["config"], "headers": draw(_policy_headers())}
    return action


@st.composite
def _rules(draw: t.Any) -> dict:
    rule = draw(_EXTRAS)
    rule["name"] = draw(TEXTS)
    rule["actions"] = draw(st.lists(_actions(), max_size=2))
    rule.pop("expressions", None)
    if draw(st.booleans()):
        rule["expressions"] = draw(st.lists(TEXTS, max_size=3))
    return rule


def nested(levels: int, core: t.Any, as_list: bool) -> t.Any:
    """A value of so many levels around a core."""
    for number in range(levels):
        core = [core] if as_list and number % 2 else {"n": core, "level": number}
    return core


@st.composite
def policies(draw: t.Any) -> dict:
    """Documents of every shape that the documentation lets pass: up to a hundred levels deep, or hundreds wide."""
    document = draw(_EXTRAS)
    for direction in ("inbound", "outbound"):
        document.pop(direction, None)
        if draw(st.booleans()):
            document[direction] = draw(st.lists(_rules(), max_size=2))
    size = draw(st.sampled_from(("usual", "usual", "usual", "deep", "wide")))
    if size == "deep":
        levels = draw(st.one_of(st.integers(2, 98), st.just(98)))  # and one for the document itself
        document["deep"] = nested(levels, draw(SCALARS), draw(st.booleans()))
    elif size == "wide":
        rule, count = draw(_rules()), draw(st.integers(20, 200))
        document["inbound"] = [{**rule, "name": "rule %d" % number} for number in range(count)]
        document["wide"] = {"key %d" % number: number for number in range(count)}
    return marked(document)


def marked(document: dict) -> dict:
    """The same with the marker in every text that is secret, and in no other."""
    document = _each_text(document, lambda text: text.replace(MARKER, ""))
    return policy_secrets.change(document, lambda secret: _each_text(secret, lambda text: MARKER + text))


def _each_text(node: t.Any, change: t.Callable[[str], str]) -> t.Any:
    if isinstance(node, dict):
        return {key: _each_text(child, change) for key, child in node.items()}
    if isinstance(node, list):
        return [_each_text(child, change) for child in node]
    return change(node) if isinstance(node, str) else node


def respelled(node: t.Any) -> t.Any:
    """The same JSON written otherwise: keys in reverse order, whole numbers as fractions and the other way round."""
    if isinstance(node, dict):
        return {key: respelled(node[key]) for key in reversed(node)}
    if isinstance(node, list):
        return [respelled(one) for one in node]
    if isinstance(node, int) and not isinstance(node, bool) and abs(node) <= 2**53:
        return float(node)
    if isinstance(node, float) and node.is_integer():
        return int(node)
    return node


def _places(node: t.Any, path: tuple = ()) -> t.Iterator[tuple]:
    yield path
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _places(child, (*path, key))


# Places at which the documentation wants a type; a change there would make an invalid policy.
_TYPED = ("inbound", "outbound", "name", "expressions", "actions", "type", "config")


@st.composite
def _edited(draw: t.Any, document: dict) -> dict:
    """The same document with one value changed, by little."""
    document = copy.deepcopy(document)
    places = [path for path in _places(document) if path and not any(key in _TYPED for key in path)]
    if not places:
        document["new"] = draw(SCALARS)
        return document
    *parents, last = draw(st.sampled_from(places))
    owner = document
    for key in parents:
        owner = owner[key]
    old = owner[last]
    if isinstance(old, bool):
        owner[last] = int(old)
    elif isinstance(old, (int, float)):
        owner[last] = str(old)
    elif isinstance(old, list) and len(old) > 1:
        owner[last] = old[::-1]
    elif isinstance(old, dict) and old:
        owner[last] = {key: old[key] for key in list(old)[1:]}
    else:
        owner[last] = draw(SCALARS)
    return document


_SPELLINGS = st.fixed_dictionaries(
    {"ensure_ascii": st.booleans(), "indent": st.sampled_from((None, 0, 3)), "sort_keys": st.booleans()}
)


@st.composite
def spelled(draw: t.Any, document: dict) -> t.Any:
    """A document as an option: the structure itself, or text in one of the ways in which JSON can be written."""
    if draw(st.booleans()):
        return document
    text = json.dumps(document, **draw(_SPELLINGS))
    if draw(st.booleans()):
        # In text, so that the escape is right: none of these stands outside of strings.
        for char, escape in (("/", "\\/"), ("&", "\\u0026"), ("<", "\\u003C")):
            text = text.replace(char, escape)
    return draw(st.sampled_from(("", "\n \t"))) + text


# Headers

_TOKEN_CHARS = "!#$%&'*+-.^_`|~" + string.digits + string.ascii_letters
NAMES = st.one_of(st.sampled_from(_KNOWN_NAMES), st.text(_TOKEN_CHARS, min_size=1, max_size=8))
_LATIN = st.characters(max_codepoint=0xFF, exclude_categories=["Cc"])
HEADER_VALUES = st.one_of(
    st.text(_LATIN, max_size=10),
    st.integers(-(10**30), 10**30),
    st.sampled_from(("", " ", "1", "true", "null", "a, b;q=0.1", "{}")),
)


@st.composite
def _headers(draw: t.Any) -> dict:
    names = draw(st.lists(NAMES, max_size=4, unique_by=str.lower))
    found = {}
    for name in names:
        value = draw(HEADER_VALUES)
        if model.is_secret(name):
            value = MARKER + str(value)
        found[name] = value
    return found


@st.composite
def _header_options(draw: t.Any) -> dict:
    options: dict = {}
    if draw(st.integers(0, 3)):
        options["add"] = draw(_headers())
    if draw(st.integers(0, 3)):
        taken = {name.lower() for name in options.get("add", ())}
        removed = draw(st.lists(NAMES, max_size=3))
        removed += [name.swapcase() for name in removed[: draw(st.integers(0, 1))]]
        options["remove"] = [name for name in removed if name.lower() not in taken]
    return options


@st.composite
def _near_headers(draw: t.Any, options: dict) -> dict:
    """Header options near those given: other cases, other orders, something left out, or kept by the mask."""
    found = copy.deepcopy(options)
    change = draw(st.sampled_from(("case", "order", "mask", "leave out", "swap", "value", "refused")))
    if change == "case":
        found = {
            field: {name.swapcase(): text for name, text in value.items()}
            if isinstance(value, dict)
            else [name.swapcase() for name in value]
            for field, value in found.items()
        }
    elif change == "order":
        for field, value in found.items():
            found[field] = dict(reversed(value.items())) if isinstance(value, dict) else value[::-1] + value[:1]
    elif change == "mask" and "add" in found:
        found["add"] = {name: draw(st.sampled_from((model.MASK, text))) for name, text in found["add"].items()}
    elif change == "leave out" and found:
        del found[draw(st.sampled_from(sorted(found)))]
    elif change == "swap":
        found = {"add": dict.fromkeys(found.get("remove", [])[:1], "x"), "remove": list(found.get("add", {}))}
        found["remove"] = [name for name in found["remove"] if name.lower() not in map(str.lower, found["add"])]
    elif change == "refused":  # by what is there: names in both, once what is left out is kept; nothing to keep
        found = draw(st.sampled_from(({"remove": list(found.get("add", {}))}, {"add": {"X-Nothing": model.MASK}})))
    elif found.get("add"):
        name = draw(st.sampled_from(sorted(found["add"])))
        found["add"][name] = MARKER if model.is_secret(name) else draw(HEADER_VALUES)
    return found


# Configurations


def _values(field: facts.Field) -> st.SearchStrategy:
    """The values of a field that stands for itself."""
    if field.compare is facts.as_json:
        return policies().flatmap(spelled)
    if field.secret:
        return TEXTS.map(lambda text: MARKER + text)
    listed = [st.sampled_from(field.values)] if field.values else []
    if field.pattern:
        listed.append(st.from_regex(re.compile(field.pattern, re.ASCII), fullmatch=True))
    if field.collection:
        listed += [st.sampled_from(["%s%d" % (field.prefix, number) for number in (1, 2, 3)]), _BODY_IDS]
    assert listed, "tests/facts.py gives no values, pattern, collection or secret for %s: add one there" % field.name
    one = st.one_of(*listed)
    return st.lists(one, max_size=5).flatmap(_repeated) if field.compare is facts.as_set else one


def _repeated(listed: list) -> st.SearchStrategy:
    """The same list in any order, with some of it once more."""
    return st.tuples(st.permutations(listed), st.integers(0, 2)).map(lambda both: both[0] + listed[: both[1]])


@st.composite
def _near(draw: t.Any, field: facts.Field, value: t.Any) -> t.Any:
    """A value near another one, often equal to it."""
    if field.compare is facts.as_set:
        return draw(_repeated(value))
    if field.compare is facts.as_json:
        document = value if isinstance(value, dict) else json.loads(value)
        masked = policy_secrets.masked(document)
        near = (st.just(respelled(document)), _edited(document).map(marked), st.just(masked), _edited(masked))
        return draw(spelled(draw(st.one_of(*near))))
    if field.secret:
        return draw(st.sampled_from((value, value + " ", model.MASK)))
    return value


@st.composite
def _plain_options(draw: t.Any, fields: tuple[facts.Field, ...], near: dict | None) -> dict:
    """The options of fields that do not depend on one another, but for those that must be null."""
    options: dict = {}
    for field in fields:
        if field.null_where and options.get(field.null_where[0]) == field.null_where[1]:
            continue
        if not field.required and draw(st.booleans()):
            continue
        if near is None:
            options[field.name] = draw(_values(field))
        elif field.name in near:
            options[field.name] = draw(_near(field, near[field.name]))
    return options


@st.composite
def configurations(draw: t.Any, module: str, near: dict | None = None) -> dict:
    """Valid options of a module; often near to others, where these are given."""
    close = near is not None and draw(st.booleans())
    fields = facts.of(module).fields
    if any(field.compare is facts.as_headers for field in fields):
        secret = draw(st.lists(NAMES, max_size=2))
        without = {key: value for key, value in (near or {}).items() if key in ("add", "remove")}
        options = draw(_near_headers(without) if close else _header_options())
        if secret:
            options["secret_headers"] = secret
    else:
        options = draw(_plain_options(fields, near if close else None))
    if any(field.compare is facts.as_json for field in fields) and draw(st.booleans()):
        keys = ("PIN", "content", "name", "type", "config", "n")
        options["secret_keys"] = draw(st.lists(st.sampled_from(keys), max_size=2))
        options["secret_headers"] = draw(st.lists(st.sampled_from(_KNOWN_NAMES), max_size=2))
    if not draw(st.integers(0, 2)):
        options["enabled"] = draw(st.booleans())
    elif near is not None and close and "enabled" in near:
        options["enabled"] = near["enabled"]
    return options


SERVICES = st.fixed_dictionaries(
    {
        "not_set": st.sampled_from(("404", "204", "empty", "null", "{}")),
        "delete_not_set": st.sampled_from(("404", "204")),
        "policy_form": st.sampled_from(("normalized", "echo", "indented")),
        "header_names": st.sampled_from(("as_sent", "lower")),
        "remove_order": st.sampled_from(("as_sent", "reversed", "sorted")),
        "ip_policy_order": st.sampled_from(("as_sent", "reversed")),
        "empty_fields": st.sampled_from(("kept", "omitted", "null")),
        "default_min_version": st.sampled_from((None, "1.2", "1.3")),
        "base_path": st.sampled_from(("", "/edge/v1")),
    }
)
ECHO = {"policy_form": "echo", "default_min_version": None}
ECHO.update(header_names="as_sent", remove_order="as_sent", ip_policy_order="as_sent", empty_fields="kept")


def echoes(service: dict) -> bool:
    """Whether a service answers to the letter what was sent."""
    return all(service[name] == value for name, value in ECHO.items())


@dataclass(frozen=True)
class Pair:
    """Two configurations of one edge module, and a service that holds first the one, then the other."""

    module: str
    owner: dict[str, str]
    a: dict[str, t.Any]
    b: dict[str, t.Any]
    service: dict[str, t.Any]

    @property
    def path(self) -> str:
        return facts.of(self.module).path_of(self.owner)


@st.composite
def pairs(draw: t.Any, module: str) -> Pair:
    owner = {option: draw(ids(prefix)) for option, prefix in facts.of(module).prefixes.items()}
    service = draw(SERVICES)
    if draw(st.booleans()):
        service = {**service, **ECHO}
    a = draw(configurations(module))
    return Pair(module, owner, a, draw(configurations(module, near=a)), service)
