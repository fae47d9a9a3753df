# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role and the playbooks, and the tables of the guide that lists them.

In the guide each table stands between two comments. The first says what belongs into it: patterns of names, or one of
the words of `TABLES`.
"""

from __future__ import annotations

import fnmatch
import re
import textwrap
import typing as t
from pathlib import Path

import yaml
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry

ROOT = Path(__file__).resolve().parents[1]
_BEGIN, _END = ".. written by scripts/update_docs.py: ", ".. until here"
_TABLE = re.compile(r"(?ms)^%s(.+?)\n\n.*?^%s$" % (re.escape(_BEGIN), re.escape(_END)))
_DEFAULT = "The default is "
_COMMENT = re.compile(r"^# (\w+) \((.*?)\): (.*(?:\n#   .*)*)", re.MULTILINE)


def of_role() -> dict[str, dict]:
    """Every option of the role's entry points."""
    specs = yaml.safe_load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    found = {}
    for entry in specs["argument_specs"].values():
        for name, option in entry["options"].items():
            found[name] = dict(option)
    return found


def of_playbooks() -> dict[str, dict]:
    """Every variable that the comment at the top of a playbook documents; its type is that of its default."""
    found: dict[str, dict] = {}
    for path in sorted((ROOT / "playbooks").glob("*.yml")):
        for name, default, text in _COMMENT.findall(path.read_text(encoding="utf-8")):
            kind = {bool: "bool", list: "list"}.get(type(yaml.safe_load(default)), "str")
            described = {"description": [re.sub(r"\n#   ", " ", text)], "default": default, "type": kind}
            if found.setdefault(name, described) != described:
                raise SystemExit(f"{path.name} documents {name} in another way than an earlier playbook")
    return found


def variables() -> dict[str, dict]:
    """Every variable, with `description`, and `default` and `type` where these are given."""
    return {**of_role(), **of_playbooks()}


def environment() -> dict[str, str]:
    """The environment variables, with the option that each stands for."""
    spec = {**_argspec.connection_spec(), **_argspec.control_spec()}
    return {option["fallback"][1][0]: name for name, option in spec.items() if "fallback" in option}


def guide(text: str, options: dict) -> str:
    """The guide with every table written anew; `options` is the documentation of edge_modules."""
    known, shown = variables(), []

    def table(match: re.Match) -> str:
        what = match.group(1)
        if what in TABLES:
            lines = TABLES[what](options)
        else:
            names = [name for pattern in what.split(", ") for name in fnmatch.filter(known, pattern)]
            shown.extend(names)
            rows = [(f"``{name}``", default_of(name, known[name], options), meaning(known[name])) for name in names]
            lines = list_table(("Variable", "Default", "Meaning"), rows, (30, 20, 50))
        return "\n".join([_BEGIN + what, "", *lines, "", _END])

    text = _TABLE.sub(table, text)
    for name in known:
        if shown.count(name) != 1:
            raise SystemExit(f"{name} is {shown.count(name)} times in the guide: correct the names of its tables")
    return text


def default_of(name: str, variable: dict, options: dict) -> str:
    """What counts where the variable is not given, as the documentation says it."""
    if "default" in variable:
        return f"``{variable['default']}``"
    said = [one[len(_DEFAULT) : -1] for one in variable["description"] if one.startswith(_DEFAULT)]
    of_module = options.get(name.partition("_")[2], {}).get("default")
    if of_module is not None and f"V({as_text(of_module)})" not in "".join(said):
        raise SystemExit(f"the role's {name} does not say that the default is {of_module}")
    return rst(said[0]) if said else ""


def as_text(value: t.Any) -> str:
    """A default as YAML has it."""
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)


def meaning(variable: dict) -> str:
    """The description without the default, which has a column of its own."""
    paragraphs = [one for one in variable["description"] if not one.startswith(_DEFAULT)]
    return rst(" ".join(paragraphs))


def rst(text: str) -> str:
    """A text of the documentation as reStructuredText."""

    def part(match: re.Match) -> str:
        kind, content = match.group(1), re.sub(r"\\(.)", r"\1", match.group(2))
        if kind == "M":
            return f":ansplugin:`{content}#module`"
        if kind == "P":
            return f":ansplugin:`{content}`"
        if kind == "E" and content in environment():
            return f":envvar:`{content}`"
        if kind == "O":
            content = content.replace("=", ": ")
        return f"``{content}``"

    return re.sub(r"\b(C|E|M|O|P|RV|V)\(((?:[^\\)]|\\.)*)\)", part, text)


def list_table(head: t.Sequence[str], rows: t.Iterable[t.Sequence[str]], widths: t.Sequence[int]) -> list[str]:
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: " + " ".join(map(str, widths)), ""]
    for row in (head, *rows):
        for number, cell in enumerate(row):
            lead = "   * - " if number == 0 else "     - "
            wrapped = textwrap.wrap(cell, 113, break_long_words=False, break_on_hyphens=False) or [""]
            lines.append((lead + wrapped[0]).rstrip())
            lines.extend("       " + line for line in wrapped[1:])
    return lines


def edge_modules(options: dict) -> list[str]:
    """A table for each edge module, with its options."""
    lines: list[str] = []
    for each in _registry.DESCRIPTIONS:
        owner, where = options[each.kind.option]["suboptions"], f"``provision_{each.kind.option}``"
        if each.kind.route_prefix:
            owner, where = owner["routes"]["suboptions"], f"``routes`` of {where}"
        rows = []
        for name, option in owner[each.entry]["suboptions"].items():
            names = ", ".join(f"``{one}``" for one in (name, *option.get("aliases", ())))
            # What each choice means has a paragraph of its own; of the others the first one says what it is.
            paragraphs = option["description"][: len(option["choices"]) if "choices" in option else 1]
            rows.append((names, values_of(option), rst(" ".join(paragraphs))))
        lines += [f"``{each.entry}`` in {where} (:ansplugin:`edgeops.edges.{each.name}#module`):", ""]
        lines += [*list_table(("Option", "Values", "Meaning"), rows, (25, 20, 55)), ""]
    return lines[:-1]


_TYPES = {"str": "text", "raw": "dict or text", "int": "whole number", "float": "number"}


def values_of(option: dict) -> str:
    """The choices of an option, or its type; the default is marked."""
    values = option.get("choices", [True, False] if option["type"] == "bool" else ())
    marked = (f"``{as_text(one)}``" + (" (default)" if one == option.get("default") else "") for one in values)
    return ", ".join(marked) or _TYPES.get(option["type"], option["type"])


def environment_variables(options: dict) -> list[str]:
    """A definition for each environment variable."""
    lines: list[str] = []
    for name, option in environment().items():
        described = rst(options[option]["description"][0])
        lines += [f".. envvar:: {name}", ""]
        lines += textwrap.wrap(described, 116, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)
        lines += ["", f"   The option ``{option}``, and the variable ``provision_{option}``, take precedence.", ""]
    return lines[:-1]


TABLES: dict[str, t.Callable[[dict], list[str]]] = {
    "edge modules": edge_modules,
    "environment": environment_variables,
}
