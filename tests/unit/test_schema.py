# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON Schema of variables files takes what the collection takes, and marks what it refuses."""

from __future__ import annotations

import copy
import json
import re

import facts
import harness
import jsonschema
import pytest
import yaml
from ansible_collections.edgeops.edges.plugins.filter.variables import FilterModule
from ansible_collections.edgeops.edges.plugins.module_utils._yaml import SCHEMA, dump_yaml
from harness import documents
from harness.samples import SAMPLES

TEXT = (harness.ROOT / "docs" / "variables.schema.json").read_text(encoding="utf-8")
VALIDATOR = jsonschema.Draft7Validator(json.loads(TEXT))
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
variables = FilterModule().filters()["variables"]


def entry(module, options, **ids):
    """The three lists with one edge module."""
    one, ids = facts.of(module), {**facts.of(module).ids(), **ids}
    owner = {"id": ids["route_id"] if "route_id" in ids else ids["edge_id"], one.entry: options}
    edge = {"id": ids["edge_id"], "routes": [owner]} if "route_id" in ids else owner
    return {one.edges: [edge]}


def as_variables(lists):
    return {"provision_" + name: edges for name, edges in lists.items()}


def faults(content):
    return [error.message for error in VALIDATOR.iter_errors(content)]


def test_the_schema_is_one_and_knows_every_edge_module():
    jsonschema.Draft7Validator.check_schema(VALIDATOR.schema)
    for one in facts.MODULES.values():
        assert '"%s"' % one.entry in TEXT


@pytest.mark.parametrize("which", ["a", "b"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_samples(sample, which):
    options = copy.deepcopy(getattr(sample, which))
    for given in (options, {**options, "state": "present"}, {"state": "absent"}, {**options, "enabled": None}):
        content = as_variables(entry(sample.module, given))
        assert faults(content) == []
        assert faults(yaml.safe_load(variables(content))) == []


def test_files_that_are_shown_or_shipped():
    defaults = yaml.safe_load((harness.ROOT / "roles/provision/defaults/main.yml").read_text(encoding="utf-8"))
    assert len(defaults) > 20 and faults(defaults) == []
    assert faults(documents.load((harness.ROOT / "examples/variables.yml").read_text(encoding="utf-8"))) == []
    shown = 0
    for path in documents.GUIDES:
        for text in documents.read(path).files.values():
            content = documents.load(text)
            if isinstance(content, dict) and any(name.startswith(("provision_", "export_")) for name in content):
                assert faults(content) == [], path
                shown += 1
    assert shown > 5


TAKEN = {
    "templates": {
        "provision_tcp_edges": "{{ edges }}",
        "provision_tls_edges": ["{{ edge }}", {"id": "{{ id }}", "tls_termination": "{{ options }}"}],
        "provision_purge": "{{ purge }}",
        "provision_https_edges": [
            {"id": "edghts_1", "routes": [{"id": "edghtsrt_1", "request_headers": {"add": {"X-A": "{{ value }}"}}}]}
        ],
    },
    "a state that is a template": as_variables(entry("tcp_edge_backend", {"state": "{{ state }}"})),
    "nulls": {"provision_tcp_edges": None, "provision_timeout": None, "provision_only": None},
    "what YAML 1.2 has as text": {"provision_purge": "yes", "drift_fail": "Off", "provision_retries": "3"},
    "limits": {"provision_max_changed": "30%", "provision_max_removed": 0},
    "reports": {"provision_report": ["a.html", "a.md"], "provision_only": "shop, edgtls_*"},
    "a plan": {"provision_approved_plan": {"format": 1, "checksum": "plan-0123456789abcdef", "changes": {}}},
    "other variables": {"upstream_token": 1, "shop": {"provision": [1]}},
    "masks": as_variables(
        entry("https_edge_route_traffic_policy", {"value": {"inbound": [{"actions": [{"config": MASK}]}, MASK]}})
    ),
    "a policy as text": as_variables(entry("https_edge_route_traffic_policy", {"policy": '{"inbound": []}'})),
    "another prefix": as_variables(entry("tcp_edge_backend", {"backend_id": "x"}, edge_id="mine-1")),
    "export": {
        "export_tcp_edges": ["edgtcp_1"],
        "export_https_edges": [{"id": "edghts_1", "routes": ["edghtsrt_1"]}],
        "export_unset": True,
    },
}


@pytest.mark.parametrize("content", TAKEN.values(), ids=TAKEN)
def test_taken(content):
    assert faults(content) == []


def policy(value):
    return entry("https_edge_route_traffic_policy", {"value": value})


# Lists of edges that edge_modules refuses too.
REFUSED = {
    "an unknown option": entry("tcp_edge_backend", {"backend": "bkdtg_1"}),
    "an unknown edge module": {"tcp_edges": [{"id": "edgtcp_1", "backends": {}}]},
    "no id": {"tcp_edges": [{"backend": {"state": "absent"}}]},
    "no list": {"tcp_edges": {"id": "edgtcp_1"}},
    "the id of another kind": entry("tcp_edge_backend", {"backend_id": "bkdtg_1"}, edge_id="edgtls_1"),
    "the id of a backend": entry("tcp_edge_backend", {"backend_id": "bkdtg_1"}, edge_id="bkdtg_1"),
    "an id that is a path": entry("tcp_edge_backend", {"backend_id": "bkdtg_1"}, edge_id=".."),
    "what is required": entry("tcp_edge_backend", {}),
    "what is required, as null": entry("tcp_edge_backend", {"backend_id": None}),
    "a blank backend": entry("tcp_edge_backend", {"backend_id": " "}),
    "another state": entry("tcp_edge_backend", {"state": "gone", "backend_id": "bkdtg_1"}),
    "a number among ids": entry("tls_edge_ip_restriction", {"ip_policy_ids": ["ipp_1", 2]}),
    "a blank id": entry("tls_edge_ip_restriction", {"ip_policy_ids": [""]}),
    "another place": entry("tls_edge_tls_termination", {"terminate_at": "nowhere"}),
    "no version": entry("tls_edge_tls_termination", {"terminate_at": "edge", "min_version": "TLS 1.3"}),
    "a version upstream": entry("tls_edge_tls_termination", {"terminate_at": "upstream", "min_version": "1.3"}),
    "a policy that is a list": policy([]),
    "a policy that is no JSON": policy("inbound: []"),
    "a rule that is no dict": policy({"inbound": ["deny"]}),
    "an action's type": policy({"inbound": [{"actions": [{"type": 1}]}]}),
    "expressions": policy({"outbound": [{"expressions": [1]}]}),
    "a boolean as a header": entry("https_edge_route_request_headers", {"add": {"X-A": True}}),
    "a fraction as a header": entry("https_edge_route_request_headers", {"add": {"X-A": 1.1}}),
    "a header name": entry("https_edge_route_request_headers", {"add": {"X A": "1"}}),
    "a removed header's name": entry("https_edge_route_request_headers", {"remove": ["X:A"]}),
    "an unknown option of a route": {"https_edges": [{"id": "edghts_1", "routes": [{"id": "edghtsrt_1", "value": 1}]}]},
}


@pytest.mark.parametrize("lists", REFUSED.values(), ids=REFUSED)
def test_refused(sim, lists):
    assert faults(as_variables(lists))
    done = harness.run("worker", "edge_modules", {**harness.connection_options(sim), **lists})
    assert done.failed and sim.log == []


@pytest.mark.parametrize(
    "content",
    [
        {"provision_tcp_edge": []},
        {"export_tls_edgs": []},
        {"drift_fails": True},
        {"provision_purge": "maybe"},
        {"provision_max_changed": "many"},
        {"provision_max_removed": -1},
        {"provision_timeout": "soon"},
        {"provision_approved_plan": "plan.yml"},
        {"export_https_edges": ["edghts_1"]},
    ],
    ids=str,
)
def test_other_variables_are_checked_too(content):
    assert faults(content)


def test_the_address_is_that_of_the_repository():
    galaxy = yaml.safe_load((harness.ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    assert SCHEMA == galaxy["repository"] + "/raw/main/docs/variables.schema.json" == VALIDATOR.schema["$id"]


def test_files_name_the_schema():
    """As an editor finds it: the comment of the YAML language server, before anything else in the document."""
    content = {"provision_tcp_edges": [{"id": "edgtcp_1"}]}
    text = dump_yaml(content)
    assert re.search(r"\A---\n# yaml-language-server: \$schema=(\S+)\n", text).group(1) == SCHEMA
    assert yaml.safe_load(text) == content
    assert "yaml-language-server" not in dump_yaml({"mine": 1})
