"""Formulas: the expected error of least squares with any number of features, and of ridge regression's best penalty.

The features are independent standard normal numbers. A result is their weighted sum plus noise, and φ of the features
are used. Those that are not used are noise to whoever fits: the signal ρ² is the sum of the squared weights of the used
ones, the noise σ² that of the others plus the noise in the result itself.
"""

from __future__ import annotations

import math

from snippets.domain import as_float, nonnegative_integer, nonnegative_number, positive_integer, positive_number


def min_norm_error(*, examples: int, features: int, signal: float, noise: float) -> float:
    r"""Return the expected squared error, on a new example, of the least-squares fit of least norm.

    Also: double descent
    Formula: $\sigma^2\left(1 + \frac{\min(\nu, \phi)}{|\nu-\phi|-1}\right) + \rho^2\left[1 - \frac \nu \phi\right]_+$
    Symbols: ν = examples; φ = features; ρ² = signal; σ² = noise; [·]₊ is 0 for negative numbers
    Chapter: 10

    Args:
        examples: ν, from which the weights are fitted.
        features: φ, which are used, at least 0.
        signal: ρ², the sum of the squared weights of the used features, at least 0.
        noise: σ², the variance of what they leave unexplained, at least 0.

    Returns:
        The expected square, the unexplained part of the new example included. Infinite for ν − 1, ν and ν + 1
        features, unless there is no noise.

    Source: Belkin, Hsu and Xu 2020, the Gaussian model; derived in the chapter from the mean of 1/χ².
    Convention: the mean over all sets of examples. Near φ = ν it is far above the median.
    Leaves out: correlated features, and those that are not normal.

    Example:
        >>> min_norm_error(examples=40, features=19, signal=0.5, noise=1.0)
        1.95
        >>> min_norm_error(examples=40, features=80, signal=0.5, noise=0.0)
        0.25
    """
    ν, φ = positive_integer("examples", examples), nonnegative_integer("features", features)
    ρ2, σ2 = nonnegative_number("signal", signal), nonnegative_number("noise", noise)
    unseen = ρ2 * max(0.0, 1 - ν / φ) if φ else 0.0
    if abs(φ - ν) < 2:
        return math.inf if σ2 else unseen
    return as_float("signal and noise", σ2 * (1 + min(ν, φ) / (abs(ν - φ) - 1)) + unseen)


def best_ridge(*, features: int, signal: float, noise: float) -> float:
    r"""Return the penalty of ridge regression whose expected error is least.

    Formula: $\lambda = \frac{\phi\,\sigma^2}{\rho^2}$
    Symbols: λ = result; φ = features; ρ² = signal; σ² = noise
    Chapter: 10

    Args:
        features: φ, which are used.
        signal: ρ², the sum of the squared weights of the used features, above 0.
        noise: σ², the variance of what they leave unexplained, at least 0.

    Returns:
        λ, for the penalty λ·|θ|² beside the sum of squared errors over the examples.

    Source: Nakkiran, Venkat, Kakade and Ma 2021, for independent normal features of one variance.
    Convention: beside the *sum* of squares; beside their mean it is λ/ν.
    Leaves out: that ρ² and σ² have to be known or tried out.

    Example:
        >>> best_ridge(features=500, signal=1.0, noise=0.25)
        125.0
    """
    φ, ρ2 = positive_integer("features", features), positive_number("signal", signal)
    return as_float("features, signal and noise", φ * (nonnegative_number("noise", noise) / ρ2))
