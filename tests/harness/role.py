# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role provision and the collection's playbooks, run by a real ansible-playbook, for tests."""

from __future__ import annotations

import typing as t
from pathlib import Path

import html5lib
import yaml

from . import PlaybookRun
from . import playbook as run_playbook
from .many import many


def variables(options: dict, prefix: str = "provision") -> dict:
    """Options of edge_modules as variables of the role."""
    return {"%s_%s" % (prefix, name): value for name, value in options.items()}


def connection(sim: t.Any) -> dict:
    return dict(provision_api_key=sim.api_key, provision_base_url=sim.base_url)


def playbook(name: str, sim: t.Any, tmp_path: Path, *arguments: str, **extra: t.Any) -> PlaybookRun:
    """Run a playbook of the collection; its folder is tmp_path."""
    hosts, env = extra.pop("inventory", None), extra.pop("env", None)
    extra = {**connection(sim), **extra}
    return run_playbook("edgeops.edges." + name, *arguments, tmp_path=tmp_path, extra=extra, inventory=hosts, env=env)


def role_play(sim: t.Any, tasks_from: str = "main", task: dict | None = None, **more: t.Any) -> dict:
    """A play of a user's with the role; `task` holds keywords of the task that brings it in."""
    role = {"name": "edgeops.edges.provision", "tasks_from": tasks_from}
    found: dict = dict(
        hosts="localhost", gather_facts=False, tasks=[{"ansible.builtin.import_role": role, **(task or {})}]
    )
    found.update(more)
    found["vars"] = {**connection(sim), **found.get("vars", {})}
    return found


def parsed(path: Path) -> str:
    """The text of a report, which must be HTML to the letter."""
    tree = html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))
    return "".join(tree.itertext())


def numbers(outcome: PlaybookRun, host: str = "localhost") -> dict:
    return {name: outcome.stats[host][name] for name in ("changed", "failures")}


def told(outcome: PlaybookRun) -> list[str]:
    """The short text that the role prints."""
    (said,) = outcome.of("Print a summary")
    return said["msg"]


def inventory(edges: int, **more: dict) -> str:
    """One host an edge: a TCP edge and the routes of an HTTPS edge, with the connection local."""
    hosts = {}
    for number in range(edges):
        options = many(number + 1)
        hosts["edge-%02d" % number] = variables({name: value[-1:] for name, value in options.items()})
    hosts.update(more)
    group = dict(hosts=hosts, vars=dict(ansible_connection="local"))
    return yaml.safe_dump(dict(all=dict(children=dict(edges=group))))
