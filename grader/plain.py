"""Plain data as JSON and back: what passes between the judge and an answer's process, and into files.

Numbers, texts, lists, tuples, dictionaries, sets, ranges, slices, fractions, NumPy's arrays and numbers, and the
dataclasses and named tuples of ``snippets`` come back as they were, of exactly these types: a number whose class lies
about itself arrives as a plain number. Everything else arrives as an ``Unknown`` that says what it was.
"""

from __future__ import annotations

import base64
import dataclasses
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

DEPTH = 100
MOST_ENTRIES = 1_000_000  # of a list or an array
MOST_KEYS = 10_000  # of a dictionary or a set: whoever chooses the keys can make more of them slow
MOST_BITS = 100_000  # of a whole number
PACKAGE = "snippets."
NAMELESS = "value of a class without a name"

Encode = Callable[[Any], Any]
Decode = Callable[[Any], Any]


class NotPlain(ValueError):
    """Data is too large or nested too deep to be sent, or what arrived is no data."""


@dataclass(frozen=True)
class Unknown:
    """A value that is no plain data: its class, and what it shows."""

    kind: str
    shown: str

    def __repr__(self) -> str:
        return self.shown


def encode(value: Any, special: Callable[[Any, Encode], Any] | None = None, depth: int = 0) -> Any:
    """Return what JSON can hold of a value.

    Args:
        value: the value.
        special: asked first about what is no number and no text; returns ``None`` or what stands for the value. It is
            given what encodes its parts.
        depth: how deep the value lies in others.

    >>> encode([1, (2.5, float("inf")), {"a": Fraction(1, 3)}])
    [1, {'tuple': [2.5, {'float': 'inf'}]}, {'dict': [['a', {'fraction': [1, 3]}]]}]
    >>> encode(print)
    {'unknown': ['builtin_function_or_method', '<built-in function print>']}
    """
    if depth > DEPTH:
        raise NotPlain(f"it is nested more than {DEPTH} deep")
    kind = type(value)  # value.__class__ may lie
    if value is None or kind is bool:
        return value
    scalar = _SCALARS.get(kind) or next((encoded for one, encoded in _SCALARS.items() if issubclass(kind, one)), None)
    if scalar:
        return scalar(value)

    def part(inner: Any) -> Any:
        return encode(inner, special, depth + 1)

    if special and (found := special(value, part)) is not None:
        return found
    for one, encoded_by in _CONTAINERS.items():
        if issubclass(kind, one):
            return encoded_by(value, part)
    if _is_ours(kind):
        return {"object": [address_of(kind), [[name, part(inner)] for name, inner in _fields(value)]]}
    if kind.__module__.partition(".")[0] == "numpy":
        return _of_numpy(value, part)
    return _unknown(value)


def _whole(value: int) -> Any:
    number = int.__int__(value)
    if number.bit_length() <= 2000:
        return number
    if number.bit_length() <= MOST_BITS:
        return {"int": hex(number)}
    return {"unknown": ["whole number too large to look at", f"a whole number of {number.bit_length()} bits"]}


def _float(value: float) -> Any:
    number = float.__float__(value)
    return number if math.isfinite(number) else {"float": repr(number)}


_SCALARS: dict[type, Encode] = {
    int: _whole,
    float: _float,
    str: str.__str__,
    bytes: lambda value: {"bytes": bytes.hex(value)},
    bytearray: lambda value: {"bytes": bytearray.hex(value)},
    complex: lambda value: {"complex": [_float(value.real), _float(value.imag)]},
    Fraction: lambda value: {"fraction": [_whole(value.numerator), _whole(value.denominator)]},
}


def _tuple(value: tuple[Any, ...], part: Encode) -> Any:
    if _is_ours(type(value)):
        return {"object": [address_of(type(value)), [[name, part(inner)] for name, inner in _fields(value)]]}
    return {"tuple": _entries(tuple.__iter__(value), tuple.__len__(value), part)}


def _range(value: range, part: Encode) -> Any:
    return {"range": [value.start, value.stop, value.step]} if _is_short(value) else _unknown(value)


def _is_short(value: range) -> bool:
    return (value.stop - value.start) // value.step < MOST_ENTRIES


_CONTAINERS: dict[type, Callable[[Any, Encode], Any]] = {
    list: lambda value, part: _entries(list.__iter__(value), list.__len__(value), part),
    tuple: _tuple,
    dict: lambda value, part: {
        "dict": _entries(dict.items(value), dict.__len__(value), lambda pair: [part(pair[0]), part(pair[1])])
    },
    set: lambda value, part: {"set": _entries(set.__iter__(value), set.__len__(value), part)},
    frozenset: lambda value, part: {"set": _entries(frozenset.__iter__(value), frozenset.__len__(value), part)},
    range: _range,
    slice: lambda value, part: {"slice": [part(value.start), part(value.stop), part(value.step)]},
    Unknown: lambda value, part: {"unknown": [value.kind, value.shown]},
}


def _entries(entries: Iterable[Any], count: int, part: Encode) -> list[Any]:
    if count > MOST_ENTRIES:
        raise NotPlain(f"it has {count} entries; at most {MOST_ENTRIES} are looked at")
    return [part(entry) for entry in entries]


def _unknown(value: Any) -> Any:
    try:
        shown = " ".join(repr(value).split())[:200]
    except Exception as error:
        shown = f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"
    return {"unknown": [str.__str__(type(value).__name__), str.__str__(shown)]}


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith(PACKAGE) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"))


def address_of(kind: type) -> str:
    """Return by which name another process finds a class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def _fields(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, tuple):
        return list(zip(type(value)._fields, tuple.__iter__(value), strict=True))  # type: ignore[attr-defined]
    return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value) if field.init]


def _of_numpy(value: Any, part: Encode) -> Any:
    import numpy as np

    if isinstance(value, np.ndarray):
        return encode_array(value, part)
    if isinstance(value, np.generic):
        number = value.item()
        return part(float(value) if isinstance(number, np.floating) else number)
    return _unknown(value)


def special_argument(value: Any, part: Encode) -> Any:
    """Encode an argument for a comparison of before and after: a function is the same whatever stands for it."""
    return {"callback": 0} if callable(value) and not dataclasses.is_dataclass(value) else None


def encode_array(array: Any, part: Encode = encode) -> Any:
    """Return what JSON can hold of a NumPy array: its type, shape and bytes, or its entries if they are no numbers."""
    import numpy as np

    plain = np.asarray(array)
    if plain.size > MOST_ENTRIES:
        raise NotPlain(f"it has {plain.size} entries; at most {MOST_ENTRIES} are looked at")
    if plain.dtype.kind in "biufc":
        return {"array": [plain.dtype.str, list(plain.shape), base64.b64encode(plain.tobytes()).decode()]}
    return {"entries": [list(plain.shape), [part(entry) for entry in plain.ravel().tolist()]]}


def decode(data: Any, special: Mapping[str, Callable[[Any, Decode], Any]] | None = None, depth: int = 0) -> Any:
    """Return the value that ``encode`` was given.

    Args:
        data: what JSON held. Whoever sent it may be anyone.
        special: for a tag what makes a value of what stands there; it is given what decodes parts.
        depth: how deep the data lies in others.

    Raises:
        NotPlain: it is nothing that ``encode`` returns. What the classes of ``snippets`` refuse, they raise.

    >>> decode(encode({(1, 2): Fraction(1, 3), "inf": [float("-inf"), 2**3000 == 8**1000]}))
    {(1, 2): Fraction(1, 3), 'inf': [-inf, True]}
    """
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if depth > DEPTH:
        raise NotPlain(f"it is nested more than {DEPTH} deep")

    def part(inner: Any) -> Any:
        return decode(inner, special, depth + 1)

    if isinstance(data, list):
        return [part(entry) for entry in data]
    if not isinstance(data, dict) or len(data) != 1:
        raise NotPlain("it is no data")
    [(tag, inner)] = data.items()
    make = (special or {}).get(tag) or _TAGS.get(tag)
    if make is None:
        raise NotPlain(f"{tag[:40]!r} is no data")
    return make(inner, part)


def _decoded_fraction(inner: Any, part: Decode) -> Fraction:
    numerator, denominator = map(part, inner)
    if type(numerator) is not int or type(denominator) is not int:  # a text such as "1e999999999" takes for ever
        raise NotPlain("it is no fraction of whole numbers")
    return Fraction(numerator, denominator)


def _decoded_dict(inner: Any, part: Decode) -> dict[Any, Any]:
    return {part(key): part(value) for key, value in _at_most(inner, MOST_KEYS)}


def _decoded_range(inner: Any, part: Decode) -> range:
    value = range(*inner)
    if not _is_short(value):
        raise NotPlain("it is too long a range")
    return value


def _decoded_array(inner: Any, part: Decode) -> Any:
    import numpy as np

    kind, shape, data = inner
    if np.dtype(kind).kind not in "biufc" or math.prod(max(1, side) for side in shape) > MOST_ENTRIES:
        raise NotPlain("it is no array of numbers")
    return np.frombuffer(base64.b64decode(data), dtype=kind).reshape(shape).copy()


def _decoded_entries(inner: Any, part: Decode) -> Any:
    import numpy as np

    shape, entries = inner
    array = np.empty(len(entries), dtype=object)
    array[:] = [part(entry) for entry in entries]
    if math.prod(max(1, side) for side in shape) > MOST_ENTRIES:
        raise NotPlain("it is no array")
    return array.reshape(shape)


def decode_object(inner: Any, part: Decode) -> Any:
    """Return an object of a class of ``snippets``, whose module is not imported for it."""
    address, fields = inner
    module, _, name = address.partition(":")
    kind = vars(sys.modules[module]).get(name) if module.startswith(PACKAGE) else None
    if not isinstance(kind, type) or not _is_ours(kind):
        raise NotPlain("it is no class of the book's")
    return kind(**{name: part(value) for name, value in fields})


def _at_most(entries: Any, most: int) -> Any:
    if len(entries) > most:
        raise NotPlain(f"it has {len(entries)} keys; at most {most} are looked at")
    return entries


_TAGS: dict[str, Callable[[Any, Decode], Any]] = {
    "int": lambda inner, part: int(inner[: MOST_BITS // 4 + 4], 16),
    "float": lambda inner, part: {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[inner],
    "bytes": lambda inner, part: bytes.fromhex(inner),
    "complex": lambda inner, part: complex(part(inner[0]), part(inner[1])),
    "fraction": _decoded_fraction,
    "tuple": lambda inner, part: tuple(part(entry) for entry in inner),
    "dict": _decoded_dict,
    "set": lambda inner, part: {part(entry) for entry in _at_most(inner, MOST_KEYS)},
    "range": _decoded_range,
    "slice": lambda inner, part: slice(*map(part, inner)),
    "array": _decoded_array,
    "entries": _decoded_entries,
    "object": decode_object,
    "unknown": lambda inner, part: Unknown(" ".join(str(inner[0])[:60].split()) or NAMELESS, str(inner[1])[:200]),
}
