"""How one exercise is graded: for pytest and for a class."""

from __future__ import annotations

import time
from collections.abc import Callable

from grader.answer_files import Unreadable, Written
from grader.catalogue import Chapter
from grader.exercise import Exercise
from grader.judging import Verdict
from grader.messages import Result
from grader.sandbox import Sandbox
from grader.source import stub_of


def grade(sandbox: Sandbox, chapter: Chapter, exercise: Exercise, written: Callable[[], Written | None]) -> Result:
    """Judge what somebody wrote; nothing counts as open, and what is no text as wrong.

    Where the grader itself fails on what somebody wrote, that is wrong too, and says so: the next one is graded.
    """
    began = time.perf_counter()
    try:
        found = written()
        if found is None or found.text == stub_of(exercise):
            verdict = Verdict("open", exercise.asked)
        else:
            verdict = sandbox.judge(exercise, found.text, found.file)
    except FileNotFoundError:
        verdict = Verdict("open", exercise.asked)
    except Unreadable as error:
        verdict = Verdict("wrong", exercise.asked, "", "a file that Python can read", str(error))
    except Exception as error:
        got = f"the grader failed on this answer ({type(error).__name__}): show it to whoever grades"
        verdict = Verdict("wrong", exercise.asked, "", "an answer that can be judged", got)
    return Result(chapter, exercise, verdict, time.perf_counter() - began)
