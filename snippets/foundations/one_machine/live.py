"""Drawings: the live figure of chapter 1: how long a model trains on some devices, and whether its state fits there."""

from __future__ import annotations

import math

from snippets.all_reduce import ring_all_reduce_time_s
from snippets.domain import positive_number
from snippets.drawing import Panel
from snippets.flops import compute_time_s, training_flops
from snippets.foundations.one_machine.formulas import least_devices_for_state
from snippets.hardware import ACCELERATORS
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.live.stacks import gigabytes, stacked_rows
from snippets.models import MODELS, active_parameter_count, parameter_count
from snippets.recipes import model_state_bytes

DAY_S = 86_400
YEAR_DAYS = 365.25
_WIDTH, _BAR_WIDTH, _HEIGHT = 340, 316, 330
_RECIPES = {
    "mixed-adam": "mixed Adam, 16 B",
    "16-bit-adam-fp32-moments": "… no master copy, 12 B",
    "mixed-adam-8bit": "… averages in 8 bits, 10 B",
}
_SIXTEEN_BIT = {name: device.peaks.bf16 or device.peaks.fp16 for name, device in ACCELERATORS.items()}
_DEVICES = {name: name for name, peak in _SIXTEEN_BIT.items() if peak}
_GPUS = Axis(1, 2**16, "log", "GPUs, R", ticks=(1, 16, 256, 4096))


@live_figure(
    title="How long, and does it fit?",
    caption="First, days of the run against GPUs. Solid: computing, at the share u. Dashed: the time for which each "
    "GPU sends, if one ring sums all gradients after every step. The run can't be shorter than either. Upright: the "
    "fewest GPUs whose memories together hold the state, where it's more than one. Second, the state against one GPU's "
    "memory.",
    knobs=[
        Choice("model", "Model", {name: name for name in MODELS}, "GPT-2 124M"),
        Number("tokens", "Tokens D", 1e10, 1e8, 1e14, 10**0.1, "log"),
        Choice("device", "Device", _DEVICES, "A100 SXM 80GB"),
        Number("utilization", "Share of the peak u, %", 40, 5, 100, 1),
        Number("devices", "GPUs R", 1, 1, 2**16, 2, "log"),
        Number("batch_tokens", "Tokens of a step B", 4e6, 4e4, 4e8, 10**0.1, "log"),
        Number(
            "bandwidth_bytes_per_s", "Network β", 20e9, 20e9 / 2**5, 20e9 * 2**5, 2**0.25, "log", "B/s", whole=False
        ),
        Choice("recipe", "Recipe", _RECIPES, "mixed-adam"),
    ],
    named=[
        Named(
            "The question",
            "One GPU would take 20.5 years, and in mixed precision it can't even begin: the state takes 2 GPUs to "
            "hold.",
            {"model": "Llama 2 7B", "tokens": 2e12},
        ),
        Named(
            "In 30 days",
            "256 GPUs need 29.3 days, waiting included. Each sends for 7.77 of them, and more GPUs send no less.",
            {"model": "Llama 2 7B", "tokens": 2e12, "devices": 256},
        ),
        Named(
            "The smallest GPT-2",
            "One GPU needs 16.6 hours for this run, and the state of 2.0 GB fits many times over.",
            {"model": "GPT-2 124M", "tokens": 1e10},
        ),
        Named(
            "The 70B on 256 GPUs",
            "1.4 trillion tokens take 67.7 days, waiting included. 15 of the GPUs could hold the state. If the eight "
            "adapters of a node share the work, β is 320 GB/s for each GPU, and a sum of gradients in each step takes "
            "3.39 days. With all of the state cut and one sequence at a time, the "
            "network carries three times as much.",
            {
                "model": "Llama 3 70B",
                "tokens": 1.4e12,
                "device": "H100 SXM",
                "devices": 256,
                "batch_tokens": 2**22,
                "bandwidth_bytes_per_s": 320e9,
            },
        ),
    ],
    opens="The question",
)
def training_days(
    model: str,
    tokens: int,
    device: str,
    utilization: int,
    devices: int,
    batch_tokens: int,
    bandwidth_bytes_per_s: float,
    recipe: str,
) -> Picture:
    """Draw days against devices, and the state of training against one device's memory."""
    whole, active = parameter_count(model), active_parameter_count(model)
    work = training_flops(parameters=active, tokens=tokens)
    rate = _peak(device) * utilization / 100
    days = compute_time_s(flops=work, flops_per_s=rate, devices=devices) / DAY_S
    # Nearly two gradients pass each adapter: exactly two, times (R − 1)/R.
    two = ring_all_reduce_time_s(
        ranks=2, size_bytes=4 * whole, latency_s=0, bandwidth_bytes_per_s=bandwidth_bytes_per_s
    )
    limit = tokens / batch_tokens * two / DAY_S
    summing = limit * (devices - 1) / devices
    memory = ACCELERATORS[device].memory_bytes
    state = model_state_bytes(whole, recipe=recipe)
    fewest = least_devices_for_state(whole, memory_bytes=memory, recipe=recipe)
    used = f", of which a token uses {active / 1e9:.1f} billion" if active < whole else ""
    fits = "fits on one GPU" if fewest == 1 else f"takes {fewest:,} GPUs to hold"
    if devices < fewest:
        fits += f"; {devices:,} {'is' if devices == 1 else 'are'} too few"
    numbers = (
        f"{model}: {whole:,} parameters{used}; {in_tokens(tokens)}, so 6ND is {work:.3g} FLOP. "
        f"{_gpus(devices)} at {utilization}% of {in_units(_peak(device), 'FLOP/s')}: {duration(days)}, "
        "waiting included. "
        + (
            f"To sum {gigabytes(2 * whole)} of gradients after every step at {in_units(bandwidth_bytes_per_s, 'B/s')}, "
            f"each GPU sends for {duration(summing)}. "
            if devices > 1
            else ""
        )
        + f"The state of {gigabytes(state.total)} {fits}."
    )
    alt = (
        f"First: days against 1 to 65,536 GPUs on logarithmic axes, a falling straight line with a dot at {devices:,} "
        f"GPUs and {duration(days)}, a dashed curve of summing that rises to {duration(limit)}"
        + (f", and an upright dashed line at {fewest:,} GPUs. " if fewest > 1 else ". ")
        + f"Second: a bar of {gigabytes(state.total)} of state, and a line at {gigabytes(memory)}."
    )
    kinds = {"parameters": state.parameters, "gradients": state.gradients, "optimizer": state.optimizer}
    bar = stacked_rows(
        {model: kinds},
        title="State of training",
        limit=memory,
        limit_name=f"{device}: {gigabytes(memory)}",
        legend=True,
        width_px=_BAR_WIDTH,
    )
    return Picture([_days_plot(days * devices, limit, devices, fewest), bar], numbers, alt)


def in_tokens(tokens: float) -> str:
    """Return a number of tokens as people say it.

    Args:
        tokens: how many.

    >>> in_tokens(1.4e12), in_tokens(3e9), in_tokens(2e6), in_tokens(8192)
    ('1.4 trillion tokens', '3 billion tokens', '2 million tokens', '8,192 tokens')
    """
    count = positive_number("tokens", tokens)
    for size, name in (1e12, "trillion"), (1e9, "billion"), (1e6, "million"):
        if count >= size:
            return f"{count / size:.3g} {name} tokens"
    return f"{in_units(count)} token{'s' * (count != 1)}"


def duration(days: float) -> str:
    """Return a duration in the unit in which people would say it.

    Args:
        days: of 24 hours.

    >>> duration(0.5), duration(33.9), duration(7499), duration(1e-5)
    ('12 hours', '33.9 days', '20.5 years', '864 ms')
    """
    days = positive_number("days", days)
    if days >= 2 * YEAR_DAYS:
        return f"{in_units(days / YEAR_DAYS)} years"
    if days >= 2:
        return f"{in_units(days)} days"
    return f"{in_units(24 * days)} hours" if days >= 1 / 24 else in_units(days * DAY_S, "s")


def _peak(device: str) -> int:
    peak = _SIXTEEN_BIT[device]
    assert peak is not None  # the knob offers no other device
    return peak


def _gpus(devices: int) -> str:
    return "One GPU" if devices == 1 else f"{devices:,} GPUs"


def _days_plot(alone: float, limit: float, devices: int, fewest: int) -> Panel:
    """Draw days of computing and of summing, which is ``limit`` for many devices."""
    days = alone / devices
    # From below this run's dot and summing to above one GPU's days; numbers above 10,000 are too long for the margin.
    first = min(math.floor(math.log10(min(days, limit) / 3)), 3)
    every = math.ceil((5 - first) / 7)
    ticks = tuple(10.0**power for power in range(4, first - 1, -every))
    axis = Axis(10.0**first, 3 * max(alone, limit, 10.0**first), "log", ticks=ticks)
    plot = Plot(_GPUS, axis, title="Days of the run", width_px=_WIDTH, height_px=_HEIGHT)
    for start, colour, dashes, name in ((130, "forward", False, "computing"), (236, "communication", True, "summing")):
        plot.panel.curve([(start, 10), (start + 22, 10)], colour=colour, width=2, dashed=dashes)
        plot.panel.text(start + 27, 14, name, size=12)
    plot.curve([(1, alone), (2**16, alone / 2**16)], colour="forward")
    summing = [(2**power, limit * (1 - 2**-power)) for power in range(1, 17)]
    plot.curve(summing, colour="communication", dashed=True)
    dashed = plot.x(fewest) if 1 < fewest <= 2**16 else None
    if dashed is not None:
        plot.panel.line(dashed, plot.top, dashed, plot.bottom, colour="optimizer", dashed=True)
    plot.dots([(devices, days)], colour="forward", radius=5)
    said = f"{in_units(days)} days" if days >= 2 else duration(days)
    _write_beside(plot, plot.x(devices), plot.y(days), said, dashed, plot.y(limit))
    return plot.panel


def _write_beside(plot: Plot, dot: float, height: float, said: str, dashed: float | None, summing: float) -> None:
    """Write beside a dot of the falling line: above that line, within the plot, and across none of the dashed lines."""
    fall = (plot.y(1) - plot.y(10)) / (plot.x(10) - plot.x(1))
    long = 7.8 * len(said)
    start = min(dot + 8, plot.right - long)
    if dashed is not None and start - 4 < dashed < start + long + 4:
        start = dashed + 7 if dashed + 7 + long <= plot.right else dashed - 7 - long
    above = min(height, height + fall * (start - dot)) - 9
    written = min(max(above, plot.top + 12), plot.bottom - 6)
    if written - 12 < summing < written + 4:
        written = max(summing - 6, plot.top + 12)
    plot.panel.text(start, written, said, bold=True)
