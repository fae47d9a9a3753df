# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a template of the user's gives, without what it leaves out by `omit`. Private to this collection.

Ansible sees to that for the options of a task alone, not for what a plugin reads itself.
"""

from __future__ import annotations

import re
import typing as t

# What `omit` is before ansible-core 2.19: text with a random number, which Ansible takes out of the options of a task.
_PLACEHOLDER = re.compile("__omit_place_holder__[0-9a-f]{40}")


def resolved(template: t.Callable[[t.Any], t.Any], value: t.Any) -> t.Any:
    """Return what the templates in a value give; None where that is `omit`."""
    if value is None:
        return None
    # Within a list: as a whole, ansible-core 2.19 and newer refuse it.
    found = _without_placeholders(template([value]))
    return found[0] if found else None


def _without_placeholders(node: t.Any) -> t.Any:
    if isinstance(node, dict):
        return {key: _without_placeholders(child) for key, child in node.items() if not _is_placeholder(child)}
    if isinstance(node, (list, tuple)):
        return [_without_placeholders(child) for child in node if not _is_placeholder(child)]
    return node


def _is_placeholder(node: t.Any) -> bool:
    return isinstance(node, str) and bool(_PLACEHOLDER.fullmatch(node))
