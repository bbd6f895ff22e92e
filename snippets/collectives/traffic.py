"""Formulas: the bytes that each rank sends and receives, for every primitive and algorithm, exact for uneven chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snippets.domain import MOST_LISTED, at_most, named, positive_integer
from snippets.simulation.algorithms import ALGORITHMS, ALIASES, check_segments, largest_power_of_two, tree_masks
from snippets.simulation.double_tree import double_binary_tree
from snippets.simulation.schedule import PRIMITIVES, check_root, chunk_bounds, elements_of


@dataclass(frozen=True)
class Traffic:
    """Bytes that each rank sends and receives, in the order of the ranks.

    Example:
        >>> Traffic((4, 0), (0, 4)) + Traffic((1, 1), (1, 1))
        Traffic(sent_bytes=(5, 1), received_bytes=(1, 5))
    """

    sent_bytes: tuple[int, ...]
    received_bytes: tuple[int, ...]

    def __add__(self, other: Traffic) -> Traffic:
        """Return the traffic of one after the other."""
        if not isinstance(other, Traffic):
            return NotImplemented
        return Traffic(
            tuple(map(sum, zip(self.sent_bytes, other.sent_bytes, strict=True))),
            tuple(map(sum, zip(self.received_bytes, other.received_bytes, strict=True))),
        )

    @property
    def reversed(self) -> Traffic:
        """The traffic of the adjoint, where every message is turned round."""
        return Traffic(self.received_bytes, self.sent_bytes)


class _Ranks:
    """R ranks with the sizes of their chunks, and sums over consecutive chunks."""

    def __init__(self, ranks: int, length: int, root: int) -> None:
        self.count, self.length, self.root = ranks, length, root
        bounds = chunk_bounds(length, ranks)
        self.starts = [start for start, _ in bounds] + [length]

    def chunk(self, rank: int) -> int:
        rank %= self.count
        return self.starts[rank + 1] - self.starts[rank]

    def window(self, first: int, count: int) -> int:
        """Return the elements of ``count`` ≤ R consecutive chunks from ``first`` on, cyclically."""
        first %= self.count
        last = first + count
        if last <= self.count:
            return self.starts[last] - self.starts[first]
        return self.length - self.starts[first] + self.starts[last - self.count]

    def traffic(self, sent: Callable[[int], int], received: Callable[[int], int]) -> Traffic:
        return Traffic(tuple(map(sent, range(self.count))), tuple(map(received, range(self.count))))

    def place(self, rank: int) -> int:
        """Return how far a rank stands after the root."""
        return (rank - self.root) % self.count


def _children(place: int, count: int) -> int:
    """Return how many children a place has in the binomial tree: one for each power of two below its lowest bit."""
    masks = [mask for mask in tree_masks(count) if place % (2 * mask) == 0]
    return sum(place + mask < count for mask in masks)


def _subtree(place: int, count: int) -> int:
    return min(place & -place, count - place) if place else count


def _flat_broadcast(r: _Ranks) -> Traffic:
    n = r.length
    return r.traffic(lambda k: (r.count - 1) * n if k == r.root else 0, lambda k: 0 if k == r.root else n)


def _binomial_broadcast(r: _Ranks) -> Traffic:
    n = r.length
    return r.traffic(lambda k: n * _children(r.place(k), r.count), lambda k: n if r.place(k) else 0)


def _chain_broadcast(r: _Ranks) -> Traffic:
    n = r.length
    return r.traffic(lambda k: n if r.place(k) < r.count - 1 else 0, lambda k: n if r.place(k) else 0)


def _double_tree_broadcast(r: _Ranks) -> Traffic:
    sent = [0] * r.count
    for (start, stop), parents in zip(chunk_bounds(r.length, 2), double_binary_tree(r.count), strict=True):
        for parent in parents:
            sent[parent] += stop - start
    return r.traffic(lambda k: sent[r.place(k)], lambda k: r.length if r.place(k) else 0)


def _flat_scatter(r: _Ranks) -> Traffic:
    rest = r.length - r.chunk(r.root)
    return r.traffic(lambda k: rest if k == r.root else 0, lambda k: 0 if k == r.root else r.chunk(k))


def _binomial_scatter(r: _Ranks) -> Traffic:
    """A rank receives the chunks of its subtree and passes on all but its own."""

    def subtree(rank: int) -> int:
        return r.window(rank, _subtree(r.place(rank), r.count))

    return r.traffic(lambda k: subtree(k) - r.chunk(k), lambda k: subtree(k) if r.place(k) else 0)


def _flat_all_gather(r: _Ranks) -> Traffic:
    return _flat_scatter(r).reversed + _flat_broadcast(r)


def _ring_all_gather(r: _Ranks) -> Traffic:
    """A rank sends every chunk but its successor's, and receives every chunk but its own."""
    return r.traffic(lambda k: r.length - r.chunk(k + 1), lambda k: r.length - r.chunk(k))


def _ring_reduce_scatter(r: _Ranks) -> Traffic:
    """A rank sends a partial sum of every chunk but its own, and receives one of every chunk but its predecessor's."""
    return r.traffic(lambda k: r.length - r.chunk(k), lambda k: r.length - r.chunk(k - 1))


def _pairwise_all_gather(r: _Ranks) -> Traffic:
    return r.traffic(lambda k: (r.count - 1) * r.chunk(k), lambda k: r.length - r.chunk(k))


def _bruck_all_gather(r: _Ranks) -> Traffic:
    steps = [min(distance, r.count - distance) for distance in tree_masks(r.count)]
    return r.traffic(lambda k: sum(r.window(k, count) for count in steps), lambda k: r.length - r.chunk(k))


def _doubling(r: _Ranks, core: int, extra: int) -> tuple[list[int], list[int]]:
    """Return what the members of the doubling send and receive; the first ``extra`` own two chunks each."""

    def block(member: int, distance: int) -> int:
        first = member - member % distance
        last = first + distance
        return r.starts[last + min(last, extra)] - r.starts[first + min(first, extra)]

    masks = tree_masks(core)
    sent = [sum(block(member, mask) for mask in masks) for member in range(core)]
    received = [sum(block(member ^ mask, mask) for mask in masks) for member in range(core)]
    return sent, received


def _recursive_doubling_all_gather(r: _Ranks) -> Traffic:
    core = largest_power_of_two(r.count)
    extra = r.count - core
    core_sent, core_received = _doubling(r, core, extra)
    sent, received = [], []
    for pair in range(extra):
        low = r.chunk(2 * pair)
        sent += [low, core_sent[pair] + r.length - low]
        received += [r.length - low, core_received[pair] + low]
    return Traffic(tuple(sent + core_sent[extra:]), tuple(received + core_received[extra:]))


def _scatter_all_gather(r: _Ranks) -> Traffic:
    return _binomial_scatter(r) + _ring_all_gather(r)


def _folded(r: _Ranks, core_sent: list[int], core_received: list[int]) -> Traffic:
    """Return an all-reduce's traffic from its members': folding sends the vector to a member, serving sends it back."""
    extra = r.count - len(core_sent)
    n = r.length
    sent, received = [], []
    for pair in range(extra):
        sent += [n, core_sent[pair] + n]
        received += [n, core_received[pair] + n]
    return Traffic(tuple(sent + core_sent[extra:]), tuple(received + core_received[extra:]))


def _recursive_doubling_all_reduce(r: _Ranks) -> Traffic:
    core = largest_power_of_two(r.count)
    moved = [r.length * (core.bit_length() - 1)] * core
    return _folded(r, moved, moved)


def _halving_doubling_all_reduce(r: _Ranks) -> Traffic:
    """Halving sends what doubling receives and receives what it sends."""
    core = largest_power_of_two(r.count)
    sent, received = _doubling(_Ranks(core, r.length, 0), core, 0)
    both = [out + into for out, into in zip(sent, received, strict=True)]
    return _folded(r, both, both)


def _pairwise_all_to_all(r: _Ranks) -> Traffic:
    return r.traffic(lambda k: r.length - r.chunk(k), lambda k: (r.count - 1) * r.chunk(k))


def _bruck_all_to_all(r: _Ranks) -> Traffic:
    """In the step of a hop a rank holds, of every distance with that bit, the blocks that have done the lower bits."""

    def step(rank: int, hop: int) -> int:
        return sum(min(hop, r.count - distance) * r.chunk(rank + distance) for distance in range(hop, r.count, 2 * hop))

    hops = tree_masks(r.count)
    return r.traffic(lambda k: sum(step(k, hop) for hop in hops), lambda k: sum(step(k - hop, hop) for hop in hops))


_COPYING: dict[tuple[str, str], Callable[[_Ranks], Traffic]] = {
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
    ("all_gather", "pairwise"): _pairwise_all_gather,
    ("reduce_scatter", "ring"): _ring_reduce_scatter,
    ("all_reduce", "recursive_doubling"): _recursive_doubling_all_reduce,
    ("all_reduce", "halving_doubling"): _halving_doubling_all_reduce,
    ("all_to_all", "pairwise"): _pairwise_all_to_all,
    ("all_to_all", "bruck"): _bruck_all_to_all,
}
_ADJOINT = {
    ("reduce", "reduce_scatter_gather"): ("broadcast", "scatter_all_gather"),
    ("reduce_scatter", "recursive_halving"): ("all_gather", "recursive_doubling"),
}
_ADJOINT_PRIMITIVE = {"reduce": "broadcast", "gather": "scatter", "reduce_scatter": "all_gather"}


def _elements(primitive: str, algorithm: str, r: _Ranks) -> Traffic:
    key = (primitive, algorithm)
    if key in _COPYING:
        return _COPYING[key](r)
    if primitive in _ADJOINT_PRIMITIVE:
        return _COPYING[_ADJOINT.get(key, (_ADJOINT_PRIMITIVE[primitive], algorithm))](r).reversed
    if primitive == "barrier":
        return Traffic((0,) * r.count, (0,) * r.count)
    if algorithm in ("ring", "bruck"):
        return _elements("reduce_scatter", algorithm, r) + _elements("all_gather", algorithm, r)
    return _elements("reduce", algorithm, r) + _elements("broadcast", algorithm, r)


def collective_traffic(
    primitive: str,
    algorithm: str,
    *,
    ranks: int,
    size_bytes: int | float,
    element_bytes: int = 2,
    root: int = 0,
    segments: int = 1,
) -> Traffic:
    """Return the bytes that each rank sends and receives.

    Formula: $2n - n_r - n_{r+1} = 2 \\frac{R-1}{R} n \\text{ for even chunks}$
    Symbols: n = size_bytes; n_r = bytes of the chunk of rank r (modulo R); R = ranks; it is what rank r of a ring
        all-reduce sends
    Chapter: 13

    Args:
        primitive: one of ``PRIMITIVES``.
        algorithm: one of ``ALGORITHMS[primitive]``.
        ranks: number of ranks, at most 2¹⁶.
        size_bytes: bytes n, in the convention of ``snippets.simulation.schedule``; 0 for a barrier.
        element_bytes: bytes of one element, which is never cut.
        root: root of broadcast, reduce, scatter and gather.
        segments: blocks of a pipelined algorithm; they do not change the sums.

    Returns:
        Sent and received bytes, one entry a rank, exact integers.

    Raises:
        ValueError: if a name is unknown or a size is out of its range.

    Source: counted from the algorithms as ``snippets.simulation.algorithms`` lays them out.
    Convention: elements alone, without headers; a byte counts once for its sender and once for its receiver.
    Leaves out: which messages carry them.

    Example:
        >>> collective_traffic("all_reduce", "ring", ranks=3, size_bytes=20).sent_bytes
        (26, 28, 26)
    """
    primitive = named("primitive", primitive, PRIMITIVES)
    algorithm = named("algorithm", algorithm, ALGORITHMS[primitive], aliases=ALIASES)
    check_segments(algorithm, segments)
    ranks, length = (
        at_most("ranks", positive_integer("ranks", ranks), MOST_LISTED),
        elements_of(primitive, size_bytes, element_bytes),
    )
    check_root(primitive, ranks=ranks, root=root)
    size = int(element_bytes)
    elements = _elements(primitive, algorithm, _Ranks(ranks, length, int(root)))
    return Traffic(
        tuple(size * sent for sent in elements.sent_bytes), tuple(size * got for got in elements.received_bytes)
    )
