"""Exercise: which key-value heads a rank has to hold."""

from __future__ import annotations

from grader.exercise import Exercise, Inputs, Mistake


def key_value_heads(
    *,
    heads: int,
    shared: int,
    ranks: int,
    rank: int,
) -> list[int] | None:
    """Return the key-value heads that one rank needs for its query heads.

    Query heads 0, 1, 2, … are dealt in order: rank 0 gets the first
    heads/ranks of them, rank 1 the next, and so on. The query heads are in
    equal groups that follow one another; those of group j use key-value
    head j.

    Args:
        heads: query heads of the layer.
        shared: key-value heads; they divide ``heads``.
        ranks: among which the query heads are dealt; they need not divide
            ``shared``, nor be a multiple of it.
        rank: the one that is meant, from 0.

    Returns:
        The numbers of the key-value heads, in order, each once; ``None`` if
        the query heads cannot be dealt evenly.

    >>> key_value_heads(heads=8, shared=2, ranks=4, rank=3)
    [1]
    """
    if heads % ranks:
        return None
    own, group = heads // ranks, heads // shared
    return list(range(rank * own // group, ((rank + 1) * own - 1) // group + 1))


def by_looking(*, heads: int, shared: int, ranks: int, rank: int) -> list[int] | None:
    """Deal heads one by one, as cards, and look what each uses."""
    hands: list[list[int]] = [[] for _ in range(ranks)]
    users = {head: number for number in range(shared) for head in range(heads) if head * shared // heads == number}
    for head in range(heads):
        hands[min(head * ranks // heads, ranks - 1)].append(users[head])
    if len({len(hand) for hand in hands}) > 1:
        return None
    return sorted(set(hands[rank]))


def layer(heads: int, shared: int, ranks: int, rank: int) -> Inputs:
    return {"heads": heads, "shared": shared, "ranks": ranks, "rank": rank}


def layers(st):  # type: ignore[no-untyped-def]
    def with_ranks(pair):  # type: ignore[no-untyped-def]
        heads, ranks = pair[0] * pair[1], pair[2]
        return st.builds(layer, st.just(heads), st.just(pair[0]), st.just(ranks), st.integers(0, ranks - 1))

    sizes = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8))
    return sizes.flatmap(with_ranks)


RANGE = "range(rank * own // group, ((rank + 1) * own - 1) // group + 1)"


def taught() -> str:
    needed = [key_value_heads(heads=64, shared=8, ranks=16, rank=rank) for rank in range(16)]
    [head] = needed[5] or []
    sharers = [rank for rank, heads in enumerate(needed) if heads == [head]]
    return (
        f"Head {head}, and ranks {' and '.join(map(str, sharers))} both need it: on 16 ranks each of the 8 heads is "
        "there twice. Past as many ranks as key-value heads, a rank's keys and values shrink no further."
    )


EXERCISE = Exercise(
    key_value_heads,
    number=2,
    level="medium",
    asked="the key-value heads that a rank needs for its query heads, or None",
    expected=by_looking,
    examples=[
        layer(2, 2, 2, 1),
        layer(8, 2, 4, 3),
        layer(8, 4, 2, 1),
        layer(6, 3, 2, 0),
        layer(6, 3, 2, 1),
        layer(6, 2, 4, 0),
        layer(6, 6, 1, 0),
        layer(12, 4, 6, 4),
        layer(71, 1, 2, 0),
        layer(64, 8, 16, 5),
        layer(24, 24, 8, 2),
    ],
    inputs=layers,
    taught=taught,
    mistakes=[
        Mistake(
            "floors_the_share",
            "A rank's query heads may begin in one group and end in the next, or all lie in one: look up the group of "
            "the first and of the last.",
            {RANGE: "range(rank * shared // ranks, (rank + 1) * shared // ranks)"},
        ),
        Mistake(
            "one_too_many",
            "The last query head of the rank is number (rank + 1) · heads/ranks − 1; the next one is another rank's.",
            {RANGE: "range(rank * own // group, (rank + 1) * own // group + 1)"},
        ),
        Mistake(
            "stops_before_the_last",
            "The group of the last query head is missing: the end of a range is not in it.",
            {RANGE: "range(rank * own // group, ((rank + 1) * own - 1) // group)"},
        ),
        Mistake(
            "deals_uneven_hands",
            "If the ranks do not divide the query heads, they cannot be dealt evenly: return None.",
            {"if heads % ranks:\n        return None": "pass"},
        ),
        Mistake(
            "refuses_copies",
            "More ranks than key-value heads is allowed: then several ranks hold a copy of the same head.",
            {"if heads % ranks:": "if heads % ranks or shared % ranks:"},
        ),
        Mistake(
            "none_for_uneven_groups",
            "Only the query heads have to be dealt evenly. A rank whose share does not end where a group does needs "
            "one key-value head more.",
            {"if heads % ranks:": "if heads % ranks or (shared % ranks and ranks % shared):"},
        ),
        Mistake(
            "deals_round_robin",
            "The groups follow one another: query heads 0, 1, … heads/shared − 1 use key-value head 0.",
            {RANGE: "sorted({head % shared for head in range(rank * own, (rank + 1) * own)})", "list(": "("},
        ),
        Mistake(
            "once_for_each_query_head",
            "Each key-value head is held once on a rank, however many of its query heads use it.",
            {f"list({RANGE})": "[head // group for head in range(rank * own, (rank + 1) * own)]"},
        ),
        Mistake("is_head_1", "This is right for one input only: it does not look at the layer.", lambda **_: [1]),
    ],
)
