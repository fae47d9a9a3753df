# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of header names and of headers with their values. Private to this collection.

Source: edge-api.md, section 2, HTTPS Edge Route Request Headers Module.
"""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._header_names import name_faults, without_value
from ansible_collections.edgeops.edges.plugins.module_utils._masks import mask_faults, nothing_to_keep
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, Rule, WrongTypeError
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, SecretNames
from ansible_collections.edgeops.edges.plugins.module_utils._text import kind_of, place, shorten


def _trimmed(value: str) -> str:
    """Return a header's value without the white space around it, which is no part of it (RFC 9110, section 5.5)."""
    return value.strip(" \t")


class Headers(Rule):
    """Header names with their values: names are compared whatever their case, values without white space around them.

    That white space is not sent either: a service that drops it would seem to hold another value for ever.
    """

    holds_secrets = True
    secret_options = ("secret_headers",)

    def __init__(self) -> None:
        super().__init__(dict, {})

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        seen: dict[str, str] = {}
        for name, value in option.items():
            shown = without_value(name)
            yield from name_faults(name, where if not name.strip() else place(where, shown))
            yield from self._value_faults(value, place(where, shown))
            first = seen.setdefault(name.lower(), name)
            if first != name:
                yield "%s contains both %s and %s, which differ only in case: leave one of them out" % (
                    where,
                    shorten(without_value(first), 80),
                    shorten(shown, 80),
                )

    @staticmethod
    def _value_faults(value: t.Any, where: str) -> t.Iterator[str]:
        """Yield what is wrong with a header's value, without showing it: it may be secret."""
        if isinstance(value, (bool, float)):
            kind = "a boolean" if isinstance(value, bool) else "a number with a fraction"
            yield "%s must be a string or a whole number, but YAML reads it as %s: quote it" % (where, kind)
        elif isinstance(value, int):
            if abs(value) >= 10**4000:
                yield "%s has too many digits: quote it" % where
        elif not isinstance(value, str):
            yield "%s must be a string or a whole number, not %s" % (where, kind_of(value))
        elif any(ord(char) > 0xFF for char in _trimmed(value)):
            yield "%s contains a character beyond Latin-1, which no HTTP header can carry" % where
        elif any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in _trimmed(value)):
            yield "%s contains a line break or control character" % where
        else:
            yield from mask_faults(_trimmed(value), where)

    def parse(self, option: t.Any) -> t.Any:
        return {name: _trimmed(str(value)) for name, value in option.items()}

    def keep(self, wanted: t.Any, current: t.Any, where: str) -> t.Any:
        held = {name.lower(): value for name, value in current.items()}
        kept = {}
        for name, value in wanted.items():
            if value == MASK:
                if name.lower() not in held:
                    raise MaskedError(nothing_to_keep(place(where, name)))
                value = held[name.lower()]
            kept[name] = value
        return kept

    def read(self, field: t.Any) -> t.Any:
        headers = super().read(field)
        for value in headers.values():
            if not isinstance(value, str):
                raise WrongTypeError("a header value that is %s" % kind_of(value))
        return headers

    def canonical(self, value: t.Any) -> t.Any:
        return {name.lower(): _trimmed(text) for name, text in value.items()}

    def shown(self, value: t.Any, wanted: t.Any) -> t.Any:
        spelled = {name.lower(): name for name in wanted or ()}
        return {spelled.get(name.lower(), name): _trimmed(text) for name, text in value.items()}

    def secret_values(self, value: t.Any, secret_names: SecretNames) -> set[str]:
        return secret_names.values(value)

    def mask(self, value: t.Any, secret_names: SecretNames) -> t.Any:
        return secret_names.mask(value) if isinstance(value, dict) else value

    def mask_option(self, option: t.Any, secret_names: SecretNames) -> t.Any:
        if not isinstance(option, dict):
            return MASK
        return {
            without_value(name) if isinstance(name, str) else name: value
            for name, value in secret_names.mask(option).items()
        }

    def mask_diff(self, before: t.Any, after: t.Any, secret_names: SecretNames) -> tuple[t.Any, t.Any]:
        return secret_names.mask_diff(before or {}, after or {})


class HeaderNames(Rule):
    """A set of header names, whatever their case. Sent in the order given, repeats dropped.

    Names are no secrets, but a whole line such as `Authorization: ...` may stand in the place of one.
    """

    holds_secrets = True
    secret_options = ("secret_headers",)

    def __init__(self) -> None:
        super().__init__(list, [])

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        for index, name in enumerate(option):
            yield from name_faults(name, place(where, index))

    def parse(self, option: t.Any) -> t.Any:
        names: dict[str, str] = {}
        for name in option:
            names.setdefault(name.lower(), name)
        return list(names.values())

    def read(self, field: t.Any) -> t.Any:
        names = super().read(field)
        for name in names:
            if not isinstance(name, str):
                raise WrongTypeError("a header name that is %s" % kind_of(name))
        return names

    def canonical(self, value: t.Any) -> t.Any:
        return sorted({name.lower() for name in value})

    def mask_option(self, option: t.Any, secret_names: SecretNames) -> t.Any:
        if isinstance(option, str):
            return without_value(option)
        if not isinstance(option, list):
            return MASK
        return [without_value(name) if isinstance(name, str) else MASK for name in option]

    def shown(self, value: t.Any, wanted: t.Any) -> t.Any:
        spelled = {name.lower(): name for name in (*value, *(wanted or ()))}
        return [spelled[name] for name in self.canonical(value)]
