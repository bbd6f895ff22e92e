"""The set-up cell: without the book's package it says what to do, or installs what the page was built from."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from made_page import CHAPTER, MadePages

from press.site.addresses import PACKAGE, Addresses, addresses
from press.site.notebook import SETUP, published

OURS = addresses({"BOOK_REPOSITORY": "https://github.com/OWNER/NAME", "BOOK_REVISION": "v1.2"})

PAGE, MODULE = "chapters/a/01-b.md", "exercises/a/b/twice.py"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


@pytest.fixture
def executed() -> bytes:
    """Return a notebook as the press writes it: a set-up cell between others."""
    cells = [
        nbformat.v4.new_markdown_cell("# α, see [a](../b.md)"),
        nbformat.v4.new_code_cell(SETUP, metadata={"tags": ["setup"]}),
        nbformat.v4.new_code_cell("1 + 1"),
    ]
    metadata = {"kernelspec": KERNEL, "jupytext": {"formats": "ipynb,md"}, "press": {"digest": "d"}}
    return (nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata=metadata)) + "\n").encode()


def sources(notebook: bytes) -> list[str]:
    """Return the cells' sources as Jupyter reads them; the notebook has to be valid."""
    read = nbformat.reads(notebook.decode(), as_version=4)
    nbformat.validate(read)
    return [cell.source for cell in read.cells]


def elsewhere(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a cell where there is nothing but Python."""
    command = [sys.executable, "-I", "-S", "-c", source]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("where", [Addresses(), Addresses(site="https://example.org/")])
def test_without_a_repository_all_cells_stay_as_they_are(executed: bytes, where: Addresses) -> None:
    copy = published(executed, PAGE, where, str.upper, {})
    assert sources(copy) == sources(executed)
    assert json.loads(copy)["metadata"] == {"kernelspec": KERNEL}  # it is no pair of the chapter's


def test_an_exercise_is_a_cell_to_write_in_and_a_cell_that_grades_it(executed: bytes) -> None:
    notebook = nbformat.reads(executed.decode(), as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell(f'Ask.\n\n[here](../../{MODULE} "exercise: twice")\n\nHint.'))
    record = {"name": "twice", "stub": "def twice(x):\n    raise NotImplementedError\n"}
    copy = published(nbformat.writes(notebook).encode(), PAGE, Addresses(), str, {MODULE: record})
    assert sources(copy)[3:] == [
        "Ask.",
        "def twice(x):\n    raise NotImplementedError",
        "from grader.notebook import check\n\ncheck('twice', twice)",
        "Hint.",
    ]


def test_a_solution_stays_in_its_fold(executed: bytes) -> None:
    notebook = nbformat.reads(executed.decode(), as_version=4)
    fold = '<details markdown="1"><summary>Solution</summary>\n\n{}\n\nBecause.\n\n</details>'
    notebook.cells.append(nbformat.v4.new_markdown_cell(fold.format(f'[here](../../{MODULE} "solution: twice")')))
    record = {"name": "twice", "stub": "", "solution": "def twice(x):\n    return 2 * x\n"}
    copy = published(nbformat.writes(notebook).encode(), PAGE, Addresses(), str, {MODULE: record})
    assert sources(copy)[3:] == [fold.format("```python\ndef twice(x):\n    return 2 * x\n```")]


def test_it_begins_with_the_title_and_not_with_the_header_of_the_file(executed: bytes) -> None:
    notebook = nbformat.reads(executed.decode(), as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_raw_cell('---\ntitle: "α"\n---'))
    assert sources(published(nbformat.writes(notebook).encode(), PAGE, Addresses(), str, {})) == sources(executed)


def test_without_the_package_the_cell_says_what_to_do(tmp_path: Path) -> None:
    done = elsewhere(SETUP, tmp_path)
    assert done.returncode == 1
    assert done.stderr.rstrip("\n").rpartition("\n")[2] == (
        "ModuleNotFoundError: The book's package is missing: open this notebook in the book's folder, "
        "in an environment made by `pip install -r requirements.txt`."
    )
    assert "://" not in SETUP


def test_with_the_package_the_cell_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "snippets.py").touch()
    done = elsewhere(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SETUP}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_only_the_set_up_cell_and_prose_change(executed: bytes) -> None:
    first, setup, last = sources(published(executed, PAGE, OURS, str.upper, {}))
    assert (first, last) == ("# Α, SEE [A](../B.MD)", "1 + 1")
    installs = f'    %pip install --quiet --src . --editable "{OURS.requirement}"\n'
    assert setup.endswith(f'{installs}    sys.path.insert(0, os.path.abspath("{PACKAGE}"))')
    assert json.loads(published(executed, PAGE, OURS, str.upper, {}))["metadata"] == {"kernelspec": KERNEL}


def test_with_a_repository_the_cell_installs_what_the_page_was_built_from(executed: bytes, tmp_path: Path) -> None:
    cell = TransformerManager().transform_cell(sources(published(executed, PAGE, OURS, str.upper, {}))[1])
    ast.parse(cell)
    shell = (
        "class Shell:\n    def run_line_magic(self, *words):\n        print(*words, sep=': ')\nget_ipython = Shell\n"
    )
    done = elsewhere(shell + cell, tmp_path)
    assert done.stderr == ""
    assert done.stdout == f'pip: install --quiet --src . --editable "{OURS.requirement}"\n'


@pytest.mark.parametrize("there", [["snippets"], ["snippets", "grader"]])
def test_where_the_package_is_alone_the_cell_fetches_the_rest(
    executed: bytes, tmp_path: Path, there: list[str]
) -> None:
    """A notebook's cells ask for graders, exercises and recorded labs, which ``pip install`` of the package has not."""
    cell = TransformerManager().transform_cell(sources(published(executed, PAGE, OURS, str.upper, {}))[1])
    for name in there:
        (tmp_path / f"{name}.py").touch()
    before = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "class Shell:\n    def run_line_magic(self, *words):\n        print('pip')\nget_ipython = Shell\n"
    )
    done = elsewhere(f"{before}{cell}\nprint(sys.path[0])", tmp_path)
    fetched = f"pip\n{tmp_path / PACKAGE}\n"
    assert (done.stdout, done.stderr) == (f"{tmp_path}\n" if "grader" in there else fetched, "")


def test_it_is_kept_until_the_executed_notebook_changes(made_pages: MadePages, monkeypatch: pytest.MonkeyPatch) -> None:
    made_pages.chapter("One.\n")
    first = made_pages.book().published_notebook(CHAPTER, Addresses())
    with monkeypatch.context() as patched:
        patched.setattr("press.book.published", lambda *_: pytest.fail("made again"))
        again = made_pages.book()
        assert again.published_notebook(CHAPTER, Addresses()) == first
        again.sweep()
        assert made_pages.book().published_notebook(CHAPTER, Addresses()) == first, "what was used is not swept away"
    made_pages.chapter("Two.\n")
    assert b"Two." in made_pages.book().published_notebook(CHAPTER, Addresses())


def test_where_links_are_led_out_none_is_kept(made_pages: MadePages) -> None:
    """Which of them leads to a file, the notebook does not say."""
    made_pages.chapter("[here](../../docs/later.py)\n")
    before = made_pages.book().published_notebook(CHAPTER, OURS)
    made_pages.write("docs/later.py", "")
    assert made_pages.book().published_notebook(CHAPTER, OURS) != before
