"""Figures: a layer of experts, tokens that travel to theirs, loads, the mesh of experts and data, copies sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets.drawing import Panel
from snippets.live.bars import Bar, draw_bars, draw_key
from snippets.palette import rank as rank_colour

NARROW_PX = 340.0


def expert_layer_panel(*, experts: int, chosen: Mapping[int, float]) -> Panel:
    """Draw one token's way through a layer of experts.

    Args:
        experts: how many there are, at most 10.
        chosen: expert → its weight, for those that the token goes to.

    Returns:
        The panel.
    """
    panel = Panel(NARROW_PX, 214)
    step = NARROW_PX / experts
    panel.rectangle(135, 1, 70, 28, colour="activations", label="token")
    panel.arrow(170, 30, 170, 44)
    panel.rectangle(135, 45, 70, 28, colour="optimizer", label="router")
    panel.rectangle(135, 172, 70, 28, colour="activations", label="sum")
    panel.text(212, 62, "picks, weights", size=12)
    for expert in range(experts):
        x, used = step * expert, expert in chosen
        panel.rectangle(x + 2, 98, step - 4, 46, colour="parameters", strength=0.5 if used else 0.06, dashed=not used)
        panel.text(x + step / 2, 117, f"{expert}", anchor="middle", bold=used)
        if used:
            panel.text(x + step / 2, 136, f"{chosen[expert]:.2f}", anchor="middle", size=12)
            panel.arrow(170, 74, x + step / 2, 97, colour="accent")
            panel.arrow(x + step / 2, 145, 170 + (-20 if x < 170 else 20), 171, colour="accent")
    panel.text(0, 62, f"{experts} experts in memory", size=12)
    panel.text(212, 190, f"{len(chosen)} of them compute", size=12)
    return panel


def travel_panel(choices: Sequence[Sequence[int]]) -> Panel:
    """Draw tokens at home, on their way, and at their experts: rank r has expert r.

    Args:
        choices: for each rank, for each of its tokens, the expert.

    Returns:
        The panel.
    """
    ranks, step, tall = len(choices), 27.0, 50.0
    panel = Panel(NARROW_PX, 20 + tall * ranks)
    at: list[list[int]] = [[] for _ in choices]
    for home, tokens in enumerate(choices):
        for expert in tokens:
            at[expert].append(home)
    right = NARROW_PX - step * max(map(len, at))
    seen = [0] * ranks
    panel.text(0, 12, "at home", bold=True)
    panel.text(right, 12, "at their experts", bold=True)
    for home, tokens in enumerate(choices):
        y = 22 + tall * home
        panel.text(0, y + 12, f"rank {home}", size=12)
        panel.text(right, y + 12, f"rank {home}, expert {home}", size=12)
        for place, expert in enumerate(tokens):
            panel.rectangle(1 + step * place, y + 17, step - 4, 24, colour=rank_colour(home), label=f"→{expert}")
            ends = y + 21 + 8 * place, 22 + tall * expert + 20 + 4.5 * seen[expert]
            seen[expert] += 1
            panel.line(step * len(tokens), ends[0], right - 4, ends[1], colour=rank_colour(home))
        for place, source in enumerate(at[home]):
            panel.rectangle(right + step * place, y + 17, step - 4, 24, colour=rank_colour(source), label=f"{source}")
    return panel


def loads_panel(rows: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> Panel:
    """Draw loads and probabilities of experts, two bars each, one row for each router, all on one scale.

    Args:
        rows: name → for each expert, its load in units of the even share, and its mean probability in the same units.

    Returns:
        The panel, with a line at the even share.
    """
    panel, high = Panel(NARROW_PX, 20 + 104.0 * len(rows)), max(max(map(max, pair)) for pair in rows.values())
    hues = (("forward", 0.7), ("optimizer", 0.35))  # on grey paper the two hues are one, so their strengths differ
    for place, ((hue, strength), name) in enumerate(zip(hues, ("load", "mean probability"), strict=True)):
        panel.rectangle(1 + 70 * place, 2, 12, 12, colour=hue, strength=strength)
        panel.text(19 + 70 * place, 13, name, size=12)
    for row, (name, pair) in enumerate(rows.items()):
        bottom, step = 106.0 + 104 * row, 340.0 / len(pair[0])
        panel.text(332, bottom - 62, name, size=12, bold=True, anchor="end")
        for side, ((hue, strength), shares) in enumerate(zip(hues, pair, strict=True)):
            boxes = [
                (2 + step * place + side * (step / 2 - 2), bottom - 68 * share / high, step / 2 - 4, 68 * share / high)
                for place, share in enumerate(shares)
            ]
            panel.rectangles(boxes, colour=hue, strength=strength)
        for place, load in enumerate(pair[0]):
            panel.text(step * (place + 0.5), bottom + 14, f"{load:.2f}", anchor="middle", size=12)
        panel.line(0, bottom - 68 / high, 338, bottom - 68 / high, colour="ink", dashed=True)
    return panel


def mesh_panel(*, columns: int, replicas: int, experts: int) -> Panel:
    """Draw a mesh of ranks: experts divided along a row, replicas of each other along a column.

    Args:
        columns: ranks in a row.
        replicas: rows.
        experts: of the layer, a multiple of ``columns``.

    Returns:
        The panel.
    """
    panel, own, step = Panel(NARROW_PX, 48 + 80 * replicas), experts // columns, NARROW_PX / columns
    panel.text(0, 12, "columns: all-reduce of the experts' gradients", size=12, colour="gradients")
    panel.text(0, 28, "rows: all-to-all of tokens", size=12, colour="communication")
    for row in range(replicas):
        y = 38 + 80.0 * row
        for column in range(columns):
            x = step * column
            panel.rectangle(x + 1, y, step - 8, 52, colour=rank_colour(column), strength=0.2)
            panel.text(x + step / 2 - 3, y + 21, f"rank {row * columns + column}", anchor="middle", bold=True)
            names = ", ".join(str(column * own + each) for each in range(own))
            panel.text(x + step / 2 - 3, y + 41, f"expert{'s' * (own > 1)} {names}", anchor="middle", size=12)
            if row:
                panel.line(x + 12, y - 28, x + 12, y, colour="gradients")
            if column:
                panel.line(x - 7, y + 26, x + 1, y + 26, colour="communication")
    panel.text(0, 36 + 80 * replicas, "the rest of the model: all-reduce over all ranks", size=12)
    return panel


def rows_panel(rows: Mapping[str, tuple[float, float]], *, times_faster: float) -> Panel:
    """Write for each way how many copies a token sends between nodes and inside them, and draw how long the links take.

    Args:
        rows: name → copies between nodes and inside a node, for each token.
        times_faster: a link inside a node, than one between nodes.

    Returns:
        The panel, with two bars for each way, all on one scale of time.
    """
    panel = Panel(340, 26 + 50 * len(rows))
    draw_key(panel, {"communication": "between nodes", "forward": "inside a node"}, step=160)
    longest = max(max(across, inside / times_faster) for across, inside in rows.values())
    numbers = [f"{across:.2f} + {inside:.2f}" for across, inside in rows.values()]
    times = {
        "communication": [across for across, _ in rows.values()],
        "forward": [inside / times_faster for _, inside in rows.values()],
    }
    for place, (hue, lengths) in enumerate(times.items()):
        named = zip(rows, lengths, numbers, strict=True)
        bars = [Bar("" if place else name, [(length, hue)], "" if place else said) for name, length, said in named]
        wide = 337 * max(lengths) / longest
        draw_bars(panel, bars, top=42 + 12 * place, pitch=50, high=11, wide=wide, least=0.1)
    return panel


def travel_times_panel(
    compute_ms: float, travel_ms: Mapping[str, float], *, once: Sequence[str] = (), width_px: float = 560
) -> Panel:
    """Draw how long the tokens of some designs travel, below how long their experts compute, on one scale.

    Args:
        compute_ms: of the experts.
        travel_ms: name → how long the tokens travel, or the gradients.
        once: names of what travels once a step, in a colour of its own.
        width_px: of the panel.

    Returns:
        The panel, with a line at the experts' computing.
    """
    pitch, high, top = 44.0, 16.0, 14.0
    panel = Panel(width_px, top + pitch * (1 + len(travel_ms)) - 16)
    bars = [Bar("the experts compute", [(compute_ms, "forward")], f"{compute_ms:.0f} ms")]
    bars += [
        Bar(name, [(ms, "backward" if name in once else "communication")], f"{ms:.0f} ms")
        for name, ms in travel_ms.items()
    ]
    draw_bars(panel, bars, top=top, pitch=pitch, high=high, wide=width_px - 3, least=1)
    line = 1 + (width_px - 3) * compute_ms / max(compute_ms, *travel_ms.values())
    for number in range(len(bars)):  # between the names
        y = top + 5 + pitch * number
        panel.line(line, y, line, y + high, colour="ink", dashed=True)
    return panel
