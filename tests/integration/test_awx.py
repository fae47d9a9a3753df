# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/awx: what AWX accepts, and the jobs as AWX runs them, by ansible-runner."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from harness import ROOT, documents, plain_environment
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

AWX = ROOT / "docs" / "awx"
SETUP = documents.load((AWX / "setup.yml").read_text(encoding="utf-8"))[0]
VARS = SETUP["vars"]
INPUTS, INJECTORS = VARS["credential_inputs"], VARS["credential_injectors"]
FIELDS = {field["id"]: field for field in INPUTS["fields"]}
KEY, TOKEN = "key-0123456789-secret", "token-9876543210-secret"


# --- what AWX accepts ---


def test_credential_inputs():
    assert set(INPUTS) == {"fields", "required"}
    assert len(FIELDS) == len(INPUTS["fields"])
    for name, field in FIELDS.items():
        assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) and name != "tower"
        assert set(field) <= {"id", "label", "type", "secret", "multiline", "help_text", "choices", "format", "default"}
        assert field["type"] in ("string", "boolean") and isinstance(field["label"], str)
        assert field["type"] == "string" or not set(field) & {"secret", "multiline", "choices", "format"}
        assert all(isinstance(field.get(flag, False), bool) for flag in ("secret", "multiline"))
    assert set(INPUTS["required"]) <= set(FIELDS)
    assert [name for name, field in FIELDS.items() if field.get("secret")] == ["api_key"]


def test_credential_injectors():
    assert set(INJECTORS) <= {"env", "extra_vars", "file"}
    assert set(INJECTORS["file"]) == {"template"}  # one file; several would be template.NAME
    names = dict.fromkeys(FIELDS, "EXAMPLE")
    names["tower"] = {"filename": "EXAMPLE"}
    for kind, templates in INJECTORS.items():
        for name, template in templates.items():
            assert isinstance(template, str) and template.isascii()
            # A name that is no input of the credential is an error for AWX.
            ImmutableSandboxedEnvironment(undefined=StrictUndefined).from_string(template).render(names)
            if kind == "env":
                assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) and not name.startswith("ANSIBLE_")
    fragment = (ROOT / "plugins/doc_fragments/_connection.py").read_text(encoding="utf-8")
    documented = set(re.findall(r"E\((EDGE_API_\w+)\)", fragment))
    assert set(INJECTORS["env"]) == documented


QUESTION_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "integer": int,
    "float": float,
    "multiplechoice": str,
    "multiselect": str,
}


@pytest.mark.parametrize("name", ["provision_questions", "drift_questions", "export_questions"])
def test_surveys(name):
    questions = VARS[name]
    assert len({one["variable"] for one in questions}) == len(questions)
    for one in questions:
        assert {"type", "question_name", "variable", "required"} <= set(one)
        assert isinstance(one["required"], bool) and isinstance(one["question_name"], str)
        assert isinstance(one["default"], QUESTION_TYPES[one["type"]])
        assert all(isinstance(one[limit], int) for limit in ("min", "max") if limit in one)
        if one["type"].startswith("multi"):
            assert all(isinstance(choice, str) for choice in one["choices"]) and one["default"] in one["choices"]
        else:
            assert "choices" not in one


def test_surveys_ask_for_variables_that_there_are():
    specs = documents.load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    options = specs["argument_specs"]
    used = (AWX / "project/export.yml").read_text(encoding="utf-8")
    assert all(one["variable"] in options["main"]["options"] for one in VARS["provision_questions"])
    assert all(one["variable"] in options["drift"]["options"] for one in VARS["drift_questions"])
    assert all(one["variable"] in used for one in VARS["export_questions"])


# --- the tasks of the setup, against the collection that they are of ---

ANSIBLE = "ansible==12.3.0"


@pytest.fixture(scope="module")
def awx_modules():
    """The modules of awx.awx, taken once from the Python package that brings it along."""
    target = ROOT / ".cache" / "awx.awx"
    if not target.exists():
        scratch = ROOT / ".cache" / ("awx.awx.%d" % os.getpid())
        scratch.mkdir(parents=True)
        try:
            env = dict(os.environ, HOME=os.environ.get("EDGES_REAL_HOME", os.environ["HOME"]))
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(scratch), ANSIBLE]
            try:
                subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=240)
            except subprocess.SubprocessError as exc:
                pytest.skip("%s cannot be downloaded here: %s" % (ANSIBLE, getattr(exc, "stderr", None) or exc))
            with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
                for name in wheel.namelist():
                    match = re.fullmatch(r"ansible_collections/awx/awx/(plugins/(modules|doc_fragments)/\w+\.py)", name)
                    if match:
                        (scratch / match.group(1)).parent.mkdir(parents=True, exist_ok=True)
                        (scratch / match.group(1)).write_bytes(wheel.read(name))
            (scratch / "plugins").rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def documentation(path: Path) -> dict:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "DOCUMENTATION":
            return yaml.safe_load(ast.literal_eval(node.value))
    raise AssertionError("%s has no documentation" % path)


KINDS = {"str": str, "bool": bool, "int": int, "dict": dict, "list": list}


def test_setup_uses_options_that_there_are(awx_modules):
    mocked = yaml.safe_load((ROOT / ".ansible-lint").read_text(encoding="utf-8"))["mock_modules"]
    used = {module for task in SETUP["tasks"] for module in task if module.startswith("awx.awx.")}
    assert sorted(used) == sorted(mocked)
    for task in SETUP["tasks"]:
        (module,) = (name for name in task if name.startswith("awx.awx."))
        options = documentation(awx_modules / "modules" / (module.split(".")[-1] + ".py"))["options"]
        assert {name for name, option in options.items() if option.get("required")} <= set(task[module])
        for name, value in task[module].items():
            assert name in options, "%s has no option %s" % (module, name)
            if isinstance(value, str) and "{{" in value:
                continue
            assert isinstance(value, KINDS[options[name]["type"]]), name
            assert value in options[name].get("choices", [value]), name


def test_setup_is_a_playbook(awx_modules, tmp_path):
    plugins = tmp_path / "ansible_collections/awx/awx/plugins"
    plugins.parent.mkdir(parents=True)
    plugins.symlink_to(awx_modules)
    paths = os.pathsep.join((str(tmp_path), os.environ.get("ANSIBLE_COLLECTIONS_PATH", "")))
    done = subprocess.run(
        [str(Path(sys.executable).with_name("ansible-playbook")), "--syntax-check", str(AWX / "setup.yml")],
        env=plain_environment(ANSIBLE_COLLECTIONS_PATH=paths),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# --- the jobs ---

INVENTORY = {
    "all": {
        "vars": {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "hosts": {
            "worker": {
                "edgeops_edges_in_process": True,
                "provision_tcp_edges": [{"id": "edgtcp_1", "backend": {"backend_id": "bkdtg_1"}}],
            },
            "module": {
                "edgeops_edges_in_process": False,
                "provision_https_edges": [
                    {
                        "id": "edghts_1",
                        "routes": [
                            {"id": "edghtsrt_1", "request_headers": {"add": {"X-Token": TOKEN, "X-Edge": "frankfurt"}}}
                        ],
                    }
                ],
            },
        },
    }
}


def inject(private: Path, **inputs: str) -> dict[str, str]:
    """Return the environment that AWX would make of the credential; files go where AWX puts them."""
    environment = ImmutableSandboxedEnvironment()
    names: dict = {name: value for name, value in inputs.items() if value}
    injected = private / "env" / "injected"
    injected.write_text(environment.from_string(INJECTORS["file"]["template"]).render(names))
    names["tower"] = {"filename": str(injected)}
    return {name: environment.from_string(template).render(names) for name, template in INJECTORS["env"].items()}


class Job:
    """Runs a job template of the setup, and holds what AWX would keep of it."""

    def __init__(self, private: Path, sim, template: str, limit: str | None = None, job_type: str = "", **answers):
        task = next(
            one["awx.awx.job_template"]
            for one in SETUP["tasks"]
            if one.get("awx.awx.job_template", {}).get("name") == "Edges - " + template
        )
        for folder in ("env", "inventory"):
            (private / folder).mkdir(parents=True, exist_ok=True)
        shutil.copytree(AWX / "project", private / "project", dirs_exist_ok=True)
        (private / "inventory/hosts.yml").write_text(yaml.safe_dump(INVENTORY))
        (private / "env/envvars").write_text(json.dumps(inject(private, api_key=KEY, base_url=sim.base_url)))
        survey = {one["variable"]: one["default"] for one in VARS[template + "_questions"]}
        extra = {"provision_hosts": VARS["provision_hosts"], **survey, **answers}
        (private / "env/extravars").write_text(json.dumps(extra))
        words = ["--check"] * ((job_type or task["job_type"]) == "check") + ["--diff"] * task.get("diff_mode", False)
        (private / "env/cmdline").write_text(" ".join(words + (["--limit", limit] if limit else [])))
        command = [str(Path(sys.executable).with_name("ansible-runner")), "run", str(private)]
        self.done = subprocess.run(
            [*command, "-p", task["playbook"], "-i", "job", "-q"],
            env=plain_environment(PATH=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))),
            cwd=private,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        artifacts = private / "artifacts/job"
        self.stdout = (artifacts / "stdout").read_text()
        self.events = [json.loads(path.read_text()) for path in (artifacts / "job_events").glob("*.json")]
        shutil.rmtree(artifacts)
        seen = self.stdout + self.done.stdout + self.done.stderr + json.dumps(self.events)
        assert KEY not in seen and TOKEN not in seen

    @property
    def stats(self):
        (stats,) = (one["event_data"] for one in self.events if one["event"] == "playbook_on_stats")
        return stats

    @property
    def changed(self):
        return {host for host, number in self.stats["changed"].items() if number}


@pytest.fixture
def keyed(sim):
    sim.configure(api_key=KEY)
    return sim


def test_jobs(keyed, tmp_path):
    """A job of the type check, two slices with a look at the drift in between, and the export; both ways of running."""
    first = Job(tmp_path, keyed, "provision", job_type="check")
    assert first.done.returncode == 0, first.stdout
    assert keyed.writes == [] and {record.status for record in keyed.log} == {404}
    assert first.changed == {"worker", "module"} and "+++ after: " in first.stdout

    # A slice has half of the hosts, and the two make the whole.
    for slice_ in ("worker", "module"):
        job = Job(tmp_path, keyed, "provision", limit=slice_)
        assert job.done.returncode == 0, job.stdout
        assert job.changed == {slice_} and set(job.stats["processed"]) == {slice_}
        if slice_ == "worker":
            drift = Job(tmp_path, keyed, "drift", drift_fail="true")
            assert drift.done.returncode != 0 and drift.changed == {"module"}, drift.stdout
            assert drift.stats["artifact_data"]["drift_changed"] == 1 and "1 would change" in drift.stdout
    assert len(keyed.writes) == 2
    assert set(keyed.resources) == {
        "/edges/tcp/edgtcp_1/backend",
        "/edges/https/edghts_1/routes/edghtsrt_1/request_headers",
    }

    export = Job(tmp_path, keyed, "export", tcp_ids="edgtcp_1, ", https_ids="edghts_1: [edghtsrt_1]")
    assert export.done.returncode == 0 and len(keyed.writes) == 2, export.stdout
    assert "bkdtg_1" in export.stdout and "frankfurt" in export.stdout
