# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The work of edge_modules and edge_modules_info. Private to this collection."""

from __future__ import annotations

import threading
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._bulk import Run, failure_text, make_result
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, id_faults, make_job
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import fetch, reconcile
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import place, shorten
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context, Work, checked_connection


def _by_kind() -> dict[str, list[Description]]:
    found: dict[str, list[Description]] = {}
    for each in _registry.DESCRIPTIONS:
        found.setdefault(each.kind.option, []).append(each)
    return found


def _count_spec() -> _argspec.Spec:
    return dict(concurrency=dict(type="int", default=8))


def _number_faults(params: dict[str, t.Any]) -> t.Iterator[str]:
    if params["concurrency"] < 1:
        yield "concurrency must be at least 1, not %d" % params["concurrency"]


class _Listed:
    """Refuses an id that is listed twice."""

    def __init__(self) -> None:
        self._first: dict[tuple, str] = {}

    def faults(self, key: tuple, where: str) -> t.Iterator[str]:
        first = self._first.setdefault(key, where)
        if first != where:
            yield "%s: %s is listed twice, it stands in %s already" % (where, shorten(key[-1], 80), first)


def _owners(
    kind_option: str, edges: list[dict[str, t.Any]], found: list[str], bare: bool = False
) -> t.Iterator[tuple[str, str | None, dict[str, t.Any], str]]:
    """Yield (edge id, route id, entry, place of the entry) for all that edge modules are attached to.

    :param found: takes what is wrong with the ids.
    :param bare: set where the user gave ids in place of entries, but for edges with routes.
    """
    kind = _by_kind()[kind_option][0].kind
    listed = _Listed()

    def place_of_id(where: str, is_entry: bool) -> str:
        return place(where, "id") if is_entry else where

    for index, edge in enumerate(edges):
        where = place(kind_option, index)
        where_id = place_of_id(where, not bare or kind.route_prefix is not None)
        found.extend(id_faults(edge["id"], where_id, kind.edge_prefix))
        found.extend(listed.faults((edge["id"],), where_id))
        if kind.route_prefix is None:
            yield edge["id"], None, edge, where
            continue
        for number, route in enumerate(edge.get("routes") or ()):
            route_where = place(place(where, "routes"), number)
            where_id = place_of_id(route_where, not bare)
            found.extend(id_faults(route["id"], where_id, kind.route_prefix))
            found.extend(listed.faults((edge["id"], route["id"]), where_id))
            yield edge["id"], route["id"], route, route_where


def jobs_of(params: dict[str, t.Any]) -> tuple[list[Job], list[str]]:
    """Return the jobs that validated options of edge_modules ask for, and everything that is wrong with them."""
    jobs: list[Job] = []
    found: list[str] = []
    secret_headers = params.get("secret_headers") or ()
    secrets = Secrets()
    # Not in the order in which the lists are given: some versions of Ansible sort a task's options.
    for option, descriptions in _by_kind().items():
        entries = {each.entry: each for each in descriptions}
        for edge_id, route_id, owner, where in _owners(option, params.get(option) or [], found):
            named = [name for name, options in owner.items() if name in entries and options is not None]
            for name in named:
                job, wrong = make_job(
                    entries[name], edge_id, route_id, owner[name], secret_headers, place(where, name), secrets
                )
                jobs.append(job)
                found.extend(wrong)
            if params.get("purge"):
                absent = dict(state="absent")
                for name, each in entries.items():
                    if name not in named:
                        jobs.append(make_job(each, edge_id, route_id, absent, secret_headers, where, secrets)[0])
    return jobs, found


def _new_run(
    jobs: list[Job],
    params: dict[str, t.Any],
    context: Context,
    found: list[str],
    work: t.Callable[[t.Any, Job], t.Any],
    name: str,
) -> Run:
    """Check what is left to check, and return the run of the jobs."""
    found.extend(_number_faults(params))
    stop = threading.Event()
    client = context.new_client(checked_connection(params, found), stop)
    return Run(
        jobs,
        params["concurrency"],
        lambda job: work(client, job),
        stop,
        say=lambda text: context.say("%s: %s" % (name, text)),
    )


def _written(run: Run) -> str:
    titles = [one.job.title for one in run.done if one and one.outcome and one.outcome.changed]
    if not titles:
        return "nothing was written before"
    return "%d of %d edge modules were written before: %s" % (
        len(titles),
        len(run.jobs),
        ", ".join(titles[:20]) + (" and %d more" % (len(titles) - 20) if len(titles) > 20 else ""),
    )


def modules_work() -> Work:
    """The work of edge_modules."""

    def run(params: dict[str, t.Any], context: Context) -> dict[str, t.Any]:
        jobs, found = jobs_of(params)
        many = _new_run(
            jobs, params, context, found, lambda client, job: reconcile(client, job, context.check_mode), "edge_modules"
        )
        try:
            done = many.run()
        except BaseException:
            text = "it was a dry run: nothing was written" if context.check_mode else _written(many)
            context.partial = dict(make_result(many.all_done(), context.diff), msg="The task was stopped: %s" % text)
            raise
        for one in done:
            if one.outcome is not None and one.outcome.warning:
                context.warn(one.outcome.warning)
        result = make_result(done, context.diff)
        failed = [one for one in done if one.error is not None]
        if failed:
            raise EdgeError(failure_text(failed, len(done)), **result)
        return result

    spec = _argspec.connection_spec()
    spec.update(_argspec.nested_spec(_registry.DESCRIPTIONS))
    spec.update(_count_spec(), purge=dict(type="bool", default=False))
    spec.update(_argspec.secret_headers_spec())
    secret_fields = frozenset().union(*(each.secret_fields for each in _registry.DESCRIPTIONS))
    return Work("edge_modules", spec, run, secret_fields=secret_fields)


def info_work() -> Work:
    """The work of edge_modules_info: reads, and returns what edge_modules takes."""

    def run(params: dict[str, t.Any], context: Context) -> dict[str, t.Any]:
        found: list[str] = []
        lists: dict[str, list[dict[str, t.Any]]] = {}
        entries: list[tuple[dict[str, t.Any], Job]] = []
        secret, secrets = SecretNames(params.get("secret_headers")), Secrets()
        for option, descriptions in _by_kind().items():
            lists[option] = _skeleton(params.get(option) or [])
            for edge_id, route_id, owner, dummy in _owners(option, lists[option], found, bare=True):
                for each in descriptions:
                    entries.append((owner, Job(each, edge_id, route_id, None, secret, secrets=secrets)))
        jobs = [job for dummy, job in entries]
        done = _new_run(
            jobs, params, context, found, lambda client, job: fetch(client, job)[1], "edge_modules_info"
        ).run()
        failed = [one for one in done if one.error is not None]
        if failed:
            raise EdgeError(failure_text(failed, len(done)))
        for (owner, job), one in zip(entries, done):
            owner[job.description.entry] = _as_options(job, one.outcome, params["include_secrets"], context)
        return dict(lists, changed=False)

    spec = _argspec.connection_spec()
    spec.update(_argspec.ids_spec(_registry.DESCRIPTIONS))
    spec.update(_count_spec(), include_secrets=dict(type="bool", default=False, no_log=False))
    spec.update(_argspec.secret_headers_spec())
    return Work("edge_modules_info", spec, run)


def _skeleton(listed: list[t.Any]) -> list[dict[str, t.Any]]:
    """Return the entries for a list of ids: of edges, or of edges with their routes."""
    return [
        dict(id=one) if isinstance(one, str) else dict(id=one["id"], routes=_skeleton(one["routes"])) for one in listed
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
        if each.name in job.description.secret_fields and not include_secrets:
            value = job.secret.mask(value)
        for fault in each.rule.faults(value, each.name):
            context.warn("%s: cannot be given back: %s" % (job.title, fault))
        options[each.name] = value
    for name, fault in job.description.conflicts(options):
        context.warn("%s: cannot be given back: %s: %s" % (job.title, name, fault))
    return options
