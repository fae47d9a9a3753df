#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Builds the documentation site into .cache/docs/build/html. Runs inside the
# environment that scripts/run.sh sets up.
set -euo pipefail
cd "$EDGES_ROOT"

site=$EDGES_CACHE/docs
PATH=$EDGES_CACHE/docs-venv/bin:$PATH

rm -rf "$site"
mkdir -m 700 "$site"
antsibull-docs sphinx-init --use-current --lenient --dest-dir "$site" edgeops.edges
cd "$site"
./build.sh
echo "open $site/build/html/index.html"
