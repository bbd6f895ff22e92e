"""The live figure of chapter 23 shows a plan that a search over all plans confirms."""

from __future__ import annotations

import re

import numpy as np
import pytest

from snippets.memory.recomputation.checkpointed_chain import run_checkpointed_chain, search_least_cost, small_layers
from snippets.memory.recomputation.drawing import plan_panel
from snippets.memory.recomputation.formulas import keep_nothing_tasks, recomputation_account, uniform_chain
from snippets.memory.recomputation.live import cheapest_plan_figure


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
