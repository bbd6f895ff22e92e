"""Drawings: the knobs of a live figure, and how a value is read from a page and written to it."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Literal

from snippets.domain import finite_number, flag, integer_at_least, number_between, one_of, text

_PREFIXES = {
    "f": -15,
    "p": -12,
    "n": -9,
    "µ": -6,
    "μ": -6,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "K": 3,
    "M": 6,
    "G": 9,
    "T": 12,
}
_PREFIXES |= {"P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
_WRITTEN = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
# A comma or a space parts thousands and nothing else: in some countries "1,5" is one and a half.
_DIGITS = r"(?:\d{1,3}(?:[,_ ]\d{3})+|\d+(?:_\d+)*)(?:\.\d*)?|\.\d+"
_QUANTITY = re.compile(rf"([-+]?(?:{_DIGITS}))(?:e([-+]?\d+))?\s*(\D*)", re.IGNORECASE)
MOST_STOPS = 2000
MOST_DIGITS = 12
FARTHEST = 1e30  # what lies farther out is a slip
_MOST_WRITTEN = 64  # characters of a number as a person writes it


def in_units(value: float, unit: str = "", *, digits: int = 3) -> str:
    """Return a quantity written with a prefix of the SI (powers of ten), or a plain number with commas.

    Args:
        value: a finite number, in the unit, any finite number.
        unit: such as ``B``, ``s``, ``B/s``, or ``""`` for a plain number.
        digits: significant digits, at most 12.

    >>> in_units(64e6, "B"), in_units(2.5e-06, "s"), in_units(4.5e11, "B/s"), in_units(70_000, ""), in_units(0, "B")
    ('64 MB', '2.5 µs', '450 GB/s', '70,000', '0 B')
    """
    value, unit, digits = finite_number("value", value), text("unit", unit), integer_at_least("digits", digits, 1)
    if digits > MOST_DIGITS:
        raise ValueError(f"digits must be at most {MOST_DIGITS}, got {digits!r}")
    if not unit:
        short = f"{value:.{digits}g}"
        return f"{value:,.0f}" if ("e" in short and abs(value) >= 1) or abs(value) >= 10**digits else short
    if value == 0:
        return f"0 {unit}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = min(max(int(exponent) // 3 * 3, -15), 18)
    number = f"{float(mantissa) * 10.0 ** (int(exponent) - power):.{MOST_DIGITS}g}"
    return f"{number} {_WRITTEN[power]}{unit}"


def from_units(name: str, written: str, unit: str = "") -> float:
    """Return the quantity that a person writes, with a prefix of the SI or a binary one, with or without its unit.

    Args:
        name: what the message calls it.
        written: such as ``64 MB``, ``64e6``, ``1,000``, ``4 KiB``, ``5us``.
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
    written = text(name, written).strip()
    match = _QUANTITY.fullmatch(written) if len(written) <= _MOST_WRITTEN else None
    allowed = f"with or without a unit such as {'M' + unit!r}" if unit else "without a unit, 'k' or 'M' after it or not"
    refusal = f"{name} must be a number, {allowed}, got {written[:_MOST_WRITTEN]!r}"
    if not match:
        raise ValueError(refusal)
    after = match[3].strip().removesuffix(unit).strip()
    digits, power = re.sub(r"[,_ ]", "", match[1]), int(match[2] or 0)
    if after in _BINARY:
        scaled = float(f"{digits}e{power}") * 2.0 ** _BINARY[after]
    elif after in _PREFIXES:
        scaled = float(f"{digits}e{power + _PREFIXES[after]}")  # 2.09 MB is a whole number of bytes, 2.09 * 1e6 is not
    else:
        raise ValueError(refusal)
    if not math.isfinite(scaled):
        raise ValueError(refusal)
    return scaled


def _check_names(name: str, label: str) -> None:
    """Raise ``ValueError`` unless ``name`` can be an argument's and ``label`` says something."""
    if not text("name", name).isidentifier() or iskeyword(name):
        raise ValueError(f"name must be the name of an argument, got {name!r}")
    if not text("label", label).strip():
        raise ValueError(f"label must be a text that is not empty, got {label!r}")


@dataclass(frozen=True)
class Number:
    """A number that the reader sets with a slider or types.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it, with its symbol: ``Stages p``.
        default: where it stands at first.
        low: the least value allowed, at least 0.
        high: the largest value allowed.
        step: distance of the slider's stops; on a logarithmic scale, their ratio.
        scale: ``linear`` or ``log``.
        unit: such as ``B`` or ``s``; written with a prefix of the SI. ``""`` for a plain number.
        whole: whether only whole numbers are allowed.
        play: whether the page offers to run through its values, as for the moments of a schedule.
        stops: the values at which the slider stops, from ``low`` to ``high``.

    Raises:
        ValueError: the slider would have more than 2000 stops, or none at the default; an end lies beyond 1e30, or is
            not above 0 on a logarithmic scale; only whole numbers are allowed and one of these is none.

    Example:
        >>> size = Number("size_bytes", "Size n", 64e6, 1e3, 1e9, 10, "log", "B")
        Traceback (most recent call last):
        ...
        ValueError: default must be a stop: low, high, or a number of step from low, got 64000000.0
        >>> stages = Number("stages", "Stages p", 4, 2, 8, step=2)
        >>> stages.stops, stages.place(7), stages.check(7)
        ((2, 4, 6, 8), 2, 7)
        >>> stages.read("@3"), stages.read("6"), stages.write(6), stages.plain(6)
        (8, 6, '6', '6')
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
        _check_names(self.name, self.label)
        one_of("scale", self.scale, ("linear", "log"))
        flag("play", self.play)
        if flag("whole", self.whole) and self.scale == "linear":
            self._check_whole("step")
        if re.search(r"\d", text("unit", self.unit)) or self.unit != self.unit.strip():
            raise ValueError(f"unit must be a text without digits and with nothing around it, got {self.unit!r}")
        for name in ("default", "low", "high", "step"):
            number_between(name, getattr(self, name), low=-FARTHEST, high=FARTHEST)
            if self.whole and name != "step":
                self._check_whole(name)
        if self.low >= self.high or (self.scale == "log" and self.low < 1 / FARTHEST):
            allowed = f"below high and on a logarithmic scale at least {1 / FARTHEST:g}"
            raise ValueError(f"low must be {allowed}, got {self.low!r} and high = {self.high!r}")
        if not self.low <= self.default <= self.high:
            raise ValueError(f"default must be from low = {self.low!r} to high = {self.high!r}, got {self.default!r}")
        object.__setattr__(self, "stops", self._stops())

    def _check_whole(self, name: str) -> None:
        if finite_number(name, getattr(self, name)) % 1:
            raise ValueError(f"{name} must be a whole number, got {getattr(self, name)!r}")

    def _stops(self) -> tuple[float, ...]:
        least = 1 if self.scale == "log" else 0
        if self.step <= least:
            raise ValueError(f"step must be above {least} on a {self.scale} scale, got {self.step!r}")
        log = self.scale == "log"
        steps = math.log(self.high / self.low) / math.log(self.step) if log else (self.high - self.low) / self.step
        if steps >= MOST_STOPS:
            given = f"{self.low!r}, {self.high!r} and {self.step!r}"
            raise ValueError(f"low, high and step must leave at most {MOST_STOPS} stops, got {given}")
        values = [self.low * self.step**n if log else self.low + n * self.step for n in range(math.ceil(steps - 1e-9))]
        between = [round(value) if self.whole else float(f"{value:.12g}") for value in values[1:]]
        ends = (round(self.low), round(self.high)) if self.whole else (float(self.low), float(self.high))
        stops = tuple(dict.fromkeys([ends[0], *between, ends[1]]))
        if self.default not in stops:
            raise ValueError(f"default must be a stop: low, high, or a number of step from low, got {self.default!r}")
        return stops

    def check(self, value: Any) -> float:
        """Return a value that is allowed, as ``int`` where only whole numbers are, or raise ``ValueError``."""
        number = finite_number(self.name, value)
        if not self.low <= number <= self.high or (self.whole and number != round(number)):
            allowed = f"{'a whole number ' if self.whole else ''}from {self.write(self.low)} to {self.write(self.high)}"
            given = self.write(number)
            if given in (self.write(self.low), self.write(self.high)):  # to its digits it is allowed
                given = self.plain(number)
            raise ValueError(f"{self.name} must be {allowed}, got {given}")
        return round(number) if self.whole else number

    def read(self, raw: str) -> float:
        """Return the value of what the page sends: a stop of the slider, ``@3``, or what the reader typed."""
        raw = text(self.name, raw)
        if raw.startswith("@"):
            place = int(raw[1:]) if re.fullmatch(r"@\d{1,6}", raw) else -1
            if place not in range(len(self.stops)):
                raise ValueError(f"{self.name} must be one of {len(self.stops)} stops, got {raw!r}")
            return self.check(self.stops[place])
        number = from_units(self.name, raw, self.unit)
        if number < self.low and self.write(number) == self.write(self.low):  # typed as the page writes it, rounded
            return self.check(self.low)
        if number > self.high and self.write(number) == self.write(self.high):
            return self.check(self.high)
        return self.check(number)

    def write(self, value: float) -> str:
        """Return any finite number as it is shown: with a unit to 3 digits, without to 12, above a million to 7."""
        value = finite_number("value", value)
        if not self.unit and abs(value) >= 1e6:
            mantissa, _, power = f"{value:.6e}".partition("e")
            return f"{float(mantissa):.7g}e{int(power)}"
        return in_units(value, self.unit, digits=3 if self.unit else 12)

    def plain(self, value: float) -> str:
        """Return a value, any finite number, as a link holds it; it is read back as the same value."""
        value = finite_number("value", value)
        short = f"{value:.12g}"
        return short if float(short) == value else repr(value)

    def place(self, value: float) -> int:
        """Return the number of the stop that is nearest to a value; of two as near, the lower one's."""
        number = self.check(value)
        above = bisect_left(self.stops, number)
        if above == 0 or self.stops[above] == number:
            return above
        low, high = self.stops[above - 1], self.stops[above]
        nearer = number / low <= high / number if self.scale == "log" else number - low <= high - number
        return above - 1 if nearer else above


@dataclass(frozen=True)
class Choice:
    """One of several options.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it.
        options: each value, and what the page calls it.
        default: one of the values.

    Raises:
        ValueError: there are fewer than two options, or the default is none of them.

    Example:
        >>> schedule = Choice("schedule", "Schedule", {"gpipe": "GPipe", "one_f_one_b": "1F1B"}, "gpipe")
        >>> schedule.read("one_f_one_b"), schedule.check("gpipe"), schedule.write("gpipe"), schedule.plain("gpipe")
        ('one_f_one_b', 'gpipe', 'GPipe', 'gpipe')
    """

    name: str
    label: str
    options: Mapping[str, str]
    default: str

    def __post_init__(self) -> None:
        _check_names(self.name, self.label)
        if not isinstance(self.options, Mapping) or len(self.options) < 2:
            raise ValueError(f"options must be a mapping of at least two values to their names, got {self.options!r}")
        for value, shown in self.options.items():
            if not text("options", value) or not text("options", shown).strip():
                raise ValueError(f"options must be texts that are not empty, got {dict(self.options)!r}")
        one_of("default", self.default, self.options.keys())

    def check(self, value: Any) -> str:
        """Return a value that is allowed, or raise ``ValueError``."""
        return str(one_of(self.name, value, self.options.keys()))

    def read(self, raw: str) -> str:
        """Return the value of what the page sends."""
        return self.check(raw)

    def write(self, value: str) -> str:
        """Return a value as the page shows it."""
        return self.options[self.check(value)]

    def plain(self, value: str) -> str:
        """Return a value as a link holds it."""
        return self.check(value)


@dataclass(frozen=True)
class Switch:
    """A box to tick.

    Attributes:
        name: the argument of the figure's function.
        label: what the page calls it.
        default: whether it is ticked at first.

    Example:
        >>> full = Switch("full_duplex", "Both directions at once", True)
        >>> full.read("off"), full.check(True), full.write(True), full.plain(False)
        (False, True, 'on', 'off')
    """

    name: str
    label: str
    default: bool

    def __post_init__(self) -> None:
        _check_names(self.name, self.label)
        flag("default", self.default)

    def check(self, value: Any) -> bool:
        """Return a value that is allowed, or raise ``ValueError``."""
        return flag(self.name, value)

    def read(self, raw: str) -> bool:
        """Return the value of what the page sends: ``on`` or ``off``."""
        return bool(one_of(self.name, raw, ("on", "off")) == "on")

    def write(self, value: bool) -> str:
        """Return a value as the page shows it."""
        return "on" if self.check(value) else "off"

    def plain(self, value: bool) -> str:
        """Return a value as a link holds it."""
        return self.write(value)


Knob = Number | Choice | Switch
