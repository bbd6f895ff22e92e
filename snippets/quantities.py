"""Commands: numbers as people write them, with their units: 14GB, 70B, 5 µs, 40%, 400Gb/s.

What an argument's name ends in says which units it takes: ``size_bytes`` takes 14GB, and refuses 5us.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from snippets.domain import flag, shortened, text
from snippets.index import unit_of

Scales = Mapping[str, int | Fraction]

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "Z": 10**21}
_BINARY = {"ki": 1024} | {f"{prefix}i": 1024**power for power, prefix in enumerate("KMGTP", start=1)}
_COUNTS = _DECIMAL | _BINARY | {"B": 10**9, "b": 10**9, "m": 10**6, "t": 10**12}
_FLOP_PREFIXES = _DECIMAL | {"g": 10**9, "t": 10**12, "p": 10**15}
_SECONDS = {
    ("ns",): Fraction(1, 10**9),
    ("us",): Fraction(1, 10**6),
    ("ms",): Fraction(1, 10**3),
    ("s", "sec", "second", "seconds"): Fraction(1),
    ("min", "minute", "minutes"): Fraction(60),
    ("h", "hr", "hour", "hours"): Fraction(3600),
    ("d", "day", "days"): Fraction(86_400),
}


def _with(prefixes: Scales, units: Iterable[str], each: int | Fraction = 1) -> dict[str, int | Fraction]:
    """Return what every unit means behind every prefix, where one of it is ``each``."""
    return {f"{prefix}{unit}": factor * each for unit in units for prefix, factor in prefixes.items()}


_BYTES = _with(_DECIMAL | _BINARY, ("B", "byte", "bytes"))
_TIMES = {unit: factor for units, factor in _SECONDS.items() for unit in units}
# By what an argument is in: what a suffix multiplies with, and how such a number is written.
_UNITS: dict[str, tuple[Scales, str]] = {
    "bytes": (
        _BYTES | _DECIMAL | _BINARY | {f"{prefix}b": 1000**power for power, prefix in enumerate("kmgtp", start=1)},
        "in bytes, such as 14GB or 64KiB",
    ),
    "bytes of one": (
        {"B": 1, "byte": 1, "bytes": 1, "B/parameter": 1, "bytes/parameter": 1},
        "in bytes, such as 2 or 16B",
    ),
    "bytes/s": (
        _with(_BYTES, ("/s",))
        | _with(_DECIMAL, ("Bps",))
        | _with(_DECIMAL, ("b/s", "bit/s", "bits/s", "bps"), Fraction(1, 8)),
        "in bytes or bits a second, such as 50GB/s or 400Gb/s",
    ),
    "bits/s": (
        _with(_DECIMAL, ("b/s", "bit/s", "bits/s", "bps")) | _with(_DECIMAL, ("B/s", "bytes/s"), 8),
        "in bits a second, such as 400Gb/s",
    ),
    "FLOP": (_with(_FLOP_PREFIXES, ("FLOP", "FLOPs")) | _DECIMAL, "in FLOP, such as 3.8e25 or 6EFLOP"),
    "FLOP/s": (
        _with(_FLOP_PREFIXES, ("FLOP/s", "FLOPs/s", "FLOPs", "FLOPS")) | _DECIMAL,
        "in FLOP a second, such as 989TFLOP/s",
    ),
    "FLOP/byte": ({"FLOP/byte": 1, "FLOP/B": 1, "FLOPs/byte": 1}, "in FLOP a byte, such as 295"),
    "FLOP/token": (_with(_FLOP_PREFIXES, ("FLOP", "FLOPs", "FLOP/token")), "in FLOP a token, such as 42GFLOP"),
    "s": (_TIMES, "a time, such as 5us, 3ms or 2h"),
    "hours": ({unit: factor / 3600 for unit, factor in _TIMES.items()}, "a time, such as 40h or 3days"),
    "share": ({"%": Fraction(1, 100)}, "a share, such as 0.4 or 40%"),
    "number": (_COUNTS | {"%": Fraction(1, 100)}, "a number, such as 0.4, 40% or 7e9"),
    "count": (_COUNTS, "a count, such as 70B, 15T or 7e9"),
    "USD": ({"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}, "in dollars, such as 2 or 2.50USD"),
    "kWh": ({"Wh": Fraction(1, 1000), "kWh": 1, "MWh": 10**3, "GWh": 10**6}, "an energy, such as 400MWh"),
    "Hz": (_with(_DECIMAL, ("Hz",)), "a frequency, such as 1.83GHz"),
    "W": (_with(_DECIMAL, ("W",)), "a power, such as 700W"),
    "plain": ({}, "a plain number"),
}
# What an argument is in whose name does not end in that unit; the first that fits counts.
_NAMED = {
    "USD": re.compile(r"(?:^|_)usd(?:_|$)"),
    "plain": re.compile(r"(?:^|_)(?:kg|picojoules|s)_per_\w+$"),
    "bits/s": re.compile(r"^bits_per_s$"),
    "count": re.compile(r"(?:^|_)(?:parameters|tokens)$|^(?:batches|examples|transfers)_per_s$"),
    "bytes of one": re.compile(r"^(?:element_bytes|bytes_per_(?:parameter|token|value))$"),
    "s": re.compile(r"^seconds$"),
    "Hz": re.compile(r"_hz$"),
    "W": re.compile(r"_watts$"),
}
_TYPED = re.compile(
    r"(\$?)([+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([A-Za-z%/µμ]*)", re.ASCII
)
_SUFFIXES = {"USD"}.union(*(scales for scales, _ in _UNITS.values())) - {""}


def is_unit(word: str) -> bool:
    """Return whether a word is a unit, or a prefix of one, that may follow a number.

    Args:
        word: what stands behind the number.

    Returns:
        Whether some argument takes it.

    >>> is_unit("GB"), is_unit("µs"), is_unit("ring"), is_unit("8")
    (True, True, False, False)
    """
    return _usual(text("word", word)) in _SUFFIXES


def read_quantity(name: str, typed: str, *, whole: bool) -> int | float | str:
    """Return the number that was typed for an argument, with a unit or not; the text itself where it is no number.

    Args:
        name: the argument's name in Python; its ending says what it is in.
        typed: what was typed.
        whole: whether the argument takes integers alone.

    Returns:
        The number in the argument's own unit, an ``int`` where it is whole.

    Raises:
        ValueError: if the unit is that of something else, or can mean two numbers. The message says what to write.

    Example:
        >>> read_quantity("size_bytes", "14GB", whole=False), read_quantity("latency_s", "5 µs", whole=False)
        (14000000000, 5e-06)
        >>> read_quantity("parameters", "13b", whole=False), read_quantity("mfu", "40%", whole=False)
        (13000000000, 0.4)
        >>> read_quantity("bandwidth_bytes_per_s", "400Gb/s", whole=False), read_quantity("gpus", "many", whole=True)
        (50000000000, 'many')
        >>> read_quantity("size_bytes", "5us", whole=False)
        Traceback (most recent call last):
        ...
        ValueError: size_bytes must be in bytes, such as 14GB or 64KiB, got '5us'
    """
    parts = _TYPED.fullmatch(text("typed", typed).strip())
    if parts is None:
        return typed
    kind, number, unit = (
        _kind(text("name", name), flag("whole", whole)),
        Fraction(parts[2].replace(",", "")),
        _usual(parts[3]),
    )
    scales, how = _UNITS[kind]
    if kind == "USD":
        unit = re.sub(r"(?:USD)?(?:/\w+)*$" if "_per_" in name else "USD$", "", unit)
    if (parts[1] and kind != "USD") or (unit and unit not in scales):
        raise ValueError(f"{name} must be {how}, got {shortened(typed)}")
    if kind in ("count", "number") and unit in ("k", "K", "m", "M") and not _NAMED["count"].search(name):
        meant = " or ".join(f"{float(number * base ** (1 if unit in 'kK' else 2)):.15g}" for base in (1000, 1024))
        raise ValueError(f"{name} must be one number; write {meant}, got {shortened(typed)}")
    value = number * scales[unit] if unit else number
    return int(value) if value.denominator == 1 else float(value)


def _usual(unit: str) -> str:
    """Return a unit in one spelling: either micro sign as u, FLOP in capitals.

    >>> _usual("µs"), _usual("Tflop/s"), _usual("gflops")
    ('us', 'TFLOP/s', 'gFLOPs')
    """
    return re.sub("flop", "FLOP", re.sub("[µμ]", "u", unit), flags=re.IGNORECASE)


def _kind(name: str, whole: bool) -> str:
    """Return what an argument is in, a key of ``_UNITS``."""
    for kind, pattern in _NAMED.items():
        if pattern.search(name):
            return kind
    unit = unit_of(name)
    if not unit:
        return "count" if whole else "number"
    return unit if unit in _UNITS else "plain"
