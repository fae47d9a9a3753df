# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What edge_modules returns and says: results, counts, messages. Private to this collection."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._scheduler import Done
from ansible_collections.edgeops.edges.plugins.module_utils._text import join_names

# So many reasons are told by the message of a task, each with so many names.
_REASONS = 20
_NAMES = 500


def make_result(done: list[Done], diff: bool, dry_run: bool, return_unchanged: bool = True) -> dict[str, t.Any]:
    """Return the result of a task: one entry an edge module, a summary, and in diff mode a diff for each change.

    :param return_unchanged: unset to leave out the entries of what neither changed nor failed.
    """
    hide_later_secrets(done)
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


def hide_later_secrets(done: list[Done]) -> None:
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
        parts.append("%s: %s" % (join_names(titles, _NAMES), full[reason] if len(titles) == 1 else reason))
    further = [title for titles in list(names.values())[_REASONS:] for title in titles]
    if further:
        parts.append("and also " + join_names(further, _NAMES))
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
        join_names(titles, 20),
    )
