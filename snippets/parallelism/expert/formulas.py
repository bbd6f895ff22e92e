"""Formulas: layers of experts: room for tokens, what is dropped, a loss that balances, what travels, what a rank holds.

An expert is a feed-forward block; a router sends each token to ``experts_per_token`` of ``experts`` of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from snippets.domain import (
    as_float,
    at_most,
    each,
    integer_at_least,
    nonnegative_integer,
    nonnegative_number,
    positive_integer,
    positive_number,
    probability,
    shortened,
)
from snippets.models import MODELS, Transformer, parameter_parts

MOST_TOKENS = 10**7
_TINY = 1e-14
_FAR = 120.0  # an exponent of −60


def expert_capacity(*, tokens: int, experts: int, experts_per_token: int = 1, capacity_factor: float) -> float:
    """Return the room of an expert: the most tokens that it takes, before any rounding.

    Also: capacity factor, tokens per expert
    Formula: $x_\\text{cap} = \\kappa\\,\\frac{k x}{E}$
    Symbols: x_{\\text{cap}} = the result; \\kappa = capacity_factor; k = experts_per_token;
        x = the tokens routed together; E = experts
    Chapter: 20

    Args:
        tokens: of the batch that is routed together.
        experts: of the layer.
        experts_per_token: experts that each token goes to.
        capacity_factor: room in units of the even share.

    Returns:
        Tokens, not rounded; libraries round up or down.

    Source: Fedus et al. 2022, equation 3 (k = 1); Lepikhin et al. 2020 have O(x/E) with k = 2.
    Convention: counted over the batch that is routed together. Where each rank has room for its own tokens only, x is
        that rank's.
    Leaves out: rounding, and what the room costs.

    Example:
        >>> expert_capacity(tokens=4096, experts=64, capacity_factor=1.25)
        80.0
    """
    T, E, k = (
        positive_integer("tokens", tokens),
        positive_integer("experts", experts),
        _chosen(experts_per_token, experts),
    )
    c = positive_number("capacity_factor", capacity_factor)
    return as_float("tokens and capacity_factor", Fraction(c) * k * T / E)


def _chosen(experts_per_token: int, experts: int) -> int:
    k = positive_integer("experts_per_token", experts_per_token)
    if k > experts:
        raise ValueError(f"experts_per_token must be at most experts = {experts}, got {experts_per_token!r}")
    return k


def expected_expert_overflow(*, tokens: int, share: float, capacity: int) -> float:
    """Return how many tokens an expert is expected to turn away.

    Formula: $\\sum_{x_i > x_\\text{cap}} (x_i - x_\\text{cap}) \\binom{x}{x_i} \\rho^{x_i} (1 - \\rho)^{x - x_i}$
    Symbols: x_i = the expert's load, binomial; x = the tokens routed together; \\rho = share;
        x_{\\text{cap}} = capacity
    Chapter: 20

    Args:
        tokens: of the batch that is routed together, at most 10⁷.
        share: probability that a token chooses this expert, from 0 to 1; k/E for a router without favourites.
        capacity: the most tokens that it takes, at least 0.

    Returns:
        Tokens, a mean.

    Source: derived.
    Convention: each token chooses independently of the others.
    Leaves out: which tokens are turned away.

    Example:
        >>> round(expected_expert_overflow(tokens=4, share=0.5, capacity=2), 4)
        0.375
    """
    T = at_most("tokens", positive_integer("tokens", tokens), MOST_TOKENS)
    p, C = probability("share", share), nonnegative_integer("capacity", capacity)
    gap, spread = C - T * p, T * p * (1 - p)
    if C >= T or not spread or gap**2 > _FAR * (spread + abs(gap) / 3):  # Bernstein: the shorter tail is nothing
        return max(0.0, -gap)
    if gap < 0:  # then the other tail is the short one: (X − C)⁺ = X − C + (C − X)⁺
        return -gap + _tail(T, 1 - p, T - C)
    return _tail(T, p, C)


def _tail(T: int, p: float, C: int) -> float:
    """Σ (x − C)·Pr(X = x) over x > C, where C is not below the mean and p neither 0 nor 1."""
    if C >= T:
        return 0.0
    ways = math.lgamma(T + 1) - math.lgamma(C + 2) - math.lgamma(T - C)
    chance = math.exp(ways + (C + 1) * math.log(p) + (T - C - 1) * math.log1p(-p))
    total, odds = 0.0, p / (1 - p)
    for x in range(C + 1, T + 1):
        total += (x - C) * chance
        chance *= (T - x) / (x + 1) * odds
        if (x - C) * chance < _TINY * total:
            break
    return total


def expected_drop_share(*, tokens: int, shares: Sequence[float], capacity: int) -> float:
    """Return the share of all assignments that is expected to be dropped.

    Also: dropped tokens, token drop rate
    Formula: $\\frac{\\sum_i \\mathbb E\\,(x_i - x_\\text{cap})^+}{x \\sum_i \\rho_i}$
    Symbols: x_i = the load of expert i, binomial; x = the tokens routed together; \\rho_i = shares[i];
        x_{\\text{cap}} = capacity
    Chapter: 20

    Args:
        tokens: of the batch that is routed together.
        shares: for each expert, the probability that a token chooses it; their sum is k. At most 10,000 of them.
        capacity: the most tokens that one expert takes, at least 0.

    Returns:
        A share, from 0 to 1.

    Source: derived; means add up although the loads depend on each other.
    Convention: a token that chooses k experts makes k assignments, each of which can be dropped.
    Leaves out: a second choice for what is dropped.

    Example:
        >>> f"{expected_drop_share(tokens=1024, shares=[1 / 8] * 8, capacity=128):.1%}"
        '3.3%'
    """
    chances = each("shares", shares, probability)
    at_most("len(shares)", len(chances), 10_000)
    total = sum(chances)
    if not total:
        raise ValueError(f"shares must hold at least one above 0, got {shortened(shares)}")
    dropped = {p: expected_expert_overflow(tokens=tokens, share=p, capacity=capacity) for p in set(chances)}
    T = positive_integer("tokens", tokens)
    return min(1.0, sum(dropped[p] for p in chances) / (T * total))


def expert_balance_loss(shares: Sequence[float], probabilities: Sequence[float], *, coefficient: float = 1.0) -> float:
    """Return the auxiliary loss that balances experts.

    Also: load-balancing loss, auxiliary loss
    Formula: $\\lambda E \\sum_i f_i \\sigma_i$
    Symbols: \\lambda = coefficient; E = number of experts; f_i = shares[i]; \\sigma_i = probabilities[i]
    Chapter: 20

    Args:
        shares: for each expert, the share of the tokens that chose it, at least 0.
        probabilities: for each expert, the router's probability, averaged over the tokens.
        coefficient: λ, at least 0; 0.01 in the source, which calls it α.

    Returns:
        The loss: λ where both are uniform and k = 1.

    Source: Fedus et al. 2022, equations 4 to 6.
    Convention: the shares add up to k where each token chooses k experts, and the uniform value is then kλ.
    Leaves out: the gradient, which goes through the probabilities alone.

    Example:
        >>> round(expert_balance_loss([1, 0], [0.4, 0.6]), 12)
        0.8
    """
    f = each("shares", shares, nonnegative_number)
    p = each("probabilities", probabilities, probability)
    if not f or len(f) != len(p):
        raise ValueError(f"probabilities must be as many as shares, at least one, got {len(p)} and {len(f)}")
    alpha = nonnegative_number("coefficient", coefficient)
    total = alpha * len(f) * sum(share * chance for share, chance in zip(f, p, strict=True))
    return as_float("shares and coefficient", Fraction(total) if math.isfinite(total) else total)


def expert_all_to_all_bytes(
    *, tokens: int, hidden: int, experts_per_token: int, ranks: int, element_bytes: float = 2
) -> float:
    """Return what a rank sends in one of the all-to-alls of a layer of experts.

    Also: MoE all-to-all, token dispatch
    Formula: $\\frac{R - 1}{R}\\,k\\,x\\,h\\,w$
    Symbols: R = ranks; k = experts_per_token; x = the tokens of a rank; h = hidden; w = element_bytes
    Chapter: 20

    Args:
        tokens: of one rank.
        hidden: width of a token's vector.
        experts_per_token: experts that it goes to.
        ranks: among which the experts are divided evenly.
        element_bytes: of a number.

    Returns:
        Bytes, a mean over routers without favourites.

    Source: derived; Lepikhin et al. 2020, section 3.2, for the two all-to-alls.
    Convention: sent by one rank. A step has four: to the experts and back, forward and backward.
    Leaves out: the choices and weights that travel too, and that experts of one rank may share a copy.

    Example:
        >>> expert_all_to_all_bytes(tokens=8192, hidden=4096, experts_per_token=2, ranks=8) / 1e6
        117.440512
    """
    T, h = positive_integer("tokens", tokens), positive_integer("hidden", hidden)
    k, N = positive_integer("experts_per_token", experts_per_token), positive_integer("ranks", ranks)
    w = Fraction(positive_number("element_bytes", element_bytes))
    return as_float("tokens, hidden, experts_per_token and element_bytes", Fraction(N - 1, N) * k * T * h * w)


def expert_communication_to_compute(
    *, width: int, ranks: int, flops_per_s: float, bandwidth_bytes_per_s: float, element_bytes: float = 2
) -> float:
    """Return the time of a layer's four all-to-alls over the time of its experts' products.

    Formula: $\\frac{2\\,(R - 1)\\,w\\,uP}{9\\,R\\,h_{\\text{ff}}\\,\\beta}$
    Symbols: R = ranks; w = element_bytes; uP = flops_per_s; h_{\\text{ff}} = width; \\beta = bandwidth_bytes_per_s
    Chapter: 20

    Args:
        width: inner width of one expert, which has three matrices.
        ranks: among which the experts are divided evenly.
        flops_per_s: rate of a device.
        bandwidth_bytes_per_s: with which a rank sends, in one direction.
        element_bytes: of a number on the wire.

    Returns:
        A ratio; nothing overlaps.

    Source: derived: 4(R − 1)/R·kxhw bytes over 18kxh·h_ff operations.
    Convention: even loads, forward and backward.
    Leaves out: latency, attention, shared experts, the router.

    Example:
        >>> mixtral = {"width": 14336, "ranks": 8, "flops_per_s": 494.7e12}
        >>> round(expert_communication_to_compute(**mixtral, bandwidth_bytes_per_s=450e9), 4)
        0.0298
    """
    q, N = positive_integer("width", width), positive_integer("ranks", ranks)
    P, w = (
        Fraction(positive_number("flops_per_s", flops_per_s)),
        Fraction(positive_number("element_bytes", element_bytes)),
    )
    beta = Fraction(positive_number("bandwidth_bytes_per_s", bandwidth_bytes_per_s))
    return as_float("flops_per_s, element_bytes and bandwidth_bytes_per_s", 2 * (N - 1) * w * P / (9 * N * q * beta))


def expected_expert_groups(*, experts: int, experts_per_token: int, groups: int) -> float:
    """Return in how many groups of experts (ranks, nodes) a token's experts are expected to stand.

    Formula: $G \\left(1 - \\binom{E - E/G}{k} \\Big/ \\binom{E}{k}\\right)$
    Symbols: G = groups; E = experts; k = experts_per_token
    Chapter: 20

    Args:
        experts: of the layer, a multiple of ``groups``.
        experts_per_token: different experts that a token chooses, all sets of so many being equally likely.
        groups: of equally many experts each.

    Returns:
        A mean, at most k and at most G.

    Source: derived: a group is missed if all k come from the others.
    Convention: the token's own group counts too; (G − 1)/G of the result are others.
    Leaves out: routers with favourites.

    Example:
        >>> round(expected_expert_groups(experts=256, experts_per_token=8, groups=8), 2)
        5.29
    """
    E, M = integer_at_least("experts", experts, 1), positive_integer("groups", groups)
    k = at_most("experts_per_token", _chosen(experts_per_token, E), 10_000)
    if E % M:
        raise ValueError(f"groups must divide experts = {E}, got {M}")
    missed = Fraction(1)
    for taken in range(k):
        missed *= Fraction(max(0, E - E // M - taken), E - taken)
        if not missed:
            break
    return as_float("groups", M * (1 - missed))


def expert_rank_parameters(model: Transformer | str, *, expert_parallel: int) -> int:
    """Return the parameters that a rank holds if only the routed experts are divided.

    Formula: $N - \\left(1 - \\frac{1}{e}\\right) N_{\\text{routed}}$
    Symbols: N = parameter_count(model); N_{\\text{routed}} = its routed experts; e = expert_parallel
    Chapter: 20

    Args:
        model: a name in ``MODELS``, or a configuration of your own, with experts.
        expert_parallel: ranks among which each layer's experts are divided; it divides them.

    Returns:
        The exact count.

    Source: derived.
    Convention: attention, norms, tables, routers and shared experts stand on every rank.
    Leaves out: any other division: tensor, pipeline, sharding.

    Example:
        >>> expert_rank_parameters("Mixtral 8x7B", expert_parallel=8)
        7242780672
    """
    found, N = MODELS.find(model), positive_integer("expert_parallel", expert_parallel)
    if found.experts is None:
        raise ValueError(f"model must have experts, got {found.name!r}")
    if found.experts.experts % N:
        raise ValueError(f"expert_parallel must divide {found.experts.experts} experts, got {expert_parallel!r}")
    parts = parameter_parts(found)
    return parts.total - parts.routed_experts + parts.routed_experts // N
