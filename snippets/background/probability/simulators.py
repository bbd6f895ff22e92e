"""Simulators: batches of the examples of a linear regression, and how far their gradients lie from the full one.

The loss is the mean over examples of the squared error ``(x_i·w − y_i)²``, so an example's gradient is
``2·(x_i·w − y_i)·x_i``. ``snippets.background.probability.formulas`` has the closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import affordable, finite_array, index_array, random_generator, refusing_overflow
from snippets.domain import finite_number, nonnegative_number, one_of, positive_integer

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

Sampling = Literal["with_replacement", "without_replacement", "epochs"]
SAMPLINGS: tuple[Sampling, ...] = ("with_replacement", "without_replacement", "epochs")

_NUMBERS_AT_ONCE = 2**17  # gathered gradients: 1 MiB, about what a cache near a core holds


@dataclass(frozen=True)
class Regression:
    """A linear regression and the weights at which its gradients are taken.

    Attributes:
        x: Z × f features, Z and f at least 1.
        y: Z targets.
        weights: d weights w.

    Raises:
        ValueError: the shapes do not fit, or a number is not finite.

    Example:
        >>> Regression(x=[[1.0, 0.0], [0.0, 2.0]], y=[1.0, 0.0], weights=[0.0, 1.0]).full_gradient()
        array([-1.,  4.])
    """

    x: FloatArray
    y: FloatArray
    weights: FloatArray

    def __post_init__(self) -> None:
        for name, dimensions in (("x", 2), ("y", 1), ("weights", 1)):
            object.__setattr__(self, name, finite_array(name, getattr(self, name), dimensions=dimensions))
        if not self.x.size:
            raise ValueError(f"x must hold at least one example with one feature, got shape {self.x.shape}")
        if self.y.shape != self.x.shape[:1]:
            raise ValueError(f"y must have one target per row of x, {len(self.x)}, got shape {self.y.shape}")
        if self.weights.shape != self.x.shape[1:]:
            raise ValueError(f"weights must have one entry per feature, {self.x.shape[1]}, got {self.weights.shape}")

    def at(self, weights: ArrayLike) -> Regression:
        """The same examples, with gradients taken at other weights, d numbers; ``ValueError`` where they do not fit.

        >>> Regression(np.ones((2, 1)), np.ones(2), np.ones(1)).at([2.0]).full_gradient()
        array([2.])
        """
        return Regression(self.x, self.y, finite_array("weights", weights, dimensions=1))

    def example_gradients(self) -> FloatArray:
        """The gradient of each example's squared error, Z × f; ``ValueError`` where it overflows."""
        with refusing_overflow("x, y and weights"):
            return _example_gradients(self, self.weights)

    def full_gradient(self) -> FloatArray:
        """The gradient of the mean over all examples, d numbers; ``ValueError`` where it overflows."""
        with refusing_overflow("x, y and weights"):
            gradient: FloatArray = self.example_gradients().mean(axis=0)
        return gradient


def draw_regression(generator: np.random.Generator, *, examples: int, dimension: int, noise: float = 0.1) -> Regression:
    """Draw a regression: standard normal features, true weights and starting weights; targets with normal noise.

    The draws come in this order: features, true weights, noise, starting weights. Batches may follow from the same
    generator.

    Args:
        generator: source of the draws; it is advanced.
        examples: Z, at least 1.
        dimension: d, at least 1.
        noise: standard deviation of the targets about the true line, at least 0.

    Returns:
        The regression, at its starting weights.

    Example:
        >>> problem = draw_regression(np.random.default_rng(7), examples=50_000, dimension=20)
        >>> round(float(np.linalg.norm(problem.full_gradient())), 4)
        14.5014
    """
    random_generator("generator", generator)
    shape = positive_integer("examples", examples), positive_integer("dimension", dimension)
    affordable("examples × dimension", shape[0] * shape[1])
    noise = nonnegative_number("noise", noise)
    x, true_weights = generator.standard_normal(shape), generator.standard_normal(shape[1])
    with refusing_overflow("noise"):
        y = x @ true_weights + noise * generator.standard_normal(shape[0])
    return Regression(x=x, y=y, weights=generator.standard_normal(shape[1]))


def draw_batches(
    generator: np.random.Generator,
    *,
    population: int,
    batch_size: int,
    batches: int,
    sampling: Sampling = "with_replacement",
) -> IndexArray:
    """Draw which examples each of S batches holds.

    Args:
        generator: source of the draws; it is advanced.
        population: Z, at least 1.
        batch_size: B, at least 1; at most Z unless drawn with replacement.
        batches: S, at least 1.
        sampling: ``"with_replacement"`` draws every member anew from all Z; ``"without_replacement"`` draws each batch
            from all Z, no example twice in it; ``"epochs"`` shuffles all Z, cuts them into ⌊Z/B⌋ batches, drops the
            remainder, and begins again.

    Returns:
        S × B indices from 0 to Z − 1. Without replacement, their order within a batch is arbitrary.

    Example:
        >>> batches = draw_batches(np.random.default_rng(0), population=6, batch_size=2, batches=3, sampling="epochs")
        >>> sorted(batches.ravel().tolist())
        [0, 1, 2, 3, 4, 5]
    """
    random_generator("generator", generator)
    n, size = positive_integer("population", population), positive_integer("batch_size", batch_size)
    m = positive_integer("batches", batches)
    affordable("population", n)
    affordable("batches × batch_size", m * size)
    if one_of("sampling", sampling, SAMPLINGS) == "with_replacement":
        return generator.integers(0, n, size=(m, size))
    if size > n:
        raise ValueError(f"batch_size must be at most the population, {n}, got {size}")
    if sampling == "without_replacement":
        return np.stack([generator.choice(n, size=size, replace=False, shuffle=False) for _ in range(m)])
    per_epoch = n // size
    epochs = (generator.permutation(n)[: per_epoch * size] for _ in range(-(-m // per_epoch)))
    return np.concatenate([epoch.reshape(per_epoch, size) for epoch in epochs])[:m]


@refusing_overflow("example_gradients")
def batch_gradients(example_gradients: ArrayLike, indices: ArrayLike) -> FloatArray:
    """The gradient of each batch: the mean of its examples' gradients.

    Args:
        example_gradients: Z × f, one gradient a row.
        indices: S × B, the examples of each batch; B at least 1.

    Returns:
        S × f, one batch gradient a row.

    Raises:
        ValueError: the shapes do not fit, a gradient is not finite, or an index is out of range.

    Example:
        >>> batch_gradients(np.array([[0.0], [1.0], [5.0]]), np.array([[0, 1], [2, 2]])).tolist()
        [[0.5], [5.0]]
    """
    gradients = finite_array("example_gradients", example_gradients, dimensions=2)
    members = index_array("indices", indices, population=len(gradients), dimensions=2)
    if not members.shape[1]:
        raise ValueError(f"indices must hold at least one example per batch, got shape {members.shape}")
    result = np.empty((len(members), gradients.shape[1]))
    rows = max(1, _NUMBERS_AT_ONCE // max(members.shape[1] * gradients.shape[1], 1))
    for start in range(0, len(members), rows):  # in pieces, so that the gathered gradients stay small
        result[start : start + rows] = gradients.take(members[start : start + rows], axis=0).mean(axis=1)
    return result


@refusing_overflow("gradients")
def combine_ranks(gradients: ArrayLike, *, ranks: int) -> FloatArray:
    """Average the batch gradients of R ranks, as data parallelism does: batches 0 … R − 1 make step 0, and so on.

    Args:
        gradients: S × f batch gradients, R dividing S.
        ranks: R, at least 1.

    Returns:
        S/R × f gradients.

    Raises:
        ValueError: an argument is out of its range, or R does not divide S.

    Example:
        >>> combine_ranks(np.array([[1.0], [3.0], [5.0], [9.0]]), ranks=2).tolist()
        [[2.0], [7.0]]
    """
    gradients, count = finite_array("gradients", gradients, dimensions=2), positive_integer("ranks", ranks)
    if len(gradients) % count:
        raise ValueError(f"ranks must divide the number of batches, {len(gradients)}, got {ranks}")
    steps = len(gradients) // count
    combined: FloatArray = gradients.reshape(steps, count, gradients.shape[1]).mean(axis=1)  # (steps, d)
    return combined


@refusing_overflow("problem, reference and coefficient")
def control_variate_gradients(
    problem: Regression, reference: ArrayLike, indices: ArrayLike, *, coefficient: float = 1.0
) -> FloatArray:
    """Batch gradients with the gradient at reference weights as control variate: ``g_B(w) − μ·(g_B(v) − g(v))``.

    Args:
        problem: the regression, with the weights w.
        reference: v, d weights at which the full gradient is known.
        indices: S × B, the examples of each batch.
        coefficient: μ, any finite number; 1 is what variance-reduced SGD takes.

    Returns:
        S × f gradients, with the same expectation as those of ``batch_gradients`` for every μ.

    Raises:
        ValueError: the shapes do not fit, or a number is not finite.

    Source: Johnson and Zhang 2013, for μ = 1.

    Example:
        >>> problem = draw_regression(np.random.default_rng(1), examples=100, dimension=3)
        >>> gradients = control_variate_gradients(problem, problem.weights, np.array([[4, 9]]))
        >>> bool(np.allclose(gradients, problem.full_gradient()))
        True
    """
    if not isinstance(problem, Regression):
        raise ValueError(f"problem must be a Regression, got {problem!r}")
    mu = finite_number("coefficient", coefficient)
    known = finite_array("reference", reference, dimensions=1)
    if known.shape != problem.weights.shape:
        raise ValueError(f"reference must have one entry per weight, {len(problem.weights)}, got shape {known.shape}")
    control = _example_gradients(problem, known)  # (Z, f)
    own = _example_gradients(problem, problem.weights)
    return batch_gradients(own - mu * (control - control.mean(axis=0)), indices)


@refusing_overflow("example_gradients")
def gradient_variance(example_gradients: ArrayLike) -> float:
    """The variance of one example's gradient: the mean squared distance from the full one, the covariance's trace.

    Args:
        example_gradients: Z × f, one gradient a row, Z at least 1.

    Returns:
        ``σ² = Σ_i ‖g_i − g‖²/Z``.

    Raises:
        ValueError: the array has no row, is no matrix, or a number is not finite.

    Convention: divides by Z, as ``snippets.background.probability.formulas`` wants it.

    Example:
        >>> gradient_variance(np.array([[0.0, 0.0], [2.0, 2.0]]))
        2.0
    """
    gradients = _rows("example_gradients", example_gradients)
    return float(((gradients - gradients.mean(axis=0)) ** 2).sum() / len(gradients))


@dataclass(frozen=True)
class Comparison:
    """How the mean of S batch gradients compares with the full gradient.

    Attributes:
        full_norm: norm of the full gradient.
        distance: norm of the difference between the mean of the batch gradients and the full gradient.
        relative: ``distance/full_norm``; infinite where the full gradient is 0 and the distance is not.
        batch_variance: mean squared distance of a batch gradient from the full one.

    Example:
        >>> compare_with_full(np.array([[1.0], [5.0]]), np.array([2.0]))
        Comparison(full_norm=2.0, distance=1.0, relative=0.5, batch_variance=5.0)
    """

    full_norm: float
    distance: float
    relative: float
    batch_variance: float


@refusing_overflow("gradients and full")
def compare_with_full(gradients: ArrayLike, full: ArrayLike) -> Comparison:
    """Measure how far S batch gradients, and their mean, lie from the full gradient.

    Args:
        gradients: S × f, one batch gradient a row, S at least 1.
        full: d numbers.

    Returns:
        Norms and distances.

    Raises:
        ValueError: the shapes do not fit, or a number is not finite.

    Example:
        >>> generator = np.random.default_rng(7)
        >>> problem = draw_regression(generator, examples=50_000, dimension=20)
        >>> batches = draw_batches(generator, population=50_000, batch_size=256, batches=20_000)
        >>> found = compare_with_full(batch_gradients(problem.example_gradients(), batches), problem.full_gradient())
        >>> print(f"{found.full_norm:.4f} {found.distance:.2e} {found.relative:.2e}")
        14.5014 2.83e-02 1.95e-03
    """
    gradients, full = _batches_and_full(gradients, full)
    norm, distance = float(np.linalg.norm(full)), float(np.linalg.norm(gradients.mean(axis=0) - full))
    relative = distance / norm if norm else float("inf") if distance else 0.0
    return Comparison(norm, distance, relative, float(((gradients - full) ** 2).sum(axis=1).mean()))


@refusing_overflow("gradients and full")
def running_distances(gradients: ArrayLike, full: ArrayLike) -> FloatArray:
    """Distance from the full gradient to the mean of the first 1, 2, …, S batch gradients.

    Args:
        gradients: S × f, one batch gradient a row, S at least 1.
        full: d numbers.

    Returns:
        S distances.

    Raises:
        ValueError: the shapes do not fit, or a number is not finite.

    Example:
        >>> running_distances(np.array([[3.0], [1.0], [2.0]]), np.array([2.0])).tolist()
        [1.0, 0.0, 0.0]
    """
    gradients, full = _batches_and_full(gradients, full)
    means = np.cumsum(gradients, axis=0) / np.arange(1, len(gradients) + 1)[:, None]  # (S, f)
    distances: FloatArray = np.linalg.norm(means - full, axis=1)  # (S,)
    return distances


def _example_gradients(problem: Regression, weights: FloatArray) -> FloatArray:
    gradients: FloatArray = 2 * (problem.x @ weights - problem.y)[:, None] * problem.x  # (Z, f)
    return gradients


def _rows(name: str, value: ArrayLike) -> FloatArray:
    """Return a matrix with at least one row, or raise ``ValueError``."""
    array = finite_array(name, value, dimensions=2)
    if not len(array):
        raise ValueError(f"{name} must have at least one row, got shape {array.shape}")
    return array


def _batches_and_full(gradients: ArrayLike, full: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return S × f and f numbers, S at least 1, or raise ``ValueError``."""
    gradients, full = _rows("gradients", gradients), finite_array("full", full, dimensions=1)
    if full.shape != gradients.shape[1:]:
        raise ValueError(f"full must have one entry per column of gradients, {gradients.shape[1]}, got {full.shape}")
    return gradients, full
