# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module's own code in a process of its own, without Ansible around it: to be stopped, or measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t

from . import PLUGINS, ROOT, plain_environment

# As from a terminal: what is started in the background, as the tests may be, inherits that Ctrl-C is ignored.
_START = """
import importlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = open(sys.argv[1], "rb").read()
basic._ANSIBLE_PROFILE = "legacy"
importlib.import_module(sys.argv[2]).main()
"""


def start_module(
    name: str,
    options: dict[str, t.Any],
    folder: t.Any,
    check: bool = False,
    diff: bool = False,
    below_a_shell: bool = False,
) -> subprocess.Popen:
    """Start a module; its result is the last line that it prints. Below a shell, what is returned is the shell."""
    args = dict(options, _ansible_check_mode=check, _ansible_diff=diff, _ansible_module_name="edgeops.edges." + name)
    path = os.path.join(folder, "args.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"ANSIBLE_MODULE_ARGS": args}, stream)
    environment = plain_environment(PYTHONPATH=str(ROOT / ".cache" / "collections"))
    shell = ["/bin/sh", "-c", '"$0" "$@"; exit $?'] if below_a_shell else []
    return subprocess.Popen(
        [*shell, sys.executable, "-c", _START, path, "%s.modules.%s" % (PLUGINS, name)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result_of(text: str) -> dict[str, t.Any]:
    """The result among what a module printed."""
    return json.loads(text.strip().splitlines()[-1])
