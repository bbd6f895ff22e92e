"""Simulators: answers drawn token by token, and the forecast of how many the next model gets right.

Nothing here knows the formulas of ``emergence``: problems are drawn with difficulties, tokens with losses, and each is
right or wrong by chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snippets.arrays import finite_array, refusing_overflow
from snippets.domain import (
    at_most,
    each,
    nonnegative_integer,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
)

Floats = NDArray[np.float64]


def draw_difficulties(*, problems: int, shape: float, seed: int) -> Floats:
    """Return how difficult each problem of a test is: by which factor its loss lies above or below the mean.

    Args:
        problems: how many, at most 2²⁰.
        shape: a of a gamma distribution of mean 1, whose standard deviation is 1/√a, from 0.001 to 1e6.
        seed: of the random numbers, at least 0.

    Returns:
        As many factors.

    >>> draw_difficulties(problems=2, shape=4, seed=0).shape
    (2,)
    """
    count = at_most("problems", positive_integer("problems", problems))
    a = number_between("shape", shape, low=1e-3, high=1e6)
    return np.random.default_rng(nonnegative_integer("seed", seed)).gamma(a, 1 / a, size=count)


@refusing_overflow("difficulties and loss")
def token_losses(difficulties: ArrayLike, *, loss: float, tokens: int, jitter: float, seed: int) -> Floats:
    """Return the loss of each token of the right answer to each problem, in nats, under one model.

    Args:
        difficulties: of the problems, each at least 0.
        loss: the model's mean loss of a token, at least 0.
        tokens: of an answer, at most 1000. The last is three times as hard as the first.
        jitter: standard deviation of the logarithm of a factor that each problem has under this model alone, from 0
            to 2.
        seed: of the random numbers, at least 0.

    Returns:
        An array of problems × tokens.

    >>> token_losses([1.0], loss=2, tokens=2, jitter=0, seed=0)
    array([[1., 3.]])
    """
    hard = finite_array("difficulties", difficulties, dimensions=1)
    if not hard.size or hard.min() < 0:
        raise ValueError(f"difficulties must hold one number or more, each at least 0, got {difficulties!r:.200}")
    mean, count = nonnegative_number("loss", loss), at_most("tokens", positive_integer("tokens", tokens), 1000)
    sigma = number_between("jitter", jitter, low=0, high=2)
    weights = np.linspace(0.5, 1.5, count) if count > 1 else np.ones(1)
    normal = np.random.default_rng(nonnegative_integer("seed", seed)).standard_normal(hard.size)
    own = np.exp(sigma * normal - sigma**2 / 2)  # (problems,)
    return np.asarray(mean * (hard * own)[:, None] * weights)  # (problems, tokens)


def tokens_right(losses: ArrayLike, *, seed: int) -> NDArray[np.int64]:
    """Return how many tokens of each answer are right before the first wrong one, each drawn by itself.

    Args:
        losses: of the tokens, problems × tokens, each at least 0.
        seed: of the random numbers, at least 0.

    Returns:
        A count for each problem; an answer whose count is the number of tokens is right.

    >>> tokens_right([[0.0, 0.0], [0.0, 99.0]], seed=0).tolist()
    [2, 1]
    """
    table = finite_array("losses", losses, dimensions=2)
    if not table.size or table.min() < 0:
        raise ValueError(f"losses must be at least 0, for one token or more, got {losses!r:.200}")
    chances = np.random.default_rng(nonnegative_integer("seed", seed)).random(table.shape)  # (problems, tokens)
    return np.asarray(np.cumprod(chances < np.exp(-table), axis=1).sum(axis=1))


def power_law_exponent(compute: Sequence[float], losses: Sequence[float]) -> float:
    """Return b of the least-squares line through the logarithms of losses that fall as compute to the power −b.

    Args:
        compute: of two models or more, each above 0, not all the same.
        losses: one for each, above 0.

    >>> round(power_law_exponent([1, 10, 100], [4, 2, 1]), 3)
    0.301
    """
    x, y = np.log(_positive("compute", compute)), np.log(_positive("losses", losses))
    if len(x) != len(y) or np.ptp(x) < 1e-9:
        raise ValueError(
            f"compute and losses must be as many, with two different values of compute or more, got {compute!r:.90}"
            f" and {losses!r:.90}"
        )
    return float(-np.polyfit(x, y, 1)[0])


@refusing_overflow("answer_losses, compute and next_compute")
def exact_match_forecast(answer_losses: ArrayLike, *, compute: Sequence[float], next_compute: float) -> float:
    """Return which share of the answers the next model gets right if the losses go on falling as a power of compute.

    Args:
        answer_losses: of the right answers, models × problems, each above 0; the last model's are carried on.
        compute: of each model, above 0, not all the same.
        next_compute: of the next model, above 0.

    Returns:
        The mean over the problems of e to the power of minus the loss expected of the next model.

    >>> round(exact_match_forecast([[4.0], [2.0]], compute=[1, 10], next_compute=100), 3)
    0.368
    """
    table = finite_array("answer_losses", answer_losses, dimensions=2)
    if not table.size or table.min() <= 0:
        raise ValueError(f"answer_losses must be above 0, for one problem or more, got {answer_losses!r:.200}")
    known, following = _positive("compute", compute), positive_number("next_compute", next_compute)
    if len(known) != len(table):
        raise ValueError(
            f"compute must be one number for each of {len(table)} models of answer_losses, got {compute!r:.90}"
        )
    exponent = power_law_exponent(compute, [float(mean) for mean in table.mean(axis=1)])
    try:
        scale = (following / float(known[-1])) ** -exponent
    except (OverflowError, ZeroDivisionError):
        raise ValueError(
            f"answer_losses and compute must be such that the losses at next_compute fit a float, got {next_compute!r}"
        ) from None
    return float(np.exp(-table[-1] * scale).mean())


def _positive(name: str, values: Sequence[float]) -> Floats:
    return np.array(each(name, values, positive_number))
