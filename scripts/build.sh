#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Builds the collection's archive into dist/. It needs ansible-core and nothing
# else: the one in .venv, else the one on PATH, else one of its own, which it
# installs once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

own=.cache/build-venv
# What the person at the keyboard has set does not decide what is packed, and
# nothing is written outside of the checkout.
unset "${!ANSIBLE_@}"
export ANSIBLE_HOME=$PWD/.cache/ansible/build

galaxy=
# Each is run before it is believed: a version manager's shim can be on PATH for
# a program that is not there.
for one in .venv/bin/ansible-galaxy ansible-galaxy "$own/bin/ansible-galaxy"; do
    if "$one" --version >/dev/null 2>&1; then
        galaxy=$one
        break
    fi
done
if [[ -z $galaxy ]]; then
    echo "there is no ansible-core here: installing one into $own, once" >&2
    "${PYTHON:-python3}" -m venv --clear "$own"
    "$own/bin/python" -m pip install -qq --disable-pip-version-check ansible-core -c requirements/constraints.txt
    galaxy=$own/bin/ansible-galaxy
fi
exec "$galaxy" collection build --force --output-path dist "$@"
