#!/usr/bin/env bash
# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Runs every linter, goes on after one that finds something, and fails at the
# end if any did. Runs inside the environment that scripts/run.sh sets up.
set -euo pipefail
cd "$EDGES_ROOT"

# What git tracks or would track, so that no tool reads .venv or .cache.
files() {
    git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
        if [[ -f $file ]]; then echo "$file"; fi
    done
}

failed=()
check() {
    echo "== $*"
    "$@" || failed+=("$*")
}

mapfile -t shell_files < <(files '*.sh' .ci/run)

check ruff check .
check mypy -p ansible_collections.edgeops.edges.plugins
check yamllint --strict .
check shellcheck --external-sources "${shell_files[@]}"
check ansible-lint --offline --profile production
check antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs self \
    --check-extra-docs-refs "$EDGES_CACHE/collections/ansible_collections/edgeops/edges"
check antsibull-changelog lint
check reuse lint --lines
check python scripts/update_docs.py --check

if ((${#failed[@]})); then
    echo "== findings by:" >&2
    printf '%s\n' "${failed[@]}" >&2
    exit 1
fi
