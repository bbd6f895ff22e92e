"""Formulas: how a compute budget is best split between parameters and tokens, and what a wrong split costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from snippets.domain import as_float, finite_number, nonnegative_number, positive_number
from snippets.scaling.loss_surface.formulas import LOSS_FITS, LossFit

DEFAULT_FIT = "Besiroglu et al. 2024"
GOPHER_FLOPS = 5.76e23  # Hoffmann et al. 2022, table 3: one "Gopher unit"
_HALVINGS = 200  # of an interval in ln D: far below the last digit of a float
_FARTHEST = 690.0  # |ln D| up to which optima are looked for


@dataclass(frozen=True)
class Allocation:
    """A model and the tokens of its training.

    Attributes:
        parameters: N.
        tokens: D.

    >>> Allocation(parameters=70e9, tokens=1.4e12).tokens_per_parameter
    20.0
    """

    parameters: float
    tokens: float

    @property
    def tokens_per_parameter(self) -> float:
        """D/N."""
        return self.tokens / self.parameters


def compute_optimal_parameters(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the size of the model with the least loss that a training budget buys.

    Also: compute-optimal, compute-optimal model size, Chinchilla-optimal parameters
    Formula: $N^* = G \\left(\\frac{C}{6}\\right)^{\\frac{\\alpha_D}{\\alpha_N+\\alpha_D}}, \\quad
        G = \\left(\\frac{\\alpha_N A_N}{\\alpha_D A_D}\\right)^{\\frac{1}{\\alpha_N+\\alpha_D}}$
    Symbols: N^* = the result; C = the budget, flops; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        flops: FLOPs of the training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters.

    Source: Hoffmann et al. 2022, equation (4).
    Convention: C = 6ND.
    Leaves out: what serving the model costs; a limit of the data.

    Example:
        >>> round(compute_optimal_parameters(flops=5.76e23) / 1e9, 1)
        72.2
    """
    C, (_, A_N, A_D, α_N, α_D) = positive_number("flops", flops), _constants(fit)
    return _power(
        "flops and fit", lambda: (α_N * A_N / (α_D * A_D)) ** (1 / (α_N + α_D)) * (C / 6) ** (α_D / (α_N + α_D))
    )


def compute_optimal_tokens(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens on which a training budget is best spent.

    Also: compute-optimal data, Chinchilla-optimal tokens
    Formula: $D^* = \\frac{1}{G} \\left(\\frac{C}{6}\\right)^{\\frac{\\alpha_N}{\\alpha_N+\\alpha_D}}, \\quad
        G = \\left(\\frac{\\alpha_N A_N}{\\alpha_D A_D}\\right)^{\\frac{1}{\\alpha_N+\\alpha_D}}$
    Symbols: D^* = the result; C = the budget, flops; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        flops: FLOPs of the training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens, each seen once.

    Source: Hoffmann et al. 2022, equation (4).
    Convention: C = 6ND.
    Leaves out: what serving the model costs; a limit of the data.

    Example:
        >>> round(compute_optimal_tokens(flops=5.76e23) / 1e12, 2)
        1.33
    """
    C, (_, A_N, A_D, α_N, α_D) = positive_number("flops", flops), _constants(fit)
    return _power(
        "flops and fit", lambda: (α_D * A_D / (α_N * A_N)) ** (1 / (α_N + α_D)) * (C / 6) ** (α_N / (α_N + α_D))
    )


def compute_optimal_tokens_per_parameter(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens for each parameter at the best split of a training budget.

    Also: Chinchilla ratio, tokens per parameter
    Formula: $\\frac{D^*}{N^*} = \\left(\\frac{\\alpha_D A_D}{\\alpha_N A_N}\\right)^{\\frac{2}{\\alpha_N+\\alpha_D}}
        \\left(\\frac{C}{6}\\right)^{\\frac{\\alpha_N-\\alpha_D}{\\alpha_N+\\alpha_D}}$
    Symbols: C = the budget, flops; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        flops: FLOPs of the training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens for each parameter; it depends on the budget unless α_N = α_D.

    Source: the quotient of the two optima of Hoffmann et al. 2022, equation (4).
    Convention: C = 6ND.
    Leaves out: what serving the model costs.

    Example:
        >>> round(compute_optimal_tokens_per_parameter(flops=5.76e23)), round(
        ...     compute_optimal_tokens_per_parameter(flops=5.76e23, fit="Chinchilla")
        ... )
        (18, 93)
    """
    C, (_, A_N, A_D, α_N, α_D) = positive_number("flops", flops), _constants(fit)
    return _power(
        "flops and fit", lambda: (α_D * A_D / (α_N * A_N)) ** (2 / (α_N + α_D)) * (C / 6) ** ((α_N - α_D) / (α_N + α_D))
    )


def compute_optimal_loss_nats(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the least loss that a training budget buys.

    Also: compute-optimal loss
    Formula: $\\mathcal L^* = \\mathcal L_\\infty + \\left(\\frac{1}{\\alpha_N} + \\frac{1}{\\alpha_D}\\right)
        \\left((\\alpha_N A_N)^{\\alpha_D} (\\alpha_D A_D)^{\\alpha_N}\\right)^{\\frac{1}{\\alpha_N+\\alpha_D}}
        \\left(\\frac{C}{6}\\right)^{-\\frac{\\alpha_N\\alpha_D}{\\alpha_N+\\alpha_D}}$
    Symbols: ℒ^* = the result; C = the budget, flops; ℒ_∞, A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        flops: FLOPs of the training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Nats a token.

    Source: the loss surface at the optimum of Hoffmann et al. 2022, equation (4).
    Convention: C = 6ND; natural logarithms.
    Leaves out: tokens seen more than once; other data, tokenizers and architectures than those of the fit's runs.

    Example:
        >>> round(compute_optimal_loss_nats(flops=5.76e23), 4)
        1.9744
    """
    C, (floor, A_N, A_D, α_N, α_D) = positive_number("flops", flops), _constants(fit)

    def loss() -> float:
        scale = (1 / α_N + 1 / α_D) * ((α_N * A_N) ** α_D * (α_D * A_D) ** α_N) ** (1 / (α_N + α_D))
        return float(floor + scale * (C / 6) ** (-α_N * α_D / (α_N + α_D)))

    return _power("flops and fit", loss)


def flops_for_parameters(*, parameters: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the training budget for which a model has the best size.

    Formula: $C = 6 \\left(\\frac{N}{G}\\right)^{\\frac{\\alpha_N+\\alpha_D}{\\alpha_D}}, \\quad
        G = \\left(\\frac{\\alpha_N A_N}{\\alpha_D A_D}\\right)^{\\frac{1}{\\alpha_N+\\alpha_D}}$
    Symbols: C = the result; N = parameters; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        FLOPs of the training.

    Source: Hoffmann et al. 2022, equation (4), solved for C.
    Convention: C = 6ND.
    Leaves out: what serving the model costs.

    Example:
        >>> f"{flops_for_parameters(parameters=1e9):.2e}"
        '1.36e+20'
    """
    N, (_, A_N, A_D, α_N, α_D) = positive_number("parameters", parameters), _constants(fit)
    return _power(
        "parameters and fit", lambda: 6 * (N * (α_D * A_D / (α_N * A_N)) ** (1 / (α_N + α_D))) ** ((α_N + α_D) / α_D)
    )


def tokens_for_loss(*, parameters: float, loss_nats: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens after which a model has a loss.

    Formula: $D = \\left(\\frac{A_D}{\\mathcal L - \\mathcal L_\\infty - A_N/N^{\\alpha_N}}\\right)^{1/\\alpha_D}$
    Symbols: D = the result; N = parameters; ℒ = loss_nats; ℒ_∞, A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        loss_nats: the loss that it is to have, above ℒ_∞ + A_N/N^α_N.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens, each seen once.

    Raises:
        ValueError: the model is too small for this loss on any data.

    Source: the loss surface of Hoffmann et al. 2022, equation (10), solved for D.
    Convention: natural logarithms.
    Leaves out: tokens seen more than once.

    Example:
        >>> round(tokens_for_loss(parameters=70e9, loss_nats=1.9744) / 1e12, 2)
        1.37
    """
    N, loss = positive_number("parameters", parameters), positive_number("loss_nats", loss_nats)
    floor, A_N, A_D, α_N, α_D = _constants(fit)
    left = loss - floor - _power("parameters and fit", lambda: A_N * N**-α_N)
    if left <= 0:
        raise ValueError(
            f"loss_nats must be above {loss - left:.6g}, this model's loss on endless data, got {loss_nats!r}"
            f" with parameters = {parameters!r}"
        )
    return _power("loss_nats, parameters and fit", lambda: (A_D / left) ** (1 / α_D))


def missized_compute_factor(*, size_ratio: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return how many times the compute a model takes that has not the best size, for the loss that it reaches.

    Formula: $\\varphi = \\left(\\frac{\\alpha_D \\rho^{-\\alpha_N} + \\alpha_N \\rho^{\\alpha_D}}
        {\\alpha_N+\\alpha_D}\\right)^{\\frac{\\alpha_N+\\alpha_D}{\\alpha_N\\alpha_D}}$
    Symbols: φ = the result; ρ = size_ratio; α_N, α_D = the fit's exponents
    Chapter: 9

    Args:
        size_ratio: the model's size over the best size for its own budget; 0.5 is half as large.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Its compute over the compute of the best split that has the same loss, at least 1.

    Source: the loss surface along C = 6ND, put into the least loss and solved for the budget.
    Convention: the same at any budget; A_N, A_D and ℒ_∞ cancel.
    Leaves out: what serving the model costs.

    Example:
        >>> round(missized_compute_factor(size_ratio=0.5), 3)
        1.184
    """
    ρ, (_, _, _, α_N, α_D) = positive_number("size_ratio", size_ratio), _constants(fit)
    return _power(
        "size_ratio and fit", lambda: ((α_D * ρ**-α_N + α_N * ρ**α_D) / (α_N + α_D)) ** ((α_N + α_D) / (α_N * α_D))
    )


def exponent_rounding_factor(
    *,
    flops: float,
    parameter_exponent_change: float = 0.0,
    token_exponent_change: float = 0.0,
    fit: LossFit | str = DEFAULT_FIT,
) -> float:
    """Return by what the best tokens per parameter are multiplied when a fit's exponents change a little.

    Formula: $\\exp\\left(\\frac{2}{\\alpha_N+\\alpha_D}\\left[
        \\left(\\ln N^* - \\frac{1}{\\alpha_N}\\right)\\Delta\\alpha_N -
        \\left(\\ln D^* - \\frac{1}{\\alpha_D}\\right)\\Delta\\alpha_D\\right]\\right)$
    Symbols: N^*, D^* = the optimum; Δα_N = parameter_exponent_change; Δα_D = token_exponent_change;
        α_N, α_D = the fit's exponents
    Chapter: 9

    Args:
        flops: FLOPs of the training.
        parameter_exponent_change: what is added to α_N, any finite number.
        token_exponent_change: what is added to α_D, any finite number.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        A factor, to first order in the changes.

    Source: the derivative of the logarithm of ``compute_optimal_tokens_per_parameter``.
    Convention: A_N and A_D stay as they are.
    Leaves out: second order, a few per cent for changes of 0.005.

    Example:
        >>> round(exponent_rounding_factor(flops=5.76e23, token_exponent_change=-0.005), 2)
        1.42
    """
    Δα_N = finite_number("parameter_exponent_change", parameter_exponent_change)
    Δα_D = finite_number("token_exponent_change", token_exponent_change)
    N, D = compute_optimal_parameters(flops=flops, fit=fit), compute_optimal_tokens(flops=flops, fit=fit)
    if N == 0 or D == 0:
        raise ValueError(f"flops must be such that the best split is above 0, got {flops!r}")
    ln_N, ln_D, (_, _, _, α_N, α_D) = math.log(N), math.log(D), _constants(fit)
    return _power(
        "flops, parameter_exponent_change, token_exponent_change and fit",
        lambda: math.exp(2 / (α_N + α_D) * ((ln_N - 1 / α_N) * Δα_N - (ln_D - 1 / α_D) * Δα_D)),
    )


def lifetime_flops(*, parameters: float, tokens: float, inference_tokens: float) -> float:
    """Return the FLOPs of a model's training and of all its inference.

    Formula: $C = 6ND + 2ND_\\text{inf}$
    Symbols: C = the result; N = parameters; D = tokens; D_inf = inference_tokens
    Chapter: 9

    Args:
        parameters: of the model.
        tokens: of its training.
        inference_tokens: tokens that it reads and writes in its life, at least 0.

    Returns:
        FLOPs.

    Source: Sardana et al. 2024.
    Convention: 6 FLOPs for a parameter and token of training, 2 for one of inference.
    Leaves out: attention's matmuls; that inference reaches another share of the peak than training.

    Example:
        >>> lifetime_flops(parameters=1e9, tokens=20e9, inference_tokens=30e9)
        1.8e+20
    """
    N, D = positive_number("parameters", parameters), positive_number("tokens", tokens)
    D_inf = nonnegative_number("inference_tokens", inference_tokens)
    return as_float("parameters, tokens and inference_tokens", 6 * N * D + 2 * N * D_inf)


def inference_aware_parameters(*, tokens: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the model that goes best with its tokens of training, when its inference counts too.

    Formula: $N = \\left(\\frac{\\alpha_N A_N\\, D^{\\alpha_D}}
        {\\alpha_D A_D\\, (1 + D_\\text{inf}/3D)}\\right)^{1/\\alpha_N}$
    Symbols: N = the result; D = tokens; D_inf = inference_tokens; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        tokens: of the training.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters: no other model reaches its loss with fewer FLOPs of training and inference together.

    Source: the condition for the least ``lifetime_flops`` at fixed loss; Sardana et al. 2024 solve it numerically.
    Convention: 6 FLOPs for a parameter and token of training, 2 for one of inference.
    Leaves out: that a FLOP of inference costs more or less than one of training.

    Example:
        >>> round(inference_aware_parameters(tokens=15e12, inference_tokens=1.9e14) / 1e9, 1)
        8.0
    """
    D, D_inf = positive_number("tokens", tokens), nonnegative_number("inference_tokens", inference_tokens)
    _, A_N, A_D, α_N, α_D = _constants(fit)
    return _power(
        "tokens, inference_tokens and fit",
        lambda: (α_N * A_N * D**α_D / (α_D * A_D * (1 + D_inf / D / 3))) ** (1 / α_N),
    )


def break_even_inference_tokens(*, parameters: float, tokens: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return for how many tokens of inference a model and its training are the cheapest way to their loss.

    Formula: $D_\\text{inf} = 3D \\left(\\frac{\\alpha_N A_N / N^{\\alpha_N}}
        {\\alpha_D A_D / D^{\\alpha_D}} - 1\\right)$
    Symbols: D_inf = the result; N = parameters; D = tokens; A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        tokens: of its training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens of inference; below 0 where the model is too large even without any.

    Source: the condition for the least ``lifetime_flops`` at fixed loss, solved for M.
    Convention: 6 FLOPs for a parameter and token of training, 2 for one of inference.
    Leaves out: that a FLOP of inference costs more or less than one of training.

    Example:
        >>> round(break_even_inference_tokens(parameters=8.03e9, tokens=15e12) / 1e12)
        189
    """
    N, D = positive_number("parameters", parameters), positive_number("tokens", tokens)
    _, A_N, A_D, α_N, α_D = _constants(fit)
    return _power("parameters, tokens and fit", lambda: 3 * D * (α_N * A_N * N**-α_N / (α_D * A_D * D**-α_D) - 1))


def cheapest_for_loss(*, loss_nats: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT) -> Allocation:
    """Return the model and tokens that reach a loss with the fewest FLOPs of training and inference together.

    Also: overtraining
    Formula: $\\frac{\\alpha_N A_N}{N^{\\alpha_N}} =
        \\frac{\\alpha_D A_D}{D^{\\alpha_D}}\\left(1 + \\frac{D_\\text{inf}}{3D}\\right), \\quad
        \\mathcal L_\\infty + \\frac{A_N}{N^{\\alpha_N}} + \\frac{A_D}{D^{\\alpha_D}} = \\mathcal L$
    Symbols: N, D = the result; ℒ = loss_nats; D_inf = inference_tokens; ℒ_∞, A_N, A_D, α_N, α_D = the fit's
        constants
    Chapter: 9

    Args:
        loss_nats: the loss that is to be reached, above ℒ_∞.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters and tokens, by halving an interval for D: along the condition the loss falls as D grows.

    Source: the condition for the least ``lifetime_flops``; Sardana et al. 2024 use Newton's method.
    Convention: 6 FLOPs for a parameter and token of training, 2 for one of inference.
    Leaves out: that a FLOP of inference costs more or less than one of training; a limit of the data.

    Example:
        >>> best = cheapest_for_loss(loss_nats=2.0, inference_tokens=1e13)
        >>> round(best.parameters / 1e9), round(best.tokens / 1e12, 1)
        (20, 3.0)
    """
    floor, _, A_D, α_N, α_D = _constants(fit)
    loss, D_inf = positive_number("loss_nats", loss_nats), nonnegative_number("inference_tokens", inference_tokens)
    if loss <= floor:
        raise ValueError(f"loss_nats must be above the fit's irreducible loss {floor:g}, got {loss_nats!r}")

    def above(ln_D: float) -> bool:
        # A_N/N^α_N follows from the condition, without N: above ℒ_∞ is A_D/D^α_D (1 + α_D/α_N (1 + D_inf/3D)).
        return math.log(A_D) - α_D * ln_D + _ln_1p_exp(math.log(α_D / α_N) + _ln_longer(D_inf, ln_D)) > math.log(
            loss - floor
        )

    return _on_the_condition("loss_nats and inference_tokens", above, D_inf, fit)


def inference_aware_allocation(
    *, flops: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT
) -> Allocation:
    """Return the model and tokens with the least loss, if a budget has to pay for training and inference together.

    Also: inference-aware scaling
    Formula: $\\frac{\\alpha_N A_N}{N^{\\alpha_N}} =
        \\frac{\\alpha_D A_D}{D^{\\alpha_D}}\\left(1 + \\frac{D_\\text{inf}}{3D}\\right), \\quad
        6ND + 2ND_\\text{inf} = C$
    Symbols: N, D = the result; C = the budget, flops; D_inf = inference_tokens; A_N, A_D, α_N, α_D = the fit's
        constants
    Chapter: 9

    Args:
        flops: FLOPs of training and inference together.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters and tokens, by halving an interval for D: along the condition the FLOPs grow with D.

    Source: as ``cheapest_for_loss``, with the budget given instead of the loss.
    Convention: 6 FLOPs for a parameter and token of training, 2 for one of inference.
    Leaves out: that a FLOP of inference costs more or less than one of training; a limit of the data.

    Example:
        >>> best = inference_aware_allocation(flops=5.76e23, inference_tokens=0)
        >>> round(best.parameters / 1e9, 1), round(best.tokens_per_parameter)
        (72.2, 18)
    """
    _, A_N, A_D, α_N, α_D = _constants(fit)
    C, D_inf = positive_number("flops", flops), nonnegative_number("inference_tokens", inference_tokens)

    def below(ln_D: float) -> bool:
        longer = _ln_longer(D_inf, ln_D)
        ln_N = (math.log(α_N * A_N) - math.log(α_D * A_D) + α_D * ln_D - longer) / α_N
        return math.log(6) + ln_N + ln_D + longer < math.log(C)

    return _on_the_condition("flops and inference_tokens", below, D_inf, fit)


def _on_the_condition(names: str, short: Callable[[float], bool], D_inf: float, fit: LossFit | str) -> Allocation:
    """Return the model and tokens on the condition at the D up to which ``short`` says that D is too small."""
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    D = math.exp(high)
    N = inference_aware_parameters(tokens=D, inference_tokens=D_inf, fit=fit)
    if not N or math.isinf(D / N):
        raise ValueError(f"{names} must be such that the optimum fits floats, got {N:g} parameters and {D:g} tokens")
    return Allocation(N, D)


def _ln_longer(D_inf: float, ln_D: float) -> float:
    """Return ln(1 + D_inf/3D): how much more the FLOPs of a parameter are than those of its training."""
    return _ln_1p_exp(math.log(D_inf / 3) - ln_D) if D_inf / 3 > 0 else 0.0


def _ln_1p_exp(x: float) -> float:
    """Return ln(1 + e^x) without an overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _constants(fit: LossFit | str) -> tuple[float, float, float, float, float]:
    """Return ℒ_∞, A_N, A_D, α_N and α_D."""
    f = LOSS_FITS.find(fit)
    return f.irreducible_nats, f.parameter_coefficient, f.token_coefficient, f.parameter_exponent, f.token_exponent


def _power(names: str, value: Callable[[], float]) -> float:
    """Return a value, or raise ``ValueError`` where the arguments ``names`` make a power in it too large."""
    try:
        result = value()
    except (OverflowError, ZeroDivisionError):
        result = math.inf
    return as_float(names, result)
