"""The slides of chapters in Chromium: nothing runs off a slide, all text is large, the speaker has notes, it prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sampling import CHAPTERS, chapter_changed, sampled

from press.site.slides import FEWEST, MOST

pytestmark = pytest.mark.browser
SIZE = {"width": 1280, "height": 720}
# What of a slide lies outside of it, by more than the rounding of a formula's own box, and text below 24 pixels.
WRONG = """() => {
    const slide = Reveal.getCurrentSlide(), scale = Reveal.getScale(), edge = slide.getBoundingClientRect();
    const wrong = [];
    for (const one of slide.querySelectorAll("p, li, td, th, svg, img, iframe, math, blockquote")) {
        if (one.closest("aside, .on-paper") || one.parentElement.closest("svg, math") || !one.getClientRects().length)
            continue;
        const box = one.getBoundingClientRect();
        const across = Math.max(box.right - edge.right, edge.left - box.left);
        const over = Math.max(across, box.bottom - edge.bottom, edge.top - box.top);
        if (over > 2 * scale) wrong.push(`${one.tagName} runs off by ${Math.round(over / scale)}`);
        if (!["svg", "IMG", "IFRAME", "math"].includes(one.tagName) && parseFloat(getComputedStyle(one).fontSize) < 24)
            wrong.push(`${one.tagName} is small: ${one.textContent.slice(0, 40)}`);
    }
    const said = slide.matches(".beside") && slide.querySelector(".said")?.getBoundingClientRect();
    for (const one of said ? slide.querySelectorAll(".formula math *") : [])
        if (one.getBoundingClientRect().right - said.right > 2 * scale) return [...wrong, "a formula over the picture"];
    return wrong;
}"""


def _slides(open_page: Any, chapter: Path) -> Any:
    page = open_page(f"{chapter.parent.name}/{chapter.stem}/slides.html")
    page.set_viewport_size(SIZE)
    page.wait_for_function("window.Reveal?.isReady()")
    return page


@pytest.mark.parametrize("chapter", sampled(CHAPTERS, 3, changed=chapter_changed), ids=lambda path: path.stem)
def test_a_deck_has_10_to_15_slides_that_hold_what_they_show(open_page: Any, chapter: Path) -> None:
    page = _slides(open_page, chapter)
    count = page.evaluate("Reveal.getTotalSlides()")
    assert FEWEST <= count <= MOST
    wrong = {}
    for number in range(count):
        page.evaluate("number => Reveal.slide(number, 0, 9)", number)
        if found := page.evaluate(WRONG):
            wrong[number + 1] = found
    assert wrong == {}


def test_the_speakers_window_shows_the_slide_and_the_chapters_prose(open_page: Any) -> None:
    page = _slides(open_page, Path("collectives/13-ring-and-tree"))
    page.evaluate("Reveal.slide(2)")
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    window = opened.value
    window.locator(".speaker-controls-notes .value", has_text="one message").wait_for()


def test_on_paper_each_slide_has_a_page_and_a_live_figure_is_its_picture(open_page: Any) -> None:
    page = _slides(open_page, Path("collectives/13-ring-and-tree"))
    page.goto(f"{page.url.partition('#')[0]}?print-pdf")
    page.wait_for_selector(".pdf-page")
    count = page.evaluate("document.querySelectorAll('.pdf-page').length")
    assert FEWEST <= count <= MOST
    assert page.evaluate("getComputedStyle(document.querySelector('.on-paper')).display") == "flex"
    assert page.evaluate("getComputedStyle(document.querySelector('iframe')).display") == "none"
