# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every edge module is: one table, written by hand from the documentation of the service.

Everything in tests/ that goes over the edge modules reads it, the simulator too. It imports nothing from plugins/: the
tests judge the collection by it, so it must not be made from the collection.
"""

from __future__ import annotations

import fractions
import json
import typing as t
from dataclasses import dataclass

# The lists of edge_modules, and how the ids of what they list begin.
EDGES: dict[str, dict[str, str]] = {
    "tcp_edges": {"edge_id": "edgtcp_"},
    "tls_edges": {"edge_id": "edgtls_"},
    "https_edges": {"edge_id": "edghts_", "route_id": "edghtsrt_"},
}

# How the values of a field are compared: each function gives a form in which equal values are equal.


def same(value: t.Any) -> t.Any:
    """The same value."""
    return value


def as_set(value: list[str]) -> t.Any:
    """Order and repeats decide nothing."""
    return frozenset(value)


def as_json(value: t.Any) -> t.Any:
    """The same JSON, be it written as text or not: 1 and 1.0 are the same, 1 and true and "1" are not."""
    return _exact(json.loads(value) if isinstance(value, str) else value)


def _exact(node: t.Any) -> t.Any:
    if isinstance(node, dict):
        return "object", frozenset((key, _exact(value)) for key, value in node.items())
    if isinstance(node, list):
        return "list", tuple(_exact(value) for value in node)
    if isinstance(node, (bool, str)) or node is None:
        return type(node).__name__, node
    return "number", fractions.Fraction(node)


def as_headers(value: dict[str, str]) -> t.Any:
    """Headers by name: the case of a name and white space around a value decide nothing, the case of a value does."""
    return frozenset((name.lower(), text.strip(" \t")) for name, text in value.items())


def as_header_names(value: list[str]) -> t.Any:
    """A set of names of headers, whatever their case."""
    return frozenset(name.lower() for name in value)


@dataclass(frozen=True)
class Field:
    """One field beside `enabled`: `name` is its option and its name in a PUT.

    `answered_as` is its name in an answer where that is another; `empty` what it is where nothing was ever named.
    `collection` is where the resources are found whose ids it holds, and `prefix` how these ids begin; an answer then
    holds references.
    `null_where` names a field and the value of it with which this one must be null.
    `null_option` is the option that asks for null, if there is one: then null is read as it.
    `secret` is set where all of it is secret: the mask may stand for it.
    `service_default` is the option of the simulator that says what the service puts in place of null.
    Random tests draw from `values`, and from the texts that match `pattern`.
    """

    name: str
    answered_as: str = ""
    empty: t.Any = None
    compare: t.Callable[[t.Any], t.Any] = same
    required: bool = False
    collection: str = ""
    prefix: str = ""
    null_where: tuple[str, str] | None = None
    null_option: str = ""
    secret: bool = False
    service_default: str = ""
    values: tuple = ()
    pattern: str = ""

    @property
    def answer_key(self) -> str:
        return self.answered_as or self.name

    @property
    def holds_secrets(self) -> bool:
        """Whether all of it or parts of it may be secret."""
        return self.secret or self.compare in (as_json, as_headers, as_header_names)

    def form(self, value: t.Any) -> t.Any:
        """A value in the form in which equal ones are equal; None is equal to None alone."""
        return None if value is None else self.compare(value)


@dataclass(frozen=True)
class Sample:
    """`a` and `b` are options of a task; `stored_a` and `stored_b` what the service holds after a PUT of them."""

    a: dict[str, t.Any]
    b: dict[str, t.Any]
    stored_a: dict[str, t.Any]
    stored_b: dict[str, t.Any]
    title: str = ""


@dataclass(frozen=True)
class EdgeModule:
    """One edge module. `edges` is its list in edge_modules, `entry` its key there.

    `numbered` gives options for the edge of any number, in as many versions as there are letters.
    `goes_first` is set where other modules of the same edge depend on this one.
    """

    path: str
    edges: str
    entry: str
    fields: tuple[Field, ...]
    samples: tuple[Sample, ...]
    numbered: t.Callable[[int, str], dict[str, t.Any]]
    goes_first: bool = False

    @property
    def prefixes(self) -> dict[str, str]:
        """How its ids begin, by their options."""
        return EDGES[self.edges]

    def ids(self, suffix: t.Any = 1) -> dict[str, str]:
        """The ids that a task needs."""
        return {option: "%s%s" % (prefix, suffix) for option, prefix in self.prefixes.items()}

    def path_of(self, ids: dict[str, str]) -> str:
        return self.path.format(**ids)


_RULE = {
    "name": "café <admin>",
    "expressions": ["req.url.path == '/admin' && req.content_length > 1"],
    "actions": [
        {"type": "custom-response", "config": {"status_code": 403, "headers": {"x": "1"}, "content": "nein"}},
        {"type": "deny", "config": {"status_code": 403}},
    ],
}
_POLICY_A = {"outbound": [], "inbound": [_RULE]}
_POLICY_B = {"inbound": [], "outbound": [{"name": "b", "actions": [{"type": "compress-response", "config": {}}]}]}


def _compact(document: t.Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


MODULES: dict[str, EdgeModule] = {
    "tcp_edge_backend": EdgeModule(
        path="/edges/tcp/{edge_id}/backend",
        edges="tcp_edges",
        entry="backend",
        fields=(
            Field(
                "backend_id",
                answered_as="backend",
                required=True,
                collection="backends/tunnel_group",
                prefix="bkdtg_",
            ),
        ),
        samples=(
            Sample(
                dict(backend_id="bkdtg_1"),
                dict(backend_id="bkdtg_2"),
                dict(enabled=True, backend_id="bkdtg_1"),
                dict(enabled=True, backend_id="bkdtg_2"),
            ),
        ),
        numbered=lambda number, letter: dict(backend_id="bkdtg_%s%d" % (letter, number)),
    ),
    "tls_edge_ip_restriction": EdgeModule(
        path="/edges/tls/{edge_id}/ip_restriction",
        edges="tls_edges",
        entry="ip_restriction",
        fields=(
            Field(
                "ip_policy_ids",
                answered_as="ip_policies",
                empty=[],
                compare=as_set,
                required=True,
                collection="ip_policies",
                prefix="ipp_",
            ),
        ),
        samples=(
            Sample(
                dict(ip_policy_ids=["ipp_b", "ipp_a", "ipp_b"]),
                dict(ip_policy_ids=["ipp_c", "ipp_a"]),
                dict(enabled=True, ip_policy_ids=["ipp_b", "ipp_a"]),
                dict(enabled=True, ip_policy_ids=["ipp_c", "ipp_a"]),
            ),
            Sample(
                dict(ip_policy_ids=[]),
                dict(ip_policy_ids=["ipp_a"], enabled=False),
                dict(enabled=True, ip_policy_ids=[]),
                dict(enabled=False, ip_policy_ids=["ipp_a"]),
                title="empty first",
            ),
        ),
        numbered=lambda number, letter: dict(ip_policy_ids=["ipp_%s%d" % (letter, number)]),
    ),
    "tls_edge_tls_termination": EdgeModule(
        path="/edges/tls/{edge_id}/tls_termination",
        edges="tls_edges",
        entry="tls_termination",
        goes_first=True,
        fields=(
            Field("terminate_at", required=True, values=("edge", "upstream")),
            Field(
                "min_version",
                null_where=("terminate_at", "upstream"),
                null_option="default",
                service_default="default_min_version",
                values=("1.2", "1.3"),
                pattern="(1?[0-9]|20)([.](1?[0-9]|20)){1,2}",
            ),
        ),
        samples=(
            Sample(
                dict(terminate_at="edge", min_version="1.2"),
                dict(terminate_at="edge", min_version="1.3"),
                dict(enabled=True, terminate_at="edge", min_version="1.2"),
                dict(enabled=True, terminate_at="edge", min_version="1.3"),
            ),
            Sample(
                dict(terminate_at="edge"),
                dict(terminate_at="upstream"),
                dict(enabled=True, terminate_at="edge", min_version=None),
                dict(enabled=True, terminate_at="upstream", min_version=None),
                title="version left to the service",
            ),
        ),
        numbered=lambda number, letter: dict(terminate_at="edge", min_version="1.%d" % (2 if letter == "a" else 3)),
    ),
    "https_edge_route_traffic_policy": EdgeModule(
        path="/edges/https/{edge_id}/routes/{route_id}/traffic_policy",
        edges="https_edges",
        entry="traffic_policy",
        fields=(Field("value", compare=as_json, required=True),),
        samples=(
            Sample(
                dict(value=_POLICY_A),
                dict(value=json.dumps(_POLICY_B, indent=1)),
                dict(enabled=True, value=_compact(_POLICY_A)),
                dict(enabled=True, value=_compact(_POLICY_B)),
            ),
        ),
        numbered=lambda number, letter: dict(
            value=dict(inbound=[dict(name=letter, actions=[dict(type="deny", config={})])])
        ),
    ),
    "https_edge_route_request_headers": EdgeModule(
        path="/edges/https/{edge_id}/routes/{route_id}/request_headers",
        edges="https_edges",
        entry="request_headers",
        fields=(
            Field("add", empty={}, compare=as_headers),
            Field("remove", empty=[], compare=as_header_names),
        ),
        samples=(
            Sample(
                dict(add={"X-Edge": "Frankfurt", "X-Count": 3}, remove=["X-Old", "X-Debug", "x-debug"]),
                dict(add={"X-Edge": "frankfurt"}, remove=["X-Debug"]),
                dict(enabled=True, add={"X-Edge": "Frankfurt", "X-Count": "3"}, remove=["X-Old", "X-Debug"]),
                dict(enabled=True, add={"X-Edge": "frankfurt"}, remove=["X-Debug"]),
            ),
            Sample(
                dict(),
                dict(add={"X-Empty": ""}, remove=["A"], enabled=False),
                dict(enabled=True, add={}, remove=[]),
                dict(enabled=False, add={"X-Empty": ""}, remove=["A"]),
                title="empty first",
            ),
        ),
        numbered=lambda number, letter: dict(add={"X-Edge": "%s%d" % (letter, number)}, remove=["X-Debug"]),
    ),
}


# How the ids of anything begin: of edges and routes, and of what edge modules refer to.
PREFIXES = {prefix for prefixes in EDGES.values() for prefix in prefixes.values()} | {
    field.prefix for module in MODULES.values() for field in module.fields if field.prefix
}


class NoFactsError(LookupError):
    """There is an edge module of which the table says nothing."""


def of(name: str) -> EdgeModule:
    """What an edge module is, by the name of its Ansible module."""
    try:
        return MODULES[name]
    except KeyError:
        raise NoFactsError("%s is not in tests/facts.py: add it there" % name) from None


def at(path: str) -> str:
    """The name of the edge module that a path such as /edges/tcp/edgtcp_1/backend belongs to."""
    parts = path.split("/")
    for name, module in MODULES.items():
        pattern = module.path.split("/")
        if len(parts) == len(pattern) and all(want[:1] == "{" or want == got for want, got in zip(pattern, parts)):
            return name
    raise NoFactsError("%s is the path of no edge module in tests/facts.py: add it there" % path)
