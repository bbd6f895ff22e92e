"""Drawings: the live figures of chapter 23: the cheapest plan for a chain and a budget; which tensors a step drops."""

from __future__ import annotations

from dataclasses import replace

from snippets.flops import gpt_training_flops, layer_forward_flops
from snippets.hardware import ACCELERATORS
from snippets.job import THE_70B
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, Switch
from snippets.live.stacks import gigabytes, stacked_rows
from snippets.memory.memory_equation.live import QUESTION, SHOWN_MODELS, model_step_sizes
from snippets.memory.memory_equation.step_peak import StepSizes, step_peak_parts
from snippets.memory.recomputation.drawing import plan_panel, prices_panel
from snippets.memory.recomputation.formulas import (
    cheapest_recomputation_plan,
    keep_all_tasks,
    keep_nothing_tasks,
    recomputation_account,
    uniform_chain,
)
from snippets.memory.recomputation.selective import cheapest_drop, remade_flops, sizes_without, tensor_prices


@live_figure(
    title="The cheapest plan for a budget",
    caption="The unit is a layer's input. Press *Four layers, all kept* and lower the budget one by one: the first "
    "units that you give up cost few forward passes, the last ones more. $A$ is the size of a record, the input "
    "included.",
    knobs=[
        Number("layers", "Layers L", 4, 1, 12),
        Number("kept", "Record A", 3, 1, 17),
        Number("budget", "Budget G", 9, 3, 207),
    ],
    named=[
        Named("Four layers, all kept", "14 units hold everything, and 4 forward passes are enough.", {"budget": 14}),
        Named(
            "Four layers, least memory",
            "With 6 units it takes 10 forward passes, where 14 units take 4.",
            {"budget": 6},
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
    opens="Four layers, least memory",
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
    most = max(all_kept.peak_bytes, budget)
    panel, narrow = (
        plan_panel(plan, budget_bytes=budget, most_bytes=most, legend=True, width=width) for width in (690, 340)
    )
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
    return Picture([panel], numbers, alt, limits={"budget": float(max(all_kept.peak_bytes, 3))}, narrow=[narrow])


_LENGTH = 16_384
MODELS_SHOWN = SHOWN_MODELS | {QUESTION.name: replace(QUESTION, positions=_LENGTH)}


@live_figure(
    title="What should a layer drop?",
    caption="First: what a layer keeps besides its input, with flash attention, the FLOPs that make a byte of it "
    "again, and its bytes; what is dashed is dropped. Then: a GPU at the worst moment of a step. Lengthen the "
    "sequence until more has to go, and see which tensor stays to the end. Activations are those of a GPT layer of "
    "the model's width. State is cut over R GPUs by [ZeRO's stage 3](22-zero.md).",
    knobs=[
        Choice("model", "Model", {name: name for name in MODELS_SHOWN}, QUESTION.name),
        Number("sequence", "Tokens s", 2048, 128, 131072, step=2, scale="log"),
        Number("micro_batch", "Sequences b", 1, 1, 64),
        Switch("accumulated", "Gradients added up over micro-batches", False),
        Number("ranks", "Ranks R", 1, 1, 4096, step=2, scale="log"),
        Choice("device", "Device", {name: name for name in ACCELERATORS}, "A100 SXM 80GB"),
    ],
    named=[
        Named(
            "The question",
            "Eight tensors go, five of them free: the step peaks at 79.2 GB, for 4.3% more FLOPs.",
            {"sequence": _LENGTH},
        ),
        Named(
            "The question on two GPUs",
            "Each holds half of the state. The step would need 84.7 GB, and to drop GeLU's output is enough: 72.7 GB.",
            {"sequence": _LENGTH, "ranks": 2},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Seven of 11 tensors go, for 11.7% more FLOPs; running whole layers again would cost 32.9%.",
            {
                "model": THE_70B.model_name,
                "sequence": THE_70B.sequence,
                "accumulated": True,
                "ranks": THE_70B.ranks,
                "device": THE_70B.node.accelerator.name,
            },
        ),
    ],
    opens="The question",
)
def drop_calculator(model: str, sequence: int, micro_batch: int, accumulated: bool, ranks: int, device: str) -> Picture:
    """Find the cheapest tensors that a step has to drop, and draw their prices and what the step then holds."""
    chosen, memory_bytes = MODELS_SHOWN[model], ACCELERATORS[device].memory_bytes
    kept, full = (model_step_sizes(chosen, "mixed-adam", sequence, micro_batch, name) for name in ("flash", "full"))
    heads, hidden = chosen.attention.heads, chosen.hidden
    prices = tensor_prices(sequence=sequence, micro_batch=micro_batch, hidden=hidden, heads=heads, attention="flash")

    def worst(sizes: StepSizes) -> dict[str, int]:
        moments = step_peak_parts(sizes, keep_gradients=accumulated, ranks=ranks, stage=3 if ranks > 1 else 0)
        return max(moments.values(), key=lambda kinds: sum(kinds.values()))

    moments = step_peak_parts(kept, keep_gradients=accumulated, ranks=ranks, stage=3 if ranks > 1 else 0)
    # At the loss no layer has its tensors back, at the last layer's backward pass one has.
    waiting = {"loss": kept.layers, "first backward": kept.layers - 1}
    needed = max(
        -(-(sum(moments[moment].values()) - memory_bytes) // layers) for moment, layers in waiting.items() if layers
    )
    found = cheapest_drop(prices, free_bytes=max(needed, 0))
    dropped = [price.name for price in prices] if found is None else list(found)
    without = sizes_without(kept, dropped=dropped)
    rows = {"everything": worst(kept), "all but what is dashed": worst(without), "its input alone": worst(full)}
    peak = sum(rows["all but what is dashed"].values())
    layer = layer_forward_flops(batch=micro_batch, sequence=sequence, hidden=hidden)
    step = gpt_training_flops(
        batch=micro_batch, sequence=sequence, hidden=hidden, layers=chosen.layers, vocabulary=chosen.vocabulary
    )
    again = chosen.layers * remade_flops(prices, dropped=dropped) / step
    whole = chosen.layers * layer / step
    if peak > memory_bytes:
        said = f"Even with all of them dropped the step needs {gigabytes(peak)}, and a device has"
    elif not dropped:
        said = f"Nothing has to be dropped: the step needs {gigabytes(peak)} of"
    else:
        said = f"{len(dropped)} of {len(prices)} tensors dropped, the step peaks at {gigabytes(peak)} of"
    numbers = (
        f"{chosen.name}: everything kept, it needs {gigabytes(sum(rows['everything'].values()))}. {said} "
        f"{gigabytes(memory_bytes)}, for {again:.1%} more FLOPs; to run whole layers again costs {whole:.1%}."
    )
    sums = ", ".join(f"{name} {gigabytes(sum(row.values()))}" for name, row in rows.items())
    alt = (
        f"{len(prices)} rows: a tensor, its price, a bar of its bytes; {len(dropped)} are dashed. Beside them three "
        f"stacked bars of what a device holds: {sums}."
    )
    panels = [
        prices_panel(prices, unit_bytes=sequence * micro_batch * hidden, dropped=dropped, width_px=330),
        stacked_rows(
            rows,
            title="A GPU at worst, if a layer keeps",
            limit=memory_bytes,
            limit_name=f"{device}: {gigabytes(memory_bytes)}",
        ),
    ]
    return Picture(panels=panels, numbers=numbers, alt=alt)
