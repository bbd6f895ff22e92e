"""Exercise: ranges for eight quantities, estimated by hand and scored by hit and by width."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from grader.exercise import Exercise, Mistake, Observation
from snippets.collectives.all_reduce_formulas import ring_all_reduce_time_s
from snippets.flops import training_step_flops
from snippets.foundations.estimation import interval_score
from snippets.foundations.training_runs import TRAINING_RUNS
from snippets.hardware import ACCELERATORS, bits_to_bytes_per_s, dense_peak_flops_per_s
from snippets.memory.zero import zero_state_bytes
from snippets.models import parameter_count

MOST = 2.5  # of the mean score; what a calibrated factor of two reaches on average is 1.9


def fermi_range(problem: int) -> tuple[float, float]:
    """Return your range for one of the chapter's eight problems.

    All eight ranges are scored together, as ranges of coverage 80%: each costs
    ln(high/low), and ten times the logarithm by which it misses.

    Args:
        problem: its number, 1 to 8.

    Returns:
        The lower and the upper end, above 0, in the unit that the problem asks
        for.

    >>> low, high = fermi_range(1)
    >>> 0 < low < high
    True
    """
    parameters = 80 * (2 + 0.25 + 3 * 3.5) * 8192**2  # of problem 1: layers, matrices of a layer in d²
    estimate, factor = {
        1: (parameters, 1.2),
        2: (6 * 175e9 * 300e9, 1.2),
        3: (16 * 32.5e9 / 64 / 1e9, 1.2),
        4: (2 * 16e3 * 16e3 * 53e3 / 1e15, 1.3),
        5: (14 * 70e9 / (400e9 / 8), 1.2),
        6: (2 * 14e9 * 7 / 8 / 300e9, 1.2),
        7: (16e3 * 4e14 / (6 * 4e11) * 4, 1.3),
        8: (6 * 70e9 * 2e12 / (0.4 * 3e14) / 3600 * 2, 1.4),
    }[problem]
    return estimate / factor, estimate * factor


def truth(problem: int) -> float:
    """Compute what a problem asks for with the book's functions, or look it up where it was reported."""
    h100 = ACCELERATORS["H100 SXM"]
    if problem == 1:
        return parameter_count("Llama 3 70B")
    if problem == 2:
        return training_step_flops("GPT-3 175B", batch=1, sequence=2048) * 300e9 / 2048
    if problem == 3:
        return zero_state_bytes(32_500_000_000, ranks=64, stage=3, recipe="mixed-adam").total / 1e9
    if problem == 4:
        flops, size_bytes = 2 * 16384**2 * 53248, 2 * (16384**2 + 2 * 16384 * 53248)
        peak = dense_peak_flops_per_s(h100, "bf16")
        return max(flops / peak, size_bytes / h100.memory_bandwidth_bytes_per_s)
    if problem == 5:
        return 14 * 70e9 / bits_to_bytes_per_s(400e9)
    if problem == 6:
        return ring_all_reduce_time_s(ranks=8, size_bytes=14e9, latency_s=2e-6, bandwidth_bytes_per_s=300e9)
    if problem == 7:
        per_token = training_step_flops("Llama 3 405B", batch=1, sequence=8192) / 8192
        return 4 * 16384 * 400e12 / per_token
    return 2.0 * TRAINING_RUNS["Llama 2 70B"].device_hours


def happened(ends: tuple[float, float], right: float) -> str:
    """Say what happened to a range, in powers of two, so that the value itself is not given away."""
    low, high = ends
    if low <= right <= high:
        return f"hits, and spans ×{high / low:.3g}"
    off = max(low / right, right / high)
    return f"misses by more than ×{2 ** math.floor(math.log2(off)):.3g}" if off >= 2 else "misses by less than ×2"


def observe(function: Callable[..., Any], *, problems: Sequence[int]) -> Observation:
    """Score all ranges; where the mean is too high, say of each problem that costs more than that what happened."""
    ranges = {problem: function(problem) for problem in problems}
    for problem, (low, high) in ranges.items():
        if not 0 < low <= high < math.inf:
            return {RANGES: f"problem {problem}: ({low:g}, {high:g}) is no range of numbers above 0", MEAN: ENOUGH}
    truths = {problem: truth(problem) for problem in problems}
    scores = {p: interval_score(low=low, high=high, truth=truths[p]) for p, (low, high) in ranges.items()}
    mean = math.fsum(scores.values()) / len(scores)
    if mean <= MOST:
        return wanted(problems)
    dear = "; ".join(f"{p} {happened(ranges[p], truths[p])}" for p in sorted(scores) if scores[p] > MOST)
    return {RANGES: PROPER, MEAN: f"{mean:.3g}, because problem {dear}"}


def wanted(problems: Sequence[int]) -> Observation:
    return {RANGES: PROPER, MEAN: ENOUGH}


RANGES, MEAN = "ranges", "mean score"
PROPER, ENOUGH = "from a number above 0 to one that is no smaller", f"at most {MOST}"

EXERCISE = Exercise(
    fermi_range,
    number=2,
    asked=f"ranges for the eight problems, with a mean interval score of at most {MOST}",
    expected=wanted,
    observe=observe,
    examples=[{"problems": [1, 2, 3, 4, 5, 6, 7, 8]}],
    inputs=[{"problems": [8, 7, 6, 5, 4, 3, 2, 1]}],
    mistakes=[
        Mistake(
            "is_never_wrong",
            "These ranges hold every answer and say nothing; each costs the logarithm of its width.",
            lambda problem: (1e-12, 1e30),
        ),
        Mistake(
            "is_too_sure",
            "Your ranges are points. A miss costs ten times its logarithm, so leave room for what you rounded.",
            {"return estimate / factor, estimate * factor": "return (10.0 ** round(math.log10(estimate)),) * 2"},
        ),
        Mistake(
            "knows_the_order_of_magnitude_alone",
            "A range of a hundred costs 4.6 each; you know more than that: write the product down.",
            {"return estimate / factor, estimate * factor": "return estimate / 10, estimate * 10"},
        ),
        Mistake(
            "forgets_the_backward_pass",
            "Your operations are those of the forward pass. Training takes 6 for each parameter and token, not 2.",
            {"6 * 175e9": "2 * 175e9", "6 * 4e11": "2 * 4e11", "6 * 70e9": "2 * 70e9"},
        ),
        Mistake(
            "takes_bits_for_bytes",
            "A port of 400 Gb/s carries 50 GB/s: eight bits are a byte.",
            {"/ (400e9 / 8)": "/ 400e9"},
        ),
        Mistake(
            "one_range_for_all",
            "This is the range of one problem; each has its own number and unit.",
            lambda problem: (5.5e10, 8e10),
        ),
    ],
)
