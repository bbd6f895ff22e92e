"""A chapter is read with the place of each cell."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import jupytext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_book import CHAPTER

from press.reading.chapter import BrokenChapter, Chapter, find_chapters, find_part_pages, front_matter, read_chapter

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
        if cell.kind != "raw":  # of the header, Jupytext keeps a part
            assert lines[cell.line - 1 : cell.line - 1 + len(cell.source.splitlines())] == cell.source.splitlines()
    code = [cell for cell in chapter.cells if cell.kind == "code"]
    assert len(code) == 4
    assert [lines[cell.line - 2].startswith("```python") for cell in code] == [True] * 4
    assert code[1].metadata["tags"] == ["hide-input"]
    assert chapter.header["title"] == "One · Sums"
    assert chapter.name == "chapters/part/01-one.md"
    assert chapter.executed_notebook == path.with_suffix(".ipynb")


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


def test_chapters_are_the_files_that_are_no_parts_page(tmp_path: Path) -> None:
    folder = tmp_path / "chapters/part"
    folder.mkdir(parents=True)
    (folder / "01.md").write_text(CHAPTER)
    (folder / "02.md").write_text("no header")
    (folder / "index.md").write_text("---\ntitle: Part\n---\n\njupyter: is named in the text alone\n")
    (folder / "01.ipynb").write_text("{}")
    assert find_chapters(tmp_path) == [folder / "01.md", folder / "02.md"]
    assert find_part_pages(tmp_path) == [folder / "index.md"]


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


def chapter_of(folder: Path, text: str) -> Chapter:
    path = folder / "a.md"
    path.write_text(text, encoding="utf-8")
    return read_chapter(path, root=folder)


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("```python\nx = 1\n```\n\n```bash\nls FIND\n```\n", -1),  # jupytext makes %%bash of the fence
        ("```python\n\n\nFIND = 1\n\n```\n", -2),
        ('````python\n"""FIND\n```\n"""\n````\n', 0),
        ('<!-- #region tags=["x"] -->\nFIND\n\n```python\nno = "cell"\n```\n<!-- #endregion -->\n', 0),
        ("<!-- #raw -->\nFIND\n<!-- #endraw -->\n", 0),
        ("```python\n```\n\n```python timeout=3\nFIND\n```\n", 0),
        ("```text\nx = 1\n```\n\n```python\nx = 1 # FIND\n```\n", 0),
        ("one\n\n\nFIND\n", 0),
        ("```python\nx = 1\n```\nFIND\n", 0),
    ],
)
def test_places_of_unusual_cells(tmp_path: Path, written: str, first: int) -> None:
    text = HEADER + "\n" + written
    cells = [cell for cell in chapter_of(tmp_path, text).cells if "FIND" in cell.source]
    line = text[: text.index("FIND")].count("\n") + 1
    assert [cell.line for cell in cells] == [line + first]


code = st.lists(st.sampled_from(["x = 1", "", "  y", "# z", "%time f()"]), max_size=4).map(
    lambda lines: "\n".join(["```python", *lines, "```"])
)
prose = st.lists(st.sampled_from(["a", "", "", "## b", "- c", "```text\nx = 1\n```", "  d  "]), min_size=1, max_size=5)
wild = st.sampled_from(
    ["```", "```python", "<!-- #region -->", "<!-- #endregion -->", "<!-- #raw -->", "%%bash", "\f", ""]
)


def assert_places_hold_sources(chapter: Chapter) -> None:
    written, end = chapter.text.split("\n"), 0
    for cell in chapter.cells[1:]:
        source = cell.source.split("\n") if cell.source else []
        assert written[cell.line - 1 : cell.line - 1 + len(source)] == source
        assert cell.line > end, "two cells stand in the same place"
        end = cell.line - 1 + len(source)


@settings(deadline=None)
@given(blocks=st.lists(code | prose.map("\n".join), max_size=8))
def test_every_place_holds_the_cells_source(tmp_path_factory: pytest.TempPathFactory, blocks: list[str]) -> None:
    text = HEADER + "\n" + "\n\n".join(blocks) + "\n"
    assert_places_hold_sources(chapter_of(tmp_path_factory.mktemp("a"), text))


@settings(deadline=None)
@given(blocks=st.lists(code | prose.map("\n".join) | wild, max_size=8))
def test_a_wild_text_is_placed_rightly_or_refused(tmp_path_factory: pytest.TempPathFactory, blocks: list[str]) -> None:
    chapter = chapter_of(tmp_path_factory.mktemp("a"), HEADER + "\n" + "\n".join(blocks) + "\n")
    with suppress(BrokenChapter):
        assert_places_hold_sources(chapter)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (CHAPTER.replace("level: Beginner", "level: [Beginner"), 5, "the header is not YAML"),
        ("---\n- a\n---\n", 1, "must be a list of keys"),
        (CHAPTER.replace("print(total", "x = '\u2028'\nprint(total"), 28, "in another way"),
        (CHAPTER.replace("minutes: 5", "inputs: {a: b}"), 5, "inputs must be a list of paths"),
        (CHAPTER.replace("minutes: 5", "inputs: [/etc/passwd]"), 5, "below the book's root"),
        (CHAPTER.replace("minutes: 5", "inputs: ../x"), 5, "below the book's root"),
    ],
)
def test_a_broken_chapter_says_where(tmp_path: Path, text: str, line: int, message: str) -> None:
    chapter = chapter_of(tmp_path, text)
    with pytest.raises(BrokenChapter) as caught:
        _ = chapter.inputs, chapter.cells
    assert (caught.value.problem.path, caught.value.problem.line) == ("a.md", line)
    assert message in caught.value.problem.message


@pytest.mark.parametrize("dropped", [2, -1])
def test_a_cell_that_jupytext_drops_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dropped: int) -> None:
    chapter = chapter_of(tmp_path, CHAPTER)
    notebook = jupytext.reads(CHAPTER, fmt="md")
    del notebook.cells[dropped]
    monkeypatch.setattr("jupytext.reads", lambda text, fmt: notebook)
    with pytest.raises(BrokenChapter, match="in another way"):
        _ = chapter.cells


def test_a_file_that_is_no_text_is_broken(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"---\xff")
    with pytest.raises(BrokenChapter, match="not UTF-8"):
        assert read_chapter(tmp_path / "a.md", root=tmp_path).text


def test_inputs_may_be_one_or_many(tmp_path: Path) -> None:
    for name in ("a/1.csv", "b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert chapter_of(tmp_path, CHAPTER).inputs == ()
    assert chapter_of(tmp_path, CHAPTER.replace("minutes: 5", "inputs: a/*.csv")).inputs == ("a/*.csv",)
    assert chapter_of(tmp_path, CHAPTER.replace("minutes: 5", "inputs: [a/1.csv, b]")).inputs == ("a/1.csv", "b")


def test_copies_of_jupyter_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "chapters/part"
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / ".ipynb_checkpoints/01-checkpoint.md").write_text(CHAPTER)
    (folder / "01.md").write_text("---\njupyter:\n  jupytext: {formats: 'ipynb,md'}\n---\n")
    (folder / "02.md").write_text("---\ntitle: [never closed\njupytext: {}\n---\n")
    assert find_chapters(tmp_path) == [folder / "01.md", folder / "02.md"]
