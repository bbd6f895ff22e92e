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
    # Each line: the problem, the range, and the product that it was made from.
    by_hand = """
    1  5.7e10   8.2e10   80 layers of 12.75 squares of 8192
    2  2.7e23   3.8e23   6 * 175e9 * 300e9, and a little
    3  7        9.7      16 * 32.5e9 / 64
    4  0.022    0.035    2 * 1.6e4 * 1.6e4 * 5.3e4 / 1e15
    5  16       23       14 * 70e9 / 50e9
    6  0.068    0.098    2 * 7/8 * 14e9 / 300e9
    7  8e6      1.4e7    1.6e4 * 4e14 / (6 * 4e11) * 4
    8  2.8e6    5.4e6    6 * 70e9 * 2e12 / (0.4 * 3e14) / 3600 * 2
    """
    _, low, high, *_ = by_hand.splitlines()[problem].split()
    return float(low), float(high)


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
            {"return float(low), float(high)": "return (10.0 ** round(math.log10(float(low))),) * 2"},
        ),
        Mistake(
            "knows_the_order_of_magnitude_alone",
            "A range of more than a hundred costs 4.6 and more each; you know more than that: write the product down.",
            {"return float(low), float(high)": "return float(low) / 10, float(high) * 10"},
        ),
        Mistake(
            "forgets_the_backward_pass",
            "Your operations are those of the forward pass. Training takes 6 for each parameter and token, not 2.",
            {"2.7e23   3.8e23": "9e22 1.26e23", "8e6      1.4e7": "2.4e7 4.2e7", "2.8e6    5.4e6": "9.3e5 1.8e6"},
        ),
        Mistake(
            "takes_bits_for_bytes",
            "A port of 400 Gb/s carries 50 GB/s: eight bits are a byte.",
            {"16       23 ": "2 2.9 "},
        ),
        Mistake(
            "one_range_for_all",
            "This is the range of one problem; each has its own number and unit.",
            lambda problem: (5.5e10, 8e10),
        ),
    ],
)
