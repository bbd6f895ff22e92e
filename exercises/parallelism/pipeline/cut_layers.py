"""Exercise: a cut of a model's layers into stages whose slowest is as fast as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, combinations, pairwise, product
from random import Random
from typing import Any

from grader.exercise import Exercise, Inputs, Mistake, Observation

COUNTS, SLOWEST = "a whole number of layers, at least 1, for every stage", "time of the slowest stage"
SUM = "layers in all"


def cut_layers(layer_s: Sequence[int], *, stages: int) -> list[int]:
    """Cut a model's layers into consecutive stages.

    The slowest stage is to be as fast as possible.

    Args:
        layer_s: the time of each layer in s, positive whole numbers.
        stages: number of stages, from 1 to the number of layers.

    Returns:
        For each stage its number of layers, at least 1. Where several cuts are
        best, any of them.

    >>> cut_layers([1, 1, 1, 3], stages=2)
    [3, 1]
    """

    def filled(pace_s: int) -> list[int]:
        """Put layers on a stage until the next would make it slower than the pace."""
        counts, load = [0], 0
        for time in layer_s:
            if load + time > pace_s:
                counts.append(0)
                load = 0
            counts[-1] += 1
            load += time
        return counts

    low, high = max(layer_s), sum(layer_s)
    while low < high:
        pace = (low + high) // 2
        low, high = (low, pace) if len(filled(pace)) <= stages else (pace + 1, high)
    sizes = filled(low)
    while len(sizes) < stages:  # splitting a stage slows none down
        place = max(range(len(sizes)), key=sizes.__getitem__)
        sizes[place : place + 1] = [sizes[place] - 1, 1]
    return sizes


def between(cuts: Sequence[int]) -> list[int]:
    return [end - start for start, end in pairwise(cuts)]


def times(layer_s: Sequence[int], sizes: Sequence[int]) -> list[int]:
    return [sum(layer_s[start:end]) for start, end in pairwise([0, *accumulate(sizes)])]


def least(layer_s: Sequence[int], stages: int, rating: Callable[[list[int]], int]) -> list[int]:
    """Try all cuts, and return the first of those whose times are rated lowest."""
    cuts = combinations(range(1, len(layer_s)), stages - 1)
    return min((between((0, *cut, len(layer_s))) for cut in cuts), key=lambda sizes: rating(times(layer_s, sizes)))


def best_cut(layer_s: list[int], stages: int) -> Observation:
    return {COUNTS: "yes", SUM: len(layer_s), SLOWEST: max(times(layer_s, least(layer_s, stages, max)))}


def slowest_stage(function: Callable[..., Any], layer_s: list[int], stages: int) -> Observation:
    """Say whether the answer is a cut, and how slow its slowest stage is."""
    sizes = function(layer_s=layer_s, stages=stages)
    if len(sizes) != stages:
        return {COUNTS: f"{len(sizes)} numbers"}
    if wrong := [size for size in sizes if type(size) is not int or size < 1]:
        return {COUNTS: f"{wrong[0]} layers for a stage"}
    shown = {COUNTS: "yes", SUM: sum(sizes)}
    return {**shown, SLOWEST: max(times(layer_s, sizes))} if sum(sizes) == len(layer_s) else shown


def fills_up_to_the_mean(layer_s: Sequence[int], *, stages: int) -> list[int]:
    sizes, load, left = [0], 0, len(layer_s)
    for time in layer_s:
        room = load + time <= sum(layer_s) / stages or not sizes[-1]
        if len(sizes) < stages and (not room or left <= stages - len(sizes)):
            sizes.append(0)
            load = 0
        sizes[-1] += 1
        load, left = load + time, left - 1
    return sizes


def cuts_near_the_shares(layer_s: Sequence[int], *, stages: int) -> list[int]:
    before, cuts = [0, *accumulate(layer_s)], [0]
    for stage in range(1, stages):
        places = range(cuts[-1] + 1, len(layer_s) - stages + stage + 1)
        cuts.append(min(places, key=lambda at: abs(stages * before[at] - stage * before[-1])))
    return between([*cuts, len(layer_s)])


def fills_up_to_the_mean_of_the_rest(layer_s: Sequence[int], *, stages: int) -> list[int]:
    cuts = [0]
    for left in range(stages, 1, -1):
        rest = layer_s[cuts[-1] : len(layer_s) - left + 1]
        mean = sum(layer_s[cuts[-1] :]) / left
        size = 1
        while size < len(rest) and sum(rest[: size + 1]) - mean <= mean - sum(rest[:size]):
            size += 1
        cuts.append(cuts[-1] + size)
    return between([*cuts, len(layer_s)])


def moves_one_layer_at_a_time(layer_s: Sequence[int], *, stages: int) -> list[int]:
    sizes, best = [len(layer_s) // stages + (stage < len(layer_s) % stages) for stage in range(stages)], [0]
    while sizes != best:
        best = sizes
        for first, step in product(range(stages - 1), (-1, 1)):
            moved = [size + step * ((stage == first) - (stage == first + 1)) for stage, size in enumerate(sizes)]
            if min(moved) and max(times(layer_s, moved)) < max(times(layer_s, sizes)):
                sizes = moved
    return sizes


def halves_the_slowest(layer_s: Sequence[int], *, stages: int) -> list[int]:
    cuts = [0, len(layer_s)]
    while len(cuts) <= stages:
        a, b = max((one for one in pairwise(cuts) if one[1] - one[0] > 1), key=lambda one: sum(layer_s[slice(*one)]))
        at = min(range(a + 1, b), key=lambda at: max(sum(layer_s[a:at]), sum(layer_s[at:b])))
        cuts = sorted([*cuts, at])
    return between(cuts)


def some_layers(seed: int) -> Inputs:
    chance = Random(seed)
    layer_s = [chance.randint(1, 30) for _ in range(chance.randint(4, 8))]
    return {"layer_s": layer_s, "stages": chance.randint(2, len(layer_s) - 1)}


def drawn(chance: Random) -> list[Inputs]:
    """Return layers of other times."""
    return [some_layers(chance.randrange(10**9)) for _ in range(80)]


def taught() -> str:
    own = EXERCISE.examples[-1]
    best, even = cut_layers(**own), [4, 3, 3, 3]
    slowest, slower = (max(times(own["layer_s"], sizes)) for sizes in (best, even))
    return (
        f"The stages get {', '.join(map(str, best))} layers, and the slowest takes {slowest}. With "
        f"{', '.join(map(str, even))} layers, as even as can be, it takes {slower}: the vocabulary takes longer than "
        "two layers. Deal out time, not layers."
    )


EXERCISE = Exercise(
    cut_layers,
    number=5,
    asked="a cut into stages whose slowest stage is as fast as possible",
    expected=best_cut,
    observe=slowest_stage,
    examples=[
        {"layer_s": [9, 1, 1, 1, 1], "stages": 2},
        {"layer_s": [1, 1, 1, 9], "stages": 3},
        {"layer_s": [3, 3, 7, 1], "stages": 3},
        {"layer_s": [1, 1], "stages": 1},
        {"layer_s": [1, 1], "stages": 2},
        {"layer_s": [1], "stages": 1},
        {"layer_s": [2, *11 * [3], 7], "stages": 4},
    ],
    inputs=[
        *({"layer_s": list(layer_s), "stages": 3} for layer_s in product((1, 3, 7), repeat=5)),
        *map(some_layers, range(40)),
    ],
    drawn=drawn,
    units={SLOWEST: "s", SUM: "layers"},
    taught=taught,
    mistakes=[
        Mistake(
            "deals_equal_numbers",
            "Equal numbers of layers are no equal times: a stage with slow layers should have fewer of them.",
            lambda layer_s, stages: [(len(layer_s) + stages - stage - 1) // stages for stage in range(stages)],
        ),
        Mistake(
            "fills_up_to_the_mean",
            "Filling each stage up to the mean leaves what is left to the last one; what counts is the slowest stage, "
            "so ask for the least pace at which the layers fit.",
            fills_up_to_the_mean,
        ),
        Mistake(
            "fills_up_to_the_mean_of_the_rest",
            "The mean of what is left is no pace that all stages can keep; ask for the least pace at which the layers "
            "fit.",
            fills_up_to_the_mean_of_the_rest,
        ),
        Mistake(
            "cuts_near_the_shares",
            "Cuts near equal shares of the whole time are near the best, not the best: ask for the least pace.",
            cuts_near_the_shares,
        ),
        Mistake(
            "moves_one_layer_at_a_time",
            "Moving one layer at a time stops where no single move helps, which need not be the best cut.",
            moves_one_layer_at_a_time,
        ),
        Mistake(
            "halves_the_slowest",
            "Cutting the slowest stage in two again and again cannot move the cuts that it has made; ask for the least "
            "pace.",
            halves_the_slowest,
        ),
        Mistake(
            "makes_the_squares_least",
            "This makes the squares of the times smallest; the slowest stage sets the pace, whatever the others do.",
            lambda layer_s, stages: least(layer_s, stages, lambda found: sum(time**2 for time in found)),
        ),
        Mistake(
            "returns_the_cuts",
            "These are the layers at which stages begin or end; asked is how many layers each stage gets.",
            {"return sizes": "return [sum(sizes[: stage + 1]) for stage in range(stages)]"},
        ),
        Mistake(
            "gives_each_stage_one_layer",
            "This is right for one input only: a stage for every layer.",
            lambda layer_s, stages: [1] * len(layer_s),
        ),
    ],
)
