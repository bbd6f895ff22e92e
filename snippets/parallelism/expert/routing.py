"""Simulators: which experts tokens choose, with and without limits, and routers that are taught to spread them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets.arrays import affordable, finite_array, random_generator
from snippets.domain import at_most, one_of, positive_integer, positive_number

METHODS = ("none", "loss", "bias")


def top_experts(
    scores: Any, *, experts_per_token: int, groups: int = 1, most_groups: int | None = None
) -> NDArray[np.int64]:
    """Return the experts with the largest scores, for each token.

    Args:
        scores: shape (tokens, E).
        experts_per_token: k.
        groups: into which the experts are divided evenly, in their order: nodes.
        most_groups: how many groups a token's experts may come from. Those with the largest sums of their largest
            ⌈k / most_groups⌉ scores are taken. ``None``: any.

    Returns:
        Shape (tokens, k), best first; of equal scores the first.

    Raises:
        ValueError: if the allowed groups have fewer than k experts.

    Source: Shazeer et al. 2017, section 2.1; DeepSeek-AI 2024, section 2.1.2, for the groups.
    Convention: scores of any kind, logits or probabilities.

    Example:
        >>> top_experts([[5, 1, 4, 4]], experts_per_token=2)
        array([[0, 2]])
        >>> top_experts([[5, 1, 4, 4]], experts_per_token=2, groups=2, most_groups=1)
        array([[2, 3]])
    """
    table = finite_array("scores", scores, dimensions=2)
    E, k, M = (
        table.shape[1],
        positive_integer("experts_per_token", experts_per_token),
        positive_integer("groups", groups),
    )
    if k > E:
        raise ValueError(f"experts_per_token must be at most {E}, the experts, got {experts_per_token!r}")
    if E % M:
        raise ValueError(f"groups must divide {E} experts, got {groups!r}")
    if most_groups is not None:
        most = positive_integer("most_groups", most_groups)
        if most > M or most * (E // M) < k:
            raise ValueError(f"most_groups must be at most {M} and leave {k} experts, got {most_groups!r}")
        own = min(-(-k // most), E // M)
        sums = np.sort(table.reshape(len(table), M, E // M), axis=2)[:, :, -own:].sum(axis=2)  # (tokens, groups)
        allowed = np.argsort(-sums, axis=1, kind="stable")[:, :most]  # (tokens, most)
        mask = np.zeros((len(table), M), bool)  # (tokens, groups)
        np.put_along_axis(mask, allowed, True, axis=1)
        table = np.where(np.repeat(mask, E // M, axis=1), table, -np.inf)
    return np.argsort(-table, axis=1, kind="stable")[:, :k]


@dataclass(frozen=True)
class Balancing:
    """A router that is taught to spread tokens.

    Attributes:
        first_loads: for each expert, its load in the first step, in units of the even share.
        last_loads: likewise, averaged over the last tenth of the steps.
        worst: for each step, the largest of the loads.
        first_probabilities: for each expert, the router's mean probability in the first step.
        last_probabilities: likewise, averaged over the last tenth of the steps.

    >>> Balancing((2.0, 0.0), (1.0, 1.0), (2.0, 1.0), (0.7, 0.3), (0.5, 0.5)).worst[0]
    2.0
    """

    first_loads: tuple[float, ...]
    last_loads: tuple[float, ...]
    worst: tuple[float, ...]
    first_probabilities: tuple[float, ...]
    last_probabilities: tuple[float, ...]


def balance_router(
    popularity: Any,
    *,
    tokens: int,
    experts_per_token: int,
    steps: int,
    method: str,
    rate: float,
    generator: np.random.Generator,
) -> Balancing:
    """Run a router whose logits are an expert's popularity plus noise, and balance it step by step.

    Args:
        popularity: for each expert, the mean of its logits; a router learns it.
        tokens: of a step.
        experts_per_token: k.
        steps: at least 10.
        method: ``"none"``; ``"loss"``: the popularity goes down the auxiliary loss's gradient; ``"bias"``: a number
            for each expert, added to its probability when experts are chosen and nowhere else, goes up by ``rate``
            where the load is below the mean, and down where it is above.
        rate: of the changes.
        generator: of the noise, which is normal.

    Returns:
        Loads at the beginning and the end, and the worst of each step.

    Source: Fedus et al. 2022, section 2.2 (loss); Wang et al. 2024, algorithm 1 (bias).
    Convention: the loss is E Σ f_i p_i with f_i over k; its gradient goes through p alone.
    Leaves out: the task's own gradient, which would push back.

    Example:
        >>> settings = {"tokens": 64, "experts_per_token": 1, "steps": 20, "rate": 0.05, "method": "bias"}
        >>> run = balance_router([1.0, 0.0], **settings, generator=np.random.default_rng(0))
        >>> [round(load, 1) for load in run.first_loads]
        [1.6, 0.4]
    """
    liking = finite_array("popularity", popularity, dimensions=1).copy()
    if not len(liking):
        raise ValueError("popularity must hold one number for each expert, at least one, got none")
    T, k = positive_integer("tokens", tokens), positive_integer("experts_per_token", experts_per_token)
    S = at_most("steps", positive_integer("steps", steps), 10_000)
    if S < 10:
        raise ValueError(f"steps must be at least 10, got {steps!r}")
    method, eta = one_of("method", method, METHODS), positive_number("rate", rate)
    rng, E = random_generator("generator", generator), len(liking)
    if k > E:
        raise ValueError(f"experts_per_token must be at most {E}, the experts, got {experts_per_token!r}")
    affordable("tokens × experts", T * E)
    affordable("steps × tokens × experts", S * T * E)
    bias = np.zeros(E)
    loads, means = [], []
    for _ in range(S):
        chances, share = _routed_step(liking, bias, T, k, rng)
        loads.append(E * share)
        means.append(chances.mean(axis=0))
        if method == "bias":
            bias += eta * np.sign(1 / E - share)
        elif method == "loss":
            slope = chances * (share - chances @ share[:, None])  # (tokens, E)
            liking -= eta * E * slope.mean(axis=0)
    tail = slice(-max(1, S // 10), None)
    return Balancing(
        tuple(map(float, loads[0])),
        tuple(map(float, np.mean(loads[tail], axis=0))),
        tuple(float(load.max()) for load in loads),
        tuple(map(float, means[0])),
        tuple(map(float, np.mean(means[tail], axis=0))),
    )


def _routed_step(
    liking: NDArray[np.float64],
    bias: NDArray[np.float64],
    tokens: int,
    experts_per_token: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the router's chances for the tokens of a step, and each expert's share of the choices."""
    logits = liking + rng.normal(size=(tokens, len(liking)))  # (tokens, E)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances = powers / powers.sum(axis=1, keepdims=True)
    chosen = np.argpartition(-(chances + bias), experts_per_token - 1, axis=1)[:, :experts_per_token]  # (tokens, k)
    return chances, np.bincount(chosen.ravel(), minlength=len(liking)) / (experts_per_token * tokens)
