"""Simulators: a step of a layer with experts that reads only those its tokens chose, and chance counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snippets.arrays import Array
from snippets.domain import at_most, each, nonnegative_integer, positive_integer, positive_number


class ExpertStep(NamedTuple):
    """What a layer of experts gives, which experts it read, and the same with all experts computed for all tokens."""

    output: Array
    touched: tuple[int, ...]
    read_numbers: int
    from_all: Array


def drawn_choices(
    *, batch: int, experts: int, experts_per_token: int, seed: int = 0, shares: Sequence[float] | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return which experts a few tokens choose, drawn at random.

    Args:
        batch: tokens that pass the layer together.
        experts: of the layer.
        experts_per_token: how many different ones each token chooses, at most experts.
        seed: of the random numbers, at least 0.
        shares: how likely each expert is to be drawn first, up to a common factor; ``None`` for all alike.

    Returns:
        For each token its experts, in order.

    Example:
        >>> drawn_choices(batch=2, experts=8, experts_per_token=2)
        ((2, 3), (3, 5))
    """
    B, E = (
        at_most("batch", positive_integer("batch", batch)),
        at_most("experts", positive_integer("experts", experts), 4096),
    )
    k = positive_integer("experts_per_token", experts_per_token)
    if k > E:
        raise ValueError(f"experts_per_token must be an integer of at most experts = {E}, got {experts_per_token!r}")
    p = np.array([1.0] * E if shares is None else each("shares", shares, positive_number))
    if len(p) != E:
        raise ValueError(f"shares must be a number for each of {E} experts, got {len(p)}")
    rng = np.random.default_rng(nonnegative_integer("seed", seed))
    keys = np.log(p) + rng.gumbel(size=(B, E))  # (B, E): the k largest are k draws without putting back
    chosen = np.sort(np.argsort(-keys, axis=1)[:, :k], axis=1)  # (B, k)
    return tuple(tuple(int(number) for number in row) for row in chosen)


def count_experts_touched(
    *,
    batch: int,
    experts: int,
    experts_per_token: int,
    trials: int = 1000,
    seed: int = 0,
    shares: Sequence[float] | None = None,
) -> float:
    """Return how many experts a few tokens touch, the mean over many drawn steps.

    Args:
        batch: tokens that pass the layer together.
        experts: of the layer.
        experts_per_token: how many different ones each token chooses, at most experts.
        trials: steps that are drawn.
        seed: of the random numbers, at least 0.
        shares: as in ``drawn_choices``.

    Returns:
        Experts that at least one token chose.

    Example:
        >>> count_experts_touched(batch=1, experts=8, experts_per_token=2, trials=10)
        2.0
    """
    B, T = positive_integer("batch", batch), at_most("trials", positive_integer("trials", trials))
    at_most("batch", B, 2**22 // T)
    rows = drawn_choices(batch=B * T, experts=experts, experts_per_token=experts_per_token, seed=seed, shares=shares)
    steps = (rows[B * number : B * (number + 1)] for number in range(T))
    return sum(len({expert for row in step for expert in row}) for step in steps) / T


def run_expert_step(
    *, batch: int, experts: int, experts_per_token: int, hidden: int = 4, width: int = 6, seed: int = 0
) -> ExpertStep:
    """Pass a few tokens through experts with three matrices each, and read only the experts that were chosen.

    Args:
        batch: tokens that pass the layer together.
        experts: of the layer.
        experts_per_token: how many different ones each token chooses, at most experts.
        hidden: width of a token.
        width: inner width of an expert.
        seed: of the random numbers, at least 0.

    Returns:
        The sum of each token's experts, weighted alike; which experts and how many numbers were read; and the same sum
        taken from all experts' results for all tokens.

    Example:
        >>> step = run_expert_step(batch=2, experts=8, experts_per_token=2)
        >>> step.touched, step.read_numbers
        ((2, 3, 5), 216)
    """
    B, E = positive_integer("batch", batch), positive_integer("experts", experts)
    h = at_most("hidden", positive_integer("hidden", hidden), 2**12)
    q = at_most("width", positive_integer("width", width), 2**12)
    if B * E * h * q > 2**26:
        raise ValueError(f"batch, experts, hidden and width must be at most 2**26 together, got {B * E * h * q}")
    choices = drawn_choices(batch=B, experts=E, experts_per_token=experts_per_token, seed=seed)
    rng = np.random.default_rng(nonnegative_integer("seed", seed) + 1)
    X = rng.normal(size=(B, h))  # (B, h)
    gate, up = rng.normal(size=(2, E, h, q))  # (E, h, width) each
    down = rng.normal(size=(E, q, h))  # (E, width, h)
    output, read = np.zeros((B, h)), 0
    touched = sorted({expert for row in choices for expert in row})
    for e in touched:
        mine = [number for number, row in enumerate(choices) if e in row]  # an expert's tokens
        read += gate[e].size + up[e].size + down[e].size
        inner = np.maximum(X[mine] @ gate[e], 0) * (X[mine] @ up[e])  # (its tokens, width)
        output[mine] += inner @ down[e] / experts_per_token
    every = np.maximum(np.einsum("bh,ehq->beq", X, gate), 0) * np.einsum("bh,ehq->beq", X, up)  # (B, E, width)
    results = np.einsum("beq,eqh->beh", every, down)  # (B, E, h)
    mask = np.array([[e in row for e in range(E)] for row in choices])  # (B, E)
    from_all = np.einsum("be,beh->bh", mask / experts_per_token, results)
    return ExpertStep(output, tuple(touched), read, from_all)
