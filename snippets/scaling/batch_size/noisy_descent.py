"""Simulators: descent on a stream of examples of a linear regression, whose noise is known exactly.

An example has independent normal features of variances λ_i and a target with normal noise; its gradient at a distance
e from the true weights is ``x (x·e − noise)``. The loss is half the mean squared error beyond the noise's own. For
plain SGD the expected loss follows an exact recursion of the mean squares of e; what needs more is sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import affordable, finite_array, random_generator, refusing_overflow
from snippets.domain import (
    at_most,
    each,
    nonnegative_integer,
    nonnegative_number,
    one_of,
    positive_integer,
    positive_number,
)
from snippets.scaling.batch_size.formulas import gradient_noise_scale

FloatArray = NDArray[np.float64]
Optimizer = Literal["sgd", "adam"]
OPTIMIZERS: tuple[Optimizer, ...] = ("sgd", "adam")
MOST_STEPS = 200_000


@dataclass(frozen=True)
class Stream:
    """An endless stream of examples.

    Attributes:
        curvatures: λ, the features' variances, which are the curvatures of the loss.
        label_variance: variance of the targets' noise, at least 0.
        first_loss: loss before the first step; the distance is the same in every direction.

    Example:
        >>> stream = Stream((1.0, 0.5), label_variance=0.3)
        >>> stream.squares().tolist(), round(stream.noise_scale(stream.squares()), 2)
        ([1.3333333333333333, 1.3333333333333333], 3.07)
    """

    curvatures: tuple[float, ...]
    label_variance: float = 0.0
    first_loss: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "curvatures", each("curvatures", self.curvatures, positive_number))
        if not self.curvatures:
            raise ValueError("curvatures must hold at least one number, got none")
        nonnegative_number("label_variance", self.label_variance)
        positive_number("first_loss", self.first_loss)

    @property
    def array(self) -> FloatArray:
        """The curvatures as an array."""
        return np.array(self.curvatures)

    def squares(self) -> FloatArray:
        """The mean squares of the distance before the first step."""
        return np.full(len(self.curvatures), 2 * self.first_loss / sum(self.curvatures))

    def loss(self, squares: ArrayLike) -> FloatArray:
        """Expected loss beyond the noise, from mean squares of the distance in the last axis.

        >>> Stream((1.0, 0.5)).loss([2.0, 0.0])
        array(1.)
        """
        return self._loss(self._checked(squares))

    def signal(self, squares: ArrayLike) -> float:
        """Expected squared norm of the full gradient, from the mean squares of the distance.

        >>> Stream((1.0, 0.5)).signal([2.0, 4.0])
        3.0
        """
        with refusing_overflow("squares"):
            return float(np.sum(self.array**2 * self._checked(squares)))

    def noise(self, squares: ArrayLike) -> float:
        """Expected trace of the covariance of one example's gradient, from the mean squares of the distance.

        >>> Stream((1.0,), label_variance=0.5).noise([2.0])
        4.5
        """
        checked = self._checked(squares)
        with refusing_overflow("squares"):
            total = self.array.sum() * (self.array @ checked + self.label_variance)
            return float(total + np.sum(self.array**2 * checked))

    def noise_scale(self, squares: ArrayLike) -> float:
        """The gradient noise scale there: a ratio of expectations; ``ValueError`` where there is no signal.

        >>> Stream((1.0,), label_variance=0.5).noise_scale([2.0])
        2.25
        """
        return gradient_noise_scale(noise=self.noise(squares), signal=self.signal(squares))

    def after_step(self, squares: ArrayLike, *, rate: float, batch: float) -> FloatArray:
        """The mean squares after one step of SGD: exact for normal features.

        >>> Stream((1.0,)).after_step([2.0], rate=0.5, batch=2)
        array([1.])
        """
        η, B = positive_number("rate", rate), positive_number("batch", batch)
        with refusing_overflow("squares, rate and batch"):
            return self._after_step(self._checked(squares), np.float64(η), B)

    def _checked(self, squares: ArrayLike) -> FloatArray:
        """Return mean squares, one for each curvature in the last axis, or raise ``ValueError``."""
        checked = finite_array("squares", squares)
        if checked.ndim == 0 or checked.shape[-1] != len(self.curvatures) or (checked < 0).any():
            raise ValueError(f"squares must be {len(self.curvatures)} numbers of at least 0, got {squares!r:.200}")
        return checked

    def _loss(self, squares: FloatArray) -> FloatArray:
        loss: FloatArray = np.asarray(squares @ self.array / 2)
        return loss

    def _noise_scale(self, squares: FloatArray) -> FloatArray:
        λ = self.array
        shared = np.sum(λ**2 * squares, axis=-1)
        scale: FloatArray = (λ.sum() * (squares @ λ + self.label_variance) + shared) / shared
        return scale

    def _second_moments(self, squares: FloatArray, batch: FloatArray | float) -> FloatArray:
        """Mean squares of a batch's gradient, entry by entry."""
        λ, spread = self.array, (squares @ self.array + self.label_variance)[..., None]
        moments: FloatArray = λ**2 * squares * (1 + 1 / batch) + λ * spread / batch
        return moments

    def _after_step(self, squares: FloatArray, rate: FloatArray | np.float64, batch: FloatArray | float) -> FloatArray:
        moments = self._second_moments(squares, batch)
        after: FloatArray = squares - 2 * rate * self.array * squares + rate**2 * moments
        return after


@dataclass(frozen=True)
class Descended:
    """A descent to a loss.

    Attributes:
        steps: how many steps it took.
        examples: how many examples they saw.
        rate: its first step size.
        losses: expected losses before each step.
        noise_scales: noise scales before each step.
        batches: batch of each step.

    Example:
        >>> run = fewest_steps_to(Stream((1.0, 0.5)), batch_size=2, loss=0.1)
        >>> run.steps, run.examples, len(run.losses)
        (5, 10.0, 5)
    """

    steps: int
    examples: float
    rate: float
    losses: FloatArray
    noise_scales: FloatArray
    batches: FloatArray


def fewest_steps_to(stream: Stream, *, batch_size: int, loss: float, rates: int = 160) -> Descended:
    """Descend with plain SGD at each of many constant step sizes, and return the run that arrives first.

    Args:
        stream: the examples.
        batch_size: examples of a step.
        loss: the expected loss at which a run has arrived, below the first one.
        rates: how many step sizes, evenly on a logarithmic axis from a thousandth of 2/λ_max to it.

    Returns:
        The run; of several that arrive in one step number, that with the smallest step size.

    Raises:
        ValueError: no step size arrives within 200,000 steps.

    Example:
        >>> one, many = (fewest_steps_to(Stream((1.0, 0.5)), batch_size=b, loss=0.1) for b in (1, 64))
        >>> one.steps > many.steps, one.rate < many.rate
        (True, True)
    """
    batch, goal = positive_integer("batch_size", batch_size), _goal(stream, loss)
    count = at_most("rates", positive_integer("rates", rates), 10_000)
    tried = np.geomspace(2e-3, 2, count)[:, None] / max(stream.curvatures)  # (rates, 1)
    squares = np.repeat(stream.squares()[None], count, axis=0)  # (rates, features)
    for _ in range(MOST_STEPS):
        with np.errstate(over="ignore", invalid="ignore"):
            squares = stream._after_step(squares, tried, batch)
            arrived = stream._loss(squares) <= goal  # (rates,)
        if arrived.any():
            first = float(tried[int(arrived.argmax()), 0])
            return _run(stream, goal, partial(_always, batch), partial(_always, first))
    raise ValueError(f"loss must be one that some step size reaches in {MOST_STEPS:,} steps, got {loss!r}")


def thriftiest_descent(
    stream: Stream,
    *,
    loss: float,
    within: int,
    batch: float = 1,
    share: float = 0,
    decay: float = 0,
    until: int = 0,
    rates: int = 160,
) -> Descended:
    """Descend with plain SGD from each of many first step sizes, and return the run that sees the fewest examples.

    A step's batch is ``share`` of the present noise scale, or ``batch`` where that is more. Step t, from 0, has the
    first step size over 1 + decay·t, and with ``until`` its share 1 − t/until besides.

    Args:
        stream: the examples.
        loss: the expected loss at which a run has arrived, below the first one.
        within: in how many steps it must arrive, at most 10,000.
        batch: the least batch, at least 1.
        share: batch over noise scale; 0 for a fixed batch.
        decay: how fast the step size falls; 0 for a constant one.
        until: the step at which it has fallen along a line to 0, at least ``within``; 0 for no such line.
        rates: how many step sizes, evenly on a logarithmic axis from a thousandth of 2/λ_max to it.

    Returns:
        The run; of several, that with the smallest first step size.

    Raises:
        ValueError: no step size arrives in time, or the line ends before that.

    Example:
        >>> run = thriftiest_descent(Stream((1.0, 0.5), label_variance=1.0), batch=16, loss=0.1, within=3)
        >>> run.steps, run.examples
        (2, 32.0)
    """
    goal, most = _goal(stream, loss), at_most("within", positive_integer("within", within), 10_000)
    least, part, fall = (
        positive_number("batch", batch),
        nonnegative_number("share", share),
        nonnegative_number("decay", decay),
    )
    if least < 1:
        raise ValueError(f"batch must be at least 1, got {batch!r}")
    end = nonnegative_integer("until", until)
    if 0 < end < most:
        raise ValueError(f"until must be 0 or at least within = {most}, got {until!r}")

    def left(step: int) -> float:
        return (1 - step / end if end else 1) / (1 + fall * step)

    count = at_most("rates", positive_integer("rates", rates), 10_000)
    tried = np.geomspace(2e-3, 2, count)[:, None] / max(stream.curvatures)  # (rates, 1)
    squares, examples = np.repeat(stream.squares()[None], count, axis=0), np.zeros((count, 1))
    cheapest, first = np.inf, 0.0
    for step in range(most):
        with np.errstate(over="ignore", invalid="ignore"):
            batches = np.maximum(least, part * stream._noise_scale(squares))[:, None] if part else np.float64(least)
            examples += batches
            squares = stream._after_step(squares, tried * left(step), batches)  # (rates, features)
            arrived = np.where(stream._loss(squares) <= goal, examples[:, 0], np.inf)
        if arrived.min() < cheapest:
            cheapest, first = float(arrived.min()), float(tried[int(arrived.argmin()), 0])
    if first == 0:
        raise ValueError(
            f"loss must be one that some step size reaches in {most} steps, got {loss!r}"
            f" with batch = {batch!r}, share = {share!r}, decay = {decay!r} and until = {until!r}"
        )
    return _run(stream, goal, lambda scale: max(least, part * scale), lambda step: first * left(step))


def sampled_losses(
    stream: Stream,
    *,
    batch_size: int,
    rates: Sequence[float],
    examples: int,
    optimizer: Optimizer,
    runs: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Descend on drawn examples, and return the mean loss at the end for each of several learning rates.

    All learning rates see the same examples. Adam has the betas 0.9 and 0.99.

    Args:
        stream: where the examples come from.
        batch_size: examples of a step.
        rates: learning rates.
        examples: how many each run sees, in ⌊examples/batch_size⌋ steps.
        optimizer: ``"sgd"`` or ``"adam"``.
        runs: over how many runs to average.
        generator: source of the examples; it is advanced.

    Returns:
        A mean loss for each rate; infinite where a run has overflowed.

    Example:
        >>> few = dict(batch_size=4, rates=[0.1, 0.5], examples=40, optimizer="sgd", runs=3)
        >>> sampled_losses(Stream((1.0, 0.5)), **few, generator=np.random.default_rng(1)).shape
        (2,)
    """
    B, seen = positive_integer("batch_size", batch_size), positive_integer("examples", examples)
    steps = seen // B
    η = np.array(each("rates", rates, positive_number))[:, None, None]  # (rates, 1, 1)
    one_of("optimizer", optimizer, OPTIMIZERS)
    count, source = positive_integer("runs", runs), random_generator("generator", generator)
    λ = _stream(stream).array
    affordable("runs × batch_size × features", count * B * len(λ))
    at_most("examples / batch_size", steps, MOST_STEPS)
    distance = np.broadcast_to(np.sqrt(stream.squares()), (len(η), count, len(λ))).copy()  # (rates, runs, features)
    mean, square = np.zeros_like(distance), np.zeros_like(distance)
    for step in range(1, steps + 1):
        x = source.standard_normal((count, B, len(λ))) * np.sqrt(λ)  # (runs, B, features)
        noise = np.sqrt(stream.label_variance) * source.standard_normal((count, B))
        with np.errstate(over="ignore", invalid="ignore"):
            residual = x @ distance.transpose(1, 2, 0) - noise[:, :, None]  # (runs, B, rates)
            gradient = (x.transpose(0, 2, 1) @ residual).transpose(2, 0, 1) / B  # (rates, runs, features)
            if optimizer == "adam":
                mean += 0.1 * (gradient - mean)
                square += 0.01 * (gradient**2 - square)
                gradient = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
            distance = distance - η * gradient
    with np.errstate(over="ignore", invalid="ignore"):
        losses: FloatArray = np.nan_to_num(stream._loss(distance**2).mean(axis=1), nan=np.inf)
    return losses


def _always(value: float, *_: object) -> float:
    """Return a value, whatever else is said."""
    return value


def _stream(stream: Stream) -> Stream:
    """Return what is a stream, or raise ``ValueError``."""
    if not isinstance(stream, Stream):
        raise ValueError(f"stream must be a Stream, got {stream!r:.200}")
    return stream


def _goal(stream: Stream, loss: float) -> float:
    """Return a loss below the first one, or raise ``ValueError``."""
    goal = positive_number("loss", loss)
    if goal >= _stream(stream).first_loss:
        raise ValueError(f"loss must be below the first one, {stream.first_loss}, got {loss!r}")
    return goal


def _run(stream: Stream, goal: float, batch_of: Callable[[float], float], rate_of: Callable[[int], float]) -> Descended:
    """Descend to the goal, and note what was seen."""
    squares = stream.squares()
    seen: list[tuple[float, float, float]] = []
    while (loss := float(stream.loss(squares))) > goal:
        if len(seen) == MOST_STEPS:
            raise ValueError(f"loss must be one that is reached in {MOST_STEPS:,} steps, got {goal!r}")
        scale = stream.noise_scale(squares)
        batch = batch_of(scale)
        squares = stream.after_step(squares, rate=rate_of(len(seen)), batch=batch)
        seen.append((loss, scale, batch))
    losses, scales, batches = np.array(seen).T
    return Descended(len(seen), float(batches.sum()), rate_of(0), losses, scales, batches)
