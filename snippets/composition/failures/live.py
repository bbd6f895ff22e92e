"""Drawings: the live figure of chapter 28: what failures take of a run's time, and the best interval."""

from __future__ import annotations

import math
from typing import NamedTuple

from snippets.composition.failures.formulas import asynchronous_goodput_share, exact_checkpoint_interval_s
from snippets.drawing import Panel, Spot
from snippets.foundations.economics.formulas import cluster_mtbf_s
from snippets.live.axes import Axis, Plot, beside
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Choice, Number

_WIDTH = 328
_YEAR_S = 365.25 * 86_400
_COPY_S = 1.0  # for which the run stops where the write goes on behind the steps
_LEAST_MIN, _MOST_MIN = 0.5, 1440.0
_PARTS = {
    "work that counts": "forward",
    "stopped to save": "optimizer",
    "work undone": "communication",
    "restarts": "idle",
}
_LAST = {"waits": "training waits", "behind": "behind the steps"}


class _Setting(NamedTuple):
    """What a curve shares."""

    mtbf_s: float
    write_s: float
    restart_s: float

    def at(self, interval_s: float, how: str) -> float:
        """Return the goodput at an interval."""
        behind = how == "behind"
        return asynchronous_goodput_share(
            interval_s=interval_s,
            stop_s=_COPY_S if behind else self.write_s,
            write_s=self.write_s if behind else 0.0,
            restart_s=self.restart_s,
            mtbf_s=self.mtbf_s,
        )

    def least_s(self, how: str) -> float:
        """Return the shortest interval that the storage keeps up with."""
        return max(60 * _LEAST_MIN, self.write_s - _COPY_S if how == "behind" else 0.0)

    def best_s(self, how: str) -> float:
        """Return the interval at which least is lost."""
        stop = _COPY_S if how == "behind" else self.write_s
        return max(self.least_s(how), exact_checkpoint_interval_s(checkpoint_s=stop, mtbf_s=self.mtbf_s))


@live_figure(
    title="What failures take",
    caption="Change the interval first, and then how it's written: why does the best interval get shorter? Then raise "
    "the number of GPUs: which part grows fastest? Each GPU, with what stands beside it, fails once in so "
    "many years. Written behind the steps, a checkpoint stops the run for 1 s (assumed), and the next one begins when "
    "the last is safe.",
    knobs=[
        Number("ranks", "GPUs R", 16_384, 8, 131_072, 2, "log"),
        Number("years", "A GPU fails once in, years", 5.78, 1, 40, 0.02, whole=False),
        Number("write_s", "Write takes, s", 57, 1, 1800, 1),
        Choice("how", "While it's written", {"waits": "training waits", "behind": "training goes on"}, "waits"),
        Number("restart_min", "Restart takes, min", 10, 0.5, 60, 0.5, whole=False),
        Number("interval_min", "Save every, min", 60, _LEAST_MIN, _MOST_MIN, 120**0.05, "log", whole=False),
    ],
    named=[
        Named(
            "The question",
            "Saved once an hour, with training waiting, 21.2% of the time is lost.",
            {"interval_min": 60},
        ),
        Named(
            "The best interval",
            "Every 18 minutes it's 14.5%, as little as a blocking checkpoint allows.",
            {"interval_min": 18},
        ),
        Named(
            "Behind the steps",
            "Written behind the steps every 2.5 minutes, 6.99% of the time is lost, most of it in restarts.",
            {"how": "behind", "interval_min": 2.5},
        ),
        Named(
            "The 70B on 256 GPUs",
            "A failure every 8.25 days: saved once an hour, 0.613% of the time is lost.",
            {"ranks": 256, "write_s": 10, "interval_min": 60},
        ),
    ],
    opens="The question",
)
def failures_figure(
    *, ranks: int, years: float, write_s: int, how: str, restart_min: float, interval_min: float
) -> Picture:
    """Draw what is lost at every interval, and where the time goes at one."""
    mtbf = cluster_mtbf_s(device_mtbf_s=years * _YEAR_S, devices=ranks)
    setting = _Setting(mtbf, float(write_s), 60 * restart_min)
    interval = max(60 * interval_min, setting.least_s(how))
    stop = _COPY_S if how == "behind" else float(write_s)
    goodput, best = setting.at(interval, how), setting.best_s(how)
    shares = {
        "work that counts": goodput,
        "stopped to save": goodput * stop / interval,
        "restarts": -math.expm1(-setting.restart_s / mtbf),
    }
    shares["work undone"] = max(0.0, 1.0 - sum(shares.values()))
    longer = ", the shortest that the storage keeps up with" if interval > 60 * interval_min * 1.0001 else ""
    least = 1 - setting.at(best, how)
    numbers = (
        f"A failure every {_time(mtbf)}. Saved every {_minutes(interval)}{longer}, {_percent(1 - goodput)} of the "
        f"time is lost: {_percent(shares['stopped to save'])} to save, {_percent(shares['work undone'])} of work "
        f"undone and {_percent(shares['restarts'])} of restarts. At best, every {_minutes(best)}, "
        f"it's {_percent(least)}."
    )
    alt = (
        f"First: the share of the time that is lost against the interval between checkpoints; it falls, is least at "
        f"{_minutes(best)} and rises again; a dot marks {_minutes(interval)} and {_percent(1 - goodput)}. Second: "
        "where the time goes: " + ", ".join(f"{name} {_percent(shares[name])}" for name in _PARTS) + "."
    )
    return Picture([_curves(setting, how, interval, best), _bar(shares)], numbers, alt)


def _time(seconds: float) -> str:
    """Write a time in years, days, hours or minutes."""
    for name, length in (("years", _YEAR_S), ("days", 86_400), ("h", 3600)):
        if seconds >= length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds / 60:.3g} min"


def _minutes(seconds: float) -> str:
    """Write an interval in hours or minutes."""
    return f"{seconds / 3600:.3g} h" if seconds >= 7200 else f"{seconds / 60:.3g} min"


def _percent(share: float) -> str:
    """Write a share in per cent."""
    return f"{100 * share:.3g}%" if share >= 1e-4 else "less than 0.01%"


def _curves(setting: _Setting, how: str, interval: float, best: float) -> Panel:
    """Draw both ways to write, the chosen one in full."""
    lost = 100 * (1 - setting.at(interval, how))
    floor = 100 * (1 - setting.at(best, how))
    other = "waits" if how == "behind" else "behind"
    others = 100 * (1 - setting.at(setting.best_s(other), other))
    least = 1.3 * max(floor, others, min(lost, 3 * floor))
    top = next((most for most in (1, 2, 5, 10, 20, 40, 60) if most >= least), 100)
    plot = Plot(
        Axis(_LEAST_MIN, _MOST_MIN, "log", "minutes of work between two checkpoints", ticks=(1, 10, 60, 600)),
        Axis(0, top),
        title="Time lost, %; dashed: " + _LAST[other],
        width_px=_WIDTH,
    )
    ratio = _MOST_MIN / _LEAST_MIN
    for way, dashed in ((other, True), (how, False)):
        minutes = [_LEAST_MIN * ratio ** (number / 60) for number in range(61)]
        points = [(m, 100 * (1 - setting.at(60 * m, way))) for m in minutes if 60 * m >= setting.least_s(way)]
        plot.curve(points, colour="muted" if dashed else "communication", width=1.2 if dashed else 2, dashed=dashed)
    if 60 * _LEAST_MIN <= best <= 60 * _MOST_MIN:
        x = plot.x(best / 60)
        plot.panel.line(x, plot.y(floor), x, plot.bottom, colour="ink", dashed=True)
        spots = beside(x, plot.bottom - 8, gap=5, left=x > plot.left + 190)
        plot.label(f"best: {_minutes(best)}", spots, size=12)
    plot.dots([(interval / 60, min(lost, float(top)))], colour="communication", radius=5)
    x, y = plot.x(interval / 60), plot.y(min(lost, top))
    above: Spot = min(max(x, plot.left + 24), _WIDTH - 40), y - 22, "middle"
    right: Spot = min(x + 9, _WIDTH - 60), y + 16, "start"
    left: Spot = max(x - 9, plot.left + 46), y + 16, "end"
    outside = right if interval > 1.2 * best else left if interval < best / 1.2 else above  # of the curve's valley
    plot.label(f"{lost:.3g}%", [outside, above, right, left], bold=True)
    return plot.panel


def _bar(shares: dict[str, float]) -> Panel:
    """Draw where the time goes as one bar, with a line for each part."""
    panel = Panel(_WIDTH, 176)
    panel.text(0, 14, "Where the time goes", bold=True)
    x = 2.0
    for name, hue in _PARTS.items():
        width = (_WIDTH - 4) * shares[name]
        panel.rectangle(x, 28, width, 34, colour=hue, strength=0.5)
        x += width
    for number, (name, hue) in enumerate(_PARTS.items()):
        y = 76.0 + 25 * number
        panel.rectangle(2, y, 14, 14, colour=hue, strength=0.5)
        panel.text(24, y + 7, name, middle=True)
        panel.text(_WIDTH - 4, y + 7, _percent(shares[name]).replace("less than ", "<"), anchor="end", middle=True)
    return panel
