"""Exercise: the fastest of three all-reduces, and its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.algorithms import largest_power_of_two

NAMES = ("ring", "recursive_doubling", "halving_doubling")
ALGORITHM, KNOWN = "algorithm", "one of the three"
CHOSEN, RETURNED = "time of the algorithm chosen", "time returned"


def choose_all_reduce(
    *,
    ranks: int,
    size_bytes: float,
    latency_s: float,
    bandwidth_bytes_per_s: float,
) -> tuple[str, float]:
    """Choose the fastest of three all-reduces.

    They are the ring, recursive doubling and halving–doubling. Where N is no
    power of two, the two doublings run among the largest power of two of ranks,
    P < N: before, each further rank sends its whole vector to one of the P,
    which adds it; after, it is sent the whole result. Chunks are even, and
    additions cost nothing.

    Args:
        ranks: number of ranks N, at least 2, a power of two or not.
        size_bytes: bytes of the vector, above 0.
        latency_s: α of a message.
        bandwidth_bytes_per_s: β of a rank's one port, per direction.

    Returns:
        ``"ring"``, ``"recursive_doubling"`` or ``"halving_doubling"``, and the
        seconds that it takes.

    >>> choose_all_reduce(
    ...     ranks=3, size_bytes=150, latency_s=1, bandwidth_bytes_per_s=50
    ... )
    ('ring', 8.0)
    """
    log = ranks.bit_length() - 1
    core = 2**log
    fold = 2 if ranks > core else 0  # one message of the whole vector before, one after
    terms = {
        "ring": (2 * (ranks - 1), 2 * (ranks - 1) / ranks),
        "recursive_doubling": (log + fold, log + fold),
        "halving_doubling": (2 * log + fold, 2 * (core - 1) / core + fold),
    }
    times_s = {
        name: steps * latency_s + share * size_bytes / bandwidth_bytes_per_s for name, (steps, share) in terms.items()
    }
    best = min(times_s, key=times_s.__getitem__)
    return best, times_s[best]


def priced_s(name: str, *, ranks: int, size_bytes: float, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Price an algorithm by the book's exact costs, on a vector that its chunks divide."""
    length = ranks * largest_power_of_two(ranks)
    terms = algorithm_cost("all_reduce", name, ranks=ranks, size_bytes=length, element_bytes=1)
    return terms.time_s(latency_s=latency_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s * length / size_bytes)


def fastest_priced(**inputs: Any) -> Observation:
    best_s = min(priced_s(name, **inputs) for name in NAMES)
    return {ALGORITHM: KNOWN, CHOSEN: best_s, RETURNED: best_s}


def observe_choice(function: Callable[..., Any], **inputs: Any) -> Observation:
    """Price the algorithm that is named; two that take the same time are both right."""
    name, time_s = function(**inputs)
    if name not in NAMES:
        return {ALGORITHM: name}
    return {ALGORITHM: KNOWN, CHOSEN: priced_s(name, **inputs), RETURNED: time_s}


def vector(ranks: int, size_bytes: float, latency_s: float = 5e-6, bandwidth_bytes_per_s: float = 50e9) -> Inputs:
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    return {"ranks": ranks, "size_bytes": size_bytes, **machine}


EXERCISE = Exercise(
    choose_all_reduce,
    number=2,
    level="easy",
    asked="the fastest of ring, recursive_doubling and halving_doubling, and its seconds",
    expected=fastest_priced,
    observe=observe_choice,
    examples=[
        vector(4, 10**6, 1e-6, 1e9),
        vector(3, 10**8),
        vector(6, 100),
        vector(2, 1000, 1e-6, 1e9),
        vector(12, 10**6),
        vector(12, 10**9),
        vector(96, 10**6),
    ],
    inputs=[
        vector(ranks, multiple * latency_s * bandwidth_bytes_per_s, latency_s, bandwidth_bytes_per_s)
        for ranks in (2, 3, 4, 8, 9, 12, 13, 16, 24)
        for multiple in (0.1, 1, 3, 3.5, 6, 1000)
        for latency_s, bandwidth_bytes_per_s in ((1e-6, 25e9), (2e-5, 80e9))
    ],
    units={CHOSEN: "s", RETURNED: "s"},
    mistakes=[
        Mistake(
            "always_takes_the_ring",
            "A ring takes the fewest bytes, but small vectors are ruled by its steps.",
            {"min(times_s, key=times_s.__getitem__)": '"ring"'},
        ),
        Mistake(
            "always_takes_the_fewest_steps",
            "Recursive doubling takes the fewest steps, but it sends the whole vector in each.",
            {"min(times_s, key=times_s.__getitem__)": '"recursive_doubling"'},
        ),
        Mistake(
            "rounds_the_logarithm_up",
            "Where N is no power of two, folding takes two more messages of the whole vector.",
            {"ranks.bit_length() - 1": "(ranks - 1).bit_length()", "2 * (core - 1) / core": "2 * (ranks - 1) / ranks"},
        ),
        Mistake(
            "never_halves_off_powers_of_two",
            "Off powers of two halving–doubling can still be the fastest: compare all three.",
            {"2 * log + fold": "2 * log + 1e9 * fold"},
        ),
        Mistake(
            "folds_once",
            "Folding is two messages: one before, and one after with the result.",
            {"2 if ranks": "1 if ranks"},
        ),
        Mistake(
            "forgets_the_all_gather",
            "This is half an all-reduce: after the reduce-scatter comes an all-gather.",
            {
                "(2 * (ranks - 1), 2 * (ranks - 1) / ranks)": "(ranks - 1, (ranks - 1) / ranks)",
                "(2 * log + fold, 2 * (core": "(log + fold, (core",
            },
        ),
        Mistake(
            "takes_bits",
            "The bandwidth is in bytes per second: there is no factor of 8.",
            {"share * size_bytes": "share * 8 * size_bytes"},
        ),
        Mistake(
            "shares_the_port",
            "A port sends while it receives: the bandwidth holds for each direction.",
            {"share * size_bytes": "share * 2 * size_bytes"},
        ),
        Mistake("pays_latency_once", "Every step waits α: this counts it once.", {"steps * latency_s": "latency_s"}),
        Mistake(
            "always_says_the_same",
            "This is right for one input only: it does not look at the size.",
            lambda **_: ("recursive_doubling", 2e-6),
        ),
    ],
)
