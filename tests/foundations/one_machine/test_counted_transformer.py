"""The tiny GPT's gradients are slopes of its loss, and its counter counts what elementary arithmetic counts."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exercises.foundations.one_machine.step_flops import counted
from snippets import flops
from snippets.foundations.one_machine.simulators import PARTS, ProductCounter, counted_step, gpt_shapes, gpt_weights
from snippets.models import MODELS, gpt_parameter_count, parameter_count

SIZES: dict[str, Any] = {"layers": 2, "hidden": 6, "vocabulary": 7, "positions": 5}


def batch(sequences: int, length: int, vocabulary: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, vocabulary, (sequences, length + 1))


def test_the_gradients_are_the_slopes_of_the_loss() -> None:
    weights, tokens = gpt_weights(**SIZES), batch(2, 4, 7)
    step = counted_step(weights, tokens, heads=3)
    assert step.gradients.keys() == weights.keys()
    rng, shift = np.random.default_rng(2), 1e-5
    for name, weight in weights.items():
        for _ in range(4):
            place = tuple(rng.integers(0, length) for length in weight.shape)
            losses = []
            for sign in (1, -1):
                moved = {**weights, name: weight.copy()}
                moved[name][place] += sign * shift
                losses.append(counted_step(moved, tokens, heads=3).loss)
            slope = (losses[0] - losses[1]) / (2 * shift)
            assert step.gradients[name][place] == pytest.approx(slope, rel=1e-5, abs=1e-9), (name, place)


def test_a_token_sees_nothing_of_those_after_it() -> None:
    weights, tokens = gpt_weights(**SIZES), batch(1, 4, 7)
    before = counted_step(weights, tokens[:, :3], heads=2).loss
    changed = tokens.copy()
    changed[0, 3:] = (changed[0, 3:] + 1) % 7
    assert counted_step(weights, changed[:, :3], heads=2).loss == before
    assert counted_step(weights, tokens, heads=2).loss != counted_step(weights, changed, heads=2).loss


class Number:
    """A number that counts how often it is multiplied and added."""

    multiplied = added = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __mul__(self, other: Number) -> Number:
        Number.multiplied += 1
        return Number(self.value * other.value)

    def __add__(self, other: Number) -> Number:
        Number.added += 1
        return Number(self.value + other.value)


@given(m=st.integers(1, 4), k=st.integers(1, 4), n=st.integers(1, 4))
def test_a_product_is_counted_as_numbers_count_it_themselves(m: int, k: int, n: int) -> None:
    left, right = np.arange(m * k).reshape(m, k), np.arange(k * n).reshape(k, n)
    counter = ProductCounter()
    counted = counter.product(left, right, "head", "forward")
    Number.multiplied = Number.added = 0
    alone = np.vectorize(Number, otypes=[object])
    results = alone(left) @ alone(right)
    assert [[entry.value for entry in row] for row in results] == counted.tolist()
    assert counter.multiplications == {("head", "forward"): Number.multiplied}
    assert Number.added == Number.multiplied - m * n  # the first of the k terms is added to nothing


@given(
    layers=st.integers(1, 3),
    heads=st.integers(1, 3),
    head_size=st.integers(1, 3),
    sequences=st.integers(1, 3),
    length=st.integers(1, 5),
    vocabulary=st.integers(2, 7),
)
def test_the_closed_forms_are_what_the_counter_counts(
    layers: int, heads: int, head_size: int, sequences: int, length: int, vocabulary: int
) -> None:
    hidden = heads * head_size
    weights = gpt_weights(layers=layers, hidden=hidden, vocabulary=vocabulary, positions=length)
    step = counted_step(weights, batch(sequences, length, vocabulary), heads=heads)
    shape: dict[str, Any] = {"batch": sequences, "sequence": length, "hidden": hidden}
    assert step.flops(part="attention", phase="forward") == layers * flops.attention_forward_flops(**shape)
    in_layers = sum(step.flops(part=part, phase="forward") for part in PARTS[:3])
    assert in_layers == layers * flops.layer_forward_flops(**shape)
    for part in PARTS:
        assert step.flops(part=part, phase="backward") == 2 * step.flops(part=part, phase="forward")
    assert step.flops() == flops.gpt_training_flops(layers=layers, vocabulary=vocabulary, **shape)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("GPT")])
def test_the_shapes_add_up_to_the_catalogue(name: str) -> None:
    model = MODELS[name]
    sizes = {"layers": model.layers, "hidden": model.hidden}
    shapes = gpt_shapes(vocabulary=model.vocabulary, positions=model.positions, **sizes)
    count = sum(prod(shape) for shape in shapes.values())
    assert count == parameter_count(model)
    closed = gpt_parameter_count(vocabulary=model.vocabulary, positions=model.positions, **sizes)
    assert count == closed + 2 * model.hidden  # the last norm


@pytest.mark.parametrize(
    ("tokens", "heads"),
    [([[0]], 2), ([[0, 7]], 2), ([[0, -1]], 2), ([[0.5, 1]], 2), ([0, 1], 2), ([[0, 1]], 4), ([[0] * 7], 2)],
)
def test_what_is_no_batch_is_refused(tokens: Any, heads: int) -> None:
    with pytest.raises(ValueError, match=r"tokens|heads"):
        counted_step(gpt_weights(**SIZES), tokens, heads=heads)


def test_every_part_and_pass_is_counted() -> None:
    step = counted_step(gpt_weights(**SIZES), batch(1, 2, 7), heads=2)
    assert set(step.multiplications) == set(product(PARTS, ("forward", "backward")))


@given(layers=st.integers(1, 2), hidden=st.integers(1, 6), vocabulary=st.integers(2, 5), length=st.integers(1, 4))
def test_the_exercises_oracle_goes_through_the_same_products(
    layers: int, hidden: int, vocabulary: int, length: int
) -> None:
    weights = gpt_weights(layers=layers, hidden=hidden, vocabulary=vocabulary, positions=length)
    step = counted_step(weights, batch(2, length, vocabulary), heads=1)
    sizes = {"layers": layers, "hidden": hidden, "vocabulary": vocabulary}
    assert counted(**sizes, batch=2, sequence=length) == step.flops()
