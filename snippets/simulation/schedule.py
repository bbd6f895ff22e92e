"""Formulas: a collective as data: rounds of sends on one address space, and what each rank brings and must end with.

Every primitive works on addresses ``0 … size − 1``. A rank holds some of them; a send carries ranges of addresses from
one rank to another, which copies them or adds them to its own. All sends of a round read what was there before it.

The length ``n`` that a schedule names is, for

- broadcast, reduce, all-reduce: the elements of the vector;
- scatter, gather: the elements of the root's whole buffer;
- all-gather: the elements of the result (``R`` shards); reduce-scatter: the elements that each rank brings;
- all-to-all: the elements of one rank's buffer, the block that it keeps included;
- barrier: 0.

Chunk ``j`` of ``R`` belongs to rank ``j``; the first ``n mod R`` chunks have one element more than the others.
A message that carries no element is still a message: it costs its latency, as in libraries that do not look for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from snippets.domain import MOST_LISTED, at_most, integer_fields, named, nonnegative_integer, positive_integer, text

Range = tuple[int, int]

PRIMITIVES = (
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "all_gather",
    "reduce_scatter",
    "all_reduce",
    "all_to_all",
    "barrier",
)
ROOTED = ("broadcast", "reduce", "scatter", "gather")
SUMMING = ("reduce", "reduce_scatter", "all_reduce")

_ADJOINT_PRIMITIVE = {
    "broadcast": "reduce",
    "reduce": "broadcast",
    "scatter": "gather",
    "gather": "scatter",
    "all_gather": "reduce_scatter",
    "reduce_scatter": "all_gather",
}
_ADJOINT_ALGORITHM = {
    ("broadcast", "scatter_all_gather"): "reduce_scatter_gather",
    ("reduce", "reduce_scatter_gather"): "scatter_all_gather",
    ("all_gather", "recursive_doubling"): "recursive_halving",
    ("reduce_scatter", "recursive_halving"): "recursive_doubling",
}


def chunk_bounds(length: int, parts: int) -> tuple[Range, ...]:
    """Return where each of the chunks of a vector starts and stops when it is cut as evenly as possible.

    Formula: $\\bigl[\\, j q + \\min(j, z),\\; (j+1) q + \\min(j+1, z) \\,\\bigr)$
    Symbols: j = number of the chunk, from 0; q = length // parts; z = length mod parts
    Chapter: 12

    Args:
        length: elements of the vector; 0 is allowed.
        parts: number of chunks, at most 2¹⁶.

    Returns:
        A pair (start, stop) for each chunk, in order; stop is excluded. Chunks may be empty.

    Raises:
        ValueError: if ``length`` is no integer of at least 0 or ``parts`` none of at least 1.

    Source: derived in this book.
    Convention: the first ``z`` chunks hold one element more, as in ``numpy.array_split``.
    Leaves out: alignment, and chunks of chosen sizes.

    Example:
        >>> chunk_bounds(10, 4)
        ((0, 3), (3, 6), (6, 8), (8, 10))
    """
    length = nonnegative_integer("length", length)
    parts = at_most("parts", positive_integer("parts", parts), MOST_LISTED)
    whole, longer = divmod(length, parts)
    starts = [part * whole + min(part, longer) for part in range(parts + 1)]
    return tuple(pairwise(starts))


def chunk_bound(length: int, parts: int, index: int) -> Range:
    """Return where one chunk starts and stops, without listing the others.

    Args:
        length: elements of the vector; 0 is allowed.
        parts: number of chunks.
        index: which chunk, from 0 to ``parts`` − 1.

    Returns:
        The pair (start, stop); stop is excluded.

    Convention: as ``chunk_bounds``.
    Leaves out: as ``chunk_bounds``.

    Example:
        >>> chunk_bound(10, 4, 2)
        (6, 8)
    """
    length, parts = nonnegative_integer("length", length), positive_integer("parts", parts)
    index = _below("index", index, parts)
    whole, longer = divmod(length, parts)
    return index * whole + min(index, longer), (index + 1) * whole + min(index + 1, longer)


class ScheduledSend(NamedTuple):
    """One message: ``ranges`` of addresses go from ``source`` to ``destination``.

    ``ranges`` are pairs (start, stop), ascending and disjoint; none for a message without data. With ``combine`` the
    destination adds what arrives to what it holds, without it the destination overwrites.

    >>> ScheduledSend(0, 1, ((0, 3), (6, 8)), combine=True).elements
    5
    """

    source: int
    destination: int
    ranges: tuple[Range, ...]
    combine: bool

    @property
    def elements(self) -> int:
        """Number of elements that the message carries."""
        return sum([stop - start for start, stop in self.ranges])


@dataclass(frozen=True)
class Schedule:
    """A collective as rounds of sends.

    Args:
        primitive: one of ``PRIMITIVES``: what must hold at the end.
        algorithm: the name of the way there; any text.
        ranks: number of ranks R.
        length: elements n, in the convention of this module's head.
        rounds: for each round its sends.
        root: the root of a rooted primitive, 0 for the others.

    Raises:
        ValueError: if a size, a rank or a range of addresses is impossible. Whether the rounds do what the primitive
            asks is another question: ``snippets.simulation.checker`` answers it.

    Example:
        >>> send = ScheduledSend(0, 1, ((0, 4),), False)
        >>> pair = Schedule("broadcast", "by hand", ranks=2, length=4, rounds=((send,),))
        >>> pair.input_ranges(0), pair.input_ranges(1), pair.output_ranges(1)
        (((0, 4),), (), ((0, 4),))
    """

    primitive: str
    algorithm: str
    ranks: int
    length: int
    rounds: tuple[tuple[ScheduledSend, ...], ...]
    root: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "primitive", named("primitive", self.primitive, PRIMITIVES))
        text("algorithm", self.algorithm)
        integer_fields(self, "ranks")
        integer_fields(self, "length", "root", minimum=0)
        check_root(self.primitive, ranks=self.ranks, root=self.root)
        if self.primitive == "barrier" and self.length != 0:
            raise ValueError(f"length must be 0 for a barrier, got {self.length!r}")
        if not isinstance(self.rounds, tuple) or not all(isinstance(sends, tuple) for sends in self.rounds):
            raise ValueError(f"rounds must be a tuple of tuples of ScheduledSend, got {type(self.rounds).__name__}")
        size, checked = self.size, set[int]()  # many messages share their ranges, which are kept, and so are their ids
        for number, sends in enumerate(self.rounds):
            for send in sends:
                _check_send(send, number, self.ranks)
                if id(send.ranges) not in checked:
                    _check_ranges(send, number, size)
                    checked.add(id(send.ranges))

    @property
    def size(self) -> int:
        """Number of addresses: n, and R·n for an all-to-all, where every rank's block has an address of its own."""
        return self.ranks * self.length if self.primitive == "all_to_all" else self.length

    @property
    def messages(self) -> int:
        """Number of messages of all rounds together."""
        return sum(map(len, self.rounds))

    def input_ranges(self, rank: int) -> tuple[Range, ...]:
        """Return the addresses that ``rank``, from 0, brings; its input array holds them in this order."""
        rank = _below("rank", rank, self.ranks)
        if self.primitive in SUMMING or (self.primitive in ("broadcast", "scatter") and rank == self.root):
            ranges: tuple[Range, ...] = ((0, self.length),)
        elif self.primitive in ("gather", "all_gather"):
            ranges = (chunk_bound(self.length, self.ranks, rank),)
        elif self.primitive == "all_to_all":
            ranges = ((rank * self.length, (rank + 1) * self.length),)
        else:
            ranges = ()
        return merged(ranges)

    def output_ranges(self, rank: int) -> tuple[Range, ...]:
        """Return the addresses that ``rank``, from 0, must end with; its output array holds them in this order."""
        rank = _below("rank", rank, self.ranks)
        own = chunk_bound(self.length, self.ranks, rank)
        if self.primitive in ("broadcast", "all_gather", "all_reduce") or (
            self.primitive in ("reduce", "gather") and rank == self.root
        ):
            ranges: tuple[Range, ...] = ((0, self.length),)
        elif self.primitive in ("scatter", "reduce_scatter"):
            ranges = (own,)
        elif self.primitive == "all_to_all":
            ranges = tuple((peer * self.length + own[0], peer * self.length + own[1]) for peer in range(self.ranks))
        else:
            ranges = ()
        return merged(ranges)


def elements_of(primitive: str, size_bytes: int | float, element_bytes: int) -> int:
    """Return how many elements a collective's bytes are, or raise ``ValueError`` where they are no whole number.

    Args:
        primitive: one of ``PRIMITIVES``; a barrier moves nothing.
        size_bytes: bytes of the vector, at least 0.
        element_bytes: bytes of one element.

    Returns:
        The ``length`` of a schedule.

    Convention: that of this module's head.
    Leaves out: padding.

    Example:
        >>> elements_of("all_reduce", 1e9, 2)
        500000000
    """
    size, grain = nonnegative_integer("size_bytes", size_bytes), positive_integer("element_bytes", element_bytes)
    if named("primitive", primitive, PRIMITIVES) == "barrier" and size:
        raise ValueError(f"size_bytes must be 0 for a barrier, got {size_bytes!r}")
    if size % grain:
        raise ValueError(f"size_bytes must be a multiple of element_bytes = {grain}, got {size_bytes!r}")
    return size // grain


def check_root(primitive: str, *, ranks: int, root: int) -> None:
    """Raise ``ValueError`` unless ``root`` is a rank, and 0 where the primitive has no root.

    Args:
        primitive: one of ``PRIMITIVES``.
        ranks: number of ranks.
        root: the root to check, at least 0.

    Raises:
        ValueError: if ``root`` is no rank, or not 0 though the primitive has no root.

    Convention: what has no root uses rank 0 where an algorithm needs a hub.
    Leaves out: roots of two trees that differ.

    Example:
        >>> check_root("broadcast", ranks=4, root=1)
        >>> check_root("all_reduce", ranks=4, root=1)
        Traceback (most recent call last):
        ...
        ValueError: root must be 0 for all_reduce, which has none, got 1
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    root = _below("root", root, positive_integer("ranks", ranks))
    if root and primitive not in ROOTED:
        raise ValueError(f"root must be 0 for {primitive}, which has none, got {root!r}")


def merged(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return ranges in ascending order, without the empty ones and with those that touch or overlap joined.

    Args:
        ranges: pairs (start, stop) with start ≤ stop.

    Returns:
        The fewest ascending disjoint pairs that cover the same addresses.

    Raises:
        ValueError: if a pair is not two integers with 0 ≤ start ≤ stop.

    Convention: stop is excluded.
    Leaves out: how often an address was covered.

    Example:
        >>> merged(((6, 8), (3, 3), (0, 2), (2, 5)))
        ((0, 5), (6, 8))
    """
    if not isinstance(ranges, tuple) or not all(_is_range(pair) for pair in ranges):
        raise ValueError(f"ranges must be a tuple of pairs (start, stop) with 0 ≤ start ≤ stop, got {ranges!r}")
    joined: list[Range] = []
    for start, stop in sorted(ranges):
        if start == stop:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return tuple(joined)


def adjoint_schedule(schedule: Schedule) -> Schedule:
    """Return the schedule of the adjoint map: time reversed, every message turned round.

    The adjoint of "the destination copies from the source" is "the source adds what the destination holds, and the
    destination is cleared". So a reversed message adds where its receiver still holds something and copies where the
    receiver was cleared or never held anything.

    Formula: $\\langle H y, z \\rangle = \\langle y, H^{\\top} z \\rangle$
    Symbols: H = the primitive of schedule as a matrix on all ranks' elements; Hᵀ = that of the result
    Chapter: 12

    Args:
        schedule: a broadcast, reduce, scatter, gather, all-gather or reduce-scatter. Of the copying ones, a rank
            may be sent again what it held only if it has not passed it on since.

    Returns:
        The reduce, broadcast, gather, scatter, reduce-scatter or all-gather that it mirrors, same root.

    Raises:
        ValueError: if ``schedule`` is none of the six, or a reversed message would send what its rank has given away,
            or add at some of its addresses and copy at others.

    Source: derived in this book.
    Convention: the inner product runs over all ranks' arrays, each once.
    Leaves out: all-reduce, and all-to-all with even chunks, which are their own adjoints.

    Example:
        >>> send = ScheduledSend(0, 1, ((0, 4),), False)
        >>> down = Schedule("broadcast", "by hand", ranks=2, length=4, rounds=((send,),))
        >>> adjoint_schedule(down).primitive, adjoint_schedule(down).rounds
        ('reduce', ((ScheduledSend(source=1, destination=0, ranges=((0, 4),), combine=True),),))
    """
    if not isinstance(schedule, Schedule):
        raise ValueError(f"schedule must be a Schedule, got {schedule!r}")
    primitive = _ADJOINT_PRIMITIVE.get(schedule.primitive)
    if primitive is None:
        allowed = ", ".join(_ADJOINT_PRIMITIVE)
        raise ValueError(f"schedule must be of one of {allowed}, got {schedule.primitive!r}")
    algorithm = _ADJOINT_ALGORITHM.get((schedule.primitive, schedule.algorithm), schedule.algorithm)
    reversed_rounds = tuple(
        tuple(sorted(ScheduledSend(send.destination, send.source, send.ranges, False) for send in sends))
        for sends in reversed(schedule.rounds)
    )
    copying = Schedule(primitive, algorithm, schedule.ranks, schedule.length, reversed_rounds, schedule.root)
    return _adding_where_held(copying) if primitive in SUMMING else copying


def _adding_where_held(schedule: Schedule) -> Schedule:
    """Return ``schedule`` with every send adding whose receiver still holds a term at the sent addresses."""
    given_away: list[set[int]] = [set() for _ in range(schedule.ranks)]
    edges = sorted({edge for sends in schedule.rounds for send in sends for pair in send.ranges for edge in pair})
    index = {edge: number for number, edge in enumerate(edges)}
    rounds = []
    for number, sends in enumerate(schedule.rounds):
        cells = [{cell for start, stop in send.ranges for cell in range(index[start], index[stop])} for send in sends]
        turned = []
        for send, cell in zip(sends, cells, strict=True):
            cleared = cell & given_away[send.destination]
            if (cleared and cleared != cell) or cell & given_away[send.source]:
                raise ValueError(f"schedule must not send a rank what it holds: round {number} of the reverse, {send}")
            turned.append(send._replace(combine=not cleared and bool(cell)))
        for send, cell in zip(sends, cells, strict=True):
            given_away[send.source] |= cell
        for send, cell in zip(sends, cells, strict=True):
            given_away[send.destination] -= cell
        rounds.append(tuple(turned))
    return Schedule(
        schedule.primitive, schedule.algorithm, schedule.ranks, schedule.length, tuple(rounds), schedule.root
    )


def _below(name: str, value: int, limit: int) -> int:
    """Return ``value`` as an integer from 0 to ``limit`` − 1, or raise ``ValueError``."""
    number = nonnegative_integer(name, value)
    if number >= limit:
        raise ValueError(f"{name} must be an integer from 0 to {limit - 1}, got {value!r}")
    return number


def _is_range(pair: object) -> bool:
    return (
        isinstance(pair, tuple)
        and len(pair) == 2
        and type(pair[0]) is int
        and type(pair[1]) is int
        and 0 <= pair[0] <= pair[1]
    )


def _check_send(send: ScheduledSend, number: int, ranks: int) -> None:
    """Raise ``ValueError`` unless ``send`` joins two ranks."""
    place = "rounds[%d] must hold sends"
    if not isinstance(send, ScheduledSend):
        raise ValueError(f"{place % number}, got {send!r}")
    for rank in (send.source, send.destination):
        if type(rank) is not int or not 0 <= rank < ranks:
            raise ValueError(f"{place % number} between ranks 0 to {ranks - 1}, got {send!r}")
    if send.source == send.destination:
        raise ValueError(f"{place % number} between two ranks, got {send!r}")
    if not isinstance(send.combine, bool):
        raise ValueError(f"{place % number} whose combine is True or False, got {send!r}")


def _check_ranges(send: ScheduledSend, number: int, size: int) -> None:
    """Raise ``ValueError`` unless ``send`` carries ascending ranges of existing addresses."""
    place = f"rounds[{number}] must hold sends"
    last = 0
    if not isinstance(send.ranges, tuple):
        raise ValueError(f"{place} whose ranges are a tuple, got {send!r}")
    for pair in send.ranges:
        if not _is_range(pair) or pair[0] < last or pair[1] > size or pair[0] == pair[1]:
            raise ValueError(f"{place} of ascending ranges within 0 to {size} (its length), got {send!r}")
        last = pair[1]
