"""Says what the text of a chapter lacks that is not yet written anew by ``form``; goes when the last of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from press.reading.chapter import Chapter
from press.reading.form import (
    BADGE,
    BADGE_SHOWN,
    BOX,
    has_box,
    in_the_box,
    in_the_cells,
    in_the_exercises,
    in_the_head,
    prose_of,
    sections,
)

SECTIONS = (
    "The question",
    "On a real system",
    "Often said, and wrong",
    "The answer",
    BOX,
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
LEAST_GRADED = 2


def in_the_text(chapter: Chapter) -> Iterator[tuple[int, str]]:
    """Say what a chapter of the old plan lacks, each with a line of the file."""
    text = prose_of(chapter)
    code = "\n".join(cell.source for cell in chapter.cells if cell.kind == "code")
    checks = "\n".join(cell.source for cell in chapter.cells if "check" in cell.metadata.get("tags", []))
    below = {section.heading: section.text for section in sections(chapter)}
    yield from ((1, what) for what in in_the_head(chapter, text, BADGE, BADGE_SHOWN))
    wanted = [heading for heading in SECTIONS if heading != BOX or has_box(chapter.name)]
    found = [heading for heading in re.findall(r"^## (.+)$", text, re.MULTILINE) if heading in SECTIONS]
    yield from ((1, f"the section ## {heading}") for heading in wanted if heading not in found)
    if found != [heading for heading in wanted if heading in found]:
        yield 1, f"the order of its sections: {', '.join(wanted)}"
    yield from in_the_box(sections(chapter))
    for where, pattern, times, name in _PIECES:
        searched = {"": text, "code": code, "check": checks}.get(where) or below.get(where, "")
        count = len(re.findall(pattern, searched, re.MULTILINE))
        if not count or times not in (None, count):
            yield 1, f"{'one' if times else 'a'} {name}{f' (in {where})' if where in SECTIONS else ''}, has {count}"
    points = len(re.findall(r"^- ", below.get("What to remember", ""), re.MULTILINE))
    if not 3 <= points <= 6:
        yield 1, f"3 to 6 points to remember, has {points}"
    yield from in_the_cells(chapter)
    yield from ((1, what) for what in in_the_exercises(below.get("Exercises", ""), LEAST_GRADED))
