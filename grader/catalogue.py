"""Which exercises there are: the modules that declare them, and the chapters that ask them and give hints."""

from __future__ import annotations

import difflib
import functools
import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.exercise import Exercise

ROOT = Path(__file__).parents[1]
HOME = ROOT / "exercises"

_LINK = re.compile(r'\[[^\]]*\]\([^)\s]+ "exercise: (\w+)"\)')
_HINT = re.compile(r"<details[^>]*><summary>Hint \d+</summary>\n+(.*?)\n*</details>", re.DOTALL)


@dataclass(frozen=True)
class Chapter:
    """A folder of exercises.

    Attributes:
        folder: where the exercises' modules are.
        address: its part and its name, ``collectives/ring_and_tree``.
        title: the chapter's, ``13 · Ring and tree``.
        page: the chapter's file from the book's root, ``""`` if there is none.
        exercises: by name, in the order of their numbers.
    """

    folder: Path
    address: str
    title: str
    page: str
    exercises: dict[str, Exercise]

    @property
    def runner(self) -> str:
        """What grades all exercises of its folder: only the book's own brings its plugin along."""
        home = self.folder.parents[1].name
        return f"pytest {home}" if home == HOME.name else f"python -m pytest -p grader.plugin {home}"

    @property
    def command(self) -> str:
        """What grades this chapter."""
        return f"{self.runner}/{self.address}"

    def again(self, name: str) -> str:
        """What grades one exercise."""
        return f"{self.command} -k {name}"

    def hints(self, name: str) -> list[str]:
        """Return the hints to an exercise, as the chapter has them."""
        return _hints(self.folder.parents[2] / self.page).get(name, []) if self.page else []


def chapters(home: Path = HOME) -> list[Chapter]:
    """Return the chapters that have exercises, in the book's order."""
    folders = sorted({path.parent for path in home.glob("*/*/*.py") if declares(path)})
    return sorted(map(chapter_of, folders), key=lambda chapter: (Path(chapter.page).name, chapter.address))


def declares(path: Path) -> bool:
    """Say whether a file is a module that declares an exercise."""
    return path.is_file() and re.search(r"^EXERCISE = ", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


@functools.cache
def chapter_of(folder: Path) -> Chapter:
    """Load the exercises of a folder."""
    found = [exercise_in(path) for path in sorted(folder.glob("*.py")) if declares(path)]
    exercises = {exercise.name: exercise for exercise in sorted(found, key=lambda exercise: exercise.number)}
    title, page = _page(folder)
    return Chapter(folder, f"{folder.parent.name}/{folder.name}", title, page, exercises)


def exercise_in(path: Path) -> Exercise:
    """Import the module of an exercise, ``…/exercises/<part>/<chapter>/<name>.py``, and return what it declares."""
    root = str(path.parents[3])
    if root not in sys.path:
        sys.path.insert(0, root)
    module = importlib.import_module(".".join(path.with_suffix("").parts[-4:]))
    exercise: Exercise = module.EXERCISE
    if exercise.name != path.stem:
        raise ValueError(f"{path.name} must declare the exercise {path.stem}, got {exercise.name}")
    return exercise


def find(name: str, home: Path = HOME) -> tuple[Chapter, Exercise]:
    """Return the exercise of a name, ``ring_all_reduce``, or with its chapter, ``ring_and_tree/ring_all_reduce``.

    Raises:
        KeyError: no exercise, or more than one, has the name.
    """
    chapter_name, _, short = name.rpartition("/")
    all_chapters = chapters(home)
    found = [one for one in all_chapters if short in one.exercises and one.address.endswith(chapter_name)]
    if len(found) == 1:
        return found[0], found[0].exercises[short]
    names = {f"{chapter.folder.name}/{other}": other for chapter in all_chapters for other in chapter.exercises}
    alike = {*difflib.get_close_matches(short, names.values()), *difflib.get_close_matches(name, names)}
    near = [whole for whole, other in names.items() if short in other or other in short or {whole, other} & alike]
    near += [whole for whole in names if chapter_name and not near and whole.startswith(f"{chapter_name}/")]
    listed = f"did you mean: {', '.join(sorted(near))}" if near else "`pytest exercises` lists the chapters"
    raise KeyError(f"{len(found) or 'no'} exercises are called {name}; {listed}")


def _page(folder: Path) -> tuple[str, str]:
    """Return the title and the file of the chapter that a folder belongs to."""
    book = folder.parents[2]
    pages = sorted((book / "chapters" / folder.parent.name).glob(f"*-{folder.name.replace('_', '-')}.md"))
    if not pages:
        return folder.name.replace("_", " ").capitalize(), ""
    lines = pages[0].read_text(encoding="utf-8").splitlines()
    title = next((line[2:] for line in lines if line.startswith("# ")), folder.name)
    return title, pages[0].relative_to(book).as_posix()


@functools.cache
def _hints(page: Path) -> dict[str, list[str]]:
    """Return a chapter's hints by exercise: the folds between an exercise's link and the next."""
    _, *pieces = _LINK.split(page.read_text(encoding="utf-8"))
    return {name: _HINT.findall(text) for name, text in zip(pieces[::2], pieces[1::2], strict=True)}
