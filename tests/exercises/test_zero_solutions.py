"""Solutions of chapter 22 against a replicated Adam, brute force over ranks, and all assignments."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.memory.zero import solution
from snippets.memory.recipes import RECIPES
from snippets.memory.sharded_adam import Adam, adam_update
from snippets.memory.sharded_programs import run_sharded_program
from snippets.memory.zero import shard_length, zero_bytes_per_parameter, zero_state_bytes, zero_traffic_elements

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@given(
    st.sampled_from([name for name, recipe in RECIPES.items() if recipe.first_moment == recipe.second_moment]),
    st.integers(0, 3),
    st.integers(1, 12),
)
def test_bytes_per_parameter_of_the_recipes(name: str, stage: int, ranks: int) -> None:
    recipe = RECIPES[name]
    assume(recipe.master in (0, 4))
    got = solution.bytes_per_parameter(
        weight_bits=8 * recipe.parameters,
        gradient_bits=8 * recipe.gradient_bytes,
        average_bits=8 * recipe.first_moment,
        master=recipe.master == 4,
        stage=stage,
        ranks=ranks,
    )
    assert got == zero_bytes_per_parameter(ranks=ranks, stage=stage, recipe=recipe)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 3))
def test_zero1_is_the_replicated_step(ranks: int, count: int, steps: int) -> None:
    rng = np.random.default_rng(count)
    start, gradients = rng.normal(size=count), rng.normal(size=(steps, ranks, count))
    run = run_sharded_program(partial(solution.zero1_step, learning_rate=0.01), start, gradients)
    whole, first, second = start.copy(), np.zeros(count), np.zeros(count)
    for step, each in enumerate(gradients, start=1):
        adam_update(whole, first, second, each.mean(axis=0), step=step, adam=Adam(learning_rate=0.01))
    for mine in run.parameters:
        assert mine == pytest.approx(whole, rel=1e-5, abs=1e-6)
    assert run.first == pytest.approx(first, rel=1e-5, abs=1e-6)
    assert run.second == pytest.approx(second, rel=1e-5, abs=1e-6)
    moves = [zero_traffic_elements(count, ranks=ranks, stage=1, rank=rank).sent for rank in range(ranks)]
    assert list(run.account.sent_bytes) == [4 * steps * each for each in moves]
    for rank, peak in enumerate(run.account.peak_bytes):
        held = zero_state_bytes(count, ranks=ranks, stage=1, recipe="fp32-adam", rank=rank).total
        assert peak == held + 4 * shard_length(count, ranks=ranks, rank=rank)


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 60), st.integers(0, 1200), st.integers(0, 100), st.integers(0, 3))
def test_fewest_ranks_by_trying_them(parameters: int, memory: int, other: int, stage: int) -> None:
    got = solution.fewest_ranks(parameters=parameters, memory_bytes=memory, other_bytes=other, stage=stage)
    fits = (
        ranks
        for ranks in range(1, parameters + 1)
        if zero_state_bytes(parameters, ranks=ranks, stage=stage).total + other <= memory
    )
    assert got == next(fits, None)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 3))
def test_owners_within_grahams_bound(sizes: list[int], ranks: int) -> None:
    def heaviest(owner: tuple[int, ...]) -> int:
        return max(sum(s for s, o in zip(sizes, owner, strict=True) if o == rank) for rank in range(ranks))

    best = min(heaviest(owner) for owner in product(range(ranks), repeat=len(sizes)))
    assert heaviest(tuple(solution.owners(sizes, ranks))) <= best * (4 / 3 - 1 / (3 * ranks)) + 1e-9
