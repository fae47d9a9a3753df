# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the simulated service behaves where the real one may behave in more than one way."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

CHOICES = {
    "not_set": ("404", "204", "empty", "null", "{}"),
    "delete_not_set": ("404", "204"),
    "policy_form": ("normalized", "echo", "indented"),
    "header_names": ("as_sent", "lower"),
    "remove_order": ("as_sent", "reversed", "sorted"),
    "ip_policy_order": ("as_sent", "reversed"),
    "empty_fields": ("kept", "omitted", "null"),
}

# In strings of the template, {status}, {code}, {message} and {operation_id} are filled in. A string that is
# "{status}" alone becomes a number.
ERROR_TEMPLATE = {
    "error_code": "{code}",
    "status_code": "{status}",
    "msg": "{message}",
    "details": {"operation_id": "{operation_id}"},
}


@dataclasses.dataclass
class Options:
    """Every option and its default; README.md says what each does."""

    api_key: str = "test-key-0123456789"
    api_version: str = "2"
    version_header: str = "Service-Version"
    base_path: str = ""
    validate: bool = True
    latency: float = 0.0
    requests_per_second: float | None = None
    edges: list[str] | None = None
    upstream_refuses: bool = False
    not_set: str = "404"
    delete_not_set: str = "404"
    policy_form: str = "normalized"
    header_names: str = "as_sent"
    remove_order: str = "as_sent"
    ip_policy_order: str = "as_sent"
    empty_fields: str = "kept"
    default_min_version: str | None = None
    error_template: Any = dataclasses.field(default_factory=lambda: ERROR_TEMPLATE)

    def changed(self, **changes: Any) -> Options:
        """The same options with some changed; ValueError for a name or a value that does not exist."""
        names = {field.name for field in dataclasses.fields(self)}
        for name, value in changes.items():
            if name not in names:
                raise ValueError(f"there is no option {name!r}; there are {', '.join(sorted(names))}")
            if name in CHOICES and value not in CHOICES[name]:
                raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}, not {value!r}")
        options = dataclasses.replace(self, **changes)
        options.base_path = "/" + options.base_path.strip("/") if options.base_path.strip("/") else ""
        return options


def parse(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE of a command line. The value is JSON, except for the options that are texts."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not NAME=VALUE")
    if name in CHOICES or name in ("api_key", "api_version", "version_header", "base_path"):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
