"""Drawings: the live figure of chapter 22: what a device holds and sends in ZeRO's stages, and from when on it fits."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.hardware import ACCELERATORS
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.live.stacks import gigabytes, stacked_rows
from snippets.memory.zero.formulas import (
    STAGES,
    least_ranks_to_fit,
    zero_communication_elements,
    zero_state_bytes,
    zero_traffic_bytes,
)
from snippets.models import MODELS, parameter_count
from snippets.recipes import RECIPES

_PANEL_PX = 328.0
_DEGREES = tuple(2**power for power in range(11))


@live_figure(
    title="What a stage leaves",
    caption="A cell with a box fits. Go down a column: where does a stage stop shrinking? Then raise $m$ and watch the "
    'bytes that are sent: for which stages does accumulation cost nothing? "Parameters" in a bar are the weights.',
    knobs=[
        Choice("model", "Model", {name: name for name in MODELS} | {"own": "your own"}, "own"),
        Number("own_billions", "Your Ψ in billions", 7.5, 7.5 / 64, 7.5 * 256, step=2, scale="log", whole=False),
        Choice(
            "recipe",
            "Recipe",
            {name: f"{name}, {recipe.bytes_per_parameter} B" for name, recipe in RECIPES.items()},
            "mixed-adam",
        ),
        Number("ranks", "Devices N", 4, 1, 4096, step=2, scale="log"),
        Number("micro_batches", "Micro-batches m", 1, 1, 32),
        Number("other_bytes", "Taken by activations", 0, 0, 150e9, step=1e9, unit="B", whole=False),
        Choice("device", "Device", {name: name for name in ACCELERATORS}, "H100 SXM"),
    ],
    named=[
        Named(
            "The question: Llama 3 8B on 8",
            "From stage 0 to stage 2 what is held falls to less than a quarter, and what is sent stays the same.",
            {"model": "Llama 3 8B", "ranks": 8},
        ),
        Named(
            "Llama 3 70B, 20 GB of activations",
            "Nothing fits at N = 8. Stage 3 does from N = 19 on; in the others each device keeps all parameters.",
            {"model": "Llama 3 70B", "ranks": 8, "other_bytes": 20e9},
        ),
        Named(
            "32 micro-batches",
            "Stages 0 and 1 send what they send with one; stages 2 and 3 send more with each.",
            {"model": "Llama 3 8B", "ranks": 8, "micro_batches": 32},
        ),
    ],
)
def zero_table(
    model: str,
    own_billions: float,
    recipe: str,
    ranks: int,
    micro_batches: int,
    other_bytes: float,
    device: str,
) -> Picture:
    """Compute what the fullest device holds, what it sends, and which numbers of devices are enough."""
    parameters = round(own_billions * 1e9) if model == "own" else parameter_count(MODELS[model])
    memory_bytes, other = ACCELERATORS[device].memory_bytes, round(other_bytes)
    held, sent, totals, amounts = {}, {}, [], []
    for stage in STAGES:
        name = f"stage {stage}"
        state = zero_state_bytes(parameters, ranks=ranks, stage=stage, recipe=recipe)
        traffic = zero_traffic_bytes(parameters, ranks=ranks, stage=stage, recipe=recipe, micro_batches=micro_batches)
        kinds = {"parameters": state.parameters, "gradients": state.gradients, "optimizer": state.optimizer}
        held[name] = kinds | ({"activations": other} if other else {})
        sent[name] = {"gradients": traffic.sent_gradients, "parameters": traffic.sent_parameters}
        totals.append(state.total + other)
        amounts.append(traffic.sent)
    elements = [
        float(zero_communication_elements(1, stage=stage, ranks=ranks, micro_batches=micro_batches)) for stage in STAGES
    ]
    panels = [
        stacked_rows(
            held,
            title=f"Held by a device of N = {ranks:,}",
            marks=["fits, " if total <= memory_bytes else "" for total in totals],
            limit=memory_bytes,
            limit_name=f"{device}: {gigabytes(memory_bytes)}",
        ),
        stacked_rows(sent, title="Sent by it in a step", marks=[f"{count:.3g} Ψ, " for count in elements]),
        _table(parameters, recipe, ranks, other, memory_bytes),
    ]
    numbers = (
        f"{parameters:,} parameters, N = {ranks:,}: in stages 0 to 3 a device holds {_row(totals)} and sends "
        f"{_row(amounts)} in a step. {_from_when(parameters, recipe, other, memory_bytes)} "
        "GB are 10⁹ bytes."
    )
    alt = (
        f"Two panels with a bar for each stage: held, of parameters, gradients and optimizer state, {_row(totals)}, "
        f"against {gigabytes(memory_bytes)}; sent, {_row(amounts)}. A table of what is held with 1 to 1,024 devices, "
        "where what fits has a box."
    )
    idle = () if model == "own" else ("own_billions",)
    return Picture(panels=panels, numbers=numbers, alt=alt, idle=idle)


def _row(sizes: list[int]) -> str:
    return ", ".join(gigabytes(size).removesuffix(" GB") for size in sizes) + " GB"


def _from_when(parameters: int, recipe: str, other: int, memory_bytes: int) -> str:
    """Say on how many devices each stage fits."""
    fits = {
        stage: least_ranks_to_fit(parameters, memory_bytes=memory_bytes, stage=stage, recipe=recipe, other_bytes=other)
        for stage in STAGES
    }
    never = [f"{stage}" for stage, least in fits.items() if least is None]
    enough = [f"stage {stage} from N = {least:,}" for stage, least in fits.items() if least is not None]
    said = [f"It fits in {', '.join(enough)}"] if enough else []
    said += (
        [f"{'not' if enough else 'It does not fit'} in stage{'s' * (len(never) > 1)} {', '.join(never)} at any N"]
        if never
        else []
    )
    return f"{'; '.join(said)}."


def _table(parameters: int, recipe: str, ranks: int, other: int, memory_bytes: int) -> Panel:
    """Write the GB that a device holds for numbers of devices and stages; what fits has a box."""
    degrees = sorted({*_DEGREES, ranks})
    top, row, left, column = 48.0, 21.0, 52.0, 69.0
    panel = Panel(_PANEL_PX, top + row * len(degrees) + 4)
    panel.text(0, 14, "GB held, by devices and stage", bold=True)
    panel.text(left - 8, 38, "N", anchor="end", size=12, colour="muted")
    for stage in STAGES:
        panel.text(left + column * (stage + 1) - 8, 38, f"stage {stage}", anchor="end", size=12, colour="muted")
    boxes = []
    for number, degree in enumerate(degrees):
        y, here = top + row * number, degree == ranks
        if here:
            panel.rectangles([(1.0, y - 1, _PANEL_PX - 2, row - 1)], colour="accent", strength=0.08)
        panel.text(left - 8, y + row / 2 - 1, f"{degree:,}", anchor="end", middle=True, size=12, bold=here)
        for stage in STAGES:
            size = zero_state_bytes(parameters, ranks=degree, stage=stage, recipe=recipe).total + other
            x, fits = left + column * stage, size <= memory_bytes
            if fits:
                boxes.append((x + 3, y + 1.5, column - 6, row - 6))
            written = gigabytes(size).removesuffix(" GB")
            panel.text(
                x + column - 8,
                y + row / 2 - 1,
                written,
                anchor="end",
                middle=True,
                size=12,
                colour="ink" if fits else "muted",
            )
    panel.rectangles(boxes, colour="accent", strength=0.15)
    return panel
