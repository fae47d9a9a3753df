# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the name of a header may be, and what is shown of a line that stands in its place."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _header_names

NO_NAME = "x[3] must be the name of an HTTP header, not "


@pytest.mark.parametrize("name", ["A", "x-Y_2", "!#$%&'*+-.^_`|~0"])
def test_names(name):
    assert _header_names.is_name(name)
    assert not list(_header_names.name_faults(name, "x[3]"))


# text, what is said of it
OTHERS = {
    "nothing": ("", "x[3] must not be blank"),
    "white space": (" \t", "x[3] must not be blank"),
    "two words": ("a b", NO_NAME + '"a b"'),
    "a line break at its end": ("a\n", NO_NAME + '"a\\n"'),
    "beyond ASCII": ("\xe9", NO_NAME + '"\\u00e9"'),
    "a colon": ("A:", NO_NAME + '"A:"'),
    "a line": ("Authorization: Bearer k\nmore", NO_NAME + '"Authorization:..."'),
    "an assignment": ("token=k", NO_NAME + '"token=..."'),
    "long": (" " + "a" * 90, NO_NAME + '" %s...' % ("a" * 75)),
}


@pytest.mark.parametrize("text, said", OTHERS.values(), ids=list(OTHERS))
def test_what_is_no_name(text, said):
    assert not _header_names.is_name(text)
    assert list(_header_names.name_faults(text, "x[3]")) == [said]
