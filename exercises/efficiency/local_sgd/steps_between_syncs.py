"""Exercise: how many local steps hide a slow link."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def steps_between_syncs(
    *,
    size_bytes: int,
    sites: int,
    bandwidth_bytes_per_s: float,
    latency_s: float,
    step_s: float,
    wait_share: float,
) -> int:
    """Return the fewest steps between two averages that make waiting rare.

    Sites train alone and now and then average their weights by a ring
    all-reduce: 2 (sites - 1) rounds, in each of which every site sends one
    of `sites` equal parts of the weights. All of them wait meanwhile.

    Args:
        size_bytes: of the weights that are averaged.
        sites: that take part, at least 1.
        bandwidth_bytes_per_s: of the link of a site, in each direction.
        latency_s: of a message.
        step_s: what a step takes within a site.
        wait_share: averages may take this share of all the time, at most;
            above 0 and below 1. A share that is met up to the rounding of
            floats is met.

    Returns:
        Steps between two averages, at least 1.

    >>> steps_between_syncs(
    ...     size_bytes=8, sites=2, bandwidth_bytes_per_s=1.0, latency_s=0.0,
    ...     step_s=1.0, wait_share=0.5
    ... )
    8
    """
    part_s = latency_s + size_bytes / sites / bandwidth_bytes_per_s
    sync_s = 2 * (sites - 1) * part_s
    steps = sync_s * (1 - wait_share) / wait_share / step_s
    enough = steps * (1 - 1e-12)  # what rounding adds asks for no further step
    return max(1, math.ceil(enough))


def first_that_suffices(
    *,
    size_bytes: int,
    sites: int,
    bandwidth_bytes_per_s: float,
    latency_s: float,
    step_s: float,
    wait_share: float,
) -> int:
    """Walk down to the first number of steps whose round waits too long, in exact fractions."""
    message = Fraction(size_bytes, sites) / Fraction(bandwidth_bytes_per_s) + Fraction(latency_s)
    sync = sum((message for _ in range(2 * (sites - 1))), Fraction(0))

    def waits(steps: int) -> bool:
        return sync > Fraction(wait_share) * (steps * Fraction(step_s) + sync)

    most = 1
    while waits(most):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (most + least) // 2
        least, most = (middle, most) if waits(middle) else (least, middle)
    return most


run_of = inputs_for(steps_between_syncs)
STEP_S = 17.5
OWN = run_of(4 * 70_553_706_496, 2, 10e9, 0.03, STEP_S, 0.01)


def taught() -> str:
    steps = steps_between_syncs(**OWN)
    eight = steps_between_syncs(**{**OWN, "sites": 8})
    return (
        f"{steps} steps, {steps * STEP_S / 60:.0f} minutes, between two sites of 10 GB/s. Between eight it is {eight}: "
        "each sends nearly twice as much, 7/8 of the model twice where two sites send half of it twice."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return links on which the share is met exactly, in numbers that a float holds exactly, and others."""
    found = []
    for number in range(60):
        share = (0.5, 0.25, 0.125, 0.5)[number % 4]
        sites, rate = (1, 2, 2, 4, 8)[number % 5], float(2 ** chance.randint(0, 6))
        latency, step = chance.choice([0.0, 0.25, 1.5]), float(2 ** chance.randint(-2, 3))
        size = chance.choice([1, 3, 64, 512]) * chance.randint(1, 29)
        found.append(run_of(size, sites, rate, latency, step, share))
    while len(found) < 90:
        given = run_of(
            chance.randint(1, 400) * 10**9,
            chance.randint(2, 12),
            chance.choice([1.25e9, 10e9, 50e9]),
            chance.choice([0.0, 0.03, 0.1]),
            chance.choice([1.3, 5.0, 17.5]),
            chance.choice([0.3, 0.05, 0.01]),
        )
        here = given["latency_s"] + given["size_bytes"] / given["sites"] / given["bandwidth_bytes_per_s"]
        steps = 2 * (given["sites"] - 1) * here * (1 - given["wait_share"]) / given["wait_share"] / given["step_s"]
        if 0.01 < steps % 1 < 0.99:  # no tie that rounding could turn
            found.append(given)
    return found


EXERCISE = Exercise(
    steps_between_syncs,
    number=2,
    level="medium",
    asked="the fewest steps between two averages over a slow link",
    expected=first_that_suffices,
    examples=[
        run_of(8, 2, 1.0, 0.0, 1.0, 0.5),
        run_of(8, 1, 1.0, 5.0, 1.0, 0.5),
        run_of(8, 2, 1.0, 0.25, 1.0, 0.25),
        run_of(8, 4, 1.0, 0.0, 16.0, 0.5),
        run_of(12, 8, 1.0, 0.0, 1.0, 0.5),
        run_of(16_001, 2, 2000.0, 0.0, 1.0, 0.5),
        OWN,
    ],
    inputs=drawn(Random(31)),
    drawn=drawn,
    units={"result": "steps"},
    taught=taught,
    mistakes=[
        Mistake(
            "measures_against_the_steps",
            "You took the share of the computing time. Waiting is to be a share of all the time, itself included.",
            {"sync_s * (1 - wait_share) / wait_share": "sync_s / wait_share"},
        ),
        Mistake(
            "rounds_down",
            "You rounded down. With a part of a step too few, the average takes more than its share.",
            {"math.ceil(enough)": "math.floor(steps)"},
        ),
        Mistake(
            "adds_one",
            "You went one step beyond a number that is enough already.",
            {"math.ceil(enough)": "math.floor(steps) + 1"},
        ),
        Mistake(
            "forgets_at_least_one",
            "A single site sends nothing, but between two averages there is at least one step.",
            {"max(1, math.ceil(enough))": "math.ceil(enough)"},
        ),
        Mistake(
            "sends_everything",
            "You sent the whole model in each round. A ring sends one part of it at a time.",
            {"size_bytes / sites / bandwidth": "size_bytes / bandwidth"},
        ),
        Mistake(
            "gathers_only",
            "You went around the ring once. Adding up takes one tour, and giving the sums back a second one.",
            {"2 * (sites - 1)": "(sites - 1)"},
        ),
        Mistake(
            "counts_all_sites",
            "You counted a message too many for each tour: there are one fewer than sites.",
            {"2 * (sites - 1)": "2 * sites"},
        ),
        Mistake(
            "sends_the_model_twice",
            "You sent the model twice. A site sends 2 (sites - 1) parts of it, a bit less than two models.",
            {"2 * (sites - 1) * part_s": "2 * (sites - 1) * latency_s + 2 * size_bytes / bandwidth_bytes_per_s"},
        ),
        Mistake(
            "forgets_latency",
            "You left out the latency, which every round of the ring pays.",
            {"latency_s + size_bytes": "size_bytes"},
        ),
        Mistake(
            "pays_latency_once",
            "You paid the latency once. Every round of the ring waits for a message.",
            {
                "part_s = latency_s + size_bytes": "part_s = size_bytes",
                "2 * (sites - 1) * part_s": "2 * (sites - 1) * part_s + latency_s",
            },
        ),
    ],
)
