"""Drawings: the live figure of chapter 1: how long a model trains on some devices, and whether its state fits there."""

from __future__ import annotations

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
_WIDTH = 328
_RECIPES = {
    "mixed-adam": "mixed Adam, 16 B",
    "16-bit-adam-fp32-moments": "… no master copy, 12 B",
    "fp32-adam": "float32 Adam, 16 B",
}
_SIXTEEN_BIT = {name: device.peaks.bf16 or device.peaks.fp16 for name, device in ACCELERATORS.items()}
_DEVICES = {name: name for name, peak in _SIXTEEN_BIT.items() if peak}
_GPUS = Axis(1, 2**16, "log", "GPUs, R", ticks=(1, 10, 100, 1000, 10_000))
_DAYS = Axis(1e-5, 1e8, "log", ticks=(1e-4, 1e-2, 1, 100, 1e4))


@live_figure(
    title="How long, and does it fit?",
    caption="First, the days of a run against the number of GPUs that share it. Where one GPU is too small for the "
    "state of training, a dashed line stands at the fewest GPUs whose memories together hold it. Second, that state "
    "against the memory of one GPU. Change the model and watch both; then change only the recipe: the state moves, "
    "and the days stay.",
    knobs=[
        Choice("model", "Model", {name: name for name in MODELS}, "GPT-2 124M"),
        Number("tokens", "Tokens D", 1e10, 1e8, 1e14, 10**0.1, "log"),
        Choice("device", "Device", _DEVICES, "A100 SXM 80GB"),
        Number("utilization", "Share of the peak u, %", 40, 5, 100, 1),
        Number("devices", "GPUs R", 1, 1, 2**16, 2, "log"),
        Choice("recipe", "Recipe", _RECIPES, "mixed-adam"),
    ],
    named=[
        Named(
            "The smallest GPT-2",
            "One GPU needs 16.6 hours for this run, and the state of 2.0 GB fits many times over.",
            {"model": "GPT-2 124M", "tokens": 1e10},
        ),
        Named(
            "The question",
            "One GPU would take 20.5 years, and it can't even begin: the state takes 2 GPUs to hold.",
            {"model": "Llama 2 7B", "tokens": 2e12},
        ),
        Named(
            "GPT-3 on 1,024 A100",
            "28.5 days, at 40% of the peak of each; 35 GPUs would hold the state.",
            {"model": "GPT-3 175B", "tokens": 300e9, "devices": 1024, "utilization": 40},
        ),
        Named(
            "DeepSeek-V3",
            "The operations follow the 37.6 billion parameters that a token uses, the memory all 671,026,419,200.",
            {"model": "DeepSeek-V3", "tokens": 14.8e12, "device": "H100 SXM", "devices": 2048},
        ),
        Named(
            "The 70B on 256 GPUs",
            "1.4 trillion tokens take 67.7 days, and 15 of the GPUs could hold the state.",
            {"model": "Llama 3 70B", "tokens": 1.4e12, "device": "H100 SXM", "devices": 256},
        ),
    ],
    opens="The question",
)
def training_days(model: str, tokens: int, device: str, utilization: int, devices: int, recipe: str) -> Picture:
    """Draw days against devices, and the state of training against one device's memory."""
    whole, active = parameter_count(model), active_parameter_count(model)
    work = training_flops(parameters=active, tokens=tokens)
    rate = _peak(device) * utilization / 100
    days = compute_time_s(flops=work, flops_per_s=rate, devices=devices) / DAY_S
    memory = ACCELERATORS[device].memory_bytes
    state = model_state_bytes(whole, recipe=recipe)
    fewest = least_devices_for_state(whole, memory_bytes=memory, recipe=recipe)
    used = f", of which a token uses {active / 1e9:.1f} billion" if active < whole else ""
    fits = "fits on one GPU" if fewest == 1 else f"takes {fewest:,} GPUs to hold"
    if devices < fewest:
        fits += f"; {devices:,} {'is' if devices == 1 else 'are'} too few"
    numbers = (
        f"{model}: {whole:,} parameters{used}; {in_tokens(tokens)}, so 6ND is {work:.3g} FLOP. "
        f"{_gpus(devices)} at {utilization}% of {in_units(_peak(device), 'FLOP/s')}: {duration(days)}. "
        f"The state of {gigabytes(state.total)} {fits}."
    )
    alt = (
        f"First: days against 1 to 65,536 GPUs on logarithmic axes, a falling straight line with a dot at {devices:,} "
        f"GPUs and {duration(days)}"
        + (f", and a dashed line at {fewest:,} GPUs. " if fewest > 1 else ". ")
        + f"Second: a bar of {gigabytes(state.total)} of state, and a line at {gigabytes(memory)}."
    )
    kinds = {"parameters": state.parameters, "gradients": state.gradients, "optimizer": state.optimizer}
    bar = stacked_rows(
        {model: kinds},
        title="State of training",
        limit=memory,
        limit_name=f"{device}: {gigabytes(memory)}",
        legend=True,
        width_px=_WIDTH,
    )
    return Picture([_days_plot(days * devices, devices, days, fewest), bar], numbers, alt)


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


def _days_plot(alone: float, devices: int, days: float, fewest: int) -> Panel:
    plot = Plot(_GPUS, _DAYS, title="Days of the run", width_px=_WIDTH)
    plot.curve([(1, alone), (2**16, alone / 2**16)], colour="forward")
    dashed = plot.x(fewest) if 1 < fewest <= 2**16 else None
    if dashed is not None:
        plot.panel.line(dashed, plot.top, dashed, plot.bottom, colour="optimizer", dashed=True)
    plot.dots([(devices, days)], colour="forward", radius=5)
    _write_beside(plot, plot.x(devices), plot.y(days), duration(days), dashed)
    return plot.panel


def _write_beside(plot: Plot, dot: float, height: float, said: str, dashed: float | None) -> None:
    """Write beside a dot of the falling line: above that line, within the plot, and not across the dashed line."""
    fall = (plot.y(1) - plot.y(10)) / (plot.x(10) - plot.x(1))
    long = 7.8 * len(said)
    start = min(dot + 8, plot.right - long)
    if dashed is not None and start - 4 < dashed < start + long + 4:
        start = dashed + 7 if dashed + 7 + long <= plot.right else dashed - 7 - long
    above = min(height, height + fall * (start - dot)) - 9
    plot.panel.text(start, min(max(above, plot.top + 12), plot.bottom - 6), said, bold=True)
