"""Formulas: how far the mean of a batch lies from the mean of all, and how sure a measured accuracy is.

Each example has a value: a number, or a gradient, whose variance is then the trace of its covariance. σ² is the
variance over the Z examples with every example counted once, divided by Z. Distances of gradients are Euclidean norms.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from snippets.domain import (
    finite_number,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)


def finite_population_factor(*, population: int, batch_size: int) -> float:
    r"""What drawing without replacement leaves of the variance of a batch's mean, ``(Z − B)/(Z − 1)``.

    Two draws without replacement have covariance −σ²/(Z − 1): what one batch member took, the others cannot take.

    Formula: $\varphi = \dfrac{Z-B}{Z-1}$
    Symbols: φ = result; Z = population; B = batch_size
    Chapter: A2

    Args:
        population: Z, examples to draw from, at least 1.
        batch_size: B, examples drawn, from 1 to Z.

    Returns:
        A number from 0 (the batch is the population) to 1 (a batch of one).

    Raises:
        ValueError: an argument is no integer of at least 1, or the batch is larger than the population.

    Source: Cochran 1977, theorem 2.2, whose S² divides by Z − 1: there the factor reads (Z − B)/Z.
    Convention: for a σ² that divides by Z. A population of one has no variance; its factor is 0.

    Example:
        >>> round(finite_population_factor(population=50_000, batch_size=256), 5)
        0.9949
    """
    population, batch_size = positive_integer("population", population), positive_integer("batch_size", batch_size)
    if batch_size > population:
        raise ValueError(f"batch_size must be at most the population, {population}, got {batch_size}")
    return (population - batch_size) / max(population - 1, 1)


def batch_variance(*, variance: float, batch_size: int, population: int | None = None) -> float:
    r"""Variance of a batch's mean: ``σ²/B`` with replacement, ``σ²/B·(Z − B)/(Z − 1)`` without.

    Formula: $\operatorname{Var}(\bar g_B) = \dfrac{\sigma^2}{B}\cdot\dfrac{Z-B}{Z-1}$
    Symbols: Var(g_B) = result; σ² = variance; B = batch_size; Z = population; with replacement the second fraction is 1
    Chapter: A2

    Args:
        variance: σ² of one example, at least 0; for gradients the trace of the covariance.
        batch_size: B, at least 1, and at most Z without replacement.
        population: Z for draws without replacement; left out for draws with replacement, or from an endless stream.

    Returns:
        The variance, in the unit of ``variance``.

    Source: Cochran 1977, theorem 2.2, for draws without replacement.
    Convention: σ² divides by Z.
    Leaves out: batches cut from one shuffled epoch. Each is a batch without replacement, but they depend on each other:
    where B divides Z, those of a whole epoch average to the full gradient exactly.

    Example:
        >>> batch_variance(variance=8.0, batch_size=4)
        2.0
        >>> batch_variance(variance=8.0, batch_size=4, population=5)
        0.5
    """
    variance = nonnegative_number("variance", variance)
    size = _count("batch_size", batch_size)
    factor = 1.0 if population is None else finite_population_factor(population=population, batch_size=batch_size)
    return variance / size * factor


def data_parallel_variance(*, variance: float, batch_size: int, ranks: int, population: int | None = None) -> float:
    r"""Variance of the average of R ranks' batch means: that of one batch of R·B_own.

    Formula: $\operatorname{Var} = \dfrac{\sigma^2}{RB_\text{own}}\cdot\dfrac{Z-RB_\text{own}}{Z-1}$
    Symbols: Var = result; σ² = variance; B_own = batch_size; R = ranks; Z = population; with replacement the second
    fraction is 1
    Chapter: A2

    Args:
        variance: σ² of one example, at least 0; for gradients the trace of the covariance.
        batch_size: B_own, examples per rank, at least 1.
        ranks: R, at least 1.
        population: Z for draws without replacement, in which no two ranks draw the same example: R·B_own is at most Z.
            Left out for draws with replacement.

    Returns:
        The variance, in the unit of ``variance``.

    Source: derived in this book.
    Convention: B_own is per rank, R·B_own the batch of a step.
    Leaves out: ranks that draw without replacement from the same Z but without regard to each other; theirs is
    ``batch_variance`` at B_own, divided by R, which is larger.

    Example:
        >>> data_parallel_variance(variance=8.0, batch_size=4, ranks=8) == batch_variance(variance=8.0, batch_size=32)
        True
    """
    size = positive_integer("batch_size", batch_size) * positive_integer("ranks", ranks)
    if population is not None and size > positive_integer("population", population):
        raise ValueError(f"ranks × batch_size must be at most the population, {population}, got {size}")
    _count("batch_size × ranks", size)
    return batch_variance(variance=variance, batch_size=size, population=population)


def rms_distance(*, variance: float, batch_size: int, batches: int = 1, population: int | None = None) -> float:
    r"""Root-mean-square distance of the mean of S_avg independent batches from the full mean, ``√(Var(g_B)/S_avg)``.

    Formula: $\sqrt{\mathbb{E}\lVert \bar g - g\rVert^2} = \sqrt{\dfrac{\sigma^2}{S_\text{avg}B}\cdot\dfrac{Z-B}{Z-1}}$
    Symbols: left side = result; σ² = variance; B = batch_size; S_avg = batches; Z = population; with replacement the
    second fraction is 1
    Chapter: A2

    Args:
        variance: σ² of one example, at least 0; for gradients the trace of the covariance.
        batch_size: B, at least 1.
        batches: S_avg, how many batches are averaged, at least 1.
        population: Z, for batches that are each drawn without replacement; S_avg may then be any number. Left
            out for draws with replacement.

    Returns:
        The distance, in the unit of the values.

    Source: derived in this book.
    Leaves out: the distance itself is random; this is the root of its mean square, an upper bound of its mean.

    Example:
        >>> rms_distance(variance=100.0, batch_size=25, batches=4)
        1.0
    """
    one = batch_variance(variance=variance, batch_size=batch_size, population=population)
    return math.sqrt(one / _count("batches", batches))


def chebyshev_bound(*, variance: float, samples: int, deviation: float) -> float:
    r"""Chebyshev's bound on the chance that a mean of J independent values is off by at least τ, ``σ²/(J·τ²)``.

    It falls to 0 as J grows, whatever the distribution: the weak law of large numbers.

    Also: Chebyshev's inequality
    Formula: $p\bigl(|\bar x - \mu| \ge \tau\bigr) \le \dfrac{\sigma^2}{J \tau^2}$
    Symbols: right side = result; σ² = variance; J = samples; τ = deviation
    Chapter: A2

    Args:
        variance: σ² of one value, at least 0.
        samples: J, at least 1.
        deviation: τ, above 0.

    Returns:
        The bound, at most 1.

    Source: Chebyshev's inequality.
    Convention: two-sided, ``p(|mean − expectation| ≥ τ)``. A bound above 1 says nothing and is returned as 1.

    Example:
        >>> chebyshev_bound(variance=0.25, samples=100, deviation=0.1)
        0.25
    """
    variance = nonnegative_number("variance", variance)
    count, deviation = _count("samples", samples), positive_number("deviation", deviation)
    ratio = math.sqrt(variance / count) / deviation  # the root first: τ² may underflow
    return min(ratio, 1.0) ** 2


def normal_tail(*, variance: float, samples: int, deviation: float) -> float:
    r"""What the central limit theorem gives for the chance that a mean of J values is off by at least τ.

    Formula: $p\bigl(|\bar x - \mu| \ge \tau\bigr) \approx \operatorname{erfc}\bigl(\tau\sqrt{J/(2\sigma^2)}\bigr)$
    Symbols: right side = result; σ² = variance; J = samples; τ = deviation
    Chapter: A2

    Args:
        variance: σ² of one value, at least 0.
        samples: J, at least 1.
        deviation: τ, above 0.

    Returns:
        The approximate probability: 0 where the variance is 0.

    Source: the central limit theorem.
    Convention: two-sided.
    Leaves out: the error of the approximation, which is relative and large far out in the tail: no bound.

    Example:
        >>> round(normal_tail(variance=1.0, samples=4, deviation=0.98), 4)
        0.05
    """
    variance = nonnegative_number("variance", variance)
    count, deviation = _count("samples", samples), positive_number("deviation", deviation)
    spread = math.sqrt(variance / count)
    return math.erfc(deviation / spread / math.sqrt(2)) if spread else 0.0


def hoeffding_bound(*, samples: int, deviation: float, width: float = 1.0) -> float:
    r"""Hoeffding's bound on the chance that a mean of J bounded values is off by at least τ, ``2·exp(−2Jτ²/ℓ²)``.

    Also: Hoeffding's inequality
    Formula: $p\bigl(|\bar x - \mu| \ge \tau\bigr) \le 2\exp\!\Bigl(-\dfrac{2J\tau^2}{\ell^2}\Bigr)$
    Symbols: right side = result; J = samples; τ = deviation; ℓ = width
    Chapter: A2

    Args:
        samples: J, at least 1.
        deviation: τ, above 0.
        width: ℓ, the length of the interval in which each value lies, above 0; 1 for right or wrong answers.

    Returns:
        The bound, at most 1.

    Source: Hoeffding 1963, theorem 2; theorem 4 for draws without replacement, for which it holds as well.
    Convention: two-sided; one-sided is half of it. A bound above 1 says nothing and is returned as 1.

    Example:
        >>> f"{hoeffding_bound(samples=10_000, deviation=0.02):.2e}"
        '6.71e-04'
    """
    count, ratio = _count("samples", samples), _ratio(deviation, width)
    return min(1.0, 2 * math.exp(-2 * count * ratio * ratio))


def hoeffding_deviation(*, samples: int, failure_probability: float, width: float = 1.0) -> float:
    r"""The deviation τ that Hoeffding's bound allows a mean of J values with probability δ, ``ℓ·√(ln(2/δ)/(2J))``.

    Formula: $\tau = \ell\sqrt{\dfrac{\ln(2/\delta)}{2J}}$
    Symbols: τ = result; J = samples; δ = failure_probability; ℓ = width
    Chapter: A2

    Args:
        samples: J, at least 1.
        failure_probability: δ, above 0 and below 1.
        width: ℓ, the length of the interval in which each value lies, above 0.

    Returns:
        τ: the mean lies within τ of the expectation with probability of at least 1 − δ.

    Source: Hoeffding 1963, theorem 2.
    Convention: two-sided.

    Example:
        >>> round(hoeffding_deviation(samples=10_000, failure_probability=0.05), 4)
        0.0136
    """
    count, width = _count("samples", samples), positive_number("width", width)
    return width * math.sqrt(_log_two_over(failure_probability) / (2 * count))


def hoeffding_samples(*, deviation: float, failure_probability: float, width: float = 1.0) -> int:
    r"""The fewest values whose mean Hoeffding's bound holds within τ with probability 1 − δ, ``⌈ℓ²·ln(2/δ)/(2τ²)⌉``.

    Formula: $J = \Bigl\lceil \dfrac{\ell^2 \ln(2/\delta)}{2\tau^2} \Bigr\rceil$
    Symbols: J = result; τ = deviation; δ = failure_probability; ℓ = width
    Chapter: A2

    Args:
        deviation: τ, above 0.
        failure_probability: δ, above 0 and below 1.
        width: ℓ, the length of the interval in which each value lies, above 0.

    Returns:
        J, at least 1.

    Raises:
        ValueError: an argument is out of its range, or J exceeds what floats can hold.

    Source: Hoeffding 1963, theorem 2.
    Convention: two-sided.

    Example:
        >>> hoeffding_samples(deviation=0.01, failure_probability=0.05)
        18445
    """
    ratio = _ratio(deviation, width)
    needed = _log_two_over(failure_probability) / 2
    needed = needed / ratio / ratio if ratio else math.inf
    if math.isinf(needed):
        raise ValueError(f"deviation must not be so small against the width {width!r}, got {deviation!r}")
    return max(1, math.ceil(needed))


def normal_interval(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    r"""The normal (Wald) confidence interval of an accuracy, ``p̂ ± z·√(p̂(1 − p̂)/J)``.

    Formula: $\hat p \pm z\sqrt{\dfrac{\hat p\,(1-\hat p)}{J}}$
    Symbols: both signs = result; p̂ = successes / trials; J = trials; z = normal quantile at (1 + confidence)/2
    Chapter: A2

    Args:
        successes: right answers, from 0 to J.
        trials: J, questions, at least 1.
        confidence: the wanted coverage, above 0 and below 1.

    Returns:
        (low, high). They may lie below 0 or above 1, and coincide when every answer is right or none is.

    Source: Newcombe 1998, method 1.
    Convention: z is the normal quantile at (1 + confidence)/2; no continuity correction; not cut off at 0 and 1.
    Leaves out: its true coverage near 0 and 1 is far below ``confidence``; ``wilson_interval`` is better there.

    Example:
        >>> [round(end, 4) for end in normal_interval(successes=81, trials=263)]
        [0.2522, 0.3638]
    """
    share, count, z = _accuracy(successes, trials, confidence)
    half = z * math.sqrt(share * (1 - share) / count)
    return share - half, share + half


def wilson_interval(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    r"""Wilson's confidence interval of an accuracy: all p whose own standard error explains the distance of p̂.

    Its ends solve ``(p̂ − p)² = z²·p(1 − p)/J``, which gives
    ``(p̂ + z²/2J ± z·√(p̂(1 − p̂)/J + z²/4J²))/(1 + z²/J)``.

    Formula: $\dfrac{\hat p + \frac{z^2}{2J} \pm z\sqrt{\frac{\hat p(1-\hat p)}{J} + \frac{z^2}{4J^2}}}{1 + z^2/J}$
    Symbols: both signs = result; p̂ = successes / trials; J = trials; z = normal quantile at (1 + confidence)/2
    Chapter: A2

    Args:
        successes: right answers, from 0 to J.
        trials: J, questions, at least 1.
        confidence: the wanted coverage, above 0 and below 1.

    Returns:
        (low, high), from 0 to 1.

    Source: Wilson 1927; Newcombe 1998, method 3.
    Convention: z is the normal quantile at (1 + confidence)/2; no continuity correction.
    Leaves out: questions that are not independent, such as several on one text.

    Example:
        >>> [round(end, 4) for end in wilson_interval(successes=81, trials=263)]
        [0.2553, 0.3662]
    """
    share, count, z = _accuracy(successes, trials, confidence)
    pull = z * z / count
    half = z * math.sqrt(share * (1 - share) / count + pull / (4 * count))
    low, high = ((share + pull / 2 + sign * half) / (1 + pull) for sign in (-1, 1))
    # At the ends the two terms are equal, and their difference only rounding.
    return (0.0 if successes == 0 else max(low, 0.0), 1.0 if successes == trials else min(high, 1.0))


def best_control_coefficient(*, covariance: float, control_variance: float) -> float:
    r"""The coefficient of a control variate that leaves the least variance, ``μ* = Cov(f, y)/Var(y)``.

    Instead of f, average ``f − μ·(y − E y)``, with a y whose expectation is known. Its mean is that of f for every μ.

    Formula: $\mu^\star = \dfrac{\operatorname{Cov}(f,y)}{\operatorname{Var}(y)}$
    Symbols: μ* = result; Cov(f, y) = covariance; Var(y) = control_variance
    Chapter: A2

    Args:
        covariance: Cov(f, y), any finite number.
        control_variance: Var(y), above 0.

    Returns:
        μ*.

    Source: derived in this book.

    Example:
        >>> best_control_coefficient(covariance=3.0, control_variance=2.0)
        1.5
    """
    coefficient = finite_number("covariance", covariance) / positive_number("control_variance", control_variance)
    if math.isinf(coefficient):
        raise ValueError(f"control_variance must not be so small against the covariance, got {control_variance!r}")
    return coefficient


def control_variate_variance(
    *, variance: float, covariance: float, control_variance: float, coefficient: float | None = None
) -> float:
    r"""Variance of ``f − μ·(y − E y)``: ``Var f − 2μ·Cov(f, y) + μ²·Var y``.

    Formula: $\operatorname{Var}(f) - 2\mu\operatorname{Cov}(f,y) + \mu^2\operatorname{Var}(y)$
    Symbols: whole = result; Var(f) = variance; Cov(f, y) = covariance; Var(y) = control_variance; μ = coefficient
    Chapter: A2

    Args:
        variance: Var(f), at least 0.
        covariance: Cov(f, y), any finite number whose square is at most Var(f)·Var(y).
        control_variance: Var(y), above 0.
        coefficient: μ, any finite number; the best one, Cov(f, y)/Var(y), where left out.

    Returns:
        The variance that is left, at least 0.

    Source: derived in this book.
    Convention: of one example; divide by B for a batch.

    Example:
        >>> control_variate_variance(variance=4.0, covariance=3.0, control_variance=4.0, coefficient=1.0)
        2.0
        >>> control_variate_variance(variance=4.0, covariance=3.0, control_variance=4.0)
        1.75
    """
    variance = nonnegative_number("variance", variance)
    best = best_control_coefficient(covariance=covariance, control_variance=control_variance)
    covariance, control_variance = float(covariance), float(control_variance)
    most = math.sqrt(variance) * math.sqrt(control_variance)
    if abs(covariance) > most * (1 + 1e-12):
        raise ValueError(f"covariance must be from −{most} to {most}, √(variance·control_variance), got {covariance!r}")
    used = best if coefficient is None else finite_number("coefficient", coefficient)
    # Completed square: what the best coefficient leaves, and what missing it adds.
    left = max(0.0, variance - best * covariance) + (used - best) * (used - best) * control_variance
    if math.isinf(left):
        raise ValueError(f"coefficient must leave a variance that floats can hold, got {coefficient!r}")
    return left


def control_variate_gain(correlation: float) -> float:
    r"""How many times fewer samples the best control variate needs for the same error, ``1/(1 − ρ²)``.

    Formula: $\dfrac{\operatorname{Var}(f)}{\operatorname{Var}(f - \mu^\star y)} = \dfrac{1}{1-\rho^2}$
    Symbols: left side = result; ρ = correlation
    Chapter: A2

    Args:
        correlation: ρ of f and y, from −1 to 1.

    Returns:
        At least 1; infinite for a perfect correlation, which leaves no variance.

    Raises:
        ValueError: ``correlation`` is no number from −1 to 1.

    Source: derived in this book.
    Leaves out: the work of evaluating y and of knowing its expectation.

    Example:
        >>> round(control_variate_gain(0.9), 2)
        5.26
    """
    rho = finite_number("correlation", correlation)
    if abs(rho) > 1:
        raise ValueError(f"correlation must be a number from -1 to 1, got {correlation!r}")
    return math.inf if abs(rho) == 1 else 1 / ((1 - rho) * (1 + rho))


def _count(name: str, value: int) -> float:
    """Return an integer of at least 1 as a float, or raise ``ValueError``, also where it is beyond floats."""
    return positive_number(name, positive_integer(name, value))


def _fraction(name: str, value: float) -> float:
    """Return a number strictly between 0 and 1, or raise ``ValueError``."""
    number = finite_number(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be a number above 0 and below 1, got {value!r}")
    return number


def _log_two_over(failure_probability: float) -> float:
    """ln(2/δ), checked, and finite however small δ is."""
    return math.log(2) - math.log(_fraction("failure_probability", failure_probability))


def _ratio(deviation: float, width: float) -> float:
    """τ/ℓ, both checked; at most 1e150, where its square is still finite and every tail is 0."""
    return min(positive_number("deviation", deviation) / positive_number("width", width), 1e150)


def _accuracy(successes: int, trials: int, confidence: float) -> tuple[float, float, float]:
    """The share of right answers, the number of questions, and the normal quantile, all checked."""
    count = _count("trials", trials)
    if nonnegative_integer("successes", successes) > trials:
        raise ValueError(f"successes must be at most the trials, {trials}, got {successes}")
    upper = (1 + _fraction("confidence", confidence)) / 2
    if upper == 1:
        raise ValueError(f"confidence must be below 1 by more than rounding, got {confidence!r}")
    return successes / trials, count, NormalDist().inv_cdf(upper)
