"""Exercise: ranges for eight quantities, estimated by hand and scored by hit and by width."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from grader.exercise import Exercise, Mistake, Observation
from snippets.all_reduce import ring_all_reduce_time_s
from snippets.flops import training_step_flops
from snippets.foundations.estimation.formulas import interval_score
from snippets.hardware import ACCELERATORS, bits_to_bytes_per_s, dense_peak_flops_per_s
from snippets.memory.zero.formulas import zero_state_bytes
from snippets.models import parameter_count

MOST = 2.5  # of the mean score; what a calibrated factor of two reaches on average is 1.9
WORST = 5  # of a single problem's score, so that none can be left out
SMALLEST, LARGEST = 1e-60, 1e60  # of an end
BLOOM_HOURS = 1_082_990  # Luccioni, Viguier and Ligozat 2023, table 1


def fermi_range(problem: int) -> tuple[float, float]:
    """Return your range for one of the chapter's eight problems.

    Your function is asked for all eight, once in order and once backwards. Each
    range has coverage 80% and costs ln(high/low), and ten times the logarithm
    by which it misses.

    Args:
        problem: its number, 1 to 8.

    Returns:
        The lower and the upper end, from 1e-60 to 1e60, the upper one larger,
        in the unit that the problem asks for.

    >>> low, high = fermi_range(1)
    >>> 0 < low < high
    True
    """
    # Each line: the problem, the range, and the product that it was made from.
    by_hand = """
    1  5.7e10   8.2e10   80 layers of 12.75 squares of 8192
    2  2.7e23   3.8e23   6 * 175e9 * 300e9, and 3% for attention
    3  7        9.7      16 * 32.5e9 / 64
    4  0.022    0.035    2 * 1.6e4 * 1.6e4 * 5.3e4 / 1e15
    5  16       23       14 * 70e9 / 50e9
    6  0.068    0.098    2 * 7/8 * 14e9 / 300e9
    7  8e6      1.4e7    1.6e4 * 4e14 / (6 * 4e11) * 4
    8  1.3e6    2.4e6    6 * 1.8e11 * 3.7e11 / (0.4 * 3e14) / 3600 * 2
    """
    _, low, high, *_ = by_hand.splitlines()[problem].split()
    return float(low), float(high)


def truth(problem: int) -> float:
    """Compute what a problem asks for with the book's functions, or look it up where it was reported."""
    h100 = ACCELERATORS["H100 SXM"]
    if problem == 1:
        return parameter_count("Llama 3 70B")
    if problem == 2:
        return (6 * 175e9 + 12 * 96 * 2048 * 12288) * 300e9
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
    return 2.0 * BLOOM_HOURS


def happened(ends: tuple[float, float], right: float) -> str:
    """Say what happened to a range, and no more of a miss than whether it is small, so that the value is not given."""
    low, high = ends
    if low <= right <= high:
        return f"hits, and spans ×{high / low:.3g}"
    off = max(low / right, right / high)
    return f"misses by {'less than ×2' if off < 2 else '×2 to ×8' if off < 8 else 'more than ×8'}"


def is_range(low: float, high: float) -> bool:
    """Say whether these are the ends of a range."""
    return SMALLEST <= low < high <= LARGEST


def said(number: float) -> str:
    """Write a number briefly, whatever its size."""
    return f"{number:g}" if not isinstance(number, int) or abs(number) < LARGEST else "beyond ±1e60"


def observe(function: Callable[..., Any], *, problems: Sequence[int]) -> Observation:
    """Score all ranges; where a limit is missed, say what happened to each dear problem."""
    ranges = {problem: function(problem) for problem in sorted(problems)}
    if wrong := [problem for problem in ranges if not is_range(*ranges[problem])]:
        first = ", ".join(said(end) for end in ranges[wrong[0]])
        others = f"; nor is that of problem {', '.join(map(str, wrong[1:]))}" if wrong[1:] else ""
        return {**wanted(problems), RANGES: f"problem {wrong[0]}: ({first}) is none{others}"}
    truths = {problem: truth(problem) for problem in problems}
    scores = {p: interval_score(low=low, high=high, truth=truths[p]) for p, (low, high) in ranges.items()}
    mean = math.fsum(scores.values()) / len(scores)
    dear = "; ".join(f"{p} {happened(ranges[p], truths[p])}" for p in scores if scores[p] > MOST)
    seen = wanted(problems)
    if mean > MOST:
        seen[MEAN] = f"{mean:.4g}, because problem {dear}"
    elif (highest := max(scores.values())) > WORST:
        seen[SINGLE] = f"up to {highest:.4g}: problem {dear}"
    return seen


def wanted(problems: Sequence[int]) -> Observation:
    return {RANGES: PROPER, MEAN: ENOUGH, SINGLE: f"at most {WORST}"}


RANGES, MEAN, SINGLE = "ranges", "mean score", "score of each problem"
PROPER, ENOUGH = "a lower end, then a larger upper one, from 1e-60 to 1e60", f"at most {MOST}"


def taught() -> str:
    of = {problem: truth(problem) for problem in range(1, 9)}
    return (
        f"The numbers are {of[1] / 1e9:.1f} billion parameters, {of[2] / 1e23:.2f}·10²³ operations, {of[3]:.1f} GB, "
        f"{1e3 * of[4]:.0f} ms, {of[5]:.1f} s, {1e3 * of[6]:.0f} ms, {of[7] / 1e6:.0f} MB/s and {of[8] / 1e6:.2f} "
        "million dollars. Look at the seventh again: so little text is no load for a storage system."
    )


EXERCISE = Exercise(
    fermi_range,
    number=2,
    asked=f"ranges for the eight problems, with interval scores of at most {WORST}, and {MOST} in the mean",
    expected=wanted,
    observe=observe,
    examples=[{"problems": [1, 2, 3, 4, 5, 6, 7, 8]}],
    inputs=[{"problems": [8, 7, 6, 5, 4, 3, 2, 1]}],
    taught=taught,
    mistakes=[
        Mistake(
            "is_never_wrong",
            "These ranges hold every answer and say nothing; each costs the logarithm of its width.",
            lambda problem: (1e-12, 1e30),
        ),
        Mistake(
            "is_too_sure",
            "Your ranges are nearly points. A miss costs ten times its logarithm, so leave room for what you rounded.",
            {"return float(low), float(high)": "return float(low), float(low) * 1.0001"},
        ),
        Mistake(
            "knows_the_order_of_magnitude_alone",
            "A range of more than a hundred costs 4.6 and more each; you know more than that: write the product down.",
            {"return float(low), float(high)": "return float(low) / 10, float(high) * 10"},
        ),
        Mistake(
            "forgets_the_backward_pass",
            "Your operations are those of the forward pass. Training takes 6 for each parameter and token, not 2.",
            {"2.7e23   3.8e23": "9e22 1.26e23", "8e6      1.4e7": "2.4e7 4.2e7", "1.3e6    2.4e6": "4.3e5 8e5"},
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
