# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the modules, and what is done with them around validation: the functions themselves."""

from __future__ import annotations

import facts
import pytest
from ansible.module_utils.common.parameters import AnsibleFallbackNotFound
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._argspec import env

BY_ENTRY = {each.entry: each for each in _registry.DESCRIPTIONS}
HEADERS, POLICY = BY_ENTRY["request_headers"], BY_ENTRY["traffic_policy"]


def test_environment(monkeypatch):
    monkeypatch.setenv("EDGES_TEST", " value ")
    assert env("EDGES_TEST") == " value "
    for blank in ("", " \t"):
        monkeypatch.setenv("EDGES_TEST", blank)
        with pytest.raises(AnsibleFallbackNotFound):
            env("EDGES_TEST")
    monkeypatch.delenv("EDGES_TEST")
    with pytest.raises(AnsibleFallbackNotFound):
        env("EDGES_TEST")


def test_options_of_the_connection():
    spec = _argspec.connection_spec()
    assert {name: option["type"] for name, option in spec.items()} == dict(
        api_key="str",
        base_url="str",
        api_version="str",
        version_header="str",
        validate_certs="bool",
        ca_path="path",
        client_cert="path",
        client_key="path",
        use_proxy="bool",
        timeout="float",
        retries="int",
        retry_max_wait="float",
        allow_plain_http="bool",
    )
    assert {name: option["default"] for name, option in spec.items() if "default" in option} == dict(
        api_version="2",
        version_header="Service-Version",
        validate_certs=True,
        use_proxy=True,
        timeout=30.0,
        retries=5,
        retry_max_wait=60.0,
        allow_plain_http=False,
    )
    assert {name: option["fallback"] for name, option in spec.items() if "fallback" in option} == dict(
        api_key=(env, ["EDGE_API_KEY"]),
        base_url=(env, ["EDGE_API_BASE_URL"]),
        api_version=(env, ["EDGE_API_VERSION"]),
        version_header=(env, ["EDGE_API_VERSION_HEADER"]),
        ca_path=(env, ["EDGE_API_CA_PATH"]),
    )
    assert {name: option["no_log"] for name, option in spec.items() if "no_log" in option} == dict(
        api_key=True, client_key=False
    )


STATE = dict(type="str", choices=["present", "absent"], default="present")
ENABLED = dict(type="bool", default=True)
SECRET = dict(type="list", elements="str", no_log=False)


def test_options_of_an_edge_module():
    spec = _argspec.single_spec(HEADERS)
    own = {name: option for name, option in spec.items() if name not in _argspec.connection_spec()}
    assert own == dict(
        edge_id=dict(type="str", required=True),
        route_id=dict(type="str", required=True),
        state=STATE,
        enabled=ENABLED,
        add=dict(type="dict"),
        remove=dict(type="list", elements="str"),
        secret_headers=SECRET,
    )
    assert set(_argspec.connection_spec()) < set(spec)
    assert "route_id" not in _argspec.single_spec(BY_ENTRY["backend"])
    assert list(_argspec.module_spec(POLICY)) == ["state", "enabled", "value", "secret_headers", "secret_keys"]
    assert "secret_headers" not in _argspec.module_spec(BY_ENTRY["backend"])
    assert _argspec.required_if(HEADERS) == []
    assert _argspec.required_if(POLICY) == [("state", "present", ["value"])]


def test_options_of_many():
    spec = _argspec.nested_spec(_registry.DESCRIPTIONS)
    assert list(spec) == list(facts.EDGES)
    for edges, option in spec.items():
        assert (option["type"], option["elements"]) == ("list", "dict")
        assert option["options"]["id"] == dict(type="str", required=True)
        assert option["options"]["name"] == dict(type="str")
        entries = [module.entry for module in facts.MODULES.values() if module.edges == edges]
        assert sorted(option["options"]) == sorted(["id", "name", *(["routes"] if edges == "https_edges" else entries)])
    routes = spec["https_edges"]["options"]["routes"]
    assert (routes["type"], routes["elements"]) == ("list", "dict")
    entries = [module.entry for module in facts.MODULES.values() if module.edges == "https_edges"]
    assert sorted(routes["options"]) == sorted(["id", "name", *entries])
    assert routes["options"]["id"] == dict(type="str", required=True)
    assert routes["options"]["name"] == dict(type="str")
    assert routes["options"]["traffic_policy"] == dict(
        type="dict",
        options=_argspec.module_spec(POLICY),
        required_if=[("state", "present", ["value"])],
    )
    assert _argspec.ids_spec(_registry.DESCRIPTIONS) == dict(
        tcp_edges=dict(type="list", elements="str"),
        tls_edges=dict(type="list", elements="str"),
        https_edges=dict(
            type="list",
            elements="dict",
            options=dict(id=dict(type="str", required=True), routes=dict(type="list", elements="str", default=[])),
        ),
    )
