"""Exercise: merge what two blocks of keys leave behind for one query."""

from __future__ import annotations

import math
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake
from snippets.parallelism.sequence.softmax_merge import EMPTY, SoftmaxPart, merge_parts

Part = tuple[float, float, list[float]]


def merge_blocks(*, first: Part, second: Part) -> Part:
    """Merge what two blocks of keys leave behind for one query.

    A block leaves behind its largest score m, the sum of exp(score - m), and
    the average of its values, weighted by these exponentials. A block without
    keys leaves behind minus infinity, 0 and zeros.

    Args:
        first: m, the sum and the average of the one block, a list of numbers.
        second: the same of the other; its average is as long.

    Returns:
        m, the sum and the average of both blocks together.

    >>> merge_blocks(first=(0.0, 1.0, [2.0]), second=(0.0, 3.0, [6.0]))
    (0.0, 4.0, [5.0])
    """
    m = max(first[0], second[0])
    if m == -math.inf:
        return first
    a, b = first[1] * math.exp(first[0] - m), second[1] * math.exp(second[0] - m)
    return m, a + b, [(a * x + b * y) / (a + b) for x, y in zip(first[2], second[2], strict=True)]


def by_the_book(*, first: Part, second: Part) -> Part:
    """Merge by the book's function, whose laws and whose agreement with whole rows of scores are tested."""
    parts = [SoftmaxPart(m, total, tuple(mean)) if total else EMPTY for m, total, mean in (first, second)]
    merged = merge_parts(*parts)
    return merged.largest, merged.total, list(merged.mean) or [0.0] * len(first[2])


def pair(*parts: tuple[float, float, list[float]]) -> Inputs:
    return {"first": parts[0], "second": parts[1]}


def parts(st: Any) -> Any:
    """Return two blocks whose averages are equally long; now and then one, or both, without keys."""

    def of(length: int) -> Any:
        mean = st.lists(st.integers(-9, 9).map(float), min_size=length, max_size=length)
        total = st.integers(1, 9).map(float)
        full = st.builds(
            lambda m, apart, one, other: pair((m, *one), (m + apart, *other)),
            st.sampled_from([-800.0, -2.0, 0.0, 3.0, 900.0]),
            st.sampled_from([-1700.0, -16.0, -8.0, -4.0, -2.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, 12.0, 1600.0]),
            st.tuples(total, mean),
            st.tuples(total, mean),
        )
        one_block = st.tuples(st.sampled_from([-800.0, -0.5, 0.0, 900.0]), total, mean)
        empty = (-math.inf, 0.0, [0.0] * length)
        beside = st.builds(
            lambda block, turned: pair(*((empty, block)[:: -1 if turned else 1])), one_block, st.booleans()
        )
        return st.one_of(full, full, full, beside, st.just(pair(empty, empty)))

    return st.integers(1, 5).flatmap(of)


EXERCISE = Exercise(
    merge_blocks,
    number=1,
    level="easy",
    asked="m, the sum and the average of two blocks together",
    expected=by_the_book,
    examples=[
        pair((0.0, 1.0, [2.0]), (0.0, 3.0, [6.0])),
        pair((2.0, 1.0, [4.0]), (0.0, 3.0, [8.0])),
        pair((-math.inf, 0.0, [0.0]), (1.0, 2.0, [3.0])),
        pair((1.0, 2.0, [3.0]), (-math.inf, 0.0, [0.0])),
        pair((-math.inf, 0.0, [0.0]), (-math.inf, 0.0, [0.0])),
        pair((900.0, 2.0, [1.0, 2.0]), (899.0, 1.0, [5.0, 0.0])),
        pair((-800.0, 2.0, [1.0]), (-801.0, 4.0, [3.0])),
        pair((0.0, 1.0, [2.0]), (4.0, 3.0, [6.0])),
        pair((8.0, 1.0, [2.0]), (0.0, 3.0, [6.0])),
        pair((-9.0, 3.0, [9.0]), (7.0, 2.0, [-8.0])),
        pair((0.0, 3.0, [1.0, 2.0]), (2.0, 1.5, [3.0, 4.0])),
    ],
    inputs=parts,
    mistakes=[
        Mistake(
            "adds_sums_as_they_are",
            "The two sums have different largest scores taken out: bring both to the new m before you add them.",
            {"* math.exp(first[0] - m)": "", "* math.exp(second[0] - m)": ""},
        ),
        Mistake(
            "rescales_one_block",
            "Either block may have the smaller m: rescale both, by exp(own m − new m).",
            {"* math.exp(second[0] - m)": ""},
        ),
        Mistake(
            "averages_without_weights",
            "The averages count by the weight of their blocks, not equally.",
            {"[(a * x + b * y) / (a + b)": "[(x + y) / 2"},
        ),
        Mistake(
            "weighs_by_old_sums",
            "The sum is right, but the averages are weighted by the sums before they were rescaled.",
            {"[(a * x + b * y) / (a + b)": "[(first[1] * x + second[1] * y) / (first[1] + second[1])"},
        ),
        Mistake(
            "does_not_divide",
            "That is the weighted sum of the values; the average is this divided by the sum of the weights.",
            {"(a * x + b * y) / (a + b)": "a * x + b * y"},
        ),
        Mistake(
            "wrong_sign",
            "The signs are turned: exp(own m − new m) is at most 1.",
            {
                "math.exp(first[0] - m)": "math.exp(min(m - first[0], 700))",
                "math.exp(second[0] - m)": "math.exp(min(m - second[0], 700))",
            },
        ),
        Mistake(
            "drops_the_smaller",
            "The block with the smaller m counts too, with a smaller weight.",
            {"    a, b = ": "    if first[0] != second[0]:\n        return max(first, second)\n    a, b = "},
        ),
        Mistake("says_one_thing", "This is right for one input only.", lambda **_: (0.0, 4.0, [5.0])),
    ],
)
