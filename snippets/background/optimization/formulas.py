"""Formulas: how fast descent gets down a quadratic, how low noise lets it get, and what optimizers multiply.

A quadratic falls apart into its eigendirections. Along one of curvature λ the loss is ``λy²/2``, its gradient ``λy``,
and each method below is a recurrence in one number. Curvatures lie between the smallest, λ_min, and the largest, λ_max.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.domain import (
    each,
    finite_number,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
)


def condition_number(*, smallest_curvature: float, largest_curvature: float) -> float:
    r"""Condition number of a quadratic, ``κ = λ_max/λ_min``.

    Formula: $\kappa = \dfrac{\lambda_{\max}}{\lambda_{\min}}$
    Symbols: κ = result; λ_max = largest_curvature; λ_min = smallest_curvature
    Chapter: A3

    Args:
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, at least λ_min.

    Returns:
        κ, at least 1.

    Raises:
        ValueError: a curvature is not above 0, or the smallest exceeds the largest.

    Source: the definition.

    Example:
        >>> condition_number(smallest_curvature=0.5, largest_curvature=50.0)
        100.0
    """
    smallest, largest = _curvatures(smallest_curvature, largest_curvature)
    given = smallest_curvature, largest_curvature
    return _finite("smallest_curvature and largest_curvature", given, largest / smallest)


def largest_stable_step(largest_curvature: float, *, momentum: float = 0.0) -> float:
    r"""The step size from which descent no longer converges, ``2(1 + μ)/λ_max``; without momentum ``2/λ_max``.

    Formula: $\eta < \dfrac{2(1+\mu)}{\lambda_{\max}}$
    Symbols: right side = result; λ_max = largest_curvature; μ = momentum
    Chapter: A3

    Args:
        largest_curvature: λ_max, above 0.
        momentum: μ of the heavy ball, at least 0 and below 1.

    Returns:
        The bound: every step size above 0 and below it converges; at it, the steepest direction swings for ever.

    Source: Polyak 1964 for the heavy ball.
    Convention: the heavy ball is ``y ← y − η·g + μ·(y − y_previous)``.
    Leaves out: a loss that is no quadratic. Where λ_max bounds the curvature everywhere, the bound without momentum
    still holds; with momentum it does not in general.

    Example:
        >>> largest_stable_step(50.0)
        0.04
    """
    largest, beta = positive_number("largest_curvature", largest_curvature), _share("momentum", momentum)
    return _finite("largest_curvature", largest_curvature, 2 * (1 + beta) / largest)


def best_gradient_descent_step(*, smallest_curvature: float, largest_curvature: float) -> float:
    r"""The step size at which gradient descent on a quadratic is fastest where it is slowest, ``2/(λ_min + λ_max)``.

    At it, the flattest and the steepest direction shrink by the same factor, one of them changing its sign.

    Formula: $\eta^\star = \dfrac{2}{\lambda_{\min} + \lambda_{\max}}$
    Symbols: η* = result; λ_min = smallest_curvature; λ_max = largest_curvature
    Chapter: A3

    Args:
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, at least λ_min.

    Returns:
        η.

    Raises:
        ValueError: a curvature is not above 0, or the smallest exceeds the largest.

    Source: Polyak 1964; Nesterov 2004, theorem 2.1.15, for every strongly convex loss.

    Example:
        >>> best_gradient_descent_step(smallest_curvature=1.0, largest_curvature=9.0)
        0.2
    """
    smallest, largest = _curvatures(smallest_curvature, largest_curvature)
    middle = smallest / 2 + largest / 2  # halves first: the sum may overflow
    return _finite("largest_curvature", largest_curvature, 1 / middle if middle else math.inf)


def gradient_descent_rate(*, step: float, smallest_curvature: float, largest_curvature: float) -> float:
    r"""Factor by which a descent step shrinks the distance on a quadratic, ``max(|1 − ηλ_min|, |1 − ηλ_max|)``.

    Formula: $\rho = \max\bigl(|1-\eta\lambda_{\min}|,\ |1-\eta \lambda_{\max}|\bigr)$
    Symbols: ρ = result; η = the argument step; λ_min = smallest_curvature; λ_max = largest_curvature
    Chapter: A3

    Args:
        step: η, at least 0.
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, at least λ_min.

    Returns:
        The factor in the slowest direction: below 1 the method converges, above 1 it diverges.

    Source: derived in this book.
    Convention: of the distance to the minimum; the loss shrinks by the square.

    Example:
        >>> gradient_descent_rate(step=0.2, smallest_curvature=1.0, largest_curvature=9.0)
        0.8
    """
    smallest, largest = _curvatures(smallest_curvature, largest_curvature)
    eta = nonnegative_number("step", step)
    return _finite("step", step, max(abs(1 - eta * smallest), abs(1 - eta * largest)))


def best_gradient_descent_rate(condition: float) -> float:
    r"""The factor per step of gradient descent at its best step size, ``(κ − 1)/(κ + 1)``.

    Formula: $\rho^\star = \dfrac{\kappa-1}{\kappa+1}$
    Symbols: ρ* = result; κ = condition
    Chapter: A3

    Args:
        condition: κ, at least 1.

    Returns:
        The factor, at least 0 and below 1.

    Source: Polyak 1964; Nesterov 2004, theorem 2.1.15.
    Convention: of the distance to the minimum; the loss shrinks by the square.

    Example:
        >>> best_gradient_descent_rate(9.0)
        0.8
    """
    kappa = _at_least_one("condition", condition)
    return (kappa - 1) / (kappa + 1)


def steps_to_shrink(*, rate: float, remainder: float) -> int:
    r"""The fewest steps after which a factor of ρ per step leaves at most a share r, ``⌈ln r/ln ρ⌉``.

    Formula: $S = \Bigl\lceil \dfrac{\ln \varphi}{\ln \rho} \Bigr\rceil$
    Symbols: S = result; φ = remainder; ρ = rate
    Chapter: A3

    Args:
        rate: ρ, the factor per step, at least 0 and below 1.
        remainder: φ, the share of the first distance that may be left, above 0 and at most 1.

    Returns:
        Steps, at least 0.

    Source: derived in this book from the rate's definition.
    Leaves out: the polynomial factor with which a method at its best momentum starts, which a rate does not see.

    Example:
        >>> steps_to_shrink(rate=0.8, remainder=0.01)
        21
        >>> steps_to_shrink(rate=0.5, remainder=0.125)
        3
    """
    rho, left = _share("rate", rate), positive_number("remainder", remainder)
    if left > 1:
        raise ValueError(f"remainder must be a number above 0 and at most 1, got {remainder!r}")
    if left == 1 or rho == 0:
        return int(left < 1)
    steps = math.ceil(math.log(left) / math.log(rho))
    # Rounding may have lifted an exact quotient above its integer, or pushed it below.
    return steps - 1 if rho ** (steps - 1) <= left else steps if rho**steps <= left else steps + 1


def momentum_matrix(*, step: float, momentum: float, curvature: float) -> tuple[tuple[float, float], ...]:
    r"""The heavy ball along one direction, as a matrix that takes (x_t, x_{t−1}) to (x_{t+1}, x_t).

    From ``y_{τ+1} = y_τ − ηλy_τ + μ(y_τ − y_{τ−1})``.

    Formula: $G = \begin{pmatrix} 1+\mu-\eta\lambda & -\mu \\ 1 & 0 \end{pmatrix}$
    Symbols: G = result; η = the argument step; μ = momentum; λ = curvature
    Chapter: A3

    Args:
        step: η, at least 0.
        momentum: μ, at least 0 and below 1.
        curvature: λ, above 0.

    Returns:
        The rows of the 2 × 2 matrix.

    Source: Polyak 1964.
    Convention: the same path as ``v ← μv + g; x ← x − ηv`` from v = 0, for a constant η.

    Example:
        >>> momentum_matrix(step=0.5, momentum=0.25, curvature=1.0)
        ((0.75, -0.25), (1.0, 0.0))
    """
    eta, beta = nonnegative_number("step", step), _share("momentum", momentum)
    first = _finite("step", step, 1 + beta - eta * positive_number("curvature", curvature))
    return (first, -beta), (1.0, 0.0)


def momentum_spectral_radius(*, step: float, momentum: float, curvature: float) -> float:
    r"""Factor by which a heavy-ball step shrinks the distance along one direction in the long run.

    The eigenvalues of ``momentum_matrix`` solve ``z² − τz + μ = 0`` with ``τ = 1 + μ − ηλ``. While ``τ² ≤ 4μ`` they are
    a complex pair of modulus √μ, whatever the curvature; beyond, the larger is ``(|τ| + √(τ² − 4μ))/2``.

    Formula: $\rho = \max_\pm \tfrac12\,\Bigl|\nu \pm \sqrt{\nu^2-4\mu}\Bigr|,\quad \nu = 1+\mu-\eta\lambda$
    Symbols: ρ = result; η = the argument step; μ = momentum; λ = curvature
    Chapter: A3

    Args:
        step: η, at least 0.
        momentum: μ, at least 0 and below 1.
        curvature: λ, above 0.

    Returns:
        The largest modulus of an eigenvalue.

    Source: Polyak 1964.
    Leaves out: growth before the long run begins; where ``ν² = 4μ`` the distance shrinks as ``τ·ρ^τ``.

    Example:
        >>> momentum_spectral_radius(step=0.25, momentum=0.25, curvature=1.0)
        0.5
        >>> momentum_spectral_radius(step=0.25, momentum=0.0, curvature=1.0)
        0.75
    """
    (first, minus_beta), _ = momentum_matrix(step=step, momentum=momentum, curvature=curvature)
    trace, beta = abs(first), -minus_beta
    edge = 2 * math.sqrt(beta)
    if trace <= edge:
        return math.sqrt(beta)
    return trace / 2 + math.sqrt(trace - edge) * math.sqrt(trace + edge) / 2


def momentum_rate(*, step: float, momentum: float, smallest_curvature: float, largest_curvature: float) -> float:
    r"""The long-run factor per step of the heavy ball on a quadratic: the spectral radius in the slowest direction.

    The radius is largest at one end of the curvatures, since it grows with |τ| and ``τ = 1 + μ − ηλ`` is linear in λ.

    Formula: $\rho = \max\bigl(\rho(G_{\lambda_{\min}}),\ \rho(G_{\lambda_{\max}})\bigr)$
    Symbols: ρ = result; G_λ = momentum_matrix at curvature λ; λ_min = smallest_curvature; λ_max = largest_curvature
    Chapter: A3

    Args:
        step: η, at least 0.
        momentum: μ, at least 0 and below 1.
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, at least λ_min.

    Returns:
        The factor: below 1 the method converges, above 1 it diverges.

    Source: Polyak 1964.
    Convention: of the distance to the minimum; the loss shrinks by the square.

    Example:
        >>> momentum_rate(step=0.25, momentum=0.25, smallest_curvature=1.0, largest_curvature=9.0)
        0.5
    """
    ends = _curvatures(smallest_curvature, largest_curvature)
    return max(momentum_spectral_radius(step=step, momentum=momentum, curvature=end) for end in ends)


def best_momentum(condition: float) -> float:
    r"""The μ at which the heavy ball is fastest on a quadratic, ``((√κ − 1)/(√κ + 1))²``, with ``best_momentum_step``.

    Formula: $\mu^\star = \Bigl(\dfrac{\sqrt\kappa-1}{\sqrt\kappa+1}\Bigr)^2$
    Symbols: μ* = result; κ = condition
    Chapter: A3

    Args:
        condition: κ, at least 1.

    Returns:
        μ, at least 0 and below 1.

    Source: Polyak 1964.
    Leaves out: losses that are no quadratics, on which this choice may cycle without converging.

    Example:
        >>> best_momentum(9.0)
        0.25
    """
    return best_momentum_rate(condition) ** 2


def best_momentum_step(*, smallest_curvature: float, largest_curvature: float) -> float:
    r"""The η at which the heavy ball is fastest on a quadratic, ``4/(√λ_max + √λ_min)²``, with ``best_momentum``.

    Formula: $\eta^\star = \dfrac{4}{(\sqrt{\lambda_{\max}} + \sqrt{\lambda_{\min}})^2}$
    Symbols: η* = result; λ_min = smallest_curvature; λ_max = largest_curvature
    Chapter: A3

    Args:
        smallest_curvature: λ_min, above 0.
        largest_curvature: λ_max, at least λ_min.

    Returns:
        η.

    Raises:
        ValueError: a curvature is not above 0, or the smallest exceeds the largest.

    Source: Polyak 1964.

    Example:
        >>> best_momentum_step(smallest_curvature=1.0, largest_curvature=9.0)
        0.25
    """
    smallest, largest = _curvatures(smallest_curvature, largest_curvature)
    half = 2 / (math.sqrt(largest) + math.sqrt(smallest))
    return _finite("largest_curvature", largest_curvature, half * half)


def best_momentum_rate(condition: float) -> float:
    r"""The long-run factor per step of the heavy ball at its best, ``(√κ − 1)/(√κ + 1)``.

    Formula: $\rho^\star = \dfrac{\sqrt\kappa-1}{\sqrt\kappa+1}$
    Symbols: ρ* = result; κ = condition
    Chapter: A3

    Args:
        condition: κ, at least 1.

    Returns:
        The factor, at least 0 and below 1: a κ for gradient descent is a √κ here.

    Source: Polyak 1964.
    Convention: of the distance to the minimum; the loss shrinks by the square.

    Example:
        >>> best_momentum_rate(9.0)
        0.5
    """
    return best_gradient_descent_rate(math.sqrt(_at_least_one("condition", condition)))


def sgd_stationary_variance(*, step: float, curvature: float, noise_variance: float, momentum: float = 0.0) -> float:
    r"""Variance about the minimum that SGD keeps for ever along one direction; without momentum ``ησ²/(λ(2 − ηλ))``.

    The gradient is λy plus independent noise of variance σ². With momentum the recurrence is an autoregression of order
    2, whose variance is ``(1 + μ)ησ²/((1 − μ)λ(2(1 + μ) − ηλ))``.

    Formula: $\operatorname{Var}(y) = \dfrac{(1+\mu)\,\eta\sigma^2}{(1-\mu)\,\lambda\,(2+2\mu-\eta\lambda)}$
    Symbols: Var(y) = result; η = the argument step; λ = curvature; σ² = noise_variance; μ = momentum
    Chapter: A3

    Args:
        step: η, above 0 and below ``largest_stable_step(curvature, momentum=momentum)``.
        curvature: λ, above 0.
        noise_variance: σ², at least 0: of the batch gradient, so σ²/B of the examples'.
        momentum: μ of the heavy ball, at least 0 and below 1.

    Returns:
        The variance of y.

    Raises:
        ValueError: an argument is out of its range, or the step is too large for a stationary state.

    Source: derived in this book.
    Leaves out: noise that depends on x, as that of a real batch does: for least squares it shrinks with the residuals.

    Example:
        >>> sgd_stationary_variance(step=0.5, curvature=2.0, noise_variance=4.0)
        1.0
    """
    bend, beta = positive_number("curvature", curvature), _share("momentum", momentum)
    eta, variance = positive_number("step", step), nonnegative_number("noise_variance", noise_variance)
    if eta * bend >= 2 * (1 + beta):
        raise ValueError(f"step must be below 2(1 + momentum)/curvature, {2 * (1 + beta) / bend!r}, got {step!r}")
    scaled = _stationary_variance_times_curvature(eta, bend, variance, beta)
    return _finite("noise_variance / curvature", (noise_variance, curvature), scaled / bend)


def sgd_noise_floor(
    *, step: float, curvatures: Sequence[float], noise_variances: Sequence[float], momentum: float = 0.0
) -> float:
    r"""Expected loss above the minimum at which SGD on a quadratic settles: ``½·Σ λ_i·Var(y_i)``.

    Without momentum that is ``Σ ησ_i²/(2(2 − ηλ_i))``: about η/4 times the trace of the gradient noise for small η.

    Formula: $\mathbb{E}\,\mathcal L_\text{floor} = \tfrac12 \sum_i \lambda_i \operatorname{Var}(y_i)$
    Symbols: left side = result; λ_i = curvatures; Var(y_i) = sgd_stationary_variance in direction i
    Chapter: A3

    Args:
        step: η, above 0 and below ``largest_stable_step`` of the largest curvature.
        curvatures: λ_i, one per direction, each above 0.
        noise_variances: σ_i², one per direction, each at least 0.
        momentum: μ of the heavy ball, at least 0 and below 1.

    Returns:
        The loss that no number of steps of this size gets below, on average.

    Raises:
        ValueError: an argument is out of its range, or the lengths differ.

    Source: derived in this book.
    Leaves out: noise that depends on y; correlation between directions, which does not change the sum.

    Example:
        >>> sgd_noise_floor(step=1.0, curvatures=[1.0, 0.5], noise_variances=[2.0, 3.0])
        2.0
    """
    bends, noises = (
        each("curvatures", curvatures, positive_number),
        each("noise_variances", noise_variances, nonnegative_number),
    )
    if len(bends) != len(noises):
        raise ValueError(f"curvatures and noise_variances must be equally many, got {len(bends)} and {len(noises)}")
    eta, beta = positive_number("step", step), _share("momentum", momentum)
    if bends and eta * max(bends) >= 2 * (1 + beta):
        raise ValueError(f"step must be below 2(1 + momentum)/max(curvatures), got {step!r} with {max(bends)!r}")
    floors = [
        _stationary_variance_times_curvature(eta, curvature, noise, beta) / 2
        for curvature, noise in zip(bends, noises, strict=True)
    ]
    return _finite("noise_variances", noise_variances, sum(floors) if math.inf in floors else math.fsum(floors))


def sgd_mean_square(*, step: float, curvature: float, noise_variance: float, start: float, steps: int) -> float:
    r"""Mean square distance from the minimum after S steps of SGD along one direction.

    It is the sum of what is left of the start, ``(1 − ηλ)^(2S)·y₀²``, and of the noise taken in since, which is the
    stationary variance times ``1 − (1 − ηλ)^(2t)``: a large step forgets the start sooner and settles higher.

    Formula: $\mathbb{E}\,y_S^2 = \rho^{2S}y_0^2 + (1-\rho^{2S})\,\operatorname{Var}(y),\quad \rho = 1-\eta\lambda$
    Symbols: left side = result; η = the argument step; λ = curvature; y₀ = start; S = steps; Var(y) =
    sgd_stationary_variance
    Chapter: A3

    Args:
        step: η, above 0 and below 2/λ.
        curvature: λ, above 0.
        noise_variance: σ² of the batch gradient, at least 0.
        start: y₀, distance from the minimum at the start, any finite number.
        steps: S, at least 0.

    Returns:
        E x_t².

    Source: derived in this book.
    Leaves out: noise that depends on y; momentum.

    Example:
        >>> [sgd_mean_square(step=0.5, curvature=1.0, noise_variance=3.0, start=2.0, steps=t) for t in (0, 1, 50)]
        [4.0, 1.75, 1.0]
    """
    settled = sgd_stationary_variance(step=step, curvature=curvature, noise_variance=noise_variance)
    count, x = nonnegative_number("steps", nonnegative_integer("steps", steps)), finite_number("start", start)
    left = abs(1 - step * curvature) ** (2 * count)
    return _finite("start", start, left * x * x + (1 - left) * settled)


def adam_bias_correction(*, decay: float, step: int) -> float:
    r"""What Adam divides a running mean by after t steps, ``1 − βᵗ``: the weights that the mean has given out so far.

    Formula: $\hat G_\tau = \dfrac{G_\tau}{1-\mu^\tau}$
    Symbols: denominator = result; μ = decay; τ = step
    Chapter: A3

    Args:
        decay: μ, at least 0 and below 1.
        step: τ, counted from 1.

    Returns:
        The divisor, above 0 and at most 1.

    Source: Kingma and Ba 2015, algorithm 1 and section 3.
    Convention: the first update is τ = 1.

    Example:
        >>> [round(adam_bias_correction(decay=0.999, step=t), 6) for t in (1, 1000)]
        [0.001, 0.632305]
    """
    beta, count = _share("decay", decay), positive_number("step", positive_integer("step", step))
    return -math.expm1(count * math.log(beta)) if beta else 1.0


def adam_update_bound(*, learning_rate: float, beta1: float, beta2: float, step: int) -> float:
    r"""The largest change that an Adam update can make to a parameter at step τ, over all gradients so far, for ε = 0.

    Let ``ν_q = (1 − μ₁)μ₁^q`` and ``ξ_q = (1 − μ₂)μ₂^q`` be the weights of the gradient of q steps ago in the two
    running means. By Cauchy and Schwarz, ``(Σ ν_q g_q)² ≤ (Σ ν_q²/ξ_q)·(Σ ξ_q g_q²)``, met by
    gradients ``g_q ∝ ν_q/ξ_q``, which grow. The largest change is therefore
    ``η·√(Σ ν_q²/ξ_q)·√(1 − μ₂^τ)/(1 − μ₁^τ)``.

    Formula: $|\Delta_\tau| \le \eta\,\dfrac{\sqrt{1-\mu_2^\tau}}{1-\mu_1^\tau}\sqrt{\sum_{q<\tau}\nu_q^2/\xi_q}$
    Symbols: right side = result; η = learning_rate; μ₁ = beta1; μ₂ = beta2; τ = step; ν_q = (1 − μ₁)·μ₁^q; ξ_q =
    (1 − μ₂)·μ₂^q
    Chapter: A3

    Args:
        learning_rate: η, at least 0.
        beta1: decay of the mean, at least 0 and below 1.
        beta2: decay of the mean square, above 0 and below 1; above μ₁², or the bound may grow with t for ever.
        step: τ, counted from 1.

    Returns:
        The bound, in the unit of the parameter: η at τ = 1, 7.27η after many steps at μ₁ = 0.9 and μ₂ = 0.999.

    Raises:
        ValueError: an argument is out of its range, or the bound exceeds what floats can hold.

    Source: derived here. Kingma and Ba 2015, section 2.1, name ``η·max(1, (1 − μ₁)/√(1 − μ₂))``, 3.16η at those decays:
    in the long run that is the change after one gradient that follows zeros only, not the largest.
    Leaves out: ε, which only makes updates smaller; weight decay.

    Example:
        >>> [round(adam_update_bound(learning_rate=1.0, beta1=0.9, beta2=0.999, step=t), 2) for t in (1, 10, 100_000)]
        [1.0, 1.04, 7.27]
    """
    eta, first = nonnegative_number("learning_rate", learning_rate), _share("beta1", beta1)
    second = positive_number("beta2", _share("beta2", beta2))
    count = positive_number("step", positive_integer("step", step))
    corrections = math.sqrt(adam_bias_correction(decay=second, step=step)) / adam_bias_correction(
        decay=first, step=step
    )
    weights = (1 - first) / math.sqrt(1 - second) * math.sqrt(_geometric_sum(first / second * first, count))
    given = learning_rate, beta1, beta2, step
    return _finite("learning_rate, beta1, beta2 and step", given, eta * corrections * weights)


def linear_schedule(step: int, *, peak: float, warmup_steps: int, total_steps: int, final: float = 0.0) -> float:
    r"""Learning rate that rises on a line to its peak during warm-up and then falls on a line.

    Formula: $\min(\eta_{\max}\tau/\tau_w,\ \eta_{\min} + (\eta_{\max}-\eta_{\min})\frac{\tau_e-\tau}{\tau_e-\tau_w})$
    Symbols: whole = result; η_max = peak; η_min = final; τ = step; τ_w = warmup_steps; τ_e = total_steps
    Chapter: A3

    Args:
        step: τ, from 0 to ``total_steps``: updates made so far.
        peak: the largest learning rate, at least 0.
        warmup_steps: τ_w, at least 0; step τ_w has the peak.
        total_steps: τ_e, at least τ_w + 1; step τ_e has the final rate.
        final: the last learning rate, from 0 to ``peak``.

    Returns:
        The learning rate of update τ.

    Source: the definition of the schedule.
    Convention: τ counts from 0, so with warm-up the first update has rate 0. Some libraries use (τ + 1)/τ_w instead.

    Example:
        >>> [linear_schedule(t, peak=1.0, warmup_steps=2, total_steps=6) for t in range(7)]
        [0.0, 0.5, 1.0, 0.75, 0.5, 0.25, 0.0]
    """
    top, bottom, warm, done = _schedule(step, peak, warmup_steps, total_steps, final)
    return top * warm if warm < 1 else bottom + (top - bottom) * (1 - done)


def cosine_schedule(step: int, *, peak: float, warmup_steps: int, total_steps: int, final: float = 0.0) -> float:
    r"""Learning rate that rises on a line to its peak during warm-up and then falls on half a cosine.

    Also: cosine decay
    Formula: $\eta_{\min} + \tfrac12(\eta_{\max}-\eta_{\min})\Bigl(1+\cos\pi\,\dfrac{\tau-\tau_w}{\tau_e-\tau_w}\Bigr)$
    Symbols: whole = result from τ = τ_w on, before that η_max·τ/τ_w; η_max = peak; η_min = final; τ = step;
    τ_w = warmup_steps; τ_e = total_steps
    Chapter: A3

    Args:
        step: τ, from 0 to ``total_steps``: updates made so far.
        peak: the largest learning rate, at least 0.
        warmup_steps: τ_w, at least 0; step τ_w has the peak.
        total_steps: τ_e, at least τ_w + 1; step τ_e has the final rate.
        final: the last learning rate, from 0 to ``peak``.

    Returns:
        The learning rate of update τ.

    Source: Loshchilov and Hutter 2017, equation 5, for the cosine.
    Convention: τ counts from 0, so with warm-up the first update has rate 0. One half-period, no restarts.

    Example:
        >>> [round(cosine_schedule(t, peak=1.0, warmup_steps=2, total_steps=6, final=0.1), 4) for t in range(7)]
        [0.0, 0.5, 1.0, 0.8682, 0.55, 0.2318, 0.1]
    """
    top, bottom, warm, done = _schedule(step, peak, warmup_steps, total_steps, final)
    return top * warm if warm < 1 else bottom + (top - bottom) * (1 + math.cos(math.pi * done)) / 2


def gradient_clip_scale(shard_norms: Sequence[float], *, max_norm: float) -> float:
    r"""The factor that clipping by global norm multiplies every shard by, ``min(1, o/‖g‖)``, ``‖g‖ = √Σ‖g_r‖²``.

    Also: gradient clipping
    Formula: $\varphi = \min\Bigl(1,\ \dfrac{o}{\sqrt{\sum_r \lVert g_r\rVert^2}}\Bigr)$
    Symbols: φ = result; o = max_norm; ‖g_r‖ = shard_norms
    Chapter: A3

    Args:
        shard_norms: Euclidean norm of each rank's shard of the gradient, each at least 0.
        max_norm: o, above 0.

    Returns:
        The factor, above 0 and at most 1, the same on every rank.

    Raises:
        ValueError: a norm is negative or not finite, or ``max_norm`` is not above 0.

    Source: Pascanu et al. 2013, algorithm 1.
    Convention: each parameter is in one shard; a replicated one is counted once. No small number is added to ‖g‖:
    PyTorch's ``clip_grad_norm_`` adds 1e-6.

    Example:
        >>> gradient_clip_scale([3.0, 4.0], max_norm=1.0)
        0.2
        >>> gradient_clip_scale([0.3, 0.4], max_norm=1.0)
        1.0
    """
    limit = positive_number("max_norm", max_norm)
    norm = _finite("shard_norms", shard_norms, math.hypot(*each("shard_norms", shard_norms, nonnegative_number)))
    return 1.0 if norm <= limit else limit / norm


def _stationary_variance_times_curvature(
    step: float, curvature: float, noise_variance: float, momentum: float
) -> float:
    factor = (1 + momentum) / (1 - momentum) / (2 * (1 + momentum) - step * curvature)
    return factor * step * noise_variance


def _curvatures(smallest: float, largest: float) -> tuple[float, float]:
    """Return the smallest and the largest curvature, both checked."""
    low, high = positive_number("smallest_curvature", smallest), positive_number("largest_curvature", largest)
    if low > high:
        raise ValueError(f"smallest_curvature must be at most largest_curvature, {largest!r}, got {smallest!r}")
    return low, high


def _share(name: str, value: float) -> float:
    """Return a number of at least 0 and below 1, or raise ``ValueError``."""
    number = nonnegative_number(name, value)
    if number >= 1:
        raise ValueError(f"{name} must be a number of at least 0 and below 1, got {value!r}")
    return number


def _at_least_one(name: str, value: float) -> float:
    """Return a finite number of at least 1, or raise ``ValueError``."""
    number = finite_number(name, value)
    if number < 1:
        raise ValueError(f"{name} must be a finite number of at least 1, got {value!r}")
    return number


def _finite(name: str, value: object, result: float) -> float:
    """Return ``result`` when floats can hold it, or raise ``ValueError`` that names the argument to blame."""
    if not math.isfinite(result):
        raise ValueError(f"{name} must give a result that floats can hold, got {value!r}")
    return result


def _geometric_sum(ratio: float, count: float) -> float:
    """1 + r + r² + … of ``count`` terms; infinite where that overflows."""
    if ratio == 1:
        return count
    try:
        return (math.expm1(count * math.log(ratio)) if ratio else -1.0) / (ratio - 1)
    except OverflowError:
        return math.inf


def _schedule(
    step: int, peak: float, warmup_steps: int, total_steps: int, final: float
) -> tuple[float, float, float, float]:
    """The peak, the final rate, the share of warm-up done (1 when it is over) and the share of decay done, checked."""
    t, warmup = nonnegative_integer("step", step), nonnegative_integer("warmup_steps", warmup_steps)
    if positive_integer("total_steps", total_steps) <= warmup:
        raise ValueError(f"total_steps must be above warmup_steps, {warmup}, got {total_steps}")
    if t > total_steps:
        raise ValueError(f"step must be at most total_steps, {total_steps}, got {step}")
    top, bottom = nonnegative_number("peak", peak), nonnegative_number("final", final)
    if bottom > top:
        raise ValueError(f"final must be at most the peak, {peak!r}, got {final!r}")
    return top, bottom, 1.0 if t >= warmup else t / warmup, max(0, t - warmup) / (total_steps - warmup)
