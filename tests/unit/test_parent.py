# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the process that started this one is still there, in processes that lose theirs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _parent

# A process with a child, which says what it sees before and after its parent ends.
FAMILY = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "before":
    import _parent
if os.fork():
    time.sleep(0.3)
    os._exit(0)
import _parent
first = _parent.is_gone()
grandchild = os.fork()
if grandchild == 0:
    time.sleep(0.6)
    os._exit(_parent.is_gone())
time.sleep(0.6)
print(first, _parent.is_gone(), os.waitpid(grandchild, 0)[1])
"""


def test_a_process_whose_parent_is_there():
    assert _parent.is_gone() is False


@pytest.mark.parametrize("loaded", ["before", "after"])
def test_a_process_that_loses_its_parent(loaded):
    """Whether the parent had loaded the code before it made its child or not. The child's own child keeps its one."""
    folder = _parent.__file__.rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", FAMILY, folder, loaded], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout.split() == ["False", "True", "0"], done
