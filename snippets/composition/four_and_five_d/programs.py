"""Simulators: a layer of attention and experts that trains on ranks folded twice, beside the same on one device.

A rank stands at a place (data, context, tensor), the last innermost. Attention cuts heads among tensor ranks and tokens
among context ranks, zig-zag; the experts are dealt among e ranks that follow one another, whatever their places are. In
comments on shapes, s is the length of a sequence, b the sequences of a rank, and "own" what a rank has of an axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import at_most, nonnegative_integer, positive_integer, positive_number
from snippets.parallelism.expert.programs import (
    ExpertLayer,
    ExpertPlace,
    checked_expert_layer,
    dense_expert_layer,
    expert_rank_program,
    expert_weights,
)
from snippets.parallelism.sequence.formulas import context_rank_tokens
from snippets.parallelism.sequence.programs import attend, attend_backward, attend_block, attend_block_backward
from snippets.simulation.account import Account
from snippets.simulation.machine import AllGather, AllReduce, Machine, Program, ReduceScatter

Array = NDArray[np.float64]
MOST_RANKS = 32
NUMBER_BYTES = 8
_ATTENTION = ("query", "key", "value", "out")
_EXPERTS = ("router", "first", "gate", "second")


class FoldedBytes(NamedTuple):
    """What all ranks together send along each axis; ``gradients`` are the sums over ranks with equal weights.

    >>> FoldedBytes(tensor=1, context=2, expert=3, gradients=4).context
    2
    """

    tensor: int
    context: int
    expert: int
    gradients: int


@dataclass(frozen=True)
class FoldedRun:
    """What some steps of training gave and cost.

    Attributes:
        output: of the last step, shape (sequences, s, h).
        input_gradient: of the last step, likewise.
        weights: after the last step.
        loads: for each expert, the tokens that it computed in the last step.
        sent: bytes of all ranks, by axis, of all steps.
        account: of the machine; of one device nothing is sent.

    >>> FoldedRun(np.ones(1), np.ones(1), {}, (2,), FoldedBytes(0, 0, 0, 0), Account(1, ())).loads
    (2,)
    """

    output: Array
    input_gradient: Array
    weights: Mapping[str, Array]
    loads: tuple[int, ...]
    sent: FoldedBytes
    account: Account


def folded_layer_weights(
    *, heads: int, key_value_heads: int, head_size: int, width: int, experts: int, seed: int = 0
) -> dict[str, Array]:
    """Return random weights of a layer of attention and experts, whose hidden size is heads × head size.

    Args:
        heads: a, of queries.
        key_value_heads: a_kv, of keys and values; divides the heads.
        head_size: of a head; a power of two keeps all sums exact enough to compare.
        width: inner width of an expert.
        experts: E.
        seed: at least 0.

    Returns:
        ``"query"`` (h, a, h_head), ``"key"`` and ``"value"`` (h, a_kv, h_head), ``"out"`` (a, h_head, h), and the
        experts' of ``expert_weights``.

    >>> folded_layer_weights(heads=4, key_value_heads=2, head_size=2, width=3, experts=4)["key"].shape
    (8, 2, 2)
    """
    a, kept = positive_integer("heads", heads), positive_integer("key_value_heads", key_value_heads)
    size = positive_integer("head_size", head_size)
    h = at_most("heads × head_size", a * size, 256)
    if a % kept:
        raise ValueError(f"key_value_heads must divide heads = {a}, got {key_value_heads!r}")
    rng = np.random.default_rng([nonnegative_integer("seed", seed), 27])
    shapes = {"query": (h, a, size), "key": (h, kept, size), "value": (h, kept, size), "out": (a, size, h)}
    made = {name: rng.normal(size=shape) / np.sqrt(h) for name, shape in shapes.items()}
    return made | expert_weights(hidden=h, width=width, experts=experts, seed=seed)


@refusing_overflow("weights, x, gradient and learning_rate")
def train_dense_layer(
    weights: Mapping[str, ArrayLike],
    x: ArrayLike,
    gradient: ArrayLike,
    *,
    experts_per_token: int,
    steps: int = 1,
    learning_rate: float = 0.1,
) -> FoldedRun:
    """Train a layer of attention and experts on one device, every expert for every token.

    Args:
        weights: as ``folded_layer_weights`` makes them.
        x: tokens, shape (sequences, s, h).
        gradient: of the loss with respect to the output, the same in each step, shape of x.
        experts_per_token: k.
        steps: of gradient descent, at most 100.
        learning_rate: their size.

    Returns:
        The last step's output, and the weights after it.

    Source: Vaswani et al. 2017 and Shazeer et al. 2017.
    Convention: both blocks have a residual; causal; nothing is normalised.
    Leaves out: norms, positions, dropout.

    >>> made = folded_layer_weights(heads=2, key_value_heads=1, head_size=2, width=3, experts=4)
    >>> train_dense_layer(made, np.ones((1, 2, 4)), np.ones((1, 2, 4)), experts_per_token=2).output.shape
    (1, 2, 4)
    """
    job = _job(weights, x, gradient, experts_per_token, steps, learning_rate)
    mine = {name: array.copy() for name, array in job.weights.items()}
    b, s, h = job.x.shape
    for _ in range(job.steps):
        q, k, v = (np.einsum("bsh,had->basd", job.x, mine[name]) for name in _ATTENTION[:3])
        seen = np.stack([attend(*row)[0] for row in zip(q, k, v, strict=True)])  # (b, a, s, h_head)
        middle = job.x + np.einsum("basd,adh->bsh", seen, mine["out"])
        experts = {name: mine[name] for name in _EXPERTS}
        flat = middle.reshape(-1, h), job.gradient.reshape(-1, h)
        run = dense_expert_layer(experts, *flat, experts_per_token=job.experts_per_token)
        output = middle + run.output.reshape(b, s, h)
        back = job.gradient + run.input_gradient.reshape(b, s, h)
        d_seen = np.einsum("bsh,adh->basd", back, mine["out"])
        d_qkv = [np.stack(each) for each in zip(*map(_backward_of_one, q, k, v, d_seen), strict=True)]
        grads = {
            name: np.einsum("bsh,basd->had", job.x, each) for name, each in zip(_ATTENTION[:3], d_qkv, strict=True)
        }
        grads["out"] = np.einsum("basd,bsh->adh", seen, back)
        for name, each in zip(_ATTENTION[:3], d_qkv, strict=True):
            back = back + np.einsum("basd,had->bsh", each, mine[name])
        for name, grad in (grads | dict(run.gradients)).items():
            mine[name] -= job.learning_rate * grad
    return FoldedRun(output, back, mine, run.loads, FoldedBytes(0, 0, 0, 0), Account(1, ()))


def _backward_of_one(q: Array, k: Array, v: Array, d_o: Array) -> tuple[Array, Array, Array]:
    return attend_backward(q, k, v, d_o)


@refusing_overflow("weights, x, gradient and learning_rate")
def train_folded_layer(
    weights: Mapping[str, ArrayLike],
    x: ArrayLike,
    gradient: ArrayLike,
    *,
    experts_per_token: int,
    tensor_parallel: int = 1,
    context_parallel: int = 1,
    data_parallel: int = 1,
    expert_parallel: int = 1,
    steps: int = 1,
    learning_rate: float = 0.1,
) -> FoldedRun:
    """Train a layer of attention and experts on t · c · d ranks, folded a second time among the experts.

    Args:
        weights: as ``folded_layer_weights`` makes them.
        x: tokens, shape (sequences, s, h); d divides the sequences, 2ct their length.
        gradient: of the loss with respect to the output, the same in each step, shape of x.
        experts_per_token: k.
        tensor_parallel: t, which divides the heads of keys.
        context_parallel: c.
        data_parallel: d.
        expert_parallel: e, which divides t · c · d and the experts.
        steps: of gradient descent, at most 100.
        learning_rate: their size.

    Returns:
        Results and weights put together, and the account, 8 bytes a number.

    Raises:
        ValueError: if an axis does not divide what it cuts.

    Source: Liu et al. 2025, MoE Parallel Folding; Grattafiori et al. 2024, section 3.3.2, for gathered keys and values.
    Convention: between blocks a rank has a t-th of its context rank's tokens. Keys and values are gathered again for
        the backward pass; the block's input is kept whole. Sums of gradients are ring all-reduces once a step.
    Leaves out: as ``train_dense_layer``; a pipeline; sharded weights.

    >>> made = folded_layer_weights(heads=2, key_value_heads=1, head_size=2, width=3, experts=4)
    >>> cut = {"context_parallel": 2, "expert_parallel": 2}
    >>> train_folded_layer(made, np.ones((1, 4, 4)), np.ones((1, 4, 4)), experts_per_token=2, **cut).sent.context
    384
    """
    job = _job(weights, x, gradient, experts_per_token, steps, learning_rate)
    fold = _fold(job, tensor_parallel, context_parallel, data_parallel, expert_parallel)
    machine = Machine(fold.ranks, number_bytes=NUMBER_BYTES)
    ranks = [_Member(job, fold, number) for number in range(fold.ranks)]
    done = machine.run([_train(rank) for rank in ranks])
    output, back = np.empty_like(job.x), np.empty_like(job.x)
    for rank, (own_output, own_back, _) in zip(ranks, done, strict=True):
        output[rank.sequences, rank.own] = own_output.swapaxes(0, 1)
        back[rank.sequences, rank.own] = own_back.swapaxes(0, 1)
    loads = np.sum([each[2] for each in done], axis=0)
    sent = folded_axis_bytes(machine.account, tensor_parallel=fold.t)
    return FoldedRun(output, back, _joined(ranks), tuple(int(load) for load in loads), sent, machine.account)


def folded_axis_bytes(account: Account, *, tensor_parallel: int) -> FoldedBytes:
    """Return what all ranks sent, by axis: all-to-alls are the experts', all-reduces the gradients'.

    Gathers and reduce-scatters between ranks of one tensor group are the tensor axis's, the others the context axis's.

    Args:
        account: of ``train_folded_layer``.
        tensor_parallel: t, ranks that follow one another.

    Returns:
        Bytes of all ranks together.

    >>> from snippets.simulation.account import Message
    >>> messages = Message(1, 0, 1, 8, "all_gather"), Message(2, 1, 3, 4, "all_gather")
    >>> folded_axis_bytes(Account(4, messages), tensor_parallel=2)
    FoldedBytes(tensor=8, context=4, expert=0, gradients=0)
    """
    if not isinstance(account, Account):
        raise TypeError(f"account must be an Account, got {account!r}")
    t, found = positive_integer("tensor_parallel", tensor_parallel), dict.fromkeys(FoldedBytes._fields, 0)
    for message in account.messages:
        axis = {"all_to_all": "expert", "all_reduce": "gradients"}.get(message.operation)
        within = message.source // t == message.destination // t
        found[axis or ("tensor" if within else "context")] += message.sent_bytes
    return FoldedBytes(**found)


@dataclass(frozen=True)
class _Job:
    weights: dict[str, Array]
    x: Array  # (sequences, s, h)
    gradient: Array
    experts_per_token: int
    steps: int
    learning_rate: float


def _job(weights: Any, x: Any, gradient: Any, experts_per_token: Any, steps: Any, learning_rate: Any) -> _Job:
    if not isinstance(weights, Mapping) or set(weights) != {*_ATTENTION, *_EXPERTS}:
        raise ValueError(f"weights must have the keys {', '.join((*_ATTENTION, *_EXPERTS))}, got {weights!r:.60}")
    given = {name: finite_array(f"weights[{name!r}]", weights[name], dimensions=3) for name in _ATTENTION}
    layer = checked_expert_layer({name: weights[name] for name in _EXPERTS}, experts_per_token, True, None)
    h, (a, size) = layer.weights["router"].shape[0], given["query"].shape[1:]
    kept = given["key"].shape[1]
    shapes = ((h, a, size), (h, kept, size), (h, kept, size), (a, size, h))
    for name, shape in zip(_ATTENTION, shapes, strict=True):
        if given[name].shape != shape or 0 in shape or a % kept:
            raise ValueError(
                f"weights[{name!r}] must have shape {shape}, heads of keys dividing a, got {given[name].shape}"
            )
    x, gradient = finite_array("x", x, dimensions=3), finite_array("gradient", gradient, dimensions=3)
    if not x.size or x.shape[2] != h:
        raise ValueError(f"x must have shape (sequences, tokens, {h}), got {x.shape}")
    if gradient.shape != x.shape:
        raise ValueError(f"gradient must have the shape of x, {x.shape}, got {gradient.shape}")
    at_most("x.size × tokens", x.size * x.shape[1], 2**22)
    count, rate = (
        at_most("steps", positive_integer("steps", steps), 100),
        positive_number("learning_rate", learning_rate),
    )
    return _Job(given | layer.weights, x, gradient, layer.experts_per_token, count, rate)


class _Fold(NamedTuple):
    """The sizes of the axes."""

    t: int
    c: int
    d: int
    e: int

    @property
    def ranks(self) -> int:
        return self.t * self.c * self.d


def _fold(job: _Job, t: Any, c: Any, d: Any, e: Any) -> _Fold:
    names = ("tensor_parallel", "context_parallel", "data_parallel", "expert_parallel")
    fold = _Fold(*(positive_integer(name, size) for name, size in zip(names, (t, c, d, e), strict=True)))
    at_most("tensor_parallel × context_parallel × data_parallel", fold.ranks, MOST_RANKS)
    rows = 2 * fold.c * fold.t if fold.c > 1 else fold.t
    wanted = (
        ("tensor_parallel", fold.t, job.weights["key"].shape[1], "the heads of keys"),
        ("context_parallel", rows, job.x.shape[1], "the tokens, by 2 × context_parallel × tensor_parallel"),
        ("data_parallel", fold.d, len(job.x), "the sequences"),
        ("expert_parallel", fold.e, fold.ranks, "tensor_parallel × context_parallel × data_parallel"),
        ("expert_parallel", fold.e, job.weights["router"].shape[1], "the experts"),
    )
    for name, parts, whole, what in wanted:
        if whole % parts:
            got = fold[names.index(name)]
            raise ValueError(f"{name} must divide {what}, {whole}, into {parts} parts, got {got}")
    return fold


class _Member:
    """One rank: its place in both foldings, its tokens, and its own weights."""

    def __init__(self, job: _Job, fold: _Fold, number: int) -> None:
        self.job, self.number, self.fold = job, number, fold
        row, self.t = divmod(number, fold.t)
        self.d, self.c = divmod(row, fold.c)
        t, c = fold.t, fold.c
        self.tensor_group = range(row * t, row * t + t)
        self.context_group = range(self.d * c * t + self.t, (self.d + 1) * c * t, t)
        self.same_weights = range(self.t, fold.ranks, t)  # context and data together
        layout = "zigzag" if c > 1 else "contiguous"
        s = job.x.shape[1]
        self.places = [np.array(context_rank_tokens(r, ranks=c, sequence=s, layout=layout)) for r in range(c)]
        self.here = self.places[self.c]
        self.own = np.split(self.here, t)[self.t]
        each = len(job.x) // fold.d
        self.sequences = slice(self.d * each, (self.d + 1) * each)
        self.x, self.gradient = (a[self.sequences][:, self.own].swapaxes(0, 1) for a in (job.x, job.gradient))
        axis = {"query": 1, "key": 1, "value": 1, "out": 0}
        self.weights = {name: np.split(job.weights[name], t, axis=axis[name])[self.t].copy() for name in _ATTENTION}
        experts = {name: job.weights[name].copy() for name in _EXPERTS}
        self.layer = ExpertLayer(experts, job.experts_per_token, True, None)
        self.place = ExpertPlace(number, fold.ranks, fold.e)


def _train(own: _Member) -> Program:
    """One rank's steps: attention's folding, the experts', and back."""
    w, rate = own.weights, own.job.learning_rate
    there = np.concatenate(own.places)
    for _ in range(own.job.steps):
        # Forward, attention: the tokens of the context rank, its heads, everybody's keys and values.
        x = yield AllGather(own.x, group=own.tensor_group)  # (s/c, b, h)
        q, k, v = (np.einsum("sbh,had->basd", x, w[name]) for name in _ATTENTION[:3])  # (b, own a, s/c, h_head)
        keys, values = yield from _gather(own, k, v)
        blocks = [attend_block(*row, own.here, there, True) for row in zip(q, keys, values, strict=True)]
        seen, log_sum = (
            np.stack(each) for each in zip(*blocks, strict=True)
        )  # (b, own a, s/c, h_head), (b, own a, s/c)
        partial = np.einsum("basd,adh->sbh", seen, w["out"])
        middle = own.x + (yield ReduceScatter(partial, group=own.tensor_group))  # (own s, b, h)

        # The experts, forward and backward, on the same ranks folded anew.
        h = middle.shape[2]
        flat = middle.reshape(-1, h), own.gradient.reshape(-1, h)
        made, d_made, grads, loads, _dropped = yield from expert_rank_program(own.layer, *flat, own.place)
        output = middle + made.reshape(middle.shape)
        d_middle = own.gradient + d_made.reshape(middle.shape)

        # Backward, attention: keys and values once more, and their gradients home.
        d_out = yield AllGather(d_middle, group=own.tensor_group)  # (s/c, b, h)
        d_seen = np.einsum("sbh,adh->basd", d_out, w["out"])
        keys, values = yield from _gather(own, k, v)
        delta = (d_seen * seen).sum(axis=3)
        back = [
            attend_block_backward(q_, k_, v_, own.here, there, True, d_o, total, along)
            for q_, k_, v_, d_o, total, along in zip(q, keys, values, d_seen, log_sum, delta, strict=True)
        ]
        d_q, d_keys, d_values = (np.stack(each) for each in zip(*back, strict=True))
        stacked = np.stack([d_keys, d_values]).transpose(3, 0, 1, 2, 4)  # (s, 2, b, own a_kv, h_head)
        d_k, d_v = (yield ReduceScatter(stacked, group=own.context_group)).transpose(1, 2, 3, 0, 4)
        d_qkv = dict(zip(_ATTENTION[:3], (d_q, d_k, d_v), strict=True))
        d_x = sum(np.einsum("basd,had->sbh", each, w[name]) for name, each in d_qkv.items())
        d_own = d_middle + (yield ReduceScatter(d_x, group=own.tensor_group))

        # Gradients: context ranks are data ranks for the weights.
        mine = {name: np.einsum("sbh,basd->had", x, each) for name, each in d_qkv.items()}
        mine["out"] = np.einsum("basd,sbh->adh", seen, d_out)
        for name in _ATTENTION:
            w[name] -= rate * (yield AllReduce(mine[name], group=own.same_weights))
        _update_experts(own, grads, rate)
    return output, d_own, loads


def _gather(own: _Member, k: Array, v: Array) -> Program:
    """Gather keys and values over the context group: (b, own a_kv, s, h_head) each, in the order of its ranks."""
    both = yield AllGather(np.stack([k, v]).transpose(3, 0, 1, 2, 4), group=own.context_group)
    return both.transpose(1, 2, 3, 0, 4)


def _update_experts(own: _Member, grads: Mapping[str, Array], rate: float) -> None:
    """Update the router and this rank's experts."""
    weights = own.layer.weights
    weights["router"] -= rate * grads["router"]
    mine = _own_experts(own)
    for name in _EXPERTS[1:]:
        weights[name][mine] -= rate * grads[name]


def _own_experts(own: _Member) -> slice:
    each = own.layer.experts // own.fold.e
    number = own.number % own.fold.e
    return slice(number * each, (number + 1) * each)


def _joined(ranks: list[_Member]) -> dict[str, Array]:
    """Put the first copy of each weight together."""
    fold = ranks[0].fold
    joined = {
        name: np.concatenate([rank.weights[name] for rank in ranks[: fold.t]], axis=0 if name == "out" else 1)
        for name in _ATTENTION
    }
    joined["router"] = ranks[0].layer.weights["router"]
    for name in _EXPERTS[1:]:
        joined[name] = np.concatenate([rank.layer.weights[name][_own_experts(rank)] for rank in ranks[: fold.e]])
    return joined
