# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A made-up sixth edge module costs a few small files, and works everywhere: no line of the engine changes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import harness
import pytest
from simulator import Simulator
from simulator.edge_modules import EDGE_MODULES, EdgeModule

HEADER = """# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""

NAME = "tls_edge_mutual_tls"

DESCRIPTION = '''
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import DottedNumber, References, Rule
from ansible_collections.edgeops.edges.plugins.module_utils._description import TLS, Description, Field

DESCRIPTION = Description(
    name="tls_edge_mutual_tls",
    entry="mutual_tls",
    kind=TLS,
    path="/edges/tls/{edge_id}/mutual_tls",
    own_fields=(
        Field(
            "certificate_authority_ids",
            References("certificate_authorities", "ca_"),
            dict(type="list", elements="str"),
            required=True,
            answered_as="certificate_authorities",
        ),
        Field("mode", Rule(), dict(type="str", choices=["ask", "demand"])),
        Field("depth", Rule(int), dict(type="int")),
        Field("format", DottedNumber(), dict(type="str"), null_where=("mode", "ask")),
    ),
)
'''

MODULE = '''
DOCUMENTATION = r"""
module: tls_edge_mutual_tls
short_description: Manage the mutual TLS of a TLS edge
description:
  - Sets or removes the mutual TLS of a TLS edge.
author:
  - The edgeops.edges authors (@edgeops)
version_added: 1.1.0
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - edgeops.edges._attributes
  - edgeops.edges._connection
  - edgeops.edges._edge
options:
  certificate_authority_ids:
    description:
      - The ids of the authorities. Required when O(state=present).
    type: list
    elements: str
  mode:
    description:
      - Whether a certificate is asked for or demanded.
    type: str
    choices: [ask, demand]
  depth:
    description:
      - The most certificates in a chain.
    type: int
  format:
    description:
      - The version of the format. Must be left out when O(mode=ask).
    type: str
"""

EXAMPLES = r"""
- name: Demand a certificate
  edgeops.edges.tls_edge_mutual_tls:
    edge_id: edgtls_2a
    certificate_authority_ids: [ca_2a]
    mode: demand
"""

RETURN = r"""
operation:
  description: What the task did.
  returned: success
  type: str
  sample: replace
"""

from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tls_edge_mutual_tls import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._module import run_module
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work


def main() -> None:
    run_module(single_work(DESCRIPTION))


if __name__ == "__main__":
    main()
'''

ACTION = '''
from ansible_collections.edgeops.edges.plugins.module_utils._descriptions.tls_edge_mutual_tls import DESCRIPTION
from ansible_collections.edgeops.edges.plugins.module_utils._work import single_work
from ansible_collections.edgeops.edges.plugins.plugin_utils._action import EdgeActionBase


class ActionModule(EdgeActionBase):
    work = single_work(DESCRIPTION)
'''


def _answer(config, _options, base_url):
    listed = config["certificate_authority_ids"]
    refs = [{"id": one, "uri": "%s/certificate_authorities/%s" % (base_url, one)} for one in listed]
    kept = {name: value for name, value in config.items() if name != "certificate_authority_ids"}
    return {**kept, "certificate_authorities": refs}


SIXTH = EdgeModule(
    "/edges/tls/{id}/mutual_tls",
    {"certificate_authority_ids": [], "mode": None, "depth": None, "format": None},
    _answer,
)


def _tree(root):
    """What every file of the tree holds, as a digest."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and not {"__pycache__", ".cache"} & set(path.relative_to(root).parts)
    }


def _insert(path, after, line):
    """Put a line behind the last one that begins so."""
    lines = path.read_text(encoding="utf-8").split("\n")
    number = max(number for number, one in enumerate(lines) if one.startswith(after))
    lines.insert(number + 1, line)
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """A directory of collections in which ours has a sixth edge module."""
    root = tmp_path_factory.mktemp("collections")
    ours = root / "ansible_collections" / "edgeops" / "edges"
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "plugins", "meta", "scripts", "*.yml"],
        cwd=harness.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in tracked.stdout.splitlines():
        if (harness.ROOT / name).is_file():
            (ours / name).parent.mkdir(parents=True, exist_ok=True)
            (ours / name).write_bytes((harness.ROOT / name).read_bytes())
    before = _tree(ours)

    # The whole cost:
    utils = ours / "plugins" / "module_utils"
    (utils / "_descriptions" / (NAME + ".py")).write_text(HEADER + DESCRIPTION, encoding="utf-8")
    _insert(utils / "_registry.py", "    tls_edge_tls_termination,", "    %s," % NAME)
    _insert(utils / "_registry.py", "    tls_edge_tls_termination.DESCRIPTION", "    %s.DESCRIPTION," % NAME)
    module = "#!/usr/bin/python\n" + HEADER + MODULE
    (ours / "plugins" / "modules" / (NAME + ".py")).write_text(module, encoding="utf-8")
    (ours / "plugins" / "action" / (NAME + ".py")).write_text(HEADER + ACTION, encoding="utf-8")
    _insert(ours / "meta" / "runtime.yml", "    - tls_edge_tls_termination", "    - %s" % NAME)
    # And the documentation of edge_modules, which is made from it.
    link = ours / ".cache" / "collections"
    link.parent.mkdir()
    link.symlink_to(root)
    subprocess.run([sys.executable, str(ours / "scripts" / "update_docs.py")], check=True)

    after = _tree(ours)
    assert {name for name in after if name not in before} == {
        "plugins/module_utils/_descriptions/%s.py" % NAME,
        "plugins/modules/%s.py" % NAME,
        "plugins/action/%s.py" % NAME,
    }
    assert {name for name in before if before[name] != after[name]} == {
        "plugins/module_utils/_registry.py",
        "meta/runtime.yml",
        "plugins/doc_fragments/_nested.py",
    }
    return root


@pytest.fixture
def sim():
    with Simulator(modules=(*EDGE_MODULES, SIXTH), validate=False) as simulator:
        yield simulator


@pytest.mark.parametrize("in_process", [True, False], ids=["in the worker", "as modules"])
def test_a_sixth_edge_module_works_everywhere(collections, sim, tmp_path, in_process):
    path = "/edges/tls/edgtls_1/mutual_tls"
    own, many = "%s.%s" % (harness.COLLECTION, NAME), "edgeops.edges.edge_modules"
    first = {"edge_id": "edgtls_1", "certificate_authority_ids": ["ca_b", "ca_a", "ca_b"], "mode": "demand", "depth": 3}
    entry = {"certificate_authority_ids": ["ca_c"], "mode": "ask"}
    tasks = [
        {"name": "foreseen", own: first, "check_mode": True},
        {"name": "done", own: first},
        {"name": "again", own: {**first, "certificate_authority_ids": ["ca_a", "ca_b"]}},
        {"name": "wrong id", own: {**first, "edge_id": "ca_1"}, "ignore_errors": True},
        {"name": "wrong format", own: {**first, "format": "new"}, "ignore_errors": True},
        {"name": "nothing named", own: {"edge_id": "edgtls_1"}, "ignore_errors": True},
        {"name": "one of many", many: {"tls_edges": [{"id": "edgtls_1", "mutual_tls": entry}]}},
        {
            "name": "one of many, wrong",
            many: {"tls_edges": [{"id": "edgtls_1", "mutual_tls": {"certificate_authority_ids": ["a", " "]}}]},
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
    done = harness.playbook(plays, "-vvv", tmp_path=tmp_path, env={"ANSIBLE_COLLECTIONS_PATH": str(collections)})
    assert done.returncode == 0, done.text
    assert done.stdout.count("runs in the worker") == (len(tasks) if in_process else 0)

    def of(name):
        (result,) = done.of(name)
        return result

    stored = {
        "enabled": True,
        "certificate_authority_ids": ["ca_b", "ca_a"],
        "mode": "demand",
        "depth": 3,
        "format": None,
    }
    dry, real = of("foreseen"), of("done")
    assert (dry["operation"], dry["diff"], dry["config"]) == (real["operation"], real["diff"], real["config"])
    assert json.loads(real["diff"]["after"]) == {**stored, "certificate_authority_ids": ["ca_a", "ca_b"]}
    assert real["config"]["certificate_authorities"][0] == {
        "id": "ca_b",
        "uri": sim.base_url + "/certificate_authorities/ca_b",
    }
    assert of("again")["changed"] is False
    assert "edge_id names another kind of resource: ca_1 begins with ca_, not with edgtls_" in of("wrong id")["msg"]
    assert "format must be a dotted number" in of("wrong format")["msg"]
    assert "certificate_authority_ids" in of("nothing named")["msg"]
    assert of("one of many")["results"][0]["module"] == NAME
    assert "tls_edges[0].mutual_tls.certificate_authority_ids[1] must not be blank" in of("one of many, wrong")["msg"]
    # What the entry leaves out was kept; the mode asks for no format.
    assert of("read")["tls_edges"] == [
        {
            "id": "edgtls_1",
            "ip_restriction": {"state": "absent"},
            "tls_termination": {"state": "absent"},
            "mutual_tls": {"enabled": True, "certificate_authority_ids": ["ca_c"], "mode": "ask", "depth": 3},
        }
    ]
    assert of("given back")["changed"] is False
    assert {one["module"]: one["operation"] for one in of("purge")["results"]} == {
        "tls_edge_ip_restriction": "none",
        "tls_edge_tls_termination": "none",
        NAME: "delete",
    }
    assert of("absent")["changed"] is False
    assert [(record.method, record.path) for record in sim.writes] == [("PUT", path), ("PUT", path), ("DELETE", path)]
    assert sim.writes[0].body == stored


def test_a_sixth_edge_module_is_documented(collections, tmp_path):
    command = [str(Path(sys.executable).with_name("ansible-doc")), "--json", "edgeops.edges.edge_modules"]
    done = subprocess.run(
        [*command, "edgeops.edges." + NAME],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=harness.plain_environment(ANSIBLE_COLLECTIONS_PATH=str(collections)),
    )
    documented = json.loads(done.stdout)
    options = documented["edgeops.edges.edge_modules"]["doc"]["options"]["tls_edges"]["suboptions"]["mutual_tls"]
    assert sorted(options["suboptions"]) == ["certificate_authority_ids", "depth", "enabled", "format", "mode", "state"]
    assert documented["edgeops.edges." + NAME]["doc"]["has_action"] is True
