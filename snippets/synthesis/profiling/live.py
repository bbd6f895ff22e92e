"""Drawings: the waterfall from the peak to the achieved rate, and the live figure of chapter 35 that draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snippets.domain import each, flag, number_between, of_kind, text
from snippets.drawing import Panel
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.synthesis.profiling.formulas import UtilizationLoss, utilization_waterfall

WIDE = 560
_WIDTH = 334
_ROW = 25
_SHOWN = 0.0005
_HUES = {
    "model FLOPs at the peak": "forward",
    "recomputation": "backward",
    "lost by good matmuls too": "backward",
    "matmuls below good ones": "backward",
    "attention below the peak": "backward",
    "other kernels": "backward",
    "copies to and from the host": "communication",
    "exposed transfers": "communication",
    "waiting for other ranks": "optimizer",
    "pipeline bubble": "idle",
    "waiting for data": "optimizer",
    "idle": "idle",
}
_CHANGES = {
    "nothing": "nothing",
    "attention": "attention, twice as fast",
    "transfers": "exposed transfers hidden",
    "waiting": "nobody waits for a rank or its data",
    "matmuls": "matmuls as fast as good ones",
}


def waterfall_panel(
    losses: Sequence[UtilizationLoss], *, title: str = "", width_px: float = _WIDTH, chapters: bool = False
) -> Panel:
    """Draw a waterfall: each loss takes a piece from the right of what is left, and the last bar is the MFU.

    Args:
        losses: from ``utilization_waterfall``, at least one; those of less than 0.05% of the step are left out.
        title: above the picture.
        width_px: width of the picture, from 300 to 1200.
        chapters: whether each loss is written with the chapter that explains it.

    Returns:
        The picture.

    >>> bars = utilization_waterfall(step_s=2.0, peak_flops_per_s=10.0, matmul_flops=8.0, matmul_s=1.0)
    >>> waterfall_panel(bars, title="A step").width
    334.0
    """
    bars = each("losses", losses, lambda name, loss: of_kind(name, loss, UtilizationLoss))
    if not bars:
        raise ValueError(f"losses must have at least 1 entry, got {losses!r}")
    useful, *lost = bars
    width_px = number_between("width_px", width_px, low=300, high=1200)
    title, chapters = text("title", title), flag("chapters", chapters)
    shown = [loss for loss in lost if loss.share >= _SHOWN]
    left = 214.0 if chapters else 160.0
    scale = width_px - left - 42
    top = 26.0 if title else 4.0
    panel = Panel(width_px, top + _ROW * (len(shown) + 2) + 4)
    if title:
        panel.text(0, 14, title, bold=True)

    def row(number: int, name: str, start: float, share: float, hue: str, *, bold: bool = False) -> None:
        y = top + _ROW * number
        panel.text(0, y + 9, name, size=12, middle=True, bold=bold)
        panel.rectangle(left + start * scale, y, share * scale, 18, colour=hue, strength=0.55)
        panel.text(
            left + (start + share) * scale + 4,
            y + 9,
            "100%" if share == 1.0 else f"{share:.1%}",
            size=12,
            middle=True,
            bold=bold,
        )

    row(0, "the peak", 0.0, 1.0, "idle")
    rest = 1.0
    for number, loss in enumerate(shown, start=1):
        rest -= loss.share
        name = f"{loss.name} · {loss.chapter}" if chapters else loss.name
        row(number, name, max(0.0, rest), loss.share, _HUES[loss.name])
        x, y = left + max(0.0, rest) * scale, top + _ROW * number
        panel.line(x, y + 18, x, y + _ROW, colour="muted", dashed=True)
    row(len(shown) + 1, "achieved: the MFU", 0.0, useful.share, _HUES[useful.name], bold=True)
    return panel


@live_figure(
    title="From the peak to your MFU",
    caption="Take your numbers from a trace: FLOPs from the model, milliseconds from the budget. The step is their "
    "sum. Then choose a change, and read what it saves at most.",
    knobs=[
        Number("matmul_tflop", "Matmuls, TFLOP of a GPU and step", 369, 1, 2000, 1),
        Number("attention_tflop", "Attention, TFLOP", 53, 0, 1000, 1),
        Number("peak_tflops", "Peak, TFLOP/s", 989, 49, 9994, 5),
        Number("best", "Good matmuls reach, %", 70, 10, 100, 1),
        Number("reach", "Your matmuls reach, %", 65, 5, 100, 1),
        Number("attention_reach", "Your attention reaches, % in the model's FLOPs", 30, 5, 100, 1),
        Number("again", "Recomputed matmuls, %", 0, 0, 40, 1),
        Number("other_ms", "Other kernels, ms", 56, 0, 1500, 1),
        Number("transfer_ms", "Exposed transfers, ms", 69, 0, 1500, 1),
        Number("waiting_ms", "Waiting for other ranks, ms", 446, 0, 1500, 1),
        Number("bubble_ms", "Pipeline bubble, ms", 0, 0, 1500, 1),
        Number("data_ms", "Waiting for data, ms", 4, 0, 1500, 1),
        Number("idle_ms", "Idle besides, ms", 70, 0, 1500, 1),
        Choice("change", "What if", _CHANGES, "nothing"),
    ],
    named=[
        Named(
            "The question",
            "The MFU is 30.5%, and 31.9% of the step is waiting for other ranks.",
            {"change": "nothing"},
        ),
        Named(
            "All data in time",
            "Without the waiting the MFU is 45.0%, and the step 0.45 s shorter.",
            {"change": "waiting"},
        ),
        Named(
            "Hide the transfers instead",
            "Hiding what is really on its way saves 0.069 s.",
            {"change": "transfers"},
        ),
        Named(
            "After that, the attention",
            "With nobody waiting, attention twice as fast saves 0.089 s; matmuls below good ones are 4.3% of the step.",
            {"waiting_ms": 0, "data_ms": 0, "change": "attention"},
        ),
    ],
    opens="The question",
)
def waterfall_figure(
    *,
    matmul_tflop: int,
    attention_tflop: int,
    peak_tflops: int,
    best: int,
    reach: int,
    attention_reach: int,
    again: int,
    other_ms: int,
    transfer_ms: int,
    waiting_ms: int,
    bubble_ms: int,
    data_ms: int,
    idle_ms: int,
    change: str,
) -> Picture:
    """Draw the waterfall of a step, and that of the step with one change."""
    good = max(best, reach)
    step: dict[str, float] = {
        "matmul_reach": reach / 100,
        "attention_reach": attention_reach / 100,
        "other_kernel_s": other_ms / 1e3,
        "transfer_s": transfer_ms / 1e3,
        "waiting_s": waiting_ms / 1e3,
        "bubble_s": bubble_ms / 1e3,
        "data_s": data_ms / 1e3,
        "idle_s": idle_ms / 1e3,
    }
    changed = step | {
        "attention": {"attention_reach": min(1.0, 2 * attention_reach / 100)},
        "transfers": {"transfer_s": 0.0},
        "waiting": {"waiting_s": 0.0, "data_s": 0.0},
        "matmuls": {"matmul_reach": good / 100},
    }.get(change, {})
    work = {
        "matmul_flops": 1e12 * matmul_tflop,
        "attention_flops": 1e12 * attention_tflop,
        "recomputed_flops": 1e10 * again * matmul_tflop,
        "peak_flops_per_s": 1e12 * peak_tflops,
        "achievable_share": good / 100,
    }
    before_s, before = _losses(step, work)
    after_s, after = _losses(changed, work)
    worst = max(before[1:], key=lambda loss: loss.share)
    numbers = (
        f"The step takes {before_s:.3g} s at an MFU of {before[0].share:.1%}. The largest loss is "
        f"{worst.name}, {worst.share:.1%}."
    )
    panels = [waterfall_panel(before, title=f"As it is: {before_s:.3g} s")]
    if change != "nothing":
        numbers += (
            f" With the change, “{_CHANGES[change]}”, it's {after_s:.3g} s and {after[0].share:.1%}: "
            f"{before_s - after_s:.2g} s less."
        )
        panels.append(waterfall_panel(after, title=f"With the change: {after_s:.3g} s"))
    alt = "A waterfall from the peak to the achieved rate; its pieces: " + ", ".join(
        f"{loss.name} {loss.share:.1%}" for loss in before if loss.share >= _SHOWN
    )
    return Picture(panels, numbers, f"{alt}.")


def _losses(step: dict[str, float], work: dict[str, float]) -> tuple[float, tuple[UtilizationLoss, ...]]:
    """Return the seconds of a step and its losses; the step is the sum of its parts."""
    given: dict[str, Any] = {
        name: seconds for name, seconds in step.items() if name.endswith("_s") and name != "idle_s"
    }
    given["matmul_s"] = (
        (work["matmul_flops"] + work["recomputed_flops"]) / step["matmul_reach"] / work["peak_flops_per_s"]
    )
    given["attention_s"] = work["attention_flops"] / step["attention_reach"] / work["peak_flops_per_s"]
    total = sum(given.values()) + step["idle_s"]
    return total, utilization_waterfall(step_s=total, **given, **work)
