# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""GET, plan, PUT or DELETE: one edge module, whichever it is. Private to this collection.

Source: edge-api.md, section 4.2 (rules 1 to 3 and 10).
"""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _plan
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError
from ansible_collections.edgeops.edges.plugins.module_utils._http import Answer, Client
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._text import dump


class Outcome(t.NamedTuple):
    """What was done, or would be. Everything in it may be shown: secrets are masked."""

    operation: str
    config: dict[str, t.Any] | None
    before: dict[str, t.Any] | None
    after: dict[str, t.Any] | None
    warning: str | None = None

    @property
    def changed(self) -> bool:
        return self.operation != _plan.NONE

    def diff(self, title: str) -> dict[str, str]:
        return dict(before=dump(self.before), after=dump(self.after), before_header=title, after_header=title)


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


def _read(job: Job, method: str, answer: Answer) -> dict[str, t.Any]:
    """Return the values of an answer that must be the edge module's configuration.

    :raises ApiError: it is something else. After a PUT the write took effect all the same.
    """
    if answer.status != 200 or not isinstance(answer.body, dict):
        reason = "with no object" if answer.status == 200 else "which is not documented"
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
    )


def reconcile(client: Client, job: Job, check_mode: bool) -> Outcome:
    """Bring an edge module to what the job wants; in check mode say only what that would take.

    :raises ApiError: a request failed, or an answer does not fit.
    :raises PlanError: what is wanted cannot be had with what is there.
    """
    answer, current = fetch(client, job)
    plan = _plan.make_plan(job.description, job.wanted, current)
    config, warning = answer, None
    if plan.operation == _plan.DELETE:
        config = None
        if not check_mode:
            _write(client, job, "DELETE")
    elif plan.operation == _plan.REPLACE and plan.values is not None and job.wanted is not None:
        job.learn(plan.values)
        if check_mode:
            config = _plan.predict(job.description, plan.values, client.connection.base_url, answer)
        else:
            reply = _write(client, job, "PUT", _plan.body_of(job.description, plan.values))
            config = reply.body
            differing = _plan.differing(job.description, plan.values, job.wanted, _read(job, "PUT", reply))
            if differing:
                warning = "%s: the service holds something else than was asked for in %s" % (
                    job.title,
                    ", ".join(differing),
                )
    return Outcome(plan.operation, _shown(job, config), *_shown_diff(job, plan), warning)


def _write(client: Client, job: Job, method: str, body: dict[str, t.Any] | None = None) -> Answer:
    """Send a write. A DELETE of what is not there has reached its goal; a PUT below what is not there has not."""
    try:
        answer = client.request(method, job.path, body, accept=(404,) if method == "DELETE" else (), hide=job.hide)
    except ApiError as exc:
        if exc.status == 404:
            route = "" if job.route_id is None else " or no such route"
            exc.extend(". There is no such edge%s: check the id" % route)
        elif exc.status is None:
            exc.extend(". Whether it took effect is not known: run again to find out and finish")
        raise
    if method == "DELETE" and not (answer.body is None or isinstance(answer.body, dict)):
        raise ApiError(
            "DELETE %s answered %d with what does not fit. Whether it took effect is not known: run again to find out"
            % (job.path, answer.status),
            method,
            job.path,
            answer.status,
        )
    return answer


def _shown(job: Job, config: dict[str, t.Any] | None) -> dict[str, t.Any] | None:
    if config is None:
        return None
    shown = dict(config)
    for name in job.description.secret_fields:
        if isinstance(shown.get(name), dict):
            shown[name] = job.secret.mask(shown[name])
    return shown


def _shown_diff(job: Job, plan: _plan.Plan) -> tuple[dict[str, t.Any] | None, dict[str, t.Any] | None]:
    before, after = plan.before, plan.after
    for name in job.description.secret_fields:
        masked_before, masked_after = job.secret.mask_diff((before or {}).get(name, {}), (after or {}).get(name, {}))
        before = before and {**before, name: masked_before}
        after = after and {**after, name: masked_after}
    return before, after
