"""Formulas: how often a whole answer is right whose tokens are right more or less often, and what a test sees of it.

The loss of a token is minus the natural logarithm of the probability that the model gives it, where those before it are
right. An answer that is sampled is right with the product of its tokens' probabilities, e to the power of minus the sum
of their losses.
"""

from __future__ import annotations

import math

from snippets.domain import as_float, nonnegative_number, number_between, positive_integer, positive_number, probability

CONFIDENCE = 0.95
_SURE = 1e-9  # how near a rate or a confidence may come to 0 or 1


def exact_match_rate(*, token_accuracy: float, tokens: int) -> float:
    r"""Return how often all tokens of an answer are right, if each is right as often as any other, independently.

    Formula: $q = p^\ell$
    Symbols: q = result; p = token_accuracy; ℓ = the answer's tokens
    Chapter: 10

    Args:
        token_accuracy: share of tokens that are right where those before them are, from 0 to 1.
        tokens: ℓ, of an answer.

    Returns:
        A share from 0 to 1.

    Source: Schaeffer, Miranda and Koyejo 2023, section 2.
    Convention: the accuracy is conditional: a token counts where all before it are right.
    Leaves out: problems that are easier than others (``spread_exact_match_rate``), and tokens that are.

    Example:
        >>> round(exact_match_rate(token_accuracy=0.9, tokens=20), 4)
        0.1216
    """
    p, length = probability("token_accuracy", token_accuracy), positive_integer("tokens", tokens)
    return float(p**length)


def spread_exact_match_rate(*, loss: float, tokens: int, shape: float) -> float:
    r"""Return how often an answer is right whose tokens' loss differs from problem to problem.

    Formula: $q = \left(1 + \frac{\ell \mathcal L}{\xi}\right)^{-\xi}$
    Symbols: q = result; ℒ = loss; ℓ = the answer's tokens; ξ = shape
    Chapter: 10

    Args:
        loss: ℒ, mean loss of a token over all problems, in nats, at least 0.
        tokens: ℓ, of an answer; 1 gives the accuracy of a token.
        shape: ξ, of the gamma distribution of the problems' losses, whose standard deviation is ℒ/√ξ; at most 1e12.

    Returns:
        A share from 0 to 1; for a large ``shape`` it is e to the power of −ℓℒ.

    Source: derived in this book: the mean of exp(−ℓℒz) over z with a gamma distribution of mean 1.
    Convention: natural logarithm. A problem's tokens have one sum of losses, ℓ·ℒ·z, however it is spread over them.
    Leaves out: a floor under the loss, guesses, and decoding that is not sampling.

    Example:
        >>> round(spread_exact_match_rate(loss=0.5, tokens=20, shape=4), 4)
        0.0067
        >>> round(spread_exact_match_rate(loss=0.5, tokens=1, shape=4), 3)
        0.624
    """
    loss, length = nonnegative_number("loss", loss), positive_integer("tokens", tokens)
    ξ = number_between("shape", shape, low=_SURE, high=1e12)
    return math.exp(-ξ * math.log1p(as_float("loss, tokens and shape", length * (loss / ξ))))


def length_compute_factor(*, tokens: int, exponent: float) -> float:
    r"""Return how many times the compute an answer of ℓ tokens needs to be right as often as a single token was.

    Formula: $\frac{C_\ell}{C_1} = \ell^{1/\alpha_C}$
    Symbols: C_ℓ/C_1 = result; ℓ = the answer's tokens; α_C = exponent
    Chapter: 10

    Args:
        tokens: ℓ, of an answer.
        exponent: α_C: a token's loss falls as compute to the power −α_C, above 0.

    Returns:
        The ratio of the computes.

    Source: derived in this book: the exact match depends on ℓℒ alone, and ℒ falls as C^(−α_C).
    Convention: any unit of compute.
    Leaves out: a floor under the loss, which no compute undercuts.

    Example:
        >>> length_compute_factor(tokens=20, exponent=1.0)
        20.0
    """
    length, α_C = positive_integer("tokens", tokens), positive_number("exponent", exponent)
    if math.log(length) > 700 * α_C:
        as_float("tokens and exponent", math.inf)
    return float(length ** (1 / α_C))


def zero_upper_bound(*, trials: int, confidence: float = CONFIDENCE) -> float:
    r"""Return the largest rate that a test on which nothing was right has not ruled out.

    Formula: $q = 1 - (1-\kappa)^{1/J}$
    Symbols: q = result; J = trials; κ = confidence
    Chapter: 10

    Args:
        trials: J, problems of the test, independent of each other.
        confidence: κ: a model with the rate q gets something right with this probability, above 0 and below 1.

    Returns:
        The rate, from 0 to 1; about 3/J for 95%.

    Source: the binomial probability of 0, (1 − q)^J, set to 1 − κ; Hanley and Lippman-Hand 1983 for 3/J.
    Convention: one-sided.
    Leaves out: problems that share a text or a generator's quirk, which are not independent.

    Example:
        >>> round(zero_upper_bound(trials=100), 4)
        0.0295
    """
    J, κ = positive_integer("trials", trials), _inside("confidence", confidence)
    return -math.expm1(math.log1p(-κ) / J)


def trials_to_see(*, rate: float, confidence: float = CONFIDENCE) -> int:
    r"""Return the fewest problems among which a model that gets a share right gets at least one right.

    Formula: $J = \left\lceil \frac{\ln(1-\kappa)}{\ln(1-q)} \right\rceil$
    Symbols: J = result; q = rate; κ = confidence
    Chapter: 10

    Args:
        rate: q, the share of all problems that the model gets right, above 0 and below 1.
        confidence: κ, the wanted probability of at least one, above 0 and below 1.

    Returns:
        J, at least 1.

    Source: the binomial probability of 0, (1 − q)^J, set to 1 − κ.
    Convention: one-sided.
    Leaves out: problems that are not independent.

    Example:
        >>> trials_to_see(rate=0.01)
        299
    """
    q, κ = _inside("rate", rate), _inside("confidence", confidence)
    return max(1, math.ceil(math.log1p(-κ) / math.log1p(-q) * (1 - 1e-12)))


def scoring_gain(*, loss: float, tokens: int, shape: float) -> float:
    r"""Return how many sampled answers tell as much of the exact match as one right answer's probability.

    Formula: $\frac{q_\ell (1 - q_\ell)}{q_{2\ell} - q_\ell^2}$
    Symbols: q_ℓ, q_2ℓ = spread_exact_match_rate of ℓ and of 2ℓ tokens; ℓ = the answer's tokens
    Chapter: 10

    Args:
        loss: ℒ, mean loss of a token over all problems, in nats, above 0 and at most 100.
        tokens: ℓ, of an answer, at most 10,000.
        shape: ξ, of the gamma distribution of the problems' losses, at most 1000.

    Returns:
        The ratio of the two variances, at least 1.

    Source: derived in this book: a sampled answer is right or wrong, with variance q(1 − q); a probability exp(−Λ) has
        the mean square q_2ℓ, since its square is exp(−2Λ).
    Convention: one sampled answer, and one scored one, for each problem.
    Leaves out: what both cost; a scored answer is one forward pass over the right answer.

    Example:
        >>> round(scoring_gain(loss=0.5, tokens=20, shape=4), 1)
        9.1
    """
    loss = number_between("loss", loss, low=1e-6, high=100)
    length = int(number_between("tokens", positive_integer("tokens", tokens), low=1, high=10_000))
    ξ = number_between("shape", shape, low=_SURE, high=1000)
    once, twice = (spread_exact_match_rate(loss=loss, tokens=many, shape=ξ) for many in (length, 2 * length))
    return as_float("loss, tokens and shape", _ratio(once * (1 - once), twice - once**2))


def _ratio(upper: float, lower: float) -> float:
    return upper / lower if lower > 0 else math.inf


def _inside(name: str, value: float) -> float:
    return number_between(name, value, low=_SURE, high=1 - _SURE)
