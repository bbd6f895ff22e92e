"""Formulas: checks of a function's domain, with messages that name the argument, its value and what is allowed."""

from __future__ import annotations

import contextlib
import difflib
import functools
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, get_type_hints

_Entry = TypeVar("_Entry")
_Record = TypeVar("_Record")


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)

MOST_COUNT = 10**30  # more than there is of anything here, and products of several still fit a float
MOST_PARTS = 2**20  # ranks, blocks or steps: what lists more is more likely a slip than a wish
MOST_LISTED = 2**16  # ranks or parts that a result lists one by one, each computed in Python


def integer_at_least(name: str, value: Any, minimum: int) -> int:
    """Return a count as an ``int``, taking ``7e9`` for 7,000,000,000, or raise ``ValueError``.

    >>> integer_at_least("ranks", 4, 1), integer_at_least("parameters", 7e9, 1)
    (4, 7000000000)
    >>> integer_at_least("ranks", 0, 1)
    Traceback (most recent call last):
    ...
    ValueError: ranks must be an integer of at least 1, got 0
    """
    if type(value) is int and minimum <= value <= MOST_COUNT:  # most are, and some are many
        return value
    whole = isinstance(value, float) and value.is_integer()
    try:
        number = int(value) if whole else operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}, got {value!r}")
    if number > MOST_COUNT:
        raise ValueError(f"{name} must be an integer of at most 1e30, got {value!r}")
    return number


def positive_integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int`` of at least 1, or raise ``ValueError``.

    >>> positive_integer("ranks", 4)
    4
    """
    return integer_at_least(name, value, 1)


def nonnegative_integer(name: str, value: Any) -> int:
    """Return ``value`` as an ``int`` of at least 0, or raise ``ValueError``.

    >>> nonnegative_integer("length", 0)
    0
    """
    return integer_at_least(name, value, 0)


def at_most(name: str, value: int, most: int = MOST_PARTS) -> int:
    """Return an integer from 0 to ``most``, or raise ``ValueError``: for what a function lists one by one.

    >>> at_most("ranks", 1000)
    1000
    >>> at_most("ranks", 10**12)
    Traceback (most recent call last):
    ...
    ValueError: ranks must be at most 1048576, got 1000000000000
    """
    number = nonnegative_integer(name, value)
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")
    return number


def _finite(value: Any) -> float | None:
    """Return ``value`` as a finite ``float``, or ``None`` when it is none."""
    if type(value) is float:  # most are, and some are many
        return value + 0.0 if math.isfinite(value) else None
    if isinstance(value, bool | str | bytes):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number + 0.0 if math.isfinite(number) else None  # -0.0 is 0


def positive_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float`` above 0, or raise ``ValueError``.

    >>> positive_number("bandwidth_bytes_per_s", 25)
    25.0
    >>> positive_number("bandwidth_bytes_per_s", -1.0)
    Traceback (most recent call last):
    ...
    ValueError: bandwidth_bytes_per_s must be a finite number above 0, got -1.0
    """
    number = _finite(value)
    if number is None or number <= 0:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def nonnegative_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite ``float`` of at least 0, or raise ``ValueError``.

    >>> nonnegative_number("latency_s", 0)
    0.0
    """
    number = _finite(value)
    if number is None or number < 0:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def nonnegative_exact(name: str, value: Any) -> int | float | Fraction:
    """Return a finite number of at least 0 with an ``int`` or ``Fraction`` kept exact, or raise ``ValueError``.

    >>> nonnegative_exact("forward_s", 3), nonnegative_exact("forward_s", Fraction(1, 3)), nonnegative_exact("t_s", 0.5)
    (3, Fraction(1, 3), 0.5)
    """
    number = nonnegative_number(name, value)
    if isinstance(value, Fraction):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return number


def finite_number(name: str, value: Any) -> float:
    """Return ``value``, any finite number, as a ``float``, or raise ``ValueError``.

    >>> finite_number("covariance", -0.5)
    -0.5
    """
    number = _finite(value)
    if number is None:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def number_between(name: str, value: Any, *, low: float, high: float) -> float:
    """Return ``value`` as a ``float`` from ``low`` to ``high``, or raise ``ValueError``.

    >>> number_between("width_px", 328, low=1, high=1e6)
    328.0
    >>> number_between("width_px", 0, low=1, high=1e6)
    Traceback (most recent call last):
    ...
    ValueError: width_px must be a number from 1 to 1e+06, got 0
    """
    number = _finite(value)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
    return number


def probability(name: str, value: Any) -> float:
    """Return ``value`` as a ``float`` in [0, 1], or raise ``ValueError``.

    >>> probability("share", 1)
    1.0
    """
    number = _finite(value)
    if number is None or not 0 <= number <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return number


def flag(name: str, value: Any) -> bool:
    """Return ``value`` when it is ``True`` or ``False``, or raise ``ValueError``.

    >>> flag("gated", True)
    True
    >>> flag("gated", 1)
    Traceback (most recent call last):
    ...
    ValueError: gated must be True or False, got 1
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return value


def text(name: str, value: Any) -> str:
    """Return ``value`` when it is a text, or raise ``ValueError``.

    >>> text("algorithm", "ring")
    'ring'
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {value!r}")
    return value


def text_fields(record: Any, *names: str) -> None:
    """Raise ``ValueError`` unless these fields of a record are texts.

    >>> from types import SimpleNamespace
    >>> text_fields(SimpleNamespace(name="ring", source=None), "name")
    >>> text_fields(SimpleNamespace(name="ring", source=None), "name", "source")
    Traceback (most recent call last):
    ...
    ValueError: source must be a text, got None
    """
    for name in names:
        text(name, getattr(record, name))


def integer_fields(record: Any, *names: str, minimum: int = 1) -> None:
    """Make these fields of a frozen dataclass counts, or raise ``ValueError`` unless each is one.

    >>> from types import SimpleNamespace
    >>> integer_fields(SimpleNamespace(layers=2), "layers")
    >>> integer_fields(SimpleNamespace(layers=0), "layers")
    Traceback (most recent call last):
    ...
    ValueError: layers must be an integer of at least 1, got 0
    """
    for name in names:
        object.__setattr__(record, name, integer_at_least(name, getattr(record, name), minimum))


class Answers:
    """A record that answers a field which it has not by those that it has.

    >>> @dataclass(frozen=True)
    ... class Wire(Answers):
    ...     name: str
    ...     memory_bytes: int = 0
    >>> Wire("copper").memory
    Traceback (most recent call last):
    ...
    AttributeError: Wire has no 'memory'; near: memory_bytes
    >>> Wire("copper", memory=1)
    Traceback (most recent call last):
    ...
    TypeError: Wire has no field 'memory'; near: memory_bytes
    >>> Wire(memory_bytes=1)
    Traceback (most recent call last):
    ...
    TypeError: Wire needs name; its fields are name, memory_bytes
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a record to be filled, or raise ``TypeError`` where the fields that are given do not fit."""
        record: Any = cls
        taken = {each.name: each for each in fields(record)}
        if unknown := kwargs.keys() - taken:
            raise TypeError(f"{cls.__name__} has no field {min(unknown)!r}{_near_or_all(min(unknown), [*taken])}")
        given = {*[*taken][: len(args)], *kwargs}
        lacking = [
            name
            for name, each in taken.items()
            if name not in given and each.default is MISSING and each.default_factory is MISSING
        ]
        if lacking and given:  # a copy is made of nothing
            raise TypeError(f"{cls.__name__} needs {', '.join(lacking)}; its fields are {', '.join(taken)}")
        return super().__new__(cls)

    if not TYPE_CHECKING:  # or every field would be there for mypy

        def __getattr__(self, name: str) -> Any:
            public = [one for one in dir(type(self)) if not one.startswith("_")]
            known = dict.fromkeys([*(each.name for each in fields(self)), *public])
            said = "" if name.startswith("_") else _near_or_all(name, [*known])
            raise AttributeError(f"{type(self).__name__} has no {name!r}{said}")


def _near_or_all(wrong: str, known: Sequence[str]) -> str:
    near = near_names(wrong, known)
    return f"; near: {', '.join(near)}" if near else f"; it has {', '.join(known)}"


@dataclass(frozen=True)
class Checked(Answers):
    """A frozen record that checks its fields by their types, so that a new field cannot be forgotten.

    A ``str`` must be a text, an ``int`` an integer of at least 1, a ``float`` a finite number above 0; ``int | None``
    and ``float | None`` take ``None`` too. Fields of other types are left to the record's own ``__post_init__``.

    >>> @dataclass(frozen=True)
    ... class Wire(Checked):
    ...     name: str
    ...     lanes: int
    ...     latency_s: float | None = None
    >>> Wire("copper", 4e0)
    Wire(name='copper', lanes=4, latency_s=None)
    >>> Wire("copper", 4, latency_s=-1)
    Traceback (most recent call last):
    ...
    ValueError: latency_s must be a finite number above 0, got -1
    """

    def __post_init__(self) -> None:
        record: Any = type(self)  # mypy takes no dataclass's type for hashable
        for name, check in _checks(record).items():
            object.__setattr__(self, name, check(name, getattr(self, name)))


@functools.cache
def _checks(record: Any) -> dict[str, Callable[[str, Any], Any]]:
    """Return the checks of a class's fields."""
    return {name: _BY_TYPE[type_] for name, type_ in get_type_hints(record).items() if type_ in _BY_TYPE}


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


_BY_TYPE: dict[Any, Callable[[str, Any], Any]] = {
    str: text,
    int: positive_integer,
    float: positive_number,
    int | None: _or_none(positive_integer),
    float | None: _or_none(positive_number),
}


def as_float(names: str, result: float | Fraction) -> float:
    """Return a result as a ``float``, or raise ``ValueError`` where the arguments ``names`` make it too large.

    >>> as_float("flops", Fraction(1, 4))
    0.25
    """
    try:
        number = float(result)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{names} must be such that the result fits a float, got a result above 1.8e308")
    return number


def as_count(names: str, result: int) -> int:
    """Return a count, or raise ``ValueError`` where the arguments ``names`` make it larger than any count may be.

    >>> as_count("bubble", 134)
    134
    """
    if result > MOST_COUNT:
        raise ValueError(f"{names} must be such that the result is at most 1e30, got more")
    return result


def one_of(name: str, value: Any, allowed: Collection[Any]) -> Any:
    """Return ``value`` when it is among ``allowed``, or raise ``ValueError`` that lists them.

    >>> one_of("stage", 3, (0, 1, 2, 3))
    3
    >>> one_of("stage", 4, (0, 1, 2, 3))
    Traceback (most recent call last):
    ...
    ValueError: stage must be one of 0, 1, 2, 3, got 4
    """
    if not isinstance(value, Hashable) or value not in allowed:  # an array cannot be compared
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def of_kind(name: str, value: Any, kind: type[_Record]) -> _Record:
    """Return a value that is of a kind, or raise ``TypeError`` that says what it should be.

    >>> of_kind("size", 3, int)
    3
    >>> of_kind("size", "three", int)
    Traceback (most recent call last):
    ...
    TypeError: size must be of the kind int, got 'three'
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of the kind {kind.__name__}, got {value!r}")
    return value


class UnknownName(KeyError, ValueError):
    """A name that there is not: a ``ValueError``, and what a mapping raises for a missing key.

    >>> str(UnknownName("model must be one of 'a', 'b', got 'c'"))
    "model must be one of 'a', 'b', got 'c'"

    Attributes:
        near: the names that the message lists because they are like the wrong one; none where it lists all.
    """

    near: Sequence[str] = ()
    __str__ = ValueError.__str__


def named(name: str, value: Any, allowed: Iterable[str], *, aliases: Mapping[str, str] | None = None) -> str:
    """Return the name among ``allowed`` that ``value`` is in any usual spelling, or raise ``ValueError``.

    Case, spaces, hyphens and underscores do not count; ``aliases`` has what the field calls something besides. The
    message lists the names that are near where there are many, else all.

    >>> schedules, aliases = ("gpipe", "one_f_one_b"), {"1F1B": "one_f_one_b"}
    >>> named("schedule", "GPipe", schedules, aliases=aliases), named("schedule", "1f1b", schedules, aliases=aliases)
    ('gpipe', 'one_f_one_b')
    >>> named("schedule", "zigzag", schedules, aliases=aliases)
    Traceback (most recent call last):
    ...
    snippets.domain.UnknownName: schedule must be one of 'gpipe', 'one_f_one_b', got 'zigzag'
    """
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    spelled = {alias: entry for alias, entry in (aliases or {}).items() if entry in allowed}
    spelled |= {entry: entry for entry in allowed}
    known = {squeezed(spelling): entry for spelling, entry in spelled.items()}
    wanted = squeezed(value) if isinstance(value, str) else ""
    if wanted not in known:
        few = not isinstance(value, str) or len(allowed) <= _FEW
        near = [] if few else list(dict.fromkeys(spelled[name] for name in near_names(value, spelled)))
        error = UnknownName(f"{name} must be one of {', '.join(map(repr, near or allowed))}, got {value!r}")
        error.near = near
        raise error
    return known[wanted]


_FEW = 12


def squeezed(name: str) -> str:
    """Return a name without what its usual spellings differ in: case, spaces, hyphens, dashes and underscores.

    >>> squeezed("Micro-batches"), squeezed("micro_batches"), squeezed("GPT-3.5")
    ('microbatches', 'microbatches', 'gpt3.5')
    """
    return re.sub(r"[\s_\-\u2010-\u2015]", "", text("name", name)).casefold()


def near_names(wanted: str, known: Iterable[str]) -> list[str]:
    """Return the names that a wrong one may have meant: those that hold it, or are held, and those spelled alike.

    Where these are few, names follow that share its rarer words, five names in all.

    >>> near_names("size", ["size_bytes", "ranks"]), near_names("bytes_in_zero", ["zero_state_bytes", "ring_time_s"])
    (['size_bytes'], ['zero_state_bytes'])
    """
    spelled = {squeezed(name): name for name in known}
    wanted = text("wanted", wanted)
    sought, words = squeezed(wanted), _words(wanted)
    near = [spelling for spelling in spelled if sought and (sought in spelling or spelling in sought)]
    near += difflib.get_close_matches(sought, spelled, cutoff=0.7)
    found = list(dict.fromkeys(spelled[spelling] for spelling in near))
    held = {name: words & _words(name) for name in spelled.values()}
    often = Counter(word for shared in held.values() for word in shared)
    rarity = {word: math.log(1 + len(held) / (1 + often[word])) for word in words}
    enough = 0.4 * sum(rarity.values())
    weights = {name: sum(rarity[word] for word in shared) for name, shared in held.items() if shared}
    by_words = sorted((name for name in weights if weights[name] >= enough), key=weights.__getitem__, reverse=True)
    return [*found, *(name for name in by_words if name not in found)][: max(5, len(found))]


def _words(name: str) -> set[str]:
    """Return the words of a name by their first letters, so that an ending does not count."""
    return {word[:5] for word in re.split(r"[\W_]+", name.casefold())} - {""}


class Catalogue(Mapping[str, _Named]):
    """Entries by their names, in any usual spelling; a wrong one is answered with the near ones.

    Args:
        kind: what an entry is called as an argument, ``"model"``.
        type_: its class.
        entries: the entries; each has a ``name``.
        aliases: names that the field uses besides.
        shortened: takes from a name what is written around it elsewhere; asked where the name is none as it stands.

    >>> from types import SimpleNamespace
    >>> entries, owner = [SimpleNamespace(name="Llama 3 8B")], lambda name: name.partition("/")[2]
    >>> models = Catalogue("model", SimpleNamespace, entries, shortened=owner)
    >>> models["llama-3-8b"].name, models.find("meta-llama/Llama-3-8B").name
    ('Llama 3 8B', 'Llama 3 8B')
    """

    def __init__(
        self,
        kind: str,
        type_: type[_Named],
        entries: Iterable[_Named],
        *,
        aliases: Mapping[str, str] | None = None,
        shortened: Callable[[str], str] | None = None,
    ) -> None:
        self._kind, self._type, self._aliases, self._shortened = kind, type_, dict(aliases or {}), shortened
        self._entries: dict[str, _Named] = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> _Named:
        return self._entries[self.name_of(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def name_of(self, value: str, *, argument: str = "") -> str:
        """Return the name that a value in any usual spelling is, or refuse it under an argument's name.

        Args:
            value: what was written.
            argument: what it was given as; the catalogue's kind unless given.

        Returns:
            The entry's own name.
        """
        argument = text("argument", argument) or self._kind
        try:
            return named(argument, value, self._entries, aliases=self._aliases)
        except UnknownName:
            if not self._shortened or not isinstance(value, str):
                raise
            with contextlib.suppress(UnknownName):
                return named(argument, self._shortened(value), self._entries, aliases=self._aliases)
            raise

    def find(self, entry: _Named | str) -> _Named:
        """Return an entry, or that of a name: for functions that take either."""
        return entry if isinstance(entry, self._type) else self[entry]  # type: ignore[index]


def each(name: str, values: Sequence[Any], check: Callable[[str, Any], _Entry]) -> tuple[_Entry, ...]:
    """Return the entries of a list, tuple or array, each passed by ``check(name, entry)``, or raise its ``ValueError``.

    >>> each("shares", [1, 0.5], probability)
    (1.0, 0.5)
    >>> each("shares", [1, 2], probability)
    Traceback (most recent call last):
    ...
    ValueError: shares[1] must be a number from 0 to 1, got 2
    """
    ordered = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    try:
        entries = None if isinstance(values, str | bytes | dict) or not ordered else tuple(values)
    except TypeError:  # an array without axes
        entries = None
    if entries is None:
        raise ValueError(f"{name} must be a sequence, got {values!r}")
    try:
        return tuple([check(name, entry) for entry in entries])
    except Exception:  # only now do the entries need names of their own
        return tuple([check(f"{name}[{index}]", entry) for index, entry in enumerate(entries)])


def shortened(value: Any) -> str:
    """Return what ``repr`` says of a value, for a message, in at most 60 characters.

    >>> shortened("x" * 99) == "'" + "x" * 58 + "…"
    True
    """
    said = repr(value)
    return said if len(said) <= 60 else said[:59] + "…"
