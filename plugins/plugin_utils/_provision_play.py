# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a step of the role provision sees of its play, and who does what for all hosts. Private to this collection."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass, field

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.edgeops.edges.plugins.module_utils import _registry
from ansible_collections.edgeops.edges.plugins.module_utils._description import Kind
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

Result = dict[str, t.Any]

KINDS: tuple[Kind, ...] = tuple(dict.fromkeys(each.kind for each in _registry.DESCRIPTIONS))
LISTS = tuple("provision_" + kind.option for kind in KINDS)


class Refused(Exception):
    """A variable whose value the role cannot use."""


@dataclass
class Play:
    """What a worker sees of the play from one of its hosts.

    `linear` says whether all hosts do one task before any does the next.
    """

    host: str
    task: str
    linear: bool
    strategy: str
    check_mode: bool
    variables: dict[str, t.Any]
    template: t.Callable[[t.Any], t.Any]
    module_defaults: list[dict[str, t.Any]] = field(default_factory=list)
    transport: str = "local"
    any_errors_fatal: bool = False
    play: t.Any = None
    drift_entry: bool = False
    seen: dict[str, dict[str, t.Any]] = field(default_factory=dict)

    @property
    def lists(self) -> tuple[str, ...]:
        return LISTS

    def given(self, name: str) -> t.Any:
        """Return a variable of the user's; None where it is not given, blank or null."""
        value = self.template(self.variables.get(name))
        return None if isinstance(value, str) and not value.strip() else value

    def switch(self, name: str) -> bool:
        value = self.given(name)
        try:
            return value is not None and boolean(value)
        except TypeError:
            text = "%s must be true or false, not %s" % (name, shorten(json.dumps(value, default=str), 80))
            raise Refused(text) from None

    @property
    def turn(self) -> str:
        """What names this use of the role in this play: what is registered outlives its play, and counts by this."""
        return self.variables["provision_begun"]["turn"]

    @property
    def batch(self) -> str:
        return self.variables["provision_begun"]["batch"]

    @property
    def drift(self) -> bool:
        return self.variables["provision_begun"]["drift"]

    @property
    def all_hosts(self) -> list[str]:
        return list(self.variables["ansible_play_hosts_all"])

    @property
    def alone(self) -> bool:
        """Whether this host has nothing to do with the others of the play."""
        return not self.linear or len(self.all_hosts) == 1

    def of_host(self, host: str) -> dict[str, t.Any]:
        """Return the variables of a host, as they are registered. Ansible puts them together anew each time."""
        if host not in self.seen:
            found = self.variables if host == self.host else self.variables["hostvars"].raw_get(host)
            self.seen[host] = found if isinstance(found, dict) else {}
        return self.seen[host]

    @property
    def batch_hosts(self) -> list[str]:
        """The hosts of this batch that take part, those among them that have failed since."""
        return [host for host, each in self.begun().items() if each["batch"] == self.batch]

    def _before(self) -> list[str]:
        """The hosts of the play that come before this one, those of this batch alone where Ansible still tells them."""
        batch = list(self.variables["ansible_play_batch"])
        hosts = batch if self.host in batch else self.all_hosts  # any_errors_fatal takes hosts out of their batch
        return hosts[: hosts.index(self.host)]

    def begun_of(self, host: str) -> Result | None:
        """Return what a host said as it began to take part in this use of the role; None where it does not.

        With `run_once` on the role Ansible registers what the first host says for all the others too.
        """
        begun = self.of_host(host).get("provision_begun")
        return begun if is_of(begun, self.turn) and begun["host"] == host else None

    def _is_of_batch(self, host: str) -> bool:
        begun = self.begun_of(host)
        return begun is not None and begun["batch"] == self.batch

    @property
    def leader(self) -> str:
        """The host that does what one does for all: the first of its batch that takes part."""
        before = [] if self.alone else self._before()
        return next((host for host in before if self._is_of_batch(host)), self.host)

    @property
    def leads(self) -> bool:
        """Whether this host does what one does for all.

        Where `run_once` could not see to it, each host looks back to the one before it that takes part.
        """
        return self.alone or not any(self._is_of_batch(host) for host in reversed(self._before()))

    def begun(self) -> dict[str, Result]:
        """Return what each host said that takes part so far, this one's batch and those before."""
        hosts = [self.host] if self.alone else self.all_hosts
        found = {host: self.begun_of(host) for host in hosts}
        return {host: each for host, each in found.items() if each is not None}


def is_of(registered: t.Any, turn: str) -> t.TypeGuard[Result]:
    return isinstance(registered, dict) and registered.get("turn") == turn
