"""Drawings: what travels along each axis, ranks folded twice, and who has how many pairs of packed documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from snippets.composition.context_width import context_kv_width
from snippets.composition.device_mesh.axis_use import AxisUse
from snippets.composition.device_mesh.formulas import mesh_coordinates
from snippets.composition.four_and_five_d.formulas import packed_context_pairs
from snippets.domain import nonnegative_number, positive_number
from snippets.drawing import Panel, text_width_px
from snippets.live.bars import draw_key
from snippets.models import MODELS
from snippets.palette import rank as rank_colour
from snippets.parallelism.sequence.formulas import context_rank_chunks
from snippets.parallelism.tensor.formulas import tensor_block_collectives

NARROW_PX = 340.0


def bytes_in_words(size_bytes: float) -> str:
    """Write bytes with two digits or more.

    Args:
        size_bytes: at least 0.

    >>> bytes_in_words(1.41e9), bytes_in_words(112.7e9), bytes_in_words(52e3), bytes_in_words(0)
    ('1.4 GB', '113 GB', '52 kB', '0 GB')
    """
    size_bytes = nonnegative_number("size_bytes", size_bytes)
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= 0.9995 * unit:
            value = size_bytes / unit
            return f"{value:.1f} {name}" if value < 9.95 else f"{value:,.0f} {name}"
    return f"{size_bytes:.0f} B" if size_bytes else "0 GB"


def travelling_panel(
    ways: Mapping[str, tuple[int, int]], *, hidden: int, notes: Sequence[str], width_px: float = NARROW_PX
) -> Panel:
    """Draw the arrays that travel in a layer, one sheet each: as high as the sequence, as wide as a token's numbers.

    Args:
        ways: name → how many arrays travel, and the width of each in numbers.
        hidden: the widest width, of the residual stream.
        notes: a line below each way.
        width_px: of the panel.

    Returns:
        The panel: its inked area is in proportion to the bytes.
    """
    most = max(count for count, _ in ways.values())
    step, tall, gap = (width_px - 4) / most, 58.0, 106.0
    panel = Panel(width_px, gap * len(ways) + 4)
    for row, ((name, (count, width)), note) in enumerate(zip(ways.items(), notes, strict=True)):
        top = gap * row
        panel.text(0, top + 13, name, bold=True)
        wide = (step - 6) * width / hidden
        for sheet in range(count):
            panel.rectangle(2 + step * sheet, top + 21, wide, tall, colour="communication", strength=0.45)
        panel.text(0, top + 95, note, size=12, colour="muted")
    return panel


def folding_panel(
    tokens: Sequence[str], experts: Sequence[str], *, context: int, expert: int, width_px: float = NARROW_PX
) -> Panel:
    """Draw the same ranks twice: grouped for attention, by sequence, and for the experts.

    Args:
        tokens: what each rank has of the sequences.
        experts: what each rank has of the experts.
        context: c, ranks that share a sequence.
        expert: e, ranks that have all experts together.
        width_px: of the panel.

    Returns:
        The panel.
    """
    ranks = len(tokens)
    per_row = 4 if width_px < 500 else ranks
    lines = -(-ranks // per_row)
    step, high = (width_px - 2) / per_row, 46.0
    block = 40 + lines * (high + 26)
    panel = Panel(width_px, 2 * block)
    for part, (title, texts, size, colour, name) in enumerate(
        (
            ("attention: tokens of its sequence", tokens, context, "activations", "sequence"),
            ("the same ranks, for the experts", experts, expert, "parameters", "set of experts"),
        )
    ):
        top = block * part
        panel.text(0, top + 13, title, bold=True)
        for rank, text in enumerate(texts):
            line, column = divmod(rank, per_row)
            x, y = 1 + step * column, top + 24 + line * (high + 26)
            panel.rectangle(x, y, step - 5, high, colour=rank_colour(rank), strength=0.18)
            panel.text(x + (step - 5) / 2, y + 18, f"rank {rank}", anchor="middle", bold=True)
            panel.text(x + (step - 5) / 2, y + 37, text, anchor="middle", size=12)
            if rank % size == 0 or column == 0:
                last = min(rank - rank % size + size, (line + 1) * per_row)
                end = 1 + step * ((last - 1) % per_row + 1) - 7
                panel.line(x + 2, y + high + 6, end, y + high + 6, colour=colour)
                panel.text(
                    (x + end) / 2, y + high + 19, f"{name} {rank // size}", anchor="middle", size=12, colour=colour
                )
    return panel


def axis_seconds_panel(
    uses: Sequence[AxisUse], *, hiding: Collection[str], title: str, most_s: float = 10, width_px: float = NARROW_PX
) -> Panel:
    """Draw how long each axis sends in a step, on a scale that stays: what a layer waits for, and what may hide.

    Args:
        uses: of ``five_axis_uses``; axes that send nothing are named and have no bar.
        hiding: names of the axes that send beside computing.
        title: above the bars.
        most_s: where the scale ends, above 0; a longer bar is cut there and ends in an arrow.
        width_px: of the panel.

    Returns:
        The panel.
    """
    most_s = positive_number("most_s", most_s)
    pitch, top, wide = 40.0, 62.0, width_px - 14
    bottom = top + pitch * len(uses) - 8
    panel = Panel(width_px, bottom + 22)
    panel.text(0, 13, title, bold=True)
    draw_key(panel, {"communication": "a layer waits", "idle": "hides behind computing"}, step=126, top=24)
    panel.line(1, bottom, 1 + wide, bottom, colour="muted")
    for part in range(3):
        x = 1 + wide * part / 2
        panel.line(x, bottom - 3, x, bottom + 3, colour="muted")
        panel.text(x, bottom + 16, f"{most_s * part / 2:g} s", anchor=("start", "middle", "end")[part], size=12)
    for row, use in enumerate(uses):
        y = top + 6 + pitch * row
        out = f", {use.leaving_bytes / use.sent_bytes:.0%} leaves the domain" if use.leaving_bytes else ""
        said = f"{use.time_s:.1f} s" if use.sent_bytes else "nothing"
        name = f"{use.axis}, {use.ranks} rank{'s' * (use.ranks > 1)}{out}"
        if text_width_px(name, size=12) + text_width_px(said, size=12, bold=True) > width_px:
            name = name.removesuffix(" the domain")
        panel.text(0, y, name, size=12)
        panel.text(width_px, y, said, anchor="end", size=12, bold=True)
        long = wide * min(1.0, use.time_s / most_s)
        if long > 0:
            hue = "idle" if use.axis in hiding else "communication"
            panel.rectangle(1, y + 5, max(1.0, long), 14, colour=hue, strength=0.6)
            if use.time_s > most_s:
                panel.text(width_px, y + 17, "▸", anchor="end", size=14)
    return panel


def context_pairs_panel(rows: Mapping[str, Sequence[int]], *, width_px: float = NARROW_PX) -> Panel:
    """Draw how many pairs of a query and a key each rank computes, one group of bars for each way to cut.

    Args:
        rows: name → pairs of each rank.
        width_px: of the panel.

    Returns:
        The panel; a dashed line is the mean.
    """
    panel, tall = Panel(width_px, 112.0 * len(rows)), 60.0
    for row, (name, pairs) in enumerate(rows.items()):
        top, most, mean = 112.0 * row, max(pairs), sum(pairs) / len(pairs)
        panel.text(0, top + 13, name, bold=True)
        step, bottom = (width_px - 2) / len(pairs), top + 24 + tall
        for rank, count in enumerate(pairs):
            high = tall * count / most
            panel.rectangle(1 + step * rank, bottom - high, step - 6, high, colour=rank_colour(rank), strength=0.4)
            panel.text(1 + step * rank + (step - 6) / 2, bottom + 14, f"{rank}", anchor="middle", size=12)
        panel.line(0, bottom - tall * mean / most, width_px - 4, bottom - tall * mean / most, colour="ink", dashed=True)
        panel.text(width_px - 4, top + 13, f"busiest: {most / mean:.2f} × mean", anchor="end", size=12)
    return panel


def what_travels_panel(model: str, *, ranks: int, width_px: float = 340) -> Panel:
    """Return the picture of what eight ranks' tensor and context axes send for a layer, both passes.

    Args:
        model: a name in ``MODELS``.
        ranks: of either axis, at least 2.
        width_px: of the panel.

    Returns:
        The panel.
    """
    h, kept = MODELS[model].hidden, context_kv_width(model)
    block = tensor_block_collectives(tensor_parallel=ranks, sequence_parallel=True)
    tensor = 2 * (block.all_gathers + block.reduce_scatters)
    ways = {f"tensor axis: {tensor} arrays": (tensor, h), "context axis: 3 times keys and values": (6, kept)}
    notes = (f"each {h:,} numbers a token wide", f"each {kept:,} numbers a token wide")
    return travelling_panel(ways, hidden=h, notes=notes, width_px=width_px)


def two_foldings_panel(*, context: int, data: int, expert: int, experts: int, width_px: float = 340) -> Panel:
    """Return the picture of c · d ranks as attention and as the experts see them.

    Args:
        context: c.
        data: d.
        expert: e, which divides c · d.
        experts: of the layer, a multiple of e.
        width_px: of the panel.

    Returns:
        The panel.
    """
    tokens, dealt, each = [], [], experts // expert
    for rank in range(context * data):
        place = mesh_coordinates(rank, sides=(data, context))[1]
        tokens.append("chunks " + ", ".join(map(str, context_rank_chunks(place, ranks=context))))
        first = rank % expert * each
        dealt.append(f"experts {first}, {first + each - 1}" if each > 1 else f"expert {first}")
    return folding_panel(tokens, dealt, context=context, expert=expert, width_px=width_px)


def packed_panel(documents: tuple[int, ...], *, ranks: int, width_px: float = 340) -> Panel:
    """Return the picture of who has how many pairs: one document, packed ones, and packed ones cut by themselves.

    Args:
        documents: lengths of the packed ones.
        ranks: c.
        width_px: of the panel.

    Returns:
        The panel.
    """
    rows = {
        "one document": packed_context_pairs([sum(documents)], ranks=ranks),
        "packed, cut as a whole": packed_context_pairs(documents, ranks=ranks),
        "packed, each cut by itself": packed_context_pairs(documents, ranks=ranks, cut="each document"),
    }
    return context_pairs_panel(rows, width_px=width_px)
