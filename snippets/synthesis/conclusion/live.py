"""Drawings: the live figure of chapter 40: a job's three bounds against their limits, as techniques are switched on."""

from __future__ import annotations

from snippets.composition.layouts import Layout
from snippets.drawing import Panel
from snippets.live.bars import STRENGTH
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice
from snippets.synthesis.conclusion.formulas import JobBounds, job_bounds

MODEL, SEQUENCE, RUN_TOKENS = "Qwen2.5 72B", 32_768, 3e12
TOLERATED = 0.1
OFFERS = {"h100": ("DGX H100", 512, 8, 192), "racks": ("GB200 NVL72", 192, 64, 192)}
_SHARDS = {"0": "whole on every GPU", "1": "optimizer in shards", "3": "all in shards"}
_KEEPS = {"all": "everything", "some": "what fits", "inputs": "its input alone"}
_VERDICTS = {
    "memory": "The first no: it doesn't fit.",
    "compute": "It fits. The first no: the GPUs are busy with waiting stages or repeated work.",
    "communication": "It fits, and the GPUs are busy. The first no: communication isn't hidden.",
    "none": "Three times yes.",
}


def _offered_bounds(
    *, offer: str, tensor: int, context: int, stages: int = 1, shard: int = 3, keep: str = "some"
) -> JobBounds:
    """Return the chapter's job in a layout on one of its two offers, or raise what a reader of the figure is told."""
    node, gpus, domain, sequences = OFFERS[offer]
    share = tensor * context * stages
    if gpus % share:
        raise ValueError(f"t·c·p = {share} doesn't divide {gpus} GPUs.")
    copies = gpus // share
    if sequences % copies:
        raise ValueError(
            f"{sequences} sequences can't be dealt to {copies} copies. Let more GPUs share a copy: raise t, c or p."
        )
    layout = Layout(tensor=tensor, context=context, pipeline=stages, data=copies, stage=shard)
    return job_bounds(
        MODEL, node, layout, batch_sequences=sequences, sequence=SEQUENCE, dtype="fp8", keep=keep, domain=domain
    )


@live_figure(
    title="Three questions, in this order",
    caption="The 72B of this chapter, 32,768 tokens to a sequence, matmuls in FP8. The first bar is what the fullest "
    "GPU holds, against nine tenths of its memory. The second is its computing, with what is done twice and the "
    "pipeline's bubble. The third is its waiting for messages. The dashed lines are the limits: a tenth of a step may "
    "be lost to either. Start at the top, and change one knob at a time.",
    knobs=[
        Choice("offer", "Machine", {"h100": "64 nodes of 8 H100", "racks": "192 GB200s of three racks"}, "h100"),
        Choice("shard", "The state", _SHARDS, "0"),
        Choice("context", "GPUs to a sequence c", {str(c): str(c) for c in (1, 2, 4, 8, 16)}, "8"),
        Choice("tensor", "GPUs to a layer t", {str(t): str(t) for t in (1, 2, 4, 8)}, "1"),
        Choice("stages", "Stages p", {str(p): str(p) for p in (1, 2, 4, 8)}, "1"),
        Choice("keep", "A layer keeps", _KEEPS, "all"),
    ],
    named=[
        Named(
            "State on every GPU",
            "Eight GPUs share a sequence, but each holds all of the state: 1,242 GB, and 72 may be filled.",
            {"shard": "0", "context": "8", "tensor": "1", "keep": "all"},
        ),
        Named(
            "Shard the state",
            "Of 1,163 GB of state 2 are left. With 79 GB of activations it's still too much.",
            {"shard": "3", "context": "8", "tensor": "1", "keep": "all"},
        ),
        Named(
            "Drop what is cheap",
            "Three times yes: 70 GB, and a step of 9.4 s.",
            {"shard": "3", "context": "8", "tensor": "1", "keep": "some"},
        ),
        Named(
            "Two to a layer, four pieces",
            "Three times yes again, and faster: 71 GB, and 4% of a step of 9.1 s are waiting.",
            {"shard": "3", "context": "4", "tensor": "2", "keep": "some"},
        ),
        Named(
            "Past the node's edge",
            "Sixty-four GPUs to a sequence hold 13 GB, and wait for 73% of the step.",
            {"shard": "3", "context": "8", "tensor": "8", "keep": "some"},
        ),
        Named(
            "The racks",
            "Four GPUs to a sequence are enough. A step takes 9.6 s, and 4% of it are waiting too.",
            {"offer": "racks", "shard": "3", "context": "2", "tensor": "2", "keep": "some"},
        ),
    ],
    opens="State on every GPU",
)
def procedure_figure(*, offer: str, shard: str, context: str, tensor: str, stages: str, keep: str) -> Picture:
    """Draw what a GPU holds, computes and waits for, each against its limit."""
    size = {"tensor": int(tensor), "context": int(context), "stages": int(stages), "shard": int(shard)}
    try:
        found = _offered_bounds(offer=offer, keep=keep, **size)
    except ValueError as error:
        raise ValueError(f"{str(error)[:1].upper()}{str(error)[1:].rstrip('.')}.") from None
    step, memory = found.step, found.memory
    held_gb, limit_gb = memory.total / 1e9, found.limit_bytes / 1e9
    lost_s, waits_s = found.again_s + step.bubble, found.exposed_s
    panel = Panel(340, 252)
    marks = [found.broken == name for name in ("memory", "compute", "communication")]
    _row(
        panel,
        16,
        "Does it fit?",
        f"{held_gb:,.0f} GB",
        [
            (memory.state / 1e9, "optimizer", "state"),
            (memory.activations / 1e9, "activations", "activations"),
            (memory.buffers / 1e9, "parameters", "buffers"),
        ],
        most=max(held_gb, limit_gb),
        limit=limit_gb,
        broken=marks[0],
    )
    _row(
        panel,
        98,
        "Are the GPUs busy?",
        f"{found.work_s + lost_s:.1f} s",
        [(found.work_s, "forward", "work"), (found.again_s, "backward", "again"), (step.bubble, "idle", "bubble")],
        most=step.total,
        limit=found.work_s + TOLERATED * step.total,
        broken=marks[1],
    )
    _row(
        panel,
        180,
        "Is communication hidden?",
        f"{waits_s:.1f} s",
        [(waits_s, "communication", "waiting")],
        most=step.total,
        limit=TOLERATED * step.total,
        broken=marks[2],
    )
    opening, takes = ("A", "takes") if held_gb <= limit_gb else ("If it fit, a", "would take")
    numbers = (
        f"{_VERDICTS[found.broken]} The fullest GPU holds {held_gb:,.0f} GB, {memory.state / 1e9:,.0f} of them state "
        f"and {memory.activations / 1e9:,.0f} activations; {limit_gb:.0f} may be filled. {opening} step of "
        f"{step.tokens // SEQUENCE} sequences {takes} {step.total:.1f} s: {found.work_s:.1f} s of work, "
        f"{found.again_s:.1f} s made again, {step.bubble:.1f} s of bubble, {waits_s:.1f} s "
        f"({waits_s / step.total:.0%}) of waiting. {step.tokens_per_s_per_gpu:,.0f} tokens a second and GPU; "
        f"3 trillion take {step.run_s(RUN_TOKENS) / 86_400:.0f} days."
    )
    alt = (
        f"Three bars: {held_gb:,.0f} GB held, of {limit_gb:.0f} that may be filled; {found.work_s:.1f} s of work, with "
        f"{lost_s:.1f} s made again or in the bubble; {waits_s:.1f} s of waiting. {_VERDICTS[found.broken]}"
    )
    if keep == "some" and not found.dropped:
        helped = "dropping some wouldn't make it fit" if found.broken == "memory" else "it fits without"
        numbers += f" Nothing is dropped: {helped}."
    return Picture([panel], numbers, alt)


def _row(
    panel: Panel,
    top: float,
    question: str,
    said: str,
    parts: list[tuple[float, str, str]],
    *,
    most: float,
    limit: float,
    broken: bool,
) -> None:
    """Draw a question, its bar with a limit, and the parts' names below it."""
    panel.text(0, top, question, bold=True)
    panel.text(338, top, f"{said}: no" if broken else said, anchor="end", bold=True)
    scale, x = 337 / most, 1.0
    for size, colour, _ in parts:
        if size * scale >= 0.5:
            panel.rectangle(x, top + 8, size * scale, 20, colour=colour, strength=STRENGTH)
        x += size * scale
    at = min(338.0, 1 + limit * scale)
    panel.line(at, top + 4, at, top + 32, colour="communication", dashed=True)
    for place, (size, colour, name) in enumerate(parts):
        left = (1, 98, 228)[place]
        panel.rectangle(left, top + 38, 12, 12, colour=colour, strength=STRENGTH)
        panel.text(left + 18, top + 48, f"{name} {size:,.0f}" if size >= 100 else f"{name} {size:.1f}", size=12)
