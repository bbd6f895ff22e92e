"""Drawings: the live figure of chapter 26: what the fullest GPU of a layout holds, and where its step goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from snippets.composition.layouts import Layout
from snippets.composition.three_d.dropping import PlannedStep, planned_step
from snippets.domain import of_kind, positive_integer
from snippets.drawing import Panel, text_width_px
from snippets.job import THE_70B, Job
from snippets.live.bars import STRENGTH
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.models import MODELS

SHOWN = ("Llama 3 8B", "Llama 3 70B", "Llama 3 405B")
_KEEPS = {"some": "all that fits", "inputs": "its input alone", "all": "everything"}
TIME_PARTS = {"computing": "forward", "made again": "backward", "bubble": "idle", "waiting": "communication"}
MEMORY_PARTS = {
    "state": "optimizer",
    "activations": "activations",
    "buffers": "parameters",
}
RUN_TOKENS = 1.4e12


def time_parts(planned: PlannedStep) -> dict[str, float]:
    """Return the seconds of a step by what they go to.

    Args:
        planned: the step.

    Returns:
        Computing, what is made again, the bubble, and all waiting for the network, with the update.

    >>> from snippets.composition.layouts import Layout
    >>> planned = planned_step(THE_70B, Layout(tensor=2, data=128, stage=3))
    >>> {name: round(seconds, 2) for name, seconds in time_parts(planned).items()}
    {'computing': 12.27, 'made again': 0.0, 'bubble': 0.0, 'waiting': 0.44}
    """
    step = of_kind("planned", planned, PlannedStep).step
    return {
        "computing": step.compute - planned.remade_s + step.optimizer,
        "made again": planned.remade_s,
        "bubble": step.bubble,
        "waiting": step.tensor + step.pipeline + step.data + step.context + step.expert,
    }


def memory_parts(planned: PlannedStep) -> dict[str, float]:
    """Return the GB of the fullest GPU by kind.

    Args:
        planned: the step.

    Returns:
        State, activations and buffers.

    >>> from snippets.composition.layouts import Layout
    >>> held = memory_parts(planned_step(THE_70B, Layout(data=256, stage=3), keep="inputs"))
    >>> {name: round(size, 1) for name, size in held.items()}
    {'state': 4.4, 'activations': 19.1, 'buffers': 3.4}
    """
    held = of_kind("planned", planned, PlannedStep).memory
    parts = {"state": held.state, "activations": held.activations, "buffers": held.buffers}
    return {name: size / 1e9 for name, size in parts.items()}


def job_on(model: str, gpus: int) -> Job:
    """Return the book's job with another model on as many GPUs.

    Args:
        model: a name in ``MODELS``.
        gpus: a multiple of the 8 of a node.

    Returns:
        The job.

    >>> job_on("Llama 3 8B", 64).nodes
    8
    """
    if positive_integer("gpus", gpus) % 8:
        raise ValueError(f"gpus must be a multiple of the 8 of a node, got {gpus}")
    return replace(THE_70B, model_name=MODELS.name_of(model, argument="model"), nodes=gpus // 8)


@live_figure(
    title="Choose a layout",
    caption="A step of 512 sequences of 8,192 tokens in a layout: above, what the fullest GPU holds, against the 72 GB "
    "that may be filled; below, where the time goes. With one stage the state is fully sharded, with several it is in "
    "ZeRO's stage 1. Change one knob at a time: t against the waiting, chunks against the bubble, sequences at a time "
    "against gathers that stick out.",
    knobs=[
        Choice("model", "Model", {name: name for name in SHOWN}, "Llama 3 70B"),
        Number("gpus", "GPUs", 256, 8, 512, 2, "log"),
        Choice("tensor", "Tensor t", {str(t): str(t) for t in (1, 2, 4, 8)}, "2"),
        Choice("stages", "Stages p", {str(p): str(p) for p in (1, 2, 4, 8, 16)}, "1"),
        Choice("chunks", "Chunks of a stage v", {str(v): str(v) for v in (1, 2, 5)}, "1"),
        Choice("micro", "Sequences at a time b", {str(b): str(b) for b in (1, 2, 4)}, "1"),
        Choice("keep", "A layer keeps", _KEEPS, "some"),
    ],
    named=[
        Named(
            "The question",
            "The layout that everybody draws: nothing is made again, and a step takes 16.6 s, 3.1 s of it waiting.",
            {"tensor": "8", "stages": "4"},
        ),
        Named(
            "No cut, layers run twice",
            "27.0 GB are held, and 4.0 s of the 16.3 s are spent on making things again.",
            {"tensor": "1", "keep": "inputs"},
        ),
        Named(
            "Eight GPUs to a layer, fully sharded",
            "Gathers no longer hide behind an eighth of a sequence: 11.5 s of waiting.",
            {"tensor": "8"},
        ),
        Named(
            "The same, two sequences at a time",
            "The gathers hide again behind twice the tokens: 15.3 s, and 51.9 GB.",
            {"tensor": "8", "micro": "2"},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Two GPUs to a layer: 71.2 GB are held, no matmul runs twice, and a step takes 12.7 s.",
            {"tensor": "2", "stages": "1"},
        ),
    ],
    opens="The question",
)
def layout_figure(
    *, model: str, gpus: int, tensor: str, stages: str, chunks: str, micro: str = "1", keep: str = "some"
) -> Picture:
    """Draw a layout's memory and the parts of its step."""
    job, t, p, v = job_on(model, gpus), int(tensor), int(stages), int(chunks)
    if gpus % (t * p):
        raise ValueError(f"t·p = {t * p} doesn't divide {gpus} GPUs.")
    d = gpus // (t * p)
    idle = ["chunks"] if p == 1 else []
    b, many = int(micro), 1 if p == 1 else v
    layout = Layout(tensor=t, pipeline=p, data=d, chunks=many, micro_batch=b, stage=3 if p == 1 else 1)
    if job.batch_sequences % (d * b):
        raise ValueError(f"{d} copies, {b} at a time, can't share {job.batch_sequences} sequences evenly.")
    try:
        planned = planned_step(job, layout, keep=keep)
    except ValueError as error:
        raise ValueError(f"The layers can't be cut so: {error}.") from None
    if planned is None:
        raise ValueError("It doesn't fit, whatever the layers drop: the state alone is too large.")
    held, spent = memory_parts(planned), time_parts(planned)
    held_gb, step_s, room = sum(held.values()), planned.step.total, (job.memory_bytes - 8e9) / 1e9
    days = planned.step.run_s(RUN_TOKENS) / 86_400
    panel = Panel(340, 214)
    _bar(panel, 16, f"Fullest GPU: {held_gb:.1f} GB", held, MEMORY_PARTS, most=max(room, held_gb), mark=(room, "72 GB"))
    _bar(panel, 120, f"A step: {step_s:.1f} s", spent, TIME_PARTS, most=step_s)
    fits = "It fits" if held_gb <= room else "It doesn't fit"
    cut = "full sharding" if p == 1 else "ZeRO-1"
    waiting = spent["waiting"]
    numbers = (
        f"t = {t}, p = {p}, d = {d} with {cut}. {fits}: {held_gb:.1f} GB of the {room:.0f} GB that may be filled, "
        f"{held['state']:.1f} GB of them state. A step takes {step_s:.1f} s: {spent['computing']:.1f} s of computing, "
        f"{spent['made again']:.1f} s made again, {spent['bubble']:.1f} s of bubble, {waiting:.1f} s of waiting. "
        f"MFU {planned.step.mfu:.0%}; 1.4 trillion tokens take {days:.0f} days."
    )
    alt = f"Two bars. The fullest GPU: {_said(held, 'GB')}. A step: {_said(spent, 's')}."
    return Picture([panel], numbers, alt, idle=idle)


def _said(parts: Mapping[str, float], unit: str) -> str:
    return ", ".join(f"{name} {size:.1f} {unit}" for name, size in parts.items())


def _bar(
    panel: Panel,
    top: float,
    title: str,
    parts: Mapping[str, float],
    colours: Mapping[str, str],
    *,
    most: float,
    mark: tuple[float, str] | None = None,
) -> None:
    """Draw one bar with its title above and its parts' names below."""
    scale, x = 337 / most, 1.0
    at = 1 + mark[0] * scale if mark is not None else 338.0
    if at > text_width_px(title, bold=True) + 8:
        panel.text(0, top, title, bold=True)
    else:
        panel.text(338, top, title, anchor="end", bold=True)
    for name, size in parts.items():
        if size * scale >= 0.5:
            panel.rectangle(x, top + 10, size * scale, 26, colour=colours[name], strength=STRENGTH)
        x += size * scale
    if mark is not None:
        panel.line(at, top + 5, at, top + 42, colour="communication")
        panel.label(mark[1], [(min(at, 338), top, "end"), (at, top, "start")], size=12, colour="communication")
    for place, (name, size) in enumerate(parts.items()):
        left, line = 172 * (place % 2), top + 56 + 20 * (place // 2)
        panel.rectangle(left + 1, line - 10, 12, 12, colour=colours[name], strength=STRENGTH)
        panel.text(left + 18, line, f"{name} {size:.1f}", size=12)
