"""A chapter's live figure on a page that is no chapter: what stands in the link's place, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from made_page import CHAPTER, PAGE, MadePages

from snippets.foundations.alpha_beta.live import message_time

LINK = f'[Try it](../{CHAPTER} "live: message_time")'


def live() -> dict[str, Any]:
    book = {"role": "live", "figure": message_time.described(), "caption": message_time.caption}
    return {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {"book": book}}


@pytest.fixture
def made(tmp_path: Path) -> MadePages:
    made = MadePages(tmp_path)
    made.chapter("# One\n\nText.\n", [live()])
    made.write(PAGE, f"# Home\n\nBefore.\n\n{LINK}\n\nAfter.\n")
    return made


def test_the_figure_stands_where_the_link_does(made: MadePages) -> None:
    page = made.rendered()
    figure = BeautifulSoup(page.html, "html.parser").find("figure", class_="live")
    assert figure is not None
    assert figure["data-name"] == "message_time"
    before, after = figure.find_previous_sibling("p"), figure.find_next_sibling("p")
    assert before is not None
    assert after is not None
    assert (before.text, after.text) == ("Before.", "After.")
    assert figure.figcaption is not None
    assert figure.figcaption.text == "Figure 1, live. Try it"  # what the page says of it
    assert {"message_time-near.json", "message_time-code.html"} <= page.files.keys()
    assert made.problems() == []


def test_the_page_is_made_again_when_the_figure_changes(made: MadePages) -> None:
    first = made.rendered().html
    changed = live()
    changed["metadata"]["book"]["figure"]["title"] = "Another title"
    made.chapter("# One\n\nText.\n", [changed])
    assert "Another title" not in first
    assert "Another title" in made.rendered().html


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (LINK.replace("message_time", "message"), f"../{CHAPTER} shows no live figure 'message'"),
        (LINK.replace("01-one", "02-two"), "shows no live figure 'message_time'"),
    ],
)
def test_a_figure_that_the_chapter_does_not_show_is_refused(made: MadePages, link: str, message: str) -> None:
    found = made.problems_of(f"# Home\n\n{link}\n")
    assert any(problem.startswith(f"{PAGE}:3: ") and message in problem for problem in found), found
