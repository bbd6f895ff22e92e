"""The page of the 70B: a chapter's box stands where a link asks for it, with its links led from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_page import CHAPTER, HEADER, PAGE, MadePages

ASKED = f'[One](../{CHAPTER} "collected: box")'
BOX = "## For the 70B on 256 GPUs\n\nIt fits ([why](#the-answer)). **Shard it all.**\n\n"


@pytest.fixture
def made(tmp_path: Path) -> MadePages:
    made = MadePages(tmp_path)
    made.chapter(f"# One\n\n## The answer\n\nYes.\n\n{BOX}## On a real system\n\nNo.\n")
    made.write(PAGE, f"# Home\n\n## Does it fit?\n\n{ASKED}\n\nAfter.\n")
    return made


def test_a_box_stands_below_a_heading_that_leads_to_its_chapter(made: MadePages) -> None:
    page = made.rendered().html
    assert "<strong>Shard it all.</strong>" in page
    assert "No." not in page
    assert page.count("#for-the-70b-on-256-gpus") == 1
    assert page.count("#the-answer") == 1
    assert made.problems() == []


def test_the_page_is_made_again_when_a_box_changes(made: MadePages) -> None:
    before = made.rendered().html
    made.chapter(f"# One\n\n## The answer\n\nYes.\n\n{BOX.replace('Shard', 'Cut')}## On a real system\n\nNo.\n")
    assert "Cut it all." not in before
    assert "Cut it all." in made.rendered().html


def test_a_chapter_without_a_box_is_named(made: MadePages) -> None:
    made.write(CHAPTER, f"{HEADER}# One\n\nText.\n")
    made.chapter("# One\n\nText.\n")
    assert "has no section ## For the 70B on 256 GPUs" in made.problems()[0]
