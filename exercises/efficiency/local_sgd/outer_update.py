"""Exercise: the outer step of DiLoCo."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for, parts


def outer_update(
    shared: list[float],
    rank_weights: list[list[float]],
    speed: list[float],
    *,
    outer_step: float,
    momentum: float,
) -> tuple[list[float], list[float]]:
    """Return the shared weights and the speed after one outer step.

    The outer gradient is the old shared weights less the mean of what the
    ranks have made of them. The new speed is momentum times the old one
    plus the outer gradient. Nesterov's step follows the outer gradient plus
    momentum times the new speed, times the outer step, downwards.

    Args:
        shared: the weights with which all ranks began the round.
        rank_weights: for each rank its weights after its local steps.
        speed: of the outer optimizer, one entry for each weight.
        outer_step: the outer learning rate.
        momentum: from 0 to below 1.

    Returns:
        The new shared weights, and the new speed.

    >>> outer_update([8.0], [[4.0], [6.0]], [2.0], outer_step=0.5, momentum=0.5)
    ([5.5], [4.0])
    """
    weights, speeds = [], []
    for i, old in enumerate(shared):
        gradient = old - sum(rank[i] for rank in rank_weights) / len(rank_weights)
        new_speed = momentum * speed[i] + gradient
        speeds.append(new_speed)
        weights.append(old - outer_step * (gradient + momentum * new_speed))
    return weights, speeds


def in_fractions(
    *,
    shared: list[float],
    rank_weights: list[list[float]],
    speed: list[float],
    outer_step: float,
    momentum: float,
) -> dict[str, list[float]]:
    """Follow the mean of the ranks and the old speed by their weights in the new shared ones, in exact fractions."""
    η, μ = Fraction(outer_step), Fraction(momentum)
    stay = 1 - η * (1 + μ)
    weights, speeds = [], []
    for at, old, *ranks in zip(shared, speed, *rank_weights, strict=True):
        mean = sum(map(Fraction, ranks)) / len(ranks)
        weights.append(float(stay * Fraction(at) + η * (1 + μ) * mean - η * μ**2 * Fraction(old)))
        speeds.append(float(μ * Fraction(old) + Fraction(at) - mean))
    return {"new weights": weights, "new speed": speeds}


run_of = inputs_for(outer_update)
OWN = run_of([1.0, -2.0], [[0.0, -1.0], [0.5, -1.5], [0.25, -2.0], [0.25, -1.5]], [0.5, 0.0], 0.7, 0.9)


def taught() -> str:
    weights, _ = outer_update(**OWN)
    return (
        f"The ranks' mean is 0.25 and -1.5, and the outer step goes to {weights[0]:.3f} and {weights[1]:.3f}, "
        "beyond it: with momentum it trusts the direction that the rounds before have shared. With an outer step of "
        "1 and no momentum it is plain averaging."
    )


def drawn(chance: Random) -> list[Inputs]:
    found = []
    for number in range(40):
        entries, ranks = 1 + number % 3, 1 + number % 5

        def some(count: int = entries) -> list[float]:
            return [chance.randint(-32, 32) / 4 for _ in range(count)]

        rank_weights = [some() for _ in range(ranks)]
        found.append(
            run_of(some(), rank_weights, some(), chance.choice([0.5, 0.7, 1.0]), chance.choice([0.0, 0.5, 0.9, 0.9]))
        )
    return found


EXERCISE = Exercise(
    outer_update,
    number=3,
    level="medium",
    asked="the shared weights and the speed after an outer step",
    expected=in_fractions,
    observe=parts("new weights", "new speed"),
    examples=[
        run_of([8.0], [[4.0], [6.0]], [2.0], 0.5, 0.5),
        run_of([8.0], [[4.0]], [0.0], 1.0, 0.0),
        run_of([1.0], [[1.0], [1.0]], [4.0], 1.0, 0.5),
        OWN,
    ],
    inputs=drawn(Random(31)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "turns_the_gradient_over",
            "Your outer gradient has the wrong sign: old weights less the ranks' mean, so that going down leads there.",
            {
                "gradient = old - sum(rank[i] for rank in rank_weights) / len(rank_weights)": (
                    "gradient = sum(rank[i] for rank in rank_weights) / len(rank_weights) - old"
                )
            },
        ),
        Mistake(
            "adds_up_the_ranks",
            "You added up the ranks' weights. The outer gradient takes their mean.",
            {" / len(rank_weights)": ""},
        ),
        Mistake(
            "takes_a_heavy_ball",
            "You stepped along momentum times the old speed plus the gradient, which is the new speed. Nesterov's step "
            "multiplies the new speed by the momentum once more, and adds the gradient again.",
            {"(gradient + momentum * new_speed)": "new_speed"},
        ),
        Mistake(
            "dampens",
            "You weighed the outer gradient with 1 less the momentum. It goes into the speed whole.",
            {"momentum * speed[i] + gradient": "momentum * speed[i] + (1 - momentum) * gradient"},
        ),
        Mistake(
            "only_averages",
            "You took the ranks' mean. That is the outer step with a step of 1 and no momentum.",
            {"old - outer_step * (gradient + momentum * new_speed)": "old - gradient"},
        ),
        Mistake(
            "forgets_the_outer_step",
            "You left out the outer learning rate.",
            {"outer_step * (gradient": "(gradient"},
        ),
        Mistake(
            "scales_the_speed",
            "You put the outer learning rate into the speed. Here, as in PyTorch, it multiplies the step alone.",
            {"momentum * speed[i] + gradient": "momentum * speed[i] + outer_step * gradient"},
        ),
        Mistake(
            "forgets_to_keep_the_speed",
            "You gave the old speed back. The next outer step needs the new one.",
            {"speeds.append(new_speed)": "speeds.append(speed[i])"},
        ),
    ],
)
