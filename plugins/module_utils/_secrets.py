# Copyright (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which names say that a value is secret, and how texts are freed of secrets. Private to this collection.

Values are hidden by their place, not by their text. For places within a document see _masks.py.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
import sys
import threading
import typing as t
from urllib.parse import quote, unquote_to_bytes

# Ansible's own placeholder, so that one word says "hidden" everywhere. Given as a header's value it means:
# keep the value that the service holds.
MASK = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
CHANGED_MASK = MASK + " (changed)"

_SECRET_WORDS = (
    "auth",
    "cookie",
    "token",
    "secret",
    "passw",
    "api-key",
    "apikey",
    "access-key",
    "credential",
    "session",
    "signature",
)

# How the name of a key ends, or all of it, where its value is secret: outside of headers, where more words are at home.
_SECRET_KEY_ENDS = (
    "password",
    "passwd",
    "secret",
    "credential",
    "credentials",
    "token",
    "private-key",
    "api-key",
    "access-key",
    "authorization",
)

# The name before a value of JSON, also within a text of JSON, where the quotes are escaped; bounded, to stay linear.
_NAME = re.compile(r"""["']([^"'\\]{1,200})\\{0,8}["']\s{0,20}:\s{0,20}(?=\S)""")
# The same without quotes, as in YAML.
_BARE_NAME = re.compile(r"""(?<![\w"'.-])([A-Za-z][\w.-]{0,200})\s{0,20}[:=]\s{0,20}(?=\S)""")
# A letter that is written as an escape.
_ESCAPED_LETTER = re.compile(r"\\+u00([46][1-9a-fA-F]|[57][0-9aA])")
# That value, which may be cut short, even after a backslash. Escaped quotes let a text reach too far, never not far
# enough; a list or an object is everything to the end.
_VALUE = re.compile(r"""\\{0,8}(?:"(?s:[^"\\]|\\.)*(?:"|\\?\Z)|'(?s:[^'\\]|\\.)*(?:'|\\?\Z))|[\[{](?s:.)*|[^,}\]\n]+""")


def hide_credentials(url: str) -> str:
    """Return a URL without user name and password, and without what a query or fragment says."""
    url = re.sub("//.*@", "//%s@" % MASK, url, flags=re.DOTALL)
    return re.sub("([?#]).+", r"\1" + MASK, url, flags=re.DOTALL)


@functools.lru_cache(maxsize=10000)
def plain(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return name.strip().replace("_", "-").lower()


@functools.lru_cache(maxsize=10000)
def _is_secret_header(name: str) -> bool:
    found = plain(name)
    return found.endswith("-key") or any(word in found for word in _SECRET_WORDS)


@functools.lru_cache(maxsize=10000)
def _is_secret_key(name: str) -> bool:
    return plain(name).endswith(_SECRET_KEY_ENDS)


class SecretNames:
    """Knows by its name whether a value is secret: of a header (`in`), or under a key elsewhere (`has_key`).

    `headers` and `keys` name further ones. With `everything` set each one is.
    """

    def __init__(
        self,
        headers: t.Iterable[str] | None = None,
        keys: t.Iterable[str] | None = None,
        everything: bool = False,
    ) -> None:
        self.headers = frozenset(plain(name) for name in headers or ())
        self.keys = frozenset(plain(name) for name in keys or ())
        self.everything = everything

    def further(
        self, headers: t.Iterable[str] | None, keys: t.Iterable[str] | None, everything: bool = False
    ) -> SecretNames:
        """Return these names with further ones."""
        if not headers and not keys and not everything:
            return self
        more_headers, more_keys = [*self.headers, *(headers or ())], [*self.keys, *(keys or ())]
        return SecretNames(more_headers, more_keys, self.everything or everything)

    def __contains__(self, name: str) -> bool:
        return self.everything or _is_secret_header(name) or plain(name) in self.headers

    def has_key(self, name: str) -> bool:
        return self.everything or _is_secret_key(name) or plain(name) in self.keys

    def mask(self, headers: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the headers with every secret value replaced by the mask, and with it what is no value at all."""
        return {
            name: MASK if name in self or isinstance(value, (dict, list)) else value for name, value in headers.items()
        }

    def mask_diff(self, before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Mask both sides of a diff so that a changed secret still shows as a changed line."""
        masked_after = self.mask(after)
        for name in after:
            if name in self and name in before and before[name] != after[name]:
                masked_after[name] = CHANGED_MASK
        return self.mask(before), masked_after

    def hide_pairs(self, text: str) -> str:
        """Mask the values with secret names in a text that is not the JSON it should be: cut short, for instance."""
        shown: list[str] = []
        end = 0
        for name in _NAME.finditer(text):
            if name.start() >= end and (name.group(1) in self or self.has_key(name.group(1))):
                value = _VALUE.match(text, name.end())
                if value:
                    shown.extend((text[end : name.end()], MASK))
                    end = value.end()
        return "".join(shown) + text[end:]

    def hide_in_document(self, text: str) -> str:
        """Mask the values with secret names in the text of a document that cannot be read, be it YAML.

        What follows such a name without quotes has no certain end: everything after it is masked.
        """
        text = _ESCAPED_LETTER.sub(lambda match: chr(int(match.group(1), 16)), text)
        text = self.hide_pairs(text)
        for name in _BARE_NAME.finditer(text):
            if name.group(1) in self or self.has_key(name.group(1)):
                return text[: name.end()] + MASK
        return text

    def values(self, headers: dict[str, t.Any] | None) -> set[str]:
        """Return the secret values among the headers."""
        return {value for name, value in (headers or {}).items() if name in self and isinstance(value, str) and value}


# As html.escape does, with and without quotes; the library would bring all its 2,000 names along to every task.
_HTML_IN_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_HTML = {**_HTML_IN_TEXT, ord('"'): "&quot;", ord("'"): "&#x27;"}
_NUMBERED = {"&quot;": "&#34;", "&#x27;": "&#39;"}


def _upper_hex(text: str) -> str:
    return re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match.group()[2:].upper(), text)


# Text that looks the same wherever it is quoted.
_UNRESERVED = re.compile("[A-Za-z0-9._~-]+")


@functools.lru_cache(maxsize=1000)
def spellings(secret: str) -> frozenset[str]:
    """Return the secret as a service may quote it: raw, escaped for JSON, a URL or HTML, and that in a text of JSON."""
    secret = secret.strip()
    if _UNRESERVED.fullmatch(secret):
        return frozenset((secret,))
    plain_text = secret.isascii()  # the same in every encoding
    found = {secret, repr(secret)[1:-1], secret.translate(_HTML), secret.translate(_HTML_IN_TEXT)}
    for ascii_only in (True,) if plain_text else (True, False):
        escaped = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        found.update((escaped, escaped.replace("/", "\\/")))
        found.add(re.sub("[&<>]", lambda match: "\\u%04x" % ord(match.group()), escaped))
    found.update([_upper_hex(text) for text in found if "\\u" in text])
    for encoding in ("utf-8",) if plain_text else ("utf-8", "latin-1"):
        for safe in ("", "/"):
            quoted = quote(secret, safe=safe, encoding=encoding, errors="replace")
            for one in (quoted, quoted.replace("%20", "+")):  # the latter in a form
                found.update((one, re.sub("%..", lambda match: match.group().lower(), one)))
    found.update(re.sub("&quot;|&#x27;", lambda match: _NUMBERED[match.group()], text) for text in list(found))
    for ascii_only in (True,) if plain_text else (True, False):
        found.update(json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in list(found))
    return frozenset(text for text in found if text.strip())


# A shorter secret counts only where it stands alone: 1 must not blank every other 1. Shorter parts do not count at all.
_SHORT = 6

# A scheme, or the name of a header, and what follows it.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9._+-]*):?\s+(\S.*)", re.DOTALL)


def parts(secret: str) -> set[str]:
    """Return what a service may quote of a secret alone.

    That is what follows a scheme such as Bearer, what Basic encodes, the values of a cookie or of parameters, a line.
    """
    found = set()
    rest = secret.strip()
    for dummy in range(2):  # a line of text with a header's name may come first
        match = _SCHEME.fullmatch(rest)
        if not match:
            break
        rest = match.group(2)
        found.add(rest)
        if match.group(1).lower() == "basic":
            found.update(_decoded(rest))
    for separators in (r"[;\n]", r"[;,&\s]"):
        for item in re.split(separators, secret):
            found.add(item.partition("=")[2].strip().strip("\"'"))
    lines = secret.splitlines()
    if len(lines) > 1:  # a private key, for instance
        found.update(line.strip() for line in lines)
    return {part for part in found if len(part) >= _SHORT}


def _decoded(text: str) -> t.Iterator[str]:
    """Yield what Basic encodes: user name and password together, and each alone."""
    try:
        content = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        return
    try:
        whole = content.decode("utf-8")
    except UnicodeDecodeError:
        whole = content.decode("latin-1")
    yield from (whole, *whole.split(":", 1))


# A character as HTML (by its number) or JavaScript may write it, and some as a URL does.
_ESCAPE = re.compile(
    r"&#(?:[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));"
    r"|\\{1,8}(?:u(?P<u>[0-9a-fA-F]{4})|x(?P<x>[0-9a-fA-F]{2}))"
    r"|(?P<url>(?:%[0-9a-fA-F]{2})+)"
)

# So many times may a text be escaped, as a URL within another one is.
_MOST_ESCAPES = 3


def _unescaped(match: re.Match[str]) -> str:
    """Return what an escape stands for; those of control characters stay."""
    if match["url"]:
        content = unquote_to_bytes(match["url"])
        try:
            found = content.decode("utf-8")
        except UnicodeDecodeError:
            found = content.decode("latin-1")
    else:
        code = int(match["decimal"]) if match["decimal"] else int(match["hex"] or match["u"] or match["x"], 16)
        found = chr(code) if code <= sys.maxunicode else match.group()
    return found if found.isprintable() else match.group()


class Secrets:
    """The secrets of a task, which no text that it shows may quote. Used from any number of threads."""

    def __init__(self, secrets: t.Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._secrets = set(secrets)
        self._spelled: set[str] = set()
        # By their first characters and their length, so that thousands of secrets cost no more than one.
        self._spellings: dict[str, dict[int, set[str]]] = {}
        self._short_spellings: set[str] = set()

    def add(self, secrets: t.Iterable[str]) -> None:
        with self._lock:
            self._secrets.update(secrets)

    def scrub(self, text: str, short_ones: bool = True) -> str:
        """Return a text of the service's with every secret that it quotes replaced by asterisks.

        Where it quotes one in a form with more escapes than any usual one, the whole text is returned without escapes.
        """
        text = self._scrubbed(text, short_ones)
        plain_text = text
        for dummy in range(_MOST_ESCAPES):
            before, plain_text = plain_text, _ESCAPE.sub(_unescaped, plain_text)
            if plain_text == before:
                break
            found = self._scrubbed(plain_text, short_ones=False)
            if found != plain_text:
                text = plain_text = found
        return text

    def _scrubbed(self, text: str, short_ones: bool) -> str:
        with self._lock:
            self._spell()
            found = set(self._quoted(text))
            if short_ones:
                found.update(one for one in self._short_spellings if one in text)
        for spelling in sorted(found, key=len, reverse=True):
            pattern = re.escape(spelling)
            if len(spelling) < _SHORT:
                pattern = r"(?<![^\W_])%s(?![^\W_])" % pattern
            text = re.sub(pattern, "********", text)
        return text

    def _quoted(self, text: str) -> t.Iterator[str]:
        """Yield the spellings that stand in a text, the short ones aside."""
        for index in range(len(text) - _SHORT + 1):
            for length, spelled in self._spellings.get(text[index : index + _SHORT], {}).items():
                if text[index : index + length] in spelled:
                    yield text[index : index + length]

    def _spell(self) -> None:
        """Spell the secrets that are new. Only now: most tasks have nothing to scrub."""
        for secret in self._secrets - self._spelled:
            for one in (secret, *parts(secret)):
                for spelling in spellings(one):
                    if len(spelling) < _SHORT:
                        self._short_spellings.add(spelling)
                    else:
                        by_length = self._spellings.setdefault(spelling[:_SHORT], {})
                        by_length.setdefault(len(spelling), set()).add(spelling)
        self._spelled = set(self._secrets)
