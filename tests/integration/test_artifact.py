# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The archive, as a user has it: what is in it, and that it works where only ansible-core and requests are."""

from __future__ import annotations

import fcntl
import hashlib
import os
import posixpath
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import facts
import pytest
import yaml
from harness import ROOT, documents, plain_environment

CACHE = ROOT / ".cache"
VENV = CACHE / "plain-venv"
TOP = {"README.md", "LICENSE", "CHANGELOG.rst", "SECURITY.md", "requirements.txt", ".ansible-lint"}
TOP |= {"MANIFEST.json", "FILES.json"}
FOLDERS = {"changelogs", "docs", "examples", "meta", "playbooks", "plugins", "roles"}


def run(*command, cwd, env=None):
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env or plain_environment(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, "%s\n%s%s" % (" ".join(map(str, command)), done.stdout, done.stderr)
    return done.stdout + done.stderr


def tool(name):
    return Path(sys.executable).with_name(name)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT / "scripts" / "build.sh", "--output-path", folder, cwd=folder)
    return next(folder.glob("edgeops-edges-*.tar.gz"))


@pytest.fixture(scope="module")
def plain_venv():
    """The bin folder of a virtual environment with ansible-core and requests alone; made once, then kept."""
    sources = [ROOT / "requirements/constraints.txt", ROOT / "requirements/plain.txt", ROOT / "requirements.txt"]
    state = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest() + sys.version
    stamp = VENV / ".stamp"
    with open(CACHE / "plain-venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != state:
            base = Path(sys.base_prefix) / "bin" / ("python%d.%d" % sys.version_info[:2])
            # pip's own settings are in the user's home.
            env = dict(os.environ, HOME=os.environ.get("EDGES_REAL_HOME", os.environ["HOME"]))
            run(base, "-m", "venv", "--clear", VENV, cwd=ROOT, env=env)
            packages = ("-r", "requirements/plain.txt", "-c", "requirements/constraints.txt")
            run(VENV / "bin/python", "-m", "pip", "install", "-qq", *packages, cwd=ROOT, env=env)
            stamp.write_text(state)
    return VENV / "bin"


@pytest.fixture(scope="module")
def installed(archive, plain_venv, tmp_path_factory):
    """An empty collections path into which the archive was installed, without a network."""
    path = tmp_path_factory.mktemp("collections")
    env = plain_environment(HOME=str(path), ANSIBLE_HOME=str(path / ".ansible"), ANSIBLE_COLLECTIONS_PATH=str(path))
    run(plain_venv / "ansible-galaxy", "collection", "install", "--offline", archive, "-p", path, cwd=path, env=env)
    return path


@pytest.mark.slow
def test_the_build_needs_ansible_core_alone(plain_venv, archive, tmp_path):
    """In a checkout without .venv, with ansible-core and nothing else on PATH; what is packed is the same."""
    known = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in known:
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes((ROOT / name).read_bytes())
            (tmp_path / name).chmod((ROOT / name).stat().st_mode)
    env = plain_environment(HOME=str(tmp_path), PATH=os.pathsep.join((str(plain_venv), "/usr/bin", "/bin")))
    run("make", "build", cwd=tmp_path, env=env)
    (built,) = (tmp_path / "dist").glob("edgeops-edges-*.tar.gz")
    with tarfile.open(built) as tar, tarfile.open(archive) as other:
        assert sorted(tar.getnames()) == sorted(other.getnames())
    assert not (tmp_path / ".venv").exists() and not (tmp_path / ".cache" / "build-venv").exists()


def test_what_is_in_the_archive(archive):
    with tarfile.open(archive) as tar:
        names = {member.name for member in tar.getmembers() if not member.isdir()}
    known = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    assert names - set(known) == {"MANIFEST.json", "FILES.json"}
    assert {name for name in names if "/" not in name} == TOP
    assert {name.split("/")[0] for name in names if "/" in name} == FOLDERS
    assert not [name for name in names if name.endswith((".pyc", ".sh")) or "/." in name or "fragments/" in name[:21]]
    for needed in (
        *("docs/awx/setup.yml", "meta/execution-environment.yml", "roles/provision/README.md"),
        *("docs/variables.schema.json", "docs/images/report-light.png"),
    ):
        assert needed in names


def test_what_is_linked_is_in_the_archive(archive):
    """Every link and picture of a Markdown file is a file or folder of the archive, or an address."""
    with tarfile.open(archive) as tar:
        texts = {name: tar.extractfile(name).read().decode() for name in tar.getnames() if name.endswith(".md")}
        there = set(tar.getnames())
    assert "README.md" in texts
    links = 0
    for name, text in texts.items():
        # Not in blocks of code, nor in `code`.
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text):
            target = "".join(target)
            if not target.startswith(("https://", "#")):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target.partition("#")[0]))
                assert path in there, "%s links %s, which is not in the archive" % (name, target)
                links += 1
    assert links > 10


def test_it_works_where_little_else_is(sim, installed, plain_venv, tmp_path):
    """Every module and filter by its examples, the README's playbook, and the three playbooks, from an empty folder."""
    packages = run(plain_venv / "python", "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    assert "ansible-lint" not in packages and "ansible-runner" not in packages
    env = plain_environment(
        HOME=str(tmp_path),
        PATH=os.pathsep.join((str(plain_venv), "/usr/bin", "/bin")),
        ANSIBLE_HOME=str(tmp_path / ".ansible"),
        ANSIBLE_COLLECTIONS_PATH=str(installed),
        EDGE_API_BASE_URL=sim.base_url,
        EDGE_API_KEY=sim.api_key,
    )
    # This would name the Python of the tests for the modules.
    env.pop("ANSIBLE_PYTHON_INTERPRETER", None)

    def play(*arguments, **more):
        text = run(plain_venv / "ansible-playbook", *arguments, cwd=tmp_path, env={**env, **more})
        assert "WARNING" not in text and sim.api_key not in text, text
        return text

    plays = [play for path in [documents.README, *documents.PLUGINS] for play in documents.read(path).plays]
    for one in plays:
        one["gather_facts"] = False
    (tmp_path / "all.yml").write_text(yaml.safe_dump(plays, sort_keys=False), encoding="utf-8")
    play("all.yml", "-e", "report_folder=%s" % tmp_path)
    assert {facts.at(record.path) for record in sim.writes} == set(facts.MODULES)

    sim.reset()
    wanted = {
        "provision_tcp_edges": [{"id": "edgtcp_1", "backend": {"backend_id": "bkdtg_1"}}],
        "provision_tls_edges": [{"id": "edgtls_1", "tls_termination": {"terminate_at": "edge", "min_version": "1.3"}}],
    }
    (tmp_path / "wanted.yml").write_text(yaml.safe_dump(wanted), encoding="utf-8")
    play("edgeops.edges.drift", "-e", "@wanted.yml")
    assert sim.writes == [] and (tmp_path / "drift.html").exists()
    assert "changed=1 " in play("edgeops.edges.provision", "-e", "@wanted.yml", EDGEOPS_EDGES_IN_PROCESS="false")
    assert set(sim.resources) == {"/edges/tcp/edgtcp_1/backend", "/edges/tls/edgtls_1/tls_termination"}
    play("edgeops.edges.export", "-e", '{"export_tcp_edges": ["edgtcp_1"], "export_tls_edges": ["edgtls_1"]}')
    assert "changed=0 " in play("edgeops.edges.provision", "-e", "@edges.yml")


def test_execution_environment(installed, tmp_path):
    """What the image's build runs finds the Python library that the collection needs."""
    definition = ROOT / "docs/awx/execution-environment.yml"
    context = tmp_path / "context"
    run(tool("ansible-builder"), "create", "--file", definition, "--context", context, cwd=tmp_path)
    assert "edgeops.edges" in (context / "_build/requirements.yml").read_text()

    found = run(tool("ansible-builder"), "introspect", installed, cwd=tmp_path)
    assert "requests>=2.28  # from collection edgeops.edges" in found
    introspect = context / "_build/scripts/introspect.py"
    pip = context / "requirements.txt"
    run(sys.executable, introspect, "introspect", installed, "--write-pip=%s" % pip, cwd=tmp_path)
    assert "requests>=2.28" in pip.read_text()
