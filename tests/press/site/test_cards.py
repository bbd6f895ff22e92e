"""The cards of chapters: of the size that previews want, legible, the same each time, drawn only when it matters."""

from __future__ import annotations

import json
import struct
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from press.site import cards
from press.site.cards import Card, Figure, alt_of, card_png, card_svg, drawn, figures_of
from snippets.drawing import Panel, on_paper

BOOK = "Many Machines, One Gradient"
LONG = "How the longest title that anybody could give a chapter is broken into lines"


def panel(width: float, height: float, label: str = "A") -> str:
    made = Panel(width, height)
    made.rectangle(4, 4, width - 8, height - 8, colour="rank-0", label=label)
    return made.svg()


def card(*figures: Figure, title: str = "ZeRO") -> Card:
    return Card("22", title, "Who needs a second copy?", BOOK, figures)


SMALL = Figure((panel(330, 260),), "One block.")
WIDE = Figure((panel(690, 150),), "A long line.")
TINY_TYPE = Figure((panel(1400, 1300),), "Too much.")


def test_a_card_has_the_size_that_previews_want() -> None:
    picture = card_png(card(SMALL))
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert len(picture) < 300_000  # above which some messengers show none


def test_the_same_bytes_each_time() -> None:
    assert card_png(card(SMALL, WIDE)) == card_png(card(SMALL, WIDE))


@pytest.mark.parametrize(
    "figures",
    [(), (SMALL,), (WIDE,), (Figure((panel(330, 200), panel(330, 200)), "Two."),)],
    ids=["none", "small", "wide", "two panels"],
)
@pytest.mark.parametrize("title", ["ZeRO", LONG])
def test_nothing_is_cut_off(title: str, figures: tuple[Figure, ...]) -> None:
    """Below the bar at the top, the border of the card is white."""
    picture = Image.open(BytesIO(card_png(card(*figures, title=title)))).convert("RGB").crop((0, 12, 1200, 630))
    box = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox()
    assert box is not None
    assert box[0] >= 20
    assert box[2] <= 1180
    assert box[3] <= 600


def test_the_figure_that_can_be_read_is_taken() -> None:
    assert alt_of(card(TINY_TYPE, SMALL)) == "22 · ZeRO. One block."
    assert alt_of(card(SMALL, SMALL, TINY_TYPE)) == "22 · ZeRO. One block."
    assert alt_of(card()) == "22 · ZeRO"


def test_texts_are_large_enough_at_half_the_size() -> None:
    for figure in (SMALL, WIDE):
        placed = cards._chosen(card(figure))
        assert placed is not None
        assert placed.scale * 13 / 2 >= 9


def test_a_card_is_svg_whatever_the_title_says() -> None:
    root = ElementTree.fromstring(card_svg(card(SMALL, title='<script> & "x"')))
    texts = "".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert '<script> & "x"' in texts


def test_a_panel_without_a_size_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="a panel must say its width and height in pixels, got '<svg viewBox"):
        card_svg(card(Figure(('<svg viewBox="0 0 1 1"></svg>',), "None.")))


def notebook(*outputs: dict[str, Any]) -> bytes:
    return json.dumps({"cells": [{"cell_type": "markdown"}, {"cell_type": "code", "outputs": outputs}]}).encode()


def shown(svg: str, alt: str) -> dict[str, Any]:
    return {"data": {"image/svg+xml": on_paper(svg)}, "metadata": {"book": {"role": "panel", "alt": alt}}}


CAPTION = {"data": {"text/markdown": "A block."}, "metadata": {"book": {"role": "caption"}}}
LIVE = {"data": {"image/svg+xml": panel(9, 9)}, "metadata": {"book": {"role": "live-panel"}}}
PRINTED = {"data": {"text/plain": "6"}}


def test_the_figures_of_a_notebook_are_those_that_do_not_move() -> None:
    one, two = panel(80, 40), panel(80, 50)
    outputs = (LIVE, shown(one, "One."), shown(two, "One."), CAPTION, PRINTED, shown(two, "Two."), CAPTION)
    assert figures_of(notebook(*outputs)) == (Figure((one, two), "One."), Figure((two,), "Two."))


def test_a_card_is_drawn_again_only_when_what_it_shows_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [(card(), notebook(shown(panel(80, 40), "One."), CAPTION)), (card(), notebook())]
    first = drawn(asked, tmp_path)
    assert [alt for _, alt in first] == ["22 · ZeRO. One.", "22 · ZeRO"]
    monkeypatch.setattr(cards, "card_png", lambda _: b"drawn again")
    assert drawn(asked, tmp_path) == first
    changed = [asked[0], (card(title="Zero"), notebook())]
    assert drawn(changed, tmp_path) == [first[0], (b"drawn again", "22 · Zero")]
    assert len(list(tmp_path.iterdir())) == 2
