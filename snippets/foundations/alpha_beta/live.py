"""Drawings: the time of a message against its size, and the share of the bandwidth that it reaches."""

from __future__ import annotations

from snippets.drawing import Panel
from snippets.foundations.alpha_beta.formulas import (
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


@live_figure(
    title="What a message costs",
    caption="The square is $n_{1/2}$, where a message waits as long as it moves. Move the size well to the left of it, "
    "and the time hardly changes; well to the right, and the share of the bandwidth hardly does; near it both do. Then "
    "cut the bytes into more messages, and see how far back a single one falls.",
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
            "Of 1.04 s the latencies take 1 s: a tensor of 1 MB is far to the left of the square, at 25 MB.",
            {"size_bytes": 1e9, "messages": 1000, "latency_s": 1e-3, "bandwidth_bytes_per_s": 25e9},
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
    right = plot.across.share(one) < 0.64
    at = plot.x(one) + 9 if right else plot.x(one) - 9
    plot.panel.text(at, plot.y(share) - 9, _percent(share), anchor="start" if right else "end", bold=True)
    return plot.panel
