"""The pictures show what the runs did: their numbers, and their accounts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from snippets.background.block_product_figures import k_split_panels
from snippets.background.block_products import k_split_product

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


def test_refusals() -> None:
    run = k_split_product(A, B, ranks=2)
    with pytest.raises(ValueError, match="width_px must be a finite number above 0, got 0"):
        k_split_panels(run, width_px=0)
