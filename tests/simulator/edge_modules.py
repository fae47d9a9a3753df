# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The five edge modules: what a PUT stores, and what the service answers for what is stored."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from .options import Options

Config = dict[str, Any]


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


def _backend(config: Config, _options: Options, base_url: str) -> Config:
    ref = {"id": config["backend_id"], "uri": f"{base_url}/backends/tunnel_group/{config['backend_id']}"}
    return {"enabled": config["enabled"], "backend": ref}


def _ip_restriction(config: Config, options: Options, base_url: str) -> Config:
    refs = [{"id": id_, "uri": f"{base_url}/ip_policies/{id_}"} for id_ in config["ip_policy_ids"]]
    if options.ip_policy_order == "reversed":
        refs.reverse()
    return {"enabled": config["enabled"], "ip_policies": refs}


def _tls_termination(config: Config, options: Options, _base_url: str) -> Config:
    min_version = config["min_version"]
    if min_version is None and config["terminate_at"] == "edge":
        min_version = options.default_min_version
    return {"enabled": config["enabled"], "min_version": min_version, "terminate_at": config["terminate_at"]}


def _traffic_policy(config: Config, options: Options, _base_url: str) -> Config:
    return {"enabled": config["enabled"], "value": _normalized(config["value"], options.policy_form)}


def _request_headers(config: Config, options: Options, _base_url: str) -> Config:
    add, remove = config["add"], config["remove"]
    if options.header_names == "lower":
        add = {name.lower(): value for name, value in add.items()}
        remove = [name.lower() for name in remove]
    if options.remove_order == "reversed":
        remove = remove[::-1]
    elif options.remove_order == "sorted":
        remove = sorted(remove)
    return {"enabled": config["enabled"], "add": add, "remove": remove}


@dataclasses.dataclass(frozen=True)
class EdgeModule:
    """One kind of edge module."""

    path: str
    empty: Config  # the fields of a request beside `enabled`, and what stands for one that is left out
    answer: Callable[[Config, Options, str], Config]

    def stored(self, request: Config) -> Config:
        """What a PUT with this body leaves in the service."""
        fields = {name: request.get(name, empty) for name, empty in self.empty.items()}
        return {"enabled": request.get("enabled", True), **fields}


EDGE_MODULES = (
    EdgeModule("/edges/tcp/{id}/backend", {"backend_id": ""}, _backend),
    EdgeModule("/edges/tls/{id}/ip_restriction", {"ip_policy_ids": []}, _ip_restriction),
    EdgeModule("/edges/tls/{id}/tls_termination", {"terminate_at": "edge", "min_version": None}, _tls_termination),
    EdgeModule("/edges/https/{edge_id}/routes/{id}/traffic_policy", {"value": "{}"}, _traffic_policy),
    EdgeModule("/edges/https/{edge_id}/routes/{id}/request_headers", {"add": {}, "remove": []}, _request_headers),
)


def module_of(path: str, modules: tuple[EdgeModule, ...] = EDGE_MODULES) -> EdgeModule:
    """The edge module that a path such as /edges/tcp/edgtcp_1/backend belongs to."""
    parts = path.split("/")
    for module in modules:
        pattern = module.path.split("/")
        if len(parts) == len(pattern) and all(want in (got, "{id}", "{edge_id}") for want, got in zip(pattern, parts)):
            return module
    raise ValueError(f"{path} is the path of no edge module")
