# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files on the controller: what stands in the way is found first, and a file is written whole or not at all."""

from __future__ import annotations

import os

import pytest
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision_files as files


def test_a_file_that_can_be_written_has_no_fault_and_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "there").write_text("as it was", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("there", "new", str(tmp_path / "new"), "~/new", "./new"):
        assert files.fault(path) is None
        assert files.absolute(path).startswith(str(tmp_path))
    assert [each.name for each in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text(encoding="utf-8") == "as it was"


def test_what_stands_in_the_way(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    os.symlink(tmp_path / "gone" / "file", tmp_path / "dangling")
    os.symlink("loop", tmp_path / "loop")
    for name, text in (
        ("folder", "is a directory, not a file"),
        ("new/", "is a directory, not a file"),
        ("missing/file", " does not exist on the controller"),
        ("file/file", " does not exist on the controller"),
        ("pipe", "is not a regular file"),
        ("dangling", " does not exist on the controller"),
        ("loop", "cannot be written"),
        ("x" * 300, None),
    ):
        found = files.fault("%s/%s" % (tmp_path, name))
        assert text is None or text in (found or ""), name
    for value in (None, 1, "", " ", "a\0b", ["a"]):
        assert "is not a path" in (files.fault(value) or "")


def test_another_users_file_in_a_folder_that_all_share(tmp_path, monkeypatch):
    """As in /tmp: what belongs to another cannot be replaced there."""
    tmp_path.chmod(0o1777)
    (tmp_path / "theirs").touch()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 4711)
    assert "belongs to another user" in (files.fault(str(tmp_path / "theirs")) or "")
    assert files.fault(str(tmp_path / "mine")) is None
    tmp_path.chmod(0o777)
    assert files.fault(str(tmp_path / "theirs")) is None


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("as it was", encoding="utf-8")
    path.chmod(0o600)
    files.write(str(path), "new \ud800 \u20ac\r\n")
    assert path.read_bytes() == "new \\ud800 \u20ac\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(str(path), "newer")
    assert path.read_bytes().startswith(b"new \\ud800")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
