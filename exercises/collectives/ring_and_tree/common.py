"""What the exercises share: programs run and schedules replayed on simulators, which count bytes and steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from random import Random
from typing import Any

from grader.exercise import Inputs, Observation
from snippets.collectives.checker import find_faults
from snippets.collectives.rank_programs import run_programs
from snippets.collectives.schedule import Schedule, ScheduledSend, chunk_bounds
from snippets.machine import Exchange, RankProgramError, Receive, Send

RUN, ENDS = "the run", "every rank returns"
SUM = "the sum on each rank"
SENT = "with the right sum, sent by each rank"
RECEIVED = "with the right sum, received by each rank"
STEPS = "steps"
PARTNERS = "others that a rank sends to"
FOLLOWS = "the sum on each rank depends on what it receives"
FAULTS = "faults"
LINK = "on the busiest link, one way"
COMPLETE = "ranks where each chunk is complete after N − 1 steps"
NUMBER_BYTES = 8

Program = Generator[Send | Receive | Exchange, list[float], list[float]]
Rounds = list[list[tuple[int, int, int, int, bool]]]


def phase_bytes(length: int, ranks: int) -> int:
    """Bytes of all entries but those of the shortest chunk: what a phase of a ring sends at most."""
    return NUMBER_BYTES * (length - length // ranks)


def right_sums(ranks: int, length: int) -> Observation:
    """What every right schedule shows of a replay: each rank's term once."""
    return {RUN: ENDS, SUM: [[int("1" * ranks)] * length] * ranks, FAULTS: "none"}


def with_costs(shown: Observation, costs: Observation, allowed: Observation) -> Observation:
    """Add costs; where no more was measured than is allowed, that is shown: to be cheaper is no mistake."""

    def within(cost: Any, limit: Any) -> bool:
        return all(map(within, cost, limit)) if isinstance(limit, list) else cost <= limit

    for name in costs.keys() & allowed:
        shown[name] = allowed[name] if within(costs[name], allowed[name]) else costs[name]
    return shown


def run_on_ranks(program: Callable[..., Program], vectors: list[list[int]], allowed: Observation) -> Observation:
    """Run a program on every rank; then once for each rank, with messages that are changed on their way to it."""
    try:
        results, account = run_programs(program, vectors, number_bytes=NUMBER_BYTES, most_requests=2000)
        others = [
            run_programs(disturbed(program, rank), vectors, most_requests=2000).results[rank]
            for rank in range(len(vectors) if len(vectors) > 1 and any(vectors) else 0)
        ]
    except RankProgramError as error:
        return {RUN: str(error)}
    costs = {SENT: list(account.sent_bytes), RECEIVED: list(account.received_bytes), STEPS: account.steps}
    costs[PARTNERS] = max(Counter(source for source, _ in account.link_bytes).values(), default=0)
    follows = all(not mine or mine != other for mine, other in zip(results, others, strict=False))
    return with_costs({RUN: ENDS, SUM: list(results), FOLLOWS: follows}, costs, allowed)


def disturbed(program: Callable[..., Program], victim: int) -> Callable[..., Program]:
    """Let one rank receive other numbers than were sent: ranks that meet without messages do not notice."""

    def run(rank: int, ranks: int, numbers: list[float]) -> Program:
        running = program(rank=rank, ranks=ranks, numbers=numbers)
        arrived: Any = None
        while True:
            try:
                arrived = yield running.send(arrived)
            except StopIteration as end:
                return list(end.value)
            if rank == victim and arrived:
                arrived = [number + 1000 for number in arrived]

    return run


def replay(rounds: Rounds, *, ranks: int, length: int, ports: int, allowed: Observation) -> Observation:
    """Replay a schedule on vectors of which rank r's entries are all 10^r: a digit counts a rank's terms."""
    steps = [
        [
            ScheduledSend(source, to, ((start, stop),) if start != stop else (), adds)
            for source, to, start, stop, adds in step
        ]
        for step in rounds
    ]
    return replay_sends(steps, ranks=ranks, length=length, ports=ports, allowed=allowed)


def replay_sends(
    steps: list[list[ScheduledSend]], *, ranks: int, length: int, ports: int, allowed: Observation
) -> Observation:
    """Replay steps of messages as ``replay`` does; the book's checker says what is wrong with them."""
    try:
        schedule = Schedule("all_reduce", "by hand", ranks, length, tuple(map(tuple, steps)))
    except ValueError as error:
        return {RUN: str(error)}
    moments = [[[10**rank] * length for rank in range(ranks)]]
    links, sent, received = Counter[tuple[int, int]](), [0] * ranks, [0] * ranks
    for sends in schedule.rounds:
        before, after = moments[-1], [list(numbers) for numbers in moments[-1]]
        for send in sends:
            sent[send.source] += NUMBER_BYTES * send.elements
            received[send.destination] += NUMBER_BYTES * send.elements
            links[send.source, send.destination] += NUMBER_BYTES * send.elements
            for place in (place for start, stop in send.ranges for place in range(start, stop)):
                kept = after[send.destination][place] if send.combine else 0
                after[send.destination][place] = kept + before[send.source][place]
        moments.append(after)
    partners = Counter(source for source, _ in links)
    costs = {SENT: sent, RECEIVED: received, STEPS: len(schedule.rounds)}
    costs |= {PARTNERS: max(partners.values(), default=0), LINK: max(links.values(), default=0)}
    fault = next(map(str, find_faults(schedule, ports=ports)), "none")
    shown: Observation = {RUN: ENDS, SUM: moments[-1], FAULTS: fault}
    if COMPLETE in allowed:
        middle, starts = moments[:ranks][-1], [start for start, stop in chunk_bounds(length, ranks) if start < stop]
        shown[COMPLETE] = [[rank for rank in range(ranks) if middle[rank][i] == int("1" * ranks)] for i in starts]
    return with_costs(shown, costs, allowed)


def vectors(ranks: int, length: int) -> list[list[int]]:
    chance = Random(100 * ranks + length)
    return [[chance.randint(-9, 9) for _ in range(length)] for _ in range(ranks)]


EXAMPLES: list[Inputs] = [
    {"vectors": [[1, 2], [10, 20]]},
    {"vectors": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]},
    {"vectors": [[1], [10], [100], [1000]]},
    {"vectors": [[5]]},
    {"vectors": [[], []]},
    {"vectors": [[1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60], [7, 7, 7, 7, 7, 7], [0, 1, 0, 1, 0, 1]]},
]
INPUTS: list[Inputs] = [{"vectors": vectors(ranks, length)} for ranks in range(2, 6) for length in (1, 2, 3, 5, 7)]

# The exchange of the solutions, and what two mistakes have instead.
EXCHANGE = "arrived = yield Exchange(to=right, numbers=own[start:stop], source=left)"
SEND_FIRST = "yield Send(right, own[start:stop]); arrived = yield Receive(left)"
IN_TURNS = (
    "early = (yield Receive(left)) if rank % 2 else None; yield Send(right, own[start:stop]); "
    "arrived = early if rank % 2 else (yield Receive(left))"
)


def through_rank_0(rank: int, ranks: int, numbers: list[float], *, scatters: bool) -> Program:
    """Everybody's vector goes to rank 0, which adds up and sends back what each is to end with."""
    if rank:
        yield Send(0, numbers)
        return (yield Receive(0))
    for source in range(1, ranks):
        numbers = added(numbers, (yield Receive(source)))
    for other in range(1, ranks):
        yield Send(other, share(numbers, other, ranks, scatters))
    return share(numbers, 0, ranks, scatters)


def whole_vectors_round(rank: int, ranks: int, numbers: list[float], *, scatters: bool) -> Program:
    """Everybody's whole vector goes round the ring, and everybody adds up all."""
    passing = numbers
    for _ in range(ranks - 1):
        passing = yield Exchange((rank + 1) % ranks, passing, (rank - 1) % ranks)
        numbers = added(numbers, passing)
    return share(numbers, rank, ranks, scatters)


def adds_nothing(rank: int, ranks: int, numbers: list[float]) -> Program:
    yield from ()
    return [5]


def added(one: list[float], other: list[float]) -> list[float]:
    return [mine + more for mine, more in zip(one, other, strict=True)]


def share(sums: list[float], rank: int, ranks: int, scatters: bool) -> list[float]:
    return sums[slice(*chunk_bounds(len(sums), ranks)[rank])] if scatters else sums
