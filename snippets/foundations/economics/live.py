"""Drawings: the bill of a training run, and what of it bought nothing."""

from __future__ import annotations

from collections.abc import Mapping

from snippets.drawing import Panel
from snippets.flops import training_flops
from snippets.foundations.economics.formulas import (
    best_checkpoint_interval_s,
    cluster_mtbf_s,
    device_hours,
    goodput_share,
    training_bill_usd,
)
from snippets.hardware import dense_peak_flops_per_s
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number, in_units

PEAK_FLOPS_PER_S = dense_peak_flops_per_s("H100 SXM", "bf16")
CHECKPOINT_S = 10.0
DEVICE_MTBF_S = 54 * 86400 * 16_384 / 419  # Llama 3's 419 interruptions in 54 days on 16,384 GPUs
QUESTION = {"parameters": 405e9, "tokens": 15.6e12, "devices": 16_384, "mfu_percent": 40.4}
_WIDTH = 328
_LETTERS = (("B", 1e9), ("M", 1e6), ("k", 1e3))
_HUES = {
    "the least, all at peak": "forward",
    "below the peak": "idle",
    "checkpoints": "optimizer",
    "failures": "communication",
}


@live_figure(
    title="The bill of a run",
    caption="A run on H100s, 6 FLOPs for each parameter and token. Failures come as in Llama 3's snapshot, once in "
    "5.8 years for each GPU, and a checkpoint stops the run for 10 s (assumed). First panel: where the money goes. "
    "Second: the bill, with its failures, against the MFU.",
    knobs=[
        Number("parameters", "Parameters", 1e9, 1e8, 1e13, 10**0.1, "log"),
        Number("tokens", "Tokens", 20e9, 2e9, 2e14, 10**0.1, "log"),
        Number("devices", "GPUs R", 8, 8, 131_072, 2, "log"),
        Number("mfu_percent", "MFU, %", 40, 10, 80, 0.1, whole=False),
        Number("interval_min", "Minutes between checkpoints", 10, 1, 60, 1),
        Number("restart_min", "Minutes of a restart", 10, 1, 60, 1),
        Number("usd_per_hour", "Dollars an hour", 2, 0.5, 10, 0.25, whole=False),
    ],
    named=[
        Named(
            "The question",
            "Something unplanned stops the run every 3.09 h. With the checkpoints, this adds 10.3% to the useful time. "
            "More than half of the bill pays for the time in which the GPUs fall short of the peak.",
            QUESTION,
        ),
        Named(
            "Eight times the GPUs",
            "Now the run stops every 23.2 min, and 49.1% of the bill goes into checkpoints and failures: each restart "
            "takes as long as before.",
            QUESTION | {"devices": 131_072},
        ),
        Named(
            "Restarts in a minute",
            "With restarts ten times as fast, checkpoints and failures add 5.07% to the useful time.",
            QUESTION | {"restart_min": 1},
        ),
        Named(
            "The 70B on 256 GPUs",
            "A failure every 8.25 days: saved once an hour, checkpoints and failures add 0.617% to the useful time.",
            {"parameters": 70.6e9, "tokens": 1.4e12, "devices": 256, "mfu_percent": 40, "interval_min": 60},
        ),
    ],
    opens="The question",
)
def run_bill(
    *,
    parameters: float,
    tokens: float,
    devices: int,
    mfu_percent: float,
    interval_min: int,
    restart_min: int,
    usd_per_hour: float,
) -> Picture:
    """Draw a run's bill, cut into what bought progress and what did not, and the bill against the MFU."""
    flops = training_flops(parameters=parameters, tokens=tokens)
    mtbf = cluster_mtbf_s(device_mtbf_s=DEVICE_MTBF_S, devices=devices)
    stops = {
        "interval_s": 60.0 * interval_min,
        "checkpoint_s": CHECKPOINT_S,
        "restart_s": 60.0 * restart_min,
        "mtbf_s": mtbf,
    }
    goodput = goodput_share(**stops)
    job = {"flops": flops, "peak_flops_per_s": PEAK_FLOPS_PER_S, "usd_per_device_hour": usd_per_hour}
    bill = training_bill_usd(**job, utilization=mfu_percent / 100, goodput=goodput)
    useful, least = bill * goodput, training_bill_usd(**job, utilization=1)
    checkpoints = useful * CHECKPOINT_S / stops["interval_s"]
    parts = dict(zip(_HUES, (least, useful - least, checkpoints, bill - useful - checkpoints), strict=True))
    hours = device_hours(flops=flops, peak_flops_per_s=PEAK_FLOPS_PER_S, utilization=mfu_percent / 100) / goodput
    best = best_checkpoint_interval_s(checkpoint_s=CHECKPOINT_S, mtbf_s=mtbf)
    numbers = (
        f"{_dollars(bill)} for {_short(hours)} GPU hours: {in_units(hours / devices / 24)} days. A failure every "
        f"{_time(mtbf)}; checkpoints and failures add {100 * (1 / goodput - 1):.3g}% to the useful time and are "
        f"{100 * (1 - goodput):.3g}% of the bill. Young's interval is {_time(best)}."
    )
    alt = (
        f"First: the bill of {_dollars(bill)} as one bar: "
        + ", ".join(f"{name} {_dollars(part)}" for name, part in parts.items())
        + f". Second: the bill falls as one over the MFU; a dot at {mfu_percent:g}% and {_dollars(bill)}."
    )
    return Picture([_bar(parts, bill), _against_mfu(job, goodput, mfu_percent, bill)], numbers, alt)


def _dollars(value: float) -> str:
    """Return a sum of money as text.

    >>> _dollars(57_800_000), _dollars(168.5), _dollars(0.0042)
    ('57.8M dollars', '168 dollars', '0.0042 dollars')
    """
    return f"{_short(value)} dollars"


def _short(value: float) -> str:
    """Write a number with three digits and a letter for thousands, millions or billions."""
    for letter, size in _LETTERS:
        if value >= 0.9995 * size:
            return f"{in_units(value / size)}{letter}"
    return in_units(value)


def _percent(share: float) -> str:
    """Write a share of the bill."""
    return f"{share:.3g}%" if share >= 0.1 else "<0.1%"


def _time(seconds: float) -> str:
    """Write a time in years, days, hours or minutes."""
    for name, length in (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds:.3g} s"


def _bar(parts: Mapping[str, float], bill: float) -> Panel:
    """Draw the bill as one bar, with a line for each part below it."""
    panel = Panel(_WIDTH, 190)
    panel.text(0, 14, f"The bill: {_dollars(bill)}", bold=True)
    x = 2.0
    for name, part in parts.items():
        width = (_WIDTH - 4) * part / bill
        panel.rectangle(x, 28, width, 34, colour=_HUES[name], strength=0.5)
        x += width
    for number, (name, part) in enumerate(parts.items()):
        y = 78.0 + 26 * number
        panel.rectangle(2, y, 14, 14, colour=_HUES[name], strength=0.5)
        panel.text(24, y + 7, name, middle=True)
        panel.text(_WIDTH - 72, y + 7, _short(part), anchor="end", middle=True)
        panel.text(_WIDTH - 4, y + 7, _percent(100 * part / bill), anchor="end", middle=True)
    return panel


def _against_mfu(job: Mapping[str, float], goodput: float, mfu_percent: float, bill: float) -> Panel:
    """Draw the bill against the MFU, all else as it is."""
    shares = [10 + 2.5 * number for number in range(37)]
    bills = [training_bill_usd(**job, utilization=share / 100, goodput=goodput) for share in shares]
    size, words = next(((size, f"{letter} ") for letter, size in _LETTERS if bills[0] >= size), (1.0, ""))
    highest = bills[0] / size * 1.35
    plot = Plot(
        Axis(0, 100, label="MFU, %", ticks=(0, 20, 40, 60, 80, 100)),
        Axis(0, highest, label=f"bill, {words}dollars", ticks=Axis(0, highest).marks(6)),
        title="The bill against the MFU",
        width_px=_WIDTH,
        height_px=220,
    )
    plot.curve([(share, each / size) for share, each in zip(shares, bills, strict=True)], colour="accent")
    plot.dots([(mfu_percent, bill / size)], colour="ink", radius=5)
    plot.panel.text(plot.x(mfu_percent) + 8, plot.y(bill / size) - 10, _short(bill), bold=True)
    return plot.panel
