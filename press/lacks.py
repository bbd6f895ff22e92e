"""Says what a chapter lacks of the house's plan: ``python -m press.lacks 16``, or of all chapters without a number.

What ``press.new`` leaves to its author is marked ``TO WRITE:`` and is listed, in whatever room it stands.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from press.making.quiz import read_quiz
from press.problems import Problem, Refused
from press.reading.chapter import BrokenChapter, Chapter, read_chapter
from press.reading.contents import PATH, Entry, read_contents
from press.reading.notation import FOLD, letters_of
from press.reading.outline import number_of
from press.site.labs import RECORDS
from snippets.index import listed

ROOT = Path(__file__).parents[1]
MARK = "TO WRITE:"
LEVELS = ("Beginner", "Intermediate", "Advanced")
SECTIONS = (
    "The question",
    "On a real system",
    "Often said, and wrong",
    "The answer",
    "What to remember",
    "Check yourself",
    "Exercises",
    "Where next",
)
# What a section has (all of the prose: ""; of the code: "code"; of the cells with a tag: the tag), how often (None: at
# least once), and its name.
_PIECES: tuple[tuple[str, str, int | None, str], ...] = (
    ("code", r"^guess\(", 1, "guess asked for: guess(…)"),
    ("code", r"^answer\(", 1, "answer that the guess is compared with: answer(…)"),
    ("", r"\*(?:Before you|Guess|Predict)[^*]*\?[^*]*\*|\*Which[^*]*\?\*", None, "prediction: *Before you go on: …?*"),
    ("", r"> \[!IMPORTANT\]\n> \*\*Key insight\.\*\*", 1, "callout > [!IMPORTANT] with **Key insight.**"),
    ("", r"> \[!TIP\]\n> \*\*Library shortcut\.\*\*", 1, "callout > [!TIP] with **Library shortcut.**"),
    ("On a real system", r"\*(?:reported|derived|estimated)", None, "number that is *reported* or *derived*"),
    ("Often said, and wrong", r"> \[!WARNING\]", None, "claim: > [!WARNING]"),
    ("What to remember", r"^\| knob \| what it buys \| what it costs \|$", None, "table of knobs"),
    ("", r"\*\*Where next\.\*\*|^## Where next$", 1, "end that says where to go next"),
    ("", r"\*\*Sources\.\*\*", 1, "paragraph that begins with **Sources.**"),
    ("check", r"^ *assert ", None, "cell of checks: assertions below a comment, tagged check"),
    ("code", r"\bshow\(", None, "figure: show(…)"),
    ("code", r"^show_live\(\w+\)$", None, "live figure: show_live(…)"),
)
_BADGE = re.compile(
    r"^\*\*Level:\*\* (\w+) · \*\*Time:\*\* (\d+) minutes(?:, exercises (\d+))? · \*\*Before this:\*\* .+$",
    re.MULTILINE,
)
EXERCISE_MINUTES = {"easy": 6, "medium": 12, "hard": 20}
"""How long a graded exercise takes, by its level."""
_TIMES = ("minutes", "exercise_minutes")
FOLDED = {"check", "hide-input", "remove-cell", "remove-input", "setup"}
MOST_LINES = 12
MOST_COLUMNS = 76
_OBJECTIVES = re.compile(r"At the end you will be able to\n\n((?:- .+\n)+)")
_SOLUTION = '<details markdown="1"><summary>Solution</summary>'


def lacks(entry: Entry, root: Path = ROOT) -> list[Problem]:
    """Return what a chapter lacks, with the places where something is missing or still to be written."""
    chapter = read_chapter(root / entry.path, root=root)
    if not chapter.path.is_file():
        command = f"python -m press.new {entry.path.removeprefix('chapters/').removesuffix('.md')}"
        return [Problem(entry.path, 1, f"planned: `{command}` makes its files")]
    try:
        problems = [
            *(Problem(entry.path, 1, f"lacks {what}") for what in _in_the_text(chapter)),
            *read_quiz(chapter.cells, entry.path)[1],
        ]
    except BrokenChapter as error:
        problems = error.problems
    return [*problems, *_in_other_rooms(entry, chapter, root), *_still_to_write(entry, root)]


def _in_the_text(chapter: Chapter) -> Iterator[str]:
    text = "\n\n".join(cell.source for cell in chapter.cells if cell.kind == "markdown")
    code = "\n".join(cell.source for cell in chapter.cells if cell.kind == "code")
    checks = "\n".join(cell.source for cell in chapter.cells if "check" in cell.metadata.get("tags", []))
    yield from _in_the_head(chapter, text)
    found = [heading for heading in re.findall(r"^## (.+)$", text, re.MULTILINE) if heading in SECTIONS]
    yield from (f"the section ## {heading}" for heading in SECTIONS if heading not in found)
    wanted = [heading for heading in SECTIONS if heading in found]
    if found != wanted:
        yield f"the order of its sections: {', '.join(SECTIONS)}"
    for where, pattern, times, name in _PIECES:
        searched = {"": text, "code": code, "check": checks}.get(where) or section(text, where)
        count = len(re.findall(pattern, searched, re.MULTILINE))
        if not count or times not in (None, count):
            yield f"{'one' if times else 'a'} {name}{f' (in {where})' if where in SECTIONS else ''}, has {count}"
    points = len(re.findall(r"^- ", section(text, "What to remember"), re.MULTILINE))
    if not 3 <= points <= 6:
        yield f"3 to 6 points to remember, has {points}"
    yield from _in_the_cells(chapter)
    questions = len(read_quiz(chapter.cells, chapter.name)[0])
    if not 3 <= questions <= 5:
        yield f"3 to 5 questions in its quiz, has {questions}"
    yield from _in_the_exercises(section(text, "Exercises"))


def _in_the_cells(chapter: Chapter) -> Iterator[str]:
    """Say which cells of code that the page shows are longer or wider than what is read at a glance."""
    for cell in chapter.cells:
        if cell.kind == "code" and not FOLDED & set(cell.metadata.get("tags", [])):
            lines = [line for line in cell.source.splitlines() if line]
            if len(lines) > MOST_LINES or max(map(len, lines)) > MOST_COLUMNS:
                yield f"a cell of {MOST_LINES} lines of {MOST_COLUMNS} characters at most on line {cell.line}"


def _in_the_head(chapter: Chapter, text: str) -> Iterator[str]:
    said = chapter.header
    if not text.startswith(f"# {said.get('title')}\n"):
        yield f"its title as the first line of its text: # {said.get('title')}"
    badge = _BADGE.search(text)
    if said.get("level") not in LEVELS:
        yield f"a level in its header: {', '.join(LEVELS)}"
    yield from (f"{key} in its header" for key in _TIMES if key not in said)
    times = [str(said[key]) for key in _TIMES if key in said]
    if badge is None or [badge[1], badge[2], *([badge[3]] if badge[3] else [])] != [said.get("level"), *times]:
        yield "**Level:** … · **Time:** … minutes, exercises … · **Before this:** …, as its header has them"
    if not chapter.promise or chapter.promise.startswith("**Level"):
        yield "a promise below its title"
    objectives = _OBJECTIVES.search(text)
    if objectives is None or not 3 <= objectives[1].count("- ") <= 5:
        yield "3 to 5 objectives below 'At the end you will be able to'"
    if letters_of(text) is None:
        yield f"the fold {FOLD!r}"


def _in_the_exercises(text: str) -> Iterator[str]:
    _, *exercises = re.split(r"^### (Exercise \d+) · .+$", text, flags=re.MULTILINE)
    names, texts = exercises[::2], exercises[1::2]
    if not 4 <= len(texts) <= 10:
        yield f"4 to 10 exercises, has {len(texts)}"
    graded = [text for text in texts if '"exercise: ' in text]
    if len(graded) < 2:
        yield f"2 exercises or more that are graded, has {len(graded)}"
    for name, exercise in zip(names, texts, strict=True):
        if exercise.count(_SOLUTION) != 1:
            yield f"a solution to {name.lower()}"
        hints = exercise.count("<summary>Hint ")
        if exercise in graded and hints != 3:
            yield f"three hints to {name.lower()}, has {hints}"
        if (exercise in graded) == exercise.lstrip().startswith(("*Analysis.* ", "*Conceptual.* ")):
            yield f"a grader for {name.lower()}, or the word *Analysis.* or *Conceptual.* at its beginning"


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


def section(text: str, heading: str) -> str:
    """Return the prose below a heading of the second level, ``""`` if there is none."""
    found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


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
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
