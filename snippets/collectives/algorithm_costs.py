"""Formulas: what every algorithm of every primitive costs, in closed form and exact; lower bounds; which is fastest.

R is the number of ranks, n the bytes of the vector in the convention of ``snippets.simulation.schedule``: result of an
all-gather, input of a reduce-scatter, one rank's buffer (the block it keeps included) of an all-to-all, root's buffer
of a scatter or gather. The machine is that of ``snippets.collectives.schedule_cost``. Chunks are cut between elements,
and may be uneven; ``snippets.all_reduce`` has the printed forms, in which they are even.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from snippets.collectives.schedule_cost import Cost
from snippets.domain import as_float, named, nonnegative_number, positive_integer, positive_number
from snippets.simulation.algorithms import (
    ALGORITHMS,
    ALIASES,
    PIPELINED,
    check_segments,
    largest_power_of_two,
    tree_masks,
)
from snippets.simulation.double_tree import double_tree_rounds, edge_delays
from snippets.simulation.schedule import PRIMITIVES, SUMMING, check_root, chunk_bound, elements_of

NO_COST = Cost(0, 0, 0)


class _Sizes(NamedTuple):
    """Ranks, elements, root and segments of one question."""

    ranks: int
    length: int
    root: int
    segments: int

    @property
    def shorter(self) -> int:
        """Elements of the shortest chunk, ⌊n/R⌋."""
        return self.length // self.ranks

    @property
    def longer(self) -> int:
        """How many chunks, the first ones, have one element more."""
        return self.length % self.ranks

    @property
    def longest(self) -> int:
        """Elements of the longest chunk, ⌈n/R⌉."""
        return -(-self.length // self.ranks)

    @property
    def log(self) -> int:
        """⌈log₂R⌉."""
        return (self.ranks - 1).bit_length()

    def chunk(self, rank: int) -> int:
        """Return the elements of the chunk of a rank, whose number counts modulo R."""
        rank %= self.ranks
        return self.shorter + (rank < self.longer)

    def window(self, first: int, count: int) -> int:
        """Return the elements of ``count`` ≤ R consecutive chunks from ``first`` on, cyclically."""
        first %= self.ranks
        beyond = first + count - self.ranks
        longer = min(first + count, self.longer) - min(first, self.longer) + min(max(beyond, 0), self.longer)
        return count * self.shorter + longer


# Steps and bytes of copying algorithms, in elements: (steps, elements on the slowest path).

_Terms = tuple[int, int]


def _flat_broadcast(s: _Sizes) -> _Terms:
    return s.ranks - 1, (s.ranks - 1) * s.length


def _binomial_broadcast(s: _Sizes) -> _Terms:
    return s.log, s.log * s.length


def _chain_broadcast(s: _Sizes) -> _Terms:
    if s.ranks == 1:
        return 0, 0
    return s.ranks - 2 + s.segments, s.length + (s.ranks - 2) * -(-s.length // s.segments)


def _double_tree_broadcast(s: _Sizes) -> _Terms:
    """Block j of a tree is under way in the rounds τ + 2j; a round lasts as long as the longest block under way."""
    rounds = double_tree_rounds(ranks=s.ranks, segments=s.segments)
    filled = rounds - 2 * (s.segments - 1)
    longest = [0] * filled
    trees = []
    for half, delays in enumerate(map(set, edge_delays(s.ranks))):
        start, stop = chunk_bound(s.length, 2, half)
        whole, longer = divmod(stop - start, s.segments)
        lowest: dict[int, int] = {}  # by parity of the round: the lowest block under way; low blocks are the longest
        for at in range(filled):
            if at in delays:
                lowest[at % 2] = 0
            elif at % 2 in lowest:
                lowest[at % 2] += 1
            block = lowest.get(at % 2, s.segments)
            if block < s.segments:
                longest[at] = max(longest[at], whole + (block < longer))
        trees.append((whole, longer, lowest))
    return rounds, sum(longest) + _double_tree_rest(trees, s.segments)


def _double_tree_rest(trees: list[tuple[int, int, dict[int, int]]], segments: int) -> int:
    """Return the elements of the rounds after all ranks have their first block, when a tree's blocks just follow.

    Args:
        trees: for each tree the elements of its shorter blocks, how many, the first, have one more, and the block that
            was under way last in the rounds of each parity.
        segments: blocks of each tree.
    """
    total = below = 0
    for level in sorted({whole + more for whole, _, _ in trees for more in (0, 1)}):
        rounds = [0, 0]  # by parity: how many have a block of at least this length under way
        for whole, longer, last in trees:
            blocks = segments if level <= whole else longer if level == whole + 1 else 0
            for parity, block in last.items():
                rounds[parity] = max(rounds[parity], blocks - 1 - block)
        total += (level - below) * sum(rounds)
        below = level
    return total


def _flat_scatter(s: _Sizes) -> _Terms:
    return s.ranks - 1, s.length - s.chunk(s.root)


def _binomial_scatter(s: _Sizes) -> _Terms:
    """From rank 0, or with chunks of one length, the root's messages are the longest: all chunks but its own."""
    if s.root == 0 or s.longer == 0:
        return s.log, s.length - s.chunk(s.root)
    return s.log, sum(
        max(s.window(s.root + v + mask, min(mask, s.ranks - v - mask)) for v in range(0, s.ranks - mask, 2 * mask))
        for mask in tree_masks(s.ranks)
    )


def _ring_all_gather(s: _Sizes) -> _Terms:
    return s.ranks - 1, (s.ranks - 1) * s.longest


def _flat_all_gather(s: _Sizes) -> _Terms:
    return _both(_flat_scatter(s), _flat_broadcast(s))


def _bruck_all_gather(s: _Sizes) -> _Terms:
    counts = [min(distance, s.ranks - distance) for distance in tree_masks(s.ranks)]
    return s.log, sum(count * s.shorter + min(count, s.longer) for count in counts)


def _recursive_doubling_all_gather(s: _Sizes) -> _Terms:
    """The lowest ranks have the longest blocks: own two chunks where others folded into them, longer chunks else."""
    core = largest_power_of_two(s.ranks)
    extra = s.ranks - core
    doubling = sum(s.window(0, distance + min(distance, extra)) for distance in tree_masks(core))
    if not extra:
        return s.log, doubling
    return s.log - 1 + 2, s.chunk(0) + doubling + s.length - s.chunk(2 * extra - 2)


def _scatter_all_gather(s: _Sizes) -> _Terms:
    return _both(_binomial_scatter(s), _ring_all_gather(s))


def _pairwise_all_to_all(s: _Sizes) -> _Terms:
    return s.ranks - 1, (s.ranks - 1) * s.longest


def _bruck_all_to_all(s: _Sizes) -> _Terms:
    """In the step of bit k every rank passes on the blocks whose distance has that bit."""
    return s.log, sum(_bruck_step(s, 1 << bit) for bit in range(s.log))


def _bruck_step(s: _Sizes, hop: int) -> int:
    """Return the elements of the longest message of one step."""
    blocks = sum(weight for _, weight in _bruck_blocks(s.ranks, hop))
    if s.longer == 0:
        return blocks * s.shorter
    # The rank r sends `weight` blocks for the rank r + distance; those for the first `longer` ranks have one more.
    weights = [0] * s.ranks
    for distance, weight in _bruck_blocks(s.ranks, hop):
        weights[distance] = weight
    sums = [0, *accumulate(weights + weights)]
    return blocks * s.shorter + max(sums[at + s.longer] - sums[at] for at in range(s.ranks))


def _bruck_blocks(ranks: int, hop: int) -> list[tuple[int, int]]:
    """Return, of one step, how far blocks still have to go (this hop included) and how many a rank holds of each."""
    return [(distance, min(hop, ranks - distance)) for distance in range(hop, ranks, 2 * hop)]


def _both(first: _Terms, second: _Terms) -> _Terms:
    return first[0] + second[0], first[1] + second[1]


_COPYING: dict[tuple[str, str], Callable[[_Sizes], _Terms]] = {
    ("broadcast", "flat"): _flat_broadcast,
    ("broadcast", "binomial"): _binomial_broadcast,
    ("broadcast", "chain"): _chain_broadcast,
    ("broadcast", "scatter_all_gather"): _scatter_all_gather,
    ("broadcast", "double_binary_tree"): _double_tree_broadcast,
    ("scatter", "flat"): _flat_scatter,
    ("scatter", "binomial"): _binomial_scatter,
    ("all_gather", "flat"): _flat_all_gather,
    ("all_gather", "ring"): _ring_all_gather,
    ("all_gather", "recursive_doubling"): _recursive_doubling_all_gather,
    ("all_gather", "bruck"): _bruck_all_gather,
    ("all_gather", "pairwise"): _ring_all_gather,
    ("all_to_all", "pairwise"): _pairwise_all_to_all,
    ("all_to_all", "bruck"): _bruck_all_to_all,
}
# Which copying algorithms, run backwards in time, add everything that they send.
_ADDING = {
    ("reduce", "flat"): ("broadcast", "flat"),
    ("reduce", "binomial"): ("broadcast", "binomial"),
    ("reduce", "chain"): ("broadcast", "chain"),
    ("reduce", "double_binary_tree"): ("broadcast", "double_binary_tree"),
    ("reduce_scatter", "ring"): ("all_gather", "ring"),
    ("reduce_scatter", "recursive_halving"): ("all_gather", "recursive_doubling"),
    ("reduce_scatter", "bruck"): ("all_gather", "bruck"),
    ("reduce_scatter", "pairwise"): ("all_gather", "pairwise"),
}


def _halving_doubling(s: _Sizes) -> Cost:
    """Halving adds what doubling copies, among 2ᵏ ranks; the others cost one whole vector before and one after."""
    core = largest_power_of_two(s.ranks)
    half = _recursive_doubling_all_gather(s._replace(ranks=core))
    return _adding(half) + _copying(half) + _fold(s)


def _recursive_doubling_all_reduce(s: _Sizes) -> Cost:
    log = largest_power_of_two(s.ranks).bit_length() - 1
    return _adding((log, log * s.length)) + _fold(s)


def _fold(s: _Sizes) -> Cost:
    if s.ranks == largest_power_of_two(s.ranks):
        return NO_COST
    return _adding((1, s.length)) + _copying((1, s.length))


def _copying(terms: _Terms) -> Cost:
    return Cost(*terms, 0)


def _adding(terms: _Terms) -> Cost:
    return Cost(*terms, terms[1])


def _elements_cost(primitive: str, algorithm: str, s: _Sizes) -> Cost:
    """Return the cost in elements."""
    key = (primitive, algorithm)
    if key in _COPYING:
        return _copying(_COPYING[key](s))
    if key in _ADDING:
        return _adding(_COPYING[_ADDING[key]](s))
    if primitive == "gather":
        return _elements_cost("scatter", algorithm, s)
    if key == ("reduce", "reduce_scatter_gather"):
        return _elements_cost("reduce_scatter", "ring", s) + _elements_cost("gather", "binomial", s)
    if key == ("reduce_scatter", "flat"):
        return _elements_cost("reduce", "flat", s) + _elements_cost("scatter", "flat", s)
    if key == ("all_reduce", "halving_doubling"):
        return _halving_doubling(s)
    if key == ("all_reduce", "recursive_doubling"):
        return _recursive_doubling_all_reduce(s)
    if key == ("barrier", "dissemination"):
        return Cost(s.log, 0, 0)
    if primitive == "barrier":
        return _elements_cost("broadcast", algorithm, s) + _elements_cost("broadcast", algorithm, s)
    if algorithm in ALGORITHMS["reduce_scatter"] and algorithm != "flat":
        return _elements_cost("reduce_scatter", algorithm, s) + _elements_cost("all_gather", algorithm, s)
    return _elements_cost("reduce", algorithm, s) + _elements_cost("broadcast", algorithm, s)


def _sizes(
    primitive: str, ranks: int, size_bytes: int | float, element_bytes: int, root: int, segments: int = 1
) -> _Sizes:
    """Return the sizes of a question, checked."""
    ranks, length = positive_integer("ranks", ranks), elements_of(primitive, size_bytes, element_bytes)
    check_root(primitive, ranks=ranks, root=root)
    return _Sizes(ranks, length, int(root), segments)


def _times(cost: Cost, element_bytes: int) -> Cost:
    size = positive_integer("element_bytes", element_bytes)
    return Cost(cost.steps, cost.wire_bytes * size, cost.reduced_bytes * size)


def algorithm_cost(
    primitive: str,
    algorithm: str,
    *,
    ranks: int,
    size_bytes: int | float,
    element_bytes: int = 2,
    root: int = 0,
    segments: int = 1,
) -> Cost:
    """Return what an algorithm costs, in closed form and exact for every number of ranks and every length.

    Formula: $T = S \\alpha + Q / \\beta + Q_\\gamma \\gamma$
    Symbols: S, Q, Q_γ = steps, wire_bytes and reduced_bytes of the result; CLOSED_FORMS has them for each algorithm
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES``.
        algorithm: one of ``ALGORITHMS[primitive]``.
        ranks: number of ranks R.
        size_bytes: bytes n, in the convention of ``snippets.simulation.schedule``; 0 for a barrier.
        element_bytes: bytes of one element, which is never cut.
        root: root of broadcast, reduce, scatter and gather. It matters where chunks are uneven.
        segments: blocks of a pipelined algorithm, as in ``build_collective``.

    Returns:
        The terms of the slowest path, exact integers; ``time_s`` of the result prices them.

    Source: Thakur, Rabenseifner and Gropp 2005; Chan et al. 2007; Sanders, Speck and Träff 2009.
    Convention: single port, full duplex. Messages without data cost their α.
    Leaves out: topology, contention, overlap, and the copies that ranks make in their own memory.

    Example:
        >>> algorithm_cost("all_reduce", "ring", ranks=8, size_bytes=1e6)
        Cost(steps=14, wire_bytes=1750000, reduced_bytes=875000)
        >>> algorithm_cost("all-reduce", "recursive doubling", ranks=8, size_bytes=1e6)
        Cost(steps=3, wire_bytes=3000000, reduced_bytes=3000000)
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    algorithm = named("algorithm", algorithm, ALGORITHMS[primitive], aliases=ALIASES)
    sizes = _sizes(primitive, ranks, size_bytes, element_bytes, root, check_segments(algorithm, segments))
    return _times(_elements_cost(primitive, algorithm, sizes), element_bytes)


class ClosedForm(NamedTuple):
    """TeX of an algorithm's terms where chunks are even: steps, bytes on the slowest path, bytes reduced; and where."""

    steps: str
    wire: str
    reduced: str
    ranks: str = "any"


_LOG = r"\lceil \log_2 R \rceil"
_EXACT = r"\log_2 R"  # where R is a power of two
_SHARE = r"\frac{R-1}{R} n"
_TREES = r"S_1 + 2 (K-1)"  # S_1: steps until the first block has reached every rank

CLOSED_FORMS: dict[tuple[str, str], ClosedForm] = {
    ("broadcast", "flat"): ClosedForm("R-1", "(R-1) n", "0"),
    ("broadcast", "binomial"): ClosedForm(_LOG, rf"{_LOG} n", "0"),
    ("broadcast", "chain"): ClosedForm("R-2+K", r"(R-2+K) \frac{n}{K}", "0", "2 or more"),
    ("broadcast", "scatter_all_gather"): ClosedForm(rf"{_LOG} + R-1", r"2 \frac{R-1}{R} n", "0"),
    ("broadcast", "double_binary_tree"): ClosedForm(_TREES, rf"({_TREES}) \frac{{n}}{{2 K}}", "0", "2 or more"),
    ("reduce", "flat"): ClosedForm("R-1", "(R-1) n", "(R-1) n"),
    ("reduce", "binomial"): ClosedForm(_LOG, rf"{_LOG} n", rf"{_LOG} n"),
    ("reduce", "chain"): ClosedForm("R-2+K", r"(R-2+K) \frac{n}{K}", r"(R-2+K) \frac{n}{K}", "2 or more"),
    ("reduce", "reduce_scatter_gather"): ClosedForm(rf"{_LOG} + R-1", r"2 \frac{R-1}{R} n", _SHARE),
    ("reduce", "double_binary_tree"): ClosedForm(
        _TREES, rf"({_TREES}) \frac{{n}}{{2 K}}", rf"({_TREES}) \frac{{n}}{{2 K}}", "2 or more"
    ),
    ("scatter", "flat"): ClosedForm("R-1", _SHARE, "0"),
    ("scatter", "binomial"): ClosedForm(_LOG, _SHARE, "0"),
    ("gather", "flat"): ClosedForm("R-1", _SHARE, "0"),
    ("gather", "binomial"): ClosedForm(_LOG, _SHARE, "0"),
    ("all_gather", "flat"): ClosedForm("2 (R-1)", rf"{_SHARE} + (R-1) n", "0"),
    ("all_gather", "ring"): ClosedForm("R-1", _SHARE, "0"),
    ("all_gather", "recursive_doubling"): ClosedForm(_EXACT, _SHARE, "0", "a power of two"),
    ("all_gather", "bruck"): ClosedForm(_LOG, _SHARE, "0"),
    ("all_gather", "pairwise"): ClosedForm("R-1", _SHARE, "0"),
    ("reduce_scatter", "flat"): ClosedForm("2 (R-1)", rf"(R-1) n + {_SHARE}", "(R-1) n"),
    ("reduce_scatter", "ring"): ClosedForm("R-1", _SHARE, _SHARE),
    ("reduce_scatter", "recursive_halving"): ClosedForm(_EXACT, _SHARE, _SHARE, "a power of two"),
    ("reduce_scatter", "bruck"): ClosedForm(_LOG, _SHARE, _SHARE),
    ("reduce_scatter", "pairwise"): ClosedForm("R-1", _SHARE, _SHARE),
    ("all_reduce", "flat"): ClosedForm("2 (R-1)", "2 (R-1) n", "(R-1) n"),
    ("all_reduce", "binomial"): ClosedForm(rf"2 {_LOG}", rf"2 {_LOG} n", rf"{_LOG} n"),
    ("all_reduce", "ring"): ClosedForm("2 (R-1)", rf"2 {_SHARE}", _SHARE),
    ("all_reduce", "recursive_doubling"): ClosedForm(_EXACT, rf"{_EXACT} n", rf"{_EXACT} n", "a power of two"),
    ("all_reduce", "halving_doubling"): ClosedForm(rf"2 {_EXACT}", rf"2 {_SHARE}", _SHARE, "a power of two"),
    ("all_reduce", "bruck"): ClosedForm(rf"2 {_LOG}", rf"2 {_SHARE}", _SHARE),
    ("all_reduce", "double_binary_tree"): ClosedForm(
        rf"2 ({_TREES})", rf"({_TREES}) \frac{{n}}{{K}}", rf"({_TREES}) \frac{{n}}{{2 K}}", "2 or more"
    ),
    ("all_to_all", "pairwise"): ClosedForm("R-1", _SHARE, "0"),
    ("all_to_all", "bruck"): ClosedForm(_EXACT, rf"\frac{{n}}{{2}} {_EXACT}", "0", "a power of two"),
    ("barrier", "flat"): ClosedForm("2 (R-1)", "0", "0"),
    ("barrier", "binomial"): ClosedForm(rf"2 {_LOG}", "0", "0"),
    ("barrier", "dissemination"): ClosedForm(_LOG, "0", "0"),
}


def collective_lower_bound(
    primitive: str, *, ranks: int, size_bytes: int | float, element_bytes: int = 2, root: int = 0
) -> Cost:
    """Return what no algorithm can go below: steps, bytes and reduced bytes, each a bound of its own.

    Steps: what one rank knows reaches at most twice as many ranks with every step. Bytes: some rank must send or
    receive so much: all (broadcast, reduce), all but its own chunk (scatter, gather, all-gather, reduce-scatter,
    all-to-all). All-reduce: for every element R − 1 messages pass before any rank has its sum and R − 1 after, shared
    out over R ranks. Reduced bytes: (R − 1)n additions, shared out over R ranks.

    Formula: $S \\ge \\lceil \\log_2 R \\rceil, \\quad Q \\ge f(R) \\, n, \\quad Q_\\gamma \\ge \\frac{R-1}{R} n$
    Symbols: S, Q, Q_γ = steps, wire_bytes and reduced_bytes of the result; R = ranks; n = size_bytes;
        f(R) = bus_bandwidth_factor: 2(R−1)/R for all-reduce, 1 for broadcast and reduce, (R−1)/R for the others;
        Q_γ = 0 where nothing is added; uneven chunks make Q larger, or for a root with a long chunk smaller
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES``.
        ranks: number of ranks R.
        size_bytes: bytes, in the convention of ``snippets.simulation.schedule``; 0 for a barrier.
        element_bytes: bytes of one element, which is never cut.
        root: root of broadcast, reduce, scatter and gather.

    Returns:
        The three bounds, exact integers. Its ``time_s`` adds them.

    Source: Chan, Heimlich, Purkayastha and van de Geijn 2007, Table I; Patarasuk and Yuan 2009 (all-reduce bytes).
    Convention: single port, full duplex; the ranks alone reduce. An element travels whole.
    Leaves out: that no algorithm may meet all three at once; reduction in the network, which needs fewer bytes.

    Example:
        >>> collective_lower_bound("all_reduce", ranks=8, size_bytes=1e6)
        Cost(steps=3, wire_bytes=1750000, reduced_bytes=875000)
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    s = _sizes(primitive, ranks, size_bytes, element_bytes, root)
    if s.ranks == 1:
        return _times(NO_COST, element_bytes)
    concerned = s.ranks if s.length or primitive == "barrier" else 1
    if primitive in ("scatter", "gather") and s.length < s.ranks:
        concerned = s.length + (s.root >= s.length)
    if primitive in ("broadcast", "reduce"):
        wire = s.length
    elif primitive in ("scatter", "gather"):
        wire = s.length - s.chunk(s.root)
    elif primitive in ("all_gather", "reduce_scatter"):
        wire = s.length - s.shorter
    elif primitive == "all_reduce":
        wire = -(-2 * (s.ranks - 1) * s.length // s.ranks)
    else:
        wire = (s.ranks - 1) * s.longest
    reduced = -(-(s.ranks - 1) * s.length // s.ranks) if primitive in SUMMING else 0
    return _times(Cost((concerned - 1).bit_length(), wire, reduced), element_bytes)


def crossover_bytes(
    primitive: str,
    first: str,
    second: str,
    *,
    ranks: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
    segments: int = 1,
) -> float | None:
    """Return the size at which two algorithms take the same time.

    Formula: $n^* = \\frac{(S' - S) \\, \\alpha}{(q - q') / \\beta + (\\rho - \\rho') \\, \\gamma}$
    Symbols: n* = the result; S, q and ρ = steps, wire_bytes and reduced_bytes per byte of the vector of the first
        algorithm, S', q' and ρ' of the second; α = latency_s; β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES`` but the barrier.
        first: an algorithm of it.
        second: another algorithm of it.
        ranks: number of ranks.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.
        reduction_s_per_byte: γ.
        segments: blocks of those of the two that are pipelined.

    Returns:
        Bytes n, in the convention of ``snippets.simulation.schedule``; ``None`` where one algorithm is at least as
        fast at every size, or both are alike.

    Source: derived in this book.
    Convention: chunks are even, so that times are straight lines; beside it the one with fewer steps wins below.
    Leaves out: the steps of uneven chunks around the result; other numbers of segments at other sizes.

    Example:
        >>> crossover_bytes(
        ...     "all_reduce", "recursive_doubling", "ring", ranks=8, latency_s=1e-5, bandwidth_bytes_per_s=25e9
        ... )
        2200000.0
    """
    alpha, per_byte, gamma = _machine(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    steps, slopes = [], []
    primitive, segments = named("primitive", primitive, PRIMITIVES), positive_integer("segments", segments)
    for name, given in (("first", first), ("second", second)):
        algorithm = named(name, given, ALGORITHMS[primitive], aliases=ALIASES)
        blocks = segments if algorithm in PIPELINED else 1
        line = _line(primitive, algorithm, ranks, blocks)
        steps.append(line.steps)
        slopes.append(line.wire * per_byte + line.reduced * gamma)
    if slopes[0] == slopes[1]:
        return None
    size = (steps[0] - steps[1]) * alpha / (slopes[1] - slopes[0])
    names = "ranks, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte"
    return as_float(names, size) if size > 0 else None


def latency_share_half_bytes(
    primitive: str,
    algorithm: str,
    *,
    ranks: int,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
    segments: int = 1,
) -> float:
    """Return the size at which half of an algorithm's time is latency; below it latency rules.

    Formula: $n_{1/2} = \\frac{S \\alpha}{q / \\beta + \\rho \\gamma}, \\quad R \\alpha \\beta \\text{ for a ring}$
    Symbols: S = steps; q and ρ = wire_bytes and reduced_bytes per byte of the vector; R = ranks; α = latency_s;
        β = bandwidth_bytes_per_s; γ = reduction_s_per_byte (0 in the ring's form)
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES`` but the barrier.
        algorithm: an algorithm of it.
        ranks: number of ranks, at least 2.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.
        reduction_s_per_byte: γ.
        segments: blocks, if the algorithm is pipelined.

    Returns:
        Bytes n, in the convention of ``snippets.simulation.schedule``.

    Source: derived in this book.
    Convention: chunks are even.
    Leaves out: what ``algorithm_cost`` leaves out.

    Example:
        >>> latency_share_half_bytes("all_reduce", "ring", ranks=256, latency_s=2**-18, bandwidth_bytes_per_s=2**35)
        33554432.0
    """
    alpha, per_byte, gamma = _machine(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    if positive_integer("ranks", ranks) < 2:
        raise ValueError(f"ranks must be an integer of at least 2, got {ranks!r}")
    primitive = named("primitive", primitive, PRIMITIVES)
    line = _line(primitive, named("algorithm", algorithm, ALGORITHMS[primitive], aliases=ALIASES), ranks, segments)
    size = line.steps * alpha / (line.wire * per_byte + line.reduced * gamma)
    return as_float("ranks, latency_s, bandwidth_bytes_per_s and reduction_s_per_byte", size)


class _Line(NamedTuple):
    """Steps, and bytes and reduced bytes for each byte of the vector."""

    steps: int
    wire: Fraction
    reduced: Fraction


def _line(primitive: str, algorithm: str, ranks: int, segments: int) -> _Line:
    """Return the terms of an algorithm as a straight line in n: those of a length that all its cuts divide."""
    named("primitive", primitive, (name for name in PRIMITIVES if name != "barrier"))
    ranks, segments = positive_integer("ranks", ranks), positive_integer("segments", segments)
    length = 2 * segments * ranks * largest_power_of_two(ranks)
    terms = algorithm_cost(primitive, algorithm, ranks=ranks, size_bytes=length, element_bytes=1, segments=segments)
    return _Line(terms.steps, Fraction(terms.wire_bytes, length), Fraction(terms.reduced_bytes, length))


def _machine(
    latency_s: float, bandwidth_bytes_per_s: float, reduction_s_per_byte: float
) -> tuple[Fraction, Fraction, Fraction]:
    """Return α, 1/β and γ, checked and exact."""
    return (
        Fraction(nonnegative_number("latency_s", latency_s)),
        1 / Fraction(positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)),
        Fraction(nonnegative_number("reduction_s_per_byte", reduction_s_per_byte)),
    )


def best_collective_segments(
    primitive: str,
    algorithm: str,
    *,
    ranks: int,
    size_bytes: int | float,
    element_bytes: int = 2,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
) -> int:
    """Return into how many blocks a pipelined algorithm best cuts the vector.

    Formula: $K^* = \\sqrt{\\frac{S_\\text{fill}}{S_\\text{block}} \\cdot \\frac{n_K}{\\alpha\\beta}}$
    Symbols: K* = the result before rounding; a phase has S_fill + K S_block steps: S_fill, S_block = R − 2, 1 for a
        chain and S_1 − 2, 2 for a double tree (S_1 = double_tree_rounds of one segment); n_K = bytes that K blocks
        share: n, or n/2 for a double tree; where ranks add, 1/β + γ or, in an all-reduce, 1/β + γ/2 for 1/β
    Chapter: 13

    Args:
        primitive: broadcast, reduce or all_reduce.
        algorithm: one of ``PIPELINED``.
        ranks: number of ranks.
        size_bytes: bytes of the vector, at least 0.
        element_bytes: bytes of one element, which is never cut.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.
        reduction_s_per_byte: γ.

    Returns:
        The better integer beside K*, at least 1, at most one block an element.

    Source: Sanders, Speck and Träff 2009; the square root follows from (S_fill + K S_block)(α + n_K/(Kβ)).
    Convention: least for even blocks; uneven ones can shift the optimum by a few blocks.
    Leaves out: limits on block size, alignment.

    Example:
        >>> best_collective_segments(
        ...     "broadcast", "chain", ranks=10, size_bytes=1e8, latency_s=1e-5, bandwidth_bytes_per_s=25e9
        ... )
        57
    """
    primitive = named("primitive", primitive, ("broadcast", "reduce", "all_reduce"))
    algorithm = named("algorithm", algorithm, PIPELINED, aliases=ALIASES)
    s = _sizes(primitive, ranks, size_bytes, element_bytes, 0)
    alpha, per_byte, gamma = _machine(latency_s, bandwidth_bytes_per_s, reduction_s_per_byte)
    most = s.length if algorithm == "chain" else s.length // 2
    pace = 1 if algorithm == "chain" else 2
    fill = s.ranks - 2 if algorithm == "chain" else double_tree_rounds(ranks=s.ranks, segments=1) - 2
    if fill <= 0 or most <= 1:
        return 1
    added = {"broadcast": Fraction(0), "reduce": gamma, "all_reduce": gamma / 2}[primitive]
    work = Fraction(int(size_bytes), pace) * (per_byte + added)
    if fill * work >= pace * alpha * most**2:
        return most
    near = max(1, math.isqrt(math.floor(fill * work / (pace * alpha))))
    return min((near, near + 1), key=lambda blocks: (fill + pace * blocks) * (alpha + work / blocks))


@dataclass(frozen=True)
class PricedAlgorithm:
    """An algorithm at one size: its blocks, its terms, its time, and the time of the lower bound.

    Example:
        >>> PricedAlgorithm("ring", 1, Cost(2, 1000, 500), time_s=3e-6, bound_s=2e-6).distance
        1.5
    """

    algorithm: str
    segments: int
    terms: Cost
    time_s: float
    bound_s: float

    @property
    def distance(self) -> float:
        """How many times the bound it takes; 1 where both are 0, infinite where only the bound is."""
        if self.bound_s == 0:
            return 1.0 if self.time_s == 0 else math.inf
        return self.time_s / self.bound_s


def compare_algorithms(
    primitive: str,
    *,
    ranks: int,
    size_bytes: int | float,
    element_bytes: int = 2,
    latency_s: float,
    bandwidth_bytes_per_s: float,
    reduction_s_per_byte: float = 0.0,
    algorithms: Collection[str] | None = None,
) -> tuple[PricedAlgorithm, ...]:
    """Return the algorithms of a primitive at one size, the fastest first; the pipelined with their best blocks.

    Formula: $\\min_i \\left( S_i \\alpha + Q_i / \\beta + Q_{\\gamma i} \\gamma \\right)$
    Symbols: S_i, Q_i, Q_γi = terms of algorithm i; α = latency_s; β = bandwidth_bytes_per_s; γ = reduction_s_per_byte
    Chapter: 14

    Args:
        primitive: one of ``PRIMITIVES``.
        ranks: number of ranks.
        size_bytes: bytes, in the convention of ``snippets.simulation.schedule``; 0 for a barrier.
        element_bytes: bytes of one element, which is never cut.
        latency_s: α, at least 0.
        bandwidth_bytes_per_s: β, per direction.
        reduction_s_per_byte: γ.
        algorithms: which to compare; all of ``ALGORITHMS[primitive]`` if ``None``.

    Returns:
        One for each, by time, ties in the order of ``ALGORITHMS``; root 0. ``distance`` is the time over that
        of ``collective_lower_bound``, whose three terms no algorithm need meet together; infinite where only the bound
        is 0.

    Source: the envelope of Thakur, Rabenseifner and Gropp 2005, and of libraries' tuning tables.
    Convention: that of ``algorithm_cost``.
    Leaves out: all that separates machines from α, β and γ: measure before you trust a margin of a few percent.

    Example:
        >>> machine = {"latency_s": 1e-5, "bandwidth_bytes_per_s": 25e9}
        >>> [compare_algorithms("all_reduce", ranks=8, size_bytes=n, **machine)[0].algorithm for n in (1e3, 1e9)]
        ['recursive_doubling', 'halving_doubling']
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    size: dict[str, Any] = {"ranks": ranks, "size_bytes": size_bytes, "element_bytes": element_bytes}
    machine: dict[str, Any] = {
        "latency_s": latency_s,
        "bandwidth_bytes_per_s": bandwidth_bytes_per_s,
        "reduction_s_per_byte": reduction_s_per_byte,
    }
    bound_s = collective_lower_bound(primitive, **size).time_s(**machine)
    names = ALGORITHMS[primitive] if algorithms is None else algorithms
    if not isinstance(names, Collection) or isinstance(names, str) or not len(names):
        raise ValueError(f"algorithms must name at least one algorithm, got {algorithms!r}")
    choices = []
    for given in names:
        name = named("algorithms", given, ALGORITHMS[primitive], aliases=ALIASES)
        blocks = best_collective_segments(primitive, name, **size, **machine) if name in PIPELINED else 1
        terms = algorithm_cost(primitive, name, **size, segments=blocks)
        choices.append(PricedAlgorithm(name, blocks, terms, terms.time_s(**machine), bound_s))
    return tuple(sorted(choices, key=lambda choice: choice.time_s))
