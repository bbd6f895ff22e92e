"""Reads the quiz of a chapter, refuses one that is not whole, and marks it for the script that answers in the page.

A quiz stands below ``## Check yourself``: a numbered list of questions with their options, then a fold with, for each
question, the right option and why it is right, and a list that says of every other option why it is wrong:

    1. What does a ring all-reduce send?
        - (a) Twice the vector, nearly.
        - (b) The vector, once.

    <details markdown="1"><summary>Answers</summary>

    **1 (a).** It has two phases.

    - (b) That is one phase.

    </details>

The page shows just that. Where scripts run, ``docs/javascripts/book.js`` makes buttons of the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from press.problems import Problem
from press.reading.chapter import Cell

HEADING = "## Check yourself"
_HEADING = re.compile(r"##\s+check\s+yourself\b[\s#]*(?:\{[^}]*\})?\s*", re.IGNORECASE)
FOLD = '<details markdown="1"><summary>Answers</summary>'
_QUESTION = re.compile(r"(\d+)\. (.+)")
_OPTION = re.compile(r"    - \((\w)\)(.*)")
_ANSWER = re.compile(r"\*\*(\d+)\b(.*?)\.\*\*(.*)")
_REASON = re.compile(r"- \((\w)\)(.*)")
_LIST = re.compile(r'(<h2(?: id="check-yourself"|[^>]*>\s*check\s+yourself).*?<ol)(?=>)', re.DOTALL | re.IGNORECASE)
_ANY_HEADING = re.compile(r"<h[1-6][^>]*>(?:\s|<[^>]*>)*check\s+yourself\b", re.IGNORECASE)


@dataclass
class Question:
    """A question of a quiz, the Markdown of its options and reasons by letter, its line in the file."""

    number: int
    text: str
    line: int
    options: dict[str, str] = field(default_factory=dict)
    right: str = ""
    reasons: dict[str, str] = field(default_factory=dict)


class _Reader:
    """Reads a quiz line by line and collects what is wrong with it."""

    def __init__(self, path: str) -> None:
        self.questions: list[Question] = []
        self.problems: list[Problem] = []
        self._path = path
        self._answered: Question | None = None
        self._gap = True  # whether the line before is empty, by which Markdown tells lists from paragraphs
        self._in_list = False

    def report(self, line: int, message: str) -> None:
        self.problems.append(Problem(self._path, line, message))

    def question_line(self, line: int, text: str) -> None:
        """Read a line above the fold."""
        if question := _QUESTION.fullmatch(text):
            self._check_gap(line, in_list=bool(self.questions))
            self.questions.append(Question(int(question[1]), question[2], line))
            if int(question[1]) != len(self.questions):
                self.report(line, f"question {question[1]} should be number {len(self.questions)}")
        elif self.questions and (option := _OPTION.fullmatch(text)):
            self._check_gap(line, in_list=True)
            self._option(self.questions[-1], line, option[1], option[2].strip())
        elif text.strip():
            form = "questions `1. …` and options `    - (a) …`, each on one line"
            self.report(line, f"above the fold a quiz has {form}; this is neither: {text[:40]!r}")
        self._gap = not text.strip()

    def answer_line(self, line: int, text: str) -> None:
        """Read a line of the fold."""
        if answer := _ANSWER.fullmatch(text):
            self._check_gap(line, in_list=False)
            self._in_list = False
            self._answer(line, int(answer[1]), re.findall(r"\b([a-z])\b", answer[2]), answer[3].strip())
        elif self._answered and (reason := _REASON.fullmatch(text)):
            self._check_gap(line, in_list=self._in_list)
            self._in_list = True
            self._reason(self._answered, line, reason[1], reason[2].strip())
        elif text.strip():
            form = "answers `**1 (b).** …` and reasons `- (a) …`, each on one line"
            self.report(line, f"the fold of a quiz has {form}; this is neither: {text[:40]!r}")
        self._gap = not text.strip()

    def check(self) -> None:
        """Report what a question needs and lacks."""
        for question in self.questions:
            name = f"question {question.number}"
            if len(question.options) < 2:
                self.report(question.line, f"{name} needs two options or more")
            elif not question.right:
                self.report(question.line, f"{name} has no answer in the fold")
            else:
                for letter in question.options.keys() - question.reasons.keys():
                    self.report(question.line, f"{name} lacks the reason why option ({letter}) is right or wrong")

    def _check_gap(self, line: int, *, in_list: bool) -> None:
        if in_list == self._gap:
            self.report(line, f"an empty line {'too many' if self._gap else 'is missing'} above this one")

    def _option(self, question: Question, line: int, letter: str, text: str) -> None:
        expected = chr(ord("a") + len(question.options))
        if letter != expected:
            self.report(line, f"question {question.number}: option ({letter}) should be ({expected})")
        if not text:
            self.report(line, f"question {question.number}: option ({letter}) is empty")
        question.options[letter] = text

    def _answer(self, line: int, number: int, letters: list[str], text: str) -> None:
        question = next((question for question in self.questions if question.number == number), None)
        self._answered = question
        if question is None:
            self.report(line, f"answer {number} has no question")
        elif question.right:
            self.report(line, f"question {number} is answered a second time")
        elif len(letters) != 1:
            self.report(line, f"question {number} needs one right option, written `**{number} (b).**`")
        else:
            question.right = letters[0]
            self._reason(question, line, letters[0], text)

    def _reason(self, question: Question, line: int, letter: str, text: str) -> None:
        if letter not in question.options:
            self.report(line, f"question {question.number} has no option ({letter})")
        elif letter in question.reasons:
            self.report(line, f"question {question.number}: option ({letter}) has a second reason")
        elif text:
            question.reasons[letter] = text


def read_quiz(cells: Sequence[Cell], path: str) -> tuple[list[Question], list[Problem]]:
    """Return the questions below a chapter's ``## Check yourself``, and what is wrong with them.

    Args:
        cells: the chapter's cells.
        path: the chapter's file, named in the problems.
    """
    reader = _Reader(path)
    heading, read = 0, reader.question_line
    for line, text in _section(cells):
        if _HEADING.fullmatch(text):
            heading = line
        elif text == FOLD:
            read = reader.answer_line
        elif read == reader.answer_line and text == "</details>":
            break
        else:
            read(line, text)
    else:
        if heading:
            reader.report(heading, f"the quiz has no fold that begins with {FOLD} and ends with </details>")
    if heading and not reader.questions:
        reader.report(heading, "the quiz has no questions")
    if not reader.problems:
        reader.check()
    return reader.questions, reader.problems


def _section(cells: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield the lines, with their numbers, from the quiz's heading to the next one."""
    inside = False
    for cell in cells:
        if cell.kind == "markdown":
            for number, text in enumerate(cell.source.split("\n"), cell.line):
                if re.match("##? ", text):
                    inside = bool(_HEADING.fullmatch(text))
                if inside:
                    yield number, text


def has_quiz(page: str) -> bool:
    """Say whether a page has a heading, of whatever form, that says a quiz is below it.

    >>> has_quiz('<h3 id="q">Check Yourself!</h3>')
    True
    """
    return bool(_ANY_HEADING.search(page))


def mark_quiz(page: str, questions: Sequence[Question]) -> str:
    """Mark the page's list of questions with the letters of the right options.

    >>> mark_quiz('<h2 id="check-yourself">Check yourself</h2><ol><li>', [Question(1, "Why?", 9, right="b")])
    '<h2 id="check-yourself">Check yourself</h2><ol class="quiz" data-right="b"><li>'
    """
    right = "".join(question.right for question in questions)
    return _LIST.sub(rf'\1 class="quiz" data-right="{right}"', page, count=1) if questions else page
