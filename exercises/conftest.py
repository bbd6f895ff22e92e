"""How pytest grades: each answer in a child process, an untouched stub is open, and a board tells what is next."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from exercises.answer_files import ANSWERS, prepare, submitted
from exercises.board import board
from exercises.catalogue import Chapter, chapter_of, find
from exercises.child import Limits
from exercises.hints import next_hint, solution
from exercises.judging import Exercise, Verdict
from exercises.messages import Result, failure, labelled
from exercises.report import write
from exercises.sandbox import Sandbox

RESULT = "verdict"  # the property of a test's report that carries its verdict, from a worker to the board too
NEWS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("exercises")
    group.addoption("--hint", metavar="NAME", nargs="?", const="", help="print the next hint to an exercise")
    group.addoption("--solution", metavar="NAME", nargs="?", const="", help="print a solution, once yours passes")
    group.addoption("--give-up", action="store_true", help="with --solution: print it although yours does not pass")
    group.addoption("--submission", metavar="PATH", help="grade this file or directory instead of answers.py")
    group.addoption("--report", metavar="FILE", help="write the results to this JSON file")
    group.addoption("--report-format", choices=["book", "gradescope"], default="book", help="its layout")
    group.addoption("--time-limit", type=float, default=Limits.time_s, metavar="S", help="seconds for each exercise")
    group.addoption("--memory-limit", type=float, default=1.0, metavar="GIB", help="GiB for each exercise")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave all files but graders alone: a reader's file may be half-written, and doctests here are the book's."""
    return True if collection_path.suffix == ".py" and collection_path.name != "test_answers.py" else None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print a hint or a solution instead of grading."""
    hint, wanted = config.getoption("--hint"), config.getoption("--solution")
    if hint is None and wanted is None:
        return None
    name = hint or wanted or config.getoption("keyword")
    if not name:
        raise pytest.UsageError("which exercise? pytest exercises --hint NAME, with the option at the end")
    try:
        chapter, exercise = find(name, _home(config))
    except KeyError as error:
        raise pytest.UsageError(str(error.args[0])) from None
    told, status = (next_hint(chapter, exercise), 0) if hint is not None else _solution(config, chapter, exercise)
    print(told)
    return status


def _home(config: pytest.Config) -> Path:
    """Return the folder of exercises that the arguments lie in, by default this one."""
    asked = Path(config.args[0].partition("::")[0]).resolve()
    return next((path for path in (asked, *asked.parents) if path.name == "exercises"), Path(__file__).parent)


def _solution(config: pytest.Config, chapter: Chapter, exercise: Exercise) -> tuple[str, int]:
    """Return a solution, or what has to happen before it is shown."""
    if not config.getoption("--give-up"):
        prepare(chapter.folder)
        with Sandbox(_limits(config)) as sandbox:
            verdict = sandbox.judge(chapter.folder, exercise, chapter.folder / ANSWERS)
        if verdict.status != "solved":
            how = "open" if verdict.status == "open" else "not right yet"
            return (
                f"{exercise.name} is {how}. Hints: pytest exercises --hint {exercise.name}\n"
                f"To see the solution all the same: pytest exercises --give-up --solution {exercise.name}"
            ), 1
    return solution(chapter, exercise.name), 0


def _limits(config: pytest.Config) -> Limits:
    memory_bytes = int(config.getoption("--memory-limit") * 2**30)
    return Limits(time_s=config.getoption("--time-limit"), memory_bytes=memory_bytes)


@pytest.fixture(scope="session")
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(_limits(request.config)) as sandbox:
        yield sandbox


@pytest.fixture
def grade(
    request: pytest.FixtureRequest, sandbox: Sandbox, record_property: Callable[[str, object], None]
) -> Callable[[Exercise], None]:
    """Return what grades an exercise of the folder that asks, and skips, fails or passes the test."""
    folder = request.path.parent

    def grade_one(exercise: Exercise) -> None:
        chapter, path = chapter_of(folder), _answers(request.config, folder)
        began = time.perf_counter()
        verdict = sandbox.judge(folder, exercise, path) if path else Verdict("open", exercise.asked)
        result = Result(chapter, exercise, verdict, time.perf_counter() - began)
        told = {"folder": str(folder), "exercise": exercise.name, "seconds": result.seconds}
        record_property(RESULT, json.dumps({**told, "verdict": dataclasses.asdict(verdict)}))
        if verdict.status == "open":
            pytest.skip(f"open: {exercise.name}")
        if verdict.status == "wrong":
            everything = request.config.get_verbosity() > 0
            pytest.fail("\n" + failure(result, everything=everything), pytrace=False)

    return grade_one


def _answers(config: pytest.Config, folder: Path) -> Path | None:
    if submission := config.getoption("--submission"):
        if not Path(submission).exists():
            raise pytest.UsageError(f"--submission: there is no {submission}")
        return submitted(Path(submission).resolve(), folder)
    return folder / ANSWERS


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NEWS] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Make the answers of the chapters that are graded, where they are not there yet."""
    if config.getoption("--submission") or config.getoption("collectonly"):
        return
    folders = dict.fromkeys(item.path.parent for item in items if item.name.startswith("test_answer["))
    config.stash[NEWS] += [news for folder in folders if (news := prepare(folder))]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the board below everything else, and write the report."""
    results = [
        _result(str(value))
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
        for name, value in report.user_properties
        if name == RESULT and report.when == "call"
    ]
    if not results:
        return
    terminalreporter.section("board")
    for news in config.stash[NEWS]:
        terminalreporter.line(labelled("new", news))
    for line, colour in board(results):
        terminalreporter.line(line, **{colour: True} if colour else {})
    if path := config.getoption("--report"):
        write(Path(path), results, config.getoption("--report-format"))


def _result(text: str) -> Result:
    told = json.loads(text)
    chapter = chapter_of(Path(told["folder"]))
    return Result(chapter, chapter.exercises[told["exercise"]], Verdict(**told["verdict"]), told["seconds"])
