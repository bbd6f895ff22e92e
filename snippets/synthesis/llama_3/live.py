"""Drawings: the live figure of chapter 37: Llama 3 405B cut by the reader, its fullest GPU and its step."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice
from snippets.synthesis.llama_3.cuts import llama_3_cut
from snippets.synthesis.llama_3.figures import MEMORY_HUES, TIME_HUES, cut_gigabytes, cut_seconds

_FULL_GB, _WIDE = 80, 336


@live_figure(
    title="Cut Llama 3 405B",
    caption="A step of 16.8 million tokens, no layer run twice, weights kept whole on each stage. Above, what the "
    "fullest GPU holds, with a line at the 80 GB that we fill; below, where the step goes. Move $t$ and $p$ first, and "
    "watch which of the two bars answers. Then take half the GPUs, or sixteen times the context.",
    knobs=[
        Choice("gpus", "GPUs", {str(R): f"{R:,}" for R in (4096, 8192, 16384, 32768)}, "16384"),
        Choice("tensor", "Tensor t", {str(t): str(t) for t in (2, 4, 8, 16)}, "8"),
        Choice("stages", "Stages p", {str(p): str(p) for p in (4, 8, 16, 32, 64)}, "16"),
        Choice("context", "Context c", {str(c): str(c) for c in (1, 2, 4, 8, 16)}, "1"),
        Choice("sequence", "Tokens of a sequence", {"8192": "8,192", "131072": "131,072"}, "8192"),
    ],
    named=[
        Named(
            "As it was trained",
            "78.1 GB of 80, and a step of 5.6 s, 0.5 s of it bubble.",
            {"tensor": "8", "stages": "16"},
        ),
        Named(
            "Half the stages",
            "The activations stay at 68.2 GB, but the weights double: 84.5 GB don't fit.",
            {"stages": "8"},
        ),
        Named(
            "Half the GPUs to a layer",
            "Only 16 micro-batches for 32 stages: 5.3 s of bubble.",
            {"tensor": "4", "stages": "32"},
        ),
        Named(
            "Two nodes to a layer",
            "The bubble shrinks to 0.1 s, but tensor groups wait for 1.5 s.",
            {"tensor": "16", "stages": "8"},
        ),
        Named(
            "131,072 tokens",
            "Sixteen context ranks, and the fullest GPU holds 78.1 GB as before.",
            {"context": "16", "sequence": "131072"},
        ),
    ],
    opens="As it was trained",
)
def llama_3_figure(
    *, gpus: str = "16384", tensor: str = "8", stages: str = "16", context: str = "1", sequence: str = "8192"
) -> Picture:
    """Draw the memory of the fullest GPU and the parts of the step."""
    R, t, p, c, s = int(gpus), int(tensor), int(stages), int(context), int(sequence)
    if t * p * c > R:
        raise ValueError(f"A copy would take {t * p * c:,} GPUs, more than there are.")
    copies = R // (t * p * c)
    if (2**24 // s) % copies:
        raise ValueError(
            f"{copies:,} copies can't share {2**24 // s:,} sequences evenly: give each copy more GPUs, with a larger "
            "t, p or c."
        )
    cut = llama_3_cut(tensor=t, pipeline=p, context=c, ranks=R, sequence=s)
    held, spent = cut_gigabytes(cut), cut_seconds(cut)
    held_gb, step_s = sum(held.values()), cut.step.total
    panel = Panel(340, 228)
    most = max(_FULL_GB, held_gb)
    bar = Bar("Fullest GPU", [(size, MEMORY_HUES[kind]) for kind, size in held.items()], f"{held_gb:.1f} GB")
    draw_bars(panel, [bar], top=14, high=22, wide=_WIDE * held_gb / most)
    at = 1 + _WIDE * _FULL_GB / most
    panel.line(at, 19, at, 46, colour="ink", dashed=True)
    draw_key(
        panel, {MEMORY_HUES[kind]: f"{kind} {size:.1f}" for kind, size in list(held.items())[:2]}, step=160, top=50
    )
    draw_key(
        panel, {MEMORY_HUES[kind]: f"{kind} {size:.1f}" for kind, size in list(held.items())[2:]}, step=160, top=70
    )
    bar = Bar("A step", [(seconds, TIME_HUES[kind]) for kind, seconds in spent.items()], f"{step_s:.1f} s")
    draw_bars(panel, [bar], top=116, high=22, wide=_WIDE)
    parts = [{TIME_HUES[kind]: f"{kind} {seconds:.1f}"} for kind, seconds in spent.items()]
    draw_key(panel, parts[0] | parts[1], step=160, top=154)
    draw_key(panel, parts[2] | parts[3], step=160, top=174)
    draw_key(panel, parts[4], step=160, top=194)
    fits = "It fits" if cut.fits else "It doesn't fit"
    numbers = (
        f"{t * p * c:,} GPUs to a copy, {copies:,} copies, {cut.micro_batches:,} micro-batches for {p} stages, "
        f"{128 // p} chunks to each. {fits}: {held_gb:.1f} GB of {_FULL_GB}, {held['activations']:.1f} GB of them "
        f"activations and {held['weights']:.1f} GB weights. A step takes {step_s:.1f} s: {spent['computing']:.1f} s of "
        f"computing, {spent['bubble']:.1f} s of bubble, {spent['tensor waits']:.1f} s in which tensor groups wait, "
        f"{spent['copies wait']:.1f} s in which copies wait for weights and gradients, {spent['the rest']:.1f} s for "
        f"the rest. MFU {cut.step.mfu:.0%}."
    )
    alt = f"Two bars. The fullest GPU: {_said(held, 'GB')}, with a line at {_FULL_GB} GB. A step: {_said(spent, 's')}."
    return Picture([panel], numbers, alt)


def _said(parts: dict[str, float], unit: str) -> str:
    return ", ".join(f"{name} {size:.1f} {unit}" for name, size in parts.items())
