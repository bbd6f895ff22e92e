"""Batch gradients against loops, enumerations and the closed forms of variance; the demonstration to the digit."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.probability import simulators as module
from snippets.background.probability.formulas import (
    batch_variance,
    control_variate_variance,
    data_parallel_variance,
    rms_distance,
)
from snippets.background.probability.simulators import (
    FloatArray,
    Regression,
    Sampling,
    batch_gradients,
    combine_ranks,
    compare_with_full,
    control_variate_gradients,
    draw_batches,
    draw_regression,
    gradient_variance,
    running_distances,
)

SMALL = st.integers(1, 6)


def regression(examples: int, dimension: int, seed: int = 0) -> Regression:
    return draw_regression(np.random.default_rng(seed), examples=examples, dimension=dimension)


def test_the_demonstration_to_the_printed_digits() -> None:
    """N 50,000, d 20, B 256, seed 7, 20,000 batches with replacement: 14.5014, 2.83e-02, 1.95e-03."""
    generator = np.random.default_rng(7)
    problem = draw_regression(generator, examples=50_000, dimension=20, noise=0.1)
    indices = draw_batches(generator, population=50_000, batch_size=256, batches=20_000)
    examples, full = problem.example_gradients(), problem.full_gradient()
    found = compare_with_full(batch_gradients(examples, indices), full)
    assert f"{found.full_norm:.4f}" == "14.5014"
    assert f"{found.distance:.2e}" == "2.83e-02"
    assert f"{found.relative:.2e}" == "1.95e-03"
    # and what theory says of it: the squared distance has mean tr Σ/(BM) and standard deviation √(2 tr Σ²)/(BM)
    variance = gradient_variance(examples)
    expected = rms_distance(variance=variance, batch_size=256, batches=20_000) ** 2
    covariance = np.cov(examples.T, bias=True) / (256 * 20_000)
    assert expected == pytest.approx(np.trace(covariance))
    assert abs(found.distance**2 - expected) < 2 * math.sqrt(2 * np.sum(covariance**2))
    assert found.batch_variance == pytest.approx(batch_variance(variance=variance, batch_size=256), rel=0.01)


def test_the_demonstration_by_a_plain_loop() -> None:
    """The same construction without any of the book's code, over the first batches."""
    rng = np.random.default_rng(7)
    x, true = rng.normal(size=(50_000, 20)), rng.normal(size=20)
    y = x @ true + 0.1 * rng.normal(size=50_000)
    w = rng.normal(size=20)
    loop = []
    for _ in range(20):
        i = rng.integers(0, 50_000, size=256)
        loop.append(2 / 256 * x[i].T @ (x[i] @ w - y[i]))
    generator = np.random.default_rng(7)
    problem = draw_regression(generator, examples=50_000, dimension=20)
    indices = draw_batches(generator, population=50_000, batch_size=256, batches=20)
    assert batch_gradients(problem.example_gradients(), indices) == pytest.approx(np.array(loop), rel=1e-10)


@given(SMALL, SMALL, st.integers(0, 99))
def test_gradients_are_slopes_of_the_loss(examples: int, dimension: int, seed: int) -> None:
    problem = regression(examples, dimension, seed)

    def loss(weights: FloatArray) -> FloatArray:
        return np.asarray((problem.x @ weights - problem.y) ** 2)

    for axis in range(dimension):
        nudge = np.zeros(dimension)
        nudge[axis] = 0.5  # a squared error is a parabola, so the symmetric quotient is exact
        slope = loss(problem.weights + nudge) - loss(problem.weights - nudge)
        assert problem.example_gradients()[:, axis] == pytest.approx(slope, rel=1e-9, abs=1e-9)
    assert problem.full_gradient() == pytest.approx(problem.example_gradients().sum(axis=0) / examples)


@given(SMALL, st.integers(1, 3), st.data())
def test_all_batches_have_the_variance_of_the_formula(examples: int, dimension: int, data: st.DataObject) -> None:
    problem = regression(examples, dimension, seed=examples)
    own, full = problem.example_gradients(), problem.full_gradient()
    size = data.draw(st.integers(1, min(examples, 4)))
    subsets = np.array(list(combinations(range(examples), size)))
    tuples = np.array(list(product(range(examples), repeat=size)))
    variance = gradient_variance(own)
    assert variance == pytest.approx(np.trace(np.atleast_2d(np.cov(own.T, bias=True))) if examples > 1 else 0, abs=1e-9)
    for indices, population in ((subsets, examples), (tuples, None)):
        found = compare_with_full(batch_gradients(own, indices), full)
        assert found.distance == pytest.approx(0, abs=1e-9)  # unbiased, exactly
        expected = batch_variance(variance=variance, batch_size=size, population=population)
        assert found.batch_variance == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("sampling", ["with_replacement", "without_replacement"])
@pytest.mark.parametrize("size", [1, 16, 60])
def test_drawn_batches_have_the_variance_of_the_formula(sampling: Sampling, size: int) -> None:
    problem, batches = regression(64, 8, seed=3), 6000
    generator = np.random.default_rng(size)
    indices = draw_batches(generator, population=64, batch_size=size, batches=batches, sampling=sampling)
    own = problem.example_gradients()
    found = compare_with_full(batch_gradients(own, indices), problem.full_gradient())
    population = 64 if sampling == "without_replacement" else None
    expected = batch_variance(variance=gradient_variance(own), batch_size=size, population=population)
    assert found.batch_variance == pytest.approx(expected, rel=0.06)
    assert found.distance < 3 * math.sqrt(expected / batches)


@given(st.integers(1, 12), st.data())
def test_draws_keep_their_promises(population: int, data: st.DataObject) -> None:
    size, batches = data.draw(st.integers(1, population)), data.draw(st.integers(1, 9))
    drawn: dict[str, np.ndarray] = {}
    for sampling in module.SAMPLINGS:
        generator = np.random.default_rng(population)
        drawn[sampling] = draw_batches(
            generator, population=population, batch_size=size, batches=batches, sampling=sampling
        )
        assert drawn[sampling].shape == (batches, size)
        assert drawn[sampling].min() >= 0
        assert drawn[sampling].max() < population
    for sampling in ("without_replacement", "epochs"):
        assert all(len(set(batch)) == size for batch in drawn[sampling].tolist())
    per_epoch = population // size
    for start in range(0, batches, per_epoch):
        epoch = drawn["epochs"][start : start + per_epoch].ravel().tolist()
        assert len(set(epoch)) == len(epoch)


@pytest.mark.parametrize("sampling", module.SAMPLINGS)
def test_every_example_is_drawn_alike(sampling: Sampling) -> None:
    generator = np.random.default_rng(5)
    indices = draw_batches(generator, population=10, batch_size=3, batches=9000, sampling=sampling)
    counts = np.bincount(indices.ravel(), minlength=10)
    assert np.abs(counts - 2700).max() < 5 * math.sqrt(2700)  # 27,000 draws over 10 examples
    together = np.mean([(0 in batch) and (9 in batch) for batch in indices.tolist()])
    chance = 1 - 2 * 0.9**3 + 0.8**3 if sampling == "with_replacement" else 3 * 2 / (10 * 9)
    assert together == pytest.approx(chance, abs=0.012)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 9))
def test_an_epoch_averages_to_the_full_gradient(per_epoch: int, size: int, seed: int) -> None:
    problem = regression(per_epoch * size, 3, seed)
    generator = np.random.default_rng(seed)
    indices = draw_batches(
        generator, population=per_epoch * size, batch_size=size, batches=per_epoch, sampling="epochs"
    )
    found = batch_gradients(problem.example_gradients(), indices).mean(axis=0)
    assert found == pytest.approx(problem.full_gradient(), rel=1e-9, abs=1e-9)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_workers_make_one_large_batch(ranks: int, size: int, steps: int) -> None:
    problem = regression(20, 3)
    indices = draw_batches(np.random.default_rng(1), population=20, batch_size=size, batches=ranks * steps)
    own = problem.example_gradients()
    combined = combine_ranks(batch_gradients(own, indices), ranks=ranks)
    large = batch_gradients(own, indices.reshape(steps, ranks * size))
    assert combined.shape == (steps, 3)
    assert combined == pytest.approx(large, rel=1e-9, abs=1e-9)


def test_workers_have_the_variance_of_the_formula() -> None:
    problem = regression(64, 8, seed=3)
    indices = draw_batches(np.random.default_rng(2), population=64, batch_size=4, batches=24_000)
    own = problem.example_gradients()
    combined = combine_ranks(batch_gradients(own, indices), ranks=4)
    expected = data_parallel_variance(variance=gradient_variance(own), batch_size=4, ranks=4)
    assert compare_with_full(combined, problem.full_gradient()).batch_variance == pytest.approx(expected, rel=0.05)


@given(st.integers(1, 9), st.integers(1, 5))
def test_the_pieces_do_not_show(batches: int, size: int) -> None:
    """Batches are gathered in pieces; any size of piece gives the same bits."""
    own = regression(11, 3).example_gradients()
    indices = draw_batches(np.random.default_rng(batches), population=11, batch_size=size, batches=batches)
    whole = batch_gradients(own, indices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_NUMBERS_AT_ONCE", 7)
        assert np.array_equal(batch_gradients(own, indices), whole)
    assert whole == pytest.approx(np.array([sum(own[i] for i in batch) / size for batch in indices]))


@settings(max_examples=examples(30))
@given(st.floats(-2, 2), st.integers(1, 3))
def test_control_variates_keep_the_mean_and_change_the_variance(coefficient: float, size: int) -> None:
    problem = regression(7, 2, seed=4)
    reference = problem.weights + np.array([0.3, -0.2])
    every = np.array(list(product(range(7), repeat=size)))
    found = compare_with_full(
        control_variate_gradients(problem, reference, every, coefficient=coefficient), problem.full_gradient()
    )
    assert found.distance == pytest.approx(0, abs=1e-9)
    own, control = problem.example_gradients(), problem.at(reference).example_gradients()
    own, control = own - own.mean(axis=0), control - control.mean(axis=0)
    one = control_variate_variance(
        variance=float((own**2).sum() / 7),
        covariance=float((own * control).sum() / 7),
        control_variance=float((control**2).sum() / 7),
        coefficient=coefficient,
    )
    assert found.batch_variance == pytest.approx(batch_variance(variance=one, batch_size=size), rel=1e-9)


def test_the_running_distance_falls_as_the_root_of_the_number_of_batches() -> None:
    problem = regression(500, 6, seed=8)
    own, full = problem.example_gradients(), problem.full_gradient()
    variance = gradient_variance(own)
    generator = np.random.default_rng(0)
    runs = [
        running_distances(
            batch_gradients(own, draw_batches(generator, population=500, batch_size=8, batches=256)), full
        )
        for _ in range(200)
    ]
    measured = np.sqrt((np.array(runs) ** 2).mean(axis=0))
    for batches in (1, 4, 16, 64, 256):
        expected = rms_distance(variance=variance, batch_size=8, batches=batches)
        assert measured[batches - 1] == pytest.approx(expected, rel=0.15)
    gradients = batch_gradients(own, draw_batches(generator, population=500, batch_size=8, batches=9))
    assert running_distances(gradients, full)[-1] == pytest.approx(compare_with_full(gradients, full).distance)


def test_comparison_by_hand() -> None:
    found = compare_with_full(np.array([[3.0, 4.0], [3.0, 8.0]]), np.array([3.0, 4.0]))
    assert (found.full_norm, found.distance, found.relative, found.batch_variance) == (5.0, 2.0, 0.4, 8.0)
    assert compare_with_full(np.ones((1, 1)), np.zeros(1)).relative == math.inf
    assert compare_with_full(np.zeros((1, 1)), np.zeros(1)).relative == 0
    assert running_distances(np.array([[3.0, 4.0], [-3.0, 4.0]]), np.zeros(2)).tolist() == [5.0, 4.0]
    assert gradient_variance(np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 3.0]])) == pytest.approx((2 + 2 + 4) / 3)


def test_noise_is_what_the_true_weights_leave() -> None:
    generator = np.random.default_rng(7)
    problem = draw_regression(generator, examples=4000, dimension=5, noise=0.5)
    best = np.linalg.lstsq(problem.x, problem.y, rcond=None)[0]
    assert np.std(problem.y - problem.x @ best) == pytest.approx(0.5, rel=0.05)
    exact = draw_regression(np.random.default_rng(7), examples=40, dimension=5, noise=0.0)
    best = np.linalg.lstsq(exact.x, exact.y, rcond=None)[0]
    assert exact.at(best).full_gradient() == pytest.approx(np.zeros(5), abs=1e-9)


loose: Any = module  # the calls below break the annotations on purpose
RNG = np.random.default_rng(0)
REFUSED = [
    (lambda: loose.Regression(x=[1.0], y=[1.0], weights=[1.0]), "x must have 2 dimensions"),
    (lambda: loose.Regression(x=[[]], y=[1.0], weights=[]), "x must hold at least one example"),
    (lambda: loose.Regression(x=[[1.0]], y=[1.0, 2.0], weights=[1.0]), "y must have one target per row of x, 1"),
    (lambda: loose.Regression(x=[[1.0]], y=[1.0], weights=[1.0, 2.0]), "weights must have one entry per feature, 1"),
    (lambda: loose.Regression(x=[[math.nan]], y=[1.0], weights=[1.0]), "x must hold finite numbers"),
    (lambda: loose.Regression(x=[["a"]], y=[1.0], weights=[1.0]), "x must be an array of real numbers"),
    (lambda: loose.Regression(x=[[1.0], [1.0, 2.0]], y=[1.0], weights=[1.0]), "x must be an array of numbers"),
    (lambda: loose.Regression(x=[[1e200]], y=[1.0], weights=[1e200]).full_gradient(), "must be smaller"),
    (lambda: loose.draw_regression(7, examples=1, dimension=1), "generator must be a numpy.random.Generator"),
    (lambda: loose.draw_regression(RNG, examples=0, dimension=1), "examples must be"),
    (lambda: loose.draw_regression(RNG, examples=1, dimension=1, noise=-1), "noise must be"),
    (lambda: loose.draw_regression(RNG, examples=10**9, dimension=10**9), "examples × dimension must be at most"),
    (
        lambda: loose.draw_batches(RNG, population=2, batch_size=3, batches=1, sampling="epochs"),
        "batch_size must be at most",
    ),
    (lambda: loose.draw_batches(RNG, population=2, batch_size=1, batches=1, sampling="all"), "sampling must be one of"),
    (
        lambda: loose.draw_batches(RNG, population=2, batch_size=10**6, batches=10**6),
        "batches × batch_size must be at most",
    ),
    (lambda: loose.draw_batches(RNG, population=10**12, batch_size=1, batches=1), "population must be at most"),
    (lambda: loose.batch_gradients(np.ones(3), [[0]]), "example_gradients must have 2 dimensions"),
    (lambda: loose.batch_gradients(np.ones((3, 1)), [[3]]), "indices must hold integers from 0 to 2, got 3"),
    (lambda: loose.batch_gradients(np.ones((3, 1)), [[-1]]), "indices must hold integers from 0 to 2, got -1"),
    (lambda: loose.batch_gradients(np.ones((3, 1)), [[0.5]]), "indices must be an array of integers"),
    (
        lambda: loose.batch_gradients(np.ones((3, 1)), np.zeros((2, 0))),
        "indices must hold at least one example per batch",
    ),
    (lambda: loose.combine_ranks(np.ones((3, 1)), ranks=2), "ranks must divide the number of batches, 3, got 2"),
    (lambda: loose.control_variate_gradients(None, [1.0], [[0]]), "problem must be a Regression"),
    (
        lambda: loose.control_variate_gradients(regression(3, 2), [1.0], [[0]]),
        "reference must have one entry per weight, 2",
    ),
    (lambda: loose.draw_regression(RNG, examples=9, dimension=1, noise=1e308), "noise must be smaller"),
    (lambda: loose.gradient_variance(np.ones((0, 2))), "example_gradients must have at least one row"),
    (lambda: loose.gradient_variance([[1e200], [-1e200]]), "example_gradients must be smaller"),
    (
        lambda: loose.compare_with_full(np.ones((1, 2)), np.ones(3)),
        "full must have one entry per column of gradients, 2",
    ),
    (lambda: loose.running_distances(np.ones((0, 2)), np.ones(2)), "gradients must have at least one row"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
