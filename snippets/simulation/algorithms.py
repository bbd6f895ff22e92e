"""Formulas: the algorithms of the book, each as a function from sizes to a schedule.

``build_collective`` is the door. What is written out here are broadcasts, scatters, all-gathers, all-to-alls, barriers
and the steps that only an all-reduce has; a reduce, gather or reduce-scatter is the adjoint of one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from snippets.domain import named, nonnegative_integer, positive_integer
from snippets.simulation.double_tree import double_binary_tree, double_tree_rounds, edge_delays
from snippets.simulation.schedule import (
    PRIMITIVES,
    Range,
    Schedule,
    ScheduledSend,
    adjoint_schedule,
    check_root,
    chunk_bound,
    chunk_bounds,
    merged,
)

Rounds = list[tuple[ScheduledSend, ...]]


class _Job(NamedTuple):
    """The sizes that a builder gets."""

    ranks: int
    length: int
    root: int
    segments: int

    @property
    def whole(self) -> tuple[Range, ...]:
        return merged(((0, self.length),))

    def rank(self, relative: int) -> int:
        """Return the rank that stands ``relative`` places after the root."""
        return (self.root + relative) % self.ranks

    @lru_cache(maxsize=4096)  # noqa: B019 - a job is four numbers, and a ring asks for each chunk in every step
    def chunks(self, first: int, count: int) -> tuple[Range, ...]:
        """Return the addresses of ``count`` consecutive ranks' chunks, from ``first`` on, cyclically."""
        return merged(tuple(chunk_bound(self.length, self.ranks, (first + step) % self.ranks) for step in range(count)))


def largest_power_of_two(limit: int) -> int:
    """Return the largest power of two that is not above ``limit``.

    Formula: $2^{\\lfloor \\log_2 i \\rfloor}$
    Symbols: i = limit
    Chapter: 13

    Args:
        limit: an integer of at least 1.

    Returns:
        The power of two, exact.

    Source: derived in this book.
    Convention: recursive doubling runs on this many ranks; the others fold into them before and copy from them after.
    Leaves out: nothing.

    Example:
        >>> [largest_power_of_two(ranks) for ranks in (1, 7, 8, 9)]
        [1, 4, 8, 8]
    """
    return 1 << (positive_integer("limit", limit).bit_length() - 1)


def tree_masks(ranks: int) -> list[int]:
    """Return the distances of a binomial tree's rounds, from the root's first message on.

    Args:
        ranks: number of ranks.

    Returns:
        ⌈log₂R⌉ powers of two, descending; none for one rank.

    Convention: the root stands at 0; in the round of distance m every multiple v of 2m sends to v + m, if that exists.
    Leaves out: trees of another degree.

    Example:
        >>> tree_masks(6)
        [4, 2, 1]
    """
    return [1 << bit for bit in reversed(range((positive_integer("ranks", ranks) - 1).bit_length()))]


# Broadcast and scatter: one root, relative ranks.


def _flat_broadcast(job: _Job) -> Rounds:
    return [(ScheduledSend(job.root, job.rank(v), job.whole, False),) for v in range(1, job.ranks)]


def _binomial_broadcast(job: _Job) -> Rounds:
    return [
        tuple(
            ScheduledSend(job.rank(v), job.rank(v + mask), job.whole, False)
            for v in range(0, job.ranks - mask, 2 * mask)
        )
        for mask in tree_masks(job.ranks)
    ]


def _chain_broadcast(job: _Job) -> Rounds:
    """A line of ranks; each passes on one segment while it receives the next."""
    blocks = [merged((block,)) for block in chunk_bounds(job.length, job.segments)]
    return [
        tuple(
            ScheduledSend(job.rank(v), job.rank(v + 1), blocks[number - v], False)
            for v in range(job.ranks - 1)
            if 0 <= number - v < job.segments
        )
        for number in range(job.ranks - 2 + job.segments if job.ranks > 1 else 0)
    ]


def _double_tree_broadcast(job: _Job) -> Rounds:
    rounds: list[list[ScheduledSend]] = [[] for _ in range(double_tree_rounds(ranks=job.ranks, segments=job.segments))]
    trees = zip(chunk_bounds(job.length, 2), double_binary_tree(job.ranks), edge_delays(job.ranks), strict=True)
    for (start, stop), parents, delays in trees:
        blocks = [merged(((start + a, start + b),)) for a, b in chunk_bounds(stop - start, job.segments)]
        for node, (parent, delay) in enumerate(zip(parents, delays, strict=True), start=1):
            for number, block in enumerate(blocks):
                rounds[delay + 2 * number].append(ScheduledSend(job.rank(parent), job.rank(node), block, False))
    return [tuple(sends) for sends in rounds]


def _flat_scatter(job: _Job) -> Rounds:
    return [(ScheduledSend(job.root, job.rank(v), job.chunks(job.rank(v), 1), False),) for v in range(1, job.ranks)]


def _binomial_scatter(job: _Job) -> Rounds:
    """The binomial tree, where each message carries the chunks of the receiver's whole subtree."""
    return [
        tuple(
            ScheduledSend(
                job.rank(v),
                job.rank(v + mask),
                job.chunks(job.rank(v + mask), min(mask, job.ranks - v - mask)),
                False,
            )
            for v in range(0, job.ranks - mask, 2 * mask)
        )
        for mask in tree_masks(job.ranks)
    ]


def _scatter_all_gather_broadcast(job: _Job) -> Rounds:
    return _binomial_scatter(job) + _ring_all_gather(job)


# All-gather: rank r brings chunk r.


def _flat_all_gather(job: _Job) -> Rounds:
    return _adjoint_rounds("scatter", "flat", job) + _flat_broadcast(job)


def _ring_all_gather(job: _Job, direction: int = 1) -> Rounds:
    """In step s rank r passes on the chunk that it received in step s − 1, at first its own."""
    ranks = job.ranks
    return [
        tuple(
            ScheduledSend(rank, (rank + direction) % ranks, job.chunks((rank - direction * step) % ranks, 1), False)
            for rank in range(ranks)
        )
        for step in range(ranks - 1)
    ]


def _pairwise_all_gather(job: _Job) -> Rounds:
    ranks = job.ranks
    return [
        tuple(ScheduledSend(rank, (rank + step) % ranks, job.chunks(rank, 1), False) for rank in range(ranks))
        for step in range(1, ranks)
    ]


def _bruck_all_gather(job: _Job) -> Rounds:
    """Before the step of distance d rank r holds the chunks r … r + d − 1; it sends those that r − d lacks."""
    ranks = job.ranks
    return [
        tuple(
            ScheduledSend(rank, (rank - distance) % ranks, job.chunks(rank, min(distance, ranks - distance)), False)
            for rank in range(ranks)
        )
        for distance in reversed(tree_masks(ranks))
    ]


def _doubling(members: Sequence[int], edges: Sequence[int]) -> Rounds:
    """All-gather among a power of two of members, the i-th of which brings the addresses edges[i] to edges[i+1]."""
    rounds = []
    for distance in reversed(tree_masks(len(members))):
        blocks = [index - index % distance for index in range(len(members))]
        rounds.append(
            tuple(
                ScheduledSend(
                    members[i], members[i ^ distance], merged(((edges[block], edges[block + distance]),)), False
                )
                for i, block in enumerate(blocks)
            )
        )
    return rounds


def _members(ranks: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the ranks that run the doubling, and the pairs (rank that folds, rank that it folds into)."""
    extra = ranks - largest_power_of_two(ranks)
    pairs = [(2 * pair, 2 * pair + 1) for pair in range(extra)]
    return [into for _, into in pairs] + list(range(2 * extra, ranks)), pairs


def _recursive_doubling_all_gather(job: _Job) -> Rounds:
    members, pairs = _members(job.ranks)
    starts = [chunk_bound(job.length, job.ranks, index)[0] for index in range(job.ranks)]
    edges = [starts[low] for low, _ in pairs] + [starts[rank] for rank in members[len(pairs) :]] + [job.length]
    fold = tuple(ScheduledSend(low, high, job.chunks(low, 1), False) for low, high in pairs)
    unfold = tuple(ScheduledSend(high, low, job.chunks(low + 1, job.ranks - 1), False) for low, high in pairs)
    core = _doubling(members, edges)
    return [fold, *core, unfold] if pairs else core


# Reduce, gather, reduce-scatter: adjoints.


def _adjoint_rounds(primitive: str, algorithm: str, job: _Job) -> Rounds:
    """Return the rounds of the adjoint of a primitive that is written out above."""
    rounds = _BUILDERS[primitive, algorithm](job)
    return list(adjoint_schedule(Schedule(primitive, algorithm, job.ranks, job.length, tuple(rounds), job.root)).rounds)


def _ring_reduce_scatter(job: _Job) -> Rounds:
    """The adjoint of the ring that runs the other way, so that both rings of an all-reduce send to rank + 1.

    Written out, for the adjoint of a large ring takes long: in step s rank r adds to its chunk r − 1 − s what arrives.
    """
    ranks = job.ranks
    return [
        tuple(
            ScheduledSend(rank, (rank + 1) % ranks, chunk, bool(chunk))
            for rank in range(ranks)
            for chunk in (job.chunks((rank - 1 - step) % ranks, 1),)
        )
        for step in range(ranks - 1)
    ]


def _reversed_from(primitive: str, algorithm: str) -> Callable[[_Job], Rounds]:
    return lambda job: _adjoint_rounds(primitive, algorithm, job)


# All-reduce.


def _reduce_then_broadcast(algorithm: str) -> Callable[[_Job], Rounds]:
    return lambda job: _adjoint_rounds("broadcast", algorithm, job) + _BUILDERS["broadcast", algorithm](job)


def _reduce_scatter_then_all_gather(algorithm: str) -> Callable[[_Job], Rounds]:
    return lambda job: _BUILDERS["reduce_scatter", algorithm](job) + _BUILDERS["all_gather", algorithm](job)


def _folded(job: _Job, core: Rounds, pairs: list[tuple[int, int]]) -> Rounds:
    """Return an all-reduce among a power of two of ranks, with the others folded in before and served after."""
    if not pairs:
        return core
    fold = tuple(ScheduledSend(low, high, job.whole, True) for low, high in pairs)
    return [fold, *core, tuple(ScheduledSend(high, low, job.whole, False) for low, high in pairs)]


def _recursive_doubling_all_reduce(job: _Job) -> Rounds:
    members, pairs = _members(job.ranks)
    core = [
        tuple(ScheduledSend(rank, members[index ^ distance], job.whole, True) for index, rank in enumerate(members))
        for distance in reversed(tree_masks(len(members)))
    ]
    return _folded(job, core, pairs)


def _halving_doubling_all_reduce(job: _Job) -> Rounds:
    """Rabenseifner: halve the vector while reducing, double it while gathering, among a power of two of ranks."""
    members, pairs = _members(job.ranks)
    edges = [start for start, _ in chunk_bounds(job.length, len(members))] + [job.length]
    doubling = _doubling(members, edges)
    halving = [
        tuple(ScheduledSend(send.destination, send.source, send.ranges, True) for send in sends)
        for sends in reversed(doubling)
    ]
    return _folded(job, halving + doubling, pairs)


# All-to-all and barrier.


def _pairwise_all_to_all(job: _Job) -> Rounds:
    return [
        tuple(
            ScheduledSend(rank, peer, _block(job, rank, peer), False)
            for rank in range(job.ranks)
            for peer in [(rank + step) % job.ranks]
        )
        for step in range(1, job.ranks)
    ]


def _bruck_all_to_all(job: _Job) -> Rounds:
    """A block that must go the distance d moves by 2ᵏ in step k for every bit k of d; all such blocks go together."""
    ranks = job.ranks
    rounds = []
    for hop in reversed(tree_masks(ranks)):
        sends = []
        for rank in range(ranks):
            blocks: list[Range] = []
            for distance in range(ranks):
                if distance & hop:
                    owner = (rank - distance % hop) % ranks
                    blocks.extend(_block(job, owner, (owner + distance) % ranks))
            sends.append(ScheduledSend(rank, (rank + hop) % ranks, merged(tuple(blocks)), False))
        rounds.append(tuple(sends))
    return rounds


def _block(job: _Job, owner: int, destination: int) -> tuple[Range, ...]:
    """Return the addresses of what ``owner`` brings for ``destination``."""
    start, stop = chunk_bound(job.length, job.ranks, destination)
    return merged(((owner * job.length + start, owner * job.length + stop),))


def _dissemination_barrier(job: _Job) -> Rounds:
    return [
        tuple(ScheduledSend(rank, (rank + hop) % job.ranks, (), False) for rank in range(job.ranks))
        for hop in reversed(tree_masks(job.ranks))
    ]


def _up_and_down(algorithm: str) -> Callable[[_Job], Rounds]:
    """A barrier: empty messages up a tree, then down."""

    def rounds(job: _Job) -> Rounds:
        down = _BUILDERS["broadcast", algorithm](job)
        up = [
            tuple(ScheduledSend(send.destination, send.source, (), False) for send in sends) for sends in reversed(down)
        ]
        return up + down

    return rounds


_BUILDERS: dict[tuple[str, str], Callable[[_Job], Rounds]] = {
    ("broadcast", "flat"): _flat_broadcast,
    ("broadcast", "binomial"): _binomial_broadcast,
    ("broadcast", "chain"): _chain_broadcast,
    ("broadcast", "scatter_all_gather"): _scatter_all_gather_broadcast,
    ("broadcast", "double_binary_tree"): _double_tree_broadcast,
    ("reduce", "flat"): _reversed_from("broadcast", "flat"),
    ("reduce", "binomial"): _reversed_from("broadcast", "binomial"),
    ("reduce", "chain"): _reversed_from("broadcast", "chain"),
    ("reduce", "reduce_scatter_gather"): _reversed_from("broadcast", "scatter_all_gather"),
    ("reduce", "double_binary_tree"): _reversed_from("broadcast", "double_binary_tree"),
    ("scatter", "flat"): _flat_scatter,
    ("scatter", "binomial"): _binomial_scatter,
    ("gather", "flat"): _reversed_from("scatter", "flat"),
    ("gather", "binomial"): _reversed_from("scatter", "binomial"),
    ("all_gather", "flat"): _flat_all_gather,
    ("all_gather", "ring"): _ring_all_gather,
    ("all_gather", "recursive_doubling"): _recursive_doubling_all_gather,
    ("all_gather", "bruck"): _bruck_all_gather,
    ("all_gather", "pairwise"): _pairwise_all_gather,
    ("reduce_scatter", "flat"): _reversed_from("all_gather", "flat"),
    ("reduce_scatter", "ring"): _ring_reduce_scatter,
    ("reduce_scatter", "recursive_halving"): _reversed_from("all_gather", "recursive_doubling"),
    ("reduce_scatter", "bruck"): _reversed_from("all_gather", "bruck"),
    ("reduce_scatter", "pairwise"): _reversed_from("all_gather", "pairwise"),
    ("all_reduce", "flat"): _reduce_then_broadcast("flat"),
    ("all_reduce", "binomial"): _reduce_then_broadcast("binomial"),
    ("all_reduce", "ring"): _reduce_scatter_then_all_gather("ring"),
    ("all_reduce", "recursive_doubling"): _recursive_doubling_all_reduce,
    ("all_reduce", "halving_doubling"): _halving_doubling_all_reduce,
    ("all_reduce", "bruck"): _reduce_scatter_then_all_gather("bruck"),
    ("all_reduce", "double_binary_tree"): _reduce_then_broadcast("double_binary_tree"),
    ("all_to_all", "pairwise"): _pairwise_all_to_all,
    ("all_to_all", "bruck"): _bruck_all_to_all,
    ("barrier", "flat"): _up_and_down("flat"),
    ("barrier", "binomial"): _up_and_down("binomial"),
    ("barrier", "dissemination"): _dissemination_barrier,
}

ALGORITHMS: dict[str, tuple[str, ...]] = {
    primitive: tuple(name for owner, name in _BUILDERS if owner == primitive) for primitive in PRIMITIVES
}
PIPELINED = ("chain", "double_binary_tree")
MOST_MESSAGES = 2**19  # of a schedule, which lists every one
# What the field calls an algorithm besides.
ALIASES = {
    "Rabenseifner": "halving_doubling",
    "recursive halving and doubling": "halving_doubling",
    "butterfly": "recursive_doubling",
    "double tree": "double_binary_tree",
    "two trees": "double_binary_tree",
    "van de Geijn": "scatter_all_gather",
    "one root": "flat",
}
# The plainest algorithm of each primitive that moves data: messages to and from the root, a ring, or all pairs.
PLAINEST: dict[str, str] = {
    "broadcast": "flat",
    "reduce": "flat",
    "scatter": "flat",
    "gather": "flat",
    "all_gather": "ring",
    "reduce_scatter": "ring",
    "all_reduce": "ring",
    "all_to_all": "pairwise",
}
_NAMES = sorted({name for _, name in _BUILDERS})
_SPOKEN = {
    "bruck": "Bruck",
    "halving_doubling": "halving–doubling",
    "scatter_all_gather": "scatter, all-gather",
    "reduce_scatter_gather": "reduce-scatter, gather",
}


def build_collective(
    primitive: str, algorithm: str, *, ranks: int, length: int, root: int = 0, segments: int = 1
) -> Schedule:
    """Return the schedule of an algorithm, for any number of ranks and any length.

    Formula: $f = f_S \\circ \\cdots \\circ f_2 \\circ f_1$
    Symbols: f = the primitive as a map on all ranks' elements; fᵢ = round i of the result; S = number of rounds
    Chapter: 13

    Args:
        primitive: one of ``PRIMITIVES``.
        algorithm: one of ``ALGORITHMS[primitive]``.
        ranks: number of ranks R. The schedule may have at most 2¹⁹ messages: 512 ranks for a ring all-reduce.
        length: elements n: of the vector (broadcast, reduce, all-reduce), of the root's buffer (scatter, gather), of
            the result (all-gather), of what each rank brings (reduce-scatter, all-to-all); 0 for a barrier.
        root: root of broadcast, reduce, scatter and gather; 0 for the others.
        segments: blocks of a pipelined algorithm: of the vector for a chain, of each tree's half for a double binary
            tree; 1 for the others.

    Returns:
        The schedule. At most one message to and one from each rank in a round.

    Raises:
        ValueError: if a name is unknown or a size is out of its range.

    Source: Thakur, Rabenseifner and Gropp 2005 (binomial, ring, recursive halving and doubling, pairwise, Bruck, and
        the folding of the ranks beyond a power of two); Chan et al. 2007 (adjoint pairs); Sanders, Speck and Träff
        2009 (double binary tree).
    Convention: ranks stand in the order of their numbers; the 2r ranks 0 … 2r − 1 fold in pairs where R = 2ⁱ + r.
    Leaves out: the machine's topology.

    Example:
        >>> ring = build_collective("all_reduce", "ring", ranks=3, length=6)
        >>> len(ring.rounds), ring.rounds[0][1]
        (4, ScheduledSend(source=1, destination=2, ranges=((0, 2),), combine=True))
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    algorithm = named("algorithm", algorithm, ALGORITHMS[primitive], aliases=ALIASES)
    ranks, length = positive_integer("ranks", ranks), nonnegative_integer("length", length)
    check_root(primitive, ranks=ranks, root=root)
    segments = check_segments(algorithm, segments)
    messages = _most_messages(primitive, algorithm, ranks, segments)
    if messages > MOST_MESSAGES:
        sizes = f"{ranks:.4g} ranks" + (f" and {segments:.4g} segments" if segments > 1 else "")
        raise ValueError(f"ranks must be such that {algorithm} has at most {MOST_MESSAGES} messages, got {sizes}")
    if primitive == "barrier" and length:
        raise ValueError(f"length must be 0 for a barrier, got {length!r}")
    rounds = _BUILDERS[primitive, algorithm](_Job(ranks, length, int(root), segments))
    return Schedule(primitive, algorithm, ranks, length, tuple(rounds), int(root))


def _most_messages(primitive: str, algorithm: str, ranks: int, segments: int) -> int:
    """Return how many messages a schedule has at the most; of Bruck's all-to-all, how many blocks they carry."""
    if (primitive, algorithm) == ("all_to_all", "bruck"):
        return ranks**2 * ranks.bit_length() // 2
    phases = 2 if primitive in ("all_reduce", "barrier") or (primitive, algorithm) == ("all_gather", "flat") else 1
    if algorithm in ("flat", "binomial", "chain", "double_binary_tree"):
        return phases * ranks * segments
    if algorithm in ("ring", "pairwise", "scatter_all_gather", "reduce_scatter_gather"):
        return phases * ranks**2
    return phases * ranks * ranks.bit_length()


def check_segments(algorithm: str, segments: int) -> int:
    """Return ``segments``, or raise ``ValueError`` unless it is at least 1, and 1 where nothing is pipelined.

    Args:
        algorithm: one that ``ALGORITHMS`` names.
        segments: blocks that follow each other.

    Returns:
        ``segments`` as an ``int``.

    Raises:
        ValueError: if ``algorithm`` is unknown, or ``segments`` no integer of at least 1, or above 1 for an algorithm
            without a pipeline.

    Convention: ``PIPELINED`` names the algorithms with a pipeline.
    Leaves out: segments of different length by choice.

    Example:
        >>> check_segments("chain", 8)
        8
    """
    algorithm = named("algorithm", algorithm, _NAMES, aliases=ALIASES)
    segments = positive_integer("segments", segments)
    if segments > 1 and algorithm not in PIPELINED:
        raise ValueError(f"segments must be 1 for {algorithm}, which has no pipeline, got {segments!r}")
    return segments


def spoken(algorithm: str) -> str:
    """Return an algorithm's name as a sentence or a table has it.

    Args:
        algorithm: one that ``ALGORITHMS`` names.

    Returns:
        Words.

    Raises:
        ValueError: if ``algorithm`` is unknown.

    Convention: without the primitive.
    Leaves out: other names that papers have for it.

    Example:
        >>> spoken("recursive_doubling"), spoken("bruck")
        ('recursive doubling', 'Bruck')
    """
    algorithm = named("algorithm", algorithm, _NAMES, aliases=ALIASES)
    return _SPOKEN.get(algorithm, algorithm.replace("_", " "))
