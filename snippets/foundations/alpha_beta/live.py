"""Drawings: what a message costs against its size; a gradient that leaves a backward pass in buckets, and how many."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.foundations.alpha_beta.formulas import (
    best_buckets,
    bucketed_step_time_s,
    effective_bandwidth_bytes_per_s,
    half_bandwidth_bytes,
    message_time_s,
    messages_time_s,
)
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number, in_units

_ALL = Axis(1, 1e10, "log", "bytes in all, n", "B", ticks=(1, 1e3, 1e6, 1e9))
_ONE = Axis(1, 1e10, "log", "one message, n/q", "B", ticks=(1, 1e3, 1e6, 1e9))
_TIMES = Axis(2e-9, 2e2, "log", "time T", "s", ticks=(1e-8, 1e-6, 1e-4, 1e-2, 1))
_SHARES = Axis(0, 118, label="share of β, %", ticks=(0, 25, 50, 75, 100))
_WIDTH = 328  # two stand side by side in the page's column
_POINTS = tuple(10 ** (number / 4) for number in range(41))
_MOST_BUCKETS = 1000
_MOST_DRAWN = 100  # buckets; more are one block
_NEAR = 1.03  # of the earliest end, what counts as good enough
_COUNTS = tuple(10 ** (number / 30) for number in range(91))  # a curve has no steps


@live_figure(
    title="What a message costs",
    caption="First: the time of all $n$ bytes in one message, and above it the time in $q$. Second: the share of the "
    "bandwidth that one message gets. In both, the square is at $n_{1/2}$, where one message waits as long as it "
    "moves. Take one, and move the size: well to the left of the square its time hardly changes, well to the right "
    "its share hardly does. Then cut the bytes into more messages, and see how far back a single one falls.",
    knobs=[
        Number("size_bytes", "Bytes in all n", 1e6, 1e3, 1e10, 10**0.1, "log", "B"),
        Number("messages", "Messages q", 1, 1, 1000, 10**0.1, "log"),
        Number("latency_s", "Latency α", 5e-6, 5e-6 / 2**6, 5e-6 * 2**8, 2**0.25, "log", "s", whole=False),
        Number(
            "bandwidth_bytes_per_s", "Bandwidth β", 50e9, 50e9 / 2**6, 50e9 * 2**4, 2**0.25, "log", "B/s", whole=False
        ),
    ],
    named=[
        Named("1 kB", "Nearly all is latency: 5 µs of 5.02 µs.", {"size_bytes": 1e3}),
        Named(
            "n½", "Half of it is latency, 5 µs of 10 µs, and half of the bandwidth is reached.", {"size_bytes": 250e3}
        ),
        Named("1 GB", "Nearly all is bytes: of 20 ms only 5 µs are latency.", {"size_bytes": 1e9}),
        Named(
            "The question, tensor by tensor",
            "Of 1.05 s the latencies take 1 s: a tensor of 1 MB is a twentieth of n½ = 20 MB, the square.",
            {"size_bytes": 1e9, "messages": 1000, "latency_s": 1e-3, "bandwidth_bytes_per_s": 20e9},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Gathering a layer of 1.71 GB in 255 messages takes 44 ms, of which 1.28 ms are latency.",
            {"size_bytes": 1.711e9, "messages": 255, "bandwidth_bytes_per_s": 40e9},
        ),
    ],
    opens="The question, tensor by tensor",
)
def message_time(*, size_bytes: float, messages: int, latency_s: float, bandwidth_bytes_per_s: float) -> Picture:
    """Draw time and reached share of the bandwidth against size, for n bytes in q messages that follow each other."""
    link = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    one = size_bytes / messages
    whole = messages_time_s(total_bytes=size_bytes, messages=messages, **link)
    share = 100 * effective_bandwidth_bytes_per_s(size_bytes=one, **link) / bandwidth_bytes_per_s
    half = half_bandwidth_bytes(**link)
    each = f" in {messages:,} messages of {in_units(one, 'B')}" if messages > 1 else " in one message"
    waits = messages * latency_s
    numbers = (
        f"{in_units(size_bytes, 'B')}{each}: {in_units(whole, 's')}, of which {in_units(waits, 's')} are latency. "
        f"That is {_percent(share)} of the bandwidth of {in_units(bandwidth_bytes_per_s, 'B/s')} (one direction); "
        f"half of it needs messages of n½ = {in_units(half, 'B')}."
    )
    if messages > 1:
        numbers += f" At once it would take {in_units(message_time_s(size_bytes=size_bytes, **link), 's')}."
    alt = (
        f"First: time against size on logarithmic axes, flat at {in_units(latency_s, 's')} up to about "
        f"{in_units(half, 'B')}, then rising in proportion; a dot at {in_units(size_bytes, 'B')} and "
        f"{in_units(whole, 's')}. Second: the share of the bandwidth rises from 0 to 100% with the size of one "
        f"message, through 50% at {in_units(half, 'B')}; a dot at {in_units(one, 'B')} and {_percent(share)}."
    )
    return Picture([_times(size_bytes, messages, whole, link), _shares(one, share, half, link)], numbers, alt)


def _percent(share: float) -> str:
    """Write a share of the bandwidth, which never reaches the whole.

    >>> _percent(80.0), _percent(99.98)
    ('80%', 'over 99.9%')
    """
    return "over 99.9%" if share >= 99.95 else f"{share:.3g}%"


def _times(size: float, messages: int, whole: float, link: dict[str, float]) -> Panel:
    """Draw the time of all bytes, in one message and in several, with what each of the two terms alone would take."""
    plot = Plot(_ALL, _TIMES, title="Time of all n bytes", width_px=_WIDTH)
    alpha, beta = link["latency_s"], link["bandwidth_bytes_per_s"]
    plot.curve([(1, alpha), (1e10, alpha)], colour="muted", width=1.2, dashed=True)
    plot.curve([(1, 1 / beta), (1e10, 1e10 / beta)], colour="muted", width=1.2, dashed=True)
    plot.curve([(n, message_time_s(size_bytes=n, **link)) for n in _POINTS], colour="accent")
    if messages > 1:
        several = [(n, messages_time_s(total_bytes=n, messages=messages, **link)) for n in _POINTS]
        plot.curve(several, colour="communication")
    plot.dots([(size, whole)], colour="communication" if messages > 1 else "accent", radius=5)
    x, y = plot.x(alpha * beta), plot.y(2 * alpha)
    plot.panel.rectangle(x - 4, y - 4, 8, 8, colour="ink", strength=1)
    plot.panel.text(plot.left + 6, plot.y(alpha) + 15, "α", colour="muted")
    plot.panel.text(plot.x(8e-9 * beta) + 8, plot.y(8e-9) + 4, "n/β", colour="muted")
    above = plot.y(whole) - 12
    right = plot.across.share(size) > 1 / 3
    plot.panel.text(plot.x(size), above, in_units(whole, "s"), anchor="end" if right else "start", bold=True)
    return plot.panel


def _shares(one: float, share: float, half: float, link: dict[str, float]) -> Panel:
    """Draw the share of the bandwidth that messages reach against the size of one."""
    plot = Plot(_ONE, _SHARES, title="Bandwidth that one message reaches", width_px=_WIDTH)
    beta = link["bandwidth_bytes_per_s"]
    points = [(n, 100 * effective_bandwidth_bytes_per_s(size_bytes=n, **link) / beta) for n in _POINTS]
    plot.curve(points, colour="accent")
    x, y = plot.x(half), plot.y(50)
    plot.panel.line(x, y, x, plot.bottom, colour="muted", dashed=True)
    plot.panel.rectangle(x - 4, y - 4, 8, 8, colour="ink", strength=1)
    right = plot.across.share(half) < 0.6
    plot.panel.text(
        x + 8 if right else x - 9, y + 16, f"n½ = {in_units(half, 'B')}", anchor="start" if right else "end"
    )
    plot.dots([(one, share)], colour="accent", radius=5)
    right = plot.across.share(one) < 0.64 and not 0 < x - plot.x(one) < 60  # the line of n½ is clear of it
    at = plot.x(one) + 9 if right else plot.x(one) - 9
    plot.panel.text(at, plot.y(share) - 9, _percent(share), anchor="start" if right else "end", bold=True)
    return plot.panel


@live_figure(
    title="How many buckets",
    caption="First: the backward pass, and below it the network. Grey is $\\alpha$, red the bytes, and a dashed line "
    "marks the end of the pass. Second: the end of the step against the number of buckets, on a logarithmic axis, with "
    "its branches dashed where they don't decide. The band is where it ends at most 3% later than with the best "
    "number. Set your own pass, gradient and all-reduce, and read off the best number.",
    knobs=[
        Number("buckets", "Buckets K", 6, 1, _MOST_BUCKETS, 1.03, "log"),
        Number("compute_s", "Backward pass", 0.04, 4e-4, 40, 10**0.05, "log", "s", whole=False),
        Number("size_bytes", "Gradient n", 1e9, 1e6, 1e12, 10**0.05, "log", "B"),
        Number("latency_s", "Latency α", 1e-3, 1e-5, 1e-1, 10**0.05, "log", "s", whole=False),
        Number("bandwidth_bytes_per_s", "Bandwidth β", 20e9, 2e8, 2e12, 10**0.05, "log", "B/s", whole=False),
    ],
    named=[
        Named(
            "The question",
            "Six buckets end the step at 62.7 ms. Slide K: anything from 4 to 10 is within 3% of that, but one bucket "
            "takes 91 ms, and 40 take as long.",
            {"buckets": 6},
        ),
        Named(
            "Buckets of DDP's default size",
            "In 38 buckets of 26.3 MB the step takes 89.1 ms, nearly as long as in one: what the early start gains is "
            "paid in latencies.",
            {"buckets": 38},
        ),
        Named(
            "A pass twice as long",
            "Now the network has time to spare, and 30 buckets are best: all but the last one hide, and the step ends "
            "at 82.7 ms.",
            {"buckets": 30, "compute_s": 0.08},
        ),
        Named(
            "The 70B on 256 GPUs",
            "Its gradients alone, by one ring's reduce-scatters, a bucket for each layer: 80 buckets end at 5.89 s, "
            "after a pass of 5.84 s.",
            {
                "buckets": 80,
                "compute_s": 5.842,
                "size_bytes": 141.107e9,
                "latency_s": 1.275e-3,
                "bandwidth_bytes_per_s": 40.16e9,
            },
        ),
    ],
    opens="The question",
)
def bucketed_gradient(
    *, buckets: int, compute_s: float, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> Picture:
    """Draw a backward pass with its buckets on the network, and the end of the step against the number of buckets."""
    link = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    step = {"total_bytes": size_bytes, "compute_s": compute_s, **link}
    end, alone = (bucketed_step_time_s(buckets=count, **step) for count in (buckets, 1))
    best = best_buckets(**step)
    least = bucketed_step_time_s(buckets=best, **step)
    few, many = _near(best, least, step)
    one = in_units(size_bytes / buckets, "B")
    told = f"{buckets:,} buckets of {one} end" if buckets > 1 else f"One bucket of {one} ends"
    near = f"from {few:,} to {many:,} end it" if many > few else f"only {best:,} ends it"
    compared = f"; one bucket would end it at {in_units(alone, 's')}" if buckets > 1 else ""
    numbers = (
        f"{told} the step at {in_units(end, 's')}, with a pass of {in_units(compute_s, 's')}"
        f"{compared}. The best number is "
        f"{best:,}, at {in_units(least, 's')}; {near} at most 3% later."
    )
    alt = (
        f"First: a backward pass of {in_units(compute_s, 's')}, and below it the network with {buckets:,} "
        f"bucket{'s' * (buckets > 1)}, until {in_units(end, 's')}. Second: the end of the step against the number of "
        f"buckets, which falls to {in_units(least, 's')} at {best:,} and then rises; a dot at {buckets:,}. 40 buckets "
        f"end it at {in_units(bucketed_step_time_s(buckets=40, **step), 's')}."
    )
    panels = [_step_clock(buckets, end, compute_s, size_bytes, link), _ends(buckets, best, (few, many), end, step)]
    return Picture(panels, numbers, alt)


def _near(best: int, least: float, step: dict[str, float]) -> tuple[int, int]:
    """Return the fewest and the most buckets that end a step at most 3% later than the best number.

    >>> _near(6, 0.0627, {"total_bytes": 1e9, "compute_s": 0.04, "latency_s": 1e-3, "bandwidth_bytes_per_s": 20e9})
    (4, 10)
    """

    def late(count: int) -> bool:
        return bucketed_step_time_s(buckets=count, **step) > _NEAR * least

    few, below = best, 0  # the end falls up to the best number and rises beyond
    while few - below > 1:
        middle = (few + below) // 2
        below, few = (middle, few) if late(middle) else (below, middle)
    many, above = best, 2 * best
    while not late(above):
        many, above = above, 2 * above
    while above - many > 1:
        middle = (many + above) // 2
        many, above = (many, middle) if late(middle) else (middle, above)
    return few, many


def _step_clock(buckets: int, end: float, compute: float, size: float, link: dict[str, float]) -> Panel:
    """Draw the backward pass and the buckets on the network, each as its latency and its bytes."""
    wait, move = link["latency_s"], size / buckets / link["bandwidth_bytes_per_s"]
    fill = compute / buckets
    every = max(fill, wait + move)  # the later of the two rules when the next one starts
    left, scale = 72.0, (_WIDTH - 94) / end
    panel = Panel(_WIDTH, 150)
    panel.text(0, 14, "The step", bold=True)
    panel.text(left - 8, 53, "backward", anchor="end", middle=True)
    panel.rectangle(left, 40, compute * scale, 26, colour="backward")
    panel.text(left - 8, 89, "network", anchor="end", middle=True)
    starts = [left + (fill + number * every) * scale for number in range(buckets)]
    lanes = (("idle", 0.0, wait), ("communication", wait, move))
    if buckets > _MOST_DRAWN:
        share = wait / (wait + move)
        panel.rectangle(starts[0], 76, (end - fill) * scale, 26 * share, colour="idle")
        panel.rectangle(starts[0], 76 + 26 * share, (end - fill) * scale, 26 * (1 - share), colour="communication")
    else:
        for colour, after, length in lanes:
            boxes = [(x + after * scale, 76.0, length * scale, 26.0) for x in starts]
            panel.bars(boxes, colour=colour, strength=0.6)
    x = left + compute * scale
    panel.line(x, 32, x, 112, colour="ink", dashed=True)
    panel.line(left, 112, left + end * scale, 112)
    for tick in Axis(0, end).marks(5):
        x = left + tick * scale
        panel.line(x, 112, x, 116)
        panel.text(x, 130, in_units(tick, "s") if tick else "0", anchor="middle", colour="muted", size=12)
    return panel


def _ends(buckets: int, best: int, near: tuple[int, int], end: float, step: dict[str, float]) -> Panel:
    """Draw the end of the step against the number of buckets, with its branches and what is good enough."""
    compute, alpha = step["compute_s"], step["latency_s"]
    total = step["total_bytes"] / step["bandwidth_bytes_per_s"]
    least = bucketed_step_time_s(buckets=best, **step)
    high = max(1.15 * bucketed_step_time_s(buckets=1, **step), 1.6 * least)
    low = min(compute, total) * 0.9 if min(compute, total) > 0.6 * least else 0.0
    axis = Axis(1, _MOST_BUCKETS, "log", "buckets K", ticks=(1, 10, 100, 1000))
    plot = Plot(axis, Axis(low, high, unit="s"), title="When the step ends", width_px=_WIDTH)
    few, many = (plot.x(min(max(count, 1), _MOST_BUCKETS)) for count in near)
    plot.panel.bars([(few, plot.top, max(many - few, 2.0), plot.bottom - plot.top)], colour="accent", strength=0.15)
    branches = (
        [(K, compute + alpha + total / K) for K in _COUNTS],
        [(K, compute / K + K * alpha + total) for K in _COUNTS],
    )
    for points in branches:
        plot.curve(points, colour="muted", width=1.2, dashed=True)
    plot.curve([(K, max(one[1], two[1])) for K, one, two in zip(_COUNTS, *branches, strict=True)], colour="accent")
    shown = min(end, high)
    plot.dots([(buckets, shown)], colour="ink", radius=5)
    said = f"K = {buckets:,}: {in_units(end, 's')}"
    plot.panel.text(plot.right, 14, said, anchor="end", bold=True)
    if best <= _MOST_BUCKETS:
        x = plot.x(best)
        plot.panel.line(x, plot.y(least), x, plot.bottom, colour="ink", dashed=True)
        left = plot.across.share(best) > 0.6
        plot.panel.text(
            x - 5 if left else x + 5, plot.bottom - 6, f"K* = {best:,}", anchor="end" if left else "start", size=12
        )
    return plot.panel
