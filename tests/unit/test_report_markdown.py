# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as Markdown: read with a parser of its own, nothing in it means anything but text."""

from __future__ import annotations

import datetime
import re

import pytest
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report
from harness import outcomes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NOW = datetime.datetime(2026, 11, 28, 9, 30, tzinfo=datetime.timezone.utc)

HOSTILE = (
    "```\n# heading\n<b>x</b>\n@you fixes #1\n```",
    "`````````` ` `` ```",
    "`",
    "~~~\n@you",
    "[a](https://evil.example) ![b](https://evil.example/b.png)",
    "https://evil.example www.evil.example me@evil.example",
    "@you @org/team #1 GH-1 org/repo#2 closes #3 da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "<img src=x> <!-- --> <details>",
    "a | b\n- c\n1. d\n> e\n***",
    "\u202eevil\u2066\u2028\u0000\x1b[31m",
    " leading and trailing ",
    "\\` \\",
    "",
    "&lt;b&gt; &#64;you",
)


def render(whole, **keywords):
    return _report.render("md", whole, now=NOW, **keywords)


def hostile(name):
    """A report with a text in every place."""
    more = dict(route_id=name, name=name, module=name)
    results = [
        outcomes.replaced(name, {name: name, "k": [name]}, {name: name + "!", "k": [name]}, **more),
        outcomes.replaced("1", {"a": name}, {"a": "b"}, **more),
        outcomes.replaced("2", {"a": name}, {"a": "b"}, **more),
        outcomes.removed(name, name, **more),
        dict(outcomes.result(name, None, **more), error=dict(msg=name, method=name, path=name, status=400)),
    ]
    one = outcomes.outcome(*results, failed=True, base_url=name, plan=dict(checksum=name))
    whole = {name: one, name + "2": dict(failed=True, msg=name), name + "3": dict(unreachable=True, msg=name)}
    whole[name + "4"] = outcomes.outcome()
    restored = [dict(module=name, edge_id=name, route_id=name, restored=done, reason=name) for done in (True, False)]
    return whole, dict(title=name, base_url=name, plan=dict(checksum=name), refused=name, restored={name: restored})


def prose(markdown):
    """What of it a service reads as Markdown: the text outside of code; and the kinds of everything in it."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    texts, kinds = [], set()

    def walk(tokens):
        for token in tokens:
            kinds.add(token.type)
            if token.type == "text":
                texts.append(token.content)
            if token.type == "fence":
                assert token.info == "diff"
            walk(token.children or ())

    walk(parser.parse(markdown))
    return "\n".join(texts), kinds


KINDS = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "code_inline", "fence",
    "strong_open", "strong_close", "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
}  # fmt: skip
# The only characters of our own words.
WORDS = re.compile("[A-Za-z0-9 ,.:;()\n-]*")


def check(name):
    whole, keywords = hostile(name)
    for dry_run in (True, False):
        markdown = render(whole, dry_run=dry_run, **keywords)
        texts, kinds = prose(markdown)
        assert kinds <= KINDS
        assert WORDS.fullmatch(texts), texts
        assert "www." not in texts and "http" not in texts and "GH-" not in texts
        assert all(line.isprintable() for line in markdown.split("\n"))
        # No more headings than ours: the title, refused, failed, not restored, restored, removed, changed.
        assert len(re.findall("(?m)^#+ ", markdown)) <= 7


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_means_nothing(name):
    check(name)


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.text(st.sampled_from("`~@#<>[]()!*_|\\&\n -+:/.w1aé\u202e"), max_size=30))
def test_random_text_means_nothing(name):
    check(name)


def test_what_it_says():
    whole = {
        "h": outcomes.outcome(
            outcomes.policy_changed(60, 20, 40),
            outcomes.removed("edgtcp_1", {"a": "```"}),
            *[outcomes.replaced("edgtcp_%d" % n, {"a": 1}, {"a": 2}, name="shop %d" % n) for n in (2, 3)],
            *[outcomes.failed("edgtcp_%d" % n, 403, "no `right`") for n in (4, 5)],
            base_url="https://edges.example",
            plan=dict(format=1, checksum="plan-0123456789abcdef", changes={}),
            failed=True,
        )
    }
    head, dummy, rest = render(whole, title="The shop moves").partition("### Would change")
    assert (
        head
        == """\
## `The shop moves`

**3 would change, 1 would be removed, 0 unchanged, 2 failed**

- Service: `https://edges.example`
- Dry run of 2026-11-28 09:30 UTC
- Plan: `plan-0123456789abcdef`
- 6 edge modules, 1 host

This was a dry run: nothing was written.

### Failed

- `` PUT answered 403: no `right` ``: 2 edge modules: `tcp_edge_backend` `edgtcp_4`, `tcp_edge_backend` `edgtcp_5`

### Would be removed

`tcp_edge_backend` `edgtcp_1`, would be removed

````diff
-{
-  "a": "```"
-}
````

"""
    )
    same = "`tcp_edge_backend`, the same change on 2 edges, would change: `edgtcp_2` (`shop 2`), `edgtcp_3` (`shop 3`)"
    assert same in rest
    assert "@@ -286,7 +286,7 @@ value.inbound[20].actions[0].config\n" in rest
    assert '\n-              "status_code": 420\n+              "status_code": 599\n' in rest
    assert "@@ -566,7 +566,7 @@ value.inbound[40].actions[0].config\n" in rest


FITS = outcomes.removed("edgtcp_fits", {"fits": 1})


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f600"])
@pytest.mark.parametrize(
    "make",
    [
        lambda letter, n: outcomes.replaced("edgtcp_%d" % n, {"a": n}, {"a": letter}),
        lambda letter, n: outcomes.replaced("edgtcp_%d" % n, {"a": n}, {"a": letter * 70000}) if n < 2 else FITS,
        lambda letter, n: outcomes.failed("edgtcp_%d" % n, 400, letter * 150 + str(n)),
        lambda letter, n: outcomes.failed(letter * 90 + str(n), 400, "no"),
        lambda letter, n: outcomes.replaced(letter * 90 + str(n), {"a": 1}, {"a": 2}, name=letter * 90),
        lambda letter, n: outcomes.replaced(letter * 90 + str(n), {"a": n}, {"a": 2}, module="m%d" % n),
    ],
    ids=["many", "long", "reasons", "one reason", "the same", "modules"],
)
def test_it_is_no_longer_than_a_comment_may_be(letter, make):
    results = [make(letter, n) for n in range(1500)]
    hosts = {letter * 90 + str(n): dict(unreachable=True, msg="no %d" % n) for n in range(300)}
    for whole in ({"h": outcomes.outcome(*results)}, {"h": outcomes.outcome(*results), **hosts}):
        markdown = render(whole, title=letter * 5000, refused=[letter * 5000] * 50)
        assert len(markdown.encode()) <= 65536
        prose(markdown)
        assert re.search("left out|and [0-9,]+ more", markdown)  # what is not there is said
        assert results[-1] is not FITS or '-  "fits": 1' in markdown


def test_what_is_left_out_is_counted():
    results = [outcomes.replaced("edgtcp_%d" % n, {"a": n}, {"a": -n - 1}) for n in range(6000)]
    markdown = render({"h": outcomes.outcome(*results)})
    without = int(re.search("The lines of ([0-9,]+) changes are left out", markdown).group(1).replace(",", ""))
    assert markdown.count("```diff") == 6000 - without > 100
    more, same = re.findall("and ([0-9,]+) more$|names of ([0-9,]+) of them", markdown, re.M)
    assert more[0] == same[1]
    assert len(set(re.findall("edgtcp_[0-9]+", markdown))) == 6000 - int(more[0].replace(",", "")) > 1000
