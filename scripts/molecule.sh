#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Runs every Molecule scenario, one after the other; `molecule test --all` would
# stop at the first that fails. Arguments go to molecule test. Runs inside the
# environment that scripts/run.sh sets up.
set -euo pipefail
cd "$EDGES_ROOT"

failed=()
for scenario in extensions/molecule/*/molecule.yml; do
    name=$(basename "$(dirname "$scenario")")
    molecule test --scenario-name "$name" "$@" || failed+=("$name")
done

if ((${#failed[@]})); then
    echo "failed scenarios: ${failed[*]}" >&2
    exit 1
fi
