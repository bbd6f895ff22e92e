"""The sharded Adam against a single-process Adam written apart from it, and its account against the formulas."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sampling import examples

from snippets.memory.zero import formulas as zero
from snippets.memory.zero.sharded_adam import (
    KINDS,
    SIMULATED,
    AdamConstants,
    GivenGradients,
    ShardedAdamRun,
    adam_update,
    run_sharded_adam,
)
from snippets.recipes import RECIPES

Array = NDArray[Any]
FORMATS = {
    "fp32-adam": (np.float32, np.float32),
    "mixed-adam": (np.float16, np.float16),
    "mixed-adam-fp32-gradients": (np.float16, np.float32),
    "16-bit-adam-fp32-moments": (np.float16, np.float16),
}
CONSTANTS = AdamConstants(learning_rate=0.03, beta1=0.8, beta2=0.95, epsilon=1e-6, weight_decay=0.1)


def textbook_adam(start: Array, means: list[Array], recipe: str, adam: AdamConstants) -> tuple[Array, Array]:
    """Algorithm 1 of Kingma and Ba with decoupled decay, in float32, one process, whole arrays."""
    working_format = FORMATS[recipe][0]
    one = np.float32(1)
    b1, b2 = np.float32(adam.beta1), np.float32(adam.beta2)
    value: Array = start.astype(np.float32)
    m: Array = np.zeros(start.size, np.float32)
    v: Array = np.zeros(start.size, np.float32)
    working: Array = value.astype(working_format)
    for t, g in enumerate(means, start=1):
        if not RECIPES[recipe].master:
            value = working.astype(np.float32)
        m = b1 * m + np.float32(1 - adam.beta1) * g
        v = b2 * v + np.float32(1 - adam.beta2) * (g * g)
        m_hat, v_hat = m / np.float32(1 - adam.beta1**t), v / np.float32(1 - adam.beta2**t)
        step = m_hat / (np.sqrt(v_hat) + np.float32(adam.epsilon)) + np.float32(adam.weight_decay) * value
        value = (value - np.float32(adam.learning_rate) * step) * one
        working = value.astype(working_format)
    return (value if RECIPES[recipe].master else working), working


def ring_mean(gradients: Array, recipe: str) -> Array:
    """The mean of the ranks' gradients, added as a ring adds: chunk c in the order of ranks c+1, c+2, …, c."""
    ranks, size = gradients.shape
    rounded = gradients.astype(FORMATS[recipe][1])
    total = np.empty(size, rounded.dtype)
    for c, positions in enumerate(np.array_split(np.arange(size), ranks)):
        order = [(c + 1 + k) % ranks for k in range(ranks)]
        running = rounded[order[0]][positions]
        for rank in order[1:]:
            running = rounded[rank][positions] + running
        total[positions] = running
    return total.astype(np.float32) / np.float32(ranks)


def joined(run: ShardedAdamRun) -> tuple[Array, list[Array]]:
    return np.concatenate(run.parameters), [np.concatenate(units) for units in run.working]


recipes = st.sampled_from(SIMULATED)
stages = st.sampled_from(zero.STAGES)
unit_sizes = st.lists(st.integers(1, 13), min_size=1, max_size=4)


def pieces(values: Array, units: list[int]) -> list[Array]:
    return np.split(values, np.cumsum(units)[:-1])


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(1, 9), unit_sizes, st.integers(1, 3), recipes, st.integers(0, 2**32 - 1))
def test_every_stage_takes_the_single_process_step_bit_for_bit(
    ranks: int, units: list[int], steps: int, recipe: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    start, gradients = random.normal(size=sum(units)), random.normal(size=(steps, 1, ranks, sum(units)))
    expected: list[Array] = []
    for part, slices in zip(pieces(start, units), np.split(gradients, np.cumsum(units)[:-1], axis=3), strict=True):
        means = [ring_mean(slices[step, 0], recipe) for step in range(steps)]
        expected.append(np.stack(textbook_adam(part, means, recipe, CONSTANTS)))
    value, working = np.concatenate(expected, axis=1)
    for stage in zero.STAGES:
        run = run_sharded_adam(
            GivenGradients(gradients, units=units),
            pieces(start, units),
            ranks=ranks,
            stage=stage,
            recipe=recipe,
            steps=steps,
            adam=CONSTANTS,
        )
        got, copies = joined(run)
        np.testing.assert_array_equal(got, value)
        for copy in copies:
            assert copy.dtype == FORMATS[recipe][0]
            np.testing.assert_array_equal(copy, working)


@settings(max_examples=examples(25), deadline=None)
@given(
    st.integers(1, 7),
    unit_sizes,
    st.integers(1, 3),
    st.integers(1, 4),
    recipes,
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_with_exact_sums_every_stage_agrees_over_micro_batches(
    ranks: int, units: list[int], steps: int, passes: int, recipe: str, each: bool, again: bool, data: Any
) -> None:
    # Small integers add exactly even in float16, so the order of addition cannot matter.
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    gradients = random.integers(-9, 10, size=(steps, passes, ranks, sum(units)))
    start = random.normal(size=sum(units))
    means = list(gradients.sum(axis=(1, 2)).astype(np.float32) / np.float32(ranks * passes))
    value, working = textbook_adam(start, means, recipe, CONSTANTS)
    for stage in zero.STAGES:
        run = run_sharded_adam(
            GivenGradients(gradients, units=units),
            pieces(start, units),
            ranks=ranks,
            stage=stage,
            recipe=recipe,
            steps=steps,
            micro_batches=passes,
            adam=CONSTANTS,
            reduce_each=each,
            gather_again=again,
        )
        got, copies = joined(run)
        np.testing.assert_array_equal(got, value)
        for copy in copies:
            np.testing.assert_array_equal(copy, working)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(1, 9), unit_sizes, st.integers(1, 2), st.integers(1, 3), stages, recipes, st.booleans(), st.booleans()
)
def test_the_account_is_what_the_formulas_say(
    ranks: int, units: list[int], steps: int, passes: int, stage: int, recipe: str, each: bool, again: bool
) -> None:
    random = np.random.default_rng(3)
    account = run_sharded_adam(
        GivenGradients(random.normal(size=(steps, passes, ranks, sum(units))), units=units),
        pieces(random.normal(size=sum(units)), units),
        ranks=ranks,
        stage=stage,
        recipe=recipe,
        steps=steps,
        micro_batches=passes,
        reduce_each=each,
        gather_again=again,
    ).account
    shape: dict[str, Any] = {"ranks": ranks, "stage": stage, "recipe": recipe}
    how: dict[str, Any] = {**shape, "micro_batches": passes, "reduce_each": each, "gather_again": again}
    buffers = zero.zero_buffer_bytes(sum(units), largest_unit=max(units), reduce_each=each, gather_again=again, **shape)
    for rank in range(ranks):
        states = [zero.zero_state_bytes(unit, rank=rank, reduce_each=each, **shape) for unit in units]
        for kind in ("parameters", "gradients", "optimizer"):
            assert account.kind_peak_bytes[kind][rank] == sum(getattr(state, kind) for state in states), kind
        assert account.kind_peak_bytes["buffers"][rank] == buffers
        assert account.peak_bytes[rank] == sum(state.total for state in states) + buffers
        traffic = [zero.zero_traffic_bytes(unit, rank=rank, **how) for unit in units]
        gathered = account.of("all_gather")  # in stage 0 gradients, else parameters
        parameters_sent = gathered.sent_bytes[rank] if stage else 0
        assert parameters_sent == steps * sum(one.sent_parameters for one in traffic)
        assert account.sent_bytes[rank] - parameters_sent == steps * sum(one.sent_gradients for one in traffic)
        parameters_got = gathered.received_bytes[rank] if stage else 0
        assert parameters_got == steps * sum(one.received_parameters for one in traffic)
        assert account.received_bytes[rank] - parameters_got == steps * sum(one.received_gradients for one in traffic)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 12), st.integers(1, 40), stages, st.integers(1, 3))
def test_messages_by_collective(ranks: int, size: int, stage: int, passes: int) -> None:
    values = np.ones((1, passes, ranks, size))
    account = run_sharded_adam(
        GivenGradients(values, units=(size,)), [np.zeros(size)], ranks=ranks, stage=stage, micro_batches=passes
    ).account
    reduces, gathers = (passes, 2 * passes) if stage == 3 else (passes if stage == 2 else 1, 1)
    assert account.of("reduce_scatter").sent_messages == ((ranks - 1) * reduces,) * ranks
    assert account.of("all_gather").sent_messages == ((ranks - 1) * gathers,) * ranks
    assert account.sent_messages == ((ranks - 1) * (reduces + gathers),) * ranks
    assert set(account.kind_peak_bytes) == set(KINDS)


class Chain:
    """A chain of layers y = tanh(Wx), each a unit; every rank has data of its own for every micro-batch."""

    def __init__(self, sizes: list[int], inputs: Array, targets: Array) -> None:
        self.sizes, self.inputs, self.targets = sizes, inputs, targets
        self.kept: dict[tuple[int, int], list[Array]] = {}
        self.flowing: dict[int, Array] = {}
        self.losses: list[float] = []

    def weights(self, unit: int, parameters: Array) -> Array:
        return parameters.astype(np.float64).reshape(self.sizes[unit + 1], self.sizes[unit])

    def forward(self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array) -> None:
        if unit == 0:
            self.kept[rank, micro_batch] = [self.inputs[step, micro_batch, rank]]
        before = self.kept[rank, micro_batch][-1]
        self.kept[rank, micro_batch].append(np.tanh(before @ self.weights(unit, parameters).T))

    def backward(
        self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array, gradient: Array
    ) -> None:
        kept = self.kept[rank, micro_batch]
        if unit == len(self.sizes) - 2:
            error = kept[-1] - self.targets[step, micro_batch, rank]
            self.losses.append(float((error**2).mean()))
            self.flowing[rank] = 2 * error / error.size
        inner = self.flowing[rank] * (1 - kept[unit + 1] ** 2)
        self.flowing[rank] = inner @ self.weights(unit, parameters)
        gradient += (inner.T @ kept[unit]).ravel()


def chain_run(ranks: int, passes: int, batch: int, **how: Any) -> tuple[ShardedAdamRun, Chain]:
    """Train on the same 24 examples a step, however they are dealt to ranks and micro-batches."""
    random = np.random.default_rng(11)
    sizes, steps = [3, 5, 4, 2], 12
    teacher = random.normal(size=(2, 3))
    inputs = np.repeat(random.normal(size=(1, 24, 3)), steps, axis=0)
    shape = (steps, passes, ranks, batch)
    model = Chain(sizes, inputs.reshape(*shape, 3), np.tanh(inputs @ teacher.T).reshape(*shape, 2))
    units = [random.normal(size=a * b) / np.sqrt(a) for a, b in pairwise(sizes)]
    adam = AdamConstants(learning_rate=0.05)
    run = run_sharded_adam(model, units, ranks=ranks, steps=steps, micro_batches=passes, adam=adam, **how)
    return run, model


@pytest.mark.parametrize(
    ("stage", "ranks", "passes", "batch"),
    [(0, 4, 1, 6), (0, 3, 2, 4), (1, 4, 1, 6), (1, 3, 2, 4), (2, 4, 1, 6), (2, 3, 2, 4), (3, 3, 2, 4), (3, 12, 1, 2)],
)
def test_a_network_trains_as_on_one_machine(stage: int, ranks: int, passes: int, batch: int) -> None:
    alone, model = chain_run(1, 1, 24, stage=0, recipe="fp32-adam")
    assert model.losses[-1] < 0.7 * model.losses[0]
    run, shared = chain_run(ranks, passes, batch, stage=stage, recipe="fp32-adam")
    # Float sums in another order: equal to rounding. Adam divides by √v, so 1e-7 of a gradient may become more.
    for mine, single in zip(run.parameters, alone.parameters, strict=True):
        np.testing.assert_allclose(mine, single, rtol=2e-3, atol=2e-4)
    assert np.mean(shared.losses[-ranks * passes :]) == pytest.approx(model.losses[-1], rel=1e-2)


@pytest.mark.parametrize("passes", [1, 3])
def test_stages_of_a_network_agree_bit_for_bit_where_sums_have_one_order(passes: int) -> None:
    runs = {stage: chain_run(4, passes, 6 // passes, stage=stage, recipe="mixed-adam")[0] for stage in zero.STAGES}
    for one, other in ((0, 1), (2, 3), *(((1, 2),) if passes == 1 else ())):
        for mine, theirs in zip(runs[one].parameters, runs[other].parameters, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_master_copy_keeps_updates_that_16_bits_lose() -> None:
    # An update of 1e-4 on a weight of 1 is under half of float16's step there (2⁻¹⁰, or 2⁻¹¹ below 1).
    model = GivenGradients(np.ones((10, 1, 2, 3)), units=(3,))
    adam = AdamConstants(learning_rate=1e-4)
    lost = run_sharded_adam(
        model, [np.ones(3)], ranks=2, stage=2, recipe="16-bit-adam-fp32-moments", steps=10, adam=adam
    )
    kept = run_sharded_adam(model, [np.ones(3)], ranks=2, stage=2, recipe="mixed-adam", steps=10, adam=adam)
    assert lost.parameters[0].tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(kept.parameters[0], 1 - 1e-3, rtol=1e-5)
    assert kept.working[0][0][0] < 1


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 20))
def test_adam_on_slices_is_adam_on_the_whole(size: int, cut: int, step: int) -> None:
    random = np.random.default_rng(size)
    arrays = [random.normal(size=size).astype(np.float32) for _ in range(4)]
    arrays[2] = arrays[2] ** 2
    whole = [array.copy() for array in arrays]
    adam_update(*whole, step=step, adam=CONSTANTS)
    parts = [array.copy() for array in arrays]
    for half in (slice(0, cut), slice(cut, None)):
        adam_update(*(array[half] for array in parts), step=step, adam=CONSTANTS)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_model_cannot_write_to_parameters() -> None:
    class Vandal(GivenGradients):
        def forward(self, *, step: int, micro_batch: int, rank: int, unit: int, parameters: Array) -> None:
            parameters[0] = 7

    with pytest.raises(ValueError, match="read-only"):
        run_sharded_adam(Vandal(np.ones((1, 1, 2, 3)), units=(3,)), [np.ones(3)], ranks=2, stage=3)


GOOD = GivenGradients(np.ones((1, 1, 2, 3)), units=(3,))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"model": None}, TypeError, "model must have the methods forward and backward"),
        ({"adam": 0.1}, TypeError, "adam must be an AdamConstants or None, got 0.1"),
        ({"initial": None}, TypeError, "initial must be a sequence of flat arrays"),
        ({"initial": []}, TypeError, "initial must be a sequence of flat arrays"),
        ({"initial": "abc"}, TypeError, "initial must be a sequence of flat arrays"),
        ({"initial": [np.ones((1, 3))]}, TypeError, "initial must be a sequence of flat arrays of numbers"),
        ({"initial": [np.array(["a"])]}, ValueError, "initial must be an array of numbers"),
        ({"initial": [np.ones(3) * np.nan]}, ValueError, "initial must hold finite numbers"),
        ({"initial": [np.ones(3) * 1e39]}, ValueError, "initial must be finite in float32"),
        ({"initial": [np.ones(3) * 1e6]}, ValueError, "initial must be finite in float16"),
        ({"initial": [np.ones(2)]}, ValueError, "units must be the sizes of the units that are trained"),
        ({"initial": [np.ones(3), np.ones(3)]}, ValueError, "units must be the sizes of the units"),
        ({"ranks": 0}, ValueError, "ranks must be an integer of at least 1, got 0"),
        ({"ranks": 3}, ValueError, "ranks must be within .*, got step 0, micro-batch 0 and rank 2"),
        ({"stage": 4}, ValueError, "stage must be one of 0, 1, 2, 3, got 4"),
        ({"stage": True}, ValueError, "stage must be an integer of at least 0, got True"),
        ({"stage": 1.5}, ValueError, "stage must be an integer of at least 0, got 1.5"),
        ({"recipe": "fp32-sgd"}, ValueError, "recipe must be one of 'fp32-adam'"),
        ({"steps": 2}, ValueError, "ranks must be within .*, got step 1"),
        ({"steps": 0}, ValueError, "steps must be an integer of at least 1, got 0"),
        ({"micro_batches": 2}, ValueError, "ranks must be within .*, got step 0, micro-batch 1"),
        ({"micro_batches": 1.5}, ValueError, "micro_batches must be an integer"),
        ({"reduce_each": 1}, ValueError, "reduce_each must be True or False, got 1"),
        ({"gather_again": None}, ValueError, "gather_again must be True or False"),
        ({"model": GivenGradients(np.ones((1, 1, 2, 3)) * 4e4, units=(3,))}, ValueError, "recipe's formats can hold"),
        ({"model": GivenGradients(np.ones((1, 1, 2, 3)) * 1e6, units=(3,))}, ValueError, "recipe's formats can hold"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_bad_input(change: dict[str, Any], error: type[Exception], message: str) -> None:
    good: dict[str, Any] = {"model": GOOD, "initial": [np.ones(3)], "ranks": 2, "stage": 3}
    run_sharded_adam(**good)
    with pytest.raises(error, match=message):
        run_sharded_adam(**{**good, **change})


def test_a_nan_gradient_is_refused() -> None:
    class Broken(GivenGradients):
        def backward(self, *, gradient: Array, **_: Any) -> None:
            gradient[0] = np.nan

    with pytest.raises(ValueError, match="model must give finite gradients, got a NaN or an infinity for unit 0"):
        run_sharded_adam(Broken(np.ones((1, 1, 2, 3)), units=(3,)), [np.ones(3)], ranks=2, stage=1)


@pytest.mark.parametrize(
    ("values", "units", "message"),
    [
        (np.ones((1, 2, 3)), (3,), "values must have shape"),
        (np.array([[[["a"]]]]), (1,), "values must be an array of numbers"),
        (np.full((1, 1, 1, 1), np.inf), (1,), "values must hold finite numbers"),
        (np.ones((1, 1, 1, 3)), (1, 1), "units must add up to parameters = 3"),
        (np.ones((1, 1, 1, 3)), (3, 0), r"units\[1\] must be an integer of at least 1, got 0"),
    ],
)
def test_given_gradients_refuse(values: Array, units: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GivenGradients(values, units=units)


@pytest.mark.parametrize(
    ("name", "value"),
    [("learning_rate", 0), ("beta1", 1), ("beta2", -0.1), ("epsilon", 0), ("weight_decay", -1), ("beta2", np.nan)],
)
def test_constants_out_of_their_domain(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        AdamConstants(**{name: value})


def test_adam_update_refuses_what_does_not_fit() -> None:
    x = np.ones(3)
    with pytest.raises(TypeError, match="first must be an array of floats"):
        adam_update(x, [0.0], x, x, step=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gradient must have the shape of parameters"):
        adam_update(x, x, x, np.ones(2), step=1)
    with pytest.raises(ValueError, match="step must be an integer of at least 1, got 0"):
        adam_update(x, x, x, x, step=0)
    with pytest.raises(TypeError, match="adam must be an AdamConstants or None"):
        adam_update(x, x, x, x, step=1, adam=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="second must be finite, and second at least 0 everywhere"):
        adam_update(x, x, -x, x, step=1)
    with pytest.raises(ValueError, match="parameters must be finite"):
        adam_update(x * np.nan, x, x, x, step=1)
    with pytest.raises(ValueError, match="gradient must have squares that fit float64"):
        adam_update(x, x, x, x * 1e200, step=1)
    assert x.tolist() == [1.0, 1.0, 1.0]
