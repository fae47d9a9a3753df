# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task should do, judged from the documentation alone: no line here comes from the collection.

A configuration is a dict of options with every field in it (C(Held)); None stands for one that is not set.
"""

from __future__ import annotations

import copy
import fractions
import json
import typing as t

MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
CHANGED_MASK = MASK + " (changed)"

Held = dict[str, t.Any]

# Of every module: its path, and its own fields, each with its name in an answer and what it is when empty.
PATHS = {
    "tcp_edge_backend": "/edges/tcp/{edge_id}/backend",
    "tls_edge_ip_restriction": "/edges/tls/{edge_id}/ip_restriction",
    "tls_edge_tls_termination": "/edges/tls/{edge_id}/tls_termination",
    "https_edge_route_traffic_policy": "/edges/https/{edge_id}/routes/{route_id}/traffic_policy",
    "https_edge_route_request_headers": "/edges/https/{edge_id}/routes/{route_id}/request_headers",
}
FIELDS: dict[str, dict[str, tuple[str, t.Any]]] = {
    "tcp_edge_backend": {"backend_id": ("backend", None)},
    "tls_edge_ip_restriction": {"ip_policy_ids": ("ip_policies", [])},
    "tls_edge_tls_termination": {"terminate_at": ("terminate_at", None), "min_version": ("min_version", None)},
    "https_edge_route_traffic_policy": {"value": ("value", None)},
    "https_edge_route_request_headers": {"add": ("add", {}), "remove": ("remove", [])},
}
MODULES = tuple(PATHS)
# The place of every module in edge_modules: the list of edges, and the key of its entry.
ENTRIES = {
    "tcp_edge_backend": ("tcp_edges", "backend"),
    "tls_edge_ip_restriction": ("tls_edges", "ip_restriction"),
    "tls_edge_tls_termination": ("tls_edges", "tls_termination"),
    "https_edge_route_traffic_policy": ("https_edges", "traffic_policy"),
    "https_edge_route_request_headers": ("https_edges", "request_headers"),
}

_SECRET_WORDS = ("auth", "cookie", "token", "secret", "passw", "api-key", "apikey", "access-key", "credential")
_SECRET_WORDS += ("session", "signature")


_SECRET_ENDS = ("password", "passwd", "secret", "credential", "credentials", "token", "authorization")
_SECRET_ENDS += ("private-key", "api-key", "access-key")


def _plain(name: str) -> str:
    return name.replace("_", "-").lower().strip()


def is_secret(name: str, named: t.Iterable[str] = ()) -> bool:
    """Whether the value of a header is secret."""
    plain = _plain(name)
    return plain in map(_plain, named) or plain[-4:] == "-key" or any(word in plain for word in _SECRET_WORDS)


def is_secret_key(name: str, named: t.Iterable[str] = ()) -> bool:
    """Whether what stands under a key of a policy is secret."""
    return _plain(name) in map(_plain, named) or any(_plain(name).endswith(end) for end in _SECRET_ENDS)


def secret_places(policy: t.Any, headers: t.Iterable[str] = (), keys: t.Iterable[str] = ()) -> list[tuple]:
    """The paths of all secrets in a policy; none lies below another."""
    found = []
    todo: list[tuple[tuple, t.Any, bool]] = [((), policy, False)]
    while todo:
        path, node, among = todo.pop()
        if isinstance(node, list):
            for index, child in enumerate(node):
                pair = len(path) and among and len(node) == 2 and index == 1 and isinstance(path[-1], int)
                if (pair and isinstance(node[0], str) and is_secret(node[0], headers)) or (
                    among and _is_line(child, headers) and not (pair or isinstance(path[-1], int) and len(node) == 2)
                ):
                    found.append((*path, index))
                else:
                    todo.append(((*path, index), child, among))
        elif isinstance(node, dict):
            action = isinstance(node.get("type"), str) and "header" in node["type"].lower()
            for key, child in node.items():
                told = is_secret_key(key, keys) or (among and is_secret(key, headers))
                below = _plain(key).endswith(("header", "headers"))
                if told or _beside_a_name(node, key, among, headers, keys) or (below and _is_line(child, headers)):
                    found.append((*path, key))
                else:
                    todo.append(((*path, key), child, among or action or below))
    return found


def _is_line(text: t.Any, headers: t.Iterable[str]) -> bool:
    """Whether a text holds a line such as C(Cookie: ...)."""
    lines = text.split("\n") if isinstance(text, str) else []
    names = [line.split(":")[0].strip() for line in lines if ":" in line]
    return any(len(name.split()) == 1 and is_secret(name, headers) for name in names)


def _beside_a_name(node: dict, key: str, among: bool, headers: t.Iterable[str], keys: t.Iterable[str]) -> bool:
    """Whether a value stands beside a text that names it, as in C({name: Cookie, value: ...})."""
    if not _plain(key).endswith(("value", "values")):
        return False
    for other, name in node.items():
        if isinstance(name, str) and _plain(other) in ("name", "key", "header", "header-name"):
            if is_secret_key(name, keys) or ((among or "header" in _plain(other)) and is_secret(name, headers)):
                return True
    return False


def masked_policy(policy: t.Any, headers: t.Iterable[str] = (), keys: t.Iterable[str] = ()) -> t.Any:
    policy = copy.deepcopy(policy)
    for *parents, last in secret_places(policy, headers, keys):
        owner = policy
        for key in parents:
            owner = owner[key]
        owner[last] = MASK
    return policy


def exact(node: t.Any) -> t.Any:
    """A JSON value in a form in which equal ones are equal: 1 and 1.0 are, 1 and true and "1" are not."""
    if isinstance(node, dict):
        return "object", frozenset((key, exact(value)) for key, value in node.items())
    if isinstance(node, list):
        return "list", tuple(exact(value) for value in node)
    if isinstance(node, (bool, str)) or node is None:
        return type(node).__name__, node
    return "number", fractions.Fraction(node)


def form(field: str, value: t.Any) -> t.Any:
    """A field's value in the form in which equal ones are equal."""
    if field == "ip_policy_ids" and value is not None:
        return frozenset(value)
    if field == "value" and value is not None:
        return exact(json.loads(value) if isinstance(value, str) else value)
    if field == "add" and value is not None:
        return frozenset((name.lower(), text) for name, text in value.items())
    if field == "remove" and value is not None:
        return frozenset(name.lower() for name in value)
    return value


def forms(held: Held | None) -> Held | None:
    return None if held is None else {field: form(field, value) for field, value in held.items()}


def from_answer(module: str, answer: dict | None) -> Held | None:
    """What an answer of the service says, as options; a field that is missing or null is an empty one."""
    if answer is None:
        return None
    held: Held = {"enabled": answer.get("enabled") is not False}
    for field, (key, empty) in FIELDS[module].items():
        value = answer.get(key)
        if value is None:
            value = empty
        elif field == "backend_id":
            value = value["id"]
        elif field == "ip_policy_ids":
            value = [ref["id"] for ref in value]
        held[field] = value
    return held


def masked(held: Held | None, named: t.Iterable[str] = (), keys: t.Iterable[str] = ()) -> Held | None:
    """The same with the values of secret headers, and the secrets of a policy, as they may be shown."""
    if held is not None and held.get("value") is not None:
        policy = json.loads(held["value"]) if isinstance(held["value"], str) else held["value"]
        return {**held, "value": masked_policy(policy, named, keys)}
    if held is None or "add" not in held:
        return held
    shown = {
        name: MASK if is_secret(name, named) or value == CHANGED_MASK else value for name, value in held["add"].items()
    }
    return {**held, "add": shown}


class Refused(Exception):
    """The task has to fail, and to change nothing."""


def named_fields(module: str, options: dict) -> Held:
    """The fields that a task names, as values: C(enabled) it always names."""
    found: Held = {"enabled": True if options.get("enabled") is None else options["enabled"]}
    for field in FIELDS[module]:
        if options.get(field) is not None:
            found[field] = options[field]
    if "add" in found:
        found["add"] = {name: str(value) for name, value in found["add"].items()}
    return found


def kept(wanted: t.Any, held: t.Any) -> t.Any:
    """A policy with what the service holds in place of its masks.

    :raises Refused: the service holds nothing at that place, or several items of a list fit.
    """
    if wanted == MASK:
        if held is Ellipsis:
            raise Refused("nothing to keep")
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
        raise Refused("%d items fit" % len(fitting))
    return kept(wanted, fitting[0])


def _equal_apart_from_masks(wanted: t.Any, held: t.Any) -> bool:
    if wanted == MASK:
        return True
    if isinstance(wanted, dict) and isinstance(held, dict):
        return set(wanted) == set(held) and all(_equal_apart_from_masks(wanted[key], held[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(held, list):
        return len(wanted) == len(held) and all(map(_equal_apart_from_masks, wanted, held))
    return exact(wanted) == exact(held)


def outcome(module: str, options: dict, held: Held | None) -> tuple[str, Held | None]:
    """What a task does, and what the service holds then: C(held) is what GET gives before.

    :raises Refused: it has to fail.
    """
    if options.get("state") == "absent":
        return ("none", None) if held is None else ("delete", None)
    named = named_fields(module, options)
    after: Held = {"enabled": named["enabled"]}
    for field, (dummy, empty) in FIELDS[module].items():
        current = empty if held is None else held[field]
        value = named.get(field, current)
        if field == "add":
            there = {name.lower(): text for name, text in current.items()}
            for name, text in value.items():
                if text == MASK and name.lower() not in there:
                    raise Refused(name)
            if field in named:
                value = {name: there[name.lower()] if text == MASK else text for name, text in value.items()}
        if field == "value" and MASK in json.dumps(value):
            wanted = json.loads(value) if isinstance(value, str) else value
            value = kept(wanted, json.loads(current) if isinstance(current, str) else current)
        after[field] = value
    if after.get("terminate_at") == "upstream":
        after["min_version"] = None
    if held is not None and all(form(field, held[field]) == form(field, after[field]) for field in named):
        return "none", held
    if held is not None and "add" in after:
        if {name.lower() for name in after["add"]} & {name.lower() for name in after["remove"]}:
            raise Refused("a name in both")
    return "replace", after
