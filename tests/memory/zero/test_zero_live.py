"""The live ZeRO table against the paper's Table 1, ring schedules that are counted, and sums by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from snippets.hardware import ACCELERATORS
from snippets.memory.zero.live import zero_table
from snippets.models import MODELS, parameter_count
from snippets.recipes import RECIPES
from snippets.simulation.algorithms import build_collective

# Rajbhandari et al. 2020, table 1: GB on a device for 7.5 billion parameters, by devices, in stages 1 to 3.
TABLE_1 = {
    1: (120, 120, 120),
    4: (52.5, 41.3, 30),
    16: (35.6, 21.6, 7.5),
    64: (31.4, 16.6, 1.88),
    256: (30.4, 15.4, 0.47),
    1024: (30.1, 15.1, 0.12),
}


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def cells(svg: str) -> dict[int, list[str]]:
    """Return the table's rows by number of devices."""
    found = texts(svg)
    body = found[found.index("stage 3") + 1 :]
    rows = [body[start : start + 5] for start in range(0, len(body), 5)]
    return {int(row[0].replace(",", "")): row[1:] for row in rows}


def boxes(svg: str) -> int:
    """Return how many cells have a box: the last path holds them all, and only them."""
    fits = re.findall(r'class="b-accent" d="([^"]+)" style="fill-opacity:0.15', svg)
    return sum(path.count("M") for path in fits)


def test_the_first_picture_says_what_the_chapter_says() -> None:
    numbers = zero_table().numbers
    assert "stages 1, 2 and 3 fit. None of them sends less than stage 2" in numbers
    assert "a GPU holds 30.1 GB and sends 28.1 GB in a step." in numbers
    # A row of the paper's Table 1, and exercise 2 of the chapter.
    assert "less than stage 2: a GPU holds 41.3 GB" in zero_table(model="own", ranks=4).numbers
    numbers = zero_table(model="Llama 3 70B", ranks=8, other_bytes=20e9).numbers
    assert "On R = 8 no stage fits. It fits in stage 3 from R = 19; not in stages 0, 1, 2" in numbers


def test_the_thread_s_setting_is_the_chapter_s_box() -> None:
    """Its tokens by hand: a ring's gather over 256 GPUs against 2 FLOPs a parameter and token."""
    (thread,) = [named for named in zero_table.named if named.name == "The 70B on 256 GPUs"]
    picture = zero_table(**thread.values)
    layer = parameter_count(MODELS["Llama 3 70B"]) / 80
    gather_s = 255 * (5e-6 + 2 * layer / 256 / (0.8 * 400e9))
    tokens = math.ceil(gather_s / (2 * layer / (0.65 * 989.4e12)))
    assert f"gathers hide from {tokens:,} tokens on; there are 8,192" in picture.numbers
    assert "stage 3 alone fits: a GPU holds 23.4 GB" in picture.numbers
    assert sum(text.startswith("hidden, ") for text in texts(picture.panels[3].svg())) == 2


@pytest.mark.parametrize(("tokens", "hidden"), [(2466, 0), (2467, 2)])
def test_a_gather_hides_from_that_many_tokens_on(tokens: int, hidden: int) -> None:
    change: dict[str, Any] = {"model": "Llama 3 70B", "ranks": 256, "link": "adapters", "tokens": tokens}
    found = texts(zero_table(**change).panels[3].svg())
    assert sum(text.startswith("hidden, ") for text in found) == hidden
    assert sum(text.startswith("sticks out, ") for text in found) == 2 - hidden


def test_the_table_is_the_paper_s() -> None:
    rows = cells(zero_table(model="own").panels[2].svg())
    for degree, printed in TABLE_1.items():
        assert rows[degree][0] == "120.0"
        for cell, value in zip(rows[degree][1:], printed, strict=True):
            assert float(cell) == pytest.approx(value, abs=0.101)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.sampled_from([*MODELS, "own"]),
    st.sampled_from(sorted(RECIPES)),
    st.integers(1, 4096),
    st.integers(0, 150).map(lambda giga: giga * 1e9),
    st.sampled_from(sorted(ACCELERATORS)),
)
def test_boxes_are_around_what_fits(model: str, recipe: str, ranks: int, other: float, device: str) -> None:
    """Every cell is added up again from the recipe's bytes."""
    count = 7_500_000_000 if model == "own" else parameter_count(MODELS[model])
    kept, memory = RECIPES[recipe], ACCELERATORS[device].memory_bytes

    def held(stage: int, degree: int) -> int:
        shard = -(-count // degree)
        sizes = (kept.optimizer_bytes, kept.gradient_bytes, kept.parameters)
        return int(other) + sum(
            size * (shard if stage >= cut else count) for size, cut in zip(sizes, (1, 2, 3), strict=True)
        )

    picture = zero_table(model=model, recipe=recipe, ranks=ranks, other_bytes=other, device=device)
    svg = picture.panels[2].svg()
    rows = cells(svg)
    assert set(rows) == {2**power for power in range(11)} | {ranks}
    assert boxes(svg) == sum(held(stage, degree) <= memory for stage in range(4) for degree in rows)
    for stage in range(4):
        shown = float(rows[ranks][stage].replace(",", ""))
        assert shown == pytest.approx(held(stage, ranks) / 1e9, abs=0.0501, rel=1e-3)
        from_when = re.search(rf"stage {stage} from R = ([\d,]+)", picture.numbers)
        if "no stage fits" not in picture.numbers:
            assert any(held(other_stage, ranks) <= memory for other_stage in range(4))
        elif from_when is None:
            assert held(stage, 10**15) > memory
        else:
            least = int(from_when[1].replace(",", ""))
            assert held(stage, least) <= memory
            assert least == 1 or held(stage, least - 1) > memory


def sent_by_rings(ranks: int, *, reduces: int, gathers: int) -> float:
    """Return what rank 0 sends, as a share of the parameters, counted message by message."""
    elements = 0
    for primitive, times in (("reduce_scatter", reduces), ("all_gather", gathers)):
        rounds = build_collective(primitive, "ring", ranks=ranks, length=ranks).rounds
        elements += times * sum(send.elements for sends in rounds for send in sends if send.source == 0)
    return elements / ranks


@pytest.mark.parametrize("ranks", [2, 5, 16])
@pytest.mark.parametrize("micro_batches", [1, 4, 32])
def test_what_is_sent_is_what_the_rings_send(ranks: int, micro_batches: int) -> None:
    change: dict[str, Any] = {"model": "own", "ranks": ranks, "micro_batches": micro_batches}
    found = texts(zero_table(**change).panels[1].svg())
    m = micro_batches
    for stage, (reduces, gathers) in enumerate(((1, 1), (1, 1), (m, 1), (m, 2 * m))):
        share, size = found[found.index(f"stage {stage}") + 1].split(" N, ")
        expected = sent_by_rings(ranks, reduces=reduces, gathers=gathers)
        assert float(share) == pytest.approx(expected, rel=5e-3)
        sent = float(size.removesuffix(" GB").replace(",", ""))
        assert sent == pytest.approx(2 * 7.5 * expected, rel=1e-3, abs=0.051)
