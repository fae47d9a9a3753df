#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ansible-test sanity on a copy of the checkout, since ansible-test works only
# below a directory named ansible_collections. Arguments go to ansible-test:
# scripts/sanity.sh --test validate-modules plugins/modules/edge_modules.py
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
cd "$EDGES_ROOT"

# Only what git tracks or would track. A file that was deleted but not yet
# committed is still in git's list.
copy=$EDGES_CACHE/sanity/ansible_collections/edgeops/edges
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -e $file || -L $file ]]; then printf '%s\0' "$file"; fi
done | tar --create --null --files-from=- | tar --extract --directory "$copy"
# Without a repository of its own, the copy would be a directory that the
# checkout's .gitignore names, and ansible-test would find nothing to test.
git init --quiet "$copy"

# ansible-test keeps the virtual environments of its tests below HOME, and runs
# pip there with hardly a variable of ours: pip's cache and settings are links.
link() {
    if [[ -e $1 && ! -e $2 ]]; then
        mkdir -p "$(dirname "$2")"
        ln -sfn "$1" "$2"
    fi
}
link "${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-$EDGES_REAL_HOME/.cache}/pip}" "$HOME/.cache/pip"
link "${XDG_CONFIG_HOME:-$EDGES_REAL_HOME/.config}/pip" "$HOME/.config/pip"
link "$EDGES_REAL_HOME/.pip" "$HOME/.pip"

# It would also download pip's installer from a host of its own, which not every
# build machine can reach. Python ships a pip, which does as well.
requirements=$(python -c 'import importlib.util as u; print(u.find_spec("ansible_test").submodule_search_locations[0])')
requirements+=/_internal/python_requirements.py
installers=$HOME/.ansible/test/cache
mkdir -p "$installers"
sed -n "s/^ *pip='\([0-9.]*\)',.*/\1/p" "$requirements" | while read -r pip_version; do
    printf 'import ensurepip\nensurepip.bootstrap(default_pip=True)\n' \
        >"$installers/get_pip_${pip_version//./_}.py"
done

version=$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
cd "$copy"
ansible-test sanity --local --requirements --python "$version" --color no "$@"
