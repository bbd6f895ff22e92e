"""Chapter 40: three bounds against the planner, which has a code of its own, and small formulas against steps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import layout_plan, plan
from snippets.composition.layouts import Layout
from snippets.synthesis.conclusion.figures import worth_panel
from snippets.synthesis.conclusion.formulas import (
    fastest_link_speedup,
    first_broken_bound,
    job_bounds,
    two_rate_step_s,
    worth_devices,
)

LAYOUTS = (
    Layout(tensor=2, data=128, stage=3),
    Layout(tensor=4, pipeline=2, data=32, chunks=2),
    Layout(tensor=8, context=2, data=16, stage=3),
    Layout(data=256, stage=0),
)
KEPT = {"all": "none", "some": "some", "inputs": "full"}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: f"t{layout.tensor}p{layout.pipeline}")
@pytest.mark.parametrize("keep", KEPT)
@pytest.mark.parametrize("dtype", ["bf16", "fp8"])
def test_the_bounds_are_those_of_a_given_layout_of_the_planner(layout: Layout, keep: str, dtype: str) -> None:
    found = job_bounds(
        "Llama 3 70B", "DGX H100", layout, batch_sequences=512, sequence=8192, dtype=dtype, keep=keep, free_share=0.1
    )
    planned = layout_plan(
        "Llama 3 70B",
        Cluster("DGX H100", nodes=32),
        layout,
        tokens_per_step=512 * 8192,
        sequence=8192,
        dtype=dtype,
        keep=KEPT[keep],
        free_share=0.1,
    )
    assert found.step.total == pytest.approx(planned.total_s)
    assert found.memory.total == pytest.approx(planned.memory.total)
    assert found.limit_bytes == planned.job.limit_bytes
    assert (found.broken == "memory") == (not planned.fits)
    parts = found.work_s + found.again_s + found.step.bubble + found.exposed_s
    assert parts == pytest.approx(found.step.total)
    if keep == "some":
        assert (found.dropped, found.again_s) == (planned.dropped, pytest.approx(planned.remade_s))


def test_running_layers_twice_is_apart() -> None:
    layout = LAYOUTS[0]
    size = {"batch_sequences": 512, "sequence": 8192}
    once = job_bounds("Llama 3 70B", "DGX H100", layout, keep="all", **size)  # type: ignore[arg-type]
    twice = job_bounds("Llama 3 70B", "DGX H100", layout, keep="inputs", **size)  # type: ignore[arg-type]
    assert twice.work_s == pytest.approx(once.work_s)
    assert 0.2 * once.work_s < twice.again_s < 0.34 * once.work_s
    assert twice.broken == "compute"


def test_the_planners_best_layout_has_three_times_yes() -> None:
    best = plan("Llama 3 8B", Cluster("DGX H100", nodes=4), tokens_per_step=2**21, sequence=8192, most=1).best[0]
    keep = next(ours for ours, theirs in KEPT.items() if theirs == ("some" if best.keep == "none" else best.keep))
    layout = replace(best.layout, recompute="none")
    assert job_bounds("Llama 3 8B", "DGX H100", layout, batch_sequences=256, sequence=8192, keep=keep).broken == "none"


@given(
    held=st.integers(0, 100),
    work=st.integers(1, 50),
    again=st.integers(0, 10),
    bubble=st.integers(0, 10),
    exposed=st.integers(0, 10),
)
def test_the_first_no_is_the_first_of_all_that_are_broken(
    held: int, work: int, again: int, bubble: int, exposed: int
) -> None:
    whole = work + again + bubble + exposed
    broken = [
        name
        for name, is_broken in (
            ("memory", held > 72),
            ("compute", Fraction(again + bubble, whole) > Fraction(1, 8)),
            ("communication", Fraction(exposed, whole) > Fraction(1, 8)),
        )
        if is_broken
    ]
    said = first_broken_bound(
        held_bytes=held,
        limit_bytes=72,
        work_s=work,
        again_s=again,
        bubble_s=bubble,
        exposed_s=exposed,
        tolerated_share=0.125,
    )
    assert said == (broken or ["none"])[0]


@given(compute=st.floats(0.1, 100), waits=st.floats(0, 100), factor=st.floats(1, 1e6))
def test_no_link_saves_more_than_the_waiting(compute: float, waits: float, factor: float) -> None:
    share = waits / (compute + waits)
    gained = (compute + waits) / (compute + waits / factor)
    assert gained <= fastest_link_speedup(exposed_share=share) * (1 + 1e-9)
    assert fastest_link_speedup(exposed_share=share) == pytest.approx((compute + waits) / compute)


@settings(max_examples=30)
@given(layers=st.integers(1, 5), hidden=st.integers(1, 8), sequence=st.integers(2, 12), tokens=st.integers(1, 5))
def test_two_rates_are_counted_pair_by_pair(layers: int, hidden: int, sequence: int, tokens: int) -> None:
    # a query meets half of the keys in the middle; forward two matmuls of 2 FLOPs, backward twice that
    scores = sum(3 * 2 * 2 * hidden * (place + 0.5) for place in range(sequence)) * layers / sequence
    found = two_rate_step_s(
        batch_tokens=tokens,
        parameters=10,
        layers=layers,
        hidden=hidden,
        sequence=sequence,
        matmul_flops_per_s=4,
        attention_flops_per_s=2,
    )
    assert found == pytest.approx(tokens * (60 / 4 + scores / 2))


@given(devices=st.integers(1, 1000), fast=st.floats(1, 1e4), slow=st.floats(1, 1e4))
def test_what_devices_are_worth_does_as_much(devices: int, fast: float, slow: float) -> None:
    assert worth_devices(devices=devices, tokens_per_s=fast, other_tokens_per_s=slow) * slow == pytest.approx(
        devices * fast
    )


def test_bars_and_a_mark_share_a_scale() -> None:
    drawn = worth_panel({"a": (100, "forward"), "b": (50, "idle")}, title="two", full=100, full_name="all")
    assert drawn.svg().count("<rect") == 2
    for wrong in ({}, {"a": (0, "forward")}):
        with pytest.raises(ValueError, match="above 0"):
            worth_panel(wrong, title="none", full=1, full_name="all")


def test_a_range_is_a_line_over_its_own_bar() -> None:
    rows = {"a": (100, "forward"), "b": (50, "idle")}
    kind = {"title": "two", "full": 100, "full_name": "all"}
    bare, ranged = (worth_panel(rows, **kind, ranges=ranges) for ranges in (None, {"b": (40, 60)}))  # type: ignore[arg-type]
    assert ranged.svg().count("<line") == bare.svg().count("<line") + 3
    for wrong in ({"c": (1, 2)}, {"a": (2, 1)}, {"a": (0, 1)}):
        with pytest.raises(ValueError, match="ranges must belong to rows"):
            worth_panel(rows, **kind, ranges=wrong)  # type: ignore[arg-type]
