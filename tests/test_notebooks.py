"""The twins as a reader meets them: paired by Jupytext, runnable from top to bottom in a clean kernel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from press.chapter import find_chapters, read_chapter
from press.execute import make_twins
from press.notebook import SETUP

ROOT = Path(__file__).parents[1]
CHAPTERS = [path.relative_to(ROOT).as_posix() for path in find_chapters(ROOT)]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the book with its twins made, so that the reader's own are left alone."""
    folder = tmp_path_factory.mktemp("book")
    for name in ("chapters", "snippets", "exercises"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.ipynb", "__pycache__", "answers.py")
        )
    shutil.copy(ROOT / "requirements.txt", folder)
    assert make_twins(find_chapters(folder), root=folder) == []
    return folder


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_twin_runs_from_top_to_bottom_in_a_clean_kernel(book: Path, name: str) -> None:
    notebook = nbformat.read((book / name).with_suffix(".ipynb"), as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(book / name.rpartition("/")[0])}}
    ).execute()


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_pair_is_in_step_and_an_edit_of_the_notebook_reaches_the_chapter(book: Path, name: str) -> None:
    path = book / name
    text = path.read_text()
    sync = [sys.executable, "-m", "jupytext", "--sync", str(path)]
    done = subprocess.run(sync, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert path.read_text() == text
    twin = path.with_suffix(".ipynb")
    notebook = nbformat.read(twin, as_version=4)
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert any(outputs)
    notebook.cells[-1].source += "\n\nA reader's remark."
    nbformat.write(notebook, twin)
    subprocess.run([*sync[:-1], str(twin)], capture_output=True, check=True)
    assert path.read_text() == text.rstrip("\n") + "\n\nA reader's remark.\n"
    path.write_text(text)


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_first_cell_says_what_is_missing_elsewhere(name: str) -> None:
    first = next(cell for cell in read_chapter(ROOT / name, root=ROOT).cells if cell.kind == "code")
    assert first.source == SETUP
    assert first.metadata["tags"] == ["setup"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_header_says_what_previews_and_badges_need(name: str) -> None:
    header = read_chapter(ROOT / name, root=ROOT).header
    assert header["title"]
    assert 40 <= len(header["description"]) <= 160
    assert header["level"] in ("Beginner", "Intermediate", "Advanced")
    assert f"**Level:** {header['level']} · **Time:** {header['minutes']} minutes" in (ROOT / name).read_text()
