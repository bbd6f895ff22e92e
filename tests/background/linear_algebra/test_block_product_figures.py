"""The pictures show what the runs did: their numbers, and their accounts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.background.linear_algebra.figures import (
    k_split_panels,
    product_layers_panel,
    ring_panels,
    split_panels,
    step_panels,
    summa_panels,
)
from snippets.background.linear_algebra.simulators import grid_product, k_split_product
from snippets.drawing import Panel

SVG = "{http://www.w3.org/2000/svg}"
A, B = np.arange(24).reshape(3, 8), np.arange(100, 116).reshape(8, 2)


def texts(svg: str) -> list[str]:
    """Return the texts of a picture; an element with several places holds a sign for each."""
    elements = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    found = ((element.text or "", str(element.get("x"))) for element in elements)
    return [piece for text, x in found for piece in (list(text) if " " in x else [text])]


def test_a_k_split_shows_its_numbers_partial_products_and_sum() -> None:
    strips, partials = k_split_panels(k_split_product(A, B, ranks=3))
    assert [str(number) for number in range(24)] == sorted((t for t in texts(strips.svg()) if t.isdigit()), key=int)[
        :24
    ]
    shown = texts(partials.svg())
    assert {str(number) for number in (A @ B).ravel()} <= set(shown)
    assert {str(number) for number in (A[:, :3] @ B[:3]).ravel()} <= set(shown)
    assert (shown.count("+"), shown.count("=")) == (2, 1)
    assert {"C₀", "C₁", "C₂", "C"} <= set(shown)


def shapes(panel: Panel, kind: str) -> list[dict[str, str]]:
    """Return the attributes of the elements of a kind in a picture."""
    return [dict(element.attrib) for element in ElementTree.fromstring(panel.svg()).iter(SVG + kind)]


def boxes(panel: Panel, colour: str) -> list[dict[str, float]]:
    """Return the places and sizes of the blocks in a colour."""
    keys = ("x", "y", "width", "height")
    return [{key: float(box[key]) for key in keys} for box in shapes(panel, "rect") if box["class"] == f"b-{colour}"]


def test_the_first_entry_is_framed_in_every_matrix() -> None:
    strips, partials = k_split_panels(k_split_product(A, B, ranks=3))
    row, column, entry = boxes(strips, "ink")
    assert row["width"] / entry["width"] > 8 > 1 == round(row["height"] / entry["height"])
    assert column["height"] / entry["height"] > 8 > 1 == round(column["width"] / entry["width"])
    assert (row["y"], column["x"]) == (entry["y"], entry["x"])
    assert len(boxes(partials, "ink")) == 4  # three partial products and their sum


def test_two_cuts_make_finished_pieces_and_the_third_makes_sheets() -> None:
    by_rows, by_columns, by_shared = split_panels()
    for panel, whole in ((by_rows, 1), (by_columns, 1), (by_shared, 0)):
        assert len(boxes(panel, "muted")) == whole == texts(panel.svg()).count("all")
    for worker in range(4):
        a, c = boxes(by_rows, f"rank-{worker}")
        assert a["y"] == c["y"]
        assert c["width"] == pytest.approx(4 * c["height"], abs=0.3)
        b, c = boxes(by_columns, f"rank-{worker}")
        assert b["x"] == c["x"]
        assert c["height"] == pytest.approx(4 * c["width"], abs=0.3)
        a, b, c = boxes(by_shared, f"rank-{worker}")
        assert a["height"] == b["width"] == c["width"] == c["height"]
        assert a["width"] == pytest.approx(c["width"] / 4, abs=0.1)


def test_every_cut_of_a_training_step_has_one_sum() -> None:
    paying = []
    for panel in step_panels():
        written = texts(panel.svg())
        assert sum(text.endswith("is finished") for text in written) == 2
        assert written.count("sum") == 1
        paying += [text for text in written if text.endswith("sheets")]
    assert paying == [f"{result}: sum of 4 sheets" for result in ("∂W", "∂X", "Y")]


def test_two_rows_of_four_layers_share_the_bands_of_b() -> None:
    panel = product_layers_panel()
    run = grid_product(np.ones((4, 8), int), np.ones((8, 4), int), grid=(2, 1, 4))
    assert {"0+2+4+6", "1+3+5+7"} <= set(texts(panel.svg()))
    frames = boxes(panel, "ink")
    for worker, (a, b) in enumerate(run.inputs):
        left, above, *_ = boxes(panel, f"rank-{worker}")
        cell = left["width"] / len(a.columns)
        assert left["height"] == pytest.approx(cell * len(a.rows), abs=0.3)
        assert above["height"] == pytest.approx(cell * len(b.rows), abs=0.3)
        inside = [
            frame["y"] - 2 < above["y"] and above["y"] + above["height"] < frame["y"] + frame["height"] + 2
            for frame in frames
        ]
        assert inside == [worker // 2 == layer for layer in range(4)]


@pytest.mark.parametrize("workers", [2, 4, 5])
def test_the_ring_ends_with_a_whole_sum_on_the_diagonal(workers: int) -> None:
    panels = ring_panels(workers=workers)
    whole = "+".join(map(str, range(workers)))
    assert len(panels) == workers
    for step, panel in enumerate(panels):
        sums = [text for text in texts(panel.svg()) if "+" in text]
        assert max((text.count("+") for text in sums), default=0) == step
        assert len(shapes(panel, "path")) == (workers if step else 0)  # the heads of arrows
    assert texts(panels[-1].svg()).count(whole) == workers
    drawn = {text.text: text for text in ElementTree.fromstring(panels[-1].svg()).iter(SVG + "text")}
    assert whole in drawn


def test_summa_shows_the_numbers_and_messages_of_the_run() -> None:
    a, b = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    start, first, second = summa_panels(a, b)
    assert [text for text in texts(start.svg()) if ":" in text] == [
        f"{name}: {matrix[i, j]}" for i in range(2) for j in range(2) for name, matrix in (("A", a), ("B", b))
    ]
    assert [len(shapes(panel, "path")) for panel in (start, first, second)] == [0, 4, 4]
    assert [text for text in texts(first.svg()) if "·" in text] == ["1 · 5", "1 · 6", "3 · 5", "3 · 6"]
    assert sorted(text for text in texts(first.svg()) if text.isdigit()) == ["1", "3", "5", "6"]
    assert sorted(text for text in texts(second.svg()) if text.isdigit()) == ["2", "4", "7", "8"]
    run = grid_product(a, b, grid=(2, 2, 1))
    ends = [f"C: {block.array[0, 0]}" for block in run.outputs]
    assert [text for text in texts(second.svg()) if text.startswith("C")] == ends
    lines = shapes(first, "line")
    assert sum(line["y1"] == line["y2"] for line in lines) == sum(line["x1"] == line["x2"] for line in lines) == 2


def test_refusals() -> None:
    with pytest.raises(ValueError, match="a must be a 2 × 2 matrix"):
        summa_panels(A, B)
    with pytest.raises(ValueError, match="workers must be an integer from 2 to 8, got 1"):
        ring_panels(workers=1)
    for draw in (split_panels, step_panels, product_layers_panel):
        with pytest.raises(ValueError, match="width_px must be above 32"):
            draw(width_px=32)
    run = k_split_product(A, B, ranks=2)
    with pytest.raises(ValueError, match="width_px must be a finite number above 0, got 0"):
        k_split_panels(run, width_px=0)
