"""Paths against closed forms and hand-written recurrences; K ranks against one machine, bit for bit where exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.arrays import exact_or_finite_array
from snippets.background.optimization import simulators as descent_paths
from snippets.background.optimization.formulas import (
    best_gradient_descent_step,
    best_momentum,
    best_momentum_rate,
    best_momentum_step,
    cosine_schedule,
    gradient_descent_rate,
    largest_stable_step,
    momentum_matrix,
    sgd_mean_square,
    sgd_noise_floor,
    sgd_stationary_variance,
)
from snippets.background.optimization.simulators import (
    Adam,
    AdamW,
    GradientDescent,
    Momentum,
    Rule,
    Surface,
    chord_gap,
    clip_by_global_norm,
    data_parallel_descent,
    descend,
    double_well,
    quadratic,
    tangent_gap,
)

ENTRY = st.floats(-3, 3)


def symmetric(entries: list[float], dimension: int) -> np.ndarray:
    matrix = np.array(entries).reshape(dimension, dimension)
    return matrix + matrix.T


@given(st.lists(ENTRY, min_size=9, max_size=9), st.lists(ENTRY, min_size=6, max_size=6))
def test_derivatives_of_a_quadratic_by_differences(entries: list[float], points: list[float]) -> None:
    surface = quadratic(symmetric(entries, 3), minimum=np.array(points[:3]))
    check_derivatives(surface, np.array(points[3:]))
    assert float(surface.value(np.array(points[:3]))) == 0


@given(st.tuples(ENTRY, ENTRY), st.floats(0.1, 5))
def test_derivatives_of_the_double_well_by_differences(point: tuple[float, float], curvature: float) -> None:
    check_derivatives(double_well(curvature=curvature), np.array(point))


def check_derivatives(surface: Surface, point: np.ndarray) -> None:
    h = 1e-5
    for axis, nudge in enumerate(np.eye(surface.dimension) * h):
        slope = (surface.value(point + nudge) - surface.value(point - nudge)) / (2 * h)
        bend = (surface.gradient(point + nudge) - surface.gradient(point - nudge)) / (2 * h)
        assert surface.gradient(point)[axis] == pytest.approx(float(slope), abs=1e-5)
        assert surface.hessian(point)[axis] == pytest.approx(bend, abs=1e-4)
    many = np.stack([point, 2 * point, -point])
    assert surface.value(many) == pytest.approx(np.array([surface.value(row) for row in many]))
    assert surface.gradient(many) == pytest.approx(np.array([surface.gradient(row) for row in many]))
    assert surface.hessian(many) == pytest.approx(np.array([surface.hessian(row) for row in many]))


def test_the_double_well_by_hand() -> None:
    surface = double_well(curvature=3.0)
    assert surface.value(np.array([[1.0, 0.0], [-1.0, 2.0], [0.0, 0.0], [2.0, 0.0]])).tolist() == [0.0, 6.0, 0.25, 2.25]
    assert surface.gradient(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])).tolist() == [[0.0, 0.0]] * 3


@given(st.lists(ENTRY, min_size=4, max_size=4), st.lists(ENTRY, min_size=4, max_size=4), st.floats(0, 1))
def test_three_meanings_of_convex_agree(entries: list[float], points: list[float], share: float) -> None:
    matrix = symmetric(entries, 2)
    surface, x, y = quadratic(matrix), np.array(points[:2]), np.array(points[2:])
    along = float((y - x) @ matrix @ (y - x)) / 2
    assert chord_gap(surface, x, y, share=share) == pytest.approx(share * (1 - share) * along, abs=1e-9)
    assert tangent_gap(surface, x, y) == pytest.approx(along, abs=1e-9)
    if np.linalg.eigvalsh(matrix).min() >= 0:
        assert chord_gap(surface, x, y, share=share) >= -1e-9
        assert tangent_gap(surface, x, y) >= -1e-9


def test_the_double_well_is_convex_in_no_sense() -> None:
    surface = double_well()
    assert chord_gap(surface, np.array([-1.0, 0.0]), np.array([1.0, 0.0])) == -0.25
    assert tangent_gap(surface, np.array([0.0, 0.0]), np.array([1.0, 0.0])) == -0.25
    assert np.linalg.eigvalsh(surface.hessian(np.zeros(2))).min() == -1


@given(st.floats(0.01, 2.5), st.lists(ENTRY, min_size=2, max_size=2), st.integers(0, 15))
def test_gradient_descent_is_a_geometric_sequence(reach: float, start: list[float], steps: int) -> None:
    curvatures = np.array([1.0, 4.0])
    path = descend(quadratic(np.diag(curvatures)), start, rule=GradientDescent(reach / 4), steps=steps)
    expected = np.array(start) * (1 - reach / 4 * curvatures) ** np.arange(steps + 1)[:, None]
    assert path.points == pytest.approx(expected, abs=1e-9)
    assert path.values == pytest.approx((expected**2 * curvatures).sum(axis=1) / 2, abs=1e-9)
    assert (path.gradients_evaluated, path.state_numbers, path.diverged) == (steps, 0, False)


@given(st.floats(0.01, 3.0), st.floats(0, 0.95), st.floats(-2, 2), st.integers(0, 15))
def test_the_heavy_ball_is_a_power_of_its_matrix(reach: float, momentum: float, start: float, steps: int) -> None:
    path = descend(quadratic([[2.0]]), [start], rule=Momentum(reach / 2, momentum), steps=steps)
    matrix = np.array(momentum_matrix(step=reach / 2, momentum=momentum, curvature=2.0))
    expected = [(np.linalg.matrix_power(matrix, t) @ [start, start])[0] for t in range(steps + 1)]
    assert path.points[:, 0] == pytest.approx(np.array(expected), abs=1e-8)
    assert path.state_numbers == 1


@pytest.mark.parametrize("condition", [4.0, 100.0])
def test_measured_rates_are_those_of_the_formulas(condition: float) -> None:
    ends = {"smallest_curvature": 1.0, "largest_curvature": condition}
    surface = quadratic(np.diag([1.0, condition]))

    def rate(rule: Rule, steps: int) -> float:
        sizes = np.linalg.norm(descend(surface, [1.0, 1.0], rule=rule, steps=steps).points, axis=1)
        return float((sizes[-1] / sizes[steps // 2]) ** (1 / (steps - steps // 2)))

    eta = best_gradient_descent_step(**ends)
    assert rate(GradientDescent(eta), 40) == pytest.approx(gradient_descent_rate(step=eta, **ends))
    heavy = Momentum(best_momentum_step(**ends), best_momentum(condition))
    # at the best choice the root is double and distances shrink as t·ρᵗ: 2^(1/40) more over the second half of 80 steps
    assert rate(heavy, 80) == pytest.approx(best_momentum_rate(condition) * 2 ** (1 / 40), rel=0.01)


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_the_largest_stable_step_is_where_paths_turn(momentum: float) -> None:
    limit = largest_stable_step(3.0, momentum=momentum)
    below, above = (
        descend(quadratic([[3.0]]), [1.0], rule=Momentum(limit * share, momentum), steps=2000) for share in (0.99, 1.01)
    )
    assert abs(below.points[-1, 0]) < 1e-3
    assert abs(above.points[-1, 0]) > 1e3
    assert not below.diverged


def test_a_path_ends_before_it_overflows() -> None:
    path = descend(quadratic(np.eye(1)), [[1.0], [0.0]], rule=GradientDescent(101.0), steps=500)
    assert path.diverged
    assert np.isfinite(path.values).all()
    assert path.gradients_evaluated == len(path.points) - 1 < 100
    assert path.points[-1].ravel().tolist() == pytest.approx([(-100.0) ** path.gradients_evaluated, 0.0])


@pytest.mark.parametrize("power", [1, 2, 2.34, 2.4, 2.43, 3, 100, 153])  # 154 updates to 1
def test_a_path_ends_with_the_last_loss_that_is_finite(power: float) -> None:
    path = descend(quadratic(np.eye(1)), [1.0], rule=GradientDescent(1 + 10.0**power), steps=1000)
    assert path.diverged
    assert path.gradients_evaluated == len(path.points) - 1 == len(path.values) - 1
    with np.errstate(over="ignore"):
        *losses, beyond = np.append(path.points[:, 0], path.points[-1, 0] * 10.0**power) ** 2 / 2
    assert path.values.tolist() == losses
    assert np.isfinite(losses).all()
    assert np.isinf(beyond)


@pytest.mark.parametrize("steps", [0, 1, 63, 64, 65, 128, 200])
def test_a_path_has_a_point_and_a_loss_for_each_update(steps: int) -> None:
    path = descend(quadratic(np.eye(2)), [[1.0, 2.0], [3.0, 4.0]], rule=GradientDescent(0.5), steps=steps)
    assert path.points.shape == (steps + 1, 2, 2)
    assert path.gradients_evaluated == steps
    assert not path.diverged
    assert path.values.tolist() == ((path.points**2).sum(axis=-1) / 2).tolist()


@pytest.mark.parametrize(("step", "momentum"), [(0.1, 0.0), (0.9, 0.0), (0.2, 0.8)])
def test_sgd_settles_at_the_variance_of_the_formula(step: float, momentum: float) -> None:
    curvatures, deviations = np.array([0.5, 2.0]), np.array([1.0, 3.0])
    path = descend(
        quadratic(np.diag(curvatures)),
        np.zeros((4000, 2)),
        rule=Momentum(step, momentum),
        steps=150,
        noise=deviations,
        generator=np.random.default_rng(4),
    )
    for axis in range(2):
        expected = sgd_stationary_variance(
            step=step, curvature=curvatures[axis], noise_variance=deviations[axis] ** 2, momentum=momentum
        )
        assert path.points[-40::10, :, axis].var() == pytest.approx(expected, rel=0.05)
    floor = sgd_noise_floor(
        step=step, curvatures=curvatures.tolist(), noise_variances=(deviations**2).tolist(), momentum=momentum
    )
    assert path.values[-40::10].mean() == pytest.approx(floor, rel=0.05)


def test_sgd_forgets_its_start_as_the_formula_says() -> None:
    path = descend(
        quadratic([[0.5]]),
        np.full((20_000, 1), 3.0),
        rule=GradientDescent(0.4),
        steps=20,
        noise=2.0,
        generator=np.random.default_rng(1),
    )
    for steps in (0, 1, 5, 20):
        expected = sgd_mean_square(step=0.4, curvature=0.5, noise_variance=4.0, start=3.0, steps=steps)
        assert (path.points[steps] ** 2).mean() == pytest.approx(expected, rel=0.03)


def adam_by_hand(
    gradient: Callable[[Decimal], Decimal], start: str, steps: int, *, l2: str = "0", decay: str = "0"
) -> list[float]:
    """Adam in one dimension from its definition, in 50 digits: the means as explicit sums, not as recurrences."""
    with localcontext() as context:
        context.prec = 50
        eta, b1, b2, epsilon = Decimal("0.1"), Decimal("0.9"), Decimal("0.99"), Decimal("1e-8")
        w, gradients, path = Decimal(start), [], [float(start)]
        for t in range(1, steps + 1):
            gradients.append(gradient(w) + Decimal(l2) * w)
            mean = sum((1 - b1) * b1 ** (t - 1 - i) * g for i, g in enumerate(gradients)) / (1 - b1**t)
            square = sum((1 - b2) * b2 ** (t - 1 - i) * g * g for i, g in enumerate(gradients)) / (1 - b2**t)
            w = w - eta * Decimal(decay) * w - eta * mean / (square.sqrt() + epsilon)
            path.append(float(w))
        return path


@pytest.mark.parametrize(
    ("rule", "extra"),
    [
        (Adam(0.1, beta2=0.99), {}),
        (Adam(0.1, beta2=0.99, l2_penalty=0.25), {"l2": "0.25"}),
        (AdamW(0.1, weight_decay=0.25, beta2=0.99), {"decay": "0.25"}),
    ],
)
def test_adam_by_its_definition_in_fifty_digits(rule: Rule, extra: dict[str, str]) -> None:
    path = descend(quadratic([[3.0]]), [1.5], rule=rule, steps=30)
    assert path.points[:, 0] == pytest.approx(np.array(adam_by_hand(lambda w: 3 * w, "1.5", 30, **extra)), rel=1e-10)
    assert path.state_numbers == 2
    well = descend(double_well(), [0.5, 0.0], rule=rule, steps=30)
    expected = adam_by_hand(lambda w: w * (w * w - 1), "0.5", 30, **extra)
    assert well.points[:, 0] == pytest.approx(np.array(expected), rel=1e-10)


def test_adams_first_update_has_the_size_of_its_rate() -> None:
    path = descend(quadratic(np.diag([1e-4, 1e4])), [1.0, -1.0], rule=Adam(0.1), steps=1)
    assert path.points[1] == pytest.approx([0.9, -0.9], rel=1e-3)
    # decoupled decay shrinks weights that no gradient touches; an L2 penalty in Adam moves them by the rate
    still = quadratic(np.zeros((1, 1)))
    assert descend(still, [2.0], rule=AdamW(0.1, weight_decay=0.5), steps=1).points[1] == pytest.approx(1.9)
    assert descend(still, [2.0], rule=Adam(0.1, l2_penalty=0.5), steps=1).points[1] == pytest.approx(1.9, rel=1e-6)
    assert descend(still, [4.0], rule=AdamW(0.1, weight_decay=0.5), steps=1).points[1] == pytest.approx(3.8)
    assert descend(still, [4.0], rule=Adam(0.1, l2_penalty=0.5), steps=1).points[1] == pytest.approx(3.9, rel=1e-6)


@pytest.mark.parametrize("rule", [GradientDescent(0.1), Momentum(0.1, 0.5), Adam(0.1), AdamW(0.1, weight_decay=0.3)])
def test_a_schedule_multiplies_the_learning_rate(rule: Rule) -> None:
    def half_of(t: int) -> float:
        return cosine_schedule(t, peak=1.0, warmup_steps=2, total_steps=8)

    still = descend(double_well(), [0.3, 1.0], rule=rule, steps=3, schedule=lambda t: 0.0)
    assert (still.points == still.points[0]).all()
    path = descend(double_well(), [0.3, 1.0], rule=rule, steps=8, schedule=half_of)
    assert (path.points[0] == path.points[1]).all()  # the first update of a warm-up from 0
    assert (path.points[1] != path.points[2]).all()
    full = descend(double_well(), [0.3, 1.0], rule=rule, steps=4, schedule=lambda t: 1.0)
    assert np.array_equal(full.points, descend(double_well(), [0.3, 1.0], rule=rule, steps=4).points)
    once = descend(double_well(), [0.3, 1.0], rule=rule, steps=1).points
    half = descend(double_well(), [0.3, 1.0], rule=rule, steps=1, schedule=lambda t: 0.5).points
    assert half[1] - half[0] == pytest.approx((once[1] - once[0]) / 2)


def test_many_starts_descend_as_they_would_alone() -> None:
    starts = np.array([[0.3, 1.0], [-0.2, -1.0], [2.0, 0.5]])
    together = descend(double_well(), starts, rule=Adam(0.05), steps=20)
    for number, start in enumerate(starts):
        alone = descend(double_well(), start, rule=Adam(0.05), steps=20)
        assert np.array_equal(together.points[:, number], alone.points)
        assert np.array_equal(together.values[:, number], alone.values)


WORKERS = st.integers(1, 5)
NUMBER = st.integers(-5, 5)


@st.composite
def regressions(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[int], list[list[int]]]:
    examples, dimension = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    x = draw(st.lists(st.lists(NUMBER, min_size=dimension, max_size=dimension), min_size=examples, max_size=examples))
    y = draw(st.lists(NUMBER, min_size=examples, max_size=examples))
    start = draw(st.lists(NUMBER, min_size=dimension, max_size=dimension))
    batch = st.lists(st.integers(0, examples - 1), min_size=1, max_size=8)
    return x, y, start, draw(st.lists(batch, max_size=4))


def exact(values: Any) -> np.ndarray:
    array = np.array(values, dtype=object)
    return np.vectorize(Fraction, otypes=[object])(array) if array.size else array


@settings(max_examples=examples(60))
@given(
    regressions(),
    WORKERS,
    st.sampled_from([GradientDescent(Fraction(1, 40)), Momentum(Fraction(1, 40), Fraction(3, 4))]),
)
def test_workers_make_the_big_batch_step_bit_for_bit_in_exact_arithmetic(
    problem: tuple[list[list[int]], list[int], list[int], list[list[int]]], ranks: int, rule: Rule
) -> None:
    x, y, start, batches = problem
    numbers = exact(x), exact(y), exact(start)
    run = data_parallel_descent(*numbers, batches=batches, ranks=ranks, rule=rule)
    # one machine, by nested loops over plain Fractions
    weights, velocity = [Fraction(w) for w in start], [Fraction(0)] * len(start)
    for step, batch in enumerate(batches):
        slopes = [
            Fraction(sum(2 * (sum(a * w for a, w in zip(x[i], weights, strict=True)) - y[i]) * x[i][j] for i in batch))
            / len(batch)
            for j in range(len(weights))
        ]
        assert run.gradients[step].tolist() == slopes
        beta: Any = rule.momentum if isinstance(rule, Momentum) else 0
        velocity = [beta * v + slope for v, slope in zip(velocity, slopes, strict=True)]
        weights = [w - Fraction(1, 40) * v for w, v in zip(weights, velocity, strict=True)]
    assert run.replicas.shape == (ranks, len(start))
    assert all(replica == weights for replica in run.replicas.tolist())
    assert all(isinstance(weight, Fraction) for weight in run.replicas.ravel())
    assert run.reduced_numbers == len(batches) * (len(start) + 1)
    assert run.shares.tolist() == [
        [len(batch) // ranks + (p < len(batch) % ranks) for p in range(ranks)] for batch in batches
    ]


RULES: list[Rule] = [GradientDescent(0.05), Momentum(0.05, 0.9), Adam(0.05), AdamW(0.05, weight_decay=0.1)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 16])
def test_workers_make_the_big_batch_step_to_rounding_in_floats(rule: Rule, ranks: int) -> None:
    generator = np.random.default_rng(ranks)
    x, y, start = generator.standard_normal((60, 5)), generator.standard_normal(60), generator.standard_normal(5)
    batches = [generator.integers(0, 60, size=12).tolist() for _ in range(10)]
    alone = data_parallel_descent(x, y, start, batches=batches, ranks=1, rule=rule)
    run = data_parallel_descent(x, y, start, batches=batches, ranks=ranks, rule=rule)
    assert run.replicas == pytest.approx(np.repeat(alone.replicas, ranks, axis=0), rel=1e-10)
    assert all(np.array_equal(replica, run.replicas[0]) for replica in run.replicas)  # the replicas never part
    first = 2 * x[batches[0]].T @ (x[batches[0]] @ start - y[batches[0]]) / 12
    assert run.gradients[0] == pytest.approx(first)


def test_float_sums_depend_on_the_number_of_workers() -> None:
    """Equal to rounding is not equal: that is why the exact test needs Fractions."""
    generator = np.random.default_rng(0)
    x, y = generator.standard_normal((60, 5)), generator.standard_normal(60)
    runs = [
        data_parallel_descent(x, y, np.ones(5), batches=[range(60)], ranks=k, rule=GradientDescent(0.1)).replicas[0]
        for k in (1, 7)
    ]
    assert not np.array_equal(*runs)


def test_a_mean_of_means_is_another_gradient_where_shares_differ() -> None:
    """Batch of 3 on 2 ranks: shares 2 and 1. Gradients at 0 of y = (1, 2, 6) with x = 1 are −2, −4, −12."""
    x, y, start = exact([[1], [1], [1]]), exact([1, 2, 6]), exact([0])
    rule = GradientDescent(Fraction(1))
    by_examples, by_workers = (
        data_parallel_descent(x, y, start, batches=[[0, 1, 2]], ranks=2, rule=rule, averaging=averaging).gradients[0, 0]
        for averaging in ("examples", "ranks")
    )
    assert (by_examples, by_workers) == (-6, Fraction(-15, 2))


@given(regressions(), WORKERS)
def test_a_mean_of_means_is_right_where_shares_are_equal(
    problem: tuple[list[list[int]], list[int], list[int], list[list[int]]], ranks: int
) -> None:
    x, y, start, batches = problem
    batches = [batch * ranks for batch in batches]
    arguments: dict[str, Any] = {"batches": batches, "ranks": ranks, "rule": GradientDescent(Fraction(1, 40))}
    runs = [
        data_parallel_descent(exact(x), exact(y), exact(start), **arguments, averaging=averaging)
        for averaging in ("examples", "ranks")
    ]
    assert runs[0].replicas.tolist() == runs[1].replicas.tolist()


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), max_size=6), min_size=1, max_size=5),
    st.floats(1e-3, 1e4),
)
def test_clipping_shards_is_clipping_the_whole(shards: list[list[float]], limit: float) -> None:
    clipped = clip_by_global_norm([np.array(shard) for shard in shards], max_norm=limit)
    whole = np.array([value for shard in shards for value in shard])
    norm = math.sqrt(math.fsum(value * value for value in whole))
    assert clipped.global_norm == pytest.approx(norm, rel=1e-12, abs=1e-150)
    expected = whole * min(1.0, limit / norm) if norm else whole
    assert np.concatenate(clipped.shards) == pytest.approx(expected, rel=1e-9, abs=1e-150)
    assert clipped.reduced_numbers == 1
    assert clipped.scale <= 1


def test_clipping_each_shard_alone_turns_the_gradient() -> None:
    shards = [np.array([3.0]), np.array([0.4])]
    together = np.concatenate(clip_by_global_norm(shards, max_norm=1.0).shards)
    alone = np.concatenate([clip_by_global_norm([shard], max_norm=1.0).shards[0] for shard in shards])
    whole = np.concatenate(shards)
    assert together[0] * whole[1] == pytest.approx(together[1] * whole[0])
    assert abs(alone[0] * whole[1] - alone[1] * whole[0]) > 0.1
    huge = clip_by_global_norm([np.array([3e200]), np.array([[4e200]])], max_norm=1.0)
    assert huge.global_norm == pytest.approx(5e200)
    assert huge.shards[1].shape == (1, 1)


loose: Any = descent_paths  # the calls below break the annotations on purpose
FLAT = quadratic(np.eye(1))
STEP = GradientDescent(0.1)
RNG = np.random.default_rng(0)
EXACT: Any = {"x": [[Fraction(1)]], "y": [Fraction(1)], "start": [Fraction(1)]}
PLAIN: Any = {"x": [[1.0]], "y": [1.0], "start": [1.0]}
ONE: Any = {"batches": [[0]], "ranks": 1, "rule": STEP}
REFUSED = [
    (lambda: loose.quadratic([[1.0, 2.0], [3.0, 1.0]]), "hessian must be a symmetric matrix"),
    (lambda: loose.quadratic(np.zeros((0, 0))), "hessian must be a symmetric matrix"),
    (lambda: loose.quadratic(np.eye(2), minimum=[1.0]), "minimum must have one entry per row of hessian, 2"),
    (lambda: loose.double_well(curvature=0), "curvature must be"),
    (lambda: loose.chord_gap(FLAT, [1.0], [2.0], share=1.5), "share must be a number from 0 to 1"),
    (lambda: loose.chord_gap(FLAT, [[1.0]], [2.0]), "start must be one point"),
    (lambda: loose.chord_gap(FLAT, [1.0], [1.0, 2.0]), "end must have 1 numbers in its last axis"),
    (lambda: loose.chord_gap(FLAT, [1e200], [0.0]), "start and end must be smaller"),
    (lambda: loose.tangent_gap(FLAT, 1.0, [2.0]), "touch must have 1 numbers"),
    (lambda: loose.tangent_gap("flat", [1.0], [2.0]), "surface must be a Surface"),
    (lambda: loose.descend(FLAT, [math.nan], rule=STEP, steps=1), "start must hold finite numbers"),
    (lambda: loose.descend(FLAT, [1e200], rule=STEP, steps=1), "start must be smaller"),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=-1), "steps must be"),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=10**10), r"\(steps \+ 1\) × numbers of start must be at most"),
    (lambda: loose.descend(FLAT, [1.0], rule=0.1, steps=1), "rule must be an optimizer"),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=1, noise=1.0), "generator must be given where noise is not 0"),
    (
        lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=1, noise=-1.0, generator=RNG),
        "noise must be a number of at least 0",
    ),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=1, noise=[1.0, 1.0], generator=RNG), "noise must be"),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=1, schedule=lambda t: -1.0), r"schedule\(0\) must be"),
    (lambda: loose.descend(FLAT, [1.0], rule=STEP, steps=1, schedule=0.5), "schedule must be a function"),
    (lambda: loose.GradientDescent(0), "step must be"),
    (lambda: loose.Momentum(0.1, 1.0), "momentum must be a number of at least 0 and below 1"),
    (lambda: loose.Momentum(-0.1, 0.5), "step must be"),
    (lambda: loose.Adam(0.0), "learning_rate must be"),
    (lambda: loose.Adam(0.1, beta1=1.0), "beta1 must be"),
    (lambda: loose.Adam(0.1, beta2=-0.1), "beta2 must be"),
    (lambda: loose.Adam(0.1, epsilon=0.0), "epsilon must be"),
    (lambda: loose.Adam(0.1, l2_penalty=-1.0), "l2_penalty must be"),
    (lambda: loose.AdamW(0.1, weight_decay=-1.0), "weight_decay must be"),
    (lambda: loose.AdamW(0.0, weight_decay=0.1), "learning_rate must be"),
    (
        lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "batches": [[]]}),
        "batches must hold at least one example each",
    ),
    (
        lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "batches": [[1]]}),
        r"batches\[0\] must hold integers from 0 to 0",
    ),
    (lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "batches": 3}), "batches must be a sequence"),
    (lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "ranks": 0}), "ranks must be"),
    (lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "ranks": 10**12}), "ranks × weights must be at most"),
    (lambda: loose.data_parallel_descent(**PLAIN, **ONE, averaging="machines"), "averaging must be one of"),
    (
        lambda: loose.data_parallel_descent(**PLAIN, **{**ONE, "ranks": 2}, averaging="ranks"),
        "batches must give each rank an example",
    ),
    (lambda: loose.data_parallel_descent(**{**PLAIN, "x": [[1e300]], "start": [1e300]}, **ONE), "must be smaller"),
    (lambda: loose.data_parallel_descent(**{**PLAIN, "y": [1.0, 2.0]}, **ONE), "x, y, start must have shapes"),
    (
        lambda: loose.data_parallel_descent(**{**EXACT, "y": [1.0]}, **ONE),
        "x, y, start must all hold Fractions or none",
    ),
    (lambda: loose.data_parallel_descent(**EXACT, **ONE), "rule must have Fractions for its numbers"),
    (
        lambda: loose.data_parallel_descent(**EXACT, **{**ONE, "rule": loose.Adam(0.1)}),
        "rule must have Fractions for its numbers",
    ),
    (lambda: loose.data_parallel_descent(**{**PLAIN, "y": ["a"]}, **ONE), "y must be an array of real numbers"),
    (lambda: exact_or_finite_array("y", [Fraction(1), 0.5]), "y must hold Fractions and integers only"),
    (lambda: loose.clip_by_global_norm([np.array([math.inf])], max_norm=1.0), r"shards\[0\] must hold finite numbers"),
    (lambda: loose.clip_by_global_norm([np.array([1.0])], max_norm=-1.0), "max_norm must be"),
    (lambda: loose.clip_by_global_norm(1.0, max_norm=1.0), "shards must be a sequence"),
    (lambda: loose.clip_by_global_norm([[1.7e308], [1.7e308]], max_norm=1.0), "shards must be smaller"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refusals(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
