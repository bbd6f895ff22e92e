"""Drawings: the live figure of chapter 23: the cheapest plan for a chain of layers and a budget of memory."""

from __future__ import annotations

from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number
from snippets.memory.recomputation.drawing import plan_panel
from snippets.memory.recomputation.formulas import (
    cheapest_recomputation_plan,
    keep_all_tasks,
    keep_nothing_tasks,
    recomputation_account,
    uniform_chain,
)


@live_figure(
    title="The cheapest plan for a budget",
    caption="The unit is a layer's input. Press *Four layers, all kept* and lower the budget one by one: the first "
    "units that you give up cost few forward passes, the last ones many. $A$ is the size of a record, the input "
    "included.",
    knobs=[
        Number("layers", "Layers L", 4, 1, 12),
        Number("kept", "Record A", 3, 1, 17),
        Number("budget", "Budget", 9, 3, 207),
    ],
    named=[
        Named("Four layers, all kept", "14 units hold everything, and 4 forward passes are enough.", {"budget": 14}),
        Named(
            "Four layers, least memory", "In 6 units 10 forward passes are needed; everything took 14.", {"budget": 6}
        ),
        Named(
            "Equal sizes, A = 1",
            "12 layers in 7 units: 21 forward passes, 9 more than 12.",
            {"layers": 12, "kept": 1, "budget": 7},
        ),
        Named(
            "Layers like the question's, A = 17",
            "With a budget of 88, where everything would take 206, 12 layers need 20 forward passes.",
            {"layers": 12, "kept": 17, "budget": 88},
        ),
    ],
)
def cheapest_plan_figure(*, layers: int, kept: int, budget: int) -> Picture:
    """Draw the plan that the dynamic program finds, and say what it costs beside the two extremes."""
    chain = uniform_chain(layers, kept_bytes=kept)
    all_kept = recomputation_account(chain, keep_all_tasks(layers))
    nothing = recomputation_account(chain, keep_nothing_tasks(layers))
    plan = cheapest_recomputation_plan(chain, budget_bytes=budget)
    if plan is None:
        raise ValueError(f"No plan fits into {budget} units: even keeping nothing takes {nothing.peak_bytes}.")
    again = plan.forward_passes - layers
    share = again / (3 * layers)
    panel = plan_panel(plan, budget_bytes=budget, most_bytes=max(all_kept.peak_bytes, budget), legend=True)
    numbers = (
        f"{layers} layers, A = {kept}, budget {budget}: the plan holds at most {plan.peak_bytes} and runs "
        f"{plan.forward_passes} forward passes, {again} more than {layers}; {share:.0%} more for a step whose "
        f"backward pass costs two forward passes. Keeping everything: {all_kept.peak_bytes} and {layers}. "
        f"Keeping nothing: {nothing.peak_bytes} and {nothing.forward_passes}."
    )
    alt = (
        f"A row for each of {layers} layers and a column for each of {len(plan.tasks)} tasks: forward passes, recorded "
        f"or not, and backward passes from the last layer to the first; below, what is held, at most {plan.peak_bytes} "
        f"of a budget of {budget}."
    )
    return Picture([panel], numbers, alt, limits={"budget": float(max(all_kept.peak_bytes, 3))})
