"""Says what a chapter lacks of the house's plan: ``python -m press.lacks 16``, or of all chapters without a number.

What ``press.new`` leaves to its author is marked ``TO WRITE:`` and is listed, in whatever room it stands. Lines with
``look:`` are places where a count is out of the ordinary; nothing is lacking there.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from press.making.quiz import read_quiz
from press.problems import Problem, Refused
from press.reading import form
from press.reading.chapter import BrokenChapter, Chapter, read_chapter
from press.reading.contents import PATH, Entry, read_contents
from press.reading.form import THREAD, has_box, places_to_look
from press.reading.outline import number_of
from press.site.labs import RECORDS
from snippets.index import listed

ROOT = Path(__file__).parents[1]
MARK = "TO WRITE:"
EXERCISE_MINUTES = {"easy": 6, "medium": 12, "hard": 20}
"""How long a graded exercise takes, by its level."""


def lacks(entry: Entry, root: Path = ROOT) -> list[Problem]:
    """Return what a chapter lacks, with the places where something is missing or still to be written."""
    chapter = read_chapter(root / entry.path, root=root)
    if not chapter.path.is_file():
        command = f"python -m press.new {entry.path.removeprefix('chapters/').removesuffix('.md')}"
        return [Problem(entry.path, 1, f"planned: `{command}` makes its files")]
    try:
        problems = [
            *(Problem(entry.path, line, f"lacks {what}") for line, what in _in_the_text(chapter)),
            *read_quiz(chapter.cells, entry.path)[1],
        ]
    except BrokenChapter as error:
        problems = error.problems
    other_rooms = [*_in_other_rooms(entry, chapter, root), *_in_the_live_figure(entry, chapter, root)]
    return [*problems, *other_rooms, *_still_to_write(entry, root)]


def _in_the_text(chapter: Chapter) -> Iterator[tuple[int, str]]:
    yield from form.in_the_text(chapter)
    questions = len(read_quiz(chapter.cells, chapter.name)[0])
    if not 3 <= questions <= 5:
        yield 1, f"3 to 5 questions in its quiz, has {questions}"


def to_look_at(entry: Entry, root: Path = ROOT) -> list[Problem]:
    """Return the places of a chapter at which a count says: look here. It lacks nothing because of them."""
    chapter = read_chapter(root / entry.path, root=root)
    with suppress(BrokenChapter):  # told by ``lacks``
        if chapter.path.is_file():
            return [Problem(entry.path, line, f"look: {what}") for line, what in places_to_look(chapter)]
    return []


def _in_other_rooms(entry: Entry, chapter: Chapter, root: Path) -> list[Problem]:
    """Return the chapter's modules that no test imports, its labs without a record, and a part without a page."""
    _, part, _ = entry.path.split("/")
    problems = []
    if not (chapter.path.parent / "index.md").is_file():
        problems.append(Problem(f"chapters/{part}/index.md", 1, "lacks: a part with a chapter has a page"))
    tests = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("*.py")))
    for module in sorted(_modules_of(part, chapter.text)):
        home, _, name = module.rpartition(".")
        file = f"{module.replace('.', '/')}.py"
        imported = rf"{re.escape(module)}\b|from {re.escape(home)} import [^\n]*\b{name}\b"
        if (root / file).is_file() and not re.search(imported, tests):
            problems.append(Problem(file, 1, "lacks a test: no file of tests/ imports it"))
    for lab in sorted((root / "labs").glob("*/*.py")):
        about = re.search(r"^Chapter: (\w+)$", lab.read_text(encoding="utf-8"), re.MULTILINE)
        record = f"{RECORDS}/{lab.stem}.json"
        if about and about[1] == number_of(entry.path) and not (root / record).is_file():
            place = lab.relative_to(root).as_posix()
            problems.append(Problem(place, 1, f"lacks a record: run it with --record {record}"))
    return problems


def _in_the_live_figure(entry: Entry, chapter: Chapter, root: Path) -> Iterator[Problem]:
    """Say whether the live figure of a chapter with a box can show what the box says."""
    path = f"snippets/{Path(entry.path).parent.name}/{subject_of(entry.path)}/live.py"
    with suppress(BrokenChapter):  # told above
        if has_box(entry.path) and (root / path).is_file():
            named = re.findall(r'\bNamed\(\s*"([^"]*)"', (root / path).read_text(encoding="utf-8"))
            if THREAD not in named:
                yield Problem(path, 1, f"lacks the named setting {THREAD!r}, has {', '.join(named) or 'none'}")


def _modules_of(part: str, text: str) -> set[str]:
    """Return the modules of a part that a chapter imports, those too whose names it finds at the front door."""
    homes = {name: module for names in listed().values() for name, (module, _) in names.items()}
    asked = re.findall(r"^ *from snippets import (\([^)]*\)|.*)", text, re.MULTILINE)
    found = {homes[name] for names in asked for name in re.findall(r"\w+", names) if name in homes}
    found |= {*re.findall(r"^ *from (snippets\.[\w.]+) import", text, re.MULTILINE)}
    return {module for module in found if module.startswith(f"snippets.{part}.")}


def _still_to_write(entry: Entry, root: Path) -> list[Problem]:
    """Return each place in the chapter's files that its author has still to write."""
    problems = []
    for path in files_of(entry, root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for what in line.split(MARK)[1:]:
                what = what.partition(" |")[0].strip(" *\"',)")
                problems.append(Problem(path.relative_to(root).as_posix(), number, f"to write: {what}"))
    return problems


def files_of(entry: Entry, root: Path) -> list[Path]:
    """Return the files that belong to a chapter by their names, in every room."""
    _, part, file = entry.path.split("/")
    subject = subject_of(file)
    patterns = (
        f"snippets/{part}/{subject}/*.py",
        f"exercises/{part}/{subject}/*.py",
        f"labs/{part}/{subject}*.py",
        f"tests/{part}/{subject}/*.py",
    )
    return [root / entry.path, *(path for pattern in patterns for path in sorted(root.glob(pattern)))]


def subject_of(file: str) -> str:
    """Return what a chapter's modules are called by, ``alpha_beta`` for ``05-alpha-beta.md``."""
    return file.partition("-")[2].removesuffix(".md").replace("-", "_")


def chosen(names: Sequence[str], entries: Sequence[Entry]) -> list[Entry]:
    """Return the chapters of some names: ``16``, ``16-data``, ``parallelism/16-data`` or its file.

    Raises:
        ValueError: there is no chapter of a name.
    """
    found = []
    for name in names:
        short = name.removeprefix("./").removeprefix("chapters/").removesuffix(".md")
        matching = [
            entry
            for entry in entries
            if short.upper() == number_of(entry.path) or f"/{entry.path.removesuffix('.md')}".endswith(f"/{short}")
        ]
        if not matching:
            raise ValueError(f"the chapter must be one of {PATH}, as 16 or parallelism/16-data, got {name!r}")
        found += matching
    return found


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print what the chapters lack; return 1 if they lack anything."""
    parser = argparse.ArgumentParser(prog="python -m press.lacks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("chapter", nargs="*", help="16, 16-data or parallelism/16-data; all chapters if left out")
    names = parser.parse_args(arguments).chapter
    try:
        entries = [entry for part in read_contents(root) for entry in part.chapters]
        entries = chosen(names, entries) if names else entries
    except (Refused, ValueError) as error:
        parser.error(str(error))
    problems = [problem for entry in entries for problem in lacks(entry, root)]
    print("\n".join(map(str, problems)) or "Nothing is lacking.")
    for place in (place for entry in entries for place in to_look_at(entry, root)):
        print(place)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
