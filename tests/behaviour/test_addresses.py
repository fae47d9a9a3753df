# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which service a task talks to: its address, the version, and no session of another."""

from __future__ import annotations

import harness
import pytest
from harness.samples import (
    TCP_IDS,
)
from simulator import Simulator

REQUEST_HEADERS = "https_edge_route_request_headers"


@pytest.mark.parametrize("by", ["option", "environment"])
def test_another_version_and_another_name_of_its_header(sim, run, by):
    sim.configure(api_version="2026-01", version_header="X-Brand-Version")
    options, env = dict(api_version="2026-01", version_header="X-Brand-Version"), {}
    if by == "environment":
        options, env = {}, {"EDGE_API_VERSION": "2026-01", "EDGE_API_VERSION_HEADER": "X-Brand-Version"}
    assert run("tcp_edge_backend", dict(TCP_IDS, backend_id="b", **options), env=env).changed
    for record in sim.log:
        assert record.headers["X-Brand-Version"] == "2026-01"
        assert "Service-Version" not in record.headers


@pytest.mark.parametrize("slashes", ["", "/", "//"])
@pytest.mark.parametrize("path", ["", "/api/v9"])
def test_a_base_url_with_a_path_and_with_slashes_at_its_end(sim, run, path, slashes):
    sim.configure(base_path=path)
    options = dict(TCP_IDS, backend_id="bkdtg_1", base_url=sim.root_url + path + slashes)
    dry, real = run("tcp_edge_backend", options, check=True), run("tcp_edge_backend", options)
    assert [record.status for record in sim.log] == [404, 404, 200]
    assert dry.config == real.config
    assert real.config["backend"]["uri"] == sim.root_url + path + "/backends/tunnel_group/bkdtg_1"


def test_two_services_at_once_do_not_share_a_session(sim, way):
    """A kept-alive connection belongs to one address."""
    with Simulator() as other:
        for each in (sim, other):
            options = harness.connection_options(each, backend_id="b", **TCP_IDS)
            assert harness.run(way, "tcp_edge_backend", options).changed
