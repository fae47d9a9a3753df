#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The environment of every check, test and demonstration. Source it:
#
#     . scripts/env.sh
#
# or put scripts/run.sh before a command. All that is written goes to .cache/.

EDGES_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
EDGES_CACHE=$EDGES_ROOT/.cache
export EDGES_ROOT EDGES_CACHE

# What the person at the keyboard has set must not decide a test's outcome:
# Ansible's own settings, credentials of the service, proxies, CA bundles.
unset "${!ANSIBLE_@}" "${!EDGE_API_@}" "${!EDGEOPS_@}" "${!MOLECULE_@}"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
unset REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NETRC PYTHONPATH PYTHONHOME

# The first file in a home directory that matters is .netrc, which requests
# reads, then .ansible.cfg. Neither is found in this one.
EDGES_REAL_HOME=${EDGES_REAL_HOME:-$HOME}
HOME=$EDGES_CACHE/home
export EDGES_REAL_HOME HOME

# Ansible finds the collection where it stands, through a link: an edit counts
# at once, and nothing is copied.
if [[ ! -e $EDGES_CACHE/collections/ansible_collections/edgeops/edges ]]; then
    mkdir -p "$EDGES_CACHE/collections/ansible_collections/edgeops"
    ln -sfn ../../../.. "$EDGES_CACHE/collections/ansible_collections/edgeops/edges"
fi
mkdir -p "$HOME"

# noxfile.py names another virtual environment for some of its sessions.
export VIRTUAL_ENV=${EDGES_VENV:-$EDGES_ROOT/.venv}
case :$PATH: in
    *":$VIRTUAL_ENV/bin:"*) ;;
    *) PATH=$VIRTUAL_ENV/bin:$PATH ;;
esac
export PATH

# An empty file, so that no ansible.cfg elsewhere is read.
: >"$EDGES_CACHE/ansible.cfg"
export ANSIBLE_CONFIG=$EDGES_CACHE/ansible.cfg
export ANSIBLE_HOME=$EDGES_CACHE/ansible/${VIRTUAL_ENV##*/}
export ANSIBLE_COLLECTIONS_PATH=$EDGES_CACHE/collections
# Ansible asks the password database for the home, whatever HOME says.
export ANSIBLE_REMOTE_TMP=$ANSIBLE_HOME/tmp
export ANSIBLE_ASYNC_DIR=$ANSIBLE_HOME/async
export ANSIBLE_LOCALHOST_WARNING=False
export ANSIBLE_INVENTORY_UNPARSED_WARNING=False
export ANSIBLE_NOCOLOR=1 NO_COLOR=1
export ANSIBLE_PYTHON_INTERPRETER=$VIRTUAL_ENV/bin/python
