"""Simulators: least squares and ridge regression on drawn examples, and their errors on new ones.

Nothing here knows the formulas of ``double_descent``. A fit's error is exact given its weights: new features are
independent, so the expected square is that of the weights' errors, plus the noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import at_most, nonnegative_integer, nonnegative_number, positive_integer

Floats = NDArray[np.float64]
_MOST = 2**25  # numbers drawn in one call


def weak_weights(features: int) -> Floats:
    """Return weights of which the j-th explains a share proportional to 1/j, all together a variance of 1.

    Args:
        features: how many, at most 10,000.

    >>> (weak_weights(2) ** 2).round(3).tolist()
    [0.667, 0.333]
    """
    shares = 1 / np.arange(1, at_most("features", positive_integer("features", features), 10_000) + 1)
    return np.asarray(np.sqrt(shares / shares.sum()))


@refusing_overflow("weights, noise_variance and penalty")
def fitted_errors(
    weights: ArrayLike,
    *,
    examples: int,
    features: int,
    noise_variance: float,
    trials: int,
    seed: int,
    penalty: float = 0.0,
) -> Floats:
    """Return the expected squared error on a new example of each of many fits, each to examples of its own.

    Args:
        weights: true weights of all features.
        examples: n, of one fit, at most 1000.
        features: d, how many of the features are used, the first ones, at least 0 and at most all.
        noise_variance: of a result, at least 0.
        trials: how many fits, at most 100,000.
        seed: of the random numbers, at least 0.
        penalty: λ of ridge regression, at least 0; 0 takes the least-squares fit, and of several the one of least norm.

    Returns:
        An error for each fit.

    >>> fitted_errors([1.0], examples=2, features=0, noise_variance=0.5, trials=2, seed=0).tolist()
    [1.5, 1.5]
    """
    true = finite_array("weights", weights, dimensions=1)
    n, d = at_most("examples", positive_integer("examples", examples), 1000), at_most("features", features, len(true))
    sigma2, ridge = nonnegative_number("noise_variance", noise_variance), nonnegative_number("penalty", penalty)
    count = at_most("trials", positive_integer("trials", trials), 100_000)
    at_most("weights × examples × trials", len(true) * n * count, _MOST)
    generator = np.random.default_rng(nonnegative_integer("seed", seed))
    drawn = generator.standard_normal((count, n, len(true)))  # (trials, n, all features)
    results = drawn @ true + np.sqrt(sigma2) * generator.standard_normal((count, n))  # (trials, n)
    off = np.tile(true, (count, 1))  # (trials, all features)
    if d:
        used = drawn[:, :, :d]
        flipped = used.transpose(0, 2, 1)  # (trials, d, n)
        wide = d > n  # the smaller of the two systems has the same solution
        gram = used @ flipped if wide else flipped @ used  # (trials, smaller, smaller)
        gram += ridge * np.eye(gram.shape[-1])
        right = results[:, :, None] if wide else flipped @ results[:, :, None]  # (trials, smaller, 1)
        solved = np.linalg.solve(gram, right)
        off[:, :d] -= (flipped @ solved if wide else solved)[:, :, 0]
    return np.asarray((off**2).sum(axis=1) + sigma2)
