"""Simulators: matrices of a Transformer cut among the ranks of the machine: a pair of products, and a whole GPT layer.

Both run forward and backward, and both compute what one device computes, up to rounding. Attention is causal, GeLU is
its tanh approximation, everything is float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import at_most, each, flag, nonnegative_integer, one_of, positive_integer
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllReduce, Machine, Program, ReduceScatter

Array = NDArray[np.float64]
CUTS = ("column", "row")
MOST_RANKS = 64
KEEP = 0.9  # share of entries that a dropout lets through, as in ``snippets.memory.memory_equation.gpt_layer``
_EPSILON = 1e-5
_SLOPE = float(np.sqrt(2 / np.pi))


@dataclass(frozen=True)
class PairRun:
    """What a block of two matrices computed, and what it cost.

    Attributes:
        output: of the block, as rank 0 has it.
        input_gradient: likewise.
        first_gradient: of the first matrix, put together from all ranks.
        second_gradient: of the second.
        account: what each rank sent.

    >>> PairRun(np.ones(1), np.ones(1), np.ones(1), np.ones(1), Account(1, ())).account.steps
    0
    """

    output: Array
    input_gradient: Array
    first_gradient: Array
    second_gradient: Array
    account: Account


@refusing_overflow("x, first, second and gradient")
def run_pair(
    x: Any, first: Any, second: Any, gradient: Any, *, ranks: int, cuts: tuple[str, str], heads: int | None = None
) -> PairRun:
    """Run a block of two matrices forward and backward, each cut by columns or by rows.

    Input, output and their gradients are whole on all ranks; the inner values are cut by columns, so that each rank
    applies the activation function to its own, or computes its own heads.

    Args:
        x: the input, shape (n, h).
        first: shape (h, q).
        second: shape (k, h); k = q, or q / 3 with heads.
        gradient: of the loss with respect to the output, shape (n, h); or a function that each rank calls with the
            output, and that returns it.
        ranks: t.
        cuts: how the first and the second matrix are cut, each ``"column"`` or ``"row"``.
        heads: attention heads; their columns in the first matrix follow one another, query, key and value of a head
            together. ``None`` for a feed-forward block with a GeLU.

    Returns:
        The results and the account.

    Raises:
        ValueError: if shapes do not fit, a cut is unknown, or ``ranks`` does not divide the heads.

    Source: Shoeybi et al. 2019, section 3, for ``("column", "row")``; derived for the others.
    Convention: rings; a message counts 8 bytes a number.
    Leaves out: biases.

    Example:
        >>> x = np.ones((2, 4))
        >>> run = run_pair(x, np.ones((4, 8)), np.ones((8, 4)), x, ranks=2, cuts=("column", "row"))
        >>> run.account.sent_bytes
        (128, 128)
    """
    x = finite_array("x", x, dimensions=2)
    gradient_of = gradient if callable(gradient) else lambda _: gradient
    first, second = finite_array("first", first, dimensions=2), finite_array("second", second, dimensions=2)
    t = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
    kinds = each("cuts", cuts, lambda name, cut: one_of(name, cut, CUTS))
    if len(kinds) != 2:
        raise ValueError(f"cuts must be two of {', '.join(CUTS)}, got {cuts!r}")
    a = None if heads is None else positive_integer("heads", heads)
    h, q = first.shape
    k = q if a is None else q // 3
    if x.shape[1] != h or 0 in (*x.shape, q):
        raise ValueError(f"x must have rows of {h} numbers, as first has rows, got shape {x.shape}")
    if a is not None and (a % t or q % (3 * a)):
        raise ValueError(f"heads must be a multiple of ranks = {t}, and 3 × heads divide {q} columns, got {a}")
    if second.shape != (k, h):
        raise ValueError(f"second must have shape {(k, h)}, got {second.shape}")

    def checked(output: Array) -> Array:
        found = finite_array("gradient", gradient_of(output), dimensions=2)
        if found.shape != x.shape:
            raise ValueError(f"gradient must have the shape of x, {x.shape}, got {found.shape}")
        return found

    if not callable(gradient):
        checked(x)  # before anything runs
    machine = Machine(t)
    shards = list(zip(_bounds(h, t), _bounds(q, t), _bounds(k, t), strict=True))
    own = None if a is None else a // t
    done = machine.run([_pair(x, first, second, checked, kinds, parts, own) for parts in shards])
    sides = [int(kinds[0] == "column"), int(kinds[1] == "column")]
    joined = [np.concatenate([rank[2 + place] for rank in done], axis=side) for place, side in enumerate(sides)]
    return PairRun(done[0][0], done[0][1], joined[0], joined[1], machine.account)


def _pair(
    x: Array,
    first: Array,
    second: Array,
    gradient_of: Callable[[Array], Array],
    cuts: tuple[str, ...],
    parts: tuple[slice, slice, slice],
    heads: int | None,
) -> Program:
    """One rank: it has its parts of the stream's width h, of what the first matrix makes, of what the second takes."""
    in_h, in_q, in_k = parts
    by_columns, by_rows = cuts[0] == "column", cuts[1] == "row"
    own_first = first[:, in_q] if by_columns else first[in_h]
    own_second = second[in_k] if by_rows else second[:, in_h]

    made = x @ own_first if by_columns else (yield from _scattered(x[:, in_h] @ own_first))  # (n, own q)
    inner, kept = block_inner(made, heads)  # inner (n, own k)
    if by_rows:
        output = yield AllReduce(inner @ own_second)  # (n, h)
        gradient = gradient_of(output)  # (n, h)
        back = gradient @ own_second.T  # (n, own k)
        second_gradient = inner.T @ gradient  # (own k, h)
    else:
        whole = yield from _gathered(inner)  # (n, k)
        output = yield from _gathered(whole @ own_second)  # (n, h)
        gradient = gradient_of(output)  # (n, h)
        back = yield from _scattered(gradient[:, in_h] @ own_second.T)  # (n, own k)
        second_gradient = whole.T @ gradient[:, in_h]  # (k, own h)

    down = block_inner_backward(back, made, kept, heads)  # (n, own q)
    if by_columns:
        input_gradient = yield AllReduce(down @ own_first.T)  # (n, h)
        return output, input_gradient, x.T @ down, second_gradient
    whole = yield from _gathered(down)  # (n, q)
    input_gradient = yield from _gathered(whole @ own_first.T)  # (n, h)
    return output, input_gradient, x[:, in_h].T @ whole, second_gradient


def _gathered(columns: Array) -> Program:
    """Join the ranks' columns."""
    rows = yield AllGather(np.ascontiguousarray(columns.T))  # (all columns, n)
    return rows.T


def _scattered(partial: Array) -> Program:
    """Sum over the ranks, and keep this rank's columns."""
    rows = yield ReduceScatter(np.ascontiguousarray(partial.T))  # (own columns, n)
    return rows.T


def block_inner(made: Array, heads: int | None) -> tuple[Array, Any]:
    """Apply what stands between a block's two products, to this rank's columns.

    Args:
        made: what the first product made, shape (n, own width); of attention query, key and value of each head.
        heads: of this rank; ``None`` for a feed-forward block, whose GeLU it is.

    Returns:
        The second product's input, and what the way back needs besides ``made``.

    Example:
        >>> block_inner(np.zeros((2, 6)), 1)[0].shape, block_inner(np.zeros((2, 6)), None)[0].shape
        ((2, 2), (2, 6))
    """
    if heads is None:
        return _gelu(made), None
    query, key, value = made.reshape(len(made), heads, 3, -1).transpose(2, 1, 0, 3)  # (a, n, d)
    soft = _softmax(query, key)  # (a, n, n)
    return (soft @ value).transpose(1, 0, 2).reshape(len(made), -1), (query, key, value, soft)


def block_inner_backward(back: Array, made: Array, kept: Any, heads: int | None) -> Array:
    """Return the gradient of what the first product made.

    Args:
        back: the gradient of ``block_inner``'s result.
        made: as there.
        kept: what it returned besides.
        heads: as there.

    Returns:
        The gradient, of the shape of ``made``.

    Example:
        >>> made = np.zeros((2, 6))
        >>> inner, kept = block_inner(made, 1)
        >>> block_inner_backward(inner, made, kept, 1).shape
        (2, 6)
    """
    if heads is None:
        return back * _gelu_slope(made)
    query, key, value, soft = kept
    context = back.reshape(len(back), heads, -1).transpose(1, 0, 2)  # (a, n, d)
    parts = np.stack(_attention_backward(query, key, value, soft, soft, context, 1.0))  # (3, a, n, d)
    return parts.transpose(2, 1, 0, 3).reshape(len(back), -1)


@dataclass(frozen=True)
class TensorLayerRun:
    """What a layer computed among the ranks, and what it cost.

    Attributes:
        output: of the layer, put together.
        input_gradient: likewise.
        gradients: of each weight, put together from the ranks' parts.
        kept_bytes: for each rank, what it keeps for the backward pass: tensor → bytes, 2 for a value, 1 in a mask.
        account: what each rank sent, 8 bytes a number, and the most that it kept.

    >>> TensorLayerRun(np.ones(1), np.ones(1), {}, ({},), Account(1, ())).kept_bytes
    ({},)
    """

    output: Array
    input_gradient: Array
    gradients: Mapping[str, Array]
    kept_bytes: tuple[Mapping[str, int], ...]
    account: Account


@dataclass(frozen=True)
class _Plan:
    """How the layer is cut; the same on all ranks."""

    ranks: int
    heads: int
    key_value_heads: int
    head_size: int
    shape: tuple[int, int, int]
    sequence_parallel: bool
    gather_again: bool
    seed: int

    def head_range(self, rank: int) -> slice:
        """The query heads of a rank."""
        own = self.heads // self.ranks
        return slice(rank * own, (rank + 1) * own)

    def key_value_range(self, rank: int) -> slice:
        """The key-value heads that the query heads of a rank use."""
        heads, group = self.head_range(rank), self.heads // self.key_value_heads
        return slice(heads.start // group, (heads.stop - 1) // group + 1)

    def copies(self, rank: int) -> list[int]:
        """The ranks that hold the same key-value heads."""
        return [other for other in range(self.ranks) if self.key_value_range(other) == self.key_value_range(rank)]


@refusing_overflow("weights, x and gradient")
def run_tensor_layer(
    weights: Mapping[str, Any],
    x: Any,
    gradient: Any,
    *,
    ranks: int,
    heads: int,
    key_value_heads: int | None = None,
    sequence_parallel: bool = False,
    gather_again: bool = False,
    seed: int = 0,
) -> TensorLayerRun:
    """Run a GPT layer forward and backward with its heads and inner widths cut among ranks.

    Args:
        weights: from ``snippets.memory.memory_equation.gpt_layer.layer_weights``; with fewer key-value heads,
            ``"qkv"`` has that many fewer columns: all queries, all keys, all values.
        x: the layer's input, shape (s, b, h).
        gradient: of the loss with respect to the output, of the same shape.
        ranks: t, among which the layer is cut.
        heads: query heads.
        key_value_heads: heads of keys and values; as many as ``heads`` by default. With more ranks than these, ranks
            hold copies and sum the gradients of the copied weights.
        sequence_parallel: whether norms, dropouts and the stream are cut along the sequence.
        gather_again: whether the backward pass gathers the blocks' inputs once more, in place of keeping them whole;
            only with sequence parallelism.
        seed: of the dropouts' masks, which are those of ``snippets.memory.memory_equation.gpt_layer``.

    Returns:
        The results, what is kept, and the account.

    Raises:
        ValueError: if shapes do not fit, heads cannot be dealt evenly, or options do not go together.

    Source: Shoeybi et al. 2019, section 3; Korthikanti et al. 2022, sections 4.2.1 and 4.2.2.
    Convention: rings. Each rank makes the whole mask and takes its part, so that the result is one device's. A rank's
        norms see whole tokens; with sequence parallelism the gradients of their scales are summed in the end.
    Leaves out: biases.

    Example:
        >>> from snippets.memory.memory_equation.gpt_layer import layer_weights
        >>> x = np.ones((4, 1, 4))
        >>> run = run_tensor_layer(layer_weights(hidden=4), x, x, ranks=2, heads=2)
        >>> run.output.shape, run.account.sent_bytes
        ((4, 1, 4), (512, 512))
    """
    x, gradient = finite_array("x", x, dimensions=3), finite_array("gradient", gradient, dimensions=3)
    if 0 in x.shape or gradient.shape != x.shape:
        raise ValueError(f"gradient must have the shape of x, which has no 0, got {gradient.shape} and {x.shape}")
    plan = _plan(x.shape, ranks, heads, key_value_heads, sequence_parallel, gather_again, seed)
    given = _checked_weights(weights, plan)
    machine = Machine(plan.ranks)
    layers = [_RankLayer(plan, rank, given, machine.memories[rank]) for rank in range(plan.ranks)]
    done = machine.run([layer.train(x, gradient) for layer in layers])
    outputs, backs = [rank[0] for rank in done], [rank[1] for rank in done]
    if plan.sequence_parallel:
        output, back = np.concatenate(outputs), np.concatenate(backs)
    else:
        output, back = outputs[0], backs[0]
    grads = {name: np.zeros(weight.shape) for name, weight in given.items()}
    for layer in layers:
        for name, places in layer.places.items():
            grads[name][places] = layer.gradients[name]
    return TensorLayerRun(output, back, grads, tuple(layer.kept_bytes for layer in layers), machine.account)


def _plan(
    shape: tuple[int, ...],
    ranks: int,
    heads: int,
    key_value_heads: int | None,
    sequence_parallel: bool,
    gather_again: bool,
    seed: int,
) -> _Plan:
    """Return how a layer for an input of this shape is cut, or raise ``ValueError``."""
    s, b, h = shape
    a = positive_integer("heads", heads)
    t = at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS)
    kv = a if key_value_heads is None else positive_integer("key_value_heads", key_value_heads)
    if h % a or a % t:
        raise ValueError(f"heads must divide the width {h} and be a multiple of ranks = {t}, got {a}")
    if a % kv or (kv % t and t % kv):
        raise ValueError(f"key_value_heads must divide {a} and be a multiple or a divisor of ranks = {t}, got {kv}")
    cut, again = flag("sequence_parallel", sequence_parallel), flag("gather_again", gather_again)
    if again and not cut:
        raise ValueError("gather_again must be False without sequence_parallel, got True")
    return _Plan(t, a, kv, h // a, (s, b, h), cut, again, nonnegative_integer("seed", seed))


def _checked_weights(weights: Any, plan: _Plan) -> dict[str, Array]:
    """Return the weights as arrays of the plan's shapes, or raise ``ValueError``."""
    h = plan.shape[2]
    shapes = {"first norm": (h,), "second norm": (h,), "qkv": (h, h + 2 * plan.key_value_heads * plan.head_size)}
    shapes |= {"projection": (h, h), "first": (h, 4 * h), "second": (4 * h, h)}
    if not isinstance(weights, Mapping) or set(weights) != set(shapes):
        raise ValueError(f"weights must have the keys {', '.join(shapes)}, got {weights!r:.80}")
    given = {name: finite_array(f"weights[{name!r}]", weights[name]) for name in shapes}
    for name, shape in shapes.items():
        if given[name].shape != shape:
            raise ValueError(f"weights[{name!r}] must have shape {shape}, got {given[name].shape}")
    return given


class _RankLayer:
    """One rank's parts of the weights, what it keeps, and its program."""

    def __init__(self, plan: _Plan, rank: int, weights: Mapping[str, Array], memory: Any) -> None:
        self.plan, self.rank, self.memory = plan, rank, memory
        h, d = plan.shape[2], plan.head_size
        own, shared = plan.head_range(rank), plan.key_value_range(rank)
        keys, values = (np.arange(start + shared.start * d, start + shared.stop * d) for start in self._starts())
        self.columns = np.concatenate([np.arange(own.start * d, own.stop * d), keys, values])
        inner = _bounds(4 * h, plan.ranks)[rank]
        everything = slice(None)
        self.places: dict[str, Any] = {
            "first norm": everything,
            "second norm": everything,
            "qkv": (everything, self.columns),
            "projection": slice(own.start * d, own.stop * d),
            "first": (everything, inner),
            "second": inner,
        }
        self.weights = {name: weights[name][place].copy() for name, place in self.places.items()}
        self.gradients: dict[str, Array] = {}
        self.kept: dict[str, NDArray[Any]] = {}
        self.kept_bytes: dict[str, int] = {}
        self.tokens = _bounds(plan.shape[0], plan.ranks)[rank] if plan.sequence_parallel else everything

    def _starts(self) -> tuple[int, int]:
        """Where the columns of keys and those of values begin."""
        h = self.plan.shape[2]
        return h, h + self.plan.key_value_heads * self.plan.head_size

    def keep(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Keep a tensor for the backward pass: 2 bytes for a value, 1 in a mask."""
        self.kept[name] = array
        self.kept_bytes[name] = array.size * (1 if array.dtype == bool else 2)
        self.memory.hold(self.kept_bytes[name], "activations")
        return array

    def mask(self, number: int) -> NDArray[np.bool_]:
        """The mask of a dropout of the stream, this rank's tokens."""
        whole = np.random.default_rng(self.plan.seed + number).random(self.plan.shape) < KEEP
        return np.asarray(whole[self.tokens])

    def into_block(self, part: Array) -> Program:
        """Before a matrix that is cut by columns (and, backward, behind one that is cut by rows)."""
        if self.plan.sequence_parallel:
            part = yield AllGather(part)
        return part

    def out_of_block(self, partial: Array) -> Program:
        """Behind a matrix that is cut by rows: the parts are summed."""
        if self.plan.sequence_parallel:
            return (yield ReduceScatter(partial))
        return (yield AllReduce(partial))

    def block_input(self, name: str, normed: Array) -> Program:
        """Bring a block its whole input, and keep what the backward pass will take it from."""
        whole = yield from self.into_block(normed)
        self.keep(name, normed if self.plan.gather_again else whole)
        return whole

    def kept_input(self, name: str) -> Program:
        """The block's whole input in the backward pass."""
        if self.plan.gather_again:
            return (yield AllGather(self.kept[name]))
        return self.kept[name]

    def train(self, x: Array, gradient: Array) -> Program:
        """The rank's program. Its own s is the whole sequence without sequence parallelism; f is the inner width 4h."""
        weights, kept, plan = self.weights, self.kept, self.plan

        # Forward: attention.
        stream = self.keep("first norm's input", x[self.tokens])  # (own s, b, h)
        normed = _norm(stream, weights["first norm"])
        whole = yield from self.block_input("query, key and value's input", normed)  # (s, b, h)
        joined = self.attention(whole @ weights["qkv"])  # (s, b, own h)
        self.keep("output projection's input", joined)
        summed = yield from self.out_of_block(joined @ weights["projection"])  # (own s, b, h)
        middle = stream + summed * self.keep("attention dropout's mask", self.mask(1)) / KEEP
        self.keep("second norm's input", middle)

        # Forward: the feed-forward block.
        normed = _norm(middle, weights["second norm"])
        whole = yield from self.block_input("first matrix's input", normed)  # (s, b, h)
        inner = self.keep("activation function's input", whole @ weights["first"])  # (s, b, own f)
        active = self.keep("second matrix's input", _gelu(inner))
        summed = yield from self.out_of_block(active @ weights["second"])  # (own s, b, h)
        output = middle + summed * self.keep("feed-forward dropout's mask", self.mask(2)) / KEEP

        # Backward: the feed-forward block.
        above = gradient[self.tokens]  # (own s, b, h)
        outer = yield from self.into_block(above * kept["feed-forward dropout's mask"] / KEEP)  # (s, b, h)
        self.gradients["second"] = _product(active, outer)
        down = outer @ weights["second"].T * _gelu_slope(inner)  # (s, b, own f)
        whole = yield from self.kept_input("first matrix's input")
        self.gradients["first"] = _product(whole, down)
        summed = yield from self.out_of_block(down @ weights["first"].T)  # (own s, b, h)
        back, self.gradients["second norm"] = _norm_backward(middle, weights["second norm"], summed)
        above = above + back

        # Backward: attention.
        outer = yield from self.into_block(above * kept["attention dropout's mask"] / KEEP)  # (s, b, h)
        self.gradients["projection"] = _product(joined, outer)
        down = self.attention_backward(outer @ weights["projection"].T)  # (s, b, own columns)
        whole = yield from self.kept_input("query, key and value's input")
        self.gradients["qkv"] = _product(whole, down)
        yield from self.sum_copies()
        summed = yield from self.out_of_block(down @ weights["qkv"].T)  # (own s, b, h)
        back, self.gradients["first norm"] = _norm_backward(stream, weights["first norm"], summed)
        if plan.sequence_parallel and plan.ranks > 1:
            both = yield AllReduce(np.stack([self.gradients[name] for name in ("first norm", "second norm")]))
            self.gradients["first norm"], self.gradients["second norm"] = both
        return output, above + back

    def sum_copies(self) -> Program:
        """Sum the gradients of keys' and values' weights over the ranks that hold the same."""
        group = self.plan.copies(self.rank)
        if len(group) > 1:
            start = (self.plan.heads // self.plan.ranks) * self.plan.head_size
            gradient = self.gradients["qkv"]
            gradient[:, start:] = yield AllReduce(np.ascontiguousarray(gradient[:, start:]), group=group)

    def attention(self, projected: Array) -> Array:
        """This rank's heads."""
        plan, d = self.plan, self.plan.head_size
        own, shared = plan.head_range(self.rank), plan.key_value_range(self.rank)
        counts = own.stop - own.start, shared.stop - shared.start
        ends = np.cumsum([counts[0] * d, counts[1] * d])
        parts = np.split(projected, ends, axis=2)
        query, key, value = (_split(part, part.shape[2] // d) for part in parts)
        self.keep("query", query), self.keep("key", key), self.keep("value", value)
        used = np.arange(own.start, own.stop) // (plan.heads // plan.key_value_heads) - shared.start  # (own a,)
        self.used = used
        soft = self.keep("softmax's output", _softmax(query, key[:, used]))  # (b, own a, s, s)
        tokens, sequences, _ = plan.shape
        whole = np.random.default_rng(plan.seed).random((sequences, plan.heads, tokens, tokens)) < KEEP
        mask = self.keep("score dropout's mask", whole[:, own])
        dropped = self.keep("score dropout's output", soft * mask / KEEP)
        return _join(dropped @ value[:, used])  # (s, b, own h)

    def attention_backward(self, back: Array) -> Array:
        kept = self.kept
        query, key, value = kept["query"], kept["key"], kept["value"]
        mask = kept["score dropout's mask"] / KEEP
        parts = _attention_backward(
            query,
            key[:, self.used],
            value[:, self.used],
            kept["softmax's output"],
            kept["score dropout's output"],
            _split(back, query.shape[1]),
            mask,
        )
        shared = [parts[0], np.zeros_like(key), np.zeros_like(value)]
        for place, head in enumerate(self.used):  # query heads of a group share a key and a value
            shared[1][:, head] += parts[1][:, place]
            shared[2][:, head] += parts[2][:, place]
        return np.concatenate([_join(part) for part in shared], axis=2)  # (s, b, own columns)


def _bounds(length: int, ranks: int) -> list[slice]:
    """Cut a length as the machine's collectives cut rows."""
    base, longer = divmod(length, ranks)
    starts = [rank * base + min(rank, longer) for rank in range(ranks + 1)]
    return list(map(slice, starts[:-1], starts[1:]))


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(_SLOPE * (x + 0.044715 * x**3))))


def _gelu_slope(x: Array) -> Array:
    tanh = np.tanh(_SLOPE * (x + 0.044715 * x**3))
    return np.asarray(0.5 * (1 + tanh) + 0.5 * x * (1 - tanh**2) * _SLOPE * (1 + 3 * 0.044715 * x**2))


def _softmax(query: Array, key: Array) -> Array:
    """Causal attention weights; the last two axes are tokens and width."""
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _attention_backward(
    query: Array, key: Array, value: Array, soft: Array, dropped: Array, context: Array, mask: Any
) -> tuple[Array, Array, Array]:
    """Gradients of query, key and value."""
    towards = context @ value.swapaxes(-1, -2) * mask  # (…, s, s)
    scores = soft * (towards - (towards * soft).sum(axis=-1, keepdims=True)) / np.sqrt(query.shape[-1])
    return scores @ key, scores.swapaxes(-1, -2) @ query, dropped.swapaxes(-1, -2) @ context


def _norm(x: Array, scale: Array) -> Array:
    centred = x - x.mean(axis=2, keepdims=True)
    return np.asarray(scale * centred / np.sqrt((centred**2).mean(axis=2, keepdims=True) + _EPSILON))


def _norm_backward(x: Array, scale: Array, gradient: Array) -> tuple[Array, Array]:
    """Gradients of a norm's input and of its scale."""
    centred = x - x.mean(axis=2, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=2, keepdims=True) + _EPSILON)
    standard, inner = centred / deviation, gradient * scale
    back = inner - inner.mean(axis=2, keepdims=True) - standard * (inner * standard).mean(axis=2, keepdims=True)
    return back / deviation, (gradient * standard).sum(axis=(0, 1))


def _split(x: Array, heads: int) -> Array:
    """(s, b, h) to (b, a, s, h / a)."""
    tokens, sequences, width = x.shape
    return x.reshape(tokens, sequences, heads, width // heads).transpose(1, 2, 0, 3)


def _join(x: Array) -> Array:
    """(b, a, s, h / a) to (s, b, h)."""
    sequences, heads, tokens, size = x.shape
    return x.transpose(2, 0, 1, 3).reshape(tokens, sequences, heads * size)


def _product(x: Array, gradient: Array) -> Array:
    """Xᵀ times the gradient, summed over tokens."""
    return np.asarray(np.tensordot(x, gradient, axes=([0, 1], [0, 1])))
