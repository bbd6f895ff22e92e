"""Says what the text of a chapter lacks of the house's plan, and at which of its places to look again.

From the question to the answer, its spine, a chapter says what the decision needs, and all else stands below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from press.reading.chapter import Cell, Chapter
from press.reading.notation import FOLD, letters_of
from press.reading.outline import number_of

QUESTION, ANSWER = "The question", "The answer"
THREAD = "The 70B on 256 GPUs"
BOX = "For the 70B on 256 GPUs"
LAST_WITH_A_BOX = 34
BELOW = (
    "On a real system",
    "Often said, and wrong",
    "What to remember",
    "Going deeper",
    "Check yourself",
    "Exercises",
    "Where next",
)
SPINE_WORDS = (1800, 2400)
QUESTION_WORDS, BOX_WORDS, SYSTEM_WORDS = 120, 120, 200
MOST_LETTERS = 8
MOST_LINES = 12
MOST_COLUMNS = 76
LEAST_GRADED = 3
FOLDED = {"check", "hide-input", "remove-cell", "remove-input", "setup"}
LEVELS = ("Beginner", "Intermediate", "Advanced")
# What a section has, how often (None: at least once), and its name. A section "" is the spine.
_PIECES: tuple[tuple[str, str, int | None, str], ...] = (
    (QUESTION, r"^guess\(", 1, "guess asked for: guess(…)"),
    ("", r"\*(?:Before you|Guess|Predict)[^*]*\?[^*]*\*|\*Which[^*]*\?\*", None, "prediction: *Before you go on: …?*"),
    ("", r"\bshow\(", None, "figure: show(…)"),
    ("", r"^show_live\(\w+\)$", None, "live figure: show_live(…)"),
    ("", r"> \[!TIP\]\n> \*\*Library shortcut\.\*\*", 1, "callout > [!TIP] with **Library shortcut.**"),
    (ANSWER, r"^answer\(", 1, "answer that the guess is compared with: answer(…)"),
    (ANSWER, r"\b10\s?%", None, "word on whether it survives 10% in each assumption"),
    ("On a real system", r"^\||\btable\(", None, "table"),
    ("On a real system", r"(?i)\bpredicted\b(?:.|\n)*\breported\b", None, "prediction beside what was reported"),
    ("Often said, and wrong", r"> \[!WARNING\](?:\n>.*)*?\]\(", None, "claim with a link: > [!WARNING]"),
    ("What to remember", r"^\| knob \| what it buys \| what it costs \|$", 1, "table of knobs"),
    ("Going deeper", r'<details markdown="1"><summary>', None, "fold"),
    ("Where next", r"\]\(", None, "link"),
    ("Where next", r"\*\*Sources\.\*\*", 1, "paragraph that begins with **Sources.**"),
)
_BADGE = re.compile(
    r"^\*\*Level:\*\* (\w+) · \*\*Time:\*\* (\d+) min to read, (\d+) min of exercises · \*\*Before this:\*\* .+$",
    re.MULTILINE,
)
_BADGE_SHOWN = "**Level:** … · **Time:** … min to read, … min of exercises · **Before this:** …"
_TIMES = ("minutes", "exercise_minutes")
_OBJECTIVES = re.compile(r"At the end you will be able to\n\n((?:- .+\n)+)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_WORDS_OF_A_SENTENCE = 5
_SOLUTION = '<details markdown="1"><summary>Solution</summary>'


@dataclass(frozen=True)
class Section:
    """What stands below a heading of the second level: its line in the file, its prose, its cells of code."""

    heading: str
    line: int
    text: str
    cells: tuple[Cell, ...]

    @property
    def whole(self) -> str:
        """Its prose, then its code."""
        return "\n".join([self.text, *(cell.source for cell in self.cells)])


def in_the_text(chapter: Chapter) -> Iterator[tuple[int, str]]:
    """Say what a chapter of this plan lacks, each with the line of the file at which it is missing."""
    text = prose_of(chapter)
    found = sections(chapter)
    yield from ((1, what) for what in _in_the_head(chapter, text))
    letters = letters_of(text)
    rows = len(re.findall(r"^\|\s*\$", letters.table, re.MULTILINE)) if letters else 0
    if rows > MOST_LETTERS:
        yield 1, f"a fold of {MOST_LETTERS} rows of letters at most, has {rows}"
    yield from _in_their_order(found, plan_of(chapter))
    yield from _in_the_sections(found)
    yield from _in_the_cells(chapter)
    for section in found:
        if section.heading == "Exercises":
            yield from ((section.line, what) for what in _in_the_exercises(section.text))
            yield from ((section.line, what) for what in _in_the_statements(section.text))


def places_to_look(chapter: Chapter) -> Iterator[tuple[int, str]]:
    """Say where a count is out of the ordinary. Nothing has to be done about it: a reader decides, not a count."""
    found = sections(chapter)
    spine = spine_of(found)
    if spine:
        words = sum(word_count(section.text) for section in spine)
        if not SPINE_WORDS[0] <= words <= SPINE_WORDS[1]:
            yield spine[0].line, f"the spine has {words:,} words; the plan has {SPINE_WORDS[0]:,} to {SPINE_WORDS[1]:,}"
    for section in found:
        most = {QUESTION: QUESTION_WORDS, "On a real system": SYSTEM_WORDS}.get(section.heading)
        if most and (words := word_count(section.text)) > most:
            yield section.line, f"{section.heading!r} has {words} words; the plan has {most} at most"
        checks = sum("check" in cell.metadata.get("tags", []) for cell in section.cells)
        if checks > 1:
            yield section.line, f"{section.heading!r} has {checks} cells of checks; one mark a section is enough"
    for section in spine[1:-1]:
        if (bold := len(bold_sentences(section.text))) != 1:
            yield section.line, f"{section.heading!r} has {bold} bold sentences; the plan has one"


def plan_of(chapter: Chapter) -> tuple[str, ...]:
    """Return the headings that a chapter has beside its own, in their order."""
    return (QUESTION, ANSWER, *((BOX,) if has_box(chapter.name) else ()), *BELOW)


def has_box(path: str) -> bool:
    """Say whether a chapter says what it means for the book's thread, as those up to 34 do.

    >>> has_box("chapters/efficiency/34-architecture.md"), has_box("chapters/background/a1-linear-algebra.md")
    (True, False)
    """
    number = number_of(path) or ""
    return number.isdigit() and int(number) <= LAST_WITH_A_BOX


def sections(chapter: Chapter) -> list[Section]:
    """Return what stands below each heading of the second level, in order."""
    found: list[tuple[str, int, list[str], list[Cell]]] = []
    for cell in chapter.cells:
        if cell.kind == "code" and found:
            found[-1][3].append(cell)
        elif cell.kind == "markdown":
            for line, text in enumerate(cell.source.split("\n"), cell.line):
                if text.startswith("## "):
                    found.append((text.removeprefix("## ").strip(), line, [], []))
                elif found:
                    found[-1][2].append(text)
            if found:
                found[-1][2].append("")
    return [Section(heading, line, "\n".join(texts), tuple(cells)) for heading, line, texts, cells in found]


def spine_of(found: Sequence[Section]) -> Sequence[Section]:
    """Return the sections from the question to the answer, none where one of the two is missing."""
    names = [section.heading for section in found]
    if QUESTION not in names or ANSWER not in names:
        return []
    return found[names.index(QUESTION) : names.index(ANSWER) + 1]


def _in_their_order(found: Sequence[Section], plan: Sequence[str]) -> Iterator[tuple[int, str]]:
    names = [section.heading for section in found]
    missing = [heading for heading in plan if heading not in names]
    yield from ((1, f"the section ## {heading}") for heading in missing)
    if missing:
        return
    own = names[1 : names.index(ANSWER)]
    if names != [QUESTION, *own, *plan[1:]]:
        yield 1, f"the order of its sections: {QUESTION}, those of its own, {', '.join(plan[1:])}"
    elif not own:
        yield 1, f"a section of its own between {QUESTION} and {ANSWER}"


def _in_the_sections(found: Sequence[Section]) -> Iterator[tuple[int, str]]:
    by_name = {section.heading: section for section in found}
    spine = spine_of(found)
    for heading, pattern, times, name in _PIECES:
        searched = [by_name[heading]] if heading in by_name else [] if heading else spine
        if searched:
            count = len(re.findall(pattern, "\n".join(section.whole for section in searched), re.MULTILINE))
            if not count or times not in (None, count):
                place = heading or "the spine"
                yield searched[0].line, f"{'one' if times else 'a'} {name} (in {place}), has {count}"
    if spine and not any("check" in cell.metadata.get("tags", []) for section in spine for cell in section.cells):
        yield 1, "a cell of checks: assertions below a comment, tagged check (in the spine)"
    yield from _in_the_box(found)
    if "What to remember" in by_name:
        section = by_name["What to remember"]
        points = len(re.findall(r"^- ", section.text, re.MULTILINE))
        if not 3 <= points <= 6:
            yield section.line, f"3 to 6 sentences to remember, has {points}"
    if "Going deeper" in by_name and word_count(by_name["Going deeper"].text):
        yield by_name["Going deeper"].line, "folds alone (in Going deeper), has prose beside them"


def _in_the_box(found: Sequence[Section]) -> Iterator[tuple[int, str]]:
    """Say what is wrong with the section on the book's thread, where a chapter has it."""
    for box in found:
        if box.heading == BOX:
            if (words := word_count(box.text)) > BOX_WORDS:
                yield box.line, f"a box of {BOX_WORDS} words at most, has {words}"
            if (bold := len(bold_sentences(box.text))) != 1:
                yield box.line, f"one decision in bold (in {BOX}), has {bold}"


def _in_the_statements(text: str) -> Iterator[str]:
    """Say of each graded exercise what its statement leaves out, and whether one of them is a decision."""
    decisions = 0
    for name, exercise in exercises_of(text):
        if '"exercise: ' in exercise:
            decisions += exercise.lstrip().startswith("*Decision.* ")
            for word in ("given", "limits", "return"):
                if not re.search(rf"\*{word}:\*|^\| *\**{word}\** *\|", exercise, re.IGNORECASE | re.MULTILINE):
                    yield f"*{word.capitalize()}:* in {name.lower()}"
    if not decisions:
        yield "a graded exercise that begins with *Decision.*"


def _in_the_head(chapter: Chapter, text: str) -> Iterator[str]:
    """Say what a chapter lacks above its question."""
    said = chapter.header
    if not text.startswith(f"# {said.get('title')}\n"):
        yield f"its title as the first line of its text: # {said.get('title')}"
    badge = _BADGE.search(text)
    if said.get("level") not in LEVELS:
        yield f"a level in its header: {', '.join(LEVELS)}"
    yield from (f"{key} in its header" for key in _TIMES if key not in said)
    times = [str(said[key]) for key in _TIMES if key in said]
    if badge is None or list(badge.groups()) != [said.get("level"), *times]:
        yield f"{_BADGE_SHOWN}, as its header has them"
    if not chapter.promise or chapter.promise.startswith("**Level"):
        yield "a promise below its title"
    objectives = _OBJECTIVES.search(text)
    if objectives is None or not 3 <= objectives[1].count("- ") <= 5:
        yield "3 to 5 objectives below 'At the end you will be able to'"
    if letters_of(text) is None:
        yield f"the fold {FOLD!r}"


def _in_the_cells(chapter: Chapter) -> Iterator[tuple[int, str]]:
    """Say which cells of code that the page shows are longer or wider than what is read at a glance."""
    for cell in chapter.cells:
        if cell.kind == "code" and not FOLDED & set(cell.metadata.get("tags", [])):
            lines = [line for line in cell.source.splitlines() if line]
            if len(lines) > MOST_LINES or max(map(len, lines)) > MOST_COLUMNS:
                yield cell.line, f"a cell of {MOST_LINES} lines of {MOST_COLUMNS} characters at most"


def _in_the_exercises(text: str) -> Iterator[str]:
    """Say what a section of exercises lacks: how many there are, how many are graded, solutions, hints."""
    found = exercises_of(text)
    if not 4 <= len(found) <= 10:
        yield f"4 to 10 exercises, has {len(found)}"
    graded = sum('"exercise: ' in exercise for _, exercise in found)
    if graded < LEAST_GRADED:
        yield f"{LEAST_GRADED} exercises or more that are graded, has {graded}"
    for name, exercise in found:
        is_graded = '"exercise: ' in exercise
        if exercise.count(_SOLUTION) != 1:
            yield f"a solution to {name.lower()}"
        hints = exercise.count("<summary>Hint ")
        if is_graded and hints != 3:
            yield f"three hints to {name.lower()}, has {hints}"
        if is_graded == exercise.lstrip().startswith(("*Analysis.* ", "*Conceptual.* ")):
            yield f"a grader for {name.lower()}, or the word *Analysis.* or *Conceptual.* at its beginning"


def exercises_of(text: str) -> list[tuple[str, str]]:
    """Return the names and the texts of a section's exercises."""
    _, *pieces = re.split(r"^### (Exercise \d+) · .+$", text, flags=re.MULTILINE)
    return list(zip(pieces[::2], pieces[1::2], strict=True))


def prose_of(chapter: Chapter) -> str:
    """Return a chapter's Markdown without its cells of code."""
    return "\n\n".join(cell.source for cell in chapter.cells if cell.kind == "markdown")


def bold_sentences(text: str) -> list[str]:
    """Return what is in bold and long enough for a sentence, outside of folds.

    >>> bold_sentences("**Library shortcut.** A call. **Send it early, and almost all of it hides.**")
    ['Send it early, and almost all of it hides.']
    """
    runs = (match[1] for match in _BOLD.finditer(_without_folds(text)))
    return [run for run in runs if len(run.split()) >= _WORDS_OF_A_SENTENCE]


def word_count(text: str) -> int:
    """Return the words of the main line: without folds, fences and tables, a formula for one word.

    >>> word_count("It takes $2n/\\\\beta$, so [wait](a.md).")
    5
    """
    text = re.sub(r"^```.*?^```$", "", _without_folds(text), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<!\\)\$\$.*?\$\$|(?<!\\)\$[^$\n]*\$", "x", text, flags=re.DOTALL)
    text = re.sub(r"^(?:\||#).*$", "", re.sub(r"\]\([^)]*\)", "]", text), flags=re.MULTILINE)
    return len(re.findall(r"\S*\w\S*", text))


def _without_folds(text: str) -> str:
    return re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL)
