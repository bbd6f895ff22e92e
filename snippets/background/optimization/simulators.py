"""Simulators: descent on surfaces, descent on K ranks, and clipping of a gradient that lies in shards.

``snippets.background.optimization.formulas`` has the closed forms. Surfaces and paths are vectorised: many starts
descend at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import (
    Array,
    affordable,
    exact_or_finite_array,
    finite_array,
    index_array,
    random_generator,
    refusing_overflow,
)
from snippets.background.optimization.formulas import gradient_clip_scale
from snippets.domain import each, nonnegative_integer, nonnegative_number, one_of, positive_integer, positive_number

FloatArray = NDArray[np.float64]
Averaging = Literal["examples", "ranks"]
_CHECKED_AT_ONCE = 64  # points of a path, for losses that are too large for floats
AVERAGINGS: tuple[Averaging, ...] = ("examples", "ranks")


@dataclass(frozen=True)
class Surface:
    """A loss over a plane or a space, with its derivatives; each takes points of shape … × f.

    Attributes:
        dimension: f, at least 1.
        value: points to losses, shape ….
        gradient: points to gradients, shape … × f.
        hessian: points to matrices of second derivatives, shape … × f × f.

    Example:
        >>> line = Surface(1, lambda x: x[..., 0], np.ones_like, lambda x: np.zeros((*x.shape, 1)))
        >>> descend(line, [3.0], rule=GradientDescent(1.0), steps=2).values.tolist()
        [3.0, 2.0, 1.0]
    """

    dimension: int
    value: Callable[[FloatArray], FloatArray]
    gradient: Callable[[FloatArray], FloatArray]
    hessian: Callable[[FloatArray], FloatArray]


def quadratic(hessian: ArrayLike, *, minimum: ArrayLike | None = None) -> Surface:
    """The surface ``½·(x − c)ᵀH(x − c)``.

    Args:
        hessian: H, a symmetric d × d matrix; convex where no eigenvalue is negative.
        minimum: c, f numbers; the origin where left out.

    Returns:
        The surface.

    Raises:
        ValueError: H is no symmetric matrix, or the shapes do not fit.

    Example:
        >>> surface = quadratic(np.diag([1.0, 9.0]))
        >>> float(surface.value(np.array([2.0, 1.0]))), surface.gradient(np.array([2.0, 1.0])).tolist()
        (6.5, [2.0, 9.0])
    """
    h = finite_array("hessian", hessian, dimensions=2)
    if not h.size or h.shape[0] != h.shape[1] or not np.array_equal(h, h.T):
        raise ValueError(f"hessian must be a symmetric matrix, got shape {h.shape}")
    c = np.zeros(len(h)) if minimum is None else finite_array("minimum", minimum, dimensions=1)
    if c.shape != h.shape[:1]:
        raise ValueError(f"minimum must have one entry per row of hessian, {len(h)}, got shape {c.shape}")
    return Surface(
        dimension=len(h),
        value=lambda x: ((x - c) @ h * (x - c)).sum(axis=-1) / 2,
        gradient=lambda x: (x - c) @ h,
        hessian=lambda x: np.broadcast_to(h, (*x.shape[:-1], *h.shape)),
    )


def double_well(*, curvature: float = 1.0) -> Surface:
    """A surface that is not convex: ``(x² − 1)²/4 + λy²/2``, minima 0 at (±1, 0), a saddle of height ¼ at the origin.

    Args:
        curvature: λ across the valley, above 0; along it the curvature is 3x² − 1.

    Returns:
        The surface, of dimension 2.

    Example:
        >>> surface = double_well()
        >>> surface.value(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist()
        [0.0, 0.25]
    """
    bend = positive_number("curvature", curvature)

    def gradient(points: FloatArray) -> FloatArray:
        x, y = points[..., 0], points[..., 1]
        return np.stack([x * (x * x - 1), bend * y], axis=-1)

    def hessian(points: FloatArray) -> FloatArray:
        second = np.zeros((*points.shape[:-1], 2, 2))
        second[..., 0, 0], second[..., 1, 1] = 3 * points[..., 0] ** 2 - 1, bend
        return second

    return Surface(2, lambda p: (p[..., 0] ** 2 - 1) ** 2 / 4 + bend * p[..., 1] ** 2 / 2, gradient, hessian)


def chord_gap(surface: Surface, start: ArrayLike, end: ArrayLike, *, share: float = 0.5) -> float:
    """How far the chord between two points of a surface lies above it, at a share of the way; convex means never below.

    Args:
        surface: the surface f.
        start: f numbers, x.
        end: f numbers, y.
        share: t, from 0 to 1.

    Returns:
        ``(1 − t)·f(x) + t·f(y) − f((1 − t)·x + t·y)``.

    Raises:
        ValueError: the shapes do not fit, or ``share`` is not from 0 to 1.

    Example:
        >>> chord_gap(quadratic(np.eye(1)), np.array([-1.0]), np.array([1.0]))
        0.5
        >>> chord_gap(double_well(), np.array([-1.0, 0.0]), np.array([1.0, 0.0]))
        -0.25
    """
    x, y = _point("start", start, surface), _point("end", end, surface)
    t = nonnegative_number("share", share)
    if t > 1:
        raise ValueError(f"share must be a number from 0 to 1, got {share!r}")
    with refusing_overflow("start and end"):
        return float((1 - t) * surface.value(x) + t * surface.value(y) - surface.value((1 - t) * x + t * y))


def tangent_gap(surface: Surface, touch: ArrayLike, point: ArrayLike) -> float:
    """How far a surface lies above its tangent plane; convex means never below.

    Args:
        surface: the surface f.
        touch: f numbers, x, where the plane touches.
        point: f numbers, y, where the gap is measured.

    Returns:
        ``f(y) − f(x) − ∇f(x)·(y − x)``.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> tangent_gap(quadratic(np.eye(1)), np.array([1.0]), np.array([3.0]))
        2.0
    """
    x, y = _point("touch", touch, surface), _point("point", point, surface)
    with refusing_overflow("touch and point"):
        return float(surface.value(y) - surface.value(x) - surface.gradient(x) @ (y - x))


class Rule(Protocol):
    """An optimizer: how weights follow from a gradient. ``slots`` is how many numbers of state it keeps per weight.

    Example:
        >>> rules: list[Rule] = [GradientDescent(0.1), Momentum(0.1, 0.9), Adam(0.1), AdamW(0.1, weight_decay=0.1)]
        >>> [rule.slots for rule in rules]
        [0, 1, 2, 2]
    """

    slots: ClassVar[int]

    def update(self, number: int, weights: Array, gradient: Array, state: tuple[Array, ...], rate: Any) -> Array:
        """The weights after update ``number`` (from 1), with ``rate`` times the learning rate; changes ``state``."""
        ...


@dataclass(frozen=True)
class GradientDescent:
    """``w ← w − η·g``; with a batch's gradient it is SGD. A ``Fraction`` for η makes exact arithmetic possible.

    Attributes:
        step: η, above 0.

    Example:
        >>> GradientDescent(0.1).slots
        0
    """

    step: float | Fraction
    slots: ClassVar[int] = 0

    def __post_init__(self) -> None:
        positive_number("step", self.step)

    def update(self, number: int, weights: Array, gradient: Array, state: tuple[Array, ...], rate: Any) -> Array:
        """See ``Rule``."""
        changed: Array = weights - rate * self.step * gradient
        return changed


@dataclass(frozen=True)
class Momentum:
    """The heavy ball, ``v ← μv + g; w ← w − η·v`` from v = 0.

    Attributes:
        step: η, above 0.
        momentum: μ, at least 0 and below 1.

    Convention: for a constant η the path of ``w ← w − η·g + μ·(w − w_previous)``; under a schedule the two differ.

    Example:
        >>> Momentum(0.1, momentum=0.9).slots
        1
    """

    step: float | Fraction
    momentum: float | Fraction
    slots: ClassVar[int] = 1

    def __post_init__(self) -> None:
        positive_number("step", self.step)
        _below_one("momentum", self.momentum)

    def update(self, number: int, weights: Array, gradient: Array, state: tuple[Array, ...], rate: Any) -> Array:
        """See ``Rule``."""
        (velocity,) = state
        velocity[...] = self.momentum * velocity + gradient
        changed: Array = weights - rate * self.step * velocity
        return changed


@dataclass(frozen=True)
class Adam:
    """Adam with bias correction; an L2 penalty, where there is one, is added to the gradient.

    ``G ← μ₁G + (1 − μ₁)g; J ← μ₂J + (1 − μ₂)g²; w ← w − η·Ĝ/(√Ĵ + ε)``, where ``Ĝ = G/(1 − μ₁^τ)`` and
    ``Ĵ = J/(1 − μ₂^τ)`` at update τ, counted from 1. Papers call the decays β₁ and β₂.

    Attributes:
        learning_rate: η, above 0.
        beta1: at least 0 and below 1.
        beta2: at least 0 and below 1.
        epsilon: ε, above 0.
        l2_penalty: λ of a penalty ``λ‖w‖²/2``, whose gradient λw passes through the means, at least 0.

    Source: Kingma and Ba 2015, algorithm 1.

    Example:
        >>> Adam(0.001).slots
        2
    """

    learning_rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    l2_penalty: float = 0.0
    slots: ClassVar[int] = 2

    def __post_init__(self) -> None:
        positive_number("learning_rate", self.learning_rate)
        _below_one("beta1", self.beta1)
        _below_one("beta2", self.beta2)
        positive_number("epsilon", self.epsilon)
        nonnegative_number("l2_penalty", self.l2_penalty)

    def update(self, number: int, weights: Array, gradient: Array, state: tuple[Array, ...], rate: Any) -> Array:
        """See ``Rule``."""
        mean, square = state
        g = gradient + self.l2_penalty * weights
        mean[...] = self.beta1 * mean + (1 - self.beta1) * g
        square[...] = self.beta2 * square + (1 - self.beta2) * g * g
        m, v = mean / (1 - self.beta1**number), square / (1 - self.beta2**number)
        changed: Array = weights - rate * self.learning_rate * m / (np.sqrt(v) + self.epsilon)
        return changed


@dataclass(frozen=True)
class AdamW:
    """Adam whose weight decay does not pass through the running means: ``w ← (1 − η·λ)·w``, then Adam's change.

    Attributes:
        learning_rate: η, above 0.
        weight_decay: λ, at least 0.
        beta1: at least 0 and below 1.
        beta2: at least 0 and below 1.
        epsilon: ε, above 0.

    Source: Loshchilov and Hutter 2019, algorithm 2.

    Convention: PyTorch's, which multiplies λ by the learning rate; the paper multiplies it by the schedule alone.

    Example:
        >>> AdamW(0.001, weight_decay=0.1).slots
        2
    """

    learning_rate: float
    weight_decay: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    slots: ClassVar[int] = 2

    def __post_init__(self) -> None:
        nonnegative_number("weight_decay", self.weight_decay)
        self._adam()

    def _adam(self) -> Adam:
        return Adam(self.learning_rate, self.beta1, self.beta2, self.epsilon)

    def update(self, number: int, weights: Array, gradient: Array, state: tuple[Array, ...], rate: Any) -> Array:
        """See ``Rule``."""
        kept = (1 - rate * self.learning_rate * self.weight_decay) * weights
        return self._adam().update(number, kept, gradient, state, rate)


@dataclass(frozen=True)
class Path:
    """Where descent went, and what it took.

    Attributes:
        points: (updates + 1) × … × f, the start first.
        values: (updates + 1) × …, the losses there.
        gradients_evaluated: gradients computed for each start: the number of updates.
        state_numbers: numbers that the optimizer kept besides the weights, for each start.
        diverged: whether descent was stopped early, because the next point of some start was too large for floats.

    Example:
        >>> path = descend(quadratic([[1.0]]), [[1.0], [2.0]], rule=Adam(0.1), steps=5)
        >>> path.points.shape, path.values.shape, path.gradients_evaluated, path.state_numbers, path.diverged
        ((6, 2, 1), (6, 2), 5, 2, False)
    """

    points: FloatArray
    values: FloatArray
    gradients_evaluated: int
    state_numbers: int
    diverged: bool


def descend(
    surface: Surface,
    start: ArrayLike,
    *,
    rule: Rule,
    steps: int,
    schedule: Callable[[int], float] | None = None,
    noise: ArrayLike = 0.0,
    generator: np.random.Generator | None = None,
) -> Path:
    """Descend a surface from one or many starts.

    Args:
        surface: the loss.
        start: … × f numbers; one path for each row.
        rule: the optimizer.
        steps: how many updates, at least 0.
        schedule: what the learning rate of update t (from 0) is multiplied by; 1 where left out.
        noise: standard deviation of the normal noise on each entry of a gradient, a number or f numbers, at least 0.
        generator: source of the noise, needed where there is any.

    Returns:
        The path. Where a point would overflow, it ends with the last finite one.

    Raises:
        ValueError: an argument is out of its range, or the shapes do not fit.

    Example:
        >>> path = descend(quadratic(np.diag([1.0, 9.0])), [9.0, 1.0], rule=GradientDescent(0.2), steps=2)
        >>> path.points.round(2).tolist()
        [[9.0, 1.0], [7.2, -0.8], [5.76, 0.64]]
    """
    point = _points("start", start, surface)
    count = nonnegative_integer("steps", steps)
    affordable("(steps + 1) × numbers of start", (count + 1) * max(point.size, 1))
    deviations = _deviations(noise, surface.dimension)
    if schedule is not None and not callable(schedule):
        raise ValueError(f"schedule must be a function of the update's number, got {schedule!r}")
    if deviations.any() and generator is None:
        raise ValueError(f"generator must be given where noise is not 0, got None with noise {noise!r}")
    source = None if generator is None else random_generator("generator", generator)
    state = tuple(np.zeros_like(point) for _ in range(_rule(rule).slots))
    with refusing_overflow("start"):
        values = [surface.value(point[np.newaxis])]
    points, checked, diverged = [point], 1, False
    for number in range(1, count + 1):
        rate = 1 if schedule is None else nonnegative_number(f"schedule({number - 1})", schedule(number - 1))
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = surface.gradient(point)
            if source is not None and deviations.any():
                gradient = gradient + deviations * source.standard_normal(point.shape)
            point = rule.update(number, point, gradient, state, rate)
        diverged = not np.isfinite(point).all()
        if not diverged:
            points.append(point)
        unchecked = points[checked:]
        if unchecked and (diverged or number == count or len(unchecked) == _CHECKED_AT_ONCE):
            values.append(_finite_losses(surface, unchecked))
            diverged = diverged or len(values[-1]) < len(unchecked)
            checked += len(values[-1])
        if diverged:
            break
    visited, losses = np.stack(points[:checked]), np.concatenate(values)
    return Path(visited, losses, checked - 1, len(state) * surface.dimension, diverged)


def _finite_losses(surface: Surface, points: Sequence[FloatArray]) -> FloatArray:
    """The losses at points in their order, up to the first that is too large for floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        losses = surface.value(np.stack(points))
    finite = np.isfinite(losses).reshape(len(points), -1).all(axis=1)
    return losses if finite.all() else losses[: finite.argmin()]


@dataclass(frozen=True)
class ReplicaRun:
    """What K ranks hold after descending together.

    Attributes:
        replicas: R × f, the weights of each rank.
        gradients: steps × f, the averaged gradients.
        shares: steps × K, how many of a step's examples each rank had.
        reduced_numbers: numbers that each rank put into the all-reduces: its f-entry sum and its count, every step.

    Example:
        >>> run = data_parallel_descent(
        ...     np.eye(2), [1.0, 1.0], [0.0, 0.0], batches=[[0, 1, 0]], ranks=2, rule=GradientDescent(0.1)
        ... )
        >>> run.replicas.shape, run.gradients.shape, run.shares.tolist(), run.reduced_numbers
        ((2, 2), (1, 2), [[2, 1]], 3)
    """

    replicas: Array
    gradients: Array
    shares: NDArray[np.int64]
    reduced_numbers: int


def data_parallel_descent(
    x: ArrayLike,
    y: ArrayLike,
    start: ArrayLike,
    *,
    batches: Sequence[Sequence[int]],
    ranks: int,
    rule: Rule,
    averaging: Averaging = "examples",
) -> ReplicaRun:
    """Fit a linear model on K ranks, each with its own weights, optimizer state and part of every batch.

    The loss is the mean squared error. In each step rank p sums the gradients ``2·(x_i·w − y_i)·x_i`` of its
    examples; the K sums and counts are added in the order of the ranks; each rank divides and updates its own
    weights. With Fractions for x, y, start and the rule's numbers every operation is exact.

    Args:
        x: Z × f features.
        y: N targets.
        start: d weights.
        batches: the examples of each step's global batch, as indices, at least one a step; dealt to the ranks in
            consecutive parts, the first ones longer by 1 where need be. Some may have none.
        ranks: K, at least 1; 1 is the big-batch step on one machine.
        rule: the optimizer; one with square roots cannot be exact.
        averaging: ``"examples"`` divides the sum of all gradients by the number of all examples; ``"ranks"`` averages
            the ranks' means, which is another gradient where the parts differ in size.

    Returns:
        The ranks' weights and the account.

    Raises:
        ValueError: an argument is out of its range, the shapes do not fit, or a rank without examples has no mean.

    Leaves out: how the all-reduce is carried out, which decides the bytes on the wire and the order of the sum.

    Example:
        >>> x, y = [[Fraction(1)], [Fraction(2)], [Fraction(3)]], [Fraction(1), Fraction(1), Fraction(1)]
        >>> for ranks in (1, 2):
        ...     run = data_parallel_descent(
        ...         x, y, [Fraction(0)], batches=[[0, 1, 2]], ranks=ranks, rule=GradientDescent(Fraction(1, 8))
        ...     )
        ...     print(run.replicas[:, 0])
        [Fraction(1, 2)]
        [Fraction(1, 2) Fraction(1, 2)]
    """
    features, targets, weights = _examples(x, y, start)
    count = positive_integer("ranks", ranks)
    if weights.dtype == object and not all(isinstance(number, Fraction | int) for number in vars(_rule(rule)).values()):
        raise ValueError(f"rule must have Fractions for its numbers where x, y and start have them, got {rule!r}")
    affordable("ranks × weights", count * max(len(weights), 1))
    one_of("averaging", averaging, AVERAGINGS)
    steps = [
        np.array_split(index_array(f"batches[{step}]", batch, population=len(targets), dimensions=1), count)
        for step, batch in enumerate(each("batches", batches, lambda _, batch: batch))
    ]
    replicas = [weights] * count
    states = [tuple(np.zeros_like(weights) for _ in range(_rule(rule).slots)) for _ in range(count)]
    gradients = []
    for number, parts in enumerate(steps, 1):
        with refusing_overflow("x, y, start and rule"):
            sums = [
                _gradient_sum(features[part], targets[part], replica)
                for part, replica in zip(parts, replicas, strict=True)
            ]
            gradient = _average(sums, [len(part) for part in parts], averaging)
            gradients.append(gradient)
            replicas = [
                rule.update(number, own, gradient, state, 1) for own, state in zip(replicas, states, strict=True)
            ]
    return ReplicaRun(
        replicas=np.stack(replicas),
        gradients=np.stack(gradients) if gradients else np.zeros((0, len(weights)), dtype=weights.dtype),
        shares=np.array([[len(part) for part in parts] for parts in steps], dtype=np.int64).reshape(-1, count),
        reduced_numbers=len(steps) * (len(weights) + 1),
    )


@dataclass(frozen=True)
class ClippedShards:
    """A gradient in shards, after clipping.

    Attributes:
        shards: one array per rank, of its own shape.
        global_norm: norm of the whole gradient before clipping.
        scale: what every shard was multiplied by.
        reduced_numbers: numbers that each rank put into the all-reduce: 1, its squared norm, whatever its shard's size.

    Example:
        >>> clipped = clip_by_global_norm([np.ones(9), np.ones(16)], max_norm=1.0)
        >>> clipped.global_norm, clipped.scale, clipped.reduced_numbers
        (5.0, 0.2, 1)
    """

    shards: tuple[FloatArray, ...]
    global_norm: float
    scale: float
    reduced_numbers: int


def clip_by_global_norm(shards: Sequence[ArrayLike], *, max_norm: float) -> ClippedShards:
    """Clip a gradient whose parts lie on several ranks, so that its direction stays what it was.

    Args:
        shards: each rank's part of the gradient, of any shape; no entry is in two of them.
        max_norm: the norm to clip to, above 0.

    Returns:
        The clipped shards and the account.

    Raises:
        ValueError: a shard is no array of finite numbers, the norm overflows, or ``max_norm`` is not above 0.

    Source: Pascanu et al. 2013, algorithm 1.

    Example:
        >>> clipped = clip_by_global_norm([np.array([3.0]), np.array([[0.0, 4.0]])], max_norm=2.5)
        >>> clipped.global_norm, [shard.tolist() for shard in clipped.shards]
        (5.0, [[1.5], [[0.0, 2.0]]])
    """
    arrays = each("shards", shards, finite_array)
    norms = [_norm(array) for array in arrays]
    norm = math.hypot(*norms)
    if math.isinf(norm):
        raise ValueError("shards must be smaller: their norm overflows")
    scale = gradient_clip_scale(norms, max_norm=max_norm)
    return ClippedShards(tuple(scale * array for array in arrays), norm, scale, reduced_numbers=1)


def _norm(array: FloatArray) -> float:
    """The Euclidean norm of all entries, scaled by the largest so that squares neither overflow nor vanish."""
    largest = float(np.abs(array).max(initial=0.0))
    return largest * float(np.linalg.norm((array / largest).ravel())) if largest else 0.0


def _gradient_sum(x: Array, y: Array, weights: Array) -> Array:
    """The sum of the examples' gradients of the squared error."""
    gradient: Array = 2 * ((x @ weights - y) @ x)  # (d,)
    return gradient


def _average(sums: list[Array], counts: list[int], averaging: Averaging) -> Array:
    """The averaged gradient from the ranks' sums and counts, added in the order of the ranks."""
    if averaging == "ranks":
        if 0 in counts:
            raise ValueError("batches must give each rank an example for its mean to exist")
        means = [total / count for total, count in zip(sums, counts, strict=True)]
        return sum(means[1:], start=means[0]) / len(means)
    if not sum(counts):
        raise ValueError("batches must hold at least one example each")
    return sum(sums[1:], start=sums[0]) / sum(counts)


def _examples(x: Any, y: Any, start: Any) -> tuple[Array, Array, Array]:
    """Return features, targets and weights, all exact or all floats, or raise ``ValueError``."""
    named = (("x", x, 2), ("y", y, 1), ("start", start, 1))
    features, targets, weights = (exact_or_finite_array(name, value, dimensions=axes) for name, value, axes in named)
    if len({features.dtype, targets.dtype, weights.dtype}) > 1:
        raise ValueError(
            f"x, y, start must all hold Fractions or none, got {features.dtype}, {targets.dtype}, {weights.dtype}"
        )
    if targets.shape != features.shape[:1] or weights.shape != features.shape[1:]:
        raise ValueError(
            f"x, y, start must have shapes Z × f, Z and f, got {features.shape}, {targets.shape}, {weights.shape}"
        )
    return features, targets, weights


def _points(name: str, value: Any, surface: Surface) -> FloatArray:
    """Return points of the surface's dimension, or raise ``ValueError``."""
    if not isinstance(surface, Surface):
        raise ValueError(f"surface must be a Surface, got {surface!r}")
    points = finite_array(name, value)
    if points.ndim == 0 or points.shape[-1] != surface.dimension:
        raise ValueError(f"{name} must have {surface.dimension} numbers in its last axis, got shape {points.shape}")
    return points


def _point(name: str, value: Any, surface: Surface) -> FloatArray:
    """Return one point of the surface's dimension, or raise ``ValueError``."""
    point = _points(name, value, surface)
    if point.ndim != 1:
        raise ValueError(f"{name} must be one point, got shape {point.shape}")
    return point


def _deviations(noise: Any, dimension: int) -> FloatArray:
    """Return the standard deviation of each entry's noise, or raise ``ValueError``."""
    deviations = finite_array("noise", noise)
    if deviations.shape not in ((), (dimension,)) or (deviations < 0).any():
        raise ValueError(f"noise must be a number of at least 0, or {dimension} of them, got {noise!r}")
    return deviations


def _rule(rule: Rule) -> Rule:
    """Return ``rule`` when it is an optimizer, or raise ``ValueError``."""
    if not (hasattr(rule, "slots") and hasattr(rule, "update")):
        raise ValueError(f"rule must be an optimizer, such as GradientDescent(0.1), got {rule!r}")
    return rule


def _below_one(name: str, value: Any) -> None:
    """Raise ``ValueError`` unless a number is at least 0 and below 1."""
    if nonnegative_number(name, value) >= 1:
        raise ValueError(f"{name} must be a number of at least 0 and below 1, got {value!r}")
