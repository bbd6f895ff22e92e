"""The language and the network that learns it: gradients, noise and loss against sums and finite differences."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from snippets.background.information import language_run as lab
from snippets.background.information.entropy_coder import compress, quantise
from snippets.background.information.formulas import conditional_entropy, cross_entropy, gaussian_rate


def small(seed: int = 0, *, symbols: int = 4, hidden: int = 3) -> tuple[lab.Language, lab.Network]:
    rng = np.random.default_rng(seed)
    language = lab.draw_language(rng, symbols=symbols, concentration=0.7)
    return language, lab.draw_network(rng, symbols=symbols, hidden=hidden)


def moved(network: lab.Network, place: int, by: float) -> lab.Network:
    flat = np.zeros(sum(weight.size for weight in network.weights))
    flat[place] = -by
    return network.stepped(flat, step_size=1.0)


def one_pair(symbols: int, x: int, y: int) -> Any:
    pairs = np.zeros((symbols, symbols))
    pairs[x, y] = 1
    return pairs


def test_the_joint_is_a_steady_state() -> None:
    language, _ = small(symbols=7)
    joint = language.joint
    assert np.allclose(joint.sum(axis=0), joint.sum(axis=1))
    assert math.isclose(joint.sum(), 1)
    assert np.allclose(joint / joint.sum(axis=1, keepdims=True), language.transitions)


def test_a_text_has_the_language_s_frequencies() -> None:
    language, _ = small()
    text = lab.draw_text(np.random.default_rng(1), language, length=40_000)
    pairs = Counter(pairwise(text))
    found = np.array([[pairs[x, y] for y in range(4)] for x in range(4)]) / (len(text) - 1)
    assert np.abs(found - language.joint).max() < 0.01
    assert lab.draw_text(np.random.default_rng(1), language, length=0) == []


def test_the_gradient_is_what_finite_differences_say() -> None:
    language, network = small(symbols=4, hidden=3)
    exact = network.gradient(language.joint)
    assert len(exact) == 2 * 4 * 3 + 3 * 3
    for place in range(len(exact)):
        up, down = (moved(network, place, by).loss_nats(language.joint) for by in (1e-5, -1e-5))
        assert math.isclose(exact[place], (up - down) / 2e-5, rel_tol=1e-5, abs_tol=1e-9)


def test_the_loss_is_the_cross_entropy_and_above_the_floor() -> None:
    language, network = small(symbols=5)
    shares, guesses = language.joint.sum(axis=1), network.probabilities()
    rows = zip(shares, language.transitions, guesses, strict=True)
    expected = sum(s * cross_entropy(p.tolist(), q.tolist(), base=math.e) for s, p, q in rows)
    assert math.isclose(network.loss_nats(language.joint), expected)
    assert expected > conditional_entropy(language.joint.tolist(), base=math.e)


def test_the_mean_square_of_examples_is_the_sum_over_pairs() -> None:
    language, network = small(symbols=4)
    joint = language.joint
    expected = sum(joint[x, y] * (network.gradient(one_pair(4, x, y)) ** 2).sum() for x in range(4) for y in range(4))
    assert math.isclose(network.mean_square_of_examples(joint), expected, rel_tol=1e-12)


@pytest.mark.nightly
def test_batches_have_the_noise_that_is_foretold() -> None:
    language, network = small(symbols=4)
    shots = [
        lab.train_language_network(
            np.random.default_rng(seed), language, network, batch_size=8, step_size=0.1, record=[0]
        )[0]
        for seed in range(2000)
    ]
    errors = [((shot.batch_gradient - shot.full_gradient) ** 2).sum() for shot in shots]
    assert math.isclose(np.mean(errors), shots[0].noise_power, rel_tol=0.08)
    mean = np.mean([shot.batch_gradient for shot in shots], axis=0)
    assert ((mean - shots[0].full_gradient) ** 2).sum() < 3 * shots[0].noise_power / 2000


def test_training_learns_and_the_noise_stays() -> None:
    rng = np.random.default_rng(3)
    language = lab.draw_language(rng, symbols=8, concentration=0.3)
    start = lab.draw_network(rng, symbols=8, hidden=16)
    first, last = lab.train_language_network(rng, language, start, batch_size=256, step_size=0.5, record=[0, 1500])
    floor = conditional_entropy(language.joint.tolist(), base=math.e)
    assert floor < last.loss_nats < floor + 0.05 < first.loss_nats
    assert last.signal_power < first.signal_power / 20
    assert last.noise_power > first.noise_power / 4
    assert math.isclose(last.rms, math.sqrt((last.batch_gradient**2).mean()))


def test_a_language_without_entropy_loses_its_noise() -> None:
    rng = np.random.default_rng(3)
    language = lab.Language(np.roll(np.eye(6), 1, axis=0))
    start = lab.draw_network(rng, symbols=6, hidden=12)
    first, last = lab.train_language_network(rng, language, start, batch_size=64, step_size=0.5, record=[0, 1500])
    assert last.loss_nats < 0.01
    assert last.noise_power < first.noise_power / 1000


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_a_late_gradient_tells_less_and_costs_no_less_at_a_relative_step(seed: int) -> None:
    """Chapter A4's answer to row 18 of the corrections is no accident of its seed."""
    rng = np.random.default_rng(seed)
    language = lab.draw_language(rng, symbols=32, concentration=0.1)
    start = lab.draw_network(rng, symbols=32, hidden=32)
    shots = lab.train_language_network(rng, language, start, batch_size=512, step_size=0.3, record=[0, 1500])
    relative = [compress(quantise(shot.batch_gradient, step=shot.rms / 8)).code_bits_per_number for shot in shots]
    fixed = compress(quantise(shots[1].batch_gradient, step=shots[0].rms / 8)).code_bits_per_number
    by_the_norm = math.log2(shots[0].signal_power / shots[1].signal_power) / 2
    told = [gaussian_rate(variance=s.signal_power + s.noise_power, distortion=s.noise_power) for s in shots]
    assert by_the_norm > 1.5
    assert told[1] < told[0] / 5
    assert relative[1] > relative[0] + 0.3
    assert relative[0] - fixed < by_the_norm - 1


def test_the_same_seed_gives_the_same_run() -> None:
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(9)
        language, network = small(9)
        runs.append(lab.train_language_network(rng, language, network, batch_size=4, step_size=0.1, record=[0, 3]))
    assert np.array_equal(runs[0][1].batch_gradient, runs[1][1].batch_gradient)


def test_contexts_are_counted() -> None:
    assert lab.conditional_counts([0, 1, 0, 1, 2], context=2) == {(0, 1): {0: 1, 2: 1}, (1, 0): {1: 1}}
    assert lab.conditional_counts([5, 5, 7], context=0) == {(): {5: 2, 7: 1}}
    assert lab.conditional_counts([5], context=1) == {}


def test_refusals() -> None:
    rng = np.random.default_rng(0)
    language, network = small()
    with pytest.raises(ValueError, match="transitions must hold a distribution in each row"):
        lab.Language(np.array([[0.5, 0.4], [0.5, 0.5]]))
    with pytest.raises(ValueError, match="as many columns as rows"):
        lab.Language(np.ones((1, 2)) / 2)
    with pytest.raises(ValueError, match="concentration must be"):
        lab.draw_language(rng, symbols=2, concentration=0)
    with pytest.raises(ValueError, match="hidden must be"):
        lab.draw_network(rng, symbols=2, hidden=0)
    with pytest.raises(ValueError, match="weights must be J × h, h × h and h × J"):
        lab.Network((np.ones((2, 3)), np.ones((3, 3)), np.ones((2, 3))))
    with pytest.raises(ValueError, match="record must hold rising numbers of steps"):
        lab.train_language_network(rng, language, network, batch_size=4, step_size=0.1, record=[3, 1])
    with pytest.raises(ValueError, match="network must have the language's 4 symbols, got 5"):
        lab.train_language_network(rng, language, small(symbols=5)[1], batch_size=4, step_size=0.1, record=[0])
    with pytest.raises(ValueError, match="batch_size must be"):
        lab.train_language_network(rng, language, network, batch_size=0, step_size=0.1, record=[0])
    with pytest.raises(ValueError, match="text must hold integers"):
        lab.conditional_counts([-1], context=0)
