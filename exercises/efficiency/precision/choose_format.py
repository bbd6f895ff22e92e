"""Exercise: which number format trains a model to the same loss soonest."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation, inputs_for

HAIR = 1.002
CHOICE, TIME = "choice", "time to the same loss"
VALID, KEPT = "a format's number", "the least, to 0.2%"
Format = tuple[float, float, float, float]


def choose_format(
    formats: list[tuple[float, float, float, float]],
    *,
    matmul_flops: float,
    bf16_flops_per_s: float,
    other_s: float,
) -> int:
    """Choose the format in which a model is trained to the same loss soonest.

    A step's matmuls run in the format, all but the share that is kept in
    BF16. Then comes everything else, as long in every format, and what the
    format's quantizing adds. A format that learns less from a token needs
    more tokens, and so more steps, for the same loss.

    Args:
        formats: for each the FLOP a second that its matmuls reach, the share
            of the matmuls' FLOPs that is kept in BF16, the seconds that
            quantizing adds to a step, and the share of tokens that it needs
            beyond those of BF16.
        matmul_flops: the FLOPs of a step's matmuls on one GPU.
        bf16_flops_per_s: FLOP a second that matmuls reach in BF16.
        other_s: seconds of a step for everything else.

    Returns:
        The number of the format, from 0. Any whose time is within 0.2% of
        the least passes.

    >>> choose_format([(2.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.1, 0.0)],
    ...               matmul_flops=4.0, bf16_flops_per_s=1.0, other_s=1.0)
    1
    """
    times = []
    for rate, kept, added_s, more in formats:
        matmuls_s = matmul_flops * ((1 - kept) / rate + kept / bf16_flops_per_s)
        times.append((matmuls_s + other_s + added_s) * (1 + more))
    return times.index(min(times))


def clocked_s(offer: Format, *, matmul_flops: float, bf16_flops_per_s: float, other_s: float) -> float:
    """Run the steps of a thousand BF16 steps' tokens, part by part, and look at the clock."""
    rate, kept, added_s, more = offer
    narrow = matmul_flops - kept * matmul_flops
    one = sum([narrow / rate, (matmul_flops - narrow) / bf16_flops_per_s, other_s, added_s])
    whole, rest = divmod(1000 * (1 + more), 1)
    return sum(one for _ in range(int(whole))) + rest * one


def least_s(formats: list[Format], **run: float) -> float:
    """Return the least time of all formats."""
    return min(clocked_s(offer, **run) for offer in formats)


def observe(function: Callable[..., Any], *, formats: list[Format], **run: float) -> Observation:
    """Say of a choice how much longer it takes than the best one."""
    number = function(formats=formats, **run)
    if number != int(number) or not 0 <= number < len(formats):
        return {CHOICE: f"format {number}, of {len(formats)} formats that are counted from 0"}
    seconds, least = clocked_s(formats[int(number)], **run), least_s(formats, **run)
    if seconds <= HAIR * least:
        return {CHOICE: VALID, TIME: KEPT}
    return {CHOICE: VALID, TIME: f"{seconds / least:.4g} times the least, with format {int(number)}"}


run_of = inputs_for(choose_format)
BF16: Format = (1.8e15, 0.0, 0.0, 0.0)
FP8: Format = (3.6e15, 0.0, 0.0, 0.0)
MXFP8: Format = (3.6e15, 0.0, 3.0, 0.0)
NVFP4: Format = (6.1e15, 0.15, 3.0, 0.08)
BARE_FP4: Format = (6.1e15, 0.0, 3.0, 0.60)
ALL = [BF16, FP8, MXFP8, NVFP4, BARE_FP4]
OWN = run_of(ALL, 1.185e17, 1.8e15, 29.1)
LEAN = run_of(ALL, 1.185e17, 1.8e15, 5.0)
EIGHT: Format = (3.36e15, 0.0, 0.0, 0.0)
FOUR: Format = (6.11e15, 0.03, 0.5, 0.08)


def taught() -> str:
    run = {name: value for name, value in OWN.items() if name != "formats"}
    times = [clocked_s(offer, **run) for offer in OWN["formats"]]
    best = choose_format(**OWN)
    step = clocked_s((*NVFP4[:3], 0.0), **run)
    lean = {name: value for name, value in LEAN.items() if name != "formats"}
    return (
        f"Format {best}, FP8. NVFP4's step is {100 * (times[1] / step - 1):.0f}% faster, but with 8% more tokens its "
        f"run takes {100 * (times[3] / times[1] - 1):.0f}% longer. If everything else took 5 s, it would be "
        f"{100 * (clocked_s(FP8, **lean) / clocked_s(NVFP4, **lean) - 1):.0f}% faster."
    )


INPUTS: list[Inputs] = [
    LEAN,
    run_of([EIGHT, FOUR], 1.18e17, 1.68e15, 18.7),
    run_of([FOUR, EIGHT], 1.18e17, 1.68e15, 18.7),
    run_of([EIGHT, FOUR], 1.18e17, 1.68e15, 400.0),
    run_of([EIGHT, (6.11e15, 0.03, 0.5, 0.27)], 1.18e17, 1.68e15, 18.7),
    run_of([EIGHT, (6.11e15, 0.03, 0.5, 0.22)], 1.18e17, 1.68e15, 18.7),
    run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.0, 1.1, 0.0)], 4.0, 1.0, 1.0),
    run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.9, 0.0)], 4.0, 1.0, 1.0),
    run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.30, 0.0, 0.0)], 4.0, 1.0, 0.0),
    run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.36, 0.0, 0.0)], 4.0, 1.0, 0.0),
    run_of([(4.0, 0.36, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)], 4.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.25)], 4.0, 1.0, 4.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.40)], 4.0, 1.0, 4.0),
    run_of([(2.0, 0.0, 0.2, 0.0), (1.0, 0.0, 0.0, 0.0), (4.0, 0.5, 0.5, 0.02)], 2.0, 1.0, 1.0),
    run_of([(8.0, 0.2, 0.0, 0.10), (4.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)], 8.0, 1.0, 0.5),
    run_of([(8.0, 0.05, 0.0, 0.10), (4.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)], 8.0, 1.0, 0.5),
    run_of([(8.0, 0.05, 0.0, 0.10), (4.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)], 8.0, 1.0, 9.0),
    run_of([(3.0, 0.0, 0.3, 0.0), (3.0, 0.0, 0.0, 0.05)], 6.0, 1.5, 1.0),
    run_of([(3.0, 0.0, 0.3, 0.0), (3.0, 0.0, 0.0, 0.12)], 6.0, 1.5, 1.0),
    run_of([(1.0, 1.0, 0.0, 0.0), (4.0, 0.9, 0.0, 0.10)], 4.0, 1.0, 1.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 1.9, 0.04)], 4.0, 1.0, 1.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.5), (1.5, 0.0, 0.0, 0.05)], 10.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (1.5, 0.0, 0.0, 0.05), (2.0, 0.0, 0.0, 0.5)], 10.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 4.0, 0.13)], 10.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (2.0, 0.2, 4.1, 0.0)], 10.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.0), (1.007, 0.0, 0.0, 0.0)], 10.0, 1.0, 0.0),
    run_of([(1.007, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)], 10.0, 1.0, 0.0),
    run_of([(1.0, 0.0, 0.0, 0.2), (1.0, 0.0, 0.0, 0.3), (1.1, 0.0, 0.0, 0.3), (1.2, 0.0, 0.0, 0.0)], 10.0, 1.0, 2.0),
    run_of([(1.0, 0.0, 0.0, 0.4), (2.0, 0.0, 0.0, 1.0)], 10.0, 1.0, 0.0),
]


def drawn(chance: Random) -> list[Inputs]:
    """Return the same runs on other clocks and of other sizes: neither changes which format is best."""
    found = []
    for given in INPUTS:
        clock, size = chance.uniform(0.3, 3.0), chance.uniform(0.3, 3.0)
        formats = [(rate * size / clock, kept, clock * added, more) for rate, kept, added, more in given["formats"]]
        found.append(
            run_of(
                formats,
                size * given["matmul_flops"],
                size / clock * given["bf16_flops_per_s"],
                clock * given["other_s"],
            )
        )
    return found


EXERCISE = Exercise(
    choose_format,
    number=5,
    level="medium",
    asked="the format in which a model is trained to the same loss soonest",
    expected=lambda **_: {CHOICE: VALID, TIME: KEPT},
    observe=observe,
    examples=[
        run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.1, 0.0)], 4.0, 1.0, 1.0),
        run_of([(2.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.0, 0.5)], 4.0, 1.0, 1.0),
        LEAN,
        OWN,
    ],
    inputs=INPUTS,
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_fastest_matmuls",
            "You took the format whose matmuls are fastest. They are a part of the step.",
            {"return times.index(min(times))": "return max(range(len(formats)), key=lambda i: formats[i][0])"},
        ),
        Mistake(
            "takes_the_fastest_step",
            "You took the fastest step. A format that needs more tokens takes more steps to the same loss.",
            {" * (1 + more)": ""},
        ),
        Mistake(
            "forgets_everything_else",
            "You left out everything else, or its extra steps. It takes as long in all formats, and every step has it.",
            {"matmuls_s + other_s + added_s": "matmuls_s + added_s"},
        ),
        Mistake(
            "forgets_what_is_kept",
            "You let all matmuls run in the format. Those that are kept in BF16 run at BF16's rate.",
            {"((1 - kept) / rate + kept / bf16_flops_per_s)": "(1 / rate)"},
        ),
        Mistake(
            "drops_what_is_kept",
            "You left out the matmuls that are kept in BF16. They take time too.",
            {"((1 - kept) / rate + kept / bf16_flops_per_s)": "((1 - kept) / rate)"},
        ),
        Mistake(
            "averages_the_rates",
            "You averaged the two rates. Times add up, rates don't.",
            {
                "((1 - kept) / rate + kept / bf16_flops_per_s)": "(1 / ((1 - kept) * rate + kept * bf16_flops_per_s))",
            },
        ),
        Mistake(
            "forgets_quantizing",
            "You left out what quantizing adds to a step.",
            {"matmuls_s + other_s + added_s": "matmuls_s + other_s"},
        ),
        Mistake(
            "adds_the_tokens_to_the_matmuls",
            "You let the matmuls alone run for the extra tokens. Every extra step is a whole one.",
            {"(matmuls_s + other_s + added_s) * (1 + more)": "matmuls_s * (1 + more) + other_s + added_s"},
        ),
        Mistake(
            "divides_by_the_tokens",
            "You divided by the tokens. A format that needs more of them takes more steps, not fewer.",
            {" * (1 + more)": " / (1 + more)"},
        ),
        Mistake(
            "quantizes_once",
            "You left quantizing out of the extra steps. Each of them quantizes too.",
            {"(matmuls_s + other_s + added_s) * (1 + more)": "(matmuls_s + other_s) * (1 + more) + added_s"},
        ),
        Mistake(
            "keeps_the_first",
            "You kept the first format.",
            {"return times.index(min(times))": "return 0"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the formats from 1. They are counted from 0.",
            {"return times.index(min(times))": "return times.index(min(times)) + 1"},
        ),
    ],
)
