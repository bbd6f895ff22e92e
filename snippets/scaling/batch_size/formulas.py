"""Formulas: what a batch buys: the gradient noise scale and its estimate, steps and examples, rates of learning.

Batches are counted in examples or in tokens, the same throughout a call. Squared norms are Euclidean.
"""

from __future__ import annotations

import math

from snippets.domain import as_float, named, nonnegative_number, positive_integer, positive_number

LEARNING_RATE_RULES = ("constant", "square_root", "linear")
ALIASES = {"sqrt": "square_root", "LSR": "linear", "SRSR": "square_root"}


def gradient_noise_scale(*, noise: float, signal: float) -> float:
    r"""Return the batch whose error is, in mean square, as long as the full gradient.

    Also: noise scale, GNS, B_simple
    Formula: $B_{\mathrm{noise}} = \dfrac{\operatorname{tr}\Sigma}{\lVert g \rVert^2}$
    Symbols: B_noise = result; tr Σ = noise; ‖g‖² = signal
    Chapter: 11

    Args:
        noise: trace of the covariance of one example's gradient, at least 0.
        signal: squared norm of the full gradient.

    Returns:
        Examples, or tokens where the noise is that of one token's gradient.

    Source: McCandlish et al. 2018, equation 2.9, which calls it the simple noise scale.
    Convention: the covariance is that of one example, not of a batch.
    Leaves out: curvature that differs between directions; with it the noise is weighed by the Hessian (equation 2.8).

    Example:
        >>> gradient_noise_scale(noise=8.0, signal=0.5)
        16.0
    """
    trace, square = nonnegative_number("noise", noise), positive_number("signal", signal)
    return as_float("noise and signal", trace / square)


def batch_steps(*, batch_size: float, critical_batch: float, fewest_steps: float) -> float:
    r"""Return how many steps a run takes to a given loss with batches of one size.

    Formula: $S = S_{\min}\left(1 + \dfrac{B_{\mathrm{crit}}}{B}\right)$
    Symbols: S = result; S_min = fewest_steps; B_crit = critical_batch; B = batch_size
    Chapter: 11

    Args:
        batch_size: examples of a step.
        critical_batch: the batch that takes twice the fewest steps and twice the fewest examples.
        fewest_steps: steps with very large batches.

    Returns:
        Steps, not rounded.

    Source: McCandlish et al. 2018, equations 2.11 and 2.12.
    Convention: the learning rate is tuned for every batch.
    Leaves out: a noise scale that changes on the way; the critical batch is then an average.

    Example:
        >>> batch_steps(batch_size=1, critical_batch=4, fewest_steps=100)
        500.0
    """
    B, B_crit = positive_number("batch_size", batch_size), positive_number("critical_batch", critical_batch)
    S_min = positive_number("fewest_steps", fewest_steps)
    return as_float("batch_size, critical_batch and fewest_steps", S_min * (1 + B_crit / B))


def batch_examples(*, batch_size: float, critical_batch: float, fewest_steps: float) -> float:
    r"""Return how many examples a run sees until a given loss with batches of one size.

    Formula: $D = S_{\min}\,(B + B_{\mathrm{crit}}) = D_{\min}\left(1 + \dfrac{B}{B_{\mathrm{crit}}}\right)$
    Symbols: D = result; S_min = fewest_steps; B = batch_size; B_crit = critical_batch; D_min = S_min·B_crit
    Chapter: 11

    Args:
        batch_size: examples of a step.
        critical_batch: the batch that takes twice the fewest steps and twice the fewest examples.
        fewest_steps: steps with very large batches.

    Returns:
        Examples, not rounded: the batch times ``batch_steps``.

    Source: McCandlish et al. 2018, equations 2.11 and 2.12.
    Convention: the learning rate is tuned for every batch.
    Leaves out: examples that come twice.

    Example:
        >>> batch_examples(batch_size=1, critical_batch=4, fewest_steps=100)
        500.0
    """
    B, B_crit = positive_number("batch_size", batch_size), positive_number("critical_batch", critical_batch)
    S_min = positive_number("fewest_steps", fewest_steps)
    return as_float("batch_size, critical_batch and fewest_steps", S_min * (B + B_crit))


def two_batch_signal(*, small_batch: int, big_batch: int, small_square: float, big_square: float) -> float:
    r"""Return an unbiased estimate of the full gradient's squared norm from gradients of two batch sizes.

    Formula: $\dfrac{B\lVert g_B \rVert^2 - B_r\lVert g_r \rVert^2}{B - B_r}$
    Symbols: B, B_r = big_batch, small_batch; ‖g_B‖² = big_square; ‖g_r‖² = small_square
    Chapter: 11

    Args:
        small_batch: examples of one, such as a rank's own.
        big_batch: examples of the other, such as those of all ranks; above ``small_batch``.
        small_square: squared norm of the small batch's gradient, or its mean over ranks and steps, at least 0.
        big_square: the same of the big batch, at least 0.

    Returns:
        The estimate; by chance it may be negative.

    Source: McCandlish et al. 2018, appendix A.1.
    Convention: gradients are means over their batch, not sums.
    Leaves out: draws without replacement, and batches of which one is no part of the other draw by draw; in
        expectation neither matters here.

    Example:
        >>> two_batch_signal(small_batch=1, big_batch=4, small_square=9.0, big_square=3.0)
        1.0
    """
    B_r, B = _two(small_batch, big_batch)
    small, big = nonnegative_number("small_square", small_square), nonnegative_number("big_square", big_square)
    return as_float("small_batch, big_batch, small_square and big_square", (B * big - B_r * small) / (B - B_r))


def two_batch_noise(*, small_batch: int, big_batch: int, small_square: float, big_square: float) -> float:
    r"""Return an unbiased estimate of the trace of the covariance from gradients of two batch sizes.

    Formula: $\dfrac{\lVert g_r \rVert^2 - \lVert g_B \rVert^2}{1/B_r - 1/B}$
    Symbols: B_r, B = small_batch, big_batch; ‖g_r‖² = small_square; ‖g_B‖² = big_square
    Chapter: 11

    Args:
        small_batch: examples of one, such as a rank's own.
        big_batch: examples of the other, such as those of all ranks; above ``small_batch``.
        small_square: squared norm of the small batch's gradient, or its mean over ranks and steps, at least 0.
        big_square: the same of the big batch, at least 0.

    Returns:
        The estimate; by chance it may be negative.

    Source: McCandlish et al. 2018, appendix A.1.
    Convention: gradients are means over their batch, not sums.
    Leaves out: draws without replacement.

    Example:
        >>> two_batch_noise(small_batch=1, big_batch=4, small_square=9.0, big_square=3.0)
        8.0
    """
    B_r, B = _two(small_batch, big_batch)
    small, big = nonnegative_number("small_square", small_square), nonnegative_number("big_square", big_square)
    return as_float("small_batch, big_batch, small_square and big_square", (small - big) / (1 / B_r - 1 / B))


def best_step_size(*, largest: float, noise_scale: float, batch_size: float) -> float:
    r"""Return the step size that lowers a quadratic loss most in one step.

    Formula: $\eta^* = \dfrac{\eta_{\max}}{1 + B_{\mathrm{noise}}/B}$
    Symbols: η* = result; η_max = largest; B_noise = noise_scale; B = batch_size
    Chapter: 11

    Args:
        largest: the best step size without noise.
        noise_scale: gradient noise scale, at least 0.
        batch_size: examples of a step.

    Returns:
        The step size, in the unit of ``largest``.

    Source: McCandlish et al. 2018, equation 2.6.
    Convention: plain SGD.
    Leaves out: later steps, for which a smaller step size may be better; momentum.

    Example:
        >>> best_step_size(largest=1.0, noise_scale=30, batch_size=10)
        0.25
    """
    η_max, B = positive_number("largest", largest), positive_number("batch_size", batch_size)
    return η_max / (1 + nonnegative_number("noise_scale", noise_scale) / B)


def scaled_learning_rate(*, rate: float, factor: float, rule: str) -> float:
    r"""Return the learning rate for a batch that is larger by a factor.

    Also: linear scaling rule, square-root scaling rule
    Formula: $\eta' = \eta, \quad \eta\sqrt\rho \quad\text{or}\quad \eta\rho$
    Symbols: η' = result, by rule: constant, square_root or linear; η = the present rate; ρ = factor
    Chapter: 11

    Args:
        rate: learning rate that suits the present batch.
        factor: new batch over the present one.
        rule: ``"linear"``, ``"square_root"`` or ``"constant"``.

    Returns:
        The learning rate.

    Source: Goyal et al. 2017, section 2.1, for the linear rule; Malladi et al. 2022, abstract, for the other.
    Convention: the square root belongs to Adam and RMSprop, the linear rule to SGD.
    Leaves out: Adam's betas, which Malladi et al. change too; that both rules end at the noise scale.

    Example:
        >>> scaled_learning_rate(rate=0.001, factor=16, rule="sqrt")
        0.004
    """
    η, ρ = positive_number("rate", rate), positive_number("factor", factor)
    power = LEARNING_RATE_RULES.index(named("rule", rule, LEARNING_RATE_RULES, aliases=ALIASES)) / 2
    return as_float("rate and factor", η * math.pow(ρ, power))


def mup_hidden_rate(*, rate: float, width: int, base_width: int) -> float:
    r"""Return Adam's learning rate of a hidden matrix in the maximal update parametrisation.

    Also: muP, maximal update parametrization
    Formula: $\eta_h = \eta_{h_0}\, \dfrac{h_0}{h}$
    Symbols: η_h = result; η_{h_0} = rate; h, h_0 = width, base_width
    Chapter: 11

    Args:
        rate: learning rate of the matrix at the base width.
        width: inputs of the matrix.
        base_width: the width at which the rate was tuned.

    Returns:
        The learning rate at the new width.

    Source: Yang et al. 2022, table 3, for Adam.
    Convention: also for the output matrix, if its starting values shrink as 1/h and no multiplier stands before it.
    Leaves out: weight decay, depth, and the first layer, whose rate stays.

    Example:
        >>> mup_hidden_rate(rate=0.01, width=1024, base_width=256)
        0.0025
    """
    h, h_0 = positive_integer("width", width), positive_integer("base_width", base_width)
    return as_float("rate, width and base_width", positive_number("rate", rate) * h_0 / h)


def cheapest_batch(*, critical_batch: float, usd_per_step: float, usd_per_example: float) -> float:
    r"""Return the batch at which steps and examples together cost least.

    Formula: $B^* = \sqrt{B_{\mathrm{crit}}\, \kappa_S / \kappa_D}$
    Symbols: B* = result; B_crit = critical_batch; κ_S = usd_per_step; κ_D = usd_per_example
    Chapter: 11

    Args:
        critical_batch: the batch that takes twice the fewest steps and twice the fewest examples.
        usd_per_step: what a step costs, whatever its batch.
        usd_per_example: what an example costs, whatever its batch.

    Returns:
        Examples.

    Source: the least of κ_S·S + κ_D·D on the hyperbola; compare McCandlish et al. 2018, appendix D.
    Convention: both prices in the same money, or in seconds.
    Leaves out: that the batch is whole, and a multiple of the ranks.

    Example:
        >>> cheapest_batch(critical_batch=100, usd_per_step=4.0, usd_per_example=1.0)
        20.0
    """
    B_crit = positive_number("critical_batch", critical_batch)
    κ_S, κ_D = positive_number("usd_per_step", usd_per_step), positive_number("usd_per_example", usd_per_example)
    return as_float("critical_batch, usd_per_step and usd_per_example", math.sqrt(B_crit) * math.sqrt(κ_S / κ_D))


def language_critical_batch(*, loss: float, scale_tokens: float = 2e8, exponent: float = 0.21) -> float:
    r"""Return the critical batch of language models at a loss, as Kaplan et al. fitted it.

    Also: critical batch size, critical batch
    Formula: $B_{\mathrm{crit}} = \dfrac{B_*}{\mathcal L^{1/\alpha_B}}$
    Symbols: B_crit = result; B_* = scale_tokens; ℒ = loss; α_B = exponent
    Chapter: 11

    Args:
        loss: in nats per token.
        scale_tokens: tokens at a loss of 1 nat.
        exponent: how fast the loss falls as the critical batch grows, above 0.

    Returns:
        Tokens.

    Source: Kaplan et al. 2020, equation 1.4.
    Convention: tokens of their vocabulary, losses on their text.
    Leaves out: models beyond the 85 million parameters of the fit; the irreducible loss.

    Example:
        >>> round(language_critical_batch(loss=2.0) / 1e6, 2)
        7.37
    """
    B_star = positive_number("scale_tokens", scale_tokens)
    power = -math.log(positive_number("loss", loss)) / positive_number("exponent", exponent)
    try:
        return as_float("loss, scale_tokens and exponent", B_star * math.exp(power))
    except OverflowError:
        raise ValueError(f"exponent must not be so small for a loss of {loss!r}, got {exponent!r}") from None


def _two(small_batch: int, big_batch: int) -> tuple[int, int]:
    """Return both sizes, the second above the first, or raise ``ValueError``."""
    small, big = positive_integer("small_batch", small_batch), positive_integer("big_batch", big_batch)
    if big <= small:
        raise ValueError(f"big_batch must be above small_batch, {small}, got {big_batch!r}")
    return small, big
