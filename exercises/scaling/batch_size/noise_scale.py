"""Exercise: the gradient noise scale from the squared norms that data-parallel ranks have anyway."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from grader.exercise import Exercise, Inputs, Mistake


def noise_scale(
    *,
    local_squares: Sequence[float],
    averaged_square: float,
    rank_batch: int,
) -> float | None:
    """Estimate the gradient noise scale from the ranks' squared norms.

    Estimate the squared norm of the full gradient and the trace of the
    covariance, each without bias, and divide. A real log holds means over many
    steps in place of these squares; the formulas are the same.

    Args:
        local_squares: for each rank, the squared norm of its own mean
            gradient; two ranks at least.
        averaged_square: squared norm of the average of these gradients.
        rank_batch: examples of a rank.

    Returns:
        The noise scale in examples, or ``None`` where the estimate of the full
        gradient's squared norm is not above 0.

    >>> noise_scale(local_squares=[9.0, 7.0], averaged_square=5.0,
    ...             rank_batch=4)
    12.0
    """
    ranks = len(local_squares)
    small, big = rank_batch, rank_batch * ranks
    small_square = sum(local_squares) / ranks
    signal = (big * averaged_square - small * small_square) / (big - small)
    noise = (small_square - averaged_square) / (1 / small - 1 / big)
    return noise / signal if signal > 0 else None


def two_equations(*, local_squares: Sequence[float], averaged_square: float, rank_batch: int) -> float | None:
    """Solve both expectations for signal and noise, in fractions, by elimination."""
    squares = [Fraction(value) for value in local_squares]
    rows = [
        [Fraction(1), Fraction(1, rank_batch), sum(squares, start=Fraction(0)) / len(squares)],
        [Fraction(1), Fraction(1, rank_batch * len(squares)), Fraction(averaged_square)],
    ]
    below = [b - a for a, b in zip(*rows, strict=True)]
    noise = below[2] / below[1]
    signal = rows[0][2] - rows[0][1] * noise
    return float(f"{float(noise / signal):.10g}") if signal > 0 else None


def step(local_squares: Sequence[float], averaged_square: float, rank_batch: int) -> Inputs:
    return {"local_squares": list(local_squares), "averaged_square": averaged_square, "rank_batch": rank_batch}


def steps(st: object) -> object:
    """Squared norms whose average is at least that of the average, and signals that no rounding turns around."""

    def built(squares: list[float], share: float, batch: int) -> Inputs:
        mean, ranks = sum(squares) / len(squares), len(squares)
        if abs(share * ranks - 1) < 0.03:
            share += 0.05
        return step(squares, round(share * mean, 6), batch)

    return st.builds(  # type: ignore[attr-defined]
        built,
        st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.5, 8.0, 12.25]), min_size=2, max_size=9),  # type: ignore[attr-defined]
        st.sampled_from([0.01, 0.1, 0.15, 0.3, 0.45, 0.7, 0.9]),  # type: ignore[attr-defined]
        st.sampled_from([1, 2, 4, 8, 100, 8192]),  # type: ignore[attr-defined]
    )


EXERCISE = Exercise(
    noise_scale,
    number=2,
    asked="the noise scale from the ranks' squared norms and that of their average",
    expected=two_equations,
    examples=[
        step([9.0, 7.0], 5.0, 4),
        step([4.0, 2.0, 6.0], 2.0, 1),
        step([4.0, 4.0], 1.5, 8),
        step([3.0, 3.0, 3.0, 3.0], 0.5, 16),
        step([2.0, 2.0], 2.0, 4),
        step([4.0, 4.0], 2.0, 1),
        step([5.0, 3.0], 2.0, 8),
        step([3e-6, 1e-6], 1.5e-6, 2),
        step([10.0, 11.0, 10.5, 9.5, 10.5, 11.5, 10.0, 9.0], 1.5, 8192),
        step([10.26] * 512, 0.0400, 8192),
    ],
    inputs=steps,
    relative_tolerance=1e-6,
    units={},
    mistakes=[
        Mistake(
            "divides_by_the_averaged_square",
            "You divided by the squared norm of the averaged gradient. It still has the big batch's noise in it.",
            {"return noise / signal if signal > 0 else None": "return noise / averaged_square"},
        ),
        Mistake(
            "divides_by_the_averaged_square_where_there_is_signal",
            "You divided by the squared norm of the averaged gradient. It still has the big batch's noise in it.",
            {"return noise / signal if": "return noise / averaged_square if"},
        ),
        Mistake(
            "forgets_the_noise_of_the_big_batch",
            "The difference of the squares is the noise times 1/small − 1/big: the big batch has noise too.",
            {"(1 / small - 1 / big)": "(1 / small)"},
        ),
        Mistake(
            "counts_in_batches",
            "This counts in ranks' batches. Asked are examples: each rank's batch has several of them.",
            {"small, big = rank_batch, rank_batch * ranks": "small, big = 1, ranks"},
        ),
        Mistake(
            "adds_the_ranks_up",
            "The small batch's squared norm is the mean over the ranks, not their sum.",
            {"sum(local_squares) / ranks": "sum(local_squares)"},
        ),
        Mistake(
            "takes_the_first_rank",
            "You looked at one rank only. The mean over all of them is as cheap and far less noisy.",
            {"sum(local_squares) / ranks": "local_squares[0]"},
        ),
        Mistake(
            "swaps_signal_and_noise",
            "You divided the signal by the noise; the noise scale is the other way round.",
            {"noise / signal if": "signal / noise if noise else 0.0 if"},
        ),
        Mistake(
            "returns_a_negative_scale",
            "The estimate of the full gradient's squared norm is not above 0 here, so this step says nothing: None.",
            {"noise / signal if signal > 0 else None": "noise / signal if signal else None"},
        ),
        Mistake(
            "divides_by_any_signal",
            "The estimate of the full gradient's squared norm can be 0 or less; such a step says nothing: None.",
            {"noise / signal if signal > 0 else None": "noise / signal"},
        ),
        Mistake(
            "a_scale_of_nothing",
            "Where the estimate of the full gradient's squared norm is 0 or less, the answer is None. A noise scale of "
            "0 would say that there is no noise.",
            {"noise / signal if signal > 0 else None": "noise / signal if signal > 0 else 0.0"},
        ),
        Mistake(
            "an_infinite_scale",
            "Where the estimate of the full gradient's squared norm is 0 or less, the answer is None, no number.",
            {"noise / signal if signal > 0 else None": 'noise / signal if signal > 0 else float("inf")'},
        ),
        Mistake(
            "divides_by_nothing",
            "An estimate of exactly 0 for the full gradient's squared norm is not above 0 either.",
            {"noise / signal if signal > 0 else None": "None if signal < 0 else noise / signal if signal else 1e300"},
        ),
        Mistake("is_always_twelve", "This is right for one input only.", lambda **_: 12.0),
    ],
)
