# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The code blocks of guides, README and modules' examples, for the tests that run them.

A block with a caption belongs into a file of the checkout; see `follow`. A YAML block whose first line is a comment
such as `# edges.yml` is that file. Any other YAML block holds tasks or plays, which run as they stand. A line of a
console block that begins with `$` is a command; those that run ansible-playbook or cat are run. The lines after it are
what it prints: three dots stand for any text, alone on a line for any lines.
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
RECIPES = ROOT / "docs" / "docsite" / "rst" / "guide_recipes.rst"
MIGRATING = ROOT / "docs" / "docsite" / "rst" / "guide_migrating.rst"
README = ROOT / "README.md"
PLUGINS = sorted(path for folder in ("modules", "filter") for path in (ROOT / "plugins" / folder).glob("[!_]*.py"))

_RST_BLOCK = re.compile(r"^\.\. code-block:: *(\S+)\n((?: +:.*\n)*)\n((?:(?: +.*)?\n)+)", re.MULTILINE)
_CAPTION = re.compile(r"^ +:caption: *(.+)$", re.MULTILINE)
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
    """What a document has to run: `files` by name, `plays` that run as they stand, `commands` in their order.

    `outputs` are the lines that the document shows after each of the commands; none where it shows none.
    """

    name: str
    files: dict[str, str] = field(default_factory=dict)
    plays: list[dict] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    outputs: list[list[str]] = field(default_factory=list)
    python: list[str] = field(default_factory=list)


class Block(t.NamedTuple):
    language: str
    text: str
    caption: str = ""


def blocks(path: Path) -> t.Iterator[Block]:
    """Yield every code block of a document."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rst":
        yield from blocks_of(text)
    elif path.suffix == ".md":
        for match in _MARKDOWN_BLOCK.finditer(text):
            yield Block(match.group(1), match.group(2))
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "EXAMPLES":
                yield Block("yaml", ast.literal_eval(node.value))


def blocks_of(text: str) -> t.Iterator[Block]:
    """Yield every code block of a text in reStructuredText."""
    for match in _RST_BLOCK.finditer(text):
        caption = _CAPTION.search(match.group(2))
        content = textwrap.dedent(match.group(3)).strip() + "\n"
        yield Block(match.group(1), content, caption.group(1) if caption else "")


def files_of(document: Path) -> list[str]:
    """The files of the checkout that its blocks belong to."""
    return [block.caption.partition(", before ")[0] for block in blocks(document) if block.caption]


def follow(document: Path, checkout: Path) -> list[str]:
    """Put every block with a caption where the caption says, and return the files: `FILE`, or `FILE, before "LINE"`.

    In the second form the block goes before the one line of the file that reads so, indented as that line is; `...` in
    it stands for any text.
    """
    for block in blocks(document):
        if block.caption:
            name, dummy, line = block.caption.partition(", before ")
            path = checkout / name
            if line:
                path.write_text(_with(path, line[1:-1], block.text), encoding="utf-8")
            else:
                assert not path.exists(), "%s is there already" % name
                path.write_text(block.text, encoding="utf-8")
    return files_of(document)


def _with(path: Path, line: str, text: str) -> str:
    """The text of a file with more of it before a line."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    pattern = re.compile(".*".join(map(re.escape, line.split("..."))))
    found = [number for number, one in enumerate(lines) if pattern.fullmatch(one.strip())]
    assert len(found) == 1, "%s has %d lines that read %s" % (path.name, len(found), line)
    indent = lines[found[0]][: -len(lines[found[0]].lstrip())]
    lines.insert(found[0], textwrap.indent(text, indent))
    return "".join(lines)


def missing_line(shown: list[str], printed: str) -> str | None:
    """Return the first line of an output that a document shows which is not printed where it should be.

    Lines that follow one another in the document do so in what is printed; `...` alone on a line stands for any lines.
    """
    lines = [line.rstrip() for line in printed.splitlines()]
    at, gap = 0, False
    for line in shown:
        if line.strip() == "...":
            gap = True
            continue
        pattern = re.compile(".*".join(map(re.escape, line.rstrip().split("..."))))
        places = range(at, len(lines) if gap else min(at + 1, len(lines)))
        found = next((place for place in places if pattern.fullmatch(lines[place])), None)
        if found is None:
            return line
        at, gap = found + 1, False
    return None if gap or not shown or not any(lines[at:]) else "(the document shows an end here)"


def read(path: Path) -> Document:
    found = Document(path.name)
    for language, text, caption in blocks(path):
        if caption:
            continue
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
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, *output = part.splitlines()
                if re.search(r"\bansible-playbook [^|]*\S|^cat ", command):
                    found.commands.append(command)
                    found.outputs.append(output)
        elif language == "python":
            found.python.append(text)
    return found
