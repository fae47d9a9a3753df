# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draws how many times faster than a loop over uri each way is. Arguments: the results, and the file to write."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same results give the same file; text stays text.
matplotlib.rcParams.update({"svg.hashsalt": "edgeops.edges", "svg.fonttype": "none", "font.size": 9})

from matplotlib import pyplot as plt  # noqa: E402

# What is drawn: a name, the median that it is, and the edge modules that this median is about.
WAYS = (
    ("a loop over ansible.builtin.uri, GET", "uri item at 50 ms", 1),
    ("tasks as modules, in processes of their own", "module task at 50 ms", 1),
    ("a loop, in the worker, that reads", "item that reads at 50 ms", 1),
    ("edge_modules, 1,000 written", "1000 written", 1000),
    ("edge_modules, 1,000 read", "1000 read", 1000),
    ("edge_modules, 5,000 read", "5000 read", 5000),
)


def main(results: Path, target: Path) -> None:
    medians = json.loads(results.read_text(encoding="utf-8"))["medians"]
    figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
    names = [name for name, dummy, dummy in WAYS]
    seconds = [medians[key] / count for dummy, key, count in WAYS]
    times = [seconds[0] / each for each in seconds]
    colours = ["#8a8f98" if "ansible.builtin" in name else "#2f6fb3" for name in names]
    bars = axes.barh(names, times, color=colours)
    axes.bar_label(bars, ["%.0f×" % each if each >= 2 else "%.2f×" % each for each in times], padding=3)
    axes.set_xscale("log")
    axes.set_xlim(0.5, max(times) * 4)
    axes.set_title("the service takes 50 ms; edge_modules keeps 32 requests in flight")
    axes.spines[["top", "right"]].set_visible(False)
    axes.invert_yaxis()
    figure.supxlabel("times faster, per edge module, than a loop over uri", fontsize=9)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
