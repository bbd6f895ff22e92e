"""Drawings: the live figure of chapter 33: what hides behind the matmuls, for any split of the SMs."""

from __future__ import annotations

from typing import Any

from snippets.drawing import Panel
from snippets.efficiency.overlap.formulas import (
    best_comm_sms,
    least_sm_split_time_s,
    lent_sms_time_s,
    sm_exchange_s,
    sm_split_time_s,
    squeezed_compute_s,
)
from snippets.live.axes import Axis, Plot, beside
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

_WIDTH = 328
_MOST_SMS = 66
_SMS = 132


@live_figure(
    title="How many SMs for the exchange?",
    caption="Move the SMs first: where do the two curves cross? Then let an SM move more bytes: what happens to the "
    "price of hiding? In turn, the exchange goes over the full link, and then the matmuls have all 132 SMs.",
    knobs=[
        Number("compute_ms", "Matmuls on all SMs, ms", 25.6, 1, 100, 0.1, whole=False),
        Number("exchange_mb", "Exchange, MB", 623, 10, 2000, 1),
        Number("link_gb", "Link, GB/s", 40, 5, 800, 1),
        Number("sm_gb", "One SM moves, GB/s", 2, 0.5, 40, 0.1, whole=False),
        Number("comm_sms", "SMs for the exchange z", 20, 1, _MOST_SMS, 1),
        Choice("keeps", "The exchange keeps its SMs", {"all": "throughout", "over": "until it's over"}, "all"),
    ],
    named=[
        Named(
            "The question",
            "With 20 SMs the exchange is over after 15.6 ms, and the matmuls after 30.2 ms.",
            {"comm_sms": 20},
        ),
        Named(
            "Both end together",
            "With 12 both lanes end nearly together, and all is done after 28.2 ms. Try one fewer.",
            {"comm_sms": 12},
        ),
        Named(
            "Two in reserve",
            "With 14 all is done after 28.6 ms, and a slower exchange would still hide.",
            {"comm_sms": 14},
        ),
        Named(
            "FP8 matmuls",
            "Beside matmuls in eight bits 19 SMs are best, nearly all that fill the link.",
            {"compute_ms": 14.4, "comm_sms": 19},
        ),
        Named(
            "The 70B on 256 GPUs",
            "A layer's gather beside its forward pass: 13.6 ms with 10 SMs. At best it's 13.4 ms, with 8; two "
            "are in reserve. Try one fewer than 8.",
            {"compute_ms": 12.6, "exchange_mb": 856, "link_gb": 160, "sm_gb": 8, "comm_sms": 10},
        ),
    ],
    opens="The question",
)
def sm_split_figure(
    *, compute_ms: float, exchange_mb: int, link_gb: int, sm_gb: float, comm_sms: int, keeps: str
) -> Picture:
    """Draw both lanes against the SMs that the exchange gets, and the bars of one split."""
    rates = {"sm_bytes_per_s": 1e9 * sm_gb, "link_bytes_per_s": 1e9 * link_gb}
    lanes: dict[str, Any] = {"compute_s": 1e-3 * compute_ms, "total_bytes": 1e6 * exchange_mb, **rates}
    exchange = 1e3 * sm_exchange_s(total_bytes=1e6 * exchange_mb, comm_sms=comm_sms, **rates)
    ends = lent_sms_time_s if keeps == "over" else sm_split_time_s
    both = 1e3 * ends(comm_sms=comm_sms, **lanes)
    matmuls = _matmuls_ms(lanes, comm_sms, keeps)
    turn = compute_ms + 1e3 * exchange_mb * 1e6 / (1e9 * link_gb)
    best, least = _best(lanes, keeps)
    floor = 1e3 * least_sm_split_time_s(**lanes)
    held = "Held throughout" if keeps == "all" else "Held until it's over"
    out = f"{_ms(exchange - matmuls)} of the exchange stick out" if exchange > matmuls else "all of the exchange hides"
    numbers = (
        f"With {comm_sms} SM{'s' if comm_sms > 1 else ''} the exchange is over after {_ms(exchange)} and the matmuls "
        f"after {_ms(matmuls)}: {out}, and all is done after {_ms(both)}, in turn after "
        f"{_ms(turn)}. {held}, {best} of 132 SMs {'is' if best == 1 else 'are'} best, with {_ms(least)}; no "
        f"split gets below {_ms(floor)}."
    )
    alt = (
        "First: two curves against the SMs for the exchange: the exchange falls until the link is full, the matmuls "
        f"rise; a dot at {comm_sms}. Second: bars of {_ms(turn)} in turn, {_ms(exchange)} for the exchange and "
        f"{_ms(matmuls)} for the matmuls side by side."
    )
    return Picture([_curves(lanes, comm_sms, keeps, both), _bars(turn, exchange, matmuls, compute_ms)], numbers, alt)


def _ms(value: float) -> str:
    """Write milliseconds with three digits."""
    return f"{value:.3g} ms" if value < 999.5 else f"{value:,.0f} ms"


def _best(lanes: dict[str, Any], keeps: str) -> tuple[int, float]:
    """Return the fewest SMs with which all is done soonest, and the milliseconds until then."""
    if keeps == "all":
        best = best_comm_sms(**lanes)
        return best, 1e3 * sm_split_time_s(comm_sms=best, **lanes)
    ends = {g: 1e3 * lent_sms_time_s(comm_sms=g, **lanes) for g in range(1, _SMS)}
    least = min(ends.values())
    return next(g for g, end in ends.items() if end <= least * (1 + 1e-9)), least


def _matmuls_ms(lanes: dict[str, Any], comm_sms: int, keeps: str) -> float:
    """Return when the matmuls end, in milliseconds: with SMs that come back, later ones run on all."""
    rates = {name: lanes[name] for name in ("total_bytes", "sm_bytes_per_s", "link_bytes_per_s")}
    squeezed = squeezed_compute_s(compute_s=lanes["compute_s"], comm_sms=comm_sms)
    if keeps == "all" or squeezed <= sm_exchange_s(comm_sms=comm_sms, **rates):
        return 1e3 * squeezed
    return 1e3 * lent_sms_time_s(comm_sms=comm_sms, **lanes)


def _curves(lanes: dict[str, Any], comm_sms: int, keeps: str, both: float) -> Panel:
    """Draw both lanes for every split, a dot at one and a dashed line at the best."""
    exchange = {name: lanes[name] for name in ("total_bytes", "sm_bytes_per_s", "link_bytes_per_s")}
    best, least = _best(lanes, keeps)
    wanted = max(1.6 * least, min(1.15 * both, 6 * least))
    step = 10.0 ** (len(f"{int(wanted)}") - 1)
    top = next((step * times for times in (1, 2, 3, 4, 6, 8, 10) if step * times >= wanted), 10 * step)
    across = Axis(0, _MOST_SMS, label="SMs for the exchange", ticks=(0, 12, 24, 36, 48, 60))
    plot = Plot(across, Axis(0, top, ticks=tuple(top * i / 4 for i in range(5))), title="Time, ms", width_px=_WIDTH)
    counts = range(1, _MOST_SMS + 1)
    matmuls = [(float(g), _matmuls_ms(lanes, g, keeps)) for g in counts]
    sent = [(float(g), 1e3 * sm_exchange_s(comm_sms=g, **exchange)) for g in counts]
    plot.curve(matmuls, colour="forward", width=2.5)
    plot.curve(sent, colour="communication", width=2.5)
    at = 48  # where the curves' names stand
    above = matmuls[at - 1][1] >= sent[at - 1][1]
    for name, hue, end, up in (
        ("matmuls", "forward", matmuls[at - 1][1], above),
        ("exchange", "communication", sent[at - 1][1], not above),
    ):
        y = min(max(plot.y(min(end, top)) + (-8 if up else 17), plot.top + 12), plot.bottom - 4)
        rising_above = name == "matmuls" and up
        plot.panel.text(plot.x(at), y, name, size=12, anchor="end" if rising_above else "start", colour=hue)
    if best <= _MOST_SMS:
        x = plot.x(best)
        plot.panel.line(x, plot.top, x, plot.bottom, colour="ink", dashed=True)
        plot.label(f"best: {best}", beside(x, plot.bottom - 8, plot.top + 12, gap=5, left=best > 44), size=12)
    plot.dots([(float(comm_sms), min(both, top))], colour="accent", radius=6)
    y = plot.y(min(both, top))
    spots = beside(plot.x(comm_sms), y + 18, y - 10, gap=8, left=comm_sms > _MOST_SMS / 2)
    plot.label(_ms(both), spots, size=12, bold=True, colour="accent")
    return plot.panel


def _bars(turn: float, exchange: float, matmuls: float, compute_ms: float) -> Panel:
    """Draw the exchange and the matmuls, first in turn and then side by side."""
    panel = Panel(_WIDTH, 190)
    longest = max(turn, exchange, matmuls)
    scale = (_WIDTH - 8) / longest
    panel.text(0, 14, "In turn: " + _ms(turn), bold=True)
    sent = turn - compute_ms
    panel.rectangle(2, 24, sent * scale, 26, colour="communication", strength=0.5)
    panel.rectangle(2 + sent * scale, 24, compute_ms * scale, 26, colour="forward", strength=0.5)
    panel.text(0, 74, "Side by side: " + _ms(max(exchange, matmuls)), bold=True)
    for y, name, value, hue in ((84, "exchange", exchange, "communication"), (132, "matmuls", matmuls, "forward")):
        panel.rectangle(2, y, value * scale, 26, colour=hue, strength=0.5)
        panel.text(2, y + 40, f"{name} {_ms(value)}", size=12)
    return panel
