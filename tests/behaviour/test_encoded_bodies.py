# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bodies with a content encoding: read where they are whole, and never taken for "not set" where they are not."""

from __future__ import annotations

import gzip
import json
import zlib

import harness
import pytest
from harness.raw import RawService, chunked, plain, until_close
from harness.samples import ROUTE_IDS

RTH = "https_edge_route_request_headers"
CONFIG = {"enabled": True, "add": {"X-Held": "yes"}, "remove": ["X-Old"]}
BODY = json.dumps(CONFIG).encode()


def gzipped(data):
    return gzip.compress(data, mtime=0)  # the same at any time


def raw_deflate(data):
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def framed(way, body, encoding):
    """An answer whose body ends in one of the three ways of HTTP."""
    headers = ["Content-Encoding: " + encoding] if encoding else []
    if way == "length":
        return [plain(body, headers=headers)]
    return [chunked(body, headers)] if way == "chunks" else until_close(body, headers)


FRAMES = ("length", "chunks", "close")

# Content-Encoding, and the body
WHOLE = {
    "gzip": ("gzip", gzipped(BODY)),
    "GZip": ("GZip", gzipped(BODY)),
    "x-gzip": ("x-gzip", gzipped(BODY)),
    "several members": ("gzip", gzipped(BODY[:9]) + gzipped(BODY[9:])),
    "deflate": ("deflate", zlib.compress(BODY)),
    "DEFLATE": (" DEFLATE ", zlib.compress(BODY)),
    "deflate without its frame": ("deflate", raw_deflate(BODY)),
    "identity": ("identity", BODY),
    "two": ("deflate, gzip", gzipped(zlib.compress(BODY))),
    "none": ("", BODY),
}
UNASKED = {
    "br": ("br", b"\x8b\x00\x80{}\x03"),
    "zstd": ("zstd", b"(\xb5/\xfd\x04\x00\x11\x00\x00{}\xbd\x14\x10\x9f"),
    "br, empty": ("br", b""),
    "zstd, empty": ("zstd", b""),
    "br below gzip": ("br, gzip", gzipped(b"")),
    "made up": ("x-none", b"{}"),
}


def cuts(encoding, body):
    """The body cut after its first bytes, in the middle, and before its last ones."""
    return [(encoding, body[:size]) for size in (0, 1, 2, 3, 10, len(body) // 2, len(body) - 1)]


CUT = [
    *cuts("gzip", gzipped(BODY)),
    *cuts("X-Gzip", gzipped(BODY))[:5],
    *cuts("deflate", zlib.compress(BODY)),
    *cuts("deflate", raw_deflate(BODY))[1:],
    *cuts("deflate, gzip", gzipped(zlib.compress(BODY)))[:6],
    ("deflate, gzip", gzipped(zlib.compress(BODY)[:-1])),
    ("deflate, gzip", gzipped(b"")),
    ("gzip, identity", b""),
    ("gzip", gzipped(BODY) + gzipped(BODY)[:10]),
    ("gzip", gzipped(BODY)[:-8] + b"\0" * 8),
    ("gzip", gzipped(BODY) + b"{}"),
    ("gzip", BODY),
    ("deflate", BODY),
    ("deflate", zlib.compress(BODY) + b"{}"),
]
# What is whole, and empty all the same: the service says that nothing is set.
EMPTY = {"gzip": gzipped(b""), "deflate": zlib.compress(b"")}


def run(service, way, check=False, **options):
    given = dict(base_url=service.base_url, api_key="k" * 20, retries=1, retry_max_wait=0.01, timeout=3)
    return harness.run(way, RTH, {**given, **ROUTE_IDS, **options}, check=check)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("encoding, body", WHOLE.values(), ids=WHOLE)
def test_what_is_whole_is_read(way, frame, encoding, body):
    with RawService(lambda request, number: framed(frame, body, encoding)) as service:
        result = run(service, way, add={"X-Held": "yes"})
        assert not result.failed and not result.changed, result.data
        assert result.config == CONFIG
        assert [one.method for one in service.log] == ["GET"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("options", [dict(add={"X-Held": "no"}), dict(state="absent")], ids=["present", "absent"])
@pytest.mark.parametrize("encoding, body", CUT, ids=["%s, %d bytes" % (one, len(body)) for one, body in CUT])
def test_what_was_cut_is_tried_again_and_then_an_error(frame, options, encoding, body):
    """It is never "not set": what the task does not name would be wiped, and absent would look done."""
    with RawService(lambda request, number: framed(frame, body, encoding)) as service:
        result = run(service, "worker", **options)
        assert result.failed and not result.changed, result.data
        assert " failed: the answer was cut short or is damaged (Content-Encoding: " in result.msg
        assert result.msg.endswith(" (tried 2 times). Check what stands between you and the service")
        assert [one.method for one in service.log] == ["GET", "GET"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_one_that_was_cut_once_is_made_up_for(way, method):
    """Also the answer to a write, which is sent again."""

    def script(request, number):
        cut = gzipped(BODY)[:10]
        first = request.method == method and [one.method for one in service.log].count(method) == 1
        return framed("length", cut, "gzip") if first else framed("length", gzipped(BODY), "gzip")

    with RawService(script) as service:
        result = run(service, way, **(dict(state="absent") if method == "DELETE" else dict(add={"X-Held": "no"})))
        assert not result.failed and result.changed, result.data
        assert [one.method for one in service.log].count(method) == 2


@pytest.mark.parametrize("status", ["404 Not Found", "500 X", "403 Forbidden"])
def test_a_cut_body_of_another_status(way, status):
    """A 404 would count as not set too."""
    answer = plain(gzipped(b"{}")[:10], status, ["Content-Encoding: gzip"])
    with RawService(lambda request, number: [answer]) as service:
        result = run(service, way, state="absent")
        assert result.failed and "the answer was cut short" in result.msg, result.data
        assert len(service.log) == 2


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("encoding, body", UNASKED.values(), ids=UNASKED)
def test_an_encoding_that_was_not_asked_for_is_an_error(way, frame, encoding, body):
    with RawService(lambda request, number: framed(frame, body, encoding)) as service:
        result = run(service, way, state="absent")
        assert result.failed and not result.changed, result.data
        assert "answered 200 in the encoding %s, which was not asked for" % encoding.split(",")[0] in result.msg
        assert len(service.log) == 1


def test_an_error_in_an_encoding_that_was_not_asked_for_keeps_its_status(way):
    with RawService(lambda request, number: [plain(b"\x8b", "403 Forbidden", ["Content-Encoding: br"])]) as service:
        result = run(service, way, state="absent")
        assert "answered 403. The key is known but may not do this" in result.msg
        assert result.error["status"] == 403


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("encoding", EMPTY)
def test_what_is_whole_and_empty_is_not_set(way, frame, encoding):
    with RawService(lambda request, number: framed(frame, EMPTY[encoding], encoding)) as service:
        result = run(service, way, state="absent")
        assert not result.failed and not result.changed, result.data


def test_a_204_needs_no_body(way):
    answer = b"HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"
    with RawService(lambda request, number: [answer]) as service:
        assert not run(service, way, state="absent").failed
