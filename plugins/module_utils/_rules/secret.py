# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rule of text that is secret as a whole. Private to this collection."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._masks import mask_faults, nothing_to_keep
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, Rule
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames


class Secret(Rule):
    """Text that is never shown, such as a password: equal when it is the same text.

    The mask given as its value keeps what the service holds.
    """

    holds_secrets = True

    def faults(self, option: t.Any, where: str) -> t.Iterator[str]:
        if not option.strip():
            yield "%s must not be blank" % where
        else:
            yield from mask_faults(option, where)

    def keep(self, wanted: t.Any, current: t.Any, where: str) -> t.Any:
        if wanted != MASK:
            return wanted
        if current is None:
            raise MaskedError(nothing_to_keep(where))
        return current

    def secret_values(self, value: t.Any, secret_names: SecretNames) -> set[str]:
        return {value} if value else set()

    def mask(self, value: t.Any, secret_names: SecretNames) -> t.Any:
        return None if value is None else MASK

    def mask_option(self, option: t.Any, secret_names: SecretNames) -> t.Any:
        return MASK

    def mask_diff(self, before: t.Any, after: t.Any, secret_names: SecretNames) -> tuple[t.Any, t.Any]:
        if before is not None and after is not None and before != after:
            return MASK, CHANGED_MASK
        return self.mask(before, secret_names), self.mask(after, secret_names)
