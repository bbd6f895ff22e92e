"""Exercise: a model's perplexity on a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from grader.exercise import Exercise, Mistake


def perplexity_of_text(token_probabilities: Sequence[float]) -> float:
    """Return a model's perplexity on a text.

    Args:
        token_probabilities: for each token of the text, the probability that
            the model gave to it before it came; at least one, each from 0 to 1.

    Returns:
        How many equally likely tokens would have been as hard to predict as
        those of the text, from 1 up; ``math.inf`` where the model gave a token
        that came no chance.

    >>> perplexity_of_text([0.5, 0.125])
    4.0
    """
    # Average −ln of what each token was given, and undo the logarithm.
    loss = sum(-math.log(chance) if chance else math.inf for chance in token_probabilities) / len(token_probabilities)
    return math.exp(loss)


def inverse_geometric_mean(token_probabilities: Sequence[float]) -> float:
    """Multiply in decimals, which do not underflow, and take one root."""
    whole = math.prod(map(Decimal, token_probabilities))
    return float(whole ** (Decimal(-1) / len(token_probabilities))) if whole else math.inf


def multiplies_until_it_underflows(token_probabilities: Sequence[float]) -> float:
    whole = math.prod(token_probabilities)
    return whole ** (-1 / len(token_probabilities)) if whole else math.inf


def taught() -> str:
    return (
        f"It is {perplexity_of_text([1.0, 0.01] * 8):.0f}: tokens that are certain halve the logarithm of 100, not "
        "100. A single token that was given no chance makes it infinite."
    )


EXERCISE = Exercise(
    perplexity_of_text,
    number=2,
    level="easy",
    asked="the model's perplexity on the text",
    expected=inverse_geometric_mean,
    examples=[
        {"token_probabilities": [0.5, 0.125]},
        {"token_probabilities": [0.25]},
        {"token_probabilities": [1.0, 1.0]},
        {"token_probabilities": [0.5, 0.0, 0.5]},
        {"token_probabilities": [0.1] * 400},
        {"token_probabilities": [1.0, 0.01] * 3},
    ],
    inputs=lambda st: {
        "token_probabilities": st.lists(st.sampled_from([n / 16 for n in range(17)]), min_size=1, max_size=6)
    },
    units={"result": "tokens"},
    taught=taught,
    mistakes=[
        Mistake(
            "returns_the_loss",
            "This is the loss in nats; the perplexity undoes the logarithm, e to the loss.",
            {"math.exp(loss)": "loss"},
        ),
        Mistake(
            "raises_two_to_nats",
            "Base and unit differ: 2 undoes bits, and a loss in nats is undone by e.",
            {"math.exp(loss)": "2**loss"},
        ),
        Mistake(
            "takes_the_sum",
            "A perplexity is per token: take the mean of the logarithms, not their sum.",
            {" / len(token_probabilities)": ""},
        ),
        Mistake(
            "inverts_the_mean",
            "Average the logarithms: this is one over the mean probability.",
            {"-math.log(chance) if chance else math.inf": "chance", "math.exp(loss)": "1 / loss if loss else math.inf"},
        ),
        Mistake(
            "forgets_the_minus",
            "The sign of the loss is lost: a perplexity is at least 1.",
            {"math.exp(loss)": "math.exp(-loss)"},
        ),
        Mistake(
            "weights_by_probability",
            "The probabilities are of tokens that came: each counts once, not p times.",
            {"-math": "-chance * math", "else math.inf": "else 0.0", " / len(token_probabilities)": ""},
        ),
        Mistake(
            "multiplies_until_it_underflows",
            "The product of many probabilities underflows to 0: add their logarithms instead.",
            multiplies_until_it_underflows,
        ),
        Mistake(
            "is_always_four",
            "This is right for one input only: it does not look at the probabilities.",
            lambda **_: 4.0,
        ),
    ],
)
