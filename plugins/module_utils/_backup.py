# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What was there before a change, as a file of variables that brings it back. Private to this collection."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _masks
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, options_of
from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten, together
from ansible_collections.edgeops.edges.plugins.module_utils._yaml import dump_yaml


def path_faults(path: str, where: str) -> t.Iterator[str]:
    """Yield why a file cannot be written, as far as that can be known before."""
    folder = os.path.dirname(os.path.abspath(path))
    if "\0" in path:
        yield "%s: %s is not a path" % (where, shorten(path))
    elif path.endswith("/") or os.path.isdir(path):
        yield "%s: %s is a directory, not a file" % (where, shorten(path))
    elif not os.path.isdir(folder):
        yield "%s: the directory %s does not exist" % (where, shorten(folder))
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield "%s: no file can be written in the directory %s" % (where, shorten(folder))


def variables(held: t.Sequence[tuple[Job, dict[str, t.Any] | None]], base_url: str) -> dict[str, t.Any]:
    """Return the variables of the role that bring these edge modules back to what the service holds.

    :param held: each job with the value of every field, None where it is not set.
    :raises EdgeError: the service holds what the collection would refuse, so it could not be brought back.
    """
    reasons: list[tuple[str, str]] = []
    lists: dict[str, dict[str, dict[str, t.Any]]] = {}
    headers: set[str] = set()
    keys: set[str] = set()
    for job, values in held:
        options, wrong = options_of(job.description, values)
        if not wrong:
            # Given back it would keep what is there then.
            wrong = [
                "the service holds the mask itself as a value in %s" % each.name
                for each in job.description.secret_fields
                if _masks.holds_mask(options.get(each.name))
            ]
        reasons.extend((job.title, reason) for reason in wrong)
        kind = job.description.kind
        edge = lists.setdefault(kind.option, {}).setdefault(job.edge_id, dict(id=job.edge_id))
        owner = edge
        if job.route_id is not None:
            owner = edge.setdefault("routes", {}).setdefault(job.route_id, dict(id=job.route_id))
        if job.name:
            owner.setdefault("name", job.name)
        owner[job.description.entry] = options
        headers.update(job.secret_names.headers)
        keys.update(job.secret_names.keys)
    if reasons:
        text = "backup_path: no backup can be made, so nothing was written. The service holds what would be refused: %s"
        raise EdgeError(text % "; ".join(together(reasons)))
    found: dict[str, t.Any] = dict(
        provision_base_url=base_url,
        provision_purge=False,
        provision_only=["*"],
        provision_secret_headers=sorted(headers),
        provision_secret_keys=sorted(keys),
    )
    for option, edges in lists.items():
        found["provision_" + option] = [
            dict(edge, routes=list(edge["routes"].values())) if "routes" in edge else edge for edge in edges.values()
        ]
    return found


def write(path: str, content: dict[str, t.Any], keep: bool = True) -> None:
    """Write variables to a file that only its owner can read; a file that is there is renamed with the time first.

    :param keep: unset where the file that is there is this run's own.
    :raises EdgeError: it cannot be written. No temporary file is left then, nor where this is interrupted.
    """
    path = os.path.abspath(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".%s." % os.path.basename(path), dir=os.path.dirname(path))
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(dump_yaml(content))
            stream.flush()
            os.fsync(stream.fileno())
        if keep:
            set_aside(path)
        os.rename(temporary, path)
        temporary = ""
        _flush_folder(os.path.dirname(path))
    except OSError as exc:
        raise EdgeError(
            "backup_path: %s cannot be written, so nothing else was: %s" % (shorten(path), exc.strerror or exc)
        ) from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def set_aside(path: str) -> None:
    """Rename a file that is there with the time."""
    if os.path.lexists(path):
        os.rename(path, _unused(path))


def merged(parts: t.Iterable[dict[str, t.Any]]) -> dict[str, t.Any]:
    """Return the variables of several backups of one service, with nothing in common, as those of one."""
    found: dict[str, t.Any] = {}
    for part in parts:
        for name, value in part.items():
            if isinstance(value, list) and name in found:
                value = _joined(found[name], value)
            found[name] = value
    return found


def _joined(first: list[t.Any], second: list[t.Any]) -> list[t.Any]:
    """Return two lists as one: edges by their ids, with the routes of both; anything else once."""
    by_id: dict[str, t.Any] = {}
    for one in (*first, *second):
        if not isinstance(one, dict):
            by_id.setdefault(one, one)
        elif one["id"] in by_id:
            before = by_id[one["id"]]
            by_id[one["id"]] = {**before, **one}
            if "routes" in before:
                by_id[one["id"]]["routes"] = _joined(before["routes"], one.get("routes", []))
        else:
            by_id[one["id"]] = one
    return list(by_id.values())


def _unused(path: str) -> str:
    """Return a name with the time for the file that is there; no file has it yet."""
    stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime())
    name, number = "%s.%sZ" % (path, stamp), 1
    while os.path.lexists(name):
        number += 1
        name = "%s.%sZ-%d" % (path, stamp, number)
    return name


def _flush_folder(folder: str) -> None:
    """Make the new name last where the machine stops; not every file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
