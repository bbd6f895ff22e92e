"""Typical wrong answers to chapter 18's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise

from exercises.grading import mutant
from exercises.parallelism.pipeline import solution

Order = list[tuple[str, int]]


def _order(micro_batches: int, warmup: int) -> Order:
    """Return a warm-up, then one forward and one backward in turn, then the backwards that are left."""
    warmup = min(warmup, micro_batches)
    order = [("F", i) for i in range(warmup)]
    for i in range(micro_batches):
        order += [("F", warmup + i)] * (warmup + i < micro_batches) + [("B", i)]
    return order


@mutant(
    "one_f_one_b_order",
    says="All forwards before all backwards is GPipe: the bubble is the same, but every stage holds every micro-batch.",
)
def writes_gpipe(*, stages: int, micro_batches: int, stage: int) -> Order:
    return _order(micro_batches, micro_batches)


@mutant(
    "one_f_one_b_order",
    says="The warm-up is one forward too short, so that the stage waits for each gradient: "
    "stage i runs p − i − 1 forwards before its first pair.",
)
def warms_up_too_little(*, stages: int, micro_batches: int, stage: int) -> Order:
    return _order(micro_batches, max(0, stages - stage - 2))


@mutant(
    "one_f_one_b_order",
    says="The warm-up is one forward too long: p − i forwards and then a pair of which the forward comes first "
    "hold one micro-batch more than needed.",
)
def warms_up_too_long(*, stages: int, micro_batches: int, stage: int) -> Order:
    return _order(micro_batches, stages - stage)


@mutant(
    "one_f_one_b_order",
    says="Every stage warms up as long as the first; a stage nearer to the end gets its first gradient earlier and "
    "needs a shorter warm-up.",
)
def warms_up_all_alike(*, stages: int, micro_batches: int, stage: int) -> Order:
    return _order(micro_batches, stages - 1)


@mutant(
    "one_f_one_b_order",
    says="The warm-up is counted from the wrong end: the first stage waits longest for a gradient, the last never.",
)
def counts_from_the_wrong_end(*, stages: int, micro_batches: int, stage: int) -> Order:
    return _order(micro_batches, stage)


@mutant(
    "one_f_one_b_order",
    says="There can be fewer micro-batches than the warm-up wants; a forward of a micro-batch that does not exist "
    "is in the order.",
)
def warms_up_with_micro_batches_that_do_not_exist(*, stages: int, micro_batches: int, stage: int) -> Order:
    warmup = stages - stage - 1
    pairs = [(kind, i + shift) for i in range(micro_batches - warmup) for kind, shift in (("F", warmup), ("B", 0))]
    left = range(max(0, micro_batches - warmup), micro_batches)
    return [("F", i) for i in range(warmup)] + pairs + [("B", i) for i in left]


@mutant("one_f_one_b_order", says="When the forwards have run out, backwards are left: one for each of the warm-up.")
def stops_with_the_last_forward(*, stages: int, micro_batches: int, stage: int) -> Order:
    warmup = min(stages - stage - 1, micro_batches)
    return _order(micro_batches, warmup)[: 2 * micro_batches - warmup]


@mutant("one_f_one_b_order", says="This is right for one input only: one stage and one micro-batch.")
def runs_one_micro_batch(*, stages: int, micro_batches: int, stage: int) -> Order:
    return [("F", 0), ("B", 0)]


@mutant("least_micro_batches", says="A bubble that equals the limit is not below it.")
def allows_the_limit_itself(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    least = math.ceil((stages - 1) * (1 - bubble) / (bubble * chunks))
    return max(least, stages if chunks > 1 else 1)


@mutant(
    "least_micro_batches",
    says="This compares the bubble with the time of work, (p − 1)/(vm); "
    "the limit is a share of the whole step, (p − 1)/(vm + p − 1).",
)
def takes_the_overhead(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    return max(int((stages - 1) / (bubble * chunks)) + 1, stages if chunks > 1 else 1)


@mutant("least_micro_batches", says="p stages wait p − 1 times, not p times.")
def waits_for_every_stage(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    return max(int(stages * (1 - bubble) / (bubble * chunks)) + 1, stages if chunks > 1 else 1)


@mutant("least_micro_batches", says="The chunks are not used: v chunks make the bubble v times as short.")
def forgets_the_chunks(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    return max(int((stages - 1) * (1 - bubble) / bubble) + 1, stages if chunks > 1 else 1)


@mutant("least_micro_batches", says="Interleaving needs at least as many micro-batches as there are stages.")
def interleaves_too_few(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    return int((stages - 1) * (1 - bubble) / (bubble * chunks)) + 1


@mutant(
    "least_micro_batches",
    says="A float misses the integer that decides: 0.05 is not 1/20. Stay with fractions to the end.",
)
def rounds_on_the_way(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    least = int((stages - 1) * (1 - float(bubble)) / (float(bubble) * chunks)) + 1
    return max(least, stages if chunks > 1 else 1)


@mutant("least_micro_batches", says="This is right for one input only: a single stage has no bubble.")
def takes_one_micro_batch(*, stages: int, bubble: Fraction, chunks: int = 1) -> int:
    return 1


@mutant("peak_activations", says="This counts all forwards; a backward releases what its forward has stored.")
def never_releases(order: Sequence[tuple[str, int]]) -> int:
    return sum(kind == "F" for kind, _ in order)


@mutant("peak_activations", says="This is what is held in the end; the peak is somewhere on the way.")
def looks_at_the_end(order: Sequence[tuple[str, int]]) -> int:
    return sum({"F": 1, _last_kind(order): -1}.get(kind, 0) for kind, _ in order)


@mutant("peak_activations", says="Where the backward is split, W still needs the activations: B does not release them.")
def releases_at_b(order: Sequence[tuple[str, int]]) -> int:
    return max(accumulate({"F": 1, "B": -1}.get(kind, 0) for kind, _ in order), default=0)


@mutant("peak_activations", says="A micro-batch is released once, by its W; here B and W each release it.")
def releases_twice(order: Sequence[tuple[str, int]]) -> int:
    return max(accumulate({"F": 1, "B": -1, "W": -1}[kind] for kind, _ in order), default=0)


@mutant(
    "peak_activations",
    says="While a backward runs, its own micro-batch is still held; count before it is released, not after.",
)
def counts_after_releases(order: Sequence[tuple[str, int]]) -> int:
    held = list(accumulate({"F": 1, _last_kind(order): -1}.get(kind, 0) for kind, _ in order))
    return max((count for count, (kind, _) in zip(held, order, strict=True) if kind != "F"), default=0)


@mutant("peak_activations", says="This is right for one input only: one forward and its backward.")
def holds_one(order: Sequence[tuple[str, int]]) -> int:
    return 1


def _last_kind(order: Sequence[tuple[str, int]]) -> str:
    return "W" if any(kind == "W" for kind, _ in order) else "B"


@mutant(
    "cut_layers",
    says="Equal numbers of layers are no equal times: a stage with slow layers should have fewer of them.",
)
def deals_equal_numbers(layer_s: Sequence[int], *, stages: int) -> list[int]:
    each, more = divmod(len(layer_s), stages)
    return [each + (stage < more) for stage in range(stages)]


@mutant(
    "cut_layers",
    says="Filling each stage up to the mean leaves what is left to the last one; "
    "what counts is the slowest stage, so ask for the least pace at which the layers fit.",
)
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


@mutant("cut_layers", says="Every stage needs a layer; here stages are left empty.")
def leaves_stages_empty(layer_s: Sequence[int], *, stages: int) -> list[int]:
    paces = range(max(layer_s), sum(layer_s) + 1)
    sizes = next(sizes for pace in paces if len(sizes := _filled(layer_s, pace)) <= stages)
    return sizes + [0] * (stages - len(sizes))


@mutant(
    "cut_layers", says="These are the layers at which stages begin or end; asked is how many layers each stage gets."
)
def returns_the_cuts(layer_s: Sequence[int], *, stages: int) -> list[int]:
    return list(accumulate(solution.cut_layers(layer_s, stages=stages)))


@mutant("cut_layers", says="These are the times of the stages; asked is how many layers each stage gets.")
def returns_the_times(layer_s: Sequence[int], *, stages: int) -> list[int]:
    ends = [0, *accumulate(solution.cut_layers(layer_s, stages=stages))]
    return [sum(layer_s[start:end]) for start, end in pairwise(ends)]


@mutant("cut_layers", says="This makes the fastest stage as slow as possible; the slowest one sets the pace.")
def speeds_up_the_wrong_end(layer_s: Sequence[int], *, stages: int) -> list[int]:
    def times(cut: tuple[int, ...]) -> list[int]:
        return [sum(layer_s[start:end]) for start, end in zip((0, *cut), (*cut, len(layer_s)), strict=True)]

    cuts = combinations(range(1, len(layer_s)), stages - 1)
    best = max(cuts, key=lambda cut: min(times(cut)))
    return [end - start for start, end in zip((0, *best), (*best, len(layer_s)), strict=True)]


@mutant("cut_layers", says="This is right for one input only: a stage for every layer.")
def gives_each_stage_one_layer(layer_s: Sequence[int], *, stages: int) -> list[int]:
    return [1] * len(layer_s)


def _filled(layer_s: Sequence[int], pace_s: int) -> list[int]:
    """Put layers on a stage until the next would make it slower than the pace; return the numbers of layers."""
    sizes, load = [0], 0
    for time in layer_s:
        if load + time > pace_s:
            sizes.append(0)
            load = 0
        sizes[-1] += 1
        load += time
    return sizes
