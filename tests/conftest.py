# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures of all tests. Nothing is mocked but the process: requests go to a simulator over real HTTP."""

from __future__ import annotations

import facts
import harness
import pytest
from simulator import Simulator


def pytest_configure(config):
    """Let Ansible find the collection where pytest-ansible is not there to do it: it wants a newer ansible-core."""
    if not config.pluginmanager.hasplugin("ansible"):
        harness._start_plugin_loader()
    for path in sorted((harness.ROOT / "plugins/module_utils/_descriptions").glob("[!_]*.py")):
        # Without its facts every test that goes over the edge modules would pass it by, and say nothing.
        try:
            facts.of(path.stem)
        except facts.NoFactsError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.fixture(scope="module")
def one_simulator():
    """The simulator of a file of tests; to start one costs more than most tests take."""
    with Simulator() as simulator:
        yield simulator


@pytest.fixture
def sim(one_simulator):
    """A simulator as just started; a request that breaks the contract fails the test that sent it."""
    one_simulator.reset()
    one_simulator.refusals_expected = False
    yield one_simulator
    one_simulator.clear_faults()
    assert one_simulator.refusals == [] or one_simulator.refusals_expected, one_simulator.refusals


@pytest.fixture(params=harness.WAYS)
def way(request):
    """Each of the two ways in which a module runs."""
    return request.param


@pytest.fixture
def run(sim, way):
    """run(name, options, check=, diff=, env=): a module against the simulator, in each of the two ways."""

    def runner(name, options=None, **more):
        return harness.run(way, name, {**harness.connection_options(sim), **(options or {})}, **more)

    return runner
