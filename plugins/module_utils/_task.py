# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One task of edge_modules: reads, plans, refuses, backs up and writes. Private to this collection."""

from __future__ import annotations

import threading
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _approval, _backup
from ansible_collections.edgeops.edges.plugins.module_utils._connection import address_of
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError, NotTriedError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._plan import Plan, Values
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import Outcome, carry_out, leave, look
from ansible_collections.edgeops.edges.plugins.module_utils._results import (
    failure_text,
    hide_later_secrets,
    make_result,
    written_text,
)
from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Done, Scheduler
from ansible_collections.edgeops.edges.plugins.module_utils._signals import to_the_end
from ansible_collections.edgeops.edges.plugins.module_utils._work import Context, new_client

Params = dict[str, t.Any]


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


class Task:
    """One task of edge_modules: what is planned, what is begun, and what has become of it."""

    def __init__(self, jobs: list[Job], params: Params, context: Context) -> None:
        self.jobs = jobs
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
            self.context.partial = to_the_end(self._interrupted)
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
            self.params["plan_only"] or any(self.params.get(name) is not None for name in named) or any(self._limits())
        )

    def _limits(self) -> list[_approval.Limit]:
        limits = (_approval.parse_limit(option, self.params.get(option)) for option in _approval.LIMITS)
        return [limit for limit in limits if limit is not None]

    def _schedule(self, jobs: list[Job], work: t.Callable[[Job], t.Any], in_order: bool = True) -> list[Done]:
        self._scheduler = new_scheduler(jobs, self.params, self.context, work, "edge_modules", self._stop, in_order)
        return self._scheduler.run()

    def _look(self, job: Job) -> tuple[Values, Plan]:
        answer, plan = look(self._client, job)
        self.plans[job.key] = plan
        return answer, plan

    def _carry_out(self, job: Job, answer: Values, plan: Plan) -> Outcome:
        if not plan.changed:
            return self._left(job, answer, plan)
        if not self.dry_run:
            self.begun.add(job.key)
        return carry_out(self._client, job, answer, plan, self.dry_run)

    def _left(self, job: Job, answer: Values, plan: Plan) -> Outcome:
        """Return the outcome of a plan that is not carried out; what is not returned need not be fit to be shown."""
        if plan.changed or self.params["return_unchanged"]:
            return leave(job, answer, plan)
        return Outcome(plan.operation, None, None, None)

    def _reconcile(self, job: Job) -> Outcome:
        return self._carry_out(job, *self._look(job))

    def _in_two_steps(self) -> list[Done]:
        looked = self._schedule(self.jobs, self._look, in_order=False)
        if self.params.get("rollback_of") is not None:
            looked = self._only_what_was_written(looked)
        elif any(one.error is not None for one in looked):
            hide_later_secrets(looked)
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
            or (one if one.error is not None else Done(one.job, self._left(one.job, *one.outcome)))
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
                    one = Done(one.job, error=EdgeError("not restored: somebody else has changed it since"))
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
        result = self.result(done, refused=True)
        if not self.dry_run:
            for one in result["results"]:
                one["changed"] = False
            result["summary"] = dict(dict.fromkeys(result["summary"], 0), total=failed, failed=failed)
            result["changed"] = False
        result.pop("msg")
        raise EdgeError("refused, nothing written: " + reason, **result)

    def _predicted(self, job: Job, answer: Values, plan: Plan) -> Outcome:
        return carry_out(self._client, job, answer, plan, True) if self.dry_run else self._left(job, answer, plan)

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

    def result(self, done: list[Done], refused: bool = False) -> dict[str, t.Any]:
        """Return the result of the task: make_result's, with its plan."""
        result = make_result(done, self.context.diff, self.dry_run, self.params["return_unchanged"])
        paths = {job.key: job.path for job in self.jobs}
        changes = {key: self.signer.entry(paths[key], plan) for key, plan in self.plans.items() if plan.changed}
        result.update(
            base_url=self.address,
            plan=_approval.make_plan(changes),
            set_before=self._held(),
            backup_file=self.backup_file,
            refused=refused,
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
