"""Chapter 32: sums and updates in a format, against NumPy's own arithmetic, fractions over all numbers, chapter 12."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.collectives.primitives.float_sums import pairwise_sum, running_sums
from snippets.efficiency.precision.formats import (
    format_values,
    least_moving_update,
    stalled_count,
    unit_in_last_place,
)
from snippets.efficiency.precision.rounding import round_to_format
from snippets.efficiency.precision.summation import (
    SUM_ORDERS,
    running_format_sums,
    sum_in_format,
    updated_weights,
)

TERMS = st.lists(st.floats(-8, 8), min_size=1, max_size=40)
NUMPYS: list[tuple[str, Any]] = [("fp16", np.float16), ("fp32", np.float32)]


def numpys(terms: list[float], order: str, kind: Any) -> float:
    """Return a sum by NumPy's scalars of a type, which round each operation."""
    numbers = [kind(term) for term in terms]
    total, carried = kind(0), kind(0)
    if order == "pairwise":
        while len(numbers) > 1:
            rest = [numbers[-1]] if len(numbers) % 2 else []
            numbers = [numbers[i] + numbers[i + 1] for i in range(0, len(numbers) - 1, 2)] + rest
        return float(numbers[0])
    for number in numbers:
        if order == "kahan":
            wanted = number - carried
            after = total + wanted
            carried = (after - total) - wanted
            total = after
        else:
            total = total + number
    return float(total)


@pytest.mark.parametrize(("name", "kind"), NUMPYS)
@pytest.mark.parametrize("order", ["running", "pairwise", "kahan"])
@given(terms=TERMS)
def test_numpys_own_additions(name: str, kind: Any, order: str, terms: list[float]) -> None:
    assert sum_in_format(terms, number_format=name, order=order).total == numpys(terms, order, kind)


@pytest.mark.parametrize(("name", "kind"), NUMPYS)
def test_long_sums_by_numpy(name: str, kind: Any) -> None:
    terms = np.random.default_rng(4).random(3000)
    for order in ("running", "pairwise", "kahan"):
        assert sum_in_format(terms, number_format=name, order=order).total == numpys(terms.tolist(), order, kind)
    steps = np.add.accumulate(terms.astype(kind), dtype=kind).astype(np.float64)
    assert np.array_equal(running_format_sums(terms, number_format=name), steps)


@given(terms=st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=30))
def test_the_orders_of_chapter_12(terms: list[float]) -> None:
    held = round_to_format(terms, number_format="bf16").tolist()
    assert sum_in_format(terms, number_format="bf16").total == running_sums(held, significant_bits=8)[-1]
    assert sum_in_format(terms, number_format="bf16", order="pairwise").total == pairwise_sum(held, significant_bits=8)


def exact_step(name: str) -> Callable[[float, float], float]:
    """Return an addition that looks for the nearest of all numbers, in fractions, a tie by the place in the list."""
    held = [Fraction(value) for value in format_values(name)]
    middle = len(held) // 2

    def add(left: float, right: float) -> float:
        total = Fraction(left) + Fraction(right)
        nearest = min(range(len(held)), key=lambda place: (abs(held[place] - total), (place - middle) % 2))
        return float(held[nearest])

    return add


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e2m1", "int8"])
@given(data=st.data())
def test_sums_in_eight_bits_and_less(name: str, data: st.DataObject) -> None:
    terms = data.draw(st.lists(st.sampled_from(format_values(name)), min_size=1, max_size=12))
    add, sums, total = exact_step(name), [], 0.0
    for term in terms:
        total = add(total, term)
        sums.append(total)
    assert running_format_sums(terms, number_format=name).tolist() == sums
    assert sum_in_format(terms, number_format=name).total == sums[-1]


def test_a_sum_is_rounded_once() -> None:
    """1 + 2⁻⁸ is a tie of bf16; 2⁻⁵⁸ more or less makes it none, though a sum in float64 loses that."""
    assert 1 + 2.0**-8 * (1 + 2.0**-50) == 1 + 2.0**-8
    start = updated_weights(weight=1.0, update=2.0**-9, steps=1, number_format="bf16")
    above = updated_weights(weight=1.0, update=2.0**-8 * (1 + 2.0**-50), steps=1, number_format="bf16")
    tied = updated_weights(weight=1.0, update=2.0**-8, steps=1, number_format="bf16")
    assert (start[-1, 0], tied[-1, 0], above[-1, 0]) == (1.0, 1.0, 1 + 2.0**-7)
    below = updated_weights(weight=1 + 2.0**-7, update=2.0**-8 * (1 - 2.0**-50), steps=1, number_format="bf16")
    assert below[-1, 0] == 1 + 2.0**-7


def test_where_the_exact_sum_is_told() -> None:
    found = sum_in_format([1e8, 1.0, -1e8], number_format="fp32")
    assert (found.total, found.exact, found.relative_error) == (0.0, 1.0, 1.0)
    assert sum_in_format([], number_format="fp32").total == 0.0
    assert sum_in_format([3.0, -3.0], number_format="fp32").relative_error == 0.0


def test_a_wide_accumulator_and_blocks_do_not_stall() -> None:
    ones = [1.0] * 4096
    assert sum_in_format(ones, number_format="bf16").total == stalled_count("bf16") == 256
    assert sum_in_format(ones, number_format="bf16", accumulator="fp32").total == 4096
    assert sum_in_format(ones, number_format="e4m3", order="blocks", block=16).total == 4096
    assert sum_in_format(ones, number_format="e4m3", order="blocks", block=128).total == 32 * stalled_count("e4m3")
    terms = np.random.default_rng(8).random(4096)
    errors = {order: sum_in_format(terms, number_format="bf16", order=order).relative_error for order in SUM_ORDERS}
    assert errors["running"] > 0.5 > 0.02 > max(errors["pairwise"], errors["kahan"], errors["blocks"])


@given(terms=TERMS, block=st.integers(1, 50))
def test_blocks_by_slices(terms: list[float], block: int) -> None:
    parts = [np.float32(0)]
    for start in range(0, len(terms), block):
        total = np.float16(0)
        for term in terms[start : start + block]:
            total = total + np.float16(term)
        parts.append(parts[-1] + np.float32(total))
    found = sum_in_format(terms, number_format="fp16", order="blocks", block=block)
    assert found.total == float(parts[-1])


def test_several_sums_at_once_and_at_random() -> None:
    ones = np.ones((600, 300))
    nearest = running_format_sums(ones, number_format="bf16")
    assert (nearest[:256] == np.arange(1, 257)[:, None]).all()
    assert (nearest[255:] == 256).all()
    drawn = running_format_sums(ones, number_format="bf16", generator=np.random.default_rng(1))
    assert abs(drawn[-1].mean() - 600) < 4 * drawn[-1].std() / 300**0.5
    with pytest.raises(ValueError, match="one axis or two"):
        running_format_sums(np.ones((1, 1, 1)), number_format="bf16")


# Updates of a weight.


@pytest.mark.parametrize("name", ["bf16", "fp16", "e4m3", "fp32"])
@pytest.mark.parametrize("towards_zero", [False, True])
@given(weight=st.floats(0.02, 100))
def test_a_weight_moves_from_the_least_update_on(name: str, towards_zero: bool, weight: float) -> None:
    held = round_to_format(weight, number_format=name).item()
    least = least_moving_update(weight, number_format=name, towards_zero=towards_zero)
    for share, moves in ((0.999, False), (1.001, True)):
        update = share * least * (-1 if towards_zero else 1)
        after = updated_weights(weight=weight, update=update, steps=5, number_format=name)[:, 0]
        assert (after[1:] != after[0]).all() if moves else (after == held).all(), (after, update)


def test_a_weight_stalls_where_half_a_gap_is_more_than_the_update() -> None:
    """From 1 by 2⁻⁸ and a bit: past 2, where the gap is twice as wide, the weight stops."""
    weights = updated_weights(weight=1.0, update=0.0045, steps=400)[:, 0]
    assert weights[-1] == 2.0
    assert unit_in_last_place(2.0, number_format="bf16") / 2 > 0.0045
    steps = {after - before for before, after in pairwise(weights.tolist())}
    assert steps == {0.0, 2.0**-7}  # it moves too far, or not at all


def test_updates_by_numpys_halves() -> None:
    weight, update = np.float16(0.7), np.float16(3e-4)
    weights = [float(weight)]
    for _ in range(100):
        weight = weight + update
        weights.append(float(weight))
    found = updated_weights(weight=0.7, update=float(update), steps=100, number_format="fp16")
    assert found[:, 0].tolist() == weights


def test_a_master_copy_by_numpys_singles() -> None:
    weight, update = np.float32(1), np.float32(1e-4)
    weights = [1.0]
    for _ in range(300):
        weight = weight + update
        weights.append(float(np.float16(weight)))
    found = updated_weights(weight=1.0, update=float(update), steps=300, number_format="fp16", rule="master")
    assert found[:, 0].tolist() == weights


@pytest.mark.parametrize("rule", ["stochastic", "master", "kahan"])
def test_three_rules_go_where_the_exact_weight_goes(rule: str) -> None:
    copies = 1000 if rule == "stochastic" else 1
    weights = updated_weights(weight=1.0, update=-1e-4, steps=1000, rule=rule, copies=copies, seed=3)
    assert (round_to_format(weights, number_format="bf16") == weights).all()
    spread = 4 * weights[-1].std() / copies**0.5
    assert abs(weights[-1].mean() - 0.9) < max(spread, 2.0**-8)
    assert math.isclose(updated_weights(weight=1.0, update=-1e-4, steps=1000)[-1, 0], 1.0)


def test_draws_follow_the_seed() -> None:
    kwargs: dict[str, Any] = {"weight": 1.0, "update": 1e-3, "steps": 50, "rule": "stochastic", "copies": 3}
    assert np.array_equal(updated_weights(**kwargs, seed=1), updated_weights(**kwargs, seed=1))
    assert not np.array_equal(updated_weights(**kwargs, seed=1), updated_weights(**kwargs, seed=2))


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="accumulator must have a sign"):
        sum_in_format([1.0], number_format="bf16", accumulator="e8m0")
    with pytest.raises(ValueError, match="accumulator must be one of"):
        sum_in_format([1.0], number_format="bf16", accumulator="fp7")
    with pytest.raises(ValueError, match="steps times copies"):
        updated_weights(weight=1.0, update=1.0, steps=2**16, copies=2**12)
