"""Writes the page Final exam: the tasks of seed 1, whole without scripts, each with room for an answer.

A link alone on its line titled ``collected: exam`` stands for it. ``docs/javascripts/exam.js`` sends what a reader
answers to the same Python, and puts its verdicts into the parts that are written here.
"""

from __future__ import annotations

import json

MODULE = "snippets.synthesis.conclusion.exam_view"  # what the page's worker calls
SUBJECT = "pages/exam"
FIRST_SEED = 1


def exam_html() -> bytes:
    """Return the exam with which the page opens."""
    from snippets.synthesis.conclusion.exam import MOST_NAME
    from snippets.synthesis.conclusion.exam_answers import MOST_CHARACTERS
    from snippets.synthesis.conclusion.exam_view import exam_view, points_html, words_html

    tasks = json.loads(exam_view(str(FIRST_SEED)))["tasks"]
    sections = "".join(_section(number, task, MOST_CHARACTERS) for number, task in enumerate(tasks, 1))
    return (
        f'<div class="exam" data-subject="{SUBJECT}" data-module="{MODULE}" data-seed="{FIRST_SEED}">'
        f"{_seed_form()}{words_html()}{sections}{_end(points_html(0, 0), MOST_NAME)}</div>"
    ).encode()


def _seed_form() -> str:
    return (
        '<form class="exam-seed exam-tools" aria-label="Which tasks"><label for="exam-seed">Seed</label>'
        f'<input type="text" id="exam-seed" name="seed" value="{FIRST_SEED}" inputmode="numeric" autocomplete="off"'
        ' aria-describedby="exam-note"><button type="submit">Draw its tasks</button>'
        '<button type="button" data-new>A new seed</button>'
        '<span class="exam-note" id="exam-note" role="status"></span></form>'
    )


def _section(number: int, task: str, most: int) -> str:
    return (
        f'<section class="exam-task" data-task="{number}" aria-labelledby="task-{number}"><div data-part="task">{task}'
        f'</div><form class="exam-tools" aria-label="Your answer to task {number}">'
        f'<label for="exam-answer-{number}">Your answer</label>'
        f'<input type="text" id="exam-answer-{number}" name="answer" maxlength="{most}" autocomplete="off"'
        ' spellcheck="false"><button type="submit">Grade</button></form>'
        '<div class="exam-verdict" data-part="verdict" role="status"></div>'
        '<details class="exam-solution" hidden><summary>The planner\'s best</summary><div data-part="solution"></div>'
        "</details></section>"
    )


def _end(points: str, most: int) -> str:
    return (
        '<section class="exam-end" aria-labelledby="points"><h2 id="points">Points, and the certificate</h2>'
        f'<p data-part="points" role="status">{points}</p>'
        '<form class="exam-tools" aria-label="The certificate"><button type="button" data-all>Grade all five</button>'
        '<label for="exam-name">Your name</label><input type="text" id="exam-name" name="name"'
        f' data-most="{most}" autocomplete="name"><button type="submit">Make the certificate</button></form>'
        '<div class="exam-certificate" hidden><pre tabindex="0" aria-label="The certificate"></pre>'
        '<p class="exam-tools"><button type="button" data-copy>Copy</button><button type="button" data-save>Save as a'
        ' file</button> <span role="status"></span></p></div></section>'
    )
