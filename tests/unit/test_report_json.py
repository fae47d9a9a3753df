# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as JSON: the shape that the guide on dry runs documents."""

from __future__ import annotations

import datetime
import json

from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from harness import outcomes

NOW = datetime.datetime(2026, 11, 28, 9, 30, tzinfo=datetime.timezone.utc)
PLAN = dict(format=1, checksum="plan-0123456789abcdef", changes={"tcp_edge_backend e": dict(before="a", after="b")})


def test_the_shape():
    first = outcomes.outcome(
        outcomes.replaced("edgtcp_0", None, {"add": {"X-B": "é"}, "l": [1, None]}, name="shop", route_id="r"),
        outcomes.removed("edgtcp_1", {"a": 1}),
        outcomes.result("edgtcp_2", "none"),
        outcomes.failed("edgtcp_3", 403, "no", operation_id="op_1"),
        base_url="https://edges.example",
        plan=PLAN,
        failed=True,
    )
    found = json.loads(_report.render("json", {"one": first, "two": dict(unreachable=True, msg="no route")}, now=NOW))
    nothing = dict(name=None, route_id=None)
    empty = dict(total=0, changed=0, removed=0, unchanged=0)
    assert found == dict(
        format_version=1,
        title="Edge modules: what would change",
        time="2026-11-28T09:30:00+00:00",
        dry_run=True,
        base_url="https://edges.example",
        plan=PLAN,
        refused=[],
        counts=dict(total=4, changed=1, removed=1, unchanged=1, failed=2),
        hosts=[
            dict(
                name="one",
                state="done",
                base_url="https://edges.example",
                checksum="plan-0123456789abcdef",
                counts=dict(total=4, changed=1, removed=1, unchanged=1, failed=1),
            ),
            dict(name="two", state="unreachable", base_url=None, checksum=None, counts=dict(empty, failed=1)),
        ],
        changes=[
            dict(
                host="one",
                name="shop",
                module="tcp_edge_backend",
                edge_id="edgtcp_0",
                route_id="r",
                operation="replace",
                changed=True,
                before=None,
                after={"add": {"X-B": "é"}, "l": [1, None]},
            ),
            dict(
                nothing,
                host="one",
                module="tcp_edge_backend",
                edge_id="edgtcp_1",
                operation="delete",
                changed=True,
                before={"a": 1},
                after=None,
            ),
        ],
        failures=[
            dict(
                nothing,
                host="two",
                module=None,
                edge_id=None,
                changed=False,
                error=dict(msg="no route", method=None, path=None, status=None, code=None, operation_id=None),
            ),
            dict(
                nothing,
                host="one",
                module="tcp_edge_backend",
                edge_id="edgtcp_3",
                changed=False,
                error=dict(
                    msg="PUT /edges/tcp/edgtcp_3/backend answered 403: no (operation op_1)",
                    method="PUT",
                    path="/edges/tcp/edgtcp_3/backend",
                    status=403,
                    code=None,
                    operation_id="op_1",
                ),
            ),
        ],
        restored=[],
    )


def test_what_was_planned_and_refused_or_put_back():
    planned = outcomes.outcome(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}, changed=False), failed=True, msg="no")
    planned.update(dry_run=False)
    restored = [dict(module="tcp_edge_backend", edge_id="edgtcp_0", route_id=None, restored=False, reason="why")]
    found = json.loads(_report.render("json", {"h": planned}, dry_run=False, restored={"h": restored}))
    assert (found["refused"], found["hosts"][0]["state"]) == (["no"], "refused")
    assert [change["changed"] for change in found["changes"]] == [False]
    assert found["restored"] == [dict(restored[0], host="h", name=None)]
    assert found["failures"][0]["error"]["msg"] == "no"


def test_hostile_text_is_kept_and_cannot_be_seen_as_something_else():
    name = '\u202eevil\u2066 \x1b[31m\u2028 \U000e0041 \ud800 é " \\ </script>'
    text = _report.render("json", {name: outcomes.outcome(outcomes.replaced(name, {name: name}, {}))})
    assert not set(text) & set("\u202e\u2066\x1b\u2028\U000e0041\ud800")
    change = json.loads(text)["changes"][0]
    assert (change["host"], change["before"]) == (name, {name: name})


def test_results_of_older_versions_have_their_diff_alone():
    result = outcomes.result("edgtcp_0", "replace")
    found = outcomes.outcome(result, diff=[dict(before="", after='{"a": 1}')])
    change = json.loads(_report.render("json", {"h": found}))["changes"][0]
    assert (change["before"], change["after"]) == (None, {"a": 1})
