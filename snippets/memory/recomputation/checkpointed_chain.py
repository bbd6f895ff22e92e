"""Simulators: a chain of small layers that runs a recomputation plan with arrays, and a search over all plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.domain import at_most, each, flag, nonnegative_integer, nonnegative_number, positive_integer
from snippets.memory.recomputation.formulas import ChainLayer, ChainTask, checked_chain, checked_tasks
from snippets.simulation.account import Memory

_Array = NDArray[np.float64]
_MOST_SEARCHED = 7
_MOST_WIDTH = 4096


@dataclass(frozen=True)
class SmallLayer:
    """A layer that goes from one width to another by an inner one: Y = W₂ tanh(W₁ X).

    Its backward pass reads the input and the inner values.

    >>> small_layers([1, 2], [3])[0].as_chain_layer()
    ChainLayer(input_bytes=8, kept_bytes=32, output_bytes=16, forward_cost=1)
    """

    first: _Array
    second: _Array
    forward_cost: float = 1

    def as_chain_layer(self) -> ChainLayer:
        """Return its sizes, at 8 bytes a value.

        >>> small_layers([1, 1], [0])[0].as_chain_layer().own_bytes
        0
        """
        (inner, width), after = self.first.shape, len(self.second)
        return ChainLayer(8 * width, 8 * (width + inner), 8 * after, self.forward_cost)


@dataclass(frozen=True)
class ChainRun:
    """What a run of a plan found.

    Attributes:
        gradients: of each layer's two matrices, first layer to last.
        peak_bytes: the most that was held in activations and their gradients.
        forwards: how often each layer ran forward.

    >>> ChainRun((), 8, (1, 1)).forward_passes
    2
    """

    gradients: tuple[tuple[_Array, _Array], ...]
    peak_bytes: int
    forwards: tuple[int, ...]

    @property
    def forward_passes(self) -> int:
        """How many times a layer ran forward.

        >>> ChainRun((), 0, (2, 1)).forward_passes
        3
        """
        return sum(self.forwards)


def small_layers(
    widths: Sequence[int], inner: Sequence[int], *, costs: Sequence[float] | None = None, seed: int = 0
) -> tuple[SmallLayer, ...]:
    """Return layers with random weights.

    Args:
        widths: of X_0 to X_L, each from 1 to 4,096.
        inner: values that each layer keeps besides its input, for one layer or more, each from 0 to 4,096.
        costs: of each forward pass, at least 0; 1 if ``None``.
        seed: of the weights, at least 0.

    Raises:
        ValueError: if the lengths do not fit.

    Example:
        >>> len(small_layers([2, 3, 1], [4, 0]))
        2
    """
    widths, inner = each("widths", widths, _width), each("inner", inner, _inner)
    if not inner:
        raise ValueError("inner must have one entry for each layer, at least one, got none")
    if len(widths) != len(inner) + 1:
        raise ValueError(f"widths must be one more than the layers, {len(inner)}, got {len(widths)}")
    paid = (1,) * len(inner) if costs is None else each("costs", costs, nonnegative_number)
    if len(paid) != len(inner):
        raise ValueError(f"costs must be as many as the layers, {len(inner)}, got {len(paid)}")
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    layers = []
    for width, within, after, cost in zip(widths, inner, widths[1:], paid, strict=False):
        layers.append(SmallLayer(rng.normal(size=(within, width)), rng.normal(size=(after, within)), cost))
    return tuple(layers)


def _width(name: str, value: int) -> int:
    return at_most(name, positive_integer(name, value), _MOST_WIDTH)


def _inner(name: str, value: int) -> int:
    return at_most(name, value, _MOST_WIDTH)


def run_checkpointed_chain(layers: Sequence[SmallLayer], tasks: Sequence[ChainTask], x: ArrayLike) -> ChainRun:
    """Run a plan with arrays, and count every array of activations and gradients until nothing refers to it.

    Args:
        layers: the chain.
        tasks: the plan.
        x: the chain's input, an array with one axis. The loss is half the square of the chain's output, so that its
            gradient is the output.

    Returns:
        The gradients of all weights, the peak and the passes.

    Raises:
        ValueError: if a task's input or record is not there.

    Convention: as ``recomputation_account``: a task makes its output before anything is freed.
    Leaves out: weights and their gradients, and what is used and freed within a task.

    Example:
        >>> from snippets.memory.recomputation.formulas import keep_nothing_tasks
        >>> run = run_checkpointed_chain(small_layers([1, 1, 1], [1, 1]), keep_nothing_tasks(2), np.ones(1))
        >>> run.forwards, run.peak_bytes
        ((2, 1), 40)
    """
    layers, tasks = each("layers", layers, _small), checked_tasks(tasks)
    if not layers:
        raise ValueError(f"layers must hold at least one, got {layers!r}")
    held = _Held(layers, _chain_input(layers[0], x))
    for kind, number in tasks:
        if number > len(layers):
            raise ValueError(f"tasks must name layers up to {len(layers)}, got {number}")
        if kind == "backward":
            held.backward(number)
        else:
            held.forward(number, kind)
    if len(held.found) != len(layers):
        raise ValueError(f"tasks must end with every backward pass done, got {len(held.found)} of {len(layers)}")
    gradients = tuple(held.found[number] for number in range(1, len(layers) + 1))
    return ChainRun(gradients, held.memory.peak_bytes, tuple(held.forwards))


def _chain_input(layer: SmallLayer, x: ArrayLike) -> _Array:
    """Return a copy of the chain's input, or raise ``ValueError``."""
    try:
        start = np.array(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"x must be numbers, got {x!r}") from None
    if start.shape != layer.first.shape[1:] or not np.all(np.abs(start) < 1e9):
        raise ValueError(f"x must be {layer.first.shape[1]} numbers below 1e9 in size, got {x!r}")
    return start


class _Held:
    """What is held between the tasks of a plan; the memory counts an array until nothing here refers to it."""

    def __init__(self, layers: Sequence[SmallLayer], start: _Array) -> None:
        self.layers, self.memory = layers, Memory()
        self.kept: dict[int, _Array] = {0: self.memory.watch(start)}  # X_i by i
        self.records: dict[int, tuple[_Array, _Array]] = {}  # a layer's input and inner values
        self.hand: tuple[int, _Array | None] = (-1, None)  # the last output, X_i, with its i
        self.gradient: _Array | None = None  # of the next backward pass's output
        self.found: dict[int, tuple[_Array, _Array]] = {}
        self.forwards = [0] * len(layers)

    def forward(self, number: int, kind: str) -> None:
        """Run a layer forward, and keep its input or record what its backward pass reads."""
        source = self._input(number)
        self.hand = (-1, None)
        output, inner = _forward(self.layers[number - 1], source)
        if kind == "keep":
            self.kept[number - 1] = source
        if kind == "record":
            self.records[number] = (source, self.memory.watch(inner))
        self.hand = (number, self.memory.watch(output))
        self.forwards[number - 1] += 1

    def _input(self, number: int) -> _Array:
        """A layer's input, from wherever it is."""
        before = number - 1
        if self.hand[0] == before and self.hand[1] is not None:
            return self.hand[1]
        if before in self.kept:
            return self.kept[before]
        if number in self.records:
            return self.records[number][0]
        raise ValueError(f"tasks must have X_{before} before layer {number} runs")

    def backward(self, number: int) -> None:
        """Run a layer backward from its record, and drop this and its input."""
        if number not in self.records:
            raise ValueError(f"tasks must record layer {number} before its backward pass")
        if self.gradient is None:
            self.gradient = self._loss_gradient(number)
        self.hand = (-1, None)
        back, first, second = _backward(self.layers[number - 1], *self.records[number], self.gradient)
        self.gradient = self.memory.watch(back)
        self.found[number] = (first, second)
        del self.records[number]
        self.kept.pop(number - 1, None)

    def _loss_gradient(self, number: int) -> _Array:
        """The gradient of the loss with respect to the chain's output, which is in hand."""
        count = len(self.layers)
        if number != count or self.hand[1] is None or self.hand[0] != count:
            raise ValueError(f"tasks must reach the loss with X_{count} before the first backward pass")
        return self.memory.watch(self.hand[1].copy())


def _forward(layer: SmallLayer, x: _Array) -> tuple[_Array, _Array]:
    """Return the output and the inner values."""
    inner = np.tanh(layer.first @ x)  # (inner,)
    return layer.second @ inner, inner


def _backward(layer: SmallLayer, x: _Array, inner: _Array, gradient: _Array) -> tuple[_Array, _Array, _Array]:
    """Return the gradients of the input and of both matrices."""
    slope = (layer.second.T @ gradient) * (1 - inner**2)  # (inner,)
    return layer.first.T @ slope, np.outer(slope, x), np.outer(gradient, inner)


def _small(name: str, value: SmallLayer) -> SmallLayer:
    if not isinstance(value, SmallLayer):
        raise TypeError(f"{name} must hold SmallLayers, got {value!r}")
    return value


def search_least_cost(chain: Sequence[ChainLayer], *, budget_bytes: int, drop: bool = False) -> float | None:
    """Search all plans for the least forward cost within a budget, state by state.

    A state is what is held and which backward pass is next. The search follows every task that is possible in it, so it
    assumes nothing of how a good plan is built.

    Args:
        chain: layers, at most 7.
        budget_bytes: the most that may be held at any task, at least 0.
        drop: whether an input or a record that is kept may be dropped before its backward pass, to be computed again.

    Returns:
        The cost, or ``None`` where no plan fits.

    Source: derived; Dijkstra's algorithm.
    Convention: what is held is that of ``recomputation_account``.

    Example:
        >>> from snippets.memory.recomputation.formulas import uniform_chain
        >>> search_least_cost(uniform_chain(3), budget_bytes=5)
        6
    """
    chain = checked_chain(chain)
    at_most("chain", len(chain), _MOST_SEARCHED)
    budget, search = nonnegative_integer("budget_bytes", budget_bytes), _Search(chain, flag("drop", drop))
    # inputs that are kept, records, the X_i in hand, layers whose backward pass is still to come
    start = (frozenset([0]), frozenset[int](), -1, len(chain))
    queue: list[tuple[float, int, _State]] = [(0, 0, start)]
    done: set[_State] = set()
    number = 0
    while queue:
        cost, _, state = heappop(queue)
        if state[3] == 0:
            return cost
        if state in done:
            continue
        done.add(state)
        for held, paid, after in search.steps(state):
            if held <= budget and after not in done:
                number += 1
                heappush(queue, (cost + paid, number, after))
    return None


_State = tuple[frozenset[int], frozenset[int], int, int]


class _Search:
    """The tasks that are possible in a state."""

    def __init__(self, chain: tuple[ChainLayer, ...], drop: bool) -> None:
        self.chain, self.drop, self.length = chain, drop, len(chain)
        self.size = (*(layer.input_bytes for layer in chain), chain[-1].output_bytes)

    def held(self, inputs: frozenset[int] | set[int], records: frozenset[int]) -> int:
        """Return the bytes of inputs and records."""
        own = sum(self.chain[layer - 1].own_bytes for layer in records)
        held: int = sum(self.size[i] for i in {*inputs, *(layer - 1 for layer in records)}) + own
        return held

    def steps(self, state: _State) -> Iterator[tuple[int, float, _State]]:
        """Give what is held meanwhile, what it costs, and the state after it."""
        kept, records, hand, behind = state
        size = self.size
        waiting = size[behind] if behind < self.length else 0
        if self.drop:
            for i in kept:
                yield 0, 0, (kept - {i}, records, hand, behind)
            for layer in records:
                yield 0, 0, (kept, records - {layer}, hand, behind)
        for layer in range(1, behind + 1):
            source = layer - 1
            if source != hand and source not in kept and layer not in records:
                continue
            for now_kept, now_records in {
                (kept, records),
                (kept | {source}, records),
                (kept, records | {layer}),
            }:
                bytes_held = self.held(now_kept | {source, layer}, now_records) + waiting
                yield bytes_held, self.chain[source].forward_cost, (now_kept, now_records, layer, behind)
        if behind in records and (behind < self.length or hand == behind):
            gradients = size[behind] + size[behind - 1]
            if behind == self.length:
                gradients = max(gradients, 2 * size[behind])
            after = (kept - {behind - 1}, records - {behind}, -1, behind - 1)
            yield self.held(kept, records) + gradients, 0, after
