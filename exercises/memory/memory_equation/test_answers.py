"""Grader of chapter 21's exercises."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint


def peak_of_prefixes(*, events: list[tuple[str, int]]) -> tuple[int, list[str]]:
    """Add up every beginning of the events anew, and list who was allocated in the first of the largest, not freed."""
    totals = [sum(change for _, change in events[:end]) for end in range(len(events) + 1)]
    worst = events[: totals.index(max(totals))]
    held = [
        name for place, (name, change) in enumerate(worst) if change > 0 and (name, -change) not in worst[place + 1 :]
    ]
    return max(totals), held


def bytes_of_tensors(
    *, sequence: int, micro_batch: int, hidden: int, heads: int, key_value_heads: int, width: int
) -> int:
    """List the tensors that the layer keeps, and add them up."""
    tokens = (sequence, micro_batch)
    head = hidden // heads
    tensors = [
        ("input of the first norm", (*tokens, hidden), 2),
        ("input of the three projections", (*tokens, hidden), 2),
        ("queries", (*tokens, heads, head), 2),
        ("keys", (*tokens, key_value_heads, head), 2),
        ("values", (*tokens, key_value_heads, head), 2),
        ("log-sum-exp", (*tokens, heads), 4),
        ("input of the output projection", (*tokens, heads, head), 2),
        ("input of the second norm", (*tokens, hidden), 2),
        ("input of W₁ and W₂", (*tokens, hidden), 2),
        ("output of W₁", (*tokens, width), 2),
        ("output of W₂", (*tokens, width), 2),
        ("output of the silu", (*tokens, width), 2),
        ("input of W₃", (*tokens, width), 2),
    ]
    return sum(math.prod(shape) * size for _, shape, size in tensors)


def first_that_does_not_fit(
    *, memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int
) -> int:
    """Add one sequence after the other."""
    peaks = (state_bytes + sequences * (layers * layer_bytes + other_bytes) for sequences in count(1))
    return next(sequences for sequences, peak in enumerate(peaks) if peak > memory_bytes)


def snapshots() -> Any:
    from hypothesis import strategies as st

    def events(switches: list[tuple[str, int]]) -> dict[str, Any]:
        held: dict[str, int] = {}
        listed = []
        for name, size in switches:
            change = -held.pop(name) if name in held else held.setdefault(name, size)
            listed.append((name, change))
        return {"events": listed}

    return st.builds(events, st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 5)), max_size=9))


def layer_sizes() -> Any:
    from hypothesis import strategies as st

    def sizes(sequence: int, micro_batch: int, groups: int, each: int, head: int, width: int) -> dict[str, int]:
        heads = groups * each
        return {
            "sequence": sequence,
            "micro_batch": micro_batch,
            "hidden": heads * head,
            "heads": heads,
            "key_value_heads": groups,
            "width": width,
        }

    small = st.integers(1, 3)
    return st.builds(sizes, st.integers(1, 6), small, small, small, st.integers(1, 4), st.integers(1, 9))


def devices() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries(
        {
            "memory_bytes": st.integers(0, 200),
            "state_bytes": st.integers(0, 100),
            "layers": st.integers(1, 4),
            "layer_bytes": st.integers(1, 9),
            "other_bytes": st.integers(0, 9),
        }
    )


def device(memory_bytes: int, state_bytes: int, layers: int, layer_bytes: int, other_bytes: int) -> dict[str, int]:
    return {
        "memory_bytes": memory_bytes,
        "state_bytes": state_bytes,
        "layers": layers,
        "layer_bytes": layer_bytes,
        "other_bytes": other_bytes,
    }


ONES = ("sequence", "micro_batch", "hidden", "heads", "key_value_heads", "width")
LLAMA_3_8B = {"hidden": 4096, "heads": 32, "key_value_heads": 8, "width": 14336}

EXERCISES = [
    Exercise(
        name="peak_and_live",
        number=1,
        asked="the most bytes held at one time, and the tensors held then",
        expected=peak_of_prefixes,
        examples=[
            {"events": []},
            {"events": [("a", 1)]},
            {"events": [("a", 1), ("b", 2), ("b", -2)]},
            {"events": [("a", 1), ("a", -1), ("b", 1)]},
            {"events": [("a", 1), ("b", 1), ("a", -1), ("a", 2)]},
        ],
        inputs=snapshots,
        hints=(
            Hint(
                "Walk through the events with a running total. When is it largest?",
                "21-memory-equation.md#the-peak-is-not-the-sum",
            ),
            Hint(
                "Keep the tensors that are held in a dict by name: it remembers the order in which they came.",
                "21-memory-equation.md#the-peak-is-not-the-sum",
            ),
            Hint(
                "Whenever the total is larger than ever before (not: as large), copy the dict's names. "
                "Delete a name when it is freed, so that it comes last if it is used again.",
                "21-memory-equation.md#the-peak-is-not-the-sum",
            ),
        ),
    ),
    Exercise(
        name="llama_layer_bytes",
        number=2,
        asked="the bytes that a layer of Llama keeps for its backward pass",
        expected=bytes_of_tensors,
        examples=[
            dict.fromkeys(ONES, 1),
            {"sequence": 3, "micro_batch": 2, "hidden": 8, "heads": 4, "key_value_heads": 2, "width": 5},
            {"sequence": 8192, "micro_batch": 1, **LLAMA_3_8B},
        ],
        inputs=layer_sizes,
        hints=(
            Hint(
                "Follow the layer from its input to its output, and ask of each operation what its derivative needs.",
                "21-memory-equation.md#what-a-layer-keeps",
            ),
            Hint(
                "Tensors come in three widths: the stream's, that of keys and values, and the inner width. "
                "Flash attention adds one float32 for each token and head.",
                "21-memory-equation.md#without-the-scores",
            ),
            Hint(
                "Six of the stream's width (both norms' inputs, both blocks' inputs, the queries, the heads' output), "
                "keys and values of key_value_heads · hidden / heads, four of the inner width, each of 2 bytes.",
                "21-memory-equation.md#what-a-layer-keeps",
            ),
        ),
        units={"result": "bytes"},
    ),
    Exercise(
        name="largest_micro_batch",
        number=3,
        asked="the most sequences of a micro-batch whose peak fits",
        expected=first_that_does_not_fit,
        examples=[
            device(1, 0, 1, 1, 0),
            device(0, 0, 1, 1, 0),
            device(5, 9, 1, 1, 0),
            device(26, 2, 3, 2, 2),
            device(31, 2, 3, 2, 2),
            device(80 * 10**9, 14 * 1557611200, 48, 55705600, 423181312),
        ],
        inputs=devices,
        level="easy",
        hints=(
            Hint("What is left of the memory for sequences?", "21-memory-equation.md#six-terms"),
            Hint(
                "What does one sequence cost in all, and how many such costs does the rest hold?",
                "21-memory-equation.md#the-peak-is-not-the-sum",
            ),
            Hint(
                "Divide, rounding down, memory minus state (0 at least) by layers · layer_bytes + other_bytes.",
                "21-memory-equation.md#the-peak-is-not-the-sum",
            ),
        ),
        units={"result": "sequences"},
    ),
]

test_answer = graded(EXERCISES)
