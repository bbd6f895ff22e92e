"""Exercise: why layouts can't run, each counted under its first reason, with a constraint more."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from grader.exercise import RESULT, Exercise, Inputs, Mistake, inputs_for

REASONS = ("node", "heads", "layers", "sequences", "switch", "left")


def first_reasons(
    *,
    gpus: int,
    gpus_per_node: int,
    gpus_per_switch: int,
    heads: int,
    layers: int,
    sequences: int,
) -> dict[str, int]:
    """Count for which first reason layouts can't run.

    A layout is t, p and d with t·p·d = gpus. Five questions are asked in this
    order: "node", does t divide the GPUs of a node; "heads", does t divide
    the heads; "layers", does p divide the layers; "sequences", does d divide
    the sequences; "switch", does t·p divide the GPUs below a switch. A layout
    is counted under the first one that it fails, or under "left".

    Args:
        gpus: of the cluster.
        gpus_per_node: of a node.
        gpus_per_switch: below one leaf switch.
        heads: of a layer.
        layers: of the model.
        sequences: of a step, one at a time.

    Returns:
        How many layouts there are under each name. Names that have none may
        be left out.

    >>> first_reasons(gpus=4, gpus_per_node=2, gpus_per_switch=2, heads=2,
    ...               layers=2, sequences=4)
    {'left': 3, 'layers': 1, 'switch': 1, 'node': 1}
    """
    counts: dict[str, int] = {}
    for t in range(1, gpus + 1):
        for p in range(1, gpus + 1):
            if gpus % (t * p):
                continue
            d = gpus // (t * p)
            rests = {
                "node": gpus_per_node % t,
                "heads": heads % t,
                "layers": layers % p,
                "sequences": sequences % d,
                "switch": gpus_per_switch % (t * p),
            }
            reason = next((name for name, rest in rests.items() if rest), "left")
            counts[reason] = counts.get(reason, 0) + 1
    return counts


def dealt(
    *, gpus: int, gpus_per_node: int, gpus_per_switch: int, heads: int, layers: int, sequences: int
) -> dict[str, int]:
    """Deal everything out one by one among every triple of sizes, and see whether all get the same."""

    def even(things: int, groups: int) -> bool:
        return {(things + place) // groups for place in range(groups)} == {things // groups} and things >= groups

    sides = [size for size in range(1, gpus + 1) if even(gpus, size)]
    triples = [(t, p, d) for t, p, d in product(sides, repeat=3) if t * p * d == gpus]
    found: Counter[str] = Counter()
    for t, p, d in triples:
        passed = (
            even(gpus_per_node, t),
            even(heads, t),
            even(layers, p),
            even(sequences, d),
            even(gpus_per_switch, t * p),
            False,
        )
        found[REASONS[passed.index(False)]] += 1
    return dict(found)


def without_zeros(counts: object) -> object:
    """Return what was counted, the six names without a layout left out."""
    if not isinstance(counts, dict):
        return counts
    return {name: count for name, count in counts.items() if name not in REASONS or count != 0}


cluster_of = inputs_for(first_reasons)
QUESTION = cluster_of(512, 8, 32, 64, 48, 1536)


def drawn(chance: Random) -> list[Inputs]:
    found = []
    for _ in range(60):
        node = chance.choice((2, 4, 6, 8))
        gpus = node * chance.choice((1, 2, 3, 4, 6, 8))
        found.append(
            cluster_of(
                gpus,
                node,
                node * chance.choice((1, 2, 3)),
                chance.choice((2, 4, 6, 8, 12)),
                chance.choice((2, 4, 6, 9, 12)),
                chance.choice((2, 4, 6, 12, 24)),
            )
        )
    return found


def taught() -> str:
    tight, loose = first_reasons(**QUESTION), first_reasons(**{**QUESTION, "gpus_per_switch": QUESTION["gpus"]})
    return (
        f"Of {sum(tight.values())} meshes {loose['left']} can run, and {tight['left']} of them with copies below one "
        "switch. The question's fastest, t = 4 and p = 4, is among these: here the constraint costs nothing."
    )


EXERCISE = Exercise(
    first_reasons,
    number=3,
    level="medium",
    asked="how many layouts fall for each first reason, and how many are left",
    expected=lambda **given: {RESULT: dealt(**given)},
    observe=lambda function, **given: {RESULT: without_zeros(function(**given))},
    examples=[
        cluster_of(4, 2, 2, 2, 2, 4),
        cluster_of(1, 1, 1, 1, 1, 1),
        cluster_of(6, 6, 6, 4, 3, 4),
        cluster_of(8, 4, 4, 4, 4, 4),
        cluster_of(12, 4, 12, 6, 4, 6),
        cluster_of(24, 6, 12, 12, 6, 24),
        QUESTION,
    ],
    inputs=drawn(Random(29)),
    drawn=drawn,
    taught=taught,
    mistakes=[
        Mistake(
            "counts_every_reason",
            "You counted a layout under every question that it fails. Each is counted once, under the first.",
            {
                'reason = next((name for name, rest in rests.items() if rest), "left")\n'
                "            counts[reason] = counts.get(reason, 0) + 1": "for reason in [name for name, rest in "
                'rests.items() if rest] or ["left"]:\n                counts[reason] = counts.get(reason, 0) + 1'
            },
        ),
        Mistake(
            "asks_for_the_switch_first",
            "The order counts: the switch comes last.",
            {'rests = {\n                "node"': 'rests = {\n                "switch": 0,\n                "node"'},
        ),
        Mistake(
            "asks_backwards",
            "The order counts: you asked the last question first.",
            {"in rests.items()": "in reversed(rests.items())"},
        ),
        Mistake(
            "asks_layers_before_heads",
            "The order counts: heads come before layers.",
            {'"node": gpus_per_node % t,\n': '"node": gpus_per_node % t,\n                "layers": 0,\n'},
        ),
        Mistake(
            "forgets_the_new_one",
            "You left the new constraint out: a copy's t·p GPUs must divide those below a switch.",
            {"gpus_per_switch % (t * p)": "False"},
        ),
        Mistake(
            "fits_below_the_switch",
            "You asked whether a copy is small enough. Copies that fill a switch without a rest must divide its GPUs.",
            {"gpus_per_switch % (t * p)": "t * p > gpus_per_switch"},
        ),
        Mistake(
            "asks_whether_t_fits_a_node",
            "You asked whether t is at most a node's GPUs. It has to divide them: t = 4 can't run on nodes of six.",
            {"gpus_per_node % t,": "t > gpus_per_node,"},
        ),
        Mistake(
            "tries_powers_of_two_alone",
            "Sizes needn't be powers of two, as in the chapter. Every t, p and d counts whose product is the GPUs.",
            {"if gpus % (t * p):": "if gpus % (t * p) or t & (t - 1) or p & (p - 1):"},
        ),
        Mistake(
            "enough_sequences",
            "All copies have equally many sequences: that there are enough of them is too little.",
            {"sequences % d": "sequences < d"},
        ),
        Mistake(
            "turns_the_layers_over",
            "The stages divide the layers, not the other way round.",
            {"layers % p": "p % layers"},
        ),
        Mistake(
            "forgets_what_is_left",
            'Layouts that pass all questions are counted too, under "left".',
            {'if rest), "left")\n': 'if rest), "")\n            if not reason:\n                continue\n'},
        ),
        Mistake(
            "says_one_count",
            "This is right for one input only.",
            lambda **_: {"left": 3, "switch": 1, "layers": 1, "node": 1},
        ),
    ],
)
