# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs ansible-playbook in a process of its own that need not import Ansible first, which takes half of a short run.

Such processes are forked from one that has imported it: multiprocessing's fork server. Ansible reads its settings as it
is imported, so a run with other settings than those of the server is started as usual.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import typing as t
from pathlib import Path

PLAYBOOK = str(Path(sys.executable).with_name("ansible-playbook"))

# What only the run itself reads.
_OF_A_RUN = re.compile("EDGE_|EDGEOPS_|RECORD_RESULTS$|PYTEST_CURRENT_TEST$")

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["ansible.cli.playbook", __name__])
# What Ansible was imported with.
_settings: dict[str, str] = {}


def run(
    arguments: list[str], env: dict[str, str], usual: dict[str, str], cwd: str | Path, timeout: float
) -> subprocess.CompletedProcess:
    """Run ansible-playbook to its end, and return what it printed.

    :param usual: the environment that most runs have, with which the server is started.
    :raises subprocess.TimeoutExpired: it did not end in time; it is killed then.
    """
    if not _settings:
        _start_server(_settings_of(usual))
    command = [PLAYBOOK, *arguments]
    if _settings_of(env) != _settings:
        return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)
    with tempfile.TemporaryDirectory(prefix="ansible-playbook-") as folder:
        process = _context.Process(target=_main, args=(command, env, str(cwd), folder))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            os.killpg(t.cast(int, process.pid), signal.SIGKILL)
            process.join()
            raise subprocess.TimeoutExpired(command, timeout, _text(folder, "stdout"), _text(folder, "stderr"))
        return subprocess.CompletedProcess(command, process.exitcode, _text(folder, "stdout"), _text(folder, "stderr"))


def _settings_of(env: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if not _OF_A_RUN.match(name)}


def _start_server(settings: dict[str, str]) -> None:
    from multiprocessing import forkserver

    _settings.update(settings)
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(settings)
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)


def _text(folder: str, name: str) -> str:
    return Path(folder, name).read_text(encoding="utf-8", errors="replace")


def _main(command: list[str], env: dict[str, str], cwd: str, folder: str) -> t.NoReturn:
    """Be ansible-playbook: what a new process of it does once Ansible is imported."""
    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT), number)
    sys.argv = command
    from ansible import constants
    from ansible.cli.playbook import main

    # Ansible made it as it was imported, for one process alone.
    constants.DEFAULT_LOCAL_TMP = tempfile.mkdtemp(dir=os.path.dirname(constants.DEFAULT_LOCAL_TMP))
    code: t.Any = 1
    try:
        main()
        code = 0
    except SystemExit as exc:
        code = exc.code
    except BaseException:
        traceback.print_exc()
    finally:
        shutil.rmtree(constants.DEFAULT_LOCAL_TMP, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))
