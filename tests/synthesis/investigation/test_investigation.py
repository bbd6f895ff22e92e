"""Chapter 36: the advisor finds causes that were put in; elasticities, steps and twins against other ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.collectives.costs_and_bounds.published_runs import B200_FOUR_NODES
from snippets.parallelism.tensor.programs import run_pair
from snippets.synthesis.investigation.figures import (
    QUESTIONS,
    answers_plot,
    investigation_tree_panel,
    late_rank_panel,
    suspects_panel,
)
from snippets.synthesis.investigation.formulas import advise, time_elasticity
from snippets.synthesis.investigation.programs import muon_step, orthogonalised, train_seeded

HEALTHY: dict[str, Any] = {
    "planned_compute_s": 1.0,
    "planned_communication_s": 0.2,
    "messages": 10,
    "total_bytes": 1e9,
    "latency_s": 1e-3,
    "bandwidth_bytes_per_s": 1e10,
    "held_bytes": 5e10,
    "memory_bytes": 8e10,
}
AS_PLANNED: dict[str, Any] = {"compute_s": 1.0, "last_arrival_s": 1.0, "communication_s": 0.2}


def clock(own_s: list[float], sum_s: float) -> dict[str, Any]:
    """Return what a typical rank sees of a step: the sum begins when the last rank has come."""
    typical = sorted(own_s)[len(own_s) // 2]
    end = max(own_s) + sum_s
    return {"compute_s": typical, "last_arrival_s": max(own_s), "communication_s": end - typical}


@given(extra=st.floats(0.01, 5), ranks=st.integers(3, 9))
def test_a_slow_rank_is_found_however_long_the_others_wait_in_the_network(extra: float, ranks: int) -> None:
    advice = advise(**HEALTHY, **clock([1.0] * (ranks - 1) + [1.0 + extra], 0.2))
    assert (advice.invariant, advice.ceiling) == ("compute", "waiting")
    assert advice.predicted_s == pytest.approx(1.2)


@given(extra=st.floats(0.01, 5))
def test_slow_matmuls_are_found_on_all_ranks(extra: float) -> None:
    advice = advise(**HEALTHY, **clock([1.0 + extra] * 4, 0.2))
    assert (advice.invariant, advice.ceiling) == ("compute", "rate")
    assert advice.predicted_s == pytest.approx(1.2)


@given(extra=st.floats(0.01, 5), messages=st.integers(1, 1000))
def test_messages_want_to_be_fewer_or_smaller(extra: float, messages: int) -> None:
    run = HEALTHY | {"messages": messages}
    advice = advise(**run, **clock([1.0] * 4, 0.2 + extra))
    assert advice.ceiling == ("latency" if messages * 1e-3 >= 1e9 / 1e10 else "bandwidth")
    assert advice.predicted_s == pytest.approx(1.2)


def test_memory_goes_before_everything_and_no_cause_is_no_cause() -> None:
    full = advise(**(HEALTHY | {"held_bytes": 9e10}), **AS_PLANNED)
    assert (full.invariant, full.ceiling, full.predicted_s) == ("memory", "capacity", 1.2)
    none = advise(**HEALTHY, **AS_PLANNED)
    assert (none.ceiling, none.predicted_s) == ("none", 1.2)
    assert none.why == "no part is later than planned"
    with pytest.raises(ValueError, match="last_arrival_s must be at least compute_s"):
        advise(**HEALTHY, **(AS_PLANNED | {"last_arrival_s": 0.9}))


@given(power=st.floats(-3, 3), factor=st.floats(0.1, 10).filter(lambda f: abs(f - 1) > 0.01), scale=st.floats(0.1, 10))
def test_a_power_law_has_its_exponent_as_elasticity(power: float, factor: float, scale: float) -> None:
    found = time_elasticity(before_s=scale, after_s=scale * factor**power, factor=factor)
    assert found == pytest.approx(power, abs=1e-7)


def test_twins_are_one_layer_of_half_the_width() -> None:
    """On one rank, with both halves' output in one doubled matrix, and step sizes that make up for it."""
    steps, hidden, inner, seed, eta = 40, 8, 16, 36, 0.05
    twins = train_seeded(ranks=2, shared=True, steps=steps)
    chance = np.random.default_rng([seed, 1])
    first = chance.normal(size=(hidden, inner // 2)) / hidden**0.5
    second = 2 * chance.normal(size=(inner // 2, hidden)) / inner**0.5
    data = np.random.default_rng([seed, 0])
    x = data.normal(size=(64, hidden))
    wanted = np.tanh(x @ data.normal(size=(hidden, hidden)) / hidden**0.5)
    for step in range(steps):
        error = run_pair(x, first, second, np.zeros_like(wanted), ranks=1, cuts=("column", "row")).output - wanted
        assert np.mean(error**2) == pytest.approx(twins.losses[step], rel=1e-9)
        run = run_pair(x, first, second, 2 * error / len(x), ranks=1, cuts=("column", "row"))
        first = first - eta / 2 * run.first_gradient
        second = second - 2 * eta * run.second_gradient
    assert set(twins.apart) == {0.0}


def test_own_seeds_keep_the_shards_apart_and_bad_numbers_of_ranks_are_refused() -> None:
    assert min(train_seeded(ranks=4, shared=False, steps=5).apart) > 1
    with pytest.raises(ValueError, match="ranks must be at least 2 and divide inner = 16, got 3"):
        train_seeded(ranks=3, shared=True, steps=1)


@given(rows=st.integers(1, 6), columns=st.integers(1, 6), seed=st.integers(0, 99))
def test_the_nearest_orthogonal_matrix_is_what_newton_schulz_converges_to(rows: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(rows, columns))
    x = matrix / np.linalg.norm(matrix)
    for _ in range(400):
        x = 1.5 * x - 0.5 * x @ x.T @ x
    assert np.allclose(orthogonalised(matrix), x, atol=1e-6)


@pytest.mark.parametrize("micro_batches", [2, 4, 8])
def test_equal_micro_batches_agree_and_unequal_ones_do_not(micro_batches: int) -> None:
    assert muon_step(micro_batches=micro_batches, noise=1e-9).error < 1e-6
    run = muon_step(micro_batches=micro_batches)
    assert (run.once, run.each) == (1, micro_batches)
    assert run.error > 0.1


def test_the_pictures_say_what_was_computed() -> None:
    for width in (340, 640):
        tree = investigation_tree_panel(width_px=width).svg()
        assert all(asked in tree and otherwise in tree for asked, otherwise, _ in QUESTIONS)
        bars = suspects_panel([("one", 0.5), ("two", 0.25)], excess_s=0.5, width_px=width).svg()
        assert "0.25 s" in bars
        assert "to explain: 0.50 s" in bars
        wait = late_rank_panel(computing_s=(2, 5), exchange_s=1, width_px=width).svg()
        assert wait.count(">waits<") == 1
        assert all(f">{second} s<" in wait for second in (0, 2, 5, 6))
        data = late_rank_panel(computing_s=(6, 6), idle_s=(0, 2), exchange_s=1, width_px=width).svg()
        assert data.count(">idle<") == data.count(">waits<") == 1
        assert all(f">{second} s<" in data for second in (0, 2, 6, 8, 9))
    plot = answers_plot([("all", "communication", [(1, 1), (2, 0.5)])], label_mib=2, dots=[(2, 0.5, "here")])
    assert ">here<" in plot.svg()
    assert ">all<" in plot.svg()


def test_smaller_pieces_of_the_measured_table_never_take_less_in_all() -> None:
    whole = [time / size for size, time in zip(B200_FOUR_NODES.sizes_bytes, B200_FOUR_NODES.times_s, strict=True)]
    assert whole == sorted(whole, reverse=True)
