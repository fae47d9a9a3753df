# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets of traffic policies in a real ansible-playbook at its most talkative, in reports and in exports."""

from __future__ import annotations

import json
import stat

import harness
import pytest
import yaml
from harness.samples import HEADERS, POLICY

OLD, NEW, OWN = "0ld-81b6f2c4d9", "n3w-2e9a7d5b30", "0wn-c7d8e91f4b"
SECRETS = (OLD, NEW, OWN)
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
IDS = dict(edge_id="edghts_1", route_id="edghtsrt_1")
NAMED = dict(secret_headers=["X-Inner"], secret_keys=["pin"])


def policy(secret, own, note="open"):
    config = dict(client_secret=secret, pin=own, headers={"Cookie": "sid=" + secret, "X-Inner": own}, note=note)
    rules = [dict(name="rule", actions=[dict(type="oauth", config=config)]), dict(name="other", actions=[])]
    return dict(inbound=rules, outbound=[dict(name="out", credentials=["a:" + secret])])


def hold(sim):
    sim.put(POLICY, dict(value=json.dumps(policy(OLD, OWN))))
    sim.put(HEADERS, dict(add={"X-Inner": OWN, "X-Plain": "plain"}))


def assert_hidden(text, what):
    for secret in SECRETS:
        at = text.find(secret)
        assert at < 0, "%s shows a secret: ...%s..." % (what, text[max(0, at - 300) : at + 50])


@pytest.mark.parametrize("in_process", [True, False], ids=["worker", "module"])
def test_most_talkative_playbook(sim, tmp_path, in_process):
    hold(sim)
    (tmp_path / "secrets.yml").write_text(
        yaml.safe_dump(dict(new=policy(NEW, OWN), named=NAMED, text=json.dumps(policy(NEW, OWN)))), encoding="utf-8"
    )
    sim.add_fault(method="PUT", status=400, body={"message": "no: " + json.dumps(policy(NEW, OWN))}, times=1)
    module, many = "edgeops.edges.https_edge_route_traffic_policy", "edgeops.edges.edge_modules"
    one = dict(IDS, **NAMED)
    entries = dict(traffic_policy=dict(state="absent", **NAMED), request_headers=dict(state="absent", **NAMED))
    del entries["request_headers"]["secret_keys"]
    https_edges = [dict(id="edghts_1", routes=[dict(id="edghtsrt_1", **entries)])]
    tasks = [
        {"name": "is refused", module: dict(one, value="{{ new }}"), "ignore_errors": True},
        {"name": "is mistyped", module: dict(one, valeu="{{ new }}"), "ignore_errors": True},
        {"name": "is cut", module: dict(one, value="{{ text[:-9] }}"), "ignore_errors": True},
        {"name": "foresees", module: dict(one, value="{{ new }}"), "check_mode": True},
        {"name": "changes", module: dict(one, value="{{ text }}")},
        {"name": "foresees a removal", many: dict(https_edges=https_edges), "check_mode": True, "register": "removal"},
        {"name": "shows", "ansible.builtin.debug": {"var": "removal"}},
        {"name": "removes", many: dict(https_edges=https_edges)},
    ]
    plays = harness.play(tasks, sim, vars=dict(edgeops_edges_in_process=in_process), vars_files=["secrets.yml"])
    log = tmp_path / "ansible.log"
    env = dict(ANSIBLE_INJECT_INVOCATION="1", ANSIBLE_LOG_PATH=str(log), ANSIBLE_DISPLAY_TRACEBACK="always")
    done = harness.playbook([plays], "-vvvv", "--diff", tmp_path=tmp_path, env=env)
    assert done.returncode == 0, done.text
    assert "runs in the worker" in done.text if in_process else "runs as a module" in done.text
    (changed,), (removed,) = done.of("changes"), done.of("removes")
    assert changed["diff"]["after"].count(MASK + " (changed)") == 3 and '"open"' in changed["diff"]["after"]
    assert "invocation" in changed and removed["summary"]["removed"] == 2 and sim.resources == {}
    assert [one["kind"] for one in done.results].count("failed") == 3
    assert_hidden(done.text, "the output")
    assert_hidden(json.dumps(done.results), "a result")
    assert_hidden(log.read_text(encoding="utf-8"), "the log")


def extra(sim, **more):
    return dict(provision_api_key=sim.api_key, provision_base_url=sim.base_url, **more)


def test_reports_and_exports(sim, tmp_path):
    """An export that all may read holds no secret; given back it changes nothing; the report of a change shows none."""
    hold(sim)
    ids = dict(export_https_edges=[dict(id="edghts_1", routes=["edghtsrt_1"])])
    named = dict(export_secret_headers=["X-Inner"], export_secret_keys=["pin"])
    done = harness.playbook("edgeops.edges.export", "-v", tmp_path=tmp_path, extra=extra(sim, **ids, **named))
    assert done.returncode == 0, done.text
    path = tmp_path / "edges.yml"
    text = path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644 and text.count(MASK) == 6
    assert_hidden(text + done.text, "the export")
    variables = yaml.safe_load(text)
    assert (variables["provision_secret_headers"], variables["provision_secret_keys"]) == (["X-Inner"], ["pin"])
    done = harness.playbook("edgeops.edges.provision", "-e", "@edges.yml", tmp_path=tmp_path, extra=extra(sim))
    assert done.returncode == 0 and sim.writes == [], done.text

    # The rule that is not edited keeps its secrets; the note of another is new.
    value = variables["provision_https_edges"][0]["routes"][0]["traffic_policy"]["value"]
    value["inbound"][1]["note"] = "n3w-note"
    value["outbound"] = [dict(name="out", credentials=["a:" + NEW])]
    path.write_text(yaml.safe_dump(variables), encoding="utf-8")
    for name, report in (("drift", "drift.html"), ("provision", "run.html")):
        done = harness.playbook(
            "edgeops.edges." + name,
            "-vvv",
            "--diff",
            "-e",
            "@edges.yml",
            tmp_path=tmp_path,
            extra=extra(sim, provision_report=report),
        )
        assert done.returncode == 0, done.text
        shown = (tmp_path / report).read_text(encoding="utf-8")
        assert "n3w-note" in shown and MASK in shown
        assert_hidden(shown + done.text + json.dumps(done.results), name)
    now = policy(OLD, OWN)
    now["inbound"][1]["note"] = "n3w-note"
    now["outbound"] = [dict(name="out", credentials=["a:" + NEW])]
    assert json.loads(sim.resources[POLICY]["value"]) == now

    done = harness.playbook(
        "edgeops.edges.export", tmp_path=tmp_path, extra=extra(sim, **ids, **named, export_include_secrets=True)
    )
    assert done.returncode == 0, done.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and OLD in path.read_text(encoding="utf-8")
    assert_hidden(done.text + json.dumps(done.results), "the output of an export with secrets")
