"""Drawings: the live figure of a loader: its workers' lanes, the GPU's, and the queue between them."""

from __future__ import annotations

import random

from snippets.domain import at_most, nonnegative_integer, positive_integer, positive_number, probability
from snippets.drawing import Panel
from snippets.foundations.data_pipeline.figures import levels_panel, loader_lanes_panel, stalls
from snippets.foundations.data_pipeline.formulas import LoaderRun, loader_run, steady_busy_share
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_BATCHES, _SHOWN_STEPS = 400, 15
_SLOW_SHARE = 0.1


def slow_and_fast_s(
    *, fast_s: float, slow_s: float, batches: int, slow_share: float = _SLOW_SHARE, seed: int = 1
) -> list[float]:
    """Return the times of batches of which each is slow by chance.

    Args:
        fast_s: seconds of the others.
        slow_s: seconds of a slow one.
        batches: how many.
        slow_share: the chance that a batch is slow, from 0 to 1, by itself one in ten.
        seed: of the chance, at least 0.

    >>> slow_and_fast_s(fast_s=1, slow_s=3, batches=4)
    [1.0, 1.0, 1.0, 1.0]
    """
    source = random.Random(nonnegative_integer("seed", seed))
    fast, slow = positive_number("fast_s", fast_s), positive_number("slow_s", slow_s)
    count = at_most("batches", positive_integer("batches", batches))
    share = probability("slow_share", slow_share)
    return [slow if source.random() < share else fast for _ in range(count)]


@live_figure(
    title="A loader and its GPU",
    caption="First: each worker makes one batch at a time (red), and the GPU takes them in their order (blue). Then: "
    "how many finished batches wait, and below when the GPU stalls. Choose workers and prefetch factor so that the GPU "
    "doesn't wait, for the question's times or for your own.",
    knobs=[
        Number("workers", "Workers z", 2, 1, 16),
        Number("prefetch_factor", "Prefetch factor f", 2, 1, 8),
        Number("fast_s", "Time of a batch", 0.75, 0.05, 3.0, 0.05, unit="s", whole=False),
        Number("slow_s", "Time of a slow batch", 2.45, 0.05, 6.0, 0.05, unit="s", whole=False),
        Number("slow_percent", "Slow batches", 10, 0, 50, unit="%"),
        Number("step_s", "Step", 0.2, 0.05, 20.0, 0.05, unit="s", whole=False),
    ],
    named=[
        Named(
            "The question",
            "Two workers are too few for 4.6 batches in the making; the GPU waits longer than it works.",
            {"workers": 2},
        ),
        Named(
            "Little's number",
            "5 workers make enough batches on average, but behind a slow one the finished ones wait for their turn.",
            {"workers": 5},
        ),
        Named(
            "Three more workers",
            "The first slow batches come before 8 workers have built a queue; after them the GPU hardly waits.",
            {"workers": 8},
        ),
        Named(
            "One more, and prefetch",
            "6 workers hold up to 24 finished batches, and after the first slow batches the GPU hardly waits, either.",
            {"workers": 6, "prefetch_factor": 4},
        ),
        Named(
            "The 70B on 256 GPUs",
            "With a step of 17.5 s, one worker keeps the GPU busy 100% of the time.",
            {"workers": 1, "fast_s": 1.0, "slow_s": 3.0, "step_s": 17.5},
        ),
    ],
    opens="The question",
)
def loader_lanes(
    *, workers: int, prefetch_factor: int, fast_s: float, slow_s: float, slow_percent: int, step_s: float
) -> Picture:
    """Draw the first steps of a loader's run, with the share of a longer run for which the GPU is busy."""
    share = slow_percent / 100
    times = slow_and_fast_s(fast_s=fast_s, slow_s=slow_s, batches=_BATCHES, slow_share=share)
    run = loader_run(times, step_s=step_s, workers=workers, prefetch_factor=prefetch_factor)
    mean_s = (1 - share) * fast_s + share * slow_s
    equal = steady_busy_share(workers=workers, batch_s=mean_s, step_s=step_s)
    until_s = max(_whole(run.takes_s[_SHOWN_STEPS - 1] + step_s), 2.0)
    shown = _first(run, until_s)
    panels: list[Panel] = [
        loader_lanes_panel({"Workers and GPU": (shown, workers)}, until_s=until_s, width_px=330),
        levels_panel(
            {"Finished batches that wait": shown}, until_s=until_s, most=workers * prefetch_factor, width_px=330
        ),
    ]
    unequal = f"; with equal times it would be {100 * equal:.0f}%" if slow_s != fast_s and slow_percent else ""
    numbers = (
        f"{workers} worker{'s' * (workers > 1)}, {mean_s:.3g} s for a batch on average, {step_s:.3g} s for a step: "
        f"Little's law asks for {mean_s / step_s:.3g} batches in the making. A batch is asked for "
        f"{workers * prefetch_factor} steps ahead, {workers * prefetch_factor * step_s:.3g} s. Over {_BATCHES} batches "
        f"the GPU is busy {100 * run.busy_share:.0f}% of the time{unequal}."
    )
    late = len(stalls(shown))
    alt = (
        f"Lanes of {workers} worker{'s' * (workers > 1)} over {until_s:g} seconds, below them the GPU's; it waits "
        f"{late} time{'s' * (late != 1)}. Then a curve of finished batches, from 0 to "
        f"at most {workers * prefetch_factor}."
    )
    idle = ("slow_s",) if not slow_percent else ("slow_percent",) if slow_s == fast_s else ()
    return Picture(panels, numbers, alt, idle=idle)


def _whole(moment: float) -> float:
    """Return the next whole number of seconds, at most 9, so that the axis stays readable."""
    return float(min(int(moment) + 1, 9))


def _first(run: LoaderRun, until_s: float) -> LoaderRun:
    """Return the part of a run that begins within the time shown."""
    count = sum(start < until_s for start in run.starts_s)
    return LoaderRun(run.step_s, run.starts_s[:count], run.ends_s[:count], run.takes_s[:count])
