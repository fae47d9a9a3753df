# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The controller's side of the role: names one letter away, and how much a step looks at the other hosts."""

from __future__ import annotations

from unittest import mock

import pytest
from ansible_collections.edgeops.edges.plugins.plugin_utils import _provision, _provision_play

NAME = "provision_report"


@pytest.mark.parametrize("place", range(len(NAME)))
def test_every_single_slip_is_one_letter_away(place):
    assert _provision._one_letter_away(NAME[:place] + NAME[place + 1 :], NAME)
    assert _provision._one_letter_away(NAME[:place] + "x" + NAME[place:], NAME)
    assert _provision._one_letter_away(NAME[:place] + "x" + NAME[place + 1 :], NAME)
    swapped = NAME[:place] + NAME[place + 1 : place + 2] + NAME[place] + NAME[place + 2 :]
    assert swapped == NAME or _provision._one_letter_away(swapped, NAME)
    # The whole way: each is told, wherever the slip is.
    for wrong in {NAME[:place] + NAME[place + 1 :], NAME[:place] + "x" + NAME[place + 1 :]} - _provision.VARIABLES:
        assert any(NAME in text for text in _provision._mistyped([wrong])), wrong


@pytest.mark.parametrize("name", [NAME, "provision_reports_", "provision_rxpxrt", "report", "", "provision_shop"])
def test_what_is_further_away_is_nobodys_slip(name):
    assert not _provision._one_letter_away(name, NAME)


def test_no_variable_of_the_role_is_taken_for_a_slip():
    assert list(_provision._mistyped(sorted(_provision.VARIABLES | _provision._OWN))) == []


class Hosts:
    """Stands for hostvars: counts how often a host's variables are put together."""

    def __init__(self, variables):
        self.variables = variables
        self.asked = []

    def raw_get(self, host):
        self.asked.append(host)
        return self.variables[host]


def _plays(count, taking_part, once, failed=(), drift_fail=False):
    """What each host of a play sees once all have been reconciled."""
    hosts = ["h%03d" % number for number in range(count)]
    control = dict(controlled=False, dry_run=True, verify="", rollback=False, backup="", plan="", part="", limits=[])
    control.update(patterns=None, only=None, faults=[])
    registered = {}
    for host in hosts:
        registered[host] = dict(provision_begun=dict(skipped=True))
        if host in taking_part:
            counts = dict(total=1, changed=1, removed=0, unchanged=0, failed=int(host in failed))
            registered[host] = dict(
                provision_begun=dict(
                    host=host,
                    turn="t",
                    batch="h000",
                    drift=True,
                    once=once,
                    entries=1,
                    address="",
                    owners={"x" + host: {}},
                    reports=[],
                    faults=[],
                    control=control,
                ),
                provision_outcome=dict(summary=counts, results=[], dry_run=True, msg="1 changed"),
            )
    seen = Hosts(registered)
    for host in taking_part:
        variables = dict(
            registered[host],
            hostvars=seen,
            ansible_play_hosts_all=hosts,
            ansible_play_hosts=hosts,
            ansible_play_batch=hosts,
            inventory_hostname=host,
            drift_fail=drift_fail,
        )
        yield _provision_play.Play(
            host=host, task="t", linear=True, strategy="linear", check_mode=True, variables=variables,
            template=lambda value: value,
        )  # fmt: skip


def test_a_step_for_all_looks_at_each_host_once():
    hosts = ["h%03d" % number for number in range(50)]
    play = next(_plays(50, hosts, True))
    assert play.leads
    result = _provision.report(play)
    assert result["ansible_stats"]["data"]["drift_changed"] == 50
    asked = play.variables["hostvars"].asked
    assert sorted(asked) == hosts[1:]


@pytest.mark.parametrize("first", [0, 20])
def test_the_steps_of_each_host_do_not_look_at_all_others(first):
    """Also where `when` is false on the first hosts, so that Ansible gives the steps for one host to each."""
    hosts = ["h%03d" % number for number in range(50)]
    plays = list(_plays(50, hosts[first:], first == 0, failed=hosts, drift_fail=True))
    leader = plays[0]
    verdict = _provision.report(leader)["ansible_facts"]["provision_verdict"]
    leads = []
    for play in plays:
        seen = play.variables["hostvars"]
        seen.variables[leader.host]["ansible_facts"] = dict(provision_verdict=verdict)
        if first == 0:
            play.variables["ansible_facts"] = dict(provision_verdict=verdict)
        seen.asked.clear()
        leads += [play.leads]
        _provision.check(play)
        assert leads[-1] or len(seen.asked) <= 1
        if play is not leader:
            result = _provision.finish(play)
            assert result["failed"]
            assert len(seen.asked) <= first + 2
    assert leads == [True] + [False] * (len(plays) - 1)


def test_what_two_hosts_name_is_told_once_for_the_two():
    owners = {"tcp_edges e%d" % n: dict(modules=["tcp_edge_backend"], whole=False) for n in range(2)}
    begun = {host: dict(address="x", owners=owners) for host in "ab"}
    (told,) = _provision._conflicts(begun)
    named = ", ".join("tcp_edge_backend of tcp_edges e%d" % n for n in range(2))
    assert told == "the hosts a and b both name %s: leave it to one of them" % named
    begun["b"] = dict(address="another", owners=owners)
    assert list(_provision._conflicts(begun)) == []


def test_what_is_wrong_on_several_hosts_is_told_once_with_their_names():
    control = dict(faults=["x is wrong"], backup="", plan="", verify="", patterns=None)
    begun = {host: dict(address="", reports=[], control=control) for host in "abc"}
    play = mock.Mock(all_hosts=list(begun))
    assert list(_provision.change.check_faults(play, begun)) == ["a, b, c: x is wrong"]
    assert list(_provision.change.check_faults(play, {"a": begun["a"]})) == ["x is wrong"]
