"""Drawings: the live figure of chapter 31: a step on one fleet, or on a fleet of which a part only generates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snippets.drawing import Panel
from snippets.efficiency.local_sgd.formulas import even_split_floor_s, two_fleet_step_s, two_phase_step_s
from snippets.live.axes import Axis, Plot
from snippets.live.declaring import Named, Picture, live_figure
from snippets.live.knobs import Number

_WIDTH = 328


class _Job(NamedTuple):
    """What a step needs, and on how many GPUs."""

    generation_fixed_s: float
    generation_gpu_s: float
    training_fixed_s: float
    training_gpu_s: float
    gpus: int

    def _needs(self) -> dict[str, float]:
        """Return all but the fleet."""
        return {name: value for name, value in self._asdict().items() if name != "gpus"}

    def phases(self, generating: int, training: int) -> tuple[float, float]:
        """Return what generation and training take, each on its own GPUs."""
        return (
            self.generation_fixed_s + self.generation_gpu_s / generating,
            self.training_fixed_s + self.training_gpu_s / training,
        )

    def together(self) -> float:
        """Return what a step takes in turn."""
        return two_phase_step_s(**self._needs(), devices=self.gpus)

    def split(self, generating: int) -> float:
        """Return what a step takes with so many GPUs that only generate."""
        return two_fleet_step_s(**self._needs(), generating_devices=generating, training_devices=self.gpus - generating)

    def halves_floor(self) -> float | None:
        """Return the least that an even split takes, from half of the fleet; nothing for an odd fleet."""
        if self.gpus % 2:
            return None
        return even_split_floor_s(half_fleet_step_s=two_phase_step_s(**self._needs(), devices=self.gpus // 2))


_B = {"gpus": 16, "replica": 1, "least": 4, "tail_s": 55, "generation_gpu_s": 250, "fixed_s": 0, "training_gpu_s": 2400}
_70B = {"gpus": 256, "replica": 8, "least": 8, "tail_s": 106, "generation_gpu_s": 2130, "fixed_s": 0}


@live_figure(
    title="Split the fleet?",
    caption="Change the share that generates: where do the two sides cross? Then take both fixed parts away: "
    "can any split still win? A fixed part is what more GPUs don't shorten; what divides is given in GPU-seconds. "
    "Fleet A's rows give sums, so that its two sides are alike is assumed here. The 70B's "
    "presets differ in the share of the peak that training reaches. Left out: moving the weights, and answers that "
    "queue for memory.",
    knobs=[
        Number("gpus", "GPUs R", 512, 2, 4096, 2, "log"),
        Number("tail_s", "Generation, fixed, s", 44, 0, 600, 1),
        Number("generation_gpu_s", "Generation, divides, GPU-s", 5880, 10, 20_000, 10),
        Number("fixed_s", "Training, fixed, s", 44, 0, 600, 1),
        Number("training_gpu_s", "Training, divides, GPU-s", 5880, 20, 36_000, 20),
        Number("replica", "GPUs of a generating replica", 32, 1, 64, 1),
        Number("least", "Minimum GPUs that fit", 32, 1, 512, 2, "log"),
        Number("percent", "GPUs that generate, %", 50, 1, 99, 1),
    ],
    named=[
        Named(
            "Fleet A, in halves",
            "Neither side waits: 67 s in place of 111 s.",
            {"percent": 50},
        ),
        Named(
            "Fleet B, in halves",
            "Training is twice as much work as its half can do in time: 300 s in place of 221 s.",
            _B | {"percent": 50},
        ),
        Named(
            "Fleet B, 4 and 12",
            "200 s, 9% less. On two or three, answers would have to queue for memory, so we ask for four.",
            _B | {"percent": 25},
        ),
        Named(
            "The 70B on 256 GPUs",
            "In halves, with training at 40% of the peak: 123 s in place of 144 s.",
            _70B | {"training_gpu_s": 7480, "percent": 50},
        ),
        Named(
            "The same, training at 9.7%",
            "Halves just lose, 241 s in place of 235 s. One GPU in five should generate.",
            _70B | {"training_gpu_s": 30_840, "percent": 50},
        ),
    ],
    opens="Fleet A, in halves",
)
def fleet_figure(
    *,
    gpus: int,
    tail_s: int,
    generation_gpu_s: int,
    fixed_s: int,
    training_gpu_s: int,
    replica: int,
    least: int,
    percent: int,
) -> Picture:
    """Draw a step against the share of the GPUs that only generate, and both ways on one clock."""
    job = _Job(float(tail_s), float(generation_gpu_s), float(fixed_s), float(training_gpu_s), gpus)
    generating = min(max(1, round(gpus * percent / 100)), gpus - 1)
    together, split = job.together(), job.split(generating)
    generate, train = job.phases(generating, gpus - generating)
    waits = 1 - min(generate, train) / split
    side = "generate" if generate < train else "train"
    best = _best(job, replica, least)
    change = f"{abs(1 - split / together):.0%} {'less' if split < together else 'more'}"
    idle = f"the GPUs that {side} wait for {waits:.0%} of it" if waits >= 0.005 else "nobody waits"
    numbers = (
        f"In turn on {gpus:,} GPUs, a step takes {_time(together)}. With {generating:,} that generate and "
        f"{gpus - generating:,} that train, it's {_time(split)}, {change}; {idle}. "
    )
    if best is None:
        numbers += f"No split has {least:,} that generate in whole replicas of {replica}."
    else:
        numbers += f"The best split that fits in memory, {best:,} generating, takes {_time(job.split(best))}."
    if abs(split / together - 1) < 0.005:
        numbers = numbers.replace(f", {change};", ", the same;")
    floor = job.halves_floor()
    if floor is not None:
        numbers += f" In this model an even split can't be faster than {_time(floor)}."
    alt = (
        f"First: time of a step against the share of GPUs that generate: generation falls, training rises, the slower "
        f"of them is the step; a dot at {percent}% and {_time(split)}; a dashed line for all in turn at "
        f"{_time(together)}. Second: two bars on one time axis: in turn, generation and then training; split, "
        f"{_time(generate)} of generation above {_time(train)} of training."
    )
    return Picture(
        [_curves(job, 100 * generating / gpus, split, together), _clock(job, generating, together, split)],
        numbers,
        alt,
    )


def _best(job: _Job, replica: int, least: int) -> int | None:
    """Return the best number of GPUs that generate: where generation has fallen to what training has risen to.

    Only whole replicas count, of which at least so many GPUs have the memory; nothing if there's no such number.
    """
    numbers = range(replica * -(-least // replica), job.gpus, replica)
    if not numbers:
        return None
    low, high = 0, len(numbers) - 1
    while low < high:
        middle = (low + high) // 2
        generate, train = job.phases(numbers[middle], job.gpus - numbers[middle])
        low, high = (low, middle) if generate <= train else (middle + 1, high)
    return min((numbers[place] for place in (low - 1, low) if place >= 0), key=job.split)


def _time(seconds: float) -> str:
    """Write a time in seconds or minutes."""
    return f"{seconds / 60:.3g} min" if seconds >= 1000 else f"{seconds:.3g} s"


def _curves(job: _Job, percent: float, split: float, together: float) -> Panel:
    """Draw both sides against the share of the GPUs that generate."""
    top = 2.2 * max(together, min(split, 2 * together) * 0.9)
    plot = Plot(
        Axis(0, 100, label="% of the GPUs that generate", ticks=(0, 25, 50, 75, 100)),
        Axis(0, _round_up(top)),
        title="A step, s; dashed: in turn",
        width_px=_WIDTH,
    )
    sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for hundredth in range(1, 100):
        share = hundredth / 100
        sides[0].append((100 * share, job.generation_fixed_s + job.generation_gpu_s / (share * job.gpus)))
        sides[1].append((100 * share, job.training_fixed_s + job.training_gpu_s / ((1 - share) * job.gpus)))
    plot.curve([(0, together), (100, together)], colour="muted", dashed=True, width=1.5)
    plot.curve(sides[0], colour="forward")
    plot.curve(sides[1], colour="backward")
    shown = min(split, plot.up.high)
    plot.dots([(percent, shown)], colour="communication", radius=5)
    x = min(max(plot.x(percent), plot.left + 30), plot.right - 30)
    y = plot.y(shown) + 22 if split < together else max(plot.y(shown) - 12, plot.top + 12)
    plot.panel.text(x, y, _time(split), anchor="middle", bold=True)
    lines = [*sides, [(0.0, together), (100.0, together)]]
    for words, start, hue in (("generation falls", 2, "forward"), ("training rises", 64, "backward")):
        taken = y if start - 12 <= percent <= start + 46 else -100.0  # the dot's label, where it can overlap
        plot.panel.text(plot.x(start), _freest(plot, lines, start, taken), words, colour=hue, size=12, bold=True)
    return plot.panel


def _freest(plot: Plot, lines: Iterable[Sequence[tuple[float, float]]], start: float, taken: float) -> float:
    """Return the baseline of a word that is farthest from all lines over its width, and off the one that's taken."""
    heights = [
        plot.y(min(max(value, plot.up.low), plot.up.high))
        for line in lines
        for at, value in line
        if start <= at <= start + 34 or len(line) == 2
    ]
    baselines = (plot.bottom - 8, plot.top + 14, plot.top + 0.7 * (plot.bottom - plot.top))
    return max(
        (baseline for baseline in baselines if abs(baseline - taken) > 18),
        key=lambda baseline: min(abs(height - (baseline - 4)) for height in heights),
    )


def _round_up(value: float) -> float:
    """Return a round number at least as large."""
    size = 1.0
    while size * 10 < value:
        size *= 10
    while size > value:
        size /= 10
    return next(step * size for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * size >= value * (1 - 1e-12))


def _clock(job: _Job, generating: int, together: float, split: float) -> Panel:
    """Draw a step both ways on one time axis."""
    panel = Panel(_WIDTH, 226)
    until = max(together, split)
    left, scale = 2.0, (_WIDTH - 6.0) / until
    panel.text(0, 14, "One step, on one clock", bold=True)
    generate, train = job.phases(job.gpus, job.gpus)
    panel.text(left, 36, f"in turn, all {job.gpus:,}: {_time(together)}", size=12.5)
    for start, length, hue, strength in ((0.0, generate, "forward", 0.35), (generate, train, "backward", 0.75)):
        panel.rectangle(left + start * scale, 44, length * scale, 34, colour=hue, strength=strength)
    panel.text(left, 104, f"split, {generating:,} and {job.gpus - generating:,}: {_time(split)}", size=12.5)
    sides = job.phases(generating, job.gpus - generating)
    for number, (length, hue, strength) in enumerate(zip(sides, ("forward", "backward"), (0.35, 0.75), strict=True)):
        y = 112.0 + 22 * number
        panel.rectangle(left, y, length * scale, 19, colour=hue, strength=strength)
        if split - length > 1e-9 * split:
            panel.rectangle(left + length * scale, y, (split - length) * scale, 19, colour="idle", strength=0.3)
    for number, (name, hue, strength) in enumerate(
        (("generate", "forward", 0.35), ("train", "backward", 0.75), ("wait", "idle", 0.3))
    ):
        x = 2.0 + 108 * number
        panel.rectangle(x, 186, 14, 14, colour=hue, strength=strength)
        panel.text(x + 21, 193, name, middle=True, size=12.5)
    return panel
