# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules on a target's Python that is older than Ansible's own: the oldest that they support.

C($EDGES_TARGET_PYTHON) names it; `make test-oldest` and `make test-matrix` make one of Python 3.9.
"""

from __future__ import annotations

import json
import os
import subprocess

import harness
import pytest
from harness.samples import SAMPLES

TARGET = os.environ.get("EDGES_TARGET_PYTHON", "")

pytestmark = pytest.mark.skipif(not TARGET, reason="no EDGES_TARGET_PYTHON; `make test-oldest` sets it")


def _version():
    code = "import json, sys; print(json.dumps(sys.version_info[:2]))"
    return json.loads(subprocess.run([TARGET, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_every_module_runs_on_the_oldest_python(sim, tmp_path):
    """A dry run, a run, a second run and a removal of all samples; then many at once, and their reading."""
    assert _version() == [3, 9]
    tasks = []
    for sample in SAMPLES:
        action = "%s.%s" % (harness.COLLECTION, sample.module)
        for number, (options, check) in enumerate(
            ((sample.b, True), (sample.b, False), (sample.b, False), ({"state": "absent"}, False))
        ):
            task = {"name": "%s %d" % (sample.id, number), action: sample.options(options), "check_mode": check}
            tasks.append({**task, "diff": True})
    many = {"tcp_edges": [{"id": "edgtcp_1", "backend": {"backend_id": "b"}}], "purge": True}
    tasks += [
        {"name": "many", "edgeops.edges.edge_modules": many},
        {"name": "read", "edgeops.edges.edge_modules_info": {"tcp_edges": ["edgtcp_1"]}},
        {"name": "wrong", "edgeops.edges.edge_modules": {"tcp_edges": [{"id": "x", "no": {}}]}, "ignore_errors": True},
    ]
    done = harness.playbook(
        [harness.play(tasks, sim, vars={"ansible_python_interpreter": TARGET})], "-vvv", tmp_path=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.text
    assert done.stdout.count("another Python is named for modules: " + TARGET) == len(tasks)
    for sample in SAMPLES:
        dry, real, again, removal = (done.of("%s %d" % (sample.id, number))[0] for number in range(4))
        assert (dry["operation"], dry["diff"]) == (real["operation"], real["diff"]) == ("replace", dry["diff"])
        assert (again["changed"], removal["operation"]) == (False, "delete")
    (many,), (read,), (wrong,) = (done.of(name) for name in ("many", "read", "wrong"))
    assert many["summary"] == {"total": 1, "changed": 1, "removed": 0, "unchanged": 0, "failed": 0}
    assert read["tcp_edges"] == [{"id": "edgtcp_1", "backend": {"enabled": True, "backend_id": "b"}}]
    assert "tcp_edges[0].no (x) is not supported" in wrong["msg"]
