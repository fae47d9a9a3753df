# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many random cases there are, and the table of what they covered.

C(--hypothesis-profile=thorough) is what `make test-properties` runs: many cases, others each time, with a seed that
is printed where one fails. Without it there are fewer, the same each time.
"""

from __future__ import annotations

import collections

import pytest
from hypothesis import HealthCheck, Phase, settings
from simulator import Simulator

_COMMON: dict = dict(deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True)
# Making a failing case small can take minutes: the thorough run does it.
_QUICK: dict = dict(derandomize=True, phases=[Phase.explicit, Phase.generate])
settings.register_profile("quick", max_examples=30, stateful_step_count=20, **_QUICK, **_COMMON)
settings.register_profile("thorough", max_examples=1000, stateful_step_count=30, **_COMMON)
settings.load_profile("quick")


@pytest.fixture(scope="module")
def service():
    """One simulator for all the cases of a module of tests; each case begins with its reset."""
    with Simulator() as simulator:
        yield simulator


@pytest.fixture(scope="module")
def tally(request):
    """Counts what the cases of a test covered; shown in a table at the end."""
    return collections.Counter()


@pytest.fixture
def counted(tally, record_property):
    tally.clear()
    yield tally
    record_property("cases", dict(tally))


def pytest_terminal_summary(terminalreporter):
    rows = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "cases" and report.when == "teardown":
                    rows[report.nodeid.split("::")[-1]] = value
    if not rows:
        return
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    terminalreporter.section("random cases")
    width = max(map(len, rows)) + 2
    terminalreporter.line("".ljust(width) + "".join(column.rjust(max(10, len(column) + 2)) for column in columns))
    for name, row in sorted(rows.items()):
        cells = (str(row.get(column, "")).rjust(max(10, len(column) + 2)) for column in columns)
        terminalreporter.line(name.ljust(width) + "".join(cells))
