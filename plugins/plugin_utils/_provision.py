# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The controller's side of the role provision, step by step. Private to this collection.

A host of the play that takes part (its `when` holds) goes through the steps in this order; between two of them all
hosts of the batch have done the one before:

begin   each host   says that it takes part, and what it names
check   one host    refuses the play, before anything is sent, for what is wrong in all hosts together
        each host   edge_modules (step reconcile); with plans, limits, backup, verification or putting back see
                    _provision_change.py
report  one host    writes the reports, sets the stats, and finds whether anything has failed
tell    one host    says in short what was done
finish  each host   fails where it has to; one host, and nothing to do, where nothing failed

Each host that takes part costs Ansible a process a step. So what concerns all hosts is done by one of them, which looks
at the others once: no host looks at all others.
"""

from __future__ import annotations

import os
import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._connection import address_of
from ansible_collections.edgeops.edges.plugins.module_utils._description import Kind
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._text import join_faults, join_names, shorten, together
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_change as change
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_files as files
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_reconcile as reconciling
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_validate as validation
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import (
    KINDS,
    LISTS,
    Play,
    Refused,
    Result,
    is_of,
)
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import NOT_LOOKED_AT, NOT_REACHED, amount

# What the user may set; roles/provision/meta/argument_specs.yml says what each means.
VARIABLES = frozenset(
    (
        *LISTS,
        *("provision_" + name for name in _argspec.connection_spec()),
        "provision_purge",
        "provision_concurrency",
        "provision_secret_headers",
        "provision_secret_keys",
        "provision_report",
        "provision_report_title",
        "provision_allow_empty",
        *change.VARIABLES,
        "drift_fail",
        "provision_hosts",
    )
)

# What the role and its playbooks set.
_OWN = frozenset(
    "provision_" + name
    for name in (
        *("begun", "outcome", "once", "checked", "verdict", "report_fallback"),
        *("planned", "approval", "allowed", "succeeded", "unverified", "judgement", "backed_up", "restored"),
    )
)

_FORMS = {".html": "html", ".json": "json", ".md": "md", ".diff": "diff"}

_LINEAR = ("linear", "debug")


# begin


def begin(play: Play, drift: bool, validate: bool = False) -> Result:
    """Say that a host takes part, and what it names.

    :param validate: set to find all that is wrong with its variables, since nothing else will.
    """
    lists = {name: play.given(name) for name in LISTS}
    control = change.begin(play, lists)
    if validate:
        control["faults"] += validation.faults(play)
    owners = {} if play.alone else dict(_owners(lists, play.switch("provision_purge")))
    reports, faults = _reports(play)
    return dict(
        control=control,
        host=play.host,
        turn=play.task,
        batch=play.variables["ansible_play_batch"][0],
        drift=drift,
        once=play.linear,
        # What is not a list is the module's to complain of.
        entries=sum(len(value) if isinstance(value, list) else value is not None for value in lists.values()),
        address=_address(play) if owners else "",
        owners=owners,
        reports=reports,
        faults=faults,
        warnings=[*_strategy_warnings(play), *_mistyped(play.variables)],
    )


def _owners(lists: dict[str, t.Any], purge: bool) -> t.Iterator[tuple[str, Result]]:
    """Yield the edges and routes that lists name, each with the names of its edge modules.

    `whole` says that the host must be the only one with anything of it.
    """
    for kind, listed in zip(KINDS, lists.values()):
        mine = [each for each in _registry.DESCRIPTIONS if each.kind == kind]
        whole = purge or any(each.goes_first for each in mine)
        for ids, entry in _entries(kind, listed):
            modules = [each.name for each in mine if entry.get(each.entry) is not None]
            if modules or purge:
                yield " ".join((kind.option, *ids)), dict(modules=modules, whole=whole)


def _entries(kind: Kind, listed: t.Any) -> t.Iterator[tuple[tuple[str, ...], dict[str, t.Any]]]:
    """Yield what edge modules are attached to, by ids. What is wrong with it is the module's to say."""
    for edge in _dicts(listed):
        if kind.route_prefix is None:
            yield (str(edge["id"]),), edge
            continue
        for route in _dicts(edge.get("routes")):
            yield (str(edge["id"]), str(route["id"])), route


def _dicts(listed: t.Any) -> list[dict[str, t.Any]]:
    return [each for each in listed if isinstance(each, dict) and each.get("id")] if isinstance(listed, list) else []


def _address(play: Play) -> str:
    """Return the address of the service, as far as the controller knows it."""
    found = play.given("provision_base_url")
    for defaults in reversed(play.module_defaults):
        for name, options in defaults.items():
            if name in ("group/edgeops.edges.all", "edgeops.edges.edge_modules") and isinstance(options, dict):
                found = found or play.template(options.get("base_url"))
    given = str(found or os.environ.get("EDGE_API_BASE_URL") or "").strip()
    try:
        return address_of(dict(base_url=given)) if given else ""
    except ValueError:
        return ""  # the module says what is wrong with it


def _reports(play: Play) -> tuple[list[str], list[str]]:
    """Return where reports go, and why those that cannot be written cannot."""
    asked = play.template(play.variables.get("provision_report"))
    if asked is None:
        asked = play.variables.get("provision_report_fallback")
    if isinstance(asked, str) and not asked.strip():
        asked = None  # given as blank: for no report
    if not play.linear and len(play.all_hosts) > 1:
        asked = None  # there can be none of all hosts
    paths: dict[str, None] = {}
    faults = []
    for path in [] if asked is None else asked if isinstance(asked, list) else [asked]:
        why = files.fault(path)
        if why:
            faults.append("provision_report: %s" % why)
        if isinstance(path, str) and path.strip() and _form(path) is None:
            faults.append("provision_report: %s must end in one of %s" % (shorten(path), ", ".join(_FORMS)))
        elif not why:
            paths[files.absolute(path)] = None
    return list(paths), faults


def _form(path: str) -> str | None:
    return _FORMS.get(os.path.splitext(path)[1].lower())


def _strategy_warnings(play: Play) -> t.Iterator[str]:
    if not play.linear and len(play.all_hosts) > 1:
        yield (
            "The strategy of this play is %s. There is no report of all hosts, and no check that no two of them name "
            "the same edge module: use the strategy linear for both" % play.strategy
        )


def _mistyped(names: t.Iterable[str]) -> t.Iterator[str]:
    # What is one letter away has one half of the beginning as it should be, at least.
    halves = ("provi", "sion_", "drift", "_fail")
    for name in names:
        if name in VARIABLES or name in _OWN or not any(half in name for half in halves):
            continue
        for known in sorted(VARIABLES):
            if _one_letter_away(name, known):
                yield "%s is not a variable of the role provision: did you mean %s?" % (name, known)


def _one_letter_away(name: str, known: str) -> bool:
    """Whether a letter was left out, added, mistaken for another, or swapped with the next one."""
    if abs(len(name) - len(known)) > 1 or name == known:
        return False
    shorter = min(len(name), len(known))
    at = next((place for place in range(shorter) if name[place] != known[place]), shorter)
    rest, rest_known = name[at:], known[at:]
    swapped = rest[:2] == rest_known[1::-1] and rest[2:] == rest_known[2:]
    return swapped or rest[1:] == rest_known[1:] or rest[1:] == rest_known or rest == rest_known[1:]


# path


def path(given: str | None) -> Result:
    """Return where a file of the playbook export goes."""
    why = files.fault(given)
    if why:
        raise Refused("export_path: %s" % why)
    return dict(path=files.absolute(str(given)))


# check


def check(play: Play) -> Result:
    """Refuse the play for what is wrong in all hosts together."""
    if not play.leads:
        return {}
    begun = play.begun()
    faults = [] if play.drift else [fault for each in begun.values() for fault in each["faults"]]
    faults += change.check_faults(play, begun)
    faults += _conflicts(begun)
    if _is_empty(play, begun) and not play.switch("provision_allow_empty"):
        faults.append(_empty_text(play))
    faults = list(dict.fromkeys(faults))
    if faults:
        return dict(failed=True, msg="Nothing was sent: %s" % join_faults(faults))
    controlled = any(each["control"]["controlled"] or each["control"]["verify"] for each in begun.values())
    return dict(ansible_facts=dict(provision_checked=dict(controlled=controlled)))


def _conflicts(begun: dict[str, Result]) -> t.Iterator[str]:
    """Yield what two hosts name that only one may."""
    first: dict[tuple[str, str], list[tuple[str, Result]]] = {}
    both: dict[tuple[str, str], list[str]] = {}
    for host, each in begun.items():
        for owner, mine in each["owners"].items():
            place = first.setdefault((each["address"], owner), [])
            for other, others in place:
                shared = [name for name in mine["modules"] if name in others["modules"]]
                if shared or mine["whole"] or others["whole"]:
                    what = "%s of %s" % (", ".join(shared), owner) if shared else owner
                    both.setdefault((other, host), []).append(what)
                    break
            else:
                place.append((host, mine))
    for hosts, named in both.items():
        yield "the hosts %s and %s both name %s: leave it to one of them" % (*hosts, join_names(named, 100))


def _is_empty(play: Play, begun: dict[str, Result]) -> bool:
    """Whether no host of the play has any entry; false where there are hosts whose turn is still to come."""
    if any(each["entries"] for each in begun.values()):
        return False
    if len(play.all_hosts) == 1:
        return True
    return play.linear and play.variables["ansible_play_hosts"][-1] in play.variables["ansible_play_batch"]


def _empty_text(play: Play) -> str:
    text = "no host of the play has any entry in %s" % ", ".join(LISTS)
    bare = [kind.option for kind in KINDS if play.variables.get(kind.option)]
    if bare:
        text += ", though %s is set (the names of the role's variables begin with provision_)" % ", ".join(bare)
    return text + ": check the names of the variables, or set provision_allow_empty to true where that is meant"


# report, tell, finish


def outcomes(play: Play) -> dict[str, Result]:
    """Return what became of each host that takes part, and of those that were lost before they could."""
    if play.alone:
        own = _outcome(play.variables)
        return {play.host: dict(own, failed=own["failed"] and not (own.get("refused") and _refusals(play)))}
    living = set(play.variables["ansible_play_hosts"])
    refused = bool(_refusals(play))
    found: dict[str, Result] = {}
    for host in play.all_hosts:
        variables = play.of_host(host)
        if play.begun_of(host) is not None:
            found[host] = _outcome(variables)
            if refused and found[host].get("refused"):
                found[host]["failed"] = False  # the reasons for all hosts say it
        elif host not in living:
            found[host] = dict(failed=True, msg=NOT_LOOKED_AT)
    return found


def _outcome(variables: dict[str, t.Any]) -> Result:
    """Return the result of edge_modules, which the role keeps from failing, as the failure that it may be."""
    outcome = variables.get("provision_outcome")
    if (variables.get("provision_begun") or {}).get("control", {}).get("controlled"):
        # Where nothing was written, what was planned is all there is to say.
        if not isinstance(outcome, dict) or outcome.get("skipped"):
            outcome = variables.get("provision_planned")
    if not isinstance(outcome, dict):
        return dict(failed=True, msg=NOT_LOOKED_AT)
    return dict(outcome, failed=_has_failed(outcome))


def _has_failed(outcome: Result) -> bool:
    if outcome.get("unreachable") or outcome.get("skipped"):
        return False
    return bool(
        outcome.get("failed") or outcome.get("refused") or "summary" not in outcome or outcome["summary"]["failed"]
    )


def _is_good(outcome: Result) -> bool:
    return not (outcome["failed"] or outcome.get("unreachable"))


def _meta(play: Play, found: dict[str, Result]) -> dict[str, t.Any]:
    begun = play.begun()
    # What is only planned calls itself a dry run; whether the play is one was found as it began.
    controlled = any(each["control"]["controlled"] for each in begun.values())
    said = [] if controlled else [each["dry_run"] for each in found.values() if "dry_run" in each]
    return dict(
        dry_run=all(said) if said else play.drift or play.check_mode,
        title=play.given("provision_report_title"),
        plan=_plan(found),
        refused=_refusals(play) or None,
        restored=change.restored(play, begun),
    )


def _plan(found: dict[str, Result]) -> dict[str, t.Any] | None:
    try:
        return change.plan_of(found) if any(each.get("plan") for each in found.values()) else None
    except EdgeError:
        return None


def _refusals(play: Play) -> list[str]:
    """Return why no host of this batch was let write."""
    approval = play.of_host(play.leader).get("provision_approval")
    return approval["reasons"] if is_of(approval, play.turn) else []


def report(play: Play) -> Result:
    """Write the reports and find the verdict; nothing here fails, so that the text is told before anything does."""
    if not play.leads:
        return {}
    found = outcomes(play)
    verdict = _judge(play, found)
    meta = _meta(play, found)
    for path in dict.fromkeys(path for each in play.begun().values() for path in each["reports"]):
        try:
            files.write(path, _report.render(_form(path) or "html", found, **meta))
        except OSError as exc:
            verdict["faults"].append("provision_report: %s cannot be written: %s" % (path, exc.strerror or exc))
            verdict["good"] = False
        else:
            verdict["written"].append(path)
    verdict["kept"] = change.keep_parts(play, meta["restored"])
    result: Result = dict(ansible_facts=dict(provision_verdict=verdict))
    if play.drift:
        plan = _drift_plan(play, found, verdict)
        counts = _report.render("counts", found, **meta)
        names = ("total", "changed", "removed", "unchanged", "failed")
        data: dict[str, t.Any] = {"drift_" + name: counts[name] for name in names}
        if plan:
            data["drift_plan"] = plan
        result["ansible_stats"] = dict(
            data=data,
            # Where no host sees the others, each adds its own.
            aggregate=not play.linear,
            per_host=False,
        )
    return result


def _drift_plan(play: Play, found: dict[str, Result], verdict: Result) -> dict[str, t.Any] | None:
    """Write the plan where it is asked for, and return it; where anything failed there is none."""
    plan = None
    bad = verdict["failed"] or verdict["faults"] or _refusals(play)
    if not bad:
        try:
            plan = change.plan_of(found)
        except EdgeError as exc:
            verdict["faults"].append("provision_plan: %s" % exc)
            verdict["good"] = False
    for path in {each["control"]["plan"] for each in play.begun().values()} - {""}:
        try:
            change.write_plan(path, plan)
        except OSError as exc:
            verdict["faults"].append("provision_plan: %s cannot be written: %s" % (path, exc.strerror or exc))
            verdict["good"] = False
        else:
            verdict["plans"] += [path] if plan else []
    return plan


def _judge(play: Play, found: dict[str, Result]) -> dict[str, t.Any]:
    """Return whether anything failed, and what each host that did not is to fail with all the same."""
    meta = _meta(play, found)
    begun = play.begun()
    verdict: dict[str, t.Any] = dict(
        turn=play.turn, batch=play.batch, host=play.host, written=[], plans=[], kept={}, faults=[], drift=""
    )
    if play.drift:
        verdict["faults"] = sorted({fault for each in begun.values() for fault in each["faults"]})
        counts = _report.render("counts", found, **meta)
        if play.switch("drift_fail") and (counts["changed"] or counts["removed"] or counts["failed"]):
            verdict["drift"] = _report.render("text", found, **meta)[0]
    verdict["failed"] = any(not _is_good(each) for host, each in found.items() if host in begun)
    undone = any(change.verification(play, host) for host in begun) or meta["restored"] or meta["refused"]
    verdict["good"] = not (verdict["failed"] or undone or verdict["faults"] or verdict["drift"])
    return verdict


def _verdict(play: Play) -> dict[str, t.Any]:
    """Return the verdict of the host that leads: Ansible gives it to all where `run_once` holds."""
    for host in [play.host] if play.alone else [play.host, *play.all_hosts]:
        found = (play.of_host(host).get("ansible_facts") or {}).get("provision_verdict")
        if is_of(found, play.turn) and found["batch"] == play.batch:
            return found
    return _judge(play, outcomes(play))


def tell(play: Play) -> Result:
    """Say in short what was done."""
    if not play.leads:
        return {}
    found = outcomes(play)
    lines = _report.render("text", found, **_meta(play, found))
    if len(found) == 1:
        lines = list(_without_failures(lines))  # the host itself says them, right after this
    verdict = _verdict(play)
    unverified = []
    for host in play.begun():
        if change.verification(play, host):
            unverified.append((host, change.verification(play, host)))
    lines += ["The verification failed on %s" % text for text in together(unverified)]
    text = "Not everything was restored on %s: what was there before is in %s"
    lines += [text % one for one in verdict["kept"].items()]
    approvals = [play.of_host(host).get("provision_approval") for host in play.begun()]
    backups = {each.get("backup_file") for each in approvals if is_of(each, play.turn)}
    lines += ["The backup: %s" % path for path in sorted(filter(None, backups))]
    lines += ["The plan: %s" % path for path in verdict["plans"]]
    lines += ["The report: %s" % path for path in verdict["written"]]
    return dict(msg=lines, _ansible_verbose_always=True)


def _without_failures(lines: list[str]) -> t.Iterator[str]:
    dropped = False
    for line in lines:
        dropped = line.startswith("failed: ") or (dropped and line.startswith("  "))
        if not dropped:
            yield line


def finish(play: Play) -> Result:
    """Fail where a host's own edge modules failed, and where drift, a refusal or a verification is to fail it."""
    own = _outcome(play.variables)
    if own.get("unreachable"):
        raise AnsibleConnectionFailure("The host %s" % NOT_REACHED)
    messages = []
    if own["failed"] and not (own.get("refused") and _refusals(play)):
        messages.append(str(own.get("msg")))
    if change.verification(play, play.host):
        messages.append("The verification failed: %s" % change.verification(play, play.host))
    back = change.restored(play, [play.host]).get(play.host)
    if back:
        lost = [one for one in back if not one["restored"]]
        messages.append("%d of %d edge modules were restored" % (len(back) - len(lost), len(back)))
        messages += together((_title(one), str(one["reason"])) for one in lost)
    verdict = _verdict(play)
    if _refusals(play):
        text = "refused, nothing written"
        leads = play.host == play.leader
        messages.append("%s: %s" % (text, "; ".join(_refusals(play))) if leads else "%s on any host" % text)
    messages += [text for text in (verdict["drift"], *verdict["faults"]) if text and verdict["host"] == play.host]
    if verdict["drift"] and verdict["host"] != play.host:
        messages.append(verdict["drift"])
    return dict(failed=True, msg="; ".join(messages)) if messages else {}


def _title(one: Result) -> str:
    return " ".join(str(one[name]) for name in ("module", "edge_id", "route_id") if one.get(name))


def valid(play: Play) -> Result:
    """Say that nothing is wrong with the variables; where anything is, the check has failed before."""
    if not play.leads:
        return {}
    begun = play.begun()
    entries = sum(each["entries"] for each in begun.values())
    text = "The variables are valid: %s on %s, nothing was sent" % (amount(entries, "edge"), amount(len(begun), "host"))
    return dict(msg=text, _ansible_verbose_always=True)


def approve(play: Play) -> Result:
    return change.approve(play)


def judge(play: Play) -> Result:
    return change.judge(play, lambda host: not _is_good(_outcome(play.of_host(host))))


# The steps that are taken once a host has begun.
STEPS: dict[str, t.Callable[[Play], Result]] = dict(
    check=check, valid=valid, approve=approve, judge=judge, report=report, tell=tell, finish=finish
)

# What the tasks of the role and the playbooks say.
SPEC: dict[str, dict[str, t.Any]] = dict(
    step=dict(type="str", required=True, choices=["begin", *STEPS, *reconciling.STEPS, "unverified", "path"]),
    message=dict(type="str", default=""),
    validate=dict(type="bool", default=False),
    drift=dict(type="bool", default=False),
    path=dict(type="str"),
)


def play_of(task: t.Any, variables: dict[str, t.Any], template: t.Callable[[t.Any], t.Any]) -> Play:
    """Return what a task of the role sees of its play."""
    strategy = str(task.get_play().strategy)
    return Play(
        host=variables["inventory_hostname"],
        task=_turn(task),
        strategy=strategy,
        linear=strategy.rpartition(".")[2] in _LINEAR,
        check_mode=bool(task.check_mode),
        variables=variables,
        template=template,
        module_defaults=[each for each in task.module_defaults or () if isinstance(each, dict)],
        play=task.get_play(),
        any_errors_fatal=bool(task.get_play().any_errors_fatal or task.any_errors_fatal),
    )


def _turn(task: t.Any) -> str:
    """Return what names a use of the role: the same for all hosts and batches of a play, and in no other play.

    That is the id of the task itself, or of the include that brought it: what is included is loaded anew for each
    batch.
    """
    found = task._uuid
    parent = task._parent
    while parent is not None:
        if not getattr(parent, "statically_loaded", True):
            found = parent._uuid
        parent = parent._parent
    return str(found)
