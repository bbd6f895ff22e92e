"""Simulators: data parallelism on the simulated machine: ranks that share batches of ragged sequences.

The network has two layers, tanh(x @ W1) @ W2, and acts on each token alone. A token's loss is half the squared distance
between its output and its target; a batch's loss is the mean over its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, finite_array, random_generator, refusing_overflow
from snippets.domain import (
    at_most,
    each,
    flag,
    nonnegative_integer,
    one_of,
    positive_integer,
    positive_number,
)
from snippets.simulation.account import Account, Memory
from snippets.simulation.machine import AllReduce, Compute, Machine, Program

Array = NDArray[np.float64]
Sequences = tuple[tuple[Array, Array], ...]
Deal = Sequence[Sequence[Sequence[int]]]
WEIGHTINGS = ("tokens", "ranks", "micro_batches")
_MOST = 4096


def draw_sequences(
    generator: np.random.Generator, *, lengths: Sequence[int], features: int, outputs: int, shift: float = 1.0
) -> Sequences:
    """Draw ragged sequences with targets. Short and long ones differ, so that it matters how they are weighted.

    Args:
        generator: source of the draws; it is advanced.
        lengths: tokens of each sequence.
        features: numbers of a token.
        outputs: numbers of its target.
        shift: how far the targets of the shorter half are moved, above 0.

    Returns:
        For each sequence its tokens (tokens × features) and its targets (tokens × outputs).

    Example:
        >>> x, y = draw_sequences(np.random.default_rng(0), lengths=[2, 3], features=4, outputs=1)[1]
        >>> x.shape, y.shape
        ((3, 4), (3, 1))
    """
    random_generator("generator", generator)
    counts = each("lengths", lengths, positive_integer)
    width, out = positive_integer("features", features), positive_integer("outputs", outputs)
    affordable("lengths × (features + outputs)", sum(counts) * (width + out))
    shift = positive_number("shift", shift)
    teacher = generator.normal(size=(width, out)) / np.sqrt(width)
    middle = float(np.median(counts)) if counts else 0.0
    drawn = []
    for count in counts:
        x = generator.normal(size=(count, width))
        drawn.append((x, np.tanh(x @ teacher) + shift * (count < middle)))
    return tuple(drawn)


def deal(sequences: int, *, ranks: int, micro_batches: int) -> list[list[list[int]]]:
    """Deal sequences in their order, as evenly as can be, to ranks and there to micro-batches.

    Args:
        sequences: how many there are, at least 0.
        ranks: R, at most 4,096.
        micro_batches: m of each rank, at most 4,096. Some may stay empty.

    Returns:
        For each rank and micro-batch the sequences' numbers.

    Example:
        >>> deal(5, ranks=2, micro_batches=2)
        [[[0, 1], [2]], [[3], [4]]]
    """
    count = at_most("ranks", positive_integer("ranks", ranks), _MOST)
    m = at_most("micro_batches", positive_integer("micro_batches", micro_batches), _MOST)
    affordable("ranks × micro_batches", count * m)
    numbers = np.arange(at_most("sequences", nonnegative_integer("sequences", sequences)))
    return [[part.tolist() for part in np.array_split(own, m)] for own in np.array_split(numbers, count)]


@dataclass(frozen=True)
class SharedRun:
    """What ranks hold after training together, and what it cost.

    Attributes:
        losses: before each step, the mean over the tokens of the step's batch.
        gradients: for each step both layers' gradients, as one vector.
        weights: for each rank both layers in the end, as one vector.
        account: what the ranks sent, held and computed.

    Example:
        >>> SharedRun((0.5,), (), (np.zeros(2),), Account(1, ())).losses
        (0.5,)
    """

    losses: tuple[float, ...]
    gradients: tuple[Array, ...]
    weights: tuple[Array, ...]
    account: Account


class _Replica:
    """One rank: its copies of the weights, its gradients, and a memory in which all arrays are counted."""

    def __init__(self, weights: Sequence[Array], memory: Memory) -> None:
        self.weights = [memory.watch(weight.copy(), "parameters") for weight in weights]
        self.gradients = [memory.watch(np.zeros_like(weight), "gradients") for weight in weights]
        self.memory = memory
        self.loss = 0.0

    def accumulate(self, x: Array, y: Array, share: float) -> None:
        """Run a micro-batch forward and backward, and add its tokens' gradients, each times a share."""
        first, second = self.weights
        hidden = self.memory.watch(np.tanh(x @ first), "activations")  # (tokens, hidden)
        error = self.memory.watch(hidden @ second - y, "activations")  # (tokens, outputs)
        self.loss += float((error**2).sum() / 2)
        self.gradients[1] += share * (hidden.T @ error)  # (hidden, outputs)
        self.gradients[0] += share * (x.T @ ((error @ second.T) * (1 - hidden**2)))  # (features, hidden)


def _average(replica: _Replica, ranks: int) -> Program:
    """Put the average over ranks in the place of the gradients: the last layer's first, since it is ready first."""
    for gradient in reversed(replica.gradients):
        yield AllReduce(gradient, into=gradient)
        gradient /= ranks


def _train(
    replica: _Replica, parts: Sequence[Sequences], weighting: str, ranks: int, step: float, *, every: bool
) -> Program:
    """The program of a rank for one step: count, accumulate, sum, update."""
    counts = [sum(len(x) for x, _ in part) for part in parts]
    total = (yield AllReduce([sum(counts)]))[0] if weighting == "tokens" else 0
    replica.loss = 0.0
    for gradient in replica.gradients:
        gradient[...] = 0
    filled = sum(map(bool, counts))
    for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
        if count:
            x, y = (np.concatenate(pieces) for pieces in zip(*part, strict=True))
            share = ranks / total if total else 1 / sum(counts)
            replica.accumulate(x, y, 1 / (filled * count) if weighting == "micro_batches" else share)
            yield Compute("product_flops", 6 * count * sum(weight.size for weight in replica.weights))
        if every and number < len(parts) - 1:
            yield from _average(replica, ranks)
    yield from _average(replica, ranks)
    loss, tokens = yield AllReduce([replica.loss, sum(counts)])
    replica.loss = loss / tokens
    for weight, gradient in zip(replica.weights, replica.gradients, strict=True):
        weight -= step * gradient


@refusing_overflow("weights, sequences and step")
def train_shared(
    weights: Sequence[Array],
    sequences: Sequences,
    deals: Sequence[Deal],
    *,
    step: float,
    weighting: str = "tokens",
    every: bool = False,
) -> SharedRun:
    """Train a network of two layers by gradient descent on ranks that share each step's batch.

    Args:
        weights: the two matrices at the start, features × hidden and hidden × outputs.
        sequences: tokens and targets of each sequence.
        deals: for each step, rank and micro-batch, which sequences it has; every step has as many ranks.
        step: η.
        weighting: ``"tokens"`` divides all sums by the batch's number of tokens, which the ranks add up first;
            ``"ranks"`` averages the ranks' means over their own tokens; ``"micro_batches"`` averages the means of
            micro-batches on every rank, and then the ranks. Only the first is the batch's gradient for any deal.
        every: whether the ranks average what they have accumulated after every micro-batch, and not the last alone.

    Returns:
        Losses, gradients, weights, and the account.

    Raises:
        ValueError: the shapes do not fit, a sequence's number is out of range, or a rank has no token and a mean is
            asked of it.

    Source: Li et al. 2020 (PyTorch's DDP) for the order: accumulate, then sum the last layer's gradient first.
    Convention: all numbers have 8 bytes. Activations are the hidden layer and the error of one micro-batch; inputs and
        targets are data and not counted. Losses and tokens are summed for the record, two numbers a step.
    Leaves out: time; temporaries of arithmetic.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> sequences = draw_sequences(rng, lengths=[2, 5, 3], features=3, outputs=2)
        >>> start = [rng.normal(size=(3, 4)), rng.normal(size=(4, 2))]
        >>> one, two = (train_shared(start, sequences, [deal(3, ranks=n, micro_batches=2)], step=0.1) for n in (1, 2))
        >>> np.allclose(one.weights[0], two.weights[1]), sum(two.account.sent_bytes)
        (True, 368)
    """
    matrices, given = _fitting(weights, sequences)
    positive_number("step", step)
    one_of("weighting", weighting, WEIGHTINGS)
    steps = _dealt(deals, every=flag("every", every))
    machine = Machine(len(steps[0]))
    replicas = [_Replica(matrices, memory) for memory in machine.memories]
    losses, gradients = list[float](), list[Array]()
    for dealt in steps:
        parts = [[_chosen(given, part) for part in own] for own in dealt]
        if weighting != "tokens" and not all(any(own) for own in parts):
            raise ValueError("deals must give every rank a token where means are averaged")
        if not any(any(own) for own in parts):
            raise ValueError("deals must give every step a token")
        machine.run(
            [
                _train(replica, own, weighting, machine.ranks, step, every=every)
                for replica, own in zip(replicas, parts, strict=True)
            ]
        )
        losses.append(replicas[0].loss)
        gradients.append(np.concatenate([gradient.ravel() for gradient in replicas[0].gradients]))
    ends = tuple(np.concatenate([weight.ravel() for weight in replica.weights]) for replica in replicas)
    return SharedRun(tuple(losses), tuple(gradients), ends, machine.account)


def _fitting(weights: Sequence[Array], sequences: Sequences) -> tuple[tuple[Array, ...], Sequences]:
    """Return both matrices, and the sequences, which fit them, or raise ``ValueError``."""
    matrices = each("weights", weights, lambda name, weight: finite_array(name, weight, dimensions=2))
    if len(matrices) != 2 or matrices[0].shape[1] != matrices[1].shape[0]:
        raise ValueError(f"weights must be two matrices that fit, got shapes {[one.shape for one in matrices]}")
    first, second = matrices
    given = each("sequences", sequences, _sequence)
    for number, (x, y) in enumerate(given):
        if x.shape[1:] != first.shape[:1] or y.shape != (len(x), second.shape[1]):
            raise ValueError(f"sequences[{number}] must fit the weights, got shapes {x.shape} and {y.shape}")
    return matrices, given


def _dealt(deals: Sequence[Deal], *, every: bool) -> tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]:
    """Return the sequences' numbers by step, rank and micro-batch, or raise ``ValueError``."""
    steps = each("deals", deals, lambda name, dealt: each(name, dealt, lambda rank, own: each(rank, own, _numbers)))
    ranks = len(steps[0]) if steps else 0
    if not ranks or any(len(dealt) != ranks for dealt in steps):
        raise ValueError(f"deals must give every step the same ranks, at least one, got {list(map(len, steps))}")
    if every and any(len({len(own) for own in dealt}) > 1 for dealt in steps):
        raise ValueError("deals must give every rank equally many micro-batches if every is true")
    return steps


def _sequence(name: str, value: Any) -> tuple[Array, Array]:
    """Return tokens and targets, or raise ``ValueError``."""
    pair = each(name, value, lambda part, array: finite_array(part, array, dimensions=2))
    if len(pair) != 2:
        raise ValueError(f"{name} must be tokens and targets, got {len(pair)} arrays")
    return pair[0], pair[1]


def _numbers(name: str, value: Any) -> tuple[int, ...]:
    return each(name, value, nonnegative_integer)


def _chosen(sequences: Sequences, numbers: Sequence[int]) -> Sequences:
    if any(number >= len(sequences) for number in numbers):
        raise ValueError(f"deals must name sequences from 0 to {len(sequences) - 1}, got {list(numbers)!r:.80}")
    return tuple(sequences[number] for number in numbers)
