"""The graders in a notebook: ``check("ring_all_reduce", my_function)``."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.catalogue import HOME, find
from grader.confining import Limits
from grader.judging import judge
from grader.messages import Result, message
from grader.proxy import Allowance
from grader.sandbox import for_exercise, forked, judged


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
    limits = Limits(time_s)
    if hasattr(os, "fork"):
        allowance = Allowance(limits)
        with for_exercise(exercise, lambda: forked(function, allowance)) as answer:
            verdict = dataclasses.replace(judged(exercise, answer, limits), printed=allowance.printed)
    else:
        verdict = judge(exercise, function)
    print(message(Result(chapter, exercise, verdict), commands=False))
