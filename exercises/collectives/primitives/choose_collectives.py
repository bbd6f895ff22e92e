"""Exercise: the calls that bring every rank what it needs, with the fewest chunks through the busiest port."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.collectives.traffic import collective_traffic
from snippets.simulation.algorithms import PLAINEST, build_collective

ROOTED = ("broadcast", "reduce", "scatter", "gather")
ROOTLESS = ("all_gather", "reduce_scatter", "all_reduce")
MOST_CALLS = 2
CALLS, POSSIBLE = "calls", "at most two, each one of the seven primitives, and its root"
LACKS = "ranks that lack a chunk they need"
BUSIEST, ALL = "chunks through the busiest port, beyond the least", "chunks sent in all, beyond the least"

Grid = list[list[int]]
Calls = list[tuple[str, int]]
Cost = tuple[int, int]


def choose_collectives(
    *,
    ranks: int,
    brings: str,
    holder: int,
    needs: list[list[int]],
) -> list[tuple[str, int]]:
    """Choose the calls, at most two, after which each rank has what it needs.

    Rank r owns chunk r. A call works in place: it overwrites the cells that it
    fills, and the others stay as they are; what was never there is 0. A call
    costs what the chapter's plain algorithms send: rings, or single messages
    between the root and the others. A rank's port carries the chunks that it
    sends or those that it receives over both calls, whichever are more. The
    busiest port has to carry as few as possible; among the ways that do so, as
    few as possible are to be sent in all.

    Args:
        ranks: number of ranks R, at least 3.
        brings: ``"vectors"``: every rank has all R chunks of a vector of its
            own, and what is needed are chunks of the sum; ``"shards"``: every
            rank has its own chunk of one vector; ``"one"``: the holder has all
            of one vector, the others nothing.
        holder: the rank that has the vector; 0 for the other two.
        needs: for each rank the chunks that it must end with. There are four
            kinds: every rank needs its own chunk; every rank needs the next
            rank's (the last needs chunk 0); every rank needs all R; or one
            rank needs all R, while any number of the others need their own
            chunk, and the rest nothing.

    Returns:
        Pairs of a primitive and its root, in the order of the calls. The
        primitives are ``"broadcast"``, ``"reduce"``, ``"scatter"``,
        ``"gather"``, ``"all_gather"``, ``"reduce_scatter"`` and
        ``"all_reduce"``; the last three have no root: write 0.

    >>> choose_collectives(
    ...     ranks=3, brings="shards", holder=0, needs=[[0], [0, 1, 2], [2]]
    ... )
    [('gather', 1)]
    """
    calls = []
    needing = [rank for rank in range(ranks) if set(needs[rank]) - {rank}]
    if brings == "vectors":
        calls = [("reduce_scatter", 0)]  # whoever needs the sum, it is formed in shards
    elif brings == "one":
        needing = [rank for rank in needing if rank != holder]
        if any(needs[rank] for rank in range(ranks) if rank != holder):
            calls = [("scatter", holder)]
    if len(needing) == 1:
        calls.append(("gather", needing[0]))
    elif needing:
        calls.append(("all_gather", 0))
    return calls


def brought(brings: str, ranks: int, holder: int) -> Grid:
    """Return what the ranks hold before: numbers of which no two sums are equal."""
    numbers = [[1 << (rank * ranks + chunk) for chunk in range(ranks)] for rank in range(ranks)]
    return [
        [
            number if brings == "vectors" or (rank == chunk if brings == "shards" else rank == holder) else 0
            for chunk, number in enumerate(row)
        ]
        for rank, row in enumerate(numbers)
    ]


def lacking(grid: Grid, brings: str, holder: int, needs: list[list[int]]) -> list[int]:
    """Return the ranks that do not hold what they need."""
    start = brought(brings, len(grid), holder)
    wanted = [sum(row[chunk] for row in start) for chunk in range(len(grid))]
    return [rank for rank, row in enumerate(grid) if any(row[chunk] != wanted[chunk] for chunk in needs[rank])]


def carried_out(grid: Grid, primitive: str, root: int) -> tuple[Grid, list[int], list[int]]:
    """Move the numbers message by message; return the grid after, and what each rank sent and received."""
    ranks = len(grid)
    schedule = build_collective(primitive, PLAINEST[primitive], ranks=ranks, length=ranks, root=root)
    held = [
        {chunk: grid[rank][chunk] for start, stop in schedule.input_ranges(rank) for chunk in range(start, stop)}
        for rank in range(ranks)
    ]
    sent, received = [0] * ranks, [0] * ranks
    for sends in schedule.rounds:
        for send, numbers in [
            (send, {chunk: held[send.source][chunk] for start, stop in send.ranges for chunk in range(start, stop)})
            for send in sends
        ]:
            target = held[send.destination]
            for chunk, number in numbers.items():
                target[chunk] = target[chunk] + number if send.combine else number
            sent[send.source] += len(numbers)
            received[send.destination] += len(numbers)
    after = [list(row) for row in grid]
    for rank, row in enumerate(after):
        for start, stop in schedule.output_ranges(rank):
            for chunk in range(start, stop):
                row[chunk] = held[rank][chunk]
    return after, sent, received


def observe_calls(
    function: Callable[..., Any], *, ranks: int, brings: str, holder: int, needs: list[list[int]]
) -> Observation:
    """Carry the calls out, and compare what they sent with the least."""
    calls = function(ranks=ranks, brings=brings, holder=holder, needs=needs)
    grid, sent, received = brought(brings, ranks, holder), [0] * ranks, [0] * ranks
    if len(calls) > MOST_CALLS:
        return {CALLS: f"{len(calls)}, more than {MOST_CALLS}"}
    for primitive, root in calls:
        if primitive not in ROOTED + ROOTLESS:
            return {CALLS: f"{primitive!r}, which is none of {', '.join(ROOTED + ROOTLESS)}"}
        if primitive in ROOTED and not 0 <= root < ranks:
            return {CALLS: f"{primitive} with root {root}: the ranks are 0 to {ranks - 1}"}
        if primitive in ROOTLESS and root:
            return {CALLS: f"{primitive} with root {root}: it has none, so write 0"}
        grid, out, into = carried_out(grid, primitive, root)
        sent, received = ([a + b for a, b in zip(*pair, strict=True)] for pair in ((sent, out), (received, into)))
    busiest, whole = least(ranks, brings, holder, tuple(map(tuple, needs)))
    return {
        CALLS: POSSIBLE,
        LACKS: lacking(grid, brings, holder, needs),
        BUSIEST: max(0, max(sent + received) - busiest),
        ALL: max(0, sum(sent) - whole),
    }


def nothing_beyond_the_least(**inputs: Any) -> Observation:
    return {CALLS: POSSIBLE, LACKS: [], BUSIEST: 0, ALL: 0}


def defined(grid: Grid, primitive: str, root: int) -> Grid:
    """Return what a primitive makes of a grid by its definition: whose numbers are added, and who ends with the sum."""
    ranks, alone = range(len(grid)), [root]
    after = [list(row) for row in grid]
    for chunk in ranks:
        asked, answered = {
            "broadcast": (alone, ranks),
            "reduce": (ranks, alone),
            "scatter": (alone, [chunk]),
            "gather": ([chunk], alone),
            "all_gather": ([chunk], ranks),
            "reduce_scatter": (ranks, [chunk]),
            "all_reduce": (ranks, ranks),
        }[primitive]
        total = sum(grid[rank][chunk] for rank in asked)
        for rank in answered:
            after[rank][chunk] = total
    return after


@cache
def ways(ranks: int, brings: str, holder: int, most: int = MOST_CALLS) -> dict[tuple[tuple[int, ...], ...], Cost]:
    """Try all sequences of calls: for each grid after, the least busy port and the chunks in all, by the formulas."""
    calls = [(name, root) for name in ROOTED for root in range(ranks)] + [(name, 0) for name in ROOTLESS]
    costs = {}
    for name, root in calls:
        cost = collective_traffic(name, PLAINEST[name], ranks=ranks, size_bytes=ranks, element_bytes=1, root=root)
        costs[name, root] = cost.sent_bytes + cost.received_bytes
    enough = 2 * (ranks - 1)  # an all-reduce, or a scatter and an all-gather, gives everybody everything
    found: dict[tuple[tuple[int, ...], ...], Cost] = {}
    for count in range(most + 1):
        for chosen in product(calls, repeat=count):
            ports = [sum(moved) for moved in zip([0] * 2 * ranks, *(costs[call] for call in chosen), strict=True)]
            if max(ports) <= enough:
                grid = brought(brings, ranks, holder)
                for name, root in chosen:
                    grid = defined(grid, name, root)
                after, cost_of_all = tuple(map(tuple, grid)), (max(ports), sum(ports) // 2)
                found[after] = min(cost_of_all, found.get(after, cost_of_all))
    return found


@cache
def least(ranks: int, brings: str, holder: int, needs: tuple[tuple[int, ...], ...], most: int = MOST_CALLS) -> Cost:
    """Return the fewest chunks through the busiest port, and the fewest in all among the ways that achieve it."""
    total = [sum(column) for column in zip(*brought(brings, ranks, holder), strict=True)]
    wanted = [(rank, chunk, total[chunk]) for rank, chunks in enumerate(needs) for chunk in chunks]
    return min(
        cost
        for grid, cost in ways(ranks, brings, holder, most).items()
        if all(grid[rank][chunk] == number for rank, chunk, number in wanted)
    )


def case(brings: str, needs: list[list[int]], holder: int = 0) -> Inputs:
    return {"ranks": len(needs), "brings": brings, "holder": holder, "needs": needs}


def own(ranks: int) -> list[list[int]]:
    return [[rank] for rank in range(ranks)]


def everything(ranks: int) -> list[list[int]]:
    return [list(range(ranks)) for _ in range(ranks)]


def one_needs_all(ranks: int, rank: int, others: bool) -> list[list[int]]:
    return [list(range(ranks)) if other == rank else [other] if others else [] for other in range(ranks)]


def next_chunk(ranks: int) -> list[list[int]]:
    return [[(rank + 1) % ranks] for rank in range(ranks)]


def all_inputs() -> list[Inputs]:
    found = []
    for ranks in (3, 4):
        needs = [own(ranks), everything(ranks), next_chunk(ranks)]
        needs += [one_needs_all(ranks, rank, others) for rank in range(ranks) for others in (False, True)]
        for brings in ("vectors", "shards"):
            found += [case(brings, needed) for needed in needs]
        found += [case("one", needed, holder) for needed in needs for holder in range(ranks)]
        mixed = [[0, 1, 2][:ranks] + [3] * (ranks > 3), [1], *[[] for _ in range(ranks - 2)]]
        found += [case(brings, mixed) for brings in ("vectors", "shards", "one")] + [case("one", mixed, ranks - 1)]
    for ranks in (5, 6, 7):
        found += [case("one", one_needs_all(ranks, 2, ranks == 6), 2), case("shards", next_chunk(ranks))]
        found += [case("one", next_chunk(ranks), ranks - 1), case("vectors", one_needs_all(ranks, 4, ranks == 5))]
    return found


def broadcasts_what_all_need(ranks: int, brings: str, holder: int, needs: list[list[int]]) -> Calls:
    calls = choose_collectives(ranks=ranks, brings=brings, holder=holder, needs=needs)
    return [("broadcast", holder)] if [name for name, _ in calls] == ["scatter", "all_gather"] else calls


def reduces_then_scatters(ranks: int, brings: str, holder: int, needs: list[list[int]]) -> Calls:
    calls = choose_collectives(ranks=ranks, brings=brings, holder=holder, needs=needs)
    return [("reduce", 0), ("scatter", 0)] if calls == [("reduce_scatter", 0)] else calls


def is_right(calls: Calls, **inputs: Any) -> bool:
    return observe_calls(lambda **_: calls, **inputs) == nothing_beyond_the_least()


def serves(calls: Calls, **inputs: Any) -> bool:
    return observe_calls(lambda **_: calls, **inputs).get(LACKS) == []


def is_right_exchanged(calls: Calls, **inputs: Any) -> bool:
    other = {"gather": "scatter", "scatter": "gather"}
    either = [{(name, root), (other.get(name, name), root)} for name, root in calls]
    return any(is_right(list(meant), **inputs) for meant in product(*either))


def reduces_where_shards_are_enough(calls: Calls, **inputs: Any) -> bool:
    there_and_back = [name for name, _ in calls] == ["reduce", "scatter"] and serves(calls, **inputs)
    return is_right(calls, **inputs) or (inputs["brings"] == "vectors" and there_and_back)


def broadcasts_from_the_holder(calls: Calls, **inputs: Any) -> bool:
    broadcast = inputs["brings"] == "one" and list(map(tuple, calls)) == [("broadcast", inputs["holder"])]
    wanted = any(chunks for rank, chunks in enumerate(inputs["needs"]) if rank != inputs["holder"])
    return is_right(calls, **inputs) or (broadcast and wanted)


def brings_all_to_all(calls: Calls, **inputs: Any) -> bool:
    has_all = inputs["holder"] if inputs["brings"] == "one" else None
    needing = [rank for rank, chunks in enumerate(inputs["needs"]) if set(chunks) - {rank} and rank != has_all]
    reaches_all = bool(calls) and calls[-1][0] in ("all_gather", "all_reduce") and serves(calls, **inputs)
    return is_right(calls, **inputs) or (len(needing) == 1 and reaches_all)


def scatters_for_nobody(calls: Calls, **inputs: Any) -> bool:
    unwanted = not any(chunks for rank, chunks in enumerate(inputs["needs"]) if rank != inputs["holder"])
    scatter = inputs["brings"] == "one" and list(map(tuple, calls)) == [("scatter", inputs["holder"])]
    return is_right(calls, **inputs) or (unwanted and scatter)


def reduces_to_the_root(ranks: int, brings: str, holder: int, needs: list[list[int]]) -> Calls:
    calls = choose_collectives(ranks=ranks, brings=brings, holder=holder, needs=needs)
    return [("reduce", calls[1][1])] if [name for name, _ in calls] == ["reduce_scatter", "gather"] else calls


def drawn(chance: Random) -> list[Inputs]:
    """Return each kind of need on three to six ranks."""
    found = []
    for brings in ("vectors", "shards", "one") * 12:
        ranks = chance.randint(3, 6)
        kinds = [own(ranks), everything(ranks), next_chunk(ranks)]
        kinds += [one_needs_all(ranks, chance.randrange(ranks), others) for others in (False, True)]
        found.append(case(brings, chance.choice(kinds), chance.randrange(ranks) if brings == "one" else 0))
    return found


def busiest_port(calls: Calls, inputs: Inputs) -> int:
    """Return the chunks through the busiest port, sent or received."""
    ranks = inputs["ranks"]
    grid, moved = brought(inputs["brings"], ranks, inputs["holder"]), [0] * 2 * ranks
    for primitive, root in calls:
        grid, sent, received = carried_out(grid, primitive, root)
        moved = [a + b for a, b in zip(moved, sent + received, strict=True)]
    return max(moved)


def taught() -> str:
    own = EXERCISE.examples[-1]
    calls = choose_collectives(**own)
    few, many = (busiest_port(some, own) for some in (calls, [("reduce", 0)]))
    return (
        f"For question 5: a {calls[0][0]} and then a {calls[1][0]} to rank {calls[1][1]}, with {few} chunks through "
        f"the busiest port. One reduce does it too, and brings {many} chunks to rank 0's port. With the sum formed in "
        "shards, all ranks share that work."
    )


EXERCISE = Exercise(
    choose_collectives,
    number=4,
    asked="at most two calls after which each rank has what it needs, with the fewest chunks",
    expected=nothing_beyond_the_least,
    observe=observe_calls,
    examples=[
        case("shards", one_needs_all(3, 1, True)),
        case("vectors", own(3)),
        case("vectors", everything(3)),
        case("one", own(3), 2),
        case("one", everything(3), 1),
        case("one", one_needs_all(3, 2, False), 2),
        case("vectors", one_needs_all(8, 0, True)),
    ],
    inputs=all_inputs(),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "all_reduces_always",
            "An all-reduce leaves every chunk of the sum on every rank, also where only its owner needs it.",
            {
                'calls = [("reduce_scatter", 0)]': 'return [("all_reduce", 0)]',
            },
        ),
        Mistake(
            "reduces_to_the_root",
            "A reduce brings all vectors to the one port of the root; form the sum in shards, then gather these.",
            reduces_to_the_root,
        ),
        Mistake(
            "broadcasts_what_all_need",
            "In a broadcast the holder's port carries the vector once for each other rank. Let the holder send each "
            "chunk once, to its owner, and the owners hand on what others need.",
            broadcasts_what_all_need,
            broadcasts_from_the_holder,
        ),
        Mistake(
            "gathers_on_all",
            "An all-gather, like an all-reduce, brings all chunks to all ranks; where one rank alone needs them, a "
            "gather sends fewer.",
            {"len(needing) == 1": "False"},
            brings_all_to_all,
        ),
        Mistake(
            "gathers_on_rank_0",
            "The root of a gather is the rank that needs the chunks, which is not always rank 0.",
            {'"gather", needing[0]': '"gather", 0'},
        ),
        Mistake(
            "scatters_from_rank_0",
            "The vector is on the holder, and the scatter has to start there.",
            {'"scatter", holder': '"scatter", 0'},
        ),
        Mistake(
            "forgets_the_scatter",
            "Without a scatter the others have no chunk of the holder's vector to hand on.",
            {'calls = [("scatter", holder)]': "calls = []"},
        ),
        Mistake(
            "forgets_that_the_holder_has_all",
            "The holder has all chunks already, so nothing has to be gathered for it.",
            {"needing = [rank for rank in needing if rank != holder]": "pass"},
        ),
        Mistake(
            "exchanges_gather_and_scatter",
            "Gather and scatter are exchanged: a scatter goes from the root to the owners, a gather from them to the "
            "root.",
            {'"scatter", holder': '"gather", holder', '"gather", needing': '"scatter", needing'},
            is_right_exchanged,
        ),
        Mistake(
            "reduces_then_scatters",
            "A reduce and then a scatter send everything through the root's port. A reduce-scatter leaves each rank "
            "its own shard, and all ranks share the work.",
            reduces_then_scatters,
            reduces_where_shards_are_enough,
        ),
        Mistake(
            "scatters_for_nobody",
            "Where the holder alone needs something, nothing has to be sent: it has all chunks already.",
            {"if any(needs[rank] for rank in range(ranks) if rank != holder):": "if True:"},
            scatters_for_nobody,
        ),
        Mistake(
            "always_gathers_on_rank_1",
            "This is right for one input only: it does not look at who needs what.",
            lambda **_: [("gather", 1)],
        ),
    ],
)
