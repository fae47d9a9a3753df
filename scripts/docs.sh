#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Builds the documentation site into .cache/docs/build/html, offline; a warning
# is an error. Runs inside the environment that scripts/run.sh sets up.
set -euo pipefail
cd "$EDGES_ROOT"

site=$EDGES_CACHE/docs

rm -rf "$site"
mkdir -m 700 "$site"
# Written by it: the settings of antsibull-docs and Sphinx.
antsibull-docs sphinx-init --use-current --fail-on-error --squash-hierarchy --dest-dir "$site" \
    --project edgeops.edges --title edgeops.edges --copyright "the edgeops.edges authors" edgeops.edges >/dev/null

antsibull-docs --config-file "$site/antsibull-docs.cfg" collection --use-current --fail-on-error \
    --squash-hierarchy --cleanup everything --dest-dir "$site/rst" edgeops.edges >"$site/build.log" 2>&1 || {
    cat "$site/build.log" >&2
    exit 1
}
python scripts/docs_site.py "$site"
sphinx-build -M html "$site/rst" "$site/build" -c "$site" -W --keep-going --quiet
echo "open $site/build/html/index.html"
