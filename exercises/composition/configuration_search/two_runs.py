"""Exercise: which layouts to benchmark, one or two."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import NormalDist
from typing import Any

from grader.choices import Choice, mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def two_runs(
    *,
    predicted: list[float],
    kinds: list[str],
    own_spread: float,
    other_spread: float,
    cost_share: float,
) -> list[int]:
    """Choose which layouts to benchmark, one or two.

    The layout that is predicted fastest is run in any case. A second run
    saves, on average and as a share of a step,

        Φ(−z) − (1 + q) · exp(σ²/2) · Φ(−z − σ)    with z = ln(1 + q) / σ,

    where q is by which share it's predicted slower than the first, σ the
    spread of the difference of their errors, and Φ the distribution function
    of the normal distribution. The second run is made if the saving of the
    best choice is above what a run costs.

    Args:
        predicted: seconds of a step of each layout, at least one; the least
            occurs once.
        kinds: of each layout. Errors of one kind differ less.
        own_spread: σ between two layouts of one kind, above 0.
        other_spread: σ between two layouts of two kinds, above 0.
        cost_share: what a run costs, as a share of the whole job.

    Returns:
        The numbers of the layouts, from 0, in the order of their runs: one
        or two. A second run passes that saves at least 0.999 times as much
        as the best one.

    >>> two_runs(predicted=[10.0, 10.2, 10.5], kinds=["a", "a", "b"],
    ...          own_spread=0.02, other_spread=0.1, cost_share=0.001)
    [0, 2]
    """
    normal = NormalDist().cdf
    first = min(range(len(predicted)), key=lambda i: predicted[i])
    best, second = cost_share, None
    for i in range(len(predicted)):
        if i == first:
            continue
        q = predicted[i] / predicted[first] - 1
        spread = own_spread if kinds[i] == kinds[first] else other_spread
        z = math.log(1 + q) / spread
        saving = normal(-z) - (1 + q) * math.exp(spread**2 / 2) * normal(-z - spread)
        if saving > best:
            best, second = saving, i
    return [first] if second is None else [first, second]


HAIR = 1e-3


def savings(given: Inputs) -> tuple[int, dict[int, float]]:
    """Return the first run, and what each other one saves: the chance that it wins by more, added up over the margin.

    The mean of what is positive is the integral of the chance that it exceeds u, over u from 0 to 1.
    """
    predicted: Sequence[float] = given["predicted"]
    first = predicted.index(min(predicted))
    found = {}
    for i, seconds in enumerate(predicted):
        if i == first:
            continue
        spread = given["own_spread"] if given["kinds"][i] == given["kinds"][first] else given["other_spread"]
        lag = math.log(seconds) - math.log(predicted[first])
        parts = 200

        def chance(u: float, lag: float = lag, spread: float = spread) -> float:
            """Return how likely it saves more than a share u."""
            return 0.5 * math.erfc((lag - math.log1p(-u)) / spread / math.sqrt(2))

        # What is saved is hardly ever more than ten spreads: Simpson's rule up to there.
        most = 1 - math.exp(-10 * spread)
        step = most / parts
        inner = math.fsum((4 if place % 2 else 2) * chance(step * place) for place in range(1, parts))
        found[i] = step / 3 * (chance(0.0) + inner + chance(most))
    return first, found


def right(**given: Any) -> str:
    first, found = savings(given)
    most = max(found.values(), default=0.0)
    return f"{first}, then one that saves {most:.4%}" if most > given["cost_share"] else f"{first} alone"


def wrong(chosen: Sequence[int], **given: Any) -> str:
    """Say what is wrong with the runs that are chosen."""
    first, found = savings(given)
    count, most = len(given["predicted"]), max(found.values(), default=0.0)
    runs = list(chosen)
    if not 1 <= len(runs) <= 2 or len(set(runs)) < len(runs) or not all(0 <= i < count for i in runs):
        return f"{runs}: one or two numbers from 0 to {count - 1}, each once"
    if runs[0] != first:
        return f"{runs}: layout {first} is predicted fastest and comes first"
    worth = most > given["cost_share"]
    if len(runs) == 1:
        return f"{runs}: a second run would save {most:.3%}, which is more than it costs" if worth else ""
    saving = found[runs[1]]
    if not worth:
        return f"{runs}: no second run saves more than it costs, layout {runs[1]} saves {saving:.3%}"
    return (
        ""
        if saving >= (1 - HAIR) * most
        else f"{runs}: layout {runs[1]} saves {saving:.3%}, and {most:.3%} is possible"
    )


CHOICE = Choice("runs", right, wrong)
as_if = mistaken_rules(CHOICE.expected, CHOICE.observe)
runs_of = inputs_for(two_runs)


# The chapter's question: its fourteen fastest layouts, as predicted and corrected by a job of 3.6 billion parameters,
# that job's spread inside a kind, and 12% between kinds. A run of an hour is 1/720 of 30 days.
OWN = runs_of(
    [14.364, 14.444, 14.450, 14.452, 14.489, 14.689, 14.693, 14.731, 14.772, 14.828, 15.069, 15.095, 15.151, 15.183],
    [f"t = {t}" for t in (8, 8, 8, 8, 8, 4, 8, 8, 8, 8, 4, 8, 4, 8)],
    0.024,
    0.12,
    1 / 720,
)


def close_contest(chance: Random) -> Inputs:
    """Draw a twin and one of another kind that save nearly as much, and a cost that is near to both."""
    own = chance.choice((0.02, 0.05, 0.08))
    other = own * chance.choice((2.0, 3.0))
    twin = 10 * math.exp(own * chance.uniform(0.0, 1.2))
    low, high, aim = 10.0, 10 * math.exp(4 * other), chance.choice((0.9, 0.94, 1.06, 1.1))
    sides = runs_of([10.0, twin], ["a", "a"], own, other, 0.0)
    target = aim * savings(sides)[1][1]
    for _ in range(40):  # the farther behind, the less it saves
        middle = (low + high) / 2
        saved = savings(runs_of([10.0, middle], ["a", "b"], own, other, 0.0))[1][1]
        low, high = (middle, high) if saved > target else (low, middle)
    rivals = [(10.0, "a"), (round(twin, 3), "a"), (round(low, 3), "b"), (round(10 * math.exp(5 * other), 3), "b")]
    chance.shuffle(rivals)
    steps, kinds = zip(*rivals, strict=True)
    most = max(savings(runs_of(list(steps), list(kinds), own, other, 0.0))[1].values())
    return runs_of(list(steps), list(kinds), own, other, round(most * chance.choice((0.1, 0.9, 1.1)), 6))


def drawn(chance: Random) -> list[Inputs]:
    found = [close_contest(chance) for _ in range(30)]
    while len(found) < 60:
        count = chance.randint(2, 7)
        predicted = [round(10 * (1 + chance.random() * chance.choice((0.05, 0.2, 0.5))), 3) for _ in range(count)]
        own = chance.choice((0.01, 0.03, 0.08))
        given = runs_of(
            predicted,
            [chance.choice("abc") for _ in range(count)],
            own,
            own * chance.choice((1.0, 3.0, 6.0)),
            chance.choice((0.0005, 0.003, 0.02)),
        )
        savings_of = sorted(savings(given)[1].values(), reverse=True)
        clear = len(set(predicted)) == count and abs(savings_of[0] / given["cost_share"] - 1) > 0.05
        if clear and (len(savings_of) < 2 or savings_of[1] < 0.97 * savings_of[0]):
            found.append(given)
    return found


def taught() -> str:
    first, second = two_runs(**OWN)
    saved = savings(OWN)[1]
    order = sorted(range(len(OWN["predicted"])), key=lambda i: OWN["predicted"][i])
    return (
        f"First {OWN['kinds'][first]}, then {OWN['kinds'][second]}: that run is expected to save "
        f"{100 * saved[second]:.1f}% of every step. The next in the order of predictions would save "
        f"{100 * saved[order[1]]:.1f}%. Measured, the first took 14.9 s and the second 13.9 s: 7% of every step."
    )


def by_prediction(**given: Any) -> list[int]:
    order = sorted(range(len(given["predicted"])), key=lambda i: given["predicted"][i])
    return order[:2]


def spread_of(own: str, other: str) -> Callable[[Inputs], Mapping[str, Any]]:
    return lambda given: {"own_spread": given[own], "other_spread": given[other]}


EXERCISE = Exercise(
    two_runs,
    number=5,
    level="hard",
    asked="the layouts to benchmark, one or two, in the order of their runs",
    expected=CHOICE.expected,
    observe=CHOICE.observe,
    examples=[
        runs_of([10.0, 10.2, 10.5], ["a", "a", "b"], 0.02, 0.1, 0.001),
        runs_of([10.0], ["a"], 0.02, 0.1, 0.001),
        runs_of([10.5, 10.0, 10.2], ["b", "a", "a"], 0.02, 0.1, 0.02),
        runs_of([10.0, 10.05, 14.0], ["a", "a", "b"], 0.02, 0.1, 0.001),
        runs_of([12.0, 11.0, 11.1, 11.4], ["a", "b", "b", "a"], 0.05, 0.05, 0.001),
        runs_of([10.0, 14.0], ["a", "b"], 0.02, 0.2, 0.005),
        runs_of([10.0, 13.0], ["a", "b"], 0.02, 0.2, 0.008),
        runs_of([10.0, 10.5, 12.2], ["a", "a", "b"], 0.06, 0.16, 0.001),
        runs_of([10.0, 10.3, 11.5], ["a", "a", "b"], 0.05, 0.12, 0.001),
        runs_of([10.0, 13.0], ["a", "b"], 0.02, 0.6, 0.104),
        runs_of([10.0, 13.0], ["a", "b"], 0.02, 0.6, 0.07),
        OWN,
    ],
    inputs=drawn(Random(29)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_two_fastest",
            "You took the two predicted fastest. A twin of the first is wrong in the same way, and saves little.",
            by_prediction,
        ),
        Mistake(
            "forgets_the_cost",
            "You made a second run that saves less than it costs.",
            {"best, second = cost_share, None": "best, second = 0.0, None"},
            accepts=as_if(lambda given: {"cost_share": 0.0}),
        ),
        Mistake(
            "never_runs_a_second",
            "You made one run. A second is worth its cost here.",
            lambda *, predicted, **_: [predicted.index(min(predicted))],
        ),
        Mistake(
            "exchanges_the_spreads",
            "You exchanged the spreads: layouts of one kind share their errors, so the smaller spread is theirs.",
            {"own_spread if kinds[i] == kinds": "own_spread if kinds[i] != kinds"},
            accepts=as_if(spread_of("other_spread", "own_spread")),
        ),
        Mistake(
            "one_spread_for_all",
            "You took one spread for all. Of layouts of one kind the errors differ less.",
            {"own_spread if kinds[i] == kinds[first] else other_spread": "other_spread"},
            accepts=as_if(spread_of("other_spread", "other_spread")),
        ),
        Mistake(
            "takes_the_farthest",
            "You took the layout that could surprise most, however far behind it is. It has to catch up first.",
            {"if saving > best:": "if saving > cost_share and (second is None or predicted[i] > predicted[second]):"},
        ),
        Mistake(
            "takes_the_best_of_another_kind",
            "You looked only at other kinds. If they're far behind, one of the first one's kind may be worth more.",
            lambda *, predicted, kinds, own_spread, other_spread, cost_share: another_kind(
                predicted=predicted,
                kinds=kinds,
                own_spread=own_spread,
                other_spread=other_spread,
                cost_share=cost_share,
            ),
        ),
        Mistake(
            "takes_another_kind_in_any_case",
            "You ran the best of another kind, whatever it's worth. It may save less than a twin, or than a run costs.",
            lambda *, predicted, kinds, own_spread, other_spread, cost_share: another_kind(
                predicted=predicted,
                kinds=kinds,
                own_spread=own_spread,
                other_spread=other_spread,
                cost_share=0.0,
            ),
        ),
        Mistake(
            "sorts_the_numbers",
            "The numbers are asked for in the order of the runs, the layout that is predicted fastest first.",
            {"else [first, second]": "else sorted([first, second])"},
            accepts=as_if(read=lambda chosen: list(chosen)[::-1]),
        ),
        Mistake(
            "counts_from_one",
            "The layouts are counted from 0.",
            {
                "return [first] if second is None else [first, second]": "return [i + 1 for i in (first, second) "
                "if i is not None]"
            },
            accepts=as_if(read=lambda chosen: [i - 1 for i in chosen]),
        ),
        Mistake(
            "runs_the_second_first",
            "The layout that is predicted fastest is run first.",
            {"else [first, second]": "else [second, first]"},
            accepts=as_if(read=lambda chosen: list(chosen)[::-1]),
        ),
        Mistake("says_one_list", "This is right for one input only.", lambda **_: [0, 2]),
    ],
)


def another_kind(**given: Any) -> list[int]:
    """Choose as who takes another kind in any case."""
    predicted, kinds = given["predicted"], given["kinds"]
    first = predicted.index(min(predicted))
    others = [i for i in range(len(predicted)) if kinds[i] != kinds[first]]
    found = savings(given)[1]
    second = min(others, key=lambda i: predicted[i], default=None)
    return [first] if second is None or found[second] <= given["cost_share"] else [first, second]
