# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors: what they say, what the failed task returns beside that, and how their texts are changed."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils._errors import (
    ApiError,
    EdgeError,
    InputError,
    NotTriedError,
    error_data,
)

NOTHING = dict(method=None, path=None, status=None, code=None, operation_id=None)
FULL = dict(method="PUT", path="/x", status=400, code="C", operation_id="O")


def full(**more):
    return ApiError("no", "PUT", "/x", 400, "C", "O", **more)


@pytest.mark.parametrize("kind", [EdgeError, NotTriedError])
def test_an_error_of_ours(kind):
    error = kind("it failed", changed=True, results=[1])
    assert str(error) == "it failed"
    assert error.result == dict(changed=True, results=[1])
    assert error.data == dict(NOTHING, msg="it failed")
    assert kind("it failed").result == {}


def test_faults_of_the_input():
    error = InputError(one for one in ("a is wrong", "b is wrong"))
    assert error.faults == ["a is wrong", "b is wrong"]
    assert str(error) == "a is wrong; b is wrong"
    assert (error.result, error.data) == ({}, dict(NOTHING, msg="a is wrong; b is wrong"))


def test_an_error_of_the_service():
    error = full()
    assert error.data == dict(FULL, msg="no")
    assert (str(error), error.method, error.path, error.status) == ("no", "PUT", "/x", 400)
    assert (error.code, error.operation_id) == ("C", "O")
    assert error.result == dict(changed=False)
    assert error.fatal is False
    assert full(written=True).result == dict(changed=True)
    assert full(fatal=True).fatal is True


def test_a_request_without_an_answer():
    error = ApiError("no answer", "GET", "/y")
    assert error.data == dict(NOTHING, msg="no answer", method="GET", path="/y")
    assert (error.result, error.fatal) == (dict(changed=False), False)


def test_texts_are_rewritten():
    error = EdgeError("a secret", changed=True)
    error.rewrite(lambda text: text.replace("secret", "***"))
    assert (str(error), error.data["msg"], error.result) == ("a ***", "a ***", dict(changed=True))
    error = full()
    error.rewrite(lambda text: "<%s>" % text)
    assert error.data == dict(FULL, msg="<no>", code="<C>", operation_id="<O>")
    error = ApiError("no answer", "GET", "/y")
    error.rewrite(lambda text: "<%s>" % text)
    assert error.data == dict(NOTHING, msg="<no answer>", method="GET", path="/y")


def test_a_message_is_extended():
    error = full()
    assert error.extend(". Try again") is error
    assert str(error) == "no. Try again"
    assert error.data == dict(FULL, msg="no. Try again")


def test_the_data_has_the_same_keys_whatever_went_wrong():
    assert error_data("x") == dict(NOTHING, msg="x")
    assert error_data("x", "PUT", "/x", 400, "C", "O") == dict(FULL, msg="x")
