"""Writes the files of a new chapter in every room.

``python -m press.new parallelism/16-data --exercises 4 --lab``. The chapter has to stand in the table of
contents. What is still to be written is marked ``TO WRITE:`` in each file, and ``python -m press.lacks`` lists it. No
file is overwritten, and a chapter that stands is given at most a lab; the table of the front door, which is made from
the modules' texts, is made anew.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.whole_files import write_whole
from press import door
from press.lacks import EXERCISE_MINUTES, ROOT, subject_of
from press.problems import Refused
from press.reading.contents import PATH, Entry, Part, read_contents
from press.reading.files import why_unwritable
from press.reading.form import has_box
from press.reading.outline import number_of

TEMPLATES = Path(__file__).parent / "templates" / "new"
MOST_EXERCISES = 10
LEVELS = ("easy", "easy", "medium", "medium", "hard")


def chapter_files(part: Part, entry: Entry, *, exercises: int, lab: bool) -> dict[str, str]:
    """Return a new chapter's own files: their paths relative to the book's folder, and their texts."""
    folder, subject = part.name, subject_of(entry.path)
    words = {
        "part": folder,
        "title": entry.title,
        "question": json.dumps(entry.question, ensure_ascii=False)[1:-1],
        "number": number_of(entry.path) or "",
        "subject": subject,
        "Subject": subject.replace("_", " ").capitalize(),
    }
    asked = [
        {
            **words,
            "number": str(k),
            "exercise": f"{subject}_exercise_{k}",
            "level": LEVELS[min(k, len(LEVELS)) - 1],
            "decision": "*Decision.* " if k == exercises else "",
            "worth": ", and how much of the step or of the bill the right choice is worth" if k == exercises else "",
        }
        for k in range(1, exercises + 1)
    ]
    # Three questions of the quiz take a minute each.
    words["exercise minutes"] = str(3 + sum(EXERCISE_MINUTES[exercise["level"]] for exercise in asked))
    words["box"] = filled("box.md", words) if has_box(entry.path) else ""
    words["exercises"] = "".join(filled("exercise.md", exercise) for exercise in asked)
    templates = {
        entry.path: "chapter.md",
        f"snippets/{folder}/{subject}/formulas.py": "formulas.py.txt",
        f"snippets/{folder}/{subject}/programs.py": "programs.py.txt",
        f"snippets/{folder}/{subject}/figures.py": "figures.py.txt",
        f"snippets/{folder}/{subject}/live.py": "live.py.txt",
        f"tests/{folder}/{subject}/test_{subject}.py": "test.py.txt",
        f"tests/{folder}/{subject}/test_{subject}_live.py": "test_live.py.txt",
    }
    if lab:
        templates[f"labs/{folder}/{subject}.py"] = "lab.py.txt"
    files = {path: filled(template, words) for path, template in templates.items()}
    files[f"snippets/{folder}/{subject}/__init__.py"] = f'"""Chapter {number_of(entry.path)} · {entry.title}."""\n'
    if asked:
        files[f"exercises/{folder}/{subject}/__init__.py"] = f'"""Exercises of chapter {entry.title}."""\n'
    for exercise in asked:
        files[f"exercises/{folder}/{subject}/{exercise['exercise']}.py"] = filled("exercise.py.txt", exercise)
    return files


def part_files(part: Part, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that a part has once: its page, and its package in each room that has files of the chapter."""
    words = {"Part": part.name.capitalize(), "part title": part.title, "part question": part.question}
    rooms = [room for room in ("snippets", "exercises", "labs") if any(path.startswith(f"{room}/") for path in files)]
    about = f'"""The part {part.title.partition(" · ")[2]}."""\n'
    return {part.page: filled("part.md", words), **{f"{room}/{part.name}/__init__.py": about for room in rooms}}


def filled(template: str, words: Mapping[str, str]) -> str:
    """Return a template's text with its ``<<names>>`` replaced."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return re.sub(r"<<([\w ]+)>>", lambda name: words[name[1]], text)


def planned_chapter(name: str, root: Path) -> tuple[Part, Entry]:
    """Return a chapter of the table of contents by its address, ``parallelism/16-data``.

    Raises:
        ValueError: there is none.
    """
    parts = read_contents(root)
    folder, _, file = name.removeprefix("chapters/").removesuffix(".md").partition("/")
    part = next((part for part in parts if part.name == folder), None)
    if part is None:
        raise ValueError(f"the part must be one of {', '.join(part.name for part in parts)}, got {folder!r}")
    entry = next((entry for entry in part.chapters if entry.path.endswith(f"/{file}.md")), None)
    if entry is None:
        names = ", ".join(Path(entry.path).stem for entry in part.chapters)
        raise ValueError(f"the chapter must be one of {names}, or be added to {PATH} first, got {file!r}")
    return part, entry


def written(files: Mapping[str, str], root: Path) -> list[str]:
    """Write the files that do not exist, the chapter's text last, and return their paths."""
    new = [path for path in files if not (root / path).exists()]
    new.sort(key=lambda path: path.startswith("chapters/"))  # where it stands, a run before was not cut off
    for path in new:
        write_whole(root / path, files[path])
    return new


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write a chapter's files and say which; return 0."""
    parser = argparse.ArgumentParser(prog="python -m press.new", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("chapter", help="its part and file, parallelism/16-data")
    parser.add_argument("--exercises", type=int, default=4, metavar="N", help="graded exercises (4)")
    parser.add_argument("--lab", action="store_true", help="with a lab")
    options = parser.parse_args(arguments)
    if not 0 <= options.exercises <= MOST_EXERCISES:
        parser.error(f"--exercises must be a number from 0 to {MOST_EXERCISES}, got {options.exercises}")
    try:
        part, entry = planned_chapter(options.chapter, root)
    except (Refused, ValueError) as error:
        parser.error(str(error))
    files = chapter_files(part, entry, exercises=options.exercises, lab=options.lab)
    if (root / entry.path).exists():
        if not options.lab:
            listing = f"python -m press.lacks {number_of(entry.path)}"
            parser.error(f"{entry.path} stands already: `{listing}` lists what it lacks, --lab adds a lab")
        files = {path: text for path, text in files.items() if path.startswith("labs/")}
    try:
        new = written({**part_files(part, files), **files}, root)
    except OSError as error:
        parser.error(f"{why_unwritable(error) or error}; the same command writes what is missing then")
    if (root / door.TABLE).is_file():
        door.main(root)
    kept = [path for path in files if path not in new]
    print(*(f"written: {path}" for path in new), *(f"kept as it is: {path}" for path in kept), sep="\n")
    print(f"What is still to be written: python -m press.lacks {number_of(entry.path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
