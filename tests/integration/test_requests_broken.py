# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A library that cannot be imported, for whatever reason: the task says which one, for which Python, and why."""

from __future__ import annotations

import sys

import harness
import pytest

TASK = {"edgeops.edges.tcp_edge_backend": {"edge_id": "edgtcp_1", "backend_id": "bkdtg_1"}}

# What `import requests` does, the environment, and the cause that is told.
BROKEN = {
    "missing": ("raise ModuleNotFoundError(\"No module named 'requests'\")", {}, "No module named 'requests'"),
    "AttributeError": ("import ssl; ssl.no_such_name", {}, "AttributeError: module 'ssl' has no attribute"),
    "OSError": ("open('/nonexistent/file')", {}, "FileNotFoundError: "),
    "its library": ("raise RuntimeError('urllib3 \\x1b[31m is broken')", {}, "RuntimeError: urllib3 \\u001b[31m is"),
    "SystemExit": ("raise SystemExit(3)", {}, "SystemExit: 3"),
    "syntax": ("1 +", {}, "SyntaxError: "),
    "without what is needed": ("", {}, "ModuleNotFoundError: No module named 'requests.adapters'"),
    "the environment": (
        "import ssl; ssl.create_default_context()",
        {"SSLKEYLOGFILE": "/nonexistent/folder/keys"},
        "FileNotFoundError: ",
    ),
}


@pytest.mark.parametrize("code, environment, cause", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("in_process", [True, False])
def test_it_is_one_clear_error(sim, tmp_path, code, environment, cause, in_process):
    package = tmp_path / "path" / "requests"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(code + "\n", encoding="utf-8")
    done = harness.playbook(
        [harness.play([TASK], sim)],
        "-vvv",
        tmp_path=tmp_path,
        extra=dict(edgeops_edges_in_process=in_process, ansible_python_interpreter=sys.executable),
        env=dict(environment, PYTHONPATH=str(package.parent)),
    )
    assert done.returncode == 2, done.text
    (result,) = [one["result"] for one in done.results]
    assert not result.get("changed")
    assert result["msg"].startswith("Failed to import the required Python library (requests) on "), result["msg"]
    assert sys.executable in result["msg"]
    assert "The cause: %s" % (cause if ": " in cause else "ModuleNotFoundError: " + cause) in result["msg"]
    assert "Unexpected Exception" not in done.text and "probably a bug" not in done.text
    if in_process:
        why = "runs as a module: requests cannot be imported in Ansible's own Python: "
        assert why in " ".join(done.stdout.split())
    assert sim.log == []
