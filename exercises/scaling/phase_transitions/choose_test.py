"""Exercise: which metric, how many problems and which mark make a test that tells two models apart at least cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

Metrics = Sequence[tuple[float, float, float]]
HAIR = 1e-9  # so that rounding decides nothing
FORM, ALARM, MISS, COST = "metric, problems, mark", "false alarm", "missed progress", "cost"


def choose_test(
    metrics: Sequence[tuple[float, float, float]],
    *,
    false_alarm: float,
    missed: float,
) -> tuple[int, int, int]:
    """Choose the cheapest test that tells the next model from today's.

    A test puts a number of independent problems to the next model, and reports
    progress if at least a certain number of them, the mark, is right. (An
    answer may use NumPy, but not SciPy.)

    Args:
        metrics: for each: how often a problem is right today, how often it is
            right if the next model is as good as hoped, which is more, and
            what one problem costs, above 0.
        false_alarm: if the next model is no better than today's, the test may
            report progress with at most this probability.
        missed: if it is as good as hoped, the test may report none with at
            most this probability.

    Returns:
        The place of the metric in the list, from 0, the number of problems,
        and the mark, at most that number; of several choices that cost
        least, any.

    >>> choose_test([(0.5, 0.9, 1.0), (0.1, 0.7, 2.0)],
    ...             false_alarm=0.2, missed=0.12)
    (1, 2, 1)
    """

    def at_least(mark: int, problems: int, rate: float) -> float:
        below = 0.0
        for right in range(mark):
            ways = math.comb(problems, right)
            below += ways * rate**right * (1 - rate) ** (problems - right)
        return 1 - below

    best = (math.inf, 0, 0, 0)
    for place, (today, hoped, cost) in enumerate(metrics):
        problems = 0
        mark = 1
        while (problems + 1) * cost < best[0]:
            problems += 1
            while at_least(mark, problems, today) > false_alarm:
                mark += 1
            if 1 - at_least(mark, problems, hoped) <= missed:
                best = (problems * cost, place, problems, mark)
    return best[1:]


def tail(mark: int, problems: int, rate: float) -> float:
    """The probability of so many right or more, from the distribution built up problem by problem."""
    chances = [1.0]
    for _ in range(problems):
        chances = [
            (chances[k] if k < len(chances) else 0.0) * (1 - rate) + (chances[k - 1] if k else 0.0) * rate
            for k in range(len(chances) + 1)
        ]
    return math.fsum(chances[max(mark, 0) :])


def rows(rate: float) -> Iterator[list[float]]:
    """The distributions of how many are right of 1, 2, … problems."""
    chances = [1.0]
    while True:
        chances = [a * (1 - rate) + b * rate for a, b in zip([*chances, 0.0], [0.0, *chances], strict=True)]
        yield chances


def fewest(today: float, hoped: float, false_alarm: float, missed: float, most: int = 400) -> int | None:
    """The fewest problems for which some mark keeps both limits, found mark by mark from the far end."""
    for problems, (old, new) in enumerate(zip(rows(today), rows(hoped), strict=False), start=1):
        alarm, mark = 0.0, problems + 1
        while mark and alarm + old[mark - 1] <= false_alarm + HAIR:
            mark -= 1
            alarm += old[mark]
        if math.fsum(new[:mark]) <= missed + HAIR:
            return problems
        if problems >= most:
            return None
    return None


@cache
def least_cost(metrics: tuple[tuple[float, float, float], ...], false_alarm: float, missed: float) -> float:
    costs = []
    for today, hoped, cost in metrics:
        number = fewest(today, hoped, false_alarm, missed)
        if number is not None:
            costs.append(number * cost)
    return min(costs)


def wanted(metrics: Metrics, false_alarm: float, missed: float) -> Observation:
    least = least_cost(tuple((a, b, c) for a, b, c in metrics), false_alarm, missed)
    return {
        FORM: f"a place from 0 to {len(metrics) - 1}, at least one problem, a mark from 0 to their number",
        ALARM: f"at most {false_alarm:g}",
        MISS: f"at most {missed:g}",
        COST: f"{least:g}, the least there is",
    }


def observe(function: Callable[..., Any], *, metrics: Metrics, false_alarm: float, missed: float) -> Observation:
    """Say of a choice how often it errs in either way, and what it costs: any that costs least is right."""
    place, problems, mark = function(metrics=metrics, false_alarm=false_alarm, missed=missed)
    seen = wanted(metrics, false_alarm, missed)
    if not 0 <= place < len(metrics) or not 1 <= problems <= 10_000 or not 0 <= mark <= problems:
        return {**seen, FORM: f"{place}, {problems}, {mark}"}
    today, hoped, cost = metrics[place]
    least = least_cost(tuple((a, b, c) for a, b, c in metrics), false_alarm, missed)
    if problems * cost > least * (1 + HAIR):
        return {**seen, COST: f"{problems * cost:g} for {problems} problems of metric {place}"}
    alarm, miss = tail(mark, problems, today), 1 - tail(mark, problems, hoped)
    if alarm > false_alarm + HAIR:
        seen[ALARM] = f"{alarm:.4g} with {problems} problems of metric {place} and the mark {mark}"
    if miss > missed + HAIR:
        seen[MISS] = f"{miss:.4g} with {problems} problems of metric {place} and the mark {mark}"
    return seen


def clear(inputs: Inputs) -> bool:
    """Say whether rounding decides nothing: no test up to the best one lies at a limit."""
    limits = inputs["false_alarm"], inputs["missed"]
    for today, hoped, _ in inputs["metrics"]:
        most = fewest(today, hoped, *limits) or 0
        for _, old, new in zip(range(most), rows(today), rows(hoped), strict=False):
            alarms, misses = accumulate(reversed(old)), accumulate(new)
            near = [alarm - limits[0] for alarm in alarms] + [miss - limits[1] for miss in misses]
            if min(map(abs, near)) < 1e-7:
                return False
    return True


def case(false_alarm: float, missed: float, *metrics: tuple[float, float, float]) -> Inputs:
    return {"metrics": list(metrics), "false_alarm": false_alarm, "missed": missed}


def cases(st: Any) -> Any:
    pairs = [(0.02, 0.15), (0.05, 0.3), (0.1, 0.35), (0.2, 0.55), (0.3, 0.6), (0.45, 0.8), (0.6, 0.85), (0.15, 0.7)]
    metric = st.builds(
        lambda pair, cost: (*pair, cost), st.sampled_from(pairs), st.sampled_from([1.0, 1.7, 2.0, 3.0, 5.0, 8.0])
    )
    return st.builds(
        lambda listed, alarm, missed: case(alarm, missed, *listed),
        st.lists(metric, min_size=1, max_size=3),
        st.sampled_from([0.03, 0.05, 0.1]),
        st.sampled_from([0.1, 0.15, 0.2]),
    ).filter(clear)


def normal(metrics: Metrics, false_alarm: float, missed: float) -> tuple[int, int, int]:
    """The textbook's number of problems, by the normal approximation."""
    from statistics import NormalDist

    a, b = (NormalDist().inv_cdf(1 - error) for error in (false_alarm, missed))
    choices = []
    for place, (p, q, cost) in enumerate(metrics):
        spread = a * math.sqrt(p * (1 - p)) + b * math.sqrt(q * (1 - q))
        problems = math.ceil((spread / (q - p)) ** 2)
        mark = min(problems, math.ceil(p * problems + a * math.sqrt(p * (1 - p) * problems)))
        choices.append((problems * cost, place, problems, mark))
    _, place, problems, mark = min(choices)
    return place, problems, mark


def halved(metrics: Metrics, false_alarm: float, missed: float) -> tuple[int, int, int]:
    """The best test, if more problems were never worse."""

    def mark(problems: int, today: float, hoped: float) -> int:
        old, new = (
            [math.comb(problems, k) * rate**k * (1 - rate) ** (problems - k) for k in range(problems + 1)]
            for rate in (today, hoped)
        )
        found = next(mark for mark in range(1, problems + 2) if math.fsum(old[mark:]) <= false_alarm)
        return found if found <= problems and math.fsum(new[:found]) <= missed else 0

    choices = []
    for place, (today, hoped, cost) in enumerate(metrics):
        high = 1
        while not mark(high, today, hoped):
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if mark(middle, today, hoped) else (middle, high)
        choices.append((high * cost, place, high, mark(high, today, hoped)))
    return min(choices)[1:]


def of_the_cheapest(metrics: Metrics, false_alarm: float, missed: float) -> tuple[int, int, int]:
    """The best test of the metric whose problem costs least."""
    place = min(range(len(metrics)), key=lambda place: metrics[place][2])
    _, problems, mark = choose_test([metrics[place]], false_alarm=false_alarm, missed=missed)
    return place, problems, mark


# The chapter's two models: the first digit alone, the first five, and all twenty; a problem costs the digits it takes.
QUESTION = ((0.624, 0.785, 1.0), (0.143, 0.337, 5.0), (0.0067, 0.039, 20.0))

as_if = mistaken_rules(wanted, observe)


def of_the_cheapest_alone(chosen: tuple[int, int, int], *, metrics: Metrics, **limits: float) -> bool:
    """Judge a test as if there were no metric but the one whose problem costs least."""
    place, problems, mark = chosen
    only = [min(metrics, key=lambda metric: metric[2])]
    return metrics[place] == only[0] and as_if(read=lambda _: (0, problems, mark))(chosen, metrics=only, **limits)


def taught() -> str:
    place, problems, mark = choose_test(QUESTION, false_alarm=0.05, missed=0.2)
    costs = [choose_test([metric], false_alarm=0.05, missed=0.2)[1] * metric[2] for metric in QUESTION]
    return (
        f"Take metric {place}, a single digit: {problems} problems, with progress from {mark} right on, cost "
        f"{costs[0]:.0f}. Five digits would cost {costs[1]:.0f}, twenty {costs[2]:,.0f}. Here the short metric sees "
        "progress soonest; whether it stands for what the customer buys is another question."
    )


EXERCISE = Exercise(
    choose_test,
    number=3,
    asked="the metric, the number of problems and the mark of the cheapest test that keeps both limits",
    expected=wanted,
    observe=observe,
    draws=20,
    examples=[
        case(0.2, 0.12, (0.5, 0.9, 1.0), (0.1, 0.7, 2.0)),
        case(0.06, 0.1, (0.05, 0.3, 1.0)),
        case(0.5, 0.25, (0.5, 0.75, 1.0)),  # both limits are met exactly
        case(0.06, 0.12, (0.05, 0.9, 1.0)),
        case(0.3, 0.05, (0.5, 0.99, 1.0)),
        case(0.1, 0.111, (0.2, 0.55, 1.0)),
        case(0.05, 0.2, (0.3, 0.45, 1.04), (0.3, 0.45, 1.0)),
        case(0.05, 0.2, (0.3, 0.45, 1.0), (0.3, 0.45, 1.01)),
        case(0.05, 0.2, (0.3, 0.6, 1.0), (0.02, 0.15, 1.0)),
        case(0.1, 0.1, (0.6, 0.85, 1.0), (0.15, 0.7, 5.0)),
        case(0.05, 0.18, (0.45, 0.8, 8.0), (0.3, 0.6, 1.0), (0.2, 0.55, 1.7)),
        case(0.05, 0.2, *QUESTION),
    ],
    inputs=cases,
    taught=taught,
    mistakes=[
        Mistake(
            "normal_approximation",
            "The normal approximation is off for so few problems: add up the binomial probabilities.",
            normal,
        ),
        Mistake(
            "fewest_problems_of_all",
            "You took the metric with the fewest problems, whatever one of them costs.",
            {
                "best = (problems * cost, place": "best = (problems, place",
                "(problems + 1) * cost < best": "problems + 1 < best",
            },
            accepts=as_if(lambda given: {"metrics": [(today, hoped, 1.0) for today, hoped, _ in given["metrics"]]}),
        ),
        Mistake(
            "cheapest_problem",
            "You took the metric whose problem is cheapest; it may need many more of them.",
            of_the_cheapest,
            accepts=of_the_cheapest_alone,
        ),
        Mistake(
            "swaps_the_errors",
            "You swapped the two limits: a false alarm is progress reported for a model that is no better.",
            {
                "at_least(mark, problems, today) > false_alarm": "at_least(mark, problems, today) > missed",
                "at_least(mark, problems, hoped) <= missed": "at_least(mark, problems, hoped) <= false_alarm",
            },
            accepts=as_if(lambda given: {"false_alarm": given["missed"], "missed": given["false_alarm"]}),
        ),
        Mistake(
            "more_than_the_mark",
            "You report progress above the mark; at the mark it counts too.",
            {"for right in range(mark):": "for right in range(mark + 1):"},
            accepts=as_if(read=lambda chosen: (chosen[0], chosen[1], chosen[2] + 1)),
        ),
        Mistake(
            "forgets_the_misses",
            "Your test keeps the false alarms rare, and misses a good model too often.",
            {"if 1 - at_least(mark, problems, hoped) <= missed:": "if at_least(mark, problems, hoped) > 0:"},
            accepts=as_if(lambda given: {"missed": 1 - 1e-6}),
        ),
        Mistake(
            "halves_the_range",
            "You halve a range of numbers of problems. But one problem more may raise the mark, and the misses "
            "with it: try the numbers one by one.",
            halved,
        ),
        Mistake(
            "counts_from_one",
            "Places are counted from 0.",
            {"return best[1:]": "return best[1] + 1, best[2], best[3]"},
            accepts=as_if(read=lambda chosen: (chosen[0] - 1, chosen[1], chosen[2])),
        ),
        Mistake(
            "always_the_example",
            "This is right for one input only: compute the test from the rates.",
            lambda metrics, false_alarm, missed: (1, 2, 1),
        ),
    ],
)
