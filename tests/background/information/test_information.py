"""The entropy family against textbook tables, identities and independent ways to the same number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.background.information import formulas as information
from snippets.background.information.formulas import (
    bits_per_byte,
    conditional_entropy,
    cross_entropy,
    entropy,
    gaussian_entropy_bits,
    gaussian_rate,
    jensen_shannon_divergence,
    joint_entropy,
    kl_divergence,
    mutual_information,
    nats_to_bits,
    perplexity,
    perplexity_of_loss,
    quantised_gaussian_bits,
    quantised_rate,
    source_coding_bounds,
)

Row = list[float]
BASE = st.sampled_from([2, 2.0, math.e, 10, 3.5, 256])


def shares(weights: list[int]) -> Row:
    return [weight / sum(weights) for weight in weights]


WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any)
DISTRIBUTION = WEIGHTS.map(shares)
PAIR = st.integers(1, 7).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any).map(shares)] * 2)
)
JOINT = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda size: (
        st.lists(st.integers(0, 9), min_size=size[0] * size[1], max_size=size[0] * size[1])
        .filter(any)
        .map(lambda cells: [shares(cells)[x * size[1] : (x + 1) * size[1]] for x in range(size[0])])
    )
)

# Cover and Thomas 2006, example 2.2.1: blood type X (columns) and chance of skin cancer Y (rows).
TEXTBOOK_JOINT = [
    [1 / 8, 1 / 16, 1 / 32, 1 / 32],
    [1 / 16, 1 / 8, 1 / 32, 1 / 32],
    [1 / 16, 1 / 16, 1 / 16, 1 / 16],
    [1 / 4, 0, 0, 0],
]


def test_the_textbook_joint_distribution() -> None:
    transposed = [list(column) for column in zip(*TEXTBOOK_JOINT, strict=True)]
    assert entropy([sum(row) for row in transposed]) == 7 / 4
    assert entropy([sum(row) for row in TEXTBOOK_JOINT]) == 2
    assert conditional_entropy(TEXTBOOK_JOINT) == 11 / 8
    assert conditional_entropy(transposed) == 13 / 8
    assert joint_entropy(TEXTBOOK_JOINT) == 27 / 8
    assert mutual_information(TEXTBOOK_JOINT) == 3 / 8


def test_textbook_examples() -> None:
    # Cover and Thomas 2006, examples 1.1.1 and 1.1.2: 32 equal outcomes, and eight horses
    assert entropy([1 / 32] * 32) == 5
    assert entropy([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 64, 1 / 64, 1 / 64, 1 / 64]) == 2
    # example 2.3.1: two coins, r = 1/2 and s = 1/4
    assert kl_divergence([1 / 2, 1 / 2], [3 / 4, 1 / 4]) == pytest.approx(0.2075, abs=5e-5)
    assert kl_divergence([3 / 4, 1 / 4], [1 / 2, 1 / 2]) == pytest.approx(0.1887, abs=5e-5)


def exact_power(p: list[int], of: list[int]) -> Fraction:
    """``2^(−M·Σ p·log₂ q)`` as a fraction, for counts p and q that both sum to M: products instead of logarithms."""
    total = Fraction(1)
    for count, other in zip(p, of, strict=True):
        total *= Fraction(sum(of), other) ** count if count else 1
    return total


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=6).filter(
        lambda r: any(a for a, _ in r)
    )
)
def test_entropies_as_logarithms_of_exact_products(rows: list[tuple[int, int]]) -> None:
    p, q = [a for a, _ in rows], [b for _, b in rows]
    symbols = sum(p)
    of_itself, crossed = exact_power(p, [a or 1 for a in p]) if all(p) else None, exact_power(p, q)
    ours = cross_entropy(shares(p), shares(q)) * symbols
    assert ours == pytest.approx(math.log2(crossed.numerator) - math.log2(crossed.denominator), abs=1e-9)
    if of_itself:
        own = math.log2(of_itself.numerator) - math.log2(of_itself.denominator)
        assert entropy(shares(p)) * symbols == pytest.approx(own, abs=1e-9)


@given(PAIR, BASE)
def test_cross_entropy_is_entropy_plus_divergence(pair: tuple[Row, Row], base: float) -> None:
    p, q = pair
    divergence = kl_divergence(p, q, base=base)
    assert divergence >= 0
    if any(a and not b for a, b in zip(p, q, strict=True)):
        assert divergence == cross_entropy(p, q, base=base) == math.inf
    else:
        assert cross_entropy(p, q, base=base) == pytest.approx(entropy(p, base=base) + divergence, abs=1e-12)
    if max(abs(a - b) for a, b in zip(p, q, strict=True)) > 1e-9:
        assert divergence > 0
    assert kl_divergence(p, p, base=base) == 0
    assert cross_entropy(p, p, base=base) == entropy(p, base=base)


@given(DISTRIBUTION, BASE)
def test_entropy_has_its_bounds_and_units(p: Row, base: float) -> None:
    bits = entropy(p)
    assert 0 <= bits <= math.log2(len(p)) + 1e-12
    assert entropy(p, base=base) == pytest.approx(bits * math.log(2) / math.log(base), abs=1e-12)
    assert entropy([*p, 0.0]) == bits
    assert bits == pytest.approx(math.log2(len(p)) - kl_divergence(p, [1 / len(p)] * len(p)), abs=1e-12)
    assert perplexity(p) == pytest.approx(math.exp(entropy(p, base=math.e)))
    assert perplexity_of_loss(entropy(p, base=base), base=base) == pytest.approx(perplexity(p))


@given(PAIR, BASE)
def test_jensen_shannon_by_its_definition(pair: tuple[Row, Row], base: float) -> None:
    p, q = pair
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    expected = (kl_divergence(p, middle, base=base) + kl_divergence(q, middle, base=base)) / 2
    found = jensen_shannon_divergence(p, q, base=base)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found == pytest.approx(jensen_shannon_divergence(q, p, base=base), abs=1e-12)
    assert found <= math.log(2) / math.log(base) + 1e-12


def test_jensen_shannon_survives_the_smallest_float() -> None:
    assert jensen_shannon_divergence([1.0, 5e-324], [1.0, 0.0]) < 1e-300


@given(JOINT, BASE)
def test_the_chain_of_entropies(joint: list[Row], base: float) -> None:
    of_x, of_y = [math.fsum(row) for row in joint], [math.fsum(column) for column in zip(*joint, strict=True)]
    together, known = joint_entropy(joint, base=base), conditional_entropy(joint, base=base)
    shared = mutual_information(joint, base=base)
    h_x, h_y = entropy(of_x, base=base), entropy(of_y, base=base)
    assert together == pytest.approx(h_x + known, abs=1e-12)
    assert shared == pytest.approx(h_x + h_y - together, abs=1e-12)
    assert shared == pytest.approx(h_y - known, abs=1e-12)
    product = [x * y for x in of_x for y in of_y]
    assert shared == pytest.approx(kl_divergence([c for row in joint for c in row], product, base=base), abs=1e-12)


@given(DISTRIBUTION, DISTRIBUTION)
def test_independent_variables_share_nothing(p: Row, q: Row) -> None:
    joint = [[a * b for b in q] for a in p]
    assert mutual_information(joint) == pytest.approx(0, abs=1e-12)
    assert conditional_entropy(joint) == pytest.approx(entropy(q), abs=1e-12)


def test_zero_probabilities_by_definition() -> None:
    assert entropy([1.0, 0.0]) == entropy([1]) == 0
    assert cross_entropy([1.0, 0.0], [0.5, 0.5]) == 1
    assert cross_entropy([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0
    assert kl_divergence([1e-300, 1.0], [0.0, 1.0]) == math.inf
    assert mutual_information([[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]]) == 1


def test_numpy_rows_are_distributions_too() -> None:
    logits = np.array([0.3, -1.0, 2.0], dtype=np.float32)
    softmax = np.exp(logits) / np.exp(logits).sum()
    assert entropy(softmax) == pytest.approx(entropy([float(share) for share in softmax]))
    assert mutual_information((np.eye(4) / 4).tolist()) == 2


def test_perplexities_by_hand() -> None:
    assert perplexity([1 / 6] * 6) == pytest.approx(6)
    assert perplexity_of_loss(math.log(50_257)) == pytest.approx(50_257)  # GPT-2's vocabulary, before training
    assert perplexity_of_loss(10, base=2) == 1024
    assert perplexity_of_loss(0.0) == 1
    assert perplexity_of_loss(math.inf) == math.inf
    with pytest.raises(ValueError, match="loss and base must be such that the result fits a float"):
        perplexity_of_loss(1e6)
    assert bits_per_byte(loss_nats_per_token=8 * math.log(2), bytes_per_token=1) == pytest.approx(8)
    assert bits_per_byte(loss_nats_per_token=math.log(8), bytes_per_token=4) == pytest.approx(3 / 4)
    assert nats_to_bits(math.log(1024)) == pytest.approx(10)
    assert nats_to_bits(-math.log(2)) == pytest.approx(-1)
    assert source_coding_bounds([0.5, 0.5]) == (1, 2)
    assert source_coding_bounds([0.25] * 4, block=8) == (2, 2.125)


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_quantised_gaussians_by_integrating_the_density(log_std: float, log_step: float) -> None:
    """Each cell's probability by Gauss–Legendre quadrature of the density, not by the error function."""
    std, step = 10**log_std, 10**log_step
    nodes, weights = np.polynomial.legendre.leggauss(20)
    pieces = max(1, math.ceil(step / std)) * 2
    if step / std > 40 or std / step > 40:
        return
    cells = math.ceil(12 * std / step + 1)
    starts = (np.arange(-cells, cells + 1)[:, None] - 0.5 + np.arange(pieces) / pieces) * step
    points = starts[..., None] + (nodes + 1) / 2 * step / pieces
    density = np.exp(-((points / std) ** 2) / 2) / math.sqrt(2 * math.pi) / std
    chances = (density * weights).sum(axis=(1, 2)) * step / pieces / 2
    chances = chances[chances > 0]
    expected = float(-(chances * np.log2(chances)).sum())
    assert quantised_gaussian_bits(std=std, step=step) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ratio", [5, 50, 299.9, 300.1, 1e4, 1e300])
def test_fine_steps_have_the_rate_of_the_limit(ratio: float) -> None:
    limit = quantised_rate(differential_entropy_bits=gaussian_entropy_bits(std=ratio), step=1.0)
    correction = 1 / ratio / ratio / 24 / math.log(2)
    exact = quantised_gaussian_bits(std=ratio, step=1.0)
    assert exact == pytest.approx(limit + correction, abs=1e-5 if ratio == 5 else 1e-9)
    assert exact == pytest.approx(quantised_gaussian_bits(std=ratio * 2.0**-20, step=2.0**-20), abs=1e-12)


def test_the_two_ways_to_a_quantised_entropy_meet() -> None:
    below, above = (quantised_gaussian_bits(std=300 * (1 + nudge), step=1.0) for nudge in (-1e-9, 1e-9))
    assert above - below == pytest.approx(2e-9 / math.log(2), abs=1e-11)


def test_rates_by_hand() -> None:
    assert quantised_gaussian_bits(std=1e-3, step=1.0) == 0
    assert quantised_gaussian_bits(std=1e-300, step=1e300) == 0
    assert gaussian_entropy_bits(std=1.0) == pytest.approx(math.log2(math.sqrt(2 * math.pi * math.e)))
    assert gaussian_entropy_bits(std=8.0) - gaussian_entropy_bits(std=1.0) == pytest.approx(3)
    assert quantised_rate(differential_entropy_bits=1.0, step=0.125) == 4
    assert gaussian_rate(variance=1.0, distortion=1 / 64) == 3
    assert gaussian_rate(variance=1.0, distortion=2.0) == gaussian_rate(variance=0.0, distortion=1.0) == 0


def test_a_uniform_quantiser_is_a_quarter_bit_from_the_bound() -> None:
    """Gish and Pierce 1968: ½·log₂(πe/6) = 0.255 bits, 1.53 dB, above the rate-distortion function at any fine step."""
    step = 2.0**-6
    error = step**2 / 12  # of rounding to a fine step
    excess = quantised_gaussian_bits(std=1.0, step=step) - gaussian_rate(variance=1.0, distortion=error)
    assert excess == pytest.approx(0.255, abs=5e-4)
    assert 10 * math.log10(4) * excess == pytest.approx(1.53, abs=5e-3)
    assert excess == pytest.approx(math.log2(math.pi * math.e / 6) / 2, abs=1e-4)


BAD_DISTRIBUTIONS = [
    [],
    [0.5],
    [0.5, 0.6],
    [1.5, -0.5],
    [math.nan, 1.0],
    [math.inf],
    ["1"],
    "1",
    1.0,
    None,
    [[1.0]],
    {1.0: 1},
]


@pytest.mark.parametrize("bad", BAD_DISTRIBUTIONS, ids=repr)
def test_what_is_no_distribution_is_refused(bad: Any) -> None:
    for call, name in (
        (lambda: entropy(bad), "probabilities"),
        (lambda: perplexity(bad), "probabilities"),
        (lambda: source_coding_bounds(bad), "probabilities"),
        (lambda: cross_entropy(bad, [1.0]), "p"),
        (lambda: cross_entropy([1.0], bad), "q"),
        (lambda: kl_divergence(bad, [1.0]), "p"),
        (lambda: jensen_shannon_divergence([1.0], bad), "q"),
        (lambda: joint_entropy([bad]), "joint"),
        (lambda: conditional_entropy([bad]), "joint"),
        (lambda: mutual_information([bad]), "joint"),
        (lambda: mutual_information(bad), "joint"),
    ):
        if bad == [[1.0]] and name == "joint" and call is not None:
            continue  # a joint distribution of one cell
        with pytest.raises(ValueError, match=rf"^{name}"):
            call()


def test_the_sum_may_be_off_by_the_stated_tolerance_only() -> None:
    assert entropy([0.5, 0.5 + 9e-7]) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match=r"probabilities must sum to 1 to within 1e-06, got a sum of 1\.0000011"):
        entropy([0.5, 0.5000011])
    with pytest.raises(ValueError, match="sum to 1"):
        entropy([0.5, 0.4999989])


@pytest.mark.parametrize("base", [1, 1.0, 0.5, 0, -2, math.nan, math.inf, "2", None, True])
def test_a_base_is_above_one(base: float) -> None:
    for call in (
        lambda: entropy([1.0], base=base),
        lambda: cross_entropy([1.0], [1.0], base=base),
        lambda: kl_divergence([1.0], [1.0], base=base),
        lambda: jensen_shannon_divergence([1.0], [1.0], base=base),
        lambda: joint_entropy([[1.0]], base=base),
        lambda: conditional_entropy([[1.0]], base=base),
        lambda: mutual_information([[1.0]], base=base),
        lambda: perplexity_of_loss(1.0, base=base),
    ):
        with pytest.raises(ValueError, match=r"^base must be a finite number"):
            call()


loose: Any = information  # the calls below break the annotations on purpose
REFUSED = [
    (lambda: loose.cross_entropy([1.0], [0.5, 0.5]), "q must have as many entries as p, 1, got 2"),
    (lambda: loose.joint_entropy([[0.5], [0.25, 0.25]]), "joint must have rows of one length"),
    (lambda: loose.mutual_information([]), "joint must sum to 1"),
    (lambda: loose.perplexity_of_loss(-1.0), "loss must be"),
    (lambda: loose.perplexity_of_loss(math.nan), "loss must be"),
    (lambda: loose.bits_per_byte(loss_nats_per_token=-1, bytes_per_token=1), "loss_nats_per_token must be"),
    (lambda: loose.bits_per_byte(loss_nats_per_token=1, bytes_per_token=0), "bytes_per_token must be"),
    (lambda: loose.bits_per_byte(loss_nats_per_token=1e300, bytes_per_token=1e-300), "bytes_per_token must be a rate"),
    (lambda: loose.nats_to_bits(math.nan), "nats must be"),
    (lambda: loose.nats_to_bits(1.7e308), "nats must be a number whose bits"),
    (lambda: loose.source_coding_bounds([1.0], block=0), "block must be"),
    (lambda: loose.gaussian_entropy_bits(std=0), "std must be"),
    (lambda: loose.quantised_rate(differential_entropy_bits=math.inf, step=1), "differential_entropy_bits must be"),
    (lambda: loose.quantised_rate(differential_entropy_bits=1, step=0), "step must be"),
    (lambda: loose.quantised_gaussian_bits(std=0, step=1), "std must be"),
    (lambda: loose.quantised_gaussian_bits(std=1, step=-1), "step must be"),
    (lambda: loose.gaussian_rate(variance=-1, distortion=1), "variance must be"),
    (lambda: loose.gaussian_rate(variance=1, distortion=0), "distortion must be"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
