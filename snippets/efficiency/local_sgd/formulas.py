"""Formulas: a step of two phases on one fleet or on two, and local steps: where they rest, what they send and wait."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snippets.all_reduce import ring_all_reduce_bytes
from snippets.domain import (
    as_count,
    as_float,
    each,
    finite_number,
    nonnegative_number,
    number_between,
    positive_integer,
    positive_number,
)
from snippets.efficiency.local_sgd.rl_formulas import rl_step_s
from snippets.foundations.economics.formulas import slowest_normal_s


def two_phase_step_s(
    *,
    generation_fixed_s: float,
    generation_gpu_s: float,
    training_fixed_s: float,
    training_gpu_s: float,
    devices: int,
) -> float:
    """Return what a step takes if all GPUs first generate and then train.

    Also: on-policy step, colocated generation
    Formula: $T_\\text{tail} + T_\\text{fix} + \\frac{J_\\text{gen} + J_\\text{train}}{R}$
    Symbols: T_tail = generation_fixed_s; J_gen = generation_gpu_s; T_fix = training_fixed_s;
        J_train = training_gpu_s; R = devices
    Chapter: 31

    Args:
        generation_fixed_s: T_tail, what generation takes on any number of GPUs, at least 0.
        generation_gpu_s: J_gen, what it takes besides, in GPU-seconds that divide by the GPUs, at least 0.
        training_fixed_s: T_fix, the same of training, at least 0.
        training_gpu_s: J_train, the same of training, at least 0.
        devices: R, of the fleet.

    Returns:
        Seconds.

    Source: Amdahl 1967, for each of the two phases.
    Convention: one phase after the other, each on the whole fleet.
    Leaves out: moving the weights from one layout to the other.

    Example:
        >>> two_phase_step_s(
        ...     generation_fixed_s=1, generation_gpu_s=8, training_fixed_s=0, training_gpu_s=8, devices=4
        ... )
        5.0
    """
    tail, fix = nonnegative_number("generation_fixed_s", generation_fixed_s), training_fixed_s
    fix = nonnegative_number("training_fixed_s", fix)
    J_gen, J_train = _works(generation_gpu_s, training_gpu_s)
    R = positive_integer("devices", devices)
    return rl_step_s(generation_s=tail + J_gen / R, training_s=fix + J_train / R)


def two_fleet_step_s(
    *,
    generation_fixed_s: float,
    generation_gpu_s: float,
    training_fixed_s: float,
    training_gpu_s: float,
    generating_devices: int,
    training_devices: int,
) -> float:
    """Return what a step takes if some GPUs generate while the others train on what was generated before.

    Also: one step off-policy, disaggregated generation
    Formula: $\\max\\left(T_\\text{tail} + \\frac{J_\\text{gen}}{R_\\text{gen}},
        T_\\text{fix} + \\frac{J_\\text{train}}{R_\\text{train}}\\right)$
    Symbols: T_tail = generation_fixed_s; J_gen = generation_gpu_s; T_fix = training_fixed_s;
        J_train = training_gpu_s; R_gen = generating_devices; R_train = training_devices
    Chapter: 31

    Args:
        generation_fixed_s: T_tail, what generation takes on any number of GPUs, at least 0.
        generation_gpu_s: J_gen, what it takes besides, in GPU-seconds that divide by the GPUs, at least 0.
        training_fixed_s: T_fix, the same of training, at least 0.
        training_gpu_s: J_train, the same of training, at least 0.
        generating_devices: R_gen, which only generate.
        training_devices: R_train, which only train.

    Returns:
        Seconds, once both sides have work at all times.

    Source: two stations in a row with a store between them: the slower one sets the pace.
    Convention: the weights that generate are one step old.
    Leaves out: moving the weights, and times that differ from step to step.

    Example:
        >>> two_fleet_step_s(
        ...     generation_fixed_s=1,
        ...     generation_gpu_s=8,
        ...     training_fixed_s=0,
        ...     training_gpu_s=8,
        ...     generating_devices=2,
        ...     training_devices=2,
        ... )
        5.0
    """
    tail = nonnegative_number("generation_fixed_s", generation_fixed_s)
    fix = nonnegative_number("training_fixed_s", training_fixed_s)
    J_gen, J_train = _works(generation_gpu_s, training_gpu_s)
    R_gen, R_train = positive_integer("generating_devices", generating_devices), training_devices
    R_train = positive_integer("training_devices", R_train)
    return rl_step_s(generation_s=tail + J_gen / R_gen, training_s=fix + J_train / R_train, steps_off=1)


def _works(generation_gpu_s: float, training_gpu_s: float) -> tuple[float, float]:
    """Check what divides by the GPUs."""
    return (
        nonnegative_number("generation_gpu_s", generation_gpu_s),
        nonnegative_number("training_gpu_s", training_gpu_s),
    )


def even_split_floor_s(*, half_fleet_step_s: float) -> float:
    """Return the least that a step takes on a fleet that is split evenly, from the on-policy step of half of it.

    Formula: $\\frac12 T_\\text{half}$
    Symbols: T_half = half_fleet_step_s
    Chapter: 31

    Args:
        half_fleet_step_s: T_half, one phase after the other on half of the fleet's GPUs.

    Returns:
        Seconds. The split takes at most T_half, and this if both of its sides take equally long.

    Source: the larger of two numbers is at least half of their sum.
    Convention: each side runs its phase as half of the fleet does on-policy, in the same layout.
    Leaves out: moving the weights.

    Example:
        >>> even_split_floor_s(half_fleet_step_s=134)
        67.0
    """
    return positive_number("half_fleet_step_s", half_fleet_step_s) / 2


def local_sgd_rest_point(
    *, curvatures: Sequence[float], minima: Sequence[float], step_size: float, local_steps: int
) -> float:
    """Return where local steps and averaging come to rest, if the ranks' losses are parabolas.

    Also: client drift, FedAvg fixed point
    Formula: $\\theta^* = \\frac{\\sum_r (1 - (1 - \\eta\\lambda_r)^H)\\, \\theta_r}
        {\\sum_r (1 - (1 - \\eta\\lambda_r)^H)}$
    Symbols: λ_r = curvatures; θ_r = minima; η = step_size; H = local_steps
    Chapter: 31

    Args:
        curvatures: λ_r, of each rank's loss λ_r (θ − θ_r)²/2.
        minima: θ_r, each rank's own, any finite numbers.
        step_size: η, below 2 over each of the curvatures.
        local_steps: H, between two averages.

    Returns:
        θ*. With H = 1 it is the minimum of the ranks' mean loss, for any η.

    Source: H steps on a parabola shrink the way to its minimum by (1 − ηλ)^H; set the average equal to its start.
    Convention: plain gradient steps; all ranks count alike.
    Leaves out: noise, momentum, and losses that are no parabolas.

    Example:
        >>> local_sgd_rest_point(curvatures=[1, 3], minima=[0, 4], step_size=0.25, local_steps=1)
        3.0
        >>> local_sgd_rest_point(curvatures=[1, 3], minima=[0, 4], step_size=0.25, local_steps=1000)
        2.0
    """
    λ, θ, η, H = _parabolas(curvatures, minima, step_size, local_steps)
    gone = [_progress(η * each_λ, H) for each_λ in λ]
    return as_float("minima", math.fsum(g * at for g, at in zip(gone, θ, strict=True)) / math.fsum(gone))


def local_sgd_contraction(*, curvatures: Sequence[float], step_size: float, local_steps: int) -> float:
    """Return the factor by which one round of local steps and an average shrink the way to where they rest.

    Formula: $\\frac1R \\sum_r (1 - \\eta\\lambda_r)^H$
    Symbols: λ_r = curvatures; η = step_size; H = local_steps; R = the number of curvatures
    Chapter: 31

    Args:
        curvatures: λ_r, of each rank's parabola.
        step_size: η, below 2 over each of the curvatures.
        local_steps: H, between two averages.

    Returns:
        The factor; below 0 if the average overshoots.

    Source: the mean of the ranks' own factors, because the average of what they hold is what they begin with.
    Convention: plain gradient steps; all ranks count alike.
    Leaves out: noise, momentum, and losses that are no parabolas.

    Example:
        >>> local_sgd_contraction(curvatures=[1, 3], step_size=0.25, local_steps=1)
        0.5
    """
    given = each("curvatures", curvatures, positive_number)
    λ, _, η, H = _parabolas(given, [0.0] * len(given), step_size, local_steps)
    return math.fsum((1 - η * each_λ) ** H for each_λ in λ) / len(λ)


def _progress(share: float, steps: int) -> float:
    """Return the share of the way to its minimum that a rank goes in some steps, each of which goes one share of it."""
    return -math.expm1(steps * math.log1p(-share)) if share < 1 else 1 - (1 - share) ** steps


def _parabolas(
    curvatures: Sequence[float], minima: Sequence[float], step_size: float, local_steps: int
) -> tuple[tuple[float, ...], tuple[float, ...], float, int]:
    """Check the ranks' losses and the steps on them."""
    λ = each("curvatures", curvatures, positive_number)
    θ = each("minima", minima, finite_number)
    if not λ or len(λ) != len(θ):
        raise ValueError(f"minima must be one for each of curvatures ({len(λ)}, at least 1), got {len(θ)}")
    η, H = positive_number("step_size", step_size), positive_integer("local_steps", local_steps)
    if η * max(λ) >= 2:
        raise ValueError(f"step_size must be below 2 over the largest of curvatures ({2 / max(λ):g}), got {η!r}")
    return λ, θ, η, H


def local_sgd_bytes(*, ranks: int, size_bytes: float, local_steps: int) -> float:
    """Return what a rank sends for each of its steps, if all average their models only now and then.

    Formula: $\\frac{2 (R - 1)}{R} \\cdot \\frac{n}{H}$
    Symbols: R = ranks; n = size_bytes; H = local_steps
    Chapter: 31

    Args:
        ranks: R, each a GPU, or a site that trains as one.
        size_bytes: n, of what is averaged, at least 0.
        local_steps: H, between two averages.

    Returns:
        Bytes that one rank sends, over the steps of a round.

    Source: a ring all-reduce (chapter 13) once in H steps.
    Convention: sent per rank.
    Leaves out: what the GPUs of one site send each other.

    Example:
        >>> local_sgd_bytes(ranks=2, size_bytes=1000, local_steps=500)
        2.0
    """
    return ring_all_reduce_bytes(ranks=ranks, size_bytes=size_bytes) / positive_integer("local_steps", local_steps)


def local_sgd_wait_share(*, step_s: float, sync_s: float, local_steps: int) -> float:
    """Return the share of the time that goes into averaging the ranks' models.

    Formula: $\\frac{T_\\text{sync}}{H\\, T_\\text{step} + T_\\text{sync}}$
    Symbols: T_step = step_s; T_sync = sync_s; H = local_steps
    Chapter: 31

    Args:
        step_s: T_step, of a local step.
        sync_s: T_sync, of an average over the ranks, for which all wait, at least 0.
        local_steps: H, between two averages.

    Returns:
        A share of all the time, from 0 to 1.

    Source: H steps and one average make a round.
    Convention: nothing is computed while the models are averaged.
    Leaves out: ranks that come late.

    Example:
        >>> local_sgd_wait_share(step_s=1, sync_s=10, local_steps=90)
        0.1
    """
    T, sync = positive_number("step_s", step_s), nonnegative_number("sync_s", sync_s)
    H = positive_integer("local_steps", local_steps)
    return sync / (H * T + sync)


def fewest_local_steps(*, step_s: float, sync_s: float, wait_share: float) -> int:
    """Return the fewest local steps with which averaging takes at most a given share of the time.

    Formula: $H = \\left\\lceil \\frac{1 - \\varepsilon}{\\varepsilon} \\cdot
        \\frac{T_\\text{sync}}{T_\\text{step}} \\right\\rceil$
    Symbols: T_step = step_s; T_sync = sync_s; ε = wait_share
    Chapter: 31

    Args:
        step_s: T_step, of a local step.
        sync_s: T_sync, of an average over the ranks, at least 0.
        wait_share: ε, from above 0 to below 1.

    Returns:
        H, at least 1.

    Source: the share of the time of a round, solved for H.
    Convention: nothing is computed while the models are averaged.
    Leaves out: what so many local steps do to the loss.

    Example:
        >>> fewest_local_steps(step_s=1, sync_s=10, wait_share=0.1)
        90
    """
    T, sync = positive_number("step_s", step_s), nonnegative_number("sync_s", sync_s)
    ε = number_between("wait_share", wait_share, low=0, high=1)
    if not 0 < ε < 1:
        raise ValueError(f"wait_share must be above 0 and below 1, got {wait_share!r}")
    given = "step_s, sync_s and wait_share"
    H = as_float(given, (1 - ε) / ε * sync / T)
    return as_count(given, max(1, math.ceil(H * (1 - 1e-12))))


def local_sgd_slowest_step_s(*, mean_s: float, deviation_s: float, ranks: int, local_steps: int) -> float:
    """Return what a step takes with ranks that wait for the slowest only when they average.

    Formula: $\\mathbb E \\max_r \\left(T_\\text{mean} + \\frac{\\sigma}{\\sqrt H} z_r\\right)$
    Symbols: T_mean = mean_s; σ = deviation_s; H = local_steps; z_r = a standard normal number for each of the ranks
    Chapter: 31

    Args:
        mean_s: of a rank's step, at least 0.
        deviation_s: σ, of one step, at least 0.
        ranks: R, at most 2²⁰.
        local_steps: H, between two averages.

    Returns:
        Seconds a step: the slowest of the ranks' sums of H steps, over H.

    Source: the standard deviation of a mean of H independent times; the slowest of R from chapter 6.
    Convention: steps are slow independently of each other.
    Leaves out: ranks that are slow for good, for which averaging less often does nothing.

    Example:
        >>> round(local_sgd_slowest_step_s(mean_s=1, deviation_s=0.05, ranks=4, local_steps=100), 4)
        1.0051
    """
    H = positive_integer("local_steps", local_steps)
    σ = nonnegative_number("deviation_s", deviation_s)
    return slowest_normal_s(mean_s=mean_s, deviation_s=σ / math.sqrt(H), ranks=ranks)
