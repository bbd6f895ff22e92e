"""Exercise: which small runs to make within a budget, so that a large run's loss is predicted as sharply as can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation
from snippets.scaling.loss_surface.compute_law import ComputeLaw, ladder_prediction_error

CHOICE, COST, WIDTH = "runs", "cost", "interval"
VALID, KEPT, NARROW = (
    "at most as many as are allowed, of at least three of the sizes given",
    "within the budget",
    "within 0.5% of the narrowest",
)
SLACK = 1.005


def choose_runs(
    sizes: list[float],
    *,
    budget: float,
    most_runs: int,
    target: float,
    law: ComputeLaw,
) -> list[float]:
    """Choose small runs so that a large run's predicted loss is the sharpest.

    A law with a floor is fitted to the runs, three constants, by least squares
    of ln(loss). Every measured loss has the same relative noise, large run or
    small; repeats of one size have noise of their own. How wide the prediction
    will be (its standard error as a share of the loss) is given by

        ladder_prediction_error(runs, target_flops=target,
                                relative_noise=0.0035, law=law)

    Another noise would change all choices by the same factor.

    Args:
        sizes: compute of the runs that you may make, in FLOPs, ascending; each
            costs its compute, and may be made more than once.
        budget: FLOPs for all runs together, and it may be spent to the last
            (allow 1e-9 of it for rounding); the three smallest sizes, or more,
            can be paid for.
        most_runs: how many runs there may be at most, three or more.
        target: compute of the large run.
        law: what you think today that the ladder looks like.

    Returns:
        The compute of each run to make, in any order. Any choice passes whose
        standard error is at most 0.5% above the least.

    >>> law = ComputeLaw(1.5, 1.0, 0.25, 1e20)
    >>> choose_runs([1e18, 1e19, 1e20], budget=112e18, most_runs=4,
    ...             target=1e21, law=law)
    [1e+18, 1e+18, 1e+19, 1e+20]
    """
    best: tuple[float, list[float]] = (math.inf, [])
    for number in range(3, most_runs + 1):
        for runs in combinations_with_replacement(sizes, number):
            if sum(runs) <= budget * (1 + 1e-9):
                error = ladder_prediction_error(runs, target_flops=target, relative_noise=0.0035, law=law)
                best = min(best, (error, list(runs)))
    return best[1]


def interval(runs: Sequence[float], target: float, law: ComputeLaw) -> float:
    """Return the standard error over the noise: derivatives by differences, 3 × 3 equations by Cramer's rule."""

    def loss(compute: float, floor: float, above: float, exponent: float) -> float:
        return math.log(floor + above * (compute / law.reference_flops) ** -exponent)

    at = (law.irreducible_nats, law.reducible_nats, law.exponent)

    def slopes(compute: float) -> list[float]:
        rows = []
        for place in range(3):
            step = 1e-4 * max(at[place], 0.1)
            up, down = list(at), list(at)
            up[place] += step
            down[place] -= step
            rows.append((loss(compute, *up) - loss(compute, *down)) / (2 * step))
        return rows

    M = [[0.0] * 3 for _ in range(3)]
    for compute in runs:
        g = slopes(compute)
        for i in range(3):
            for j in range(3):
                M[i][j] += g[i] * g[j]
    g = slopes(target)
    whole = determinant(M)
    if whole <= 1e-13 * M[0][0] * M[1][1] * M[2][2]:
        return math.inf
    square = 0.0
    for place in range(3):
        changed = [[g[i] if j == place else M[i][j] for j in range(3)] for i in range(3)]
        square += g[place] * determinant(changed) / whole
    return math.sqrt(max(square, 0.0))


def determinant(M: list[list[float]]) -> float:
    (a, b, c), (d, e, f), (g, h, i) = M
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


@cache
def narrowest(sizes: tuple[float, ...], budget: float, most_runs: int, target: float, law: ComputeLaw) -> float:
    """Try every number of runs of each size."""
    best = math.inf

    def extend(counts: list[int], place: int, left: float, room: int) -> None:
        nonlocal best
        if place == len(sizes):
            if sum(counts) >= 3:
                runs = [size for size, count in zip(sizes, counts, strict=True) for _ in range(count)]
                best = min(best, interval(runs, target, law))
            return
        for count in range(room + 1):
            if count * sizes[place] > left * (1 + 1e-9):
                break
            extend([*counts, count], place + 1, left - count * sizes[place], room - count)

    extend([], 0, budget, most_runs)
    return best


def observe(
    function: Callable[..., Any], *, sizes: list[float], budget: float, most_runs: int, target: float, law: ComputeLaw
) -> Observation:
    """Say of a choice whether it is allowed, paid for, and how wide its interval is."""
    runs = list(function(sizes=list(sizes), budget=budget, most_runs=most_runs, target=target, law=law))
    nearest = [min(sizes, key=lambda size: abs(size - run)) for run in runs]
    if any(abs(size - run) > 1e-6 * size for size, run in zip(nearest, runs, strict=True)):
        alien = next(run for size, run in zip(nearest, runs, strict=True) if abs(size - run) > 1e-6 * size)
        return {CHOICE: f"{alien:.10g} FLOPs, which is none of the sizes given"}
    if len(runs) > most_runs:
        return {CHOICE: f"{len(runs)} runs, where {most_runs} are allowed"}
    if len(set(nearest)) < 3:
        return {CHOICE: f"{len(set(nearest))} different sizes, where a law of three constants needs three"}
    seen = all_kept()
    cost = math.fsum(nearest)
    if cost > budget * (1 + 1e-6):
        seen[COST] = f"{cost:.4g} FLOPs, {cost / budget:.4g} times the budget"
    elif (ratio := interval(nearest, target, law) / narrowest(tuple(sizes), budget, most_runs, target, law)) > SLACK:
        counted = ", ".join(f"{nearest.count(size)} × {size:.3g}" for size in sizes if size in nearest)
        seen[WIDTH] = f"{ratio:.5g} times the narrowest, with {counted}"
    return seen


def all_kept(**_: Any) -> Observation:
    return {CHOICE: VALID, COST: KEPT, WIDTH: NARROW}


def case(sizes: list[float], budget: float, most_runs: int, target: float, law: ComputeLaw) -> Inputs:
    return {"sizes": sizes, "budget": budget, "most_runs": most_runs, "target": target, "law": law}


def evenly(sizes: list[float], budget: float, most_runs: int) -> list[float]:
    """One run of each size, smallest first, again and again while there is money."""
    runs: list[float] = []
    while len(runs) < most_runs:
        size = sizes[len(runs) % len(sizes)]
        if sum(runs) + size > budget:
            break
        runs.append(size)
    return runs


def largest_first(sizes: list[float], budget: float, most_runs: int) -> list[float]:
    """One run of each of the two smallest sizes, and then always the largest that can be paid for."""
    runs = list(sizes[:2])
    while len(runs) < most_runs:
        fitting = [size for size in sizes if sum(runs) + size <= budget]
        if not fitting:
            break
        runs.append(fitting[-1])
    return runs


def greedy(sizes: list[float], budget: float, most_runs: int, target: float, law: ComputeLaw) -> list[float]:
    """Begin with the three smallest sizes and add the run that helps most, while there is money."""
    runs = list(sizes[:3])
    while len(runs) < most_runs:
        fitting = [size for size in sizes if sum(runs) + size <= budget]
        if not fitting:
            break
        runs.append(min(fitting, key=lambda size: interval([*runs, size], target, law)))
    return runs


QUESTION_LAW = ComputeLaw(1.75, 1.75, 0.171, 1e18)
FLAT = ComputeLaw(0.5, 2.1, 0.08, 1e18)
STEEP = ComputeLaw(2.2, 1.5, 0.35, 1e18)
LADDER = [1e18, 3e18, 1e19, 3e19, 1e20]

as_if = mistaken_rules(all_kept, observe)


def taught() -> str:
    target, law = 1e21, QUESTION_LAW
    chosen = choose_runs(LADDER, budget=1.44e20, most_runs=7, target=target, law=law)
    cheap = choose_runs(LADDER[:3], budget=1.44e20, most_runs=7, target=target, law=law)
    without = choose_runs(LADDER[:4], budget=1.44e20, most_runs=7, target=target, law=law)
    errors = [0.0035 * interval(runs, target, law) for runs in (chosen, LADDER, without, cheap)]
    listed = ", ".join(f"{chosen.count(size)} × {size:.0e}" for size in LADDER if size in chosen).replace("e+", "e")
    return (
        f"Make {listed} FLOPs, with a standard error of {errors[0]:.1%}. One of each size has {errors[1]:.1%}. The "
        f"best seven without the largest have {errors[2]:.1%}, those of the three cheap sizes {errors[3]:.1%}: "
        "here the largest run is what counts, the rest is fine tuning."
    )


def drawn(chance: Random) -> list[Inputs]:
    """Return ladders of three to five sizes, with budgets for the three smallest and more."""
    found = []
    for _ in range(10):
        sizes = sorted(chance.sample([1e18, 2e18, 3e18, 5e18, 1e19, 2e19, 3e19, 6e19, 1e20], chance.randint(3, 5)))
        budget = float(f"{sum(sizes[:3]) * chance.uniform(1.05, 3):.3g}")
        law = ComputeLaw(chance.randint(5, 22) / 10, chance.randint(10, 22) / 10, chance.randint(8, 35) / 100, 1e18)
        found.append(case(sizes, budget, chance.randint(3, 6), 10.0 ** chance.randint(21, 23), law))
    return found


EXERCISE = Exercise(
    choose_runs,
    number=4,
    level="hard",
    asked="the small runs, within a budget, after which the large run's loss is predicted most sharply",
    expected=all_kept,
    observe=observe,
    given=("ComputeLaw", "ladder_prediction_error"),
    examples=[
        case([1e18, 1e19, 1e20], 112e18, 4, 1e21, ComputeLaw(1.5, 1.0, 0.25, 1e20)),
        case([1e18, 1e19, 1e20], 230e18, 6, 1e22, QUESTION_LAW),
        # The best runs cost the whole budget, and their sum is a float above it.
        case([0.1, 0.4, 1.3], 1.9, 4, 10.0, ComputeLaw(1.5, 1.0, 0.25, 1.0)),
        # The same at the size of real budgets, where 1e-9 FLOPs are no tolerance.
        case([9.05e18, 1.09e20, 8.02e20], 9.290999999999999e20, 4, 1e22, QUESTION_LAW),
        case([1e18, 4e18, 16e18, 64e18], 100e18, 6, 1e21, STEEP),
        case([1e18, 4e18, 16e18, 64e18], 100e18, 6, 1e23, FLAT),
        case(LADDER, 1.44e20, 7, 1e21, QUESTION_LAW),
        case([3e18, 5e18, 1e19, 3e19, 6e19], 7.2e19, 8, 6e23, QUESTION_LAW),
        case([1e18, 3e18, 1e19, 1e20], 3e19, 6, 1e21, QUESTION_LAW),
        case([1e18, 3e18, 1e19], 4e19, 10, 1e21, QUESTION_LAW),
    ],
    inputs=[
        case([1e18, 2e18, 5e18, 2e19], 3e19, 7, 1e20, QUESTION_LAW),
        case([1e18, 2e18, 5e18, 2e19], 3e19, 4, 1e20, QUESTION_LAW),
        case([1e18, 1e19, 3e19, 9e19], 1.2e20, 6, 3e20, QUESTION_LAW),
        case([1e17, 1e18, 1e19, 1e20], 2.3e20, 6, 1e24, STEEP),
        case([5e18, 1e19, 2e19, 4e19], 1.3e20, 7, 1e22, FLAT),
        case([1e18, 3e18, 1e19], 1.4e19, 6, 1e22, QUESTION_LAW),
        case([1e18, 3e18, 9e18, 27e18], 60e18, 7, 1e20, STEEP),
        case([1e18, 1e20, 1e21], 3.3e21, 6, 1e22, QUESTION_LAW),
        case([2e18, 2e19, 4e19, 8e19], 1.7e20, 5, 1e21, QUESTION_LAW),
        case([1e18, 1e19, 1e20], 111e18, 3, 1e21, FLAT),
    ],
    taught=taught,
    drawn=drawn,
    mistakes=[
        Mistake(
            "one_of_each",
            "You made the sizes in turn while there was money. Repeats of some tell more than others do.",
            lambda sizes, budget, most_runs, target, law: evenly(sizes, budget, most_runs),
        ),
        Mistake(
            "largest_first",
            "You spent what you could on the largest runs. They need more small ones beside them: the floor is "
            "found from how the slope changes.",
            lambda sizes, budget, most_runs, target, law: largest_first(sizes, budget, most_runs),
        ),
        Mistake(
            "greedily",
            "You began with the three smallest sizes and added what helped most at the time. The money for the largest "
            "run is then gone: compare whole choices.",
            lambda sizes, budget, most_runs, target, law: greedy(sizes, budget, most_runs, target, law),
        ),
        Mistake(
            "forgets_the_budget",
            "Your runs cost more than the budget.",
            {"if sum(runs) <= budget * (1 + 1e-9):": "if True:"},
            accepts=as_if(lambda given: {"budget": math.inf}),
        ),
        Mistake(
            "no_repeats",
            "You made each size at most once. A size may be made again, and two measurements are better than one.",
            {
                "combinations_with_replacement(sizes, number)": "[c for c in "
                "combinations_with_replacement(sizes, number) if len(set(c)) == number]"
            },
        ),
        Mistake(
            "one_run_short",
            "You never make as many runs as are allowed: look at where your counting ends.",
            {"range(3, most_runs + 1)": "range(3, most_runs)"},
            accepts=as_if(lambda given: {"most_runs": max(3, given["most_runs"] - 1)}),
        ),
        Mistake(
            "leaves_something",
            "You pass over choices that cost the whole budget. They are allowed.",
            {"sum(runs) <= budget * (1 + 1e-9)": "sum(runs) < budget * (1 - 1e-9)"},
        ),
        Mistake(
            "tolerance_in_flops",
            "You allow a fixed number of FLOPs for rounding. At 1e20 FLOPs a float is off by thousands: allow 1e-9 of "
            "the budget.",
            {"budget * (1 + 1e-9)": "budget + 1e-9"},
        ),
        Mistake(
            "sharp_at_the_largest",
            "You made the law sharp at the largest run that you have. It has to be sharp at the target.",
            {"target_flops=target": "target_flops=max(sizes)"},
            accepts=as_if(lambda given: {"target": max(given["sizes"])}),
        ),
        Mistake(
            "fits_one_input",
            "You return one example's runs each time. Choose by the sizes, the budget, the number of runs, the target "
            "and the law that are given.",
            lambda sizes, budget, most_runs, target, law: [1e18, 1e18, 1e19, 1e20],
        ),
    ],
)
