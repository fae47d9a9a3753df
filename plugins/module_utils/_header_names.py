# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the name of an HTTP header may be. Private to this collection."""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import shorten


def is_name(text: str) -> bool:
    """Return whether text is a token (RFC 9110, section 5.6.2)."""
    return bool(re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", text))


def name_faults(name: str, where: str) -> t.Iterator[str]:
    """Yield what is wrong with a name that stands at this place of the options."""
    if not name.strip():
        yield "%s must not be blank" % where
    elif not is_name(name):
        yield "%s must be the name of an HTTP header, not %s" % (where, shorten(json.dumps(without_value(name)), 80))


def without_value(name: str) -> str:
    """Return a name; of a whole line such as `Authorization: ...`, typed in its place, without the value."""
    return re.sub("([:=]).+", r"\1...", name, flags=re.DOTALL)
