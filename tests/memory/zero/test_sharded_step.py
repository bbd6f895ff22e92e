"""A simulated step against its closed form, against what ZeRO's stages send, and the pictures that are drawn of it."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.memory.zero import figures as zero_figures
from snippets.memory.zero.formulas import (
    STAGES,
    zero_buffer_bytes,
    zero_bytes_per_parameter,
    zero_communication_elements,
)
from snippets.memory.zero.sharded_step import StepTask, exposed_communication_s, held_over_step, sharded_step
from snippets.memory.zero.unit_overlap import overlapped_units
from snippets.simulation.algorithms import build_collective

ticks = st.integers(0, 6)
stages = st.sampled_from(STAGES)


def waits(layers: int, run: float, fetch: float, take: float) -> float:
    """What a pass waits: the first fetch and the last reduction, and whatever else is too long for a layer to hide."""
    slots = [fetch, take]
    for layer in range(layers):
        wire = (fetch if layer < layers - 1 else 0) + (take if layer > 0 else 0)
        slots.append(max(0, wire - run))
    return sum(slots)


@settings(max_examples=examples(200), deadline=None)
@given(stages, st.integers(1, 6), st.integers(1, 3), ticks, ticks, ticks, ticks)
def test_exposed_communication_by_its_closed_form(
    stage: int, layers: int, micro_batches: int, forward: int, gather: int, reduce: int, across: int
) -> None:
    tasks = sharded_step(
        stage=stage,
        layers=layers,
        forward_s=forward,
        gather_s=gather,
        reduce_s=reduce,
        micro_batches=micro_batches,
        across_s=across,
    )
    forwards = {0: 0, 1: 1, 2: 1, 3: micro_batches}[stage]
    backwards = micro_batches if stage >= 2 else 1
    taken = 2 * reduce if stage == 0 else reduce
    expected = forwards * waits(layers, forward, gather, 0)
    expected += backwards * waits(layers, 2 * forward, gather if stage == 3 else 0, taken) + across
    assert exposed_communication_s(tasks) == pytest.approx(expected)


@given(stages, st.integers(1, 6), st.integers(1, 4))
def test_what_is_on_the_wire_is_what_the_stage_sends(stage: int, layers: int, micro_batches: int) -> None:
    tasks = sharded_step(
        stage=stage, layers=layers, forward_s=1.0, gather_s=1.0, reduce_s=1.0, micro_batches=micro_batches
    )
    wire = sum(task.end_s - task.start_s for task in tasks if task.on_network)
    assert wire == layers * zero_communication_elements(1, stage=stage, micro_batches=micro_batches)


@given(st.integers(1, 6), ticks, ticks)
def test_a_forward_pass_ends_when_one_with_two_streams_does(layers: int, gather: int, run: int) -> None:
    tasks = sharded_step(stage=3, layers=layers, forward_s=run, gather_s=gather, reduce_s=0)
    end = max(task.end_s for task in tasks if task.name == "forward")
    assert end == overlapped_units([gather] * layers, [run] * layers, prefetch=1)[-1].run_end_s


@given(stages, st.integers(1, 5), st.integers(1, 2), st.integers(1, 4), st.integers(1, 4))
def test_nothing_runs_before_its_weights_are_there(
    stage: int, layers: int, micro_batches: int, gather: int, reduce: int
) -> None:
    tasks = sharded_step(
        stage=stage, layers=layers, forward_s=1, gather_s=gather, reduce_s=reduce, micro_batches=micro_batches
    )
    for lane in (True, False):
        mine = [task for task in tasks if task.on_network is lane]
        assert all(one.end_s <= other.start_s for one, other in itertools.pairwise(mine))
    for task in tasks:
        if task.name == "backward":
            before = [other for other in tasks if other.micro_batch == task.micro_batch and other.layer == task.layer]
            assert any(other.name == "forward" and other.end_s <= task.start_s for other in before)
            if stage == 3:
                assert sum(other.name == "gather" and other.end_s <= task.start_s for other in before) == 2
        if task.name == "forward" and stage == 3:
            assert any(
                (other.name, other.layer, other.micro_batch) == ("gather", task.layer, task.micro_batch)
                and other.end_s <= task.start_s
                for other in tasks
            )


@given(stages, st.integers(3, 6), st.integers(2, 8))
def test_what_is_held_lies_between_the_shards_and_the_shards_with_two_layers(
    stage: int, layers: int, ranks: int
) -> None:
    tasks = sharded_step(stage=stage, layers=layers, forward_s=2.0, gather_s=1.0, reduce_s=1.0, update_s=1.0)
    held = [sum(piece[2:]) for piece in held_over_step(tasks, stage=stage, ranks=ranks, layers=layers)]
    least = zero_bytes_per_parameter(ranks=ranks, stage=stage)
    buffers = zero_buffer_bytes(layers, largest_unit=1, ranks=ranks, stage=stage) / layers
    assert min(held) == pytest.approx(least)
    assert least + buffers <= max(held) + 1e-9 <= least + 2 * buffers + 1e-8


@pytest.mark.parametrize("name", ["stage", "layers", "forward_s", "gather_s", "reduce_s", "micro_batches", "across_s"])
def test_bad_input_is_named(name: str) -> None:
    good: dict[str, Any] = {"stage": 3, "layers": 2, "forward_s": 1.0, "gather_s": 1.0, "reduce_s": 1.0}
    with pytest.raises(ValueError, match=name):
        sharded_step(**(good | {name: -1}))


def test_too_long_a_step_is_refused() -> None:
    with pytest.raises(ValueError, match="layers × micro_batches"):
        sharded_step(stage=3, layers=5000, micro_batches=3, forward_s=1.0, gather_s=1.0, reduce_s=1.0)
    with pytest.raises(ValueError, match="end fits a float"):
        sharded_step(stage=3, layers=5, forward_s=1e308, gather_s=1.0, reduce_s=1.0)
    with pytest.raises(ValueError, match="tasks"):
        exposed_communication_s([])


def labels(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


@pytest.mark.parametrize("stage", STAGES)
def test_the_step_panel_shows_what_the_stage_sends_and_holds(stage: int) -> None:
    svg = zero_figures.zero_step_panel(stage=stage).svg()
    found = labels(svg)
    assert found[0] == f"stage {stage}"
    wires: dict[float, int] = {}
    for place in re.findall(r'<rect x="[\d.]+" y="([\d.]+)" [^>]*class="b-communication"', svg):
        wires[float(place)] = wires.get(float(place), 0) + 1
    counts = [wires[place] for place in sorted(wires)]
    assert counts == {0: [2], 1: [2, 2], 2: [2, 2], 3: [4, 2]}[stage]
    assert [lane in found for lane in ("all-reduce", "gather", "reduce")] == [stage == 0, stage > 0, stage > 0]
    assert found.count("U") == (4 if stage == 0 else 0)
    assert all(found.count(text) == 1 for text in ("weights", "gradients", "optimizer state"))
    assert all(found.count(text) == 4 for text in ("F1", "F2", "B1", "B2"))
    assert {0: "16 bytes", 1: "7 bytes", 2: "5.5 to 7.5", 3: "4 to 7"}[stage] in " ".join(found)


def test_the_layer_panels_show_a_layer_gathered_used_and_freed() -> None:
    panels = zero_figures.layer_panels()
    filled = [len(re.findall(r'class="b-rank-\d"', panel.svg())) for panel in panels]
    assert filled == [8, 20, 20, 8]  # a quarter of two layers on four ranks; one layer whole: 4 × 4 + 4
    titles = [labels(panel.svg())[0] for panel in panels]
    assert titles == ["at rest", "layer 1 starts", "layer 2 starts", "afterwards"]


def test_whole_layers_while_one_arrives() -> None:
    tasks = [
        StepTask("gather", 0, 0, 0.0, 1.0),
        StepTask("forward", 0, 0, 1.0, 2.0),
        StepTask("gather", 1, 0, 1.0, 3.0),
    ]
    assert [zero_figures.whole_layers(tasks, at) for at in (0.5, 1.0, 1.5, 2.0, 3.0)] == [[], [0], [0], [], [1]]


def test_the_bars_have_the_formula_s_bytes() -> None:
    found = labels(zero_figures.state_bars_panel(degrees=(8, 64)).svg())
    for stage, ranks in ((0, 1), *((stage, ranks) for stage in (1, 2, 3) for ranks in (8, 64))):
        assert f"{zero_bytes_per_parameter(ranks=ranks, stage=stage):g}" in found
    assert "stage 3, R = 64" in found
    assert [text for text in found if text.startswith("never")] == ["never below 4", "never below 2"]


@pytest.mark.parametrize("node", [2, 4, 8])
def test_the_nodes_panel_counts_what_leaves_a_node(node: int) -> None:
    whole = labels(zero_figures.nodes_panel(hybrid=False, node=node).svg())[1]
    hybrid = labels(zero_figures.nodes_panel(hybrid=True, node=node).svg())[1]
    assert f"{3 * (2 * node - 1) / (2 * node):g} N" in whole
    assert "1 N" in hybrid  # 2 (q − 1)/q of a whole gradient, with q = 2 groups


@pytest.mark.parametrize("primitive", ["all_gather", "reduce_scatter"])
def test_what_leaves_a_node_by_counting_the_ring_s_messages(primitive: str) -> None:
    rounds = build_collective(primitive, "ring", ranks=24, length=24).rounds
    out = [send for sends in rounds for send in sends if send.source // 8 == 0 and send.destination // 8 != 0]
    counted = sum(send.elements for send in out) / 24
    assert zero_figures.leaves_a_node(primitive=primitive, node=8, ranks=24) == counted == 23 / 24
