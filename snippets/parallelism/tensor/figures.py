"""Figures: the two cuts of a matmul, what a rank of a block has, where a layer communicates, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.palette import rank as rank_colour

_CELL = 30.0
_X, _W = (2, 1), ((1, -2, 3, 0), (1, 1, -4, 2))  # the smallest instance: a token of two features, a matrix of 2 × 4


def _cells(panel: Panel, x: float, y: float, numbers: Sequence[Sequence[int]], hues: Sequence[Sequence[str]]) -> None:
    """Draw a matrix of small whole numbers, each cell in its colour."""
    for row, (line, colours) in enumerate(zip(numbers, hues, strict=True)):
        for column, (number, hue) in enumerate(zip(line, colours, strict=True)):
            place = x + column * _CELL, y + row * _CELL
            panel.rectangle(*place, _CELL, _CELL, colour=hue, label=f"{number}".replace("-", "−"))


def product_panel(*, cut: str) -> Panel:
    """Draw X·W on two ranks, W cut by columns or by rows, with the numbers of the smallest instance.

    Args:
        cut: ``"column"`` or ``"row"``.

    Returns:
        The panel.
    """
    panel, columns = Panel(330, 196), cut == "column"
    first, second = rank_colour(0), rank_colour(1)
    panel.text(0, 14, "By columns: parts side by side" if columns else "By rows: parts to be summed", bold=True)
    panel.text(30, 42, "X", anchor="middle")
    panel.text(128, 42, "W", anchor="middle")
    _cells(panel, 0, 66, [_X], [["muted"] * 2 if columns else [first, second]])
    hues = [[first, first, second, second]] * 2 if columns else [[first] * 4, [second] * 4]
    _cells(panel, 68, 50, _W, hues)
    parts = [[_X[row] * entry for entry in _W[row]] for row in (0, 1)]
    total = [one + other for one, other in zip(*parts, strict=True)]
    panel.text(199, 81, "=" if columns else "→", anchor="middle", middle=True)
    if columns:
        panel.text(270, 42, "XW", anchor="middle")
        _cells(panel, 210, 66, [total], hues[:1])
        panel.text(210, 112, "rank 0", size=12)
        panel.text(270, 112, "rank 1", size=12)
        panel.text(0, 160, "Each rank has finished elements of XW.", size=12, colour="muted")
        panel.text(0, 178, "It may apply a function to each.", size=12, colour="muted")
        return panel
    for number, (part, hue) in enumerate(zip(parts, (first, second), strict=True)):
        _cells(panel, 210, 30 + 42 * number, [part], [[hue] * 4])
    panel.text(270, 66, "+", anchor="middle", middle=True)
    panel.text(270, 108, "=", anchor="middle", middle=True)
    _cells(panel, 210, 116, [total], [["muted"] * 4])
    panel.text(0, 140, "Each rank has a term", size=12, colour="muted")
    panel.text(0, 158, "of every element of XW.", size=12, colour="muted")
    panel.text(0, 176, "They have to be summed first.", size=12, colour="muted")
    return panel


def block_panels(*, tokens: int, stream: int, inner: int, ranks: int) -> tuple[Panel, Panel]:
    """Draw what two of the ranks hold and make in a block: the first matrix cut by columns, then the second by rows.

    Args:
        tokens: rows of the input.
        stream: its width.
        inner: width between the two matrices, a multiple of ``ranks``.
        ranks: among which they are cut.

    Returns:
        A panel for each matrix.
    """
    part = inner // ranks
    first, second = Panel(330, 254), Panel(330, 254)
    first.text(0, 14, "First matrix: by columns, no message", bold=True)
    second.text(0, 14, "Second matrix: by rows, one all-reduce", bold=True)
    heads = (
        (first, 55.0, "X", f"{tokens:,} × {stream:,}", 66.0, 48.0),
        (first, 165.0, "W₁: own columns", f"{stream:,} × {part:,}", 24.0, 66.0),
        (first, 275.0, "φ(X W₁)", f"{tokens:,} × {part:,}", 24.0, 48.0),
        (second, 55.0, "W₂: own rows", f"{part:,} × {stream:,}", 66.0, 24.0),
        (second, 165.0, "its term of Z", f"{tokens:,} × {stream:,}", 66.0, 48.0),
        (second, 275.0, "Z", f"{tokens:,} × {stream:,}", 66.0, 48.0),
    )
    for column, (panel, middle, name, shape, wide, high) in enumerate(heads):
        panel.text(middle, 36, name, anchor="middle", size=12, bold=True)
        panel.text(middle, 51, shape, anchor="middle", size=12, colour="muted")
        for row, number in enumerate((0, 1)):
            y, same = 112 + 86.0 * row, column in (0, 5)
            hue = "muted" if same else rank_colour(number)
            panel.rectangle(middle - wide / 2, y - high / 2, wide, high, colour=hue)
            if column in (1, 3):  # the other ranks' parts of the matrix
                panel.rectangle(middle - 33, y - 33, 66, 66, colour="line", strength=0, dashed=True)
            if column in (0, 1, 3):
                place, sign = {0: (55, "×"), 1: (65, "→"), 3: (55, "=")}[column]
                panel.text(middle + place, y, sign, anchor="middle", middle=True, size=18, bold=True)
    for row, number in enumerate((0, 1)):
        y = 112 + 86.0 * row
        first.text(0, y - 38, f"rank {number}", size=12)
        second.text(0, y - 38, f"rank {number}", size=12)
        second.arrow(202, y, 240, y, colour="communication")
    second.line(220, 112, 220, 198, colour="communication")
    second.text(216, 155, "all-reduce", anchor="end", middle=True, size=12, colour="communication")
    first.text(0, 250, f"two of {ranks} ranks; grey: the same on every rank", size=12, colour="muted")
    second.text(0, 250, "dashed: the matrix before it was cut", size=12, colour="muted")
    return first, second


def tensor_layer_panels(*, sequence_parallel: bool) -> tuple[Panel, Panel]:
    """Draw a layer's two blocks from left to right, with what is called before and behind each, both ways.

    Args:
        sequence_parallel: whether the residual stream is cut by tokens.

    Returns:
        A panel for the attention block, one for the feed-forward block.
    """
    into, out = ("all-gather", "reduce-scatter") if sequence_parallel else ("nothing", "all-reduce")
    back_into, back_out = ("reduce-scatter", "all-gather") if sequence_parallel else ("all-reduce", "nothing")
    stream = "activations" if sequence_parallel else "muted"
    panels = []
    for name in ("attention", "feed-forward"):
        panel = Panel(330, 158)
        panel.text(0, 14, "Attention block" if name == "attention" else "Feed-forward block", bold=True)
        panel.text(0, 34, "forward:", size=12, colour="muted")
        panel.text(0, 154, "backward:", size=12, colour="muted")
        for start, end in ((0, 8), (56, 116), (212, 266), (326, 330)):
            panel.line(start, 90, end, 90)
        panel.rectangle(8, 76, 48, 28, colour=stream, label="norm", strength=0.35)
        panel.rectangle(116, 72, 96, 36, colour="parameters", label=name, strength=0.3)
        panel.rectangle(266, 76, 60, 28, colour=stream, label="dropout", strength=0.35)
        for x, letter, ahead, behind in ((86, "f", into, back_into), (239, "g", out, back_out)):
            for y, word in ((50, ahead), (130, behind)):
                hue = "muted" if word == "nothing" else "communication"
                panel.text(x, y, word, anchor="middle", middle=True, size=12, colour=hue, bold=word != "nothing")
            panel.line(x, 58, x, 120, colour="communication")
            if not sequence_parallel:
                panel.text(x - 5, 70, letter, anchor="end", size=12, bold=True)
        panels.append(panel)
    return panels[0], panels[1]


def rings_panel() -> Panel:
    """Draw the smallest group that spans nodes: two nodes with two ranks each, and its two rings.

    Returns:
        The panel.
    """
    panel = Panel(330, 236)
    panel.text(0, 14, "Two rings, four adapters", bold=True)
    top, bottom = 62.0, 160.0
    for node, x in enumerate((10.0, 240.0)):
        panel.rectangle(x, 40, 80, 176, colour="line", strength=0.25)
        panel.text(x + 40, 232, f"node {node}", anchor="middle", size=12, colour="muted")
        for place, y in enumerate((top, bottom)):
            number = 2 * node + place
            panel.rectangle(x + 22, y, 36, 34, colour=rank_colour(number), label=f"{number}")
    red, blue = "communication", "accent"
    panel.arrow(42, 98, 42, 158, colour=red)  # 0 → 1 → 3 → 2 → 0
    panel.arrow(70, 186, 260, 186, colour=red)
    panel.arrow(290, 158, 290, 98, colour=red)
    panel.arrow(260, 70, 70, 70, colour=red)
    panel.arrow(58, 158, 58, 98, colour=blue)  # 1 → 0 → 2 → 3 → 1
    panel.arrow(70, 86, 260, 86, colour=blue)
    panel.arrow(274, 98, 274, 158, colour=blue)
    panel.arrow(260, 170, 70, 170, colour=blue)
    panel.text(165, 118, "the network:", anchor="middle", size=12)
    panel.text(165, 134, "each adapter", anchor="middle", size=12)
    panel.text(165, 150, "sends for one ring", anchor="middle", size=12)
    return panel


def tensor_kept_panel(rows: Mapping[str, tuple[float, float]]) -> Panel:
    """Draw what a rank keeps of a layer as bars: what it keeps whole, and what is cut.

    Args:
        rows: name → bytes for each element of the residual stream that are kept whole, and those that are cut.

    Returns:
        The panel.
    """
    return _stacked(rows, {"muted": "in full on each rank", "activations": "cut"}, unit=" B an element", digits=2)


def placement_panel(rows: Mapping[str, tuple[float, float]]) -> Panel:
    """Draw for each design the GPU-time of a layer's step: computing and waiting.

    Args:
        rows: name → ms of computing and of waiting, all ranks together.

    Returns:
        The panel.
    """
    return _stacked(rows, {"forward": "computing", "communication": "waiting"}, unit=" GPU-ms", digits=0)


def _stacked(rows: Mapping[str, tuple[float, float]], kinds: Mapping[str, str], *, unit: str, digits: int) -> Panel:
    """Draw bars of two kinds, with each bar's name and sum above it."""
    panel = Panel(330, 26 + 42 * len(rows))
    draw_key(panel, kinds, step=150)
    bars = [
        Bar(name, list(zip(parts, kinds, strict=True)), f"{round(sum(parts), digits):g}{unit}")
        for name, parts in rows.items()
    ]
    draw_bars(panel, bars, top=40, wide=326)
    return panel


def tensor_overlap_panel(
    *, input_ms: float, weight_ms: float, all_reduce_ms: float, beside: bool, until_ms: float
) -> Panel:
    """Draw the backward pass of a first matrix: two matmuls and the all-reduce, in turn or side by side.

    Args:
        input_ms: of the matmul for the input's gradient.
        weight_ms: of the matmul for the weights' gradient.
        all_reduce_ms: of the all-reduce of the input's gradient.
        beside: whether the all-reduce goes on beside the second matmul.
        until_ms: where the axis ends.

    Returns:
        The panel.
    """
    panel, left = Panel(330, 140), 62.0
    scale = (330 - left - 46) / until_ms
    start = input_ms if beside else input_ms + weight_ms
    end = max(input_ms + weight_ms, start + all_reduce_ms)
    panel.text(0, 14, "the all-reduce beside the second matmul" if beside else "one after the other", bold=True)
    for row, name in enumerate(("compute", "network")):
        panel.text(0, 42 + 32 * row, name, middle=True, size=12)
    panel.rectangle(left, 30, input_ms * scale, 24, colour="backward", label="∂X")
    panel.rectangle(left + input_ms * scale, 30, weight_ms * scale, 24, colour="weight-gradient", label="∂W")
    panel.rectangle(left + start * scale, 62, all_reduce_ms * scale, 24, colour="communication", label="Σ ∂X")
    panel.line(left, 106, left + until_ms * scale, 106)
    for tick in range(int(until_ms) + 1):
        panel.line(left + tick * scale, 106, left + tick * scale, 110)
        if tick % 2 == 0:
            panel.text(left + tick * scale, 124, f"{tick}", anchor="middle", size=12, colour="muted")
    panel.text(left + until_ms * scale, 138, "ms", anchor="end", size=12, colour="muted")
    panel.line(left + end * scale, 26, left + end * scale, 106, colour="ink", dashed=True)
    panel.text(left + end * scale + 4, 42, f"{end:.1f} ms", middle=True, size=12, bold=True)
    return panel
