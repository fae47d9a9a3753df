# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts that must agree: descriptions, modules, action plugins, the action group, documentation, results."""

from __future__ import annotations

import functools
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import harness
import pytest
import yaml
from ansible_collections.edgeops.edges.plugins.module_utils import _argspec, _registry
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import MASK
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision, _provision_reconcile
from ansible_collections.edgeops.edges.plugins.plugin_utils._provision_play import Play
from harness import model
from harness.samples import SAMPLES, sample_of

# The controller's side of the role: it takes no options of the connection, and runs nowhere else.
CONTROL = "provision_control"
MODULE_FILES = sorted(path.stem for path in (harness.ROOT / "plugins" / "modules").glob("*.py") if path.stem != CONTROL)
ACTION_FILES = sorted(path.stem for path in (harness.ROOT / "plugins" / "action").glob("*.py") if path.stem != CONTROL)
DESCRIPTION_FILES = sorted(
    path.stem for path in (harness.ROOT / "plugins/module_utils/_descriptions").glob("*.py") if path.stem != "__init__"
)
DESCRIPTIONS = {each.name: each for each in _registry.DESCRIPTIONS}
MANY = sorted(set(MODULE_FILES) - set(DESCRIPTIONS))
# What Ansible itself puts into results.
COMMON_KEYS = {"changed", "failed", "msg", "invocation", "warnings", "exception"}


@functools.cache
def _documentation():
    """What ansible-doc shows, fragments merged in, by module."""
    command = [str(Path(sys.executable).with_name("ansible-doc")), "--json", "-t", "module"]
    done = subprocess.run(
        [*command, *("%s.%s" % (harness.COLLECTION, name) for name in MODULE_FILES)],
        capture_output=True,
        text=True,
        check=True,
        env=harness.plain_environment(),
    )
    return {name.split(".")[-1]: found for name, found in json.loads(done.stdout).items()}


def _work(name):
    return importlib.import_module("%s.action.%s" % (harness.PLUGINS, name)).ActionModule.work


def _attribute(name, attribute):
    """A documentation string of a module, as it stands in the file."""
    return getattr(importlib.import_module("%s.modules.%s" % (harness.PLUGINS, name)), attribute)


def test_one_list_of_modules():
    """Every description has its module, action plugin and place in the action group; nothing is left over."""
    runtime = yaml.safe_load((harness.ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))
    group = [name for name in runtime["action_groups"]["all"] if isinstance(name, str)]
    assert sorted(group) == MODULE_FILES == ACTION_FILES
    assert sorted(each.name for each in _registry.DESCRIPTIONS) == DESCRIPTION_FILES
    assert set(DESCRIPTIONS) <= set(MODULE_FILES)


def test_the_documented_steps_of_the_role_are_those_of_the_plugin():
    doc = yaml.safe_load(_attribute(CONTROL, "DOCUMENTATION"))
    assert set(doc["options"]) == set(_provision.SPEC)
    assert doc["options"]["step"]["choices"] == list(_provision.SPEC["step"]["choices"])


def test_the_variables_that_are_looked_for_are_those_that_are_documented():
    specs = yaml.safe_load((harness.ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    main, drift = (set(specs["argument_specs"][name]["options"]) for name in ("main", "drift"))
    assert main < drift
    assert drift == _provision.VARIABLES - {"provision_hosts"}
    defaults = yaml.safe_load((harness.ROOT / "roles/provision/defaults/main.yml").read_text(encoding="utf-8"))
    # One that is named but missing is an error, so it must not be there by itself.
    assert set(defaults) == main - {"provision_approved_plan"}


@pytest.mark.parametrize("name", MODULE_FILES)
def test_module_and_action_plugin_do_the_same_work(name):
    assert _work(name).name == name
    assert set(_documentation()) == set(MODULE_FILES)
    doc = _documentation()[name]["doc"]
    assert (doc["module"], doc["has_action"]) == (name, True)
    assert doc["attributes"]["check_mode"]["support"] == "full"
    assert doc["attributes"]["action_group"]["membership"] == ["edgeops.edges.all"]


@pytest.mark.parametrize("description", _registry.DESCRIPTIONS, ids=lambda each: each.name)
def test_descriptions_are_those_of_the_api_description(description):
    """The path is one of docs/openapi.yaml, and a PUT there takes these fields and no others."""
    api = yaml.safe_load((harness.ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))
    own_name = "{id}" if description.kind.route_prefix is None else "{edge_id}"
    path = description.path.replace("{edge_id}", own_name).replace("{route_id}", "{id}")
    assert path in api["paths"], "%s is not in docs/openapi.yaml: add it there" % path
    schema = api["paths"][path]["put"]["requestBody"]
    while "$ref" in schema or "content" in schema:
        if "content" in schema:
            schema = schema["content"]["application/json"]["schema"]
        else:
            node = api
            for key in schema["$ref"].split("/")[1:]:
                node = node[key]
            schema = node
    assert set(schema["properties"]) == {each.name for each in description.fields}


def _check_options(spec, options, where):
    assert set(spec) == set(options), where
    for name, option in spec.items():
        doc, place = options[name], "%s.%s" % (where, name)
        assert doc["type"] == option["type"], place
        assert doc.get("elements") == option.get("elements"), place
        assert doc.get("default") == option.get("default"), place
        assert type(doc.get("default")) is type(option.get("default")), place
        assert doc.get("choices") == option.get("choices"), place
        assert doc.get("aliases", []) == option.get("aliases", []), place
        assert doc.get("required", False) == option.get("required", False), place
        text = " ".join(doc["description"])
        for variable in option.get("fallback", (None, []))[1]:
            assert "E(%s)" % variable in text, "%s does not name %s" % (place, variable)
        assert ("options" in option) == ("suboptions" in doc), place
        if "options" in option:
            _check_options(option["options"], doc["suboptions"], place)
        for state, value, names in option.get("required_if", ()):
            for needed in names:
                text = " ".join(doc["suboptions"][needed]["description"])
                assert "Required when" in text and "%s=%s" % (state, value) in text, place


@pytest.mark.parametrize("name", MODULE_FILES)
def test_documented_options_are_the_options(name):
    """Names, types, defaults, choices, aliases, what is required and what the environment gives."""
    doc = _documentation()[name]["doc"]["options"]
    _check_options(_work(name).spec, doc, name)
    for state, value, names in _work(name).required_if:
        for needed in names:
            assert "Required when O(%s=%s)" % (state, value) in " ".join(doc[needed]["description"])


def test_every_module_takes_the_same_options_of_the_connection():
    for name in MODULE_FILES:
        spec = _work(name).spec
        for option, expected in _argspec.connection_spec().items():
            assert spec[option] == expected, (name, option)


def _tasks(node):
    """Every task of a file of tasks or plays, those in blocks among them."""
    for task in node if isinstance(node, list) else ():
        yield task
        for inner in ("tasks", "block", "rescue", "always"):
            yield from _tasks(task.get(inner))


WHERE_AND_HOW = (*_argspec.connection_spec(), *_argspec.secret_spec())


def test_playbooks_give_every_option_that_says_where_and_how():
    files = [path for name in ("roles/provision/tasks", "playbooks") for path in (harness.ROOT / name).glob("*.yml")]
    found = []
    for path in files:
        for task in _tasks(yaml.safe_load(path.read_text(encoding="utf-8"))):
            for name in MANY:
                if "edgeops.edges." + name in task:
                    found.append(path.name)
                    given = task["edgeops.edges." + name]
                    for option in WHERE_AND_HOW:
                        where = (path.name, task["name"], option)
                        assert re.search(r"{{ (provision|export)_%s\b" % option, str(given.get(option))), where
    assert found == ["export.yml"]


@pytest.mark.parametrize("step", _provision_reconcile.STEPS)
def test_every_step_of_the_role_gives_every_option_that_says_where_and_how(step):
    """That which restores among them: what one step leaves out would count in the others alone."""
    control = dict(only=None, part="", approved=True)
    registered = dict(begun=dict(control=control), planned=dict(plan={}), backed_up={}, outcome=dict(written={}))
    variables = {"provision_" + name: value for name, value in registered.items()}
    variables.update({"provision_" + name: "of " + name for name in (*WHERE_AND_HOW, "approved_plan")})
    play = Play("h", "t", True, "linear", False, variables, template=lambda value: value)
    given = _provision_reconcile.STEPS[step](play)
    assert {name: given.get(name) for name in WHERE_AND_HOW} == {
        name: "{{ provision_%s }}" % name if name in _argspec.SECRET_OPTIONS else "of " + name for name in WHERE_AND_HOW
    }


def test_the_keys_are_no_log_everywhere_and_nothing_else_is():
    for name in MODULE_FILES:
        spec = _work(name).spec
        keys = [option for option in ("api_key", "plan_key") if option in spec]
        assert [option for option in spec if spec[option].get("no_log")] == keys


def _unknown(spec, options, where):
    names = {alias: name for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
    for key, value in options.items():
        place = "%s.%s" % (where, key)
        if key not in names:
            yield place
            continue
        nested = spec[names[key]].get("options")
        for item in value if isinstance(value, list) else [value]:
            if nested and isinstance(item, dict):
                yield from _unknown(nested, item, place)


@pytest.mark.parametrize("name", MODULE_FILES)
def test_examples_use_real_options_and_hide_what_a_loop_would_show(name):
    tasks = yaml.safe_load(_attribute(name, "EXAMPLES"))
    full_name = "%s.%s" % (harness.COLLECTION, name)
    own = 0
    for task in tasks:
        assert task.get("name"), "every example says what it does"
        for action, options in task.items():
            if not action.startswith(harness.COLLECTION + "."):
                continue
            own += action == full_name
            assert list(_unknown(_work(action.split(".")[-1]).spec, options or {}, action)) == []
        assert "loop" not in task or "label" in task.get("loop_control", {})
    assert own >= 1


def _key_tree(documented):
    return {key: _key_tree(entry["contains"]) if "contains" in entry else None for key, entry in documented.items()}


@pytest.mark.parametrize("name", sorted(DESCRIPTIONS))
def test_documented_results_are_the_results(sim, run, name):
    """What RETURN lists is what a success and a failure return, no more and no less."""
    documented = yaml.safe_load(_attribute(name, "RETURN"))
    sample = sample_of(name)
    good = run(name, sample.options(sample.a))
    sim.add_fault(status=403)
    bad = run(name, sample.options(sample.a))
    assert (good.failed, bad.failed) == (False, True)
    assert (set(good.data) | set(bad.data)) - COMMON_KEYS == set(documented)
    assert set(good.data) - COMMON_KEYS == {
        key for key, entry in documented.items() if "failed" not in entry["returned"]
    }
    assert set(bad.data) - COMMON_KEYS == {"error"}
    assert set(bad.error) == set(documented["error"]["contains"])
    assert set(good.config) == set(documented["config"]["sample"])
    assert set(good.diff) == set(documented["diff"]["sample"])


@pytest.mark.skipif(not MANY, reason="there are single modules only")
def test_documented_results_of_many_are_the_results(sim, run):
    for name, options in (
        ("edge_modules", {"tcp_edges": [{"id": "edgtcp_1", "backend": {"backend_id": "b"}}], "max_changed": 1}),
        ("edge_modules_info", {"tcp_edges": ["edgtcp_1"], "tls_edges": [], "https_edges": []}),
    ):
        documented = yaml.safe_load(_attribute(name, "RETURN"))
        good = run(name, options)
        sim.add_fault(status=403)
        bad = run(name, options)
        sim.clear_faults()
        assert (good.failed, bad.failed) == (False, True)
        assert (set(good.data) | set(bad.data)) - COMMON_KEYS == set(documented) - {"msg"}, name
        assert ("msg" in good.data) == ("msg" in documented), name


def test_the_readme_names_every_module():
    text = (harness.ROOT / "README.md").read_text(encoding="utf-8")
    missing = [name for name in MODULE_FILES if "| module `edgeops.edges.%s` |" % name not in text]
    assert missing == [], "add a row to the table in README.md"


def test_samples_are_in_the_form_of_their_modules():
    for sample in SAMPLES:
        for options in (sample.a, sample.b):
            assert list(_unknown(_work(sample.module).spec, sample.options(options), sample.module)) == []


def test_samples_in_the_documentation_are_true(sim, run):
    """The diff, config and error shown in RETURN are what a task returns that asks for them."""
    for name, description in DESCRIPTIONS.items():
        documented = yaml.safe_load(_attribute(name, "RETURN"))
        config, diff, error = (documented[key]["sample"] for key in ("config", "diff", "error"))
        title, *ids = diff["after_header"].split()
        options = dict(zip(("edge_id", "route_id"), ids))
        for each in description.own_fields:
            options[each.name] = json.loads(diff["after"].replace(MASK, "hidden"))[each.name]
        body = {
            "error_code": error["code"],
            "msg": "this key may only read",
            "id": {"operation_id": error["operation_id"]},
        }
        sim.add_fault(method="PUT", status=403, body=body)
        assert run(name, options).error == error, name
        sim.clear_faults()
        result = run(name, options)
        assert (title, result.diff) == (name, diff), name
        if name != "https_edge_route_traffic_policy":  # whose sample shows a longer policy
            shown = json.dumps(config).replace("https://api.example.com", sim.base_url)
            assert model.comparable(name, result.config) == model.comparable(name, json.loads(shown)), name
