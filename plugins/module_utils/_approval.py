# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signed plans, and limits to what a task may change. Private to this collection.

A plan names each change that a dry run found, with two digests: of the configuration before it, and of the step from
that to the configuration after it. They are keyed, so a plan shows no value, nothing can be guessed by it, and no entry
can be made up without the key. It says that a dry run with this key made it, not that anybody approved it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import join_names, kind_of, place, shorten, together

if t.TYPE_CHECKING:
    from ansible_collections.edgeops.edges.plugins.module_utils._plan import Plan, Values

FORMAT = 1

# The options that limit what a task changes.
LIMITS = ("max_changed", "max_removed")

# What a digest is of, so that one kind can never stand for the other.
_BEFORE = "before"
_AFTER = "after"

_DIGEST = re.compile("hmac:[0-9a-f]{32}")
_CHECKSUM = re.compile("plan-[0-9a-f]{16}")

# Why a change is refused, in the words of the message.
NOT_IN_PLAN = "is not in the plan"
MOVED = "the service's configuration is no longer the one of the plan"
OTHER = "the task asks for something else than the plan"

# So many edge modules are named for each reason.
_NAMES = 100

Changes = dict[str, dict[str, str]]


def _canonical(value: t.Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


class Signer:
    """Makes the digests of one service's configurations with one key.

    :param key: the plan key; a key of its own is derived from it, so that no digest tells anything about it.
    :param address: the normalised address of the service, so that a plan is no other service's.
    """

    def __init__(self, key: str, address: str) -> None:
        self._key = hmac.new(key.encode("utf-8"), b"edgeops.edges plan", hashlib.sha256).digest()
        self._address = address

    def _digest(self, purpose: str, path: str, *configurations: Values) -> str:
        message = _canonical([purpose, FORMAT, self._address, path, *configurations])
        return "hmac:" + hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]

    def entry(self, path: str, plan: Plan) -> dict[str, str]:
        """Return what a plan says of one change."""
        return {
            _BEFORE: self._digest(_BEFORE, path, plan.before),
            _AFTER: self.step(path, plan.before, plan.after),
        }

    def step(self, path: str, before: Values, after: Values) -> str:
        """Return the digest of a step from one configuration to another, in the form in which they are compared."""
        return self._digest(_AFTER, path, before, after)

    def refusal(self, path: str, plan: Plan, entry: dict[str, str] | None) -> str | None:
        """Return why an approved plan does not allow a change; None where it does."""
        if entry is None:
            return NOT_IN_PLAN
        made = self.entry(path, plan)
        if not hmac.compare_digest(made[_BEFORE], entry[_BEFORE]):
            return MOVED
        if not hmac.compare_digest(made[_AFTER], entry[_AFTER]):
            return OTHER
        return None


def make_plan(changes: Changes) -> dict[str, t.Any]:
    """Return the plan that allows these changes, by their keys."""
    ordered = dict(sorted(changes.items()))
    return dict(format=FORMAT, checksum=_checksum(ordered), changes=ordered)


def _checksum(changes: Changes) -> str:
    return "plan-" + hashlib.sha256(_canonical(sorted(changes.items()))).hexdigest()[:16]


def plan_faults(value: t.Any, where: str = "approved_plan") -> t.Iterator[str]:
    """Yield what is wrong with a plan: it comes from outside, and may be anything."""
    if value is None or value == {} or (isinstance(value, str) and not value.strip()):
        yield "%s is given but empty: leave it out to run without one" % where
        return
    if not isinstance(value, dict):
        yield "%s must be the plan of a dry run, not %s" % (where, kind_of(value))
        return
    for name in value:
        if name not in ("format", "checksum", "changes"):
            yield "%s is not part of a plan: give the plan as the dry run made it" % place(where, str(name))
    if isinstance(value.get("format"), bool) or value.get("format") != FORMAT:
        yield "%s.format must be %d: make a new plan with this version of the collection" % (where, FORMAT)
        return
    changes = value.get("changes")
    if not isinstance(changes, dict):
        yield "%s.changes must be a dict, not %s" % (where, kind_of(changes))
        return
    wrong = [key for key, entry in changes.items() if not _is_entry(key, entry)]
    for key in wrong[:20]:
        yield "%s is not an entry of a plan: give the plan as the dry run made it" % place(
            place(where, "changes"), str(key)
        )
    checksum = value.get("checksum")
    if not isinstance(checksum, str) or not _CHECKSUM.fullmatch(checksum):
        yield "%s.checksum must be the checksum of a plan: give the plan as the dry run made it" % where
    elif not wrong and not hmac.compare_digest(checksum, _checksum(changes)):
        yield "%s is damaged, its checksum %s does not match its changes: make a new plan" % (where, checksum)


def _is_entry(key: t.Any, entry: t.Any) -> bool:
    return (
        isinstance(key, str)
        and isinstance(entry, dict)
        and set(entry) == {_BEFORE, _AFTER}
        and all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in entry.values())
    )


def digests_faults(value: t.Any, where: str) -> t.Iterator[str]:
    """Yield what is wrong with a dict of digests by key."""
    if not isinstance(value, dict):
        yield "%s must be a dict, not %s" % (where, kind_of(value))
        return
    for key, digests in value.items():
        if not isinstance(digests, list) or not all(isinstance(one, str) and _DIGEST.fullmatch(one) for one in digests):
            yield "%s must be a list of digests" % place(where, str(key))


def plan_refusals(
    signer: Signer, plans: t.Iterable[tuple[str, str, str, Plan]], approved: dict[str, t.Any]
) -> list[str]:
    """Return what an approved plan does not allow, each with its reason.

    :param plans: (title, key, path, plan) of everything that would change.
    """
    reasons: list[tuple[str, str]] = []
    fitting = named = 0
    for title, key, path, plan in plans:
        entry = approved["changes"].get(key)
        reason = signer.refusal(path, plan, entry)
        fitting += reason is None
        named += entry is not None
        if reason:
            reasons.append((title, reason))
    refusals = together(reasons)
    if refusals and named and not fitting:
        refusals.append("no entry of the plan fits: another key may have signed it")
    return refusals


class Limit(t.NamedTuple):
    """The most that a task may change: a number, or with `share` set a percentage of what is set today."""

    option: str
    number: float
    share: bool

    def __str__(self) -> str:
        return "%g%%" % self.number if self.share else "%d" % self.number

    def allows(self, count: int, held: int) -> bool:
        """Return whether so many changes are within the limit, where so many edge modules are set today."""
        if not self.share:
            return count <= self.number
        # A share of a few says little: one of three is a third.
        return held < _LEAST_FOR_SHARE or count * 100 <= self.number * held


_LEAST_FOR_SHARE = 10


def parse_limit(option: str, value: t.Any) -> Limit | None:
    """Return the limit that an option gives; None where it gives none.

    :raises ValueError: it is neither a count nor a share; the text says so.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Limit(option, value, False)
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch("[0-9]{1,9}", text):
            return Limit(option, int(text), False)
        if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?\s*%", text) and float(text.rstrip("% \t")) <= 100:
            return Limit(option, float(text.rstrip("% \t")), True)
    raise ValueError(
        '%s must be a number from 0, such as 5, or a share from "0%%" to "100%%", such as "30%%", not %s'
        % (option, shorten(json.dumps(value, default=str), 80))
    )


class Amounts(t.NamedTuple):
    """What would change, by the titles of the edge modules, and how many of those looked at are set today."""

    replaced: list[str]
    removed: list[str]
    newly_set: list[str]
    held: int


def limit_refusals(limits: t.Iterable[Limit], amounts: Amounts) -> list[str]:
    """Return a message for each limit that would be exceeded."""
    refusals = []
    for limit in limits:
        titles = amounts.replaced if limit.option.endswith("max_changed") else amounts.removed
        if limit.allows(len(titles), amounts.held):
            continue
        of = " of the %d that are set" % amounts.held if limit.share else ""
        refusals.append(
            "%s allows %s%s: %d would be replaced, %d removed, %d newly set. %s: %s"
            % (
                limit.option,
                limit,
                of,
                len(amounts.replaced),
                len(amounts.removed),
                len(amounts.newly_set),
                "Replaced" if limit.option.endswith("max_changed") else "Removed",
                join_names(titles, _NAMES),
            )
        )
    return refusals
