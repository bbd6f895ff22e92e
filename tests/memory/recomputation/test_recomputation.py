"""Chapter 23: plans that run with arrays, the dynamic program against a search over all plans, and closed forms."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.recomputation.checkpointed_chain import run_checkpointed_chain, search_least_cost, small_layers
from snippets.memory.recomputation.formulas import (
    ChainLayer,
    ChainTask,
    best_segment_layers,
    binomial_forward_passes,
    binomial_reach_layers,
    cheapest_recomputation_plan,
    full_recomputation_overhead,
    growing_segments_layers,
    keep_all_tasks,
    keep_nothing_forward_passes,
    keep_nothing_tasks,
    recomputation_account,
    segment_peak_bytes,
    segment_tasks,
    uniform_chain,
)

UNEQUAL = (ChainLayer(1, 5, 1, 3), ChainLayer(1, 4, 4, 1), ChainLayer(4, 6, 2, 3), ChainLayer(2, 5, 2, 3))
UNEQUAL_BUDGET = 13


@st.composite
def chains(draw: st.DrawFn, most: int = 5) -> tuple[ChainLayer, ...]:
    """Draw chains whose sizes and costs differ from layer to layer."""
    count = draw(st.integers(1, most))
    sizes = [draw(st.integers(0, 4)) for _ in range(count + 1)]
    return tuple(
        ChainLayer(before, before + draw(st.integers(0, 5)), after, draw(st.integers(0, 4)))
        for before, after in pairwise(sizes)
    )


@given(chain=chains(), data=st.data())
@settings(max_examples=examples(60))
def test_the_dynamic_program_is_the_best_of_all_plans_that_drop_nothing(chain: Any, data: st.DataObject) -> None:
    """The search follows every possible task and knows nothing of the recursion."""
    most = recomputation_account(chain, keep_all_tasks(len(chain))).peak_bytes
    budget = data.draw(st.integers(0, most + 1))
    plan, least = cheapest_recomputation_plan(chain, budget_bytes=budget), search_least_cost(chain, budget_bytes=budget)
    assert (plan is None) == (least is None)
    if plan is not None and least is not None:
        assert plan.forward_cost == pytest.approx(least)
        assert plan.peak_bytes <= budget


def test_the_dynamic_program_on_all_chains_of_three_layers_with_small_sizes() -> None:
    for a, b, own, cost in product((1, 3), (1, 2), (0, 2), (1, 3)):
        chain = (ChainLayer(a, a + own, b, cost), ChainLayer(b, b + 1, a, 2), ChainLayer(a, a + 2 - own, 1, 1))
        for budget in range(4, 15):
            plan = cheapest_recomputation_plan(chain, budget_bytes=budget)
            assert (plan and plan.forward_cost) == search_least_cost(chain, budget_bytes=budget)


@given(layers=st.integers(1, 5), kept=st.integers(1, 4), budget=st.integers(3, 24))
@settings(max_examples=examples(15))
def test_on_equal_layers_dropping_what_was_kept_never_helps(layers: int, kept: int, budget: int) -> None:
    chain = uniform_chain(layers, kept_bytes=kept)
    plan = cheapest_recomputation_plan(chain, budget_bytes=budget)
    assert (plan and plan.forward_cost) == search_least_cost(chain, budget_bytes=budget, drop=True)


def test_on_unequal_layers_it_can() -> None:
    """The restriction costs something here: the chapter says so."""
    chain = UNEQUAL
    plan = cheapest_recomputation_plan(chain, budget_bytes=UNEQUAL_BUDGET)
    free = search_least_cost(chain, budget_bytes=UNEQUAL_BUDGET, drop=True)
    assert plan is not None
    assert free is not None
    assert free < plan.forward_cost


@given(
    widths=st.lists(st.integers(1, 5), min_size=2, max_size=6),
    seed=st.integers(0, 99),
    data=st.data(),
)
@settings(max_examples=examples(30))
def test_a_plan_that_runs_with_arrays_holds_and_computes_what_the_account_says(
    widths: list[int], seed: int, data: st.DataObject
) -> None:
    count = len(widths) - 1
    inner = [data.draw(st.integers(0, 6)) for _ in range(count)]
    layers = small_layers(widths, inner, costs=list(range(1, count + 1)), seed=seed)
    chain, x = [layer.as_chain_layer() for layer in layers], np.random.default_rng(seed).normal(size=widths[0])
    whole = run_checkpointed_chain(layers, keep_all_tasks(count), x)
    plans = [recomputation_account(chain, keep_nothing_tasks(count))]
    plans += [recomputation_account(chain, segment_tasks(count, segment_layers=k)) for k in range(1, count + 1)]
    low, high = min(plan.peak_bytes for plan in plans), whole.peak_bytes
    plans += [
        plan
        for budget in {low, (low + high) // 2, high}
        if (plan := cheapest_recomputation_plan(chain, budget_bytes=budget))
    ]
    for plan in plans:
        run = run_checkpointed_chain(layers, plan.tasks, x)
        assert run.peak_bytes == plan.peak_bytes
        assert run.forward_passes == plan.forward_passes
        assert sum((i + 1) * times for i, times in enumerate(run.forwards)) == pytest.approx(plan.forward_cost)
        for own, other in zip(run.gradients, whole.gradients, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(own, other, strict=True))


def test_the_gradients_are_the_slopes_of_the_loss() -> None:
    layers, x = small_layers([3, 2, 4], [5, 3], seed=2), np.random.default_rng(1).normal(size=3)
    gradients = run_checkpointed_chain(layers, keep_nothing_tasks(2), x).gradients

    def loss() -> float:
        y = x
        for layer in layers:
            y = layer.second @ np.tanh(layer.first @ y)
        return float((y**2).sum() / 2)

    for layer, pair in zip(layers, gradients, strict=True):
        for weights, gradient in zip((layer.first, layer.second), pair, strict=True):
            weights[0, 0] += 1e-6
            up = loss()
            weights[0, 0] -= 2e-6
            assert gradient[0, 0] == pytest.approx((up - loss()) / 2e-6, rel=1e-4, abs=1e-7)
            weights[0, 0] += 1e-6


@given(layers=st.integers(1, 9), k=st.integers(1, 10), c=st.integers(0, 5), own=st.integers(0, 40))
@settings(max_examples=examples(30))
def test_segments_by_formula_are_segments_run(layers: int, k: int, c: int, own: int) -> None:
    chain = uniform_chain(layers, input_bytes=c, kept_bytes=c + own)
    formula = segment_peak_bytes(layers, segment_layers=k, input_bytes=c, kept_bytes=c + own)
    plan = recomputation_account(chain, segment_tasks(layers, segment_layers=k))
    assert plan.peak_bytes == formula
    if layers % k == 0:
        assert formula == layers // k * c + k * (c + own) + c
    starts = -(-layers // k)
    assert plan.forward_passes == 2 * layers - (layers - (starts - 1) * k)


@pytest.mark.parametrize("layers", [7, 16, 30, 64])
@pytest.mark.parametrize(("c", "A"), [(1, 1), (2, 34), (3, 4)])
def test_the_best_segment_is_next_to_the_root(layers: int, c: int, A: int) -> None:
    def smooth(k: float) -> float:
        return layers / k * c + k * A

    best = best_segment_layers(layers, input_bytes=c, kept_bytes=A)
    assert smooth(best) <= min(smooth(best * 1.01), smooth(best * 0.99), *(smooth(k) for k in range(1, layers + 1)))


def test_the_root_of_l_is_right_for_equal_sizes_alone() -> None:
    assert best_segment_layers(16, input_bytes=1, kept_bytes=1) == 4
    peaks = [segment_peak_bytes(30, segment_layers=k, input_bytes=2, kept_bytes=34) for k in range(1, 31)]
    assert peaks.index(min(peaks)) == 0
    assert peaks[4] / peaks[0] > 1.9


@pytest.mark.parametrize("layers", range(1, 13))
@pytest.mark.parametrize("checkpoints", [1, 2, 3, 5])
def test_binomial_passes_are_those_of_the_dynamic_program(layers: int, checkpoints: int) -> None:
    record = 500  # a second one never fits
    chain = uniform_chain(layers, kept_bytes=1 + record)
    plan = cheapest_recomputation_plan(chain, budget_bytes=record + checkpoints + 3)
    assert plan is not None
    assert plan.forward_passes == binomial_forward_passes(layers, checkpoints=checkpoints)


@pytest.mark.parametrize(("checkpoints", "repeats"), [(1, 1), (1, 4), (2, 2), (3, 2), (2, 3)])
def test_the_binomial_reach_is_where_another_repetition_begins(checkpoints: int, repeats: int) -> None:
    reach = binomial_reach_layers(checkpoints=checkpoints, repeats=repeats)
    for layers, most in ((reach, repeats + 1), (reach + 1, repeats + 2)):
        plan = cheapest_recomputation_plan(uniform_chain(layers, kept_bytes=501), budget_bytes=500 + checkpoints + 3)
        assert plan is not None
        runs = [0] * layers
        for task in plan.tasks:
            runs[task.layer - 1] += task.kind != "backward"
        assert max(runs) == most


@pytest.mark.parametrize("slots", range(2, 8))
def test_growing_segments_reach_as_far_as_the_dynamic_program_with_two_runs(slots: int) -> None:
    reach = growing_segments_layers(slots)
    for layers, twice in ((reach, True), (reach + 1, False)):
        plan = cheapest_recomputation_plan(uniform_chain(layers, kept_bytes=1), budget_bytes=slots + 2)
        assert plan is not None
        runs = [
            sum(task == (kind, i) for task in plan.tasks for kind in ("forward", "keep", "record"))
            for i in range(1, layers + 1)
        ]
        assert (max(runs) <= 2) is twice


@pytest.mark.parametrize("layers", [1, 2, 5, 30])
def test_keeping_nothing(layers: int) -> None:
    plan = recomputation_account(uniform_chain(layers), keep_nothing_tasks(layers))
    assert plan.forward_passes == keep_nothing_forward_passes(layers)
    assert plan.peak_bytes <= 5


def test_full_recomputation_is_a_third_of_the_step_and_all_of_the_forward_pass() -> None:
    layers = 12
    chain = uniform_chain(layers, input_bytes=1, kept_bytes=17)
    plan = recomputation_account(chain, segment_tasks(layers, segment_layers=1))
    again = plan.forward_passes - layers
    assert again == layers - 1  # the last layer records at once
    assert layers / (layers + 2 * layers) == full_recomputation_overhead() == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([ChainTask("backward", 2)], "record layer 2"),
        ([ChainTask("forward", 2)], "X_1"),
        ([ChainTask("record", 1)], "must end"),
        ([ChainTask("record", 3)], "at most 2"),
        (
            [ChainTask("forward", 1), ChainTask("record", 2), ChainTask("record", 1), ChainTask("backward", 2)],
            "reach the loss",
        ),
    ],
)
def test_plans_that_cannot_run_are_refused(tasks: list[ChainTask], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        recomputation_account(uniform_chain(2), tasks)
    if "at most" not in said:
        with pytest.raises(ValueError, match="tasks must"):
            run_checkpointed_chain(small_layers([1, 1, 1], [1, 1]), tasks, np.ones(1))
