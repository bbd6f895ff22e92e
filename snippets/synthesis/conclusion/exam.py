"""Formulas: the final exam: its answers as a text, their points, and the certificate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from snippets.domain import Answers, at_most, of_kind, text
from snippets.synthesis.conclusion.exam_answers import one_line
from snippets.synthesis.conclusion.exam_judging import ExamVerdict, judged_answer
from snippets.synthesis.conclusion.exam_tasks import KINDS, MOST_SEED, PASS_POINTS, TASK_POINTS, exam_tasks
from snippets.version import BOOK_VERSION

TASKS = len(KINDS)
MOST_NAME = 80
MOST_LINE = 40
MOST_TEXT = 100_000
NO_NAME = "no name given"
_ANSWER = re.compile(r"\s*(?:task\s*)?(\d{1,2})\s*[:.)：](?!\d)(.*)", re.IGNORECASE)
_OWN_LINES = (  # of a certificate, and of a form
    re.compile(r"\s*(#.*)?"),
    re.compile(
        r"(Many Machines, One Gradient|Name:|Date:|Seed:|Book:|Points:|The answers|Its reader|grade the answers|> ).*"
    ),
    re.compile(r"Task \d, .*"),
)
_SEED = re.compile(r"^(?:# )?(?:Final exam, seed|Seed:) ?(\d{1,10})\b", re.MULTILINE)


@dataclass(frozen=True)
class ExamResult(Answers):
    """An exam, graded.

    Attributes:
        seed: which tasks it has.
        answers: the five answers, each on one line.
        verdicts: what is said of each.

    >>> graded_exam(1, [""] * 5).points
    0
    """

    seed: int
    answers: tuple[str, ...]
    verdicts: tuple[ExamVerdict, ...]

    @property
    def points(self) -> int:
        """Points of all five tasks, at most 100.

        >>> ExamResult(1, ("t=8",), (ExamVerdict(17, "", ()),)).points
        17
        """
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def passed(self) -> bool:
        """Whether these points are enough.

        >>> graded_exam(1, ["t=8"] * 5).passed
        False
        """
        return self.points >= PASS_POINTS


def exam_form(seed: int) -> str:
    """Return a text in which the answers to an exam are written, to be kept as a file.

    Args:
        seed: which tasks, at least 0.

    Returns:
        The text: a line for each task, with the form of its answer above it.

    Source: a convention of this book.
    Leaves out: the tasks themselves.

    Example:
        >>> exam_form(1).splitlines()[0]
        '# Final exam, seed 1'
    """
    seed = at_most("seed", seed, MOST_SEED)
    lines = [
        f"# Final exam, seed {seed}",
        "# Write each answer behind its number, on one line. Lines that begin with # are remarks.",
    ]
    for task in exam_tasks(seed):
        lines += ["", f"# {task.title}. The form, with sizes that can't run: {task.form}", f"{task.number}:"]
    return "\n".join([*lines, ""])


def exam_answers(written: str, *, seed: int | None = None) -> tuple[str, ...]:
    """Return the five answers of a form that was filled in, or of a certificate.

    Args:
        written: the text.
        seed: of the tasks that are meant, at least 0, if the text is to be refused where it names another.

    Returns:
        Answers, empty where there is none.

    Raises:
        ValueError: if the text names the seed of other tasks, or answers a task twice.

    Source: ``exam_form``.
    Convention: a line of an answer begins with its number, such as ``1:``, ``1.``, ``1)`` or ``Task 1:``.
    Leaves out: all other lines, which ``unread_lines`` names.

    Example:
        >>> exam_answers("1: t=8 p=4\\nTask 3: e=8")
        ('t=8 p=4', '', 'e=8', '', '')
    """
    if len(text("written", written)) > MOST_TEXT:
        raise ValueError(f"written must have at most {MOST_TEXT:,} characters, got {len(written):,}")
    named = _SEED.search(written)
    if seed is not None:
        seed = at_most("seed", seed, MOST_SEED)
        if named and int(named[1]) != seed:
            raise ValueError(f"written must have the answers to seed {seed}, got those to seed {int(named[1])}")
    found: dict[int, str] = {}
    for number, line in _numbered(written):
        if int(number) in found:
            raise ValueError(f"written must answer each task once, got task {number} twice")
        found[int(number)] = one_line(line)
    if strange := [number for number in found if not 1 <= number <= TASKS]:
        raise ValueError(f"written must answer tasks 1 to {TASKS}, got one to task {strange[0]}")
    return tuple(found.get(number, "") for number in range(1, TASKS + 1))


def _lines(written: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", written)


def _numbered(written: str) -> list[tuple[str, str]]:
    found = [_ANSWER.fullmatch(line) for line in _lines(written)]
    return [(line[1], line[2]) for line in found if line]


def unread_lines(written: str) -> tuple[tuple[int, str], ...]:
    """Return the lines of a file with answers that are neither an answer nor a form's or a certificate's own.

    Args:
        written: the text.

    Returns:
        Of each its number, from 1, and how it begins.

    Source: ``exam_answers``.
    Leaves out: nothing.

    Example:
        >>> unread_lines("1: t=8\\nhello\\n# a remark")
        ((2, 'hello'),)
    """
    return tuple(
        (number, one_line(line)[:MOST_LINE])
        for number, line in enumerate(_lines(text("written", written)), 1)
        if not _ANSWER.fullmatch(line) and not any(own.fullmatch(line) for own in _OWN_LINES)
    )


def graded_exam(seed: int, answers: Sequence[str]) -> ExamResult:
    """Return the points of five answers, and what is wrong with each.

    Args:
        seed: which tasks, at least 0.
        answers: five texts, in the order of the tasks; an empty one is no answer.

    Returns:
        The result.

    Raises:
        ValueError: if there are not five.

    Source: ``judged_answer``.
    Convention: 20 points a task; 80 of 100 are a pass.
    Leaves out: how the answers were found.

    Example:
        >>> graded_exam(1, ["t=3", "", "", "", ""]).verdicts[0].points
        0
    """
    seed = at_most("seed", seed, MOST_SEED)
    tasks = exam_tasks(seed)
    if not isinstance(answers, tuple | list) or len(answers) != len(tasks):
        raise ValueError(f"answers must be {len(tasks)} texts, one a task, got {answers!r}")
    lines = tuple(one_line(text("answers", answer)) for answer in answers)
    verdicts = tuple(judged_answer(task, line) for task, line in zip(tasks, lines, strict=True))
    return ExamResult(seed, lines, verdicts)


def exam_certificate(result: ExamResult, *, name: str, date: str) -> str:
    """Return a text that says what of an exam was solved, with the answers, so that anybody can grade it again.

    Args:
        result: the exam, graded.
        name: of the reader.
        date: of the day, as the reader's clock has it.

    Returns:
        The text. Given to ``exam_answers``, it gives the answers back.

    Raises:
        ValueError: if the name has more than 80 characters.

    Source: a convention of this book.
    Leaves out: any proof of who answered, and when.

    Example:
        >>> print(exam_certificate(graded_exam(1, [""] * 5), name="Ada", date="2026-11-29").splitlines()[1])
        Name: Ada
    """
    of_kind("result", result, ExamResult)
    if len(_plain(text("name", name))) > MOST_NAME:
        raise ValueError(f"name must have at most {MOST_NAME} characters, got {len(_plain(name))}")
    lines = [
        "Many Machines, One Gradient: final exam",
        f"Name: {_plain(name) or NO_NAME}",
        f"Date: {_plain(text('date', date))}",
        f"Seed: {result.seed}",
        f"Book: version {BOOK_VERSION}",
        f"Points: {result.points} of {TASKS * TASK_POINTS}, {'passed' if result.passed else 'not passed'}"
        f" ({PASS_POINTS} are a pass)",
        "",
    ]
    for task, verdict in zip(exam_tasks(result.seed), result.verdicts, strict=True):
        solved = "solved" if verdict.solved else "not solved"
        cost = "" if verdict.ratio is None else f", {_cost(task.kind, verdict.ratio)}"
        points = f"{verdict.points} of {TASK_POINTS} points"
        lines.append(f"Task {task.number}, {task.title} ({task.job.model_name}): {points}, {solved}{cost}")
    answers = [f"{number}: {answer}".rstrip() for number, answer in enumerate(result.answers, 1)]
    return "\n".join([
        *lines,
        "",
        "The answers",
        *answers,
        "",
        "Its reader made this text, and it proves nothing by itself. Keep it as a file, and anybody who has the book"
        " can",
        f"grade the answers again: python -m snippets exam --seed {result.seed} --answers FILE",
        "",
    ])  # fmt: skip


def _plain(written: str) -> str:
    return one_line(written)


def _cost(kind: str, ratio: float) -> str:
    """Return how an answer's cost compares with the best, in words."""
    verb, less, more = ("costs", "less", "more") if kind == "deadline" else ("takes", "shorter", "longer")
    best = "after the best single change" if kind == "repair" else "the planner's best"
    if abs(ratio - 1) < 0.005:
        return f"{verb} as much as the planner's best" if kind == "deadline" else f"{verb} as long as {best}"
    return f"{verb} {abs(ratio - 1):.0%} {more if ratio > 1 else less} than {best}"
