"""Chapter 29: fronts against all pairs, the worth of a benchmark against drawn errors, choices on measured tables."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.composition.configuration_search.formulas import (
    best_of_each_kind,
    elasticity,
    error_difference_spread,
    expected_regret,
    kind_factors,
    pareto_front,
    second_run_saving_share,
    tying_factor,
)
from snippets.composition.configuration_search.hidden_layouts import mean_regret
from snippets.composition.published_steps import published_steps
from snippets.composition.rank_errors import choice_regret

ROWS = published_steps("vTrain 39.1B")
PREDICTED = [row.predicted().total for row in ROWS]
MEASURED = [row.seconds for row in ROWS]
KINDS = [f"t = {row.layout.tensor}" for row in ROWS]

sizes = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12)


@given(points=sizes)
def test_the_front_is_what_no_other_layout_dominates(points: list[tuple[int, int]]) -> None:
    front = pareto_front([float(T) for T, _ in points], [float(M) for _, M in points])

    def dominated(i: int) -> bool:
        T, M = points[i]
        return any(t <= T and m <= M and (t, m) != (T, M) for t, m in points)

    assert {points[i] for i in front} == {points[i] for i in range(len(points)) if not dominated(i)}
    assert len({points[i] for i in front}) == len(front)  # of equal ones, one
    assert [points[i][0] for i in front] == sorted(points[i][0] for i in front)


@given(points=sizes, limit=st.integers(1, 9))
def test_whatever_the_memory_the_fastest_that_fits_is_on_the_front(points: list[tuple[int, int]], limit: int) -> None:
    front = pareto_front([float(T) for T, _ in points], [float(M) for _, M in points])
    fitting = [T for T, M in points if limit >= M]
    on_front = [points[i][0] for i in front if points[i][1] <= limit]
    assert min(fitting, default=0) == min(on_front, default=0)


@pytest.mark.parametrize(("lead", "spread"), [(0.0, 0.1), (0.02, 0.03), (0.06, 0.12), (0.3, 0.5), (1.0, 1.5)])
def test_a_second_run_saves_what_drawn_errors_say(lead: float, spread: float) -> None:
    other = (1 + lead) * np.exp(spread * np.random.default_rng(29).normal(size=400_000))
    saved = np.maximum(0.0, 1 - other)
    found = second_run_saving_share(lead_share=lead, error_spread=spread)
    assert abs(found - saved.mean()) < 4 * saved.std() / 400_000**0.5 + 1e-6


def test_a_second_run_is_worth_more_the_less_is_known_and_the_closer_it_is() -> None:
    saving = [second_run_saving_share(lead_share=0.05, error_spread=0.01 * each) for each in range(60)]
    assert saving == sorted(saving)
    assert saving[0] == 0
    closer = [second_run_saving_share(lead_share=0.01 * each, error_spread=0.1) for each in range(60)]
    assert closer == sorted(closer, reverse=True)
    even = second_run_saving_share(lead_share=0.0, error_spread=0.1)
    assert even == pytest.approx(0.1 / math.sqrt(2 * math.pi), rel=0.07)  # half of the mean distance, to first order


@pytest.mark.parametrize("spread", [0.02, 0.13, 0.5])
@pytest.mark.parametrize("runs", [1, 2, 5])
def test_expected_regret_is_that_of_drawn_errors(spread: float, runs: int) -> None:
    steps = np.array(sorted(PREDICTED))
    drawn = np.log(steps) + spread * np.random.default_rng(runs).normal(size=(60_000, len(steps)))
    regret = np.exp(drawn[:, :runs].min(axis=1) - drawn.min(axis=1)) - 1
    found = expected_regret(PREDICTED, runs=runs, error_spread=spread)
    assert abs(found - regret.mean()) < 4 * regret.std() / 60_000**0.5 + 1e-5


def test_with_two_layouts_both_formulas_agree() -> None:
    """The second one's saving is a share of the first; regret is a share of the second: exchange their places."""
    for lead, spread in ((0.05, 0.1), (0.3, 0.2)):
        regret = expected_regret([1.0, 1 + lead], runs=1, error_spread=spread / math.sqrt(2))
        drawn = np.exp(-math.log1p(lead) + spread * np.random.default_rng(3).normal(size=400_000)) - 1
        assert regret == pytest.approx(np.maximum(0, drawn).mean(), rel=0.02)


def test_no_regret_where_all_are_run_or_nothing_is_uncertain() -> None:
    assert expected_regret([3.0, 1.0, 2.0], runs=3, error_spread=0.3) == 0
    assert expected_regret([3.0, 1.0, 2.0], runs=1, error_spread=0.0) == 0


def test_of_too_many_layouts_no_regret_is_computed() -> None:
    with pytest.raises(ValueError, match=r"^predicted_s must be at most 65536, got 65537$"):
        expected_regret([1.0] * (2**16 + 1), runs=1, error_spread=0.1)


@settings(deadline=None)
@given(shift=st.floats(0.3, 3.0), bent=st.floats(-2, 2), lead=st.floats(0.001, 0.5))
def test_a_factor_ties_two_powers(shift: float, bent: float, lead: float) -> None:
    first, second = bent, bent - shift
    factor = tying_factor(lead_share=lead, first_elasticity=first, second_elasticity=second)
    assert factor**first == pytest.approx((1 + lead) * factor**second)
    assert elasticity(less_s=2.0, more_s=2.0 * 1.3**bent, less=5.0, more=6.5) == pytest.approx(bent, abs=1e-9)


def test_elasticities_of_a_step_are_the_shares_of_its_terms() -> None:
    """A time that goes as one over a rate has elasticity −1, so a sum of terms has minus the share that it pays."""
    row = next(
        each for each in ROWS if (each.layout.tensor, each.layout.pipeline, each.layout.micro_batch) == (8, 2, 4)
    )
    for rate, terms in (("node_share", ("tensor",)), ("network_share", ("pipeline", "data"))):
        value = getattr(row.constants, rate)
        low, high = (row.predicted(replace(row.constants, **{rate: f * value})) for f in (0.99, 1.01))
        found = elasticity(less_s=low.total, more_s=high.total, less=0.99 * value, more=1.01 * value)
        at = row.predicted()
        share = sum(at.terms[name] for name in terms) / at.total
        assert -1.1 * share - 0.004 < found < -0.5 * share  # the bubble has its part of the tensor sums, hops theirs


def test_errors_are_shared_by_kind() -> None:
    same, other = (error_difference_spread(PREDICTED, MEASURED, KINDS, same_kind=each) for each in (True, False))
    assert same < other / 2
    errors = {kind: 0.1 * number for number, kind in enumerate("abc")}
    kinds = [kind for kind in "abc" for _ in range(4)]
    x = [float(1 + place) for place in range(12)]
    y = [step * math.exp(errors[kind]) for step, kind in zip(x, kinds, strict=True)]
    assert error_difference_spread(x, y, kinds, same_kind=True) == pytest.approx(0, abs=1e-12)
    assert error_difference_spread(x, y, kinds, same_kind=False) == pytest.approx(0.1 / 0.67449, rel=1e-4)


def test_a_spread_is_that_of_a_normal_distribution() -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(1, 2, size=400)
    y = x * np.exp(0.1 / math.sqrt(2) * rng.normal(size=400))
    assert error_difference_spread(list(x), list(y), ["a"] * 400, same_kind=True) == pytest.approx(0.1, rel=0.06)


def test_one_of_each_kind_comes_first() -> None:
    assert best_of_each_kind([3.0, 1.0, 2.0, 1.5], ["a", "a", "b", "a"], runs=4) == (1, 2, 3, 0)
    assert best_of_each_kind([3.0, 1.0], ["a", "b"], runs=9) == (1, 0)
    chosen = best_of_each_kind(PREDICTED, KINDS, runs=4)
    assert len({KINDS[i] for i in chosen}) == 4
    assert PREDICTED[chosen[0]] == min(PREDICTED)


def test_hidden_tables_with_everything_in_sight_are_the_table() -> None:
    steps = (PREDICTED, MEASURED, KINDS)
    assert mean_regret(*steps, runs=1, way="best", share=1.0, draws=1) == choice_regret(PREDICTED, MEASURED)
    assert mean_regret(*steps, runs=47, way="any", share=1.0, draws=1) == 0
    perfect = (MEASURED, MEASURED, KINDS)
    assert mean_regret(*perfect, runs=1, way="best") == 0 < mean_regret(*perfect, runs=1, way="any")


def test_factors_of_kinds_are_medians_and_shrug_off_one_that_went_astray() -> None:
    x, kinds = [1.0, 2.0, 4.0, 1.0, 3.0], ["a", "a", "a", "b", "b"]
    assert kind_factors(x, [1.1, 2.2, 40.0, 1.0, 3.6], kinds) == pytest.approx({"a": 1.1, "b": 1.1})
    with pytest.raises(ValueError, match=r"kinds must have as many entries as predicted_s, 5, got 2"):
        kind_factors(x, x, ["a", "b"])


def test_a_smaller_jobs_factors_save_a_run_on_the_larger_one() -> None:
    """What the chapter decides by: corrected, two runs do what three do without."""
    small = published_steps("vTrain 3.6B")
    factors = kind_factors(
        [row.predicted().total for row in small],
        [row.seconds for row in small],
        [f"t = {row.layout.tensor}" for row in small],
    )
    corrected = [x * factors[kind] for x, kind in zip(PREDICTED, KINDS, strict=True)]
    raw, better = (
        [mean_regret(x, MEASURED, KINDS, runs=runs, way="best of each kind") for runs in (1, 2, 3)]
        for x in (PREDICTED, corrected)
    )
    assert better[0] < 0.6 * raw[0]
    assert better[1] < 0.3 * raw[1]
    assert better[1] == pytest.approx(raw[2], abs=0.001)


def test_hidden_tables_are_drawn_alike_however_many_at_a_time() -> None:
    """Means over all tables of two of three layouts, which can be counted: each pair is as likely as the next."""
    x, y, kinds = [1.0, 2.0, 3.0], [2.0, 1.0, 4.0], ["a", "a", "b"]
    found = mean_regret(x, y, kinds, runs=1, way="best", share=2 / 3, draws=90_000)
    assert found == pytest.approx((1.0 + 0.0 + 0.0) / 3, abs=0.01)  # pairs 01, 02, 12
    found = mean_regret(x, y, kinds, runs=2, way="best of each kind", share=1.0, draws=10)
    assert found == 1.0  # layouts 0 and 2, and 1 was the best


def test_a_run_of_another_kind_is_worth_more_than_a_twin() -> None:
    """What the chapter advises, on the measured tables."""
    for runs in (2, 3):
        twins, kinds = (
            mean_regret(PREDICTED, MEASURED, KINDS, runs=runs, way=way, draws=2000)
            for way in ("best", "best of each kind")
        )
        assert kinds < twins
    by_chance = mean_regret(PREDICTED, MEASURED, KINDS, runs=2, way="any", draws=2000)
    assert mean_regret(PREDICTED, MEASURED, KINDS, runs=1, way="best", draws=2000) < by_chance
