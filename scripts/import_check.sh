#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Runs galaxy-importer, which Galaxy runs on what is uploaded, on the archive in
# dist/; a warning counts as an error. Runs inside the environment that
# scripts/run.sh sets up.
set -euo pipefail

venv=$EDGES_CACHE/import-venv
work=$EDGES_CACHE/import
rm -rf "$work"
mkdir -p "$work"
version=$(sed -n 's/^version: *//p' "$EDGES_ROOT/galaxy.yml")

cd "$work" # it writes its result here
PATH=$venv/bin:$PATH ANSIBLE_COLLECTIONS_PATH=$work "$venv/bin/python" -m galaxy_importer.main \
    "$EDGES_ROOT/dist/edgeops-edges-$version.tar.gz" 2>&1 | tee output
if grep -E 'WARNING|ERROR' output; then
    echo "import_check.sh: findings, see above" >&2
    exit 1
fi
