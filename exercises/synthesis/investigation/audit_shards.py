"""Exercise: which tensors of a tensor-parallel run are twins that should differ, or differ and should be alike."""

from __future__ import annotations

from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for


def audit_shards(
    tensors: list[tuple[bool, bool, list[int]]],
) -> tuple[list[int], list[int]]:
    """Return which tensors betray a wrong seed, and which have drifted apart.

    Right after the start each rank of a tensor-parallel group reports a
    fingerprint of what it holds of each tensor. Shards that were drawn at
    random must differ from rank to rank. A tensor that isn't cut is held
    whole by all ranks, and must be the same on all. A shard that starts as a
    constant may be the same everywhere.

    Args:
        tensors: for each whether it's cut among the ranks, whether it was
            drawn at random, and the ranks' fingerprints, at least two.

    Returns:
        The numbers, from 0 and rising, of tensors of which two ranks hold the
        same shard and shouldn't; then of those that should be alike and
        aren't.

    >>> audit_shards([(True, True, [7, 7]), (False, True, [3, 3])])
    ([0], [])
    """
    twins, drifted = [], []
    for number, (cut, random, prints) in enumerate(tensors):
        distinct = len(set(prints))
        if cut and random and distinct < len(prints):
            twins.append(number)
        if not cut and distinct > 1:
            drifted.append(number)
    return twins, drifted


def by_pairs(tensors: list[tuple[bool, bool, list[int]]]) -> tuple[list[int], list[int]]:
    """Compare every rank with every other one."""
    twins, drifted = [], []
    for number, (cut, random, prints) in enumerate(tensors):
        pairs = [(a, b) for i, a in enumerate(prints) for b in prints[:i]]
        if cut and random and any(a == b for a, b in pairs):
            twins.append(number)
        if not cut and any(a != b for a, b in pairs):
            drifted.append(number)
    return twins, drifted


case = inputs_for(audit_shards)
OWN = case(
    [
        (True, True, [11, 11, 11, 11]),
        (False, True, [5, 5, 5, 5]),
        (True, False, [0, 0, 0, 0]),
        (True, True, [8, 9, 8, 10]),
        (False, False, [1, 1, 1, 2]),
        (True, True, [21, 22, 23, 24]),
    ]
)


def drawn(chance: Random) -> list[Inputs]:
    """Return groups of 2 to 5 ranks in which about half of the tensors are as they should be."""
    found = []
    for _ in range(40):
        ranks = chance.randint(2, 5)
        kinds = [(chance.random() < 0.6, chance.random() < 0.7) for _ in range(chance.randint(1, 6))]
        tensors = []
        for cut, random in kinds:
            alike = [chance.randint(0, 9)] * ranks
            apart = chance.sample(range(10, 99), ranks)
            some = [*apart[:-1], apart[chance.randrange(ranks - 1)]]
            pairs = [apart[rank // 2] for rank in range(ranks)]
            tensors.append((cut, random, chance.choice((alike, apart, some, pairs, alike if not cut else apart))))
        found.append(case(tensors))
    return found


def taught() -> str:
    twins, drifted = audit_shards(**OWN)
    return (
        f"Tensors {twins[0]} and {twins[1]} are twins, the second only on two ranks of four; tensor {drifted[0]} has "
        "drifted on the last rank. The constant shards of tensor 2 are fine."
    )


EXERCISE = Exercise(
    audit_shards,
    number=1,
    level="easy",
    asked="which tensors share a seed, and which have drifted apart",
    expected=by_pairs,
    examples=[
        case([(True, True, [7, 7]), (False, True, [3, 3])]),
        case([(True, True, [1, 2]), (False, True, [1, 2])]),
        case([(True, False, [0, 0, 0])]),
        case([(False, False, [4, 4, 5])]),
        case([(True, True, [1, 2, 1])]),
        case([(True, True, [1, 2, 2])]),
        case([(True, False, [1, 2])]),
        case([(True, True, [7, 7, 9, 9])]),
        case([(False, True, [0, 5])]),
        OWN,
    ],
    inputs=drawn(Random(36)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "flags_constants",
            "You flagged shards that start as a constant. They're the same on all ranks, seed or no seed.",
            {"cut and random and": "cut and"},
        ),
        Mistake(
            "only_if_all_agree",
            "You flagged a tensor only if all ranks hold the same. Two with one seed are two too many.",
            {"distinct < len(prints)": "distinct == 1"},
        ),
        Mistake(
            "compares_neighbours",
            "You compared each rank with the next one only. Any two may share a seed.",
            {"distinct < len(prints)": "any(a == b for a, b in zip(prints, prints[1:]))"},
        ),
        Mistake(
            "compares_with_rank_0",
            "You compared the others with rank 0 only. Any two may share a seed.",
            {"distinct < len(prints)": "prints[0] in prints[1:]"},
        ),
        Mistake(
            "flags_what_is_whole",
            "You flagged tensors that all ranks hold whole. Those must be the same.",
            {"cut and random and": "random and"},
        ),
        Mistake(
            "wants_shards_alike",
            "You called shards drifted that differ. They should.",
            {"not cut and distinct > 1": "distinct > 1"},
        ),
        Mistake(
            "only_random_drifts",
            "You looked only at tensors that were drawn. One that began as a constant can drift too.",
            {"not cut and distinct > 1": "not cut and random and distinct > 1"},
        ),
        Mistake(
            "looks_at_two_ranks",
            "You compared the first two ranks only.",
            {"len(set(prints))": "len(set(prints[:2]))", "< len(prints)": "< 2"},
        ),
        Mistake(
            "turns_them_round",
            "You returned the two lists in the other order.",
            {"return twins, drifted": "return drifted, twins"},
        ),
        Mistake(
            "counts_from_one",
            "You counted the tensors from 1. They are counted from 0.",
            {"enumerate(tensors)": "enumerate(tensors, 1)"},
        ),
    ],
)
