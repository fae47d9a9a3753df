# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""edge_modules and edge_modules_info: their options, what can be wrong with these, the jobs they ask for.

Private to this collection.
"""

from __future__ import annotations

import fnmatch
import threading
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.edgeops.edges.plugins.module_utils import (
    _approval,
    _argspec,
    _backup,
    _jobs,
    _options,
    _registry,
)
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description, Kind
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, options_of
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import fetch
from ansible_collections.edgeops.edges.plugins.module_utils._results import failure_text, hide_later_secrets
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._task import Task, new_scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._text import Place, entry_place, place, shorten
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context, Work, new_client

Params = dict[str, t.Any]


class Owner(t.NamedTuple):
    """What edge modules are attached to: an edge or a route, its entry in the options, and the place of the entry.

    An id is None only where the options are wrong.
    """

    edge_id: t.Any
    route_id: str | None
    entry: dict[str, t.Any]
    where: str


def _by_kind() -> dict[Kind, dict[str, Description]]:
    """Return the edge modules of each kind of edge, by the name of their entries."""
    found: dict[Kind, dict[str, Description]] = {}
    for each in _registry.DESCRIPTIONS:
        found.setdefault(each.kind, {})[each.entry] = each
    return found


def _dicts(listed: t.Any) -> list[dict[str, t.Any]]:
    """Return the entries of a list; in the place of what is none, an empty one."""
    return [one if isinstance(one, dict) else {} for one in listed] if isinstance(listed, list) else []


def _owners(kind: Kind, edges: t.Any) -> t.Iterator[Owner]:
    for index, edge in enumerate(_dicts(edges)):
        where = entry_place(place(kind.option, index), edge)
        if kind.route_prefix is None:
            yield Owner(edge.get("id"), None, edge, where)
            continue
        for number, route in enumerate(_dicts(edge.get("routes"))):
            route_where = entry_place(place(place(where, "routes"), number), route)
            yield Owner(edge.get("id"), route.get("id"), route, route_where)


def _id_faults(kind: Kind, edges: list[dict[str, t.Any]], bare: bool = False) -> t.Iterator[str]:
    """Yield what is wrong with the ids of edges and routes, those among it that are listed twice.

    :param bare: set where the user gave ids in place of entries, but for edges with routes.
    """
    first: dict[tuple[str | None, ...], str] = {}

    def faults(ids: tuple[str | None, ...], where: str, is_entry: bool, prefix: str) -> t.Iterator[str]:
        where = place(where, "id") if is_entry else where
        if ids[-1] is not None:
            yield from _jobs.id_faults(ids[-1], where, prefix)
        if None in ids:
            return  # one that is missing is no id, and was found before
        path = where.path if isinstance(where, Place) else where
        before = first.setdefault(ids, path)
        if before != path:
            yield "%s: %s is listed twice, first in %s: join the two" % (
                where,
                shorten(str(ids[-1]), 80),
                before,
            )

    for index, edge in enumerate(edges):
        where = place(kind.option, index)
        yield from faults((edge["id"],), where, not bare or kind.route_prefix is not None, kind.edge_prefix)
        routes = place(entry_place(where, edge), "routes")
        for number, route in enumerate(edge.get("routes") or ()):
            yield from faults((edge["id"], route["id"]), place(routes, number), not bare, kind.route_prefix or "")


def _concurrency_faults(params: Params) -> t.Iterator[str]:
    if params["concurrency"] < 1:
        yield "concurrency must be at least 1, not %d" % params["concurrency"]


def faults(params: Params) -> t.Iterator[str]:
    """Yield what is wrong with the values of validated options of edge_modules."""
    for kind, entries in _by_kind().items():
        edges = params.get(kind.option) or []
        yield from _id_faults(kind, edges)
        for owner in _owners(kind, edges):
            for name, description in entries.items():
                if owner.entry.get(name) is not None:
                    yield from _jobs.faults(description, owner.entry[name], place(owner.where, name))
    yield from _concurrency_faults(params)
    yield from _control_faults(params)


def null_faults(given: Params) -> t.Iterator[str]:
    """Yield what must not be null in options as they were given, before nulls are left out.

    With purge an edge module that is left out is removed: a template that yields null must not remove an access
    restriction.
    """
    purge = given.get("purge")
    if not boolean(purge if purge is not None else False, strict=False):
        return
    for kind, entries in _by_kind().items():
        for owner in _owners(kind, given.get(kind.option)):
            for name in entries:
                if name in owner.entry and _options.is_null(owner.entry[name]):
                    yield "%s is null, and purge would remove it: leave the key out, or write state: absent" % place(
                        owner.where, name
                    )


def _control_faults(params: Params) -> t.Iterator[str]:
    if params.get("approved_plan") is not None:
        yield from _approval.plan_faults(params["approved_plan"])
    if params.get("rollback_of") is not None:
        yield from _approval.digests_faults(params["rollback_of"], "rollback_of")
    for option in _approval.LIMITS:
        try:
            _approval.parse_limit(option, params.get(option))
        except ValueError as exc:
            yield str(exc)
    if any("\ud800" <= char <= "\udfff" for char in params.get("plan_key") or ""):
        # Bytes of an environment variable that are no UTF-8 become such halves.
        yield "plan_key is no Unicode text (it is not shown here)"
    if params.get("max_failures") is not None and params["max_failures"] < 1:
        yield "max_failures must be at least 1, not %d" % params["max_failures"]
    if params.get("backup_path"):
        yield from _backup.path_faults(params["backup_path"], "backup_path")
    edges = [edge for kind in _by_kind() for edge in params.get(kind.option) or ()]
    for pattern in params.get("only") or ():
        if not any(edge["id"] is None or fits(edge, [pattern]) for edge in edges):
            yield "only: %s matches no edge that is listed" % shorten(pattern, 80)


def fits(edge: dict[str, t.Any], patterns: list[str]) -> bool:
    """Return whether the id or name of an edge fits one of the patterns; `*` as in file names, case counts."""
    # The role asks before validation has made text of a name such as 2024.
    names = [edge["id"]]
    if isinstance(edge.get("name"), (str, int, float)):
        names.append(str(edge["name"]))
    return any(fnmatch.fnmatchcase(name, pattern.strip()) for name in names for pattern in patterns)


def _secret_names(params: Params) -> SecretNames:
    return SecretNames(params.get("secret_headers"), params.get("secret_keys"))


def jobs_of(params: Params) -> list[Job]:
    """Return the jobs that options of edge_modules ask for in which there is no fault."""
    jobs: list[Job] = []
    secret_names, secret_values = _secret_names(params), Secrets()
    # Not in the order in which the lists are given: some versions of Ansible sort a task's options.
    only = params.get("only")
    for kind, entries in _by_kind().items():
        edges = [edge for edge in params.get(kind.option) or [] if only is None or fits(edge, only)]
        for owner in _owners(kind, edges):
            named = [name for name, options in owner.entry.items() if name in entries and options is not None]
            left_out = [name for name in entries if name not in named] if params.get("purge") else []
            for name in named + left_out:
                options = owner.entry[name] if name in named else dict(state="absent")
                jobs.append(
                    _jobs.make_job(
                        entries[name],
                        owner.edge_id,
                        owner.route_id,
                        options,
                        secret_names,
                        secret_values,
                        owner.entry.get("name"),
                    )
                )
    return jobs


def modules_work() -> Work:
    """The work of edge_modules."""
    spec = _argspec.connection_spec()
    spec.update(_argspec.nested_spec(_registry.DESCRIPTIONS))
    spec.update(concurrency=dict(type="int", default=8), purge=dict(type="bool", default=False))
    spec.update(_argspec.secret_spec())
    spec.update(_argspec.control_spec())
    secret_rules: dict[str, t.Any] = {}
    for each in _registry.DESCRIPTIONS:
        entries = secret_rules.setdefault(each.kind.option, {})
        if each.kind.route_prefix:
            entries = entries.setdefault("routes", {})
        entries[each.entry] = _options.secret_rules(each)
    return Work(
        "edge_modules",
        spec,
        faults,
        lambda params, context: Task(jobs_of(params), params, context).run(),
        secret_rules=secret_rules,
        check_nulls=null_faults,
    )


def info_work() -> Work:
    """The work of edge_modules_info: reads, and returns what edge_modules takes."""

    def check(params: Params) -> t.Iterator[str]:
        for kind in _by_kind():
            yield from _id_faults(kind, _entries_of(params.get(kind.option) or []), bare=True)
        yield from _concurrency_faults(params)

    def run(params: Params, context: Context) -> dict[str, t.Any]:
        lists: dict[str, list[dict[str, t.Any]]] = {}
        entries: list[dict[str, t.Any]] = []
        jobs: list[Job] = []
        secret_names, secret_values = _secret_names(params), Secrets()
        for kind, descriptions in _by_kind().items():
            lists[kind.option] = _entries_of(params.get(kind.option) or [])
            for owner in _owners(kind, lists[kind.option]):
                for each in descriptions.values():
                    entries.append(owner.entry)
                    jobs.append(
                        Job(
                            each,
                            owner.edge_id,
                            owner.route_id,
                            secret_names=secret_names,
                            secret_values=secret_values,
                        )
                    )
        stop = threading.Event()
        client = new_client(params, context, stop)
        done = new_scheduler(
            jobs, params, context, lambda job: fetch(client, job)[1], "edge_modules_info", stop, in_order=False
        ).run()
        failed = sum(one.error is not None for one in done)
        if failed:
            hide_later_secrets(done)
            raise EdgeError("%d of %d edge modules could not be read: %s" % (failed, len(done), failure_text(done)))
        refused: list[dict[str, t.Any]] = []
        for entry, job, one in zip(entries, jobs, done):
            options, reasons = options_of(job.description, one.outcome)
            if not params["include_secrets"]:
                for field in job.description.secret_fields:
                    if field.name in options:
                        options[field.name] = field.rule.mask(options[field.name], job.secret_names)
            entry[job.description.entry] = options
            if reasons:
                refused.append(
                    dict(edge_id=job.edge_id, route_id=job.route_id, module=job.description.name, reasons=reasons)
                )
                for reason in reasons:
                    context.warn("%s: cannot be given back: %s" % (job.title, reason))
        for warning in _without_routes(lists):
            context.warn(warning)
        return dict(lists, refused=refused, changed=False)

    spec = _argspec.connection_spec()
    spec.update(_argspec.ids_spec(_registry.DESCRIPTIONS))
    spec.update(concurrency=dict(type="int", default=8))
    spec.update(include_secrets=dict(type="bool", default=False, no_log=False))
    spec.update(_argspec.secret_spec())
    return Work("edge_modules_info", spec, check, run)


def _entries_of(listed: list[t.Any]) -> list[dict[str, t.Any]]:
    """Return the entries for a list of ids: of edges, or of edges with their routes."""
    return [
        dict(id=one) if isinstance(one, str) else dict(id=one["id"], routes=_entries_of(one["routes"]))
        for one in listed
    ]


def _without_routes(lists: dict[str, list[dict[str, t.Any]]]) -> t.Iterator[str]:
    """Yield a warning for each edge of which nothing was read, since what can be read belongs to its routes."""
    for kind in _by_kind():
        for index, edge in enumerate(lists[kind.option] if kind.route_prefix else ()):
            if not edge["routes"]:
                where = entry_place(place(kind.option, index), edge)
                yield "%s lists no routes, so nothing of it is read: list the ids of its routes" % where
