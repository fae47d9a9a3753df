# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the wording of what users read: README, guides, and the documentation of modules, filters and the role.

Words that are not to be used, with what to say instead, are in prose.txt beside this file. Code in these texts is not
checked. With --list the names of the files are printed, for another checker.
"""

from __future__ import annotations

import re
import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORDS = Path(__file__).with_name("prose.txt")
FILES = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/benchmark/README.md", "docs/docsite/rst/*.rst"),
    *("roles/*/README.md", "roles/*/meta/argument_specs.yml", "playbooks/*.yml"),
    *("plugins/modules/*.py", "plugins/filter/*.py", "plugins/doc_fragments/*.py"),
)

# What is code: it keeps its lines, so that line numbers stay right.
_BLOCKS = (
    re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL),
    re.compile(r"^\.\. code-block::.*\n(?:(?: +.*)?\n)*", re.MULTILINE),
    re.compile(r"^EXAMPLES = .*?^\"\"\"$", re.MULTILINE | re.DOTALL),
)
_INLINE = re.compile(r"``.+?``|`[^`\n]+`|\b(?:[A-Z]{1,2})\((?:[^\\)]|\\.)*\)|https?://\S+")


class Rule(t.NamedTuple):
    pattern: re.Pattern
    advice: str


def rules() -> list[Rule]:
    found = []
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            words, arrow, advice = line.partition(" -> ")
            if not arrow:
                raise SystemExit(f"{WORDS.name}: no arrow in {line}")
            found.append(Rule(re.compile(r"(?<!\w)(?:%s)(?!\w)" % words.replace(" ", r"\s+"), re.IGNORECASE), advice))
    return found


def files() -> list[Path]:
    return [path for pattern in FILES for path in sorted(ROOT.glob(pattern))]


def prose(text: str, is_python: bool) -> str:
    """Return a text with its code, and in Python everything but the documentation, blanked."""
    if is_python:
        start = text.find("DOCUMENTATION = ")
        text = re.sub(r"\S", " ", text[:start]) + text[start:] if start >= 0 else ""
        text = re.sub(r'(?<=\n""")\n\n(?:import|from) .*', "", text, flags=re.DOTALL)
    for block in _BLOCKS:
        text = block.sub(lambda match: "\n" * match.group().count("\n"), text)
    return _INLINE.sub(lambda match: "\N{MIDDLE DOT}" + "\n" * match.group().count("\n"), text)


def faults(text: str, known: list[Rule]) -> t.Iterator[tuple[int, str, str]]:
    """Yield the line, the words and the advice for each use of what is not to be used."""
    for rule in known:
        for match in rule.pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()), rule.advice
    for match in re.finditer(r"^[ -]*The same\.$", text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, "The same.", "repeat what it means"


def main() -> int:
    if "--list" in sys.argv[1:]:
        print("\n".join(str(path.relative_to(ROOT)) for path in files()))
        return 0
    known, found = rules(), 0
    for path in files():
        text = prose(path.read_text(encoding="utf-8"), path.suffix == ".py")
        for line, words, advice in sorted(faults(text, known)):
            print(f"{path.relative_to(ROOT)}:{line}: {words!r}: {advice}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
