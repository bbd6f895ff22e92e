"""The live figure of chapter 38 says what the model gives, and names the fastest of what fits."""

from __future__ import annotations

import re

import pytest

from snippets.synthesis.deepseek_v3.as_trained import v3_memory
from snippets.synthesis.deepseek_v3.formulas import V3_STEP
from snippets.synthesis.deepseek_v3.live import v3_figure


def drawn(**values: object) -> str:
    settings = {knob.name: knob.default for knob in v3_figure.knobs} | values
    return v3_figure(**settings).numbers


def test_the_run_as_it_was_is_the_reported_step() -> None:
    said = re.search(r"t = 1 drops tensors, holds (\d+) GB, takes ([\d.]+) s", drawn())
    assert said
    assert float(said[2]) == pytest.approx(V3_STEP.step_s, abs=0.05)
    assert int(said[1]) == round(v3_memory(1).total / 1e9)


@pytest.mark.parametrize("link_gb", [20, 160, 360, 900])
@pytest.mark.parametrize("memory_gb", [40, 80, 160])
def test_the_fastest_is_the_fastest_of_what_fits(link_gb: int, memory_gb: int) -> None:
    numbers = drawn(link_gb=link_gb, memory_gb=memory_gb)
    rows = {
        int(t): (int(held), float(took))
        for t, held, took in re.findall(r"t = (\d) [^,;]*, holds (\d+) GB, takes ([\d.]+) s", numbers)
    }
    said = re.search(r"fastest that fits has t = (\d), with ([\d.]+) s", numbers)
    assert said
    limit = 0.9 * memory_gb
    fits = {t: took for t, (held, took) in rows.items() if held <= limit}
    assert float(said[2]) == min(fits.values()) == rows[int(said[1])][1]


def test_experts_in_two_nodes_leave_no_room_for_one_gpu_to_a_layer() -> None:
    assert "The fastest that fits has t = 2" in drawn(expert_ranks="16")
    assert "Nothing fits." in drawn(expert_ranks="8")


def test_smaller_matmuls_decide_against_eight_only_where_all_waits_hide() -> None:
    def eight_loses(**values: object) -> bool:
        took = dict(re.findall(r"t = (\d) [^,;]*, holds \d+ GB, takes ([\d.]+) s", drawn(**values)))
        return float(took["8"]) > float(took["1"])

    assert eight_loses(narrower="0")
    assert eight_loses(open_halves="0")
    assert not eight_loses(open_halves="0", narrower="0")
