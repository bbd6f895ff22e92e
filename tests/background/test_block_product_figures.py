"""The pictures show what the runs did: their numbers, and their accounts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.background.block_product_figures import k_split_panels, split_panel, traffic_plot
from snippets.background.block_products import grid_product, k_split_product, row_split_product
from snippets.figures import svg_of

A, B = np.arange(24).reshape(3, 8), np.arange(100, 116).reshape(8, 2)


def texts(svg: str) -> list[str]:
    """Return the texts of a picture; an element with several places holds a sign for each."""
    elements = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    found = ((element.text or "", str(element.get("x"))) for element in elements)
    return [piece for text, x in found for piece in (list(text) if " " in x else [text])]


def test_a_k_split_shows_its_numbers_partial_products_and_sum() -> None:
    strips, partials = k_split_panels(k_split_product(A, B, workers=3))
    assert [str(number) for number in range(24)] == sorted((t for t in texts(strips.svg()) if t.isdigit()), key=int)[
        :24
    ]
    shown = texts(partials.svg())
    assert {str(number) for number in (A @ B).ravel()} <= set(shown)
    assert {str(number) for number in (A[:, :3] @ B[:3]).ravel()} <= set(shown)
    assert (shown.count("+"), shown.count("=")) == (2, 1)
    assert {"C₀", "C₁", "C₂", "C"} <= set(shown)


def test_a_layout_names_blocks_and_quotes_the_account() -> None:
    shown = texts(split_panel(row_split_product(A, B, workers=2, result="replicated"), title="rows").svg())
    assert {"A₀", "A₁", "B, on all", "C, on all", "rows"} <= set(shown)
    # two rows of A and all of B; the other worker's rows of C travel: 2 × 2 numbers at most
    assert {"a worker starts with 256 B", "and sends 32 B"} <= set(shown)
    shown = texts(split_panel(grid_product(A, B, grid=(1, 1, 2)), title="layers").svg())
    assert {"A₀", "A₁", "B₀", "B₁", "C₀", "C₁"} <= set(shown)


def test_the_plot_names_its_curves() -> None:
    svg = svg_of(traffic_plot(m=8, k=16, n=4, bytes_per_element=2, most_workers=16))
    for label in ("cut i: B moves", "cut j: A moves", "cut x: C moves", "best grid", "workers N"):
        assert label in svg


def test_refusals() -> None:
    run = k_split_product(A, B, workers=2)
    with pytest.raises(ValueError, match="width_px must be a finite number above 0, got 0"):
        k_split_panels(run, width_px=0)
    with pytest.raises(ValueError, match="width_px must be a finite number above 0, got -1"):
        split_panel(run, title="", width_px=-1)
    with pytest.raises(ValueError, match="most_workers must be an integer of at least 2, got 1"):
        traffic_plot(m=8, k=16, n=4, bytes_per_element=2, most_workers=1)
