"""Simulators: Adam that really runs on N ranks, sharded as ZeRO's stages 0 to 3 shard it.

Every rank has its own arrays. Gradients and parameters travel by the ring schedules of ``snippets.collectives``; what
is sent and what is held is counted from the arrays themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.background.arrays import number_array, refusing_overflow
from snippets.collectives import runner
from snippets.collectives.algorithms import build
from snippets.collectives.schedule import Schedule, chunk_bound
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
from snippets.memory.recipes import RECIPES, Recipe
from snippets.memory.zero import STAGES

Array = NDArray[np.floating[Any]]

SIMULATED = ("fp32-adam", "mixed-adam", "mixed-adam-fp32-gradients", "16-bit-adam-fp32-moments")
MOST_RANKS = 2**16  # each is simulated
KINDS = ("parameters", "gradients", "optimizer", "buffers")
COLLECTIVES = ("reduce-scatter gradients", "all-gather gradients", "all-gather parameters")

_FLOATS: dict[int, np.dtype[np.floating[Any]]] = {2: np.dtype(np.float16), 4: np.dtype(np.float32)}


@dataclass(frozen=True)
class Adam:
    """Adam with decoupled weight decay (AdamW).

    Attributes:
        learning_rate: above 0.
        beta1: decay of the first moment, at least 0 and below 1.
        beta2: decay of the second moment, at least 0 and below 1.
        epsilon: above 0, added to the root of the second moment.
        weight_decay: 0 for plain Adam.

    >>> Adam(learning_rate=0.1).beta2
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
    >>> run = run_sharded_adam(Bowl(), [np.ones(2)], ranks=2, stage=3, steps=2, adam=Adam(learning_rate=0.25))
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
class Account:
    """What a run sent and held, from the arrays themselves.

    Attributes:
        sent_bytes: for each of ``COLLECTIVES``, bytes that each rank sent.
        received_bytes: likewise received.
        messages: messages that each rank sent; one without data counts too.
        peak_bytes: for each of ``KINDS``, the most bytes that each rank held at one time. Buffers are whole units
            that live for a moment: gathered parameters and gradients not yet reduced.
        peak_total_bytes: the most that each rank held at one time, all kinds together.

    >>> model = GivenGradients(np.ones((1, 1, 2, 3)), units=(3,))
    >>> account = run_sharded_adam(model, [np.zeros(3)], ranks=2, stage=2).account
    >>> account.peak_bytes["gradients"].tolist(), account.peak_bytes["buffers"].tolist()
    ([4, 2], [6, 6])
    """

    sent_bytes: Mapping[str, NDArray[np.int64]]
    received_bytes: Mapping[str, NDArray[np.int64]]
    messages: NDArray[np.int64]
    peak_bytes: Mapping[str, NDArray[np.int64]]
    peak_total_bytes: NDArray[np.int64]


@dataclass(frozen=True)
class Run:
    """The result of a run and its account.

    Attributes:
        parameters: for each unit, the copy that the optimizer updated (the master copy, where there is one).
        working: for each rank and unit, the whole working copy as that rank would read it.
        account: what was sent and held.

    >>> model = GivenGradients(np.ones((1, 1, 2, 3)), units=(1, 2))
    >>> run = run_sharded_adam(model, [np.ones(1), np.ones(2)], ranks=2, stage=3, adam=Adam(learning_rate=0.25))
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
    adam: Adam | None = None,
    reduce_each: bool = True,
    gather_again: bool = True,
) -> Run:
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
        >>> run = run_sharded_adam(gradients, [np.zeros(3)], ranks=2, stage=1, adam=Adam(learning_rate=0.5))
        >>> run.parameters[0].tolist(), run.account.sent_bytes["all-gather parameters"].tolist()
        ([-0.5, -0.5, -0.5], [4, 2])
    """
    if not callable(getattr(model, "forward", None)) or not callable(getattr(model, "backward", None)):
        raise TypeError(f"model must have the methods forward and backward, got {model!r}")
    if adam is not None and not isinstance(adam, Adam):
        raise TypeError(f"adam must be an Adam or None, got {adam!r}")
    cluster = _Cluster(
        initial=_units(initial),
        ranks=at_most("ranks", positive_integer("ranks", ranks), MOST_RANKS),
        stage=one_of("stage", nonnegative_integer("stage", stage), STAGES),
        recipe=RECIPES[one_of("recipe", recipe, SIMULATED)],
        reduce_each=flag("reduce_each", reduce_each),
        gather_again=flag("gather_again", gather_again),
    )
    steps, micro_batches = positive_integer("steps", steps), positive_integer("micro_batches", micro_batches)
    at_most("steps × micro_batches", steps * micro_batches)
    try:
        with np.errstate(over="raise"):
            for step in range(steps):
                for micro_batch in range(micro_batches):
                    cluster.accumulate(model, step, micro_batch)
                cluster.update(adam or Adam(), step + 1, micro_batches)
    except FloatingPointError as error:
        raise ValueError(f"model must give gradients that the recipe's formats can hold, got {error}") from error
    return cluster.result()


@dataclass
class _Ledger:
    """Bytes held and sent, by rank."""

    ranks: int
    held: dict[str, NDArray[np.int64]] = field(init=False)
    peak: dict[str, NDArray[np.int64]] = field(init=False)
    peak_total: NDArray[np.int64] = field(init=False)
    sent: dict[str, NDArray[np.int64]] = field(init=False)
    received: dict[str, NDArray[np.int64]] = field(init=False)
    messages: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        def zeros() -> NDArray[np.int64]:
            return np.zeros(self.ranks, dtype=np.int64)

        self.held, self.peak = {kind: zeros() for kind in KINDS}, {kind: zeros() for kind in KINDS}
        self.sent, self.received = {name: zeros() for name in COLLECTIVES}, {name: zeros() for name in COLLECTIVES}
        self.peak_total, self.messages = zeros(), zeros()

    def hold(self, kind: str, rank: int, array: Array) -> Array:
        self.held[kind][rank] += array.nbytes
        self.peak[kind][rank] = max(self.peak[kind][rank], self.held[kind][rank])
        self.peak_total[rank] = max(self.peak_total[rank], sum(int(held[rank]) for held in self.held.values()))
        return array

    def release(self, kind: str, rank: int, array: Array) -> None:
        self.held[kind][rank] -= array.nbytes

    def moved(self, name: str, account: runner.ScheduleAccount) -> None:
        self.sent[name] += account.sent_bytes
        self.received[name] += account.received_bytes
        self.messages += account.sent_messages

    def account(self) -> Account:
        return Account(self.sent, self.received, self.messages, self.peak, self.peak_total)


@dataclass
class _Cluster:
    """The ranks' arrays: for each rank a list over units, whole or a shard as the stage says."""

    initial: list[NDArray[np.float32]]
    ranks: int
    stage: int
    recipe: Recipe
    reduce_each: bool
    gather_again: bool

    def __post_init__(self) -> None:
        self.ledger = _Ledger(self.ranks)
        self.whole_gradients = self.stage < 2 or not self.reduce_each
        working, gradient = _FLOATS[self.recipe.parameters], _FLOATS[self.recipe.gradients]
        everyone = range(self.ranks)
        with np.errstate(over="ignore"):
            rounded: list[Array] = [unit.astype(working) for unit in self.initial]
        if not all(np.isfinite(unit).all() for unit in rounded):
            raise ValueError(f"initial must be finite in {working.name}, got a value above its range")
        self.working = [self._hold("parameters", rank, rounded, cut=self.stage >= 3) for rank in everyone]
        zeros: list[Array] = [np.zeros(unit.size, np.float32) for unit in self.initial]
        empty: list[Array] = [np.zeros(unit.size, gradient) for unit in self.initial]
        self.gradients = [self._hold("gradients", rank, empty, cut=not self.whole_gradients) for rank in everyone]
        cut = self.stage >= 1
        self.master: list[list[Array]] = []
        if self.recipe.master:
            self.master = [self._hold("optimizer", rank, list(self.initial), cut=cut) for rank in everyone]
        self.first = [self._hold("optimizer", rank, zeros, cut=cut) for rank in everyone]
        self.second = [self._hold("optimizer", rank, zeros, cut=cut) for rank in everyone]

    def _hold(self, kind: str, rank: int, units: Sequence[Array], *, cut: bool) -> list[Array]:
        """Give a rank its own copy of every unit, or of its shard of it."""
        kept = [unit[self._shard(index, rank)] if cut else unit for index, unit in enumerate(units)]
        return [self.ledger.hold(kind, rank, array.copy()) for array in kept]

    def _shard(self, unit: int, rank: int) -> slice:
        return slice(*chunk_bound(self.initial[unit].size, self.ranks, rank))

    def accumulate(self, model: Model, step: int, micro_batch: int) -> None:
        """One forward and one backward pass of every rank."""
        units = range(len(self.initial))
        gathered: dict[int, list[Array]] = {}
        for unit in units:
            copies = self._gather(unit)
            for rank, copy in enumerate(copies):
                model.forward(step=step, micro_batch=micro_batch, rank=rank, unit=unit, parameters=_locked(copy))
            if self.gather_again:
                self._free(copies)
            else:
                gathered[unit] = copies
        for unit in reversed(units):
            copies = self._gather(unit) if self.gather_again else gathered[unit]
            gradients = self._gradient_buffers(unit)
            for rank, copy in enumerate(copies):
                model.backward(
                    step=step,
                    micro_batch=micro_batch,
                    rank=rank,
                    unit=unit,
                    parameters=_locked(copy),
                    gradient=gradients[rank],
                )
                if not np.isfinite(gradients[rank]).all():
                    raise ValueError(f"model must give finite gradients, got a NaN or an infinity for unit {unit}")
            self._reduce_unit(unit, gradients)
            if self.gather_again:
                self._free(copies)
        for copies in gathered.values():
            self._free(copies)

    def _gather(self, unit: int) -> list[Array]:
        """Every rank's whole working copy of a unit: in stage 3 gathered into buffers, else what it holds."""
        if self.stage < 3 or self.ranks == 1:
            return [self.working[rank][unit] for rank in range(self.ranks)]
        copies = self._all_gather("all-gather parameters", unit, [units[unit] for units in self.working])
        return [self.ledger.hold("buffers", rank, copy) for rank, copy in enumerate(copies)]

    def _free(self, copies: list[Array]) -> None:
        if self.stage == 3 and self.ranks > 1:
            for rank, copy in enumerate(copies):
                self.ledger.release("buffers", rank, copy)

    def _gradient_buffers(self, unit: int) -> list[Array]:
        """Where the backward pass adds a unit's gradient: the kept buffer where it is whole, else a fresh one."""
        if self.whole_gradients or self.ranks == 1:
            return [self.gradients[rank][unit] for rank in range(self.ranks)]
        dtype, size = self.gradients[0][unit].dtype, self.initial[unit].size
        return [self.ledger.hold("buffers", rank, np.zeros(size, dtype)) for rank in range(self.ranks)]

    def _reduce_unit(self, unit: int, gradients: list[Array]) -> None:
        """Reduce a unit's fresh gradients into the shards that are kept."""
        if self.whole_gradients or self.ranks == 1:
            return
        for rank, total in enumerate(self._reduce_scatter(unit, gradients)):
            self.gradients[rank][unit] += total
            self.ledger.release("buffers", rank, gradients[rank])

    def update(self, adam: Adam, step: int, micro_batches: int) -> None:
        """One optimizer step, from the accumulated gradients."""
        for unit in range(len(self.initial)):
            if self.whole_gradients:
                self._reduce_whole(unit)
            for rank in range(self.ranks):
                self._update_unit(adam, step, micro_batches, unit, rank)
            if self.stage in (1, 2):
                shards = [self.working[rank][unit][self._shard(unit, rank)] for rank in range(self.ranks)]
                for rank, whole in enumerate(self._all_gather("all-gather parameters", unit, shards)):
                    self.working[rank][unit][...] = whole

    def _reduce_whole(self, unit: int) -> None:
        """Reduce gradients that were kept whole: each rank's shard of its buffer, in stage 0 all of it."""
        totals = self._reduce_scatter(unit, [units[unit] for units in self.gradients])
        for rank, total in enumerate(totals):
            self.gradients[rank][unit][self._shard(unit, rank)] = total
        if self.stage == 0:
            for rank, whole in enumerate(self._all_gather("all-gather gradients", unit, totals)):
                self.gradients[rank][unit][...] = whole

    def _update_unit(self, adam: Adam, step: int, micro_batches: int, unit: int, rank: int) -> None:
        shard = slice(None) if self.stage == 0 else self._shard(unit, rank)
        gradient = self.gradients[rank][unit]
        mine = gradient[shard] if self.whole_gradients else gradient
        working = self.working[rank][unit]
        view = working if self.stage == 3 else working[shard]
        target = self.master[rank][unit] if self.recipe.master else view.astype(np.float32)
        mean = mine.astype(np.float32) / np.float32(self.ranks * micro_batches)
        adam_update(target, self.first[rank][unit], self.second[rank][unit], mean, step=step, adam=adam)
        view[...] = target
        gradient[...] = 0

    def _reduce_scatter(self, unit: int, buffers: list[Array]) -> list[Array]:
        """The sum over ranks of a unit's gradients, each rank its shard."""
        done = runner.run(_ring("reduce_scatter", self.ranks, self.initial[unit].size), buffers)
        self.ledger.moved("reduce-scatter gradients", done.account)
        if not all(np.isfinite(total).all() for total in done.outputs):
            raise FloatingPointError("overflow in the sum over ranks")
        return list(done.outputs)

    def _all_gather(self, name: str, unit: int, shards: list[Array]) -> list[Array]:
        """Every rank's shard of a unit, on every rank."""
        done = runner.run(_ring("all_gather", self.ranks, self.initial[unit].size), shards)
        self.ledger.moved(name, done.account)
        return list(done.outputs)

    def result(self) -> Run:
        optimized = self.master if self.recipe.master else self.working
        sharded = self.stage >= 1 if self.recipe.master else self.stage == 3
        return Run(
            parameters=tuple(self._assembled(optimized, unit, sharded) for unit in range(len(self.initial))),
            working=tuple(
                tuple(
                    self._assembled(self.working, unit, True) if self.stage == 3 else self.working[rank][unit]
                    for unit in range(len(self.initial))
                )
                for rank in range(self.ranks)
            ),
            account=self.ledger.account(),
        )

    def _assembled(self, arrays: list[list[Array]], unit: int, sharded: bool) -> Array:
        return np.concatenate([arrays[rank][unit] for rank in range(self.ranks)]) if sharded else arrays[0][unit]


def adam_update(
    parameters: Array, first: Array, second: Array, gradient: Array, *, step: int, adam: Adam | None = None
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
        >>> adam_update(value, m, v, np.array([4.0]), step=1, adam=Adam(learning_rate=0.5))
        >>> round(float(value[0]), 6)
        0.5
    """
    constants = Adam() if adam is None else adam
    if not isinstance(constants, Adam):
        raise TypeError(f"adam must be an Adam or None, got {adam!r}")
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


@lru_cache(maxsize=256)
def _ring(primitive: str, ranks: int, length: int) -> Schedule:
    return build(primitive, "ring", ranks=ranks, length=length)


def _locked(array: Array) -> Array:
    """A view that a model cannot write to."""
    view = array.view()
    view.flags.writeable = False
    return view
