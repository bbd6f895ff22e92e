"""Simulators: attention that generates a text token by token, with a cache that is really kept and products that are
really made; the same attention cut among ranks; and a layer whose two blocks share one all-reduce.

Shapes in comments: s tokens, h the hidden size, a heads of queries, g heads of keys, q the size of a head, c the width
of a latent, r the width of the part that carries the position. Positions themselves are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, finite_array, refusing_overflow
from snippets.domain import at_most, named, nonnegative_integer, positive_integer
from snippets.simulation.account import Account
from snippets.simulation.machine import AllReduce, Machine, Program, Receive, Send

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
DECODERS = ("grouped", "latent", "absorbed", "sparse")
BLOCKS = ("sequential", "parallel")
_MOST_RANKS = 64


@dataclass(frozen=True)
class DecodingRun:
    """What a layer of attention gave, token by token, and what it took.

    Attributes:
        output: of every token, shape (s, h).
        at_once: the same layer on the whole sequence at once, with a mask and without a cache.
        cache_numbers: numbers in the cache after the last token.
        score_flops: FLOPs of all products between a query and what the cache has, and of those with the values.
        index_flops: FLOPs of the indexer's comparisons, 0 without one.
        read_numbers: numbers of the cache that the last token read.

    >>> DecodingRun(np.ones((1, 2)), np.ones((1, 2)), 4, 8, 0, 4).cache_numbers
    4
    """

    output: Array
    at_once: Array
    cache_numbers: int
    score_flops: int
    index_flops: int
    read_numbers: int


@dataclass(frozen=True)
class HaloRun:
    """What ranks that share a sequence under a window gave, and what they sent.

    Attributes:
        output: shape (heads, s, head size).
        gradients: with respect to queries, keys and values.
        account: what each rank sent, 8 bytes a number.

    >>> HaloRun(np.ones((1, 1, 1)), (np.ones(1), np.ones(1), np.ones(1)), Account(1, ())).output.shape
    (1, 1, 1)
    """

    output: Array
    gradients: tuple[Array, Array, Array]
    account: Account


@dataclass(frozen=True)
class SharedReduceRun:
    """What a layer of two blocks gave among ranks, and what it cost.

    Attributes:
        output: of the layer, the same on all ranks, shape (s, h).
        input_gradient: likewise.
        all_reduces: how many each rank took part in, forward and backward together.
        account: what each rank sent, 8 bytes a number.

    >>> SharedReduceRun(np.ones((1, 1)), np.ones((1, 1)), 2, Account(1, ())).all_reduces
    2
    """

    output: Array
    input_gradient: Array
    all_reduces: int
    account: Account


class _Products:
    """Products of matrices that count their FLOPs."""

    def __init__(self) -> None:
        self.flops = 0

    def __call__(self, left: Array, right: Array) -> Array:
        self.flops += 2 * left.shape[0] * left.shape[1] * right.shape[1]
        return left @ right


def run_decoding(
    kind: str,
    *,
    tokens: int,
    hidden: int = 12,
    heads: int = 4,
    key_value_heads: int = 2,
    head_size: int = 3,
    latent: int = 5,
    rotary: int = 2,
    window: int | None = None,
    chosen: int = 3,
    seed: int = 34,
) -> DecodingRun:
    """Generate with one layer of attention, token by token, and keep a cache.

    Args:
        kind: ``"grouped"``, with heads of keys that queries share; ``"latent"``, which makes keys and values of cached
            latents anew for each token; ``"absorbed"``, which compares queries with the latents themselves; or
            ``"sparse"``, the same on the tokens that an indexer with one head chooses.
        tokens: how many come, one after the other.
        hidden: width of a token.
        heads: heads of queries.
        key_value_heads: heads of keys and of values, a divisor of ``heads``; of grouped queries alone.
        head_size: width of a head.
        latent: width of a latent.
        rotary: width of the part of a key that all heads share.
        window: tokens that one sees, itself included; ``None`` for all before it. Of grouped queries alone.
        chosen: tokens that the indexer chooses at most, the last included if its score is among the highest.
        seed: of tokens and weights, at least 0.

    Returns:
        Outputs, the cache's size, and FLOPs.

    Raises:
        ValueError: if ``key_value_heads`` doesn't divide ``heads``, or a window meets latents.

    Source: Ainslie et al. 2023 for grouped queries; DeepSeek-AI 2024 for latents; DeepSeek-AI 2025 for the indexer.
    Convention: keys that carry a position stand for rotary ones, without the rotation.
    Leaves out: several layers, norms of the latents, the indexer's several heads.

    Example:
        >>> run = run_decoding("latent", tokens=6)
        >>> run.cache_numbers, bool(np.allclose(run.output, run.at_once))
        (42, True)
    """
    kind, s = named("kind", kind, DECODERS), positive_integer("tokens", tokens)
    h, a = positive_integer("hidden", hidden), positive_integer("heads", heads)
    g, q = positive_integer("key_value_heads", key_value_heads), positive_integer("head_size", head_size)
    c, r = positive_integer("latent", latent), positive_integer("rotary", rotary)
    k = positive_integer("chosen", chosen)
    seen = s if window is None else positive_integer("window", window)
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    affordable(
        "tokens, hidden, heads, head_size, latent and rotary", (s + h) * (h + a * (q + c + r)) + a * (s * s + c * q)
    )
    if a % g:
        raise ValueError(f"key_value_heads must divide heads = {a}, got {g}")
    if window is not None and kind != "grouped":
        raise ValueError(f"window must be None for {kind!r}, got {window!r}")
    x = rng.normal(size=(s, h))
    if kind == "grouped":
        return _grouped(x, rng, a, g, q, seen)
    return _latent(x, rng, a, q, c, r, k, kind)


def _softmax(scores: Array) -> Array:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def _masked(query: Array, key: Array, value: Array, mask: Mask) -> Array:
    """Attend at once: query, key and value (a, s, width), mask (s, s)."""
    scores = query @ key.transpose(0, 2, 1) / query.shape[2] ** 0.5
    mixed: Array = _softmax(np.where(mask, scores, -np.inf)) @ value
    return mixed


def _causal(s: int, window: int) -> Mask:
    behind = np.arange(s)[:, None] - np.arange(s)[None, :]
    mask: Mask = (behind >= 0) & (behind < window)
    return mask


def _grouped(x: Array, rng: np.random.Generator, a: int, g: int, q: int, window: int) -> DecodingRun:
    """Keys and values of a few heads, each for a group of queries."""
    s, h = x.shape
    w_q, w_k, w_v = rng.normal(size=(h, a * q)), rng.normal(size=(h, g * q)), rng.normal(size=(h, g * q))
    w_o = rng.normal(size=(a * q, h))
    product, keys, values, rows = _Products(), [], [], []
    for token in x:
        query = (token @ w_q).reshape(a, 1, q)
        keys.append((token @ w_k).reshape(g, q))
        values.append((token @ w_v).reshape(g, q))
        keys, values = keys[-window:], values[-window:]  # a window of tokens is kept, this one included
        mixed = []
        for head in range(a):
            own = head // (a // g)
            K, V = np.stack([key[own] for key in keys]), np.stack([value[own] for value in values])
            mixed.append(product(_softmax(product(query[head], K.T) / q**0.5), V))
        rows.append(np.concatenate(mixed, axis=1)[0] @ w_o)

    def repeated(weights: Array) -> Array:
        return np.repeat((x @ weights).reshape(s, g, q), a // g, axis=1).transpose(1, 0, 2)  # (a, s, q)

    whole = _masked((x @ w_q).reshape(s, a, q).transpose(1, 0, 2), repeated(w_k), repeated(w_v), _causal(s, window))
    at_once = whole.transpose(1, 0, 2).reshape(s, a * q) @ w_o
    kept = sum(key.size for key in keys) + sum(value.size for value in values)
    return DecodingRun(np.stack(rows), at_once, kept, product.flops, 0, kept)


def _latent(x: Array, rng: np.random.Generator, a: int, q: int, c: int, r: int, chosen: int, kind: str) -> DecodingRun:
    """One latent a token for all heads, and one key that carries the position."""
    s, h = x.shape
    down, rotary = rng.normal(size=(h, c)), rng.normal(size=(h, r))
    w_q, w_qr = rng.normal(size=(a, h, q)), rng.normal(size=(a, h, r))
    up_k, up_v = rng.normal(size=(a, c, q)), rng.normal(size=(a, c, q))
    w_o, w_i, w_ik = rng.normal(size=(a * q, h)), rng.normal(size=(h, q)), rng.normal(size=(h, q))
    product, index = _Products(), _Products()
    cache: list[Array] = []  # latent and position key of each token; of an indexer its key too
    rows, masks = [], []
    for place, token in enumerate(x):
        parts = [token @ down, token @ rotary] + ([token @ w_ik] if kind == "sparse" else [])
        cache.append(np.concatenate(parts))
        held = np.stack(cache)  # (tokens so far, c + r or c + r + q)
        picked = np.arange(place + 1)
        if kind == "sparse":
            marks = index((token @ w_i)[None], held[:, c + r :].T)[0]
            picked = np.sort(np.argsort(-marks, kind="stable")[:chosen])
        C, position = held[picked, :c], held[picked, c : c + r]
        read = held[:, c + r :].size + C.size + position.size  # each once, for all heads
        mixed = []
        for head in range(a):
            own, turned = (token @ w_q[head])[None], (token @ w_qr[head])[None]  # (1, q), (1, r)
            if kind == "latent":
                key = np.concatenate([C @ up_k[head], position], axis=1)
                scores = product(np.concatenate([own, turned], axis=1), key.T)
                mixed.append(product(_softmax(scores / (q + r) ** 0.5), C @ up_v[head]))
            else:  # the query takes the matrix that would have made the key, the output the one for the value
                query = np.concatenate([own @ up_k[head].T, turned], axis=1)  # (1, c + r)
                scores = product(query, np.concatenate([C, position], axis=1).T)
                mixed.append(product(_softmax(scores / (q + r) ** 0.5), C) @ up_v[head])
        rows.append(np.concatenate(mixed, axis=1)[0] @ w_o)
        masks.append(np.isin(np.arange(s), picked))
    C, position = x @ down, x @ rotary
    query = np.concatenate([x @ w_q, x @ w_qr], axis=2)  # (a, s, q + r)
    key = np.concatenate([C @ up_k, np.broadcast_to(position, (a, s, r))], axis=2)
    whole = _masked(query, key, C @ up_v, np.stack(masks))
    at_once = whole.transpose(1, 0, 2).reshape(s, a * q) @ w_o
    return DecodingRun(np.stack(rows), at_once, sum(each.size for each in cache), product.flops, index.flops, read)


@refusing_overflow("queries, keys, values and gradient")
def run_window_context(queries: Any, keys: Any, values: Any, gradient: Any, *, ranks: int, window: int) -> HaloRun:
    """Run attention under a window with the sequence cut among ranks, forward and backward.

    Each rank sends the last tokens of its stretch on to the next one, as far as a window reaches, and no further. The
    backward pass sends them again, and their gradients home.

    Args:
        queries: shape (heads, s, head size).
        keys: of the same shape.
        values: of the same shape.
        gradient: of the loss with respect to the output, of the same shape.
        ranks: c, which divides s.
        window: tokens that one sees, itself included; at most s / c + 1.

    Returns:
        The results and the account.

    Raises:
        ValueError: if shapes don't fit, or a window reaches beyond the rank before.

    Source: the definition of a window.
    Convention: rank 0 has the first tokens; scores are divided by the root of the head size.
    Leaves out: grouped queries, which make what is sent narrower.

    Example:
        >>> x = np.ones((1, 4, 2))
        >>> run_window_context(x, x, x, x, ranks=2, window=2).account.sent_bytes
        (64, 32)
    """
    q, k = finite_array("queries", queries, dimensions=3), finite_array("keys", keys, dimensions=3)
    v, d_o = finite_array("values", values, dimensions=3), finite_array("gradient", gradient, dimensions=3)
    for name, given in (("keys", k), ("values", v), ("gradient", d_o)):
        if given.shape != q.shape:
            raise ValueError(f"{name} must have the shape of queries, {q.shape}, got {given.shape}")
    if 0 in q.shape:
        raise ValueError(f"queries must have a shape without 0, got {q.shape}")
    c, W = at_most("ranks", positive_integer("ranks", ranks), _MOST_RANKS), positive_integer("window", window)
    s = q.shape[1]
    if s % c:
        raise ValueError(f"ranks must divide the {s} tokens, got {c}")
    if c > 1 and s // c + 1 < W:
        raise ValueError(f"window must be at most {s // c + 1}, what a rank of {s // c} tokens has before, got {W}")
    machine = Machine(c)
    cuts = [slice(rank * s // c, (rank + 1) * s // c) for rank in range(c)]
    parts = [[each[:, cut] for each in (q, k, v, d_o)] for cut in cuts]
    done = machine.run([_window_rank(rank, c, W, *part) for rank, part in enumerate(parts)])
    o, d_q, d_k, d_v = (np.concatenate(each, axis=1) for each in zip(*done, strict=True))
    return HaloRun(o, (d_q, d_k, d_v), machine.account)


def _attend_and_back(q: Array, k: Array, v: Array, d_o: Array, seen: Mask) -> tuple[Array, Array, Array, Array]:
    """Attend under a mask (own s, tokens); return the output and the gradients of queries, keys and values."""
    scale = q.shape[2] ** -0.5
    p = _softmax(np.where(seen, q @ k.transpose(0, 2, 1) * scale, -np.inf))  # (a, own s, tokens)
    d_p = d_o @ v.transpose(0, 2, 1)
    d_s = p * (d_p - (d_p * p).sum(axis=2, keepdims=True)) * scale
    return p @ v, d_s @ k, d_s.transpose(0, 2, 1) @ q, p.transpose(0, 2, 1) @ d_o


def _window_rank(rank: int, ranks: int, window: int, q: Array, k: Array, v: Array, d_o: Array) -> Program:
    """One rank: forward with what the rank before sends, backward the same and gradients home."""
    s, halo = q.shape[1], window - 1
    for backward in (False, True):
        if rank + 1 < ranks and halo:
            yield Send(rank + 1, np.stack([k[:, s - halo :], v[:, s - halo :]]))
        before = np.zeros((2, q.shape[0], 0, q.shape[2]))
        if rank and halo:
            before = np.asarray((yield Receive(rank - 1))).reshape(2, q.shape[0], halo, q.shape[2])
        K, V = np.concatenate([before[0], k], axis=1), np.concatenate([before[1], v], axis=1)
        first = before.shape[2]
        behind = np.arange(s)[:, None] + first - np.arange(first + s)[None, :]
        o, d_q, d_k, d_v = _attend_and_back(q, K, V, d_o, (behind >= 0) & (behind < window))
        if not backward:
            output = o
    if rank and halo:
        yield Send(rank - 1, np.stack([d_k[:, :first], d_v[:, :first]]))
    d_k, d_v = d_k[:, first:].copy(), d_v[:, first:].copy()
    if rank + 1 < ranks and halo:
        more = np.asarray((yield Receive(rank + 1))).reshape(2, q.shape[0], halo, q.shape[2])
        d_k[:, s - halo :] += more[0]
        d_v[:, s - halo :] += more[1]
    return output, d_q, d_k, d_v


def run_shared_reduce(
    kind: str, *, ranks: int, tokens: int = 3, hidden: int = 4, inner: int = 8, seed: int = 34
) -> SharedReduceRun:
    """Run a layer of two blocks forward and backward with their inner widths cut among ranks.

    One after the other, the second block reads what the first has added to the stream, so each sums its parts by
    itself. Side by side, both read the layer's input, and the ranks sum the parts of both at once.

    Args:
        kind: ``"sequential"`` or ``"parallel"``.
        ranks: t, which divides ``inner``.
        tokens: rows of the stream.
        hidden: its width.
        inner: inner width of either block; a hyperbolic tangent stands between its two matrices.
        seed: of the numbers, at least 0.

    Returns:
        The results, and what they cost.

    Raises:
        ValueError: if ``ranks`` doesn't divide ``inner``.

    Source: Shoeybi et al. 2019, section 3; Chowdhery et al. 2022 (PaLM), section 2, for blocks side by side.
    Convention: rings; either block has the form of attention or of a feed-forward block: columns, then rows.
    Leaves out: norms; heads, whose attention sends nothing either.

    Example:
        >>> [run_shared_reduce(kind, ranks=2).all_reduces for kind in ("sequential", "parallel")]
        [4, 2]
    """
    kind, t = named("kind", kind, BLOCKS), at_most("ranks", positive_integer("ranks", ranks), _MOST_RANKS)
    s, h = positive_integer("tokens", tokens), positive_integer("hidden", hidden)
    f, rng = positive_integer("inner", inner), np.random.default_rng(nonnegative_integer("seed", seed))
    affordable("tokens, hidden and inner", (s + 4 * h) * (h + f))
    if f % t:
        raise ValueError(f"ranks must divide inner = {f}, got {t}")
    x, gradient = rng.normal(size=(s, h)), rng.normal(size=(s, h))
    ups, downs = rng.normal(size=(2, h, f)) / h**0.5, rng.normal(size=(2, f, h)) / f**0.5
    machine = Machine(t)
    cuts = [slice(rank * f // t, (rank + 1) * f // t) for rank in range(t)]
    program = _side_by_side if kind == "parallel" else _in_turn
    done = machine.run([program(x, gradient, ups[:, :, cut], downs[:, cut]) for cut in cuts])
    output, back, calls = done[0]
    return SharedReduceRun(output, back, calls, machine.account)


def _in_turn(x: Array, gradient: Array, ups: Array, downs: Array) -> Program:
    """One rank, blocks one after the other."""
    kept, calls = [], 0
    for up, down in zip(ups, downs, strict=True):
        inner = np.tanh(x @ up)  # (s, own f)
        kept.append(inner)
        x = x + (yield AllReduce(inner @ down))
        calls += 1
    for up, down, inner in zip(ups[::-1], downs[::-1], kept[::-1], strict=True):
        slope = (gradient @ down.T) * (1 - inner**2)
        gradient = gradient + (yield AllReduce(slope @ up.T))
        calls += 1
    return x, gradient, calls


def _side_by_side(x: Array, gradient: Array, ups: Array, downs: Array) -> Program:
    """One rank, both blocks on the same input."""
    inner = [np.tanh(x @ up) for up in ups]
    output = x + (yield AllReduce(sum(each @ down for each, down in zip(inner, downs, strict=True))))
    slopes = [(gradient @ down.T) * (1 - each**2) for each, down in zip(inner, downs, strict=True)]
    back = gradient + (yield AllReduce(sum(slope @ up.T for slope, up in zip(slopes, ups, strict=True))))
    return output, back, 2
