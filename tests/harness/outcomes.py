# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results of edge_modules, written down by hand: what a report is made of."""

from __future__ import annotations

import copy
import typing as t

Result = dict[str, t.Any]


def result(edge_id: str, operation: str | None, **more: t.Any) -> Result:
    """One edge module; what is not given is that of the backend of a TCP edge."""
    found = dict(edge_id=edge_id, route_id=None, name=None, module="tcp_edge_backend", operation=operation, config=None)
    return {**found, "changed": operation in ("replace", "delete"), **more}


def replaced(edge_id: str, before: t.Any, after: t.Any, **more: t.Any) -> Result:
    return result(edge_id, "replace", before=before, after=after, **more)


def removed(edge_id: str, before: t.Any, **more: t.Any) -> Result:
    return result(edge_id, "delete", before=before, after=None, **more)


def failed(edge_id: str, status: int | None, message: str, operation_id: str | None = None, **more: t.Any) -> Result:
    """What a refused PUT gives; without a status there was no answer."""
    path = "/edges/tcp/%s/backend" % edge_id
    said = "failed" if status is None else "answered %d" % status
    text = "PUT %s %s: %s" % (path, said, message)
    if operation_id:
        text += " (operation %s)" % operation_id
    error = dict(msg=text, method="PUT", path=path, status=status, code=None, operation_id=operation_id)
    return result(edge_id, None, error=error, **more)


def not_tried(edge_id: str, sent: str = "") -> Result:
    nothing = dict(method=None, path=None, status=None, code=None, operation_id=None)
    return result(edge_id, None, error=dict(nothing, msg="%snot tried: the task was stopped" % sent))


def outcome(*results: Result, **more: t.Any) -> Result:
    """What edge_modules returns; its summary is counted from the results where none is given."""
    found: Result = dict(changed=False, dry_run=True, msg="counted", results=list(results))
    states = [one["operation"] for one in results if "error" not in one]
    changed = sum(one["changed"] and "error" not in one for one in results)
    found["summary"] = dict(
        total=len(results),
        changed=changed,
        removed=states.count("delete"),
        unchanged=states.count("none"),
        failed=len(results) - len(states),
    )
    return {**found, **more}


def policy(rules: int) -> dict[str, t.Any]:
    """A traffic policy of 14 lines a rule."""
    return dict(
        enabled=True,
        value=dict(
            inbound=[
                dict(
                    name="rule %d" % number,
                    expressions=["req.url.path.startsWith('/v%d')" % number],
                    actions=[dict(type="deny", config=dict(status_code=400 + number))],
                )
                for number in range(rules)
            ]
        ),
    )


def policy_changed(rules: int, *numbers: int) -> Result:
    """A traffic policy of which one line of each of the rules changes."""
    before = policy(rules)
    after = copy.deepcopy(before)
    for number in numbers:
        after["value"]["inbound"][number]["actions"][0]["config"]["status_code"] = 599
    module = "https_edge_route_traffic_policy"
    return replaced("edghts_1", before, after, route_id="edghtsrt_1", module=module)


def every_rule_changed(rules: int) -> Result:
    return outcome(policy_changed(rules, *range(rules)))


def many_changed(number: int) -> Result:
    return outcome(*[replaced("edgtcp_%d" % n, {"a": n}, {"a": -n - 1}) for n in range(number)])
