"""Grader of chapter A3: gradients of known curvature, whole gradients, entries one by one, and real descents."""

from __future__ import annotations

import itertools
import numbers
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exercises.grading import graded
from exercises.judging import Exercise, Hint, Inputs, Observation

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Gradient:
    """The gradient of ½·xᵀHx − b·x + (c/4)·Σxᵢ⁴, whose Hessian at x is H + 3c·diag(xᵢ²)."""

    h: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: float

    def __call__(self, x: Sequence[float]) -> list[float]:
        images = (sum(entry * other for entry, other in zip(row, x, strict=True)) for row in self.h)
        return [image - b + self.c * entry**3 for image, b, entry in zip(images, self.b, x, strict=True)]

    def hessian(self, x: Sequence[float]) -> list[list[Fraction]]:
        rows = [[Fraction(entry) for entry in row] for row in self.h]
        for place, entry in enumerate(x):
            rows[place][place] += 3 * Fraction(self.c) * Fraction(entry) ** 2
        return rows


def curvature_of_the_hessian(gradient: Gradient, at: Any, start: Any, iterations: int, distance: float) -> float:
    """Multiply by the Hessian itself, in exact arithmetic, and scale only in the end."""
    rows, direction = gradient.hessian(at), [Fraction(entry) for entry in start]
    for _ in range(iterations):
        image = [sum(a * b for a, b in zip(row, direction, strict=True)) for row in rows]
        along = sum(a * b for a, b in zip(direction, image, strict=True))
        curvature, direction = along / sum(entry**2 for entry in direction), [Fraction(entry) for entry in image]
    return float(curvature)


def surface(x: int, y: int, z: int, c: float, **others: Any) -> Inputs:
    """Return inputs with the Hessian LᵀL of L = ((x, y), (0, z)) at the origin."""
    h = ((float(x * x), float(x * y)), (float(x * y), float(y * y + z * z)))
    return {"gradient": Gradient(h, (3.0, -1.0), c), **others}


def surfaces() -> Any:
    from hypothesis import strategies as st

    def two(low: int, high: int) -> Any:
        return st.lists(st.integers(low, high).map(float), min_size=2, max_size=2)

    return st.builds(
        surface,
        x=st.integers(1, 3),
        y=st.integers(-2, 2),
        z=st.integers(1, 3),
        c=st.sampled_from([0.0, 1.0]),
        at=two(-2, 2),
        start=two(1, 3),
        iterations=st.integers(1, 4),
        distance=st.sampled_from([1e-4, 1e-5]),
    )


def whole_square_norm(shards: Rows, replicated: Sequence[float]) -> Observation:
    """Put the gradient together and square it."""
    whole = [*itertools.chain(*shards), *replicated]
    return {"a number from each worker": True, "sum over the workers": sum(map(operator.mul, whole, whole))}


def observe_shares(function: Any, shards: Rows, replicated: Sequence[float]) -> Observation:
    """Ask each worker for its contribution, and add."""
    shares = [function(shard=shard, replicated=replicated, workers=len(shards)) for shard in shards]
    if not all(isinstance(share, numbers.Real) for share in shares):
        return {"a number from each worker": False}
    return {"a number from each worker": True, "sum over the workers": float(sum(shares))}


def sharded_gradients() -> Any:
    from hypothesis import strategies as st

    part = st.lists(st.integers(-4, 4).map(float), max_size=3)
    return st.fixed_dictionaries({"shards": st.lists(part, min_size=1, max_size=4), "replicated": part})


def numbers_kept(shapes: Any, factored: bool, bytes_per_number: int = 4) -> int:
    """Go through the entries of every parameter and note what is kept for each; count what is noted once."""
    kept: set[Any] = set()
    for parameter, shape in enumerate(shapes):
        for entry in itertools.product(*map(range, shape)):
            means = [("row", entry[0]), ("column", entry[1])] if factored and len(shape) == 2 else [("entry", entry)]
            kept.update((parameter, *mean) for mean in means)
    return len(kept) * bytes_per_number


def shapes_of_parameters() -> Any:
    from hypothesis import strategies as st

    shape = st.lists(st.integers(1, 5), max_size=3).map(tuple)
    return st.fixed_dictionaries(
        {
            "shapes": st.lists(shape, max_size=4),
            "factored": st.booleans(),
            "bytes_per_number": st.sampled_from([2, 4, 8]),
        }
    )


def updates_by_growth(warmup_tokens: Any, first_batch_tokens: Any, full_batch_tokens: Any, ramp_tokens: Any) -> int:
    """Use that the batches grow by a constant factor until they are full, in exact arithmetic."""
    first, full = Fraction(first_batch_tokens), Fraction(full_batch_tokens)
    growth = 1 + (full - first) / Fraction(ramp_tokens) if ramp_tokens else Fraction(1)
    batch, seen, updates = first if ramp_tokens else full, Fraction(0), 0
    while seen < warmup_tokens:
        seen, batch, updates = seen + batch, min(full, batch * growth), updates + 1
    return updates


def warm_ups() -> Any:
    """Return inputs with ramps that are powers of two, at which floats are exact where it matters."""
    from hypothesis import strategies as st

    def counted(warmup: int, first: int, more: int, ramp: int) -> Inputs:
        sizes = {"first_batch_tokens": first, "full_batch_tokens": first + more}
        return {"warmup_tokens": warmup, **sizes, "ramp_tokens": ramp}

    ramps = st.sampled_from([0, 16, 64, 256])
    return st.builds(counted, warmup=st.integers(0, 300), first=st.integers(1, 8), more=st.integers(0, 24), ramp=ramps)


def converges(hessian: Rows, momentum: float, step: float) -> bool:
    """Say whether descent shrinks every start, after 1, 2, 4, … steps, until it is clear."""
    advance = advance_of(hessian, momentum, step)
    for _ in range(40):
        size = max(abs(entry) for row in advance for entry in row)
        if size > 1e8 or size < 1e-8:
            return size < 1
        columns = list(zip(*advance, strict=True))
        advance = [[sum(map(operator.mul, row, column)) for column in columns] for row in advance]
    return True


def advance_of(hessian: Rows, momentum: float, step: float) -> list[list[float]]:
    """Return the matrix that makes the next point and the last of the last point and the one before."""
    (first, mixed), (_, second) = hessian
    kept = 1 + momentum
    return [
        [kept - step * first, -step * mixed, -momentum, 0.0],
        [-step * mixed, kept - step * second, 0.0, -momentum],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
    ]


def border_of_descents(hessian: Rows, momentum: float) -> float:
    """Halve an interval of step sizes until it shows where descents begin to diverge."""
    low, high = 0.0, 4 / max(hessian[0][0], hessian[1][1])
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if converges(hessian, momentum, middle) else (low, middle)
    return low


def bowls() -> Any:
    from hypothesis import strategies as st

    def bowl(x: int, y: int, z: int, momentum: float) -> Inputs:
        mixed = float(x * y)
        return {"hessian": [[float(x * x), mixed], [mixed, float(y * y + z * z)]], "momentum": momentum}

    momenta = st.sampled_from([0.0, 0.25, 0.5, 0.9, 0.95])
    return st.builds(bowl, x=st.integers(1, 3), y=st.integers(-3, 3), z=st.integers(1, 3), momentum=momenta)


PAGE = "a3-optimization.md"

CURVATURE = Exercise(
    name="largest_curvature",
    number=1,
    asked="δᵀHδ of the last direction of length 1 that is multiplied by the Hessian H at the point",
    expected=curvature_of_the_hessian,
    examples=[
        {"gradient": Gradient(((2.0,),), (0.0,), 0.0), "at": [0.0], "start": [1.0], "iterations": 1, "distance": 1e-4},
        surface(2, 1, 1, 0.0, at=[1.0, 2.0], start=[1.0, 3.0], iterations=2, distance=1e-4),
        surface(1, 1, 1, 1.0, at=[2.0, -1.0], start=[1.0, 1.0], iterations=3, distance=1e-5),
        {
            "gradient": Gradient(((1.0, 0.0), (0.0, -3.0)), (0.0, 0.0), 0.0),
            "at": [0.0, 1.0],
            "start": [1.0, 2.0],
            "iterations": 3,
            "distance": 1e-4,
        },
    ],
    inputs=surfaces,
    relative_tolerance=1e-3,
    hints=(
        Hint("What does the difference of two gradients h apart give?", f"{PAGE}#when-downhill-leads-to-the-bottom"),
        Hint(
            "Hδ is (∇L(θ + hδ) − ∇L(θ))/h for a δ of length 1; the next direction is Hδ.",
            f"{PAGE}#one-direction-at-a-time",
        ),
        Hint(
            "In each iteration: scale to length 1, take the difference, keep the product of δ with it, go on with it.",
            f"{PAGE}#one-direction-at-a-time",
        ),
    ),
)

NORM = Exercise(
    name="square_norm_share",
    number=2,
    asked="what each worker contributes, so that the sum is the square of the whole gradient's norm",
    expected=whole_square_norm,
    observe=observe_shares,
    examples=[
        {"shards": [[3.0]], "replicated": [4.0]},
        {"shards": [[1.0, 2.0], [3.0]], "replicated": [2.0]},
        {"shards": [[], [], [1.0]], "replicated": [1.0, 2.0]},
        {"shards": [[2.0], [1.0]], "replicated": []},
    ],
    inputs=sharded_gradients,
    level="easy",
    hints=(
        Hint("How is the global norm put together from shards?", f"{PAGE}#clip-the-whole-not-the-parts"),
        Hint("How often does an entry that every worker holds enter the sum?", f"{PAGE}#clip-the-whole-not-the-parts"),
        Hint(
            "Add the shard's squares in full, and the replicated part's squares divided by the workers.",
            f"{PAGE}#clip-the-whole-not-the-parts",
        ),
    ),
)

MOMENTS = Exercise(
    name="second_moment_bytes",
    number=3,
    asked="the bytes of the second moments, matrices by rows and columns where factored",
    expected=numbers_kept,
    examples=[
        {"shapes": [(1,)], "factored": False},
        {"shapes": [(2, 3)], "factored": True, "bytes_per_number": 4},
        {"shapes": [(2, 3)], "factored": False, "bytes_per_number": 2},
        {"shapes": [(4, 5), (5,), (2, 3, 4)], "factored": True, "bytes_per_number": 4},
        {"shapes": [()], "factored": True, "bytes_per_number": 8},
        {"shapes": [], "factored": False, "bytes_per_number": 4},
    ],
    inputs=shapes_of_parameters,
    units={"result": "bytes"},
    level="easy",
    hints=(
        Hint("Adam keeps one v for each entry of a parameter.", f"{PAGE}#adam-a-step-size-for-each-parameter"),
        Hint(
            "Factored, an r × c matrix has a mean for each row and one for each column.",
            f"{PAGE}#adam-a-step-size-for-each-parameter",
        ),
        Hint(
            "Add r + c for a matrix if factored, the shape's product otherwise; multiply by the bytes of a number.",
            f"{PAGE}#adam-a-step-size-for-each-parameter",
        ),
    ),
)

WARM_UP = Exercise(
    name="warmup_updates",
    number=4,
    asked="the fewest updates that see the warm-up's tokens while the batch grows on a line in tokens",
    expected=updates_by_growth,
    examples=[
        {"warmup_tokens": 1, "first_batch_tokens": 1, "full_batch_tokens": 1, "ramp_tokens": 0},
        {"warmup_tokens": 10, "first_batch_tokens": 2, "full_batch_tokens": 4, "ramp_tokens": 0},
        {"warmup_tokens": 20, "first_batch_tokens": 2, "full_batch_tokens": 10, "ramp_tokens": 16},
        {"warmup_tokens": 200, "first_batch_tokens": 1, "full_batch_tokens": 9, "ramp_tokens": 64},
        {"warmup_tokens": 0, "first_batch_tokens": 1, "full_batch_tokens": 9, "ramp_tokens": 64},
        {"warmup_tokens": 100, "first_batch_tokens": 10, "full_batch_tokens": 10, "ramp_tokens": 64},
    ],
    inputs=warm_ups,
    units={"result": "updates"},
    hints=(
        Hint("How many tokens have been seen after one update, and after two?", f"{PAGE}#on-a-real-system"),
        Hint("Make the updates one by one and add up the tokens seen.", f"{PAGE}#fall-fast-then-settle-low"),
        Hint(
            "While tokens < warmup: add first + min(1, tokens/ramp)·(full − first) tokens and count one update.",
            f"{PAGE}#fall-fast-then-settle-low",
        ),
    ),
)

STABLE_STEP = Exercise(
    name="largest_stable_step",
    number=5,
    asked="the step size at which descent with momentum stops converging on a quadratic with this Hessian",
    expected=border_of_descents,
    examples=[
        {"hessian": [[1.0, 0.0], [0.0, 1.0]], "momentum": 0.0},
        {"hessian": [[1.0, 0.0], [0.0, 100.0]], "momentum": 0.0},
        {"hessian": [[2.0, 1.0], [1.0, 2.0]], "momentum": 0.5},
        {"hessian": [[5.0, -4.0], [-4.0, 5.0]], "momentum": 0.9},
    ],
    inputs=bowls,
    relative_tolerance=1e-5,
    level="hard",
    hints=(
        Hint("Which direction diverges first, and without momentum at which step?", f"{PAGE}#one-direction-at-a-time"),
        Hint(
            "Put z = −1 into the equation of the two roots: at which ηλ is it one of them?",
            f"{PAGE}#one-more-number-per-parameter",
        ),
        Hint(
            "ηλ = 2(1 + μ), with λ the larger eigenvalue: the mean of the diagonal plus the root of "
            "((h₁₁ − h₂₂)/2)² + h₁₂².",
            f"{PAGE}#one-more-number-per-parameter",
        ),
    ),
)

EXERCISES = [CURVATURE, NORM, MOMENTS, WARM_UP, STABLE_STEP]
test_answer = graded(EXERCISES)
