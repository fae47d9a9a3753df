# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""GET, plan, PUT or DELETE: one edge module, whichever it is. Private to this collection.

Source: edge-api.md, section 4.2 (rules 1 to 3 and 10).
"""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _plan
from ansible_collections.edgeops.edges.plugins.module_utils._answers import Answer
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError
from ansible_collections.edgeops.edges.plugins.module_utils._http import Client
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._text import dump, kind_of

_UNKNOWN_EFFECT = "Whether it took effect is not known: run again to find out and finish"


class Outcome(t.NamedTuple):
    """What was done, or would be. `config`, `before` and `after` may be shown: secrets in them are masked.

    `held` is what the service answered to a PUT, in the form in which configurations are compared; not to be shown.
    """

    operation: str
    config: dict[str, t.Any] | None
    before: dict[str, t.Any] | None
    after: dict[str, t.Any] | None
    warning: str | None = None
    held: dict[str, t.Any] | None = None

    @property
    def changed(self) -> bool:
        return self.operation != _plan.NONE

    def diff(self, title: str) -> dict[str, str]:
        return dict(before=dump(self.before), after=dump(self.after), before_header=title, after_header=title)


def reconcile(client: Client, job: Job, check_mode: bool) -> Outcome:
    """Bring an edge module to what the job wants; in check mode say only what that would take.

    :raises ApiError: a request failed, or an answer does not fit.
    :raises PlanError: what is wanted cannot be had with what is there.
    """
    answer, plan = look(client, job)
    return carry_out(client, job, answer, plan, check_mode)


def look(client: Client, job: Job) -> tuple[dict[str, t.Any] | None, _plan.Plan]:
    """Return the configuration that the service holds, as answered, and what to do about it; raises as reconcile."""
    answer, current = fetch(client, job)
    return answer, _plan.make_plan(job.description, job.wanted, current)


def fetch(client: Client, job: Job) -> tuple[dict[str, t.Any] | None, dict[str, t.Any] | None]:
    """Return the configuration that the service holds, as answered and field by field; None twice for not set.

    How the service says "not set" is not documented: each of 404, 204, an empty body, null and {} does.
    """
    answer = client.request("GET", job.path, accept=(404,), hide=job.hide)
    if answer.status in (404, 204) or (answer.status == 200 and answer.body in (None, {})):
        return None, None
    values = _read(job, "GET", answer)
    job.learn(values)
    return answer.body, values


def carry_out(client: Client, job: Job, answer: dict[str, t.Any] | None, plan: _plan.Plan, check_mode: bool) -> Outcome:
    """Do what the plan says; in check mode only predict it. `answer` is the configuration that the service holds."""
    config, warning, held = answer, None, None
    if plan.operation == _plan.DELETE:
        config = None
        if not check_mode:
            _write(client, job, "DELETE")
    elif plan.operation == _plan.REPLACE:
        job.learn(plan.values)
        if check_mode:
            config = plan.prediction(client.connection.base_url, answer)
        else:
            reply = _write(client, job, "PUT", plan.body())
            config = reply.body
            values = _read(job, "PUT", reply)
            held = _plan.canonical(job.description, values)
            differing = plan.differing(values)
            if differing:
                warning = "%s: the service holds something else than was asked for in %s" % (
                    job.title,
                    ", ".join(differing),
                )
    return Outcome(plan.operation, _masked(job, config), *plan.shown(job.secret_names), warning, held)


def leave(job: Job, answer: dict[str, t.Any] | None, plan: _plan.Plan) -> Outcome:
    """Return the outcome of a plan that is not carried out."""
    return Outcome(plan.operation, _masked(job, answer), *plan.shown(job.secret_names))


def _read(job: Job, method: str, answer: Answer) -> dict[str, t.Any]:
    """Return the values of an answer that must be the edge module's configuration.

    :raises ApiError: it is something else. After a PUT the write took effect all the same.
    """
    if answer.status != 200 or not isinstance(answer.body, dict):
        reason = "which is not documented"
        if answer.status == 200:
            reason = "but with %s, not a dict" % kind_of(answer.body)
    else:
        try:
            return _plan.read(job.description, answer.body)
        except _plan.AnswerError as exc:
            reason = "but %s" % exc
    raise ApiError(
        "%s %s answered %d, %s" % (method, job.path, answer.status, reason),
        method,
        job.path,
        answer.status,
        written=method == "PUT",
        hint="Check base_url and api_version",
    )


def _write(client: Client, job: Job, method: str, body: dict[str, t.Any] | None = None) -> Answer:
    """Send a write. A DELETE of what is not there has reached its goal; a PUT below what is not there has not."""
    try:
        answer = client.request(method, job.path, body, accept=(404,) if method == "DELETE" else (), hide=job.hide)
    except ApiError as exc:
        if exc.status == 404:
            route = "" if job.route_id is None else " or no such route"
            exc.extend("", "There is no such edge%s: check the id" % route)
        elif exc.status is None:
            exc.extend("", _UNKNOWN_EFFECT)
        raise
    if method == "DELETE" and not (answer.body is None or isinstance(answer.body, dict)):
        raise ApiError(
            "DELETE %s answered %d, but with %s, not a dict" % (job.path, answer.status, kind_of(answer.body)),
            method,
            job.path,
            answer.status,
            hint=_UNKNOWN_EFFECT,
        )
    return answer


def _masked(job: Job, config: dict[str, t.Any] | None) -> dict[str, t.Any] | None:
    if config is None:
        return None
    shown = dict(config)
    for each in job.description.secret_fields:
        if each.answer_key in shown:
            shown[each.answer_key] = each.rule.mask_answer(shown[each.answer_key], job.secret_names)
    # What nobody has told about may repeat a secret.
    known = {each.answer_key for each in job.description.fields}
    unknown = {key: value for key, value in config.items() if key not in known}
    shown.update(job.hide_values(unknown) if unknown else {})
    return shown
