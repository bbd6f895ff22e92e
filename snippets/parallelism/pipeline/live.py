"""Drawings: the live figure of chapter 18: a pipeline schedule of any sizes and times, run and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from snippets.drawing import Panel
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.parallelism.pipeline import formulas as pipeline
from snippets.parallelism.pipeline import schedules
from snippets.parallelism.pipeline.gantt import draw_gantt
from snippets.parallelism.pipeline.runner import Time, Timeline, run_pipeline
from snippets.parallelism.pipeline.schedules import PipelineSchedule

_WIDE_PX, _NARROW_PX, _PANEL_PX = 680.0, 340.0, 328.0
_HEAD_PX, _ROW_PX = 42.0, 22.0
_MOST_PASSES = 3200  # of a chart
_LATEST = 1200  # no step of the knobs' ranges lasts longer


@dataclass(frozen=True)
class _Kind:
    """A schedule of the book: its builder, and what it asks of p and m where it asks for anything."""

    label: str
    build: Callable[..., PipelineSchedule]
    needs: str = ""


_KINDS = {
    "gpipe": _Kind("GPipe", schedules.gpipe),
    "one_f_one_b": _Kind("1F1B", schedules.one_f_one_b),
    "interleaved": _Kind("Interleaved", schedules.interleaved, "m a multiple of p"),
    "zb_h1": _Kind("ZB-H1", schedules.zb_h1),
    "zb_h2": _Kind("ZB-H2", schedules.zb_h2),
}


@dataclass(frozen=True)
class _Sizes:
    stages: int
    micro_batches: int
    chunks: int
    forward: int
    input_gradient: int
    weight_gradient: int

    @property
    def work(self) -> int:
        """Time for which every device works in a step, whatever the schedule."""
        return self.micro_batches * (self.forward + self.input_gradient + self.weight_gradient)


@dataclass(frozen=True)
class _Run:
    """A timeline in units of 1/``fine`` of the knobs' unit, so that all its times are whole numbers."""

    timeline: Timeline
    fine: int

    @property
    def step(self) -> Fraction:
        """How long the step takes, in the knobs' unit."""
        return Fraction(self.timeline.makespan_s) / self.fine

    @property
    def peaks(self) -> list[Fraction]:
        """Micro-batches that each device holds at most, of 1/p of the layers."""
        return [Fraction(count) / self.fine for count in self.timeline.peak_activations]

    def held(self, moment: Time) -> list[Fraction]:
        """Micro-batches that each device holds just after a moment, of 1/p of the layers."""
        last = "W" if self.timeline.schedule.splits_backward else "B"
        now, held = moment * self.fine, [0] * self.timeline.schedule.ranks
        for device, task, start, end in self.timeline.events():
            held[device] += (task.kind == "F" and start <= now) - (task.kind == last and end <= now)
        return [Fraction(count, self.fine) for count in held]


@lru_cache(maxsize=64)
def _run(kind: str, sizes: _Sizes) -> _Run | None:
    """Run a schedule; ``None`` where it does not exist for these sizes."""
    fine = sizes.chunks if kind == "interleaved" else 1
    chunks = {"chunks": fine} if kind == "interleaved" else {}
    try:
        schedule = _KINDS[kind].build(stages=sizes.stages, micro_batches=sizes.micro_batches, **chunks)
    except ValueError:
        return None
    lengths = {"F": sizes.forward, "B": sizes.input_gradient, "W": sizes.weight_gradient}
    if not schedule.splits_backward:
        lengths["B"] += lengths.pop("W")
    return _Run(run_pipeline(schedule, lengths), fine)


@lru_cache(maxsize=64)
def _cost(kind: str, sizes: _Sizes) -> tuple[Fraction, Fraction] | None:
    """Return a schedule's step and its highest peak, by closed form where there is one; ``None`` as ``_run``."""
    if kind in ("zb_h1", "zb_h2"):
        run = _run(kind, sizes)
        return (run.step, max(run.peaks)) if run else None
    if kind == "interleaved" and sizes.micro_batches % sizes.stages:
        return None
    size = {"stages": sizes.stages, "micro_batches": sizes.micro_batches}
    fine = sizes.chunks if kind == "interleaved" else 1
    step = Fraction(fine * sizes.micro_batches + sizes.stages - 1, fine * sizes.micro_batches) * sizes.work
    if kind == "interleaved":
        return step, Fraction(pipeline.interleaved_peak_activations(**size, chunks=fine), fine)
    return step, Fraction(sizes.micro_batches if kind == "gpipe" else pipeline.one_f_one_b_peak_activations(**size))


@live_figure(
    title="Run a pipeline",
    caption="Move the line through a step and watch what the devices hold. Make $T_W$ 1 and $T_B$ 4, and ask what is "
    "left of ZB-H1's gain. An unsplit backward takes B and W together.",
    knobs=[
        Choice("schedule", "Schedule", {name: kind.label for name, kind in _KINDS.items()}, "one_f_one_b"),
        Number("stages", "Stages p", 4, 2, 16),
        Number("micro_batches", "Micro-batches m", 8, 1, 48),
        Number("chunks", "Chunks v (interleaved)", 2, 2, 4),
        Number("forward", "Time of F", 1, 1, 4),
        Number("input_gradient", "Time of B", 1, 1, 4),
        Number("weight_gradient", "Time of W", 1, 1, 4),
        Number("moment", "Moment of the line", 2, 0, _LATEST, play=True),
    ],
    opens="The question",
    named=[
        Named(
            "The question",
            "With 1F1B, 23.8% of the step is bubble. Change the schedule to ZB-H1, and compare the step and what the "
            "devices hold. Times are rounded.",
            {"stages": 16, "micro_batches": 48, "forward": 4, "input_gradient": 4, "weight_gradient": 3, "moment": 240},
        ),
        Named(
            "Four devices, 1F1B",
            "27.3% of the step is bubble, as in GPipe, but the devices hold at most 4, 3, 2, 1 micro-batches.",
            {"moment": 10},
        ),
        Named(
            "Four devices, ZB-H1",
            "The bubble falls from 27.3% of the step to 11.1%; the fullest device holds 4 micro-batches, as in 1F1B.",
            {"schedule": "zb_h1"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Each replica has 16 sequences for its 8 stages: 30.4% of the step is bubble.",
            {"stages": 8, "micro_batches": 16, "moment": 24},
        ),
    ],
)
def pipeline_schedule(
    schedule: str,
    stages: int,
    micro_batches: int,
    chunks: int,
    forward: int,
    input_gradient: int,
    weight_gradient: int,
    moment: int,
) -> Picture:
    """Run the schedule, draw its Gantt chart with the line, what devices hold, and how the other schedules compare."""
    most_chunks = min(4, max(2, _MOST_PASSES // (2 * stages * micro_batches)))
    chunks = min(chunks, most_chunks)
    sizes = _Sizes(stages, micro_batches, chunks, forward, input_gradient, weight_gradient)
    kind, run = _KINDS[schedule], _run(schedule, sizes)
    if run is None:
        raise ValueError(f"{kind.label} needs {kind.needs}, and here p = {stages} and m = {micro_batches}.")
    moment = min(moment, int(run.step))
    wide, narrow = (
        draw_gantt(
            run.timeline,
            title=title,
            until_s=float(run.timeline.makespan_s),
            note=f"the step ends at {_short(run.step)}; the line is at {moment}",
            width_px=width_px,
            moment_s=moment * run.fine,
            parts=run.fine,
        )
        for title, width_px in (
            (f"{kind.label}, {stages} stages, {micro_batches} micro-batches", _WIDE_PX),
            (f"{kind.label}, p = {stages}, m = {micro_batches}", _NARROW_PX),
        )
    )
    below = [_held_panel(run, moment), _compared_panel(schedule, sizes)]
    idle, on_top = run.timeline.idle_share, run.timeline.idle_overhead
    numbers = (
        f"{kind.label}: the step takes {_short(run.step)}, of which each device works {sizes.work}. The bubble is "
        f"{idle:.1%} of the step, {on_top:.1%} on top of the work. {_held_at_most(run.peaks)}"
    )
    alt = (
        f"A chart of {stages} devices that run {micro_batches} micro-batches by {kind.label}; grey, where they "
        f"wait, is {idle:.1%}. Below it, what the devices hold. {_held_at_most(run.peaks)} At time {moment} they hold "
        f"{_listed(run.held(moment))}. Beside that, steps of all schedules that these sizes allow, from "
        f"{_range_of_steps(sizes)}."
    )
    return Picture(
        panels=[wide, *below],
        narrow=[narrow, *below],
        numbers=numbers,
        alt=alt,
        limits={"moment": int(run.step), "chunks": most_chunks},
    )


def _short(value: Fraction) -> str:
    return f"{float(value):.4g}"


def _listed(values: list[Fraction]) -> str:
    return ", ".join(f"{float(value):.3g}" for value in values)


def _held_at_most(peaks: list[Fraction]) -> str:
    if len(set(peaks)) == 1:
        return f"Each device holds at most {_listed(peaks[:1])} micro-batches."
    return f"Devices 0 to {len(peaks) - 1} hold at most {_listed(peaks)} micro-batches."


def _range_of_steps(sizes: _Sizes) -> str:
    steps = [cost[0] for kind in _KINDS if (cost := _cost(kind, sizes))]
    return f"{_short(min(steps))} to {_short(max(steps))}"


def _held_panel(run: _Run, moment: int) -> Panel:
    """Draw for each device a bar as long as its peak, filled as far as it holds micro-batches at the moment."""
    peaks, held = run.peaks, run.held(moment)
    top, row, left, right = _HEAD_PX, _ROW_PX, 18.0, 244.0
    panel = Panel(_PANEL_PX, top + row * max(len(peaks), len(_KINDS)) + 4)
    panel.text(0, 14, "Micro-batches held", bold=True)
    panel.text(left, 34, "filled: at the line", size=12, colour="muted")
    panel.text(284, 34, "line", anchor="end", size=12, colour="muted")
    panel.text(_PANEL_PX, 34, "peak", anchor="end", size=12, colour="muted")
    scale = (right - left) / float(max(peaks))
    places = [top + row * device for device in range(len(peaks))]
    for strength, counts in ((0.12, peaks), (0.6, held)):
        boxes = [(left, y, float(count) * scale, row - 6) for y, count in zip(places, counts, strict=True) if count]
        panel.rectangles(boxes, colour="activations", strength=strength)
    for device, (y, now, peak) in enumerate(zip(places, held, peaks, strict=True)):
        panel.text(0, y + 8, str(device), size=12, middle=True)
        panel.text(284, y + 8, _listed([now]), size=12, anchor="end", middle=True)
        panel.text(_PANEL_PX, y + 8, _listed([peak]), size=12, anchor="end", middle=True)
    return panel


def _compared_panel(chosen: str, sizes: _Sizes) -> Panel:
    """Draw for each schedule one device's mean step, work and idle time, and write its bubble and its highest peak."""
    top, row, left, right = _HEAD_PX, _ROW_PX, 88.0, 238.0
    panel = Panel(_PANEL_PX, top + row * max(sizes.stages, len(_KINDS)) + 4)
    panel.text(0, 14, "The same work in every order", bold=True)
    panel.text(left, 34, "step", size=12, colour="muted")
    panel.text(284, 34, "idle", anchor="end", size=12, colour="muted")
    panel.text(_PANEL_PX, 34, "holds", anchor="end", size=12, colour="muted")
    costs = {name: _cost(name, sizes) for name in _KINDS}
    longest = max(cost[0] for cost in costs.values() if cost)
    scale = (right - left) / float(longest)
    spans: dict[str, list[tuple[float, float, float, float]]] = {}
    for number, (name, cost) in enumerate(costs.items()):
        y, here = top + row * number, name == chosen
        if here:
            panel.rectangles([(0, y - 3, _PANEL_PX, row)], colour="accent", strength=0.08)
        panel.text(4, y + 8, _KINDS[name].label, size=12, middle=True, bold=here)
        if cost is None:
            panel.text(left, y + 8, f"needs {_KINDS[name].needs}", size=12, middle=True, colour="muted")
            continue
        x = left
        step, peak = cost
        for kind, length in _shares(sizes, step).items():
            spans.setdefault(kind, []).append((x, y, length * scale, row - 6))
            x += length * scale
        panel.text(284, y + 8, f"{float(1 - sizes.work / step):.1%}", size=12, anchor="end", middle=True)
        panel.text(_PANEL_PX - 4, y + 8, _listed([peak]), size=12, anchor="end", middle=True)
    for kind, boxes in spans.items():
        panel.rectangles(boxes, colour=kind, strength=0.12 if kind == "idle" else 0.4)
    return panel


def _shares(sizes: _Sizes, step: Fraction) -> dict[str, float]:
    """Return how a device spends a step, in the knobs' unit."""
    each = {"forward": sizes.forward, "backward": sizes.input_gradient, "weight-gradient": sizes.weight_gradient}
    spent = {kind: float(length * sizes.micro_batches) for kind, length in each.items()}
    return spent | {"idle": float(step - sizes.work)}
