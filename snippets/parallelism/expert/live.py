"""Drawings: the live figures of chapter 20: travel beside computing; loads of experts beside their room, and drops."""

from __future__ import annotations

import math

from snippets.domain import at_most, number_between, one_of, positive_integer
from snippets.drawing import Panel, Spot
from snippets.live.axes import Axis, Plot
from snippets.live.bars import Bar, draw_bars
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number, in_units
from snippets.parallelism.expert.formulas import expected_drop_share, expected_expert_groups, expert_capacity

_WIDTH = 328
_GPUS_PER_NODE = 8
_EACH, _ONCE, _LIMITED = "expert", "node", "four"
_WAYS = {_EACH: "one for each expert", _ONCE: "one for each node", _LIMITED: "one for each node, at most 4"}
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


def copies_sent(*, experts: int, experts_per_token: int, nodes: int, way: str) -> tuple[float, float]:
    """Return how many copies of a token are sent between nodes and inside them, one way, on average.

    Args:
        experts: E, a multiple of the GPUs, 8 in each node.
        experts_per_token: k, at most E; all sets of k experts are equally likely.
        nodes: G, that share the experts.
        way: what gets a copy: ``"expert"``, ``"node"``, or ``"four"`` for each of at most four nodes.

    Returns:
        Copies between nodes; copies inside.

    >>> copies_sent(experts=64, experts_per_token=16, nodes=8, way="expert")
    (14.0, 1.75)
    """
    experts, nodes = positive_integer("experts", experts), positive_integer("nodes", nodes)
    experts_per_token, way = positive_integer("experts_per_token", experts_per_token), one_of("way", way, tuple(_WAYS))
    if experts % (nodes * _GPUS_PER_NODE):
        raise ValueError(
            f"experts must be a multiple of the {nodes * _GPUS_PER_NODE} GPUs of {nodes} nodes, got {experts!r}"
        )
    if experts_per_token > experts:
        raise ValueError(f"experts_per_token must be at most experts = {experts}, got {experts_per_token!r}")
    away, others = (nodes - 1) / nodes, 1 - 1 / _GPUS_PER_NODE
    if way == _EACH:
        return experts_per_token * away, experts_per_token / nodes * others
    size = {"experts_per_token": experts_per_token}
    reached = expected_expert_groups(experts=experts, groups=nodes, **size)
    gpus = expected_expert_groups(experts=experts, groups=nodes * _GPUS_PER_NODE, **size)
    if way == _LIMITED and nodes > 4:
        allowed = experts // nodes * 4
        if allowed < experts_per_token:
            raise ValueError(f"Four nodes have {allowed} experts, so experts_per_token cannot be {experts_per_token}.")
        reached = min(4.0, reached)
        gpus = expected_expert_groups(experts=allowed, groups=4 * _GPUS_PER_NODE, **size)
    return reached * away, gpus * others


@live_figure(
    title="Do the tokens travel longer than their experts compute?",
    caption="A layer's experts on nodes of eight GPUs, equally many on each; forward and backward. First: travel over "
    "the adapters and over the links inside nodes, in units of the experts' computing. Second: the slower of the two "
    "against an expert's inner width, with everything else as set. Below the dashed line it can hide. Tokens are "
    "spread evenly, and latency is left out. With a limit of four nodes we assume that a token reaches four, or "
    "as many as without the limit if those are fewer.",
    opens="The finer experts",
    knobs=[
        Number("width", "Inner width of an expert h_ff", 1792, 256, 28672, 256),
        Number("experts", "Experts E", 64, 8, 256, 2, "log"),
        Number("experts_per_token", "Experts for each token k", 16, 1, 16, 2, "log"),
        Number("nodes", "Nodes that share the experts G", 8, 1, 16, 2, "log"),
        Choice("way", "Copies of a token", _WAYS, _EACH),
        Number("adapter_bytes_per_s", "Adapter's bandwidth", 40e9, 10e9, 100e9, 5e9, unit="B/s"),
        Number("node_bytes_per_s", "Bandwidth inside a node", 360e9, 40e9, 1000e9, 40e9, unit="B/s"),
        Number("flops_per_s", "A GPU's rate uP", 643e12, 43e12, 2543e12, 25e12, unit="FLOP/s"),
    ],
    named=[
        Named(
            "The finer experts",
            "Over the adapters the tokens travel 3.49 times as long as their experts compute.",
            {"nodes": 8},
        ),
        Named(
            "The same, inside a node",
            "The same experts, all on the GPUs of one node: travel takes 0.388 times as long as computing.",
            {"nodes": 1},
        ),
        Named(
            "One copy for each node",
            "On all nodes again, but each gets one copy and hands it on: 1.6 times.",
            {"way": _ONCE},
        ),
        Named(
            "The 70B on 256 GPUs",
            "With eight experts of half its width inside a node, travel would take 0.0485 times as long as computing.",
            {
                "width": 14336,  # half of Llama 3 70B's
                "experts": 8,
                "experts_per_token": 2,
                "nodes": 1,
            },
        ),
    ],
)
def travel_against_computing(
    *,
    width: int,
    experts: int,
    experts_per_token: int,
    nodes: int,
    way: str,
    adapter_bytes_per_s: float,
    node_bytes_per_s: float,
    flops_per_s: float,
) -> Picture:
    """Draw a layer's travel beside its experts' computing, and against their inner width."""
    gpus = nodes * _GPUS_PER_NODE
    if experts % gpus:
        raise ValueError(f"{experts} experts cannot be shared evenly by the {gpus} GPUs of {nodes} nodes.")
    if experts_per_token > experts:
        raise ValueError(f"A token cannot go to {experts_per_token} of {experts} experts.")
    between, inside = copies_sent(experts=experts, experts_per_token=experts_per_token, nodes=nodes, way=way)
    # of one token and one number of its vector: four trips of 2 bytes; 18 FLOPs for each unit of inner width
    over_adapter, over_links = 4 * 2 * between / adapter_bytes_per_s, 4 * 2 * inside / node_bytes_per_s

    def compute(inner: float) -> float:
        return 18 * inner * experts_per_token / flops_per_s

    across, within = over_adapter / compute(width), over_links / compute(width)
    slower = max(across, within)
    numbers = (
        f"A layer has {experts} experts. A token sends {in_units(between)} copies between nodes and {in_units(inside)} "
        f"inside, each way. Travel takes {in_units(slower)} times as long as the experts' computing. It takes no "
        f"longer if an expert is at least {in_units(math.ceil(slower * width))} wide."
    )
    alt = (
        f"First: three bars. The experts compute: 1. Adapters: {in_units(across)}. Links inside nodes: "
        f"{in_units(within)}. Second: a line that falls with an expert's width; a dot at {in_units(width)} and "
        f"{in_units(slower)}."
    )
    return Picture([_travel_bars(across, within), _against_width(width, slower)], numbers, alt)


def _travel_bars(across: float, within: float) -> Panel:
    panel = Panel(_WIDTH, 250)
    panel.text(0, 14, "Time, experts' computing = 1", bold=True)
    bars = [
        Bar("experts compute", [(1.0, "forward")], "1"),
        Bar("over the adapters", [(across, "communication")], in_units(across)),
        Bar("inside the nodes", [(within, "communication")], in_units(within)),
    ]
    draw_bars(panel, bars, top=52, pitch=66, high=26, gap=6, wide=_WIDTH - 4)
    line = 1 + (_WIDTH - 4) / max(1.0, across, within)
    for number in range(3):  # between the names
        top = 58 + 66 * number
        panel.line(line, top, line, top + (42 if number < 2 else 26), colour="ink", dashed=True)
    return panel


def _against_width(width: int, slower: float) -> Panel:
    widths = Axis(256, 32768, "log", "inner width of an expert", ticks=(256, 1024, 4096, 16384))
    plot = Plot(widths, Axis(0.01, 100, "log"), title="Travel over computing", width_px=_WIDTH)
    plot.curve([(256, 1), (32768, 1)], colour="ink", dashed=True)
    plot.panel.text(plot.right - 2, plot.y(1) - 6, "equal", anchor="end", size=12)
    plot.curve([(inner, slower * width / inner) for inner in (256, 32768)], colour="communication")
    plot.dots([(width, slower)], colour="communication", radius=5)
    x, y = plot.x(width), plot.y(min(max(slower, 0.02), 50))
    right = x > (plot.left + plot.right) / 2
    spots: list[Spot] = [(x - 10, y + 20, "end"), (x - 10, y - 26, "end")] if right else [(x + 10, y - 10, "start")]
    plot.label(in_units(slower), spots, bold=True)
    return plot.panel


@live_figure(
    title="Room for tokens, and what is dropped",
    caption="First the mean load of each expert, in units of the even share, with a thin line one standard "
    "deviation up and down, and its room (dashed; rounded up to whole tokens). Then the share of all "
    "copies that finds no room, for eight capacity factors. Tokens choose independently. With favouritism "
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
            "Room for a quarter more",
            "The same experts: with room for a quarter more than the even share, 0.00% are dropped.",
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
            "No favourite, exact room",
            "Wide experts and the tokens of one GPU: 0.76% are dropped by chance at a capacity factor of 1.",
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
        f"busiest expects {busiest:.2f} times as many. {share:.2f}% of the {tokens * experts_per_token:,} copies "
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
    plot = Plot(_FACTORS, up, title="Dropped, % of the copies", width_px=_WIDTH)
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
