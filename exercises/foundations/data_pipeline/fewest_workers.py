"""Exercise: the fewest workers that keep a node's GPUs in images, by Little's law."""

from __future__ import annotations

import math
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake


def fewest_workers(*, gpus: int, images_per_s: int, image_us: int) -> int:
    """Return the fewest workers with which the GPUs of a node need not wait.

    All times are equal. The workers serve all GPUs of the node together, and
    each makes one image after the other.

    Args:
        gpus: GPUs of the node.
        images_per_s: images that each GPU takes in a second.
        image_us: microseconds that a worker takes for one image.

    Returns:
        A whole number of workers, at least 1.

    >>> fewest_workers(gpus=1, images_per_s=5, image_us=500_000)
    3
    """
    in_the_making_us = gpus * images_per_s * image_us
    return -(-in_the_making_us // 1_000_000)


def counted_up(*, gpus: int, images_per_s: int, image_us: int) -> int:
    """Add one worker's images a second to the others' until they are enough, in exact fractions."""
    workers, made_per_s = 0, Fraction(0)
    while made_per_s < gpus * images_per_s:
        workers, made_per_s = workers + 1, made_per_s + Fraction(1_000_000, image_us)
    return workers


def node(gpus: int, images_per_s: int, image_us: int) -> Inputs:
    return {"gpus": gpus, "images_per_s": images_per_s, "image_us": image_us}


def taught() -> str:
    own = node(8, 1280, 3594)
    together, each = fewest_workers(**own), fewest_workers(**{**own, "gpus": 1})
    return (
        f"The question's node needs {together} workers. A loader for each of its 8 GPUs would need {each} each, "
        f"{8 * each}: rounded up once is fewer than rounded up eight times."
    )


EXERCISE = Exercise(
    fewest_workers,
    number=1,
    level="easy",
    asked="the fewest workers with which no GPU of the node waits",
    expected=counted_up,
    examples=[
        node(1, 5, 500_000),
        node(1, 4, 500_000),
        node(2, 3, 300_000),
        node(1, 3, 333_333),
        node(1, 3, 333_334),
        node(1, 101, 9901),  # just more than one worker makes
        node(64, 100, 1000),  # more GPUs than a node has
        node(4, 1000, 250),
        node(4, 1000, 251),
        node(3, 7, 100),
        node(4, 100, 17_500),  # 7 workers; as floats 4 * 100 * (17_500 / 1e6) is above 7
        node(3, 100, 30_000),
        node(7, 100, 10_000),
        node(1, 400, 17_500),
        node(8, 1280, 3594),
    ],
    inputs=lambda st: {
        "gpus": st.integers(1, 8),
        "images_per_s": st.integers(1, 400),
        "image_us": st.integers(100, 20_000),
    },
    units={"result": "workers"},
    taught=taught,
    mistakes=[
        Mistake(
            "rounds_down",
            "A part of a worker short is a worker short: the GPUs then wait for that part. Round up.",
            {"-(-in_the_making_us // 1_000_000)": "in_the_making_us // 1_000_000"},
        ),
        Mistake(
            "rounds_down_to_at_least_one",
            "At least 1, but rounded down: a part of a worker short is a worker short. Round up.",
            {"-(-in_the_making_us // 1_000_000)": "max(1, in_the_making_us // 1_000_000)"},
        ),
        Mistake(
            "rounds_to_the_nearest_but_one",
            "At least 1, but rounded to the nearest number the workers are sometimes too few; round up.",
            {"-(-in_the_making_us // 1_000_000)": "max(1, round(in_the_making_us / 1_000_000))"},
        ),
        Mistake(
            "counts_in_floats",
            "Right but for rounding: as floats, a product that should be a whole number may lie just above it. "
            "Multiply whole numbers first, and divide last.",
            lambda *, gpus, images_per_s, image_us: max(1, math.ceil(gpus * images_per_s * (image_us / 1e6))),
        ),
        Mistake(
            "rounds_to_the_nearest",
            "Rounded to the nearest number the workers are sometimes too few; round up.",
            {"-(-in_the_making_us // 1_000_000)": "round(in_the_making_us / 1_000_000)"},
        ),
        Mistake(
            "adds_one_always",
            "Where the images in the making come out as a whole number, that many workers are enough.",
            {"-(-in_the_making_us // 1_000_000)": "in_the_making_us // 1_000_000 + 1"},
        ),
        Mistake(
            "serves_one_gpu",
            "These workers serve one GPU; the node has more of them, which take as many images each.",
            {"gpus * images_per_s": "images_per_s"},
        ),
        Mistake(
            "rounds_for_each_gpu",
            "The workers serve all GPUs together, so their number needn't be a multiple of the GPUs': round up once, "
            "for the whole node.",
            lambda *, gpus, images_per_s, image_us: gpus * -(-images_per_s * image_us // 1_000_000),
        ),
        Mistake(
            "takes_milliseconds",
            "A second has 1,000,000 microseconds.",
            {"-(-in_the_making_us // 1_000_000)": "-(-in_the_making_us // 1_000)"},
        ),
        Mistake(
            "takes_the_rate_of_a_worker",
            "This is how many images one worker makes in a second, not how many workers there must be.",
            lambda *, gpus, images_per_s, image_us: -(-1_000_000 // image_us),
        ),
    ],
)
