# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""edge_modules and edge_modules_info: options to jobs, results, messages. Private to this collection."""

from __future__ import annotations

import fnmatch
import functools
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
from ansible_collections.edgeops.edges.plugins.module_utils._connection import address_of
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description, Kind
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, options_of
from ansible_collections.edgeops.edges.plugins.module_utils._plan import Plan, Values
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import Outcome, carry_out, fetch, leave, look
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Done, Scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames, Secrets
from ansible_collections.edgeops.edges.plugins.module_utils._text import entry_place, place, shorten
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context, Work, new_client

Params = dict[str, t.Any]

# So many reasons are told by the message of a task, each with so many names.
_REASONS = 20
_NAMES = 500


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
        before = first.setdefault(ids, where)
        if before != where:
            yield "%s: %s is listed twice, it stands in %s already" % (where, shorten(ids[-1], 80), before)

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
    for option in _LIMITS:
        try:
            _approval.parse_limit(option, params.get(option))
        except ValueError as exc:
            yield str(exc)
    if params.get("max_failures") is not None and params["max_failures"] < 1:
        yield "max_failures must be at least 1, not %d" % params["max_failures"]
    if params.get("backup_path"):
        yield from _backup.path_faults(params["backup_path"], "backup_path")
    edges = [edge for kind in _by_kind() for edge in params.get(kind.option) or ()]
    for pattern in params.get("only") or ():
        if not any(edge["id"] is None or _fits(edge, [pattern]) for edge in edges):
            yield "only: %s fits no edge that is listed" % shorten(pattern, 80)


_LIMITS = ("max_changed", "max_removed")


def _fits(edge: dict[str, t.Any], patterns: list[str]) -> bool:
    """Return whether the id or name of an edge fits one of the patterns; `*` as in file names, case counts."""
    names = [edge["id"], edge.get("name") or edge["id"]]
    return any(fnmatch.fnmatchcase(name, pattern.strip()) for name in names for pattern in patterns)


def jobs_of(params: Params) -> list[Job]:
    """Return the jobs that options of edge_modules ask for in which there is no fault."""
    jobs: list[Job] = []
    secret_headers = params.get("secret_headers") or ()
    secret_values = Secrets()
    # Not in the order in which the lists are given: some versions of Ansible sort a task's options.
    only = params.get("only")
    for kind, entries in _by_kind().items():
        edges = [edge for edge in params.get(kind.option) or [] if only is None or _fits(edge, only)]
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
                        secret_headers,
                        secret_values,
                        owner.entry.get("name"),
                    )
                )
    return jobs


class Task:
    """One task of edge_modules: what is planned, what is begun, and what has become of it."""

    def __init__(self, params: Params, context: Context) -> None:
        self.jobs = jobs_of(params)
        self.params = params
        self.context = context
        # Whether the task stops before the first write.
        self.dry_run = context.check_mode or params["plan_only"]
        self.address = address_of(params)
        self.signer = _approval.Signer(params.get("plan_key") or params["api_key"].strip(), self.address)
        self.plans: dict[str, Plan] = {}
        self.begun: set[str] = set()
        self.backup_file: str | None = None
        self._stop = threading.Event()
        self._client = new_client(params, context, self._stop)
        self._scheduler: Scheduler | None = None

    def run(self) -> dict[str, t.Any]:
        """Do the task, and return its result.

        :raises EdgeError: something failed, or was refused; it holds the result all the same.
        """
        try:
            done = self._in_two_steps() if self._is_controlled() else self._schedule(self.jobs, self._reconcile)
        except EdgeError:
            raise
        except BaseException:
            self.context.partial = self._interrupted()
            raise
        for one in done:
            if one.outcome is not None and one.outcome.warning:
                self.context.warn(one.outcome.warning)
        result = self.result(done)
        if result["summary"]["failed"]:
            message = result.pop("msg")
            raise EdgeError("%s: %s" % (message, failure_text(done)), **result)
        return result

    def _is_controlled(self) -> bool:
        """Whether everything is read and planned before the first write."""
        named = ("approved_plan", "backup_path", "rollback_of")
        return (
            self.params["plan_only"]
            or any(self.params.get(name) is not None for name in named)
            or any(self._limits())
        )

    def _limits(self) -> list[_approval.Limit]:
        limits = (_approval.parse_limit(option, self.params.get(option)) for option in _LIMITS)
        return [limit for limit in limits if limit is not None]

    def _schedule(self, jobs: list[Job], work: t.Callable[[Job], t.Any], in_order: bool = True) -> list[Done]:
        self._scheduler = new_scheduler(jobs, self.params, self.context, work, "edge_modules", self._stop, in_order)
        return self._scheduler.run()

    def _look(self, job: Job) -> tuple[Values, Plan]:
        answer, plan = look(self._client, job)
        self.plans[job.key] = plan
        return answer, plan

    def _carry_out(self, job: Job, answer: Values, plan: Plan) -> Outcome:
        if plan.changed and not self.dry_run:
            self.begun.add(job.key)
        return carry_out(self._client, job, answer, plan, self.dry_run)

    def _reconcile(self, job: Job) -> Outcome:
        return self._carry_out(job, *self._look(job))

    def _in_two_steps(self) -> list[Done]:
        looked = self._schedule(self.jobs, self._look, in_order=False)
        if self.params.get("rollback_of") is not None:
            looked = self._only_what_was_written(looked)
        elif any(one.error is not None for one in looked):
            _hide_later_secrets(looked)
            failed = sum(one.error is not None for one in looked)
            self._refuse(
                looked,
                "%d of %d edge modules could not be read or planned: %s" % (failed, len(looked), failure_text(looked)),
                failed,
            )
        changing = [one for one in looked if one.error is None and one.outcome[1].changed]
        refusals = self._refusals(changing)
        if refusals:
            self._refuse(looked, "; ".join(refusals))
        self._back_up(changing)
        answers = {one.job.key: one.outcome for one in looked if one.error is None}
        written = self._schedule([one.job for one in changing], lambda job: self._carry_out(job, *answers[job.key]))
        by_key = {one.job.key: one for one in written}
        return [
            by_key.get(one.job.key)
            or (one if one.error is not None else Done(one.job, leave(one.job, *one.outcome)))
            for one in looked
        ]

    def _refusals(self, changing: list[Done]) -> list[str]:
        refusals = []
        if self.params.get("approved_plan") is not None:
            plans = [(one.job.title, one.job.key, one.job.path, one.outcome[1]) for one in changing]
            refusals += _approval.plan_refusals(self.signer, plans, self.params["approved_plan"])
        return refusals + _approval.limit_refusals(self._limits(), self._amounts(changing))

    def _amounts(self, changing: list[Done]) -> _approval.Amounts:
        found: dict[str, list[str]] = dict(replaced=[], removed=[], newly_set=[])
        for one in changing:
            plan = one.outcome[1]
            kind = "removed" if plan.after is None else "newly_set" if plan.before is None else "replaced"
            found[kind].append(one.job.title)
        return _approval.Amounts(held=self._held(), **found)

    def _held(self) -> int:
        """Return how many of the edge modules looked at were set before."""
        return sum(plan.before is not None for plan in self.plans.values())

    def _only_what_was_written(self, looked: list[Done]) -> list[Done]:
        """Return the same, with an error for what is no longer as the run that is taken back left it."""
        expected = self.params["rollback_of"]
        checked = []
        for one in looked:
            plan = one.outcome[1] if one.error is None else None
            if plan and plan.changed:
                step = self.signer.step(one.job.path, plan.after, plan.before)
                if step not in expected.get(one.job.key, ()):
                    one = Done(one.job, error=EdgeError("not put back: somebody else has changed it since"))
            checked.append(one)
        return checked

    def _back_up(self, changing: list[Done]) -> None:
        path = self.params.get("backup_path")
        if not path or not changing:
            return
        held = [(one.job, one.outcome[1].current) for one in changing]
        content = _backup.variables(held, self.params["base_url"].strip())
        if not self.context.check_mode:
            _backup.write(path, content)
            self.backup_file = path

    def _refuse(self, looked: list[Done], reason: str, failed: int = 0) -> t.NoReturn:
        """Fail before the first write. A dry run keeps what it found; a run changed nothing.

        :param failed: how many could not be read or planned.
        """
        done = [
            one if one.error is not None else Done(one.job, self._predicted(one.job, *one.outcome)) for one in looked
        ]
        result = self.result(done)
        if not self.dry_run:
            for one in result["results"]:
                one["changed"] = False
            result["summary"] = dict(dict.fromkeys(result["summary"], 0), total=failed, failed=failed)
            result["changed"] = False
        result.pop("msg")
        raise EdgeError("refused, nothing written: " + reason, **result)

    def _predicted(self, job: Job, answer: Values, plan: Plan) -> Outcome:
        return carry_out(self._client, job, answer, plan, True) if self.dry_run else leave(job, answer, plan)

    def _interrupted(self) -> dict[str, t.Any]:
        done = self._scheduler.all_done() if self._scheduler else []
        # In the first of two steps nothing has an outcome yet, only what was read.
        done = [
            Done(one.job, error=NotTriedError("not tried: the task was stopped"))
            if one.outcome is not None and not isinstance(one.outcome, Outcome)
            else one
            for one in done
        ]
        text = "it was a dry run: nothing was written" if self.dry_run else written_text(done, len(self.jobs))
        if self.backup_file:
            text += "; the backup is %s" % self.backup_file
        return dict(self.result(done), msg="The task was stopped: %s" % text)

    def result(self, done: list[Done]) -> dict[str, t.Any]:
        """Return the result of the task: make_result's, with its plan."""
        result = make_result(done, self.context.diff, self.dry_run, self.params["return_unchanged"])
        paths = {job.key: job.path for job in self.jobs}
        changes = {key: self.signer.entry(paths[key], plan) for key, plan in self.plans.items() if plan.changed}
        result.update(
            base_url=self.address,
            plan=_approval.make_plan(changes),
            set_before=self._held(),
            backup_file=self.backup_file,
        )
        if self._is_controlled():
            result["written"] = {one.job.key: self._written(one) for one in done if one.job.key in self.begun}
        return result

    def _written(self, done: Done) -> list[str]:
        """Return the digests of what the service may hold since this task: what was sent, and what was answered."""
        job, plan = done.job, self.plans[done.job.key]
        steps = [self.signer.step(job.path, plan.before, plan.after)]
        held = done.outcome.held if done.outcome is not None else None
        if held is not None:
            steps.append(self.signer.step(job.path, plan.before, held))
        return sorted(set(steps))


def new_scheduler(
    jobs: list[Job],
    params: Params,
    context: Context,
    work: t.Callable[[Job], t.Any],
    name: str,
    stop: threading.Event,
    in_order: bool = True,
) -> Scheduler:
    """Return the scheduler of a task's jobs, which says how far it is."""
    return Scheduler(
        jobs,
        params["concurrency"],
        work,
        stop,
        report=lambda text: context.say("%s: %s" % (name, text)),
        in_order=in_order,
        max_failures=params.get("max_failures"),
    )


def modules_work() -> Work:
    """The work of edge_modules."""
    spec = _argspec.connection_spec()
    spec.update(_argspec.nested_spec(_registry.DESCRIPTIONS))
    spec.update(concurrency=dict(type="int", default=8), purge=dict(type="bool", default=False))
    spec.update(_argspec.secret_headers_spec())
    spec.update(_argspec.control_spec())
    secret_fields = {field.name for each in _registry.DESCRIPTIONS for field in each.secret_fields}
    return Work(
        "edge_modules",
        spec,
        faults,
        lambda params, context: Task(params, context).run(),
        secret_fields=secret_fields,
        check_nulls=null_faults,
    )


def make_result(done: list[Done], diff: bool, dry_run: bool, return_unchanged: bool = True) -> dict[str, t.Any]:
    """Return the result of a task: one entry an edge module, a summary, and in diff mode a diff for each change.

    :param return_unchanged: unset to leave out the entries of what neither changed nor failed.
    """
    _hide_later_secrets(done)
    results = []
    diffs = []
    counts = dict(total=len(done), changed=0, removed=0, unchanged=0, failed=0)
    for one in done:
        job, outcome, error = one.job, one.outcome, one.error
        if error is None and not outcome.changed:
            counts["unchanged"] += 1
            if not return_unchanged:
                continue
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
        results.append(result)
    made = dict(
        changed=any(bool(one["changed"]) for one in results),
        msg="%(changed)d changed, %(unchanged)d unchanged, %(failed)d failed" % counts,
        dry_run=dry_run,
        results=results,
        summary=counts,
    )
    if diff:
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


def written_text(done: list[Done], total: int) -> str:
    """Return what was written before a task was interrupted."""
    titles = [one.job.title for one in done if one.outcome and one.outcome.changed]
    if not titles:
        return "nothing was written before"
    return "%d of %d edge modules were written before: %s" % (
        len(titles),
        total,
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
        stop = threading.Event()
        client = new_client(params, context, stop)
        done = new_scheduler(
            jobs, params, context, lambda job: fetch(client, job)[1], "edge_modules_info", stop, in_order=False
        ).run()
        failed = sum(one.error is not None for one in done)
        if failed:
            _hide_later_secrets(done)
            raise EdgeError("%d of %d edge modules could not be read: %s" % (failed, len(done), failure_text(done)))
        refused: list[dict[str, t.Any]] = []
        for entry, job, one in zip(entries, jobs, done):
            options, reasons = options_of(job.description, one.outcome)
            if not params["include_secrets"]:
                for each in job.description.secret_fields:
                    if each.name in options:
                        options[each.name] = each.rule.mask(options[each.name], job.secret_names)
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
    spec.update(_argspec.secret_headers_spec())
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
                yield "%s lists no routes, so nothing of it is read: name the ids of its routes in routes" % where
