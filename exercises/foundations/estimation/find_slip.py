"""Exercise: the wrong line of an estimate, and the total without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, parts


def find_slip(
    lines: Sequence[float],
    *,
    parameters: float,
    tokens: float,
    devices: int,
    flops_per_s: float,
    batch_tokens: float,
    link_bits_per_s: float,
) -> tuple[int, float]:
    """Return which line of an estimate is wrong, and the days without the slip.

    Each line is computed from what is given and from the lines above it, as
    they are printed, and is printed with three digits:

    1. model state of a device, GB: 16 bytes a parameter;
    2. operations of the run: 6 for each parameter and token;
    3. seconds of arithmetic, shared evenly by all devices;
    4. steps of the run, not rounded to whole ones;
    5. seconds of communication a step: 4 bytes a parameter over a link;
    6. days of the run, in which nothing is hidden: 3, and 5 for each step.

    One line is wrong. The lines below it go on from its number.

    Args:
        lines: the six numbers.
        parameters: of the model; each device holds all of it.
        tokens: of the run.
        devices: accelerators.
        flops_per_s: what one achieves.
        batch_tokens: tokens of a step, on all devices together.
        link_bits_per_s: of a device's link, one direction.

    Returns:
        The number of the wrong line, 1 to 6, and the right days, to 1%.

    >>> line, days = find_slip(
    ...     [16.0, 2e18, 200.0, 100.0, 0.32, 0.00269], parameters=1e9,
    ...     tokens=1e9, devices=10, flops_per_s=1e15, batch_tokens=1e7,
    ...     link_bits_per_s=1e11)
    >>> line, round(days, 5)
    (2, 0.00731)
    """
    right = [16 * parameters / 1e9, 6 * parameters * tokens]
    right.append(right[1] / devices / flops_per_s)
    right.append(tokens / batch_tokens)
    right.append(4 * parameters / (link_bits_per_s / 8))
    right.append((right[2] + right[3] * right[4]) / 86400)
    off = [abs(line / true - 1) > 0.03 for line, true in zip(lines, right, strict=True)]
    return off.index(True) + 1, right[5]


Given = Mapping[str, float]
Line = Callable[[Given, Sequence[float]], float]

# How each line is computed from what is given and from the lines above it.
RIGHT: list[Line] = [
    lambda g, _: 16 * g["parameters"] / 1e9,
    lambda g, _: 6 * g["parameters"] * g["tokens"],
    lambda g, above: above[1] / (g["devices"] * g["flops_per_s"]),
    lambda g, _: g["tokens"] / g["batch_tokens"],
    lambda g, _: 32 * g["parameters"] / g["link_bits_per_s"],
    lambda _, above: (above[2] + above[3] * above[4]) / 86400,
]
SLIPS: dict[str, tuple[int, Line]] = {
    "GiB": (1, lambda g, _: 16 * g["parameters"] / 2**30),
    "no gradients": (1, lambda g, _: 14 * g["parameters"] / 1e9),
    "no master copy": (1, lambda g, _: 12 * g["parameters"] / 1e9),
    "forward only": (2, lambda g, _: 2 * g["parameters"] * g["tokens"]),
    "forward twice": (2, lambda g, _: 8 * g["parameters"] * g["tokens"]),
    "sparse peak": (3, lambda g, above: above[1] / (g["devices"] * 2 * g["flops_per_s"])),
    "one device": (3, lambda g, above: above[1] / g["flops_per_s"]),
    "batch of one device": (4, lambda g, _: g["tokens"] / (g["batch_tokens"] * g["devices"])),
    "bits for bytes": (5, lambda g, _: 4 * g["parameters"] / g["link_bits_per_s"]),
    "both directions": (5, lambda g, _: 16 * g["parameters"] / g["link_bits_per_s"]),
    "fp32 gradients": (5, lambda g, _: 64 * g["parameters"] / g["link_bits_per_s"]),
    "no communication": (6, lambda _, above: above[2] / 86400),
    "hours": (6, lambda _, above: (above[2] + above[3] * above[4]) / 3600),
}


def estimate(given: Given, slip: str) -> list[float]:
    """Write the six lines with one slip, each rounded to three digits before the next uses it."""
    wrong, instead = SLIPS[slip]
    lines: list[float] = []
    for number, line in enumerate(RIGHT, start=1):
        value = (instead if number == wrong else line)(given, lines)
        lines.append(float(f"{value:.3g}"))
    return lines


def found(lines: Sequence[float], **given: float) -> Observation:
    """Make every slip anew until one gives the lines; the days are two times of the book's formulas, added."""
    (line,) = {SLIPS[slip][0] for slip in SLIPS if estimate(given, slip) == list(lines)}
    seconds = given["parameters"] * given["tokens"] * 6 / given["flops_per_s"] / given["devices"]
    seconds += 4 * given["parameters"] * 8 / given["link_bits_per_s"] * given["tokens"] / given["batch_tokens"]
    return {LINE: line, DAYS: seconds / 86400}


LINE, DAYS = "wrong line", "days without the slip"


def case(slip: str, *given: float) -> Inputs:
    names = ("parameters", "tokens", "devices", "flops_per_s", "batch_tokens", "link_bits_per_s")
    values: dict[str, Any] = dict(zip(names, given, strict=True))
    return {"lines": estimate(values, slip), **values}


SMALL = (1e9, 1e9, 10, 1e15, 1e7, 1e11)
OWN = (1.5e9, 100e9, 64, 150e12, 0.5e6, 200e9)
RUNS = (
    (1.3e9, 26e9, 16, 120e12, 1e6, 100e9),
    (2.7e9, 300e9, 128, 400e12, 2e6, 400e9),
    (0.35e9, 7e9, 8, 55e12, 0.25e6, 50e9),
    (1e6, 21e6, 2, 20e12, 2e6, 1e9),
    OWN,
)


def taught() -> str:
    own = case("bits for bytes", *OWN)
    line, days = find_slip(**own)
    right_s, said_s, said_days = (
        32 * own["parameters"] / own["link_bits_per_s"],
        own["lines"][line - 1],
        own["lines"][-1],
    )
    return (
        f"It is line {line}: {4 * own['parameters'] / 1e9:.0f} GB over {own['link_bits_per_s'] / 8e9:.0f} GB/s take "
        f"{right_s:.2f} s, and {said_s:g} took bits for bytes. The run takes {days:.2f} days, not {said_days:g}: a "
        f"line that is {right_s / said_s:.0f} times too small makes the days only {1 - said_days / days:.0%} fewer."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return each slip in three estimates in which it changes its line by more than a twentieth.

    The last of them is of a short run that ends in the middle of a step.
    """
    found = []
    for slip, (wrong, _) in SLIPS.items():
        several: list[Inputs] = []
        while len(several) < 3:
            batch_tokens, devices = chance.choice((1e6, 2e6, 4e6)), 2 ** chance.randint(1, 9)
            tokens = chance.randint(10, 400) * 1e9 if len(several) < 2 else (chance.randint(4, 12) + 0.5) * batch_tokens
            rates = chance.randint(20, 500) * 1e12, batch_tokens, chance.choice((2e9, 1e10, 1e11))
            one = case(slip, chance.randint(5, 90) * 1e8, tokens, devices, *rates)
            true = RIGHT[wrong - 1](one, one["lines"])
            if abs(one["lines"][wrong - 1] / true - 1) > 0.05:
                several.append(one)
        found += several
    return found


EXERCISE = Exercise(
    find_slip,
    number=3,
    asked="the line of an estimate that is wrong, and the days without the slip",
    expected=found,
    observe=parts(LINE, DAYS),
    examples=[case("forward only", *SMALL), case("no communication", *RUNS[0]), case("bits for bytes", *OWN)],
    inputs=[case(slip, *run) for run in RUNS for slip in SLIPS],
    drawn=drawn,
    relative_tolerance=0.01,
    units={DAYS: "days"},
    taught=taught,
    mistakes=[
        Mistake(
            "counts_from_zero",
            "You count the lines from 0; the first one has the number 1.",
            {"off.index(True) + 1": "off.index(True)"},
        ),
        Mistake(
            "keeps_the_total",
            "These are the days of the estimate as it stands: the slip is still in them.",
            {"right[5]": "lines[5]"},
        ),
        Mistake(
            "adds_up_anew",
            "You added up the printed lines anew. Those below the slip go on from its number, so they are wrong too.",
            {"right[5]": "(lines[2] + lines[3] * lines[4]) / 86400"},
        ),
        Mistake(
            "blames_the_last",
            "You name the last line that is off. It is only the first one's heir: look for the first.",
            {"off.index(True) + 1": "6 - off[::-1].index(True)"},
        ),
        Mistake(
            "wants_equal_numbers",
            "The lines are printed with three digits, so a right one differs from yours a little too.",
            {"abs(line / true - 1) > 0.03": "line != true"},
        ),
        Mistake(
            "lets_ten_per_cent_pass",
            "You let a tenth pass. A GiB is 7% more than a GB: three digits allow a far narrower check.",
            {"> 0.03": "> 0.1", "off.index(True) + 1": "(off.index(True) if any(off) else 5) + 1"},
        ),
        Mistake(
            "converts_nothing",
            "A link's rate is in bits a second and the message in bytes: divide the rate by 8.",
            {"(link_bits_per_s / 8)": "link_bits_per_s"},
        ),
        Mistake(
            "rounds_the_steps_up",
            "You rounded the steps up. The estimate keeps the fraction: 10.5 steps are right.",
            {
                "tokens / batch_tokens": "float(-(-tokens // batch_tokens))",
                "off.index(True) + 1": "(off.index(True) if any(off) else 5) + 1",
            },
        ),
        Mistake(
            "turns_the_order_around",
            "The number of the line comes first, then the days.",
            {"return off.index(True) + 1, right[5]": "return right[5], off.index(True) + 1  # type: ignore"},
        ),
        Mistake(
            "always_the_second",
            "This is right for one input only: compute the lines from what is given.",
            lambda lines, **_: (2, 0.0073148148),
        ),
    ],
)
