"""The live figure of chapter 40 says what the planner says, and which question is answered with no first."""

from __future__ import annotations

import re
from typing import Any

import pytest

from snippets.composition.configuration_search.clusters import Cluster
from snippets.composition.configuration_search.planner import layout_plan
from snippets.composition.layouts import Layout
from snippets.live.declaring import Named
from snippets.synthesis.conclusion.live import procedure_figure

KEPT = {"all": "none", "some": "some", "inputs": "full"}


def settings_of(named: Named) -> dict[str, Any]:
    return {knob.name: knob.default for knob in procedure_figure.knobs} | dict(named.values)


@pytest.mark.parametrize("named", procedure_figure.named, ids=lambda named: named.name)
def test_a_step_and_what_is_held_are_the_planners(named: Named) -> None:
    values = settings_of(named)
    on_nodes = values["offer"] == "h100"
    cluster = Cluster("DGX H100", nodes=64) if on_nodes else Cluster("GB200 NVL72", nodes=3)
    t, c, p = (int(values[name]) for name in ("tensor", "context", "stages"))
    planned = layout_plan(
        "Qwen2.5 72B",
        cluster,
        Layout(tensor=t, context=c, pipeline=p, data=cluster.gpus // (t * c * p), stage=int(values["shard"])),
        tokens_per_step=192 * 32_768,
        sequence=32_768,
        dtype="fp8",
        keep=KEPT[values["keep"]],
        free_share=0.1,
    )
    numbers = procedure_figure(**values).numbers
    said = re.search(r"holds ([\d,]+) GB.* takes? ([\d.]+) s:", numbers)
    assert said
    assert float(said[1].replace(",", "")) == round(planned.memory.total / 1e9)
    assert float(said[2]) == pytest.approx(planned.total_s, abs=0.051)
    assert ("it doesn't fit" in numbers) == (not planned.fits)


def test_each_question_can_be_the_first_no() -> None:
    base = {knob.name: knob.default for knob in procedure_figure.knobs} | {"shard": "3", "context": "8"}
    verdicts = [
        procedure_figure(**(base | values)).numbers
        for values in (
            {"keep": "all"},
            {"keep": "inputs"},
            {"context": "8", "tensor": "8", "keep": "some"},
            {"tensor": "2", "context": "4", "keep": "some"},
        )
    ]
    starts = (
        "The first no: it doesn't fit",
        "It fits. The first no",
        "It fits, and the GPUs are busy",
        "Three times yes",
    )
    assert all(verdict.startswith(start) for verdict, start in zip(verdicts, starts, strict=True))


def test_too_many_copies_for_the_batch_are_refused_with_a_way_out() -> None:
    base = {knob.name: knob.default for knob in procedure_figure.knobs}
    with pytest.raises(ValueError, match=r"192 sequences can't be dealt to 512 copies\. Let more GPUs share"):
        procedure_figure(**(base | {"context": "1"}))
    with pytest.raises(ValueError, match="doesn't divide 192 GPUs"):
        procedure_figure(**(base | {"offer": "racks", "context": "16", "tensor": "8"}))
