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


def test_the_readme_leads_to_the_notebook_with_stubs_and_not_to_the_author_s() -> None:
    actions = (ROOT / "press/theme/partials/actions.html").read_text(encoding="utf-8")
    label = re.search(r"page\.meta\.notebook \}\}\" download>([^<]+)</a>", actions)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert label
    assert f"| work through a chapter as a notebook | press *{label[1]}* on its page" in readme
    [authors] = [text for text in readme.split("\n\n") if "`jupyter lab chapters`" in text]
    assert "To solve exercises, take the notebook that the page offers." in authors.replace("\n", " ")


def test_what_builds_the_package_is_pinned() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert all("==" in requirement for requirement in build["requires"])


def pins(name: str) -> dict[str, list[str]]:
    """Return what a file of requirements pins, each with the hashes that it gives."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("    --hash=sha256:"):
            found[list(found)[-1]].append(line.removesuffix(" \\"))
        elif line and not line.startswith(("#", "-e ")):
            found[line.removesuffix(" \\")] = []
    return found


def test_ci_installs_what_the_readme_does_each_file_held_to_its_hash() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    hashed = pins("requirements-hashed.txt")
    assert hashed.keys() == pins("requirements.txt").keys()
    assert {*build["requires"]} <= hashed.keys()
    for name, hashes in (
        hashed | pins("requirements-print.txt") | pins("benchmarks/requirements-mutation.txt")
    ).items():
        assert hashes, name
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", each) for each in hashes), name
    assert "--require-hashes -r requirements-hashed.txt" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_nothing_but_labs_and_tests_imports_labs() -> None:
    """But for the recorded runs, which need no engine."""
    rooms = ("snippets", "grader", "press", "exercises", "benchmarks")
    texts = {path: path.read_text(encoding="utf-8") for room in rooms for path in (ROOT / room).rglob("*.py")}
    for path, text in texts.items():
        assert not re.search(r"^\s*(from|import) labs\b(?!\.records import)", text, re.MULTILINE), path.relative_to(
            ROOT
        )
