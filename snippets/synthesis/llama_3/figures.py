"""Drawings: what the fullest GPU holds in several cuts against its 80 GB, and where their steps go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.synthesis.llama_3.cuts import Cut

WIDTH = 340
MEMORY_HUES = {"activations": "activations", "weights": "parameters", "gradients, optimizer": "optimizer"}
TIME_HUES = {
    "computing": "forward",
    "bubble": "idle",
    "tensor waits": "communication",
    "copies wait": "parameters",
    "the rest": "optimizer",
}


def cut_gigabytes(cut: Cut) -> dict[str, float]:
    """Return the GB of the fullest GPU by kind.

    Args:
        cut: the cut.

    Returns:
        Activations, weights, and gradients with the optimizer's shard.
    """
    sizes = (cut.activations_bytes, cut.weights_bytes, cut.gradients_bytes + cut.optimizer_bytes)
    return dict(zip(MEMORY_HUES, (size / 1e9 for size in sizes), strict=True))


def cut_seconds(cut: Cut) -> dict[str, float]:
    """Return the seconds of a step by what they go to.

    Args:
        cut: the cut.

    Returns:
        Computing, the bubble, waits of tensor groups, waits for weights and gradients between copies, and the rest,
        which are stages' messages, the update and keys and values of context ranks.
    """
    step = cut.step
    rest = step.pipeline + step.context + step.expert + step.optimizer
    return dict(zip(TIME_HUES, (step.compute, step.bubble, step.tensor, step.data, rest), strict=True))


def _key(panel: Panel, hues: Mapping[str, str], tops: Sequence[float]) -> None:
    names = [(colour, name) for name, colour in hues.items()]
    for line, top in enumerate(tops):
        part = dict(names[2 * line : 2 * line + 2])
        draw_key(panel, part, step=150, top=top)


def axes_panel(*, tensor: int = 4, stages: int = 8, copies: int = 512) -> Panel:
    """Draw what the three sizes of a layout count: GPUs to a layer, stages to a copy, copies.

    Args:
        tensor: t, drawn as squares in a row, at most 8 of them.
        stages: p, of which three are drawn.
        copies: d, of which two are drawn.

    Returns:
        The picture.
    """
    panel, size, drawn = Panel(WIDTH, 236), 9, min(tensor, 8)
    wide = 5 + 12 * drawn
    for copy, left in enumerate((4, 180)):
        panel.rectangle(left, 30, 144, 148, colour="ink", strength=0.05)
        for row, stage in enumerate((1, 2, stages)):
            top = 46 + 44 * row + (6 if row == 2 else 0)
            panel.text(left + 8, top + 2, f"stage {stage}", size=12)
            panel.rectangle(left + 8, top + 8, wide, 15, colour="forward", strength=0.2)
            for gpu in range(drawn):
                panel.rectangle(left + 12 + 12 * gpu, top + 11, size, size, colour="forward", strength=0.7)
        panel.text(left + 8, 22, f"copy {(1, copies)[copy]}", size=12, bold=True)
    panel.text(152, 108, "…", size=16)
    panel.text(20, 122, "⋮", size=12)
    panel.text(196, 122, "⋮", size=12)
    panel.text(4, 196, f"t = {tensor} GPUs to a stage, each with a t-th of every layer", size=12)
    panel.text(4, 213, f"p = {stages} stages to a copy, one after the other", size=12)
    panel.text(4, 230, f"d = {copies} copies, each with its part of the batch", size=12)
    return panel


def places_panel(*, stages: int, places: int = 128) -> Panel:
    """Draw which stage has which places for layers, if a chunk is one place.

    Args:
        stages: p, drawn as columns, at most 16 of them.
        places: for layers, with one for the embedding and one for the head.

    Returns:
        The picture.
    """
    rows, step = places // stages, 320 // stages
    panel = Panel(WIDTH, 60 + 18 * rows)
    panel.text(4, 14, "stage 1", size=12)
    panel.text(4 + step * stages, 14, f"stage {stages}", size=12, anchor="end")
    for place in range(places):
        row, stage = divmod(place, stages)
        colour = "forward" if 0 < place < places - 1 else "communication"
        panel.rectangle(4 + step * stage, 22 + 18 * row, step - 3, 14, colour=colour, strength=0.7)
    panel.text(4, 38 + 18 * rows, "Read it row by row, as a micro-batch does.", size=12)
    panel.text(4, 54 + 18 * rows, "First square: the embedding. Last: the head.", size=12)
    return panel


def memory_bars(cuts: Mapping[str, Cut], *, limits_gb: Sequence[float] = (80,)) -> Panel:
    """Draw what the fullest GPU holds in each cut, with a line at what it has.

    Args:
        cuts: by the name above the bar.
        limits_gb: of a GPU, one line each.

    Returns:
        The picture.
    """
    parts = {name: cut_gigabytes(cut) for name, cut in cuts.items()}
    most = max(*limits_gb, *(sum(each.values()) for each in parts.values()))
    panel = Panel(WIDTH, 62 + 42 * len(cuts))
    _key(panel, MEMORY_HUES, (3, 23))
    bars = [
        Bar(name, [(size, MEMORY_HUES[kind]) for kind, size in each.items()], f"{sum(each.values()):.1f} GB")
        for name, each in parts.items()
    ]
    draw_bars(panel, bars, top=60, wide=336)
    for limit in limits_gb:
        at = 1 + 336 * limit / most
        for number in range(len(cuts)):
            panel.line(at, 66 + 42 * number, at, 84 + 42 * number, colour="ink", dashed=True)
    named = " and ".join(f"{limit:g}" for limit in limits_gb)
    panel.text(1 + 336 * max(limits_gb) / most - 3, 33, f"┆ {named} GB", anchor="end", size=12)
    return panel


def step_bars(cuts: Mapping[str, Cut]) -> Panel:
    """Draw where the step of each cut goes, all on one scale.

    Args:
        cuts: by the name above the bar.

    Returns:
        The picture.
    """
    panel = Panel(WIDTH, 82 + 42 * len(cuts))
    _key(panel, TIME_HUES, (3, 23, 43))
    bars = [
        Bar(
            name,
            [(seconds, TIME_HUES[kind]) for kind, seconds in cut_seconds(cut).items()],
            f"{cut.step.total:.1f} s",
        )
        for name, cut in cuts.items()
    ]
    draw_bars(panel, bars, top=80, wide=336)
    return panel


def gather_bars(*, gather_ms: float, matmul_ms: Mapping[str, float]) -> Panel:
    """Draw how long a layer's weights travel, beside how long its matmuls take with some numbers of tokens.

    Args:
        gather_ms: of the weights.
        matmul_ms: of the matmuls, by what is written above the bar.

    Returns:
        The picture.
    """
    panel = Panel(WIDTH, 22 + 42 * (1 + len(matmul_ms)))
    bars = [Bar("the network gathers the weights", [(gather_ms, "communication")], f"{gather_ms:.0f} ms")]
    bars += [Bar(name, [(ms, "forward")], f"{ms:.0f} ms") for name, ms in matmul_ms.items()]
    draw_bars(panel, bars, top=14, wide=336)
    return panel
