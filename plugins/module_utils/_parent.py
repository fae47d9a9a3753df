# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the process that started this one is still there. Private to this collection.

Where Ansible is killed outright, its workers and the modules that they run are not told: they would go on to the end.
"""

from __future__ import annotations

import os

# As it was when this process began: what loads this file may be the process that the workers are made from.
_parent = {"pid": os.getppid()}
os.register_at_fork(after_in_child=lambda: _parent.update(pid=os.getppid()))


def is_gone() -> bool:
    """Return whether this process has lost its parent. It has another one then."""
    return os.getppid() != _parent["pid"]
