"""Exercise: a model and its tokens that make the most of a budget for training and use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from exercises.scaling.chinchilla.common import PRINTED, REFIT, UNROUNDED, Fit, loss_of
from grader.choices import mistaken_rules
from grader.exercise import Exercise, Inputs, Mistake, Observation

CHOICE, TOKENS, SPENT, LOSS = "choice", "tokens", "operations", "loss"
HAIR = 1e-4  # nats, so that a tie and how tokens are rounded decide nothing
ROOM = 1 + 1e-6


def spend_budget(
    sizes: list[float],
    *,
    flops: float,
    inference_tokens: float,
    most_tokens: float,
    fit: tuple[float, float, float, float, float],
) -> tuple[int, float]:
    """Choose a model and its tokens for the least loss that a budget allows.

    The budget pays for all: training takes 6 FLOPs for each parameter and
    token, and use takes 2 for each parameter and token. No more tokens
    than most_tokens exist for the training; none is seen twice.

    Args:
        sizes: the parameters of the models that you can train.
        flops: FLOPs of training and use together.
        inference_tokens: tokens that the model will read and write.
        most_tokens: the most tokens that there are to train on.
        fit: L_inf, A_N, A_D, alpha_N and alpha_D of the loss
            L_inf + A_N / N**alpha_N + A_D / D**alpha_D.

    Returns:
        The place of the model in sizes, from 0, and the tokens of its
        training. Any choice whose loss is at most 0.0001 above the least
        passes. One of the models at least leaves something for its training.

    >>> spend_budget([5.0, 10.0, 20.0], flops=1800.0, inference_tokens=15.0,
    ...              most_tokens=80.0, fit=(2.0, 100.0, 100.0, 0.5, 0.5))
    (1, 25.0)
    """
    # Each model leaves so much for its training; some have more than there are tokens.
    L_inf, A_N, A_D, alpha_N, alpha_D = fit
    found = []
    for place, size in enumerate(sizes):
        tokens = min(most_tokens, (flops - 2 * size * inference_tokens) / (6 * size))
        if tokens > 0:
            found.append((L_inf + A_N / size**alpha_N + A_D / tokens**alpha_D, place, tokens))
    _, place, tokens = min(found)
    return place, tokens


def left_for_training(size: float, flops: float, inference_tokens: float) -> float:
    """Return how many tokens a model can be trained on, by paying for its use first and then for token after token."""
    account = flops
    account -= 2 * size * inference_tokens
    return max(0.0, account / size / 6)


def least_loss(sizes: Sequence[float], flops: float, inference_tokens: float, most_tokens: float, fit: Fit) -> float:
    """Try a thousand numbers of tokens for each model, up to the most that it can have."""
    best = float("inf")
    for size in sizes:
        most = min(most_tokens, left_for_training(size, flops, inference_tokens))
        if most > 0:
            best = min(best, *(loss_of(fit, size, most * step / 50) for step in range(1, 51)))
    return best


def observe(
    function: Callable[..., Any],
    *,
    sizes: list[float],
    flops: float,
    inference_tokens: float,
    most_tokens: float,
    fit: Fit,
) -> Observation:
    """Say of a choice whether it can be had, whether the budget pays for it, and which loss it reaches."""
    limits: dict[str, Any] = {
        "flops": flops,
        "inference_tokens": inference_tokens,
        "most_tokens": most_tokens,
        "fit": fit,
    }
    place, tokens = function(sizes=sizes, **limits)
    if place != int(place) or not 0 <= place < len(sizes):
        return {CHOICE: f"model {place}, of {len(sizes)} models that are counted from 0"}
    size = sizes[int(place)]
    seen = wanted(sizes=sizes, **limits)
    if not 0 < tokens <= most_tokens * ROOM:
        seen[TOKENS] = f"{tokens:.4g}, of {most_tokens:.4g} that there are"
        return seen
    spent = 6 * size * tokens + 2 * size * inference_tokens
    if spent > flops * ROOM:
        seen[SPENT] = f"{spent:.7g} for model {place} and {tokens:.6g} tokens, which is more than {flops:.7g}"
        return seen
    loss = loss_of(fit, size, tokens)
    if loss > least_loss(sizes, flops, inference_tokens, most_tokens, fit) + HAIR:
        seen[LOSS] = f"{loss:.6f} for model {place} ({size:.3g} parameters, {tokens:.3g} tokens)"
    return seen


def wanted(*, sizes: list[float], flops: float, inference_tokens: float, most_tokens: float, fit: Fit) -> Observation:
    least = least_loss(sizes, flops, inference_tokens, most_tokens, fit)
    return {
        CHOICE: "the place of a model",
        TOKENS: "above 0, and no more than there are",
        SPENT: "within the budget",
        LOSS: f"at most {least + HAIR:.6f}",
    }


def case(sizes: list[float], flops: float, inference_tokens: float, most_tokens: float, fit: Fit = REFIT) -> Inputs:
    return {
        "sizes": sizes,
        "flops": flops,
        "inference_tokens": inference_tokens,
        "most_tokens": most_tokens,
        "fit": fit,
    }


LADDER = [1e9, 3e9, 8e9, 20e9, 40e9, 70e9, 140e9, 280e9]
OWN = case(LADDER, 5.76e23, 2e12, 15e12)


def cases(st: Any) -> Any:
    amounts = [0.0, 1e11, 1e12, 2e12, 1e13, 4e13]
    return st.builds(
        case,
        st.lists(st.sampled_from([5e8, *LADDER, 13e9, 33e9]), min_size=3, max_size=8, unique=True).map(
            lambda sizes: [1e8, *sizes]
        ),
        st.sampled_from([1e22, 1e23, 5.76e23, 3e24]),
        st.sampled_from(amounts),
        st.sampled_from([3e11, 1.4e12, 5e12, 15e12]),
        st.sampled_from([REFIT, UNROUNDED, PRINTED]),
    )


BOUGHT = "(flops - 2 * size * inference_tokens) / (6 * size)"
as_if = mistaken_rules(wanted, observe)


def taught() -> str:
    place, tokens = spend_budget(**OWN)
    large = LADDER[place + 1]
    left = left_for_training(large, OWN["flops"], OWN["inference_tokens"])
    return (
        f"Take the model of {LADDER[place] / 1e9:.0f} billion parameters and {tokens / 1e12:.2f} trillion tokens: "
        f"{loss_of(REFIT, LADDER[place], tokens):.3f} nats. That of {large / 1e9:.0f} billion, which is best without "
        f"use, has only {left / 1e12:.2f} trillion tokens left and reaches {loss_of(REFIT, large, left):.3f}: use "
        "favours smaller models."
    )


EXERCISE = Exercise(
    spend_budget,
    number=4,
    level="hard",
    asked="the model and the tokens with the least loss that a budget for training and use allows",
    expected=wanted,
    observe=observe,
    examples=[
        case([5.0, 10.0, 20.0], 1800.0, 15.0, 80.0, (2.0, 100.0, 100.0, 0.5, 0.5)),
        case([5.0, 10.0], 1830.0, 15.0, 80.0, (2.0, 100.0, 100.0, 0.5, 0.5)),
        case([5.0], 1000.0, 15.0, 80.0, (2.0, 100.0, 100.0, 0.5, 0.5)),
        case([5.0], 165.0, 15.0, 80.0, (2.0, 100.0, 100.0, 0.5, 0.5)),
        case(LADDER, 5.76e23, 0.0, 15e12),
        case(LADDER, 5.76e23, 0.0, 3e11),
        case(LADDER, 5.76e23, 0.0, 2e11),
        case([70e9, 20e9, 140e9, 8e9], 5.76e23, 1e13, 15e12),
        case(LADDER, 3e24, 4e13, 1.4e12),
        case([13e9, 13.2e9], 3e24, 4e13, 15e12),
        OWN,
    ],
    inputs=cases,
    draws=60,
    taught=taught,
    mistakes=[
        Mistake(
            "forgets_the_use",
            "You spent the whole budget on training, and nothing is left for the use.",
            {BOUGHT: "flops / (6 * size)"},
            accepts=as_if(lambda given: {"inference_tokens": 0.0}),
        ),
        Mistake(
            "ignores_the_use_in_the_choice",
            "You chose the model as if nobody used it, and paid for the use afterwards.",
            {
                BOUGHT: "flops / (6 * size)",
                "return place, tokens": "return place, min(tokens, flops / (6 * sizes[place]) - inference_tokens / 3)",
            },
        ),
        Mistake(
            "takes_six_for_the_use",
            "A token of use takes 2 operations for each parameter: it has no backward pass.",
            {"2 * size * inference_tokens": "6 * size * inference_tokens"},
        ),
        Mistake(
            "forgets_how_many_tokens_there_are",
            "You trained on more tokens than there are.",
            {"min(most_tokens, ": "("},
            accepts=as_if(lambda given: {"most_tokens": math.inf}),
        ),
        Mistake(
            "caps_the_tokens_last",
            "You chose the model as if there were endless data, and cut the tokens afterwards.",
            {"min(most_tokens, ": "(", "return place, tokens": "return place, min(tokens, most_tokens)"},
        ),
        Mistake(
            "keeps_twenty_tokens",
            "You took the model that comes nearest to 20 tokens for each parameter.",
            {"min(found)": "min(found, key=lambda one: abs(one[2] / sizes[one[1]] - 20))"},
        ),
        Mistake(
            "swaps_the_exponents",
            "alpha_N belongs to the parameters, alpha_D to the tokens.",
            {"A_N / size**alpha_N + A_D / tokens**alpha_D": "A_N / size**alpha_D + A_D / tokens**alpha_N"},
            accepts=as_if(lambda given: {"fit": (*given["fit"][:3], given["fit"][4], given["fit"][3])}),
        ),
        Mistake(
            "counts_from_one",
            "The models are counted from 0.",
            {"return place, tokens": "return place + 1, tokens"},
            accepts=as_if(read=lambda chosen: (chosen[0] - 1, chosen[1])),
        ),
        Mistake("always_the_same", "This is right for one input only.", lambda **_: (1, 25.0)),
    ],
)
