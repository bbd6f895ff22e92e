"""Chapter 31: two phases against queues on a clock, local steps against ranks that take them, waits against drawn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.efficiency.local_sgd.formulas import (
    even_split_floor_s,
    fewest_local_steps,
    local_sgd_bytes,
    local_sgd_contraction,
    local_sgd_rest_point,
    local_sgd_slowest_step_s,
    local_sgd_wait_share,
    two_fleet_step_s,
    two_phase_step_s,
)
from snippets.efficiency.local_sgd.programs import run_local_sgd

TIMES = st.integers(0, 40).map(float)
PHASES = st.fixed_dictionaries(
    {
        "generation_fixed_s": TIMES,
        "generation_gpu_s": TIMES,
        "training_fixed_s": TIMES,
        "training_gpu_s": TIMES,
    }
)


def paced_s(generate_s: float, train_s: float, *, steps: int = 400) -> float:
    """Let one side generate a step's answers while the other trains on those before, and time the last steps."""
    generated, trained = [0.0], [0.0]
    for step in range(1, steps):
        # one step off: answers of this step begin when those before are there, and the step before last is trained
        generated.append(max(generated[step - 1], trained[step - 2] if step > 1 else 0.0) + generate_s)
        trained.append(max(trained[step - 1], generated[step - 1]) + train_s)
    return (trained[-1] - trained[steps // 2]) / (steps - 1 - steps // 2)


@given(phases=PHASES, generating=st.integers(1, 9), training=st.integers(1, 9))
def test_two_fleets_keep_the_pace_of_the_slower_side(phases: dict[str, float], generating: int, training: int) -> None:
    sides = two_fleet_step_s(**phases, generating_devices=generating, training_devices=training)
    generate_s = phases["generation_fixed_s"] + phases["generation_gpu_s"] / generating
    train_s = phases["training_fixed_s"] + phases["training_gpu_s"] / training
    assert paced_s(generate_s, train_s) == pytest.approx(sides, abs=1e-9)


@given(phases=PHASES, half=st.integers(1, 9))
def test_an_even_split_lies_between_half_a_step_of_half_the_fleet_and_a_whole_one(
    phases: dict[str, float], half: int
) -> None:
    whole = two_phase_step_s(**phases, devices=half)
    split = two_fleet_step_s(**phases, generating_devices=half, training_devices=half)
    if whole:
        assert even_split_floor_s(half_fleet_step_s=whole) <= split * (1 + 1e-12)
    assert split <= whole * (1 + 1e-12)


@given(generation=TIMES, training=TIMES, gpus=st.integers(2, 30))
def test_without_fixed_parts_no_split_is_faster(generation: float, training: float, gpus: int) -> None:
    work = {
        "generation_fixed_s": 0.0,
        "training_fixed_s": 0.0,
        "generation_gpu_s": generation,
        "training_gpu_s": training,
    }
    together = two_phase_step_s(**work, devices=gpus)
    splits = [two_fleet_step_s(**work, generating_devices=x, training_devices=gpus - x) for x in range(1, gpus)]
    assert min(splits) >= together * (1 - 1e-12)


BOWLS = st.lists(st.tuples(st.integers(1, 12), st.integers(-9, 9)), min_size=1, max_size=5)


@given(bowls=BOWLS, step=st.sampled_from([0.02, 0.05, 0.08]), local_steps=st.integers(1, 8))
def test_ranks_rest_where_the_formula_says_and_get_there_by_its_factor(
    bowls: list[tuple[int, int]], step: float, local_steps: int
) -> None:
    curvatures, minima = [float(c) for c, _ in bowls], [float(at) for _, at in bowls]
    run = run_local_sgd(
        curvatures=[[c] for c in curvatures],
        minima=[[at] for at in minima],
        step_size=step,
        local_steps=local_steps,
        rounds=30,
    )
    shape: dict[str, Any] = {"curvatures": curvatures, "step_size": step, "local_steps": local_steps}
    rest, factor = local_sgd_rest_point(minima=minima, **shape), local_sgd_contraction(**shape)
    for number in (1, 2, 30):
        assert run.weights[number, 0] == pytest.approx(rest * (1 - factor**number), abs=1e-9)


@given(ranks=st.integers(1, 6), each=st.integers(1, 4), local_steps=st.integers(1, 12))
def test_bytes_are_those_that_the_machine_counts(ranks: int, each: int, local_steps: int) -> None:
    entries = each * ranks
    rng = np.random.default_rng(31)
    run = run_local_sgd(
        curvatures=np.ones((ranks, entries)),
        minima=rng.normal(size=(ranks, entries)),
        step_size=0.1,
        local_steps=local_steps,
        rounds=3,
    )
    formula = local_sgd_bytes(ranks=ranks, size_bytes=8 * entries, local_steps=local_steps)
    assert run.account.sent_bytes == pytest.approx([formula * 3 * local_steps] * ranks)


def test_one_local_step_is_descent_on_the_mean_gradient() -> None:
    rng = np.random.default_rng(1)
    curvatures, minima = rng.uniform(0.5, 3, (3, 5)), rng.normal(size=(3, 5))
    run = run_local_sgd(curvatures=curvatures, minima=minima, step_size=0.2, local_steps=1, rounds=40)
    weights = np.zeros(5)
    for _ in range(40):
        weights = weights - 0.2 * (curvatures * (weights - minima)).mean(axis=0)
    assert run.weights[-1] == pytest.approx(weights)


def test_the_outer_optimizer_is_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    curvatures, minima = rng.uniform(0.5, 3, (4, 3)), rng.normal(size=(4, 3))
    run = run_local_sgd(
        curvatures=curvatures, minima=minima, step_size=0.1, local_steps=5, rounds=12, outer_step=0.7, momentum=0.9
    )
    weights = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    outer = torch.optim.SGD([weights], lr=0.7, momentum=0.9, nesterov=True)
    bend, low = torch.tensor(curvatures), torch.tensor(minima)
    for number in range(12):
        assert run.weights[number] == pytest.approx(weights.detach().numpy())
        local = weights.detach().repeat(4, 1)
        for _ in range(5):
            local = local - 0.1 * bend * (local - low)
        weights.grad = weights.detach() - local.mean(dim=0)
        outer.step()
    assert run.weights[12] == pytest.approx(weights.detach().numpy())


def test_fragments_send_as_much_in_smaller_messages() -> None:
    rng = np.random.default_rng(3)
    bowl: dict[str, Any] = {
        "curvatures": np.ones((4, 16)),
        "minima": rng.normal(size=(4, 16)),
        "step_size": 0.1,
        "local_steps": 8,
    }
    whole, pieces = (run_local_sgd(**bowl, rounds=20, fragments=count) for count in (1, 4))
    assert whole.account.sent_bytes == pieces.account.sent_bytes
    assert whole.largest_bytes == 4 * pieces.largest_bytes == 4 * 8
    assert whole.weights[-1] == pytest.approx(pieces.weights[-1], abs=1e-6)


def test_noise_is_averaged_away() -> None:
    bowl: dict[str, Any] = {
        "curvatures": np.ones((16, 200)),
        "minima": np.zeros((16, 200)),
        "step_size": 0.1,
        "local_steps": 10,
    }
    run = run_local_sgd(**bowl, rounds=40, noise=1.0, seed=3)
    alone = run.paths[:, -1].std()  # right after an average all ranks agree
    before = run.paths[:, -2].std()
    assert run.weights[-1].std() < 0.4 * before
    assert alone < 0.4 * before


@given(step=st.integers(1, 30), sync=st.integers(0, 200), percent=st.integers(1, 99))
def test_the_fewest_local_steps_are_the_first_that_suffice(step: int, sync: int, percent: int) -> None:
    share = percent / 100
    found = fewest_local_steps(step_s=step, sync_s=sync, wait_share=share)
    tried = next(H for H in range(1, 10**6) if Fraction(sync, H * step + sync) <= Fraction(percent, 100))
    assert found == tried
    assert local_sgd_wait_share(step_s=step, sync_s=sync, local_steps=found) <= share * (1 + 1e-9)


def test_a_share_of_nothing_or_everything_is_refused() -> None:
    for share in (0, 1):
        with pytest.raises(ValueError, match="wait_share"):
            fewest_local_steps(step_s=1, sync_s=1, wait_share=share)


@pytest.mark.parametrize(("ranks", "local_steps"), [(8, 1), (8, 16), (64, 100)])
def test_the_slowest_of_sums_of_steps(ranks: int, local_steps: int) -> None:
    rng = np.random.default_rng(31)
    times = rng.normal(1.0, 0.05, (2000, ranks, local_steps)).sum(axis=2).max(axis=1) / local_steps
    formula = local_sgd_slowest_step_s(mean_s=1.0, deviation_s=0.05, ranks=ranks, local_steps=local_steps)
    assert abs(times.mean() - formula) < 5 * times.std() / 2000**0.5
