"""What exercise 5 of chapter A4 judges by is what coded messages take, and every design in time passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sampling import examples

from exercises.background.information.choose_code import (
    CHOICE,
    EXERCISE,
    LATE_GRADIENT,
    LLAMA,
    arrival_s,
    arrives_s,
    block_bits,
    choose_code,
    designs,
    fault,
    in_time,
)
from grader.judging import judge
from snippets.background.information.entropy_coder import huffman_lengths, prefix_words
from snippets.background.information.formulas import source_coding_bounds

assert isinstance(EXERCISE.inputs, list)
INPUTS: list[dict[str, Any]] = EXERCISE.inputs


@given(counts=st.lists(st.integers(1, 9), min_size=2, max_size=4), block=st.integers(1, 3))
@hypothesis_settings(max_examples=examples(30))
def test_mean_lengths_are_those_of_words_that_can_be_read_back(counts: list[int], block: int) -> None:
    weights = [math.prod(word) for word in product(counts, repeat=block)]
    lengths = huffman_lengths(weights)
    mean = np.dot(weights, lengths) / sum(weights) / block
    assert block_bits(tuple(counts), block) == pytest.approx(mean)
    least, most = source_coding_bounds([count / sum(counts) for count in counts], block=block)
    assert least - 1e-9 <= mean < most
    words = prefix_words(lengths)
    message = "".join(words[place] for place in range(len(words)) for _ in range(weights[place]))
    assert len(message) / sum(weights) / block == pytest.approx(mean)
    assert not any(a != b and b.startswith(a) for a in words for b in words)


@given(
    stages=st.lists(st.floats(0.01, 9), min_size=3, max_size=3).filter(lambda s: s[0] != s[1]),
    chunks=st.integers(1, 9),
)
def test_the_clock_is_the_formula(stages: list[float], chunks: int) -> None:
    first, middle, _ = stages
    ends = 2 * first + middle + (chunks - 1) * max(first, middle)
    assert arrival_s([first, middle, first], chunks) == pytest.approx(ends)


def test_all_designs_in_time_pass_and_no_others() -> None:
    for inputs in [*EXERCISE.examples, *INPUTS]:
        none = in_time(**inputs) is None
        for design in [*designs(inputs), None]:
            seen = CHOICE.observe(lambda design=design, **_: design, **inputs)
            right = none if design is None else arrives_s(design, inputs) <= inputs["limit_s"]
            assert (seen == CHOICE.expected(**inputs)) == right


def test_the_inputs_ask_for_all_kinds_of_designs() -> None:
    chosen = {choose_code(**inputs) for inputs in INPUTS}
    assert {None, ("fixed", 1), *(("huffman", block) for block in (1, 2, 3, 4, 6))} <= chosen


def test_the_question_s_numbers() -> None:
    times = {design: round(arrives_s(design, LLAMA), 4) for design in designs(LLAMA)}
    assert times == {("raw", 1): 0.3212, ("fixed", 1): 0.0803, ("huffman", 1): 0.0709, ("huffman", 2): 0.0708}
    assert sum(LATE_GRADIENT) == 8192


def best_entropy(counts: Sequence[int], **inputs: Any) -> Any:
    """Take Huffman's code wherever the entropy is below a fixed width."""
    total = sum(counts)
    bits = -sum(count / total * math.log2(count / total) for count in counts)
    return ("huffman", 1) if bits < math.ceil(math.log2(len(counts))) else ("fixed", 1)


def fewest_bytes(counts: Sequence[int], **inputs: Any) -> Any:
    """Take what sends the fewest bytes, however long it is coded."""
    every = list(designs({"counts": counts, **inputs}))
    fast = {"counts": counts, **inputs, "coder_bytes_per_s": 1e30}
    return min(every, key=lambda design: arrives_s(design, fast))


def fastest(counts: Sequence[int], **inputs: Any) -> Any:
    """Take what is fastest, even where it is late."""
    every = list(designs({"counts": counts, **inputs}))
    return min(every, key=lambda design: arrives_s(design, {"counts": counts, **inputs}))


def last_in_time(counts: Sequence[int], **inputs: Any) -> Any:
    """Take the last design that is in time: right, by another way than the solution's."""
    whole = {"counts": counts, **inputs}
    return next((d for d in reversed(list(designs(whole))) if arrives_s(d, whole) <= inputs["limit_s"]), None)


@pytest.mark.parametrize("answer", [best_entropy, fewest_bytes, fastest])
def test_wrong_answers_are_refused(answer: Any) -> None:
    verdict = judge(EXERCISE, answer)
    assert verdict.status == "wrong"


def test_another_right_answer_passes() -> None:
    assert judge(EXERCISE, last_in_time).status == "solved"
    assert in_time(**LLAMA) == "('huffman', 1) or ('huffman', 2)"


def test_a_design_that_is_late_is_named_with_its_seconds() -> None:
    assert fault(("fixed", 1), **LLAMA) == "('fixed', 1), 0.005303 s late"
    assert fault(("huffman", 3), **LLAMA) == "('huffman', 3): blocks have 1 to 2 numbers"
    assert fault(("raw", 2), **LLAMA) == "('raw', 2): with raw goes the block 1"
    without = {**LLAMA, "coder_bytes_per_s": None}
    assert fault(("huffman", 1), **without) == "('huffman', 1): there is no coder"
