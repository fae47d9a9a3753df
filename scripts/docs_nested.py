# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation of edge_modules' nested options, from that of the single modules.

Ansible merges documentation fragments option by option but not below, so the nested options have to stand in one piece.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import yaml
from ansible_collections.edgeops.edges.plugins.module_utils import _registry

ROOT = Path(__file__).resolve().parents[1]
KINDS = {"tcp_edges": "TCP", "tls_edges": "TLS", "https_edges": "HTTPS"}

HEADER = '''# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Written by scripts/update_docs.py from the documentation of the single modules: edit that instead.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
%s"""
'''


def documentation(path: Path, name: str = "DOCUMENTATION") -> dict:
    """Return a documentation string of a Python file, parsed."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == name:
            return yaml.safe_load(ast.literal_eval(node.value))
    raise SystemExit(f"{path} has no {name}")


def nested(options: dict, prefix: str) -> dict:
    """Return the options with their references to one another made for the place where they stand."""
    text = yaml.safe_dump(options, sort_keys=False, allow_unicode=True, width=10_000)
    return yaml.safe_load(re.sub(r"\bO\((?=[a-z_]+[=)])", f"O({prefix}.", text))


def options_of(description) -> dict:
    """Return the options of an edge module as its own module documents them, without the ids."""
    common = documentation(ROOT / "plugins" / "doc_fragments" / "_edge.py")["options"]
    own = documentation(ROOT / "plugins" / "modules" / f"{description.name}.py")["options"]
    return {"state": common["state"], "enabled": common["enabled"], **own}


def entry(description, prefix: str) -> dict:
    module = documentation(ROOT / "plugins" / "modules" / f"{description.name}.py")
    return {
        "description": [
            f"{module['description'][0]}",
            f"It takes the options of M(edgeops.edges.{description.name}).",
        ],
        "type": "dict",
        "suboptions": nested(options_of(description), prefix),
    }


def name_of(owner: str) -> dict:
    return {
        "description": [
            f"What people call the {owner}. It is shown beside the id in messages and reports, and never sent."
        ],
        "type": "str",
    }


def all_options() -> dict:
    options: dict = {}
    for each in _registry.DESCRIPTIONS:
        option, kind = each.kind.option, KINDS.get(each.kind.option, each.kind.option)
        if option not in options:
            edge = {
                "id": {"description": ["The id of the edge."], "type": "str", "required": True},
                "name": name_of("edge"),
            }
            if each.kind.route_prefix:
                edge["routes"] = {
                    "description": ["The routes of the edge, each listed once."],
                    "type": "list",
                    "elements": "dict",
                    "suboptions": {
                        "id": {"description": ["The id of the route."], "type": "str", "required": True},
                        "name": name_of("route"),
                    },
                }
            options[option] = {
                "description": [
                    f"{kind} edges, each listed once.",
                    "An edge module that an entry leaves out is not touched, unless O(purge) is set.",
                ],
                "type": "list",
                "elements": "dict",
                "suboptions": edge,
            }
        owner, prefix = options[option]["suboptions"], f"{option}[]"
        if each.kind.route_prefix:
            owner, prefix = owner["routes"]["suboptions"], f"{prefix}.routes[]"
        owner[each.entry] = entry(each, f"{prefix}.{each.entry}")
    return {"options": options}


class _Dumper(yaml.SafeDumper):
    """Indents lists, and repeats what stands twice rather than refer to it."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data):
        return True


def text() -> str:
    """The fragment as the text of its file."""
    return HEADER % yaml.dump(all_options(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
