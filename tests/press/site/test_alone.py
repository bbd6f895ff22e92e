"""The pages that show one live figure alone: what stands in them, where they lead, and whom they name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from made_page import CHAPTER, MadePages

from press.making.framed import NARROW, WIDE, frame_height
from snippets.collectives.ring_and_tree.live import collective_stepper
from snippets.foundations.alpha_beta.live import message_time

TITLE = "Many Machines & One Gradient"
OTHER = "chapters/part/02-two.md"
PLACE = "live/message_time/index.html"
TO_CHAPTER = "../../part/01-one/"


def live(caption: str = message_time.caption) -> dict[str, Any]:
    book = {"role": "live", "figure": message_time.described(), "caption": caption}
    return {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {"book": book}}


@pytest.fixture
def made(tmp_path: Path) -> MadePages:
    made = MadePages(tmp_path)
    caption = "Here $n$. See [there](02-two.md#it), [here](#it) and [far away](https://example.org/a?b=1&c=2)."
    made.chapter("# 1 · One & *two*\n\n## It\n\nText.\n", [live(caption)])
    made.chapter("# 2 · Two\n\n## It\n\nText.\n", path=OTHER)
    return made


def alone(made: MadePages, **how: Any) -> dict[str, BeautifulSoup]:
    """Return the pages of figures alone, as a browser would read them."""
    book = made.book()
    rendered = {path: book.page(path) for path in book.addresses}
    pages = book.figures_alone(rendered, TITLE, **how)
    return {place: BeautifulSoup(page, "html.parser") for place, page in pages.items()}


def one(page: Tag, selector: str) -> Tag:
    (found,) = page.select(selector)
    return found


def test_each_live_figure_has_a_page_with_its_title_that_leads_to_its_place_in_the_chapter(made: MadePages) -> None:
    pages = alone(made)
    assert list(pages) == [PLACE]
    page = pages[PLACE]
    assert page.title is not None
    assert page.title.text == f"{message_time.title} · {TITLE}"
    assert one(page, "h1").text == message_time.title
    source = one(page, ".live-from").select("a")[0]
    assert source.text == f"From chapter 1, One & *two*, of {TITLE}"
    assert source["href"] == f"{TO_CHAPTER}#figure-1"
    assert "CC BY-SA 4.0" in one(page, ".live-from").text


def test_the_figure_is_the_chapters_without_the_tools_that_are_for_the_chapter(made: MadePages) -> None:
    (page,) = alone(made).values()
    chapter = BeautifulSoup(made.rendered(CHAPTER).html, "html.parser")
    for selector in (".live-status", ".knobs", ".panels"):
        assert str(one(page, selector)) == str(one(chapter, selector))
    assert one(page, "figcaption").text == one(chapter, "figcaption").text
    tools = ".live-link, .live-code, .live-embed"
    assert len(chapter.select(tools)) == 3
    assert not page.select(tools)
    assert one(page, "figure")["data-beside"] == TO_CHAPTER  # where its pictures lie


def test_links_lead_where_the_chapters_do_and_open_outside_of_the_frame(made: MadePages) -> None:
    (page,) = alone(made).values()
    links = one(page, "figcaption").select("a")
    addresses = ["../../part/02-two/#it", f"{TO_CHAPTER}#it", "https://example.org/a?b=1&c=2"]
    assert [link["href"] for link in links] == addresses
    for link in page.select("a"):
        assert link["target"] == "_blank"
        assert "noopener" in link["rel"]


def test_the_chapter_leads_to_the_page_and_says_how_high_a_frame_has_to_be(made: MadePages) -> None:
    chapter = BeautifulSoup(made.rendered(CHAPTER).html, "html.parser")
    assert one(chapter, ".live-embed")["href"] == "../../live/message_time/"
    figure, caption = one(chapter, "figure"), str(one(chapter, "figcaption"))
    assert figure["data-title"] == message_time.title
    for width, key in ((WIDE, "data-height"), (NARROW, "data-narrow-height")):
        assert abs(int(str(figure[key])) - frame_height(message_time.described(), caption, width)) <= 30
    assert made.problems() == []


def test_a_frame_is_higher_where_it_is_narrow_and_where_the_caption_is_longer() -> None:
    figure = collective_stepper.described()
    assert frame_height(figure, "Short.", NARROW) > frame_height(figure, "Short.", WIDE)
    assert frame_height(figure, "Long. " * 100, WIDE) > frame_height(figure, "Short.", WIDE)


def test_it_loads_the_font_of_formulas_only_where_its_caption_has_one(made: MadePages) -> None:
    def styles() -> list[str]:
        (page,) = alone(made).values()
        return [str(link["href"]) for link in page.select("link[rel=stylesheet]")]

    assert "../../assets/math.css" in styles()
    made.chapter("# 1 · One\n\nText.\n", [live("No formula.")])
    assert "../../assets/math.css" not in styles()


def test_searches_are_led_to_the_chapter(made: MadePages) -> None:
    (page,) = alone(made, site="https://example.org/book/").values()
    assert one(page, "link[rel=canonical]")["href"] == "https://example.org/book/part/01-one/"
    assert one(page, "meta[name=robots]")["content"] == "noindex"
    assert one(page, "body")["data-pagefind-ignore"] == "all"


def test_it_names_no_address_of_the_book_where_nobody_has_said_one(made: MadePages) -> None:
    (page,) = alone(made).values()
    assert not page.select("link[rel=canonical]")
    hosts = set(re.findall(r"\bhttps?://([^/\"'\s;]+)", str(page)))
    assert hosts == {"creativecommons.org", "example.org", "www.w3.org", "cdn.jsdelivr.net"}  # the licence, the caption


def test_it_has_the_policy_of_the_books_pages_and_no_script_in_it(made: MadePages) -> None:
    (page,) = alone(made).values()
    policy = str(one(page, "meta[http-equiv=Content-Security-Policy]")["content"])
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "require-trusted-types-for 'script'" in policy
    assert [script.text for script in page.select("script")] == ["", ""]
    assert "'unsafe-inline'" in str(alone(made, serving=True)[PLACE]).partition("script-src")[2].partition(";")[0]


def test_two_figures_of_one_name_are_refused_for_they_would_have_one_address(made: MadePages) -> None:
    made.chapter("# 2 · Two\n\n## It\n\nText.\n", [live()], path=OTHER)
    expected = f"{OTHER}:1: two live figures are called message_time: the other is in {CHAPTER}, figure-1"
    assert made.problems() == [expected]
