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
    Formula: $N^* = G \\left(\\frac{C}{6}\\right)^{\\frac{\\beta}{\\alpha+\\beta}}, \\quad
        G = \\left(\\frac{\\alpha A}{\\beta B}\\right)^{\\frac{1}{\\alpha+\\beta}}$
    Symbols: N^* = the result; C = flops; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        flops: operations of the training.
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
    C, (_, A, B, α, β) = positive_number("flops", flops), _constants(fit)
    return _power("flops and fit", lambda: (α * A / (β * B)) ** (1 / (α + β)) * (C / 6) ** (β / (α + β)))


def compute_optimal_tokens(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens on which a training budget is best spent.

    Also: compute-optimal data, Chinchilla-optimal tokens
    Formula: $D^* = \\frac{1}{G} \\left(\\frac{C}{6}\\right)^{\\frac{\\alpha}{\\alpha+\\beta}}, \\quad
        G = \\left(\\frac{\\alpha A}{\\beta B}\\right)^{\\frac{1}{\\alpha+\\beta}}$
    Symbols: D^* = the result; C = flops; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        flops: operations of the training.
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
    C, (_, A, B, α, β) = positive_number("flops", flops), _constants(fit)
    return _power("flops and fit", lambda: (β * B / (α * A)) ** (1 / (α + β)) * (C / 6) ** (α / (α + β)))


def compute_optimal_tokens_per_parameter(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens for each parameter at the best split of a training budget.

    Also: Chinchilla ratio, tokens per parameter
    Formula: $\\frac{D^*}{N^*} = \\left(\\frac{\\beta B}{\\alpha A}\\right)^{\\frac{2}{\\alpha+\\beta}}
        \\left(\\frac{C}{6}\\right)^{\\frac{\\alpha-\\beta}{\\alpha+\\beta}}$
    Symbols: C = flops; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        flops: operations of the training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens for each parameter; it depends on the budget unless α = β.

    Source: the quotient of the two optima of Hoffmann et al. 2022, equation (4).
    Convention: C = 6ND.
    Leaves out: what serving the model costs.

    Example:
        >>> round(compute_optimal_tokens_per_parameter(flops=5.76e23)), round(
        ...     compute_optimal_tokens_per_parameter(flops=5.76e23, fit="Chinchilla")
        ... )
        (18, 93)
    """
    C, (_, A, B, α, β) = positive_number("flops", flops), _constants(fit)
    return _power("flops and fit", lambda: (β * B / (α * A)) ** (2 / (α + β)) * (C / 6) ** ((α - β) / (α + β)))


def compute_optimal_loss_nats(*, flops: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the least loss that a training budget buys.

    Also: compute-optimal loss
    Formula: $L^* = E + \\left(\\frac1\\alpha + \\frac1\\beta\\right)
        \\left((\\alpha A)^\\beta (\\beta B)^\\alpha\\right)^{\\frac{1}{\\alpha+\\beta}}
        \\left(\\frac{C}{6}\\right)^{-\\frac{\\alpha\\beta}{\\alpha+\\beta}}$
    Symbols: L^* = the result; C = flops; E, A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        flops: operations of the training.
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
    C, (E, A, B, α, β) = positive_number("flops", flops), _constants(fit)

    def loss() -> float:
        scale = (1 / α + 1 / β) * ((α * A) ** β * (β * B) ** α) ** (1 / (α + β))
        return float(E + scale * (C / 6) ** (-α * β / (α + β)))

    return _power("flops and fit", loss)


def flops_for_parameters(*, parameters: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the training budget for which a model has the best size.

    Formula: $C = 6 \\left(\\frac{N}{G}\\right)^{\\frac{\\alpha+\\beta}{\\beta}}, \\quad
        G = \\left(\\frac{\\alpha A}{\\beta B}\\right)^{\\frac{1}{\\alpha+\\beta}}$
    Symbols: C = the result; N = parameters; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Operations of the training.

    Source: Hoffmann et al. 2022, equation (4), solved for C.
    Convention: C = 6ND.
    Leaves out: what serving the model costs.

    Example:
        >>> f"{flops_for_parameters(parameters=1e9):.2e}"
        '1.36e+20'
    """
    N, (_, A, B, α, β) = positive_number("parameters", parameters), _constants(fit)
    return _power("parameters and fit", lambda: 6 * (N * (β * B / (α * A)) ** (1 / (α + β))) ** ((α + β) / β))


def tokens_for_loss(*, parameters: float, loss_nats: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the tokens after which a model has a loss.

    Formula: $D = \\left(\\frac{B}{L - E - A/N^\\alpha}\\right)^{1/\\beta}$
    Symbols: D = the result; N = parameters; L = loss_nats; E, A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        loss_nats: the loss that it is to have, above E + A/N^α.
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
    N, L = positive_number("parameters", parameters), positive_number("loss_nats", loss_nats)
    E, A, B, α, β = _constants(fit)
    left = L - E - _power("parameters and fit", lambda: A * N**-α)
    if left <= 0:
        raise ValueError(
            f"loss_nats must be above {L - left:.6g}, this model's loss on endless data, got {loss_nats!r}"
            f" with parameters = {parameters!r}"
        )
    return _power("loss_nats, parameters and fit", lambda: (B / left) ** (1 / β))


def missized_compute_factor(*, size_ratio: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return how many times the compute a model takes that has not the best size, for the loss that it reaches.

    Formula: $F = \\left(\\frac{\\beta k^{-\\alpha} + \\alpha k^{\\beta}}
        {\\alpha+\\beta}\\right)^{\\frac{\\alpha+\\beta}{\\alpha\\beta}}$
    Symbols: F = the result; k = size_ratio; α, β = the fit's exponents
    Chapter: 9

    Args:
        size_ratio: the model's size over the best size for its own budget; 0.5 is half as large.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Its compute over the compute of the best split that has the same loss, at least 1.

    Source: the loss surface along C = 6ND, put into the least loss and solved for the budget.
    Convention: the same at any budget; A, B and E cancel.
    Leaves out: what serving the model costs.

    Example:
        >>> round(missized_compute_factor(size_ratio=0.5), 3)
        1.184
    """
    k, (_, _, _, α, β) = positive_number("size_ratio", size_ratio), _constants(fit)
    return _power("size_ratio and fit", lambda: ((β * k**-α + α * k**β) / (α + β)) ** ((α + β) / (α * β)))


def exponent_rounding_factor(
    *,
    flops: float,
    parameter_exponent_change: float = 0.0,
    token_exponent_change: float = 0.0,
    fit: LossFit | str = DEFAULT_FIT,
) -> float:
    """Return by what the best tokens per parameter are multiplied when a fit's exponents change a little.

    Formula: $\\exp\\left(\\frac{2}{\\alpha+\\beta}\\left[\\left(\\ln N^* - \\frac1\\alpha\\right)\\Delta\\alpha -
        \\left(\\ln D^* - \\frac1\\beta\\right)\\Delta\\beta\\right]\\right)$
    Symbols: N^*, D^* = the optimum; \\Delta\\alpha = parameter_exponent_change; \\Delta\\beta = token_exponent_change;
        α, β = the fit's exponents
    Chapter: 9

    Args:
        flops: operations of the training.
        parameter_exponent_change: what is added to α, any finite number.
        token_exponent_change: what is added to β, any finite number.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        A factor, to first order in the changes.

    Source: the derivative of the logarithm of ``compute_optimal_tokens_per_parameter``.
    Convention: A and B stay as they are.
    Leaves out: second order, a few per cent for changes of 0.005.

    Example:
        >>> round(exponent_rounding_factor(flops=5.76e23, token_exponent_change=-0.005), 2)
        1.42
    """
    Δα = finite_number("parameter_exponent_change", parameter_exponent_change)
    Δβ = finite_number("token_exponent_change", token_exponent_change)
    N, D = compute_optimal_parameters(flops=flops, fit=fit), compute_optimal_tokens(flops=flops, fit=fit)
    if N == 0 or D == 0:
        raise ValueError(f"flops must be such that the best split is above 0, got {flops!r}")
    ln_N, ln_D, (_, _, _, α, β) = math.log(N), math.log(D), _constants(fit)
    return _power(
        "flops, parameter_exponent_change, token_exponent_change and fit",
        lambda: math.exp(2 / (α + β) * ((ln_N - 1 / α) * Δα - (ln_D - 1 / β) * Δβ)),
    )


def lifetime_flops(*, parameters: float, tokens: float, inference_tokens: float) -> float:
    """Return the operations of a model's training and of all its use.

    Formula: $C = 6ND + 2NM$
    Symbols: C = the result; N = parameters; D = tokens; M = inference_tokens
    Chapter: 9

    Args:
        parameters: of the model.
        tokens: of its training.
        inference_tokens: tokens that it reads and writes in its life, at least 0.

    Returns:
        Operations.

    Source: Sardana et al. 2024.
    Convention: 6 operations for a parameter and token of training, 2 for one of use.
    Leaves out: attention's products; that use reaches another share of the peak than training.

    Example:
        >>> lifetime_flops(parameters=1e9, tokens=20e9, inference_tokens=30e9)
        1.8e+20
    """
    N, D = positive_number("parameters", parameters), positive_number("tokens", tokens)
    M = nonnegative_number("inference_tokens", inference_tokens)
    return as_float("parameters, tokens and inference_tokens", 6 * N * D + 2 * N * M)


def inference_aware_parameters(*, tokens: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return the model that goes best with its tokens of training, when its use counts too.

    Formula: $N = \\left(\\frac{\\alpha A\\, D^\\beta}{\\beta B\\, (1 + M/3D)}\\right)^{1/\\alpha}$
    Symbols: N = the result; D = tokens; M = inference_tokens; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        tokens: of the training.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters: no other model reaches its loss with fewer operations of training and use together.

    Source: the condition for the least ``lifetime_flops`` at fixed loss; Sardana et al. 2024 solve it numerically.
    Convention: 6 operations for a parameter and token of training, 2 for one of use.
    Leaves out: that an operation of use costs more or less than one of training.

    Example:
        >>> round(inference_aware_parameters(tokens=15e12, inference_tokens=1.9e14) / 1e9, 1)
        8.0
    """
    D, M = positive_number("tokens", tokens), nonnegative_number("inference_tokens", inference_tokens)
    _, A, B, α, β = _constants(fit)
    return _power("tokens, inference_tokens and fit", lambda: (α * A * D**β / (β * B * (1 + M / D / 3))) ** (1 / α))


def break_even_inference_tokens(*, parameters: float, tokens: float, fit: LossFit | str = DEFAULT_FIT) -> float:
    """Return for how many tokens of use a model and its training are the cheapest way to their loss.

    Formula: $M = 3D \\left(\\frac{\\alpha A / N^\\alpha}{\\beta B / D^\\beta} - 1\\right)$
    Symbols: M = the result; N = parameters; D = tokens; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        parameters: of the model.
        tokens: of its training.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Tokens of use; below 0 where the model is too large even without any.

    Source: the condition for the least ``lifetime_flops`` at fixed loss, solved for M.
    Convention: 6 operations for a parameter and token of training, 2 for one of use.
    Leaves out: that an operation of use costs more or less than one of training.

    Example:
        >>> round(break_even_inference_tokens(parameters=8.03e9, tokens=15e12) / 1e12)
        189
    """
    N, D = positive_number("parameters", parameters), positive_number("tokens", tokens)
    _, A, B, α, β = _constants(fit)
    return _power("parameters, tokens and fit", lambda: 3 * D * (α * A * N**-α / (β * B * D**-β) - 1))


def cheapest_for_loss(*, loss_nats: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT) -> Allocation:
    """Return the model and tokens that reach a loss with the fewest operations of training and use together.

    Also: overtraining
    Formula: $\\frac{\\alpha A}{N^\\alpha} = \\frac{\\beta B}{D^\\beta}\\left(1 + \\frac{M}{3D}\\right), \\quad
        E + \\frac{A}{N^\\alpha} + \\frac{B}{D^\\beta} = L$
    Symbols: N, D = the result; L = loss_nats; M = inference_tokens; E, A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        loss_nats: the loss that is to be reached, above E.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters and tokens, by halving an interval for D: along the condition the loss falls as D grows.

    Source: the condition for the least ``lifetime_flops``; Sardana et al. 2024 use Newton's method.
    Convention: 6 operations for a parameter and token of training, 2 for one of use.
    Leaves out: that an operation of use costs more or less than one of training; a limit of the data.

    Example:
        >>> best = cheapest_for_loss(loss_nats=2.0, inference_tokens=1e13)
        >>> round(best.parameters / 1e9), round(best.tokens / 1e12, 1)
        (20, 3.0)
    """
    E, _, B, α, β = _constants(fit)
    L, M = positive_number("loss_nats", loss_nats), nonnegative_number("inference_tokens", inference_tokens)
    if L <= E:
        raise ValueError(f"loss_nats must be above the fit's irreducible loss {E:g}, got {loss_nats!r}")

    def above(ln_D: float) -> bool:
        # A/N^α follows from the condition, without N: what is above E is B/D^β (1 + β/α (1 + M/3D)).
        return math.log(B) - β * ln_D + _ln_1p_exp(math.log(β / α) + _ln_longer(M, ln_D)) > math.log(L - E)

    return _on_the_condition("loss_nats and inference_tokens", above, M, fit)


def inference_aware_allocation(
    *, flops: float, inference_tokens: float, fit: LossFit | str = DEFAULT_FIT
) -> Allocation:
    """Return the model and tokens with the least loss, if a budget has to pay for training and use together.

    Also: inference-aware scaling
    Formula: $\\frac{\\alpha A}{N^\\alpha} = \\frac{\\beta B}{D^\\beta}\\left(1 + \\frac{M}{3D}\\right), \\quad
        6ND + 2NM = C$
    Symbols: N, D = the result; C = flops; M = inference_tokens; A, B, α, β = the fit's constants
    Chapter: 9

    Args:
        flops: operations of training and use together.
        inference_tokens: tokens that the model reads and writes in its life, at least 0.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Parameters and tokens, by halving an interval for D: along the condition the operations grow with D.

    Source: as ``cheapest_for_loss``, with the budget given instead of the loss.
    Convention: 6 operations for a parameter and token of training, 2 for one of use.
    Leaves out: that an operation of use costs more or less than one of training; a limit of the data.

    Example:
        >>> best = inference_aware_allocation(flops=5.76e23, inference_tokens=0)
        >>> round(best.parameters / 1e9, 1), round(best.tokens_per_parameter)
        (72.2, 18)
    """
    _, A, B, α, β = _constants(fit)
    C, M = positive_number("flops", flops), nonnegative_number("inference_tokens", inference_tokens)

    def below(ln_D: float) -> bool:
        longer = _ln_longer(M, ln_D)
        ln_N = (math.log(α * A) - math.log(β * B) + β * ln_D - longer) / α
        return math.log(6) + ln_N + ln_D + longer < math.log(C)

    return _on_the_condition("flops and inference_tokens", below, M, fit)


def _on_the_condition(names: str, short: Callable[[float], bool], M: float, fit: LossFit | str) -> Allocation:
    """Return the model and tokens on the condition at the D up to which ``short`` says that D is too small."""
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    D = math.exp(high)
    N = inference_aware_parameters(tokens=D, inference_tokens=M, fit=fit)
    if not N or math.isinf(D / N):
        raise ValueError(f"{names} must be such that the optimum fits floats, got {N:g} parameters and {D:g} tokens")
    return Allocation(N, D)


def _ln_longer(M: float, ln_D: float) -> float:
    """Return ln(1 + M/3D): how much more the operations of a parameter are than those of its training."""
    return _ln_1p_exp(math.log(M / 3) - ln_D) if M / 3 > 0 else 0.0


def _ln_1p_exp(x: float) -> float:
    """Return ln(1 + e^x) without an overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _constants(fit: LossFit | str) -> tuple[float, float, float, float, float]:
    """Return E, A, B, α and β."""
    f = LOSS_FITS.find(fit)
    return f.irreducible_nats, f.parameter_coefficient, f.token_coefficient, f.parameter_exponent, f.token_exponent


def _power(names: str, value: Callable[[], float]) -> float:
    """Return a value, or raise ``ValueError`` where the arguments ``names`` make a power in it too large."""
    try:
        result = value()
    except (OverflowError, ZeroDivisionError):
        result = math.inf
    return as_float(names, result)
