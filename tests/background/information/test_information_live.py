"""The numbers are sums by NumPy, and the areas that are drawn are those numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snippets.background.information.live import MOST_WEIGHT, two_distributions
from tests.live.checking import assert_draws

WEIGHTS = st.lists(st.integers(0, MOST_WEIGHT), min_size=4, max_size=4)


def settings_of(p: list[int], q: list[int]) -> dict[str, int]:
    named = zip([f"{name}_{letter}" for name in "pq" for letter in "abcd"], [*p, *q], strict=True)
    return dict(named)


def numbers(said: str) -> list[float]:
    """Return what stands after each sign of equality."""
    return [float(found.replace("∞", "inf")) for found in re.findall(r"= ([\d.]+|∞) (?:bits|nats)", said)]


def test_at_first_it_says_what_the_chapter_says() -> None:
    assert numbers(two_distributions().numbers) == [1.75, 1.75, 0, 0]


@given(p=WEIGHTS, q=WEIGHTS, unit=st.sampled_from(["bits", "nats"]))
def test_numbers_are_the_sums_of_their_definitions(p: list[int], q: list[int], unit: str) -> None:
    assume(any(p) and any(q))
    picture = two_distributions(**settings_of(p, q), unit=unit)
    assert_draws(two_distributions, {**settings_of(p, q), "unit": unit})
    truth, model = np.array(p) / sum(p), np.array(q) / sum(q)
    scale = 1 if unit == "nats" else np.log(2)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = -np.where(truth > 0, truth * np.log(truth), 0).sum() / scale
        given_model = -np.where(truth > 0, truth * np.log(model), 0).sum() / scale
        there = np.where(truth > 0, truth * np.log(truth / model), 0).sum() / scale
        back = np.where(model > 0, model * np.log(model / truth), 0).sum() / scale
    assert numbers(picture.numbers) == pytest.approx([own, given_model, there, back], abs=6e-4)


@given(p=st.lists(st.integers(1, 8), min_size=4, max_size=4), q=st.lists(st.integers(1, 8), min_size=4, max_size=4))
def test_areas_are_entropy_and_divergence(p: list[int], q: list[int]) -> None:
    picture = two_distributions(**settings_of(p, q))
    root = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", picture.panels[1].svg()))
    ticks = {text.text: float(text.get("y", 0)) for text in root.iter("text") if "end" in text.get("class", "")}
    bit, unit = ticks["0"] - ticks["1"], 258 - 16 - 52
    area = {
        colour: sum(
            float(wide) * float(high)
            for path in root.iter("path")
            if path.get("class") == f"b-{colour}"
            for wide, high in re.findall(r"h([\d.]+)v([\d.]+)", path.get("d", ""))
        )
        / (bit * unit)
        for colour in ("accent", "gradients")
    }
    dashed = sum(float(rect.get("width", 0)) * float(rect.get("height", 0)) for rect in root.iter("rect"))
    own, given_model, there, _ = numbers(picture.numbers)
    assert area["accent"] == pytest.approx(own, abs=0.02)
    assert area["gradients"] - dashed / (bit * unit) == pytest.approx(there, abs=0.02)
    assert own + there == pytest.approx(given_model, abs=2e-3)


@pytest.mark.parametrize("name", ["p", "q"])
def test_a_distribution_without_weight_is_refused(name: str) -> None:
    nothing = {f"{name}_{symbol}": 0 for symbol in "abcd"}
    with pytest.raises(ValueError, match=f"{name} must have a weight above 0 for at least one symbol"):
        two_distributions(**nothing)


def test_named_settings_show_what_their_sentences_say() -> None:
    shown = {named.name: two_distributions(**named.values).numbers for named in two_distributions.named}
    assert numbers(shown["Fixed width"])[:3] == [1.75, 2.0, 0.25]
    assert numbers(shown["A late gradient, coarsely"])[2] == 0.032
    assert numbers(shown["Ruled out"])[1:] == [np.inf, np.inf, 0.25]
