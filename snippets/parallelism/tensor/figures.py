"""Figures: the two cuts of a product, what a rank of a block has, where a layer communicates, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.palette import rank as rank_colour

WIDE_PX = 690.0
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
        panel.text(0, 160, "Each rank has finished entries of XW.", size=12, colour="muted")
        panel.text(0, 178, "It may apply a function to each.", size=12, colour="muted")
        return panel
    for number, (part, hue) in enumerate(zip(parts, (first, second), strict=True)):
        _cells(panel, 210, 30 + 42 * number, [part], [[hue] * 4])
    panel.text(270, 66, "+", anchor="middle", middle=True)
    panel.text(270, 108, "=", anchor="middle", middle=True)
    _cells(panel, 210, 116, [total], [["muted"] * 4])
    panel.text(0, 140, "Each rank has a term", size=12, colour="muted")
    panel.text(0, 158, "of every entry of XW.", size=12, colour="muted")
    panel.text(0, 176, "They have to be summed first.", size=12, colour="muted")
    return panel


def block_panel(*, tokens: int, stream: int, inner: int, ranks: int) -> Panel:
    """Draw what two of the ranks hold and make in a block: the first matrix cut by columns, the second by rows.

    Args:
        tokens: rows of the input.
        stream: its width.
        inner: width of what stands between the matrices, a multiple of ``ranks``.
        ranks: among which they are cut.

    Returns:
        The panel.
    """
    panel = Panel(WIDE_PX, 236)
    part = inner // ranks
    heads = (
        ("X", f"{tokens:,} × {stream:,}", 66.0, 48.0),
        ("W₁, own columns", f"{stream:,} × {part:,}", 24.0, 66.0),
        ("φ(X W₁)", f"{tokens:,} × {part:,}", 24.0, 48.0),
        ("W₂, own rows", f"{part:,} × {stream:,}", 66.0, 24.0),
        ("its term", f"{tokens:,} × {stream:,}", 66.0, 48.0),
        ("the sum", f"{tokens:,} × {stream:,}", 66.0, 48.0),
    )
    for column, (name, shape, wide, high) in enumerate(heads):
        middle = 108 + column * 106.0
        panel.text(middle, 14, name, anchor="middle", bold=True)
        panel.text(middle, 31, shape, anchor="middle", size=12, colour="muted")
        for row, number in enumerate((0, 1)):
            y, whole = 84 + 88.0 * row, column in (0, 5)
            hue = "muted" if whole else rank_colour(number)
            panel.rectangle(middle - wide / 2, y - high / 2, wide, high, colour=hue)
            if column in (1, 3):  # the other ranks' parts of the matrix
                back = (66.0, 66.0)
                panel.rectangle(middle - back[0] / 2, y - back[1] / 2, *back, colour="line", strength=0, dashed=True)
            if column in (0, 1, 2, 3):
                panel.text(middle + 53, y, "·" if column in (0, 2) else "→" if column == 1 else "=", middle=True)
    for row, number in enumerate((0, 1)):
        panel.text(0, 84 + 88 * row, f"rank {number}", middle=True)
    panel.arrow(566, 84, 602, 84, colour="communication")
    panel.arrow(566, 172, 602, 172, colour="communication")
    panel.line(578, 84, 578, 172, colour="communication")
    panel.text(586, 128, "all-reduce", middle=True, size=12, colour="communication")
    panel.text(0, 228, f"two of {ranks} ranks; dashed: the whole matrix; grey: the same on all ranks", size=12)
    return panel


def tensor_layer_panel(*, sequence_parallel: bool) -> Panel:
    """Draw a layer as a line from left to right, with what is called before and behind each block, both ways.

    Args:
        sequence_parallel: whether the stream is cut by tokens.

    Returns:
        The panel.
    """
    panel = Panel(WIDE_PX, 146)
    title = "With sequence parallelism: the stream is cut by tokens" if sequence_parallel else "The stream is whole"
    panel.text(0, 14, title, bold=True)
    into, out = ("all-gather", "reduce-scatter") if sequence_parallel else ("nothing", "all-reduce")
    back_into, back_out = ("reduce-scatter", "all-gather") if sequence_parallel else ("all-reduce", "nothing")
    panel.text(0, 48, "forward", size=12, middle=True)
    panel.text(0, 130, "backward", size=12, middle=True)
    panel.arrow(676, 88, 688, 88)
    x = 70.0
    for name in ("attention", "feed-forward"):
        stream = "activations" if sequence_parallel else "muted"
        panel.rectangle(x, 74, 54, 28, colour=stream, label="norm", strength=0.35)
        panel.rectangle(x + 96, 70, 96, 36, colour="parameters", label=name, strength=0.3)
        panel.rectangle(x + 232, 74, 62, 28, colour=stream, label="dropout", strength=0.35)
        for place, ahead, behind in ((x + 76, into, back_into), (x + 212, out, back_out)):
            for y, word in ((48, ahead), (130, behind)):
                hue = "muted" if word == "nothing" else "communication"
                panel.text(place, y, word, anchor="middle", middle=True, size=12, colour=hue)
            if not sequence_parallel:
                panel.text(place - 4, 66, "f" if behind == "all-reduce" else "g", anchor="end", size=12, bold=True)
            panel.line(place, 58, place, 118, colour="communication" if "nothing" not in (ahead, behind) else "line")
        for start, end in ((x - 8, x), (x + 54, x + 96), (x + 192, x + 232), (x + 294, x + 304)):
            panel.line(start, 88, end, 88)
        x += 312
    return panel


def tensor_kept_panel(rows: Mapping[str, tuple[float, float]]) -> Panel:
    """Draw what a rank keeps of a layer as bars: what it keeps whole, and what is cut.

    Args:
        rows: name → bytes for each value of the stream that are kept whole, and those that are cut.

    Returns:
        The panel.
    """
    return _stacked(rows, {"muted": "whole on each rank", "activations": "cut"}, unit=" B a value", digits=2)


def placement_panel(rows: Mapping[str, tuple[float, float]]) -> Panel:
    """Draw for each design the GPU-time of a layer's step: arithmetic and communication.

    Args:
        rows: name → ms of arithmetic and of communication, all ranks together.

    Returns:
        The panel.
    """
    return _stacked(rows, {"forward": "arithmetic", "communication": "communication"}, unit=" GPU-ms", digits=0)


def _stacked(rows: Mapping[str, tuple[float, float]], kinds: Mapping[str, str], *, unit: str, digits: int) -> Panel:
    """Draw bars of two kinds, with each bar's name and sum above it."""
    panel = Panel(340, 26 + 42 * len(rows))
    draw_key(panel, kinds, step=150)
    bars = [
        Bar(name, list(zip(parts, kinds, strict=True)), f"{round(sum(parts), digits):g}{unit}")
        for name, parts in rows.items()
    ]
    draw_bars(panel, bars, top=40)
    return panel


def tensor_overlap_panel(
    *, input_ms: float, weight_ms: float, all_reduce_ms: float, beside: bool, until_ms: float
) -> Panel:
    """Draw the backward pass of a first matrix: two products and the all-reduce, in turn or side by side.

    Args:
        input_ms: of the product for the input's gradient.
        weight_ms: of the product for the weights' gradient.
        all_reduce_ms: of the sum of the input's gradient.
        beside: whether the sum goes on beside the second product.
        until_ms: where the axis ends.

    Returns:
        The panel.
    """
    panel, left = Panel(330, 112), 62.0
    scale = (330 - left - 30) / until_ms
    start = input_ms if beside else input_ms + weight_ms
    end = max(input_ms + weight_ms, start + all_reduce_ms)
    panel.text(0, 14, "all-reduce beside the second product" if beside else "one after the other", bold=True)
    for row, name in enumerate(("compute", "network")):
        panel.text(0, 42 + 32 * row, name, middle=True, size=12)
    panel.rectangle(left, 30, input_ms * scale, 24, colour="backward", label="∂X")
    panel.rectangle(left + input_ms * scale, 30, weight_ms * scale, 24, colour="weight-gradient", label="∂W")
    panel.rectangle(left + start * scale, 62, all_reduce_ms * scale, 24, colour="communication", label="Σ ∂X")
    panel.line(left + end * scale, 26, left + end * scale, 92, colour="ink", dashed=True)
    panel.text(left + end * scale, 106, f"{end:.2f} ms", anchor="middle", size=12, bold=True)
    return panel
