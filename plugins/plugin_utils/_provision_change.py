# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A change under control in the role provision: plans and limits over all hosts, backup, verification, putting back.

Private to this collection. Where any of it is asked for, a host goes through these steps between `check` and `report`:

plan      each host   edge_modules with plan_only: reads, plans, writes its part of the backup
approve   one host    refuses the play for what is wrong in all hosts together; puts the backup together
write     each host   edge_modules, which writes just what it planned
          each host   the verification, the user's own tasks
judge     one host    finds which hosts put back what they wrote
put_back  each host   edge_modules with rollback_of
"""

from __future__ import annotations

import json
import os
import shutil
import typing as t
from urllib.parse import quote

from ansible import constants as C
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.helpers import load_list_of_blocks
from ansible_collections.edgeops.edges.plugins.module_utils import _approval, _backup
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._many import fits
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten, together
from ansible_collections.edgeops.edges.plugins.module_utils._yaml import dump_yaml
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_files as files
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import Play, Result
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import NO_MESSAGE, NOT_REACHED

VARIABLES = (
    "provision_only",
    "provision_approved_plan",
    "provision_require_plan",
    "provision_plan_key",
    "provision_max_changed",
    "provision_max_removed",
    "provision_max_failures",
    "provision_backup",
    "provision_plan",
    "provision_verify",
    "provision_rollback",
)

_LIMITS = tuple("provision_" + name for name in _approval.LIMITS)


# begin


def begin(play: Play, lists: t.Mapping[str, t.Any]) -> Result:
    """Return what a host asks for, and what is wrong with it."""
    faults: list[str] = []
    approved = _approved(play, faults)
    limits = _limits(play, faults)
    backup = _path(play, "provision_backup", faults)
    plan = _path(play, "provision_plan", faults) if play.drift_entry else ""
    rollback = play.switch("provision_rollback")
    patterns = _patterns(play, faults)
    if play.switch("provision_require_plan") and not (approved or play.check_mode):
        faults.append(
            "provision_require_plan is true, but provision_approved_plan is not given: make a plan with drift"
        )
    if not play.linear and len(play.all_hosts) > 1:
        faults += [
            "%s needs the strategy linear, since it holds over all hosts" % name
            for name, given in (*((one.option, True) for one in limits), ("provision_backup", backup))
            if given
        ]
    if (backup or rollback) and play.transport != "local":
        faults.append(
            "provision_backup and provision_rollback need the connection local, since the files are the controller's"
        )
    part = ""
    if (backup or rollback) and not play.check_mode:
        # Ansible's own folder of this run, which only its user can read, and which it removes at the end.
        folder = C.DEFAULT_LOCAL_TMP  # type: ignore[attr-defined]
        part = os.path.join(folder, "edges-%s.yml" % quote(play.host, safe=" "))
    return dict(
        controlled=bool(approved or limits or backup or rollback),
        dry_run=play.check_mode,
        approved=approved,
        part=part,
        backup=backup,
        plan=plan,
        rollback=rollback,
        limits=[[one.option, str(one)] for one in limits],
        verify=_verify(play, faults),
        patterns=patterns,
        # Each host gets the patterns that fit something of it; none at all leave everything of it alone.
        only=None if patterns is None else [one for one in patterns if fits_any(lists, one)],
        faults=faults,
    )


def _approved(play: Play, faults: list[str]) -> bool:
    """Return whether a plan is named. One that is named and missing is a fault, never no plan."""
    name = "provision_approved_plan"
    if name not in play.variables:
        return False
    try:
        value = play.template(play.variables[name])
        plan = json.loads(json.dumps(value))
    except (AnsibleError, TypeError, ValueError) as exc:
        faults.append("%s is given but cannot be evaluated: %s" % (name, exc))
    else:
        faults += _approval.plan_faults(plan, name)
    return True


def _limits(play: Play, faults: list[str]) -> list[_approval.Limit]:
    found = []
    for name in _LIMITS:
        try:
            limit = _approval.parse_limit(name, _plain(play.given(name)))
        except ValueError as exc:
            faults.append(str(exc))
        else:
            found += [limit] if limit else []
    return found


def _plain(value: t.Any) -> t.Any:
    """Return a value as JSON has it, without Ansible's own types."""
    return json.loads(json.dumps(value, default=str))


def _path(play: Play, name: str, faults: list[str]) -> str:
    given = play.given(name)
    if given is None:
        return ""
    why = files.fault(given)
    if why:
        faults.append("%s: %s" % (name, why))
        return ""
    # Not resolved: a link is not followed but replaced.
    return os.path.abspath(os.path.expanduser(given))


def _verify(play: Play, faults: list[str]) -> str:
    """Return the file of tasks that verify, which has to be there and to be one."""
    given = play.given("provision_verify")
    if given is None:
        return ""
    path = os.path.abspath(os.path.expanduser(str(given)))
    try:
        tasks = DataLoader().load_from_file(path)
        if not isinstance(tasks, list) or not tasks:
            faults.append("provision_verify: %s is not a list of tasks" % path)
        else:
            load_list_of_blocks(tasks, play=play.play, loader=DataLoader())
    except (AnsibleError, AssertionError) as exc:
        faults.append("provision_verify: %s cannot be loaded: %s" % (path, exc))
    return path


def _patterns(play: Play, faults: list[str]) -> list[str] | None:
    given = _plain(play.given("provision_only"))
    if given is None:
        return None
    listed = given.split(",") if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(one, str) and one.strip() for one in listed):
        faults.append("provision_only must be a list of ids or names of edges, or text with commas between them")
        return None
    return [one.strip() for one in listed]


def fits_any(lists: t.Mapping[str, t.Any], pattern: str) -> bool:
    """Return whether a pattern fits any edge of the lists of a host."""
    return any(
        isinstance(edge, dict) and isinstance(edge.get("id"), str) and fits(edge, [pattern])
        for listed in lists.values()
        for edge in (listed if isinstance(listed, list) else ())
    )


# check


def check_faults(play: Play, begun: dict[str, Result]) -> t.Iterator[str]:
    """Yield what is wrong in all hosts together, before anything is sent."""
    faults = [(host, fault) for host, each in begun.items() for fault in each["control"]["faults"]]
    yield from [fault for dummy, fault in faults] if len(begun) == 1 else together(faults)
    backups = {each["control"]["backup"] for each in begun.values()} - {""}
    if len(backups) > 1:
        yield "provision_backup must be the same file for all hosts of the play, not %s" % ", ".join(sorted(backups))
    addresses = {each["address"] for each in begun.values()} - {""}
    if backups and len(addresses) > 1:
        yield "provision_backup needs one service for all hosts of the play, not %s" % ", ".join(sorted(addresses))
    yield from _shared_files(begun)
    for pattern in _unfit(play, begun):
        yield "provision_only: %s matches no edge of any host" % shorten(pattern, 80)


def _shared_files(begun: dict[str, Result]) -> t.Iterator[str]:
    """Yield which files are named for two purposes: what is written later would replace a backup or a plan."""
    named: dict[str, set[str]] = {}
    for each in begun.values():
        for purpose in ("backup", "plan", "verify"):
            path = each["control"][purpose]
            if path:
                named.setdefault(os.path.realpath(path), set()).add("provision_" + purpose)
        for path in each["reports"]:
            named.setdefault(os.path.realpath(path), set()).add("provision_report")
    for path, names in named.items():
        if len(names) > 1:
            yield "%s name the same file: %s" % (" and ".join(sorted(names)), path)


def _unfit(play: Play, begun: dict[str, Result]) -> list[str]:
    patterns = dict.fromkeys(one for each in begun.values() for one in each["control"]["patterns"] or ())
    left = [one for one in patterns if not any(one in (each["control"]["only"] or ()) for each in begun.values())]
    for host in play.all_hosts if left else ():
        if host not in begun:  # its turn is still to come
            variables = play.variables["hostvars"][host]
            lists = {name: variables.get(name) for name in play.lists}
            left = [one for one in left if not fits_any(lists, one)]
    return left


# approve


def approve(play: Play) -> Result:
    """Find whether any host may write, and put the backup together before any does."""
    found: Result = dict(
        turn=play.turn, batch=play.batch, leader=play.leader, allowed=False, reasons=[], backup_file=""
    )
    if not play.leads:
        return found
    begun = play.begun()
    planned = {host: play.of_host(host).get("provision_planned") for host in play.batch_hosts}
    found_wrong = [(host, text) for host, each in planned.items() for text in _reasons(each)]
    reasons = together(found_wrong) if len(begun) > 1 else [text for dummy, text in found_wrong]
    if not reasons:
        reasons += _approval.limit_refusals(_all_limits(play), _amounts(play, planned))
    if not reasons and not play.check_mode:
        try:
            found["backup_file"] = _put_together(play, begun, planned)
        except (AnsibleError, EdgeError, OSError) as exc:
            reasons.append("provision_backup: %s" % exc)
    return dict(found, allowed=not reasons, reasons=reasons)


def _reasons(planned: t.Any) -> t.Iterator[str]:
    """Yield why a host may not write, if so."""
    if not isinstance(planned, dict) or planned.get("unreachable"):
        yield NOT_REACHED
    elif planned.get("refused") or "summary" not in planned or planned["summary"]["failed"]:
        yield str(planned.get("msg") or NO_MESSAGE).replace("refused, nothing written: ", "", 1)


def _all_limits(play: Play) -> list[_approval.Limit]:
    """Return the limits of the play. Where hosts name different ones, each holds."""
    named = {tuple(limit) for each in play.begun().values() for limit in each["control"]["limits"]}
    return [limit for limit in (_approval.parse_limit(*one) for one in sorted(named)) if limit]


def _amounts(play: Play, planned: dict[str, t.Any]) -> _approval.Amounts:
    """Return what this batch would change and what those before it changed."""
    amounts = _approval.Amounts([], [], [], 0)
    for host in play.begun():
        variables = play.of_host(host)
        outcome = planned.get(host) or variables.get("provision_outcome") or {}
        for one in outcome.get("results") or ():
            if not one.get("changed") or one.get("error"):
                continue
            title = " ".join(str(one[name]) for name in ("module", "edge_id", "route_id") if one.get(name))
            if one.get("name"):
                title += " (%s)" % one["name"]
            kind = amounts.removed if one["after"] is None else amounts.newly_set if one["before"] is None else None
            (amounts.replaced if kind is None else kind).append(title)
        amounts = amounts._replace(held=amounts.held + int(outcome.get("set_before") or 0))
    return amounts


def _put_together(play: Play, begun: dict[str, Result], planned: dict[str, t.Any]) -> str:
    """Write one backup of all hosts, and return where; nothing where there is nothing to back up.

    A later batch adds to the file of the batch before. No secret passes through a variable or a result.
    """
    path = next((each["control"]["backup"] for each in begun.values() if each["control"]["backup"]), "")
    parts = [begun[host]["control"]["part"] for host, each in planned.items() if each.get("backup_file")]
    if not path or not parts:
        return _earlier(play)
    earlier = _earlier(play)
    loader = DataLoader()
    content = [json.loads(json.dumps(loader.load_from_file(one))) for one in ([earlier] if earlier else []) + parts]
    _backup.write(path, _backup.merged(content), keep=not earlier)
    return path


def _earlier(play: Play) -> str:
    """Return the backup that an earlier batch of this play wrote."""
    for host in play.begun():
        approval = play.of_host(host).get("provision_approval")
        if isinstance(approval, dict) and approval.get("turn") == play.turn and approval.get("backup_file"):
            return approval["backup_file"]
    return ""


# judge


def unverified(play: Play, message: str) -> Result:
    """Note that the verification failed on a host."""
    return dict(turn=play.turn, message=message)


def verification(play: Play, host: str) -> str:
    """Return why the verification of a host failed; nothing where it did not."""
    found = play.of_host(host).get("provision_unverified")
    return found["message"] if isinstance(found, dict) and found.get("turn") == play.turn else ""


def judge(play: Play, failed: t.Callable[[str], bool]) -> Result:
    """Find which hosts put back what they wrote.

    :param failed: returns whether the own run of a host failed.
    """
    found: Result = dict(turn=play.turn, batch=play.batch, leader=play.leader, back=[])
    if not play.leads:
        return found
    hosts = play.batch_hosts
    bad = [host for host in hosts if failed(host) or verification(play, host)]
    if bad and play.any_errors_fatal:
        bad = hosts
    wrote = [host for host in bad if (play.of_host(host).get("provision_outcome") or {}).get("written")]
    return dict(found, back=[host for host in wrote if play.begun()[host]["control"]["rollback"]])


# report


def restored(play: Play, hosts: t.Iterable[str]) -> dict[str, list[Result]]:
    """Return what was put back and what was not, for those of the hosts that had to."""
    found: dict[str, list[Result]] = {}
    for host in hosts:
        back = play.of_host(host).get("provision_restored")
        judgement = play.of_host(host).get("provision_judgement")
        if not isinstance(judgement, dict) or judgement.get("turn") != play.turn:
            continue
        if host not in _back(play, judgement):
            continue
        if not isinstance(back, dict) or "results" not in back:
            reason = str(back.get("msg") or NO_MESSAGE) if isinstance(back, dict) else "not tried"
            back = dict(results=[dict(module="all edge modules", error=dict(msg=reason))])
        found[host] = [
            dict(
                module=one.get("module"),
                edge_id=one.get("edge_id"),
                route_id=one.get("route_id"),
                restored=not one.get("error"),
                reason=(one.get("error") or {}).get("msg"),
            )
            for one in back["results"]
        ]
    return found


def _back(play: Play, judgement: Result) -> list[str]:
    leader = judgement["leader"]
    own = play.of_host(leader).get("provision_judgement")
    return own.get("back", []) if isinstance(own, dict) else []


def keep_parts(play: Play, lost: dict[str, list[Result]]) -> dict[str, str]:
    """Keep the files of hosts on which not everything could be put back; return where they are."""
    kept = {}
    for host, listed in lost.items():
        if all(one["restored"] for one in listed):
            continue
        control = play.begun()[host]["control"]
        if control["backup"]:
            kept[host] = control["backup"]
            continue
        path = os.path.abspath("rollback-%s.yml" % os.path.basename(control["part"])[len("edges-") : -len(".yml")])
        _backup.set_aside(path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as target, open(control["part"], "rb") as source:
            shutil.copyfileobj(source, target)
        kept[host] = path
    return kept


def plan_of(outcomes: dict[str, Result]) -> dict[str, t.Any] | None:
    """Return the plan of all hosts together.

    :raises EdgeError: hosts of several services name edge modules with the same ids.
    """
    changes: dict[str, t.Any] = {}
    for outcome in outcomes.values():
        for key, entry in (outcome.get("plan") or {}).get("changes", {}).items():
            if changes.setdefault(key, entry) != entry:
                raise EdgeError("%s is in the plans of two services: make a plan for each of them" % key)
    return _approval.make_plan(json.loads(json.dumps(changes)))


def write_plan(path: str, plan: dict[str, t.Any] | None) -> None:
    """Write a plan as variables; where there is none, leave none: an earlier file is renamed."""
    if plan is None:
        _backup.set_aside(path)
    else:
        files.write(path, dump_yaml(dict(provision_approved_plan=plan)))
