# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as JSON, for programs. The guide on dry runs documents it. Private to this collection."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.edges.plugins.module_utils._text import visible
from ansible_collections.edgeops.edges.plugins.plugin_utils import _report_data as data
from ansible_collections.edgeops.edges.plugins.plugin_utils._report_data import Host, Item, Report

FORMAT_VERSION = 1


def render(report: Report) -> str:
    """Return the report as JSON text: an entry of a list a line, so that it can be searched and compared."""
    parts: dict[str, t.Any] = dict(
        format_version=FORMAT_VERSION,
        title=data.heading(report),
        time=report.time.isoformat(timespec="seconds"),
        dry_run=report.dry_run,
        base_url=report.base_urls[0] if len(report.base_urls) == 1 else None,
        plan=report.plan,
        refused=report.refusals,
        counts=report.counts,
        hosts=[_host(host) for host in report.hosts],
        changes=[
            dict(_ids(item), operation=item.result.get("operation"), changed=item.state != data.REFUSED)
            | dict(before=item.before, after=item.after)
            for item in report.of(data.CHANGED, data.REMOVED, data.REFUSED)
        ],
        failures=list(_failures(report)),
        restored=[dict(_ids(one.item), restored=one.restored, reason=one.reason or None) for one in report.restored],
    )
    return visible("{\n%s\n}\n" % ",\n".join('  "%s": %s' % (key, _value(value)) for key, value in parts.items()))


def _value(value: t.Any) -> str:
    if isinstance(value, list) and value:
        return "[\n%s\n  ]" % ",\n".join("    " + _compact(each) for each in value)
    return _compact(value)


def _compact(value: t.Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ids(item: Item) -> dict[str, t.Any]:
    return dict(
        host=item.host,
        name=item.name or None,
        module=item.module,
        edge_id=item.edge_id,
        route_id=item.route_id or None,
    )


def _host(host: Host) -> dict[str, t.Any]:
    counts = {key: host.counts[key] for key in ("total", "changed", "removed", "unchanged", "failed")}
    return dict(
        name=host.name,
        state=host.state,
        base_url=host.base_url or None,
        checksum=data.checksum_of(host) or None,
        counts=counts,
    )


def _failures(report: Report) -> t.Iterator[dict[str, t.Any]]:
    nothing = dict(method=None, path=None, status=None, code=None, operation_id=None)
    for host in report.hosts:
        if host.state in (data.FAILED, data.UNREACHABLE, data.REFUSED):
            none = dict(name=None, module=None, edge_id=None, route_id=None)
            yield dict(host=host.name, **none, changed=False, error=dict(msg=host.message, **nothing))
    for item in report.of(data.FAILED):
        error = dict(nothing, **data.plain(data.error_of(item)))
        yield dict(_ids(item), changed=bool(item.result.get("changed")), error=error)
