"""The spread is that of batches drawn by NumPy, and the law is that of the examples themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.probability import simulators as sampling
from snippets.background.probability.live import (
    DISTINCT,
    MOST_EXAMPLES,
    POPULATIONS,
    STEPS,
    batch_gradient_spread,
    drawn_gradients,
)

SIZES = st.sampled_from([1, 2, 4, 8, 16, 32, 64])


def gradients() -> np.ndarray:
    numbers = np.array(drawn_gradients())
    return np.stack([numbers.real, numbers.imag], axis=1)


def percents(said: str) -> list[float]:
    """Return what was measured, what was expected, and what one worker alone has."""
    return [float(found) for found in re.findall(r"([\d.]+)%", said)]


def relative_distance(population: int, size: int, sampled: sampling.Sampling) -> float:
    """Return the root-mean-square distance of 4,000 batches that NumPy draws, in percent of the full gradient."""
    every = gradients()
    batches = sampling.draw_batches(
        np.random.default_rng(3), population=population, batch_size=size, batches=4000, sampling=sampled
    )
    found = sampling.compare_with_full(sampling.batch_gradients(every, batches % DISTINCT), every.mean(axis=0))
    return float(100 * np.sqrt(found.batch_variance) / found.full_norm)


@given(batch_size=SIZES, workers=st.sampled_from([1, 2, 4, 8]), population=st.sampled_from([500, 50_000]))
@hypothesis_settings(max_examples=examples(12))
def test_what_is_expected_is_what_numpy_draws(batch_size: int, workers: int, population: int) -> None:
    setting = {"batch_size": batch_size, "workers": workers, "population": str(population)}
    total = batch_size * workers
    _, expected, alone = percents(batch_gradient_spread(**setting).numbers)
    assert expected == pytest.approx(relative_distance(population, total, "with_replacement"), rel=0.06)
    assert alone == pytest.approx(relative_distance(population, batch_size, "with_replacement"), rel=0.06)
    if total < population:
        _, disjoint, _ = percents(batch_gradient_spread(**setting, draws="disjoint").numbers)
        assert disjoint == pytest.approx(relative_distance(population, total, "without_replacement"), rel=0.06)
    _, same, _ = percents(batch_gradient_spread(**setting, draws="same").numbers)
    assert same == alone


@given(
    batch_size=SIZES,
    workers=SIZES,
    population=st.sampled_from(list(POPULATIONS)),
    draws=st.sampled_from(["own", "disjoint", "same"]),
)
@hypothesis_settings(max_examples=examples(40))
def test_what_is_measured_is_near_what_is_expected(batch_size: int, workers: int, population: str, draws: str) -> None:
    ratios = []
    for seed in range(1, 7):
        setting = {"batch_size": batch_size, "workers": workers, "population": population, "draws": draws}
        measured, expected, _ = percents(batch_gradient_spread(**setting, seed=seed).numbers)
        ratios.append(1.0 if measured == expected == 0 else measured / expected)
    assert 0.8 < np.sqrt(np.mean(np.square(ratios))) < 1.25


def test_workers_with_one_seed_are_one_worker() -> None:
    alone = batch_gradient_spread(batch_size=16, workers=1, seed=5)
    together = batch_gradient_spread(batch_size=16, workers=32, seed=5, draws="same")
    assert percents(together.numbers) == percents(alone.numbers)
    assert together.panels[0].svg() == alone.panels[0].svg()


def test_a_batch_of_everything_is_right() -> None:
    picture = batch_gradient_spread(batch_size=500, workers=1, draws="disjoint")
    assert percents(picture.numbers)[:2] == [0, 0]


@given(batch_size=SIZES, workers=SIZES, seed=st.integers(1, 20))
@hypothesis_settings(max_examples=examples(30))
def test_every_dot_is_drawn_or_counted(batch_size: int, workers: int, seed: int) -> None:
    svg = batch_gradient_spread(batch_size=batch_size, workers=workers, seed=seed).panels[0].svg()
    beyond = re.search(r"(\d+) beyond", svg)
    assert svg.count("h0") + (int(beyond[1]) if beyond else 0) == STEPS


def test_more_examples_than_are_drawn_are_cut_down() -> None:
    assert batch_gradient_spread(batch_size=MOST_EXAMPLES, workers=64).limits == {"batch_size": MOST_EXAMPLES // 64}
    picture = batch_gradient_spread(batch_size=MOST_EXAMPLES, workers=64, population="500", draws="disjoint")
    assert "64 × 7 = 448" in picture.numbers


def test_examples_are_of_a_regression_about_the_offset() -> None:
    """The mean of 2·(x·δ + noise)·x is 2δ for features of mean 0 and variance 1 without correlation."""
    every = gradients()
    error = every.std(axis=0) / np.sqrt(len(every))
    assert (abs(every.mean(axis=0) - [1.8, 0.88]) < 4 * error).all()


def test_an_example_is_as_far_off_as_in_the_question() -> None:
    problem = sampling.draw_regression(np.random.default_rng(7), examples=50_000, dimension=20)
    variance = sampling.gradient_variance(problem.example_gradients())
    wanted = 100 * np.sqrt(variance / 256) / np.linalg.norm(problem.full_gradient())
    for population in POPULATIONS:
        _, expected, _ = percents(batch_gradient_spread(batch_size=256, population=population).numbers)
        assert expected == pytest.approx(wanted, abs=0.05)
