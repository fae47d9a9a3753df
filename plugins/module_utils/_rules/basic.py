# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rule of a plain value, of ids, flags and versions: how it is checked, sent, read and compared.

Private to this collection.

Every rule has the same methods. `parse` turns an option into the wanted value, `send` that into what a PUT carries,
`read` a field of an answer into the same kind of value, `answer` a value into the field as the service would answer
it, `canonical` a value into the form in which two are compared (they are equal where their canonical forms have the
same JSON text), and `shown` into the form in which people see it.

Source: edge-api.md, section 2 (fields), section 4.2 (what an answer holds).
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import kind_of, place, shorten

if t.TYPE_CHECKING:
    from ansible_collections.edgeops.edges.plugins.module_utils._secrets import SecretNames


class WrongTypeError(ValueError):
    """A field of the service's answer has a type that the API page does not allow."""


class MaskedError(ValueError):
    """A mask was given, and the service holds nothing to keep; the text says for what."""


def same(left: t.Any, right: t.Any) -> bool:
    """Return whether two canonical forms are equal: as JSON, so that 1 and true are not."""
    if left is right or isinstance(left, str):  # most of them
        return left == right
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


class Rule:
    """A plain value: equal when it is the same value.

    `holds_secrets` says that a value may hold secrets: then it is masked wherever it is shown. `secret_options` are the
    options that name further ones. Which ones are secret, by their names, say the `secret_names` that methods take; see
    _secrets.SecretNames.
    """

    holds_secrets = False
    secret_options: tuple[str, ...] = ()

    def __init__(self, kind: type = str, empty: t.Any = None) -> None:
        self.kind = kind
        self.empty = empty

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        """Yield what is wrong with an option: argument validation let it pass, and converted it to its type."""
        if self.kind is str and (not option.strip() or re.search(r"\s", option)):
            yield "%s must not be blank or contain white space" % where

    def parse(self, option: t.Any) -> t.Any:
        return option

    def keep(self, wanted: t.Any, current: t.Any, where: str) -> t.Any:
        """Return the wanted value with what it leaves to the service filled in."""
        return wanted

    def send(self, value: t.Any) -> t.Any:
        return value

    def read(self, field: t.Any) -> t.Any:
        """Return the value of an answer's field; a missing field or null is an empty one."""
        if field is None:
            return self.empty
        if not isinstance(field, self.kind) or (isinstance(field, bool) and self.kind is not bool):
            raise WrongTypeError(kind_of(field))
        return field

    def answer(self, value: t.Any, base_url: str, known: t.Any) -> t.Any:
        """Return the field as the service would answer it; `known` is the field of the current answer."""
        return self.send(value)

    def canonical(self, value: t.Any) -> t.Any:
        return value

    def option_of(self, value: t.Any) -> t.Any:
        """Return the option that asks for a value; None where none does."""
        return value

    def shown(self, value: t.Any, wanted: t.Any) -> t.Any:
        """Return the value as people see it, in the spelling of what the task wants (None where it names nothing)."""
        return self.canonical(value)

    def secret_values(self, value: t.Any, secret_names: SecretNames) -> set[str]:
        """Return the secrets within a value."""
        return set()

    def mask(self, value: t.Any, secret_names: SecretNames) -> t.Any:
        """Return a value with every secret in it replaced by the mask."""
        return value

    def mask_option(self, option: t.Any, secret_names: SecretNames) -> t.Any:
        """Return an option as it was given, right or wrong, with every secret in it replaced by the mask."""
        return option

    def mask_answer(self, field: t.Any, secret_names: SecretNames) -> t.Any:
        """Return a field of an answer with every secret in it replaced by the mask."""
        return self.mask(field, secret_names)

    def mask_diff(self, before: t.Any, after: t.Any, secret_names: SecretNames) -> tuple[t.Any, t.Any]:
        """Mask both sides of a diff, so that a secret that changes still shows as a changed line."""
        return self.mask(before, secret_names), self.mask(after, secret_names)


class Flag(Rule):
    """A boolean: left out it is true, as the service has it."""

    def __init__(self) -> None:
        super().__init__(bool, True)

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        return iter(())


_DEFAULT = "default"


class DottedNumber(Rule):
    """A version such as 1.3: equal when it is the same text. `default` asks for null: the service chooses then."""

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        if option != _DEFAULT and not re.fullmatch(r"[0-9]+(\.[0-9]+)+", option):
            shown = shorten(json.dumps(option), 80)
            yield "%s must be a dotted number such as 1.3, or default, not %s" % (where, shown)

    def parse(self, option: t.Any) -> t.Any:
        return None if option == _DEFAULT else option

    def option_of(self, value: t.Any) -> t.Any:
        return _DEFAULT if value is None else value


class Reference(Rule):
    """One id: asked for as text, answered as a reference with `id` and `uri`."""

    def __init__(self, collection: str, prefix: str) -> None:
        super().__init__()
        self.collection = collection
        self.prefix = prefix

    def _ref(self, ref_id: str, base_url: str, known: t.Any) -> dict[str, str]:
        """Return the reference: the one that the service gave for this id, or one of the documented shape."""
        if isinstance(known, dict) and known.get("id") == ref_id:
            return known
        return {"id": ref_id, "uri": "%s/%s/%s" % (base_url, self.collection, ref_id)}

    def read(self, field: t.Any) -> t.Any:
        if field is None:
            return None
        if not isinstance(field, dict):
            raise WrongTypeError(kind_of(field))
        return super().read(field.get("id")) or None

    def answer(self, value: t.Any, base_url: str, known: t.Any) -> t.Any:
        return None if value is None else self._ref(value, base_url, known)


class References(Reference):
    """A set of ids: order and repeats decide nothing. Sent in the order given, repeats dropped."""

    def __init__(self, collection: str, prefix: str) -> None:
        super().__init__(collection, prefix)
        self.empty = []

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        for index, item in enumerate(option):
            yield from super().faults(item, place(where, index))

    def parse(self, option: t.Any) -> t.Any:
        return list(dict.fromkeys(option))

    def read(self, field: t.Any) -> t.Any:
        if field is None:
            return []
        if not isinstance(field, list):
            raise WrongTypeError(kind_of(field))
        ids = [super(References, self).read(ref) for ref in field]
        if None in ids:
            raise WrongTypeError("a reference without id")
        return ids

    def answer(self, value: t.Any, base_url: str, known: t.Any) -> t.Any:
        refs = {ref["id"]: ref for ref in known or []}
        return [self._ref(ref_id, base_url, refs.get(ref_id)) for ref_id in value]

    def canonical(self, value: t.Any) -> t.Any:
        return sorted(set(value))
