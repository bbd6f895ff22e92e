"""Formulas: what a matrix product costs, whole and cut into pieces, and what sums and norms keep when data are cut.

The product is C = A·B with A of m × k, B of k × n and C of m × n numbers. A dimension may be 0: an empty sum is 0, so
the product of an m × 0 by a 0 × n matrix is the zero matrix and costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from snippets.domain import (
    MOST_LISTED,
    as_float,
    at_most,
    each,
    finite_number,
    nonnegative_integer,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
)

Result = Literal["sharded", "replicated"]
RESULTS: tuple[Result, ...] = ("sharded", "replicated")


def gemm_flops(*, m: int, k: int, n: int) -> int:
    """Floating-point operations of an m × k by k × n product, ``2·m·k·n``.

    Each of the m·n entries is a sum of k products: k multiplications and k additions, the first of them to zero.

    Also: matmul FLOPs
    Formula: $F = 2mkn$
    Symbols: F = result; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: columns of A and rows of B, the shared dimension, at least 0.
        n: columns of B, at least 0.

    Returns:
        Multiplications plus additions.

    Source: the definition of the product, counted.
    Convention: a multiplication and an addition are two operations, also where the hardware fuses them. Adding to zero
    counts; without it the sum is m·n·(2k − 1).
    Leaves out: methods with fewer multiplications than the definition, such as Strassen's.

    Example:
        >>> gemm_flops(m=200, k=120, n=80)
        3840000
    """
    m, k, n = _shape(m, k, n)
    return 2 * m * k * n


def gemm_words(*, m: int, k: int, n: int) -> int:
    """Numbers that a product must read or write at the least, ``m·k + k·n + m·n``: A and B read once, C written once.

    Formula: $U = mk + kn + mn$
    Symbols: U = result; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.

    Returns:
        Numbers, not bytes.

    Source: the definition of the product, counted.
    Leaves out: reading an operand again because it does not fit in the cache; reading C first, for C += A·B.

    Example:
        >>> gemm_words(m=200, k=120, n=80)
        49600
    """
    m, k, n = _shape(m, k, n)
    return m * k + k * n + m * n


def gemm_arithmetic_intensity(*, m: int, k: int, n: int, element_bytes: float = 2) -> float:
    r"""FLOP per byte of memory traffic of a product that touches each number once, ``2mkn / (w·(mk + kn + mn))``.

    Also: arithmetic intensity, operational intensity
    Formula: $I = \dfrac{2mkn}{w\,(mk + kn + mn)}$
    Symbols: I = result; w = element_bytes; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 1.
        k: the shared dimension, at least 1.
        n: columns of B, at least 1.
        element_bytes: w, bytes of one number, the same for A, B and C.

    Returns:
        FLOP per byte.

    Raises:
        ValueError: a dimension is no integer of at least 1, or ``element_bytes`` is not above 0.

    Source: Williams, Waterman and Patterson 2009 for the notion.
    Convention: an upper bound of what a kernel reaches, since it assumes the least traffic.

    Example:
        >>> round(gemm_arithmetic_intensity(m=4096, k=4096, n=4096, element_bytes=2))
        1365
    """
    for name, value in (("m", m), ("k", k), ("n", n)):
        positive_integer(name, value)
    element_bytes = positive_number("element_bytes", element_bytes)
    traffic = Fraction(element_bytes) * gemm_words(m=m, k=k, n=n)
    return as_float("m, k, n and element_bytes", gemm_flops(m=m, k=k, n=n) / traffic)


def block_ranges(length: int, parts: int) -> tuple[range, ...]:
    r"""Cut ``0, 1, …, length − 1`` into ``parts`` consecutive ranges, the first ones longer by 1 where need be.

    Formula: $|J_r| = \lfloor H/Z \rfloor + [\,r < H \bmod Z\,]$
    Symbols: J_r = entry r of the result; H = length; Z = parts
    Chapter: A1

    Args:
        length: how many indices there are, at least 0.
        parts: how many ranges to make, at least 1, at most 2¹⁶; ranges beyond ``length`` are empty.

    Returns:
        The ranges, in order; together they hold each index once.

    Raises:
        ValueError: ``length`` is no integer of at least 0, or ``parts`` none of at least 1.

    Source: derived in this book.
    Convention: the one of ``numpy.array_split``.

    Example:
        >>> block_ranges(7, 3)
        (range(0, 3), range(3, 5), range(5, 7))
    """
    length = nonnegative_integer("length", length)
    parts = at_most("parts", positive_integer("parts", parts), MOST_LISTED)
    base, longer = divmod(length, parts)
    starts = [part * base + min(part, longer) for part in range(parts + 1)]
    return tuple(range(start, stop) for start, stop in pairwise(starts))


@dataclass(frozen=True)
class Share:
    """What one rank holds, sends and computes in a product that several ranks share.

    Attributes:
        input_bytes: its parts of A and B before the first message.
        output_bytes: its part of C after the last.
        sent_bytes: what it sends.
        received_bytes: what it receives.
        product_flops: operations of its own block products, ``2·m·k·n`` of the blocks.
        reduction_flops: additions of numbers that came from other ranks.
        steps: rounds of messages; in a round a rank sends at most one message along each ring that it is on.
    """

    input_bytes: int
    output_bytes: int
    sent_bytes: int
    received_bytes: int
    product_flops: int
    reduction_flops: int
    steps: int


def row_split(*, m: int, k: int, n: int, ranks: int, rank: int, element_bytes: int = 2, result: Result) -> Share:
    r"""The share of one of R ranks when A is cut by rows: it holds A_r (m/R × k) and all of B, and computes A_r·B.

    Leaving C cut by rows costs no message. Putting it together on every rank is a ring all-gather: R − 1 steps, in
    which rank r sends every block of C but that of rank r + 1, ``(R−1)/R·m·n`` numbers where R divides m.

    Formula: $O = \dfrac{R-1}{R}\,mnw$
    Symbols: O = sent_bytes where R divides m and the result is replicated; R = ranks; w = element_bytes; m, n
    = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        ranks: R, at least 1.
        rank: r, from 0 to R − 1.
        element_bytes: bytes of one number.
        result: ``"sharded"`` leaves each rank its rows of C, ``"replicated"`` gives every rank all of C.

    Returns:
        The rank's share.

    Raises:
        ValueError: an argument is no integer in its range, or ``result`` is none of the two words.

    Source: Thakur et al. 2005 for the ring all-gather.
    Convention: sent by this rank; rows are dealt as ``block_ranges`` does.
    Leaves out: how the ranks came by their parts of A and B; B is there R times.

    Example:
        >>> row_split(m=8, k=2, n=4, ranks=4, rank=0, element_bytes=2, result="replicated").sent_bytes
        48
    """
    m, k, n = _shape(m, k, n)
    size = positive_integer("ranks", ranks)
    place = _index("rank", rank, size)
    element_bytes = positive_integer("element_bytes", element_bytes)
    sharded = one_of("result", result, RESULTS) == "sharded"
    own, following = _block_length(m, size, place), _block_length(m, size, (place + 1) % size)
    return Share(
        input_bytes=(own * k + k * n) * element_bytes,
        output_bytes=(own if sharded else m) * n * element_bytes,
        sent_bytes=0 if sharded else (m - following) * n * element_bytes,
        received_bytes=0 if sharded else (m - own) * n * element_bytes,
        product_flops=gemm_flops(m=own, k=k, n=n),
        reduction_flops=0,
        steps=0 if sharded else size - 1,
    )


def column_split(*, m: int, k: int, n: int, ranks: int, rank: int, element_bytes: int = 2, result: Result) -> Share:
    r"""The share of one of R ranks when B is cut by columns: it holds all of A and B_r (k × n/R), and computes A·B_r.

    The transpose of ``row_split``: Cᵀ = Bᵀ·Aᵀ is cut by rows.

    Formula: $O = \dfrac{R-1}{R}\,mnw$
    Symbols: O = sent_bytes where R divides n and the result is replicated; R = ranks; w = element_bytes; m, n
    = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        ranks: how many there are, at least 1.
        rank: which one is meant, from 0.
        element_bytes: bytes of one number, at least 1.
        result: ``"sharded"`` (C stays cut by columns) or ``"replicated"`` (every rank ends with all of C).

    Returns:
        What this rank holds, computes and sends.

    Source: derived in this book.

    Example:
        >>> column_split(m=8, k=2, n=4, ranks=4, rank=0, element_bytes=2, result="sharded").sent_bytes
        0
    """
    m, k, n = _shape(m, k, n)
    return row_split(m=n, k=k, n=m, ranks=ranks, rank=rank, element_bytes=element_bytes, result=result)


def k_split(*, m: int, k: int, n: int, ranks: int, rank: int, element_bytes: int = 2, result: Result) -> Share:
    r"""The share of one of R ranks when the shared dimension is cut: it holds A_r (m × k/R) and B_r (k/R × n).

    Its product A_r·B_r has the shape of C, and the R of them sum to C. A ring reduce-scatter (R − 1 steps) sums
    and leaves rank r the r-th block of rows; rank r sends every block but its own. A ring all-gather (R − 1 steps
    more) then gives every rank all of C. Where R divides m, the two phases send ``(R−1)/R·m·n`` numbers each.

    Formula: $O = 2\,\dfrac{R-1}{R}\,mnw$
    Symbols: O = sent_bytes where R divides m and the result is replicated, half of it where sharded; R = ranks; w
    = element_bytes; m, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        ranks: R, at least 1.
        rank: r, from 0 to R − 1.
        element_bytes: bytes of one number, also of a partial sum.
        result: ``"sharded"`` leaves each rank its rows of the sum, ``"replicated"`` gives every rank all of C.

    Returns:
        The rank's share.

    Raises:
        ValueError: an argument is no integer in its range, or ``result`` is none of the two words.

    Source: Patarasuk and Yuan 2009 for the ring of reduce-scatter and all-gather.
    Convention: sent by this rank; k and the rows of C are dealt as ``block_ranges`` does.
    Leaves out: the m × n partial product that a rank holds besides, until it is summed.

    Example:
        >>> k_split(m=8, k=4, n=4, ranks=4, rank=0, element_bytes=2, result="replicated").sent_bytes
        96
    """
    m, k, n = _shape(m, k, n)
    size = positive_integer("ranks", ranks)
    gather = row_split(m=m, k=k, n=n, ranks=size, rank=rank, element_bytes=element_bytes, result=result)
    element_bytes = int(element_bytes)
    own, own_k = _block_length(m, size, rank), _block_length(k, size, rank)
    before = _block_length(m, size, (rank - 1) % size)
    return Share(
        input_bytes=(m * own_k + own_k * n) * element_bytes,
        output_bytes=gather.output_bytes,
        sent_bytes=gather.sent_bytes + (m - own) * n * element_bytes,
        received_bytes=gather.received_bytes + (m - before) * n * element_bytes,
        product_flops=gemm_flops(m=m, k=own_k, n=n),
        reduction_flops=(m - before) * n,
        steps=gather.steps + size - 1,
    )


def grid_split(
    *,
    m: int,
    k: int,
    n: int,
    grid: tuple[int, int, int],
    rank: tuple[int, int, int],
    element_bytes: int = 2,
) -> Share:
    r"""The share of rank (i, j, l) on a grid of ρ rows, κ columns and λ layers; no rank holds what another holds.

    Layer l has the l-th part of the shared dimension, k_l. In it, rank (i, j) starts with block (i, j) of that part
    of A, about m/ρ × k_l/κ, and of B, about k_l/ρ × n/κ. SUMMA passes the blocks of A along the grid's rows and those
    of B along its columns; a ring reduce-scatter along the layers sums the λ partial blocks of C. Where everything
    divides, a rank sends ``(mk(κ−1) + kn(ρ−1) + mn(λ−1))/R`` numbers.

    The grid (ρ, κ, 1) is SUMMA, (1, 1, R) the k-split, and (R, 1, 1) the row split of an A whose B is gathered first.

    Formula: $O = \dfrac{w}{\rho\kappa\lambda}\bigl(mk(\kappa-1) + kn(\rho-1) + mn(\lambda-1)\bigr)$
    Symbols: O = sent_bytes where all divides; (ρ, κ, λ) = grid; w = element_bytes; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        grid: (ρ, κ, λ), each at least 1, at most 2²⁰; R = ρ·κ·λ ranks.
        rank: (i, j, l), from (0, 0, 0) to (ρ − 1, κ − 1, λ − 1).
        element_bytes: bytes of one number.

    Returns:
        The rank's share; C is left sharded. ``steps`` is ``panels·(max(ρ, κ) − 1) + λ − 1``, where ``panels`` is the
        number of non-empty pieces that k_l falls into when it is cut into κ parts and into ρ parts at once.

    Source: van de Geijn and Watts 1997 for SUMMA; Agarwal et al. 1995 for three dimensions.
    Convention: sent by this rank; broadcasts are passed along a ring, which sends as much as any broadcast, evenly.
    Leaves out: overlapping the steps of one panel with those of the next; the panels that a rank holds in passing.

    Example:
        >>> grid_split(m=8, k=8, n=8, grid=(2, 2, 1), rank=(0, 0, 0), element_bytes=2).sent_bytes
        64
    """
    m, k, n = _shape(m, k, n)
    r, c, d = size = _triple("grid", grid)
    if not isinstance(rank, tuple | list) or len(rank) != 3:
        raise ValueError(f"rank must be three integers (row, column, layer), got {rank!r}")
    i, j, layer = (_index(f"rank[{axis}]", place, size[axis]) for axis, place in enumerate(rank))
    s = positive_integer("element_bytes", element_bytes)
    at_most("grid", max(size))
    own_m, own_n, own_k = _block_length(m, r, i), _block_length(n, c, j), _block_length(k, d, layer)
    a, b, chunk = _block_length(own_k, c, j), _block_length(own_k, r, i), _block_length(own_m, d, layer)
    # On a ring of one, both are 0.
    a_sent, b_sent = own_k - _block_length(own_k, c, (j + 1) % c), own_k - _block_length(own_k, r, (i + 1) % r)
    added = (own_m - _block_length(own_m, d, (layer - 1) % d)) * own_n
    lengths = {_block_length(k, d, 0), _block_length(k, d, d - 1)}
    return Share(
        input_bytes=(own_m * a + b * own_n) * s,
        output_bytes=chunk * own_n * s,
        sent_bytes=(own_m * a_sent + b_sent * own_n + (own_m - chunk) * own_n) * s,
        received_bytes=(own_m * (own_k - a) + (own_k - b) * own_n + added) * s,
        product_flops=gemm_flops(m=own_m, k=own_k, n=own_n),
        reduction_flops=added,
        steps=max(_panels(length, c, r) for length in lengths) * (max(r, c) - 1) + d - 1,
    )


def grid_traffic_words(*, m: int, k: int, n: int, grid: tuple[int, int, int]) -> int:
    r"""Numbers that all ranks of a grid send together, ``mk(κ−1) + kn(ρ−1) + mn(λ−1)``, whatever the remainders.

    Each number of A is held by one rank and used by the κ ranks of a row; each number of B by the ρ ranks of
    a column; each number of C is a sum of λ terms. A message brings a number to one more rank.

    Formula: $O_{\text{all}} = mk(\kappa-1) + kn(\rho-1) + mn(\lambda-1)$
    Symbols: O_all = result; (ρ, κ, λ) = grid; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        grid: (ρ, κ, λ), rows, columns and layers of ranks, each at least 1.

    Returns:
        Numbers, not bytes, for C left sharded.

    Source: derived in this book.
    Convention: sent by all ranks; divide by ρ·κ·λ for the average of one.
    Leaves out: the reuse of a layer's result by others, as in products that follow each other.

    Example:
        >>> grid_traffic_words(m=8, k=8, n=8, grid=(2, 2, 1))
        128
    """
    m, k, n = _shape(m, k, n)
    r, c, d = _triple("grid", grid)
    return m * k * (c - 1) + k * n * (r - 1) + m * n * (d - 1)


def best_gemm_grid(*, m: int, k: int, n: int, ranks: int) -> tuple[int, int, int]:
    r"""The grid (ρ, κ, λ) of R ranks whose traffic is least, found by trying every way to write R as ρ·κ·λ.

    Formula: $(\rho, \kappa, \lambda) = \arg\min_{\rho\kappa\lambda = R}\; mk(\kappa-1) + kn(\rho-1) + mn(\lambda-1)$
    Symbols: (ρ, κ, λ) = result; R = ranks; m, k, n = the arguments
    Chapter: A1

    Args:
        m: rows of A, at least 0.
        k: the shared dimension, at least 0.
        n: columns of B, at least 0.
        ranks: R, at least 1, at most 2²⁰.

    Returns:
        (ρ, κ, λ) with ρ·κ·λ = R; of equals the one that is smallest as a tuple.

    Source: derived in this book.
    Leaves out: memory, the number of steps, and that links differ.

    Example:
        >>> best_gemm_grid(m=8192, k=14336, n=4096, ranks=8)
        (2, 1, 4)
    """
    m, k, n = _shape(m, k, n)
    size = at_most("ranks", positive_integer("ranks", ranks))
    divisors = [number for number in range(1, size + 1) if size % number == 0]
    grids = [(r, c, size // (r * c)) for r in divisors for c in divisors if size // r % c == 0]
    return min(grids, key=lambda grid: (grid_traffic_words(m=m, k=k, n=n, grid=grid), grid))


def global_norm(shard_norms: Sequence[float], *, order: float = 2.0) -> float:
    r"""The norm of a vector from the norms of its shards, ``(Σ ‖shard‖^q)^(1/q)``, or the largest for q = ∞.

    A matrix counts as the vector of its entries: for q = 2 this is its Frobenius norm.

    Also: gradient norm
    Formula: $\lVert g \rVert = \bigl(\sum_r \lVert g_r \rVert^{q}\bigr)^{1/q}$
    Symbols: ‖g_r‖ = shard_norms; q = order; ‖g‖ = result
    Chapter: A1

    Args:
        shard_norms: norm of each shard, of that same order; none for an empty vector, whose norm is 0.
        order: q, at least 1; ``math.inf`` for the largest absolute value.

    Returns:
        The norm of the whole.

    Raises:
        ValueError: a norm is negative or not finite, or ``order`` is below 1.

    Source: the definition of the Frobenius norm.

    Example:
        >>> global_norm([3.0, 4.0])
        5.0
    """
    norms = each("shard_norms", shard_norms, nonnegative_number)
    power = math.inf if isinstance(order, float) and order == math.inf else nonnegative_number("order", order)
    if power < 1:
        raise ValueError(f"order must be a number of at least 1 or infinity, got {order!r}")
    largest = max(norms, default=0.0)
    if largest == 0 or math.isinf(power):
        return largest
    # Scaled by the largest, so that the powers neither overflow nor vanish.
    norm = float(largest * math.fsum((norm / largest) ** power for norm in norms) ** (1 / power))
    if math.isinf(norm):
        raise ValueError(f"shard_norms must be such that the norm fits a float, got {shard_norms!r}")
    return norm


def weighted_mean(means: Sequence[float], counts: Sequence[int]) -> float:
    r"""The mean over all examples from the means of shards, ``Σ Z_r·mean_r / Σ Z_r``.

    Formula: $\bar g = \sum_r Z_r\,\bar g_r \Big/ \sum_r Z_r$
    Symbols: Z_r = counts; mean g_r = means; mean g = result
    Chapter: A1

    Args:
        means: mean of each shard; ignored where the count is 0.
        counts: Z_r, examples in each shard, at least 0 and not all 0.

    Returns:
        The mean of the whole, to rounding.

    Raises:
        ValueError: the lengths differ, a mean is not finite, a count is no integer of at least 0, or all are 0.

    Source: derived in this book.

    Example:
        >>> weighted_mean([1.0, 4.0], [3, 1])
        1.75
    """
    weights, given = each("counts", counts, nonnegative_integer), each("means", means, lambda _, mean: mean)
    if len(given) != len(weights):
        raise ValueError(f"means and counts must have one entry per shard, got {len(given)} and {len(weights)}")
    total = sum(weights)
    if total == 0:
        raise ValueError(f"counts must hold at least one example, got {list(counts)!r}")
    pairs = enumerate(zip(given, weights, strict=True))
    return math.fsum(finite_number(f"means[{i}]", mean) * (weight / total) for i, (mean, weight) in pairs if weight)


def rounding_bound(k: int, *, unit_roundoff: float) -> float:
    r"""The factor γ_k = kε/(1 − kε) that bounds the error of a computed product, whatever the order of its sums.

    Entry by entry, ``|C_computed − C| ≤ γ_k·|A|·|B|``, with the absolute values taken inside the product. Each entry
    is a sum of k rounded products; any order and any grouping of the additions obeys the same bound.

    Also: Higham's gamma
    Formula: $\gamma_k = \dfrac{k\varepsilon}{1 - k\varepsilon}$
    Symbols: ε = unit_roundoff; k = the argument; γ_k = result
    Chapter: A1

    Args:
        k: the shared dimension, at least 0.
        unit_roundoff: ε, above 0: 2⁻²⁴ for float32, 2⁻⁵³ for float64.

    Returns:
        γ_k.

    Raises:
        ValueError: ``k`` is no integer of at least 0, ``unit_roundoff`` is not above 0, or k·u is 1 or more.

    Source: Higham 2002, section 3.5.
    Leaves out: overflow and underflow; formats whose sums are rounded to fewer bits than u says.

    Example:
        >>> f"{rounding_bound(14336, unit_roundoff=2**-24):.2e}"
        '8.55e-04'
    """
    error = nonnegative_number("k", nonnegative_integer("k", k)) * positive_number("unit_roundoff", unit_roundoff)
    if error >= 1:
        raise ValueError(f"unit_roundoff must be below 1/k for the bound to exist, got {unit_roundoff!r} with k = {k}")
    return error / (1 - error)


def _shape(m: int, k: int, n: int) -> tuple[int, int, int]:
    return nonnegative_integer("m", m), nonnegative_integer("k", k), nonnegative_integer("n", n)


def _triple(name: str, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
    if not isinstance(sizes, tuple | list) or len(sizes) != 3:
        raise ValueError(f"{name} must be three integers (rows, columns, layers), got {sizes!r}")
    r, c, d = (positive_integer(f"{name}[{axis}]", size) for axis, size in enumerate(sizes))
    return r, c, d


def _index(name: str, value: int, size: int) -> int:
    if nonnegative_integer(name, value) >= size:
        raise ValueError(f"{name} must be an integer from 0 to {size - 1}, got {value!r}")
    return value


def _block_length(length: int, parts: int, part: int) -> int:
    """The length of one of ``block_ranges(length, parts)``, without listing the others."""
    return length // parts + (part < length % parts)


def _panels(length: int, parts: int, other_parts: int) -> int:
    """The number of non-empty pieces when a range is cut at the borders of both partitions."""
    cuts = {part.start for count in (parts, other_parts) for part in block_ranges(length, count)}
    return len(cuts - {length})
