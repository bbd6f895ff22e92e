"""Simulators: Adam that really runs on R ranks, sharded as ZeRO's stages 0 to 3 shard it.

The ranks are those of ``snippets.simulation.machine``, each with arrays of its own. Collectives carry gradients and
parameters; what is sent and what is held is counted from the arrays themselves.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import number_array, refusing_overflow
from snippets.domain import (
    at_most,
    each,
    flag,
    nonnegative_integer,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
    probability,
)
from snippets.memory.zero.formulas import STAGES
from snippets.recipes import RECIPES, Recipe
from snippets.simulation.account import Account, Memory
from snippets.simulation.machine import AllGather, Machine, Program, ReduceScatter
from snippets.simulation.schedule import chunk_bound

Array = NDArray[np.floating[Any]]

SIMULATED = ("fp32-adam", "mixed-adam", "mixed-adam-fp32-gradients", "16-bit-adam-fp32-moments")
KINDS = ("parameters", "gradients", "optimizer", "buffers")

_FLOATS: dict[int, np.dtype[np.floating[Any]]] = {2: np.dtype(np.float16), 4: np.dtype(np.float32)}


@dataclass(frozen=True)
class AdamConstants:
    """The constants of Adam with decoupled weight decay (AdamW).

    Attributes:
        learning_rate: above 0.
        beta1: decay of the first moment, at least 0 and below 1.
        beta2: decay of the second moment, at least 0 and below 1.
        epsilon: above 0, added to the root of the second moment.
        weight_decay: 0 for plain Adam.

    >>> AdamConstants(learning_rate=0.1).beta2
    0.999
    """

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        positive_number("learning_rate", self.learning_rate)
        positive_number("epsilon", self.epsilon)
        nonnegative_number("weight_decay", self.weight_decay)
        for name in ("beta1", "beta2"):
            if probability(name, getattr(self, name)) == 1:
                raise ValueError(f"{name} must be a number from 0 to below 1, got {getattr(self, name)!r}")


class Model(Protocol):
    """What a model must do to be trained: units in order forward, in reverse order backward, one at a time.

    It keeps its own activations. ``parameters`` is the unit's whole working copy, which it cannot write to.

    >>> class Bowl:  # every rank's loss is |x|²/2
    ...     def forward(self, **call):
    ...         pass
    ...     def backward(self, *, parameters, gradient, **call):
    ...         gradient += parameters
    >>> run = run_sharded_adam(Bowl(), [np.ones(2)], ranks=2, stage=3, steps=2, adam=AdamConstants(learning_rate=0.25))
    >>> run.parameters[0].round(2).tolist()
    [0.5, 0.5]
    """

    def forward(self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array) -> None:
        """Run one unit forward on this rank's share of this micro-batch."""

    def backward(
        self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array, gradient: Array
    ) -> None:
        """Run one unit backward and add its gradient to ``gradient`` in place."""


class GivenGradients:
    """A model whose gradients are given: for showing that sharding changes nothing but where things lie.

    Args:
        values: gradients of shape (steps, micro_batches, ranks, parameters), different on every rank.
        units: parameters of each unit; they add up to ``parameters``.

    Raises:
        ValueError: if the shapes do not fit or a value is not finite.

    >>> GivenGradients(np.ones((1, 1, 2, 3)), units=(2, 1)).units
    (2, 1)
    """

    def __init__(self, values: ArrayLike, *, units: Sequence[int]) -> None:
        self.values: Array = number_array("values", values)
        if self.values.ndim != 4 or self.values.dtype.kind == "c":
            raise ValueError(f"values must have shape (steps, micro_batches, ranks, parameters), got {values!r}")
        self.units = each("units", units, positive_integer)
        if sum(self.units) != self.values.shape[3]:
            raise ValueError(f"units must add up to parameters = {self.values.shape[3]}, got {self.units}")
        self._ends = np.cumsum((0, *self.units))

    def forward(self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array) -> None:
        """Do nothing: the gradients are known."""

    def backward(
        self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array, gradient: Array
    ) -> None:
        """Add the given gradient of this unit."""
        if any(index >= size for index, size in zip((step, micro_batch, rank), self.values.shape, strict=False)):
            raise ValueError(
                f"steps, micro_batches and ranks must be within the shape of the gradients, {self.values.shape[:3]}, "
                f"got step {step}, micro-batch {micro_batch} and rank {rank}"
            )
        if unit >= len(self.units) or gradient.size != self.units[unit]:
            raise ValueError(f"units must be the sizes of the units that are trained (initial), got {self.units}")
        gradient += self.values[step, micro_batch, rank, self._ends[unit] : self._ends[unit + 1]]


@dataclass(frozen=True)
class ShardedAdamRun:
    """The result of a run and its account.

    Attributes:
        parameters: for each unit, the copy that the optimizer updated (the master copy, where there is one).
        working: for each rank and unit, the whole working copy as that rank would read it.
        account: what was sent and held. Gradients are reduced by reduce-scatters and, in stage 0, gathered by
            all-gathers; in the other stages those gather parameters. The kinds of arrays are ``KINDS``: buffers are
            whole units that live for a moment, gathered parameters and gradients not yet reduced.

    >>> model = GivenGradients(np.ones((1, 1, 2, 3)), units=(1, 2))
    >>> adam = AdamConstants(learning_rate=0.25)
    >>> run = run_sharded_adam(model, [np.ones(1), np.ones(2)], ranks=2, stage=3, adam=adam)
    >>> [unit.tolist() for unit in run.parameters], run.working[1][1].dtype.name
    ([[0.75], [0.75, 0.75]], 'float16')
    """

    parameters: tuple[Array, ...]
    working: tuple[tuple[Array, ...], ...]
    account: Account


def run_sharded_adam(
    model: Model,
    initial: Sequence[ArrayLike],
    *,
    ranks: int,
    stage: int,
    recipe: str = "mixed-adam",
    steps: int = 1,
    micro_batches: int = 1,
    adam: AdamConstants | None = None,
    reduce_each: bool = True,
    gather_again: bool = True,
) -> ShardedAdamRun:
    """Train on simulated ranks with Adam, its state sharded as a ZeRO stage says.

    Args:
        model: forward and backward of each unit; see ``Model``.
        initial: the parameters of each unit, flat arrays of any length.
        ranks: ranks; they may outnumber the parameters and need not divide them.
        stage: 0, 1, 2 or 3.
        recipe: one of ``SIMULATED``; it sets the number formats: float16 stands for every 16-bit format.
        steps: optimizer steps.
        micro_batches: micro-batches accumulated in each step.
        adam: the optimizer's constants; the usual ones if ``None``.
        reduce_each: in stages 2 and 3, whether a unit's gradient is reduced for every micro-batch, or kept whole and
            reduced once in the end.
        gather_again: in stage 3, whether the backward pass gathers parameters again, or the forward pass's gathered
            copies are kept until the micro-batch ends.

    Returns:
        The parameters, every rank's working copy, and the account. Each unit is sharded on its own.

    Raises:
        TypeError: if ``model``, ``initial`` or ``adam`` is of the wrong kind.
        ValueError: if an argument is out of its domain, or a number overflows its format.

    Source: Rajbhandari et al. 2020, sections 5 and 7; Loshchilov and Hutter 2019 for the update.
    Convention: gradients are summed over ranks and micro-batches in the recipe's gradient format, and divided by
        their number in float32. The ring sums chunk c in the order of ranks c+1, c+2, …, c. A float sum depends on
        that order, so stages agree bit for bit where they add in the same order (all of them with one micro-batch;
        stages 0 and 1, and 2 and 3 among themselves, with several), else to rounding.
    Leaves out: activations, the ring's message in flight, temporaries of the update, loss scaling, clipping.

    Example:
        >>> gradients = GivenGradients(np.array([[[[1.0, 2.0, 3.0], [3.0, 2.0, -1.0]]]]), units=(3,))
        >>> run = run_sharded_adam(gradients, [np.zeros(3)], ranks=2, stage=1, adam=AdamConstants(learning_rate=0.5))
        >>> run.parameters[0].tolist(), run.account.of("all_gather").sent_bytes
        ([-0.5, -0.5, -0.5], (4, 2))
    """
    if not callable(getattr(model, "forward", None)) or not callable(getattr(model, "backward", None)):
        raise TypeError(f"model must have the methods forward and backward, got {model!r}")
    if adam is not None and not isinstance(adam, AdamConstants):
        raise TypeError(f"adam must be an AdamConstants or None, got {adam!r}")
    machine = Machine(ranks)
    job = _Job(
        initial=_units(initial),
        ranks=machine.ranks,
        stage=one_of("stage", nonnegative_integer("stage", stage), STAGES),
        recipe=RECIPES[one_of("recipe", recipe, SIMULATED)],
        steps=positive_integer("steps", steps),
        micro_batches=positive_integer("micro_batches", micro_batches),
        adam=adam or AdamConstants(),
        reduce_each=flag("reduce_each", reduce_each),
        gather_again=flag("gather_again", gather_again),
    )
    at_most("steps × micro_batches", job.steps * job.micro_batches)
    group = [_Rank(job, number, memory) for number, memory in enumerate(machine.memories)]
    try:
        with np.errstate(over="raise"):
            machine.run([rank.train(model) for rank in group])
    except FloatingPointError as error:
        raise ValueError(f"model must give gradients that the recipe's formats can hold, got {error}") from error
    return _result(job, group, machine.account)


@dataclass(frozen=True)
class _Job:
    """What is to be trained, and how."""

    initial: list[NDArray[np.float32]]
    ranks: int
    stage: int
    recipe: Recipe
    steps: int
    micro_batches: int
    adam: AdamConstants
    reduce_each: bool
    gather_again: bool

    @property
    def whole_gradients(self) -> bool:
        """Whether a rank keeps whole gradients until the step ends."""
        return self.stage < 2 or not self.reduce_each

    def rounded(self) -> list[Array]:
        """The initial parameters in the format that the model reads."""
        working = _FLOATS[self.recipe.parameters]
        with np.errstate(over="ignore"):
            rounded: list[Array] = [unit.astype(working) for unit in self.initial]
        if not all(np.isfinite(unit).all() for unit in rounded):
            raise ValueError(f"initial must be finite in {working.name}, got a value above its range")
        return rounded


class _Rank:
    """One rank: for each unit its arrays, whole or a shard as the stage says, and the program that trains them."""

    def __init__(self, job: _Job, number: int, memory: Memory) -> None:
        self.job, self.number, self.memory = job, number, memory
        for kind in KINDS:
            memory.hold(0, kind)  # so that each is in the account
        zeros: list[Array] = [np.zeros(unit.size, np.float32) for unit in job.initial]
        empty: list[Array] = [np.zeros(unit.size, _FLOATS[job.recipe.gradients]) for unit in job.initial]
        cut = job.stage >= 1
        self.working = self._hold("parameters", job.rounded(), cut=job.stage >= 3)
        self.gradients = self._hold("gradients", empty, cut=not job.whole_gradients)
        self.master = self._hold("optimizer", job.initial if job.recipe.master else [], cut=cut)
        self.first = self._hold("optimizer", zeros, cut=cut)
        self.second = self._hold("optimizer", zeros, cut=cut)

    def _hold(self, kind: str, units: Sequence[Array], *, cut: bool) -> list[Array]:
        """Keep a copy of every unit, or of this rank's shard of it."""
        kept = [unit[self._shard(index)] if cut else unit for index, unit in enumerate(units)]
        return [self.memory.watch(array.copy(), kind) for array in kept]

    def _shard(self, unit: int) -> slice:
        return slice(*chunk_bound(self.job.initial[unit].size, self.job.ranks, self.number))

    def train(self, model: Model) -> Program:
        """The program of this rank."""
        for step in range(self.job.steps):
            for micro_batch in range(self.job.micro_batches):
                yield from self._accumulate(model, {"step": step, "micro_batch": micro_batch, "rank": self.number})
            yield from self._update(step + 1)

    def _accumulate(self, model: Model, call: dict[str, int]) -> Program:
        """One forward and one backward pass."""
        units, kept = range(len(self.job.initial)), []

        # Forward.
        for unit in units:
            whole = yield from self._whole(unit)
            model.forward(**call, unit=unit, parameters=_locked(whole))
            if not self.job.gather_again:
                kept.append(whole)
            del whole

        # Backward.
        for unit in reversed(units):
            whole = (yield from self._whole(unit)) if self.job.gather_again else kept[unit]
            gradient = self._gradient_buffer(unit)
            model.backward(**call, unit=unit, parameters=_locked(whole), gradient=gradient)
            if not np.isfinite(gradient).all():
                raise ValueError(f"model must give finite gradients, got a NaN or an infinity for unit {unit}")
            if gradient is not self.gradients[unit]:
                shard = gradient[self._shard(unit)]
                yield ReduceScatter(gradient, into=shard)
                self.gradients[unit] += shard
                del shard
            del whole, gradient
            yield []  # the machine lets go of what it has handed out when a rank asks again

    def _whole(self, unit: int) -> Generator[Any, Any, Array]:
        """The whole working copy of a unit: in stage 3 gathered into a buffer, else what the rank holds."""
        if self.job.stage < 3 or self.job.ranks == 1:
            return self.working[unit]
        whole: Array = yield AllGather(self.working[unit])
        return whole

    def _gradient_buffer(self, unit: int) -> Array:
        """Where the backward pass adds a unit's gradient: the kept array where it is whole, else a fresh one."""
        if self.job.whole_gradients or self.job.ranks == 1:
            return self.gradients[unit]
        return self.memory.watch(np.zeros(self.job.initial[unit].size, self.gradients[unit].dtype), "buffers")

    def _update(self, step: int) -> Program:
        """One optimizer step, from the accumulated gradients."""
        for unit, (gradient, working) in enumerate(zip(self.gradients, self.working, strict=True)):
            shard = self._shard(unit)
            if self.job.whole_gradients:
                yield ReduceScatter(gradient, into=gradient[shard])
            if self.job.stage == 0:
                yield AllGather(gradient[shard], into=gradient)
            self._update_unit(step, unit)
            if self.job.stage in (1, 2):
                yield AllGather(working[shard], into=working)

    def _update_unit(self, step: int, unit: int) -> None:
        job, shard = self.job, slice(None) if self.job.stage == 0 else self._shard(unit)
        gradient, working = self.gradients[unit], self.working[unit]
        mine = gradient[shard] if job.whole_gradients else gradient
        view = working if job.stage == 3 else working[shard]
        target = self.master[unit] if job.recipe.master else view.astype(np.float32)
        mean = mine.astype(np.float32) / np.float32(job.ranks * job.micro_batches)
        adam_update(target, self.first[unit], self.second[unit], mean, step=step, adam=job.adam)
        view[...] = target
        gradient[...] = 0


def _result(job: _Job, group: list[_Rank], account: Account) -> ShardedAdamRun:
    """Put the ranks' shards together."""
    units = range(len(job.initial))
    working = [rank.working for rank in group]
    if job.stage == 3:
        working = [[np.concatenate([rank.working[unit] for rank in group]) for unit in units]] * job.ranks
    optimized = working[0]
    if job.recipe.master:
        masters = [[rank.master[unit] for rank in group] for unit in units]
        optimized = [np.concatenate(shards) if job.stage else shards[0] for shards in masters]
    return ShardedAdamRun(tuple(optimized), tuple(map(tuple, working)), account)


def adam_update(
    parameters: Array, first: Array, second: Array, gradient: Array, *, step: int, adam: AdamConstants | None = None
) -> None:
    """Make one step of Adam in place, on any slice of the parameters: no element depends on another.

    Args:
        parameters: values to update, shape (n,).
        first: Adam's m, shape (n,), updated.
        second: Adam's v, shape (n,), updated.
        gradient: the mean gradient, shape (n,).
        step: number of this step, from 1.
        adam: the constants; the usual ones if ``None``.

    Raises:
        TypeError: if an array or ``adam`` is of the wrong kind.
        ValueError: if the shapes differ, a value is not finite, ``second`` is negative somewhere, the gradient's square
            overflows, or ``step`` is no integer of at least 1.

    Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019 for the decay.
    Convention: the moments start at 0 and their bias is corrected; the decay is decoupled.
    Leaves out: clipping, which needs the norm over all shards.

    Example:
        >>> value, m, v = np.array([1.0]), np.zeros(1), np.zeros(1)
        >>> adam_update(value, m, v, np.array([4.0]), step=1, adam=AdamConstants(learning_rate=0.5))
        >>> round(float(value[0]), 6)
        0.5
    """
    constants = AdamConstants() if adam is None else adam
    if not isinstance(constants, AdamConstants):
        raise TypeError(f"adam must be an AdamConstants or None, got {adam!r}")
    count = positive_number("step", positive_integer("step", step))
    for name, array in (("parameters", parameters), ("first", first), ("second", second), ("gradient", gradient)):
        if not isinstance(array, np.ndarray) or not np.issubdtype(array.dtype, np.floating):
            raise TypeError(f"{name} must be an array of floats, got {array!r}")
        if array.shape != np.shape(parameters):
            raise ValueError(f"{name} must have the shape of parameters, {np.shape(parameters)}, got {array.shape}")
        if not np.isfinite(array).all() or (name == "second" and (array < 0).any()):
            raise ValueError(f"{name} must be finite, and second at least 0 everywhere, got {array!r}")
    try:
        with np.errstate(over="raise"):
            square = gradient * gradient
    except FloatingPointError:
        raise ValueError(f"gradient must have squares that fit {gradient.dtype.name}, got {gradient!r}") from None
    with refusing_overflow("parameters, first, second and gradient"):
        mean = constants.beta1 * first + (1 - constants.beta1) * gradient
        mean_square = constants.beta2 * second + (1 - constants.beta2) * square
        root = np.sqrt(mean_square / (1 - constants.beta2**count)) + constants.epsilon
        move = mean / (1 - constants.beta1**count) / root + constants.weight_decay * parameters
        updated = parameters - constants.learning_rate * move
    first[...], second[...], parameters[...] = mean, mean_square, updated


def _units(initial: Sequence[ArrayLike]) -> list[NDArray[np.float32]]:
    """Check the initial parameters; return a float32 copy of each unit."""
    if isinstance(initial, str | bytes) or not isinstance(initial, Sequence) or not initial:
        raise TypeError(f"initial must be a sequence of flat arrays, got {initial!r}")
    units = []
    for unit in initial:
        array = number_array("initial", unit)
        if array.ndim != 1 or not (np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)):
            raise TypeError(f"initial must be a sequence of flat arrays of numbers, got {unit!r}")
        if not np.isfinite(array).all() or np.abs(array, dtype=np.float64).max(initial=0) > np.finfo(np.float32).max:
            raise ValueError(f"initial must be finite in float32, got {unit!r}")
        units.append(array.astype(np.float32))
    return units


def _locked(array: Array) -> Array:
    """A view that a model cannot write to."""
    view = array.view()
    view.flags.writeable = False
    return view
