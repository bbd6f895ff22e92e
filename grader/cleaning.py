"""Texts of strangers without what controls a terminal or cannot be written."""

from __future__ import annotations

import re
from typing import Any

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ODD = re.compile(rb'\\[^nt"\\/]|[^ -~]')  # in JSON: an escape of another kind, or a byte that is no plain letter


def clean(text: str) -> str:
    """Return a text without what controls a terminal, and with what cannot be written replaced.

    >>> clean("\\x1b[2Jred\\r\\n\\ud800")
    '?[2Jred?\\n?'
    """
    return _CONTROLS.sub("?", text)


def shown_name(name: str) -> str:
    """Return a file's name as text on one line that can be written and printed.

    >>> shown_name("a\\nb\\x1b.py")
    'a?b?.py'
    """
    return clean(name).replace("\n", "?").replace("\t", "?")


def writable(text: str) -> str:
    """Return a text as UTF-8 can hold it: a lone surrogate stands there by its number, as in JSON."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def may_need_cleaning(data: bytes) -> bool:
    """Say of JSON whether a text in it could have what ``clean`` replaces.

    >>> may_need_cleaning(b'["a", "b\\\\n"]'), may_need_cleaning(b'["\\\\u001b"]'), may_need_cleaning(b'["\\x7f"]')
    (False, True, True)
    """
    return _ODD.search(data) is not None


def cleaned(data: Any) -> Any:
    """Return what JSON held with all its texts cleaned, names of fields too.

    >>> cleaned({"a\\x1b": ["b\\ud800", 1]})
    {'a?': ['b?', 1]}
    """
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [cleaned(entry) for entry in data]
    if isinstance(data, dict):
        return {clean(name): cleaned(value) for name, value in data.items()}
    return data
