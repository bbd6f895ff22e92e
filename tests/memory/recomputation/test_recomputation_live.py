"""The live figures of chapter 23, against searches over all plans and over all subsets of a layer's tensors."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from snippets.flops import gpt_training_flops
from snippets.memory.memory_equation.step_peak import gpt_step_sizes
from snippets.memory.memory_equation.step_timeline import step_timeline
from snippets.memory.recomputation.checkpointed_chain import run_checkpointed_chain, search_least_cost, small_layers
from snippets.memory.recomputation.drawing import plan_panel
from snippets.memory.recomputation.formulas import keep_nothing_tasks, recomputation_account, uniform_chain
from snippets.memory.recomputation.live import cheapest_plan_figure, drop_calculator
from snippets.memory.recomputation.selective import sizes_without, tensor_prices


@pytest.mark.parametrize(("layers", "kept", "budget"), [(4, 3, 9), (5, 2, 8), (3, 5, 12), (6, 1, 5), (4, 4, 11)])
def test_the_numbers_are_those_of_a_search_over_all_plans(layers: int, kept: int, budget: int) -> None:
    numbers = cheapest_plan_figure(layers=layers, kept=kept, budget=budget).numbers
    least = search_least_cost(uniform_chain(layers, kept_bytes=kept), budget_bytes=budget)
    assert least is not None
    assert f"runs {least:g} forward passes, {least - layers:g} more than {layers};" in numbers


def test_keeping_nothing_is_what_a_run_with_arrays_finds() -> None:
    run = run_checkpointed_chain(small_layers([1] * 5, [2] * 4), keep_nothing_tasks(4), np.ones(1))
    assert f"Keeping nothing: {run.peak_bytes // 8} and {run.forward_passes}." in cheapest_plan_figure().numbers


def test_a_budget_in_which_nothing_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="even keeping nothing takes 6"):
        cheapest_plan_figure(budget=5)


def test_the_panel_has_a_letter_for_every_task() -> None:
    plan = recomputation_account(uniform_chain(3, kept_bytes=3), keep_nothing_tasks(3))
    svg = plan_panel(plan, title="a plan", budget_bytes=4).svg()
    letters = "".join(re.findall(r">([FB]+)</text>", svg))
    assert letters.count("F") == plan.forward_passes == 6
    assert letters.count("B") == 3
    assert f"most: {plan.peak_bytes}" in svg


@pytest.mark.parametrize(("columns", "tasks", "said"), [(3, 3, "columns must"), (None, 0, "plan must")])
def test_what_cannot_be_drawn_is_refused(columns: int | None, tasks: int, said: str) -> None:
    plan = recomputation_account(uniform_chain(3), keep_nothing_tasks(3))
    empty = type(plan)((), (), 0)
    with pytest.raises(ValueError, match=said):
        plan_panel(plan if tasks else empty, columns=columns)


def drops(**knobs: object) -> tuple[float, float]:
    """Return what the figure says that a step peaks at, in GB, and adds to the operations, in percent."""
    numbers = drop_calculator(**knobs).numbers
    found = re.search(r"(?:peaks at|needs) ([\d.,]+) GB(?: of|, and)[^%]*for ([\d.]+)% more", numbers)
    assert found, numbers
    return float(found[1].replace(",", "")), float(found[2])


@pytest.mark.parametrize(("sequence", "micro_batch"), [(2048, 1), (4096, 3), (8192, 2), (16384, 1)])
def test_what_is_dropped_is_the_cheapest_that_fits_a_simulated_step(sequence: int, micro_batch: int) -> None:
    """Every subset of the tensors is tried on the simulated step, without a formula of what it frees."""
    shape = {"sequence": sequence, "micro_batch": micro_batch, "hidden": 3072, "heads": 32, "attention": "flash"}
    sizes = gpt_step_sizes(layers=30, vocabulary=51200, positions=16384, **shape)  # type: ignore[arg-type]
    prices = tensor_prices(**shape)  # type: ignore[arg-type]
    paid = [price for price in prices if price.flops]
    free = {price.name for price in prices if not price.flops}
    best, fits = None, step_timeline(sizes).peak_bytes <= 80e9
    for count in range(len(paid) + 1):
        for some in combinations(paid, count):
            without = sizes_without(sizes, dropped=free | {price.name for price in some})
            flops = sum(price.flops for price in some)
            if step_timeline(without).peak_bytes <= 80e9 and (best is None or flops < best):
                best = flops
    assert best is not None
    step = gpt_training_flops(batch=micro_batch, sequence=sequence, hidden=3072, layers=30, vocabulary=51200)
    peak_gb, added = drops(sequence=sequence, micro_batch=micro_batch)
    assert added == pytest.approx(0 if fits else 100 * 30 * best / step, abs=0.051)
    assert peak_gb <= 80


def test_where_nothing_fits_it_says_so() -> None:
    assert "Even with all of them dropped" in drop_calculator(sequence=131072).numbers
    assert "Nothing has to be dropped" in drop_calculator(sequence=2048).numbers


def test_the_legend_of_a_narrow_plan_stays_inside() -> None:
    plan = recomputation_account(uniform_chain(4, kept_bytes=3), keep_nothing_tasks(4))
    svg = plan_panel(plan, title="a plan", width=340, legend=True).svg()
    for x, words in re.findall(r'<text x="([\d.]+)"[^>]*class="start[^>]*>([^<]+)<', svg):
        assert float(x) + 6.2 * len(words) < 340, words
