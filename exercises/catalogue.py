"""Which exercises there are: the folders, their graders, and the chapters that ask them."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from exercises.grading import Mutant, mutants_among
from exercises.judging import Exercise

HOME = Path(__file__).parent


@dataclass(frozen=True)
class Chapter:
    """A folder of exercises.

    Attributes:
        folder: where ``test_answers.py`` is.
        address: its part and its name, ``collectives/ring_and_tree``.
        title: the chapter's, ``13 · Ring and tree``.
        page: the chapter's file from the book's root, ``""`` if there is none.
        exercises: by name, in their order.
        mistakes: for an exercise's name, its known mistakes by theirs.
    """

    folder: Path
    address: str
    title: str
    page: str
    exercises: dict[str, Exercise]
    mistakes: dict[str, dict[str, Mutant]]

    @property
    def command(self) -> str:
        """What grades this chapter."""
        return f"pytest exercises/{self.address}"

    def again(self, name: str) -> str:
        """What grades one exercise."""
        return f"{self.command} -k {name}"


def chapters(home: Path = HOME) -> list[Chapter]:
    """Return the chapters that have a grader, in the book's order."""
    found = [chapter_of(path.parent) for path in home.glob("*/*/test_answers.py")]
    return sorted(found, key=lambda chapter: (Path(chapter.page).name, chapter.address))


def find(name: str, home: Path = HOME) -> tuple[Chapter, Exercise]:
    """Return the exercise of a name, ``ring_all_reduce``, or with its chapter, ``ring_and_tree/ring_all_reduce``.

    Raises:
        KeyError: no exercise, or more than one, has the name.
    """
    chapter_name, _, short = name.rpartition("/")
    found = [chapter for chapter in chapters(home) if short in chapter.exercises]
    found = [chapter for chapter in found if chapter.address.endswith(chapter_name)]
    if len(found) != 1:
        near = ", ".join(sorted(_near(short, home))) or "pytest exercises lists the chapters"
        raise KeyError(f"{len(found) or 'no'} exercises are called {name}; did you mean: {near}")
    return found[0], found[0].exercises[short]


def _near(name: str, home: Path) -> Iterator[str]:
    for chapter in chapters(home):
        for other in chapter.exercises:
            if name in other or other in name:
                yield f"{chapter.folder.name}/{other}"


@functools.cache
def chapter_of(folder: Path) -> Chapter:
    """Load the grader of a folder."""
    exercises = {exercise.name: exercise for exercise in load(folder / "test_answers.py").EXERCISES}
    mistakes: dict[str, dict[str, Mutant]] = {name: {} for name in exercises}
    for name, mutant in mutants_among(vars(load(folder / "mutants.py"))).items():
        mistakes.setdefault(mutant.replaces, {})[name] = mutant
    address = f"{folder.parent.name}/{folder.name}"
    title, page = _page(folder)
    return Chapter(folder, address, title, page, exercises, mistakes)


def _page(folder: Path) -> tuple[str, str]:
    """Return the title and the file of the chapter that a folder belongs to."""
    book = folder.parents[2]
    pages = sorted((book / "chapters" / folder.parent.name).glob(f"*-{folder.name.replace('_', '-')}.md"))
    if not pages:
        return folder.name.replace("_", " ").capitalize(), ""
    lines = pages[0].read_text(encoding="utf-8").splitlines()
    title = next((line[2:] for line in lines if line.startswith("# ")), folder.name)
    return title, pages[0].relative_to(book).as_posix()


def load(path: Path, name: str = "") -> ModuleType:
    """Execute a file as a module of its own."""
    name = name or ".".join(["graders", *path.with_suffix("").parts[-3:]]).replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"path must name a Python file, got {path.name!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
