"""A chapter is read with the place of each cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CHAPTER

from press.chapter import find_chapters, front_matter, read_chapter

HEADER = CHAPTER[: CHAPTER.index("# One")]


def test_each_cell_knows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "chapters/part/01-one.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        CHAPTER + '\n```python tags=["x"]\nprint(total([1, 2, 3]))\n```\n\n<details>\n\n```python\n# last\n```\n'
    )
    chapter = read_chapter(path, root=tmp_path)
    lines = path.read_text().splitlines()
    for cell in chapter.cells:
        assert lines[cell.line - 1 : cell.line - 1 + len(cell.source.splitlines())] == cell.source.splitlines()
    code = [cell for cell in chapter.cells if cell.kind == "code"]
    assert len(code) == 4
    assert [lines[cell.line - 2].startswith("```python") for cell in code] == [True] * 4
    assert code[1].metadata["tags"] == ["hide-input"]
    assert chapter.header["title"] == "One · Sums"
    assert chapter.name == "chapters/part/01-one.md"
    assert chapter.twin == path.with_suffix(".ipynb")


def test_equal_cells_have_different_places(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(HEADER + "\nprint(1)\n\n```python\nprint(1)\n```\n\n```python\nprint(1)\n```\n")
    lines = [cell.line for cell in read_chapter(path, root=tmp_path).cells if cell.kind == "code"]
    first = HEADER.count("\n") + 5
    assert lines == [first, first + 4]


def test_ids_of_cells_are_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(CHAPTER)
    ids = [cell["id"] for cell in read_chapter(path, root=tmp_path).notebook.cells]
    assert ids == [f"cell-{number}" for number in range(len(ids))]


def test_chapters_are_the_files_whose_header_names_jupytext(tmp_path: Path) -> None:
    folder = tmp_path / "chapters/part"
    folder.mkdir(parents=True)
    (folder / "01.md").write_text(CHAPTER)
    (folder / "index.md").write_text("---\ntitle: Part\n---\n\njupytext is named in the text alone\n")
    (folder / "01.ipynb").write_text("{}")
    assert find_chapters(tmp_path) == [folder / "01.md"]


@pytest.mark.parametrize(
    ("text", "header", "body"),
    [
        ("plain", {}, "plain"),
        ("---\na: 1\n---\nb", {"a": 1}, "b"),
        ("---\n\n---\nb", {}, "b"),
        ("--- no header\n---\n", {}, "--- no header\n---\n"),
        ("---\nnever closed", {}, "---\nnever closed"),
    ],
)
def test_front_matter(text: str, header: dict[str, int], body: str) -> None:
    assert front_matter(text) == (header, body)
