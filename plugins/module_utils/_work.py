# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module does, whichever side runs it: its own process, or Ansible's worker. Private to this collection."""

from __future__ import annotations

import threading
import typing as t
from dataclasses import dataclass

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _connection, _jobs, _options
from ansible_collections.edgeops.edges.plugins.module_utils._connection import Connection
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._errors import ApiError, EdgeError, InputError
from ansible_collections.edgeops.edges.plugins.module_utils._http import Client, environment_proxy
from ansible_collections.edgeops.edges.plugins.module_utils._reconcile import reconcile
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, spellings

# An option of no module: the action plugin says in it what it found wrong that the module itself cannot see any more.
FOUND_BEFORE = "_found_before"


def _new_client(connection: Connection, stop: threading.Event) -> Client:
    return Client(connection, stop=stop)


@dataclass
class Context:
    """Where a task runs. `say` shows the user a line while the task runs, where that can be seen.

    `partial` is the result so far of a task that was interrupted; None where there is nothing to tell.
    """

    check_mode: bool = False
    diff: bool = False
    warn: t.Callable[[str], None] = lambda text: None
    say: t.Callable[[str], None] = lambda text: None
    new_client: t.Callable[[Connection, threading.Event], Client] = _new_client
    partial: dict[str, t.Any] | None = None


class Work(t.NamedTuple):
    """A module: its options, what can be wrong with their values, and the function that does it.

    `check` and `run` take options that argument validation has passed; `run` those in which `check` found nothing. It
    raises EdgeError for a failure that the user can understand. `secret_rules` are the rules of options that may hold
    secrets, nested as the options are. `check_nulls` takes the options as they were given, as long as nulls stand in
    them.
    """

    name: str
    spec: _argspec.Spec
    check: t.Callable[[dict[str, t.Any]], t.Iterator[str]]
    run: t.Callable[[dict[str, t.Any], Context], dict[str, t.Any]]
    required_if: t.Sequence[t.Any] = ()
    secret_rules: t.Mapping[str, t.Any] = {}
    check_nulls: t.Callable[[dict[str, t.Any]], t.Iterator[str]] = lambda given: iter(())

    def clean(self, params: dict[str, t.Any]) -> dict[str, t.Any]:
        return _options.clean(self.spec, params)

    def faults(self, params: dict[str, t.Any]) -> list[str]:
        """Return what is wrong with the names and types of cleaned options."""
        return list(_options.faults(self.spec, params, required_when=self.required_if))

    def all_faults(self, given: dict[str, t.Any], before: t.Iterable[str] = ()) -> list[str]:
        """Return all that is wrong with options as they were given; nothing where only values can be wrong.

        Those are left to `do` then. Otherwise whatever has the right name and type is checked here, so that one run
        tells all.

        :param before: what was found wrong with them already, and can no longer be seen in them.
        """
        params = self.clean(given)
        found = [*before, *self.check_nulls(given), *self.faults(params)]
        if found:
            sound = _options.sound(self.spec, params)
            validated = ArgumentSpecValidator(self.spec).validate(sound).validated_parameters
            # One that was left out as wrong is not one that is missing.
            left_out = tuple(name for name in params if name not in sound)
            found += [fault for fault in self.value_faults(validated) if not fault.startswith(left_out)]
        return found

    def value_faults(self, params: dict[str, t.Any]) -> list[str]:
        """Return what is wrong with the values of validated options."""
        return [*self.check(params), *_connection.faults(params, environment_proxy)]

    def do(self, params: dict[str, t.Any], context: Context) -> dict[str, t.Any]:
        """Check the values of validated options, all of them before anything is sent; then do the work.

        :raises InputError: with every fault found.
        """
        found = self.value_faults(params)
        if found:
            raise InputError(found)
        return self.run(params, context)

    def shown(self, params: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return options, valid or not, as they may be shown."""
        return _options.masked(self.spec, params, self.secret_rules)


def failure(exc: EdgeError) -> dict[str, t.Any]:
    """Return the result of a task that failed: what the exception says, as text and as data."""
    result = dict(exc.result)
    result.update(failed=True, msg=str(exc))
    if isinstance(exc, ApiError):
        result["error"] = exc.data
    return result


def hidden_values(params: dict[str, t.Any]) -> set[str]:
    """Return every spelling of the keys, none of which may stand in a result."""
    keys = [str(params[name]) for name in ("api_key", "plan_key") if params.get(name)]
    return set().union(*map(spellings, keys)) - short_values(params)


# A plan's digests are of hexadecimal digits: a short key could stand in them by chance, and in anything else.
_LEAST_PLAN_KEY = 8


def short_values(params: dict[str, t.Any]) -> set[str]:
    """Return the plan key where it is too short to be looked for in a result; nothing quotes it: it is never sent."""
    key = str(params.get("plan_key") or "")
    if not 0 < len(key) < _LEAST_PLAN_KEY or key == params.get("api_key"):
        return set()
    return {key, *spellings(key)}


# A shorter key could stand in a name by chance.
_LEAST_IN_NAME = 8


def without_in_names(node: t.Any, hidden: set[str]) -> t.Any:
    """Return a result without the keys in the names of its fields, which Ansible leaves as they are."""
    if isinstance(node, dict):
        return {_name_without(name, hidden): without_in_names(child, hidden) for name, child in node.items()}
    return [without_in_names(child, hidden) for child in node] if isinstance(node, list) else node


def _name_without(name: t.Any, hidden: set[str]) -> t.Any:
    for one in hidden if isinstance(name, str) else ():
        if len(one) >= _LEAST_IN_NAME and one in name:
            name = name.replace(one, MASK)
    return name


def new_client(params: dict[str, t.Any], context: Context, stop: threading.Event) -> Client:
    """Return the client for options in which no fault was found."""
    return context.new_client(_connection.connect(params, environment_proxy), stop)


def single_work(description: Description) -> Work:
    """The work of an edge module's own module."""

    def check(params: dict[str, t.Any]) -> t.Iterator[str]:
        for name, prefix in (("edge_id", description.kind.edge_prefix), ("route_id", description.kind.route_prefix)):
            if prefix and params.get(name) is not None:
                yield from _jobs.id_faults(params[name], name, prefix)
        yield from _jobs.faults(description, params)

    def run(params: dict[str, t.Any], context: Context) -> dict[str, t.Any]:
        job = _jobs.make_job(description, params["edge_id"], params.get("route_id"), params)
        outcome = reconcile(new_client(params, context, threading.Event()), job, context.check_mode)
        if outcome.warning:
            context.warn(outcome.warning)
        result: dict[str, t.Any] = dict(changed=outcome.changed, operation=outcome.operation, config=outcome.config)
        if context.diff:
            result["diff"] = outcome.diff(job.title)
        return result

    return Work(
        name=description.name,
        spec=_argspec.single_spec(description),
        check=check,
        run=run,
        required_if=_argspec.required_if(description),
        secret_rules=_options.secret_rules(description),
    )
