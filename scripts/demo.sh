#!/usr/bin/env bash
# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Shows the collection at work: starts the simulator of the service on a free
# port, runs examples/edges.yml and the collection's own playbooks against it,
# and checks each time what Ansible reported and what the service received.
# Stops at the first deviation with exit code 1, and leaves the drift report
# behind. `make demo` makes .venv first, then runs this.
set -euo pipefail

# shellcheck source=scripts/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
cd "$EDGES_ROOT"

if [[ ! -x $VIRTUAL_ENV/bin/ansible-playbook ]]; then
    echo "demo.sh: there is no .venv yet: run \`make demo\` instead" >&2
    exit 1
fi
if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then
    unset ANSIBLE_NOCOLOR NO_COLOR
    export ANSIBLE_FORCE_COLOR=1
fi

mkdir -p "$EDGES_CACHE"
work=$(mktemp -d "${TMPDIR:-$EDGES_CACHE}/edges-demo.XXXXXX")
requests=$work/requests.log # one line of JSON for each request the service received
seen=0                      # how many of them earlier steps have accounted for

# Whatever happens, the simulator does not outlive this script.
clean_up() {
    local pid
    if pid=$(cat "$work/pid" 2>/dev/null); then
        kill "$pid" 2>/dev/null || true
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    printf '\ndemo: FAILED: %s\n' "$*" >&2
    exit 1
}

heading() {
    printf '\n=== %s\n\n' "$*"
}

# play CHANGED METHODS PLAYBOOK ARGUMENT...: runs a playbook, which has to report
# so many changes, no warning, and send just these requests.
play() {
    local changed=$1 methods=$2 received
    shift 2
    set -- ansible-playbook "$@"
    echo "\$ $*"
    "$@" 2>&1 | tee "$work/coloured" || fail "ansible-playbook ended with an error"
    # Without colours, for the checks. All output is kept for the last one.
    sed $'s/\e\\[[0-9;]*m//g' "$work/coloured" >"$work/output"
    cat "$work/output" >>"$work/all_output"

    received=$(tail -n +$((seen + 1)) "$requests" | sed 's/^{"method": "\([A-Z]*\)".*/\1/' |
        sort | uniq -c | awk '{ printf "%s%s %s", separator, $1, $2; separator = ", " }')
    seen=$(wc -l <"$requests")

    if grep -q 'WARNING\|DEPRECAT' "$work/output"; then
        fail "a warning was printed"
    fi
    grep -Eq " changed=$changed +unreachable=0 +failed=0 " "$work/output" ||
        fail "expected changed=$changed, Ansible reported $(grep -o 'changed=[0-9]*' "$work/output")"
    [[ $received == "$methods" ]] || fail "expected the requests $methods, the service received $received"
    echo "--> changed=$changed; the service received $received"
}

# ask_simulator PATH [JSON]: its state, or an order to it.
ask_simulator() {
    python -c '
import sys, urllib.request
body = sys.argv[2].encode() if len(sys.argv) > 2 else None
request = urllib.request.Request(sys.argv[1], body, {"Content-Type": "application/json"})
print(urllib.request.urlopen(request, timeout=10).read().decode())
' "$EDGE_API_BASE_URL/_simulator/$1" "${@:2}"
}

heading "A simulated service starts on this machine"
PYTHONPATH=tests python -m simulator --background --pid-file "$work/pid" --url-file "$work/url" \
    --log-file "$requests" --api-key "${EDGE_API_KEY:=demo-key-0123456789}" >/dev/null || fail "the simulator did not start"
EDGE_API_BASE_URL=$(<"$work/url")
export EDGE_API_KEY EDGE_API_BASE_URL
echo "EDGE_API_BASE_URL=$EDGE_API_BASE_URL"
echo "EDGE_API_KEY=(a key made up for this demo)"
# For the test of this script: a fault of the simulator's to begin with.
if [[ -n ${DEMO_FAULT:-} ]]; then
    ask_simulator faults "$DEMO_FAULT" >/dev/null
fi

heading "1. Apply: five edge modules get their configuration"
play 5 "5 GET, 5 PUT" examples/edges.yml

heading "2. Apply again: nothing differs, so nothing is written"
play 0 "5 GET" examples/edges.yml

heading "3. Dry run of three changes: the diff is shown, nothing is written"
play 3 "5 GET" examples/edges.yml -e @examples/edges_changed.yml --check --diff
for line in '-  "min_version": "1.2"' '+  "min_version": "1.3"' '-  *"req.url.path == .*GET' '+  *"req.url.path == ' \
    '-  *"status_code": 403' '+  *"status_code": 404' '+  *"X-Upstream-Token": ".*(changed)"'; do
    grep -q -- "^$line" "$work/output" || fail "the diff does not show $line"
done

heading "4. Remove: every configuration is deleted"
play 5 "5 DELETE, 5 GET" examples/edges.yml -e edges_state=absent
ask_simulator state >"$work/state"
python - "$work/state" <<'PY' || fail "something is left on the service, or a request broke its contract"
import json, sys
state = json.load(open(sys.argv[1]))
sys.exit(state["resources"] != {} or state["refusals"] != [])
PY
echo "--> nothing is left"

heading "5. Provision: one task sets all five from variables, side by side"
play 1 "5 GET, 5 PUT" edgeops.edges.provision -e @examples/variables.yml

heading "6. Drift: what other variables would change, as a report"
report=$EDGES_CACHE/drift.html
rm -f "$report"
play 1 "5 GET" edgeops.edges.drift -e @examples/variables.yml -e @examples/edges_changed.yml \
    -e provision_report="$report"
for line in '<b>0</b> failed' '<b>3</b> would change' '<b>2</b> unchanged' '&quot;: &quot;1.3&quot;' '(changed)'; do
    grep -qF -- "$line" "$report" || fail "the report does not show $line"
done
cat "$report" >>"$work/all_output"

for secret in an-example-token another-example-token "$EDGE_API_KEY"; do
    if grep -qF -- "$secret" "$work/all_output"; then
        fail "a secret was printed"
    fi
done

heading "Demo passed"
echo "Five edge modules were applied; a second run changed nothing; a dry run showed three changes and wrote"
echo "nothing; a removal left nothing behind; one task set them again, and a report says what would change."
echo "No secret was printed, though one was changed."
echo
echo "drift report written to $report"
