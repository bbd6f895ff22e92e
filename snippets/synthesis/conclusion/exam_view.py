"""Drawings: the final exam as HTML, in the same bytes from the build and from the browser's Python.

Every text is escaped: a seed and an answer are what a reader types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape

from snippets.domain import integer_at_least, positive_integer, text
from snippets.synthesis.conclusion.exam import TASKS, exam_certificate, graded_exam
from snippets.synthesis.conclusion.exam_judging import ExamVerdict, judged_answer, solution_lines
from snippets.synthesis.conclusion.exam_sheet import word_rows
from snippets.synthesis.conclusion.exam_tasks import MOST_SEED, PASS_POINTS, TASK_POINTS, ExamTask, exam_tasks

_PAGES = {
    6: "foundations/06-economics",
    16: "parallelism/16-data",
    17: "parallelism/17-tensor",
    18: "parallelism/18-pipeline",
    19: "parallelism/19-sequence",
    20: "parallelism/20-expert",
    21: "memory/21-memory-equation",
    22: "memory/22-zero",
    23: "memory/23-recomputation",
    25: "composition/25-device-mesh",
    26: "composition/26-three-d",
    28: "composition/28-failures",
    29: "composition/29-configuration-search",
}


def exam_view(seed_text: str) -> str:
    """Return the tasks of a seed as the page shows them.

    Args:
        seed_text: the seed, as it was typed.

    Returns:
        As JSON: ``{"error": sentence}``, or the seed and the HTML of each task.

    >>> exam_view("many")
    '{"error": "The seed must be a whole number from 0 to 1,000,000,000, got \\'many\\'."}'
    """
    written = text("seed_text", seed_text).strip()
    digits = re.fullmatch(r"0*([0-9]{1,10})", written)
    if not digits or int(digits[1]) > MOST_SEED:
        said = f"The seed must be a whole number from 0 to {MOST_SEED:,}, got {written[:20]!r}."
        return json.dumps({"error": said}, ensure_ascii=False)
    seed = int(digits[1])
    return json.dumps({"seed": seed, "tasks": [*map(task_html, exam_tasks(seed))]}, ensure_ascii=False)


def task_html(task: ExamTask) -> str:
    """Return a task as HTML.

    Args:
        task: the task.

    >>> task_html(exam_tasks(1)[0]).startswith('<h2 id="task-1">1. Fit and cut</h2>')
    True
    """
    if not isinstance(task, ExamTask):
        raise TypeError(f"task must be an ExamTask, got {task!r}")
    form = f"<code>{escape(task.form)}</code>, with sizes that can&#x27;t run"
    lines = _rows((*task.given, ("limits", task.limits), ("return", task.returns)))
    lines += f'<tr><th scope="row">the form</th><td>{form}</td></tr>'
    return (
        f'<h2 id="task-{task.number}">{task.number}. {escape(task.title)}</h2><p>{escape(task.statement)}</p>'
        f'<table class="exam-given"><caption>What is given</caption><tbody>{lines}</tbody></table>'
        f'<details class="exam-sheet"><summary>Sizes and rates</summary>'
        f'<table class="exam-given"><caption>What the planner takes for granted</caption>'
        f"<tbody>{_rows(task.sheet)}</tbody></table></details>"
    )


def words_html() -> str:
    """Return what the words of every task mean, as HTML.

    >>> words_html().startswith('<details class="exam-sheet"><summary>What the words mean')
    True
    """
    return (
        '<details class="exam-sheet"><summary>What the words mean, and how days count</summary>'
        '<table class="exam-given"><caption>Words of every task</caption>'
        f"<tbody>{_rows(word_rows())}</tbody></table></details>"
    )


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{_money(escape(said))}</td></tr>' for name, said in rows
    )


def _money(html: str) -> str:
    """Return HTML in which no dollar sign begins a formula."""
    return html.replace("$", "&#36;")


def graded_view(seed: int, number: int, answer: str) -> str:
    """Return what the page says of one answer.

    Args:
        seed: which tasks, at least 0.
        number: of the task, from 1 to 5.
        answer: what the reader typed.

    Returns:
        As JSON: the points, whether it is solved, whether there was an answer, whether the planner could judge it, the
        verdict as HTML, and a sentence to be read out.

    >>> json.loads(graded_view(1, 1, "t=3"))["points"]
    0
    """
    task = _task(seed, number)
    verdict = judged_answer(task, text("answer", answer))
    return json.dumps(
        {
            "points": verdict.points,
            "solved": verdict.solved,
            "answered": bool(answer.strip()),
            "tried": verdict.graded,
            "html": _verdict_html(verdict),
            "said": f"Task {task.number}: {verdict.points} of {TASK_POINTS} points. {verdict.said}",
        },
        ensure_ascii=False,
    )


def _task(seed: int, number: int) -> ExamTask:
    place = positive_integer("number", number)
    if place > TASKS:
        raise ValueError(f"number must be from 1 to {TASKS}, got {number!r}")
    return exam_tasks(seed)[place - 1]


def _verdict_html(verdict: ExamVerdict) -> str:
    kind = "right" if verdict.solved else "wrong"
    items = "".join(
        f"<li><strong>{escape(mistake.name)}.</strong> {_money(escape(mistake.sentence))} "
        f'<a href="../{_PAGES[mistake.chapter]}/">Chapter {mistake.chapter}</a></li>'
        for mistake in verdict.mistakes
    )
    listed = f"<ul>{items}</ul>" if items else ""
    return (
        f'<p class="{kind}"><strong>{verdict.points} of {TASK_POINTS} points.</strong>'
        f" {_money(escape(verdict.said))}</p>"
        f"{listed}"
    )


def solution_view(seed: int, number: int, answer: str) -> str:
    """Return the planner's best answer to a task as HTML, and how the reader's compares with it.

    Args:
        seed: which tasks, at least 0.
        number: of the task, from 1 to 5.
        answer: what the reader typed.

    >>> solution_view(1, 1, "").startswith("<p>The planner&#x27;s best")
    True
    """
    lines = solution_lines(_task(seed, number), text("answer", answer))
    return "".join(f"<p>{_money(escape(line))}</p>" for line in lines)


def points_html(points: int, graded: int) -> str:
    """Return the sentence with the points of an exam.

    Args:
        points: of all answers that were graded, at least 0.
        graded: how many were, at least 0 and at most 5.

    >>> points_html(85, 5)
    '<strong>85 of 100 points: passed.</strong>'
    """
    points, graded = integer_at_least("points", points, 0), integer_at_least("graded", graded, 0)
    if graded > TASKS:
        raise ValueError(f"graded must be at most {TASKS}, got {graded}")
    passed = "passed" if points >= PASS_POINTS else f"{PASS_POINTS} are a pass"
    left = "" if graded == TASKS else f" {TASKS - graded} of {TASKS} tasks are not graded yet."
    return f"<strong>{points} of {TASKS * TASK_POINTS} points: {passed}.</strong>{left}"


def certificate_view(seed: int, answers: Sequence[str], name: str, date: str) -> str:
    """Return the certificate of five answers, which are graded anew, as a text.

    Args:
        seed: which tasks, at least 0.
        answers: five texts.
        name: of the reader.
        date: as the reader's clock has it.

    >>> "Points: 0 of 100" in certificate_view(1, ["", "", "", "", ""], "Ada", "2026-11-29")
    True
    """
    return exam_certificate(graded_exam(seed, answers), name=name, date=date)
