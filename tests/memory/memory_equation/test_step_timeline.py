"""The step's timeline against its closed form, against arrays that are really made, and against Korthikanti's rows."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.memory_equation import step_peak, step_timeline
from snippets.memory.memory_equation.activations import ATTENTIONS, RECOMPUTATIONS, layer_activation_bytes
from snippets.memory.memory_equation.step_timeline import MemoryTimeline, Tensor, arena_bytes, in_sequence
from snippets.memory.zero.sharded_adam import SIMULATED, GivenGradients, run_sharded_adam
from snippets.models import MODELS, gpt_parameter_count, parameter_count
from snippets.recipes import RECIPES, model_state_bytes

GPT2: dict[str, Any] = {"layers": 48, "hidden": 1600, "heads": 25, "vocabulary": 50257, "positions": 1024}


@st.composite
def sizes(draw: st.DrawFn) -> step_peak.StepSizes:
    heads = draw(st.integers(1, 4))
    return step_peak.gpt_step_sizes(
        layers=draw(st.integers(1, 6)),
        hidden=heads * draw(st.integers(1, 12)),
        heads=heads,
        vocabulary=draw(st.integers(1, 200)),
        positions=draw(st.integers(0, 20)),
        sequence=draw(st.integers(1, 40)),
        micro_batch=draw(st.integers(1, 4)),
        recipe=draw(st.sampled_from(sorted(RECIPES))),
        attention=draw(st.sampled_from(ATTENTIONS)),
        recomputation=draw(st.sampled_from(RECOMPUTATIONS)),
    )


def test_the_head_keeps_its_inputs_and_the_logits() -> None:
    small = step_peak.gpt_step_sizes(layers=1, hidden=4, heads=2, vocabulary=10, sequence=8, micro_batch=3)
    values = 8 * 3 * 4
    assert small.head == (("last norm's input", 2 * values), ("head's input", 2 * values), ("logits", 4 * 8 * 3 * 10))


choices = st.fixed_dictionaries(
    {
        "keep_gradients": st.booleans(),
        "first_step": st.booleans(),
        "update_bytes_per_parameter": st.integers(0, 16),
    }
)


@settings(max_examples=examples(200), deadline=None)
@given(sizes(), choices)
def test_the_peak_is_the_closed_form(step: step_peak.StepSizes, more: dict[str, Any]) -> None:
    line = step_timeline.step_timeline(step, **more)
    candidates = step_peak.step_peak_candidates(step, **more)
    assert line.peak_bytes == max(candidates.values()) == step_peak.step_peak_bytes(step, **more)
    totals = {(moment.task, moment.phase): moment.total for moment in line.moments}
    assert totals["loss", "backward"] == candidates["loss"]
    assert totals[f"layer {step.layers - 1}", "backward"] == candidates["first backward"]
    assert totals["layer 0", "backward"] == candidates["last backward"]
    assert totals["step", "update"] == candidates["step"]


@settings(max_examples=examples(60), deadline=None)
@given(sizes(), choices)
def test_what_a_step_leaves_behind(step: step_peak.StepSizes, more: dict[str, Any]) -> None:
    line = step_timeline.step_timeline(step, **more)
    state = model_state_bytes(step.parameters, recipe=step.recipe)
    end = line.moments[-1].held
    assert (end["parameters"], end["optimizer"]) == (state.parameters, state.optimizer)
    assert end["gradients"] == (state.gradients if more["keep_gradients"] else 0)
    assert end["activations"] == end["temporary"] == 0
    assert max(moment.held["gradients"] for moment in line.moments) == state.gradients
    last_forward = next(moment for moment in line.moments if moment.task == f"layer {step.layers - 1}")
    assert last_forward.held["activations"] == step.embedding_bytes + step.layers * step.layer_bytes
    times = [tensor.made for tensor in line.tensors] + [t.freed for t in line.tensors if t.freed is not None]
    assert len(set(times)) == len(times)


@settings(max_examples=examples(25), deadline=None)
@given(sizes(), choices)
def test_arrays_that_are_made_and_dropped_in_this_order(step: step_peak.StepSizes, more: dict[str, Any]) -> None:
    """Replay the tensors' lives with real arrays; tracemalloc, which knows nothing of the ledger, says the peak."""
    line = step_timeline.step_timeline(step, **more)
    events = {tensor.made: tensor for tensor in line.tensors}
    frees = {tensor.freed: tensor for tensor in line.tensors if tensor.freed is not None}
    scale = 64  # so that the arrays outweigh Python's own objects
    arrays: dict[int, Any] = {}
    order = sorted([*events, *frees])
    tracemalloc.start()
    for event in order:
        if event in events:
            arrays[event] = np.empty(events[event].bytes * scale, np.uint8)
        else:
            del arrays[frees[event].made]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0 <= peak - scale * line.peak_bytes < 60_000 + 400 * len(order)


def test_sizes_of_gpt2() -> None:
    step = step_peak.gpt_step_sizes(**GPT2, sequence=1024, micro_batch=1)
    assert step.parameters == parameter_count(MODELS["GPT-2 1.5B"])
    assert step.layer_bytes == layer_activation_bytes(sequence=1024, micro_batch=1, hidden=1600, heads=25)
    again = gpt_parameter_count(layers=3, hidden=8, vocabulary=11, positions=5)
    shape: dict[str, Any] = {
        "layers": 3,
        "hidden": 8,
        "vocabulary": 11,
        "positions": 5,
        "heads": 2,
        "sequence": 4,
        "micro_batch": 1,
    }
    assert step_peak.gpt_step_sizes(**shape).parameters == again + 2 * 8  # the last norm


def test_six_sequences_fit_and_six_accumulated_do_not() -> None:
    step = step_peak.gpt_step_sizes(**GPT2, sequence=1024, micro_batch=6)
    assert step_peak.step_peak_bytes(step) < 80e9 < step_peak.step_peak_bytes(step, keep_gradients=True)
    seven = step_peak.gpt_step_sizes(**GPT2, sequence=1024, micro_batch=7)
    assert step_peak.step_peak_bytes(seven) > 80e9


@settings(max_examples=examples(100), deadline=None)
@given(sizes(), st.sampled_from(step_timeline.POLICIES), st.booleans(), st.integers(1, 64))
def test_places_do_not_overlap_and_hold_the_peak(
    step: step_peak.StepSizes, policy: str, segments: bool, granule: int
) -> None:
    line = step_timeline.step_timeline(step)
    needed = arena_bytes(line.tensors, policy=policy, segments=segments, granule_bytes=granule)
    rounded = sum(-(-tensor.bytes // granule) * granule for tensor in line.tensors)
    assert line.peak_bytes <= needed <= rounded


def naive_arena(tensors: list[Tensor]) -> int:
    """First fit by trying every address that is free of live tensors."""
    live: list[tuple[int, int, Tensor]] = []
    longest = 0
    for tensor in sorted(tensors, key=lambda each: each.made):
        live = [(start, end, other) for start, end, other in live if other.freed is None or other.freed > tensor.made]
        starts = [0, *(end for _, end, _ in live)]
        fits = [
            start for start in starts if all(start + tensor.bytes <= other or end <= start for other, end, _ in live)
        ]
        place = min(fits)
        live.append((place, place + tensor.bytes, tensor))
        longest = max(longest, place + tensor.bytes)
    return longest


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_first_fit_by_trying_every_address(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 14))
    order = data.draw(st.permutations(range(2 * count)))
    pairs = [sorted(order[2 * number : 2 * number + 2]) for number in range(count)]
    tensors = [
        Tensor(f"{number}", "temporary", data.draw(st.integers(1, 9)), made, freed)
        for number, (made, freed) in enumerate(pairs)
    ]
    assert arena_bytes(tensors, policy="first fit", granule_bytes=1) == naive_arena(tensors)


def test_segments_do_not_merge() -> None:
    small = [Tensor("a", "temporary", 4, 0, 2), Tensor("b", "temporary", 4, 1, 3)]
    large = Tensor("c", "temporary", 8, 4, None)
    assert arena_bytes([*small, large], granule_bytes=1) == 8
    assert arena_bytes([*small, large], granule_bytes=1, segments=True) == 16
    assert arena_bytes([Tensor("c", "temporary", 8, 0, 1), *[Tensor("a", "temporary", 4, 2, 4)]], segments=True) == 512


@pytest.mark.nightly
def test_growing_lengths_waste_segments_and_shrinking_ones_do_not() -> None:
    steps = [
        step_timeline.step_timeline(step_peak.gpt_step_sizes(**GPT2, sequence=length, micro_batch=4))
        for length in (512, 640, 768, 896, 1024)
    ]
    growing, shrinking = (arena_bytes(in_sequence(order), segments=True) for order in (steps, steps[::-1]))
    assert growing > 1.4 * shrinking
    assert all(earlier.peak_bytes < later.peak_bytes for earlier, later in pairwise(steps))
    assert arena_bytes(in_sequence(steps)) == pytest.approx(steps[-1].peak_bytes, rel=1e-3)


def test_steps_in_sequence_keep_what_lasts_once() -> None:
    line = step_timeline.step_timeline(step_peak.gpt_step_sizes(**GPT2 | {"layers": 2}, sequence=8, micro_batch=1))
    tensors = in_sequence([line, line, line])
    lasting = [tensor for tensor in tensors if tensor.freed is None]
    assert sum(tensor.bytes for tensor in lasting) == line.moments[-1].total
    assert len(tensors) == 3 * len(line.tensors) - 2 * len(lasting)
    times = [tensor.made for tensor in tensors] + [t.freed for t in tensors if t.freed is not None]
    assert len(set(times)) == len(times)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: step_peak.gpt_step_sizes(**GPT2 | {"layers": 0}, sequence=1, micro_batch=1), "layers"),
        (lambda: step_peak.gpt_step_sizes(**GPT2 | {"vocabulary": -1}, sequence=1, micro_batch=1), "vocabulary"),
        (lambda: step_peak.gpt_step_sizes(**GPT2 | {"positions": -1}, sequence=1, micro_batch=1), "positions"),
        (lambda: step_peak.gpt_step_sizes(**GPT2, sequence=1, micro_batch=1, recipe="cheap"), "recipe"),
        (lambda: arena_bytes([], policy="worst fit"), "policy"),
        (lambda: arena_bytes([], granule_bytes=0), "granule_bytes"),
        (lambda: in_sequence([]), "timelines"),
        (
            lambda: in_sequence([MemoryTimeline((), (Tensor("a", "x", 1, 0, None),)), MemoryTimeline((), ())]),
            "timelines",
        ),
    ],
)
def test_bad_input_is_named(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()


def test_bad_choices_are_named() -> None:
    step = step_peak.gpt_step_sizes(**GPT2 | {"layers": 1}, sequence=1, micro_batch=1)
    for wrong in ({"keep_gradients": 1}, {"first_step": None}, {"update_bytes_per_parameter": -1}):
        for function in (step_peak.step_peak_bytes, step_timeline.step_timeline):
            with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
                function(step, **wrong)


@settings(max_examples=examples(100), deadline=None)
@given(sizes(), choices)
def test_the_kinds_at_the_peak_are_the_timeline_s(step: step_peak.StepSizes, more: dict[str, Any]) -> None:
    line = step_timeline.step_timeline(step, **more)
    parts = step_peak.step_peak_parts(step, **more)
    assert dict(line.peak.held) in [kinds for kinds in parts.values() if sum(kinds.values()) == line.peak_bytes]


@settings(max_examples=examples(30), deadline=None)
@given(sizes(), st.integers(1, 5), st.sampled_from([0, 1, 2, 3]), st.sampled_from(sorted(SIMULATED)))
def test_sharded_state_and_buffers_are_those_of_ranks_that_train(
    step: step_peak.StepSizes, ranks: int, stage: int, recipe: str
) -> None:
    step = replace(step, recipe=RECIPES[recipe], layers=min(step.layers, 2))
    units = [step.outside_parameters] + step.layers * [step.layer_parameters]
    given_gradients = GivenGradients(np.ones((1, 1, ranks, sum(units))), units=units)
    run = run_sharded_adam(given_gradients, [np.zeros(unit) for unit in units], ranks=ranks, stage=stage, recipe=recipe)
    held = {kind: int(sizes[0]) for kind, sizes in run.account.kind_peak_bytes.items()}
    parts = step_peak.step_peak_parts(step, ranks=ranks, stage=stage)
    for kind in ("parameters", "gradients", "optimizer"):
        assert parts["step"][kind] == held[kind]
    whole = step_peak.step_peak_parts(step)
    buffers = [parts[moment]["temporary"] - whole[moment]["temporary"] for moment in ("loss", "last backward")]
    assert max(buffers) == held["buffers"]
