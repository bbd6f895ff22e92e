"""The drawn assets: valid, of the right size, the same bytes each time."""

from __future__ import annotations

import re
import struct
from typing import Literal
from xml.etree import ElementTree

import pytest

from press.site import assets
from snippets.palette import COLOURS, RANKS


@pytest.mark.parametrize("draw", [assets.cover_svg, assets.favicon_svg, assets.cover_png])
def test_the_same_bytes_each_time(draw) -> None:  # type: ignore[no-untyped-def]
    assert draw() == draw()


@pytest.mark.parametrize("page", ["light", "dark"])
def test_cover_shows_each_machine_once_in_the_colour_of_its_page(page: Literal["light", "dark"]) -> None:
    drawing = ElementTree.fromstring(assets.cover_svg(page))
    styles = [element.get("style", "") for element in drawing.iter("{http://www.w3.org/2000/svg}path")]
    fills = [style.removeprefix("fill: ") for style in styles if re.fullmatch("fill: #[0-9a-f]{6}", style)]
    assert fills[:RANKS] == [getattr(COLOURS[f"rank-{number}"], page).lower() for number in range(RANKS)]
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]+)", " ".join(styles)))
    assert used <= {getattr(colour, page).lower() for colour in COLOURS.values()}


def test_favicon_follows_the_browsers_tabs() -> None:
    ElementTree.fromstring(assets.favicon_svg())
    assert "prefers-color-scheme:dark" in assets.favicon_svg()


def test_preview_has_the_size_that_previews_want() -> None:
    picture = assets.cover_png()
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert len(picture) < 120_000
