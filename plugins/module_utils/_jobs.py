# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to jobs: one edge module, what is wanted of it, every check made. Private to this collection."""

from __future__ import annotations

import functools
import json
import re
import typing as t
from dataclasses import dataclass, field

from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Reference
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import place, shorten


@dataclass
class Job:
    """One edge module to reconcile. `wanted` holds the fields that the task names; None for absent.

    `name` is what people call the edge or route. `secret_values` is shared by all the jobs of a task: the service may
    quote one's secret in an error about another.
    """

    description: Description
    edge_id: str
    route_id: str | None
    wanted: dict[str, t.Any] | None = None
    name: str | None = None
    secret_names: SecretNames = field(default_factory=SecretNames)
    secret_values: Secrets = field(default_factory=Secrets)

    @property
    def path(self) -> str:
        return self.description.path_of(self.edge_id, self.route_id)

    @property
    def key(self) -> str:
        """What names the edge module among all of a service."""
        return " ".join(filter(None, (self.description.name, self.edge_id, self.route_id)))

    @property
    def title(self) -> str:
        """What names it in a message."""
        name = shorten(self.name or "", 80)
        return "%s (%s)" % (self.key, name) if name else self.key

    def learn(self, values: dict[str, t.Any] | None) -> None:
        """Note the secrets among the values, so that no message quotes them."""
        for each in self.description.secret_fields:
            if values and values.get(each.name) is not None:
                self.secret_values.add(each.rule.secret_values(values[each.name], self.secret_names))

    def hide(self, text: str) -> str:
        """Return a text of the service's without the secrets of the task."""
        if self.description.secret_fields:
            text = self.secret_names.hide_pairs(text)
        return self.secret_values.scrub(text)

    def hide_values(self, node: t.Any) -> t.Any:
        """Return what the service answered, of no known form, without the secrets in it."""
        # Rarely needed: a module in a process of its own compiles all that it imports.
        from ansible_collections.edgeops.edges.plugins.module_utils import _masks

        return self._scrubbed(_masks.mask(node, self.secret_names))

    def _scrubbed(self, node: t.Any) -> t.Any:
        if isinstance(node, dict):
            return {self._scrubbed(key): self._scrubbed(child) for key, child in node.items()}
        if isinstance(node, list):
            return [self._scrubbed(child) for child in node]
        return self.secret_values.scrub(node, short_ones=False) if isinstance(node, str) else node


def make_job(
    description: Description,
    edge_id: str,
    route_id: str | None,
    options: dict[str, t.Any],
    secret_names: SecretNames | None = None,
    secret_values: Secrets | None = None,
    name: str | None = None,
) -> Job:
    """Return the job that options ask for in which there is no fault.

    :param options: those of an edge module; an option that is missing or None is left out.
    :param secret_names: those of the task; the options may add further ones.
    """
    secret_names = (secret_names or SecretNames()).further(options.get("secret_headers"), options.get("secret_keys"))
    job = Job(description, edge_id, route_id, None, name, secret_names, secret_values or Secrets())
    if options.get("state") != "absent":
        job.wanted = {
            each.name: each.rule.parse(options[each.name])
            for each in description.fields
            if options.get(each.name) is not None
        }
        job.wanted.setdefault("enabled", True)
        job.learn(job.wanted)
    return job


def faults(description: Description, options: dict[str, t.Any], where: str = "") -> t.Iterator[str]:
    """Yield what is wrong with the values of an edge module's options; argument validation found nothing in them.

    :param where: the place of the options in the input, empty for the top.
    """
    if options.get("state") == "absent":
        return
    wanted: dict[str, t.Any] = {}
    found = 0
    for each in description.fields:
        option = options.get(each.name)
        if option is None:
            continue
        wrong = list(each.rule.faults(option, place(where, each.name)))
        if each.null_where and options.get(each.null_where[0]) == each.null_where[1]:
            wrong.append("%s must be left out when %s is %s" % ((place(where, each.name),) + each.null_where))
        if not wrong:
            wanted[each.name] = each.rule.parse(option)
        found += len(wrong)
        yield from wrong
    if not found:
        for name, message in description.conflicts(wanted):
            yield "%s %s" % (place(where, name), message)


def options_of(description: Description, values: dict[str, t.Any] | None) -> tuple[dict[str, t.Any], list[str]]:
    """Return the options that ask for just what the service holds, and why they would be refused, if so.

    :param values: the value of every field; None where the edge module is not set.
    """
    if values is None:
        return dict(state="absent"), []
    options: dict[str, t.Any] = {}
    reasons: list[str] = []
    for each in description.fields:
        if each.null_where and values[each.null_where[0]] == each.null_where[1]:
            continue
        option = each.rule.option_of(values[each.name])
        if option is None:
            if each.required:
                reasons.append("the service names no %s" % each.name)
            continue
        reasons.extend(each.rule.faults(option, each.name))
        options[each.name] = option
    reasons.extend("%s %s" % conflict for conflict in description.conflicts(options))
    return options, reasons


@functools.lru_cache(maxsize=1)
def id_prefixes() -> frozenset[str]:
    """Every prefix that says what an id is of (edge-api.md, section 2, Identifier shapes)."""
    # Imported here: a module whose ids have the right prefix needs neither the list nor the code of the others.
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
            yield "%s may contain letters, digits, _, -, . and ~ only, not %s" % (where, shorten(json.dumps(value), 80))
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
