# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run every check, two side by side, and end with one summary.

Each step is a session of noxfile.py. Its output goes to .cache/logs/; that of
a step that fails is printed as well. No failure stops the other steps.
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache" / "logs"

# The longest first, so that two lanes end at about the same time.
STEPS = ("integration", "units", "sanity", "test-oldest", "linters", "properties", "molecule")
PYTEST_STEPS = ("integration", "units", "test-oldest", "properties")
LANES = 2


@dataclass
class Outcome:
    step: str
    ok: bool
    seconds: float
    passed: int
    failed: int
    skipped: int


def count_tests(report):
    """Numbers of tests passed, failed and skipped, from a JUnit report."""
    try:
        suites = list(xml.etree.ElementTree.parse(report).getroot().iter("testsuite"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return 0, 0, 0

    def total(name):
        return sum(int(suite.get(name, "0")) for suite in suites)

    failed, skipped = total("failures") + total("errors"), total("skipped")
    return total("tests") - failed - skipped, failed, skipped


def run(step):
    log, report = LOGS / f"{step}.log", LOGS / f"{step}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "nox", "--session", step]
    if step == "linters":  # what they need is in .venv
        command.append("--no-install")
    if step in PYTEST_STEPS:
        command += ["--", f"--junitxml={report}", "-m", "not slow"]
    say(f"{step}: started")
    started = time.monotonic()
    with open(log, "wb") as output:
        code = subprocess.call(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    seconds = time.monotonic() - started

    # A step of pytest counts its tests, any other counts as one. A step that
    # failed without a failed test (it could not start, say) is one failure.
    passed, failed, skipped = count_tests(report) if step in PYTEST_STEPS else (int(code == 0), 0, 0)
    if code != 0 and failed == 0:
        failed = 1
    return Outcome(step, code == 0, seconds, passed, failed, skipped)


def say(text):
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def main():
    LOGS.mkdir(parents=True, exist_ok=True)
    print(f"Running {', '.join(STEPS)}; {LANES} at a time.\n", flush=True)
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        for future in concurrent.futures.as_completed([lanes.submit(run, step) for step in STEPS]):
            outcome = future.result()
            outcomes[outcome.step] = outcome
            log = LOGS / f"{outcome.step}.log"
            verdict = "ok" if outcome.ok else "FAILED"
            say(f"{outcome.step}: {verdict} after {outcome.seconds:.0f} seconds, output in {log.relative_to(ROOT)}")
            if not outcome.ok:
                print(f"\n==== {outcome.step} " + "=" * (74 - len(outcome.step)), flush=True)
                sys.stdout.buffer.write(log.read_bytes())
                print(f"==== end of {outcome.step} " + "=" * (67 - len(outcome.step)) + "\n", flush=True)

    print(f"\n==== summary {'=' * 67}\n")
    print(f"{'step':<14}{'result':<10}{'seconds':>8}{'passed':>9}{'failed':>9}{'skipped':>9}")
    for outcome in (outcomes[step] for step in STEPS):
        print(
            f"{outcome.step:<14}{'ok' if outcome.ok else 'FAILED':<10}{outcome.seconds:>8.0f}"
            f"{outcome.passed:>9}{outcome.failed:>9}{outcome.skipped:>9}"
        )
    passed, failed, skipped = (sum(getattr(o, n) for o in outcomes.values()) for n in ("passed", "failed", "skipped"))
    line = f"{passed} passed, {failed} failed"
    print(f"\n{line}, {skipped} skipped" if skipped else f"\n{line}")
    return 0 if all(outcome.ok for outcome in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
