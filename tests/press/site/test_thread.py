"""The page of the 70B: a chapter's box stands where a link asks for it, with its links led from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_page import CHAPTER, HEADER, PAGE, MadePages

from press.reading.chapter import find_chapters, read_chapter
from press.reading.form import BOX, has_box, sections
from press.site.thread import boxes_asked

ROOT = Path(__file__).parents[3]

ASKED = f'[One](../{CHAPTER} "collected: box")'
TOLD = "## For the 70B on 256 GPUs\n\nIt fits ([why](#the-answer)). **Shard it all.**\n\n"


@pytest.fixture
def made(tmp_path: Path) -> MadePages:
    made = MadePages(tmp_path)
    made.chapter(f"# One\n\n## The answer\n\nYes.\n\n{TOLD}## On a real system\n\nNo.\n")
    made.write(PAGE, f"# Home\n\n## Does it fit?\n\n{ASKED}\n\nAfter.\n")
    return made


def test_a_box_stands_below_a_heading_that_leads_to_its_chapter(made: MadePages) -> None:
    page = made.rendered().html
    assert "<strong>Shard it all.</strong>" in page
    assert "No." not in page
    assert page.count("#for-the-70b-on-256-gpus") == 1
    assert page.count("#the-answer") == 1
    assert made.problems() == []


def test_a_box_ends_at_a_heading_and_leaves_its_cells_out(made: MadePages) -> None:
    cell = '```python tags=["check"]\n# the box\n## no heading\nassert 1\n```\n\n'
    made.chapter(f"# One\n\n## The answer\n\nYes.\n\n{TOLD}{cell}It waits.\n\n## On a real system\n\nNo.\n")
    page = made.rendered().html
    assert "It waits." in page
    assert "assert" not in page
    assert "No." not in page


def test_the_page_is_made_again_when_a_box_changes(made: MadePages) -> None:
    before = made.rendered().html
    made.chapter(f"# One\n\n## The answer\n\nYes.\n\n{TOLD.replace('Shard', 'Cut')}## On a real system\n\nNo.\n")
    assert "Cut it all." not in before
    assert "Cut it all." in made.rendered().html


def test_a_chapter_without_a_box_is_named(made: MadePages) -> None:
    made.write(CHAPTER, f"{HEADER}# One\n\nText.\n")
    made.chapter("# One\n\nText.\n")
    assert "has no section ## For the 70B on 256 GPUs" in made.problems()[0]


def test_the_books_own_page_has_every_chapters_box_once() -> None:
    path = "docs/the-70b.md"
    asked = boxes_asked((ROOT / path).read_text(encoding="utf-8"), path)
    chapters = [read_chapter(chapter, root=ROOT) for chapter in find_chapters(ROOT)]
    told = [one.name for one in chapters if any(section.heading == BOX for section in sections(one))]
    assert sorted(asked) == sorted(told)
    assert told == [one.name for one in chapters if has_box(one.name)]
