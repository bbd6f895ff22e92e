"""Exercise: how many bits the partial sums of a ring need."""

from __future__ import annotations

import math
from collections.abc import Sequence

from exercises.background.information.common import LATE_GRADIENT, distributions
from grader.exercise import Exercise, Mistake
from snippets.background.information.formulas import entropy


def partial_sum_bits(
    probabilities: Sequence[float],
    *,
    ranks: int,
) -> list[float]:
    """Return how many bits the partial sums of a ring need.

    Args:
        probabilities: of the integers 0, 1, 2, …, one entry each; entries may
            be 0, their sum is 1. Each rank draws one integer, independently of
            the others.
            At most 13 integers.
        ranks: number of ranks, from 1 to 64.

    Returns:
        The entropies of the sums of 1, 2, …, ``ranks`` such integers, in bits.

    >>> partial_sum_bits([0.5, 0.5], ranks=2)
    [1.0, 1.5]
    """
    # The distribution of a sum is the convolution of that of the sum so far with that of one more integer.
    found, total = [], [1.0]
    for _ in range(ranks):
        longer = [0.0] * (len(total) + len(probabilities) - 1)
        for value, share in enumerate(total):
            for more, chance in enumerate(probabilities):
                longer[value + more] += share * chance
        total = longer
        found.append(-sum(share * math.log2(share) for share in total if share))
    return found


def bits_of_all_sums(probabilities: Sequence[float], ranks: int) -> list[float]:
    """Write the chances as the digits of one large integer: its powers have those of the sums, exactly."""
    whole = math.lcm(*(float(share).as_integer_ratio()[1] for share in probabilities))
    digit = ranks * whole.bit_length()  # no digit of a power needs more bits
    one = sum(int(share * whole) << digit * value for value, share in enumerate(probabilities))
    found, power = [], 1
    for several in range(1, ranks + 1):
        power *= one
        values = range(several * (len(probabilities) - 1) + 1)
        found.append(entropy([(power >> digit * value & (1 << digit) - 1) / whole**several for value in values]))
    return found


def taught() -> str:
    bits = partial_sum_bits([count / sum(LATE_GRADIENT) for count in LATE_GRADIENT], ranks=64)
    told = ", ".join(f"{bits[ranks - 1]:.2f}" for ranks in (1, 4, 16, 64))
    return (
        f"For the gradient of exercise 5 the sums of 1, 4, 16 and 64 ranks have {told} bits. The spread of a sum of R "
        "grows with √R, so each factor of 4 adds about one bit."
    )


EXERCISE = Exercise(
    partial_sum_bits,
    number=6,
    level="hard",
    asked="the entropies in bits of the sums of 1, 2, …, ranks integers",
    expected=bits_of_all_sums,
    examples=[
        {"probabilities": [0.5, 0.5], "ranks": 3},
        {"probabilities": [1.0], "ranks": 2},
        {"probabilities": [0.5, 0.5], "ranks": 1},
        {"probabilities": [0.25, 0.0, 0.75], "ranks": 4},
        # more than can be listed, and values that hardly ever come
        {"probabilities": [count / sum(LATE_GRADIENT) for count in LATE_GRADIENT], "ranks": 8},
    ],
    inputs=lambda st: {
        "probabilities": st.integers(1, 3).flatmap(lambda symbols: distributions(st, symbols)),
        "ranks": st.integers(1, 4),
    },
    units={"result": "bits"},
    taught=taught,
    mistakes=[
        Mistake(
            "adds_entropies",
            "A sum tells less than the list of its terms: entropies of terms do not add up here.",
            {"return found": "return [(hop + 1) * found[0] for hop in range(ranks)]"},
        ),
        Mistake(
            "multiplies_one_integer",
            "The ranks draw independently: the sum of k is not k times one of them.",
            {"return found": "return found[:1] * ranks"},
        ),
        Mistake(
            "starts_with_nothing",
            "The first entry is the sum of one integer, not of none.",
            {"return found": "return [0.0, *found[:-1]]"},
        ),
        Mistake(
            "sums_in_nats",
            "These are nats: divide by ln 2, or take the logarithm to base 2.",
            {"math.log2": "math.log"},
        ),
        Mistake(
            "doubles_the_ranks",
            "Each hop adds one rank's integer; this doubles the number of ranks.",
            lambda probabilities, *, ranks: [partial_sum_bits(probabilities, ranks=2**hop)[-1] for hop in range(ranks)],
        ),
        Mistake(
            "uses_the_rule_for_many",
            "Half a bit per doubling is the rule for many ranks, not what these sums have.",
            {"return found": "return [found[0] + math.log2(hop + 1) / 2 for hop in range(ranks)]"},
        ),
        Mistake(
            "keeps_only_the_last",
            "This is the last sum alone; the entropies of all partial sums are asked, the first included.",
            {"return found": "return found[-1:]"},
        ),
        Mistake(
            "is_always_one_coin",
            "This is right for one input only: it does not look at the probabilities.",
            lambda **_: [1.0],
        ),
    ],
)
