# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An edge or a configuration that is not there, or no longer."""

from __future__ import annotations

import pytest
from harness.samples import (
    ROUTE_IDS,
    SAMPLES,
    TCP_IDS,
)

REQUEST_HEADERS = "https_edge_route_request_headers"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
def test_an_edge_that_does_not_exist(sim, run, sample):
    """A dry run cannot tell it from a module that is not set; the run fails and says so; absent is done already."""
    sim.configure(edges=["edgtcp_0"])
    dry = run(sample.module, sample.options(sample.a), check=True)
    assert (dry.failed, dry.operation) == (False, "replace")
    result = run(sample.module, sample.options(sample.a))
    assert (result.failed, result.changed) == (True, False)
    route = " or no such route" if "route_id" in sample.ids else ""
    assert result.msg.startswith("PUT %s answered 404: no such edge or route" % sample.path)
    assert result.msg.endswith("There is no such edge%s: check the id" % route)
    gone = run(sample.module, sample.options(state="absent"))
    assert (gone.failed, gone.operation) == (False, "none")


def test_an_edge_that_exists(sim, run):
    sim.configure(edges=["edgtcp_1", "edghts_1/edghtsrt_1"])
    assert run("tcp_edge_backend", dict(TCP_IDS, backend_id="b")).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS)).changed
    assert run(REQUEST_HEADERS, dict(ROUTE_IDS, route_id="edghtsrt_2")).failed


@pytest.mark.parametrize("answer", ["404", "204"])
def test_a_removal_that_someone_else_did_first_is_done(sim, run, answer):
    sim.configure(delete_not_set=answer)
    sim.add_fault("replace_body", method="GET", body=dict(enabled=True, backend=dict(id="b", uri="u")))
    result = run("tcp_edge_backend", dict(TCP_IDS, state="absent"))
    assert (result.failed, result.operation, result.config) == (False, "delete", None)
    assert [record.status for record in sim.writes] == [int(answer)]
