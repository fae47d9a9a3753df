# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recipes, each in a folder of its own with its files, against the simulator: its commands do what it says."""

from __future__ import annotations

import re
import subprocess

import harness
import pytest
from harness import documents, plain_environment, playbook
from simulator import Simulator

ONE_HOST = "One host for each edge"
CANARY = "A canary first"
POLICIES = "Policies from JSON and YAML files"
VAULT = "Secrets from a vault"
ROTATE = "Rotate a secret header"
DRIFT = "Nightly drift alarm"
INCIDENT = "Restore after an incident"
SERVICES = "Staging and production in one inventory"
REVIEW = "Review on a pull request"
UNIT_TESTS = "Unit tests of your playbooks"

SECRETS = ("the-key", "the-first-token", "the-second-token")
SHOP, BLOG, OTHER = ("/edges/tcp/edgtcp_2%s/backend" % letter for letter in "abc")
HEADERS = "/edges/https/edghts_2a/routes/edghtsrt_2a/request_headers"


class Recipe:
    """A section of the guide: its files by name, and its commands, each with the lines that it shows."""

    def __init__(self, text):
        self.files = {}
        self.commands = []
        for language, content, caption in documents.blocks_of(text):
            if caption:
                self.files[caption] = content
            elif language == "console":
                for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                    command, *shown = part.splitlines()
                    self.commands.append((command, shown))


def sections():
    text = documents.RECIPES.read_text(encoding="utf-8")
    parts = re.split(r"^(\S.*)\n-{4,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


RECIPES = {title: Recipe(text) for title, text in sections().items()}


class Kitchen:
    """A folder in which the commands of recipes run."""

    def __init__(self, folder, sim):
        self.folder = folder
        self.sim = sim
        self.replaced = {}
        self.environment = plain_environment(EDGE_API_BASE_URL=sim.base_url, EDGE_API_KEY=sim.api_key)
        self.printed = ""

    def lay_out(self, title, without=()):
        for name, text in RECIPES[title].files.items():
            for before, after in self.replaced.items():
                text = text.replace(before, after)
            if name not in without:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")

    def run(self, command, shown=(), returncode=0):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.printed = done.stdout + done.stderr
        assert done.returncode == returncode, "%s\n%s" % (command, self.printed)
        assert not any(one in self.printed for one in (*SECRETS, self.sim.api_key)), self.printed
        assert "[WARNING]" not in self.printed, self.printed
        lines = iter(self.printed.splitlines())
        for one in shown:
            pattern = re.compile(".*".join(map(re.escape, one.strip().split("..."))))
            assert one.strip() == "..." or any(pattern.fullmatch(line.strip()) for line in lines), (
                "%s\ndoes not print: %s\nbut:\n%s" % (command, one, self.printed)
            )

    def cook(self, title, returncode=0):
        self.lay_out(title)
        for command, shown in RECIPES[title].commands:
            self.run(command, shown, returncode)


@pytest.fixture
def kitchen(tmp_path, sim):
    return Kitchen(tmp_path, sim)


def backends(sim):
    return {path: each["backend_id"] for path, each in sim.resources.items() if path.endswith("/backend")}


def test_one_host_for_each_edge(kitchen, sim):
    kitchen.cook(ONE_HOST)
    assert list(sim.resources) == [SHOP]  # the limit holds


def test_a_canary(kitchen, sim):
    kitchen.cook(CANARY)
    assert [record.path for record in sim.writes][0] == SHOP
    assert backends(sim) == dict.fromkeys((SHOP, BLOG, OTHER), "bkdtg_2b")
    sim.reset()
    sim.add_fault(method="PUT", path=SHOP, status=500)
    kitchen.run(RECIPES[CANARY].commands[0][0], returncode=2)
    assert {record.path for record in sim.writes} == {SHOP}


def test_policies_from_files(kitchen, sim):
    kitchen.cook(POLICIES)
    policies = {path.split("/")[5]: each["value"] for path, each in sim.resources.items()}
    assert '"status_code":403' in policies["edghtsrt_2a"] and '"compress-response"' in policies["edghtsrt_2b"]
    assert "no admin" in (kitchen.folder / "changes.html").read_text(encoding="utf-8")


def test_secrets_from_a_vault_and_their_rotation(kitchen, sim):
    vault = "group_vars/all/vault.yml"
    sim.configure(api_key="the-key")
    del kitchen.environment["EDGE_API_KEY"]
    (kitchen.folder / "password").write_text("open sesame", encoding="utf-8")
    kitchen.environment["ANSIBLE_VAULT_PASSWORD_FILE"] = str(kitchen.folder / "password")
    # In the place of an editor: it writes what the guide says, and later the other token.
    written = RECIPES[VAULT].files[vault]
    (kitchen.folder / "editor").write_text(
        '#!/bin/sh\ncat "%s" > "$1"\n' % (kitchen.folder / "draft"), encoding="utf-8"
    )
    (kitchen.folder / "editor").chmod(0o755)
    kitchen.environment["EDITOR"] = str(kitchen.folder / "editor")
    (kitchen.folder / "draft").write_text(written, encoding="utf-8")
    kitchen.lay_out(VAULT, without=[vault])
    for command, shown in RECIPES[VAULT].commands:
        kitchen.run(command.replace("vault create", "vault create --skip-tty-check"), shown)
    assert (kitchen.folder / vault).read_text(encoding="utf-8").startswith("$ANSIBLE_VAULT")
    assert sim.resources[HEADERS]["add"] == {"X-Upstream-Token": "the-first-token"}
    (kitchen.folder / "draft").write_text(written.replace("the-first-token", "the-second-token"), encoding="utf-8")
    kitchen.cook(ROTATE)
    assert sim.resources[HEADERS]["add"] == {"X-Upstream-Token": "the-second-token"}
    for path in kitchen.folder.rglob("*"):
        if path.is_file() and path.name != "draft":
            assert not any(one in path.read_text(encoding="utf-8") for one in SECRETS), path


def test_the_drift_alarm(kitchen, sim):
    sim.put(SHOP, dict(backend_id="bkdtg_by_hand"))
    kitchen.cook(DRIFT, returncode=2)
    assert sim.writes == []
    assert "bkdtg_by_hand" in (kitchen.folder / "drift.html").read_text(encoding="utf-8")
    sim.put(SHOP, dict(backend_id="bkdtg_2a"))
    kitchen.run(RECIPES[DRIFT].commands[0][0])


def test_an_incident(kitchen, sim):
    before = {SHOP: "bkdtg_2a", BLOG: "bkdtg_2c"}
    for path, backend in before.items():
        sim.put(path, dict(backend_id=backend))
    kitchen.lay_out(INCIDENT)
    (change, *restore) = RECIPES[INCIDENT].commands
    kitchen.run(*change)
    assert backends(sim) == {SHOP: "bkdtg_2b"}
    for command in restore:
        kitchen.run(*command)
    assert backends(sim) == before


def test_staging_and_production(kitchen, sim):
    with Simulator(api_key="of-staging") as staging:
        kitchen.replaced = {
            "https://api.staging.example.com": staging.base_url,
            "https://api.example.com": sim.base_url,
        }
        kitchen.environment.update(STAGING_EDGE_API_KEY="of-staging", PRODUCTION_EDGE_API_KEY=sim.api_key)
        kitchen.cook(SERVICES)
        assert backends(staging) == {"/edges/tcp/edgtcp_stg1/backend": "bkdtg_stg1"}
        assert staging.refusals == []
    assert backends(sim) == {"/edges/tcp/edgtcp_prd1/backend": "bkdtg_prd1"}


def test_a_pull_request(kitchen, sim):
    """The steps of the workflow that run Ansible; the first of them without a key."""
    kitchen.lay_out(REVIEW)
    (workflow,) = [text for name, text in RECIPES[REVIEW].files.items() if name.startswith(".github/")]
    (job,) = documents.load(workflow)["jobs"].values()
    steps = [step for step in job["steps"] if step.get("run", "").startswith("ansible-playbook")]
    assert ["env" in step for step in steps] == [False, True]
    known = {name: kitchen.environment.pop(name) for name in steps[1]["env"]}
    kitchen.run(steps[0]["run"])
    assert "The variables are valid" in kitchen.printed
    kitchen.environment.update(known)
    kitchen.run(steps[1]["run"])
    (comment,) = [step["run"] for step in job["steps"] if "pr comment" in step.get("run", "")]
    report = (kitchen.folder / comment.split("--body-file ")[1]).read_text(encoding="utf-8")
    assert "**1 would change" in report and "bkdtg_2b" in report
    assert sim.writes == []


def test_unit_tests_of_playbooks(kitchen):
    kitchen.lay_out(UNIT_TESTS)
    (kitchen.folder / "edges").symlink_to(harness.ROOT)
    (clone, install, (command, shown)) = RECIPES[UNIT_TESTS].commands
    assert clone[0].startswith("git clone ") and "pip install" in install[0]
    kitchen.run(command.replace("python -m pytest", "python -m pytest -p no:cacheprovider"), shown)


def test_every_recipe_is_tested():
    assert set(RECIPES) == {ONE_HOST, CANARY, POLICIES, VAULT, ROTATE, DRIFT, INCIDENT, SERVICES, REVIEW, UNIT_TESTS}


# Migrating


def test_migrating_from_uri_tasks(sim, tmp_path):
    """What the new tasks ask for is what the old ones have set: the new ones change nothing."""
    tasks = [
        task for language, text, dummy in documents.blocks(documents.MIGRATING) if "yaml" in language
        for task in documents.load(text)
    ]  # fmt: skip
    old, new = ([task for task in tasks if ("ansible.builtin.uri" in task) is is_old] for is_old in (True, False))
    assert [task["name"] for task in old] == [task["name"] for task in new]
    used = {name.rpartition(".")[2] for task in new for name in task if name.startswith("edgeops.")}
    assert used == {path.stem for path in documents.PLUGINS if "_edge_" in path.stem}
    plays = [
        dict(name=name, hosts="localhost", gather_facts=False, tasks=tasks, check_mode=name == "new")
        for name, tasks in (("old", old), ("new", new))
    ]
    extra = dict(base_url=sim.base_url, api_key=sim.api_key, upstream_token="hush-hush")
    environment = dict(EDGE_API_BASE_URL=sim.base_url, EDGE_API_KEY=sim.api_key)
    done = playbook(plays, "--diff", tmp_path=tmp_path, extra=extra, env=environment)
    assert done.returncode == 0 and "[WARNING]" not in done.text, done.text
    assert "hush-hush" not in done.text and sim.api_key not in done.text
    assert len(sim.writes) == len(old)
    changed = [result["changed"] for task in new for result in done.of(task["name"]) if "operation" in result]
    assert changed == [False] * len(new)
