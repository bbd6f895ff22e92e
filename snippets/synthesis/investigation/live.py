"""Drawings: the live figure of chapter 36: five runs that are late, one change, your prediction, what comes of it."""

from __future__ import annotations

from typing import Any

from snippets.collectives.costs_and_bounds.published_runs import B200_FOUR_NODES
from snippets.domain import as_float, one_of, positive_number
from snippets.drawing import Panel
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.synthesis.investigation.formulas import advise

_WIDTH = 336
_MIB = 2**20
_BUCKET = 32 * _MIB
_TIMES = dict(zip(B200_FOUR_NODES.sizes_bytes, B200_FOUR_NODES.times_s, strict=True))
_KIB = tuple(size // 1024 for size in B200_FOUR_NODES.sizes_bytes[1:-1])
_SLOW, _NEXT, _AGAIN = 1.4, 1.1, 4 / 3  # of a slow node; of run B's next slowest; of making activations twice

RUNS = {"a": "run A", "b": "run B", "c": "run C", "d": "run D", "e": "run E"}
CHANGES = {
    "none": "nothing yet",
    "buckets": "32 MiB buckets",
    "bits": "gradients in 8 bits",
    "node": "swap the slowest node",
    "adapters": "swap the adapters",
    "state": "shard the state, keep activations",
}


def _sums_s(total_bytes: float, size_bytes: int) -> float:
    """Return how long all-reduces of one size take that move so many bytes in turn, on the four measured nodes."""
    return total_bytes / size_bytes * _TIMES[size_bytes]


def late_run(*, run: str, change: str, compute_s: float, gib: float, tensor_kib: int) -> dict[str, float]:
    """Return what a run's typical and slowest rank spend after a change, and what was planned.

    Args:
        run: ``"a"``, gradients go out tensor by tensor; ``"b"``, a slow node, and another; ``"c"``, half of
            the adapters are gone; ``"d"``, activations are made twice; ``"e"``, tensor by tensor and a slow node.
        change: one of ``CHANGES``.
        compute_s: of a step, as planned.
        gib: gradients.
        tensor_kib: one tensor's size, a power of two from 64 to 2^23.

    Returns:
        By name: seconds, messages and bytes of a step.

    >>> late = late_run(run="a", change="none", compute_s=0.6, gib=9, tensor_kib=2048)
    >>> round(late["step"], 2), round(late["planned"], 2)
    (1.5, 0.73)
    """
    one_of("run", run, RUNS.keys()), one_of("change", change, CHANGES.keys())
    planned, total = positive_number("compute_s", compute_s), positive_number("gib", gib) * 2.0**30
    tensor = int(one_of("tensor_kib", tensor_kib, _KIB)) * 1024
    buckets = _sums_s(total, _BUCKET)
    loose = run in ("a", "e") and change != "buckets"
    half = change == "bits"
    messages = total / tensor if loose else total / _BUCKET / (2 if half else 1)
    if loose:
        exchange = _sums_s(total / 2, tensor // 2) if half else _sums_s(total, tensor)
    else:
        exchange = buckets / 2 if half else buckets
    exchange *= 2 if run == "c" and change != "adapters" else 1
    own = planned * (_AGAIN if run == "d" and change != "state" else 1)
    slow = _SLOW if change != "node" else _NEXT if run == "b" else 1
    slowest = own * (slow if run in ("b", "e") else 1)
    return {
        "compute": own,
        "slowest": slowest,
        "exchange": exchange,
        "communication": exchange + slowest - own,
        "step": as_float("compute_s and gib", slowest + exchange),
        "planned": planned + buckets,
        "planned exchange": buckets,
        "messages": messages,
        "bytes": total / (2 if half else 1),
    }


@live_figure(
    title="Five late runs: name it, predict, change one thing",
    caption="Choose a run and look at its bars: which part is later than planned, and on which rank? Set your "
    "prediction for the step, and only then choose a change. The all-reduces take what was measured on four nodes of "
    "eight B200s.",
    knobs=[
        Choice("run", "The run", RUNS, "a"),
        Choice("change", "The one change", CHANGES, "none"),
        Number("guess_s", "Your prediction, s", 1.0, 0.1, 12, 0.01, whole=False),
        Number("compute_s", "Computing as planned, s", 0.6, 0.1, 5, 0.1, whole=False),
        Number("gib", "Gradients, GiB", 9, 1, 64, 1),
        Choice(
            "tensor",
            "One tensor",
            {"256": "256 KiB", "512": "512 KiB", "1024": "1 MiB", "2048": "2 MiB", "4096": "4 MiB"},
            "2048",
        ),
    ],
    named=[
        Named(
            "The question",
            "Computing is as planned, and the all-reduces take 0.901 s in place of 0.131.",
            {"run": "a"},
        ),
        Named(
            "Half the bytes",
            "Half the bytes, as many messages: the step falls only to 1.35 s.",
            {"change": "bits", "guess_s": 1.05},
        ),
        Named(
            "Buckets",
            "Two costs predict 0.94 s. With buckets the step takes 0.731 s, which is what was planned.",
            {"change": "buckets", "guess_s": 0.94},
        ),
        Named(
            "Run B",
            "Communication takes 0.371 s on a typical rank and 0.131 s on the slowest.",
            {"run": "b", "guess_s": 0.73},
        ),
        Named(
            "Run E",
            "The right first change leaves 0.971 s of 1.74, and 0.731 were planned. What does that say?",
            {"run": "e", "change": "buckets", "guess_s": 0.73},
        ),
    ],
    opens="The question",
)
def late_runs_figure(*, run: str, change: str, guess_s: float, compute_s: float, gib: int, tensor: str) -> Picture:
    """Draw the plan, a typical and the slowest rank before the change, and the step after it beside the prediction."""
    given: dict[str, Any] = {"run": run, "compute_s": compute_s, "gib": gib, "tensor_kib": int(tensor)}
    before, after = late_run(change="none", **given), late_run(change=change, **given)
    advice = advise(
        planned_compute_s=compute_s,
        planned_communication_s=before["planned exchange"],
        compute_s=before["compute"],
        last_arrival_s=before["slowest"],
        communication_s=before["communication"],
        messages=int(before["messages"]),
        total_bytes=before["bytes"],
        latency_s=_TIMES[32 * 1024],
        bandwidth_bytes_per_s=2.0**34 / _TIMES[2**34],
        held_bytes=1,
        memory_bytes=2,
    )
    rows = [
        ("planned", compute_s, before["planned exchange"]),
        ("typical rank", before["compute"], before["communication"]),
        ("slowest rank", before["slowest"], before["exchange"]),
    ]
    if change != "none":
        rows.append(("after the change, typical", after["compute"], after["communication"]))
    numbers = (
        f"Planned {_s(before['planned'])}, measured {_s(before['step'])}: computing {_s(before['compute'])}, "
        f"communication {_s(before['communication'])} on a typical rank and {_s(before['exchange'])} on the slowest, "
        f"in {before['messages']:.0f} all-reduces of {before['bytes'] / before['messages'] / _MIB:.3g} MiB. "
    )
    if change == "none":
        numbers += "Which part is it, and what would you change?"
    else:
        off = after["step"] / guess_s - 1
        numbers += (
            f"After the change: {_s(after['step'])}; you predicted {_s(guess_s)}, so it's {abs(off):.0%} "
            f"{'more' if off > 0 else 'less'}. The advisor: {advice.invariant}, {advice.ceiling}; {advice.change}, and "
            f"the step takes {_s(advice.predicted_s)}."
        )
    alt = "Bars of computing and communication: " + "; ".join(f"{n}: {_s(c)} and {_s(x)}" for n, c, x in rows) + "."
    return Picture([_bars(rows, guess_s, before["step"])], numbers, alt, idle=() if run in ("a", "e") else ("tensor",))


def _s(value: float) -> str:
    return f"{value:.3g} s"


def _bars(rows: list[tuple[str, float, float]], guess_s: float, step: float) -> Panel:
    """Draw a row of two blocks for each, and the prediction as a dashed line."""
    panel = Panel(_WIDTH, 52 * 4 + 48)
    longest = 1.05 * max([step, *(c + x for _, c, x in rows)])
    scale = (_WIDTH - 8) / longest
    for number, (name, compute, exchange) in enumerate(rows):
        y = 34 + 52 * number
        panel.text(2, y, f"{name}: {_s(compute + exchange)}", size=13, bold=True)
        panel.rectangle(2, y + 6, compute * scale, 24, colour="forward", strength=0.5)
        panel.rectangle(2 + compute * scale, y + 6, exchange * scale, 24, colour="communication", strength=0.5)
    if guess_s <= longest:
        x = 2 + guess_s * scale
        panel.line(x, 20, x, 236, colour="accent", dashed=True)
        right = x > _WIDTH / 2
        panel.text(
            x + (-4 if right else 4),
            14,
            "your prediction",
            anchor="end" if right else "start",
            size=12,
            colour="accent",
        )
    panel.text(2, 246, "blue: computing; red: communication and waiting", size=12, colour="muted")
    return panel
