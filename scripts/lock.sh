#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Writes requirements/constraints-3.X.txt for every supported Python found here:
# all that the requirements files bring in, as installed into a fresh virtual
# environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for version in 3.11 3.12 3.13; do
    constraints=requirements/constraints-$version.txt
    if ! python=$(scripts/find_python.sh "$version"); then
        echo "left as it is: $constraints" >&2
        continue
    fi
    venv=.cache/lock/$version
    rm -f "$constraints"
    scripts/make_venv.sh "$python" "$venv" requirements/docs.txt
    {
        echo "# Written by \`make lock\`: what requirements/*.txt bring in on Python $version."
        "$venv/bin/python" -m pip freeze --disable-pip-version-check
    } >"$constraints"
    rm -rf "$venv"
done
