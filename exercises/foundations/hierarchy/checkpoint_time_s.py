"""Exercise: how long a checkpoint takes over a path whose links are shared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake


def checkpoint_time_s(
    *,
    size_bytes: float,
    writers: int,
    stages: Sequence[tuple[int, float]],
) -> float:
    """Return how long writers take to move a checkpoint through some stages.

    The writers hold equal parts, begin together, and all work at once. At a
    stage there are several equal links. Each writer uses one link of every
    stage; they are spread over the links as evenly as can be. The stages work
    at the same time, on one piece after the other, so that the slowest decides.

    Args:
        size_bytes: bytes of the whole checkpoint.
        writers: how many write.
        stages: for each stage how many links it has, and bytes a second
            of one link, one direction.

    Returns:
        Seconds until the last writer is done. Latency is left out.

    >>> checkpoint_time_s(
    ...     size_bytes=12.0, writers=3, stages=[(3, 4.0), (2, 2.0)]
    ... )
    4.0
    """
    part = size_bytes / writers
    return max(math.ceil(writers / links) * part / rate for links, rate in stages)


def dealt(*, size_bytes: float, writers: int, stages: Sequence[tuple[int, float]]) -> float:
    """Deal the writers to the links in turn, count the bytes on each, and wait for the slowest link."""
    slowest = Fraction(0)
    for links, rate in stages:
        carried: Counter[int] = Counter()
        for writer in range(writers):
            carried[writer % links] += 1
        slowest = max(slowest, max(carried.values()) * Fraction(size_bytes) / writers / Fraction(rate))
    return float(slowest)


def job(size_bytes: float, writers: int, *stages: tuple[int, float]) -> Inputs:
    return {"size_bytes": float(size_bytes), "writers": writers, "stages": list(stages)}


SHARE = "math.ceil(writers / links) * part / rate"


def taught() -> str:
    stages = ((8, 63e9), (4, 3.5e9), (8, 50e9))
    whole, ports = (checkpoint_time_s(**job(420e9, 8, *some)) for some in (stages, stages[-1:]))
    return (
        f"It takes {whole:.0f} s, because each drive has two writers. The ports alone would be done in {ports:.2f} s: "
        "only more or faster drives would help."
    )


EXERCISE = Exercise(
    checkpoint_time_s,
    number=3,
    asked="the seconds until the slowest link of the slowest stage has carried its writers' parts",
    expected=dealt,
    examples=[
        job(12, 3, (3, 4.0), (2, 2.0)),
        job(8, 1, (4, 2.0)),
        job(8, 4, (4, 2.0), (1, 100.0)),
        job(70, 7, (5, 1.0)),
        job(24, 8, (8, 1.0), (3, 1.0), (16, 2.0)),
        job(600, 100, (64, 2.0), (3, 50.0)),
        job(420e9, 8, (8, 63e9), (4, 3.5e9), (8, 50e9)),
    ],
    inputs=lambda st: {
        "size_bytes": st.integers(1, 1000).map(float),
        "writers": st.integers(1, 12),
        "stages": st.lists(
            st.tuples(st.integers(1, 16), st.sampled_from([1.0, 2.0, 3.0, 5.0])), min_size=1, max_size=4
        ),
    },
    units={"result": "s"},
    taught=taught,
    mistakes=[
        Mistake(
            "adds_the_stages",
            "The stages work at the same time, each on another piece: the slowest decides, not the sum.",
            {f"max({SHARE} for": f"sum({SHARE} for"},
        ),
        Mistake(
            "adds_the_links_up",
            "A writer uses one link: seven writers on five links fill two of them twice, and spare links idle.",
            {SHARE: "size_bytes / (links * rate)"},
        ),
        Mistake(
            "spreads_a_fraction_of_a_writer",
            "Where the writers do not divide evenly, one link has one more of them: round writers over links up.",
            {"math.ceil(writers / links)": "max(1, writers / links)"},
        ),
        Mistake(
            "rounds_down",
            "The fullest link decides, and it has the quotient rounded up.",
            {"math.ceil(writers / links)": "max(1, writers // links)"},
        ),
        Mistake(
            "always_adds_one",
            "Where the writers divide evenly, no link has one more than the others: round up, do not add one.",
            {"math.ceil(writers / links)": "(writers // links + 1)"},
        ),
        Mistake(
            "looks_at_the_slowest_links_stage",
            "The stage of the slowest single link need not decide: another may have fewer links, which are shared.",
            lambda size_bytes, writers, stages: max(
                math.ceil(writers / links) * size_bytes / writers / rate
                for links, rate in [min(stages, key=lambda stage: stage[1])]
            ),
        ),
        Mistake(
            "looks_at_the_stage_with_the_smallest_sum",
            "Compare what the fullest link leaves for a writer, not what all links of a stage carry together.",
            lambda size_bytes, writers, stages: max(
                math.ceil(writers / links) * size_bytes / writers / rate
                for links, rate in [min(stages, key=lambda stage: stage[0] * stage[1])]
            ),
        ),
        Mistake(
            "gives_each_a_link",
            "Where a stage has fewer links than writers, they share: a link then carries several parts.",
            {"math.ceil(writers / links) * ": ""},
        ),
    ],
)
