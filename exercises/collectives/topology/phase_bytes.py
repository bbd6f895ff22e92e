"""Exercise: what a rank sends in each phase of an all-reduce by dimensions."""

from __future__ import annotations

import math
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.collectives.topology.formulas import dimension_schedule


def phase_bytes(
    *,
    sides: list[int],
    size_bytes: int,
) -> list[float]:
    """Return what a rank sends along each dimension of a grid of ranks.

    An all-reduce by dimensions reduce-scatters along the first dimension, then
    along the second what is left, and so on; then it all-gathers in the
    opposite order, until every rank has the whole sum. All phases are rings.
    Chunks are even, and may be fractions of a byte.

    Args:
        sides: ranks along each dimension, in the order in which they are
            reduced. [8, 64] are 64 nodes of 8 GPUs.
        size_bytes: the vector that every rank brings.

    Returns:
        For each dimension the bytes that one rank sends in both of its phases
        together, the reduce-scatter and the all-gather.

    >>> phase_bytes(sides=[2, 2], size_bytes=800)
    [800.0, 400.0]
    """
    sent = []
    left = float(size_bytes)
    for side in sides:
        sent.append(2 * (side - 1) / side * left)
        left /= side
    return sent


def counted(*, sides: list[int], size_bytes: int) -> list[float]:
    """Count the messages of the schedule, whose steps go through the dimensions and back."""
    unit = math.prod(sides)
    schedule = dimension_schedule(sides, unit)
    sent = [0.0] * len(sides)
    down = [axis for axis, side in enumerate(sides) for _ in range(side - 1)]
    for axis, sends in zip(down + down[::-1], schedule.rounds, strict=True):
        sent[axis] += sum(send.elements for send in sends if send.source == 0) * size_bytes / unit
    return sent


def grid(sides: list[int], size_bytes: int) -> Inputs:
    return {"sides": sides, "size_bytes": size_bytes}


def drawn(chance: Random) -> list[Inputs]:
    """Return grids of up to four dimensions, whose chunks are even."""
    return [
        grid([chance.randint(1, 5) for _ in range(chance.randint(2, 4))], 3600 * chance.randint(1, 40))
        for _ in range(20)
    ]


def taught() -> str:
    sides = ([8, 64], [8, 8, 8])
    (inside, *one), (_, *two) = (phase_bytes(sides=grid, size_bytes=10**10) for grid in sides)
    steps = [2 * sum(side - 1 for side in grid[1:]) for grid in sides]
    gb = [f"{sent / 1e9:.2f}" for sent in (inside, *one, *two)]
    return (
        f"Inside a node it is {gb[0]} GB. By the port it is {gb[1]} GB on 8 × 64, and {gb[2]} and {gb[3]}, "
        f"{sum(two) / 1e9:.2f} together, on 8 × 8 × 8: as many. The further dimension saves steps, {steps[1]} across "
        f"nodes in place of {steps[0]}, and no bytes."
    )


EXERCISE = Exercise(
    phase_bytes,
    number=1,
    level="easy",
    asked="what one rank sends along each dimension, both phases together",
    expected=counted,
    units={"": "bytes"},
    relative_tolerance=1e-6,
    examples=[
        grid([2, 2], 800),
        grid([4], 1200),
        grid([3, 2], 600),
        grid([2, 4], 1600),
        grid([1, 5], 1000),
        grid([4, 3, 2], 2400),
        grid([2, 2, 2, 2], 1600),
        grid([4, 3, 2], 1000),
        grid([8, 64], 10_000_000_000),
    ],
    inputs=[
        grid(sides, 720 * factor)
        for sides in ([2, 3], [5, 2], [4, 4], [1, 3, 2], [2, 2, 2], [3, 1, 4], [6, 4], [3, 3, 3], [2, 5, 3], [7])
        for factor in (1, 35)
    ]
    + [grid([2, 3, 2, 2], 720), grid([3, 4], 100), grid([2, 2, 5], 77)],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "sends_everything_across",
            "After the reduce-scatter a rank has only its share of the vector left to bring to the next dimension.",
            {"left /= side": ""},
        ),
        Mistake(
            "counts_one_phase",
            "This is the reduce-scatter alone; the all-gather sends as much.",
            {"2 * (side - 1)": "(side - 1)"},
        ),
        Mistake(
            "sends_the_own_chunk_too",
            "A rank does not send all of what it has: of the chunks along a dimension, its own stays.",
            {"2 * (side - 1) / side * left": "2 * left"},
        ),
        Mistake(
            "begins_with_the_last_dimension",
            "The first of the sides is reduced first, with the whole vector.",
            lambda *, sides, size_bytes: phase_bytes(sides=sides[::-1], size_bytes=size_bytes)[::-1],
        ),
        Mistake(
            "divides_before_it_sends",
            "The first dimension is reduced with the whole vector; what is left is a share only afterwards.",
            {
                "sent.append(2 * (side - 1) / side * left)": "left /= side; sent.append(2 * (side - 1) / side * left)",
                "        left /= side\n": "",
            },
        ),
        Mistake(
            "divides_by_all_ranks",
            "This takes 1/R of the vector in each step, as one ring through all ranks would; along a dimension a chunk "
            "is a part of what is left there.",
            lambda *, sides, size_bytes: [2 * (side - 1) * size_bytes / math.prod(sides) for side in sides],
        ),
        Mistake(
            "divides_by_the_side_before_alone",
            "What is left has been cut by every dimension before, not by the last of them alone.",
            lambda *, sides, size_bytes: [
                2 * (side - 1) / side * size_bytes / [1, *sides][i] for i, side in enumerate(sides)
            ],
        ),
        Mistake(
            "rounds_each_entry",
            "Bytes need not be whole here: keep the fraction.",
            {"2 * (side - 1) / side * left": "round(2 * (side - 1) / side * left)"},
        ),
        Mistake(
            "rounds_what_is_left_down",
            "Here sizes are divided as numbers: half of 25 bytes counts as 12.5.",
            {"left /= side": "left //= side"},
        ),
        Mistake(
            "is_always_the_first_example",
            "This is right for one input only: it looks neither at the sides nor at the size.",
            lambda **_: [800.0, 400.0],
        ),
    ],
)
