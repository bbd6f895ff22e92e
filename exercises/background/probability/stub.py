"""Exercises of chapter A2: what a batch knows of the full gradient, and what a score knows of a model."""

from __future__ import annotations

from collections.abc import Sequence


def batch_gradient(shards: Sequence[Sequence[Sequence[float]]]) -> tuple[list[float], float]:
    """Return the gradient of a batch that lies in uneven shards on several workers, and an estimate of its variance.

    All examples were drawn independently and uniformly, with replacement. The gradient is the one that a single machine
    with the whole batch would compute. Its variance is its mean squared distance from the full gradient, which you do
    not know: estimate it from the batch, without bias.

    Args:
        shards: for each worker the gradients of its examples, d numbers each. The shards may differ in length, and some
            may be empty; together they hold at least two examples.

    Returns:
        The batch gradient, d numbers, and the estimate of its variance, the sum over the d entries.
    """
    raise NotImplementedError("batch_gradient is still to be written")


def batch_for_error(*, variance: float, error: float, population: int | None = None) -> int:
    """Return the smallest batch whose gradient's root-mean-square distance from the full one is at most ``error``.

    Args:
        variance: σ² of one example's gradient, at least 0; it divides by M.
        error: the largest distance that is allowed, above 0.
        population: M, if examples are drawn without replacement; ``None`` for draws with replacement.

    Returns:
        B, at least 1; without replacement at most M.
    """
    raise NotImplementedError("batch_for_error is still to be written")


def noise_from_workers(gradients: Sequence[Sequence[float]], *, batch_size: int) -> tuple[float, float]:
    """Estimate the noise and the length of the full gradient from the workers' batch gradients of one step.

    Args:
        gradients: for each of N workers its batch gradient, d numbers; N is at least 2. All examples were drawn
            independently, with replacement.
        batch_size: B, examples of each worker.

    Returns:
        Unbiased estimates of σ², the variance of one example's gradient summed over its d entries, and of ‖g‖², the
        squared length of the full gradient. The second may come out negative.
    """
    raise NotImplementedError("noise_from_workers is still to be written")


def control_variate_mean(values: Sequence[float], controls: Sequence[float], *, control_mean: float) -> float:
    """Estimate the mean of the values from a batch, with the help of controls whose mean is known.

    The estimate is f̄ − u·(h̄ − E h), with the batch's means f̄ of the values and h̄ of the controls, and the u that leaves
    least variance, computed from the same batch.

    Args:
        values: the batch's new values f, at least one.
        controls: the old values h of the same examples, in the same order. If they are all equal, take u = 0.
        control_mean: E h, the mean of the old values over all examples.

    Returns:
        The estimate.
    """
    raise NotImplementedError("control_variate_mean is still to be written")


def paired_interval(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the normal interval of the gain in accuracy of the second model over the first, on the same questions.

    Args:
        first: for each question, whether the first model is right; at least one.
        second: the same for the second model, in the same order.
        confidence: the wanted coverage, above 0 and below 1.

    Returns:
        The lower and the upper end, as shares of 1, not cut off at −1 and 1. Variances divide by the number of
        questions, as in the chapter.
    """
    raise NotImplementedError("paired_interval is still to be written")
