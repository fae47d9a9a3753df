# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rule of text that is secret as a whole."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _plan
from ansible_collections.edgeops.edges.plugins.module_utils._description import HTTPS, Description, Field
from ansible_collections.edgeops.edges.plugins.module_utils._jobs import Job, make_job
from ansible_collections.edgeops.edges.plugins.module_utils._rules.basic import MaskedError, WrongTypeError
from ansible_collections.edgeops.edges.plugins.module_utils._rules.secret import Secret
from ansible_collections.edgeops.edges.plugins.module_utils._secrets import CHANGED_MASK, MASK, SecretNames

RULE = Secret()
NAMES = SecretNames()
DESCRIPTION = Description(
    "made_up", "up", HTTPS, "/{edge_id}/{route_id}", (Field("word", RULE, dict(type="str"), answered_as="said"),)
)


@pytest.mark.parametrize(
    "option, found",
    [
        ("a b\n\u20ac", []),
        (MASK, []),
        (" ", ["x must not be blank"]),
        (CHANGED_MASK, ["x is the mark of a diff, not a value: to keep the service's value, give " + MASK]),
        ("a" + MASK, ["x contains a mask within other text: to keep the service's value, give the mask alone"]),
    ],
)
def test_faults(option, found):
    assert list(RULE.faults(option, "x")) == found


def test_the_mask_keeps_what_the_service_holds():
    assert RULE.keep("new", "old", "x") == "new"
    assert RULE.keep(MASK, "old", "x") == "old"
    with pytest.raises(MaskedError, match="x is the mask that keeps a value, but the service holds none for it"):
        RULE.keep(MASK, None, "x")


def test_what_is_read():
    assert (RULE.read("a"), RULE.read(None)) == ("a", None)
    with pytest.raises(WrongTypeError):
        RULE.read(1)


def test_it_is_masked_in_whatever_form():
    assert (RULE.mask("a", NAMES), RULE.mask(None, NAMES)) == (MASK, None)
    assert (RULE.mask_answer("a", NAMES), RULE.mask_answer(["a"], NAMES)) == (MASK, MASK)
    assert (RULE.mask_option("a", NAMES), RULE.mask_option(["a"], NAMES)) == (MASK, MASK)
    assert (RULE.secret_values("a", NAMES), RULE.secret_values(None, NAMES)) == ({"a"}, set())


@pytest.mark.parametrize(
    "before, after, shown",
    [
        ("a", "b", (MASK, CHANGED_MASK)),
        ("a", "a", (MASK, MASK)),
        (None, "a", (None, MASK)),
        ("a", None, (MASK, None)),
    ],
)
def test_a_diff_shows_that_it_changes(before, after, shown):
    assert RULE.mask_diff(before, after, NAMES) == shown
    held, wanted = (None if one is None else {"enabled": True, "word": one} for one in (before, after))
    sides = _plan.make_plan(DESCRIPTION, wanted, held).shown(NAMES)
    assert tuple(side and side["word"] for side in sides) == shown


def test_no_message_quotes_it():
    job: Job = make_job(DESCRIPTION, "edghts_1", "edghtsrt_1", {"word": "s3cr3t-w0rd"})
    assert "s3cr3t" not in job.hide('the word "s3cr3t-w0rd" is known already')
