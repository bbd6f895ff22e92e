"""Grader of chapter 13: programs run and schedules replayed on the book's simulators, which count bytes and steps."""

from __future__ import annotations

from collections import Counter
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint, Observation
from snippets.collectives.algorithm_costs import algorithm_cost
from snippets.collectives.checker import find_faults
from snippets.collectives.holdings import holdings
from snippets.collectives.rank_programs import run_programs
from snippets.collectives.schedule import Schedule, ScheduledSend, chunk_bounds
from snippets.machine import RankProgramError

RUN = "the run"
SUM = "the sum on each rank"
SENT = "with the right sum, sent by each rank"
RECEIVED = "with the right sum, received by each rank"
STEPS = "steps"
PARTNERS = "others that a rank sends to"
FAULTS = "faults"
LINK = "on the busiest link, one way"
COMPLETE = "ranks where each chunk is complete after N − 1 steps"
ENDS = "every rank returns"
NUMBER_BYTES = 8
MOST_REQUESTS = 2000  # five ranks need 40
ALGORITHMS = ("binomial", "ring", "recursive_doubling", "halving_doubling")


def within(measured: Any, allowed: Any) -> Any:
    """Return what is allowed if no more was measured, else what was measured: to be cheaper is no mistake."""
    if isinstance(allowed, list):
        return allowed if all(one <= other for one, other in zip(measured, allowed, strict=True)) else list(measured)
    return max(measured, allowed)


# Rank programs.


def all_but_shortest_bytes(length: int, ranks: int) -> int:
    """Bytes of all entries but those of the shortest chunk: what a phase of a ring sends at most."""
    return NUMBER_BYTES * (length - length // ranks)


def expected_reduce_scatter(vectors: list[list[int]]) -> Observation:
    ranks, length = len(vectors), len(vectors[0])
    sums = [sum(column) for column in zip(*vectors, strict=True)]
    chunks = chunk_bounds(length, ranks)
    return {
        RUN: ENDS,
        SUM: [sums[start:stop] for start, stop in chunks],
        SENT: [NUMBER_BYTES * (length - stop + start) for start, stop in chunks],
        RECEIVED: [NUMBER_BYTES * (ranks - 1) * -(-length // ranks)] * ranks,
        STEPS: ranks - 1,
    }


def expected_all_reduce(vectors: list[list[int]]) -> Observation:
    ranks, length = len(vectors), len(vectors[0])
    phase = all_but_shortest_bytes(length, ranks)
    return {
        RUN: ENDS,
        SUM: [[sum(column) for column in zip(*vectors, strict=True)]] * ranks,
        SENT: [2 * phase] * ranks,
        RECEIVED: [2 * phase] * ranks,
        STEPS: 2 * (ranks - 1),
        PARTNERS: min(ranks - 1, 1),
    }


def observe_program(function: Any, vectors: list[list[int]], allowed: Observation) -> Observation:
    """Run an answer on every rank."""
    try:
        results, account = run_programs(function, vectors, element_bytes=NUMBER_BYTES, most_requests=MOST_REQUESTS)
    except RankProgramError as error:
        return {RUN: str(error)}
    shown = {
        SENT: account.sent_bytes,
        RECEIVED: account.received_bytes,
        STEPS: account.steps,
        PARTNERS: max(Counter(source for source, _ in account.link_bytes).values(), default=0),
    }
    costs = {name: within(shown[name], limit) for name, limit in allowed.items() if name in shown}
    return {RUN: ENDS, SUM: list(results), **costs}


def observe_reduce_scatter(function: Any, vectors: list[list[int]]) -> Observation:
    return observe_program(function, vectors, expected_reduce_scatter(vectors))


def observe_all_reduce(function: Any, vectors: list[list[int]]) -> Observation:
    return observe_program(function, vectors, expected_all_reduce(vectors))


# Schedules.


def expected_rounds(ranks: int, length: int) -> Observation:
    phase = all_but_shortest_bytes(length, ranks)
    chunks = chunk_bounds(length, ranks)
    return {
        RUN: ENDS,
        SUM: [[sum(10**rank for rank in range(ranks))] * length] * ranks,
        FAULTS: "none",
        SENT: [2 * phase] * ranks,
        STEPS: 2 * (ranks - 1),
        COMPLETE: [[(index - 1) % ranks] for index, (start, stop) in enumerate(chunks) if start < stop],
    }


def expected_two_way(ranks: int, length: int) -> Observation:
    halves = [2 * all_but_shortest_bytes(half, ranks) for half in (length // 2, length - length // 2)]
    both = {key: value for key, value in expected_rounds(ranks, length).items() if key != COMPLETE}
    return {**both, SENT: [sum(halves)] * ranks, PARTNERS: min(ranks - 1, 2), LINK: halves[1]}


def as_schedule(rounds: Any, ranks: int, length: int) -> Schedule | str:
    """Return an answer as a schedule, or say what is wrong with its form."""
    steps = []
    for number, step in enumerate(rounds if isinstance(rounds, list) else [None]):
        if not isinstance(step, list) or not all(isinstance(message, tuple) and len(message) == 5 for message in step):
            return f"step {number} is no list of messages (source, destination, start, stop, adds)"
        sends = []
        for source, destination, start, stop, adds in step:
            ranges = ((start, stop),) if start != stop else ()
            sends.append(ScheduledSend(source, destination, ranges, adds))
        steps.append(tuple(sends))
    try:
        return Schedule("all_reduce", "by hand", ranks, length, tuple(steps))
    except ValueError as error:
        return str(error)


def replayed(schedule: Schedule) -> list[list[int]]:
    """Replay a schedule on vectors of which rank r's entries are all 10^r: a digit counts a rank's terms."""
    held = [[10**rank] * schedule.length for rank in range(schedule.ranks)]
    for sends in schedule.rounds:
        parcels = [[held[send.source][start:stop] for start, stop in send.ranges] for send in sends]
        for send, parcel in zip(sends, parcels, strict=True):
            own = held[send.destination]
            for (start, stop), numbers in zip(send.ranges, parcel, strict=True):
                added = [mine + other for mine, other in zip(own[start:stop], numbers, strict=True)]
                own[start:stop] = added if send.combine else numbers
    return held


def complete_ranks(schedule: Schedule) -> list[list[int]]:
    """Per chunk that is not empty, the ranks that hold all terms of its first entry after N − 1 steps."""
    moments = holdings(schedule)
    held = moments[min(schedule.ranks - 1, len(moments) - 1)]
    starts = [start for start, stop in chunk_bounds(schedule.length, schedule.ranks) if start < stop]
    return [[rank for rank in range(schedule.ranks) if len(held[rank][start]) == schedule.ranks] for start in starts]


def observe_schedule(rounds: Any, ranks: int, length: int, *, ports: int, allowed: Observation) -> Observation:
    """Replay an answer and count what its messages carry."""
    schedule = as_schedule(rounds, ranks, length)
    if isinstance(schedule, str):
        return {RUN: schedule}
    sends = [send for step in schedule.rounds for send in step]
    sent, links = [0] * ranks, Counter[tuple[int, int]]()
    for send in sends:
        sent[send.source] += NUMBER_BYTES * send.elements
        links[send.source, send.destination] += NUMBER_BYTES * send.elements
    partners = Counter(source for source, _ in {(send.source, send.destination) for send in sends})
    shown = {
        SENT: sent,
        STEPS: len(schedule.rounds),
        PARTNERS: max(partners.values(), default=0),
        LINK: max(links.values(), default=0),
    }
    seen: Observation = {name: within(shown[name], limit) for name, limit in allowed.items() if name in shown}
    if COMPLETE in allowed:
        seen[COMPLETE] = complete_ranks(schedule)
    faults = find_faults(schedule, ports=ports)
    return {RUN: ENDS, SUM: replayed(schedule), FAULTS: str(faults[0]) if faults else "none", **seen}


def observe_rounds(function: Any, ranks: int, length: int) -> Observation:
    rounds = function(ranks=ranks, length=length)
    return observe_schedule(rounds, ranks, length, ports=1, allowed=expected_rounds(ranks, length))


def observe_two_way(function: Any, ranks: int, length: int) -> Observation:
    rounds = function(ranks=ranks, length=length)
    return observe_schedule(rounds, ranks, length, ports=2, allowed=expected_two_way(ranks, length))


def cheapest(size_bytes: int, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> tuple[str, float]:
    """Price every candidate's schedule by the book's exact costs."""
    machine = {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    size = {"ranks": ranks, "size_bytes": size_bytes, "element_bytes": 1}
    times = {name: algorithm_cost("all_reduce", name, **size).time_s(**machine) for name in ALGORITHMS}
    best = min(ALGORITHMS, key=times.__getitem__)
    return best, times[best]


def vector_inputs() -> Any:
    from hypothesis import strategies as st

    def vectors(size: tuple[int, int]) -> Any:
        ranks, length = size
        vector = st.lists(st.integers(-9, 9), min_size=length, max_size=length)
        return st.fixed_dictionaries({"vectors": st.lists(vector, min_size=ranks, max_size=ranks)})

    return st.tuples(st.integers(1, 5), st.integers(0, 8)).flatmap(vectors)


def size_inputs() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"ranks": st.integers(1, 6), "length": st.integers(0, 14)})


def two_way_inputs() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries({"ranks": st.sampled_from([1, 3, 4, 5, 6]), "length": st.integers(0, 14)})


def machine_inputs() -> Any:
    """Sizes are multiples of what the algorithms cut a vector into, so that chunks are even."""
    from hypothesis import strategies as st

    def machines(ranks: int) -> Any:
        size = st.sampled_from([1, 10, 100, 10_000, 1_000_000, 100_000_000]).map(lambda many: many * 64 * ranks)
        return st.fixed_dictionaries(
            {
                "size_bytes": size,
                "ranks": st.just(ranks),
                "latency_s": st.sampled_from([0.0, 1e-6, 1e-5]),
                "bandwidth_bytes_per_s": st.sampled_from([1e9, 25e9, 50e9]),
            }
        )

    return st.sampled_from([1, 2, 3, 4, 6, 7, 8, 16, 24, 64, 100]).flatmap(machines)


VECTORS: list[dict[str, Any]] = [
    {"vectors": [[5]]},
    {"vectors": [[1, 2], [10, 20]]},
    {"vectors": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]},
    {"vectors": [[1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60], [7, 7, 7, 7, 7, 7], [0, 1, 0, 1, 0, 1]]},
    {"vectors": [[1], [10], [100], [1000]]},
    {"vectors": [[], []]},
]

EXERCISES = [
    Exercise(
        name="reduce_scatter",
        number=1,
        asked="a rank program that ends with the sums of the rank's own chunk, at the cost of a ring",
        expected=expected_reduce_scatter,
        observe=observe_reduce_scatter,
        examples=VECTORS,
        inputs=vector_inputs,
        hints=(
            Hint(
                "Let every chunk walk: someone starts with its own entries, sends them on, the next adds its own and "
                "sends the sum on. At which rank must the walk end?",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "Chunk c starts at rank c + 1, so in step s = 0 … N − 2 rank r sends chunk (r − 1 − s) mod N to rank "
                "r + 1. Which chunk arrives from rank r − 1?",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "In each of N − 1 steps: arrived = yield Exchange(to=(rank + 1) % ranks, numbers=own[start:stop], "
                "source=(rank - 1) % ranks), with chunk (rank - 1 - step) % ranks; then add what arrived to chunk "
                "(rank - 2 - step) % ranks. Return chunk rank.",
                "13-ring-and-tree.md#the-ring",
            ),
        ),
        units={SENT: "bytes; round a ring n − n_r", RECEIVED: "bytes; round a ring (N − 1)/N · n"},
    ),
    Exercise(
        name="ring_all_reduce",
        number=2,
        asked="a rank program that ends with the sums of all entries, round a ring",
        expected=expected_all_reduce,
        observe=observe_all_reduce,
        examples=VECTORS,
        inputs=vector_inputs,
        level="hard",
        hints=(
            Hint("An all-reduce is a reduce-scatter and then an all-gather.", "13-ring-and-tree.md#the-ring"),
            Hint(
                "Begin with own = yield from reduce_scatter(rank, ranks, numbers). Then let the finished chunks go "
                "round: in step s rank r sends chunk (r − s) mod N, and copies what arrives.",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "Each step passes on what the step before brought: passing = yield Exchange(to=(rank + 1) % ranks, "
                "numbers=passing, source=(rank - 1) % ranks) is chunk (rank - 1 - step) % ranks. Keep all N, and join "
                "them in order.",
                "13-ring-and-tree.md#the-ring",
            ),
        ),
        units={SENT: "bytes; a ring sends 2 (N − 1)/N · n", RECEIVED: "bytes; a ring receives 2 (N − 1)/N · n"},
    ),
    Exercise(
        name="ring_all_reduce_rounds",
        number=3,
        asked="the steps of a ring all-reduce in which chunk c is complete on rank c − 1 after N − 1 steps",
        expected=expected_rounds,
        observe=observe_rounds,
        examples=[
            {"ranks": 1, "length": 2},
            {"ranks": 3, "length": 3},
            {"ranks": 4, "length": 6},
            {"ranks": 4, "length": 1},
            {"ranks": 2, "length": 2},
            {"ranks": 3, "length": 0},
        ],
        inputs=size_inputs,
        hints=(
            Hint(
                "The walk of chunk c has N − 1 messages. If it ends at rank c − 1, where does it start?",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "It starts at rank c: in step s rank r sends chunk (r − s) mod N to rank r + 1, which adds.",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "After N − 1 steps the same rule goes on: for s = N − 1 … 2N − 3, chunk (r − s) mod N is the finished "
                "one, now copied. So a single loop over 2 (N − 1) steps does, with adds = s < N − 1.",
                "13-ring-and-tree.md#the-ring",
            ),
        ),
        units={SENT: "bytes; a ring sends 2 (N − 1)/N · n"},
    ),
    Exercise(
        name="two_way_ring_rounds",
        number=4,
        asked="the steps of an all-reduce, half of the entries each way round",
        expected=expected_two_way,
        observe=observe_two_way,
        examples=[
            {"ranks": 1, "length": 2},
            {"ranks": 3, "length": 6},
            {"ranks": 4, "length": 8},
            {"ranks": 3, "length": 7},
            {"ranks": 5, "length": 1},
            {"ranks": 4, "length": 0},
        ],
        inputs=two_way_inputs,
        level="hard",
        hints=(
            Hint(
                "You have a ring for a vector of any length. Cut the entries in two and give each half a "
                "ring of its own.",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "The other way round, rank r sends to rank r − 1: rename every rank r to −r mod N. The second half's "
                "entries start at the middle.",
                "13-ring-and-tree.md#the-ring",
            ),
            Hint(
                "Give your ring two more arguments, direction (1 or −1) and offset: rank sends chunk "
                "(direction * rank - step) % ranks to (rank + direction) % ranks, at offset + start. Join the two "
                "rings step by step.",
                "13-ring-and-tree.md#two-numbers-for-a-schedule",
            ),
        ),
        units={SENT: "bytes", LINK: "bytes; (N − 1)/N · n"},
    ),
    Exercise(
        name="fastest_all_reduce",
        number=5,
        asked="the fastest of four all-reduces, and its time",
        expected=cheapest,
        examples=[
            {"size_bytes": 64, "ranks": 1, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"size_bytes": 1_280_000, "ranks": 2, "latency_s": 0.0, "bandwidth_bytes_per_s": 1e9},
            {"size_bytes": 64_000_000, "ranks": 4, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"size_bytes": 1_920, "ranks": 6, "latency_s": 1e-5, "bandwidth_bytes_per_s": 1e9},
            {"size_bytes": 384_000, "ranks": 6, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"size_bytes": 9_600_000_000, "ranks": 192, "latency_s": 1e-5, "bandwidth_bytes_per_s": 5e10},
            {"size_bytes": 9_600_000_000, "ranks": 256, "latency_s": 1e-5, "bandwidth_bytes_per_s": 5e10},
        ],
        inputs=machine_inputs,
        hints=(
            Hint(
                "Every candidate is a number of steps S and of bytes B, and takes S α + B/β.",
                "13-ring-and-tree.md#two-numbers-for-a-schedule",
            ),
            Hint(
                "Binomial: 2⌈log₂N⌉ steps of n. Ring: 2 (N − 1) steps of n/N. Let 2^d be the largest power of two up "
                "to N: recursive doubling takes d steps of n, halving–doubling 2d steps and 2 (2^d − 1)/2^d · n.",
                "13-ring-and-tree.md#fewer-steps",
            ),
            Hint(
                "If N is no power of two, the last two take two steps and 2n more. Put (S, B/n) in a dictionary in the "
                "given order; min() over it returns the first of equals.",
                "13-ring-and-tree.md#fewer-steps",
            ),
        ),
        units={"result": "(name, seconds)"},
    ),
]

test_answer = graded(EXERCISES)
