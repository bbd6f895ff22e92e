"""Exercise: to which experts a token goes, and with what weights."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

from grader.exercise import Exercise, Inputs, Mistake


def top_k_weights(
    *,
    logits: list[float],
    k: int,
    normalised: bool,
) -> list[tuple[int, float]]:
    """Return the experts to which a token goes, and the weight of each.

    The softmax of the logits gives a probability for each expert. The token
    goes to the k experts with the largest; of equal ones to the first. If
    normalised, the k weights are divided by their sum; if not, they are the
    probabilities themselves. Logits may be large: exp(1000) is too much for a
    float.

    Args:
        logits: the router's output for this token, one number an expert.
        k: experts that the token goes to, from 1 to their number.
        normalised: whether the weights add up to 1.

    Returns:
        k pairs of expert and weight, the expert with the largest weight first.

    >>> top_k_weights(logits=[0.0, 0.0], k=1, normalised=False)
    [(0, 0.5)]
    """
    top = max(logits)
    powers = [math.exp(logit - top) for logit in logits]
    chosen = sorted(range(len(logits)), key=lambda expert: -logits[expert])[:k]
    total = sum(powers[expert] for expert in chosen) if normalised else sum(powers)
    return [(expert, powers[expert] / total) for expert in chosen]


def in_decimals(*, logits: list[float], k: int, normalised: bool) -> list[tuple[int, float]]:
    """Take out the best expert k times; weights by exponentials with 40 digits and a wide range."""
    with localcontext() as context:
        context.prec = 40
        powers = [Decimal(logit).exp() for logit in logits]
        left = list(range(len(logits)))
        chosen = []
        for _ in range(k):
            best = left[0]
            for expert in left:
                if logits[expert] > logits[best]:
                    best = expert
            left.remove(best)
            chosen.append(best)
        total = sum(powers[expert] for expert in (chosen if normalised else range(len(logits))))
        return [(expert, float(powers[expert] / total)) for expert in chosen]


def token(logits: list[float], k: int, normalised: bool) -> Inputs:
    return {"logits": logits, "k": k, "normalised": normalised}


def tokens(st):  # type: ignore[no-untyped-def]
    logit = st.integers(-6, 6).map(lambda each: each / 2)
    return st.lists(logit, min_size=1, max_size=7).flatmap(
        lambda logits: st.builds(token, st.just(logits), st.integers(1, len(logits)), st.booleans())
    )


CHOSEN = "sorted(range(len(logits)), key=lambda expert: -logits[expert])[:k]"
TOTAL = "sum(powers[expert] for expert in chosen) if normalised else sum(powers)"


def taught() -> str:
    logits = [2.0, 1.0, 0.5, -1.0]
    chosen = [top_k_weights(logits=logits, k=2, normalised=normalised) for normalised in (True, False)]
    shares, probabilities = ([weight for _, weight in one] for one in chosen)
    return (
        f"{shares[1]:.2f} of its second expert if normalised, {probabilities[1]:.2f} if not. Not normalised, the two "
        f"weights add up to {sum(probabilities):.2f}: the layer's output shrinks by what the router gave the "
        "other experts."
    )


EXERCISE = Exercise(
    top_k_weights,
    number=1,
    level="easy",
    asked="the k experts of a token and their weights, with softmax before or after the choice",
    expected=in_decimals,
    examples=[
        token([0.0, 0.0], 1, False),
        token([1.0, 2.0, 2.0], 2, True),
        token([1.0, 3.0, 2.0], 1, False),
        token([1.0, 3.0, 2.0], 1, True),
        token([0.5, -1.0, 0.0, 0.5], 1, True),
        token([1000.0, 998.0, -1000.0], 2, True),
        token([-1000.0, -998.0], 2, True),
        token([-1000.0, 2000.0, 1998.0], 2, True),
        token([2000.0, -1000.0, 1998.0], 3, False),
        token([2.0, 1.0, 0.5, -1.0], 2, True),
        token([2.0, 1.0, 0.5, -1.0], 2, False),
    ],
    inputs=tokens,
    taught=taught,
    mistakes=[
        Mistake(
            "never_divides",
            "If normalised, the weights have to add up to 1: divide them by their sum.",
            {TOTAL: "sum(powers)"},
        ),
        Mistake(
            "always_divides",
            "If not normalised, the weights are the probabilities among all experts.",
            {TOTAL: "sum(powers[expert] for expert in chosen)"},
        ),
        Mistake(
            "divides_in_the_other_case",
            "The two cases are swapped: if normalised, the chosen weights add up to 1.",
            {TOTAL: "sum(powers) if normalised else sum(powers[expert] for expert in chosen)"},
        ),
        Mistake(
            "one_expert_is_not_divided",
            "If normalised, the weight of a single expert is 1: it is divided by itself.",
            {TOTAL: TOTAL.replace("if normalised", "if normalised and k > 1")},
        ),
        Mistake(
            "overflows", "Take off the largest logit before you take exponentials.", {"top = max(logits)": "top = 0.0"}
        ),
        Mistake(
            "last_of_equal_ones",
            "Of equal logits the first expert is taken.",
            {CHOSEN: "sorted(range(len(logits)), key=lambda expert: (-logits[expert], -expert))[:k]"},
        ),
        Mistake(
            "in_the_order_of_experts", "The expert with the largest weight comes first.", {CHOSEN: f"sorted({CHOSEN})"}
        ),
        Mistake("from_one", "Experts are counted from 0.", {"[(expert, ": "[(expert + 1, "}),
        Mistake(
            "the_first_of_equal_ones_again",
            "Where logits are equal, each expert is taken once.",
            {CHOSEN: "[logits.index(each) for each in sorted(logits, reverse=True)[:k]]"},
        ),
        Mistake(
            "is_one_half", "This is right for one input only: it does not look at the logits.", lambda **_: [(0, 0.5)]
        ),
    ],
)
