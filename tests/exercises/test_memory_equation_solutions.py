"""Solutions of chapter 21 against the simulator and against arrays of the real shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from exercises.memory.memory_equation import solution
from snippets.memory.step_peak import gpt_step_sizes, step_peak_bytes
from snippets.memory.step_timeline import step_timeline

pytestmark = pytest.mark.nightly  # the graders' oracles are others (tests/exercises/test_graders.py)


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(1, 5), st.integers(1, 30), st.sampled_from(["none", "full"]))
def test_peak_and_live_on_a_simulated_step(layers: int, sequence: int, recomputation: str) -> None:
    sizes = gpt_step_sizes(
        layers=layers,
        hidden=8,
        heads=2,
        vocabulary=30,
        sequence=sequence,
        micro_batch=1,
        recomputation=recomputation,
    )
    line = step_timeline(sizes)
    events = {tensor.made: (f"{tensor.made} {tensor.name}", tensor.bytes) for tensor in line.tensors}
    for tensor in line.tensors:
        if tensor.freed is not None:
            events[tensor.freed] = (f"{tensor.made} {tensor.name}", -tensor.bytes)
    peak, live = solution.peak_and_live([events[time] for time in sorted(events)])
    assert peak == line.peak_bytes
    sizes_of = dict(events[tensor.made] for tensor in line.tensors)
    assert sum(sizes_of[name] for name in live) == peak


def test_peak_and_live_by_hand() -> None:
    events = [("a", 3), ("b", 2), ("a", -3), ("c", 3), ("b", -2), ("d", 1)]
    assert solution.peak_and_live(events) == (5, ["a", "b"])
    assert solution.peak_and_live([]) == (0, [])


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(1, 6), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 9))
def test_llama_layer_by_its_arrays(s: int, b: int, groups: int, each: int, head_size: int, width: int) -> None:
    heads, half = groups * each, np.float16
    hidden = heads * head_size
    arrays: list[np.ndarray[Any, Any]] = [
        np.empty((s, b, hidden), half),  # first norm's input
        np.empty((s, b, hidden), half),  # input of the three projections
        np.empty((b, heads, s, head_size), half),
        np.empty((b, groups, s, head_size), half),
        np.empty((b, groups, s, head_size), half),
        np.empty((b, heads, s), np.float32),
        np.empty((s, b, hidden), half),  # output projection's input
        np.empty((s, b, hidden), half),  # second norm's input
        np.empty((s, b, hidden), half),  # input of both matrices
        *(np.empty((s, b, width), half) for _ in range(4)),
    ]
    got = solution.llama_layer_bytes(
        sequence=s, micro_batch=b, hidden=hidden, heads=heads, key_value_heads=groups, width=width
    )
    assert got == sum(array.nbytes for array in arrays)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 5 * 10**8), st.sampled_from(["standard", "flash"]))
def test_largest_micro_batch_by_trying_them(memory: int, attention: str) -> None:
    model: dict[str, Any] = {"layers": 4, "hidden": 256, "heads": 4, "vocabulary": 1000, "sequence": 128}
    one = gpt_step_sizes(**model, micro_batch=1, attention=attention)
    got = solution.largest_micro_batch(
        memory_bytes=memory,
        state_bytes=14 * one.parameters + 2 * one.outside_parameters,
        layers=4,
        layer_bytes=one.layer_bytes,
        other_bytes=one.embedding_bytes + one.head_bytes + one.logits_gradient_bytes + one.stream_bytes,
    )

    def fits(sequences: int) -> bool:
        sizes = gpt_step_sizes(**model, micro_batch=sequences, attention=attention)
        loss = next(m.total for m in step_timeline(sizes).moments if (m.task, m.phase) == ("loss", "backward"))
        assert loss <= step_peak_bytes(sizes)
        return loss <= memory

    assert got == 0 or fits(got)
    assert not fits(got + 1)
