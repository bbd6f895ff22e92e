"""Grader of chapter A2: estimates against sums over pairs in exact fractions, batches against a search from 1 on."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, count, permutations
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint, Observation

Vector = list[Fraction]


def exact(gradient: Any) -> Vector:
    return [Fraction(entry) for entry in gradient]


def square_distance(one: Vector, other: Vector) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))


def pair(value: Any, first: str, second: str) -> Observation:
    """Return the two entries of an answer under their names."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return {"a pair": False}
    return {"a pair": True, first: value[0], second: value[1]}


def gradient_of_all(shards: Any) -> Observation:
    """Take the mean over all draws; the variance from the distances of all pairs of draws, which need no mean."""
    drawn = [exact(gradient) for shard in shards for gradient in shard]
    size = len(drawn)
    mean = [sum(entry, Fraction(0)) / size for entry in zip(*drawn, strict=True)]
    apart = sum((square_distance(one, other) for one, other in combinations(drawn, 2)), Fraction(0))
    variance = float(apart / (size * size * (size - 1)))
    return pair(([float(entry) for entry in mean], variance), "batch gradient", "estimate of its variance")


def observe_batch_gradient(function: Any, shards: Any) -> Observation:
    return pair(function(shards=shards), "batch gradient", "estimate of its variance")


def gradients_of(size: int, *, least: int, most: int) -> Any:
    """Return a strategy of lists of gradients with ``size`` entries."""
    from hypothesis import strategies as st

    entry = st.integers(-4, 4).map(float)
    return st.lists(st.lists(entry, min_size=size, max_size=size), min_size=least, max_size=most)


def uneven_shards() -> Any:
    from hypothesis import strategies as st

    def dealt(size: int) -> Any:
        shards = st.lists(gradients_of(size, least=0, most=3), min_size=1, max_size=3)
        return st.fixed_dictionaries({"shards": shards.filter(lambda drawn: sum(map(len, drawn)) >= 2)})

    return st.integers(1, 2).flatmap(dealt)


def is_near_enough(batch: int, variance: Fraction, error: Fraction, population: int | None) -> bool:
    """Say whether σ²/B, without replacement times (M − B)/(M − 1), is at most e²."""
    if population is None or population == 1:
        return variance <= error**2 * batch or batch == population
    return variance * (population - batch) <= error**2 * batch * (population - 1)


def first_batch(variance: float, error: float, population: int | None = None) -> int:
    """Try batches of 1, 2, … examples in exact arithmetic."""
    noise, allowed = Fraction(variance), Fraction(error)
    return next(batch for batch in count(1) if is_near_enough(batch, noise, allowed, population))


def wanted_batches() -> Any:
    """Return inputs at which no batch reaches the error exactly, where rounding would decide."""
    from hypothesis import strategies as st

    def reaches_exactly(inputs: Any) -> bool:
        noise, square, members = Fraction(inputs["variance"]), Fraction(inputs["error"]) ** 2, inputs["population"]
        wanted = noise / square if members is None else members * noise / ((members - 1) * square + noise)
        return wanted.denominator == 1

    return st.fixed_dictionaries(
        {
            "variance": st.integers(0, 20).map(lambda whole: whole + 1 / 16),
            "error": st.sampled_from([0.5, 1.0, 2.0, 0.75]),
            "population": st.none() | st.integers(2, 40),
        }
    ).filter(lambda inputs: not reaches_exactly(inputs))


def noise_by_pairs(gradients: Any, batch_size: int) -> Observation:
    """Take both from pairs of different workers: half a mean square distance, and a mean product."""
    vectors = [exact(gradient) for gradient in gradients]
    pairs = list(permutations(vectors, 2))
    apart = sum((square_distance(one, other) for one, other in pairs), Fraction(0)) / len(pairs)
    product = sum((a * b for one, other in pairs for a, b in zip(one, other, strict=True)), Fraction(0)) / len(pairs)
    return pair((float(batch_size * apart / 2), float(product)), "σ²", "‖g‖²")


def observe_noise(function: Any, gradients: Any, batch_size: int) -> Observation:
    return pair(function(gradients=gradients, batch_size=batch_size), "σ²", "‖g‖²")


def workers_gradients() -> Any:
    from hypothesis import strategies as st

    gradients = st.integers(1, 2).flatmap(lambda size: gradients_of(size, least=2, most=4))
    return st.fixed_dictionaries({"gradients": gradients, "batch_size": st.integers(1, 8)})


def estimate_by_pairs(values: Any, controls: Any, control_mean: float) -> float:
    """Take the slope of least squares from the differences of all pairs of examples."""
    f, h = exact(values), exact(controls)
    pairs = list(combinations(zip(f, h, strict=True), 2))
    run = sum(((one[1] - other[1]) ** 2 for one, other in pairs), Fraction(0))
    rise = sum(((one[0] - other[0]) * (one[1] - other[1]) for one, other in pairs), Fraction(0))
    slope = rise / run if run else Fraction(0)
    size = len(f)
    return float(sum(f, Fraction(0)) / size - slope * (sum(h, Fraction(0)) / size - Fraction(control_mean)))


def values_and_controls() -> Any:
    from hypothesis import strategies as st

    number = st.integers(-4, 4).map(float)

    def measured(size: int) -> Any:
        row = st.lists(number, min_size=size, max_size=size)
        return st.fixed_dictionaries({"values": row, "controls": row, "control_mean": number})

    return st.integers(1, 5).flatmap(measured)


def normal_quantile(confidence: float) -> float:
    """Halve an interval until a standard normal number lies within ±z with this probability."""
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle / math.sqrt(2)) < confidence else (low, middle)
    return low


def interval_by_counts(first: Any, second: Any, confidence: float = 0.95) -> Observation:
    """Count what was gained and lost: the variance of the gain is ((b + c) − (b − c)²/n)/n²."""
    size = len(first)
    gained = sum(b and not a for a, b in zip(first, second, strict=True))
    lost = sum(a and not b for a, b in zip(first, second, strict=True))
    variance = (gained + lost - (gained - lost) ** 2 / size) / size**2
    middle, half = (gained - lost) / size, normal_quantile(confidence) * math.sqrt(variance)
    return pair((middle - half, middle + half), "lower end", "upper end")


def observe_interval(function: Any, **inputs: Any) -> Observation:
    return pair(function(**inputs), "lower end", "upper end")


def two_models() -> Any:
    from hypothesis import strategies as st

    def answered(size: int) -> Any:
        row = st.lists(st.booleans(), min_size=size, max_size=size)
        confidence = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
        return st.fixed_dictionaries({"first": row, "second": row, "confidence": confidence})

    return st.integers(1, 8).flatmap(answered)


PAGE = "a2-probability.md"

BATCH_GRADIENT = Exercise(
    name="batch_gradient",
    number=1,
    asked="the gradient of a batch in uneven shards, and an unbiased estimate of its variance",
    expected=gradient_of_all,
    observe=observe_batch_gradient,
    examples=[
        {"shards": [[[1.0], [3.0]]]},
        {"shards": [[[1.0, 0.0], [3.0, 2.0], [5.0, 4.0]], [[-1.0, 2.0]]]},
        {"shards": [[], [[2.0]], [[0.0], [1.0], [5.0]]]},
        {"shards": [[[2.0]], [[2.0]]]},
    ],
    inputs=uneven_shards,
    level="easy",
    hints=(
        Hint("By what are batches of different sizes weighted?", f"{PAGE}#what-more-workers-buy"),
        Hint(
            "The variance of a mean of n draws is σ²/n. What remains is to estimate σ² from the n draws.",
            f"{PAGE}#how-far-off",
        ),
        Hint(
            "Add the squared distances from the batch's own mean. Divide by n − 1 for σ², then by n.",
            f"{PAGE}#how-far-off",
        ),
    ),
)

BATCH_FOR_ERROR = Exercise(
    name="batch_for_error",
    number=2,
    asked="the smallest batch whose root-mean-square distance from the full gradient is at most the error",
    expected=first_batch,
    examples=[
        {"variance": 1.0, "error": 1.0, "population": None},
        {"variance": 16.0, "error": 2.0, "population": None},
        {"variance": 9.0625, "error": 0.5, "population": None},
        {"variance": 9.0625, "error": 0.5, "population": 20},
        {"variance": 0.0, "error": 1.0, "population": 5},
        {"variance": 9.0, "error": 0.5, "population": 1},
    ],
    inputs=wanted_batches,
    units={"result": "examples"},
    level="easy",
    hints=(
        Hint("Which formula gives the mean squared distance, each way of drawing?", f"{PAGE}#how-far-off"),
        Hint("Set it equal to the square of the error and solve for B.", f"{PAGE}#how-far-off"),
        Hint(
            "With replacement B = σ²/e²; without, M·σ² = B·((M − 1)·e² + σ²). Round up, to at least 1.",
            f"{PAGE}#how-far-off",
        ),
    ),
)

NOISE = Exercise(
    name="noise_from_workers",
    number=3,
    asked="unbiased estimates of σ² and ‖g‖² from the workers' batch gradients of one step",
    expected=noise_by_pairs,
    observe=observe_noise,
    examples=[
        {"gradients": [[1.0], [3.0]], "batch_size": 1},
        {"gradients": [[1.0, 0.0], [3.0, 1.0], [2.0, 5.0]], "batch_size": 4},
        {"gradients": [[2.0], [2.0]], "batch_size": 3},
    ],
    inputs=workers_gradients,
    level="hard",
    hints=(
        Hint(
            "What is the variance of a batch gradient, and what is that of the workers' average?",
            f"{PAGE}#what-more-workers-buy",
        ),
        Hint(
            "The distances from the workers' own average have the expectation (N − 1)·σ²/B, all N together.",
            f"{PAGE}#what-more-workers-buy",
        ),
        Hint(
            "σ² is B times these distances, squared and added, over N − 1; ‖g‖² is the average's square less σ²/(NB).",
            f"{PAGE}#what-more-workers-buy",
        ),
    ),
)

CONTROL = Exercise(
    name="control_variate_mean",
    number=4,
    asked="the mean of the values, corrected by controls of known mean with the best coefficient",
    expected=estimate_by_pairs,
    examples=[
        {"values": [1.0, 3.0], "controls": [1.0, 2.0], "control_mean": 3.0},
        {"values": [1.0, 2.0, 6.0], "controls": [0.0, 3.0, 3.0], "control_mean": 1.0},
        {"values": [1.0, 2.0, 6.0], "controls": [4.0, 4.0, 4.0], "control_mean": 0.0},
    ],
    inputs=values_and_controls,
    hints=(
        Hint("Write down the variance of f − u·h of one example.", f"{PAGE}#how-far-off"),
        Hint("It is a quadratic in u; where is its minimum?", f"{PAGE}#how-far-off"),
        Hint(
            "u is the sum of the products of the deviations of f and h, over the sum of the squares of those of h.",
            f"{PAGE}#how-far-off",
        ),
    ),
)

PAIRED = Exercise(
    name="paired_interval",
    number=5,
    asked="the normal interval of the second model's gain in accuracy on the same questions",
    expected=interval_by_counts,
    observe=observe_interval,
    examples=[
        {"first": [True], "second": [True], "confidence": 0.95},
        {"first": [False, True, False, True], "second": [True, True, True, False], "confidence": 0.95},
        {"first": [False, False, True, True], "second": [True, False, True, True], "confidence": 0.8},
    ],
    inputs=two_models,
    relative_tolerance=1e-4,
    hints=(
        Hint(
            "What is the gain on a single question? It has three possible values.", f"{PAGE}#error-bars-of-a-test-score"
        ),
        Hint(
            "The gain is the mean of n differences, with the standard error of any mean.",
            f"{PAGE}#error-bars-of-a-test-score",
        ),
        Hint(
            "Take the variance of the differences over n, its root, and z = NormalDist().inv_cdf((1 + confidence)/2).",
            f"{PAGE}#error-bars-of-a-test-score",
        ),
    ),
)

EXERCISES = [BATCH_GRADIENT, BATCH_FOR_ERROR, NOISE, CONTROL, PAIRED]
test_answer = graded(EXERCISES)
