# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The demonstration, run as a newcomer does: it passes, and it fails where the service does not keep to its word."""

from __future__ import annotations

import json
import os
import subprocess

import harness
import pytest


def demo(directory, fault=None):
    """Run scripts/demo.sh, and return the process that ended."""
    environment = dict(os.environ, TMPDIR=str(directory))
    if fault:
        environment["DEMO_FAULT"] = json.dumps(fault)
    return subprocess.run(
        [str(harness.ROOT / "scripts" / "demo.sh")],
        env=environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_demo_passes(tmp_path):
    done = demo(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    steps = [line for line in done.stdout.splitlines() if line.startswith(("===", "-->"))]
    assert steps == [
        "=== A simulated service starts on this machine",
        "=== 1. Apply: five edge modules get their configuration",
        "--> changed=5; the service received 5 GET, 5 PUT",
        "=== 2. Apply again: nothing differs, so nothing is written",
        "--> changed=0; the service received 5 GET",
        "=== 3. Dry run of three changes: the diff is shown, nothing is written",
        "--> changed=3; the service received 5 GET",
        "=== 4. Remove: every configuration is deleted",
        "--> changed=5; the service received 5 DELETE, 5 GET",
        "--> nothing is left",
        "=== 5. Provision: one task sets all five from variables, side by side",
        "--> changed=1; the service received 5 GET, 5 PUT",
        "=== 6. Drift: what other variables would change, as a report",
        "--> changed=1; the service received 5 GET",
        "=== Demo passed",
    ]
    report = harness.ROOT / ".cache" / "drift.html"
    assert done.stdout.splitlines()[-1] == "drift report written to %s" % report
    assert "would change" in report.read_text(encoding="utf-8")
    # A changed policy shows as changed lines of indented JSON.
    assert '-              "status_code": 403\n+              "status_code": 404\n' in done.stdout
    assert list(tmp_path.iterdir()) == []  # not even the process id of a simulator


# The service says that it took the backend, and forgets it.
FORGETS = {
    "kind": "status",
    "method": "PUT",
    "path": "*/backend",
    "status": 200,
    "body": {"enabled": True, "backend": {"id": "bkdtg_2a", "uri": "https://api.example.com/backends/bkdtg_2a"}},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault, last_line",
    [
        pytest.param(FORGETS, "expected changed=0, Ansible reported changed=1", id="second-run-changes"),
        pytest.param(
            {"status": 204, "method": "DELETE", "path": "*/backend"},
            "something is left on the service, or a request broke its contract",
            id="removal-forgotten",
        ),
    ],
)
def test_demo_fails_where_something_deviates(fault, last_line, tmp_path):
    done = demo(tmp_path, fault)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "demo: FAILED: " + last_line
    assert "Demo passed" not in done.stdout
    assert list(tmp_path.iterdir()) == []  # not even the process id of a simulator
