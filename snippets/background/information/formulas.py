"""Formulas: entropy and its family, what they say about a model's loss, and the rate of quantised numbers.

A distribution is a sequence of probabilities, each from 0 to 1, whose sum is 1 to within ``SUM_TOLERANCE``; it is not
rescaled. By definition ``0·log 0 = 0``, and ``p·log(p/0)`` is infinite for p > 0. The unit follows from the base of the
logarithm: 2 for bits, ``math.e`` for nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from snippets.domain import (
    as_float,
    each,
    finite_number,
    nonnegative_number,
    positive_integer,
    positive_number,
    probability,
)

SUM_TOLERANCE = 1e-6  # lets float32 probabilities pass


def entropy(probabilities: Sequence[float], *, base: float = 2.0) -> float:
    r"""Entropy of a distribution, ``−Σ p·log p``: the fewest bits per symbol that any code can average.

    Also: Shannon entropy
    Formula: $H(p) = -\sum_i p_i \log p_i$
    Symbols: H(p) = result; p_i = probabilities
    Chapter: A4

    Args:
        probabilities: p, one entry per symbol, at least one.
        base: of the logarithm, above 1.

    Returns:
        From 0 (one symbol is certain) to the logarithm of the number of symbols (all alike).

    Raises:
        ValueError: ``probabilities`` is no distribution, or ``base`` is not above 1.

    Source: Shannon 1948, section 6.
    Convention: base 2, so bits, unless told otherwise.

    Example:
        >>> entropy([0.5, 0.25, 0.25, 0.0])
        1.5
    """
    log = _logarithm(base)
    return _sum(-p * log(p) for p in _distribution("probabilities", probabilities) if p)


def cross_entropy(p: Sequence[float], q: Sequence[float], *, base: float = 2.0) -> float:
    r"""Cross-entropy, ``−Σ p·log q``: mean length of a code made for q when the symbols follow p.

    Formula: $H(p, q) = -\sum_i p_i \log q_i$
    Symbols: H(p, q) = result; p_i = p; q_i = q
    Chapter: A4

    Args:
        p: what the symbols follow, one entry per symbol, at least one.
        q: what the code or the model takes them to follow, as many entries.
        base: of the logarithm, above 1.

    Returns:
        At least ``entropy(p)``; infinite where q rules out a symbol that p does not.

    Raises:
        ValueError: p or q is no distribution, their lengths differ, or ``base`` is not above 1.

    Source: Cover and Thomas 2006, theorem 5.4.3, for the code made for another distribution.
    Convention: base 2; a training loss is usually in nats, which is base e.

    Example:
        >>> cross_entropy([0.5, 0.5], [0.25, 0.75]) > entropy([0.5, 0.5])
        True
        >>> cross_entropy([0.5, 0.5], [1.0, 0.0])
        inf
    """
    log, pairs = _logarithm(base), _pairs(p, q)
    return _sum(-a * log(b) if b else math.inf for a, b in pairs if a)


def kl_divergence(p: Sequence[float], q: Sequence[float], *, base: float = 2.0) -> float:
    r"""Kullback–Leibler divergence, ``Σ p·log(p/q)``: what coding p with a code made for q costs beyond the entropy.

    Also: relative entropy, Kullback-Leibler divergence
    Formula: $\operatorname{KL}(p \,\|\, q) = \sum_i p_i \log \dfrac{p_i}{q_i}$
    Symbols: KL = result; p_i = p; q_i = q
    Chapter: A4

    Args:
        p: what the symbols follow, one entry per symbol, at least one.
        q: what the code or the model takes them to follow, as many entries.
        base: of the logarithm, above 1.

    Returns:
        At least 0, and 0 only where p = q; infinite where q rules out a symbol that p does not.

    Raises:
        ValueError: p or q is no distribution, their lengths differ, or ``base`` is not above 1.

    Source: Cover and Thomas 2006, theorem 2.6.3, that it is at least 0.
    Convention: base 2. It is not symmetric: p is the truth, q the model.

    Example:
        >>> kl_divergence([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
        1.0
    """
    log, pairs = _logarithm(base), _pairs(p, q)
    return _sum(a * (log(a) - log(b)) if b else math.inf for a, b in pairs if a)


def jensen_shannon_divergence(p: Sequence[float], q: Sequence[float], *, base: float = 2.0) -> float:
    r"""Jensen–Shannon divergence, the mean of the divergences of p and q from their average ``m = (p + q)/2``.

    Also: JSD
    Formula: $\tfrac12 \operatorname{KL}(p\,\|\,\mu) + \tfrac12 \operatorname{KL}(q\,\|\,\mu),\quad \mu = \frac{p + q}2$
    Symbols: whole = result; p, q = the arguments; KL = kl_divergence
    Chapter: A4

    Args:
        p: a distribution.
        q: another, of as many entries.
        base: of the logarithm, above 1.

    Returns:
        From 0 (p = q) to 1 bit (no symbol in common): symmetric, and always finite.

    Raises:
        ValueError: p or q is no distribution, their lengths differ, or ``base`` is not above 1.

    Source: Lin 1991, with equal weights.
    Convention: base 2; the divergence, not its root, which is a metric.

    Example:
        >>> jensen_shannon_divergence([1.0, 0.0], [0.0, 1.0])
        1.0
    """
    log, pairs = _logarithm(base), _pairs(p, q)
    return _sum(share / 2 * log(2 * share / (a + b)) for a, b in pairs for share in (a, b) if share)


def joint_entropy(joint: Sequence[Sequence[float]], *, base: float = 2.0) -> float:
    r"""Entropy of a pair, ``H(X, Y) = −ΣΣ p(z, y)·log p(z, y)``.

    Formula: $H(G, U) = -\sum_{z, y} p(z, y) \log p(z, y)$
    Symbols: H(G, U) = result; p(z, y) = joint
    Chapter: A4

    Args:
        joint: p(z, y), one row per z, one column per y; all entries sum to 1.
        base: of the logarithm, above 1.

    Returns:
        From the larger of H(G) and H(U) to their sum.

    Raises:
        ValueError: ``joint`` is no distribution or its rows differ in length, or ``base`` is not above 1.

    Source: Cover and Thomas 2006, section 2.2.

    Example:
        >>> joint_entropy([[0.5, 0.0], [0.25, 0.25]])
        1.5
    """
    rows = _joint(joint)
    return entropy([share for row in rows for share in row], base=base)


def conditional_entropy(joint: Sequence[Sequence[float]], *, base: float = 2.0) -> float:
    r"""What is left to say of U when G is known, ``H(U | G) = H(G, U) − H(G)``.

    Formula: $H(U \mid G) = -\sum_{z, y} p(z, y) \log \dfrac{p(z, y)}{p(z)}$
    Symbols: H(U | G) = result; p(z, y) = joint; p(z) = sum of row z
    Chapter: A4

    Args:
        joint: p(z, y), one row per z, one column per y; all entries sum to 1.
        base: of the logarithm, above 1.

    Returns:
        From 0 (G tells U) to H(U) (G tells nothing).

    Raises:
        ValueError: ``joint`` is no distribution or its rows differ in length, or ``base`` is not above 1.

    Source: Cover and Thomas 2006, theorem 2.2.1.
    Convention: conditions on the rows. A language model's loss on text cannot fall below the conditional entropy of
    the next token given what it reads.

    Example:
        >>> conditional_entropy([[0.5, 0.0], [0.25, 0.25]])
        0.5
    """
    log, rows = _logarithm(base), _joint(joint)
    return _sum(share * (log(math.fsum(row)) - log(share)) for row in rows for share in row if share)


def mutual_information(joint: Sequence[Sequence[float]], *, base: float = 2.0) -> float:
    r"""What G and U tell of each other, ``MI(G; U) = ΣΣ p(z, y)·log(p(z, y)/(p(z)·p(y)))``.

    Formula: $\operatorname{MI}(G; U) = \sum_{z, y} p(z, y) \log \dfrac{p(z, y)}{p(z)\,p(y)}$
    Symbols: MI(G; U) = result; p(z, y) = joint; p(z) = sum of row z; p(y) = sum of column y
    Chapter: A4

    Args:
        joint: p(z, y), one row per z, one column per y; all entries sum to 1.
        base: of the logarithm, above 1.

    Returns:
        From 0 (independent) to the smaller of H(G) and H(U).

    Raises:
        ValueError: ``joint`` is no distribution or its rows differ in length, or ``base`` is not above 1.

    Source: Cover and Thomas 2006, section 2.3.

    Example:
        >>> mutual_information([[0.5, 0.0], [0.0, 0.5]])
        1.0
    """
    log, rows = _logarithm(base), _joint(joint)
    of_x, of_y = [math.fsum(row) for row in rows], [math.fsum(column) for column in zip(*rows, strict=True)]
    cells = ((share, x, y) for row, x in zip(rows, of_x, strict=True) for share, y in zip(row, of_y, strict=True))
    return _sum(share * (log(share) - log(x) - log(y)) for share, x, y in cells if share)


def perplexity(probabilities: Sequence[float]) -> float:
    r"""Perplexity of a distribution, ``2^H`` with H in bits: how many equally likely symbols are as uncertain.

    Formula: $2^{H(p)}$
    Symbols: whole = result; H(p) = entropy of probabilities, in bits
    Chapter: A4

    Args:
        probabilities: p, one entry per symbol, at least one.

    Returns:
        From 1 to the number of symbols. The base does not matter, as long as the power undoes the logarithm.

    Raises:
        ValueError: ``probabilities`` is no distribution.

    Source: Jelinek et al. 1977.

    Example:
        >>> perplexity([0.25, 0.25, 0.25, 0.25])
        4.0
    """
    return float(2.0 ** entropy(probabilities))


def perplexity_of_loss(loss: float, *, base: float = math.e) -> float:
    r"""Perplexity of a model from its mean loss per token, ``base^loss``: ``e^loss`` for a loss in nats.

    Formula: $\chi^{\mathcal L}$
    Symbols: whole = result; ℒ = loss; χ = base
    Chapter: A4

    Args:
        loss: mean cross-entropy per token, at least 0; may be infinite.
        base: of the logarithm that the loss was taken with, above 1.

    Returns:
        At least 1; infinite where the loss is.

    Raises:
        ValueError: ``loss`` is negative or no number, ``base`` is not above 1, or a finite result is above 1.8e308.

    Source: the definition of perplexity.
    Convention: base e, since training losses are in nats. Perplexities compare only for one tokenizer.

    Example:
        >>> round(perplexity_of_loss(2.0), 3), perplexity_of_loss(3.0, base=2)
        (7.389, 8.0)
    """
    power = _base(base)
    if isinstance(loss, float) and loss == math.inf:
        return math.inf
    try:
        result = power ** nonnegative_number("loss", loss)
    except OverflowError:
        result = math.inf
    return as_float("loss and base", result)


def bits_per_byte(*, loss_nats_per_token: float, bytes_per_token: float) -> float:
    r"""A language model's loss in bits per byte of text, ``ℒ/(ln 2·τ)``: what it would compress the text to.

    Also: BPB
    Formula: $\dfrac{\mathcal L}{\tau \ln 2}$
    Symbols: whole = result; ℒ = loss_nats_per_token; τ = bytes_per_token
    Chapter: A4

    Args:
        loss_nats_per_token: ℒ, mean cross-entropy per token in nats, at least 0.
        bytes_per_token: τ, mean bytes of text in a token, above 0.

    Returns:
        Bits per byte; below 8 the model compresses.

    Source: the definition.
    Convention: unlike a perplexity, it compares across tokenizers.
    Leaves out: the model itself, which the reader of the compressed text needs as well.

    Example:
        >>> round(bits_per_byte(loss_nats_per_token=2.0, bytes_per_token=4.0), 3)
        0.721
    """
    loss = nonnegative_number("loss_nats_per_token", loss_nats_per_token)
    rate = loss / math.log(2) / positive_number("bytes_per_token", bytes_per_token)
    if math.isinf(rate):
        raise ValueError(
            "loss_nats_per_token / bytes_per_token must be a rate that floats can hold, "
            f"got {loss_nats_per_token!r} / {bytes_per_token!r}"
        )
    return rate


def nats_to_bits(nats: float) -> float:
    r"""Convert an amount of information from nats to bits, ``nats/ln 2``.

    Formula: $\dfrac{H_{\mathrm{nats}}}{\ln 2}$
    Symbols: whole = result; H_nats = nats
    Chapter: A4

    Args:
        nats: any finite number.

    Returns:
        Bits.

    Source: the definition of the units.

    Example:
        >>> round(nats_to_bits(1.0), 4)
        1.4427
    """
    bits = finite_number("nats", nats) / math.log(2)
    if math.isinf(bits):
        raise ValueError(f"nats must be a number whose bits floats can hold, got {nats!r}")
    return bits


def source_coding_bounds(probabilities: Sequence[float], *, block: int = 1) -> tuple[float, float]:
    r"""Bits per symbol between which the best prefix code for blocks of k symbols lies, ``H ≤ L < H + 1/k``.

    Formula: $H(p) \le \bar\ell < H(p) + \dfrac1\kappa$
    Symbols: both ends = result; H(p) = entropy of probabilities; κ = block; mean ℓ = mean bits per symbol
    Chapter: A4

    Args:
        probabilities: p, one entry per symbol, at least one.
        block: κ, symbols that are coded together, at least 1.

    Returns:
        (H, H + 1/k): the lower bound holds for every code that can be decoded, the upper for the best one.

    Raises:
        ValueError: ``probabilities`` is no distribution, or ``block`` no integer of at least 1.

    Source: Cover and Thomas 2006, theorems 5.4.1 and 5.4.2.
    Convention: symbols are independent and follow p, which both sides know.

    Example:
        >>> source_coding_bounds([0.5, 0.25, 0.25], block=4)
        (1.5, 1.75)
    """
    least = entropy(probabilities)
    return least, least + 1 / positive_number("block", positive_integer("block", block))


def gaussian_entropy_bits(*, std: float) -> float:
    r"""Differential entropy of a normal distribution, ``½·log₂(2πe·σ²)``.

    Formula: $H_f = \tfrac12 \log_2 (2\pi \exp(1)\, \sigma^2)$
    Symbols: H_f = result; σ = std
    Chapter: A4

    Args:
        std: σ, above 0.

    Returns:
        Bits; negative for a narrow distribution, since it is relative to an interval of length 1.

    Source: Cover and Thomas 2006, example 8.1.2.

    Example:
        >>> round(gaussian_entropy_bits(std=1.0), 4)
        2.0471
    """
    return math.log2(2 * math.pi * math.e) / 2 + math.log2(positive_number("std", std))


def quantised_rate(*, differential_entropy_bits: float, step: float) -> float:
    r"""Bits per number when a continuous value is rounded to multiples of a fine step, ``h − log₂ Δ``.

    Halving the step costs one bit; so does doubling the spread of the values.

    Formula: $H_\Delta \approx H_f - \log_2 \Delta$
    Symbols: H_Δ = result; H_f = differential_entropy_bits; Δ = step
    Chapter: A4

    Args:
        differential_entropy_bits: H_f of the value, any finite number.
        step: Δ, above 0, in the unit of the value.

    Returns:
        The approximate entropy of the rounded value.

    Source: Cover and Thomas 2006, theorem 8.3.1.
    Leaves out: coarse steps, where it falls below the entropy, even below 0; see ``quantised_gaussian_bits``.

    Example:
        >>> round(quantised_rate(differential_entropy_bits=gaussian_entropy_bits(std=1.0), step=2**-8), 4)
        10.0471
    """
    return finite_number("differential_entropy_bits", differential_entropy_bits) - math.log2(
        positive_number("step", step)
    )


def quantised_gaussian_bits(*, std: float, step: float) -> float:
    r"""Entropy of a normal value, mean 0, that was rounded to the nearest multiple of a step, fine or coarse.

    Formula: $H_\Delta = -\sum_i p_i \log_2 p_i,\quad p_i = \Bigl[\Phi(z\Delta/\sigma)\Bigr]_{z=i-\frac12}^{i+\frac12}$
    Symbols: H_Δ = result; σ = std; Δ = step; Φ = the standard normal distribution function
    Chapter: A4

    Args:
        std: σ, above 0.
        step: Δ, above 0, in the unit of σ.

    Returns:
        Bits per number, at least 0. What matters is σ/Δ alone: gradients that shrink need fewer bits only when the step
        does not shrink with them.

    Source: derived in this book.
    Convention: 0 is a multiple; the cell of kΔ reaches from (k − ½)Δ to (k + ½)Δ. Beyond σ/Δ = 300, the fine-step
    approximation with its first correction, ``h − log₂ Δ + Δ²/(24σ²·ln 2)``, stands for the sum; it is off by
    less than 1e-12.

    Example:
        >>> [round(quantised_gaussian_bits(std=std, step=1.0), 4) for std in (0.25, 1.0, 4.0)]
        [0.3125, 2.1048, 4.0508]
    """
    spread, width = positive_number("std", std), positive_number("step", step)
    if width < spread / 300:
        correction = (width / spread) ** 2 / 24 / math.log(2)
        return quantised_rate(differential_entropy_bits=gaussian_entropy_bits(std=spread), step=width) + correction
    edge = width / spread / math.sqrt(2)
    cells = max(1, math.ceil(40 / edge))  # beyond, a cell's probability is 0 in floats
    tails = [math.erfc((k + 0.5) * edge) / 2 for k in range(cells)]  # beyond cell k, on one side
    middle = (1 - 2 * tails[0]) * math.log1p(-2 * tails[0]) / math.log(2)
    sides = (inner - outer for inner, outer in pairwise(tails))
    return max(0.0, -middle - 2 * math.fsum(side * math.log2(side) for side in sides if side))


def gaussian_rate(*, variance: float, distortion: float) -> float:
    r"""The fewest bits per number that keep the mean squared error of normal values at δ, ``½·log₂(σ²/δ)``.

    Also: rate-distortion function
    Formula: $H(\delta) = \max\Bigl(0,\ \tfrac12 \log_2 \dfrac{\sigma^2}{\delta}\Bigr)$
    Symbols: H(δ) = result; σ² = variance; δ = distortion
    Chapter: A4

    Args:
        variance: σ², at least 0.
        distortion: δ, the mean squared error allowed, above 0.

    Returns:
        Bits per number; 0 where δ is at least σ², since sending nothing does as well.

    Source: Cover and Thomas 2006, theorem 10.3.2. Gish and Pierce 1968: rounding to a fine step and an ideal entropy
    coder take ½·log₂(πe/6) = 0.255 bits more, whatever δ.
    Convention: independent values, coded in long blocks.

    Example:
        >>> gaussian_rate(variance=16.0, distortion=1.0)
        2.0
    """
    power, error = nonnegative_number("variance", variance), positive_number("distortion", distortion)
    return (math.log2(power) - math.log2(error)) / 2 if power > error else 0.0


def _base(base: float) -> float:
    """Return the base of a logarithm, or raise ``ValueError``."""
    number = finite_number("base", base)
    if number <= 1:
        raise ValueError(f"base must be a finite number above 1, got {base!r}")
    return number


def _logarithm(base: float) -> Callable[[float], float]:
    """The logarithm to that base; exact for powers of 2 to base 2, and of 10 to base 10."""
    number = _base(base)
    if number in (2, 10):
        return math.log2 if number == 2 else math.log10
    scale = math.log(number)
    return lambda value: math.log(value) / scale


def _sum(terms: Iterable[float]) -> float:
    """The sum of terms that is at least 0 but for rounding."""
    return max(0.0, math.fsum(terms))


def _distribution(name: str, probabilities: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities when they sum to 1, or raise ``ValueError``."""
    shares = each(name, probabilities, probability)
    total = math.fsum(shares)
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(f"{name} must sum to 1 to within {SUM_TOLERANCE}, got a sum of {total!r}")
    return shares


def _pairs(p: Sequence[float], q: Sequence[float]) -> list[tuple[float, float]]:
    """Return the probabilities of p and q, symbol by symbol."""
    first, second = _distribution("p", p), _distribution("q", q)
    if len(first) != len(second):
        raise ValueError(f"q must have as many entries as p, {len(first)}, got {len(second)}")
    return list(zip(first, second, strict=True))


def _joint(joint: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """Return the rows of a joint distribution, all of one length, or raise ``ValueError``."""
    rows = each("joint", joint, lambda name, row: each(name, row, probability))
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"joint must have rows of one length, got lengths {[len(row) for row in rows]}")
    _distribution("joint", [share for row in rows for share in row])
    return rows
