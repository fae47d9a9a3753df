# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is done with options around validation: nulls, faults by place, masking. Private to this collection."""

from __future__ import annotations

import contextlib
import json
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict
from ansible_collections.edgeops.edges.plugins.module_utils._argspec import SECRET_OPTIONS, Spec, connection_spec
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description
from ansible_collections.edgeops.edges.plugins.module_utils._header_names import name_faults, without_value
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import Rule
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK, SecretNames, hide_credentials
from ansible_collections.edgeops.edges.plugins.module_utils._text import (
    entry_place,
    kind_but_string,
    kind_of,
    looks_like,
    place,
    shorten,
)

# What counts with state absent too.
_ALWAYS = frozenset(("state", "edge_id", "route_id", *SECRET_OPTIONS, *connection_spec()))

# For these, blank counts as not given: templates and credentials give blank text where nothing is set.
_BLANK_IS_NOTHING = (
    "api_key",
    "base_url",
    "api_version",
    "version_header",
    "ca_path",
    "client_cert",
    "client_key",
    "plan_key",
    "backup_path",
)

# These are never left out by accident: a plan that is named but missing must not count as no plan.
_NULL_IS_AN_ERROR = ("approved_plan", "rollback_of")


def clean(spec: Spec, params: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the options as they count: null ones left out at every level that the spec declares.

    Ansible-core treats null in one way up to 2.18 and in another since; templates produce it all the time. With
    state absent the module's own options are left out as well: they mean nothing then.
    """
    kept = {}
    absent = "state" in spec and params.get("state") == "absent"
    for name, value in params.items():
        option = spec.get(canonical_name(spec, name), {})
        nothing = value is None or (_is_blank(value) and (name in _BLANK_IS_NOTHING or _cannot_be_text(option)))
        if nothing and name not in _NULL_IS_AN_ERROR:
            continue
        if absent and option and name not in _ALWAYS:
            continue
        nested = option.get("options")
        if nested and option.get("type") == "dict" and isinstance(value, str):
            with contextlib.suppress(TypeError, ValueError):
                value = check_type_dict(value)  # as argument validation would, which names no place in it
        if nested and isinstance(value, dict):
            value = clean(nested, value)
        elif nested and isinstance(value, list):
            value = [clean(nested, item) if isinstance(item, dict) else item for item in value]
        kept[name] = value
    return kept


def is_null(value: t.Any) -> bool:
    """Return whether a value that cannot be text is null: up to ansible-core 2.18 a template of null is blank text."""
    return value is None or _is_blank(value)


def _is_blank(value: t.Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _cannot_be_text(option: dict[str, t.Any]) -> bool:
    """Whether blank text can only be null: up to ansible-core 2.18 a template of null arrives as blank text."""
    kind = option.get("type")
    return kind in ("bool", "int", "float", "dict") or (kind == "list" and option.get("elements") == "dict")


def canonical_name(spec: Spec, name: str) -> str:
    if name not in spec:
        for canonical, option in spec.items():
            if name in option.get("aliases", ()):
                return canonical
    return name


def faults(spec: Spec, params: dict[str, t.Any], where: str = "", required_when: t.Iterable = ()) -> t.Iterator[str]:
    """Yield what is wrong with the names and types of cleaned options, naming each place by index.

    Ansible's own validation finds most of it too, but names no entry of a list, turns an item that is no text into
    text, and says one thing for null up to ansible-core 2.18 and another since.
    """
    given = {}
    for name, value in params.items():
        canonical = canonical_name(spec, name)
        if name.startswith("_ansible_"):
            continue
        if canonical not in spec:
            yield "%s is not supported: use one of %s" % (place(where, name), ", ".join(sorted(spec)))
        elif canonical in given:
            yield "%s is given twice, %s is another name for it: leave one of them out" % (
                place(where, canonical),
                name,
            )
        else:
            given[canonical] = value
    for name, option in spec.items():
        if name in _NULL_IS_AN_ERROR and name in given and (given[name] is None or _is_blank(given[name])):
            yield "%s is given but empty: leave it out to run without one" % place(where, name)
        elif name in given:
            yield from _option_faults(option, given[name], place(where, name))
            if name == "secret_headers":
                yield from _secret_header_faults(given[name], place(where, name))
        elif option.get("required"):
            yield "%s is required" % place(where, name)
    for name, value, needed in required_when:
        if given.get(name, spec[name].get("default")) == value:
            for each in needed:
                if each not in given:
                    yield "%s is required when %s is %s: set it, or change %s" % (place(where, each), name, value, name)


def sound(spec: Spec, params: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return cleaned options without those whose names or types are wrong, so that the others can be checked further.

    No item of a list moves: faults name it by its index.
    """
    kept: dict[str, t.Any] = {}
    for name, value in params.items():
        canonical = canonical_name(spec, name)
        option = spec.get(canonical)
        if option is None or canonical in kept:
            continue
        nested, kind = option.get("options"), option.get("type")
        if nested and kind == "list" and isinstance(value, list):
            kept[canonical] = [sound(nested, item) if isinstance(item, dict) else {} for item in value]
        elif nested and kind == "dict" and isinstance(value, dict):
            kept[canonical] = sound(nested, value)
        elif not any(_option_faults(option, value, "")):
            kept[canonical] = value
        elif option.get("elements") == "str" and isinstance(value, list):
            # In the place of each that is wrong stands one that is right, and unlike all others.
            kept[canonical] = [
                "right-%d" % index if any(_option_faults(option, [item], "")) else item
                for index, item in enumerate(value)
            ]
    return kept


def _names(value: t.Any) -> list[t.Any] | None:
    """Return the items of a list of names, or of text with commas between them; None of anything else."""
    if isinstance(value, str):
        return value.split(",")
    return value if isinstance(value, list) else None


def _secret_header_faults(value: t.Any, where: str) -> t.Iterator[str]:
    """Yield which of these are no names of headers, such as a whole line with its value: they would hide nothing."""
    for index, name in enumerate(_names(value) or ()):
        if isinstance(name, str) and name.strip():
            yield from name_faults(name.strip(), place(where, index))


_KINDS = dict(str=str, list=list, dict=dict, bool=bool, int=int, float=float)

# What is said of an option whose value cannot be converted to its type.
_MEANT = dict(bool="true or false", int="a whole number", float="a number", path="a path", list="a list")


def _option_faults(option: dict[str, t.Any], value: t.Any, where: str) -> t.Iterator[str]:
    kind = option.get("type", "str")
    if kind in ("str", "path") and isinstance(value, (bool, list, dict)):
        yield "%s must be a string, not %s" % (where, kind_but_string(value))
        return
    if kind in ("int", "float") and isinstance(value, bool):  # Python takes true for 1
        yield "%s must be %s, not a boolean" % (where, _MEANT[kind])
        return
    items = value
    if kind == "list" and option.get("elements") == "str":
        if isinstance(value, str) and not _is_list_text(value):
            items = value.split(",")
        elif not isinstance(value, list):
            yield "%s must be a list of strings, not %s%s" % (where, kind_of(value), _list_hint(value))
            return
        for index, item in enumerate(items):
            if not isinstance(item, str):
                yield "%s must be a string, not %s" % (place(where, index), kind_but_string(item))
            elif not item.strip():
                yield "%s must not be blank" % place(where, index)
            elif item.startswith("__omit_place_holder__"):  # up to ansible-core 2.18
                yield "%s is omit, which cannot leave out an item of a list: filter the list instead" % place(
                    where, index
                )
        return
    if kind == "dict" and not isinstance(value, (dict, str)):
        yield "%s must be a dict, not %s" % (where, kind_of(value))
        return
    nested = option.get("options")
    if nested and kind == "list":
        if not isinstance(value, list):
            yield "%s must be a list of dicts, not %s%s" % (where, kind_of(value), _list_hint(value))
            return
        for index, item in enumerate(items):
            if isinstance(item, dict):
                yield from faults(nested, item, entry_place(place(where, index), item))
            else:
                yield "%s must be a dict, not %s" % (place(where, index), kind_of(item))
        return
    if nested and isinstance(value, dict):
        yield from faults(nested, value, where, option.get("required_if") or ())
        return
    if kind == "raw" or (isinstance(value, _KINDS.get(kind, ())) and "choices" not in option):
        return
    # What is left is rare: conversions, choices. Whether they are right Ansible says, but in words of its own.
    bare = {key: option[key] for key in ("type", "choices", "elements") if key in option}
    try:
        validation = ArgumentSpecValidator({"option": bare}).validate({"option": value})
        wrong = bool(validation.error_messages)
        # Up to ansible-core 2.18 text in which something is called passes for a dict as it is.
        wrong = wrong or (kind == "dict" and not isinstance(validation.validated_parameters["option"], dict))
    except OverflowError:
        wrong = True
    if wrong and kind == "dict":
        # Not quoted: the text may hold a secret.
        yield "%s must be a dict, not a string%s" % (where, looks_like(value))
    elif wrong:
        # What a list or dict holds may be secret.
        shown = kind_of(value) if isinstance(value, (list, dict)) else shorten(json.dumps(value), 80)
        meant = _MEANT.get(kind) or "one of " + ", ".join(option.get("choices", ()))
        yield "%s must be %s, not %s" % (where, meant, shown)


def _is_list_text(value: str) -> bool:
    """Return whether text is a whole list as JSON, Python or YAML writes it, not strings with commas between them."""
    return value.lstrip().startswith(("[", "- ")) or "\n" in value.strip()


def _list_hint(value: t.Any) -> str:
    if not isinstance(value, str):
        return ""
    return ". As an extra variable, NAME=[...] is a string: -e takes JSON, such as -e '{\"NAME\": [...]}', or -e @FILE"


def secret_rules(description: Description) -> dict[str, Rule]:
    """Return the rules of an edge module's options that may hold secrets."""
    return {each.name: each.rule for each in description.secret_fields}


def masked(spec: Spec, params: t.Any, rules: t.Mapping[str, t.Any], secret_names: SecretNames | None = None) -> t.Any:
    """Return options, valid or not, as they may be shown: by their place in the spec.

    What stands where the spec knows nothing is hidden whole: a mistyped name must not let a secret through.

    :param rules: those of options that may hold secrets, by name; nested as the options are.
    """
    if not isinstance(params, dict):
        return MASK
    secret_names = _further(secret_names or SecretNames(), params)
    shown: dict[str, t.Any] = {}
    for name, value in params.items():
        canonical = canonical_name(spec, name)
        option = spec.get(canonical)
        if value is None:
            shown[name] = None
        elif option is None or option.get("no_log"):
            shown[name] = MASK
        elif canonical in SECRET_OPTIONS and isinstance(value, (str, list)):
            shown[name] = _bare_names(value)
        elif canonical == "base_url" and isinstance(value, str):
            shown[name] = hide_credentials(value)
        elif option.get("options"):
            within = rules.get(canonical, {})
            if isinstance(value, list):
                shown[name] = [masked(option["options"], item, within, secret_names) for item in value]
            else:
                shown[name] = masked(option["options"], value, within, secret_names)
        elif canonical in rules:
            shown[name] = rules[canonical].mask_option(value, secret_names)
        else:
            shown[name] = value
    return shown


def _bare_names(names: str | list[t.Any]) -> t.Any:
    """Return names of secrets as they may be shown: somebody may have written one with its value."""
    if isinstance(names, str):
        return ",".join(map(without_value, names.split(",")))
    return [
        without_value(one) if isinstance(one, str) else MASK if isinstance(one, (dict, list)) else one for one in names
    ]


def _further(secret_names: SecretNames, params: dict[str, t.Any]) -> SecretNames:
    """Return the names with those that the options add. Where that is no list of names, everything is secret."""
    named: dict[str, list[str]] = {}
    everything = False
    for option in SECRET_OPTIONS:
        names = _names(params.get(option))
        everything = everything or (names is None and params.get(option) is not None)
        named[option] = [name for name in names or () if isinstance(name, str)]
    return secret_names.further(named["secret_headers"], named["secret_keys"], everything)
