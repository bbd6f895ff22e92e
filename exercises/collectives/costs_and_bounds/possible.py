"""Exercise: whether ranks that only send and receive can have been so fast."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake
from snippets.collectives.algorithm_costs import collective_lower_bound
from snippets.collectives.costs_and_bounds.bus_bandwidth import bus_bandwidth_factor

PRIMITIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce")


def possible(
    *,
    primitive: str,
    ranks: int,
    size_bytes: float,
    time_s: float,
    bandwidth_bytes_per_s: float,
) -> bool:
    """Say whether ranks that only send and receive can have been so fast.

    What decides are the bytes that must pass a port.

    Args:
        primitive: ``"all_reduce"``, ``"all_gather"``, ``"reduce_scatter"``,
            ``"all_to_all"``, ``"broadcast"`` or ``"reduce"``.
        ranks: number of ranks, at least 2.
        size_bytes: size in the convention of nccl-tests.
        time_s: the time it took.
        bandwidth_bytes_per_s: what a rank's port carries each way.

    Returns:
        ``False`` if the bytes alone take longer, ``True`` if not, also where
        they take exactly as long.

    >>> possible(
    ...     primitive="all_reduce", ranks=4, size_bytes=100,
    ...     time_s=1, bandwidth_bytes_per_s=125,
    ... )
    False
    """
    share = (ranks - 1) / ranks
    factor = {"all_reduce": 2 * share, "broadcast": 1, "reduce": 1}.get(primitive, share)
    return factor * size_bytes <= time_s * bandwidth_bytes_per_s


def at_or_above_the_floor(
    primitive: str, ranks: int, size_bytes: float, time_s: float, bandwidth_bytes_per_s: float
) -> bool:
    """Compare with the floor of bytes that holds for every schedule, scaled from a vector with even chunks."""
    floor = Fraction(
        collective_lower_bound(primitive, ranks=ranks, size_bytes=ranks, element_bytes=1).wire_bytes, ranks
    )
    return floor * Fraction(size_bytes) <= Fraction(time_s) * Fraction(bandwidth_bytes_per_s)


def claim(primitive: str, ranks: int, size_bytes: int, time_s: float, bandwidth_bytes_per_s: float = 64) -> Inputs:
    run = {"primitive": primitive, "ranks": ranks, "size_bytes": size_bytes, "time_s": time_s}
    return {**run, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}


def near_the_floor(primitive: str, ranks: int, of_the_floor: float) -> Inputs:
    floor_s = float(bus_bandwidth_factor(primitive, ranks=ranks)) * 720 / 64
    return claim(primitive, ranks, 720, floor_s * of_the_floor)


def drawn(chance: Random) -> list[Inputs]:
    """Return claims above and below the floor, half of them near it."""
    found = []
    for primitive in PRIMITIVES * 15:
        ranks, away = chance.randint(2, 12), chance.choice((0.001, 0.01, 0.3, 0.7))
        found.append(near_the_floor(primitive, ranks, 1 + chance.choice((-away, away))))
    return found


def taught() -> str:
    said = []
    for run in EXERCISE.examples[-3:]:
        factor = bus_bandwidth_factor(run["primitive"], ranks=run["ranks"])
        gb_per_s = float(factor) * run["size_bytes"] / run["time_s"] / 1e9
        said.append(f"{gb_per_s:.3g} GB/s ({'possible' if possible(**run) else 'not possible'})")
    return (
        f"The bus bandwidths are {', '.join(said)}, and the links carry 450. Sends and receives alone cannot have "
        "done the last; adding in the node's switches may have. A bandwidth below the links' proves nothing."
    )


EXERCISE = Exercise(
    possible,
    number=2,
    level="easy",
    asked="whether ranks that only send and receive can have been so fast",
    expected=at_or_above_the_floor,
    examples=[
        claim("all_reduce", 4, 64, 1.25),
        claim("all_gather", 2, 64, 0.75),
        claim("broadcast", 2, 64, 2.0),
        claim("broadcast", 2, 64, 0.5),
        claim("broadcast", 8, 64, 1.0),
        claim("all_reduce", 4, 128, 2.0, 96),
        claim("all_reduce", 4, 10, 15 / 64),
        claim("all_reduce", 8, 8, 21e-6, 450e9),
        claim("all_reduce", 8, 64 * 2**20, 0.36e-3, 450e9),
        claim("all_reduce", 8, 4 * 2**30, 15.6e-3, 450e9),
    ],
    inputs=[
        near_the_floor(primitive, ranks, of_the_floor)
        for primitive in PRIMITIVES
        for ranks in (2, 3, 4, 6, 9)
        for of_the_floor in (0.25, 0.9999, 1.0001, 3)
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "lets_an_all_reduce_send_once",
            "The ranks of an all-reduce send twice: the factor is 2(R − 1)/R.",
            {"2 * share": "share"},
        ),
        Mistake(
            "compares_the_algorithm_bandwidth",
            "This compares the algorithm bandwidth; the link carries f(R) times it.",
            {"factor * size_bytes": "size_bytes"},
        ),
        Mistake(
            "takes_the_bandwidth_for_bits",
            "Size and bandwidth are both in bytes: there is no factor of 8.",
            {"return factor": "return 8 * factor"},
        ),
        Mistake("excludes_the_floor", "The bytes alone decide. Here they take exactly as long: possible.", {"<=": "<"}),
        Mistake(
            "allows_some_slack",
            "A time that is a little too short is impossible too: compare with the floor itself, without slack.",
            {"return factor": "return 0.95 * factor"},
        ),
        Mistake(
            "gives_roots_a_share",
            "The whole must get past the root: the factor of broadcast and reduce is 1.",
            {', "broadcast": 1, "reduce": 1': ""},
        ),
        Mistake(
            "sends_the_whole_of_an_all_to_all",
            "In an all_to_all each rank keeps a block: its factor is (R − 1)/R, not 1.",
            {'"broadcast": 1,': '"broadcast": 1, "all_to_all": 1,'},
        ),
        Mistake(
            "believes_everything", "This is right for one input only: it does not look at the time.", lambda **_: True
        ),
    ],
)
