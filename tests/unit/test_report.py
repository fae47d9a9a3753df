# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as a page, text and counts: the page parsed strictly, and opened in a browser where one is installed."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import time

import harness
import html5lib
import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.edges.plugins.filter.report import FilterModule
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from harness import outcomes
from harness.many import many
from harness.samples import HEADERS

report = FilterModule().filters()["report"]
NOW = datetime.datetime(2026, 11, 28, 9, 30, tzinfo=datetime.timezone.utc)
NS = "{http://www.w3.org/1999/xhtml}"

ATTRIBUTES = ("class", "lang", "charset", "name", "content", "id", "style", "datetime", "http-equiv", "href", "open")
ATTRIBUTES += ("aria-label",)

HOSTILE = (
    "<script>document.title = 'owned'</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></article><style>*{display:none}</style>",
    "&lt;b&gt; &amp; %(title)s %s {{ title }}",
    "\u202eevil\u2066 \u05d0\u05d1\u05d2 \u0000\u001b[31m\u2028",
    "x" * 5000,
    "line one\nline two",
)


def diff(before, after):
    def dump(value):
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n" if value is not None else ""

    return dict(before=dump(before), after=dump(after), before_header="t", after_header="t")


def result(operation, edge="edgtcp_1", module="tcp_edge_backend", route=None, error=None):
    found = dict(edge_id=edge, route_id=route, module=module, operation=operation, config={})
    found["changed"] = operation != "none"
    if error is not None:
        found["error"] = dict(msg=error, method=None, path=None, status=None, code=None, operation_id=None)
    return found


def outcome(*results, diffs=(), **more):
    return dict(results=list(results), diff=list(diffs), **more)


MIXED = outcome(
    result("none", "edgtcp_same"),
    result("replace", "edgtcp_new"),
    result("delete", "edgtcp_gone"),
    result(None, "edgtcp_bad", error="PUT /edges answered 400: no"),
    result("replace", "edgtcp_other", route="edghtsrt_1"),
    diffs=[diff(None, {"a": 1}), diff({"b": 1}, None), diff({"c": 1, "d": 2}, {"c": 3, "d": 2})],
    failed=True,
    msg="1 of 5 failed",
)


def page_of(whole, **keywords):
    return _report.render("html", whole, **keywords)


def text_of_report(whole, **keywords):
    return _report.render("text", whole, **keywords)


def parsed(page):
    """The page as a tree; an error where it is not HTML to the letter."""
    return html5lib.HTMLParser(strict=True).parse(page)


def text_of(node):
    return "".join(node.itertext())


def attributes(tree):
    return {key for node in tree.iter() for key, dummy in node.items()}


def lines_of(node):
    """The lines of the diffs in a node, (tag, text); of what is folded only what stands for it."""
    if node.tag == NS + "details":
        return [("folded", text_of(node.find(NS + "summary")))]
    if node.tag == NS + "pre":
        return [(line.tag.replace(NS, ""), text_of(line)[2:]) for line in node]
    return [line for child in node for line in lines_of(child)]


def changes(tree):
    """(edge, module and route, tag, lines) of every change."""
    found = []
    for article in tree.iter(NS + "article"):
        for section in article.iter(NS + "section"):
            header = section.find(NS + "header")
            found.append(
                (
                    text_of(article.find(NS + "header")),
                    text_of(header.find(NS + "h4")),
                    text_of(header.find(NS + "span")),
                    lines_of(section),
                )
            )
    return found


def failures(tree):
    """(title, tag, message, further lines) of every failure."""
    return [
        tuple(text_of(node) for node in (article.find(NS + "header")[0], article.find(NS + "header")[1], article[1]))
        + ([text_of(node) for node in article[2:]],)
        for article in tree.iter(NS + "article")
        if article.find(NS + "section") is None
    ]


def test_the_page_says_what_would_change_failures_first():
    page = page_of({"localhost": MIXED}, now=NOW)
    tree = parsed(page)
    headings = [text_of(node) for node in tree.iter(NS + "h2")]
    assert headings == ["Failed", "Would be removed", "Would change 2", "Unchanged"]
    assert [text_of(node) for node in tree.iter(NS + "b")] == ["1", "1", "2", "1"]
    assert failures(tree) == [("tcp_edge_backend edgtcp_bad", "failed", "PUT /edges answered 400: no", [])]
    assert changes(tree) == [
        ("edgtcp_gone", "tcp_edge_backend", "would be removed", [("del", "{"), ("del", '  "b": 1'), ("del", "}")]),
        ("edgtcp_new", "tcp_edge_backend", "would be newly set", [("ins", "{"), ("ins", '  "a": 1'), ("ins", "}")]),
        (
            "edgtcp_other",
            "tcp_edge_backend edghtsrt_1",
            "would change",
            [("span", "{"), ("del", '  "c": 1,'), ("ins", '  "c": 3,'), ("span", '  "d": 2'), ("span", "}")],
        ),
    ]
    text = text_of(tree)
    assert "5 edge modules, 1 host" in text
    assert "2026-11-28 09:30 UTC" in text
    assert "This was a dry run: nothing was written." in text
    assert "tcp_edge_backend edgtcp_same" in text


def test_the_head_of_the_page():
    plan = dict(format=1, checksum="plan-0123456789abcdef", changes={})
    found = outcome(result("replace"), diffs=[diff(None, {})], base_url="https://edges.example/v2", plan=plan)
    whole = {"one": found, "two": dict(unreachable=True, msg="no route"), "three": outcome()}

    def facts(**keywords):
        tree = parsed(page_of(whole, now=NOW, **keywords))
        terms = [text_of(node) for node in tree.iter(NS + "dt")]
        assert [text_of(node) for node in tree.iter(NS + "h1")] == [text_of(node) for node in tree.iter(NS + "title")]
        return dict(
            zip(terms, (text_of(node) for node in tree.iter(NS + "dd"))), title=text_of(next(tree.iter(NS + "h1")))
        )

    assert facts() == {
        "title": "Edge modules: what would change",
        "Service": "https://edges.example/v2",
        "Mode": "Dry run",
        "Plan": "plan-0123456789abcdef",
        "Time": "2026-11-28 09:30 UTC",
        "Checked": "1 edge module, 3 hosts",
        "Unreachable": "two",
        "No entries": "three",
    }
    given = facts(title="The <shop> moves", base_url="https://other.example", plan=dict(checksum="plan-all"))
    assert (given["title"], given["Service"], given["Plan"]) == (
        "The <shop> moves",
        "https://other.example",
        "plan-all",
    )
    assert facts(dry_run=False)["Mode"] == "Run"


def test_links_within_the_page_have_a_goal():
    for whole in ({"localhost": MIXED}, {"localhost": outcome()}):
        tree = parsed(page_of(whole))
        ids = {node.get("id") for node in tree.iter() if node.get("id")}
        found = {node.get("href")[1:] for node in tree.iter(NS + "a")}
        assert found <= ids
        # The index leads to every change.
        assert {node.get("id") for node in tree.iter(NS + "section")} <= found


def test_the_page_of_a_run_says_what_was_done():
    text = text_of(parsed(report({"localhost": MIXED}, dry_run=False)))
    assert "would" not in re.sub("<style>.*</style>", "", text, flags=re.S)
    assert "finishes" not in text
    fine = outcome(result("replace"), diffs=[diff(None, {"a": 1})])
    assert "Running again with the same variables changes nothing." in text_of(
        parsed(report({"localhost": fine}, dry_run=False))
    )


@pytest.mark.parametrize(
    "found, says",
    [
        (outcome(), "The variables name no edge modules."),
        (outcome(result("none")), "The service already has the configuration that the variables ask for."),
    ],
)
def test_nothing_to_change(found, says):
    text = text_of(parsed(page_of({"localhost": found})))
    assert "Nothing would change" in text
    assert says in text


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_shown_as_text(name):
    whole = {
        name: outcome(
            result("replace", name, name, name),
            result("delete", name, name),
            result(None, name, name, error=name),
            result("none", name, name),
            diffs=[diff({name: name}, {name: name + "!"}), diff({name: 1}, None)],
        ),
        name + "2": dict(failed=True, msg=name),
    }
    page = page_of(whole)
    plain = parsed(page_of({"a": MIXED, "b": dict(failed=True, msg="x")}))
    tree = parsed(page)
    # The same elements and attributes as with harmless names.
    assert {node.tag for node in tree.iter()} - {node.tag for node in plain.iter()} <= {NS + "mark"}
    assert attributes(tree) == attributes(plain)
    visible = text_of(tree)
    escaped = "".join("\\u%04x" % ord(char) if char in "\u202e\u2066\u0000\u001b\u2028" else char for char in name)
    assert visible.count(escaped) >= 6
    assert not set(visible) & set("\u202e\u2066\u0000\u001b\u2028")
    for line in text_of_report(whole):
        assert line.isprintable()


def test_the_page_needs_nothing_from_elsewhere_and_no_script():
    page = page_of({"localhost": MIXED, "other": dict(failed=True, msg="see https://elsewhere.example/")})
    tree = parsed(page)
    assert not {node.tag.replace(NS, "") for node in tree.iter()} & {"script", "link", "img", "iframe", "object"}
    for node in tree.iter():
        for key, value in node.items():
            assert key in ATTRIBUTES
            assert key != "href" or value.startswith("#")
            assert "url(" not in value
    assert "url(" not in page and "@import" not in page
    (policy,) = [node.get("content") for node in tree.iter(NS + "meta") if node.get("http-equiv")]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_a_long_configuration_shows_what_lies_around_its_changes():
    before = {"k%03d" % number: number for number in range(100)}
    after = {**before, "k050": "new", "k080": "new"}
    tree = parsed(page_of({"h": outcome(result("replace"), diffs=[diff(before, after)])}))
    ((_edge, _module, _tag, lines),) = changes(tree)
    assert [line for line in lines if line[0] != "span"] == [
        ("folded", "48 lines unchanged"),
        ("del", '  "k050": 50,'),
        ("ins", '  "k050": "new",'),
        ("folded", "23 lines unchanged"),
        ("del", '  "k080": 80,'),
        ("ins", '  "k080": "new",'),
        ("folded", "17 lines unchanged"),
    ]
    assert sum(kind in ("span", "del") for kind, dummy in lines) + 48 + 23 + 17 == 102
    # What is folded is there to open: every line of the configuration, in its place.
    shown = [text_of(line)[2:] for pre in tree.iter(NS + "pre") for line in pre if line.tag != NS + "ins"]
    assert shown == json.dumps(before, indent=2).split("\n")


def test_text_of_one():
    (line,) = text_of_report({"one": outcome(result("none"))})
    assert line == "1 edge module: 0 would change, 0 would be removed, 1 unchanged, 0 failed"


def test_several_hosts_are_told_apart_and_the_failed_ones_come_first():
    whole = {
        "one": outcome(result("replace"), diffs=[diff(None, {})]),
        "two": dict(failed=True, msg="'edges' is undefined"),
        "three": outcome(result(None, error="no")),
    }
    tree = parsed(page_of(whole))
    assert failures(tree) == [
        ("All edge modules on two", "failed", "'edges' is undefined", []),
        ("tcp_edge_backend edgtcp_1 on three", "failed", "no", []),
    ]
    assert [change[:3] for change in changes(tree)] == [("edgtcp_1 on one", "tcp_edge_backend", "would be newly set")]
    assert text_of_report(whole) == [
        "2 edge modules: 1 would change, 0 would be removed, 0 unchanged, 2 failed",
        "failed: two: 'edges' is undefined",
        "failed: tcp_edge_backend edgtcp_1 on three: no",
        "would change: tcp_edge_backend edgtcp_1 on one",
    ]


def test_the_counts():
    assert report({"localhost": MIXED}, "counts") == dict(total=5, changed=2, removed=1, unchanged=1, failed=1)
    assert report({}, "counts") == dict(total=0, changed=0, removed=0, unchanged=0, failed=0)
    both = {"a": MIXED, "b": dict(failed=True, msg="x")}
    assert report(both, "counts") == dict(total=5, changed=2, removed=1, unchanged=1, failed=2)


def test_the_text():
    assert report({"localhost": MIXED}, "text") == [
        "5 edge modules: 2 would change, 1 would be removed, 1 unchanged, 1 failed",
        "failed: tcp_edge_backend edgtcp_bad: PUT /edges answered 400: no",
        "would be removed: tcp_edge_backend edgtcp_gone",
        "would change: tcp_edge_backend edgtcp_new",
        "would change: tcp_edge_backend edgtcp_other edghtsrt_1",
    ]
    (first, *dummy) = report({"localhost": MIXED}, "text", dry_run=False)
    assert first == "5 edge modules: 2 changed, 1 removed, 1 unchanged, 1 failed"


def test_the_text_of_many():
    """Of 300 changes all are named, on short lines; of 3,000 the beginning."""
    lines = report({"localhost": outcome(*[result("replace", "e%d" % n) for n in range(300)])}, "text")
    assert lines[1] == "would change: 300 tcp_edge_backend"
    assert re.findall("e[0-9]+", " ".join(lines[2:])) == ["e%d" % n for n in range(300)]
    assert max(map(len, lines)) < 120 and len(lines) < 30
    lines = report({"localhost": outcome(*[result("replace", "e%d" % n) for n in range(3000)])}, "text")
    assert len(lines) < 40
    named = len(re.findall("e[0-9]+", " ".join(lines[2:])))
    assert lines[-1] == "  and %s more" % format(3000 - named, ",")


def test_another_form_is_refused():
    with pytest.raises(AnsibleFilterError, match='form must be one of html, json, md, diff, text, counts, not "pdf"'):
        report({}, "pdf")


def test_secrets_are_masked_as_the_results_have_them(sim, way):
    sim.put(HEADERS, dict(add={"X-Token": "s3cret-old", "X-A": "1"}))
    headers = dict(add={"X-Token": "s3cret-new", "X-B": "s3cret-named"}, secret_headers=["X-B"])
    options = dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=headers)])])
    found = harness.run(way, "edge_modules", {**harness.connection_options(sim), **options}, check=True)
    for form in _report.FORMS:
        assert "s3cret" not in str(report({"localhost": found.data}, form))
    page = text_of(parsed(report({"localhost": found.data})))
    assert "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER (changed)" in page


def test_results_and_diffs_go_together(sim, way):
    """Each change stands with its own lines, whatever failed or stayed beside it."""
    connection = harness.connection_options(sim)
    harness.run(way, "edge_modules", {**connection, **many(3)})
    options = many(3)
    for number in (0, 2):
        options["tcp_edges"][number]["backend"]["backend_id"] = "bkdtg_new%d" % number
    options["tls_edges"][1]["ip_restriction"] = dict(state="absent")
    options["https_edges"][2]["routes"][0]["request_headers"]["remove"] = ["X-New"]
    sim.add_fault(path="/edges/tcp/edgtcp_1/backend", status=500)
    found = harness.run(way, "edge_modules", {**connection, **options}, check=True)
    tree = parsed(report({"localhost": found.data}))
    (failure,) = failures(tree)
    assert failure[0] == "tcp_edge_backend edgtcp_1"
    shown = {change[:3]: [line for line in change[3] if line[0] in ("ins", "del")] for change in changes(tree)}
    assert shown == {
        ("edgtls_1", "tls_edge_ip_restriction", "would be removed"): [
            ("del", "{"),
            ("del", '  "enabled": true,'),
            ("del", '  "ip_policy_ids": ['),
            ("del", '    "ipp_a1"'),
            ("del", "  ]"),
            ("del", "}"),
        ],
        ("edgtcp_0", "tcp_edge_backend", "would change"): [
            ("del", '  "backend_id": "bkdtg_a0",'),
            ("ins", '  "backend_id": "bkdtg_new0",'),
        ],
        ("edgtcp_2", "tcp_edge_backend", "would change"): [
            ("del", '  "backend_id": "bkdtg_a2",'),
            ("ins", '  "backend_id": "bkdtg_new2",'),
        ],
        ("edghts_2", "https_edge_route_request_headers edghtsrt_2", "would change"): [
            ("del", '    "X-Debug"'),
            ("ins", '    "X-New"'),
        ],
    }


def test_the_same_change_on_many_edges_is_told_once():
    found = [outcomes.replaced("edgtcp_%d" % n, {"a": 1}, {"a": 2}, name="shop %d" % n) for n in range(20)]
    found.insert(7, outcomes.replaced("edgtcp_other", {"a": 1}, {"a": 3}))
    tree = parsed(page_of({"h": outcomes.outcome(*found)}))
    assert [change[0] for change in changes(tree)] == ["The same change on 20 edges", "edgtcp_other"]
    (article, dummy) = tree.iter(NS + "article")
    named = [text_of(node) for node in article.iter(NS + "li")]
    assert named == ["edgtcp_%d (shop %d)" % (n, n) for n in range(20)]
    assert len(list(article.iter(NS + "details"))) == 1  # most of them are folded
    # Each of the changes has its anchor all the same.
    ids = {node.get("id") for node in tree.iter() if node.get("id")}
    assert {"tcp_edge_backend-edgtcp_%d" % n for n in range(20)} | {"tcp_edge_backend-edgtcp_other"} <= ids


def test_changes_stand_together_by_edge():
    route = dict(module="https_edge_route_traffic_policy", before={}, after={"value": {}})
    found = [
        outcomes.replaced("edghts_1", {"a": 1}, {"a": 2}, route_id="edghtsrt_1", name="checkout"),
        outcomes.replaced("edgtcp_1", {"a": 1}, {"a": 3}),
        outcomes.replaced("edghts_1", route_id="edghtsrt_1", name="checkout", **route),
    ]
    tree = parsed(page_of({"h": outcomes.outcome(*found)}))
    assert [change[:2] for change in changes(tree)] == [
        ("edghts_1", "tcp_edge_backend edghtsrt_1 (checkout)"),
        ("edghts_1", "https_edge_route_traffic_policy edghtsrt_1 (checkout)"),
        ("edgtcp_1", "tcp_edge_backend"),
    ]
    assert len(list(tree.iter(NS + "article"))) == 2


def test_an_anchor_is_unique_and_the_same_in_every_report():
    one = outcomes.replaced("edgtcp_1", {"a": 1}, {"a": 2})
    hostile = outcomes.replaced("failed", {"a": 1}, {"a": 4}, module="")
    tree = parsed(page_of({"a": outcomes.outcome(one, hostile), "b": outcomes.outcome(dict(one, after={"a": 3}))}))
    ids = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    assert "tcp_edge_backend-edgtcp_1" in ids and "tcp_edge_backend-edgtcp_1-2" in ids and "failed-2" in ids
    again = parsed(page_of({"a": outcomes.outcome(hostile, one)}))
    assert "tcp_edge_backend-edgtcp_1" in [node.get("id") for node in again.iter()]


def test_a_line_of_500_that_changed_is_shown_with_its_place():
    tree = parsed(page_of({"h": outcomes.outcome(outcomes.policy_changed(60, 20))}))
    ((_edge, _module, _tag, lines),) = changes(tree)
    assert [line for line in lines if line[0] != "span"] == [
        ("folded", "285 lines unchanged, then value.inbound[20].actions[0].config"),
        ("del", '              "status_code": 420'),
        ("ins", '              "status_code": 599'),
        ("folded", "555 lines unchanged"),
    ]


def test_what_differs_within_a_long_line_is_marked():
    """By whole words, so that each of them stands in the page as it is; a short line is read at a glance."""
    rule = "req.url.path.startsWith('/api') && conn.client.ip in list('%s') && req.method != 'OPTIONS' <b>"
    before, after = dict(a=rule % "ipp-office_1", b="x1"), dict(a=rule % "ipp-home_1", b="x2")
    page = page_of({"h": outcomes.outcome(outcomes.replaced("edgtcp_1", before, after))})
    tree = parsed(page)
    assert [text_of(node) for node in tree.iter(NS + "mark")] == ["ipp-office_1", "ipp-home_1"]
    ((_edge, _module, _tag, lines),) = changes(tree)
    assert ("del", '  "a": "%s",' % before["a"]) in lines and ("ins", '  "a": "%s",' % after["a"]) in lines
    assert "&quot;b&quot;: &quot;x2&quot;" in page


def test_failures_with_the_same_reason_are_told_once():
    found = [outcomes.failed("edgtcp_%d" % n, 403, "may not write", operation_id="op_%d" % n) for n in range(20)]
    found.append(outcomes.failed("edgtcp_x", 404, "no such edge"))
    whole = {"h": outcomes.outcome(*found, failed=True), "i": dict(unreachable=True), "j": dict(unreachable=True)}
    told = failures(parsed(page_of(whole)))
    assert [one[:3] for one in told] == [
        ("All edge modules on 2 hosts", "unreachable", "could not be reached"),
        ("20 edge modules", "failed", "PUT answered 403: may not write"),
        ("tcp_edge_backend edgtcp_x on h", "failed", "PUT /edges/tcp/edgtcp_x/backend answered 404: no such edge"),
    ]
    assert all("edgtcp_%d on h" % n in told[1][3][0] for n in range(20))
    lines = text_of_report(whole)
    assert lines[0].endswith("23 failed")
    assert sum("answered 403" in line for line in lines) == 1
    assert all(re.search(r"edgtcp_%d\b" % n, " ".join(lines)) for n in range(20))


PAGE_FORMS = ("html", "md")


@pytest.mark.parametrize("form", PAGE_FORMS)
@pytest.mark.parametrize(
    "found, says, says_not",
    [
        ([404], "must be corrected first", "to finish"),
        ([403, 401, 400], "must be corrected first", "to finish"),
        ([None], "run again with the same variables to finish", "must be corrected"),
        ([429, 500, 503, None, "not tried"], "run again with the same variables to finish", "must be corrected"),
        ([503, 404], "The cause of the others must be corrected first", "to finish"),
        ([401, "not tried"], "must be corrected first", "to finish"),
        (["certificate"], "must be corrected first", "to finish"),
        (["host"], "must be corrected first", "to finish"),
    ],
    ids=str,
)
def test_a_second_run_is_promised_for_what_may_pass_alone(form, found, says, says_not):
    results, more = [outcomes.replaced("edgtcp_done", {"a": 1}, {"a": 2})], {}
    for number, status in enumerate(found):
        name = "edgtcp_%d" % number
        if status == "host":
            more = {"other": dict(failed=True, msg="'x' is undefined")}
        elif status == "not tried":
            results.append(outcomes.not_tried(name))
        elif status == "certificate":
            results.append(outcomes.failed(name, None, "certificate verify failed"))
        else:
            results.append(outcomes.failed(name, status, "no"))
    whole = {"h": outcomes.outcome(*results, dry_run=False, failed=bool(results[1:])), **more}
    page = report(whole, form, dry_run=False)
    assert says in page and says_not not in page


def test_not_tried_is_said_once():
    """Whichever way a request came not to be sent: never as C(x: x was not tried), and last."""
    sent = "GET /edges/tcp/edgtcp_1/backend was "
    found = [outcomes.not_tried("edgtcp_0"), outcomes.not_tried("edgtcp_1", sent=sent)]
    whole = {"h": outcomes.outcome(*found, outcomes.failed("edgtcp_2", 401, "who?"), failed=True)}
    told = failures(parsed(page_of(whole)))
    assert [one[2] for one in told] == [
        "PUT /edges/tcp/edgtcp_2/backend answered 401: who?",
        "not tried: the task was stopped",
    ]
    for form in ("html", "md", "text"):
        assert "was not tried" not in str(report(whole, form))


def test_what_failed_and_took_effect_is_said():
    found = dict(outcomes.failed("edgtcp_0", 200, "a list"), changed=True)
    page = page_of({"h": outcomes.outcome(found, dry_run=False, failed=True)}, dry_run=False)
    assert "The write took effect nevertheless." in page


@pytest.mark.parametrize("planned_by", ["task", "play"])
def test_a_refused_run_says_that_nothing_was_written(planned_by):
    planned = [outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}), outcomes.removed("edgtcp_1", {"a": 1})]
    if planned_by == "task":
        planned = [dict(one, changed=False) for one in planned]
        summary = dict(total=2, changed=0, removed=0, unchanged=0, failed=0)
        whole = {"h": outcomes.outcome(*planned, dry_run=False, failed=True, msg="max_changed is 0", summary=summary)}
        keywords = dict(dry_run=False)
    else:
        # The role plans with a dry run of each host, and refuses the run.
        whole = {"h": outcomes.outcome(*planned, dry_run=True)}
        keywords = dict(dry_run=False, refused="max_changed is 0")
    tree = parsed(page_of(whole, **keywords))
    text = text_of(tree)
    assert text_of(next(tree.iter(NS + "h1"))) == "Edge modules: refused, nothing written"
    assert "max_changed is 0" in text and "The run was refused: nothing was written." in text
    assert [change[2] for change in changes(tree)] == ["not removed", "not changed"]
    assert "The changes shown were made" not in text
    lines = text_of_report(whole, **keywords)
    assert lines[0].startswith("2 edge modules: 0 changed, 0 removed, 0 unchanged,")
    assert lines[0].endswith(", 2 refused")
    assert lines[1:] == [
        "refused, nothing written: max_changed is 0",
        "not removed: tcp_edge_backend edgtcp_1",
        "not changed: tcp_edge_backend edgtcp_0",
    ]
    found = _report.render("counts", whole, **keywords)
    assert (found["changed"], found["removed"]) == (0, 0)
    assert found["failed"] == (planned_by == "task")
    assert "refused, nothing written" in _report.render("md", whole, **keywords)


def test_a_dry_run_that_would_be_refused_keeps_its_prediction():
    found = outcomes.outcome(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}), failed=True, msg="max_changed is 0")
    lines = text_of_report({"h": found})
    assert lines == [
        "1 edge module: 1 would change, 0 would be removed, 0 unchanged, 1 failed",
        "the run would be refused and would write nothing: max_changed is 0",
        "would change: tcp_edge_backend edgtcp_0",
    ]
    assert "This was a dry run: nothing was written." in text_of(parsed(page_of({"h": found})))


def test_a_run_that_is_refused_in_its_second_batch_does_not_say_that_nothing_was_written():
    first = outcomes.outcome(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}), dry_run=False)
    second = outcomes.outcome(outcomes.replaced("edgtcp_1", {"a": 1}, {"a": 2}), dry_run=True)
    for form in ("html", "md", "text", "json"):
        told = str(_report.render(form, {"a": first, "b": second}, dry_run=False, refused={"b": "no"}))
        assert "nothing written" not in told and "nothing was written" not in told
        assert "b: no" in told


def test_a_result_of_a_run_is_never_told_as_a_dry_run():
    whole = {"h": outcomes.outcome(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}), dry_run=False)}
    assert "nothing was written" not in page_of(whole)
    assert json.loads(_report.render("json", whole))["dry_run"] is False


def test_what_was_put_back():
    found = outcomes.outcome(*[outcomes.replaced("edgtcp_%d" % n, {"a": 1}, {"a": 2}) for n in (0, 1)], dry_run=False)
    restored = [
        dict(module="tcp_edge_backend", edge_id="edgtcp_0", route_id=None, restored=True, reason=None),
        dict(module="tcp_edge_backend", edge_id="edgtcp_1", route_id=None, restored=False, reason="changed <since>"),
    ]
    keywords = dict(dry_run=False, restored={"h": restored})
    tree = parsed(page_of({"h": found}, **keywords))
    assert [text_of(node) for node in tree.iter(NS + "h2")] == ["Not restored", "Restored", "Changed 2"]
    assert "tcp_edge_backend edgtcp_1: changed <since>" in text_of(tree)
    assert text_of_report({"h": found}, **keywords)[1:3] == [
        "not restored: tcp_edge_backend edgtcp_1: changed <since>",
        "restored: tcp_edge_backend edgtcp_0",
    ]


def test_counts_are_those_of_the_summary():
    """With return_unchanged: false a result holds what changed or failed alone."""
    summary = dict(total=100, changed=3, removed=1, unchanged=96, failed=1)
    results = [
        outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2}),
        outcomes.replaced("edgtcp_1", {"a": 1}, {"a": 3}),
        outcomes.removed("edgtcp_2", {"a": 1}),
        outcomes.failed("edgtcp_3", 403, "no"),
    ]
    whole = {"h": outcomes.outcome(*results, failed=True, summary=summary)}
    assert report(whole, "counts") == dict(total=100, changed=2, removed=1, unchanged=96, failed=1)
    assert "96 edge modules, not listed." in page_of(whole)
    assert report({"h": outcomes.outcome(summary=summary)}, "counts")["changed"] == 2


def test_hosts_that_were_not_reached_or_have_nothing():
    whole = {
        "fine": outcomes.outcome(outcomes.replaced("edgtcp_0", {"a": 1}, {"a": 2})),
        "away": dict(unreachable=True, msg="no route"),
        "bare": outcomes.outcome(),
        "none": None,
        "left": dict(skipped=True),
    }
    assert report(whole, "counts") == dict(total=1, changed=1, removed=0, unchanged=0, failed=1)
    lines = text_of_report(whole)
    assert lines == [
        "1 edge module: 1 would change, 0 would be removed, 0 unchanged, 1 failed",
        "no entries: 2 hosts",
        "  bare, none",
        "skipped: 1 host",
        "  left",
        "failed: away: no route",
        "would change: tcp_edge_backend edgtcp_0 on fine",
    ]
    text = text_of(parsed(page_of(whole)))
    for line in ("fine: 1 would change", "away: unreachable", "bare: no entries", "left: skipped"):
        assert line in text


def cost(whole, form):
    """The processor time that a report takes."""
    start = time.process_time()
    _report.render(form, whole)
    return time.process_time() - start


@pytest.mark.parametrize("form", ["html", "json", "md", "diff", "text"])
@pytest.mark.parametrize("make", [outcomes.every_rule_changed, outcomes.many_changed])
def test_the_time_is_in_proportion_to_the_length(form, make):
    """Of a policy of which every rule changes, and of many changes: four times as long takes four times the time.

    The best of many, since whatever else the machine does only adds to it.
    """
    small, large = {"h": make(200)}, {"h": make(800)}
    pairs = [(cost(small, form), cost(large, form)) for dummy in range(9)]
    assert min(pair[1] for pair in pairs) < 7 * min(pair[0] for pair in pairs) + 0.01


# In a browser

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

# Put into a copy of the page, without its policy, which forbids scripts.
MEASURE = """<script>
const root = document.documentElement;
const beyond = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
document.title = JSON.stringify({
  cut: [...document.querySelectorAll("article, article *")].filter(e => e.scrollWidth > e.clientWidth + 1
    && getComputedStyle(e).display != "inline").map(e => e.tagName).slice(0, 5),
  width: innerWidth, scroll: root.scrollWidth, beyond: beyond.map(e => e.tagName).slice(0, 5),
  scripts: document.scripts.length, paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color, articles: document.querySelectorAll("article").length});
</script>"""


def browse(tmp_path, page, *arguments):
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--user-data-dir=%s" % (tmp_path / "profile"), *arguments, path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


@in_a_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_in_a_browser_nothing_overflows(tmp_path, width, dark):
    outcomes = {"host": MIXED}
    for number, name in enumerate(HOSTILE):
        outcomes[name + str(number)] = outcome(
            result("replace", name, name, name),
            result(None, name, name, error=name),
            result("none", name, name),
            diffs=[diff({name: name}, {name: {"a": [{"b": [name]}]}})],
        )
        outcomes["f%d" % number] = dict(failed=True, msg=name)
    page = page_of(outcomes)
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    page = re.sub("<details([^>]*)>", lambda found: "<details%s open>" % found[1].replace(" open", ""), page)
    page = page.replace("</body>", MEASURE + "</body>")
    scheme = "--blink-settings=preferredColorScheme=%d" % (0 if dark else 1)
    dumped = browse(tmp_path, page, "--window-size=%d,900" % width, scheme, "--dump-dom")
    found = json.loads(re.search("<title>(.*?)</title>", dumped).group(1))
    assert found["width"] == width
    assert (found["scroll"], found["beyond"], found["cut"]) == (width, [], [])
    assert found["scripts"] == 1
    assert found["articles"] == page.count("<article>")
    brightness = [sum(map(int, re.findall(r"\d+", found[name])[:3])) for name in ("paper", "ink")]
    assert (brightness[0] < 150 and brightness[1] > 600) if dark else (brightness[0] > 700 and brightness[1] < 150)


@in_a_browser
def test_in_a_browser_it_prints_and_shows(tmp_path):
    page = page_of({"localhost": MIXED})
    browse(tmp_path, page, "--window-size=390,900", "--screenshot=%s" % (tmp_path / "page.png"))
    assert (tmp_path / "page.png").stat().st_size > 10000
    browse(tmp_path, page, "--print-to-pdf=%s" % (tmp_path / "page.pdf"))
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
