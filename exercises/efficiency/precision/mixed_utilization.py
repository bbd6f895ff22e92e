"""Exercise: the utilization of a run whose matmuls run in several number formats."""

from __future__ import annotations

from fractions import Fraction

from grader.exercise import Exercise, Mistake, inputs_for


def mixed_utilization(
    *,
    tokens_per_s: float,
    flops_per_token: list[float],
    peaks: list[float],
) -> float:
    """Return the utilization of a GPU whose FLOPs run in several formats.

    It is the time that the model's FLOPs would take, each at the peak of the
    format in which it runs and one after the other, as a share of the time
    that they do take.

    Args:
        tokens_per_s: tokens a second that one GPU trains.
        flops_per_token: the model's FLOPs of a token, for each format.
        peaks: the dense peak of one GPU in each format, in FLOP a second.

    Returns:
        A share: 1 if every FLOP ran at its own peak.

    >>> mixed_utilization(tokens_per_s=10.0, flops_per_token=[4.0, 2.0],
    ...                   peaks=[100.0, 50.0])
    0.8
    """
    parts = zip(flops_per_token, peaks, strict=True)
    ideal_s = sum(flops / peak for flops, peak in parts)
    return tokens_per_s * ideal_s


def clocked(*, tokens_per_s: float, flops_per_token: list[float], peaks: list[float]) -> float:
    """Let a GPU at its peaks train the tokens of a thousand seconds, format by format, and look at its clock."""
    tokens, clock = Fraction(tokens_per_s) * 1000, Fraction(0)
    for flops, peak in zip(flops_per_token, peaks, strict=True):
        clock += tokens * Fraction(flops) / Fraction(peak)
    return float(clock / 1000)


run_of = inputs_for(mixed_utilization)
OWN = run_of(1076.0, [2410e9, 114e9], [10e15, 2.5e15])
FP8 = run_of(793.0, [2410e9, 114e9], [5e15, 2.5e15])


def taught() -> str:
    four, eight = mixed_utilization(**OWN), mixed_utilization(**FP8)
    wide = 1076.0 * (2410e9 + 114e9) / 2.5e15
    return (
        f"{100 * four:.0f}% in NVFP4, and {100 * eight:.0f}% in FP8 at 793 tokens a second: the faster run uses less "
        f"of its peak. By the BF16 peak the same NVFP4 run would show {100 * wide:.0f}%."
    )


EXERCISE = Exercise(
    mixed_utilization,
    number=4,
    level="easy",
    asked="the utilization of a run whose FLOPs run in several formats",
    expected=clocked,
    examples=[
        run_of(10.0, [4.0, 2.0], [100.0, 50.0]),
        run_of(10.0, [4.0], [100.0]),
        run_of(1.0, [3.0, 1.0], [4.0, 16.0]),
        run_of(100.0, [2e12, 0.0, 1e12], [1e15, 2e15, 5e14]),
        FP8,
        OWN,
    ],
    inputs=lambda st: (
        st.lists(
            st.tuples(st.integers(0, 3000), st.sampled_from([495, 989, 1979, 2500, 5000, 10000, 15000])),
            min_size=1,
            max_size=4,
        )
        .filter(lambda parts: any(flops for flops, _ in parts))
        .flatmap(
            lambda parts: st.integers(1, 3000).map(
                lambda tokens: run_of(
                    float(tokens), [1e9 * flops for flops, _ in parts], [1e12 * peak for _, peak in parts]
                )
            )
        )
    ),
    units={"result": ""},
    taught=taught,
    mistakes=[
        Mistake(
            "takes_the_highest_peak",
            "You divided all FLOPs by the highest peak. Those of a wider format can't run that fast.",
            {"flops / peak for flops": "flops / max(peaks) for flops"},
        ),
        Mistake(
            "takes_the_lowest_peak",
            "You divided all FLOPs by the lowest peak. With it, a run in a narrow format may pass 100%.",
            {"flops / peak for flops": "flops / min(peaks) for flops"},
        ),
        Mistake(
            "takes_the_mean_peak",
            "You divided by the mean of the peaks. Times add up, rates don't: divide each part by its own peak.",
            {"flops / peak for flops": "flops / (sum(peaks) / len(peaks)) for flops"},
        ),
        Mistake(
            "weights_the_peaks",
            "You took the peaks' mean, weighted by FLOPs. Times add up, rates don't: divide each part by its own peak.",
            lambda *, tokens_per_s, flops_per_token, peaks: (
                tokens_per_s
                * sum(flops_per_token) ** 2
                / sum(flops * peak for flops, peak in zip(flops_per_token, peaks, strict=True))
            ),
        ),
        Mistake(
            "adds_the_peaks",
            "You divided by the sum of the peaks. One format after the other uses the GPU.",
            {"flops / peak for flops": "flops / sum(peaks) for flops"},
        ),
        Mistake(
            "takes_the_first_format",
            "You counted the first format alone.",
            {"zip(flops_per_token, peaks, strict=True)": "[(flops_per_token[0], peaks[0])]"},
        ),
        Mistake(
            "lets_formats_overlap",
            "You let the formats run at the same time and took the longest. They share one GPU, one after the other.",
            {"ideal_s = sum(": "ideal_s = max("},
        ),
        Mistake(
            "averages_utilizations",
            "You took the mean of the formats' utilizations. Each is a part of one second, so they add up.",
            {"return tokens_per_s * ideal_s": "return tokens_per_s * ideal_s / len(peaks)"},
        ),
        Mistake(
            "takes_the_sparse_peak",
            "You took twice each peak, as data sheets print it for sparse matrices. Here the dense peak is given.",
            {"flops / peak for flops": "flops / (2 * peak) for flops"},
        ),
    ],
)
