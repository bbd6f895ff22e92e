"""Which files the page's worker needs to run and grade: the book's own, and the packages that are Python alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackagePath, distribution
from pathlib import Path

from exercises.catalogue import chapters
from exercises.needs import ROOT, files_named, files_of, needs, reached

PACKAGES = ("hypothesis", "sortedcontainers")
_DOOR = "exercises.in_page"


def files_for_page() -> dict[str, Path]:
    """Return for each name in the worker's archive the file that it is a copy of.

    The book's files have their names in the repository, and those of packages the names that they are installed by,
    their licences among them; the archive's root has to be on Python's path.

    Raises:
        RuntimeError: a package has a compiled part.
    """
    book = {path.relative_to(ROOT).as_posix(): path for path in _of_the_book()}
    return dict(sorted({**book, **{name: path for package in PACKAGES for name, path in _of_package(package)}}.items()))


def _of_the_book() -> set[Path]:
    found = {path for module in reached([_DOOR]) for path in files_named(module)}
    for chapter in chapters():
        names = [name for name in chapter.exercises if not needs(chapter, name)]
        found |= {path for name in names for path in files_of(chapter, name)}
        if names:
            parents = (chapter.folder, chapter.folder.parent)
            found |= {chapter.folder / "stub.py", *(parent / "__init__.py" for parent in parents)}
    return {path for path in found | _data_beside(found) if path.is_file()}


def _data_beside(modules: set[Path]) -> set[Path]:
    """Return the data that modules read from their own folders: the files that they name."""
    texts = {path: path.read_text(encoding="utf-8") for path in modules}
    return {data for path, text in texts.items() for data in path.parent.glob("*.json") if data.name in text}


def _of_package(package: str) -> Iterator[tuple[str, Path]]:
    for file in distribution(package).files or []:
        if file.suffix in (".so", ".pyd"):
            raise RuntimeError(f"{package} has a compiled part, {file}: pin a release that has none")
        if _is_wanted(file):
            yield file.as_posix(), Path(str(file.locate()))


def _is_wanted(file: PackagePath) -> bool:
    if ".." in file.parts or "__pycache__" in file.parts:
        return False
    if file.parts[0].endswith(".dist-info"):
        return "LICENSE" in file.name.upper() or file.name == "METADATA"
    if file.parts[1:2] == ("extra",) and not file.name.startswith("_"):
        return False  # for use with packages that a page does not have
    return file.suffix in (".py", ".txt") or "LICENSE" in file.name.upper()
