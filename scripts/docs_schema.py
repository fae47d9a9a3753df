# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON Schema of a variables file, from the descriptions, the documentation and the role's argument specs.

It is for editors: it completes names and marks what the collection would refuse. It takes the recommended form alone
where the collection takes more, such as a list in place of text with commas.
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _jobs, _registry, _yaml
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._rules import basic, headers, policy
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK

Schema = dict[str, t.Any]

TEMPLATE = {"$ref": "#/definitions/template"}
NULL: Schema = {"type": "null"}
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": {"type": "string", "pattern": r"\S"}}
HEADER_NAME: Schema = {"type": "string", "pattern": r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}
NO_SPACE: Schema = {"type": "string", "pattern": r"^\S+$"}
# YAML 1.1 reads these as booleans, and Ansible takes them as text too; YAML 1.2, which editors read, has them as text.
BOOLEAN: Schema = {
    "enum": [True, False, *(form for word in ("yes", "no", "on", "off") for form in (word, word.title()))]
}
LIMIT: Schema = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": r"^\d+(\.\d+)?%?$"}]}

# By the type of an option.
TYPES: dict[str, Schema] = {
    "bool": BOOLEAN,
    "int": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": r"^\d+$"}]},
    "float": {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\d+(\.\d+)?$"}]},
    "str": TEXT,
    "path": TEXT,
    "dict": {"type": "object"},
    "list": TEXTS,
    "raw": {},
}

# Variables whose form no option of a module tells.
FORMS: dict[str, Schema] = {
    "provision_backup": TEXT,
    "provision_max_changed": LIMIT,
    "provision_max_removed": LIMIT,
    "provision_only": {"anyOf": [TEXT, TEXTS]},
    "provision_plan": TEXT,
    "provision_report": {"anyOf": [TEXT, TEXTS]},
    "provision_report_title": TEXT,
    "provision_verify": TEXT,
}


def or_nothing(schema: Schema) -> Schema:
    """What fits the schema, or a template, or null, which counts as not given."""
    return {"anyOf": [*schema.get("anyOf", [schema]), TEMPLATE, NULL]}


def of_policy() -> Schema:
    """A traffic policy: what the API page does not show passes, and a mask passes anywhere."""

    def part(schema: Schema) -> Schema:
        return {"anyOf": [schema, {"const": MASK}, TEMPLATE]}

    def items(schema: Schema) -> Schema:
        return part({"type": "array", "items": part(schema)})

    action = {"type": "object", "properties": {"type": part(TEXT), "config": part({"type": "object"})}}
    rule = {
        "type": "object",
        "properties": {"name": part(TEXT), "expressions": items(TEXT), "actions": items(action)},
    }
    document = {"type": "object", "properties": {"inbound": items(rule), "outbound": items(rule)}}
    return {"anyOf": [document, {"type": "string", "pattern": r"^\s*(\{|\{\{)"}]}


def of_field(field: Field) -> Schema:
    """A field by its rule, or where that says nothing, by the type of the option."""
    if isinstance(field.rule, policy.Policy):
        return of_policy()
    if isinstance(field.rule, headers.Headers):
        values = {"type": ["string", "integer"]}
        return {"type": "object", "propertyNames": HEADER_NAME, "additionalProperties": values}
    if isinstance(field.rule, headers.HeaderNames):
        return {"type": "array", "items": HEADER_NAME}
    if isinstance(field.rule, basic.DottedNumber):
        return {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)+|default)$"}
    if isinstance(field.rule, basic.References):
        return {"type": "array", "items": NO_SPACE}
    if isinstance(field.rule, basic.Reference):
        return NO_SPACE
    if "choices" in field.spec:
        return {"enum": field.spec["choices"]}
    return TYPES[field.spec["type"]]


def described(schema: Schema, text: str) -> Schema:
    return {"description": text, **schema}


def plain(text: str) -> str:
    """A text of the documentation without its markup."""
    text = re.sub(r"\b(?:[A-Z]{1,2})\(((?:[^\\)]|\\.)*)\)", lambda match: match.group(1), text)
    return re.sub(r"\\(.)", r"\1", text)


def of_edge_module(description: Description, options: dict) -> Schema:
    """The entry of an edge module."""
    forms = {each.name: of_field(each) for each in description.fields}
    forms["state"] = {"enum": ["present", "absent"]}
    properties = {}
    for name, option in options.items():
        form = or_nothing(forms.get(name, TEXTS))
        for spelled in (name, *option.get("aliases", ())):
            properties[spelled] = described(form, plain(option["description"][0]))
    # A template as the state can be either.
    is_present = {"properties": {"state": {"enum": ["present", None]}}}
    demands = [given(name, options[name].get("aliases", ())) for name in required(description)]
    for each in description.fields:
        if each.null_where:
            other, value = each.null_where
            demands.append(
                {
                    "if": {"properties": {other: {"const": value}}, "required": [other]},
                    "then": {"properties": {each.name: {"type": "null"}}},
                }
            )
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    if demands:
        schema.update({"if": is_present, "then": {"allOf": demands}})
    return schema


def required(description: Description) -> list[str]:
    return [each.name for each in description.fields if each.required]


def given(name: str, aliases: t.Iterable[str]) -> Schema:
    """The option is there under one of its names, and is not null."""
    forms = [{"required": [one], "properties": {one: {"not": NULL}}} for one in (name, *aliases)]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def of_id(prefix: str) -> Schema:
    others = sorted(other for other in _jobs.id_prefixes() if not prefix.startswith(other))
    return {"type": "string", "pattern": r"^(?!\.{1,2}$)(?!%s)[A-Za-z0-9_.~-]+$" % "|".join(others)}


def of_lists(options: dict) -> dict[str, Schema]:
    """The lists of edges, by the options of edge_modules; `options` is their documentation."""
    lists: dict[str, Schema] = {}
    for each in _registry.DESCRIPTIONS:
        kind, documented = each.kind, options[each.kind.option]["suboptions"]
        if kind.option not in lists:
            lists[kind.option] = owner(kind.edge_prefix, documented)
            if kind.route_prefix:
                routes = owner(kind.route_prefix, documented["routes"]["suboptions"])
                lists[kind.option]["properties"]["routes"] = or_nothing(list_of(routes))
        properties = lists[kind.option]["properties"]
        if kind.route_prefix:
            properties = properties["routes"]["anyOf"][0]["items"]["anyOf"][0]["properties"]
            documented = documented["routes"]["suboptions"]
        entry = documented[each.entry]
        properties[each.entry] = described(
            or_nothing(of_edge_module(each, entry["suboptions"])), plain(entry["description"][0])
        )
    return lists


def owner(prefix: str, documented: dict) -> Schema:
    """An edge or a route, without its edge modules."""
    properties = {
        "id": described({"anyOf": [of_id(prefix), TEMPLATE]}, plain(documented["id"]["description"][0])),
        "name": described(or_nothing(TEXT), plain(documented["name"]["description"][0])),
    }
    return {"type": "object", "additionalProperties": False, "required": ["id"], "properties": properties}


def list_of(schema: Schema) -> Schema:
    return {"type": "array", "items": {"anyOf": [schema, TEMPLATE]}}


def of_ids(name: str) -> Schema:
    """A list of edge_modules_info."""
    spec = _argspec.ids_spec(_registry.DESCRIPTIONS)[name]
    if spec["elements"] == "str":
        return TEXTS
    properties = {"id": {"anyOf": [TEXT, TEMPLATE]}, "routes": or_nothing(TEXTS)}
    entry = {"type": "object", "additionalProperties": False, "required": ["id"], "properties": properties}
    return list_of(entry)


def of_variable(name: str, role_option: dict, options: dict, info_options: dict, lists: dict[str, Schema]) -> Schema:
    """One variable of the role or of a playbook."""
    prefix, dummy, option = name.partition("_")
    if prefix == "provision" and option in lists:
        return list_of(lists[option])
    if prefix == "export" and option in lists:
        return of_ids(option)
    if name in FORMS:
        return FORMS[name]
    known = info_options if prefix == "export" else options
    kind = known.get(option, {}).get("type") or role_option.get("type", "str")
    return TYPES[kind]


def text(variables: dict[str, dict], options: dict, info_options: dict) -> str:
    """The schema as the text of its file.

    :param variables: every variable with its documentation: `description`, and `type` where it has one.
    :param options: the documentation of the options of edge_modules, and of edge_modules_info.
    """
    lists = of_lists(options)
    properties = {
        name: described(
            or_nothing(of_variable(name, option, options, info_options, lists)), plain(option["description"][0])
        )
        for name, option in variables.items()
    }
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": _yaml.SCHEMA,
        "title": "Variables of edgeops.edges",
        "description": "The variables of the role edgeops.edges.provision and of the playbooks of the collection.",
        "type": "object",
        "definitions": {
            "template": {"description": "A template, which Ansible replaces.", "type": "string", "pattern": r"\{[{%]"}
        },
        "properties": properties,
        # Other variables may stand in the file, but these prefixes belong to the collection.
        "propertyNames": {"anyOf": [{"enum": list(properties)}, {"not": {"pattern": "^(provision|export|drift)_"}}]},
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
