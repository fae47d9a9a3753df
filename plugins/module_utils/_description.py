# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of a description: all that the engine needs to know of an edge module. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Flag, Rule


class Field(t.NamedTuple):
    """One field of an edge module.

    `name` is the option and the field of a PUT; `answered_as` the field of an answer where that is another.
    `null_where` names a field and the value of it with which this one must be null.
    """

    name: str
    rule: Rule
    spec: dict[str, t.Any]
    required: bool = False
    answered_as: str = ""
    null_where: tuple[str, str] | None = None

    @property
    def answer_key(self) -> str:
        return self.answered_as or self.name


class Kind(t.NamedTuple):
    """A kind of edge. `option` is its list in edge_modules; prefixes are those of its ids."""

    option: str
    edge_prefix: str
    route_prefix: str | None = None


TCP = Kind("tcp_edges", "edgtcp_")
TLS = Kind("tls_edges", "edgtls_")
HTTPS = Kind("https_edges", "edghts_", "edghtsrt_")

ENABLED = Field("enabled", Flag(), dict(type="bool", default=True))


class Description(t.NamedTuple):
    """An edge module. `entry` is its name within an edge; `path` holds the places of the ids.

    `goes_first` is set where other modules of the edge depend on this one; `conflicts` takes a mapping of
    field names to values and yields (field, message) for what cannot stand together: the message says the rest of a
    sentence whose subject is the field.
    """

    name: str
    entry: str
    kind: Kind
    path: str
    own_fields: tuple[Field, ...]
    goes_first: bool = False
    conflicts: t.Callable[[dict[str, t.Any]], t.Iterator[tuple[str, str]]] = lambda values: iter(())

    @property
    def fields(self) -> tuple[Field, ...]:
        return (ENABLED,) + self.own_fields

    @property
    def secret_fields(self) -> tuple[Field, ...]:
        """The fields that may hold secrets."""
        return tuple(each for each in self.own_fields if each.rule.holds_secrets)

    def path_of(self, edge_id: str, route_id: str | None = None) -> str:
        return self.path.format(edge_id=edge_id, route_id=route_id)
