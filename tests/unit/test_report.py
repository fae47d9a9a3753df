# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report: parsed strictly everywhere, and opened in a browser where one is installed."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess

import harness
import html5lib
import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.edges.plugins.filter.report import FilterModule
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from harness.many import many
from harness.samples import HEADERS

report = FilterModule().filters()["report"]
NOW = datetime.datetime(2026, 11, 28, 9, 30, tzinfo=datetime.timezone.utc)
NS = "{http://www.w3.org/1999/xhtml}"

ATTRIBUTES = ("class", "lang", "charset", "name", "content", "id", "style", "datetime", "http-equiv", "href")

HOSTILE = (
    "<script>document.title = 'owned'</script>",
    "\"><img src=x onerror=alert(1)>",
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


def parsed(page):
    """The page as a tree; an error where it is not HTML to the letter."""
    return html5lib.HTMLParser(strict=True).parse(page)


def text_of(node):
    return "".join(node.itertext())


def attributes(tree):
    return {key for node in tree.iter() for key, dummy in node.items()}


def articles(tree):
    """(title, tag, lines) of every article."""
    return [
        (
            " ".join(text_of(node.find(NS + "header")).split()),
            text_of(next(one for one in node.iter(NS + "span") if (one.get("class") or "").startswith("tag"))),
            [(line.tag.replace(NS, ""), text_of(line)[2:]) for pre in node.iter(NS + "pre") for line in pre],
        )
        for node in tree.iter(NS + "article")
    ]


def test_the_page_says_what_would_change_failures_first():
    page = _report.html({"localhost": MIXED}, now=NOW)
    tree = parsed(page)
    headings = [text_of(node) for node in tree.iter(NS + "h2")]
    assert headings == ["Failed", "Would be removed", "Would change", "Unchanged"]
    assert [text_of(node) for node in tree.iter(NS + "b")] == ["1", "1", "2", "1"]
    assert articles(tree) == [
        ("tcp_edge_backendedgtcp_badfailed", "failed", []),
        (
            "tcp_edge_backendedgtcp_gonewould be removed",
            "would be removed",
            [("del", "{"), ("del", '  "b": 1'), ("del", "}")],
        ),
        (
            "tcp_edge_backendedgtcp_newwould be set, new",
            "would be set, new",
            [("ins", "{"), ("ins", '  "a": 1'), ("ins", "}")],
        ),
        (
            "tcp_edge_backendedgtcp_other edghtsrt_1would change",
            "would change",
            [("span", "{"), ("del", '  "c": 1,'), ("ins", '  "c": 3,'), ("span", '  "d": 2'), ("span", "}")],
        ),
    ]
    text = text_of(tree)
    assert "5 edge modules, 1 host. 2026-11-28 09:30 UTC" in text
    assert "This was a dry run: nothing was written." in text
    assert "PUT /edges answered 400: no" in text
    assert "tcp_edge_backend edgtcp_same" in text


def test_links_within_the_page_have_a_goal():
    for outcomes in ({"localhost": MIXED}, {"localhost": outcome()}):
        tree = parsed(_report.html(outcomes))
        ids = {node.get("id") for node in tree.iter() if node.get("id")}
        assert {node.get("href")[1:] for node in tree.iter(NS + "a")} == ids


def test_the_page_of_a_run_says_what_was_done():
    text = text_of(parsed(report({"localhost": MIXED}, dry_run=False)))
    assert "would" not in re.sub("<style>.*</style>", "", text, flags=re.S)
    assert "finishes what failed" in text
    fine = outcome(result("replace"), diffs=[diff(None, {"a": 1})])
    assert "Running again with the same variables changes nothing." in text_of(
        parsed(report({"localhost": fine}, dry_run=False))
    )


@pytest.mark.parametrize(
    "found, says",
    [
        (outcome(), "The variables name none."),
        (outcome(result("none")), "The service holds what the variables ask for."),
    ],
)
def test_nothing_to_change(found, says):
    text = text_of(parsed(_report.html({"localhost": found})))
    assert "Nothing would change" in text
    assert says in text


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_shown_as_text(name):
    outcomes = {
        name: outcome(
            result("replace", name, name, name),
            result("delete", name, name),
            result(None, name, name, error=name),
            result("none", name, name),
            diffs=[diff({name: name}, {name: name + "!"}), diff({name: 1}, None)],
        ),
        name + "2": dict(failed=True, msg=name),
    }
    page = _report.html(outcomes)
    plain = parsed(_report.html({"a": MIXED, "b": dict(failed=True, msg="x")}))
    tree = parsed(page)
    # The same elements and attributes as with harmless names.
    assert {node.tag for node in tree.iter()} == {node.tag for node in plain.iter()}
    assert attributes(tree) == attributes(plain)
    visible = text_of(tree)
    escaped = "".join("\\u%04x" % ord(char) if char in "\u202e\u2066\u0000\u001b\u2028" else char for char in name)
    assert visible.count(escaped) >= 6
    assert not set(visible) & set("\u202e\u2066\u0000\u001b\u2028")
    for line in _report.text(outcomes):
        assert line.isprintable()


def test_the_page_needs_nothing_from_elsewhere_and_no_script():
    page = _report.html({"localhost": MIXED, "other": dict(failed=True, msg="see https://elsewhere.example/")})
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
    page = parsed(_report.html({"h": outcome(result("replace"), diffs=[diff(before, after)])}))
    ((_title, _tag, lines),) = articles(page)
    assert [line for line in lines if line[0] != "span"] == [
        ("i", "48 lines"),
        ("del", '  "k050": 50,'),
        ("ins", '  "k050": "new",'),
        ("i", "23 lines"),
        ("del", '  "k080": 80,'),
        ("ins", '  "k080": "new",'),
        ("i", "17 lines"),
    ]
    shown = sum(kind in ("span", "del") for kind, dummy in lines)
    assert shown + 48 + 23 + 17 == 102


def test_text_of_one():
    (line,) = _report.text({"one": outcome(result("none"))})
    assert line == "1 edge module: 0 would change, 0 would be removed, 1 would stay, 0 failed"


def test_several_hosts_are_told_apart_and_the_failed_ones_come_first():
    outcomes = {
        "one": outcome(result("replace"), diffs=[diff(None, {})]),
        "two": dict(failed=True, msg="'edges' is undefined"),
        "three": outcome(result(None, error="no")),
    }
    titles = [title for title, dummy, dummy in articles(parsed(_report.html(outcomes)))]
    assert titles == [
        "All edge modules on twofailed",
        "tcp_edge_backendedgtcp_1 on threefailed",
        "tcp_edge_backendedgtcp_1 on onewould be set, new",
    ]
    assert _report.text(outcomes) == [
        "2 edge modules: 1 would change, 0 would be removed, 0 would stay, 2 failed",
        "failed: two: 'edges' is undefined",
        "failed: tcp_edge_backend edgtcp_1 (three): no",
        "would change: tcp_edge_backend edgtcp_1 (one)",
    ]


def test_the_counts():
    assert report({"localhost": MIXED}, "counts") == dict(total=5, changed=2, removed=1, unchanged=1, failed=1)
    assert report({}, "counts") == dict(total=0, changed=0, removed=0, unchanged=0, failed=0)
    both = {"a": MIXED, "b": dict(failed=True, msg="x")}
    assert report(both, "counts") == dict(total=5, changed=2, removed=1, unchanged=1, failed=2)


def test_the_text():
    assert report({"localhost": MIXED}, "text") == [
        "5 edge modules: 2 would change, 1 would be removed, 1 would stay, 1 failed",
        "failed: tcp_edge_backend edgtcp_bad: PUT /edges answered 400: no",
        "would be removed: tcp_edge_backend edgtcp_gone",
        "would change: tcp_edge_backend edgtcp_new",
        "would change: tcp_edge_backend edgtcp_other edghtsrt_1",
    ]
    (first, *dummy) = report({"localhost": MIXED}, "text", dry_run=False)
    assert first == "5 edge modules: 2 changed, 1 removed, 1 unchanged, 1 failed"
    lines = report({"localhost": outcome(*[result("replace", "e%d" % n) for n in range(200)])}, "text")
    assert len(lines) == 52
    assert lines[-1] == "and 150 more"


def test_another_form_is_refused():
    with pytest.raises(AnsibleFilterError, match="form must be html, text or counts, not pdf"):
        report({}, "pdf")


def test_secrets_are_masked_as_the_results_have_them(sim, way):
    sim.put(HEADERS, dict(add={"X-Token": "s3cret-old", "X-A": "1"}))
    headers = dict(add={"X-Token": "s3cret-new", "X-B": "s3cret-named"}, secret_headers=["X-B"])
    options = dict(https_edges=[dict(id="edghts_1", routes=[dict(id="edghtsrt_1", request_headers=headers)])])
    found = harness.run(way, "edge_modules", {**harness.connection_options(sim), **options}, check=True)
    for form in ("html", "text", "counts"):
        assert "s3cret" not in str(report({"localhost": found.data}, form))
    page = report({"localhost": found.data})
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
    sim.add_fault(path="/edges/tcp/edgtcp_1/*", status=500)
    found = harness.run(way, "edge_modules", {**connection, **options}, check=True)
    shown = {
        title: [line for line in lines if line[0] in ("ins", "del")]
        for title, _tag, lines in articles(parsed(report({"localhost": found.data})))
    }
    assert shown == {
        "tcp_edge_backendedgtcp_1failed": [],
        "tls_edge_ip_restrictionedgtls_1would be removed": [
            ("del", "{"),
            ("del", '  "enabled": true,'),
            ("del", '  "ip_policy_ids": ['),
            ("del", '    "ipp_a1"'),
            ("del", "  ]"),
            ("del", "}"),
        ],
        "tcp_edge_backendedgtcp_0would change": [
            ("del", '  "backend_id": "bkdtg_a0",'),
            ("ins", '  "backend_id": "bkdtg_new0",'),
        ],
        "tcp_edge_backendedgtcp_2would change": [
            ("del", '  "backend_id": "bkdtg_a2",'),
            ("ins", '  "backend_id": "bkdtg_new2",'),
        ],
        "https_edge_route_request_headersedghts_2 edghtsrt_2would change": [
            ("del", '    "X-Debug"'),
            ("ins", '    "X-New"'),
        ],
    }


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
    page = _report.html(outcomes)
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    page = page.replace("<details>", "<details open>").replace("</body>", MEASURE + "</body>")
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
    page = _report.html({"localhost": MIXED})
    browse(tmp_path, page, "--window-size=390,900", "--screenshot=%s" % (tmp_path / "page.png"))
    assert (tmp_path / "page.png").stat().st_size > 10000
    browse(tmp_path, page, "--print-to-pdf=%s" % (tmp_path / "page.pdf"))
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
