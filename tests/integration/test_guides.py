# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that the documentation tells a reader to run, run against the simulator."""

from __future__ import annotations

import re
import subprocess

import harness
import pytest
from harness import documents, plain_environment, playbook

# The recipes have tests of their own.
DOCUMENTS = [
    *(path for path in documents.GUIDES if path not in (documents.RECIPES, documents.MIGRATING)),
    documents.README,
]


def environment(sim):
    # Colours and the reader's own settings aside, this is what the guides say to export.
    return dict(EDGE_API_BASE_URL=sim.base_url, EDGE_API_KEY=sim.api_key)


@pytest.fixture(params=DOCUMENTS, ids=lambda path: path.name)
def document(request):
    return documents.read(request.param)


def test_documents_are_found():
    assert len(documents.GUIDES) >= 8
    assert len(documents.PLUGINS) >= 9


def test_every_guide_is_in_the_side_bar():
    sections = documents.load((harness.ROOT / "docs/docsite/extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    listed = [name for section in sections for name in section["toctree"]]
    assert sorted(listed) == [path.stem for path in documents.GUIDES]


def test_blocks_run(sim, tmp_path):
    """Every block of tasks or plays in guides and README, and the examples of every module and filter."""
    plays = []
    for path in [*DOCUMENTS, *documents.PLUGINS]:
        found = documents.read(path).plays
        assert found or path not in documents.PLUGINS, "%s has no examples" % path
        plays.extend(dict(play, name="A block of %s" % path.name, gather_facts=False) for play in found)
    done = playbook(plays, tmp_path=tmp_path, extra=dict(report_folder=str(tmp_path)), env=environment(sim))
    assert done.returncode == 0, done.text
    assert "[WARNING]" not in done.text and "DEPRECAT" not in done.text, done.text
    assert sim.api_key not in done.text and "from a vault" not in done.text


# What the service holds as a guide begins.
FIRST_HELD = {
    "guide_adopting.rst": {
        "/edges/tcp/edgtcp_2a/backend": {"backend_id": "bkdtg_2a"},
        "/edges/tcp/edgtcp_2b/backend": {"backend_id": "bkdtg_2b"},
        "/edges/tls/edgtls_2a/tls_termination": {"terminate_at": "edge", "min_version": "1.2"},
        "/edges/https/edghts_2a/routes/edghtsrt_2a/request_headers": {
            "add": {"X-Edge": "frankfurt", "X-Upstream-Token": "s3cret-t0ken"},
            "remove": ["X-Debug"],
        },
    }
}


def test_examples_of_failures_handle_failures(sim, tmp_path):
    """Those of edge_modules, where the service refuses one of two edges."""
    (path,) = [path for path in documents.PLUGINS if path.stem == "edge_modules"]
    tasks = [task for play in documents.read(path).plays for task in play["tasks"]]
    (handled,) = [task for task in tasks if "rescue" in task]
    (tolerant,) = [task for task in tasks if "failed_when" in task]
    assert "fail" in list(handled["rescue"][-1])[1]
    handled["rescue"][-1]["ignore_errors"] = tolerant["ignore_errors"] = True
    sim.add_fault(status=403, method="PUT", path="*/edgtcp_2a/backend")
    plays = [dict(name="Examples", hosts="localhost", gather_facts=False, tasks=[handled, tolerant])]
    done = playbook(plays, tmp_path=tmp_path, env=environment(sim))
    assert done.returncode == 0, done.text
    assert "tcp_edge_backend edgtcp_2a: PUT /edges/tcp/edgtcp_2a/backend answered 403" in done.text
    assert "1 changed, 0 unchanged, 1 failed" in done.text
    assert set(sim.resources) == {"/edges/tcp/edgtcp_2b/backend"}
    (result,) = done.of(tolerant["name"])
    assert result["failed_when_result"] and result["summary"]["failed"] == result["summary"]["total"] == 1


def test_commands_run(sim, document, tmp_path):
    """Every command of a document, in their order; where the document shows what it prints, that is printed."""
    for path, configuration in FIRST_HELD.get(document.name, {}).items():
        sim.put(path, configuration)
    for name, text in document.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command, shown in zip(document.commands, document.outputs):
        if "docs/awx/setup.yml" in command:
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=plain_environment(**environment(sim)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        text = done.stdout + done.stderr
        assert done.returncode == 0, "%s\n%s" % (command, text)
        assert "[WARNING]" not in text and sim.api_key not in text, "%s\n%s" % (command, text)
        assert "s3cret-t0ken" not in text
        if shown:
            line = documents.missing_line(shown, done.stdout)
            assert line is None, "%s\nthe document shows: %s\nit printed:\n%s" % (command, line, text)


def test_output_that_is_shown():
    printed = "PLAY [a] ****\n\nok: [localhost]\nchanged=1  failed=0\n"
    for shown in (
        ["..."],
        ["PLAY [a] ...", "", "ok: [localhost]", "changed=1 ... failed=0"],
        ["...", "ok: [localhost]", "..."],
    ):
        assert documents.missing_line(shown, printed) is None
    for shown in (
        ["PLAY [a] ...", "ok: [localhost]", "..."],
        ["...", "changed=1 ...", "ok: [localhost]", "..."],
        ["...", "changed=2 ..."],
        ["PLAY [a] ..."],
    ):
        assert documents.missing_line(shown, printed) is not None


def test_files_of_the_guides(document):
    """A file that a guide shows and the collection ships is the same in both; the others are used by a command."""
    commands = " ".join(document.commands)
    for name, text in document.files.items():
        shipped = harness.ROOT / "docs" / "awx" / name
        if shipped.exists():
            assert documents.load(text) == documents.load(shipped.read_text(encoding="utf-8"))
        else:
            assert name in commands, "%s: no command uses %s" % (document.name, name)


def test_python_blocks(document):
    for text in document.python:
        exec(compile(text, document.name, "exec"), {"__name__": "guide"})


# Prints the status of an answer: 404 says that nothing is set, and with another key it is 401.
ASK = """
import os, requests
headers = {"Authorization": "Bearer " + os.environ["EDGE_API_KEY"], "Service-Version": "2"}
print(requests.get(os.environ["EDGE_API_BASE_URL"] + "/edges/tcp/edgtcp_1/backend", headers=headers).status_code)
"""


def test_the_simulated_service_starts_as_the_guide_says(tmp_path):
    (guide,) = [path for path in documents.GUIDES if path.stem == "guide_getting_started"]
    (block,) = [block for block in documents.blocks(guide) if "simulator" in block.text]
    clone, install, *commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    assert clone.startswith("git clone ") and "pip install" in install
    (tmp_path / "edges").symlink_to(harness.ROOT)
    script = "\n".join(["set -e", *commands, "trap 'kill $(cat simulator.pid)' EXIT", f"python -c '{ASK}'"])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"base_url=http://127\.0\.0\.1:\d+\n404\n", done.stdout)
