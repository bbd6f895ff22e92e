"""Offloading: closed forms against steps that are simulated event by event, ZeRO-Infinity's claims, Adam on a host."""

from __future__ import annotations

import itertools
import json
import math
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.figures import svg_of
from snippets.memory.offloading import formulas
from snippets.memory.offloading.adam import run_offloaded_adam
from snippets.memory.offloading.cut import FLOWS, STATE_BYTES, offload_cuts
from snippets.memory.offloading.figures import efficiency_figure, hiding_figure, micro_batches_figure
from snippets.memory.offloading.host_memory import HOSTS
from snippets.memory.offloading.lane_drawings import offload_lanes_panel
from snippets.memory.offloading.lanes import Holding, LaneTask, TaskTimes, held_over_run, run_lanes
from snippets.memory.offloading.timeline import offloaded_step
from snippets.memory.zero.sharded_adam import GivenGradients, run_sharded_adam
from snippets.memory.zero.unit_overlap import overlapped_units

PUBLISHED = json.loads((Path(__file__).parent / "published_offloading.json").read_text(encoding="utf-8"))
ticks = st.integers(1, 6)
counts = st.integers(2, 7)


# ---- the lanes -------------------------------------------------------------------------------------------------------


def stepped(tasks: list[LaneTask]) -> list[tuple[int, int]]:
    """Starts and ends, from a clock that ticks: in each tick a free lane takes its first ready task."""
    start: dict[int, int] = {}
    end: dict[int, int] = {}
    now = 0
    while len(start) < len(tasks):
        for number, task in enumerate(tasks):
            busy = any(end[other] > now for other in start if tasks[other].lane == task.lane)
            ready = all(end.get(before, now + 1) <= now for before in task.after)
            if number not in start and ready and not busy:
                start[number], end[number] = now, now + int(task.seconds)
        now += 1
    return [(start[number], end[number]) for number in range(len(tasks))]


@st.composite
def graphs(draw: st.DrawFn) -> list[LaneTask]:
    count = draw(st.integers(1, 9))
    after = [draw(st.sets(st.integers(0, number - 1), max_size=2)) if number else set() for number in range(count)]
    return [LaneTask("work", draw(st.sampled_from("abc")), draw(ticks), tuple(sorted(before))) for before in after]


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_lanes_by_a_ticking_clock(tasks: list[LaneTask]) -> None:
    assert [(one.start_s, one.end_s) for one in run_lanes(tasks)] == stepped(tasks)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(1, 4), st.lists(ticks, min_size=7, max_size=7), st.integers(0, 4), st.booleans())
def test_steps_with_a_drive_by_a_ticking_clock(layers: int, times: list[int], drive: int, clip: bool) -> None:
    f, b, d, a, u, w, s = times
    seconds: dict[str, Any] = {"layers": layers, "forward_s": f, "backward_s": b, "gradients_s": d, "update_s": a}
    seconds |= {"new_weights_s": u, "weights_s": w, "activations_s": s, "drive_s": drive, "clip": clip}
    step = offloaded_step(**seconds)
    assert [(one.start_s, one.end_s) for one in step.times] == stepped(list(step.tasks))
    assert step.busy_s.get("read", 0) == step.busy_s.get("write", 0) == layers * drive
    assert step.end_s >= max(step.busy_s.values())


@given(st.lists(ticks, min_size=1, max_size=6))
def test_transfers_share_a_link(sizes: list[int]) -> None:
    """Those that begin together end when each byte of the smaller ones has been sent to all that were longer."""
    tasks = [LaneTask("copy", "link", Fraction(size)) for size in sizes]
    together = run_lanes(tasks, shared=["link"])
    for size, times in zip(sizes, together, strict=True):
        assert times.end_s == sum(min(size, other) for other in sizes)
    queued = run_lanes(tasks)
    assert max(times.end_s for times in together) == max(times.end_s for times in queued) == sum(sizes)
    assert sum(times.end_s for times in run_lanes(sorted(tasks, key=lambda task: task.seconds))) <= sum(
        times.end_s for times in together
    )


def test_what_cannot_run_is_refused() -> None:
    with pytest.raises(ValueError, match="circle"):
        run_lanes([LaneTask("a", "x", 1, (1,)), LaneTask("b", "x", 1, (0,))])
    with pytest.raises(ValueError, match="numbers of tasks"):
        run_lanes([LaneTask("a", "x", 1, (7,))])
    with pytest.raises(TypeError, match="LaneTask"):
        run_lanes(["a"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="shared"):
        run_lanes([LaneTask("a", "x", 1)], shared="x")
    with pytest.raises(ValueError, match="at most 1,000"):
        offloaded_step(layers=1001, forward_s=1, backward_s=1)
    with pytest.raises(ValueError, match="tasks among"):
        held_over_run([TaskTimes(0, 1)], [Holding(1, "gradients", made=3)])


# ---- closed forms ----------------------------------------------------------------------------------------------------


@settings(max_examples=examples(30), deadline=None)
@given(counts, ticks, ticks, ticks, ticks, ticks)
def test_update_on_the_host(layers: int, f: int, b: int, d: int, a: int, u: int) -> None:
    seconds: dict[str, Any] = {
        "layers": layers,
        "forward_s": f,
        "backward_s": b,
        "gradients_s": d,
        "update_s": a,
        "new_weights_s": u,
    }
    step = offloaded_step(**seconds, gradient_bytes=5)
    assert step.end_s == formulas.offloaded_update_step_s(**seconds)
    assert step.peak_bytes <= 2 * 5
    assert step.busy_s == {"GPU": layers * (f + b), "down": layers * d, "host": layers * a, "up": layers * u}
    assert offloaded_step(**seconds, clip=True).end_s == formulas.clipped_update_step_s(**seconds)


@settings(max_examples=examples(30), deadline=None)
@given(counts, ticks, ticks, ticks)
def test_activations_on_the_host(layers: int, f: int, b: int, d: int) -> None:
    step = offloaded_step(layers=layers, forward_s=f, backward_s=b, activations_s=d, activation_bytes=7)
    exact = formulas.offloaded_activations_step_s(layers=layers, forward_s=f, backward_s=b, activations_s=d)
    assert step.end_s == exact
    assert step.peak_bytes <= 2 * 7
    if d <= min(f, b):
        assert step.end_s == layers * (f + b)


@settings(max_examples=examples(30), deadline=None)
@given(counts, ticks, ticks, ticks)
def test_weights_on_the_host(layers: int, f: int, b: int, w: int) -> None:
    step = offloaded_step(layers=layers, forward_s=f, backward_s=b, weights_s=w, weight_bytes=3)
    there = overlapped_units([w] * layers, [f] * layers)[-1].run_end_s
    back = overlapped_units([w] * (layers - 1), [b] * (layers - 1))
    # the last layer's weights are still there, so the second pass's first fetch has all of its backward pass
    assert step.end_s == there + (back[-1].run_end_s - w) - 0 + max(b, w)
    assert step.peak_bytes <= 2 * 3


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(1, 40), st.integers(50, 3000), st.integers(1, 200), st.sampled_from([2, 4]))
def test_break_even(c: int, speed: int, bandwidth: int, k: int) -> None:
    """At the break-even batch, a layer more costs what it computes, and with a token fewer it costs more."""
    exact = Fraction(c * speed, k * bandwidth)
    told = formulas.offload_break_even_tokens(
        bytes_per_parameter=c, flops_per_token=k, flops_per_s=speed, bandwidth_bytes_per_s=bandwidth
    )
    assert told == pytest.approx(float(exact))

    def step(layers: int, tokens: Fraction) -> Any:
        run = Fraction(k * tokens, speed)
        return offloaded_step(layers=layers, forward_s=0, backward_s=run, update_s=Fraction(c, bandwidth)).end_s

    for tokens, hidden in ((exact, True), (exact * Fraction(9, 10), False), (exact * 2, True)):
        assert (step(4, tokens) - step(3, tokens) == Fraction(k * tokens, speed)) == hidden
    back = formulas.offload_least_bandwidth_bytes_per_s(
        bytes_per_parameter=c, flops_per_token=k, flops_per_s=speed, tokens=float(exact)
    )
    assert back == pytest.approx(bandwidth)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(1, 40), st.integers(1, 50), st.integers(1, 9), st.integers(2, 9))
def test_least_hidden_size(c: int, speed: int, bandwidth: int, tokens: int) -> None:
    least = formulas.offload_least_hidden_size(bytes_per_value=c, flops_per_s=speed, bandwidth_bytes_per_s=bandwidth)
    for h, hidden in ((Fraction(c * speed, 24 * bandwidth), True), (Fraction(c * speed, 25 * bandwidth), False)):
        f, d = 2 * 12 * h * h * tokens / speed, c * h * tokens / Fraction(bandwidth)
        step = offloaded_step(layers=40, forward_s=f, backward_s=f, activations_s=d)
        assert (step.end_s == 80 * f) == hidden
    assert least == pytest.approx(c * speed / 24 / bandwidth)


# ---- ZeRO-Infinity ---------------------------------------------------------------------------------------------------


def intensity(claim: dict[str, Any]) -> float:
    if claim["state"] == "activations":
        return formulas.activation_offload_intensity(hidden=claim["hidden"])
    function = {
        "parameters": formulas.parameter_offload_intensity,
        "optimizer": formulas.optimizer_offload_intensity,
    }[claim["state"]]
    return function(sequence=claim["sequence"], batch=claim["batch"])


@pytest.mark.parametrize(
    "claim", PUBLISHED["claims"], ids=lambda claim: f"{claim['state']}-{claim['efficiency_above']}"
)
def test_zero_infinity_s_claims(claim: dict[str, Any]) -> None:
    share = formulas.offload_efficiency(
        intensity_flops_per_byte=intensity(claim),
        bandwidth_bytes_per_s=claim["bandwidth_gb_per_s"] * 1e9,
        flops_per_s=PUBLISHED["flops_per_s"],
    )
    assert share > claim["efficiency_above"]
    if claim["state"] != "activations":  # the bandwidths of the activations are round numbers with room
        assert share < claim["efficiency_above"] + 0.02


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12), st.integers(1, 40))
def test_intensities_and_efficiency_by_a_serial_run(sequence: int, batch: int, hidden: int, bandwidth: int) -> None:
    layer, tokens, speed = 12 * hidden**2, sequence * batch, 50
    moved = {
        formulas.parameter_offload_intensity(sequence=sequence, batch=batch): 4 * 2 * layer,
        formulas.optimizer_offload_intensity(sequence=sequence, batch=batch): 2 * 16 * layer,
        formulas.activation_offload_intensity(hidden=hidden): 2 * 2 * hidden * tokens,
    }
    operations = (2 + 2 + 4) * layer * tokens
    for told, size in moved.items():
        assert told == pytest.approx(operations / size)
        tasks = [LaneTask("move", "link", Fraction(size, bandwidth))]
        tasks.append(LaneTask("compute", "GPU", Fraction(operations, speed), (0,)))
        serial = run_lanes(tasks)[-1].end_s
        share = formulas.offload_efficiency(
            intensity_flops_per_byte=told, bandwidth_bytes_per_s=bandwidth, flops_per_s=speed
        )
        assert share == pytest.approx(float(tasks[1].seconds / serial))
        together = max(times.end_s for times in run_lanes([tasks[0], LaneTask("compute", "GPU", tasks[1].seconds)]))
        assert (share >= 0.5 - 1e-12) == (together <= tasks[1].seconds * Fraction(10**9 + 1, 10**9))


def test_prime_rl() -> None:
    (_, alone, offloaded), (_, twice, reported) = PUBLISHED["prime_rl"]["rows"]
    update = offloaded - alone / 3
    predicted = twice / 3 + max(2 * twice / 3, update)
    assert predicted == pytest.approx(5.17)
    assert abs(predicted / reported - 1) < 0.1
    assert 28 * PUBLISHED["prime_rl"]["parameters"] / update == pytest.approx(253e9, rel=0.01)


# ---- Adam on a host, cuts --------------------------------------------------------------------------------------------


@settings(max_examples=examples(12), deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 4), st.integers(0, 2**16))
def test_adam_on_the_host_is_adam(units: list[int], steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = GivenGradients(rng.normal(size=(steps, 1, 1, sum(units))), units=units)
    start = [rng.normal(size=size) for size in units]
    run = run_offloaded_adam(model, start, steps=steps)
    whole = run_sharded_adam(model, start, stage=0, ranks=1, steps=steps)
    for mine, other in zip((*run.master, *run.working), (*whole.parameters, *whole.working[0]), strict=True):
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other)
    size = sum(units)
    assert run.account.sent_bytes == (2 * size * steps,) * 2
    kinds = run.account.kind_peak_bytes
    assert kinds["optimizer"] == (0, 12 * size)
    assert kinds["parameters"] == (2 * size, 0)
    assert kinds["gradients"][0] <= 2 * max(map(sum, itertools.pairwise([0, *units, 0])))


def rounded(number: float, kind: str = "f") -> float:
    return float(struct.unpack(kind, struct.pack(kind, number))[0])


def plain_adam(start: float, gradients: list[float]) -> float:
    """One parameter, in plain Python, each operation rounded to float32: double precision makes the rounding exact."""
    r, value, mean, square = rounded, rounded(start), 0.0, 0.0
    for step, exact in enumerate(gradients, 1):
        gradient = r(exact, "e")
        mean = r(r(r(0.9) * mean) + r(r(1 - 0.9) * gradient))
        square = r(r(r(0.999) * square) + r(r(1 - 0.999) * r(gradient * gradient)))
        root = r(r(math.sqrt(r(square / r(1 - 0.999**step)))) + r(1e-8))
        value = r(value - r(r(1e-3) * r(r(mean / r(1 - 0.9**step)) / root)))
    return value


@settings(max_examples=examples(12), deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 6), st.integers(0, 2**16))
def test_adam_on_the_host_is_adam_written_apart(units: list[int], steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    gradients, start = rng.normal(size=(steps, 1, 1, sum(units))), [rng.normal(size=size) for size in units]
    run = run_offloaded_adam(GivenGradients(gradients, units=units), start, steps=steps)
    columns = gradients[:, 0, 0].T.tolist()
    told = [plain_adam(*one) for one in zip(np.concatenate(start).tolist(), columns, strict=True)]
    assert np.concatenate(run.master).tolist() == told


def test_adam_refuses_bad_arrays() -> None:
    model = GivenGradients(np.ones((1, 1, 1, 2)), units=(2,))
    for bad in ("no", [], [np.ones((2, 2))]):
        with pytest.raises(TypeError, match="initial"):
            run_offloaded_adam(model, bad)
    with pytest.raises(ValueError, match="finite"):
        run_offloaded_adam(model, [[1e9, 0.0]])
    with pytest.raises(ValueError, match="steps"):
        run_offloaded_adam(model, [[1.0, 0.0]], steps=1001)


def test_cuts() -> None:
    """Ren et al. 2021: no cut that offloads anything moves less than 4 bytes; with 4, a device holds 14, 4 or 2."""
    cuts = offload_cuts()
    assert len(cuts) == 2 ** (len(STATE_BYTES) - 1 + 2)
    assert cuts[0].on_host == frozenset()
    assert min(cut.moved for cut in cuts[1:]) == 4
    assert sorted(cut.held for cut in cuts if cut.moved == 4) == [2, 4, 14]
    assert all(cut.moved >= 4 for cut in offload_cuts(weights_stay=False) if cut.on_host)
    assert sum(size for _, target, size in FLOWS if target == "update") == 2 + 12


def test_hosts() -> None:
    assert [host.bandwidth_bytes_per_s / 1e9 for host in HOSTS.values()] == [204.8, 307.2, 512]


# ---- pictures --------------------------------------------------------------------------------------------------------


def test_pictures_say_what_was_computed() -> None:
    step = offloaded_step(layers=2, forward_s=1, backward_s=2, gradients_s=1, update_s=3, new_weights_s=1)
    svg = offload_lanes_panel(step, title="a step", scale_s=14).svg()
    assert ">12<" in svg
    assert svg.count(">U") == 2
    assert ">host<" in svg
    held = offloaded_step(layers=3, forward_s=1, backward_s=2, weights_s=1, weight_bytes=4)
    assert ">held<" in offload_lanes_panel(held, title="a step", scale_s=14, held=True).svg()
    figure = efficiency_figure({"a curve": 1024.0}, [(70e9, 0.5, "a mark")], flops_per_s=70e12)
    assert "a mark" in svg_of(figure)
    hidden = svg_of(hiding_figure({"a lane": 0.03, "another": 0.01}, backward_s_per_token=2e-6, sequence=8192))
    assert "15,000 tokens" in hidden
    assert "5,000 tokens" in hidden
    counts = micro_batches_figure({"a wait": 2.0, "a longer one": 2.1}, passes_s=1.0)  # 18 / 20, 19 / 21.1
    assert [said.get_text() for said in counts.axes[0].texts if said.get_text().isdigit()] == ["18", "19"]
