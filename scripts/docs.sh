#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Builds the documentation site into .cache/docs/build/html, offline; a warning
# is an error. Runs inside the environment that scripts/run.sh sets up.
set -euo pipefail
cd "$EDGES_ROOT"

site=$EDGES_CACHE/docs
PATH=$EDGES_CACHE/docs-venv/bin:$PATH

rm -rf "$site"
mkdir -m 700 "$site"
antsibull-docs sphinx-init --use-current --fail-on-error --squash-hierarchy --dest-dir "$site" \
    --project edgeops.edges --title edgeops.edges --copyright "the edgeops.edges authors" edgeops.edges >/dev/null

# The pages refer to a few places in Ansible's own documentation. Sphinx would
# fetch the list of all its places; the ones in use are kept in this repository.
python - "$site" docs/docsite/ansible.labels <<'PY'
import sys, zlib
site, labels = sys.argv[1:]
header = "# Sphinx inventory version 2\n# Project: Ansible\n# Version: devel\n"
header += "# The remainder of this file is compressed using zlib.\n"
with open(labels, "rb") as source, open(site + "/ansible.inv", "wb") as target:
    target.write(header.encode() + zlib.compress(source.read()))
with open(site + "/conf.py", "a") as conf:
    url = "https://docs.ansible.com/projects/ansible/devel/"
    conf.write("\nintersphinx_mapping = {'ansible_devel': (%r, %r)}\n" % (url, site + "/ansible.inv"))
PY
sed -i 's/^sphinx-build -M html rst build -c \.$/sphinx-build -M html rst build -c . -W --keep-going --quiet/' "$site/build.sh"
"$site/build.sh" >"$site/build.log" 2>&1 || { cat "$site/build.log" >&2; exit 1; }
grep -q -- '-W --keep-going' "$site/build.sh"
echo "open $site/build/html/index.html"
