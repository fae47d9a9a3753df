# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that the documentation tells a reader to run, run against the simulator."""

from __future__ import annotations

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


def test_commands_run(sim, document, tmp_path):
    commands = [one for one in document.commands if "docs/awx/setup.yml" not in one]
    for name, text in document.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in commands:
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
