"""Drawings: the knobs of a live figure, and how a value is read from a page and written to it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from snippets.domain import finite_number, integer_at_least, one_of, text

_PREFIXES = {"f": -15, "p": -12, "n": -9, "µ": -6, "u": -6, "m": -3, "": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12}
_PREFIXES |= {"P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
_WRITTEN = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_QUANTITY = re.compile(r"([-+]?(?:\d[\d,_ ]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\D*)", re.IGNORECASE)
MOST_STOPS = 2001


def in_units(value: float, unit: str = "", *, digits: int = 3) -> str:
    """Write a quantity with a prefix of the SI (powers of ten), or a plain number with commas.

    Args:
        value: a finite number, in the unit.
        unit: such as ``B``, ``s``, ``B/s``, or ``""`` for a plain number.
        digits: significant digits.

    >>> in_units(64e6, "B"), in_units(2.5e-06, "s"), in_units(4.5e11, "B/s"), in_units(70_000, ""), in_units(0, "B")
    ('64 MB', '2.5 µs', '450 GB/s', '70,000', '0 B')
    """
    value, unit, digits = finite_number("value", value), text("unit", unit), integer_at_least("digits", digits, 1)
    if not unit:
        short = f"{value:.{digits}g}"
        return f"{value:,.0f}" if ("e" in short and abs(value) >= 1) or abs(value) >= 10**digits else short
    if value == 0:
        return f"0 {unit}"
    rounded = float(f"{value:.{digits - 1}e}")
    power = min(max(3 * math.floor(math.log10(abs(rounded)) / 3 + 1e-12), -15), 18)
    number = f"{rounded / 10.0**power:.12g}"
    return f"{number} {_WRITTEN[power]}{unit}"


def from_units(name: str, written: str, unit: str = "") -> float:
    """Read a quantity as a person writes it, with a prefix of the SI or a binary one, with or without its unit.

    Args:
        name: what the message calls it.
        written: such as ``64 MB``, ``64e6``, ``1,5`` is 15, ``4 KiB``, ``5us``.
        unit: the unit that may follow.

    Raises:
        ValueError: what is written is no quantity in this unit.

    >>> from_units("size", "64 MB", "B"), from_units("size", "4 KiB", "B"), from_units("size", "1_000", "B")
    (64000000.0, 4096.0, 1000.0)
    >>> from_units("size", "4 parsecs", "B")
    Traceback (most recent call last):
    ...
    ValueError: size must be a number, with or without a unit such as 'MB', got '4 parsecs'
    """
    name, unit = text("name", name), text("unit", unit)
    match = _QUANTITY.fullmatch(text("written", written).strip())
    example = f"such as {'M' + unit!r}" if unit else "('k', 'M', 'G' and so on multiply it)"
    refusal = f"{name} must be a number, with or without a {'unit ' if unit else 'prefix '}{example}, got {written!r}"
    if not match:
        raise ValueError(refusal)
    after = match[2].strip().removesuffix(unit).strip()
    number = float(re.sub(r"[,_ ]", "", match[1]))
    if after in _BINARY:
        return number * 2.0 ** _BINARY[after]
    if after not in _PREFIXES:
        raise ValueError(refusal)
    power = _PREFIXES[after]
    scaled = number * 10.0**power if power >= 0 else number / 10.0**-power
    if not math.isfinite(scaled):
        raise ValueError(refusal)
    return scaled


@dataclass(frozen=True)
class Number:
    """A number that the reader sets with a slider or types.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it, with its symbol: ``Stages p``.
        default: where it stands at first.
        low: the least value allowed.
        high: the largest value allowed.
        step: distance of the slider's stops; on a logarithmic scale, their ratio.
        scale: ``linear`` or ``log``.
        unit: such as ``B`` or ``s``; written with a prefix of the SI. ``""`` for a plain number.
        whole: whether only whole numbers are allowed.
        play: whether the page offers to run through its values, as for the moments of a schedule.
    """

    name: str
    label: str
    default: float
    low: float
    high: float
    step: float = 1
    scale: Literal["linear", "log"] = "linear"
    unit: str = ""
    whole: bool = True
    play: bool = False
    stops: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        one_of("scale", self.scale, ("linear", "log"))
        for name in ("default", "low", "high", "step"):
            finite_number(name, getattr(self, name))
        if not self.low <= self.default <= self.high or self.low == self.high:
            raise ValueError(f"default must lie from {self.low} to {self.high}, got {self.default!r}")
        if self.step <= (1 if self.scale == "log" else 0) or (self.scale == "log" and self.low <= 0):
            raise ValueError(f"step must make stops on a {self.scale} scale from {self.low!r}, got {self.step!r}")
        object.__setattr__(self, "stops", self._stops())

    def _stops(self) -> tuple[float, ...]:
        values: list[float] = []
        while len(values) < MOST_STOPS:
            count = len(values)
            value = self.low + count * self.step if self.scale == "linear" else self.low * self.step**count
            value = round(value) if self.whole else float(f"{value:.12g}")
            if value > self.high * (1 + 1e-12):
                break
            values.append(value)
        if len(values) == MOST_STOPS:
            raise ValueError(f"step must leave at most {MOST_STOPS - 1} stops, got {self.step!r}")
        if self.default not in values:
            raise ValueError(f"default must be a stop of the slider, got {self.default!r}")
        return tuple(dict.fromkeys([*values, round(self.high) if self.whole else float(self.high)]))

    def check(self, value: Any) -> float:
        """Return a value that is allowed, as ``int`` where only whole numbers are, or raise ``ValueError``."""
        number = finite_number(self.name, value)
        if not self.low <= number <= self.high or (self.whole and number != round(number)):
            allowed = f"{'a whole number ' if self.whole else ''}from {self.write(self.low)} to {self.write(self.high)}"
            raise ValueError(f"{self.name} must be {allowed}, got {self.write(number)}")
        return round(number) if self.whole else number

    def read(self, raw: str) -> float:
        """Return the value of what the page sends: a stop of the slider, ``@3``, or what the reader typed."""
        raw = text(self.name, raw)
        if raw.startswith("@"):
            place = int(raw[1:]) if raw[1:].isdecimal() else -1
            if place not in range(len(self.stops)):
                raise ValueError(f"{self.name} must be one of {len(self.stops)} stops, got {raw!r}")
            return self.check(self.stops[place])
        return self.check(from_units(self.name, raw, self.unit))

    def write(self, value: float) -> str:
        """Return a value as the page shows it."""
        if not self.unit and abs(value) >= 1e6:
            mantissa, _, power = f"{value:.6e}".partition("e")
            return f"{float(mantissa):g}e{int(power)}"
        return in_units(value, self.unit, digits=3 if self.unit else 12)

    def plain(self, value: float) -> str:
        """Return a value as a link holds it."""
        return f"{value:.12g}"

    def place(self, value: float) -> int:
        """Return the number of the stop that is nearest to a value."""
        number = self.check(value)
        places = range(len(self.stops))
        if self.scale == "log":
            return min(places, key=lambda place: abs(math.log(self.stops[place] / number)))
        return min(places, key=lambda place: abs(self.stops[place] - number))


@dataclass(frozen=True)
class Choice:
    """One of several options.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it.
        options: each value, and what the page calls it.
        default: one of the values.
    """

    name: str
    label: str
    options: Mapping[str, str]
    default: str

    def __post_init__(self) -> None:
        one_of("default", self.default, self.options.keys())

    def check(self, value: Any) -> str:
        """Return a value that is allowed, or raise ``ValueError``."""
        return str(one_of(self.name, value, self.options.keys()))

    def read(self, raw: str) -> str:
        """Return the value of what the page sends."""
        return self.check(raw)

    def write(self, value: str) -> str:
        """Return a value as the page shows it."""
        return self.options[value]

    def plain(self, value: str) -> str:
        """Return a value as a link holds it."""
        return value


@dataclass(frozen=True)
class Switch:
    """A box to tick.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it.
        default: whether it is ticked at first.
    """

    name: str
    label: str
    default: bool

    def check(self, value: Any) -> bool:
        """Return a value that is allowed, or raise ``ValueError``."""
        return bool(one_of(self.name, value, (True, False)))

    def read(self, raw: str) -> bool:
        """Return the value of what the page sends: ``on`` or ``off``."""
        return bool(one_of(self.name, raw, ("on", "off")) == "on")

    def write(self, value: bool) -> str:
        """Return a value as the page shows it."""
        return "on" if value else "off"

    def plain(self, value: bool) -> str:
        """Return a value as a link holds it."""
        return self.write(value)


Knob = Number | Choice | Switch
