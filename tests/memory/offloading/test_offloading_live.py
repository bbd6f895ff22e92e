"""The live figure of chapter 24 against closed forms and a sum by hand, also at its named settings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.memory.memory_equation.llama_layer_bytes import llama_layer_bytes
from snippets.hardware import LINKS
from snippets.memory.offloading.formulas import (
    clipped_update_step_s,
    offloaded_activations_step_s,
    offloaded_update_step_s,
)
from snippets.memory.offloading.host_memory import HOSTS
from snippets.memory.offloading.live import (
    LAYER,
    LINKS_SHOWN,
    STATES,
    kept_bytes,
    layer_seconds,
    micro_batch_s,
    offload_lanes,
)
from snippets.memory.offloading.timeline import offloaded_step
from snippets.models import MODELS, parameter_count


def said_ms(**knobs: object) -> float:
    found = re.search(r"The step takes ([\d,.]+) ms", offload_lanes(**knobs).numbers)
    assert found
    return float(found[1].replace(",", ""))


@pytest.mark.parametrize("tokens", [512, 8192, 32768])
@pytest.mark.parametrize("layers", [2, 3, 32])
def test_an_earlier_micro_batch_is_a_step_without_update(tokens: int, layers: int) -> None:
    for state in STATES:
        told = layer_seconds(state, tokens=tokens, link="PCIe 5.0 x16", host="DDR5-4800, 8 channels", rates="plan")
        kept = ("forward_s", "backward_s", "weights_s", "activations_s")
        step = offloaded_step(layers=layers, **{key: told[key] for key in kept if key in told})
        assert micro_batch_s(layers, told) == pytest.approx(float(step.end_s) - told.get("weights_s", 0))


def test_a_layer_is_the_model_s() -> None:
    model = MODELS["Llama 3 8B"]
    outside = 2 * 128_256 * 4096 + 4096
    assert LAYER * model.layers + outside == parameter_count(model)


def test_one_layer_by_hand() -> None:
    forward = 2 * 218_112_000 * 8192 / 494.7e12
    assert layer_seconds("optimizer", tokens=8192, link="PCIe 5.0 x16", host="DDR5-4800, 8 channels") == pytest.approx(
        {
            "forward_s": forward,
            "backward_s": 2 * forward,
            "gradients_s": 436_224_000 / 63_015_384_615,
            "update_s": 28 * 218_112_000 / 307.2e9,
            "new_weights_s": 436_224_000 / 63_015_384_615,
        }
    )
    assert layer_seconds("inputs", tokens=1000, link="PCIe 5.0 x16", host="DDR5-4800, 8 channels")[
        "activations_s"
    ] == pytest.approx(2 * 4096 * 1000 / 63_015_384_615)


def test_what_a_layer_keeps_is_chapter_21_s() -> None:
    for name, hidden, heads, width in (("Llama 3 8B", 4096, 32, 14336), ("Llama 3 70B", 8192, 64, 28672)):
        kept = llama_layer_bytes(sequence=1, micro_batch=1, hidden=hidden, heads=heads, key_value_heads=8, width=width)
        assert kept == kept_bytes("activations", name) * hidden + 4 * heads  # and one float32 for each head


def test_ranks_and_what_they_share_by_hand() -> None:
    shared = layer_seconds(
        "optimizer",
        tokens=8192,
        link="PCIe 5.0 x16",
        host="DDR5-4800, 8 channels",
        model="Llama 3 70B",
        ranks=256,
        sharing=4,
        rates="run",
    )
    layer = 855_654_400
    assert shared["forward_s"] == pytest.approx(2 * layer * 8192 / (0.65 * 989.4e12), rel=1e-4)
    assert shared["update_s"] == pytest.approx(28 * layer / 256 / (0.8 * 307.2e9 / 4))
    assert shared["gradients_s"] == pytest.approx(2 * layer / 256 / (0.8 * 63_015_384_615))


@settings(max_examples=examples(15), deadline=None)
@given(
    st.sampled_from([512, 4096, 32768]),
    st.sampled_from(LINKS_SHOWN),
    st.sampled_from(sorted(HOSTS)),
    st.integers(2, 32),
)
def test_the_step_is_the_formula_s(tokens: int, link: str, host: str, layers: int) -> None:
    assert link in LINKS
    knobs = {"tokens": tokens, "link": link, "host": host}
    told = layer_seconds("optimizer", **knobs, rates="plan")  # type: ignore[arg-type]
    exact = offloaded_update_step_s(layers=layers, **told)
    assert said_ms(layers=layers, clip="no", **knobs) == pytest.approx(exact * 1e3, abs=0.051)
    exact = clipped_update_step_s(layers=layers, **told)
    assert said_ms(layers=layers, **knobs) == pytest.approx(exact * 1e3, abs=0.051)
    passes = layers * (told["forward_s"] + told["backward_s"])
    assert said_ms(layers=layers, micro_batches=5, **knobs) == pytest.approx((exact + 4 * passes) * 1e3, abs=0.051)
    told = layer_seconds("activations", **knobs, rates="plan")  # type: ignore[arg-type]
    exact = offloaded_activations_step_s(layers=layers, **told)
    assert said_ms(layers=layers, state="activations", **knobs) == pytest.approx(exact * 1e3, abs=0.051)
    several = said_ms(layers=layers, state="activations", micro_batches=3, **knobs)
    assert several == pytest.approx(3 * exact * 1e3, abs=0.051)
