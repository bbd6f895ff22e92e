"""Cells that would not do what they say are refused: fences that are no cells, unknown tags and attributes."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_book import CHAPTER

from press.reading.chapter import find_chapters, read_chapter
from press.running.cells import cell_findings

ROOT = Path(__file__).parents[3]
HEADER = CHAPTER[: CHAPTER.index("# One")]


def findings(folder: Path, text: str) -> list[tuple[int, str]]:
    """Return what is found in a chapter: the line in the text below its header, and the sentence."""
    path = folder / "a.md"
    path.write_text(HEADER + text, encoding="utf-8")
    chapter = read_chapter(path, root=folder)
    above = HEADER.count("\n")
    return [
        (chapter.cells[index].line + line - above, message)
        for index, line, message in cell_findings(chapter.notebook.cells)
    ]


@pytest.mark.parametrize(
    "fence",
    [
        "```Python",
        "```py",
        "```ipython3",
        "```{code-cell}",
        "```{code-cell} ipython3",
        "```{python}",
        "```{.python}",
        "```python,",
        "~~~python",
        "~~~ python",
        " ```python",
        "    ```python",
        "- ```python",
        "1. ```python",
        "> ```python",
        "> - ~~~~ Python",
    ],
)
def test_a_fence_that_looks_like_a_cell_and_is_none(tmp_path: Path, fence: str) -> None:
    close = "~~~~" if "~" in fence else "```"
    ((line, message),) = findings(tmp_path, f"text\n\n{fence}\nx = 1\n{close}\n\nend\n")
    assert line == 3
    assert "would not be executed" in message
    assert fence.strip() in message


@pytest.mark.parametrize(
    "shown",
    [
        "```text\nx = 1\n```",
        "```python .noeval\nx = 1\n```",
        "```\nx = 1\n```",
        "~~~\nx = 1\n~~~",
        "```json\n{}\n```",
        "- ```text\n  x\n  ```",
        "Write `x` and ```python``` here.",
        "```text\n~~~python\n```",
        "> ```pythonic\n> x\n> ```",
    ],
)
def test_code_may_be_shown(tmp_path: Path, shown: str) -> None:
    assert findings(tmp_path, f"{shown}\n\n```python\ny = 1\n```\n") == []


def test_a_fence_that_is_not_closed_does_not_swallow_a_cell(tmp_path: Path) -> None:
    ((line, message),) = findings(tmp_path, "```text\nnever closed\n\n```python\nx = 1\n```\n\nend\n")
    assert line == 4
    assert "begins inside of a fence that is still open" in message


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('tags=["hide-inputs"]', "no tag 'hide-inputs'; did you mean hide-input"),
        ('tags=["hide-input", "removecell"]', "no tag 'removecell'; did you mean remove-cell"),
        ('tags=["x"]', "no tag 'x'; there are check, hide-input, raises-exception"),
        ('tags=["check"]', "begins with a comment that says what is checked"),
        ('tag=["hide-input"]', "no attribute 'tag'; did you mean tags"),
        ("timeouts=3", "no attribute 'timeouts'; did you mean timeout"),
        ('active="ipynb"', "no attribute 'active'"),
        ("title", "no attribute 'title'"),
        ('tags=["', 'cannot be read: tags=["'),
        ('tags=["hide-input]', "cannot be read"),
        ("timeout=nan", "cannot be read: timeout=nan"),
        ("timeout=0", "timeout must be a positive number of seconds, got 0"),
        ("timeout=-1", "timeout must be a positive number of seconds, got -1"),
        ('timeout="60"', "timeout must be a positive number of seconds, got '60'"),
        ("timeout=[1]", "timeout must be a positive number of seconds, got [1]"),
        ("timeout=true", "timeout must be a positive number of seconds, got True"),
        ("timeout=1e999", "timeout must be a positive number of seconds, got inf"),
        ("timeout", "timeout must be a positive number of seconds, got None"),
    ],
)
def test_what_a_cell_does_not_have(tmp_path: Path, attributes: str, message: str) -> None:
    ((line, found),) = findings(tmp_path, f"text\n\n```python {attributes}\nx = 1\n```\n")
    assert line == 3
    assert message in found


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("assert x == 1", "begins with a comment that says what is checked"),
        ("#\nassert x == 1", "begins with a comment that says what is checked"),
        ("# the sum\nprint(x)", "a cell of checks asserts something"),
        ("# the sum\n# assert x", "a cell of checks asserts something"),
    ],
)
def test_a_cell_of_checks_says_what_it_checks_and_checks_it(tmp_path: Path, code: str, message: str) -> None:
    ((line, found),) = findings(tmp_path, f'```python tags=["check"]\n{code}\n```\n')
    assert line == 1
    assert message in found


def test_a_check_may_stand_in_a_loop(tmp_path: Path) -> None:
    code = "# the sums\nfor x in (1, 2):\n    assert x\nprint(x)"
    assert findings(tmp_path, f'```python tags=["check"]\n{code}\n```\n') == []


def test_a_language_in_capitals_is_none(tmp_path: Path) -> None:
    ((_, message),) = findings(tmp_path, "```PYTHON\nx = 1\n```\n")
    assert "small letters" in message


@pytest.mark.parametrize("attributes", ['tags=["hide-input", "raises-exception"] timeout=120', "timeout=0.5", ""])
def test_what_a_cell_may_have(tmp_path: Path, attributes: str) -> None:
    assert findings(tmp_path, f"```python {attributes}\nx = 1\n```\n") == []


def test_the_books_own_cells_are_accepted() -> None:
    for path in find_chapters(ROOT):
        assert list(cell_findings(read_chapter(path, root=ROOT).notebook.cells)) == []


@pytest.mark.parametrize("line", ["- " * 50_000, "```" + " " * 100_000 + "`", "`" * 100_000 + " `", "> " * 50_000])
def test_a_long_line_takes_no_time_with_its_square(line: str) -> None:
    assert list(cell_findings([{"cell_type": "markdown", "source": line, "metadata": {}}])) == []


@pytest.mark.parametrize("language", ["bash", "python3", "python2", "sh", "R", "javascript", "perl", "html", "sql"])
def test_a_fence_of_another_language_is_no_cell(tmp_path: Path, language: str) -> None:
    found = findings(tmp_path, f"text\n\n```{language}\necho 46662\n```\n\n```python\nx = 1\n```\n")
    assert [line for line, message in found] in ([3], [])
    notebook = read_chapter(tmp_path / "a.md", root=tmp_path).notebook
    runs = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert bool(found) == (len(runs) > 1)  # what Jupytext leaves in the text is only shown
    if found:
        assert "is no Python, and what it prints would count as computed by the book" in found[0][1]


def test_fences_of_a_shell_and_of_another_python_would_be_run(tmp_path: Path) -> None:
    for language in ("bash", "python3"):
        ((line, message),) = findings(tmp_path, f"```{language}\nprint(46662)\n```\n")
        assert (line, message.split(" is no ")[0]) == (1, f"%%{language}")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("%%bash\necho 46662", 2),
        ("%%python3\nprint(46662)", 2),
        ("%%script perl\nprint 46662", 2),
        ("!echo 46662", 2),
        ("import os\n\n!!echo 46662", 4),
        ("if True:\n    !echo 46662", 3),
        ("x = !echo 46662\nprint(x)", 2),
        ("x, y[0] = %sx echo 46662", 2),
        ("%system echo 46662", 2),
        ("%run other.py", 2),
        ("?print", 2),
        ("print?", 2),
        ("'''\n%%bash\n'''\n!echo 1", 3),
    ],
)
def test_a_cell_is_python_alone(tmp_path: Path, source: str, line: int) -> None:
    ((found, message),) = findings(tmp_path, f"```python\n{source}\n```\n")
    assert found == line
    assert "is no Python" in message


@pytest.mark.parametrize(
    "fence",
    [
        "```python\nx = 7 %3\ny = x != 3\n'''\n%%bash\n!echo\n'''\n```",
        "```python\nawait later()\n```",
        '```python tags=["skip-execution"]\n!pip install numpy\n```',
        '```python tags=["raises-exception"]\nx = = 3\n```',
        "```text\n!echo 1\n```",
    ],
)
def test_python_and_what_is_not_run_stay(tmp_path: Path, fence: str) -> None:
    assert findings(tmp_path, f"{fence}\n") == []
