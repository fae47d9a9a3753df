#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Prints the path of the Python to make virtual environments with: the newest
# that has a constraints file, or 3.14 where there is no other.
#
# Each candidate is run before it is believed: a version manager's shim can be
# on PATH for a Python that is not there, and some distributions ship a Python
# without what a virtual environment needs.
set -euo pipefail

# usable COMMAND VERSION: prints the real path where COMMAND is that Python.
usable() {
    "$1" - "$2" 2>/dev/null <<'PY'
import ensurepip, os, sys, venv
if "%d.%d" % sys.version_info[:2] != sys.argv[1]:
    sys.exit(1)
print(os.path.realpath(sys.executable))
PY
}

# find_version VERSION: the first usable Python of that version.
find_version() {
    local candidate
    for candidate in "python$1" "${EDGES_REAL_HOME:-$HOME}/.pyenv/versions/$1".*/bin/python python3; do
        usable "$candidate" "$1" && return 0
    done
    return 1
}

# Only these may be asked for by name; anything else has no tested set of tools.
for version in ${1:-3.13 3.12 3.11 3.14}; do
    find_version "$version" && exit 0
done
echo "find_python.sh: no usable Python ${1:-3.11 to 3.14} (with venv and ensurepip) found" >&2
exit 1
