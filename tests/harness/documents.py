# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The code blocks of guides, README and modules' examples, for the test that runs them.

A YAML block whose first line is a comment such as C(# edges.yml) is that file. Any other YAML block holds tasks or
plays, which run as they stand. A line of a console block that begins with C($) and runs ansible-playbook is run.
"""

from __future__ import annotations

import ast
import re
import textwrap
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from . import ROOT

GUIDES = sorted((ROOT / "docs" / "docsite" / "rst").glob("*.rst"))
README = ROOT / "README.md"
PLUGINS = sorted(path for folder in ("modules", "filter") for path in (ROOT / "plugins" / folder).glob("[!_]*.py"))

_RST_BLOCK = re.compile(r"^\.\. code-block:: *(\S+)\n((?: +:.*\n)*)\n((?:(?: +.*)?\n)+)", re.MULTILINE)
_MARKDOWN_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_YAML = ("yaml", "yaml+jinja", "YAML+Jinja")


class _Loader(yaml.SafeLoader):
    """Reads what Ansible reads: its own tags stand for plain text."""


for _tag in ("!unsafe", "!vault"):
    _Loader.add_constructor(_tag, lambda loader, node: loader.construct_scalar(node))


def load(text: str) -> t.Any:
    return yaml.load(text, Loader=_Loader)


@dataclass
class Document:
    """What a document has to run: C(files) by name, C(plays) that run as they stand, C(commands) in their order."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    plays: list[dict] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)


def blocks(path: Path) -> t.Iterator[tuple[str, str]]:
    """Yield the language and the text of every code block of a document."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rst":
        for match in _RST_BLOCK.finditer(text):
            yield match.group(1), textwrap.dedent(match.group(3)).strip() + "\n"
    elif path.suffix == ".md":
        for match in _MARKDOWN_BLOCK.finditer(text):
            yield match.group(1), match.group(2)
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "EXAMPLES":
                yield "yaml", ast.literal_eval(node.value)


def read(path: Path) -> Document:
    found = Document(path.name)
    for language, text in blocks(path):
        if language in _YAML:
            name = re.match(r"# ([\w-]+\.yml)\n", text)
            content = load(text)
            if name:
                found.files[name.group(1)] = text
            elif isinstance(content, list) and "hosts" in content[0]:
                found.plays.extend(content)
            elif isinstance(content, list):
                found.plays.append(dict(name="A block", hosts="localhost", gather_facts=False, tasks=content))
            else:
                raise AssertionError(
                    "%s: a block is no list of tasks or plays, and has no file name:\n%s" % (path, text)
                )
        elif language == "console":
            lines = (line[2:] for line in text.splitlines() if line.startswith("$ "))
            found.commands.extend(line for line in lines if re.search(r"\bansible-playbook [^|]*\S", line))
        elif language == "python":
            found.python.append(text)
    return found
