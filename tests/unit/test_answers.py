# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of an answer that is no success, word by word, and what is read out of it."""

from __future__ import annotations

import gzip
import json
import time
import types
import zlib

import pytest
from ansible_collections.edgeops.edges.plugins.module_utils import _answers
from harness.answers import answer

METHOD, PATH = "PUT", "/edges/tcp/edgtcp_1/backend"


def _quote(text):
    """As a client does it, only that one can see what went through."""
    return "<%s>" % text if text else ""


def _refusal(response, body, quote=_quote):
    error = _answers.refusal(response.status, response.headers, response.read(), body, METHOD, PATH, quote)
    assert (error.method, error.path, error.status) == (METHOD, PATH, response.status)
    assert error.result == {"changed": False}
    return error


def _said(response, body, quote=_quote):
    """The message without its beginning, which is the same for all."""
    beginning, text = "%s %s " % (METHOD, PATH), str(_refusal(response, body, quote))
    assert text.startswith(beginning)
    return text[len(beginning) :]


@pytest.mark.parametrize("status", [200, 204, 299])
def test_success_that_is_no_json(status):
    error = _refusal(answer(status, b"something else"), "a page")
    assert str(error) == (
        "PUT %s answered %d with something that is not JSON: <a page>"
        ". Check base_url, and what stands between you and the service" % (PATH, status)
    )
    assert (error.code, error.operation_id, error.fatal) == (None, None, False)


# status, Location, what of it is said
TARGETS = {
    "the usual": (302, "https://b.example/v2", "<https://b.example/v2>"),
    "the first": (300, "/v2", "</v2>"),
    "the last": (399, "/v2", "</v2>"),
    "none": (304, None, "an unnamed place"),
    "an empty one": (302, "", "an unnamed place"),
    "a query": (302, "https://b.example/v2?key=k?", "<https://b.example/v2>"),
    "a fragment": (302, "/v2#key=k#", "</v2>"),
    "both": (302, "/v2#a?key=k", "</v2>"),
    "a password": (302, "https://u:p@b.example/@me", "<https://b.example/@me>"),
    "a parameter": (302, "https://b.example/v2;session=s/x", "<https://b.example/v2>"),
    "a query, escaped": (302, "https://b.example/v2%3fkey=k", "<https://b.example/v2>"),
    "a fragment, escaped": (302, "https://b.example/v2%23key=k", "<https://b.example/v2>"),
    "a parameter, escaped": (302, "https://b.example/v2%3Bkey=k", "<https://b.example/v2>"),
    "a password without slashes": (302, "https:u:p@b.example/@me", "<https:b.example/@me>"),
    "a password after backslashes": (302, "https:\\\\u:p@b.example/@me", "<https:\\\\b.example/@me>"),
    "a password after many slashes": (302, "https:////u:p@b.example/c@d", "<https:////b.example/c@d>"),
    "a password with a sign in it": (302, "https://u:p@q@b.example/", "<https://b.example/>"),
    "no user in a path": (302, "/@me", "</@me>"),
    "no scheme": (302, "//u:p@b.example/c@d", "<//b.example/c@d>"),
}


@pytest.mark.parametrize("status, location, said", TARGETS.values(), ids=list(TARGETS))
def test_redirect(status, location, said):
    error = _refusal(answer(status, b"x", {} if location is None else {"Location": location}), "a page")
    told = "PUT %s was redirected (%d) to %s, which is not followed: check base_url"
    assert str(error) == told % (PATH, status, said)
    assert (error.code, error.operation_id, error.fatal) == (None, None, False)


def test_success_of_which_nothing_can_be_shown():
    said = _said(answer(200), "\x00", lambda text: "")
    assert said == "answered 200 with something that is not JSON: an unreadable body. " + _answers.NOT_THE_SERVICE


BODY = {"message": "no", "code": "E7", "request_id": "op1"}


@pytest.mark.parametrize("status", [199, 400, 404, 409, 500, 503, 600])
def test_refusal(status):
    error = _refusal(answer(status), BODY)
    assert str(error) == "PUT %s answered %d: <no> (code <E7>, operation <op1>)" % (PATH, status)
    assert (error.code, error.operation_id, error.fatal) == ("<E7>", "<op1>", False)


@pytest.mark.parametrize(
    "status, hint, fatal",
    [
        (401, "Check api_key, or EDGE_API_KEY where the module runs", True),
        (403, "The key is known but may not do this: check what it is allowed to do", False),
        (429, "Too many requests: run fewer at once, or allow more with retries and retry_max_wait", False),
    ],
)
def test_refusal_says_what_to_do(status, hint, fatal):
    error = _refusal(answer(status), BODY)
    assert str(error) == "PUT %s answered %d: <no> (code <E7>, operation <op1>). %s" % (PATH, status, hint)
    assert error.fatal is fatal


# body, the beginning of its text, X-Request-Id, what is said
PARTS = {
    "nothing": (None, b"", None, "answered 400"),
    "an id only": (None, b"", "r1", "answered 400 (operation <r1>)"),
    "a message": ({"msg": "no"}, b"x", None, "answered 400: <no>"),
    "a code": ({"code": 7}, b"raw", None, "answered 400: <raw> (code <7>)"),
    "an operation": ({"trace_id": "t"}, b"raw", None, "answered 400: <raw> (operation <t>)"),
    "its own before the header's": ({"msg": "no", "trace_id": "t"}, b"x", "r1", "answered 400: <no> (operation <t>)"),
    "the header's": ({"msg": "no"}, b"x", "r1", "answered 400: <no> (operation <r1>)"),
    "text": ("no", b"x", None, "answered 400: <no>"),
    "blank text": (" \n", b"x", None, "answered 400"),
    "an empty object": ({}, b"{}", None, "answered 400: <{}>"),
    "white space in its place": ({}, b" ", None, "answered 400"),
    "false": (False, b"false", None, "answered 400: <false>"),
    "no UTF-8": ({}, b"n\xf6", None, "answered 400: <n\ufffd>"),
    "UTF-8": ({}, "nö".encode(), None, "answered 400: <nö>"),
}


@pytest.mark.parametrize("body, content, header, said", PARTS.values(), ids=list(PARTS))
def test_parts_of_a_refusal(body, content, header, said):
    assert _said(answer(400, content, {"X-Request-Id": header} if header else {}), body) == said


def test_little_of_a_long_body_is_looked_at():
    assert _said(answer(400, b"ab" * 10001), {}, lambda text: str(len(text))) == "answered 400: 20000"


# body, its message, code and operation id
SHAPES = {
    "text": ("no", ("no", None, None)),
    "nothing": (None, (None, None, None)),
    "a number": (7, (None, None, None)),
    "all": (BODY, ("no", "E7", "op1")),
    "one for both": ({"error": "E7"}, ("E7", None, None)),
    "numbers": ({"message": 1, "code": 2, "trace_id": 3}, ("1", "2", "3")),
    "in a list": ([{"message": "no"}, {"code": "E7"}, [{"trace_id": "t"}]], ("no", "E7", "t")),
    "an error in an error": ({"error": {"code": "E7", "message": "no", "request_id": "op1"}}, ("no", "E7", "op1")),
}


@pytest.mark.parametrize("body, details", SHAPES.values(), ids=list(SHAPES))
def test_details(body, details):
    assert _answers._details(body) == details


KEYS = ("first", "second")

# body, what is found
PLACES = {
    "no object": ("first", None),
    "none": (None, None),
    "text": ({"first": "a"}, "a"),
    "a number": ({"first": 0}, "0"),
    "a flag": ({"first": True}, None),
    "a fraction": ({"first": 1.5}, None),
    "null": ({"first": None}, None),
    "blank": ({"first": " \t"}, None),
    "blank before another": ({"first": "", "second": "b"}, "b"),
    "a flag before another": ({"first": False, "second": "b"}, "b"),
    "white space is kept": ({"first": " a "}, " a "),
    "another case": ({"FIRST": "a"}, "a"),
    "another name": ({"firsts": "a", "irst": "b"}, None),
    "the order of the keys": ({"second": "b", "first": "a"}, "a"),
    "the order of the body": ({"First": "a", "FIRST": "b"}, "a"),
    "the outer level before the better key": ({"x": {"first": "a"}, "second": "b"}, "b"),
    "the better key before the earlier place": ([{"second": "b"}, {"first": "a"}], "a"),
    "the earlier place": ([{"first": "a"}, {"first": "b"}], "a"),
    "an object in an object": ({"x": {"first": "a"}}, "a"),
    "a list in an object": ({"x": ["first", {"first": "a"}]}, "a"),
    "the fifth level": ([[[[{"first": "a"}]]]], "a"),
    "the sixth level": ([[[[[{"first": "a"}]]]]], None),
    "a level without objects": ({"w": 1, "x": {"y": {"first": "a"}}}, "a"),
}


@pytest.mark.parametrize("body, found", PLACES.values(), ids=list(PLACES))
def test_where_a_detail_is_found(body, found):
    assert _answers._find(body, KEYS) == found


class Reasoned(Exception):
    """As urllib3's: the reason is an attribute."""

    def __init__(self, *args, reason=None):
        super().__init__(*args)
        self.reason = reason


def _chain(length):
    exc = Exception("1")
    for number in range(2, length + 1):
        exc = Exception(str(number), exc)
    return exc


# exception, what is said of it
CAUSES = {
    "none within": (Exception("it broke"), "it broke"),
    "no text": (KeyError(), "KeyError"),
    "an argument": (Exception("outer", OSError("inner")), "inner"),
    "the first one": (Exception(OSError("inner"), OSError("other")), "inner"),
    "a reason": (Reasoned("outer", reason=OSError("inner")), "inner"),
    "a reason before an argument": (Reasoned(OSError("other"), reason=OSError("inner")), "inner"),
    "a reason that is text": (Reasoned(OSError("inner"), reason="words"), "inner"),
    "a reason that is text, and nothing else": (Reasoned("outer", reason="words"), "outer"),
    "within what is within": (Exception(Reasoned(reason=Exception(OSError("inner")))), "inner"),
    "ten steps": (_chain(11), "1"),
    "eleven steps": (_chain(12), str(Exception("2", Exception("1")))),
    "a class": (Exception("HTTPConnection(host='a', port=1): refused"), "refused"),
    "an object": (Exception("<urllib3.connection.HTTPConnection object at 0x7f0a9b>: refused"), "refused"),
    "an object within": (Exception("refused: <a.B object at 0x7f0a9b>: c"), "refused: <a.B object at 0x7f0a9b>: c"),
    "two in a row": (Exception("A(b): C(d): e"), "C(d): e"),
    "brackets to the first colon": (Exception("A(b): c (d): e"), "c (d): e"),
    "other words": (Exception("no route: a"), "no route: a"),
}


@pytest.mark.parametrize("exc, said", CAUSES.values(), ids=list(CAUSES))
def test_root_cause(exc, said):
    assert _answers.root_cause(exc) == said


NOW = 1_750_000_000.25  # Sun, 15 Jun 2025 15:06:40 GMT, and a quarter of a second

# Retry-After, the seconds that it asks for
WAITS = {
    "no header": (None, None),
    "empty": ("", None),
    "seconds": ("7", 7),
    "part of a second": ("0.25", 0.25),
    "white space": (" 7 ", 7),
    "zero": ("0", None),
    "negative": ("-5", None),
    "no number": ("nan", None),
    "infinite": ("inf", None),
    "too great": ("9" * 500, None),
    "words": ("soon", None),
    "a date": ("Sun, 15 Jun 2025 15:07:20 GMT", 40),
    "a date without a zone": ("Sun, 15 Jun 2025 15:07:20", 40),
    "a date of another zone": ("Sun, 15 Jun 2025 17:07:20 +0200", 40),
    "a date of an unknown zone": ("Sun, 15 Jun 2025 15:07:20 -0000", 40),
    "the next second": ("Sun, 15 Jun 2025 15:06:41 GMT", 1),
    "a date in the past": ("Sun, 15 Jun 2025 15:06:39 GMT", None),
    "now": ("Sun, 15 Jun 2025 15:06:40 GMT", None),
    "no such date": ("Sun, 31 Jun 2025 15:06:40 GMT", None),
    "no such year": ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
    "no such zone": ("Fri, 31 Dec 1999 23:59:59 +9999", None),
}


@pytest.fixture
def _far_away(monkeypatch):
    """The machine's own zone is not the one that a date without a zone is in."""
    monkeypatch.setenv("TZ", "UTC-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_far_away")
@pytest.mark.parametrize("header, seconds", WAITS.values(), ids=list(WAITS))
def test_retry_after(monkeypatch, header, seconds):
    monkeypatch.setattr(_answers, "time", types.SimpleNamespace(time=lambda: NOW))
    assert _answers.retry_after(header) == seconds


# content, what it says
JSON = {
    "nothing": (b"", None),
    "blank": (b" \r\n", None),
    "null": (b"null", None),
    "false": (b"false", False),
    "a byte order mark": (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    "UTF-8": ('{"ä": "€😀"}'.encode(), {"ä": "€😀"}),
    "a great number": (b"1e308", 1e308),
    "a fraction": (b"-0.5", -0.5),
    "a pair of surrogates": (rb'"\ud83d\ude00"', "😀"),
    "a pair in capitals": (rb'"\uD83D\uDE00"', "😀"),
    "the first half": (rb'"\ud83d"', "?"),
    "the second half": (rb'"\uDE00"', "?"),
    "halves in an object": (rb'{"\uDBff": ["\udfFF", "\uda00", "\udb00", "\udc00"]}', {"?": ["?", "?", "?", "?"]}),
    "halves in capitals": (rb'["\uDA00", "\uDB00", "\uDC00", "\uDF00", "\ud900", "\udd00"]', ["?"] * 6),
    "half beside a letter": (rb'"\ud800\u00e9"', "?é"),
    "no half": (rb'"\ud7ff\ue000"', "\ud7ff\ue000"),
    "50 lists": (b"[" * 50 + b"]" * 50, json.loads("[" * 50 + "]" * 50)),
    "49 lists around a number": (b"[" * 49 + b"1" + b"]" * 49, json.loads("[" * 49 + "1" + "]" * 49)),
    "49 objects": (b'{"a":' * 49 + b"{}" + b"}" * 49, json.loads('{"a":' * 49 + "{}" + "}" * 49)),
    "wide": (b"[1, [2], {}]", [1, [2], {}]),
}


@pytest.mark.parametrize("content, body", JSON.values(), ids=list(JSON))
def test_json(content, body):
    assert _answers.decode(content) == body


@pytest.mark.parametrize(
    "content, fault",
    [
        (b"NaN", "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b"[1e999]", "1e999"),
        (b"-1e999", "-1e999"),
        (b"[" * 51 + b"]" * 51, "nested too deep"),
        (b"[" * 50 + b"1" + b"]" * 50, "nested too deep"),
        (b'[{"a":' * 25 + b"[]" + b"}]" * 25, "nested too deep"),
        (b"[1, 2, " + b"[" * 50 + b"]" * 51, "nested too deep"),
        (b"n\xf6", "utf-8"),
        (b"{", "Expecting"),
    ],
)
def test_no_json(content, fault):
    with pytest.raises(ValueError, match=fault) as caught:
        _answers.decode(content)
    assert fault in ("utf-8", "Expecting") or str(caught.value) == fault


# Encodings.


def _raw_deflate(content):
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(content) + compressor.flush()


@pytest.mark.parametrize(
    "encodings, content",
    [
        ("gzip", gzip.compress(b"abc", mtime=0)),
        ("x-gzip", gzip.compress(b"ab", mtime=0) + gzip.compress(b"c", mtime=0)),
        ("GZIP ", gzip.compress(b"abc", mtime=0)),
        ("deflate", zlib.compress(b"abc")),
        ("deflate", _raw_deflate(b"abc")),
        ("deflate,gzip", gzip.compress(zlib.compress(b"abc"), mtime=0)),
        ("gzip , identity", gzip.compress(b"abc", mtime=0)),
        ("identity", b"abc"),
        ("", b"abc"),
        (",", b"abc"),
    ],
)
def test_body_without_its_encodings(encodings, content):
    assert _answers.unpack(content, encodings) == b"abc"


@pytest.mark.parametrize(
    "encodings, content",
    [
        ("gzip", b""),
        ("deflate", b""),
        ("gzip", gzip.compress(b"abc", mtime=0)[:-1]),
        ("gzip", gzip.compress(b"abc", mtime=0) + b"\0"),
        ("gzip", gzip.compress(b"abc", mtime=0)[:-8] + b"\0" * 8),
        ("deflate", zlib.compress(b"abc")[:2]),
        ("deflate", zlib.compress(b"abc") + b"d"),
        ("deflate", _raw_deflate(b"abc")[:-1]),
        ("deflate", _raw_deflate(b"abc") + b"d"),
        ("deflate", b"abc"),
        ("deflate, gzip", gzip.compress(b"", mtime=0)),
    ],
)
def test_body_whose_encoding_does_not_end_properly(encodings, content):
    with pytest.raises(_answers.CutShortError):
        _answers.unpack(content, encodings)


@pytest.mark.parametrize("encodings", ["br", "BR", "zstd", "gzip, br", "compress"])
def test_encoding_that_was_not_asked_for(encodings):
    with pytest.raises(_answers.UnknownEncodingError) as caught:
        _answers.unpack(gzip.compress(b"", mtime=0), encodings)
    assert str(caught.value) == encodings.split(", ")[-1].lower()
