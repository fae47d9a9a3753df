# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make the pictures of README and guides anew, in docs/images: a dry run in a terminal, and the report.

What they show is real: the README's playbook and the demo's variables run against the simulator, and a browser draws
the outcome, once in light and once in dark colours. It needs chromium-headless-shell.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

from harness import documents, plain_environment  # noqa: E402
from simulator import Simulator  # noqa: E402

# README and guides are read over slow lines too.
LARGEST = 100_000
SCHEMES = {"dark": 0, "light": 1}
TERMINAL = """\
<!DOCTYPE html><html><head><meta charset="utf-8"><style>
:root { --page: #ffffff; --text: #1f2328; --frame: #d0d7de; --green: #1a7f37; --red: #cf222e; --yellow: #8a5a00;
        --cyan: #0b6e7c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --text: #e6edf3; --frame: #30363d; --green: #56d364; --red: #ff7b72; --yellow: #e3b341;
          --cyan: #76e3ea; }
}
body { margin: 0; background: var(--page); color: var(--text); }
pre { margin: 0; padding: 16px 20px; border: 1px solid var(--frame); border-radius: 6px; height: calc(100vh - 34px);
      font: 13px/1.45 "DejaVu Sans Mono", monospace; overflow: hidden; }
</style></head><body><pre>%s</pre></body></html>
"""
COLOURS = {"31": "red", "32": "green", "33": "yellow", "36": "cyan"}


def run(*command: str, cwd: Path, sim: Simulator) -> str:
    env = plain_environment(EDGE_API_BASE_URL=sim.base_url, EDGE_API_KEY=sim.api_key, COLUMNS="90")
    env = {name: value for name, value in env.items() if not name.endswith(("NO_COLOR", "NOCOLOR"))}
    env["ANSIBLE_FORCE_COLOR"] = "1"
    return subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout


def coloured(text: str) -> str:
    """The output of a terminal as HTML."""
    found, inside = [], False
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not code:
            found.append(html.escape(part))
            continue
        found.append("</span>" if inside else "")
        colour = COLOURS.get(code.group(1).rpartition(";")[2])
        inside = colour is not None
        found.append('<span style="color: var(--%s)">' % colour if inside else "")
    return "".join(found) + ("</span>" if inside else "")


def draw(page: Path, name: str, width: int, height: int) -> None:
    browser = shutil.which("chromium-headless-shell")
    if not browser:
        raise SystemExit("there is no chromium-headless-shell here")
    for scheme, number in SCHEMES.items():
        picture = IMAGES / f"{name}-{scheme}.png"
        options = ["--no-sandbox", "--hide-scrollbars", f"--blink-settings=preferredColorScheme={number}"]
        options += [f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri()]
        subprocess.run([browser, *options], check=True, capture_output=True, timeout=120)
        size = picture.stat().st_size
        print(f"{picture.relative_to(ROOT)}: {size:,} bytes")
        if size > LARGEST:
            raise SystemExit(f"{picture.name} is larger than {LARGEST:,} bytes: choose a smaller window")


def dry_run(folder: Path, sim: Simulator) -> None:
    """The README's playbook, where the service holds an older version of TLS."""
    sim.put("/edges/tls/edgtls_2a/tls_termination", {"terminate_at": "edge", "min_version": "1.2"})
    (folder / "play.yml").write_text(documents.read(documents.README).files["play.yml"], encoding="utf-8")
    command = ("ansible-playbook", "play.yml", "--check", "--diff")
    printed = run(*command, cwd=folder, sim=sim)
    text = "$ %s\n%s" % (" ".join(command), printed.rstrip())
    (folder / "terminal.html").write_text(TERMINAL % coloured(text), encoding="utf-8")
    draw(folder / "terminal.html", "dry-run", 940, 34 + round(13 * 1.45 * (text.count("\n") + 1)))


def report(folder: Path, sim: Simulator) -> None:
    """What the demo's second variables would change."""
    first = ("-e", f"@{ROOT}/examples/variables.yml")
    run("ansible-playbook", "edgeops.edges.provision", *first, cwd=folder, sim=sim)
    second = ("-e", f"@{ROOT}/examples/edges_changed.yml", "-e", "provision_report=report.html")
    # The address of the simulator is another one each time.
    run("ansible-playbook", "edgeops.edges.drift", *first, *second, cwd=folder, sim=sim)
    page = folder / "report.html"
    text = page.read_text(encoding="utf-8").replace(sim.base_url, "https://api.example.com")
    page.write_text(text, encoding="utf-8")
    draw(page, "report", 900, 1060)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for make in (dry_run, report):
        with tempfile.TemporaryDirectory() as folder, Simulator() as sim:
            make(Path(folder), sim)


if __name__ == "__main__":
    main()
