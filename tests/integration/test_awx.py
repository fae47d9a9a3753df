# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/awx/setup.yml, run by the modules of awx.awx against a stand-in of the API of AWX."""

from __future__ import annotations

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
from harness import ROOT, plain_environment
from harness.awx_api import LINKS, AwxApi
from harness.awx_jobs import AWX, TEMPLATES, VARS
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

INPUTS, INJECTORS = VARS["credential_inputs"], VARS["credential_injectors"]
FIELDS = {field["id"]: field for field in INPUTS["fields"]}
SERVICE = "https://api.example.com"
GIVEN = dict(EDGE_API_KEY="key-0123456789-secret", EDGE_API_BASE_URL=SERVICE)


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


def test_surveys_ask_for_variables_that_there_are_and_need_no_answer():
    specs = yaml.safe_load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    variables = set(specs["argument_specs"]["drift"]["options"])
    export = (AWX / "project/export.yml").read_text(encoding="utf-8")
    for name, template in TEMPLATES.items():
        assert template["survey_enabled"] == ("survey_spec" in template)
        for question in template.get("survey_spec", {}).get("spec", []):
            assert question["required"] is False and "default" in question
            assert question["variable"] in (export if name == "Edges - export" else variables)


def test_no_survey_asks_for_what_the_inventory_says():
    """An answer wins over the inventory: what one job asks for and another does not, they would see differently."""
    asked = {
        name: {one["variable"] for one in template.get("survey_spec", {}).get("spec", [])}
        for name, template in TEMPLATES.items()
    }
    assert asked == {
        "Edges - provision": set(),
        "Edges - drift": {"drift_fail"},
        "Edges - export": {"tcp_ids", "tls_ids", "https_ids"},
        "Edges - plan": set(),
        "Edges - apply": set(),
    }


# --- the setup, run ---

ANSIBLE = "ansible==12.3.0"  # the Python package that brings awx.awx 24.6.1 along


@pytest.fixture(scope="module")
def collections():
    """A folder with the collection awx.awx in it, taken once from the Python package."""
    target = ROOT / ".cache" / "awx.awx"
    if not (target / "ansible_collections").exists():
        shutil.rmtree(target, ignore_errors=True)
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
                folder = "ansible_collections/awx/awx/"
                wheel.extractall(
                    scratch / "found",
                    [one for one in wheel.namelist() if one.startswith((folder + "plugins", folder + "meta"))],
                )
            try:
                (scratch / "found").rename(target)
            except OSError:  # another process of the tests was faster
                assert target.exists()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


@pytest.fixture
def api():
    """An AWX in which an organization has what the setup needs. Another one has some of the same names."""
    with AwxApi() as found:
        for organization in ("Default", "Other"):
            number = found.add("organizations", name=organization)
            found.add("projects", name="Edges", organization=number)
        found.add("inventories", name="Edges", organization=1)
        found.add("execution_environments", name="Edges")
        found.add("teams", name="Network", organization=1)
        for name in ("ann", "bob"):
            found.add("users", username=name)
        yield found


class Setup:
    """A run of the setup, or of its tasks up to one. C(writes) is what it sent."""

    def __init__(self, api, collections, folder, variables=None, until="", **environment):
        play = AWX / "setup.yml"
        if until:
            text = play.read_text(encoding="utf-8")
            play = folder / "part.yml"
            play.write_text(text[: text.index("    - name: ", text.index(until))], encoding="utf-8")
        before = len(api.writes)
        done = subprocess.run(
            [str(Path(sys.executable).with_name("ansible-playbook")), str(play), "-e", json.dumps(variables or {})],
            env=plain_environment(
                ANSIBLE_COLLECTIONS_PATH=os.pathsep.join((str(collections), os.environ["ANSIBLE_COLLECTIONS_PATH"])),
                ANSIBLE_DEPRECATION_WARNINGS="false",  # those of awx.awx
                ANSIBLE_PIPELINING="true",  # some thirty modules, each a process
                CONTROLLER_HOST=api.url,
                CONTROLLER_OAUTH_TOKEN="awx-token",
                **environment,
            ),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        self.returncode, self.text = done.returncode, done.stdout + done.stderr
        self.writes = api.writes[before:]
        assert "secret" not in self.text.replace("update_secrets", "")


@pytest.fixture
def setup(api, collections, tmp_path):
    """setup(variables, until=, ENVIRONMENT=...): a run that has succeeded."""

    def run(variables=None, **more):
        done = Setup(api, collections, tmp_path, variables, **more)
        assert done.returncode == 0, done.text
        return done

    return run


RIGHTS = dict(awx_launch_teams=["Network"], awx_launch_users=["bob"], awx_approve_users=["ann"])
NODES = "workflow_job_template_nodes"


def test_setup_interrupted_and_finished_and_again(api, setup, collections, tmp_path):
    """At no moment does the workflow begin with what applies; what is half made is finished; then nothing changes."""

    began = set()

    def look():
        nodes = list(api.objects[NODES].values())
        children = {one for node in nodes for link in LINKS for one in node[link]}
        began.update(node["unified_job_template"] for node in nodes if node["id"] not in children)

    api.after_write = look

    # Without a key, and AWX fails in the middle of the nodes.
    api.stop_after = "create_approval_template/"
    first = Setup(api, collections, tmp_path, RIGHTS)
    assert first.returncode != 0 and "Let the approval lead to the node that applies" in first.text, first.text
    assert "have no credential" in first.text
    assert len(api.objects[NODES]) == 2
    assert api.objects["credentials"] == {}

    api.stop_after = None
    setup(RIGHTS, **GIVEN)
    credential = api.named("credentials", "Edge API")
    assert credential["inputs"] == dict(api_key=GIVEN["EDGE_API_KEY"], base_url=SERVICE)
    assert {one["name"] for one in api.objects["job_templates"].values()} == set(TEMPLATES)
    for name, template in TEMPLATES.items():
        made = api.named("job_templates", name)
        assert made["credentials"] == [credential["id"]]
        assert made.get("survey_spec") == template.get("survey_spec")
        assert json.loads(made["extra_vars"] or "{}") == template.get("extra_vars", {})
        for field in ("playbook", "job_type", "diff_mode", "survey_enabled", "ask_variables_on_launch"):
            assert made[field] == template.get(field, False), field
    for name in ("Edges - plan", "Edges - apply"):
        made = api.named("job_templates", name)
        assert made["job_slice_count"] == 1 and made["ask_limit_on_launch"]

    workflow = api.named("workflow_job_templates", "Edges - change")
    assert workflow["ask_limit_on_launch"] and not workflow["ask_variables_on_launch"]
    assert json.loads(workflow["extra_vars"]) == {} and not workflow["survey_enabled"]
    plan, approve, apply_ = (api.named(NODES, name) for name in ("plan", "approve", "apply"))
    assert len(api.objects[NODES]) == 3
    assert plan["unified_job_template"] in began and apply_["unified_job_template"] not in began
    assert plan["unified_job_template"] == api.named("job_templates", "Edges - plan")["id"]
    assert approve["unified_job_template"] == api.named("workflow_approval_templates", "Edges - approve")["id"]
    assert apply_["unified_job_template"] == api.named("job_templates", "Edges - apply")["id"]
    assert (plan["success_nodes"], approve["success_nodes"]) == ([approve["id"]], [apply_["id"]])
    assert apply_["all_parents_must_converge"]
    for node in (plan, approve, apply_):
        assert node["failure_nodes"] == node["always_nodes"] == []
    assert apply_["success_nodes"] == []

    network, (ann, bob) = api.named("teams", "Network")["id"], sorted(api.objects["users"])
    assert api.granted("workflow_job_templates", "Edges - change") == dict(
        execute=dict(teams=[network], users=[bob]), approval=dict(users=[ann])
    )
    everybody = dict(teams=[network], users=[bob, ann])
    for name in ("Edges - plan", "Edges - apply"):
        granted = api.granted("job_templates", name)
        assert {role: {actors: sorted(ids) for actors, ids in who.items()} for role, who in granted.items()} == dict(
            read={actors: sorted(ids) for actors, ids in everybody.items()}
        )

    again = setup(RIGHTS, **GIVEN)
    assert again.writes == [] and "changed=0 " in again.text, again.writes


CREDENTIAL = "Write the credential"


def inputs(api):
    (found,) = (one for one in api.objects["credentials"].values() if one["organization"] == 1)
    return found["inputs"]


@pytest.mark.slow
def test_a_credential_that_is_there(api, setup, tmp_path):
    """What the environment does not give stays as it is; the key is written where that is asked for."""
    setup(until=CREDENTIAL, **GIVEN)
    kind = api.named("credential_types", "Edge API")["id"]
    api.add("credentials", name="Edge API", organization=2, credential_type=kind, inputs=dict(api_key="other"))
    by_hand = dict(api_version="3", version_header="X-Version", ca_bundle="by hand")
    inputs(api).update(by_hand)
    changed = dict(EDGE_API_KEY="key-2-secret", EDGE_API_BASE_URL="https://two.example.com")

    moved = setup(until=CREDENTIAL, **changed)
    assert len(moved.writes) == 1 and "changed=1 " in moved.text
    assert inputs(api) == dict(by_hand, api_key=GIVEN["EDGE_API_KEY"], base_url="https://two.example.com")
    again = setup(until=CREDENTIAL, **changed)
    assert again.writes == [] and "changed=0 " in again.text
    nothing = setup(until=CREDENTIAL)
    assert nothing.writes == []

    setup(dict(awx_write_key=True), until=CREDENTIAL, **changed)
    assert inputs(api)["api_key"] == "key-2-secret"

    bundle = tmp_path / "ca.pem"
    bundle.write_text("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n")
    more = dict(EDGE_API_VERSION="4", EDGE_API_VERSION_HEADER="X-Other", EDGE_API_CA_PATH=str(bundle))
    setup(until=CREDENTIAL, **more)
    assert inputs(api) == dict(
        api_key="key-2-secret", base_url="https://two.example.com", api_version="4", version_header="X-Other",
        ca_bundle=bundle.read_text().strip(),
    )  # fmt: skip
    assert [one["inputs"] for one in api.objects["credentials"].values() if one["organization"] == 2] == [
        dict(api_key="other")
    ]


@pytest.mark.parametrize(
    "variables, environment, said",
    [
        ({}, dict(EDGE_API_KEY="key-0123456789-secret"), "EDGE_API_BASE_URL is not set"),
        ({}, dict(EDGE_API_BASE_URL=SERVICE), "EDGE_API_KEY is not set"),
        (
            dict(awx_write_key=True),
            dict(EDGE_API_BASE_URL=SERVICE),
            "awx_write_key: the environment variable EDGE_API_KEY",
        ),
    ],
)
def test_a_credential_that_cannot_be_made(api, collections, tmp_path, variables, environment, said):
    done = Setup(api, collections, tmp_path, variables, until=CREDENTIAL, **environment)
    assert done.returncode != 0 and said in done.text, done.text
    assert api.objects["credentials"] == {}


@pytest.mark.slow
def test_ids_where_names_are_there_twice_and_slices(api, setup):
    setup(until=CREDENTIAL, **GIVEN)
    kind = api.named("credential_types", "Edge API")["id"]
    api.add("credentials", name="Edge API", organization=2, credential_type=kind, inputs={})
    inventory = api.add("inventories", name="Edges", organization=2)
    vault = api.add("credentials", name="Vault", organization=1, credential_type=kind, inputs={})
    (own,) = (one for one in api.objects["credentials"].values() if one["organization"] == 1 and one["id"] != vault)
    ids = dict(
        awx_organization="1",
        awx_project=str(min(api.objects["projects"])),
        awx_inventory=str(inventory),
        awx_credential=own["id"],
        awx_further_credentials=["Vault"],
        awx_slices=3,
    )
    setup(ids, until="Make the job template that provisions", **GIVEN)
    made = api.named("job_templates", "Edges - provision")
    assert (made["organization"], made["inventory"]) == (1, inventory)
    assert sorted(made["credentials"]) == sorted([own["id"], vault])
    assert made["job_slice_count"] == 3 and made["ask_limit_on_launch"] is False
    assert len(api.objects["credentials"]) == 3
