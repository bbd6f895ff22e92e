"""Exercise: the fastest of four all-reduces, and its time."""

from __future__ import annotations

from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for
from snippets.collectives.algorithm_costs import algorithm_cost

ALGORITHMS = ("binomial", "ring", "recursive_doubling", "halving_doubling")


def fastest_all_reduce(
    *,
    size_bytes: float,
    ranks: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
) -> tuple[str, float]:
    """Return which all-reduce is the fastest, and its time.

    The candidates are "binomial", "ring", "recursive_doubling" and
    "halving_doubling", as in the chapter; the last two fold the ranks beyond a
    power of two into the others. Of equals, the first in this order counts.

    Args:
        size_bytes: bytes n of one rank's vector; take chunks as even.
        ranks: number of ranks R, at least 1.
        latency_s: seconds α before the first byte of a message arrives.
        bandwidth_bytes_per_s: bytes per second β of an adapter, each way.

    Returns:
        The name, and the time in seconds.

    >>> fastest_all_reduce(
    ...     size_bytes=100, ranks=4, latency_s=1, bandwidth_bytes_per_s=1
    ... )
    ('halving_doubling', 154.0)
    """
    levels, doublings = (ranks - 1).bit_length(), ranks.bit_length() - 1
    core = 2**doublings
    fold = 2 if ranks > core else 0  # steps, and vectors, that the ranks beyond the power of two cost
    terms = {
        "binomial": (2 * levels, 2 * levels),
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (doublings + fold, doublings + fold),
        "halving_doubling": (2 * doublings + fold, 2 * (core - 1) / core + fold),
    }
    times_s = {
        name: steps * latency_s + share * size_bytes / bandwidth_bytes_per_s for name, (steps, share) in terms.items()
    }
    best = min(times_s, key=times_s.__getitem__)
    return best, times_s[best]


def cheapest(size_bytes: int, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    """Price every candidate's schedule by the book's exact costs."""
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    terms = {
        name: algorithm_cost("all_reduce", name, ranks=ranks, size_bytes=size_bytes, element_bytes=1)
        for name in ALGORITHMS
    }
    times = {name: one.time_s(**machine) for name, one in terms.items()}
    best = min(ALGORITHMS, key=times.__getitem__)
    return best, times[best]


machine = inputs_for(fastest_all_reduce)


def drawn(chance: Random) -> list[Inputs]:
    """Return machines with sizes around those at which another algorithm becomes the fastest."""
    found = []
    for _ in range(60):
        ranks, latency_s = chance.randint(2, 100), chance.randint(1, 20) * 1e-6
        bandwidth_bytes_per_s = chance.randint(10, 400) * 1e9
        size = chance.choice((0.2, 1, 3, 6, 30, 1000)) * latency_s * bandwidth_bytes_per_s
        found.append(machine((round(size / 64 / ranks) + 1) * 64 * ranks, ranks, latency_s, bandwidth_bytes_per_s))
    return found


EXERCISE = Exercise(
    fastest_all_reduce,
    number=1,
    asked="the fastest of four all-reduces, and its time",
    expected=cheapest,
    examples=[
        machine(64_000_000, 4, 1e-6, 1e9),
        machine(1_920, 6, 1e-5, 1e9),
        machine(384_000, 6, 1e-6, 1e9),
        machine(2**20, 2, 0.0, 2.0**30),
        machine(64, 1, 1e-6, 1e9),
        machine(9_600_000_000, 192, 1e-5, 5e10),
        machine(10**10, 256, 1e-5, 5e10),
    ],
    # Sizes are multiples of what the algorithms cut a vector into, so that chunks are even. Without a latency several
    # algorithms take the same time, and powers of two make it the same to the last bit.
    inputs=[
        *(machine(2**20 * ranks, ranks, 0.0, 2.0**30) for ranks in (1, 2, 3, 4, 6, 8, 16, 100)),
        *(
            machine(round(multiple * latency_s * 50e9 / 64 / ranks) * 64 * ranks, ranks, latency_s, 50e9)
            for ranks in (1, 2, 3, 4, 8, 9, 12, 16, 24, 100)
            for multiple in (0.2, 3, 6, 1000)
            for latency_s in (2e-6, 1e-5)
        ),
    ],
    drawn=drawn,
    units={"result": "(name, seconds)"},
    mistakes=[
        Mistake(
            "ring_of_one_phase",
            "A ring has two phases: 2 (R − 1) steps and 2 (R − 1)/R · n bytes; these are those of a reduce-scatter.",
            {"(2 * (ranks - 1), 2 * (ranks - 1) / ranks)": "(ranks - 1, (ranks - 1) / ranks)"},
        ),
        Mistake(
            "fold_forgotten",
            "You forgot the fold: if R is no power of two, the last two take two steps and 2n bytes more.",
            {"2 if ranks > core else 0": "0"},
        ),
        Mistake(
            "never_halves_off_powers_of_two",
            "Off powers of two halving–doubling can still be the fastest: its fold costs 2n bytes, a ring 2 (R − 1) "
            "steps.",
            {"2 * doublings + fold": "2 * doublings + 1e9 * fold"},
        ),
        Mistake(
            "rounds_the_logarithm_up",
            "With ⌈log₂R⌉ the doublings run among more ranks than there are: they run among 2^⌊log₂R⌋, and fold the "
            "others.",
            {"ranks.bit_length() - 1": "(ranks - 1).bit_length()"},
        ),
        Mistake(
            "bits_over_bytes",
            "A size of n bytes at β bytes per second takes n/β: do not count bits.",
            {"share * size_bytes": "share * 8 * size_bytes"},
        ),
        Mistake(
            "latency_once",
            "The latency is paid in every step, not once.",
            {"steps * latency_s": "min(steps, 1) * latency_s"},
        ),
        Mistake(
            "returns_milliseconds",
            "These are milliseconds; seconds are asked.",
            {"times_s[best]": "1e3 * times_s[best]"},
        ),
        Mistake(
            "last_of_equals",
            "Of equals, the first in the given order is asked for.",
            {"min(times_s,": "min(reversed(times_s),"},
        ),
        Mistake(
            "nothing_takes_time",
            "This is right for one input only: with one rank nothing takes time.",
            lambda **_: ("binomial", 0.0),
        ),
    ],
)
