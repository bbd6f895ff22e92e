"""Formulas: the loss of a language model by its parameters and its tokens, with the constants of published fits."""

from __future__ import annotations

from dataclasses import dataclass

from snippets.domain import Catalogue, Checked, as_float, positive_number

READ = "2026-11-23"


@dataclass(frozen=True)
class LossFit(Checked):
    """The five constants of a fitted loss surface, ℒ(N, D) = ℒ_∞ + A_N/N^α_N + A_D/D^α_D.

    Attributes:
        name: whose fit, and which version of its constants.
        irreducible_nats: ℒ_∞, the loss that no model and no data go below, in nats a token.
        parameter_coefficient: A_N, in nats for N in parameters.
        token_coefficient: A_D, in nats for D in tokens.
        parameter_exponent: α_N.
        token_exponent: α_D.
        source: where the constants are printed.
        read: when they were read there.

    >>> fit = LossFit("toy", 1.5, 100.0, 200.0, 0.5, 0.5, "nowhere")
    >>> fit.irreducible_nats, fit.token_coefficient
    (1.5, 200.0)
    """

    name: str
    irreducible_nats: float
    parameter_coefficient: float
    token_coefficient: float
    parameter_exponent: float
    token_exponent: float
    source: str
    read: str = READ


_PRINTED = "Hoffmann et al. 2022, equation (10) and appendix D.2"
_UNROUNDED = (
    "the TeX source of Hoffmann et al. 2022, as Besiroglu et al. 2024 give it in the notebook of their analysis"
)
LOSS_FITS = Catalogue(
    "fit",
    LossFit,
    [
        LossFit("Hoffmann et al. 2022", 1.69, 406.4, 410.7, 0.34, 0.28, _PRINTED),
        LossFit("Hoffmann et al. 2022, unrounded", 1.69337, 406.401, 410.723, 0.33917084, 0.2849083, _UNROUNDED),
        LossFit("Besiroglu et al. 2024", 1.8172, 482.01, 2085.43, 0.3478, 0.3658, "Besiroglu et al. 2024, table 1"),
    ],
    aliases={"Chinchilla": "Hoffmann et al. 2022", "refit": "Besiroglu et al. 2024"},
)


def surface_loss_nats(*, parameters: float, tokens: float, fit: LossFit | str = "Besiroglu et al. 2024") -> float:
    """Return the loss of a model that was trained once through its tokens, by a fitted surface.

    Also: Chinchilla loss, scaling-law loss, parametric loss
    Formula: $\\mathcal L_\\infty + \\frac{A_N}{N^{\\alpha_N}} + \\frac{A_D}{D^{\\alpha_D}}$
    Symbols: N = parameters; D = tokens; ℒ_∞, A_N, A_D, α_N, α_D = the fit's constants
    Chapter: 8

    Args:
        parameters: of the model.
        tokens: of its training, each seen once.
        fit: the constants, or their name in ``LOSS_FITS``.

    Returns:
        Nats a token.

    Source: Hoffmann et al. 2022, equation (10).
    Convention: natural logarithms; the loss on text like that of the training, by the tokenizer of the fit's runs.
    Leaves out: tokens seen more than once; other data, tokenizers and architectures than those of the fit's runs.

    Example:
        >>> round(surface_loss_nats(parameters=70e9, tokens=1.4e12, fit="Besiroglu et al. 2024"), 3)
        1.974
    """
    f = LOSS_FITS.find(fit)
    N, D = positive_number("parameters", parameters), positive_number("tokens", tokens)
    A_N, A_D, α_N, α_D = f.parameter_coefficient, f.token_coefficient, f.parameter_exponent, f.token_exponent
    return as_float("parameters and tokens", f.irreducible_nats + A_N / N**α_N + A_D / D**α_D)


@dataclass(frozen=True)
class PowerLaw(Checked):
    """A power law of the loss without an irreducible term, ℒ = (z_c/z)^κ.

    Attributes:
        name: what z is.
        scale: z_c, the amount at which the law reaches 1 nat.
        exponent: κ.
        source: where the constants are printed.
        read: when they were read there.

    >>> PowerLaw("toy", 1e6, 0.5, "nowhere").exponent
    0.5
    """

    name: str
    scale: float
    exponent: float
    source: str
    read: str = READ


PF_DAY_FLOPS = 1e15 * 86_400
_KAPLAN = "Kaplan et al. 2020, equation (1.{}), second-hand"
KAPLAN_LAWS = Catalogue(
    "law",
    PowerLaw,
    [
        PowerLaw("parameters", 8.8e13, 0.076, _KAPLAN.format(1)),
        PowerLaw("tokens", 5.4e13, 0.095, _KAPLAN.format(2)),
        PowerLaw("compute", 3.1e8 * PF_DAY_FLOPS, 0.050, _KAPLAN.format(3)),
    ],
)


def power_law_loss_nats(amount: float, *, law: PowerLaw | str) -> float:
    """Return the loss by one of Kaplan's power laws, where nothing else limits the model.

    Formula: $\\left(\\frac{z_\\text{c}}{z}\\right)^{\\kappa}$
    Symbols: z = amount; z_c, κ = the law's scale and exponent
    Chapter: 8

    Args:
        amount: of what the law counts: parameters without the embedding tables, tokens, or operations in FLOPs.
        law: the constants, or their name in ``KAPLAN_LAWS``.

    Returns:
        Nats a token.

    Source: Kaplan et al. 2020, equations (1.1) to (1.3); the third counts 3.1e8 petaflop/s-days.
    Convention: natural logarithms; WebText2 with its tokenizer; the compute is that of the best batch and model size.
    Leaves out: the irreducible loss: the law falls to 0.

    Example:
        >>> round(power_law_loss_nats(1e8, law="parameters"), 2)
        2.83
    """
    f = KAPLAN_LAWS.find(law)
    z, z_c, κ = positive_number("amount", amount), f.scale, f.exponent
    return as_float("amount and law", (z_c / z) ** κ)


def kaplan_growth(*, compute_factor: float) -> dict[str, float]:
    """Return by how much Kaplan et al. let everything grow when the compute grows.

    Also: Kaplan scaling
    Formula: $N \\propto C^{0.73},\\ B \\propto C^{0.24},\\ S \\propto C^{0.03},\\ D \\propto C^{0.27}$
    Symbols: C = compute; N = parameters; B = batch; S = steps; D = tokens, which are batch times steps
    Chapter: 8

    Args:
        compute_factor: how many times the compute.

    Returns:
        How many times the parameters, the batch, the steps and the tokens.

    Source: Kaplan et al. 2020, section 6.
    Convention: factors on what there was before.
    Leaves out: what chapter 9 finds: later fits give the tokens a larger share.

    Example:
        >>> {name: round(factor, 2) for name, factor in kaplan_growth(compute_factor=10).items()}
        {'parameters': 5.37, 'batch': 1.74, 'steps': 1.07, 'tokens': 1.86}
    """
    C = positive_number("compute_factor", compute_factor)
    return {"parameters": C**0.73, "batch": C**0.24, "steps": C**0.03, "tokens": C**0.27}
