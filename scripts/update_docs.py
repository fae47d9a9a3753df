# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the documentation that is derived from other documentation.

With --check nothing is written, and the exit code says whether the files are up to date.
"""

from __future__ import annotations

import functools
import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / ".cache" / "collections"))

import docs_nested  # noqa: E402
import docs_schema  # noqa: E402
import docs_variables  # noqa: E402


@functools.cache
def options_of(module: str) -> dict:
    """The documentation of a module's options, those of its fragments included."""
    found = docs_nested.documentation(ROOT / "plugins" / "modules" / f"{module}.py")
    options = dict(found["options"])
    for fragment in found.get("extends_documentation_fragment", ()):
        name, dummy, part = fragment.removeprefix("edgeops.edges.").partition(".")
        path = ROOT / "plugins" / "doc_fragments" / f"{name}.py"
        options.update(docs_nested.documentation(path, part.upper() or "DOCUMENTATION")["options"])
    return options


def derived() -> t.Iterator[tuple[Path, t.Callable[[], str]]]:
    """Yield each file with what makes its text. The first is read for those after it."""
    guide = ROOT / "docs" / "docsite" / "rst" / "guide_variables.rst"
    yield ROOT / "plugins" / "doc_fragments" / "_nested.py", docs_nested.text
    yield guide, lambda: docs_variables.guide(guide.read_text(encoding="utf-8"), options_of("edge_modules"))
    yield (
        ROOT / "docs" / "variables.schema.json",
        lambda: docs_schema.text(
            docs_variables.variables(), options_of("edge_modules"), options_of("edge_modules_info")
        ),
    )


def main() -> int:
    code = 0
    for path, text_of in derived():
        text = text_of()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv[1:]:
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/run.sh python scripts/update_docs.py")
            code = 1
        else:
            path.write_text(text, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
