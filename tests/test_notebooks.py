"""The executed notebooks as a reader meets them: paired by Jupytext, runnable from top to bottom in a clean kernel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient
from sampling import CHAPTERS, ROOT, chapter_changed, sampled

from press.reading.chapter import read_chapter
from press.running.execute import execute_chapters
from press.site.notebook import SETUP

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


@pytest.mark.book
@pytest.mark.parametrize("path", sampled(CHAPTERS, 2, changed=chapter_changed, most=1), ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom_in_a_clean_kernel(path: Path) -> None:
    """As a reader opens it: in its own folder, in a new interpreter, with none of the press's settings."""
    notebook = read_chapter(path, root=ROOT).notebook
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()


@pytest.fixture
def paired(tmp_path: Path) -> Path:
    """A copy of today's chapter with its notebook made, so that the reader's own are left alone."""
    for name in ("chapters", "snippets", "exercises", "labs"):
        ignored = shutil.ignore_patterns("*.ipynb", "__pycache__", "answers.py")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    chapter = tmp_path / sampled(CHAPTERS, 1)[0].relative_to(ROOT)
    assert execute_chapters([chapter], root=tmp_path) == []
    return chapter


@pytest.mark.book
def test_the_pair_is_in_step_and_an_edit_of_the_notebook_reaches_the_chapter(paired: Path) -> None:
    text = paired.read_text(encoding="utf-8")
    sync = [sys.executable, "-m", "jupytext", "--sync"]
    done = subprocess.run([*sync, str(paired)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert paired.read_text(encoding="utf-8") == text
    executed = paired.with_suffix(".ipynb")
    notebook = nbformat.read(executed, as_version=4)
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert any(outputs)
    notebook.cells[-1].source += "\n\nA reader's remark."
    nbformat.write(notebook, executed)
    subprocess.run([*sync, str(executed)], capture_output=True, check=True)
    assert paired.read_text(encoding="utf-8") == text.rstrip("\n") + "\n\nA reader's remark.\n"


@each_chapter
def test_what_jupyter_adds_when_it_saves_does_not_reach_the_chapter(path: Path) -> None:
    """Its kernel has another name in every environment."""
    notebook = read_chapter(path, root=ROOT).notebook
    assert jupytext.writes(notebook, fmt="md") == path.read_text(encoding="utf-8"), "before a kernel is chosen"
    notebook.metadata["kernelspec"] = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "mine"}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    assert jupytext.writes(notebook, fmt="md") == path.read_text(encoding="utf-8")


@each_chapter
def test_the_first_cell_says_what_is_missing_elsewhere(path: Path) -> None:
    first = next(cell for cell in read_chapter(path, root=ROOT).cells if cell.kind == "code")
    assert first.source == SETUP
    assert first.metadata["tags"] == ["setup"]


@each_chapter
def test_the_header_says_what_previews_and_badges_need(path: Path) -> None:
    header = read_chapter(path, root=ROOT).header
    assert header["title"]
    assert 40 <= len(header["description"]) <= 160
    assert header["level"] in ("Beginner", "Intermediate", "Advanced")
    assert f"**Level:** {header['level']} · **Time:** {header['minutes']} min" in path.read_text(encoding="utf-8")
