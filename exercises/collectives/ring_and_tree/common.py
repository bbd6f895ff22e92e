"""What the exercises share: programs run and schedules replayed on simulators, which count bytes and steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby
from random import Random
from typing import Any

from grader.exercise import Inputs, Observation
from snippets.collectives.ring_and_tree.programs import run_programs
from snippets.collectives.ring_and_tree.term_panels import term_panels
from snippets.drawing import Panel
from snippets.simulation.checker import Fault, find_collective_faults
from snippets.simulation.machine import Exchange, RankProgramError, Receive, Send
from snippets.simulation.schedule import Range, Schedule, ScheduledSend, chunk_bounds, merged

RUN, ENDS = "the run", "every rank returns"
SUM = "the sum on each rank"
SENT = "with the right sum, sent by each rank"
RECEIVED = "with the right sum, received by each rank"
STEPS = "steps"
PARTNERS = "others that a rank sends to"
FOLLOWS = "the sum on each rank depends on what it receives"
MESSAGES, SENDABLE = "the messages", "each can be sent"
WRONG_SUMS = "wrong sums"
FAULTS = "faults"
LINK = "on the busiest link, one way"
LONGEST = "the longest message of each step, added up"
COMPLETE = "ranks where each chunk is complete after R − 1 steps"
NUMBER_BYTES = 8
# What is replayed: each entry of rank r is TERM ** r, so that a digit to this base counts the rank's terms.
TERM = 10**6

Program = Generator[Send | Receive | Exchange, list[float], list[float]]
Message = tuple[int, int, int, int, bool]
Rounds = list[list[Message]]


def phase_bytes(length: int, ranks: int) -> int:
    """Bytes of all entries but those of the shortest chunk: what a phase of a ring sends at most."""
    return NUMBER_BYTES * (length - length // ranks)


def right_sums() -> Observation:
    """What every right schedule shows of a replay: each rank's term once."""
    return {MESSAGES: SENDABLE, WRONG_SUMS: [], FAULTS: "none"}


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


def replay(rounds: Rounds, *, ranks: int, length: int, others: int, allowed: Observation) -> Observation:
    """Replay a schedule in which a rank may send to so many others in a step; pieces for the same one are one message.

    The book's checker says what is wrong with it, in steps that are counted from 1 as readers do.
    """
    if impossible := next(_impossible(rounds, ranks, length), ""):
        return {MESSAGES: impossible}
    steps = tuple(tuple(_joined(step)) for step in rounds)
    if repeated := next(_repeated(rounds, steps), ""):
        return {MESSAGES: repeated}
    schedule = Schedule("all_reduce", "by hand", ranks, length, steps)
    moments = [[[TERM**rank] * length for rank in range(ranks)]]
    sent, received, loads = [0] * ranks, [0] * ranks, []
    for sends in steps:
        before, after = moments[-1], [list(numbers) for numbers in moments[-1]]
        loads.append(Counter[tuple[int, int]]())
        for send in sends:
            sent[send.source] += NUMBER_BYTES * send.elements
            received[send.destination] += NUMBER_BYTES * send.elements
            loads[-1][send.source, send.destination] += NUMBER_BYTES * send.elements
            for place in (place for start, stop in send.ranges for place in range(start, stop)):
                kept = after[send.destination][place] if send.combine else 0
                after[send.destination][place] = kept + before[send.source][place]
        moments.append(after)
    links = sum(loads, Counter[tuple[int, int]]())
    partners = Counter(source for source, _ in {link for load in loads for link in load})
    costs = {SENT: sent, RECEIVED: received, STEPS: len(steps), PARTNERS: max(partners.values(), default=0)}
    costs |= {LINK: max(links.values(), default=0), LONGEST: sum(max(load.values(), default=0) for load in loads)}
    fault = next(_crowds(steps, others), "") or next(
        map(_counted_from_1, find_collective_faults(schedule, ports=None)), "none"
    )
    shown: Observation = {MESSAGES: SENDABLE, WRONG_SUMS: list(_wrong_sums(moments[-1])), FAULTS: fault}
    if COMPLETE in allowed:
        middle, starts = moments[:ranks][-1], [start for start, stop in chunk_bounds(length, ranks) if start < stop]
        whole = sum(TERM**rank for rank in range(ranks))
        shown[COMPLETE] = [[rank for rank in range(ranks) if middle[rank][i] == whole] for i in starts]
    return with_costs(shown, costs, allowed)


def _impossible(rounds: Rounds, ranks: int, length: int) -> Iterator[str]:
    """Say which messages cannot be sent, and why."""
    for number, step in enumerate(rounds, start=1):
        for message in step:
            source, to, start, stop, _ = message
            place = f"step {number}, {message}: "
            if not all(type(part) is int for part in message[:4]):
                yield f"{place}ranks, start and stop are whole numbers"
            elif not (0 <= source < ranks and 0 <= to < ranks):
                yield f"{place}there is no rank {to if 0 <= source < ranks else source}, only 0 to {ranks - 1}"
            elif source == to:
                yield f"{place}a rank sends to another one"
            elif start > stop:
                yield f"{place}start is behind stop"
            elif start < 0 or stop > length:
                yield f"{place}start and stop are from 0 to {length}"


def _joined(step: list[Message]) -> Iterator[ScheduledSend]:
    """Join the pieces of a step that go from one rank to another."""
    pieces: defaultdict[tuple[int, int, bool], list[Range]] = defaultdict(list)
    for source, to, start, stop, adds in step:
        pieces[source, to, adds].append((start, stop))
    for (source, to, adds), ranges in pieces.items():
        yield ScheduledSend(source, to, merged(tuple(ranges)), adds)


def _repeated(rounds: Rounds, steps: Sequence[Sequence[ScheduledSend]]) -> Iterator[str]:
    """Say which rank sends another one the same entry twice in a step."""
    for number, (step, sends) in enumerate(zip(rounds, steps, strict=True), start=1):
        pieces = Counter[tuple[int, int, bool]]()
        for source, to, start, stop, adds in step:
            pieces[source, to, adds] += stop - start
        for source, to, ranges, adds in sends:
            if sum(stop - start for start, stop in ranges) < pieces[source, to, adds]:
                yield f"step {number}: rank {source} sends rank {to} an entry twice"


def _crowds(steps: Sequence[Sequence[ScheduledSend]], others: int) -> Iterator[str]:
    """Say where a rank sends to more others in a step than it may, or receives from more."""
    for number, sends in enumerate(steps, start=1):
        links = {(send.source, send.destination) for send in sends}
        for verb, ends in (("sends to", Counter(a for a, _ in links)), ("receives from", Counter(b for _, b in links))):
            for rank, count in sorted(ends.items()):
                if count > others:
                    yield f"step {number}: rank {rank} {verb} {count} others, more than {others}"


def _counted_from_1(fault: Fault) -> str:
    place = "end" if fault.round is None else f"step {fault.round + 1}"
    return f"{place}: {fault.message.replace('in one round', 'in one step')}"


def _wrong_sums(sums: list[list[int]]) -> Iterator[str]:
    """Say which ranks end with other sums, in which entries, and which terms these lack or have more than once."""
    for rank, numbers in enumerate(sums):
        start = 0
        for number, run in groupby(numbers):
            stop = start + len(list(run))
            counts = [number // TERM**other % TERM for other in range(len(sums))]
            if set(counts) != {1}:
                entries = f"entry {start}" if stop - start == 1 else f"entries {start} to {stop - 1}"
                lacking = ", ".join(str(other) for other, count in enumerate(counts) if not count)
                parts = [f"without the terms of {lacking}"] if lacking else []
                parts += [f"{count} times that of {other}" for other, count in enumerate(counts) if count > 1]
                yield f"rank {rank}, {entries}: {'; '.join(parts)}"
            start = stop


def moments_of(rounds: Rounds, *, ranks: int, length: int) -> Sequence[Panel]:
    """Draw whose terms stand where after each step of a schedule."""
    return term_panels(rounds, ranks=ranks, length=length)


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


def drawn(chance: Random) -> list[Inputs]:
    """Return vectors as ``INPUTS`` has, of other numbers."""
    return [
        {"vectors": [[chance.randint(-99, 99) for _ in range(length)] for _ in range(ranks)]}
        for ranks in range(2, 6)
        for length in (1, 2, 3, 5, 7)
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


def adds_nothing(rank: int, ranks: int, numbers: list[float]) -> Program:
    yield from ()
    return [5]


def added(one: list[float], other: list[float]) -> list[float]:
    return [mine + more for mine, more in zip(one, other, strict=True)]


def share(sums: list[float], rank: int, ranks: int, scatters: bool) -> list[float]:
    return sums[slice(*chunk_bounds(len(sums), ranks)[rank])] if scatters else sums
