"""Drawings: the live figure of chapter 20: loads of experts against the room that each has, and what is dropped."""

from __future__ import annotations

import math

from snippets.domain import at_most, number_between, positive_integer
from snippets.drawing import Panel
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number
from snippets.parallelism.expert.formulas import expected_drop_share, expert_capacity

_WIDTH = 328
_FACTORS = Axis(1, 3, label="capacity factor κ", ticks=(1, 1.5, 2, 2.5, 3))


def favoured_shares(*, experts: int, experts_per_token: int, skew: float) -> tuple[float, ...]:
    """Return the probabilities that a token chooses each expert, where the i-th is liked less than the first.

    Args:
        experts: E, at least 1.
        experts_per_token: k, the sum of the probabilities; at most E.
        skew: from 0 to 8; the i-th expert is chosen (i + 1) ** -skew times as often as the first, as far as no
            probability is above 1.

    Returns:
        Probabilities that add up to k.

    >>> favoured_shares(experts=4, experts_per_token=2, skew=0.0)
    (0.5, 0.5, 0.5, 0.5)
    """
    experts = at_most("experts", positive_integer("experts", experts))
    experts_per_token, skew = (
        positive_integer("experts_per_token", experts_per_token),
        number_between("skew", skew, low=0, high=8),
    )
    if experts_per_token > experts:
        raise ValueError(f"experts_per_token must be at most experts = {experts}, got {experts_per_token!r}")
    wishes = [(place + 1.0) ** -skew for place in range(experts)]
    for full in range(experts_per_token + 1):  # so many experts are chosen by every token
        rest = sum(wishes[full:])
        if full == experts_per_token or (experts_per_token - full) * wishes[full] <= rest:
            scale = (experts_per_token - full) / rest if rest else 0.0
            return tuple([1.0] * full + [min(1.0, wish * scale) for wish in wishes[full:]])
    return ()


@live_figure(
    title="Room for tokens, and what is dropped",
    caption="First the mean load of each expert, in units of the even share, with a thin line one standard "
    "deviation up and down, and its room (dashed; rounded up to whole tokens). Then the share of all "
    "assignments that finds no room, for eight capacity factors. Tokens choose independently. With favouritism "
    "$\\varphi$ the $i$-th expert is chosen $i^{-\\varphi}$ times as often as the first, as far as no probability is "
    "above 1.",
    opens="Four tokens, two experts",
    knobs=[
        Number("capacity", "Capacity factor κ", 1, 1, 3, 0.25, whole=False),
        Number("tokens", "Tokens x routed together", 4, 4, 8192, 2, "log"),
        Number("experts", "Experts E", 2, 2, 32, 2, "log"),
        Number("experts_per_token", "Experts for each token k", 1, 1, 8, 2, "log"),
        Number("skew", "Favouritism φ", 0, 0, 1.5, 0.25, whole=False),
    ],
    named=[
        Named(
            "Four tokens, two experts",
            "Both means are at the room, and yet 18.75% are dropped, because loads scatter about them.",
            {"tokens": 4},
        ),
        Named(
            "The question",
            "With room for a quarter more than the even share, 0.00% are dropped.",
            {"tokens": 8192, "experts": 8, "experts_per_token": 2, "capacity": 1.25},
        ),
        Named(
            "Many small experts",
            "Each expert expects 16 tokens; with room for exactly these, 9.28% are dropped.",
            {"tokens": 128, "experts": 32, "experts_per_token": 4},
        ),
        Named(
            "A favourite",
            "The same tokens with a router that has favourites: 15.80% are dropped.",
            {"tokens": 8192, "experts": 8, "experts_per_token": 2, "capacity": 1.25, "skew": 0.75},
        ),
        Named(
            "The 70B on 256 GPUs",
            "If it had 8 experts, one sequence would drop 0.76% by chance at a capacity factor of 1.",
            {"tokens": 8192, "experts": 8, "experts_per_token": 2},
        ),
    ],
)
def expert_room(*, capacity: float, tokens: int, experts: int, experts_per_token: int, skew: float) -> Picture:
    """Draw the loads of the experts against their room, and the share that is dropped against the capacity factor."""
    if experts_per_token > experts:
        raise ValueError(f"A token goes to different experts, so it cannot go to {experts_per_token} of {experts}.")
    shares = favoured_shares(experts=experts, experts_per_token=experts_per_token, skew=skew)
    even = tokens * experts_per_token / experts

    def dropped(factor: float) -> tuple[float, int]:
        size = {"tokens": tokens, "experts": experts, "experts_per_token": experts_per_token}
        room = math.ceil(expert_capacity(**size, capacity_factor=factor))
        return 100 * expected_drop_share(tokens=tokens, shares=shares, capacity=room), room

    curve = [(factor, dropped(factor)[0]) for factor in (1.0, 1.125, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)]
    share, room = dropped(capacity)
    busiest = shares[0] * tokens / even
    spread = [math.sqrt(tokens * each * (1 - each)) / even for each in shares]
    numbers = (
        f"An expert has room for {room:,} token{'s' if room > 1 else ''}; the even share is {even:,.4g}, and the "
        f"busiest expects {busiest:.2f} times as many. {share:.2f}% of the {tokens * experts_per_token:,} assignments "
        "are dropped."
    )
    alt = (
        f"First: {experts} bars, the mean loads of the experts, from {busiest:.2f} down to "
        f"{shares[-1] * tokens / even:.2f} times the even share, with a dashed line at {room / even:.4g}. "
        f"Second: the share that is dropped, from {curve[0][1]:.2f}% at a capacity factor of 1 to "
        f"{curve[-1][1]:.2f}% at 3; a dot stands at {capacity:g} and {share:.2f}%."
    )
    return Picture(
        [_bars([each * tokens / even for each in shares], spread, room / even), _curve(curve, capacity, share)],
        numbers,
        alt,
    )


def _bars(loads: list[float], spread: list[float], room: float) -> Panel:
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Mean load of each expert, even share = 1", bold=True)
    high, step = max(3.0, loads[0], room if room < 9 else 0), (_WIDTH - 34) / len(loads)
    for tick in range(int(high) + 1):
        y = 220 - 190 * tick / high
        if tick % max(1, int(high) // 6) == 0:
            panel.line(30, y, _WIDTH - 2, y, colour="line")
            panel.text(24, y, f"{tick}", anchor="end", middle=True, size=12, colour="muted")
    gap = min(4.0, step / 5)
    fits, beyond = [], []
    for place, load in enumerate(loads):
        x = 32 + step * place
        low = min(load, room)
        fits.append((x, 220 - 190 * low / high, step - gap, 190 * low / high))
        if load > room:
            beyond.append((x, 220 - 190 * load / high, step - gap, 190 * (load - room) / high))
    panel.rectangles(fits, colour="forward", strength=0.5)
    panel.rectangles(beyond, colour="communication", strength=0.5)
    for place, (load, wide) in enumerate(zip(loads, spread, strict=True)):
        middle, ends = 32 + step * place + (step - gap) / 2, (max(0.0, load - wide), min(high, load + wide))
        panel.line(middle, 220 - 190 * ends[0] / high, middle, 220 - 190 * ends[1] / high, colour="ink")
    if room <= high:
        y = 220 - 190 * room / high
        panel.line(30, y, _WIDTH - 2, y, colour="ink", dashed=True)
    panel.text(0, 242, "experts; dashed: the room; red: above it on average", size=12, colour="muted")
    return panel


def _curve(points: list[tuple[float, float]], capacity: float, share: float) -> Panel:
    top = next((top for top in (1, 5, 25, 60) if points[0][1] <= 0.8 * top), 100)
    up = Axis(0, top, ticks=tuple(top * part / 5 for part in range(6)))
    plot = Plot(_FACTORS, up, title="Dropped, % of the assignments", width_px=_WIDTH)
    plot.curve(points, colour="communication")
    plot.dots([(capacity, share)], colour="communication", radius=5)
    left = capacity > 2.2
    plot.panel.text(
        plot.x(capacity) + (-10 if left else 10),
        plot.y(share) + (14 if share > 0.9 * top else -10),
        f"{share:.2f}%",
        anchor="end" if left else "start",
        bold=True,
    )
    return plot.panel
