"""The live memory calculator against the simulated step, the run on sharded ranks, and a search by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.hardware import ACCELERATORS
from snippets.live.knobs import Choice
from snippets.live.stacks import NAMES
from snippets.memory.memory_equation import live as module
from snippets.memory.memory_equation.live import memory_calculator
from snippets.memory.memory_equation.step_peak import gpt_step_sizes
from snippets.memory.memory_equation.step_timeline import step_timeline
from snippets.models import MODELS, parameter_count
from snippets.recipes import RECIPES

GPT = ["GPT-2 124M", "GPT-2 355M", "GPT-2 774M", "GPT-2 1.5B", "GPT-3 175B"]


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_the_first_picture_is_the_answer_of_the_chapter() -> None:
    picture = memory_calculator(micro_batch=4)
    assert (
        "the peak is 79.4 GB, at the loss, and a device has 80.0 GB: 0.6 GB free; at most 4 sequences"
        in picture.numbers
    )
    assert "at most 4 sequences fit" in memory_calculator().numbers
    assert "6.7 GB too much; at most 4 sequences fit" in memory_calculator(micro_batch=5).numbers
    assert "at most 3 sequences fit" in memory_calculator(accumulated=True).numbers
    assert "at most 1 sequence fits" in memory_calculator(kept="standard").numbers
    assert "backward, first layer" in memory_calculator(kept="full", micro_batch=4).numbers
    assert "does not fit" in texts(memory_calculator(micro_batch=5).panels[1].svg())


def test_every_recipe_can_be_chosen_with_its_bytes_and_those_of_the_table_by_its_names() -> None:
    (knob,) = (knob for knob in memory_calculator.knobs if knob.name == "recipe")
    assert isinstance(knob, Choice)
    assert knob.options.keys() == RECIPES.keys()
    assert all(said.endswith(f", {RECIPES[name].bytes_per_parameter} B") for name, said in knob.options.items())
    chapter = (Path(__file__).parents[3] / "chapters/memory/21-memory-equation.md").read_text(encoding="utf-8")
    for name, said in module._CALLED.items():
        assert re.search(rf'"{re.escape(said)}[^"]*": "{name}"', chapter), said


def test_a_width_that_heads_do_not_divide_is_refused() -> None:
    with pytest.raises(ValueError, match="width must be a multiple of 128, the size of a head, and is 1000"):
        memory_calculator(model="own", own_hidden=1000)


@pytest.mark.parametrize("name", module.SHOWN_MODELS)
def test_the_parameters_are_the_model_s_own(name: str) -> None:
    model = module.SHOWN_MODELS[name]
    sizes = module.model_step_sizes(model, "mixed-adam", 128, 1, "full")
    assert sizes.parameters == parameter_count(model)
    if name in GPT:
        gpt = gpt_step_sizes(
            layers=model.layers,
            hidden=model.hidden,
            heads=model.attention.heads,
            vocabulary=model.vocabulary,
            positions=model.positions,
            sequence=128,
            micro_batch=1,
        )
        assert (gpt.layer_parameters, gpt.outside_parameters) == (sizes.layer_parameters, sizes.outside_parameters)


def test_models_whose_layers_the_formula_does_not_know_are_left_out() -> None:
    assert MODELS.keys() - module.SHOWN_MODELS.keys() == {name for name, model in MODELS.items() if model.experts}


@settings(max_examples=examples(40), deadline=None)
@given(
    st.sampled_from([*GPT[:4], "own"]),
    st.sampled_from(sorted(RECIPES)),
    st.integers(1, 40),
    st.sampled_from([128, 512, 1024, 4096]),
    st.sampled_from(sorted(module._KEPT)),
    st.booleans(),
)
def test_without_sharding_it_is_the_simulated_step(
    name: str, recipe: str, micro_batch: int, sequence: int, kept: str, accumulated: bool
) -> None:
    model = module._own_model(3, 512) if name == "own" else MODELS[name]
    line = step_timeline(
        gpt_step_sizes(
            layers=model.layers,
            hidden=model.hidden,
            heads=model.attention.heads,
            vocabulary=model.vocabulary,
            positions=model.positions,
            sequence=sequence,
            micro_batch=micro_batch,
            recipe=recipe,
            attention=module._KEPT[kept][1],
            recomputation=module._KEPT[kept][2],
        ),
        keep_gradients=accumulated,
    )
    change: dict[str, Any] = {"model": name, "own_layers": 3, "own_hidden": 512, "recipe": recipe, "kept": kept}
    change |= {"micro_batch": micro_batch, "sequence": sequence, "accumulated": accumulated}
    picture = memory_calculator(**change)
    found = re.search(r"the peak is ([\d.,]+) GB", picture.numbers)
    assert found
    assert float(found[1].replace(",", "")) == pytest.approx(line.peak_bytes / 1e9, abs=0.0501, rel=1e-3)
    listed = texts(picture.panels[1].svg())
    for kind, size in line.peak.held.items():
        shown = float(listed[listed.index(NAMES[kind]) + 1].removesuffix(" GB").replace(",", ""))
        assert shown == pytest.approx(size / 1e9, abs=0.0501, rel=1e-3)


@settings(max_examples=examples(25), deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from([1024, 2048, 4096]),
    st.sampled_from(["0", "1", "2", "3"]),
    st.sampled_from([1, 2, 64]),
    st.sampled_from(sorted(module._KEPT)),
    st.booleans(),
)
def test_the_most_sequences_are_those_that_a_search_finds(
    layers: int, hidden: int, stage: str, ranks: int, kept: str, accumulated: bool
) -> None:
    """One sequence more does not fit, one less does: asked of the same figure, setting by setting."""
    change: dict[str, Any] = {"model": "own", "own_layers": layers, "own_hidden": hidden, "stage": stage}
    change |= {"ranks": ranks, "kept": kept, "accumulated": accumulated, "sequence": 8192, "device": "V100 SXM2 16GB"}

    def fits(sequences: int) -> bool:
        return "free" in memory_calculator(micro_batch=sequences, **change).numbers

    found = re.search(r"at most ([\d,]+) sequences? fit", memory_calculator(micro_batch=1, **change).numbers)
    most = int(found[1].replace(",", "")) if found else 0
    assert fits(1) == (most > 0)
    for sequences in (most - 1, most, most + 1):
        if 1 <= sequences <= 128:
            assert fits(sequences) == (sequences <= most)


def test_bars_are_as_long_as_their_bytes() -> None:
    """The blocks of the first bar, in pixels, against the device's line."""
    svg = memory_calculator().panels[0].svg()
    line = re.search(r'class="l-ink"', svg)
    assert line
    (x,) = {float(value) for value in re.findall(r'<line x1="([\d.]+)"', svg)}
    scale = (x - 1) / ACCELERATORS["A100 SXM 80GB"].memory_bytes
    state = 3_562_168_320
    for colour, size in (("parameters", 2 * state), ("optimizer", 12 * state)):
        path = re.search(rf'class="b-{colour}" d="M[\d.]+ [\d.]+h([\d.]+)', svg)
        assert path
        assert float(path[1]) == pytest.approx(size * scale, abs=0.1)
