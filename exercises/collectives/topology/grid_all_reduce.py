"""Exercise: an all-reduce on a torus, as a program that every rank runs, by dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterator
from functools import cache
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.topology.formulas import dimension_schedule
from snippets.simulation.machine import AllGather, AllReduce, Machine, RankProgramError, ReduceScatter, Request

PROBLEM, SUM = "what stops the ranks", "the sum on each rank"
FAR = "messages between ranks that are no neighbours"
SENT, STEPS = "the most that a rank sends", "steps"


def grid_all_reduce(
    *,
    rank: int,
    sides: list[int],
    numbers: list[int],
) -> Generator[Request, Any, list[int]]:
    """Add up the ranks' numbers on a torus, where only neighbours have links.

    This is a generator that runs on every rank. It takes part in a collective
    of a group of ranks by yielding a request, whose result is the value of the
    ``yield``. All ranks of the group ask for the same, with the same list:

        part = yield ReduceScatter(numbers, group=ranks)  # one part of the sum
        whole = yield AllReduce(numbers, group=ranks)  # all of the sum
        joined = yield AllGather(part, group=ranks)  # all parts, in order

    Each runs as a ring through the group in its order, back to its first; the
    q-th rank of the group gets the q-th part. The ranks stand on a grid: rank
    x + s·y has the coordinates (x, y) if ``sides`` is [s, t], and likewise
    with more dimensions. Two ranks are neighbours if they differ by 1 in one
    coordinate, or stand at the two ends of a line.

    Args:
        rank: number of this rank, from 0.
        sides: ranks along each dimension.
        numbers: what this rank brings; as many on every rank, perhaps none.

    Returns:
        The sums over all ranks, entry by entry. The grader also looks at which
        ranks send to each other, at the bytes that the busiest one sends, and
        at the steps that follow each other: bytes and steps may not be more
        than an all-reduce by dimensions takes. One part is enough; do not cut
        the vector into parts that take the dimensions in different orders.

    >>> program = grid_all_reduce(rank=0, sides=[1], numbers=[5, 7])
    >>> type(next(program)).__name__
    'ReduceScatter'
    """
    groups, stride = [], 1
    for side in sides:
        first = rank - rank // stride % side * stride
        groups.append([first + stride * step for step in range(side)])
        stride *= side
    for group in groups:
        numbers = yield ReduceScatter(numbers, group=group)
    for group in reversed(groups):
        numbers = yield AllGather(numbers, group=group)
    return numbers


def checked(program: Any, rank: int, ranks: int, lists: dict[int, list[int]]) -> Any:
    """Return the program with its groups looked at, or what is no program as it is."""
    return (
        _checked(program, rank, ranks, lists) if isinstance(program, Iterator) and hasattr(program, "send") else program
    )


def _checked(program: Any, rank: int, ranks: int, lists: dict[int, list[int]]) -> Generator[Any, Any, Any]:
    """Pass on what a program yields, groups as lists of ranks, and say what is wrong with a group.

    Args:
        program: of the answer.
        rank: which rank runs it.
        ranks: how many there are.
        lists: for each rank its last group.
    """

    def looked_at(request: Any) -> Any:
        if isinstance(request, list):
            return [looked_at(each) for each in request]
        if not isinstance(request, ReduceScatter | AllGather | AllReduce):
            return request
        name, group = type(request).__name__, request.group
        if group is None and isinstance(request.into, list | tuple | range) and rank in request.into:
            raise RankProgramError(f"rank {rank} gives {name} a group without its name: write group=…")
        if group is None:
            return request
        members = group.tolist() if hasattr(group, "tolist") else group
        if isinstance(members, list | tuple | range):
            lists[rank] = list(members)
            for member in members:
                if type(member) is not int or not 0 <= member < ranks:
                    raise RankProgramError(
                        f"rank {rank} asks for {name} with group {list(members)}, but ranks are 0 to {ranks - 1}"
                    )
            return request._replace(group=list(members))
        return request

    result = None
    while True:
        try:
            request = program.send(result)
        except StopIteration as end:
            return end.value
        result = yield looked_at(request)


def differing(lists: dict[int, list[int]]) -> str:
    """Return how two ranks list the same group in different orders, if they do."""
    seen: dict[frozenset[int], tuple[int, list[int]]] = {}
    for rank, members in sorted(lists.items()):
        other, listed = seen.setdefault(frozenset(members), (rank, members))
        if listed != members:
            return f"rank {other} gives the list {listed}, rank {rank} the list {members}, so they wait for each other"
    return ""


def neighbours(sides: list[int], one: int, other: int) -> bool:
    stride, differ = 1, 0
    for side in sides:
        steps = (other // stride - one // stride) % side
        if steps not in (0, 1, side - 1):
            return False
        differ += steps != 0
        stride *= side
    return differ == 1


def observe(function: Callable[..., Any], *, sides: list[int], vectors: list[list[int]]) -> Observation:
    """Run the answer on all ranks of a machine, and look at its account."""
    machine = Machine(math.prod(sides), most_requests=2000)
    programs = [function(rank=rank, sides=list(sides), numbers=list(vector)) for rank, vector in enumerate(vectors)]
    lists: dict[int, list[int]] = {}
    try:
        results = machine.run([checked(program, rank, len(vectors), lists) for rank, program in enumerate(programs)])
    except RankProgramError as error:
        return {PROBLEM: differing(lists) or str(error)}
    account = machine.account
    far = sum(not neighbours(sides, message.source, message.destination) for message in account.messages)
    most, steps = allowed(tuple(sides), len(vectors[0]))
    shown: Observation = {PROBLEM: "nothing", SUM: [list(result or []) for result in results], FAR: far}
    return {**shown, SENT: max(most, *account.sent_bytes, 0), STEPS: max(steps, account.steps)}


@cache
def allowed(sides: tuple[int, ...], length: int) -> tuple[int, int]:
    """Return what the schedule by dimensions costs, in the order of dimensions that costs most."""
    most = steps = 0
    for order in set(itertools.permutations(sides)):
        schedule = dimension_schedule(order, length)
        sent = [0] * schedule.ranks
        for sends in schedule.rounds:
            for send in sends:
                sent[send.source] += 8 * send.elements
        most, steps = max(most, *sent, 0), len(schedule.rounds)
    return most, steps


def wanted(*, sides: list[int], vectors: list[list[int]]) -> Observation:
    total = [sum(column) for column in zip(*vectors, strict=True)]
    most, steps = allowed(tuple(sides), len(total))
    return {PROBLEM: "nothing", SUM: [total] * len(vectors), FAR: 0, SENT: most, STEPS: steps}


SIDES = ([4], [3, 2], [2, 4], [4, 3], [3, 1, 2], [2, 3, 2], [1, 4])
LENGTHS = (0, 1, 7, 24)


def torus(sides: list[int], length: int, chance: Random | None = None) -> Inputs:
    chance = chance or Random(100 * math.prod(sides) + length)
    return {
        "sides": sides,
        "vectors": [[chance.randint(-9, 9) for _ in range(length)] for _ in range(math.prod(sides))],
    }


def one_dimension_after_the_other(*, rank: int, sides: list[int], numbers: list[int]) -> Generator[Any, Any, list[int]]:
    stride = 1
    for side in sides:
        first = rank - rank // stride % side * stride
        numbers = yield AllReduce(numbers, group=[first + stride * step for step in range(side)])
        stride *= side
    return numbers


def one_ring(*, rank: int, sides: list[int], numbers: list[int]) -> Generator[Any, Any, list[int]]:
    return (yield AllReduce(numbers, group=list(range(math.prod(sides)))))


def all_reduces_the_rest(*, rank: int, sides: list[int], numbers: list[int]) -> Generator[Any, Any, list[int]]:
    first = list(range(rank // sides[0] * sides[0], rank // sides[0] * sides[0] + sides[0]))
    part, stride = (yield ReduceScatter(numbers, group=first)), sides[0]
    for side in sides[1:]:
        start = rank - rank // stride % side * stride
        part = yield AllReduce(part, group=[start + stride * step for step in range(side)])
        stride *= side
    return (yield AllGather(part, group=first))


GATHERS = "for group in reversed(groups):"

EXERCISE = Exercise(
    grid_all_reduce,
    number=2,
    level="medium",
    asked="an all-reduce whose messages go between neighbours alone, and cost no more than needed",
    expected=wanted,
    observe=observe,
    units={SENT: "bytes"},
    given=("AllGather", "AllReduce", "ReduceScatter"),
    examples=[
        {"sides": [2, 2], "vectors": [[1, 2, 3, 4], [10, 20, 30, 40], [5, 5, 5, 5], [0, 1, 0, 1]]},
        {"sides": [3], "vectors": [[1, 2, 3], [10, 20, 30], [7, 8, 9]]},
        torus([2, 3], 12),
        torus([3, 3], 9),
        torus([4, 4], 16),
        torus([2, 2, 2], 5),
        torus([1], 2),
        torus([2, 2, 2, 2], 16),
        torus([3, 3, 3], 27),
    ],
    inputs=[torus(sides, length) for sides in SIDES for length in LENGTHS],
    drawn=lambda chance: [torus(sides, length, chance) for sides in SIDES for length in LENGTHS],
    mistakes=[
        Mistake(
            "all_reduces_every_dimension",
            "The sums are right, the bytes are not: along the second dimension every rank still carries the whole "
            "vector. Reduce-scatter along the first, so that only a share goes on.",
            one_dimension_after_the_other,
        ),
        Mistake(
            "takes_one_ring",
            "One ring through all ranks in the order of their numbers jumps from the end of a row to the start of the "
            "next, and takes 2(R − 1) steps.",
            one_ring,
        ),
        Mistake(
            "gathers_in_the_same_order",
            "Gather in the opposite order: the parts that were cut last have to be joined first.",
            {GATHERS: "for group in groups:"},
        ),
        Mistake(
            "never_gathers",
            "These are the reduce-scatters alone: each rank ends with its part of the sums.",
            {GATHERS: "for group in []:"},
        ),
        Mistake(
            "never_steps_over",
            "Along the second dimension the ranks differ by the first side, not by 1.",
            {"        stride *= side\n": ""},
        ),
        Mistake(
            "drops_the_results",
            "These are the rank's own numbers, although it takes part: the sums are the values of the `yield`s.",
            {
                "numbers = yield ReduceScatter(": "yield ReduceScatter(",
                "numbers = yield AllGather(": "yield AllGather(",
            },
        ),
        Mistake(
            "counts_from_the_last_side",
            "The first side varies fastest: rank x + s·y stands at (x, y). Here neighbouring numbers lie along "
            "the last dimension.",
            {
                "groups, stride = [], 1": "groups, stride = [], math.prod(sides)",
                "    for side in sides:\n": "    for side in sides:\n        stride //= side\n",
                "        stride *= side\n": "",
            },
        ),
        Mistake(
            "cuts_once",
            "Along the third dimension every rank still carries what it had along the second: reduce-scatter along "
            "each.",
            all_reduces_the_rest,
        ),
        Mistake(
            "is_always_a_square",
            "This takes the first side for all dimensions; the sides may differ.",
            {"    for side in sides:\n": "    for side in [sides[0]] * len(sides):\n"},
        ),
    ],
)
