# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The jobs of docs/awx as AWX runs them: by ansible-runner, with extra variables written as AWX writes them.

What AWX does is from the sources of AWX 24.6.1: awx/main/models/mixins.py (surveys), awx/main/models/workflow.py
(artifacts), awx/main/models/inventory.py (slices), awx/main/tasks/jobs.py and awx/main/utils/safe_yaml.py (the file).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

from . import ROOT, documents, plain_environment

AWX = ROOT / "docs" / "awx"
SETUP = documents.load((AWX / "setup.yml").read_text(encoding="utf-8"))[0]
VARS = SETUP["vars"]
RUNNER = Path(sys.executable).with_name("ansible-runner")
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def filled(value: t.Any) -> t.Any:
    """An option of the setup in which the variables of the setup stand for themselves."""
    if isinstance(value, dict):
        return {key: filled(one) for key, one in value.items()}
    match = re.fullmatch(r"{{ (\w+) }}", value) if isinstance(value, str) else None
    return VARS[match.group(1)] if match and match.group(1) in VARS else value


TEMPLATES: dict[str, dict[str, t.Any]] = {
    task["awx.awx.job_template"]["name"]: filled(task["awx.awx.job_template"])
    for task in SETUP["tasks"]
    if "awx.awx.job_template" in task
}


class UnsafeDumper(yaml.SafeDumper):
    """Writes every text, names too, as C(!unsafe)."""

    def represent_data(self, data: t.Any) -> t.Any:
        if isinstance(data, str):
            return self.represent_scalar("!unsafe", data)
        return super().represent_data(data)


def variables_of(name: str, answers: dict | None = None, artifacts: dict | None = None) -> str:
    """The extra variables of a job, as text.

    Answers are those of a survey, or none, as on a schedule. Artifacts are those of the jobs before, in a workflow.
    """
    template = TEMPLATES[name]
    own = template.get("extra_vars", {})
    found = dict(own)
    questions = template["survey_spec"]["spec"] if template["survey_enabled"] else []
    assert not any(one["required"] for one in questions if one["variable"] not in (answers or {}))
    assert set(answers or {}) <= {one["variable"] for one in questions}
    found.update({one["variable"]: one["default"] for one in questions})
    found.update(answers or {})
    found.update(artifacts or {})
    found.update(awx_job_id=7, awx_user_name="12345", awx_user_first_name="")
    # Only what the template itself says may be a template of Jinja.
    return "".join(
        yaml.dump({name: value}, Dumper=yaml.SafeDumper if name in own and own[name] == value else UnsafeDumper)
        for name, value in found.items()
    )


def inject(private: Path, **inputs: str) -> dict[str, str]:
    """Return the environment that AWX would make of the credential; files go where AWX puts them."""
    environment = ImmutableSandboxedEnvironment()
    names: dict = {name: value for name, value in inputs.items() if value}
    injected = private / "env" / "injected"
    injectors = VARS["credential_injectors"]
    injected.write_text(environment.from_string(injectors["file"]["template"]).render(names))
    names["tower"] = {"filename": str(injected)}
    return {name: environment.from_string(text).render(names) for name, text in injectors["env"].items()}


class Job:
    """A job of a job template of the setup; after C(run), or C(start) and C(wait), what AWX would keep of it."""

    def __init__(
        self, private: Path, template: str, inventory: dict, *, api_key: str, base_url: str, limit: str = "",
        job_type: str = "", slice: tuple[int, int] = (1, 1), answers: dict | None = None, artifacts: dict | None = None,
    ):  # fmt: skip
        task = TEMPLATES[template]
        self.private, self.playbook = private, task["playbook"]
        for folder in ("env", "inventory"):
            (private / folder).mkdir(parents=True, exist_ok=True)
        shutil.rmtree(private / "project", ignore_errors=True)
        shutil.copytree(AWX / "project", private / "project")
        (private / "inventory/hosts.json").write_text(json.dumps(sliced(inventory, *slice)))
        (private / "env/envvars").write_text(json.dumps(inject(private, api_key=api_key, base_url=base_url)))
        (private / "env/extravars").write_text(variables_of(template, answers, artifacts))
        words = ["--check"] * ((job_type or task["job_type"]) == "check") + ["--diff"] * task.get("diff_mode", False)
        (private / "env/cmdline").write_text(" ".join(words + (["--limit", limit] if limit else [])))

    def run(self) -> Job:
        return self.start().wait()

    def start(self, elsewhere: bool = False) -> Job:
        """Start it here, or as on another node: sent there, run there, and what came of it sent back."""
        words = dict(runner=shlex.quote(str(RUNNER)), private=shlex.quote(str(self.private)), playbook=self.playbook)
        command = "{runner} run {private} -i job -q -p {playbook}"
        if elsewhere:
            command = (
                "{runner} transmit {private} -i job -p {playbook} | {runner} worker | {runner} process {private} -i job"
            )
        environment = plain_environment(PATH=PATH)
        del environment["ANSIBLE_CONFIG"]  # that of the project counts
        self._process = subprocess.Popen(
            ["bash", "-c", "set -o pipefail; " + command.format(**words)], env=environment,
            cwd=self.private, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        return self

    def wait(self) -> Job:
        out, err = self._process.communicate(timeout=280)
        artifacts = self.private / "artifacts/job"
        assert artifacts.exists(), out + err
        self.returncode = int((artifacts / "rc").read_text())
        self.stdout = (artifacts / "stdout").read_text()
        self.events = [json.loads(path.read_text()) for path in (artifacts / "job_events").glob("*.json")]
        self.events.sort(key=lambda event: event["counter"])
        self.text = self.stdout + out + err + json.dumps(self.events)
        shutil.rmtree(artifacts)
        return self

    @property
    def stats(self) -> dict:
        (stats,) = (one["event_data"] for one in self.events if one["event"] == "playbook_on_stats")
        return stats

    @property
    def artifacts(self) -> dict:
        """What C(set_stats) set."""
        return self.stats.get("artifact_data", {})

    @property
    def changed(self) -> set[str]:
        return {host for host, number in self.stats["changed"].items() if number}


def sliced(inventory: dict, number: int, count: int) -> dict:
    """The inventory of one slice: every so many hosts of the sorted ones."""
    hosts = inventory["all"]["hosts"]
    names = sorted(hosts)[number - 1 :: count]
    return {"all": {**inventory["all"], "hosts": {name: hosts[name] for name in names}}}
