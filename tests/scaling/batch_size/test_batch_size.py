"""Chapter 11: formulas against descents, sampled batches and published rows; ranks and widths against plain sums."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.scaling.batch_size import figures as pictures
from snippets.scaling.batch_size.formulas import (
    batch_examples,
    batch_steps,
    best_step_size,
    cheapest_batch,
    gradient_noise_scale,
    language_critical_batch,
    mup_hidden_rate,
    scaled_learning_rate,
    two_batch_noise,
    two_batch_signal,
)
from snippets.scaling.batch_size.noise_on_ranks import measure_noise
from snippets.scaling.batch_size.noisy_descent import Stream, fewest_steps_to, sampled_losses, thriftiest_descent
from snippets.scaling.batch_size.width_transfer import best_rate, width_losses
from tests.live.checking import assert_texts_fit

PUBLISHED = json.loads((Path(__file__).parent / "published_critical_batch.json").read_text(encoding="utf-8"))
CLEAN = Stream(tuple(np.geomspace(1, 0.01, 24)))
sizes = st.floats(0.1, 1e7)


def test_a_critical_batch_beyond_floats_is_refused_by_what_makes_it_so_large() -> None:
    with pytest.raises(ValueError, match=r"^loss, scale_tokens and exponent must be such that the result fits a float"):
        language_critical_batch(loss=1e-3, scale_tokens=1e308)
    with pytest.raises(ValueError, match=r"^exponent must not be so small for a loss of 0\.5, got 1e-05$"):
        language_critical_batch(loss=0.5, exponent=1e-5)


@pytest.mark.parametrize("row", PUBLISHED["kaplan"], ids=lambda row: row["id"])
def test_the_fit_of_language_models_is_as_published(row: dict[str, Any]) -> None:
    found = language_critical_batch(loss=row["loss"])
    assert found == pytest.approx(row["B_crit_tokens"], rel=row["rel"])
    assert math.log(2e8 / found) * 0.21 == pytest.approx(math.log(row["loss"]))


@pytest.mark.parametrize("row", PUBLISHED["trade_off"], ids=lambda row: row["id"])
def test_the_trade_off_is_as_published(row: dict[str, Any]) -> None:
    run = {"batch_size": 700 * row["B_over_Bcrit"], "critical_batch": 700, "fewest_steps": 90}
    steps, examples = batch_steps(**run) / 90, batch_examples(**run) / (90 * 700)
    assert (steps, examples) == pytest.approx((row["S_over_Smin"], row["E_over_Emin"]), rel=row["rel"])
    assert (steps - 1) * (examples - 1) == pytest.approx(row["product"], rel=row["rel"])


@given(sizes, sizes, st.floats(1, 1e6))
def test_steps_and_examples_lie_on_the_hyperbola(batch: float, critical: float, fewest: float) -> None:
    run = {"batch_size": batch, "critical_batch": critical, "fewest_steps": fewest}
    steps, examples = batch_steps(**run), batch_examples(**run)
    assert examples == pytest.approx(batch * steps)
    assert (steps - fewest) * (examples - fewest * critical) == pytest.approx(fewest**2 * critical, rel=1e-6)


@given(st.floats(0.01, 10), st.floats(0, 1e4), st.floats(1, 1e4))
def test_the_best_step_is_the_least_of_the_parabola(largest: float, scale: float, batch: float) -> None:
    best = best_step_size(largest=largest, noise_scale=scale, batch_size=batch)

    def change(step: float) -> float:
        return -step + step**2 / (2 * largest) * (1 + scale / batch)

    assert all(change(best) < change(best * factor) for factor in (0.99, 1.01))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(2, 9))
def test_the_estimates_undo_equation_1(seed: int, small: int, ranks: int) -> None:
    """Exact mean squares over all batches, not the formula they come from, give back signal and noise."""
    gradients = np.random.default_rng(seed).integers(-5, 6, size=(6, 3)).astype(float)
    full, big = gradients.mean(axis=0), small * ranks
    noise = float(((gradients - full) ** 2).sum() / 6)
    second = float((gradients @ gradients.T).sum() / 36)  # mean product of two different draws

    def mean_square(batch: int) -> float:
        return float((gradients**2).sum() / 6 / batch + second * (batch - 1) / batch)

    seen: dict[str, Any] = {"small_batch": small, "big_batch": big}
    seen |= {"small_square": mean_square(small), "big_square": mean_square(big)}
    assert two_batch_noise(**seen) == pytest.approx(noise, abs=1e-7)
    assert two_batch_signal(**seen) == pytest.approx(float(full @ full), abs=1e-7)


def test_the_estimates_are_unbiased_over_all_batches_of_a_small_set() -> None:
    values, ranks = (3.0, -1.0, 7.0), 3
    draws = np.array(np.meshgrid(*[values] * ranks)).reshape(ranks, -1).T[:, :, None]  # steps × ranks × entries
    seen = measure_noise(draws, rank_batch=1)
    signal, noise = seen.estimates()
    assert signal == pytest.approx(np.mean(values) ** 2)
    assert noise == pytest.approx(np.var(values))
    assert seen.noise_scale() == pytest.approx(gradient_noise_scale(noise=float(np.var(values)), signal=9.0))


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(2, 5), st.integers(1, 6), st.integers(0, 1000))
def test_ranks_measure_what_plain_numpy_does(steps: int, ranks: int, entries: int, seed: int) -> None:
    local = np.random.default_rng(seed).standard_normal((steps, ranks, entries))
    seen = measure_noise(local, rank_batch=5)
    assert np.allclose(seen.small_squares, (local**2).sum(axis=2).mean(axis=1))
    assert np.allclose(seen.big_squares, (local.mean(axis=1) ** 2).sum(axis=1))
    assert (seen.small_batch, seen.big_batch) == (5, 5 * ranks)
    assert sum(seen.account.sent_bytes) == 8 * steps * 2 * (ranks - 1) * (
        entries + 1
    )  # one number more than the gradient


def test_a_negative_signal_has_no_noise_scale() -> None:
    with pytest.raises(ValueError, match="estimated signal must be"):
        measure_noise([[[3.0], [-1.0]]], rank_batch=1).noise_scale()


@settings(max_examples=20)
@given(st.sampled_from([0.0, 0.5]), st.integers(1, 6), st.floats(0.01, 0.4), st.integers(0, 999))
def test_the_recursion_is_the_mean_of_sampled_descents(noise: float, batch: int, rate: float, seed: int) -> None:
    stream, steps = Stream((1.0, 0.6, 0.2), label_variance=noise), 4
    squares = stream.squares()
    for _ in range(steps):
        squares = stream.after_step(squares, rate=rate, batch=batch)
    drawn = sampled_losses(
        stream,
        batch_size=batch,
        rates=[rate],
        examples=steps * batch,
        optimizer="sgd",
        runs=4000,
        generator=np.random.default_rng(seed),
    )
    assert drawn[0] == pytest.approx(float(stream.loss(squares)), rel=0.25)


@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_signal_and_noise_of_the_stream_are_those_of_drawn_gradients(noise: float) -> None:
    stream, draws = Stream((1.0, 0.5, 0.1), label_variance=noise), 200_000
    generator = np.random.default_rng(3)
    x = generator.standard_normal((draws, 3)) * np.sqrt(stream.array)
    distance = generator.choice([-1, 1], (draws, 3)) * np.sqrt(stream.squares())
    residual = (x * distance).sum(axis=1) - np.sqrt(noise) * generator.standard_normal(draws)
    square = ((x * residual[:, None]) ** 2).sum(axis=1).mean()
    assert stream.signal(stream.squares()) == pytest.approx(float(((stream.array * distance) ** 2).sum(axis=1).mean()))
    assert stream.noise(stream.squares()) + stream.signal(stream.squares()) == pytest.approx(square, rel=0.02)


def test_counted_steps_obey_the_law_and_the_noise_scale_predicts_it() -> None:
    batches = np.array([1, 3, 9, 27, 81, 243])
    runs = [fewest_steps_to(CLEAN, batch_size=int(size), loss=0.003) for size in batches]
    steps = np.array([run.steps for run in runs])
    columns = np.stack([np.ones(6), 1 / batches], axis=1) / steps[:, None]
    (fewest, examples), *_ = np.linalg.lstsq(columns, np.ones(6), rcond=None)
    law = [batch_steps(batch_size=size, critical_batch=examples / fewest, fewest_steps=fewest) for size in batches]
    assert np.allclose(law, steps, rtol=0.02)
    assert runs[0].noise_scales.mean() == pytest.approx(examples / fewest, rel=0.25)
    assert all(run.rate < after.rate for run, after in pairwise(runs))


def test_a_ramp_and_a_falling_rate_save_examples_and_no_setting_beats_those_of_the_chapter() -> None:
    noisy = Stream(CLEAN.curvatures, label_variance=0.3)

    def fewest(batch: float = 1, share: float = 0, decay: float = 0, until: int = 0) -> float:
        how: Any = {"batch": batch, "share": share, "decay": decay, "until": until}
        try:
            return thriftiest_descent(noisy, **how, loss=0.02, within=45).examples
        except ValueError:
            return math.inf

    ramp, falling, constant = fewest(share=0.35), fewest(18, decay=0.1), fewest(35)
    line = fewest(13, until=45)
    assert line < ramp < falling < constant
    assert line == min(fewest(size, until=45) for size in range(10, 20))
    assert fewest(12, until=45) == math.inf
    assert constant == min(fewest(size) for size in range(20, 61, 3))
    assert fewest(34) == math.inf
    assert falling == min(fewest(size, decay=decay) for size in range(15, 30, 3) for decay in (0.05, 0.1, 0.2))
    assert ramp <= min(fewest(share=share) for share in (0.25, 0.3, 0.4, 0.5, 0.6))
    assert fewest(share=0.6) < constant
    assert fewest(share=0.2) == math.inf


@settings(max_examples=10)
@given(st.integers(1, 20), st.floats(0.05, 1.0), st.floats(0.0, 0.3), st.sampled_from([0, 30, 60]))
def test_the_thriftiest_descent_is_the_least_of_single_ones(batch: int, share: float, decay: float, until: int) -> None:
    stream, rates = Stream((1.0, 0.4), label_variance=0.2), np.geomspace(2e-3, 2, 12)
    found = []
    for rate in rates:
        squares, seen = stream.squares(), 0.0
        for step in range(30):
            size = max(batch, share * stream.noise_scale(squares))
            fallen = rate * (1 - step / until if until else 1) / (1 + decay * step)
            squares, seen = stream.after_step(squares, rate=fallen, batch=size), seen + size
            if stream.loss(squares) <= 0.3:
                found.append(seen)
                break
    run = thriftiest_descent(stream, batch=batch, share=share, decay=decay, until=until, loss=0.3, within=30, rates=12)
    assert run.examples == pytest.approx(min(found))


@given(st.floats(1, 1e6), st.floats(0.01, 100), st.floats(1e-4, 10))
def test_the_cheapest_batch_is_cheaper_than_its_neighbours(critical: float, step: float, example: float) -> None:
    def bill(batch: float) -> float:
        run = {"batch_size": batch, "critical_batch": critical, "fewest_steps": 1.0}
        return step * batch_steps(**run) + example * batch_examples(**run)

    best = cheapest_batch(critical_batch=critical, usd_per_step=step, usd_per_example=example)
    assert bill(best) <= min(bill(0.9 * best), bill(1.1 * best))


def test_a_sum_of_k_small_steps_is_the_linear_rule() -> None:
    for k in (2, 5, 16):
        moved = sum(0.03 * gradient for gradient in [0.7] * k)
        assert scaled_learning_rate(rate=0.03, factor=k, rule="linear") * 0.7 == pytest.approx(moved)
        half = scaled_learning_rate(rate=0.03, factor=k, rule="sqrt")
        assert half**2 == pytest.approx(0.03 * scaled_learning_rate(rate=0.03, factor=k, rule="linear"))
        assert scaled_learning_rate(rate=0.03, factor=k, rule="constant") == 0.03


@pytest.mark.long
def test_rates_carry_over_in_mup_and_not_in_the_standard() -> None:
    tried = [2.0**-power for power in range(5, 10)]
    best = {
        way: [
            best_rate(tried, width_losses(width=width, rates=tried, parametrisation=way, seed=0))  # type: ignore[arg-type]
            for width in (32, 256)
        ]
        for way in ("standard", "mup", "mup_values_only", "mup_rates_only")
    }
    assert best["standard"][0] / best["standard"][1] > 4
    assert 0.6 < best["mup"][0] / best["mup"][1] < 1.6
    assert best["mup_values_only"][0] / best["mup_values_only"][1] > 3
    assert 0.5 < best["mup_rates_only"][0] / best["mup_rates_only"][1] < 2


def test_the_first_step_of_adam_moves_a_unit_in_proportion_to_the_width_unless_the_rate_shrinks() -> None:
    """Adam's first step moves every weight by the rate, along the signs: a sum over n inputs moves by n times that."""
    inputs = np.random.default_rng(0).random(512)
    for width in (64, 512):
        rate = mup_hidden_rate(rate=0.01, width=width, base_width=64)
        assert (inputs[:width] * rate).sum() == pytest.approx((inputs[:64] * 0.01).sum(), rel=0.15)


def test_parabolas_find_the_place_between_two_rates() -> None:
    rates = [1.0, 2.0, 4.0, 8.0]
    losses = [1 + (math.log2(rate) - 1.3) ** 2 for rate in rates]
    assert best_rate(rates, losses) == pytest.approx(2**1.3)
    assert best_rate(rates, [1.0, 2.0, 3.0, 4.0]) == 1.0
    with pytest.raises(ValueError, match="losses must be one for each"):
        best_rate([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: two_batch_noise(small_batch=4, big_batch=4, small_square=1, big_square=1), "big_batch must be above"),
        (lambda: fewest_steps_to(CLEAN, batch_size=1, loss=2.0), "loss must be below the first one"),
        (lambda: thriftiest_descent(CLEAN, batch=0.5, loss=0.5, within=9), "batch must be at least 1"),
        (lambda: thriftiest_descent(CLEAN, loss=0.5, within=9, until=8), "until must be 0 or at least within = 9"),
        (lambda: thriftiest_descent(CLEAN, batch=9, loss=0.01, within=2), "some step size reaches in 2 steps"),
        (lambda: language_critical_batch(loss=0.5, exponent=1e-4), "exponent must not be so small"),
        (lambda: measure_noise([[[1.0]]], rank_batch=1), "gradients must be of 1 step, 2 ranks"),
        (lambda: scaled_learning_rate(rate=1, factor=2, rule="cube"), "rule must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        wrong()


def test_the_pictures_have_what_they_say() -> None:
    assert sum(pictures.batch_means((3, -1), 4).values()) == 16
    rows = pictures.batches_panels((3, -1), (1, 2, 4))
    assert re.findall(r">(\d) = (\d) \+ (\d)<", rows[1].svg()) == [("5", "1", "4"), ("3", "1", "2"), ("2", "1", "1")]
    said = re.findall(r">([\d.]+) steps, (\d+) examples<", pictures.progress_panel(4, (1, 4, 16)).svg())
    assert said == [
        ("5", "5"),
        ("2", "8"),
        ("1.25", "20"),
    ]  # whole steps of a fifth, a half and four fifths, counted by hand
    blocks = re.findall(r"<rect [^>]*opacity[^>]*>", pictures.progress_panel(4, (1, 4, 16)).svg())
    pale = [block for block in blocks if "0.25" in block]
    assert (len(blocks), len(pale)) == (5 + 2 + 2 + 1, 1)  # only the fourth part of a step at B = 16 isn't whole
    plan: Any = {"days": 24, "gpus": 512, "critical_batch": 512, "deadline_days": 20, "marked": (512, 768, 1024, 2048)}
    drawn_days = pictures.days_panel(**plan).svg()
    assert re.findall(r">(\d+) days<", drawn_days) == ["24", "20", "18", "15"]
    assert "never below 12 days" in drawn_days
    lines = {"constant": [5.0, 20.0, 30.0, 40.0], "square root": [2.0, 4.0, 8.0, 15.0], "linear": [1.0, 1.2, 1.5, 2.0]}
    curves = {"standard": {32: [0.6, 0.5, 0.7], 64: [0.61, 0.5, 0.72]}}
    panels = [
        *rows,
        pictures.gain_panel(4, (1, 4, 16)),
        pictures.gain_panel(4, (1, 4, 16), width_px=pictures.NARROW_PX),
        *(pictures.progress_panel(4, (1, 4, 16), width_px=width) for width in (pictures.NARROW_PX, pictures.WIDE_PX)),
        *(pictures.days_panel(**plan, width_px=width) for width in (pictures.NARROW_PX, pictures.WIDE_PX)),
        *pictures.tradeoff_panels([1, 8, 64], [90, 20, 11], critical_batch=8, fewest_steps=10),
        pictures.ramp_panel(
            [(n, 9) for n in range(1, 90)],
            [(n, n / 5 + 3) for n in range(90)],
            [(n, n + 12) for n in range(90)],
            [(n, 4) for n in range(40)],
            [(n, 6) for n in range(50)],
        ),
        *pictures.rules_panels((4, 16, 64, 256), {"SGD": lines}),
        *pictures.width_panels([0.01, 0.02, 0.04], curves),
    ]
    for drawn in panels:
        assert_texts_fit(drawn)
