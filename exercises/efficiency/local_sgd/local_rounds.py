"""Exercise: where local steps and averages lead, on parabolas."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from statistics import fmean

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def local_rounds(
    curvatures: list[float],
    minima: list[float],
    *,
    step_size: float,
    local_steps: int,
    rounds: int,
) -> float:
    """Return the weight that ranks share after some rounds of local steps.

    Rank r's loss is curvatures[r] * (weight - minima[r])**2 / 2. In each
    round every rank starts from the shared weight and takes gradient steps
    on its own loss. Then the mean of the ranks' weights is the new shared
    weight.

    Args:
        curvatures: one for each rank, above 0.
        minima: one for each rank.
        step_size: what a gradient is multiplied by in a step.
        local_steps: steps of a rank in each round, at least 1.
        rounds: how many, at least 0. The shared weight begins at 0.

    Returns:
        The shared weight after the last round.

    >>> local_rounds([2.0], [4.0], step_size=0.25, local_steps=2, rounds=1)
    3.0
    """
    shared = 0.0
    for _ in range(rounds):
        ends = []
        for curvature, minimum in zip(curvatures, minima, strict=True):
            weight = shared
            for _ in range(local_steps):
                weight -= step_size * curvature * (weight - minimum)
            ends.append(weight)
        shared = fmean(ends)
    return shared


def by_powers(
    *, curvatures: list[float], minima: list[float], step_size: float, local_steps: int, rounds: int
) -> float:
    """Take each round as one affine map, in exact fractions."""
    left = [(1 - Fraction(step_size) * Fraction(curvature)) ** local_steps for curvature in curvatures]
    factor = sum(left) / len(left)
    gain = sum((1 - each) * Fraction(at) for each, at in zip(left, minima, strict=True)) / len(left)
    series = Fraction(rounds) if factor == 1 else (1 - factor**rounds) / (1 - factor)
    return float(gain * series)


run_of = inputs_for(local_rounds)
OWN = run_of([1.0, 3.0], [0.0, 4.0], 0.25, 8, 10)


def taught() -> str:
    every = local_rounds(**{**OWN, "local_steps": 1, "rounds": 80})
    rare = local_rounds(**OWN)
    return (
        f"Averaged after every step, 80 steps lead to {every:.3f}, the minimum of the mean loss. Averaged after every "
        f"eighth step, as many lead to {rare:.3f}: the steeper rank arrives early, and counts for less than it should."
    )


def drawn(chance: Random) -> list[Inputs]:
    found = []
    for number in range(40):
        ranks = 1 + number % 4
        curvatures = [chance.randint(1, 12) / 4 for _ in range(ranks)]
        minima = [float(chance.randint(-9, 9)) for _ in range(ranks)]
        found.append(run_of(curvatures, minima, chance.choice([0.125, 0.25, 0.5]), chance.randint(1, 6), number % 5))
    return found


EXERCISE = Exercise(
    local_rounds,
    number=1,
    level="easy",
    asked="the weight that ranks share after rounds of local steps",
    expected=by_powers,
    examples=[
        run_of([2.0], [4.0], 0.25, 2, 1),
        run_of([1.0, 1.0], [0.0, 8.0], 0.5, 1, 1),
        run_of([1.0, 3.0], [0.0, 4.0], 0.25, 2, 0),
        run_of([1.0, 3.0], [0.0, 4.0], 0.25, 2, 2),
        run_of([0.5, 1.0, 4.0], [-3.0, 8.0, 1.0], 0.25, 1, 3),
        run_of([1.0, 6.0], [0.0, 4.0], 0.5, 2, 2),
        OWN,
    ],
    inputs=drawn(Random(31)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "averages_every_step",
            "You averaged after every step. The ranks are to take all their local steps first.",
            lambda *, curvatures, minima, step_size, local_steps, rounds: by_powers(
                curvatures=[sum(curvatures) / len(curvatures)],
                minima=[sum(c * m for c, m in zip(curvatures, minima, strict=True)) / sum(curvatures)],
                step_size=step_size,
                local_steps=1,
                rounds=rounds * local_steps,
            ),
        ),
        Mistake(
            "averages_once",
            "You averaged only at the very end. Each round begins with the ranks' mean.",
            lambda *, curvatures, minima, step_size, local_steps, rounds: by_powers(
                curvatures=curvatures,
                minima=minima,
                step_size=step_size,
                local_steps=local_steps * rounds,
                rounds=1,
            ),
        ),
        Mistake(
            "adds_up",
            "You added up the ranks' weights. Their mean is the new shared weight.",
            {"fmean(ends)": "sum(ends)"},
        ),
        Mistake(
            "forgets_the_curvature",
            "You left the curvature out of the gradient: it is the curvature times the way to the minimum.",
            {"step_size * curvature * (weight": "step_size * (weight"},
        ),
        Mistake(
            "halves_the_gradient",
            "You kept the loss's 1/2. The derivative of the square brings a 2.",
            {"step_size * curvature": "step_size * curvature / 2"},
        ),
        Mistake(
            "climbs",
            "Your ranks climb: a step goes against the gradient.",
            {"weight -= step_size": "weight += step_size"},
        ),
        Mistake(
            "goes_on_from_one_rank",
            "You went on with the last rank's weight. The others' work counts as much.",
            {"fmean(ends)": "ends[-1]"},
        ),
        Mistake(
            "lets_ranks_continue",
            "A rank went on from where the rank before it had ended. All of a round begin with the shared weight.",
            {"weight = shared\n": "weight = ends[-1] if ends else shared\n"},
        ),
        Mistake(
            "takes_a_step_too_few",
            "Your ranks take one step too few in each round.",
            {"range(local_steps)": "range(local_steps - 1)"},
        ),
    ],
)
