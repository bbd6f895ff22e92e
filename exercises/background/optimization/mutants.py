"""Typical wrong answers to chapter A3's exercises, each with the sentence that the grader is to tell its author."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from exercises.grading import mutant

Vector = list[float]
Gradient = Callable[[Vector], Vector]


def unit(direction: Vector) -> Vector:
    length = math.hypot(*direction)
    return [entry / length for entry in direction]


def hessian_product(gradient: Gradient, at: Vector, direction: Vector, distance: float) -> Vector:
    there = gradient([x + distance * entry for x, entry in zip(at, direction, strict=True)])
    return [(after - before) / distance for after, before in zip(there, gradient(at), strict=True)]


def dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def last_direction(gradient: Gradient, at: Vector, start: Vector, products: int, distance: float) -> Vector:
    """Return the direction after some products with the Hessian, scaled to length 1."""
    direction = unit(start)
    for _ in range(products):
        direction = unit(hessian_product(gradient, at, direction, distance))
    return direction


@mutant("largest_curvature", says="The difference of two gradients is h times Hδ: divide it by the distance h.")
def forgets_the_distance(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    direction = last_direction(gradient, at, start, iterations - 1, distance)
    return distance * dot(direction, hessian_product(gradient, at, direction, distance))


@mutant(
    "largest_curvature",
    says="The last direction does not have length 1: scale it before each product, so that δᵀHδ is a curvature.",
)
def forgets_to_scale(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    direction = start
    for _ in range(iterations - 1):
        direction = hessian_product(gradient, at, direction, distance)
    return dot(direction, hessian_product(gradient, at, direction, distance))


@mutant(
    "largest_curvature",
    says="You took the gradient at the shifted point alone; the gradient at θ itself has to be taken off.",
)
def takes_one_gradient(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    direction, image = start, start
    for _ in range(iterations):
        direction = unit(image)
        there = gradient([x + distance * entry for x, entry in zip(at, direction, strict=True)])
        image = [entry / distance for entry in there]
    return dot(direction, image)


@mutant("largest_curvature", says="You measured about the origin; the curvature is asked at the point θ.")
def measures_at_the_origin(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    origin = [0.0] * len(at)
    direction = last_direction(gradient, origin, start, iterations - 1, distance)
    return dot(direction, hessian_product(gradient, origin, direction, distance))


@mutant(
    "largest_curvature",
    says="This is the length of Hδ, which is never negative and too large for all but eigenvectors; take δᵀHδ.",
)
def takes_the_length(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    direction = last_direction(gradient, at, start, iterations - 1, distance)
    return math.hypot(*hessian_product(gradient, at, direction, distance))


@mutant("largest_curvature", says="This is one product with the Hessian too many: the last one gives both Hδ and δᵀHδ.")
def multiplies_once_more(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    direction = last_direction(gradient, at, start, iterations, distance)
    return dot(direction, hessian_product(gradient, at, direction, distance))


@mutant("largest_curvature", says="This is right for one input only: measure the curvature with the gradient.")
def curvature_of_one(
    gradient: Gradient, *, at: Vector, start: Vector, iterations: int, distance: float = 1e-4
) -> float:
    return 2.0


def squares(part: Sequence[float]) -> float:
    return sum(entry**2 for entry in part)


@mutant(
    "square_norm_share",
    says="Every worker adds the replicated part's squares in full, so they count once for each worker.",
)
def counts_the_replicated_on_every_worker(
    shard: Sequence[float], replicated: Sequence[float], *, workers: int
) -> float:
    return squares(shard) + squares(replicated)


@mutant("square_norm_share", says="The replicated part belongs to the gradient, too: its squares count once.")
def leaves_the_replicated_out(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    return squares(shard)


@mutant(
    "square_norm_share",
    says="Only the replicated part is shared among the workers; a shard's squares count in full.",
)
def divides_the_shard_too(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    return (squares(shard) + squares(replicated)) / workers


@mutant(
    "square_norm_share",
    says="You divided the entries by the workers before squaring, so their squares are divided by N².",
)
def divides_before_squaring(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    return squares(shard) + squares(replicated) / workers**2


@mutant(
    "square_norm_share",
    says="You took the root on each worker; norms do not add up, their squares do. The root comes after the sum.",
)
def takes_the_root(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    return math.sqrt(squares(shard) + squares(replicated) / workers)


@mutant("square_norm_share", says="This is right for one input only: compute the share from both parts.")
def share_of_one(shard: Sequence[float], replicated: Sequence[float], *, workers: int) -> float:
    return 25.0


@mutant(
    "second_moment_bytes",
    says="A factored matrix keeps a number for each row and for each column: r + c, not r·c.",
)
def keeps_every_entry(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    return sum(math.prod(shape) for shape in shapes) * bytes_per_number


@mutant("second_moment_bytes", says="Only matrices are factored: a shape of three dimensions is kept whole.")
def factors_every_shape(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    return sum(sum(shape) if factored and shape else math.prod(shape) for shape in shapes) * bytes_per_number


@mutant("second_moment_bytes", says="These are numbers, not bytes: multiply by the bytes of one.")
def counts_numbers(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    return sum(sum(shape) if factored and len(shape) == 2 else math.prod(shape) for shape in shapes)


@mutant("second_moment_bytes", says="You counted the means of the rows alone; those of the columns are kept as well.")
def keeps_the_rows_alone(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    numbers = sum(shape[0] if factored and len(shape) == 2 else math.prod(shape) for shape in shapes)
    return numbers * bytes_per_number


@mutant(
    "second_moment_bytes",
    says="You factored although factored is False: then every entry has its own second moment.",
)
def always_factors(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    return sum(sum(shape) if len(shape) == 2 else math.prod(shape) for shape in shapes) * bytes_per_number


@mutant("second_moment_bytes", says="This is right for one input only: count from the shapes.")
def four_bytes(shapes: Sequence[tuple[int, ...]], *, factored: bool, bytes_per_number: int = 4) -> int:
    return 4


@mutant(
    "warmup_updates",
    says="You took full batches from the start; while the batch is small, more updates are needed.",
)
def ignores_the_ramp(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    return math.ceil(warmup_tokens / full_batch_tokens)


@mutant("warmup_updates", says="The batch grows with the tokens seen; you kept the first one throughout.")
def never_grows(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    return math.ceil(warmup_tokens / (first_batch_tokens if ramp_tokens else full_batch_tokens))


@mutant(
    "warmup_updates",
    says="You took the mean of the first and the full batch; small batches come first, and there are more of them.",
)
def takes_the_mean_batch(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    first = first_batch_tokens if ramp_tokens else full_batch_tokens
    return math.ceil(2 * warmup_tokens / (first + full_batch_tokens))


@mutant("warmup_updates", says="The batch stops growing when it is full.")
def grows_for_ever(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    tokens, updates = 0.0, 0
    while tokens < warmup_tokens:
        grown = tokens / ramp_tokens if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        updates += 1
    return updates


@mutant("warmup_updates", says="You left out the last update, the one in which the warm-up ends.")
def leaves_out_the_last(
    *, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float
) -> int:
    tokens, updates = 0.0, 0
    while True:
        grown = min(1.0, tokens / ramp_tokens) if ramp_tokens else 1.0
        tokens += first_batch_tokens + grown * (full_batch_tokens - first_batch_tokens)
        if tokens > warmup_tokens:
            return updates
        updates += 1


@mutant("warmup_updates", says="This is right for one input only: count the updates.")
def one_update(*, warmup_tokens: float, first_batch_tokens: float, full_batch_tokens: float, ramp_tokens: float) -> int:
    return 1


def curvatures(hessian: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the smallest and the largest curvature of two parameters."""
    (first, mixed), (_, second) = hessian
    middle, apart = (first + second) / 2, math.hypot((first - second) / 2, mixed)
    return middle - apart, middle + apart


@mutant("largest_stable_step", says="This is the bound without momentum; with momentum the step may be larger.")
def forgets_the_momentum(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 / curvatures(hessian)[1]


@mutant("largest_stable_step", says="Momentum raises the bound: the factor is 1 + μ, not 1 − μ.")
def subtracts_the_momentum(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 * (1 - momentum) / curvatures(hessian)[1]


@mutant(
    "largest_stable_step",
    says=(
        "Momentum does not multiply the step that is allowed by 1/(1 − μ): a root leaves the unit disc at −1, at "
        "2(1 + μ)/λ."
    ),
)
def lengthens_by_the_sum(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 / (1 - momentum) / curvatures(hessian)[1]


@mutant(
    "largest_stable_step",
    says="The factor 2 is forgotten: beyond 1/λ a direction overshoots, and it still converges.",
)
def stops_where_it_overshoots(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return (1 + momentum) / curvatures(hessian)[1]


@mutant(
    "largest_stable_step",
    says="This is the bound of the flattest direction; the steepest one diverges long before.",
)
def takes_the_smallest_curvature(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 * (1 + momentum) / curvatures(hessian)[0]


@mutant(
    "largest_stable_step",
    says="The diagonal holds the curvatures only where H has no other entries; take the largest eigenvalue.",
)
def takes_the_diagonal(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 * (1 + momentum) / max(hessian[0][0], hessian[1][1])


@mutant(
    "largest_stable_step",
    says="This adds the two curvatures; each direction goes its own way, and the steeper one decides.",
)
def takes_the_trace(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2 * (1 + momentum) / (hessian[0][0] + hessian[1][1])


@mutant("largest_stable_step", says="This is right for one input only: compute the bound from H and μ.")
def one_step(hessian: Sequence[Sequence[float]], *, momentum: float) -> float:
    return 2.0
