"""What the documents say about setting the book up, and who may import the labs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_teachers_image_has_the_files_that_installing_the_book_asks_for() -> None:
    page = (ROOT / "docs/for-teachers.md").read_text(encoding="utf-8")
    copied = re.search(r"^COPY (.*) \./$", page, re.MULTILINE)
    assert copied
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {"pyproject.toml", "requirements.txt", project["readme"], *project["license-files"]}
    assert set(copied[1].split()) == needed
    assert all((ROOT / name).is_file() for name in needed)


def test_what_builds_the_package_is_pinned() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert all("==" in requirement for requirement in build["requires"])


def test_nothing_but_labs_and_tests_imports_labs() -> None:
    """But for the recorded runs, which need no engine."""
    rooms = ("snippets", "grader", "press", "exercises", "benchmarks")
    texts = {path: path.read_text(encoding="utf-8") for room in rooms for path in (ROOT / room).rglob("*.py")}
    for path, text in texts.items():
        assert not re.search(r"^\s*(from|import) labs\b(?!\.records import)", text, re.MULTILINE), path.relative_to(
            ROOT
        )
