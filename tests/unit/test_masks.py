# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets within a document: where they stand, which ones changed, what a mask given back keeps."""

from __future__ import annotations

import copy
import json
import time

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _masks
from ansible_collections.edgeops.edges.plugins.module_utils._masks import NothingToKeepError
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames

NAMES = SecretNames(["X-Inner"], ["pin"])

# a document in which S stands for a secret, each in a place of its own; what says "open" is shown
S = "s3cret"
OPEN = "open"
PLACES = {
    "a header": {"headers": {"Authorization": S, "X-Plain": OPEN}},
    "a header of an action": {"actions": [{"type": "custom-response", "config": {"headers": {"Set-Cookie": S}}}]},
    "a key of a header": {"headers": {"Ocp-Apim-Subscription-Key": S, "x_functions_KEY": S, "Key": OPEN}},
    "a named header": {"headers": {"x_inner": S}, "X-Inner": OPEN},
    "headers by another case": {"Headers": {"cookie": S}, "HEADERS": {"Cookie": S}},
    "headers by a longer name": {"request_headers": {"Cookie": S}, "addHeaders": {"Cookie": S}},
    "rules of headers": {"header_rules": [{"op": "set", "name": "Cookie", "value": S}], "X-Header-Set": {"session": S}},
    "headers further down": {"headers": {"set": {"Cookie": S, "X": OPEN}, "remove": ["Cookie", "Authorization"]}},
    "headers as a list of objects": {"headers": [{"name": "Cookie", "value": S}, {"name": "Via", "value": OPEN}]},
    "headers as a list of objects with key": {"headers": [{"key": "X-Session", "value": S, "append": OPEN}]},
    "headers as a list of single ones": {"headers": [{"Cookie": S}, {"Via": OPEN}]},
    "headers as pairs": {"headers": [["Cookie", S], ["Via", OPEN]]},
    "several values of a header": {"headers": {"Cookie": S}, "more": {"headers": [{"name": "Cookie", "values": S}]}},
    "an action for headers": {"actions": [{"type": "add-headers", "config": {"Cookie": S, "Via": OPEN}}]},
    "an action for one header": {"actions": [{"type": "SetHeader", "config": {"name": "Cookie", "value": S}}]},
    "a key that says header": {"config": {"header": "Cookie", "value": S}},
    "a text of headers": {"actions": [{"headers": S.join(["Via: x\nCookie: ", ""])}]},
    "lines of headers": {"headers": [S.join(["Cookie: ", ""]), S.join(["cookie=", ""]), "Via: x", "Cookie"]},
    "cookies elsewhere": {"config": {"cookie": OPEN, "session": OPEN, "signature": OPEN, "auth": OPEN, "x-key": OPEN}},
    "keys": {"password": S, "client_secret": S, "CLIENT-SECRET": S, "clientSecret": S, "a": {"token": S}},
    "more keys": {"db_passwd": S, "credential": S, "private_key": S, "API_KEY": S, "access-key": S, " token ": S},
    "authorization anywhere": {"authorization": S, "proxy_authorization": S},
    "keys that only begin so": {"password_policy": OPEN, "token_url": OPEN, "secrets": OPEN, "key": OPEN},
    "a named key": {"PIN": S, "pins": OPEN, "a": [{"pin": S}]},
    "a whole list": {"credentials": S},
    "a name beside a value": {"env": [{"name": "DB_PASSWORD", "value": S}, {"name": "DB_HOST", "value": OPEN}]},
    "a list in a list": [[{"token": S}, [{"token": S}]]],
    "nothing": {"inbound": [], "outbound": None, "n": 1},
}


def _with(node, secret):
    """The document with another secret in every place of one."""
    if isinstance(node, dict):
        return {key: _with(child, secret) for key, child in node.items()}
    if isinstance(node, list):
        return [_with(child, secret) for child in node]
    if isinstance(node, str) and node.endswith(S):
        return secret if node == S else node.replace(S, str(secret))
    return node


def _masked(node):
    text = json.dumps(_with(node, "\0"))
    for start in ("Via: x\\nCookie: ", "Cookie: ", "cookie=", ""):
        text = text.replace(start + "\\u0000", MASK)
    return json.loads(text)


SECRETS = [S, 7, 1.5, True, None, "", [], ["a", {"b": "c"}], {"user": "a", "x": ["b"]}]


@pytest.mark.parametrize("secret", SECRETS, ids=repr)
@pytest.mark.parametrize("node", PLACES.values(), ids=list(PLACES))
def test_secrets_are_masked_where_they_stand(node, secret):
    given = _with(node, secret)
    before = copy.deepcopy(given)
    shown = _masks.mask(given, NAMES)
    assert shown == _masked(node)
    assert given == before
    assert json.dumps(shown).count(OPEN) == json.dumps(node).count(OPEN)
    # What is shown, given back, keeps what is held.
    assert json.dumps(_masks.keep(shown, given, "value")) == json.dumps(given)


@pytest.mark.parametrize("node", [node for node in PLACES.values() if S in json.dumps(node)], ids=str)
def test_a_secret_that_changes_shows_as_changed(node):
    old, new = _with(node, "0ld"), _with(node, "n3w")
    text = json.dumps(_masks.mask_after(old, new, NAMES))
    assert text.count(CHANGED_MASK) == json.dumps(node).count(S) and "n3w" not in text and "0ld" not in text
    assert _masks.mask_after(new, new, NAMES) == _masks.mask(new, NAMES)
    assert CHANGED_MASK not in json.dumps(_masks.mask_after(None, new, NAMES))
    assert _masks.mask_after("no JSON", new, NAMES) == _masks.mask(new, NAMES)


def test_secrets_that_a_document_holds():
    node = {"credentials": ["abc", {"x": 7, "y": None, "z": True}], "headers": {"Cookie": "d", "Via": "e"}}
    node["token"] = 1.5
    assert set(_masks.secret_texts(node, NAMES)) == {"abc", "7", "d", "1.5"}
    node = {"credentials": {"ann:pa55": True, "bob": {"k3y-1": 1}}, "x": {"y:z": 1}}
    assert set(_masks.secret_texts(node, NAMES)) == {"ann:pa55", "k3y-1", "1"}


def test_everything_is_secret_where_the_names_are_not_known():
    assert _masks.mask({"a": {"b": 1}, "c": "d"}, SecretNames(everything=True)) == {"a": MASK, "c": MASK}


# Lists: which item was which before.


def rule(name, secret, **more):
    return dict(name=name, headers={"Cookie": secret}, **more)


def _changes(before, after):
    return [one["headers"]["Cookie"] == CHANGED_MASK for one in _masks.mask_after(before, after, NAMES)]


LISTS = {
    "one of many": ([rule("a", 1), rule("b", 2)], [rule("a", 1), rule("b", 3)], [False, True]),
    "a new one before": ([rule("a", 1)], [rule("b", 2), rule("a", 1)], [False, False]),
    "a new one before a changed one": ([rule("a", 1)], [rule("b", 2), rule("a", 3)], [False, True]),
    "one less": ([rule("a", 1), rule("b", 2)], [rule("b", 2)], [False]),
    "one less, the other changed": ([rule("a", 1), rule("b", 2)], [rule("b", 3)], [True]),
    "another order": ([rule("a", 1), rule("b", 2)], [rule("b", 2), rule("a", 1)], [False, False]),
    "exchanged secrets": ([rule("a", 1), rule("a", 2)], [rule("a", 2), rule("a", 1)], [True, True]),
    "changed, and in another way": ([rule("a", 1, x=1)], [rule("a", 2, x=2)], [True]),
    "changed, and renamed": ([rule("a", 1)], [rule("b", 2)], [True]),
    "kept, and renamed": ([rule("a", 1)], [rule("b", 1)], [False]),
}


@pytest.mark.parametrize("before, after, changed", LISTS.values(), ids=list(LISTS))
def test_changes_in_lists(before, after, changed):
    assert _changes(before, after) == changed


def test_whatever_changes_shows():
    """Two documents that differ look different."""
    items = [rule(name, secret) for name in "ab" for secret in (1, 2)] + [{"token": [1]}, {"token": [2]}]
    lists = [[one, other, third] for one in items for other in items for third in ("y", items[0])]
    for before in lists[::7]:
        for after in lists:
            shown = json.dumps(_masks.mask_after(before, after, NAMES))
            assert (shown == json.dumps(_masks.mask(before, NAMES))) is (before == after), (before, after)


# A mask given back.


def test_a_mask_keeps_what_stands_at_its_place():
    held = {"inbound": [rule("a", "1"), rule("b", "2")], "x": {"token": "3"}, "password": ["4"]}
    wanted = {"x": {"token": MASK, "new": 1}, "inbound": [rule("b", MASK), rule("c", "5")], "password": MASK}
    assert _masks.keep(wanted, held, "value") == {
        "x": {"token": "3", "new": 1},
        "inbound": [rule("b", "2"), rule("c", "5")],
        "password": ["4"],
    }


def test_numbers_are_equal_as_they_are_compared():
    assert _masks.keep([rule("a", MASK, n=1), 0], [rule("a", "1", n=1.0)], "v") == [rule("a", "1", n=1.0 and 1), 0]
    with pytest.raises(NothingToKeepError):
        _masks.keep([rule("a", MASK, n=1), 0], [rule("a", "1", n=True)], "v")
    with pytest.raises(NothingToKeepError):
        _masks.keep([rule("a", MASK, n=1), 0], [rule("a", "1", n="1")], "v")


def test_a_list_that_was_not_edited_keeps_each_of_its_own():
    """Rules that are equal apart from their secrets are told apart by their places, as long as nothing moved."""
    held = [rule("a", "1"), rule("a", "2"), rule("a", "1")]
    assert _masks.keep([rule("a", MASK)] * 3, held, "value") == held


HELD = {
    "inbound": [rule("a", "1"), rule("a", "2"), rule("b", "3"), {"name": "c", "list": [{"token": 1}, {"token": 2}]}],
    "x": {"y": 1},
}
REFUSED = {
    "no such key": ({"token": MASK}, "value.token", "holds none"),
    "no such object": ({"z": {"token": MASK}}, "value.z.token", "holds none"),
    "no object there": ({"x": {"y": {"token": MASK}}}, "value.x.y.token", "holds none"),
    "a list where an object is": ({"x": [{"token": MASK}]}, "value.x[0].token", "holds none"),
    "an edited item": ({"inbound": [rule("b", MASK, x=1)]}, "value.inbound[0].headers.Cookie", "holds none"),
    "a new item": ({"inbound": [rule("b", "1"), rule("d", MASK)]}, "value.inbound[1].headers.Cookie", "holds none"),
    "several fit": ({"inbound": [rule("a", MASK)]}, "value.inbound[0].headers.Cookie", "2 items"),
    "several fit in an edited list": (
        {"inbound": [rule("a", MASK), rule("a", MASK), *HELD["inbound"][3:]]},
        "value.inbound[0].headers.Cookie",
        "2 items",
    ),
    "an edited list within": (
        {"inbound": [{"name": "c", "list": [{"token": MASK}]}]},
        "value.inbound[0].list[0].token",
        "holds none",
    ),
    "an item that is a mask": ({"inbound": [MASK, 1]}, "value.inbound[0]", "4 items"),
}


@pytest.mark.parametrize("wanted, where, reason", REFUSED.values(), ids=list(REFUSED))
def test_a_mask_with_nothing_to_keep(wanted, where, reason):
    with pytest.raises(NothingToKeepError) as caught:
        _masks.keep(wanted, HELD, "value")
    assert str(caught.value).startswith(where + " is the mask") and reason in str(caught.value)


@pytest.mark.parametrize("held", [None, "no JSON", [], 1])
def test_a_mask_where_nothing_is_set(held):
    with pytest.raises(NothingToKeepError, match="value.a.token"):
        _masks.keep({"a": {"token": MASK}}, held, "value")
    assert _masks.keep({"a": 1}, held, "value") == {"a": 1}


def test_masks_that_are_none():
    node = {"a": [CHANGED_MASK, {"b": "Bearer " + MASK}], "c": MASK, "d": 1}
    first, second = _masks.faults(node, "value")
    assert first.startswith("value.a[0] is the mark of a diff")
    assert second.startswith("value.a[1].b contains a mask within other text")
    assert list(_masks.faults({"c": MASK}, "value")) == []


def test_long_documents_take_little_time():
    rules = [rule("rule %d" % number, "secret %d" % number, x=["y"] * 10) for number in range(1000)]
    other = [rule("rule %d" % number, "other %d" % number, x=["z"] * 10) for number in range(1000)]
    started = time.process_time()
    shown = _masks.mask(rules, NAMES)
    assert _masks.keep(shown, rules, "value") == rules
    assert _masks.keep(shown[::-1], rules, "value") == rules[::-1]
    assert json.dumps(_masks.mask_after(rules, other, NAMES)).count(CHANGED_MASK) == 1000
    assert list(_masks.faults(rules, "value")) == []
    assert time.process_time() - started < 10
