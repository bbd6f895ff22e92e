"""Drawings: the live figure of chapter 38: a step and a GPU's memory with 1, 2, 4 or 8 GPUs to a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number
from snippets.synthesis.deepseek_v3.as_trained import FREE_SHARE, WIDTHS, V3Plan, v3_plan
from snippets.synthesis.deepseek_v3.formulas import V3_STEP

_WIDTH = 330
_PITCH = 42
_KEY_LINES = 3
TIME_PARTS = {
    "forward": ("working", ("work", "update")),
    "weight-gradient": ("smaller matmuls", ("narrower",)),
    "backward": ("recomputing", ("made_again",)),
    "idle": ("bubble", ("bubble",)),
    "communication": ("waiting", ("waiting",)),
}
MEMORY_PARTS = {"parameters": "dense", "optimizer": "experts", "gradients": "optimizer", "activations": "activations"}
_MEMORY_KEY = {
    "parameters": "not experts",
    "optimizer": "experts",
    "gradients": "ZeRO's part",
    "activations": "activations",
}


def _named(t: int, plan: V3Plan) -> str:
    return f"t = {t}, {'drops' if plan.drops else 'keeps all'}"


def _panel(bars: Sequence[Bar], key: Mapping[str, str]) -> tuple[Panel, float]:
    names = list(key.items())
    panel = Panel(_WIDTH, 26 + 20 * _KEY_LINES + _PITCH * len(bars))
    for line in range(_KEY_LINES):
        draw_key(panel, dict(names[2 * line : 2 * line + 2]), step=165, top=3 + 20 * line)
    return panel, 22.0 + 20 * _KEY_LINES


def _time_panel(plans: Mapping[int, V3Plan]) -> Panel:
    """Draw a bar for the step of each plan, cut into what it goes to."""
    bars = []
    for t, plan in plans.items():
        parts = [(sum(getattr(plan.step, name) for name in names), colour) for colour, (_, names) in TIME_PARTS.items()]
        bars.append(Bar(_named(t, plan), parts, f"{plan.step.total:.1f} s" + ("" if plan.fits else ", doesn't fit")))
    panel, top = _panel(bars, {colour: said for colour, (said, _) in TIME_PARTS.items()})
    draw_bars(panel, bars, top=top, wide=_WIDTH - 3)
    return panel


def _memory_panel(plans: Mapping[int, V3Plan], *, memory_bytes: float) -> Panel:
    """Draw a bar for what a GPU of each plan holds, with a line at what may be filled."""
    bars = [
        Bar(
            _named(t, plan),
            [(getattr(plan.memory, name), colour) for colour, name in MEMORY_PARTS.items()],
            f"{plan.memory.total / 1e9:.0f} GB",
        )
        for t, plan in plans.items()
    ]
    panel, top = _panel(bars, _MEMORY_KEY)
    limit = (1 - FREE_SHARE) * memory_bytes
    longest = max(plan.memory.total for plan in plans.values())
    scale = (_WIDTH - 3) / max(longest, limit)
    draw_bars(panel, bars, top=top, wide=longest * scale)
    x = 1 + limit * scale
    for row in range(len(bars)):
        panel.line(x, top + _PITCH * row + 3, x, top + _PITCH * row + 23, colour="communication")
    return panel


@live_figure(
    title="How many GPUs to a layer?",
    caption="DeepSeek-V3 on 2,048 GPUs, 16 stages, from the step that its makers measured. Layers drop tensors only if "
    "they must. Speed up the link: which bar wins? Then deal the experts to fewer GPUs.",
    knobs=[
        Number("link_gb", "Inside a node, GB/s", 160, 20, 900, 5),
        Number("memory_gb", "A GPU's memory, GB", 80, 40, 288, 1),
        Choice(
            "open_halves",
            "A layer waits for",
            {
                "0": "nothing: all waits hide",
                "3": "3 halves: attention alone is cut",
                "6": "6 halves: both blocks are",
                "10": "10: nothing hides",
            },
            "6",
        ),
        Choice("narrower", "Smaller matmuls cost", {"0": "nothing", "1": "as modelled", "2": "twice that"}, "1"),
        Choice(
            "shrinks",
            "A group shortens",
            {"2.06": "the whole bubble", "1.3": "1.3 s of its 2.1 s", "1.1": "1.1 s of its 2.1 s"},
            "2.06",
        ),
        Choice(
            "expert_ranks",
            "GPUs for the experts e",
            {"8": "8", "16": "16", "32": "32", "64": "64", "128": "128"},
            "64",
        ),
    ],
    named=[
        Named(
            "The question",
            "Two ways tie: alone and dropping, 19.9 s; in pairs and keeping all, 20.1 s. Eight to a layer take 28.9 s.",
            {"link_gb": 160},
        ),
        Named(
            "An H100's link",
            "At 360 GB/s pairs are ahead, with 19.5 s against 19.9 s alone. Eight still take 24.9 s.",
            {"link_gb": 360},
        ),
        Named(
            "All waits hide",
            "Pairs take 19.0 s. Eight take 20.9 s and still lose, but only by what smaller matmuls are said to cost.",
            {"open_halves": "0"},
        ),
        Named(
            "Experts in two nodes",
            "With e = 16 a GPU holds four times as many experts. With these drops only groups fit: pairs take 20.5 s.",
            {"expert_ranks": "16"},
        ),
        Named(
            "Twice the memory",
            "With GPUs of 160 GB nothing has to go: alone it's 19.5 s. For pairs there's no memory left to buy.",
            {"memory_gb": 160},
        ),
    ],
    opens="The question",
)
def v3_figure(
    *, link_gb: int, memory_gb: int, open_halves: str, narrower: str, shrinks: str, expert_ranks: str
) -> Picture:
    """Draw the step and the memory for every number of GPUs to a layer."""
    plans = {
        t: v3_plan(
            t,
            link_bytes_per_s=1e9 * link_gb,
            memory_bytes=1e9 * memory_gb,
            open_halves=int(open_halves),
            narrower_times=float(narrower),
            uneven_s=V3_STEP.bubble_s - float(shrinks),
            expert_parallel=int(expert_ranks),
        )
        for t in WIDTHS
    }
    fitting = {t: plan.step.total for t, plan in plans.items() if plan.fits}
    if fitting:
        best = min(fitting, key=lambda t: fitting[t])
        verdict = f"The fastest that fits has t = {best}, with {fitting[best]:.1f} s."
    else:
        verdict = "Nothing fits."
    told = "; ".join(
        f"t = {t} {'drops tensors' if plan.drops else 'keeps all'}, holds {plan.memory.total / 1e9:.0f} GB, takes "
        f"{plan.step.total:.1f} s"
        for t, plan in plans.items()
    )
    alt = (
        f"Two rows of bars for 1, 2, 4 and 8 GPUs to a layer. Time: {told}. Memory: a line at "
        f"{(1 - FREE_SHARE) * memory_gb:.0f} GB. {verdict}"
    )
    room = f"{(1 - FREE_SHARE) * memory_gb:.0f} GB of {memory_gb} may be filled"
    numbers = f"At {link_gb} GB/s, e = {expert_ranks}: {verdict} {told}. {room}."
    return Picture([_time_panel(plans), _memory_panel(plans, memory_bytes=1e9 * memory_gb)], numbers, alt)
