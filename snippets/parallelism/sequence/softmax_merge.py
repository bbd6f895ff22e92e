"""Formulas: an average weighted by a softmax, computed in parts and merged; what attention reads and writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import each, finite_number, nonnegative_number, positive_integer

LOWEST = -math.inf


@dataclass(frozen=True)
class SoftmaxPart:
    """What one row of scores leaves behind for a block of keys.

    Attributes:
        largest: the largest score, μ, any finite number; minus infinity if the block is empty, as ``EMPTY`` is.
        total: the sum of exp(score − μ) over the block, at least 0.
        mean: the average of the block's values, weighted by these exponentials, o.

    Source: Milakov and Gimelshein 2018, section 3, for μ and the total; Dao et al. 2022, section 3.1, for the average.

    Example:
        >>> SoftmaxPart(largest=0.0, total=3.0, mean=(1.0, 2.0)).log_sum
        1.09...
    """

    largest: float
    total: float
    mean: tuple[float, ...]

    def __post_init__(self) -> None:
        empty = isinstance(self.largest, float) and self.largest == LOWEST
        object.__setattr__(self, "largest", LOWEST if empty else finite_number("largest", self.largest))
        object.__setattr__(self, "total", nonnegative_number("total", self.total))
        object.__setattr__(self, "mean", each("mean", self.mean, finite_number))
        if (self.total == 0) != empty:
            raise ValueError(f"total must be 0 where largest is -inf, and only there, got {self.total!r}")

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of all exponentials: μ + log of the total."""
        return self.largest + math.log(self.total) if self.total else LOWEST


EMPTY = SoftmaxPart(LOWEST, 0.0, ())
"""The part of a block without keys: merged with any other, it changes nothing."""


def softmax_part(scores: Sequence[float], values: Sequence[Sequence[float]]) -> SoftmaxPart:
    """Return what a row of scores and the values that belong to them leave behind.

    Also: online softmax
    Formula: $\\mu = \\max_j z_j, \\quad \\ell = \\sum_j \\exp(z_j - \\mu), \\quad
        o = \\frac1\\ell \\sum_j \\exp(z_j - \\mu)\\, y_j$
    Symbols: \\mu, \\ell, o = result; z_j = scores; y_j = values
    Chapter: 19

    Args:
        scores: one for each key, any finite numbers.
        values: a vector for each key, all of one length; any finite numbers.

    Returns:
        The part; ``EMPTY`` for no keys.

    Source: Milakov and Gimelshein 2018, equation 5, with the average beside the normaliser.
    Convention: the average is normalised; FlashAttention carries o·ℓ in some versions.
    Leaves out: masks: leave masked keys out.

    Example:
        >>> softmax_part([0.0, 0.0], [[1.0], [3.0]])
        SoftmaxPart(largest=0.0, total=2.0, mean=(2.0,))
    """
    S = each("scores", scores, finite_number)
    v = each("values", values, lambda name, value: each(name, value, finite_number))
    if len(v) != len(S) or len(set(map(len, v))) > 1:
        raise ValueError(
            f"values must hold a vector for each of {len(S)} scores, all of one length, got {values!r:.60}"
        )
    if not S:
        return EMPTY
    m = max(S)
    weights = [math.exp(score - m) for score in S]
    total = math.fsum(weights)
    mean = tuple(
        math.fsum(w * x for w, x in zip(weights, column, strict=True)) / total for column in zip(*v, strict=True)
    )
    return SoftmaxPart(m, total, mean)


def merge_parts(first: SoftmaxPart, second: SoftmaxPart) -> SoftmaxPart:
    """Return the part of two blocks together from their parts, without looking at scores or values again.

    Also: log-sum-exp merge
    Formula: $\\mu = \\max(\\mu_1, \\mu_2), \\quad \\lambda_i = \\ell_i \\exp(\\mu_i - \\mu), \\quad
        \\ell = \\lambda_1 + \\lambda_2, \\quad o = \\frac{\\lambda_1 o_1 + \\lambda_2 o_2}{\\ell}$
    Symbols: \\mu, \\ell, o = result; \\mu_1, \\ell_1, o_1 = first; \\mu_2, \\ell_2, o_2 = second
    Chapter: 19

    Args:
        first: the part of one block.
        second: that of the other; their averages have one length, or a part is ``EMPTY``.

    Returns:
        The merged part. The operation is associative and commutative, up to rounding, and ``EMPTY`` is its identity.

    Source: Milakov and Gimelshein 2018, equation 4 and section 3.1.
    Convention: averages are normalised.
    Leaves out: nothing.

    Example:
        >>> merged = merge_parts(SoftmaxPart(0.0, 3.0, (1.0, 2.0)), SoftmaxPart(2.0, 1.5, (3.0, 4.0)))
        >>> merged.largest, round(merged.total, 3), [round(x, 3) for x in merged.mean]
        (2.0, 1.906, [2.574, 3.574])
    """
    for name, part in (("first", first), ("second", second)):
        if not isinstance(part, SoftmaxPart):
            raise ValueError(f"{name} must be a SoftmaxPart, got {part!r:.60}")
    if not first.total or not second.total:
        return second if not first.total else first
    if len(first.mean) != len(second.mean):
        raise ValueError(f"second must have an average of {len(first.mean)} numbers, got {len(second.mean)}")
    m = max(first.largest, second.largest)
    a_1, a_2 = (part.total * math.exp(part.largest - m) for part in (first, second))
    total = a_1 + a_2
    o = tuple((a_1 * x + a_2 * y) / total for x, y in zip(first.mean, second.mean, strict=True))
    return SoftmaxPart(m, total, o)


def standard_attention_words(*, sequence: int, head_size: int) -> int:
    """Return the numbers that attention reads and writes if it stores the scores between its three operations.

    Formula: $4 s\\,h_{\\text{head}} + 4 s^2$
    Symbols: s = sequence; h_{\\text{head}} = head_size
    Chapter: 19

    Args:
        sequence: tokens, s.
        head_size: width of a head, h_head.

    Returns:
        Numbers that pass between memory and chip: Q, K and V in, O out; scores written and read, softmax written and
        read.

    Source: Dao et al. 2022, algorithm 0 and theorem 2: of the order of sd + s².
    Convention: one head, forward, without a mask; each operation reads its inputs and writes its result once.
    Leaves out: a mask and a dropout, which are further passes over s² numbers where they are operations of their own.

    Example:
        >>> standard_attention_words(sequence=8, head_size=2)
        320
    """
    s, d = positive_integer("sequence", sequence), positive_integer("head_size", head_size)
    return 4 * s * d + 4 * s * s


def block_attention_words(*, sequence: int, head_size: int, rows: int) -> int:
    """Return the numbers that attention reads and writes block by block, while some rows of Q stay on the chip.

    Also: FlashAttention
    Formula: $2 s\\,h_{\\text{head}} + 2 s\\,h_{\\text{head}} \\lceil s / x_{\\text{chip}} \\rceil$
    Symbols: s = sequence; h_{\\text{head}} = head_size; x_{\\text{chip}} = rows
    Chapter: 19

    Args:
        sequence: tokens, s.
        head_size: width of a head, h_head.
        rows: queries whose statistics and averages stay on the chip while all keys and values pass by, x_chip.

    Returns:
        Numbers: Q read and O written once, K and V read once for each block of rows.

    Source: Dao 2023, section 3.1 (rows outside, keys inside). With M/(4d) rows it is of the order s²d²/M of Dao et al.
        2022, theorem 2, whose d is h_head.
    Convention: one head, forward, without a mask.
    Leaves out: what a larger cache keeps of K and V between blocks; the log-sum-exp, one number a row.

    Example:
        >>> block_attention_words(sequence=8, head_size=2, rows=4)
        96
    """
    s, d, r = (
        positive_integer("sequence", sequence),
        positive_integer("head_size", head_size),
        positive_integer("rows", rows),
    )
    return 2 * s * d + 2 * s * d * -(-s // r)


def flash_block_sizes(*, fast_words: int, head_size: int) -> tuple[int, int]:
    """Return the block sizes of FlashAttention's first version.

    Formula: $x_{\\text{keys}} = \\lceil M_{\\text{fast}} / 4h_{\\text{head}} \\rceil, \\quad
        x_{\\text{chip}} = \\min(x_{\\text{keys}}, h_{\\text{head}})$
    Symbols: x_{\\text{keys}}, x_{\\text{chip}} = result; M_{\\text{fast}} = fast_words; h_{\\text{head}} = head_size
    Chapter: 19

    Args:
        fast_words: numbers that fit into fast memory, M_fast.
        head_size: width of a head, h_head.

    Returns:
        Keys (columns) and queries (rows) of a block.

    Source: Dao et al. 2022, algorithm 1, line 1.
    Convention: numbers, not bytes.
    Leaves out: what kernels choose by measurement.

    Example:
        >>> flash_block_sizes(fast_words=49152, head_size=64)
        (192, 64)
    """
    M, d = positive_integer("fast_words", fast_words), positive_integer("head_size", head_size)
    B_c = -(-M // (4 * d))
    return B_c, min(B_c, d)
