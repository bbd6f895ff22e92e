"""Drawings: the steps of ring attention as a chart of time, a row for each rank."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import each, nonnegative_number, number_between, positive_number, text
from snippets.drawing import MOST_PX, Panel
from snippets.live.knobs import in_units
from snippets.palette import rank as rank_colour
from snippets.parallelism.sequence.formulas import ring_attention_starts_s

_LEFT, _TOP, _UNDER = 56.0, 26.0, 38.0
_LEAST_PX = 15.0  # the narrowest block that carries a number


def ring_chart(
    work_s: Sequence[Sequence[float]],
    *,
    pass_s: float,
    title: str,
    until_s: float | None = None,
    unit: str = "s",
    width_px: float = 328,
    row_px: float = 24,
) -> Panel:
    """Draw when each rank of a ring computes with whose keys and values, and when it waits.

    Args:
        work_s: for each step, the seconds that each rank computes, at least 0.
        pass_s: seconds of a message, at least 0.
        title: above the chart.
        until_s: time at the right edge; by default the end of the run.
        unit: ``"s"``, written with its prefix, or ``""`` for plain numbers.
        width_px: of the panel.
        row_px: of a rank's row.

    Returns:
        The chart. A block is computing, in the colour and with the number of the rank whose keys and values it is with;
        the thin bar below it is the message; grey is waiting.

    Raises:
        ValueError: if a number is out of its domain, or the run lasts longer than ``until_s``.

    Example:
        >>> ring_chart([[1, 1], [0, 2]], pass_s=0.5, title="two ranks").width
        328.0
    """
    starts = ring_attention_starts_s(work_s, pass_s=pass_s)
    work = each("work_s", work_s, lambda name, row: each(name, row, nonnegative_number))
    ranks, end = len(work[0]), max(starts[-1])
    until = positive_number("until_s", until_s if until_s is not None else end or 1.0)
    if until < end * (1 - 1e-9):
        raise ValueError(f"until_s must be at least the end of the run ({end:g}), got {until_s!r:.40}")
    width, row = number_between("width_px", width_px, low=120, high=MOST_PX), positive_number("row_px", row_px)
    number_between("row_px", row, low=8, high=200)
    panel = Panel(width, _TOP + ranks * row + _UNDER)
    scale, bar, every = (width - _LEFT - 14) / until, row - 6, 1 if row >= 17 else 2
    panel.text(0, 13, text("title", title), bold=True)
    blocks: dict[int, list[tuple[float, float, float, float]]] = {}
    idle, passes, numbers = [], [], []
    for r in range(ranks):
        y, done = _TOP + r * row, 0.0
        for t, step in enumerate(work):
            begin, finish = starts[t][r], starts[t][r] + step[r]
            if step[r] and begin - done > 1e-9 * until:
                idle.append((_LEFT + done * scale, y, (begin - done) * scale, bar))
            if step[r]:
                box = (_LEFT + begin * scale, y, step[r] * scale, bar)
                blocks.setdefault((r - t) % ranks, []).append(box)
                if box[2] >= _LEAST_PX and bar >= 11:
                    numbers.append((box[0] + box[2] / 2, y + bar / 2, str((r - t) % ranks)))
            if t + 1 < len(work) and pass_s:
                sent = max(starts[t][r], starts[t][(r + 1) % ranks])
                passes.append((_LEFT + sent * scale, y + bar + 1, max(pass_s * scale, 1.0), 2.0))
            done = finish if step[r] else done
        if max(starts[-1]) - done > 1e-9 * until:
            idle.append((_LEFT + done * scale, y, (end - done) * scale, bar))
        if r % every == 0:
            panel.text(_LEFT - 6, y + bar / 2, f"rank {r}", anchor="end", middle=True, size=12)
    panel.rectangles(idle, colour="idle", strength=0.12)
    for owner, boxes in sorted(blocks.items()):
        panel.rectangles(boxes, colour=rank_colour(owner), strength=0.3)
    for x, y, number in numbers:
        panel.text(x, y, number, anchor="middle", middle=True, size=12)
    panel.rectangles(passes, colour="communication", strength=0.9)
    _axis(panel, y=_TOP + ranks * row, until=until, scale=scale, unit=text("unit", unit))
    return panel


def _axis(panel: Panel, *, y: float, until: float, scale: float, unit: str) -> None:
    """Draw ticks and numbers of the time below the rows."""
    tick = _tick(until, (panel.width - _LEFT - 14) / 64)
    panel.line(_LEFT, y, _LEFT + until * scale, y)
    for number in range(math.floor(until / tick + 1e-9) + 1):
        x, written = _LEFT + number * tick * scale, in_units(number * tick, unit) if unit else f"{number * tick:g}"
        panel.line(x, y, x, y + 4)
        side = x > panel.width - 30
        panel.text(
            panel.width - 1 if side else x,
            y + 16,
            written,
            size=12,
            colour="muted",
            anchor="end" if side else "middle",
        )
    panel.text(_LEFT, y + 33, "time", size=12, colour="muted")


def _tick(span: float, most: float) -> float:
    """Return a round step, of which at most so many fit into a span."""
    power: float = 10 ** math.floor(math.log10(span / most))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= most)
