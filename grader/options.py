"""What the options take, in pytest and for a class; what would mark wrongly in silence is refused."""

from __future__ import annotations

import argparse
from pathlib import Path

from grader.confining import LEAST_MEMORY_BYTES, LEAST_S, MOST_MEMORY_BYTES, MOST_S, Limits

GIB = 2**30


def seconds(text: str) -> float:
    """Return a time limit.

    >>> seconds("2.5")
    2.5
    >>> seconds("nan")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be a number of seconds from 0.1 to 86400, got 'nan'
    """
    return _number(text, "a number of seconds", LEAST_S, MOST_S)


def gibibytes(text: str) -> float:
    """Return a memory limit, in GiB.

    >>> gibibytes("0")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be a number of GiB from 0.0625 to 1024, got '0'
    """
    return _number(text, "a number of GiB", LEAST_MEMORY_BYTES / GIB, MOST_MEMORY_BYTES / GIB)


def limits_of(time_s: float, memory_gib: float) -> Limits:
    """Return the limits that the two options name."""
    return Limits(time_s=time_s, memory_bytes=int(memory_gib * GIB))


def named(text: str) -> str:
    """Return a path as it is; nothing at all, as a shell's variable that is not set, names none.

    >>> named("")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be the name of a file or a folder, got ''
    """
    if not text.strip():
        raise argparse.ArgumentTypeError(f"must be the name of a file or a folder, got {text!r}")
    return text


def named_path(text: str) -> Path:
    """Return a path, which has a name.

    >>> named_path("answers").name
    'answers'
    """
    return Path(named(text))


def at_least_one(text: str) -> int:
    """Return a count.

    >>> at_least_one("0")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: must be a whole number from 1, of at most 18 digits, got '0'
    """
    return _whole(text, 1)


def seed(text: str) -> int:
    """Return what inputs are drawn with.

    >>> seed("2026")
    2026
    """
    return _whole(text, 0)


def _number(text: str, what: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"must be {what} from {least:g} to {most:g}, got {text!r}")
    return value


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= least):
        raise argparse.ArgumentTypeError(f"must be a whole number from {least}, of at most 18 digits, got {text!r}")
    return int(text)
