"""The graders in a notebook: ``check("ring_all_reduce", my_function)``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exercises.catalogue import HOME, chapter_of, find
from exercises.child import Limits, in_child
from exercises.guarded import grade_function
from exercises.judging import drawn, judge
from exercises.messages import Result, message


def check(name: str, function: Callable[..., Any], *, time_s: float = 10.0, home: Path = HOME) -> None:
    """Grade a function that a cell defines, and print what ``pytest exercises`` would say.

    The function runs in a fork of the notebook's kernel, which has everything that it uses: an endless loop ends after
    ``time_s`` and the kernel's own data stay as they are. Where there is no fork, as on Windows, a function of a cell
    cannot be sent to another process; it then runs in the kernel itself, without limits.

    Args:
        name: the exercise, ``"ring_all_reduce"``, or with its chapter, ``"ring_and_tree/ring_all_reduce"``.
        function: the answer.
        time_s: when to give up, in seconds.
        home: the folder of exercises.
    """
    chapter, exercise = find(name, home)
    drawn(exercise)
    if hasattr(os, "fork"):
        verdict = in_child(lambda: grade_function(chapter, exercise.name, function), Limits(time_s), exercise.asked)
    else:
        verdict = judge(exercise, function, chapter_of(chapter.folder).mistakes[exercise.name])
    print(message(Result(chapter, exercise, verdict)))
