"""Grader of chapter 5: answers against exact fractions, the longest wait of a link, and a priced ring."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint
from snippets.collectives.algorithms import build
from snippets.collectives.schedule_cost import price

PAGE = "05-alpha-beta.md"


def least_relative_errors(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> dict[str, float]:
    """Divide each equation α + s·n = T by T, and solve the normal equations by Cramer's rule in exact fractions."""
    rows = [
        (1 / Fraction(time), Fraction(size) / Fraction(time)) for size, time in zip(sizes_bytes, times_s, strict=True)
    ]
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(row[i] for row in rows) for i in (0, 1))
    whole = aa * bb - ab * ab
    return {"latency": float((a * bb - b * ab) / whole), "bandwidth": float(whole / (aa * b - ab * a))}


def observe_fit(function: Any, **inputs: Any) -> dict[str, Any]:
    shown = function(**inputs)
    if not isinstance(shown, tuple | list) or len(shown) != 2:
        return {"latency": shown, "bandwidth": "missing"}
    return {"latency": shown[0], "bandwidth": shown[1]}


def measured_links() -> Any:
    """Return a strategy of measurements of a link whose times are up to a tenth off."""
    from hypothesis import strategies as st

    def times(link: tuple[int, int, list[int], list[int]]) -> dict[str, list[float]]:
        latency_us, gb_per_s, sizes, off = link
        ideal = [latency_us * 1e-6 + size / (gb_per_s * 1e9) for size in sizes]
        return {
            "sizes_bytes": [float(size) for size in sizes],
            "times_s": [time * (1 + percent / 100) for time, percent in zip(ideal, off, strict=True)],
        }

    def links(count: int) -> Any:
        sizes = st.just([*(16**power * 1024 for power in range(count)), 10**9])
        off = st.lists(st.integers(-10, 10), min_size=count + 1, max_size=count + 1)
        return st.tuples(st.integers(1, 20), st.integers(1, 50), sizes, off)

    return st.integers(2, 5).flatmap(links).map(times)


def longest_wait_s(
    layers: Sequence[tuple[float, float]], *, bucket_bytes: float, latency_s: float, bandwidth_bytes_per_s: float
) -> float:
    """The largest of: a bucket is full, and from there on the link never rests. No clock is advanced."""
    filled = list(accumulate((size for _, size in layers), initial=0.0))
    cuts = [0]
    for at in range(1, len(filled)):
        if filled[at] - filled[cuts[-1]] >= bucket_bytes or at == len(layers):
            cuts.append(at)
    sent = filled[-1] if layers else 0.0
    return max(
        (
            layers[stop - 1][0]
            + (len(cuts) - first - 1) * latency_s
            + (sent - filled[cuts[first]]) / bandwidth_bytes_per_s
            for first, stop in enumerate(cuts[1:])
        ),
        default=0.0,
    )


def backward_passes() -> Any:
    from hypothesis import strategies as st

    def ready(layers: list[tuple[int, int]]) -> list[tuple[int, int]]:
        seconds = accumulate(pause for pause, _ in layers)
        return list(zip(seconds, (size for _, size in layers), strict=True))

    return st.fixed_dictionaries(
        {
            "layers": st.lists(st.tuples(st.integers(0, 6), st.integers(1, 8)), max_size=6).map(ready),
            "bucket_bytes": st.integers(1, 16),
            "latency_s": st.integers(0, 4),
            "bandwidth_bytes_per_s": st.sampled_from([1, 2, 4]),
        }
    )


@cache
def ring_line(ranks: int) -> tuple[int, Fraction]:
    """Steps and bytes on the wire for each byte of the vector, counted on the messages of a ring all-reduce."""
    ring = build("all_reduce", "ring", ranks=ranks, length=ranks)
    terms = price(ring, element_bytes=1, latency_s=1.0, bandwidth_bytes_per_s=1.0).terms
    return terms.steps, Fraction(terms.wire_bytes, ranks)


def equal_halves_bytes(*, ranks: int, latency_s: float, bandwidth_bytes_per_s: float) -> float:
    """Where the seconds that a priced ring waits are those for which it moves."""
    steps, bytes_each = ring_line(ranks)
    return float(steps * Fraction(latency_s) * Fraction(bandwidth_bytes_per_s) / bytes_each)


def links_of_rings() -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries(
        {
            "ranks": st.integers(2, 16),
            "latency_s": st.integers(1, 20).map(lambda us: us * 1e-6),
            "bandwidth_bytes_per_s": st.integers(1, 50).map(lambda gb: gb * 1e9),
        }
    )


EXERCISES = [
    Exercise(
        name="fit_line",
        number=1,
        asked="α and β of the line through the times, with weights 1/T²",
        expected=least_relative_errors,
        observe=observe_fit,
        examples=[
            {"sizes_bytes": [0.0, 1000.0], "times_s": [1e-6, 2e-6]},
            {"sizes_bytes": [0.0, 1000.0, 4000.0], "times_s": [2e-6, 4e-6, 8e-6]},
            {"sizes_bytes": [64.0, 4e3, 64e3, 1e6, 10e6], "times_s": [12.1e-6, 12.4e-6, 14.7e-6, 53e-6, 412e-6]},
        ],
        inputs=measured_links,
        units={"latency": "s", "bandwidth": "bytes/s"},
        relative_tolerance=1e-8,
        hints=(
            Hint(
                "T is a straight line in n. Which of its two numbers is α, and what is its slope?",
                f"{PAGE}#two-numbers",
            ),
            Hint(
                "Slope and level are made of weighted means ⟨x⟩ = Σ w·x / Σ w, with w = 1/T² of each message.",
                f"{PAGE}#a-line-through-the-points",
            ),
            Hint(
                "s = (⟨nT⟩ − ⟨n⟩⟨T⟩) / (⟨n²⟩ − ⟨n⟩²) and α = ⟨T⟩ − s·⟨n⟩. The slope s is in seconds per byte: β = 1/s.",
                f"{PAGE}#a-line-through-the-points",
            ),
        ),
    ),
    Exercise(
        name="step_end_s",
        number=2,
        asked="the second at which the last bucket has been sent",
        expected=longest_wait_s,
        examples=[
            {"layers": [(1, 2)], "bucket_bytes": 2, "latency_s": 1, "bandwidth_bytes_per_s": 1},
            {"layers": [], "bucket_bytes": 2, "latency_s": 1, "bandwidth_bytes_per_s": 1},
            {"layers": [(0, 2), (0, 2), (0, 1)], "bucket_bytes": 4, "latency_s": 1, "bandwidth_bytes_per_s": 1},
            {"layers": [(2, 4), (3, 4), (9, 4)], "bucket_bytes": 4, "latency_s": 1, "bandwidth_bytes_per_s": 2},
            {"layers": [(1, 3), (2, 3), (7, 3)], "bucket_bytes": 5, "latency_s": 2, "bandwidth_bytes_per_s": 1},
        ],
        inputs=backward_passes,
        units={"result": "s"},
        level="hard",
        hints=(
            Hint(
                "Keep two things as you go through the layers: what the bucket holds, and when the link is free.",
                f"{PAGE}#buckets",
            ),
            Hint("A bucket starts when it is full and the link is free, whichever is later.", f"{PAGE}#buckets"),
            Hint(
                "For each layer add its bytes; if the bucket holds bucket_bytes or more, or it is the last layer, set "
                "free = max(free, ready) + α + held/β and held = 0. The answer is free.",
                f"{PAGE}#buckets",
            ),
        ),
    ),
    Exercise(
        name="latency_rules_below_bytes",
        number=3,
        asked="the bytes below which more than half of a ring all-reduce's time is latency",
        expected=equal_halves_bytes,
        examples=[
            {"ranks": 2, "latency_s": 1e-6, "bandwidth_bytes_per_s": 1e9},
            {"ranks": 3, "latency_s": 2e-6, "bandwidth_bytes_per_s": 1e9},
            {"ranks": 8, "latency_s": 5e-6, "bandwidth_bytes_per_s": 50e9},
        ],
        inputs=links_of_rings,
        units={"result": "bytes"},
        level="easy",
        hints=(
            Hint(
                "For one message you know the size at which half of the time is latency.",
                f"{PAGE}#the-size-that-halves",
            ),
            Hint(
                "Every step of a ring is the same message. How many bytes does it hold, of n on N ranks?",
                f"{PAGE}#two-numbers",
            ),
            Hint(
                "A step waits α and moves n/(Nβ) seconds; set the two equal and solve for n.",
                f"{PAGE}#the-size-that-halves",
            ),
        ),
    ),
]

test_answer = graded(EXERCISES)
