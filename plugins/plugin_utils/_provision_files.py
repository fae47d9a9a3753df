# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that are written on the controller: what stands in the way is found before anything else is done.

Private to this collection.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten

# Reports are for whoever approves a change, whatever the umask of the job.
_MODE = 0o644


def absolute(path: str) -> str:
    """Return where a path leads: from the home directory, or from where ansible-playbook was started."""
    return os.path.realpath(os.path.expanduser(path))


def fault(path: t.Any) -> str | None:
    """Return why no file can be written at a path, with what there is to know of it; None where one can."""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        return "%s is not a path" % shorten(json.dumps(path, default=str), 80)
    if path.endswith("/"):
        return "%s is a directory, not a file" % path
    place = absolute(path)
    folder = os.path.dirname(place)
    try:
        if os.path.isdir(place):
            return "%s is a directory, not a file" % place
        if os.path.lexists(place) and not stat.S_ISREG(os.stat(place).st_mode):
            return "%s is not a regular file" % place
        if not os.path.isdir(folder):
            return "the directory %s does not exist on the controller" % folder
        # Only a try tells all: rights, a file system that is read only, one that is full.
        os.unlink(_create(folder))
        if _belongs_to_another(place, folder):
            return "%s belongs to another user, and its directory lets only that user replace it" % place
    except OSError as exc:
        return "%s cannot be written: %s" % (place, exc.strerror or exc)
    return None


def _create(folder: str) -> str:
    handle, name = tempfile.mkstemp(prefix=".edges-", dir=folder)
    os.close(handle)
    return name


def _belongs_to_another(place: str, folder: str) -> bool:
    """Whether a file is there that the sticky bit of its folder, as that of /tmp, keeps from being replaced."""
    if os.geteuid() == 0 or not os.path.exists(place):
        return False
    around = os.stat(folder)
    return bool(around.st_mode & stat.S_ISVTX) and os.geteuid() not in (os.stat(place).st_uid, around.st_uid)


def write(path: str, text: str) -> None:
    """Write a file whole or not at all: beside its place, then renamed.

    :raises OSError: the file that was there is as it was.
    """
    name = _create(os.path.dirname(path))
    try:
        with open(name, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fchmod(stream.fileno(), _MODE)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
