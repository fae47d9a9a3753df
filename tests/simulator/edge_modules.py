# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a PUT stores, and what the service answers for what is stored: for every edge module in tests/facts.py."""

from __future__ import annotations

import json
from typing import Any

import facts

from .options import Options

Config = dict[str, Any]


def stored(module: facts.EdgeModule, request: Config) -> Config:
    """What a PUT with this body leaves in the service."""
    fields = {field.name: request.get(field.name, field.empty) for field in module.fields}
    return {"enabled": request.get("enabled", True), **fields}


def answer(module: facts.EdgeModule, config: Config, options: Options, base_url: str) -> Config:
    """What the service answers for what is stored."""
    fields = {field.answer_key: _field(field, config, options, base_url) for field in module.fields}
    return {"enabled": config["enabled"], **fields}


def _field(field: facts.Field, config: Config, options: Options, base_url: str) -> Any:
    value = config[field.name]
    if value is None:
        must_be_null = field.null_where and config[field.null_where[0]] == field.null_where[1]
        return getattr(options, field.service_default) if field.service_default and not must_be_null else None
    if field.collection:
        return _references(value, f"{base_url}/{field.collection}", options)
    if field.compare is facts.as_json:
        return _normalized(value, options.policy_form)
    if field.compare is facts.as_headers and options.header_names == "lower":
        return {name.lower(): text for name, text in value.items()}
    if field.compare is facts.as_header_names:
        return _header_names(value, options)
    return value


def _references(value: Any, address: str, options: Options) -> Any:
    if not isinstance(value, list):
        return {"id": value, "uri": f"{address}/{value}"}
    refs = [{"id": one, "uri": f"{address}/{one}"} for one in value]
    return refs[::-1] if options.ip_policy_order == "reversed" else refs


def _header_names(names: list[str], options: Options) -> list[str]:
    if options.header_names == "lower":
        names = [name.lower() for name in names]
    if options.remove_order == "reversed":
        return names[::-1]
    return sorted(names) if options.remove_order == "sorted" else names


def _normalized(policy: str, form: str) -> str:
    """A traffic policy in the form in which the service gives it back."""
    if form == "echo":
        return policy
    try:
        document = json.loads(policy)
    except (TypeError, ValueError):  # possible only where requests are not validated
        return policy
    if form == "indented":
        return json.dumps(document, indent=2, ensure_ascii=False)
    text = json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    # These three occur in strings only, never in the syntax of JSON, so they can be replaced anywhere.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def module_of(path: str) -> facts.EdgeModule:
    """The edge module that a path such as /edges/tcp/edgtcp_1/backend belongs to."""
    try:
        return facts.of(facts.at(path))
    except facts.NoFactsError as error:
        raise ValueError(str(error)) from None
