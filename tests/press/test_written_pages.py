"""The pages that are written from the chapters' corrections and from the hardware catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jupytext

from press.reading.chapter import find_chapters
from press.site.corrections import corrections_page
from press.site.hardware import hardware_page
from snippets import hardware
from snippets.foundations.hierarchy.memory_levels import MEMORY_LEVELS

ROOT = Path(__file__).parents[2]
PATH = "chapters/collectives/13-ring.md"


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def code(source: str, printed: str = "", *tags: str) -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": [printed]}] if printed else []
    return {"cell_type": "code", "source": source, "metadata": {"tags": list(tags)}, "outputs": outputs}


CELLS = [
    text("# Ring\n\n> [!WARNING]\n> **Not a claim.** It stands elsewhere.\n"),
    code("elsewhere = 1", "1\n"),
    text(
        '## Often said, and wrong\n\nAn introduction.\n\n> [!WARNING]\n> **"The 2 is sending plus receiving."** By'
        " $\\eqref{eq:ring}$ [it](12-primitives.md#x) is\n> not ([Thakur](../../docs/references.md#thakur)).\n"
    ),
    code("print(2)", "2\n"),
    text("So it is.\n\n> [!WARNING]\n> **Always best.** No.\n\n## Exercises\n\nMore.\n"),
    code("after = 1", "3\n"),
]


def test_the_corrections_are_those_of_the_section() -> None:
    page = corrections_page([(PATH, "13 · Ring", CELLS), ("chapters/a/b.md", "Nothing", [text("# Nothing")])])
    assert re.findall(r"^##+ (.*)$", page.text, re.MULTILINE) == [
        "13 · Ring",
        '"The 2 is sending plus receiving."',
        "Always best",
    ]
    assert "elsewhere" not in page.text
    assert "after = 1" not in page.text
    assert "An introduction." not in page.text
    assert "```python\nprint(2)\n```\n\n```text\n2\n```" in page.text
    assert page.text.index("So it is.") < page.text.index("Always best")


def test_assertions_stand_only_below_a_claim_that_has_no_other_cell() -> None:
    claim = "> [!WARNING]\n> **{}.** No.\n"
    cells = [
        text("# Ring\n\n## Often said, and wrong\n\n" + claim.format("First")),
        code("assert first", "", "check"),
        code("print(first)", "1\n"),
        code("assert again", "", "check"),
        text(claim.format("Second")),
        code("assert second", "", "check"),
    ]
    page = corrections_page([(PATH, "13 · Ring", cells)]).text
    assert re.findall("assert (\\w+)", page) == ["first", "second"]


def test_links_hold_on_the_new_page() -> None:
    page = corrections_page([(PATH, "13 · Ring", CELLS)]).text
    assert "[it](../chapters/collectives/12-primitives.md#x)" in page
    assert "[Thakur](references.md#thakur)" in page
    assert "[the chapter's equation](../chapters/collectives/13-ring.md#eq:ring)" in page
    assert "[In its chapter](../chapters/collectives/13-ring.md#often-said-and-wrong)" in page


def test_every_claim_of_the_book_is_on_the_page() -> None:
    chapters = []
    count = 0
    for path in find_chapters(ROOT):
        source = path.read_text(encoding="utf-8")
        section = re.search(r"^## Often said, and wrong$(.*?)^## ", source, re.MULTILINE | re.DOTALL)
        assert section, f"{path} corrects nothing"
        count += section[1].count("> [!WARNING]")
        cells = [dict(cell) | {"outputs": []} for cell in jupytext.read(path).cells]
        chapters.append((path.relative_to(ROOT).as_posix(), "Title", cells))
    assert corrections_page(chapters).text.count("\n### ") == count


def test_the_hardware_page_has_every_entry_with_source_and_date() -> None:
    page = hardware_page().text
    rows = [line for line in page.splitlines() if line.startswith("| ") and "](#source-" in line]
    names = [*hardware.ACCELERATORS, *hardware.LINKS, *hardware.NODES, *MEMORY_LEVELS]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == names
    marks = {int(number) for number in re.findall(r"\]\(#source-(\d+)\)", page)}
    sources = re.findall(r'^(\d+)\. <span id="source-(\d+)"></span>(.+) Read (\d{4}-\d\d-\d\d)\.$', page, re.MULTILINE)
    assert {int(number) for number, _, _, _ in sources} == marks
    assert len({number for number, _, _, _ in sources}) == len(sources)


def test_bandwidth_is_shown_one_way_and_both() -> None:
    (row,) = [line for line in hardware_page().text.splitlines() if line.startswith("| NVLink 4 (H100) |")]
    assert " | 450 | 900 | 900 GB/s, both directions added | " in row
