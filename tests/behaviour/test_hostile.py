# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Arbitrary JSON and text as every option and as every answer: a clean result or a clean error, never anything else."""

from __future__ import annotations

import json
import os

import harness
import pytest
from harness.samples import SAMPLES, sample_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulator import Simulator

NAMES = sorted({sample.module for sample in SAMPLES})
# The same examples every time, so that a failure is one of the code; more of them, and others, on demand:
# EDGES_HOSTILE_EXAMPLES=20000 make units ARGS="-k hostile"
EXAMPLES = int(os.environ.get("EDGES_HOSTILE_EXAMPLES", "0"))
PROFILE = settings(
    max_examples=EXAMPLES or 200,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

SPECIAL = [
    "",
    " ",
    "\n",
    "null",
    "true",
    "yes",
    "0",
    "1.10",
    "-1",
    "1e999",
    "NaN",
    "{}",
    "[]",
    "[[[[",
    '{"inbound": [{"actions": [{"type": null}]}]}',
    "{'a': None}",
    "a=b, c=d",
    "a,b,,c",
    "..",
    "../..",
    "%2e%2e%2f",
    "~",
    "$HOME",
    "${",
    "{{ 7 * 7 }}",
    "{% raw",
    "%s%d%(x)s{0}{edge_id}",
    "edgtcp_1",
    "edgtls_1",
    "present",
    "absent",
    "edge",
    "upstream",
    "1.2",
    "http://",
    "http://[",
    "http://127.0.0.1:1/%zz",
    "Authorization",
    "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER",
    "__omit_place_holder__1",
    "\0",
    "\x1b[31m",
    "\u202e\ufeff\u2028\u0085",
    "\U0010ffff\U000e0001",
    "é",
    "x" * 3000,
    "٣",
    "ﬀİ",
]
TEXT = st.one_of(st.sampled_from(SPECIAL), st.text(st.characters(exclude_categories=["Cs"]), max_size=15))
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.sampled_from([2**64, -(10**400), 1e308])
)
KEY = st.one_of(
    TEXT,
    st.sampled_from(["id", "uri", "inbound", "outbound", "name", "expressions", "actions", "type", "config", "value"]),
    st.sampled_from(["Authorization", "X-A", "x-a", "error", "message", "code", "errors", "request_id"]),
)
JSON = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEY, inner, max_size=4)),
    max_leaves=8,
)
OPTIONS = [
    "edge_id",
    "route_id",
    "state",
    "enabled",
    "backend_id",
    "ip_policy_ids",
    "terminate_at",
    "min_version",
    "value",
    "policy",
    "add",
    "remove",
    "secret_headers",
    "api_key",
    "base_url",
    "api_version",
    "version_header",
    "validate_certs",
    "ca_path",
    "client_cert",
    "client_key",
    "use_proxy",
    "timeout",
    "retries",
    "retry_max_wait",
    "allow_plain_http",
]
WAY = st.sampled_from(harness.WAYS)
NAME = st.sampled_from(NAMES)


@pytest.fixture(scope="module")
def service():
    with Simulator() as simulator:
        yield simulator


def _finite(node):
    """Whether strict JSON can say it."""
    try:
        json.dumps(node, allow_nan=False)
    except ValueError:
        return False
    return True


def assert_clean(result, options, asked):
    data = dict(result.data)
    data.pop("invocation", None)  # shows what was given, and that was arbitrary
    text = json.dumps(data, ensure_ascii=False)
    text.encode("utf-8")
    assert _finite(data)
    assert "Traceback" not in text and "object at 0x" not in text
    if result.failed:
        assert isinstance(result.msg, str) and result.msg.strip()
        # What is shown is visible: no control character reaches a terminal, and the length is bounded.
        assert result.msg.isprintable() and len(result.msg) < 20_000
        if "error" in data:
            assert set(data["error"]) == {"msg", "method", "path", "status", "code", "operation_id"}
    else:
        assert data["operation"] in ("none", "replace", "delete")
        assert data["changed"] is (data["operation"] != "none")
        assert data["config"] is None or isinstance(data["config"], dict)
    kept = "is the mask that keeps a value" in result.data.get(
        "msg", ""
    )  # what there is to keep, only the service knows
    if asked is not None and result.failed and "error" not in data and not kept:
        assert asked == []  # refused before anything was sent


@PROFILE
@given(
    way=WAY,
    name=NAME,
    wild=st.dictionaries(st.one_of(st.sampled_from(OPTIONS), KEY), JSON, min_size=1, max_size=4),
    check=st.booleans(),
)
def test_arbitrary_options(service, way, name, wild, check):
    """Beside the options that are right, some that are not, among them ones that do not exist."""
    service.reset()
    sample = sample_of(name)
    options = {**harness.connection_options(service, retries=0, timeout=5), **sample.options(sample.a), **wild}
    options = {key: value for key, value in options.items() if not key.startswith("_ansible")}
    assert_clean(harness.run(way, name, options, check=check), options, service.log)


@PROFILE
@given(way=WAY, name=NAME, data=st.data())
def test_arbitrary_value_of_an_own_option(service, way, name, data):
    """The options that hold structure, one at a time: the others are right, so that it decides."""
    service.reset()
    sample = sample_of(name)
    options = {**harness.connection_options(service, retries=0), **sample.options(sample.a)}
    options[data.draw(st.sampled_from(sorted(sample.a)))] = data.draw(JSON)
    result = harness.run(way, name, options)
    assert_clean(result, options, service.log)
    if not result.failed:
        again = harness.run(way, name, options)
        assert not again.failed and not again.changed


FIELDS = ["enabled", "backend", "ip_policies", "terminate_at", "min_version", "value", "add", "remove"]
BODY = st.one_of(
    JSON.map(json.dumps),
    st.dictionaries(st.one_of(st.sampled_from(FIELDS), KEY), JSON, max_size=5).map(json.dumps),
    TEXT,
    st.sampled_from(['{"a":' * 3000, "[" * 60 + "]" * 60, '{"enabled": true, "add": {"\\ud800": "\\udfff"}}']),
    JSON.map(lambda value: json.dumps(value)[:-1]),
)
STATUS = st.sampled_from([200, 200, 200, 200, 201, 204, 299, 301, 304, 400, 401, 404, 422, 429, 500, 503, 599])


@PROFILE
@given(
    way=WAY,
    name=NAME,
    method=st.sampled_from(["GET", "PUT", "DELETE"]),
    status=STATUS,
    body=BODY,
    content_type=st.sampled_from(["application/json", "text/html; charset=utf-16", "x", "a/b; charset=idna"]),
    retry_after=st.one_of(st.just("0"), st.text("0123456789.:,-+eEinfa GMTJ", max_size=30)),
    held=st.booleans(),
    check=st.booleans(),
)
def test_arbitrary_answers(service, way, name, method, status, body, content_type, retry_after, held, check):
    service.reset()
    sample = sample_of(name)
    if held:
        service.put(sample.path, sample.stored_b)
    headers = {"Retry-After": retry_after.strip(), "Location": "/elsewhere"}
    service.add_fault(method=method, status=status, body=body, content_type=content_type, headers=headers)
    options = sample.options(None, state="absent") if method == "DELETE" else sample.options(sample.a)
    options = {**harness.connection_options(service, retries=1, retry_max_wait=0.001, timeout=5), **options}
    result = harness.run(way, name, options, check=check)
    assert_clean(result, options, None)
    assert service.refusals == []
    if check:
        assert service.writes == []
    if result.failed and method == "GET":
        assert service.writes == [] and not result.changed
