# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guide "Adding an edge module", followed to the letter in a copy of the checkout, which the tests then pass.

Its edge module is the proof that one costs what the guide says and nothing else, and works everywhere.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest
import yaml
from harness import documents
from simulator.options import Options

# It runs whole suites in a copy of the checkout.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

GUIDE = harness.ROOT / "docs" / "docsite" / "rst" / "guide_adding.rst"
NAME = "tls_edge_tea_party"
# What the guide's command makes from the documentation of the single modules.
DERIVED = {
    "docs/docsite/rst/guide_variables.rst",
    "docs/variables.schema.json",
    "plugins/doc_fragments/_nested.py",
}
DESCRIPTIONS = "plugins/module_utils/_descriptions/[!_]*.py"
IMPORTS = (ast.Import, ast.ImportFrom)
# What tests go over the edge modules with: the table, what the harness makes of it, and the list of descriptions; and
# what goes over all edge modules of an edge, of which tests may have lists or counts of their own.
TABLES = {"facts", "SAMPLES", "FIRST", "MODULES", "many", "PER_GROUP", "_registry"}
TABLES |= {"purge", "edge_modules_info", "info_work"}
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"

# The guide's edge module as one of another kind of edge: pattern, what stands there then.
OF_TCP_EDGES = (
    (r"tls_edge_tea_party", "tcp_edge_tea_party"),
    (r"/edges/tls/(\S+)/tea_party", r"/edges/tcp/\1/tea_party"),
    (r"\bimport TLS,|\bkind=TLS,", lambda match: match.group().replace("TLS", "TCP")),
    (r'edges="tls_edges"', 'edges="tcp_edges"'),
    (r"TlsEdge(Id|TeaParty)", r"TcpEdge\1"),
    (r"edgtls_", "edgtcp_"),
    (r"_rules([./])duration", r"_rules\1tcp_duration"),
)
OF_ROUTES = (
    (r"tls_edge_tea_party edgtls_2a", "https_edge_route_tea_party edghts_2a edghtsrt_2a"),
    (r"tls_edge_tea_party", "https_edge_route_tea_party"),
    (r"/edges/tls/\{edge_id\}/tea_party", "/edges/https/{edge_id}/routes/{route_id}/tea_party"),
    (r"/edges/tls/\{id\}/tea_party", "/edges/https/{edge_id}/routes/{id}/tea_party"),
    (r"/edges/tls/edgtls_2a/tea_party", "/edges/https/edghts_2a/routes/edghtsrt_2a/tea_party"),
    (r"\bimport TLS,|\bkind=TLS,", lambda match: match.group().replace("TLS", "HTTPS")),
    (r'edges="tls_edges"', 'edges="https_edges"'),
    (r"( *)(.*)TlsEdgeId(.*)", r"\1\2HttpsEdgeId\3\n\1\2RouteId\3"),
    (r"TlsEdgeTeaParty", "HttpsEdgeRouteTeaParty"),
    (r"( *)- edgeops.edges._edge\n", r"\g<0>\1- edgeops.edges._edge.route\n"),
    (r"( *)edge_id: edgtls_2a", r"\1edge_id: edghts_2a\n\1route_id: edghtsrt_2a"),
    (r"_rules([./])duration", r"_rules\1route_duration"),
)


def _tree(root):
    """What every file of the tree holds, as a digest."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and not {"__pycache__", ".cache", ".venv"} & set(path.relative_to(root).parts)
    }


def _environment(checkout):
    """The environment of these tests with the copy in place of the checkout."""
    environment = harness.plain_environment(
        EDGES_ROOT=str(checkout),
        EDGES_CACHE=str(checkout / ".cache"),
        ANSIBLE_COLLECTIONS_PATH=str(checkout.parents[2]),
        ANSIBLE_HOME=str(checkout / ".cache" / "ansible"),
    )
    return {name: value for name, value in environment.items() if not name.startswith(("PYTEST_", "COV_"))}


def _python(checkout, *arguments, timeout=60):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=checkout,
        env=_environment(checkout),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout to which the guide was applied."""
    root = tmp_path_factory.mktemp("guide")
    ours = root / "ansible_collections" / "edgeops" / "edges"
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=harness.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in tracked.stdout.splitlines():
        if (harness.ROOT / name).is_file():
            (ours / name).parent.mkdir(parents=True, exist_ok=True)
            (ours / name).write_bytes((harness.ROOT / name).read_bytes())
    link = ours / ".cache" / "collections"
    link.parent.mkdir()
    link.symlink_to(root)
    before = _tree(ours)

    files = documents.follow(GUIDE, ours)
    commands = [line for block in documents.blocks(GUIDE) for line in block.text.splitlines() if line[:2] == "$ "]
    assert "$ scripts/run.sh python scripts/update_docs.py" in commands
    done = _python(ours, "scripts/update_docs.py")
    assert done.returncode == 0, done.stderr

    after = _tree(ours)
    assert {name for name in after if after[name] != before.get(name)} == set(files) | DERIVED

    # One of each other kind as well: a list or count in a test can be of that kind alone.
    for number, changes in enumerate((OF_TCP_EDGES, OF_ROUTES)):
        text = GUIDE.read_text(encoding="utf-8")
        for pattern, replacement in changes:
            text, found = re.subn(pattern, replacement, text)
            assert found, pattern
        other = root / ("%d.rst" % number)
        other.write_text(text, encoding="utf-8")
        documents.follow(other, ours)
    done = _python(ours, "scripts/update_docs.py")
    assert done.returncode == 0, done.stderr
    return ours


def test_the_guide_names_every_file_that_it_takes(checkout):
    """One description, a rule, its lines in the lists, documentation, action, group, schema and facts: nothing else."""
    assert set(documents.files_of(GUIDE)) == {
        "plugins/module_utils/_descriptions/%s.py" % NAME,
        "plugins/module_utils/_rules/duration.py",
        "plugins/module_utils/_registry.py",
        "plugins/modules/%s.py" % NAME,
        "plugins/action/%s.py" % NAME,
        "README.md",
        "meta/runtime.yml",
        "docs/openapi.yaml",
        "tests/facts.py",
    }


def test_the_tests_pass_with_one_more_edge_module(checkout):
    """Those that use one of the tables, be it by way of what their file defines; but no case that names another module.

    The rest knows nothing of the edge modules that there are. The whole of tests/unit, tests/behaviour and
    tests/properties runs where EDGES_GUIDE=whole is in the environment.
    """
    whole = os.environ.get("EDGES_GUIDE") == "whole"
    tests, others = [], " or ".join(path.stem for path in sorted(checkout.glob(DESCRIPTIONS)) if path.stem != NAME)
    for folder in ("unit", "behaviour", "properties"):
        for path in sorted((checkout / "tests" / folder).glob("test_*.py")):
            name = path.relative_to(checkout)
            tests += [str(name)] if whole else ["%s::%s" % (name, test) for test in _go_over_all(path)]
    assert len({test.partition("::")[0] for test in tests}) > 20
    chosen = [] if whole else ["-k", "not (%s)" % others]
    done = _python(checkout, "-m", "pytest", "-q", "-x", *chosen, *tests, timeout=3600 if whole else 1200)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert re.search(r"\d+ passed", done.stdout)


def _go_over_all(path):
    """The tests of a file that use one of the tables."""
    known = set(TABLES)
    definitions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if not isinstance(node, IMPORTS)]
    while True:
        users = [node for node in definitions if _uses(node) & known]
        found = {name for node in users for name in _defines(node)} | known
        if found == known:
            return [node.name for node in users if getattr(node, "name", "").lower().startswith("test")]
        known = found


def _uses(node):
    """Every name and text in a definition, its decorators included; the arguments of a test are fixtures."""
    found = {getattr(one, "id", None) or getattr(one, "attr", None) for one in ast.walk(node)}
    found |= {one.arg for one in ast.walk(node) if isinstance(one, (ast.arg, ast.keyword))}
    return found | {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def _defines(node):
    if hasattr(node, "name"):
        return {node.name}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def test_without_its_facts_every_test_says_what_is_missing(checkout):
    table = checkout / "tests" / "facts.py"
    whole = table.read_text(encoding="utf-8")
    table.write_text((harness.ROOT / "tests" / "facts.py").read_text(encoding="utf-8"), encoding="utf-8")
    try:
        done = _python(checkout, "-m", "pytest", "-q", "tests/properties")
    finally:
        table.write_text(whole, encoding="utf-8")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert re.search(r"ERROR: \w+_tea_party is not in tests/facts.py: add it there\s*$", done.stderr)


@pytest.fixture
def sim(checkout, tmp_path):
    """The simulator of the copy, in a process of its own, and its state once it is asked for."""
    url = tmp_path / "url"
    command = [sys.executable, "-m", "simulator", "--url-file", str(url)]
    environment = {**_environment(checkout), "PYTHONPATH": str(checkout / "tests")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        yield _Simulator(url.read_text(encoding="utf-8").strip())
        process.terminate()


class _Simulator:
    api_key = Options().api_key

    def __init__(self, base_url):
        self.base_url = base_url

    def state(self):
        import requests

        return requests.get(self.base_url + "/_simulator/state", timeout=10).json()


@pytest.mark.parametrize("in_process", [True, False], ids=["in the worker", "as modules"])
def test_playbooks_know_the_edge_module(checkout, sim, tmp_path, in_process):
    path = "/edges/tls/edgtls_1/tea_party"
    own, many = "%s.%s" % (harness.COLLECTION, NAME), "edgeops.edges.edge_modules"
    open_ = {"edge_id": "edgtls_1", "guest_ids": ["gst_b", "gst_a", "gst_b"], "tea": "hot", "steep": "3m"}
    first = {**open_, "secret_ingredient": "s3cret mint"}
    entry = {"guest_ids": ["gst_c"], "tea": "iced"}
    tasks = [
        {"name": "foreseen", own: first, "check_mode": True},
        {"name": "done", own: first},
        {"name": "again", own: {**first, "guest_ids": ["gst_a", "gst_b"], "steep": "180s"}},
        {"name": "the secret kept", own: {**open_, "secret_ingredient": MASK}},
        {"name": "another secret", own: {**open_, "secret_ingredient": "s3cret salt"}},
        # Ansible shows the lines before a task that fails: none of them has a secret.
        {"name": "the secret left out", own: open_},
        {"name": "wrong id", own: {**open_, "edge_id": "gst_1"}, "ignore_errors": True},
        {"name": "wrong time", own: {**open_, "steep": "long"}, "ignore_errors": True},
        {"name": "not with iced tea", own: {**open_, "tea": "iced"}, "ignore_errors": True},
        {"name": "nothing named", own: {"edge_id": "edgtls_1"}, "ignore_errors": True},
        {"name": "one of many", many: {"tls_edges": [{"id": "edgtls_1", "tea_party": entry}]}},
        {
            "name": "one of many, wrong",
            many: {"tls_edges": [{"id": "edgtls_1", "tea_party": {"guest_ids": ["a", " "], "tea": "hot"}}]},
            "ignore_errors": True,
        },
        {"name": "read", "edgeops.edges.edge_modules_info": {"tls_edges": ["edgtls_1"]}, "register": "found"},
        {"name": "given back", many: {"tls_edges": "{{ found.tls_edges }}", "purge": True}},
        {"name": "purge", many: {"tls_edges": [{"id": "edgtls_1"}], "purge": True}},
        {"name": "absent", own: {"edge_id": "edgtls_1", "state": "absent"}},
    ]
    for task in tasks:
        task["diff"] = True
    # The action group is what tells them the connection.
    plays = [harness.play(tasks, sim, vars={"edgeops_edges_in_process": in_process})]
    environment = {"ANSIBLE_COLLECTIONS_PATH": str(checkout.parents[2])}
    done = harness.playbook(plays, "-vvv", tmp_path=tmp_path, env=environment)
    assert done.returncode == 0, done.text
    assert done.stdout.count("runs in the worker") == (len(tasks) if in_process else 0)

    def of(name):
        (result,) = done.of(name)
        return result

    assert "s3cret" not in done.text
    stored = {"enabled": True, "guest_ids": ["gst_b", "gst_a"], "tea": "hot", "steep": "3m"}
    stored["secret_ingredient"] = "s3cret mint"
    dry, real = of("foreseen"), of("done")
    assert (dry["operation"], dry["diff"], dry["config"]) == (real["operation"], real["diff"], real["config"])
    shown = {**stored, "guest_ids": ["gst_a", "gst_b"], "steep": "180s", "secret_ingredient": MASK}
    assert json.loads(real["diff"]["after"]) == shown
    assert real["config"]["guests"][0] == {"id": "gst_b", "uri": sim.base_url + "/guests/gst_b"}
    for name in ("again", "the secret kept", "the secret left out"):
        assert of(name)["changed"] is False, name
    assert json.loads(of("another secret")["diff"]["after"])["secret_ingredient"] == MASK + " (changed)"
    assert "edge_id names another kind of resource: gst_1 begins with gst_, not with edgtls_" in of("wrong id")["msg"]
    assert "steep must be a duration such as 90s or 3m" in of("wrong time")["msg"]
    assert "steep must be left out when tea is iced" in of("not with iced tea")["msg"]
    assert "guest_ids" in of("nothing named")["msg"]
    assert of("one of many")["results"][0]["module"] == NAME
    assert "tls_edges[0].tea_party.guest_ids[1] must not be blank" in of("one of many, wrong")["msg"].replace(
        " (edgtls_1)", ""
    )
    (read,) = of("read")["tls_edges"]
    assert read["tea_party"] == {"enabled": True, "guest_ids": ["gst_c"], "tea": "iced", "secret_ingredient": MASK}
    assert of("given back")["changed"] is False
    operations = {one["module"]: one["operation"] for one in of("purge")["results"]}
    assert operations.pop(NAME) == "delete" and set(operations.values()) == {"none"}
    assert of("absent")["changed"] is False
    writes = [record for record in sim.state()["log"] if record["method"] != "GET"]
    assert [(one["method"], one["path"]) for one in writes] == [("PUT", path)] * 3 + [("DELETE", path)]
    assert writes[0]["body"] == stored
    assert writes[1]["body"] == {**stored, "secret_ingredient": "s3cret salt"}
    assert writes[2]["body"]["secret_ingredient"] == "s3cret salt"
    assert sim.state()["refusals"] == []


def test_it_is_documented(checkout, tmp_path):
    command = [str(Path(sys.executable).with_name("ansible-doc")), "--json", "edgeops.edges.edge_modules"]
    done = subprocess.run(
        [*command, "edgeops.edges." + NAME],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=_environment(checkout),
    )
    documented = json.loads(done.stdout)
    options = documented["edgeops.edges.edge_modules"]["doc"]["options"]["tls_edges"]["suboptions"]["tea_party"]
    assert sorted(options["suboptions"]) == ["enabled", "guest_ids", "secret_ingredient", "state", "steep", "tea"]
    assert documented["edgeops.edges." + NAME]["doc"]["has_action"] is True
    group = yaml.safe_load((checkout / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]["all"]
    assert NAME in group
