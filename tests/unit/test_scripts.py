# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The scripts that check and derive documentation notice what they are there for."""

from __future__ import annotations

import importlib
import re
import sys

import harness
import pytest
import yaml


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(harness.ROOT / "scripts"))


def script(name):
    return importlib.import_module(name)


# --- wording ---


@pytest.fixture
def check(monkeypatch, tmp_path, capsys):
    """Check one text in place of all that there are, and return what is found."""
    prose = script("check_prose")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["check_prose.py"])

    def check(text, name="README.md"):
        monkeypatch.setattr(prose, "FILES", (name,))
        (tmp_path / name).write_text(text, encoding="utf-8")
        code, printed = prose.main(), capsys.readouterr().out.splitlines()
        assert code == bool(printed)
        return printed

    return check


@pytest.mark.parametrize(
    "text",
    [
        "First\nmend the removal.",
        "The collection has\nno say in these.",
        "What passes is tried again.",
        "Names, whatever their case.",
        "- The same.",
        "Whoever approves",
    ],
)
def test_banned_words_are_found(check, text):
    (found, *dummy) = check(text)
    assert found.startswith("README.md:")


def test_each_fault_names_its_line_and_what_to_say(check):
    assert check("One\ntwo, mend it.\n") == ["README.md:2: 'mend': repair, correct"]


def test_good_words_and_code_pass(check):
    assert check("Amendments are recommended. See `mend`.\n\n```console\n$ mend --anew\n```\n") == []
    assert check("Text.\n\n.. code-block:: text\n\n    mend\n\nMore.\n", "guide.rst") == []


def test_of_python_the_documentation_is_checked(check):
    text = '# mend\nDOCUMENTATION = r"""\n- Mend it, with V(mend).\n"""\n\nimport json  # mend\n'
    assert check(text, "module.py") == ["module.py:3: 'Mend': repair, correct"]


def test_the_files_are_there():
    names = {path.relative_to(harness.ROOT).as_posix() for path in script("check_prose").files()}
    assert {"README.md", "plugins/modules/edge_modules.py", "docs/docsite/rst/guide_secrets.rst"} <= names


# --- variables ---


def test_a_variable_that_no_table_shows_is_noticed():
    docs_variables, update_docs = script("docs_variables"), script("update_docs")
    guide = (harness.ROOT / "docs/docsite/rst/guide_variables.rst").read_text(encoding="utf-8")
    options = update_docs.options_of("edge_modules")
    assert docs_variables.guide(guide, options) == guide
    with pytest.raises(SystemExit, match="export_path is 0 times in the guide"):
        docs_variables.guide(guide.replace("update_docs.py: export_*", "update_docs.py: export_[!p]*"), options)


def test_types_are_told_in_words():
    values_of = script("docs_variables").values_of
    assert [values_of({"type": name}) for name in ("str", "int", "float", "raw", "list")] == [
        *("text", "whole number", "number", "dict or text", "list")
    ]


def test_a_default_that_the_role_tells_otherwise_is_noticed():
    docs_variables = script("docs_variables")
    variable = {"description": ["Requests.", "The default is V(9)."]}
    assert docs_variables.default_of("provision_concurrency", variable, {"concurrency": {"default": 9}}) == "``9``"
    with pytest.raises(SystemExit, match="provision_concurrency"):
        docs_variables.default_of("provision_concurrency", variable, {"concurrency": {"default": 8}})


def test_every_variable_of_the_playbooks_is_documented():
    """In the comment at the top of the playbook, or as an option of the role."""
    docs_variables = script("docs_variables")
    known, internal = docs_variables.variables(), {"provision_report_fallback", "provision_control"}
    for path in (harness.ROOT / "playbooks").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        used = docs_variables.re.findall(r"\b(?:provision|export|drift)_\w+", text.partition("- name:")[2])
        registered = docs_variables.re.findall(r"register: (\w+)|^    (\w+):", text, docs_variables.re.MULTILINE)
        own = {name for names in registered for name in names} | {"export_variables"}
        assert set(used) - set(known) - own - internal == set(), path.name


def test_the_environment_variables_are_those_of_the_options():
    """antsibull-docs takes from config.yml which ones the guide defines."""
    config = yaml.safe_load((harness.ROOT / "docs/docsite/config.yml").read_text(encoding="utf-8"))
    known = {*script("docs_variables").environment(), "EDGEOPS_EDGES_IN_PROCESS"}
    assert set(config["envvar_directives"]) == known


# --- the site ---

INDEX = """\
Edgeops.Edges
=============

.. toctree::
    :maxdepth: 1

User guides
-----------

.. toctree::
    :maxdepth: 1

    docsite/guide_secrets

Modules
~~~~~~~

.. toctree::
    :maxdepth: 1
    :hidden:

    tls_edge_tls_termination_module
"""


def test_the_side_bar_is_grouped():
    page = script("docs_site").index(INDEX)
    assert page.startswith("edgeops.edges\n=============\n\nUser guides\n")
    for lines in (
        "    :caption: User guides\n    :maxdepth: 1\n\n    docsite/guide_secrets\n",
        "    :caption: Modules\n    :maxdepth: 1\n    :hidden:\n\n"
        "    tls_edge_tls_termination <tls_edge_tls_termination_module>\n",
        "    :caption: Reference\n    :maxdepth: 1\n\n    Environment variables <environment_variables>\n",
    ):
        assert ".. toctree::\n" + lines in page


def test_the_first_page_lists_the_playbooks():
    page = script("docs_site").index(INDEX)
    listed = re.findall(r"^\* ``edgeops\.edges\.(\w+)`` -- \w.+$", page, re.MULTILINE)
    assert listed == sorted(path.stem for path in (harness.ROOT / "playbooks").glob("*.yml")) != []


def test_the_page_of_environment_variables_lists_those_of_modules():
    page = script("docs_site").environment_variables("No environment variables have been defined.\n")
    assert page.count(".. envvar:: EDGE_API_") == 5
    key = page.partition(".. envvar:: EDGE_API_KEY\n")[2].partition(".. envvar::")[0]
    assert ":ansplugin:`edgeops.edges.tcp_edge_backend#module`" in key and "provision_control" not in key
    with pytest.raises(SystemExit):
        script("docs_site").environment_variables(page)
