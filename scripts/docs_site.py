# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Arrange the pages that antsibull-docs made for Sphinx: scripts/docs.sh calls it between the two.

The argument is the folder of the site. What is changed:

- the side bar groups guides, modules, filters and the role, under their names as they are written;
- the first page lists the playbooks;
- the page of environment variables lists those of modules as well, which antsibull-docs finds in other plugins alone;
- pictures are copied, and references to Ansible's own documentation need no network.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import zlib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / ".cache" / "collections"))

import docs_variables  # noqa: E402
from update_docs import options_of  # noqa: E402

ANSIBLE = "https://docs.ansible.com/projects/ansible/devel/"
STYLE = """\
/* The captions are for the side bar: in the page a heading says the same. */
.toctree-wrapper > .caption { display: none; }
.wy-menu-vertical a { overflow-wrap: anywhere; white-space: normal; }
.rst-content img { max-width: 100%; }
/* An option such as --limit is not broken at its hyphens, except on a narrow screen. */
.rst-content code .pre { white-space: nowrap; }
@media (max-width: 768px) {
  .rst-content code .pre { white-space: normal; }
  .rst-content, .wy-breadcrumbs li { overflow-wrap: anywhere; }
  .rst-content pre { overflow-wrap: normal; white-space: pre !important; }
  .rst-content table.docutils td, .rst-content table.docutils th { white-space: normal; }
}
"""
PLUGINS = {"Modules": "Modules", "Filter Plugins": "Filters", "Role Index": "Role"}


def index(text: str) -> str:
    """The first page: its title as the collection's name is written, and a caption for each list of pages."""
    text = text.replace("Edgeops.Edges\n=============", "edgeops.edges\n=============")
    text = re.sub(r"\.\. toctree::\n +:maxdepth: 1\n\n(?=\S)", "", text)  # one without pages
    heading = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"([-~=])\1{3,}", line):
            heading = lines[number - 1]
        elif line == ".. toctree::":
            lines[number] = f".. toctree::\n    :caption: {PLUGINS.get(heading, heading)}"
        else:
            # In the side bar the name alone: what it is, the caption says.
            lines[number] = re.sub(r"^    (\w+)_(module|filter|role)$", r"    \1 <\g<0>>", line).replace("<    ", "<")
    pages = ["", "Reference", "---------", "", ".. toctree::", "    :caption: Reference", "    :maxdepth: 1", ""]
    return "\n".join([*lines, *playbooks(), *pages, "    Environment variables <environment_variables>", ""])


def playbooks() -> list[str]:
    """A list of the playbooks, which antsibull-docs leaves out. A guide has their variables."""
    guide = "ansible_collections.edgeops.edges.docsite.guide_variables"
    intro = f"These are the playbooks in the edgeops.edges collection. :ref:`{guide}` lists their variables."
    lines = ["", "Playbooks", "---------", "", intro, ""]
    for path in sorted((ROOT / "playbooks").glob("*.yml")):
        (play,) = yaml.safe_load(path.read_text(encoding="utf-8"))
        lines.append(f"* ``edgeops.edges.{path.stem}`` -- {play['name']}")
    return lines


def environment_variables(text: str) -> str:
    """The page of environment variables with those that are options of modules; a guide defines them."""
    options = options_of("edge_modules")
    single = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("[!_]*.py"))
    found = []
    for name, option in docs_variables.environment().items():
        users = [module for module in single if option in options_of(module)]
        described = docs_variables.rst(options[option]["description"][0])
        used_by = ", ".join(f":ansplugin:`edgeops.edges.{module}#module`" for module in users)
        sets = f"It sets the option ``{option}``. A value in the task takes precedence."
        body = f"{described}\n\n{sets}\n\n*Used by:* {used_by}\n"
        found.append(f".. envvar:: {name}\n   :no-index:\n\n{textwrap.indent(body, '   ')}")
    empty = "No environment variables have been defined."
    if empty not in text:
        raise SystemExit("antsibull-docs lists environment variables itself now: see scripts/docs_site.py")
    title = "Index of all Collection Environment Variables"
    text = text.replace(f"{title}\n{'=' * len(title)}", "Environment variables\n=====================")
    return text.replace(empty, "\n".join(found))


def main() -> None:
    site = Path(sys.argv[1])
    for name, change in (("index", index), ("environment_variables", environment_variables)):
        page = site / "rst" / f"{name}.rst"
        page.write_text(change(page.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", site / "images")
    (site / "static").mkdir()
    (site / "static" / "site.css").write_text(STYLE, encoding="utf-8")

    # The pages refer to a few places in Ansible's own documentation. Sphinx would fetch the list of all its places; the
    # ones in use are kept in this repository.
    header = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: devel\n"
    header += "# The remainder of this file is compressed using zlib.\n"
    labels = (ROOT / "docs" / "docsite" / "ansible.labels").read_bytes()
    (site / "ansible.inv").write_bytes(header.encode() + zlib.compress(labels))
    with open(site / "conf.py", "a", encoding="utf-8") as conf:
        conf.write(f"\nintersphinx_mapping = {{'ansible_devel': ({ANSIBLE!r}, {str(site / 'ansible.inv')!r})}}\n")
        conf.write("html_static_path = ['static']\nhtml_css_files = ['site.css']\n")


if __name__ == "__main__":
    main()
