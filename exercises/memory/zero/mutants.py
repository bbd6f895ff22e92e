"""Typical wrong answers to chapter 22's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from typing import Any

from exercises.grading import mutant
from exercises.memory.zero import solution
from snippets.machine import AllGather, AllReduce, ReduceScatter, Request
from snippets.memory.sharded_rank import Rank

Step = Generator[Request, Any, None]


def _bytes(weights: int, gradients: int, optimizer: int, cut: tuple[bool, bool, bool], ranks: int) -> Fraction:
    """Return bytes for bits of three kinds, of which some are cut."""
    kinds = zip((weights, gradients, optimizer), cut, strict=True)
    return sum((Fraction(bits, 8 * (ranks if each else 1)) for bits, each in kinds), Fraction(0))


@mutant("bytes_per_parameter", says="These are bits; a byte has 8.")
def counts_bits(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    optimizer = 2 * average_bits + 32 * master
    return 8 * _bytes(weight_bits, gradient_bits, optimizer, (stage >= 3, stage >= 2, stage >= 1), ranks)


@mutant("bytes_per_parameter", says="Adam keeps two averages, of the gradient and of its square; here is one.")
def counts_one_average(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    optimizer = average_bits + 32 * master
    return _bytes(weight_bits, gradient_bits, optimizer, (stage >= 3, stage >= 2, stage >= 1), ranks)


@mutant("bytes_per_parameter", says="The float32 copy of the weights is missing: 4 bytes more where there is one.")
def forgets_the_master_copy(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    return _bytes(weight_bits, gradient_bits, 2 * average_bits, (stage >= 3, stage >= 2, stage >= 1), ranks)


@mutant("bytes_per_parameter", says="The float32 copy is optimizer state: stage 1 cuts it like the averages.")
def keeps_the_master_copy_whole(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    kept = _bytes(weight_bits, gradient_bits, 2 * average_bits, (stage >= 3, stage >= 2, stage >= 1), ranks)
    return kept + 4 * master


@mutant("bytes_per_parameter", says="Only stage 3 cuts everything; stages 1 and 2 leave the weights whole.")
def cuts_everything(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    optimizer = 2 * average_bits + 32 * master
    return _bytes(weight_bits, gradient_bits, optimizer, (stage >= 1, stage >= 1, stage >= 1), ranks)


@mutant("bytes_per_parameter", says="A stage cuts what the stages below it cut, and one kind more.")
def cuts_one_kind_at_a_time(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    optimizer = 2 * average_bits + 32 * master
    return _bytes(weight_bits, gradient_bits, optimizer, (stage == 3, stage == 2, stage == 1), ranks)


@mutant("bytes_per_parameter", says="The stages are in the wrong order: first the optimizer's state, last the weights.")
def cuts_the_weights_first(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    optimizer = 2 * average_bits + 32 * master
    return _bytes(weight_bits, gradient_bits, optimizer, (stage >= 1, stage >= 2, stage >= 3), ranks)


@mutant("bytes_per_parameter", says="This is right for one input only: mixed-precision Adam without shards.")
def takes_sixteen(
    *, weight_bits: int, gradient_bits: int, average_bits: int, master: bool, stage: int, ranks: int
) -> Fraction:
    return Fraction(16)


def _update(rank: Rank, mean: Any, step: int, learning_rate: float) -> None:
    """Make Adam's step on the shard."""
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    slope = rank.first / (1 - 0.9**step) / ((rank.second / (1 - 0.999**step)) ** 0.5 + 1e-8)
    rank.parameters[rank.shard] -= learning_rate * slope


@mutant(
    "zero1_step",
    says="The result is right, its cost is not: an all-reduce of everything brings each rank the sums of all shards. "
    "A rank needs the sum of its own, which a reduce-scatter brings for half the bytes.",
)
def all_reduces_everything(*, rank: Rank, step: int, learning_rate: float) -> Step:
    total = yield AllReduce(rank.gradients)
    _update(rank, total[rank.shard] / rank.ranks, step, learning_rate)
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


@mutant(
    "zero1_step",
    says="The result is right, its cost is not: the averages travel. "
    "Send the updated weights instead; the averages stay with their owner.",
)
def gathers_the_averages(*, rank: Rank, step: int, learning_rate: float) -> Step:
    total = yield AllReduce(rank.gradients)
    old = rank.parameters.copy()
    _update(rank, total[rank.shard] / rank.ranks, step, learning_rate)
    first, second = (yield AllGather(rank.first)), (yield AllGather(rank.second))
    slope = first / (1 - 0.9**step) / ((second / (1 - 0.999**step)) ** 0.5 + 1e-8)
    rank.parameters[:] = old - learning_rate * slope


@mutant(
    "zero1_step",
    says="The result and the bytes sent are right, the memory is not: the new weights are gathered beside the old "
    "ones. Gather them into rank.parameters.",
)
def gathers_into_new_memory(*, rank: Rank, step: int, learning_rate: float) -> Step:
    total = yield ReduceScatter(rank.gradients)
    _update(rank, total / rank.ranks, step, learning_rate)
    rank.parameters[:] = yield AllGather(rank.parameters[rank.shard])


@mutant("zero1_step", says="Adam hides it, but its averages show: this takes the sum of the gradients, not their mean.")
def takes_the_sum(*, rank: Rank, step: int, learning_rate: float) -> Step:
    total = yield ReduceScatter(rank.gradients)
    _update(rank, total, step, learning_rate)
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


@mutant("zero1_step", says="Each rank has seen other examples: its own gradient is not the mean over ranks.")
def takes_its_own_gradient(*, rank: Rank, step: int, learning_rate: float) -> Step:
    _update(rank, rank.gradients[rank.shard], step, learning_rate)
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


@mutant(
    "zero1_step", says="A rank has updated its shard alone: the new weights of the other shards are to be gathered."
)
def forgets_to_gather(*, rank: Rank, step: int, learning_rate: float) -> Step:
    total = yield ReduceScatter(rank.gradients)
    _update(rank, total / rank.ranks, step, learning_rate)


@mutant("zero1_step", says="The averages start at 0; divide them by 1 − 0.9ᵗ and 1 − 0.999ᵗ before you use them.")
def forgets_the_bias(*, rank: Rank, step: int, learning_rate: float) -> Step:
    mean = (yield ReduceScatter(rank.gradients)) / rank.ranks
    rank.first += 0.1 * (mean - rank.first)
    rank.second += 0.001 * (mean**2 - rank.second)
    rank.parameters[rank.shard] -= learning_rate * rank.first / (rank.second**0.5 + 1e-8)
    yield AllGather(rank.parameters[rank.shard], into=rank.parameters)


@mutant("zero1_step", says="This is right for one input only: one parameter, one rank, and a gradient of 1.")
def assumes_a_gradient_of_one(*, rank: Rank, step: int, learning_rate: float) -> Step:
    yield ReduceScatter(rank.gradients)
    rank.first += 0.1
    rank.second += 0.001
    rank.parameters -= learning_rate


WHOLE = {0: 16, 1: 4, 2: 2, 3: 0}


@mutant("fewest_ranks", says="This rounds the number of ranks down, and the fullest rank does not fit.")
def rounds_down(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    room = memory_bytes - other_bytes - WHOLE[stage] * parameters
    if stage == 0:
        return 1 if room >= 0 else None
    largest = room // (16 - WHOLE[stage])
    return max(1, parameters // largest) if largest >= 1 else None


@mutant(
    "fewest_ranks",
    says="Shards need not be equal: the fullest rank holds ⌈Ψ/N⌉ parameters, which is more than Ψ/N.",
)
def cuts_parameters_in_pieces(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    room = memory_bytes - other_bytes - WHOLE[stage] * parameters
    if stage == 0 or room <= 0:
        return 1 if room >= 0 and stage == 0 else None
    return -(-(16 - WHOLE[stage]) * parameters // room)


@mutant("fewest_ranks", says="The other bytes need room too, on every device.")
def forgets_the_other_bytes(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    return solution.fewest_ranks(parameters=parameters, memory_bytes=memory_bytes, other_bytes=0, stage=stage)


@mutant("fewest_ranks", says="Only stage 3 shards everything; what the stage leaves whole must fit on every rank.")
def shards_everything(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    whole = 0 if stage else 16
    return solution.fewest_ranks(
        parameters=parameters,
        memory_bytes=memory_bytes,
        other_bytes=other_bytes,
        stage=3 if whole == 0 else 0,
    )


@mutant("fewest_ranks", says="Stage 2 shards the gradients too: it leaves 2 bytes a parameter whole, not 4.")
def takes_stage_2_for_stage_1(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    return solution.fewest_ranks(
        parameters=parameters, memory_bytes=memory_bytes, other_bytes=other_bytes, stage=1 if stage == 2 else stage
    )


@mutant(
    "fewest_ranks", says="Without shards more ranks do not help: in stage 0 the whole state fits on one, or on none."
)
def shards_stage_0(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    return solution.fewest_ranks(
        parameters=parameters, memory_bytes=memory_bytes, other_bytes=other_bytes, stage=stage or 3
    )


@mutant("fewest_ranks", says="A rank cannot hold less than one parameter: where even that does not fit, return None.")
def returns_zero_for_none(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    found = solution.fewest_ranks(
        parameters=parameters, memory_bytes=memory_bytes, other_bytes=other_bytes, stage=stage
    )
    return found or 0


@mutant("fewest_ranks", says="This is right for one input only, in which one rank is enough.")
def takes_one_rank(*, parameters: int, memory_bytes: int, other_bytes: int, stage: int) -> int | None:
    return 1


def _greedy(sizes: Sequence[int], ranks: int, order: Sequence[int]) -> list[int]:
    """Give matrices in an order, each to the rank that has least so far."""
    loads, owner = [0] * ranks, [0] * len(sizes)
    for index in order:
        owner[index] = loads.index(min(loads))
        loads[owner[index]] += sizes[index]
    return owner


@mutant("owners", says="Dealt in turn, large matrices can meet on one rank; look at the loads.")
def deals_in_turn(sizes: Sequence[int], ranks: int) -> list[int]:
    return [index % ranks for index in range(len(sizes))]


@mutant("owners", says="In the given order, a large matrix that comes last finds no room; take the largest first.")
def keeps_the_order(sizes: Sequence[int], ranks: int) -> list[int]:
    return _greedy(sizes, ranks, range(len(sizes)))


@mutant(
    "owners", says="The smallest first leaves the largest for the end, on top of everything; take the largest first."
)
def takes_the_smallest_first(sizes: Sequence[int], ranks: int) -> list[int]:
    return _greedy(sizes, ranks, sorted(range(len(sizes)), key=lambda index: sizes[index]))


@mutant("owners", says="The owners are in the order of the sorted matrices, not of the given ones.")
def answers_in_sorted_order(sizes: Sequence[int], ranks: int) -> list[int]:
    owner = solution.owners(sizes, ranks)
    return [owner[index] for index in sorted(range(len(sizes)), key=lambda index: -sizes[index])]


@mutant("owners", says="Equal numbers of matrices are no equal loads.")
def cuts_the_list(sizes: Sequence[int], ranks: int) -> list[int]:
    each = -(-len(sizes) // ranks)
    return [index // each for index in range(len(sizes))]


@mutant("owners", says="This is right for one input only: with several ranks, all matrices are on one.")
def leaves_all_to_rank_0(sizes: Sequence[int], ranks: int) -> list[int]:
    return [0] * len(sizes)
