"""Figures: three products of one layer, the matrices of a layer to scale, attention's share, state and memory, days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snippets.all_reduce import ring_all_reduce_time_s
from snippets.domain import each, positive_integer
from snippets.drawing import Panel
from snippets.figures import colour, plot
from snippets.flops import compute_time_s, training_flops
from snippets.foundations.one_machine.formulas import attention_flops_share, least_devices_for_state
from snippets.live.stacks import gigabytes, stacked_rows
from snippets.models import Transformer, parameter_count
from snippets.recipes import Recipe, model_state_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CELL = 17.0
_HUES = {
    "X": "activations",
    "Y": "activations",
    "W": "parameters",
    "∂X": "backward",
    "∂Y": "backward",
    "∂W": "gradients",
}
DAY_S = 86_400


def three_products_panel(*, tokens: int = 4, inputs: int = 3, outputs: int = 2) -> Panel:
    """Draw the product of a forward pass and the two of the backward pass, with their multiplications.

    Args:
        tokens: rows of the input.
        inputs: its columns, and rows of the weight.
        outputs: columns of the weight.

    Returns:
        The panel, three products one above the other.
    """
    t, i, o = (positive_integer(name, n) for name, n in (("tokens", tokens), ("inputs", inputs), ("outputs", outputs)))
    multiplications = t * i * o
    rows = (
        ("forward", (("X", t, i), ("W", i, o), ("Y", t, o))),
        ("backward, for the input", (("∂Y", t, o), ("Wᵀ", o, i), ("∂X", t, i))),
        ("backward, for the weight", (("Xᵀ", i, t), ("∂Y", t, o), ("∂W", i, o))),
    )
    tallest = max(t, i, o) * _CELL
    step = tallest + 66
    panel = Panel(340, 3 * step)
    for number, (said, matrices) in enumerate(rows):
        top = number * step
        panel.text(2, top + 14, said, bold=True)
        panel.text(338, top + 14, f"{multiplications} multiplications", anchor="end", size=12)
        x, middle = 2.0, top + 42 + tallest / 2
        for place, (name, height, width) in enumerate(matrices):
            # A line of text above the matrix: its name and its shape.
            panel.text(x, middle - height * _CELL / 2 - 6, f"{name}, {height} × {width}", size=12)
            _grid(panel, x, middle - height * _CELL / 2, height, width, _HUES[name.rstrip("ᵀ")])
            x += max(width * _CELL, 72)
            if place < 2:
                panel.text(x + 8, middle, "·" if place == 0 else "=", middle=True, anchor="middle", size=16)
                x += 34
    return panel


def _grid(panel: Panel, x: float, y: float, rows: int, columns: int, hue: str) -> None:
    cells = [(x + c * _CELL, y + r * _CELL, _CELL, _CELL) for r in range(rows) for c in range(columns)]
    panel.rectangles(cells, colour=hue)


def layer_products_panel(*, unit_px: float = 54) -> Panel:
    """Draw the six matrices of a GPT layer to scale: each small square is h × h weights.

    Args:
        unit_px: side of the square that stands for h × h weights.

    Returns:
        The panel; twelve squares in all.
    """
    u = unit_px
    panel = Panel(5 * u + 26, 5 * u + 66)
    panel.text(2, 14, "attention: 4h²", bold=True)
    for place, name in enumerate(("query", "key", "value", "output")):
        panel.rectangle(2 + place * (u + 8), 24, u, u, colour="parameters")
        panel.text(2 + place * (u + 8) + u / 2, 24 + u / 2 - 8, name, anchor="middle", middle=True, size=12)
        panel.text(2 + place * (u + 8) + u / 2, 24 + u / 2 + 8, "h × h", anchor="middle", middle=True, size=12)
    top = u + 60
    panel.text(2, top - 8, "feed-forward: 8h²", bold=True)
    panel.rectangle(2, top, 4 * u, u, colour="parameters")
    panel.text(2 + u / 2, top + u / 2 - 8, "up:", anchor="middle", middle=True, size=12)
    panel.text(2 + u / 2, top + u / 2 + 8, "h × 4h", anchor="middle", middle=True, size=12)
    panel.rectangle(2 + 4 * u + 16, top, u, 4 * u, colour="parameters")
    left = 2 + 4 * u + 16
    for side in (u, 2 * u, 3 * u):  # where one square ends and the next begins
        panel.line(2 + side, top, 2 + side, top + u, colour="ink")
        panel.line(left, top + side, left + u, top + side, colour="ink")
    panel.text(left + u / 2, top + u / 2 - 8, "down:", anchor="middle", middle=True, size=12)
    panel.text(left + u / 2, top + u / 2 + 8, "4h × h", anchor="middle", middle=True, size=12)
    return panel


def attention_share_plot(widths: Mapping[str, int], *, longest: int = 2**20, width_px: float = 340) -> Figure:
    """Draw attention's share of a layer's operations against the length of a sequence.

    Args:
        widths: for each model's name its hidden size h.
        longest: where the axis of lengths ends; it begins at 256.
        width_px: of the plot.

    Returns:
        The plot: a line for each width, with a dot where the share is half, at s = 6h.
    """
    lengths = [256 * 2 ** (step / 4) for step in range(4 * (positive_integer("longest", longest) // 256).bit_length())]
    with plot(width_px=width_px, height_px=270) as (figure, axes):
        for number, (name, h) in enumerate(widths.items()):
            shares = [100 * attention_flops_share(sequence=round(s), hidden=h) for s in lengths]
            style = ("-", "--", "-.")[number % 3]
            axes.plot(lengths, shares, style, color=colour(f"rank-{number}"), label=f"{name}, h = {h:,}")
            if 6 * h <= longest:
                axes.plot([6 * h], [50], "o", color=colour(f"rank-{number}"))
                axes.annotate(f"{6 * h:,}", (6 * h, 50), (-6, 5), textcoords="offset points", ha="right", fontsize=12)
        axes.set_xscale("log", base=2)
        ticks = [2**power for power in range(8, longest.bit_length(), 3)]
        axes.set_xticks(
            ticks, [f"{n // 2**20}M" if n >= 2**20 else f"{n // 1024}k" if n >= 1024 else f"{n}" for n in ticks]
        )
        axes.set_xlim(256, longest)
        axes.set_ylim(0, 100)
        axes.set_xlabel("tokens of a sequence, s")
        axes.set_ylabel("attention's share, %")
        figure.legend(loc="outside lower center", ncols=1, fontsize=12, frameon=False)
    return figure


def state_panel(
    models: Sequence[Transformer | str],
    *,
    memory_bytes: int,
    recipe: Recipe | str = "mixed-adam",
    width_px: float = 340,
) -> Panel:
    """Draw the state of each model as a bar of its kinds, against the memory of a device.

    Args:
        models: names in the catalogue, or configurations.
        memory_bytes: of the device.
        recipe: which copies training keeps.
        width_px: of the panel.

    Returns:
        The panel.
    """
    rows = {}
    for model in each("models", models, lambda _, model: model):
        state = model_state_bytes(parameter_count(model), recipe=recipe)
        kinds = {"parameters": state.parameters, "gradients": state.gradients, "optimizer": state.optimizer}
        rows[model if isinstance(model, str) else model.name] = kinds
    return stacked_rows(
        rows,
        title="State of training, before any activation",
        limit=memory_bytes,
        limit_name=f"one GPU: {gigabytes(memory_bytes)}",
        legend=True,
        width_px=width_px,
    )


def run_days(
    *,
    parameters: int,
    tokens: int,
    devices: int,
    flops_per_s: float,
    batch_tokens: int,
    bandwidth_bytes_per_s: float,
) -> tuple[float, float]:
    """Return the days of computing, and the days of summing gradients, of a run on some devices.

    Args:
        parameters: of a dense model.
        tokens: of the run.
        devices: that share each batch.
        flops_per_s: what one device achieves.
        batch_tokens: tokens of one step; after each, a gradient of 2 bytes a parameter is summed by a ring.
        bandwidth_bytes_per_s: of each device's network adapter, in one direction.

    Returns:
        Both in days. They add up where nothing overlaps and the rate has no waiting in it.
    """
    work = training_flops(parameters=parameters, tokens=tokens)
    compute = compute_time_s(flops=work, flops_per_s=flops_per_s, devices=devices)
    each_s = ring_all_reduce_time_s(
        ranks=devices, size_bytes=2 * parameters, latency_s=0, bandwidth_bytes_per_s=bandwidth_bytes_per_s
    )
    return compute / DAY_S, tokens / batch_tokens * each_s / DAY_S


def walls_plot(
    *,
    memory_bytes: int,
    most: int = 2**12,
    deadline_days: float = 30,
    sequences: float | None = None,
    width_px: float = 340,
    **run: float,
) -> Figure:
    """Draw the days of a run against the number of devices, with the three walls.

    Args:
        memory_bytes: of one device.
        most: devices at which the axis ends.
        deadline_days: a dot stands where computing alone takes as long.
        sequences: of a step; with more devices than these, each gets less than a sequence, and the plot is shaded.
        width_px: of the plot.
        run: as ``run_days`` takes it, but for the devices.

    Returns:
        The plot; a second dot stands where summing takes as long as computing.
    """
    counts = [2 ** (power / 4) for power in range(4 * most.bit_length() - 3)]
    whole = [*range(2, 16), *(2**power for power in range(4, most.bit_length()))]
    sums = [_summing(count, run) for count in whole]
    alone = run_days(devices=1, **run)[0]  # type: ignore[arg-type]
    fewest = least_devices_for_state(run["parameters"], memory_bytes=memory_bytes)
    crossing = next((count for count in range(2, most) if alone / count <= _summing(count, run)), None)
    with plot(width_px=width_px, height_px=330) as (figure, axes):
        axes.plot(counts, [alone / count for count in counts], color=colour("forward"))
        axes.plot(whole, sums, "--", color=colour("communication"))
        axes.axvspan(0.8, fewest * 0.97, color=colour("optimizer"), alpha=0.3, linewidth=0)
        axes.axhline(deadline_days, color=colour("ink"), linewidth=0.8, linestyle=":")
        said: dict[str, Any] = {"fontsize": 12, "textcoords": "offset points"}
        axes.annotate("too little memory", (0.8, 1), (4, 0), rotation=90, ha="left", va="bottom", **said)
        if sequences:
            axes.axvspan(sequences, most, color=colour("idle"), alpha=0.3, linewidth=0)
            axes.annotate("less than a sequence", (most, 1e4), (-4, -4), rotation=90, ha="right", va="top", **said)
        axes.annotate(
            "summing", (16, _summing(16, run)), (0, -5), ha="center", va="top", color=colour("communication"), **said
        )
        axes.annotate("computing", (8, alone / 8), (6, 2), ha="left", va="bottom", color=colour("forward"), **said)
        dot = f"{alone / deadline_days:,.0f} GPUs:\n{deadline_days:g} days"
        _mark(axes, alone / deadline_days, deadline_days, dot, up=True)
        if crossing:
            _mark(axes, crossing, alone / crossing, f"equal\nat {crossing:,}", up=False)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        ticks = [16**power for power in range((most.bit_length() + 3) // 4)]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_xlim(0.8, most)
        axes.minorticks_off()
        axes.set_yticks([10**power for power in range(5)], [f"{10**power:,}" for power in range(5)])
        axes.set_xlabel("GPUs, R")
        axes.set_ylabel("days")
    return figure


def _summing(devices: int, run: Mapping[str, float]) -> float:
    """Return the days for which each adapter of a run sends."""
    return run_days(devices=devices, **run)[1]  # type: ignore[arg-type]


def _mark(axes: Axes, x: float, y: float, said: str, *, up: bool) -> None:
    """Put a dot on a falling line, and words beside it: to the upper right, or to the lower left."""
    axes.plot([x], [y], "o", color=colour("forward"))
    where: tuple[int, int] = (8, 4) if up else (-8, -4)
    sides: dict[str, Any] = {"ha": "left", "va": "bottom"} if up else {"ha": "right", "va": "top"}
    axes.annotate(said, (x, y), where, textcoords="offset points", fontsize=12, **sides)
