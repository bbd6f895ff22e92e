"""The blocks that are drawn and the bytes that are said are those of workers that send real messages."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sampling import examples

from snippets.background.linear_algebra.live import MOST_WORKERS, block_product
from snippets.background.linear_algebra.simulators import grid_product
from snippets.drawing import Panel
from snippets.live.knobs import from_units, in_units
from tests.live.checking import assert_draws

SHRINK = 16  # the simulated matrices are smaller by this in each dimension
SIZES = st.integers(1, 4).map(lambda count: 1024 * count)
PARTS = st.sampled_from([1, 2, 4])


def root_of(panel: Panel) -> ElementTree.Element:
    return ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", panel.svg()))


def boxes(root: ElementTree.Element, colour: str) -> list[tuple[float, ...]]:
    """Return x, y, width, height of the blocks that are drawn as one shape in a colour."""
    paths = [path.get("d", "") for path in root.iter("path") if path.get("class") == f"b-{colour}"]
    found = [re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)", path) for path in paths]
    return [tuple(map(float, box)) for path in found for box in path]


@given(rows=PARTS, columns=PARTS, layers=PARTS, m=SIZES, k=SIZES, n=SIZES, worker=st.integers(0, 63))
@hypothesis_settings(max_examples=examples(25))
def test_bytes_and_blocks_are_those_of_a_simulated_run(
    rows: int, columns: int, layers: int, m: int, k: int, n: int, worker: int
) -> None:
    picture = block_product(rows=rows, columns=columns, layers=layers, m=m, k=k, n=n, worker=worker)
    small = (m // SHRINK, k // SHRINK, n // SHRINK)
    run = grid_product(np.ones(small[:2]), np.ones(small[1:]), grid=(rows, columns, layers))
    number = min(worker, len(run.outputs) - 1)
    account, scale = run.account, SHRINK**2 * 2 / 8
    assert f"worker {number} of {len(run.outputs)}" in picture.numbers
    assert f"starts with {in_units(account.start_bytes[number] * scale, 'B')} of" in picture.numbers
    assert f"and sends {in_units(account.sent_bytes[number] * scale, 'B')}." in picture.numbers
    root = root_of(picture.panels[0])
    named = {text.text: text for text in root.iter("text")}
    origins = {name: (float(named[name].get("x", 0)), float(named[name].get("y", 0)) + 4) for name in "ABC"}
    pixel = (origins["C"][0] - origins["A"][0] - 10) / k * SHRINK
    drawn = {colour: boxes(root, f"rank-{colour}") for colour in range(8)}
    assert sum(map(len, drawn.values())) == 3 * len(run.outputs)
    for place, (inputs, output) in enumerate(zip(run.inputs, run.outputs, strict=True)):
        for block in (*inputs, output):
            x, y = origins[block.matrix]
            wanted = (
                x + block.columns.start * pixel,
                y + block.rows.start * pixel,
                len(block.columns) * pixel,
                len(block.rows) * pixel,
            )
            assert any(box == pytest.approx(wanted, abs=0.4) for box in drawn[place % 8]), (place, block.matrix)


@given(power=st.integers(0, 6), m=SIZES, k=SIZES, n=SIZES)
@hypothesis_settings(max_examples=examples(15))
def test_no_grid_of_as_many_workers_sends_less_than_the_best(power: int, m: int, k: int, n: int) -> None:
    grids = [
        (r, c, 2**power // (r * c)) for r in (1, 2, 4, 8) for c in (1, 2, 4, 8) if 2**power // (r * c) in (1, 2, 4, 8)
    ]
    sent, bests = [], []
    for r, c, d in grids:
        said = block_product(rows=r, columns=c, layers=d, m=m, k=k, n=n).numbers
        amounts = [from_units("sent", amount, "B") for amount in re.findall(r"sends ([\d.]+ \w+)", said)]
        sent.append(amounts[0])
        if "The best grid of " in said:
            assert amounts[1] <= amounts[0]
            best, widest = amounts[1], max(map(int, re.findall(r"\d+", said.split("The best grid of ")[1])[1:4]))
        else:
            assert said.endswith("sends less.")
            best, widest = amounts[0], 0
        bests.append(best)
    assert len(set(bests)) == 1
    assert bests[0] <= min(sent)
    assert bests[0] == min(sent) or widest > 8


def test_its_knobs_begin_with_four_workers_in_a_square() -> None:
    assert "Grid 2 × 2 × 1: worker 0 of 4 starts with" in block_product().numbers


def test_its_buttons_say_what_the_chapter_says_of_the_question() -> None:
    by_rows, by_shared, best, on_64 = (block_product(**named.values) for named in block_product.named)
    assert "sends 103 MB. The best grid of 8, 2 × 1 × 4, sends 39.8 MB each." in by_rows.numbers
    assert "sends 58.7 MB." in by_shared.numbers
    assert "Grid 2 × 1 × 4: worker 0 of 8 starts with 44 MB" in best.numbers
    assert best.numbers.endswith("sends 39.8 MB. No grid of 8 sends less.")
    assert on_64.numbers.endswith("sends 16.5 MB. No grid of 64 sends less.")


def test_a_cut_of_the_tokens_needs_all_weights() -> None:
    root = root_of(block_product(rows=8, columns=1, layers=1).panels[0])
    dashed = [rect for rect in root.iter("rect") if rect.get("stroke-dasharray")]
    (weights,) = [rect for rect in dashed if float(rect.get("y", 0)) < 20]
    ends = [y + height for x, y, _, height in boxes(root, "rank-7") if x == float(weights.get("x", 0))]
    assert float(weights.get("height", 0)) == pytest.approx(min(ends) - 16, abs=0.3)


def test_more_workers_than_are_drawn_are_cut_down() -> None:
    picture = block_product(rows=8, columns=8, layers=8, worker=63)
    assert picture.limits == {"columns": 8, "layers": 1, "worker": 63}
    assert f"of {MOST_WORKERS} " in picture.numbers
    assert math.prod(map(int, re.findall(r"\d+", picture.numbers)[:3])) == MOST_WORKERS


@given(rows=st.integers(1, 8), columns=st.integers(1, 8), layers=st.integers(1, 8), worker=st.integers(0, 63))
@hypothesis_settings(max_examples=examples(30))
def test_grids_that_do_not_divide_draw(rows: int, columns: int, layers: int, worker: int) -> None:
    assert_draws(block_product, {"rows": rows, "columns": columns, "layers": layers, "worker": worker})
