"""Figures: what each kind of attention compares and keeps, FLOPs against length, and the cache of each GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.efficiency.architecture.formulas import (
    attention_crossover_tokens,
    long_context_flops_per_token,
    sparse_attention_training_flops_per_token,
    with_latents,
)
from snippets.live.axes import Axis, Plot
from snippets.models import Transformer

WIDTH = 560
NARROW = 340
_KINDS = ("full", "latents", "window", "chosen")
_TITLES = {
    "full": "shared heads",
    "latents": "latents",
    "window": "a window of 3",
    "chosen": "3 chosen",
}
_NAMES = {"full": "GQA", "latents": "MLA", "window": "SWA", "chosen": "DSA"}
_HUES = {"full": "communication", "latents": "optimizer", "window": "forward", "chosen": "backward"}

_WORDS = {"latents": "latents (MLA)", "full": "shared (GQA)", "chosen": "chosen (DSA)", "window": "windows (SWA)"}


def attention_kinds_panel(*, tokens: int = 8, window: int = 3, width_px: float = WIDTH) -> Panel:
    """Draw which pairs of tokens four kinds of attention compare, and what they keep of each token.

    Args:
        tokens: of the sequence.
        window: tokens that one sees in the third, and chooses in the fourth.
        width_px: of the picture; a narrow one has two rows.

    Returns:
        The picture: in each triangle a row for each query, a column for each key; below it, the cache.
    """
    across = 4 if width_px > 450 else 2
    column, block, cell = width_px / across, 222.0, 13.0
    panel = Panel(width_px, block * (len(_KINDS) // across) - 8)
    for number, kind in enumerate(_KINDS):
        x, y = column * (number % across) + 6, block * (number // across)
        panel.text(x, y + 14, _TITLES[kind], bold=True)
        panel.text(x, y + 30, _NAMES[kind], size=12, colour="muted")
        _triangle(panel, kind, x, y + 40, tokens, window, cell)
        floor = y + 40 + tokens * cell + 46
        kept = range(tokens - window, tokens) if kind == "window" else range(tokens)
        high = {"full": 36.0, "latents": 10.0, "window": 36.0, "chosen": 13.0}[kind]
        for place in range(tokens):
            if place in kept:
                panel.rectangle(x + place * cell, floor - high, cell, high, colour=_HUES[kind], strength=0.5)
            else:
                panel.rectangle(x + place * cell, floor - high, cell, high, colour="line", strength=0, dashed=True)
        panel.text(x, floor + 15, "kept of each token", size=12, colour="muted")
    return panel


def _triangle(panel: Panel, kind: str, x: float, y: float, tokens: int, window: int, cell: float) -> None:
    """Draw the pairs that one kind compares; those that only an indexer compares have a dot."""
    picks = {0: (0,), 1: (0, 1), 2: (0, 1, 2), 3: (0, 1, 3), 4: (0, 3, 4), 5: (1, 3, 5), 6: (0, 3, 6), 7: (1, 3, 7)}
    full, pale, none = [], [], []
    for here in range(tokens):
        for there in range(here + 1):
            box = (x + there * cell, y + here * cell, cell, cell)
            if kind == "window" and here - there >= window:
                none.append(box)
            elif kind == "chosen" and there not in picks.get(here, (here,)):
                pale.append(box)
            else:
                full.append(box)
    panel.rectangles(none, colour="line", strength=0)
    panel.rectangles(pale, colour=_HUES[kind], strength=0)
    if pale:
        panel.dots([(left + cell / 2, top + cell / 2) for left, top, _, _ in pale], colour=_HUES[kind], radius=2)
    panel.rectangles(full, colour=_HUES[kind], strength=0.7)


def attention_flops_plot(
    model: Transformer | str, *, window: int, full_every: int, chosen: int, wide: bool = True
) -> Panel:
    """Plot a training token's FLOPs against the length of the context, for four kinds of attention.

    Args:
        model: with grouped queries.
        window: tokens that most layers see in the third kind.
        full_every: one layer of so many sees everything there.
        chosen: tokens that the indexer of the fourth kind chooses, which also are those that its loss covers.
        wide: for a wide screen, or for a phone.

    Returns:
        The picture, both axes logarithmic; a mark where comparing tokens takes half of the FLOPs with grouped queries.
    """
    ticks = (2**13, 2**15, 2**17, 2**20) if wide else (2**13, 2**17, 2**20)
    plot = Plot(
        Axis(2**12, 2 ** (22 if wide else 24), "log", "tokens of context", ticks=ticks),
        Axis(0.3, 8, "log", ticks=(0.5, 1, 2, 5)),
        title="Training one token, TFLOP",
        width_px=WIDTH if wide else NARROW,
        height_px=310 if wide else 290,
    )
    latents = with_latents(model)
    lengths = [2 ** (12 + number / 4) for number in range(33)]
    curves = {
        "latents": [3 * long_context_flops_per_token(latents, sequence=int(s)) for s in lengths],
        "full": [3 * long_context_flops_per_token(model, sequence=int(s)) for s in lengths],
        "chosen": [sparse_attention_training_flops_per_token(latents, sequence=int(s), chosen=chosen) for s in lengths],
        "window": [
            3 * long_context_flops_per_token(model, sequence=int(s), window=window, full_every=full_every)
            for s in lengths
        ],
    }
    for kind, flops in curves.items():
        plot.curve(
            [(s, f / 1e12) for s, f in zip(lengths, flops, strict=True)],
            colour=_HUES[kind],
            dashed=kind == "chosen",
        )
        aside = {"latents": -3, "full": 5, "chosen": -7, "window": 14}.get(kind, 0)  # near each other, and off the grid
        x, y = plot.x(lengths[-1]) + 6, plot.y(flops[-1] / 1e12) + aside
        plot.panel.text(x, y, _WORDS[kind], colour=_HUES[kind], size=12, middle=True)
    half = attention_crossover_tokens(model)
    y = 3 * long_context_flops_per_token(model, sequence=round(half)) / 1e12
    plot.dots([(half, y)], colour="ink", radius=5)
    words = "half goes to attention" if wide else "half is attention"
    plot.panel.text(plot.x(half) - 8, plot.y(y) - 12, words, anchor="end", size=12)
    return plot.panel


def cache_bars_panel(rows: Mapping[str, Sequence[float]], *, free_gb: float, width_px: float = WIDTH) -> Panel:
    """Draw the cache on each GPU for several designs, cut by heads and cut by sequence, beside what is free there.

    Args:
        rows: for each design the GB on one GPU if heads are dealt, those if the sequence is cut, and an index into the
            kinds' colours.
        free_gb: GB that the weights leave free.
        width_px: of the picture.

    Returns:
        The picture: two bars for each design, a line for what is free.
    """
    left, right, row = (120.0 if width_px > 450 else 104.0), 130.0, 50.0
    most = max(free_gb, *(gb for *both, _ in rows.values() for gb in both))
    scale = (width_px - left - right) / most
    panel = Panel(width_px, 40 + row * len(rows) + 4)
    for number, (name, (heads, sequence, kind)) in enumerate(rows.items()):
        y = 28 + row * number
        panel.text(left - 8, y + 19, name, anchor="end", middle=True, size=12)
        for place, (gb, words) in enumerate(((heads, "by heads"), (sequence, "by sequence"))):
            top = y + 20 * place
            panel.rectangle(left, top, gb * scale, 16, colour=_HUES[_KINDS[int(kind)]], strength=(0.2, 0.7)[place])
            beside = left + gb * scale + 6
            if abs(beside - left - free_gb * scale) < 12 or beside < left + free_gb * scale < beside + 130:
                beside = max(beside, left + free_gb * scale + 6)
            panel.text(beside, top + 8, f"{gb:.0f} GB {words}", middle=True, size=12, bold=place == 1)
    edge = left + free_gb * scale
    panel.line(edge, 18, edge, 24 + row * len(rows), colour="ink", dashed=True)
    panel.text(edge, 12, f"{free_gb:.0f} GB free", anchor="middle", size=12)
    return panel
