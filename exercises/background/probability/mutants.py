"""Typical wrong answers to chapter A2's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean

from exercises.background.probability.solution import batch_gradient, noise_from_workers, paired_interval
from exercises.grading import mutant

Vector = Sequence[float]


def with_spread(shards: Sequence[Sequence[Vector]], mean: list[float]) -> tuple[list[float], float]:
    """Return a mean, right or wrong, with the variance that the distances from it suggest."""
    drawn = [gradient for shard in shards for gradient in shard]
    return mean, sum(math.dist(gradient, mean) ** 2 for gradient in drawn) / (len(drawn) * (len(drawn) - 1))


@mutant(
    "batch_gradient",
    says=(
        "You averaged the shards' means, so an example of a small shard counts for more. Weight by the shards' sizes."
    ),
)
def averages_the_means(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    means = [[fmean(entry) for entry in zip(*shard, strict=True)] for shard in shards if shard]
    return with_spread(shards, [fmean(entry) for entry in zip(*means, strict=True)])


@mutant("batch_gradient", says="This is the sum of the examples' gradients; the batch's gradient is their mean.")
def sums_the_gradients(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    size = sum(len(shard) for shard in shards)
    mean, variance = batch_gradient(shards)
    return [size * entry for entry in mean], variance


@mutant(
    "batch_gradient",
    says="This divides by the workers, not by the examples: a sum over a batch of n is divided by n.",
)
def divides_by_the_workers(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    sums = [sum(entry) for entry in zip(*(gradient for shard in shards for gradient in shard), strict=True)]
    return with_spread(shards, [entry / len(shards) for entry in sums])


@mutant(
    "batch_gradient",
    says=("This estimate has a bias: the distances are from the batch's own mean, which lies nearer. Divide by n − 1."),
)
def divides_by_n(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    size = sum(len(shard) for shard in shards)
    mean, variance = batch_gradient(shards)
    return mean, variance * (size - 1) / size


@mutant("batch_gradient", says="This is the variance of one example's gradient; the mean of n has 1/n of it.")
def variance_of_one_example(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    mean, variance = batch_gradient(shards)
    return mean, variance * sum(len(shard) for shard in shards)


@mutant(
    "batch_gradient",
    says="You divided by the number of entries, too: the variance is the sum over the entries, not their mean.",
)
def averages_over_the_entries(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    mean, variance = batch_gradient(shards)
    return mean, variance / len(mean)


@mutant("batch_gradient", says="This is right for one input only: compute both numbers from the shards.")
def one_batch(shards: Sequence[Sequence[Vector]]) -> tuple[list[float], float]:
    return [2.0], 1.0


def needed(*, variance: float, error: float, population: int | None) -> float:
    """Return the batch that is wanted, before rounding, where there is some noise."""
    if population is None:
        return variance / error**2
    return population * variance / ((population - 1) * error**2 + variance)


@mutant("batch_for_error", says="This rounds down, and the batch is one too small: it must reach the error.")
def rounds_down(*, variance: float, error: float, population: int | None = None) -> int:
    return max(1, math.floor(needed(variance=variance, error=error, population=population)))


@mutant(
    "batch_for_error",
    says="You compared the variance with the error itself: a variance is a squared distance, so square the error.",
)
def forgets_to_square(*, variance: float, error: float, population: int | None = None) -> int:
    return max(1, math.ceil(needed(variance=variance, error=math.sqrt(error), population=population)))


@mutant("batch_for_error", says="Without replacement a smaller batch is enough: use the finite-population factor.")
def ignores_the_population(*, variance: float, error: float, population: int | None = None) -> int:
    return max(1, math.ceil(variance / error**2))


@mutant(
    "batch_for_error",
    says="The finite-population factor is (M − B)/(M − 1) for a σ² that divides by M; you took (M − B)/M.",
)
def divides_by_the_population(*, variance: float, error: float, population: int | None = None) -> int:
    if population is None:
        return max(1, math.ceil(variance / error**2))
    return max(1, math.ceil(population * variance / (population * error**2 + variance)))


@mutant(
    "batch_for_error",
    says="The error falls with the root of B: twice as near takes four times the batch, not twice.",
)
def takes_the_root(*, variance: float, error: float, population: int | None = None) -> int:
    return max(1, math.ceil(math.sqrt(needed(variance=variance, error=error, population=population))))


@mutant(
    "batch_for_error",
    says="This is right for one input only: compute the batch from variance, error and population.",
)
def one_example(*, variance: float, error: float, population: int | None = None) -> int:
    return 1


@mutant(
    "noise_from_workers",
    says="The distances are from the workers' own average, which lies nearer than g: divide by N − 1, not N.",
)
def forgets_the_lost_degree(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    workers, (variance, square) = len(gradients), noise_from_workers(gradients, batch_size=batch_size)
    biased = variance * (workers - 1) / workers
    return biased, square + (variance - biased) / (workers * batch_size)


@mutant(
    "noise_from_workers",
    says="This is the variance of a worker's batch gradient; that of one example is B times as large.",
)
def forgets_the_batch_size(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    variance, square = noise_from_workers(gradients, batch_size=batch_size)
    return variance / batch_size, square


@mutant(
    "noise_from_workers",
    says="The average's own squared length is too long: noise adds σ²/(NB) to it, which you have to take off.",
)
def forgets_the_correction(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    variance, square = noise_from_workers(gradients, batch_size=batch_size)
    return variance, square + variance / (len(gradients) * batch_size)


@mutant("noise_from_workers", says="You took off σ²/B, the noise of one worker; the average of N workers has σ²/(NB).")
def takes_off_one_workers_noise(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    variance, square = noise_from_workers(gradients, batch_size=batch_size)
    workers = len(gradients)
    return variance, square - variance * (workers - 1) / (workers * batch_size)


@mutant("noise_from_workers", says="The order is: σ² first, ‖g‖² second.")
def gives_them_in_reverse(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    variance, square = noise_from_workers(gradients, batch_size=batch_size)
    return square, variance


@mutant("noise_from_workers", says="This is right for one input only: compute both estimates from the gradients.")
def noise_of_one_step(gradients: Sequence[Vector], *, batch_size: int) -> tuple[float, float]:
    return 2.0, 3.0


def with_coefficient(values: Vector, controls: Vector, control_mean: float, coefficient: float) -> float:
    return fmean(values) - coefficient * (fmean(controls) - control_mean)


def moments(values: Vector, controls: Vector) -> tuple[float, float, float]:
    """Return the covariance, the values' variance and the controls'."""
    f, h = fmean(values), fmean(controls)
    covariance = fmean((v - f) * (c - h) for v, c in zip(values, controls, strict=True))
    return covariance, fmean((v - f) ** 2 for v in values), fmean((c - h) ** 2 for c in controls)


@mutant("control_variate_mean", says="You fixed u at 1; the u that leaves least variance is Cov(f, h)/Var h.")
def fixes_the_coefficient(values: Vector, controls: Vector, *, control_mean: float) -> float:
    return with_coefficient(values, controls, control_mean, 1.0)


@mutant(
    "control_variate_mean",
    says="The correction has the wrong sign: if the controls came out too large, so did the values, so take it off.",
)
def adds_the_correction(values: Vector, controls: Vector, *, control_mean: float) -> float:
    covariance, _, spread = moments(values, controls)
    return with_coefficient(values, controls, control_mean, -covariance / spread if spread else 0.0)


@mutant(
    "control_variate_mean",
    says="You divided the covariance by the variance of the values; it is that of the controls.",
)
def divides_by_the_other_variance(values: Vector, controls: Vector, *, control_mean: float) -> float:
    covariance, spread, _ = moments(values, controls)
    return with_coefficient(values, controls, control_mean, covariance / spread if spread else 0.0)


@mutant(
    "control_variate_mean",
    says="You took the correlation for u; the slope is Cov(f, h)/Var h, in units of f per unit of h.",
)
def takes_the_correlation(values: Vector, controls: Vector, *, control_mean: float) -> float:
    covariance, first, second = moments(values, controls)
    scale = math.sqrt(first * second)
    return with_coefficient(values, controls, control_mean, covariance / scale if scale else 0.0)


@mutant(
    "control_variate_mean",
    says="The covariance is divided by n and the variance by n − 1; divide both by the same.",
)
def mixes_the_divisors(values: Vector, controls: Vector, *, control_mean: float) -> float:
    covariance, _, spread = moments(values, controls)
    slope = covariance / spread * (len(values) - 1) / len(values) if spread else 0.0
    return with_coefficient(values, controls, control_mean, slope)


@mutant(
    "control_variate_mean",
    says="This is the plain mean of the values: the controls and their known mean are not used.",
)
def ignores_the_controls(values: Vector, controls: Vector, *, control_mean: float) -> float:
    return fmean(values)


@mutant(
    "control_variate_mean",
    says="Controls that are all equal have no variance to divide by: they tell nothing, so u is 0.",
)
def fails_on_equal_controls(values: Vector, controls: Vector, *, control_mean: float) -> float:
    covariance, _, spread = moments(values, controls)
    return with_coefficient(values, controls, control_mean, covariance / spread)


@mutant(
    "control_variate_mean",
    says="This is right for one input only: compute the estimate from the values and the controls.",
)
def one_estimate(values: Vector, controls: Vector, *, control_mean: float) -> float:
    return 5.0


def about(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half


def gain(first: Sequence[bool], second: Sequence[bool]) -> float:
    return (sum(second) - sum(first)) / len(first)


def half_width(first: Sequence[bool], second: Sequence[bool], confidence: float) -> float:
    low, high = paired_interval(first, second, confidence=confidence)
    return (high - low) / 2


@mutant(
    "paired_interval",
    says=(
        "You added the variances of two separate tests; the questions are the same, so take the variance of the "
        "differences."
    ),
)
def takes_two_tests(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    shares = [sum(answers) / len(first) for answers in (first, second)]
    variance = sum(share * (1 - share) for share in shares)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return about(gain(first, second), z * math.sqrt(variance / len(first)))


@mutant("paired_interval", says="This is the gain of the first model over the second; it is asked the other way round.")
def subtracts_the_second(
    first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95
) -> tuple[float, float]:
    return about(-gain(first, second), half_width(first, second, confidence))


@mutant(
    "paired_interval",
    says="Your z leaves the whole rest above: an interval has two ends, so take the quantile at (1 + confidence)/2.",
)
def leaves_one_side(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    two, one = (NormalDist().inv_cdf(share) for share in ((1 + confidence) / 2, confidence))
    return about(gain(first, second), half_width(first, second, confidence) * one / two)


@mutant("paired_interval", says="z = 1.96 belongs to a confidence of 95% only.")
def ignores_the_confidence(
    first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95
) -> tuple[float, float]:
    return about(gain(first, second), half_width(first, second, 0.95))


@mutant(
    "paired_interval",
    says="This is the spread of one question's difference; the mean of n questions has it divided by √n.",
)
def forgets_the_questions(
    first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95
) -> tuple[float, float]:
    return about(gain(first, second), half_width(first, second, confidence) * math.sqrt(len(first)))


@mutant(
    "paired_interval",
    says="The gain's own square is missing: the variance is the mean of the squares minus the square of the mean.",
)
def forgets_the_mean(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    changed = sum(a != b for a, b in zip(first, second, strict=True)) / len(first)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return about(gain(first, second), z * math.sqrt(changed / len(first)))


@mutant("paired_interval", says="This is right for one input only: compute the ends from the answers.")
def no_gain(first: Sequence[bool], second: Sequence[bool], *, confidence: float = 0.95) -> tuple[float, float]:
    return 0.0, 0.0
