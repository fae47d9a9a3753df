# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What in a traffic policy is secret, and what a mask given back keeps: from the documentation alone."""

from __future__ import annotations

import copy
import json
import typing as t

import facts

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"

# What the name of a secret header holds, and how that of a secret key ends.
WORDS = ("auth", "cookie", "token", "secret", "passw", "api-key", "apikey", "access-key", "credential", "session")
WORDS += ("signature",)
ENDS = ("password", "passwd", "secret", "credential", "credentials", "token", "authorization")
ENDS += ("private-key", "api-key", "access-key")


class NothingToKeep(Exception):
    """A mask stands where the service holds nothing, or where several items of a list fit."""


def _plain(name: str) -> str:
    return name.replace("_", "-").lower().strip()


def is_secret_header(name: str, named: t.Iterable[str] = ()) -> bool:
    plain = _plain(name)
    return plain in map(_plain, named) or plain[-4:] == "-key" or any(word in plain for word in WORDS)


def is_secret_key(name: str, named: t.Iterable[str] = ()) -> bool:
    return _plain(name) in map(_plain, named) or any(_plain(name).endswith(end) for end in ENDS)


def places(policy: t.Any, headers: t.Iterable[str] = (), keys: t.Iterable[str] = ()) -> list[tuple]:
    """The paths of all secrets in a policy; none lies below another."""
    found = []
    todo: list[tuple[tuple, t.Any, bool]] = [((), policy, False)]
    while todo:
        path, node, among = todo.pop()
        if isinstance(node, list):
            # The second of two in a list within a list of headers: [["Cookie", "..."]].
            pair = among and len(node) == 2 and isinstance(path[-1], int) and isinstance(node[0], str)
            pair = pair and is_secret_header(node[0], headers)
            for index, child in enumerate(node):
                if index == 1 if pair else among and _is_line(child, headers):
                    found.append((*path, index))
                else:
                    todo.append(((*path, index), child, among))
        elif isinstance(node, dict):
            action = isinstance(node.get("type"), str) and "header" in node["type"].lower()
            for key, child in node.items():
                told = is_secret_key(key, keys) or (among and is_secret_header(key, headers))
                below = "header" in _plain(key)
                if told or _beside_a_name(node, key, among, headers, keys) or (below and _is_line(child, headers)):
                    found.append((*path, key))
                else:
                    todo.append(((*path, key), child, among or action or below))
    return found


def _is_line(text: t.Any, headers: t.Iterable[str]) -> bool:
    """Whether a text holds a line such as `Cookie: ...`."""
    lines = text.replace("=", ":").split("\n") if isinstance(text, str) else []
    names = [line.split(":")[0].strip() for line in lines if ":" in line]
    return any(len(name.split()) == 1 and is_secret_header(name, headers) for name in names)


def _beside_a_name(node: dict, key: str, among: bool, headers: t.Iterable[str], keys: t.Iterable[str]) -> bool:
    """Whether a value stands beside a text that names it, as in `{name: Cookie, value: ...}`."""
    if not _plain(key).endswith(("value", "values")):
        return False
    for other, name in node.items():
        if isinstance(name, str) and _plain(other) in ("name", "key", "header", "header-name"):
            if is_secret_key(name, keys) or ((among or "header" in _plain(other)) and is_secret_header(name, headers)):
                return True
    return False


def change(policy: t.Any, function: t.Callable[[t.Any], t.Any], *names: t.Iterable[str]) -> t.Any:
    """A policy with a function of each secret in place of the secret."""
    policy = copy.deepcopy(policy)
    for *parents, last in places(policy, *names):
        owner = policy
        for key in parents:
            owner = owner[key]
        owner[last] = function(owner[last])
    return policy


def masked(policy: t.Any, *names: t.Iterable[str]) -> t.Any:
    return change(policy, lambda secret: MASK, *names)


def kept(wanted: t.Any, held: t.Any) -> t.Any:
    """A policy with what the service holds in place of its masks; Ellipsis stands for nothing.

    :raises NothingToKeep: it is not clear what a mask keeps.
    """
    if wanted == MASK:
        if held is Ellipsis:
            raise NothingToKeep
        return held
    if isinstance(wanted, dict):
        return {
            key: kept(value, held.get(key, ...) if isinstance(held, dict) else ...) for key, value in wanted.items()
        }
    if isinstance(wanted, list):
        items = held if isinstance(held, list) else []
        if _equal_apart_from_masks(wanted, items):
            return [kept(one, other) for one, other in zip(wanted, items)]
        return [_kept_item(one, items) for one in wanted]
    return wanted


def _kept_item(wanted: t.Any, items: list) -> t.Any:
    if MASK not in json.dumps(wanted):
        return wanted
    fitting = [one for one in items if _equal_apart_from_masks(wanted, one)]
    if len(fitting) != 1:
        raise NothingToKeep
    return kept(wanted, fitting[0])


def _equal_apart_from_masks(wanted: t.Any, held: t.Any) -> bool:
    if wanted == MASK:
        return True
    if isinstance(wanted, dict) and isinstance(held, dict):
        return set(wanted) == set(held) and all(_equal_apart_from_masks(wanted[key], held[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(held, list):
        return len(wanted) == len(held) and all(map(_equal_apart_from_masks, wanted, held))
    if isinstance(wanted, (dict, list)) or isinstance(held, (dict, list)):
        return False
    return facts.as_json(json.dumps(wanted)) == facts.as_json(json.dumps(held))
