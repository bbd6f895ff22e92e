"""Chapter 39: experts that are read, a decode step, and requests that fit, against chance, rosters and plain loops."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.models import MODELS, parameter_count, parameter_parts
from snippets.synthesis.mistral.figures import touched_experts_panel, written_ratio, written_ratio_plot
from snippets.synthesis.mistral.formulas import (
    decode_step,
    decode_weight_bytes,
    expected_experts_touched,
    expert_compute_bound_tokens,
    most_cached_requests,
)
from snippets.synthesis.mistral.programs import count_experts_touched, drawn_choices, run_expert_step

H100: dict[str, Any] = {"memory_bytes_per_s": 3.35e12, "flops_per_s": 643e12}


@pytest.mark.parametrize(("tokens", "experts", "chosen"), [(1, 4, 2), (2, 4, 2), (3, 4, 2), (3, 5, 3), (4, 3, 1)])
def test_every_choice_of_every_token_is_listed(tokens: int, experts: int, chosen: int) -> None:
    choices = list(combinations(range(experts), chosen))
    sizes = [len(set().union(*rows)) for rows in product(choices, repeat=tokens)]
    mean = Fraction(sum(sizes), len(sizes))
    own = expected_experts_touched(batch=tokens, experts=experts, experts_per_token=chosen)
    assert own == pytest.approx(float(mean), rel=1e-12)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4), st.integers(0, 99))
def test_a_step_that_reads_what_was_chosen_gives_what_all_experts_give(B: int, E: int, k: int, seed: int) -> None:
    k = min(k, E)
    step = run_expert_step(batch=B, experts=E, experts_per_token=k, seed=seed)
    assert abs(step.output - step.from_all).max() < 1e-12
    assert step.read_numbers == 3 * 4 * 6 * len(step.touched)
    rows = drawn_choices(batch=B, experts=E, experts_per_token=k, seed=seed)
    assert set(step.touched) == {expert for row in rows for expert in row}
    assert all(len(set(row)) == k for row in rows)


@pytest.mark.parametrize("batch", [2, 5, 20])
def test_favourites_are_read_less_than_even_routers(batch: int) -> None:
    size: dict[str, Any] = {"batch": batch, "experts": 8, "experts_per_token": 2}
    even = expected_experts_touched(**size)
    assert count_experts_touched(**size, trials=4000) == pytest.approx(even, abs=0.06)
    assert count_experts_touched(**size, trials=4000, shares=[9, 3, 3, 1, 1, 1, 1, 1]) < even - 0.05


def test_shares_are_as_many_as_experts() -> None:
    with pytest.raises(ValueError, match="shares must be a number for each of 8 experts, got 2"):
        drawn_choices(batch=1, experts=8, experts_per_token=2, shares=[1, 2])


@pytest.mark.parametrize("name", ["Mixtral 8x7B", "Mixtral 8x22B", "Llama 2 70B", "Mistral 7B", "Llama 3.2 1B"])
def test_weights_are_read_once_and_the_table_not_at_all(name: str) -> None:
    model, parts = MODELS[name], parameter_parts(name)
    table = 0 if model.tied else parts.token_embedding
    every = 2 * (parameter_count(name) - table)
    assert decode_weight_bytes(name, batch=10**6) == pytest.approx(every, rel=1e-12)
    share = 1.0 if model.experts is None else model.experts.per_token / model.experts.experts
    one = 2 * (parameter_count(name) - table - (1 - share) * parts.routed_experts)
    assert decode_weight_bytes(name, batch=1) == pytest.approx(one, rel=1e-12)


@given(st.integers(1, 3000), st.integers(1, 200_000), st.integers(1, 8), st.sampled_from([None, 512, 4096]))
def test_a_step_is_bytes_and_flops_over_rates(B: int, s: int, R: int, window: int | None) -> None:
    step = decode_step("Mixtral 8x7B", batch=B, context=s, ranks=R, window=window, **H100)
    seen = min(s, window or s)
    cache = B * seen * 32 * 8 * 128 * 2 * 2  # layers, heads, their size, keys and values, bytes
    assert step.cache_s == pytest.approx(cache / R / 3.35e12)
    assert step.weights_s == pytest.approx(decode_weight_bytes("Mixtral 8x7B", batch=B) / R / 3.35e12)
    pairs = 32 * 32 * 2 * 128 * seen  # layers, heads, widths of a key and a value
    assert step.compute_s == pytest.approx(2 * B * (12_879_925_248 - 32_000 * 4096 + pairs) / R / 643e12)
    assert step.total_s == max(step.weights_s + step.cache_s, step.compute_s)


def test_latents_are_refused() -> None:
    with pytest.raises(ValueError, match="model must have grouped queries"):
        decode_step("DeepSeek-V3", batch=1, context=1, **H100)


@pytest.mark.parametrize("window", [None, 4096, 40_000])
def test_one_more_request_does_not_fit(window: int | None) -> None:
    size: dict[str, Any] = {"context": 32_768, "window": window, "memory_bytes": 72e9, "ranks": 2}
    most = most_cached_requests("Mistral 7B", **size)
    each = 131_072 * min(32_768, window or 32_768)
    assert 2 * 7_241_732_096 + most * each <= 2 * 72e9 < 2 * 7_241_732_096 + (most + 1) * each
    assert most_cached_requests("Llama 2 70B", **{**size, "ranks": 1}) == 0


def test_an_expert_computes_as_long_as_it_is_read() -> None:
    for experts, chosen in ((1, 1), (8, 2), (256, 8)):
        tokens = expert_compute_bound_tokens(experts=experts, experts_per_token=chosen, **H100)
        own = tokens * chosen / experts  # an expert's tokens
        assert 2 * own / 643e12 == pytest.approx(2 / 3.35e12)
    for name in (expected_experts_touched, expert_compute_bound_tokens):
        more = {"batch": 1} if name is expected_experts_touched else H100
        with pytest.raises(ValueError, match="experts_per_token must be an integer of at most experts = 2, got 3"):
            name(experts=2, experts_per_token=3, **more)


def test_the_ratio_is_that_of_the_steps() -> None:
    size: dict[str, Any] = {"context": 2048, "ranks": 4, "memory_bytes": 72e9, **H100}
    one = written_ratio("Mixtral 8x7B", "Llama 2 70B", requests=16, **size)
    times = [
        decode_step(name, batch=16, context=2048, ranks=4, **H100).total_s for name in ("Llama 2 70B", "Mixtral 8x7B")
    ]
    assert one == pytest.approx(times[0] / times[1])
    many = [written_ratio("Mixtral 8x7B", "Llama 2 70B", requests=n, **size) for n in (724, 5000)]
    assert many[0] == many[1]
    assert 3.2 < many[0] < 3.3
    with pytest.raises(ValueError, match="memory_bytes must hold"):
        written_ratio("Mixtral 8x7B", "Llama 2 70B", requests=1, **{**size, "ranks": 1})


def test_the_pictures_have_what_was_computed() -> None:
    panel = touched_experts_panel().svg()
    assert all(f"{8 * (1 - 0.75**B):.1f} of 8" in panel for B in (1, 2, 4, 8, 16))
    assert all(word in written_ratio_plot().svg() for word in ("alone: 5.4", "16 requests: 1.5", "both full: 3.2"))


def test_half_of_the_layers_read_half() -> None:
    whole = MODELS["Mixtral 8x7B"]
    half = replace(whole, name="half", layers=16, expert_layers=16)
    apart = [decode_weight_bytes(one, batch=3) - 2 * (32_000 * 4096 + 4096) for one in (whole, half)]
    assert math.isclose(apart[0], 2 * apart[1])
