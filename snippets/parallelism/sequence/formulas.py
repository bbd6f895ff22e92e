"""Formulas: attention over a sequence that is cut among ranks: who computes what when, what travels, and when it hides.

Three kinds: ``"ring"`` passes keys and values on from rank to rank, ``"all_gather"`` brings all of them to every rank
first, ``"all_to_all"`` gives each rank all tokens of some heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from snippets.domain import (
    as_float,
    at_most,
    each,
    flag,
    named,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)

KINDS = ("ring", "all_gather", "all_to_all")
KIND_ALIASES = {"ring attention": "ring", "pass-KV": "ring", "Ulysses": "all_to_all", "DeepSpeed Ulysses": "all_to_all"}
LAYOUTS = ("contiguous", "zigzag", "striped")
LAYOUT_ALIASES = {"in order": "contiguous", "load-balanced": "zigzag", "round robin": "striped"}
MOST_RANKS = 4096


def context_rank_chunks(rank: int, *, ranks: int, layout: str = "zigzag") -> tuple[int, ...]:
    """Return which chunks of the sequence a rank has.

    In order, there are R chunks and rank r has chunk r. Zig-zag, there are 2R, and rank r has one from each end.

    Formula: $\\{r,\\; 2R - 1 - r\\}$
    Symbols: r = rank; R = ranks; in order, {r} of R chunks
    Chapter: 19

    Args:
        rank: from 0.
        ranks: R, at most 4096.
        layout: ``"zigzag"`` or ``"contiguous"``.

    Returns:
        Numbers of chunks, from 0.

    Source: Grattafiori et al. 2024, section 3.3.2; the zig-zag of ring-flash-attention, issue 2.
    Convention: chunks of equal length.
    Leaves out: striping, which deals single tokens out.

    Example:
        >>> context_rank_chunks(1, ranks=4)
        (1, 6)
        >>> context_rank_chunks(1, ranks=4, layout="contiguous")
        (1,)
    """
    R = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
    r = nonnegative_integer("rank", rank)
    if r >= R:
        raise ValueError(f"rank must be from 0 to {R - 1}, got {rank!r}")
    if named("layout", layout, LAYOUTS[:2], aliases=LAYOUT_ALIASES) == "contiguous":
        return (r,)
    return r, 2 * R - 1 - r


def context_rank_tokens(rank: int, *, ranks: int, sequence: int, layout: str = "zigzag") -> tuple[int, ...]:
    """Return the positions of a rank's tokens, in increasing order.

    Formula: $\\{\\, i : \\lfloor i / \\xi \\rfloor \\in Z_r \\,\\}$
    Symbols: i = a position; \\xi = length of a chunk; Z_r = context_rank_chunks; r = rank; R = ranks; striped, all i
        with i mod R = r
    Chapter: 19

    Args:
        rank: from 0.
        ranks: R.
        sequence: tokens of the sequence, a multiple of R, or of 2R for zig-zag.
        layout: ``"contiguous"``, ``"zigzag"`` or ``"striped"``.

    Returns:
        Positions, from 0.

    Source: as ``context_rank_chunks``; Brandon et al. 2023, section 3, for striping.
    Convention: every rank has equally many.
    Leaves out: sequences packed together from several documents.

    Example:
        >>> context_rank_tokens(0, ranks=2, sequence=8)
        (0, 1, 6, 7)
        >>> context_rank_tokens(0, ranks=2, sequence=8, layout="striped")
        (0, 2, 4, 6)
    """
    layout = named("layout", layout, LAYOUTS, aliases=LAYOUT_ALIASES)
    R, s = _cut(ranks, sequence, layout)
    s = at_most("sequence", s)
    if layout == "striped":
        context_rank_chunks(rank, ranks=R)
        return tuple(range(nonnegative_integer("rank", rank), s, R))
    chunks = context_rank_chunks(rank, ranks=R, layout=layout)
    c = s // (R * len(chunks))
    return tuple(i for chunk in chunks for i in range(chunk * c, (chunk + 1) * c))


def ring_attention_step_pairs(
    *, ranks: int, sequence: int, layout: str = "zigzag", causal: bool = True
) -> tuple[tuple[int, ...], ...]:
    """Return how many pairs of a query and a key each rank computes in each step of the ring.

    In step τ, rank r has the keys and values of rank r − τ.

    Formula: $J_{\\tau,r} = \\#\\{(i, j) : i \\in Z_r,\\; j \\in Z_{(r-\\tau) \\bmod R},\\; j \\le i\\}$
    Symbols: Z_r = context_rank_tokens; \\tau = step; r = rank; R = ranks; without a causal mask, all pairs count
    Chapter: 19

    Args:
        ranks: R, at most 256.
        sequence: tokens of the sequence, a multiple of R, or of 2R for zig-zag.
        layout: ``"contiguous"``, ``"zigzag"`` or ``"striped"``.
        causal: whether a token sees itself and what comes before it alone.

    Returns:
        For each step, the pairs of each rank. All together are s(s + 1)/2, or s² without the mask.

    Source: counted; for the layouts see ``context_rank_tokens``.
    Convention: pairs that the mask hides are not computed, not even next to the diagonal.
    Leaves out: kernels that compute whole tiles there.

    Example:
        >>> ring_attention_step_pairs(ranks=2, sequence=8, layout="contiguous")
        ((10, 10), (0, 16))
        >>> ring_attention_step_pairs(ranks=2, sequence=8)
        ((10, 10), (8, 8))
    """
    layout = named("layout", layout, LAYOUTS, aliases=LAYOUT_ALIASES)
    R, s = _cut(ranks, sequence, layout)
    at_most("ranks", R, 256)
    x, causal = s // R, flag("causal", causal)
    if not causal:
        return tuple((x * x,) * R for _ in range(R))
    if layout == "striped":
        return tuple(tuple(x * (x + (1 if r >= t else -1)) // 2 for r in range(R)) for t in range(R))
    chunks = [context_rank_chunks(r, ranks=R, layout=layout) for r in range(R)]
    c = x // len(chunks[0])
    pairs = {-1: 0, 0: c * (c + 1) // 2, 1: c * c}  # a key's chunk after, at, or before the query's
    return tuple(
        tuple(sum(pairs[(a > b) - (a < b)] for a in chunks[r] for b in chunks[(r - t) % R]) for r in range(R))
        for t in range(R)
    )


def ring_attention_starts_s(work_s: Sequence[Sequence[float]], *, pass_s: float) -> tuple[tuple[float, ...], ...]:
    """Return when each rank of a ring begins each step, and when it ends.

    While a rank computes with one block of keys and values, it sends the block on and receives the next. A message
    begins when both ends have begun the step.

    Formula: $T_{\\tau+1,r} = \\max\\bigl(T_{\\tau,r} + \\omega_{\\tau,r},\\;
        \\max(T_{\\tau,r}, T_{\\tau,r-1}) + T_{\\text{msg}}\\bigr)$
    Symbols: T_{\\tau,r} = when rank r begins step τ; \\omega_{\\tau,r} = work_s; T_{\\text{msg}} = pass_s; ranks modulo
        R. After the last step nothing is passed: its end is T + ω
    Chapter: 19

    Args:
        work_s: for each step, the seconds that each rank computes, at least 0.
        pass_s: seconds of a message, at least 0.

    Returns:
        One row more than there are steps: the beginnings, and in the last row the ends.

    Source: Liu et al. 2023, algorithm 1: a block is sent and the next received while a block is computed.
    Convention: all ranks begin at 0; messages of one step all go at the same time.
    Leaves out: several blocks under way, which would let a rank run ahead.

    Example:
        >>> ring_attention_starts_s([[1, 1], [0, 2]], pass_s=0.5)
        ((0.0, 0.0), (1.0, 1.0), (1.0, 3.0))
    """
    work = each("work_s", work_s, lambda name, row: each(name, row, nonnegative_number))
    if not work or not work[0] or len(set(map(len, work))) > 1:
        raise ValueError(f"work_s must hold one row or more, equally long and not empty, got {work_s!r:.60}")
    c = nonnegative_number("pass_s", pass_s)
    rows = [(0.0,) * len(work[0])]
    for t, w in enumerate(work):
        b = rows[-1]
        moved = [max(b[r], b[r - 1]) + c if t + 1 < len(work) else 0.0 for r in range(len(w))]
        rows.append(tuple(max(b[r] + w[r], moved[r]) for r in range(len(w))))
    as_float("work_s and pass_s", max(rows[-1]))
    return tuple(rows)


def contiguous_attention_slowdown(ranks: int) -> float:
    """Return how much longer a causal ring takes with the sequence cut in order than with the same work in balance.

    Formula: $\\frac{R - 1/2}{R / 2} = 2 - \\frac1R$
    Symbols: R = ranks
    Chapter: 19

    Args:
        ranks: R.

    Returns:
        The last rank's work over the mean.

    Source: derived in this book; Brandon et al. 2023 describe the imbalance.
    Convention: for long blocks, in which half of the diagonal block's pairs are hidden; messages hide.
    Leaves out: x(x + 1)/2 instead of x²/2 on the diagonal.

    Example:
        >>> contiguous_attention_slowdown(8)
        1.875
    """
    R = positive_integer("ranks", ranks)
    return 2 - 1 / R


def ring_attention_forward_bytes(*, sequence: int, kv_width: int, ranks: int, element_bytes: float = 2) -> float:
    """Return what a rank sends in the forward pass of one layer's ring attention, or of its all-gather.

    Also: ring attention, context parallelism
    Formula: $\\frac{R-1}{R} \\cdot 2 s\\,h_{\\text{kv}} w$
    Symbols: R = ranks; s = sequence; h_{\\text{kv}} = kv_width; w = element_bytes
    Chapter: 19

    Args:
        sequence: tokens of the sequence.
        kv_width: numbers of a token's key, and of its value, that a rank holds: heads for keys times the head size.
        ranks: R, among which the sequence is cut.
        element_bytes: bytes of a number.

    Returns:
        Bytes: R − 1 blocks of s/R keys and values.

    Source: Liu et al. 2023, section 3; Grattafiori et al. 2024, section 3.3.2, for the all-gather.
    Convention: sent by one rank, one sequence, one layer.
    Leaves out: nothing that travels.

    Example:
        >>> ring_attention_forward_bytes(sequence=1_000_000, kv_width=128, ranks=16)
        480000000.0
    """
    s, k, R = (
        positive_integer("sequence", sequence),
        positive_integer("kv_width", kv_width),
        positive_integer("ranks", ranks),
    )
    w = Fraction(positive_number("element_bytes", element_bytes))
    return as_float("sequence, kv_width and element_bytes", Fraction(R - 1, R) * 2 * s * k * w)


def ring_attention_backward_bytes(*, sequence: int, kv_width: int, ranks: int, element_bytes: float = 2) -> float:
    """Return what a rank sends in the backward pass of one layer's ring attention.

    Keys and values go round once more, and with each block its gradients, which have one hop more to come home.

    Formula: $\\frac{2R-1}{R} \\cdot 2 s\\,h_{\\text{kv}} w$
    Symbols: R = ranks; s = sequence; h_{\\text{kv}} = kv_width; w = element_bytes; 0 for R = 1
    Chapter: 19

    Args:
        sequence: tokens of the sequence.
        kv_width: numbers of a token's key, and of its value.
        ranks: R.
        element_bytes: bytes of a number, of keys and of gradients alike.

    Returns:
        Bytes: R − 1 blocks of keys and values, R of their gradients.

    Source: derived in this book; the same order as Liu et al. 2023's code.
    Convention: sent by one rank, one sequence, one layer.
    Leaves out: gradients that travel in float32.

    Example:
        >>> ring_attention_backward_bytes(sequence=1_000_000, kv_width=128, ranks=16)
        992000000.0
    """
    s, k, R = (
        positive_integer("sequence", sequence),
        positive_integer("kv_width", kv_width),
        positive_integer("ranks", ranks),
    )
    w = Fraction(positive_number("element_bytes", element_bytes))
    if R == 1:
        return 0.0
    return as_float("sequence, kv_width and element_bytes", Fraction(2 * R - 1, R) * 2 * s * k * w)


def ulysses_exchange_bytes(
    *, sequence: int, query_width: int, kv_width: int, ranks: int, element_bytes: float = 2
) -> float:
    """Return what a rank sends in one layer's attention if all-to-alls turn tokens into heads and back.

    Also: Ulysses, DeepSpeed-Ulysses, all-to-all attention
    Formula: $\\frac{R-1}{R} \\cdot \\frac{s}{R} (2h_{\\text{q}} + 2h_{\\text{kv}})\\, w$
    Symbols: R = ranks; s = sequence; h_{\\text{q}} = query_width; h_{\\text{kv}} = kv_width; w = element_bytes
    Chapter: 19

    Args:
        sequence: tokens of the sequence.
        query_width: numbers of a token's query, and of its output: heads times the head size.
        kv_width: numbers of a token's key, and of its value.
        ranks: R; has to divide the heads of the keys.
        element_bytes: bytes of a number.

    Returns:
        Bytes of a forward pass, and of a backward pass, which sends the gradients of the same four.

    Source: Jacobs et al. 2023, section 3.2: 4Nh/P in their letters, with both widths h and without the (R − 1)/R.
    Convention: sent by one rank, one sequence, one layer.
    Leaves out: keys and values that are copied where R exceeds their heads.

    Example:
        >>> ulysses_exchange_bytes(sequence=16_384, query_width=4096, kv_width=1024, ranks=8)
        36700160.0
    """
    s, R = positive_integer("sequence", sequence), positive_integer("ranks", ranks)
    q, k = positive_integer("query_width", query_width), positive_integer("kv_width", kv_width)
    w = Fraction(positive_number("element_bytes", element_bytes))
    return as_float(
        "sequence, query_width, kv_width and element_bytes", Fraction(R - 1, R) * Fraction(s, R) * (2 * q + 2 * k) * w
    )


def hidden_block_tokens(
    *,
    flops_per_s: float,
    bandwidth_bytes_per_s: float,
    queries_per_key: float = 1,
    element_bytes: float = 2,
    computed_share: float = 1,
) -> float:
    """Return from how many tokens a rank on passing keys and values hides behind computing with them.

    Formula: $x^* = \\frac{w}{2 \\rho q} \\cdot \\frac{uP}{\\beta}$
    Symbols: x^* = result; w = element_bytes; \\rho = computed_share; q = queries_per_key;
        uP = flops_per_s; \\beta = bandwidth_bytes_per_s
    Chapter: 19

    Args:
        flops_per_s: what a rank computes in a second.
        bandwidth_bytes_per_s: what it sends in a second, in one direction.
        queries_per_key: query heads for each head of keys and values.
        element_bytes: bytes of a number.
        computed_share: of a step's pairs, how many the mask leaves: 1 without a mask, 0.5 zig-zag.

    Returns:
        Tokens on a rank, not rounded.

    Source: Liu et al. 2023, section 3, the case w = 2, q = 1, without a mask: c ≥ F/B.
    Convention: forward: 4x²a·h_head operations over 2x·a_kv·h_head numbers, for a heads of queries and a_kv of keys.
    Leaves out: latency, the first step's diagonal, and the rest of the layer, which does not wait for messages.

    Example:
        >>> hidden_block_tokens(flops_per_s=312e12, bandwidth_bytes_per_s=300e9)
        1040.0
    """
    P, B = positive_number("flops_per_s", flops_per_s), positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s)
    q, w = positive_number("queries_per_key", queries_per_key), positive_number("element_bytes", element_bytes)
    share = positive_number("computed_share", computed_share)
    if share > 1:
        raise ValueError(f"computed_share must be a share above 0 and at most 1, got {computed_share!r}")
    exact = Fraction(w) / (2 * Fraction(share) * Fraction(q)) * Fraction(P) / Fraction(B)
    arguments = "flops_per_s, bandwidth_bytes_per_s, queries_per_key, element_bytes and computed_share"
    return as_float(arguments, exact)


def kv_blocks_held(kind: str, *, ranks: int) -> int:
    """Return how many blocks of s/R keys and values a rank holds at the most, its own among them.

    Formula: $\\min(R, 3) \\;\\text{ (ring)}, \\quad R + 1 \\;\\text{ (all-gather)}, \\quad 2 \\;\\text{ (all-to-all)}$
    Symbols: R = ranks; 1 each for R = 1
    Chapter: 19

    Args:
        kind: ``"ring"`` (its own, one that it computes with and one that arrives), ``"all_gather"`` (its own and all)
            or ``"all_to_all"`` (its own tokens' and its own heads').
        ranks: R.

    Returns:
        Blocks.

    Source: counted on the simulated machine.
    Convention: forward; a block has the keys and values of s/R tokens and all heads of the rank.
    Leaves out: queries, outputs; a ring that drops its own block after the first step.

    Example:
        >>> [kv_blocks_held(kind, ranks=16) for kind in KINDS]
        [3, 17, 2]
    """
    R = positive_integer("ranks", ranks)
    kind = named("kind", kind, KINDS, aliases=KIND_ALIASES)
    if R == 1:
        return 1
    return {"ring": min(R, 3), "all_gather": R + 1, "all_to_all": 2}[kind]


def attention_flops(*, pairs: float, query_heads: int, head_size: int) -> float:
    """Return the operations of attention's two products for pairs of a query and a key.

    Formula: $4 J a\\,h_{\\text{head}}$
    Symbols: J = pairs; a = the heads of queries; h_{\\text{head}} = head_size
    Chapter: 19

    Args:
        pairs: of one head, at least 0.
        query_heads: heads, each of which has these pairs.
        head_size: width of a head.

    Returns:
        FLOP, forward.

    Source: Narayanan et al. 2021, appendix.
    Convention: a multiply-add is 2; a backward pass has five products instead of two, 2.5 times as many.
    Leaves out: the softmax.

    Example:
        >>> attention_flops(pairs=36, query_heads=2, head_size=4)
        1152.0
    """
    p, h = nonnegative_number("pairs", pairs), positive_integer("query_heads", query_heads)
    d = positive_integer("head_size", head_size)
    return as_float("pairs", 4 * Fraction(p) * h * d)


def _cut(ranks: int, sequence: int, layout: str) -> tuple[int, int]:
    """Return ranks and tokens, checked to divide."""
    R = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
    s, parts = positive_integer("sequence", sequence), 2 * R if layout == "zigzag" else R
    if s % parts:
        raise ValueError(f"sequence must be a multiple of {parts}, got {sequence!r}")
    return R, s
