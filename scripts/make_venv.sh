#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# make_venv.sh PYTHON DIRECTORY REQUIREMENTS: a fresh virtual environment, with
# every package pinned where there is a constraints file for that Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$1 venv=$2 requirements=$3
# find_python.sh found none, and said so.
[[ -n $python ]] || exit 1
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
constraints=requirements/constraints-$version.txt
pinned=()
if [[ -f $constraints ]]; then
    pinned=(--constraint "$constraints")
else
    echo "no $constraints: only what $requirements names is pinned" >&2
fi

echo "making $venv with Python $version, once; this takes a minute or so"
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install -qq --disable-pip-version-check \
    --requirement "$requirements" ${pinned[@]+"${pinned[@]}"}
# Says what does not fit together, and nothing where all does.
conflicts=$("$venv/bin/python" -m pip check --disable-pip-version-check) || {
    echo "$conflicts" >&2
    exit 1
}
