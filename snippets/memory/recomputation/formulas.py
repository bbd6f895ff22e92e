"""Formulas: what recomputation holds and costs on a chain of layers, and the cheapest plan for a budget of memory.

A chain turns X_0 into X_L. Layer i makes X_i from X_(i-1); its backward pass reads what the layer has *kept*, its
input X_(i-1) included, and turns the gradient of X_i into that of X_(i-1). A plan is a list of tasks, each of a kind
in ``KINDS``:

- ``"forward"`` runs a layer and keeps nothing of it,
- ``"keep"`` runs it and keeps its input until the layer's backward pass is done,
- ``"record"`` runs it and keeps all that its backward pass reads,
- ``"backward"`` runs its backward pass.

Held at a task are all inputs and records that are kept, the input and the output of the task itself and, once the loss
has been reached, the gradient on its way back. A tensor that two of them share is counted once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, inf, sqrt
from typing import Any, NamedTuple

from snippets.domain import (
    as_float,
    at_most,
    each,
    nonnegative_integer,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
)

KINDS = ("forward", "keep", "record", "backward")
MOST_LAYERS = 128


class ChainTask(NamedTuple):
    """One task of a plan.

    >>> ChainTask("record", 3).layer
    3
    """

    kind: str
    layer: int


@dataclass(frozen=True)
class ChainLayer:
    """A layer of a chain.

    Attributes:
        input_bytes: of its input, at least 0.
        kept_bytes: of all that its backward pass reads, the input included.
        output_bytes: of its output, at least 0.
        forward_cost: of its forward pass, in any unit, at least 0.

    Raises:
        ValueError: if a size is no integer of at least 0, what is kept is less than the input, or the cost is negative.

    >>> ChainLayer(input_bytes=2, kept_bytes=34, output_bytes=2).own_bytes
    32
    """

    input_bytes: int
    kept_bytes: int
    output_bytes: int
    forward_cost: float = 1

    def __post_init__(self) -> None:
        for name in ("input_bytes", "kept_bytes", "output_bytes"):
            object.__setattr__(self, name, nonnegative_integer(name, getattr(self, name)))
        nonnegative_number("forward_cost", self.forward_cost)
        if self.kept_bytes < self.input_bytes:
            raise ValueError(f"kept_bytes must be at least input_bytes = {self.input_bytes}, got {self.kept_bytes!r}")

    @property
    def own_bytes(self) -> int:
        """What it keeps besides its input.

        >>> ChainLayer(1, 1, 1).own_bytes
        0
        """
        return self.kept_bytes - self.input_bytes


class PlanMoment(NamedTuple):
    """What is held while one task of a plan runs.

    Attributes:
        task: the task.
        inputs: numbers of the inputs X_i that are held by themselves.
        records: layers whose records are held, their inputs included.
        held_bytes: all of it, with the task's output and gradients.

    >>> PlanMoment(ChainTask("forward", 1), (0, 1), (), 2).held_bytes
    2
    """

    task: ChainTask
    inputs: tuple[int, ...]
    records: tuple[int, ...]
    held_bytes: int


@dataclass(frozen=True)
class RecomputationPlan:
    """A plan with what it costs and the most that it holds.

    >>> cheapest_recomputation_plan(uniform_chain(2), budget_bytes=9).forward_passes
    2
    """

    tasks: tuple[ChainTask, ...]
    moments: tuple[PlanMoment, ...]
    forward_cost: float

    @property
    def forward_passes(self) -> int:
        """How many times a layer runs forward.

        >>> RecomputationPlan((ChainTask("record", 1), ChainTask("backward", 1)), (), 1).forward_passes
        1
        """
        return sum(task.kind != "backward" for task in self.tasks)

    @property
    def peak_bytes(self) -> int:
        """The most that is held at any task.

        >>> RecomputationPlan((), (PlanMoment(ChainTask("record", 1), (), (1,), 7),), 1).peak_bytes
        7
        """
        return max((moment.held_bytes for moment in self.moments), default=0)


def uniform_chain(
    layers: int, *, input_bytes: int = 1, kept_bytes: int = 2, forward_cost: float = 1
) -> tuple[ChainLayer, ...]:
    """Return a chain of equal layers.

    Formula: $y_0 = y_1 = \\dots = y_L = y,\\quad A_i = A,\\quad f_i = f$
    Symbols: y_i = bytes of X_i; A_i = kept_bytes; f_i = forward_cost of layer i
    Chapter: 23

    Args:
        layers: of the chain.
        input_bytes: of each layer's input and output, at least 0.
        kept_bytes: of all that a layer's backward pass reads.
        forward_cost: of a layer's forward pass, at least 0.

    Returns:
        The layers, first to last.

    Source: derived.
    Convention: what is kept includes the input.
    Leaves out: the loss, which makes the gradient of X_L from X_L.

    Example:
        >>> uniform_chain(2, input_bytes=2, kept_bytes=34)[1]
        ChainLayer(input_bytes=2, kept_bytes=34, output_bytes=2, forward_cost=1)
    """
    layer = ChainLayer(input_bytes, kept_bytes, input_bytes, forward_cost)
    return (layer,) * at_most("layers", positive_integer("layers", layers), MOST_LAYERS)


def keep_nothing_forward_passes(layers: int) -> int:
    """Return how many times a layer runs forward if only the chain's input is kept.

    Formula: $\\frac{L (L + 1)}{2}$
    Symbols: L = layers
    Chapter: 23

    Args:
        layers: of the chain.

    Returns:
        Forward passes of one layer; without recomputation they are L.

    Source: derived: layer i's backward pass is preceded by i forward passes.
    Convention: the first forward pass is counted.
    Leaves out: nothing that depends on sizes.

    Example:
        >>> keep_nothing_forward_passes(30)
        465
    """
    L = positive_integer("layers", layers)
    return L * (L + 1) // 2


def segment_peak_bytes(layers: int, *, segment_layers: int, input_bytes: int, kept_bytes: int) -> int:
    """Return the most that is held if a uniform chain is cut into segments, of which only the inputs are kept.

    Formula: $\\frac{L}{\\ell}\\, y + \\ell A + y$
    Symbols: L = layers; \\ell = segment_layers; y = input_bytes; A = kept_bytes; where \\ell does not divide L, the
        last segment is the shorter one, and the larger of its peak and of that of the segment before counts
    Chapter: 23

    Args:
        layers: of the chain.
        segment_layers: of a segment.
        input_bytes: of a layer's input, at least 0.
        kept_bytes: of all that a layer's backward pass reads, at least its input.

    Returns:
        Bytes, exact.

    Source: the idea is Chen et al. 2016, section 4; the sizes are derived.
    Convention: the last segment records at once, the others run forward twice. The segment's own input is in its
        first layer's A, so L/ℓ − 1 inputs stand beside ℓ records, and two gradients, or an output and a gradient.
    Leaves out: working memory within a layer.

    Example:
        >>> [segment_peak_bytes(30, segment_layers=length, input_bytes=2, kept_bytes=34) for length in (1, 2, 5)]
        [96, 100, 184]
    """
    L, length = positive_integer("layers", layers), positive_integer("segment_layers", segment_layers)
    layer = ChainLayer(input_bytes, kept_bytes, input_bytes)
    y, A = layer.input_bytes, layer.kept_bytes
    segments = -(-L // length)
    last = L - (segments - 1) * length
    before = (segments - 2) * y + length * A if segments > 1 else 0
    return max((segments - 1) * y + last * A, before) + 2 * y


def best_segment_layers(layers: int, *, input_bytes: float, kept_bytes: float) -> float:
    """Return how many layers a segment should have for the least memory, if it need not be a whole number.

    Also: sqrt checkpointing, Chen's checkpointing
    Formula: $\\sqrt{\\frac{L\\, y}{A}}$
    Symbols: L = layers; y = input_bytes; A = kept_bytes
    Chapter: 23

    Args:
        layers: of the chain.
        input_bytes: of a layer's input.
        kept_bytes: of all that a layer's backward pass reads, its input included.

    Returns:
        Layers; where kept_bytes is input_bytes, the square root of L.

    Source: derived, from ``segment_peak_bytes``; Chen et al. 2016, section 4, for equal sizes.
    Convention: equal segments.
    Leaves out: that segments may be unequal, for which see ``cheapest_recomputation_plan``.

    Example:
        >>> best_segment_layers(30, input_bytes=2, kept_bytes=34)
        1.32...
    """
    L = positive_integer("layers", layers)
    y, A = positive_number("input_bytes", input_bytes), positive_number("kept_bytes", kept_bytes)
    return as_float("layers, input_bytes and kept_bytes", sqrt(L * y / A))


def growing_segments_layers(slots: int) -> int:
    """Return how many layers of equal sizes fit into a number of slots if each runs forward at most twice.

    Formula: $\\frac{\\kappa (\\kappa + 1)}{2}$
    Symbols: \\kappa = slots
    Chapter: 23

    Args:
        slots: each holds one input.

    Returns:
        Layers of the longest chain.

    Source: derived: the segments have κ, κ − 1, …, 1 layers, as each one finds the slots that those behind it used.
    Convention: a layer keeps its input alone; X_0's slot is counted, outputs and gradients are not.
    Leaves out: more than one repetition.

    Example:
        >>> growing_segments_layers(8)
        36
    """
    κ = positive_integer("slots", slots)
    return κ * (κ + 1) // 2


def binomial_reach_layers(*, checkpoints: int, repeats: int) -> int:
    """Return the layers of the longest chain that gets by with so many kept inputs and repetitions.

    Also: Griewank's bound
    Formula: $\\binom{\\kappa + \\nu}{\\kappa}$
    Symbols: \\kappa = checkpoints; \\nu = repeats
    Chapter: 23

    Args:
        checkpoints: inputs that may be kept at a time, X_0 among them.
        repeats: how often a layer may run forward before the run that records it; at least 0.

    Returns:
        Layers.

    Source: Griewank and Walther 2000 (revolve), proposition 1, second-hand.
    Convention: one record at a time, which has its own place.
    Leaves out: sizes that differ.

    Example:
        >>> binomial_reach_layers(checkpoints=3, repeats=2)
        10
    """
    κ, ν = positive_integer("checkpoints", checkpoints), nonnegative_integer("repeats", repeats)
    return comb(κ + ν, κ)


def binomial_forward_passes(layers: int, *, checkpoints: int) -> int:
    """Return the fewest forward passes of a uniform chain of which one layer's record fits, and some inputs.

    Also: Revolve
    Formula: $L\\,(\\nu + 1) - \\binom{\\kappa + \\nu}{\\nu - 1}$
    Symbols: L = layers; \\kappa = checkpoints; \\nu = the fewest repeats with L at most (\\kappa + \\nu choose \\kappa)
    Chapter: 23

    Args:
        layers: of the chain, at most 1,048,576.
        checkpoints: inputs that may be kept at a time, X_0 among them.

    Returns:
        Forward passes of one layer, with the L that record.

    Source: Griewank and Walther 2000 (revolve), proposition 1, second-hand; they leave out the L that record.
    Convention: one record at a time, which has its own place.
    Leaves out: sizes that differ, and room for a second record.

    Example:
        >>> [binomial_forward_passes(30, checkpoints=kept) for kept in (1, 2, 3, 30)]
        [465, 156, 115, 59]
    """
    L, κ = at_most("layers", positive_integer("layers", layers)), positive_integer("checkpoints", checkpoints)
    ν = 0
    while binomial_reach_layers(checkpoints=κ, repeats=ν) < L:
        ν += 1
    return L * (ν + 1) - (comb(κ + ν, ν - 1) if ν else 0)


def full_recomputation_overhead(*, backward_ratio: float = 2.0) -> float:
    """Return what running every layer forward twice adds to a step, as a share of the step without it.

    Also: recomputation overhead, gradient checkpointing overhead
    Formula: $\\frac{1}{1 + \\rho}$
    Symbols: \\rho = backward_ratio
    Chapter: 23

    Args:
        backward_ratio: cost of the backward pass, in forward passes.

    Returns:
        A share: a third where the backward pass costs two forward passes.

    Source: derived; Korthikanti et al. 2022, section 5, measure 30 to 40%.
    Convention: of the whole step, forward and backward; not of the forward pass.
    Leaves out: the optimizer's update, and what a second forward pass need not repeat.

    Example:
        >>> round(full_recomputation_overhead(), 4)
        0.3333
    """
    ρ = positive_number("backward_ratio", backward_ratio)
    return 1 / (1 + ρ)


def keep_all_tasks(layers: int) -> tuple[ChainTask, ...]:
    """Return the plan that keeps everything.

    Formula: $\\text{F}_1 \\text{F}_2 \\dots \\text{F}_L\\, \\text{B}_L \\dots \\text{B}_1$
    Symbols: \\text{F}_i = run layer i and record; \\text{B}_i = its backward pass; L = layers
    Chapter: 23

    Args:
        layers: of the chain.

    Returns:
        The tasks.

    Source: derived.
    Convention: layers are counted from 1.
    Leaves out: the loss.

    Example:
        >>> [task.layer for task in keep_all_tasks(2)]
        [1, 2, 2, 1]
    """
    L = at_most("layers", positive_integer("layers", layers), MOST_LAYERS)
    return segment_tasks(L, segment_layers=L)


def keep_nothing_tasks(layers: int) -> tuple[ChainTask, ...]:
    """Return the plan that keeps the chain's input alone and starts again for each backward pass.

    Formula: $\\text{F}_1 \\dots \\text{F}_L \\text{B}_L\\; \\text{F}_1 \\dots \\text{F}_{L-1} \\text{B}_{L-1} \\dots
        \\text{F}_1 \\text{B}_1$
    Symbols: \\text{F}_i = run layer i, the last one of each row recording; \\text{B}_i = its backward pass; L = layers
    Chapter: 23

    Args:
        layers: of the chain.

    Returns:
        The tasks.

    Source: derived.
    Convention: layers are counted from 1.
    Leaves out: the loss.

    Example:
        >>> len(keep_nothing_tasks(3))
        9
    """
    L = at_most("layers", positive_integer("layers", layers), MOST_LAYERS)
    tasks = []
    for last in range(L, 0, -1):
        tasks += [ChainTask("keep" if layer == 1 else "forward", layer) for layer in range(1, last)]
        tasks += [ChainTask("record", last), ChainTask("backward", last)]
    return tuple(tasks)


def segment_tasks(layers: int, *, segment_layers: int) -> tuple[ChainTask, ...]:
    """Return the plan that keeps each segment's input and records one segment at a time.

    Formula: $\\text{F}_1 \\dots \\text{F}_{L-\\ell}\\; \\text{R}_{L-\\ell+1} \\dots \\text{R}_L\\, \\text{B}_L \\dots
        \\text{B}_{L-\\ell+1}\\; \\dots\\; \\text{R}_1 \\dots \\text{R}_\\ell\\, \\text{B}_\\ell \\dots \\text{B}_1$
    Symbols: \\text{F}_i = run layer i; \\text{R}_i = run it and record; \\text{B}_i = its backward pass;
        L = layers; \\ell = segment_layers, which divides L
    Chapter: 23

    Args:
        layers: of the chain.
        segment_layers: of each segment; the last one may be shorter.

    Returns:
        The tasks.

    Source: Chen et al. 2016, section 4.
    Convention: layers are counted from 1; the last segment records the first time it runs.
    Leaves out: the loss.

    Example:
        >>> [task.kind for task in segment_tasks(3, segment_layers=2)]
        ['keep', 'forward', 'record', 'backward', 'record', 'record', 'backward', 'backward']
    """
    L = at_most("layers", positive_integer("layers", layers), MOST_LAYERS)
    length = positive_integer("segment_layers", segment_layers)
    starts = list(range(1, L + 1, length))
    tasks = [ChainTask("keep" if layer in starts else "forward", layer) for layer in range(1, starts[-1])]
    for start in reversed(starts):
        segment = range(start, min(start + length, L + 1))
        tasks += [ChainTask("record", layer) for layer in segment]
        tasks += [ChainTask("backward", layer) for layer in reversed(segment)]
    return tuple(tasks)


def recomputation_account(chain: Sequence[ChainLayer], tasks: Sequence[ChainTask]) -> RecomputationPlan:
    """Return what a plan costs and what it holds at each task.

    Formula: $M = \\sum_{i \\in H_1} y_i + \\sum_{i \\in H_2} (A_i - y_{i-1}) + \\text{output} + \\text{gradients}$
    Symbols: H_1 = inputs that are held, those in records among them; H_2 = layers whose records are held; y_i = bytes
        of X_i; A_i = kept_bytes
    Chapter: 23

    Args:
        chain: layers, each one's output as large as the next one's input.
        tasks: the plan.

    Returns:
        The plan with its moments.

    Raises:
        ValueError: if a task's input or record is not there, or the plan does not end with every backward pass done.

    Source: derived.
    Convention: a task makes its output before it frees anything. A layer that runs forward takes its input from the
        task before, from what is kept, or from its record. The loss turns X_L into its gradient, before the first
        backward pass.
    Leaves out: weights and their gradients; working memory within a layer.

    Example:
        >>> plan = recomputation_account(uniform_chain(3), keep_nothing_tasks(3))
        >>> plan.forward_passes, plan.peak_bytes
        (6, 5)
    """
    chain, tasks = checked_chain(chain), checked_tasks(tasks)
    walk = _Walk(chain)
    for task in tasks:
        walk.run(task)
    if walk.behind:
        raise ValueError(f"tasks must end with the backward pass of layer 1, got {walk.behind} layers without one")
    return RecomputationPlan(tasks, tuple(walk.moments), walk.cost)


class _Walk:
    """Goes through a plan: what is held, what it has cost."""

    def __init__(self, chain: tuple[ChainLayer, ...]) -> None:
        self.chain, self.behind = chain, len(chain)
        self.sizes = (*(layer.input_bytes for layer in chain), chain[-1].output_bytes)
        self.kept, self.records = {0}, set[int]()
        self.hand = 0  # the X_i that the task before has left
        self.cost, self.moments = 0.0 * 0, list[PlanMoment]()

    def run(self, task: ChainTask) -> None:
        """Run one task."""
        kind, number = task
        if number > self.behind:
            raise ValueError(f"layer must be at most {self.behind}, the last without a backward pass, got {number}")
        if kind == "backward":
            self._backward(task, number)
        else:
            self._forward(task, kind, number)

    def _forward(self, task: ChainTask, kind: str, number: int) -> None:
        source = number - 1
        if source not in self.kept | {self.hand} and number not in self.records:
            raise ValueError(f"tasks must have X_{source} before layer {number} runs, got {task!r} without it")
        if kind == "record":
            self.records.add(number)
        if kind == "keep":
            self.kept.add(source)
        gradient = self.sizes[self.behind] if self.behind < len(self.chain) else 0
        self._note(task, {source, number}, gradient)
        self.hand, self.cost = number, self.cost + self.chain[source].forward_cost

    def _backward(self, task: ChainTask, number: int) -> None:
        if number != self.behind or number not in self.records:
            raise ValueError(f"tasks must record layer {number}, the last of those behind, before {task!r}")
        gradients = self.sizes[number] + self.sizes[number - 1]
        if number == len(self.chain):
            if self.hand != number:
                raise ValueError(f"tasks must reach the loss with X_{number}, got {task!r} without it")
            gradients = max(gradients, 2 * self.sizes[number])  # first X_L beside its gradient
        self._note(task, set(), gradients)
        self.records.discard(number)
        self.kept.discard(number - 1)
        self.behind, self.hand = number - 1, -1

    def _note(self, task: ChainTask, passing: set[int], gradients: int) -> None:
        inputs = self.kept | passing | {layer - 1 for layer in self.records}
        own = sum(self.chain[layer - 1].own_bytes for layer in self.records)
        held = sum(self.sizes[i] for i in inputs) + own + gradients
        self.moments.append(PlanMoment(task, tuple(sorted(inputs)), tuple(sorted(self.records)), held))


def cheapest_recomputation_plan(chain: Sequence[ChainLayer], *, budget_bytes: int) -> RecomputationPlan | None:
    """Return the plan of the least forward cost that never holds more than a budget, if there is one.

    Formula: $\\phi_{i,z}(G) = \\min\\big(f_i + \\phi_{i+1,z}(G - q_i - y_i),\\; \\min_{i \\le j < z}\\; f_i + \\dots +
        f_j + \\phi_{j+1,z}(G - y_j) + \\phi_{i,j}(G)\\big)$
    Symbols: \\phi_{i,z}(G) = least cost of the backward passes of layers i to z with G bytes besides X_(i-1); f_i =
        forward_cost; q_i = own_bytes; y_i = bytes of X_i
    Chapter: 23

    Args:
        chain: layers, each one's output as large as the next one's input.
        budget_bytes: the most that may be held at any task, at least 0.

    Returns:
        The plan, or ``None`` where no plan fits.

    Source: Beaumont et al. 2019 (second-hand), whose dynamic program this is, with gradients counted as here.
    Convention: of all plans that drop nothing before its backward pass; the first choice wins a tie. What is held is
        that of ``recomputation_account``.
    Leaves out: plans that drop a kept input and compute it once more, which can be cheaper where sizes differ.

    Example:
        >>> [cheapest_recomputation_plan(uniform_chain(6), budget_bytes=G).forward_passes for G in (14, 11, 8, 6, 5)]
        [6, 8, 10, 14, 21]
        >>> cheapest_recomputation_plan(uniform_chain(6), budget_bytes=4) is None
        True
    """
    chain = checked_chain(chain)
    budget = nonnegative_integer("budget_bytes", budget_bytes)
    program = _Program(chain)
    room = budget - chain[0].input_bytes
    if program.cost(1, len(chain), room) == inf:
        return None
    return recomputation_account(chain, program.tasks(1, len(chain), room))


class _Program:
    """The dynamic program of a chain. Stretches of equal layers share their entries."""

    def __init__(self, chain: tuple[ChainLayer, ...]) -> None:
        self.chain, self.length = chain, len(chain)
        self.size = (*(layer.input_bytes for layer in chain), chain[-1].output_bytes)
        self.known: dict[tuple[int, int], tuple[float, int]] = {}
        self.stretches: dict[Any, int] = {}
        self.stretch = lru_cache(maxsize=None)(self._stretch)

    def _stretch(self, i: int, z: int) -> int:
        """Return one number for all stretches of the same layers; what ends at the loss is different."""
        return self.stretches.setdefault((self.chain[i - 1 : z], z == self.length), len(self.stretches))

    def cost(self, i: int, z: int, room: int) -> float:
        """Return the least cost of the backward passes of layers i to z with so much room besides X_(i-1)."""
        key = self.stretch(i, z), room
        if key not in self.known:
            self.known[key] = self._choose(i, z, room)
        return self.known[key][0]

    def _choose(self, i: int, z: int, room: int) -> tuple[float, int]:
        """Return the least cost and the choice: 0 to record layer i, else how many layers to run before X_j is kept."""
        size, layer = self.size, self.chain[i - 1]
        waiting = size[z] if z < self.length else 0  # the gradient of X_z, once there is one
        own, here = layer.own_bytes, size[i]
        back = own + here + size[i - 1]
        if i == z:
            fits = max(own + 2 * here, back) <= room
            return (layer.forward_cost, 0) if fits else (inf, 0)
        best, choice = inf, 0
        if max(waiting + own + here, back) <= room:
            best = layer.forward_cost + self.cost(i + 1, z, room - own - here)
        run: float = 0
        for j in range(i, z):
            passing = size[j - 1] if j > i else 0
            if waiting + passing + size[j] > room:
                break
            run += self.chain[j - 1].forward_cost
            if run >= best:
                break
            both = run + self.cost(j + 1, z, room - size[j])
            if both < best:
                both += self.cost(i, j, room)
            if both < best:
                best, choice = both, j - i + 1
        return best, choice

    def tasks(self, i: int, z: int, room: int) -> list[ChainTask]:
        """Return the tasks of the choices."""
        choice = self.known[self.stretch(i, z), room][1]
        if i == z:
            return [ChainTask("record", i), ChainTask("backward", i)]
        if not choice:
            inner = self.tasks(i + 1, z, room - self.chain[i - 1].own_bytes - self.size[i])
            return [ChainTask("record", i), *inner, ChainTask("backward", i)]
        j = i + choice - 1
        run = [ChainTask("keep" if layer == i else "forward", layer) for layer in range(i, j + 1)]
        return [*run, *self.tasks(j + 1, z, room - self.size[j]), *self.tasks(i, j, room)]


def checked_chain(chain: Sequence[ChainLayer]) -> tuple[ChainLayer, ...]:
    """Return a chain's layers as a tuple, or raise an error.

    Args:
        chain: layers, first to last.

    Raises:
        ValueError: if there is no layer, or an output is not as large as the next one's input.

    Convention: at most ``MOST_LAYERS`` layers.
    Leaves out: whether a plan fits anything.

    Example:
        >>> len(checked_chain(uniform_chain(3)))
        3
    """
    layers = each("chain", chain, _layer)
    if not layers:
        raise ValueError(f"chain must have at least one layer, got {chain!r}")
    at_most("chain", len(layers), MOST_LAYERS)
    for number, (layer, after) in enumerate(itertools.pairwise(layers), 1):
        if layer.output_bytes != after.input_bytes:
            raise ValueError(
                f"chain must have outputs as large as the next input, got {layer.output_bytes} and {after.input_bytes} "
                f"at layer {number}"
            )
    return layers


def checked_tasks(tasks: Sequence[ChainTask]) -> tuple[ChainTask, ...]:
    """Return a plan's tasks as a tuple, or raise an error.

    Args:
        tasks: each a kind and the number of a layer.

    Raises:
        ValueError: if a task is none.

    Convention: layers are counted from 1.
    Leaves out: whether the plan can run.

    Example:
        >>> checked_tasks([("record", 1)])
        (ChainTask(kind='record', layer=1),)
    """
    return each("tasks", tasks, _task)


def _task(name: str, value: ChainTask) -> ChainTask:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name} must hold a kind and a layer each, got {value!r}")
    return ChainTask(one_of(f"{name}' kinds", value[0], KINDS), positive_integer(f"{name}' layers", value[1]))


def _layer(name: str, value: ChainLayer) -> ChainLayer:
    if not isinstance(value, ChainLayer):
        raise TypeError(f"{name} must hold ChainLayers, got {value!r}")
    return value
