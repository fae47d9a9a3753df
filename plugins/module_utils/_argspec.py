# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Option specs of the modules, made from the descriptions. Private to this collection."""

from __future__ import annotations

import os
import typing as t

from ansible.module_utils.common.parameters import AnsibleFallbackNotFound
from ansible_collections.edgeops.edges.plugins.module_utils._description import Description

Spec = dict[str, dict[str, t.Any]]


def env(name: str) -> str:
    """Return an environment variable for an option that was not given; a blank one counts as not set."""
    value = os.environ.get(name, "")
    if not value.strip():
        raise AnsibleFallbackNotFound
    return value


def connection_spec() -> Spec:
    """The options of the connection, the same for every module."""
    return dict(
        api_key=dict(type="str", no_log=True, fallback=(env, ["EDGE_API_KEY"])),
        base_url=dict(type="str", fallback=(env, ["EDGE_API_BASE_URL"])),
        api_version=dict(type="str", default="2", fallback=(env, ["EDGE_API_VERSION"])),
        version_header=dict(type="str", default="Service-Version", fallback=(env, ["EDGE_API_VERSION_HEADER"])),
        validate_certs=dict(type="bool", default=True),
        ca_path=dict(type="path", fallback=(env, ["EDGE_API_CA_PATH"])),
        client_cert=dict(type="path"),
        client_key=dict(type="path", no_log=False),  # the path of a file, no secret itself
        use_proxy=dict(type="bool", default=True),
        timeout=dict(type="float", default=30.0),
        retries=dict(type="int", default=5),
        retry_max_wait=dict(type="float", default=60.0),
        allow_plain_http=dict(type="bool", default=False),
    )


# The options that name further secrets. They count with state absent too: a removal is shown as well.
SECRET_OPTIONS = ("secret_headers", "secret_keys")


def secret_spec(names: t.Iterable[str] = SECRET_OPTIONS) -> Spec:
    return {name: dict(type="list", elements="str", no_log=False) for name in names}


def module_spec(description: Description) -> Spec:
    """The options of an edge module, without its ids: those of its module, and of its entry in edge_modules."""
    spec: Spec = dict(state=dict(type="str", choices=["present", "absent"], default="present"))
    spec.update((each.name, dict(each.spec)) for each in description.fields)
    named = {name for each in description.secret_fields for name in each.rule.secret_options}
    spec.update(secret_spec(name for name in SECRET_OPTIONS if name in named))
    return spec


def required_if(description: Description) -> list[tuple[str, str, list[str]]]:
    names = [each.name for each in description.fields if each.required]
    return [("state", "present", names)] if names else []


def single_spec(description: Description) -> Spec:
    """The flat spec of an edge module's own module."""
    spec = connection_spec()
    spec.update(edge_id=dict(type="str", required=True))
    if description.kind.route_prefix:
        spec.update(route_id=dict(type="str", required=True))
    spec.update(module_spec(description))
    return spec


def nested_spec(descriptions: t.Iterable[Description]) -> Spec:
    """The lists of edge_modules: one a kind of edge, an entry an edge, a key in it an edge module."""
    spec: Spec = {}
    for each in descriptions:
        kind = each.kind
        if kind.option not in spec:
            options: Spec = dict(id=dict(type="str", required=True), name=dict(type="str"))
            if kind.route_prefix:
                routes: Spec = dict(id=dict(type="str", required=True), name=dict(type="str"))
                options.update(routes=dict(type="list", elements="dict", options=routes))
            spec[kind.option] = dict(type="list", elements="dict", options=options)
        options = spec[kind.option]["options"]
        if kind.route_prefix:
            options = options["routes"]["options"]
        options[each.entry] = dict(type="dict", options=module_spec(each), required_if=required_if(each))
    return spec


def ids_spec(descriptions: t.Iterable[Description]) -> Spec:
    """The lists of edge_modules_info: ids, and for edges with routes those of the routes."""
    spec: Spec = {}
    for each in descriptions:
        if each.kind.route_prefix:
            options: Spec = dict(
                id=dict(type="str", required=True), routes=dict(type="list", elements="str", default=[])
            )
            spec[each.kind.option] = dict(type="list", elements="dict", options=options)
        else:
            spec[each.kind.option] = dict(type="list", elements="str")
    return spec


def control_spec() -> Spec:
    """The options of edge_modules that control a change."""
    return dict(
        approved_plan=dict(type="dict"),
        plan_key=dict(type="str", no_log=True, fallback=(env, ["EDGE_PLAN_KEY"])),
        plan_only=dict(type="bool", default=False),
        max_changed=dict(type="raw"),
        max_removed=dict(type="raw"),
        max_failures=dict(type="int"),
        backup_path=dict(type="path"),
        rollback_of=dict(type="dict"),
        only=dict(type="list", elements="str"),
        return_unchanged=dict(type="bool", default=True),
    )
