"""How pytest grades: which answers are taken, and that an untouched stub is open, not wrong."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from exercises.grading import Answers, load_answers

# pytest imports what it searches for doctests, and a reader's file may be half-written.
collect_ignore_glob = ["*/answers.py"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--answers",
        default="answers.py",
        help="what to grade in each exercises folder: answers.py, stub.py, solution.py or mutants.py::NAME",
    )


@pytest.fixture
def answers(request: pytest.FixtureRequest) -> Answers:
    """The functions to grade, from the folder of the grader that asks."""
    return load_answers(request.path.parent, request.config.getoption("--answers"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Report an exercise whose stub is untouched as open."""
    try:
        return (yield)
    except NotImplementedError as error:
        pytest.skip(f"open: {error}")
