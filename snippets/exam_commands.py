"""Commands: the final exam in a terminal: its tasks, a file for the answers, their points, the certificate."""

from __future__ import annotations

import datetime
import textwrap
from pathlib import Path
from typing import Any

from snippets.commands import Screen
from snippets.domain import at_most, positive_integer, text
from snippets.synthesis.conclusion.exam import (
    MOST_TEXT,
    TASKS,
    ExamResult,
    exam_answers,
    exam_certificate,
    exam_form,
    graded_exam,
    unread_lines,
)
from snippets.synthesis.conclusion.exam_judging import solution_lines
from snippets.synthesis.conclusion.exam_sheet import word_rows
from snippets.synthesis.conclusion.exam_tasks import MOST_SEED, PASS_POINTS, TASK_POINTS, ExamTask, exam_tasks

WIDTH = 100
_MARGIN = "   "
MOST_UNREAD = 5


def exam_answer(*, seed: int = 1, answers: str = "", solution: int | None = None, certificate: str = "") -> Screen:
    """Return the final exam of chapter 40: five design tasks, graded by the planner.

    Args:
        seed: which tasks: any integer of at least 0 draws five.
        answers: a file with your answers, which are graded; where there is no such file yet, an empty form is written
            there, in a folder that there is.
        solution: of this task, from 1 to 5, print the planner's best answer, once the file has one of yours that can
            run.
        certificate: your name: print a certificate of what is solved, with ``answers``.

    Returns:
        The tasks; with ``answers`` what is said of each; or the certificate.

    Example:
        >>> exam_answer(seed=1).lines[0]
        'Final exam, seed 1: five tasks of 20 points, and 80 are a pass'
    """
    seed = at_most("seed", seed, MOST_SEED)
    tasks = exam_tasks(seed)
    if solution is not None and (solution := positive_integer("solution", solution)) > TASKS:
        raise ValueError(f"solution must be from 1 to {TASKS}, got {solution!r}")
    name, place = text("certificate", certificate), text("answers", answers)
    if not place:
        if name or solution is not None:
            raise ValueError("answers must be given with certificate or solution: the file with your answers, got none")
        return _tasks_screen(seed, tasks)
    path = Path(place)
    if not path.exists():
        if name or solution is not None:
            raise ValueError(f"answers must be a file that there is, got {place}")
        return _new_form(seed, path)
    written = _read(path)
    result = graded_exam(seed, _answers(written, seed))
    if solution is not None:
        return _solution(tasks[solution - 1], result)
    if name:
        try:
            said = exam_certificate(result, name=name, date=datetime.date.today().isoformat())
        except ValueError as error:
            raise ValueError(str(error).replace("name", "certificate", 1)) from None
        return Screen(tuple(said.rstrip().split("\n")), {"certificate": said})
    return _graded_screen(tasks, result, unread_lines(written))


def _read(path: Path) -> str:
    """Return what is in a file."""
    try:
        with path.open(encoding="utf-8-sig") as file:  # some editors put a mark before line 1
            return file.read(MOST_TEXT + 1)
    except OSError as error:
        raise ValueError(f"answers must be a file that can be read, got {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"answers must be a file of text, got {path}") from None


def _answers(written: str, seed: int) -> tuple[str, ...]:
    try:
        return exam_answers(written, seed=seed)
    except ValueError as error:
        raise ValueError(str(error).replace("written", "answers", 1)) from None


def _new_form(seed: int, path: Path) -> Screen:
    """Write a form where there is no file yet; one that is there is never overwritten, and no folder is made."""
    if not path.parent.is_dir():
        raise ValueError(f"answers must be in a folder that there is, got {path}")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(exam_form(seed))
    except OSError as error:
        raise ValueError(f"answers must be a file that can be written, got {path}: {error.strerror}") from None
    lines = (f"A form for your answers is in {path}.", "Fill it in, and type the same command again.")
    return Screen(lines, {"seed": seed, "form": str(path)})


def _tasks_screen(seed: int, tasks: tuple[ExamTask, ...]) -> Screen:
    lines = [f"Final exam, seed {seed}: five tasks of {TASK_POINTS} points, and {PASS_POINTS} are a pass"]
    for task in tasks:
        lines += ["", f"{task.number}. {task.title}", *_wrapped(task.statement)]
        wide = max(len(name) for name, _ in task.given)
        for name, value in task.given:
            lines += _wrapped(f"{name:{wide}}  {value}", hang=wide + 2)
        lines += [*_wrapped(f"Limits: {task.limits}"), *_wrapped(f"Return: {task.returns}")]
        lines += _wrapped(f"The form, with sizes that can't run: {task.form}")
        lines += [line for name, value in task.sheet for line in _wrapped(f"{name}: {value}", hang=2)]
    lines += ["", "Words of every task"]
    lines += [line for name, said in word_rows() for line in _wrapped(f"{name}: {said}", hang=2)]
    file = f"exam-{seed}.txt"
    lines += ["", f"To answer: python -m snippets exam --seed {seed} --answers {file}"]
    return Screen(tuple(lines), {"seed": seed, "tasks": [_task_record(task) for task in tasks]})


def _task_record(task: ExamTask) -> dict[str, Any]:
    record = {name: getattr(task, name) for name in ("number", "title", "statement", "limits", "returns", "form")}
    return {**record, "given": dict(task.given), "sheet": dict(task.sheet)}


def _graded_screen(tasks: tuple[ExamTask, ...], result: ExamResult, unread: tuple[tuple[int, str], ...] = ()) -> Screen:
    lines = []
    for number, line in unread[:MOST_UNREAD]:
        lines.append(f"Not read: line {number}, {line!r}. An answer begins with its number, such as 1:")
    if more := len(unread) - MOST_UNREAD if len(unread) > MOST_UNREAD else 0:
        lines.append(f"Not read: {more} more lines")
    lines += [""] if unread else []
    for task, answer, verdict in zip(tasks, result.answers, result.verdicts, strict=True):
        lines += [f"{task.number}. {task.title}: {verdict.points} of {TASK_POINTS} points"]
        lines += [*_wrapped(f"> {answer}", hang=2), *_wrapped(verdict.said)] if answer else _wrapped(verdict.said)
        for mistake in verdict.mistakes:
            lines += _wrapped(f"- {mistake.name}: {mistake.sentence} (chapter {mistake.chapter})", hang=2)
        lines.append("")
    passed = "passed" if result.passed else f"not passed, {PASS_POINTS} are a pass"
    lines.append(f"{result.points} of {TASKS * TASK_POINTS} points: {passed}")
    record = {"seed": result.seed, "points": result.points, "passed": result.passed, "verdicts": result.verdicts}
    return Screen(tuple(lines), record)


def _solution(task: ExamTask, result: ExamResult) -> Screen:
    answer = result.answers[task.number - 1]
    if not result.verdicts[task.number - 1].graded:
        raise ValueError(f"solution must be of a task to which your file has an answer that can run, got {task.number}")
    told = solution_lines(task, answer)
    lines = [line for one in told for line in textwrap.wrap(one, WIDTH, break_on_hyphens=False)]
    return Screen(tuple(lines), {"task": task.number, "solution": told})


def _wrapped(words: str, hang: int = 0) -> list[str]:
    more = _MARGIN + " " * hang
    return textwrap.wrap(words, WIDTH, initial_indent=_MARGIN, subsequent_indent=more, break_on_hyphens=False)
