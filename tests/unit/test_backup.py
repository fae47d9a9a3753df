# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Backups: what stands in them, and how the file is written."""

from __future__ import annotations

import os
import stat

import pytest
import yaml
from ansible_collections.edgeops.edges.plugins.module_utils import _backup, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._errors import EdgeError
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
CONTENT = {"provision_purge": False}


def job(entry, edge, route=None, **more):
    return Job(BY_ENTRY[entry], edge, route, **more)


def test_what_stands_in_a_backup():
    held = [
        (job("backend", "edgtcp_1", name="shop"), dict(enabled=False, backend_id="b")),
        (job("tls_termination", "edgtls_1"), dict(enabled=True, terminate_at="edge", min_version=None)),
        (job("ip_restriction", "edgtls_1"), dict(enabled=True, ip_policy_ids=[])),
        (job("tls_termination", "edgtls_2"), dict(enabled=True, terminate_at="upstream", min_version=None)),
        (job("traffic_policy", "edghts_1", "edghtsrt_1"), dict(enabled=True, value={"inbound": [{"name": "é"}]})),
        (
            job("request_headers", "edghts_1", "edghtsrt_1", secret_names=SecretNames(["X-Mine"], ["Pin"])),
            dict(enabled=True, add={"X-mine": "s", "Authorization": "Bearer t"}, remove=[]),
        ),
        (job("request_headers", "edghts_1", "edghtsrt_2"), None),
    ]
    assert _backup.variables(held, "https://api.example.com") == dict(
        provision_base_url="https://api.example.com",
        provision_purge=False,
        provision_only=["*"],
        provision_secret_headers=["x-mine"],
        provision_secret_keys=["pin"],
        provision_tcp_edges=[dict(id="edgtcp_1", name="shop", backend=dict(enabled=False, backend_id="b"))],
        provision_tls_edges=[
            dict(
                id="edgtls_1",
                tls_termination=dict(enabled=True, terminate_at="edge", min_version="default"),
                ip_restriction=dict(enabled=True, ip_policy_ids=[]),
            ),
            dict(id="edgtls_2", tls_termination=dict(enabled=True, terminate_at="upstream")),
        ],
        provision_https_edges=[
            dict(
                id="edghts_1",
                routes=[
                    dict(
                        id="edghtsrt_1",
                        traffic_policy=dict(enabled=True, value={"inbound": [{"name": "é"}]}),
                        request_headers=dict(enabled=True, add={"X-mine": "s", "Authorization": "Bearer t"}, remove=[]),
                    ),
                    dict(id="edghtsrt_2", request_headers=dict(state="absent")),
                ],
            )
        ],
    )


def test_what_the_collection_would_refuse_cannot_be_backed_up():
    held = [
        (job("backend", "edgtcp_1"), dict(enabled=True, backend_id=None)),
        (job("traffic_policy", "edghts_1", "edghtsrt_1"), dict(enabled=True, value="not JSON")),
        (job("request_headers", "edghts_1", "edghtsrt_1"), dict(enabled=True, add={"A": "1"}, remove=["a"])),
    ]
    with pytest.raises(EdgeError) as raised:
        _backup.variables(held, "https://api.example.com")
    text = str(raised.value)
    assert text.startswith("backup_path: no backup can be made, so nothing was written. The service holds ")
    assert "tcp_edge_backend edgtcp_1: the service names no backend_id" in text
    assert "https_edge_route_traffic_policy edghts_1 edghtsrt_1: value is not valid JSON" in text
    assert "https_edge_route_request_headers edghts_1 edghtsrt_1: add names A, and so does remove" in text


def test_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "backup.yml"
    before = os.umask(0)
    try:
        _backup.write(str(path), CONTENT)
    finally:
        os.umask(before)
    assert yaml.safe_load(path.read_text()) == CONTENT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["backup.yml"]


def test_no_file_that_is_there_is_lost(tmp_path):
    path = tmp_path / "backup.yml"
    for number in range(4):
        _backup.write(str(path), {"number": number})
    found = sorted(yaml.safe_load((tmp_path / name).read_text())["number"] for name in os.listdir(tmp_path))
    assert found == [0, 1, 2, 3]
    assert yaml.safe_load(path.read_text()) == {"number": 3}
    assert all(name.startswith("backup.yml") for name in os.listdir(tmp_path))


def test_no_link_is_followed(tmp_path):
    target, path = tmp_path / "target", tmp_path / "backup.yml"
    target.write_text("mine")
    path.symlink_to(target)
    _backup.write(str(path), CONTENT)
    assert target.read_text() == "mine"
    assert not path.is_symlink() and yaml.safe_load(path.read_text()) == CONTENT
    (moved,) = (one for one in tmp_path.iterdir() if one.name.startswith("backup.yml."))
    assert moved.is_symlink()


@pytest.mark.parametrize("call", ["fsync", "rename"])
@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_no_temporary_file_is_left_and_the_old_one_stands(tmp_path, monkeypatch, call, problem):
    path = tmp_path / "backup.yml"
    path.write_text("original")

    def fail(*arguments):
        raise problem

    monkeypatch.setattr(_backup.os, call, fail)
    with pytest.raises((KeyboardInterrupt, EdgeError)) as raised:
        _backup.write(str(path), CONTENT)
    if raised.type is EdgeError:
        assert str(raised.value).endswith("so nothing else was: No space left on device")
    assert os.listdir(tmp_path) == ["backup.yml"]
    assert path.read_text() == "original"


def test_paths_that_cannot_be_written(tmp_path):
    def faults(path):
        return list(_backup.path_faults(str(path), "backup_path"))

    assert faults(tmp_path / "new.yml") == []
    assert faults(tmp_path) == ["backup_path: %s is a directory, not a file" % tmp_path]
    assert faults("%s/new/" % tmp_path) == ["backup_path: %s/new/ is a directory, not a file" % tmp_path]
    assert faults(tmp_path / "none" / "b.yml") == ["backup_path: the directory %s/none does not exist" % tmp_path]
