# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report for whoever approves a change, in each of its forms. Private to this collection.

What it says is put together in _report_data.py; each form has a file of its own.
"""

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.edges.plugins.plugin_utils import (
    _report_data,
    _report_diff,
    _report_html,
    _report_json,
    _report_markdown,
    _report_text,
)

_FORMS: dict[str, t.Callable[[_report_data.Report], t.Any]] = {
    "html": _report_html.render,
    "json": _report_json.render,
    "md": _report_markdown.render,
    "diff": _report_diff.render,
    "text": _report_text.render,
    "counts": lambda report: report.counts,
}
FORMS = tuple(_FORMS)


def render(form: str, outcomes: dict[str, t.Any], *arguments: t.Any, **keywords: t.Any) -> t.Any:
    """Return the report on the outcomes of edge_modules, by host; the further arguments are those of _report_data.read.

    A list of lines for C(text), a dict for C(counts), else a text.

    :raises ValueError: there is no such form.
    """
    if form not in _FORMS:
        raise ValueError("form must be one of %s, not %s" % (", ".join(FORMS), json.dumps(form)))
    return _FORMS[form](_report_data.read(outcomes, *arguments, **keywords))
