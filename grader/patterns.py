"""What is true of a wrong answer over all inputs: where it is wrong, and by what it is off.

Nothing here guesses what its author thought: each sentence holds for every input that was tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from grader.comparing import plain, same
from grader.exercise import Inputs

Number = int | float | Fraction
FEWEST = 4


def pattern(tried: Sequence[tuple[Inputs, bool]], wrong: Sequence[tuple[Inputs, Any, Any]], tolerance: float) -> str:
    """Say what is true of an answer.

    Args:
        tried: each input, and whether the answer is right on it.
        wrong: each input on which a value differs, the expected value, and the answer's.
        tolerance: how far numbers may be off.
    """
    right = sum(good for _, good in tried)
    parts = [f"right on {right} of {len(tried)} inputs" if right else f"wrong on all {len(tried)} inputs"]
    if where := _where(tried):
        parts.append(where)
    if len(wrong) >= FEWEST and len(wrong) == len(tried) - right and (how := _how(wrong, tolerance)):
        always = "there always" if where else "always"
        parts.append(f"{always} {how}{' where it is wrong' if right and not where else ''}")
    return ", ".join(parts)


def _where(tried: Sequence[tuple[Inputs, bool]]) -> str:
    """Say for which value of an argument the answer is wrong, and right for all others; or for which alone it is."""
    bad = [inputs for inputs, good in tried if not good]
    fine = [inputs for inputs, good in tried if good]
    if len(bad) < FEWEST or len(fine) < 2:  # of few inputs much is true by chance
        return ""
    everything = [*bad, *fine]
    alike = [name for name in bad[0] if _one_value(name, bad) and not _one_value(name, everything)]
    if len(alike) > 1:  # they have more in common than one argument, which need not be the reason
        return ""
    conditions = [found for name in alike or bad[0] for found in _conditions(name, bad, everything)]
    shared = [(words, sum(map(holds, fine))) for words, holds in conditions if all(map(holds, bad))]
    words, also_right = min(shared, key=lambda found: found[1], default=("", len(fine)))
    if also_right > len(fine) / 2:  # most inputs are so, whether the answer is right or wrong
        return ""
    return f"wrong only where {words}" if also_right else f"wrong wherever {words}"


def _values(name: str, inputs: Iterable[Inputs]) -> list[Any]:
    """Return the different values of an argument, which an input may leave out."""
    return list({repr(plain(one.get(name, _LEFT_OUT))): one.get(name, _LEFT_OUT) for one in inputs}.values())


def _one_value(name: str, inputs: Iterable[Inputs]) -> bool:
    return len(_values(name, inputs)) == 1


_LEFT_OUT = object()


def _conditions(
    name: str, bad: Sequence[Inputs], everything: Sequence[Inputs]
) -> Iterable[tuple[str, Callable[[Inputs], bool]]]:
    """Yield what could be said of an argument: its value, and how it differs from 1 and from 2ⁿ.

    A whole number above 1 is said only if so many inputs, drawn from all, would hardly have had it by chance.
    """
    value, values = bad[0].get(name, _LEFT_OUT), _values(name, everything)
    is_whole = type(value) is int

    def has_it(inputs: Inputs) -> bool:
        one = inputs.get(name, _LEFT_OUT)
        return type(one) is type(value) and bool(one == value)

    if isinstance(value, str | bool | type(None)) or (
        is_whole and (value in (0, 1) or not _by_chance(len(bad), sum(map(has_it, everything)), len(everything)))
    ):
        yield f"{name} = {value!r}", has_it
    if is_whole:
        least = 0 if 0 in values and 1 not in values else 1  # where no 1 was tried, it isn't known what 1 does
        yield f"{name} is above {least}", lambda inputs: type(inputs.get(name)) is int and inputs[name] > least
    no_powers = sum(_is_no_power(inputs.get(name)) for inputs in everything)
    by_chance = _by_chance(len(_values(name, bad)), sum(map(_is_no_power, values)), len(values))
    if is_whole and (no_powers == len(bad) or not by_chance):  # all such inputs, or of many such values
        yield f"{name} is no power of two", lambda inputs: _is_no_power(inputs.get(name))


def _by_chance(drawn: int, such: int, among: int) -> bool:
    """Say whether all that are drawn would be of one kind in more than one case of thirty.

    >>> _by_chance(4, 4, 12), _by_chance(4, 10, 20), _by_chance(1, 1, 4)
    (False, True, True)
    """
    return 30 * math.comb(such, drawn) > math.comb(among, drawn)


def _is_no_power(value: Any) -> bool:
    return type(value) is int and (value < 1 or value & (value - 1) != 0)


def _how(wrong: Sequence[tuple[Inputs, Any, Any]], tolerance: float) -> str:
    """Say by what the answer is off wherever it is wrong."""
    pairs = [(plain(expected), plain(got)) for _, expected, got in wrong]
    if all(_is_number(one) and _is_number(other) for one, other in pairs):
        return _how_numbers(wrong, tolerance)
    if all(isinstance(one, list) and isinstance(other, list) for one, other in pairs):
        return _how_lists(pairs, tolerance)
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool) and value == value


def _how_numbers(wrong: Sequence[tuple[Inputs, Number, Number]], tolerance: float) -> str:
    if not all(_finite(expected, got) for _, expected, got in wrong):
        return ""
    differences: list[Any] = [got - expected for _, expected, got in wrong]
    if all(difference == differences[0] for difference in differences):
        return f"{_count(abs(differences[0]))} too {'many' if differences[0] > 0 else 'few'}"
    if all(got == wrong[0][2] for *_, got in wrong):
        return _shown(wrong[0][2])
    ratios = [Fraction(got) / Fraction(expected) for _, expected, got in wrong if expected]
    if len(ratios) < len(wrong):
        return ""
    if all(same(ratio, ratios[0], tolerance) for ratio in ratios):
        return _ratio(ratios[0])
    for name in wrong[0][0]:
        values: list[Any] = [inputs.get(name) for inputs, _, _ in wrong]
        if all(_is_number(value) and value and _finite(value) for value in values):
            factors = [Fraction(value) for value in values]
            if all(same(ratio * factor, 1, tolerance) for ratio, factor in zip(ratios, factors, strict=True)):
                return f"the expected ÷ {name}"
            if all(same(ratio, factor, tolerance) for ratio, factor in zip(ratios, factors, strict=True)):
                return f"the expected × {name}"
    return ""


def _count(number: Any) -> str:
    return "one" if number == 1 else str(number)


def _shown(number: Number) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


def _finite(*values: Number) -> bool:
    return all(abs(value) != float("inf") for value in values)


def _ratio(ratio: Fraction) -> str:
    """Say by what an answer is off.

    >>> _ratio(Fraction(8)), _ratio(Fraction(1, 1024)), _ratio(Fraction(3, 4)), _ratio(Fraction(0.1234567))
    ('the expected × 8', 'the expected ÷ 1024', 'the expected × 3/4', 'the expected × 0.123457')
    >>> _ratio(Fraction(1_000_001, 1_000_000))
    '1e-06 of the expected too much'
    """
    if ratio != 1 and f"{float(ratio):.6g}" == "1":  # it would be said to be right
        return f"{abs(float(ratio - 1)):.2g} of the expected too {'much' if ratio > 1 else 'little'}"
    for sign, factor in (("×", ratio), ("÷", 1 / ratio if ratio else ratio)):
        if (whole := round(factor)) and abs(factor - whole) < abs(factor) / 10**9:
            return f"the expected {sign} {whole}"
    simple = ratio.limit_denominator(1000)
    if simple and abs(simple - ratio) < abs(ratio) / 10**9:
        return f"the expected × {simple}"
    return f"the expected × {float(ratio):.6g}"


def _how_lists(pairs: Sequence[tuple[list[Any], list[Any]]], tolerance: float) -> str:
    if all(_reordered(one, other, tolerance) for one, other in pairs):
        return "the right entries in another order"
    lengths = {len(other) - len(one) for one, other in pairs}
    if len(lengths) == 1 and (by := lengths.pop()):
        return f"{_count(abs(by))} {'entry' if abs(by) == 1 else 'entries'} too {'many' if by > 0 else 'few'}"
    return ""


def _reordered(one: Any, other: Any, tolerance: float) -> bool:
    """Say whether a list has the entries of another in another order, or the lists in it have.

    >>> _reordered([1.0, 2.0], [2.0, 1.0 + 1e-12], 1e-9), _reordered([3, ["b", "a"]], [3, ["a", "b"]], 0)
    (True, True)
    """
    if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
        return False
    left = list(other)
    for entry in one:
        found = next((place for place, each in enumerate(left) if same(entry, each, tolerance)), None)
        if found is None:
            differing = [pair for pair in zip(one, other, strict=True) if not same(*pair, tolerance)]
            return all(_reordered(*pair, tolerance) for pair in differing)
        del left[found]
    return True
