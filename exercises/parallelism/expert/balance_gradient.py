"""Exercise: what the balancing loss does to the router's logits."""

from __future__ import annotations

import cmath
import math

from grader.exercise import Exercise, Inputs, Mistake


def balance_gradient(
    *,
    logits: list[list[float]],
    k: int,
    alpha: float,
) -> list[list[float]]:
    """Return the gradient of the balancing loss with respect to the logits.

    The loss is alpha · E · Σ f_i · σ_i over the E experts. σ_i is the mean over
    the tokens of the softmax of their logits. f_i is the number of tokens that
    have expert i among their k largest logits, divided by the number of
    tokens. The choice is taken as fixed: f has no gradient. Logits may be too
    large for exp.

    Args:
        logits: for each token, one number an expert; those of a token differ.
        k: experts that a token goes to.
        alpha: the coefficient.

    Returns:
        For each token and each expert, the derivative of the loss.

    >>> balance_gradient(logits=[[0.0]], k=1, alpha=1.0)
    [[0.0]]
    """
    tokens, E = len(logits), len(logits[0])
    f = [0.0] * E
    for row in logits:
        for expert in sorted(range(E), key=lambda i: -row[i])[:k]:
            f[expert] += 1 / tokens
    gradient = []
    for row in logits:
        powers = [math.exp(logit - max(row)) for logit in row]
        sigma = [power / sum(powers) for power in powers]
        mean = sum(f[i] * sigma[i] for i in range(E))
        gradient.append([alpha * E / tokens * sigma[i] * (f[i] - mean) for i in range(E)])
    return gradient


def loss(logits: list[list[complex]], f: list[float], alpha: float) -> complex:
    experts, total = len(f), 0j
    for row in logits:
        powers = [cmath.exp(logit - max(each.real for each in row)) for logit in row]
        total += sum(share * power for share, power in zip(f, powers, strict=True)) / sum(powers)
    return alpha * experts * total / len(logits)


def by_complex_steps(*, logits: list[list[float]], k: int, alpha: float) -> list[list[float]]:
    """Move one logit at a time by a tiny imaginary step, and read the derivative off the loss's imaginary part."""
    tokens, E = len(logits), len(logits[0])
    f = [sum(sum(other > row[i] for other in row) < k for row in logits) / tokens for i in range(E)]
    step = 1e-30
    return [
        [
            loss(
                [
                    [entry + (1j * step if (a, b) == (t, i) else 0) for b, entry in enumerate(row)]
                    for a, row in enumerate(logits)
                ],
                f,
                alpha,
            ).imag
            / step
            for i in range(E)
        ]
        for t in range(tokens)
    ]


def routed(logits: list[list[float]], k: int, alpha: float) -> Inputs:
    return {"logits": logits, "k": k, "alpha": alpha}


def batches(st):  # type: ignore[no-untyped-def]
    def of(experts: int):  # type: ignore[no-untyped-def]
        row = st.builds(
            lambda order, stretch, shift: [stretch * place + shift for place in order],
            st.permutations(range(experts)),
            st.sampled_from([0.5, 0.75, 1.25]),
            st.sampled_from([-1.0, 0.0, 2.5]),
        )
        return st.builds(
            routed,
            st.lists(row, min_size=1, max_size=4),
            st.integers(1, max(1, experts - 1)),
            st.sampled_from([0.01, 1.0, 2.5]),
        )

    return st.integers(2, 5).flatmap(of)


MEAN = "mean = sum(f[i] * sigma[i] for i in range(E))"
BATCH_P = "sum(math.exp(r[i] - max(r)) / sum(math.exp(z - max(r)) for z in r) for r in logits) / tokens"


def taught() -> str:
    first = balance_gradient(**EXERCISE.examples[-1])[0]
    entries = ", ".join(f"{1e4 * entry:.2f}" for entry in first)
    return (
        f"The sum is 0. In the last example the first token's entries are {entries}, in ten-thousandths. A softmax "
        "does not change if all logits move together, so that the loss has no slope that way."
    )


EXERCISE = Exercise(
    balance_gradient,
    number=3,
    level="hard",
    asked="the gradient of the balancing loss with respect to each token's logits",
    expected=by_complex_steps,
    examples=[
        routed([[0.0]], 1, 1.0),
        routed([[1.0, 0.0]], 1, 1.0),
        routed([[1.0, 0.0, 2.0], [0.5, 3.0, 1.0]], 2, 0.5),
        routed([[1.0, 0.0], [0.0, 1.0]], 1, 1.0),
        routed([[1.0, 0.0, 2.0]], 3, 1.0),
        routed([[2000.0, 0.0, -1.0], [0.0, 1.0, 2.0]], 1, 1.0),
        routed([[800.0, 799.0, 0.0], [0.0, 1.0, 2.0]], 1, 1.0),
        routed([[2.0, 1.0, 0.0, -1.0], [1.5, 0.0, -0.5, 1.0], [2.0, 0.5, 1.0, 0.0]], 2, 0.01),
    ],
    inputs=batches,
    relative_tolerance=1e-7,
    draws=60,
    taught=taught,
    mistakes=[
        Mistake(
            "without_the_softmax",
            "σ depends on all logits of the token: subtract the mean of f under σ.",
            {" * (f[i] - mean)": " * f[i]"},
        ),
        Mistake(
            "logits_are_probabilities",
            "The derivative is with respect to the logits, not the probabilities.",
            {" * sigma[i] * (f[i] - mean)": " * f[i]"},
        ),
        Mistake(
            "forgets_the_tokens",
            "A factor of one over the tokens is missing: f is divided by the tokens, and so is the mean of σ.",
            {"alpha * E / tokens * sigma": "alpha * E * sigma"},
        ),
        Mistake("forgets_the_experts", "The loss has a factor E.", {"alpha * E / tokens": "alpha / tokens"}),
        Mistake(
            "f_of_this_token",
            "f is the share of all tokens, not this token's own choice.",
            {
                MEAN: "f = [float(sum(o > each for o in row) < k) for each in row]; "
                "mean = sum(f[i] * sigma[i] for i in range(E))"
            },
        ),
        Mistake(
            "f_divided_by_k",
            "Here f is divided by the number of tokens alone, so its sum is k.",
            {"+= 1 / tokens": "+= 1 / tokens / k"},
        ),
        Mistake(
            "mean_of_the_batch",
            "Each token has probabilities of its own: take the mean of f under these, not under the batch's mean.",
            {MEAN: f"mean = sum(f[i] * {BATCH_P} for i in range(E))"},
        ),
        Mistake(
            "overflows",
            "Take off the token's largest logit before you take exponentials.",
            {"math.exp(logit - max(row))": "math.exp(logit)"},
        ),
        Mistake(
            "clips_the_logits",
            "Clipped logits are other logits: take off the token's largest instead.",
            {"math.exp(logit - max(row))": "math.exp(min(logit, 700.0))"},
        ),
        Mistake(
            "largest_of_the_batch",
            "Take off each token's own largest logit: another token's may leave it with exponentials of 0 only.",
            {"math.exp(logit - max(row))": "math.exp(logit - max(map(max, logits)))"},
        ),
        Mistake(
            "only_its_own_probability",
            "A logit moves the probabilities of the token's other experts too, by −σ_i σ_j.",
            {"(f[i] - mean)": "f[i] * (1 - sigma[i])"},
        ),
        Mistake("forgets_alpha", "The loss has a factor alpha.", {"alpha * E / tokens": "E / tokens"}),
        Mistake("is_0", "This is right for one input only: it does not look at the logits.", lambda **_: [[0.0]]),
    ],
)
