"""Exercise: the bytes of an optimizer's second moments, kept whole or factored."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from grader.exercise import Exercise, Mistake


def second_moment_bytes(
    shapes: Sequence[tuple[int, ...]],
    *,
    factored: bool,
    bytes_per_number: int = 4,
) -> int:
    """Count the bytes of the second moments that an optimizer keeps.

    Args:
        shapes: the parameters' shapes; a matrix has two dimensions.
        factored: whether a matrix has its means along rows and along columns
            kept, as in Adafactor, instead of one number for each entry. All
            other shapes are kept whole.
        bytes_per_number: bytes of one number.

    Returns:
        Bytes, of all parameters together.

    >>> second_moment_bytes([(10, 30), (30,)], factored=True)
    280
    """
    numbers = sum(sum(shape) if factored and len(shape) == 2 else math.prod(shape) for shape in shapes)
    return numbers * bytes_per_number


def numbers_kept(shapes: Sequence[tuple[int, ...]], factored: bool, bytes_per_number: int = 4) -> int:
    """Go through the entries of every parameter and note what is kept for each; count what is noted once."""
    kept: set[tuple[object, ...]] = set()
    for parameter, shape in enumerate(shapes):
        for entry in itertools.product(*map(range, shape)):
            means = [("row", entry[0]), ("column", entry[1])] if factored and len(shape) == 2 else [("entry", entry)]
            kept.update((parameter, *mean) for mean in means)
    return len(kept) * bytes_per_number


def taught() -> str:
    layer = [(12288, 36864), (12288, 12288), (12288, 49152), (49152, 12288)]
    whole, kept = (second_moment_bytes(layer, factored=factored) for factored in (False, True))
    return (
        f"{whole / 1e9:.2f} GB become {kept / 1e6:.2f} MB: sides are added up instead of multiplied. What is lost "
        "where J has not rank one, only training shows."
    )


EXERCISE = Exercise(
    second_moment_bytes,
    number=2,
    level="easy",
    asked="the bytes of the second moments, matrices by rows and columns where factored",
    expected=numbers_kept,
    examples=[
        {"shapes": [(2, 3)], "factored": True, "bytes_per_number": 4},
        {"shapes": [(2, 3)], "factored": False, "bytes_per_number": 2},
        {"shapes": [(4, 5), (5,), (2, 3, 4)], "factored": True, "bytes_per_number": 4},
        {"shapes": [(2, 5)], "factored": True},
        {"shapes": [()], "factored": True, "bytes_per_number": 8},
        {"shapes": [(1,)], "factored": False},
        {"shapes": [], "factored": False, "bytes_per_number": 4},
        # GPT-3's layer, in units of 1,024
        {"shapes": [(12, 36), (12, 12), (12, 48), (48, 12)], "factored": True, "bytes_per_number": 4},
    ],
    inputs=lambda st: {
        "shapes": st.lists(st.lists(st.integers(1, 5), max_size=3).map(tuple), min_size=1, max_size=4),
        "factored": st.booleans(),
        "bytes_per_number": st.sampled_from([2, 4, 8]),
    },
    units={"result": "bytes"},
    taught=taught,
    mistakes=[
        Mistake(
            "keeps_every_entry",
            "A factored matrix keeps a number for each row and for each column: r + c, not r·c.",
            {"sum(shape) if factored and len(shape) == 2 else ": ""},
        ),
        Mistake(
            "factors_every_shape",
            "Only matrices are factored: a shape of three dimensions is kept whole.",
            {"len(shape) == 2": "shape"},
        ),
        Mistake(
            "counts_numbers", "These are numbers, not bytes: multiply by the bytes of one.", {" * bytes_per_number": ""}
        ),
        Mistake(
            "keeps_the_rows_alone",
            "You counted the means of the rows alone; those of the columns are kept as well.",
            {"sum(shape) if": "shape[0] if"},
        ),
        Mistake(
            "always_factors",
            "You factored although factored is False: then every entry has its own second moment.",
            {"factored and ": ""},
        ),
    ],
)
