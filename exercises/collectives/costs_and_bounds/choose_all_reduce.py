"""Exercise: the table by which a library chooses an all-reduce for each size, on a given network."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import log2
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.schedule_cost import price_schedule
from snippets.simulation.algorithms import build_collective, largest_power_of_two

NAMES = ("ring", "recursive_doubling", "halving_doubling")
SIZES = tuple(round(2**10 * 2 ** (step / 8)) for step in range(193))  # 1 KiB to 16 GiB
WITHIN = 1.02
FEW = 24
TABLE, RIGHT = "the table", "rows of a first size, from 0 upwards, and one of the three algorithms"
FARTHEST, NEAR = "what it chooses", "within 2% of the fastest at every size"


def choose_all_reduce(
    *,
    ranks: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float,
) -> list[tuple[float, str]]:
    """Make the table by which a library chooses an all-reduce for each size.

    The algorithms are the ring, recursive doubling and halving–doubling. Where
    R is no power of two, the two doublings run among the largest power of two
    of ranks, R₂ < R: before, each further rank sends its whole vector to one of
    the R₂, which adds it; after, it is sent the whole result. Chunks are even.

    Args:
        ranks: number of ranks R, at least 2, a power of two or not.
        latency_s: α of a message.
        bandwidth_bytes_per_s: β of a rank's one port, per direction.
        reduction_s_per_byte: γ, the time by which each added byte makes the
            all-reduce longer, at least 0.

    Returns:
        Rows, each a first size in bytes and ``"ring"``,
        ``"recursive_doubling"`` or ``"halving_doubling"``. The first row begins
        at 0, the sizes ascend, and a vector goes by the last row whose first
        size is not above its own. What they choose is to be within 2% of the
        fastest of the three, from 1 KiB to 16 GiB.

    >>> choose_all_reduce(
    ...     ranks=4, latency_s=1, bandwidth_bytes_per_s=128,
    ...     reduction_s_per_byte=0,
    ... )
    [(0.0, 'recursive_doubling'), (512.0, 'halving_doubling')]
    """
    log = ranks.bit_length() - 1
    core = 2**log
    fold = ranks > core  # one message of the whole vector before, which is added, one after
    share, half = (ranks - 1) / ranks, (core - 1) / core
    terms = {  # steps; bytes and added bytes for each byte of the vector
        "recursive_doubling": (log + 2 * fold, log + 2 * fold, log + fold),
        "halving_doubling": (2 * log + 2 * fold, 2 * half + 2 * fold, half + fold),
        "ring": (2 * (ranks - 1), 2 * share, share),
    }
    waits = {name: steps * latency_s for name, (steps, _, _) in terms.items()}
    slopes = {
        name: sent / bandwidth_bytes_per_s + added * reduction_s_per_byte for name, (_, sent, added) in terms.items()
    }
    now = "recursive_doubling"  # the fewest steps
    table = [(0.0, now)]
    while later := [name for name in terms if slopes[name] < slopes[now]]:
        meets = {name: (waits[name] - waits[now]) / (slopes[now] - slopes[name]) for name in later}
        now = min(later, key=meets.__getitem__)
        table.append((meets[now], now))
    return table


@cache
def counted(name: str, ranks: int) -> tuple[float, float, float]:
    """Count steps, and bytes and added bytes for each byte of the vector, message by message."""
    length = ranks * largest_power_of_two(ranks)  # all chunks are even
    if ranks <= FEW:
        schedule = build_collective("all_reduce", name, ranks=ranks, length=length)
        terms = price_schedule(schedule, element_bytes=1, latency_s=1, bandwidth_bytes_per_s=1).terms
    else:  # to go through so many messages takes too long; the closed forms are exact
        terms = algorithm_cost("all_reduce", name, ranks=ranks, size_bytes=length, element_bytes=1)
    return terms.steps, terms.wire_bytes / length, terms.reduced_bytes / length


def run_s(name: str, size_bytes: float, ranks: int, machine: tuple[float, float, float]) -> float:
    """Return the time of an algorithm's schedule."""
    steps, sent, added = counted(name, ranks)
    latency_s, bandwidth_bytes_per_s, reduction_s_per_byte = machine
    return steps * latency_s + (sent / bandwidth_bytes_per_s + added * reduction_s_per_byte) * size_bytes


def within_the_margin(**inputs: Any) -> Observation:
    return {TABLE: RIGHT, FARTHEST: NEAR}


def observe_table(function: Callable[..., Any], *, ranks: int, **machine: float) -> Observation:
    """Run what the table names at every size, and say where it is farthest from the fastest, if that is too far."""
    table = function(ranks=ranks, **machine)
    if not table or table[0][0] != 0:
        return {TABLE: f"begins at {table[0][0]:.6g} bytes" if table else "has no row"}
    if wrong := [name for _, name in table if name not in NAMES]:
        return {TABLE: f"names {wrong[0]!r}"}
    if falls := [now for before, now in pairwise(table) if not before[0] <= now[0]]:
        return {TABLE: f"does not ascend at {falls[0][0]:.6g} bytes"}
    network = (machine["latency_s"], machine["bandwidth_bytes_per_s"], machine["reduction_s_per_byte"])
    worst = (WITHIN, "", 0, "")
    for size in SIZES:
        chosen = [name for first, name in table if first <= size][-1]
        times = {name: run_s(name, size, ranks, network) for name in NAMES}
        best = min(times, key=times.__getitem__)
        worst = max(worst, (times[chosen] / times[best], chosen, size, best))
    if not worst[1]:
        return {TABLE: RIGHT, FARTHEST: NEAR}
    over, chosen, size, best = worst
    return {TABLE: RIGHT, FARTHEST: f"{chosen} at {size:,} bytes, {over:.6g} times as long as {best}"}


Terms = tuple[float, float, float]  # steps, and bytes and added bytes for each byte of the vector


def by_terms(
    *,
    folds: bool = True,
    plain: bool = False,
    up: bool = False,
    halves_as_a_ring: bool = False,
    added: Callable[[Terms], float] = lambda terms: terms[2],
    gathers: bool = True,
    two_alone: bool = False,
) -> Callable[..., bool]:
    """Return what judges a table by terms with a slip: whether it is within 2% of the fastest by these."""

    @cache
    def terms_of(ranks: int) -> dict[str, Terms]:
        whole = (ranks - 1).bit_length() if up else ranks.bit_length() - 1
        log = log2(ranks) if plain else whole
        fold = folds and not plain and ranks > 2**log
        share, half = (ranks - 1) / ranks, (2**log - 1) / 2**log
        half = share if halves_as_a_ring else half
        twice = 2 if gathers else 1
        return {
            "recursive_doubling": (log + 2 * fold, log + 2 * fold, log + fold),
            "halving_doubling": (twice * log + 2 * fold, twice * half + 2 * fold, half + fold),
            "ring": (twice * (ranks - 1), twice * share, share),
        }

    def accepts(table: list[tuple[float, str]], *, ranks: int, **machine: float) -> bool:
        alpha, beta, gamma = machine.values()
        lines = {
            name: (terms[0] * alpha, terms[1] / beta + added(terms) * gamma) for name, terms in terms_of(ranks).items()
        }
        if two_alone:
            fewest = min(lines, key=lambda name: (round(lines[name][1] * beta, 9), lines[name][0]))
            lines = {name: lines[name] for name in ("recursive_doubling", fewest)}
        for size in SIZES:
            chosen = [name for first, name in table if first <= size][-1]
            times = {name: wait_s + slope * size for name, (wait_s, slope) in lines.items()}
            if chosen not in times or times[chosen] > WITHIN * min(times.values()):
                return False
        return True

    return accepts


def network(
    ranks: int, latency_s: float = 5e-6, bandwidth_bytes_per_s: float = 40e9, reduction_s_per_byte: float = 0
) -> Inputs:
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    return {"ranks": ranks, **machine, "reduction_s_per_byte": reduction_s_per_byte}


def drawn(chance: Random) -> list[Inputs]:
    """Return networks of up to 32 ranks, with and without a price of adding."""
    return [
        network(
            chance.randint(2, 32),
            chance.randint(1, 20) * 1e-6,
            chance.randint(10, 450) * 1e9,
            chance.choice((0, 1e-12, 3e-12, 8e-12)),
        )
        for _ in range(50)
    ]


def taught() -> str:
    (_, first), *later = choose_all_reduce(**network(96))
    rows = [f"{name} from {size / 1e6:.2g} MB" for size, name in later]
    in_64 = [name for _, name in choose_all_reduce(**network(64))]
    worth = []
    for size in (2**16, 10**6):
        times = {name: run_s(name, size, 96, tuple(list(network(96).values())[1:])) for name in NAMES}
        worth.append(f"{1 - min(times.values()) / times['ring']:.0%}")
    return (
        f"For 96 ranks: {first}, {', '.join(rows)}. For 64 ranks the table ends with {in_64[-1]}: there it sends as "
        "few bytes as a ring, in fewer steps. For 96 its two further messages of a whole vector double the bytes. "
        f"Against a ring for every size, the table saves {worth[0]} of the time at 64 KiB, {worth[1]} at 1 MB."
    )


EXERCISE = Exercise(
    choose_all_reduce,
    number=4,
    level="hard",
    asked="a table of first sizes and algorithms, within 2% of the fastest of the three at every size",
    expected=within_the_margin,
    observe=observe_table,
    examples=[
        network(4),
        network(3, 1e-5, 1e9),
        network(2, 1e-6, 450e9, 4e-12),
        network(8, 1e-6, 450e9, 4e-12),
        network(12),
        network(64),
        network(256),
        network(256, 5e-6, 450e9, 8e-12),
        network(96),
    ],
    inputs=[
        network(ranks, latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
        for ranks in (2, 3, 4, 6, 8, 9, 13, 16, 17, 24, 32)
        for latency_s, bandwidth_bytes_per_s in ((1e-6, 25e9), (2e-5, 80e9), (2e-6, 450e9))
        for reduction_s_per_byte in (0, 1e-12, 8e-12)
    ],
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "never_folds",
            "Where R is no power of two, two messages of the whole vector come on top, one before and one after. "
            "Halving–doubling then sends about twice the bytes of a ring: is the ring in your table?",
            {"ranks > core  #": "0  #"},
            accepts=by_terms(folds=False),
        ),
        Mistake(
            "takes_the_powers_of_two_for_all",
            "The formulas with log₂R hold for powers of two. For other R the doublings run among R₂ ranks, and two "
            " messages of the whole vector come on top.",
            {"ranks.bit_length() - 1": "log2(ranks)", "core = 2**log": "core = ranks"},
            accepts=by_terms(plain=True),
        ),
        Mistake(
            "rounds_the_logarithm_up",
            "Off powers of two the doublings do not take ⌈log₂R⌉ steps and the ring's bytes: they fold, which is two "
            "messages of the whole vector.",
            {"ranks.bit_length() - 1": "(ranks - 1).bit_length()", "(core - 1) / core": "share"},
            accepts=by_terms(up=True, halves_as_a_ring=True),
        ),
        Mistake(
            "rounds_the_ranks_up",
            "Off powers of two you count as if there were ranks up to the next power of two. There are not: each rank "
            "beyond the power of two below sends its whole vector before, and receives the result after.",
            {"ranks.bit_length() - 1": "(ranks - 1).bit_length()"},
            accepts=by_terms(up=True),
        ),
        Mistake(
            "goes_straight_to_the_fewest_bytes",
            "Off powers of two there is a third algorithm between the fewest steps and the fewest bytes: take the line "
            "that is met first.",
            {"min(later, key=meets.__getitem__)": "min(later, key=lambda name: round(slopes[name] / slopes[now], 9))"},
            accepts=by_terms(two_alone=True),
        ),
        Mistake(
            "leaves_out_the_additions",
            "Additions count here: each algorithm adds other bytes than it sends, and γ prices them.",
            {" + added * reduction_s_per_byte": ""},
            accepts=by_terms(added=lambda terms: 0.0),
        ),
        Mistake(
            "adds_all_that_arrives",
            "Only half of what a ring or halving–doubling sends is added: the all-gather copies.",
            {"added * reduction": "sent * reduction"},
            accepts=by_terms(added=lambda terms: terms[1]),
        ),
        Mistake(
            "changes_at_the_half_bandwidth_point",
            "αβ is where the bytes of one message take as long as its latency; where two algorithms meet depends on "
            "their steps and bytes, too.",
            lambda *, latency_s, bandwidth_bytes_per_s, **_: [
                (0.0, "recursive_doubling"),
                (latency_s * bandwidth_bytes_per_s, "ring"),
            ],
        ),
        Mistake(
            "forgets_the_all_gather",
            "This is half an all-reduce: after the reduce-scatter comes an all-gather.",
            {
                "(2 * (ranks - 1), 2 * share, share)": "(ranks - 1, share, share)",
                "2 * log + 2 * fold, 2 * half + 2 * fold": "log + 2 * fold, half + 2 * fold",
            },
            accepts=by_terms(gathers=False),
        ),
        Mistake(
            "is_always_one_table",
            "This is right for one network only: it does not look at its numbers.",
            lambda **_: [(0.0, "recursive_doubling"), (1e6, "halving_doubling")],
        ),
    ],
)
