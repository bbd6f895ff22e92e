"""Exercise: what a rule of thumb costs, on measured layouts of one job."""

from __future__ import annotations

from random import Random

from grader.exercise import Exercise, Inputs, Mistake, inputs_for

Row = tuple[int, int, int, float]


def rule_regret(
    measured: list[tuple[int, int, int, float]],
    *,
    gpus_per_node: int,
) -> tuple[float, float]:
    """Return the regret of the luckiest and the unluckiest who follow a rule.

    The rule is: let as many GPUs of a node as possible share a layer, and
    cut the layers into as few stages as possible. It says nothing of how
    many sequences there are at a time. Only measured layouts count.

    Args:
        measured: for each layout t, p, the sequences at a time b, and the
            seconds of a step; one layout at least has a t of at most
            gpus_per_node.
        gpus_per_node: GPUs of a node.

    Returns:
        By which share the fastest and the slowest layout that follow the
        rule are slower than the fastest of all.

    >>> rule_regret([(4, 4, 2, 10.0), (8, 2, 2, 11.0), (8, 2, 4, 15.0)],
    ...             gpus_per_node=8)
    (0.10000000000000009, 0.5)
    """
    t = max(row[0] for row in measured if row[0] <= gpus_per_node)
    p = min(row[1] for row in measured if row[0] == t)
    follow = [row[3] for row in measured if row[:2] == (t, p)]
    best = min(row[3] for row in measured)
    return min(follow) / best - 1, max(follow) / best - 1


def by_orders(measured: list[Row], *, gpus_per_node: int) -> tuple[float, float]:
    """Sort by the rule, and go down while it can't tell the layouts apart."""
    allowed = sorted((row for row in measured if row[0] <= gpus_per_node), key=lambda row: (-row[0], row[1], row[3]))
    last = 0
    while last + 1 < len(allowed) and tuple(allowed[last + 1][:2]) == tuple(allowed[0][:2]):
        last += 1
    fastest = sorted(measured, key=lambda row: row[3])[0][3]
    return (allowed[0][3] - fastest) / fastest, (allowed[last][3] - fastest) / fastest


table_of = inputs_for(rule_regret)


# Of vTrain's measured layouts of 39.1 and of 3.6 billion parameters (VIA-Research/vTrain, MIT License, Copyright (c)
# 2024 VIA Research Group at KAIST) those that follow the rule, the fastest, and some others.
OWN = table_of(
    [
        (4, 4, 2, 13.8755),
        (4, 16, 2, 14.5296),
        (8, 2, 2, 14.6140),
        (8, 2, 3, 14.8504),
        (8, 2, 4, 14.7573),
        (8, 2, 6, 14.9155),
        (8, 2, 8, 15.2128),
        (8, 2, 12, 17.1268),
        (8, 4, 2, 14.7134),
        (8, 8, 24, 23.1711),
        (2, 8, 2, 21.8904),
        (1, 16, 3, 19.9910),
    ],
    8,
)
SMALL = table_of(
    [
        (1, 1, 8, 3.5665),
        (1, 1, 2, 3.7005),
        (1, 2, 2, 4.0349),
        (2, 1, 16, 3.9375),
        (4, 1, 16, 4.4921),
        (8, 1, 64, 9.8389),
        (8, 1, 32, 4.9723),
        (8, 1, 16, 5.0178),
        (8, 1, 8, 5.1780),
        (8, 1, 4, 5.6180),
        (8, 1, 2, 8.8809),
        (16, 1, 32, 10.5806),
    ],
    8,
)


def drawn(chance: Random) -> list[Inputs]:
    found = []
    for _ in range(40):
        rows = {
            (
                chance.choice((1, 2, 3, 4, 6, 8, 9, 16)),
                chance.choice((1, 2, 4)),
                chance.choice((1, 2, 4)),
            ): chance.randint(10, 40) / 2
            for _ in range(chance.randint(2, 9))
        }
        node = chance.choice((2, 4, 8))
        rows[chance.choice((1, 2)), 4, 2] = chance.randint(10, 40) / 2
        found.append(table_of([(*sizes, seconds) for sizes, seconds in rows.items()], node))
    return found


def taught() -> str:
    said = []
    for name, given in (("39.1 billion parameters", OWN), ("3.6 billion", SMALL)):
        least, most = rule_regret(**given)
        said.append(f"{100 * least:.0f}% to {100 * most:.0f}% on {name}")
    return f"The rule costs {' and '.join(said)}. What it leaves open, b, decides more than what it says."


EXERCISE = Exercise(
    rule_regret,
    number=2,
    level="easy",
    asked="the regret of the luckiest and of the unluckiest who fill the node and take the fewest stages",
    expected=by_orders,
    examples=[
        table_of([(4, 4, 2, 10.0), (8, 2, 2, 11.0), (8, 2, 4, 15.0)], 8),
        table_of([(2, 1, 1, 5.0)], 8),
        table_of([(4, 1, 1, 5.0), (16, 1, 1, 4.0)], 8),
        table_of([(8, 1, 1, 6.0), (8, 2, 1, 5.0), (4, 1, 1, 8.0)], 8),
        table_of([(2, 2, 1, 6.0), (2, 2, 2, 4.0), (1, 1, 1, 8.0)], 8),
        table_of([(4, 1, 1, 5.0), (6, 1, 1, 7.0), (6, 2, 1, 4.0)], 8),
        table_of([(4, 1, 1, 7.0), (9, 1, 1, 5.0), (3, 1, 1, 6.0)], 8),
        SMALL,
        OWN,
    ],
    inputs=drawn(Random(29)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "leaves_the_node",
            "You let groups leave the node. The rule stops at its GPUs.",
            {" if row[0] <= gpus_per_node": ""},
        ),
        Mistake(
            "wants_the_node_exactly",
            "The rule takes the largest t up to the node's GPUs, even if no layout fills the node.",
            lambda measured, *, gpus_per_node: (
                (0.0, 0.0)
                if not [row for row in measured if row[0] == gpus_per_node]
                else by_orders(measured, gpus_per_node=gpus_per_node)
            ),
        ),
        Mistake(
            "stops_below_the_node",
            "A layout whose t is all the node's GPUs follows the rule, too. You left it out.",
            lambda measured, *, gpus_per_node: by_orders(
                measured, gpus_per_node=gpus_per_node - any(row[0] < gpus_per_node for row in measured)
            ),
        ),
        Mistake(
            "returns_percent",
            "You returned percent. Regret is asked for as a share.",
            {
                "min(follow) / best - 1, max(follow) / best - 1": "100 * min(follow) / best - 100, "
                "100 * max(follow) / best - 100"
            },
        ),
        Mistake(
            "takes_the_fewest_stages_of_all",
            "The fewest stages are those of the layouts with that t, not of all layouts.",
            {
                "p = min(row[1] for row in measured if row[0] == t)": "p = min(row[1] for row in measured)",
                "row[:2] == (t, p)": "row[0] == t and (row[1] == p or p not in [r[1] for r in measured if r[0] == t])",
            },
        ),
        Mistake(
            "takes_many_stages",
            "The rule takes as few stages as possible. You took as many.",
            {"p = min(": "p = max("},
        ),
        Mistake(
            "forgets_the_stages",
            "The rule says how many stages, too: of the layouts with that t only those with the fewest follow it.",
            {"row[:2] == (t, p)": "row[0] == t"},
        ),
        Mistake(
            "compares_with_its_own",
            "Regret compares with the fastest layout of all, not with the fastest that follows the rule.",
            {"best = min(row[3] for row in measured)": "best = min(follow)"},
        ),
        Mistake(
            "compares_with_the_node",
            "The fastest of all may have groups that leave the node. It counts.",
            {"row[3] for row in measured)\n": "row[3] for row in measured if row[0] <= gpus_per_node)\n"},
        ),
        Mistake(
            "divides_by_the_choice",
            "You took the difference as a share of the rule's layout. Regret is a share of the fastest.",
            {"min(follow) / best - 1, max(follow) / best - 1": "1 - best / min(follow), 1 - best / max(follow)"},
        ),
        Mistake(
            "returns_the_ratio",
            "Regret is the ratio of the times less 1: 0 for the best choice.",
            {"min(follow) / best - 1, max(follow) / best - 1": "min(follow) / best, max(follow) / best"},
        ),
        Mistake(
            "exchanges_the_two",
            "The luckiest comes first.",
            {"min(follow) / best - 1, max(follow) / best - 1": "max(follow) / best - 1, min(follow) / best - 1"},
        ),
        Mistake("says_one_pair", "This is right for one input only.", lambda *_, **__: (0.1, 0.5)),
    ],
)
