# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to jobs: one edge module, what is wanted of it, every check made. Private to this collection."""

from __future__ import annotations

import functools
import json
import re
import typing as t
from dataclasses import dataclass, field

from ansible_collections.edgeops.edges.plugins.module_utils._compare import Reference
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import place, shorten


@dataclass
class Job:
    """One edge module to reconcile. C(wanted) holds the fields that the task names; None for absent.

    C(secrets) is shared by all the jobs of a task: the service may quote one's secret in an error about another.
    """

    description: Description
    edge_id: str
    route_id: str | None
    wanted: dict[str, t.Any] | None = None
    secret: SecretNames = field(default_factory=SecretNames)
    where: str = ""
    secrets: Secrets = field(default_factory=Secrets)

    @property
    def path(self) -> str:
        return self.description.path_of(self.edge_id, self.route_id)

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.description.name, self.edge_id, self.route_id)))

    def learn(self, values: dict[str, t.Any] | None) -> None:
        """Note the secrets among the values, so that no message quotes them."""
        for name in self.description.secret_fields:
            self.secrets.add(self.secret.values((values or {}).get(name)))

    def hide(self, text: str) -> str:
        """Return a text of the service's without the secrets of the task."""
        if self.description.secret_fields:
            text = self.secret.hide_pairs(text)
        return self.secrets.scrub(text)


@functools.lru_cache(maxsize=1)
def id_prefixes() -> frozenset[str]:
    """Every prefix that says what an id is of (edge-api.md, section 2, Identifier shapes)."""
    # Here, since an id with the right prefix needs no list of the others, nor a module the code of the others then.
    from ansible_collections.edgeops.edges.plugins.module_utils import _registry

    prefixes: set[str | None] = set()
    for each in _registry.DESCRIPTIONS:
        prefixes.update((each.kind.edge_prefix, each.kind.route_prefix))
        prefixes.update(one.rule.prefix for one in each.own_fields if isinstance(one.rule, Reference))
    return frozenset(filter(None, prefixes))


def id_faults(value: str, where: str, prefix: str) -> t.Iterator[str]:
    """Yield what is wrong with the id of an edge or route: it becomes part of a path."""
    if not re.fullmatch(r"[A-Za-z0-9_.~-]+", value) or value in (".", ".."):
        if not value.strip():
            yield "%s must not be blank" % where
        else:
            yield "%s may hold letters, digits, _, -, . and ~ only, not %s" % (where, shorten(json.dumps(value), 80))
        return
    if value.startswith(prefix):
        return
    for other in id_prefixes():
        if value.startswith(other):
            # The service would answer 404, and "absent" would look done.
            yield "%s names another kind of resource: %s begins with %s, not with %s" % (
                where,
                shorten(value, 80),
                other,
                prefix,
            )


def make_job(
    description: Description,
    edge_id: str,
    route_id: str | None,
    options: dict[str, t.Any],
    secret_headers: t.Iterable[str] = (),
    where: str = "",
    secrets: Secrets | None = None,
) -> tuple[Job, list[str]]:
    """Return the job that validated options ask for, and what is wrong with them.

    :param options: those of an edge module; an option that is missing or None is left out.
    :param where: the place of the options in the input, empty for the top.
    """
    secret = SecretNames(list(secret_headers) + list(options.get("secret_headers") or ()))
    job = Job(description, edge_id, route_id, None, secret, where, secrets or Secrets())
    if options.get("state") == "absent":
        return job, []
    found: list[str] = []
    wanted: dict[str, t.Any] = {}
    for each in description.fields:
        option = options.get(each.name)
        if option is None:
            continue
        wrong = list(each.rule.faults(option, place(where, each.name)))
        if each.null_where and options.get(each.null_where[0]) == each.null_where[1]:
            wrong.append("%s must be left out when %s is %s" % ((place(where, each.name),) + each.null_where))
        found.extend(wrong)
        if not wrong:
            wanted[each.name] = each.rule.parse(option)
    if not found:
        found.extend("%s: %s" % (place(where, name), message) for name, message in description.conflicts(wanted))
    wanted.setdefault("enabled", True)
    job.wanted = wanted
    job.learn(wanted)
    return job, found
