# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""edge_modules and edge_modules_info: options to jobs, results, messages. Private to this collection."""

from __future__ import annotations

import functools
import threading
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _jobs, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._connection import base_url_of
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description, Kind
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import fetch, reconcile
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Done, Scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import place, shorten
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context, Work, new_client

Params = dict[str, t.Any]

# So many reasons are told by the message of a task, each with so many names.
_REASONS = 20
_NAMES = 500


class Owner(t.NamedTuple):
    """What edge modules are attached to: an edge or a route, its entry in the options, and the place of the entry."""

    edge_id: str
    route_id: str | None
    entry: dict[str, t.Any]
    where: str


def _by_kind() -> dict[Kind, dict[str, Description]]:
    """Return the edge modules of each kind of edge, by the name of their entries."""
    found: dict[Kind, dict[str, Description]] = {}
    for each in _registry.DESCRIPTIONS:
        found.setdefault(each.kind, {})[each.entry] = each
    return found


def _owners(kind: Kind, edges: list[dict[str, t.Any]]) -> t.Iterator[Owner]:
    for index, edge in enumerate(edges):
        where = place(kind.option, index)
        if kind.route_prefix is None:
            yield Owner(edge["id"], None, edge, where)
            continue
        for number, route in enumerate(edge.get("routes") or ()):
            yield Owner(edge["id"], route["id"], route, place(place(where, "routes"), number))


def _id_faults(kind: Kind, edges: list[dict[str, t.Any]], bare: bool = False) -> t.Iterator[str]:
    """Yield what is wrong with the ids of edges and routes, those among it that are listed twice.

    :param bare: set where the user gave ids in place of entries, but for edges with routes.
    """
    first: dict[tuple[str, ...], str] = {}

    def faults(ids: tuple[str, ...], where: str, is_entry: bool, prefix: str) -> t.Iterator[str]:
        where = place(where, "id") if is_entry else where
        yield from _jobs.id_faults(ids[-1], where, prefix)
        before = first.setdefault(ids, where)
        if before != where:
            yield "%s: %s is listed twice, it stands in %s already" % (where, shorten(ids[-1], 80), before)

    for index, edge in enumerate(edges):
        where = place(kind.option, index)
        yield from faults((edge["id"],), where, not bare or kind.route_prefix is not None, kind.edge_prefix)
        for number, route in enumerate(edge.get("routes") or ()):
            route_where = place(place(where, "routes"), number)
            yield from faults((edge["id"], route["id"]), route_where, not bare, kind.route_prefix or "")


def _concurrency_faults(params: Params) -> t.Iterator[str]:
    if params["concurrency"] < 1:
        yield "concurrency must be at least 1, not %d" % params["concurrency"]


def _schedule(
    jobs: list[Job], params: Params, context: Context, work: t.Callable[[t.Any, Job], t.Any], name: str
) -> Scheduler:
    stop = threading.Event()
    client = new_client(params, context, stop)
    return Scheduler(
        jobs,
        params["concurrency"],
        lambda job: work(client, job),
        stop,
        report=lambda text: context.say("%s: %s" % (name, text)),
    )


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


def jobs_of(params: Params) -> list[Job]:
    """Return the jobs that options of edge_modules ask for in which there is no fault."""
    jobs: list[Job] = []
    secret_headers = params.get("secret_headers") or ()
    secret_values = Secrets()
    # Not in the order in which the lists are given: some versions of Ansible sort a task's options.
    for kind, entries in _by_kind().items():
        for owner in _owners(kind, params.get(kind.option) or []):
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
                        secret_headers,
                        secret_values,
                        owner.entry.get("name"),
                    )
                )
    return jobs


def modules_work() -> Work:
    """The work of edge_modules."""

    def run(params: Params, context: Context) -> dict[str, t.Any]:
        jobs = jobs_of(params)
        scheduler = _schedule(
            jobs, params, context, lambda client, job: reconcile(client, job, context.check_mode), "edge_modules"
        )
        try:
            done = scheduler.run()
        except BaseException:
            text = "it was a dry run: nothing was written" if context.check_mode else written_text(scheduler)
            context.partial = dict(
                make_result(scheduler.all_done(), params, context), msg="The task was stopped: %s" % text
            )
            raise
        for one in done:
            if one.outcome is not None and one.outcome.warning:
                context.warn(one.outcome.warning)
        result = make_result(done, params, context)
        if result["summary"]["failed"]:
            message = result.pop("msg")
            raise EdgeError("%s: %s" % (message, failure_text(done)), **result)
        return result

    spec = _argspec.connection_spec()
    spec.update(_argspec.nested_spec(_registry.DESCRIPTIONS))
    spec.update(concurrency=dict(type="int", default=8), purge=dict(type="bool", default=False))
    spec.update(_argspec.secret_headers_spec())
    secret_fields = {field.name for each in _registry.DESCRIPTIONS for field in each.secret_fields}
    return Work("edge_modules", spec, faults, run, secret_fields=secret_fields)


def make_result(done: list[Done], params: Params, context: Context) -> dict[str, t.Any]:
    """Return the result of a task: one entry an edge module, a summary, and in diff mode a diff for each change."""
    _hide_later_secrets(done)
    results = []
    diffs = []
    counts = dict(total=len(done), changed=0, removed=0, unchanged=0, failed=0)
    for one in done:
        job, outcome, error = one.job, one.outcome, one.error
        result = dict(
            edge_id=job.edge_id,
            route_id=job.route_id,
            name=job.name,
            module=job.description.name,
            changed=bool(error.result.get("changed")) if error else outcome.changed,
            operation=None if error else outcome.operation,
            config=None if error else outcome.config,
        )
        if error:
            result["error"] = error.data
            counts["failed"] += 1
        elif outcome.changed:
            result.update(before=outcome.before, after=outcome.after)
            diffs.append(outcome.diff(job.title))
            counts["changed"] += 1
            counts["removed"] += outcome.after is None
        else:
            counts["unchanged"] += 1
        results.append(result)
    made = dict(
        changed=any(bool(one["changed"]) for one in results),
        msg="%(changed)d changed, %(unchanged)d unchanged, %(failed)d failed" % counts,
        dry_run=context.check_mode,
        base_url=base_url_of(params),
        results=results,
        summary=counts,
    )
    if context.diff:
        made["diff"] = diffs
    return made


def _hide_later_secrets(done: list[Done]) -> None:
    """Remove from every error the secrets that another edge module turned out to hold only later."""
    for one in done:
        if one.error is not None:
            one.error.rewrite(functools.partial(one.job.secret_values.scrub, short_ones=False))


def failure_text(done: list[Done]) -> str:
    """Return what went wrong, for the message of a task: each reason once, with the names of all that it befell."""
    names: dict[str, list[str]] = {}
    full: dict[str, str] = {}
    for one in done:
        if one.error is not None and one.tried:
            names.setdefault(one.error.reason, []).append(one.job.title)
            full.setdefault(one.error.reason, str(one.error))
    parts = []
    for reason, titles in list(names.items())[:_REASONS]:
        shown = ", ".join(titles[:_NAMES]) + (" and %d more" % (len(titles) - _NAMES) if len(titles) > _NAMES else "")
        parts.append("%s: %s" % (shown, full[reason] if len(titles) == 1 else reason))
    further = [title for titles in list(names.values())[_REASONS:] for title in titles]
    if further:
        more = " and %d more" % (len(further) - _NAMES) if len(further) > _NAMES else ""
        parts.append("and also %s%s" % (", ".join(further[:_NAMES]), more))
    not_tried = sum(not one.tried for one in done)
    if not_tried:
        parts.append("%d not tried" % not_tried)
    return "; ".join(parts)


def written_text(scheduler: Scheduler) -> str:
    """Return what was written before a task was interrupted."""
    titles = [one.job.title for one in scheduler.done if one and one.outcome and one.outcome.changed]
    if not titles:
        return "nothing was written before"
    return "%d of %d edge modules were written before: %s" % (
        len(titles),
        len(scheduler.jobs),
        ", ".join(titles[:20]) + (" and %d more" % (len(titles) - 20) if len(titles) > 20 else ""),
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
        secret_names, secret_values = SecretNames(params.get("secret_headers")), Secrets()
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
        done = _schedule(jobs, params, context, lambda client, job: fetch(client, job)[1], "edge_modules_info").run()
        failed = sum(one.error is not None for one in done)
        if failed:
            _hide_later_secrets(done)
            raise EdgeError("%d of %d edge modules could not be read: %s" % (failed, len(done), failure_text(done)))
        for entry, job, one in zip(entries, jobs, done):
            entry[job.description.entry] = _as_options(job, one.outcome, params["include_secrets"], context)
        return dict(lists, changed=False)

    spec = _argspec.connection_spec()
    spec.update(_argspec.ids_spec(_registry.DESCRIPTIONS))
    spec.update(concurrency=dict(type="int", default=8))
    spec.update(include_secrets=dict(type="bool", default=False, no_log=False))
    spec.update(_argspec.secret_headers_spec())
    return Work("edge_modules_info", spec, check, run)


def _entries_of(listed: list[t.Any]) -> list[dict[str, t.Any]]:
    """Return the entries for a list of ids: of edges, or of edges with their routes."""
    return [
        dict(id=one) if isinstance(one, str) else dict(id=one["id"], routes=_entries_of(one["routes"]))
        for one in listed
    ]


def _as_options(job: Job, values: dict[str, t.Any] | None, include_secrets: bool, context: Context) -> dict[str, t.Any]:
    """Return what the service holds as the options that ask for just that."""
    if values is None:
        return dict(state="absent")
    options = {}
    for each in job.description.fields:
        value = values[each.name]
        if value is None or (each.null_where and values[each.null_where[0]] == each.null_where[1]):
            if each.required:
                context.warn("%s: the service names no %s, so this cannot be given back" % (job.title, each.name))
            continue
        if not include_secrets:
            value = each.rule.mask(value, job.secret_names)
        for fault in each.rule.faults(value, each.name):
            context.warn("%s: cannot be given back: %s" % (job.title, fault))
        options[each.name] = value
    for name, fault in job.description.conflicts(options):
        context.warn("%s: cannot be given back: %s: %s" % (job.title, name, fault))
    return options
