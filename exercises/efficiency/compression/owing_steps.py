"""Exercise: one rank's descent with its largest elements, and a memory of the rest."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def owing_steps(
    parameters: list[float],
    *,
    gradients: list[list[float]],
    learning_rate: float,
    kept: int,
) -> tuple[list[float], list[float]]:
    """Walk down along gradients with the largest elements, and owe the rest.

    In each step the rank adds what it owes to its update, the learning rate
    times the gradient. It takes the elements of greatest magnitude away from
    the parameters, and owes the others.

    Args:
        parameters: at first.
        gradients: one for each step, as long as the parameters.
        learning_rate: of every step.
        kept: how many elements a step takes, from 1 to all. Of equal
            magnitudes the first ones.

    Returns:
        The parameters after the last step, and what is owed then.

    >>> owing_steps([0.0, 0.0], gradients=[[1.0, 3.0]], learning_rate=1.0,
    ...             kept=1)
    ([0.0, -3.0], [1.0, 0.0])
    """
    point, owed = list(parameters), [0.0] * len(parameters)
    for gradient in gradients:
        wanted = [learning_rate * g + m for g, m in zip(gradient, owed, strict=True)]
        order = sorted(range(len(wanted)), key=lambda i: -abs(wanted[i]))
        owed = list(wanted)
        for place in order[:kept]:
            point[place] -= wanted[place]
            owed[place] = 0.0
    return point, owed


def by_what_was_sent(
    *, parameters: list[float], gradients: list[list[float]], learning_rate: float, kept: int
) -> tuple[list[float], list[float]]:
    """Write down in fractions all that was wanted and all that was sent; what is owed is the difference of the sums."""
    size, rate = len(parameters), Fraction(learning_rate)
    wanted_in_all = [Fraction(0)] * size
    sent_in_all = [Fraction(0)] * size
    for gradient in gradients:
        for place in range(size):
            wanted_in_all[place] += rate * Fraction(gradient[place])
        open_now = [all_of - sent for all_of, sent in zip(wanted_in_all, sent_in_all, strict=True)]
        free = set(range(size))
        for _ in range(kept):
            best = None
            for place in range(size):
                if place in free and (best is None or abs(open_now[place]) > abs(open_now[best])):
                    best = place
            assert best is not None
            free.remove(best)
            sent_in_all[best] += open_now[best]
    point = [float(Fraction(first) - sent) for first, sent in zip(parameters, sent_in_all, strict=True)]
    return point, [float(all_of - sent) for all_of, sent in zip(wanted_in_all, sent_in_all, strict=True)]


given = inputs_for(owing_steps)


def _drawn(chance: Random) -> list[Inputs]:
    """Return walks whose numbers floats hold exactly."""
    found = []
    for size, steps, kept, rate in ((2, 3, 1, 1.0), (3, 6, 1, 0.5), (4, 9, 2, 0.25), (5, 12, 3, 2.0), (6, 20, 1, 0.5)):
        gradients = [[float(chance.randrange(-9, 10)) for _ in range(size)] for _ in range(steps)]
        start = [float(chance.randrange(-9, 10)) for _ in range(size)]
        found.append(given(start, gradients, rate, kept))
    return found


INPUTS: list[Inputs] = [
    given([1.0, 1.0, 1.0], [], 1.0, 1),
    given([1.0, 2.0], [[1.0, 1.0]], 1.0, 1),
    given([1.0, 2.0], [[1.0, -1.0], [0.0, 0.0]], 1.0, 1),
    given([0.0, 0.0, 0.0], [[-5.0, 4.0, 4.0]] * 4, 0.5, 1),
    given([0.0, 0.0, 0.0], [[-5.0, 4.0, 4.0]] * 4, 0.5, 2),
    given([0.0, 0.0, 0.0], [[-5.0, 4.0, 4.0]] * 2, 0.5, 3),
    given([3.0], [[1.0], [2.0]], 0.25, 1),
    given([0.0, 0.0], [[4.0, 1.0]] * 9, 1.0, 1),
    given([0.0, 0.0], [[4.0, -1.0], [-4.0, -1.0]] * 5, 1.0, 1),
    *_drawn(Random(31)),
]

EXERCISE = Exercise(
    owing_steps,
    number=2,
    level="medium",
    asked="the parameters and what is owed",
    expected=by_what_was_sent,
    examples=[
        given([0.0, 0.0], [[1.0, 3.0]], 1.0, 1),
        given([0.0, 0.0], [[2.0, 3.0], [2.0, 3.0]], 1.0, 1),
        given([1.0, 1.0, 1.0], [[-5.5, 4.5, 4.5]] * 6, 0.5, 1),
    ],
    inputs=INPUTS,
    drawn=_drawn,
    mistakes=[
        Mistake(
            "forgets_what_it_owes",
            "You left out what the last steps owe. A small element would never be sent.",
            {" + m for g, m": " for g, m"},
        ),
        Mistake(
            "owes_only_the_last_step",
            "You owe only what this step left out of its own gradient. What was owed before is owed still.",
            {"owed = list(wanted)": "owed = [learning_rate * g for g in gradient]"},
        ),
        Mistake(
            "owes_what_it_sent",
            "You owe what you have already sent as well. Its place in the memory becomes 0.",
            {"owed[place] = 0.0": "pass"},
        ),
        Mistake(
            "chooses_by_sign",
            "You took the greatest numbers. A large negative one counts as much: go by magnitude.",
            {"-abs(wanted[i])": "-wanted[i]"},
        ),
        Mistake(
            "chooses_the_smallest",
            "You took the elements of least magnitude.",
            {"-abs(wanted[i])": "abs(wanted[i])"},
        ),
        Mistake(
            "chooses_by_the_gradient",
            "You chose by the gradient alone. Choose among the sums of update and memory.",
            {"-abs(wanted[i])": "-abs(gradient[i])"},
        ),
        Mistake(
            "pays_debts_at_the_rate",
            "You multiplied what is owed by the learning rate again. The memory is in units of the update.",
            {"learning_rate * g + m for": "learning_rate * (g + m) for"},
        ),
        Mistake(
            "owes_in_units_of_the_gradient",
            "Your memory is in units of the gradient. Keep what is left of the update: the rate is in it.",
            {
                "learning_rate * g + m for": "g + m for",
                "point[place] -= wanted[place]": "point[place] -= learning_rate * wanted[place]",
            },
        ),
        Mistake(
            "sends_the_gradient",
            "You took the gradient from the parameters, and not the update with what is owed.",
            {"point[place] -= wanted[place]": "point[place] -= learning_rate * gradient[place]"},
        ),
        Mistake(
            "climbs",
            "You added the update. It is taken away from the parameters.",
            {"point[place] -= wanted[place]": "point[place] += wanted[place]"},
        ),
        Mistake(
            "breaks_ties_at_the_end",
            "Of equal magnitudes you took the last ones. The first ones are sent.",
            {"key=lambda i: -abs(wanted[i])": "key=lambda i: (-abs(wanted[i]), -i)"},
        ),
        Mistake(
            "sends_one",
            "You sent a single element in each step, however many are kept.",
            {"order[:kept]": "order[:1]"},
        ),
    ],
)
