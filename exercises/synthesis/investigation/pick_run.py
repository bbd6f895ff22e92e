"""Exercise: which of several timed runs to take, if a log may have exchanged two columns and steps vary."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def pick_run(
    runs: list[tuple[int, int, int, int]],
    *,
    samples: int,
    spread_percent: int,
) -> tuple[int, float, str]:
    """Return the fastest run, by how much it leads, and whether to believe it.

    A row of the table has the seconds of a step in its first column and
    TFLOP/s in its second, or the other way round. The samples that the log
    counted in 1,000 s tell which: the seconds are the column nearer to
    samples · 1000 / rate, the first if both are equally near.

    Single steps vary by a standard deviation of so many per cent of a step.
    Means of n₁ and n₂ steps then differ by chance with a standard error of
    that times √(1/n₁ + 1/n₂), as a share of the next fastest run's step.
    Compare exactly, for example with fractions: ties count.

    Args:
        runs: at least two; for each both columns, the samples in 1,000 s, and
            the steps timed, all at least 1.
        samples: of a step, at least 1.
        spread_percent: of single steps, at least 0.

    Returns:
        The number of the fastest run, from 0; the share by which its step is
        shorter than the next fastest one's; and "take" if that is at least
        two standard errors, else "repeat". Of equally fast runs the first is
        the faster one, for both places.

    >>> pick_run([(90, 100, 1111, 9), (100, 90, 1000, 9)],
    ...     samples=100, spread_percent=3)
    (0, 0.1, 'take')
    """
    found = []
    for number, (first, second, rate, steps) in enumerate(runs):
        due = Fraction(1000 * samples, rate)
        near = abs(first - due) <= abs(second - due)
        found.append((first if near else second, number, steps))
    (fast, best, n_1), (slow, _, n_2) = sorted(found)[:2]
    gain = 1 - Fraction(fast, slow)
    variance = Fraction(spread_percent, 100) ** 2
    chance = 4 * variance * (Fraction(1, n_1) + Fraction(1, n_2))
    return best, float(gain), "take" if gain**2 >= chance else "repeat"


def by_rates(runs: list[tuple[int, int, int, int]], *, samples: int, spread_percent: int) -> tuple[int, float, str]:
    """Order the runs by what both columns would mean for the counted samples, in whole numbers throughout."""
    seconds = []
    for first, second, rate, _ in runs:
        wrong = [abs(column * rate - 1000 * samples) for column in (first, second)]
        seconds.append(second if wrong[1] < wrong[0] else first)
    best = min(range(len(runs)), key=lambda i: (seconds[i], i))
    rest = [i for i in range(len(runs)) if i != best]
    next_best = min(rest, key=lambda i: (seconds[i], i))
    lead, slow = seconds[next_best] - seconds[best], seconds[next_best]
    a, b = runs[best][3], runs[next_best][3]
    # (lead / slow)² against (2 · spread / 100)² (1/a + 1/b), multiplied out
    enough = lead**2 * 2500 * a * b >= spread_percent**2 * slow**2 * (a + b)
    return best, lead / slow, "take" if enough else "repeat"


case = inputs_for(pick_run)
OWN = case([(13734, 11302, 149119, 1), (12029, 13402, 152813, 1)], 2048 * 1000, 2)


def drawn(chance: Random) -> list[Inputs]:
    """Return tables in which about half of the rows are exchanged, and leads of about two standard errors."""
    found = []
    for _ in range(80):
        samples = chance.randint(50, 500)
        runs = []
        base = chance.randint(80, 140)
        for _ in range(chance.randint(2, 4)):
            seconds = base + chance.randint(0, 12)
            other = seconds + chance.choice((-1, 1)) * chance.randint(3, 40)
            rate = max(1, round(1000 * samples / seconds))
            columns = (seconds, other) if chance.random() < 0.5 else (other, seconds)
            runs.append((*columns, rate, chance.choice((1, 2, 5, 10, 30))))
        found.append(case(runs, samples, chance.choice((0, 1, 2, 3, 5))))
    return found


def taught() -> str:
    best, gain, verdict = pick_run(**OWN)
    return (
        f"Run {best} is faster by {gain:.1%}, not by the {1 - 12029 / 13734:.0%} of the first column. From "
        f"one step each, with steps that vary by 2%: {verdict}. "
        "Six steps of each would tell."
    )


EXERCISE = Exercise(
    pick_run,
    number=6,
    level="hard",
    asked="which run to take, its lead, and whether to believe it",
    expected=by_rates,
    examples=[
        case([(90, 100, 1111, 9), (100, 90, 1000, 9)], 100, 3),
        case([(90, 100, 1000, 9), (95, 90, 1053, 9)], 100, 3),
        case([(100, 120, 1000, 1), (100, 80, 1000, 1)], 100, 0),
        case([(98, 120, 1020, 1), (100, 80, 1000, 1)], 100, 1),
        case([(98, 120, 1020, 9), (100, 80, 1000, 9)], 100, 1),
        case([(96, 120, 1042, 2), (100, 80, 1000, 2)], 100, 2),
        case([(110, 90, 1000, 3), (105, 130, 952, 3)], 100, 1),
        case([(90, 110, 1000, 3), (105, 130, 952, 3)], 100, 1),
        case([(100, 60, 1000, 4), (97, 140, 1031, 30), (99, 40, 1010, 1)], 100, 1),
        case([(90, 109, 1003, 9), (120, 150, 833, 9)], 100, 1),
        case([(90, 110, 997, 9), (120, 150, 833, 9)], 100, 1),
        case([(81, 500, 1234, 2), (88, 500, 1136, 2)], 100, 4),
        case([(90, 200, 1111, 9), (100, 200, 1000, 1), (100, 300, 1000, 9)], 100, 5),
        OWN,
    ],
    inputs=drawn(Random(36)),
    drawn=drawn,
    units={"result": "(run, share, verdict)"},
    taught=taught,
    mistakes=[
        Mistake(
            "trusts_the_columns",
            "You read the first column as seconds in every row. In some rows it's the rate.",
            {"near = abs(first - due) <= abs(second - due)": "near = first == first"},
        ),
        Mistake(
            "takes_the_smaller_column",
            "You took the smaller column for the seconds. The samples tell, and they were counted in 1,000 s.",
            {"near = abs(first - due) <= abs(second - due)": "near = first <= second"},
        ),
        Mistake(
            "counts_the_lead_on_the_faster",
            "You divided the lead by the faster step. It's a share of the slower one.",
            {"1 - Fraction(fast, slow)": "Fraction(slow, fast) - 1"},
        ),
        Mistake(
            "forgets_the_spread",
            "You believed every lead. Steps vary, and a few of them can lead by chance.",
            {'"take" if gain**2 >= chance else "repeat"': '"take"'},
        ),
        Mistake(
            "one_standard_error",
            "You asked for one standard error. Asked are two.",
            {"4 * variance": "variance"},
        ),
        Mistake(
            "forgets_the_other_mean",
            "Both means vary: the error of the difference has a part of each.",
            {"(Fraction(1, n_1) + Fraction(1, n_2))": "Fraction(1, n_1)"},
        ),
        Mistake(
            "forgets_to_average",
            "You compared the lead with single steps. A mean of n steps varies less.",
            {"(Fraction(1, n_1) + Fraction(1, n_2))": "2"},
        ),
        Mistake(
            "compares_with_the_slowest",
            "You compared with the slowest run. The next fastest is the one that could be the best.",
            {"sorted(found)[:2]": "(sorted(found)[0], sorted(found)[-1])"},
        ),
    ],
)
